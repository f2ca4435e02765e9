"""Contacts of edges: the closest points of two segments, also of parallel ones, of one with itself, of points."""

import warp as wp


# Edge pairs by index, Warp's own function, distances added up.
@wp.kernel
def edge_pairs_builtin(
    points: wp.array(dtype=wp.vec3),
    edges: wp.array2d(dtype=int),
    pairs: wp.array2d(dtype=int),
    total: wp.array(dtype=float),
):
    tid = wp.tid()
    e0 = pairs[tid, 0]
    e1 = pairs[tid, 1]
    p0 = points[edges[e0, 0]]
    p1 = points[edges[e0, 1]]
    q0 = points[edges[e1, 0]]
    q1 = points[edges[e1, 1]]
    st = wp.closest_point_edge_edge(p0, p1, q0, q1, 1.0e-6)
    wp.atomic_add(total, 0, st[2])


@wp.kernel
def edge_contact_forces(
    points: wp.array(dtype=wp.vec3),
    edges: wp.array(dtype=wp.vec2i),
    radius: float,
    stiffness: float,
    forces: wp.array(dtype=wp.vec3),
    contacts: wp.array(dtype=int),
):
    i, j = wp.tid()
    if i >= j:
        return
    a = edges[i]
    b = edges[j]
    p0 = points[a[0]]
    p1 = points[a[1]]
    q0 = points[b[0]]
    q1 = points[b[1]]
    c = wp.closest_point_edge_edge(p0, p1, q0, q1, 1.0e-8)
    s = c[0]
    t = c[1]
    x = p0 + (p1 - p0) * s
    y = q0 + (q1 - q0) * t
    d = y - x
    dist = wp.length(d)
    if dist < radius and dist > 1.0e-7:
        n = d / dist
        f = n * (radius - dist) * stiffness
        wp.atomic_sub(forces, a[0], f * (1.0 - s))
        wp.atomic_sub(forces, a[1], f * s)
        wp.atomic_add(forces, b[0], f * (1.0 - t))
        wp.atomic_add(forces, b[1], f * t)
        wp.atomic_add(contacts, 0, 1)


# Written out, as books have it.
@wp.func
def closest_segment_points(p1: wp.vec3, q1: wp.vec3, p2: wp.vec3, q2: wp.vec3):
    d1 = q1 - p1
    d2 = q2 - p2
    r = p1 - p2
    a = wp.dot(d1, d1)
    e = wp.dot(d2, d2)
    f = wp.dot(d2, r)
    s = float(0.0)
    t = float(0.0)
    if a <= 1.0e-8 and e <= 1.0e-8:
        return p1, p2
    if a <= 1.0e-8:
        t = wp.clamp(f / e, 0.0, 1.0)
    else:
        c = wp.dot(d1, r)
        if e <= 1.0e-8:
            s = wp.clamp(-c / a, 0.0, 1.0)
        else:
            b = wp.dot(d1, d2)
            denom = a * e - b * b
            if denom != 0.0:
                s = wp.clamp((b * f - c * e) / denom, 0.0, 1.0)
            t = (b * s + f) / e
            if t < 0.0:
                t = 0.0
                s = wp.clamp(-c / a, 0.0, 1.0)
            elif t > 1.0:
                t = 1.0
                s = wp.clamp((b - c) / a, 0.0, 1.0)
    return p1 + d1 * s, p2 + d2 * t


@wp.kernel
def segment_distances(
    starts: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec3),
    first: wp.array(dtype=int),
    second: wp.array(dtype=int),
    energy: wp.array(dtype=float),
):
    tid = wp.tid()
    i = first[tid]
    j = second[tid]
    x, y = closest_segment_points(starts[i], ends[i], starts[j], ends[j])
    d = wp.length(y - x)
    wp.atomic_add(energy, 0, d)


# In two dimensions of threads, every edge with every other, itself among them.
@wp.kernel
def all_pairs(
    starts: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec3),
    distance: wp.array2d(dtype=float),
    total: wp.array(dtype=float),
):
    i, j = wp.tid()
    c = wp.closest_point_edge_edge(starts[i], ends[i], starts[j], ends[j], 1.0e-5)
    distance[i, j] = c[2]
    wp.atomic_add(total, i, c[2])


@wp.kernel
def capsules(
    centre: wp.array(dtype=wp.vec3),
    turn: wp.array(dtype=wp.quat),
    half: wp.array(dtype=float),
    radius: wp.array(dtype=float),
    depth: wp.array(dtype=float),
    normal: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    j = i + 1
    if j >= centre.shape[0]:
        j = 0
    axis_a = wp.quat_rotate(turn[i], wp.vec3(0.0, 1.0, 0.0))
    axis_b = wp.quat_rotate(turn[j], wp.vec3(0.0, 1.0, 0.0))
    c = wp.closest_point_edge_edge(
        centre[i] - axis_a * half[i], centre[i] + axis_a * half[i],
        centre[j] - axis_b * half[j], centre[j] + axis_b * half[j], 1.0e-6)
    gap = c[2] - radius[i] - radius[j]
    wp.atomic_min(depth, 0, gap)
    if gap < 0.0:
        wp.atomic_add(normal, i, axis_a * gap)


# Parallel on purpose.
@wp.kernel
def parallel_rails(
    starts: wp.array(dtype=wp.vec3),
    along: wp.array(dtype=wp.vec3),
    offset: wp.array(dtype=wp.vec3),
    total: wp.array(dtype=float),
):
    i = wp.tid()
    p = starts[i]
    q = p + along[i]
    c = wp.closest_point_edge_edge(p, q, offset[i], offset[i] + along[i], 1.0e-6)
    wp.atomic_add(total, 0, c[2])


@wp.kernel
def parallel_scaled(
    starts: wp.array(dtype=wp.vec3),
    along: wp.array(dtype=wp.vec3),
    offset: wp.array(dtype=wp.vec3),
    total: wp.array(dtype=float),
):
    i = wp.tid()
    p = starts[i]
    c = wp.closest_point_edge_edge(p, p + along[i], offset[i], offset[i] - along[i] * 0.5, 1.0e-6)
    wp.atomic_add(total, 0, c[2])


@wp.kernel
def points_and_edges(
    points: wp.array(dtype=wp.vec3),
    ends: wp.array(dtype=wp.vec3),
    total: wp.array(dtype=float),
):
    i = wp.tid()
    n = points.shape[0]
    j = (i + 3) % n
    c = wp.closest_point_edge_edge(points[i], points[i], points[j], ends[j], 1.0e-6)
    d = wp.closest_point_edge_edge(points[j], ends[j], points[i], points[i], 1.0e-6)
    e = wp.closest_point_edge_edge(points[j], points[j], points[i], points[i], 1.0e-6)
    wp.atomic_add(total, 0, c[2] + d[2] + e[2])
    wp.atomic_add(total, 1, c[0] + c[1])
    wp.atomic_add(total, 2, d[0] + d[1])
