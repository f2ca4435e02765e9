/* What a kernel must compute: results and directional derivatives from the syntax tree evaluator, and how much of that another
 * machine may compute otherwise.
 *
 * The kernel is run in its own types and in double; where threads meet in atomics, also with its threads in other orders; and from
 * inputs that are moved by a unit in the last place. So it is known which results
 *
 *     depend on the order of threads    they are compared as a set, if all orders give the same one, or not at all
 *     depend on rounding                the tolerance goes by how much
 *     stand next to a jump              other inputs are drawn; where no draw is away from all jumps, these parts are left out
 *
 * Some of these runs round products and functions of the library otherwise: a compiler that contracts multiplications and
 * additions finds no exact zero where two products are the same. */
#include "check/expect.h"

#include "check/check_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a run from the syntax tree; of all of them together, nearly always eighty or more, in such runs; and of the one from the region
 * tree. */
enum { MAX_STEPS = 2 * 1000 * 1000, BRIEF_STEPS = 250 * 1000, FULL_RUNS = 80, MAX_TREE_STEPS = 20 * 1000 * 1000 };
enum { ORDERS = 6, ROTATIONS = 64, MOVES = 8, DRAWS = 8 };
enum { DRAW_STREAMS = 100, MAX_SET = 4096, MAX_CELLS = 100000 };

/* Streams of random numbers that only weft draws. */
enum { STREAM_ORDER = 10000, STREAM_MOVE = 20000 };

/* Results in double that differ by more than this share of an array's largest number are different ones. */
static const double NOISE = 1e-6, JUMP = 1e-3;

/* In the kernel's own types and in double: the numbers of the results, in the order of p->arrays; of the other arrays NULL. */
typedef struct Outcome {
    double **own, **exact;
} Outcome;

typedef struct Reference {
    Expectation *p;
    bool marks;           /* parts that stand next to a jump are marked; otherwise the first jump ends the search */
    bool steady;          /* no jump was met so far */
    Launch *moved;        /* the launch with its inputs moved: kept, since most moves are asked for twice in turn */
    uint32_t move;        /* which; 0: none yet */
    Launch *launch;       /* that runs: one of these two, in some order */
    LaunchValue **arrays; /* of it, in the order of p->arrays */
    double **tangents;    /* of these arrays; NULL: it has no floats */
    uint32_t *threads;
    Outcome first, orders[ORDERS + ROTATIONS], moves[MOVES];
    uint32_t order_count, move_count;
    uint64_t steps; /* of all runs so far */
} Reference;

static uint64_t max_steps(const Reference *r)
{
    return r->p->is_brief ? BRIEF_STEPS : MAX_STEPS;
}

static bool took_too_long(const Reference *r)
{
    return r->steps > FULL_RUNS * max_steps(r);
}

static bool goes_on(const Reference *r)
{
    return r->steady || r->marks;
}

/* ---- inputs ---- */

/* The same numbers are drawn by programs: see `unit` in standalone/host.cu. */
static double stream_unit(uint64_t stream, uint64_t index)
{
    uint64_t z = stream * 0x9e3779b97f4a7c15u + index * 0xd1342543de82ef95u + 0x2545f4914f6cdd1du;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

static double stream_direction(uint64_t stream, uint64_t index)
{
    return stream_unit(stream, index) * 2 - 1;
}

static double draw(const ExpectedArray *array, const Type *type, uint64_t index)
{
    double unit = stream_unit(array->stream, index);
    if (type_is_float(type))
        return round_to_type(array->low + (array->high - array->low) * unit, type->kind);
    double span = floor(array->high) - ceil(array->low) + 1;
    double value = ceil(array->low) + floor(unit * (span > 1 ? span : 1));
    return type->kind == TYPE_BOOL ? value != 0 : value;
}

/* Inputs from its stream. */
static void expect_fill(const ExpectedArray *array)
{
    LaunchValue *value = array->value;
    for (size_t i = 0; i < launch_cell_count(value); i++) {
        const Type *type = value->cell_types[i % value->width];
        double number = draw(array, type, i);
        if (type_is_float(type))
            value->cells[i].real = number;
        else
            value->cells[i].integer = (int64_t)wrap_to_type(truncate_real(number), type->kind);
    }
    if (array->low < array->high)
        check_normalize_rotations(value, array->type, value->count);
}

/* ---- running ---- */

/* How a run differs from the plain one in the kernel's own types. */
typedef struct Start {
    bool in_double, detect_races;
    uint32_t noise;     /* as AstRun's */
    uint32_t order;     /* of the threads; 0: as they are */
    uint32_t move;      /* of the inputs; 0: as they are */
    uint32_t direction; /* that tangents are carried along, counted from 1; 0: none are */
} Start;

typedef struct ArrayList {
    LaunchValue **items;
    uint32_t count;
} ArrayList;

static void add_array(LaunchValue *value, LaunchValue *same, void *user)
{
    ArrayList *list = user;
    if (value->type->kind == TYPE_ARRAY)
        list->items[list->count++] = same;
}

static LaunchValue **arrays_of(const Expectation *p, const Launch *launch)
{
    ArrayList list = {.items = ARENA_ARRAY(p->arena, LaunchValue *, p->array_count + 1)};
    launch_visit(launch, launch, add_array, &list);
    return list.items;
}

static Reference *new_reference(Expectation *p)
{
    Arena *arena = p->arena;
    Reference *r = ARENA_NEW(arena, Reference);
    r->p = p;
    r->moved = launch_copy(arena, p->launch);
    r->launch = launch_copy(arena, p->launch);
    r->threads = ARENA_ARRAY(arena, uint32_t, launch_size(p->launch));
    r->arrays = arrays_of(p, r->launch);
    r->tangents = ARENA_ARRAY(arena, double *, p->array_count + 1);
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i]->is_float)
            r->tangents[i] = ARENA_ARRAY(arena, double, launch_cell_count(r->arrays[i]));
    return r;
}

/* The threads, or blocks, in another order: the last first, shuffled, or each of them first once. */
static void set_order(Reference *r, uint32_t order)
{
    uint32_t lanes = r->launch->block_dim ? r->launch->block_dim : 1;
    uint64_t count = launch_size(r->launch) / lanes;
    uint64_t first = order < ORDERS ? 0 : count * (order - ORDERS + 1) / (ROTATIONS + 1);
    for (uint32_t i = 0; i < count; i++)
        r->threads[i] = order < ORDERS ? (uint32_t)count - 1 - i : (uint32_t)((i + first) % count);
    for (uint32_t i = (uint32_t)count; order && order < ORDERS && i > 1; i--) {
        uint32_t k = (uint32_t)(stream_unit(STREAM_ORDER + order, i) * i), kept = r->threads[i - 1];
        r->threads[i - 1] = r->threads[k];
        r->threads[k] = kept;
    }
    for (uint32_t i = (uint32_t)count; lanes > 1 && i-- > 0;)
        for (uint32_t lane = lanes; lane-- > 0;)
            r->threads[i * lanes + lane] = r->threads[i] * lanes + lane;
    r->launch->threads = r->threads;
    r->launch->thread_count = (uint32_t)count * lanes;
}

static double moved(double real, TypeKind kind, double unit)
{
    double towards = unit < 0.33 ? -INFINITY : (double)INFINITY;
    if (real == 0 || (unit >= 0.33 && unit < 0.66))
        return real;
    if (kind == TYPE_FLOAT64)
        return nextafter(real, towards);
    return kind == TYPE_FLOAT32 ? nextafterf((float)real, (float)towards) : real;
}

/* The random inputs moved by a unit in the last place, or not. */
static void move_inputs(Reference *r, uint32_t move)
{
    LaunchValue **arrays = arrays_of(r->p, r->moved);
    launch_restore(r->moved, r->p->launch);
    r->move = move;
    for (uint32_t i = 0; i < r->p->array_count; i++) {
        LaunchValue *value = arrays[i];
        if (!(r->p->arrays[i]->low < r->p->arrays[i]->high))
            continue; /* one number, which is met exactly */
        for (size_t c = 0; c < launch_cell_count(value); c++)
            if (launch_cell_is_real(value, c))
                value->cells[c].real = moved(value->cells[c].real, value->cell_types[c % value->width]->kind,
                                             stream_unit(STREAM_MOVE + 100 * (move - 1) + i, c));
    }
}

static double direction_of(const ExpectedArray *array, uint32_t direction, size_t cell)
{
    return stream_direction(STREAM_DIRECTION * direction + array->stream, cell);
}

static void set_direction(Reference *r, uint32_t direction)
{
    for (uint32_t i = 0; i < r->p->array_count; i++) {
        r->arrays[i]->tangents = direction ? r->tangents[i] : NULL;
        for (size_t c = 0; r->arrays[i]->tangents && c < launch_cell_count(r->arrays[i]); c++)
            r->tangents[i][c] = launch_cell_is_real(r->arrays[i], c) ? direction_of(r->p->arrays[i], direction, c) : 0;
    }
}

/* The results are in r->arrays. False: see the finding. */
static bool run(Reference *r, Start start)
{
    if (took_too_long(r))
        return false;
    AstRun run = {.in_double = start.in_double,
                  .detect_races = start.detect_races,
                  .front_only = true, /* a program has no arrays that count from the end */
                  .noise = start.noise,
                  .max_steps = max_steps(r)};
    if (start.move && start.move != r->move)
        move_inputs(r, start.move);
    launch_restore(r->launch, start.move ? r->moved : r->p->launch);
    set_direction(r, start.direction);
    if (start.order)
        set_order(r, start.order - 1);
    bool ran = ast_program_run(r->p->kernel, r->launch, &run);
    r->steps += run.steps;
    if (ran)
        return true;
    r->p->finding = run.finding;
    return false;
}

static double cell_number(const LaunchValue *value, size_t i)
{
    const Type *type = value->cell_types[i % value->width];
    if (type_is_float(type))
        return value->cells[i].real;
    if (type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE)
        return (double)(uint64_t)value->cells[i].integer;
    return (double)value->cells[i].integer;
}

/* What the last run has computed. */
static double **keep_numbers(const Reference *r, bool tangents)
{
    double **list = ARENA_ARRAY(r->p->arena, double *, r->p->array_count + 1);
    for (uint32_t i = 0; i < r->p->array_count; i++) {
        if (!r->p->arrays[i]->is_output || (tangents && !r->tangents[i]))
            continue;
        size_t count = launch_cell_count(r->arrays[i]);
        list[i] = ARENA_ARRAY(r->p->arena, double, count + 1);
        for (size_t c = 0; c < count; c++)
            list[i][c] = tangents ? r->tangents[i][c] : cell_number(r->arrays[i], c);
    }
    return list;
}

static bool run_both(Reference *r, Start start, Outcome *out)
{
    *out = (Outcome){0};
    if (run(r, start))
        out->own = keep_numbers(r, false);
    if (out->own && run(r, (Start){.in_double = true, .order = start.order, .move = start.move}))
        out->exact = keep_numbers(r, false);
    return out->exact;
}

/* ---- results ---- */

static bool differ(double a, double b, double tolerance)
{
    return !(a == b || fabs(a - b) <= tolerance) && !(isnan(a) && isnan(b));
}

/* Only floats may be off. */
static bool differ_at(const LaunchValue *value, size_t i, double a, double b, double tolerance)
{
    return differ(a, b, launch_cell_is_real(value, i) ? tolerance : 0);
}

/* The largest float. */
static double scale_of(const LaunchValue *value, const double *numbers)
{
    double scale = 0;
    for (size_t i = 0; i < launch_cell_count(value); i++)
        if (launch_cell_is_real(value, i) && isfinite(numbers[i]))
            scale = fmax(scale, fabs(numbers[i]));
    return scale;
}

static bool depends_on_order(const Reference *r, uint32_t array)
{
    const LaunchValue *value = r->arrays[array];
    const double *first = r->first.exact[array];
    bool depends = r->p->arrays[array]->is_unordered;
    double tolerance = NOISE * scale_of(value, first);
    for (uint32_t k = 0; k < r->order_count; k++)
        for (size_t i = 0; !depends && i < launch_cell_count(value); i++)
            depends = differ_at(value, i, r->orders[k].exact[array][i], first[i], tolerance);
    return depends;
}

static int by_size(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double *sorted(const Reference *r, uint32_t array, const double *numbers)
{
    size_t count = launch_cell_count(r->arrays[array]);
    double *copy = ARENA_ARRAY(r->p->arena, double, count + 1);
    memcpy(copy, numbers, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, by_size);
    return copy;
}

/* Do all orders give the same numbers, in whatever places? */
static bool is_same_set(const Reference *r, uint32_t array, double tolerance)
{
    size_t count = launch_cell_count(r->arrays[array]);
    if (count > MAX_SET)
        return false;
    const double *wanted = sorted(r, array, r->first.exact[array]);
    for (uint32_t k = 0; k < r->order_count; k++) {
        const double *found = sorted(r, array, r->orders[k].exact[array]);
        for (size_t i = 0; i < count; i++)
            if (differ(found[i], wanted[i], tolerance))
                return false;
    }
    return true;
}

/* How far a number may be from the first one in its own type: by rounding, and by what rounding does to it. */
static double spread_of(const Reference *r, uint32_t array, size_t i)
{
    double exact = r->first.exact[array][i], spread = fabs(r->first.own[array][i] - exact);
    bool ordered = r->p->arrays[array]->comparison == BY_PLACE;
    for (uint32_t k = 0; ordered && k < r->order_count; k++)
        spread = fmax(spread, fabs(r->orders[k].own[array][i] - exact));
    for (uint32_t k = 0; ordered && k < r->move_count; k++)
        spread = fmax(spread, fabs(r->moves[k].exact[array][i] - exact));
    return spread;
}

static bool is_unsure(const ExpectedArray *array, size_t cell)
{
    return array->unsure && array->unsure[cell];
}

/* The result in the kernel's own types; how far it may be off follows from how far it is from the one in double. */
static void keep_expected(const Reference *r, uint32_t number)
{
    ExpectedArray *array = r->p->arrays[number];
    const LaunchValue *value = r->arrays[number];
    const double *rounded = r->first.own[number];
    size_t cells = launch_cell_count(value);
    array->step = (uint32_t)((cells + MAX_EXPECTED - 1) / MAX_EXPECTED) | 1; /* odd: meets all parts of a vector */
    array->expected_count = (uint32_t)((cells + array->step - 1) / array->step);
    array->expected = ARENA_ARRAY(r->p->arena, double, array->expected_count + 1);
    double scale = scale_of(value, rounded), off = 0;
    for (size_t i = 0; i < cells; i++) {
        if (i % array->step == 0)
            array->expected[i / array->step] = is_unsure(array, i) ? NAN : rounded[i];
        if (!is_unsure(array, i) && launch_cell_is_real(value, i))
            off = fmax(off, spread_of(r, number, i));
    }
    array->tolerance = array->is_float ? 1e-4 * scale + 16 * off + 1e-6 : 0.5;
    if (array->comparison == BY_PLACE || !is_same_set(r, number, array->is_float ? NOISE * scale : 0))
        return;
    array->comparison = AS_SET;
    array->step = 1;
    array->expected_count = (uint32_t)cells;
    array->expected = sorted(r, number, rounded);
}

/* Is a part of a result another one from inputs that are nearly the same, or on another machine? */
static bool jumps(const Reference *r, const Outcome *move)
{
    bool any = false;
    for (uint32_t a = 0; a < r->p->array_count; a++) {
        const ExpectedArray *array = r->p->arrays[a];
        const LaunchValue *value = r->arrays[a];
        const double *first = r->first.exact[a];
        if (!array->is_output || array->comparison != BY_PLACE)
            continue;
        double tolerance = JUMP * scale_of(value, first);
        for (size_t i = 0; i < launch_cell_count(value); i++) {
            bool found = differ_at(value, i, move->exact[a][i], first[i], tolerance) ||
                         differ_at(value, i, move->own[a][i], first[i], tolerance);
            any |= found;
            if (found && array->unsure)
                array->unsure[i] = true;
        }
    }
    return any;
}

/* How many orders of the threads are tried. */
static uint32_t count_orders(const Expectation *p)
{
    size_t cells = 0;
    bool updated = false, unordered = false;
    for (uint32_t i = 0; i < p->array_count; i++) {
        cells += launch_cell_count(p->arrays[i]->value);
        updated |= p->arrays[i]->is_updated;
        unordered |= p->arrays[i]->is_output && p->arrays[i]->is_unordered;
    }
    return !updated ? 0 : unordered && cells <= MAX_CELLS ? ORDERS + ROTATIONS : ORDERS;
}

/* False: see the finding. */
static bool find_results(Reference *r)
{
    Expectation *p = r->p;
    if (!run_both(r, (Start){.detect_races = true}, &r->first))
        return false;
    for (uint32_t k = 1; k <= count_orders(p); k++)
        r->order_count += run_both(r, (Start){.order = k}, &r->orders[r->order_count]);
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i]->is_output)
            p->arrays[i]->comparison = depends_on_order(r, i) ? NOT_COMPARED : BY_PLACE;
    for (uint32_t k = 1; k <= MOVES && goes_on(r); k++) {
        bool ran = run_both(r, (Start){.move = k, .noise = k + 1}, &r->moves[r->move_count]);
        r->steady &= ran && !jumps(r, &r->moves[r->move_count]);
        r->move_count += ran;
    }
    r->p->finding = (Finding){0};
    for (uint32_t i = 0; i < p->array_count && goes_on(r); i++)
        if (p->arrays[i]->is_output)
            keep_expected(r, i);
    return true;
}

/* ---- derivatives ---- */

typedef struct Derivative {
    double sum, size; /* of what is added there */
} Derivative;

/* What a part of a result counts. */
static double weight_of(const ExpectedArray *array, const LaunchValue *value, size_t cell)
{
    bool counts = array->is_output && !is_unsure(array, cell) && launch_cell_is_real(value, cell);
    return counts ? stream_direction(STREAM_WEIGHTS + array->stream, cell) : 0;
}

/* weights . (J direction). False: it cannot be run, or is not finite. */
static bool derivative_of(Reference *r, Start start, Derivative *out)
{
    *out = (Derivative){0};
    if (!run(r, start))
        return false;
    for (uint32_t i = 0; i < r->p->array_count; i++) {
        const ExpectedArray *array = r->p->arrays[i];
        for (size_t c = 0; array->is_output && array->is_float && c < launch_cell_count(r->arrays[i]); c++) {
            double weight = (float)weight_of(array, r->arrays[i], c);
            double term = weight != 0 ? weight * r->tangents[i][c] : 0;
            out->sum += term;
            out->size += fabs(term);
        }
    }
    return isfinite(out->sum);
}

/* Sums of terms that cancel: threads add them in any order, and what rounding leaves goes by the size of the terms. Warp's
 * reverse pass is near enough for that; where it cannot be run, nothing is added. */
static void allow_for_sums(Reference *r)
{
    const double rounding = 16.0 / (1 << 24);
    Expectation *p = r->p;
    Finding finding;
    TreeProgram *tree = tree_compile(p->arena, p->module, true, &finding);
    TreeRun forward = {.max_steps = MAX_TREE_STEPS};
    TreeRun backward = {.backward = true, .sizes = true, .max_steps = MAX_TREE_STEPS};
    launch_restore(r->launch, p->launch);
    set_direction(r, 0);
    if (!tree || !tree_execute(tree, r->launch, &forward))
        return;
    for (uint32_t i = 0; i < p->array_count; i++) {
        double *gradients = r->arrays[i]->gradients = r->tangents[i]; /* the memory is free now */
        for (size_t c = 0; gradients && c < launch_cell_count(r->arrays[i]); c++)
            gradients[c] = weight_of(p->arrays[i], r->arrays[i], c);
    }
    if (!tree_execute(tree, r->launch, &backward))
        return;
    for (uint32_t k = 0; k < DIRECTIONS; k++)
        for (uint32_t i = 0; i < p->array_count; i++)
            for (size_t c = 0; r->tangents[i] && c < launch_cell_count(r->arrays[i]); c++)
                if (isfinite(r->tangents[i][c]))
                    p->slack[k] += rounding * fabs(r->tangents[i][c] * direction_of(p->arrays[i], k + 1, c));
}

/* Each move in double, and as another machine may run it. */
static Start moved_start(uint32_t move, uint32_t direction)
{
    Start start = {.move = move / 2 + 1, .direction = direction, .in_double = move % 2};
    start.noise = start.in_double ? 0 : start.move + 1;
    return start;
}

/* Marks the parts of results whose derivative is another one from inputs that are nearly the same. */
static void find_kinks(Reference *r, uint32_t direction)
{
    Expectation *p = r->p;
    double **first = run(r, (Start){.in_double = true, .direction = direction}) ? keep_numbers(r, true) : NULL;
    for (uint32_t move = 0; first && move < 2 * MOVES; move++) {
        if (!run(r, moved_start(move, direction)))
            continue;
        for (uint32_t a = 0; a < p->array_count; a++) {
            double tolerance = first[a] ? JUMP * scale_of(r->arrays[a], first[a]) : 0;
            for (size_t i = 0; first[a] && i < launch_cell_count(r->arrays[a]); i++)
                p->arrays[a]->unsure[i] |= !isfinite(first[a][i]) || differ(r->tangents[a][i], first[a][i], tolerance);
        }
    }
}

/* One direction: also from moved inputs, and with the threads in other orders. */
static bool find_derivative(Reference *r, uint32_t k, bool *ordered)
{
    Expectation *p = r->p;
    Derivative found, other;
    if (!derivative_of(r, (Start){.direction = k + 1, .in_double = true}, &found) ||
        !derivative_of(r, (Start){.direction = k + 1}, &other))
        return false;
    double slack = fabs(found.sum - other.sum);
    for (uint32_t move = 0; move < 2 * MOVES && goes_on(r); move++) {
        bool ran = derivative_of(r, moved_start(move, k + 1), &other);
        r->steady &= ran && !differ(other.sum, found.sum, JUMP * found.size);
        slack = fmax(slack, ran ? fabs(other.sum - found.sum) : 0);
    }
    p->derivative[k] = found.sum;
    p->slack[k] = 16 * slack;
    for (uint32_t order = 1; order <= ORDERS && order <= count_orders(p) && goes_on(r); order++)
        *ordered &= derivative_of(r, (Start){.direction = k + 1, .in_double = true, .order = order}, &other) &&
                    !differ(other.sum, found.sum, NOISE * found.size);
    return true;
}

static void drop_backward(Expectation *p, const char *why)
{
    p->has_backward = false;
    p->no_backward = why;
}

static bool find_derivatives(Reference *r)
{
    bool ordered = true, found = true;
    for (uint32_t k = 0; r->marks && k < DIRECTIONS; k++)
        find_kinks(r, k + 1);
    r->p->finding = (Finding){0};
    for (uint32_t k = 0; found && k < DIRECTIONS && goes_on(r); k++)
        found = find_derivative(r, k, &ordered);
    if (!found && r->p->finding.kind)
        return false;
    r->p->finding = (Finding){0};
    r->steady &= found;
    if (!found)
        drop_backward(r->p, "the derivative of a result is not finite");
    else if (!ordered)
        drop_backward(r->p, "the gradient depends on the order of threads");
    else if (goes_on(r))
        allow_for_sums(r);
    return true;
}

/* ---- all of it ---- */

/* Inputs of a draw: each has its own streams of random numbers. */
static bool try_draw(Reference *r, uint32_t draw)
{
    Expectation *p = r->p;
    p->no_backward = NULL;
    r->steady = true;
    r->order_count = r->move_count = r->move = 0;
    for (uint32_t i = 0; i < p->array_count; i++) {
        p->arrays[i]->stream = draw * DRAW_STREAMS + i;
        expect_fill(p->arrays[i]);
    }
    return find_results(r) && (!p->has_backward || !goes_on(r) || find_derivatives(r));
}

static bool search(Reference *r)
{
    Expectation *p = r->p;
    bool has_backward = p->has_backward;
    uint32_t draws = p->array_count < DRAW_STREAMS ? DRAWS : 1;
    for (uint32_t draw = 0; draw < draws; draw++) {
        p->has_backward = has_backward;
        bool made = try_draw(r, draw);
        if ((made && r->steady) || (!made && draw == 0))
            return made;
    }
    r->marks = true; /* no draw is away from all jumps */
    p->has_backward = has_backward;
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i]->is_output)
            p->arrays[i]->unsure = ARENA_ARRAY(p->arena, bool, launch_cell_count(p->arrays[i]->value));
    return try_draw(r, 0);
}

bool expect_find(Expectation *p)
{
    Reference *r = new_reference(p);
    bool found = search(r);
    if (took_too_long(r)) {
        found = false;
        p->finding = (Finding){.kind = FINDING_TOO_MANY_STEPS,
                               .offset = p->finding.offset,
                               .message = "all runs of the kernel together take too many steps"};
    }
    return found;
}
