/* weft extract: kernels of a file, as the text that Warp generates for them. */
#include "args.h"
#include "commands.h"
#include "each_file.h"
#include "files.h"
#include "report.h"
#include "terminal.h"
#include "weft.h"

#include "base/choice.h"

#include <stdlib.h>
#include <string.h>

typedef struct ExtractArgs {
    const char *kernel, *output;
    int device, dump;
    bool no_backward, json, preamble, line_map;
    long long block_dim, arch, jobs;
    Imports imports;
} ExtractArgs;

/* The texts, with their names in records and in comments. */
static const struct {
    const char *field, *language;
} texts[] = {[WEFT_CUDA] = {"cuda", "CUDA"}, [WEFT_CPU] = {"cpp", "C++"}};

static const char *const parts[] = {"prelude", "forward", "backward"};

enum { TEXT_COUNT = sizeof texts / sizeof *texts, ALL_TEXTS = TEXT_COUNT };
#define DEVICES "cuda|cpu|both" /* what -d takes: one of the texts, or all of them */

enum { DUMP_AST, DUMP_IR, DUMP_NONE };

/* What was in a file, or in all of them. */
typedef struct Counts {
    size_t found; /* kernels and refusals */
    size_t refused;
    NamesMet met;    /* of -k */
    Tallies reasons; /* of refusals */
} Counts;

/* The work on one file. */
typedef struct Extract {
    const ExtractArgs *args;
    FILE *out;
    const char *path;
    Counts *counts;
    const char *warp; /* the version that is written */
    Weft *weft;
} Extract;

typedef struct ExtractAll {
    const ExtractArgs *args;
    const char *warp;
    FILE *out;
    Progress progress;
} ExtractAll;

static bool is_asked_for(const Extract *extract, int device)
{
    return extract->args->device == device || extract->args->device == ALL_TEXTS;
}

static void print_text(const Extract *extract, const WeftResult *result, size_t index)
{
    for (int device = 0; device < TEXT_COUNT; device++) {
        if (!is_asked_for(extract, device))
            continue;
        fprintf(extract->out, "// %s, %s, as Warp %s writes it\n", weft_kernel(result, index)->name,
                texts[device].language, extract->warp);
        if (extract->args->preamble)
            fputs(weft_preamble(extract->weft, (WeftDevice)device, (uint32_t)extract->args->block_dim), extract->out);
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
    if (kernel->uses_tiles) {
        json_open(&json, "shared_bytes", '[');
        json_add_uint(&json, NULL, kernel->shared_bytes[0]);
        json_add_uint(&json, NULL, kernel->shared_bytes[1]);
        json_close(&json, ']');
    }
    json_add_number(&json, "forward_lines", count_lines(weft_kernel_text(result, index, first, WEFT_FORWARD, NULL)));
    json_add_number(&json, "backward_lines", count_lines(weft_kernel_text(result, index, first, WEFT_BACKWARD, NULL)));
    json_add_string(&json, "warp_version", extract->warp);
    json_add_string(&json, "weft_version", weft_version());
    json_close(&json, '}');
    json_close(&json, '}');
    put_json_line(&text, extract->out);
}

/* Kernels are printed one by one: a file of any number of them needs memory for its text and its syntax tree. */
static void print_kernel(const WeftResult *one, void *user)
{
    Extract *extract = user;
    extract->counts->found++;
    extract->counts->met |= names_met(extract->args->kernel, weft_kernel(one, 0)->key, weft_kernel(one, 0)->name);
    if (extract->args->dump == DUMP_AST)
        return;
    if (extract->args->dump == DUMP_IR)
        fputs(weft_kernel_dump(one, 0), extract->out);
    else if (extract->args->json)
        print_record(extract, one, 0);
    else
        print_text(extract, one, 0);
}

static int extract_file(const void *user, const FileTask *task, void *result_counts)
{
    const ExtractAll *all = user;
    const ExtractArgs *args = all->args;
    Counts *counts = result_counts;
    Extract extract = {
        .args = args, .out = task->out, .path = task->path, .counts = counts, .warp = all->warp, .weft = task->weft};
    size_t length;
    char *text = read_input(task->file, &length, task->err);
    if (!text) {
        if (args->json)
            print_refusal_record(task->out, task->path,
                                 &(WeftError){.message = "the file cannot be read", .line = 1, .column = 1});
        return EXIT_FOUND;
    }
    WeftOptions options = weft_default_options();
    options.kernel = args->kernel;
    options.cuda = is_asked_for(&extract, WEFT_CUDA);
    options.source = args->json;
    options.cpu = is_asked_for(&extract, WEFT_CPU);
    options.backward = !args->no_backward;
    options.block_dim = (uint32_t)args->block_dim;
    options.arch = (uint32_t)args->arch;
    options.dump_ast = args->dump == DUMP_AST;
    options.dump_ir = args->dump == DUMP_IR;
    options.lines = args->line_map;
    options.files = project_files(task->project, task->path);
    options.each = print_kernel;
    options.user = &extract;
    WeftResult *result = weft_compile(task->weft, task->path, text, length, &options);
    free(text);
    if (!result) {
        tell(task->err, "weft: out of memory\n");
        return EXIT_FOUND;
    }
    if (options.dump_ast)
        fputs(weft_ast_dump(result), task->out);
    for (size_t i = 0; i < weft_error_count(result); i++) {
        progress_clear(task->progress);
        print_refusal(task->err, task->path, weft_error(result, i));
        tally_add_message(&counts->reasons, weft_error(result, i)->message);
        counts->met |= names_met(args->kernel, weft_error(result, i)->kernel, NULL);
        if (args->json)
            print_refusal_record(task->out, task->path, weft_error(result, i));
    }
    counts->refused += weft_error_count(result);
    counts->found += weft_error_count(result);
    int code = weft_error_count(result) ? EXIT_FOUND : EXIT_DONE;
    weft_result_free(result);
    return code;
}

/* ---- all of them ---- */

static void add_counts(void *total, void *result)
{
    Counts *all = total;
    const Counts *counts = result;
    all->found += counts->found;
    all->refused += counts->refused;
    all->met |= counts->met;
    tally_join(&all->reasons, &counts->reasons);
}

static void free_counts(void *result)
{
    tally_free(&((Counts *)result)->reasons);
}

static int extract_files(ExtractAll *all, const Inputs *inputs)
{
    Counts counts = {0};
    progress_beside(&all->progress, all->out);
    int code = each_file(&(FileWork){.inputs = inputs,
                                     .warp = all->warp,
                                     .imports = &all->args->imports,
                                     .out = all->out,
                                     .progress = &all->progress,
                                     .user = all,
                                     .result_size = sizeof counts,
                                     .make = extract_file,
                                     .take = add_counts,
                                     .drop = free_counts,
                                     .total = &counts},
                         (unsigned)all->args->jobs);
    if (inputs->failed)
        code = EXIT_FOUND;
    if (inputs->count > 1) {
        progress_end(&all->progress, "%zu kernels of %zu files: %zu written, %zu refused;", counts.found, inputs->count,
                     counts.found - counts.refused, counts.refused);
        if (all->progress.summary)
            print_reasons(&counts.reasons);
    } else
        progress_end(&all->progress, NULL);
    bool misses = all->args->kernel ? is_name_missing(all->args->kernel, counts.met) : !counts.found;
    if (misses && !inputs->failed && all->args->dump != DUMP_AST && (code == EXIT_DONE || counts.found))
        code = no_kernel(inputs, all->args->kernel, counts.met, all->args->json ? all->out : NULL);
    free_counts(&counts);
    return code;
}

static bool is_an_input(const Inputs *inputs, const char *output)
{
    for (size_t i = 0; output && i < inputs->count; i++)
        if (is_same_file(inputs->files[i].path, output))
            return true;
    return false;
}

/* Where nothing came out, what was there before stays. */
static int extract_to(ExtractAll *all, const Inputs *inputs, const char *path)
{
    Output output;
    if (!open_output(&output, path))
        return EXIT_FOUND;
    all->out = output.file;
    int code = extract_files(all, inputs);
    if (code != EXIT_DONE && output.file != stdout && ftell(output.file) == 0)
        drop_output(&output);
    else if (!close_output(&output))
        code = EXIT_FOUND;
    return code;
}

static int run(const Call *call)
{
    const ExtractArgs *args = call->args;
    ExtractAll all = {.args = args, .warp = call->warp};
    Inputs inputs;
    if (args->line_map && !args->json)
        return wrong_call(call->command, "--line-map needs --json");
    if (args->arch && args->device == WEFT_CPU)
        return wrong_call(call->command, "--arch is of GPUs: the text for the CPU does not depend on it");
    if (!call->operand_count)
        return wrong_call(call->command, "no file is given");
    int code = EXIT_FOUND;
    progress_begin(&all.progress, call);
    inputs_find(&inputs, call->operands, call->operand_count);
    if (is_an_input(&inputs, args->output))
        code = wrong_call(call->command, "-o %s is one of the files that are read", args->output);
    else if (inputs.count)
        code = extract_to(&all, &inputs, args->output);
    inputs_free(&inputs);
    return code;
}

static const ExtractArgs defaults = {.dump = DUMP_NONE, .block_dim = WEFT_BLOCK_DIM, .jobs = 1};

#define ARGS ExtractArgs
static const Option options[] = {
    OPT_LIST('k', "kernel", kernel, "NAME",
             "only this kernel, by its key or its full name with the hash; may be repeated"),
    OPT_CHOICE('d', "device", device, DEVICES, "DEVICE", "cuda (default), cpu or both"),
    OPT_FLAG(0, "no-backward", no_backward, "leave out the backward pass"),
    OPT_FLAG(0, "json", json, "one JSON line per kernel; a refused kernel has an error"),
    OPT_FLAG(0, "line-map", line_map, "with --json: which lines of the texts come from which line of the file"),
    OPT_FLAG(0, "preamble", preamble, "begin with what the text needs to compile against Warp's headers"),
    OPT_COUNT(0, "block-dim", block_dim, 1, 1024, "N", "threads of a block on a GPU, for tiles (default 256)"),
    OPT_COUNT(0, "arch", arch, 50, 999, "N",
              "sm number of a GPU, as 90: tiles use Warp's MathDx code for it (default: Warp's own code)"),
    OPT_CHOICE(0, "dump", dump, "ast|ir", "WHAT", "print the syntax tree (ast) or the region tree (ir) instead"),
    OPT_FILE_JOBS,
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
