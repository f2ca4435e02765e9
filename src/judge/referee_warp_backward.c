/* Backward kernels in CUDA as Warp writes it: compiled against Warp's own headers and run on the results of the
 * forward pass. Gradients are compared with the reverse pass of the region tree. The tolerance covers rounding and
 * the order of threads (gpu/compare.h). */
#include "judge/referee.h"

#include "check/tile_launch.h"
#include "gpu/arguments.h"
#include "gpu/reference.h"

#include <stdio.h>
#include <xxhash.h>

enum { DRAWS = 3 };

typedef struct BackwardStep {
    Reference reference;
    Arguments arguments; /* where this process has them */
    const char *label;
} BackwardStep;

typedef struct BackwardHearing {
    Referee *referee;
    const json_t *record;
    Span code;
    Verdict *verdict;
    Machine *machine;
    BackwardStep steps[DRAWS];
    JobLaunch jobs[DRAWS];
    uint32_t count;
} BackwardHearing;

/* ---- launches ---- */

static void add_buffers(const Arguments *arguments, JobLaunch *job)
{
    for (uint32_t i = 0; i < arguments->array_count; i++) {
        const DeviceArray *array = &arguments->arrays[i];
        const uint64_t places[] = {array->data, array->grad};
        for (int k = 0; k < 2; k++)
            if (places[k])
                job->buffers[job->buffer_count++] = (JobBuffer){(const char *)(uintptr_t)places[k], array->size};
    }
}

static void add_param(Arena *arena, const void *bytes, size_t size, JobLaunch *job)
{
    JobParam *param = &job->params[job->param_count++];
    *param = (JobParam){.bytes = bytes, .size = (uint32_t)size};
    trial_find_pointers(arena, job, param);
}

static void pack(Arena *arena, const BackwardStep *step, JobLaunch *job)
{
    const Arguments *arguments = &step->arguments;
    const Launch *launch = arguments->launch;
    unsigned char *bounds = arena_alloc(arena, BOUNDS_MAX_SIZE);
    *job = (JobLaunch){.threads = (uint32_t)arguments->packed.threads, .block = 32};
    job->buffers = ARENA_ARRAY(arena, JobBuffer, 2 * arguments->array_count + 1);
    job->params = ARENA_ARRAY(arena, JobParam, 2 * launch->arg_count + 1);
    add_buffers(arguments, job);
    add_param(arena, bounds, layout_put_bounds(launch, bounds), job);
    const unsigned char *const blocks[] = {arguments->packed.args, arguments->packed.adjoints};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < launch->arg_count; i++)
            add_param(arena, blocks[k] + arguments->offsets[i], layout_size(launch->args[i].type), job);
}

/* Draws inputs from a seed by the record's description and runs forward: the backward kernel starts there. */
static bool add_step(BackwardHearing *hearing, const Compiled *compiled, const CheckLaunch *description, uint64_t seed)
{
    Arena *arena = compiled->unit->arena;
    BackwardStep *step = &hearing->steps[hearing->count];
    GpuError error;
    if (!reference_make(&step->reference, compiled->unit, compiled->module, description, seed, true, false) ||
        !step->reference.backward ||
        !arguments_make(&step->arguments, arena, hearing->machine, step->reference.forward.moved[0].own, &error))
        return false;
    step->label = arena_format(arena, "launch %u (%llu threads)", hearing->count + 1,
                               (unsigned long long)step->arguments.packed.threads);
    pack(arena, step, &hearing->jobs[hearing->count++]);
    return true;
}

static void plan(BackwardHearing *hearing, const Compiled *compiled, const CheckLaunch *description)
{
    const RefereeOptions *options = hearing->referee->options;
    const char *id = json_member_string(hearing->record, "id");
    uint64_t seed = options->hidden ? secret_seed(options->hidden, id) : XXH3_64bits(id, strlen(id));
    CheckLaunch launch = *description;
    if (launch.block_dim)
        tile_launch_single(launch.dim, launch.ndim, &launch.block_dim);
    for (uint64_t i = 0; i < DRAWS; i++)
        add_step(hearing, compiled, &launch, seed + i);
}

/* ---- comparing ---- */

/* Twice where necessary, as rounding and the order of threads may matter. */
static bool gradients_agree(Reference *reference, const Launch *result, Comparison *comparison)
{
    compare_launch(result, &reference->reverse, true, reference->names, comparison);
    if (comparison->wrong && !reference->widened)
        reference_widen(reference);
    if (comparison->wrong)
        compare_launch(result, &reference->reverse, true, reference->names, comparison);
    if (comparison->wrong && comparison->unordered) {
        if (!reference->rotated)
            reference_rotate(reference);
        compare_launch(result, &reference->reverse, true, reference->names, comparison);
    }
    return !comparison->wrong;
}

static bool step_agrees(BackwardStep *step, Arena *arena, uint32_t number, const char *bytes, char *why, size_t size)
{
    Launch *after = launch_copy(arena, step->arguments.launch);
    Comparison comparison = {0};
    GpuError error;
    JobMark mark;
    memcpy(&mark, bytes, sizeof mark);
    bytes += sizeof mark;
    snprintf(why, size, "what it gave back is not a result");
    if (mark.magic != JOB_MAGIC || mark.launch != number)
        return false;
    for (uint32_t i = 0; i < step->arguments.array_count; i++) {
        const DeviceArray *array = &step->arguments.arrays[i];
        const uint64_t places[] = {array->data, array->grad};
        for (int k = 0; k < 2; k++)
            if (places[k]) {
                memcpy((void *)(uintptr_t)places[k], bytes, array->size);
                bytes += array->size;
            }
    }
    snprintf(why, size, "it wrote outside of its arrays");
    if (mark.outside || !arguments_fetch(&step->arguments, after, &error))
        return false;
    bool agrees = gradients_agree(&step->reference, after, &comparison);
    snprintf(why, size, "%.90s is %.120s", comparison.where, comparison.what);
    return agrees;
}

static void compare(void *user, Arena *arena, const SandboxResult *result)
{
    BackwardHearing *hearing = user;
    Verdict *verdict = hearing->verdict;
    size_t at = 0;
    for (uint32_t i = 0; i < hearing->count; i++) {
        size_t size = sizeof(JobMark) + job_result_size(&hearing->jobs[i]);
        char why[240];
        if (result->results.len - at < size)
            return;
        bool agrees = step_agrees(&hearing->steps[i], arena, i, result->results.data + at, why, sizeof why);
        at += size;
        verdict->backward_launches.passed += agrees;
        if (verdict->backward != MARK_NO)
            verdict->backward = agrees ? MARK_YES : MARK_NO;
        if (!agrees && !verdict->difference[0])
            snprintf(verdict->difference, sizeof verdict->difference, "%.50s: %s", hearing->steps[i].label, why);
    }
    verdict->ran = at == result->results.len && result->status.stage == JOB_RAN && !result->status.exit_code;
}

/* ---- hearing ---- */

static bool hear(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    BackwardHearing *hearing = user;
    plan(hearing, compiled, description);
    if (hearing->count) {
        hearing->verdict->backward_launches.of = hearing->count;
        WarpCase heard = {hearing->record, "backward", hearing->code, hearing->jobs, hearing->count, compare, hearing};
        referee_run_warp(hearing->referee, &heard, compiled->unit->arena, hearing->verdict);
    } else {
        hearing->verdict->broken = true;
        snprintf(hearing->verdict->reason, sizeof hearing->verdict->reason,
                 "the record cannot be judged by: its reverse pass is not defined on any launch that was drawn");
    }
    for (uint32_t i = 0; i < hearing->count; i++)
        arguments_release(&hearing->steps[i].arguments);
    return true;
}

void referee_judge_warp_backward(Referee *referee, const json_t *record, Span code, Verdict *verdict)
{
    BackwardHearing *hearing = calloc(1, sizeof *hearing);
    if (hearing)
        *hearing = (BackwardHearing){
            .referee = referee, .record = record, .code = code, .verdict = verdict, .machine = machine_cpu()};
    if (!hearing || !hearing->machine || !workshop_visit(&referee->workshop, record, hear, hearing)) {
        verdict->broken = true;
        snprintf(verdict->reason, sizeof verdict->reason, "the record cannot be judged by: it does not compile");
    }
    free(hearing);
}
