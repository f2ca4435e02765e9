/* weft validate: does a data set hold? */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "interrupt.h"
#include "progress.h"
#include "report.h"
#include "terminal.h"

#include "base/pool.h"
#include "corpus/columns.h"
#include "corpus/corpus.h"
#include "corpus/readable_compile.h"
#include "corpus/samples.h"
#include "gpu/compile_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_report(const char *dir, const ValidateReport *report)
{
    if (report->messages.len)
        tell_text(stderr, report->messages.data, report->messages.len);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (report->by_category[i])
            tell(stdout, "%-18s %9llu records %7llu wrong\n", category_name((CategoryId)i),
                 (unsigned long long)report->by_category[i], (unsigned long long)report->bad_by_category[i]);
    tell(stdout, "%s: %llu records, all compiled again%s, %llu verdicts checked again: %llu wrong, %llu problems\n",
         dir, (unsigned long long)report->records, report->origin_checked ? " and invented again" : "",
         (unsigned long long)report->verdicts, (unsigned long long)report->bad_records,
         (unsigned long long)report->problems);
}

/* Members of the object: what print_report prints. */
static void report_json(JsonWriter *json, const char *dir, const ValidateReport *report)
{
    json_add_string(json, "folder", dir);
    json_add_bool(json, "valid", !report->problems && !report->bad_records && !report->stopped);
    json_add_bool(json, "interrupted", report->stopped);
    json_add_number(json, "records", (double)report->records);
    json_add_number(json, "wrong_records", (double)report->bad_records);
    json_add_number(json, "problems", (double)report->problems);
    json_add_number(json, "verdicts_checked", (double)report->verdicts);
    json_add_bool(json, "invented_again", report->origin_checked);
    json_open(json, "by_category", '{');
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (report->by_category[i]) {
            json_open(json, category_name((CategoryId)i), '{');
            json_add_number(json, "records", (double)report->by_category[i]);
            json_add_number(json, "wrong", (double)report->bad_by_category[i]);
            json_close(json, '}');
        }
    json_close(json, '}');
    json_open(json, "messages", '[');
    for (size_t at = 0; at < report->messages.len;) {
        const char *line = report->messages.data + at;
        size_t len = (size_t)((const char *)memchr(line, '\n', report->messages.len - at) - line);
        json_add_string_n(json, NULL, line, len);
        at += len + 1;
    }
    json_close(json, ']');
}

/* ---- --compile ---- */

static void print_ptx(const char *pass, const PtxSummary *ptx)
{
    if (ptx->kernels)
        tell(stdout,
             "PTX of %u %s kernels: %.0f instructions on average, at most %u; %.0f virtual registers, at most %u\n",
             ptx->kernels, pass, (double)ptx->instructions / ptx->kernels, ptx->most_instructions,
             (double)ptx->registers / ptx->kernels, ptx->most_registers);
}

static void print_compiled(const SampleList *list, const CompileReport *outcome, long long messages)
{
    char buffer[1000];
    for (uint32_t i = 0; i < list->count && messages > 0; i++) {
        const char *failure = compile_failure(&list->items[i], &outcome->results[i], buffer, sizeof buffer);
        if (failure) {
            tell(stderr, "%s: %s\n", list->items[i].id, failure);
            messages--;
        }
    }
    if (outcome->with_text[BUILD_CPP])
        tell(stdout,
             "C++: %u of %u compile (%.0f s); run on their launch (%.0f s): %u ran, %u agree forward, %u of %u "
             "backward%s; largest error %.1e forward, %.1e backward\n",
             outcome->compiled[BUILD_CPP], outcome->with_text[BUILD_CPP], outcome->build_seconds[BUILD_CPP],
             outcome->run_seconds, outcome->totals.ran, outcome->totals.forward, outcome->totals.backward,
             outcome->totals.with_backward, outcome->totals.undefined_backward ? " that is defined" : "",
             outcome->totals.forward_error, outcome->totals.backward_error);
    else
        tell(stdout, "C++: the data set has none, nothing was run\n");
    if (outcome->with_text[BUILD_CUDA])
        tell(stdout, "CUDA: %u of %u compile (%.0f s)\n", outcome->compiled[BUILD_CUDA], outcome->with_text[BUILD_CUDA],
             outcome->build_seconds[BUILD_CUDA]);
    else
        tell(stdout, "CUDA: the data set has none\n");
    print_ptx("forward", &outcome->ptx[0]);
    print_ptx("backward", &outcome->ptx[1]);
}

static bool write_compiled(const char *path, const SampleList *list, const CompileReport *outcome)
{
    static const char *const passes[] = {"forward", "backward"};
    char buffer[1000];
    Output output;
    if (!open_output(&output, path))
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const Sample *sample = &list->items[i];
        const DeviceCheckResult *result = &outcome->results[i];
        const char *failure = compile_failure(sample, result, buffer, sizeof buffer);
        Text text = {0};
        JsonWriter json = {.out = &text};
        json_open(&json, NULL, '{');
        json_add_string(&json, "id", sample->id);
        json_full_name(&json, sample->name);
        json_add_string(&json, "kernel", sample->name);
        json_add_string(&json, "category", sample->category);
        json_add_string(&json, "failure", failure ? failure : "");
        if (result->ran) {
            json_add_bool(&json, "forward_agrees", result->forward);
            json_add_number(&json, "forward_error", result->forward_error);
        }
        if (result->has_backward) {
            json_add_bool(&json, "backward_agrees", result->backward);
            json_add_number(&json, "backward_error", result->backward_error);
        }
        for (int pass = 0; pass < 2; pass++) {
            const PtxStats *ptx = &sample->ptx[pass];
            if (!ptx->instructions)
                continue;
            json_open(&json, passes[pass], '{');
            json_add_number(&json, "ptx_instructions", ptx->instructions);
            json_add_number(&json, "ptx_registers", ptx->registers);
            json_add_number(&json, "local_bytes", ptx->local_bytes);
            json_close(&json, '}');
        }
        json_close(&json, '}');
        put_json_line(&text, output.file);
    }
    return close_output(&output);
}

static void compiled_json(JsonWriter *json, const SampleList *list, const CompileReport *outcome)
{
    static const char *const names[] = {"cpp", "cuda"};
    char buffer[1000];
    json_open(json, "compiled", '{');
    for (int target = 0; target < BUILD_TARGET_COUNT; target++) {
        json_open(json, names[target], '{');
        json_add_number(json, "texts", outcome->with_text[target]);
        json_add_number(json, "compile", outcome->compiled[target]);
        json_close(json, '}');
    }
    json_add_number(json, "ran", outcome->totals.ran);
    json_add_number(json, "forward_agrees", outcome->totals.forward);
    json_add_number(json, "with_backward", outcome->totals.with_backward);
    json_add_number(json, "backward_agrees", outcome->totals.backward);
    json_open(json, "failures", '[');
    for (uint32_t i = 0; i < list->count; i++) {
        const char *failure = compile_failure(&list->items[i], &outcome->results[i], buffer, sizeof buffer);
        if (!failure)
            continue;
        json_open(json, NULL, '{');
        json_add_string(json, "id", list->items[i].id);
        json_add_string(json, "failure", failure);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* ---- the readable CUDA ---- */

static void readable_json(JsonWriter *json, const ReadableReport *report)
{
    json_open(json, "readable", '{');
    json_add_number(json, "texts", report->texts);
    json_add_number(json, "compile", report->compiled);
    json_add_number(json, "forward_agrees", report->forward);
    json_add_number(json, "with_backward", report->with_backward);
    json_add_number(json, "backward_agrees", report->backward);
    if (report->has_nvrtc)
        json_add_number(json, "compile_with_nvrtc", report->cuda_compiled);
    json_close(json, '}');
}

static void print_readable(const ReadableSample *samples, uint32_t count, const ReadableReport *report,
                           long long messages)
{
    for (uint32_t i = 0; i < count && messages > 0; i++)
        if (samples[i].failure[0]) {
            tell(stderr, "%s: %s\n", samples[i].id, samples[i].failure);
            messages--;
        }
    tell(stdout, "readable CUDA: %u of %u compile as C++; run on their launches: %u agree forward, %u of %u backward\n",
         report->compiled, report->texts, report->forward, report->backward, report->with_backward);
    if (report->has_nvrtc)
        tell(stdout, "readable CUDA: %u of %u compile with NVRTC and weft_math.cuh\n", report->cuda_compiled,
             report->texts);
    else
        tell(stdout, "readable CUDA: not compiled as CUDA, there is no NVRTC\n");
}

/* What has launches is compiled and run. False: something is wrong with it. */
static bool check_readable(const SampleList *list, const CompileCheckOptions *options, long long messages,
                           JsonWriter *json)
{
    ReadableReport report = {0};
    GpuError error = {""};
    Toolchain tools = {0};
    ReadableSample *samples = calloc(list->count + 1, sizeof *samples);
    uint32_t count = 0;
    for (uint32_t i = 0; samples && i < list->count; i++)
        if (list->items[i].readable && list->items[i].launches)
            samples[count++] = (ReadableSample){
                .id = list->items[i].id, .text = list->items[i].readable, .launches = list->items[i].launches};
    GpuError no_nvrtc;
    Nvrtc *nvrtc = count ? nvrtc_open(options->cuda, &no_nvrtc) : NULL;
    bool tried = samples && count && toolchain_find_compiler(&tools, &error) &&
                 readable_compile(samples, count,
                                  &(ReadableOptions){.compiler = tools.compiler,
                                                     .nvrtc = nvrtc,
                                                     .arch = options->arch ? options->arch : 90,
                                                     .jobs = options->jobs},
                                  &report, &error);
    if (count && !tried)
        tell(stderr, "weft validate: --compile: %s\n", samples ? error.message : "out of memory");
    else if (json)
        readable_json(json, &report);
    else if (count)
        print_readable(samples, count, &report, messages);
    nvrtc_close(nvrtc);
    free(samples);
    return (tried && !report.failures) || (samples && !count);
}

static int run_compile_check(const char *dir, const CompileCheckOptions *options, const char *report,
                             long long messages, Progress *progress, JsonWriter *json)
{
    SampleList list;
    CompileReport outcome = {0};
    CorpusError corpus_error = {""};
    GpuError error = {""};
    int code = EXIT_FOUND;
    sample_list_init(&list);
    bool read = corpus_read_samples(dir, &list, &corpus_error);
    bool readable = read && check_readable(&list, options, messages, json);
    bool ran = read && check_by_compiling(list.items, list.count, options, &outcome, &error);
    progress_end(progress, NULL);
    if (!read)
        tell(stderr, "weft validate: %s\n", corpus_error.message);
    else if (!ran)
        tell(stderr, "weft validate: --compile: %s\n", error.message);
    else {
        if (json)
            compiled_json(json, &list, &outcome);
        else
            print_compiled(&list, &outcome, messages);
        code = outcome.failures || !readable ? EXIT_FOUND : EXIT_DONE;
        if (report && !write_compiled(report, &list, &outcome))
            code = EXIT_FOUND;
    }
    compile_report_free(&outcome);
    sample_list_free(&list);
    return code;
}

/* ---- the command ---- */

static void show_progress(uint64_t records, uint64_t of, void *user)
{
    progress_tell(user, "records", records, of, "");
}

typedef struct ValidateArgs {
    const char *input, *report, *hidden_key;
    long long jobs, messages, arch;
    double sample;
    bool compile, json, schema;
    CompileCheckOptions compiling;
} ValidateArgs;

static int print_schema(void)
{
    Text text;
    text_init(&text);
    columns_json_schema(&text);
    put_text(&text, stdout);
    text_free(&text);
    return EXIT_DONE;
}

static int run(const Call *call)
{
    const ValidateArgs *args = call->args;
    if (args->schema)
        return print_schema();
    const char *input = args->input ? args->input : call->operand_count ? call->operands[0] : NULL;
    if (!input || call->operand_count + (args->input != NULL) != 1)
        return wrong_call(call->command, "one folder is needed");
    if (!args->compile &&
        (args->compiling.warp_include || args->compiling.cuda || args->compiling.cache || args->report))
        return wrong_call(call->command, "--warp-include, --cuda, --cache and --report need --compile");
    ValidateOptions chosen = {
        .jobs = (unsigned)args->jobs, .sample = args->sample, .max_messages = (uint32_t)args->messages};
    chosen.warp = call->warp_given ? call->warp : NULL;
    Secret key;
    char why[300];
    if (args->hidden_key && !secret_open(args->hidden_key, false, &key, why, sizeof why)) {
        tell(stderr, "weft validate: %s\n", why);
        return EXIT_FOUND;
    }
    chosen.hidden_key = args->hidden_key ? &key : NULL;
    ValidateReport report;
    CorpusError error = {""};
    Progress progress;
    progress_begin(&progress, call);
    chosen.progress = show_progress;
    chosen.user = &progress;
    chosen.stop = catch_interrupts("validate", "interrupted, ending (again: leave at once)");
    bool validated = corpus_validate(input, &chosen, &report, &error);
    progress_end(&progress, NULL); /* the report is the summary */
    if (!validated) {
        tell(stderr, "weft validate: %s\n", error.message);
        validate_report_free(&report);
        return EXIT_FOUND;
    }
    Text text = {0};
    JsonWriter json = {.out = &text};
    if (report.messages.failed)
        end_without_memory();
    if (args->json) {
        json_open(&json, NULL, '{');
        report_json(&json, input, &report);
    } else
        print_report(input, &report);
    int code = report.problems || report.bad_records ? EXIT_FOUND : EXIT_DONE;
    if (report.stopped)
        code = interrupt_code();
    bool compile = args->compile && !report.stopped;
    validate_report_free(&report);
    if (compile) {
        CompileCheckOptions compiling = args->compiling;
        compiling.jobs = pool_jobs((unsigned)args->jobs);
        compiling.arch = (int)args->arch;
        compiling.watch = progress_watch(&progress);
        fflush(stdout);
        leave_on_interrupt("validate", "interrupted");
        int outcome =
            run_compile_check(input, &compiling, args->report, args->messages, &progress, args->json ? &json : NULL);
        code = outcome == EXIT_DONE ? code : outcome;
    }
    if (args->json) {
        json_close(&json, '}');
        put_json_line(&text, stdout);
    }
    return code;
}

static const ValidateArgs defaults = {.messages = 20, .arch = 90, .sample = 100};

#define ARGS ValidateArgs
static const Option options[] = {
    OPT_FOLDER('i', "input", input, "DIR", "the folder of the data set, if it is not given as DIR"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "threads (default 0: all cores)"),
    OPT_REAL(0, "sample", sample, 0, 100, "P", "check the verdicts of P percent again (default 100; 0: none)"),
    OPT_COUNT(0, "messages", messages, 0, 1000000, "N", "print at most N problems (default 20)"),
    OPT_FILE(0, "hidden-key", hidden_key, "FILE", "the hidden key of its launches, where there is one"),
    OPT_FLAG(0, "schema", schema, "print the JSON Schema of records, and stop"),
    OPT_FLAG(0, "compile", compile,
             "also compile the texts, C++ and CUDA, run the C++ and compare with the evaluators"),
    OPT_FOLDER(0, "warp-include", compiling.warp_include, "DIR",
               "Warp's native headers, of the data set's version (default: where warp-lang is installed)"),
    OPT_FOLDER(0, "cuda", compiling.cuda, "DIR", "the CUDA toolkit with NVRTC (default: the usual places)"),
    OPT_COUNT(0, "arch", arch, 50, 999, "N", "compile CUDA for this architecture (default 90: sm_90)"),
    OPT_FOLDER(0, "cache", compiling.cache, "DIR", "keep what was compiled there, and use it again"),
    OPT_FLAG(0, "json", json, "the report as one JSON object"),
    OPT_FILE(0, "report", report, "FILE", "one JSON line per kernel: errors, PTX instructions, registers"),
};

static const CommandExample examples[] = {
    {"weft validate data/set", "check every record again; exit code 0 only if all hold"},
    {"weft validate data/set --compile", "also compile the texts, run the C++ and compare"},
    {NULL, NULL},
};

const Command validate_command = {
    .name = "validate",
    .summary = "check every record of a data set",
    .operands = "DIR [options]",
    .input_kind = INPUTS_FOLDERS,
    .description = "Checks every record of a data set: its fields, its text compiled again, its verdict, its place in "
                   "the set; and "
                   "the manifest against all of them. Exit code 0 only if everything holds.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
