/* What an item is called in a sentence: after its quantity, or, where that says little, after what its scene calls it. */
#include "synth/meaning/draft.h"
#include "synth/meaning/load.h"

#include <string.h>

typedef struct RoleWord {
    WordKind kind;
    const char *word, *means;
} RoleWord;

static const RoleWord role_words[] = {
#define SHORT(word, means) {WORD_SHORT, #word, means},
#define EXTRA(word) {WORD_SHORT, #word, ""},
#define NOUN(word) {WORD_NOUN, #word, #word},
#define PLAIN(quantity, means) {WORD_PLAIN, #quantity, means},
#define TOLD(phrase) {WORD_TOLD, #phrase, #phrase},
#include "synth/meaning/role_words.def"
#define SPELLING(written, brief) {WORD_BRIEF, #written, #brief}, {WORD_WRITTEN, #brief, #written},
#define SHORTER(written, brief) {WORD_BRIEF, #written, #brief},
#define VERB(word) {WORD_VERB, #word, #word},
#define PROJECT(word)
#define SYLLABLE(text)
#include "synth/meaning/name_words.def"
#undef SYLLABLE
#undef PROJECT
#undef VERB
#undef SHORTER
#undef SPELLING
#undef TOLD
#undef SHORT
#undef EXTRA
#undef NOUN
#undef PLAIN
};

static bool is_role_word(const void *key, const void *wanted)
{
    const RoleWord *a = key, *b = wanted;
    return a->kind == b->kind && strcmp(a->word, b->word) == 0;
}

void index_role_words(Meaning *meaning)
{
    size_t count = sizeof role_words / sizeof *role_words;
    table_reserve(&meaning->role_words, meaning->arena, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const RoleWord *word = &role_words[i];
        TableSlot *slot = table_add_like(&meaning->role_words, meaning->arena,
                                         name_hash(word->word, strlen(word->word)), is_role_word, word);
        if (!slot->key) /* the first of two is meant */
            slot->key = word;
    }
}

const char *word_meaning(const Draft *d, WordKind kind, const char *word)
{
    const TableSlot *slot = table_find_like(&d->meaning->role_words, name_hash(word, strlen(word)), is_role_word,
                                            &(RoleWord){kind, word, NULL});
    return slot ? ((const RoleWord *)slot->key)->means : NULL;
}

/* Of a noun in the plural; NULL: it is none. */
static const char *singular(Draft *d, const char *word)
{
    static const struct {
        const char *end, *instead;
    } ends[] = {{"ies", "y"}, {"xes", "x"}, {"ches", "ch"}, {"sses", "ss"}, {"ldren", "ld"}, {"s", ""}};
    size_t len = strlen(word);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t tail = strlen(ends[i].end);
        if (len < tail || strcmp(word + len - tail, ends[i].end) != 0)
            continue;
        const char *one = arena_join(d->arena, arena_strndup(d->arena, word, len - tail), ends[i].instead);
        if (word_meaning(d, WORD_NOUN, one))
            return one;
    }
    return NULL;
}

/* The words of a name as a sentence has them: "curvature" of curv_out. Empty, if nothing is left: x_out. */
static char *words_of(Draft *d, const char *role)
{
    Text text;
    text_init_in(&text, d->arena);
    while (*role) {
        size_t len = strcspn(role, "_");
        const char *word = arena_strndup(d->arena, role, len), *means = word_meaning(d, WORD_SHORT, word);
        role += len + (role[len] == '_');
        if (means ? !*means : len < 3)
            continue;
        if (text.len)
            text_char(&text, ' ');
        text_str(&text, means ? means : word);
    }
    return arena_strndup(d->arena, text_cstr(&text), text.len);
}

static char *last_word(char *words)
{
    char *blank = strrchr(words, ' ');
    return blank ? blank + 1 : words;
}

static const char *own_name(Draft *d, const Item *item)
{
    const char *dot = strrchr(item->role, '.'), *role = dot ? dot + 1 : item->role;
    size_t len = strlen(role);
    while (len > 1 && role[len - 1] == '_')
        len--;
    return arena_strndup(d->arena, role, len);
}

/* `kind`: what such values are, "count". */
static const char *phrase_of_plain(Draft *d, const char *role, const char *kind)
{
    char *words = words_of(d, role), *last = last_word(words);
    if (!*words)
        return kind;
    const char *one = singular(d, last);
    if (one && strcmp(kind, "count") == 0 && strcmp(one, kind) != 0)
        return arena_join(d->arena, "number of ", words);
    if (one)
        return arena_join(d->arena, arena_strndup(d->arena, words, (size_t)(last - words)), one);
    if (word_meaning(d, WORD_NOUN, last))
        return words;
    return arena_join(d->arena, arena_join(d->arena, words, " "), kind);
}

static bool ends_in_noun(Draft *d, const char *role)
{
    const char *last = last_word(words_of(d, role));
    return *last && (word_meaning(d, WORD_NOUN, last) || singular(d, last));
}

const char *phrase_of_item(Draft *d, const Item *item)
{
    const char *role = own_name(d, item), *phrase = item->part.quantity->phrase;
    const char *kind = word_meaning(d, WORD_PLAIN, item->part.quantity->id);
    /* Of x or ev the kernel's own name may say more: exposure_ev; and humidity is a thing, where humid is none. */
    if (kind && (!*words_of(d, role) || (!ends_in_noun(d, role) && ends_in_noun(d, drawn_name_of_item(d, item)))))
        role = drawn_name_of_item(d, item);
    size_t len = strlen(role);
    bool is_new = item->part.role != PART_IN && len > 4 && strcmp(role + len - 4, "_new") == 0;
    if (kind)
        phrase = phrase_of_plain(d, is_new ? arena_strndup(d->arena, role, len - 4) : role, kind);
    return is_new ? arena_join(d->arena, "new ", phrase) : phrase;
}

bool is_told_by_name(const Draft *d, const Item *item)
{
    return item->part.kind == PART_SETTING && word_meaning(d, WORD_TOLD, item->part.quantity->phrase);
}

const char *telling_phrase_of_item(Draft *d, const Item *item)
{
    const char *phrase = phrase_of_item(d, item);
    char *words = words_of(d, own_name(d, item));
    if (!*words || strstr(phrase, last_word(words)) || word_meaning(d, WORD_PLAIN, item->part.quantity->id))
        return phrase;
    return arena_join(d->arena, arena_join(d->arena, words, " "), phrase);
}
