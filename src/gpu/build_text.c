/* Many kernels as one translation unit. */
#include "gpu/build_impl.h"

#include "lang/dialect.h"

#include <ctype.h>

const char *build_kernel_name(const char *forward, BuildTarget target, size_t *len)
{
    const char *end = strstr(forward, target == BUILD_CUDA ? "_cuda_kernel_forward(" : "_cpu_kernel_forward(");
    if (!end)
        return NULL;
    const char *start = end;
    while (start > forward && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
        start--;
    *len = (size_t)(end - start);
    return start;
}

/* What Warp's own library has and its headers only declare. Half precision: with compilers other than clang. */
static const char runtime[] =
    "extern \"C\" {\n"
    "WP_API void _wp_assert(const char *, const char *, unsigned int) { __builtin_trap(); }\n"
    "WP_API int _wp_isfinite(double x) { return __builtin_isfinite(x); }\n"
    "WP_API int _wp_isnan(double x) { return __builtin_isnan(x); }\n"
    "WP_API int _wp_isinf(double x) { return __builtin_isinf(x) != 0; }\n"
    "#ifndef __clang__\n"
    "WP_API uint16_t wp_float_to_half_bits(float x)\n"
    "{\n"
    "    uint32_t bits;\n"
    "    __builtin_memcpy(&bits, &x, 4);\n"
    "    uint32_t sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;\n"
    "    if (size > 0x7f800000u) return uint16_t(sign | 0x7e00u);\n"
    "    if (size >= 0x477ff000u) return uint16_t(sign | 0x7c00u);\n"
    "    if (size < 0x38800000u) return uint16_t(sign | uint32_t(__builtin_rintf(__builtin_fabsf(x) * 16777216.0f)));\n"
    "    return uint16_t(sign | (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);\n"
    "}\n"
    "WP_API float wp_half_bits_to_float(uint16_t bits)\n"
    "{\n"
    "    int exponent = bits >> 10 & 31, fraction = bits & 1023;\n"
    "    float size = exponent == 31 ? (fraction ? __builtin_nanf(\"\") : __builtin_inff())\n"
    "        : exponent ? __builtin_ldexpf(1024 + fraction, exponent - 25) : __builtin_ldexpf(fraction, -24);\n"
    "    return bits & 0x8000 ? -size : size;\n"
    "}\n"
    "WP_API uint16_t wp_float_to_bfloat16_bits(float x)\n"
    "{\n"
    "    uint32_t bits;\n"
    "    __builtin_memcpy(&bits, &x, 4);\n"
    "    return x != x ? 0x7fc0 : uint16_t((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);\n"
    "}\n"
    "WP_API float wp_bfloat16_bits_to_float(uint16_t half)\n"
    "{\n"
    "    uint32_t bits = uint32_t(half) << 16;\n"
    "    float x;\n"
    "    __builtin_memcpy(&x, &bits, 4);\n"
    "    return x;\n"
    "}\n"
    "#endif\n"
    "}\n";

const char *build_runtime(void)
{
    return runtime;
}

/* Runs a part of a launch, so that threads can share it, or all of it. */
static const char slice_runner[] =
    "template <auto> struct weft_slice;\n"
    "template <class Bounds, class Args, void (*Kernel)(Bounds, size_t, Args *)> struct weft_slice<Kernel> {\n"
    "    static void run(void *dim, void *args, size_t first, size_t end)\n"
    "    {\n"
    "        for (size_t i = first; i < end; ++i)\n"
    "            Kernel(*static_cast<Bounds *>(dim), i, static_cast<Args *>(args));\n"
    "    }\n"
    "    static void run_all(void *dim, void *args) { run(dim, args, 0, static_cast<Bounds *>(dim)->size); }\n"
    "};\n";

static const char reverse_runner[] =
    "template <auto> struct weft_reversed;\n"
    "template <class Bounds, class... Args, void (*Kernel)(Bounds, size_t, Args *...)> struct weft_reversed<Kernel> {\n"
    "    template <class... Blocks> static void run(void *dim, Blocks *...blocks)\n"
    "    {\n"
    "        for (size_t i = static_cast<Bounds *>(dim)->size; i-- > 0;)\n"
    "            Kernel(*static_cast<Bounds *>(dim), i, static_cast<Args *>(blocks)...);\n"
    "    }\n"
    "};\n";

/* What makes a kernel's function out of its name, where kernels are templates: no assumptions about arrays. */
static const char *instance(const Dialect *dialect)
{
    return dialect->cpu_task_templates ? "<false>" : "";
}

static void add_reversed(const Sample *sample, const Dialect *dialect, bool backward, Text *out)
{
    text_format(out,
                "extern \"C\" WP_API void %s_cpu_reversed_forward(void *dim, void *args)\n"
                "{\n    weft_reversed<%s_cpu_kernel_forward%s>::run(dim, args);\n}\n",
                sample->name, sample->name, instance(dialect));
    if (backward)
        text_format(out,
                    "extern \"C\" WP_API void %s_cpu_reversed_backward(void *dim, void *args, void *adjoints)\n"
                    "{\n    weft_reversed<%s_cpu_kernel_backward%s>::run(dim, args, adjoints);\n}\n",
                    sample->name, sample->name, instance(dialect));
}

static void add_slice(const Sample *sample, const Dialect *dialect, Text *out)
{
    text_format(out,
                "extern \"C\" WP_API void %s_cpu_slice(void *dim, void *args, size_t first, size_t end)\n"
                "{\n    weft_slice<%s_cpu_kernel_forward%s>::run(dim, args, first, end);\n}\n",
                sample->name, sample->name, instance(dialect));
}

/* A module's entry points stand behind its backward pass; a record whose backward text was left out has none. */
static void add_entry_point(const Sample *sample, const Dialect *dialect, Text *out)
{
    text_format(out,
                "extern \"C\" WP_API void %s_cpu_forward(void *dim, void *args)\n"
                "{\n    weft_slice<%s_cpu_kernel_forward%s>::run_all(dim, args);\n}\n",
                sample->name, sample->name, instance(dialect));
}

static bool has_entry_point(const SampleText *text)
{
    return strstr(text->backward ? text->backward : text->forward, "_cpu_forward(") != NULL;
}

void build_text(Sample *const *samples, uint32_t count, const BuildOptions *options, Text *out)
{
    bool cpp = options->target == BUILD_CPP;
    Dialect dialect;
    dialect_find(samples[0]->warp, &dialect);
    text_str(out, samples[0]->text[options->target].preamble);
    if (cpp) {
        text_str(out, runtime);
        text_str(out, slice_runner);
        text_str(out, options->like_gpu ? reverse_runner : "");
    }
    for (uint32_t i = 0; i < count; i++) {
        const SampleText *text = &samples[i]->text[options->target];
        /* Functions of different kernels may have one name. */
        text_format(out, "namespace weft_%u {\n", i);
        text_str(out, text->prelude ? text->prelude : "");
        text_str(out, text->forward);
        text_str(out, text->backward ? text->backward : "");
        if (cpp && options->slices)
            add_slice(samples[i], &dialect, out);
        if (cpp && options->like_gpu)
            add_reversed(samples[i], &dialect, text->backward != NULL, out);
        if (cpp && !has_entry_point(text))
            add_entry_point(samples[i], &dialect, out);
        text_lit(out, "}\n");
    }
    text_char(out, '\0');
    out->len--;
}
