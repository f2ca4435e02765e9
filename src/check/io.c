/* Which launches a record has: many inputs are drawn and run forward, and those are taken that together show the most. */
#include "check/io.h"

#include "check/io_impl.h"
#include "check/shrink.h"

#include <math.h>
#include <string.h>

enum {
    MORE_LAUNCHES = 3, /* than are wanted, where each shows something new; */
    MOST_RUNS =
        CHECK_MOST_LAUNCHES + MORE_LAUNCHES + 8, /* one that changes an output for the first time is kept, too */
    EXTRA_DRAWS = 24,     /* tried beyond the launches that are wanted, while branches are left, */
    EXTRA_STEPS = 400000, /* and until the region tree has taken so many steps; see also io_impl.h */
    FEW_DRAWS = 5,        /* where small launches did not do, */
    MOST_DRAWS = CHECK_MOST_LAUNCHES + EXTRA_DRAWS,
    WORTH_A_LAUNCH = 16, /* what a further one must show, as tree_coverage_gain counts */
    FAILED_DRAWS = 2,    /* in a row from the start: it does not work at this size; */
    FLAT_TRIES = 10,     /* likewise, where all gradients are zero */
    FAILED_TRIES = 3,    /* likewise, of those that ran forward */
    SMALL_LAUNCHES = 4,  /* beside those that are chosen */
    LARGER_AFTER = 1,    /* draws, then launches with more threads */
    MOST_RUNGS = 10,     /* sizes from which inputs are drawn */
    FEWEST_THREADS = 4,  /* to which a launch is cut that takes too long */
    PLAIN_DRAWS = 3      /* without a choice: inputs that are tried until a launch runs */
};

/* ---- choosing launches ---- */

/* Inputs that ran forward. */
typedef struct Draw {
    LaunchRun run;
    uint64_t seed;
    uint32_t number;
    TreeCoverage *coverage;
    bool *changed; /* of each argument of the description: is it an output that this launch changes? */
    bool is_tried, is_kept;
} Draw;

/* Sizes of launches that are related, from the largest to the smallest. */
typedef struct Ladder {
    CheckLaunch rungs[MOST_RUNGS];
    uint32_t count;
    uint32_t first; /* of the first draw; above it there are more elements, below it fewer threads alone */
} Ladder;

typedef struct Choice {
    LaunchRun runs[MOST_RUNS + SMALL_LAUNCHES]; /* at the end: those that were chosen */
    uint32_t count;
    Draw draws[MOST_DRAWS];
    uint32_t draw_count, drawn;   /* drawn: with those that did not run, */
    uint32_t dropped;             /* or took too long, so that a smaller size is drawn instead */
    const Ladder *ladder;         /* sizes to draw from, */
    uint32_t rung;                /* now this one */
    TreeCoverage *drawn_coverage; /* of all draws together */
    TreeCoverage *coverage;       /* of those that are kept, */
    bool *changed;                /* which change these outputs, */
    bool has_slope;               /* and have a gradient that is not zero */
    bool lacks_output;            /* an output that no draw changes */
    bool is_too_large;            /* already the first launch of this size */
    bool none_works;              /* what ran forward did not bear a closer look, time and again */
} Choice;

static bool is_column_changed(const LaunchValue *before, const LaunchValue *after, const Type *type, const char *path,
                              uint32_t *offset);

/* "out", "state.velocity": an argument, a field of a struct, or one of the elements of an array. */
static bool is_path_changed(const LaunchValue *before, const LaunchValue *after, const char *path)
{
    const Type *type = before->type->kind == TYPE_ARRAY ? type_canonical(before->type->array.dtype) : before->type;
    for (uint32_t i = 0; *path && i < before->field_count; i++) {
        const char *rest;
        if (begins_with(path, before->type->decl->fields[i].name, &rest))
            return is_path_changed(&before->fields[i], &after->fields[i], rest);
    }
    uint32_t offset = 0;
    if (*path && type->kind == TYPE_STRUCT && !before->field_count)
        return is_column_changed(before, after, type, path, &offset);
    return any_change(before, after);
}

static bool is_column_changed(const LaunchValue *before, const LaunchValue *after, const Type *type, const char *path,
                              uint32_t *offset)
{
    type = type_canonical(type);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        const char *rest;
        if (begins_with(path, type->decl->fields[i].name, &rest))
            return is_column_changed(before, after, type->decl->fields[i].type, rest, offset);
        *offset += launch_cells_of(type->decl->fields[i].type);
    }
    size_t width = launch_cells_of(type) * sizeof(Cell);
    for (size_t i = *offset; i < before->count * before->width; i += before->width)
        if (memcmp(&before->cells[i], &after->cells[i], width) != 0)
            return true;
    return false;
}

static TreeCoverage *new_coverage(const Io *io)
{
    enum { MOST_NOTED = 512 }; /* threads that took a branch as one of the first */
    TreeCoverage *coverage = tree_coverage_new(io->tree, MOST_NOTED);
    coverage->enough = 4;
    coverage->enough_each = 2;
    coverage->notes_bounds = true;
    return coverage;
}

static void note_changes(const Io *io, const LaunchRun *run, bool *changed)
{
    const Code *code = io->module->kernel->code;
    for (uint32_t i = 0; i < io->description->arg_count; i++)
        for (uint32_t k = 0; io->description->args[i].is_output && k < code->param_count; k++) {
            const char *rest;
            if (begins_with(io->description->args[i].name, code->params[k].name, &rest))
                changed[i] |= is_path_changed(&run->before->args[k], &run->after->args[k], rest);
        }
}

/* Outputs that the draw changes, and none of those that are kept. */
static uint32_t count_new_changes(const Io *io, const Choice *choice, const Draw *draw)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < io->description->arg_count; i++)
        count += draw->changed[i] && !choice->changed[i];
    return count;
}

/* What was overwritten has none left: that alone is no slope. */
static void look_for_slope(LaunchValue *after, LaunchValue *backward, void *user)
{
    bool *found = user;
    for (size_t i = 0; has_gradient(after) && i < after->count * after->width; i++)
        *found |= backward->gradients[i] != 0 && backward->gradients[i] != after->gradients[i];
}

static bool is_every_output_in(const Io *io, const bool *changed)
{
    for (uint32_t i = 0; i < io->description->arg_count; i++)
        if (io->description->args[i].is_output && !changed[i])
            return false;
    return true;
}

/* Or needs none. */
static bool has_slope(const Io *io, const Choice *choice)
{
    return !io->options->backward || !io->options->wants_slope || choice->has_slope;
}

static bool is_enough(const Io *io, const Choice *choice)
{
    return has_slope(io, choice) && choice->count >= io->options->launches && is_every_output_in(io, choice->changed);
}

/* Of the size that is drawn from. The first launch keeps more threads than others of its size: it is the one that sees the ends. */
static uint64_t most_steps_of(const Choice *choice)
{
    if (choice->rung < choice->ladder->first)
        return STEPS_OF_LARGER;
    return choice->draw_count ? STEPS_OF_SMALL : STEPS_OF_FIRST;
}

static uint64_t count_threads(const CheckLaunch *description)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < description->ndim; i++)
        count *= description->dim[i] ? description->dim[i] : 1;
    return count;
}

/* The next size that does not take too many steps, if all threads take so many. */
static void climb_down(const Io *io, Choice *choice, uint64_t steps_per_thread)
{
    while (io->is_bounded && choice->rung + 1 < choice->ladder->count &&
           steps_per_thread * count_threads(&choice->ladder->rungs[choice->rung]) > most_steps_of(choice))
        choice->rung++;
}

/* Is a smaller size to be drawn instead of this one, which took so many steps? */
static bool is_dropped(const Io *io, Choice *choice, const LaunchRun *run)
{
    enum { TIMES = 2 };
    if (!io->is_bounded || run->steps <= TIMES * most_steps_of(choice) || choice->rung + 1 == choice->ladder->count)
        return false;
    climb_down(io, choice, run->steps / count_threads(&choice->ladder->rungs[choice->rung]));
    choice->dropped++;
    return true;
}

/* Runs further inputs forward, and notes what they do. */
static void draw_inputs(Io *io, Choice *choice)
{
    static const InputKind kinds[] = {INPUTS_EVEN, INPUTS_EVEN, INPUTS_EDGES, INPUTS_EVEN, INPUTS_ALIKE};
    uint32_t number = choice->drawn++;
    InputKind kind = io->options->choose ? kinds[number % (sizeof kinds / sizeof *kinds)] : INPUTS_EVEN;
    Draw *draw = &choice->draws[choice->draw_count];
    *draw = (Draw){.seed = io->options->seed + number, .number = number, .coverage = new_coverage(io)};
    const CheckLaunch *size = &choice->ladder->rungs[choice->rung];
    bool has_run = run_forward(io, size, draw->seed, kind, draw->coverage, &draw->run);
    if (is_dropped(io, choice, &draw->run))
        return;
    choice->draw_count += has_run;
    if (number + 1 == LARGER_AFTER)
        choice->rung = 0;
    climb_down(io, choice, draw->run.steps / count_threads(size));
    if (!has_run)
        return;
    draw->changed = ARENA_ARRAY(io->unit->building, bool, io->description->arg_count + 1);
    note_changes(io, &draw->run, draw->changed);
    tree_coverage_add(io->tree, choice->drawn_coverage, draw->coverage);
}

static uint32_t most_draws(const Io *io)
{
    if (!io->options->choose)
        return PLAIN_DRAWS;
    return io->options->launches + (io->draws_little ? FEW_DRAWS : EXTRA_DRAWS);
}

/* Does every output change on some of the inputs that were drawn? */
static bool is_every_output_drawn(const Io *io, const Choice *choice)
{
    for (uint32_t i = 0; i < io->description->arg_count; i++) {
        bool changed = !io->description->args[i].is_output;
        for (uint32_t k = 0; !changed && k < choice->draw_count; k++)
            changed = choice->draws[k].changed[i];
        if (!changed)
            return false;
    }
    return true;
}

/* Are further inputs to be drawn before any is chosen? Without a choice, the first that run will do. */
static bool wants_draws(const Io *io, const Choice *choice)
{
    if (choice->drawn >= most_draws(io) || (!io->options->choose && choice->draw_count))
        return false;
    if (choice->draw_count < io->options->launches)
        return true;
    bool every_output = is_every_output_drawn(io, choice);
    if (has_spent(io, SPENT_ON_DRAWS))
        return !every_output && !has_spent(io, SPENT_ON_LAUNCHES);
    return !every_output || (!choice->drawn_coverage->complete && io->steps <= EXTRA_STEPS);
}

/* The draw that shows the most of what those that are kept do not show; the first of all, which is the smallest, comes first. */
static Draw *find_best_draw(const Io *io, Choice *choice, uint32_t *gain)
{
    enum { NEW_OUTPUT = 1000 };
    Draw *best = NULL;
    for (uint32_t i = 0; i < choice->draw_count; i++) {
        Draw *draw = &choice->draws[i];
        if (draw->is_tried)
            continue;
        uint32_t its_gain = tree_coverage_gain(choice->coverage, draw->coverage);
        its_gain += NEW_OUTPUT * count_new_changes(io, choice, draw);
        if (!best || its_gain > *gain) {
            best = draw;
            *gain = its_gain;
        }
        if (!draw->number)
            break;
    }
    return best;
}

/* False: something goes wrong that the forward run did not show. */
static bool try_draw(Io *io, Choice *choice, Draw *draw)
{
    bool slope = false;
    draw->is_tried = true;
    if (!complete_run(io, &draw->run, draw->seed))
        return false;
    if (draw->run.backward)
        launch_visit(draw->run.after, draw->run.backward, look_for_slope, &slope);
    bool is_needed = count_new_changes(io, choice, draw) || (slope && !choice->has_slope);
    if (choice->count >= io->options->launches + MORE_LAUNCHES && !(is_needed && choice->count < MOST_RUNS))
        return true;
    draw->is_kept = true;
    choice->count++;
    choice->has_slope |= slope;
    note_changes(io, &draw->run, choice->changed);
    tree_coverage_add(io->tree, choice->coverage, draw->coverage);
    return true;
}

/* Takes the best of what was drawn, one after the other. False: nothing works at this size. */
static bool take_draws(Io *io, Choice *choice)
{
    for (uint32_t failed = 0, tried = 0; failed < FAILED_TRIES || choice->count;) {
        uint32_t gain = 0;
        if (io->options->choose && !is_every_output_drawn(io, choice) && !has_spent(io, SPENT_ON_A_KERNEL)) {
            choice->lacks_output = choice->drawn >= most_draws(io); /* a draw costs a twentieth of a closer look */
            if (choice->lacks_output)
                return false;
            draw_inputs(io, choice);
            continue;
        }
        bool enough = is_enough(io, choice);
        Draw *best = find_best_draw(io, choice, &gain);
        if (enough && (gain < WORTH_A_LAUNCH || choice->count >= io->options->launches + MORE_LAUNCHES ||
                       has_spent(io, SPENT_ON_LAUNCHES)))
            return true;
        if (has_spent(io, SPENT_ON_A_KERNEL))
            return enough;
        if (tried == FLAT_TRIES && !has_slope(io, choice))
            return false;
        tried += best != NULL;
        if (best)
            failed += !try_draw(io, choice, best);
        else if (!enough && choice->drawn < most_draws(io))
            draw_inputs(io, choice);
        else
            return enough;
    }
    choice->none_works = true;
    return false;
}

/* Too much was spent, or launches of several sizes do not come to an end in time. */
static bool is_hopeless(const Io *io)
{
    enum { TOO_LONG_RUNS = 2 * FAILED_DRAWS };
    return has_spent(io, SPENT_ON_A_KERNEL) || (io->is_bounded && io->too_long >= TOO_LONG_RUNS);
}

/* Bytes that its numbers take, as they are drawn; a little less. */
static void count_bytes(LaunchValue *value, LaunchValue *same, void *user)
{
    enum { INTEGER = 3, WHOLE = 5, FRACTION = 8 }; /* "7, ", "0.0, ", "0.4321, " */
    size_t *bytes = user;
    (void)same;
    for (size_t i = 0; i < value->count * value->width; i++) {
        bool is_float = type_is_float(value->cell_types[i % value->width]);
        double real = is_float ? value->cells[i].real : 0;
        *bytes += !is_float ? INTEGER : real == trunc(real) ? WHOLE : FRACTION;
    }
}

/* The inputs alone of as many launches as are wanted are more than a record may hold. */
static bool is_too_large(const Io *io, const Launch *launch)
{
    size_t bytes = 0;
    if (io->options->most_bytes && launch)
        launch_visit(launch, launch, count_bytes, &bytes);
    return bytes * io->options->launches > io->options->most_bytes;
}

static bool is_description_too_large(const Io *io)
{
    const char *why;
    return is_too_large(io, check_make_launch(io->unit, io->module, io->description, io->options->seed, &why));
}

static bool choose_launches(Io *io, const Ladder *ladder, Choice *choice)
{
    *choice = (Choice){.ladder = ladder,
                       .rung = ladder->first,
                       .changed = ARENA_ARRAY(io->unit->building, bool, io->description->arg_count + 1),
                       .drawn_coverage = new_coverage(io),
                       .coverage = new_coverage(io)};
    io->steps = io->usual_steps = 0;
    while (wants_draws(io, choice)) {
        draw_inputs(io, choice);
        choice->is_too_large = choice->draw_count == 1 && is_too_large(io, choice->draws[0].run.before);
        if (choice->is_too_large)
            return false;
        if (choice->drawn - choice->dropped == FAILED_DRAWS && !choice->draw_count && io->options->choose)
            return false;
    }
    bool done = take_draws(io, choice);
    choice->count = 0;
    for (uint32_t i = 0; i < choice->draw_count; i++)
        if (choice->draws[i].is_kept)
            choice->runs[choice->count++] = choice->draws[i].run;
    return done;
}

/* Numbers that only few inputs tell apart are found by many threads; integers are cheap to write down, and have no gradient. */
static bool has_only_integers(const Code *code)
{
    for (uint32_t i = 0; i < code->param_count; i++)
        if (!type_is_scalar(code->params[i].type) && !is_of_integers(code->params[i].type, ""))
            return false;
    return true;
}

static bool same_numbers(const CheckArg *a, const CheckArg *b)
{
    return memcmp(a->shape, b->shape, sizeof a->shape) == 0 && a->value == b->value && a->low == b->low &&
           a->high == b->high;
}

/* Of two launches of one kernel. */
static bool same_sizes(const CheckLaunch *a, const CheckLaunch *b)
{
    if (memcmp(a->dim, b->dim, sizeof a->dim) != 0)
        return false;
    for (uint32_t i = 0; i < a->arg_count; i++)
        if (!same_numbers(&a->args[i], &b->args[i]))
            return false;
    return true;
}

/* Launches with more threads, which see more of what the inputs may be: as large as can be written down in few bytes. */
static void add_larger(Io *io, Shrinking by, Ladder *ladder)
{
    static const uint32_t more[] = {253, 125, 29, 13, 5}, most_elements[] = {700, 700, 700, 900, 1200};
    enum { FOR_INTEGERS = 2 /* of them */ };
    for (size_t i = has_only_integers(io->module->kernel->code) ? 0 : FOR_INTEGERS; i < sizeof more / sizeof *more;
         i++) {
        Shrinking larger_by = by;
        larger_by.limit = by.limit + more[i];
        larger_by.keep = larger_by.limit > by.keep ? larger_by.limit : by.keep;
        CheckLaunch larger = shrink_launch(io->unit->building, io->module->kernel->code, io->description, larger_by);
        if (count_elements(&larger) <= most_elements[i])
            ladder->rungs[ladder->count++] = larger;
    }
}

/* The same launch with fewer threads: no thread knows how many there are, so that arrays may stay as they are. */
static void add_cut(Ladder *ladder)
{
    CheckLaunch cut = ladder->rungs[ladder->first];
    while (ladder->count < MOST_RUNGS && count_threads(&cut) > FEWEST_THREADS) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < cut.ndim; i++)
            longest = cut.dim[i] > cut.dim[longest] ? i : longest;
        cut.dim[longest] = (cut.dim[longest] + 1) / 2;
        ladder->rungs[ladder->count++] = cut;
    }
}

static Ladder *new_ladder(Io *io, const CheckLaunch *first)
{
    Ladder *ladder = ARENA_NEW(io->unit->building, Ladder);
    ladder->rungs[ladder->count++] = *first;
    return ladder;
}

/* Others that are nearly as small: where there are few elements, the first and the last of them count, and numbers that are the same
 * for all threads get more values for few bytes. */
static void add_small_launches(Io *io, Shrinking way, Choice *choice)
{
    static const uint32_t more[SMALL_LAUNCHES] = {1, 3, 0, 2};
    enum { MOST_ELEMENTS = 120 };
    for (uint32_t i = 0; i < SMALL_LAUNCHES && !has_spent(io, SPENT_ON_LAUNCHES); i++) {
        Shrinking by = way;
        LaunchRun run;
        by.limit += more[i];
        by.keep = by.limit > by.keep ? by.limit : by.keep;
        CheckLaunch small = shrink_launch(io->unit->building, io->module->kernel->code, io->description, by);
        uint64_t seed = io->options->seed + io->options->launches + EXTRA_DRAWS + i;
        if (count_elements(&small) <= MOST_ELEMENTS && run_forward(io, &small, seed, INPUTS_EVEN, NULL, &run) &&
            complete_run(io, &run, seed))
            choice->runs[choice->count++] = run;
    }
}

/* ---- which size ---- */

static bool is_among(Ladder *const *tried, uint32_t count, const Ladder *ladder)
{
    for (uint32_t i = 0; i < count; i++)
        if (same_sizes(&tried[i]->rungs[tried[i]->first], &ladder->rungs[ladder->first]) &&
            same_sizes(&tried[i]->rungs[0], &ladder->rungs[0]))
            return true;
    return false;
}

/* It runs at this size, and yet its launches are not good enough. */
static bool has_run_in_vain(const Io *io, const Choice *choice)
{
    return choice->none_works || (choice->lacks_output ? choice->draw_count : choice->count) >= io->options->launches;
}

/* One size after the other, from the smallest on. False: none of those that were tried does; `in_vain` of them ran. */
static bool choose_small_size(Io *io, Choice *choice, uint32_t *in_vain)
{
    enum { ENOUGH = 3 }; /* sizes at which it runs in vain: of 1,500 kernels, none got its launches at a fourth one */
    Ladder **tried = NULL;
    uint32_t count = 0, cap = 0;
    Shrinking way;
    for (uint32_t i = 0; *in_vain < ENOUGH && way_to_shrink(io->description, i, &way); i++) {
        Ladder *ladder = ARENA_NEW(io->unit->building, Ladder);
        add_larger(io, way, ladder);
        ladder->first = ladder->count;
        ladder->rungs[ladder->count++] =
            shrink_launch(io->unit->building, io->module->kernel->code, io->description, way);
        add_cut(ladder);
        if (is_among(tried, count, ladder))
            continue;
        ARENA_PUSH(io->unit->building, tried, count, cap) = ladder;
        if (choose_launches(io, ladder, choice)) {
            add_small_launches(io, way, choice);
            return true;
        }
        *in_vain += has_run_in_vain(io, choice);
        if (is_hopeless(io) || choice->is_too_large)
            return false;
    }
    return false;
}

/* As small as the kernel allows. */
static bool choose_size(Io *io, Choice *choice)
{
    for (uint32_t keep = io->module->uses_tiles ? 0 : io->options->size; keep; keep = keep < 64 ? 64 : 0) {
        Shrinking to_size = {.limit = io->options->size, .keep = keep};
        CheckLaunch sized = shrink_launch(io->unit->building, io->module->kernel->code, io->description, to_size);
        if (choose_launches(io, new_ladder(io, &sized), choice))
            return true;
    }
    if (io->module->uses_tiles) /* sizes are those of tiles, and stay */
        return !is_description_too_large(io) && choose_launches(io, new_ladder(io, io->description), choice);
    if (io->options->size)
        return false;
    uint32_t in_vain = 0;
    if (io->options->choose && choose_small_size(io, choice, &in_vain))
        return true;
    if (io->options->choose &&
        (is_hopeless(io) || choice->is_too_large || (in_vain && choice->none_works) || is_description_too_large(io)))
        return false;
    io->draws_little = in_vain > 0; /* an output may need many threads to change, but hardly other inputs */
    Ladder *ladder = new_ladder(io, io->description);
    add_cut(ladder);
    bool done = choose_launches(io, ladder, choice);
    io->draws_little = false;
    return done;
}

/* Only by the inputs: what arrays held before that are only written has a verdict of its own. */
static void prepare_gradient_test(Io *io)
{
    bool has_priors;
    const Code *code = io->module->kernel->code;
    io->directions =
        directions_new(io->unit->building, argument_movements(io->unit->building, code, io->description, &has_priors));
    hold_priors(io->directions, true);
}

bool check_write_launches(Unit *unit, const IrModule *module, const CheckLaunch *description, const IoOptions *options,
                          Text *out)
{
    Finding finding;
    IoOptions forward = *options;
    Io io = {.unit = unit, .module = module, .description = description, .options = options};
    io.is_bounded = options->choose && !options->size;
    io.programs = options->programs ? options->programs : check_programs_new(unit, module);
    io.ast = syntax_tree_program(io.programs);
    io.tree = region_tree_program(io.programs, false, &finding);
    if (options->backward && options->wants_slope)
        prepare_gradient_test(&io);
    Choice *choice = ARENA_NEW(unit->building, Choice);
    bool done = io.tree && choose_size(&io, choice);
    forward.backward = false; /* a wrong backward pass may have no results that one could write down */
    io.options = &forward;
    if (io.tree && !done && options->backward && !options->wants_slope)
        done = choose_size(&io, choice);
    if (!done)
        return false;
    for (uint32_t i = 0; i < choice->count; i++) {
        text_str(out, i ? ", " : "[");
        write_launch_run(module, &choice->runs[i], out);
    }
    text_char(out, ']');
    return true;
}
