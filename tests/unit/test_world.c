/* A kernel told by a running program gets the text that it gets in a file; what cannot be known is refused where it is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline.h"

#include <string.h>

#define FUNC "@wp.func\ndef twice(x: float):\n    return x * SCALE\n"
#define KERNEL                                                                                                         \
    "@wp.kernel\n"                                                                                                     \
    "def apply(x: wp.array(dtype=float)):\n"                                                                           \
    "    i = wp.tid()\n"                                                                                               \
    "    x[i] = twice(x[i]) + wp.static(len(TABLE) * 2.0) + offset[1]\n"

static const char file[] = "import warp as wp\n"
                           "SCALE = 2.0\n"
                           "TABLE = [1, 2, 3]\n"
                           "offset = wp.vec3(1.0, 2.0, 3.0)\n" FUNC KERNEL;

enum { SCALE, WARP, OFFSET, FLOAT, ARRAY, STATIC, TWICE, APPLY, COUNT };

typedef struct Told {
    WorldObject objects[COUNT];
    WorldName of_twice[2], of_apply[4], x_float[1], x_array[1], statics[1];
    uint32_t overloads[1];
    WorldDefinition twice, apply;
    World world;
} Told;

static WorldObject expression(const char *text)
{
    return (WorldObject){.kind = WORLD_EXPRESSION, .text = text, .length = strlen(text)};
}

static void tell(Told *told)
{
    memset(told, 0, sizeof *told);
    told->objects[SCALE] = expression("2.0");
    told->objects[WARP] = expression("wp");
    told->objects[OFFSET] = expression("wp.types.vector(length=3, dtype=wp.float32)([1.0, 2.0, 3.0])");
    told->objects[FLOAT] = expression("float");
    told->objects[ARRAY] = expression("wp.array(dtype=float, ndim=1)");
    told->objects[STATIC] = expression("6.0");
    told->of_twice[0] = (WorldName){"SCALE", SCALE};
    told->of_twice[1] = (WorldName){"wp", WARP};
    told->of_apply[0] = (WorldName){"wp", WARP};
    told->of_apply[1] = (WorldName){"twice", TWICE};
    told->of_apply[2] = (WorldName){"offset", OFFSET};
    told->x_float[0] = (WorldName){"x", FLOAT};
    told->x_array[0] = (WorldName){"x", ARRAY};
    told->statics[0] = (WorldName){"len(TABLE) * 2.0", STATIC};
    told->overloads[0] = TWICE;
    const WorldDefinition common = {.path = "program.py",
                                    .line = 10,
                                    .returns = WORLD_NOTHING,
                                    .custom_grad = WORLD_NOTHING,
                                    .custom_replay = WORLD_NOTHING};
    told->twice = told->apply = common;
    told->twice.globals = (WorldNames){told->of_twice, 2};
    told->twice.overloads = (WorldList){told->overloads, 1};
    told->apply.globals = (WorldNames){told->of_apply, 3};
    told->apply.statics = (WorldNames){told->statics, 1};
    told->apply.module = (ModuleOptions){.enable_backward = true, .default_grid_stride = true, .max_unroll = 16};
    told->objects[TWICE] = (WorldObject){.kind = WORLD_FUNCTION,
                                         .text = FUNC,
                                         .length = strlen(FUNC),
                                         .key = "twice",
                                         .native = "twice_0",
                                         .names = {told->x_float, 1},
                                         .definition = &told->twice};
    told->objects[APPLY] = (WorldObject){.kind = WORLD_KERNEL,
                                         .text = KERNEL,
                                         .length = strlen(KERNEL),
                                         .key = "apply",
                                         .names = {told->x_array, 1},
                                         .definition = &told->apply};
    told->world = (World){told->objects, COUNT, APPLY};
}

static void assert_same_text(const WeftResult *one, const WeftResult *two)
{
    assert_string_equal(weft_kernel(one, 0)->name, weft_kernel(two, 0)->name);
    for (int device = WEFT_CUDA; device <= WEFT_CPU; device++)
        for (int part = WEFT_PRELUDE; part <= WEFT_BACKWARD; part++)
            assert_string_equal(weft_kernel_text(one, 0, (WeftDevice)device, (WeftPart)part, NULL),
                                weft_kernel_text(two, 0, (WeftDevice)device, (WeftPart)part, NULL));
}

static void test_text_is_that_of_a_file(void **state)
{
    (void)state;
    Told told;
    tell(&told);
    Weft *weft = weft_new(NULL);
    WeftResult *from_file = weft_compile(weft, "file.py", file, strlen(file), NULL);
    WeftResult *from_world = pipeline_compile_world(weft, &told.world, NULL);
    assert_int_equal(weft_error_count(from_file), 0);
    assert_int_equal(weft_error_count(from_world), 0);
    assert_int_equal(weft_kernel_count(from_world), 1);
    assert_same_text(from_file, from_world);
    weft_result_free(from_file);
    weft_result_free(from_world);
    weft_free(weft);
}

static void expect_refusal(const Told *told, unsigned line, const char *message)
{
    Weft *weft = weft_new(NULL);
    WeftResult *result = pipeline_compile_world(weft, &told->world, NULL);
    assert_int_equal(weft_kernel_count(result), 0);
    assert_int_equal(weft_error_count(result), 1);
    const WeftError *error = weft_error(result, 0);
    assert_true(error->unsupported);
    assert_string_equal(error->path, "program.py");
    assert_string_equal(error->kernel, "apply");
    assert_int_equal(error->line, line);
    assert_non_null(strstr(error->message, message));
    weft_result_free(result);
    weft_free(weft);
}

static void test_unknown_value(void **state)
{
    (void)state;
    Told told;
    tell(&told);
    told.objects[OFFSET] = (WorldObject){.kind = WORLD_UNKNOWN, .text = "it is a secret", .length = 14};
    expect_refusal(&told, 13, "it is a secret");
}

static void test_unknown_static(void **state)
{
    (void)state;
    Told told;
    tell(&told);
    told.objects[STATIC] = (WorldObject){.kind = WORLD_UNKNOWN, .text = "it is a secret", .length = 14};
    expect_refusal(&told, 11, "len(TABLE) * 2.0");
}

static void test_refused_by_the_program(void **state)
{
    (void)state;
    Told told;
    tell(&told);
    told.apply.refused = "is changed by code transformers";
    expect_refusal(&told, 11, "is changed by code transformers");
}

static void test_struct_of_another_name(void **state)
{
    (void)state;
    Told told;
    tell(&told);
    static const WorldName field[] = {{"x", FLOAT}};
    told.objects[ARRAY] = (WorldObject){.kind = WORLD_STRUCT, .key = "S", .native = "S_00000000", .names = {field, 1}};
    expect_refusal(&told, 11, "do not agree about the struct 'S'");
}

/* Every single allocation fails once: no crash, and no half of a result. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    Told told;
    tell(&told);
    Weft *weft = weft_new(NULL);
    for (unsigned n = 1;; n++) {
        arena_fail_after(n);
        WeftResult *result = pipeline_compile_world(weft, &told.world, NULL);
        bool reached = !arena_fail_pending();
        arena_fail_after(0);
        if (!reached) {
            assert_int_equal(weft_kernel_count(result), 1);
            weft_result_free(result);
            break;
        }
        weft_result_free(result);
    }
    weft_free(weft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_that_of_a_file), cmocka_unit_test(test_unknown_value),
        cmocka_unit_test(test_unknown_static),         cmocka_unit_test(test_refused_by_the_program),
        cmocka_unit_test(test_struct_of_another_name), cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
