#include "check/usual.h"
#include "check/tile_launch.h"

#include <math.h>
#include <string.h>

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
            add_argument(compiled->unit->building, code->params[i].name->text, code->params[i].type, &list, count,
                         &cap);
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
    if (given->symmetric && !check_is_square(type_canonical(ndim ? type->array.dtype : type)))
        return arena_format(arena, "--symmetric %s: '%s' is not made of square matrices", given->name, given->name);
    if (given->definite && !check_has_matrices(type))
        return arena_format(arena, "--definite %s: '%s' has no square matrices, nor two dimensions of floats",
                            given->name, given->name);
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
                                      ? mistake_about(compiled->unit->building, &given->args[i], &arguments[k])
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

/* As large as its tiles ask for, unless something is said about it. */
static void shape_for_tiles(const TileSurvey *tiles, CheckLaunch *launch, const Argument *argument)
{
    CheckArg *known = check_find_arg(launch, argument->name), fresh = {.name = argument->name};
    CheckArg *arg = known ? known : &fresh;
    if (!arg->ndim && tile_launch_shape(tiles, launch, arg, argument->type->array.ndim) && !known)
        launch->args[launch->arg_count++] = fresh;
}

CheckLaunch usual_launch(const CheckLaunch *given, const Compiled *compiled, uint32_t threads, uint32_t size)
{
    const Code *code = compiled->module->kernel->code;
    const CheckArg none = {0}, *all = check_find_arg(given, "*");
    CheckLaunch launch = *given;
    const IrModule *module = compiled->module;
    const TileSurvey *tiles = NULL;
    uint32_t count;
    const Argument *arguments = list_arguments(compiled, &count);
    if (module->uses_tiles) {
        tiles = tile_survey(module);
        tile_launch_dims(tiles, &launch);
        size = 0;
    } else if (threads) {
        launch.ndim = module->kernel->kernel_dim;
        for (uint32_t i = 0; i < 4; i++)
            launch.dim[i] = i < launch.ndim ? threads : 1;
    }
    launch.args = ARENA_ARRAY(compiled->unit->building, CheckArg, given->arg_count + code->param_count + count);
    if (given->arg_count)
        memcpy(launch.args, given->args, given->arg_count * sizeof *launch.args);
    const ParamUses *uses = check_param_uses(compiled->unit->building, code);
    const ArgIndex index = check_index_args(compiled->unit->building, given);
    for (uint32_t i = 0; i < code->param_count; i++) {
        const Param *param = &code->params[i];
        const CheckArg *known = arg_at(&index, param->name->text);
        CheckArg *arg = known ? &launch.args[known - given->args] : NULL;
        if (!param->type)
            continue;
        if (!arg)
            apply_to(arg = &launch.args[launch.arg_count++], all ? all : &none, param, size);
        if (check_is_output(uses, param) && !(known && (arg->has_range || arg->has_value))) {
            arg->has_value = true;
            arg->value = 0;
        }
    }
    for (uint32_t i = 0; tiles && !(all && all->ndim) && i < count; i++)
        if (arguments[i].type->kind == TYPE_ARRAY)
            shape_for_tiles(tiles, &launch, &arguments[i]);
    return launch;
}
