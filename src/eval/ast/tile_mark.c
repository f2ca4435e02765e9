/* Which kernels have tiles, and which of their statements and expressions may meet one.
 *
 * Types are dynamic here, so this is a guess on the safe side: names that a tile may be assigned to, and what is made of them. */
#include "eval/ast/tile.h"

#include <stdlib.h>
#include <string.h>

static const TileRow rows[] = {
#define TILE(name, function, makes_tile, alone, variant) {name, function, makes_tile, alone, variant},
#include "eval/ast/tile.def"
#undef TILE
};

static int compare_row(const void *name, const void *row)
{
    return strcmp(name, ((const TileRow *)row)->name);
}

const TileRow *tile_row(const char *name)
{
    return bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare_row);
}

typedef struct Marking {
    Evaluator *e;
    Plan *plan;
    bool changed;
} Marking;

static bool is_function_call(const Expr *x)
{
    return x->eval == eval_call_dynamic || (x->eval == eval_call_value && x->call->callee->kind == VALUE_FUNC);
}

static bool any_kid_yields(const Plan *plan, const Expr *x);

/* May its value be a tile? */
static bool yields_tile(const Plan *plan, const Expr *x)
{
    if (x->eval == eval_name)
        return plan->slots[x->slot].may_be_tile;
    if (x->eval == eval_tile_call)
        return x->call->tile->makes_tile;
    if (x->eval == eval_subscript)
        return yields_tile(plan, x->kids[0]);
    if (x->eval == eval_call_builtin && strcmp(x->call->name, "where") && strcmp(x->call->name, "copy"))
        return false;
    if (x->eval == eval_compare || x->eval == eval_and_or || x->eval == eval_attribute || x->eval == eval_slice)
        return false;
    return is_function_call(x) || any_kid_yields(plan, x);
}

static bool any_kid_yields(const Plan *plan, const Expr *x)
{
    for (uint32_t i = 0; i < x->count; i++)
        if (x->kids[i] && yields_tile(plan, x->kids[i]))
            return true;
    return false;
}

static bool mark_expr(Marking *m, Expr *x)
{
    if (!x)
        return false;
    bool meets = x->eval == eval_tile_call || is_function_call(x) || yields_tile(m->plan, x);
    for (uint32_t i = 0; i < x->count; i++)
        meets |= mark_expr(m, x->kids[i]);
    x->meets_tiles = meets;
    if (meets && !x->site)
        x->site = ARENA_NEW(m->e->arena, TileSite);
    return meets;
}

static void mark_slot(Marking *m, uint32_t slot, const Expr *value)
{
    if (m->plan->slots[slot].may_be_tile || !yields_tile(m->plan, value))
        return;
    m->plan->slots[slot].may_be_tile = true;
    m->changed = true;
}

static bool mark_block(Marking *m, Block *block)
{
    bool any = false;
    for (uint32_t i = 0; i < block->count; i++) {
        Stmt *stmt = &block->items[i];
        bool value = mark_expr(m, stmt->value), place = mark_expr(m, stmt->place);
        bool body = mark_block(m, &stmt->body), orelse = mark_block(m, &stmt->orelse);
        bool returns = stmt->kind == STMT_RETURN && m->plan->func; /* every lane has a result of its own */
        stmt->meets_tiles = value || place || body || orelse || returns;
        any |= stmt->meets_tiles;
        if (stmt->kind == STMT_NAME || stmt->kind == STMT_AUG_NAME)
            mark_slot(m, stmt->slot, stmt->value);
        for (uint32_t k = 0; stmt->kind == STMT_TUPLE && k < stmt->slot_count; k++)
            mark_slot(m, stmt->slots[k], stmt->value);
    }
    return any;
}

void tile_mark_plan(Evaluator *e, Plan *plan)
{
    Marking m = {.e = e, .plan = plan};
    for (uint32_t i = 0; plan->func && i < plan->code->param_count; i++) {
        const Type *type = plan->code->params[i].type;
        plan->slots[i].may_be_tile = !type || type->kind == TYPE_ANY || type->kind == TYPE_TILE;
    }
    do {
        m.changed = false;
        mark_block(&m, &plan->body);
    } while (m.changed);
}

/* ---- functions that a kernel may call ---- */

static void lower_called(Evaluator *e, const Expr *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < x->count; i++)
        lower_called(e, x->kids[i]);
    if (x->eval != eval_call_value || x->call->callee->kind != VALUE_FUNC)
        return;
    Func *func = x->call->callee->func, *head = func->head ? func->head : func;
    for (uint32_t i = 0; i < head->overloads.count; i++)
        plan_of(e, &head->overloads.items[i]->code, head->overloads.items[i]);
    for (uint32_t i = 0; i < head->templates.count; i++)
        plan_of(e, &head->templates.items[i]->code, head->templates.items[i]);
    if (!head->overloads.count && !head->templates.count)
        plan_of(e, &head->code, head);
}

static void lower_called_in(Evaluator *e, const Block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        lower_called(e, block->items[i].value);
        lower_called(e, block->items[i].place);
        lower_called_in(e, &block->items[i].body);
        lower_called_in(e, &block->items[i].orelse);
    }
}

/* All kernels of a file have the same answer. */
static bool mentions_tiles(Unit *unit, const Plan *plan)
{
    const Source *source = plan->code->scope && plan->code->scope->file ? plan->code->scope->file->source : NULL;
    if (!source || !source->text)
        return false;
    if (unit->tiles.source != source) {
        unit->tiles.source = source;
        unit->tiles.mentioned = memmem(source->text, source->len, "tile", 4);
    }
    return unit->tiles.mentioned;
}

void tile_prepare(Evaluator *e)
{
    enum { MOST = 1000 };
    uint32_t seen = 0;
    bool mentioned = mentions_tiles(e->unit, e->main);
    for (const Plan *newest = NULL; mentioned && !e->has_tiles && newest != e->plans && seen < MOST; seen++) {
        const Plan *until = newest;
        newest = e->plans;
        for (const Plan *plan = newest; plan != until; plan = plan->next)
            lower_called_in(e, &plan->body);
    }
    for (Plan *plan = e->plans; e->has_tiles && plan; plan = plan->next)
        tile_mark_plan(e, plan);
}
