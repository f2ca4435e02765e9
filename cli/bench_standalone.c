/* weft bench standalone: translating a kernel to readable CUDA against emitting Warp's text of it. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "terminal.h"

#include "base/clock.h"
#include "base/json.h"
#include "pipeline.h"
#include "standalone/standalone.h"
#include "synth/synth.h"

#include <stdio.h>

/* What is measured, in turns: what slows down the machine slows down all of them. A turn takes many kernels, since a program
 * that compiles or translates kernels does only that, and has its code and tables at hand. */
typedef enum Way {
    WAY_EMIT,      /* source to Warp's text for both devices, forward and backward, with the kernel's name and hash */
    WAY_BUILD,     /* source to what a translation starts from */
    WAY_TRANSLATE, /* source to a translation, forward and backward */
    WAY_COUNT
} Way;

enum { TURN = 100 };

typedef struct Figures {
    StandaloneLibrary *library;
    const char *stage; /* for the progress */
    long long refused, backward;
    double ns[WAY_COUNT];
} Figures;

static bool translate(const Compiled *compiled, void *user)
{
    Figures *figures = user;
    StandaloneText text;
    bool done = standalone_translate(compiled->unit, compiled->module, figures->library, NULL, true, &text);
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

static void run_way(Weft *weft, const Text *sources, long long count, Way way, Figures *figures)
{
    PipelineOptions options = pipeline_options();
    options.weft.source = false;
    options.weft.cuda = options.weft.cpu = way == WAY_EMIT;
    options.keep_types = options.skip_hash = options.skip_verify = way != WAY_EMIT;
    double start = clock_cpu_seconds() * 1e9;
    for (long long i = 0; i < count; i++)
        pipeline_compile(
            weft, &(Source){"synth.py", sources[i].data, sources[i].len}, &options,
            &(PipelineVisitor){.compiled = way == WAY_TRANSLATE ? translate : do_nothing, .user = figures});
    figures->ns[way] += clock_cpu_seconds() * 1e9 - start;
}

static void measure(Weft *weft, const Text *sources, long long count, Figures *figures, Progress *progress)
{
    for (long long from = 0; from < count; from += TURN) {
        progress_tell(progress, figures->stage, (uint64_t)from, (uint64_t)count, "");
        for (Way way = 0; way < WAY_COUNT; way++)
            run_way(weft, sources + from, count - from < TURN ? count - from : TURN, way, figures);
    }
}

/* The kernels, in memory of the arena; fewer than `count`: they could not be made. */
static long long make_sources(const BenchRun *run, Arena *arena, Text *sources)
{
    CategoryWeights weights = category_default_weights();
    SynthContext *context = synth_new(run->warp);
    long long made = 0;
    for (SynthSample sample; context && made < run->count; made++) {
        if (!synth_sample(context, (uint64_t)run->seed, (uint64_t)made, &weights, &sample))
            break;
        text_init_in(&sources[made], arena);
        synth_add_module(&sample, &sources[made]);
    }
    synth_free(context);
    return made;
}

static double ratio_of(const Figures *figures)
{
    return figures->ns[WAY_TRANSLATE] > 0 ? figures->ns[WAY_EMIT] / figures->ns[WAY_TRANSLATE] : 0;
}

static void print_json(const Figures *figures, const Figures *first, long long count, double each)
{
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_number(&json, "kernels", (double)count);
    json_add_number(&json, "refused", (double)figures->refused);
    json_add_number(&json, "with_backward", (double)figures->backward);
    json_add_number(&json, "emit_ns", figures->ns[WAY_EMIT] * each);
    json_add_number(&json, "build_ns", figures->ns[WAY_BUILD] * each);
    json_add_number(&json, "translate_ns", figures->ns[WAY_TRANSLATE] * each);
    json_add_number(&json, "ratio", ratio_of(figures));
    json_add_number(&json, "first_ratio", ratio_of(first));
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

int bench_standalone(const BenchRun *run)
{
    Arena arena;
    arena_init(&arena);
    Text *sources = ARENA_ARRAY(&arena, Text, run->count);
    long long made = make_sources(run, &arena, sources);
    Weft *weft = weft_new(run->warp);
    StandaloneLibrary *library = standalone_library_new(run->warp);
    /* The first time, functions of the library are still to be translated, and memory to be had. */
    Figures first = {.library = library, .stage = "kernels, first time"};
    Figures figures = {.library = library, .stage = "kernels, second time"};
    bool done = weft && library && made == run->count;
    if (done) {
        measure(weft, sources, made, &first, run->progress);
        measure(weft, sources, made, &figures, run->progress);
    }
    weft_free(weft);
    standalone_library_free(library);
    arena_free(&arena);
    progress_end(run->progress, NULL);
    if (!done) {
        tell(stderr, "weft: out of memory\n");
        return EXIT_FOUND;
    }
    double each = 1.0 / (double)made;
    if (run->json)
        print_json(&figures, &first, made, each);
    else
        tell(stdout,
             "%lld kernels, %lld refused, %lld with a backward kernel: from source to Warp's text %.1f us, from "
             "source to a standalone translation %.1f us (%.1f us of them until the kernel is built): %.2f times as "
             "fast; %.2f times the first time\n",
             made, figures.refused, figures.backward, figures.ns[WAY_EMIT] * each / 1e3,
             figures.ns[WAY_TRANSLATE] * each / 1e3, figures.ns[WAY_BUILD] * each / 1e3, ratio_of(&figures),
             ratio_of(&first));
    return EXIT_DONE;
}
