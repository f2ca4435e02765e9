#include "corpus/text_sizes.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const measured_columns[MEASURED_COLUMNS] = {"python_source", "cuda_forward", "cuda_backward",
                                                        "cuda_readable", "cpp_forward",  "cpp_backward"};

/* What a character that was escaped is like. */
static unsigned char unescaped(char letter)
{
    return strchr("nrtbfu", letter) ? ' ' : (unsigned char)letter;
}

/* A string in JSON, from behind its first quote on; returns its last one. */
static const char *measure_string(const char *at, const char *end, TextSize *size)
{
    bool in_word = false;
    for (; at < end && *at != '"'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '\\' && ++at < end) {
            c = unescaped(*at);
            at += *at == 'u' ? 4 : 0;
        }
        bool word = isalnum(c) || c == '_' || c >= 0x80;
        size->bytes++;
        size->tokens += word ? !in_word : !isspace(c);
        in_word = word;
    }
    return at;
}

void measure_texts(const char *record, size_t len, TextSize sizes[MEASURED_COLUMNS])
{
    const char *at = record, *end = record + len;
    for (int i = 0; i < MEASURED_COLUMNS; i++) {
        char key[40];
        size_t key_len = (size_t)snprintf(key, sizeof key, ", \"%s\": ", measured_columns[i]);
        sizes[i] = (TextSize){0};
        /* Quotes in a string are escaped: what looks like a key is one. */
        const char *found = memmem(at, (size_t)(end - at), key, key_len);
        if (!found)
            continue;
        at = found + key_len;
        if (at < end && *at == '"')
            at = measure_string(at + 1, end, &sizes[i]);
    }
}
