/* Tiles: products of matrices, Cholesky factors, triangular systems, Fourier transforms. */
#include "eval/ast/tile.h"

#include <string.h>

/* ---- matrices ---- */

typedef struct Matrix { /* of numbers: a tile, or its transpose */
    const Tile *tile;
    bool transposed;
} Matrix;

static const Tile *matrix_argument(const TileCall *call, const char *name, uint32_t place)
{
    const Tile *tile = tile_arg_tile(call, name, place);
    if (tile->ndim != 2 || !type_is_single(tile->type))
        refuse_tile_call(call, "it takes matrices of numbers");
    return tile;
}

static Dual *entry(const Matrix *matrix, uint32_t row, uint32_t col)
{
    int64_t c[4] = {matrix->transposed ? col : row, matrix->transposed ? row : col};
    return tile_at(matrix->tile, c);
}

static Dual scalar_argument(const TileCall *call, const char *name, uint32_t place, TypeKind to, double missing)
{
    const Datum *datum = tile_arg(call, name, place);
    if (!datum || datum[0].kind == DATUM_NOTHING)
        return (Dual){.real = missing};
    if (datum[0].kind != DATUM_VALUE || !type_is_single(datum[0].type))
        refuse_tile_call(call, "a factor that is not a number");
    return convert_scalar(call->e, datum[0].cells[0], datum[0].type->kind, to, call->x->offset);
}

void tile_matmul(TileCall *call)
{
    Evaluator *e = call->e;
    const Tile *ta = matrix_argument(call, "a", 0), *tb = matrix_argument(call, "b", 1), *out = NULL;
    const Datum *given = tile_arg(call, "out", 2);
    bool has_out = given && given[0].kind == DATUM_TILE;
    if (has_out)
        out = matrix_argument(call, "out", 2);
    uint32_t shape[4] = {ta->shape[0], tb->shape[1]}, inner = ta->shape[1];
    if (tb->shape[0] != inner || (out && (out->shape[0] != shape[0] || out->shape[1] != shape[1])))
        refuse_tile_call(call, "these shapes");
    Tile *tile = new_tile(e, out ? out->type : ta->type, 2, shape, call->x->offset);
    TypeKind kind = tile->type->kind;
    Math m = math_for(e, tile->type, call->x->offset);
    Dual alpha = scalar_argument(call, "alpha", has_out ? 3 : 2, kind, 1);
    Dual beta = scalar_argument(call, "beta", 4, kind, 1);
    Matrix a = {.tile = ta}, b = {.tile = tb}, c = {.tile = out};
    for (uint32_t i = 0; i < shape[0]; i++)
        for (uint32_t j = 0; j < shape[1]; j++) {
            Dual sum = {0};
            for (uint32_t k = 0; k < inner; k++)
                sum = add(&m, sum,
                          mul(&m, convert_scalar(e, *entry(&a, i, k), ta->type->kind, kind, m.offset),
                              convert_scalar(e, *entry(&b, k, j), tb->type->kind, kind, m.offset)));
            sum = mul(&m, alpha, sum);
            tile->cells[i * shape[1] + j] = out ? add(&m, sum, mul(&m, beta, *entry(&c, i, j))) : sum;
        }
    if (!out) {
        set_result(e, call->x, tile, call->out);
        return;
    }
    for (uint32_t n = 0; n < tile_size(tile); n++)
        *tile_element(out, n) = tile->cells[n];
}

static bool is_upper(const TileCall *call, uint32_t place)
{
    const Datum *mode = tile_arg(call, "fill_mode", place);
    if (!mode)
        return false;
    const Value *value = mode[0].kind == DATUM_STATIC ? mode[0].value : NULL;
    if (!value || value->kind != VALUE_STR)
        refuse_tile_call(call, "its fill_mode is not known");
    return value->str.len == 5 && !memcmp(value->str.text, "upper", 5);
}

/* In place, the triangle that it is not about is zero afterwards. */
void tile_cholesky(TileCall *call)
{
    Evaluator *e = call->e;
    bool in_place = call->variant, upper = is_upper(call, 1);
    const Tile *from = matrix_argument(call, "A", 0);
    uint32_t n = from->shape[0];
    if (from->shape[1] != n)
        refuse_tile_call(call, "a matrix that is not square");
    Tile *tile = new_tile(e, from->type, 2, from->shape, call->x->offset);
    Math m = math_for(e, tile->type, call->x->offset);
    Matrix a = {from, upper}, l = {tile, upper};
    for (uint32_t j = 0; j < n; j++) {
        Dual sum = *entry(&a, j, j);
        for (uint32_t k = 0; k < j; k++)
            sum = sub(&m, sum, mul(&m, *entry(&l, j, k), *entry(&l, j, k)));
        if (sum.real <= 0)
            stop_run(e, FINDING_DOMAIN, call->x->offset, "a matrix that is not positive definite");
        Dual root = *entry(&l, j, j) = square_root(&m, sum);
        for (uint32_t i = j + 1; i < n; i++) {
            Dual rest = *entry(&a, i, j);
            for (uint32_t k = 0; k < j; k++)
                rest = sub(&m, rest, mul(&m, *entry(&l, i, k), *entry(&l, j, k)));
            *entry(&l, i, j) = divide_duals(&m, rest, root);
        }
    }
    if (!in_place) {
        set_result(e, call->x, tile, call->out);
        return;
    }
    for (uint32_t k = 0; k < tile_size(tile); k++)
        *tile_element(from, k) = tile->cells[k];
}

/* Solves T x = b for every column of x, from the first row on (lower) or from the last. */
static void solve_triangle(const Math *m, const Matrix *t, bool lower, const Tile *x)
{
    uint32_t n = x->shape[0], columns = x->ndim > 1 ? x->shape[1] : 1;
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t step = 0; step < n; step++) {
            uint32_t i = lower ? step : n - 1 - step;
            int64_t at[4] = {i, c};
            Dual sum = *tile_at(x, at);
            for (uint32_t k = lower ? 0 : i + 1; k < (lower ? i : n); k++) {
                int64_t other[4] = {k, c};
                sum = sub(m, sum, mul(m, *entry(t, i, k), *tile_at(x, other)));
            }
            *tile_at(x, at) = divide_duals(m, sum, *entry(t, i, i));
        }
}

static const Tile *right_side(const TileCall *call, const Tile *matrix)
{
    const Tile *tile = datum_tile(call->e, &call->args[1][0], call->x->offset);
    bool fits = tile->ndim <= 2 && tile->shape[0] == matrix->shape[0] && matrix->shape[0] == matrix->shape[1];
    if (!fits || tile->type != matrix->type)
        refuse_tile_call(call, "these shapes");
    return tile;
}

static void set_solution(TileCall *call, bool in_place, const Tile *right, const Tile *solution)
{
    for (uint32_t n = 0; in_place && n < tile_size(solution); n++)
        *tile_element(right, n) = *tile_element(solution, n);
    if (!in_place)
        set_result(call->e, call->x, solution, call->out);
}

void tile_cholesky_solve(TileCall *call)
{
    const Tile *factor = matrix_argument(call, "L", 0);
    if (call->count < 2)
        refuse_tile_call(call, "an argument is missing");
    const Tile *right = right_side(call, factor), *x = copy_tile(call->e, right, call->x->offset);
    Math m = math_for(call->e, factor->type, call->x->offset);
    bool upper = is_upper(call, 2);
    Matrix first = {factor, upper}, second = {factor, !upper};
    solve_triangle(&m, &first, true, x);
    solve_triangle(&m, &second, false, x);
    set_solution(call, call->variant, right, x);
}

void tile_triangular_solve(TileCall *call)
{
    enum { IN_PLACE = 1, UPPER = 2 };
    if (call->count < 2)
        refuse_tile_call(call, "an argument is missing");
    const Tile *factor = matrix_argument(call, call->variant & UPPER ? "U" : "L", 0);
    const Tile *right = right_side(call, factor), *x = copy_tile(call->e, right, call->x->offset);
    Math m = math_for(call->e, factor->type, call->x->offset);
    Matrix t = {.tile = factor};
    solve_triangle(&m, &t, !(call->variant & UPPER), x);
    set_solution(call, call->variant & IN_PLACE, right, x);
}

void tile_diag_add(TileCall *call)
{
    const Tile *a = matrix_argument(call, "a", 0), *d = tile_arg_tile(call, "d", 1);
    Tile *tile = copy_tile(call->e, a, call->x->offset);
    Math m = math_for(call->e, a->type, call->x->offset);
    if (d->ndim != 1 || d->shape[0] != a->shape[0] || a->shape[0] != a->shape[1] || d->type != a->type)
        refuse_tile_call(call, "these shapes");
    for (uint32_t i = 0; i < a->shape[0]; i++) {
        Dual *cell = &tile->cells[i * a->shape[1] + i];
        *cell = add(&m, *cell, *tile_element(d, i));
    }
    set_result(call->e, call->x, tile, call->out);
}

/* ---- Fourier ---- */

/* The n-th roots of one: cosines, and sines behind them. */
static const double *roots_of_one(Evaluator *e, uint32_t n, int direction)
{
    double *roots = scratch(e, 2 * (size_t)n * sizeof *roots);
    for (uint32_t i = 0; i < n; i++) {
        double angle = -2 * M_PI * direction * (double)i / n;
        roots[i] = cos(angle);
        roots[n + i] = sin(angle);
    }
    return roots;
}

/* Of one line of complex numbers, in double; its sums are rounded once. */
static void transform_line(const Math *m, Dual *line, uint32_t n, const double *roots, Dual *out)
{
    for (uint32_t k = 0; k < n; k++) {
        double sum[2] = {0, 0}, slope[2] = {0, 0};
        for (uint32_t j = 0, at = 0; j < n; j++, at = at + k < n ? at + k : at + k - n) {
            double c = roots[at], s = roots[n + at];
            const Dual *z = &line[2 * (size_t)j];
            sum[0] += z[0].real * c - z[1].real * s;
            sum[1] += z[0].real * s + z[1].real * c;
            slope[0] += z[0].tangent * c - z[1].tangent * s;
            slope[1] += z[0].tangent * s + z[1].tangent * c;
        }
        for (uint32_t i = 0; i < 2; i++)
            out[2 * (size_t)k + i] = real_result(m, sum[i], slope[i], sum[i], sum[i]);
    }
    memcpy(line, out, 2 * (size_t)n * sizeof *line);
}

void tile_fft(TileCall *call)
{
    enum { MAX_LENGTH = 4096 };
    const Tile *tile = tile_arg_tile(call, "inout", 0);
    if (tile->width != 2 || !is_float_kind(type_scalar_of(tile->type)->kind))
        refuse_tile_call(call, "its elements are not pairs of floats");
    uint32_t n = tile->shape[tile->ndim - 1], lines = tile_size(tile) / n;
    if (n > MAX_LENGTH)
        refuse_tile_call(call, "lines of more than 4096 numbers");
    Math m = math_for(call->e, type_scalar_of(tile->type), call->x->offset);
    const Tile *copy = copy_tile(call->e, tile, call->x->offset);
    Dual *out = scratch(call->e, 2 * (size_t)n * sizeof *out);
    const double *roots = roots_of_one(call->e, n, call->variant);
    for (uint32_t i = 0; i < lines; i++) {
        for (uint32_t k = 0; k < n; k++)
            count_step(call->e, call->x->offset);
        transform_line(&m, copy->cells + 2 * (size_t)i * n, n, roots, out);
    }
    for (uint32_t k = 0; k < tile_size(tile); k++)
        memcpy(tile_element(tile, k), tile_element(copy, k), 2 * sizeof(Dual));
}
