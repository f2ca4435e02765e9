/* weft gpu: kernels compiled for a real GPU, run there, and compared with the evaluators. */
#include "gpu.h"
#include "args.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "interrupt.h"
#include "report.h"
#include "terminal.h"

#include "base/pool.h"
#include "emit/emit.h"
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- where samples come from ---- */

typedef struct FileReader {
    SampleList *list;
    const char *source, *group, *skip, *warp;
    uint32_t block_dim;
    size_t group_len;
} FileReader;

static bool is_in_list(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == len && memcmp(at, name, len) == 0)
            return true;
    return false;
}

static const char *copy_text(Arena *arena, const Text *text)
{
    return text->len ? arena_strndup(arena, text->data, text->len) : NULL;
}

static bool add_compiled(const Compiled *compiled, void *user)
{
    FileReader *reader = user;
    Arena *arena = &reader->list->arena;
    const EmitText *const texts[BUILD_TARGET_COUNT] = {&compiled->texts[DEVICE_CPU], &compiled->texts[DEVICE_CUDA]};
    if (is_in_list(reader->skip, compiled->module->kernel->kernel->key->text))
        return true;
    Sample *sample = sample_list_add(reader->list);
    sample->name = arena_strndup(arena, compiled->module->name, strlen(compiled->module->name));
    sample->id = sample->name;
    sample->category = arena_strndup(arena, reader->group, reader->group_len);
    sample->source = reader->source;
    sample->warp = reader->warp;
    sample->block_dim = compiled->module->uses_tiles ? reader->block_dim : 0;
    for (int target = 0; target < BUILD_TARGET_COUNT; target++) {
        Text preamble = text_in(arena);
        emit_preamble(compiled->unit->dialect, target == BUILD_CPP ? DEVICE_CPU : DEVICE_CUDA, sample->block_dim,
                      &preamble);
        sample->text[target] =
            (SampleText){.preamble = text_cstr(&preamble),
                         .prelude = copy_text(arena, &texts[target]->prelude),
                         .forward = copy_text(arena, &texts[target]->forward),
                         .backward = compiled->has_backward ? copy_text(arena, &texts[target]->backward) : NULL};
    }
    return true;
}

/* The kernels of a user's file, each with the launch that weft check would use. */
static bool read_python(const InputFile *file, const GpuCall *call, SampleList *list)
{
    size_t length;
    const char *path = file->path;
    char *text = read_input(file, &length, stderr);
    Weft *weft = text ? weft_new(call->warp) : NULL;
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    Text errors;
    text_init(&errors);
    bool done = weft != NULL;
    if (done) {
        PipelineOptions options = pipeline_options();
        FileReader reader = {.list = list,
                             .source = arena_strndup(&list->arena, text, length),
                             .group = base,
                             .group_len = strcspn(base, "."),
                             .skip = call->skip,
                             .warp = call->warp,
                             .block_dim = (uint32_t)call->block_dim};
        options.weft.source = false;
        options.weft.block_dim = (uint32_t)call->block_dim;
        done = pipeline_compile(weft, &(Source){path, text, length}, &options,
                                &(PipelineVisitor){.compiled = add_compiled, .user = &reader, .errors = &errors});
    }
    tell_text(stderr, errors.data, errors.len);
    if (text && !done)
        tell(stderr, "weft: out of memory\n");
    text_free(&errors);
    weft_free(weft);
    free(text);
    return done;
}

/* A folder with a manifest.json is a data set; one without is searched for *.py. */
static bool is_data_set(const char *path)
{
    char manifest[4200];
    snprintf(manifest, sizeof manifest, "%s/manifest.json", path);
    return is_folder(path) && access(manifest, F_OK) == 0;
}

static bool read_files(char *operand, const GpuCall *call, SampleList *list)
{
    Inputs inputs;
    inputs_find(&inputs, &operand, 1);
    bool fine = !inputs.failed;
    if (!inputs.count && is_folder(operand))
        tell(stderr, "weft gpu: %s is not a data set either: it has no manifest.json\n", operand);
    for (size_t i = 0; i < inputs.count; i++)
        fine &= read_python(&inputs.files[i], call, list);
    inputs_free(&inputs);
    return fine;
}

static bool read_operands(char **operands, size_t count, const GpuCall *call, SampleList *list)
{
    CorpusError error = {""};
    for (size_t i = 0; i < count; i++) {
        uint32_t before = list->count;
        bool set = is_data_set(operands[i]);
        if (set ? !corpus_read_samples(operands[i], list, &error) : !read_files(operands[i], call, list)) {
            if (error.message[0])
                tell(stderr, "weft gpu: %s\n", error.message);
            return false;
        }
        const char *own = set && list->count > before ? list->items[before].warp : call->warp;
        if (call->warp_given && strcmp(own, call->warp) != 0) {
            tell(stderr, "weft gpu: %s is for Warp %s, not %s\n", operands[i], own, call->warp);
            return false;
        }
    }
    return true;
}

static bool generate(const GpuCall *call, SampleList *list)
{
    CorpusOptions options = corpus_default_options();
    options.launches = 0;
    CorpusError error = {""};
    options.count = (uint64_t)call->generate;
    options.seed = (uint64_t)call->seed;
    options.warp = call->warp;
    options.device = call->options.on_cpu ? DEVICE_SET_CPU : DEVICE_SET_CUDA;
    if (call->has_weights)
        options.weights = call->weights;
    if (corpus_make_samples(&options, call->options.jobs, list, &error))
        return true;
    tell(stderr, "weft gpu: %s\n", error.message);
    return false;
}

/* ---- the report ---- */

typedef struct Row {
    const char *name;
    uint32_t samples, compiled;
    DeviceTotals totals;
} Row;

static void add_to_row(Row *row, const Sample *sample, const DeviceCheckResult *result, BuildTarget target)
{
    row->samples++;
    row->compiled += sample->module[target] >= 0;
    device_totals_add(&row->totals, result);
}

static void print_row(const Row *row)
{
    tell(stdout, "%-18s %7u %8u %7u %7u %7u/%-7u %9.1e %9.1e\n", row->name, row->samples, row->compiled,
         row->totals.ran, row->totals.forward, row->totals.backward, row->totals.with_backward,
         row->totals.forward_error, row->totals.backward_error);
}

static void row_json(JsonWriter *json, const Row *row)
{
    json_open(json, row->name, '{');
    json_add_number(json, "samples", row->samples);
    json_add_number(json, "compiled", row->compiled);
    json_add_number(json, "skipped", row->totals.skipped);
    json_add_number(json, "ran", row->totals.ran);
    json_add_number(json, "forward_agrees", row->totals.forward);
    json_add_number(json, "with_backward", row->totals.with_backward);
    json_add_number(json, "backward_agrees", row->totals.backward);
    json_add_number(json, "undefined_backward", row->totals.undefined_backward);
    json_add_number(json, "local_atomics", row->totals.local_atomics);
    json_add_number(json, "forward_error", row->totals.forward_error);
    json_add_number(json, "backward_error", row->totals.backward_error);
    json_add_number(json, "cells", (double)row->totals.cells);
    json_add_number(json, "loose_cells", (double)row->totals.loose);
    json_add_number(json, "order_dependent_cells", (double)row->totals.unordered);
    json_add_number(json, "agree_only_without_fma", row->totals.only_unfused);
    json_close(json, '}');
}

/* By category, in the order in which they are met; the last row is of all. */
static Row *make_rows(const SampleList *list, const GpuReport *report, uint32_t *count)
{
    Row *rows = calloc(list->count + 1, sizeof *rows);
    Row all = {.name = "all"};
    *count = 0;
    for (uint32_t i = 0; rows && i < list->count; i++) {
        uint32_t at = 0;
        while (at < *count && strcmp(rows[at].name, list->items[i].category) != 0)
            at++;
        if (at == *count)
            rows[(*count)++].name = list->items[i].category;
        add_to_row(&rows[at], &list->items[i], &report->results[i], report->target);
        add_to_row(&all, &list->items[i], &report->results[i], report->target);
    }
    if (rows)
        rows[(*count)++] = all;
    return rows;
}

static const char *failure_of(const Sample *sample, const DeviceCheckResult *result, BuildTarget target)
{
    if (sample->module[target] >= 0)
        return result->tried ? result->message : "not run: the machine was lost too often";
    return sample->refusal[target] ? build_first_error(sample->refusal[target]) : "there is no text for this machine";
}

static GpuVerdict verdict_of(const SampleList *list, const GpuReport *report, uint32_t i)
{
    return gpu_verdict(&list->items[i], &report->results[i], report->target);
}

static void print_failures(const SampleList *list, const GpuReport *report, long long messages)
{
    for (uint32_t i = 0; i < list->count && messages > 0; i++) {
        const Sample *sample = &list->items[i];
        if (verdict_of(list, report, i) == GPU_AGREES)
            continue;
        const char *why = failure_of(sample, &report->results[i], report->target);
        tell(stderr, "%s (%s): %.*s\n", sample->id, sample->category, (int)strcspn(why, "\n"), why);
        messages--;
    }
}

/* Why kernels were not compared, each reason with how many. */
static void print_not_compared(const SampleList *list, const GpuReport *report)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (verdict_of(list, report, i) != GPU_NOT_COMPARED)
            continue;
        uint32_t before = 0, same = 0;
        for (uint32_t k = 0; k < list->count; k++)
            if (verdict_of(list, report, k) == GPU_NOT_COMPARED &&
                strcmp(report->results[k].message, report->results[i].message) == 0) {
                before += k < i;
                same++;
            }
        if (!before)
            tell(stdout, "  %u %s\n", same, report->results[i].message);
    }
}

static void print_unfused(const Row *all, const Row *rows, uint32_t count)
{
    const char *before = ": ";
    Text line;
    text_init(&line);
    text_format(&line, "%u kernels agree only without fused multiply-add", all->totals.only_unfused);
    for (uint32_t i = 0; i + 1 < count; i++)
        if (rows[i].totals.only_unfused) {
            text_format(&line, "%s%u %s", before, rows[i].totals.only_unfused, rows[i].name);
            before = ", ";
        }
    text_char(&line, '\n');
    tell_text(stdout, line.data, line.len);
    text_free(&line);
}

static void print_table(const SampleList *list, const GpuReport *report, const Row *rows, uint32_t count)
{
    tell(stdout, "%-18s %7s %8s %7s %7s %15s %9s %9s\n", "category", "kernels", "compiled", "ran", "forward",
         "backward", "error", "gradient");
    for (uint32_t i = 0; i < count; i++)
        print_row(&rows[i]);
    const Row *all = &rows[count - 1];
    char restarts[40] = "";
    if (report->restarts)
        snprintf(restarts, sizeof restarts, ", restarted %u times", report->restarts);
    tell(stdout, "%s: %u modules (%u from the cache) in %.1f s, run and compared in %.1f s%s\n", report->machine,
         report->modules, report->from_cache, report->build_seconds, report->run_seconds, restarts);
    tell(stdout,
         "%llu values compared, %llu of them with a tolerance above 1e-3 (ill-conditioned, or next to a jump)\n",
         (unsigned long long)all->totals.cells, (unsigned long long)all->totals.loose);
    if (all->totals.unordered)
        tell(stdout, "%llu values depend on the order of threads and were not compared\n",
             (unsigned long long)all->totals.unordered);
    if (all->totals.only_unfused)
        print_unfused(all, rows, count);
    if (all->totals.skipped) {
        tell(stdout, "%u kernels were compiled but not compared: the evaluators cannot run them\n",
             all->totals.skipped);
        print_not_compared(list, report);
    }
    if (all->totals.undefined_backward)
        tell(stdout, "%u backward passes were not run: they are not defined on their launch\n",
             all->totals.undefined_backward);
    if (all->totals.local_atomics)
        tell(stdout,
             "%u backward passes stopped the GPU and were not compared: as Warp writes them, they add to an array "
             "inside the "
             "kernel by an atomic operation, which a GPU does not have there\n",
             all->totals.local_atomics);
}

static void sample_json(JsonWriter *json, const Sample *sample, const DeviceCheckResult *result, BuildTarget target)
{
    GpuVerdict verdict = gpu_verdict(sample, result, target);
    json_open(json, NULL, '{');
    json_add_string(json, "id", sample->id);
    json_add_string(json, "kernel", sample->name);
    json_full_name(json, sample->name);
    json_add_string(json, "category", sample->category);
    json_add_bool(json, "agrees", verdict == GPU_AGREES);
    json_add_bool(json, "compared", verdict != GPU_NOT_COMPARED);
    json_add_number(json, "forward_error", result->forward_error);
    json_add_number(json, "backward_error", result->backward_error);
    json_add_number(json, "order_dependent_cells", (double)result->unordered);
    json_add_bool(json, "agrees_only_without_fma", result->only_unfused);
    json_add_number(json, "registers_forward", result->registers[0]);
    json_add_number(json, "registers_backward", result->registers[1]);
    json_add_number(json, "local_bytes_forward", result->local_bytes[0]);
    json_add_number(json, "local_bytes_backward", result->local_bytes[1]);
    if (verdict != GPU_AGREES || result->only_unfused)
        json_add_string(json, "message", failure_of(sample, result, target));
    json_close(json, '}');
}

static void print_json(const SampleList *list, const GpuReport *report, const Row *rows, uint32_t count)
{
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_add_string(&json, "machine", report->machine);
    json_add_number(&json, "build_seconds", report->build_seconds);
    json_add_number(&json, "run_seconds", report->run_seconds);
    json_add_number(&json, "restarts", report->restarts);
    json_open(&json, "categories", '{');
    for (uint32_t i = 0; i < count; i++)
        row_json(&json, &rows[i]);
    json_close(&json, '}');
    json_open(&json, "kernels", '[');
    for (uint32_t i = 0; i < list->count; i++)
        sample_json(&json, &list->items[i], &report->results[i], report->target);
    json_close(&json, ']');
    json_close(&json, '}');
    put_json_line(&text, stdout);
}

static void print_conclusion(const GpuCall *call, uint32_t count, const uint32_t verdicts[3])
{
    uint32_t compared = count - verdicts[GPU_NOT_COMPARED];
    if (verdicts[GPU_DIFFERS])
        tell(stdout, "FAIL: %u of %u do not agree%s%s\n", verdicts[GPU_DIFFERS], compared,
             call->options.keep ? "; what is needed to look into it is in " : "",
             call->options.keep ? call->options.keep : "");
    else if (!compared)
        tell(stdout, "FAIL: nothing could be compared\n");
    else if (compared < count)
        tell(stdout, "PASS: the %u that could be compared agree with the CPU's evaluators; %u could not\n", compared,
             verdicts[GPU_NOT_COMPARED]);
    else
        tell(stdout, "PASS: all agree with the CPU's evaluators\n");
}

static int show(const GpuCall *call, const SampleList *list, const GpuReport *report)
{
    uint32_t count, verdicts[3] = {0};
    Row *rows = make_rows(list, report, &count);
    if (!rows)
        return EXIT_FOUND;
    for (uint32_t i = 0; i < list->count; i++)
        verdicts[verdict_of(list, report, i)]++;
    print_failures(list, report, call->messages);
    if (call->json)
        print_json(list, report, rows, count);
    else {
        print_table(list, report, rows, count);
        print_conclusion(call, list->count, verdicts);
    }
    free(rows);
    return verdicts[GPU_DIFFERS] || !verdicts[GPU_AGREES] ? EXIT_FOUND : EXIT_DONE;
}

static int verify(const GpuCall *call, char **operands, size_t count)
{
    SampleList list;
    GpuReport report = {0};
    GpuError error = {""};
    int code = EXIT_FOUND;
    sample_list_init(&list);
    if (!(call->generate ? generate(call, &list) : read_operands(operands, count, call, &list)))
        ;
    else if (!list.count)
        tell(stderr, "weft gpu: there is no kernel to run\n");
    else if (!gpu_run(list.items, list.count, &call->options, &report, &error)) {
        progress_end(call->progress, NULL);
        tell(stderr, "weft gpu: %s\n", error.message);
    } else {
        progress_end(call->progress, NULL); /* the report is the summary */
        code = show(call, &list, &report);
    }
    gpu_report_free(&report);
    sample_list_free(&list);
    return code;
}

/* ---- the command ---- */

static const char *default_cache(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && *base)
        snprintf(path, size, "%s/weft", base);
    else if (home && *home)
        snprintf(path, size, "%s/.cache/weft", home);
    else
        return NULL;
    return path;
}

typedef struct GpuArgs {
    long long generate, seed, jobs, card, messages, block_dim;
    const char *categories, *standalone, *skip;
    bool bench, no_cache, json;
    GpuOptions options;
} GpuArgs;

/* NULL: the call is right. */
static const char *mistake_in(const GpuArgs *args, size_t operand_count)
{
    int modes =
        (args->generate > 0) + (args->standalone != NULL) + (args->bench && !args->generate) + (operand_count > 0);
    if (modes == 0)
        return "say what to run: a data set, .py files, --generate N, --standalone DIR or --bench";
    if (modes > 1)
        return "a data set or files, --generate, --standalone and --bench exclude each other";
    if (args->categories && !args->generate && !args->bench)
        return "--categories needs --generate or --bench";
    if (args->options.like_gpu && !args->options.on_cpu)
        return "--like-gpu needs --cpu";
    return NULL;
}

static bool has_file(char **operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_data_set(operands[i]))
            return true;
    return false;
}

static int run(const Call *call)
{
    const GpuArgs *args = call->args;
    const char *mistake = mistake_in(args, call->operand_count);
    leave_on_interrupt("gpu", "interrupted");
    GpuCall gpu = {.options = args->options,
                   .warp = call->warp,
                   .warp_given = call->warp_given,
                   .json = args->json,
                   .generate = args->generate,
                   .seed = args->seed,
                   .messages = args->messages,
                   .block_dim = args->block_dim,
                   .has_weights = args->categories != NULL,
                   .weights = category_default_weights(),
                   .standalone = args->standalone,
                   .skip = args->skip};
    char cache[1000];
    if (!read_categories(call->command, args->categories, &gpu.weights))
        return EXIT_USAGE;
    if (mistake)
        return wrong_call(call->command, "%s", mistake);
    gpu.options.jobs = pool_jobs((unsigned)args->jobs);
    gpu.options.card = (int)args->card;
    if (args->no_cache)
        gpu.options.cache = NULL;
    else if (!gpu.options.cache)
        gpu.options.cache = default_cache(cache, sizeof cache);
    Progress progress;
    progress_begin(&progress, call);
    gpu.progress = &progress;
    gpu.options.watch = progress_watch(&progress);
    gpu.options.races = has_file(call->operands, call->operand_count);
    return args->bench      ? gpu_bench(&gpu)
           : gpu.standalone ? gpu_standalone(&gpu)
                            : verify(&gpu, call->operands, call->operand_count);
}

static const GpuArgs defaults = {.messages = 20, .block_dim = 64, .options.keep = "gpu-failures"};

#define ARGS GpuArgs
static const Option options[] = {
    OPT_COUNT(0, "generate", generate, 1, 100000000, "N", "invent N kernels and run them"),
    OPT_CATEGORIES('c', "categories", categories, "LIST", "categories of the invented kernels, as vector,physics"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "seed of the invented kernels (default 0)"),
    OPT_FOLDER(0, "standalone", standalone, "DIR",
               "build the programs that `weft standalone` wrote with nvcc, and run them"),
    OPT_FLAG(0, "bench", bench, "measure the GPU against the C++ on one core and on all cores"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "threads that compile and compare (default 0: all cores)"),
    OPT_COUNT(0, "gpu-number", card, 0, 1000, "N", "the number of the GPU (default 0)"),
    OPT_FOLDER(0, "warp-include", options.warp_include, "DIR",
               "Warp's native headers, of the kernels' version (default: where warp-lang is installed)"),
    OPT_FOLDER(0, "cuda", options.cuda, "DIR", "the CUDA toolkit (default: the usual places)"),
    OPT_FOLDER(0, "cache", options.cache, "DIR", "keep compiled modules here (default ~/.cache/weft)"),
    OPT_FLAG(0, "no-cache", no_cache, "compile everything anew"),
    OPT_FOLDER(0, "keep", options.keep, "DIR",
               "a folder for each failure: source, inputs, both results (default gpu-failures)"),
    OPT_COUNT(0, "block-dim", block_dim, 1, 1024, "N",
              "threads of a block, for kernels of files with tiles (default 64)"),
    OPT_LIST(0, "skip", skip, "NAMES", "leave out these kernels of a file, as saxpy,blur"),
    OPT_FLAG(0, "no-fma", options.no_fma, "compile without fused multiply-add"),
    OPT_FLAG(0, "cpu", options.on_cpu, "run the C++ on the CPU instead: no GPU is needed"),
    OPT_FLAG(0, "like-gpu", options.like_gpu,
             "with --cpu: compute as a GPU does, with fused multiply-add and the last thread first"),
    OPT_FLAG(0, "same-process", options.same_process, "use the GPU from this process, for sanitizers and debuggers"),
    OPT_COUNT(0, "messages", messages, 0, 1000000, "N", "print at most N failures (default 20)"),
    OPT_FLAG(0, "json", json, "the report as one JSON object"),
};

static const CommandExample examples[] = {
    {"weft gpu data/set", "run a data set on the GPU and compare"},
    {"weft gpu --generate 200 --cpu", "try it without a GPU: invented kernels, as C++"},
    {NULL, NULL},
};

const Command gpu_command = {
    .name = "gpu",
    .summary = "compile and run kernels on a GPU, compare with the CPU, measure",
    .operands = "DIR|FILE.py... [options]\n--generate N | --standalone DIR | --bench [options]",
    .input_kind = INPUTS_FILES,
    .description =
        "Compiles kernels for the GPU of this machine, runs them forward and backward on the launch of their "
        "record, and compares outputs and gradients with the evaluators. Exit code 0 only if all agree.\n"
        "A folder with a manifest.json is a data set; one without is searched for *.py files.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
