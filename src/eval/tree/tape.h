/* A reverse pass that is repaired in parts: which of the faults of Warp's is it that makes a gradient wrong?
 *
 * The forward pass keeps, for each node that is repaired, the values that it computes with, and for each region whose way is repaired
 * which of its nodes ran. The reverse pass takes them from there, last first, and is Warp's own in all else. */
#ifndef WEFT_EVAL_TREE_TAPE_H
#define WEFT_EVAL_TREE_TAPE_H

#include "eval/tree/code.h"

typedef struct TapeStack {
    Cell *cells;
    uint32_t count, cap;
    uint32_t floor; /* those below are of threads that have another turn */
} TapeStack;

struct TreeTape {
    const TreeRepairs *repairs;
    Arena *arena;
    HashTable numbers; /* of stacks, by node; that of a place to go to is the same */
    TapeStack *stacks; /* the first: which nodes ran */
    uint32_t count, cap;
    uint32_t *ends; /* of each stack, after each thread of the forward pass */
};

TreeTape *tree_tape_new(Arena *arena, const TreeRepairs *repairs);
void tree_tape_begin(TreeTape *tape, uint64_t threads);    /* before a forward pass */
void tree_tape_end_thread(TreeTape *tape, uint64_t place); /* of the forward pass; threads come one after the other */
void tree_tape_use_thread(TreeTape *tape, uint64_t place); /* before its turn in the reverse pass */

/* What the walks of a program with repairs add to each node; of others, nothing. */
void tree_tape_record_body(Compiler *c);
void tree_tape_before(Compiler *c, const IrNode *node); /* forward */
void tree_tape_after(Compiler *c, const IrNode *node);
bool tree_tape_replay(Compiler *c,
                      const IrNode *node); /* true: values were given that tree_tape_replayed() takes back */
void tree_tape_replayed(Compiler *c);
void tree_tape_condition(Compiler *c, const IrNode *node); /* of the reverse pass */
void tree_tape_reverse(Compiler *c, const IrNode *node);   /* in place of the reversed node alone */
/* A loop, or the body of a function. True: its way back was written. */
bool tree_tape_region(Compiler *c, const void *part, const IrRegion *head, const IrRegion *body);
/* The function's own body counts, and not its custom gradient. */
bool tree_tape_derives(const Compiler *c, const IrFunction *function);
bool tree_tape_keeps(const Compiler *c, const IrNode *loop);

/* One node, and not what the tape adds. */
void tree_reverse_node(Compiler *c, const IrNode *node);
void tree_set_source(Compiler *c, const IrNode *node);

#endif
