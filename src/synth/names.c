/* Names: words of a domain, free ones, and never the same twice in a kernel. */
#include "base/format.h"
#include "synth/context.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Theme {
    char letter;
    const char *entity;
} Theme;

typedef struct WordRow {
    const char *themes;
    char kind;
    const char *name;
    size_t len; /* of the name */
    Range range;
} WordRow;

static const Theme themes[] = {
#define THEME(letter, entity) {letter, entity},
#define WORD(themes, kind, name, low, high)
#include "synth/words.def"
#undef THEME
#undef WORD
};

static const WordRow words[] = {
#define THEME(letter, entity)
#define WORD(themes, kind, name, low, high) {themes, kind, name, sizeof name - 1, {low, high}},
#include "synth/words.def"
#undef THEME
#undef WORD
};

enum { THEME_COUNT = sizeof themes / sizeof *themes, WORD_COUNT = sizeof words / sizeof *words };

static const char word_kinds[] = "fiu234vmqtS";

typedef struct WordIndex {
    NameTable reserved;
    uint32_t hashes[WORD_COUNT]; /* of the words */
    struct {
        uint16_t *words; /* a word of the domain counts twice */
        uint32_t count;
    } fitting[THEME_COUNT][sizeof word_kinds - 1];
} WordIndex;

/* Words that C++, Python or warp keep for themselves. */
static const char *const reserved[] = {
    "_idx",  "abs",      "and",    "array",    "as",       "auto",   "bool",     "case",       "char",   "class",
    "const", "copy",     "def",    "default",  "del",      "delete", "dim",      "double",     "e",      "float",
    "for",   "friend",   "from",   "half",     "if",       "in",     "index",    "inf",        "inline", "int",
    "is",    "kernel",   "lambda", "len",      "load",     "long",   "max",      "min",        "nan",    "new",
    "not",   "operator", "or",     "pi",       "print",    "range",  "register", "round",      "select", "shape",
    "short", "signed",   "static", "step",     "struct",   "sum",    "switch",   "task_index", "tau",    "template",
    "this",  "typename", "union",  "unsigned", "volatile", "where",  "wp",
};

Name intern(Synth *s, const char *text)
{
    return name_of(&s->names, text, strlen(text));
}

Name intern_format(Synth *s, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    size_t len = format_text(text, sizeof text, format, args);
    va_end(args);
    return name_of(&s->names, text, len < sizeof text ? len : sizeof text - 1);
}

/* ---- free names ---- */

static bool is_free(const Synth *s, uint32_t hash, const char *text, size_t len)
{
    Name known = name_find(&s->names, hash, text, len);
    if (known && known->id < MAX_NAMES && names_contain(&s->taken_names, known))
        return false;
    return !name_find(&s->context->words->reserved, hash, text, len);
}

/* NULL: it is taken, or reserved. */
static Name take_if_free(Synth *s, const char *text, size_t len)
{
    uint32_t hash = name_hash(text, len);
    if (!is_free(s, hash, text, len))
        return NULL;
    Name name = name_add(&s->names, hash, text, len);
    if (s->taken_count < sizeof s->taken / sizeof *s->taken && name->id < MAX_NAMES) {
        s->taken[s->taken_count++] = name;
        names_add(&s->taken_names, name);
    }
    return name;
}

void forget_names(Synth *s, uint32_t count)
{
    while (s->taken_count > count)
        names_remove(&s->taken_names, s->taken[--s->taken_count]);
}

const char *about(Synth *s, const char *stem, const char *alternatives)
{
    s->stem = stem;
    return alternatives;
}

/* Appends as much as there is room for. */
static size_t append(char text[NAME_SIZE], size_t at, const char *part, size_t len)
{
    len = len < LONGEST_NAME - at ? len : LONGEST_NAME - at;
    text_copy(text + at, part, len);
    text[at + len] = 0;
    return at + len;
}

size_t pick_name(Synth *s, const char *alternatives, char text[NAME_SIZE])
{
    size_t len;
    const char *word = rng_word(&s->rng, alternatives, &len), *hole = s->stem ? memchr(word, '*', len) : NULL;
    if (!hole)
        return append(text, 0, word, len);
    size_t before = (size_t)(hole - word);
    size_t at = append(text, append(text, 0, word, before), s->stem, strlen(s->stem));
    return append(text, at, hole + 1, len - before - 1);
}

static Name choose(Synth *s, const char *alternatives)
{
    static const struct {
        const char *before, *behind;
    } affixes[] = {{"", "_a"},     {"", "_b"},     {"next_", ""}, {"local_", ""},
                   {"", "_value"}, {"other_", ""}, {"", "_term"}};
    enum { AFFIX_COUNT = sizeof affixes / sizeof *affixes };
    char word[NAME_SIZE], text[NAME_SIZE + 16];
    size_t len = 0;
    for (int tries = 0; tries < 6; tries++) {
        len = pick_name(s, alternatives, word);
        Name name = take_if_free(s, word, len);
        if (name)
            return name;
    }
    uint32_t start = below(s, 3);
    bool constant = isupper((unsigned char)word[0]) && isupper((unsigned char)word[len - 1]);
    for (uint32_t i = 0; !constant && i < AFFIX_COUNT; i++) {
        const char *before = affixes[(start + i) % AFFIX_COUNT].before,
                   *behind = affixes[(start + i) % AFFIX_COUNT].behind;
        size_t first = strlen(before), last = strlen(behind);
        memcpy(text, before, first);
        memcpy(text + first, word, len);
        memcpy(text + first + len, behind, last);
        Name name = take_if_free(s, text, first + len + last);
        if (name)
            return name;
    }
    for (unsigned number = 2;; number++) {
        size_t numbered = (size_t)snprintf(text, sizeof text, "%s_%u", word, number);
        Name name = take_if_free(s, text, numbered);
        if (name)
            return name;
    }
}

Name fresh(Synth *s, const char *alternatives)
{
    Name name = choose(s, alternatives);
    s->stem = NULL;
    return name;
}

static char kind_of(const Type *type)
{
    switch (type->kind) {
    case TYPE_VEC:
        if (!type_is_float(type_scalar_of(type)))
            return 'v';
        return type->composite.rows == 6 ? 'S' : type->composite.rows <= 4 ? (char)('0' + type->composite.rows) : 'v';
    case TYPE_MAT: return 'm';
    case TYPE_QUAT: return 'q';
    case TYPE_TRANSFORM: return 't';
    case TYPE_UINT32:
    case TYPE_UINT64:
    case TYPE_UINT8: return 'u';
    case TYPE_INT32:
    case TYPE_INT64:
    case TYPE_INT16: return 'i';
    default: return 'f';
    }
}

void choose_theme(Synth *s, const char *letters)
{
    size_t count = strlen(letters);
    char chosen = count ? letters[below(s, (uint32_t)count)] : themes[below(s, THEME_COUNT)].letter;
    for (s->theme = 0; s->theme + 1 < THEME_COUNT && themes[s->theme].letter != chosen;)
        s->theme++;
}

const WordIndex *index_words(Arena *arena)
{
    WordIndex *index = ARENA_NEW(arena, WordIndex);
    names_init(&index->reserved, arena);
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        name_cstr(&index->reserved, reserved[i]);
    for (uint16_t i = 0; i < WORD_COUNT; i++)
        index->hashes[i] = name_hash(words[i].name, words[i].len);
    for (uint32_t theme = 0; theme < THEME_COUNT; theme++)
        for (uint32_t kind = 0; kind < sizeof word_kinds - 1; kind++) {
            uint16_t fitting[2 * WORD_COUNT];
            uint32_t count = 0;
            for (uint16_t i = 0; i < WORD_COUNT; i++) {
                if (words[i].kind != word_kinds[kind])
                    continue;
                bool own = strchr(words[i].themes, themes[theme].letter) != NULL;
                if (own)
                    fitting[count++] = i;
                if (own || words[i].themes[0] == '*')
                    fitting[count++] = i;
            }
            index->fitting[theme][kind].count = count;
            index->fitting[theme][kind].words = ARENA_ARRAY(arena, uint16_t, count);
            memcpy(index->fitting[theme][kind].words, fitting, count * sizeof *fitting);
        }
    return index;
}

Word theme_word(Synth *s, const Type *type)
{
    size_t kind = (size_t)(strchr(word_kinds, kind_of(type)) - word_kinds);
    const uint16_t *fitting = s->context->words->fitting[s->theme][kind].words;
    uint32_t count = s->context->words->fitting[s->theme][kind].count;
    Word word = {"value", {-1, 1}};
    for (int tries = 0; tries < 4 && count; tries++) {
        uint16_t i = fitting[below(s, count)];
        word = (Word){words[i].name, words[i].range};
        if (is_free(s, s->context->words->hashes[i], words[i].name, words[i].len))
            break;
    }
    if (type_scalar_of(type)->kind == TYPE_UINT8)
        word.range.high = 255;
    return word;
}

const char *theme_entity(Synth *s)
{
    return themes[s->theme].entity;
}

/* ---- choices ---- */

bool chance(Synth *s, double probability)
{
    return rng_chance(&s->rng, probability);
}

uint32_t below(Synth *s, uint32_t count)
{
    return rng_below(&s->rng, count);
}

int between(Synth *s, int low, int high)
{
    return rng_between(&s->rng, low, high);
}

const char *pick_text(Synth *s, const char *const *texts, size_t count)
{
    return texts[below(s, (uint32_t)count)];
}

Expr pick_expr(Synth *s, const Expr *list, size_t count)
{
    return list[below(s, (uint32_t)count)];
}

/* What "%.*g" prints, read back. */
static double round_to_digits(double value, int digits)
{
    static const double powers[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    double size = fabs(value);
    if (size == 0)
        return value;
    int exponent = 0; /* of the first digit, as far as that is easily told */
    while (exponent < 6 && size >= powers[exponent + 7])
        exponent++;
    while (exponent > -6 && size < powers[exponent + 6])
        exponent--;
    int decimals = digits - 1 - exponent;
    if (digits <= 8 && size >= 1e-5 && size < 1e5 && decimals >= 0 && decimals <= 12) {
        double power = decimals > 6 ? powers[12] * powers[decimals] : powers[decimals + 6];
        double scaled = value * power, whole = nearbyint(scaled);
        bool clear = fabs(fabs(scaled - whole) - 0.5) > 1e-6; /* to which side it goes */
        if (clear || fma(value, power, -scaled) == 0)         /* or it is in the middle, exactly */
            return whole / power;
    }
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* The shortest number near the middle of an interval that is too narrow for a choice. */
static double nice_inside(double low, double high)
{
    for (int digits = 1; digits < 17; digits++) {
        double rounded = round_to_digits((low + high) / 2, digits);
        if (rounded >= low && rounded <= high)
            return rounded;
    }
    return low;
}

double nice_number(Synth *s, double low, double high)
{
    double span = high - low;
    double unit = span > 20      ? 1
                  : span > 4     ? 0.5
                  : span > 1     ? 0.25
                  : span > 0.4   ? 0.1
                  : span > 0.04  ? 0.01
                  : span > 0.004 ? 0.001
                                 : span / 8;
    if (chance(s, 0.3))
        unit /= 5;
    int steps = (int)(span / unit);
    double value = low + unit * between(s, 0, steps > 0 ? steps : 0);
    if (fabs(value) < 1e-9 * span && low <= 0 && high >= 0)
        return 0;
    for (int digits = 2; digits < 8; digits++) { /* as few digits as the range allows */
        double rounded = round_to_digits(value, digits);
        if (rounded >= low && rounded <= high && (digits > 2 || fabs(rounded - value) < unit))
            return rounded;
    }
    return low == high ? low : nice_inside(low, high);
}
