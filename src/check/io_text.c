/* Launches as text: the rows of a record, and the arguments as people read them. */
#include "check/io.h"

#include "check/io_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* Is this float32 the nearest one to a whole number of parts? */
static inline bool reads_back(double size, double parts, double *whole)
{
    const double to_whole = 0x1.8p52;         /* what is added to it is rounded to a whole number */
    double near = size * parts * 0x1.001p-24; /* a little more than half of the last place */
    *whole = (size * parts + to_whole) - to_whole;
    return fabs(size * parts - *whole) <= near && (double)(float)(*whole / parts) == size;
}

/* A float32 with six to nine digits, written from a whole number of them where that is exact; false: not one of those.
 * Trying the printf family for each number of digits took two thirds of the time of writing a launch. */
static bool write_short(Text *out, double value)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
    enum { MOST_DECIMALS = 12, LARGEST = 100000000 };
    double size = fabs(value), whole;
    if (!(size >= 1e-4 && size < 1e5))
        return false;
    /* Most need about eight digits. One that reads back with few decimals does so with more, so that those need not be tried. */
    int decimals = size >= 100 ? 2 : size >= 1 ? 4 : size >= 0.01 ? 6 : 8;
    if (reads_back(size, powers[decimals], &whole))
        decimals = 1;
    while (!reads_back(size, powers[decimals], &whole))
        if (whole > 10.0 * LARGEST || decimals++ == MOST_DECIMALS)
            return false;
    if (whole > 10.0 * LARGEST)
        return false;
    uint64_t all = (uint64_t)whole, unit = (uint64_t)powers[decimals];
    uint32_t fraction = (uint32_t)(all % unit); /* of at most 10 * LARGEST */
    char *to = text_room(out, 2 * UINT_ROOM + 2);
    if (value < 0)
        *to++ = '-';
    to = put_uint(to, all / unit);
    *to++ = '.';
    for (int at = decimals; at-- > 0; fraction /= 10)
        to[at] = (char)('0' + fraction % 10);
    text_end(out, to + decimals);
    return true;
}

/* The fewest digits from which a number of the type reads back as it is. */
static void write_real(Text *out, double value, const Type *type)
{
    int digits = type->kind == TYPE_FLOAT64 ? 15 : type->kind == TYPE_FLOAT32 ? 6 : 3;
    char text[40];
    if (value == 0) {
        text_str(out, signbit(value) ? "-0.0" : "0.0");
        return;
    }
    if (type->kind == TYPE_FLOAT32 && write_short(out, value))
        return;
    do
        snprintf(text, sizeof text, "%.*g", digits++, value);
    while (round_to_type(strtod(text, NULL), type->kind) != value && digits <= 17);
    text_python_float(out, strtod(text, NULL));
}

/* ---- for people ---- */

static void write_cell(Text *out, const LaunchValue *value, size_t at)
{
    const Type *type = value->cell_types[at % value->width];
    if (type_is_float(type))
        write_real(out, value->cells[at].real, type);
    else if (type->kind == TYPE_BOOL)
        text_str(out, value->cells[at].integer ? "true" : "false");
    else if (type->kind == TYPE_UINT64)
        text_uint(out, (uint64_t)value->cells[at].integer);
    else
        text_int(out, value->cells[at].integer);
}

/* One scalar, vector, matrix or struct of cells, from cell *at on. */
static void write_element(Text *out, const LaunchValue *value, const Type *type, size_t *at)
{
    type = type_canonical(type);
    if (type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < type->decl->field_count; i++) {
            text_str(out, i ? ", \"" : "{\"");
            text_str(out, type->decl->fields[i].name->text);
            text_lit(out, "\": ");
            write_element(out, value, type->decl->fields[i].type, at);
        }
        text_char(out, '}');
    } else if (type_is_composite(type)) {
        uint32_t rows = type->composite.rows, cols = type->kind == TYPE_MAT ? type->composite.cols : 1;
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t k = 0; k < cols; k++) {
                text_str(out, k ? ", " : i ? ", " : "[");
                text_str(out, type->kind == TYPE_MAT && !k ? "[" : "");
                write_cell(out, value, (*at)++);
                text_str(out, type->kind == TYPE_MAT && k + 1 == cols ? "]" : "");
            }
        text_char(out, ']');
    } else
        write_cell(out, value, (*at)++);
}

static void write_dimension(Text *out, const LaunchValue *value, uint32_t dimension, size_t *at)
{
    if (dimension == value->ndim || dimension == 4) {
        const Type *type = value->type;
        write_element(out, value, type->kind == TYPE_ARRAY ? type->array.dtype : type, at);
        return;
    }
    text_char(out, '[');
    for (uint32_t i = 0; i < value->shape[dimension]; i++) {
        text_str(out, i ? ", " : "");
        write_dimension(out, value, dimension + 1, at);
    }
    text_char(out, ']');
}

static void write_value(Text *out, const LaunchValue *value)
{
    size_t at = 0;
    if (!value->field_count) {
        write_dimension(out, value, 0, &at);
        return;
    }
    for (uint32_t i = 0; i < value->field_count; i++) {
        text_str(out, i ? ", \"" : "{\"");
        text_str(out, value->type->decl->fields[i].name->text);
        text_lit(out, "\": ");
        write_value(out, &value->fields[i]);
    }
    text_char(out, '}');
}

void check_write_inputs(Unit *unit, const IrModule *module, Launch *launch, Text *out)
{
    (void)unit;
    text_char(out, '{');
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        text_format(out, "%s\"%s\": ", i ? ", " : "", module->kernel->code->params[i].name->text);
        write_value(out, &launch->args[i]);
    }
    text_char(out, '}');
}

/* ---- rows ---- */

typedef enum Part { PART_INPUTS, PART_OUTPUTS, PART_COTANGENTS, PART_GRADIENTS, PART_COUNT } Part;

/* The rows of one part: what is written, of which argument or field. */
typedef struct Rows {
    Text *out;
    Part part;
    bool any; /* there is one already */
    const char *name;
    char field[256]; /* "" : the argument itself */
    const LaunchValue *before, *after, *backward, *nudged[NUDGED_LAUNCHES];
} Rows;

static bool is_part(const Rows *rows)
{
    const LaunchValue *before = rows->before, *after = rows->after;
    bool changed = is_changed(before, after);
    switch (rows->part) {
    case PART_INPUTS: return true;
    case PART_OUTPUTS: return changed;
    case PART_COTANGENTS: return changed && has_gradient(before);
    default: break;
    }
    size_t size = before->count * before->width * sizeof *after->gradients;
    return has_gradient(before) && !(changed && memcmp(rows->backward->gradients, after->gradients, size) == 0);
}

static void write_shape(Text *out, const LaunchValue *value, const Type *type)
{
    const char *between = "[";
    bool is_array = value->type->kind == TYPE_ARRAY;
    for (uint32_t i = 0; is_array && i < value->ndim && i < 4; i++, between = ", ") {
        text_str(out, between);
        text_uint(out, value->shape[i]);
    }
    if (type_is_composite(type)) {
        text_format(out, "%s%u", between, type->composite.rows);
        if (type->kind == TYPE_MAT)
            text_format(out, ", %u", type->composite.cols);
        between = ", ";
    }
    text_str(out, *between == '[' ? "[]" : "]");
}

/* The cells from `offset` on, `width` of every element. */
static void write_cells(const Rows *rows, const LaunchValue *value, const double *numbers, uint32_t offset,
                        uint32_t width)
{
    const Type *type = value->cell_types[offset];
    bool is_float = type_is_float(type);
    Text *out = rows->out;
    text_str(out, is_float ? ", \"floats\": [" : ", \"floats\": null, \"ints\": [");
    for (size_t i = 0; i < value->count; i++)
        for (uint32_t k = 0; k < width; k++) {
            size_t at = i * value->width + offset + k;
            if (i || k)
                text_lit(out, ", ");
            if (is_float)
                write_real(out, numbers ? numbers[at] : value->cells[at].real, type);
            else
                text_int(out, value->cells[at].integer);
        }
    text_str(out, is_float ? "], \"ints\": null" : "]");
    double tolerance = NAN;
    if (is_float && (rows->part == PART_OUTPUTS || rows->part == PART_GRADIENTS))
        tolerance = tolerance_of(value, numbers, rows->nudged, rows->part == PART_GRADIENTS, offset, width);
    text_lit(out, ", \"tolerance\": ");
    if (isfinite(tolerance))
        text_rounded_float(out, tolerance, 4);
    else
        text_lit(out, "null");
    text_char(out, '}');
}

static void write_row(Rows *rows, const Type *type, uint32_t offset, uint32_t width)
{
    const LaunchValue *value = rows->part == PART_INPUTS ? rows->before : rows->after;
    const double *numbers = rows->part == PART_COTANGENTS  ? rows->after->gradients
                            : rows->part == PART_GRADIENTS ? rows->backward->gradients
                                                           : NULL;
    const Type *scalar = value->cell_types[offset];
    Text *out = rows->out;
    if (numbers && !type_is_float(scalar))
        return; /* an integer in a struct */
    text_str(out, rows->any ? ", {\"name\": \"" : "{\"name\": \"");
    rows->any = true;
    text_str(out, rows->name);
    text_lit(out, "\", \"field\": ");
    if (rows->field[0])
        text_format(out, "\"%s\"", rows->field);
    else
        text_lit(out, "null");
    text_lit(out, ", \"type\": \"");
    type_repr(scalar, out);
    text_lit(out, "\", \"shape\": ");
    write_shape(out, value, type);
    write_cells(rows, value, numbers, offset, width);
}

/* Adds a name to the field, and returns how long it was. */
static size_t enter_field(Rows *rows, Name name)
{
    size_t len = strlen(rows->field);
    snprintf(rows->field + len, sizeof rows->field - len, "%s%s", len ? "." : "", name->text);
    return len;
}

/* A scalar, a vector, …, or the fields of a struct, each of all elements. */
static uint32_t write_columns(Rows *rows, const Type *type, uint32_t offset)
{
    type = type_canonical(type);
    if (type->kind != TYPE_STRUCT) {
        uint32_t width = type_parts(type);
        write_row(rows, type, offset, width);
        return offset + width;
    }
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        size_t len = enter_field(rows, type->decl->fields[i].name);
        offset = write_columns(rows, type->decl->fields[i].type, offset);
        rows->field[len] = '\0';
    }
    return offset;
}

static void write_rows(Rows *rows)
{
    const LaunchValue *before = rows->before;
    if (!before->field_count) {
        if (before->width && is_part(rows))
            write_columns(rows, before->type->kind == TYPE_ARRAY ? before->type->array.dtype : before->type, 0);
        return;
    }
    Rows inner = *rows;
    for (uint32_t i = 0; i < before->field_count; i++) {
        size_t len = enter_field(&inner, before->type->decl->fields[i].name);
        inner.before = &rows->before->fields[i];
        inner.after = &rows->after->fields[i];
        inner.backward = rows->backward ? &rows->backward->fields[i] : NULL;
        for (int n = 0; n < NUDGED_LAUNCHES; n++)
            inner.nudged[n] = rows->nudged[n] ? &rows->nudged[n]->fields[i] : NULL;
        write_rows(&inner);
        inner.field[len] = '\0';
    }
    rows->any = inner.any;
}

static void write_part(const IrModule *module, const LaunchRun *run, Part part, Text *out)
{
    Launch *const *nudged = part == PART_GRADIENTS ? run->nudged_backward : run->nudged;
    Rows rows = {.out = out, .part = part};
    text_char(out, '[');
    for (uint32_t i = 0; i < run->before->arg_count; i++) {
        rows.name = module->kernel->code->params[i].name->text;
        rows.before = &run->before->args[i];
        rows.after = &run->after->args[i];
        rows.backward = run->backward ? &run->backward->args[i] : NULL;
        for (int n = 0; n < NUDGED_LAUNCHES; n++)
            rows.nudged[n] = nudged[n] ? &nudged[n]->args[i] : NULL;
        write_rows(&rows);
    }
    text_char(out, ']');
}

void write_launch_run(const IrModule *module, const LaunchRun *run, Text *out)
{
    static const char *const names[PART_COUNT] = {"inputs", "outputs", "output_gradients", "gradients"};
    text_lit(out, "{\"dim\": [");
    for (uint32_t i = 0; i < (run->before->ndim ? run->before->ndim : 1); i++) {
        text_str(out, i ? ", " : "");
        text_uint(out, run->before->dim[i]);
    }
    text_char(out, ']');
    for (int part = 0; part < PART_COUNT; part++) {
        text_format(out, ", \"%s\": ", names[part]);
        if (part >= PART_COTANGENTS && !run->backward)
            text_lit(out, "null");
        else
            write_part(module, run, (Part)part, out);
    }
    text_char(out, '}');
}
