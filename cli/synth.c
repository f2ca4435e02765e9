/* weft synth: kernels that nobody wrote. */
#include "args.h"
#include "commands.h"
#include "files.h"
#include "progress.h"
#include "terminal.h"

#include "synth/module_text.h"

#include <stdlib.h>
#include <string.h>

static void print_categories(void)
{
    CategoryWeights weights = category_default_weights();
    for (int i = 0; i < CATEGORY_COUNT; i++)
        tell(stdout, "%-18s %3u  %s\n", category_name((CategoryId)i), weights.weight[i],
             category_summary((CategoryId)i));
}

typedef struct SynthArgs {
    long long count, seed, start;
    const char *categories, *output, *scene;
    bool json, list, list_scenes, check, duplicates;
} SynthArgs;

static int print_scenes(void)
{
    SynthContext *context = synth_new(NULL);
    Text line;
    if (!context)
        end_without_memory();
    text_init(&line);
    for (uint32_t i = 0; i < synth_scene_count(context); i++) {
        line.len = 0;
        text_format(&line, "%-32s", synth_scene_name(context, i));
        for (int k = 0; k < CATEGORY_COUNT; k++)
            if (synth_scene_is_of(context, i, (CategoryId)k))
                text_format(&line, " %s", category_name((CategoryId)k));
        text_char(&line, '\n');
        tell_text(stdout, line.data, line.len);
    }
    text_free(&line);
    synth_free(context);
    return EXIT_DONE;
}

typedef struct SampleWriter {
    const SynthArgs *options;
    const CategoryWeights *weights;
    long long scene; /* -1: of the categories */
    SynthContext *context;
    ModuleText *module; /* NULL: records are written */
    Text text;
    FILE *out;
    const char *stage; /* what is counted */
    Progress progress;
} SampleWriter;

static const char *write_record(SampleWriter *writer, const SynthSample *sample, uint64_t index)
{
    writer->text.len = 0;
    synth_record(sample, (uint64_t)writer->options->seed, index, &writer->text);
    text_char(&writer->text, '\n');
    put_text(&writer->text, writer->out);
    return NULL;
}

static const char *module_problem(ModuleTextResult result)
{
    return result == MODULE_TEXT_DONE        ? NULL
           : result == MODULE_TEXT_NO_MEMORY ? "out of memory"
                                             : "an invented kernel cannot be read back (a bug of weft)";
}

static const char *note_sample(SampleWriter *writer, const SynthSample *sample, uint64_t index)
{
    (void)index;
    return module_problem(module_text_note(writer->module, sample));
}

static const char *write_sample(SampleWriter *writer, const SynthSample *sample, uint64_t index)
{
    (void)index;
    writer->text.len = 0;
    text_lit(&writer->text, "\n\n");
    ModuleTextResult result = module_text_add(writer->module, sample, &writer->text);
    put_text(&writer->text, writer->out);
    return module_problem(result);
}

static bool draw_sample(SampleWriter *writer, uint64_t index, SynthSample *sample)
{
    uint64_t seed = (uint64_t)writer->options->seed;
    if (writer->module && module_text_kept(writer->module, index - (uint64_t)writer->options->start, sample))
        return true;
    return writer->scene < 0 ? synth_sample(writer->context, seed, index, writer->weights, sample)
                             : synth_scene_sample(writer->context, seed, index, (uint32_t)writer->scene, sample);
}

/* Does the same with each sample; it returns what is wrong, or NULL. */
static bool each_sample(SampleWriter *writer,
                        const char *visit(SampleWriter *writer, const SynthSample *sample, uint64_t index))
{
    for (long long i = 0; i < writer->options->count && !ferror(writer->out); i++) {
        uint64_t index = (uint64_t)(writer->options->start + i);
        SynthSample sample;
        const char *problem;
        if (draw_sample(writer, index, &sample))
            problem = visit(writer, &sample, index);
        else
            problem = synth_last_refusal(writer->context) ? synth_last_refusal(writer->context) : "out of memory";
        progress_tell(&writer->progress, writer->stage, (uint64_t)i + 1, (uint64_t)writer->options->count, "");
        if (problem) {
            progress_clear(&writer->progress);
            tell(stderr, "weft: %s\n", problem);
            return false;
        }
    }
    return true;
}

/* As one module: names can only be chosen when all are known. Of many kernels, the later ones are invented twice. */
static bool write_module(SampleWriter *writer)
{
    writer->module = module_text_new();
    if (!writer->module) {
        tell(stderr, "weft: out of memory\n");
        return false;
    }
    fputs("import warp as wp\n", writer->out);
    writer->stage = "kernels named";
    bool done = each_sample(writer, note_sample);
    writer->stage = "kernels written";
    done = done && each_sample(writer, write_sample);
    module_text_free(writer->module);
    return done;
}

/* The scene of that name; -1: there is none. */
static long long find_scene(const SynthContext *context, const char *name)
{
    for (uint32_t i = 0; i < synth_scene_count(context); i++)
        if (strcmp(synth_scene_name(context, i), name) == 0)
            return i;
    return -1;
}

static int wrong_scene(const Call *call)
{
    const SynthArgs *options = call->args;
    return wrong_call(call->command, "no such scene: '%s' (weft synth --list-scenes names them)", options->scene);
}

static int list_duplicates(const Call *call, const CategoryWeights *weights)
{
    const SynthArgs *options = call->args;
    DuplicateSearch search = {.seed = (uint64_t)options->seed,
                              .start = (uint64_t)options->start,
                              .count = (uint64_t)options->count,
                              .scene = -1,
                              .weights = weights};
    SynthContext *context = synth_new(call->warp);
    if (!context)
        end_without_memory();
    search.scene = options->scene ? find_scene(context, options->scene) : -1;
    synth_free(context);
    if (options->scene && search.scene < 0)
        return wrong_scene(call);
    return count_duplicates(call, &search);
}

static int write_samples(const Call *call, const CategoryWeights *weights)
{
    const SynthArgs *options = call->args;
    SampleWriter writer = {
        .options = options, .weights = weights, .scene = -1, .context = synth_new(call->warp), .stage = "kernels"};
    if (!writer.context)
        end_without_memory();
    if (options->scene && (writer.scene = find_scene(writer.context, options->scene)) < 0) {
        synth_free(writer.context);
        return wrong_scene(call);
    }
    Output output;
    text_init(&writer.text);
    progress_begin(&writer.progress, call);
    bool done = open_output(&output, options->output);
    if (done) {
        writer.out = output.file;
        progress_beside(&writer.progress, writer.out);
        done = options->json ? each_sample(&writer, write_record) : write_module(&writer);
        progress_end(&writer.progress, NULL);
        if (done)
            done = close_output(&output);
        else
            drop_output(&output);
    }
    text_free(&writer.text);
    synth_free(writer.context);
    return done ? EXIT_DONE : EXIT_FOUND;
}

static int run(const Call *call)
{
    const SynthArgs *args = call->args;
    CategoryWeights weights = category_default_weights();
    if (call->operand_count)
        return wrong_call(call->command, "no files are taken");
    if (args->start > MAX_SEED - args->count)
        return wrong_call(call->command, "--start %lld is too large", args->start);
    if (!read_categories(call->command, args->categories, &weights))
        return EXIT_USAGE;
    if (args->list) {
        print_categories();
        return EXIT_DONE;
    }
    if (args->list_scenes)
        return print_scenes();
    if (args->check)
        return check_scenes(call->warp, args->scene, (uint64_t)args->seed, (uint32_t)args->count);
    if (args->duplicates)
        return list_duplicates(call, &weights);
    return write_samples(call, &weights);
}

static const SynthArgs defaults = {.count = 1};

#define ARGS SynthArgs
static const Option options[] = {
    OPT_COUNT('n', "count", count, 1, MAX_COUNT, "N", "how many kernels (default 1)"),
    OPT_CATEGORIES('c', "categories", categories, "LIST",
                   "only these, as vector,physics or with weights, vector=3,physics=1"),
    OPT_COUNT('s', "seed", seed, 0, MAX_SEED, "SEED", "another seed gives other kernels (default 0)"),
    OPT_COUNT(0, "start", start, 0, MAX_SEED, "I", "begin with sample I of the seed (default 0)"),
    OPT_FLAG(0, "json", json, "one record per line: source, category, description, launch"),
    OPT_FLAG(0, "list", list, "print the categories with their weights, and stop"),
    OPT_TEXT(0, "scene", scene, "NAME", "only kernels of this scene (docs/how-to/add-a-scene.md)"),
    OPT_FLAG(0, "list-scenes", list_scenes, "print the scenes with their categories, and stop"),
    OPT_FLAG(0, "check", check, "compile and check N samples of every scene, or of --scene"),
    OPT_FLAG(0, "duplicates", duplicates, "print how many of N kernels have the structure of an earlier one, by scene"),
    OPT_FILE('o', "output", output, "FILE", "write to a file instead of standard output"),
};

static const CommandExample examples[] = {
    {"weft synth -n 3 -c physics,geometry", "three kernels of two categories, as a Python file"},
    {"weft synth -n 1000 -s 7 --json -o kernels.jsonl", "a thousand records of seed 7"},
    {NULL, NULL},
};

const Command synth_command = {
    .name = "synth",
    .summary = "invent kernels",
    .operands = "[-n N] [-c CATEGORIES] [-s SEED] [options]",
    .description = "Invents kernels, typed and well defined. Sample I of a seed is always the same, however "
                   "many are made. Without --json the text is one Python module: a name that several samples define "
                   "gets a number.",
    COMMAND_TABLES(options, examples, defaults),
    .run = run,
};
