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
    bool filters;
    CheckResult result;
    bool has_run;
} Case;

static bool check(const Compiled *compiled, void *user)
{
    Case *c = user;
    CheckArg args[] = {{.name = "a", .ndim = 1, .shape = {c->threads}, .has_range = true, .low = 1, .high = 2},
                       {.name = "out", .ndim = 1, .shape = {c->threads}, .has_value = true, .value = 0}};
    CheckLaunch launch = {.dim = {c->threads, 1, 1, 1}, .ndim = 1, .args = args, .arg_count = 2};
    CheckOptions options = {.seed = 1, .filters = c->filters, .threads = CHECK_SPREAD};
    check_kernel(compiled->unit, compiled->module, &launch, &options, &c->result);
    c->has_run = true;
    return true;
}

static CheckResult check_text(const char *text, uint32_t threads, bool filters)
{
    Weft *weft = weft_new();
    WeftOptions options = weft_default_options();
    Case c = {.threads = threads, .filters = filters};
    assert_true(pipeline_compile(weft, "test.py", text, strlen(text), &options, check, &c, NULL));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejects_launches_that_take_too_long),
        cmocka_unit_test(rejects_what_rounding_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
