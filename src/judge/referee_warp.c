/* Answers in CUDA as Warp writes it: compiled against Warp's own headers, forward. */
#include "judge/referee.h"

#include "check/tile_launch.h"
#include "corpus/launch_rows.h"
#include "gpu/arguments.h"
#include "gpu/build.h"
#include "judge_entry.h"
#include "judge_warp.h"

#include <stdio.h>

enum { MOST_WARP_STEPS = 40 };

/* NDEBUG as in Warp's own modules: its backward kernels set the shapes of gradients to zero where a kernel reads a
 * shape. Only the assertions of its headers read those. */
static const char *const answer_flags[] = {"-std=c++17",
                                           "-w",
                                           "-fPIC",
                                           "-O0",
                                           "-ffp-contract=off",
                                           "-DNDEBUG",
                                           "-I/judge/include",
                                           "-I/judge/warp",
                                           "-include",
                                           "/judge/include/weft_warp.h",
                                           NULL};

bool referee_prepare_warp(Sandbox *sandbox, const char *warp, const char *include, SandboxError *error)
{
    Toolchain tools;
    GpuError missing;
    char folder[1100];
    Dialect dialect;
    Text text;
    if (!toolchain_find_headers(&tools, include, warp, &missing)) {
        snprintf(error->message, sizeof error->message, "tasks of the kind %s: %.800s", task_kinds[KIND_WARP].name,
                 missing.message);
        return false;
    }
    snprintf(sandbox->warp_include, sizeof sandbox->warp_include, "%s", tools.warp_include);
    if (!sandbox->compiler[0]) /* NVRTC reads the headers as they are */
        return true;
    snprintf(folder, sizeof folder, "-I%s", tools.warp_include);
    dialect_find(warp, &dialect);
    text_init(&text);
    text_add(&text, (const char *)judge_warp, judge_warp_size);
    emit_preamble(&dialect, DEVICE_CUDA, 1, &text); /* blocks of one thread, as on Warp's CPU */
    text_str(&text, build_runtime());
    text_add(&text, (const char *)judge_entry, judge_entry_size);
    const char *const flags[] = {"-std=c++17", "-w", "-fPIC", "-O0", "-ffp-contract=off", "-DNDEBUG", folder, NULL};
    bool fine = !text.failed && sandbox_add_file(sandbox, "weft_warp.h", text.data, text.len, error);
    text_free(&text);
    return fine && (!sandbox_precompiles(sandbox) || sandbox_precompile(sandbox, "weft_warp.h", flags, error));
}

/* One call: the launch before it, and its arguments where this process has them. */
typedef struct WarpStep {
    Launch *start;
    Arguments arguments;
    bool is_placed;
} WarpStep;

typedef struct WarpHearing {
    Referee *referee;
    const json_t *record;
    Span code;
    Verdict *verdict;
    json_t *launches;
    CudaExamples examples;
    Machine *machine;
    WarpStep steps[MOST_WARP_STEPS];
    JobLaunch jobs[MOST_WARP_STEPS];
    uint32_t count;
    uint32_t stored; /* launches of the record, before the hidden ones */
} WarpHearing;

/* ---- as bytes ---- */

static JobParam make_param(Arena *arena, const void *bytes, size_t size, const JobLaunch *job)
{
    JobParam param = {.bytes = bytes, .size = (uint32_t)size};
    trial_find_pointers(arena, job, &param);
    return param;
}

static void pack_step(Arena *arena, const WarpStep *step, JobLaunch *job)
{
    const Arguments *arguments = &step->arguments;
    const Launch *launch = step->start;
    unsigned char *bounds = arena_alloc(arena, BOUNDS_MAX_SIZE);
    *job = (JobLaunch){.threads = (uint32_t)arguments->packed.threads, .block = 32};
    job->buffers = ARENA_ARRAY(arena, JobBuffer, arguments->array_count + 1);
    for (uint32_t i = 0; i < arguments->array_count; i++)
        if (arguments->arrays[i].data)
            job->buffers[job->buffer_count++] =
                (JobBuffer){(const char *)(uintptr_t)arguments->arrays[i].data, arguments->arrays[i].size};
    job->params = ARENA_ARRAY(arena, JobParam, launch->arg_count + 1);
    job->params[job->param_count++] = make_param(arena, bounds, layout_put_bounds(launch, bounds), job);
    for (uint32_t i = 0; i < launch->arg_count; i++)
        job->params[job->param_count++] =
            make_param(arena, arguments->packed.args + arguments->offsets[i], layout_size(launch->args[i].type), job);
}

static bool add_step(WarpHearing *hearing, const Compiled *compiled, Launch *launch)
{
    WarpStep *step = &hearing->steps[hearing->count];
    GpuError error;
    step->start = launch;
    step->is_placed = arguments_make(&step->arguments, compiled->unit->arena, hearing->machine, launch, &error);
    if (step->is_placed)
        pack_step(compiled->unit->arena, step, &hearing->jobs[hearing->count++]);
    return step->is_placed;
}

/* False: *why. */
static bool plan(WarpHearing *hearing, const Compiled *compiled, const char **why)
{
    Launch *first = NULL;
    *why = "its launches cannot be read";
    if (!trial_read(compiled->unit->arena, hearing->launches, &hearing->examples))
        return false;
    for (uint32_t i = 0; i < hearing->examples.count && i < MOST_WARP_STEPS; i++) {
        bool is_empty = !hearing->examples.items[i].dim[0];
        Launch *launch = is_empty && first ? launch_copy(compiled->unit->arena, first)
                                           : launch_of_rows(compiled, &hearing->examples.items[i], why);
        for (uint32_t d = 0; is_empty && launch && d < launch->ndim; d++)
            launch->dim[d] = 0;
        if (launch && launch->block_dim)
            tile_launch_single(launch->dim, launch->ndim, &launch->block_dim);
        first = first ? first : launch;
        if (!launch || !add_step(hearing, compiled, launch))
            return false;
    }
    return hearing->count;
}

/* ---- comparing ---- */

static bool step_agrees(WarpHearing *hearing, Arena *arena, uint32_t i, const char *bytes, char *why, size_t size)
{
    WarpStep *step = &hearing->steps[i];
    Launch *after = launch_copy(arena, step->start);
    JobMark mark;
    GpuError error;
    memcpy(&mark, bytes, sizeof mark);
    bytes += sizeof mark;
    snprintf(why, size, "what it gave back is not a result");
    if (mark.magic != JOB_MAGIC || mark.launch != i)
        return false;
    for (uint32_t k = 0; k < step->arguments.array_count; k++) {
        DeviceArray *array = &step->arguments.arrays[k];
        if (!array->data)
            continue;
        memcpy((void *)(uintptr_t)array->data, bytes, array->size);
        bytes += array->size;
    }
    snprintf(why, size, "it wrote outside of its arrays");
    return !mark.outside && arguments_fetch(&step->arguments, after, &error) &&
           python_launch_agrees(step->start, after, json_array_get(hearing->launches, i), why, size);
}

static void compare(void *user, Arena *arena, const SandboxResult *result)
{
    WarpHearing *hearing = user;
    Verdict *verdict = hearing->verdict;
    size_t at = 0;
    for (uint32_t i = 0; i < hearing->count; i++) {
        size_t size = sizeof(JobMark) + job_result_size(&hearing->jobs[i]);
        char why[200];
        if (result->results.len - at < size)
            return;
        bool agrees = step_agrees(hearing, arena, i, result->results.data + at, why, sizeof why);
        at += size;
        verdict->forward_launches.passed += agrees;
        if (verdict->forward != MARK_NO)
            verdict->forward = agrees ? MARK_YES : MARK_NO;
        if (!agrees && !verdict->difference[0])
            snprintf(verdict->difference, sizeof verdict->difference, "%.60s: %s",
                     trial_label(arena, &hearing->examples, hearing->stored, i), why);
    }
    verdict->ran = at == result->results.len && result->status.stage == JOB_RAN && !result->status.exit_code;
}

static AnswerText write_text(const Referee *referee, const WarpCase *heard, Span code, Arena *arena)
{
    AnswerText text = {.flags = answer_flags, .entries = {"", ""}};
    text.entries[0] =
        arena_format(arena, "%s_cuda_kernel_%s", json_member_string(heard->record, "mangled_name"), heard->pass);
    const char *preamble = json_member_string(heard->record, "cuda_includes");
    referee_write_source(referee, preamble, strlen(preamble), code, &text);
    return text;
}

void referee_run_warp(Referee *referee, const WarpCase *heard, Arena *arena, Verdict *verdict)
{
    SandboxResult result;
    Text reference;
    text_init(&reference);
    text_str(&reference, json_member_string(heard->record, "cuda_helpers"));
    text_str(&reference, json_member_string(heard->record, arena_format(arena, "cuda_%s", heard->pass)));
    AnswerText text = write_text(referee, heard, heard->code, arena);
    AnswerText own = write_text(referee, heard, (Span){reference.data, reference.len}, arena);
    referee_run(referee, &text, heard->jobs, heard->count, &result);
    bool explained = referee_explain(&result, "it", verdict);
    if (!verdict->stopped && !verdict->broken)
        heard->compare(heard->hearing, arena, &result);
    referee_conclude(verdict, explained);
    referee_time(referee, &own, heard->jobs, heard->count, verdict);
    text_free(&text.source);
    text_free(&own.source);
    text_free(&reference);
    sandbox_result_free(&result);
}

static bool hear(const Compiled *compiled, const CheckLaunch *description, void *user)
{
    WarpHearing *hearing = user;
    const char *why = NULL;
    hearing->launches =
        trial_launches(compiled, description, hearing->record, hearing->referee->options, &hearing->stored);
    if (hearing->referee->cards)
        hearing->stored = trial_fit_to_card(compiled, hearing->launches, hearing->stored);
    else
        trial_fit_to_cpu(hearing->launches);
    if (plan(hearing, compiled, &why)) {
        hearing->verdict->forward_launches.of = hearing->count;
        WarpCase heard = {hearing->record, "forward", hearing->code, hearing->jobs, hearing->count, compare, hearing};
        referee_run_warp(hearing->referee, &heard, compiled->unit->arena, hearing->verdict);
    } else {
        hearing->verdict->broken = true;
        snprintf(hearing->verdict->reason, sizeof hearing->verdict->reason, "the record cannot be judged by: %s", why);
    }
    for (uint32_t i = 0; i < MOST_WARP_STEPS; i++)
        if (hearing->steps[i].is_placed)
            arguments_release(&hearing->steps[i].arguments);
    return true;
}

void referee_judge_warp(Referee *referee, const json_t *record, Span code, Verdict *verdict)
{
    WarpHearing hearing = {.referee = referee, .record = record, .code = code, .verdict = verdict};
    hearing.machine = machine_cpu();
    if (!hearing.machine || !workshop_visit(&referee->workshop, record, hear, &hearing)) {
        verdict->broken = true;
        snprintf(verdict->reason, sizeof verdict->reason, "the record cannot be judged by: it does not compile");
    }
    json_decref(hearing.launches);
}
