"""Builtins in terms of simpler ones, in the kernel language itself: their device functions and adjoints are translated
from here like a user's. Loaded twice, for float32 and float64: S is the scalar, VEC2 … the types made of it.
"""


@wp.func
def smoothstep(edge0: S, edge1: S, x: S):
    t = wp.clamp((x - edge0) / (edge1 - edge0), S(0.0), S(1.0))
    return t * t * (S(3.0) - S(2.0) * t)


# ---- quaternions ----


@wp.func
def quat_mul(a: QUAT, b: QUAT):
    return QUAT(
        a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - b[1] * a[2],
        a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - b[2] * a[0],
        a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - b[0] * a[1],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@wp.func
def quat_inverse(q: QUAT):
    return QUAT(-q[0], -q[1], -q[2], q[3])


@wp.func
def quat_rotate(q: QUAT, v: VEC3):
    u = VEC3(q[0], q[1], q[2])
    return v * (S(2.0) * q[3] * q[3] - S(1.0)) + u * (S(2.0) * wp.dot(u, v)) + wp.cross(u, v) * (S(2.0) * q[3])


@wp.func
def quat_rotate_inv(q: QUAT, v: VEC3):
    u = VEC3(q[0], q[1], q[2])
    return v * (S(2.0) * q[3] * q[3] - S(1.0)) + u * (S(2.0) * wp.dot(u, v)) - wp.cross(u, v) * (S(2.0) * q[3])


@wp.func
def quat_from_axis_angle(axis: VEC3, angle: S):
    sine = wp.sin(S(0.5) * angle)
    return QUAT(axis[0] * sine, axis[1] * sine, axis[2] * sine, wp.cos(S(0.5) * angle))


@wp.func
def quat_to_axis_angle(q: QUAT):
    u = VEC3(q[0], q[1], q[2])
    axis = wp.normalize(u)
    w = q[3]
    if w < S(0.0):
        axis = -axis
        w = -w
    return axis, S(2.0) * wp.atan2(wp.length(u), w)


@wp.func
def quat_slerp(a: QUAT, b: QUAT, t: S):
    axis, angle = quat_to_axis_angle(quat_mul(quat_inverse(a), b))
    return quat_mul(a, quat_from_axis_angle(axis, t * angle))


@wp.func
def quat_rpy(roll: S, pitch: S, yaw: S):
    cr = wp.cos(S(0.5) * roll)
    sr = wp.sin(S(0.5) * roll)
    cp = wp.cos(S(0.5) * pitch)
    sp = wp.sin(S(0.5) * pitch)
    cy = wp.cos(S(0.5) * yaw)
    sy = wp.sin(S(0.5) * yaw)
    return QUAT(
        cy * sr * cp - sy * cr * sp,
        cy * cr * sp + sy * sr * cp,
        sy * cr * cp - cy * sr * sp,
        cy * cr * cp + sy * sr * sp,
    )


@wp.func
def quat_to_matrix(q: QUAT):
    x = quat_rotate(q, VEC3(S(1.0), S(0.0), S(0.0)))
    y = quat_rotate(q, VEC3(S(0.0), S(1.0), S(0.0)))
    z = quat_rotate(q, VEC3(S(0.0), S(0.0), S(1.0)))
    return MAT33(x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@wp.func
def quat_from_parts(m00: S, m01: S, m02: S, m10: S, m11: S, m12: S, m20: S, m21: S, m22: S):
    trace = m00 + m11 + m22
    x = S(0.0)
    y = S(0.0)
    z = S(0.0)
    w = S(0.0)
    if trace >= S(0.0):
        root = wp.sqrt(trace + S(1.0))
        h = S(0.5) / root
        x = (m21 - m12) * h
        y = (m02 - m20) * h
        z = (m10 - m01) * h
        w = S(0.5) * root
    elif m22 > wp.max(m00, m11):
        root = wp.sqrt(m22 - (m00 + m11) + S(1.0))
        h = S(0.5) / root
        x = (m20 + m02) * h
        y = (m12 + m21) * h
        z = S(0.5) * root
        w = (m10 - m01) * h
    elif m11 > m00:
        root = wp.sqrt(m11 - (m22 + m00) + S(1.0))
        h = S(0.5) / root
        x = (m01 + m10) * h
        y = S(0.5) * root
        z = (m12 + m21) * h
        w = (m02 - m20) * h
    else:
        root = wp.sqrt(m00 - (m11 + m22) + S(1.0))
        h = S(0.5) / root
        x = S(0.5) * root
        y = (m01 + m10) * h
        z = (m20 + m02) * h
        w = (m21 - m12) * h
    return wp.normalize(QUAT(x, y, z, w))


@wp.func
def quat_from_matrix(m: MAT33):
    return quat_from_parts(
        m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2]
    )


# ---- transforms ----


@wp.func
def transform_multiply(a: TRANSFORM, b: TRANSFORM):
    p = quat_rotate(a.q, b.p) + a.p
    return TRANSFORM(p, quat_mul(a.q, b.q))


@wp.func
def transform_point(t: TRANSFORM, p: VEC3):
    return t.p + quat_rotate(t.q, p)


@wp.func
def transform_vector(t: TRANSFORM, v: VEC3):
    return quat_rotate(t.q, v)


@wp.func
def transform_inverse(t: TRANSFORM):
    q = quat_inverse(t.q)
    return TRANSFORM(-quat_rotate(q, t.p), q)


@wp.func
def transform_point_44(m: MAT44, p: VEC3):
    r = m * VEC4(p[0], p[1], p[2], S(1.0))
    return VEC3(r[0], r[1], r[2])


@wp.func
def transform_vector_44(m: MAT44, v: VEC3):
    r = m * VEC4(v[0], v[1], v[2], S(0.0))
    return VEC3(r[0], r[1], r[2])


# ---- spatial vectors: the angular part comes first ----


@wp.func
def spatial_cross(a: VEC6, b: VEC6):
    wa = VEC3(a[0], a[1], a[2])
    va = VEC3(a[3], a[4], a[5])
    wb = VEC3(b[0], b[1], b[2])
    vb = VEC3(b[3], b[4], b[5])
    top = wp.cross(wa, wb)
    bottom = wp.cross(wa, vb) + wp.cross(va, wb)
    return VEC6(top[0], top[1], top[2], bottom[0], bottom[1], bottom[2])


@wp.func
def spatial_cross_dual(a: VEC6, b: VEC6):
    wa = VEC3(a[0], a[1], a[2])
    va = VEC3(a[3], a[4], a[5])
    wb = VEC3(b[0], b[1], b[2])
    vb = VEC3(b[3], b[4], b[5])
    top = wp.cross(wa, wb) + wp.cross(va, vb)
    bottom = wp.cross(wa, vb)
    return VEC6(top[0], top[1], top[2], bottom[0], bottom[1], bottom[2])
