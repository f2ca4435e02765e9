#include "corpus/grams.h"

#include "base/array.h"

#include <ctype.h>
#include <xxhash.h>

/* ---- tokens ---- */

typedef struct Scanner {
    const char *at, *end;
    bool after_dot;
} Scanner;

/* Words that mean something in every kernel. */
static bool is_kept_word(const char *word, size_t len)
{
    enum { LONGEST = 8 };
    static const char *const kept[] = {"wp",   "def", "if",    "elif",  "else",     "for",   "in",    "while", "return",
                                       "and",  "or",  "not",   "is",    "True",     "False", "None",  "break", "class",
                                       "pass", "int", "bool",  "float", "continue", "range", "dtype", "abs",   "min",
                                       "max",  "len", "print", "pow",   "sum",      "round"};
    for (size_t i = 0; len <= LONGEST && i < sizeof kept / sizeof *kept; i++)
        if (kept[i][0] == word[0] && strlen(kept[i]) == len && memcmp(kept[i], word, len) == 0)
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_operator(char c)
{
    return c && strchr("+-*/%<>=!&|^", c);
}

static void skip_text(Scanner *scanner)
{
    char quote = *scanner->at;
    size_t marks = scanner->end - scanner->at >= 3 && scanner->at[1] == quote && scanner->at[2] == quote ? 3 : 1,
           found = 0;
    for (scanner->at += marks; scanner->at < scanner->end && found < marks; scanner->at++) {
        found = *scanner->at == quote ? found + 1 : 0;
        scanner->at += *scanner->at == '\\' && scanner->at + 1 < scanner->end;
    }
}

static void skip_blanks(Scanner *scanner)
{
    for (; scanner->at < scanner->end; scanner->at++)
        if (*scanner->at == '#')
            while (scanner->at + 1 < scanner->end && scanner->at[1] != '\n')
                scanner->at++;
        else if (*scanner->at == '"' || *scanner->at == '\'') {
            skip_text(scanner);
            scanner->at--;
        } else if (!isspace((unsigned char)*scanner->at))
            break;
}

/* 1.5e-3: the sign belongs to it. */
static void skip_number(Scanner *scanner)
{
    bool is_hex = scanner->end - scanner->at > 1 && (scanner->at[1] | 0x20) == 'x';
    for (; scanner->at < scanner->end && (is_word(*scanner->at) || *scanner->at == '.'); scanner->at++)
        if (!is_hex && (*scanner->at | 0x20) == 'e' && scanner->at + 1 < scanner->end &&
            (scanner->at[1] == '-' || scanner->at[1] == '+'))
            scanner->at++;
}

enum { TOKEN_HASH_NAME = 1, TOKEN_HASH_NUMBER }; /* other tokens have hashes that are not so small */

/* A hash of the next token; 0: there are no more. */
static uint64_t next_token(Scanner *scanner)
{
    skip_blanks(scanner);
    const char *start = scanner->at;
    bool after_dot = scanner->after_dot;
    scanner->after_dot = false;
    if (start == scanner->end)
        return 0;
    bool fraction = *start == '.' && scanner->end - start > 1 && isdigit((unsigned char)start[1]);
    if (isdigit((unsigned char)*start) || fraction) {
        skip_number(scanner);
        return TOKEN_HASH_NUMBER;
    }
    if (is_word(*start)) {
        while (scanner->at < scanner->end && is_word(*scanner->at))
            scanner->at++;
        if (!after_dot && !is_kept_word(start, (size_t)(scanner->at - start)))
            return TOKEN_HASH_NAME;
    } else if (is_operator(*start))
        while (scanner->at < scanner->end && is_operator(*scanner->at))
            scanner->at++;
    else
        scanner->after_dot = *scanner->at++ == '.';
    return XXH3_64bits(start, (size_t)(scanner->at - start)) | 4;
}

/* ---- sets ---- */

static bool add_gram(GramSet *set, const uint64_t last[GRAM_TOKENS])
{
    static const uint64_t factors[GRAM_TOKENS] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u,
                                                  0xd6e8feb86659fd93u, 0xff51afd7ed558ccdu};
    uint64_t sum = 0;
    for (int i = 0; i < GRAM_TOKENS; i++)
        sum += (last[i] ^ last[i] >> 29) * factors[i];
    sum = (sum ^ sum >> 32) * factors[0];
    if (!ARRAY_ROOM(set->items, set->count, set->cap))
        return false;
    set->items[set->count++] = (uint32_t)(sum >> (64 - GRAM_BITS));
    return true;
}

static int ascending(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;
    return (one > two) - (one < two);
}

static void sort_and_thin(GramSet *set)
{
    size_t kept = 1;
    qsort(set->items, set->count, sizeof *set->items, ascending);
    for (size_t i = 1; i < set->count; i++)
        if (set->items[i] != set->items[kept - 1])
            set->items[kept++] = set->items[i];
    set->count = kept;
}

bool grams_of_source(GramSet *set, const char *source, size_t len)
{
    Scanner scanner = {.at = source, .end = source + len};
    uint64_t last[GRAM_TOKENS] = {0}, token;
    size_t seen = 0;
    set->count = 0;
    while ((token = next_token(&scanner))) {
        memmove(last, last + 1, sizeof last - sizeof *last);
        last[GRAM_TOKENS - 1] = token;
        if (++seen >= GRAM_TOKENS && !add_gram(set, last))
            return false;
    }
    if (!set->count && !add_gram(set, last)) /* fewer tokens than a gram has */
        return false;
    sort_and_thin(set);
    return true;
}

bool gram_set_read(GramSet *set, const char *items, size_t count)
{
    while (set->cap < count)
        if (!array_grow(&set->items, &set->cap, sizeof *set->items))
            return false;
    memcpy(set->items, items, count * sizeof *set->items);
    set->count = count;
    return true;
}

void gram_set_free(GramSet *set)
{
    free(set->items);
    *set = (GramSet){0};
}
