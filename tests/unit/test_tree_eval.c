/* The tree evaluator: values and gradients of small kernels, and what it refuses. */
#include "eval/ast/eval.h"
#include "eval/tree/eval.h"
#include "front/hash.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Fixture {
    Arena tables, work;
    NameTable names;
    TypeTable types;
    BuiltinTable *builtins;
    WarpTable *warp;
    Source source;
    Unit *unit;
    IrModule *module;
    Launch launch;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    arena_init(&f->tables);
    arena_init(&f->work);
    names_init(&f->names, &f->tables);
    types_init(&f->types, NULL, &f->tables, &f->names);
    Dialect dialect;
    dialect_find(NULL, &dialect);
    f->builtins = builtins_new(&f->tables, &f->types, &dialect);
    f->warp = warp_table_new(&f->tables, &f->types, f->builtins);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    arena_free(&f->work);
    arena_free(&f->tables);
    free(f);
    return 0;
}

/* Builds the last kernel of the text; `dim` threads; arrays of floats of the given length with gradients. */
static void begin(Fixture *f, const char *text, uint32_t dim, uint32_t length)
{
    KernelList kernels;
    f->source = (Source){.path = "test.py", .text = text, .len = strlen(text)};
    f->unit = ARENA_NEW(&f->work, Unit);
    unit_init(f->unit, &f->work, f->builtins, &f->source, NULL);
    f->unit->warp = f->warp;
    unit_load(f->unit);
    unit_kernels(f->unit, &kernels);
    assert_true(kernels.count > 0);
    Kernel *kernel = kernels.items[kernels.count - 1];
    f->module = ir_build(f->unit, kernel);
    assert_non_null(f->module);
    assert_null(ir_verify(f->module));
    f->module->name = kernel_name(f->unit, f->module->kernel->kernel);
    assert_non_null(f->module->name);
    f->launch = (Launch){.dim = {dim, 1, 1, 1}, .ndim = 1, .arg_count = kernel->code.param_count};
    f->launch.args = ARENA_ARRAY(&f->work, LaunchValue, f->launch.arg_count + 1);
    uint32_t shape[4] = {length, length, length, length};
    for (uint32_t i = 0; i < f->launch.arg_count; i++) {
        LaunchValue *value = &f->launch.args[i];
        assert_true(launch_value_init(f->unit, value, kernel->code.params[i].type, shape));
        if (value->type->kind == TYPE_ARRAY)
            value->gradients = ARENA_ARRAY(&f->work, double, value->count * value->width + 1);
    }
}

static void fill(LaunchValue *value, const double *numbers)
{
    for (size_t i = 0; i < value->count * value->width; i++)
        value->cells[i].real = numbers[i];
}

static void fill_integers(LaunchValue *value, int64_t number)
{
    for (size_t i = 0; i < value->count * value->width; i++)
        value->cells[i].integer = number;
}

static TreeRun run_both(Fixture *f, bool in_double)
{
    TreeRun run = {.in_double = in_double};
    TreeProgram *program = tree_compile(&f->work, f->module, in_double, &run.finding);
    assert_non_null(program);
    if (tree_execute(program, &f->launch, &run)) {
        run.backward = true;
        tree_execute(program, &f->launch, &run);
    }
    return run;
}

#define KERNEL "import warp as wp\n@wp.kernel\n"
#define ASSERT_NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-6 * (1.0 + fabs(b)))

static void product(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL
          "def k(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):\n"
          "    i = wp.tid()\n"
          "    out[i] = x[i] * wp.sin(y[i]) + x[i]\n",
          2, 2);
    fill(&f->launch.args[0], (double[]){2.0, 3.0});
    fill(&f->launch.args[1], (double[]){0.5, 0.25});
    f->launch.args[2].gradients[0] = 1.0;
    f->launch.args[2].gradients[1] = 10.0;
    TreeRun run = run_both(f, false);
    assert_int_equal(run.finding.kind, FINDING_NONE);
    ASSERT_NEAR(f->launch.args[2].cells[1].real, 3.0 * sin(0.25) + 3.0);
    ASSERT_NEAR(f->launch.args[0].gradients[0], sin(0.5) + 1.0);
    ASSERT_NEAR(f->launch.args[1].gradients[1], 10.0 * 3.0 * cos(0.25));
    assert_true(f->launch.args[2].gradients[0] == 0.0); /* a store takes the gradient of what it overwrites */
}

static void rounding(void **state)
{
    Fixture *f = *state;
    static const char *const text = KERNEL "def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):\n"
                                           "    i = wp.tid()\n"
                                           "    out[i] = x[i] * 0.1 + 1.0\n";
    begin(f, text, 1, 1);
    fill(&f->launch.args[0], (double[]){0.3});
    run_both(f, false);
    assert_true(f->launch.args[1].cells[0].real == (double)(0.3f * 0.1f + 1.0f));
    begin(f, text, 1, 1);
    fill(&f->launch.args[0], (double[]){0.3});
    run_both(f, true);
    assert_true(f->launch.args[1].cells[0].real == 0.3 * 0.1 + 1.0);
}

/* The reversed loop meets the break first, and never gets to the iterations that were run. */
static void loop_with_break(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):\n"
                 "    i = wp.tid()\n"
                 "    total = wp.float64(0.0)\n"
                 "    for j in range(x.shape[0]):\n"
                 "        if j == 2:\n"
                 "            break\n"
                 "        total = total + x[j] * x[j]\n"
                 "    out[i] = total\n",
          1, 4);
    fill(&f->launch.args[0], (double[]){1.0, 2.0, 3.0, 4.0});
    f->launch.args[1].gradients[0] = 1.0;
    TreeRun run = run_both(f, false);
    assert_int_equal(run.finding.kind, FINDING_NONE);
    ASSERT_NEAR(f->launch.args[1].cells[0].real, 5.0);
    static const double warp_has[] = {0.0, 0.0, 0.0, 8.0};
    for (int i = 0; i < 4; i++)
        ASSERT_NEAR(f->launch.args[0].gradients[i], warp_has[i]);
}

/* The adjoint of the read uses the index after it moved on: past the end in the last iteration. */
static void while_reads_past_the_end(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):\n"
                 "    i = wp.tid()\n"
                 "    total = float(0.0)\n"
                 "    j = int(0)\n"
                 "    while j < 3:\n"
                 "        total = total + x[j]\n"
                 "        j = j + 1\n"
                 "    out[i] = total\n",
          1, 3);
    fill(&f->launch.args[0], (double[]){1.0, 2.0, 3.0});
    f->launch.args[1].gradients[0] = 1.0;
    TreeRun run = run_both(f, false);
    assert_int_equal(run.finding.kind, FINDING_OUT_OF_BOUNDS);
    assert_true(run.backward);
    ASSERT_NEAR(f->launch.args[1].cells[0].real, 6.0);
    assert_int_equal(strncmp(f->source.text + run.finding.offset, "total = total + x[j]", 20), 0);
}

static void custom_gradient(void **state)
{
    Fixture *f = *state;
    begin(f,
          "import warp as wp\n"
          "@wp.func\n"
          "def f(x: float, y: float):\n"
          "    return x * y\n"
          "@wp.func_grad(f)\n"
          "def adj_f(x: float, y: float, adj_ret: float):\n"
          "    wp.adjoint[x] += 7.0 * adj_ret\n"
          "@wp.kernel\n"
          "def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):\n"
          "    i = wp.tid()\n"
          "    out[i] = f(x[i], x[i]) * 2.0\n",
          1, 1);
    fill(&f->launch.args[0], (double[]){3.0});
    f->launch.args[1].gradients[0] = 1.0;
    TreeRun run = run_both(f, false);
    assert_int_equal(run.finding.kind, FINDING_NONE);
    ASSERT_NEAR(f->launch.args[1].cells[0].real, 18.0);
    ASSERT_NEAR(f->launch.args[0].gradients[0], 14.0);
}

static void struct_argument(void **state)
{
    Fixture *f = *state;
    begin(f,
          "import warp as wp\n"
          "@wp.struct\n"
          "class S:\n"
          "    scale: float\n"
          "    x: wp.array(dtype=wp.vec3)\n"
          "@wp.func\n"
          "def size(s: S, i: int) -> float:\n"
          "    return s.scale * wp.length(s.x[i])\n"
          "@wp.kernel\n"
          "def k(s: S, out: wp.array(dtype=float)):\n"
          "    i = wp.tid()\n"
          "    out[i] = size(s, i)\n",
          1, 1);
    LaunchValue *s = &f->launch.args[0];
    s->fields[0].cells[0].real = 2.0;
    fill(&s->fields[1], (double[]){3.0, 0.0, 4.0});
    s->fields[1].gradients = ARENA_ARRAY(&f->work, double, 3);
    f->launch.args[1].gradients[0] = 1.0;
    TreeRun run = run_both(f, false);
    assert_int_equal(run.finding.kind, FINDING_NONE);
    ASSERT_NEAR(f->launch.args[1].cells[0].real, 10.0);
    ASSERT_NEAR(s->fields[1].gradients[0], 1.2);
    ASSERT_NEAR(s->fields[1].gradients[2], 1.6);
}

static void out_of_bounds(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(x: wp.array(dtype=float), n: int):\n"
                 "    i = wp.tid()\n"
                 "    x[i + n] = 1.0\n",
          4, 4);
    fill_integers(&f->launch.args[1], 2);
    TreeRun run = run_both(f, false);
    assert_int_equal(run.finding.kind, FINDING_OUT_OF_BOUNDS);
    assert_int_equal(run.finding.thread[0], 2);
    assert_false(run.backward);
}

static void endless_loop(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(x: wp.array(dtype=float)):\n"
                 "    i = wp.tid()\n"
                 "    while x[i] < 1.0:\n"
                 "        x[i] = 0.0\n",
          1, 1);
    TreeRun run = {.max_steps = 1000};
    assert_false(tree_run(f->module, &f->launch, &run));
    assert_int_equal(run.finding.kind, FINDING_TOO_MANY_STEPS);
    assert_int_equal(run.steps, 1000);
}

static void division_by_zero(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(n: wp.array(dtype=int)):\n"
                 "    i = wp.tid()\n"
                 "    n[i] = 7 % n[i] + 7 / n[i]\n",
          1, 1);
    assert_int_equal(run_both(f, false).finding.kind, FINDING_DIVISION_BY_ZERO);
    fill_integers(&f->launch.args[0], -2);
    assert_int_equal(run_both(f, false).finding.kind, FINDING_NONE);
    assert_int_equal(f->launch.args[0].cells[0].integer, 7 % -2 + 7 / -2);
}

static void unsupported(void **state)
{
    Fixture *f = *state;
    Finding finding;
    begin(f,
          "import warp as wp\n"
          "@wp.func_native(\"return x;\")\n"
          "def f(x: float) -> float: ...\n"
          "@wp.kernel\n"
          "def k(x: wp.array(dtype=float)):\n"
          "    i = wp.tid()\n"
          "    x[i] = f(x[i])\n",
          1, 1);
    assert_null(tree_compile(&f->work, f->module, false, &finding));
    assert_int_equal(finding.kind, FINDING_UNSUPPORTED);
    assert_string_equal(finding.message, "a native function");
}

static void random_numbers(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(out: wp.array(dtype=wp.uint32)):\n"
                 "    i = wp.tid()\n"
                 "    s = wp.rand_init(42, i)\n"
                 "    a = wp.randu(s)\n"
                 "    out[i] = a ^ wp.randu(s)\n",
          1, 1);
    assert_int_equal(run_both(f, false).finding.kind, FINDING_NONE);
    assert_true(f->launch.args[0].cells[0].integer > 0 && f->launch.args[0].cells[0].integer <= UINT32_MAX);
}

/* What the run of a kernel left on its way, from both evaluators: it must be the same. */
static PathSum trail_of(Fixture *f, const char *text)
{
    PathSum tree = {0}, ast = {0};
    TreeRun run = {.path_sum = &tree};
    AstRun other = {.in_double = true, .path_sum = &ast};
    begin(f, text, 2, 3);
    fill(&f->launch.args[0], (double[]){0.5, 0.25, 0.75});
    Launch *copy = launch_copy(&f->work, &f->launch);
    TreeProgram *program = tree_compile(&f->work, f->module, true, &run.finding);
    assert_non_null(program);
    assert_true(tree_execute(program, &f->launch, &run));
    assert_true(ast_run(f->unit, f->module->kernel->kernel, copy, &other));
    assert_true(tree.elements == ast.elements);
    ASSERT_NEAR(tree.numbers, ast.numbers);
    return tree;
}

/* Three kernels with the same results: one reads another element, one compares another number. */
static void trails(void **state)
{
#define START KERNEL "def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n    i = wp.tid()\n"
#define END                                                                                                            \
    "        y[i] = 1.0\n"                                                                                             \
    "    y[i] *= wp.min(y[i], 2.0)\n"                                                                                  \
    "    y[i] += 1.0\n"
    PathSum first = trail_of(*state, START "    if x[i] > 0.1 and i >= 0:\n" END);
    PathSum element = trail_of(*state, START "    if x[i + 1] > 0.1 and i >= 0:\n" END);
    PathSum number = trail_of(*state, START "    if x[i] > 0.2 and i >= 0:\n" END);
    assert_true(first.elements != element.elements && first.elements == number.elements);
    assert_true(fabs(first.numbers - number.numbers) > 1e-3);
}

static void assert_same_values(LaunchValue *a, LaunchValue *b, void *user)
{
    (void)user;
    assert_memory_equal(a->cells, b->cells, launch_cell_count(a) * sizeof *a->cells);
    if (a->gradients)
        assert_memory_equal(a->gradients, b->gradients, launch_cell_count(a) * sizeof *a->gradients);
}

/* Where no step is left over for a whole function, operations run one by one, without their quick forms. */
static void quick_forms(void **state)
{
    Fixture *f = *state;
    begin(f,
          KERNEL "def k(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), n: wp.array(dtype=int),\n"
                 "      out: wp.array(dtype=float), turned: wp.array(dtype=wp.vec3), count: wp.array(dtype=int)):\n"
                 "    i = wp.tid()\n"
                 "    a = v[i]\n"
                 "    b = a * x[i] - 0.5 * a / (x[i] + 4.0) + wp.vec3(1.0, x[i], 2.0)\n"
                 "    m = (n[i] % 5 + (n[i] >> 1)) ^ (n[i] & 6) | 8\n"
                 "    m = wp.min(wp.max(m, -3), wp.clamp(n[i], 1, 2))\n"
                 "    s = float(0.0)\n"
                 "    for k in range(m):\n"
                 "        s = s + wp.min(wp.dot(a, b), float(k)) / (wp.max(x[i], 0.25) + a[k % 3])\n"
                 "    if x[i] > 1000.0:\n"
                 "        s = wp.sin(s) * wp.cos(s) + wp.tan(s) * wp.exp(s) - wp.log(s) * wp.sqrt(s)\n"
                 "        s = wp.sin(s) * wp.cos(s) + wp.tan(s) * wp.exp(s) - wp.log(s) * wp.sqrt(s)\n"
                 "    count[i] = int(wp.uint32(m)) + int(s) + x.shape[0] + wp.where(m > 3, 1, 0)\n"
                 "    turned[i] = b\n"
                 "    out[i] = s\n",
          1, 1);
    fill(&f->launch.args[0], (double[]){1.25});
    fill(&f->launch.args[1], (double[]){0.5, -2.0, 3.0});
    fill_integers(&f->launch.args[2], 7);
    f->launch.args[3].gradients[0] = 1.5;
    f->launch.args[4].gradients[1] = -0.75;
    Launch *again = launch_copy(&f->work, &f->launch);
    Finding finding;
    TreeProgram *program = tree_compile(&f->work, f->module, false, &finding);
    assert_non_null(program);
    for (int backward = 0; backward < 2; backward++) {
        TreeRun quick = {.backward = backward};
        assert_true(tree_execute(program, &f->launch, &quick));
        TreeRun slow = {.backward = backward, .max_steps = quick.steps};
        assert_true(tree_execute(program, again, &slow));
        assert_int_equal(quick.steps, slow.steps);
        launch_visit(&f->launch, again, assert_same_values, NULL);
        slow.max_steps--;
        assert_false(tree_execute(program, launch_copy(&f->work, again), &slow));
        assert_int_equal(slow.finding.kind, FINDING_TOO_MANY_STEPS);
    }
    assert_true(f->launch.args[3].cells[0].real != 0.0 && f->launch.args[0].gradients[0] != 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(product),          TEST(rounding),        TEST(loop_with_break), TEST(while_reads_past_the_end),
        TEST(custom_gradient),  TEST(struct_argument), TEST(out_of_bounds),   TEST(endless_loop),
        TEST(division_by_zero), TEST(unsupported),     TEST(random_numbers),  TEST(trails),
        TEST(quick_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
