#include "corpus/task_contract.h"

#include "corpus/columns.h"
#include "corpus/kinds.h"
#include "front/parser.h"
#include "synth/contract/contract.h"
#include "synth/synth.h"

#include <math.h>

/* ---- what it does ---- */

/* A class or constant of the module, as it stands there. */
static void put_definition(const Node *node, const char *source, Text *given)
{
    uint32_t start = node->kind == NODE_CLASS_DEF ? node->class_def.first_line : node->start;
    text_add(given, source + start, node->end - start);
    text_str(given, node->kind == NODE_CLASS_DEF ? "\n\n\n" : "\n");
}

/* A constant, or an import for one; `from typing import Any` is there for functions, mostly. */
static bool is_given_line(const Node *node, Span signature)
{
    bool typing = node->kind == NODE_IMPORT_FROM && name_is(node->import_from.module, "typing");
    return typing ? memmem(signature.text, signature.len, "Any", 3) != NULL
                  : node->kind == NODE_ASSIGN || node->kind == NODE_IMPORT_FROM || node->kind == NODE_IMPORT;
}

/* False: where the signature ends is not clear. */
static bool put_given(const Node *module, const char *source, const Node *kernel, Text *given)
{
    const char *from = source + kernel->function.first_line, *to = strstr(from, "):\n");
    if (!to || to >= source + kernel->function.body.items[0]->start)
        return false;
    Span signature = {from, (size_t)(to + 2 - from)};
    bool before = false;
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        bool line = is_given_line(node, signature), is_class = node->kind == NODE_CLASS_DEF;
        if (is_class && before)
            text_lit(given, "\n\n");
        if (line || is_class) {
            put_definition(node, source, given);
            before = line;
        }
    }
    if (before)
        text_lit(given, "\n\n");
    text_add(given, signature.text, signature.len);
    return true;
}

/* wp.overload(kernel, …), which stands behind a generic kernel. */
static void put_behind(const Node *module, const char *source, const Node *kernel, Text *behind)
{
    for (uint32_t i = 0; i < module->module.body.count; i++) {
        const Node *node = module->module.body.items[i];
        if (node->kind != NODE_EXPR || node->start < kernel->start)
            continue;
        text_add(behind, source + node->start, node->end - node->start);
        text_char(behind, '\n');
    }
}

const char *undetermined_words(Undetermined why)
{
    static const char *const words[UNDETERMINED_COUNT] = {
        [DETERMINED] = "",
        [UNDETERMINED_SIGNATURE] = "the record's source does not have the kernel with a signature of its own",
        [UNDETERMINED_NAME] = "the kernel uses a name that its record does not define",
        [UNDETERMINED_WORDS] = "the kernel has a statement that the prompt cannot describe"};
    return words[why];
}

Undetermined read_contract(const json_t *record, Text *given, Text *behind, Text *steps)
{
    const char *source = record_source(record);
    Arena arena;
    NameTable names;
    jmp_buf failure;
    arena_init(&arena);
    arena.on_failure = &failure;
    volatile Undetermined why = UNDETERMINED_SIGNATURE;
    if (!setjmp(failure)) {
        DiagList diags;
        diags_init(&diags, &arena);
        names_init(&names, &arena);
        const Node *module = parse_module(&arena, &names, &(Source){"record", source, strlen(source)}, &diags);
        const Node *kernel = contract_find_kernel(module, json_member_string(record, "kernel_name"));
        static const Undetermined results[] = {[CONTRACT_TOLD] = DETERMINED,
                                               [CONTRACT_NO_WORDS] = UNDETERMINED_WORDS,
                                               [CONTRACT_UNKNOWN_NAME] = UNDETERMINED_NAME};
        if (kernel && !diags.count && put_given(module, source, kernel, given)) {
            put_behind(module, source, kernel, behind);
            why = results[contract_add_steps(&arena, module, kernel, steps)];
        }
    }
    arena_free(&arena);
    return why;
}

/* ---- the launch ---- */

static void put_tuple(Text *out, const json_t *numbers)
{
    size_t count = json_array_size(numbers);
    text_char(out, '(');
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%lld", i ? ", " : "", (long long)json_integer_value(json_array_get(numbers, i)));
    text_str(out, count == 1 ? ",)" : ")");
}

void put_launch(Text *out, const json_t *record)
{
    const json_t *dims = json_object_get(record, "launch_dim"), *block = json_object_get(record, "block_dim");
    int threads = (int)json_integer_value(block);
    text_lit(out, "\n\nIt is launched as `wp.launch(kernel, dim=");
    put_tuple(out, dims);
    text_str(out, ", …");
    if (json_is_integer(block))
        text_format(out, ", block_dim=%d", threads);
    text_lit(out, ")`, or with other sizes of `dim`.");
    if (!json_is_integer(block))
        return;
    text_format(out, " %d threads in a row form a block, which computes its tiles together.", threads);
    if (json_array_size(dims) && json_integer_value(json_array_get(dims, json_array_size(dims) - 1)) == threads)
        text_lit(out, " The last number of `dim` is that of the threads of a block and stays; those before it count "
                      "blocks.");
}

/* ---- arguments ---- */

static void put_number(Text *out, double number)
{
    text_format(out, "%.6g", number);
}

static bool is_zero(const json_t *value)
{
    return json_is_number(value) && json_number_value(value) == 0;
}

/* Which numbers it has when the kernel starts. */
static void put_range(Text *out, const json_t *row)
{
    const json_t *low = json_object_get(row, "low"), *high = json_object_get(row, "high");
    const json_t *value = json_object_get(row, "value");
    bool begins = strcmp(json_member_string(row, "role"), "input") != 0;
    if (json_is_number(value)) {
        text_lit(out, "; always ");
        put_number(out, json_number_value(value));
    } else if (begins && is_zero(low) && is_zero(high)) {
        text_lit(out, "; zeros before the launch");
    } else if (json_is_number(low) && json_is_number(high)) {
        text_str(out, begins ? "; numbers from " : "; from ");
        put_number(out, json_number_value(low));
        text_lit(out, " to ");
        put_number(out, json_number_value(high));
        text_str(out, begins ? " before the launch" : "");
    }
    if (json_is_true(json_object_get(row, "sorted")))
        text_lit(out, ", in ascending order");
}

/* Its unit; the name of its quantity says less than the steps do. */
static void put_unit(Text *out, const json_t *row)
{
    const char *unit = synth_unit(json_member_string(row, "quantity"));
    if (*unit && strcmp(unit, "1") != 0 && strcmp(unit, "unit") != 0)
        text_format(out, "; in %s", unit);
    else if (strcmp(unit, "unit") == 0)
        text_lit(out, "; of length one");
}

void put_arguments(Text *out, const json_t *record)
{
    static const struct {
        const char *role, *words;
    } roles[] = {{"input", "is only read"},
                 {"output", "is written"},
                 {"inout", "is read and written"},
                 {"sum", "is added to"},
                 {"size", "a size"}};
    size_t i;
    json_t *row;
    text_lit(out, "\n\nIts arguments; shapes are those of that launch:\n");
    json_array_foreach(json_object_get(record, "arguments"), i, row)
    {
        const char *field = json_member_string(row, "field"), *role = json_member_string(row, "role");
        const json_t *shape = json_object_get(row, "shape");
        text_format(out, "\n- `%s%s%s`: `%s`", json_member_string(row, "name"), *field ? "." : "", field,
                    json_member_string(row, "type"));
        for (size_t k = 0; !*field && k < sizeof roles / sizeof *roles; k++)
            if (strcmp(roles[k].role, role) == 0)
                text_format(out, ", %s", roles[k].words);
        if (json_is_array(shape)) {
            text_lit(out, "; shape ");
            put_tuple(out, shape);
        }
        put_unit(out, row);
        put_range(out, row);
    }
}

void put_edge_rules(Text *out)
{
    text_lit(out,
             "\n\nEvery access must be within the bounds of its array: one beyond them, or with an index below zero, "
             "fails. Elements that the description says nothing about keep what they hold. Threads run in any order.");
}

/* ---- a worked launch ---- */

enum { MOST_SHOWN = 160 };

static const json_t *numbers_of(const json_t *row)
{
    const json_t *floats = json_object_get(row, "floats");
    return json_is_array(floats) ? floats : json_object_get(row, "ints");
}

/* Numbers of inputs and outputs. */
static size_t launch_size(const json_t *launch)
{
    size_t i, size = 0;
    json_t *row;
    json_array_foreach(json_object_get(launch, "inputs"), i, row) size += json_array_size(numbers_of(row));
    json_array_foreach(json_object_get(launch, "outputs"), i, row) size += json_array_size(numbers_of(row));
    return size;
}

static void put_item(Text *out, const json_t *item)
{
    if (json_is_integer(item))
        text_format(out, "%lld", (long long)json_integer_value(item));
    else if (json_is_real(item))
        put_number(out, json_real_value(item));
    else
        text_lit(out, "nan");
}

/* The numbers as a nested list by the shape; behind MOST_SHOWN of them, `…`. Returns the number behind those of this part. */
static size_t put_nested(Text *out, const json_t *numbers, const json_t *shape, size_t dim, size_t at)
{
    if (dim == json_array_size(shape)) {
        put_item(out, json_array_get(numbers, at));
        return at + 1;
    }
    json_int_t count = json_integer_value(json_array_get(shape, dim));
    text_char(out, '[');
    for (json_int_t i = 0; i < count; i++) {
        text_str(out, i ? ", " : "");
        if (at >= MOST_SHOWN) {
            text_lit(out, "…");
            break;
        }
        at = put_nested(out, numbers, shape, dim + 1, at);
    }
    text_char(out, ']');
    return at;
}

static void put_rows(Text *out, const json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *field = json_member_string(row, "field");
        text_format(out, "%s%s%s = ", json_member_string(row, "name"), *field ? "." : "", field);
        put_nested(out, numbers_of(row), json_object_get(row, "shape"), 0, 0);
        text_char(out, '\n');
    }
}

void put_worked_launch(Text *out, const json_t *record)
{
    const json_t *smallest = NULL;
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        if (!smallest || launch_size(launch) < launch_size(smallest))
            smallest = launch;
    }
    if (!smallest)
        return;
    Text block;
    text_init(&block);
    put_rows(&block, json_object_get(smallest, "inputs"));
    text_lit(out, "\n\nFor example, a launch with `dim=");
    put_tuple(out, json_object_get(smallest, "dim"));
    text_lit(out, "` and\n\n");
    text_fenced(out, "", block.data, block.len);
    block.len = 0;
    put_rows(&block, json_object_get(smallest, "outputs"));
    text_lit(out, "\n\nleaves\n\n");
    text_fenced(out, "", block.data, block.len);
    out->failed |= block.failed;
    text_free(&block);
}
