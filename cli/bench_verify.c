/* weft bench verify: what checking costs beside compiling, and what it finds. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "terminal.h"

#include "base/clock.h"
#include "base/json.h"
#include "check/check.h"
#include "pipeline.h"
#include "synth/synth.h"

#include <string.h>

typedef struct Tally {
    const SynthSample *sample;
    uint64_t index;
    bool show;
    Progress *progress;
    double check_ns, stage_ns[STAGE_COUNT];
    long long kernels, failures[CHECK_FAILURE_COUNT], gradients[3], findings[FINDING_UNSUPPORTED + 1];
    long long by_category[CATEGORY_COUNT], rejected_by_category[CATEGORY_COUNT], mismatch_by_category[CATEGORY_COUNT];
    double worst_passing, worst_forward;
} Tally;

static void show_problem(const Tally *tally, const CheckResult *result)
{
    tell(stderr, "%llu %s %s: %s %s: %s (forward %.1e, gradient %s %.1e: %.9g, true %.9g)\n",
         (unsigned long long)tally->index, category_name(tally->sample->category), tally->sample->kernel_name,
         check_failure_name(result->failure), finding_name(result->finding.kind),
         result->finding.message ? result->finding.message : "", result->forward_error,
         gradient_verdict_name(result->gradient), result->gradient_error, result->warp_dot, result->true_dot);
}

static bool verify(const Compiled *compiled, void *user)
{
    Tally *tally = user;
    CheckLaunch launch;
    CheckResult result;
    CheckOptions options = {
        .seed = tally->index, .filters = true, .threads = CHECK_SPREAD, .timed = true, .locate = tally->show};
    double start = clock_seconds() * 1e9;
    const char *wrong =
        check_launch_read(compiled->unit->arena, tally->sample->launch, tally->sample->launch_len, &launch);
    if (wrong) {
        tell(stderr, "weft bench: launch of sample %llu: %s\n", (unsigned long long)tally->index, wrong);
        return false;
    }
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    tally->check_ns += clock_seconds() * 1e9 - start;
    for (int i = 0; i < STAGE_COUNT; i++)
        tally->stage_ns[i] += result.stage_ns[i];
    tally->kernels++;
    tally->failures[result.failure]++;
    tally->by_category[tally->sample->category]++;
    tally->rejected_by_category[tally->sample->category] += result.failure != CHECK_OK;
    if (result.failure == CHECK_FINDING)
        tally->findings[result.finding.kind]++;
    if (result.failure == CHECK_OK) {
        tally->gradients[result.gradient]++;
        tally->mismatch_by_category[tally->sample->category] += result.gradient == GRADIENT_MISMATCH;
        if (result.gradient == GRADIENT_PASS && result.gradient_error > tally->worst_passing)
            tally->worst_passing = result.gradient_error;
        if (result.forward_error > tally->worst_forward)
            tally->worst_forward = result.forward_error;
    }
    if (tally->show && (result.failure != CHECK_OK || result.gradient == GRADIENT_MISMATCH)) {
        progress_clear(tally->progress);
        show_problem(tally, &result);
    }
    return true;
}

static void print_json(const Tally *tally, double synth_ns, double compile_ns)
{
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_number(&json, "kernels", (double)tally->kernels);
    json_open(&json, "failures", '{');
    for (int i = 0; i < CHECK_FAILURE_COUNT; i++)
        json_add_number(&json, check_failure_name((CheckFailure)i), (double)tally->failures[i]);
    json_close(&json, '}');
    json_open(&json, "gradients", '{');
    for (int i = 0; i < 3; i++)
        json_add_number(&json, gradient_verdict_name((GradientVerdict)i), (double)tally->gradients[i]);
    json_close(&json, '}');
    json_add_number(&json, "synth_ns", synth_ns);
    json_add_number(&json, "compile_ns", compile_ns);
    json_add_number(&json, "check_ns", tally->check_ns);
    json_open(&json, "stages", '{');
    for (int i = 0; i < STAGE_COUNT; i++)
        json_add_number(&json, check_stage_name((CheckStage)i), tally->stage_ns[i]);
    json_close(&json, '}');
    json_add_number(&json, "verified_pairs_per_second",
                    (double)tally->failures[CHECK_OK] / (synth_ns + compile_ns + tally->check_ns) * 1e9);
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

static void print_text(const Tally *tally, double synth_ns, double compile_ns)
{
    double n = tally->kernels ? (double)tally->kernels : 1, total = synth_ns + compile_ns + tally->check_ns;
    tell(stdout, "%lld kernels, one thread\n", tally->kernels);
    tell(stdout, "  synthesis %7.1f us per kernel, %5.2f of compiling\n", synth_ns / n / 1e3, synth_ns / compile_ns);
    tell(stdout, "  compiling %7.1f us, both devices, both passes\n", compile_ns / n / 1e3);
    tell(stdout, "  checking  %7.1f us, %5.2f of compiling\n", tally->check_ns / n / 1e3, tally->check_ns / compile_ns);
    for (int i = 0; i < STAGE_COUNT; i++)
        tell(stdout, "    %-22s %7.1f us, %5.2f\n", check_stage_name((CheckStage)i), tally->stage_ns[i] / n / 1e3,
             tally->stage_ns[i] / compile_ns);
    tell(stdout, "  verified pairs per second and core: %.0f\n", (double)tally->failures[CHECK_OK] / total * 1e9);
    Text line;
    text_init(&line);
    text_lit(&line, "  forward:");
    for (int i = 0; i < CHECK_FAILURE_COUNT; i++)
        if (tally->failures[i])
            text_format(&line, "  %s %lld", check_failure_name((CheckFailure)i), tally->failures[i]);
    text_lit(&line, "\n  findings:");
    for (int i = 1; i <= FINDING_UNSUPPORTED; i++)
        if (tally->findings[i])
            text_format(&line, "  %s %lld", finding_name((FindingKind)i), tally->findings[i]);
    text_char(&line, '\n');
    tell_text(stdout, line.data, line.len);
    text_free(&line);
    tell(stdout,
         "  gradients:  pass %lld  mismatch %lld  none %lld; largest error that passes %.1e, of the values %.1e\n",
         tally->gradients[GRADIENT_PASS], tally->gradients[GRADIENT_MISMATCH], tally->gradients[GRADIENT_NONE],
         tally->worst_passing, tally->worst_forward);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (tally->by_category[i])
            tell(stdout, "    %-18s %6lld kernels, %5lld rejected, %5lld gradients marked\n",
                 category_name((CategoryId)i), tally->by_category[i], tally->rejected_by_category[i],
                 tally->mismatch_by_category[i]);
}

int bench_verify(const BenchRun *run)
{
    static Tally tally; /* large, and only one */
    SynthContext *context = synth_new(run->warp);
    Weft *weft = weft_new(run->warp);
    Text source, errors;
    text_init(&source);
    text_init(&errors);
    double synth_ns = 0, compile_ns = 0;
    bool good = context && weft;
    tally.show = run->show;
    tally.progress = run->progress;
    for (long long i = run->start; good && i < run->start + run->count; i++) {
        SynthSample sample;
        double start = clock_seconds() * 1e9;
        good = synth_sample(context, (uint64_t)run->seed, (uint64_t)i, &run->weights, &sample);
        synth_ns += clock_seconds() * 1e9 - start;
        if (!good)
            break;
        progress_tell(run->progress, "kernels", (uint64_t)(i - run->start), (uint64_t)run->count, "");
        tally.sample = &sample;
        tally.index = (uint64_t)i;
        source.len = errors.len = 0;
        synth_add_module(&sample, &source);
        PipelineOptions options = pipeline_options();
        double checked = tally.check_ns;
        start = clock_seconds() * 1e9;
        good = pipeline_compile(weft, &(Source){"synth.py", source.data, source.len}, &options,
                                &(PipelineVisitor){.compiled = verify, .user = &tally, .errors = &errors});
        compile_ns += clock_seconds() * 1e9 - start - (tally.check_ns - checked);
        put_text(&errors, stderr);
    }
    progress_end(run->progress, NULL);
    if (!good)
        tell(stderr, "weft: out of memory\n");
    else if (run->json)
        print_json(&tally, synth_ns, compile_ns);
    else
        print_text(&tally, synth_ns, compile_ns);
    text_free(&source);
    text_free(&errors);
    synth_free(context);
    weft_free(weft);
    return good ? EXIT_DONE : EXIT_FOUND;
}
