/* The launch description of a record, {"dim": [64], "args": {"a": {"shape": [64], "range": [-2.0, 2.0]}, "n": {"value": 4}}},
 * read from its JSON. A field of a struct becomes an argument "name.field". Unknown keys are passed over. */
#include "check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const char *at, *end;
    Arena *arena;
    const char *error; /* the first one */
    unsigned depth;
    CheckLaunch *out;
    uint32_t arg_cap;
} Reader;

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static char peek(Reader *r)
{
    while (r->at < r->end && is_one_of(*r->at, " \t\r\n"))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

static void give_up(Reader *r, const char *error)
{
    if (!r->error)
        r->error = error;
    r->at = r->end;
}

static bool accept(Reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static void expect(Reader *r, char c, const char *error)
{
    if (!accept(r, c))
        give_up(r, error);
}

static double read_number(Reader *r)
{
    char buffer[64], *stop;
    size_t len = 0;
    peek(r);
    while (r->at < r->end && len < sizeof buffer - 1 && is_one_of(*r->at, "+-.0123456789eE"))
        buffer[len++] = *r->at++;
    buffer[len] = '\0';
    double value = strtod(buffer, &stop);
    if (!len || *stop)
        give_up(r, "a number is expected");
    else if (!isfinite(value))
        give_up(r, "a number is too large");
    return value;
}

static const char *read_string(Reader *r)
{
    expect(r, '"', "a string is expected");
    const char *start = r->at;
    while (r->at < r->end && *r->at != '"' && *r->at != '\\')
        r->at++;
    const char *text = arena_strndup(r->arena, start, (size_t)(r->at - start));
    expect(r, '"', "a plain string is expected");
    return text;
}

static uint32_t read_numbers(Reader *r, double *out, uint32_t max)
{
    uint32_t count = 0;
    expect(r, '[', "a list is expected");
    while (!r->error && peek(r) != ']') {
        double value = read_number(r);
        if (count == max)
            give_up(r, "the list is too long");
        else
            out[count++] = value;
        if (!accept(r, ','))
            break;
    }
    expect(r, ']', "a list is not closed");
    return count;
}

static void skip_value(Reader *r)
{
    char open = peek(r);
    if (++r->depth > 32)
        give_up(r, "the description is nested too deeply");
    if (open == '"')
        read_string(r);
    else if (open == '{' || open == '[') {
        char close = open == '{' ? '}' : ']';
        r->at++;
        while (!r->error && peek(r) != close) {
            if (open == '{') {
                read_string(r);
                expect(r, ':', "a colon is expected");
            }
            skip_value(r);
            if (!accept(r, ','))
                break;
        }
        expect(r, close, "a bracket is not closed");
    } else {
        while (r->at < r->end && !is_one_of(*r->at, ",]}"))
            r->at++;
    }
    r->depth--;
}

static uint32_t to_size(Reader *r, double value)
{
    if (!(value >= 0 && value <= 1 << 24) || value != (double)(uint32_t)value)
        give_up(r, "a size must be a whole number");
    return r->error ? 0 : (uint32_t)value;
}

static void read_args(Reader *r, const char *prefix);

static void read_arg(Reader *r, CheckArg *arg)
{
    double numbers[4];
    expect(r, '{', "an argument must be an object");
    while (!r->error && peek(r) != '}') {
        const char *key = read_string(r);
        expect(r, ':', "a colon is expected");
        if (strcmp(key, "shape") == 0) {
            arg->ndim = read_numbers(r, numbers, 4);
            for (uint32_t i = 0; i < arg->ndim; i++)
                arg->shape[i] = to_size(r, numbers[i]);
        } else if (strcmp(key, "range") == 0) {
            if (read_numbers(r, numbers, 2) != 2)
                give_up(r, "a range has two ends");
            arg->has_range = true;
            arg->low = numbers[0];
            arg->high = numbers[1];
        } else if (strcmp(key, "value") == 0) {
            arg->has_value = true;
            arg->value = read_number(r);
        } else if (strcmp(key, "fields") == 0) {
            read_args(r, arena_join(r->arena, arg->name, "."));
        } else if (strcmp(key, "sorted") == 0) {
            arg->sorted = peek(r) == 't';
            skip_value(r);
        } else
            skip_value(r);
        if (!accept(r, ','))
            break;
    }
    expect(r, '}', "an argument is not closed");
}

/* Arguments, or the fields of a struct: then with its name before theirs. */
static void read_args(Reader *r, const char *prefix)
{
    expect(r, '{', "args must be an object");
    if (++r->depth > 32)
        give_up(r, "the description is nested too deeply");
    while (!r->error && peek(r) != '}') {
        CheckArg arg = {.name = arena_join(r->arena, prefix, read_string(r))};
        expect(r, ':', "a colon is expected");
        read_arg(r, &arg);
        ARENA_PUSH(r->arena, r->out->args, r->out->arg_count, r->arg_cap) = arg;
        if (!accept(r, ','))
            break;
    }
    r->depth--;
    expect(r, '}', "args are not closed");
}

const char *check_launch_read(Arena *arena, const char *json, size_t len, CheckLaunch *out)
{
    Reader reader = {.at = json, .end = json + len, .arena = arena, .out = out}, *r = &reader;
    memset(out, 0, sizeof *out);
    expect(r, '{', "a launch must be an object");
    while (!r->error && peek(r) != '}') {
        const char *key = read_string(r);
        expect(r, ':', "a colon is expected");
        if (strcmp(key, "dim") == 0) {
            double numbers[4];
            out->ndim = read_numbers(r, numbers, 4);
            for (uint32_t i = 0; i < out->ndim; i++)
                out->dim[i] = to_size(r, numbers[i]);
        } else if (strcmp(key, "args") == 0)
            read_args(r, "");
        else
            skip_value(r);
        if (!accept(r, ','))
            break;
    }
    expect(r, '}', "the launch is not closed");
    return r->error;
}
