/* The files of a package are compiled one after the other from what the package loaded: each as if it were compiled alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "weft.h"

#include <string.h>

#define HEAD "import warp as wp\n"
#define WRAP(factor) "@wp.func\ndef wrap(x: float):\n    return x * " factor "\n"
#define KERNEL(name, call)                                                                                             \
    "@wp.kernel\ndef " name "(x: wp.array(dtype=float)):\n    i = wp.tid()\n    x[i] = " call "\n"

typedef struct MemoryFile {
    const char *path, *text;
} MemoryFile;

/* `wrap` has a number for each file that defines it before; `outer` is generic, and settings reach what is loaded later. */
static const MemoryFile files[] = {
    {"/p/pkg/__init__.py", HEAD "from .first import wrap\nwp.config.max_unroll = 2\n" KERNEL("of_init", "wrap(x[i])")},
    {"/p/pkg/first.py", HEAD WRAP("2.0") KERNEL("of_first", "wrap(x[i])")},
    {"/p/pkg/second.py",
     HEAD "from typing import Any\nfrom .first import wrap as inner\n" WRAP(
         "3.0") "@wp.func\ndef outer(x: Any):\n    return x + x\n" KERNEL("of_second", "wrap(inner(outer(x[i])))")},
    {"/p/pkg/third.py", HEAD WRAP("4.0") "@wp.kernel\ndef of_third(x: wp.array(dtype=float)):\n    for k in range(4):\n"
                                         "        x[k] = wrap(x[k])\n"},
    {"/p/pkg/deep/__init__.py", ""},
    {"/p/pkg/deep/fourth.py",
     HEAD "from ..second import outer\nfrom .. import wrap\n" KERNEL("of_fourth", "outer(wrap(x[i]))")},
    {"/p/pkg/wrong.py", HEAD KERNEL("of_wrong", "nothing(x[i])")},
    {"/p/pkg/broken.py", "def f(:\n"},
    {"/p/script.py", HEAD "import pkg\n" KERNEL("of_script", "pkg.wrap(x[i])")},
    {"/p/other/__init__.py", HEAD WRAP("5.0")},
    {"/p/other/fifth.py", HEAD "from . import wrap\n" KERNEL("of_fifth", "wrap(x[i])")},
};

enum { FILE_COUNT = sizeof files / sizeof *files };

static unsigned reads[FILE_COUNT];

static const char *read_memory(void *user, const char *path, size_t *length)
{
    (void)user;
    for (size_t i = 0; i < FILE_COUNT; i++)
        if (strcmp(files[i].path, path) == 0) {
            reads[i]++;
            *length = strlen(files[i].text);
            return files[i].text;
        }
    return NULL;
}

static WeftResult *compile(Weft *weft, WeftFiles *store, size_t index)
{
    WeftOptions options = weft_default_options();
    options.files = store;
    return weft_compile(weft, files[index].path + 1, files[index].text, strlen(files[index].text), &options);
}

static void expect_same(const WeftResult *a, const WeftResult *b)
{
    assert_int_equal(weft_kernel_count(a), weft_kernel_count(b));
    for (size_t i = 0; i < weft_kernel_count(a); i++) {
        assert_string_equal(weft_kernel(a, i)->name, weft_kernel(b, i)->name);
        assert_string_equal(weft_kernel(a, i)->source, weft_kernel(b, i)->source);
        for (WeftPart part = WEFT_PRELUDE; part <= WEFT_BACKWARD; part++)
            assert_string_equal(weft_kernel_text(a, i, WEFT_CUDA, part, NULL),
                                weft_kernel_text(b, i, WEFT_CUDA, part, NULL));
    }
    assert_int_equal(weft_error_count(a), weft_error_count(b));
    for (size_t i = 0; i < weft_error_count(a); i++)
        assert_string_equal(weft_error(a, i)->shown, weft_error(b, i)->shown);
}

static void test_as_if_alone(void **state)
{
    (void)state;
    Weft *weft = weft_new(NULL);
    WeftFiles *store = weft_files_new("/", read_memory, NULL);
    memset(reads, 0, sizeof reads);
    for (size_t i = 0; i < 2 * FILE_COUNT; i++) { /* forwards, then backwards */
        size_t index = i < FILE_COUNT ? i : 2 * FILE_COUNT - 1 - i;
        WeftResult *together = compile(weft, store, index);
        unsigned before[FILE_COUNT];
        memcpy(before, reads, sizeof before);
        Weft *own_weft = weft_new(NULL);
        WeftFiles *own_store = weft_files_new("/", read_memory, NULL);
        WeftResult *alone = compile(own_weft, own_store, index);
        memcpy(reads, before, sizeof before);
        assert_int_equal(weft_kernel_count(alone) + weft_error_count(alone),
                         strcmp(files[index].text, "") && index != 9 ? 1 : 0);
        expect_same(together, alone);
        weft_result_free(together);
        weft_result_free(alone);
        weft_files_free(own_store);
        weft_free(own_weft);
    }
    for (size_t i = 0; i < FILE_COUNT; i++)
        assert_int_equal(reads[i], 1);
    weft_free(weft);
    weft_files_free(store);
}

/* A function's number counts what its own package has loaded, and nothing that a file before it defined. */
static void test_numbers(void **state)
{
    (void)state;
    Weft *weft = weft_new(NULL);
    WeftFiles *store = weft_files_new("/", read_memory, NULL);
    for (size_t i = 1; i <= 3; i++) {
        WeftResult *result = compile(weft, store, i);
        const char *text = weft_kernel_text(result, 0, WEFT_CUDA, WEFT_FORWARD, NULL);
        assert_non_null(strstr(text, i == 1 ? "wrap_0(" : "wrap_1("));
        assert_null(strstr(text, "wrap_2("));
        weft_result_free(result);
    }
    weft_free(weft);
    weft_files_free(store);
}

/* Files and compiler may go in either order; another limit of memory is kept to. */
static void test_lifetimes(void **state)
{
    (void)state;
    Weft *weft = weft_new(NULL);
    for (int round = 0; round < 3; round++) {
        WeftFiles *store = weft_files_new("/", read_memory, NULL);
        weft_result_free(compile(weft, store, 2));
        WeftOptions options = weft_default_options();
        options.files = store;
        options.memory_limit = 3000;
        WeftResult *small = weft_compile(weft, "p/pkg/first.py", files[1].text, strlen(files[1].text), &options);
        assert_int_equal(weft_error_count(small), 1);
        assert_non_null(strstr(weft_error(small, 0)->message, "more memory than is allowed"));
        weft_result_free(small);
        WeftResult *result = compile(weft, store, 3);
        assert_int_equal(weft_kernel_count(result), 1);
        weft_result_free(result);
        weft_files_free(store);
    }
    weft_free(weft);
}

/* Every single allocation fails once; what is compiled next is right. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    Weft *own = weft_new(NULL);
    WeftFiles *own_store = weft_files_new("/", read_memory, NULL);
    WeftResult *expected = compile(own, own_store, 5);
    bool reached = true;
    for (unsigned n = 1; reached; n++) {
        Weft *weft = weft_new(NULL);
        WeftFiles *store = weft_files_new("/", read_memory, NULL);
        arena_fail_after(n);
        weft_result_free(compile(weft, store, 2));
        reached = !arena_fail_pending();
        arena_fail_after(0);
        WeftResult *next = compile(weft, store, 5);
        expect_same(next, expected);
        weft_result_free(next);
        weft_files_free(store);
        weft_free(weft);
    }
    weft_result_free(expected);
    weft_free(own);
    weft_files_free(own_store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_if_alone),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_lifetimes),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
