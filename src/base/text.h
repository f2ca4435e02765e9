/* A growing byte buffer: everything that weft prints is appended to one of these.
 * Appending copies ready-made pieces; there is no format interpreter on the hot path.
 *
 * When memory runs out, a text in an arena, or with a recovery point of its own, leaves by longjmp. Any other one is lost:
 * `failed` is set and stays so, nothing of it may be used, and appending to it does no harm. */
#ifndef WEFT_BASE_TEXT_H
#define WEFT_BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Text {
    char *data;
    size_t len, cap;
    Arena *arena;        /* NULL: the buffer is the text's own and must be freed */
    jmp_buf *on_failure; /* as for an arena */
    bool failed;         /* memory ran out: the content is lost */
} Text;

void text_init(Text *text);
void text_init_in(Text *text, Arena *arena); /* the buffer goes with the arena: also when control leaves by a failure */
void text_free(Text *text);
static inline Text text_in(Arena *arena) /* as text_init_in, where the text is declared */
{
    Text text;
    text_init_in(&text, arena);
    return text;
}
/* A text that is made of another one which has failed fails, too. */
void text_fail_like(Text *text, const Text *part);
bool text_reserve(Text *text, size_t more); /* room for `more` bytes behind len; false: the text has failed */

void text_copy_long(char *to, const char *from, size_t len); /* a call: compilers would warn of it for short arrays */

/* memcpy for what is mostly a few bytes: both ends are copied, and may overlap. */
static inline void text_copy(char *to, const char *from, size_t len)
{
    if (__builtin_constant_p(len)) {
        memcpy(to, from, len);
    } else if (len > 32) {
        text_copy_long(to, from, len);
    } else if (len >= 16) {
        memcpy(to, from, 16);
        memcpy(to + len - 16, from + len - 16, 16);
    } else if (len >= 8) {
        memcpy(to, from, 8);
        memcpy(to + len - 8, from + len - 8, 8);
    } else if (len >= 4) {
        memcpy(to, from, 4);
        memcpy(to + len - 4, from + len - 4, 4);
    } else if (len) {
        to[0] = from[0];
        to[len / 2] = from[len / 2];
        to[len - 1] = from[len - 1];
    }
}

static inline void text_add(Text *text, const char *bytes, size_t len)
{
    if (text->cap - text->len < len && !text_reserve(text, len))
        return;
    if (len) /* an empty text has no buffer yet */
        text_copy(text->data + text->len, bytes, len);
    text->len += len;
}

static inline void text_char(Text *text, char c)
{
    text_add(text, &c, 1);
}

/* For string literals: the length is known to the compiler. */
#define text_lit(text, literal) text_add((text), "" literal, sizeof(literal) - 1)

static inline void text_str(Text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

/* Several pieces at once: room for all of them is made first, then they are written without further questions.
 *
 *     char *to = text_room(text, 64);
 *     to = put_lit(to, "var_");
 *     text_end(text, to);
 *
 * At most MOST_ROOM bytes: so many are there even where memory ran out. */
enum { MOST_ROOM = 32768 };
static inline char *text_room(Text *text, size_t more)
{
    if (text->cap - text->len < more && !text_reserve(text, more) && more > MOST_ROOM)
        abort();
    return text->data + text->len;
}

static inline void text_end(Text *text, const char *end)
{
    text->len = (size_t)(end - text->data);
}

static inline char *put_bytes(char *to, const char *bytes, size_t len)
{
    text_copy(to, bytes, len);
    return to + len;
}

#define put_lit(to, literal) put_bytes((to), "" literal, sizeof(literal) - 1)

enum { UINT_ROOM = 20 };
char *put_big_uint(char *to, uint64_t value);

/* Needs UINT_ROOM. Numbers of variables are small: those below 1000 stand in a table, up to three digits and how many
 * there are. It saves 3 % of the instructions of a compilation (callgrind, weft_compile on the golden set). */
extern const char small_uints[1000][4];
static inline char *put_uint(char *to, uint64_t value)
{
    if (value >= 1000)
        return put_big_uint(to, value);
    memcpy(to, small_uints[value], sizeof small_uints[value]);
    return to + small_uints[value][3];
}

static inline void text_uint(Text *text, uint64_t value)
{
    text_end(text, put_uint(text_room(text, UINT_ROOM), value));
}

void text_int(Text *text, int64_t value);
static inline void text_pad(Text *text, char c, size_t count)
{
    if (text->cap - text->len < count && !text_reserve(text, count))
        return;
    if (count)
        memset(text->data + text->len, c, count);
    text->len += count;
}
/* A block of code as Markdown has it, without white space at its end, and no line end behind it. */
void text_fenced(Text *text, const char *language, const char *code, size_t len);
void text_format(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How many of the bytes are the first character of UTF-8; 0: none is there. */
size_t utf8_length(const char *bytes, size_t left);
/* How many bytes stand in a string of JSON as they are, up to the first that may not. */
size_t plain_length(const char *bytes, size_t len);
/* As a string of JSON, with quotes and escapes; what is not UTF-8 becomes U+FFFD. Returns how many lines end in it. */
size_t text_json_string(Text *text, const char *bytes, size_t len);
size_t text_count(const Text *text, char c); /* how often it occurs */
const char *text_cstr(Text *text);           /* NUL-terminated view; of a text that has failed: "" */
/* The same, where nothing more will be added soon: an arena gets back what the text does not need. */
const char *text_finish(Text *text);

/* A double as Python's repr() writes it: the shortest digits that read back the same. */
void text_python_float(Text *text, double value);
/* The same of a double rounded to so many digits. */
void text_rounded_float(Text *text, double value, int digits);

#endif
