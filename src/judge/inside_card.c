/* Answers on a card: a process takes it once, then runs one image after the other, until its input ends or something
 * fails. Only the card runs code of an answer. This process is weft and the driver, yet it has no more rights than
 * any other in the sandbox. An answer leaves nothing to the next: its arrays and shared and local memory are
 * overwritten. The process ends after an answer that keeps more (module variables, a heap) or breaks anything. */
#include "judge/inside.h"

#include "base/clock.h"
#include "base/safe_file.h"
#include "gpu/driver.h"
#include "judge/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    ZONE = 256,
    ZONE_BYTE = 0xa5,
    FIRST_MEMORY = 64 << 20,
    MOST_VARIABLES =
        256,            /* bytes of a module that are not worth a new process: tables of sine and cosine have as many */
    LOCAL_WORDS = 1024, /* that weft_scrub_local overwrites, of each thread */
    THREADS_OF_A_PROCESSOR = 2048,
    CARD_MOST_SHARED = 97, /* numbers of the driver's interface */
    NOT_READY = 600,
    MB = 1 << 20
};

typedef struct CardCalls {
#define CALL(member, name, params) int(*member) params;
#include "judge/card_calls.def"
#undef CALL
} CardCalls;

typedef struct Seat {
    Card card;
    CardCalls calls;
    InsideFiles files;
    CudaAddress memory;
    size_t memory_size;
    CudaFunction scrub[2]; /* shared, local */
    int shared_bytes;
    double began; /* the job that it does */
} Seat;

/* The outcome of a job. */
typedef struct Outcome {
    int exit_code;
    bool leaves; /* this process must not run another */
} Outcome;

static void tell(const Seat *seat, JobStage stage, int exit_code, bool leaves)
{
    JobStatus told = {.magic = JOB_MAGIC, .stage = (uint32_t)stage, .exit_code = exit_code, .leaves = leaves};
    told.milliseconds = (uint32_t)(1000 * (clock_seconds() - seat->began));
    write_fully(seat->files.status, (const char *)&told, sizeof told);
}

static Outcome fail(const Seat *seat, int result, const char *call)
{
    GpuError error = {""};
    card_check(&seat->card, result, call, &error);
    dprintf(seat->files.messages, "error: %.300s\n", error.message);
    return (Outcome){JOB_EXIT_FAULT, true};
}

/* ---- memory ---- */

/* Fills everything that answers can have written to in it. */
static int poison_memory(const Seat *seat)
{
    return seat->calls.fill(seat->memory, ZONE_BYTE, seat->memory_size);
}

static int reserve_memory(Seat *seat, size_t size)
{
    if (size <= seat->memory_size)
        return 0;
    if (seat->memory)
        seat->card.driver.release(seat->memory);
    seat->memory_size = (size + FIRST_MEMORY - 1) / FIRST_MEMORY * FIRST_MEMORY;
    int result = seat->card.driver.alloc(&seat->memory, seat->memory_size);
    return result ? result : poison_memory(seat);
}

/* The arrays of a launch in one piece, with zones around each. */
typedef struct Span {
    unsigned char *bytes; /* as they are before the launch, and then after it */
    size_t size, starts[JOB_MOST_BUFFERS];
} Span;

static bool lay_out(const JobLaunch *launch, Span *span)
{
    span->size = ZONE;
    for (uint32_t i = 0; i < launch->buffer_count; i++) {
        span->starts[i] = span->size;
        span->size += (launch->buffers[i].size + ZONE - 1) / ZONE * ZONE + ZONE;
    }
    span->bytes = malloc(span->size);
    if (!span->bytes)
        return false;
    memset(span->bytes, ZONE_BYTE, span->size);
    for (uint32_t i = 0; i < launch->buffer_count; i++)
        memcpy(span->bytes + span->starts[i], launch->buffers[i].bytes, launch->buffers[i].size);
    return true;
}

/* Was anything written outside of the arrays? The number of the array behind it + 1. */
static uint32_t written_outside(const JobLaunch *launch, const Span *span)
{
    size_t at = 0;
    for (uint32_t i = 0; i <= launch->buffer_count; i++) {
        size_t end = i < launch->buffer_count ? span->starts[i] : span->size;
        for (; at < end; at++)
            if (span->bytes[at] != ZONE_BYTE)
                return i ? i : 1;
        at += i < launch->buffer_count ? launch->buffers[i].size : 0;
    }
    return 0;
}

/* ---- one launch ---- */

typedef struct Call {
    CudaFunction function;
    unsigned blocks, block;
    void *args[JOB_MOST_PARAMS + 1];
} Call;

/* The parameters, with addresses of the card where pointers stand in them. */
static bool make_call(const Seat *seat, const JobLaunch *launch, const Span *span, Arena *arena, Call *call)
{
    call->block = launch->block;
    call->blocks = launch->threads ? (launch->threads + launch->block - 1) / launch->block : 1;
    for (uint32_t i = 0; i < launch->param_count; i++) {
        const JobParam *param = &launch->params[i];
        size_t offset, size;
        if (seat->calls.param_info(call->function, i, &offset, &size) != 0 || size != param->size)
            return false;
        char *bytes = call->args[i] = arena_alloc(arena, param->size + 16);
        memcpy(bytes, param->bytes, param->size);
        for (uint32_t k = 0; k < param->pointer_count; k++) {
            CudaAddress address = seat->memory + span->starts[param->pointers[k].buffer];
            memcpy(bytes + param->pointers[k].offset, &address, sizeof address);
        }
    }
    size_t offset, size;
    return seat->calls.param_info(call->function, launch->param_count, &offset, &size) != 0; /* no more than those */
}

static int start(const Seat *seat, const Call *call, unsigned shared, void **args)
{
    return seat->card.driver.launch(call->function, call->blocks, 1, 1, call->block, 1, 1, shared, NULL, args, NULL);
}

/* Until the card has done all that it was given; NOT_READY: it takes longer than it may. */
static int wait_until(const Seat *seat, double deadline)
{
    double began = clock_seconds();
    for (;;) {
        int result = seat->calls.stream_query(NULL);
        double now = clock_seconds();
        if (result != NOT_READY || now > deadline)
            return result;
        if (now - began > 1e-3)
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
}

static Outcome run_once(Seat *seat, const JobLaunch *launch, Span *span, Call *call, double deadline, JobMark *mark)
{
    const Driver *driver = &seat->card.driver;
    int result = driver->to_device(seat->memory, span->bytes, span->size);
    if (result)
        return fail(seat, result, "cuMemcpyHtoD");
    result = start(seat, call, 0, call->args);
    if (result)
        return fail(seat, result, "cuLaunchKernel");
    result = wait_until(seat, deadline);
    if (result == NOT_READY)
        return (Outcome){JOB_EXIT_TIME, true};
    if (result)
        return fail(seat, result, "the launch");
    result = driver->to_host(span->bytes, seat->memory, span->size);
    if (result)
        return fail(seat, result, "cuMemcpyDtoH");
    mark->outside = written_outside(launch, span);
    bool written = inside_write(mark, sizeof *mark);
    for (uint32_t i = 0; written && i < launch->buffer_count; i++)
        written = inside_write(span->bytes + span->starts[i], launch->buffers[i].size);
    return (Outcome){written ? 0 : 1, !written};
}

/* ---- timing ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One run from the same inputs as every other; events stand around the kernel alone. */
static int time_run(Seat *seat, const Span *span, const Call *call, CudaEvent events[2], double deadline,
                    double *milliseconds)
{
    const Driver *driver = &seat->card.driver;
    float elapsed = 0;
    int result = driver->on_device(seat->memory, seat->memory + span->size, span->size);
    if (!result)
        result = driver->event_record(events[0], NULL);
    if (!result)
        result = start(seat, call, 0, (void **)(uintptr_t)call->args);
    if (!result)
        result = driver->event_record(events[1], NULL);
    if (!result)
        result = wait_until(seat, deadline);
    if (!result)
        result = driver->event_elapsed(&elapsed, events[0], events[1]);
    *milliseconds = elapsed;
    return result;
}

static Outcome run_timed(Seat *seat, const JobLaunch *launch, const Span *span, Call *call, double deadline,
                         JobMark *mark)
{
    const Driver *driver = &seat->card.driver;
    double times[JOB_MOST_REPEATS];
    CudaEvent events[2] = {NULL, NULL};
    double first;
    int result = driver->to_device(seat->memory + span->size, span->bytes, span->size);
    for (int i = 0; !result && i < 2; i++)
        result = driver->event_create(&events[i], 0);
    if (!result) /* the first run is not like the others */
        result = time_run(seat, span, call, events, deadline, &first);
    for (uint32_t i = 0; !result && i < launch->repeats; i++)
        result = time_run(seat, span, call, events, deadline, &times[i]);
    for (int i = 0; !result && i < 2; i++)
        result = driver->event_destroy(events[i]);
    if (result == NOT_READY)
        return (Outcome){JOB_EXIT_TIME, true};
    if (result)
        return fail(seat, result, "a timed launch");
    qsort(times, launch->repeats, sizeof *times, by_size);
    JobTime time = {times[launch->repeats / 2]};
    bool written = inside_write(mark, sizeof *mark) && inside_write(&time, sizeof time);
    return (Outcome){written ? 0 : 1, !written};
}

/* ---- one job ---- */

static Outcome run_launch(Seat *seat, const Job *job, const JobLaunch *launch, uint32_t number, Call *call,
                          double deadline)
{
    Span span;
    Arena arena;
    JobMark mark = {.magic = JOB_MAGIC, .launch = number};
    Outcome outcome = {JOB_EXIT_MEMORY, false};
    arena_init(&arena);
    if (lay_out(launch, &span)) {
        size_t needed = launch->repeats ? 2 * span.size : span.size;
        int result = needed > (size_t)job->limits.memory_mb * MB ? 0 : reserve_memory(seat, needed);
        if (result)
            outcome = fail(seat, result, "cuMemAlloc");
        else if (needed <= (size_t)job->limits.memory_mb * MB) {
            outcome = (Outcome){JOB_EXIT_SIGNATURE, false};
            if (make_call(seat, launch, &span, &arena, call))
                outcome = launch->repeats ? run_timed(seat, launch, &span, call, deadline, &mark)
                                          : run_once(seat, launch, &span, call, deadline, &mark);
        }
        free(span.bytes);
    }
    arena_free(&arena);
    return outcome;
}

/* Does an answer of this image leave anything where the next could find it that is not overwritten between them? */
static bool keeps_something(const Seat *seat, const Job *job, CudaFunction const *functions)
{
    static const char *const signs[] = {"malloc", "vprintf"};
    if (image_variables(job->source, job->source_len) > MOST_VARIABLES)
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (memmem(job->source, job->source_len, signs[i], strlen(signs[i])))
            return true;
    for (int i = 0; i < 2; i++) {
        int bytes = 0;
        if (functions[i] && (seat->card.driver.function_attribute(&bytes, FUNCTION_LOCAL_BYTES, functions[i]) != 0 ||
                             bytes > LOCAL_WORDS * 4))
            return true;
    }
    return false;
}

static Outcome run_job(Seat *seat, const Job *job)
{
    const Driver *driver = &seat->card.driver;
    CudaFunction functions[2] = {NULL, NULL};
    CudaModule module = NULL;
    double deadline = clock_seconds() + job->limits.run_seconds;
    Outcome outcome = {0, false};
    if (driver->module_load(&module, job->source) != 0)
        return (Outcome){JOB_EXIT_LOAD, true};
    for (int i = 0; i < 2; i++)
        if (job->entries[i][0] && driver->module_function(&functions[i], module, job->entries[i]) != 0)
            return (Outcome){JOB_EXIT_LOAD, true};
    for (uint32_t i = 0; !outcome.exit_code && i < job->launch_count; i++) {
        Call call = {.function = functions[job->launches[i].entry]};
        outcome = call.function ? run_launch(seat, job, &job->launches[i], i, &call, deadline)
                                : (Outcome){JOB_EXIT_SIGNATURE, true};
    }
    outcome.leaves |= !job->is_own && keeps_something(seat, job, functions);
    if (!outcome.leaves && driver->module_unload(module) != 0)
        outcome.leaves = true;
    return outcome;
}

/* ---- between jobs ---- */

static bool load_scrub(Seat *seat, const Job *job)
{
    const Driver *driver = &seat->card.driver;
    CudaModule module;
    if (driver->module_load(&module, job->source) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (driver->module_function(&seat->scrub[i], module, job->entries[i]) != 0)
            return false;
    return driver->device_attribute(&seat->shared_bytes, CARD_MOST_SHARED, seat->card.device) == 0 &&
           seat->calls.set_attribute(seat->scrub[0], FUNCTION_DYNAMIC_SHARED, seat->shared_bytes) == 0;
}

static bool scrub(const Seat *seat)
{
    unsigned processors = (unsigned)seat->card.multiprocessors;
    unsigned words[2] = {(unsigned)seat->shared_bytes / 4, LOCAL_WORDS};
    void *args[2][1] = {{&words[0]}, {&words[1]}};
    Call shared = {.function = seat->scrub[0], .blocks = processors, .block = 256};
    Call local = {.function = seat->scrub[1], .blocks = processors * THREADS_OF_A_PROCESSOR / 256, .block = 256};
    return poison_memory(seat) == 0 && start(seat, &shared, (unsigned)seat->shared_bytes, args[0]) == 0 &&
           start(seat, &local, 0, args[1]) == 0 && wait_until(seat, clock_seconds() + 5) == 0;
}

/* ---- the process ---- */

static bool find_calls(Seat *seat)
{
    static const LibraryFunction functions[] = {
#define CALL(member, name, params) {name, offsetof(CardCalls, member)},
#include "judge/card_calls.def"
#undef CALL
        {0},
    };
    const char *missing = toolchain_load_functions(seat->card.driver.library, functions, &seat->calls);
    if (missing)
        dprintf(seat->files.messages, "no GPU: the CUDA driver lacks %s: CUDA 12.4 or later is needed\n", missing);
    return !missing;
}

static bool take_card(Seat *seat)
{
    GpuError error = {""};
    if (!card_open(&seat->card, 0, &error)) {
        dprintf(seat->files.messages, "%s\n", error.message);
        return false;
    }
    if (!find_calls(seat))
        return false;
    int result = reserve_memory(seat, FIRST_MEMORY);
    if (!result)
        result = seat->card.driver.synchronize();
    if (result)
        fail(seat, result, "cuMemAlloc");
    return !result;
}

int judge_inside_card(void)
{
    Seat seat = {.began = clock_seconds()};
    Arena arena;
    Job job;
    seat.files = inside_take_files();
    inside_limit_host();
    if (!take_card(&seat))
        return 1;
    if (!inside_filter(FILTER_CARD)) {
        dprintf(seat.files.messages, "system calls cannot be filtered on this machine\n");
        return 1;
    }
    tell(&seat, JOB_STARTED, seat.card.arch, false);
    arena_init(&arena);
    if (!inside_take_job(&arena, JOB_CARD, &job) || !load_scrub(&seat, &job)) { /* the first is the judge's own */
        dprintf(seat.files.messages, "the judge's own kernels cannot be loaded\n");
        return 1;
    }
    tell(&seat, JOB_COMPILED, 0, false);
    arena_free(&arena);
    for (bool goes_on = true; goes_on;) {
        arena_init(&arena);
        if (!inside_take_job(&arena, JOB_CARD, &job))
            break;
        seat.began = clock_seconds();
        goes_on = scrub(&seat); /* before each, so that not even the judge's own kernels are to be found */
        if (!goes_on)
            tell(&seat, JOB_STARTED, 0, true);
        else {
            Outcome outcome = run_job(&seat, &job);
            goes_on = !outcome.leaves;
            tell(&seat, JOB_RAN, outcome.exit_code, outcome.leaves);
        }
        arena_free(&arena);
    }
    _exit(0); /* the system gives the card back, whatever state it is in */
}
