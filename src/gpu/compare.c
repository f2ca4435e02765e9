#include "gpu/compare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

static const double SLACK = 32, ARRAY_SLACK = 8, ULPS = 16, SUM_ULPS = 128, ARRAY_ULPS = 4, LOOSE = 1e-3;
/* Another order changes a cell in double: more than by rounding, and not far less than in the kernel's own types. */
static const double ORDER_NOISE = 1e-6, ORDER_SHARE = 1e-3;

typedef struct Comparer {
    const Runs *runs;
    bool gradients;
    Comparison *out;
} Comparer;

enum { ALL_RUNS = MAX_RUNS + MAX_ORDERS + MAX_ROTATIONS };

/* The same array in the result and in all runs. */
typedef struct Views {
    const LaunchValue *result, *own[ALL_RUNS], *exact[ALL_RUNS], *sizes;
} Views; /* first those that were moved, then those in other orders */

static double unit_of(const Type *type)
{
    switch (type->kind) {
    case TYPE_FLOAT16: return 0x1p-10;
    case TYPE_BFLOAT16: return 0x1p-7;
    case TYPE_FLOAT32: return FLT_EPSILON;
    default: return DBL_EPSILON;
    }
}

static double smallest_of(const Type *type)
{
    return type->kind == TYPE_FLOAT16 ? 0x1p-24 : type->kind == TYPE_FLOAT64 ? DBL_MIN : (double)FLT_MIN;
}

static double cell_of(const Comparer *c, const LaunchValue *value, size_t i)
{
    return c->gradients ? value->gradients[i] : value->cells[i].real;
}

static void note_wrong(Comparer *c, const char *where, size_t i, const LaunchValue *value, const char *what)
{
    if (c->out->wrong++)
        return;
    char part[32] = "";
    if (value->width > 1)
        snprintf(part, sizeof part, ", part %zu", i % value->width);
    snprintf(c->out->where, sizeof c->out->where, "%s%s[%zu]%s", c->gradients ? "gradient of " : "", where,
             i / value->width, part);
    snprintf(c->out->what, sizeof c->out->what, "%s", what);
}

static uint32_t all_runs(const Comparer *c)
{
    return c->runs->count + c->runs->orders;
}

/* ---- cells ---- */

static bool integer_depends_on_order(const Comparer *c, const Views *views, size_t i)
{
    bool depends = false;
    for (uint32_t r = c->runs->count; r < all_runs(c); r++)
        depends |= views->own[r]->cells[i].integer != views->own[0]->cells[i].integer ||
                   views->exact[r]->cells[i].integer != views->exact[0]->cells[i].integer;
    return depends;
}

static void compare_integer(Comparer *c, const Views *views, size_t i, const char *where)
{
    int64_t result = views->result->cells[i].integer, low = views->exact[0]->cells[i].integer, high = low;
    if (integer_depends_on_order(c, views, i)) {
        c->out->unordered++;
        return;
    }
    for (uint32_t r = 0; r < c->runs->count; r++) {
        const int64_t found[2] = {views->own[r]->cells[i].integer, views->exact[r]->cells[i].integer};
        for (int k = 0; k < 2; k++) {
            low = found[k] < low ? found[k] : low;
            high = found[k] > high ? found[k] : high;
        }
    }
    c->out->loose += low != high;
    if (result >= low && result <= high)
        return;
    char what[160];
    snprintf(what, sizeof what, "%lld, expected %lld", (long long)result, (long long)low);
    note_wrong(c, where, i, views->result, what);
}

static bool real_depends_on_order(const Comparer *c, const Views *views, size_t i, double size)
{
    double apart = 0, rounding = 0;
    for (uint32_t r = c->runs->count; r < all_runs(c); r++) {
        apart = fmax(apart, fabs(cell_of(c, views->exact[r], i) - cell_of(c, views->exact[0], i)));
        rounding = fmax(rounding, fabs(cell_of(c, views->own[r], i) - cell_of(c, views->own[0], i)));
    }
    return apart > ORDER_NOISE * size && apart > ORDER_SHARE * rounding;
}

/* How far a cell is from what it is exactly, in any run. */
static double spread_of(const Comparer *c, const Views *views, size_t i)
{
    double spread = 0, expected = cell_of(c, views->exact[0], i);
    for (uint32_t r = 0; r < all_runs(c); r++) {
        double own = cell_of(c, views->own[r], i), exact = cell_of(c, views->exact[r], i);
        spread = fmax(spread, fmax(fabs(own - exact), fabs(exact - expected)));
    }
    return spread;
}

static bool is_of_runs(const Comparer *c, const Views *views, size_t i, double result)
{
    for (uint32_t r = 0; r < all_runs(c); r++) {
        double own = cell_of(c, views->own[r], i);
        if (own == result || (isnan(own) && isnan(result)))
            return true;
    }
    return false;
}

/* What the cells of an array have in common. */
typedef struct Whole {
    double scale, spread;
} Whole;

static void compare_real(Comparer *c, const Views *views, size_t i, Whole whole, const char *where)
{
    const Type *type = views->result->cell_types[i % views->result->width];
    double result = cell_of(c, views->result, i), expected = cell_of(c, views->exact[0], i);
    double size = fmax(fabs(expected), LOOSE * whole.scale), error = fabs(result - expected);
    if (real_depends_on_order(c, views, i, size)) {
        c->out->unordered++;
        return;
    }
    if (is_of_runs(c, views, i, result))
        return;
    double tolerance = SLACK * spread_of(c, views, i) + ARRAY_SLACK * whole.spread +
                       ULPS * (unit_of(type) * fabs(expected) + smallest_of(type)) +
                       ARRAY_ULPS * unit_of(type) * whole.scale;
    /* Threads that add to one cell meet between any two of their additions, not just between threads. */
    double sum = views->sizes ? fabs(cell_of(c, views->sizes, i)) : 0;
    if (isfinite(sum))
        tolerance += SUM_ULPS * unit_of(type) * sum;
    bool loose = tolerance > LOOSE * size;
    c->out->loose += loose;
    if (!loose && error / size > c->out->largest)
        c->out->largest = error / size;
    if (error <= tolerance)
        return;
    char what[160];
    snprintf(what, sizeof what, "%.9g, expected %.9g within %.2g", result, expected, tolerance);
    note_wrong(c, where, i, views->result, what);
}

/* ---- what an array holds, in any order ---- */

static bool is_of_integers(const LaunchValue *value)
{
    for (uint32_t k = 0; k < value->width; k++)
        if (type_is_float(value->cell_types[k]))
            return false;
    return value->width > 0;
}

/* The same for the same elements in any order. */
static uint64_t content_of(const LaunchValue *value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < value->count; i++)
        sum += XXH3_64bits(&value->cells[i * value->width], value->width * sizeof *value->cells);
    return sum;
}

static void compare_content(Comparer *c, const Views *views, const char *where)
{
    uint64_t expected = content_of(views->exact[0]);
    bool known = true;
    for (uint32_t r = 0; r < all_runs(c); r++)
        known &= content_of(views->own[r]) == expected && content_of(views->exact[r]) == expected;
    if (known && content_of(views->result) != expected)
        note_wrong(c, where, 0, views->result, "not one of the expected elements, in any order");
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The upper quartile of the spreads: where large numbers cancel, some cells come out alike in every run, by luck. */
static double usual_spread(const Comparer *c, const Views *views, size_t count)
{
    double *spreads = malloc((count + 1) * sizeof *spreads), usual = 0;
    size_t known = 0;
    for (size_t i = 0; spreads && i < count; i++)
        if (type_is_float(views->result->cell_types[i % views->result->width])) {
            spreads[known] = spread_of(c, views, i);
            known += isfinite(spreads[known]);
        }
    if (known) {
        qsort(spreads, known, sizeof *spreads, by_size);
        usual = spreads[(known - 1) * 3 / 4];
    }
    free(spreads);
    return usual;
}

static void compare_array(Comparer *c, const Views *views, const char *where)
{
    const LaunchValue *result = views->result;
    size_t count = result->count * result->width;
    uint64_t unordered = c->out->unordered;
    Whole whole = {0};
    if (c->gradients && !result->gradients)
        return;
    whole.spread = usual_spread(c, views, count);
    for (size_t i = 0; i < count; i++)
        if (type_is_float(result->cell_types[i % result->width]) && isfinite(cell_of(c, views->exact[0], i)))
            whole.scale = fmax(whole.scale, fabs(cell_of(c, views->exact[0], i)));
    for (size_t i = 0; i < count; i++) {
        c->out->cells++;
        if (type_is_float(result->cell_types[i % result->width]))
            compare_real(c, views, i, whole, where);
        else if (!c->gradients)
            compare_integer(c, views, i, where);
    }
    if (c->out->unordered > unordered && !c->gradients && is_of_integers(result))
        compare_content(c, views, where);
}

static void compare_value(Comparer *c, const Views *views, const char *where)
{
    if (views->result->type->kind == TYPE_ARRAY)
        compare_array(c, views, where);
    for (uint32_t i = 0; i < views->result->field_count; i++) {
        Views inner = {.result = &views->result->fields[i], .sizes = views->sizes ? &views->sizes->fields[i] : NULL};
        char path[120];
        for (uint32_t r = 0; r < all_runs(c); r++) {
            inner.own[r] = &views->own[r]->fields[i];
            inner.exact[r] = &views->exact[r]->fields[i];
        }
        snprintf(path, sizeof path, "%s.%s", where, views->result->type->decl->fields[i].name->text);
        compare_value(c, &inner, path);
    }
}

void compare_launch(const Launch *result, const Runs *runs, bool gradients, const char *const *names, Comparison *out)
{
    Comparer c = {runs, gradients, out};
    *out = (Comparison){0};
    for (uint32_t i = 0; i < result->arg_count; i++) {
        Views views = {.result = &result->args[i], .sizes = runs->sizes ? &runs->sizes->args[i] : NULL};
        for (uint32_t r = 0; r < all_runs(&c); r++) {
            const RunPair *pair = r < runs->count ? &runs->moved[r] : &runs->ordered[r - runs->count];
            views.own[r] = &pair->own->args[i];
            views.exact[r] = &pair->exact->args[i];
        }
        compare_value(&c, &views, names[i]);
    }
}
