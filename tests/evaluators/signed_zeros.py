"""Zeros whose sign matters: atan2(0, x) and atan2(-0, x) are far apart for a negative x."""

import warp as wp


@wp.kernel
def zeros(a: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    z = a[i] - a[i]
    p = -1.0 - a[i]
    out[i] = wp.atan2(-z, p) + 10.0 * wp.atan2(wp.neg(z), p) + 100.0 * wp.atan2(-0.0, p)
    w = v[i] - v[i]
    u = -w
    out[i] += 1000.0 * wp.atan2(u[0], p) + 10000.0 * wp.atan2(wp.round(-0.2 * a[i]), p)
    k = -wp.round(0.2 * a[i])
    out[i] += 100000.0 * wp.atan2(k, p) + 1000000.0 * wp.atan2(wp.abs(k), p) + 1.0e7 * wp.atan2(k * 2.0, p)


@wp.kernel
def zero_signs(a: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    p = -1.0 - a[i]
    n = wp.round(-0.2 * a[i])
    out[i] = wp.atan2(n, p) + 10.0 * wp.atan2(-n, p) + 100.0 * wp.atan2(n + n, p)
    out[i] += 1000.0 * wp.atan2(wp.min(n, 0.0), p) + 1.0e4 * wp.atan2(wp.max(0.0, n), p) + 1.0e5 * wp.atan2(wp.max(n, 0.0), p)
    out[i] += 1.0e6 * wp.atan2(wp.floor(0.2 * a[i]) * -1.0, p) + 1.0e7 * wp.atan2(wp.trunc(-0.3), p)


@wp.kernel
def zero_signs2(a: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    p = -1.0 - a[i]
    n = wp.round(-0.2 * a[i])
    out[i] = wp.atan2(wp.ceil(-0.3 * a[i]), p) + 10.0 * wp.atan2(wp.frac(-1.0 - n), p) + 100.0 * wp.atan2(wp.sin(n), p)
    out[i] += 1000.0 * wp.atan2(wp.sqrt(n), p) + 1.0e4 * wp.atan2(wp.clamp(n, -1.0, 1.0), p) + 1.0e5 * wp.atan2(wp.mod(n, 1.0), p)
    out[i] += 1.0e6 * wp.atan2(n / 2.0, p) + 1.0e7 * wp.atan2(wp.lerp(n, n, 0.5), p)


@wp.kernel
def zero_signs3(a: wp.array(dtype=float), q: wp.array(dtype=wp.quat), m: wp.array(dtype=wp.mat22), out: wp.array(dtype=float)):
    i = wp.tid()
    p = -1.0 - a[i]
    n = wp.round(-0.2 * a[i])
    x = -(q[i] - q[i])
    y = -(m[i] - m[i])
    out[i] = wp.atan2(x[0], p) + 10.0 * wp.atan2(y[0, 1], p) + 100.0 * wp.atan2(wp.sign(n) * n, p)
    d = wp.vec2(n, n)
    out[i] += 1000.0 * wp.atan2(wp.dot(d, wp.vec2(1.0, 1.0)), p) + 1.0e4 * wp.atan2(wp.rint(-0.3 * a[i]), p) + 1.0e5 * wp.atan2(wp.nonzero(n) - n, p)
    out[i] += 1.0e6 * wp.atan2(wp.floordiv(n, 2.0), p) + 1.0e7 * wp.atan2(wp.pow(n, 3.0), p)


@wp.kernel
def neg_quat(a: wp.array(dtype=float), q: wp.array(dtype=wp.quat), out: wp.array(dtype=float)):
    i = wp.tid()
    x = -(q[i] - q[i])
    out[i] = wp.atan2(x[0], -1.0 - a[i])


@wp.kernel
def neg_mat(a: wp.array(dtype=float), m: wp.array(dtype=wp.mat22), out: wp.array(dtype=float)):
    i = wp.tid()
    y = -(m[i] - m[i])
    out[i] = wp.atan2(y[0, 1], -1.0 - a[i])


@wp.kernel
def sign_times(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = wp.round(-0.2 * a[i])
    out[i] = wp.atan2(wp.sign(n) * n, -1.0 - a[i])


@wp.kernel
def dot_zero(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = wp.round(-0.2 * a[i])
    d = wp.vec2(n, n)
    out[i] = wp.atan2(wp.dot(d, wp.vec2(1.0, 1.0)), -1.0 - a[i])


@wp.kernel
def rint_zero(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.atan2(wp.rint(-0.3 * a[i]), -1.0 - a[i])


@wp.kernel
def nonzero_zero(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = wp.round(-0.2 * a[i])
    out[i] = wp.atan2(wp.nonzero(n) - n, -1.0 - a[i]) + 10.0 * wp.atan2(wp.nonzero(n), -1.0 - a[i])


@wp.kernel
def floordiv_zero(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = wp.round(-0.2 * a[i])
    out[i] = wp.atan2(wp.floordiv(n, 2.0), -1.0 - a[i])


@wp.kernel
def matvec_zero(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = wp.round(-0.2 * a[i])
    m = wp.mat22(1.0, 1.0, 0.5, 0.5)
    v = m * wp.vec2(n, n)
    w = wp.vec2(n, n) * m
    u = m @ (m * n)
    t = wp.outer(v, v)
    out[i] = wp.atan2(v[0], -1.0 - a[i]) + 10.0 * wp.atan2(w[0], -1.0) + 100.0 * wp.atan2(u[0, 0], -1.0) + 1000.0 * wp.atan2(wp.ddot(m, m * n), -1.0) + 1.0e4 * wp.atan2(wp.trace(m * n), -1.0)


@wp.kernel
def cross_zero(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = wp.round(-0.2 * a[i])
    c = wp.cross(wp.vec3(n, n, n), wp.vec3(1.0, 0.0, 1.0))
    q = wp.quat_rotate(wp.quat_identity(), wp.vec3(n, n, n))
    r = wp.quat_inverse(wp.quat(n, n, n, 1.0))
    out[i] = wp.atan2(c[0], -1.0) + 10.0 * wp.atan2(c[1], -1.0) + 100.0 * wp.atan2(q[0], -1.0) + 1000.0 * wp.atan2(r[0], -1.0)
    e = wp.quat_identity() * wp.quat(n, n, n, 1.0)
    f = wp.normalize(wp.vec3(n, 1.0, 1.0))
    out[i] += 1.0e4 * wp.atan2(e[0], -1.0) + 1.0e5 * wp.atan2(f[0], -1.0) + 1.0e6 * wp.atan2(wp.smoothstep(0.0, 1.0, n), -1.0) + 1.0e7 * wp.atan2(wp.degrees(n), -1.0)
