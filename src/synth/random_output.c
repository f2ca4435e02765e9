/* The generic generator: outputs, atomic ones, and what an algorithm's result may still go through. */
#include "synth/random.h"

#include <math.h>
#include <string.h>

const char *output_names(Synth *s, Expr value)
{
    const char *stem = singular(s, first_name(s, suggest_name(s, value)));
    if (same_text(stem, "result") || same_text(stem, "acc") || same_text(stem, "total"))
        return PICK(s, "out|result_out|output", "results|sums_out|outputs", "totals|row_totals|out");
    return about(
        s, stem,
        PICK(s, "out|result|output", "out_*|*_out", "*_out|new_*", "results|out|outputs", "*_result|*_values"));
}

/* Where a scattered value goes: one total, a bin of a value, or a looked-up place. */
void scatter_statement(Synth *s)
{
    const Type *type = chance(s, 0.7) ? s->style.real : chance(s, 0.6) ? type_of(s, "vec3") : type_scalar(TYPE_INT32);
    Expr value = random_expr(s, type, chance(s, 0.5) ? 1 : 2);
    if (!value.type || s->array_count > 16)
        return;
    if (type_is_int(type) && chance(s, 0.6))
        value = integer(s, 1);
    else if (value.node->kind != NODE_NAME && chance(s, 0.5))
        value = let_always(s, suggest_name(s, value), value);
    uint32_t bins = 1;
    Expr index = integer(s, 0);
    if (chance(s, 0.55)) {
        bins = (uint32_t)between(s, 4, 32);
        Expr x = random_leaf(s, s->style.real);
        if (chance(s, 0.5) && x.type && x.range.high - x.range.low > 0.01 && s->style.real->kind == TYPE_FLOAT32) {
            double low = x.range.low, scale = floor(100 * bins / (x.range.high - low)) / 100;
            Expr bin = low < 0 ? Q(s, "int((_0 + _1) * _2)", x, real(s, -low), real(s, scale))
                               : Q(s, "int((_0 - _1) * _2)", x, real(s, low), real(s, scale));
            if (bin.type && bin.range.high > bins - 1)
                bin = chance(s, 0.5) ? Q(s, "wp.clamp(_0, 0, _1)", bin, integer(s, bins - 1))
                                     : Q(s, "wp.min(_0, _1)", bin, integer(s, bins - 1));
            index = let_always(s, "bin_id|bucket|slot_id", bin);
        } else {
            Expr ids = array_in(s, "bin_ids|target_ids|group_ids|labels", type_scalar(TYPE_INT32), s->dims, s->shape, 0,
                                bins - 1);
            index = let(s, "slot_id|group_id|dst", subscript(s, ids, s->tid, s->dims));
        }
    }
    if (!index.type)
        return;
    const char *function = PICK(s, "atomic_add", "atomic_add", "atomic_add", "atomic_add", "atomic_add", "atomic_sub",
                                "atomic_max", "atomic_min");
    if (is_vec(type) && (!strcmp(function, "atomic_max") || !strcmp(function, "atomic_min")))
        function = "atomic_add";
    Expr array = array_param(s, ROLE_ATOMIC,
                             bins > 1 ? "histogram|bins|totals|group_sums|buckets"
                                      : "total|energy_total|loss|counter|sum_out|grand_total",
                             type, 1, &bins, 0, 0);
    if (chance(s, 0.2)) {
        Expr condition = random_condition(s, 0);
        if (condition.type) {
            if_begin(s, condition);
            atomic(s, function, array, &index, 1, value);
            block_end(s);
            fact(s, "scatters the %s into %s where a condition holds", words_of(s, value.node),
                 array.array->name->text);
            return;
        }
    }
    atomic(s, function, array, &index, 1, value);
    fact(s, "%s the %s into %s atomically",
         !strcmp(function, "atomic_sub")   ? "subtracts"
         : !strcmp(function, "atomic_add") ? "adds"
                                           : "merges",
         words_of(s, value.node), array.array->name->text);
}

/* The value of an output: it takes up what nothing has used so far. */
static Expr final_value(Synth *s, const Type *type)
{
    Expr value = random_variable(s, type, true);
    for (int i = 0; i < 3; i++) {
        Expr more = value.type ? random_variable(s, type, true) : (Expr){0};
        if (!more.type)
            break;
        Expr joined = type_is_int(type) ? binary(s, OP_ADD, value, more)
                      : type->kind == TYPE_QUAT || type->kind == TYPE_TRANSFORM
                          ? binary(s, OP_MULT, value, more)
                          : binary(s, chance(s, 0.7) ? OP_ADD : OP_SUB, value, more);
        if (!joined.type)
            break;
        value = joined;
    }
    return value.type ? value : random_expr(s, type, 1);
}

static void output_value(Synth *s, Expr value)
{
    if (!value.type || (value.flags & EXPR_CONSTANT) || value.type->kind == TYPE_BOOL || s->array_count > 17)
        return;
    bool as_total = s->category != CATEGORY_atomic && chance(s, 0.12) &&
                    (is_real(value.type) || (is_vec(value.type) && value.type->composite.rows == 3));
    const char *names = output_names(s, value);
    if (as_total) {
        uint32_t one = 1;
        Expr array =
            array_param(s, ROLE_ATOMIC, "total|total_out|loss|sum_out|energy_total", value.type, 1, &one, 0, 0);
        Expr index = integer(s, 0);
        atomic(s, "atomic_add", array, &index, 1, value);
        fact(s, "adds the %s to a global total", words_of(s, value.node));
        return;
    }
    Expr array = array_out(s, names, value.type, s->dims, s->shape);
    store_at_tid(s, array, value);
}

/* Every kind of value that nothing has used yet gets an output of its own, up to three. */
void random_output(Synth *s)
{
    int outputs = 0, wanted = chance(s, 0.62) ? 1 : chance(s, 0.7) ? 2 : 3;
    for (uint32_t n = 0; n < s->var_count && outputs < wanted; n++) {
        const Var *var = &s->vars[s->var_count - 1 - n];
        bool copied = var->value && (var->value->kind == NODE_SUBSCRIPT || var->value->kind == NODE_NAME);
        if (copied && chance(s, 0.85))
            continue; /* an output that only copies an input is dull */
        if (var->uses || var->is_index || var->type->kind == TYPE_BOOL || var->type->kind == TYPE_UINT32 ||
            var->type->kind == TYPE_STRUCT)
            continue;
        output_value(s, final_value(s, var->type));
        outputs++;
    }
    if (!outputs)
        output_value(s, final_value(s, random_type(s)));
}

Expr embellish(Synth *s, Expr value)
{
    if (!value.type)
        return value;
    if (value.var)
        s->vars[value.var - 1].uses++;
    bool looped = (value.flags & EXPR_LOOPED) != 0;
    bool real_valued = is_real(value.type) || (is_vec(value.type) && type_is_float(type_scalar_of(value.type)));
    if (!real_valued || !chance(s, 0.45))
        return value;
    const Type *scalar = type_scalar_of(value.type);
    Expr e = {0};
    switch (below(s, 7)) {
    case 0: e = looped ? e : binary(s, OP_MULT, value, random_leaf(s, scalar)); break;
    case 1: e = binary(s, OP_ADD, value, random_expr(s, value.type, 1)); break;
    case 2: e = binary(s, OP_MULT, value, setting(s, "gain|scale|weight|strength|relaxation", 0.1, 2)); break;
    case 3: {
        Expr old = random_read(s, value.type);
        if (old.type && !looped)
            e = Q(s, "wp.lerp(_0, _1, _2)", old, value, setting(s, "blend|mix|smoothing", 0.05, 0.95));
        break;
    }
    case 4: {
        Expr condition = random_condition(s, 0);
        Expr other = random_leaf(s, value.type);
        e = where(s, condition, value, other);
        break;
    }
    case 5: {
        Expr mask = random_leaf(s, scalar);
        if (mask.type && !looped && !(mask.flags & EXPR_CONSTANT) && mask.range.low < mask.range.high &&
            chance(s, 0.7)) {
            Expr x = let_always(s, suggest_name(s, value), value);
            if_begin(s, compare(s, OP_LT, mask, literal_within(s, mask)));
            assign(s, x, binary(s, OP_MULT, again(s, x), literal(s, scalar, nice_number(s, 0.2, 0.9))));
            block_end(s);
            return again(s, x);
        }
        break;
    }
    default: e = binary(s, OP_SUB, value, random_expr(s, value.type, 1)); break;
    }
    if (!e.type || fmax(fabs(e.range.low), fabs(e.range.high)) > 1e7)
        return value;
    return chance(s, 0.6) ? let_always(s, suggest_name(s, e), e) : e;
}
