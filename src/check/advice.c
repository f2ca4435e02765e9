#include "check/advice.h"
#include "check/tile_launch.h"
#include "check/usual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 400, PAIRED = 24 };

/* ---- words ---- */

static const struct {
    const char *phrase, *advice;
} kinds[] = {
    [FINDING_NONE] = {"", ""},
    [FINDING_OUT_OF_BOUNDS] =
        {"an index is out of bounds",
         "launch fewer threads (--dim), make the arrays larger (--shape), or the indices and counts "
         "smaller (--range, --set)"},
    [FINDING_UNSET_VARIABLE] = {"a variable has no value",
                                "choose inputs (--set, --range) for which it gets one before it is used"},
    [FINDING_INTEGER_OVERFLOW] = {"an integer overflows", "choose smaller integers (--set, --range)"},
    [FINDING_DIVISION_BY_ZERO] = {"division by zero", "keep the divisor away from zero (--range, --set)"},
    [FINDING_NOT_FINITE] = {"a value is not finite", "choose inputs (--range, --set) for which it is"},
    [FINDING_DOMAIN] = {"an argument is outside the domain of the function",
                        "choose inputs (--range, --set, --symmetric, --definite) inside the domain"},
    [FINDING_GRADIENT_UNDEFINED] = {"Warp's gradient is not defined", "keep both sides inside the domain"},
    [FINDING_RACE] = {"a race between threads",
                      "launch one thread (--dim 1), or write to the element with an atomic function"},
    [FINDING_NOT_UNIFORM] = {"lanes of a block part before a tile operation",
                             "let all lanes come to it, or launch blocks of one lane"},
    [FINDING_TOO_MANY_STEPS] = {"too many steps",
                                "choose smaller counts (--set), smaller arrays (--shape) or fewer threads (--dim)"},
    [FINDING_TOO_MUCH_MEMORY] = {"too much memory", "choose smaller arrays (--shape) or fewer threads (--dim)"},
    [FINDING_UNSUPPORTED] = {"weft cannot run this", "no option of the launch changes this"},
};

const char *finding_phrase(FindingKind kind)
{
    return kinds[kind].phrase;
}

const char *general_advice(const Finding *finding)
{
    return kinds[finding->kind].advice;
}

/* ---- changes ---- */

typedef enum ChangeKind {
    CHANGE_DIM,
    CHANGE_SHAPE,
    CHANGE_RANGE,
    CHANGE_VALUE,
    CHANGE_SYMMETRIC,
    CHANGE_DEFINITE
} ChangeKind;

typedef struct Change {
    ChangeKind kind;
    const Argument *argument; /* NULL: all of them */
    uint32_t size;            /* DIM: of blocks or threads; 0: as they are */
    double low, high;
    uint32_t rank;  /* smaller ones are tried first */
    uint32_t lanes; /* DIM: of a block; 0: as they are */
} Change;

typedef struct Advisor {
    const Compiled *compiled;
    const CheckLaunch *given;
    const Finding *finding;
    LaunchTest *is_valid;
    void *user;
    Change changes[MOST_CHANGES];
    uint32_t count;
} Advisor;

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the name stand in the line of the finding? */
static bool is_near(const Advisor *advisor, const Argument *argument)
{
    const Source *source = advisor->compiled->module->kernel->code->scope->file->source;
    SourcePosition at = source_position(source, advisor->finding->offset);
    const char *dot = strrchr(argument->name, '.'), *name = dot ? dot + 1 : argument->name;
    size_t length = strlen(name);
    for (uint32_t i = at.line_start; i + length <= at.line_end; i++)
        if (memcmp(source->text + i, name, length) == 0 &&
            (i == at.line_start || !is_word_character(source->text[i - 1])) &&
            (i + length == source->len || !is_word_character(source->text[i + length])))
            return true;
    return false;
}

static void add_change(Advisor *advisor, Change change)
{
    if (advisor->count < MOST_CHANGES)
        advisor->changes[advisor->count++] = change;
}

static const uint32_t sizes[] = {9, 10, 12, 16, 24, 32, 48, 64, 128, 256};

/* Elements of all dimensions together stay few. */
static bool is_small(uint32_t size, uint32_t ndim)
{
    static const uint32_t largest[] = {256, 256, 64, 16, 12};
    return size <= largest[ndim < 5 ? ndim : 4];
}

static void add_array_changes(Advisor *advisor, const Argument *argument, uint32_t rank)
{
    const Type *scalar = type_scalar_of(argument->type->array.dtype);
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (is_small(sizes[i], argument->type->array.ndim))
            add_change(advisor,
                       (Change){.kind = CHANGE_SHAPE, .argument = argument, .size = sizes[i], .rank = rank + i});
    static const double ranges[][2] = {{0, 0}, {0, 1}, {0, 3}, {1, 3}, {1, 7}};
    for (uint32_t i = 0; type_is_int(scalar) && i < sizeof ranges / sizeof *ranges; i++)
        add_change(advisor, (Change){.kind = CHANGE_RANGE,
                                     .argument = argument,
                                     .low = ranges[i][0],
                                     .high = ranges[i][1],
                                     .rank = rank + i});
}

static void add_float_changes(Advisor *advisor, const Argument *argument, uint32_t rank)
{
    static const double ranges[][2] = {{1, 2},   {0.1, 0.9}, {-0.5, 0.5},   {2, 3},
                                       {0.5, 1}, {5, 10},    {0.001, 0.01}, {-2, -1}};
    for (uint32_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        add_change(advisor, (Change){.kind = CHANGE_RANGE,
                                     .argument = argument,
                                     .low = ranges[i][0],
                                     .high = ranges[i][1],
                                     .rank = rank + i});
}

static void add_argument_changes(Advisor *advisor, const Argument *argument)
{
    const Type *type = argument->type;
    bool array = type->kind == TYPE_ARRAY;
    const Type *scalar = type_scalar_of(array ? type->array.dtype : type);
    uint32_t rank = is_near(advisor, argument) ? 0 : 100;
    FindingKind kind = advisor->finding->kind;
    bool by_place =
        kind == FINDING_OUT_OF_BOUNDS || kind == FINDING_RACE; /* values matter less than where they stand */
    if (kind == FINDING_DOMAIN && check_is_square(type_canonical(array ? type->array.dtype : type)))
        add_change(advisor, (Change){.kind = CHANGE_SYMMETRIC, .argument = argument, .rank = rank});
    if (kind == FINDING_DOMAIN && check_has_matrices(type))
        add_change(advisor, (Change){.kind = CHANGE_DEFINITE, .argument = argument, .rank = rank + 19});
    if (array)
        add_array_changes(advisor, argument, rank + (kind == FINDING_OUT_OF_BOUNDS ? 0 : 20));
    if (type_is_float(scalar))
        add_float_changes(advisor, argument, rank + (by_place ? 60 : 10));
    static const double values[] = {1, 2, 0, 4, 8, 16};
    for (uint32_t i = 0; !array && type_is_int(type) && i < sizeof values / sizeof *values; i++)
        add_change(advisor, (Change){.kind = CHANGE_VALUE,
                                     .argument = argument,
                                     .low = values[i],
                                     .high = values[i],
                                     .rank = rank + 12 + i});
}

static int by_rank(const void *a, const void *b)
{
    const Change *left = a, *right = b;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* Smaller blocks of lanes, where nothing that was compiled depends on them. */
static void add_lane_changes(Advisor *advisor)
{
    const IrModule *module = advisor->compiled->module;
    FindingKind kind = advisor->finding->kind;
    if (!module->uses_tiles || module->depends_on_block)
        return;
    if (kind == FINDING_RACE)
        add_change(advisor, (Change){.kind = CHANGE_DIM, .size = 1, .rank = 48, .lanes = 1});
    for (uint32_t lanes = 4; (kind == FINDING_NOT_UNIFORM || kind == FINDING_OUT_OF_BOUNDS) && lanes; lanes /= 2)
        add_change(advisor, (Change){.kind = CHANGE_DIM, .rank = 98 + (4 - lanes), .lanes = lanes});
}

static void collect_changes(Advisor *advisor)
{
    uint32_t argument_count;
    const Argument *arguments = list_arguments(advisor->compiled, &argument_count);
    FindingKind kind = advisor->finding->kind;
    bool single = kind == FINDING_RACE; /* threads in each other's way: one of them alone */
    for (uint32_t size = 1; size <= 4; size *= 2)
        add_change(advisor, (Change){.kind = CHANGE_DIM, .size = size, .rank = single ? 40 + size : 90 + (8 - size)});
    add_lane_changes(advisor);
    uint32_t most_dims = 0;
    for (uint32_t i = 0; i < argument_count; i++) {
        const Type *type = arguments[i].type;
        add_argument_changes(advisor, &arguments[i]);
        if (type->kind == TYPE_ARRAY && type->array.ndim > most_dims)
            most_dims = type->array.ndim;
    }
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] <= (most_dims < 4 ? 64u : 24u))
            add_change(advisor, (Change){.kind = CHANGE_SHAPE, .size = sizes[i], .rank = 80 + i});
    add_float_changes(advisor, NULL, 180);
    /* Stable: what was added first stays first among equals. */
    for (uint32_t i = 0; i < advisor->count; i++)
        advisor->changes[i].rank = advisor->changes[i].rank * MOST_CHANGES + i;
    qsort(advisor->changes, advisor->count, sizeof *advisor->changes, by_rank);
}

/* ---- trying them ---- */

static CheckArg *arg_of(CheckLaunch *launch, const char *name)
{
    CheckArg *arg = check_find_arg(launch, name);
    if (!arg) {
        arg = &launch->args[launch->arg_count++];
        *arg = (CheckArg){.name = name};
    }
    return arg;
}

static void apply_blocks(const Advisor *advisor, const Change *change, CheckLaunch *launch)
{
    const TileSurvey *tiles = tile_survey(advisor->compiled->module);
    if (change->lanes)
        launch->block_dim = change->lanes;
    if (change->size) {
        tile_launch_blocks(tiles, launch, change->size);
    } else {
        launch->ndim = 0;
        tile_launch_dims(tiles, launch);
    }
}

static void apply(const Advisor *advisor, const Change *change, CheckLaunch *launch)
{
    if (change->kind == CHANGE_DIM && advisor->compiled->module->uses_tiles) {
        apply_blocks(advisor, change, launch);
        return;
    }
    if (change->kind == CHANGE_DIM) {
        launch->ndim = advisor->compiled->module->kernel->kernel_dim;
        for (uint32_t i = 0; i < 4; i++)
            launch->dim[i] = i < launch->ndim ? change->size : 1;
        return;
    }
    CheckArg *arg = arg_of(launch, change->argument ? change->argument->name : "*");
    switch (change->kind) {
    case CHANGE_SHAPE:
        arg->ndim = change->argument ? change->argument->type->array.ndim : 1;
        for (uint32_t i = 0; i < arg->ndim; i++)
            arg->shape[i] = change->size;
        break;
    case CHANGE_RANGE:
        arg->has_range = true;
        arg->has_value = false;
        arg->low = change->low;
        arg->high = change->high;
        break;
    case CHANGE_VALUE:
        arg->has_value = true;
        arg->value = change->low;
        break;
    case CHANGE_SYMMETRIC: arg->symmetric = true; break;
    case CHANGE_DEFINITE: arg->definite = true; break;
    case CHANGE_DIM: break;
    }
}

/* With one or two changes. */
static bool helps(const Advisor *advisor, const Change *first, const Change *second, CheckLaunch *found)
{
    CheckLaunch launch = *advisor->given;
    launch.args = ARENA_ARRAY(advisor->compiled->unit->building, CheckArg, launch.arg_count + 2);
    if (launch.arg_count)
        memcpy(launch.args, advisor->given->args, launch.arg_count * sizeof *launch.args);
    apply(advisor, first, &launch);
    if (second)
        apply(advisor, second, &launch);
    *found = launch;
    return advisor->is_valid(&launch, advisor->user);
}

static void add_sizes(Text *text, uint32_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "%s%u", i ? "," : "", size);
}

static void add_dims(const Advisor *advisor, const Change *change, Text *text)
{
    const IrModule *module = advisor->compiled->module;
    CheckLaunch launch = {.block_dim = advisor->given->block_dim};
    if (!module->uses_tiles) {
        add_sizes(text, change->size, module->kernel->kernel_dim);
        return;
    }
    apply_blocks(advisor, change, &launch);
    for (uint32_t i = 0; i < launch.ndim; i++)
        text_format(text, "%s%u", i ? "," : "", launch.dim[i]);
    text_format(text, " --block-dim %u", launch.block_dim);
}

static bool takes_value(const Change *change)
{
    return change->kind != CHANGE_SYMMETRIC && change->kind != CHANGE_DEFINITE;
}

static void add_flag(const Advisor *advisor, const Change *change, Text *text)
{
    static const char *const names[] = {"--dim ", "--shape ", "--range ", "--set ", "--symmetric ", "--definite "};
    text_str(text, text->len ? " " : "");
    text_str(text, names[change->kind]);
    if (change->argument)
        text_format(text, "%s%s", change->argument->name, takes_value(change) ? "=" : "");
    switch (change->kind) {
    case CHANGE_DIM: add_dims(advisor, change, text); break;
    case CHANGE_SHAPE: add_sizes(text, change->size, change->argument ? change->argument->type->array.ndim : 1); break;
    case CHANGE_RANGE: text_format(text, "%g,%g", change->low, change->high); break;
    case CHANGE_VALUE: text_format(text, "%g", change->low); break;
    case CHANGE_SYMMETRIC:
    case CHANGE_DEFINITE: break;
    }
}

const char *advise(const Compiled *compiled, const CheckLaunch *given, const Finding *finding, LaunchTest *is_valid,
                   void *user, CheckLaunch *found)
{
    Arena *arena = compiled->unit->building;
    Advisor *advisor = ARENA_NEW(arena, Advisor);
    Text text;
    if (finding->kind == FINDING_UNSUPPORTED)
        return NULL;
    *advisor = (Advisor){.compiled = compiled, .given = given, .finding = finding, .is_valid = is_valid, .user = user};
    text_init_in(&text, arena);
    collect_changes(advisor);
    for (uint32_t i = 0; i < advisor->count; i++)
        if (helps(advisor, &advisor->changes[i], NULL, found)) {
            add_flag(advisor, &advisor->changes[i], &text);
            return text_cstr(&text);
        }
    /* Two together: each of the first of every argument. */
    for (uint32_t i = 0; i < advisor->count && i < PAIRED; i++)
        for (uint32_t k = i + 1; k < advisor->count && k < i + PAIRED; k++) {
            const Change *first = &advisor->changes[i], *second = &advisor->changes[k];
            if (first->kind == second->kind && first->argument == second->argument)
                continue;
            if (helps(advisor, first, second, found)) {
                add_flag(advisor, first, &text);
                add_flag(advisor, second, &text);
                return text_cstr(&text);
            }
        }
    return NULL;
}
