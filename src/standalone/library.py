"""Builtins in terms of simpler ones, in the kernel language itself: their device functions and adjoints are translated
from here like a user's. Loaded twice, for float32 and float64: S is the scalar, VEC2 and so on the types made of it.
What follows two underscores in a name only tells overloads apart.
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


@wp.func
def quat_from_matrix__44(m: MAT44):
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
def transform_point__44(m: MAT44, p: VEC3):
    r = m * VEC4(p[0], p[1], p[2], S(1.0))
    return VEC3(r[0], r[1], r[2])


@wp.func
def transform_vector__44(m: MAT44, v: VEC3):
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


# ---- decompositions ----


@wp.func
def qr3(a: MAT33):
    c0 = VEC3(a[0, 0], a[1, 0], a[2, 0])
    c1 = VEC3(a[0, 1], a[1, 1], a[2, 1])
    c2 = VEC3(a[0, 2], a[1, 2], a[2, 2])
    q0 = wp.normalize(c0)
    q1 = wp.normalize(c1 - q0 * wp.dot(q0, c1))
    q2 = wp.cross(q0, q1)
    q = MAT33(q0[0], q1[0], q2[0], q0[1], q1[1], q2[1], q0[2], q1[2], q2[2])
    zero = S(0.0)
    r = MAT33(wp.dot(q0, c0), wp.dot(q0, c1), wp.dot(q0, c2), zero, wp.dot(q1, c1), wp.dot(q1, c2), zero, zero, wp.dot(q2, c2))
    return q, r


@wp.func
def svd2(a: MAT22):
    p = a[0, 0] * a[0, 0] + a[1, 0] * a[1, 0]
    q = a[0, 1] * a[0, 1] + a[1, 1] * a[1, 1]
    mixed = a[0, 0] * a[0, 1] + a[1, 0] * a[1, 1]
    gap = p - q
    inside = gap * gap + S(4.0) * mixed * mixed
    u = MAT22(S(1.0), S(0.0), S(0.0), S(1.0))
    sigma = VEC2(wp.sqrt(S(0.5) * (p + q)), wp.sqrt(S(0.5) * (p + q)))
    v = MAT22(S(1.0), S(0.0), S(0.0), S(1.0))
    if inside > S(0.0):
        root = wp.sqrt(inside)
        det = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
        largest = wp.sqrt(S(0.5) * (p + q + root))
        sigma = VEC2(largest, wp.abs(det) / largest)
        way = VEC2(gap + root - S(2.0) * mixed, gap - root + S(2.0) * mixed)
        if way[0] == S(0.0) and way[1] == S(0.0):
            way = VEC2(S(1.0), S(1.0))
        d = wp.normalize(way)
        v = MAT22(d[0], -d[1], d[1], d[0])
        u0 = (a[0, 0] * d[0] + a[0, 1] * d[1]) / largest
        u1 = (a[1, 0] * d[0] + a[1, 1] * d[1]) / largest
        u = MAT22(u0, -u1, u1, u0)
        if det < S(0.0):
            u = MAT22(u0, u1, u1, -u0)
    return u, sigma, v


# ---- distances ----


@wp.func
def closest_point_edge_edge(p1: wp.vec3, q1: wp.vec3, p2: wp.vec3, q2: wp.vec3, epsilon: float):
    d1 = q1 - p1
    d2 = q2 - p2
    apart = p1 - p2
    a = wp.dot(d1, d1)
    e = wp.dot(d2, d2)
    f = wp.dot(d2, apart)
    c = wp.dot(d1, apart)
    s = float(0.0)
    t = float(0.0)
    if a <= epsilon and e > epsilon:
        t = wp.clamp(f / e, 0.0, 1.0)
    if a > epsilon and e <= epsilon:
        s = wp.clamp(-c / a, 0.0, 1.0)
    if a > epsilon and e > epsilon:
        b = wp.dot(d1, d2)
        area = a * e - b * b
        if area > 0.0:
            s = wp.clamp((b * f - c * e) / area, 0.0, 1.0)
        along = (b * s + f) / e
        if along < 0.0:
            s = wp.clamp(-c / a, 0.0, 1.0)
        if along > 1.0:
            s = wp.clamp((b - c) / a, 0.0, 1.0)
        t = wp.clamp(along, 0.0, 1.0)
    return wp.vec3(s, t, wp.length(p2 + d2 * t - (p1 + d1 * s)))


# ---- noise: every corner of the cell around a point has a random gradient ----


@wp.func
def noise_blend(t: float):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@wp.func
def noise_corner__1(state: wp.uint32, i: int):
    corner = wp.uint32(i) * wp.uint32(73856093) + state
    return wp.randf(corner) * 2.0 - 1.0


@wp.func
def noise_corner__2(state: wp.uint32, i: int, j: int):
    corner = (wp.uint32(i) * wp.uint32(73856093)) ^ (wp.uint32(j) * wp.uint32(19349663) + state)
    x = wp.randf(corner) - 0.5
    y = wp.randf(corner) - 0.5
    return wp.normalize(wp.vec2(x, y))


@wp.func
def noise_corner__3(state: wp.uint32, i: int, j: int, k: int):
    corner = (
        (wp.uint32(i) * wp.uint32(73856093))
        ^ (wp.uint32(j) * wp.uint32(19349663))
        ^ (wp.uint32(k) * wp.uint32(53471161) + state)
    )
    x = wp.randf(corner) - 0.5
    y = wp.randf(corner) - 0.5
    z = wp.randf(corner) - 0.5
    return wp.normalize(wp.vec3(x, y, z))


@wp.func
def noise_corner__4(state: wp.uint32, i: int, j: int, k: int, l: int):
    corner = (
        (wp.uint32(i) * wp.uint32(73856093))
        ^ (wp.uint32(j) * wp.uint32(19349663))
        ^ (wp.uint32(k) * wp.uint32(53471161))
        ^ (wp.uint32(l) * wp.uint32(10000019) + state)
    )
    x = wp.randf(corner) - 0.5
    y = wp.randf(corner) - 0.5
    z = wp.randf(corner) - 0.5
    w = wp.randf(corner) - 0.5
    return wp.normalize(wp.vec4(x, y, z, w))


@wp.func
def noise_between__1(state: wp.uint32, x: float, i0: int, i1: int, s: float):
    low = noise_corner__1(state, i0) * x
    high = noise_corner__1(state, i1) * (x - 1.0)
    return (high - low) * s + low


@wp.func
def noise_between__2(state: wp.uint32, x: float, y: float, i0: int, i1: int, j: int, s: float):
    low = wp.dot(noise_corner__2(state, i0, j), wp.vec2(x, y))
    high = wp.dot(noise_corner__2(state, i1, j), wp.vec2(x - 1.0, y))
    return (high - low) * s + low


@wp.func
def noise_between__3(state: wp.uint32, x: float, y: float, z: float, i0: int, i1: int, j: int, k: int, s: float):
    low = wp.dot(noise_corner__3(state, i0, j, k), wp.vec3(x, y, z))
    high = wp.dot(noise_corner__3(state, i1, j, k), wp.vec3(x - 1.0, y, z))
    return (high - low) * s + low


@wp.func
def noise_between__4(state: wp.uint32, p: wp.vec4, i0: int, i1: int, j: int, k: int, l: int, s: float):
    low = wp.dot(noise_corner__4(state, i0, j, k, l), p)
    high = wp.dot(noise_corner__4(state, i1, j, k, l), p - wp.vec4(1.0, 0.0, 0.0, 0.0))
    return (high - low) * s + low


@wp.func
def noise_at__2(state: wp.uint32, p: wp.vec2, i0: int, i1: int, j0: int, j1: int):
    sx = noise_blend(p[0])
    low = noise_between__2(state, p[0], p[1], i0, i1, j0, sx)
    high = noise_between__2(state, p[0], p[1] - 1.0, i0, i1, j1, sx)
    return (high - low) * noise_blend(p[1]) + low


@wp.func
def noise_at__3(state: wp.uint32, p: wp.vec3, i0: int, i1: int, j0: int, j1: int, k0: int, k1: int):
    sx = noise_blend(p[0])
    sy = noise_blend(p[1])
    a = noise_between__3(state, p[0], p[1], p[2], i0, i1, j0, k0, sx)
    b = noise_between__3(state, p[0], p[1] - 1.0, p[2], i0, i1, j1, k0, sx)
    c = noise_between__3(state, p[0], p[1], p[2] - 1.0, i0, i1, j0, k1, sx)
    d = noise_between__3(state, p[0], p[1] - 1.0, p[2] - 1.0, i0, i1, j1, k1, sx)
    low = (b - a) * sy + a
    high = (d - c) * sy + c
    return (high - low) * noise_blend(p[2]) + low


@wp.func
def noise_level__4(state: wp.uint32, p: wp.vec4, i0: int, i1: int, j0: int, j1: int, k0: int, k1: int, l: int):
    sx = noise_blend(p[0])
    sy = noise_blend(p[1])
    a = noise_between__4(state, p, i0, i1, j0, k0, l, sx)
    b = noise_between__4(state, p - wp.vec4(0.0, 1.0, 0.0, 0.0), i0, i1, j1, k0, l, sx)
    c = noise_between__4(state, p - wp.vec4(0.0, 0.0, 1.0, 0.0), i0, i1, j0, k1, l, sx)
    d = noise_between__4(state, p - wp.vec4(0.0, 1.0, 1.0, 0.0), i0, i1, j1, k1, l, sx)
    low = (b - a) * sy + a
    high = (d - c) * sy + c
    return (high - low) * noise_blend(p[2]) + low


@wp.func
def noise__1(state: wp.uint32, x: float):
    i = int(wp.floor(x))
    t = x - wp.floor(x)
    return noise_between__1(state, t, i, i + 1, noise_blend(t))


@wp.func
def noise__2(state: wp.uint32, p: wp.vec2):
    i = int(wp.floor(p[0]))
    j = int(wp.floor(p[1]))
    t = wp.vec2(p[0] - wp.floor(p[0]), p[1] - wp.floor(p[1]))
    return noise_at__2(state, t, i, i + 1, j, j + 1)


@wp.func
def noise__3(state: wp.uint32, p: wp.vec3):
    i = int(wp.floor(p[0]))
    j = int(wp.floor(p[1]))
    k = int(wp.floor(p[2]))
    t = wp.vec3(p[0] - wp.floor(p[0]), p[1] - wp.floor(p[1]), p[2] - wp.floor(p[2]))
    return noise_at__3(state, t, i, i + 1, j, j + 1, k, k + 1)


@wp.func
def noise__4(state: wp.uint32, p: wp.vec4):
    i = int(wp.floor(p[0]))
    j = int(wp.floor(p[1]))
    k = int(wp.floor(p[2]))
    l = int(wp.floor(p[3]))
    t = wp.vec4(p[0] - wp.floor(p[0]), p[1] - wp.floor(p[1]), p[2] - wp.floor(p[2]), p[3] - wp.floor(p[3]))
    low = noise_level__4(state, t, i, i + 1, j, j + 1, k, k + 1, l)
    high = noise_level__4(state, t - wp.vec4(0.0, 0.0, 0.0, 1.0), i, i + 1, j, j + 1, k, k + 1, l + 1)
    return (high - low) * noise_blend(t[3]) + low


@wp.func
def pnoise__1(state: wp.uint32, x: float, px: int):
    i0 = int(wp.floor(x)) % px
    t = x - wp.floor(x)
    return noise_between__1(state, t, i0, (i0 + 1) % px, noise_blend(t))


@wp.func
def pnoise__2(state: wp.uint32, p: wp.vec2, px: int, py: int):
    i0 = int(wp.floor(p[0])) % px
    j0 = int(wp.floor(p[1])) % py
    t = wp.vec2(p[0] - wp.floor(p[0]), p[1] - wp.floor(p[1]))
    return noise_at__2(state, t, i0, (i0 + 1) % px, j0, (j0 + 1) % py)


@wp.func
def pnoise__3(state: wp.uint32, p: wp.vec3, px: int, py: int, pz: int):
    i0 = int(wp.floor(p[0])) % px
    j0 = int(wp.floor(p[1])) % py
    k0 = int(wp.floor(p[2])) % pz
    t = wp.vec3(p[0] - wp.floor(p[0]), p[1] - wp.floor(p[1]), p[2] - wp.floor(p[2]))
    return noise_at__3(state, t, i0, (i0 + 1) % px, j0, (j0 + 1) % py, k0, (k0 + 1) % pz)


@wp.func
def pnoise__4(state: wp.uint32, p: wp.vec4, px: int, py: int, pz: int, pw: int):
    i0 = int(wp.floor(p[0])) % px
    j0 = int(wp.floor(p[1])) % py
    k0 = int(wp.floor(p[2])) % pz
    l0 = int(wp.floor(p[3])) % pw
    i1 = (i0 + 1) % px
    j1 = (j0 + 1) % py
    k1 = (k0 + 1) % pz
    t = wp.vec4(p[0] - wp.floor(p[0]), p[1] - wp.floor(p[1]), p[2] - wp.floor(p[2]), p[3] - wp.floor(p[3]))
    low = noise_level__4(state, t, i0, i1, j0, j1, k0, k1, l0)
    high = noise_level__4(state, t - wp.vec4(0.0, 0.0, 0.0, 1.0), i0, i1, j0, j1, k0, k1, (l0 + 1) % pw)
    return (high - low) * noise_blend(t[3]) + low
