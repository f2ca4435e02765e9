#include "check/branches.h"
#include "check/check_impl.h"

#include <string.h>

enum { MOST_NOTED = 256 }; /* threads of a run that did what few had done */

CheckCoverage *check_coverage_new(Unit *unit, CheckPrograms *programs)
{
    CheckCoverage *coverage = ARENA_NEW(unit->building, CheckCoverage);
    *coverage = (CheckCoverage){.unit = unit, .programs = programs};
    return coverage;
}

void begin_coverage(CheckCoverage *coverage, TreeProgram *tree, const IrModule *module)
{
    if (coverage->tree)
        return;
    coverage->tree = tree;
    coverage->module = module;
    coverage->all = tree_coverage_new(tree, MOST_NOTED);
    coverage->draw = tree_coverage_new(tree, MOST_NOTED);
}

void keep_coverage(CheckCoverage *coverage)
{
    tree_coverage_add(coverage->tree, coverage->all, coverage->draw);
}

/* ---- what is missing ---- */

static bool was_met(const CheckCoverage *coverage, const TreeBranch *branch)
{
    static const uint8_t none[4];
    return memcmp(coverage->all->seen + branch->place, none, sizeof none) != 0;
}

/* Statements of an unrolled loop are built several times: what one of these copies did counts for all. A conditional expression
 * counts for itself, as there may be several in a statement. */
static bool is_same_statement(const TreeBranch *a, const TreeBranch *b)
{
    return a->function == b->function && a->source == b->source;
}

bool check_has_taken(const CheckCoverage *coverage, const MissingWay *way)
{
    uint32_t count, outcome = way->is_loop ? 0 : way->when;
    const TreeBranch *branches = tree_branches(coverage->tree, &count);
    if (coverage->all->seen[way->branch->place + outcome])
        return true;
    for (uint32_t i = 0; way->branch->is_statement && i < count; i++)
        if (branches[i].is_statement && is_same_statement(&branches[i], way->branch) &&
            coverage->all->seen[branches[i].place + outcome])
            return true;
    return false;
}

static bool is_listed(const MissingWay *ways, uint32_t count, const MissingWay *way)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_same_statement(ways[i].branch, way->branch) && ways[i].when == way->when)
            return true;
    return false;
}

uint32_t check_missing_ways(const CheckCoverage *coverage, MissingWay *out, uint32_t max)
{
    uint32_t count = 0, found = 0;
    const TreeBranch *branches = coverage->tree ? tree_branches(coverage->tree, &count) : NULL;
    for (uint32_t i = 0; i < count && found < max; i++)
        for (uint32_t k = 0; k < 2 && found < max; k++) {
            MissingWay way = {&branches[i], k, !branches[i].condition};
            Deciders deciders;
            if (branches[i].function->code->scope->file->is_library || !(branches[i].wanted >> k & 1) ||
                !was_met(coverage, &branches[i]) || check_has_taken(coverage, &way) || is_listed(out, found, &way))
                continue;
            find_deciders(coverage->unit->building, coverage->module, &branches[i], &deciders);
            if (!deciders.is_constant)
                out[found++] = way;
        }
    return found;
}

bool check_takes_way(CheckCoverage *coverage, Launch *launch, const MissingWay *way, uint64_t max_steps,
                     uint64_t *steps)
{
    TreeRun run = {.coverage = coverage->draw, .max_steps = max_steps};
    tree_coverage_clear(coverage->draw);
    bool done = tree_execute(coverage->tree, launch, &run);
    *steps += run.steps;
    return done && coverage->draw->seen[way->branch->place + (way->is_loop ? 0 : way->when)];
}

void check_note_run(CheckCoverage *coverage, Launch *launch, uint64_t max_steps, uint64_t *steps)
{
    TreeRun run = {.coverage = coverage->draw, .max_steps = max_steps};
    tree_coverage_clear(coverage->draw);
    tree_execute(coverage->tree, launch, &run);
    *steps += run.steps;
    keep_coverage(coverage);
}

/* ---- what decides ---- */

typedef struct Slice {
    const IrFunction *function;
    bool *visited; /* of each variable */
    Deciders *out;
    bool is_foreign; /* a parameter of a function: what is given for it, nobody looks for */
} Slice;

static void visit_var(Slice *s, const IrVar *var);

static void add_number(Deciders *out, double number)
{
    for (uint32_t i = 0; i < out->number_count; i++)
        if (out->numbers[i] == number)
            return;
    if (out->number_count < MOST_NUMBERS)
        out->numbers[out->number_count++] = number;
}

static void add_value(Deciders *out, const Value *value)
{
    Number number;
    if (value_as_number(value, true, &number))
        add_number(out, number.is_int ? (double)number.integer : number.real);
}

static void visit_path(Slice *s, const IrPath *path)
{
    visit_var(s, path->root);
    for (uint32_t i = 0; i < path->step_count; i++)
        for (uint32_t k = 0; k < path->steps[i].index_count; k++)
            visit_var(s, path->steps[i].indices[k]);
}

static void visit_call(Slice *s, const IrCall *call)
{
    if (!call->arg_count) {
        s->out->is_constant = false;
        s->out->has_thread |= call->builtin && strcmp(call->builtin->name, "tid") == 0;
    }
    s->out->is_constant &= !call->func;
    for (uint32_t i = 0; i < call->arg_count; i++)
        if (call->args[i].kind == OPERAND_VAR)
            visit_var(s, call->args[i].var);
        else if (call->args[i].kind == OPERAND_POINTER)
            visit_path(s, call->args[i].origin);
}

/* A call without a result changes its first argument: in loops, a variable gets its new value by assign(variable, value). */
static bool is_changed(const IrCall *call, const IrVar *var)
{
    for (uint32_t i = 0; i < call->output_count; i++)
        if (call->outputs[i] == var)
            return true;
    return !call->output_count && call->arg_count && call->args[0].kind == OPERAND_VAR && call->args[0].var == var;
}

static bool visit_setters(Slice *s, const IrRegion *region, const IrVar *var);

static bool visit_loop(Slice *s, const IrFor *loop, const IrVar *var)
{
    bool sets = loop->counted == var;
    if (sets)
        s->out->is_constant = false;
    sets |= visit_setters(s, &loop->head, var);
    if (!visit_setters(s, &loop->body, var))
        return sets;
    visit_var(s, loop->range);
    return true;
}

static bool visit_while(Slice *s, const IrWhile *loop, const IrVar *var)
{
    bool sets = visit_setters(s, &loop->test, var);
    if (!visit_setters(s, &loop->body, var))
        return sets;
    visit_var(s, loop->condition);
    return true;
}

/* Does the node set the variable? Then what it computes that from is visited, and what says how often. */
static bool visit_setter(Slice *s, const IrNode *node, const IrVar *var)
{
    switch (node->kind) {
    case IR_CALL:
    case IR_MAKE_TUPLE:
        if (!is_changed(node->call, var))
            return false;
        visit_call(s, node->call);
        return true;
    case IR_COMPARE:
        if (node->compare.output != var)
            return false;
        visit_var(s, node->compare.left);
        for (uint32_t i = 0; i < node->compare.count; i++)
            visit_var(s, node->compare.right[i]);
        return true;
    case IR_SET:
    case IR_LOGIC:
        if (node->set.target != var)
            return false;
        visit_var(s, node->set.value);
        return true;
    case IR_MEMBER:
        if (node->member.target == var)
            visit_var(s, node->member.aggregate);
        return node->member.target == var;
    case IR_SET_MEMBER:
        if (node->set_member.aggregate == var)
            visit_var(s, node->set_member.value);
        return node->set_member.aggregate == var;
    case IR_SLOT_ADDRESS:
        if (node->slot_address.target == var)
            visit_path(s, node->slot_address.path);
        return node->slot_address.target == var;
    case IR_SET_LITERAL:
        if (node->literal.target == var)
            add_value(s->out, node->literal.value);
        return node->literal.target == var;
    case IR_IF: return visit_setters(s, &node->if_node->body, var);
    case IR_FOR: return visit_loop(s, node->for_node, var);
    case IR_WHILE: return visit_while(s, node->while_node, var);
    default: return false;
    }
}

static bool visit_setters(Slice *s, const IrRegion *region, const IrVar *var)
{
    bool any = false;
    for (uint32_t i = 0; i < region->count; i++)
        any |= visit_setter(s, region->items[i], var);
    return any;
}

static void visit_var(Slice *s, const IrVar *var)
{
    if (var->part) {
        visit_path(s, var->part);
    } else if (var->is_parameter) {
        s->out->is_constant = false;
        s->is_foreign |= !s->function->is_kernel;
        if (s->function->is_kernel)
            s->out->params[var->index] = true;
    } else if (var->constant) {
        add_value(s->out, var->constant);
    } else if (!s->visited[var->index]) {
        s->visited[var->index] = true;
        if (!visit_setters(s, &s->function->body, var))
            s->out->is_constant = false;
    }
}

/* All constants of a function: what it is called with may be compared with any. */
static void add_all_numbers(const IrFunction *function, Deciders *out)
{
    for (uint32_t i = 0; i < function->vars.count; i++) {
        const Value *constant = function->vars.items[i]->constant;
        if (constant)
            add_value(out, constant);
    }
}

/* The ranges of a loop: any variable of its kind may be one. */
static void visit_range(Slice *s, const IrRegion *region, uint32_t source)
{
    for (uint32_t i = 0; i < region->count; i++) {
        const IrNode *node = region->items[i];
        if (node->kind == IR_FOR && node->source == source)
            visit_var(s, node->for_node->range);
        if (node->kind == IR_FOR)
            visit_range(s, &node->for_node->body, source);
        else if (node->kind == IR_IF)
            visit_range(s, &node->if_node->body, source);
        else if (node->kind == IR_WHILE)
            visit_range(s, &node->while_node->body, source);
    }
}

/* `n - 7` that is compared with 3 is decided at 10: what two constants give together, too. */
static void add_sums(Deciders *out)
{
    enum { ADDED = 4 }; /* the first ones are nearest to the condition */
    uint32_t count = out->number_count < ADDED ? out->number_count : ADDED;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            double a = out->numbers[i], b = out->numbers[k];
            add_number(out, a + b);
            add_number(out, a - b);
            add_number(out, b - a);
        }
}

void find_deciders(Arena *arena, const IrModule *module, const TreeBranch *branch, Deciders *out)
{
    uint32_t count = module->kernel->params.count;
    *out = (Deciders){.params = ARENA_ARRAY(arena, bool, count + 1), .is_constant = true};
    Slice slice = {.function = branch->function, .out = out};
    slice.visited = ARENA_ARRAY(arena, bool, branch->function->vars.count + 1);
    if (branch->condition)
        visit_var(&slice, branch->condition);
    else
        visit_range(&slice, &branch->function->body, branch->source);
    if (slice.is_foreign) {
        out->has_thread = true;
        for (uint32_t i = 0; i < count; i++)
            out->params[i] = true;
        add_all_numbers(branch->function, out);
        add_all_numbers(module->kernel, out);
    }
    add_sums(out);
}
