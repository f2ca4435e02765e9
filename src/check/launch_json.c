/* The launch description of a record, {"launch_dim": [64], "arguments": [{"name": "a", "shape": [64], "low": -2.0, "high": 2.0},
 * {"name": "n", "value": 4.0}]}, read from its JSON. A field of a struct becomes an argument "name.field". Members that are null
 * may be left out, and others are passed over. */
#include "base/json.h"
#include "base/json_reader.h"
#include "check/check.h"
#include "synth/synth.h"

#include <math.h>

typedef struct Reader {
    Arena *arena;
    const char *error; /* the first one */
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

static uint32_t read_size(Reader *r, double number)
{
    bool fits = number >= 0 && number <= 1 << 24 && number == floor(number);
    if (!fits)
        give_up(r, "a size must be a whole number");
    return fits ? (uint32_t)number : 0;
}

static uint32_t read_sizes(Reader *r, const json_t *list, uint32_t out[4])
{
    double numbers[4];
    uint32_t count = read_numbers(r, list, numbers, 4);
    for (uint32_t i = 0; i < count; i++)
        out[i] = read_size(r, numbers[i]);
    return count;
}

static bool is_absent(const json_t *value)
{
    return !value || json_is_null(value);
}

/* A row: an argument, or a field of the struct that one is. */
static void read_row(Reader *r, const json_t *row)
{
    const char *name = json_member_string(row, "name"), *field = json_member_string(row, "field");
    const json_t *shape = json_object_get(row, "shape"), *low = json_object_get(row, "low"),
                 *high = json_object_get(row, "high"), *value = json_object_get(row, "value");
    const char *role = json_member_string(row, "role");
    CheckArg arg = {.name = name, .sorted = json_is_true(json_object_get(row, "sorted"))};
    arg.is_output = strcmp(role, "output") == 0 || strcmp(role, "sum") == 0 || strcmp(role, "inout") == 0;
    if (!json_is_object(row) || !*name)
        give_up(r, "an argument must be an object with a name");
    arg.name = *field ? arena_format(r->arena, "%s.%s", name, field) : arena_strndup(r->arena, name, strlen(name));
    if (!is_absent(shape))
        arg.ndim = read_sizes(r, shape, arg.shape);
    if (is_absent(low) != is_absent(high))
        give_up(r, "a range has two ends");
    if (!is_absent(low)) {
        arg.has_range = true;
        arg.low = read_number(r, low);
        arg.high = read_number(r, high);
    }
    if (!is_absent(value)) {
        arg.has_value = true;
        arg.value = read_number(r, value);
    }
    ARENA_PUSH(r->arena, r->out->args, r->out->arg_count, r->arg_cap) = arg;
}

static void read_launch(Reader *r, const json_t *launch)
{
    const json_t *dim = json_object_get(launch, "launch_dim"), *rows = json_object_get(launch, "arguments"), *row;
    const json_t *block = json_object_get(launch, "block_dim");
    size_t index;
    if (!json_is_object(launch))
        give_up(r, launch ? "a launch must be an object" : "it is not JSON");
    if (dim)
        r->out->ndim = read_sizes(r, dim, r->out->dim);
    if (!is_absent(block))
        r->out->block_dim = read_size(r, read_number(r, block));
    if (rows && !json_is_array(rows))
        give_up(r, "the arguments must be a list");
    json_array_foreach(rows, index, row)
    {
        if (r->error)
            break;
        read_row(r, row);
    }
}

/* ---- as the generator writes it ---- */

/* Without a tree, which takes 5 % of the instructions of weft produce --no-verify. Where anything is out of the ordinary, `failed`
 * is set, and the tree decides. */

static bool is_string(JsonString string, const char *text)
{
    return string.len == strlen(text) && memcmp(string.text, text, string.len) == 0;
}

/* Of a member that may be null. */
static JsonString quick_string(JsonReader *json)
{
    return reader_take_word(json, "null") ? (JsonString){0} : reader_string(json);
}

static bool quick_number(JsonReader *json, double *number)
{
    bool is_there = !reader_take_word(json, "null");
    *number = is_there ? reader_number(json).real : 0;
    json->failed |= !(fabs(*number) < 0x1p63); /* some that are larger are no numbers of a tree */
    return is_there;
}

static uint32_t quick_size(JsonReader *json, double number)
{
    Reader reader = {0};
    uint32_t size = read_size(&reader, number);
    json->failed |= reader.error != NULL;
    return size;
}

static uint32_t quick_sizes(JsonReader *json, uint32_t out[4])
{
    uint32_t count = 0;
    bool is_first = true;
    reader_expect(json, '[');
    while (reader_next(json, ']', &is_first)) {
        uint32_t size = quick_size(json, reader_number(json).real);
        json->failed |= count == 4;
        if (!json->failed)
            out[count++] = size;
    }
    return count;
}

/* A member that was there already is one that the tree does not take. */
static unsigned quick_member(JsonReader *json, const char *const *names, unsigned count, unsigned *seen)
{
    unsigned member = reader_member(json, names, count);
    json->failed |= member == count || *seen >> member & 1;
    *seen |= 1u << member;
    return member;
}

static void quick_row(Reader *r, JsonReader *json)
{
    enum { NAME, FIELD, TYPE, SHAPE, LOW, HIGH, VALUE, SORTED, ROLE, QUANTITY, MEMBERS };
    static const char *const names[MEMBERS] = {"name", "field", "type",   "shape", "low",
                                               "high", "value", "sorted", "role",  "quantity"};
    CheckArg arg = {0};
    JsonString name = {0}, field = {0}, role = {0};
    bool is_first = true, has_high = false;
    unsigned seen = 0;
    reader_expect(json, '{');
    while (reader_next(json, '}', &is_first))
        switch (quick_member(json, names, MEMBERS, &seen)) {
        case NAME: name = reader_string(json); break;
        case FIELD: field = quick_string(json); break;
        case TYPE:
        case QUANTITY: quick_string(json); break;
        case SHAPE: arg.ndim = reader_take_word(json, "null") ? 0 : quick_sizes(json, arg.shape); break;
        case LOW: arg.has_range = quick_number(json, &arg.low); break;
        case HIGH: has_high = quick_number(json, &arg.high); break;
        case VALUE: arg.has_value = quick_number(json, &arg.value); break;
        case SORTED:
            arg.sorted = reader_take_word(json, "true");
            json->failed |= !arg.sorted && !reader_take_word(json, "false");
            break;
        case ROLE: role = quick_string(json); break;
        default: json->failed = true;
        }
    json->failed |= !name.len || arg.has_range != has_high;
    if (json->failed)
        return;
    arg.is_output = is_string(role, "output") || is_string(role, "sum") || is_string(role, "inout");
    arg.name = field.len ? arena_format(r->arena, "%.*s.%.*s", (int)name.len, name.text, (int)field.len, field.text)
                         : arena_strndup(r->arena, name.text, name.len);
    ARENA_PUSH(r->arena, r->out->args, r->out->arg_count, r->arg_cap) = arg;
}

/* False: it has to be read as a tree. */
static bool read_quickly(Reader *r, const char *text, size_t len)
{
    enum { DIM, BLOCK, ROWS, MEMBERS };
    static const char *const names[MEMBERS] = {"launch_dim", "block_dim", "arguments"};
    JsonReader reader = {.at = text, .end = text + len}, *json = &reader;
    bool is_first = true, is_first_row = true;
    unsigned seen = 0;
    double block;
    reader_expect(json, '{');
    while (reader_next(json, '}', &is_first))
        switch (quick_member(json, names, MEMBERS, &seen)) {
        case DIM: r->out->ndim = quick_sizes(json, r->out->dim); break;
        case BLOCK: r->out->block_dim = quick_number(json, &block) ? quick_size(json, block) : 0; break;
        case ROWS:
            reader_expect(json, '[');
            while (reader_next(json, ']', &is_first_row))
                quick_row(r, json);
            break;
        default: json->failed = true;
        }
    return !json->failed && !reader_peek(json);
}

const char *check_launch_read(Arena *arena, const char *json, size_t len, CheckLaunch *out)
{
    memset(out, 0, sizeof *out);
    if (read_quickly(&(Reader){.arena = arena, .out = out}, json, len))
        return NULL;
    Reader reader = {.arena = arena, .out = out};
    json_t *launch = json_read_or_give_up(arena, json, len);
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

size_t check_launch_write(const json_t *record, Text *out)
{
    const json_t *block = json_object_get(record, "block_dim");
    text_lit(out, LAUNCH_HEAD);
    json_write(json_object_get(record, "launch_dim"), out);
    if (!is_absent(block)) {
        text_lit(out, LAUNCH_BLOCK);
        json_write(block, out);
    }
    text_lit(out, LAUNCH_ARGUMENTS);
    size_t arguments = out->len;
    json_write(json_object_get(record, "arguments"), out);
    text_char(out, '}');
    return arguments;
}
