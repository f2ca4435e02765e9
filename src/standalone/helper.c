/* What a program needs, and the small device functions in it: sections of helper.cuh, written out for the types of a call. */
#include "standalone/model.h"

#include "standalone_helpers.h"

#include <ctype.h>
#include <string.h>

/* ---- what a program needs ---- */

Need *find_need(const NeedList *list, const char *key)
{
    const TableSlot *slot = find_text(&list->places, key);
    Need *need = slot && slot->number < list->count ? list->items[slot->number] : NULL;
    return need && strcmp(need->key, key) == 0 ? need : NULL; /* the list may have been cut */
}

Need *add_need(Arena *arena, NeedList *list, const char *key, const char *text)
{
    Need *need = find_need(list, key);
    if (need)
        return need;
    need = ARENA_NEW(arena, Need);
    *need = (Need){.key = key, .text = text};
    add_text(arena, &list->places, key)->number = list->count;
    return ARENA_PUSH(arena, list->items, list->count, list->cap) = need;
}

/* ---- sections ---- */

/* The lines from `//: name <- calls` to the next mark. */
static const char *read_section(StandaloneLibrary *library, const char *mark)
{
    Arena *arena = &library->arena;
    Section *section = &ARENA_PUSH(arena, library->sections, library->section_count, library->section_cap);
    const char *name = mark + strlen("//: "), *line_end = strchr(name, '\n'), *text = line_end + 1;
    const char *next = strstr(line_end, "\n//:"), *stop = strstr(line_end, "\n//.");
    const char *end = next && (!stop || next < stop) ? next + 1 : stop ? stop + 1 : text + strlen(text);
    end -= end - text > 1 && end[-2] == '\n'; /* no empty line */
    size_t length = strcspn(name, " \n");
    section->name = arena_strndup(arena, name, length);
    section->calls = name + length < line_end ? arena_strndup(arena, name + length + strlen(" <- "),
                                                              (size_t)(line_end - name) - length - strlen(" <- "))
                                              : "";
    section->text = arena_strndup(arena, text, (size_t)(end - text));
    section->has_second = strstr(section->text, "U ") != NULL;
    word_of(library, section->name, length)->section = library->section_count;
    return next ? next + 1 : NULL;
}

void read_sections(StandaloneLibrary *library)
{
    for (const char *mark = strstr((const char *)standalone_helpers, "\n//:") + 1; mark;)
        mark = read_section(library, mark);
    for (uint32_t i = 0; i < library->section_count; i++)
        note_called(library, library->sections[i].text);
}

const Section *find_section(const StandaloneLibrary *library, const char *name)
{
    const Word *word = find_word(library, name);
    return word && word->section ? &library->sections[word->section - 1] : NULL;
}

/* ---- writing out a helper ---- */

typedef struct Filling {
    const Type *type, *second, *scalar;
    const char *part; /* what .x stands for; NULL: itself */
    struct {
        uint32_t number, count; /* count 0: there is none */
    } index[2];                 /* [i] and [j] of the loops around the text */
} Filling;

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

/* What a word in capitals stands for; NULL: nothing. */
static const char *word_text(Translator *t, const Filling *f, const char *word, size_t length)
{
    if (length > 2 && memcmp(word + length - 2, "_T", 2) == 0)
        return arena_format(t->arena, "%.*s%s", (int)length - 1, word, c_type(t, f->type).text);
    if (!isupper((unsigned char)*word))
        return NULL;
    bool is_float = type_is_float(f->scalar);
    const char *suffix = is_float && f->scalar->kind != TYPE_FLOAT64 ? "f" : "", *dot = is_float ? ".0" : "";
    const struct {
        const char *word, *before, *after;
    } texts[] = {{"ZERO", "0", dot},
                 {"ONE", "1", dot},
                 {"SQRT", "sqrt", ""},
                 {"FMOD", "fmod", ""},
                 {"TRUNC", "trunc", ""},
                 {"MIN", is_float ? "fmin" : "min", ""},
                 {"MAX", is_float ? "fmax" : "max", ""}};
    const struct {
        const char *word;
        uint32_t number;
    } numbers[] = {{"PARTS", type_parts(f->type)},
                   {"ROW_COUNT", f->type->composite.rows},
                   {"COL_COUNT", f->type->composite.cols},
                   {"COL_COUNT2", f->second ? f->second->composite.cols : 0}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strlen(texts[i].word) == length && memcmp(word, texts[i].word, length) == 0)
            return arena_format(t->arena, "%s%s%s", texts[i].before, texts[i].after, suffix);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strlen(numbers[i].word) == length && memcmp(word, numbers[i].word, length) == 0)
            return arena_format(t->arena, "%u", numbers[i].number);
    const Type *type = length == 1 ? letter_type(t, f, *word) : NULL;
    return type ? c_type(t, type).text : NULL;
}

static void fill(Translator *t, Text *out, const Filling *f, const char *at, const char *end);

static const struct Loop {
    const char *word, *between;
    char over; /* all parts, rows, columns, rows of the second type */
} loops[] = {{"EACH", ", ", 'x'},  {"ALL", " && ", 'x'},  {"ANY", " || ", 'x'},     {"SUM", " + ", 'x'},
             {"ROWS", ", ", 'r'},  {"COLS", ", ", 'c'},   {"SUM_ROWS", " + ", 'r'}, {"SUM_COLS", " + ", 'c'},
             {"ROWS2", ", ", 's'}, {"DO", ";\n    ", 'x'}};

static const struct Loop *find_loop(const char *word, size_t length)
{
    for (size_t i = 0; isupper((unsigned char)*word) && i < sizeof loops / sizeof *loops; i++)
        if (strlen(loops[i].word) == length && memcmp(word, loops[i].word, length) == 0)
            return &loops[i];
    return NULL;
}

/* Single numbers that C computes with as int are cut off again. */
static bool needs_cast(const struct Loop *loop, TypeKind kind)
{
    return strcmp(loop->word, "EACH") == 0 && (kind_traits[kind].is_narrow || kind == TYPE_FLOAT16);
}

/* LOOP(text), from the bracket: what is behind it. */
static const char *fill_loop(Translator *t, Text *out, const Filling *outer, const struct Loop *loop, const char *open)
{
    const char *end = open + 1;
    for (int depth = 1; depth; end++)
        depth += (*end == '(') - (*end == ')');
    Filling f = *outer;
    uint32_t count = loop->over == 'x'   ? type_parts(f.type)
                     : loop->over == 'r' ? f.type->composite.rows
                     : loop->over == 'c' ? f.type->composite.cols
                                         : f.second->composite.rows;
    for (uint32_t i = 0; i < count; i++) {
        bool cast = needs_cast(loop, f.scalar->kind);
        if (loop->over == 'x')
            f.part = component_text(t, f.type, i).text;
        else {
            f.index[loop->over != 'r'].number = i;
            f.index[loop->over != 'r'].count = count;
        }
        text_format(out, cast ? "%s(%s)(" : "%s", i ? loop->between : "", c_type(t, f.scalar).text);
        fill(t, out, &f, open + 1, end - 1);
        text_str(out, cast ? ")" : "");
    }
    return end;
}

/* [i] or [j] in a loop: of a matrix a number, of a vector the part. False: it is something else. */
static bool fill_index(Translator *t, Text *out, const Filling *f, const char *at)
{
    bool is_index = at[0] == '[' && (at[1] == 'i' || at[1] == 'j') && at[2] == ']' && f->index[at[1] - 'i'].count;
    uint32_t number = is_index ? f->index[at[1] - 'i'].number : 0;
    if (is_index && (at[-1] == ']' || (at[-1] == 'm' && at[-2] == '.')))
        text_format(out, "[%u]", number);
    else if (is_index) {
        const Type *vector = type_vec(t->unit->types, f->index[at[1] - 'i'].count, f->scalar);
        text_str(out, component_text(t, vector, number).text);
    }
    return is_index;
}

static void fill(Translator *t, Text *out, const Filling *f, const char *at, const char *end)
{
    while (at < end) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        const struct Loop *loop = find_loop(at, length);
        const char *word = length ? word_text(t, f, at, length) : NULL;
        if (loop) {
            at = fill_loop(t, out, f, loop, at + length);
            continue;
        }
        if (fill_index(t, out, f, at))
            length = 3;
        else if (word)
            text_str(out, word);
        else if (f->part && length == 1 && *at == 'x' && (at[-1] == '.' || at[-1] == '>'))
            text_str(out, f->part + 1);
        else
            text_add(out, at, length = length ? length : 1);
        at += length;
    }
}

/* "name", "name(U)", "name(T,T)", … */
static void use_called(Translator *t, const Filling *f, const char *calls)
{
    while (*calls) {
        size_t length = strcspn(calls, " ("), whole = strcspn(calls, " ");
        const char *types = calls + length;
        use_helper(t, arena_strndup(t->arena, calls, length), types[0] == '(' && types[1] == 'U' ? f->second : f->type,
                   types[0] == '(' && types[2] == ',' ? f->type : f->second);
        calls += whole + (calls[whole] == ' ');
    }
}

/* Of the same types, and not only of some that have the same names: mostly so, and found without putting names together. */
static bool is_helper_used(const Translator *t, const Section *section, const Type *type, const Type *second)
{
    enum { LATEST = 64 }; /* the others are found by their keys */
    for (uint32_t i = 0; i < t->helpers.count && i < LATEST; i++) {
        const Need *need = t->helpers.items[t->helpers.count - 1 - i];
        if (need->section == section && need->type == type && need->second == second)
            return true;
    }
    return false;
}

void use_helper(Translator *t, const char *name, const Type *type, const Type *second)
{
    const Section *section = find_section(t->library, name);
    bool is_extreme = strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
    if (is_extreme && type_is_scalar(type))
        return; /* CUDA has it */
    if (!section->has_second)
        second = NULL;
    if (is_helper_used(t, section, type, second))
        return;
    const char *type_name = type ? c_type(t, type).text : "", *second_name = second ? c_type(t, second).text : "";
    const char *key = arena_format(t->arena, "%s<%s,%s>", name, type_name, second_name);
    if (find_need(&t->helpers, key))
        return;
    Filling filling = {.type = type, .second = second, .scalar = type_scalar(TYPE_FLOAT32)};
    if (type)
        filling.scalar = type_scalar_of(type);
    use_called(t, &filling, section->calls);
    Text text = text_in(t->arena);
    if (type)
        fill(t, &text, &filling, section->text, section->text + strlen(section->text));
    else
        text_str(&text, section->text);
    Need *need = add_need(t->arena, &t->helpers, key, text_cstr(&text));
    need->section = section;
    need->type = type;
    need->second = second;
}
