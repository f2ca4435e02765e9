/* The list of passes: read this first.
 *
 *     text ── parse ──▶ tree ── load ──▶ kernels, functions, constants
 *                                  │
 *          for each kernel:        └── build ──▶ region tree ── verify ── name ── emit ──▶ CUDA, C++
 *
 * Everything that a source text needs lives in one arena; what is kept of the results is written into another, then it is reset. */
#include "pipeline.h"

#include "emit/line_map.h"
#include "front/asked.h"
#include "front/excerpt.h"
#include "front/hash.h"
#include "ir/tile_shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_COUNT = 3, KNOWN_CALLS = 2048 };

/* A package that was loaded into weft->work: its files are compiled one after the other, each from what was there then, so that a
 * folder is not loaded again for every file in it. (newton 1.7, 809 files: 2.0 s of one core instead of 8.5 s.) */
typedef struct LoadedPackage {
    WeftFiles *files; /* NULL: none is loaded */
    const StoredFile *init;
    Unit *unit;
    size_t limit; /* of the memory, when it was loaded */
    ArenaSave memory;
} LoadedPackage;

struct Weft {
    Arena tables; /* as long as this object: the builtin table and its types */
    NameTable names;
    TypeTable types;
    BuiltinTable *builtins;
    WarpTable *warp;
    KnownCalls *calls;
    Vocabulary vocabulary; /* of source texts that import no others */
    Arena work;            /* reset for every source text, but for the package */
    Arena kernel;          /* reset for every kernel of it */
    LoadedPackage package;
    WorldBase worlds;
    SourceLines lines; /* of the text that the last message was about, in `work` */
    EmitText texts[DEVICE_COUNT];
    Text scratch;
};

typedef struct KernelResult {
    WeftKernel kernel;
    const char *texts[DEVICE_COUNT][PART_COUNT];
    size_t lengths[DEVICE_COUNT][PART_COUNT];
    WeftLines *lines[DEVICE_COUNT];
    size_t line_counts[DEVICE_COUNT];
    char *dump;
} KernelResult;

struct WeftFiles {
    FileStore store;
    Weft *user; /* that has a package of these files */
};

struct WeftResult {
    Arena arena; /* owns everything below */
    KernelResult *kernels;
    size_t kernel_count, kernel_cap;
    WeftError *errors;
    size_t error_count, error_cap;
    char *ast_dump;
};

const char *weft_version(void)
{
    return WEFT_VERSION;
}

const char *weft_find_warp(const char *version)
{
    Dialect dialect;
    return dialect_find(version, &dialect) ? dialect.number : NULL;
}

const char *weft_warp_at(size_t index)
{
    return dialect_number_at(index);
}

const char *weft_warp_version(const Weft *weft)
{
    return builtins_dialect(weft->builtins)->number;
}

WeftOptions weft_default_options(void)
{
    return (WeftOptions){.cuda = true, .cpu = true, .backward = true, .source = true};
}

PipelineOptions pipeline_options(void)
{
    return (PipelineOptions){.weft = weft_default_options()};
}

static void forget_package(Weft *weft)
{
    if (weft->package.files)
        weft->package.files->user = NULL;
    arena_save_free(&weft->package.memory);
    weft->package = (LoadedPackage){0};
    arena_reset(&weft->work);
}

/* The end of the work on a source text. */
static void forget_work(Weft *weft)
{
    weft->lines = (SourceLines){0};
    vocabulary_trim(&weft->vocabulary);
    arena_reset(&weft->kernel);
    if (weft->package.files)
        arena_restore(&weft->work, &weft->package.memory);
    else
        arena_reset(&weft->work);
}

/* Like the above, after an aborted compile. */
static void forget_failed(Weft *weft)
{
    world_base_forget(&weft->worlds);
    vocabulary_forget(&weft->vocabulary);
    forget_work(weft);
}

Weft *weft_new(const char *warp)
{
    jmp_buf failure;
    Weft *volatile weft = calloc(1, sizeof *weft);
    Dialect dialect;
    if (!weft || !dialect_find(warp, &dialect)) {
        free(weft);
        return NULL;
    }
    if (setjmp(failure)) {
        weft_free(weft);
        return NULL;
    }
    arena_init(&weft->tables);
    arena_init(&weft->work);
    arena_init(&weft->kernel);
    weft->tables.on_failure = &failure;
    names_init(&weft->names, &weft->tables);
    types_init(&weft->types, NULL, &weft->tables, &weft->names);
    weft->builtins = builtins_new(&weft->tables, &weft->types, &dialect);
    weft->warp = warp_table_new(&weft->tables, &weft->types, weft->builtins);
    weft->calls = known_calls_new(&weft->tables, KNOWN_CALLS);
    weft->tables.on_failure = NULL;
    return weft;
}

void weft_free(Weft *weft)
{
    if (!weft)
        return;
    forget_package(weft);
    for (Device device = 0; device < DEVICE_COUNT; device++)
        emit_text_free(&weft->texts[device]);
    text_free(&weft->scratch);
    arena_free(&weft->work);
    arena_free(&weft->kernel);
    arena_free(&weft->worlds.arena);
    arena_free(&weft->vocabulary.arena);
    arena_free(&weft->tables);
    free(weft);
}

void weft_result_free(WeftResult *result)
{
    if (!result)
        return;
    arena_free(&result->arena);
    free(result);
}

/* ---- copying results out ---- */

static char *copy_text(WeftResult *result, const Text *text)
{
    return arena_strndup(&result->arena, text->data, text->len);
}

static char *copy_string(WeftResult *result, const char *text)
{
    return arena_strndup(&result->arena, text, strlen(text));
}

/* Its texts live as long as the diagnostic does, and until weft->scratch is used again. */
static WeftError describe(Weft *weft, const Diag *diag)
{
    Text *text = &weft->scratch;
    text->len = 0;
    SourcePosition at = source_position_in(&weft->lines, &weft->work, diag->source, diag->offset);
    diag_show_at(diag, at, text);
    return (WeftError){.kernel = diag->kernel,
                       .unsupported = diag->kind == DIAG_UNSUPPORTED,
                       .message = diag->message,
                       .hint = diag->hint,
                       .line = at.line,
                       .column = at.column,
                       .shown = text_cstr(text),
                       .path = diag->source->path};
}

static void add_error(Weft *weft, WeftResult *result, const Diag *diag)
{
    WeftError described = describe(weft, diag);
    WeftError *error = &ARENA_PUSH(&result->arena, result->errors, result->error_count, result->error_cap);
    *error = described;
    error->kernel = described.kernel ? copy_string(result, described.kernel) : NULL;
    error->message = copy_string(result, described.message);
    error->hint = described.hint ? copy_string(result, described.hint) : NULL;
    error->shown = copy_string(result, described.shown);
    error->path = copy_string(result, described.path);
}

static void add_arguments(Weft *weft, WeftResult *result, WeftKernel *out, const Kernel *kernel)
{
    uint32_t count = kernel->code.param_count;
    const char **names = ARENA_ARRAY(&result->arena, const char *, count);
    const char **types = ARENA_ARRAY(&result->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        weft->scratch.len = 0;
        type_repr(type_canonical(kernel->code.params[i].type), &weft->scratch);
        names[i] = copy_string(result, kernel->code.params[i].name->text);
        types[i] = copy_text(result, &weft->scratch);
    }
    out->arg_count = count;
    out->arg_names = names;
    out->arg_types = types;
}

static void add_lines(WeftResult *result, KernelResult *out, const EmitText *text, const Unit *unit, Device device)
{
    LineMap map = line_map(text, unit->main->source, true, unit->arena);
    WeftLines *lines = ARENA_ARRAY(&result->arena, WeftLines, map.count);
    for (uint32_t i = 0; i < map.count; i++)
        lines[i] = (WeftLines){(WeftPart)map.items[i].part, map.items[i].source_line, map.items[i].first_line,
                               map.items[i].last_line};
    out->lines[device] = lines;
    out->line_counts[device] = map.count;
}

/* `told`: by a running program, so that the definition is all the text there is. */
static void add_kernel(Weft *weft, WeftResult *result, const Compiled *compiled, const WeftOptions *options, bool told)
{
    const IrModule *module = compiled->module;
    const Kernel *kernel = module->kernel->kernel;
    KernelResult *out = &ARENA_PUSH(&result->arena, result->kernels, result->kernel_count, result->kernel_cap);
    memset(out, 0, sizeof *out);
    for (Device device = 0; device < DEVICE_COUNT; device++) {
        EmitText *text = &compiled->texts[device];
        Text *parts[PART_COUNT] = {&text->prelude, &text->forward, &text->backward};
        for (int part = 0; part < PART_COUNT; part++) {
            out->texts[device][part] = text_cstr(parts[part]); /* in result->arena */
            out->lengths[device][part] = parts[part]->len;
        }
        if (options->lines)
            add_lines(result, out, text, module->unit, device);
    }
    out->kernel.key = copy_string(result, kernel->key->text);
    out->kernel.name = copy_string(result, module->name);
    out->kernel.has_backward = module->enable_backward && options->backward;
    out->kernel.uses_tiles = module->uses_tiles;
    if (module->uses_tiles) {
        SharedBytes shared = ir_shared_bytes(module);
        out->kernel.shared_bytes[0] = shared.forward;
        out->kernel.shared_bytes[1] = shared.backward;
    }
    out->kernel.offset = kernel->code.def->start;
    weft->scratch.len = 0;
    if (options->source && kernel->code.written)
        text_str(&weft->scratch, kernel->code.written);
    else if (options->source && told)
        text_add(&weft->scratch, kernel->code.source, kernel->code.source_len);
    else if (options->source)
        excerpt(module->unit, kernel->code.def, &weft->scratch);
    out->kernel.source = copy_text(result, &weft->scratch);
    add_arguments(weft, result, &out->kernel, kernel);
    if (options->dump_ir) {
        weft->scratch.len = 0;
        ir_dump(module, &weft->scratch);
        out->dump = copy_text(result, &weft->scratch);
    }
}

/* ---- the passes ---- */

/* How many threads a block has: on the CPU usually one. */
static uint32_t block_of(const PipelineOptions *asked, Device device)
{
    if (device == DEVICE_CPU)
        return asked->cpu_block_dim ? asked->cpu_block_dim : 1;
    return asked->weft.block_dim ? asked->weft.block_dim : (uint32_t)WEFT_BLOCK_DIM;
}

/* What code of the vendor's library is made for: on the CPU there is none. */
static uint32_t arch_of(const WeftOptions *options, Device device)
{
    return device == DEVICE_CPU ? 0 : options->arch;
}

/* The module as it is for blocks of a device: few have types that depend on them. NULL: it cannot be built for them. */
static const IrModule *module_for(Unit *unit, const IrModule *module, const PipelineOptions *asked, Device device)
{
    uint32_t block = block_of(asked, device), arch = arch_of(&asked->weft, device);
    if (!module->depends_on_block || (unit->block_dim == block && unit->arch == arch))
        return module;
    uint32_t built_for = unit->block_dim, built_arch = unit->arch;
    unit->block_dim = block;
    unit->arch = arch;
    IrModule *other = ir_build(unit, module->kernel->kernel);
    unit->block_dim = built_for;
    unit->arch = built_arch;
    if (other) {
        other->name = module->name;
        other->cpu_blocks = module->cpu_blocks;
    }
    return other;
}

/* NULL: the kernel is refused, and unit->diags says why. */
static IrModule *compile_kernel(EmitText texts[DEVICE_COUNT], Unit *unit, Kernel *kernel, const PipelineOptions *asked)
{
    allow_kernel_steps(unit);
    const WeftOptions *options = &asked->weft;
    Device device_of_tree = !options->cuda && options->cpu ? DEVICE_CPU : DEVICE_CUDA;
    unit->block_dim = block_of(asked, device_of_tree);
    unit->arch = arch_of(options, device_of_tree);
    IrModule *module = ir_build(unit, kernel);
    if (!module)
        return NULL;
    module->cpu_blocks = asked->cpu_blocks && unit->dialect->cpu_blocks;
    const char *broken = asked->skip_verify ? NULL : ir_verify(module);
    if (broken) {
        Diag *diag = diag_add(&unit->diags, kernel->code.scope->file->source, DIAG_UNSUPPORTED, kernel->code.def->start,
                              kernel->code.def->start, "weft made a mistake (%s); please report this kernel", broken);
        diag->kernel = kernel->key->text;
        return NULL;
    }
    bool is_hashed = !asked->skip_hash || asks_for_hash(options->kernel, kernel->key->text);
    module->name = is_hashed ? kernel_name(unit, kernel) : kernel->key->text;
    if (!module->name)
        return NULL;
    const bool is_asked_for[DEVICE_COUNT] = {[DEVICE_CUDA] = options->cuda, [DEVICE_CPU] = options->cpu};
    for (Device device = 0; device < DEVICE_COUNT; device++) {
        const IrModule *emitted = is_asked_for[device] ? module_for(unit, module, asked, device) : NULL;
        if (is_asked_for[device] && !emitted)
            return NULL;
        if (emitted)
            emit_module(emitted, options->backward, device, device ? &texts[0] : NULL, &texts[device]);
    }
    return module;
}

/* The texts of the next kernel, empty: of a Weft, or `own`, where the visitor has an arena for them. */
static EmitText *begin_texts(Weft *weft, const PipelineVisitor *visitor, EmitText own[DEVICE_COUNT])
{
    for (Device device = 0; device < DEVICE_COUNT; device++)
        if (visitor->texts_in)
            emit_text_init_in(&own[device], visitor->texts_in);
        else
            emit_text_clear(&weft->texts[device]);
    return visitor->texts_in ? own : weft->texts;
}

static Unit *open_unit(Weft *weft, const Source *source, const PipelineOptions *asked)
{
    Unit *unit = arena_take(&weft->work, sizeof *unit);
    WeftFiles *files = asked->weft.files;
    if (files)
        unit_init(unit, &weft->work, weft->builtins, source, &files->store);
    else
        unit_init_sharing(unit, &weft->work, weft->builtins, source, &weft->vocabulary);
    unit->warp = weft->warp;
    unit->calls = weft->calls;
    unit->building = &weft->kernel;
    unit->keep_types = asked->keep_types;
    unit->keep_tokens = asked->keep_tokens;
    unit->keep_lines = asked->keep_lines;
    return unit;
}

/* The unit of the package that the file is in, loaded and kept; NULL: it is in none. */
static Unit *open_package(Weft *weft, const Source *source, const PipelineOptions *asked)
{
    WeftFiles *files = asked->weft.files;
    LoadedPackage *package = &weft->package;
    const StoredFile *init = files && !asked->keep_tokens ? files_package(&files->store, source->path) : NULL;
    if (!init || !init->module)
        return NULL;
    if (package->files == files && package->init == init && package->limit == weft->work.limit)
        return package->unit;
    forget_package(weft);
    Unit *unit = open_unit(weft, &init->source, asked);
    unit_load(unit);
    ArenaSave memory;
    if (!files->user && arena_save(&weft->work, &memory)) {
        *package = (LoadedPackage){files, init, unit, weft->work.limit, memory};
        files->user = weft;
    }
    return unit;
}

static Unit *load_unit(Weft *weft, const Source *source, const PipelineOptions *asked)
{
    Unit *unit = open_package(weft, source, asked);
    if (unit && unit_enter(unit, source)) {
        unit->keep_types = asked->keep_types;
        unit->keep_lines = asked->keep_lines;
        return unit;
    }
    unit = open_unit(weft, source, asked);
    unit_load(unit);
    return unit;
}

/* Which kernel of an input has its turn. One that takes too much memory ends a pass over them; the next pass begins behind it. */
typedef struct Turn {
    const Unit *unit;
    const Kernel *kernel; /* at work; NULL: the file is being loaded */
    uint32_t next;        /* kernel to look at */
    unsigned of_file;     /* refusals before the first kernel's turn: each pass meets them again */
    bool is_again, is_telling;
} Turn;

/* Everything but what becomes of the results. */
static Unit *compile_unit(Weft *weft, const Source *source, const PipelineOptions *asked,
                          const PipelineVisitor *visitor, Turn *turn)
{
    const WeftOptions *options = &asked->weft;
    Unit *unit = load_unit(weft, source, asked);
    KernelList kernels;
    unit_kernels(unit, &kernels);
    turn->unit = unit;
    turn->of_file = unit->diags.count;
    for (uint32_t i = turn->next; i < kernels.count; i++) {
        if (!is_wanted(options->kernel, kernels.items[i]->key->text))
            continue;
        arena_reset(&weft->kernel);
        turn->kernel = kernels.items[i];
        turn->next = i + 1;
        EmitText own[DEVICE_COUNT], *texts = begin_texts(weft, visitor, own);
        IrModule *module = compile_kernel(texts, unit, kernels.items[i], asked);
        if (!module || (asks_for_hash(options->kernel, kernels.items[i]->key->text) &&
                        !is_asked_by(options->kernel, module->name)))
            continue;
        Compiled compiled = {unit, module, texts, module->enable_backward && options->backward};
        if (!visitor->compiled(&compiled, visitor->user))
            break;
    }
    return unit;
}

/* The same for one kernel of a running program. */
static Unit *compile_world(Weft *weft, const World *world, const PipelineOptions *asked, const PipelineVisitor *visitor)
{
    static const Source nothing = {"<world>", "", 0};
    Unit *unit = open_unit(weft, &nothing, asked);
    Kernel *kernel = world_load(unit, &weft->worlds, world);
    EmitText own[DEVICE_COUNT], *texts = begin_texts(weft, visitor, own);
    IrModule *module = kernel ? compile_kernel(texts, unit, kernel, asked) : NULL;
    if (module) {
        Compiled compiled = {unit, module, texts, module->enable_backward && asked->weft.backward};
        visitor->compiled(&compiled, visitor->user);
    }
    return unit;
}

/* ---- with a visitor ---- */

/* A text, or a kernel of a running program. */
typedef struct Input {
    Source source;
    const World *world; /* NULL: the text */
} Input;

static void set_recovery(Weft *weft, const WeftOptions *options, jmp_buf *failure)
{
    if (options->files)
        options->files->store.arena.on_failure = failure;
    for (Device device = 0; device < DEVICE_COUNT; device++) {
        EmitText *text = &weft->texts[device];
        text->prelude.on_failure = text->forward.on_failure = text->backward.on_failure = failure;
    }
    weft->scratch.on_failure = failure;
    weft->work.on_failure = weft->kernel.on_failure = weft->tables.on_failure = failure;
    weft->worlds.arena.on_failure = weft->vocabulary.arena.on_failure = failure;
}

WeftFiles *weft_files_new(const char *folder, WeftReadFile *read, void *user)
{
    jmp_buf failure;
    WeftFiles *volatile files = calloc(1, sizeof *files);
    if (!files || setjmp(failure)) {
        weft_files_free(files);
        return NULL;
    }
    files->store.arena.on_failure = &failure;
    files_init(&files->store, folder, read, user);
    files->store.arena.on_failure = NULL;
    return files;
}

bool weft_files_add(WeftFiles *files, const char *folder)
{
    jmp_buf failure;
    if (setjmp(failure)) {
        files->store.arena.on_failure = NULL;
        return false;
    }
    files->store.arena.on_failure = &failure;
    files_add_root(&files->store, folder);
    files->store.arena.on_failure = NULL;
    return true;
}

bool input_files_add_fact(WeftFiles *files, const PackageFact *fact)
{
    jmp_buf failure;
    if (setjmp(failure)) {
        files->store.arena.on_failure = NULL;
        return false;
    }
    files->store.arena.on_failure = &failure;
    facts_add(&files->store.arena, &files->store.facts, fact);
    files->store.arena.on_failure = NULL;
    return true;
}

bool input_files_add_call(WeftFiles *files, const char *name, const char *text, bool must_be)
{
    jmp_buf failure;
    if (setjmp(failure)) {
        files->store.arena.on_failure = NULL;
        return false;
    }
    files->store.arena.on_failure = &failure;
    files_add_call(&files->store, name, text, must_be);
    files->store.arena.on_failure = NULL;
    return true;
}

void weft_files_free(WeftFiles *files)
{
    if (files && files->user)
        forget_package(files->user);
    if (files)
        files_free(&files->store);
    free(files);
}

static size_t memory_limit(const WeftOptions *options)
{
    enum { DEFAULT_LIMIT = 1 << 30 };
    return options->memory_limit ? options->memory_limit : DEFAULT_LIMIT;
}

static void tell_refusal(const PipelineVisitor *visitor, const WeftError *error)
{
    if (visitor->refused)
        visitor->refused(error, visitor->user);
    if (visitor->errors)
        text_str(visitor->errors, error->shown);
}

static const char too_long[] = "the file is too large: weft takes at most 64 MiB";

static void tell_too_large(const PipelineVisitor *visitor, const char *path, const char *message)
{
    char shown[1000];
    WeftError error = {.unsupported = true, .message = message, .line = 1, .column = 1, .shown = shown, .path = path};
    snprintf(shown, sizeof shown, "%s: error: %s\n", path, error.message);
    tell_refusal(visitor, &error);
}

/* What was refused in this pass, but for kernels that nobody asked for. */
static void tell_refusals(Weft *weft, const WeftOptions *options, const PipelineVisitor *visitor, Turn *turn)
{
    unsigned number = 0;
    turn->is_telling = true;
    for (const Diag *diag = turn->unit->diags.first; diag && (visitor->refused || visitor->errors); diag = diag->next) {
        bool is_told = number++ < turn->of_file && turn->is_again;
        if (is_told || (diag->kernel && !is_wanted(options->kernel, diag->kernel)))
            continue;
        WeftError error = describe(weft, diag);
        tell_refusal(visitor, &error);
    }
    turn->is_telling = false;
}

/* The kernel at work takes more memory than is allowed. */
static void tell_large_kernel(Weft *weft, const PipelineVisitor *visitor, Turn *turn)
{
    Diag diag = {.kind = DIAG_UNSUPPORTED,
                 .offset = turn->kernel->code.def->start,
                 .message = "compiling this kernel takes too much memory",
                 .kernel = turn->kernel->key->text,
                 .source = turn->kernel->code.scope->file->source};
    turn->is_telling = true;
    WeftError error = describe(weft, &diag);
    tell_refusal(visitor, &error);
    turn->is_telling = false;
}

/* All kernels, or those behind one that took too much memory. */
static void visit_pass(Weft *weft, const Input *input, const PipelineOptions *options, const PipelineVisitor *visitor,
                       Turn *turn)
{
    turn->kernel = NULL;
    turn->unit = input->world ? compile_world(weft, input->world, options, visitor)
                              : compile_unit(weft, &input->source, options, visitor, turn);
    tell_refusals(weft, &options->weft, visitor, turn);
}

static bool visit_input(Weft *weft, const Input *input, const PipelineOptions *options, const PipelineVisitor *visitor)
{
    jmp_buf failure;
    Turn state = {0}, *const turn = &state; /* changed between setjmp and longjmp: read through the pointer only */
    volatile bool given_up = false;
    if (input->source.len > LIMIT_SOURCE_SIZE) {
        tell_too_large(visitor, input->source.path, too_long);
        return true;
    }
    set_recovery(weft, &options->weft, &failure);
    weft->work.limit = weft->kernel.limit = memory_limit(&options->weft);
    if (setjmp(failure)) {
        bool over_limit = weft->work.over_limit || weft->kernel.over_limit;
        given_up |= !over_limit || !turn->kernel || turn->is_telling;
        if (!given_up) {
            tell_refusals(weft, &options->weft, visitor, turn);
            tell_large_kernel(weft, visitor, turn);
            turn->is_again = true;
        }
        forget_failed(weft);
        weft->work.over_limit = weft->kernel.over_limit = false;
        if (given_up) {
            set_recovery(weft, &options->weft, NULL);
            tell_too_large(visitor, input->source.path, "compiling this takes too much memory");
            return over_limit;
        }
    }
    visit_pass(weft, input, options, visitor, turn);
    set_recovery(weft, &options->weft, NULL);
    forget_work(weft);
    return true;
}

bool pipeline_compile(Weft *weft, const Source *source, const PipelineOptions *options, const PipelineVisitor *visitor)
{
    return visit_input(weft, &(Input){.source = *source}, options, visitor);
}

bool pipeline_visit_world(Weft *weft, const World *world, const PipelineOptions *options,
                          const PipelineVisitor *visitor)
{
    return visit_input(weft, &(Input){.source = {"<world>", "", 0}, .world = world}, options, visitor);
}

/* ---- with results that are kept ---- */

typedef struct Keep {
    Weft *weft;
    WeftResult *result;
    const WeftOptions *options;
    bool told; /* by a running program */
} Keep;

static bool keep_kernel(const Compiled *compiled, void *user)
{
    Keep *keep = user;
    WeftResult *result = keep->result;
    add_kernel(keep->weft, result, compiled, keep->options, keep->told);
    if (keep->options->each) {
        keep->options->each(result, keep->options->user);
        result->kernels = NULL;
        result->kernel_count = result->kernel_cap = 0;
        arena_reset(&result->arena);
    }
    return true;
}

static void compile_and_keep(Weft *weft, WeftResult *result, const Input *input, const WeftOptions *options)
{
    Keep keep = {weft, result, options, input->world != NULL};
    Turn turn = {0};
    const PipelineOptions asked = {.weft = *options, .keep_lines = options->lines};
    const PipelineVisitor visitor = {.compiled = keep_kernel, .user = &keep, .texts_in = &result->arena};
    const Unit *unit = input->world ? compile_world(weft, input->world, &asked, &visitor)
                                    : compile_unit(weft, &input->source, &asked, &visitor, &turn);
    if (options->dump_ast && !input->world) {
        weft->scratch.len = 0;
        ast_dump(unit->main->module, &input->source, &weft->scratch);
        result->ast_dump = copy_text(result, &weft->scratch);
    }
    for (const Diag *diag = unit->diags.first; diag; diag = diag->next)
        if (!diag->kernel || is_wanted(options->kernel, diag->kernel))
            add_error(weft, result, diag);
}

static void add_limit_error(WeftResult *result, const char *path, const char *message)
{
    WeftError *error = &ARENA_PUSH(&result->arena, result->errors, result->error_count, result->error_cap);
    error->unsupported = true;
    error->message = message;
    error->line = error->column = 1;
    error->shown = arena_format(&result->arena, "%s: error: %s\n", path, message);
    error->path = copy_string(result, path);
}

/* NULL: out of memory. */
static WeftResult *compile_input(Weft *weft, const Input *input, const WeftOptions *options)
{
    jmp_buf failure;
    const WeftOptions chosen = options ? *options : weft_default_options();
    WeftResult *volatile result = calloc(1, sizeof *result);
    volatile bool failed = false;
    if (!result)
        return NULL;
    arena_init(&result->arena);
    set_recovery(weft, &chosen, &failure);
    result->arena.on_failure = &failure;
    weft->work.limit = weft->kernel.limit = memory_limit(&chosen);
    if (setjmp(failure)) {
        bool over_limit = weft->work.over_limit || weft->kernel.over_limit;
        set_recovery(weft, &chosen, NULL);
        forget_failed(weft);
        if (!over_limit || failed) { /* or there is no memory even to say so */
            weft_result_free(result);
            return NULL;
        }
        failed = true;
        add_limit_error(result, input->source.path, "compiling this file takes more memory than is allowed");
        result->arena.on_failure = NULL;
        return result;
    }
    if (input->source.len > LIMIT_SOURCE_SIZE)
        add_limit_error(result, input->source.path, too_long);
    else
        compile_and_keep(weft, result, input, &chosen);
    set_recovery(weft, &chosen, NULL);
    result->arena.on_failure = NULL;
    forget_work(weft);
    return result;
}

WeftResult *weft_compile(Weft *weft, const char *path, const char *text, size_t length, const WeftOptions *options)
{
    return compile_input(weft, &(Input){.source = {path, text, length}}, options);
}

WeftResult *pipeline_compile_world(Weft *weft, const World *world, const WeftOptions *options)
{
    return compile_input(weft, &(Input){.source = {"<world>", "", 0}, .world = world}, options);
}

/* ---- reading results ---- */

size_t weft_kernel_count(const WeftResult *result)
{
    return result->kernel_count;
}

const WeftKernel *weft_kernel(const WeftResult *result, size_t index)
{
    return &result->kernels[index].kernel;
}

const char *weft_kernel_text(const WeftResult *result, size_t index, WeftDevice device, WeftPart part, size_t *length)
{
    if (length)
        *length = result->kernels[index].lengths[device][part];
    return result->kernels[index].texts[device][part];
}

const WeftLines *weft_kernel_lines(const WeftResult *result, size_t index, WeftDevice device, size_t *count)
{
    *count = result->kernels[index].line_counts[device];
    return result->kernels[index].lines[device];
}

const char *weft_kernel_dump(const WeftResult *result, size_t index)
{
    return result->kernels[index].dump ? result->kernels[index].dump : "";
}

const char *weft_ast_dump(const WeftResult *result)
{
    return result->ast_dump ? result->ast_dump : "";
}

size_t weft_error_count(const WeftResult *result)
{
    return result->error_count;
}

const WeftError *weft_error(const WeftResult *result, size_t index)
{
    return &result->errors[index];
}

const char *weft_preamble(Weft *weft, WeftDevice device, uint32_t block_dim)
{
    weft->scratch.len = 0;
    emit_preamble(builtins_dialect(weft->builtins), (Device)device, block_dim, &weft->scratch);
    return text_cstr(&weft->scratch);
}
