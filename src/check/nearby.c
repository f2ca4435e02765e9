/* The gradient close to the data of a program.
 *
 * Such data often lie on a kink: a cloth is flat, a cell of a grid is empty, and wp.min() gets two equal numbers. Each side has a derivative
 * of its own there, and the syntax tree and Warp may take different ones. Close by, the sides are apart; where Warp's reverse pass is wrong,
 * it is wrong there, too. */
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

static Launch *move_launch(Arena *arena, const Launch *start, Rng rng)
{
    Launch *launch = launch_copy(arena, start);
    Moves moves = {0};
    for (uint32_t i = 0; i < MOVES; i++)
        moves.numbers[i] = rng_unit(&rng) * 2 - 1;
    launch_visit(launch, launch, move_array, &moves);
    return launch;
}

bool gradient_nearby(const Nearby *nearby, const Launch *start, const ThreadList *threads, Rng rng, DotProducts *out)
{
    Launch *left = move_launch(nearby->arena, start, rng);
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
