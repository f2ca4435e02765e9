/* The generic generator: statements, loops, branches and outputs. */
#include "synth/random/parts.h"

#include <math.h>
#include <string.h>

static const double LONG_SHARE = 0.12;

uint32_t loops_open(const Synth *s)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < s->block_count; i++)
        depth += s->blocks[i].kind == BLOCK_FOR || s->blocks[i].kind == BLOCK_WHILE;
    return depth;
}

bool in_loop(const Synth *s)
{
    return loops_open(s) > 0;
}

/* ---- types ---- */

const Type *random_type(Synth *s)
{
    const Weights *w = s->weights;
    const unsigned weights[] = {w->real,  w->vec2,  w->vec3, w->vec4,      w->vec_n, w->mat22,
                                w->mat33, w->mat44, w->quat, w->transform, w->twist, w->integer};
    static const char *const names[] = {"float", "vec2",  "vec3", "vec4",      "vec5",  "mat22",
                                        "mat33", "mat44", "quat", "transform", "twist", "int"};
    uint32_t chosen = rng_weighted(&s->rng, weights, 12);
    if (chosen == 4)
        return type_vec(s->types, (uint32_t)between(s, 5, 8) == 6 ? 5 : (uint32_t)between(s, 7, 8), s->style.real);
    return type_of(s, names[chosen]);
}

static int random_depth(Synth *s)
{
    return chance(s, 0.5) ? 1 : chance(s, 0.75) ? 2 : 3;
}

/* ---- simple statements ---- */

static void define_statement(Synth *s)
{
    const Type *type = random_type(s);
    Expr value = random_expr(s, type, random_depth(s));
    if (!value.type || value.node->kind == NODE_NAME || value.node->kind == NODE_CONSTANT)
        return;
    let_always(s, plain_names(s, value.type), value);
}

/* A local that may be changed here: declared outside of no loop that is still open. */
static Expr changeable(Synth *s, const Type *wanted)
{
    for (int tries = 0; tries < 8; tries++) {
        if (!s->var_count)
            break;
        uint32_t i = below(s, s->var_count);
        const Var *var = &s->vars[i];
        if (var->is_index || var->carried || var->loops != loops_open(s) || (wanted && var->type != wanted))
            continue;
        bool real_valued = is_real(var->type) || (is_vec(var->type) && type_is_float(type_scalar_of(var->type)));
        if (!real_valued && !type_is_int(var->type))
            continue;
        return again(s, (Expr){.node = node_name(s, var->name), .type = var->type, .var = (int)i + 1});
    }
    return (Expr){0};
}

static Expr changed(Synth *s, Expr x)
{
    for (int tries = 0; tries < 6; tries++) {
        Expr e = {0};
        const Type *scalar = type_scalar_of(x.type);
        if (type_is_int(x.type)) {
            e = chance(s, 0.5) ? binary(s, OP_ADD, x, integer(s, between(s, 1, 5))) : random_expr(s, x.type, 1);
        } else {
            switch (below(s, 6)) {
            case 0: e = binary(s, OP_MULT, x, literal(s, scalar, nice_number(s, 0.2, 0.9))); break;
            case 1: e = binary(s, OP_ADD, x, random_expr(s, x.type, 1)); break;
            case 2: e = x.flags & EXPR_LOOPED ? e : binary(s, OP_MULT, x, random_leaf(s, scalar)); break;
            case 3: e = unary(s, OP_U_SUB, x); break;
            case 4: e = is_real(x.type) ? binary(s, OP_SUB, x, literal(s, scalar, nice_number(s, 0.1, 1))) : e; break;
            default: e = random_expr(s, x.type, 2); break;
            }
        }
        if (e.type && !(e.flags & EXPR_CONSTANT) && e.node->kind != NODE_NAME &&
            fmax(fabs(e.range.low), fabs(e.range.high)) < 2e4)
            return e;
    }
    return (Expr){0};
}

static void adjust_statement(Synth *s)
{
    Expr x = changeable(s, NULL);
    if (!x.type)
        return;
    Expr e = changed(s, x);
    if (!e.type)
        return;
    s->vars[x.var - 1].uses = 0;
    if (e.node->kind == NODE_BIN_OP && e.node->bin_op.left == x.node &&
        (e.node->bin_op.op == OP_ADD || e.node->bin_op.op == OP_SUB) && chance(s, 0.7)) {
        Expr right = e;
        right.node = e.node->bin_op.right;
        Range after = e.range;
        right.range = (Range){0, 0};
        right.type = x.type;
        accumulate(s, x, e.node->bin_op.op, right);
        s->vars[x.var - 1].range =
            s->block_count > 1 ? (Range){fmin(x.range.low, after.low), fmax(x.range.high, after.high)} : after;
        return;
    }
    assign(s, x, e);
}

/* ---- branches ---- */

enum { MAX_ARMS = 6 };

/* The arms of one branch: no two of them do the same. */
typedef struct Arms {
    Expr subject;
    const Node *done[MAX_ARMS];
    uint32_t count;
} Arms;

static bool done_before(const Arms *arms, const Node *value)
{
    for (uint32_t i = 0; i < arms->count; i++)
        if (same_tree(arms->done[i], value))
            return true;
    return false;
}

static void arm_body(Synth *s, Arms *arms)
{
    if (chance(s, 0.25))
        define_statement(s);
    Expr x = arms->subject, now = again(s, x), e = {0};
    for (int tries = 0; tries < 4 && (!e.type || done_before(arms, e.node)); tries++)
        e = changed(s, now);
    if (!e.type || done_before(arms, e.node))
        e = type_is_int(x.type) ? binary(s, OP_ADD, now, integer(s, 6 + (int)arms->count))
                                : binary(s, OP_MULT, now, literal(s, type_scalar_of(x.type), 0.05 + 0.1 * arms->count));
    assign(s, x, e);
    if (arms->count < MAX_ARMS && e.type)
        arms->done[arms->count++] = e.node;
}

/* A variable that branches set; where there is none, one is made. */
static Expr subject(Synth *s)
{
    Expr x = chance(s, 0.6) ? changeable(s, NULL) : (Expr){0};
    if (x.type)
        return x;
    const Type *type = chance(s, 0.7) ? s->style.real : random_type(s);
    if (!is_real(type) && !type_is_int(type) && !(is_vec(type)))
        type = s->style.real;
    Expr value = random_expr(s, type, 1);
    if (!value.type)
        return value;
    if (value.flags & EXPR_CONSTANT)
        return let_mutable(s, "result|level|amount|response", value);
    return let_always(s, plain_names(s, value.type), value);
}

static void branch_statement(Synth *s)
{
    Expr x = subject(s);
    Expr condition = x.type ? random_condition(s, 1) : x;
    if (!condition.type)
        return;
    s->vars[x.var - 1].uses = 0;
    Arms arms = {.subject = x};
    if_begin(s, condition);
    arm_body(s, &arms);
    if (chance(s, 0.4)) {
        else_begin(s);
        arm_body(s, &arms);
    }
    block_end(s);
}

/* if … elif … else on one quantity, with rising thresholds, or on the values of a small integer. */
static void chain_statement(Synth *s)
{
    Expr x = subject(s);
    bool by_kind = chance(s, 0.35);
    Expr key = by_kind ? random_read(s, type_scalar(TYPE_INT32)) : random_leaf(s, s->style.real);
    if (!x.type || !key.type || (key.flags & (EXPR_LOOPED | EXPR_CONSTANT)) ||
        key.range.high - key.range.low < (by_kind ? 2 : 0.05) || key.var == x.var)
        return;
    if (key.node->kind != NODE_NAME)
        key = let_always(s, plain_names(s, key.type), key);
    int count = between(s, 2, 4);
    if (by_kind && count > (int)(key.range.high - key.range.low))
        count = (int)(key.range.high - key.range.low);
    s->vars[x.var - 1].uses = 0;
    double span = key.range.high - key.range.low;
    bool rising = chance(s, 0.6);
    Arms arms = {.subject = x};
    for (int i = 0; i < count; i++) {
        double at = rising ? (i + 1.0) / (count + 1) : (count - i + 0.0) / (count + 1);
        Expr limit =
            by_kind ? literal(s, key.type, key.range.low + i)
                    : literal(s, key.type,
                              nice_number(s, key.range.low + span * (at - 0.05), key.range.low + span * (at + 0.05)));
        Expr condition = compare(s, by_kind ? OP_EQ : rising ? OP_LT : OP_GT, key, limit);
        if (i == 0)
            if_begin(s, condition);
        else
            elif_begin(s, condition);
        arm_body(s, &arms);
    }
    if (chance(s, 0.6)) {
        else_begin(s);
        arm_body(s, &arms);
    }
    block_end(s);
}

/* ---- loops ---- */

/* A term that changes with the innermost counter. */
static Expr read_by(Synth *s, const Type *type, Expr counter)
{
    for (int tries = 0; tries < 6 && counter.var; tries++) {
        Expr read = random_read(s, type);
        if (read.type && mentions(read.node, s->vars[counter.var - 1].name))
            return read;
    }
    return (Expr){0};
}

static Expr loop_term(Synth *s, const Type *type, Expr counter)
{
    for (int tries = 0; tries < 10; tries++) {
        Expr read = read_by(s, type, counter);
        if (!read.type)
            continue;
        uint32_t choice = below(s, 7);
        Expr other = choice < 4 ? random_expr(s, type_scalar_of(type), 1) : (Expr){0};
        Expr e = read;
        if (choice < 3 && other.type && !(other.flags & EXPR_LOOPED))
            e = binary(s, OP_MULT, read, other);
        else if (choice == 3 && is_real(type))
            e = Q(s, "_0 * float(_1 + 1)", read, counter);
        else if (choice == 4)
            e = binary(s, OP_SUB, read, random_leaf(s, type));
        else if (choice == 5 && is_real(type))
            e = binary(s, OP_MULT, read, read);
        if (e.type && !(e.flags & (EXPR_LOOPED | EXPR_CONSTANT)) && fmax(fabs(e.range.low), fabs(e.range.high)) < 500)
            return e;
    }
    return (Expr){0};
}

/* A condition that differs from one step of the loop to the next. */
static Expr condition_on(Synth *s, Expr counter)
{
    Expr read = read_by(s, s->style.real, counter);
    return read.type ? past_a_threshold(s, read) : read;
}

static void skip_some(Synth *s, Expr counter)
{
    uint32_t choice = below(s, 10);
    Expr condition = {0};
    if (choice == 0 && s->dims && counter.range.high == s->tid[0].range.high)
        condition = compare(s, OP_EQ, counter, s->tid[0]);
    else if (choice == 1)
        condition = condition_on(s, counter);
    else if (choice == 2 && counter.range.high > 3)
        condition = Q(s, "_0 % 2 == 1", counter);
    if (!condition.type)
        return;
    if_begin(s, condition);
    jump(s, NODE_CONTINUE);
    block_end(s);
}

static const char *total_names(Synth *s)
{
    return PICK(s, "total|acc|accum", "sum_value|acc|running", "result|acc|total", "weighted_sum|acc", "s|acc|total");
}

static const Type *summed_type(Synth *s)
{
    const Type *type = random_type(s);
    bool fine = is_real(type) || (is_vec(type) && type->composite.rows <= 4 && type_is_float(type_scalar_of(type))) ||
                (is_mat(type) && chance(s, 0.4));
    return fine ? type : s->style.real;
}

/* The body of a summing loop; the blocks are open. */
static void sum_into(Synth *s, Expr total, Expr counter, Expr outer)
{
    if (chance(s, 0.3))
        skip_some(s, counter);
    Expr term = loop_term(s, total.type, counter);
    if (!term.type)
        give_up(s, "no term was found");
    if (outer.var && !mentions(term.node, s->vars[outer.var - 1].name)) { /* the outer loop has a say, too */
        Expr factor = read_by(s, s->style.real, outer);
        term = factor.type ? binary(s, OP_MULT, term, factor) : Q(s, "_0 * float(_1 + 1)", term, outer);
    }
    if (chance(s, 0.55) && term.type && term.node->kind != NODE_NAME)
        term = let_always(s, plain_names(s, term.type), term);
    if (chance(s, 0.18)) {
        Expr condition = condition_on(s, counter);
        if (condition.type) {
            if_begin(s, condition);
            accumulate(s, total, OP_ADD, term);
            block_end(s);
            return;
        }
    }
    accumulate(s, total, chance(s, 0.9) ? OP_ADD : OP_SUB, term);
}

static void unrolled_statement(Synth *s)
{
    Expr start_value = zero(s, summed_type(s));
    Expr total = let_mutable(s, total_names(s), start_value);
    Expr counter = for_count(s, "k|j|tap|m|c|lane", (uint32_t)between(s, 2, 8));
    if (!counter.type)
        return;
    sum_into(s, total, counter, (Expr){0});
    block_end(s);
}

static Expr loop_bound(Synth *s)
{
    uint32_t value = (uint32_t)between(s, 4, 24);
    while (value == s->shape[0])
        value++;
    if (s->dims && chance(s, 0.3) && s->shape[0] <= 128)
        value = s->shape[0];
    return size_param(s, "n|count|num_neighbors|width|num_samples|k_max|num_steps|depth|inner|num_terms", value);
}

static void dynamic_statement(Synth *s)
{
    Expr start_value = chance(s, 0.85) ? zero(s, summed_type(s)) : random_leaf(s, s->style.real);
    Expr total = let_mutable(s, total_names(s), start_value);
    Expr start = chance(s, 0.15) ? integer(s, 1) : (Expr){0};
    Expr counter = for_begin(s, "j|k|m|n_idx|t|s_idx", start, loop_bound(s), 1);
    if (!counter.type)
        return;
    sum_into(s, total, counter, (Expr){0});
    block_end(s);
}

static void nested_statement(Synth *s)
{
    Expr start_value = zero(s, summed_type(s));
    Expr total = let_mutable(s, total_names(s), start_value);
    int levels = chance(s, 0.85) ? 2 : 3;
    bool inner_total = chance(s, 0.3);
    Expr part = {0}, counter = {0}, outer = {0};
    int rows = 0;
    for (int i = 0; i < levels; i++) {
        static const char *const names[] = {"j|row|m|a|p", "k|col|n_idx|b|q", "c|l|r|tap"};
        if (i == levels - 1 && inner_total)
            part = let_mutable(s, "part|partial|row_sum|inner_sum", zero(s, total.type));
        if (chance(s, 0.5))
            counter = for_count(s, names[i], (uint32_t)between(s, 2, 5));
        else
            counter =
                for_begin(s, names[i], (Expr){0}, chance(s, 0.12) && i ? Q(s, "_0 + 1", counter) : loop_bound(s), 1);
        if (!counter.type)
            return;
        if (i < levels - 1 && chance(s, 0.2)) {
            Expr value = random_expr(s, s->style.real, 1);
            if (value.type && value.node->kind != NODE_NAME && !(value.flags & EXPR_LOOPED))
                let_always(s, plain_names(s, value.type), value);
        }
        rows = i ? rows : (int)counter.range.high + 1;
        outer = i ? outer : counter;
    }
    sum_into(s, inner_total ? part : total, counter, outer);
    block_end(s);
    if (inner_total)
        accumulate(s, total, OP_ADD,
                   chance(s, 0.5) ? again(s, part)
                                  : binary(s, OP_MULT, again(s, part), real(s, nice_number(s, 0.25, 1))));
    for (int i = 1; i < levels; i++)
        block_end(s);
}

/* while, with the index moved on before it is used: the form whose gradient is right. */
static void while_statement(Synth *s)
{
    Expr bound = loop_bound(s);
    double n = bound.range.high;
    Expr start_value = zero(s, s->style.real);
    Expr total = let_mutable(s, total_names(s), start_value);
    Expr at = let_carried(s, "cursor|pos|k|walker", zero(s, type_scalar(TYPE_INT32)), 0, n + 4);
    while_begin(s, compare(s, OP_LT, at, bound), n);
    refine(s, at, 0, n - 1);
    Expr here = let_always(s, "here|current_idx|slot_k|entry", again(s, at));
    if (here.var)
        mark_index(s, here);
    int stride = chance(s, 0.75) ? 1 : 2;
    Expr moved = Q(s, "_0 + _1", again(s, at), integer(s, stride));
    s->vars[at.var - 1].range = (Range){0, n + 4};
    assign(s, at, moved);
    s->vars[at.var - 1].uses++; /* where it ends is known beforehand: no output */
    sum_into(s, total, here, (Expr){0});
    block_end(s);
}

/* The first, or the largest, of a row: an index or a bound, found by an unrolled or a breaking loop. */
static void search_statement(Synth *s)
{
    if (chance(s, 0.5)) {
        Expr found =
            let_carried(s, "found|first_hit|hit_index|match_id", literal(s, type_scalar(TYPE_INT32), -1), -1, 64);
        Expr counter = for_begin(s, "k|j|probe", (Expr){0}, loop_bound(s), 1);
        Expr read = counter.type ? read_by(s, s->style.real, counter) : counter;
        if (!read.type || counter.range.high > 63)
            give_up(s, "nothing to search");
        if_begin(s, past_a_threshold(s, read));
        assign(s, found, counter);
        if (chance(s, 0.8))
            jump(s, NODE_BREAK);
        block_end(s);
        block_end(s);
        return;
    }
    Expr first = random_read(s, s->style.real);
    if (!first.type)
        return;
    bool largest = chance(s, 0.6);
    Expr best = let_carried(s, largest ? "best|peak|highest" : "lowest|closest|smallest", first, -50, 50);
    Expr counter = for_count(s, "k|j|probe", (uint32_t)between(s, 3, 8));
    Expr read = counter.type ? read_by(s, s->style.real, counter) : counter;
    if (!read.type)
        give_up(s, "nothing to read in a loop");
    if (chance(s, 0.6)) {
        assign(s, best, call(s, largest ? "max" : "min", (Expr[]){again(s, best), read}, 2));
    } else {
        if_begin(s, compare(s, largest ? OP_GT : OP_LT, read, again(s, best)));
        assign(s, best, read);
        block_end(s);
    }
    block_end(s);
}

static void count_statement(Synth *s)
{
    Expr n = let_mutable(s, "hits|num_above|matches|occupied|tally", zero(s, type_scalar(TYPE_INT32)));
    Expr counter = for_begin(s, "j|k|m", (Expr){0}, loop_bound(s), 1);
    Expr read = counter.type ? read_by(s, chance(s, 0.7) ? s->style.real : type_scalar(TYPE_INT32), counter) : counter;
    if (!read.type)
        give_up(s, "nothing to read in a loop");
    if_begin(s, past_a_threshold(s, read));
    accumulate(s, n, OP_ADD, integer(s, 1));
    block_end(s);
    block_end(s);
}

static void random_statements(Synth *s, int count)
{
    const Weights *w = s->weights;
    const unsigned weights[] = {w->define, w->branch,     w->chain,   w->adjust, w->unrolled, w->dynamic,
                                w->nested, w->loop_while, w->scatter, w->search, w->count};
    static void (*const makers[])(Synth *) = {define_statement,   branch_statement,  chain_statement,  adjust_statement,
                                              unrolled_statement, dynamic_statement, nested_statement, while_statement,
                                              scatter_statement,  search_statement,  count_statement};
    for (int i = 0; i < count && s->var_count < MAX_VARS - 20 && s->array_count < 12; i++) {
        uint32_t chosen = rng_weighted(&s->rng, weights, 11);
        makers[chosen](s);
    }
}

void make_generic(Synth *s)
{
    const Weights *w = s->weights;
    if (!s->dims) {
        const unsigned dims[] = {w->dim1, w->dim2, w->dim3, w->dim4};
        uint32_t count = 1 + rng_weighted(&s->rng, dims, 4);
        launch_grid(s, count, PICK(s, "i", "tid", "idx", "i", "tid", "gid", "t", "pid"));
    }
    double draw = rng_unit(&s->rng);
    int count = (int)(w->low + (w->high - w->low) * draw * draw);
    if (chance(s, LONG_SHARE)) /* real kernels have a long tail */
        count = count * 2 + 4;
    random_statements(s, count);
    random_output(s);
}
