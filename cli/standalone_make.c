/* A kernel as the files of a program. */
#include "standalone.h"

#include "check/usual.h"

#include <stdlib.h>
#include <string.h>

static Text *const *texts_of(Made *made, Text *list[PROGRAM_FILES + 3])
{
    for (int i = 0; i < PROGRAM_FILES; i++)
        list[i] = &made->files[i];
    list[PROGRAM_FILES] = &made->kernel;
    list[PROGRAM_FILES + 1] = &made->stem;
    list[PROGRAM_FILES + 2] = &made->reason;
    return list;
}

void made_init(Made *made)
{
    Text *list[PROGRAM_FILES + 3];
    *made = (Made){0};
    texts_of(made, list);
    for (int i = 0; i < PROGRAM_FILES + 3; i++)
        text_init(list[i]);
}

static void made_clear(Made *made)
{
    Text *list[PROGRAM_FILES + 3];
    texts_of(made, list);
    for (int i = 0; i < PROGRAM_FILES + 3; i++)
        list[i]->len = 0;
    made->state = MADE_NOTHING;
    made->index = 0;
    made->has_backward = false;
}

void made_free(Made *made)
{
    Text *list[PROGRAM_FILES + 3];
    texts_of(made, list);
    for (int i = 0; i < PROGRAM_FILES + 3; i++)
        text_free(list[i]);
}

ProgramMaker *program_maker_new(const char *warp)
{
    ProgramMaker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    *maker = (ProgramMaker){.weft = weft_new(warp), .library = standalone_library_new(warp), .synth = synth_new(warp)};
    text_init(&maker->source);
    if (maker->weft && maker->library && maker->synth)
        return maker;
    program_maker_free(maker);
    return NULL;
}

void program_maker_free(ProgramMaker *maker)
{
    if (!maker)
        return;
    text_free(&maker->source);
    synth_free(maker->synth);
    standalone_library_free(maker->library);
    weft_free(maker->weft);
    free(maker);
}

/* ---- one kernel ---- */

static StandaloneProgram start_program(Made *made)
{
    Text *files[] = {&made->files[FILE_CU], &made->files[FILE_METADATA], &made->files[FILE_MAKEFILE]};
    for (int i = 0; i < 3; i++)
        files[i]->len = 0;
    return (StandaloneProgram){.cu = files[0], .metadata = files[1], .makefile = files[2]};
}

static void end_program(const Compiled *compiled, const StandaloneSample *sample, const StandaloneProgram *program,
                        bool done, Made *made)
{
    text_str(&made->kernel, sample->name);
    made->state = done ? MADE_PROGRAM : MADE_REFUSAL;
    if (done) {
        text_str(&made->stem, program->stem);
        text_add(&made->files[FILE_PY], sample->source, sample->source_len);
        text_str(&made->files[FILE_SHIM], standalone_shim());
        text_str(&made->files[FILE_HEADER], standalone_header());
        made->has_backward = program->has_backward;
        return;
    }
    made->line = source_position(compiled->module->kernel->code->scope->file->source, program->offset).line;
    text_format(&made->reason, "%s%s%s", program->finding ? program->finding : "", program->finding ? ": " : "",
                program->reason ? program->reason : "it cannot be translated");
}

/* Arrays are larger than the launch, for neighbours and the like; where the threads of a launch would be in each other's way,
 * one runs alone; and counts and indices may be small. */
static CheckLaunch guessed_launch(const Compiled *compiled, int attempt)
{
    if (compiled->module->uses_tiles)
        return usual_launch(&(CheckLaunch){.block_dim = compiled->unit->block_dim}, compiled, 0, 0);
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

void make_given(ProgramMaker *maker, const Compiled *compiled, const char *source, size_t length, Made *made)
{
    enum { ATTEMPTS = 4 };
    made_clear(made);
    StandaloneSample sample = {.name = compiled->module->kernel->kernel->key->text,
                               .source = source,
                               .source_len = length,
                               .is_guessed = true};
    StandaloneProgram first = {0};
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        CheckLaunch launch = guessed_launch(compiled, attempt);
        StandaloneProgram program = start_program(made);
        if (standalone_program(compiled->unit, compiled->module, maker->library, &launch, &sample, &program)) {
            end_program(compiled, &sample, &program, true, made);
            return;
        }
        if (attempt == 0 || !program.finding)
            first = program;
        if (!program.finding)
            break; /* it is not the inputs */
    }
    end_program(compiled, &sample, &first, false, made);
}

/* ---- invented kernels ---- */

typedef struct Invented {
    ProgramMaker *maker;
    const SynthSample *synth;
    StandaloneSample sample;
    Made *made;
} Invented;

static bool visit_invented(const Compiled *compiled, void *user)
{
    Invented *invented = user;
    CheckLaunch launch = {0};
    StandaloneProgram program = start_program(invented->made);
    invented->sample.name = compiled->module->kernel->kernel->key->text;
    program.reason =
        check_launch_read(compiled->unit->arena, invented->synth->launch, invented->synth->launch_len, &launch);
    bool done = !program.reason && standalone_program(compiled->unit, compiled->module, invented->maker->library,
                                                      &launch, &invented->sample, &program);
    end_program(compiled, &invented->sample, &program, done, invented->made);
    return false;
}

void make_invented(ProgramMaker *maker, uint64_t seed, uint64_t index, const CategoryWeights *weights, Made *made)
{
    SynthSample synth;
    made_clear(made);
    made->index = index;
    made->is_invented = true;
    if (!synth_sample(maker->synth, seed, index, weights, &synth)) {
        made->state = MADE_FAILED;
        return;
    }
    maker->source.len = 0;
    synth_add_module(&synth, &maker->source);
    Invented invented = {maker, &synth, {0}, made};
    invented.sample = (StandaloneSample){.source = maker->source.data,
                                         .source_len = maker->source.len,
                                         .category = category_name(synth.category),
                                         .description = synth.description,
                                         .seed = seed,
                                         .index = index};
    made->category = synth.category;
    PipelineOptions options = pipeline_options();
    options.weft.cuda = options.weft.cpu = options.weft.source = false;
    options.keep_types = options.skip_hash = options.skip_verify = true;
    if (!pipeline_compile(maker->weft, &(Source){"synth.py", maker->source.data, maker->source.len}, &options,
                          &(PipelineVisitor){.compiled = visit_invented, .user = &invented}))
        made->state = MADE_FAILED;
}
