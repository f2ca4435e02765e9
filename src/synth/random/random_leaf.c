/* The generic generator: where expressions end. Variables, elements of arrays, parameters, components. */
#include "synth/random/parts.h"

#include <math.h>
#include <string.h>

Expr var_expr(Synth *s, uint32_t i)
{
    const Var *var = &s->vars[i];
    return (Expr){.node = node_name(s, var->name),
                  .type = var->type,
                  .range = var->range,
                  .flags = var->flags,
                  .array = var->array,
                  .var = (int)i + 1};
}

Expr random_variable(Synth *s, const Type *type, bool only_unused)
{
    if (!(s->types_met & type_bit(type))) /* most types of vectors and matrices */
        return (Expr){0};
    int chosen = -1;
    double best = -1;
    for (uint32_t i = 0; i < s->var_count; i++) {
        if (s->var_types[i] != type)
            continue;
        const Var *var = &s->vars[i];
        if (var->is_index || var->range.low >= var->range.high || (only_unused && var->uses))
            continue;
        if (var->carried && in_dynamic_loop(s))
            continue;
        if (var->mutable && var->loops < loops_open(s) && !var->carried)
            continue; /* an accumulator is not read while it grows */
        double draw = rng_unit(&s->rng) + (var->uses ? 0 : 0.8) + 0.02 * i;
        if (draw > best) {
            best = draw;
            chosen = (int)i;
        }
    }
    if (chosen < 0)
        return (Expr){0};
    s->vars[chosen].uses++;
    return var_expr(s, (uint32_t)chosen);
}

/* Index variables in scope: threads, loop counters, looked-up indices. */
uint32_t index_variables(const Synth *s, uint8_t out[MAX_INDICES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->index_count && count < MAX_INDICES; i++)
        if (s->vars[s->indices[i]].range.low >= 0)
            out[count++] = s->indices[i];
    return count;
}

static Expr fitting_index(Synth *s, uint32_t extent_value, const uint8_t *indices, uint32_t count, bool *tight)
{
    uint8_t fits[8];
    uint32_t fit_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (s->vars[indices[i]].range.high == (double)extent_value - 1 && fit_count < 8)
            fits[fit_count++] = indices[i];
    *tight = fit_count > 0;
    if (fit_count)
        return var_expr(s, fits[below(s, fit_count)]);
    return integer(s, below(s, extent_value < 4 ? extent_value : 4));
}

/* An element of an array that is there already. */
static Expr read_known(Synth *s, const Type *type)
{
    uint8_t indices[MAX_INDICES];
    uint32_t index_count = index_variables(s, indices);
    uint32_t next = s->array_count ? below(s, s->array_count) : 0;
    for (uint32_t n = 0; n < s->array_count; n++) {
        const Array *array = s->arrays[next];
        next = next + 1 < s->array_count ? next + 1 : 0;
        if (array->dtype != type || array->role != ROLE_INPUT || array->sorted)
            continue;
        Expr index[4], whole = {.node = node_name(s, array->name), .array = array, .type = array->type};
        bool any = false, all = true;
        for (uint32_t axis = 0; axis < array->ndim; axis++) {
            bool tight;
            index[axis] = fitting_index(s, array->shape[axis], indices, index_count, &tight);
            any |= tight;
            all &= tight;
        }
        if (!any || (!all && !chance(s, 0.3)))
            continue;
        return subscript(s, whole, index, array->ndim);
    }
    return (Expr){0};
}

/* The index of a neighbour, or of a mirrored place: always within 0 … extent-1. */
static Expr shifted_index(Synth *s, Expr i, uint32_t extent_value)
{
    Expr n = size_param(s, "n|count|num_items|size|length|num_points", extent_value);
    switch (below(s, 5)) {
    case 0: return Q(s, "wp.min(_0 + 1, _1 - 1)", i, n);
    case 1: return Q(s, "wp.max(_0 - 1, 0)", i);
    case 2: return Q(s, "(_0 + _2) % _1", i, n, integer(s, between(s, 1, 3)));
    case 3: return with_range(Q(s, "_1 - 1 - _0", i, n), 0, extent_value - 1);
    default: return Q(s, "(_0 + _1 - 1) % _1", i, n);
    }
}

/* An index that is looked up: `owner = owner_ids[i]`. */
static Expr looked_up_index(Synth *s, Expr i)
{
    uint32_t items = (uint32_t)i.range.high + 1, bound = (uint32_t)between(s, 4, 40);
    Expr ids =
        array_param(s, ROLE_INPUT,
                    PICK(s, "owner|owner_ids|parent", "indices|index_map|order", "neighbor|neighbor_ids|adjacent",
                         "segment_ids|cluster_ids|cell_ids", "links|partner|source_ids"),
                    type_scalar(TYPE_INT32), 1, &items, 0, bound - 1);
    Expr index = let_always(s, "idx|owner_idx|other|src|nbr|slot|target_id|cell", subscript(s, ids, &i, 1));
    if (index.var)
        mark_index(s, index);
    return index;
}

static const char *array_names(Synth *s, const char *word)
{
    size_t len = strlen(word);
    uint32_t choice = below(s, 5);
    if (choice == 0)
        return word;
    char last = len ? word[len - 1] : 'x';
    const char *plural = last == 'y' ? arena_format(s->arena, "%.*sies", (int)len - 1, word)
                         : len > 6 && same_text(word + len - 6, "matrix")
                             ? arena_format(s->arena, "%.*sices", (int)len - 2, word)
                         : last == 's' ? word
                                       : arena_join(s->arena, word, last == 'x' ? "es" : "s");
    switch (choice) {
    case 1: return plural;
    case 2: return arena_format(s->arena, "%s|in_%s|%s_in", plural, word, word);
    case 3: return arena_format(s->arena, "%s|%s_data|%s_field", plural, word, word);
    default: return chance(s, 0.5) ? word : plural;
    }
}

/* An element of a new input array, indexed by what is in scope. */
static Expr read_new(Synth *s, const Type *type)
{
    uint8_t indices[MAX_INDICES];
    Expr index[4];
    uint32_t count = index_variables(s, indices), ndim, shape[4];
    if (!count || s->array_count > 12)
        return (Expr){0};
    Word word = plain_word(s, type);
    uint32_t choice = below(s, 100);
    if (choice < 52 && count >= s->dims && !in_loop(s)) { /* by thread */
        ndim = s->dims;
        for (uint32_t i = 0; i < ndim; i++)
            index[i] = s->tid[i];
    } else if (choice < 60 && s->dims == 1 && !in_loop(s)) { /* a fixed column of a thread's row */
        ndim = 2;
        index[0] = s->tid[0];
        index[1] = integer(s, below(s, 4));
    } else if (choice < 68 && s->block_count == 1 && s->array_count < 7) {
        ndim = 1;
        index[0] = looked_up_index(s, s->tid[below(s, s->dims)]);
    } else if (choice < 76 && s->dims == 1) { /* a neighbour */
        Expr i = var_expr(s, indices[below(s, count)]);
        shape[0] = (uint32_t)i.range.high + 1;
        if (shape[0] < 4)
            return (Expr){0};
        Expr shifted = shifted_index(s, i, shape[0]);
        if (!shifted.type)
            return (Expr){0};
        Expr array =
            array_param(s, ROLE_INPUT, array_names(s, word.name), type, 1, shape, word.range.low, word.range.high);
        return subscript(s, array, &shifted, 1);
    } else {
        ndim = 1u + (count > 1 && chance(s, 0.55)) + (count > 2 && chance(s, 0.25));
        if (in_loop(s) && ndim == 1 && chance(s, 0.5))
            ndim = 2;
        uint32_t first = count > ndim ? count - ndim : 0; /* the innermost indices */
        for (uint32_t i = 0; i < ndim; i++)
            index[i] = var_expr(s, indices[first + i < count ? first + i : count - 1]);
        if (in_loop(s) && ndim > 1 && chance(s, 0.75)) /* a row of the thread's own */
            index[0] = s->tid[below(s, s->dims)];
        if (ndim == 2 && index[0].var == index[1].var)
            ndim = 1;
    }
    for (uint32_t i = 0; i < ndim; i++)
        shape[i] = index[i].flags & EXPR_CONSTANT ? 4 : (uint32_t)index[i].range.high + 1;
    Expr array =
        array_param(s, ROLE_INPUT, array_names(s, word.name), type, ndim, shape, word.range.low, word.range.high);
    return subscript(s, array, index, ndim);
}

Expr random_read(Synth *s, const Type *type)
{
    if (type->kind == TYPE_BOOL)
        return (Expr){0};
    Expr known = chance(s, s->array_count > 3 ? 0.75 : 0.4) ? read_known(s, type) : (Expr){0};
    return known.type ? known : read_new(s, type);
}

static Expr random_parameter(Synth *s, const Type *type)
{
    if (s->param_count > 14)
        return (Expr){0};
    if (chance(s, 0.4) && s->param_count) {
        uint32_t next = (uint32_t)(s->rng.counter % s->param_count);
        for (uint32_t i = 0; i < s->param_count; i++) {
            const Param *p = &s->params[next];
            next = next + 1 < s->param_count ? next + 1 : 0;
            if (p->type == type && !p->exact && p->array < 0)
                return (Expr){.node = node_name(s, p->name),
                              .type = type,
                              .range = p->range,
                              .flags = type_is_float(type_scalar_of(type)) ? EXPR_GENERIC : 0u};
        }
    }
    Word word = plain_word(s, type);
    if (is_real(type) && s->style.constants && chance(s, 0.2) && s->style.real->kind == TYPE_FLOAT32)
        return module_constant(s, word.name, type,
                               nice_number(s, word.range.low > 0.05 ? word.range.low : 0.1, word.range.high));
    return scalar_param(s, word.name, type, word.range.low, word.range.high);
}

static Expr component_leaf(Synth *s)
{
    static const char *const vectors[] = {"vec3", "vec2", "vec4"};
    for (int i = 0; i < 3; i++) {
        const Type *type = type_of(s, vectors[i]);
        Expr v = random_variable(s, type, false);
        if (v.type && chance(s, 0.04)) /* the component that stands out */
            return chance(s, 0.6) ? Q(s, "_0[int(wp.argmax(_0))]", v) : Q(s, "_0[int(wp.argmin(_0))]", v);
        if (v.type)
            return component(s, v, below(s, type->composite.rows));
    }
    return (Expr){0};
}

/* A variable that holds this value already, where there is one. */
static Expr known_value(Synth *s, Expr e)
{
    for (uint32_t i = 0; i < s->var_count && e.type; i++)
        if (s->var_types[i] == e.type && s->vars[i].value && same_tree(s->vars[i].value, e.node)) {
            s->vars[i].uses++;
            return var_expr(s, i);
        }
    return e;
}

Expr random_leaf(Synth *s, const Type *type)
{
    for (int tries = 0; tries < 6; tries++) {
        Expr e = {0};
        if (!e.type && chance(s, s->weights->steered / 100.0))
            e = random_parameter(s, type);
        if (!e.type && chance(s, 0.55))
            e = random_variable(s, type, chance(s, 0.6));
        if (!e.type && is_real(type) && chance(s, 0.3))
            e = component_leaf(s);
        if (!e.type) {
            e = known_value(s, random_read(s, type));
            if (e.type && e.node->kind != NODE_NAME && chance(s, 0.5 - s->style.inline_chance * 0.4))
                e = let_always(s, plain_names(s, e.type), e);
        }
        if (!e.type)
            e = random_variable(s, type, false);
        if (e.type)
            return e;
    }
    if (type_is_scalar(type))
        return random_parameter(s, type);
    return (Expr){0};
}

/* A literal that suits a value: a factor near one, a threshold inside its range. */
Expr literal_within(Synth *s, Expr like)
{
    double low = like.range.low, high = like.range.high, span = high - low;
    if (type_is_int(like.type)) {
        if (span < 2)
            return literal(s, like.type, high);
        double value = floor(low + span * (0.2 + 0.6 * rng_unit(&s->rng)));
        return literal(s, like.type, value <= low ? low + 1 : value);
    }
    return literal(s, like.type, nice_number(s, low + 0.2 * span, high - 0.2 * span));
}
