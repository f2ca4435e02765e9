/* Preparing a kernel and running all threads of a launch. */
#include "eval/ast/impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SCRATCH_SIZE = 8 * 1024, DEFAULT_STEPS = 10 * 1000 * 1000 };

/* ---- ending a run ---- */

static void note_finding(Evaluator *e, FindingKind kind, uint32_t offset, const char *message)
{
    e->run->finding = (Finding){.kind = kind, .offset = offset, .message = message};
    memcpy(e->run->finding.thread, e->index, sizeof e->index);
}

_Noreturn void stop_run(Evaluator *e, FindingKind kind, uint32_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_format_list(e->arena, format, args);
    va_end(args);
    note_finding(e, kind, offset, message);
    longjmp(e->stop, 1);
}

void stop_undefined(Evaluator *e, FindingKind kind, uint32_t offset, const char *format, ...)
{
    if (e->carries_on)
        return;
    va_list args;
    va_start(args, format);
    const char *message = arena_format_list(e->arena, format, args);
    va_end(args);
    stop_run(e, kind, offset, "%s", message);
}

_Noreturn void stop_unsupported(Evaluator *e, uint32_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_format_list(e->arena, format, args);
    va_end(args);
    stop_run(e, FINDING_UNSUPPORTED, offset, "%s", message);
}

_Noreturn void too_many_steps(Evaluator *e, uint32_t offset)
{
    stop_run(e, FINDING_TOO_MANY_STEPS, offset, "the launch takes more than %llu steps",
             (unsigned long long)e->max_steps);
}

/* ---- scratch memory ---- */

static ScratchBlock *new_block(Evaluator *e, size_t size)
{
    ScratchBlock *block = ARENA_NEW(e->arena, ScratchBlock);
    block->size = size;
    block->data = arena_take(e->arena, size);
    return block;
}

/* Goes on to the next block that is large enough; blocks are kept for the next time. */
void scratch_next_block(Evaluator *e, size_t size)
{
    ScratchBlock *block = e->scratch->next;
    if (!block || block->size < size) {
        ScratchBlock *fresh = new_block(e, size > SCRATCH_SIZE ? size : SCRATCH_SIZE);
        fresh->next = block;
        e->scratch->next = block = fresh;
    }
    e->scratch = block;
    e->scratch_next = block->data;
    e->scratch_end = block->data + block->size;
}

/* ---- arguments ---- */

static bool has_tangents(const LaunchValue *value)
{
    bool found = value->tangents != NULL;
    for (uint32_t i = 0; i < value->field_count; i++)
        found |= has_tangents(&value->fields[i]);
    return found;
}

static void bind_array(Evaluator *e, LaunchValue *value, bool tangents, ArrayView *view)
{
    size_t cells = value->count * value->width;
    Storage *storage = ARENA_NEW(e->arena, Storage);
    storage->cells = value->cells;
    storage->tangents = value->tangents;
    storage->count = value->count;
    storage->width = value->width;
    if (!storage->tangents && tangents)
        storage->tangents = ARENA_ARRAY(e->arena, double, cells);
    if (e->run->detect_races)
        storage->shadow = ARENA_ARRAY(e->arena, Shadow, cells);
    view_of_storage(storage, value->type, value->ndim, value->shape, view);
}

/* Appends the cells and arrays of a value. */
static void bind_parts(Evaluator *e, LaunchValue *value, bool tangents, Dual **cells, ArrayView **arrays)
{
    if (value->type->kind == TYPE_ARRAY) {
        bind_array(e, value, tangents, (*arrays)++);
        return;
    }
    for (uint32_t i = 0; i < value->width; i++) {
        Dual *cell = (*cells)++;
        cell->integer = value->cells[i].integer;
        cell->tangent = value->tangents && is_float_kind(value->cell_types[i]->kind) ? value->tangents[i] : 0;
    }
    for (uint32_t i = 0; i < value->field_count; i++)
        bind_parts(e, &value->fields[i], tangents, cells, arrays);
}

static void bind_argument(Evaluator *e, LaunchValue *value, bool tangents, Datum *out)
{
    const Type *type = value->type;
    uint32_t cell_count = 0, array_count = 1;
    DatumKind kind = DATUM_ARRAY;
    if (type->kind == TYPE_STRUCT) {
        const Layout *layout = struct_layout(e, type, 0);
        cell_count = layout->cells;
        array_count = layout->arrays;
        kind = DATUM_STRUCT;
    } else if (type->kind != TYPE_ARRAY) {
        cell_count = value->width;
        array_count = 0;
        kind = DATUM_VALUE;
    }
    Dual *cells = ARENA_ARRAY(e->arena, Dual, cell_count);
    ArrayView *arrays = ARENA_ARRAY(e->arena, ArrayView, array_count);
    *out = (Datum){.kind = kind, .type = type};
    if (kind != DATUM_ARRAY)
        out->cells = cells;
    out->arrays = arrays;
    bind_parts(e, value, tangents, &cells, &arrays);
}

/* ---- running ---- */

static void run_thread(Evaluator *e, const Datum *args, uint32_t count)
{
    Plan *plan = e->main;
    for (uint32_t i = count; i < plan->slot_count; i++)
        plan->slots[i].datum.kind = DATUM_NOTHING;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind != DATUM_ARRAY || plan->slots[i].datum.kind == DATUM_NOTHING || plan->slots[i].assigned)
            slot_set(e, &plan->slots[i], &args[i], 0);
    e->depth = 0;
    run_plan(e, plan);
}

static void run_threads(Evaluator *e)
{
    Launch *launch = e->launch;
    const Code *code = &e->kernel->code;
    if (e->kernel->code.refused)
        stop_unsupported(e, code->def->start, "%s", e->kernel->code.refused->message);
    if (e->main->refused)
        stop_unsupported(e, code->def->start, "%s", e->main->refused);
    if (launch->arg_count != code->param_count)
        stop_unsupported(e, code->def->start, "the launch has %u arguments, the kernel %u", launch->arg_count,
                         code->param_count);
    bool tangents = false;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        tangents |= has_tangents(&launch->args[i]);
    Datum *args = ARENA_ARRAY(e->arena, Datum, launch->arg_count);
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        if (!code->params[i].type || !types_equal(launch->args[i].type, type_canonical(code->params[i].type)))
            stop_unsupported(e, code->def->start, "argument '%s' of the launch does not fit the kernel",
                             code->params[i].name->text);
        bind_argument(e, &launch->args[i], tangents, &args[i]);
    }
    if (e->has_tiles) {
        tile_run_blocks(e, args, launch->arg_count);
        return;
    }
    e->uses_code = code_kernel(e, args, launch->arg_count);
    ScratchMark mark = {e->first_scratch, e->first_scratch->data};
    for (uint32_t i = 0; i < launch->arg_count; i++)
        e->main->slots[i].datum.kind = DATUM_NOTHING; /* of the run before */
    const RunBudget *budget = &e->run->budget;
    uint64_t count = launch_running(launch);
    for (uint64_t i = 0; i < count; i++) {
        e->thread = launch->threads ? launch->threads[i] : (uint32_t)i;
        launch_thread(launch, i, e->index);
        scratch_release(e, mark);
        run_thread(e, args, launch->arg_count);
        e->run->threads++;
        if (budget->steps && e->steps >= budget->steps && e->run->threads >= budget->threads)
            break;
    }
}

AstProgram *ast_program(Unit *unit, const Kernel *kernel)
{
    Evaluator *const e = ARENA_NEW(unit->building, Evaluator);
    e->unit = unit;
    e->arena = unit->building;
    e->kernel = kernel;
    e->scratch = e->first_scratch = new_block(e, SCRATCH_SIZE);
    AstRun *const preparing = ARENA_NEW(e->arena, AstRun);
    e->run = preparing;
    if (!setjmp(e->stop)) {
        e->main = plan_of(e, &kernel->code, NULL);
        tile_prepare(e);
    } else {
        e->main = ARENA_NEW(e->arena, Plan);
        e->main->code = &kernel->code;
        e->main->refused = preparing->finding.message;
    }
    return e;
}

bool ast_program_run(AstProgram *program, Launch *launch, AstRun *run)
{
    Evaluator *e = program;
    run->finding = (Finding){0};
    run->threads = 0;
    e->run = run;
    e->launch = launch;
    e->in_double = run->in_double;
    e->carries_on = run->carries_on;
    e->uses_code = false;
    e->coding = 0;
    set_constants(e);
    e->noise = run->noise;
    e->max_steps = run->max_steps ? run->max_steps : DEFAULT_STEPS;
    e->steps = 0;
    memset(e->index, 0, sizeof e->index);
    for (Plan *plan = e->plans; plan; plan = plan->next)
        plan->active = false;
    scratch_release(e, (ScratchMark){e->first_scratch, e->first_scratch->data});
    if (!setjmp(e->stop))
        run_threads(e);
    run->steps = e->steps;
    return run->finding.kind == FINDING_NONE;
}

bool ast_run(Unit *unit, const Kernel *kernel, Launch *launch, AstRun *run)
{
    return ast_program_run(ast_program(unit, kernel), launch, run);
}
