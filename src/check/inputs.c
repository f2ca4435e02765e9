/* The arguments of a launch: laid out by their types, filled from the ranges of its description. */
#include "check/check_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAM_INPUTS = 11,
    STREAM_LONG_ARRAYS = 17,
    LONG_ARRAY = 251 /* elements behind these are drawn apart: what the next argument gets does not depend on them */
};

CheckArg *check_find_arg(const CheckLaunch *description, const char *name)
{
    for (uint32_t i = 0; i < description->arg_count; i++)
        if (strcmp(description->args[i].name, name) == 0)
            return &description->args[i];
    return NULL;
}

static bool is_arg_name(const void *key, const void *wanted)
{
    return strcmp(key, wanted) == 0;
}

ArgIndex check_index_args(Arena *arena, const CheckLaunch *launch)
{
    enum { FEW = 16 };
    ArgIndex index = {.launch = launch};
    for (uint32_t i = 0; launch->arg_count > FEW && i < launch->arg_count; i++) {
        const char *name = launch->args[i].name;
        TableSlot *slot = table_add_like(&index.args, arena, name_hash(name, strlen(name)), is_arg_name, name);
        if (!slot->key) {
            slot->key = name;
            slot->item = &launch->args[i];
        }
    }
    return index;
}

CheckArg *arg_at(const ArgIndex *index, const char *name)
{
    if (!index->args.count)
        return check_find_arg(index->launch, name);
    const TableSlot *slot = table_find_like(&index->args, name_hash(name, strlen(name)), is_arg_name, name);
    return slot ? slot->item : NULL;
}

/* The integers that a type holds, and that a double counts exactly. */
static CheckRange integers_of(const Type *type)
{
    const double most = 9007199254740992.0;
    switch (type->kind) {
    case TYPE_INT8: return (CheckRange){INT8_MIN, INT8_MAX};
    case TYPE_UINT8: return (CheckRange){0, UINT8_MAX};
    case TYPE_INT16: return (CheckRange){INT16_MIN, INT16_MAX};
    case TYPE_UINT16: return (CheckRange){0, UINT16_MAX};
    case TYPE_INT32: return (CheckRange){INT32_MIN, INT32_MAX};
    case TYPE_UINT32: return (CheckRange){0, UINT32_MAX};
    case TYPE_UINT64: return (CheckRange){0, most};
    default: return (CheckRange){-most, most};
    }
}

/* What the cells of one type are drawn from, in a range. */
typedef struct Drawn {
    TypeKind kind;
    bool is_float;
    double low, span; /* of integers: how many there are */
} Drawn;

static Drawn drawn_from(const Type *type, CheckRange range)
{
    Drawn from = {type->kind, type_is_float(type), range.low, range.high - range.low};
    if (from.is_float)
        return from;
    CheckRange held = integers_of(type);
    from.low = fmin(fmax(ceil(range.low), held.low), held.high);
    from.span = fmax(fmin(floor(range.high), held.high) - from.low + 1, 1);
    return from;
}

static inline Cell draw_cell(Rng *rng, const Drawn *from)
{
    Cell cell;
    double way = from->span * rng_unit(rng);
    if (from->kind == TYPE_FLOAT32)
        cell.real = (double)(float)(from->low + way);
    else if (from->is_float)
        cell.real = round_to_type(from->low + way, from->kind);
    else
        cell.integer = (int64_t)(from->low + (double)(int64_t)way);
    if (from->kind == TYPE_BOOL)
        cell.integer = cell.integer != 0;
    return cell;
}

static const Type *value_element(const LaunchValue *value)
{
    return value->type->kind == TYPE_ARRAY ? value->type->array.dtype : value->type;
}

void check_normalize_rotations(LaunchValue *value, const Type *element, size_t count)
{
    bool quat = element->kind == TYPE_QUAT, transform = element->kind == TYPE_TRANSFORM;
    for (size_t i = 0; (quat || transform) && i < count; i++) {
        Cell *q = &value->cells[i * value->width + (transform ? 3 : 0)];
        double norm =
            sqrt(q[0].real * q[0].real + q[1].real * q[1].real + q[2].real * q[2].real + q[3].real * q[3].real);
        if (norm == 0)
            continue;
        for (int k = 0; k < 4; k++)
            q[k].real = round_to_type(q[k].real / norm, element->composite.dtype->kind);
    }
}

bool check_is_square(const Type *element)
{
    return element->kind == TYPE_MAT && element->composite.rows == element->composite.cols &&
           type_is_float(type_scalar_of(element));
}

bool check_has_matrices(const Type *type)
{
    type = type_canonical(type);
    if (type->kind != TYPE_ARRAY)
        return check_is_square(type);
    const Type *element = type_canonical(type->array.dtype);
    return check_is_square(element) || (type->array.ndim >= 2 && type_is_float(element));
}

typedef struct Filler {
    Unit *unit;
    ArgIndex given;
    Rng rng;
    InputKind kind;
    bool all_calm; /* with INPUTS_ALIKE: every array is near zero that can be */
    uint64_t seed;
    uint64_t long_arrays; /* until now */
} Filler;

CheckRange check_range(const LaunchValue *value, const CheckArg *arg)
{
    bool is_array = value->type->kind == TYPE_ARRAY;
    if (arg && arg->has_value)
        return (CheckRange){arg->value, arg->value};
    if (arg && arg->has_range)
        return (CheckRange){arg->low, arg->high};
    if (value->width && type_is_float(value->cell_types[0]))
        return (CheckRange){0.25, 0.95};
    return is_array ? (CheckRange){0, CHECK_USUAL_SIZE - 1} : (CheckRange){3, 6};
}

/* A part of the range. Never the end itself, where min() and its kin have no derivative. */
static CheckRange near_an_end(CheckRange range, bool high)
{
    enum { PARTS = 40 };
    double part = (range.high - range.low) / PARTS;
    return high ? (CheckRange){range.high - part, range.high} : (CheckRange){range.low, range.low + part};
}

/* A small part of the range: around zero where it has that, or anywhere in it. Of integers, one number. */
static CheckRange near_a_point(Filler *filler, CheckRange range, bool integers)
{
    enum { PARTS = 80 };
    bool has_zero = range.low <= 0 && range.high >= 0;
    double span = range.high - range.low, point = range.low + span * rng_unit(&filler->rng);
    if (has_zero && (filler->all_calm || rng_below(&filler->rng, 2)))
        point = 0;
    if (integers)
        return (CheckRange){floor(point), floor(point)};
    return (CheckRange){fmax(range.low, point - span / PARTS), fmin(range.high, point + span / PARTS)};
}

typedef enum DrawWay { ANYWHERE, LOW_END, HIGH_END, EITHER_END, DRAW_WAYS } DrawWay;

/* The common case: floats, anywhere in the range. Nothing but the generator and the cells is touched in its loop. */
static void draw_floats(Rng *rng, Cell *cells, size_t count, Drawn from)
{
    Rng own = *rng;
    for (size_t i = 0; i < count; i++)
        cells[i].real = (double)(float)(from.low + from.span * rng_unit(&own));
    *rng = own;
}

/* Cells of one type. */
static void draw_cells(Rng *rng, const Type *type, Cell *cells, size_t count, CheckRange range, DrawWay way)
{
    const Drawn ends[] = {drawn_from(type, near_an_end(range, false)), drawn_from(type, near_an_end(range, true))};
    const Drawn from = way == ANYWHERE ? drawn_from(type, range) : ends[way == HIGH_END];
    if (way != EITHER_END && type->kind == TYPE_FLOAT32)
        draw_floats(rng, cells, count, from);
    else
        for (size_t i = 0; i < count; i++)
            cells[i] = draw_cell(rng, way == EITHER_END ? &ends[rng_below(rng, 2)] : &from);
}

/* The elements from the first to before the end. Those of structs may have cells of several types. */
static void draw_part(Rng *rng, LaunchValue *value, size_t first, size_t end, CheckRange range, DrawWay way)
{
    if (type_is_value(value_element(value))) {
        draw_cells(rng, value->cell_types[0], value->cells + first * value->width, (end - first) * value->width, range,
                   way);
        return;
    }
    for (size_t i = first * value->width; i < end * value->width; i++)
        draw_cells(rng, value->cell_types[i % value->width], &value->cells[i], 1, range, way);
}

/* A mask whose flags are all zero would hide what the kernel does: one of them is set. */
static void set_a_flag(Rng *rng, LaunchValue *value, size_t count, CheckRange range)
{
    bool flags = value->width == 1 && !type_is_float(value->cell_types[0]) && range.low == 0 && range.high == 1;
    bool set = false;
    for (size_t i = 0; flags && !set && i < count; i++)
        set = value->cells[i].integer != 0;
    if (flags && !set && count)
        value->cells[rng_below(rng, (uint32_t)count)].integer = 1;
}

static void draw_elements(Filler *filler, LaunchValue *value, size_t count, CheckRange range)
{
    if (filler->kind == INPUTS_ALIKE && (filler->all_calm || rng_below(&filler->rng, 2)))
        range = near_a_point(filler, range, !type_is_float(value->cell_types[0]));
    DrawWay way = filler->kind == INPUTS_EDGES ? (DrawWay)rng_below(&filler->rng, DRAW_WAYS) : ANYWHERE;
    draw_part(&filler->rng, value, 0, count < LONG_ARRAY ? count : LONG_ARRAY, range, way);
    if (filler->kind == INPUTS_EVEN)
        set_a_flag(&filler->rng, value, count < LONG_ARRAY ? count : LONG_ARRAY, range);
    if (count <= LONG_ARRAY)
        return;
    Rng apart = rng_at(filler->seed, filler->long_arrays++, STREAM_LONG_ARRAYS);
    draw_part(&apart, value, LONG_ARRAY, count, range, way);
}

static int compare_integers(const void *a, const void *b)
{
    const Cell *x = a, *y = b;
    return x->integer < y->integer ? -1 : x->integer > y->integer;
}

static int compare_reals(const void *a, const void *b)
{
    const Cell *x = a, *y = b;
    return x->real < y->real ? -1 : x->real > y->real;
}

/* Where all are the same. Others are all drawn: of two equal numbers, neither is the larger one. */
static void repeat_elements(LaunchValue *value, size_t drawn)
{
    size_t total = value->count * value->width, done = drawn * value->width;
    while (done < total) {
        size_t more = done < total - done ? done : total - done;
        memcpy(value->cells + done, value->cells, more * sizeof *value->cells);
        done += more;
    }
}

/* One field of the elements of an array of structs, from the range that is given for it. */
static void fill_column(Filler *filler, LaunchValue *value, uint32_t offset, const Type *type, const char *path)
{
    type = type_canonical(type);
    if (type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < type->decl->field_count; i++) {
            const char *field = arena_format(filler->unit->building, "%s.%s", path, type->decl->fields[i].name->text);
            fill_column(filler, value, offset, type->decl->fields[i].type, field);
            offset += launch_cells_of(type->decl->fields[i].type);
        }
        return;
    }
    LaunchValue column = {.type = type, .width = launch_cells_of(type), .count = value->count};
    column.cell_types = value->cell_types + offset;
    CheckRange range = check_range(&column, arg_at(&filler->given, path));
    size_t drawn = range.low == range.high ? 1 : value->count;
    column.cells = ARENA_ARRAY(filler->unit->building, Cell, value->count * column.width);
    draw_elements(filler, &column, drawn, range);
    if (range.low < range.high)
        check_normalize_rotations(&column, type, drawn);
    repeat_elements(&column, drawn);
    for (size_t i = 0; i < value->count; i++)
        memcpy(&value->cells[i * value->width + offset], &column.cells[i * column.width],
               column.width * sizeof *column.cells);
}

static void make_symmetric(LaunchValue *value, const Type *element)
{
    value->symmetric = element->composite.rows;
    for (size_t i = 0; i < value->count * value->width; i++)
        value->cells[i] = value->cells[launch_cell_above(value, i)];
}

/* Of `rows` times `columns` numbers, those on the diagonals of the square blocks that they are made of become larger than all
 * others of their row and column together: such blocks are positive definite, whichever triangle is read. */
static void raise_diagonals(Cell *cells, size_t rows, size_t columns)
{
    size_t side = rows < columns ? rows : columns;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = r % side; c < columns; c += side) {
            double sum = 1.0;
            for (size_t k = 0; k < columns; k++)
                sum += k == c ? 0 : fabs(cells[r * columns + k].real);
            for (size_t k = 0; k < rows; k++)
                sum += k == r ? 0 : fabs(cells[k * columns + c].real);
            cells[r * columns + c].real = sum + fabs(cells[r * columns + c].real);
        }
}

static void make_definite(LaunchValue *value, const Type *element)
{
    bool of_matrices = check_is_square(element);
    const uint32_t *last = value->shape + (of_matrices ? 0 : value->type->array.ndim - 2);
    size_t rows = of_matrices ? element->composite.rows : last[0];
    size_t columns = of_matrices ? element->composite.cols : last[1];
    for (size_t at = 0; rows && columns && at < value->count * value->width; at += rows * columns)
        raise_diagonals(value->cells + at, rows, columns);
}

static void fill_value(Filler *filler, LaunchValue *value, const char *path)
{
    if (value->field_count) {
        for (uint32_t i = 0; i < value->field_count; i++) {
            const char *field = value->type->decl->fields[i].name->text;
            fill_value(filler, &value->fields[i],
                       arena_join(filler->unit->building, arena_join(filler->unit->building, path, "."), field));
        }
        return;
    }
    const CheckArg *arg = arg_at(&filler->given, path);
    CheckRange range = check_range(value, arg);
    if (!value->width || !value->count)
        return;
    const Type *element = type_canonical(value_element(value));
    if (element->kind == TYPE_STRUCT && !(arg && (arg->has_range || arg->has_value))) {
        fill_column(filler, value, 0, element, path);
        return;
    }
    bool sorted = arg && arg->sorted && value->width == 1;
    size_t drawn = range.low == range.high ? 1 : value->count;
    draw_elements(filler, value, drawn, range);
    if (range.low < range.high)
        check_normalize_rotations(value, value_element(value), drawn);
    if (sorted)
        qsort(value->cells, value->count, sizeof *value->cells,
              type_is_float(value->cell_types[0]) ? compare_reals : compare_integers);
    repeat_elements(value, drawn);
    if (arg && arg->symmetric && check_is_square(element))
        make_symmetric(value, element);
    if (arg && arg->definite && check_has_matrices(value->type))
        make_definite(value, element);
}

void fill_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, InputKind kind,
                 Launch *launch)
{
    const Code *code = module->kernel->code;
    Filler filler = {.unit = unit,
                     .given = check_index_args(unit->building, description),
                     .rng = rng_at(seed, 0, STREAM_INPUTS),
                     .kind = kind,
                     .seed = seed};
    filler.all_calm = kind == INPUTS_ALIKE && rng_below(&filler.rng, 2);
    for (uint32_t i = 0; i < launch->arg_count; i++)
        fill_value(&filler, &launch->args[i], code->params[i].name->text);
}

/* Arrays in a struct may each have a shape of their own. */
static bool layout_value(Filler *filler, LaunchValue *value, const Type *type, const char *path)
{
    const uint32_t default_shape[4] = {CHECK_USUAL_SIZE, CHECK_USUAL_SIZE, CHECK_USUAL_SIZE, CHECK_USUAL_SIZE};
    const CheckArg *arg = arg_at(&filler->given, path);
    if (!launch_value_init(filler->unit, value, type, arg && arg->ndim ? arg->shape : default_shape))
        return false;
    for (uint32_t i = 0; i < value->field_count; i++) {
        const StructField *field = &value->type->decl->fields[i];
        const char *inner =
            arena_join(filler->unit->building, arena_join(filler->unit->building, path, "."), field->name->text);
        if (!layout_value(filler, &value->fields[i], field->type, inner))
            return false;
    }
    return true;
}

Launch *make_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed, InputKind kind,
                    const char **why)
{
    const Code *code = module->kernel->code;
    Filler filler = {.unit = unit, .given = check_index_args(unit->building, description)};
    Launch *launch = ARENA_NEW(unit->building, Launch);
    launch->block_dim = description->block_dim;
    launch->coordinates = module->kernel->kernel_dim;
    launch->ndim = module->uses_tiles && description->ndim ? description->ndim : module->kernel->kernel_dim;
    for (uint32_t i = 0; i < 4; i++)
        launch->dim[i] = i < description->ndim                    ? description->dim[i]
                         : i < launch->ndim && !description->ndim ? CHECK_USUAL_SIZE
                                                                  : 1;
    launch->arg_count = code->param_count;
    launch->args = ARENA_ARRAY(unit->building, LaunchValue, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const char *name = code->params[i].name->text;
        const CheckArg *arg = arg_at(&filler.given, name);
        const Type *type = code->params[i].type;
        if (arg && arg->ndim && (type->kind != TYPE_ARRAY || type->array.ndim != arg->ndim)) {
            *why = arena_format(unit->building, "the shape given for '%s' does not fit its type", name);
            return NULL;
        }
        if (!layout_value(&filler, &launch->args[i], type, name)) {
            *why = arena_format(unit->building, "an argument of the type of '%s' cannot be made", name);
            return NULL;
        }
    }
    fill_launch(unit, module, description, seed, kind, launch);
    return launch;
}

Launch *check_make_launch(Unit *unit, const IrModule *module, const CheckLaunch *description, uint64_t seed,
                          const char **why)
{
    return make_launch(unit, module, description, seed, INPUTS_EVEN, why);
}
