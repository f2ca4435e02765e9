/* C types of values, and the small device functions that work on them. */
#include "standalone/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct HelperRow {
    const char *name, *calls, *text;
} HelperRow;

static const HelperRow rows[] = {
#define HELPER(name, calls, text) {name, calls, text},
#include "standalone/helper.def"
#undef HELPER
};

/* ---- lists of texts ---- */

bool is_needed(const NeedList *list, const char *key)
{
    for (const Need *known = list->first; known; known = known->next)
        if (same_text(known->key, key))
            return true;
    return false;
}

void need(Translator *t, NeedList *list, const char *key, const char *text)
{
    if (is_needed(list, key))
        return;
    if (!list->last)
        list->last = &list->first;
    Need *fresh = ARENA_NEW(t->arena, Need);
    fresh->key = key;
    fresh->text = text;
    *list->last = fresh;
    list->last = &fresh->next;
    list->count++;
}

/* ---- numbers ---- */

const char *number_text(Translator *t, double value, TypeKind kind)
{
    char text[64];
    bool single = kind == TYPE_FLOAT32;
    if (kind == TYPE_FLOAT16)
        return arena_format(t->arena, "float16(%s)", number_text(t, round_half(value), TYPE_FLOAT32));
    if (isnan(value))
        return single ? "NAN" : "(double)NAN";
    value = round_to_type(value, kind);
    if (isinf(value))
        return value > 0 ? "INFINITY" : "-INFINITY";
    if (value == floor(value) && fabs(value) < 1e6 && !(value == 0 && signbit(value)))
        return arena_format(t->arena, single ? "%d.0f" : "%d.0", (int)value);
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? (float)strtod(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    bool plain = !strpbrk(text, ".e");
    return arena_format(t->arena, "%s%s%s", text, plain ? ".0" : "", single ? "f" : "");
}

/* ---- types ---- */

static const struct {
    const char *c, *suffix, *numpy;
} scalars[] = {
    [TYPE_INT8] = {"int8_t", "b", "int8"},        [TYPE_UINT8] = {"uint8_t", "ub", "uint8"},
    [TYPE_INT16] = {"int16_t", "s", "int16"},     [TYPE_UINT16] = {"uint16_t", "us", "uint16"},
    [TYPE_INT32] = {"int", "i", "int32"},         [TYPE_UINT32] = {"uint32_t", "u", "uint32"},
    [TYPE_INT64] = {"int64_t", "l", "int64"},     [TYPE_UINT64] = {"uint64_t", "ul", "uint64"},
    [TYPE_FLOAT32] = {"float", "f", "float32"},   [TYPE_FLOAT64] = {"double", "d", "float64"},
    [TYPE_FLOAT16] = {"float16", "h", "float16"}, [TYPE_BOOL] = {"bool", "p", "bool"},
    [TYPE_HANDLE] = {"uint64_t", "ul", "uint64"},
};

static const char *scalar_ctype(const Type *type)
{
    return type->kind < sizeof scalars / sizeof *scalars ? scalars[type->kind].c : NULL;
}

const char *type_suffix(const Type *scalar)
{
    return scalar_ctype(scalar) ? scalars[scalar->kind].suffix : "x";
}

bool warp_type_name(const char *name)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].numpy && same_text(scalars[i].numpy, name))
            return true;
    return false;
}

bool is_vector_type(const Type *type)
{
    return type->kind == TYPE_VEC;
}

uint32_t parts_of(const Type *type)
{
    return type_is_composite(type) ? type->composite.rows * type->composite.cols : 1;
}

bool is_float_type(const Type *type)
{
    if (!type || type_is_scalar(type))
        return type && type_is_float(type);
    type = type_canonical(type);
    if (type->kind == TYPE_ARRAY)
        return is_float_type(type->array.dtype);
    if (type->kind != TYPE_STRUCT)
        return type_is_float(type_scalar_of(type));
    for (uint32_t i = 0; i < type->decl->field_count; i++)
        if (is_float_type(type->decl->fields[i].type))
            return true;
    return false;
}

static bool is_cuda_vector(const Type *type)
{
    TypeKind kind = type->composite.dtype->kind;
    return type->kind == TYPE_VEC && type->composite.rows >= 2 && type->composite.rows <= 4 &&
           (kind == TYPE_FLOAT32 || kind == TYPE_INT32 || kind == TYPE_UINT32);
}

static bool has_letters(const Type *type)
{
    return type->kind == TYPE_QUAT || (type->kind == TYPE_VEC && type->composite.rows <= 4);
}

const char *component_text(Translator *t, const Type *type, uint32_t index)
{
    static const char *const letters[] = {".x", ".y", ".z", ".w"};
    static const char *const transform[] = {".p.x", ".p.y", ".p.z", ".q.x", ".q.y", ".q.z", ".q.w"};
    if (has_letters(type))
        return index < 4 ? letters[index] : ".c";
    if (type->kind == TYPE_TRANSFORM)
        return transform[index % 7];
    if (type->kind == TYPE_MAT)
        return arena_format(t->arena, ".m[%u][%u]", index / type->composite.cols, index % type->composite.cols);
    return arena_format(t->arena, ".c[%u]", index);
}

static void declare_composite(Translator *t, const Type *type, const char *name)
{
    const char *scalar = c_type(t, type->composite.dtype), *text;
    uint32_t rows_ = type->composite.rows;
    if (type->kind == TYPE_MAT)
        text =
            arena_format(t->arena, "struct %s {\n    %s m[%u][%u];\n};\n", name, scalar, rows_, type->composite.cols);
    else if (type->kind == TYPE_TRANSFORM)
        text = arena_format(t->arena, "struct %s {\n    %s p;\n    %s q;\n};\n", name,
                            c_type(t, type_vec(t->unit->types, 3, type->composite.dtype)),
                            c_type(t, type_quat(t->unit->types, type->composite.dtype)));
    else if (has_letters(type)) {
        static const char *const parts[] = {"", "x", "x, y", "x, y, z", "x, y, z, w"};
        text = arena_format(t->arena, "struct %s {\n    %s %s;\n};\n", name, scalar, parts[rows_]);
    } else
        text = arena_format(t->arena, "struct %s {\n    %s c[%u];\n};\n", name, scalar, rows_);
    need(t, &t->types, name, text);
}

static const char *name_composite(Translator *t, const Type *type)
{
    const char *suffix = type_suffix(type->composite.dtype), *name;
    uint32_t rows_ = type->composite.rows, cols = type->composite.cols;
    if (is_cuda_vector(type)) {
        TypeKind kind = type->composite.dtype->kind;
        return arena_format(t->arena, "%s%u",
                            kind == TYPE_FLOAT32 ? "float"
                            : kind == TYPE_INT32 ? "int"
                                                 : "uint",
                            rows_);
    }
    switch (type->kind) {
    case TYPE_VEC: name = arena_format(t->arena, "vec%u%s", rows_, suffix); break;
    case TYPE_MAT:
        name = rows_ > 9 || cols > 9 ? arena_format(t->arena, "mat%ux%u%s", rows_, cols, suffix)
                                     : arena_format(t->arena, "mat%u%u%s", rows_, cols, suffix);
        break;
    case TYPE_QUAT: name = arena_join(t->arena, "quat", suffix); break;
    default: name = arena_join(t->arena, "transform", suffix); break;
    }
    declare_composite(t, type, name);
    return name;
}

static const char *composite_ctype(Translator *t, const Type *type)
{
    for (uint32_t i = 0; i < t->c_type_count; i++)
        if (t->c_types[i].type == type)
            return t->c_types[i].text;
    const char *text = name_composite(t, type);
    if (t->c_type_count < sizeof t->c_types / sizeof *t->c_types)
        t->c_types[t->c_type_count++] = (KnownType){type, text};
    return text;
}

static const char *struct_ctype(Translator *t, const Type *type)
{
    const StructDecl *decl = type->decl;
    const char *name = decl->key->text;
    if (is_needed(&t->types, name))
        return name;
    Text text;
    text_init_in(&text, t->arena);
    text_format(&text, "struct %s {\n", name);
    for (uint32_t i = 0; i < decl->field_count; i++) {
        const Type *field = strip(decl->fields[i].type);
        const char *label = decl->fields[i].name->text;
        if (field->kind == TYPE_ARRAY) {
            text_format(&text, "    %s *%s;\n    int %s_dim[%u];\n", c_type(t, strip(field->array.dtype)), label, label,
                        field->array.ndim);
            continue;
        }
        text_format(&text, "    %s %s;\n", c_type(t, field), label);
    }
    text_lit(&text, "};\n");
    need(t, &t->types, name, text_cstr(&text));
    return name;
}

static const char float16_text[] =
    "// A number of 16 bits: computed with as float, rounded to the nearest when it is made.\n"
    "struct float16 {\n"
    "    uint16_t bits;\n"
    "    float16() = default;\n"
    "    __host__ __device__ float16(float value)\n"
    "    {\n"
    "        float size = fabsf(value), unit = 0.000000059604644775390625f; // the smallest one\n"
    "        for (int i = 0; i < 29 && size >= unit * 2048.0f; ++i)\n"
    "            unit *= 2.0f;\n"
    "        float steps = rintf(size / unit);\n"
    "        bits = (uint16_t)(size < 65520.0f ? 0 : 0x7c00);\n"
    "        if (size < 65520.0f) {\n"
    "            int exponent = 0;\n"
    "            for (; exponent < 30 && unit > 0.000000059604644775390625f; ++exponent)\n"
    "                unit *= 0.5f;\n"
    "            bits = (uint16_t)((exponent << 10) + (int)steps);\n"
    "        } else if (size != size)\n"
    "            bits = 0x7e00;\n"
    "        if (value < 0.0f)\n"
    "            bits |= 0x8000;\n"
    "    }\n"
    "    __host__ __device__ operator float() const\n"
    "    {\n"
    "        int exponent = bits >> 10 & 31, fraction = bits & 1023;\n"
    "        float size = (exponent ? fraction + 1024 : fraction) * 0.000000059604644775390625f;\n"
    "        for (int i = 1; i < exponent; ++i)\n"
    "            size *= 2.0f;\n"
    "        if (exponent == 31)\n"
    "            size = fraction ? NAN : INFINITY;\n"
    "        return bits & 0x8000 ? -size : size;\n"
    "    }\n"
    "    __host__ __device__ float16 &operator+=(float value) { return *this = (float)*this + value; }\n"
    "};\n";

const char *c_type(Translator *t, const Type *type)
{
    const char *scalar = scalar_ctype(type);
    if (type->kind == TYPE_FLOAT16)
        need(t, &t->types, "float16", float16_text);
    if (scalar)
        return scalar;
    if (type_is_composite(type) && scalar_ctype(type->composite.dtype))
        return composite_ctype(t, type);
    if (type->kind == TYPE_STRUCT)
        return struct_ctype(t, type);
    Text text;
    text_init_in(&text, t->arena);
    type_repr(type, &text);
    refuse(t, NULL, "the type %s is not translated", text_cstr(&text));
}

/* ---- writing out a helper ---- */

typedef struct Filling {
    const Type *type, *second;
    const Type *scalar;
} Filling;

static void add_part_list(Translator *t, Text *out, const Filling *f, const char *what)
{
    uint32_t rows_ = f->type->composite.rows, cols = f->type->composite.cols;
    const Type *x = type_vec(t->unit->types, cols, f->scalar), *y = type_vec(t->unit->types, rows_, f->scalar);
    if (strcmp(what, "mat_vec") == 0)
        for (uint32_t i = 0; i < rows_; i++)
            for (uint32_t k = 0; k < cols; k++)
                text_format(out, "%sa.m[%u][%u] * v%s", k ? " + " : i ? ", " : "", i, k, component_text(t, x, k));
    else if (strcmp(what, "vec_mat") == 0)
        for (uint32_t k = 0; k < cols; k++)
            for (uint32_t i = 0; i < rows_; i++)
                text_format(out, "%sv%s * a.m[%u][%u]", i ? " + " : k ? ", " : "", component_text(t, y, i), i, k);
    else if (strcmp(what, "transpose") == 0)
        for (uint32_t k = 0; k < cols; k++)
            for (uint32_t i = 0; i < rows_; i++)
                text_format(out, "%sa.m[%u][%u]", i || k ? ", " : "", i, k);
    else if (strcmp(what, "diagonal") == 0)
        for (uint32_t i = 0; i < rows_; i++)
            text_format(out, "%sa.m[%u][%u]", i ? ", " : "", i, i);
    else if (strcmp(what, "row") == 0)
        for (uint32_t k = 0; k < cols; k++)
            text_format(out, "%sa.m[i][%u]", k ? ", " : "", k);
    else if (strncmp(what, "shift", 5) == 0)
        for (uint32_t i = 0; i < rows_; i++)
            text_format(out, "%s(%s)(a%s %s b%s)", i ? ", " : "", c_type(t, f->scalar), component_text(t, f->type, i),
                        what[6] == 'l' ? "<<" : ">>", component_text(t, f->type, i));
    else if (strcmp(what, "outer") == 0)
        for (uint32_t i = 0; i < rows_; i++)
            for (uint32_t k = 0; k < f->second->composite.rows; k++)
                text_format(out, "%sa%s * b%s", i || k ? ", " : "", component_text(t, f->type, i),
                            component_text(t, f->second, k));
}

static const Type *letter_type(Translator *t, const Filling *f, char letter)
{
    TypeTable *types = t->unit->types;
    switch (letter) {
    case 'T': return f->type;
    case 'S': return f->scalar;
    case 'U': return f->second;
    case 'X': return type_vec(types, f->type->composite.cols, f->scalar);
    case 'Y': return type_vec(types, f->type->composite.rows, f->scalar);
    case 'M': return type_mat(types, f->type->composite.rows, f->second->composite.rows, f->scalar);
    case 'P': return type_mat(types, f->type->composite.rows, f->second->composite.cols, f->scalar);
    case 'V': return type_mat(types, f->type->composite.cols, f->type->composite.rows, f->scalar);
    case 'Q': return type_mat(types, 3, 3, f->scalar);
    case 'W': return type_vec(types, 3, f->scalar);
    case 'O': return type_quat(types, f->scalar);
    default: return NULL;
    }
}

/* What follows a dollar sign; the number of characters that were read. */
static size_t add_variable(Translator *t, Text *out, const Filling *f, const char *at)
{
    static const char *const lists[] = {"mat_vec", "vec_mat", "transpose",  "diagonal",
                                        "row",     "outer",   "shift_left", "shift_right"};
    bool is_float = type_is_float(f->scalar);
    const char *suffix = f->scalar->kind == TYPE_FLOAT32 || f->scalar->kind == TYPE_FLOAT16 ? "f" : "";
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (strncmp(at, lists[i], strlen(lists[i])) == 0) {
            add_part_list(t, out, f, lists[i]);
            return strlen(lists[i]);
        }
    if (strncmp(at, "min", 3) == 0 || strncmp(at, "max", 3) == 0) {
        text_format(out, is_float ? "f%.3s%s" : "%.3s", at, suffix);
        return 3;
    }
    const Type *type = letter_type(t, f, *at);
    if (type)
        text_str(out, c_type(t, type));
    else if (*at == 'F')
        text_str(out, suffix);
    else if (*at == 'z')
        text_format(out, is_float ? "0.0%s" : "0", suffix);
    else if (*at == 'o')
        text_format(out, is_float ? "1.0%s" : "1", suffix);
    else if (*at == 'N')
        text_uint(out, parts_of(f->type));
    else if (*at == 'R')
        text_uint(out, f->type->composite.rows);
    else if (*at == 'C')
        text_uint(out, f->type->composite.cols);
    else if (*at == 'K')
        text_uint(out, f->second->composite.cols);
    return 1;
}

static void add_filled(Translator *t, Text *out, const Filling *f, const char *text, size_t length, const char *part)
{
    for (const char *at = text; at < text + length;) {
        if (*at == '$')
            at += 1 + add_variable(t, out, f, at + 1);
        else if (*at == '#' && part)
            text_str(out, part), at++;
        else if (*at == '`' && part)
            text_str(out, part + 1), at++;
        else
            text_char(out, *at++);
    }
}

/* <<body@between>>: the body for every part of the type. */
static const char *add_parts(Translator *t, Text *out, const Filling *f, const char *at)
{
    const char *bar = strchr(at, '@'), *end = strstr(bar, ">>");
    TypeKind kind = f->scalar->kind;
    bool narrow = (kind <= TYPE_UINT16 || kind == TYPE_FLOAT16) && bar[1] == ',';
    for (uint32_t i = 0; i < parts_of(f->type); i++) {
        if (i)
            text_add(out, bar + 1, (size_t)(end - bar - 1));
        if (narrow)
            text_format(out, "(%s)(", c_type(t, f->scalar));
        add_filled(t, out, f, at, (size_t)(bar - at), component_text(t, f->type, i));
        if (narrow)
            text_char(out, ')');
    }
    return end + 2;
}

static void use_called(Translator *t, const Filling *f, const char *calls)
{
    while (*calls) {
        size_t length = strcspn(calls, ": ");
        const char *name = arena_strndup(t->arena, calls, length);
        const Type *type = f->type, *second = f->second;
        calls += length;
        if (*calls == ':') {
            if (calls[1] == 'u')
                type = f->second;
            if (calls[2] == ',')
                second = f->type;
            calls += strcspn(calls, " ");
        }
        if (name[0] == '!')
            c_type(t, letter_type(t, f, 'Q'));
        else
            use_helper(t, name, type, second);
        while (*calls == ' ')
            calls++;
    }
}

void index_helpers(RowTable *table)
{
    _Static_assert(sizeof rows / sizeof *rows <= MAX_ROWS, "a larger RowTable is needed");
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rows_add(table, rows[i].name, i);
}

static const HelperRow *find_helper(Translator *t, const char *name)
{
    const RowTable *table = &t->library->helpers;
    for (uint32_t i = rows_first(table, name); i != NO_ROW; i = table->next[i])
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    refuse(t, NULL, "weft made a mistake: there is no helper '%s'", name);
}

static bool is_known_helper(Translator *t, const HelperRow *row, const Type *type, const Type *second)
{
    for (uint32_t i = 0; i < t->known_helper_count; i++) {
        const KnownHelper *known = &t->known_helpers[i];
        if (known->row == row && known->type == type && known->second == second)
            return true;
    }
    if (t->known_helper_count < sizeof t->known_helpers / sizeof *t->known_helpers)
        t->known_helpers[t->known_helper_count++] = (KnownHelper){row, type, second};
    return false;
}

void use_helper(Translator *t, const char *name, const Type *type, const Type *second)
{
    const HelperRow *row = find_helper(t, name);
    if (is_known_helper(t, row, type, second))
        return;
    if (strcmp(name, "min") == 0 && type_is_scalar(type))
        return; /* CUDA has it */
    if (strcmp(name, "max") == 0 && type_is_scalar(type))
        return;
    const char *key =
        arena_format(t->arena, "%s %s %s", name, type ? c_type(t, type) : "", second ? c_type(t, second) : "");
    if (is_needed(&t->helpers, key))
        return;
    Filling filling = {type, second, type ? type_scalar_of(type) : type_scalar(TYPE_FLOAT32)};
    use_called(t, &filling, row->calls);
    Text text;
    text_init_in(&text, t->arena);
    for (const char *at = row->text; *at;) {
        if (at[0] == '<' && at[1] == '<' && at[2] != '(' && type && strchr(at, '@')) {
            at = add_parts(t, &text, &filling, at + 2);
            continue;
        }
        const char *next = strstr(at + 1, "<<");
        size_t length = next ? (size_t)(next - at) : strlen(at);
        if (type)
            add_filled(t, &text, &filling, at, length, NULL);
        else
            text_add(&text, at, length);
        at += length;
    }
    need(t, &t->helpers, key, text_cstr(&text));
}
