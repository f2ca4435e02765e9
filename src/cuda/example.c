/* The column `launches` of a record, read without a tree of JSON in between: most of it are numbers, and jansson takes a fifth of
 * the time of a whole check for them. */
#include "base/json_reader.h"
#include "cuda/cuda.h"

typedef struct Reader {
    JsonReader json;
    Arena *arena;
    JsonNumber *numbers; /* room for those of a row */
    size_t most;
    bool skips_numbers;
} Reader;

static const char *copy_string(Reader *r)
{
    JsonString string = reader_string(&r->json);
    return arena_strndup(r->arena, string.text, string.len);
}

static JsonNumber read_number(Reader *r)
{
    return reader_take_word(&r->json, "null") ? (JsonNumber){0} : reader_number(&r->json);
}

static uint32_t read_sizes(Reader *r, uint32_t *sizes, uint32_t most)
{
    uint32_t count = 0;
    bool is_first = true;
    if (reader_take_word(&r->json, "null"))
        return 0;
    reader_expect(&r->json, '[');
    while (reader_next(&r->json, ']', &is_first)) {
        int64_t whole = read_number(r).whole;
        r->json.failed |= count == most || whole < 0 || whole > INT32_MAX;
        if (!r->json.failed)
            sizes[count++] = (uint32_t)whole;
    }
    return count;
}

static void read_numbers(Reader *r, CudaRow *row, bool are_whole)
{
    if (reader_take_word(&r->json, "null"))
        return;
    if (r->skips_numbers) {
        reader_skip_numbers(&r->json);
        return;
    }
    size_t most = reader_most_numbers(&r->json);
    if (most > r->most)
        r->numbers = arena_take(r->arena, most * sizeof *r->numbers);
    r->most = most > r->most ? most : r->most;
    size_t count = reader_numbers(&r->json, r->numbers);
    double *reals = ARENA_ARRAY(r->arena, double, count + 1);
    int64_t *wholes = are_whole ? ARENA_ARRAY(r->arena, int64_t, count + 1) : NULL;
    for (size_t i = 0; i < count; i++)
        reals[i] = r->numbers[i].real;
    for (size_t i = 0; wholes && i < count; i++)
        wholes[i] = r->numbers[i].whole;
    row->count = count;
    row->reals = reals;
    row->wholes = wholes;
}

/* ---- rows ---- */

static void read_row(Reader *r, CudaRow *row)
{
    enum { NAME, FIELD, SHAPE, FLOATS, INTS, TOLERANCE, MEMBERS };
    static const char *const names[MEMBERS] = {"name", "field", "shape", "floats", "ints", "tolerance"};
    bool is_first = true;
    reader_expect(&r->json, '{');
    while (reader_next(&r->json, '}', &is_first))
        switch (reader_member(&r->json, names, MEMBERS)) {
        case NAME: row->name = copy_string(r); break;
        case FIELD: row->field = reader_take_word(&r->json, "null") ? NULL : copy_string(r); break;
        case SHAPE: row->ndim = read_sizes(r, row->shape, sizeof row->shape / sizeof *row->shape); break;
        case FLOATS: read_numbers(r, row, false); break;
        case INTS: read_numbers(r, row, true); break;
        case TOLERANCE: row->tolerance = read_number(r).real; break;
        default: reader_skip(&r->json);
        }
    r->json.failed |= !row->name;
}

static void read_rows(Reader *r, CudaRows *rows)
{
    bool is_first = true;
    rows->are_there = !reader_take_word(&r->json, "null");
    if (!rows->are_there)
        return;
    reader_expect(&r->json, '[');
    while (reader_next(&r->json, ']', &is_first))
        read_row(r, &ARENA_PUSH(r->arena, rows->items, rows->count, rows->cap));
}

static void read_example(Reader *r, CudaExample *example, bool with_gradients)
{
    enum { COTANGENTS = 2, ROWS = 4, DIM = ROWS, BLOCK_DIM, MEMBERS };
    static const char *const names[MEMBERS] = {"inputs",    "outputs", "output_gradients",
                                               "gradients", "dim",     "block_dim"};
    CudaRows *const rows[ROWS] = {&example->inputs, &example->outputs, &example->cotangents, &example->gradients};
    bool is_first = true;
    reader_expect(&r->json, '{');
    while (reader_next(&r->json, '}', &is_first)) {
        unsigned member = reader_member(&r->json, names, MEMBERS);
        r->skips_numbers = member >= COTANGENTS && !with_gradients;
        if (member < ROWS)
            read_rows(r, rows[member]);
        else if (member == DIM)
            example->ndim = read_sizes(r, example->dim, 4);
        else if (member == BLOCK_DIM)
            example->block_dim = (uint32_t)read_number(r).whole;
        else
            reader_skip(&r->json);
    }
}

static bool read_examples(Arena *arena, const char *json, size_t length, uint32_t with_gradients,
                          CudaExamples *examples)
{
    Reader r = {.json = {.at = json, .end = json + length}, .arena = arena};
    bool is_first = true;
    *examples = (CudaExamples){0};
    reader_expect(&r.json, '[');
    while (reader_next(&r.json, ']', &is_first)) {
        bool has_gradients = examples->count < with_gradients;
        read_example(&r, &ARENA_PUSH(arena, examples->items, examples->count, examples->cap), has_gradients);
    }
    return !r.json.failed && !reader_peek(&r.json);
}

bool cuda_read_examples(Arena *arena, const char *json, size_t length, CudaExamples *examples)
{
    return read_examples(arena, json, length, UINT32_MAX, examples);
}

bool cuda_read_first_gradients(Arena *arena, const char *json, size_t length, CudaExamples *examples)
{
    return read_examples(arena, json, length, 1, examples);
}
