/* What making a standalone program may cost: memory for large arrays, time for long kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline.h"
#include "standalone/standalone.h"

#include <string.h>

typedef struct Case {
    const char *source, *launch;
    StandaloneLibrary *library;
    bool visited, made;
    char finding[40];
} Case;

static bool make_program(const Compiled *compiled, void *user)
{
    Case *c = user;
    CheckLaunch launch = {0};
    StandaloneSample sample = {.name = "kernel", .source = c->source, .source_len = strlen(c->source)};
    Text texts[3];
    for (int i = 0; i < 3; i++)
        text_init(&texts[i]);
    StandaloneProgram program = {.cu = &texts[0], .metadata = &texts[1], .makefile = &texts[2]};
    assert_null(check_launch_read(compiled->unit->arena, c->launch, strlen(c->launch), &launch));
    c->made = standalone_program(compiled->unit, compiled->module, c->library, &launch, &sample, &program);
    strncpy(c->finding, program.finding ? program.finding : "", sizeof c->finding - 1);
    c->visited = true;
    for (int i = 0; i < 3; i++)
        text_free(&texts[i]);
    return false;
}

static Case run(const char *source, const char *launch)
{
    Weft *weft = weft_new(NULL);
    Case c = {.source = source, .launch = launch, .library = standalone_library_new(NULL)};
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = true;
    assert_true(weft && c.library);
    pipeline_compile(weft, &(Source){"kernel.py", source, strlen(source)}, &options,
                     &(PipelineVisitor){.compiled = make_program, .user = &c});
    standalone_library_free(c.library);
    weft_free(weft);
    return c;
}

/* Some hundred runs from the same arrays do not each have a copy of them: within the memory that a kernel may take. */
static void test_large_arrays(void **state)
{
    (void)state;
    Case c = run("import warp as wp\n@wp.kernel\n"
                 "def pick(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):\n"
                 "    i = wp.tid()\n    y[i] = wp.length(x[i * 1000])\n",
                 "{\"dim\": [8], \"args\": {\"x\": {\"shape\": [300000]}, \"y\": {\"shape\": [8]}}}");
    assert_true(c.visited && c.made);
}

static void test_long_kernel(void **state)
{
    (void)state;
    Case c = run("import warp as wp\n@wp.kernel\n"
                 "def wait(x: wp.array(dtype=float), n: int):\n"
                 "    i = wp.tid()\n    s = float(0.0)\n    for k in range(n):\n        s += x[i]\n    x[i] = s\n",
                 "{\"dim\": [4], \"args\": {\"x\": {\"shape\": [4]}, \"n\": {\"value\": 1000000}}}");
    assert_true(c.visited && !c.made);
    assert_string_equal(c.finding, "too-many-steps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_arrays), cmocka_unit_test(test_long_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
