/* Directions for the gradient test: tangents u, cotangents w, and the two dot products that must be equal.
 *
 * Both products are taken of what the runs changed, w·(J u - u) and (Jᵀ w - w)·u: cells that no thread has touched stand
 * for themselves on both sides, and what the few threads did would be lost among them. */
#include "check/check_impl.h"

#include <math.h>
#include <string.h>

enum { PERIOD = 251 }; /* numbers that are drawn, for all arrays; a prime, so that no two rows are alike */

struct Directions {
    Arena *arena;
    const Movement *movements; /* of each argument */
    const bool *written;       /* of each argument: it may have been written to; NULL: only what changed was */
    bool holds_priors, moves_all, keeps;
    bool is_fixed, is_prior, is_written; /* of the one at hand */
    double tangents[PERIOD], cotangents[PERIOD];
    uint32_t arrays;     /* met until now: each begins elsewhere in the numbers */
    bool *is_output;     /* of each array: it has cotangents */
    uint32_t output_cap; /* of `is_output` */
    size_t outputs;      /* cells with a cotangent */
    DotProducts dots;
    double value_size, exact_size, warp_size, input_size;
};

const Movement *argument_movements(Arena *arena, const Code *code, const CheckLaunch *description, bool *has_priors)
{
    Movement *movements = ARENA_ARRAY(arena, Movement, code->param_count);
    const ParamUses *uses = check_param_uses(arena, code);
    const ArgIndex given = check_index_args(arena, description);
    *has_priors = false;
    for (uint32_t i = 0; i < code->param_count; i++) {
        const CheckArg *arg = arg_at(&given, code->params[i].name->text);
        bool is_drawn = arg && arg->has_range && arg->low < arg->high;
        if (arg && arg->has_value)
            movements[i] = MOVE_NOT;
        else if (arg && !is_drawn && check_is_output(uses, &code->params[i]))
            movements[i] = MOVE_PRIOR;
        *has_priors |= movements[i] == MOVE_PRIOR;
    }
    return movements;
}

Directions *directions_new(Arena *arena, const Movement *movements)
{
    Directions *d = ARENA_NEW(arena, Directions);
    d->arena = arena;
    d->movements = movements;
    return d;
}

void seek_written(Directions *d, const bool *written)
{
    d->written = written;
}

void hold_priors(Directions *d, bool held)
{
    d->holds_priors = held;
}

void move_all(Directions *d, bool moved)
{
    d->moves_all = moved;
}

static double draw_direction(Rng *rng)
{
    double value = rng_unit(rng) * 2 - 1;
    return value + (value < 0 ? -0.1 : 0.1); /* none vanishes */
}

/* The number of cell i of the n-th array. */
static uint32_t first_number(uint32_t array)
{
    return array * 97 % PERIOD;
}

static double *repeated(Directions *d, const LaunchValue *value, double *to, const double *numbers)
{
    size_t count = value->count * value->width;
    if (!to)
        to = arena_take(d->arena, count * sizeof *to);
    for (size_t i = 0, from = first_number(d->arrays); i < count; from = 0) {
        size_t run = PERIOD - from < count - i ? PERIOD - from : count - i;
        memcpy(to + i, numbers + from, run * sizeof *to);
        i += run;
    }
    for (size_t i = 0; value->symmetric && i < count; i++)
        to[i] = to[launch_cell_above(value, i)];
    return to;
}

static void visit_arguments(Directions *d, const Launch *a, const Launch *b, LaunchVisitor *visit)
{
    d->arrays = 0;
    for (uint32_t i = 0; i < a->arg_count; i++) {
        d->is_prior = d->movements[i] == MOVE_PRIOR;
        d->is_fixed = (d->movements[i] == MOVE_NOT && !d->moves_all) || (d->is_prior && d->holds_priors);
        d->is_written = d->written && d->written[i];
        launch_visit_value(&a->args[i], &b->args[i], visit, d);
    }
}

/* Structs may have integers among their cells. */
static bool is_mixed(const LaunchValue *value)
{
    return value->type->array.dtype->kind == TYPE_STRUCT;
}

static void clear_integers(const LaunchValue *value, double *numbers)
{
    for (size_t i = 0; is_mixed(value) && i < value->count * value->width; i++)
        if (!type_is_float(value->cell_types[i % value->width]))
            numbers[i] = 0;
}

static void set_tangents_of(LaunchValue *value, LaunchValue *other, void *user)
{
    Directions *d = user;
    (void)other;
    if (!is_float_array(value))
        return;
    value->tangents = repeated(d, value, value->tangents, d->tangents);
    if (d->is_fixed)
        memset(value->tangents, 0, value->count * value->width * sizeof *value->tangents);
    clear_integers(value, value->tangents);
    d->arrays++;
}

void set_tangents(Directions *d, Launch *forward, Rng rng)
{
    for (uint32_t i = 0; i < PERIOD; i++) {
        d->tangents[i] = draw_direction(&rng);
        d->cotangents[i] = draw_direction(&rng);
    }
    visit_arguments(d, forward, forward, set_tangents_of);
}

static void set_cotangents_of(LaunchValue *before, LaunchValue *value, void *user)
{
    Directions *d = user;
    if (!is_float_array(value))
        return;
    size_t count = value->count * value->width;
    bool output = count && (d->is_written || memcmp(before->cells, value->cells, count * sizeof *value->cells) != 0);
    uint32_t number = d->arrays;
    if (output) {
        value->gradients = repeated(d, value, value->gradients, d->cotangents);
        clear_integers(value, value->gradients);
        d->outputs += count;
    } else if (value->gradients)
        memset(value->gradients, 0, count * sizeof *value->gradients);
    else
        value->gradients = ARENA_ARRAY(d->arena, double, count);
    ARENA_PUSH(d->arena, d->is_output, number, d->output_cap) = output;
    d->arrays++;
}

static void look_for_kept(LaunchValue *before, LaunchValue *value, void *user)
{
    Directions *d = user;
    if (is_float_array(value) && d->is_written && value->count)
        d->keeps |= memcmp(before->cells, value->cells, value->count * value->width * sizeof *value->cells) == 0;
}

bool keeps_outputs(Directions *d, const bool *written, const Launch *before, const Launch *after)
{
    const bool *kept = d->written;
    d->keeps = false;
    d->written = written;
    visit_arguments(d, before, after, look_for_kept);
    d->written = kept;
    return d->keeps;
}

bool set_cotangents(Directions *d, const Launch *before, Launch *backward)
{
    d->outputs = 0;
    visit_arguments(d, before, backward, set_cotangents_of);
    return d->outputs > 0;
}

/* ---- the dot products ---- */

/* Adds (numbers - start)·weights of the cells of an array: what was not touched adds nothing. */
static void add_dot(const LaunchValue *value, const double *numbers, const double *start, const double *weights,
                    uint32_t first, double *sum, double *size)
{
    size_t count = value->count * value->width;
    bool mixed = is_mixed(value);
    for (size_t i = 0, number = first; i < count; number = 0) {
        size_t run = PERIOD - number < count - i ? PERIOD - number : count - i;
        for (size_t k = 0; k < run; k++) {
            size_t at = value->symmetric ? (first + launch_cell_above(value, i + k)) % PERIOD : number + k;
            if (numbers[i + k] == start[at] || (mixed && !type_is_float(value->cell_types[(i + k) % value->width])))
                continue;
            double term = (numbers[i + k] - start[at]) * weights[at];
            *sum += term;
            *size += fabs(term);
        }
        i += run;
    }
}

/* The size of an array's numbers, weighed as their derivatives are. */
static double changed_size(const LaunchValue *value, const double *weights, uint32_t first)
{
    double size = 0;
    bool mixed = is_mixed(value);
    for (size_t i = 0; i < value->count * value->width; i++) {
        double number = value->cells[i].real;
        if ((!mixed || type_is_float(value->cell_types[i % value->width])) && isfinite(number))
            size += fabs(number * weights[(first + i) % PERIOD]);
    }
    return size;
}

static void add_dots_of(LaunchValue *forward, LaunchValue *backward, void *user)
{
    static const double nothing[PERIOD];
    Directions *d = user;
    if (!is_float_array(forward))
        return;
    bool output = d->is_output[d->arrays];
    uint32_t first = first_number(d->arrays++);
    const double *tangents = d->is_fixed ? nothing : d->tangents;
    if (output)
        d->value_size += changed_size(forward, d->cotangents, first);
    if (output)
        add_dot(forward, forward->tangents, tangents, d->cotangents, first, &d->dots.exact, &d->exact_size);
    double before = d->warp_size;
    add_dot(backward, backward->gradients, output ? d->cotangents : nothing, tangents, first, &d->dots.warp,
            &d->warp_size);
    d->input_size += d->is_prior ? 0 : d->warp_size - before;
}

DotProducts dot_products(Directions *d, Launch *forward, Launch *backward)
{
    d->dots = (DotProducts){0};
    d->exact_size = d->warp_size = d->input_size = d->value_size = 0;
    visit_arguments(d, forward, backward, add_dots_of);
    double scale = fmax(d->exact_size, d->warp_size) * 1e-3;
    /* Derivatives that cancel leave rounding errors of the numbers that they are derivatives of. */
    scale = fmax(scale, d->value_size * 1e-7);
    d->dots.scale = fmax(scale, fmax(fabs(d->dots.exact), SMALLEST_SCALE));
    d->dots.error = fabs(d->dots.exact - d->dots.warp) / d->dots.scale;
    d->dots.slope = d->input_size > 0;
    return d->dots;
}
