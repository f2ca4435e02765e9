/* Names: those of the source are kept where C++, CUDA, their headers and the rest of the program leave them free.
 *
 * What is taken stands in reserved.txt, but for the functions that op.def, helper.cuh and weft_math.cuh call or define, which are
 * collected from there. Generated names have forms that no name of the source can have in the end: adj_…, launch_…, expected_…, g1, …;
 * a name of the source with such a form gets another one. */
#include "standalone/model.h"

#include "standalone_reserved.h"

#include <ctype.h>
#include <string.h>

/* ---- words ---- */

Word *word_of(StandaloneLibrary *library, const char *text, size_t length)
{
    uint32_t id = name_of(&library->names, text, length)->id;
    while (library->word_count <= id)
        ARENA_PUSH(&library->arena, library->words, library->word_count, library->word_cap) = (Word){0};
    return &library->words[id];
}

const Word *find_word(const StandaloneLibrary *library, const char *text)
{
    size_t length = strlen(text);
    Name name = name_find(&library->names, name_hash(text, length), text, length);
    return name ? &library->words[name->id] : NULL;
}

void take_name(StandaloneLibrary *library, const char *text, size_t length, NameScope scope)
{
    Word *word = word_of(library, text, length);
    if (word->scope == NAME_FREE || word->scope > scope)
        word->scope = scope;
}

static bool is_taken(const StandaloneLibrary *library, const char *name, NameScope scope)
{
    const Word *word = find_word(library, name);
    return word && word->scope != NAME_FREE && word->scope <= scope;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (at[length] == '_' || isalnum((unsigned char)at[length]))
        length++;
    return length;
}

/* Functions that a text calls or defines: words before a bracket; `$F` stands for an f or nothing. */
void note_called(StandaloneLibrary *library, const char *text)
{
    for (const char *at = text; at && *at;) {
        size_t length = word_length(at);
        bool has_suffix = strncmp(at + length, "$F(", 3) == 0, is_filled_in = length > 1 && isupper((unsigned char)*at);
        if (length && !is_filled_in && (at[length] == '(' || has_suffix))
            take_name(library, at, length, NAME_LOCAL);
        if (length && has_suffix)
            take_name(library, arena_format(&library->arena, "%.*sf", (int)length, at), length + 1, NAME_LOCAL);
        at += length ? length : 1;
    }
}

/* Takes the names of weft_math.cuh: of its functions, and of the types that it names. */
void read_shared(StandaloneLibrary *library)
{
    const char *text = standalone_header();
    for (const char *at = text; (at = strstr(at, "\n__device__ inline "));) {
        const char *open = at = strchr(at, '('), *name = open;
        while (word_length(name - 1))
            name--;
        if (name < open) /* no operator */
            take_name(library, name, (size_t)(open - name), NAME_LOCAL);
    }
    for (const char *at = text; (at = strstr(at, "\nusing "));) {
        at += strlen("\nusing ");
        word_of(library, at, word_length(at))->is_shared = true;
    }
}

bool is_shared(const StandaloneLibrary *library, const char *type)
{
    const Word *word = find_word(library, type);
    return word && word->is_shared;
}

void read_reserved(StandaloneLibrary *library)
{
    NameScope scope = NAME_FIELD;
    for (const char *at = (const char *)standalone_reserved, *end = at + standalone_reserved_size; at < end;) {
        size_t length = strcspn(at, *at == '#' ? "\n" : " \n");
        if (*at != '#' && length && at[length - 1] == ':')
            scope = *at == 'a' ? NAME_FIELD : *at == 'l' ? NAME_LOCAL : NAME_GLOBAL;
        else if (*at != '#' && length)
            take_name(library, at, length, scope);
        at += length + 1;
    }
}

/* ---- forms of generated names ---- */

static bool starts_with(const char *name, const char *start)
{
    return *name == *start && strncmp(name, start, strlen(start)) == 0;
}

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/* vec3f, mat33d, mat10x3f, quatd, transformf: see ctype.c. */
static bool is_like_type(const char *name)
{
    static const struct {
        const char *start;
        bool is_sized;
    } forms[] = {{"vec", true}, {"mat", true}, {"quat", false}, {"transform", false}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!starts_with(name, forms[i].start))
            continue;
        const char *sizes = name + strlen(forms[i].start), *rest = skip_digits(sizes);
        if (forms[i].start[0] == 'm' && *rest == 'x')
            rest = skip_digits(rest + 1);
        return (!forms[i].is_sized || rest > sizes) && *rest && *rest != 'x' && (!rest[1] || !rest[2]);
    }
    return false;
}

static bool is_one_of(const char *name, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && memcmp(name, *words, length) == 0)
            return true;
    return false;
}

/* Names that variables get where the source has none: value, turn2, before_1, step_size, g3. */
static bool is_like_local(const char *name)
{
    static const char *const words[] = {"turn", "turns", "result", "value", "drawn", "first", "last", "before", NULL};
    static const char *const ends[] = {"before", "stack", "turn", "size", "dim", NULL};
    size_t length = strlen(name), stem = length;
    while (stem && isdigit((unsigned char)name[stem - 1]))
        stem--;
    size_t end = stem;
    while (end && name[end - 1] != '_')
        end--;
    if (end && is_one_of(name + end, stem - end, ends))
        return true;
    bool has_number = stem < length;
    if (has_number && stem == 1 && name[0] == 'g')
        return true;
    return is_one_of(name, stem, words) ||
           (has_number && stem && name[stem - 1] == '_' && is_one_of(name, stem - 1, words));
}

/* ---- finding a name ---- */

bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return !*text;
}

static const char *legal_name(Translator *t, const char *name)
{
    static const char *const starts[] = {"__", "adj_", "launch_", "expected_", "cuda", "CUDA", "CU_"};
    bool strange = name[0] == '_' && isupper((unsigned char)name[1]);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        strange |= starts_with(name, starts[i]);
    REFUSE_IF(t, NULL, !is_ascii(name), "the name '%s' is not plain ASCII", name);
    return strange ? arena_join(t->arena, "own_", name + strspn(name, "_")) : name;
}

const char *changed_name(Translator *t, const char *name, NameScope scope)
{
    bool is_fixed = t->library->loading; /* the names in library.py are chosen well */
    name = legal_name(t, name);
    bool taken = !is_fixed && (is_taken(t->library, name, scope) || is_like_type(name));
    if (scope == NAME_LOCAL && !taken) /* its adjoint has a name, too */
        taken = is_taken(t->library, arena_join(t->arena, "adj_", name), scope);
    if (taken || (scope == NAME_GLOBAL && !is_fixed && is_like_local(name)))
        name = arena_join(t->arena, name, "_");
    return name;
}

static bool is_that_text(const void *key, const void *wanted)
{
    return strcmp(key, wanted) == 0;
}

TableSlot *find_text(const HashTable *table, const char *text)
{
    return table_find_like(table, name_hash(text, strlen(text)), is_that_text, text);
}

TableSlot *add_text(Arena *arena, HashTable *table, const char *text)
{
    TableSlot *slot = table_add_like(table, arena, name_hash(text, strlen(text)), is_that_text, text);
    slot->key = text;
    return slot;
}

/* The texts of functions and kernels have names that are made from theirs. */
static bool is_given_to_another(const Translator *t, const char *name)
{
    static const char *const ends[] = {"_backward", "_result"};
    size_t length = strlen(name);
    bool is_given = find_text(&t->globals, name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !is_given; i++) {
        size_t end = strlen(ends[i]);
        is_given = find_text(&t->globals, arena_join(t->arena, name, ends[i])) ||
                   (length >= end && strcmp(name + length - end, ends[i]) == 0 &&
                    find_text(&t->globals, arena_strndup(t->arena, name, length - end)));
    }
    return is_given;
}

const char *global_name(Translator *t, const char *wanted)
{
    const char *stem = changed_name(t, wanted, NAME_GLOBAL), *name = stem;
    const TableSlot *given = find_text(&t->globals, stem);
    uint32_t next = given && given->number ? given->number : 2; /* names are only ever added */
    while (is_given_to_another(t, name) || (t->current && is_var_name(t->current, name)))
        name = arena_format(t->arena, "%s_%u", stem, next++);
    add_text(t->arena, &t->globals, name);
    if (given)
        find_text(&t->globals, stem)->number = next;
    return name;
}

/* x_size and x_dim0 are the sizes of an array x. */
static bool is_size_name(const Code *code, const char *name)
{
    if (!strstr(name, "_size") && !strstr(name, "_dim")) /* most have neither: the parameters may be thousands */
        return false;
    for (uint32_t i = 0; i < code->param_count; i++) {
        const char *rest = name + code->params[i].name->len;
        if (starts_with(name, code->params[i].name->text) && (strcmp(rest, "_size") == 0 || starts_with(rest, "_dim")))
            return true;
    }
    return false;
}

bool is_var_name(const Routine *routine, const char *name)
{
    const TableSlot *slot = find_text(&routine->texts, name);
    return slot && slot->number;
}

void note_var_name(Translator *t, const char *name, bool is_taken)
{
    add_text(t->arena, &t->current->texts, name)->number = is_taken;
}

/* In a kernel with tiles, which has many variables of our own: does the source have the name? */
static bool is_source_name(const Translator *t, const char *name)
{
    const IrFunction *source = t->current->source;
    for (uint32_t i = 0; t->lanes && i < source->vars.count; i++)
        if (source->vars.items[i]->name && is_same_text(source->vars.items[i]->name->text, name))
            return true;
    return false;
}

const char *generated_name(Translator *t, const char *wanted)
{
    const char *name = local_name(t, wanted);
    for (uint32_t i = 2; is_source_name(t, name); i++)
        name = local_name(t, arena_format(t->arena, "%s_%u", wanted, i));
    return name;
}

const char *local_name(Translator *t, const char *wanted)
{
    const char *stem = changed_name(t, wanted, NAME_LOCAL), *name = stem;
    if (is_size_name(t->current->source->code, name))
        name = stem = arena_join(t->arena, name, "_");
    for (uint32_t i = 2; is_var_name(t->current, name) || find_text(&t->globals, name); i++)
        name = arena_format(t->arena, "%s_%u", stem, i);
    return name;
}
