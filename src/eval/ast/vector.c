/* Builtins: vectors and matrices. */
#include "eval/ast/builtin.h"

#include <string.h>

static void same_types(const Call *call)
{
    for (uint32_t i = 0; i < call->count; i++)
        refuse_if(call, call->args[i].kind != DATUM_VALUE || !types_equal(call->args[i].type, call->args[0].type));
}

static TypeTable *types_of(const Call *call)
{
    return call->e->unit->types;
}

/* ---- vectors ---- */

Dual dot_of(const Math *m, const Type *type, const Dual *a, const Dual *b)
{
    uint32_t width = type->composite.rows * type->composite.cols;
    Dual sum = number_dot(m, a, b, width);
    if (!m->is_int && type->kind != TYPE_QUAT && !(type->kind == TYPE_VEC && (width == 2 || width == 3)))
        sum.real += 0.0; /* these begin with zero, and so never end with -0 */
    return sum;
}

void vector_dot(Call *call) /* also ddot, and dot of quaternions */
{
    same_types(call);
    refuse_if(call, is_scalar(&call->args[0]));
    Math m = math_of(call);
    const Type *type = call->args[0].type;
    result_scalar(call, type_scalar_of(type), dot_of(&m, type, call->args[0].cells, call->args[1].cells));
}

void cross3(const Math *m, const Dual *a, const Dual *b, Dual *out)
{
    Dual x = number_sub(m, number_mul(m, a[1], b[2]), number_mul(m, a[2], b[1]));
    Dual y = number_sub(m, number_mul(m, a[2], b[0]), number_mul(m, a[0], b[2]));
    Dual z = number_sub(m, number_mul(m, a[0], b[1]), number_mul(m, a[1], b[0]));
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

void vector_cross(Call *call)
{
    same_types(call);
    refuse_if(call, !is_vec(&call->args[0], 3));
    Math m = math_of(call);
    cross3(&m, call->args[0].cells, call->args[1].cells, result_value(call, call->args[0].type, 3));
}

void vector_outer(Call *call)
{
    const Datum *a = &call->args[0], *b = &call->args[1];
    refuse_if(call, !is_vec(a, 0) || !is_vec(b, 0) || type_scalar_of(a->type) != type_scalar_of(b->type));
    Math m = math_of(call);
    uint32_t rows = a->type->composite.rows, cols = b->type->composite.rows;
    Dual *out = result_value(call, type_mat(types_of(call), rows, cols, type_scalar_of(a->type)), rows * cols);
    for (uint32_t i = 0; i < rows * cols; i++)
        out[i] = number_mul(&m, a->cells[i / cols], b->cells[i % cols]);
}

void vector_skew(Call *call)
{
    refuse_if(call, !is_vec(&call->args[0], 3));
    Math m = math_of(call);
    const Dual *v = call->args[0].cells;
    Dual *out = result_value(call, type_mat(types_of(call), 3, 3, type_scalar_of(call->args[0].type)), 9);
    Dual zero = number_zero();
    Dual cells[9] = {zero, number_neg(&m, v[2]), v[1], v[2], zero, number_neg(&m, v[0]), number_neg(&m, v[1]), v[0],
                     zero};
    memcpy(out, cells, sizeof cells);
}

Dual length_of(const Math *m, const Dual *a, uint32_t count)
{
    Dual square = number_dot(m, a, a, count);
    if (square.real == 0)
        square.tangent = 0; /* no derivative there */
    return square_root(m, square);
}

static bool is_vector_like(const Datum *d)
{
    return is_vec(d, 0) || is_kind(d, TYPE_QUAT);
}

static bool is_real_vector(const Datum *d)
{
    return is_vector_like(d) && type_is_float(type_scalar_of(d->type));
}

void vector_length(Call *call)
{
    refuse_if(call, !is_real_vector(&call->args[0]));
    Math m = math_of(call);
    result_scalar(call, type_scalar_of(call->args[0].type),
                  length_of(&m, call->args[0].cells, width_of(&call->args[0])));
}

void vector_length_sq(Call *call)
{
    refuse_if(call, !is_vector_like(&call->args[0]));
    Math m = math_of(call);
    const Dual *a = call->args[0].cells;
    result_scalar(call, type_scalar_of(call->args[0].type), number_dot(&m, a, a, width_of(&call->args[0])));
}

void normalize_cells(const Math *m, const Dual *a, uint32_t count, Dual *out)
{
    Dual length = length_of(m, a, count);
    for (uint32_t i = 0; i < count; i++)
        out[i] = length.real > 0 ? divide_duals(m, a[i], length) : number_zero();
}

void normalize_value(const Math *m, const Type *type, const Dual *a, Dual *out)
{
    uint32_t width = type->composite.rows * type->composite.cols;
    bool is_zero = type->kind == TYPE_QUAT && length_of(m, a, 4).real == 0;
    normalize_cells(m, a, width, out);
    if (is_zero)
        out[3] = (Dual){.real = 1};
}

void vector_normalize(Call *call)
{
    refuse_if(call, !is_real_vector(&call->args[0]));
    Math m = math_of(call);
    const Type *type = call->args[0].type;
    normalize_value(&m, type, call->args[0].cells, result_value(call, type, width_of(&call->args[0])));
}

void vector_arg(Call *call) /* argmin, argmax */
{
    refuse_if(call, !is_vec(&call->args[0], 0));
    Math m = math_of(call);
    const Dual *a = call->args[0].cells;
    uint32_t best = 0;
    for (uint32_t i = 1; i < width_of(&call->args[0]); i++)
        if (call->variant ? number_less(&m, a[best], a[i]) : number_less(&m, a[i], a[best]))
            best = i;
    new_int_datum(call->e, TYPE_UINT32, best, call->out);
}

void vector_componentwise(Call *call)
{
    same_types(call);
    Math m = math_of(call);
    uint32_t width = width_of(&call->args[0]);
    Dual *out = result_value(call, call->args[0].type, width);
    for (uint32_t i = 0; i < width; i++) {
        Dual a = call->args[0].cells[i], b = call->args[1].cells[i];
        out[i] = call->variant == CW_MUL ? number_mul(&m, a, b) : number_div(&m, a, b);
    }
}

/* ---- matrices ---- */

void multiply_matrices(const Math *m, const Dual *a, const Dual *b, uint32_t rows, uint32_t inner, uint32_t cols,
                       Dual *out)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < cols; j++) {
            Dual sum = number_mul(m, a[i * inner], b[j]);
            for (uint32_t k = 1; k < inner; k++)
                sum = number_add(m, sum, number_mul(m, a[i * inner + k], b[k * cols + j]));
            out[i * cols + j] = sum;
        }
}

void matrix_transpose(Call *call)
{
    refuse_if(call, !is_mat(&call->args[0], 0, 0));
    const Type *type = call->args[0].type;
    uint32_t rows = type->composite.rows, cols = type->composite.cols;
    Dual *out = result_value(call, type_mat(types_of(call), cols, rows, type->composite.dtype), rows * cols);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < cols; j++)
            out[j * rows + i] = call->args[0].cells[i * cols + j];
}

static uint32_t square_size(const Call *call)
{
    refuse_if(call, !is_mat(&call->args[0], 0, 0) ||
                        call->args[0].type->composite.rows != call->args[0].type->composite.cols);
    return call->args[0].type->composite.rows;
}

void matrix_trace(Call *call)
{
    uint32_t size = square_size(call);
    Math m = math_of(call);
    Dual sum = call->args[0].cells[0];
    for (uint32_t i = 1; i < size; i++)
        sum = number_add(&m, sum, call->args[0].cells[i * size + i]);
    result_scalar(call, type_scalar_of(call->args[0].type), sum);
}

void matrix_diag(Call *call)
{
    refuse_if(call, !is_vec(&call->args[0], 0));
    uint32_t size = width_of(&call->args[0]);
    Dual *out =
        result_value(call, type_mat(types_of(call), size, size, type_scalar_of(call->args[0].type)), size * size);
    for (uint32_t i = 0; i < size * size; i++)
        out[i] = i % (size + 1) == 0 ? call->args[0].cells[i / size] : number_zero();
}

void matrix_get_diag(Call *call)
{
    uint32_t size = square_size(call);
    Dual *out = result_value(call, type_vec(types_of(call), size, type_scalar_of(call->args[0].type)), size);
    for (uint32_t i = 0; i < size; i++)
        out[i] = call->args[0].cells[i * size + i];
}

static Dual minor2(const Math *m, Dual a, Dual b, Dual c, Dual d)
{
    return sub(m, mul(m, a, d), mul(m, b, c));
}

/* Rows 0 and 1 against rows 2 and 3 (Laplace). */
static Dual determinant4(const Math *m, const Dual *a)
{
    static const uint8_t pairs[6][5] = {{0, 1, 2, 3, 0}, {0, 2, 1, 3, 1}, {0, 3, 1, 2, 0},
                                        {1, 2, 0, 3, 0}, {1, 3, 0, 2, 1}, {2, 3, 0, 1, 0}};
    Dual sum = number_zero();
    for (int i = 0; i < 6; i++) {
        const uint8_t *p = pairs[i];
        Dual top = minor2(m, a[p[0]], a[p[1]], a[4 + p[0]], a[4 + p[1]]);
        Dual bottom = minor2(m, a[8 + p[2]], a[8 + p[3]], a[12 + p[2]], a[12 + p[3]]);
        Dual term = mul(m, top, bottom);
        sum = p[4] ? sub(m, sum, term) : add(m, sum, term);
    }
    return sum;
}

static Dual determinant(const Math *m, const Dual *a, uint32_t size)
{
    if (size == 2)
        return minor2(m, a[0], a[1], a[2], a[3]);
    if (size == 3) {
        Dual normal[3];
        cross3(m, a + 3, a + 6, normal);
        return number_dot(m, a, normal, 3);
    }
    return determinant4(m, a);
}

void matrix_determinant(Call *call)
{
    uint32_t size = square_size(call);
    Math m = math_of(call);
    refuse_if(call, size < 2 || size > 4 || m.is_int);
    result_scalar(call, type_scalar_of(call->args[0].type), determinant(&m, call->args[0].cells, size));
}

/* Cofactors over the determinant. Up to three rows in the matrix's own type, four in double, as in Warp. */
static void adjugate3(const Math *m, const Dual *a, Dual *out)
{
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++) {
            uint32_t r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[i * 3 + j] = minor2(m, a[r * 3 + c], a[r * 3 + d], a[s * 3 + c], a[s * 3 + d]);
        }
}

static void adjugate4(const Math *m, const Dual *a, Dual *out)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++) { /* without row j and column i */
            Dual rest[9];
            for (uint32_t k = 0; k < 9; k++) {
                uint32_t row = k / 3 + (k / 3 >= j), col = k % 3 + (k % 3 >= i);
                rest[k] = a[row * 4 + col];
            }
            Dual cofactor = determinant(m, rest, 3);
            out[i * 4 + j] = (i + j) % 2 ? neg(cofactor) : cofactor;
        }
}

void matrix_inverse(Call *call)
{
    uint32_t size = square_size(call);
    Math own = math_of(call), m = own;
    refuse_if(call, size < 2 || size > 4 || m.is_int);
    m.exact |= size == 4;
    const Dual *a = call->args[0].cells;
    Dual *out = result_value(call, call->args[0].type, size * size), det = determinant(&m, a, size);
    if (det.real == 0) { /* Warp's inverse of a singular matrix is zero */
        memset(out, 0, size * size * sizeof *out);
        return;
    }
    if (size == 2) {
        Dual cells[4] = {a[3], neg(a[1]), neg(a[2]), a[0]};
        memcpy(out, cells, sizeof cells);
    } else if (size == 3)
        adjugate3(&m, a, out);
    else
        adjugate4(&m, a, out);
    Dual factor = divide_duals(&m, (Dual){.real = 1}, det);
    for (uint32_t i = 0; i < size * size; i++) {
        Dual cell = mul(&m, out[i], factor);
        out[i] = real_result(&own, cell.real, cell.tangent, 0, 0);
    }
}
