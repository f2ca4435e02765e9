/* weft bench standalone: translating a kernel to readable CUDA against emitting Warp's text of it. */
#include "args.h"
#include "commands.h"
#include "json.h"

#include "pipeline.h"
#include "standalone/standalone.h"
#include "synth/synth.h"

#include <stdio.h>
#include <time.h>

static double cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct Figures {
    StandaloneLibrary *library;
    long long made, refused, backward;
    double emit_ns, translate_ns;
    double alone_ns; /* of the translation, without reading and building */
} Figures;

static bool translate(const Compiled *compiled, void *user)
{
    Figures *figures = user;
    StandaloneText text;
    double start = cpu_ns();
    bool done = standalone_translate(compiled->unit, compiled->module, figures->library, &text);
    figures->alone_ns += cpu_ns() - start;
    figures->refused += !done;
    figures->backward += done && text.has_backward;
    return true;
}

static bool do_nothing(const Compiled *compiled, void *user)
{
    (void)compiled;
    (void)user;
    return true;
}

/* Every kernel both ways, one after the other: what slows down the machine slows down both. */
static bool measure(SynthContext *context, Weft *weft, long long count, uint64_t seed, Figures *figures)
{
    CategoryWeights weights = category_default_weights();
    Text source;
    text_init(&source);
    for (; figures->made < count; figures->made++) {
        SynthSample sample;
        if (!synth_sample(context, seed, (uint64_t)figures->made, &weights, &sample))
            break;
        source.len = 0;
        text_lit(&source, "import warp as wp\n\n\n");
        text_add(&source, sample.source, sample.source_len);
        WeftOptions options = weft_default_options();
        options.source = false;
        double start = cpu_ns();
        pipeline_compile(weft, "synth.py", source.data, source.len, &options, do_nothing, NULL, NULL);
        figures->emit_ns += cpu_ns() - start;
        options.cuda = options.cpu = false;
        options.facts = options.unnamed = true;
        start = cpu_ns();
        pipeline_compile(weft, "synth.py", source.data, source.len, &options, translate, figures, NULL);
        figures->translate_ns += cpu_ns() - start;
    }
    text_free(&source);
    return figures->made == count;
}

static double ratio_of(const Figures *figures)
{
    return figures->translate_ns > 0 ? figures->emit_ns / figures->translate_ns : 0;
}

static void print_json(const Figures *figures, const Figures *first, double each)
{
    JsonWriter json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_number(&json, "kernels", (double)figures->made);
    json_number(&json, "refused", (double)figures->refused);
    json_number(&json, "with_backward", (double)figures->backward);
    json_number(&json, "emit_ns", figures->emit_ns * each);
    json_number(&json, "translate_ns", figures->translate_ns * each);
    json_number(&json, "translate_alone_ns", figures->alone_ns * each);
    json_number(&json, "ratio", ratio_of(figures));
    json_number(&json, "first_ratio", ratio_of(first));
    json_close(&json, '}');
    putchar('\n');
}

int bench_standalone(long long count, long long seed, bool as_json)
{
    SynthContext *context = synth_new();
    Weft *weft = weft_new();
    StandaloneLibrary *library = standalone_library_new();
    /* The first time, functions of the library are still to be translated, and memory to be had. */
    Figures first = {.library = library}, figures = {.library = library};
    bool done = context && weft && library && measure(context, weft, count, (uint64_t)seed, &first) &&
                measure(context, weft, count, (uint64_t)seed, &figures);
    synth_free(context);
    weft_free(weft);
    standalone_library_free(library);
    double each = figures.made ? 1.0 / (double)figures.made : 0;
    if (as_json)
        print_json(&figures, &first, each);
    else
        printf("%lld kernels, %lld refused, %lld with a backward kernel: from source to Warp's text %.1f us, from "
               "source to a standalone translation %.1f us (the translation itself %.1f us): %.2f times as fast; "
               "%.2f times the first time\n",
               figures.made, figures.refused, figures.backward, figures.emit_ns * each / 1e3,
               figures.translate_ns * each / 1e3, figures.alone_ns * each / 1e3, ratio_of(&figures), ratio_of(&first));
    return done ? EXIT_DONE : EXIT_FOUND;
}
