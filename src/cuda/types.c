/* Types: those that are known, those that are read, those that are made of others. */
#include "cuda/syntax.h"

/* ---- known types ---- */

static const struct {
    uint32_t size;
    const char *name;
} scalars[CUDA_SCALARS] = {
    [CUDA_VOID] = {1, "void"},   [CUDA_BOOL] = {1, "bool"},    [CUDA_I8] = {1, "int8_t"}, [CUDA_U8] = {1, "uint8_t"},
    [CUDA_I16] = {2, "int16_t"}, [CUDA_U16] = {2, "uint16_t"}, [CUDA_I32] = {4, "int"},   [CUDA_U32] = {4, "uint32_t"},
    [CUDA_I64] = {8, "int64_t"}, [CUDA_U64] = {8, "uint64_t"}, [CUDA_F32] = {4, "float"}, [CUDA_F64] = {8, "double"},
};

Meaning *meaning_of(CudaText *t, Name name)
{
    while (t->meaning_count <= name->id)
        ARENA_PUSH(t->arena, t->meanings, t->meaning_count, t->meaning_cap) = (Meaning){0};
    return &t->meanings[name->id];
}

void add_shape(CudaText *t, CudaType *type, Word shape, const CudaType *scalar, uint32_t rows, uint32_t cols)
{
    type->shape = shape;
    type->scalar = scalar;
    type->rows = rows;
    type->cols = cols;
    type->next_shape = t->shapes;
    t->shapes = type;
}

static void define_vector(CudaText *t, const char *stem, CudaKind kind, uint32_t length)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    CudaType *type = ARENA_NEW(t->arena, CudaType);
    type->kind = CUDA_STRUCT;
    for (uint32_t i = 0; i < length; i++)
        add_field(t, type, name_of(&t->names, letters[i], 1), &t->scalars[kind]);
    if (length != 3) /* CUDA reads two and four numbers at once, up to 16 bytes */
        type->align = type->size < 16 ? type->size : 16;
    finish_struct(type);
    add_shape(t, type, WORD_VEC, &t->scalars[kind], length, 1);
    const char *name = arena_format(t->arena, "%s%u", stem, length);
    meaning_of(t, name_of(&t->names, name, strlen(name)))->type = type;
}

void define_types(CudaText *t)
{
    for (CudaKind kind = 0; kind < CUDA_SCALARS; kind++) {
        uint32_t size = scalars[kind].size;
        t->scalars[kind] = (CudaType){.kind = kind, .size = size, .align = size, .cells = 1};
        meaning_of(t, name_of(&t->names, scalars[kind].name, strlen(scalars[kind].name)))->type = &t->scalars[kind];
    }
    t->list = (CudaType){.kind = CUDA_LIST, .size = 1, .align = 1, .cells = 1};
    for (uint32_t length = 2; length <= 4; length++) {
        define_vector(t, "float", CUDA_F32, length);
        define_vector(t, "int", CUDA_I32, length);
        define_vector(t, "uint", CUDA_U32, length);
    }
}

/* ---- reading ---- */

static bool is_length_word(CudaText *t)
{
    return at_word(t, WORD_UNSIGNED) || at_word(t, WORD_SIGNED) || at_word(t, WORD_LONG) || at_word(t, WORD_SHORT) ||
           at_word(t, WORD_CHAR);
}

bool at_type(CudaText *t)
{
    return cuda_token(t)->kind == CT_NAME &&
           (at_word(t, WORD_CONST) || at_word(t, WORD_CONSTEXPR) || is_length_word(t) || at_template_type(t) ||
            named_type(t, cuda_token(t)->name));
}

static const CudaType *read_long_type(CudaText *t)
{
    bool is_unsigned = false;
    uint32_t longs = 0;
    CudaKind kind = CUDA_I32;
    for (;; t->at++)
        if (at_word(t, WORD_UNSIGNED))
            is_unsigned = true;
        else if (at_word(t, WORD_LONG))
            longs++;
        else if (at_word(t, WORD_SHORT))
            kind = CUDA_I16;
        else if (at_word(t, WORD_CHAR))
            kind = CUDA_I8;
        else if (!at_word(t, WORD_INT) && !at_word(t, WORD_SIGNED))
            break;
    if (longs)
        kind = CUDA_I64;
    return &t->scalars[kind + is_unsigned];
}

const CudaType *read_type(CudaText *t)
{
    const CudaType *type;
    while (take_word(t, WORD_CONST) || take_word(t, WORD_CONSTEXPR))
        ;
    if (is_length_word(t))
        type = read_long_type(t);
    else if (at_template_type(t))
        type = read_template_type(t);
    else
        type = named_type(t, next_name(t));
    if (!type)
        cannot(t, "a type is expected before '%.20s'", cuda_token(t)->text);
    take_word(t, WORD_CONST);
    return type;
}

const CudaType *read_pointers(CudaText *t, const CudaType *type)
{
    while (take_sign(t, '*')) {
        type = pointer_to(t, type);
        take_word(t, WORD_CONST);
    }
    return type;
}

/* ---- made types ---- */

const CudaType *pointer_to(CudaText *t, const CudaType *type)
{
    if (type->pointer)
        return type->pointer;
    CudaType *pointer = ARENA_NEW(t->arena, CudaType);
    *pointer = (CudaType){.kind = CUDA_POINTER,
                          .size = sizeof(char *),
                          .align = sizeof(char *),
                          .cells = 1,
                          .has_pointers = true,
                          .of = type};
    /* types live in the arena, and only this room makes them */
    ((CudaType *)(uintptr_t)type)->pointer = pointer;
    return pointer;
}

enum { MOST_CELLS = 1 << 20, DEEPEST_TYPE = 50 };

const CudaType *array_of(CudaText *t, const CudaType *type, uint32_t count)
{
    CudaType *array = ARENA_NEW(t->arena, CudaType);
    if (count > MOST_CELLS || type->cells > MOST_CELLS / count || type->depth > DEEPEST_TYPE)
        cannot(t, "an array is too large");
    *array = (CudaType){.kind = CUDA_ARRAY,
                        .size = type->size * count,
                        .align = type->align,
                        .cells = type->cells * count,
                        .depth = type->depth + 1,
                        .has_pointers = type->has_pointers,
                        .of = type,
                        .count = count};
    return array;
}

const CudaType *stored_as(CudaText *t, const CudaType *type, CudaKind stored)
{
    CudaType *seen = ARENA_NEW(t->arena, CudaType);
    *seen = *type;
    seen->stored = stored;
    seen->pointer = NULL;
    return seen;
}

void add_field(CudaText *t, CudaType *type, Name name, const CudaType *field)
{
    uint32_t offset = (type->size + field->align - 1) / field->align * field->align;
    if (type->cells > MOST_CELLS || field->cells > MOST_CELLS || field->depth > DEEPEST_TYPE)
        cannot(t, "a struct is too large");
    ARENA_PUSH(t->arena, type->fields, type->field_count, type->field_cap) =
        (CudaField){name, field, offset, type->cells};
    type->size = offset + field->size;
    type->align = field->align > type->align ? field->align : type->align;
    type->cells += field->cells;
    type->depth = field->depth >= type->depth ? field->depth + 1 : type->depth;
    type->has_pointers |= field->has_pointers;
}

void finish_struct(CudaType *type)
{
    if (!type->field_count)
        type->size = type->align = type->cells = 1;
    type->size = (type->size + type->align - 1) / type->align * type->align;
}

/* ---- types of weft_math.cuh ---- */

static void add_letters(CudaText *t, CudaType *type, const CudaType *scalar, uint32_t count)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    for (uint32_t i = 0; i < count; i++)
        add_field(t, type, name_of(&t->names, letters[i], 1), scalar);
}

static void add_parts(CudaText *t, CudaType *type, Word shape, const CudaType *scalar, uint32_t rows, uint32_t cols)
{
    if (shape == WORD_TRANSFORM) {
        add_field(t, type, name_of(&t->names, "p", 1), shape_of(t, WORD_VEC, scalar, 3, 1));
        add_field(t, type, name_of(&t->names, "q", 1), shape_of(t, WORD_QUAT, scalar, 4, 1));
    } else if (shape == WORD_MAT)
        add_field(t, type, name_of(&t->names, "m", 1), array_of(t, array_of(t, scalar, cols), rows));
    else if (rows >= 2 && rows <= 4)
        add_letters(t, type, scalar, rows);
    else
        add_field(t, type, name_of(&t->names, "c", 1), array_of(t, scalar, rows));
}

const CudaType *shape_of(CudaText *t, Word shape, const CudaType *scalar, uint32_t rows, uint32_t cols)
{
    for (CudaType *known = t->shapes; known; known = known->next_shape)
        if (known->shape == shape && known->scalar == scalar && known->rows == rows && known->cols == cols)
            return known;
    CudaType *type = ARENA_NEW(t->arena, CudaType);
    type->kind = CUDA_STRUCT;
    add_parts(t, type, shape, scalar, rows, cols);
    finish_struct(type);
    add_shape(t, type, shape, scalar, rows, cols);
    return type;
}

/* ---- what is in them ---- */

static void fill_kinds(const CudaType *type, uint8_t *kinds)
{
    if (!is_aggregate(type))
        *kinds = (uint8_t)type->kind;
    for (uint32_t i = 0; type->kind == CUDA_ARRAY && i < type->count; i++)
        fill_kinds(type->of, kinds + i * type->of->cells);
    for (uint32_t i = 0; i < type->field_count; i++)
        fill_kinds(type->fields[i].type, kinds + type->fields[i].cell);
}

const uint8_t *kinds_of(Arena *arena, const CudaType *type)
{
    if (!type->kinds) {
        uint8_t *kinds = ARENA_ARRAY(arena, uint8_t, type->cells + 1);
        fill_kinds(type, kinds);
        ((CudaType *)(uintptr_t)type)->kinds = kinds;
    }
    return type->kinds;
}
