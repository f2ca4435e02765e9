/* The translation of a kernel alone, and what making a whole program may cost: memory for large arrays, time for long kernels. */
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
    bool is_guessed, visited, made;
    char finding[40], text[60000];
} Case;

static bool make_program(const Compiled *compiled, void *user)
{
    Case *c = user;
    CheckLaunch launch = {0};
    StandaloneSample sample = {
        .name = "kernel", .source = c->source, .source_len = strlen(c->source), .is_guessed = c->is_guessed};
    Text texts[3];
    for (int i = 0; i < 3; i++)
        text_init(&texts[i]);
    StandaloneProgram program = {.cu = &texts[0], .metadata = &texts[1], .makefile = &texts[2]};
    assert_null(check_launch_read(compiled->unit->arena, c->launch, strlen(c->launch), &launch));
    c->made = standalone_program(compiled->unit, compiled->module, c->library, &launch, &sample, &program);
    strncpy(c->finding, program.finding ? program.finding : "", sizeof c->finding - 1);
    strncpy(c->text, text_cstr(&texts[0]), sizeof c->text - 1);
    c->visited = true;
    for (int i = 0; i < 3; i++)
        text_free(&texts[i]);
    return false;
}

/* Calls `visit` with the first kernel of a source that has its types. */
static void compile(const char *source, bool (*visit)(const Compiled *, void *), void *user)
{
    Weft *weft = weft_new(NULL);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = true;
    assert_non_null(weft);
    pipeline_compile(weft, &(Source){"kernel.py", source, strlen(source)}, &options,
                     &(PipelineVisitor){.compiled = visit, .user = user});
    weft_free(weft);
}

static Case run_case(Case c)
{
    c.library = standalone_library_new(NULL);
    assert_non_null(c.library);
    compile(c.source, make_program, &c);
    standalone_library_free(c.library);
    return c;
}

static Case run(const char *source, const char *launch)
{
    return run_case((Case){.source = source, .launch = launch});
}

/* Some hundred runs from the same arrays do not each have a copy of them: within the memory that a kernel may take. */
static void test_large_arrays(void **state)
{
    (void)state;
    Case c = run("import warp as wp\n@wp.kernel\n"
                 "def pick(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):\n"
                 "    i = wp.tid()\n    y[i] = wp.length(x[i * 1000])\n",
                 "{\"launch_dim\": [8], \"arguments\": [{\"name\": \"x\", \"shape\": [300000]}, "
                 "{\"name\": \"y\", \"shape\": [8]}]}");
    assert_true(c.visited && c.made);
}

static void test_long_kernel(void **state)
{
    (void)state;
    Case c = run("import warp as wp\n@wp.kernel\n"
                 "def wait(x: wp.array(dtype=float), n: int):\n"
                 "    i = wp.tid()\n    s = float(0.0)\n    for k in range(n):\n        s += x[i]\n    x[i] = s\n",
                 "{\"launch_dim\": [4], \"arguments\": [{\"name\": \"x\", \"shape\": [4]}, "
                 "{\"name\": \"n\", \"value\": 1000000}]}");
    assert_true(c.visited && !c.made);
    assert_string_equal(c.finding, "too-many-steps");
}

/* ---- translations ---- */

typedef struct Translation {
    StandaloneLibrary *library;
    bool is_made, has_backward;
    char device[4000], reason[200];
    uint32_t offset;
} Translation;

static bool keep_translation(const Compiled *compiled, void *user)
{
    Translation *kept = user;
    StandaloneText text;
    kept->is_made = standalone_translate(compiled->unit, compiled->module, kept->library, NULL, true, &text);
    kept->has_backward = text.has_backward;
    kept->offset = text.offset;
    strncpy(kept->device, text.device ? text.device : "", sizeof kept->device - 1);
    strncpy(kept->reason, text.reason ? text.reason : "", sizeof kept->reason - 1);
    return false;
}

static Translation translate(const char *source)
{
    Translation kept = {.library = standalone_library_new(NULL)};
    assert_non_null(kept.library);
    compile(source, keep_translation, &kept);
    standalone_library_free(kept.library);
    return kept;
}

/* Types, helpers, functions and both kernels, and nothing of a host. */
static void test_translation(void **state)
{
    (void)state;
    Translation kept = translate("import warp as wp\n@wp.struct\nclass Ball:\n    at: wp.vec3\n    mass: float\n\n"
                                 "@wp.func\ndef weight(b: Ball):\n    return b.mass * wp.length(b.at)\n\n"
                                 "@wp.kernel\ndef weigh(balls: wp.array(dtype=Ball), out: wp.array(dtype=float)):\n"
                                 "    i = wp.tid()\n    out[i] = weight(balls[i])\n");
    static const char *const order[] = {
        "#include \"weft_math.cuh\"\n\n",
        "struct Ball {\n    float3 at;\n    float mass;\n};\n",
        "__device__ inline float weight(Ball b)\n{\n    return b.mass * length(b.at);\n}",
        "__device__ inline void adj_weight(",
        "__global__ void weigh(const Ball *balls, float *out, int threads)\n",
        "    out[i] = weight(balls[i]);\n",
        "__global__ void weigh_backward("};
    assert_true(kept.is_made && kept.has_backward);
    const char *at = kept.device;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    assert_null(strstr(kept.device, "main("));
    assert_null(strstr(kept.device, "cuda"));
    assert_null(strstr(kept.device, "length(float3"));
}

static void test_translation_without_backward(void **state)
{
    (void)state;
    Translation kept = translate("import warp as wp\n@wp.kernel\n"
                                 "def twice(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.float16)):\n"
                                 "    i = wp.tid()\n    y[i] = x[i] + x[i]\n");
    assert_true(kept.is_made && !kept.has_backward);
    assert_string_equal(kept.reason, "gradients of float16 are not accumulated");
    assert_non_null(strstr(kept.device, "__global__ void twice("));
    assert_null(strstr(kept.device, "twice_backward"));
}

/* Floats that only decide which integers are written have no gradient, and a function may do the writing. */
static void test_integers_have_no_backward(void **state)
{
    (void)state;
    Translation kept = translate("import warp as wp\n@wp.kernel\n"
                                 "def k(x: wp.array(dtype=float), out: wp.array(dtype=int)):\n"
                                 "    i = wp.tid()\n    y = x[i] * 2.0\n    if y > 1.0:\n        out[i] = 1\n");
    assert_true(kept.is_made && !kept.has_backward);
    assert_string_equal(kept.reason, "nothing is differentiable");
    kept = translate("import warp as wp\n@wp.func\ndef put(a: wp.array(dtype=float), i: int, y: float):\n"
                     "    wp.atomic_add(a, i, y)\n@wp.kernel\n"
                     "def k(x: wp.array(dtype=float), a: wp.array(dtype=float), out: wp.array(dtype=int)):\n"
                     "    i = wp.tid()\n    put(a, 0, x[i] * 2.0)\n    out[i] = 1\n");
    assert_true(kept.is_made && kept.has_backward);
}

static void test_refused_translation(void **state)
{
    (void)state;
    static const char source[] = "import warp as wp\n@wp.kernel\ndef rows(x: wp.array2d(dtype=float)):\n"
                                 "    i = wp.tid()\n    part = x[i, 0:2]\n    x[i, 0] = part[1]\n";
    Translation kept = translate(source);
    assert_false(kept.is_made);
    assert_string_equal(kept.reason, "slices are not translated");
    assert_int_equal(kept.offset, strstr(source, "0:2") - source);
}

/* Some 300,000 steps: too many for a launch that was guessed; and 150,000 in many runs, as the order of threads is tried, too. */
static void test_guessed_launch(void **state)
{
    (void)state;
    Case c = {.source = "import warp as wp\n@wp.kernel\n"
                        "def count(x: wp.array(dtype=int), y: wp.array(dtype=int)):\n"
                        "    i = wp.tid()\n    for k in range(20000):\n        y[i] += x[i]\n"};
    c.launch =
        "{\"launch_dim\": [8], \"arguments\": [{\"name\": \"x\", \"shape\": [8]}, {\"name\": \"y\", \"shape\": [8]}]}";
    assert_true(run_case(c).made);
    c.is_guessed = true;
    Case found = run_case(c);
    assert_true(found.visited && !found.made);
    assert_string_equal(found.finding, "too-many-steps");
    c.launch =
        "{\"launch_dim\": [1], \"arguments\": [{\"name\": \"x\", \"shape\": [8]}, {\"name\": \"y\", \"shape\": [8]}]}";
    assert_true(run_case(c).made);
    c.source = "import warp as wp\n@wp.kernel\n"
               "def last(x: wp.array(dtype=int), y: wp.array(dtype=int)):\n"
               "    i = wp.tid()\n    for k in range(9000):\n        y[i] = wp.atomic_exch(x, 0, i + k)\n";
    c.launch =
        "{\"launch_dim\": [8], \"arguments\": [{\"name\": \"x\", \"shape\": [8]}, {\"name\": \"y\", \"shape\": [8]}]}";
    found = run_case(c);
    assert_false(found.made);
    assert_string_equal(found.finding, "too-many-steps");
}

/* Warp makes a double of the constant's own digits, not of the float that it otherwise is. */
static void test_constant_as_double(void **state)
{
    (void)state;
    Translation kept = translate("import warp as wp\nMU = wp.constant(398600.4418)\n@wp.kernel\n"
                                 "def scale(x: wp.array(dtype=wp.float64)):\n"
                                 "    i = wp.tid()\n    x[i] = x[i] * wp.float64(MU)\n");
    assert_true(kept.is_made);
    assert_non_null(strstr(kept.device, "398600.4418"));
}

/* A loop over an array in a struct saves as many turns as the array has elements. */
static void test_turns_of_arrays_in_structs(void **state)
{
    (void)state;
    Case c =
        run("import warp as wp\n@wp.struct\nclass Data:\n    x: wp.array(dtype=float)\n@wp.kernel\n"
            "def chain(data: Data, count: wp.array(dtype=int), y: wp.array(dtype=float)):\n"
            "    i = wp.tid()\n    s = float(1.0)\n    for k in range(count[i]):\n"
            "        s = wp.sin(s * data.x[k])\n    y[i] = s\n",
            "{\"launch_dim\": [2], \"arguments\": [{\"name\": \"data\", \"field\": \"x\", \"shape\": [200]}, "
            "{\"name\": \"count\", \"shape\": [2], \"low\": 100, \"high\": 150}, {\"name\": \"y\", \"shape\": [2]}]}");
    assert_true(c.visited && c.made);
    assert_non_null(strstr(c.text, "[200]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_translation),
        cmocka_unit_test(test_translation_without_backward),
        cmocka_unit_test(test_integers_have_no_backward),
        cmocka_unit_test(test_refused_translation),
        cmocka_unit_test(test_large_arrays),
        cmocka_unit_test(test_long_kernel),
        cmocka_unit_test(test_guessed_launch),
        cmocka_unit_test(test_constant_as_double),
        cmocka_unit_test(test_turns_of_arrays_in_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
