"""Distances, areas, intersections, frames and rotations."""


@law("geometry", "the distance of two points")
def point_distance(a: position, b: position) -> distance:
    return wp.length(b - a)


@law("geometry", "the direction from one point to another")
def direction_to(a: position, b: position) -> direction:
    return wp.normalize(b - a)


@law("geometry", "the vector from one point to another")
def separation_of(a: position, b: position) -> separation:
    return b - a


@law("geometry", "the point a distance along a ray")
def ray_point(o: position, d: direction, t: ray_distance) -> position:
    return o + t * d


@law("geometry", "the point between two points")
def point_between(a: position, b: position, t: ratio) -> position:
    return wp.lerp(a, b, t)


@law("geometry", "the area of a triangle")
def triangle_area(a: position, b: position, c: position) -> area:
    return 0.5 * wp.length(wp.cross(b - a, c - a))


@law("geometry", "the normal of a triangle")
def triangle_normal(a: position, b: position, c: position) -> normal:
    return wp.normalize(wp.cross(b - a, c - a))


@law("geometry", "the centroid of a triangle")
def triangle_centroid(a: position, b: position, c: position) -> position:
    return (a + b + c) / 3.0


@law("geometry", "the signed volume of a tetrahedron")
def tetrahedron_volume(a: position, b: position, c: position, d: position) -> signed_volume:
    return wp.dot(wp.cross(b - a, c - a), d - a) / 6.0


@law("geometry", "the signed area of a triangle in the plane, positive when it turns left")
def signed_area_of(a: point2, b: point2, c: point2) -> signed_area:
    ab = b - a
    ac = c - a
    return 0.5 * (ab[0] * ac[1] - ab[1] * ac[0])


@law("geometry", "the barycentric coordinates of a point in a triangle of the plane", needs=(wp.abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) > 0.1,))
def barycentric_of(p: point2, a: point2, b: point2, c: point2) -> barycentric:
    v0 = b - a
    v1 = c - a
    v2 = p - a
    area2 = v0[0] * v1[1] - v0[1] * v1[0]
    v = (v2[0] * v1[1] - v2[1] * v1[0]) / area2
    w = (v0[0] * v2[1] - v0[1] * v2[0]) / area2
    return wp.vec3(1.0 - v - w, v, w)


@law("geometry", "the point of a triangle at barycentric coordinates")
def barycentric_point(w: barycentric, a: position, b: position, c: position) -> position:
    return w[0] * a + w[1] * b + w[2] * c


@law("geometry", "the signed distance of a point from a plane")
def plane_distance(x: position, n: normal, offset: plane_offset) -> signed_distance:
    return wp.dot(x, n) - offset


@law("geometry", "the foot of a point on a plane")
def project_to_plane(x: position, n: normal, offset: plane_offset) -> position:
    return x - (wp.dot(x, n) - offset) * n


@law("geometry", "the signed distance of a point from a sphere")
def sphere_distance(x: position, center: position, r: radius) -> signed_distance:
    return wp.length(x - center) - r


@law("geometry", "the signed distance of a point from a box around the origin")
def box_distance(x: position, half: half_extents) -> signed_distance:
    q = wp.abs(x) - half
    outside = wp.length(wp.max(q, wp.vec3(0.0, 0.0, 0.0)))
    inside = wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0)
    return outside + inside


@law("geometry", "the signed distance of a point from a torus around the vertical axis")
def torus_distance(x: position, major: major_radius, minor: minor_radius) -> signed_distance:
    ring = wp.sqrt(x[0] * x[0] + x[2] * x[2]) - major
    return wp.sqrt(ring * ring + x[1] * x[1]) - minor


@law("geometry", "the signed distance of a point from a capsule")
def capsule_distance(x: position, a: position, b: position, r: radius) -> signed_distance:
    ax = x - a
    ab = b - a
    t = wp.clamp(wp.dot(ax, ab) / wp.dot(ab, ab), 0.0, 1.0)
    return wp.length(ax - t * ab) - r


@law("geometry", "the signed distance of a point from a cylinder around the vertical axis")
def cylinder_distance(x: position, r: radius, half: half_height) -> signed_distance:
    radial = wp.sqrt(x[0] * x[0] + x[2] * x[2]) - r
    axial = wp.abs(x[1]) - half
    outer_r = wp.max(radial, 0.0)
    outer_a = wp.max(axial, 0.0)
    return wp.min(wp.max(radial, axial), 0.0) + wp.sqrt(outer_r * outer_r + outer_a * outer_a)


@law("geometry", "the distance field of two shapes joined")
def union_distance(da: signed_distance, db: signed_distance) -> signed_distance:
    return wp.min(da, db)


@law("geometry", "the distance field of one shape cut out of another")
def carve_distance(da: signed_distance, db: signed_distance) -> signed_distance:
    return wp.max(da, -db)


@law("geometry", "the distance field of two shapes blended by a quadratic smooth minimum")
def smooth_union_distance(da: signed_distance, db: signed_distance, k: blend_radius) -> signed_distance:
    h = wp.max(k - wp.abs(da - db), 0.0) / k
    return wp.min(da, db) - 0.25 * h * h * k


@law("geometry", "the nearest point of a segment")
def closest_on_segment(x: position, a: position, b: position) -> position:
    ab = b - a
    t = wp.dot(x - a, ab) / wp.dot(ab, ab)
    return a + wp.clamp(t, 0.0, 1.0) * ab


@law("geometry", "the distance of a point from a line")
def line_distance(x: position, o: position, d: direction) -> distance:
    return wp.length(wp.cross(x - o, d))


@law("geometry", "where a ray hits a plane, or minus one")
def ray_plane_hit(o: position, d: direction, n: normal, offset: plane_offset) -> hit_distance:
    along = wp.dot(d, n)
    if wp.abs(along) < 0.000001:
        return -1.0
    t = (offset - wp.dot(o, n)) / along
    if t < 0.0:
        return -1.0
    return t


@law("geometry", "where a ray first hits a sphere, or minus one")
def ray_sphere_hit(o: position, d: direction, center: position, r: radius) -> hit_distance:
    oc = o - center
    b = wp.dot(oc, d)
    c = wp.dot(oc, oc) - r * r
    disc = b * b - c
    if disc < 0.0:
        return -1.0
    root = wp.sqrt(disc)
    near = -b - root
    if near >= 0.0:
        return near
    far = -b + root
    if far >= 0.0:
        return far
    return -1.0


@law("geometry", "where a ray hits a triangle by Moeller and Trumbore, or minus one")
def ray_triangle_hit(o: position, d: direction, a: position, b: position, c: position) -> hit_distance:
    ab = b - a
    ac = c - a
    p = wp.cross(d, ac)
    det = wp.dot(ab, p)
    if wp.abs(det) < 0.000001:
        return -1.0
    inv = 1.0 / det
    s = o - a
    u = wp.dot(s, p) * inv
    if u < 0.0 or u > 1.0:
        return -1.0
    q = wp.cross(s, ab)
    v = wp.dot(d, q) * inv
    if v < 0.0 or u + v > 1.0:
        return -1.0
    t = wp.dot(ac, q) * inv
    if t < 0.0:
        return -1.0
    return t


@law("geometry", "where a ray enters a box between two slabs on each axis, or minus one", needs=(wp.abs(d[0]) > 0.01, wp.abs(d[1]) > 0.01, wp.abs(d[2]) > 0.01))
def ray_box_hit(o: position, d: direction, lower: box_lower, upper: box_upper) -> hit_distance:
    inv = wp.vec3(1.0 / d[0], 1.0 / d[1], 1.0 / d[2])
    ta = wp.cw_mul(lower - o, inv)
    tb = wp.cw_mul(upper - o, inv)
    first = wp.min(ta, tb)
    last = wp.max(ta, tb)
    near = wp.max(wp.max(first[0], first[1]), first[2])
    far = wp.min(wp.min(last[0], last[1]), last[2])
    if near > far or far < 0.0:
        return -1.0
    return wp.max(near, 0.0)


@law("geometry", "the angle between two directions")
def angle_between(a: direction, b: direction) -> angle:
    return wp.acos(wp.clamp(wp.dot(a, b), -1.0, 1.0))


@law("geometry", "the cosine of the angle between two directions, not below zero")
def clamped_cosine(a: direction, b: normal) -> cosine:
    return wp.max(wp.dot(a, b), 0.0)


@law("geometry", "the part of a vector that lies in a surface")
def tangential_part(v: velocity, n: normal) -> velocity:
    return v - wp.dot(v, n) * n


@law("geometry", "a direction at right angles to a normal")
def any_tangent(n: normal) -> tangent:
    helper = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(n[0]) > 0.9:
        helper = wp.vec3(0.0, 1.0, 0.0)
    return wp.normalize(wp.cross(helper, n))


@law("geometry", "the radius of a sphere of a volume")
def radius_from_volume(vol: volume) -> radius:
    return wp.pow(3.0 * vol / (4.0 * wp.pi), 1.0 / 3.0)


@law("geometry", "the surface of a sphere")
def sphere_surface(r: radius) -> area:
    return 4.0 * wp.pi * r * r


@law("geometry", "the cross-section of a round pipe")
def disc_area(r: radius) -> area:
    return wp.pi * r * r


@law("geometry", "the diameter of a round thing")
def diameter_of(r: radius) -> diameter:
    return 2.0 * r


@law("geometry", "the volume of a box from half its sides")
def box_volume(half: half_extents) -> volume:
    return 8.0 * half[0] * half[1] * half[2]


@law("geometry", "the volume of a spherical cap")
def cap_volume(r: radius, h: cap_height) -> volume:
    return wp.pi * h * h * (3.0 * r - h) / 3.0


@law("geometry", "the perimeter of an ellipse by Ramanujan's approximation")
def ellipse_perimeter(a: semi_major, b: semi_minor) -> perimeter:
    h = (a - b) * (a - b) / ((a + b) * (a + b))
    return wp.pi * (a + b) * (1.0 + 3.0 * h / (10.0 + wp.sqrt(4.0 - 3.0 * h)))


@law("geometry", "a point turned by a rotation about the origin")
def rotate_point(q: rotation, x: local_position) -> position:
    return wp.quat_rotate(q, x)


@law("geometry", "a point of a body in the world")
def body_to_world(x: local_position, q: rotation, origin: position) -> position:
    return wp.quat_rotate(q, x) + origin


@law("geometry", "a point of the world in a body's frame")
def world_to_body(x: position, q: rotation, origin: position) -> local_position:
    return wp.quat_rotate_inv(q, x - origin)


@law("geometry", "a point moved by a pose")
def apply_pose(pose: pose, x: local_position) -> position:
    return wp.transform_point(pose, x)


@law("geometry", "the orientation after a small step of spinning")
def advance_orientation(q: rotation, w: angular_velocity, dt: time_step) -> rotation:
    spin = wp.quat(w[0], w[1], w[2], 0.0)
    return wp.normalize(q + 0.5 * dt * spin * q)


@law("geometry", "the rotation that leads from one orientation to another")
def relative_orientation(qa: rotation, qb: rotation) -> rotation:
    return wp.quat_inverse(qa) * qb


@law("geometry", "the angle of a rotation")
def rotation_angle(q: rotation) -> angle:
    return 2.0 * wp.acos(wp.clamp(wp.abs(q[3]), 0.0, 1.0))


@law("geometry", "the orientation between two others on the great arc, the short way")
def slerp_orientation(qa: rotation, qb: rotation, t: ratio) -> rotation:
    cos_half = qa[0] * qb[0] + qa[1] * qb[1] + qa[2] * qb[2] + qa[3] * qb[3]
    target = qb
    if cos_half < 0.0:
        target = qb * -1.0
        cos_half = -cos_half
    if cos_half > 0.9995:
        return wp.normalize(qa * (1.0 - t) + target * t)
    theta = wp.acos(cos_half)
    s = wp.sin(theta)
    return qa * (wp.sin((1.0 - t) * theta) / s) + target * (wp.sin(t * theta) / s)


@law("geometry", "the heading about the vertical axis of an orientation")
def yaw_of(q: rotation) -> heading:
    return wp.atan2(2.0 * (q[3] * q[2] + q[0] * q[1]), 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]))


@law("geometry", "an orientation about the vertical axis")
def orientation_from_heading(yaw: heading) -> rotation:
    half = 0.5 * yaw
    return wp.quat(0.0, 0.0, wp.sin(half), wp.cos(half))


@law("geometry", "a point of the plane turned by an angle")
def rotate_in_plane(p: point2, theta: angle) -> point2:
    c = wp.cos(theta)
    s = wp.sin(theta)
    return wp.vec2(c * p[0] - s * p[1], s * p[0] + c * p[1])


@law("geometry", "the unit vector at an angle")
def direction_at_angle(theta: heading) -> plane_direction:
    return wp.vec2(wp.cos(theta), wp.sin(theta))


@law("geometry", "an angle brought into one turn around zero")
def wrap_angle_to_pi(theta: heading) -> heading:
    turn = 2.0 * wp.pi
    return theta - turn * wp.floor((theta + wp.pi) / turn)


@law("geometry", "the point of a cubic Bezier curve")
def bezier_point(a: position, b: position, c: position, d: position, t: ratio) -> position:
    s = 1.0 - t
    return s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d


@law("geometry", "the point of a Catmull-Rom spline between its inner points")
def catmull_rom_point(a: position, b: position, c: position, d: position, t: ratio) -> position:
    t2 = t * t
    t3 = t2 * t
    return 0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t2 + (3.0 * (b - c) + d - a) * t3)


@law("geometry", "the curvature of a circle through three points of the plane, positive when it turns left", needs=(wp.length(b - a) > 0.1, wp.length(c - b) > 0.1, wp.length(c - a) > 0.1))
def menger_curvature(a: point2, b: point2, c: point2) -> curvature:
    ab = b - a
    ac = c - a
    cross_z = ab[0] * ac[1] - ab[1] * ac[0]
    return 2.0 * cross_z / (wp.length(ab) * wp.length(ac) * wp.length(c - b))


@law("geometry", "the solid angle of a spherical cap of half opening")
def cone_solid_angle(half: cone_angle) -> solid_angle:
    return 2.0 * wp.pi * (1.0 - wp.cos(half))


@law("geometry", "the point of a sphere at a polar and an azimuth angle")
def spherical_point(r: radius, polar: polar_angle, azimuth: heading) -> position:
    s = wp.sin(polar)
    return wp.vec3(r * s * wp.cos(azimuth), r * s * wp.sin(azimuth), r * wp.cos(polar))


@law("geometry", "the distance between two places on a sphere, by the haversine formula")
def haversine_distance(lat_a: latitude, lon_a: longitude, lat_b: latitude, lon_b: longitude, r: sphere_radius) -> distance:
    s_lat = wp.sin(0.5 * (lat_b - lat_a))
    s_lon = wp.sin(0.5 * (lon_b - lon_a))
    h = s_lat * s_lat + wp.cos(lat_a) * wp.cos(lat_b) * s_lon * s_lon
    return 2.0 * r * wp.asin(wp.sqrt(wp.clamp(h, 0.0, 1.0)))
