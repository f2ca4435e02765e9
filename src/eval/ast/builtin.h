/* The builtin functions of the AST evaluator, by file, and the variants that tell their names apart. */
#ifndef WEFT_EVAL_AST_BUILTIN_H
#define WEFT_EVAL_AST_BUILTIN_H

#include "eval/ast/number.h"

enum { MATH_ATAN2, MATH_POW, MATH_COPYSIGN, MATH_CLAMP, MATH_SMOOTHSTEP, MATH_ABS, MATH_SIGN, MATH_STEP, MATH_NONZERO };
BuiltinFn math_operator, math_map, math_scalars, math_lerp, math_signed, math_unary, math_min_max, math_classify,
    math_bit_count, math_not, math_convert;

/* vector.c */
enum { CW_MUL, CW_DIV };
BuiltinFn vector_dot, vector_cross, vector_outer, vector_skew, vector_length, vector_length_sq, vector_normalize,
    vector_arg, vector_componentwise, matrix_transpose, matrix_trace, matrix_diag, matrix_get_diag, matrix_determinant,
    matrix_inverse;

/* quat.c */
BuiltinFn quat_from_axis_angle, quat_to_axis_angle, quat_from_matrix, quat_to_matrix, quat_rpy, quat_inverse,
    quat_rotate, quat_slerp, transform_part, transform_set, transform_multiply, transform_point, transform_inverse,
    spatial_dot, spatial_cross, spatial_part, spatial_adjoint;

/* geometry.c */
BuiltinFn geometry_edge_edge, geometry_triangles;

/* decompose.c */
BuiltinFn decompose_svd, decompose_qr, decompose_eig;

/* random.c */
enum { RANDOM_INT, RANDOM_UINT, RANDOM_FLOAT, RANDOM_NORMAL };
enum {
    SAMPLE_TRIANGLE,
    SAMPLE_RING,
    SAMPLE_DISK,
    SAMPLE_SPHERE_SURFACE,
    SAMPLE_SPHERE,
    SAMPLE_HEMISPHERE_SURFACE,
    SAMPLE_HEMISPHERE,
    SAMPLE_SQUARE,
    SAMPLE_CUBE
};
BuiltinFn random_init, random_draw, random_sample, random_poisson, random_cdf;

/* noise.c */
BuiltinFn noise_value, noise_periodic, noise_curl;

/* misc.c */
BuiltinFn misc_tid, misc_len, misc_range, misc_reversed, misc_where, misc_atomic, misc_ignore, misc_type,
    misc_lower_bound, misc_copy, misc_array_store, misc_block_dim, misc_tuple;

#endif
