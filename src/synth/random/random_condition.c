/* The generic generator: conditions that are neither always true nor always false. */
#include "synth/random/parts.h"

enum { TRIES = 12 };

/* `x > 0.5` or `x < 0.5`, with a threshold that both sides of its range may pass. */
Expr past_a_threshold(Synth *s, Expr value)
{
    Expr threshold = literal_within(s, value);
    return compare(s, chance(s, 0.5) ? OP_GT : OP_LT, value, threshold);
}

static Expr integer_condition(Synth *s)
{
    Expr i = random_leaf(s, type_scalar(TYPE_INT32));
    uint8_t indices[MAX_INDICES];
    uint32_t count = index_variables(s, indices);
    if ((!i.type || chance(s, 0.4)) && count)
        i = var_expr(s, indices[below(s, count)]);
    if (!i.type)
        return i;
    switch (below(s, 4)) {
    case 0: return Q(s, "_0 % _1 == 0", i, integer(s, between(s, 2, 4)));
    case 1: return compare(s, OP_EQ, i, literal_within(s, i));
    case 2: return compare(s, OP_NOT_EQ, i, literal_within(s, i));
    default: return past_a_threshold(s, i);
    }
}

/* Of two limits on one quantity, one says nothing, or both say too much. */
static bool same_subject(const Node *a, const Node *b)
{
    return a->kind == NODE_COMPARE && b->kind == NODE_COMPARE && same_tree(a->compare.left, b->compare.left);
}

Expr random_condition(Synth *s, int depth)
{
    for (int tries = 0; tries < TRIES; tries++) {
        static const OpKind order[] = {OP_LT, OP_GT, OP_LT, OP_GT, OP_GT_E, OP_LT_E};
        Expr e = {0};
        if (depth > 0 && chance(s, 0.25)) {
            Expr a = random_condition(s, 0), b = random_condition(s, 0);
            if (!a.type || !b.type || same_subject(a.node, b.node))
                continue;
            e = both(s, chance(s, 0.6) ? OP_AND : OP_OR, a, b);
        } else if (chance(s, 0.2 + (s->weights->integer > 8 ? 0.5 : 0.0))) {
            e = integer_condition(s);
        } else if (chance(s, 0.03)) {
            Expr a = random_leaf(s, s->style.real);
            e = chance(s, 0.5) ? call(s, "isfinite", &a, 1)
                               : unary(s, OP_NOT, call(s, chance(s, 0.7) ? "isnan" : "isinf", &a, 1));
        } else {
            Expr a = random_expr(s, s->style.real, depth);
            if (!a.type || (a.flags & EXPR_LOOPED) || (a.flags & EXPR_CONSTANT))
                continue;
            Expr b = chance(s, 0.7) ? literal_within(s, a) : random_leaf(s, s->style.real);
            if (b.flags & EXPR_LOOPED)
                continue;
            e = compare(s, order[below(s, 6)], a, b);
        }
        if (e.type)
            return e;
    }
    return refused(s, "no condition was found");
}
