/* weft standalone: kernels as CUDA programs of their own. */
#include "standalone.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "interrupt.h"
#include "progress.h"
#include "project.h"
#include "report.h"
#include "terminal.h"

#include "base/pool.h"
#include "base/sha256.h"
#include "corpus/manifest.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_BLOCK = 32 };

typedef struct StandaloneArgs {
    long long samples, seed, jobs, block_dim;
    const char *output, *kernel, *categories, *verified;
    bool resume, header;
    Imports imports;
} StandaloneArgs;

typedef struct Standalone {
    const StandaloneArgs *args;
    const CategoryWeights *weights; /* of invented kernels */
    const char *warp;
    uint64_t first; /* the first candidate of this run */
    const atomic_int *stop;
    Progress progress;
    Project project;
    ProgramFolder folder;
    CorpusError error;
    bool verbose;
    bool failed; /* see error */
    bool ended;  /* too many candidates were refused, or a signal came */
    /* of files */
    ProgramMaker *maker;
    Made made;
    const char *path, *source;
    size_t length;
    uint64_t seen;             /* kernels so far */
    uint32_t errors, compiled; /* kernels that do not compile; that do */
    NamesMet met;              /* of -k */
} Standalone;

/* ---- invented kernels ---- */

static bool take_invented(void *user, void *slot)
{
    const Made *made = slot;
    enum { PATIENCE = 20, SOME = 100 };
    Standalone *s = user;
    uint64_t wanted = (uint64_t)s->args->samples;
    char name[64];
    if (made->state == MADE_FAILED) {
        snprintf(s->error.message, sizeof s->error.message, "out of memory");
        s->failed = true;
        return false;
    }
    if (made->state == MADE_REFUSAL && s->verbose) {
        progress_clear(&s->progress);
        tell(stderr, "kernel %llu (%.*s): refused: %.*s\n", (unsigned long long)made->index, (int)made->kernel.len,
             made->kernel.data, (int)made->reason.len, made->reason.data);
    }
    snprintf(name, sizeof name, "sample_%04u_%s", s->folder.written, category_name(made->category));
    s->failed = !programs_take(&s->folder, made, name, &s->error);
    progress_tell(&s->progress, "programs", s->folder.written, wanted, "");
    s->ended = *s->stop || s->folder.next > wanted * PATIENCE + SOME;
    return !s->failed && !s->ended && s->folder.written < wanted;
}

static void *open_maker(void *user)
{
    const Standalone *s = user;
    return program_maker_new(s->warp);
}

static void close_maker(void *maker)
{
    program_maker_free(maker);
}

static void make_program(void *user, void *maker, uint64_t number, void *slot)
{
    const Standalone *s = user;
    if (maker)
        make_invented(maker, (uint64_t)s->args->seed, s->first + number, s->weights, slot);
    else
        ((Made *)slot)->state = MADE_FAILED;
}

static int translate_samples(Standalone *s)
{
    unsigned jobs = pool_jobs((unsigned)s->args->jobs);
    PoolLine line = {.user = s,
                     .open = open_maker,
                     .close = close_maker,
                     .make = make_program,
                     .take = take_invented,
                     .slot_size = sizeof(Made),
                     .slot_count = 4 * (size_t)jobs};
    Made *slots = line.slots = calloc(line.slot_count, sizeof *slots);
    for (size_t i = 0; slots && i < line.slot_count; i++)
        made_init(&slots[i]);
    s->first = s->folder.next;
    if (!slots || !pool_run_in_order(jobs, &line)) {
        snprintf(s->error.message, sizeof s->error.message, "%s", slots ? "cannot start a thread" : "out of memory");
        s->failed = true;
    }
    for (size_t i = 0; slots && i < line.slot_count; i++)
        made_free(&slots[i]);
    free(slots);
    progress_clear(&s->progress);
    if (s->ended && !*s->stop && !s->failed)
        tell(stderr, "weft standalone: too many kernels were refused\n");
    return s->failed || s->ended ? EXIT_FOUND : EXIT_DONE;
}

/* ---- kernels of files ---- */

static void print_refused(const Standalone *s)
{
    tell(stderr, "%s:%u: %.*s: refused: %.*s\n", s->path, s->made.line, (int)s->made.kernel.len, s->made.kernel.data,
         (int)s->made.reason.len, s->made.reason.data);
}

static bool visit_kernel(const Compiled *compiled, void *user)
{
    Standalone *s = user;
    const char *key = compiled->module->kernel->kernel->key->text;
    char name[300];
    s->compiled++;
    s->met |= names_met(s->args->kernel, key, compiled->module->name);
    if (s->seen++ < s->folder.next)
        return true; /* an earlier run has it */
    make_given(s->maker, compiled, s->source, s->length, &s->made);
    if (s->made.state == MADE_REFUSAL)
        print_refused(s);
    snprintf(name, sizeof name, "%s", key);
    for (int i = 2; programs_has(&s->folder, name) && i < 1000; i++) /* overloads of one name */
        snprintf(name, sizeof name, "%s_%d", key, i);
    s->failed = !programs_take(&s->folder, &s->made, name, &s->error);
    s->ended = *s->stop;
    return !s->failed && !s->ended;
}

static void note_error(const WeftError *error, void *user)
{
    Standalone *s = user;
    s->errors++;
    s->met |= names_met(s->args->kernel, error->kernel, NULL);
    print_refusal(stderr, s->path, error);
}

static bool translate_file(Standalone *s, const InputFile *file)
{
    const char *path = file->path;
    char *text = read_input(file, &s->length, stderr);
    if (!text)
        return false;
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = options.skip_hash = options.skip_verify = true;
    options.weft.kernel = s->args->kernel;
    options.weft.block_dim = (uint32_t)s->args->block_dim;
    options.weft.files = project_files(&s->project, path);
    s->path = path;
    s->source = text;
    bool done = pipeline_compile(s->maker->weft, &(Source){path, text, s->length}, &options,
                                 &(PipelineVisitor){.compiled = visit_kernel, .refused = note_error, .user = s});
    if (!done)
        tell(stderr, "weft: out of memory\n");
    free(text);
    return done;
}

static int translate_files(Standalone *s, const Inputs *inputs)
{
    s->maker = program_maker_new(s->warp);
    bool done = s->maker != NULL;
    if (!done)
        tell(stderr, "weft: out of memory\n");
    else
        done = project_open(&s->project, &s->args->imports, inputs);
    made_init(&s->made);
    for (size_t i = 0; done && i < inputs->count && !s->failed && !s->ended; i++)
        done = translate_file(s, &inputs->files[i]);
    made_free(&s->made);
    program_maker_free(s->maker);
    project_close(&s->project);
    return done && !s->failed && !s->ended ? EXIT_DONE : EXIT_FOUND;
}

/* ---- what distinguishes one run from another ---- */

static void add_seed_options(const StandaloneArgs *args, const CategoryWeights *weights, Text *out)
{
    bool follows = false;
    text_format(out, "{\"count\": %lld, \"seed\": %lld, \"categories\": {", args->samples, args->seed);
    for (int i = 0; i < CATEGORY_COUNT; i++)
        if (weights->weight[i]) {
            text_format(out, "%s\"%s\": %u", follows ? ", " : "", category_name((CategoryId)i), weights->weight[i]);
            follows = true;
        }
    char generator[24];
    generator_fingerprint(generator);
    text_format(out, "}, \"generator\": \"%s\"", generator);
}

static bool add_file_options(const StandaloneArgs *args, const Inputs *inputs, Text *out)
{
    text_lit(out, "{\"files\": [");
    for (size_t i = 0; i < inputs->count; i++) {
        size_t length;
        unsigned char hash[32];
        const InputFile *file = &inputs->files[i];
        char *text = read_input(file, &length, stderr);
        if (!text)
            return false;
        sha256(text, length, hash);
        free(text);
        text_str(out, i ? ", {\"path\": " : "{\"path\": ");
        text_json_string(out, file->path, strlen(file->path));
        text_lit(out, ", \"sha256\": \"");
        for (int k = 0; k < 32; k++)
            text_format(out, "%02x", hash[k]);
        text_lit(out, "\"}");
    }
    text_char(out, ']');
    if (args->kernel) {
        text_lit(out, ", \"kernel\": ");
        text_json_string(out, args->kernel, strlen(args->kernel));
    }
    if (args->block_dim != USUAL_BLOCK)
        text_format(out, ", \"block_dim\": %lld", args->block_dim);
    return true;
}

/* ---- the command ---- */

static int translate(Standalone *s, const Inputs *inputs)
{
    int code = s->args->samples ? translate_samples(s) : translate_files(s, inputs);
    bool stopped = *s->stop != 0;
    if (!s->failed && !programs_checkpoint(&s->folder, code == EXIT_DONE, &s->error))
        s->failed = true;
    progress_clear(&s->progress);
    if (s->failed)
        tell(stderr, "weft standalone: %s\n", s->error.message);
    else if (stopped)
        return interrupt_code();
    if (s->failed || s->errors || (s->folder.refused && !s->args->samples))
        code = EXIT_FOUND;
    return code;
}

static int run_in_folder(Standalone *s, const Call *call, const Inputs *inputs)
{
    Text options;
    text_init(&options);
    bool read = true;
    if (s->args->samples)
        add_seed_options(s->args, s->weights, &options);
    else
        read = add_file_options(s->args, inputs, &options);
    text_format(&options, ", \"weft_version\": \"%s\", \"warp_version\": \"%s\"}", weft_version(), call->warp);
    CorpusOutcome outcome =
        read ? programs_open(&s->folder, s->args->output, &options, s->args->resume, &s->error) : CORPUS_FAILED;
    int code = EXIT_FOUND;
    if (outcome == CORPUS_DONE)
        code = translate(s, inputs);
    else if (outcome == CORPUS_ALREADY_DONE) {
        tell(stderr, "weft standalone: %s is complete already\n", s->args->output);
        code = s->folder.refused && !s->args->samples ? EXIT_FOUND : EXIT_DONE;
    } else if (read)
        tell(stderr, "weft standalone: %s\n", s->error.message);
    uint32_t refused = s->folder.refused + s->errors;
    bool misses = s->args->kernel ? is_name_missing(s->args->kernel, s->met) : !s->compiled;
    if (outcome == CORPUS_DONE && (code == EXIT_DONE || s->met) && !s->args->samples && misses)
        code = no_kernel(inputs, s->args->kernel, s->met, NULL);
    else if (outcome != CORPUS_FAILED && !call->quiet)
        tell(stderr, "%u program%s, %u with a backward kernel; %u kernel%s refused\n", s->folder.written,
             s->folder.written == 1 ? "" : "s", s->folder.backward, refused, refused == 1 ? " was" : "s were");
    if (read)
        programs_close(&s->folder);
    text_free(&options);
    return code;
}

static int run(const Call *call)
{
    const StandaloneArgs *args = call->args;
    size_t files = call->operand_count;
    CategoryWeights weights = category_default_weights();
    if (!read_categories(call->command, args->categories, &weights))
        return EXIT_USAGE;
    if (args->header && !args->verified && !files && !args->samples && !args->output) {
        tell(stdout, "%s", standalone_header());
        return EXIT_DONE;
    }
    if (args->verified && !args->header && !files && !args->samples && !args->output)
        return standalone_verify(call, args->verified, (int)args->jobs);
    if (!args->output || args->verified || args->header || (files > 0) == (args->samples > 0))
        return wrong_call(call->command, "give -o DIR and either files or -n N; or --verify DIR or --header alone");
    Standalone s = {.args = args, .weights = &weights, .warp = call->warp, .verbose = call->verbose};
    Inputs inputs;
    s.stop = catch_interrupts("standalone", "stopping; --resume continues from here");
    progress_begin(&s.progress, call);
    inputs_find(&inputs, call->operands, files);
    int code = inputs.failed ? EXIT_FOUND : run_in_folder(&s, call, &inputs);
    inputs_free(&inputs);
    return code;
}

static const StandaloneArgs defaults = {.jobs = 1, .block_dim = USUAL_BLOCK};

#define ARGS StandaloneArgs
static const Option options[] = {
    OPT_COUNT('n', "count", samples, 1, MAX_COUNT, "N", "how many kernels to invent"),
    OPT_FOLDER('o', "output", output, "DIR", "where the programs go, each in a folder of its own"),
    OPT_CATEGORIES('c', "categories", categories, "LIST",
                   "categories of the invented kernels: vector,physics or with weights, vector=3,physics=1"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other kernels (default 0)"),
    OPT_LIST('k', "kernel", kernel, "NAME", "only this kernel of the file; may be repeated"),
    OPT_COUNT(0, "block-dim", block_dim, 1, 1024, "N",
              "threads of a block, for kernels of a file with tiles (default 32)"),
    OPT_IMPORTS,
    OPT_FOLDER(0, "verify", verified, "DIR", "build and run the programs in DIR, and report"),
    OPT_COUNT('j', "jobs", jobs, 1, 64, "JOBS", "with -n: threads; with --verify: programs at a time (default 1)"),
    OPT_FLAG(0, "header", header, "print weft_math.cuh, which the programs include"),
    OPT_FLAG(0, "resume", resume, "continue the interrupted run in the folder"),
};

static const CommandExample examples[] = {
    {"weft standalone kernels.py -o programs", "every kernel of the file as a program of its own"},
    {"weft standalone -n 100 -s 1 -o programs", "a hundred invented ones"},
    {"weft standalone --verify programs", "build and run them all"},
    {NULL, NULL},
};

const Command standalone_command = {
    .name = "standalone",
    .summary = "write kernels as CUDA programs of their own",
    .operands = "FILE.py|DIR... -o DIR [--resume]\n-n N -o DIR [-c CATEGORIES] [-s SEED] [-j JOBS] "
                "[--resume]\n--verify DIR [-j JOBS]\n--header",
    .input_kind = INPUTS_FILES,
    .description = "Writes kernels as CUDA programs that need nothing but nvcc and the header that is written beside "
                   "them: readable, with a correct backward kernel, and "
                   "a main() that compares with reference values. `make cpu` runs them without a GPU.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
