"""Distances, areas, intersections, frames and rotations, from the textbook."""

import numpy as np
from textbook import cross, hat, norm, rotation_matrix

PI = np.pi


def point_distance(a, b):
    return np.sum(np.subtract(a, b) ** 2) ** 0.5


def direction_to(a, b):
    return hat(np.subtract(b, a))


def separation_of(a, b):
    return -np.subtract(a, b)


def ray_point(o, d, t):
    return np.array([p + t * q for p, q in zip(o, d)])


def point_between(a, b, t):
    return a + t * np.subtract(b, a)


def triangle_area(a, b, c):
    # Heron
    x, y, z = norm(np.subtract(a, b)), norm(np.subtract(b, c)), norm(np.subtract(c, a))
    s = (x + y + z) / 2
    return (s * (s - x) * (s - y) * (s - z)) ** 0.5


triangle_area.tolerance = 1e-6


def triangle_normal(a, b, c):
    return hat(cross(np.subtract(b, a), np.subtract(c, b)))


def triangle_centroid(a, b, c):
    return np.mean([a, b, c], axis=0)


def tetrahedron_volume(a, b, c, d):
    return np.linalg.det(np.column_stack([np.subtract(b, a), np.subtract(c, a), np.subtract(d, a)])) / 6


def signed_area_of(a, b, c):
    # the shoelace sum
    return (a[0] * b[1] - b[0] * a[1] + b[0] * c[1] - c[0] * b[1] + c[0] * a[1] - a[0] * c[1]) / 2


def barycentric_of(p, a, b, c):
    return np.linalg.solve(np.array([[a[0], b[0], c[0]], [a[1], b[1], c[1]], [1, 1, 1]]), [p[0], p[1], 1])


def barycentric_point(w, a, b, c):
    return np.column_stack([a, b, c]) @ w


def plane_distance(x, n, offset):
    return (np.asarray(x) - offset * np.asarray(n)) @ n


def project_to_plane(x, n, offset):
    n = np.asarray(n)
    return (np.eye(3) - np.outer(n, n)) @ x + offset * n


def sphere_distance(x, center, r):
    return norm(np.subtract(center, x)) - r


def box_distance(x, half):
    x, half = np.abs(x), np.asarray(half)
    if np.all(x <= half):
        return -np.min(half - x)
    return norm(x - np.minimum(x, half))


def torus_distance(x, major, minor):
    ring = major * np.array([x[0], 0, x[2]]) / np.hypot(x[0], x[2])
    return norm(np.asarray(x) - ring) - minor


def nearest_on_segment(x, a, b):
    a, b = np.asarray(a), np.asarray(b)
    t = np.dot(np.subtract(x, a), b - a) / norm(b - a) ** 2
    return a if t < 0 else b if t > 1 else (1 - t) * a + t * b


def capsule_distance(x, a, b, r):
    return norm(np.subtract(x, nearest_on_segment(x, a, b))) - r


def cylinder_distance(x, r, half):
    radial, axial = np.hypot(x[0], x[2]) - r, abs(x[1]) - half
    if radial <= 0 and axial <= 0:
        return max(radial, axial)
    return np.hypot(max(radial, 0), max(axial, 0))


def union_distance(da, db):
    return da if da < db else db


def carve_distance(da, db):
    return da if da > -db else -db


def smooth_union_distance(da, db, k):
    if abs(da - db) >= k:
        return min(da, db)
    return min(da, db) - (k - abs(da - db)) ** 2 / (4 * k)


def closest_on_segment(x, a, b):
    return nearest_on_segment(x, a, b)


def line_distance(x, o, d):
    v = np.subtract(x, o)
    return norm(v - (v @ d) * np.asarray(d))


def ray_plane_hit(o, d, n, offset):
    if abs(np.dot(d, n)) < 1e-6:
        return -1.0
    # the origin's distance along the normal, over the approach along the normal
    t = -plane_distance(o, n, offset) / np.dot(d, n)
    return t if t >= 0 else -1.0


def ray_sphere_hit(o, d, center, r):
    oc = np.subtract(o, center)
    roots = np.roots([np.dot(d, d), 2 * np.dot(oc, d), np.dot(oc, oc) - r**2])
    hits = sorted(t.real for t in roots if abs(t.imag) < 1e-12 and t.real >= 0)
    return hits[0] if hits else -1.0


def ray_triangle_hit(o, d, a, b, c):
    m = np.column_stack([-np.asarray(d), np.subtract(b, a), np.subtract(c, a)])
    if abs(np.linalg.det(m)) < 1e-6:
        return -1.0
    t, u, v = np.linalg.solve(m, np.subtract(o, a))
    return t if t >= 0 and u >= 0 and v >= 0 and u + v <= 1 else -1.0


def ray_box_hit(o, d, lower, upper):
    near, far = -np.inf, np.inf
    for k in range(3):
        ends = sorted([(lower[k] - o[k]) / d[k], (upper[k] - o[k]) / d[k]])
        near, far = max(near, ends[0]), min(far, ends[1])
    return max(near, 0.0) if near <= far and far >= 0 else -1.0


def angle_between(a, b):
    return np.arctan2(norm(cross(a, b)), np.dot(a, b))


def clamped_cosine(a, b):
    return max(sum(np.multiply(a, b)), 0)


def tangential_part(v, n):
    return cross(n, cross(v, n))


def any_tangent(n):
    helper = np.eye(3)[1 if abs(n[0]) > 0.9 else 0]
    return hat(-cross(n, helper))


def radius_from_volume(vol):
    return np.cbrt(vol * 0.75 / PI)


def sphere_surface(r):
    return PI * (2 * r) ** 2


def disc_area(r):
    return PI * r**2


def diameter_of(r):
    return r + r


def box_volume(half):
    return np.prod(2 * np.asarray(half))


def cap_volume(r, h):
    base = h * (2 * r - h)
    return PI * h / 6 * (3 * base + h**2)


def ellipse_perimeter(a, b):
    s = np.linspace(0, 2 * PI, 4001)[:-1]
    return np.sum(np.sqrt((a * np.sin(s)) ** 2 + (b * np.cos(s)) ** 2)) * (s[1] - s[0])


ellipse_perimeter.tolerance = 1e-3


def rotate_point(q, x):
    return rotation_matrix(q) @ x


def body_to_world(x, q, origin):
    return rotation_matrix(q) @ x + origin


def world_to_body(x, q, origin):
    return np.linalg.solve(rotation_matrix(q), np.subtract(x, origin))


def apply_pose(pose, x):
    return rotation_matrix(pose[3:]) @ x + pose[:3]


def quaternion_product(a, b):
    def matrix(q):
        x, y, z, w = q
        return np.array([[w + 1j * z, y + 1j * x], [-y + 1j * x, w - 1j * z]])
    m = matrix(b) @ matrix(a)  # this picture turns products around
    return np.array([m[0, 1].imag, m[0, 1].real, m[0, 0].imag, m[0, 0].real])


def advance_orientation(q, w, dt):
    rate = quaternion_product(np.append(w, 0.0), q) / 2
    return hat(q + dt * rate)


def relative_orientation(qa, qb):
    return quaternion_product([-qa[0], -qa[1], -qa[2], qa[3]], qb)


def rotation_angle(q):
    return np.arccos(np.clip((np.trace(rotation_matrix(q)) - 1) / 2, -1, 1))


rotation_angle.tolerance = 1e-6


def slerp_orientation(qa, qb, t):
    a, b = np.asarray(qa), np.asarray(qb)
    b = -b if a @ b < 0 else b
    if a @ b > 0.9995:
        return hat((1 - t) * a + t * b)
    # turn in the plane of a and the part of b at right angles to it
    across = hat(b - (a @ b) * a)
    theta = t * np.arccos(a @ b)
    return a * np.cos(theta) + across * np.sin(theta)


def yaw_of(q):
    m = rotation_matrix(q)
    return np.arctan2(m[1, 0], m[0, 0])


def orientation_from_heading(yaw):
    turn = np.exp(0.5j * yaw)
    return np.array([0, 0, turn.imag, turn.real])


def rotate_in_plane(p, theta):
    z = complex(*p) * np.exp(1j * theta)
    return np.array([z.real, z.imag])


def direction_at_angle(theta):
    z = np.exp(1j * theta)
    return np.array([z.real, z.imag])


def wrap_angle_to_pi(theta):
    return np.angle(np.exp(1j * theta))


def bezier_point(a, b, c, d, t):
    points = [np.asarray(p) for p in (a, b, c, d)]
    while len(points) > 1:  # de Casteljau
        points = [(1 - t) * p + t * q for p, q in zip(points, points[1:])]
    return points[0]


def catmull_rom_point(a, b, c, d, t):
    # Hermite with tangents half the chord of the neighbours
    a, b, c, d = map(np.asarray, (a, b, c, d))
    m0, m1 = (c - a) / 2, (d - b) / 2
    return (2 * t**3 - 3 * t**2 + 1) * b + (t**3 - 2 * t**2 + t) * m0 + (3 * t**2 - 2 * t**3) * c + (t**3 - t**2) * m1


def menger_curvature(a, b, c):
    x, y, z = norm(np.subtract(a, b)), norm(np.subtract(b, c)), norm(np.subtract(c, a))
    return 4 * signed_area_of(a, b, c) / (x * y * z)


def cone_solid_angle(half):
    return 4 * PI * np.sin(half / 2) ** 2


def spherical_point(r, polar, azimuth):
    flat = r * np.sin(polar) * np.exp(1j * azimuth)
    return np.array([flat.real, flat.imag, r * np.cos(polar)])


def haversine_distance(lat_a, lon_a, lat_b, lon_b, r):
    def place(lat, lon):
        return np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    p, q = place(lat_a, lon_a), place(lat_b, lon_b)
    return r * np.arctan2(norm(cross(p, q)), p @ q)
