/* Rotations: quaternions, transforms, spatial vectors. */
#include "eval/tree/machine.h"

#include <math.h>

#define TREE_BODY "eval/tree/quaternion.inc"
#include "eval/tree/variants.inc"

#define BOTH(name, form)                                                                                               \
    {                                                                                                                  \
#name, form, FLOATS(run_##name), FLOATS(adj_##name)                                                            \
    }

static const TreeRow rows[] = {
    {"mul", "qq", FLOATS(run_quat_mul), FLOATS(adj_quat_mul)},
    {"mul", "tt", FLOATS(run_transform_mul), FLOATS(adj_transform_mul)},
    {"transform_multiply", "tt", FLOATS(run_transform_mul), FLOATS(adj_transform_mul)},
    BOTH(quat_inverse, "q"),
    BOTH(quat_rotate, "qv"),
    BOTH(quat_rotate_inv, "qv"),
    BOTH(quat_from_axis_angle, "vs"),
    BOTH(quat_to_axis_angle, "q*"),
    BOTH(quat_rpy, "sss"),
    BOTH(quat_slerp, "qqs"),
    BOTH(quat_to_matrix, "q"),
    BOTH(quat_from_matrix, "m"),
    BOTH(transform_inverse, "t"),
    BOTH(transform_vector, "tv"),
    BOTH(transform_point, "tv"),
    BOTH(spatial_cross, "vv"),
    BOTH(spatial_cross_dual, "vv"),
};

const TreeFamily tree_quaternion_family = {rows, sizeof rows / sizeof *rows};
