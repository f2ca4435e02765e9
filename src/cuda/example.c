/* The column `launches` of a record, read without a tree of JSON in between: most of it are numbers, and jansson takes a fifth of
 * the time of a whole check for them. */
#include "cuda/cuda.h"

#include <math.h>
#include <stdlib.h>

typedef struct Reader {
    const char *at, *end;
    Arena *arena;
    bool failed;
    double *reals; /* room for the numbers of a row */
    int64_t *wholes;
    size_t real_cap, whole_cap;
} Reader;

static char peek(Reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    return r->at < r->end ? *r->at : 0;
}

static bool take(Reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static void expect(Reader *r, char c)
{
    r->failed |= !take(r, c);
}

static bool take_null(Reader *r)
{
    if (peek(r) != 'n' || r->end - r->at < 4 || memcmp(r->at, "null", 4) != 0)
        return false;
    r->at += 4;
    return true;
}

/* Of names, none of which needs an escape. */
static const char *read_string(Reader *r)
{
    expect(r, '"');
    const char *from = r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\\')
        r->at++;
    const char *text = arena_strndup(r->arena, from, (size_t)(r->at - from));
    expect(r, '"');
    return text;
}

/* The next item of a list, or member of an object: false at its end. */
static bool next_item(Reader *r, char closing, bool *is_first)
{
    if (r->failed || take(r, closing))
        return false;
    if (!*is_first)
        expect(r, ',');
    *is_first = false;
    return !r->failed;
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* A number of up to 15 digits and a power of ten that a double has exactly: one operation rounds it as strtod does. */
static bool read_short_number(const char *at, const char *end, const char **behind, double *real, int64_t *whole)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *first = at;
    uint64_t read = 0; /* of too many digits, it is not used */
    int written = 0;
    bool negative = at < end && *at == '-', negative_power = false;
    at += negative;
    const char *digits_at = at;
    for (; at < end && is_digit(*at); at++)
        read = read * 10 + (uint64_t)(*at - '0');
    const char *point = at;
    ptrdiff_t count = at - digits_at;
    if (at < end && *at == '.') {
        for (at++; at < end && is_digit(*at); at++)
            read = read * 10 + (uint64_t)(*at - '0');
        count += at - point - 1;
    }
    if (!count || count > 15)
        return false;
    int power = at == point ? 0 : (int)(point + 1 - at);
    int64_t digits = (int64_t)read;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        negative_power = at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        for (; at < end && is_digit(*at) && written < 1000; at++)
            written = written * 10 + (*at - '0');
        power += negative_power ? -written : written;
    }
    if (power < -22 || power > 22 || (at < end && is_digit(*at)))
        return false;
    double value = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    *behind = at;
    *real = negative ? -value : value;
    *whole = at != point || at == first ? 0 : negative ? -digits : digits;
    return true;
}

/* NaN and infinities are written as null, and read as 0. */
static void read_number(Reader *r, double *real, int64_t *whole)
{
    char text[64], *end;
    size_t length = 0;
    *real = 0;
    *whole = 0;
    if (take_null(r) || read_short_number(r->at, r->end, &r->at, real, whole))
        return;
    while (length + 1 < sizeof text && r->at + length < r->end &&
           (is_digit(r->at[length]) || memchr("+-.eE", r->at[length], 5)))
        length++;
    memcpy(text, r->at, length);
    text[length] = 0;
    *real = strtod(text, &end);
    r->failed |= !length || *end;
    if (!strpbrk(text, ".eE"))
        *whole = strtoll(text, NULL, 10);
    r->at += length;
}

static uint32_t read_sizes(Reader *r, uint32_t *sizes, uint32_t most)
{
    uint32_t count = 0;
    double real;
    int64_t whole;
    bool is_first = true;
    if (take_null(r))
        return 0;
    expect(r, '[');
    while (next_item(r, ']', &is_first)) {
        peek(r);
        read_number(r, &real, &whole);
        r->failed |= count == most || whole < 0 || whole > INT32_MAX;
        if (!r->failed)
            sizes[count++] = (uint32_t)whole;
    }
    return count;
}

static void read_numbers(Reader *r, CudaRow *row, bool are_whole)
{
    size_t count = 0, whole_count = 0;
    bool is_first = true;
    int64_t whole;
    if (take_null(r))
        return;
    expect(r, '[');
    while (next_item(r, ']', &is_first)) {
        double *real = &ARENA_PUSH(r->arena, r->reals, count, r->real_cap);
        peek(r);
        read_number(r, real, &whole);
        if (are_whole)
            ARENA_PUSH(r->arena, r->wholes, whole_count, r->whole_cap) = whole;
    }
    double *reals = ARENA_ARRAY(r->arena, double, count + 1);
    int64_t *wholes = are_whole ? ARENA_ARRAY(r->arena, int64_t, count + 1) : NULL;
    row->count = count;
    row->reals = count ? memcpy(reals, r->reals, count * sizeof *reals) : reals;
    row->wholes = count && wholes ? memcpy(wholes, r->wholes, count * sizeof *wholes) : wholes;
}

/* ---- rows ---- */

/* A member that nothing here is about. */
static void skip_value(Reader *r)
{
    uint32_t depth = 0;
    do {
        char c = peek(r);
        if (c == '"') {
            read_string(r);
        } else {
            depth += c == '[' || c == '{';
            depth -= depth && (c == ']' || c == '}');
            r->at += c != 0;
            while (r->at < r->end && !strchr(" \n\t\r,:[]{}\"", *r->at)) /* the rest of a number or word */
                r->at++;
        }
        r->failed |= !c;
    } while (depth && !r->failed);
}

static void read_row(Reader *r, CudaRow *row)
{
    bool is_first = true;
    double tolerance;
    int64_t whole;
    expect(r, '{');
    while (next_item(r, '}', &is_first)) {
        const char *name = read_string(r);
        expect(r, ':');
        peek(r);
        if (strcmp(name, "name") == 0)
            row->name = read_string(r);
        else if (strcmp(name, "field") == 0)
            row->field = take_null(r) ? NULL : read_string(r);
        else if (strcmp(name, "shape") == 0)
            row->ndim = read_sizes(r, row->shape, sizeof row->shape / sizeof *row->shape);
        else if (strcmp(name, "floats") == 0 || strcmp(name, "ints") == 0)
            read_numbers(r, row, *name == 'i');
        else if (strcmp(name, "tolerance") == 0) {
            read_number(r, &tolerance, &whole);
            row->tolerance = tolerance;
        } else
            skip_value(r);
    }
    r->failed |= !row->name;
}

static void read_rows(Reader *r, CudaRows *rows)
{
    bool is_first = true;
    rows->are_there = !take_null(r);
    if (!rows->are_there)
        return;
    expect(r, '[');
    while (next_item(r, ']', &is_first))
        read_row(r, &ARENA_PUSH(r->arena, rows->items, rows->count, rows->cap));
}

static void read_example(Reader *r, CudaExample *example)
{
    static const char *const names[] = {"inputs", "outputs", "cotangents", "gradients"};
    CudaRows *const rows[] = {&example->inputs, &example->outputs, &example->cotangents, &example->gradients};
    bool is_first = true;
    expect(r, '{');
    while (next_item(r, '}', &is_first)) {
        const char *name = read_string(r);
        size_t i = 0;
        expect(r, ':');
        while (i < 4 && strcmp(name, names[i]) != 0)
            i++;
        if (i < 4)
            read_rows(r, rows[i]);
        else if (strcmp(name, "dim") == 0)
            example->ndim = read_sizes(r, example->dim, 4);
        else
            skip_value(r);
    }
}

bool cuda_read_examples(Arena *arena, const char *json, size_t length, CudaExamples *examples)
{
    Reader r = {.at = json, .end = json + length, .arena = arena};
    bool is_first = true;
    *examples = (CudaExamples){0};
    expect(&r, '[');
    while (next_item(&r, ']', &is_first))
        read_example(&r, &ARENA_PUSH(arena, examples->items, examples->count, examples->cap));
    return !r.failed && !peek(&r);
}
