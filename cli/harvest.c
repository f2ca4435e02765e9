/* weft harvest: a data set of the kernels of real projects. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "interrupt.h"
#include "produce.h"
#include "project.h"
#include "terminal.h"

#include "check/io.h"

#include <stdlib.h>

typedef struct HarvestArgs {
    const char *output, *splits;
    long long jobs, seed, launches;
    int device, format, gradients, dedup; /* as in CorpusOptions */
    bool no_backward, no_readable, no_verify, no_compress, full, resume, json_progress;
    Imports imports;
} HarvestArgs;

/* EXIT_DONE, or EXIT_USAGE after a message. */
static int fill_options(const Call *call, const HarvestArgs *args, CorpusOptions *options)
{
    *options = corpus_default_options();
    options->warp = call->warp;
    if (!call->operand_count)
        return wrong_call(call->command, "no file or folder is given");
    if (!args->output)
        return wrong_call(call->command, "-o DIR is needed: the folder to write to");
    if (args->splits && !read_splits(args->splits, options->splits))
        return wrong_call(call->command, "--splits takes three shares, such as 98,1,1, not '%s'", args->splits);
    if (args->format == FORMAT_JSON && args->splits)
        return wrong_call(call->command, "--format json cannot be combined with --splits");
    if (args->format == FORMAT_PARQUET && args->no_compress)
        return wrong_call(call->command, "--format parquet cannot be combined with --no-compress");
    if (args->no_verify && args->launches > 0)
        return wrong_call(call->command, "--launches cannot be combined with --no-verify");
    options->seed = (uint64_t)args->seed;
    options->device = (unsigned)args->device + 1;
    options->format = (CorpusFormat)args->format;
    options->gradients = (GradientRule)args->gradients;
    options->dedup = (DedupRule)args->dedup;
    options->backward = !args->no_backward;
    options->readable = !args->no_readable;
    options->verify = !args->no_verify;
    options->compress = !args->no_compress && args->format != FORMAT_JSON;
    options->full = args->full || args->format == FORMAT_JSON;
    if (args->no_verify || args->launches >= 0)
        options->launches = args->no_verify ? 0 : (uint32_t)args->launches;
    return EXIT_DONE;
}

/* Every file, with what it imports. False: a message was printed. */
static bool find_kernels(Harvest *harvest, const Inputs *inputs, const HarvestArgs *args, Progress *progress,
                         const atomic_int *stop)
{
    Project project;
    bool fine = project_open(&project, &args->imports, inputs);
    for (size_t i = 0; fine && i < inputs->count && !*stop; i++) {
        const InputFile *file = &inputs->files[i];
        size_t length;
        char *text = read_input(file, &length, stderr);
        if (text && !harvest_file(harvest, file->path, text, length, project_files(&project, file->path))) {
            tell(stderr, "weft: out of memory\n");
            fine = false;
        }
        free(text);
        progress_tell(progress, "files", i + 1, inputs->count, "");
    }
    project_close(&project);
    return fine;
}

/* What became of all kernels, on stderr. */
static void print_summary(Harvest *harvest, const CorpusProgress *last)
{
    const HarvestCounts *counts = harvest_counts(harvest);
    Text text;
    text_init(&text);
    text_format(
        &text, "%llu files, %llu kernels: %llu with an excerpt, %llu records, %llu not kept (see manifest.json)\n",
        (unsigned long long)counts->files, (unsigned long long)counts->kernels, (unsigned long long)counts->gathered,
        (unsigned long long)last->made, (unsigned long long)last->rejected);
    text_lit(&text, "licences of what was found:\n");
    harvest_licenses(harvest, &text);
    if (counts->kernels > counts->gathered) {
        text_lit(&text, "without an excerpt:\n");
        harvest_reasons(harvest, &text);
    }
    tell(stderr, "%s", text_cstr(&text));
    text_free(&text);
}

static int harvest_inputs(const Call *call, const HarvestArgs *args, Harvest *harvest, const Inputs *inputs)
{
    ProgressView view = begin_view(call, args->json_progress);
    CorpusRun run = {.jobs = (unsigned)args->jobs,
                     .resume = args->resume,
                     .stop = catch_interrupts("harvest", "interrupted, saving what is done (again: leave at once)"),
                     .progress = show_progress,
                     .user = &view};
    CorpusError error = {""};
    if (!find_kernels(harvest, inputs, args, &view.progress, run.stop)) {
        progress_end(&view.progress, NULL);
        return EXIT_FOUND;
    }
    if (*run.stop) {
        progress_end(&view.progress, NULL);
        tell(stderr, "weft harvest: interrupted; nothing was written\n");
        return interrupt_code();
    }
    if (!harvest_counts(harvest)->kernels) {
        progress_end(&view.progress, NULL);
        return no_kernel(inputs, NULL, 0, NULL);
    }
    CorpusOutcome outcome = corpus_harvest(harvest, args->output, &run, &error);
    int code = report_outcome("harvest", args->output, outcome, &view, &error);
    if (outcome == CORPUS_DONE && !args->json_progress && !call->quiet)
        print_summary(harvest, &view.last);
    return code == EXIT_DONE && inputs->failed ? EXIT_FOUND : code;
}

static int run_harvest(const Call *call)
{
    const HarvestArgs *args = call->args;
    CorpusOptions options;
    if (fill_options(call, args, &options) != EXIT_DONE)
        return EXIT_USAGE;
    Harvest *harvest = harvest_new(&options);
    Inputs inputs;
    int code = EXIT_FOUND;
    inputs_find(&inputs, call->operands, call->operand_count);
    if (!harvest)
        tell(stderr, "weft: out of memory\n");
    else if (inputs.count)
        code = harvest_inputs(call, args, harvest, &inputs);
    inputs_free(&inputs);
    harvest_free(harvest);
    return code;
}

static const HarvestArgs harvest_defaults = {.launches = -1};

#define ARGS HarvestArgs
static const Option harvest_options[] = {
    OPT_FOLDER('o', "output", output, "DIR", "the folder to write to; new, or to be continued with --resume"),
    OPT_IMPORTS,
    OPT_CHOICE('d', "device", device, DEVICE_WORDS, "WHICH", "cuda (default), cpu or both"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other launches (default 0)"),
    OPT_COUNT('j', "jobs", jobs, 0, MAX_JOBS, "JOBS", "threads (default 0: all cores); the data do not depend on it"),
    OPT_RECORD_TEXTS,
    OPT_RECORD_RULES,
    OPT_FLAG(0, "resume", resume, "continue what was interrupted, with the same files and options"),
    OPT_FLAG(0, "json-progress", json_progress, "progress as JSON lines on stderr"),
};
#undef ARGS

static const CommandExample harvest_examples[] = {
    {"weft harvest src/ -o data/set", "the kernels of a project, each with all that it needs"},
    {NULL, NULL},
};

const Command harvest_command = {
    .name = "harvest",
    .summary = "make a data set of the kernels of real projects",
    .operands = "FILE|DIR... -o DIR [options]",
    .input_kind = INPUTS_FILES,
    .description = "Makes a data set of the kernels in files and folders: each becomes an excerpt that needs no other "
                   "file, with the "
                   "functions, structs and constants it uses. An excerpt is kept only if it compiles to the same text "
                   "as the kernel "
                   "where it stands. Records are like those of `weft produce`, and say where they are from and under "
                   "which licence. "
                   "Kernels that cannot be run are kept, compiled only.",
    COMMAND_TABLES(harvest_options, harvest_examples, harvest_defaults),
    .run = run_harvest,
};
