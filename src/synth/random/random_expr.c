/* The generic generator: expressions. Draws that would not be well defined, or would do nothing, are drawn again. */
#include "synth/context.h"
#include "synth/random/parts.h"

#include <math.h>
#include <string.h>

enum { TRIES = 12 };
static const double USUAL_LIMIT = 2e4; /* beyond this, values no longer look like anything */

static double size_of(Range r)
{
    return fmax(fabs(r.low), fabs(r.high));
}

enum { MAX_TREE = 26 }; /* nodes: what fits on a line */

static void count_node(const Node *node, void *user)
{
    ++*(uint32_t *)user;
    if (*(uint32_t *)user <= MAX_TREE)
        part_children(node, count_node, user);
}

static uint32_t tree_size(const Node *node)
{
    uint32_t count = 0;
    count_node(node, &count);
    return count;
}

static bool acceptable(Expr e)
{
    if (!e.type || (e.flags & EXPR_CONSTANT))
        return false;
    double limit = type_is_float(type_scalar_of(e.type)) ? USUAL_LIMIT : 1e6;
    if (type_scalar_of(e.type)->kind == TYPE_UINT32)
        limit = 4294967295.0;
    bool usual = size_of(e.range) <= limit && e.range.high > e.range.low && size_of(e.range) > 1e-5;
    return usual && tree_size(e.node) <= MAX_TREE;
}

/* A product with the result of a dynamic loop: warp's gradient of it is wrong, so it is rare. */
static bool spoils_gradient(Synth *s, Expr a, Expr b)
{
    if (!((a.flags | b.flags) & EXPR_LOOPED))
        return false;
    if ((a.flags & EXPR_LOOPED) && (b.flags & EXPR_CONSTANT))
        return false;
    if ((b.flags & EXPR_LOOPED) && (a.flags & EXPR_CONSTANT))
        return false;
    return !chance(s, s->weights->bad_gradient / 100.0);
}

/* ---- operations ---- */

static Expr divisor(Synth *s, const Type *type)
{
    for (int tries = 0; tries < 4; tries++) {
        Expr e = random_leaf(s, type);
        if (!e.type || (e.flags & EXPR_LOOPED))
            continue;
        if (e.range.low > 0.04)
            return e;
        if (e.range.low >= 0)
            return Q(s, "_0 + _1", e, real(s, nice_number(s, 0.1, 1)));
        switch (below(s, 3)) {
        case 0: return Q(s, "1.0 + wp.abs(_0)", e);
        case 1: return Q(s, "wp.max(wp.abs(_0), _1)", e, real(s, nice_number(s, 0.05, 0.5)));
        default: return Q(s, "1.0 + _0 * _0", e);
        }
    }
    return real(s, nice_number(s, 1.5, 8));
}

/* Is the sum of these nothing new: a + a, or a + -a? */
static bool sums_to_little(Expr a, Expr b)
{
    if (!a.type || !b.type || same_tree(a.node, b.node))
        return true;
    const Node *left = a.node, *right = b.node;
    if (left->kind == NODE_UNARY_OP && same_tree(left->unary_op.operand, right))
        return true;
    return right->kind == NODE_UNARY_OP && same_tree(right->unary_op.operand, left);
}

static Expr real_operation(Synth *s, const Type *type, int depth)
{
    Expr a = random_expr(s, type, depth - 1);
    if (chance(s, 0.14)) {
        Expr c = chance(s, 0.7) ? real(s, nice_number(s, 0.25, 3)) : real(s, (double)between(s, 2, 4));
        if (chance(s, 0.6) && !(c.range.low == 1 && c.range.high == 1))
            return chance(s, 0.5) ? binary(s, OP_MULT, c, a) : binary(s, OP_MULT, a, c);
        return binary(s, chance(s, 0.5) ? OP_ADD : OP_SUB, a, c);
    }
    switch (below(s, 10)) {
    case 0:
    case 1:
    case 2: {
        Expr b = random_expr(s, type, depth - 1);
        return sums_to_little(a, b) ? (Expr){0} : binary(s, OP_ADD, a, b);
    }
    case 3:
    case 4: {
        Expr b = random_expr(s, type, depth - 1);
        return a.array && a.array == b.array ? (Expr){0} : binary(s, OP_SUB, a, b);
    }
    case 5:
    case 6:
    case 7: {
        Expr b = random_expr(s, type, depth - 1);
        return spoils_gradient(s, a, b) ? (Expr){0} : binary(s, OP_MULT, a, b);
    }
    case 8: {
        Expr b = divisor(s, type);
        return spoils_gradient(s, a, b) ? (Expr){0} : binary(s, OP_DIV, a, b);
    }
    default: return chance(s, 0.5) ? unary(s, OP_U_SUB, a) : binary(s, OP_MULT, a, real(s, nice_number(s, 0.1, 0.9)));
    }
}

static Expr vector_from_scalars(Synth *s, const Type *type)
{
    Expr parts[8];
    uint32_t count = type->composite.rows;
    if (count > 4)
        return (Expr){0};
    for (uint32_t i = 0; i < count; i++)
        parts[i] = chance(s, 0.25) ? literal(s, type_scalar_of(type), chance(s, 0.5) ? 0 : 1)
                                   : random_leaf(s, type_scalar_of(type));
    return construct(s, type, parts, count);
}

static Expr vector_operation(Synth *s, const Type *type, int depth)
{
    const Type *scalar = type_scalar_of(type);
    Expr a = random_expr(s, type, depth - 1);
    switch (below(s, 9)) {
    case 0:
    case 1: {
        Expr b = random_expr(s, type, depth - 1);
        return sums_to_little(a, b) ? (Expr){0} : binary(s, OP_ADD, a, b);
    }
    case 2:
    case 3: {
        Expr b = random_expr(s, type, depth - 1);
        return a.array && a.array == b.array ? (Expr){0} : binary(s, OP_SUB, a, b);
    }
    case 4:
    case 5: {
        Expr b = random_expr(s, scalar, depth - 1);
        if (spoils_gradient(s, a, b))
            return (Expr){0};
        return chance(s, 0.7) ? binary(s, OP_MULT, a, b) : binary(s, OP_MULT, b, a);
    }
    case 6: {
        Expr b = divisor(s, scalar);
        return spoils_gradient(s, a, b) ? (Expr){0} : binary(s, OP_DIV, a, b);
    }
    case 7: return vector_from_scalars(s, type);
    default: {
        if (type->composite.rows > 4)
            return binary(s, OP_MULT, a, real(s, nice_number(s, 0.25, 2)));
        const Type *matrix = type_mat(s->types, type->composite.rows, type->composite.rows, scalar);
        Expr m = s->weights->mat33 ? random_leaf(s, matrix) : (Expr){0};
        if (m.type && !spoils_gradient(s, a, m))
            return binary(s, s->style.at_products ? OP_MAT_MULT : OP_MULT, m, a);
        return binary(s, OP_MULT, a, real(s, nice_number(s, 0.25, 2)));
    }
    }
}

static Expr matrix_operation(Synth *s, const Type *type, int depth)
{
    const Type *scalar = type_scalar_of(type);
    Expr a = random_expr(s, type, depth - 1);
    switch (below(s, 6)) {
    case 0: {
        Expr b = random_expr(s, type, depth - 1);
        return sums_to_little(a, b) ? (Expr){0} : binary(s, OP_ADD, a, b);
    }
    case 1: {
        Expr b = random_expr(s, type, depth - 1);
        return a.array && a.array == b.array ? (Expr){0} : binary(s, OP_SUB, a, b);
    }
    case 2: {
        Expr b = random_leaf(s, scalar);
        return spoils_gradient(s, a, b) ? (Expr){0} : binary(s, OP_MULT, a, b);
    }
    case 3: {
        Expr v =
            type->composite.rows <= 4 ? random_leaf(s, type_vec(s->types, type->composite.rows, scalar)) : (Expr){0};
        Expr w = v.type ? random_leaf(s, v.type) : v;
        return spoils_gradient(s, v, w) ? (Expr){0} : call(s, "outer", (Expr[]){v, w}, 2);
    }
    default: {
        Expr b = random_expr(s, type, depth - 1);
        return spoils_gradient(s, a, b) ? (Expr){0} : binary(s, s->style.at_products ? OP_MAT_MULT : OP_MULT, a, b);
    }
    }
}

static Expr integer_operation(Synth *s, const Type *type, int depth)
{
    Expr a = random_expr(s, type, depth - 1);
    if (!a.type)
        return a;
    Expr small = literal(s, type, between(s, 2, 7));
    uint32_t choice = below(s, 12);
    if (choice > 7 && a.node->kind == NODE_BIN_OP) /* who knows whether + or >> comes first? */
        a = let_always(s, plain_names(s, a.type), a);
    switch (choice) {
    case 0:
    case 1: return binary(s, OP_ADD, a, chance(s, 0.5) ? small : random_expr(s, type, depth - 1));
    case 2: return binary(s, OP_SUB, a, small);
    case 3:
    case 4: return binary(s, OP_MULT, a, small);
    case 5: return binary(s, OP_FLOOR_DIV, a, small);
    case 6:
    case 7: return binary(s, OP_MOD, a, literal(s, type, between(s, 2, 16)));
    case 8: return binary(s, OP_BIT_AND, a, literal(s, type, (1 << between(s, 1, 5)) - 1));
    case 9: {
        Expr b = random_leaf(s, type);
        return sums_to_little(a, b) ? (Expr){0} : binary(s, chance(s, 0.5) ? OP_BIT_OR : OP_BIT_XOR, a, b);
    }
    case 10: return binary(s, OP_R_SHIFT, a, literal(s, type, between(s, 1, 4)));
    default: return a.range.high < 1e4 ? binary(s, OP_L_SHIFT, a, literal(s, type, between(s, 1, 4))) : (Expr){0};
    }
}

static Expr rotation_operation(Synth *s, const Type *type, int depth)
{
    Expr a = random_expr(s, type, depth - 1);
    if (type->kind == TYPE_QUAT && a.type && !(a.flags & EXPR_UNIT) && chance(s, 0.5))
        return call(s, "normalize", &a, 1);
    Expr b = random_expr(s, type, depth - 1);
    return spoils_gradient(s, a, b) ? (Expr){0} : binary(s, OP_MULT, a, b);
}

static Expr operation(Synth *s, const Type *type, int depth)
{
    if (is_real(type))
        return real_operation(s, type, depth);
    if (is_vec(type) && type_is_float(type_scalar_of(type)))
        return vector_operation(s, type, depth);
    if (is_mat(type))
        return matrix_operation(s, type, depth);
    if (type_is_int(type))
        return integer_operation(s, type, depth);
    return type_is_composite(type) ? rotation_operation(s, type, depth) : (Expr){0};
}

/* ---- calls ---- */

/* An argument for a parameter letter. */
static Expr argument(Synth *s, char code, const Type *first, const Type *wanted, int depth)
{
    const Type *scalar = first ? type_scalar_of(first) : s->style.real;
    if (!type_is_float(scalar))
        scalar = s->style.real;
    static const char *const vectors[] = {"vec3", "vec3", "vec3", "vec2", "vec4"};
    static const char *const matrices[] = {"mat33", "mat33", "mat22", "mat44"};
    const Type *type = NULL;
    switch (code) {
    case 'f':
    case 'e': type = scalar; break;
    case 's': type = wanted && type_is_scalar(wanted) ? wanted : scalar; break;
    case 'i': type = type_scalar(TYPE_INT32); break;
    case 'v': type = wanted && is_vec(wanted) ? wanted : type_of(s, vectors[below(s, 5)]); break;
    case '2': type = type_of(s, "vec2"); break;
    case '3': type = type_of(s, "vec3"); break;
    case 'm':
    case 'M': type = wanted && is_mat(wanted) ? wanted : type_of(s, matrices[below(s, 4)]); break;
    case '9': type = type_of(s, "mat33"); break;
    case 'q': type = type_of(s, "quat"); break;
    case 't': type = type_of(s, "transform"); break;
    case 'S': type = type_of(s, "twist"); break;
    case '=': type = first; break;
    default: return (Expr){0};
    }
    if (first && (code == 'v' || code == 'm') && (is_vec(first) || is_mat(first)))
        type = first;
    return random_expr(s, type, depth);
}

/* Could a function with this result code give the type? */
static bool could_give(const Function *function, const Type *type)
{
    switch (*function->result) {
    case '=':
        switch (function->params[0]) {
        case 'f': return is_real(type);
        case 's': return type_is_scalar(type);
        case 'v': return is_vec(type) && type_is_float(type_scalar_of(type));
        case 'm': return is_mat(type);
        case 'M': return is_mat(type) && type->composite.rows == type->composite.cols;
        case '3': return is_vec(type) && type->composite.rows == 3;
        case 'q': return type->kind == TYPE_QUAT;
        case 't': return type->kind == TYPE_TRANSFORM;
        case 'S': return is_vec(type) && type->composite.rows == 6;
        case 'i': return type->kind == TYPE_INT32;
        default: return false;
        }
    case 'e':
    case 'f': return is_real(type);
    case '3': return is_vec(type) && type->composite.rows == 3;
    case '9': return is_mat(type) && type->composite.rows == 3 && type->composite.cols == 3;
    case 'q': return type->kind == TYPE_QUAT;
    case 't': return type->kind == TYPE_TRANSFORM;
    case 'S': return is_vec(type) && type->composite.rows == 6;
    case 'o':
    case 'd':
    case 'T': return is_mat(type) && type->composite.rows == type->composite.cols && type->composite.rows <= 4;
    case 'g': return is_vec(type) && type->composite.rows <= 4;
    default: return false;
    }
}

/* What the first argument must be for the result to have the type. */
static const Type *first_type(Synth *s, const Function *function, const Type *type)
{
    if (*function->result == '=' || *function->result == 'T')
        return type;
    if (*function->result == 'o' || *function->result == 'd')
        return type_vec(s->types, type->composite.rows, type_scalar_of(type));
    if (*function->result == 'g')
        return type_mat(s->types, type->composite.rows, type->composite.rows, type_scalar_of(type));
    return NULL;
}

/* Where the domain of a function is narrow, an argument is brought into it, as a person would. */
static Expr fit_argument(Synth *s, const Function *function, uint32_t position, Expr e)
{
    if (!e.type || !is_real(e.type))
        return e;
    const char *name = function->name;
    bool root = same_text(name, "sqrt") || same_text(name, "log") || same_text(name, "log2") ||
                same_text(name, "log10") || same_text(name, "cbrt") || (same_text(name, "pow") && position == 0);
    if (root && e.range.low <= 0.01) {
        switch (below(s, 4)) {
        case 0: return Q(s, "wp.abs(_0) + _1", e, real(s, nice_number(s, 0.1, 1)));
        case 1: return Q(s, "_0 * _0 + 1.0", e);
        case 2: return Q(s, "1.0 + wp.abs(_0)", e);
        default: return Q(s, "wp.max(_0, _1)", e, real(s, nice_number(s, 0.01, 0.1)));
        }
    }
    if (same_text(name, "exp") && size_of(e.range) > 4) {
        if (chance(s, 0.7))
            return e.range.low < 0 ? Q(s, "-wp.abs(_0)", e) : unary(s, OP_U_SUB, e);
        return Q(s, "wp.clamp(_0, -4.0, 4.0)", e);
    }
    bool inverse_wave = same_text(name, "acos") || same_text(name, "asin") || same_text(name, "erfinv");
    if (inverse_wave && size_of(e.range) > 0.9)
        return Q(s, "wp.clamp(_0, _1, _2)", e, real(s, -0.95), real(s, 0.95));
    if (same_text(name, "erfcinv"))
        return Q(s, "wp.clamp(_0, 0.05, 1.95)", e);
    if ((same_text(name, "tan") && size_of(e.range) > 1.2) ||
        ((same_text(name, "sinh") || same_text(name, "cosh")) && size_of(e.range) > 3))
        return Q(s, "wp.clamp(_0, -1.2, 1.2)", e);
    if ((same_text(name, "erf") || same_text(name, "erfc")) && size_of(e.range) > 5)
        return Q(s, "wp.clamp(_0, -3.0, 3.0)", e);
    bool blend = (same_text(name, "lerp") || same_text(name, "quat_slerp")) && position == 2;
    if (blend && (e.range.low < 0 || e.range.high > 1))
        return chance(s, 0.5) ? Q(s, "wp.clamp(_0, 0.0, 1.0)", e) : real(s, nice_number(s, 0.2, 0.8));
    if (same_text(name, "pow") && position == 1)
        return real(s, nice_number(s, 0.5, 3));
    if (same_text(name, "div") && position == 1 && e.range.low <= 0.02)
        return Q(s, "1.0 + wp.abs(_0)", e);
    if ((same_text(name, "mod") || same_text(name, "floordiv")))
        return position ? real(s, nice_number(s, 0.5, 2)) : Q(s, "wp.abs(_0)", e);
    return e;
}

static Expr function_call(Synth *s, const Function *function, const Type *type, int depth)
{
    Expr args[6];
    uint32_t count = (uint32_t)strlen(function->params);
    const Type *first = first_type(s, function, type);
    for (uint32_t i = 0; i < count; i++) {
        const Type *so_far = i ? args[0].type : NULL;
        bool bounds = same_text(function->name, "clamp") || same_text(function->name, "smoothstep");
        if (bounds && i != (strcmp(function->name, "clamp") ? 2u : 0u)) {
            args[i] = (Expr){0};
            continue;
        }
        if (so_far && !type_is_composite(so_far) &&
            (same_text(function->name, "min") || same_text(function->name, "max")) && chance(s, 0.6)) {
            args[i] = literal_within(s, args[0]);
            continue;
        }
        if (i == 0 && first)
            args[0] = random_expr(s, first, depth - 1);
        else if (same_text(function->params, "3f") && i == 0)
            args[0] = Q(s, "wp.normalize(_0)", random_leaf(s, type_of(s, "vec3")));
        else
            args[i] = argument(s, function->params[i], so_far, i ? NULL : type, depth - 1);
        args[i] = fit_argument(s, function, i, args[i]);
        if (!args[i].type)
            return (Expr){0};
    }
    if (same_text(function->name, "clamp")) {
        double low = args[0].range.low, span = args[0].range.high - low;
        bool whole = type_is_int(type);
        if (span < 2 && whole)
            return (Expr){0};
        double a = low + span * 0.15, b = low + span * 0.7;
        args[1] = literal(s, type, whole ? floor(a) : nice_number(s, a, a + span * 0.2));
        args[2] = literal(s, type, whole ? floor(b) : nice_number(s, b, b + span * 0.2));
    } else if (same_text(function->name, "smoothstep")) {
        args[0] = real(s, 0);
        args[1] = real(s, nice_number(s, 0.5, 2));
    } else if (same_text(function->name, "quat_slerp")) {
        for (int i = 0; i < 2; i++)
            if (!(args[i].flags & EXPR_UNIT))
                args[i] = Q(s, "wp.normalize(_0)", args[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (args[i].type && (args[i].flags & EXPR_LOOPED) &&
                spoils_gradient(s, args[i], count > 1 ? args[k] : args[i]))
                return (Expr){0};
    return call(s, function->name, args, count);
}

/* The functions that give a type, found once for each type. */
static const FunctionChoice *choice_for(Synth *s, const Type *type)
{
    SynthContext *context = s->context;
    for (uint32_t i = 0; i < context->choice_count; i++)
        if (context->choices[i].type == type)
            return &context->choices[i];
    uint32_t slot = context->choice_count < MAX_CHOICES ? context->choice_count++ : MAX_CHOICES - 1;
    FunctionChoice *choice = &context->choices[slot];
    *choice = (FunctionChoice){.type = type};
    uint32_t count;
    const Function *table = function_table(&count);
    for (uint32_t i = 0; i < count && choice->count < MAX_FITTING; i++)
        if (table[i].weight && could_give(&table[i], type)) {
            choice->total += table[i].weight;
            choice->functions[choice->count] = &table[i];
            choice->ends[choice->count++] = choice->total;
        }
    return choice;
}

static Expr random_call(Synth *s, const Type *type, int depth)
{
    const FunctionChoice *choice = choice_for(s, type);
    if (!choice->total)
        return (Expr){0};
    uint32_t draw = below(s, choice->total), i = 0;
    while (draw >= choice->ends[i])
        i++;
    const Function *function = choice->functions[i];
    bool flat = is_real(type) && (same_text(function->name, "mod") || same_text(function->name, "frac"));
    if (flat && !chance(s, s->weights->bad_gradient / 100.0))
        return (Expr){0};
    return function_call(s, function, type, depth);
}

Expr random_expr(Synth *s, const Type *type, int depth)
{
    if (!type)
        return (Expr){0};
    if (depth <= 0)
        return random_leaf(s, type);
    const unsigned weights[] = {s->weights->operate, s->weights->call, s->weights->choose, 22};
    for (int tries = 0; tries < TRIES; tries++) {
        Expr e = {0};
        switch (rng_weighted(&s->rng, weights, 4)) {
        case 0: e = operation(s, type, depth); break;
        case 1: e = random_call(s, type, depth); break;
        case 2: {
            Expr condition = random_condition(s, 0), a = random_expr(s, type, depth - 1),
                 b = random_expr(s, type, depth - 1);
            if (!spoils_gradient(s, a, b))
                e = where(s, condition, a, b);
            break;
        }
        default: e = random_leaf(s, type); break;
        }
        if (acceptable(e))
            return e;
    }
    return random_leaf(s, type);
}
