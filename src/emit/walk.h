/* Private to the emitter: statements. */
#ifndef WEFT_EMIT_WALK_H
#define WEFT_EMIT_WALK_H

#include "emit/spell.h"

typedef struct Walk {
    Text *out;
    uint32_t margin;   /* spaces before every line */
    const char *leave; /* the word that ends a function or a thread's work */
    EmitMarks *marks;  /* NULL: nobody asks which line is of which statement */
    Arena *arena;      /* of the marks */
    bool splits_lines; /* a line was written that has line ends in it */
} Walk;

static inline void mark_statement(Walk *walk, uint32_t source)
{
    EmitMarks *marks = walk->marks;
    if (marks && !(marks->count && marks->items[marks->count - 1].source == source))
        ARENA_PUSH(walk->arena, marks->items, marks->count, marks->cap) = (EmitMark){source, walk->out->len};
}

static inline Text *begin_line(Walk *walk, uint32_t depth)
{
    put_margin(walk->out, walk->margin + 4 * (size_t)depth);
    return walk->out;
}

static inline void end_line(Walk *walk)
{
    text_lit(walk->out, ";\n");
}

static inline void put_vars(Text *out, IrVar *const *vars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_lit(out, ", ");
        put_var(out, vars[i]);
    }
}

/* ---- calls (call.c) ---- */
/* The address of the part that the origin leads to. `view`: the label of the first view that has a name. */
void put_pointer(Text *out, const IrPath *origin, bool adjoint, const uint32_t *view);
void put_operand(Text *out, const IrOperand *operand);
void put_call(Walk *walk, const IrCall *call, uint32_t depth, bool replay);
void put_reverse_call(Walk *walk, const IrCall *call, uint32_t depth);
void put_adjoint_call(Walk *walk, const IrCall *call, uint32_t depth);
void put_make_tuple(Walk *walk, const IrCall *call, uint32_t depth);

/* ---- slots by reference (slot.c) ---- */
void put_slot_address(Walk *walk, const IrNode *node, uint32_t depth);
void put_slot_update(Walk *walk, const IrNode *node, uint32_t depth);
void put_reverse_slot_update(Walk *walk, const IrNode *node, uint32_t depth);

/* ---- the walks (walk.c) ---- */
/* One node of a region. */
void put_forward_node(Walk *walk, const IrNode *node, uint32_t depth);
void put_replay_node(Walk *walk, const IrNode *node, uint32_t depth);
bool replays_alike(const IrNode *node); /* its replay text is its forward text */

void walk_forward(Walk *walk, const IrRegion *region, uint32_t depth);
void walk_replay(Walk *walk, const IrRegion *region, uint32_t depth);
void walk_reverse(Walk *walk, const IrRegion *region, uint32_t depth);

#endif
