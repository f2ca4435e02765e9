#include "check/scene.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SHOWN = 2 };

typedef struct SceneCheck {
    const SynthSample *sample;
    uint64_t index;
    bool seen, good;
    char reason[256];
} SceneCheck;

static bool visit(const Compiled *compiled, void *user)
{
    SceneCheck *check = user;
    CheckLaunch launch;
    CheckResult result;
    CheckOptions options = {.seed = check->index, .filters = true, .threads = CHECK_SPREAD};
    check->seen = true;
    const char *wrong =
        check_launch_read(compiled->unit->building, check->sample->launch, check->sample->launch_len, &launch);
    if (wrong) {
        snprintf(check->reason, sizeof check->reason, "launch: %s", wrong);
        return false;
    }
    memset(&result, 0, sizeof result);
    check_kernel(compiled->unit, compiled->module, &launch, &options, &result);
    check->good = result.failure == CHECK_OK;
    snprintf(check->reason, sizeof check->reason, "%s %s: %s", check_failure_name(result.failure),
             finding_name(result.finding.kind), result.finding.message ? result.finding.message : "");
    return false;
}

static void report_sample(const SceneCheck *check, const Text *errors, SceneTally *tally, Text *report)
{
    if (tally->shown++ >= MOST_SHOWN)
        return;
    text_format(report, "sample %llu: %s\n", (unsigned long long)check->index, check->seen ? check->reason : "refused");
    text_add(report, errors->data, errors->len);
    text_add(report, check->sample->source, check->sample->source_len);
    text_add(report, check->sample->launch, check->sample->launch_len);
    text_lit(report, "\n\n");
}

bool check_scene(SynthContext *context, Weft *weft, uint32_t scene, uint64_t seed, uint32_t count, SceneTally *tally,
                 Text *report)
{
    Text source, errors;
    bool running = true;
    text_init(&source);
    text_init(&errors);
    *tally = (SceneTally){0};
    for (uint32_t i = 0; running && i < count; i++) {
        SynthSample sample;
        if (!synth_scene_sample(context, seed, i, scene, &sample)) {
            const char *refusal = synth_last_refusal(context);
            text_format(report, "%s\n", refusal ? refusal : "out of memory");
            break;
        }
        SceneCheck check = {.sample = &sample, .index = i};
        PipelineOptions options = pipeline_options();
        source.len = errors.len = 0;
        synth_add_module(&sample, &source);
        running = pipeline_compile(weft, &(Source){"scene.py", source.data, source.len}, &options,
                                   &(PipelineVisitor){.compiled = visit, .user = &check, .errors = &errors});
        tally->samples++;
        tally->good += check.good;
        tally->wrong_alone += !check.good && !sample.extended;
        if (!check.good)
            report_sample(&check, &errors, tally, report);
    }
    text_free(&source);
    text_free(&errors);
    return running;
}
