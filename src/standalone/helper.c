/* What a program needs, and the small device functions in it: written out once for a type, and kept in the library. */
#include "standalone/entry.h"

#include <string.h>

struct HelperRow {
    const char *name, *calls, *text;
};

static const HelperRow rows[] = {
#define HELPER(name, calls, text) {name, calls, text},
#include "standalone/helper.def"
#undef HELPER
};

/* ---- what a program needs ---- */

Need *find_need(const NeedList *list, const char *key)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (same_text(list->items[i]->key, key))
            return list->items[i];
    return NULL;
}

void add_need(Translator *t, NeedList *list, Need *need)
{
    if (need->mark == t->serial)
        return;
    need->mark = t->serial;
    ARENA_PUSH(t->arena, list->items, list->count, list->cap) = need;
}

Need *new_need(Translator *t, NeedList *list, const char *key, const char *text, size_t length)
{
    Need *need = find_need(list, key);
    if (need)
        return need;
    need = ARENA_NEW(t->arena, Need);
    *need = (Need){.key = key, .text = text, .length = (uint32_t)length};
    add_need(t, list, need);
    return need;
}

void renew_marks(Translator *t)
{
    const NeedList *lists[] = {&t->types, &t->helpers};
    t->serial = ++t->library->serial;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (uint32_t i = 0; i < lists[k]->count; i++)
            lists[k]->items[i]->mark = t->serial;
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
                text_format(out, "%sa.m[%u][%u] * v%s", k ? " + " : i ? ", " : "", i, k, component_text(t, x, k).text);
    else if (strcmp(what, "vec_mat") == 0)
        for (uint32_t k = 0; k < cols; k++)
            for (uint32_t i = 0; i < rows_; i++)
                text_format(out, "%sv%s * a.m[%u][%u]", i ? " + " : k ? ", " : "", component_text(t, y, i).text, i, k);
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
            text_format(out, "%s(%s)(a%s %s b%s)", i ? ", " : "", c_type(t, f->scalar).text,
                        component_text(t, f->type, i).text, what[6] == 'l' ? "<<" : ">>",
                        component_text(t, f->type, i).text);
    else if (strcmp(what, "outer") == 0)
        for (uint32_t i = 0; i < rows_; i++)
            for (uint32_t k = 0; k < f->second->composite.rows; k++)
                text_format(out, "%sa%s * b%s", i || k ? ", " : "", component_text(t, f->type, i).text,
                            component_text(t, f->second, k).text);
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
        text_str(out, c_type(t, type).text);
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
            text_format(out, "(%s)(", c_type(t, f->scalar).text);
        add_filled(t, out, f, at, (size_t)(bar - at), component_text(t, f->type, i).text);
        if (narrow)
            text_char(out, ')');
    }
    return end + 2;
}

static void use_called(Translator *t, const Filling *f, const char *calls)
{
    while (*calls) {
        size_t length = strcspn(calls, ": ");
        const char *name = calls;
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
            use_helper_row(t, helper_row(t->library, name, length), type, second);
        while (*calls == ' ')
            calls++;
    }
}

/* ---- finding a helper ---- */

void index_helpers(StandaloneLibrary *library)
{
    _Static_assert(sizeof rows / sizeof *rows <= MAX_ROWS, "a larger RowTable is needed");
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows_add(&library->helper_rows, rows[i].name, strlen(rows[i].name), i);
        note_called(library, rows[i].text);
    }
}

const HelperRow *helper_row(const StandaloneLibrary *library, const char *name, size_t length)
{
    const RowTable *table = &library->helper_rows;
    for (uint32_t i = rows_first(table, name, length); i != NO_ROW; i = table->next[i])
        if (strncmp(rows[i].name, name, length) == 0 && !rows[i].name[length])
            return &rows[i];
    return NULL;
}

static void write_helper(Translator *t, HelperEntry *entry, const Filling *filling)
{
    const HelperRow *row = entry->row;
    AskedList asked = {0}, *outer = t->asked;
    t->asked = &asked;
    const Type *type = filling->type, *second = filling->second;
    if (type)
        c_type(t, type);
    if (second)
        c_type(t, second);
    use_called(t, filling, row->calls);
    Text text;
    text_init_in(&text, t->arena);
    for (const char *at = row->text; *at;) {
        if (at[0] == '<' && at[1] == '<' && at[2] != '(' && type && strchr(at, '@')) {
            at = add_parts(t, &text, filling, at + 2);
            continue;
        }
        const char *next = strstr(at + 1, "<<");
        size_t length = next ? (size_t)(next - at) : strlen(at);
        if (type)
            add_filled(t, &text, filling, at, length, NULL);
        else
            text_add(&text, at, length);
        at += length;
    }
    t->asked = outer;
    Arena *arena = &t->library->arena;
    set_need(&entry->need, row->name, arena_strndup(arena, text_cstr(&text), text.len), text.len);
    entry->asked.items = ARENA_ARRAY(arena, Asked, asked.count);
    entry->asked.count = asked.count;
    for (uint32_t i = 0; i < asked.count; i++)
        entry->asked.items[i] = asked.items[i];
}

static HelperEntry *helper_entry(Translator *t, const HelperRow *row, const Type *type, const Type *second)
{
    StandaloneLibrary *library = t->library;
    uint64_t shape = look_of(type), other = look_of(second);
    HelperEntry **slot = &library->helpers[look_slot(shape + other * 3 + (uint64_t)(row - rows) * 7)];
    for (HelperEntry *entry = *slot; entry; entry = entry->next)
        if (entry->row == row && entry->type == shape && entry->second == other)
            return entry;
    HelperEntry *entry = ARENA_NEW(&library->arena, HelperEntry);
    *entry = (HelperEntry){.row = row, .type = shape, .second = other, .need.is_kept = true};
    write_helper(t, entry, &(Filling){type, second, type ? type_scalar_of(type) : type_scalar(TYPE_FLOAT32)});
    entry->next = *slot;
    return *slot = entry;
}

static void need_helper(Translator *t, HelperEntry *entry)
{
    if (t->asked) {
        ARENA_PUSH(t->arena, t->asked->items, t->asked->count, t->asked->cap) = (Asked){.helper = entry};
        return;
    }
    if (entry->need.mark == t->serial)
        return;
    for (uint32_t i = 0; i < entry->asked.count; i++) {
        if (entry->asked.items[i].type)
            need_type(t, entry->asked.items[i].type);
        else
            need_helper(t, entry->asked.items[i].helper);
    }
    add_need(t, &t->helpers, &entry->need);
}

/* A helper that is asked for with a second type may be one that needs none. */
static bool needs_second(const HelperRow *row)
{
    static const char *const marks[] = {"$U", "$M", "$P", "$K", "$outer"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(row->text, marks[i]))
            return true;
    return false;
}

void use_helper_row(Translator *t, const HelperRow *row, const Type *type, const Type *second)
{
    second = needs_second(row) ? second : NULL;
    bool is_extreme = row->name[0] == 'm' && (strcmp(row->name, "min") == 0 || strcmp(row->name, "max") == 0);
    if (is_extreme && type_is_scalar(type))
        return; /* CUDA has it */
    HelperLook *look = &t->looks[((size_t)(row - rows) * 5 + ((uintptr_t)type >> 5)) % HELPER_LOOKS];
    if (look->row != row || look->type != type || look->second != second)
        *look = (HelperLook){row, type, second, helper_entry(t, row, type, second)};
    need_helper(t, look->entry);
}

void use_helper(Translator *t, const char *name, const Type *type, const Type *second)
{
    use_helper_row(t, helper_row(t->library, name, strlen(name)), type, second);
}
