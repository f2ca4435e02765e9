#include "check/drive.h"
#include "check/usual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WAYS = 24,    /* that are looked for */
    MOST_TRIES = 400,  /* runs forward, for all ways of a kernel, */
    MOST_CHANGES = 96, /* ways to change the arguments, for one way */
    PAIRED = 20,       /* of these, so many are also made together */
    MOST_BASES = 4,    /* launches that are changed: the one that was judged, and those that took a way */
    MOST_SIZE = 4096,  /* threads, or elements of an array */
    MOST_STEPS_OF_RUN = 200000,
    MOST_STEPS_OF_ALL = 4000000,
    MOST_MEMORY = 1 << 27
};

typedef enum ChangeKind { CHANGE_NONE, CHANGE_SET, CHANGE_RANGE, CHANGE_SHAPE, CHANGE_THREADS } ChangeKind;

typedef struct Change {
    ChangeKind kind;
    const Argument *argument; /* NULL: all arrays, or the launch */
    uint32_t size;            /* SHAPE, THREADS */
    double low, high;
    uint32_t order; /* of those for the same argument: the likeliest first */
} Change;

typedef struct Base {
    CheckLaunch given;
    const char *flags; /* beyond the one that was judged */
} Base;

typedef struct Driver {
    Drive *drive;
    Arena *arena;
    const Argument *arguments;
    uint32_t argument_count;
    Base bases[MOST_BASES];
    uint32_t base_count;
    uint32_t tries;
    uint64_t steps;
    Change changes[MOST_CHANGES];
    uint32_t count; /* of changes */
    CheckResult *result;
    bool shown_is_exact; /* the launch of the result has arrays of equal numbers */
} Driver;

/* ---- what may be changed ---- */

static void add_change(Driver *d, Change change)
{
    if (d->count < MOST_CHANGES)
        d->changes[d->count++] = change;
}

static void add_range(Driver *d, const Argument *argument, double low, double high, uint32_t order)
{
    add_change(d, (Change){CHANGE_RANGE, argument, 0, low, high, order});
}

static void add_value(Driver *d, const Argument *argument, double value, uint32_t order)
{
    add_change(d, (Change){CHANGE_SET, argument, 0, value, value, order});
}

static void add_integers(Driver *d, const Argument *argument, bool is_array, const Deciders *by)
{
    static const double usual[] = {0, 1, CHECK_USUAL_SIZE, 2, 7, 16, -1};
    static const int steps[] = {0, 1, -1};
    uint32_t order = 0;
    for (uint32_t i = 0; i < by->number_count; i++)
        for (uint32_t k = 0; k < 3; k++) {
            double number = ceil(by->numbers[i]) + steps[k];
            if (is_array)
                add_range(d, argument, number, number, order++);
            else
                add_value(d, argument, number, order++);
        }
    for (uint32_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (is_array)
            add_range(d, argument, usual[i], usual[i], order++);
        else
            add_value(d, argument, usual[i], order++);
}

/* On both sides of each number, then far away. */
static void add_floats(Driver *d, const Argument *argument, const Deciders *by)
{
    static const double usual[][2] = {{-1, 1}, {1, 4},    {-4, -1},    {0.001, 0.01},
                                      {5, 50}, {50, 500}, {-500, -50}, {0, 0}};
    uint32_t order = 0;
    for (uint32_t i = 0; i < by->number_count; i++) {
        double at = by->numbers[i], span = fmax(fabs(at) / 2, at == 0 ? 0.5 : 1e-6);
        add_range(d, argument, at - span, at + span, order++);
        add_range(d, argument, at + span / 8, at + span, order++);
        add_range(d, argument, at - span, at - span / 8, order++);
        add_range(d, argument, at, at, order++);
    }
    for (uint32_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_range(d, argument, usual[i][0], usual[i][1], order++);
}

static void add_sizes(Driver *d, ChangeKind kind, const Argument *argument, const Deciders *by)
{
    static const uint32_t usual[] = {1, 2, 16, 64};
    uint32_t order = 0;
    for (uint32_t i = 0; i < by->number_count; i++) {
        double size = ceil(by->numbers[i]) + 2;
        if (size > 1 && size <= MOST_SIZE)
            add_change(d, (Change){kind, argument, (uint32_t)size, 0, 0, order++});
    }
    for (uint32_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_change(d, (Change){kind, argument, usual[i], 0, 0, order++});
}

static void add_changes_of(Driver *d, const Argument *argument, const Deciders *by)
{
    bool is_array = argument->type->kind == TYPE_ARRAY;
    const Type *scalar = type_scalar_of(is_array ? argument->type->array.dtype : argument->type);
    if (scalar->kind == TYPE_BOOL) {
        for (uint32_t truth = 0; truth < 2; truth++)
            add_range(d, argument, truth, truth, truth);
    } else if (type_is_float(scalar) || (is_array && scalar->kind == TYPE_STRUCT))
        add_floats(d, argument, by);
    else if (type_is_int(scalar))
        add_integers(d, argument, is_array, by);
    if (is_array && !d->drive->compiled->module->uses_tiles)
        add_sizes(d, CHANGE_SHAPE, argument, by);
}

static int compare_changes(const void *a, const void *b)
{
    const Change *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : x < y ? -1 : x > y;
}

/* Is it the argument that decides, or a field of it? */
static bool decides(const Driver *d, const Deciders *by, const Argument *argument)
{
    const Code *code = d->drive->compiled->module->kernel->code;
    for (uint32_t i = 0; i < code->param_count; i++) {
        const char *name = code->params[i].name->text;
        size_t length = strlen(name);
        if (by->params[i] && strncmp(argument->name, name, length) == 0 &&
            (!argument->name[length] || argument->name[length] == '.'))
            return true;
    }
    return false;
}

/* Arguments by turns: the likeliest change of each comes first. */
static void collect_changes(Driver *d, const Deciders *by)
{
    d->count = 0;
    if (by->has_thread && !d->drive->compiled->module->uses_tiles)
        add_sizes(d, CHANGE_THREADS, NULL, by);
    for (uint32_t i = 0; i < d->argument_count; i++)
        if (decides(d, by, &d->arguments[i]) && d->arguments[i].type->kind != TYPE_STRUCT)
            add_changes_of(d, &d->arguments[i], by);
    qsort(d->changes, d->count, sizeof *d->changes, compare_changes);
}

/* ---- making them ---- */

static CheckArg *arg_of(CheckLaunch *launch, const char *name)
{
    CheckArg *arg = check_find_arg(launch, name);
    if (!arg) {
        arg = &launch->args[launch->arg_count++];
        *arg = (CheckArg){.name = name};
    }
    return arg;
}

static void shape_all(const Driver *d, CheckLaunch *launch, uint32_t size)
{
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Argument *argument = &d->arguments[i];
        uint32_t ndim = argument->type->kind == TYPE_ARRAY ? argument->type->array.ndim : 0;
        if (!ndim)
            continue;
        CheckArg *arg = arg_of(launch, argument->name);
        arg->ndim = ndim;
        for (uint32_t k = 0; k < ndim; k++)
            arg->shape[k] = ndim <= 2 || size <= 16 ? size : 16;
    }
}

static void apply(const Driver *d, const Change *change, CheckLaunch *launch)
{
    CheckArg *arg = change->argument ? arg_of(launch, change->argument->name) : NULL;
    switch (change->kind) {
    case CHANGE_SET:
    case CHANGE_RANGE:
        arg->has_value = change->kind == CHANGE_SET;
        arg->has_range = !arg->has_value;
        arg->value = arg->low = change->low;
        arg->high = change->high;
        break;
    case CHANGE_SHAPE:
        if (!arg) {
            shape_all(d, launch, change->size);
            break;
        }
        arg->ndim = change->argument->type->array.ndim;
        for (uint32_t k = 0; k < arg->ndim; k++)
            arg->shape[k] = k ? CHECK_USUAL_SIZE : change->size;
        break;
    case CHANGE_THREADS:
        launch->ndim = d->drive->compiled->module->kernel->kernel_dim;
        for (uint32_t k = 0; k < 4; k++)
            launch->dim[k] = k >= launch->ndim ? 1 : change->size;
        if (change->size > CHECK_USUAL_SIZE)
            shape_all(d, launch, change->size);
        break;
    case CHANGE_NONE: break;
    }
}

static uint64_t count_threads(const CheckLaunch *launch)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < launch->ndim; i++)
        count *= launch->dim[i];
    return count;
}

static void add_sizes_text(Text *text, const uint32_t *sizes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "%s%u", i ? "," : "", sizes[i]);
}

static void add_flag(Text *text, const char *flag, const char *name)
{
    text_format(text, "%s--%s %s", text->len ? " " : "", flag, name);
}

static void add_shape(Text *text, const CheckArg *arg)
{
    bool is_all = strcmp(arg->name, "*") == 0;
    add_flag(text, "shape", is_all ? "" : arg->name);
    text_str(text, is_all ? "" : "=");
    add_sizes_text(text, arg->shape, arg->ndim);
}

static void add_range_flag(Text *text, const CheckArg *arg)
{
    bool is_all = strcmp(arg->name, "*") == 0;
    add_flag(text, "range", is_all ? "" : arg->name);
    text_format(text, "%s%.9g,%.9g", is_all ? "" : "=", arg->low, arg->high);
}

static void add_argument_flags(Text *text, const CheckArg *arg, const CheckArg *known)
{
    if (arg->ndim && (arg->ndim != known->ndim || memcmp(arg->shape, known->shape, sizeof arg->shape) != 0))
        add_shape(text, arg);
    if (arg->has_value && !(known->has_value && known->value == arg->value)) {
        bool is_whole =
            arg->value == floor(arg->value) && fabs(arg->value) < 0x1p53; /* of which no digit may be left out */
        add_flag(text, "set", arg->name);
        text_format(text, is_whole ? "=%.0f" : "=%.9g", arg->value);
    }
    if (arg->has_range && !(known->has_range && known->low == arg->low && known->high == arg->high))
        add_range_flag(text, arg);
    if (arg->sorted && !known->sorted)
        add_flag(text, "sorted", arg->name);
    if (arg->symmetric && !known->symmetric)
        add_flag(text, "symmetric", arg->name);
    if (arg->definite && !known->definite)
        add_flag(text, "definite", arg->name);
}

/* What a launch has that another has not, as flags. */
static const char *flags_beyond(const Driver *d, const CheckLaunch *launch, const CheckLaunch *other)
{
    Text text;
    text_init_in(&text, d->arena);
    if (launch->ndim && memcmp(launch->dim, other->dim, sizeof launch->dim) != 0) {
        add_flag(&text, "dim", "");
        add_sizes_text(&text, launch->dim, launch->ndim);
    }
    if (launch->block_dim && launch->block_dim != other->block_dim) {
        add_flag(&text, "block-dim", "");
        text_format(&text, "%u", launch->block_dim);
    }
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        const CheckArg none = {0}, *known = check_find_arg(other, launch->args[i].name);
        add_argument_flags(&text, &launch->args[i], known ? known : &none);
    }
    return text_cstr(&text);
}

/* ---- trying them ---- */

static bool has_spent(const Driver *d)
{
    return d->tries >= MOST_TRIES || d->steps >= MOST_STEPS_OF_ALL || d->arena->used > MOST_MEMORY;
}

static CheckLaunch changed_launch(const Driver *d, const Base *base, const Change *first, const Change *second)
{
    CheckLaunch launch = base->given;
    launch.args = ARENA_ARRAY(d->arena, CheckArg, launch.arg_count + 2 * d->argument_count + 2);
    if (launch.arg_count)
        memcpy(launch.args, base->given.args, launch.arg_count * sizeof *launch.args);
    apply(d, first, &launch);
    if (second)
        apply(d, second, &launch);
    return launch;
}

/* A run forward tells whether it is worth a check. */
static bool takes_way(Driver *d, const CheckLaunch *given, const MissingWay *way)
{
    const Compiled *compiled = d->drive->compiled;
    CheckLaunch launch = usual_launch(given, compiled, 0, 0);
    const char *why;
    if (count_threads(&launch) > MOST_SIZE)
        return false;
    d->tries++;
    Launch *start = check_make_launch(compiled->unit, compiled->module, &launch, d->drive->options->seed, &why);
    return start && check_takes_way(d->drive->options->coverage, start, way, MOST_STEPS_OF_RUN, &d->steps);
}

static bool is_float_like(const Type *scalar)
{
    return !type_is_int(scalar) && scalar->kind != TYPE_BOOL;
}

/* Of two equal numbers neither is the larger one, and the gradient of their maximum is a matter of taste: where all elements of an
 * array are the same, a gradient can be found right, but not wrong. Nor does it say much that a gradient is not defined where a
 * number is zero that hardly ever is. */
static bool has_exact_floats(const Driver *d, const CheckLaunch *given, bool arrays_alone)
{
    for (uint32_t i = 0; i < d->argument_count; i++) {
        const Type *type = d->arguments[i].type;
        const CheckArg *arg = check_find_arg(given, d->arguments[i].name);
        bool is_array = type->kind == TYPE_ARRAY;
        if ((is_array || !arrays_alone) && is_float_like(type_scalar_of(is_array ? type->array.dtype : type)) && arg &&
            arg->has_range && arg->low == arg->high)
            return true;
    }
    return false;
}

/* True: this way needs no further try. */
static bool judge(Driver *d, const CheckLaunch *given, const MissingWay *way)
{
    Drive *drive = d->drive;
    CheckLaunch launch = usual_launch(given, drive->compiled, 0, 0);
    CheckResult result;
    check_kernel(drive->compiled->unit, drive->compiled->module, &launch, drive->options, &result);
    if (result.failure != CHECK_OK || (result.finding.kind != FINDING_NONE && result.gradient != GRADIENT_MISMATCH))
        return false;
    if (result.gradient == GRADIENT_MISMATCH &&
        has_exact_floats(d, given, result.finding.kind != FINDING_GRADIENT_UNDEFINED))
        return false;
    if (result.gradient == GRADIENT_MISMATCH) {
        drive->wrong = *given;
        drive->flags = flags_beyond(d, given, drive->asked);
        *d->result = result;
        return true;
    }
    if (!check_has_taken(drive->options->coverage, way))
        return false;
    drive->launches++;
    bool is_exact = has_exact_floats(d, given, false);
    bool is_better = d->result->gradient == GRADIENT_NONE || (d->shown_is_exact && !is_exact);
    if (result.gradient != GRADIENT_NONE && is_better) {
        *d->result = result;
        drive->shown = *given;
        drive->is_shown = true;
        d->shown_is_exact = is_exact;
    }
    if (d->base_count < MOST_BASES)
        d->bases[d->base_count++] = (Base){.given = *given};
    return true;
}

static bool try_changes(Driver *d, const Base *base, const MissingWay *way, const Change *first, const Change *second)
{
    CheckLaunch given = changed_launch(d, base, first, second);
    return takes_way(d, &given, way) && judge(d, &given, way);
}

/* A count beyond the arrays: these grow with it. */
static bool try_with_room(Driver *d, const Base *base, const MissingWay *way, const Change *change)
{
    if (change->kind != CHANGE_SET || change->low <= CHECK_USUAL_SIZE || change->low > MOST_SIZE ||
        d->drive->compiled->module->uses_tiles)
        return false;
    const Change room = {.kind = CHANGE_SHAPE, .size = (uint32_t)change->low + 2};
    return try_changes(d, base, way, change, &room);
}

static bool drive_from(Driver *d, const Base *base, const MissingWay *way)
{
    for (uint32_t i = 0; i < d->count && !has_spent(d); i++)
        if (try_changes(d, base, way, &d->changes[i], NULL) || try_with_room(d, base, way, &d->changes[i]))
            return true;
    for (uint32_t i = 0; i < d->count && i < PAIRED; i++)
        for (uint32_t k = i + 1; k < d->count && k < PAIRED && !has_spent(d); k++)
            if (d->changes[i].argument != d->changes[k].argument &&
                try_changes(d, base, way, &d->changes[i], &d->changes[k]))
                return true;
    return false;
}

/* Notes the ways that a launch takes which is not valid, as far as it runs: the other ways may be those of valid ones. */
static void note_invalid(Driver *d)
{
    const Drive *drive = d->drive;
    CheckLaunch launch = usual_launch(drive->given, drive->compiled, 0, 0);
    const char *why;
    Launch *start =
        check_make_launch(drive->compiled->unit, drive->compiled->module, &launch, drive->options->seed, &why);
    if (start)
        check_note_run(drive->options->coverage, start, MOST_STEPS_OF_RUN, &d->steps);
}

void drive_branches(Drive *drive, CheckResult *result)
{
    const CheckCoverage *coverage = drive->options->coverage;
    Driver *d = ARENA_NEW(drive->compiled->unit->building, Driver);
    MissingWay ways[MOST_WAYS], tried[MOST_WAYS];
    uint32_t tried_count = 0;
    *d = (Driver){.drive = drive, .arena = drive->compiled->unit->building, .result = result, .base_count = 1};
    d->arguments = list_arguments(drive->compiled, &d->argument_count);
    d->bases[0].given = *drive->given;
    if (drive->is_invalid)
        note_invalid(d);
    for (uint32_t count = check_missing_ways(coverage, ways, MOST_WAYS), i = 0; i < count && !drive->flags;) {
        bool known = false;
        for (uint32_t k = 0; k < tried_count; k++)
            known |= tried[k].branch == ways[i].branch && tried[k].when == ways[i].when;
        if (known || tried_count == MOST_WAYS || has_spent(d)) {
            i++;
            continue;
        }
        Deciders by;
        tried[tried_count++] = ways[i];
        find_deciders(d->arena, drive->compiled->module, ways[i].branch, &by);
        collect_changes(d, &by);
        bool taken = false;
        for (uint32_t b = d->base_count; b-- > 0 && !taken;)
            taken = drive_from(d, &d->bases[b], &ways[i]);
        if (taken) { /* and perhaps others, or their code has more of them */
            count = check_missing_ways(coverage, ways, MOST_WAYS);
            i = 0;
        }
    }
}
