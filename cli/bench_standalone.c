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
    long long refused, backward;
    double alone_ns; /* without reading and building */
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

int bench_standalone(long long count, long long seed, bool as_json)
{
    CategoryWeights weights = category_default_weights();
    SynthContext *context = synth_new();
    Weft *weft = weft_new();
    Figures figures = {.library = standalone_library_new()};
    double emit_ns = 0, translate_ns = 0;
    long long made = 0;
    Text source;
    text_init(&source);
    for (; context && weft && figures.library && made < count; made++) {
        SynthSample sample;
        if (!synth_sample(context, (uint64_t)seed, (uint64_t)made, &weights, &sample))
            break;
        source.len = 0;
        text_lit(&source, "import warp as wp\n\n\n");
        text_add(&source, sample.source, sample.source_len);
        WeftOptions options = weft_default_options();
        options.source = false;
        double start = cpu_ns();
        pipeline_compile(weft, "synth.py", source.data, source.len, &options, do_nothing, NULL, NULL);
        emit_ns += cpu_ns() - start;
        options.cuda = options.cpu = false;
        options.facts = options.unnamed = true;
        start = cpu_ns();
        pipeline_compile(weft, "synth.py", source.data, source.len, &options, translate, &figures, NULL);
        translate_ns += cpu_ns() - start;
    }
    text_free(&source);
    synth_free(context);
    weft_free(weft);
    standalone_library_free(figures.library);
    double each = made ? 1.0 / (double)made : 0, ratio = translate_ns > 0 ? emit_ns / translate_ns : 0;
    if (as_json) {
        JsonWriter json = {.out = stdout};
        json_open(&json, NULL, '{');
        json_number(&json, "kernels", (double)made);
        json_number(&json, "refused", (double)figures.refused);
        json_number(&json, "with_backward", (double)figures.backward);
        json_number(&json, "emit_ns", emit_ns * each);
        json_number(&json, "translate_ns", translate_ns * each);
        json_number(&json, "translate_alone_ns", figures.alone_ns * each);
        json_number(&json, "ratio", ratio);
        json_close(&json, '}');
        putchar('\n');
    } else
        printf("%lld kernels, %lld refused, %lld with a backward kernel: from source to Warp's text %.1f us, from "
               "source to a standalone translation %.1f us (the translation itself %.1f us): %.2f times as fast\n",
               made, figures.refused, figures.backward, emit_ns * each / 1e3, translate_ns * each / 1e3,
               figures.alone_ns * each / 1e3, ratio);
    return made == count ? EXIT_DONE : EXIT_FOUND;
}
