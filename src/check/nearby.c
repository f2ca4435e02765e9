/* The gradient close to the data of a program.
 *
 * Such data often lie on a kink: a cloth is flat, a cell of a grid is empty, and wp.min() gets two equal numbers. Each side has a derivative
 * of its own there, and the syntax tree and Warp may take different ones. Close by, the sides are apart, and Warp's reverse pass must be right;
 * and the true derivative differs from one side to another, or there is no kink. */
#include "check/check_impl.h"

#include <math.h>

enum { MOVES = 251 }; /* numbers that are drawn, for all arrays; a prime, so that no two rows are alike */

static const double CLOSE = 1e-9; /* by which a number moves, relative to the largest of its array */

typedef struct Moves {
    double numbers[MOVES];
    size_t next;
} Moves;

static double largest_of(const LaunchValue *value)
{
    double largest = 0;
    for (size_t i = 0; i < launch_cell_count(value); i++) {
        double size = type_is_float(value->cell_types[i % value->width]) ? fabs(value->cells[i].real) : 0;
        if (isfinite(size) && size > largest)
            largest = size;
    }
    return largest > 0 ? largest : 1;
}

static void move_array(LaunchValue *value, LaunchValue *same, void *user)
{
    Moves *moves = user;
    (void)same;
    if (!is_float_array(value))
        return;
    double size = CLOSE * largest_of(value);
    for (size_t i = 0; i < launch_cell_count(value); i++, moves->next = (moves->next + 1) % MOVES)
        if (type_is_float(value->cell_types[i % value->width]))
            value->cells[i].real += size * moves->numbers[moves->next];
}

static Launch *move_launch(Arena *arena, const Launch *start, Rng *rng)
{
    Launch *launch = launch_copy(arena, start);
    Moves moves = {0};
    for (uint32_t i = 0; i < MOVES; i++)
        moves.numbers[i] = rng_unit(rng) * 2 - 1;
    launch_visit(launch, launch, move_array, &moves);
    return launch;
}

/* The products at these data, in the directions of `rng`. */
static bool products_at(const Nearby *nearby, Launch *left, const ThreadList *threads, Rng rng, DotProducts *out)
{
    Launch *before = launch_copy(nearby->arena, left), *right = launch_copy(nearby->arena, left);
    AstRun exact = {.in_double = true, .max_steps = nearby->max_steps, .carries_on = true};
    TreeRun forward = {.max_steps = nearby->max_tree_steps};
    TreeRun backward = {.backward = true, .max_steps = nearby->max_tree_steps};
    use_threads(left, threads);
    use_threads(right, threads);
    set_tangents(nearby->directions, left, rng);
    if (!ast_program_run(nearby->ast, left, &exact) || !tree_execute(nearby->tree, right, &forward) ||
        !set_cotangents(nearby->directions, before, right) || !tree_execute(nearby->tree, right, &backward))
        return false;
    *out = dot_products(nearby->directions, left, right);
    return true;
}

bool gradient_on_kink(const Nearby *nearby, const Launch *start, const ThreadList *threads, const DotProducts *dots,
                      double tolerance)
{
    enum { SIDES = 8 }; /* that are looked at: where there are two, all are the same once in 256 */
    bool jumps = false;
    Rng moves = nearby->moves;
    for (uint32_t i = 0; i < SIDES && !jumps; i++) {
        DotProducts found;
        Launch *moved = move_launch(nearby->arena, start, &moves);
        if (!products_at(nearby, moved, threads, nearby->along, &found) || !(found.error <= tolerance))
            return false;
        jumps = !(fabs(found.exact - dots->exact) <= tolerance * dots->scale);
    }
    return jumps;
}

bool gradient_is_noise(const Nearby *nearby, const Launch *start, const ThreadList *threads, const DotProducts *dots)
{
    enum { RUNS = 2 };
    static const double share = 1.0 / 8; /* of the difference */
    Nudge nudge = {.in_double = true};
    Rng moves = nearby->moves;
    double least = fabs(dots->exact - dots->warp) * share;
    if (dots->scale > SMALLEST_SCALE)
        return false;
    for (uint32_t i = 0; i < RUNS; i++) {
        DotProducts found;
        Launch *moved = launch_copy(nearby->arena, start);
        draw_nudges(&nudge, &moves);
        nudge_launch(&nudge, moved);
        if (products_at(nearby, moved, threads, nearby->along, &found) &&
            (fabs(found.exact - dots->exact) >= least || fabs(found.warp - dots->warp) >= least))
            return true;
    }
    return false;
}

bool has_derivative_by_all(const Nearby *nearby, const Launch *start, const ThreadList *threads)
{
    AstRun exact = {.in_double = true, .max_steps = nearby->max_steps, .carries_on = true};
    Launch *launch = launch_copy(nearby->arena, start);
    use_threads(launch, threads);
    move_all(nearby->directions, true);
    set_tangents(nearby->directions, launch, nearby->along);
    move_all(nearby->directions, false);
    return ast_program_run(nearby->ast, launch, &exact) && has_finite_tangents(launch);
}
