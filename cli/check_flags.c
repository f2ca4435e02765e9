/* The flags of weft check that say how a kernel is launched, and what is assumed without them. */
#include "check_flags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading the flags ---- */

static CheckArg *arg_named(CheckLaunch *launch, const char *name, size_t length)
{
    for (uint32_t i = 0; i < launch->arg_count; i++)
        if (strncmp(launch->args[i].name, name, length) == 0 && !launch->args[i].name[length])
            return &launch->args[i];
    if (launch->arg_count == MAX_GIVEN)
        return NULL;
    CheckArg *arg = &launch->args[launch->arg_count++];
    memset(arg, 0, sizeof *arg);
    arg->name = strndup(name, length);
    return arg->name ? arg : NULL;
}

/* Numbers separated by commas; how many, or 0 if there is anything else. */
static uint32_t read_list(const char *text, double *out, uint32_t max)
{
    uint32_t count = 0;
    for (;;) {
        char *end;
        double value = strtod(text, &end);
        if (end == text || count == max || !isfinite(value))
            return 0;
        out[count++] = value;
        if (!*end)
            return count;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
}

static bool whole(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] < 1 || numbers[i] > 1 << 20 || numbers[i] != floor(numbers[i]))
            return false;
    return true;
}

static bool wrong_flag(const char *flag, const char *text, const char *form)
{
    fprintf(stderr, "weft check: --%s %s: it is written %s\n", flag, text, form);
    return false;
}

static bool read_dim(CheckLaunch *launch, const char *text)
{
    double numbers[4];
    uint32_t count = read_list(text, numbers, 4);
    if (!count || !whole(numbers, count))
        return wrong_flag("dim", text, "N[,M...]");
    launch->ndim = count;
    for (uint32_t i = 0; i < count; i++)
        launch->dim[i] = (uint32_t)numbers[i];
    return true;
}

/* A flag that may be given for one argument (NAME=…) or for all (the name "*"). */
static bool read_shape(CheckLaunch *launch, const char *text)
{
    double numbers[4];
    const char *equals = strchr(text, '=');
    uint32_t count = read_list(equals ? equals + 1 : text, numbers, 4);
    CheckArg *arg = equals ? arg_named(launch, text, (size_t)(equals - text)) : arg_named(launch, "*", 1);
    if (!count || !whole(numbers, count) || !arg)
        return wrong_flag("shape", text, "[NAME=]7[,5...]");
    arg->ndim = count;
    for (uint32_t i = 0; i < count; i++)
        arg->shape[i] = (uint32_t)numbers[i];
    return true;
}

static bool read_range(CheckLaunch *launch, const char *text)
{
    double numbers[2];
    const char *equals = strchr(text, '=');
    uint32_t count = read_list(equals ? equals + 1 : text, numbers, 2);
    CheckArg *arg = equals ? arg_named(launch, text, (size_t)(equals - text)) : arg_named(launch, "*", 1);
    if (count != 2 || numbers[0] > numbers[1] || !arg)
        return wrong_flag("range", text, "[NAME=]LOW,HIGH");
    arg->has_range = true;
    arg->low = numbers[0];
    arg->high = numbers[1];
    return true;
}

static bool read_set(CheckLaunch *launch, const char *text)
{
    double number;
    const char *equals = strchr(text, '=');
    CheckArg *arg =
        equals && read_list(equals + 1, &number, 1) == 1 ? arg_named(launch, text, (size_t)(equals - text)) : NULL;
    if (!arg)
        return wrong_flag("set", text, "NAME=VALUE");
    arg->has_value = true;
    arg->value = number;
    return true;
}

bool read_launch_flags(CheckLaunch *launch, int *argc, char **argv)
{
    static const struct {
        const char *flag;
        bool (*read)(CheckLaunch *, const char *);
    } flags[] = {
        {"--dim", read_dim},
        {"--shape", read_shape},
        {"--range", read_range},
        {"--set", read_set},
    };
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        bool taken = false;
        for (size_t k = 0; !taken && k < sizeof flags / sizeof *flags; k++) {
            size_t len = strlen(flags[k].flag);
            if (strncmp(argv[i], flags[k].flag, len) || (argv[i][len] && argv[i][len] != '='))
                continue;
            taken = true;
            const char *value = argv[i][len] ? argv[i] + len + 1 : i + 1 < *argc ? argv[++i] : NULL;
            if (!value) {
                fprintf(stderr, "weft check: %s needs a value\n", flags[k].flag);
                return false;
            }
            if (!flags[k].read(launch, value))
                return false;
        }
        if (!taken)
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return true;
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
        CheckArg *arg = (CheckArg *)check_find_arg(&launch, param->name->text);
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
