/* The lexer's character level: UTF-8, the characters of names, the extent of number literals. */
#ifndef WEFT_FRONT_LEXER_TEXT_H
#define WEFT_FRONT_LEXER_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies a text. Returns the offset of the first byte that is NUL or no valid UTF-8; `len` where all is well. */
size_t utf8_copy(char *to, const char *text, size_t len);

/* The code point at `text` (valid UTF-8); returns what follows it. */
const char *utf8_decode(const char *text, uint32_t *code);

/* Writes a code point as UTF-8 (a surrogate as its three bytes); returns how many bytes. */
size_t encode_code_point(char *out, uint32_t code);

extern const uint8_t ascii_name_chars[256];
static inline bool is_ascii_name_char(char c)
{
    return ascii_name_chars[(unsigned char)c];
}

/* Behind the character at `text` where a name may start with it, or go on with it; else NULL. */
const char *skip_name_start(const char *text);
const char *skip_name_part(const char *text);

/* Behind the number literal at `text`. Where it is malformed, `*message` says why. */
const char *skip_number(Arena *arena, const char *text, const char **message);

#endif
