/* Kernels that lean on helper functions: with branches, with several results, overloaded by type. */
#include "synth/make.h"

static const char *const stems[] = {"smooth_weight", "blend_terms", "soft_limit",  "falloff",     "response_curve",
                                    "mix_values",    "score_pair",  "shape_value", "remap_value", "penalty",
                                    "attenuate",     "combine",     "influence",   "edge_weight", "transfer",
                                    "safe_ratio",    "profile",     "bias_curve"};

static void random_parameters(Synth *s, uint32_t *count, const char **names, const Type **types, Range *ranges)
{
    *count = (uint32_t)between(s, 1, 4);
    for (uint32_t i = 0; i < *count; i++) {
        types[i] = i == 0 || chance(s, 0.65) ? s->style.real : type_of(s, PICK(s, "vec3", "vec3", "vec2"));
        ranges[i] = (Range){-12, 12};
        names[i] = is_real(types[i])
                       ? PICK(s, "x|value|t", "a|amount|u", "b|weight|w", "gain|scale|k", "level|height|h")
                       : PICK(s, "v|p|dir", "point|offset|d", "q|axis_v|n");
    }
}

/* A function body: a few statements, perhaps an early return, then a result that takes up what they made. */
static void random_body(Synth *s, Helper *helper, const Type *result_type, uint32_t results)
{
    random_statements(s, between(s, 0, 3));
    if (chance(s, 0.3) && results == 1) {
        Expr condition = random_condition(s, 0), early = random_expr(s, result_type, 1);
        if (condition.type && early.type) {
            if_begin(s, condition);
            function_return(s, helper, &early, 1);
            block_end(s);
        }
    }
    Expr values[3];
    for (uint32_t i = 0; i < results; i++)
        for (int tries = 0; tries < 4; tries++) {
            values[i] = random_expr(s, i ? s->style.real : result_type, 2);
            if (values[i].type && values[i].node->kind != NODE_NAME && values[i].node->kind != NODE_CONSTANT)
                break; /* a function does more than to hand back its argument */
        }
    if (values[0].flags & EXPR_CONSTANT)
        give_up(s, "a function of nothing");
    function_return(s, helper, values, results);
    function_end(s, helper);
}

static void overload(Synth *s, const Helper *first)
{
    const Type *types[4];
    const char *names[4];
    Range ranges[4];
    uint32_t count = first->param_count;
    for (uint32_t i = 0; i < count; i++) {
        types[i] = i == 0 ? type_of(s, is_real(first->params[0]) ? "vec3" : "float") : first->params[i];
        ranges[i] = (Range){-12, 12};
        names[i] = i == 0 ? "v|p|vec_in" : is_real(types[i]) ? "a|k|w" : "q|d";
    }
    Expr params[4];
    Helper *helper = function_begin(s, "overloaded", count, names, types, ranges, params);
    helper->name = first->name;
    random_body(s, helper, chance(s, 0.5) ? s->style.real : types[0], 1);
}

void make_function(Synth *s)
{
    uint32_t helpers = (uint32_t)between(s, 1, 2);
    for (uint32_t i = 0; i < helpers; i++) {
        const Type *types[4];
        const char *names[4];
        Range ranges[4];
        uint32_t count;
        Expr params[4];
        random_parameters(s, &count, names, types, ranges);
        Helper *helper = function_begin(s, stems[below(s, 18)], count, names, types, ranges, params);
        const Type *result_type = chance(s, 0.7) ? s->style.real : type_of(s, "vec3");
        random_body(s, helper, result_type, i == 0 && chance(s, 0.3) ? 2 : 1);
        if (chance(s, 0.2) && helper->result_count == 1 && i + 1 == helpers)
            overload(s, helper);
    }
    const char *thread = PICK(s, "i", "tid", "idx");
    launch_grid(s, chance(s, 0.7) ? 1 : 2, thread);
    Expr made[8];
    uint32_t made_count = 0;
    for (uint32_t h = 0; h < s->helper_count; h++) {
        const Helper *helper = &s->helpers[h];
        Expr args[MAX_HELPER_PARAMS];
        for (uint32_t i = 0; i < helper->param_count; i++)
            args[i] = random_read(s, helper->params[i]);
        if (helper->result_count > 1) {
            Expr out[3];
            call_helper_many(s, helper, args,
                             (const char *const[]){"main_part|primary|first", "rest|secondary|weight_b", "third"}, out);
            made[made_count++] = out[0];
            made[made_count++] = out[1];
        } else if (chance(s, 0.85)) {
            Expr value = call_helper(s, helper, args);
            if (value.type)
                made[made_count++] = let_always(
                    s, is_real(value.type) ? "shaped|mapped|response|contribution" : "directed|shifted|moved", value);
        }
    }
    make_generic(s);
    for (uint32_t i = 0; i < made_count; i++)
        if (made[i].var && (i == 0 || !s->vars[made[i].var - 1].uses))
            output(s, PICK(s, "out|result|output", "shaped_out|response_out", "mapped_out|curve_out"),
                   again(s, made[i]));
}
