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
    HashTable index; /* of the sets, by their names */
};

typedef struct Wanted {
    const char *name;
    size_t len;
} Wanted;

static bool is_name(const char *name, size_t len, const char *text)
{
    return strncmp(name, text, len) == 0 && text[len] == '\0';
}

static bool is_set_of(const void *key, const void *wanted)
{
    const Wanted *name = wanted;
    return is_name(name->name, name->len, ((const BuiltinSet *)key)->name);
}

/* Makes the row's set at its first row. */
static void enter_row(BuiltinTable *table, uint32_t row)
{
    const char *name = table->rows[row].name;
    Wanted wanted = {name, strlen(name)};
    TableSlot *slot = table_add_like(&table->index, table->arena, name_hash(name, wanted.len), is_set_of, &wanted);
    if (!slot->key) {
        slot->key = &table->sets[table->set_count];
        slot->number = table->set_count;
        table->sets[table->set_count++] = (BuiltinSet){.name = name, .first_row = row};
    }
    table->sets[slot->number].last_row = row;
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

static bool is_row_of(const BuiltinTable *table, const BuiltinRow *row, const BuiltinSet *set)
{
    return dialect_has(&table->dialect, row->versions) && strcmp(row->name, set->name) == 0;
}

/* The overloads are in the order of the rows, but with the variadic ones last. */
static void read_set(const BuiltinTable *table, BuiltinSet *set)
{
    uint32_t row_count = 0, count = 0;
    for (uint32_t i = set->first_row; i <= set->last_row; i++)
        row_count += is_row_of(table, &table->rows[i], set);
    Builtin *builtins = ARENA_ARRAY(table->arena, Builtin, row_count), *next = builtins;
    const Builtin **overloads = ARENA_ARRAY(table->arena, const Builtin *, row_count);
    for (uint32_t i = set->first_row; i <= set->last_row; i++)
        if (is_row_of(table, &table->rows[i], set))
            read_row(table, &table->rows[i], next++);
    for (unsigned variadic = 0; variadic <= BUILTIN_VARIADIC; variadic += BUILTIN_VARIADIC)
        for (uint32_t i = 0; i < row_count; i++)
            if ((builtins[i].flags & BUILTIN_VARIADIC) == variadic)
                overloads[count++] = &builtins[i];
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

BuiltinTable *builtins_from_rows(Arena *arena, TypeTable *types, const Dialect *dialect, const BuiltinRow *rows,
                                 uint32_t row_count)
{
    BuiltinTable *table = ARENA_NEW(arena, BuiltinTable);
    *table = (BuiltinTable){.arena = arena, .types = types, .dialect = *dialect, .rows = rows};
    table->columns = ARENA_NEW(arena, BuiltinColumns);
    table->sets = arena_take(arena, row_count * sizeof *table->sets);
    table_reserve(&table->index, arena, 500);
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

static const TableSlot *find_slot(const BuiltinTable *table, const char *name, size_t len)
{
    return table_find_like(&table->index, name_hash(name, len), is_set_of, &(Wanted){name, len});
}

const BuiltinSet *builtin_find(const BuiltinTable *table, const char *name, size_t len)
{
    const TableSlot *slot = find_slot(table, name, len);
    return slot ? set_with_rows(table, slot->number) : NULL;
}

bool builtin_is_hidden(const BuiltinTable *table, const char *name, size_t len)
{
    const TableSlot *slot = find_slot(table, name, len);
    return !slot || table->rows[table->sets[slot->number].first_row].flags & BUILTIN_HIDDEN;
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
