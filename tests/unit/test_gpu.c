/* What packs arguments for compiled kernels, and what compares their results: without a compiler and without a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/arguments.h"
#include "gpu/build.h"
#include "gpu/compare.h"
#include "pipeline.h"

#include <math.h>
#include <string.h>

static const char source[] = "import warp as wp\n"
                             "@wp.struct\n"
                             "class Body:\n"
                             "    active: wp.bool\n"
                             "    mass: wp.float64\n"
                             "    spin: wp.vec3h\n"
                             "    path: wp.array(dtype=wp.vec3)\n"
                             "@wp.kernel\n"
                             "def move(body: Body, n: wp.int8, a: wp.array2d(dtype=wp.float32), q: wp.quat):\n"
                             "    i = wp.tid()\n"
                             "    a[i, 0] = a[i, 0] + float(n)\n";

typedef void Body(Unit *unit, const Code *code);

static bool visit(const Compiled *compiled, void *user)
{
    Body *const *body = user;
    (*body)(compiled->unit, compiled->module->kernel->code);
    return true;
}

static void with_kernel(Body *body)
{
    Weft *weft = weft_new(NULL);
    PipelineOptions options = pipeline_options();
    Text errors;
    text_init(&errors);
    assert_true(pipeline_compile(weft, &(Source){"t.py", source, strlen(source)}, &options,
                                 &(PipelineVisitor){.compiled = visit, .user = &body, .errors = &errors}));
    assert_int_equal(errors.len, 0);
    text_free(&errors);
    weft_free(weft);
}

/* ---- layout ---- */

static void check_layout(Unit *unit, const Code *code)
{
    (void)unit;
    const Type *body = code->params[0].type;
    assert_int_equal(layout_size(body), 8 + 8 + 8 + ARRAY_DESCRIPTOR_SIZE); /* bool, double, three halves, array */
    assert_int_equal(layout_align(body), 8);
    assert_int_equal(layout_size(code->params[1].type), 1);
    assert_int_equal(layout_size(code->params[2].type), ARRAY_DESCRIPTOR_SIZE);
    assert_int_equal(layout_size(code->params[3].type), 16);
}

static void test_layout(void **state)
{
    (void)state;
    with_kernel(check_layout);
}

static void round_trip(TypeKind kind, double value)
{
    unsigned char bytes[8];
    Cell back, cell = {.real = value};
    layout_put(type_scalar(kind), &cell, bytes);
    layout_get(type_scalar(kind), bytes, &back);
    assert_true(back.real == value || (isnan(back.real) && isnan(value)));
    assert_int_equal(signbit(back.real) != 0, signbit(value) != 0);
}

static void test_scalars(void **state)
{
    (void)state;
    const double halves[] = {0, -0.0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, -1023 * 0x1p-24, 0.333251953125, INFINITY, NAN};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        round_trip(TYPE_FLOAT16, halves[i]);
    const double brains[] = {0, -0.0, 1, -2.5, 0x1.fep127, 0x1p-126, -INFINITY};
    for (size_t i = 0; i < sizeof brains / sizeof *brains; i++)
        round_trip(TYPE_BFLOAT16, brains[i]);
    round_trip(TYPE_FLOAT32, (double)0.1f);
    round_trip(TYPE_FLOAT64, 0.1);
    unsigned char bytes[8];
    Cell back, cell = {.integer = -5};
    layout_put(type_scalar(TYPE_INT8), &cell, bytes);
    assert_int_equal(bytes[0], 251);
    layout_get(type_scalar(TYPE_INT8), bytes, &back);
    assert_int_equal(back.integer, -5);
    layout_get(type_scalar(TYPE_UINT8), bytes, &back);
    assert_int_equal(back.integer, 251);
}

/* ---- arguments ---- */

static Launch *make_launch(Unit *unit, const Code *code)
{
    static const uint32_t shape[4] = {3, 2, 1, 1};
    Launch *launch = ARENA_NEW(unit->arena, Launch);
    *launch = (Launch){.dim = {3, 1, 1, 1}, .ndim = 1, .arg_count = code->param_count};
    launch->args = ARENA_ARRAY(unit->arena, LaunchValue, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++)
        assert_true(launch_value_init(unit, &launch->args[i], code->params[i].type, shape));
    LaunchValue *a = &launch->args[2];
    a->gradients = ARENA_ARRAY(unit->arena, double, 6);
    for (int i = 0; i < 6; i++) {
        a->cells[i].real = i;
        a->gradients[i] = 10 + i;
    }
    launch->args[0].fields[1].cells[0].real = 2.5;
    launch->args[1].cells[0].integer = 7;
    return launch;
}

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static void check_arguments(Unit *unit, const Code *code)
{
    Launch *launch = make_launch(unit, code), *back = launch_copy(unit->arena, launch);
    Arguments arguments;
    GpuError error = {""};
    double mass;
    assert_true(arguments_make(&arguments, unit->arena, machine_cpu(), launch, &error));
    const PackedLaunch *packed = &arguments.packed;
    assert_int_equal(packed->threads, 3);
    assert_int_equal(packed->offsets[1], 80);
    assert_int_equal(packed->offsets[2], 88);
    assert_int_equal(packed->args[80], 7);
    assert_int_equal(packed->adjoints[80], 0); /* a plain argument's adjoint starts at zero … */
    memcpy(&mass, packed->adjoints + 8, sizeof mass);
    assert_true(mass == 2.5); /* … a struct's field at its own value */
    assert_int_equal(word_at(packed->args + 88 + 8), word_at(packed->adjoints + 88)); /* the gradient's address */
    assert_int_equal(word_at(packed->args + 88 + 16), 3 | (uint64_t)2 << 32);         /* shape */
    assert_int_equal(word_at(packed->args + 88 + 32), 8 | (uint64_t)4 << 32);         /* strides */
    float *data = (float *)(uintptr_t)word_at(packed->args + 88);
    float *grad = (float *)(uintptr_t)word_at(packed->adjoints + 88);
    assert_true(data[5] == 5 && grad[5] == 15);
    data[1] = -1;
    grad[0] = 0.5f;
    assert_true(arguments_fetch(&arguments, back, &error));
    assert_true(back->args[2].cells[1].real == -1 && back->args[2].gradients[0] == 0.5);
    data[6] = 0; /* one too far */
    assert_false(arguments_fetch(&arguments, back, &error));
    assert_string_equal(error.message, "it writes outside of an array");
    arguments_release(&arguments);
}

static void test_arguments(void **state)
{
    (void)state;
    with_kernel(check_arguments);
}

/* ---- comparing ---- */

/* The runs say `own` and `exact` about element 0 of `a`; the result is `result`. */
static uint64_t wrong_for(Unit *unit, const Code *code, double result, double own, double exact)
{
    static const char *const names[] = {"body", "n", "a", "q"};
    Launch *launches[3];
    const double values[3] = {result, own, exact};
    for (int i = 0; i < 3; i++) {
        launches[i] = make_launch(unit, code);
        launches[i]->args[2].cells[0].real = values[i];
    }
    Runs runs = {.moved = {{launches[1], launches[2]}}, .count = 1};
    Comparison comparison;
    compare_launch(launches[0], &runs, false, names, &comparison);
    assert_int_equal(comparison.cells, 6 + 3 * 3);
    return comparison.wrong;
}

static void check_comparing(Unit *unit, const Code *code)
{
    double unit_in_last_place = 0x1p-23;
    assert_int_equal(wrong_for(unit, code, 1, 1, 1), 0);
    assert_int_equal(wrong_for(unit, code, 1 + 4 * unit_in_last_place, 1, 1), 0);
    assert_int_equal(wrong_for(unit, code, 1 + 50 * unit_in_last_place, 1, 1), 1); /* the array goes up to 5 */
    /* Ill-conditioned: the evaluator's own rounding is large. */
    assert_int_equal(wrong_for(unit, code, 1.004, 1.001, 1), 0);
    assert_int_equal(wrong_for(unit, code, 1.1, 1.001, 1), 1);
    assert_int_equal(wrong_for(unit, code, NAN, 1, 1), 1);
    assert_int_equal(wrong_for(unit, code, NAN, NAN, 1), 0);
    assert_int_equal(wrong_for(unit, code, INFINITY, 1, 1), 1);
    assert_int_equal(wrong_for(unit, code, 0, 1e-5, 1e-5), 1);
}

static void test_comparing(void **state)
{
    (void)state;
    with_kernel(check_comparing);
}

/* ---- texts ---- */

static void test_ptx(void **state)
{
    (void)state;
    static const char ptx[] = ".visible .entry other(\n\t.param .u64 a\n)\n{\n\tret;\n}\n"
                              ".visible .entry k_cuda_kernel_forward(\n\t.param .u64 a\n)\n{\n\t.reg .pred \t%p<2>;\n"
                              "\t.reg .f32 \t%f<11>;\n\t.reg .b64 \t%rd<4>;\n\t.local .align 4 .b8 __local[24];\n\n"
                              "\tld.param.u64 \t%rd1, [a];\n\tsetp.eq.s64 %p1, %rd1, 0;\n$L__BB0_1:\n\t@%p1 bra $L;\n"
                              "\t{ // callseq\n\tcall f;\n\t}\n\tret;\n\n}\n.func late() { ret; }\n";
    PtxStats stats;
    assert_true(ptx_stats(ptx, sizeof ptx - 1, "k_cuda_kernel_forward", &stats));
    assert_int_equal(stats.instructions, 5);
    assert_int_equal(stats.registers, 13);
    assert_int_equal(stats.local_bytes, 24);
    assert_false(ptx_stats(ptx, sizeof ptx - 1, "k_cuda_kernel", &stats));
}

static void test_names(void **state)
{
    (void)state;
    size_t len;
    const char *name =
        build_kernel_name("extern \"C\" __global__ void move_0a1b2c3d_cuda_kernel_forward(\n", BUILD_CUDA, &len);
    assert_int_equal(len, strlen("move_0a1b2c3d"));
    assert_memory_equal(name, "move_0a1b2c3d", len);
    assert_null(build_kernel_name("no kernel", BUILD_CPP, &len));
    assert_string_equal(build_first_error("In file\nx.cpp:1: error: no\nmore"), "x.cpp:1: error: no\nmore");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),    cmocka_unit_test(test_scalars), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_comparing), cmocka_unit_test(test_ptx),     cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
