/* Tiles: their memory, elements, arguments, and subscripts. */
#include "eval/ast/tile.h"

#include <limits.h>
#include <string.h>

/* ---- memory ---- */

static void make_dense(Tile *tile)
{
    int64_t stride = 1;
    for (uint32_t i = tile->ndim; i-- > 0;) {
        tile->stride[i] = stride;
        stride *= tile->shape[i];
    }
}

Tile *new_tile(Evaluator *e, const Type *type, uint32_t ndim, const uint32_t *shape, uint32_t offset)
{
    Tile *tile = scratch(e, sizeof *tile);
    *tile = (Tile){.type = type_canonical(type), .ndim = ndim};
    uint64_t count = tile->width = cells_of_type(e, tile->type, offset);
    if (tile->type->kind == TYPE_STRUCT && struct_layout(e, tile->type, offset)->arrays)
        stop_unsupported(e, offset, "a tile of structs that hold arrays");
    for (uint32_t i = 0; i < ndim; i++) {
        tile->shape[i] = shape[i];
        count *= shape[i];
        if (count > TILE_MAX_CELLS)
            stop_unsupported(e, offset, "a tile of more than %d numbers", TILE_MAX_CELLS);
    }
    make_dense(tile);
    tile->cells = scratch(e, (size_t)count * sizeof *tile->cells);
    memset(tile->cells, 0, (size_t)count * sizeof *tile->cells);
    return tile;
}

Tile *keep_tile(Evaluator *e, TileSite *site, uint32_t part, const Tile *tile)
{
    for (; part; part--) {
        if (!site->next)
            site->next = ARENA_NEW(e->arena, TileSite);
        site = site->next;
    }
    size_t count = (size_t)tile_size(tile) * tile->width;
    if (site->cap < count || !site->cells) {
        site->cells = ARENA_ARRAY(e->arena, Dual, count + 1);
        site->cap = count;
    }
    memcpy(site->cells, tile->cells, count * sizeof *site->cells);
    site->tile = *tile;
    site->tile.cells = site->cells;
    return &site->tile;
}

void set_result(Evaluator *e, const Expr *x, const Tile *tile, Datum *out)
{
    set_tile(e, keep_tile(e, x->site, 0, tile), out);
}

void set_tile(Evaluator *e, Tile *tile, Datum *out)
{
    for (uint32_t i = 0; i < e->lane_count; i++)
        out[i] = (Datum){.kind = DATUM_TILE, .type = tile->type, .tile = tile};
}

void tile_slot_set(Evaluator *e, Slot *slot, Datum *datum)
{
    if (!slot->tile)
        slot->tile = ARENA_NEW(e->arena, Tile);
    *slot->tile = *datum->tile;
    datum->tile = slot->tile;
}

uint32_t tile_length(const Datum *datum)
{
    return datum->tile->shape[0];
}

const Tile *datum_tile(Evaluator *e, const Datum *datum, uint32_t offset)
{
    if (datum->kind != DATUM_TILE)
        stop_unsupported(e, offset, "a tile is expected here, not %s", datum_text(e, datum));
    return datum->tile;
}

bool same_shape(const Tile *a, const Tile *b)
{
    return a->ndim == b->ndim && !memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape);
}

/* ---- elements ---- */

void tile_coordinates(const Tile *tile, uint32_t n, int64_t *out)
{
    for (uint32_t i = tile->ndim; i-- > 0;) {
        out[i] = n % tile->shape[i];
        n /= tile->shape[i];
    }
}

Dual *tile_at(const Tile *tile, const int64_t *coordinates)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < tile->ndim; i++)
        at += coordinates[i] * tile->stride[i];
    return tile->cells + at * tile->width;
}

Dual *tile_element(const Tile *tile, uint32_t n)
{
    int64_t coordinates[4];
    tile_coordinates(tile, n, coordinates);
    return tile_at(tile, coordinates);
}

Datum element_datum(const Type *type, Dual *cells)
{
    return (Datum){.kind = type->kind == TYPE_STRUCT ? DATUM_STRUCT : DATUM_VALUE, .type = type, .cells = cells};
}

uint32_t scalar_types(const Type *type, const Type **out)
{
    type = type_canonical(type);
    uint32_t count = 0;
    for (; type->kind != TYPE_STRUCT && count < type_parts(type); count++)
        out[count] = type_scalar_of(type);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++)
        count += scalar_types(type->decl->fields[i].type, out + count);
    return count;
}

Tile *copy_tile(Evaluator *e, const Tile *from, uint32_t offset)
{
    Tile *tile = new_tile(e, from->type, from->ndim, from->shape, offset);
    for (uint32_t n = 0; n < tile_size(from); n++)
        memcpy(tile->cells + (size_t)n * tile->width, tile_element(from, n), tile->width * sizeof *tile->cells);
    return tile;
}

void store_value(Evaluator *e, const Datum *value, const Type *type, Dual *cells, uint32_t offset)
{
    Datum place = element_datum(type, cells);
    place.writable = true;
    store_place(e, &place, value, offset);
}

/* ---- arguments ---- */

_Noreturn void refuse_tile_call(const TileCall *call, const char *why)
{
    stop_unsupported(call->e, call->x->offset, "'%s': %s", call->x->call->name, why);
}

Datum *tile_arg(const TileCall *call, const char *name, uint32_t place)
{
    for (uint32_t i = call->positional; i < call->count; i++)
        if (!strcmp(call->x->call->keywords[i]->text, name))
            return call->args[i];
    return place < call->positional ? call->args[place] : NULL;
}

Datum *tile_need(const TileCall *call, const char *name, uint32_t place)
{
    Datum *found = tile_arg(call, name, place);
    if (!found)
        refuse_tile_call(call, arena_format(call->e->arena, "'%s' is missing", name));
    return found;
}

const Tile *tile_arg_tile(const TileCall *call, const char *name, uint32_t place)
{
    return datum_tile(call->e, &tile_need(call, name, place)[call->e->lane], call->x->offset);
}

/* One integer, or a tuple of them. */
uint32_t tile_arg_shape(const TileCall *call, const Datum *datum, int64_t *out, uint32_t most)
{
    if (datum->kind != DATUM_TUPLE) {
        out[0] = datum_int(call->e, datum, call->x->offset);
        return 1;
    }
    if (datum->count > most)
        refuse_tile_call(call, "there are too many dimensions");
    for (uint32_t i = 0; i < datum->count; i++) {
        Datum item = datum->items[i];
        load_datum(call->e, &item, call->x->offset);
        out[i] = datum_int(call->e, &item, call->x->offset);
    }
    return datum->count;
}

const Type *tile_arg_type(const TileCall *call, const Datum *datum)
{
    const Value *value = datum->kind == DATUM_STATIC ? datum->value : NULL;
    const Type *type = value && value->kind == VALUE_TYPE ? value->type : NULL;
    if (!type)
        refuse_tile_call(call, "its dtype is not known");
    return type_canonical(type);
}

bool tile_arg_truth(const TileCall *call, const char *name, uint32_t place, bool missing)
{
    const Datum *datum = tile_arg(call, name, place);
    return datum ? datum_truth(call->e, &datum[call->e->lane], call->x->offset) : missing;
}

/* ---- subscripts ---- */

static int64_t wrapped_index(Evaluator *e, const Datum *index, uint32_t length, uint32_t offset)
{
    int64_t i = datum_int(e, index, offset);
    if (i < -(int64_t)length || i >= (int64_t)length)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "index %lld of %u elements of a tile", (long long)i, length);
    return i < 0 ? i + length : i;
}

static int64_t wrapped_bound(int64_t bound, int64_t length, int64_t low, int64_t high)
{
    bound = bound < 0 ? bound + length : bound;
    return bound < low ? low : bound > high ? high : bound;
}

static void slice_axis(Evaluator *e, const Datum *slice, uint32_t length, uint32_t offset, int64_t *first,
                       uint32_t *count)
{
    int64_t step = slice->bounds[2], n = length;
    if (!step)
        stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "the step of a slice is zero");
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t start =
        slice->bounds[0] == INT32_MAX ? (step > 0 ? low : high) : wrapped_bound(slice->bounds[0], n, low, high);
    int64_t end =
        slice->bounds[1] == INT32_MIN ? (step > 0 ? high : low) : wrapped_bound(slice->bounds[1], n, low, high);
    int64_t span = step > 0 ? end - start : start - end, size = step > 0 ? step : -step;
    if (span <= 0)
        stop_unsupported(e, offset, "an empty slice of a tile");
    *first = start;
    *count = (uint32_t)((span + size - 1) / size);
}

/* The part that indices and slices of one lane name; with all dimensions named by indices, one element (ndim 0). */
static void select_view(Evaluator *e, const Expr *x, const Tile *from, Datum **indices, uint32_t count, Tile *out)
{
    const Tile tile = *from;
    *out = tile;
    out->ndim = 0;
    int64_t at = 0;
    for (uint32_t i = 0; i < tile.ndim; i++) {
        const Datum *index = i < count ? &indices[i][e->lane] : NULL;
        if (index && index->kind == DATUM_VALUE) {
            at += wrapped_index(e, index, tile.shape[i], x->offset) * tile.stride[i];
            continue;
        }
        uint32_t k = out->ndim++;
        out->shape[k] = tile.shape[i];
        out->stride[k] = tile.stride[i];
        if (!index)
            continue;
        if (index->kind != DATUM_SLICE)
            stop_unsupported(e, x->offset, "%s as an index of a tile", datum_text(e, index));
        int64_t first;
        slice_axis(e, index, tile.shape[i], x->offset, &first, &out->shape[k]);
        at += first * tile.stride[i];
        out->stride[k] *= index->bounds[2];
    }
    out->cells = tile.cells + at * tile.width;
}

/* `t[idx]`, `t[:, idx]`: a copy of what a tile of indices names. */
static Tile *gather_axis(Evaluator *e, const Expr *x, const Tile *from, const Tile *index, uint32_t axis, uint32_t part)
{
    uint32_t shape[4];
    const Tile tile = *from, picks = *index;
    memcpy(shape, tile.shape, sizeof shape);
    if (picks.ndim != 1 || picks.width != 1 || is_float_kind(picks.type->kind))
        stop_unsupported(e, x->offset, "this tile as an index");
    shape[axis] = picks.shape[0];
    Tile *out = new_tile(e, tile.type, tile.ndim, shape, x->offset);
    for (uint32_t n = 0; n < tile_size(out); n++) {
        int64_t c[4];
        tile_coordinates(out, n, c);
        Datum pick = element_datum(picks.type, tile_element(&picks, (uint32_t)c[axis]));
        c[axis] = wrapped_index(e, &pick, tile.shape[axis], x->offset);
        memcpy(tile_element(out, n), tile_at(&tile, c), tile.width * sizeof(Dual));
    }
    return keep_tile(e, x->site, part, out);
}

/* Components of an element that further indices name. */
static void narrow_element(Evaluator *e, const Expr *x, Datum *element, Datum **indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = element->type;
        if (!type_is_composite(type))
            stop_unsupported(e, x->offset, "too many indices of a tile");
        bool matrix = type->kind == TYPE_MAT;
        uint32_t rows = matrix ? type->composite.rows : type->composite.rows * type->composite.cols;
        uint32_t cols = matrix ? type->composite.cols : 1;
        int64_t at = wrapped_index(e, &indices[i][e->lane], rows, x->offset);
        element->cells += at * cols;
        element->type = matrix ? type_vec(e->unit->types, cols, type->composite.dtype) : type->composite.dtype;
    }
}

/* One bracket after the other. True: what is left is an element, its components named by `*rest` further indices. */
static bool walk_brackets(Evaluator *e, const Expr *x, Datum **parts, Tile *tile, Datum **element_indices,
                          uint32_t *rest)
{
    uint32_t total = x->count - 1, next = 0, gathered = 0;
    *rest = 0;
    bool element = false;
    for (uint32_t b = 0; next < total; b++) {
        uint32_t count = x->brackets ? x->brackets[b] : total, axis = 0;
        Datum **indices = parts + 1 + next;
        next += count;
        if (element) {
            for (uint32_t i = 0; i < count; i++)
                element_indices[(*rest)++] = indices[i];
            continue;
        }
        while (axis < count && indices[axis][e->lane].kind != DATUM_TILE)
            axis++;
        if (axis < count) {
            if (axis >= tile->ndim)
                stop_unsupported(e, x->offset, "too many indices of a tile");
            *tile = *gather_axis(e, x, tile, indices[axis][e->lane].tile, axis, gathered++);
            continue;
        }
        uint32_t used = count < tile->ndim ? count : tile->ndim;
        for (uint32_t i = used; i < count; i++)
            element_indices[(*rest)++] = indices[i];
        select_view(e, x, tile, indices, used, tile);
        element = tile->ndim == 0;
        if (*rest && !element)
            stop_unsupported(e, x->offset, "too many indices of a tile");
    }
    return element;
}

void tile_subscript(Evaluator *e, const Expr *x, const LaneSet *set, Datum **parts, Datum *out)
{
    Datum *further[16];
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t lane = set->lanes[i], rest;
        enter_lane(e, lane);
        Tile *tile = scratch(e, sizeof *tile);
        *tile = *datum_tile(e, &parts[0][lane], x->offset);
        if (!walk_brackets(e, x, parts, tile, further, &rest)) {
            need_all_lanes(e, set, x->offset);
            set_tile(e, tile, out);
            return;
        }
        Datum element = element_datum(tile->type, tile->cells);
        narrow_element(e, x, &element, further, rest);
        element.writable = true; /* copied, below */
        detach_datum(e, &element, x->offset);
        out[lane] = element;
    }
}

static void store_view(Evaluator *e, const Expr *x, const Tile *to, const Datum *value, const OpKind *op)
{
    const Tile *from = datum_tile(e, &value[0], x->offset);
    if (op || !same_shape(from, to) || from->width != to->width)
        stop_unsupported(e, x->offset, "this assignment to a part of a tile");
    const Tile *copy = copy_tile(e, from, x->offset);
    for (uint32_t n = 0; n < tile_size(to); n++)
        memcpy(tile_element(to, n), tile_element(copy, n), to->width * sizeof(Dual));
}

static bool adds_up(OpKind op)
{
    return op == OP_ADD || op == OP_SUB || op == OP_BIT_AND || op == OP_BIT_OR || op == OP_BIT_XOR;
}

void tile_subscript_store(Evaluator *e, const Expr *x, const LaneSet *set, Datum **parts, const Datum *value,
                          const OpKind *op, uint32_t offset)
{
    Datum *further[16], *results = scratch(e, e->lane_count * sizeof *results);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < set->count; i++) {
            uint32_t lane = set->lanes[i], rest;
            enter_lane(e, lane);
            Tile tile = *datum_tile(e, &parts[0][lane], x->offset);
            if (!walk_brackets(e, x, parts, &tile, further, &rest)) {
                store_view(e, x, &tile, value, op);
                return;
            }
            Datum element = element_datum(tile.type, tile.cells);
            narrow_element(e, x, &element, further, rest);
            /* *= and /= read, then write; += and its kin are atomic: every lane's counts */
            bool at_once = op && adds_up(*op);
            if (pass == 0 && !at_once) {
                results[lane] = value[lane];
                if (op)
                    combine_elements(e, x, *op, &element, &value[lane], &results[lane]);
                continue;
            }
            if (pass == 1 && at_once)
                continue;
            if (at_once)
                combine_elements(e, x, *op, &element, &value[lane], &results[lane]);
            store_value(e, &results[lane], element.type, element.cells, offset);
        }
}

void tile_extract(TileCall *call)
{
    Evaluator *e = call->e;
    Tile tile = *tile_arg_tile(call, "a", 0);
    uint32_t count = call->count - 1, used = tile.ndim;
    if (count < used)
        refuse_tile_call(call, "there are too few indices");
    select_view(e, call->x, &tile, call->args + 1, used, &tile);
    Datum element = element_datum(tile.type, tile.cells);
    narrow_element(e, call->x, &element, call->args + 1 + used, count - used);
    element.writable = true;
    detach_datum(e, &element, call->x->offset);
    call->out[e->lane] = element;
}
