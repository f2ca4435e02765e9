/* Where threads may differ, and which of them did: so that a few threads can stand for all. */
#include "eval/tree/code.h"

#include <string.h>

enum { WORD = 8 }; /* outcomes are looked at so many at once, and there is room for that behind the last */

uint32_t tree_new_place(TreeProgram *program, uint8_t wanted)
{
    uint32_t first = program->place_count * OUTCOMES;
    ARENA_PUSH(program->arena, program->wanted, program->place_count, program->place_cap) = wanted;
    return first;
}

void tree_note_branch(Compiler *c, TreeBranch branch)
{
    TreeProgram *p = c->program;
    branch.function = c->function;
    branch.source = c->own_source;
    if (c->code->kind == CODE_FORWARD)
        ARENA_PUSH(p->arena, p->branches, p->branch_count, p->branch_cap) = branch;
}

const TreeBranch *tree_branches(const TreeProgram *program, uint32_t *count)
{
    *count = program->branch_count;
    return program->branches;
}

/* ---- choices ---- */

static void add_to_trail(Machine *m, const TreeArg *left, const TreeArg *right)
{
    const Cell *a = tree_at(m, left->value), *b = tree_at(m, right->value);
    for (uint32_t i = 0; i < left->cells; i++)
        if (left->layout->kinds[i] <= CELL_FLOAT64)
            path_sum_numbers(m->path_sum, a[i].real, b[i].real);
        else
            path_sum_numbers(m->path_sum, (double)a[i].integer, (double)b[i].integer);
}

/* Which operand the result is: the first that it is equal to. */
static void probe_chosen(Machine *m, const Op *op)
{
    const Cell *result = RESULT(0);
    uint32_t chosen = 0;
    for (uint32_t i = 1; m->path_sum && i < op->arg_count; i++)
        add_to_trail(m, &op->args[i - 1], &op->args[i]);
    if (!m->outcomes)
        return;
    for (; chosen < op->arg_count && chosen + 1 < OUTCOMES; chosen++)
        if (memcmp(VALUE(chosen), result, op->outs[0].cells * sizeof *result) == 0)
            break;
    tree_note_outcome(m, op, chosen);
}

static void probe_truth(Machine *m, const Op *op)
{
    tree_note_outcome(m, op, tree_truth(VALUE(0), op->args[0].type));
}

static void probe_sign(Machine *m, const Op *op)
{
    const Cell *cell = VALUE(0);
    bool real = op->args[0].layout->kinds[0] <= CELL_FLOAT64;
    tree_note_outcome(m, op, real ? cell->real < 0 : cell->integer < 0);
}

typedef struct Probe {
    const char *builtin;
    TreeFn run;
    uint8_t wanted;
} Probe;

static const Probe probes[] = {
    {"min", probe_chosen, 3},   {"max", probe_chosen, 3}, {"clamp", probe_chosen, 7}, {"where", probe_truth, 3},
    {"select", probe_truth, 3}, {"abs", probe_sign, 0},   {"sign", probe_sign, 0},    {"step", probe_sign, 0},
};

/* After a branch, Warp chooses between the values that variables have on both ways: no choice of its own. */
static bool is_branch(const Compiler *c, const IrVar *condition)
{
    const TreeProgram *p = c->program;
    for (uint32_t i = p->branch_count; i-- > 0 && p->branches[i].function == c->function;)
        if (p->branches[i].condition == condition)
            return true;
    return false;
}

void tree_emit_probe(Compiler *c, const IrCall *call, const TreeArg *args, const TreeArg *outs)
{
    if (!call->builtin || call->output_count != 1)
        return;
    for (uint32_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (probes[i].builtin[0] != call->builtin->name[0] || strcmp(probes[i].builtin, call->builtin->name) != 0)
            continue;
        for (uint32_t k = 0; probes[i].run == probe_chosen && k < call->arg_count; k++)
            if (args[k].cells != outs[0].cells)
                return;
        Op *op = tree_emit(c, probes[i].run);
        op->args = args;
        op->arg_count = call->arg_count;
        op->outs = outs;
        op->out_count = 1;
        op->number = tree_new_place(c->program, probes[i].wanted);
        if (op->run == probe_truth && call->args[0].kind == OPERAND_VAR && !is_branch(c, call->args[0].var))
            tree_note_branch(
                c, (TreeBranch){.condition = call->args[0].var, .place = op->number, .wanted = probes[i].wanted});
        if (op->run == probe_truth)
            tree_quick_probe_truth(op);
        else if (op->run == probe_chosen)
            tree_quick_probe_chosen(op);
        return;
    }
}

/* ---- adding up ---- */

TreeCoverage *tree_coverage_new(TreeProgram *program, uint32_t most)
{
    TreeCoverage *coverage = ARENA_NEW(program->arena, TreeCoverage);
    coverage->count = program->place_count * OUTCOMES;
    coverage->seen = ARENA_ARRAY(program->arena, uint8_t, coverage->count + WORD);
    coverage->now = ARENA_ARRAY(program->arena, uint8_t, coverage->count + WORD);
    coverage->notable = ARENA_ARRAY(program->arena, uint32_t, most + 1);
    coverage->notable_cap = most;
    coverage->enough = 2;
    coverage->enough_each = 1;
    return coverage;
}

void tree_coverage_clear(TreeCoverage *coverage)
{
    memset(coverage->seen, 0, coverage->count);
    memset(coverage->now, 0, coverage->count);
    coverage->way_count = coverage->notable_count = coverage->idle = 0;
    coverage->complete = false;
}

static bool is_complete(const TreeProgram *program, const TreeCoverage *coverage)
{
    for (uint32_t i = 0; i < coverage->count / OUTCOMES; i++) {
        const uint8_t *seen = coverage->seen + i * OUTCOMES;
        bool met = seen[0] || seen[1] || seen[2] || seen[3];
        for (uint32_t k = 0; met && k < OUTCOMES; k++)
            if (program->wanted[i] >> k & 1 && seen[k] < coverage->enough_each)
                return false;
    }
    return true;
}

static void add_notable(const TreeProgram *program, TreeCoverage *coverage, uint32_t thread)
{
    uint8_t *restrict seen = coverage->seen, enough = coverage->enough;
    const uint8_t *restrict now = coverage->now;
    for (uint32_t i = 0, count = coverage->count; i < count; i++)
        seen[i] = (uint8_t)(seen[i] + ((now[i] != 0) & (seen[i] < enough)));
    coverage->notable[coverage->notable_count++] = thread;
    coverage->complete = is_complete(program, coverage);
    coverage->idle = 0;
}

static bool is_known_way(const TreeCoverage *coverage, uint64_t way)
{
    for (uint32_t i = 0; i < coverage->way_count; i++)
        if (coverage->ways[i] == way)
            return true;
    return false;
}

/* False: it is known, or there is no room for it. */
static bool add_way(TreeCoverage *coverage, uint64_t way)
{
    bool is_full = coverage->way_count == sizeof coverage->ways / sizeof *coverage->ways;
    if (is_full || is_known_way(coverage, way))
        return false;
    coverage->ways[coverage->way_count++] = way;
    return true;
}

/* What a thread did, in one number; *is_rare: some of it few did before. Eight outcomes are looked at together, as bytes that never
 * reach 0x80: that made this a third of what it cost, 2 % of a pair. */
static uint64_t way_of_thread(const TreeCoverage *coverage, bool *is_rare)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t missing = (0x80u - coverage->enough) * ones;
    const uint8_t *now = coverage->now, *known = coverage->seen;
    uint64_t way = 14695981039346656037u, rare = 0;
    for (uint32_t i = 0, count = coverage->count; i < count; i += WORD) {
        uint64_t outcomes, seen;
        memcpy(&outcomes, now + i, sizeof outcomes);
        if (!outcomes)
            continue;
        memcpy(&seen, known + i, sizeof seen);
        way = (way ^ outcomes ^ (uint64_t)i << 8) * 0x9e3779b97f4a7c15u;
        way ^= way >> 29;
        rare |= outcomes & ~(seen + missing) >> 7;
    }
    *is_rare = rare;
    return way;
}

/* The first outcome from here on that any thread had; most had none. Behind the last outcome, there is nothing. */
static uint32_t next_seen(const TreeCoverage *coverage, uint32_t i)
{
    uint64_t several = 0;
    for (; i < coverage->count && !coverage->seen[i]; i += several ? 1 : WORD)
        memcpy(&several, coverage->seen + i, sizeof several);
    return i;
}

uint32_t tree_coverage_gain(const TreeCoverage *have, const TreeCoverage *more)
{
    uint32_t gain = 0;
    for (uint32_t i = next_seen(more, 0); i < have->count; i = next_seen(more, i + 1))
        for (uint32_t k = have->seen[i]; k < have->enough && k < have->seen[i] + more->seen[i]; k++)
            gain += 1u << 2 * (have->enough - 1 - k);
    for (uint32_t i = 0; i < more->way_count; i++)
        gain += !is_known_way(have, more->ways[i]);
    return gain;
}

void tree_coverage_add(const TreeProgram *program, TreeCoverage *have, const TreeCoverage *more)
{
    for (uint32_t i = next_seen(more, 0); i < have->count; i = next_seen(more, i + 1)) {
        uint32_t sum = (uint32_t)have->seen[i] + more->seen[i];
        have->seen[i] = (uint8_t)(sum < have->enough ? sum : have->enough);
    }
    for (uint32_t i = 0; i < more->way_count; i++)
        add_way(have, more->ways[i]);
    have->complete = is_complete(program, have);
}

bool tree_end_thread(const TreeProgram *program, TreeCoverage *coverage, uint32_t thread)
{
    bool is_rare = false;
    uint64_t way = way_of_thread(coverage, &is_rare);
    coverage->idle++;
    /* All that it did together may be new: one branch may hide what another does. */
    if (coverage->notable_count < coverage->notable_cap && (add_way(coverage, way) || is_rare))
        add_notable(program, coverage, thread);
    memset(coverage->now, 0, coverage->count);
    uint32_t patience = coverage->complete ? coverage->patience_when_complete : coverage->patience;
    return !patience || coverage->idle < patience;
}
