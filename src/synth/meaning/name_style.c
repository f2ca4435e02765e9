/* The author's habits of naming: what goes before and behind names, long or short words, the project's own word. */
#include "synth/meaning/name_style.h"
#include "synth/meaning/draft.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_ROOM = 32, LONGEST_NAME = 40, LONGEST_ARGUMENT = 20 };

/* ---- the author ---- */

static const char *const projects[] = {
#define SPELLING(written, brief)
#define SHORTER(written, brief)
#define VERB(word)
#define SYLLABLE(text)
#define PROJECT(word) #word,
#include "synth/meaning/name_words.def"
#undef PROJECT
#undef SYLLABLE
};
static const char *const syllables[] = {
#define PROJECT(word)
#define SYLLABLE(text) #text,
#include "synth/meaning/name_words.def"
#undef SYLLABLE
#undef PROJECT
#undef VERB
#undef SHORTER
#undef SPELLING
};

enum { PROJECTS = sizeof projects / sizeof *projects, SYLLABLES = sizeof syllables / sizeof *syllables };

static const char *one_of(Rng *rng, const char *const *words, const unsigned *weights, uint32_t count)
{
    return words[rng_weighted(rng, weights, count)];
}

/* mpx, heron, takiro, ironleaf */
static void draw_module(Rng *rng, char out[MODULE_NAME])
{
    static const unsigned kinds[] = {40, 25, 20, 15};
    static const char letters[] = "abcdefghklmnprstvwxz", ends[] = "bcdfgklmnprstvx";
    size_t used = 0;
    switch (rng_weighted(rng, kinds, 4)) {
    case 0:
        out[used++] = letters[rng_below(rng, sizeof letters - 1)];
        for (int count = rng_between(rng, 1, 3); count; count--)
            out[used++] = ends[rng_below(rng, sizeof ends - 1)];
        out[used] = 0;
        return;
    case 1: snprintf(out, MODULE_NAME, "%s", projects[rng_below(rng, PROJECTS)]); return;
    case 2:
        for (int count = rng_between(rng, 2, 3); count; count--)
            used += (size_t)snprintf(out + used, MODULE_NAME - used, "%s", syllables[rng_below(rng, SYLLABLES)]);
        return;
    default: {
        const char *first = projects[rng_below(rng, PROJECTS)], *second = projects[rng_below(rng, PROJECTS)];
        snprintf(out, MODULE_NAME, "%.7s%.5s", first, second);
        if (strlen(first) > 7 || strlen(second) > 5)
            snprintf(out, MODULE_NAME, "%s", second);
        return;
    }
    }
}

/* Kernels and functions. */
static void choose_callables(Rng *rng, NameStyle *style)
{
    static const char *const verbs[] = {"compute", "eval", "calc", "get", "evaluate", "find"};
    static const unsigned verb_weights[] = {55, 22, 8, 6, 6, 3};
    static const char *const starts[] = {"kernel_", "k_", "wp_", "run_"}, *const ends[] = {"_kernel", "_kern", "_fn"};
    static const unsigned start_weights[] = {30, 30, 20, 20}, end_weights[] = {94, 4, 2};
    static const char *const more[] = {"_step", "_pass", "_impl", "_v2", "_gpu", "_k", "_stage1", "_main"};
    static const unsigned more_weights[] = {30, 20, 12, 8, 8, 8, 7, 7};
    bool is_private = rng_chance(rng, 0.48);
    style->private_kernels = is_private;
    style->private_functions = rng_chance(rng, is_private ? 0.78 : 0.08);
    style->private_constants = is_private && rng_chance(rng, 0.5);
    style->private_classes = is_private && rng_chance(rng, 0.15);
    style->verb = rng_chance(rng, 0.85) ? one_of(rng, verbs, verb_weights, 6) : "";
    style->verb_functions = rng_chance(rng, 0.3);
    style->kernel_start = style->kernel_end = "";
    if (rng_chance(rng, 0.4))
        style->kernel_end = one_of(rng, ends, end_weights, 3);
    else if (rng_chance(rng, 0.05))
        style->kernel_start = one_of(rng, starts, start_weights, 4);
    else if (rng_chance(rng, 0.08))
        style->kernel_end = one_of(rng, more, more_weights, 8);
}

static void choose_module(Rng *rng, NameStyle *style)
{
    if (!rng_chance(rng, 0.45))
        return;
    draw_module(rng, style->module);
    style->module_last = rng_chance(rng, 0.3);
    style->module_kernels = rng_chance(rng, 0.8);
    style->module_functions = rng_chance(rng, 0.35);
    style->module_classes = rng_chance(rng, 0.5);
    style->module_constants = rng_chance(rng, 0.3);
    style->module_arrays = rng_chance(rng, 0.08);
}

static void choose_arguments(Rng *rng, NameStyle *style)
{
    static const unsigned ways[] = {74, 7, 13, 3, 3};
    static const char *const starts[] = {"sim_", "model_", "state_", "data_", "d_",
                                         "g_",   "buf_",   "env_",   "ws_",   "scene_"};
    static const unsigned start_weights[] = {18, 18, 16, 12, 12, 6, 6, 5, 4, 3};
    static const char *const ends[] = {"_arr", "_buf", "_data", "_array", "_buffer", "_ptr", "_d"};
    static const unsigned end_weights[] = {26, 20, 20, 12, 8, 6, 8};
    style->way = (WayStyle)rng_weighted(rng, ways, 5);
    style->entities = rng_chance(rng, 0.3);
    style->array_start = style->array_end = "";
    if (!style->entities && rng_chance(rng, 0.1))
        style->array_start = one_of(rng, starts, start_weights, 10);
    else if (style->way == WAY_AS_DRAWN && rng_chance(rng, 0.03))
        style->array_end = one_of(rng, ends, end_weights, 7);
    style->camel = rng_chance(rng, 0.008);
}

static void choose_spelling(Rng *rng, NameStyle *style)
{
    static const char *const indices[] = {"", "idx", "id", "index"}, *const counts[] = {"", "num_", "n_", "_count"};
    static const unsigned index_weights[] = {40, 30, 15, 15}, count_weights[] = {30, 25, 10, 35};
    static const char *const threads[] = {"",  "tid",     "i",     "idx",    "@_idx",      "@_id", "@id",
                                          "@", "@_index", "index", "thread", "thread_idx", "gid",  "thread_id"};
    static const unsigned thread_weights[] = {40, 20, 8, 4, 6, 5, 3, 5, 2, 2, 1, 1, 2, 1};
    unsigned spelling = rng_below(rng, 100);
    style->abbreviates = spelling < 15 ? 70 : 0;
    style->expands = spelling >= 15 && spelling < 42 ? 80 : 0;
    style->index_word = one_of(rng, indices, index_weights, 4);
    style->count_word = one_of(rng, counts, count_weights, 4);
    style->thread = one_of(rng, threads, thread_weights, 14);
}

static void choose_elements(Rng *rng, NameStyle *style)
{
    static const unsigned elements[] = {44, 26, 6, 6, 4, 8, 6};
    static const char *const mine[] = {"my", "cur", "this", "own", "local", "curr", "c"};
    static const unsigned mine_weights[] = {32, 20, 12, 10, 12, 8, 6};
    static const char *const ends[] = {"_val", "0", "_v", "_here", "_cur", "_e", "_t", "_value", "_elem"};
    static const unsigned end_weights[] = {26, 20, 12, 8, 8, 8, 6, 6, 6};
    style->element = (ElementStyle)rng_weighted(rng, elements, 7);
    style->mine = one_of(rng, mine, mine_weights, 7);
    style->ending = one_of(rng, ends, end_weights, 9);
}

/* From a stream of its own: which names a kernel has does not change what it does. */
NameStyle random_name_style(Draft *d)
{
    NameStyle style = {0};
    Rng rng = {.key = rng_mix(d->rng.key + RNG_GOLDEN)};
    choose_callables(&rng, &style);
    choose_module(&rng, &style);
    choose_arguments(&rng, &style);
    choose_spelling(&rng, &style);
    choose_elements(&rng, &style);
    return style;
}

/* ---- text ---- */

static size_t put_before(char *text, size_t len, size_t room, const char *start)
{
    size_t more = strlen(start);
    if (len + more + 1 > room)
        return len;
    memmove(text + more, text, len);
    memcpy(text, start, more);
    return len + more;
}

static size_t put_behind(char *text, size_t len, size_t room, const char *end)
{
    size_t more = strlen(end);
    if (len + more + 1 > room)
        return len;
    memcpy(text + len, end, more);
    return len + more;
}

static bool begins_with(const char *text, size_t len, const char *start)
{
    size_t first = strlen(start);
    return len > first && memcmp(text, start, first) == 0;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t last = strlen(end);
    return len > last && memcmp(text + len - last, end, last) == 0;
}

static bool has_word(const char *text, size_t len, const char *word, size_t word_len)
{
    for (size_t i = 0; i + word_len <= len; i++)
        if ((!i || text[i - 1] == '_') && memcmp(text + i, word, word_len) == 0)
            return true;
    return false;
}

/* rest_length: restLength */
static size_t camel_case(char *text, size_t len)
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        bool joins = text[i] == '_' && i && i + 1 < len && isalpha((unsigned char)text[i + 1]);
        text[used++] = joins ? (char)toupper((unsigned char)text[++i]) : text[i];
    }
    return used;
}

/* ---- words ---- */

/* The same answer for the same word, wherever it stands in the kernel. */
static bool is_habit(const Draft *d, const char *word, unsigned share)
{
    return share && (name_hash(word, strlen(word)) ^ d->salt) * 2654435761u % 100 < share;
}

static bool is_index_word(const char *word)
{
    return strcmp(word, "idx") == 0 || strcmp(word, "id") == 0 || strcmp(word, "index") == 0;
}

static const char *spelling_of(const Draft *d, const char *word, bool is_first)
{
    const char *other = NULL;
    if (!is_first && *d->style.index_word && is_index_word(word))
        return d->style.index_word;
    if (is_habit(d, word, d->style.abbreviates))
        other = word_meaning(d, WORD_BRIEF, word);
    else if (is_habit(d, word, d->style.expands))
        other = word_meaning(d, WORD_WRITTEN, word);
    return other ? other : word;
}

/* Each word, and the number behind it, on its own: dist0_sq. */
size_t respell_name(const Draft *d, const Symbol *symbol, char *text, size_t len, size_t room)
{
    char whole[64];
    size_t used = 0;
    if (symbol->kind == SYMBOL_FUNCTION || symbol->kind == SYMBOL_STRUCT || symbol->kind == SYMBOL_MEMBER ||
        room > sizeof whole)
        return len;
    for (size_t at = 0; at < len;) {
        char word[WORD_ROOM];
        size_t count = 0;
        while (at + count < len && isalpha((unsigned char)text[at + count]))
            count++;
        if (!count || count >= sizeof word || used + WORD_ROOM >= room) {
            count += !count;
            if (used + count >= room)
                return len;
            memcpy(whole + used, text + at, count);
            used += count;
        } else {
            memcpy(word, text + at, count);
            word[count] = 0;
            used = put_behind(whole, used, room, spelling_of(d, word, !at));
        }
        at += count;
    }
    memcpy(text, whole, used);
    return used;
}

/* ---- before and behind ---- */

static const char *last_word(const char *text, size_t len, char out[WORD_ROOM])
{
    size_t start = len;
    while (start && text[start - 1] != '_')
        start--;
    snprintf(out, WORD_ROOM, "%.*s", (int)(len - start), text + start);
    return out;
}

/* density: compute_density; but advance and has_four stay. */
static bool wants_verb(const Draft *d, const char *text, size_t len)
{
    char first[WORD_ROOM], last[WORD_ROOM];
    const char *bar = memchr(text, '_', len);
    snprintf(first, sizeof first, "%.*s", (int)(bar ? (size_t)(bar - text) : len), text);
    if (word_meaning(d, WORD_VERB, first))
        return false;
    last_word(text, len, last);
    size_t end = strlen(last);
    if (word_meaning(d, WORD_VERB, last)) /* plasma_push */
        return false;
    if (word_meaning(d, WORD_NOUN, last))
        return true;
    if (end < 2 || last[end - 1] != 's')
        return false;
    last[end - 1] = 0;
    return word_meaning(d, WORD_NOUN, last) != NULL;
}

static size_t add_module(const Draft *d, char *text, size_t len, size_t room)
{
    const NameStyle *style = &d->style;
    char joined[MODULE_NAME + 1];
    if (len + strlen(style->module) > LONGEST_NAME)
        return len;
    snprintf(joined, sizeof joined, style->module_last ? "_%s" : "%s_", style->module);
    return style->module_last ? put_behind(text, len, room, joined) : put_before(text, len, room, joined);
}

static size_t affix_callable(const Draft *d, const Symbol *symbol, char *text, size_t len, size_t room)
{
    const NameStyle *style = &d->style;
    bool is_kernel = symbol == &d->symbols[d->kernel];
    bool is_private = is_kernel ? style->private_kernels : style->private_functions;
    if (*style->verb && (is_kernel || style->verb_functions) && wants_verb(d, text, len)) {
        len = put_before(text, len, room, "_");
        len = put_before(text, len, room, style->verb);
    }
    if (*style->module && (is_kernel ? style->module_kernels : style->module_functions))
        len = add_module(d, text, len, room);
    if (is_kernel && !strstr(style->kernel_end, "ker"))
        len = put_behind(text, len, room, style->kernel_end);
    else if (is_kernel && !ends_with(text, len, "_kernel"))
        len = put_behind(text, len, room, style->kernel_end);
    if (is_kernel)
        len = put_before(text, len, room, style->kernel_start);
    if (style->camel)
        len = camel_case(text, len);
    return is_private ? put_before(text, len, room, "_") : len;
}

/* ParticleData: MpxParticleData, or _ParticleData */
static size_t affix_class(const Draft *d, char *text, size_t len, size_t room)
{
    const NameStyle *style = &d->style;
    if (style->module_classes && *style->module && len < LONGEST_ARGUMENT) {
        char start[MODULE_NAME];
        snprintf(start, sizeof start, "%s", style->module);
        size_t capitals = strlen(start) < 4 ? strlen(start) : 1;
        for (size_t i = 0; i < capitals; i++)
            start[i] = (char)toupper((unsigned char)start[i]);
        len = put_before(text, len, room, start);
    }
    return style->private_classes ? put_before(text, len, room, "_") : len;
}

static size_t affix_constant(const Draft *d, char *text, size_t len, size_t room)
{
    const NameStyle *style = &d->style;
    if (style->module_constants && *style->module && len < LONGEST_ARGUMENT) {
        char start[MODULE_NAME + 1];
        snprintf(start, sizeof start, "%s_", style->module);
        for (char *c = start; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        len = put_before(text, len, room, start);
    }
    return style->private_constants ? put_before(text, len, room, "_") : len;
}

/* The item that is an argument of this name; NULL: it is none, or only a setting. */
static const Item *array_of(const Draft *d, const Symbol *symbol)
{
    uint32_t number = (uint32_t)(symbol - d->symbols);
    for (uint32_t i = 0; i < d->item_count; i++) {
        const Item *item = &d->items[i];
        bool is_it = item->symbol == number;
        for (uint32_t k = 0; item->form == FORM_SPLIT && k < MAX_SPLIT; k++)
            is_it |= item->split[k] == number;
        if (is_it)
            return item->part.kind == PART_SETTING || item->part.kind == PART_TILE ? NULL : item;
    }
    return NULL;
}

/* What stands for every kind of thing says nothing before a name. */
static bool is_telling(const Entity *entity)
{
    static const char *const plain[] = {"item", "row", "column", "lane", "chunk", "element", "site", "sample"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(entity->id, plain[i]) == 0)
            return false;
    return !strchr(entity->id, '_') && !strchr(entity->one, ' ');
}

/* mass of particles: particle_mass */
static size_t add_entity(const Draft *d, const Item *item, char *text, size_t len, size_t room)
{
    const Entity *entity = item->part.axis_count ? entity_of_elements(d, item) : NULL;
    if (!entity || !is_telling(entity) || item->part.kind == PART_OFFSETS)
        return len;
    char start[WORD_ROOM];
    size_t word = strcspn(entity->one, "|");
    if (word + 2 > sizeof start || has_word(text, len, entity->one, word))
        return len;
    snprintf(start, sizeof start, "%.*s_", (int)word, entity->one);
    return put_before(text, len, room, start);
}

static size_t add_way(const NameStyle *style, const Item *item, char *text, size_t len, size_t room)
{
    bool is_read = item->part.role == PART_IN, is_written = item->part.role == PART_OUT || item->part.role == PART_ADD;
    bool has_way = ends_with(text, len, "_in") || ends_with(text, len, "_out") || ends_with(text, len, "_new") ||
                   begins_with(text, len, "out_") || begins_with(text, len, "in_");
    if (has_way)
        return len;
    if (style->way == WAY_IN_OUT_FIRST || style->way == WAY_OUT_FIRST)
        return is_written                                  ? put_before(text, len, room, "out_")
               : is_read && style->way == WAY_IN_OUT_FIRST ? put_before(text, len, room, "in_")
                                                           : len;
    if (style->way == WAY_AS_DRAWN)
        return len;
    return is_written                            ? put_behind(text, len, room, "_out")
           : is_read && style->way == WAY_IN_OUT ? put_behind(text, len, room, "_in")
                                                 : len;
}

static size_t affix_argument(const Draft *d, const Symbol *symbol, char *text, size_t len, size_t room)
{
    const NameStyle *style = &d->style;
    const Item *item = array_of(d, symbol);
    if (item && len < LONGEST_ARGUMENT) {
        if (style->entities)
            len = add_entity(d, item, text, len, room);
        if (style->module_arrays && *style->module)
            len = add_module(d, text, len, room);
        else
            len = put_before(text, len, room, style->array_start);
        if (!isdigit((unsigned char)text[len - 1]))
            len = put_behind(text, len, room, style->array_end);
        len = add_way(style, item, text, len, room);
    }
    return style->camel ? camel_case(text, len) : len;
}

size_t affix_name(const Draft *d, const Symbol *symbol, char *text, size_t len, size_t room)
{
    switch (symbol->kind) {
    case SYMBOL_FUNCTION: return affix_callable(d, symbol, text, len, room);
    case SYMBOL_STRUCT: return affix_class(d, text, len, room);
    case SYMBOL_CONSTANT: return affix_constant(d, text, len, room);
    case SYMBOL_INPUT: return affix_argument(d, symbol, text, len, room);
    case SYMBOL_MEMBER: return len;
    default: return d->style.camel ? camel_case(text, len) : len;
    }
}

/* ---- what is drawn from ---- */

/* The alternatives that look as the author's counts do; NULL: there is none. */
static const char *counts_like(Draft *d, const char *names)
{
    const char *part = d->style.count_word;
    for (const char *at = names; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        size_t len = strcspn(at, "|");
        if (begins_with(at, len, part) || ends_with(at, len, part))
            return arena_strndup(d->arena, at, len);
    }
    return NULL;
}

const char *habitual_names(Draft *d, const Symbol *symbol)
{
    uint32_t number = (uint32_t)(symbol - d->symbols);
    if (symbol->kind == SYMBOL_COUNT && *d->style.count_word)
        return counts_like(d, symbol->names);
    if (!*d->style.thread || number != d->tid[0] || !number || d->dims != 1 || d->strided || d->scene->is_tiled)
        return NULL;
    return d->style.thread;
}
