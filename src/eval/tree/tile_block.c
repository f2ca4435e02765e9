/* The lanes of a block, each on a machine of its own, which wait for each other at tile operations. */
#include "eval/tree/tile.h"

#include <string.h>

void tree_block_fail(TreeBlock *b, const TileCall *call, FindingKind kind, const char *message)
{
    tree_fail(&b->lanes[0].m, call->op, kind, message);
}

/* Only lanes that run by themselves come here; the others stop before it. */
void tree_tile_gate(Machine *m, const Op *op)
{
    const TileCall *call = op->detail;
    if (!call->alone) {
        tree_fail(m, op, FINDING_UNSUPPORTED, "a tile operation in a function that is applied to elements");
        return;
    }
    TreeBlock alone = {.lanes = &m->block->lanes[m->lane], .count = 1};
    call->run(&alone, call);
}

static bool is_gate(const Op *op)
{
    return op->run == tree_tile_gate && !((const TileCall *)op->detail)->alone;
}

static void enter_function(Lane *lane, const Op *op)
{
    Machine *m = &lane->m;
    if (lane->depth == sizeof lane->calls / sizeof *lane->calls) {
        tree_fail(m, op, FINDING_UNSUPPORTED, "functions call each other too deeply");
        return;
    }
    lane->calls[lane->depth].frame = m->frame;
    lane->calls[lane->depth].top = m->top;
    lane->calls[lane->depth++].next = m->next;
    const TreeCode *code = tree_enter_call(m, op);
    m->frame = m->top;
    m->top = m->frame + code->cells;
    m->next = code->ops;
}

/* Until it waits, or has come to its end. */
static void run_lane(Lane *lane)
{
    Machine *m = &lane->m;
    lane->waiting = NULL;
    for (;;) {
        if (m->finding->kind != FINDING_NONE)
            return;
        if (!m->next) {
            if (!lane->depth) {
                lane->done = true;
                return;
            }
            lane->depth--;
            m->frame = lane->calls[lane->depth].frame;
            m->top = lane->calls[lane->depth].top;
            m->next = lane->calls[lane->depth].next;
            continue;
        }
        const Op *op = m->next;
        if (is_gate(op)) {
            lane->waiting = op;
            return;
        }
        m->next = op + 1;
        if (m->steps-- == 0) {
            m->steps = 0;
            tree_fail(m, op, FINDING_TOO_MANY_STEPS, "the launch takes too many steps");
            return;
        }
        if (op->run == tree_op_call)
            enter_function(lane, op);
        else
            op->run(m, op);
    }
}

/* True: all lanes are at the same operation. */
static bool lanes_meet(TreeBlock *b)
{
    Lane *first = &b->lanes[0];
    Lane *waiting = NULL;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->lanes[i].waiting)
            waiting = &b->lanes[i];
    if (!waiting)
        return false;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->lanes[i].waiting != waiting->waiting || b->lanes[i].depth != first->depth) {
            tree_fail(&waiting->m, waiting->waiting, FINDING_NOT_UNIFORM,
                      "not all lanes of the block come to this tile operation: it waits for all of them");
            return false;
        }
    return true;
}

void tree_run_block(TreeBlock *b)
{
    Machine *m = &b->lanes[0].m;
    for (;;) {
        uint64_t steps = m->steps;
        for (uint32_t i = 0; i < b->count; i++) {
            b->lanes[i].m.steps = steps;
            if (!b->lanes[i].done)
                run_lane(&b->lanes[i]);
            steps = b->lanes[i].m.steps;
            if (m->finding->kind != FINDING_NONE)
                return;
        }
        m->steps = steps;
        if (!lanes_meet(b))
            return;
        const TileCall *call = b->lanes[0].waiting->detail;
        for (uint32_t i = 0; i < b->count; i++)
            b->lanes[i].m.next = b->lanes[i].waiting + 1;
        uint64_t cost = 1;
        for (uint32_t i = 0; i < call->op->arg_count; i++)
            cost += call->args[i].size;
        m->steps = m->steps > cost ? m->steps - cost : 0;
        if (!m->steps) {
            tree_block_fail(b, call, FINDING_TOO_MANY_STEPS, "the launch takes too many steps");
            return;
        }
        call->run(b, call);
        if (m->finding->kind != FINDING_NONE)
            return;
    }
}

TreeBlock *tree_new_block(Arena *arena, uint32_t lanes)
{
    TreeBlock *b = ARENA_NEW(arena, TreeBlock);
    b->lanes = ARENA_ARRAY(arena, Lane, lanes);
    b->count = lanes;
    b->arena = arena;
    return b;
}

void tree_begin_lane(TreeBlock *b, uint32_t number, const Machine *m, const TreeCode *code, Cell *stack)
{
    Lane *lane = &b->lanes[number];
    *lane = (Lane){.m = *m};
    lane->m.block = b;
    lane->m.lane = number;
    lane->m.frame = stack;
    lane->m.top = stack + code->cells;
    lane->m.next = code->ops;
    lane->m.journal = NULL;
    tree_begin_frame(code, stack);
}

uint64_t tree_block_steps(const TreeBlock *b)
{
    return b->lanes[0].m.steps;
}
