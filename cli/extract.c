/* weft extract: kernels of a file, as the text that Warp generates for them. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "progress.h"
#include "project.h"
#include "report.h"
#include "terminal.h"
#include "weft.h"

#include "base/choice.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct ExtractArgs {
    const char *kernel, *output;
    int device, dump;
    bool no_backward, json, preamble, line_map;
    long long block_dim, jobs;
    Words imports;
} ExtractArgs;

/* The texts, with their names in records and in comments. */
static const struct {
    const char *field, *language;
} texts[] = {[WEFT_CUDA] = {"cuda", "CUDA"}, [WEFT_CPU] = {"cpp", "C++"}};

static const char *const parts[] = {"prelude", "forward", "backward"};

enum { TEXT_COUNT = sizeof texts / sizeof *texts, ALL_TEXTS = TEXT_COUNT };
#define DEVICES "cuda|cpu|both" /* what -d takes: one of the texts, or all of them */

enum { DUMP_AST, DUMP_IR, DUMP_NONE };

typedef struct Extract {
    const ExtractArgs *args;
    FILE *out, *err;
    const char *path; /* of the file at hand */
    size_t found;     /* kernels and refusals, in all files */
    size_t refused;
    Tallies reasons; /* of refusals */
    Progress progress;
    Project project;
    const char *warp; /* the version that is written */
    const Weft *weft;
} Extract;

static bool is_asked_for(const Extract *extract, int device)
{
    return extract->args->device == device || extract->args->device == ALL_TEXTS;
}

/* The preamble has the block's usual size in its first line. */
static void print_preamble(const Extract *extract, int device)
{
    const char *preamble = weft_preamble(extract->weft, (WeftDevice)device);
    if (device == WEFT_CUDA && extract->args->block_dim != WEFT_BLOCK_DIM) {
        fprintf(extract->out, "#define WP_TILE_BLOCK_DIM %lld\n", extract->args->block_dim);
        preamble = strchr(preamble, '\n') + 1;
    }
    fputs(preamble, extract->out);
}

static void print_text(const Extract *extract, const WeftResult *result, size_t index)
{
    for (int device = 0; device < TEXT_COUNT; device++) {
        if (!is_asked_for(extract, device))
            continue;
        fprintf(extract->out, "// %s, %s, as Warp %s writes it\n", weft_kernel(result, index)->name,
                texts[device].language, extract->warp);
        if (extract->args->preamble)
            print_preamble(extract, device);
        for (int part = 0; part < 3; part++) {
            size_t length;
            const char *text = weft_kernel_text(result, index, (WeftDevice)device, (WeftPart)part, &length);
            fwrite(text, 1, length, extract->out);
        }
    }
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void json_texts(JsonWriter *json, const WeftResult *result, size_t index, int device)
{
    for (int part = 0; part < 3; part++) {
        char name[32];
        size_t length;
        const char *text = weft_kernel_text(result, index, (WeftDevice)device, (WeftPart)part, &length);
        snprintf(name, sizeof name, "%s_%s", texts[device].field, parts[part]);
        if (length || part == WEFT_FORWARD)
            json_add_string_n(json, name, text, length);
    }
}

/* Lines are those of the file. */
static void json_lines(JsonWriter *json, const WeftResult *result, size_t index, int device)
{
    size_t count;
    const WeftLines *lines = weft_kernel_lines(result, index, (WeftDevice)device, &count);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_%s", texts[device].field, parts[lines[i].part]);
        json_open(json, NULL, '{');
        json_add_uint(json, "python_line", lines[i].source_line);
        json_add_string(json, "text", name);
        json_add_uint(json, "first_line", lines[i].first_line);
        json_add_uint(json, "last_line", lines[i].last_line);
        json_close(json, '}');
    }
}

static void print_record(const Extract *extract, const WeftResult *result, size_t index)
{
    const WeftKernel *kernel = weft_kernel(result, index);
    WeftDevice first = extract->args->device == ALL_TEXTS ? WEFT_CUDA : (WeftDevice)extract->args->device;
    const char *device;
    size_t device_len;
    Text text = {0};
    JsonWriter json = {.out = &text};
    json_open(&json, NULL, '{');
    json_kernel(&json, extract->path, kernel->key, kernel->name);
    json_add_string(&json, "kernel_key", kernel->key);
    json_add_string(&json, "python_source", kernel->source);
    for (int i = 0; i < TEXT_COUNT; i++)
        if (is_asked_for(extract, i))
            json_texts(&json, result, index, i);
    if (extract->args->line_map) {
        json_open(&json, "line_map", '[');
        for (int i = 0; i < TEXT_COUNT; i++)
            if (is_asked_for(extract, i))
                json_lines(&json, result, index, i);
        json_close(&json, ']');
    }
    json_open(&json, "metadata", '{');
    if (choice_at(DEVICES, (size_t)extract->args->device, &device, &device_len))
        json_add_string_n(&json, "device", device, device_len);
    json_open(&json, "arg_names", '[');
    for (size_t i = 0; i < kernel->arg_count; i++)
        json_add_string(&json, NULL, kernel->arg_names[i]);
    json_close(&json, ']');
    json_open(&json, "arg_types", '{');
    for (size_t i = 0; i < kernel->arg_count; i++)
        json_add_string(&json, kernel->arg_names[i], kernel->arg_types[i]);
    json_close(&json, '}');
    json_add_bool(&json, "has_backward", kernel->has_backward);
    json_add_number(&json, "forward_lines", count_lines(weft_kernel_text(result, index, first, WEFT_FORWARD, NULL)));
    json_add_number(&json, "backward_lines", count_lines(weft_kernel_text(result, index, first, WEFT_BACKWARD, NULL)));
    json_add_string(&json, "warp_version", extract->warp);
    json_add_string(&json, "weft_version", weft_version());
    json_close(&json, '}');
    json_close(&json, '}');
    put_json_line(&text, extract->out);
}

static int extract_file(Weft *weft, Extract *extract, const char *path)
{
    size_t length;
    extract->path = path;
    char *text = read_file(path, &length);
    if (!text) {
        if (extract->args->json)
            print_refusal_record(extract->out, path,
                                 &(WeftError){.message = "the file cannot be read", .line = 1, .column = 1});
        return EXIT_FOUND;
    }
    WeftOptions options = weft_default_options();
    options.kernel = extract->args->kernel;
    options.cuda = is_asked_for(extract, WEFT_CUDA);
    options.source = extract->args->json;
    options.cpu = is_asked_for(extract, WEFT_CPU);
    options.backward = !extract->args->no_backward;
    options.block_dim = (uint32_t)extract->args->block_dim;
    options.dump_ast = extract->args->dump == DUMP_AST;
    options.dump_ir = extract->args->dump == DUMP_IR;
    options.lines = extract->args->line_map;
    options.files = project_files(&extract->project, path);
    WeftResult *result = weft_compile(weft, path, text, length, &options);
    free(text);
    if (!result) {
        tell(stderr, "weft: out of memory\n");
        return EXIT_FOUND;
    }
    if (options.dump_ast)
        fputs(weft_ast_dump(result), extract->out);
    for (size_t i = 0; i < weft_kernel_count(result) && !options.dump_ast; i++) {
        if (options.dump_ir)
            fputs(weft_kernel_dump(result, i), extract->out);
        else if (extract->args->json)
            print_record(extract, result, i);
        else
            print_text(extract, result, i);
    }
    for (size_t i = 0; i < weft_error_count(result); i++) {
        progress_clear(&extract->progress);
        print_refusal(extract->err, path, weft_error(result, i));
        tally_add_message(&extract->reasons, weft_error(result, i)->message);
        if (extract->args->json)
            print_refusal_record(extract->out, path, weft_error(result, i));
    }
    extract->refused += weft_error_count(result);
    extract->found += weft_kernel_count(result) + weft_error_count(result);
    int code = weft_error_count(result) ? EXIT_FOUND : EXIT_DONE;
    weft_result_free(result);
    return code;
}

/* ---- several files at a time ---- */

/* What came out of a file. */
typedef struct FileResult {
    char *out, *err;
    size_t out_len, err_len, found, refused;
    Tallies reasons;
    int code;
    bool made;
} FileResult;

typedef struct Parallel {
    Extract *extract;
    const Inputs *inputs;
    size_t taken;
    int code;
} Parallel;

typedef struct ExtractWorker { /* a thread reads and parses for itself */
    Weft *weft;
    Project project;
    bool open;
} ExtractWorker;

static void *open_worker(void *user)
{
    const Extract *extract = ((Parallel *)user)->extract;
    ExtractWorker *worker = calloc(1, sizeof *worker);
    if (worker) {
        worker->weft = weft_new(extract->warp);
        worker->open = worker->weft && project_open(&worker->project, &extract->args->imports);
    }
    return worker;
}

static void close_worker(void *own)
{
    ExtractWorker *worker = own;
    if (worker && worker->open)
        project_close(&worker->project);
    if (worker)
        weft_free(worker->weft);
    free(worker);
}

static void make_file(void *user, void *own, uint64_t number, void *slot)
{
    const Parallel *parallel = user;
    ExtractWorker *worker = own;
    FileResult *result = slot;
    *result = (FileResult){.code = EXIT_FOUND};
    if (number >= parallel->inputs->count || !worker || !worker->open)
        return;
    FILE *out = open_memstream(&result->out, &result->out_len), *err = open_memstream(&result->err, &result->err_len);
    if (out && err) {
        Extract extract = {.args = parallel->extract->args,
                           .warp = parallel->extract->warp,
                           .weft = worker->weft,
                           .project = worker->project,
                           .out = out,
                           .err = err};
        result->code = extract_file(worker->weft, &extract, parallel->inputs->paths[number]);
        result->found = extract.found;
        result->refused = extract.refused;
        result->reasons = extract.reasons;
        result->made = true;
    }
    if (out)
        fclose(out);
    if (err)
        fclose(err);
}

static bool take_file(void *user, void *slot)
{
    Parallel *parallel = user;
    Extract *extract = parallel->extract;
    FileResult *result = slot;
    progress_clear(&extract->progress);
    if (!result->made)
        tell(stderr, "weft: out of memory\n");
    fwrite(result->err ? result->err : "", 1, result->err_len, stderr);
    fwrite(result->out ? result->out : "", 1, result->out_len, extract->out);
    extract->found += result->found;
    extract->refused += result->refused;
    for (size_t i = 0; i < result->reasons.count; i++)
        tally_add(&extract->reasons, result->reasons.items[i].text, result->reasons.items[i].count);
    if (result->code != EXIT_DONE)
        parallel->code = EXIT_FOUND;
    bool made = result->made;
    free(result->out);
    free(result->err);
    tally_free(&result->reasons);
    *result = (FileResult){0};
    progress_tell(&extract->progress, "files", ++parallel->taken, parallel->inputs->count, "");
    return made && parallel->taken < parallel->inputs->count && !ferror(extract->out);
}

static int extract_in_parallel(Extract *extract, const Inputs *inputs, unsigned jobs)
{
    Parallel parallel = {.extract = extract, .inputs = inputs, .code = EXIT_DONE};
    size_t count = 2 * (size_t)jobs + 2;
    FileResult *slots = calloc(count, sizeof *slots);
    PoolLine line = {.user = &parallel,
                     .open = open_worker,
                     .close = close_worker,
                     .make = make_file,
                     .take = take_file,
                     .slots = slots,
                     .slot_size = sizeof *slots,
                     .slot_count = count};
    if (!slots || !pool_run_in_order(jobs, &line)) {
        tell(stderr, "weft extract: cannot start a thread\n");
        parallel.code = EXIT_FOUND;
    }
    for (size_t i = 0; slots && i < count; i++) { /* made, and not taken */
        free(slots[i].out);
        free(slots[i].err);
        tally_free(&slots[i].reasons);
    }
    free(slots);
    return parallel.code;
}

static int extract_in_turn(Weft *weft, Extract *extract, const Inputs *inputs)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < inputs->count && !ferror(extract->out); i++) {
        if (extract_file(weft, extract, inputs->paths[i]) != EXIT_DONE)
            code = EXIT_FOUND;
        progress_tell(&extract->progress, "files", i + 1, inputs->count, "");
    }
    return code;
}

/* ---- all of them ---- */

static int extract_files(Weft *weft, Extract *extract, const Inputs *inputs)
{
    unsigned jobs = pool_jobs((unsigned)extract->args->jobs);
    progress_beside(&extract->progress, extract->out);
    int code = jobs > 1 && inputs->count > 1 ? extract_in_parallel(extract, inputs, jobs)
                                             : extract_in_turn(weft, extract, inputs);
    if (inputs->failed)
        code = EXIT_FOUND;
    if (inputs->count > 1) {
        progress_end(&extract->progress, "%zu kernels of %zu files: %zu written, %zu refused;", extract->found,
                     inputs->count, extract->found - extract->refused, extract->refused);
        if (extract->progress.summary)
            print_reasons(&extract->reasons);
    } else
        progress_end(&extract->progress, NULL);
    tally_free(&extract->reasons);
    if (code == EXIT_DONE && !extract->found && extract->args->dump != DUMP_AST)
        code = no_kernel(inputs, extract->args->kernel, extract->args->json ? extract->out : NULL);
    return code;
}

static bool is_an_input(const Inputs *inputs, const char *output)
{
    for (size_t i = 0; output && i < inputs->count; i++)
        if (is_same_file(inputs->paths[i], output))
            return true;
    return false;
}

/* Where nothing came out, what was there before stays. */
static int extract_to(Weft *weft, Extract *extract, const Inputs *inputs, const char *path)
{
    Output output;
    if (!open_output(&output, path))
        return EXIT_FOUND;
    extract->out = output.file;
    int code = extract_files(weft, extract, inputs);
    if (code != EXIT_DONE && output.file != stdout && ftell(output.file) == 0)
        drop_output(&output);
    else if (!close_output(&output))
        code = EXIT_FOUND;
    return code;
}

static int run(const Call *call)
{
    const ExtractArgs *args = call->args;
    Extract extract = {.args = args, .warp = call->warp, .err = stderr};
    Inputs inputs;
    if (args->line_map && !args->json)
        return wrong_call(call->command, "--line-map needs --json");
    if (!call->operand_count)
        return wrong_call(call->command, "no file is given");
    Weft *weft = weft_new(call->warp);
    int code = EXIT_FOUND;
    extract.weft = weft;
    progress_begin(&extract.progress, call);
    inputs_find(&inputs, call->operands, call->operand_count);
    if (!weft)
        tell(stderr, "weft: out of memory\n");
    else if (is_an_input(&inputs, args->output))
        code = wrong_call(call->command, "-o %s is one of the files that are read", args->output);
    else if (inputs.count && project_open(&extract.project, &args->imports)) {
        code = extract_to(weft, &extract, &inputs, args->output);
        project_close(&extract.project);
    }
    inputs_free(&inputs);
    weft_free(weft);
    return code;
}

static const ExtractArgs defaults = {.dump = DUMP_NONE, .block_dim = WEFT_BLOCK_DIM, .jobs = 1};

#define ARGS ExtractArgs
static const Option options[] = {
    OPT_TEXT('k', "kernel", kernel, "NAME", "only this kernel, by its key or its full name with the hash"),
    OPT_CHOICE('d', "device", device, DEVICES, "DEVICE", "cuda (default), cpu or both"),
    OPT_FLAG(0, "no-backward", no_backward, "leave out the backward pass"),
    OPT_FLAG(0, "json", json, "one JSON line per kernel; a refused kernel has an error"),
    OPT_FLAG(0, "line-map", line_map, "with --json: which lines of the texts come from which line of the file"),
    OPT_FLAG(0, "preamble", preamble, "begin with what the text needs to compile against Warp's headers"),
    OPT_COUNT(0, "block-dim", block_dim, 1, 1024, "N", "threads of a block on a GPU, for tiles (default 256)"),
    OPT_CHOICE(0, "dump", dump, "ast|ir", "WHAT", "print the syntax tree (ast) or the region tree (ir) instead"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS",
              "files at a time (default 1; 0: all cores); what is written does not depend on it"),
    OPT_IMPORTS,
    OPT_FILE('o', "output", output, "FILE", "write to a file instead of standard output"),
};

static const CommandExample examples[] = {
    {"weft extract kernels.py", "every kernel of the file as CUDA, forward and backward"},
    {"weft extract kernels.py -k saxpy --json", "one kernel as a JSON record"},
    {"weft extract src/ --json -o kernels.jsonl", "the kernels of all files in a folder, and why some are refused"},
    {NULL, NULL},
};

const Command extract_command = {
    .name = "extract",
    .summary = "print the CUDA or C++ that Warp generates for the kernels of a file",
    .operands = "FILE.py|DIR... [options]",
    .input_kind = INPUTS_FILES,
    .description = "Compiles every @wp.kernel of the files and prints the code that Warp generates for it.\n"
                   "The files are read as text; nothing in them is executed. \"-\" reads standard input; for a folder, "
                   "all *.py files in it and its subfolders are read.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
