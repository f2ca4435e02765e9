/* Where two evaluators part: found for pairs of kernels that differ in one place, each run by one evaluator. */
#include "check/check_impl.h"
#include "pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 6 };

typedef struct Pair {
    const char *text[2];   /* for the syntax tree, for the region tree: of the same length, line by line */
    const char *statement; /* of the first text: the one that makes the difference */
    const char *element;   /* NULL: all agree */
    uint32_t thread;
    bool has_run;
} Pair;

/* The second text is compiled while the first kernel is at hand: each has a `Weft` of its own. */
typedef struct Compiling {
    Pair *pair;
    Weft *weft;
    const Compiled *first;
} Compiling;

static Launch *new_launch(const Compiled *compiled)
{
    CheckArg args[] = {{.name = "a", .ndim = 1, .shape = {COUNT}, .has_range = true, .low = 1, .high = 2},
                       {.name = "out", .ndim = 1, .shape = {COUNT}, .has_value = true, .value = 0}};
    CheckLaunch description = {.dim = {COUNT, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 2};
    const char *why = NULL;
    Launch *launch = check_make_launch(compiled->unit, compiled->module, &description, 1, &why);
    assert_non_null(launch);
    return launch;
}

static bool compare(const Compiled *compiled, void *user)
{
    Compiling *compiling = user;
    const Compiled *first = compiling->first;
    Pair *pair = compiling->pair;
    Finding finding = {0};
    Evaluators evaluators = {.unit = first->unit,
                             .code = first->module->kernel->code,
                             .ast = ast_program(first->unit, first->module->kernel->kernel),
                             .tree = tree_compile(compiled->unit->arena, compiled->module, true, &finding),
                             .in_double = true};
    assert_non_null(evaluators.tree);
    CheckDifference difference;
    bool found = locate_difference(&evaluators, new_launch(first), 1e-9, &difference);
    assert_int_equal(found, pair->element != NULL);
    pair->has_run = true;
    if (!found)
        return true;
    assert_string_equal(difference.element, pair->element);
    assert_int_equal(difference.thread[0], pair->thread);
    assert_true(difference.syntax_tree != difference.region_tree);
    assert_true(difference.has_statement);
    uint32_t expected = (uint32_t)(strstr(pair->text[0], pair->statement) - pair->text[0]);
    assert_int_equal(source_position(first->unit->main->source, difference.offset).line,
                     source_position(first->unit->main->source, expected).line);
    return true;
}

static bool compile_second(const Compiled *compiled, void *user)
{
    Compiling *compiling = user;
    const char *text = compiling->pair->text[1];
    PipelineOptions options = pipeline_options();
    compiling->first = compiled;
    return pipeline_compile(compiling->weft, &(Source){"second.py", text, strlen(text)}, &options,
                            &(PipelineVisitor){.compiled = compare, .user = compiling});
}

static void check_pair(Pair pair)
{
    Weft *first = weft_new(NULL), *second = weft_new(NULL);
    Compiling compiling = {&pair, second, NULL};
    PipelineOptions options = pipeline_options();
    assert_int_equal(strlen(pair.text[0]), strlen(pair.text[1]));
    assert_true(pipeline_compile(first, &(Source){"first.py", pair.text[0], strlen(pair.text[0])}, &options,
                                 &(PipelineVisitor){.compiled = compile_second, .user = &compiling}));
    assert_true(pair.has_run);
    weft_free(first);
    weft_free(second);
}

#define KERNEL(factor, body)                                                                                           \
    "import warp as wp\n"                                                                                              \
    "@wp.func\ndef f(x: float):\n    y = x * " factor "\n    return y + 1.0\n"                                         \
    "@wp.kernel\ndef k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n" body

static void finds_the_statement(void **state)
{
    (void)state;
    check_pair((Pair){{KERNEL("0.5", "    x = a[i]\n    y = x * 2.0\n    z = y + x\n    out[i] = z\n"),
                       KERNEL("0.5", "    x = a[i]\n    y = x * 3.0\n    z = y + x\n    out[i] = z\n")},
                      .statement = "y = x * 2.0",
                      .element = "out[0]"});
    check_pair((Pair){{KERNEL("0.5", "    x = a[i] * 2.0\n    out[i] = x + 1.0\n"),
                       KERNEL("0.5", "    x = a[i] * 2.0\n    out[i] = x - 1.0\n")},
                      .statement = "out[i] = x + 1.0",
                      .element = "out[0]"});
    check_pair((Pair){{KERNEL("0.5", "    x = a[i]\n    out[i] = f(x) * 2.0\n"),
                       KERNEL("0.7", "    x = a[i]\n    out[i] = f(x) * 2.0\n")},
                      .statement = "y = x * 0.5",
                      .element = "out[0]"});
}

static void finds_the_thread_and_the_element(void **state)
{
    (void)state;
    check_pair((Pair){{KERNEL("0.5", "    j = i\n    if i == 3:\n        j = i + 2\n    out[j] = a[i]\n"),
                       KERNEL("0.5", "    j = i\n    if i == 3:\n        j = i + 1\n    out[j] = a[i]\n")},
                      .statement = "j = i + 2",
                      .element = "out[4]",
                      .thread = 3});
    check_pair((Pair){{KERNEL("0.5", "    wp.atomic_add(out, 2, a[i] * 2.0)\n"),
                       KERNEL("0.5", "    wp.atomic_add(out, 2, a[i] * 2.5)\n")},
                      .statement = "wp.atomic_add",
                      .element = "out[2]"});
}

#define OF_INTEGERS(body)                                                                                              \
    "import warp as wp\n"                                                                                              \
    "@wp.kernel\ndef k(a: wp.array(dtype=int), out: wp.array(dtype=int)):\n    i = wp.tid()\n" body

static void finds_integers(void **state)
{
    (void)state;
    check_pair((Pair){{OF_INTEGERS("    x = a[i] + i\n    y = x * 2\n    out[i] = y\n"),
                       OF_INTEGERS("    x = a[i] + i\n    y = x * 3\n    out[i] = y\n")},
                      .statement = "y = x * 2",
                      .element = "out[0]"});
    check_pair((Pair){{OF_INTEGERS("    x = a[i] + 7\n    y = float(x) * 0.5\n    out[i] = int(y) + x\n"),
                       OF_INTEGERS("    x = a[i] + 7\n    y = float(x) * 2.5\n    out[i] = int(y) + x\n")},
                      .statement = "y = float(x) * 0.5",
                      .element = "out[0]"});
}

static void finds_nothing_where_both_agree(void **state)
{
    (void)state;
    check_pair(
        (Pair){{KERNEL("0.5", "    out[i] = f(a[i])\n"), KERNEL("0.5", "    out[i] = f(a[i])\n")}, .element = NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_statement),
        cmocka_unit_test(finds_the_thread_and_the_element),
        cmocka_unit_test(finds_integers),
        cmocka_unit_test(finds_nothing_where_both_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
