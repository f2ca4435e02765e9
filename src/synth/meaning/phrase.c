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

/* Short for several words: acc may be an accumulator. It is what the quantity's phrase says, or nothing. */
static bool is_ambiguous(const char *word)
{
    static const char *const words[] = {"acc",   "act", "com", "comp",  "cond", "conf",  "const", "cur",  "disp",
                                        "exp",   "mat", "mag", "sig",   "att",  "inf",   "pot",   "inc",  "org",
                                        "pen",   "ref", "reg", "res",   "rot",  "sat",   "seg",   "spec", "sym",
                                        "trans", "val", "var", "where", "over", "begin", "def",   "desc", "diff"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* The words of a name as a sentence has them: "curvature" of curv_out. Empty, if nothing is left: x_out. `phrase`: of the quantity. */
static char *words_of(Draft *d, const char *role, const char *phrase)
{
    Text text;
    text_init_in(&text, d->arena);
    while (*role) {
        size_t len = strcspn(role, "_");
        const char *word = arena_strndup(d->arena, role, len), *means = word_meaning(d, WORD_SHORT, word);
        role += len + (role[len] == '_');
        bool doubtful = means && is_ambiguous(word) && !strstr(phrase, means);
        if (doubtful || (means ? !*means : len < 3 || strpbrk(word, "0123456789")))
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
    char *words = words_of(d, role, kind), *last = last_word(words);
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

static bool ends_in_noun(Draft *d, const char *role, const char *phrase)
{
    const char *last = last_word(words_of(d, role, phrase));
    return *last && (word_meaning(d, WORD_NOUN, last) || singular(d, last));
}

const char *phrase_of_item(Draft *d, const Item *item)
{
    const char *role = own_name(d, item), *phrase = item->part.quantity->phrase;
    const char *kind = word_meaning(d, WORD_PLAIN, item->part.quantity->id);
    /* Of x or ev the kernel's own name may say more: exposure_ev; and humidity is a thing, where humid is none. */
    if (kind && (!*words_of(d, role, kind) ||
                 (!ends_in_noun(d, role, kind) && ends_in_noun(d, drawn_name_of_item(d, item), kind))))
        role = drawn_name_of_item(d, item);
    size_t len = strlen(role);
    bool is_new = item->part.role != PART_IN && len > 4 && strcmp(role + len - 4, "_new") == 0;
    if (kind)
        phrase = phrase_of_plain(d, is_new ? arena_strndup(d->arena, role, len - 4) : role, kind);
    return is_new ? arena_join(d->arena, "new ", phrase) : phrase;
}

static const char *last_of(const char *phrase)
{
    const char *blank = strrchr(phrase, ' ');
    return blank ? blank + 1 : phrase;
}

/* The quantity's phrase, as far as the parameter's own name supports it: the quantity says how a value is measured, the name what it is
 * for. `shared`: another parameter has the same quantity, so that its phrase may fit one of them only. */
static const char *role_phrase(Draft *d, const Item *item, const char *role, bool shared)
{
    const char *phrase = item->part.quantity->phrase, *words = words_of(d, role, phrase);
    bool is_setting = item->part.kind == PART_SETTING;
    if (item->part.kind == PART_KIND)
        return "kind";
    if (word_meaning(d, WORD_PLAIN, item->part.quantity->id))
        return phrase_of_item(d, item);
    bool named = is_word_of_quantity(item->part.quantity, role), plain = strchr(phrase, ' ') == NULL;
    if (!*words || (named && strlen(role) < 3))
        return shared && !is_setting ? "value" : phrase;
    if (named && !shared)
        return phrase;
    if (strstr(words, last_of(phrase)) || (ends_in_noun(d, role, phrase) && !named))
        return words;
    if (named && plain)
        return phrase;
    return arena_join(d->arena, arena_join(d->arena, words, " "), last_of(phrase));
}

const char *role_phrase_of_item(Draft *d, const Item *item, bool shared)
{
    const char *role = own_name(d, item);
    size_t len = strlen(role);
    bool plain = word_meaning(d, WORD_PLAIN, item->part.quantity->id) || item->part.role == PART_IN;
    if (plain || len <= 4 || strcmp(role + len - 4, "_new") != 0)
        return role_phrase(d, item, role, shared);
    return arena_join(d->arena, "new ", role_phrase(d, item, arena_strndup(d->arena, role, len - 4), shared));
}
