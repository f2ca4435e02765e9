#include "lang/builtin.h"

#include "lang/builtin_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const BuiltinRow table_rows[] = {
#define BUILTIN(since, until, name, params, result, native, flags, group)                                              \
    {{WARP_##since, WARP_##until}, name, params, result, native, flags, group, __LINE__},
#include "lang/builtins.def"
#undef BUILTIN
};

/* ---- the table ---- */

struct BuiltinTable {
    Arena *arena;
    TypeTable *types;
    Dialect dialect;
    const BuiltinRow *rows;
    BuiltinColumns *columns; /* of rows that were read */
    BuiltinSet *sets;
    uint32_t set_count;
    /* The numbers of the sets from 1 on, each in the first free place behind its name's hash; 0: a free one. A table is made at
     * every start: a HashTable of them would have 22 kB more to touch. */
    uint16_t *places;
    uint32_t place_count; /* a power of two */
};

static bool is_name(const char *name, size_t len, const char *text)
{
    return name[0] == text[0] && strncmp(name, text, len) == 0 && text[len] == '\0';
}

/* Where the number of a name's set is, or would be. */
static uint16_t *find_place(const BuiltinTable *table, const char *name, size_t len)
{
    uint32_t mask = table->place_count - 1, at = name_hash(name, len) & mask;
    while (table->places[at] && !is_name(name, len, table->sets[table->places[at] - 1].name))
        at = (at + 1) & mask;
    return &table->places[at];
}

/* Makes the row's set at its first row. */
static void enter_row(BuiltinTable *table, uint32_t row)
{
    const char *name = table->rows[row].name;
    uint16_t *place = find_place(table, name, strlen(name));
    if (!*place) {
        table->sets[table->set_count] = (BuiltinSet){.name = name, .first_row = row};
        *place = (uint16_t)++table->set_count;
    }
    table->sets[*place - 1].last_row = row;
}

static void read_row(const BuiltinTable *table, const BuiltinRow *row, Builtin *out)
{
    Text error;
    text_init(&error);
    if (!builtins_parse_row(table->arena, table->types, table->columns, row, out, &error)) {
        fprintf(stderr, "%s\n", text_cstr(&error));
        abort();
    }
    text_free(&error);
}

/* The first row of the set from `row` on; one more than the last: there is none. */
static uint32_t next_row(const BuiltinTable *table, const BuiltinSet *set, uint32_t row)
{
    const char *other = NULL; /* rows of one name stand together, with the same literal */
    for (; row <= set->last_row; row++) {
        const BuiltinRow *at = &table->rows[row];
        if (at->name == other)
            continue;
        if (at->name[0] != set->name[0] || strcmp(at->name, set->name) != 0)
            other = at->name;
        else if (dialect_has(&table->dialect, at->versions))
            break;
    }
    return row;
}

/* The overloads are in the order of the rows, but with the variadic ones last. */
static void read_set(const BuiltinTable *table, BuiltinSet *set)
{
    uint32_t row_count = 0, count = 0;
    for (uint32_t i = set->first_row; i <= set->last_row; i = next_row(table, set, i + 1))
        row_count++;
    Builtin *builtins = ARENA_ARRAY(table->arena, Builtin, row_count), *next = builtins;
    const Builtin **overloads = ARENA_ARRAY(table->arena, const Builtin *, row_count);
    for (uint32_t i = set->first_row; i <= set->last_row; i = next_row(table, set, i + 1))
        read_row(table, &table->rows[i], next++);
    for (unsigned variadic = 0; variadic <= BUILTIN_VARIADIC; variadic += BUILTIN_VARIADIC)
        for (uint32_t i = 0; i < row_count; i++)
            if ((builtins[i].flags & BUILTIN_VARIADIC) == variadic)
                overloads[count++] = &builtins[i];
    for (uint32_t i = 0; i < row_count; i++)
        set->flags |= builtins[i].flags;
    set->overloads = overloads;
    set->count = count;
}

static const BuiltinSet *set_with_rows(const BuiltinTable *table, uint32_t index)
{
    BuiltinSet *set = &table->sets[index];
    if (!set->count)
        read_set(table, set);
    return set;
}

/* Twice as many as there are sets, at least. */
static void make_places(BuiltinTable *table, uint32_t row_count)
{
    uint32_t names = 1;
    for (uint32_t i = 1; i < row_count; i++)
        names += table->rows[i].name != table->rows[i - 1].name;
    if (names > UINT16_MAX)
        abort();
    for (table->place_count = 16; table->place_count < 2 * names;)
        table->place_count *= 2;
    table->places = ARENA_ARRAY(table->arena, uint16_t, table->place_count);
}

BuiltinTable *builtins_from_rows(Arena *arena, TypeTable *types, const Dialect *dialect, const BuiltinRow *rows,
                                 uint32_t row_count)
{
    BuiltinTable *table = ARENA_NEW(arena, BuiltinTable);
    *table = (BuiltinTable){.arena = arena, .types = types, .dialect = *dialect, .rows = rows};
    table->columns = ARENA_NEW(arena, BuiltinColumns);
    table->sets = arena_take(arena, row_count * sizeof *table->sets);
    make_places(table, row_count);
    const char *before = NULL; /* rows of one name stand together */
    for (uint32_t i = 0; i < row_count; i++) {
        if (!dialect_has(dialect, rows[i].versions))
            continue;
        if (rows[i].name == before)
            table->sets[table->set_count - 1].last_row = i;
        else
            enter_row(table, i);
        before = table->sets[table->set_count - 1].name == rows[i].name ? rows[i].name : NULL;
    }
    return table;
}

BuiltinTable *builtins_new(Arena *arena, TypeTable *types, const Dialect *dialect)
{
    return builtins_from_rows(arena, types, dialect, table_rows, sizeof table_rows / sizeof *table_rows);
}

bool builtin_is_known(const Dialect *dialect, const char *name)
{
    for (size_t i = 0; i < sizeof table_rows / sizeof *table_rows; i++)
        if (strcmp(table_rows[i].name, name) == 0 && dialect_has(dialect, table_rows[i].versions))
            return true;
    return false;
}

TypeTable *builtins_types(const BuiltinTable *table)
{
    return table->types;
}

const Dialect *builtins_dialect(const BuiltinTable *table)
{
    return &table->dialect;
}

const BuiltinSet *builtin_find(const BuiltinTable *table, const char *name, size_t len)
{
    uint16_t number = *find_place(table, name, len);
    return number ? set_with_rows(table, number - 1u) : NULL;
}

bool builtin_is_hidden(const BuiltinTable *table, const char *name, size_t len)
{
    uint16_t number = *find_place(table, name, len);
    return !number || table->rows[table->sets[number - 1].first_row].flags & BUILTIN_HIDDEN;
}

uint32_t builtin_set_count(const BuiltinTable *table)
{
    return table->set_count;
}

const BuiltinSet *builtin_set_at(const BuiltinTable *table, uint32_t index)
{
    return set_with_rows(table, index);
}

/* ---- writing the table down ---- */

static void default_text(const BuiltinParam *param, Text *out)
{
    switch (param->default_kind) {
    case DEFAULT_NONE: text_lit(out, "null"); return;
    case DEFAULT_OMITTED: text_lit(out, "\"None\""); return;
    case DEFAULT_BOOL: text_str(out, param->default_value != 0 ? "\"True\"" : "\"False\""); return;
    case DEFAULT_STR: text_format(out, "\"'%s'\"", param->default_text); return;
    case DEFAULT_TYPE: text_lit(out, "\"float\""); return;
    case DEFAULT_INT: text_format(out, "\"%.0f\"", param->default_value); return;
    case DEFAULT_UINT: text_format(out, "\"%.0fu\"", param->default_value); return;
    case DEFAULT_FLOAT:
        text_char(out, '"');
        text_python_float(out, param->default_value);
        text_char(out, '"');
        return;
    }
}

static void params_text(const Builtin *builtin, Text *out)
{
    for (uint32_t i = 0; i < builtin->param_count; i++) {
        const BuiltinParam *param = &builtin->params[i];
        text_str(out, i ? ", [\"" : "[\"");
        text_str(out, param->variadic ? "*" : "");
        text_str(out, param->name);
        text_str(out, param->is_dtype ? "\", \"type(" : "\", \"");
        builtin_type_text(param->type, out);
        text_str(out, param->is_dtype ? ")\", " : "\", ");
        default_text(param, out);
        text_char(out, ']');
    }
}

static void flags_text(unsigned flags, Text *out)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {BUILTIN_NO_ADJOINT, "no_adjoint"},
        {BUILTIN_SKIP_REPLAY, "skip_replay"},
        {BUILTIN_NEEDS_OUTPUT, "needs_output"},
        {BUILTIN_GLOBAL, "global"},
        {BUILTIN_HIDDEN, "hidden"},
        {BUILTIN_VARIADIC, "variadic"},
        {BUILTIN_ADJOINT_TEMPLATE, "adjoint_template"},
        {BUILTIN_HASHED, "hashed"},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(flags & names[i].bit))
            continue;
        text_str(out, first ? "\"" : ", \"");
        text_str(out, names[i].name);
        text_char(out, '"');
        first = false;
    }
}

void builtins_dump(const BuiltinTable *table, Text *out)
{
    for (uint32_t i = 0; i < table->set_count; i++) {
        const BuiltinSet *set = builtin_set_at(table, i);
        for (uint32_t k = 0; k < set->count; k++) {
            const Builtin *builtin = set->overloads[k];
            text_format(out, "{\"name\": \"%s\", \"params\": [", builtin->name);
            params_text(builtin, out);
            text_lit(out, "], \"result\": \"");
            builtin_result_text(builtin, out);
            text_format(out, "\", \"result_count\": %u, \"native\": \"%s\", \"flags\": [", builtin->result_count,
                        builtin->native);
            flags_text(builtin->flags, out);
            text_format(out, "], \"group\": \"%s\"}\n", builtin->group);
        }
    }
}
