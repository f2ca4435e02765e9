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
    const TypeTable *types;
    Dialect dialect;
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

/* The number of the row's set, which is made at its first row. */
static uint32_t enter_name(Arena *arena, BuiltinTable *table, const char *name)
{
    Wanted wanted = {name, strlen(name)};
    TableSlot *slot = table_add_like(&table->index, arena, name_hash(name, wanted.len), is_set_of, &wanted);
    if (!slot->key) {
        slot->key = &table->sets[table->set_count];
        slot->number = table->set_count;
        table->sets[table->set_count++].name = name;
    }
    return slot->number;
}

/* Gives each set its overloads: in the order of the rows, but with the variadic ones last. */
static void fill_sets(Arena *arena, BuiltinTable *table, const Builtin *builtins, const uint32_t *set_of,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        table->sets[set_of[i]].count++;
    const Builtin **next = ARENA_ARRAY(arena, const Builtin *, count);
    for (uint32_t i = 0; i < table->set_count; i++) {
        table->sets[i].overloads = next;
        next += table->sets[i].count;
        table->sets[i].count = 0;
    }
    for (unsigned variadic = 0; variadic <= BUILTIN_VARIADIC; variadic += BUILTIN_VARIADIC)
        for (uint32_t i = 0; i < count; i++)
            if ((builtins[i].flags & BUILTIN_VARIADIC) == variadic) {
                BuiltinSet *set = &table->sets[set_of[i]];
                set->overloads[set->count++] = &builtins[i];
            }
}

BuiltinTable *builtins_from_rows(Arena *arena, TypeTable *types, const Dialect *dialect, const BuiltinRow *rows,
                                 uint32_t row_count)
{
    BuiltinTable *table = ARENA_NEW(arena, BuiltinTable);
    table->types = types;
    table->dialect = *dialect;
    uint32_t count = 0;
    table->sets = ARENA_ARRAY(arena, BuiltinSet, row_count);
    Builtin *builtins = ARENA_ARRAY(arena, Builtin, row_count);
    uint32_t *set_of = ARENA_ARRAY(arena, uint32_t, row_count);
    BuiltinColumns columns = {0};
    Text error;
    text_init(&error);
    table_reserve(&columns.params, arena, 400);
    table_reserve(&table->index, arena, 300);
    for (uint32_t i = 0; i < row_count; i++) {
        if (!dialect_has(dialect, rows[i].versions))
            continue;
        if (!builtins_parse_row(arena, types, &columns, &rows[i], &builtins[count], &error)) {
            fprintf(stderr, "%s\n", text_cstr(&error));
            abort();
        }
        set_of[count++] = enter_name(arena, table, rows[i].name);
    }
    text_free(&error);
    fill_sets(arena, table, builtins, set_of, count);
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

const TypeTable *builtins_types(const BuiltinTable *table)
{
    return table->types;
}

const Dialect *builtins_dialect(const BuiltinTable *table)
{
    return &table->dialect;
}

const BuiltinSet *builtin_find(const BuiltinTable *table, const char *name, size_t len)
{
    const TableSlot *slot = table_find_like(&table->index, name_hash(name, len), is_set_of, &(Wanted){name, len});
    return slot ? slot->key : NULL;
}

uint32_t builtin_set_count(const BuiltinTable *table)
{
    return table->set_count;
}

const BuiltinSet *builtin_set_at(const BuiltinTable *table, uint32_t index)
{
    return &table->sets[index];
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
        const BuiltinSet *set = &table->sets[i];
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
