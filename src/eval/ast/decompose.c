/* Builtins: decompositions of small matrices.
 *
 * Computed in double and rounded at the end; signs and order are Warp's. Derivatives by the implicit formulas, which
 * do not exist where singular values or eigenvalues coincide: that is refused if the matrix has a tangent. */
#include "eval/ast/builtin.h"

#include <string.h>

enum { SWEEPS = 24 };

typedef struct Matrix3 {
    double at[3][3];
} Matrix3;

static Matrix3 values_of(const Dual *a)
{
    Matrix3 out;
    for (int i = 0; i < 9; i++)
        out.at[i / 3][i % 3] = a[i].real;
    return out;
}

static Matrix3 tangents_of(const Dual *a)
{
    Matrix3 out;
    for (int i = 0; i < 9; i++)
        out.at[i / 3][i % 3] = a[i].tangent;
    return out;
}

static Matrix3 multiply(const Matrix3 *a, const Matrix3 *b, bool transpose_first)
{
    Matrix3 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out.at[i][j] = 0;
            for (int k = 0; k < 3; k++)
                out.at[i][j] += (transpose_first ? a->at[k][i] : a->at[i][k]) * b->at[k][j];
        }
    return out;
}

static bool has_tangent(const Dual *a, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].tangent != 0)
            return true;
    return false;
}

static _Noreturn void refuse_tangent(const Call *call)
{
    stop_unsupported(call->e, call->x->offset, "the derivative of a decomposition with coinciding values");
}

static void put(const Math *m, const Matrix3 *value, const Matrix3 *tangent, Dual *out)
{
    for (int i = 0; i < 9; i++)
        out[i] = real_result(m, value->at[i / 3][i % 3], tangent ? tangent->at[i / 3][i % 3] : 0, 0, 0);
}

/* ---- eigenvectors of a symmetric matrix ---- */

/* One rotation of Jacobi's method, by McAdams' choice of an angle that is never large. */
static void jacobi_rotation(Matrix3 *s, Matrix3 *v, int p, int q)
{
    double c = 2 * (s->at[p][p] - s->at[q][q]), t = s->at[p][q], length = hypot(c, t);
    if (5.82842712474619 * t * t < c * c) {
        c /= length;
        t /= length;
    } else {
        c = 0.9238795325112867; /* π/8 */
        t = 0.3826834323650898;
    }
    double cosine = c * c - t * t, sine = 2 * c * t;
    for (int k = 0; k < 3; k++) {
        double x = s->at[k][p], y = s->at[k][q];
        s->at[k][p] = cosine * x + sine * y;
        s->at[k][q] = cosine * y - sine * x;
        x = v->at[k][p];
        y = v->at[k][q];
        v->at[k][p] = cosine * x + sine * y;
        v->at[k][q] = cosine * y - sine * x;
    }
    for (int k = 0; k < 3; k++) {
        double x = s->at[p][k], y = s->at[q][k];
        s->at[p][k] = cosine * x + sine * y;
        s->at[q][k] = cosine * y - sine * x;
    }
}

/* The compiled kernel makes a fixed number of sweeps, which may be too few; in double mode they go on to the end. */
static Matrix3 eigenvectors(const Math *m, Matrix3 s)
{
    Matrix3 v = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    int least = m->kind == TYPE_FLOAT64 || m->e->in_double ? 8 : 4, most = m->e->in_double ? SWEEPS : least;
    for (int i = 0; i < most; i++) {
        double size = fabs(s.at[0][0]) + fabs(s.at[1][1]) + fabs(s.at[2][2]);
        double rest = fabs(s.at[0][1]) + fabs(s.at[1][2]) + fabs(s.at[0][2]);
        if (i >= least && rest <= 1e-17 * size)
            break;
        jacobi_rotation(&s, &v, 0, 1);
        jacobi_rotation(&s, &v, 1, 2);
        jacobi_rotation(&s, &v, 2, 0);
    }
    return v;
}

/* ---- results: returned, or written to arguments ---- */

static void give(Call *call, const Type **types, Dual *const *cells, const uint32_t *widths, uint32_t count)
{
    if (call->count == 1) {
        Datum *items = result_tuple(call, count);
        for (uint32_t i = 0; i < count; i++)
            memcpy(new_datum(call->e, types[i], widths[i], &items[i]), cells[i], widths[i] * sizeof **cells);
        return;
    }
    refuse_if(call, call->count != count + 1);
    for (uint32_t i = 0; i < count; i++) {
        refuse_if(call, call->args[i + 1].kind != DATUM_VALUE || call->args[i + 1].type != types[i]);
        memcpy(changed_argument(call, i + 1), cells[i], widths[i] * sizeof **cells);
    }
}

/* ---- singular values ---- */

static void sort_columns(Matrix3 *b, Matrix3 *v, int i, int j)
{
    double x = 0, y = 0;
    for (int k = 0; k < 3; k++) {
        x += b->at[k][i] * b->at[k][i];
        y += b->at[k][j] * b->at[k][j];
    }
    for (int k = 0; x < y && k < 3; k++) { /* swapped, and one negated: still a rotation */
        double old = b->at[k][i];
        b->at[k][i] = b->at[k][j];
        b->at[k][j] = -old;
        old = v->at[k][i];
        v->at[k][i] = v->at[k][j];
        v->at[k][j] = -old;
    }
}

/* Columns of b are (nearly) orthogonal: u is the rotation along them, sigma their lengths (the last with its sign). */
static bool split_lengths(Matrix3 b, Matrix3 *u, double *sigma)
{
    for (int j = 0; j < 2; j++) {
        double along = 0;
        for (int i = 0; j && i < 3; i++)
            along += u->at[i][0] * b.at[i][1];
        for (int i = 0; j && i < 3; i++)
            b.at[i][1] -= along * u->at[i][0];
        sigma[j] = sqrt(b.at[0][j] * b.at[0][j] + b.at[1][j] * b.at[1][j] + b.at[2][j] * b.at[2][j]);
        if (sigma[j] < 1e-12)
            return false;
        for (int i = 0; i < 3; i++)
            u->at[i][j] = b.at[i][j] / sigma[j];
    }
    sigma[2] = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u->at[i][2] = u->at[j][0] * u->at[k][1] - u->at[k][0] * u->at[j][1];
        sigma[2] += u->at[i][2] * b.at[i][2];
    }
    return true;
}

static void svd3(Call *call)
{
    refuse_if(call, !is_mat(&call->args[0], 3, 3));
    Math m = math_of(call);
    const Dual *a = call->args[0].cells;
    Matrix3 value = values_of(a), square = multiply(&value, &value, true), v = eigenvectors(&m, square),
            b = multiply(&value, &v, false), u;
    double sigma[3];
    sort_columns(&b, &v, 0, 1);
    sort_columns(&b, &v, 0, 2);
    sort_columns(&b, &v, 1, 2);
    if (!split_lengths(b, &u, sigma))
        stop_unsupported(call->e, call->x->offset, "the decomposition of a matrix of rank one");
    Matrix3 du = {{{0}}}, dv = {{{0}}};
    double dsigma[3] = {0};
    if (has_tangent(a, 9)) {
        Matrix3 change = tangents_of(a), half = multiply(&u, &change, true), p = multiply(&half, &v, false), ku, kv;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double gap = sigma[j] * sigma[j] - sigma[i] * sigma[i];
                if (i != j && fabs(gap) < 1e-12 * sigma[0] * sigma[0])
                    refuse_tangent(call);
                ku.at[i][j] = i == j ? 0 : (p.at[i][j] * sigma[j] + sigma[i] * p.at[j][i]) / gap;
                kv.at[i][j] = i == j ? 0 : (sigma[i] * p.at[i][j] + p.at[j][i] * sigma[j]) / gap;
                if (i == j)
                    dsigma[i] = p.at[i][i];
            }
        du = multiply(&u, &ku, false);
        dv = multiply(&v, &kv, false);
    }
    Dual u_cells[9], v_cells[9], s_cells[3];
    put(&m, &u, &du, u_cells);
    put(&m, &v, &dv, v_cells);
    for (int i = 0; i < 3; i++)
        s_cells[i] = real_result(&m, sigma[i], dsigma[i], 0, 0);
    const Type *matrix = call->args[0].type, *vector = type_vec(call->e->unit->types, 3, type_scalar_of(matrix));
    give(call, (const Type *[]){matrix, vector, matrix}, (Dual *[]){u_cells, s_cells, v_cells}, (uint32_t[]){9, 3, 9},
         3);
}

/* In closed form, so the tangents come with the arithmetic. */
static void svd2(Call *call)
{
    refuse_if(call, !is_mat(&call->args[0], 2, 2));
    Math own = math_of(call), m = own;
    m.exact = true;
    const Dual *a = call->args[0].cells, zero = number_zero(), one = {.real = 1};
    Dual p = add(&m, mul(&m, a[0], a[0]), mul(&m, a[2], a[2])), q = add(&m, mul(&m, a[1], a[1]), mul(&m, a[3], a[3]));
    Dual mixed = add(&m, mul(&m, a[0], a[1]), mul(&m, a[2], a[3])), trace = add(&m, p, q), gap = sub(&m, p, q);
    Dual inside = add(&m, mul(&m, gap, gap), scale(&m, 4, mul(&m, mixed, mixed)));
    Dual u[4] = {one, zero, zero, one}, v[4] = {one, zero, zero, one}, sigma[2];
    if (inside.real == 0) {
        if (has_tangent(a, 4))
            refuse_tangent(call);
        sigma[0] = sigma[1] = square_root(&m, scale(&m, 0.5, trace));
    } else {
        Dual root = square_root(&m, inside), det = sub(&m, mul(&m, a[0], a[3]), mul(&m, a[1], a[2]));
        sigma[0] = square_root(&m, scale(&m, 0.5, add(&m, trace, root)));
        sigma[1] = divide_duals(&m, det.real < 0 ? neg(det) : det, sigma[0]);
        Dual direction[2] = {sub(&m, add(&m, gap, root), scale(&m, 2, mixed)),
                             add(&m, sub(&m, gap, root), scale(&m, 2, mixed))};
        if (direction[0].real == 0 && direction[1].real == 0)
            direction[0] = direction[1] = one;
        normalize_cells(&m, direction, 2, direction);
        v[0] = v[3] = direction[0];
        v[2] = direction[1];
        v[1] = neg(direction[1]);
        for (int i = 0; i < 2; i++) {
            Dual along = add(&m, mul(&m, a[2 * i], v[0]), mul(&m, a[2 * i + 1], v[2]));
            u[2 * i] = divide_duals(&m, along, sigma[0]);
        }
        u[1] = det.real < 0 ? u[2] : neg(u[2]);
        u[3] = det.real < 0 ? neg(u[0]) : u[0];
    }
    for (int i = 0; i < 4; i++) {
        u[i].real = round_real(&own, u[i].real);
        v[i].real = round_real(&own, v[i].real);
        sigma[i / 2].real = round_real(&own, sigma[i / 2].real);
    }
    const Type *matrix = call->args[0].type, *vector = type_vec(call->e->unit->types, 2, type_scalar_of(matrix));
    give(call, (const Type *[]){matrix, vector, matrix}, (Dual *[]){u, sigma, v}, (uint32_t[]){4, 2, 4}, 3);
}

void decompose_svd(Call *call)
{
    refuse_if(call, call->args[0].kind != DATUM_VALUE);
    if (call->variant == 2)
        svd2(call);
    else
        svd3(call);
}

/* ---- QR: the first two columns by Gram and Schmidt, the third makes a rotation ---- */

void decompose_qr(Call *call)
{
    refuse_if(call, !is_mat(&call->args[0], 3, 3));
    Math own = math_of(call), m = own;
    m.exact = true;
    Dual columns[3][3], q[3][3], q_cells[9], r_cells[9];
    for (int i = 0; i < 9; i++) {
        columns[i % 3][i / 3] = call->args[0].cells[i];
        r_cells[i] = number_zero();
    }
    normalize_cells(&m, columns[0], 3, q[0]);
    Dual along = number_dot(&m, q[0], columns[1], 3), rest[3];
    for (int i = 0; i < 3; i++)
        rest[i] = sub(&m, columns[1][i], mul(&m, along, q[0][i]));
    normalize_cells(&m, rest, 3, q[1]);
    if (number_dot(&m, q[0], q[0], 3).real == 0 || number_dot(&m, q[1], q[1], 3).real == 0)
        stop_unsupported(call->e, call->x->offset, "the decomposition of a singular matrix");
    cross3(&m, q[0], q[1], q[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            q_cells[j * 3 + i] = q[i][j];
            if (j >= i)
                r_cells[i * 3 + j] = number_dot(&m, q[i], columns[j], 3);
        }
    for (int i = 0; i < 9; i++) {
        q_cells[i].real = round_real(&own, q_cells[i].real);
        r_cells[i].real = round_real(&own, r_cells[i].real);
    }
    const Type *matrix = call->args[0].type;
    give(call, (const Type *[]){matrix, matrix}, (Dual *[]){q_cells, r_cells}, (uint32_t[]){9, 9}, 2);
}

static double largest(const Matrix3 *a)
{
    double size = 0;
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(a->at[i / 3][i % 3]));
    return size;
}

static double asymmetry(const Matrix3 *a)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(a->at[i][(i + 1) % 3] - a->at[(i + 1) % 3][i]));
    return most;
}

/* eig3 takes a symmetric matrix. Of another it computes something, but what its derivatives should be is not said: the eigenvalues
 * depend on all elements, the eigenvectors on those below the diagonal. */
static void require_symmetric(const Call *call, const Matrix3 *value, const Matrix3 *change)
{
    double size = largest(value), rounding = call->e->in_double ? 1e-9 : 1e-3;
    if (asymmetry(value) > rounding * size || asymmetry(change) > rounding * fmax(size, largest(change)))
        stop_run(call->e, FINDING_DOMAIN, call->x->offset, "eig3 of a matrix that is not symmetric");
}

void decompose_eig(Call *call)
{
    refuse_if(call, !is_mat(&call->args[0], 3, 3));
    Math m = math_of(call);
    const Dual *a = call->args[0].cells;
    Matrix3 value = values_of(a), lower = value, v, dv = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            lower.at[i][j] = lower.at[j][i];
    v = eigenvectors(&m, lower);
    Matrix3 half = multiply(&v, &value, true), full = multiply(&half, &v, false);
    double dlambda[3] = {0};
    if (has_tangent(a, 9)) {
        Matrix3 change = tangents_of(a), first = multiply(&v, &change, true), p = multiply(&first, &v, false), k;
        require_symmetric(call, &value, &change);
        for (int i = 0; i < 3; i++)
            dlambda[i] = p.at[i][i];
        double size = fabs(full.at[0][0]) + fabs(full.at[1][1]) + fabs(full.at[2][2]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double gap = full.at[j][j] - full.at[i][i];
                bool apart = fabs(gap) >= 1e-12 * size, turns = i != j && fabs(p.at[i][j]) > 1e-12 * fabs(p.at[i][i]);
                if (turns && !apart) /* equal eigenvalues: which vectors are theirs depends on the way */
                    refuse_tangent(call);
                k.at[i][j] = turns ? p.at[i][j] / gap : 0;
            }
        dv = multiply(&v, &k, false);
    }
    Dual cells[9], lambda[3];
    put(&m, &v, &dv, cells);
    for (int i = 0; i < 3; i++)
        lambda[i] = real_result(&m, full.at[i][i], dlambda[i], 0, 0);
    const Type *matrix = call->args[0].type, *vector = type_vec(call->e->unit->types, 3, type_scalar_of(matrix));
    give(call, (const Type *[]){matrix, vector}, (Dual *[]){cells, lambda}, (uint32_t[]){9, 3}, 2);
}
