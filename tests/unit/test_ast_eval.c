/* The AST evaluator: what it reports, where, and a few rules of the kernel language that are easy to get wrong. */
#include "eval/ast/eval.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 8 };

static Arena tables, work;
static NameTable names;
static TypeTable types;
static BuiltinTable *builtins;

typedef struct Run {
    Unit *unit;
    const Kernel *kernel;
    Launch launch;
    AstRun run;
    bool passed;
} Run;

/* NULL: the version that is written by default. */
static void use_version(const char *number)
{
    Dialect dialect;
    assert_true(dialect_find(number, &dialect));
    builtins = builtins_new(&tables, &types, &dialect);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&tables);
    arena_init(&work);
    names_init(&names, &tables);
    types_init(&types, NULL, &tables, &names);
    use_version(NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(&work);
    arena_free(&tables);
    return 0;
}

/* The last kernel of the text; arrays have COUNT elements 0, 1, 2, … in each dimension, scalars are 3. */
static Run run_launch(const char *text, Launch launch, bool in_double)
{
    static const uint32_t shape[4] = {COUNT, COUNT, COUNT, COUNT};
    Run r = {.run = {.in_double = in_double, .detect_races = true, .max_steps = 10000}};
    Source *source = ARENA_NEW(&work, Source);
    *source = (Source){"test.py", text, strlen(text)};
    r.unit = ARENA_NEW(&work, Unit);
    unit_init(r.unit, &work, builtins, source, NULL);
    unit_load(r.unit);
    assert_int_equal(r.unit->diags.count, 0);
    KernelList kernels;
    unit_kernels(r.unit, &kernels);
    assert_true(kernels.count > 0);
    r.kernel = kernels.items[kernels.count - 1];
    r.launch = launch;
    r.launch.arg_count = r.kernel->code.param_count;
    r.launch.args = ARENA_ARRAY(&work, LaunchValue, r.launch.arg_count);
    for (uint32_t i = 0; i < r.launch.arg_count; i++) {
        LaunchValue *value = &r.launch.args[i];
        assert_true(launch_value_init(r.unit, value, r.kernel->code.params[i].type, shape));
        value->tangents = ARENA_ARRAY(&work, double, value->count * value->width);
        for (size_t k = 0; k < value->count * value->width; k++) {
            double number = value->ndim ? (double)(k / value->width) : 3;
            if (type_is_float(value->cell_types[k % value->width])) {
                value->cells[k].real = number;
                value->tangents[k] = i == 0;
            } else
                value->cells[k].integer = (int64_t)number;
        }
    }
    r.passed = ast_run(r.unit, r.kernel, &r.launch, &r.run);
    text_free(&r.unit->scratch);
    return r;
}

static Run run_text(const char *text, uint32_t threads, bool in_double)
{
    return run_launch(text, (Launch){.dim = {threads, 1, 1, 1}, .ndim = 1}, in_double);
}

#define KERNEL(arguments, body) "import warp as wp\n@wp.kernel\ndef k(" arguments "):\n    i = wp.tid()\n" body
#define FLOATS(name) name ": wp.array(dtype=float)"
#define INTS(name) name ": wp.array(dtype=int)"

/* Expects a finding of this kind on the line that holds `at`, in thread `thread`. */
static void check_finding(const char *text, uint32_t threads, FindingKind kind, const char *at, uint32_t thread)
{
    for (int mode = 0; mode < 2; mode++) {
        Run r = run_text(text, threads, mode);
        assert_string_equal(finding_name(r.run.finding.kind), finding_name(kind));
        assert_false(r.passed);
        assert_non_null(r.run.finding.message);
        const char *place = strstr(text, at);
        assert_non_null(place);
        assert_int_equal(source_position(r.unit->main->source, r.run.finding.offset).line,
                         source_position(r.unit->main->source, (uint32_t)(place - text)).line);
        assert_int_equal(r.run.finding.thread[0], thread);
    }
}

static void check_value(const char *text, size_t element, double value)
{
    Run r = run_text(text, 1, false);
    if (!r.passed)
        fail_msg("%s: %s", finding_name(r.run.finding.kind), r.run.finding.message);
    const LaunchValue *last = &r.launch.args[r.launch.arg_count - 1];
    double got = type_is_float(last->cell_types[0]) ? last->cells[element].real : (double)last->cells[element].integer;
    if (fabs(got - value) > 1e-6 * fmax(1, fabs(value)))
        fail_msg("%g instead of %g in:\n%s", got, value, text);
}

/* ---- findings ---- */

static void reports_out_of_bounds(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    a[i] = a[i + 5]\n"), 4, FINDING_OUT_OF_BOUNDS, "a[i + 5]", 3);
    check_finding(KERNEL(FLOATS("a"), "    a[i - 9] = 1.0\n"), 4, FINDING_OUT_OF_BOUNDS, "a[i - 9]", 0);
    check_finding(KERNEL(FLOATS("a"), "    v = wp.vec3(1.0, 2.0, 3.0)\n    a[i] = v[i]\n"), 4, FINDING_OUT_OF_BOUNDS,
                  "v[i]", 3);
    check_finding(KERNEL(FLOATS("a"), "    wp.atomic_add(a, i * 4, 1.0)\n"), 4, FINDING_OUT_OF_BOUNDS, "atomic_add", 2);
}

static void reports_unset_variables(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    if i == 1:\n        x = 2.0\n    a[i] = x\n"), 1, FINDING_UNSET_VARIABLE,
                  "a[i] = x", 0);
    check_finding(KERNEL(FLOATS("a") ", n: int", "    for j in range(n, n):\n        y = 1.0\n    a[i] = y\n"), 2,
                  FINDING_UNSET_VARIABLE, "a[i] = y", 0);
    /* A value of the thread before does not count. */
    check_finding(KERNEL(FLOATS("a"), "    if i == 0:\n        x = 2.0\n    a[i] = x\n"), 2, FINDING_UNSET_VARIABLE,
                  "a[i] = x", 1);
}

static void reports_integer_overflow(void **state)
{
    (void)state;
    check_finding(KERNEL(INTS("a"), "    x = 2147483647\n    a[i] = x + a[i]\n"), 3, FINDING_INTEGER_OVERFLOW,
                  "x + a[i]", 1);
    check_finding(KERNEL(INTS("a"), "    a[i] = wp.int32(float(i) * 1.0e9)\n"), 4, FINDING_INTEGER_OVERFLOW, "wp.int32",
                  3);
    check_finding(KERNEL(INTS("a"), "    a[i] = 1 << (40 * i)\n"), 2, FINDING_INTEGER_OVERFLOW, "1 <<", 1);
    check_finding(KERNEL("a: wp.array(dtype=wp.int8)", "    x = wp.int8(127)\n    a[i] = x + wp.int8(1)\n"), 1,
                  FINDING_INTEGER_OVERFLOW, "x + wp", 0);
    /* Unsigned integers wrap. */
    check_value(KERNEL("a: wp.array(dtype=wp.uint8)", "    x = wp.uint8(250)\n    a[i] = x + wp.uint8(10)\n"), 0, 4);
}

static void reports_division_by_zero(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    a[i] = 1.0 / a[i]\n"), 2, FINDING_DIVISION_BY_ZERO, "1.0 / a", 0);
    check_finding(KERNEL(INTS("a"), "    a[i] = 7 // a[i]\n"), 2, FINDING_DIVISION_BY_ZERO, "7 // a", 0);
    check_finding(KERNEL(INTS("a"), "    a[i] = 7 % a[i]\n"), 2, FINDING_DIVISION_BY_ZERO, "7 % a", 0);
    check_finding(KERNEL("a: wp.array(dtype=wp.vec2)", "    a[i] = a[i] / float(i)\n"), 2, FINDING_DIVISION_BY_ZERO,
                  "a[i] / ", 0);
}

static void reports_values_that_are_not_finite(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    x = 1.0e30\n    a[i] = wp.exp(x)\n"), 1, FINDING_NOT_FINITE, "wp.exp", 0);
    Run r = run_text(KERNEL(FLOATS("a"), "    x = 1.0e30\n    a[i] = x * x\n"), 1, false);
    assert_int_equal(r.run.finding.kind, FINDING_NOT_FINITE); /* of float32 */
    r = run_text(KERNEL(FLOATS("a"), "    x = 1.0e30\n    a[i] = x * x\n"), 1, true);
    assert_true(r.passed); /* not of a double */
    /* An infinity that was asked for is no finding. */
    check_value(KERNEL(FLOATS("a"), "    best = float(wp.inf)\n    a[i] = wp.min(best, 5.0)\n"), 0, 5);
}

static void reports_domain_errors(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    a[i] = wp.sqrt(2.0 - a[i])\n"), 4, FINDING_DOMAIN, "wp.sqrt", 3);
    check_finding(KERNEL(FLOATS("a"), "    a[i] = wp.log(a[i])\n"), 4, FINDING_DOMAIN, "wp.log", 0);
    check_finding(KERNEL(FLOATS("a"), "    a[i] = wp.pow(a[i] - 2.0, 0.5)\n"), 4, FINDING_DOMAIN, "wp.pow", 0);
}

static void reports_races(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    a[0] = float(i)\n"), 2, FINDING_RACE, "a[0] =", 1);
    check_finding(KERNEL(FLOATS("a"), "    a[i] = a[i + 1]\n"), 2, FINDING_RACE, "a[i] =", 1);
    check_finding(KERNEL(FLOATS("a"), "    a[i + 1] = a[i]\n"), 2, FINDING_RACE, "= a[i]", 1);
    check_finding(KERNEL(FLOATS("a"), "    wp.atomic_add(a, 0, 1.0)\n    x = a[0]\n"), 2, FINDING_RACE, "wp.atomic_add",
                  1);
    use_version("1.17"); /* where components are not updated atomically */
    check_finding(KERNEL("a: wp.array(dtype=wp.vec3)", "    a[0][0] += 1.0\n"), 2, FINDING_RACE, "a[0][0]", 1);
    use_version(NULL);
    assert_true(run_text(KERNEL("a: wp.array(dtype=wp.vec3)", "    a[0].x += 1.0\n"), 8, false).passed);
    check_finding(KERNEL("a: wp.array(dtype=wp.vec3ub)", "    a[0].x += wp.uint8(1)\n"), 2, FINDING_RACE, "a[0].x", 1);
    /* Atomics among themselves are none, nor are different components. */
    assert_true(run_text(KERNEL(FLOATS("a"), "    a[0] += 1.0\n"), 8, false).passed);
    assert_true(run_text(KERNEL("a: wp.array(dtype=wp.vec3)", "    a[0][i] = 1.0\n"), 3, false).passed);
}

static void reports_too_many_steps(void **state)
{
    (void)state;
    check_finding(KERNEL(FLOATS("a"), "    j = int(0)\n    while j < 10:\n        pass\n"), 1, FINDING_TOO_MANY_STEPS,
                  "while", 0);
    check_finding(KERNEL(FLOATS("a"), "    for j in range(2000000000):\n        pass\n"), 1, FINDING_TOO_MANY_STEPS,
                  "for j", 0);
}

static void reports_what_is_not_supported(void **state)
{
    (void)state;
    check_finding(KERNEL("a: wp.array(dtype=wp.vec3), id: wp.uint64", "    a[i] = wp.mesh_get_point(id, i)\n"), 1,
                  FINDING_UNSUPPORTED, "wp.mesh_get_point", 0);
}

/* ---- rules of the language ---- */

static void divides_integers_as_compiled(void **state)
{
    (void)state;
    use_version("1.17");
    check_value(KERNEL(INTS("a"), "    x = int(-7)\n    a[i] = x // 2\n"), 0, -3);
    use_version(NULL);
    check_value(KERNEL(INTS("a"), "    x = int(-7)\n    a[i] = x // 2\n"), 0, -4);
    check_value(KERNEL(INTS("a"), "    x = int(-8)\n    a[i] = x // 2\n"), 0, -4);
    check_value(KERNEL(INTS("a"), "    x = int(7)\n    a[i] = x // -2\n"), 0, -4);
    check_value(KERNEL(INTS("a"), "    x = int(-7)\n    a[i] = x % 4\n"), 0, -3);
    check_value(KERNEL(FLOATS("a"), "    x = float(-7.5)\n    a[i] = x // 2.0\n"), 0, -4);
    check_value(KERNEL(FLOATS("a"), "    x = float(-7.5)\n    a[i] = x % 2.0\n"), 0, -1.5);
}

static void reads_elements_when_they_are_used(void **state)
{
    (void)state;
    /* The left operand is read after the call on the right. */
    check_value(KERNEL(FLOATS("a") ", " FLOATS("b"), "    b[i] = a[3] + wp.atomic_add(a, 3, 10.0)\n"), 0, 16);
    check_value(KERNEL(FLOATS("a") ", " FLOATS("b"), "    x = a[3]\n    a[3] = 7.0\n    b[i] = x\n"), 0, 3);
}

static void copies_values(void **state)
{
    (void)state;
    check_value(
        KERNEL(FLOATS("a"), "    v = wp.vec3(1.0, 2.0, 3.0)\n    w = v\n    v[0] = 9.0\n    a[i] = w[0] + v[0]\n"), 0,
        10);
    check_value("import warp as wp\n@wp.func\ndef f(v: wp.vec3):\n    v[0] = 5.0\n    return v[0]\n"
                "@wp.kernel\ndef k(a: wp.array(dtype=float)):\n    i = wp.tid()\n    v = wp.vec3(1.0, 2.0, 3.0)\n"
                "    x = f(v)\n    a[i] = x + v[0]\n",
                0, 6);
}

static void copies_local_arrays(void **state)
{
    (void)state;
    check_value(KERNEL(FLOATS("a"),
                       "    t = wp.zeros(shape=(2,), dtype=float)\n    t[0] = 4.0\n    u = t\n    t[0] = 7.0\n"
                       "    a[i] = t[0] + u[0]\n"),
                0, 11);
    check_value(
        KERNEL("a: wp.array2d(dtype=float)", "    row = a[i + 1]\n    row[0] = 5.0\n    a[i, 0] = a[i + 1, 0] + 1.0\n"),
        0, 6);
}

static void drops_else_of_loops(void **state)
{
    (void)state;
    check_value(KERNEL(FLOATS("a"), "    x = float(1.0)\n    for j in range(3):\n        x = x + 1.0\n    else:\n      "
                                    "  x = 100.0\n    a[i] = x\n"),
                0, 4);
}

static void rounds_to_the_kernels_types(void **state)
{
    (void)state;
    const char *text = KERNEL("s: float, " FLOATS("a"), "    a[i] = s * 0.1\n");
    Run rounded = run_text(text, 1, false), exact = run_text(text, 1, true);
    assert_true(rounded.launch.args[1].cells[0].real == (double)(3.0f * 0.1f));
    assert_true(exact.launch.args[1].cells[0].real == 3 * 0.1);
    assert_true(exact.launch.args[1].tangents[0] == 0.1); /* along s */
}

static void takes_wide_literals_as_written(void **state)
{
    (void)state;
    Run r = run_text(KERNEL("a: wp.array(dtype=wp.float64)", "    a[i] = wp.float64(0.1)\n"), 1, false);
    assert_true(r.launch.args[0].cells[0].real == 0.1);
    r = run_text(KERNEL("a: wp.array(dtype=wp.int64)", "    a[i] = wp.int64(5000000000)\n"), 1, false);
    assert_true(r.launch.args[0].cells[0].integer == 5000000000);
}

/* As Warp's native tid() does: one number, of however many dimensions, is the first coordinate. */
static void takes_the_first_coordinate_as_one_number(void **state)
{
    (void)state;
    const char *text = "import warp as wp\n@wp.kernel\ndef k(a: wp.array4d(dtype=int)):\n    i, j, k, l = wp.tid()\n"
                       "    x, y = wp.tid()\n    a[i, j, k, l] = 100 * wp.tid() + 10 * x + y\n";
    Run r = run_launch(text, (Launch){.dim = {3, 2, 2, 2}, .ndim = 4}, false);
    assert_true(r.passed);
    size_t last = ((2 * COUNT + 1) * COUNT + 1) * COUNT + 1;
    assert_int_equal(r.launch.args[0].cells[last].integer, 221);
}

static void runs_a_program_again(void **state)
{
    (void)state;
    Run r = run_text(KERNEL(FLOATS("a"), "    a[i] = a[i] * 0.1 + 1.0\n"), 4, true);
    AstProgram *program = ast_program(r.unit, r.kernel);
    Launch *copy = launch_copy(&work, &r.launch);
    AstRun run = {.in_double = false};
    assert_true(ast_program_run(program, copy, &run));
    copy = launch_copy(&work, &r.launch);
    run.in_double = true;
    assert_true(ast_program_run(program, copy, &run));
    assert_true(copy->args[0].cells[1].real == r.launch.args[0].cells[1].real * 0.1 + 1.0);
    assert_int_equal(run.steps, 8);
    assert_true(r.launch.args[0].cells[5].real == 5);
}

/* ---- code ---- */

static bool same_cells(const LaunchValue *a, const LaunchValue *b)
{
    size_t cells = launch_cell_count(a);
    for (uint32_t i = 0; i < a->field_count; i++)
        if (!same_cells(&a->fields[i], &b->fields[i]))
            return false;
    return (!a->cells || !memcmp(a->cells, b->cells, cells * sizeof *a->cells)) &&
           (!a->tangents || !memcmp(a->tangents, b->tangents, cells * sizeof *a->tangents));
}

/* A run with a journal does without code. */
static void compare_ways(const Run *r, AstProgram *program, AstRun how)
{
    Journal journal = {0};
    PathSum sums[2] = {{0}, {0}};
    AstRun runs[2] = {how, how};
    Launch *launches[2];
    runs[1].journal = &journal;
    for (int i = 0; i < 2; i++) {
        launches[i] = launch_copy(&work, &r->launch);
        runs[i].path_sum = &sums[i];
        ast_program_run(i ? ast_program(r->unit, r->kernel) : program, launches[i], &runs[i]);
    }
    assert_string_equal(finding_name(runs[0].finding.kind), finding_name(runs[1].finding.kind));
    assert_int_equal(runs[0].finding.offset, runs[1].finding.offset);
    assert_memory_equal(runs[0].finding.thread, runs[1].finding.thread, sizeof runs[0].finding.thread);
    if (runs[1].finding.message)
        assert_string_equal(runs[0].finding.message, runs[1].finding.message);
    assert_int_equal(runs[0].steps, runs[1].steps);
    assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
    for (uint32_t i = 0; i < r->launch.arg_count; i++)
        assert_true(same_cells(&launches[0]->args[i], &launches[1]->args[i]));
}

#define HEAD                                                                                                           \
    "import warp as wp\nfrom typing import Any\nC = wp.vec3(1.0, 2.0, 3.0)\n@wp.struct\nclass S:\n    x: float\n    "  \
    "v: wp.vec3\n"
#define FUNCTION(body) HEAD "@wp.func\ndef " body
#define LAST(body)                                                                                                     \
    "@wp.kernel\ndef k(a: wp.array(dtype=float), b: wp.array(dtype=float), n: wp.array(dtype=int),"                    \
    " m: wp.array2d(dtype=float), p: wp.array(dtype=wp.vec3), s: wp.array(dtype=S)):\n    i = wp.tid()\n" body

/* Operands that overlap, order of evaluation, ways through the text, types: each runs both ways, until every step. */
static void code_does_what_statements_do(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD LAST("    v = p[i]\n    v = wp.vec3(v[1] + 1.0, v[2], v[0])\n    v = v * v[0]\n    v = v[1] * v - v\n"
                  "    p[i] = wp.cross(v, wp.normalize(v))\n"),
        HEAD LAST("    v = wp.vec3(1.0, 2.0, 3.0)\n    v[i % 3] += 2.0\n    v.y = v.x\n    v[n[i] - 1] = 4.0\n    p[i] "
                  "= v\n"),
        HEAD LAST("    x = a[i]\n    y = b[i]\n    x, y = y, x\n    a[i] = x - 2.0 * y\n"),
        HEAD LAST("    a[0] = a[0] + b[i + 7]\n"),
        HEAD LAST("    a[i] = b[i + 1] if i < 3 and b[i + 5] > 0.0 else b[i - 1]\n"),
        HEAD LAST("    if a[i] > 1.0 or b[i + 6] > 3.0:\n        x = 1.0\n    b[i] = x\n"),
        HEAD LAST("    if not i == 2:\n        x = 1.0\n    else:\n        x = 2.0\n    b[i] = x / (a[i] - 3.0)\n"),
        HEAD LAST("    x = float(0.0)\n    for j in range(i, 8, 2):\n        if j == 5:\n            continue\n"
                  "        if x > 4.0:\n            break\n        x += a[j]\n    b[i] = x\n"),
        HEAD LAST("    j = i\n    while j < 6:\n        j += 1\n        if j == 4:\n            continue\n        a[i] "
                  "+= 1.0\n"
                  "        if j == 5:\n            return\n    b[i] = float(j)\n"),
        HEAD LAST("    x = n[i]\n    x = ~x\n    n[i] = (x << 2) // 3 + x % 3 - (x & 5)\n    y = wp.uint32(n[i])\n"
                  "    n[i] = int(y >> wp.uint32(3))\n"),
        HEAD LAST("    n[i] = n[i] * 1000000000\n"),
        HEAD LAST("    t = wp.zeros(shape=4, dtype=float)\n    for j in range(4):\n        t[j] = a[i] + float(j)\n"
                  "    t[i - 4] = 1.0\n    row = m[i]\n    row[-1] = t[0] + t[3]\n    b[i] = row[7]\n"),
        HEAD LAST("    e = s[i]\n    e.v[1] = e.x\n    e.x += 1.0\n    s[i] = e\n    b[i] = s[i].v[1] + s[i].v.x\n"),
        HEAD LAST("    s[i].x = 2.0\n    s[i].v[i % 2] += 1.0\n    e = S()\n    e.v = p[i]\n    s[i] = e\n"),
        HEAD LAST("    C[i] = 2.0\n"),
        HEAD LAST(
            "    old = wp.atomic_add(a, 0, b[i])\n    wp.atomic_max(b, 1, wp.clamp(old, 0.0, 2.0))\n    n[0] += i\n"),
        HEAD LAST("    q = wp.matrix_from_rows(p[i], C, p[1])\n    j = i % 3\n    q[j, 1] *= 2.0\n    q = q * "
                  "wp.transpose(q)\n"
                  "    b[i] = q[j, 2] + q[1][j] + wp.trace(q)\n    p[i] = q * p[i] + wp.cw_mul(q[2], C)\n"),
        HEAD LAST(
            "    x = wp.float64(0.1) * wp.float64(a[i])\n    b[i] = float(wp.sqrt(x) - wp.pow(x, wp.float64(0.3)))\n"),
        HEAD LAST(
            "    x = wp.where(i > 2, a[i], b[i])\n    b[i] = wp.min(wp.abs(-x), wp.sin(x)) + float(m.shape[1])\n"),
        HEAD LAST("    r = wp.rand_init(3, i)\n    a[i] = wp.randf(r) + wp.randn(r)\n    n[i] = wp.randi(r, 0, 9)\n"),
        HEAD LAST("    if i > 1:\n        z = a[i]\n    for j in range(2):\n        z = z + b[j]\n    a[i] = z\n"),
        FUNCTION("f(x: float):\n    if x > 2.0:\n        return x\n    return wp.log(x)\n")
            LAST("    a[i] = f(a[i]) + f(b[i]) * f(a[i] + 1.0)\n"),
        FUNCTION("f(x: float, v: wp.vec3):\n    v[0] = x\n    return v[0] + x, v\n")
            LAST("    v = p[i]\n    x, w = f(a[i], v)\n    p[i] = w - v\n    a[i] = x\n"),
        FUNCTION("f(x: Any):\n    y = x + type(x)(1)\n    return y * y\n")
            LAST("    a[i] = f(a[i]) + float(f(n[i])) + f(b[i])\n"),
        FUNCTION("f(t: wp.array(dtype=float), j: int):\n    t[j] = 3.0\n")
            LAST("    f(a, i)\n    t = wp.zeros(shape=8, dtype=float)\n    f(t, i)\n    b[i] = t[i] + t[i - 1]\n"),
        FUNCTION("f(x: float):\n    if x > 2.0:\n        return x\n") LAST("    a[i] = f(a[i]) + 1.0\n"),
        FUNCTION("f(e: S, x: float):\n    e.x = x\n    return e\n")
            LAST("    e = f(s[i], 7.0)\n    b[i] = e.x + s[i].x\n"),
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        Run r = run_text(texts[t], 5, false);
        AstProgram *program = ast_program(r.unit, r.kernel);
        for (uint32_t steps = 0; steps < 60; steps++) {
            AstRun how = {.in_double = steps & 1, .max_steps = steps, .detect_races = !(steps & 4)};
            how.noise = steps & 2 ? 5 : 0;
            how.front_only = steps & 8;
            compare_ways(&r, program, how);
        }
        text_free(&r.unit->scratch);
    }
}

/* ---- tiles ---- */

#define TILES(body)                                                                                                    \
    "import warp as wp\n@wp.kernel\ndef k(" FLOATS("a") ", " FLOATS("out") "):\n    i, lane = wp.tid()\n" body

static Run run_block(const char *text, uint32_t lanes)
{
    return run_launch(text, (Launch){.dim = {1, lanes, 1, 1}, .ndim = 2, .block_dim = lanes}, false);
}

static void check_lanes(const char *text, uint32_t lanes, FindingKind kind)
{
    Run r = run_block(text, lanes);
    assert_string_equal(finding_name(r.run.finding.kind), finding_name(kind));
}

/* A tile operation waits for all lanes of its block. */
static void tile_operations_need_all_lanes(void **state)
{
    (void)state;
    static const char *const parted[] = {
        TILES("    t = wp.tile_load(a, shape=4)\n    if lane > 3:\n        return\n    wp.tile_store(out, t)\n"),
        TILES("    t = wp.tile_load(a, shape=4)\n    if lane == 0:\n        wp.tile_store(out, t)\n"),
        TILES("    t = wp.tile_zeros(shape=4)\n    for k in range(lane):\n        t += wp.tile_load(a, shape=4)\n"),
        TILES("    t = wp.tile_load(a, shape=4)\n    s = wp.tile_sum(t) if lane > 2 else wp.tile_max(t)\n"),
        TILES("    t = wp.tile_zeros(shape=4)\n    while wp.tile_sum(t)[0] < float(lane):\n        t += "
              "wp.tile_ones(shape=4, dtype=float)\n"),
    };
    for (size_t i = 0; i < sizeof parted / sizeof *parted; i++) {
        check_lanes(parted[i], 8, FINDING_NOT_UNIFORM);
        check_lanes(parted[i], 1, FINDING_NONE);
    }
    check_lanes(TILES("    s = wp.tile_sum(wp.tile_load(a, shape=4))\n    if lane == 0:\n        out[i] = s[0]\n"), 8,
                FINDING_NONE);
    Run r = run_launch(TILES("    wp.tile_store(out, wp.tile_zeros(shape=2))\n"),
                       (Launch){.dim = {3, 3, 1, 1}, .ndim = 2, .block_dim = 8}, false);
    assert_int_equal(r.run.finding.kind, FINDING_NOT_UNIFORM);
}

/* Values of lanes, and what belongs to whom. */
static void tiles_have_values_of_lanes(void **state)
{
    (void)state;
    Run r =
        run_block(TILES("    t = wp.tile(float(lane))\n    u = wp.tile_full(shape=4, value=float(lane), dtype=float)\n"
                        "    s = wp.tile_sum(t)\n    out[lane] = s[0] + wp.untile(t)\n    wp.tile_store(a, u)\n"),
                  4);
    assert_true(r.passed);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(r.launch.args[0].cells[i].real == i);
        assert_true(r.launch.args[1].cells[i].real == 6 + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_operations_need_all_lanes),
        cmocka_unit_test(tiles_have_values_of_lanes),
        cmocka_unit_test(reports_out_of_bounds),
        cmocka_unit_test(reports_unset_variables),
        cmocka_unit_test(reports_integer_overflow),
        cmocka_unit_test(reports_division_by_zero),
        cmocka_unit_test(reports_values_that_are_not_finite),
        cmocka_unit_test(reports_domain_errors),
        cmocka_unit_test(reports_races),
        cmocka_unit_test(reports_too_many_steps),
        cmocka_unit_test(reports_what_is_not_supported),
        cmocka_unit_test(divides_integers_as_compiled),
        cmocka_unit_test(reads_elements_when_they_are_used),
        cmocka_unit_test(copies_values),
        cmocka_unit_test(copies_local_arrays),
        cmocka_unit_test(drops_else_of_loops),
        cmocka_unit_test(rounds_to_the_kernels_types),
        cmocka_unit_test(takes_wide_literals_as_written),
        cmocka_unit_test(takes_the_first_coordinate_as_one_number),
        cmocka_unit_test(runs_a_program_again),
        cmocka_unit_test(code_does_what_statements_do),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
