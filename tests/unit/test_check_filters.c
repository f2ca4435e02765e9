/* What a check with filters lets into a data set. */
#include "check/check.h"
#include "pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct Case {
    uint32_t threads;
    bool filters, structs;
    CheckResult result;
    bool has_run;
} Case;

static bool check(const Compiled *compiled, void *user)
{
    Case *c = user;
    CheckArg args[] = {{.name = "a", .ndim = 1, .shape = {c->threads}, .has_range = !c->structs, .low = 1, .high = 2},
                       {.name = "out", .ndim = 1, .shape = {c->threads}, .has_value = true, .value = 0},
                       {.name = "a.skip", .has_range = true, .low = 0, .high = 1},
                       {.name = "a.x", .has_range = true, .low = 10, .high = 20},
                       {.name = "s.y", .ndim = 1, .shape = {c->threads}, .has_value = true, .value = 0}};
    CheckLaunch launch = {.dim = {c->threads, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 5};
    CheckOptions options = {.seed = 1, .filters = c->filters, .threads = CHECK_SPREAD};
    check_kernel(compiled->unit, compiled->module, &launch, &options, &c->result);
    c->has_run = true;
    return true;
}

static CheckResult check_text(const char *text, uint32_t threads, bool filters)
{
    Weft *weft = weft_new(NULL);
    PipelineOptions options = pipeline_options();
    Case c = {.threads = threads, .filters = filters, .structs = strstr(text, "wp.struct")};
    assert_true(pipeline_compile(weft, &(Source){"test.py", text, strlen(text)}, &options,
                                 &(PipelineVisitor){.compiled = check, .user = &c}));
    assert_true(c.has_run);
    weft_free(weft);
    return c.result;
}

/* Each thread goes through the array twice: few steps for one, too many for a launch of thousands. */
static void rejects_launches_that_take_too_long(void **state)
{
    (void)state;
    const char *text =
        "import warp as wp\n@wp.kernel\n"
        "def k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
        "    s = float(0.0)\n    for j in range(a.shape[0]):\n        s += a[j] * a[i]\n    out[i] = s\n";
    CheckResult small = check_text(text, 64, true), large = check_text(text, 4096, true);
    assert_int_equal(small.failure, CHECK_OK);
    assert_true(small.launch_steps > 64 * 64 && small.launch_steps < CHECK_LAUNCH_STEPS);
    assert_int_equal(large.failure, CHECK_FINDING);
    assert_int_equal(large.finding.kind, FINDING_TOO_MANY_STEPS);
    assert_true(large.launch_steps > CHECK_LAUNCH_STEPS);
    assert_int_equal(check_text(text, 4096, false).failure, CHECK_OK);
}

static void rejects_what_rounding_decides(void **state)
{
    (void)state;
    const char *text = "import warp as wp\n@wp.kernel\n"
                       "def k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
                       "    x = a[i]\n    m = wp.mat33(x, 0.3, 0.7, 0.2, x + 5.0, 0.9, 0.4, 0.1, x + 4.0)\n"
                       "    v = wp.vec3(x, 1.3, 0.7)\n    rest = m * (wp.inverse(m) * v) - v\n"
                       "    out[i] = wp.normalize(rest)[0] + x\n";
    assert_int_equal(check_text(text, 64, true).failure, CHECK_UNSTABLE);
}

/* An array that is a field of a struct is an output like any other. */
static void looks_at_outputs_in_structs(void **state)
{
    (void)state;
    const char *text = "import warp as wp\n@wp.struct\nclass S:\n    y: wp.array(dtype=float)\n\n@wp.kernel\n"
                       "def k(a: wp.array(dtype=float), s: S):\n    i = wp.tid()\n    s.y[i] = a[i] * 2.0 + 1.0\n";
    assert_int_equal(check_text(text, 64, true).failure, CHECK_OK);
}

/* One thread in a hundred writes: the threads that show every branch need not be among them. */
static void looks_at_many_threads_before_it_rejects(void **state)
{
    (void)state;
    const char *rare = "import warp as wp\n@wp.kernel\n"
                       "def k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
                       "    out[i] = wp.max(a[i] - 1.99, 0.0)\n";
    const char *never = "import warp as wp\n@wp.kernel\n"
                        "def k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
                        "    out[i] = wp.max(a[i] - 3.0, 0.0)\n";
    assert_int_equal(check_text(rare, 4096, true).failure, CHECK_OK);
    assert_int_equal(check_text(never, 4096, true).failure, CHECK_NO_OUTPUT);
}

/* Fields of structs in an array have ranges of their own. */
static void draws_fields_from_their_ranges(void **state)
{
    (void)state;
    const char *text = "import warp as wp\n@wp.struct\nclass P:\n    skip: int\n    x: float\n@wp.kernel\n"
                       "def k(a: wp.array(dtype=P), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
                       "    if a[i].skip == %d:\n        return\n    out[i] = wp.max(a[i].x - %s, 0.0)\n";
    const struct {
        int skip;
        const char *limit;
        CheckFailure failure;
    } cases[] = {{1, "10.0", CHECK_OK},
                 {0, "10.0", CHECK_OK},
                 {2, "10.0", CHECK_OK},
                 {2, "19.5", CHECK_OK},
                 {2, "20.0", CHECK_NO_OUTPUT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[512];
        snprintf(source, sizeof source, text, cases[i].skip, cases[i].limit);
        assert_int_equal(check_text(source, 256, true).failure, cases[i].failure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejects_launches_that_take_too_long),
        cmocka_unit_test(rejects_what_rounding_decides),
        cmocka_unit_test(looks_at_outputs_in_structs),
        cmocka_unit_test(looks_at_many_threads_before_it_rejects),
        cmocka_unit_test(draws_fields_from_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
