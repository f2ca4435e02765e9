"""Shapes: rays, distances, meshes, boxes, curves, cameras."""


@scene("geometry", "nested_loop", "control_flow", ray,
       says="finds the nearest sphere that each ray hits, and the distance, or minus one",
       title="trace_spheres|ray_spheres|intersect_spheres|cast_rays", algorithm="ray-sphere intersection", lossy=True)
def trace_spheres(o: each(position), d: each(direction), c: each(position, sphere), r: each(radius, sphere), far: maybe(setting(distance, 3.0, 5.0), 0.4), t_out: out(hit_distance), who: maybe(out(index_value), 0.6), n_out: maybe(out(normal), 0.4)):
    names(dir="dir|u|ray_dir|heading", best="best|nearest|t_min|closest", hit="hit|which|hit_id|winner", oc="oc|rel|m|offset", b="b|half_b|proj|bq", disc="disc|det|h|inside", t="t|t0|near|root", far="far|t_max|max_t|reach")
    i = wp.tid()
    dir = wp.normalize(d[i])
    if present(far):
        best = far
    else:
        best = float(1.0e6)
    hit = int(-1)
    for k in range(count(sphere)):
        oc = o[i] - c[k]
        b = wp.dot(oc, dir)
        disc = b * b - wp.dot(oc, oc) + r[k] * r[k]
        if disc < 0.0:
            continue
        t = -b - wp.sqrt(disc)
        if maybe(0.6):
            note("the origin may be inside")
            fact("rays that start inside a sphere hit it from within")
            if t < 0.0:
                t = -b + wp.sqrt(disc)
        if t >= 0.0 and t < best:
            best = t
            hit = k
    if present(who):
        who[i] = hit
    if hit < 0:
        t_out[i] = -1.0
        if present(n_out):
            n_out[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    t_out[i] = best
    if present(n_out):
        n_out[i] = wp.normalize(o[i] + dir * best - c[hit])


@scene("geometry", "nested_loop", "function", ray,
       says="finds the nearest triangle of a mesh that each ray hits, by the test of Moeller and Trumbore",
       title="trace_mesh|ray_mesh|intersect_triangles|raycast", algorithm="Moeller-Trumbore", lossy=True)
def trace_mesh(o: each(position, range=(-0.5, 0.5)), d: each(direction), x: each(position, vertex), tri: index(vertex, 3, over=face), t_out: out(hit_distance), face_out: maybe(out(index_value), 0.6)):
    names(best="best|nearest|t_min|closest", hit="hit|which|face_id|winner", i0="i0|ia|c0|idx0", i1="i1|ib|c1|idx1", i2="i2|ic|c2|idx2", a="a|p0|va|v0", ab="ab|e1|edge1|u1", ac="ac|e2|edge2|u2", p="p|pvec|h|cp", det="det|a_det|den|vol", s="s|tvec|to|rel", u="u|bu|b1|alpha", v="v|bv|b2|beta", q="q|qvec|cq|w", t="t|dist|depth|tt")
    i = wp.tid()
    best = float(1.0e6)
    hit = int(-1)
    for f in range(count(face)):
        i0 = tri[f, 0]
        i1 = tri[f, 1]
        i2 = tri[f, 2]
        note("collapsed triangles cannot be hit")
        if i0 == i1 or i1 == i2 or i2 == i0:
            continue
        match choose("form"):
            case 1:
                t = ray_triangle_hit(o[i], wp.normalize(d[i]), x[i0], x[i1], x[i2])
                if t >= 0.0 and t < best:
                    best = t
                    hit = f
            case 2:
                a = x[i0]
                ab = x[i1] - a
                ac = x[i2] - a
                p = wp.cross(wp.normalize(d[i]), ac)
                det = wp.dot(ab, p)
                note("the ray runs along the triangle's plane|parallel")
                if wp.abs(det) < constant("DET_EPS|PARALLEL_EPS|EPS", 1.0e-7):
                    continue
                s = o[i] - a
                u = wp.dot(s, p) / det
                if u < 0.0 or u > 1.0:
                    continue
                q = wp.cross(s, ab)
                v = wp.dot(wp.normalize(d[i]), q) / det
                if v < 0.0 or u + v > 1.0:
                    continue
                t = wp.dot(ac, q) / det
                if t >= 0.0 and t < best:
                    best = t
                    hit = f
    if present(face_out):
        face_out[i] = hit
    if hit >= 0:
        t_out[i] = best
    else:
        t_out[i] = -1.0


@scene("geometry", "vector", "control_flow", ray,
       says="intersects rays with boxes by the slab method and tells where they enter{t_far: and leave}",
       title="ray_boxes|slab_test|intersect_aabbs|box_hits", algorithm="slab test", rare=True)
def ray_boxes(o: each(position), d: each(direction), lo: each(box_lower), hi: each(box_upper), t_in: out(hit_distance), t_far: maybe(out(hit_distance), 0.5), flag_out: maybe(out(flag), 0.4)):
    names(near="near|t_enter|t0|entry", far="far|t_exit|t1|leave", a="a|ta|first|s0", b="b|tb|second|s1", inv="inv|inv_d|rcp|recip", flag_out="hit|overlaps|intersects|is_hit")
    i = wp.tid()
    near = float(0.0)
    far = float(1.0e6)
    for axis in range(3):
        if wp.abs(d[i][axis]) < 1.0e-8:
            note("parallel to this slab: inside or never")
            if o[i][axis] < lo[i][axis] or o[i][axis] > hi[i][axis]:
                far = -1.0
            continue
        inv = 1.0 / d[i][axis]
        a = (lo[i][axis] - o[i][axis]) * inv
        b = (hi[i][axis] - o[i][axis]) * inv
        match choose("swap"):
            case 1:
                near = wp.max(near, wp.min(a, b))
                far = wp.min(far, wp.max(a, b))
            case 1:
                if a > b:
                    near = wp.max(near, b)
                    far = wp.min(far, a)
                else:
                    near = wp.max(near, a)
                    far = wp.min(far, b)
    if present(flag_out):
        flag_out[i] = 0
    if near > far:
        t_in[i] = -1.0
        if present(t_far):
            t_far[i] = -1.0
        return
    t_in[i] = near
    if present(t_far):
        t_far[i] = far
    if present(flag_out):
        flag_out[i] = 1


@scene("geometry", "control_flow", "function", ray,
       says="marches rays through the distance field of a rounded scene until they touch a surface or get lost",
       title="sphere_trace|march_rays|raymarch_sdf|trace_distance_field", algorithm="sphere tracing", lossy=True)
def march_rounded(o: each(position), d: each(direction), center: setting(position, -0.5, 0.5), r: setting(radius), half: setting(half_extents, 0.3, 0.8), k: setting(blend_radius), t_out: out(ray_distance), steps_out: maybe(out(steps_value), 0.5), depth_map: maybe(out(position), 0.3)):
    names(t="t|dist|travel|depth", p="p|pos|sample_p|at", h="h|step|gap|sdf", n="n|used|count_steps|iters", dir="dir|u|ray_dir|heading", center="center|ball|blob|sphere_pos")
    i = wp.tid()
    dir = wp.normalize(d[i])
    t = float(0.0)
    n = int(0)
    for s in range(integer(24, 48)):
        p = o[i] + dir * t
        match choose("shape"):
            case 2:
                h = wp.min(sphere_distance(p, center, r), box_distance(p, half))
            case 1:
                h = smooth_union_distance(sphere_distance(p, center, r), box_distance(p, half), k)
            case 1:
                h = carve_distance(box_distance(p, half), sphere_distance(p, center, r))
        if h < constant("HIT_EPS|SURFACE_EPS", 0.002):
            break
        t += h
        n += 1
        if t > number(6.0, 9.0):
            note("left the scene")
            t = -1.0
            break
    t_out[i] = t
    if present(steps_out):
        steps_out[i] = n
    if present(depth_map):
        depth_map[i] = o[i] + dir * wp.max(t, 0.0)


@scene("geometry", "atomic", "vector", face,
       says="adds the area-weighted normal of each triangle to its three corners",
       title="accumulate_normals|vertex_normals|scatter_normals|add_face_normals", algorithm="area-weighted vertex normals")
def vertex_normals(x: each(position, vertex), tri: index(vertex, 3), flip: maybe(each(flag), 0.3), n: add(normal, vertex), areas: maybe(out(area), 0.5), total: maybe(add(area, 1), 0.3)):
    names(a="a|i0|va|p", b="b|i1|vb|q", c="c|i2|vc|r", w="w|cr|area_vec|fn", flip="flip|reversed|inside_out|winding")
    f = wp.tid()
    a = tri[f, 0]
    b = tri[f, 1]
    c = tri[f, 2]
    note("half the cross product is the area times the normal")
    w = 0.5 * wp.cross(x[b] - x[a], x[c] - x[a])
    if present(flip):
        if flip[f] == 1:
            w = -w
    wp.atomic_add(n, a, w)
    wp.atomic_add(n, b, w)
    wp.atomic_add(n, c, w)
    if present(areas):
        areas[f] = wp.length(w)
    if present(total):
        wp.atomic_add(total, 0, wp.length(w))


@scene("geometry", "reduction", "atomic", face,
       says="adds up the volume inside a closed mesh{moment:, its first moment}{surface:, its surface} from signed tetrahedra",
       title="mesh_volume|solid_properties|enclosed_volume|mass_properties", algorithm="divergence theorem for mesh volume")
def solid_volume(x: each(position, vertex), tri: index(vertex, 3), vol: add(signed_volume, 1), moment: maybe(add(position, 1), 0.6), surface: maybe(add(area, 1), 0.5)):
    names(a="a|p0|va|pa", b="b|p1|vb|pb", c="c|p2|vc|pc", v="v|sv|tet|part", i0="i0|ia|i|idx0", i1="i1|ib|j|idx1", i2="i2|ic|k|idx2")
    f = wp.tid()
    i0 = tri[f, 0]
    i1 = tri[f, 1]
    i2 = tri[f, 2]
    a = x[i0]
    b = x[i1]
    c = x[i2]
    v = wp.dot(a, wp.cross(b, c)) / 6.0
    wp.atomic_add(vol, 0, v)
    if present(moment):
        wp.atomic_add(moment, 0, (a + b + c) * (0.25 * v))
    if present(surface):
        wp.atomic_add(surface, 0, triangle_area(a, b, c))


@scene("geometry", "control_flow", "multi_conditional", "vector", query,
       says="finds the nearest point of a triangle to each query point by the regions of its plane",
       title="closest_point_triangle|project_to_triangle|nearest_on_triangle|point_triangle", algorithm="closest point on a triangle (Voronoi regions)")
def point_triangle(p: each(position), a: each(position), b: each(position), c: each(position), q_out: out(position), dist: maybe(out(distance), 0.6)):
    names(ab="ab|e0|u|edge_ab", ac="ac|e1|v|edge_ac", ap="ap|rel_a|pa|wa", d1="d1|s1|abap|k1", d2="d2|s2|acap|k2", d3="d3|s3|abbp|k3", d4="d4|s4|acbp|k4", d5="d5|s5|abcp|k5", d6="d6|s6|accp|k6", va="va|wa_n|area_a|ua", vb="vb|wb_n|area_b|ub", vc="vc|wc_n|area_c|uc", near="near|best|q|foot", s="s|scale|inv|t_in", pt="pt|here|x|query_p")
    i = wp.tid()
    pt = p[i]
    ab = b[i] - a[i]
    ac = c[i] - a[i]
    ap = pt - a[i]
    d1 = wp.dot(ab, ap)
    d2 = wp.dot(ac, ap)
    d3 = wp.dot(ab, pt - b[i])
    d4 = wp.dot(ac, pt - b[i])
    d5 = wp.dot(ab, pt - c[i])
    d6 = wp.dot(ac, pt - c[i])
    vc = d1 * d4 - d3 * d2
    vb = d5 * d2 - d1 * d6
    va = d3 * d6 - d5 * d4
    near = a[i]
    if d1 <= 0.0 and d2 <= 0.0:
        near = a[i]
    elif d3 >= 0.0 and d4 <= d3:
        near = b[i]
    elif d6 >= 0.0 and d5 <= d6:
        near = c[i]
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        note("on the first edge")
        near = a[i] + ab * (d1 / (d1 - d3))
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        near = a[i] + ac * (d2 / (d2 - d6))
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        near = b[i] + (c[i] - b[i]) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))
    else:
        note("inside")
        s = 1.0 / (va + vb + vc)
        near = a[i] + ab * (vb * s) + ac * (vc * s)
    q_out[i] = near
    if present(dist):
        dist[i] = wp.length(pt - near)


@scene("geometry", "nested_loop", "integer", query,
       says="tells for each point of the plane whether it lies inside a polygon, by counting crossings",
       title="point_in_polygon|inside_polygon|even_odd|contains_points", algorithm="even-odd rule")
def point_in_polygon(p: each(point2, range=(-1.0, 1.0)), poly: each(point2, vertex), inside: out(flag), crossings: maybe(out(count_value), 0.4), total: maybe(add(count_value, 1), 0.4)):
    names(a="a|u|start|v0", b="b|w|stop|v1", n="n|hits|cross|parity", x="x|xc|where|x_cut", pt="pt|q|here|sample_p", inside="inside|contained|is_in|mask")
    i = wp.tid()
    pt = p[i]
    n = int(0)
    for k in range(count(vertex)):
        a = poly[k]
        b = poly[(k + 1) % count(vertex)]
        note("does the edge cross the height of the point?")
        if (a[1] > pt[1]) != (b[1] > pt[1]):
            x = a[0] + (pt[1] - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
            if pt[0] < x:
                n += 1
    inside[i] = n % 2
    if present(crossings):
        crossings[i] = n
    if present(total):
        wp.atomic_add(total, 0, n % 2)


@scene("geometry", "control_flow", "vector", sphere,
       says="culls spheres against the planes of a view frustum",
       title="frustum_cull|cull_spheres|visible_spheres|view_cull", algorithm="sphere-plane frustum culling")
def frustum_cull(c: each(position), r: each(radius), n: each(normal, 6), off: each(plane_offset, 6), seen: out(flag), depth_out: maybe(out(signed_distance), 0.4), total: maybe(add(count_value, 1), 0.5)):
    names(ok="ok|visible|inside|keep", d="d|dist|gap|signed_d", seen="seen|visible_out|mask|in_view", off="off|plane_d|offsets|dists", worst="worst|least|min_d|margin")
    i = wp.tid()
    ok = int(1)
    if present(depth_out):
        worst = float(1.0e6)
    for k in range(6):
        d = wp.dot(c[i], wp.normalize(n[k])) + off[k]
        if present(depth_out):
            worst = wp.min(worst, d)
        if d < -r[i]:
            note("wholly outside of one plane")
            ok = 0
            if not present(depth_out):
                break
    seen[i] = ok
    if present(depth_out):
        depth_out[i] = worst
    if present(total):
        wp.atomic_add(total, 0, ok)


@scene("geometry", "control_flow", "nested_loop", query,
       says="walks a hierarchy of boxes without a stack and counts the leaves whose box holds each point",
       title="bvh_query|traverse_tree|box_tree_query|count_overlaps", algorithm="stackless traversal of a binary box tree")
def box_tree(p: each(position), lo: each(position, 15, range=(-2.5, -0.5)), hi: each(position, 15, range=(0.5, 2.5)), hits: out(count_value), first: maybe(out(index_value), 0.5), visited: maybe(out(count_value), 0.4)):
    names(node="node|n|at|cur", depth="depth|top|sp|stack_top", found="found|leaves|n_hit|total", pt="pt|q|here|point_i", lo="lo|lowers|node_min|bounds_lo", hi="hi|uppers|node_max|bounds_hi", seen="seen|first_leaf|leaf0|lead")
    i = wp.tid()
    pt = p[i]
    found = int(0)
    seen = int(-1)
    node = int(0)
    if present(visited):
        depth = int(0)
    note("depth first: a miss skips the subtree and goes on with the next one")
    for visit in range(30):
        if present(visited):
            depth += 1
        if pt[0] >= lo[node][0] and pt[0] <= hi[node][0] and pt[1] >= lo[node][1] and pt[1] <= hi[node][1]:
            if node >= 7:
                note("a leaf")
                found += 1
                if seen < 0:
                    seen = node
            else:
                node = 2 * node + 1
                continue
        note("up, as long as this was a right child, then over to the sibling")
        while node > 0 and node % 2 == 0:
            node = (node - 1) // 2
        if node == 0:
            break
        node += 1
    hits[i] = found
    if present(first):
        first[i] = seen
    if present(visited):
        visited[i] = depth


@scene("geometry", "vector", "function", query,
       says="samples smooth curves through control points and measures their speed",
       title="sample_curves|evaluate_spline|curve_points|spline_eval")
def spline_eval(a: each(position), b: each(position), c: each(position), d: each(position), t: each(ratio), pt_out: out(position), speed_out: out(speed), frame: maybe(out(direction), 0.4)):
    names(u="u|s|param|tt", p="p|pos|point_t|at", v="v|deriv|tangent_v|rate")
    i = wp.tid()
    u = t[i]
    match choose("curve"):
        case 1:
            p = bezier_point(a[i], b[i], c[i], d[i], u)
            v = 3.0 * ((b[i] - a[i]) * ((1.0 - u) * (1.0 - u)) + (c[i] - b[i]) * (2.0 * u * (1.0 - u)) + (d[i] - c[i]) * (u * u))
        case 1:
            p = catmull_rom_point(a[i], b[i], c[i], d[i], u)
            v = 0.5 * (c[i] - a[i] + (2.0 * a[i] - 5.0 * b[i] + 4.0 * c[i] - d[i]) * (2.0 * u) + (3.0 * (b[i] - c[i]) + d[i] - a[i]) * (3.0 * u * u))
    pt_out[i] = p
    if present(speed_out):
        speed_out[i] = wp.length(v)
    if present(frame):
        frame[i] = wp.normalize(v)


@scene("geometry", "vector", "control_flow", vertex,
       says="projects points of the world into a camera image{k1:, with lens distortion}, and marks those that are seen",
       title="project_points|project_to_image|world_to_image", algorithm="pinhole projection with radial distortion")
def project_points(x: each(position), cam: setting(pose), f: setting(focal_pixels, 100.0, 300.0), c: setting(principal_point), k1: maybe(setting(distortion_first), 0.5), near: setting(depth, 0.1, 0.3), px: out(pixel_coordinate), seen: out(flag), depth_out: maybe(out(depth), 0.4)):
    names(k1="k1|k1", p="p|p_cam", u="u|xn", v="v|yn", r2="r2|rad2", s="s|distortion", cam="world_to_cam|extrinsics", seen="valid|visible", x="points|world_points", px="pixels|image_points", f="focal|focal_length", c="principal_point|center", near="near|min_depth", depth_out="depth|depths")
    i = wp.tid()
    p = wp.transform_point(cam, x[i])
    if p[2] < near:
        note("behind the camera")
        fact("points behind the camera are mapped to minus one")
        px[i] = wp.vec2(-1.0, -1.0)
        seen[i] = 0
        if present(depth_out):
            depth_out[i] = 0.0
        return
    u = p[0] / p[2]
    v = p[1] / p[2]
    if present(k1):
        r2 = u * u + v * v
        s = 1.0 + k1 * r2
        u = u * s
        v = v * s
    px[i] = wp.vec2(f * u + c[0], f * v + c[1])
    seen[i] = 1
    if present(depth_out):
        depth_out[i] = p[2]


@scene("geometry", "vector", "atomic", vertex,
       says="adds up the Laplacian of a surface over the edges of each vertex and moves it towards the mean of its neighbours",
       title="smooth_mesh|laplacian_smoothing|relax_vertices|fair_mesh", algorithm="umbrella Laplacian smoothing")
def smooth_mesh(x: each(position), start: offsets(item), nb: index(vertex, over=item), lam: setting(ratio, 0.2, 0.8), fixed: maybe(each(flag), 0.4), x_out: out(position), moved: maybe(out(distance), 0.4)):
    names(total="total|sum_p|acc|center", j="j|k|other|w", n="n|deg|valence|found", first="first|begin|lo|s0", last="last|stop|hi|s1", step="step|delta|move|push", lam="lam|weight|relax|strength", nb="nb|neighbors|adjacency|ring")
    v = wp.tid()
    first = start[v]
    last = start[v + 1]
    x_out[v] = x[v]
    if present(moved):
        moved[v] = 0.0
    if present(fixed):
        note("border vertices stay")
        if fixed[v] == 1:
            return
    if first == last:
        note("no neighbours")
        return
    total = wp.vec3()
    n = int(0)
    for e in range(first, last):
        j = nb[e]
        note("a vertex is not its own neighbour")
        if j != v:
            total += x[j]
            n += 1
    if n == 0:
        return
    step = (total / float(n) - x[v]) * lam
    x_out[v] = x[v] + step
    if present(moved):
        moved[v] = wp.length(step)


@scene("geometry", "reduction", "nested_loop", cluster,
       says="computes the bounding box{center: and the bounding sphere around the mean} of each group of points",
       title="group_bounds|bounding_volumes|cluster_bounds|fit_boxes", algorithm="axis-aligned bounding boxes", lossy=True)
def group_bounds(start: offsets(item), x: each(position, item), lower: out(position), upper: out(position), center: maybe(out(position), 0.5, "ball"), radius_out: maybe(out(radius), 0.5, "ball"), pad: maybe(setting(distance, 0.01, 0.1), 0.4)):
    names(lo="lo|box_lo|mn|low", hi="hi|box_hi|mx|high", mid="mid|mean|avg|c", r="r|reach|far|rad", first="first|begin|s|from_k", last="last|stop|e|to_k", pad="pad|margin|inflate|skin")
    g = wp.tid()
    first = start[g]
    last = start[g + 1]
    if first == last:
        note("an empty group has an empty box")
        lower[g] = wp.vec3(0.0, 0.0, 0.0)
        upper[g] = wp.vec3(0.0, 0.0, 0.0)
        if present(center):
            center[g] = wp.vec3(0.0, 0.0, 0.0)
            if present(radius_out):
                radius_out[g] = 0.0
        return
    lo = x[first]
    hi = x[first]
    mid = wp.vec3()
    for k in range(first, last):
        lo = wp.min(lo, x[k])
        hi = wp.max(hi, x[k])
        mid += x[k]
    if present(pad):
        lo = lo - wp.vec3(pad, pad, pad)
        hi = hi + wp.vec3(pad, pad, pad)
    lower[g] = lo
    upper[g] = hi
    if present(center):
        mid = mid / float(last - first)
        center[g] = mid
        r = float(0.0)
        for k in range(first, last):
            r = wp.max(r, wp.length(x[k] - mid))
        if present(radius_out):
            radius_out[g] = r
