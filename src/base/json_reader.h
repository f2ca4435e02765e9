/* JSON that weft wrote itself, read in one pass and without a tree.
 *
 * What the reader takes is JSON, but not all of it: strings are without escapes. Where something else comes,
 * `failed` is set and stays so, every list ends, and nothing that was read counts. */
#ifndef WEFT_BASE_JSON_READER_H
#define WEFT_BASE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct JsonReader {
    const char *at, *end;
    bool failed;
} JsonReader;

typedef struct JsonString { /* in the text that is read */
    const char *text;
    size_t len;
} JsonString;

typedef struct JsonNumber {
    double real;   /* the nearest one */
    int64_t whole; /* of one that is written without a point or an exponent; otherwise 0 */
} JsonNumber;

/* What comes next, behind white space; 0: the end. */
static inline char reader_peek(JsonReader *r)
{
    for (; r->at < r->end; r->at++)
        if ((unsigned char)*r->at > ' ' || (*r->at != ' ' && *r->at != '\n' && *r->at != '\t' && *r->at != '\r'))
            return *r->at;
    return 0;
}

static inline bool reader_take(JsonReader *r, char c)
{
    bool found = reader_peek(r) == c;
    r->at += found;
    return found;
}

static inline void reader_expect(JsonReader *r, char c)
{
    r->failed |= !reader_take(r, c);
}

/* The next item of a list, or member of an object, whose opening bracket was taken: false at its end, which is taken, too. */
static inline bool reader_next(JsonReader *r, char closing, bool *is_first)
{
    if (r->failed || (*is_first && reader_take(r, closing)))
        return false;
    if (!*is_first && !reader_take(r, ',')) {
        reader_expect(r, closing);
        return false;
    }
    *is_first = false;
    return true;
}

bool reader_take_word(JsonReader *r, const char *word); /* null, true, false: if it is there */
JsonString reader_string(JsonReader *r);
JsonNumber reader_number(JsonReader *r);
/* A list of numbers and nulls, which become 0: returns how many there are. Room for as many as there can be is made before. */
size_t reader_most_numbers(const JsonReader *r);
size_t reader_numbers(JsonReader *r, JsonNumber *numbers);
void reader_skip_numbers(JsonReader *r); /* as they are: whatever stands there up to the bracket */
/* The name of a member and its colon: which of the names it is; count: another one. */
unsigned reader_member(JsonReader *r, const char *const *names, unsigned count);
/* A value of any kind, whatever it is. */
void reader_skip(JsonReader *r);

#endif
