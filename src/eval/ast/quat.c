/* Builtins: quaternions, transforms, spatial vectors. */
#include "eval/ast/builtin.h"

#include <string.h>

static TypeTable *types_of(const Call *call)
{
    return call->e->unit->types;
}

static void need(const Call *call, bool fits)
{
    refuse_if(call, !fits);
}

static const Type *scalar_type(const Call *call)
{
    return type_scalar_of(call->args[0].type);
}

static bool same_scalar(const Call *call, uint32_t i)
{
    return call->args[i].kind == DATUM_VALUE && type_scalar_of(call->args[i].type) == scalar_type(call);
}

/* ---- quaternions ---- */

void multiply_quats(const Math *m, const Dual *a, const Dual *b, Dual *out)
{
    Dual q[4];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Dual sum = add(m, mul(m, a[3], b[i]), mul(m, b[3], a[i]));
        q[i] = sub(m, add(m, sum, mul(m, a[j], b[k])), mul(m, b[j], a[k]));
    }
    q[3] = mul(m, a[3], b[3]);
    for (int i = 0; i < 3; i++)
        q[3] = sub(m, q[3], mul(m, a[i], b[i]));
    memcpy(out, q, sizeof q);
}

/* v (2w² - 1) + q 2 (q·v) ± (q × v) 2w */
static void rotate_vector(const Math *m, const Dual *q, const Dual *v, bool inverse, Dual *out)
{
    Dual c = sub(m, mul(m, scale(m, 2, q[3]), q[3]), (Dual){.real = 1});
    Dual d = scale(m, 2, number_dot(m, q, v, 3));
    Dual turn[3], result[3];
    cross3(m, q, v, turn);
    for (int i = 0; i < 3; i++) {
        Dual straight = add(m, mul(m, v[i], c), mul(m, q[i], d));
        Dual around = scale(m, 2, mul(m, turn[i], q[3]));
        result[i] = inverse ? sub(m, straight, around) : add(m, straight, around);
    }
    memcpy(out, result, sizeof result);
}

static void from_axis_angle(const Math *m, const Dual *axis, Dual angle, Dual *out)
{
    Dual half = scale(m, 0.5, angle), sine = apply_map(m, MAP_SIN, half);
    for (int i = 0; i < 3; i++)
        out[i] = mul(m, axis[i], sine);
    out[3] = apply_map(m, MAP_COS, half);
}

static void to_axis_angle(const Math *m, const Dual *q, Dual *axis, Dual *angle)
{
    normalize_cells(m, q, 3, axis);
    for (int i = 0; q[3].real < 0 && i < 3; i++)
        axis[i] = neg(axis[i]);
    Dual w = q[3].real < 0 ? neg(q[3]) : q[3];
    *angle = scale(m, 2, arc_tangent(m, length_of(m, q, 3), w));
}

void quat_from_axis_angle(Call *call)
{
    need(call, is_vec(&call->args[0], 3) && is_scalar(&call->args[1]) && same_scalar(call, 1));
    Math m = math_of(call);
    from_axis_angle(&m, call->args[0].cells, call->args[1].cells[0],
                    result_value(call, type_quat(types_of(call), scalar_type(call)), 4));
}

void quat_to_axis_angle(Call *call)
{
    need(call, is_kind(&call->args[0], TYPE_QUAT));
    Math m = math_of(call);
    Dual axis[3], angle;
    to_axis_angle(&m, call->args[0].cells, axis, &angle);
    if (call->count == 3) {
        need(call, is_vec(&call->args[1], 3) && is_scalar(&call->args[2]));
        memcpy(changed_argument(call, 1), axis, sizeof axis);
        *changed_argument(call, 2) = angle;
        return;
    }
    need(call, call->count == 1);
    Datum *items = result_tuple(call, 2);
    memcpy(new_datum(call->e, type_vec(types_of(call), 3, scalar_type(call)), 3, &items[0]), axis, sizeof axis);
    *new_scalar(call->e, scalar_type(call), &items[1]) = angle;
}

void quat_from_matrix(Call *call)
{
    need(call, is_mat(&call->args[0], 3, 3) || is_mat(&call->args[0], 4, 4));
    Math m = math_of(call);
    uint32_t n = call->args[0].type->composite.cols;
    const Dual *a = call->args[0].cells;
#define AT(row, col) a[(row)*n + (col)]
    Dual one = {.real = 1}, q[4], trace = add(&m, add(&m, AT(0, 0), AT(1, 1)), AT(2, 2));
    if (trace.real >= 0) {
        Dual root = square_root(&m, add(&m, trace, one)), h = divide_duals(&m, (Dual){.real = 0.5}, root);
        q[3] = scale(&m, 0.5, root);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
            q[i] = mul(&m, sub(&m, AT(k, j), AT(j, k)), h);
        }
    } else {
        uint32_t i = AT(1, 1).real > AT(0, 0).real ? 1 : 0; /* the largest of the diagonal */
        if (AT(2, 2).real > AT(i, i).real)
            i = 2;
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        Dual root = square_root(&m, add(&m, sub(&m, AT(i, i), add(&m, AT(j, j), AT(k, k))), one));
        Dual h = divide_duals(&m, (Dual){.real = 0.5}, root);
        q[i] = scale(&m, 0.5, root);
        q[j] = mul(&m, add(&m, AT(i, j), AT(j, i)), h);
        q[k] = mul(&m, add(&m, AT(k, i), AT(i, k)), h);
        q[3] = mul(&m, sub(&m, AT(k, j), AT(j, k)), h);
    }
#undef AT
    Dual *out = result_value(call, type_quat(types_of(call), scalar_type(call)), 4);
    normalize_cells(&m, q, 4, out);
}

void quat_to_matrix(Call *call)
{
    need(call, is_kind(&call->args[0], TYPE_QUAT));
    Math m = math_of(call);
    Dual *out = result_value(call, type_mat(types_of(call), 3, 3, scalar_type(call)), 9);
    for (int col = 0; col < 3; col++) {
        Dual axis[3] = {{{0}, 0}, {{0}, 0}, {{0}, 0}}, turned[3];
        axis[col].real = 1;
        rotate_vector(&m, call->args[0].cells, axis, false, turned);
        for (int row = 0; row < 3; row++)
            out[row * 3 + col] = turned[row];
    }
}

void quat_rpy(Call *call)
{
    need(call, is_scalar(&call->args[0]) && same_scalar(call, 1) && same_scalar(call, 2));
    Math m = math_of(call);
    Dual c[3], s[3]; /* roll, pitch, yaw */
    for (int i = 0; i < 3; i++) {
        Dual half = scale(&m, 0.5, call->args[i].cells[0]);
        c[i] = apply_map(&m, MAP_COS, half);
        s[i] = apply_map(&m, MAP_SIN, half);
    }
    Dual *q = result_value(call, type_quat(types_of(call), scalar_type(call)), 4);
#define PRODUCT(yaw, roll, pitch) mul(&m, mul(&m, yaw[2], roll[0]), pitch[1])
    q[0] = sub(&m, PRODUCT(c, s, c), PRODUCT(s, c, s));
    q[1] = add(&m, PRODUCT(c, c, s), PRODUCT(s, s, c));
    q[2] = sub(&m, PRODUCT(s, c, c), PRODUCT(c, s, s));
    q[3] = add(&m, PRODUCT(c, c, c), PRODUCT(s, s, s));
#undef PRODUCT
}

static void conjugate(const Dual *q, Dual *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = neg(q[i]);
    out[3] = q[3];
}

void quat_inverse(Call *call)
{
    need(call, is_kind(&call->args[0], TYPE_QUAT));
    conjugate(call->args[0].cells, result_value(call, call->args[0].type, 4));
}

void quat_rotate(Call *call)
{
    need(call, is_kind(&call->args[0], TYPE_QUAT) && is_vec(&call->args[1], 3) && same_scalar(call, 1));
    Math m = math_of(call);
    rotate_vector(&m, call->args[0].cells, call->args[1].cells, call->variant,
                  result_value(call, call->args[1].type, 3));
}

void quat_slerp(Call *call)
{
    need(call, is_kind(&call->args[0], TYPE_QUAT) && is_kind(&call->args[1], TYPE_QUAT) && is_scalar(&call->args[2]));
    Math m = math_of(call);
    Dual inverse[4], between[4], axis[3], angle, part[4];
    conjugate(call->args[0].cells, inverse);
    multiply_quats(&m, inverse, call->args[1].cells, between);
    to_axis_angle(&m, between, axis, &angle);
    from_axis_angle(&m, axis, mul(&m, call->args[2].cells[0], angle), part);
    multiply_quats(&m, call->args[0].cells, part, result_value(call, call->args[0].type, 4));
}

/* ---- transforms ---- */

void transform_part(Call *call) /* transform_get_translation, transform_get_rotation */
{
    need(call, is_kind(&call->args[0], TYPE_TRANSFORM));
    bool rotation = call->variant;
    const Type *type =
        rotation ? type_quat(types_of(call), scalar_type(call)) : type_vec(types_of(call), 3, scalar_type(call));
    Dual *out = result_value(call, type, rotation ? 4 : 3);
    memcpy(out, call->args[0].cells + (rotation ? 3 : 0), (rotation ? 4 : 3) * sizeof *out);
}

void transform_set(Call *call)
{
    bool rotation = call->variant;
    need(call, is_kind(&call->args[0], TYPE_TRANSFORM) && same_scalar(call, 1) &&
                   (rotation ? is_kind(&call->args[1], TYPE_QUAT) : is_vec(&call->args[1], 3)));
    Dual *target = changed_argument(call, 0);
    memmove(target + (rotation ? 3 : 0), call->args[1].cells, (rotation ? 4 : 3) * sizeof *target);
}

void multiply_transforms(const Math *m, const Dual *a, const Dual *b, Dual *out)
{
    Dual result[7];
    rotate_vector(m, a + 3, b, false, result);
    for (int i = 0; i < 3; i++)
        result[i] = add(m, result[i], a[i]);
    multiply_quats(m, a + 3, b + 3, result + 3);
    memcpy(out, result, sizeof result);
}

void transform_multiply(Call *call)
{
    need(call,
         is_kind(&call->args[0], TYPE_TRANSFORM) && is_kind(&call->args[1], TYPE_TRANSFORM) && same_scalar(call, 1));
    Math m = math_of(call);
    multiply_transforms(&m, call->args[0].cells, call->args[1].cells, result_value(call, call->args[0].type, 7));
}

static void matrix_point(const Call *call, bool vector)
{
    Math m = math_of(call);
    const Dual *a = call->args[0].cells, *v = call->args[1].cells;
    Dual point[4] = {v[0], v[1], v[2], {.real = vector ? 0 : 1}}, product[4];
    multiply_matrices(&m, a, point, 4, 4, 1, product);
    memcpy(result_value(call, call->args[1].type, 3), product, 3 * sizeof *product);
}

void transform_point(Call *call) /* variant 1: transform_vector */
{
    bool by_matrix = is_mat(&call->args[0], 4, 4);
    need(call, by_matrix || is_kind(&call->args[0], TYPE_TRANSFORM));
    need(call, is_vec(&call->args[1], 3) && same_scalar(call, 1));
    if (by_matrix) {
        matrix_point(call, call->variant);
        return;
    }
    Math m = math_of(call);
    Dual *out = result_value(call, call->args[1].type, 3);
    rotate_vector(&m, call->args[0].cells + 3, call->args[1].cells, false, out);
    for (int i = 0; !call->variant && i < 3; i++)
        out[i] = add(&m, call->args[0].cells[i], out[i]);
}

void transform_inverse(Call *call)
{
    need(call, is_kind(&call->args[0], TYPE_TRANSFORM));
    Math m = math_of(call);
    Dual *out = result_value(call, call->args[0].type, 7);
    conjugate(call->args[0].cells + 3, out + 3);
    rotate_vector(&m, out + 3, call->args[0].cells, false, out);
    for (int i = 0; i < 3; i++)
        out[i] = neg(out[i]);
}

/* ---- spatial vectors: angular part first ---- */

void spatial_dot(Call *call)
{
    need(call, is_vec(&call->args[0], 6) && is_vec(&call->args[1], 6) && same_scalar(call, 1));
    Math m = math_of(call);
    result_scalar(call, scalar_type(call), number_dot(&m, call->args[0].cells, call->args[1].cells, 6));
}

void spatial_cross(Call *call) /* variant 1: the dual one */
{
    need(call, is_vec(&call->args[0], 6) && is_vec(&call->args[1], 6) && same_scalar(call, 1));
    Math m = math_of(call);
    const Dual *a = call->args[0].cells, *b = call->args[1].cells;
    Dual *out = result_value(call, call->args[0].type, 6), more[3];
    cross3(&m, a, b, out);
    cross3(&m, a, b + 3, out + 3);
    cross3(&m, a + 3, call->variant ? b + 3 : b, more);
    for (int i = 0; i < 3; i++) {
        Dual *target = out + (call->variant ? 0 : 3) + i;
        *target = add(&m, *target, more[i]);
    }
}

void spatial_part(Call *call)
{
    need(call, is_vec(&call->args[0], 6));
    Dual *out = result_value(call, type_vec(types_of(call), 3, scalar_type(call)), 3);
    memcpy(out, call->args[0].cells + (call->variant ? 3 : 0), 3 * sizeof *out);
}

void spatial_adjoint(Call *call)
{
    need(call, is_mat(&call->args[0], 3, 3) && is_mat(&call->args[1], 3, 3) && same_scalar(call, 1));
    Dual *out = result_value(call, type_mat(types_of(call), 6, 6, scalar_type(call)), 36);
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 9; i++) {
        int row = i / 3, col = i % 3;
        out[row * 6 + col] = out[(row + 3) * 6 + col + 3] = call->args[0].cells[i];
        out[(row + 3) * 6 + col] = call->args[1].cells[i];
    }
}
