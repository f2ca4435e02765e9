/* What a program needs, and the device functions in it that weft_math.cuh does not have: sections of helper.cuh. */
#include "standalone/model.h"

#include "standalone_helpers.h"

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

/* The lines from `//: name` to the next mark. */
static const char *read_section(StandaloneLibrary *library, const char *mark)
{
    Arena *arena = &library->arena;
    Section *section = &ARENA_PUSH(arena, library->sections, library->section_count, library->section_cap);
    const char *name = mark + strlen("//: "), *text = strchr(name, '\n') + 1, *next = strstr(text, "\n//:");
    const char *end = next ? next : text + strlen(text); /* without the empty line */
    size_t length = strcspn(name, "\n");
    section->name = arena_strndup(arena, name, length);
    section->text = arena_strndup(arena, text, (size_t)(end - text));
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

void use_section(Translator *t, const char *operation)
{
    const Word *word = find_word(t->library, operation);
    if (word && word->section)
        add_need(t->arena, &t->helpers, operation, t->library->sections[word->section - 1].text);
}
