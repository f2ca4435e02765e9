/* How many there are of everything, how many threads are launched, and the guard where those are more. */
#include "synth/meaning/draft.h"

#include <string.h>

Count *count_of(Draft *d, const Entity *entity, uint32_t number)
{
    for (uint32_t i = 0; i < d->count_count; i++)
        if (d->counts[i].entity == entity && d->counts[i].number == number)
            return &d->counts[i];
    if (d->count_count == MAX_COUNTS)
        give_up_draft(d, "more than %d kinds of things", MAX_COUNTS);
    d->counts[d->count_count] = (Count){.entity = entity, .number = number};
    return &d->counts[d->count_count++];
}

/* How many axes arrays have over an entity: three, for a grid of cells. */
static uint32_t axes_of(const Draft *d, const Entity *entity)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < d->item_count; i++)
        for (uint32_t k = 0; d->items[i].present && k < d->items[i].part.axis_count; k++)
            if (d->items[i].part.axes[k].entity == entity && d->items[i].part.axes[k].number >= axes)
                axes = d->items[i].part.axes[k].number + 1;
    return axes;
}

uint32_t count_symbol(Draft *d, const Entity *entity, uint32_t number)
{
    static const char *const grids[] = {"nx|height|rows|num_rows|dim_x|width|size_x",
                                        "ny|width|cols|num_cols|dim_y|height|size_y",
                                        "nz|depth|layers|num_layers|dim_z|depth|size_z"};
    uint32_t axes = axes_of(d, entity);
    uint32_t symbol =
        symbol_new(d, SYMBOL_COUNT, SCOPE_KERNEL, axes > 1 && number < 3 ? grids[number] : entity->counts);
    d->symbols[symbol].column = (d->salt >> 6) + 1; /* num_rows and num_cols, not rows and n_cols */
    return symbol;
}

static bool is_launched(const Draft *d, const Entity *entity)
{
    for (uint32_t i = 0; i < d->dims; i++)
        if (d->entities[i] == entity)
            return true;
    return false;
}

/* Is it one of the axes of a box of cells? A few of them along each axis make many. */
static bool is_of_box(const Draft *d, const Entity *entity)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Part *part = &d->items[i].part;
        uint32_t axes = 0;
        bool own = false;
        for (uint32_t k = 0; k < part->axis_count; k++) {
            axes += part->axes[k].entity != NULL;
            own |= part->axes[k].entity == entity;
        }
        if (own && axes > 2)
            return true;
    }
    return false;
}

static bool is_counted_in_tiles(const Draft *d, const Entity *entity)
{
    for (uint32_t i = 0; i < d->item_count; i++)
        for (uint32_t k = 0; k < d->items[i].part.axis_count; k++)
            if (d->items[i].part.axes[k].entity == entity && d->items[i].part.axes[k].tile)
                return true;
    return false;
}

/* Few blocks: each takes as long as many threads. The lanes of a block are no blocks. */
static uint32_t tiles_of(Draft *d, const Entity *entity, bool launched)
{
    if (strcmp(entity->id, "lane") == 0)
        return d->block_dim;
    if (!launched && !is_counted_in_tiles(d, entity))
        return (uint32_t)rng_between(&d->rng, 12, 32);
    return (uint32_t)rng_between(&d->rng, 2, launched && d->dims == 1 ? 4 : 3);
}

/* What loops run over is small, so that a launch takes no time. */
static uint32_t size_of(Draft *d, const Count *count)
{
    static const uint16_t wide[] = {64, 96, 100, 128, 128, 192, 256, 256, 300, 512, 1024};
    bool launched = is_launched(d, count->entity), looped = count->looped;
    if (d->scene->is_tiled)
        return tiles_of(d, count->entity, launched);
    if (count->entity == d->world) /* each has all of the data */
        return (uint32_t)rng_between(&d->rng, 2, d->dims == 2 ? 10 : 5);
    if (d->dims == 1 && launched && !looped)
        return wide[rng_below(&d->rng, sizeof wide / sizeof *wide)];
    if (d->dims == 4 && launched)
        return (uint32_t)rng_between(&d->rng, 3, 6);
    if (d->dims == 3 && launched)
        return (uint32_t)rng_between(&d->rng, 6, 14);
    if (d->dims == 2 && launched)
        return (uint32_t)rng_between(&d->rng, 10, 40);
    if (!launched && !looped && is_of_box(d, count->entity))
        return (uint32_t)rng_between(&d->rng, 14, 24);
    return (uint32_t)rng_between(&d->rng, looped ? 12 : 24, looped ? 40 : 96);
}

/* Loops over two kinds of things, mostly one inside the other, take long: fewer threads run them. */
static void limit_threads(Draft *d)
{
    enum { MOST_THREADS = 128 };
    uint32_t loops = 0;
    for (uint32_t i = 0; i < d->count_count; i++)
        loops += d->counts[i].looped && !is_launched(d, d->counts[i].entity);
    for (uint32_t i = 0; loops > 1 && i < d->count_count; i++)
        if (is_launched(d, d->counts[i].entity) && d->counts[i].value > MOST_THREADS)
            d->counts[i].value = MOST_THREADS;
}

void choose_sizes(Draft *d)
{
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Part *part = &d->items[i].part;
        for (uint32_t k = 0; k < part->axis_count; k++)
            if (part->axes[k].entity)
                count_of(d, part->axes[k].entity, part->axes[k].number);
        if (part->target)
            count_of(d, part->target, 0);
    }
    for (uint32_t i = 0; i < d->count_count; i++)
        d->counts[i].value = d->counts[i].turns ? d->counts[i].turns : size_of(d, &d->counts[i]);
    limit_threads(d);
    for (uint32_t i = 0; i < d->item_count; i++) { /* rows have a few entries each */
        const Part *part = &d->items[i].part;
        if (part->kind != PART_OFFSETS)
            continue;
        Count *rows = count_of(d, part->axes[0].entity, part->axes[0].number);
        rows->value = rows->value > 64 ? (uint32_t)rng_between(&d->rng, 24, 64) : rows->value;
        count_of(d, part->target, 0)->value = rows->value * (uint32_t)rng_between(&d->rng, 2, 4);
    }
}

static bool has_lanes(const Draft *d)
{
    return d->dims && strcmp(d->entities[d->dims - 1]->id, "lane") == 0;
}

/* More threads than there is work for: if i >= n: return */
void add_guard(Draft *d)
{
    if (!d->dims || d->dims > 2 || has_lanes(d) || !perhaps(d, d->habits.guards * (d->dims == 1 ? 0.3 : 0.2)))
        return;
    Node *tests[2];
    for (uint32_t i = 0; i < d->dims; i++) {
        uint32_t number = i && d->entities[0] == d->entities[i];
        Count *count = count_of(d, d->entities[i], number);
        if (!count->symbol)
            count->symbol = count_symbol(d, d->entities[i], number);
        tests[i] = draft_compare(d, OP_GT_E, draft_name(d, d->tid[i]), draft_name(d, count->symbol));
    }
    Node *guard = draft_new(d, NODE_IF);
    guard->if_stmt.test = tests[0];
    if (d->dims == 2) {
        guard->if_stmt.test = draft_new(d, NODE_BOOL_OP);
        guard->if_stmt.test->bool_op.op = OP_OR;
        draft_push(d, &guard->if_stmt.test->bool_op.values, tests[0]);
        draft_push(d, &guard->if_stmt.test->bool_op.values, tests[1]);
    }
    draft_push(d, &guard->if_stmt.body, draft_new(d, NODE_RETURN));
    NodeList one = {0};
    draft_push(d, &one, guard);
    uint32_t at = 0;
    while (at < d->body.count && !is_thread_statement(d->body.items[at]))
        at++;
    draft_insert(d, &d->body, at + 1, &one);
    d->padded = true;
}

void choose_launch(Draft *d)
{
    d->launch_dims = d->dims ? d->dims : 1;
    d->dim[0] = 1;
    for (uint32_t i = 0; i < d->dims; i++) {
        uint32_t number = 0;
        for (uint32_t k = 0; k < i; k++)
            number += d->entities[k] == d->entities[i];
        d->dim[i] = count_of(d, d->entities[i], number)->value;
        if (d->scene->is_tiled)
            d->dim[i] += d->padded;
        else if (d->padded) {
            uint32_t block = d->dims == 1 ? 32 : 8;
            d->dim[i] = (d->dim[i] / block + 1) * block;
        }
    }
    if (d->block_dim && !has_lanes(d))
        d->dim[d->launch_dims++] = d->block_dim;
}
