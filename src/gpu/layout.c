#include "gpu/layout.h"

#include <math.h>
#include <string.h>

static size_t round_up(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

size_t layout_align(const Type *type)
{
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return 8;
    if (type->kind != TYPE_STRUCT)
        return kind_traits[type_scalar_of(type)->kind].bytes;
    size_t align = 1;
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        size_t field = layout_align(type->decl->fields[i].type);
        align = field > align ? field : align;
    }
    return align;
}

size_t layout_size(const Type *type)
{
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return ARRAY_DESCRIPTOR_SIZE;
    if (type->kind != TYPE_STRUCT)
        return type_parts(type) * (size_t)kind_traits[type_scalar_of(type)->kind].bytes;
    size_t size = 0;
    for (uint32_t i = 0; i < type->decl->field_count; i++) {
        const Type *field = type->decl->fields[i].type;
        size = round_up(size, layout_align(field)) + layout_size(field);
    }
    size = round_up(size, layout_align(type));
    return size ? size : 1;
}

/* ---- scalars ---- */

/* For numbers that are rounded to the type already: only their bits are to be found. */
static uint16_t half_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    if (isnan(value))
        return 0x7e00;
    if (size > 65504)
        return (uint16_t)(sign | 0x7c00);
    if (size < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)lrint(size * 0x1p24));
    double fraction = frexp(size, &exponent);
    return (uint16_t)(sign + ((exponent + 14) << 10) + (uint16_t)lrint((fraction * 2 - 1) * 1024));
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static uint16_t bfloat_bits(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static double bfloat_value(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_scalar(TypeKind kind, Cell cell, unsigned char *to)
{
    float single = (float)cell.real;
    uint16_t half = kind == TYPE_FLOAT16 ? half_bits(cell.real) : kind == TYPE_BFLOAT16 ? bfloat_bits(cell.real) : 0;
    switch (kind) {
    case TYPE_FLOAT16:
    case TYPE_BFLOAT16: memcpy(to, &half, sizeof half); return;
    case TYPE_FLOAT32: memcpy(to, &single, sizeof single); return;
    default: memcpy(to, &cell, kind_traits[kind].bytes); /* the low bytes of an integer come first */
    }
}

static Cell get_scalar(TypeKind kind, const unsigned char *from)
{
    Cell cell = {0};
    float single;
    uint16_t half;
    memcpy(&cell, from, kind_traits[kind].bytes);
    switch (kind) {
    case TYPE_FLOAT16: memcpy(&half, from, sizeof half); return (Cell){.real = half_value(half)};
    case TYPE_BFLOAT16: memcpy(&half, from, sizeof half); return (Cell){.real = bfloat_value(half)};
    case TYPE_FLOAT32: memcpy(&single, from, sizeof single); return (Cell){.real = single};
    case TYPE_INT8: cell.integer = (int8_t)cell.integer; break;
    case TYPE_INT16: cell.integer = (int16_t)cell.integer; break;
    case TYPE_INT32: cell.integer = (int32_t)cell.integer; break;
    default: break;
    }
    return cell;
}

/* ---- values ---- */

typedef struct Walk {
    unsigned char *to; /* one of these two is set */
    const unsigned char *from;
    const Cell *put;
    Cell *get;
} Walk;

static uint32_t walk_value(const Type *type, Walk walk)
{
    uint32_t count = 0;
    type = type_canonical(type);
    if (type->kind == TYPE_STRUCT) {
        size_t at = 0;
        for (uint32_t i = 0; i < type->decl->field_count; i++) {
            const Type *field = type->decl->fields[i].type;
            at = round_up(at, layout_align(field));
            Walk inner = {walk.to ? walk.to + at : NULL, walk.from ? walk.from + at : NULL,
                          walk.put ? walk.put + count : NULL, walk.get ? walk.get + count : NULL};
            count += walk_value(field, inner);
            at += layout_size(field);
        }
        return count;
    }
    TypeKind kind = type_scalar_of(type)->kind;
    uint32_t cells = type_parts(type);
    for (; count < cells; count++)
        if (walk.to)
            put_scalar(kind, walk.put[count], walk.to + count * kind_traits[kind].bytes);
        else
            walk.get[count] = get_scalar(kind, walk.from + count * kind_traits[kind].bytes);
    return count;
}

uint32_t layout_put(const Type *type, const Cell *cells, unsigned char *to)
{
    return walk_value(type, (Walk){.to = to, .put = cells});
}

uint32_t layout_get(const Type *type, const unsigned char *from, Cell *cells)
{
    return walk_value(type, (Walk){.from = from, .get = cells});
}

void layout_put_array(const LaunchValue *array, uint64_t data, uint64_t grad, unsigned char *to)
{
    int32_t shape[4] = {0}, strides[4] = {0};
    uint16_t ndim = (uint16_t)array->ndim;
    size_t stride = layout_size(array->type->array.dtype);
    for (uint32_t i = array->ndim; i-- > 0;) {
        shape[i] = (int32_t)array->shape[i];
        strides[i] = (int32_t)stride;
        stride *= array->shape[i];
    }
    memset(to, 0, ARRAY_DESCRIPTOR_SIZE);
    memcpy(to, &data, 8);
    memcpy(to + 8, &grad, 8);
    memcpy(to + 16, shape, sizeof shape);
    memcpy(to + 32, strides, sizeof strides);
    memcpy(to + 48, &ndim, sizeof ndim);
}

uint64_t launch_thread_count(const Launch *launch)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < launch->ndim; i++)
        count *= launch->dim[i];
    return count;
}

size_t layout_put_bounds(const Launch *launch, unsigned char to[BOUNDS_MAX_SIZE])
{
    uint64_t size = launch_thread_count(launch), threads_a_coordinate = 1;
    uint32_t coordinates = launch->coordinates ? launch->coordinates : launch->ndim;
    size_t at = 0;
    memset(to, 0, BOUNDS_MAX_SIZE);
    for (uint32_t i = 0; i < coordinates; i++, at += 4) {
        int32_t extent = i < launch->ndim ? (int32_t)launch->dim[i] : 1;
        memcpy(to + at, &extent, sizeof extent);
    }
    for (uint32_t i = coordinates; i < launch->ndim; i++) /* lanes of a block, which have the same ones */
        threads_a_coordinate *= launch->dim[i];
    at = round_up(at, 8);
    memcpy(to + at, &size, 8);
    memcpy(to + at + 8, &threads_a_coordinate, 8);
    return at + 16;
}
