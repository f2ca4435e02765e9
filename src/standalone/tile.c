/* Tiles: their memory, loops over their elements, and the elements in them. */
#include "standalone/tile.h"

#include <string.h>

enum { MAX_ELEMENTS = 1 << 16 };

uint32_t tile_count(const Tile *tile)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < tile->ndim; i++)
        count *= tile->shape[i];
    return count;
}

Tile *make_tile(Translator *t, const Type *dtype, uint32_t ndim, const uint32_t *shape, CellMaker *make, const Node *at)
{
    Tile *tile = ARENA_NEW(t->arena, Tile);
    uint64_t count = 1;
    REFUSE_IF(t, at, ndim > TILE_DIMS, "a tile of more than four dimensions");
    tile->dtype = strip(dtype);
    tile->ndim = ndim;
    for (uint32_t i = 0; i < ndim; i++)
        count *= tile->shape[i] = shape[i];
    REFUSE_IF(t, at, count > MAX_ELEMENTS, "a tile of so many elements");
    for (uint32_t i = ndim; i-- > 0;)
        tile->strides[i] = i + 1 < ndim ? tile->strides[i + 1] * (int32_t)shape[i + 1] : 1;
    tile->make = make;
    tile->at = at;
    c_type(t, tile->dtype); /* it may have to be declared */
    return tile;
}

Var *new_tile_var(Translator *t, Name name, const char *stem, const Type *dtype, uint32_t ndim, const uint32_t *shape)
{
    Tile *tile = make_tile(t, dtype, ndim, shape, NULL, NULL);
    Type *type = ARENA_NEW(t->arena, Type);
    type->kind = TYPE_TILE;
    type->tile = ARENA_NEW(t->arena, TileType);
    type->tile->dtype = tile->dtype;
    type->tile->ndim = ndim;
    memcpy(type->tile->shape, tile->shape, sizeof tile->shape);
    Var *var = new_var(t, name, type, stem);
    var->tile = tile;
    return tile->var = var;
}

/* ---- integers ---- */

static Term *integer_op(Translator *t, const char *name, Term *a, Term *b)
{
    return op_term(t, name, (Term *[]){a, b}, 2, type_scalar(TYPE_INT32), NULL);
}

Term *sum_term(Translator *t, Term *a, Term *b)
{
    if (!a || !b || (a->has_number && !a->number) || (b->has_number && !b->number))
        return a && (!b || !a->has_number || a->number) ? a : b;
    if (a->has_number && b->has_number && !a->constant && !b->constant)
        return int_term(t, a->number + b->number);
    if (b->has_number && b->number < 0 && !b->constant)
        return integer_op(t, "sub", a, int_term(t, -b->number));
    return integer_op(t, "add", a, b);
}

Term *times_term(Translator *t, Term *a, int64_t by)
{
    if (!a || by == 1)
        return a;
    if (by == 0)
        return NULL;
    if (a->has_number && !a->constant)
        return int_term(t, a->number * by);
    return by == -1 ? op_term(t, "neg", &a, 1, a->type, NULL) : integer_op(t, "mul", a, int_term(t, by));
}

Term *lane_term(Translator *t)
{
    Term *lane = literal_term(t, type_scalar(TYPE_INT32), "threadIdx.x");
    lane->is_lane = true;
    return lane;
}

/* ---- loops ---- */

static bool sets_name(const Block *block, const char *text)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const Term *place = block->items[i]->place;
        if (place && place->kind == TERM_VAR && strcmp(place->var->text, text) == 0)
            return true;
    }
    return false;
}

/* Bodies have their own scopes: the same name may be used in each. */
static Var *scoped_var(Translator *t, const char *stem)
{
    Var *var = new_var(t, NULL, type_scalar(TYPE_INT32), stem);
    for (uint32_t i = 0; i < t->scoped.count; i++)
        if (strcmp(t->scoped.items[i]->name->text, stem) == 0 && !sets_name(t->block, t->scoped.items[i]->text)) {
            var->text = t->scoped.items[i]->text;
            var->label.text = var->text;
            return var;
        }
    Var *first = ARENA_NEW(t->arena, Var);
    *first = *var;
    first->name = name_of(t->unit->names, stem, strlen(stem));
    ARENA_PUSH(t->arena, t->scoped.items, t->scoped.count, t->scoped.cap) = first;
    return var;
}

Term *scoped(Translator *t, const char *stem, Term *value)
{
    Term *place = var_term(t, scoped_var(t, stem));
    set_to(t, place, value);
    return place;
}

Step *begin_each(Translator *t, const Tile *like, Spot *spot)
{
    Term *count = int_term(t, tile_count(like));
    Step *each = new_step(t, STEP_EACH, &count, 1);
    Var *element = scoped_var(t, "e");
    element->is_loop_var = true;
    add_set(t, each, element);
    *spot = (Spot){.flat = var_term(t, element), .ndim = like->ndim};
    memcpy(spot->shape, like->shape, sizeof spot->shape);
    t->block = &each->body;
    t->in_each++;
    return each;
}

/* ---- whose elements are they? ---- */

typedef struct CellSearch {
    Var *var;
    Term *flat;
    uint32_t count, others; /* of these, not at the number of the loop itself */
    bool disown;
} CellSearch;

static void search_term(Term *term, CellSearch *search)
{
    if (term->kind == TERM_CELL && term->args[0]->var == search->var) {
        search->count++;
        search->others += term->args[1] != search->flat;
        term->is_own = term->is_own && !search->disown;
    }
    for (uint32_t i = 0; i < term->count; i++)
        search_term(term->args[i], search);
}

static void search_block(Block *block, CellSearch *search)
{
    for (uint32_t i = 0; i < block->count; i++) {
        Step *step = block->items[i];
        for (uint32_t k = 0; k < step->count; k++)
            search_term(step->values[k], search);
        if (step->place)
            search_term(step->place, search);
        search_block(&step->body, search);
        search_block(&step->orelse, search);
    }
}

/* Elements that a loop meets in two ways may meet in two threads. */
static void settle_owners(Translator *t, Step *each)
{
    for (uint32_t i = 0; i < t->current->vars.count; i++) {
        CellSearch search = {t->current->vars.items[i], var_term(t, each->sets.items[0]), 0, 0, false};
        if (!search.var->tile)
            continue;
        search_block(&each->body, &search);
        search.disown = search.others && search.count > 1;
        if (search.disown)
            search_block(&each->body, &search);
    }
}

void end_each(Translator *t, Step *each, Block *outer)
{
    t->in_each--;
    t->block = outer;
    settle_owners(t, each);
}

/* ---- elements ---- */

Term *spot_index(Translator *t, Spot *spot, uint32_t dim)
{
    static const char *const names[] = {"i0", "i1", "i2", "i3"}, *const pair[] = {"row", "column"};
    uint32_t inner = 1;
    if (spot->index[dim])
        return spot->index[dim];
    for (uint32_t i = dim + 1; i < spot->ndim; i++)
        inner *= spot->shape[i];
    Term *index = spot->flat;
    uint32_t outer = 1;
    for (uint32_t i = 0; i < dim; i++)
        outer *= spot->shape[i];
    if (spot->shape[dim] == 1)
        return spot->index[dim] = int_term(t, 0);
    if (inner > 1)
        index = integer_op(t, "div", index, int_term(t, inner));
    if (outer > 1)
        index = integer_op(t, "mod", index, int_term(t, spot->shape[dim]));
    if (index != spot->flat)
        index = scoped(t, spot->ndim == 2 ? pair[dim] : names[dim], index);
    return spot->index[dim] = index;
}

bool is_dense(const Tile *tile)
{
    int32_t stride = 1;
    for (uint32_t i = tile->ndim; i-- > 0;) {
        if (tile->shape[i] > 1 && tile->strides[i] != stride)
            return false;
        stride *= (int32_t)tile->shape[i];
    }
    return tile->var;
}

static bool is_injective(const Tile *tile)
{
    for (uint32_t i = 0; i < tile->ndim; i++)
        if (tile->shape[i] > 1 && !tile->strides[i])
            return false;
    return true;
}

static Term *new_cell(Translator *t, const Tile *tile, Term *number, bool is_own)
{
    Term *args[] = {var_term(t, tile->var), number ? number : int_term(t, 0)};
    Term *cell = new_term(t, TERM_CELL, tile->dtype, args, 2);
    cell->is_own = is_own && t->in_each;
    tile->var->is_peeked |= !t->in_each;
    return cell;
}

Term *cell_term(Translator *t, const Tile *tile, Term *const *indices)
{
    Term *number = tile->base;
    for (uint32_t i = 0; i < tile->ndim; i++)
        if (tile->shape[i] > 1 || !indices[i]->has_number)
            number = sum_term(t, number, times_term(t, indices[i], tile->strides[i]));
    return new_cell(t, tile, number, false);
}

Term *cell_at(Translator *t, const Tile *tile, Spot *spot)
{
    if (!tile->var)
        return tile->make(t, tile, spot);
    if (is_dense(tile))
        return new_cell(t, tile, sum_term(t, tile->base, spot->flat), true);
    Term *number = tile->base;
    for (uint32_t i = 0; i < tile->ndim; i++)
        if (tile->shape[i] > 1 && tile->strides[i])
            number = sum_term(t, number, times_term(t, spot_index(t, spot, i), tile->strides[i]));
    return new_cell(t, tile, number, is_injective(tile));
}

/* ---- waiting ---- */

void sync_before(Translator *t, Var *tile)
{
    new_step(t, STEP_SYNC, NULL, 0)->tile = tile;
}

void sync_behind(Translator *t)
{
    new_step(t, STEP_SYNC, NULL, 0);
}

Block *begin_one(Translator *t)
{
    Block *outer = t->block;
    Term *is_first = literal_term(t, type_scalar(TYPE_BOOL), "threadIdx.x == 0");
    is_first->is_lane = true;
    is_first->printed.tight = TIGHT_EQUAL;
    t->block = &new_step(t, STEP_IF, &is_first, 1)->body;
    return outer;
}

void end_one(Translator *t, Block *outer)
{
    t->block = outer;
    sync_behind(t);
}

/* ---- filling ---- */

static bool reads(const Tile *tile, const Var *var)
{
    if (tile->var == var || (tile->indices && reads(tile->indices, var)))
        return true;
    for (uint32_t i = 0; i < tile->count; i++)
        if (tile->args[i].tile && reads(tile->args[i].tile, var))
            return true;
    return false;
}

/* Does it read elements of the variable that are not those of the target at the same place? */
static bool reads_others(const Tile *tile, const Tile *target)
{
    if (tile->var == target->var)
        return tile->base != target->base || tile->ndim != target->ndim ||
               memcmp(tile->shape, target->shape, sizeof tile->shape) != 0 ||
               memcmp(tile->strides, target->strides, sizeof tile->strides) != 0;
    if (tile->indices && reads(tile->indices, target->var))
        return true;
    for (uint32_t i = 0; i < tile->count; i++)
        if (tile->args[i].tile && reads_others(tile->args[i].tile, target))
            return true;
    return false;
}

Tile *copy_of(Translator *t, Tile *tile, const char *stem)
{
    Tile *copy = new_tile_var(t, NULL, stem, tile->dtype, tile->ndim, tile->shape)->tile;
    fill_tile(t, copy, tile);
    return copy;
}

Tile *in_memory(Translator *t, Tile *tile, const char *stem)
{
    return tile->var ? tile : copy_of(t, tile, stem);
}

Tile *as_dense(Translator *t, Tile *tile, const char *stem)
{
    return is_dense(tile) && !tile->base ? tile : copy_of(t, tile, stem);
}

void fill_tile(Translator *t, Tile *target, Tile *source)
{
    if (reads_others(source, target))
        source = copy_of(t, source, "copy");
    Block *outer = t->block;
    Spot spot;
    sync_before(t, target->var);
    Step *each = begin_each(t, target, &spot);
    Term *value = cell_at(t, source, &spot);
    set_to(t, cell_at(t, target, &spot), value);
    end_each(t, each, outer);
    if (tile_count(target) == tile_count(target->var->tile) && !reads(source, target->var))
        each->tile = target->var;
    target->var->stores++;
}
