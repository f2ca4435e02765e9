/* The launch description of a record, {"dim": [64], "args": {"a": {"shape": [64], "range": [-2.0, 2.0]}, "n": {"value": 4}}},
 * read from its JSON. A field of a struct becomes an argument "name.field". Unknown members are passed over. */
#include "base/json.h"
#include "check/check.h"

#include <math.h>

typedef struct Reader {
    Arena *arena;
    const char *error; /* the first one */
    unsigned depth;
    CheckLaunch *out;
    uint32_t arg_cap;
} Reader;

static void give_up(Reader *r, const char *error)
{
    if (!r->error)
        r->error = error;
}

static double read_number(Reader *r, const json_t *value)
{
    if (!json_is_number(value))
        give_up(r, "a number is expected");
    return json_number_value(value);
}

static uint32_t read_numbers(Reader *r, const json_t *list, double *out, uint32_t max)
{
    size_t count = json_array_size(list);
    if (!json_is_array(list))
        give_up(r, "a list is expected");
    if (count > max) {
        give_up(r, "the list is too long");
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = read_number(r, json_array_get(list, i));
    return (uint32_t)count;
}

static uint32_t read_sizes(Reader *r, const json_t *list, uint32_t out[4])
{
    double numbers[4];
    uint32_t count = read_numbers(r, list, numbers, 4);
    for (uint32_t i = 0; i < count; i++) {
        bool fits = numbers[i] >= 0 && numbers[i] <= 1 << 24 && numbers[i] == floor(numbers[i]);
        if (!fits)
            give_up(r, "a size must be a whole number");
        out[i] = fits ? (uint32_t)numbers[i] : 0;
    }
    return count;
}

static void read_args(Reader *r, json_t *args, const char *prefix);

static void read_arg(Reader *r, json_t *object, CheckArg *arg)
{
    double range[2] = {0};
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        give_up(r, "an argument must be an object");
    json_object_foreach(object, key, value)
    {
        if (strcmp(key, "shape") == 0)
            arg->ndim = read_sizes(r, value, arg->shape);
        else if (strcmp(key, "range") == 0) {
            arg->has_range = read_numbers(r, value, range, 2) == 2;
            if (!arg->has_range)
                give_up(r, "a range has two ends");
            arg->low = range[0];
            arg->high = range[1];
        } else if (strcmp(key, "value") == 0) {
            arg->has_value = true;
            arg->value = read_number(r, value);
        } else if (strcmp(key, "fields") == 0)
            read_args(r, value, arena_join(r->arena, arg->name, "."));
        else if (strcmp(key, "sorted") == 0)
            arg->sorted = json_is_true(value);
    }
}

/* Arguments, or the fields of a struct: then with its name before theirs. */
static void read_args(Reader *r, json_t *args, const char *prefix)
{
    const char *name;
    json_t *value;
    if (!json_is_object(args))
        give_up(r, "args must be an object");
    if (++r->depth > 32)
        give_up(r, "the description is nested too deeply");
    json_object_foreach(args, name, value)
    {
        if (r->error)
            break;
        CheckArg arg = {.name = arena_join(r->arena, prefix, name)};
        read_arg(r, value, &arg);
        ARENA_PUSH(r->arena, r->out->args, r->out->arg_count, r->arg_cap) = arg;
    }
    r->depth--;
}

static void read_launch(Reader *r, const json_t *launch)
{
    json_t *dim = json_object_get(launch, "dim"), *args = json_object_get(launch, "args");
    if (!json_is_object(launch))
        give_up(r, launch ? "a launch must be an object" : "it is not JSON");
    if (dim)
        r->out->ndim = read_sizes(r, dim, r->out->dim);
    if (args)
        read_args(r, args, "");
}

const char *check_launch_read(Arena *arena, const char *json, size_t len, CheckLaunch *out)
{
    Reader reader = {.arena = arena, .out = out};
    json_t *launch = json_read(json, len);
    jmp_buf *outer = arena->on_failure, failure;
    memset(out, 0, sizeof *out);
    arena->on_failure = &failure; /* so that the tree is freed when memory runs out */
    bool failed = setjmp(failure) != 0;
    if (!failed)
        read_launch(&reader, launch);
    arena->on_failure = outer;
    json_decref(launch);
    if (failed)
        arena_give_up(arena);
    return reader.error;
}
