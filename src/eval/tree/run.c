/* Running a program: arguments in, one thread after the other, finding out. */
#include "eval/tree/tape.h"

#include <string.h>

static void note(const Machine *m, const Op *op, FindingKind kind, const char *message, Finding *out)
{
    if (out->kind != FINDING_NONE)
        return;
    *out = (Finding){.kind = kind, .offset = op->source, .message = message};
    for (int i = 0; i < 4; i++)
        out->thread[i] = (uint32_t)m->thread[i];
}

void tree_fail(Machine *m, const Op *op, FindingKind kind, const char *message)
{
    m->next = NULL;
    note(m, op, kind, message, m->finding);
}

void tree_remark(Machine *m, const Op *op, FindingKind kind, const char *message)
{
    note(m, op, kind, message, m->remark);
}

/* Numbers only: the addresses and shapes that arrays and references consist of are nothing to compare. */
static void keep_results(Machine *m, const Op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) {
        const TreeArg *out = &op->outs[i];
        const Cell *cells = out->layout ? tree_at(m, out->value) : NULL;
        for (uint32_t k = 0; cells && k < out->cells && out->layout->kinds[k] <= CELL_INTEGER; k++)
            journal_add(m->journal, op->source, out->layout->kinds[k] != CELL_INTEGER, cells[k]);
    }
}

static void stop_here(Machine *m, const Op *op)
{
    m->steps = 0;
    tree_fail(m, op, FINDING_TOO_MANY_STEPS, "the launch takes too many steps");
}

static void run_noting_results(Machine *m)
{
    for (const Op *op = m->next; op; op = m->next) {
        m->next = op + 1;
        if (m->steps-- == 0) {
            stop_here(m, op);
            return;
        }
        op->run(m, op);
        keep_results(m, op);
    }
}

static bool is_adjoint_finite(const Machine *m, const TreeArg *arg)
{
    const Cell *cells = arg->adjoint && arg->layout ? tree_at(m, arg->adjoint) : NULL;
    for (uint32_t i = 0; cells && i < arg->cells && arg->layout->kinds[i] <= CELL_INTEGER; i++)
        if (arg->layout->kinds[i] <= CELL_FLOAT64 && !isfinite(cells[i].real))
            return false;
    return true;
}

static void run_watching_adjoints(Machine *m)
{
    for (const Op *op = m->next; op; op = m->next) {
        m->next = op + 1;
        if (m->steps-- == 0) {
            stop_here(m, op);
            return;
        }
        op->run(m, op);
        for (uint32_t i = 0; m->undefined->kind == FINDING_NONE && i < op->arg_count; i++)
            if (!is_adjoint_finite(m, &op->args[i]))
                note(m, op, FINDING_GRADIENT_UNDEFINED, NULL, m->undefined);
    }
}

static void run_exactly(Machine *m)
{
    for (const Op *op = m->next; op; op = m->next) {
        m->next = op + 1;
        if (m->steps-- == 0) {
            stop_here(m, op);
            return;
        }
        op->run(m, op);
    }
}

/* Steps are counted where the run leaves the order of the code: up to there, they last. */
static void run_ops(Machine *m, const TreeCode *code)
{
    const Op *op = m->next;
    while (op && m->steps >= code->op_count) {
        const Op *first = op;
        op->quick(m, op);
        m->steps -= (uint64_t)(m->behind - first);
        if (m->call) {
            op = m->call;
            m->call = NULL;
            m->next = op + 1;
            op->run(m, op);
        }
        op = m->next;
    }
    run_exactly(m);
}

void tree_run_code(Machine *m, const TreeCode *code, Cell *frame)
{
    const Op *next = m->next;
    Cell *caller = m->frame, *top = m->top;
    m->frame = frame;
    m->top = frame + code->cells;
    m->next = code->ops;
    if (m->journal)
        run_noting_results(m);
    else if (m->undefined)
        run_watching_adjoints(m);
    else
        run_ops(m, code);
    m->frame = caller;
    m->top = top;
    m->next = m->finding->kind == FINDING_NONE ? next : NULL;
}

/* ---- arguments ---- */

typedef struct Loader { /* of one launch */
    TreeProgram *program;
    bool backward;
} Loader;

static bool is_single_precision(const LaunchValue *value)
{
    for (uint32_t k = 0; k < value->width; k++)
        if (value->cell_types[k]->kind != TYPE_FLOAT32)
            return false;
    return true;
}

/* Arrays hold what their type can hold. */
static void round_cells(Loader *l, LaunchValue *value)
{
    if (l->program->in_double)
        return;
    if (is_single_precision(value)) {
        size_t count = value->count * value->width;
        for (size_t i = 0; l->backward && value->gradients && i < count; i++)
            value->gradients[i] = (double)(float)value->gradients[i];
        for (size_t i = 0; !l->backward && i < count; i++)
            value->cells[i].real = (double)(float)value->cells[i].real;
        return;
    }
    for (uint32_t k = 0; k < value->width; k++) {
        TypeKind kind = value->cell_types[k]->kind;
        if (kind != TYPE_FLOAT16 && kind != TYPE_BFLOAT16 && kind != TYPE_FLOAT32 && kind != TYPE_PY_FLOAT)
            continue;
        CellKind to = kind == TYPE_FLOAT16 ? CELL_FLOAT16 : kind == TYPE_BFLOAT16 ? CELL_BFLOAT16 : CELL_FLOAT32;
        for (size_t i = 0; i < value->count; i++) {
            size_t at = i * value->width + k;
            if (l->backward && value->gradients)
                value->gradients[at] = tree_round(value->gradients[at], to);
            else if (!l->backward)
                value->cells[at].real = tree_round(value->cells[at].real, to);
        }
    }
}

static bool has_floats(const LaunchValue *value)
{
    for (uint32_t i = 0; i < value->width; i++)
        if (type_is_float(value->cell_types[i]))
            return true;
    return false;
}

/* adjoint: the array of gradients itself, as Warp passes it */
static void load_array(Loader *l, LaunchValue *value, bool adjoint, TreeArray *out)
{
    *out = (TreeArray){0};
    Cell *grad = value->gradients && has_floats(value) ? (Cell *)(void *)value->gradients : NULL;
    if (!adjoint)
        round_cells(l, value);
    if (adjoint && !grad)
        return;
    out->data = adjoint ? grad : value->cells;
    out->grad = adjoint ? NULL : grad;
    out->ndim = value->ndim;
    out->width = value->width;
    int64_t stride = value->width;
    for (uint32_t i = value->ndim; i-- > 0;) {
        out->shape[i].integer = value->shape[i];
        out->strides[i] = stride;
        stride *= value->shape[i];
    }
    out->size = (int64_t)(value->count * value->width);
}

/* The adjoint of a struct argument has its arrays' gradients, and its other fields as they are. */
static Cell *load_value(Loader *l, LaunchValue *value, bool adjoint, bool in_struct, Cell *out)
{
    const Type *type = value->type;
    if (type->kind == TYPE_ARRAY) {
        TreeArray array;
        load_array(l, value, adjoint, &array);
        memcpy(out, &array, sizeof array);
        return out + ARRAY_CELLS;
    }
    if (type->kind == TYPE_STRUCT) {
        for (uint32_t i = 0; i < value->field_count; i++)
            out = load_value(l, &value->fields[i], adjoint, true, out);
        return out;
    }
    for (uint32_t i = 0; i < value->width; i++)
        if (!adjoint || in_struct)
            out[i] = tree_convert(value->cells[i], value->cell_types[i], value->cell_types[i], l->program->in_double);
    return out + value->width;
}

static bool refuse_launch(TreeRun *run, const char *message)
{
    run->finding = (Finding){.kind = FINDING_UNSUPPORTED, .message = message};
    return false;
}

static bool load_arguments(Loader *l, const TreeCode *code, Launch *launch, TreeRun *run)
{
    const IrVarList *params = &l->program->module->kernel->params;
    if (launch->arg_count != params->count)
        return refuse_launch(run, "the launch has another number of arguments than the kernel");
    for (uint32_t i = 0; i < params->count; i++) {
        LaunchValue *value = &launch->args[i];
        if (!types_equal(value->type, params->items[i]->type))
            return refuse_launch(run, "an argument of the launch has another type than the kernel's");
        load_value(l, value, false, false, code->image + code->params[i]);
        if (l->backward)
            load_value(l, value, true, false, code->image + code->param_adjoints[i]);
    }
    return true;
}

/* ---- threads ---- */

static void set_thread(Machine *m, const Launch *launch, uint32_t ndim, uint64_t linear)
{
    for (uint32_t i = ndim; i-- > 1;) {
        uint32_t length = launch->dim[i] ? launch->dim[i] : 1;
        m->thread[i] = (int64_t)(linear % length);
        linear /= length;
    }
    m->thread[0] = (int32_t)linear;
}

static bool is_enough(const TreeRun *run, uint64_t steps)
{
    return run->finding.kind != FINDING_NONE ||
           (run->budget.steps && steps >= run->budget.steps && run->threads >= run->budget.threads);
}

/* The threads are gone through from `next` on, `stride` further each time, around the end. */
typedef struct ThreadOrder {
    uint64_t next, stride, count;
} ThreadOrder;

static ThreadOrder order_threads(const TreeRun *run, uint64_t count)
{
    ThreadOrder threads = {.next = 0, .stride = 1, .count = count};
    if (count < 2)
        return threads;
    threads.next = run->first_thread % count;
    threads.stride = launch_step(count, run->stride);
    return threads;
}

/* A kernel with tiles: all lanes of a block together, block after block. */
static void run_blocks(TreeProgram *program, const TreeCode *code, const Launch *launch, TreeRun *run, Machine *m)
{
    enum { MAX_BLOCK = 1024 };
    uint64_t count = launch_running(launch), lanes = launch->block_dim ? launch->block_dim : 1;
    uint32_t ndim = launch->ndim;
    if (lanes > MAX_BLOCK || count % lanes) {
        run->finding.offset = program->module->kernel->code->def->start;
        run->finding.kind = count % lanes ? FINDING_NOT_UNIFORM : FINDING_UNSUPPORTED;
        run->finding.message = count % lanes
                                   ? "the launch leaves a block incomplete, and tile operations wait for all lanes"
                                   : "a block of so many lanes";
        return;
    }
    size_t cells = (size_t)program->stack_cells + 1;
    if (!program->block || program->lane_stack_cells != cells * lanes) {
        program->block = tree_new_block(program->arena, (uint32_t)lanes);
        program->lane_stack_cells = cells * lanes;
        program->lane_stacks = ARENA_ARRAY(program->arena, Cell, cells * lanes);
    }
    uint64_t max = m->steps;
    TreeCoverage *coverage = run->backward ? NULL : run->coverage;
    for (uint64_t i = 0; i < count / lanes && !is_enough(run, max - m->steps); i++) {
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint64_t thread = i * lanes + lane;
            set_thread(m, launch, ndim ? ndim : 1, launch->threads ? launch->threads[thread] : thread);
            tree_begin_lane(program->block, lane, m, code, program->lane_stacks + cells * lane);
        }
        tree_run_block(program->block);
        m->steps = tree_block_steps(program->block);
        run->threads += (uint32_t)lanes;
        uint64_t first = launch->threads ? launch->threads[i * lanes] : i * lanes; /* it stands for its block */
        if (coverage && !tree_end_thread(program, coverage, (uint32_t)first))
            break;
    }
}

static bool run_threads(TreeProgram *program, const TreeCode *code, Launch *launch, TreeRun *run, bool leftover)
{
    Loader loader = {.program = program, .backward = run->backward};
    if (!load_arguments(&loader, code, launch, run))
        return false;
    uint64_t max = run->max_steps ? run->max_steps : TREE_DEFAULT_STEPS, count = launch_running(launch);
    uint32_t ndim = program->module->kernel->kernel_dim;
    TreeCoverage *coverage = run->backward ? NULL : run->coverage;
    Machine machine = {.dialect = program->module->unit->dialect,
                       .steps = max,
                       .backward = run->backward,
                       .sizes = run->sizes,
                       .keeps_transposed = run->keeps_transposed,
                       .leftover = leftover,
                       .finding = &run->finding,
                       .remark = &run->remark};
    machine.block_dim = launch->block_dim;
    machine.outcomes = coverage ? coverage->now : NULL;
    machine.notes_bounds = coverage && coverage->notes_bounds;
    machine.path_sum = run->backward ? NULL : run->path_sum;
    machine.journal = run->backward ? NULL : run->journal;
    machine.undefined = run->backward ? run->undefined : NULL;
    machine.tape = program->tape;
    if (program->module->uses_tiles) {
        run_blocks(program, code, launch, run, &machine);
        run->steps = max - machine.steps;
        return run->finding.kind == FINDING_NONE;
    }
    ThreadOrder threads = order_threads(run, count);
    if (program->tape && !run->backward)
        tree_tape_begin(program->tape, count);
    for (uint64_t i = 0; i < count && !is_enough(run, max - machine.steps); i++) {
        uint64_t place = threads.next, thread = launch->threads ? launch->threads[place] : place;
        threads.next = (threads.next + threads.stride) % count;
        if (program->tape && run->backward)
            tree_tape_use_thread(program->tape, place);
        set_thread(&machine, launch, ndim ? ndim : 1, thread);
        machine.top = program->stack;
        tree_begin_frame(code, program->stack);
        tree_run_code(&machine, code, program->stack);
        if (program->tape && !run->backward)
            tree_tape_end_thread(program->tape, place);
        run->threads++;
        if (coverage && !tree_end_thread(program, coverage, (uint32_t)thread))
            break;
    }
    run->steps = max - machine.steps;
    return run->finding.kind == FINDING_NONE;
}

/* ---- what was never set ---- */

static bool same_gradients(const LaunchValue *a, const LaunchValue *b)
{
    for (uint32_t i = 0; i < a->field_count; i++)
        if (!same_gradients(&a->fields[i], &b->fields[i]))
            return false;
    return !a->gradients || memcmp(a->gradients, b->gradients, a->count * a->width * sizeof *a->gradients) == 0;
}

/* A reverse pass that reads variables that it never set is run from two contents of them. What it computes counts only if
 * it does not depend on them. */
static bool run_from_leftovers(TreeProgram *program, const TreeCode *code, Launch *launch, TreeRun *run)
{
    Launch *other = launch_copy(program->arena, launch);
    TreeRun again = *run;
    if (!run_threads(program, code, launch, run, false))
        return false;
    bool same = run_threads(program, code, other, &again, true);
    for (uint32_t i = 0; i < launch->arg_count && same; i++)
        same = same_gradients(&launch->args[i], &other->args[i]);
    if (!same)
        run->finding = again.remark.kind != FINDING_NONE ? again.remark : again.finding;
    return same;
}

bool tree_execute(TreeProgram *program, Launch *launch, TreeRun *run)
{
    const TreeCode *code = run->backward ? tree_reverse_code(program) : program->forward;
    run->finding = run->backward && !code ? program->no_reverse : (Finding){0};
    run->remark = (Finding){0};
    run->steps = run->threads = 0;
    if (run->coverage)
        run->coverage->notable_count = run->coverage->idle = 0;
    if (!code)
        return false;
    if (run->backward && program->reads_unset)
        return run_from_leftovers(program, code, launch, run);
    return run_threads(program, code, launch, run, false);
}

bool tree_run(const IrModule *module, Launch *launch, TreeRun *run)
{
    TreeProgram *program = tree_compile(module->unit->arena, module, run->in_double, &run->finding);
    return program && tree_execute(program, launch, run);
}
