/* Tiles: made, loaded, stored; views that are asked for by name. */
#include "eval/ast/random.h"
#include "eval/ast/tile.h"

#include <string.h>

/* ---- making ---- */

static uint32_t shape_argument(const TileCall *call, uint32_t place, uint32_t shape[4])
{
    int64_t sizes[4];
    const Datum *datum = tile_need(call, "shape", place);
    uint32_t ndim = tile_arg_shape(call, &datum[0], sizes, 4);
    for (uint32_t i = 0; i < ndim; i++) {
        if (sizes[i] < 1 || sizes[i] > TILE_MAX_CELLS)
            refuse_tile_call(call, "this shape");
        shape[i] = (uint32_t)sizes[i];
    }
    return ndim;
}

static void fill_tile(const TileCall *call, const Tile *tile, const Datum *values)
{
    for (uint32_t n = 0; n < tile_size(tile); n++)
        store_value(call->e, &values[n % call->e->lane_count], tile->type, tile_element(tile, n), call->x->offset);
}

/* zeros, ones, empty: the elements of an empty one are zero here, as in registers */
void tile_filled(TileCall *call)
{
    uint32_t shape[4], ndim = shape_argument(call, 0, shape);
    const Datum *dtype = tile_arg(call, "dtype", 1);
    const Type *type = dtype ? tile_arg_type(call, &dtype[0]) : type_scalar(TYPE_FLOAT32);
    Tile *tile = new_tile(call->e, type, ndim, shape, call->x->offset);
    const Type **scalars = scratch(call->e, tile->width * sizeof *scalars);
    scalar_types(tile->type, scalars);
    size_t count = call->variant == 1 ? (size_t)tile_size(tile) * tile->width : 0;
    for (size_t i = 0; i < count; i++)
        tile->cells[i] = is_float_kind(scalars[i % tile->width]->kind) ? (Dual){.real = 1} : (Dual){.integer = 1};
    set_result(call->e, call->x, tile, call->out);
}

void tile_full(TileCall *call)
{
    uint32_t shape[4], ndim = shape_argument(call, 0, shape);
    const Datum *value = tile_need(call, "value", 1), *dtype = tile_arg(call, "dtype", 2);
    Tile *tile =
        new_tile(call->e, dtype ? tile_arg_type(call, &dtype[0]) : value[0].type, ndim, shape, call->x->offset);
    fill_tile(call, tile, value);
    set_result(call->e, call->x, tile, call->out);
}

void tile_from_thread(TileCall *call)
{
    Evaluator *e = call->e;
    uint32_t shape[4], ndim = shape_argument(call, 0, shape);
    const Datum *value = tile_need(call, "value", 1), *thread = tile_need(call, "thread_idx", 2);
    int64_t lane = datum_int(e, &thread[0], call->x->offset);
    if (lane < 0 || lane >= e->lane_count)
        stop_run(e, FINDING_OUT_OF_BOUNDS, call->x->offset, "lane %lld of a block of %u", (long long)lane,
                 e->lane_count);
    Tile *tile = new_tile(e, value[lane].type, ndim, shape, call->x->offset);
    for (uint32_t n = 0; n < tile_size(tile); n++)
        store_value(e, &value[lane], tile->type, tile_element(tile, n), call->x->offset);
    set_result(e, call->x, tile, call->out);
}

static double number_of(const TileCall *call, const Datum *datum)
{
    if (datum->kind != DATUM_VALUE || !type_is_single(datum->type))
        refuse_tile_call(call, "a bound that is not a number");
    return is_float_kind(datum->type->kind) ? datum->cells->real : (double)datum->cells->integer;
}

void tile_arange(TileCall *call)
{
    Evaluator *e = call->e;
    uint32_t given = call->positional;
    double bounds[3] = {0, 0, 1};
    if (!given || given > 3)
        refuse_tile_call(call, "its bounds are not given in order");
    for (uint32_t i = 0; i < given; i++)
        bounds[given > 1 ? i : 1] = number_of(call, &call->args[i][0]);
    const Datum *dtype = tile_arg(call, "dtype", 3);
    const Type *type = dtype ? tile_arg_type(call, &dtype[0]) : type_scalar(TYPE_FLOAT32);
    double length = bounds[2] != 0 ? (bounds[1] - bounds[0]) / bounds[2] : 0;
    if (!(length >= 1) || length > TILE_MAX_CELLS)
        refuse_tile_call(call, "this range");
    if (length != floor(length))
        refuse_tile_call(call, "a range that its step does not divide");
    uint32_t count = (uint32_t)length;
    Tile *tile = new_tile(e, type, 1, &count, call->x->offset);
    Math m = math_for(e, tile->type, call->x->offset);
    for (uint32_t n = 0; n < count; n++)
        if (m.is_int)
            tile->cells[n].integer = (int64_t)bounds[0] + (int64_t)n * (int64_t)bounds[2];
        else
            tile->cells[n] =
                add(&m, constant_real(&m, bounds[0]), scale(&m, round_real(&m, bounds[2]), constant_real(&m, n)));
    set_result(e, call->x, tile, call->out);
}

/* Every lane has a generator of its own, which its elements are drawn from. */
void tile_random(TileCall *call)
{
    Evaluator *e = call->e;
    uint32_t shape[4], ndim = shape_argument(call, 0, shape);
    const Datum *rng = tile_need(call, "rng", 1), *low = tile_arg(call, "min", 2), *high = tile_arg(call, "max", 3);
    const BuiltinRow *row = builtin_row(call->variant ? "randf" : "randi");
    Tile *tile = new_tile(e, type_scalar(call->variant ? TYPE_FLOAT32 : TYPE_INT32), ndim, shape, call->x->offset);
    for (uint32_t lane = 0; lane < e->lane_count; lane++) {
        uint32_t seed = lane + (uint32_t)datum_int(e, &rng[lane], call->x->offset);
        Dual state = {.integer = random_next(seed)};
        Datum args[3] = {{.kind = DATUM_VALUE, .type = type_scalar(TYPE_UINT32), .cells = &state, .writable = true}};
        if (low && high) {
            args[1] = low[lane];
            args[2] = high[lane];
        }
        for (uint32_t n = lane; n < tile_size(tile); n += e->lane_count) {
            Datum drawn = {0};
            Call one = {e, call->x, args, low && high ? 3 : 1, row->variant, &drawn};
            row->function(&one);
            store_value(e, &drawn, tile->type, tile_element(tile, n), call->x->offset);
        }
    }
    set_result(e, call->x, tile, call->out);
}

/* ---- loading and storing ---- */

typedef struct Window { /* of an array, which a tile is loaded from or stored to */
    const TileCall *call;
    const ArrayView *view;
    const Datum *offset; /* NULL: zero */
    const Tile *indices; /* NULL: none */
    uint32_t axis;
    bool checked;
} Window;

static Window window_of(const TileCall *call, uint32_t ndim, uint32_t offset_place, uint32_t check_place)
{
    const Datum *array = tile_need(call, "a", 0);
    if (array[0].kind != DATUM_ARRAY || !array[0].arrays->storage)
        refuse_tile_call(call, "it takes an array");
    if (array[0].arrays->ndim != ndim)
        refuse_tile_call(call, "the array has not as many dimensions as the tile");
    return (Window){.call = call,
                    .view = array[0].arrays,
                    .offset = tile_arg(call, "offset", offset_place),
                    .checked = tile_arg_truth(call, "bounds_check", check_place, true)};
}

static void index_window(Window *window, uint32_t indices_place, uint32_t axis_place)
{
    const TileCall *call = window->call;
    window->indices = tile_arg_tile(call, "indices", indices_place);
    const Datum *axis = tile_arg(call, "axis", axis_place);
    int64_t number = axis ? datum_int(call->e, &axis[0], call->x->offset) : 0;
    if (number < 0 || number >= window->view->ndim || window->indices->ndim != 1)
        refuse_tile_call(call, "this axis");
    window->axis = (uint32_t)number;
}

/* Where element n of a tile is in the array; false: outside of it. */
static bool window_place(const Window *window, const Tile *tile, uint32_t n, Datum *place)
{
    Evaluator *e = window->call->e;
    uint32_t offset = window->call->x->offset;
    int64_t c[4], start[4] = {0}, at = window->view->offset;
    tile_coordinates(tile, n, c);
    if (window->offset)
        tile_arg_shape(window->call, &window->offset[n % e->lane_count], start, 4);
    for (uint32_t i = 0; i < tile->ndim; i++) {
        int64_t step = c[i], length = window->view->shape[i];
        if (window->indices && i == window->axis)
            step = tile_element(window->indices, (uint32_t)c[i])->integer;
        int64_t index = start[i] + step;
        if (index >= length && (window->checked || window->indices))
            return false;
        if (window->indices && index < 0)
            return false;
        if (index < 0 || index >= length)
            stop_run(e, FINDING_OUT_OF_BOUNDS, offset, "index %lld of %lld elements, by a tile", (long long)index,
                     (long long)length);
        at += index * window->view->stride[i];
    }
    const Storage *storage = window->view->storage;
    *place = (Datum){.kind = DATUM_ELEMENT,
                     .type = type_canonical(window->view->type->array.dtype),
                     .storage = window->view->storage,
                     .first_cell = (size_t)at * storage->width};
    if (e->run->path_sum)
        path_sum_element(e->run->path_sum, place->first_cell);
    return true;
}

void tile_load(TileCall *call)
{
    bool indexed = call->variant;
    uint32_t shape[4], ndim = shape_argument(call, indexed ? 2 : 1, shape);
    Window window = window_of(call, ndim, indexed ? 3 : 2, indexed ? UINT32_MAX : 4);
    if (indexed)
        index_window(&window, 1, 4);
    Tile *tile = new_tile(call->e, window.view->type->array.dtype, ndim, shape, call->x->offset);
    for (uint32_t n = 0; n < tile_size(tile); n++) {
        Datum place;
        if (!window_place(&window, tile, n, &place))
            continue;
        load_datum(call->e, &place, call->x->offset);
        memcpy(tile_element(tile, n), place.cells, tile->width * sizeof(Dual));
    }
    set_result(call->e, call->x, tile, call->out);
}

/* Two elements at one place: who comes last is not known. */
static void check_places(const Window *window)
{
    const Tile *indices = window->indices;
    for (uint32_t n = 0; n < tile_size(indices); n++)
        for (uint32_t k = 0; k < n; k++)
            if (tile_element(indices, n)->integer == tile_element(indices, k)->integer)
                stop_run(window->call->e, FINDING_RACE, window->call->x->offset,
                         "two elements of a tile are stored at index %lld",
                         (long long)tile_element(indices, n)->integer);
}

void tile_store(TileCall *call)
{
    bool indexed = call->variant;
    const Tile *tile = tile_arg_tile(call, "t", indexed ? 2 : 1);
    Window window = window_of(call, tile->ndim, indexed ? 3 : 2, indexed ? UINT32_MAX : 3);
    if (indexed)
        index_window(&window, 1, 4);
    if (indexed && call->e->run->detect_races)
        check_places(&window);
    for (uint32_t n = 0; n < tile_size(tile); n++) {
        Datum place, value = element_datum(tile->type, tile_element(tile, n));
        if (!window_place(&window, tile, n, &place))
            continue;
        keep_datum(call->e, &value, call->x->offset);
        store_place(call->e, &place, &value, call->x->offset);
    }
}

static void add_to_struct(const TileCall *call, const Datum *place, const Datum *value, Datum *old)
{
    Evaluator *e = call->e;
    *old = *place;
    load_datum(e, old, call->x->offset);
    Datum sum;
    combine_elements(e, call->x, OP_ADD, old, value, &sum);
    store_element_cells(e, place, sum.cells, call->x->offset);
}

void tile_atomic_add(TileCall *call)
{
    Evaluator *e = call->e;
    bool indexed = call->variant;
    const Tile *tile = tile_arg_tile(call, "t", indexed ? 2 : 1);
    Window window = window_of(call, tile->ndim, indexed ? 3 : 2, indexed ? UINT32_MAX : 3);
    if (indexed)
        index_window(&window, 1, 4);
    Tile *before = new_tile(e, tile->type, tile->ndim, tile->shape, call->x->offset);
    for (uint32_t n = 0; n < tile_size(tile); n++) {
        Datum place, old, value = element_datum(tile->type, tile_element(tile, n));
        if (!window_place(&window, tile, n, &place))
            continue;
        if (value.kind == DATUM_STRUCT)
            add_to_struct(call, &place, &value, &old);
        else
            atomic_update(e, call->x, &place, ATOMIC_ADD, &value, NULL, &old);
        memcpy(tile_element(before, n), old.cells, tile->width * sizeof(Dual));
    }
    set_result(e, call->x, before, call->out);
}

/* ---- views ---- */

static Tile *view_of(const TileCall *call, const Tile *from)
{
    Tile *view = scratch(call->e, sizeof *view);
    *view = *from;
    return view;
}

void tile_view(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "t", 0);
    int64_t start[4] = {0}, sizes[4];
    uint32_t given = tile_arg_shape(call, &tile_need(call, "offset", 1)[0], start, from->ndim);
    const Datum *shape = tile_arg(call, "shape", 2);
    uint32_t ndim = shape ? tile_arg_shape(call, &shape[0], sizes, from->ndim) : from->ndim - given, skipped = 0;
    Tile *view = view_of(call, from);
    if (!shape) { /* the dimensions behind those that are named, or all of them */
        skipped = ndim ? given : 0;
        ndim = ndim ? ndim : from->ndim;
        for (uint32_t i = 0; i < ndim; i++)
            sizes[i] = from->shape[i + skipped];
    } else if (ndim != from->ndim)
        refuse_tile_call(call, "this shape");
    for (uint32_t i = 0; i < ndim; i++) {
        view->shape[i] = (uint32_t)sizes[i];
        view->stride[i] = from->stride[i + skipped];
    }
    view->ndim = ndim;
    for (uint32_t i = 0; i < from->ndim; i++) {
        int64_t length = i < skipped ? 1 : view->shape[i - skipped];
        if (start[i] < 0 || start[i] + length > from->shape[i])
            stop_run(call->e, FINDING_OUT_OF_BOUNDS, call->x->offset, "a view at %lld of %u elements of a tile",
                     (long long)start[i], from->shape[i]);
    }
    view->cells = tile_at(from, start);
    set_tile(call->e, view, call->out);
}

void tile_squeeze(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "t", 0);
    const Datum *axes = tile_arg(call, "axis", 1);
    int64_t list[4];
    uint32_t count = axes ? tile_arg_shape(call, &axes[0], list, 4) : 0;
    Tile *view = view_of(call, from);
    view->ndim = 0;
    for (uint32_t i = 0; i < from->ndim; i++) {
        bool dropped = !axes && from->shape[i] == 1;
        for (uint32_t k = 0; k < count; k++)
            dropped |= (list[k] < 0 ? list[k] + from->ndim : list[k]) == (int64_t)i;
        if (dropped)
            continue;
        view->shape[view->ndim] = from->shape[i];
        view->stride[view->ndim++] = from->stride[i];
    }
    if (!view->ndim) {
        view->shape[0] = 1;
        view->stride[0] = 1;
        view->ndim = 1;
    }
    set_tile(call->e, view, call->out);
}

void tile_reshape(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "t", 0);
    int64_t sizes[4];
    uint32_t size = tile_size(from), ndim = tile_arg_shape(call, &tile_need(call, "shape", 1)[0], sizes, 4), known = 1;
    Tile *view = view_of(call, from);
    view->ndim = ndim;
    for (uint32_t i = 0; i < ndim; i++)
        known *= sizes[i] > 0 ? (uint32_t)sizes[i] : 1;
    int64_t stride = 1;
    for (uint32_t i = ndim; i-- > 0;) {
        view->shape[i] = sizes[i] > 0 ? (uint32_t)sizes[i] : size / known;
        view->stride[i] = stride;
        stride *= view->shape[i];
    }
    if (tile_size(view) != size || tile_element(view, size - 1) != tile_element(from, size - 1))
        refuse_tile_call(call, "this shape");
    set_tile(call->e, view, call->out);
}

void tile_transpose(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "a", 0);
    Tile *view = view_of(call, from);
    for (uint32_t i = 0; i < from->ndim; i++) {
        view->shape[i] = from->shape[from->ndim - 1 - i];
        view->stride[i] = from->stride[from->ndim - 1 - i];
    }
    set_tile(call->e, view, call->out);
}

void tile_broadcast(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "a", 0);
    int64_t sizes[4];
    uint32_t ndim = tile_arg_shape(call, &tile_need(call, "shape", 1)[0], sizes, 4);
    Tile *view = view_of(call, from);
    if (ndim < from->ndim)
        refuse_tile_call(call, "this shape");
    view->ndim = ndim;
    for (uint32_t i = 0; i < ndim; i++) {
        uint32_t more = ndim - from->ndim;
        view->shape[i] = (uint32_t)sizes[i];
        view->stride[i] = i < more || from->shape[i - more] == 1 ? 0 : from->stride[i - more];
        if (i >= more && from->shape[i - more] != 1 && from->shape[i - more] != view->shape[i])
            refuse_tile_call(call, "this shape");
    }
    set_tile(call->e, view, call->out);
}

void tile_assign(TileCall *call)
{
    const Tile *to = tile_arg_tile(call, "dst", 0);
    const Tile *from = copy_tile(call->e, tile_arg_tile(call, "src", 1), call->x->offset);
    const Datum *offset = tile_arg(call, "offset", 2);
    if (from->ndim != to->ndim || from->width != to->width)
        refuse_tile_call(call, "tiles of different kinds");
    for (uint32_t n = 0; n < tile_size(from); n++) {
        int64_t c[4], start[4] = {0};
        tile_coordinates(from, n, c);
        if (offset)
            tile_arg_shape(call, &offset[n % call->e->lane_count], start, 4);
        for (uint32_t i = 0; i < to->ndim; i++) {
            c[i] += start[i];
            if (c[i] < 0 || c[i] >= to->shape[i])
                stop_run(call->e, FINDING_OUT_OF_BOUNDS, call->x->offset, "index %lld of %u elements of a tile",
                         (long long)c[i], to->shape[i]);
        }
        memcpy(tile_at(to, c), tile_element(from, n), to->width * sizeof(Dual));
    }
}

void tile_astype(TileCall *call)
{
    const Tile *from = tile_arg_tile(call, "t", 0);
    const Type *type = tile_arg_type(call, &tile_need(call, "dtype", 1)[0]);
    Tile *tile = new_tile(call->e, type, from->ndim, from->shape, call->x->offset);
    if (tile->width != from->width)
        refuse_tile_call(call, "this type");
    TypeKind before = type_scalar_of(from->type)->kind, after = type_scalar_of(tile->type)->kind;
    for (uint32_t n = 0; n < tile_size(tile); n++)
        for (uint32_t i = 0; i < tile->width; i++)
            tile_element(tile, n)[i] =
                convert_scalar(call->e, tile_element(from, n)[i], before, after, call->x->offset);
    set_result(call->e, call->x, tile, call->out);
}
