/* Tiles: products of matrices, Cholesky factors, triangular systems, Fourier transforms. */
#include "eval/tree/tile.h"

#include <math.h>
#include <string.h>

typedef struct Matrix { /* the values of a tile, or its gradients; or a transpose */
    Cell *cells;
    int64_t row, col;
    uint32_t rows, cols;
    CellKind kind;
} Matrix;

static Matrix matrix_of(const TreeTile *tile, const TileInfo *info, bool gradients)
{
    bool vector = info->ndim == 1;
    return (Matrix){gradients ? tile->grad : tile->data, tile->strides[0],
                    vector ? 1 : tile->strides[1],       info->shape[0],
                    vector ? 1 : info->shape[1],         (CellKind)info->layout->kinds[0]};
}

static Matrix transposed(Matrix m)
{
    return (Matrix){m.cells, m.col, m.row, m.cols, m.rows, m.kind};
}

static double *at(const Matrix *m, uint32_t row, uint32_t col)
{
    return &m->cells[row * m->row + col * m->col].real;
}

/* c = factor * a * b + keep * c */
static void multiply(Matrix c, double factor, Matrix a, Matrix b, double keep, Cell *scratch)
{
    for (uint32_t i = 0; i < c.rows; i++)
        for (uint32_t j = 0; j < c.cols; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < a.cols; k++)
                sum = tree_round(sum + tree_round(*at(&a, i, k) * *at(&b, k, j), c.kind), c.kind);
            sum = tree_round(factor * sum, c.kind);
            scratch[i * c.cols + j].real =
                keep == 0 ? sum : tree_round(sum + tree_round(keep * *at(&c, i, j), c.kind), c.kind);
        }
    for (uint32_t i = 0; i < c.rows; i++)
        for (uint32_t j = 0; j < c.cols; j++)
            *at(&c, i, j) = scratch[i * c.cols + j].real;
}

/* Room for a matrix; a tile is never so large that there is none. */
static Cell *room(TreeBlock *b, uint32_t size)
{
    if (b->room_cells < size) {
        b->room = ARENA_ARRAY(b->arena, Cell, size);
        b->room_cells = size;
    }
    return b->room;
}

/* (z, z, z, a, b, c, alpha, beta) */
void tree_tile_matmul(TreeBlock *b, const TileCall *call)
{
    Matrix x = matrix_of(tile_arg(b, call, 3), &call->args[3], false),
           y = matrix_of(tile_arg(b, call, 4), &call->args[4], false);
    Matrix c = matrix_of(tile_arg(b, call, 5), &call->args[5], false);
    double alpha = lane_value(b, 0, call, 6)->real, beta = call->variant ? lane_value(b, 0, call, 7)->real : 0;
    multiply(c, alpha, x, y, beta, room(b, c.rows * c.cols));
}

void tree_adj_tile_matmul(TreeBlock *b, const TileCall *call)
{
    const TreeTile *ta = tile_arg(b, call, 3), *tb = tile_arg(b, call, 4), *tc = tile_arg(b, call, 5);
    Matrix x = matrix_of(ta, &call->args[3], false), y = matrix_of(tb, &call->args[4], false);
    Matrix gx = matrix_of(ta, &call->args[3], true), gy = matrix_of(tb, &call->args[4], true);
    Matrix gc = matrix_of(tc, &call->args[5], true);
    double alpha = lane_value(b, 0, call, 6)->real, beta = lane_value(b, 0, call, 7)->real;
    multiply(gx, alpha, gc, transposed(y), 1, room(b, gx.rows * gx.cols));
    multiply(gy, alpha, transposed(x), gc, 1, room(b, gy.rows * gy.cols));
    for (uint32_t i = 0; call->variant && i < gc.rows; i++)
        for (uint32_t j = 0; j < gc.cols; j++)
            *at(&gc, i, j) = tree_round(beta * *at(&gc, i, j), gc.kind);
}

static bool is_upper(const TileCall *call)
{
    return call->call->template_count && call->call->template_args[0].number;
}

/* (z, z, z, A, out), or in place (z, A) */
void tree_tile_cholesky(TreeBlock *b, const TileCall *call)
{
    uint32_t from = call->variant ? 1 : 3, to = call->variant ? 1 : 4;
    Matrix a = matrix_of(tile_arg(b, call, from), &call->args[from], false);
    Matrix l = matrix_of(tile_arg(b, call, to), &call->args[to], false);
    if (is_upper(call)) {
        a = transposed(a);
        l = transposed(l);
    }
    for (uint32_t j = 0; j < a.rows; j++) {
        double sum = *at(&a, j, j);
        for (uint32_t k = 0; k < j; k++)
            sum = tree_round(sum - tree_round(*at(&l, j, k) * *at(&l, j, k), l.kind), l.kind);
        double root = *at(&l, j, j) = tree_round(sqrt(sum), l.kind);
        for (uint32_t i = j + 1; i < a.rows; i++) {
            double rest = *at(&a, i, j);
            for (uint32_t k = 0; k < j; k++)
                rest = tree_round(rest - tree_round(*at(&l, i, k) * *at(&l, j, k), l.kind), l.kind);
            *at(&l, i, j) = tree_round(rest / root, l.kind);
        }
    }
    for (uint32_t i = 0; i < a.rows; i++)
        for (uint32_t j = i + 1; j < a.rows; j++)
            *at(&l, i, j) = 0;
}

/* Only the triangle that the forward function reads has a gradient. */
void tree_adj_tile_cholesky(TreeBlock *b, const TileCall *call)
{
    Matrix l = matrix_of(tile_arg(b, call, 4), &call->args[4], false),
           gl = matrix_of(tile_arg(b, call, 4), &call->args[4], true);
    Matrix ga = matrix_of(tile_arg(b, call, 3), &call->args[3], true);
    if (is_upper(call)) {
        l = transposed(l);
        gl = transposed(gl);
        ga = transposed(ga);
    }
    uint32_t n = l.rows;
    Cell *cells = room(b, n * n);
    Matrix s = {cells, n, 1, n, n, CELL_FLOAT64};
    for (uint32_t i = 0; i < n; i++) /* the lower triangle of L^T gL, its diagonal halved, made symmetric */
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t k = i; k < n; k++)
                sum += *at(&l, k, i) * *at(&gl, k, j);
            *at(&s, i, j) = *at(&s, j, i) = 0.5 * sum;
        }
    for (uint32_t c = 0; c < n; c++) /* L^-T s */
        for (uint32_t i = n; i-- > 0;) {
            double sum = *at(&s, i, c);
            for (uint32_t k = i + 1; k < n; k++)
                sum -= *at(&l, k, i) * *at(&s, k, c);
            *at(&s, i, c) = sum / *at(&l, i, i);
        }
    for (uint32_t r = 0; r < n; r++) /* and L^-1 from the right */
        for (uint32_t j = n; j-- > 0;) {
            double sum = *at(&s, r, j);
            for (uint32_t k = j + 1; k < n; k++)
                sum -= *at(&s, r, k) * *at(&l, k, j);
            *at(&s, r, j) = sum / *at(&l, j, j);
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            *at(&ga, i, j) = tree_round(*at(&ga, i, j) + (i == j ? 1 : 2) * *at(&s, i, j), ga.kind);
}

static void solve_triangle(const Matrix *t, bool lower, const Matrix *x)
{
    uint32_t n = x->rows;
    for (uint32_t c = 0; c < x->cols; c++)
        for (uint32_t step = 0; step < n; step++) {
            uint32_t i = lower ? step : n - 1 - step;
            double sum = *at(x, i, c);
            for (uint32_t k = lower ? 0 : i + 1; k < (lower ? i : n); k++)
                sum = tree_round(sum - tree_round(*at(t, i, k) * *at(x, k, c), x->kind), x->kind);
            *at(x, i, c) = tree_round(sum / *at(t, i, i), x->kind);
        }
}

/* (z…, matrix, right side[, solution]) */
void tree_tile_solve(TreeBlock *b, const TileCall *call)
{
    enum { IN_PLACE = 1, LOWER = 2, UPPER = 4 };
    uint32_t last = call->op->arg_count - 1, first = call->variant & IN_PLACE ? last - 1 : last - 2;
    Matrix t = matrix_of(tile_arg(b, call, first), &call->args[first], false);
    Matrix y = matrix_of(tile_arg(b, call, first + 1), &call->args[first + 1], false);
    Matrix x = matrix_of(tile_arg(b, call, last), &call->args[last], false);
    for (uint32_t i = 0; !(call->variant & IN_PLACE) && i < x.rows; i++)
        for (uint32_t j = 0; j < x.cols; j++)
            *at(&x, i, j) = *at(&y, i, j);
    if (call->variant & LOWER)
        solve_triangle(&t, true, &x);
    else if (call->variant & UPPER)
        solve_triangle(&t, false, &x);
    else {
        Matrix other = transposed(t);
        solve_triangle(is_upper(call) ? &other : &t, true, &x);
        solve_triangle(is_upper(call) ? &t : &other, false, &x);
    }
}

/* (z, z, L, y, x): w = L^-T gx; gy += w; gL -= w x^T, in the lower triangle */
void tree_adj_tile_lower_solve(TreeBlock *b, const TileCall *call)
{
    Matrix l = matrix_of(tile_arg(b, call, 2), &call->args[2], false),
           gl = matrix_of(tile_arg(b, call, 2), &call->args[2], true);
    Matrix gy = matrix_of(tile_arg(b, call, 3), &call->args[3], true);
    Matrix x = matrix_of(tile_arg(b, call, 4), &call->args[4], false),
           gx = matrix_of(tile_arg(b, call, 4), &call->args[4], true);
    Matrix w = {room(b, x.rows * x.cols), x.cols, 1, x.rows, x.cols, x.kind}, lt = transposed(l);
    for (uint32_t i = 0; i < x.rows; i++)
        for (uint32_t j = 0; j < x.cols; j++)
            *at(&w, i, j) = *at(&gx, i, j);
    solve_triangle(&lt, false, &w);
    for (uint32_t i = 0; i < x.rows; i++) {
        for (uint32_t j = 0; j < x.cols; j++)
            *at(&gy, i, j) = tree_round(*at(&gy, i, j) + *at(&w, i, j), gy.kind);
        for (uint32_t k = 0; k <= i; k++) {
            double sum = 0;
            for (uint32_t j = 0; j < x.cols; j++)
                sum += *at(&w, i, j) * *at(&x, k, j);
            *at(&gl, i, k) = tree_round(*at(&gl, i, k) - sum, gl.kind);
        }
    }
}

/* (a, d, out) */
void tree_tile_diag_add(TreeBlock *b, const TileCall *call)
{
    uint32_t first = call->op->arg_count - 3;
    Matrix a = matrix_of(tile_arg(b, call, first), &call->args[first], false);
    Matrix d = matrix_of(tile_arg(b, call, first + 1), &call->args[first + 1], false);
    Matrix out = matrix_of(tile_arg(b, call, first + 2), &call->args[first + 2], false);
    for (uint32_t i = 0; i < a.rows; i++)
        for (uint32_t j = 0; j < a.cols; j++)
            *at(&out, i, j) = i == j ? tree_round(*at(&a, i, j) + *at(&d, i, 0), out.kind) : *at(&a, i, j);
}

/* ---- Fourier ---- */

static void transform(TreeBlock *b, const TileCall *call, int direction, bool gradients)
{
    uint32_t last = call->op->arg_count - 1;
    const TreeTile *tile = tile_arg(b, call, last);
    const TileInfo *info = &call->args[last];
    uint32_t n = info->shape[info->ndim - 1];
    CellKind kind = (CellKind)info->layout->kinds[0];
    Cell *line = room(b, 4 * n), *roots = line + 2 * n; /* of one: the n-th */
    for (uint32_t i = 0; i < n; i++) {
        double angle = -2 * M_PI * direction * (double)i / n;
        roots[2 * i].real = cos(angle);
        roots[2 * i + 1].real = sin(angle);
    }
    for (uint32_t first = 0; first < info->size; first += n) {
        for (uint32_t k = 0; k < n; k++) {
            double sum[2] = {0, 0};
            for (uint32_t j = 0, at = 0; j < n; j++, at = at + k < n ? at + k : at + k - n) {
                const Cell *z = gradients ? tile_grad(tile, info, first + j) : tile_data(tile, info, first + j);
                double c = roots[2 * at].real, s = roots[2 * at + 1].real;
                sum[0] += z[0].real * c - z[1].real * s;
                sum[1] += z[0].real * s + z[1].real * c;
            }
            line[2 * k].real = tree_round(sum[0], kind);
            line[2 * k + 1].real = tree_round(sum[1], kind);
        }
        for (uint32_t k = 0; k < n; k++)
            memcpy(gradients ? tile_grad(tile, info, first + k) : tile_data(tile, info, first + k), line + 2 * k,
                   2 * sizeof *line);
    }
}

void tree_tile_fft(TreeBlock *b, const TileCall *call)
{
    transform(b, call, call->variant, false);
}

void tree_adj_tile_fft(TreeBlock *b, const TileCall *call)
{
    transform(b, call, -call->variant, true);
}
