/* Tiles: operators, maps, reductions, scans, sorting. */
#include "eval/ast/tile.h"

#include <string.h>

/* ---- elements ---- */

/* Fields that are neither floats nor integers of 32 or 64 bits stay as they are. */
static bool is_summed(TypeKind kind)
{
    return is_float_kind(kind) || (kind != TYPE_BOOL && bits_of_kind(kind) >= 32);
}

static void combine_structs(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b, Datum *out)
{
    uint32_t width = cells_of_type(e, a->type, x->offset);
    const Type **scalars = scratch(e, width * sizeof *scalars);
    scalar_types(a->type, scalars);
    Dual *cells = new_datum(e, a->type, width, out);
    for (uint32_t i = 0; i < width; i++) {
        Math m = math_for(e, scalars[i], x->offset);
        cells[i] = a->cells[i];
        if (is_summed(scalars[i]->kind))
            cells[i] =
                op == OP_ADD ? number_add(&m, a->cells[i], b->cells[i]) : number_sub(&m, a->cells[i], b->cells[i]);
    }
}

void combine_elements(Evaluator *e, const Expr *x, OpKind op, const Datum *a, const Datum *b, Datum *out)
{
    bool structs = a->kind == DATUM_STRUCT && b->kind == DATUM_STRUCT && a->type == b->type;
    if (structs && (op == OP_ADD || op == OP_SUB))
        combine_structs(e, x, op, a, b, out);
    else
        binary_builtin(e, x, op, a, b, out);
}

/* Element n of a tile, or what the lane that it belongs to has instead. */
static Datum operand(Evaluator *e, const Datum *data, uint32_t n)
{
    const Datum *datum = &data[n % e->lane_count];
    return datum->kind == DATUM_TILE ? element_datum(datum->tile->type, tile_element(datum->tile, n)) : *datum;
}

typedef void ElementFn(Evaluator *e, const Expr *x, const void *how, Datum *args, uint32_t count, Datum *out);

/* A tile of what a function makes of the elements of others. */
static Tile *map_elements(Evaluator *e, const Expr *x, Datum *const *data, uint32_t count, ElementFn *function,
                          const void *how)
{
    const Tile *shape = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (data[i][0].kind != DATUM_TILE)
            continue;
        if (shape && !same_shape(shape, data[i][0].tile))
            stop_unsupported(e, x->offset, "tiles of different shapes");
        shape = data[i][0].tile;
    }
    Tile *tile = NULL;
    for (uint32_t n = 0; n < tile_size(shape); n++) {
        ScratchMark mark = scratch_mark(e);
        Datum args[TILE_MAX_ARGS], out = {0};
        for (uint32_t i = 0; i < count; i++)
            args[i] = operand(e, data[i], n);
        enter_lane(e, n % e->lane_count);
        function(e, x, how, args, count, &out);
        load_datum(e, &out, x->offset);
        if (out.kind != DATUM_VALUE && out.kind != DATUM_STRUCT)
            stop_unsupported(e, x->offset, "a tile of %s", datum_text(e, &out));
        if (!tile) {
            tile = new_tile(e, out.type, shape->ndim, shape->shape, x->offset);
            mark = scratch_mark(e);
        }
        memcpy(tile->cells + (size_t)n * tile->width, out.cells, tile->width * sizeof(Dual));
        scratch_release(e, mark);
    }
    return tile;
}

static void apply_binary(Evaluator *e, const Expr *x, const void *how, Datum *args, uint32_t count, Datum *out)
{
    (void)count;
    combine_elements(e, x, *(const OpKind *)how, &args[0], &args[1], out);
}

void tile_binary(Evaluator *e, const Expr *x, OpKind op, const Datum *left, const Datum *right, Datum *out)
{
    Datum *data[2] = {scratch(e, e->lane_count * sizeof **data), scratch(e, e->lane_count * sizeof **data)};
    memcpy(data[0], left, e->lane_count * sizeof *left);
    memcpy(data[1], right, e->lane_count * sizeof *right);
    set_result(e, x, map_elements(e, x, data, 2, apply_binary, &op), out);
}

void tile_negate(Evaluator *e, const Expr *x, const Tile *a, Datum *out)
{
    Tile *tile = copy_tile(e, a, x->offset);
    const Type **scalars = scratch(e, tile->width * sizeof *scalars);
    scalar_types(tile->type, scalars);
    for (size_t i = 0; i < (size_t)tile_size(tile) * tile->width; i++) {
        Math m = math_for(e, scalars[i % tile->width], x->offset);
        if (is_summed(m.kind) || !m.is_int || tile->type->kind != TYPE_STRUCT)
            tile->cells[i] = number_neg(&m, tile->cells[i]);
    }
    set_result(e, x, tile, out);
}

void tile_in_place(Evaluator *e, const Expr *x, OpKind op, const Tile *a, const Datum *b)
{
    Datum *data[2] = {scratch(e, e->lane_count * sizeof **data), scratch(e, e->lane_count * sizeof **data)};
    const Tile to = *a;
    Tile *described = scratch(e, sizeof *described);
    *described = to;
    set_tile(e, described, data[0]);
    memcpy(data[1], b, e->lane_count * sizeof *b);
    const Tile *result = map_elements(e, x, data, 2, apply_binary, &op);
    if (result->width != to.width)
        stop_unsupported(e, x->offset, "an operation in place that changes the type of a tile");
    for (uint32_t n = 0; n < tile_size(&to); n++)
        memcpy(tile_element(&to, n), tile_element(result, n), to.width * sizeof(Dual));
}

/* Of a tile, or (t, i…, value) of one element. */
void tile_inplace(TileCall *call)
{
    if (call->count != 2)
        refuse_tile_call(call, "of an element");
    tile_in_place(call->e, call->x, (OpKind)call->variant, tile_arg_tile(call, "a", 0), tile_need(call, "b", 1));
}

void tile_axpy(TileCall *call)
{
    Evaluator *e = call->e;
    Datum *data[2] = {tile_need(call, "alpha", 0), tile_need(call, "src", 1)};
    OpKind op = OP_MULT;
    Datum *scaled = scratch(e, e->lane_count * sizeof *scaled);
    set_tile(e, map_elements(e, call->x, data, 2, apply_binary, &op), scaled);
    tile_in_place(e, call->x, OP_ADD, tile_arg_tile(call, "dest", 2), scaled);
}

/* ---- maps ---- */

static const Value *function_argument(const TileCall *call, const Datum *datum)
{
    bool callable =
        datum->kind == DATUM_STATIC && (datum->value->kind == VALUE_FUNC || datum->value->kind == VALUE_BUILTIN);
    if (!callable)
        refuse_tile_call(call, "its function is not known");
    return datum->value;
}

static void apply_function(Evaluator *e, const Expr *x, const void *how, Datum *args, uint32_t count, Datum *out)
{
    Passed passed = {.args = args, .count = count};
    call_given(e, x, how, &passed, out);
}

void tile_map(TileCall *call)
{
    const Value *function = function_argument(call, &tile_need(call, "op", 0)[0]);
    if (call->positional != call->count)
        refuse_tile_call(call, "arguments with names");
    set_result(call->e, call->x,
               map_elements(call->e, call->x, call->args + 1, call->count - 1, apply_function, function), call->out);
}

/* ---- reductions ---- */

/* Each lane's elements in order, then the lanes in order. Lanes that have none are left out. */
static Datum reduce_line(Evaluator *e, const Expr *x, const Tile *line, ElementFn *function, const void *how)
{
    uint32_t size = tile_size(line);
    Datum total = {0};
    for (uint32_t lane = 0; lane < e->lane_count && lane < size; lane++) {
        Datum part = element_datum(line->type, tile_element(line, lane));
        for (uint32_t n = lane + e->lane_count; n < size; n += e->lane_count) {
            Datum args[2] = {part, element_datum(line->type, tile_element(line, n))};
            function(e, x, how, args, 2, &part);
        }
        Datum args[2] = {total, part};
        if (lane)
            function(e, x, how, args, 2, &total);
        else
            total = part;
    }
    return total;
}

static void set_single(const TileCall *call, const Datum *value)
{
    uint32_t one = 1;
    Tile *tile = new_tile(call->e, value->type, 1, &one, call->x->offset);
    memcpy(tile->cells, value->cells, tile->width * sizeof(Dual));
    set_result(call->e, call->x, tile, call->out);
}

static void reduce_axis(const TileCall *call, const Tile *from, const Datum *axis, ElementFn *function, const void *how)
{
    Evaluator *e = call->e;
    int64_t number = datum_int(e, axis, call->x->offset);
    if (number < 0 || number >= from->ndim)
        refuse_tile_call(call, "this axis");
    uint32_t shape[4] = {1}, ndim = 0;
    Tile rest = *from;
    rest.ndim = 0;
    for (uint32_t i = 0; i < from->ndim; i++) {
        if (i == number)
            continue;
        shape[ndim++] = rest.shape[rest.ndim] = from->shape[i];
        rest.stride[rest.ndim++] = from->stride[i];
    }
    Tile *tile = new_tile(e, from->type, ndim ? ndim : 1, shape, call->x->offset);
    Tile line = {.type = from->type,
                 .width = from->width,
                 .ndim = 1,
                 .shape = {from->shape[number]},
                 .stride = {from->stride[number]}};
    for (uint32_t n = 0; n < tile_size(tile); n++) {
        line.cells = ndim ? tile_element(&rest, n) : from->cells;
        Datum value = element_datum(line.type, line.cells);
        for (uint32_t k = 1; k < line.shape[0]; k++) {
            Datum args[2] = {value, element_datum(line.type, tile_element(&line, k))};
            function(e, call->x, how, args, 2, &value);
        }
        memcpy(tile_element(tile, n), value.cells, tile->width * sizeof(Dual));
    }
    set_result(e, call->x, tile, call->out);
}

void tile_sum(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "a", 0);
    const Datum *axis = tile_arg(call, "axis", 1);
    OpKind op = OP_ADD;
    if (axis) {
        reduce_axis(call, from, &axis[0], apply_binary, &op);
        return;
    }
    Datum total = reduce_line(call->e, call->x, from, apply_binary, &op);
    set_single(call, &total);
}

void tile_reduce(TileCall *call)
{
    const Value *function = function_argument(call, &tile_need(call, "op", 0)[0]);
    const Tile *from = tile_arg_tile(call, "a", 1);
    const Datum *axis = tile_arg(call, "axis", 2);
    if (axis) {
        reduce_axis(call, from, &axis[0], apply_function, function);
        return;
    }
    Datum total = reduce_line(call->e, call->x, from, apply_function, function);
    set_single(call, &total);
}

static const Tile *numbers(const TileCall *call, const char *name, uint32_t place)
{
    const Tile *tile = tile_arg_tile(call, name, place);
    if (tile->width != 1 || !type_is_single(tile->type))
        refuse_tile_call(call, "its elements are not numbers");
    return tile;
}

static uint32_t find_extreme(const TileCall *call, const Tile *tile, bool largest)
{
    Math m = math_for(call->e, tile->type, call->x->offset);
    uint32_t best = 0;
    for (uint32_t n = 1; n < tile_size(tile); n++) {
        Dual a = *tile_element(tile, n), b = *tile_element(tile, best);
        if (call->e->run->path_sum && !m.is_int)
            path_sum_numbers(call->e->run->path_sum, a.real, b.real);
        if (largest ? number_less(&m, b, a) : number_less(&m, a, b))
            best = n;
    }
    return best;
}

void tile_extreme(TileCall *call)
{
    const Tile *tile = numbers(call, "a", 0);
    Datum found = element_datum(tile->type, tile_element(tile, find_extreme(call, tile, call->variant)));
    set_single(call, &found);
}

void tile_arg_extreme(TileCall *call)
{
    Datum found;
    new_int_datum(call->e, TYPE_INT32, find_extreme(call, numbers(call, "a", 0), call->variant), &found);
    set_single(call, &found);
}

static void apply_dot(Evaluator *e, const Expr *x, const void *how, Datum *args, uint32_t count, Datum *out)
{
    (void)how;
    (void)count;
    const Type *scalar = type_scalar_of(args[0].type);
    Math m = math_for(e, scalar, x->offset);
    *new_scalar(e, scalar, out) = number_dot(&m, args[0].cells, args[1].cells, width_of(&args[0]));
}

void tile_dot(TileCall *call)
{
    Datum *data[2] = {tile_need(call, "a", 0), tile_need(call, "b", 1)};
    const Tile *a = tile_arg_tile(call, "a", 0), *b = tile_arg_tile(call, "b", 1);
    if (a->width != b->width || a->type->kind == TYPE_STRUCT)
        refuse_tile_call(call, "these tiles");
    const Tile *products = map_elements(call->e, call->x, data, 2, apply_dot, NULL);
    OpKind op = OP_ADD;
    Datum total = reduce_line(call->e, call->x, products, apply_binary, &op);
    set_single(call, &total);
}

/* ---- scans and sorting ---- */

void tile_scan(TileCall *call)
{
    enum { INCLUSIVE, EXCLUSIVE, MAX, MIN };
    const Tile *from = numbers(call, "a", 0);
    Tile *tile = copy_tile(call->e, from, call->x->offset);
    Math m = math_for(call->e, tile->type, call->x->offset);
    Dual sum = number_zero();
    for (uint32_t n = 0; n < tile_size(tile); n++) {
        Dual value = tile->cells[n], before = sum;
        bool extreme = call->variant == MAX || call->variant == MIN;
        if (extreme && n == 0)
            sum = value;
        else if (extreme)
            sum = call->variant == MAX ? number_max(&m, sum, value) : number_min(&m, sum, value);
        else
            sum = number_add(&m, sum, value);
        tile->cells[n] = call->variant == EXCLUSIVE ? before : sum;
    }
    set_result(call->e, call->x, tile, call->out);
}

/* Equal keys keep their order. */
void tile_sort(TileCall *call)
{
    const Tile *keys = numbers(call, "keys", 0), *values = tile_arg_tile(call, "values", 1);
    if (tile_size(keys) != tile_size(values))
        refuse_tile_call(call, "tiles of different sizes");
    const Tile *k = copy_tile(call->e, keys, call->x->offset), *v = copy_tile(call->e, values, call->x->offset);
    uint32_t size = tile_size(k), *order = scratch(call->e, size * sizeof *order);
    Math m = math_for(call->e, k->type, call->x->offset);
    for (uint32_t n = 0; n < size; n++) {
        uint32_t at = n;
        for (; at && number_less(&m, k->cells[n], k->cells[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = n;
    }
    for (uint32_t n = 0; n < size; n++) {
        *tile_element(keys, n) = k->cells[order[n]];
        memcpy(tile_element(values, n), tile_element(v, order[n]), v->width * sizeof(Dual));
    }
}
