#include "gpu/trial.h"

#include "base/pool.h"
#include "gpu/arguments.h"
#include "gpu/reference.h"
#include "pipeline.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_SEED = 71 };

typedef struct Trials {
    const Sample *samples;
    uint32_t count, next;
    BuildTarget target;
    const TrialOptions *options;
    TrialResult *results;
    pthread_mutex_t lock, machine_lock;
} Trials;

/* One sample in the hands of one thread. */
typedef struct Trial {
    Trials *trials;
    const Sample *sample;
    TrialResult *result;
    bool holds_machine, visited;
    Reference reference;
    Launch *forward, *backward; /* what the machine made */
} Trial;

static void say(Trial *trial, const char *what, const char *why)
{
    snprintf(trial->result->message, sizeof trial->result->message, "%s: %s", what, why);
}

/* ---- on the machine ---- */

static void take_machine(Trial *trial)
{
    if (trial->trials->options->one_at_a_time)
        pthread_mutex_lock(&trial->trials->machine_lock);
    trial->holds_machine = trial->trials->options->one_at_a_time;
}

/* Also after memory ran out while it was held. */
static void leave_machine(Trial *trial)
{
    if (trial->holds_machine)
        pthread_mutex_unlock(&trial->trials->machine_lock);
    trial->holds_machine = false;
}

static bool launch_both(Trial *trial, Arguments *arguments, const DeviceKernel *kernel, GpuError *error)
{
    if (!arguments_launch(arguments, kernel->forward, false, error)) {
        say(trial, "forward", error->message);
        return false;
    }
    if (!arguments_fetch(arguments, trial->forward, error)) {
        say(trial, "after forward", error->message);
        return false;
    }
    if (!trial->reference.backward)
        return true;
    if (!arguments_launch(arguments, kernel->backward, true, error)) {
        say(trial, "backward", error->message);
        return false;
    }
    if (arguments_fetch(arguments, trial->backward, error))
        return true;
    say(trial, "after backward", error->message);
    return false;
}

/* False: it was lost before this sample's turn came. */
static bool run_on_machine(Trial *trial)
{
    const TrialOptions *options = trial->trials->options;
    TrialResult *result = trial->result;
    Arena *arena = trial->reference.unit->arena;
    Arguments arguments;
    DeviceKernel kernel = {0};
    GpuError error = {""};
    trial->forward = launch_copy(arena, trial->reference.start);
    trial->backward = launch_copy(arena, trial->reference.start);
    take_machine(trial);
    if (options->machine->is_lost) {
        leave_machine(trial);
        return false;
    }
    bool ready = options->find(trial->sample, &kernel, options->user, &error) &&
                 arguments_make(&arguments, arena, options->machine, trial->reference.start, &error);
    if (ready) {
        result->ran = launch_both(trial, &arguments, &kernel, &error);
        arguments_release(&arguments);
    } else
        say(trial, "not run", error.message);
    leave_machine(trial);
    memcpy(result->registers, kernel.registers, sizeof result->registers);
    memcpy(result->local_bytes, kernel.local_bytes, sizeof result->local_bytes);
    return true;
}

/* ---- comparing ---- */

/* Twice where necessary: most kernels agree at once; for the others it is found out how much rounding matters. */
static bool compare(Trial *trial, bool gradients, Comparison *comparison)
{
    Reference *reference = &trial->reference;
    const Launch *result = gradients ? trial->backward : trial->forward;
    const Runs *runs = gradients ? &reference->reverse : &reference->forward;
    compare_launch(result, runs, gradients, reference->names, comparison);
    if (comparison->wrong && !reference->widened)
        reference_widen(reference);
    if (comparison->wrong)
        compare_launch(result, runs, gradients, reference->names, comparison);
    if (comparison->wrong && (comparison->unordered || trial->result->unordered)) {
        if (!reference->rotated)
            reference_rotate(reference);
        compare_launch(result, runs, gradients, reference->names, comparison);
    }
    trial->result->cells += comparison->cells;
    trial->result->loose += comparison->loose;
    trial->result->unordered += comparison->unordered;
    if (!comparison->wrong)
        return true;
    if (!trial->result->message[0])
        snprintf(trial->result->message, sizeof trial->result->message, "%s is %s (%llu of %llu differ)",
                 comparison->where, comparison->what, (unsigned long long)comparison->wrong,
                 (unsigned long long)comparison->cells);
    return false;
}

static void compare_results(Trial *trial)
{
    TrialResult *result = trial->result;
    Comparison comparison;
    result->forward = compare(trial, false, &comparison);
    result->forward_error = comparison.largest;
    result->has_backward = trial->reference.backward;
    if (!trial->reference.backward)
        return;
    result->backward = compare(trial, true, &comparison);
    result->backward_error = comparison.largest;
}

static void keep_evidence(Trial *trial)
{
    const TrialOptions *options = trial->trials->options;
    const Reference *reference = &trial->reference;
    bool fine = trial->result->forward && (trial->result->backward || !trial->result->has_backward);
    if (!options->keep || fine || !reference->start)
        return;
    TrialEvidence evidence = {.sample = trial->sample,
                              .result = trial->result,
                              .start = reference->start,
                              .device = trial->forward,
                              .expected = reference->forward.count ? reference->forward.moved[0].own : NULL,
                              .device_gradients = reference->backward ? trial->backward : NULL,
                              .expected_gradients = reference->reverse.count ? reference->reverse.moved[0].own : NULL,
                              .names = reference->names};
    pthread_mutex_lock(&trial->trials->lock);
    options->keep(&evidence, options->user);
    pthread_mutex_unlock(&trial->trials->lock);
}

/* ---- one sample ---- */

/* Where nothing is said about a launch, its defaults are tried first; a kernel that reaches further gets larger arrays, and
 * one whose threads meet runs on one thread. */
static void default_launch(const Compiled *compiled, uint32_t attempt, CheckLaunch *launch)
{
    static const uint32_t extents[] = {0, 64, 32, 16, 8}; /* by dimensions: so many elements fit any machine */
    const Code *code = compiled->module->kernel->code;
    *launch = (CheckLaunch){0};
    if (!attempt)
        return;
    launch->args = ARENA_ARRAY(compiled->unit->arena, CheckArg, code->param_count);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Type *type = code->params[i].type;
        if (!type || type->kind != TYPE_ARRAY || type->array.ndim < 1 || type->array.ndim > 4)
            continue;
        CheckArg *arg = &launch->args[launch->arg_count++];
        *arg = (CheckArg){.name = code->params[i].name->text, .ndim = type->array.ndim};
        for (uint32_t d = 0; d < arg->ndim; d++)
            arg->shape[d] = extents[arg->ndim];
    }
    if (attempt < 2)
        return;
    launch->ndim = compiled->module->kernel->kernel_dim;
    for (uint32_t d = 0; d < 4; d++)
        launch->dim[d] = 1;
}

static bool find_reference(Trial *trial, const Compiled *compiled, CheckLaunch *launch, bool backward)
{
    uint32_t attempts = trial->sample->launch ? 1 : 3;
    for (uint32_t attempt = 0; attempt < attempts; attempt++) {
        if (!trial->sample->launch)
            default_launch(compiled, attempt, launch);
        if (reference_make(&trial->reference, compiled->unit, compiled->module, launch, TRIAL_SEED, backward,
                           trial->trials->options->races))
            return true;
    }
    return false;
}

static bool visit(const Compiled *compiled, void *user)
{
    Trial *trial = user;
    TrialResult *result = trial->result;
    const Sample *sample = trial->sample;
    CheckLaunch launch = {0};
    const char *wrong = NULL;
    trial->visited = true;
    if (sample->launch)
        wrong = check_launch_read(compiled->unit->arena, sample->launch, strlen(sample->launch), &launch);
    if (wrong) {
        result->tried = true;
        say(trial, "its launch", wrong);
        return false;
    }
    bool backward = sample->text[trial->trials->target].backward != NULL;
    if (!find_reference(trial, compiled, &launch, backward)) {
        result->tried = result->skipped = true;
        say(trial, "not comparable", trial->reference.why ? trial->reference.why : "no reason is known");
        return false;
    }
    result->seed = trial->reference.seed;
    result->poisoned = trial->reference.poisoned;
    result->undefined_backward = backward && !trial->reference.backward;
    if (!run_on_machine(trial))
        return false;
    if (result->ran)
        compare_results(trial);
    keep_evidence(trial);
    result->tried = true;
    return false;
}

static void work(void *user, unsigned number)
{
    (void)number;
    Trials *trials = user;
    Weft *weft = weft_new(NULL);
    for (;;) {
        pthread_mutex_lock(&trials->lock);
        uint32_t i = trials->next++;
        watch_tell(&trials->options->watch, "kernels run", i < trials->count ? i : trials->count, trials->count);
        pthread_mutex_unlock(&trials->lock);
        if (i >= trials->count || !weft)
            break;
        const Sample *sample = &trials->samples[i];
        if (sample->module[trials->target] < 0 || trials->results[i].tried)
            continue;
        if (trials->options->machine->is_lost)
            break;
        Trial trial = {.trials = trials, .sample = sample, .result = &trials->results[i]};
        WeftOptions options = weft_default_options();
        options.cuda = options.cpu = options.source = false;
        options.kernel = sample->name;
        bool done =
            pipeline_compile(weft, sample->id, sample->source, strlen(sample->source), &options, visit, &trial, NULL);
        leave_machine(&trial);
        trials->results[i].tried |= !done || !trial.visited;
        if (!done || !trial.visited)
            say(&trial, "not run", done ? "its source has no such kernel" : "out of memory");
    }
    weft_free(weft);
}

void trial_samples(const Sample *samples, uint32_t count, BuildTarget target, const TrialOptions *options,
                   TrialResult *results)
{
    Trials trials = {.samples = samples, .count = count, .target = target, .options = options, .results = results};
    pthread_mutex_init(&trials.lock, NULL);
    pthread_mutex_init(&trials.machine_lock, NULL);
    pool_run_once(options->jobs ? options->jobs : 1, work, &trials);
    pthread_mutex_destroy(&trials.lock);
    pthread_mutex_destroy(&trials.machine_lock);
}
