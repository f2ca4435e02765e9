#include "check/shrink.h"

#include <math.h>
#include <string.h>

enum {
    MAX_SIZES = 64,
    LARGEST_FACTOR = 32,  /* that a kernel may have as a constant number per item */
    LARGEST_CONSTANT = 64 /* size of an array that a kernel may know */
};

/* Sizes of a launch description in ascending order, and what stands for them: as large or larger than each other as before, neighbours
 * where they were neighbours, so that an array of n + 1 still fits a loop over n, and products where they were products. */
typedef struct Sizes {
    uint32_t count;
    struct {
        uint32_t before, after;
        bool stays;
    } items[MAX_SIZES];
} Sizes;

/* A size that is to shrink does so wherever it stands. */
static void add_size(Sizes *sizes, uint32_t size, bool stays)
{
    uint32_t at = 0;
    while (at < sizes->count && sizes->items[at].before < size)
        at++;
    if (at < sizes->count && sizes->items[at].before == size) {
        sizes->items[at].stays &= stays;
        return;
    }
    if (sizes->count == MAX_SIZES || size < 2)
        return;
    memmove(&sizes->items[at + 1], &sizes->items[at], (sizes->count - at) * sizeof *sizes->items);
    sizes->items[at].before = sizes->items[at].after = size;
    sizes->items[at].stays = stays;
    sizes->count++;
}

/* What a size becomes that is a product of two or three smaller ones; 0: it is none, or all of these stay. */
static uint32_t product_of_sizes(const Sizes *sizes, uint32_t at)
{
    uint32_t size = sizes->items[at].before, product = 0;
    for (uint32_t i = 0; i < at; i++)
        for (uint32_t k = i; k < at; k++) {
            uint64_t two = (uint64_t)sizes->items[i].before * sizes->items[k].before;
            uint32_t after = sizes->items[i].after * sizes->items[k].after;
            bool moves = !sizes->items[i].stays || !sizes->items[k].stays;
            if (two == size && moves)
                return after;
            for (uint32_t l = k; two < size && l < at; l++)
                if (two * sizes->items[l].before == size && (moves || !sizes->items[l].stays))
                    product = after * sizes->items[l].after;
        }
    return product;
}

static uint32_t multiple_of_size(const Sizes *sizes, uint32_t at)
{
    uint32_t size = sizes->items[at].before;
    for (uint32_t i = at; i-- > 0;)
        if (!sizes->items[i].stays && size % sizes->items[i].before == 0 &&
            size / sizes->items[i].before <= LARGEST_FACTOR)
            return size / sizes->items[i].before * sizes->items[i].after;
    return 0;
}

static void assign_sizes(Sizes *sizes, Shrinking by)
{
    uint32_t before = 0, after = 0; /* of the one below that shrinks */
    for (uint32_t i = 0; i < sizes->count; i++) {
        if (sizes->items[i].stays)
            continue;
        uint32_t gap = sizes->items[i].before - before;
        uint32_t least = before ? after + (gap < 2 ? gap : 2) : by.limit;
        uint32_t product = product_of_sizes(sizes, i);
        if (!product && by.multiples)
            product = multiple_of_size(sizes, i);
        before = sizes->items[i].before;
        after = product > least ? product : least;
        after = after < before ? after : before;
        sizes->items[i].after = after;
    }
}

static uint32_t smaller_size(const Sizes *sizes, uint32_t size)
{
    for (uint32_t i = 0; i < sizes->count; i++)
        if (sizes->items[i].before == size)
            return sizes->items[i].after;
    return size;
}

/* What stands for a number that may be a size, or the last index of one. */
static double smaller_number(const Sizes *sizes, double number)
{
    for (uint32_t i = 0; i < sizes->count; i++)
        if (number == sizes->items[i].before)
            return sizes->items[i].after;
    for (uint32_t i = 0; i < sizes->count; i++)
        if (number == (double)sizes->items[i].before - 1)
            return (double)sizes->items[i].after - 1;
    return number;
}

/* ---- names of arguments ---- */

bool begins_with(const char *name, Name part, const char **rest)
{
    if (strncmp(name, part->text, part->len) != 0 || (name[part->len] && name[part->len] != '.'))
        return false;
    *rest = name + part->len + (name[part->len] == '.');
    return true;
}

bool is_of_integers(const Type *type, const char *path)
{
    type = type_canonical(type);
    type = type->kind == TYPE_ARRAY ? type_canonical(type->array.dtype) : type;
    for (uint32_t i = 0; type->kind == TYPE_STRUCT && i < type->decl->field_count; i++) {
        const char *rest;
        if (begins_with(path, type->decl->fields[i].name, &rest))
            return is_of_integers(type->decl->fields[i].type, rest);
    }
    const Type *scalar = type->kind == TYPE_STRUCT ? NULL : type_scalar_of(type);
    return scalar && !type_is_float(scalar);
}

/* "n", or "grid.width": a field of a struct. */
static bool holds_integers(const Code *code, const char *name)
{
    for (uint32_t i = 0; i < code->param_count; i++) {
        const char *rest;
        if (begins_with(name, code->params[i].name, &rest))
            return is_of_integers(code->params[i].type, rest);
    }
    return false;
}

/* ---- the launch ---- */

/* How many dimensions of an array come before those that stay. */
static uint32_t leading_dimensions(const CheckLaunch *description, const CheckArg *arg, Shrinking by)
{
    return by.trailing && arg->ndim > description->ndim ? description->ndim : arg->ndim;
}

/* Is it given as a number: a factor of a size, perhaps? */
static bool is_known_integer(const Code *code, const CheckArg *arg)
{
    return arg->has_value && !arg->ndim && arg->value > 1 && arg->value < UINT32_MAX &&
           arg->value == floor(arg->value) && holds_integers(code, arg->name);
}

static bool divides_size(const Sizes *sizes, uint32_t number)
{
    for (uint32_t i = 0; i < sizes->count; i++)
        if (!sizes->items[i].stays && sizes->items[i].before > number && sizes->items[i].before % number == 0)
            return true;
    return false;
}

static Sizes collect_sizes(const Code *code, const CheckLaunch *description, Shrinking by)
{
    Sizes sizes = {0};
    for (uint32_t i = 0; i < description->ndim; i++)
        add_size(&sizes, description->dim[i], description->dim[i] <= by.limit);
    for (uint32_t i = 0; i < description->arg_count; i++) {
        const CheckArg *arg = &description->args[i];
        for (uint32_t k = 0; k < leading_dimensions(description, arg, by); k++)
            add_size(&sizes, arg->shape[k], arg->shape[k] <= by.keep || arg->shape[k] <= by.limit);
    }
    for (uint32_t i = 0; i < description->arg_count; i++)
        if (is_known_integer(code, &description->args[i]) && divides_size(&sizes, (uint32_t)description->args[i].value))
            add_size(&sizes, (uint32_t)description->args[i].value,
                     description->args[i].value <= by.keep || description->args[i].value <= by.limit);
    assign_sizes(&sizes, by);
    return sizes;
}

/* A launch is often rounded up: the size that it was rounded up from. */
static uint32_t rounded_from(const Sizes *sizes, uint32_t dim)
{
    enum { ROUNDED = 64 };
    uint32_t from = dim;
    for (uint32_t i = 0; i < sizes->count; i++)
        if (!sizes->items[i].stays && sizes->items[i].before < dim && dim - sizes->items[i].before <= ROUNDED)
            from = sizes->items[i].before;
    return from;
}

CheckLaunch shrink_launch(Arena *arena, const Code *code, const CheckLaunch *description, Shrinking by)
{
    CheckLaunch small = *description;
    Sizes sizes = collect_sizes(code, description, by);
    for (uint32_t i = 0; i < small.ndim; i++)
        small.dim[i] = smaller_size(&sizes, by.exact ? rounded_from(&sizes, small.dim[i]) : small.dim[i]);
    small.args = ARENA_ARRAY(arena, CheckArg, small.arg_count);
    for (uint32_t i = 0; i < small.arg_count; i++) {
        CheckArg *arg = &small.args[i];
        *arg = description->args[i];
        for (uint32_t k = 0; k < leading_dimensions(description, arg, by); k++)
            arg->shape[k] = smaller_size(&sizes, arg->shape[k]);
        if (!holds_integers(code, arg->name))
            continue;
        arg->value = smaller_number(&sizes, arg->value);
        double low = arg->low == arg->high ? smaller_number(&sizes, arg->low) : arg->low;
        arg->high = fmax(low, smaller_number(&sizes, arg->high));
        arg->low = low;
    }
    return small;
}

size_t count_elements(const CheckLaunch *description)
{
    size_t total = 0;
    for (uint32_t i = 0; i < description->arg_count; i++) {
        size_t count = description->args[i].ndim > 0;
        for (uint32_t k = 0; k < description->args[i].ndim; k++)
            count *= description->args[i].shape[k];
        total += count;
    }
    return total;
}

/* ---- ways ---- */

/* The smallest size of an array above this one; 0: there is none that a kernel may know. */
static uint32_t next_size(const CheckLaunch *description, uint32_t above)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < description->arg_count; i++)
        for (uint32_t k = 0; k < description->args[i].ndim; k++) {
            uint32_t size = description->args[i].shape[k];
            if (size > above && size <= LARGEST_CONSTANT && (!next || size < next))
                next = size;
        }
    return next;
}

bool way_to_shrink(const CheckLaunch *description, uint32_t n, Shrinking *way)
{
    static const Shrinking largest[] = {{.limit = 16, .keep = 16}, {.limit = 64, .keep = 64}};
    for (uint32_t keep = 3; keep; keep = next_size(description, keep), n -= 2)
        if (n < 2) {
            *way = (Shrinking){.limit = n ? 5 : 3, .keep = keep == 3 && n ? 5 : keep};
            return true;
        }
    for (uint32_t keep = 3; keep; keep = next_size(description, keep), n--)
        if (n == 0) {
            *way = (Shrinking){.limit = 3, .keep = keep, .multiples = true, .trailing = true, .exact = true};
            return true;
        }
    if (n >= sizeof largest / sizeof *largest)
        return false;
    *way = largest[n];
    return true;
}
