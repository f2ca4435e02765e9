"""Geometry: closest points, containment, clipping, curves, bounding volumes."""


@scene("geometry", "multi_conditional", "function", query,
       says="finds the closest point of a triangle to each query point, on its face, an edge or a corner",
       title="closest_point_triangle|project_to_triangle|nearest_on_triangle", algorithm="closest point on a triangle")
def closest_on_triangle(p: each(position), x: each(position, vertex), tri: index(vertex, 3, over=face), which: index(face), c: out(position), d: maybe(out(distance), 0.6)):
    names(a="a|p0|va|t0", b="b|p1|vb|t1", e="e|p2|vc|t2", ab="ab|u|e1|edge1", ac="ac|v|e2|edge2", ap="ap|w|r|to_p", d1="d1|s1|k1|m1", d2="d2|s2|k2|m2", best="best|near|q|hit_p")
    i = wp.tid()
    a = x[tri[which[i], 0]]
    b = x[tri[which[i], 1]]
    e = x[tri[which[i], 2]]
    ab = b - a
    ac = e - a
    ap = p[i] - a
    d1 = wp.dot(ab, ap)
    d2 = wp.dot(ac, ap)
    d3 = wp.dot(ab, p[i] - b)
    d4 = wp.dot(ac, p[i] - b)
    d5 = wp.dot(ab, p[i] - e)
    d6 = wp.dot(ac, p[i] - e)
    vc = d1 * d4 - d3 * d2
    vb = d5 * d2 - d1 * d6
    va = d3 * d6 - d5 * d4
    best = a
    if d1 <= 0.0 and d2 <= 0.0:
        best = a
    elif d3 >= 0.0 and d4 <= d3:
        best = b
    elif d6 >= 0.0 and d5 <= d6:
        best = e
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        note("nearest to the first edge")
        best = a + ab * (d1 / wp.max(d1 - d3, constant("EPS|TINY", 1.0e-9)))
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        best = a + ac * (d2 / wp.max(d2 - d6, constant("EPS|TINY", 1.0e-9)))
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        best = b + (e - b) * ((d4 - d3) / wp.max((d4 - d3) + (d5 - d6), constant("EPS|TINY", 1.0e-9)))
    else:
        note("inside the face|projects into the triangle")
        best = a + ab * (vb / wp.max(va + vb + vc, constant("EPS|TINY", 1.0e-9))) + ac * (vc / wp.max(va + vb + vc, constant("EPS|TINY", 1.0e-9)))
    c[i] = best
    if present(d):
        d[i] = wp.length(p[i] - best)


@scene("geometry", "nested_loop", "integer", query,
       says="tests whether each point lies inside a polygon by counting the edges that a horizontal ray crosses",
       title="point_in_polygon|inside_polygon|ray_crossing_test", algorithm="even-odd rule")
def in_polygon(p: each(point2), poly: each(point2, vertex), box: maybe(setting(vector2, 1.5, 1.9), 0.3), inside: out(flag), crossings: maybe(out(count_value), 0.3)):
    names(n="n|count_c|hits|crossed", a="a|v0|p0|cur", b="b|v1|p1|nxt", q="q|pt|at|pos_q")
    i = wp.tid()
    q = p[i]
    if present(box):
        note("far outside: no need to look|quick reject by the bounding box")
        if wp.abs(q[0]) > box[0] or wp.abs(q[1]) > box[1]:
            inside[i] = 0
            if present(crossings):
                crossings[i] = 0
            return
    n = int(0)
    for k in range(count(vertex)):
        a = poly[k]
        b = poly[(k + 1) % count(vertex)]
        note("does the edge span the height of the point?|edge straddles the scanline")
        if (a[1] > q[1]) != (b[1] > q[1]):
            if q[0] < a[0] + (q[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1]):
                n += 1
    inside[i] = n % 2
    if present(crossings):
        crossings[i] = n


@scene("geometry", "reduction", "atomic", face,
       says="adds the signed volume and the area of each triangle to the totals of a closed mesh",
       title="mesh_volume|accumulate_volume|mesh_integrals", algorithm="divergence theorem volume", rare=True)
def mesh_volume(x: each(position, vertex), tri: index(vertex, 3), scale: maybe(setting(positive_value, 0.5, 2.0), 0.3), vol: add(signed_volume, 1), area_out: add(area, 1), centre: maybe(add(position, 1), 0.3)):
    names(a="a|p0|va", b="b|p1|vb", c="c|p2|vc", v="v|part|dv")
    f = wp.tid()
    a = x[tri[f, 0]]
    b = x[tri[f, 1]]
    c = x[tri[f, 2]]
    if present(scale):
        a = a * scale
        b = b * scale
        c = c * scale
    note("tetrahedron with the origin|signed, so that a closed surface adds up")
    v = wp.dot(a, wp.cross(b, c)) / 6.0
    wp.atomic_add(vol, 0, v)
    if present(area_out):
        wp.atomic_add(area_out, 0, 0.5 * wp.length(wp.cross(b - a, c - a)))
    if present(centre):
        wp.atomic_add(centre, 0, (a + b + c) * (0.25 * v))


@scene("geometry", "nested_loop", "control_flow", ray,
       says="tests each ray against a list of boxes by the slab method and keeps the nearest entry",
       title="ray_boxes|slab_test|intersect_aabbs", algorithm="slab method", lossy=True)
def slab(o: each(position, range=(-4.0, -2.5)), d: each(direction, range=(0.2, 1.0)), lo: each(box_lower, box), hi: each(box_upper, box), far: maybe(setting(ray_distance, 6.0, 8.0), 0.4), t_out: out(hit_distance), id_out: maybe(out(index_value), 0.7)):
    names(inv="inv|rcp|inv_d", near_t="near_t|tmin|enter", far_t="far_t|tmax|leave", best="best|closest|t_best", hit="hit|winner|box_id", t0="t0|ta|tl", t1="t1|tb|th")
    i = wp.tid()
    inv = wp.vec3(1.0 / d[i][0], 1.0 / d[i][1], 1.0 / d[i][2])
    best = float(-1.0)
    hit = int(-1)
    for k in range(count(box)):
        t0 = wp.cw_mul(lo[k] - o[i], inv)
        t1 = wp.cw_mul(hi[k] - o[i], inv)
        near_t = wp.max(wp.max(wp.min(t0[0], t1[0]), wp.min(t0[1], t1[1])), wp.min(t0[2], t1[2]))
        far_t = wp.min(wp.min(wp.max(t0[0], t1[0]), wp.max(t0[1], t1[1])), wp.max(t0[2], t1[2]))
        note("empty interval: the ray passes by|no overlap of the slabs")
        if near_t > far_t or far_t < 0.0:
            continue
        if present(far):
            if near_t > far:
                continue
        if hit < 0 or near_t < best:
            best = near_t
            hit = k
    t_out[i] = best
    if present(id_out):
        id_out[i] = hit


@scene("geometry", "math", "vector", sample,
       says="evaluates a cubic Bezier curve and its tangent at each parameter",
       title="eval_bezier|bezier_points|sample_curve", algorithm="cubic Bezier curve")
def bezier(t: each(ratio), ctrl: each(position, 4), p: out(position), tan_out: maybe(out(direction), 0.6), arc: maybe(add(length, 1), 0.3)):
    names(s="s|u|par|ti", r="r|v|one_minus|q")
    i = wp.tid()
    s = t[i]
    r = 1.0 - s
    p[i] = ctrl[0] * (r * r * r) + ctrl[1] * (3.0 * r * r * s) + ctrl[2] * (3.0 * r * s * s) + ctrl[3] * (s * s * s)
    if present(tan_out):
        tan_out[i] = wp.normalize((ctrl[1] - ctrl[0]) * (3.0 * r * r) + (ctrl[2] - ctrl[1]) * (6.0 * r * s) + (ctrl[3] - ctrl[2]) * (3.0 * s * s))
    if present(arc):
        note("speed of the curve, for its length|integrand of the arc length")
        wp.atomic_add(arc, 0, wp.length((ctrl[1] - ctrl[0]) * (3.0 * r * r) + (ctrl[2] - ctrl[1]) * (6.0 * r * s) + (ctrl[3] - ctrl[2]) * (3.0 * s * s)) / float(count(sample)))


@scene("geometry", "control_flow", "vector", edge,
       says="computes the distance of two segments{params:, with the places of the closest points on them}; segments that are points are treated apart",
       title="segment_distance|segment_segment_distance|edge_edge_distance", algorithm="closest points of two segments")
def segments(p0: each(position), p1: each(position), q0: each(position), q1: each(position), thickness: maybe(setting(radius, 0.05, 0.3), 0.3), dist: out(distance), params: maybe(out(uv_coordinate), 0.6)):
    names(u="u|d1", v="v|d2", w="w|r", a="a|d1_sq", b="b|d1_dot_d2", c="c|d2_sq", d="d|d1_dot_r", e="e|d2_dot_r", s="s|s", t="t|t", den="denom|det", dist="distance|dist", params="params|barycentric", thickness="thickness|radius", gap="gap|length")
    i = wp.tid()
    u = p1[i] - p0[i]
    v = q1[i] - q0[i]
    w = p0[i] - q0[i]
    a = wp.dot(u, u)
    b = wp.dot(u, v)
    c = wp.dot(v, v)
    d = wp.dot(u, w)
    e = wp.dot(v, w)
    den = a * c - b * b
    s = float(0.0)
    t = float(0.0)
    note("segments that are only points have no direction|degenerate segments")
    if a <= constant("EPS|EPSILON", 1.0e-8):
        if c > constant("EPS|EPSILON", 1.0e-8):
            t = wp.clamp(e / c, 0.0, 1.0)
    elif c <= constant("EPS|EPSILON", 1.0e-8):
        s = wp.clamp(-d / a, 0.0, 1.0)
    else:
        note("parallel: any point of the first will do|nearly parallel lines")
        if den > constant("PARALLEL_EPS|PARALLEL_TOL", 1.0e-6) * a * c:
            s = wp.clamp((b * e - c * d) / den, 0.0, 1.0)
        t = (b * s + e) / c
        note("past the end of the second segment: clamp and project back")
        if t < 0.0:
            t = 0.0
            s = wp.clamp(-d / a, 0.0, 1.0)
        elif t > 1.0:
            t = 1.0
            s = wp.clamp((b - d) / a, 0.0, 1.0)
    gap = wp.length(w + u * s - v * t)
    if present(thickness):
        gap = wp.max(gap - thickness, 0.0)
    dist[i] = gap
    if present(params):
        params[i] = wp.vec2(s, t)
