/* The flags of weft check that say how a kernel is launched, and what is assumed without them. */
#include "check_flags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the flags ---- */

typedef struct FlagReader {
    const Command *command;
    CheckLaunch *launch;
    char **names;
} FlagReader;

static CheckArg *arg_named(const FlagReader *reader, const char *name, size_t length)
{
    CheckLaunch *launch = reader->launch;
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (strncmp(launch->args[i].name, name, length) == 0 && !launch->args[i].name[length])
            return &launch->args[i];
    if (launch->arg_count == MAX_GIVEN)
        return NULL;
    char *copy = strndup(name, length);
    if (!copy)
        return NULL;
    reader->names[launch->arg_count] = copy;
    CheckArg *arg = &launch->args[launch->arg_count++];
    *arg = (CheckArg){.name = copy};
    return arg;
}

/* Numbers separated by commas; how many, or 0 if there is anything else. */
static uint32_t read_list(const char *text, double *out, uint32_t max)
{
    uint32_t count = 0;
    for (;;) {
        char *end;
        size_t length = strspn(text, "+-.0123456789eE"); /* no spaces, no hexadecimal numbers */
        double value = strtod(text, &end);
        if (end == text || end != text + length || count == max || !isfinite(value))
            return 0;
        out[count++] = value;
        if (!*end)
            return count;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
}

enum { MOST_PER_DIMENSION = 1 << 20 };

/* Sizes for --dim and --shape; 0: a message was printed. */
static uint32_t read_sizes(const Command *command, const char *flag, const char *text, const char *numbers_text,
                           uint32_t *sizes)
{
    double numbers[4];
    uint32_t count = read_list(numbers_text, numbers, 4);
    if (!count)
        wrong_call(command, "--%s takes one to four whole numbers, as %s, not '%s'", flag,
                   strcmp(flag, "dim") == 0 ? "16,16" : "16,16 or x=16,16", text);
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] != floor(numbers[i]) || numbers[i] < 1 || numbers[i] > MOST_PER_DIMENSION) {
            wrong_call(command, "--%s %s: each size is a whole number from 1 to %d", flag, text, MOST_PER_DIMENSION);
            return 0;
        }
        sizes[i] = (uint32_t)numbers[i];
    }
    return count;
}

/* The argument that a flag is for: that before the '=', or "*", all. NULL: a message was printed. */
static CheckArg *flag_target(const FlagReader *reader, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == text) {
        wrong_call(reader->command, "the name of the argument is missing in '%s'", text);
        return NULL;
    }
    CheckArg *arg = equals ? arg_named(reader, text, (size_t)(equals - text)) : arg_named(reader, "*", 1);
    if (!arg)
        wrong_call(reader->command, "too many arguments are named (at most %d)", MAX_GIVEN);
    return arg;
}

static const char *flag_value(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals ? equals + 1 : text;
}

static int read_shape(const FlagReader *reader, const char *text)
{
    uint32_t sizes[4], count = read_sizes(reader->command, "shape", text, flag_value(text), sizes);
    CheckArg *arg = count ? flag_target(reader, text) : NULL;
    if (!arg)
        return EXIT_USAGE;
    arg->ndim = count;
    memcpy(arg->shape, sizes, count * sizeof *sizes);
    return EXIT_DONE;
}

static int read_range(const FlagReader *reader, const char *text)
{
    double numbers[2];
    if (read_list(flag_value(text), numbers, 2) != 2 || numbers[0] > numbers[1])
        return wrong_call(reader->command, "--range takes a lowest and a highest value, as 0,1 or x=0,1, not '%s'",
                          text);
    CheckArg *arg = flag_target(reader, text);
    if (!arg)
        return EXIT_USAGE;
    arg->has_range = true;
    arg->low = numbers[0];
    arg->high = numbers[1];
    return EXIT_DONE;
}

static int read_value(const FlagReader *reader, const char *text)
{
    double number;
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || read_list(equals + 1, &number, 1) != 1)
        return wrong_call(reader->command, "--set takes an argument's name and a number, as n=3, not '%s'", text);
    CheckArg *arg = flag_target(reader, text);
    if (!arg)
        return EXIT_USAGE;
    arg->has_value = true;
    arg->value = number;
    return EXIT_DONE;
}

static int read_sorted(const FlagReader *reader, const char *text)
{
    CheckArg *arg = *text && !strchr(text, '=') ? arg_named(reader, text, strlen(text)) : NULL;
    if (!arg)
        return wrong_call(reader->command, "--sorted takes the name of an array, not '%s'", text);
    arg->sorted = true;
    return EXIT_DONE;
}

int read_launch_flags(const Command *command, const LaunchFlags *flags, CheckLaunch *launch, char **names)
{
    const FlagReader reader = {command, launch, names};
    const struct {
        const Words *words;
        int (*read)(const FlagReader *, const char *);
    } kinds[] = {{&flags->shapes, read_shape},
                 {&flags->ranges, read_range},
                 {&flags->values, read_value},
                 {&flags->sorted, read_sorted}};
    if (flags->dim && !(launch->ndim = read_sizes(command, "dim", flags->dim, flags->dim, launch->dim)))
        return EXIT_USAGE;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < kinds[kind].words->count; i++)
            if (kinds[kind].read(&reader, kinds[kind].words->items[i]) != EXIT_DONE)
                return EXIT_USAGE;
    return EXIT_DONE;
}

/* ---- what the kernel takes ---- */

static void add_argument(Arena *arena, const char *name, const Type *type, Argument **list, uint32_t *count,
                         uint32_t *cap)
{
    type = type_canonical(type);
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        const StructField *field = &type->decl->fields[i];
        add_argument(arena, arena_format(arena, "%s.%s", name, field->name->text), field->type, list, count, cap);
    }
    ARENA_PUSH(arena, *list, *count, *cap) = (Argument){name, type};
}

Argument *list_arguments(const Compiled *compiled, uint32_t *count)
{
    const Code *code = compiled->module->kernel->code;
    Argument *list = NULL;
    uint32_t cap = 0;
    *count = 0;
    for (uint32_t i = 0; i < code->param_count; i++)
        if (code->params[i].type)
            add_argument(compiled->unit->arena, code->params[i].name->text, code->params[i].type, &list, count, &cap);
    return list;
}

/* Is a number within what the type can hold? */
static bool can_hold(TypeKind kind, double number)
{
    if (kind >= TYPE_FLOAT16 && kind <= TYPE_FLOAT64)
        return isfinite(round_to_type(number, kind));
    if (kind > TYPE_UINT64)
        return true; /* a bool, or the parts of a struct */
    int bits = 8 << (kind - TYPE_INT8) / 2;
    bool is_signed = (kind - TYPE_INT8) % 2 == 0;
    return number < ldexp(1.0, bits - is_signed) && number >= (is_signed ? -ldexp(1.0, bits - 1) : 0.0);
}

static const char *mistake_about(Arena *arena, const CheckArg *given, const Argument *argument)
{
    const Type *type = argument->type;
    uint32_t ndim = type->kind == TYPE_ARRAY ? type->array.ndim : 0;
    const Type *scalar = type_scalar_of(type->kind == TYPE_ARRAY ? type->array.dtype : type);
    bool numbers = type_is_float(scalar) || type_is_int(scalar) || scalar->kind == TYPE_BOOL ||
                   scalar->kind == TYPE_STRUCT; /* an array of structs: every scalar in it */
    if (given->ndim && !ndim)
        return arena_format(arena, "--shape %s: '%s' is not an array", given->name, given->name);
    if (given->ndim && given->ndim != ndim)
        return arena_format(arena, "--shape %s: '%s' has %u dimension%s, not %u", given->name, given->name, ndim,
                            ndim == 1 ? "" : "s", given->ndim);
    if (given->sorted && (!ndim || type->array.dtype != scalar || !numbers))
        return arena_format(arena, "--sorted %s: '%s' is not an array of numbers", given->name, given->name);
    if ((given->has_range || given->has_value) && (!numbers || type->kind == TYPE_STRUCT))
        return arena_format(arena, "--%s %s: '%s' is not made of numbers%s", given->has_range ? "range" : "set",
                            given->name, given->name, type->kind == TYPE_STRUCT ? "; name one of its fields" : "");
    if (given->has_value && type_is_int(scalar) && given->value != floor(given->value))
        return arena_format(arena, "--set %s=%g: '%s' is an integer", given->name, given->value, given->name);
    double numbers_given[] = {given->has_value ? given->value : given->low,
                              given->has_value ? given->value : given->high};
    for (int i = 0; (given->has_range || given->has_value) && i < 2; i++)
        if (!can_hold(type_canonical(scalar)->kind, numbers_given[i]))
            return arena_format(arena, "--%s %s: %g is too large for the type of '%s'",
                                given->has_range ? "range" : "set", given->name, numbers_given[i], given->name);
    return NULL;
}

const char *find_flag_mistake(const CheckLaunch *given, const Compiled *compiled)
{
    uint32_t count;
    const Argument *arguments = list_arguments(compiled, &count);
    for (uint32_t i = 0; i < given->arg_count; i++)
        for (uint32_t k = 0; k < count; k++) {
            const char *mistake = strcmp(given->args[i].name, arguments[k].name) == 0
                                      ? mistake_about(compiled->unit->arena, &given->args[i], &arguments[k])
                                      : NULL;
            if (mistake)
                return mistake;
        }
    return NULL;
}

/* ---- what is launched ---- */

/* Numbers that fit arrays of that size: indices into them, counts up to it. */
static void fit_integers(CheckArg *arg, const Param *param, uint32_t side)
{
    bool array = param->type->kind == TYPE_ARRAY;
    arg->has_range = true;
    arg->low = array ? 0 : side < 3 ? side : 3;
    arg->high = array ? side - 1 : side < 6 ? side : 6;
}

static uint32_t smallest_side(const CheckArg *all, uint32_t size)
{
    uint32_t side = size ? size : UINT32_MAX;
    for (uint32_t i = 0; !size && i < all->ndim; i++)
        side = all->shape[i] < side ? all->shape[i] : side;
    return side;
}

/* The flags for all arguments, spelled out for one of them. */
static void apply_to(CheckArg *arg, const CheckArg *all, const Param *param, uint32_t size)
{
    bool array = param->type->kind == TYPE_ARRAY;
    const Type *scalar = type_scalar_of(array ? param->type->array.dtype : param->type);
    *arg = *all;
    arg->name = param->name->text;
    arg->ndim = array && (all->ndim || size) ? param->type->array.ndim : 0;
    for (uint32_t d = 0; d < arg->ndim; d++)
        arg->shape[d] = size ? size : all->shape[d < all->ndim ? d : all->ndim - 1];
    if (array && !type_is_float(scalar))
        arg->has_range = false;
    if (!arg->has_range && type_is_int(scalar) && (all->ndim || size))
        fit_integers(arg, param, smallest_side(all, size));
}

CheckLaunch launch_of_flags(const CheckLaunch *given, const Compiled *compiled, uint32_t threads, uint32_t size)
{
    const Code *code = compiled->module->kernel->code;
    const CheckArg none = {0}, *all = check_find_arg(given, "*");
    CheckLaunch launch = *given;
    if (threads) {
        launch.ndim = compiled->module->kernel->kernel_dim;
        for (uint32_t i = 0; i < 4; i++)
            launch.dim[i] = i < launch.ndim ? threads : 1;
    }
    launch.args = ARENA_ARRAY(compiled->unit->arena, CheckArg, given->arg_count + code->param_count);
    if (given->arg_count)
        memcpy(launch.args, given->args, given->arg_count * sizeof *launch.args);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Param *param = &code->params[i];
        CheckArg *arg = check_find_arg(&launch, param->name->text);
        if (!param->type)
            continue;
        if (!arg)
            apply_to(arg = &launch.args[launch.arg_count++], all ? all : &none, param, size);
        bool named = check_find_arg(given, param->name->text) != NULL;
        if (check_is_output(code, param) && !(named && (arg->has_range || arg->has_value))) {
            arg->has_value = true;
            arg->value = 0;
        }
    }
    return launch;
}
