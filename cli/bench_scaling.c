/* weft bench scaling: does the time to compile grow as the source does?
 *
 * A shape is a source of n like parts. Each is compiled at four sizes, the largest of them as asked for; the exponent e of
 * time = c · n^e is fitted to the CPU times, by least squares of their logarithms. Every measurement begins with fresh memory:
 * else small sizes would find theirs, and large ones would pay for their pages. */
#include "commands.h"
#include "files.h"
#include "terminal.h"
#include "weft.h"

#include "base/clock.h"
#include "base/json.h"

#include <malloc.h>
#include <math.h>

enum { SIZES = 4, MAX_SECTIONS = 6, TRIES = 5 };

#define KERNEL "@wp.kernel\ndef k(x: wp.array(dtype=float), n: int):\n    i = wp.tid()\n"

typedef struct Shape {
    const char *name;
    /* One after the other; one that begins with * is repeated, with its number for every #, and the number of parts for every $. */
    const char *sections[MAX_SECTIONS];
} Shape;

static const Shape shapes[] = {
    {"kernels", {"*@wp.kernel\ndef k#(x: wp.array(dtype=float)):\n    x[wp.tid()] = #.0\n"}},
    {"errors", {"*@wp.kernel\ndef k#(x: wp.array(dtype=float)):\n    x[wp.tid()] = missing#\n"}},
    {"statements", {KERNEL, "*    x[i] = x[i] * #.0\n"}},
    {"ifs", {KERNEL, "*    a# = x[i + #]\n", "*    if a# > 0.0:\n        a# += 1.0\n"}},
    {"loops", {KERNEL, "*    a# = x[i + #]\n", "*    for j# in range(n):\n        a# += 1.0\n"}},
    {"append", {"values = []\nfor i in range($):\n    values.append(i)\n", KERNEL, "    x[i] = float(n)\n"}},
    {"functions", {"*@wp.func\ndef f#(a: float):\n    return a + #.0\n", KERNEL, "*    x[i] = f#(x[i])\n"}},
    {"functions of one name", {"*@wp.func\ndef f(a: float):\n    return a + #.0\n", KERNEL, "    x[i] = f(x[i])\n"}},
    {"overloads",
     {"V = wp.types.vector(length=10, dtype=float)\n",
      "*@wp.func\ndef f(a: wp.types.vector(length=1#, dtype=float)):\n    return a[0]\n", KERNEL,
      "    x[i] = f(V())\n"}},
    {"constants", {"*C# = wp.constant(#.5)\n", KERNEL, "*    x[i] = C#\n"}},
    {"statics", {KERNEL, "*    x[i] = wp.static(#.0 + 1.0)\n"}},
    {"structs", {"*@wp.struct\nclass S#:\n    a: float\n", KERNEL, "*    s# = S#()\n    s#.a = 1.0\n"}},
    {"fields",
     {"@wp.struct\nclass S:\n", "*    f#: float\n", "@wp.kernel\ndef k(x: wp.array(dtype=float), s: S):\n",
      "*    x[#] = s.f#\n"}},
    {"arguments", {"@wp.kernel\ndef k(x: wp.array(dtype=float)", "*, a#: float", "):\n", "*    x[#] = a#\n"}},
    {"inner kernels",
     {"def make(c):\n    @wp.kernel\n    def k(x: wp.array(dtype=float)):\n        x[wp.tid()] = wp.static(c)\n    "
      "return k\n",
      "*k# = make(#.0)\n"}},
};

enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

static void add_section(const char *section, uint64_t number, uint64_t parts, Text *out)
{
    for (; *section; section++)
        if (*section == '#')
            text_uint(out, number);
        else if (*section == '$')
            text_uint(out, parts);
        else
            text_char(out, *section);
}

static void write_shape(const Shape *shape, uint64_t parts, Text *out)
{
    out->len = 0;
    text_lit(out, "import warp as wp\n");
    for (int i = 0; i < MAX_SECTIONS && shape->sections[i]; i++) {
        const char *section = shape->sections[i];
        if (*section != '*')
            add_section(section, 0, parts, out);
        else
            for (uint64_t number = 0; number < parts; number++)
                add_section(section + 1, number, parts, out);
    }
}

typedef struct Measured {
    double seconds;
    size_t kernels, refused;
    bool failed; /* for want of memory */
} Measured;

static Measured measure(const char *warp, const Text *source)
{
    Measured measured = {0};
    for (int i = 0; i < TRIES && (!i || measured.seconds < 0.2); i++) {
        Weft *weft = weft_new(warp);
        malloc_trim(0);
        double start = clock_cpu_seconds();
        WeftResult *result = weft ? weft_compile(weft, "scaling.py", source->data, source->len, NULL) : NULL;
        double seconds = clock_cpu_seconds() - start;
        weft_free(weft);
        if (!result)
            return (Measured){.failed = true};
        measured.kernels = weft_kernel_count(result);
        measured.refused = weft_error_count(result);
        if (!i || seconds < measured.seconds)
            measured.seconds = seconds;
        weft_result_free(result);
    }
    return measured;
}

static double fit(const double *sizes, const double *seconds)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < SIZES; i++) {
        double a = log(sizes[i]), b = log(seconds[i]);
        x += a, y += b, xx += a * a, xy += a * b;
    }
    return (SIZES * xy - x * y) / (SIZES * xx - x * x);
}

static void print_shape(const Shape *shape, double exponent, uint64_t parts, const Measured *largest, bool as_json)
{
    if (!as_json) {
        tell(stdout, "%-24s%10.2f%12.1f%10zu%10zu\n", shape->name, exponent, largest->seconds * 1e3, largest->kernels,
             largest->refused);
        return;
    }
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_string(&json, "shape", shape->name);
    json_add_number(&json, "parts", (double)parts);
    json_add_number(&json, "exponent", exponent);
    json_add_number(&json, "seconds", largest->seconds);
    json_add_number(&json, "kernels", (double)largest->kernels);
    json_add_number(&json, "refused", (double)largest->refused);
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

/* Each as a line of JSON. */
static int show_shapes(uint64_t parts)
{
    Text source = {0};
    for (int i = 0; i < SHAPE_COUNT && !source.failed; i++) {
        Text line = {0};
        JsonWriter json = {.out = &line};
        write_shape(&shapes[i], parts, &source);
        json_open(&json, NULL, '{');
        json_add_string(&json, "shape", shapes[i].name);
        json_add_string_n(&json, "source", source.data, source.len);
        json_close(&json, '}');
        put_json_line(&line, stdout);
    }
    bool failed = source.failed;
    text_free(&source);
    if (failed)
        tell(stderr, "weft: out of memory\n");
    return failed ? EXIT_FOUND : EXIT_DONE;
}

int bench_scaling(const BenchRun *run)
{
    Text source = {0};
    Measured measured = {0};
    if (run->show)
        return show_shapes((uint64_t)run->count);
    if (!run->json)
        tell(stdout, "%-24s%10s%12s%10s%10s\n", "shape", "exponent", "ms", "kernels", "refused");
    for (int i = 0; i < SHAPE_COUNT && !measured.failed; i++) {
        double sizes[SIZES], seconds[SIZES];
        for (int k = 0; k < SIZES && !measured.failed; k++) {
            uint64_t parts = (uint64_t)run->count >> (SIZES - 1 - k), least = 1u << k; /* different ones, however few */
            parts = parts > least ? parts : least;
            write_shape(&shapes[i], parts, &source);
            measured = measure(run->warp, &source);
            sizes[k] = (double)parts;
            seconds[k] = measured.seconds;
        }
        if (!measured.failed)
            print_shape(&shapes[i], fit(sizes, seconds), (uint64_t)run->count, &measured, run->json);
    }
    text_free(&source);
    if (measured.failed)
        tell(stderr, "weft: out of memory\n");
    return measured.failed ? EXIT_FOUND : EXIT_DONE;
}
