#include "cuda/impl.h"

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

static void define_vector(CudaText *t, const char *stem, CudaKind kind, uint32_t length)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    CudaType *type = ARENA_NEW(t->arena, CudaType);
    type->kind = CUDA_STRUCT;
    for (uint32_t i = 0; i < length; i++)
        add_field(t, type, name_of(&t->names, letters[i], 1), &t->scalars[kind]);
    finish_struct(type);
    const char *name = arena_format(t->arena, "%s%u", stem, length);
    meaning_of(t, name_of(&t->names, name, strlen(name)))->type = type;
}

void define_types(CudaText *t)
{
    for (CudaKind kind = 0; kind < CUDA_SCALARS; kind++) {
        uint32_t size = t->wide && kind == CUDA_F32 ? 8 : scalars[kind].size;
        t->scalars[kind] = (CudaType){.kind = kind, .size = size, .align = size};
        meaning_of(t, name_of(&t->names, scalars[kind].name, strlen(scalars[kind].name)))->type = &t->scalars[kind];
    }
    t->list = (CudaType){.kind = CUDA_LIST, .size = 1, .align = 1};
    for (uint32_t length = 2; length <= 4; length++) {
        define_vector(t, "float", CUDA_F32, length);
        define_vector(t, "int", CUDA_I32, length);
        define_vector(t, "uint", CUDA_U32, length);
    }
}

/* ---- reading ---- */

static bool is_length_word(CudaText *t)
{
    return at_word(t, "unsigned") || at_word(t, "signed") || at_word(t, "long") || at_word(t, "short") ||
           at_word(t, "char");
}

bool at_type(CudaText *t)
{
    return cuda_token(t)->kind == CT_NAME && (at_word(t, "const") || at_word(t, "constexpr") || is_length_word(t) ||
                                              meaning_of(t, cuda_token(t)->name)->type);
}

static const CudaType *read_long_type(CudaText *t)
{
    bool is_unsigned = false;
    uint32_t longs = 0;
    CudaKind kind = CUDA_I32;
    for (;; t->at++)
        if (at_word(t, "unsigned"))
            is_unsigned = true;
        else if (at_word(t, "long"))
            longs++;
        else if (at_word(t, "short"))
            kind = CUDA_I16;
        else if (at_word(t, "char"))
            kind = CUDA_I8;
        else if (!at_word(t, "int") && !at_word(t, "signed"))
            break;
    if (longs)
        kind = CUDA_I64;
    return &t->scalars[kind + is_unsigned];
}

const CudaType *read_type(CudaText *t)
{
    const CudaType *type;
    while (take_word(t, "const") || take_word(t, "constexpr"))
        ;
    if (is_length_word(t))
        type = read_long_type(t);
    else
        type = meaning_of(t, next_name(t))->type;
    if (!type)
        cannot(t, "a type is expected before '%.20s'", cuda_token(t)->text);
    take_word(t, "const");
    return type;
}

const CudaType *read_pointers(CudaText *t, const CudaType *type)
{
    while (take_sign(t, '*')) {
        type = pointer_to(t, type);
        take_word(t, "const");
    }
    return type;
}

/* ---- made types ---- */

const CudaType *pointer_to(CudaText *t, const CudaType *type)
{
    if (type->pointer)
        return type->pointer;
    CudaType *pointer = ARENA_NEW(t->arena, CudaType);
    *pointer = (CudaType){.kind = CUDA_POINTER, .size = sizeof(char *), .align = sizeof(char *), .of = type};
    /* types live in the arena, and only this room makes them */
    ((CudaType *)(uintptr_t)type)->pointer = pointer;
    return pointer;
}

const CudaType *array_of(CudaText *t, const CudaType *type, uint32_t count)
{
    CudaType *array = ARENA_NEW(t->arena, CudaType);
    if (count > 1u << 20 || type->size > 1u << 20)
        cannot(t, "an array is too large");
    *array =
        (CudaType){.kind = CUDA_ARRAY, .size = type->size * count, .align = type->align, .of = type, .count = count};
    return array;
}

void add_field(CudaText *t, CudaType *type, Name name, const CudaType *field)
{
    uint32_t offset = (type->size + field->align - 1) / field->align * field->align;
    ARENA_PUSH(t->arena, type->fields, type->field_count, type->field_cap) = (CudaField){name, field, offset};
    type->size = offset + field->size;
    type->align = field->align > type->align ? field->align : type->align;
}

void finish_struct(CudaType *type)
{
    type->align = type->align ? type->align : 1;
    type->size = (type->size + type->align - 1) / type->align * type->align;
}

/* ---- numbers in them ---- */

uint32_t cells_of(const CudaType *type)
{
    uint32_t count = 0;
    if (type->kind == CUDA_ARRAY)
        return type->count * cells_of(type->of);
    for (uint32_t i = 0; i < type->field_count; i++)
        count += cells_of(type->fields[i].type);
    return type->kind == CUDA_STRUCT ? count : 1;
}

static const CudaType *find_cell(const CudaType *type, size_t cell, size_t *offset)
{
    while (!is_scalar(type)) {
        if (type->kind == CUDA_POINTER)
            return NULL;
        if (type->kind == CUDA_ARRAY) {
            size_t each = cells_of(type->of);
            *offset += cell / each * type->of->size;
            cell %= each;
            type = type->of;
            continue;
        }
        uint32_t i = 0;
        for (uint32_t count; (count = cells_of(type->fields[i].type)) <= cell; i++)
            cell -= count;
        *offset += type->fields[i].offset;
        type = type->fields[i].type;
    }
    return type;
}

double cell_get(const CudaType *type, const char *place, size_t cell)
{
    size_t each = cells_of(type), offset = cell / each * type->size;
    const CudaType *scalar = find_cell(type, cell % each, &offset);
    if (!scalar)
        return 0;
    Number number = number_at(scalar, place + offset);
    return is_real(scalar) ? number.real : (double)number.whole;
}

void cell_set(const CudaType *type, char *place, size_t cell, double real, int64_t whole)
{
    size_t each = cells_of(type), offset = cell / each * type->size;
    const CudaType *scalar = find_cell(type, cell % each, &offset);
    Number number = {.whole = whole};
    if (!scalar)
        return;
    if (is_real(scalar))
        number.real = real;
    put_number(scalar, place + offset, wrap_number(scalar, number));
}
