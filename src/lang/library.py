"""Functions that Warp provides but writes in the kernel language itself.

A kernel that calls `wp.norm_huber` gets a C++ function compiled from such a definition, so weft needs definitions
that compile to the same text. Parameter names, types and the sequence of operations are therefore given; they are
what tests/python/test_library.py holds against an installed Warp. Each definition counts: in C++ the n-th function
of a name is called NAME_n, from 0, and a user's own function of that name comes after those here.
"""

from typing import Any

import warp as wp

NOTHING_F = wp.float32(0.0)
NOTHING_H = wp.float16(0.0)
NOTHING_D = wp.float64(0.0)


@wp.func
def quat_between_vectors(a: wp.vec3, b: wp.vec3) -> wp.quat:
    """The shortest rotation that takes the direction of `a` to that of `b`."""
    from_dir = wp.normalize(a)
    to_dir = wp.normalize(b)
    axis = wp.cross(from_dir, to_dir)
    cosine = wp.dot(from_dir, to_dir)
    doubled = wp.quat(axis[0], axis[1], axis[2], 1.0 + cosine)
    return wp.normalize(doubled)


# ---- norms ----


@wp.func
def norm_l1(v: Any) -> float:
    """Sum of the absolute components."""
    total = float(0.0)
    for axis in range(len(v)):
        total += wp.abs(v[axis])
    return total


@wp.func
def norm_l2(v: Any) -> float:
    """Euclidean length."""
    return wp.length(v)


@wp.func
def norm_huber(v: Any, delta: float = 1.0) -> float:
    """Quadratic up to the length `delta`, linear beyond."""
    square = wp.dot(v, v)
    if square <= delta * delta:
        return 0.5 * square
    return delta * (wp.sqrt(square) - 0.5 * delta)


@wp.func
def norm_pseudo_huber(v: Any, delta: float = 1.0) -> float:
    """The Huber norm's smooth relative."""
    square = wp.dot(v, v)
    return delta * wp.sqrt(1.0 + square / (delta * delta))


@wp.func
def smooth_normalize(v: Any, delta: float = 1.0) -> Any:
    """`v` by its pseudo-Huber norm: defined, and smooth, at zero, too."""
    return v / norm_pseudo_huber(v, delta)


# ---- rigid bodies ----


@wp.func
def velocity_at_point(qd: wp.spatial_vector, r: wp.vec3) -> wp.vec3:
    """Velocity of the point at offset `r` of a body that moves with the twist `qd`."""
    return wp.spatial_bottom(qd) + wp.cross(wp.spatial_top(qd), r)


# ---- the part of a rotation about one axis ----


@wp.func
def quat_twist(axis: wp.vec3, q: wp.quat) -> wp.quat:
    """That part, as a quaternion."""
    imaginary = wp.vec3(q[0], q[1], q[2])
    along = wp.dot(imaginary, axis)
    imaginary = along * axis
    return wp.normalize(wp.quat(imaginary[0], imaginary[1], imaginary[2], q[3]))


@wp.func
def quat_twist_angle(axis: wp.vec3, q: wp.quat) -> float:
    """Its angle, without a sign."""
    imaginary = wp.vec3(q[0], q[1], q[2])
    along = wp.abs(wp.dot(axis, imaginary))
    return 2.0 * wp.atan2(along, q[3])


@wp.func
def quat_twist_angle_signed(axis: wp.vec3, q: wp.quat) -> float:
    """Its angle, positive counterclockwise."""
    imaginary = wp.vec3(q[0], q[1], q[2])
    along = wp.dot(axis, imaginary)
    return 2.0 * wp.atan2(along, q[3])


# ---- rotations as three angles ----


@wp.func
def quat_to_rpy(q: wp.quat) -> wp.vec3:
    """Roll, pitch and yaw: angles about the fixed axes x, y and z, in this order."""
    qx = q[0]
    qy = q[1]
    qz = q[2]
    qw = q[3]

    roll_sin = 2.0 * (qw * qx + qy * qz)
    roll_cos = 1.0 - 2.0 * (qx * qx + qy * qy)
    roll = wp.atan2(roll_sin, roll_cos)

    # Rounding may push the sine out of the range of asin.
    pitch_sin = 2.0 * (qw * qy - qz * qx)
    pitch_sin = wp.clamp(pitch_sin, -1.0, 1.0)
    pitch = wp.asin(pitch_sin)

    yaw_sin = 2.0 * (qw * qz + qx * qy)
    yaw_cos = 1.0 - 2.0 * (qy * qy + qz * qz)
    yaw = wp.atan2(yaw_sin, yaw_cos)

    return wp.vec3(roll, pitch, yaw)


@wp.func
def quat_to_euler(q: wp.quat, i: int, j: int, k: int) -> wp.vec3:
    """Angles of the rotations about the axes numbered `i`, `j` and `k`; the result is ordered by axis, x, y, z."""
    qw = q[3]
    qx = q[0]
    qy = q[1]
    qz = q[2]

    # Axes are counted from one here, so that the missing one of three is six minus the other two.
    i += 1
    j += 1
    k += 1
    three_axes = True
    if i == k:
        three_axes = False
        k = 6 - i - j
    # +1 or -1: whether the order of the axes is an even or an odd permutation.
    parity = float((i - j) * (j - k) * (k - i)) / 2.0
    a = qw
    b = qx
    c = qx
    d = qx * parity

    # b, c and d are the components that belong to the axes i, j and k.
    if i == 2:
        b = qy
    elif i == 3:
        b = qz

    if j == 2:
        c = qy
    elif j == 3:
        c = qz

    if k == 2:
        d = qy * parity
    elif k == 3:
        d = qz * parity

    if three_axes:
        at_j = qx
        at_k = qx
        at_i = qx
        if j == 2:
            at_j = qy
        elif j == 3:
            at_j = qz
        if k == 2:
            at_k = qy
        elif k == 3:
            at_k = qz
        if i == 2:
            at_i = qy
        elif i == 3:
            at_i = qz

        a -= at_j
        b += at_k * parity
        c += qw
        d -= at_i
    second = wp.acos(2.0 * (a * a + b * b) / (a * a + b * b + c * c + d * d) - 1.0)
    half_sum = wp.atan2(b, a)
    half_difference = wp.atan2(d, c)
    first = 0.0
    third = 0.0
    # Where the outer axes fall together only the sum, or the difference, of their angles is known.
    if wp.abs(second) < 1e-6:
        third = 2.0 * half_sum - first
    elif wp.abs(second - wp.pi) < 1e-6:
        third = 2.0 * half_difference + first
    else:
        first = half_sum - half_difference
        third = half_sum + half_difference
    if three_axes:
        second -= wp.HALF_PI
        third *= parity

    # From the order of the rotations to the order of the axes.
    about_x = first
    about_y = second
    about_z = third
    if i == 2:
        about_x = second
        about_y = first
    elif i == 3:
        about_x = third
        about_z = first

    if j == 1:
        about_x = second
    elif j == 2:
        about_y = second
    else:
        about_z = second

    if k == 1:
        about_x = third
    elif k == 2:
        about_y = third
    else:
        about_z = third

    return wp.vec3(about_x, about_y, about_z)


@wp.func
def quat_from_euler(e: wp.vec3, i: int, j: int, k: int) -> wp.quat:
    """The rotation by the angle e[i] about axis `i`, then by e[j] about `j`, then by e[k] about `k`."""
    angle_i = e[i]
    angle_j = e[j]
    angle_k = e[k]

    half_i = 0.5 * angle_i
    half_j = 0.5 * angle_j
    half_k = 0.5 * angle_k

    about_i = wp.quat(0.0, 0.0, 0.0, 1.0)
    about_j = wp.quat(0.0, 0.0, 0.0, 1.0)
    about_k = wp.quat(0.0, 0.0, 0.0, 1.0)

    sin_i = wp.sin(half_i)
    sin_j = wp.sin(half_j)
    sin_k = wp.sin(half_k)
    cos_i = wp.cos(half_i)
    cos_j = wp.cos(half_j)
    cos_k = wp.cos(half_k)

    if i == 0:
        about_i = wp.quat(sin_i, 0.0, 0.0, cos_i)
    elif i == 1:
        about_i = wp.quat(0.0, sin_i, 0.0, cos_i)
    else:
        about_i = wp.quat(0.0, 0.0, sin_i, cos_i)

    if j == 0:
        about_j = wp.quat(sin_j, 0.0, 0.0, cos_j)
    elif j == 1:
        about_j = wp.quat(0.0, sin_j, 0.0, cos_j)
    else:
        about_j = wp.quat(0.0, 0.0, sin_j, cos_j)

    if k == 0:
        about_k = wp.quat(sin_k, 0.0, 0.0, cos_k)
    elif k == 1:
        about_k = wp.quat(0.0, sin_k, 0.0, cos_k)
    else:
        about_k = wp.quat(0.0, 0.0, sin_k, cos_k)

    # The first rotation stands next to the vector that is rotated.
    return wp.mul(about_k, wp.mul(about_j, about_i))


# ---- spatial vectors in another frame ----


@wp.func
def transform_twist(t: wp.transform, x: wp.spatial_vector) -> wp.spatial_vector:
    """A velocity (angular, linear)."""
    turn = wp.transform_get_rotation(t)
    shift = wp.transform_get_translation(t)

    angular = wp.spatial_top(x)
    linear = wp.spatial_bottom(x)

    angular = wp.quat_rotate(turn, angular)
    linear = wp.quat_rotate(turn, linear) + wp.cross(shift, angular)

    return wp.spatial_vector(angular, linear)


@wp.func
def transform_wrench(t: wp.transform, x: wp.spatial_vector) -> wp.spatial_vector:
    """A force (torque, force)."""
    turn = wp.transform_get_rotation(t)
    shift = wp.transform_get_translation(t)

    torque = wp.spatial_top(x)
    force = wp.spatial_bottom(x)

    force = wp.quat_rotate(turn, force)
    torque = wp.quat_rotate(turn, torque) + wp.cross(shift, force)

    return wp.spatial_vector(torque, force)


# ---- transforms and matrices, in three precisions; float32 comes first, then float16, then float64 ----


@wp.func
def transform_from_matrix(mat: wp.mat44f) -> wp.transformf:
    """The transform that a matrix without scale stands for."""
    shift = wp.vec3f(mat[0][3], mat[1][3], mat[2][3])
    turn = wp.quat_from_matrix(mat)
    return wp.transformf(shift, turn)


@wp.func
def transform_from_matrix(mat: wp.mat44h) -> wp.transformh:
    shift = wp.vec3h(mat[0][3], mat[1][3], mat[2][3])
    turn = wp.quat_from_matrix(mat)
    return wp.transformh(shift, turn)


@wp.func
def transform_from_matrix(mat: wp.mat44d) -> wp.transformd:
    shift = wp.vec3d(mat[0][3], mat[1][3], mat[2][3])
    turn = wp.quat_from_matrix(mat)
    return wp.transformd(shift, turn)


@wp.func
def transform_to_matrix(xform: wp.transformf) -> wp.mat44f:
    """The matrix of a transform."""
    shift = wp.transform_get_translation(xform)
    turn = wp.transform_get_rotation(xform)
    basis = wp.quat_to_matrix(turn)
    return wp.mat44f(
        basis[0][0], basis[0][1], basis[0][2], shift[0],
        basis[1][0], basis[1][1], basis[1][2], shift[1],
        basis[2][0], basis[2][1], basis[2][2], shift[2],
        wp.float32(0.0), wp.float32(0.0), wp.float32(0.0), wp.float32(1.0),
    )


@wp.func
def transform_to_matrix(xform: wp.transformh) -> wp.mat44h:
    shift = wp.transform_get_translation(xform)
    turn = wp.transform_get_rotation(xform)
    basis = wp.quat_to_matrix(turn)
    return wp.mat44h(
        basis[0][0], basis[0][1], basis[0][2], shift[0],
        basis[1][0], basis[1][1], basis[1][2], shift[1],
        basis[2][0], basis[2][1], basis[2][2], shift[2],
        wp.float16(0.0), wp.float16(0.0), wp.float16(0.0), wp.float16(1.0),
    )


@wp.func
def transform_to_matrix(xform: wp.transformd) -> wp.mat44d:
    shift = wp.transform_get_translation(xform)
    turn = wp.transform_get_rotation(xform)
    basis = wp.quat_to_matrix(turn)
    return wp.mat44d(
        basis[0][0], basis[0][1], basis[0][2], shift[0],
        basis[1][0], basis[1][1], basis[1][2], shift[1],
        basis[2][0], basis[2][1], basis[2][2], shift[2],
        wp.float64(0.0), wp.float64(0.0), wp.float64(0.0), wp.float64(1.0),
    )


@wp.func
def transform_compose(position: wp.vec3f, rotation: wp.quatf, scale: wp.vec3f):
    """The matrix that scales, then rotates, then moves."""
    basis = wp.quat_to_matrix(rotation)
    return wp.mat44f(
        scale[0] * basis[0, 0], scale[1] * basis[0, 1], scale[2] * basis[0, 2], position[0],
        scale[0] * basis[1, 0], scale[1] * basis[1, 1], scale[2] * basis[1, 2], position[1],
        scale[0] * basis[2, 0], scale[1] * basis[2, 1], scale[2] * basis[2, 2], position[2],
        wp.float32(0.0), wp.float32(0.0), wp.float32(0.0), wp.float32(1.0),
    )


@wp.func
def transform_compose(position: wp.vec3h, rotation: wp.quath, scale: wp.vec3h):
    basis = wp.quat_to_matrix(rotation)
    return wp.mat44h(
        scale[0] * basis[0, 0], scale[1] * basis[0, 1], scale[2] * basis[0, 2], position[0],
        scale[0] * basis[1, 0], scale[1] * basis[1, 1], scale[2] * basis[1, 2], position[1],
        scale[0] * basis[2, 0], scale[1] * basis[2, 1], scale[2] * basis[2, 2], position[2],
        wp.float16(0.0), wp.float16(0.0), wp.float16(0.0), wp.float16(1.0),
    )


@wp.func
def transform_compose(position: wp.vec3d, rotation: wp.quatd, scale: wp.vec3d):
    basis = wp.quat_to_matrix(rotation)
    return wp.mat44d(
        scale[0] * basis[0, 0], scale[1] * basis[0, 1], scale[2] * basis[0, 2], position[0],
        scale[0] * basis[1, 0], scale[1] * basis[1, 1], scale[2] * basis[1, 2], position[1],
        scale[0] * basis[2, 0], scale[1] * basis[2, 1], scale[2] * basis[2, 2], position[2],
        wp.float64(0.0), wp.float64(0.0), wp.float64(0.0), wp.float64(1.0),
    )


@wp.func
def transform_decompose(m: wp.mat44f):
    """Undoes transform_compose: position, rotation, scale. A column that is zero stays zero."""
    position = wp.vec3f(m[0, 3], m[1, 3], m[2, 3])
    xx, yx, zx = m[0, 0], m[0, 1], m[0, 2]
    xy, yy, zy = m[1, 0], m[1, 1], m[1, 2]
    xz, yz, zz = m[2, 0], m[2, 1], m[2, 2]
    x_length = wp.sqrt(xx * xx + xy * xy + xz * xz)
    y_length = wp.sqrt(yx * yx + yy * yy + yz * yz)
    z_length = wp.sqrt(zx * zx + zy * zy + zz * zz)
    if x_length != NOTHING_F:
        xx /= x_length
        xy /= x_length
        xz /= x_length
    if y_length != NOTHING_F:
        yx /= y_length
        yy /= y_length
        yz /= y_length
    if z_length != NOTHING_F:
        zx /= z_length
        zy /= z_length
        zz /= z_length
    rotation = wp.quat_from_matrix(wp.mat33f(xx, yx, zx, xy, yy, zy, xz, yz, zz))
    scale = wp.vec3f(x_length, y_length, z_length)
    return position, rotation, scale


@wp.func
def transform_decompose(m: wp.mat44h):
    position = wp.vec3h(m[0, 3], m[1, 3], m[2, 3])
    xx, yx, zx = m[0, 0], m[0, 1], m[0, 2]
    xy, yy, zy = m[1, 0], m[1, 1], m[1, 2]
    xz, yz, zz = m[2, 0], m[2, 1], m[2, 2]
    x_length = wp.sqrt(xx * xx + xy * xy + xz * xz)
    y_length = wp.sqrt(yx * yx + yy * yy + yz * yz)
    z_length = wp.sqrt(zx * zx + zy * zy + zz * zz)
    if x_length != NOTHING_H:
        xx /= x_length
        xy /= x_length
        xz /= x_length
    if y_length != NOTHING_H:
        yx /= y_length
        yy /= y_length
        yz /= y_length
    if z_length != NOTHING_H:
        zx /= z_length
        zy /= z_length
        zz /= z_length
    rotation = wp.quat_from_matrix(wp.mat33h(xx, yx, zx, xy, yy, zy, xz, yz, zz))
    scale = wp.vec3h(x_length, y_length, z_length)
    return position, rotation, scale


@wp.func
def transform_decompose(m: wp.mat44d):
    position = wp.vec3d(m[0, 3], m[1, 3], m[2, 3])
    xx, yx, zx = m[0, 0], m[0, 1], m[0, 2]
    xy, yy, zy = m[1, 0], m[1, 1], m[1, 2]
    xz, yz, zz = m[2, 0], m[2, 1], m[2, 2]
    x_length = wp.sqrt(xx * xx + xy * xy + xz * xz)
    y_length = wp.sqrt(yx * yx + yy * yy + yz * yz)
    z_length = wp.sqrt(zx * zx + zy * zy + zz * zz)
    if x_length != NOTHING_D:
        xx /= x_length
        xy /= x_length
        xz /= x_length
    if y_length != NOTHING_D:
        yx /= y_length
        yy /= y_length
        yz /= y_length
    if z_length != NOTHING_D:
        zx /= z_length
        zy /= z_length
        zz /= z_length
    rotation = wp.quat_from_matrix(wp.mat33d(xx, yx, zx, xy, yy, zy, xz, yz, zz))
    scale = wp.vec3d(x_length, y_length, z_length)
    return position, rotation, scale
