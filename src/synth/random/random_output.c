/* The generic generator: outputs, atomic ones. */
#include "synth/random/parts.h"

#include <math.h>
#include <string.h>

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
        value = let_always(s, plain_names(s, value.type), value);
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
            return;
        }
    }
    atomic(s, function, array, &index, 1, value);
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
    if (as_total) {
        uint32_t one = 1;
        Expr array =
            array_param(s, ROLE_ATOMIC, "total|total_out|loss|sum_out|energy_total", value.type, 1, &one, 0, 0);
        Expr index = integer(s, 0);
        atomic(s, "atomic_add", array, &index, 1, value);
        return;
    }
    Expr array = array_out(s, "out|result|output|results|y|outputs", value.type, s->dims, s->shape);
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
