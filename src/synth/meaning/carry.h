/* What loops carry from turn to turn. Warp's reverse pass does not run a loop again: what comes after one sees the values that were
 * there before it, and each turn those that the last one left. Sums do not mind. */
#ifndef WEFT_SYNTH_MEANING_CARRY_H
#define WEFT_SYNTH_MEANING_CARRY_H

#include "synth/meaning/draft.h"

enum { MAX_UNROLLED_TURNS = 16, MAX_CARRIED = 24 };

typedef enum CarryKind {
    CARRY_NONE, /* set and used within a turn */
    CARRY_SUM,  /* only added to */
    CARRY_STATE /* anything else */
} CarryKind;

typedef struct Carried {
    uint32_t symbol;
    CarryKind kind;
    uint32_t stores, sums, loads; /* in the loop; of the stores, those that add */
    bool loaded_first;
} Carried;

/* The variables that a loop sets. */
typedef struct Carry {
    Carried variables[MAX_CARRIED];
    uint32_t count;
    bool overflows; /* there are more of them */
} Carry;

/* `body`: all that the loop is in. */
void find_carry(Draft *d, Node *loop, NodeList *body, Carry *carry);
bool carries_state(const Carry *carry);
/* How often a loop over a constant range runs; 0: it is no such loop. */
uint32_t constant_turns(const Draft *d, const Node *loop);
bool leaves_early(Node *loop); /* break, continue or return in it */
bool is_unrolled_by_warp(const Draft *d, Node *loop);
/* Statements that are carried out, loops over constants times their turns; others once. */
uint32_t unrolled_size(const Draft *d, const NodeList *list);

void outline_sums(Draft *d);  /* loops that add up become functions (outline_loop.c) */
void fix_counts(Draft *d);    /* what loops with a state count becomes a small constant */
void unroll_states(Draft *d); /* range(wp.static(20)) (unroll.c) */

#endif
