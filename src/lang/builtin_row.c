#include "lang/builtin_row.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    size_t len;
    unsigned traits;
} rules[RESULT_RULE_COUNT] = {
#define RULE(name, result, dispatch, traits) [RESULT_##name] = {#name, sizeof #name - 1, traits},
#include "lang/rule.def"
#undef RULE
};

static const char *const array_names[] = {
    [ARRAY_PLAIN] = "array",        [ARRAY_INDEXED] = "indexedarray",
    [ARRAY_FABRIC] = "fabricarray", [ARRAY_INDEXED_FABRIC] = "indexedfabricarray",
    [ARRAY_FIXED] = "fixedarray",
};

/* Types that are one word. "type" and "T" are read elsewhere: they say how a type is used. */
static const struct SimpleType {
    const char *name;
    size_t len;
    TypeKind kind;
} simple_types[] = {
#define WORD(name, kind) {name, sizeof(name) - 1, kind},
    WORD("Any", TYPE_ANY) WORD("Int", TYPE_ANY_INT) WORD("Float", TYPE_ANY_FLOAT) WORD("Scalar", TYPE_ANY_SCALAR)
        WORD("str", TYPE_STR) WORD("function", TYPE_FUNCTION)
#define SCALAR(kind, family, python, ctype, code, suffix, bytes) WORD(python, TYPE_##kind)
#include "lang/scalar.def"
#undef SCALAR
#undef WORD
};

enum { COUNT_OF_SIMPLE = sizeof simple_types / sizeof *simple_types };
enum { COUNT_OF_ARRAY_CLASSES = sizeof array_names / sizeof *array_names };
enum { MAX_RESULTS = 4 };

/* ---- reading a row ---- */

typedef struct Reader {
    Arena *arena;
    TypeTable *types;
    const char *at;
    const char *problem; /* the first mistake, or NULL */
    const char *problem_at;
    bool t_allowed, t_used; /* T, in results only */
} Reader;

static void *fail(Reader *reader, const char *at, const char *problem)
{
    if (!reader->problem) {
        reader->problem = problem;
        reader->problem_at = at;
    }
    return NULL;
}

static void skip_spaces(Reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static bool accept(Reader *reader, char c)
{
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

static bool expect(Reader *reader, char c, const char *problem)
{
    if (accept(reader, c))
        return true;
    fail(reader, reader->at, problem);
    return false;
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t read_word(Reader *reader)
{
    const char *start = reader->at;
    while (is_word_char(*reader->at))
        reader->at++;
    return (size_t)(reader->at - start);
}

static bool word_is(const char *word, size_t len, const char *text)
{
    return len > 0 && *word == *text && strncmp(word, text, len) == 0 && text[len] == '\0';
}

static uint32_t read_dim(Reader *reader)
{
    if (accept(reader, '*'))
        return TYPE_DIM_ANY;
    const char *start = reader->at;
    uint32_t dim = 0;
    while (*reader->at >= '0' && *reader->at <= '9')
        dim = dim * 10 + (uint32_t)(*reader->at++ - '0');
    if (dim == 0)
        fail(reader, start, "expected a dimension: a number or `*`");
    return dim;
}

static const Type *read_type(Reader *reader);

/* (TYPE) */
static const Type *read_element(Reader *reader)
{
    if (!expect(reader, '(', "expected `(` and the element type"))
        return NULL;
    const Type *type = read_type(reader);
    return type && expect(reader, ')', "expected `)`") ? type : NULL;
}

/* (DIM,TYPE) or (DIM,DIM,TYPE) */
static const Type *read_sized(Reader *reader, bool matrix)
{
    if (!expect(reader, '(', "expected `(`, dimensions and the element type"))
        return NULL;
    uint32_t rows = read_dim(reader), cols = 1;
    if (matrix && expect(reader, ',', "expected `,`"))
        cols = read_dim(reader);
    if (reader->problem || !expect(reader, ',', "expected `,`"))
        return NULL;
    const Type *dtype = read_type(reader);
    if (!dtype || !expect(reader, ')', "expected `)`"))
        return NULL;
    return matrix ? type_mat(reader->types, rows, cols, dtype) : type_vec(reader->types, rows, dtype);
}

/* Nothing (any tuple), or (TYPE,TYPE), or (TYPE,...) */
static const Type *read_tuple(Reader *reader)
{
    const Type **items = NULL;
    uint32_t count = 0, cap = 0;
    bool ellipsis = false;
    if (accept(reader, '(')) {
        do {
            ellipsis = count > 0 && strncmp(reader->at, "...", 3) == 0;
            if (ellipsis) {
                reader->at += 3;
                break;
            }
            const Type *item = read_type(reader);
            if (!item)
                return NULL;
            ARENA_PUSH(reader->arena, items, count, cap) = item;
        } while (accept(reader, ','));
        if (!expect(reader, ')', "expected `)`"))
            return NULL;
    }
    const Type *tuple = type_tuple(reader->types, items, count, ellipsis ? TUPLE_REPEATED : TUPLE_ANNOTATION);
    return tuple;
}

static const Type *read_native(Reader *reader, const char *word, size_t len)
{
    char name[64];
    if (len >= sizeof name)
        return fail(reader, word, "no such type");
    memcpy(name, word, len);
    name[len] = '\0';
    const NativeType *native = native_type_find(name);
    return native ? type_native(reader->types, native) : fail(reader, word, "no such type");
}

static const Type *read_type(Reader *reader)
{
    const char *word = reader->at;
    size_t len = read_word(reader);
    if (len == 0)
        return fail(reader, word, "expected a type");
    for (size_t i = 0; i < COUNT_OF_SIMPLE; i++)
        if (len == simple_types[i].len && memcmp(word, simple_types[i].name, len) == 0)
            return type_scalar(simple_types[i].kind);
    if (word_is(word, len, "vec"))
        return read_sized(reader, false);
    if (word_is(word, len, "mat"))
        return read_sized(reader, true);
    if (word_is(word, len, "tuple"))
        return read_tuple(reader);
    if (word_is(word, len, "T")) {
        if (!reader->t_allowed)
            return fail(reader, word, "T only stands in results");
        reader->t_used = true;
        return type_scalar(TYPE_ANY_SCALAR);
    }
    bool quat = word_is(word, len, "quat");
    if (quat || word_is(word, len, "transform")) {
        const Type *dtype = read_element(reader);
        return !dtype ? NULL : quat ? type_quat(reader->types, dtype) : type_transform(reader->types, dtype);
    }
    if (word_is(word, len, "tile")) {
        const Type *dtype = read_element(reader);
        return dtype ? type_tile(reader->types, dtype, 0, NULL, NULL, TILE_REGISTER) : NULL;
    }
    for (unsigned cls = 0; cls < COUNT_OF_ARRAY_CLASSES; cls++)
        if (word_is(word, len, array_names[cls])) {
            const Type *dtype = read_element(reader);
            return dtype ? type_array(reader->types, (ArrayClass)cls, dtype, 1) : NULL;
        }
    return read_native(reader, word, len);
}

/* -1, 1u, 0.5, 1e-06, inf. Not strtod, which follows the locale; exact, as the numbers here are short. */
static bool read_number(Reader *reader, BuiltinParam *param)
{
    bool negative = accept(reader, '-');
    double value = 0, scale = 1;
    const char *start = reader->at;
    param->default_kind = DEFAULT_INT;
    if (strncmp(start, "inf", 3) == 0) {
        reader->at += 3;
        value = HUGE_VAL;
        param->default_kind = DEFAULT_FLOAT;
    }
    for (bool fraction = false;; fraction = true, param->default_kind = DEFAULT_FLOAT) {
        for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
            value = value * 10 + (*reader->at - '0');
            scale *= fraction ? 10 : 1;
        }
        if (fraction || !accept(reader, '.'))
            break;
    }
    if (reader->at == start)
        return false;
    if (strncmp(reader->at, "e-", 2) == 0) {
        reader->at += 2;
        for (uint32_t exponent = read_dim(reader); exponent > 0; exponent--)
            scale *= 10;
        param->default_kind = DEFAULT_FLOAT;
    } else if (param->default_kind == DEFAULT_INT && accept(reader, 'u')) {
        param->default_kind = DEFAULT_UINT;
    }
    param->default_value = (negative ? -value : value) / scale;
    return true;
}

/* 'text' */
static void read_text(Reader *reader, BuiltinParam *param)
{
    const char *start = reader->at;
    read_word(reader);
    param->default_kind = DEFAULT_STR;
    param->default_text = name_of(reader->types->names, start, (size_t)(reader->at - start))->text;
    expect(reader, '\'', "expected the end of a text");
}

/* True, False, float */
static bool read_default_word(Reader *reader, BuiltinParam *param)
{
    const char *word = reader->at;
    size_t len = read_word(reader);
    bool truth = word_is(word, len, "True");
    if (truth || word_is(word, len, "False")) {
        param->default_kind = DEFAULT_BOOL;
        param->default_value = truth;
        return true;
    }
    if (param->is_dtype && word_is(word, len, "float")) {
        param->default_kind = DEFAULT_TYPE;
        return true;
    }
    reader->at = word;
    return false;
}

static void read_default(Reader *reader, BuiltinParam *param)
{
    const char *start = reader->at;
    if (accept(reader, '\'')) {
        read_text(reader, param);
        return;
    }
    if (strncmp(start, "None", 4) != 0 && read_default_word(reader, param))
        return;
    if (strncmp(start, "None", 4) == 0) {
        param->default_kind = DEFAULT_OMITTED;
        reader->at += 4;
    } else if (!read_number(reader, param)) {
        fail(reader, start, "expected a default value: a number, `inf` or `None`");
    }
}

static void read_param(Reader *reader, BuiltinParam *param)
{
    param->variadic = accept(reader, '*');
    const char *word = reader->at;
    size_t len = read_word(reader);
    if (len == 0) {
        fail(reader, word, "expected a parameter's name");
        return;
    }
    param->name = name_of(reader->types->names, word, len)->text;
    if (!expect(reader, ':', "expected `:` and the parameter's type"))
        return;
    param->is_dtype = strncmp(reader->at, "type(", 5) == 0;
    if (param->is_dtype)
        reader->at += strlen("type");
    const Type *type = param->is_dtype ? read_element(reader) : read_type(reader);
    if (!type)
        return;
    param->type = type_canonical(type);
    if (accept(reader, '='))
        read_default(reader, param);
}

static void read_params(Reader *reader, const char *text, Builtin *out)
{
    reader->at = text;
    uint32_t cap = 1;
    for (const char *c = text; *c; c++) /* more than needed where a type holds commas */
        cap += *c == ',';
    BuiltinParam *params = ARENA_ARRAY(reader->arena, BuiltinParam, cap);
    out->params = params;
    for (;;) {
        skip_spaces(reader);
        BuiltinParam *param = &params[out->param_count++];
        read_param(reader, param);
        if (reader->problem)
            return;
        if (param->variadic)
            out->flags |= BUILTIN_VARIADIC;
        if (!*reader->at)
            return;
        if (!expect(reader, ',', "expected `,` or the end"))
            return;
    }
}

static void read_listed(Reader *reader, Builtin *out)
{
    reader->t_allowed = true;
    const Type *results[MAX_RESULTS];
    do {
        skip_spaces(reader);
        if (out->result_count == MAX_RESULTS) {
            fail(reader, reader->at, "more results than any function has");
            return;
        }
        const Type *type = read_type(reader);
        if (!type)
            return;
        results[out->result_count++] = type_canonical(type);
    } while (accept(reader, ','));
    if (*reader->at)
        fail(reader, reader->at, "expected `,` or the end");
    out->result_uses_arg_scalar = reader->t_used;
    out->results = ARENA_ARRAY(reader->arena, const Type *, out->result_count);
    memcpy(out->results, results, out->result_count * sizeof *results);
}

static void read_result(Reader *reader, const char *text, Builtin *out)
{
    reader->at = text;
    out->result_count = 1;
    if (*text == '@') {
        size_t len = strlen(text + 1);
        for (unsigned rule = 0; rule < RESULT_RULE_COUNT; rule++)
            if (rules[rule].len == len && !(rules[rule].traits & RULE_UNNAMED) &&
                strcasecmp(text + 1, rules[rule].name) == 0) {
                out->rule = (ResultRule)rule;
                out->result_count = rules[rule].traits & RULE_PAIR ? 2 : 1;
                return;
            }
        fail(reader, text, "no such rule: see rule.def");
    } else {
        out->rule = RESULT_LISTED;
        out->result_count = 0;
        read_listed(reader, out);
    }
}

/* ---- columns that were read before ---- */

typedef struct Column {
    const char *text;
    Builtin read; /* of it, only what the column says */
} Column;

static bool is_column(const void *key, const void *wanted)
{
    return strcmp(((const Column *)key)->text, wanted) == 0;
}

/* The column's slot; it holds nothing if the text was not met before. */
static TableSlot *column_slot(Arena *arena, HashTable *columns, const char *text)
{
    return table_add_like(columns, arena, name_hash(text, strlen(text)), is_column, text);
}

static void keep_column(Arena *arena, TableSlot *slot, const char *text, const Builtin *read)
{
    Column *column = ARENA_NEW(arena, Column);
    *column = (Column){text, *read};
    slot->key = column;
}

static void find_params(Reader *reader, HashTable *columns, const char *text, Builtin *out)
{
    if (!*text)
        return;
    TableSlot *slot = column_slot(reader->arena, columns, text);
    if (!slot->key) {
        Builtin read = {0};
        read_params(reader, text, &read);
        if (reader->problem)
            return;
        keep_column(reader->arena, slot, text, &read);
    }
    const Builtin *read = &((const Column *)slot->key)->read;
    out->params = read->params;
    out->param_count = read->param_count;
    out->flags |= read->flags;
}

static void find_result(Reader *reader, HashTable *columns, const char *text, Builtin *out)
{
    if (!*text) {
        out->rule = RESULT_VOID;
        return;
    }
    if (strcmp(text, "=") == 0) {
        out->rule = RESULT_SAME;
        out->result_count = 1;
        return;
    }
    TableSlot *slot = column_slot(reader->arena, columns, text);
    if (!slot->key) {
        Builtin read = {0};
        read_result(reader, text, &read);
        if (reader->problem)
            return;
        keep_column(reader->arena, slot, text, &read);
    }
    const Builtin *read = &((const Column *)slot->key)->read;
    out->rule = read->rule;
    out->results = read->results;
    out->result_count = read->result_count;
    out->result_uses_arg_scalar = read->result_uses_arg_scalar;
}

bool builtins_parse_row(Arena *arena, TypeTable *types, BuiltinColumns *columns, const BuiltinRow *row, Builtin *out,
                        Text *error)
{
    Reader reader = {.arena = arena, .types = types};
    *out = (Builtin){.name = row->name,
                     .native = row->native ? row->native : row->name,
                     .group = row->group,
                     .flags = row->flags,
                     .row = row->line};
    out->native_len = (uint32_t)strlen(out->native);
    find_params(&reader, &columns->params, row->params, out);
    const char *column = "parameters";
    if (!reader.problem) {
        find_result(&reader, &columns->results, row->result, out);
        column = "result";
    }
    if (!reader.problem)
        return true;
    text_format(error, "builtins.def:%u: %s: %s: %s at `%s`", row->line, row->name, column, reader.problem,
                reader.problem_at);
    return false;
}

/* ---- writing it back ---- */

static void dim_text(uint32_t dim, Text *out)
{
    if (dim == TYPE_DIM_ANY)
        text_char(out, '*');
    else
        text_uint(out, dim);
    text_char(out, ',');
}

static void type_text(const Type *type, const char *scalar, Text *out);

static void tuple_text(const Type *type, Text *out)
{
    text_lit(out, "tuple");
    for (uint32_t i = 0; i < type->tuple.count; i++) {
        text_char(out, i ? ',' : '(');
        type_text(type->tuple.types[i], "Scalar", out);
    }
    if (type->tuple.ellipsis)
        text_lit(out, ",...");
    if (type->tuple.count)
        text_char(out, ')');
}

/* `scalar` is what the generic scalar type is called: T in results. */
static void type_text(const Type *type, const char *scalar, Text *out)
{
    switch (type->kind) {
    case TYPE_VEC: text_lit(out, "vec("); break;
    case TYPE_MAT: text_lit(out, "mat("); break;
    case TYPE_QUAT: text_lit(out, "quat("); break;
    case TYPE_TRANSFORM: text_lit(out, "transform("); break;
    case TYPE_ARRAY:
        text_str(out, array_names[type->array.cls]);
        text_char(out, '(');
        type_text(type->array.dtype, scalar, out);
        text_char(out, ')');
        return;
    case TYPE_TILE:
        text_lit(out, "tile(");
        type_text(type->tile->dtype, scalar, out);
        text_char(out, ')');
        return;
    case TYPE_NATIVE: text_str(out, type->native->python_name); return;
    case TYPE_TUPLE: tuple_text(type, out); return;
    case TYPE_ANY_SCALAR: text_str(out, scalar); return;
    default:
        for (size_t i = 0; i < COUNT_OF_SIMPLE; i++)
            if (simple_types[i].kind == type->kind)
                text_str(out, simple_types[i].name);
        return;
    }
    if (type->kind == TYPE_VEC || type->kind == TYPE_MAT)
        dim_text(type->composite.rows, out);
    if (type->kind == TYPE_MAT)
        dim_text(type->composite.cols, out);
    type_text(type->composite.dtype, scalar, out);
    text_char(out, ')');
}

void builtin_type_text(const Type *type, Text *out)
{
    type_text(type, "Scalar", out);
}

void builtin_result_text(const Builtin *builtin, Text *out)
{
    switch (builtin->rule) {
    case RESULT_VOID: return;
    case RESULT_SAME: text_char(out, '='); return;
    case RESULT_LISTED: break;
    default:
        text_char(out, '@');
        for (const char *c = rules[builtin->rule].name; *c; c++)
            text_char(out, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
        return;
    }
    for (uint32_t i = 0; i < builtin->result_count; i++) {
        if (i)
            text_lit(out, ", ");
        type_text(builtin->results[i], "T", out);
    }
}
