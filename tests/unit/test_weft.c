/* The public interface: what a user of libweft sees, also when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "weft.h"

#include <stdio.h>
#include <string.h>

static const char source[] = "import warp as wp\n"
                             "\n"
                             "SCALE = 2.0\n"
                             "UNUSED = 3.0\n"
                             "\n"
                             "\n"
                             "@wp.func\n"
                             "def twice(x: float):\n"
                             "    return x * SCALE\n"
                             "\n"
                             "\n"
                             "@wp.kernel\n"
                             "def good(x: wp.array(dtype=float), n: int):\n"
                             "    i = wp.tid()\n"
                             "    for k in range(n):\n"
                             "        x[i] = twice(x[i])\n"
                             "\n"
                             "\n"
                             "@wp.kernel\n"
                             "def bad(x: wp.array(dtype=float)):\n"
                             "    x[0] = missing\n"
                             "\n"
                             "\n"
                             "@wp.kernel(enable_backward=False)\n"
                             "def forward_only(x: wp.array(dtype=float)):\n"
                             "    x[wp.tid()] = 1.0\n";

static WeftResult *compile(Weft *weft, const WeftOptions *options)
{
    WeftResult *result = weft_compile(weft, "test.py", source, sizeof source - 1, options);
    assert_non_null(result);
    return result;
}

static void kernels_and_errors_come_out_side_by_side(void **state)
{
    Weft *weft = *state;
    WeftResult *result = compile(weft, NULL);
    assert_int_equal(weft_kernel_count(result), 2);
    assert_string_equal(weft_kernel(result, 0)->key, "good");
    assert_int_equal(strncmp(weft_kernel(result, 0)->name, "good_", 5), 0);
    assert_int_equal(strlen(weft_kernel(result, 0)->name), 13);
    assert_int_equal(weft_kernel(result, 0)->arg_count, 2);
    assert_string_equal(weft_kernel(result, 0)->arg_names[1], "n");
    assert_string_equal(weft_kernel(result, 0)->arg_types[0], "array(ndim=1, dtype=float32)");
    assert_true(weft_kernel(result, 0)->has_backward);
    assert_false(weft_kernel(result, 1)->has_backward);
    assert_int_equal(weft_error_count(result), 1);
    const WeftError *error = weft_error(result, 0);
    assert_string_equal(error->kernel, "bad");
    assert_int_equal(error->line, 21);
    assert_int_equal(error->column, 12);
    assert_false(error->unsupported);
    assert_string_equal(
        error->shown,
        "test.py:21:12: error: 'missing' is not defined\n        x[0] = missing\n               ^~~~~~~\n");
    weft_result_free(result);
}

static void parts_are_there_as_asked(void **state)
{
    Weft *weft = *state;
    WeftOptions options = weft_default_options();
    options.cpu = false;
    options.backward = false;
    options.kernel = "good";
    WeftResult *result = compile(weft, &options);
    size_t length;
    assert_int_equal(weft_kernel_count(result), 1);
    assert_int_equal(weft_error_count(result), 0);
    assert_non_null(strstr(weft_kernel_text(result, 0, WEFT_CUDA, WEFT_PRELUDE, NULL), "twice_0("));
    assert_non_null(strstr(weft_kernel_text(result, 0, WEFT_CUDA, WEFT_FORWARD, &length), "_cuda_kernel_forward("));
    assert_int_equal(length, strlen(weft_kernel_text(result, 0, WEFT_CUDA, WEFT_FORWARD, NULL)));
    assert_string_equal(weft_kernel_text(result, 0, WEFT_CUDA, WEFT_BACKWARD, NULL), "");
    assert_string_equal(weft_kernel_text(result, 0, WEFT_CPU, WEFT_FORWARD, NULL), "");
    weft_result_free(result);
}

typedef struct Given { /* kernels that came one by one */
    const WeftResult *all;
    size_t count;
} Given;

static void compare_one(const WeftResult *one, void *user)
{
    Given *given = user;
    assert_int_equal(weft_kernel_count(one), 1);
    assert_string_equal(weft_kernel(one, 0)->name, weft_kernel(given->all, given->count)->name);
    assert_string_equal(weft_kernel(one, 0)->source, weft_kernel(given->all, given->count)->source);
    for (int part = 0; part < 3; part++)
        assert_string_equal(weft_kernel_text(one, 0, WEFT_CPU, (WeftPart)part, NULL),
                            weft_kernel_text(given->all, given->count, WEFT_CPU, (WeftPart)part, NULL));
    given->count++;
}

static void kernels_come_one_by_one_on_request(void **state)
{
    Weft *weft = *state;
    WeftResult *all = compile(weft, NULL);
    Given given = {.all = all};
    WeftOptions options = weft_default_options();
    options.each = compare_one;
    options.user = &given;
    WeftResult *rest = compile(weft, &options);
    assert_int_equal(given.count, weft_kernel_count(all));
    assert_int_equal(weft_kernel_count(rest), 0);
    assert_int_equal(weft_error_count(rest), weft_error_count(all));
    assert_string_equal(weft_error(rest, 0)->shown, weft_error(all, 0)->shown);
    weft_result_free(rest);
    weft_result_free(all);
}

static void the_excerpt_has_what_the_kernel_uses(void **state)
{
    Weft *weft = *state;
    WeftResult *result = compile(weft, NULL);
    const char *text = weft_kernel(result, 0)->source;
    assert_non_null(strstr(text, "SCALE = 2.0\n"));
    assert_non_null(strstr(text, "@wp.func\ndef twice(x: float):\n"));
    assert_non_null(strstr(text, "@wp.kernel\ndef good("));
    assert_null(strstr(text, "UNUSED"));
    assert_null(strstr(text, "def bad"));
    weft_result_free(result);
}

static void a_kernel_is_found_by_its_full_name(void **state)
{
    Weft *weft = *state;
    WeftOptions options = weft_default_options();
    WeftResult *all = compile(weft, NULL);
    options.kernel = weft_kernel(all, 0)->name;
    WeftResult *one = compile(weft, &options);
    assert_int_equal(weft_kernel_count(one), 1);
    assert_string_equal(weft_kernel(one, 0)->name, options.kernel);
    weft_result_free(one);
    options.kernel = "good_00000000";
    one = compile(weft, &options);
    assert_int_equal(weft_kernel_count(one), 0);
    weft_result_free(one);
    weft_result_free(all);
}

static void dumps_are_made_on_request(void **state)
{
    Weft *weft = *state;
    WeftOptions options = weft_default_options();
    options.dump_ir = options.dump_ast = true;
    WeftResult *result = compile(weft, &options);
    assert_non_null(strstr(weft_kernel_dump(result, 0), "for_0 over %"));
    assert_non_null(strstr(weft_ast_dump(result), "FunctionDef"));
    weft_result_free(result);
    result = compile(weft, NULL);
    assert_string_equal(weft_kernel_dump(result, 0), "");
    weft_result_free(result);
}

static void the_memory_limit_is_an_error_not_a_crash(void **state)
{
    Weft *weft = *state;
    WeftOptions options = weft_default_options();
    options.memory_limit = 8000;
    WeftResult *result = compile(weft, &options);
    assert_int_equal(weft_kernel_count(result), 0);
    assert_int_equal(weft_error_count(result), 1);
    weft_result_free(result);
    result = compile(weft, NULL); /* and the next one works */
    assert_int_equal(weft_kernel_count(result), 2);
    weft_result_free(result);
}

/* Whichever allocation fails, the answer is NULL and nothing is lost. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    unsigned failures = 0;
    bool done = false;
    for (unsigned nth = 1; !done; nth++) {
        assert_true(nth < 1000);
        arena_fail_after(nth);
        Weft *weft = weft_new(NULL);
        WeftResult *result = weft ? weft_compile(weft, "test.py", source, sizeof source - 1, NULL) : NULL;
        arena_fail_after(0);
        if (!result)
            failures++;
        else {
            assert_int_equal(weft_kernel_count(result), 2);
            done = true;
        }
        weft_result_free(result);
        if (weft) { /* the context survives */
            result = weft_compile(weft, "test.py", source, sizeof source - 1, NULL);
            assert_non_null(result);
            weft_result_free(result);
        }
        weft_free(weft);
    }
    assert_true(failures > 3);
}

/* Calls of builtins are remembered from one source to the next: with structs and vectors that are other types in each of them,
 * every text is what a fresh context writes. */
static void what_was_compiled_before_does_not_matter(void **state)
{
    Weft *weft = *state;
    static const char *const texts[] = {
        "import warp as wp\nV = wp.types.vector(length=9, dtype=float)\n@wp.kernel\ndef k(x: wp.array(dtype=V)):\n"
        "    i = wp.tid()\n    x[i] = x[i] + x[i] * 2.0\n",
        "import warp as wp\n@wp.struct\nclass S:\n    a: wp.vec3\n@wp.kernel\ndef k(x: wp.array(dtype=S)):\n"
        "    s = x[wp.tid()]\n    s.a = s.a + s.a * 2.0\n    x[wp.tid()] = s\n",
        "import warp as wp\n@wp.struct\nclass S:\n    a: wp.vec2d\n    b: int\n@wp.kernel\ndef k(x: "
        "wp.array(dtype=S)):\n"
        "    s = x[wp.tid()]\n    s.a = s.a + s.a * wp.float64(2.0)\n    x[wp.tid()] = s\n",
        "import warp as wp\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[wp.tid()] = x[0] * wp.vec3(1.0, 2.0, "
        "3.0)\n",
        "import warp as wp\nV = wp.types.vector(length=10, dtype=float)\n@wp.kernel\ndef k(x: wp.array(dtype=V)):\n"
        "    i = wp.tid()\n    x[i] = x[i] + x[i] * 2.0\n",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (size_t i = 0; i < 3 * TEXTS; i++) {
        const char *text = texts[i * 2 % TEXTS];
        Weft *fresh = weft_new(NULL);
        WeftResult *one = weft_compile(weft, "test.py", text, strlen(text), NULL);
        WeftResult *two = weft_compile(fresh, "test.py", text, strlen(text), NULL);
        assert_int_equal(weft_error_count(one), weft_error_count(two));
        assert_int_equal(weft_kernel_count(one), weft_kernel_count(two));
        assert_int_equal(weft_kernel_count(one) + weft_error_count(one), 1);
        for (int part = 0; weft_kernel_count(one) && part < 3; part++)
            for (int device = 0; device < 2; device++)
                assert_string_equal(weft_kernel_text(one, 0, (WeftDevice)device, (WeftPart)part, NULL),
                                    weft_kernel_text(two, 0, (WeftDevice)device, (WeftPart)part, NULL));
        if (weft_error_count(one))
            assert_string_equal(weft_error(one, 0)->shown, weft_error(two, 0)->shown);
        weft_result_free(one);
        weft_result_free(two);
        weft_free(fresh);
    }
}

static void hostile_texts_are_refused(void **state)
{
    Weft *weft = *state;
    static const char *const texts[] = {"",
                                        "\n",
                                        "@",
                                        "@wp.kernel",
                                        "import warp as wp\n@wp.kernel\ndef f(",
                                        "\xff\xfe",
                                        "def f():\n\t  x\n    y\n",
                                        "(((((",
                                        "'''",
                                        "\\"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        WeftResult *result = weft_compile(weft, "test.py", texts[i], strlen(texts[i]), NULL);
        assert_non_null(result);
        assert_int_equal(weft_kernel_count(result), 0);
        assert_true(i < 2 || weft_error_count(result) > 0);
        weft_result_free(result);
    }
    WeftResult *result = weft_compile(weft, "test.py", "a\0b", 3, NULL);
    assert_true(weft_error_count(result) > 0);
    weft_result_free(result);
}

/* Messages are as long as what they name, and of a function that is refused the reason is kept. */
static void refusals_are_whole(void **state)
{
    enum { LENGTH = 3000 };
    static const char head[] = "import warp as wp\n@wp.kernel\ndef k(a: wp.array(dtype=float)):\n    a[0] = ";
    char text[sizeof head + LENGTH + 1] = {0};
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, 'x', LENGTH);
    WeftResult *result = weft_compile(*state, "test.py", text, strlen(text), NULL);
    assert_int_equal(weft_error_count(result), 1);
    assert_non_null(strstr(weft_error(result, 0)->message, text + sizeof head - 1));
    weft_result_free(result);
    static const char grad[] = "import warp as wp\n@wp.func\ndef f(x: float):\n    return x\n"
                               "@wp.func_grad(f)\ndef g(x: wp.vec3, r: float):\n    pass\n"
                               "@wp.kernel\ndef k(a: wp.array(dtype=float)):\n    a[0] = f(a[1])\n";
    result = weft_compile(*state, "test.py", grad, sizeof grad - 1, NULL);
    assert_int_equal(weft_error_count(result), 1);
    assert_true(weft_error(result, 0)->unsupported);
    assert_string_equal(weft_error(result, 0)->message,
                        "function 'f' has a custom gradient or replay that could not be followed");
    assert_int_equal(weft_error(result, 0)->line, 10);
    weft_result_free(result);
}

/* Text inside a function of Warp's library stands in another file than the kernel. */
static void definitions_know_their_file(void **state)
{
    static const char text[] = "import warp as wp\n@wp.kernel\ndef k(a: wp.array(dtype=float)):\n"
                               "    a[0] = wp.norm_huber(wp.vec3(1.0, 2.0, 3.0)) + wp.norm_l1(wp.quat_identity())\n"
                               "@wp.kernel\ndef wrong(a: wp.array(dtype=float)):\n    a[0] = wp.norm_l1(1.0)\n";
    WeftResult *result = weft_compile(*state, "test.py", text, sizeof text - 1, NULL);
    assert_int_equal(weft_kernel_count(result), 1);
    assert_int_equal(weft_error_count(result), 1);
    assert_int_equal(weft_error(result, 0)->line, 7);
    assert_memory_equal(weft_error(result, 0)->shown, "test.py:7:12: error: wp.norm_l1() does not work with", 52);
    weft_result_free(result);
}

static void the_version_is_chosen(void **state)
{
    (void)state;
    assert_null(weft_new("1.15"));
    assert_null(weft_find_warp("1.20"));
    assert_string_equal(weft_find_warp("1.18"), "1.18.0");
    assert_string_equal(weft_warp_at(0), "1.16.0");
    Weft *weft = weft_new("1.17");
    assert_string_equal(weft_warp_version(weft), "1.17.0");
    weft_free(weft);
}

/* A local that is called is, since 1.17, never the function of the module that has its name: that one is not hashed. */
static void names_follow_the_version(void **state)
{
    (void)state;
    static const char *const functions[] = {"x", "3.0 * x"};
    static const char *const versions[] = {"1.16", "1.17"};
    char names[2][2][40];
    for (int version = 0; version < 2; version++)
        for (int i = 0; i < 2; i++) {
            char text[400];
            snprintf(text, sizeof text,
                     "import warp as wp\n@wp.func\ndef f(x: float):\n    return %s\n@wp.func\ndef g(x: float):\n    "
                     "return x\n"
                     "@wp.kernel\ndef k(a: wp.array(dtype=float)):\n    f = g\n    a[0] = f(a[1])\n",
                     functions[i]);
            Weft *weft = weft_new(versions[version]);
            WeftResult *result = weft_compile(weft, "test.py", text, strlen(text), NULL);
            assert_int_equal(weft_kernel_count(result), 1);
            snprintf(names[version][i], sizeof names[version][i], "%s", weft_kernel(result, 0)->name);
            weft_result_free(result);
            weft_free(weft);
        }
    assert_string_not_equal(names[0][0], names[0][1]);
    assert_string_equal(names[1][0], names[1][1]);
}

static int set_up(void **state)
{
    *state = weft_new(NULL);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    weft_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_errors_come_out_side_by_side),
        cmocka_unit_test(parts_are_there_as_asked),
        cmocka_unit_test(kernels_come_one_by_one_on_request),
        cmocka_unit_test(the_excerpt_has_what_the_kernel_uses),
        cmocka_unit_test(a_kernel_is_found_by_its_full_name),
        cmocka_unit_test(dumps_are_made_on_request),
        cmocka_unit_test(the_memory_limit_is_an_error_not_a_crash),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_was_compiled_before_does_not_matter),
        cmocka_unit_test(hostile_texts_are_refused),
        cmocka_unit_test(refusals_are_whole),
        cmocka_unit_test(definitions_know_their_file),
        cmocka_unit_test(the_version_is_chosen),
        cmocka_unit_test(names_follow_the_version),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
