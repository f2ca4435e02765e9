"""Edges between the points of a grid: many are parallel, many are points, many meet."""

# check: --range=-1,1
import warp as wp


@wp.func
def snap(v: wp.vec3):
    return wp.vec3(wp.floor(v[0] * 2.0), wp.floor(v[1] * 2.0), wp.floor(v[2] * 2.0))


@wp.kernel
def grid_edges(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), c: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3), where: wp.array(dtype=wp.vec3), total: wp.array(dtype=float)):
    i = wp.tid()
    r = wp.closest_point_edge_edge(snap(a[i]), snap(b[i]), snap(c[i]), snap(d[i]), 1.0e-6)
    where[i] = r
    wp.atomic_add(total, 0, r[2])


@wp.kernel
def third_edges(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), c: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3), where: wp.array(dtype=wp.vec3), total: wp.array(dtype=float)):
    i = wp.tid()
    k = 1.0 / 3.0
    r = wp.closest_point_edge_edge(snap(a[i]) * k, snap(b[i]) * k, snap(c[i]) * k, snap(d[i]) * k, 1.0e-6)
    where[i] = r
    wp.atomic_add(total, 0, r[2])


@wp.kernel
def near_grid_edges(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), c: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3), where: wp.array(dtype=wp.vec3), total: wp.array(dtype=float)):
    i = wp.tid()
    k = 1.0e-4
    r = wp.closest_point_edge_edge(snap(a[i]) + k * b[i], snap(b[i])+ k * c[i], snap(c[i])+ k * d[i], snap(d[i])+ k * a[i], 1.0e-6)
    where[i] = r
    wp.atomic_add(total, 0, r[2])


# Parallel but for rounding: where the closest points are, rounding decides, but not how far apart they are.
@wp.kernel
def shared_direction(a: wp.array(dtype=wp.vec3), u: wp.array(dtype=wp.vec3), c: wp.array(dtype=wp.vec3), l: wp.array(dtype=float), total: wp.array(dtype=float)):
    i = wp.tid()
    r = wp.closest_point_edge_edge(a[i], a[i] + u[i], c[i], c[i] + u[i] * l[i], 1.0e-6)
    wp.atomic_add(total, 0, r[2])


@wp.func
def segments(p1: wp.vec3, q1: wp.vec3, p2: wp.vec3, q2: wp.vec3):
    d1 = q1 - p1
    d2 = q2 - p2
    r = p1 - p2
    a = wp.dot(d1, d1)
    e = wp.dot(d2, d2)
    f = wp.dot(d2, r)
    c = wp.dot(d1, r)
    b = wp.dot(d1, d2)
    denom = a * e - b * b
    s = float(0.0)
    if denom > 1.0e-6:
        s = wp.clamp((b * f - c * e) / denom, 0.0, 1.0)
    t = (b * s + f) / e
    if t < 0.0:
        t = 0.0
        s = wp.clamp(-c / a, 0.0, 1.0)
    elif t > 1.0:
        t = 1.0
        s = wp.clamp((b - c) / a, 0.0, 1.0)
    return s, t


@wp.kernel
def written_out(a: wp.array(dtype=wp.vec3), u: wp.array(dtype=wp.vec3), c: wp.array(dtype=wp.vec3), l: wp.array(dtype=float), where: wp.array(dtype=wp.vec2), total: wp.array(dtype=float)):
    i = wp.tid()
    s, t = segments(a[i], a[i] + u[i], c[i], c[i] + u[i] * l[i])
    where[i] = wp.vec2(s, t)
    d = wp.length(a[i] + u[i] * s - c[i] - u[i] * (l[i] * t))
    wp.atomic_add(total, 0, d)
    wp.atomic_max(total, 1, d)
    if d < 0.4:
        wp.atomic_add(total, 2, 0.4 - d)
