#include "gpu/bench.h"

#include "base/clock.h"
#include "base/pool.h"
#include "check/check.h"
#include "gpu/arguments.h"
#include "gpu/machine_cuda.h"
#include "gpu/reference.h"
#include "pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_SEED = 72, WARM_UP = 3, RUNS = 31 };
const uint64_t bench_sizes[BENCH_SIZES] = {1000, 100000, 1000000, 16000000};
static const uint64_t MOST_BYTES = (uint64_t)24 << 30;
static const double LONG_ENOUGH = 0.4; /* seconds of measuring after which no run is added */

/* ---- larger launches ---- */

/* The axis along which an array follows the launch: one of its length, or else the first that is no shorter. */
static uint32_t growing_axis(const uint32_t *shape, uint32_t ndim, uint32_t length)
{
    for (uint32_t i = 0; i < ndim; i++)
        if (shape[i] == length)
            return i;
    for (uint32_t i = 0; i < ndim; i++)
        if (shape[i] > length)
            return i;
    return 0;
}

static bool grow_description(Arena *arena, const CheckLaunch *from, uint32_t factor, CheckLaunch *to)
{
    *to = *from;
    if (!from->ndim)
        return false;
    to->dim[0] = from->dim[0] * factor;
    to->args = ARENA_ARRAY(arena, CheckArg, from->arg_count);
    for (uint32_t i = 0; i < from->arg_count; i++) {
        CheckArg *arg = &to->args[i];
        *arg = from->args[i];
        if (arg->ndim)
            arg->shape[growing_axis(arg->shape, arg->ndim, from->dim[0])] *= factor;
    }
    return true;
}

typedef struct GrowthTest {
    const Sample *sample;
    bool possible;
} GrowthTest;

static bool read_description(const Compiled *compiled, const Sample *sample, CheckLaunch *launch)
{
    memset(launch, 0, sizeof *launch);
    return sample->launch && !check_launch_read(compiled->unit->arena, sample->launch, strlen(sample->launch), launch);
}

static bool test_growth(const Compiled *compiled, void *user)
{
    GrowthTest *test = user;
    CheckLaunch launch, grown;
    test->possible = read_description(compiled, test->sample, &launch);
    for (uint32_t factor = 2; test->possible && factor <= 3; factor++) {
        Reference reference;
        test->possible = grow_description(compiled->unit->arena, &launch, factor, &grown) &&
                         reference_make(&reference, compiled->unit, compiled->module, &grown, BENCH_SEED, false, false);
    }
    return false;
}

static void with_kernel(Weft *weft, const Sample *sample, bool visit(const Compiled *compiled, void *user), void *user)
{
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.weft.kernel = sample->name;
    pipeline_compile(weft, &(Source){sample->id, sample->source, strlen(sample->source)}, &options,
                     &(PipelineVisitor){.compiled = visit, .user = user});
}

bool bench_can_grow(const Sample *sample)
{
    GrowthTest test = {sample, false};
    Weft *weft = weft_new(sample->warp);
    if (weft)
        with_kernel(weft, sample, test_growth, &test);
    weft_free(weft);
    return test.possible;
}

/* ---- one kernel at all sizes ---- */

typedef struct Bench {
    const Sample *sample;
    const GpuOptions *options;
    CudaMachine *cuda; /* NULL: the CPU alone is measured */
    const Build *cpp;
    Pool *cores;
    BenchResult *result;
} Bench;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, uint32_t count)
{
    qsort(times, count, sizeof *times, by_size);
    return times[count / 2];
}

static bool time_gpu(Bench *bench, Arguments *arguments, void *function, double *milliseconds, GpuError *error)
{
    Machine *machine = &bench->cuda->machine;
    const Card *card = bench->cuda->card;
    const Driver *driver = &card->driver;
    PackedLaunch packed = arguments->packed;
    CudaEvent start = NULL, end = NULL;
    double times[RUNS], total = 0;
    uint32_t count = 0;
    packed.adjoints = NULL;
    bool fine = card_check(card, driver->event_create(&start, 0), "cuEventCreate", error) &&
                card_check(card, driver->event_create(&end, 0), "cuEventCreate", error);
    for (uint32_t i = 0; fine && i < WARM_UP; i++)
        fine = machine->launch(machine, function, &packed, error);
    while (fine && count < RUNS && total < LONG_ENOUGH * 1e3) {
        float elapsed = 0;
        fine = card_check(card, driver->event_record(start, NULL), "cuEventRecord", error) &&
               machine->start(machine, function, &packed, error) &&
               card_check(card, driver->event_record(end, NULL), "cuEventRecord", error) &&
               card_check(card, driver->event_synchronize(end), "cuEventSynchronize", error) &&
               card_check(card, driver->event_elapsed(&elapsed, start, end), "cuEventElapsedTime", error);
        times[count++] = elapsed;
        total += elapsed;
    }
    if (fine)
        *milliseconds = median(times, count);
    driver->event_destroy(start);
    driver->event_destroy(end);
    return fine;
}

/* A launch of a C++ kernel, a part of its threads on each core. */
typedef struct CpuLaunch {
    void (*run)(void *bounds, void *args, size_t first, size_t end);
    void *bounds, *args;
    uint64_t threads;
    unsigned parts;
} CpuLaunch;

static void run_part(void *user, unsigned number)
{
    const CpuLaunch *launch = user;
    launch->run(launch->bounds, launch->args, launch->threads * number / launch->parts,
                launch->threads * (number + 1) / launch->parts);
}

static double run_cpu(Pool *cores, CpuLaunch *launch)
{
    double start = clock_seconds();
    if (launch->parts == 1)
        run_part(launch, 0);
    else
        pool_run(cores, run_part, launch);
    return clock_seconds() - start;
}

static double time_cpu(Bench *bench, Arguments *arguments, void *function, bool on_all_cores)
{
    double times[RUNS], total = 0;
    uint32_t count = 0;
    CpuLaunch launch = {.bounds = arguments->packed.bounds,
                        .args = arguments->packed.args,
                        .threads = arguments->packed.threads,
                        .parts = on_all_cores ? pool_size(bench->cores) : 1};
    memcpy(&launch.run, &function, sizeof function);
    double first = run_cpu(bench->cores, &launch);
    if (first > LONG_ENOUGH)
        return first * 1e3; /* so long that warming up does not matter */
    while (count < RUNS && total < LONG_ENOUGH) {
        times[count] = run_cpu(bench->cores, &launch);
        total += times[count++];
    }
    return median(times, count) * 1e3;
}

static void measure_gpu(Bench *bench, Arena *arena, const Launch *launch, const Launch *content, BenchTimes *times)
{
    Arguments arguments;
    DeviceKernel kernel = {0};
    GpuError error = {""};
    if (!machine_cuda_find(bench->cuda, bench->sample, &kernel, &error) ||
        !arguments_make_tiled(&arguments, arena, &bench->cuda->machine, launch, content, &error)) {
        snprintf(bench->result->message, sizeof bench->result->message, "%.290s", error.message);
        return;
    }
    if (!time_gpu(bench, &arguments, kernel.forward, &times->gpu, &error))
        snprintf(bench->result->message, sizeof bench->result->message, "%.290s", error.message);
    arguments_release(&arguments);
}

static void measure_cpu(Bench *bench, Arena *arena, const Launch *launch, const Launch *content, BenchTimes *times)
{
    Arguments arguments;
    GpuError error = {""};
    void *slice = build_symbol(bench->cpp, bench->sample, "slice");
    if (!slice || !arguments_make_tiled(&arguments, arena, machine_cpu(), launch, content, &error)) {
        snprintf(bench->result->message, sizeof bench->result->message, "%.290s",
                 slice ? error.message : "its C++ does not compile");
        return;
    }
    times->one = time_cpu(bench, &arguments, slice, false);
    times->all = time_cpu(bench, &arguments, slice, true);
    arguments_release(&arguments);
}

/* Larger shapes over the same cells. Returns the bytes of the arrays that follow the launch. */
static uint64_t grow_value(LaunchValue *value, uint32_t length, uint32_t factor, uint64_t *total)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < value->field_count; i++)
        bytes += grow_value(&value->fields[i], length, factor, total);
    if (value->type->kind != TYPE_ARRAY)
        return bytes;
    uint32_t axis = growing_axis(value->shape, value->ndim, length);
    bool follows = value->shape[axis] == length;
    value->shape[axis] *= factor;
    value->count *= factor;
    uint64_t size = value->count * layout_size(value->type->array.dtype);
    *total += size;
    return bytes + (follows ? size : 0);
}

static void measure_size(Bench *bench, Unit *unit, const Launch *content, uint32_t size)
{
    BenchTimes *times = &bench->result->times[size];
    Launch *launch = launch_copy(unit->arena, content);
    uint64_t threads = launch_thread_count(content), total = 0;
    uint32_t factor = (uint32_t)((bench_sizes[size] + threads / 2) / threads), length = launch->dim[0];
    factor = factor ? factor : 1;
    launch->dim[0] *= factor;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        times->bytes += grow_value(&launch->args[i], length, factor, &total);
    if (total > MOST_BYTES) {
        snprintf(bench->result->message, sizeof bench->result->message, "%.1f GiB of arrays are too many",
                 (double)total / (1 << 30));
        return;
    }
    if (bench->cuda)
        measure_gpu(bench, unit->arena, launch, content, times);
    measure_cpu(bench, unit->arena, launch, content, times);
    times->threads = threads * factor;
}

static bool measure(const Compiled *compiled, void *user)
{
    Bench *bench = user;
    CheckLaunch description;
    const char *why;
    if (!read_description(compiled, bench->sample, &description))
        return false;
    Launch *content = check_make_launch(compiled->unit, compiled->module, &description, BENCH_SEED, &why);
    for (uint32_t size = 0; content && size < BENCH_SIZES; size++)
        measure_size(bench, compiled->unit, content, size);
    return false;
}

/* ---- all of them ---- */

static bool measure_copying(CudaMachine *cuda, double *speed, GpuError *error)
{
    enum { COPIES = 20 };
    Machine *machine = &cuda->machine;
    const Driver *driver = &cuda->card->driver;
    const size_t size = (size_t)1 << 30;
    uint64_t from = 0, to = 0;
    CudaEvent start = NULL, end = NULL;
    float elapsed = 0;
    bool fine = machine->alloc(machine, size, &from, error) && machine->alloc(machine, size, &to, error) &&
                machine->copy(machine, to, from, size, error) &&
                card_check(cuda->card, driver->event_create(&start, 0), "cuEventCreate", error) &&
                card_check(cuda->card, driver->event_create(&end, 0), "cuEventCreate", error) &&
                card_check(cuda->card, driver->event_record(start, NULL), "cuEventRecord", error);
    for (int i = 0; fine && i < COPIES; i++)
        fine = machine->copy(machine, to, from, size, error);
    fine = fine && card_check(cuda->card, driver->event_record(end, NULL), "cuEventRecord", error) &&
           card_check(cuda->card, driver->event_synchronize(end), "cuEventSynchronize", error) &&
           card_check(cuda->card, driver->event_elapsed(&elapsed, start, end), "cuEventElapsedTime", error);
    *speed = fine && elapsed > 0 ? 2.0 * COPIES * (double)size / (elapsed / 1e3) : 0;
    if (start)
        driver->event_destroy(start);
    if (end)
        driver->event_destroy(end);
    if (from)
        machine->release(machine, from);
    if (to)
        machine->release(machine, to);
    return fine;
}

static bool build_both(GpuTools *tools, Sample *samples, uint32_t count, const GpuOptions *options, Build *cuda,
                       Build *cpp, GpuError *error)
{
    BuildOptions native = {.target = BUILD_CPP,
                           .tools = &tools->tools,
                           .optimize = 3,
                           .slices = true,
                           .jobs = options->jobs,
                           .cache = options->cache,
                           .watch = options->watch};
    return toolchain_find_compiler(&tools->tools, error) && build_samples(samples, count, &native, cpp, error) &&
           (options->on_cpu || gpu_build(tools, samples, count, options, cuda, error));
}

static void measure_all(const Sample *samples, uint32_t count, Bench *bench, BenchResult *results)
{
    Weft *weft = count ? weft_new(samples[0].warp) : NULL;
    for (uint32_t i = 0; weft && i < count; i++) {
        watch_tell(&bench->options->watch, "kernels measured", i, count);
        bench->sample = &samples[i];
        bench->result = &results[i];
        if (!bench->cuda || samples[i].module[BUILD_CUDA] >= 0)
            with_kernel(weft, &samples[i], measure, bench);
        else
            snprintf(results[i].message, sizeof results[i].message, "its CUDA does not compile");
    }
    weft_free(weft);
}

bool bench_samples(Sample *samples, uint32_t count, const GpuOptions *options, BenchResult *results, double *copy_speed,
                   char machine[200], GpuError *error)
{
    GpuTools tools = {0};
    Build cuda_build = {0}, cpp = {0};
    Card card = {0};
    CudaMachine cuda = {0};
    Bench bench = {.options = options, .cuda = options->on_cpu ? NULL : &cuda, .cpp = &cpp};
    const char *warp = samples_version(samples, count, error);
    bool fine = warp && gpu_tools_open(&tools, options, warp, error) &&
                build_both(&tools, samples, count, options, &cuda_build, &cpp, error);
    if (fine && bench.cuda)
        fine = card_open(&card, options->card, error) && machine_cuda_init(&cuda, &card, &cuda_build, error) &&
               measure_copying(&cuda, copy_speed, error);
    snprintf(machine, 200, "%s", bench.cuda ? card.name : "the CPU alone");
    bench.cores = fine ? pool_open(options->jobs) : NULL;
    if (fine && !bench.cores)
        fine = gpu_fail(error, "threads cannot be started");
    if (fine)
        measure_all(samples, count, &bench, results);
    pool_close(bench.cores);
    if (cuda.modules)
        machine_cuda_free(&cuda);
    card_close(&card);
    build_free(&cuda_build);
    build_free(&cpp);
    gpu_tools_close(&tools);
    return fine;
}
