/* weft standalone: kernels as CUDA programs of their own. */
#include "standalone.h"
#include "args.h"
#include "commands.h"
#include "files.h"
#include "inputs.h"
#include "progress.h"
#include "report.h"
#include "terminal.h"

#include "pipeline.h"
#include "standalone/standalone.h"
#include "synth/synth.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Standalone {
    const char *output;
    Progress progress;
    StandaloneLibrary *library;
    Text cu, metadata, makefile, summary;
    SynthSample *synth; /* NULL: a user's file */
    StandaloneSample sample;
    const char *path; /* of the file at hand */
    uint32_t errors;  /* kernels that do not compile */
    uint32_t written, backward, refused, by_category[CATEGORY_COUNT];
    bool failed, done; /* failed: a file could not be written */
    Text reasons;      /* of refusals, as JSON */
} Standalone;

/* ---- files ---- */

static bool write_file(const char *folder, const char *name, const char *suffix, const char *text, size_t length)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix) >= (int)sizeof path) {
        tell(stderr, "weft: the path is too long: %s\n", folder);
        return false;
    }
    FILE *file = open_output(path);
    if (!file)
        return false;
    fwrite(text, 1, length, file);
    return close_output(file, path);
}

static bool write_sample(Standalone *s, const char *folder, const char *name)
{
    const char *shim = standalone_shim();
    return make_folder(folder) && write_file(folder, name, ".py", s->sample.source, s->sample.source_len) &&
           write_file(folder, name, ".cu", s->cu.data, s->cu.len) &&
           write_file(folder, "Makefile", "", s->makefile.data, s->makefile.len) &&
           write_file(folder, "metadata.json", "", s->metadata.data, s->metadata.len) &&
           write_file(folder, "weft_cpu_shim.h", "", shim, strlen(shim));
}

/* ---- one kernel ---- */

static void note_refusal(Standalone *s, const Compiled *compiled, const StandaloneProgram *program)
{
    const char *key = compiled->module->kernel->kernel->key->text;
    const char *reason = program->reason ? program->reason : "it cannot be translated";
    s->refused++;
    text_str(&s->reasons, s->reasons.len ? ",\n    " : "\n    ");
    text_lit(&s->reasons, "{\"kernel\": ");
    text_json_string(&s->reasons, key, strlen(key));
    text_format(&s->reasons, ", \"index\": %llu, \"reason\": ", (unsigned long long)s->sample.index);
    text_json_string(&s->reasons, reason, strlen(reason));
    text_char(&s->reasons, '}');
    if (s->synth)
        return; /* another one is made */
    SourcePosition at = source_position(compiled->unit->source, program->offset);
    tell(stderr, "%s:%u: %s: refused: %s%s%s\n", compiled->unit->source->path, at.line, key,
         program->finding ? program->finding : "", program->finding ? ": " : "", reason);
}

/* Nobody says how a user's kernel is launched. Arrays are larger than the launch, for neighbours and the like; where the
 * threads of a launch would be in each other's way, one runs alone; and counts and indices may be small. */
static CheckLaunch guessed_launch(const Compiled *compiled, int attempt)
{
    enum { THREADS = 8, ELEMENTS = 40, FEW = 10 };
    const Code *code = compiled->module->kernel->code;
    CheckLaunch launch = {.ndim = compiled->module->kernel->kernel_dim};
    launch.args = ARENA_ARRAY(compiled->unit->arena, CheckArg, code->param_count);
    for (uint32_t i = 0; i < 4; i++)
        launch.dim[i] = i < launch.ndim && !(attempt & 1) ? THREADS : 1;
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Type *type = code->params[i].type;
        CheckArg *arg = &launch.args[launch.arg_count];
        arg->name = code->params[i].name->text;
        if (type && type->kind == TYPE_ARRAY) {
            arg->ndim = type->array.ndim;
            for (uint32_t d = 0; d < 4; d++)
                arg->shape[d] = arg->ndim > 2 ? FEW : ELEMENTS;
            launch.arg_count++;
        } else if (type && type_is_int(type_canonical(type)) && attempt & 2) {
            arg->has_range = true;
            arg->low = 1;
            arg->high = 2;
            launch.arg_count++;
        }
    }
    return launch;
}

static bool make_program(Standalone *s, const Compiled *compiled, StandaloneProgram *program)
{
    CheckLaunch launch;
    memset(&launch, 0, sizeof launch);
    if (s->synth && check_launch_read(compiled->unit->arena, s->synth->launch, s->synth->launch_len, &launch))
        return false;
    const char *reason = NULL, *finding = NULL;
    uint32_t offset = 0;
    for (int attempt = 0; attempt < (s->synth ? 1 : 4); attempt++) {
        s->cu.len = s->metadata.len = s->makefile.len = 0;
        if (!s->synth)
            launch = guessed_launch(compiled, attempt);
        if (standalone_program(compiled->unit, compiled->module, s->library, &launch, &s->sample, program))
            return true;
        if (attempt == 0 || !program->finding) {
            reason = program->reason;
            finding = program->finding;
            offset = program->offset;
        }
        if (!program->finding)
            break; /* it is not the inputs */
    }
    program->reason = reason;
    program->finding = finding;
    program->offset = offset;
    return false;
}

static bool visit_kernel(const Compiled *compiled, void *user)
{
    Standalone *s = user;
    s->sample.name = compiled->module->kernel->kernel->key->text;
    StandaloneProgram program = {.cu = &s->cu, .metadata = &s->metadata, .makefile = &s->makefile};
    if (!make_program(s, compiled, &program)) {
        note_refusal(s, compiled, &program);
        return true;
    }
    char folder[4096];
    int length = s->synth
                     ? snprintf(folder, sizeof folder, "%s/sample_%04u_%s", s->output, s->written, s->sample.category)
                     : snprintf(folder, sizeof folder, "%s/%s", s->output, s->sample.name);
    struct stat known;
    for (int i = 2; !s->synth && stat(folder, &known) == 0 && i < 100; i++) /* overloads of one name */
        length = snprintf(folder, sizeof folder, "%s/%s_%d", s->output, s->sample.name, i);
    if (length >= (int)sizeof folder || !write_sample(s, folder, program.stem)) {
        s->failed = true;
        return false;
    }
    s->written++;
    s->backward += program.has_backward;
    s->done = true;
    return true;
}

static void note_error(const WeftError *error, void *user)
{
    Standalone *s = user;
    s->errors += !s->synth;
    if (!s->synth)
        print_refusal(stderr, s->path, error);
}

static bool compile(Weft *weft, Standalone *s, const char *path, const char *text, size_t length, const char *kernel)
{
    WeftOptions options = weft_default_options();
    options.cuda = options.cpu = options.source = false;
    options.facts = options.unnamed = true;
    options.kernel = kernel;
    s->path = path;
    return pipeline_visit(weft, path, text, length, &options, visit_kernel, note_error, s);
}

/* ---- all kernels of a call ---- */

static int translate_file(Weft *weft, Standalone *s, const char *path, const char *kernel)
{
    size_t length;
    char *text = read_file(path, &length);
    if (!text)
        return EXIT_FOUND;
    s->sample = (StandaloneSample){.source = text, .source_len = length};
    bool done = compile(weft, s, path, text, length, kernel);
    if (!done)
        tell(stderr, "weft: out of memory\n");
    free(text);
    return done ? EXIT_DONE : EXIT_FOUND;
}

static int translate_samples(Weft *weft, Standalone *s, long long count, long long seed, const CategoryWeights *weights)
{
    SynthContext *synth = synth_new();
    SynthSample sample;
    Text source;
    text_init(&source);
    s->synth = &sample;
    int code = synth ? EXIT_DONE : EXIT_FOUND;
    for (uint64_t index = 0; synth && s->written < count && !s->failed; index++) {
        if (index > (uint64_t)count * 20 + 100 || !synth_sample(synth, (uint64_t)seed, index, weights, &sample)) {
            progress_clear(&s->progress);
            tell(stderr, "weft standalone: too many kernels were refused\n");
            code = EXIT_FOUND;
            break;
        }
        source.len = 0;
        synth_add_module(&sample, &source);
        s->sample = (StandaloneSample){.source = source.data,
                                       .source_len = source.len,
                                       .category = category_name(sample.category),
                                       .description = sample.description,
                                       .seed = (uint64_t)seed,
                                       .index = index};
        s->done = false;
        compile(weft, s, "synth.py", source.data, source.len, NULL);
        progress_tell(&s->progress, "programs", s->written, (uint64_t)count, "");
        s->by_category[sample.category] += s->done;
    }
    text_free(&source);
    synth_free(synth);
    return s->failed ? EXIT_FOUND : code;
}

static bool write_summary(Standalone *s, long long seed)
{
    Text *out = &s->summary;
    text_format(out, "{\n  \"total_samples\": %u,\n  \"with_backward\": %u,\n  \"refused\": %u", s->written,
                s->backward, s->refused);
    if (s->synth) {
        text_format(out, ",\n  \"seed\": %lld,\n  \"by_category\": {", seed);
        bool follows = false;
        for (int i = 0; i < CATEGORY_COUNT; i++)
            if (s->by_category[i]) {
                text_format(out, "%s\"%s\": %u", follows ? ", " : "", category_name((CategoryId)i), s->by_category[i]);
                follows = true;
            }
        text_char(out, '}');
    }
    text_lit(out, ",\n  \"refusals\": [");
    text_add(out, s->reasons.data, s->reasons.len);
    text_format(out, "%s],\n  \"weft_version\": \"%s\"\n}\n", s->reasons.len ? "\n  " : "", weft_version());
    return write_file(s->output, "production_summary.json", "", out->data, out->len);
}

/* ---- the command ---- */

static int translate_all_given(Standalone *s, char **files, size_t count, const char *kernel, long long samples,
                               long long seed, const CategoryWeights *weights)
{
    Weft *weft = weft_new();
    int code = EXIT_DONE;
    Text *texts[] = {&s->cu, &s->metadata, &s->makefile, &s->summary, &s->reasons};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_init(texts[i]);
    s->library = standalone_library_new();
    if (!weft || !s->library) {
        tell(stderr, "weft: out of memory\n");
        code = EXIT_FOUND;
    } else if (!make_folder(s->output))
        code = EXIT_FOUND;
    else if (!count)
        code = translate_samples(weft, s, samples, seed, weights);
    for (size_t i = 0; weft && s->library && !s->failed && i < count; i++)
        if (translate_file(weft, s, files[i], kernel) != EXIT_DONE)
            code = EXIT_FOUND;
    if (weft && s->library && !s->failed && !write_summary(s, seed))
        code = EXIT_FOUND;
    if ((s->refused && !s->synth) || s->errors || s->failed)
        code = EXIT_FOUND;
    progress_clear(&s->progress);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
    standalone_library_free(s->library);
    weft_free(weft);
    return code;
}

typedef struct StandaloneArgs {
    long long samples, seed, jobs;
    const char *output, *kernel, *categories, *verified;
} StandaloneArgs;

static int run(const Call *call)
{
    const StandaloneArgs *args = call->args;
    size_t files = call->operand_count;
    CategoryWeights weights = category_default_weights();
    if (!read_categories(call->command, args->categories, &weights))
        return EXIT_USAGE;
    if (args->verified && !files && !args->samples && !args->output)
        return standalone_verify(call, args->verified, (int)args->jobs);
    if (!args->output || args->verified || (files > 0) == (args->samples > 0))
        return wrong_call(call->command, "give -o DIR and either files or -n N; or --verify DIR alone");
    Standalone s = {.output = args->output};
    Inputs inputs;
    progress_begin(&s.progress, call);
    inputs_find(&inputs, call->operands, files);
    int code = EXIT_FOUND;
    if (!inputs.failed)
        code = translate_all_given(&s, inputs.paths, inputs.count, args->kernel, args->samples, args->seed, &weights);
    if (code == EXIT_DONE && files && !s.written && !s.refused)
        code = no_kernel(&inputs, args->kernel, NULL);
    else if (!call->quiet)
        tell(stderr, "%u program%s, %u with a backward kernel; %u kernel%s refused\n", s.written,
             s.written == 1 ? "" : "s", s.backward, s.refused + s.errors,
             s.refused + s.errors == 1 ? " was" : "s were");
    inputs_free(&inputs);
    return code;
}

static const StandaloneArgs defaults = {.jobs = 1};

#define ARGS StandaloneArgs
static const Option options[] = {
    OPT_COUNT('n', "count", samples, 1, MAX_COUNT, "N", "how many kernels to invent"),
    OPT_FOLDER('o', "output", output, "DIR", "where the programs go, each in a folder of its own"),
    OPT_CATEGORIES('c', "categories", categories, "LIST",
                   "of invented kernels: vector,physics or with weights, vector=3,physics=1"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other kernels (default 0)"),
    OPT_TEXT('k', "kernel", kernel, "NAME", "only this kernel of the file"),
    OPT_FOLDER(0, "verify", verified, "DIR", "build and run the programs in DIR, and report"),
    OPT_COUNT('j', "jobs", jobs, 1, 64, "JOBS", "with --verify: so many at a time (default 1)"),
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
    .operands = "FILE.py|DIR... -o DIR\n-n N -o DIR [-c CATEGORIES] [-s SEED]\n--verify DIR [-j JOBS]",
    .input_kind = INPUTS_FILES,
    .description =
        "Writes kernels as CUDA programs that need nothing but nvcc: readable, with a right backward kernel, and "
        "a main() that compares with reference values. `make cpu` runs them without a GPU.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .examples = examples,
    .defaults = &defaults,
    .args_size = sizeof defaults,
    .run = run,
};
