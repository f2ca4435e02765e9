/* Names: those of the source are kept where C++, CUDA, their headers and the rest of the program leave them free.
 *
 * What is taken stands in reserved.txt, but for the functions that op.def and helper.def call or define, which are collected
 * from there. Generated names have forms that no name of the source can have in the end: adj_…, launch_…, expected_…, g1, …;
 * a name of the source with such a form gets another one. */
#include "standalone/model.h"

#include "standalone_reserved.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void add_taken(StandaloneLibrary *library, const char *text, size_t length, NameScope scope)
{
    TakenNames *taken = &library->taken;
    ARENA_PUSH(&library->arena, taken->items, taken->count, taken->cap) = (TakenName){text, (uint32_t)length, scope};
}

static bool is_word(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

/* Functions that a text calls or defines: words before a bracket; `$F` stands for an f or nothing. */
void note_called(StandaloneLibrary *library, const char *text)
{
    for (const char *at = text; at && *at;) {
        size_t length = 0;
        while (is_word(at[length]))
            length++;
        if (length && at[length] == '(')
            add_taken(library, at, length, NAME_LOCAL);
        if (length && strncmp(at + length, "$F(", 3) == 0) {
            add_taken(library, at, length, NAME_LOCAL);
            add_taken(library, arena_format(&library->arena, "%.*sf", (int)length, at), length + 1, NAME_LOCAL);
        }
        at += length ? length : 1;
    }
}

static int by_text(const void *a, const void *b)
{
    const TakenName *p = a, *q = b;
    size_t shorter = p->length < q->length ? p->length : q->length;
    int order = memcmp(p->text, q->text, shorter);
    return order ? order : (int)p->length - (int)q->length;
}

/* After all that is called was noted. */
void read_reserved(StandaloneLibrary *library)
{
    NameScope scope = NAME_FIELD;
    for (const char *at = (const char *)standalone_reserved, *end = at + standalone_reserved_size; at < end;) {
        size_t length = strcspn(at, " \n");
        if (*at == '#')
            length = strcspn(at, "\n");
        else if (length && at[length - 1] == ':')
            scope = *at == 'a' ? NAME_FIELD : *at == 'l' ? NAME_LOCAL : NAME_GLOBAL;
        else if (length)
            add_taken(library, at, length, scope);
        at += length + 1;
    }
    for (uint32_t i = 0; i < library->part_count; i++)
        add_taken(library, library->parts[i].name, library->parts[i].name_length, NAME_LOCAL);
    qsort(library->taken.items, library->taken.count, sizeof *library->taken.items, by_text);
}

static bool is_in_table(const StandaloneLibrary *library, const char *name, NameScope scope)
{
    const TakenName wanted = {name, (uint32_t)strlen(name), scope}, *items = library->taken.items;
    uint32_t low = 0, high = library->taken.count;
    while (low < high) { /* the first that is not smaller: there may be several */
        uint32_t middle = low + (high - low) / 2;
        if (by_text(&items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < library->taken.count && by_text(&items[low], &wanted) == 0; low++)
        if (items[low].scope <= scope)
            return true;
    return false;
}

/* ---- forms of generated names ---- */

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/* vec3f, mat33d, mat10x3f, quatd, transformf: see ctype.c. */
static bool is_like_type(const char *name)
{
    static const char *const stems[] = {"vec", "mat", "quat", "transform"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        size_t length = strlen(stems[i]);
        if (strncmp(name, stems[i], length) != 0)
            continue;
        const char *rest = skip_digits(name + length);
        if (i == 1 && *rest == 'x')
            rest = skip_digits(rest + 1);
        if (i < 2 && rest == name + length)
            continue;
        if (*rest && strlen(rest) <= 2)
            return true;
    }
    return false;
}

static bool starts_with(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* Names that variables get where the source has none; a number may follow. */
static bool is_like_local(const char *name)
{
    static const char *const stems[] = {"turn", "turns", "result", "value", "drawn", "first", "last", "before"};
    if (name[0] == 'g' && name[1] && *skip_digits(name + 1) == '\0')
        return true;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        size_t length = strlen(stems[i]);
        const char *rest = starts_with(name, stems[i]) ? name + length : NULL;
        if (rest && (*skip_digits(rest) == '\0' || (*rest == '_' && rest[1] && *skip_digits(rest + 1) == '\0')))
            return true;
    }
    static const char *const ends[] = {"_before", "_stack", "_turn", "_size", "_dim"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *found = strstr(name, ends[i]);
        if (found && *skip_digits(found + strlen(ends[i])) == '\0')
            return true;
    }
    return false;
}

/* ---- finding a name ---- */

static const char *legal_name(Translator *t, const char *name)
{
    bool strange = starts_with(name, "__") || (name[0] == '_' && isupper((unsigned char)name[1])) ||
                   starts_with(name, "adj_") || starts_with(name, "launch_") || starts_with(name, "expected_") ||
                   starts_with(name, "cuda") || starts_with(name, "CUDA") || starts_with(name, "CU_");
    if (!is_ascii(name, strlen(name)))
        refuse(t, NULL, "the name '%s' is not plain ASCII", name);
    return strange ? arena_join(t->arena, "own_", name) : name;
}

const char *changed_name(Translator *t, const char *name, NameScope scope)
{
    bool is_fixed = t->library->loading; /* the names in library.py are chosen well */
    name = legal_name(t, name);
    bool taken = !is_fixed && (is_in_table(t->library, name, scope) || is_like_type(name));
    if (scope == NAME_LOCAL && !taken) /* its adjoint has a name, too */
        taken = is_in_table(t->library, arena_join(t->arena, "adj_", name), scope);
    if (taken || (scope == NAME_GLOBAL && !is_fixed && is_like_local(name)))
        name = arena_join(t->arena, name, "_");
    return name;
}

/* The texts of functions and kernels have names that are made from theirs. */
static bool are_in_conflict(const char *a, const char *b)
{
    size_t length = strlen(a);
    return strncmp(a, b, length) == 0 &&
           (!b[length] || strcmp(b + length, "_backward") == 0 || strcmp(b + length, "_result") == 0);
}

static bool is_given_to_another(const Translator *t, const char *name)
{
    for (uint32_t i = 0; i < t->globals.count; i++)
        if (are_in_conflict(name, t->globals.items[i]) || are_in_conflict(t->globals.items[i], name))
            return true;
    return false;
}

const char *global_name(Translator *t, const char *wanted)
{
    const char *stem = changed_name(t, wanted, NAME_GLOBAL), *name = stem;
    for (uint32_t i = 2; is_given_to_another(t, name); i++)
        name = arena_format(t->arena, "%s_%u", stem, i);
    ARENA_PUSH(t->arena, t->globals.items, t->globals.count, t->globals.cap) = name;
    return name;
}

bool is_global_name(const Translator *t, const char *name)
{
    for (uint32_t i = 0; i < t->globals.count; i++)
        if (strcmp(t->globals.items[i], name) == 0)
            return true;
    return false;
}
