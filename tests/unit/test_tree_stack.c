/* Long kernels on a small stack. The quick forms of this program are compiled so that no call becomes a jump (CMakeLists.txt), as at -O1. */
#include "base/text.h"
#include "check/check.h"
#include "check/usual.h"
#include "pipeline.h"

#include <cmocka.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { STATEMENTS = 20000, SMALL_STACK = 1 << 20 };

typedef struct Trial {
    const char *statement;
    int checked;
    CheckFailure failure;
} Trial;

static bool check_compiled(const Compiled *compiled, void *user)
{
    Trial *trial = user;
    CheckLaunch nothing = {0}, launch = usual_launch(&nothing, compiled, 0, 0);
    CheckOptions options = {.draws = 1, .threads = CHECK_SPREAD};
    CheckResult result;
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    trial->checked++;
    trial->failure = result.failure;
    return true;
}

static void *run_trial(void *user)
{
    Trial *trial = user;
    Text source;
    text_init(&source);
    text_lit(&source,
             "import warp as wp\n\n\n@wp.kernel\ndef long(a: wp.array(dtype=float), x: float):\n    i = wp.tid()\n"
             "    y = a[i]\n    v = wp.vec3(y, y, y)\n");
    for (int i = 0; i < STATEMENTS; i++)
        text_format(&source, "    %s\n", trial->statement);
    text_lit(&source, "    a[i] = y + v[0]\n");
    Weft *weft = weft_new(NULL);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    assert_non_null(weft);
    pipeline_compile(weft, &(Source){"long.py", source.data, source.len}, &options,
                     &(PipelineVisitor){.compiled = check_compiled, .user = trial});
    weft_free(weft);
    text_free(&source);
    return NULL;
}

static void try_on_small_stack(const char *statement)
{
    Trial trial = {.statement = statement};
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    assert_int_equal(pthread_attr_setstacksize(&small, SMALL_STACK), 0);
    assert_int_equal(pthread_create(&thread, &small, run_trial, &trial), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&small);
    assert_int_equal(trial.checked, 1);
    assert_int_equal(trial.failure, CHECK_OK);
}

static void test_numbers(void **state)
{
    (void)state;
    try_on_small_stack("y = y * 0.5 + x");
}

static void test_vectors_and_math(void **state)
{
    (void)state;
    try_on_small_stack("v = wp.sin(y) * v * 0.5");
}

static void test_elements_and_choices(void **state)
{
    (void)state;
    try_on_small_stack("y = wp.where(x > y, 0.5 * y, a[i])");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_vectors_and_math),
        cmocka_unit_test(test_elements_and_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
