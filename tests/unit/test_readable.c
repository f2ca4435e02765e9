/* The readable CUDA of records is run before it is kept: a right text passes, a text that was changed does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/io.h"
#include "corpus/readable.h"
#include "corpus/readable_compile.h"

#include <stdio.h>
#include <string.h>

static const char source[] =
    "import warp as wp\n\n\n"
    "@wp.struct\nclass Body:\n    mass: float\n    place: wp.vec3\n\n\n"
    "@wp.struct\nclass Room:\n    heat: wp.array(dtype=float)\n    size: int\n\n\n"
    "@wp.func\ndef pull(p: wp.vec3, k: float):\n    return wp.normalize(p) * (k * wp.length(p))\n\n\n"
    "@wp.kernel\ndef sway(bodies: wp.array(dtype=Body), room: Room, k: float, turns: int, "
    "best: wp.array(dtype=float), out: wp.array2d(dtype=float)):\n"
    "    i = wp.tid()\n"
    "    body = bodies[i]\n"
    "    force = pull(body.place, k)\n"
    "    x = force[0] + room.heat[i]\n"
    "    for t in range(turns):\n"
    "        x = x + 0.1 * wp.sin(x) * body.mass\n"
    "    if x > 0.0:\n"
    "        out[i, 0] = x * x\n"
    "    else:\n"
    "        out[i, 0] = x\n"
    "    out[i, 1] = out[i, 1] * 2.0\n"
    "    wp.atomic_max(best, 0, x)\n";
static const char launch_json[] =
    "{\"launch_dim\": [5], \"arguments\": ["
    "{\"name\": \"bodies\", \"shape\": [5]}, {\"name\": \"bodies\", \"field\": \"mass\", \"low\": 0.5, \"high\": 2.0}, "
    "{\"name\": \"room\", \"shape\": null}, {\"name\": \"room\", \"field\": \"heat\", \"shape\": [5], \"low\": -1.0, "
    "\"high\": 1.0}, "
    "{\"name\": \"k\", \"low\": 0.5, \"high\": 1.5}, {\"name\": \"turns\", \"low\": 2, \"high\": 4}, "
    "{\"name\": \"best\", \"shape\": [1], \"low\": -9.0, \"high\": -8.0, \"role\": \"inout\"}, "
    "{\"name\": \"out\", \"shape\": [5, 2], \"low\": 0.5, \"high\": 1.0, \"role\": \"inout\"}]}";

typedef struct Change {
    const char *from, *to, *verdict, *reason; /* a part of it */
} Change;

static char *changed(Arena *arena, const char *text, const Change *change)
{
    const char *at = strstr(text, change->from);
    if (!at)
        fail_msg("not found: %s\nin: %s", change->from, text);
    return arena_format(arena, "%.*s%s%s", (int)(at - text), text, change->to, at + strlen(change->from));
}

/* The same text, three times: as it is, with another value, and written to where nothing may be written, which only a compiler knows. */
static void compile_texts(Arena *arena, const char *text, const char *launches)
{
    const Change value = {"* body.mass", "+ body.mass", NULL, NULL};
    const Change constant = {"    Body body = bodies[i];", "    Body body = bodies[i]; bodies[i].mass = body.mass;",
                             NULL, NULL};
    ReadableSample samples[] = {
        {.id = "right", .text = text, .launches = launches},
        {.id = "wrong", .text = changed(arena, text, &value), .launches = launches},
        {.id = "constant", .text = changed(arena, text, &constant), .launches = launches},
    };
    Toolchain tools = {0};
    GpuError error;
    ReadableReport report;
    if (!toolchain_find_compiler(&tools, &error))
        return;
    ReadableOptions options = {.compiler = tools.compiler, .jobs = 1};
    assert_true(readable_compile(samples, 3, &options, &report, &error));
    assert_string_equal(samples[0].failure, "");
    assert_true(samples[0].compiled && samples[0].forward && samples[0].has_backward && samples[0].backward);
    assert_true(samples[1].compiled && !samples[1].forward);
    assert_non_null(strstr(samples[1].failure, "its readable CUDA, run: "));
    assert_true(!samples[2].compiled && !samples[2].forward);
    assert_non_null(strstr(samples[2].failure, "does not compile: "));
    assert_int_equal(report.texts, 3);
    assert_int_equal(report.compiled, 2);
    assert_int_equal(report.forward, 1);
    assert_int_equal(report.failures, 2);
}

static bool visit(const Compiled *compiled, void *user)
{
    static const Change changes[] = {
        {"__global__", "__global__", "pass", ""},
        {"* body.mass", "+ body.mass", "mismatch", ": element "},                /* values */
        {"adj_x += ", "adj_x -= ", "mismatch", "its gradient gives a slope of"}, /* gradients */
        {"atomicAdd(&adj_room.heat[i], ", "atomicAdd(&adj_room.heat[0], ", "mismatch", "slope"},
        {"adj_out[i * out_dim1 + 0] = 0.0f", "adj_out[i * out_dim1 + 0] = 1.0f", "mismatch", "slope"},
        {"room.heat[i]", "room.heat[i + 1000]", "mismatch", "outside of all arrays"},
        {"sinf(x)", "sinpif(x)", "not_verifiable", "'sinpif' is not known"},
        {"__global__", "#pragma once\n__global__", "not_verifiable", "#"},
    };
    Arena *arena = compiled->unit->arena;
    CheckLaunch launch = {0};
    StandaloneLibrary *library = standalone_library_new(NULL);
    Text launches = text_in(arena);
    IoOptions options = {.seed = 3, .launches = 3, .backward = true, .choose = true};
    assert_null(check_launch_read(arena, launch_json, strlen(launch_json), &launch));
    assert_true(check_write_launches(compiled->unit, compiled->module, &launch, &options, &launches));
    Readable right = readable_translate(compiled, library, &launch, true);
    assert_non_null(right.text);
    assert_true(right.has_backward);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        Readable readable = right;
        readable.text = changed(arena, right.text, &changes[i]);
        readable_check(compiled, &launches, false, &readable);
        bool pass = strcmp(changes[i].verdict, "pass") == 0;
        if (strcmp(readable_verdict_name(readable.verdict), changes[i].verdict) != 0 || !readable.text == pass ||
            (!pass && !strstr(readable.reason, changes[i].reason)))
            fail_msg("%s -> %s: %s, %s\n%s", changes[i].from, changes[i].to, readable_verdict_name(readable.verdict),
                     readable.reason, right.text);
    }
    compile_texts(arena, right.text, text_cstr(&launches));
    Text none = text_in(arena);
    text_lit(&none, "[]");
    readable_check(compiled, &none, false, &right); /* nothing was tried: nothing is promised */
    assert_null(right.text);
    standalone_library_free(library);
    *(bool *)user = true;
    return false;
}

static void test_wrong_texts_are_taken_away(void **state)
{
    (void)state;
    bool visited = false;
    Weft *weft = weft_new(NULL);
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = true;
    pipeline_compile(weft, &(Source){"kernel.py", source, strlen(source)}, &options,
                     &(PipelineVisitor){.compiled = visit, .user = &visited});
    assert_true(visited);
    weft_free(weft);
}

/* Arrays of a thread's own are vectors and matrices in the text, with gradients; as a whole they are not used. */
static bool visit_local_arrays(const Compiled *compiled, void *user)
{
    static const char json[] =
        "{\"launch_dim\": [4], \"arguments\": [{\"name\": \"a\", \"shape\": [4], \"low\": 0.5, \"high\": "
        "1.5}, {\"name\": \"out\", \"shape\": [4], \"role\": \"output\"}]}";
    const char **found = user;
    Arena *arena = compiled->unit->arena;
    CheckLaunch launch = {0};
    StandaloneLibrary *library = standalone_library_new(NULL);
    Text launches = text_in(arena);
    IoOptions options = {.seed = 3, .launches = 3, .backward = true, .choose = true};
    assert_null(check_launch_read(arena, json, strlen(json), &launch));
    assert_true(check_write_launches(compiled->unit, compiled->module, &launch, &options, &launches));
    Readable readable = readable_translate(compiled, library, &launch, true);
    readable_check(compiled, &launches, false, &readable);
    if (!found[0] ? readable.verdict != READABLE_PASS || !readable.has_backward || !strstr(readable.text, "vec6f")
                  : readable.verdict != READABLE_REFUSED || !strstr(readable.reason, found[0]))
        fail_msg("%s: %s\n%s", readable_verdict_name(readable.verdict), readable.reason, readable.text);
    found[1] = "visited";
    standalone_library_free(library);
    return false;
}

static void test_local_arrays(void **state)
{
    (void)state;
    static const struct {
        const char *body, *refused; /* NULL: it passes */
    } cases[] = {
        {"    m = wp.zeros(shape=6, dtype=float)\n    g = wp.zeros(shape=(2, 3), dtype=float)\n"
         "    for k in range(6):\n        m[k] = a[i] * float(k)\n        g[k % 2, k // 2] += m[k] * m[k]\n"
         "    for k in range(1, 6):\n        m[k] = m[k] + m[k - 1] * a[i]\n    out[i] = m[5] + m[-2] + g[1, 2]\n",
         NULL},
        {"    m = wp.zeros(shape=3, dtype=float)\n    n = m\n    n[0] = a[i]\n    out[i] = m[0] * 2.0\n",
         "a local array is used as a whole"},
        {"    g = wp.zeros(shape=(2, 3), dtype=float)\n    r = g[1]\n    r[0] = a[i]\n    out[i] = g[1, 0] * 2.0\n",
         "a row of a local array is used"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "import warp as wp\n\n\n@wp.kernel\ndef k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = "
            "wp.tid()\n%s",
            cases[i].body);
        const char *found[] = {cases[i].refused, NULL};
        Weft *weft = weft_new(NULL);
        PipelineOptions options = pipeline_options();
        options.weft.cuda = options.weft.cpu = options.weft.source = false;
        options.keep_types = true;
        pipeline_compile(weft, &(Source){"kernel.py", text, strlen(text)}, &options,
                         &(PipelineVisitor){.compiled = visit_local_arrays, .user = found});
        assert_non_null(found[1]);
        weft_free(weft);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_texts_are_taken_away),
        cmocka_unit_test(test_local_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
