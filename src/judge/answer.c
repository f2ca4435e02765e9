#include "judge/judge.h"

#include <ctype.h>

static bool is_fence(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return end - line >= 3 && memcmp(line, "```", 3) == 0;
}

static bool holds(Span span, const char *name)
{
    return *name && memmem(span.text, span.len, name, strlen(name)) != NULL;
}

Span answer_code(const char *answer, size_t len, const char *name)
{
    Span last = {answer, len};
    bool in_block = false, named = false;
    const char *end = answer + len, *begin = answer;
    for (const char *line = answer; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *next = stop ? stop + 1 : end;
        bool fence = is_fence(line, next), closes = in_block && (fence || next == end);
        Span block = {begin, (size_t)((fence ? line : next) - begin)};
        if (closes && (!named || holds(block, name))) {
            last = block;
            named |= holds(block, name);
        }
        if (fence) {
            in_block = !in_block;
            begin = next;
            if (in_block && next == end && !named) /* nothing follows it */
                last = (Span){end, 0};
        }
        line = next;
    }
    return last;
}

/* The next word of letters, or of digits, in lower case; false: no more. */
static bool next_word(const char **at, const char *end, char *word, size_t size)
{
    size_t len = 0;
    while (*at < end && !isalnum((unsigned char)**at))
        ++*at;
    bool digits = *at < end && isdigit((unsigned char)**at);
    for (; *at < end && isalnum((unsigned char)**at) && digits == !!isdigit((unsigned char)**at); ++*at)
        if (len + 1 < size)
            word[len++] = (char)tolower((unsigned char)**at);
    word[len] = '\0';
    return len;
}

/* Words that may stand before the verdict, up to a colon: "Answer: wrong, line 44". */
static bool is_label(const char *word)
{
    static const char *const labels[] = {"the", "my", "final", "answer", "verdict", "result", "conclusion", "is"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (strcmp(word, labels[i]) == 0)
            return true;
    return false;
}

/* Passes over a label and its colon; without one, *from stays. */
static void skip_label(const char **from, const char *end)
{
    const char *colon = memchr(*from, ':', (size_t)(end - *from));
    char word[16];
    if (!colon)
        return;
    for (const char *at = *from; next_word(&at, colon, word, sizeof word);)
        if (!is_label(word))
            return;
    *from = colon + 1;
}

/* The number right after the first word `line`; 0: there is none. */
static uint32_t line_number(const char *from, const char *end)
{
    enum { MOST_LINES = 1000000 };
    uint32_t line = 0;
    char word[16];
    while (next_word(&from, end, word, sizeof word))
        if (strcmp(word, "line") == 0) {
            next_word(&from, end, word, sizeof word);
            for (const char *digit = word; isdigit((unsigned char)*digit) && line < MOST_LINES; digit++)
                line = line * 10 + (uint32_t)(*digit - '0');
            break;
        }
    return line;
}

bool answer_verdict(const char *answer, size_t len, bool *right, uint32_t *line)
{
    const char *end = answer + len, *from;
    char word[16];
    while (end > answer && !isalnum((unsigned char)end[-1]))
        end--;
    for (from = end; from > answer && from[-1] != '\n';)
        from--;
    skip_label(&from, end);
    if (!next_word(&from, end, word, sizeof word) || (strcmp(word, "right") != 0 && strcmp(word, "wrong") != 0))
        return false;
    *right = word[0] == 'r';
    *line = *right ? 0 : line_number(from, end);
    while (*right && next_word(&from, end, word, sizeof word))
        if (strcmp(word, "wrong") == 0) /* "right or wrong": neither was chosen */
            return false;
    return true;
}
