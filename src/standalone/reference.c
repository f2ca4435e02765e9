/* What a program must compute: results and directional derivatives from the syntax tree evaluator, and how much of that another
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
#include "standalone/host.h"

#include "eval/tree/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 20 * 1000 * 1000, ORDERS = 6, ROTATIONS = 64, MOVES = 8, DRAWS = 8 };
enum { DRAW_STREAMS = 100, MAX_SET = 4096, MAX_CELLS = 100000 };

/* Streams of random numbers that only weft draws. */
enum { STREAM_ORDER = 10000, STREAM_MOVE = 20000 };

/* Results in double that differ by more than this share of an array's largest number are different ones. */
static const double NOISE = 1e-6, JUMP = 1e-3;

typedef struct Reference {
    HostProgram *p;
    AstProgram *program;
    const IrModule *module;
    StandaloneProgram *out;
    bool marks; /* parts that stand next to a jump are marked */
} Reference;

/* In the kernel's own types and in double: the arrays, in the order of p->arrays. */
typedef struct Outcome {
    LaunchValue **own, **exact;
} Outcome;

/* ---- running ---- */

static void visit_arrays(LaunchValue *value, LaunchValue **list, uint32_t *count)
{
    for (uint32_t i = 0; i < value->field_count; i++)
        visit_arrays(&value->fields[i], list, count);
    if (value->type->kind == TYPE_ARRAY)
        list[(*count)++] = value;
}

/* The arrays of a copy of the launch, in the order of p->arrays. */
static LaunchValue **arrays_of(const HostProgram *p, Launch *launch)
{
    LaunchValue **list = ARENA_ARRAY(p->t->arena, LaunchValue *, p->array_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        visit_arrays(&launch->args[i], list, &count);
    return list;
}

/* How a run differs from the plain one in the kernel's own types. */
typedef struct RunKind {
    bool in_double, races;
    uint32_t noise; /* as AstRun's; only in its own types */
} RunKind;

static bool run(Reference *r, Launch *launch, RunKind kind)
{
    AstRun run = {.in_double = kind.in_double, .detect_races = kind.races, .noise = kind.noise, .max_steps = MAX_STEPS};
    if (ast_program_run(r->program, launch, &run))
        return true;
    r->out->reason = run.finding.message ? run.finding.message : "it cannot be evaluated";
    r->out->finding = finding_name(run.finding.kind);
    r->out->offset = run.finding.offset;
    return false;
}

static bool run_both(Reference *r, const Launch *start, RunKind kind, Outcome *out)
{
    Launch *own = launch_copy(r->p->t->arena, start), *exact = launch_copy(r->p->t->arena, start);
    if (!run(r, own, kind) || !run(r, exact, (RunKind){.in_double = true}))
        return false;
    *out = (Outcome){arrays_of(r->p, own), arrays_of(r->p, exact)};
    return true;
}

/* ---- other starts ---- */

static size_t cell_count(const LaunchValue *value)
{
    return value->count * value->width;
}

static bool is_real(const LaunchValue *value, size_t cell)
{
    return type_is_float(value->cell_types[cell % value->width]);
}

/* The same launch with its threads in another order: the last first, shuffled, or each of them first once. */
static Launch *in_order(Reference *r, uint32_t order)
{
    Arena *arena = r->p->t->arena;
    Launch *launch = launch_copy(arena, r->p->launch);
    uint64_t count = 1;
    for (uint32_t i = 0; i < launch->ndim; i++)
        count *= launch->dim[i];
    uint32_t *threads = ARENA_ARRAY(arena, uint32_t, count);
    uint64_t first = order < ORDERS ? 0 : count * (order - ORDERS + 1) / (ROTATIONS + 1);
    for (uint32_t i = 0; i < count; i++)
        threads[i] = order < ORDERS ? (uint32_t)count - 1 - i : (uint32_t)((i + first) % count);
    for (uint32_t i = (uint32_t)count; order && order < ORDERS && i > 1; i--) {
        uint32_t k = (uint32_t)(stream_unit(STREAM_ORDER + order, i) * i), kept = threads[i - 1];
        threads[i - 1] = threads[k];
        threads[k] = kept;
    }
    launch->threads = threads;
    launch->thread_count = (uint32_t)count;
    return launch;
}

static double moved(double real, TypeKind kind, double unit)
{
    double towards = unit < 0.33 ? -INFINITY : (double)INFINITY;
    if (real == 0 || (unit >= 0.33 && unit < 0.66))
        return real;
    if (kind == TYPE_FLOAT64)
        return nextafter(real, towards);
    if (kind == TYPE_FLOAT32)
        return nextafterf((float)real, (float)towards);
    return real;
}

/* The same launch with its random inputs moved by a unit in the last place, or not. */
static Launch *with_moves(Reference *r, uint32_t move)
{
    HostProgram *p = r->p;
    Launch *launch = launch_copy(p->t->arena, p->launch);
    LaunchValue **list = arrays_of(p, launch);
    for (uint32_t i = 0; i < p->array_count; i++) {
        if (!(p->arrays[i].low < p->arrays[i].high))
            continue; /* one number, which is met exactly */
        for (size_t c = 0; c < cell_count(list[i]); c++)
            if (is_real(list[i], c))
                list[i]->cells[c].real = moved(list[i]->cells[c].real, list[i]->cell_types[c % list[i]->width]->kind,
                                               stream_unit(STREAM_MOVE + 100 * move + i, c));
    }
    return launch;
}

/* ---- results ---- */

typedef struct Runs {
    Outcome first, orders[ORDERS + ROTATIONS], moves[MOVES];
    uint32_t order_count, move_count;
} Runs;

static double cell_number(const LaunchValue *value, size_t i)
{
    const Type *type = value->cell_types[i % value->width];
    if (type_is_float(type))
        return value->cells[i].real;
    if (type->kind == TYPE_UINT64 || type->kind == TYPE_HANDLE)
        return (double)(uint64_t)value->cells[i].integer;
    return (double)value->cells[i].integer;
}

static bool differ(double a, double b, double tolerance)
{
    return !(a == b || fabs(a - b) <= tolerance) && !(isnan(a) && isnan(b));
}

static bool depends_on_order(const HostProgram *p, const Runs *runs, uint32_t array, double scale)
{
    const LaunchValue *first = runs->first.exact[array];
    bool depends = p->arrays[array].param->is_unordered;
    for (uint32_t r = 0; r < runs->order_count; r++)
        for (size_t i = 0; !depends && i < cell_count(first); i++)
            depends = differ(cell_number(runs->orders[r].exact[array], i), cell_number(first, i),
                             is_real(first, i) ? NOISE * scale : 0);
    return depends;
}

static int by_size(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double *sorted_cells(Arena *arena, const LaunchValue *value)
{
    size_t count = cell_count(value);
    double *cells = ARENA_ARRAY(arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        cells[i] = cell_number(value, i);
    qsort(cells, count, sizeof *cells, by_size);
    return cells;
}

/* Do all orders give the same numbers, in whatever places? */
static bool is_same_set(Reference *r, const Runs *runs, uint32_t array, double scale)
{
    const LaunchValue *first = runs->first.exact[array];
    Arena *arena = r->p->t->arena;
    size_t count = cell_count(first);
    if (count > MAX_SET)
        return false;
    const double *wanted = sorted_cells(arena, first);
    for (uint32_t k = 0; k < runs->order_count; k++) {
        const double *found = sorted_cells(arena, runs->orders[k].exact[array]);
        for (size_t i = 0; i < count; i++)
            if (differ(found[i], wanted[i], r->p->arrays[array].is_float ? NOISE * scale : 0))
                return false;
    }
    return true;
}

/* The largest number of a result. */
static double scale_of(const LaunchValue *value)
{
    double scale = 0;
    for (size_t i = 0; i < cell_count(value); i++)
        if (is_real(value, i) && isfinite(value->cells[i].real))
            scale = fmax(scale, fabs(value->cells[i].real));
    return scale;
}

/* How far a number may be from the first one in its own type: by rounding, and by what rounding does to it. */
static double spread_of(const Runs *runs, uint32_t array, size_t i, bool ordered)
{
    double own = runs->first.own[array]->cells[i].real, exact = runs->first.exact[array]->cells[i].real;
    double spread = fabs(own - exact);
    for (uint32_t r = 0; ordered && r < runs->order_count; r++)
        spread = fmax(spread, fabs(runs->orders[r].own[array]->cells[i].real - exact));
    for (uint32_t r = 0; ordered && r < runs->move_count; r++)
        spread = fmax(spread, fabs(runs->moves[r].exact[array]->cells[i].real - exact));
    return spread;
}

static bool is_unsure(const HostArray *array, size_t cell)
{
    return array->unsure && array->unsure[cell];
}

/* The result in the kernel's own types; how far it may be off follows from how far it is from the one in double. */
static void keep_expected(Reference *r, uint32_t number, const Runs *runs)
{
    HostArray *array = &r->p->arrays[number];
    const LaunchValue *rounded = runs->first.own[number];
    size_t cells = cell_count(rounded);
    array->step = (uint32_t)((cells + MAX_EXPECTED - 1) / MAX_EXPECTED) | 1; /* odd: meets all parts of a vector */
    array->expected_count = (uint32_t)((cells + array->step - 1) / array->step);
    double *expected = ARENA_ARRAY(r->p->t->arena, double, array->expected_count + 1), scale = scale_of(rounded),
           off = 0;
    bool ordered = !depends_on_order(r->p, runs, number, scale);
    for (size_t i = 0; i < cells; i++) {
        if (i % array->step == 0)
            expected[i / array->step] = is_unsure(array, i) ? NAN : cell_number(rounded, i);
        if (!is_unsure(array, i) && is_real(rounded, i))
            off = fmax(off, spread_of(runs, number, i, ordered));
    }
    array->expected = expected;
    array->tolerance = array->is_float ? 1e-4 * scale + 16 * off + 1e-6 : 0.5;
    array->comparison = ordered ? BY_PLACE : NOT_COMPARED;
    if (ordered || !is_same_set(r, runs, number, scale))
        return;
    array->comparison = AS_SET;
    array->step = 1;
    array->expected_count = (uint32_t)cells;
    array->expected = sorted_cells(r->p->t->arena, rounded);
}

/* Is a part of a result another one from inputs that are nearly the same, or on another machine? */
static bool cell_jumps(const Runs *runs, uint32_t array, size_t i, double scale)
{
    const LaunchValue *first = runs->first.exact[array];
    double tolerance = is_real(first, i) ? JUMP * scale : 0;
    for (uint32_t r = 0; r < runs->move_count; r++)
        if (differ(cell_number(runs->moves[r].exact[array], i), cell_number(first, i), tolerance) ||
            differ(cell_number(runs->moves[r].own[array], i), cell_number(first, i), tolerance))
            return true;
    return false;
}

static bool jumps(const HostProgram *p, const Runs *runs)
{
    bool any = false;
    for (uint32_t a = 0; a < p->array_count; a++) {
        const LaunchValue *first = runs->first.exact[a];
        double scale = scale_of(first);
        if (!p->arrays[a].is_output || depends_on_order(p, runs, a, scale))
            continue;
        for (size_t i = 0; i < cell_count(first); i++) {
            bool found = cell_jumps(runs, a, i, scale);
            any |= found;
            if (found && p->arrays[a].unsure)
                p->arrays[a].unsure[i] = true;
        }
    }
    return any;
}

static bool has_atomics(const HostProgram *p)
{
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i].param->is_updated)
            return true;
    return false;
}

static bool is_any_unordered(const HostProgram *p)
{
    size_t cells = 0;
    bool any = false;
    for (uint32_t i = 0; i < p->array_count; i++) {
        cells += cell_count(p->arrays[i].value);
        any |= p->arrays[i].is_output && p->arrays[i].param->is_unordered;
    }
    return any && cells <= MAX_CELLS;
}

/* False: see r->out. *steady: no result stands next to a jump. */
static bool find_results(Reference *r, bool *steady)
{
    HostProgram *p = r->p;
    Runs *runs = ARENA_NEW(p->t->arena, Runs);
    if (!run_both(r, p->launch, (RunKind){.races = true}, &runs->first))
        return false;
    *steady = true;
    uint32_t orders = !has_atomics(p) ? 0 : is_any_unordered(p) ? ORDERS + ROTATIONS : ORDERS;
    for (uint32_t k = 0; k < orders; k++)
        runs->order_count += run_both(r, in_order(r, k), (RunKind){0}, &runs->orders[runs->order_count]);
    for (uint32_t k = 0; k < MOVES; k++)
        if (run_both(r, with_moves(r, k), (RunKind){.noise = k + 2}, &runs->moves[runs->move_count]))
            runs->move_count++;
        else
            *steady = false;
    r->out->reason = r->out->finding = NULL;
    *steady &= !jumps(p, runs);
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i].is_output)
            keep_expected(r, i, runs);
    return true;
}

/* ---- derivatives ---- */

/* J direction: the arrays with their tangents; NULL: it cannot be run. */
static LaunchValue **tangents_along(Reference *r, const Launch *start, uint32_t k, RunKind kind)
{
    HostProgram *p = r->p;
    Launch *launch = launch_copy(p->t->arena, start);
    LaunchValue **list = arrays_of(p, launch);
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!array->is_float)
            continue;
        list[i]->tangents = ARENA_ARRAY(p->t->arena, double, cell_count(list[i]));
        for (size_t c = 0; c < cell_count(list[i]); c++)
            if (is_real(list[i], c))
                list[i]->tangents[c] = stream_direction(STREAM_DIRECTION + array->stream + STREAM_DIRECTION * k, c);
    }
    return run(r, launch, kind) ? list : NULL;
}

/* weights . (J direction), and the size of what is added there. */
static bool weighted(const HostProgram *p, LaunchValue **list, double *out, double *size)
{
    *out = *size = 0;
    for (uint32_t i = 0; i < p->array_count; i++) {
        const HostArray *array = &p->arrays[i];
        if (!array->is_float || !array->is_output)
            continue;
        for (size_t c = 0; c < cell_count(list[i]); c++)
            if (!is_unsure(array, c) && is_real(list[i], c)) {
                double term = (double)(float)stream_direction(STREAM_WEIGHTS + array->stream, c) * list[i]->tangents[c];
                *out += term;
                *size += fabs(term);
            }
    }
    return isfinite(*out);
}

static bool derivative_along(Reference *r, const Launch *start, uint32_t k, RunKind kind, double *out, double *size)
{
    LaunchValue **list = tangents_along(r, start, k, kind);
    return list && weighted(r->p, list, out, size);
}

/* Sums of terms that cancel: threads add them in any order, and what rounding leaves goes by the size of the terms. Warp's
 * reverse pass is near enough for that; where it cannot be run, nothing is added. */
static void allow_for_sums(Reference *r)
{
    const double rounding = 16.0 / (1 << 24);
    HostProgram *p = r->p;
    Arena *arena = p->t->arena;
    Finding finding = {0};
    TreeProgram *tree = tree_compile(arena, r->module, true, &finding);
    Launch *launch = launch_copy(arena, p->launch);
    LaunchValue **list = arrays_of(p, launch);
    TreeRun forward = {.max_steps = MAX_STEPS}, backward = {.backward = true, .sizes = true, .max_steps = MAX_STEPS};
    if (!tree || !tree_execute(tree, launch, &forward))
        return;
    for (uint32_t i = 0; i < p->array_count; i++) {
        if (!p->arrays[i].is_float)
            continue;
        list[i]->gradients = ARENA_ARRAY(arena, double, cell_count(list[i]));
        for (size_t c = 0; p->arrays[i].is_output && c < cell_count(list[i]); c++)
            if (!is_unsure(&p->arrays[i], c) && is_real(list[i], c))
                list[i]->gradients[c] = stream_direction(STREAM_WEIGHTS + p->arrays[i].stream, c);
    }
    if (!tree_execute(tree, launch, &backward))
        return;
    for (uint32_t k = 0; k < DIRECTIONS; k++)
        for (uint32_t i = 0; i < p->array_count; i++) {
            uint64_t stream = STREAM_DIRECTION + p->arrays[i].stream + STREAM_DIRECTION * k;
            for (size_t c = 0; list[i]->gradients && c < cell_count(list[i]); c++)
                if (isfinite(list[i]->gradients[c]))
                    p->slack[k] += rounding * fabs(list[i]->gradients[c] * stream_direction(stream, c));
        }
}

static const RunKind in_double = {.in_double = true};

/* Each move in double, and as another machine may run it. */
static RunKind move_kind(uint32_t move)
{
    return move % 2 ? in_double : (RunKind){.noise = move / 2 + 2};
}

/* Marks the parts of results whose derivative is another one from inputs that are nearly the same. */
static void find_kinks(Reference *r, uint32_t k)
{
    HostProgram *p = r->p;
    LaunchValue **first = r->marks ? tangents_along(r, p->launch, k, in_double) : NULL;
    for (uint32_t move = 0; first && move < 2 * MOVES; move++) {
        LaunchValue **other = tangents_along(r, with_moves(r, move / 2), k, move_kind(move));
        for (uint32_t a = 0; other && a < p->array_count; a++) {
            if (!p->arrays[a].unsure || !first[a]->tangents)
                continue;
            size_t cells = cell_count(first[a]);
            double scale = 0;
            for (size_t i = 0; i < cells; i++)
                scale = fmax(scale, isfinite(first[a]->tangents[i]) ? fabs(first[a]->tangents[i]) : 0);
            for (size_t i = 0; i < cells; i++)
                p->arrays[a].unsure[i] |= !isfinite(first[a]->tangents[i]) ||
                                          differ(other[a]->tangents[i], first[a]->tangents[i], JUMP * scale);
        }
    }
}

/* One direction: also from moved inputs, and with the threads in other orders. */
static bool find_derivative(Reference *r, uint32_t k, bool *steady, bool *ordered)
{
    HostProgram *p = r->p;
    double *found = &p->derivative[k], size, other, ignored;
    if (!derivative_along(r, p->launch, k, in_double, found, &size) ||
        !derivative_along(r, p->launch, k, (RunKind){0}, &other, &ignored))
        return false;
    p->slack[k] = fabs(*found - other);
    for (uint32_t move = 0; move < 2 * MOVES; move++) {
        bool ran = derivative_along(r, with_moves(r, move / 2), k, move_kind(move), &other, &ignored);
        *steady &= ran && !differ(other, *found, JUMP * size);
        p->slack[k] = fmax(p->slack[k], ran ? fabs(other - *found) : 0);
    }
    p->slack[k] *= 16;
    for (uint32_t order = 0; order < ORDERS && has_atomics(p); order++)
        *ordered &= derivative_along(r, in_order(r, order), k, in_double, &other, &ignored) &&
                    !differ(other, *found, NOISE * size);
    return true;
}

static bool find_derivatives(Reference *r, bool *steady)
{
    HostProgram *p = r->p;
    bool ordered = true, found = true;
    for (uint32_t k = 0; k < DIRECTIONS; k++)
        find_kinks(r, k);
    r->out->reason = r->out->finding = NULL;
    for (uint32_t k = 0; found && k < DIRECTIONS; k++)
        found = find_derivative(r, k, steady, &ordered);
    if (!found && r->out->reason)
        return false;
    if (!found) {
        *steady = p->has_backward = false;
        p->no_backward = "the derivative of a result is not finite";
        return true;
    }
    r->out->reason = r->out->finding = NULL;
    if (!ordered) {
        p->has_backward = false;
        p->no_backward = "the gradient depends on the order of threads";
        return true;
    }
    allow_for_sums(r);
    return true;
}

/* ---- all of it ---- */

/* Inputs of another draw: other streams of random numbers. */
static void draw_inputs(HostProgram *p, uint32_t draw)
{
    for (uint32_t i = 0; i < p->array_count; i++) {
        p->arrays[i].stream = draw * DRAW_STREAMS + i;
        fill_array(&p->arrays[i]);
    }
}

static bool try_draw(Reference *r, uint32_t draw, bool *steady)
{
    draw_inputs(r->p, draw);
    return find_results(r, steady) && (!r->p->has_backward || find_derivatives(r, steady));
}

bool find_reference(HostProgram *p, AstProgram *kernel, const IrModule *module, StandaloneProgram *out)
{
    bool steady = false, has_backward = p->has_backward;
    uint32_t draws = p->array_count < DRAW_STREAMS ? DRAWS : 1;
    for (uint32_t draw = 0; draw < draws; draw++) {
        StandaloneProgram ignored = *out;
        Reference reference = {.p = p, .program = kernel, .module = module, .out = draw ? &ignored : out};
        p->has_backward = has_backward;
        p->no_backward = NULL;
        bool made = try_draw(&reference, draw, &steady);
        if (made && steady)
            return true;
        if (!made && draw == 0)
            return false;
    }
    p->has_backward = has_backward; /* no draw is away from all jumps */
    p->no_backward = NULL;
    for (uint32_t i = 0; i < p->array_count; i++)
        if (p->arrays[i].is_output)
            p->arrays[i].unsure = ARENA_ARRAY(p->t->arena, bool, cell_count(p->arrays[i].value));
    Reference marking = {.p = p, .program = kernel, .module = module, .out = out, .marks = true};
    return try_draw(&marking, 0, &steady);
}
