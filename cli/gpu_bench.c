/* weft gpu --bench: invented kernels of every category at several sizes. */
#include "args.h"
#include "files.h"
#include "gpu.h"
#include "report.h"
#include "terminal.h"

#include "gpu/bench.h"

#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 12 };

/* One kernel of the category whose launch can be made larger; it goes to the end of the list. */
static bool choose(const GpuCall *call, CategoryId category, SampleList *list)
{
    CorpusOptions options = corpus_default_options();
    options.launches = 0;
    CorpusError error = {""};
    SampleList candidates;
    bool found = false;
    memset(&options.weights, 0, sizeof options.weights);
    options.weights.weight[category] = 1;
    options.count = CANDIDATES;
    options.warp = call->warp;
    options.seed = (uint64_t)call->seed;
    options.device = DEVICE_SET_BOTH;
    sample_list_init(&candidates);
    bool fine = corpus_make_samples(&options, call->options.jobs, &candidates, &error);
    for (uint32_t i = 0; fine && !found && i < candidates.count; i++)
        if ((found = bench_can_grow(&candidates.items[i])))
            sample_list_copy(list, &candidates.items[i]);
    if (!found)
        tell(stderr, "weft gpu: no kernel of %s can be measured: %s\n", category_name(category),
             fine ? "none can be made larger" : error.message);
    sample_list_free(&candidates);
    return found;
}

static void size_name(uint64_t threads, char *buffer, size_t size)
{
    if (threads >= 999500)
        snprintf(buffer, size, "%.3gM", (double)threads / 1e6);
    else
        snprintf(buffer, size, "%.3gK", (double)threads / 1e3);
}

static void print_table(const SampleList *list, const BenchResult *results, double copy_speed)
{
    char size[32];
    tell(stdout, "%-18s %8s %11s %11s %11s %9s %9s %6s\n", "category", "threads", "GPU ms", "1 core ms", "all cores",
         "x 1 core", "x all", "copy");
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < BENCH_SIZES; k++) {
            const BenchTimes *times = &results[i].times[k];
            if (!times->threads)
                continue;
            const char *category = k ? "" : list->items[i].category;
            size_name(times->threads, size, sizeof size);
            if (times->gpu > 0)
                tell(stdout, "%-18s %8s %11.4f %11.4f %11.4f %9.1f %9.1f %5.1f%%\n", category, size, times->gpu,
                     times->one, times->all, times->one / times->gpu, times->all / times->gpu,
                     copy_speed > 0 ? 100 * (double)times->bytes / (times->gpu / 1e3) / copy_speed : 0);
            else
                tell(stdout, "%-18s %8s %11s %11.4f %11.4f\n", category, size, "-", times->one, times->all);
        }
}

static void print_summary(const SampleList *list, const BenchResult *results, const GpuCall *call, double copy_speed,
                          const char *machine)
{
    uint32_t wins[BENCH_SIZES + 1] = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t k = 0;
        while (k < BENCH_SIZES && !(results[i].times[k].gpu > 0 && results[i].times[k].gpu < results[i].times[k].all))
            k++;
        wins[k]++;
        if (results[i].message[0])
            tell(stdout, "%s: %s\n", list->items[i].category, results[i].message);
    }
    tell(stdout, "%s against %u threads of the CPU (C++ -O3); median times, without copies to and from the GPU\n",
         machine, call->options.jobs);
    if (copy_speed > 0) {
        tell(
            stdout,
            "copying on the card: %.0f GB/s, read and written; \"copy\": the share of that speed that the kernel's own "
            "arrays need\n",
            copy_speed / 1e9);
        for (uint32_t k = 0; k < BENCH_SIZES; k++)
            tell(stdout, "the GPU begins to win against all cores at about %llu threads: %u categories\n",
                 (unsigned long long)bench_sizes[k], wins[k]);
        tell(stdout, "the GPU does not win: %u categories\n", wins[BENCH_SIZES]);
    }
}

static void print_json(const SampleList *list, const BenchResult *results, double copy_speed, const char *machine)
{
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_string(&json, "machine", machine);
    json_add_number(&json, "copy_bytes_per_second", copy_speed);
    json_open(&json, "kernels", '[');
    for (uint32_t i = 0; i < list->count; i++)
        for (uint32_t k = 0; k < BENCH_SIZES; k++) {
            const BenchTimes *times = &results[i].times[k];
            json_open(&json, NULL, '{');
            json_add_string(&json, "category", list->items[i].category);
            json_full_name(&json, list->items[i].name);
            json_add_string(&json, "kernel", list->items[i].name);
            json_add_number(&json, "threads", (double)times->threads);
            json_add_number(&json, "bytes", (double)times->bytes);
            json_add_number(&json, "gpu_ms", times->gpu);
            json_add_number(&json, "one_core_ms", times->one);
            json_add_number(&json, "all_cores_ms", times->all);
            json_close(&json, '}');
        }
    json_close(&json, ']');
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

int gpu_bench(const GpuCall *call)
{
    SampleList list;
    GpuError error = {""};
    char machine[200] = "";
    double copy_speed = 0;
    int code = EXIT_DONE;
    sample_list_init(&list);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (call->weights.weight[i] && !choose(call, (CategoryId)i, &list))
            code = EXIT_FOUND;
    BenchResult *results = calloc(list.count + 1, sizeof *results);
    GpuOptions options = call->options;
    options.same_process = true;
    bool measured = results && bench_samples(list.items, list.count, &options, results, &copy_speed, machine, &error);
    progress_end(call->progress, NULL);
    if (!measured) {
        tell(stderr, "weft gpu: %s\n", results ? error.message : "out of memory");
        code = EXIT_FOUND;
    } else if (call->json)
        print_json(&list, results, copy_speed, machine);
    else {
        print_table(&list, results, copy_speed);
        print_summary(&list, results, call, copy_speed, machine);
    }
    free(results);
    sample_list_free(&list);
    return code;
}
