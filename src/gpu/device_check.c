#include "gpu/device_check.h"

#include "base/pool.h"
#include "check/tile_launch.h"
#include "check/usual.h"
#include "gpu/arguments.h"
#include "gpu/reference.h"
#include "ir/tile_shared.h"
#include "pipeline.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_CHECK_SEED = 71 };

typedef struct DeviceChecks {
    const Sample *samples;
    uint32_t count, next;
    BuildTarget target;
    const DeviceCheckOptions *options;
    DeviceCheckResult *results;
    pthread_mutex_t lock, machine_lock;
} DeviceChecks;

/* One sample in the hands of one thread. */
typedef struct DeviceCheck {
    DeviceChecks *checks;
    const Sample *sample;
    DeviceCheckResult *result;
    bool holds_machine, visited;
    Reference reference;
    Launch *forward, *backward; /* what the machine made */
} DeviceCheck;

static void say(DeviceCheck *check, const char *what, const char *why)
{
    snprintf(check->result->message, sizeof check->result->message, "%s: %s", what, why);
}

/* ---- on the machine ---- */

/* Warp's C++ keeps the tiles of a kernel in memory that all threads of a process share. */
static void take_machine(DeviceCheck *check)
{
    bool alone = check->checks->options->one_at_a_time || check->reference.module->uses_tiles;
    if (alone)
        pthread_mutex_lock(&check->checks->machine_lock);
    check->holds_machine = alone;
}

/* Safe to call after an allocation failure. */
static void leave_machine(DeviceCheck *check)
{
    if (check->holds_machine)
        pthread_mutex_unlock(&check->checks->machine_lock);
    check->holds_machine = false;
}

static bool has_local_array(const IrFunction *function)
{
    for (uint32_t i = 0; i < function->vars.count; i++) {
        const Type *type = function->vars.items[i]->type;
        if (type->kind == TYPE_ARRAY && type->array.cls == ARRAY_FIXED)
            return true;
    }
    return false;
}

/* Warp's reverse pass adds to the adjoint of an array that lives in a thread by an atomic operation. A GPU has none for such
 * memory: where the compiler sees through it, the kernel is made to stop. */
static bool adds_to_local_array(const IrModule *module)
{
    bool found = has_local_array(module->kernel);
    for (uint32_t i = 0; i < module->function_count && !found; i++)
        found = has_local_array(module->functions[i]);
    return found;
}

static bool launch_both(DeviceCheck *check, Arguments *arguments, const DeviceKernel *kernel, GpuError *error)
{
    const IrModule *module = check->reference.module;
    SharedBytes shared = ir_shared_bytes(module);
    unsigned block = module->uses_tiles ? check->reference.start->block_dim : 0;
    arguments_set_block(arguments, block, (unsigned)shared.forward);
    if (!arguments_launch(arguments, kernel->forward, false, error)) {
        say(check, "forward", error->message);
        return false;
    }
    if (!arguments_fetch(arguments, check->forward, error)) {
        say(check, "after forward", error->message);
        return false;
    }
    if (!check->reference.backward)
        return true;
    arguments_set_block(arguments, block, (unsigned)shared.backward);
    if (!arguments_launch(arguments, kernel->backward, true, error)) {
        check->result->local_atomics =
            check->checks->target == BUILD_CUDA && adds_to_local_array(check->reference.module);
        if (!check->result->local_atomics)
            say(check, "backward", error->message);
        return check->result->local_atomics;
    }
    if (arguments_fetch(arguments, check->backward, error))
        return true;
    say(check, "after backward", error->message);
    return false;
}

/* False: it was lost before this sample's turn came. */
static bool run_on_machine(DeviceCheck *check)
{
    const DeviceCheckOptions *options = check->checks->options;
    DeviceCheckResult *result = check->result;
    Arena *arena = check->reference.unit->arena;
    Arguments arguments;
    DeviceKernel kernel = {0};
    GpuError error = {""};
    check->forward = launch_copy(arena, check->reference.start);
    check->backward = launch_copy(arena, check->reference.start);
    take_machine(check);
    if (options->machine->is_lost) {
        leave_machine(check);
        return false;
    }
    bool ready = options->find(check->sample, &kernel, options->user, &error) &&
                 arguments_make(&arguments, arena, options->machine, check->reference.start, &error);
    if (ready) {
        result->ran = launch_both(check, &arguments, &kernel, &error);
        arguments_release(&arguments);
    } else
        say(check, "not run", error.message);
    leave_machine(check);
    memcpy(result->registers, kernel.registers, sizeof result->registers);
    memcpy(result->local_bytes, kernel.local_bytes, sizeof result->local_bytes);
    return true;
}

/* ---- comparing ---- */

/* Twice where necessary: most kernels agree at once; for the others it is found out how much rounding matters. */
static bool compare(DeviceCheck *check, bool gradients, Comparison *comparison)
{
    Reference *reference = &check->reference;
    const Launch *result = gradients ? check->backward : check->forward;
    const Runs *runs = gradients ? &reference->reverse : &reference->forward;
    compare_launch(result, runs, gradients, reference->names, comparison);
    if (comparison->wrong && !reference->widened)
        reference_widen(reference);
    if (comparison->wrong)
        compare_launch(result, runs, gradients, reference->names, comparison);
    if (comparison->wrong && (comparison->unordered || check->result->unordered)) {
        if (!reference->rotated)
            reference_rotate(reference);
        compare_launch(result, runs, gradients, reference->names, comparison);
    }
    check->result->cells += comparison->cells;
    check->result->loose += comparison->loose;
    check->result->unordered += comparison->unordered;
    if (!comparison->wrong)
        return true;
    if (!check->result->message[0])
        snprintf(check->result->message, sizeof check->result->message, "%s is %s (%llu of %llu differ)",
                 comparison->where, comparison->what, (unsigned long long)comparison->wrong,
                 (unsigned long long)comparison->cells);
    return false;
}

static void compare_results(DeviceCheck *check)
{
    DeviceCheckResult *result = check->result;
    Comparison comparison;
    result->forward = compare(check, false, &comparison);
    result->forward_error = comparison.largest;
    result->has_backward = check->reference.backward && !result->local_atomics;
    if (!result->has_backward)
        return;
    result->backward = compare(check, true, &comparison);
    result->backward_error = comparison.largest;
}

static void keep_failure(DeviceCheck *check)
{
    const DeviceCheckOptions *options = check->checks->options;
    const Reference *reference = &check->reference;
    bool fine = check->result->forward && (check->result->backward || !check->result->has_backward);
    if (!options->keep || fine || !reference->start)
        return;
    FailedCheck failed = {.sample = check->sample,
                          .result = check->result,
                          .start = reference->start,
                          .device = check->forward,
                          .expected = reference->forward.count ? reference->forward.moved[0].own : NULL,
                          .device_gradients = reference->backward ? check->backward : NULL,
                          .expected_gradients = reference->reverse.count ? reference->reverse.moved[0].own : NULL,
                          .names = reference->names};
    pthread_mutex_lock(&check->checks->lock);
    options->keep(&failed, options->user);
    pthread_mutex_unlock(&check->checks->lock);
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

static bool find_reference(DeviceCheck *check, const Compiled *compiled, CheckLaunch *launch, bool backward)
{
    bool has_tiles = compiled->module->uses_tiles;
    uint32_t attempts = check->sample->launch || has_tiles ? 1 : 3;
    if (has_tiles && check->sample->launch && check->checks->target == BUILD_CPP)
        tile_launch_single(launch->dim, launch->ndim, &launch->block_dim);
    for (uint32_t attempt = 0; attempt < attempts; attempt++) {
        if (!check->sample->launch && has_tiles)
            *launch = usual_launch(&(CheckLaunch){.block_dim = compiled->unit->block_dim}, compiled, 0, 0);
        else if (!check->sample->launch)
            default_launch(compiled, attempt, launch);
        if (reference_make(&check->reference, compiled->unit, compiled->module, launch, DEVICE_CHECK_SEED, backward,
                           check->checks->options->races))
            return true;
    }
    return false;
}

static bool visit(const Compiled *compiled, void *user)
{
    DeviceCheck *check = user;
    DeviceCheckResult *result = check->result;
    const Sample *sample = check->sample;
    CheckLaunch launch = {0};
    const char *wrong = NULL;
    check->visited = true;
    if (sample->launch)
        wrong = check_launch_read(compiled->unit->arena, sample->launch, strlen(sample->launch), &launch);
    if (wrong) {
        result->tried = true;
        say(check, "its launch", wrong);
        return false;
    }
    bool backward = sample->text[check->checks->target].backward != NULL;
    if (!find_reference(check, compiled, &launch, backward)) {
        result->tried = result->skipped = true;
        say(check, "not comparable", check->reference.why ? check->reference.why : "no reason is known");
        return false;
    }
    result->seed = check->reference.seed;
    result->poisoned = check->reference.poisoned;
    result->undefined_backward = backward && !check->reference.backward;
    if (!run_on_machine(check))
        return false;
    if (result->ran)
        compare_results(check);
    keep_failure(check);
    result->tried = true;
    return false;
}

static void work(void *user, unsigned number)
{
    (void)number;
    DeviceChecks *checks = user;
    Weft *weft = checks->count ? weft_new(checks->samples[0].warp) : NULL;
    for (;;) {
        pthread_mutex_lock(&checks->lock);
        uint32_t i = checks->next++;
        watch_tell(&checks->options->watch, "kernels run", i < checks->count ? i : checks->count, checks->count);
        pthread_mutex_unlock(&checks->lock);
        if (i >= checks->count || !weft)
            break;
        const Sample *sample = &checks->samples[i];
        if (sample->module[checks->target] < 0 || checks->results[i].tried)
            continue;
        if (checks->options->machine->is_lost)
            break;
        DeviceCheck check = {.checks = checks, .sample = sample, .result = &checks->results[i]};
        PipelineOptions options = pipeline_options();
        options.weft.cuda = options.weft.cpu = options.weft.source = false;
        options.weft.kernel = sample->name;
        options.weft.block_dim = checks->target == BUILD_CPP ? 1 : sample->block_dim;
        bool done = pipeline_compile(weft, &(Source){sample->id, sample->source, strlen(sample->source)}, &options,
                                     &(PipelineVisitor){.compiled = visit, .user = &check});
        leave_machine(&check);
        checks->results[i].tried |= !done || !check.visited;
        if (!done || !check.visited)
            say(&check, "not run", done ? "its source has no such kernel" : "out of memory");
    }
    weft_free(weft);
}

void check_on_device(const Sample *samples, uint32_t count, BuildTarget target, const DeviceCheckOptions *options,
                     DeviceCheckResult *results)
{
    DeviceChecks checks = {
        .samples = samples, .count = count, .target = target, .options = options, .results = results};
    pthread_mutex_init(&checks.lock, NULL);
    pthread_mutex_init(&checks.machine_lock, NULL);
    pool_run_once(options->jobs ? options->jobs : 1, work, &checks);
    pthread_mutex_destroy(&checks.lock);
    pthread_mutex_destroy(&checks.machine_lock);
}

void device_totals_add(DeviceTotals *totals, const DeviceCheckResult *result)
{
    totals->skipped += result->skipped;
    totals->ran += result->ran;
    totals->forward += result->forward;
    totals->with_backward += result->has_backward;
    totals->backward += result->backward;
    totals->undefined_backward += result->undefined_backward;
    totals->local_atomics += result->local_atomics;
    totals->poisoned += result->poisoned;
    totals->only_unfused += result->only_unfused;
    totals->cells += result->cells;
    totals->loose += result->loose;
    totals->unordered += result->unordered;
    totals->forward_error = fmax(totals->forward_error, result->forward_error);
    totals->backward_error = fmax(totals->backward_error, result->backward_error);
}
