"""What is near and what is hit: contacts of shapes, traversals, clipping, curvature, winding, rays against many things."""


@law("proximity", "where two segments come closest, as fractions of each", title="closest_segment_params|segment_segment|closest_between_segments", private=True, function=True)
def segment_parameters(p1: position, q1: position, p2: position, q2: position) -> (ratio, ratio):
    names(d1="d1|u|dir_a|ab", d2="d2|v|dir_b|cd", r="r|w|start_gap|ac", a="a|uu|len_a|d1d1", e="e2|vv|len_b|d2d2", f="f|vw|d2r|proj_b", c="c|uw|d1r|proj_a", b="b|uv|d1d2|cross_d", den="den|det|denom|disc", s="s|sa|t0|par_a", t="t|tb|t1|par_b")
    d1 = q1 - p1
    d2 = q2 - p2
    r = p1 - p2
    a = wp.dot(d1, d1)
    e = wp.dot(d2, d2)
    f = wp.dot(d2, r)
    c = wp.dot(d1, r)
    b = wp.dot(d1, d2)
    den = a * e - b * b
    s = float(0.0)
    if den > 1.0e-6 * a * e:
        s = wp.clamp((b * f - c * e) / den, 0.0, 1.0)
    t = (b * s + f) / wp.max(e, 1.0e-9)
    if t < 0.0:
        t = 0.0
        s = wp.clamp(-c / wp.max(a, 1.0e-9), 0.0, 1.0)
    elif t > 1.0:
        t = 1.0
        s = wp.clamp((b - c) / wp.max(a, 1.0e-9), 0.0, 1.0)
    return s, t


@law("proximity", "the cotangent of the angle between two edges", title="cotangent|cot_angle|corner_cotangent", private=True)
def corner_cotangent(u: separation, v: separation) -> value:
    return wp.dot(u, v) / wp.max(wp.length(wp.cross(u, v)), 1.0e-6)


@law("proximity", "the solid angle under which a triangle is seen from the origin, with its sign", title="solid_angle|triangle_solid_angle|signed_solid_angle", private=True, function=True)
def triangle_solid_angle(a: separation, b: separation, c: separation) -> angle:
    names(la="la|ra|na|len0", lb="lb|rb|nb|len1", lc="lc|rc|nc|len2", num="num|vol|triple|numer", den="den|denom|below|div")
    la = wp.length(a)
    lb = wp.length(b)
    lc = wp.length(c)
    num = wp.dot(a, wp.cross(b, c))
    den = la * lb * lc + wp.dot(a, b) * lc + wp.dot(b, c) * la + wp.dot(c, a) * lb
    return 2.0 * wp.atan2(num, den)


@law("proximity", "where a ray enters a box and where it leaves it", title="slab_interval|ray_box_interval|box_interval", private=True, function=True)
def slab_interval(o: position, inv: direction, low: box_lower, high: box_upper) -> (ray_distance, ray_distance):
    names(a="a|t_low|ta|lo3", b="b|t_high|tb|hi3", near="near|enter|t_in|first_t", far="far|leave|t_out|last_t")
    a = wp.cw_mul(low - o, inv)
    b = wp.cw_mul(high - o, inv)
    near = wp.max(wp.max(wp.min(a[0], b[0]), wp.min(a[1], b[1])), wp.min(a[2], b[2]))
    far = wp.min(wp.min(wp.max(a[0], b[0]), wp.max(a[1], b[1])), wp.max(a[2], b[2]))
    return near, far


@scene("geometry", "physics", "function", "vector", contact,
       says="finds contact point, normal and depth for pairs of capsules from the closest points of their axes",
       title="capsule_contacts|collide_capsules|capsule_capsule_contacts", algorithm="capsule contact by closest points of segments")
def capsule_contacts(pair: index(body, 2), start: each(position, body), end: each(position, body), radius: each(radius, body, range=(0.3, 0.8)), margin: maybe(setting(distance, 0.02, 0.1), 0.4), depth_out: out(penetration), normal_out: out(normal), point: out(position), total: maybe(add(count_value, 1), 0.5)):
    names(i="i|ia", j="j|ib", s="s|ta", t="t|tb", pa="pa|on_a", pb="pb|on_b", d="d|ab", dist="dist|d_len", n="n|normal", depth="depth|penetration", start="starts|capsule_start", end="ends|capsule_end", radius="radius|radii", margin="margin|contact_margin", a0="a0|a_start", a1="a1|a_end", b0="b0|b_start", b1="b1|b_end", pair="pairs|body_pairs", depth_out="depths|contact_depth", normal_out="normals|contact_normal", point="points|contact_point", total="contact_count|num_contacts_out")
    c = wp.tid()
    i = pair[c, 0]
    j = pair[c, 1]
    depth_out[c] = 0.0
    normal_out[c] = wp.vec3(0.0, 0.0, 0.0)
    point[c] = wp.vec3(0.0, 0.0, 0.0)
    note("a body does not collide with itself|same body")
    if i == j:
        return
    a0 = start[i]
    a1 = end[i]
    b0 = start[j]
    b1 = end[j]
    s, t = segment_parameters(a0, a1, b0, b1)
    pa = a0 + (a1 - a0) * s
    pb = b0 + (b1 - b0) * t
    d = pb - pa
    dist = wp.length(d)
    depth = radius[i] + radius[j] - dist
    if present(margin):
        depth = depth + margin
    if depth <= 0.0:
        return
    if dist > constant("EPS|MIN_DIST", 1.0e-5):
        n = d / dist
    else:
        note("axes cross: push apart along any direction|degenerate normal")
        n = wp.vec3(0.0, 1.0, 0.0)
    depth_out[c] = depth
    normal_out[c] = n
    note("middle of the overlap")
    point[c] = pa + n * (radius[i] - 0.5 * depth)
    if present(total):
        wp.atomic_add(total, 0, 1)


@scene("geometry", "quaternion", "control_flow", contact,
       says="collides balls with turned boxes: the nearest point of the box outside, the nearest face inside",
       title="sphere_box_contacts|collide_ball_box|ball_vs_obb|box_ball_narrow_phase", algorithm="sphere against oriented box")
def ball_box_contacts(ball: each(position), r: setting(radius, 0.5, 1.0), box_id: index(box), pose_b: each(pose, box), half: each(half_extents, box), depth_out: out(penetration), n_out: out(normal), local_out: maybe(out(local_position), 0.4)):
    names(b="b|bid|which|obstacle", x="x|tf|X_wb|frame", p="p|local|in_box|pl", h="h|ext|hb|half_b", q="q|nearest|clamped|foot", d="d|off|gap_v|rel", l="l|dist|gap_l|away", n="n|nrm|axis_l|local_n", depth="depth|pen|overlap|deep", face="face|room|to_wall|slack", k="k|axis_k|thin|side", ball="ball|sphere_pos|centers|ball_centers", pose_b="pose_b|box_tf|obb_pose|X_box")
    c = wp.tid()
    b = box_id[c]
    x = pose_b[b]
    h = half[b]
    p = wp.transform_point(wp.transform_inverse(x), ball[c])
    q = wp.max(wp.min(p, h), -h)
    d = p - q
    l = wp.length(d)
    if present(local_out):
        local_out[c] = q
    if l > constant("INSIDE_EPS|SURFACE_EPS", 1.0e-6):
        note("centre outside: plain distance to the nearest point")
        depth = r - l
        if depth <= 0.0:
            depth_out[c] = 0.0
            n_out[c] = wp.vec3(0.0, 0.0, 0.0)
            return
        n = d / l
    else:
        note("centre inside: out through the closest face|deep contact")
        face = h - wp.vec3(wp.abs(p[0]), wp.abs(p[1]), wp.abs(p[2]))
        match choose("axis"):
            case 1:
                k = int(wp.argmin(face))
                n = wp.vec3(0.0, 0.0, 0.0)
                n[k] = wp.sign(p[k])
                depth = r + face[k]
            case 1:
                if face[0] < face[1] and face[0] < face[2]:
                    n = wp.vec3(wp.sign(p[0]), 0.0, 0.0)
                    depth = r + face[0]
                elif face[1] < face[2]:
                    n = wp.vec3(0.0, wp.sign(p[1]), 0.0)
                    depth = r + face[1]
                else:
                    n = wp.vec3(0.0, 0.0, wp.sign(p[2]))
                    depth = r + face[2]
    depth_out[c] = depth
    n_out[c] = wp.transform_vector(x, n)


@scene("geometry", "multi_conditional", "quaternion", body,
       says="finds the point of each convex body that lies furthest in a direction, by the kind of its shape",
       title="support_points|convex_support|support_mapping|farthest_points", algorithm="support mapping of convex shapes")
def support_points(shape: kind(SPHERE, BOX, CAPSULE, CYLINDER, CONE), pose_b: each(pose), size: each(half_extents), dir: setting(direction), p_out: out(position), reach: maybe(out(axial_distance), 0.6), margin: maybe(setting(distance, 0.01, 0.1), 0.3)):
    names(d="d|local_d|dir_l|search", s="s|local_p|sup|corner", flat="flat|side_l|rim|radial", x="x|tf|X_wb|frame", h="h|ext|dims|size_b", w="w|world_p|far_p|vertex_w", p_out="p_out|support_out|extreme_points|farthest", size="size|extents|shape_size|scale_xyz", margin="margin|skin|inflate|shell")
    i = wp.tid()
    x = pose_b[i]
    h = size[i]
    d = wp.quat_rotate_inv(wp.transform_get_rotation(x), wp.normalize(dir))
    s = wp.vec3(0.0, 0.0, 0.0)
    if shape[i] == SPHERE:
        s = d * h[0]
    elif shape[i] == BOX:
        s = wp.vec3(wp.sign(d[0]) * h[0], wp.sign(d[1]) * h[1], wp.sign(d[2]) * h[2])
    elif shape[i] == CAPSULE:
        note("the end of the axis, then the ball around it|segment plus sphere")
        s = wp.vec3(0.0, wp.sign(d[1]) * h[1], 0.0) + d * h[0]
    else:
        note("round about the y axis: the rim, unless the direction is straight up or down")
        flat = wp.sqrt(d[0] * d[0] + d[2] * d[2])
        if flat > constant("RIM_EPS|AXIS_EPS", 1.0e-5):
            s = wp.vec3(d[0] / flat * h[0], 0.0, d[2] / flat * h[0])
        if shape[i] == CYLINDER:
            s[1] = wp.sign(d[1]) * h[1]
        else:
            note("cone: the tip or the rim of the base|tip at the top")
            if d[1] * h[1] > flat * h[0] - d[1] * h[1]:
                s = wp.vec3(0.0, h[1], 0.0)
            else:
                s[1] = -h[1]
    if present(margin):
        s = s + d * margin
    w = wp.transform_point(x, s)
    p_out[i] = w
    if present(reach):
        reach[i] = wp.dot(w, wp.normalize(dir))


@scene("geometry", "control_flow", "integer", ray,
       says="walks each ray through a grid of voxels from cell to cell until it meets a filled one or leaves the grid",
       title="voxel_traversal|march_voxels|grid_ray_cast|occupancy_raycast", algorithm="voxel traversal of Amanatides and Woo", rare=True,
       lossy=True)
def voxel_walk(o: each(position, range=(0.5, 7.5)), d: each(direction), solid: each(flag, 8, 8, 8), t_max: maybe(setting(ray_distance, 4.0, 7.0), 0.4), t_out: out(hit_distance), steps_out: maybe(out(count_value), 0.5), cell_out: maybe(out(index_value), 0.6)):
    names(u="u|dir_u|ray_u|way", x="x|ix|cx|vx", y="y|iy|cy|vy", z="z|iz|cz|vz", sx="sx|step_x|inc_x|go_x", sy="sy|step_y|inc_y|go_y", sz="sz|step_z|inc_z|go_z", tx="tx|next_x|cross_x|t_x", ty="ty|next_y|cross_y|t_y", tz="tz|next_z|cross_z|t_z", dx="dx|per_x|delta_x|span_x", dy="dy|per_y|delta_y|span_y", dz="dz|per_z|delta_z|span_z", t="t|along|now_t|travel", n="n|visited|moves|walked", solid="solid|occupied|voxels|filled", o="o|ray_origin|starts|origins", t_max="t_max|max_range|range_limit|sensor_range")
    i = wp.tid()
    u = wp.normalize(d[i])
    x = int(wp.floor(o[i][0]))
    y = int(wp.floor(o[i][1]))
    z = int(wp.floor(o[i][2]))
    sx = int(1)
    sy = int(1)
    sz = int(1)
    note("distance along the ray between two walls, and to the first one|set up each axis")
    dx = 1.0 / wp.max(wp.abs(u[0]), 1.0e-6)
    dy = 1.0 / wp.max(wp.abs(u[1]), 1.0e-6)
    dz = 1.0 / wp.max(wp.abs(u[2]), 1.0e-6)
    tx = (float(x) + 1.0 - o[i][0]) * dx
    ty = (float(y) + 1.0 - o[i][1]) * dy
    tz = (float(z) + 1.0 - o[i][2]) * dz
    if u[0] < 0.0:
        sx = int(-1)
        tx = (o[i][0] - float(x)) * dx
    if u[1] < 0.0:
        sy = int(-1)
        ty = (o[i][1] - float(y)) * dy
    if u[2] < 0.0:
        sz = int(-1)
        tz = (o[i][2] - float(z)) * dz
    t = float(0.0)
    n = int(0)
    t_out[i] = -1.0
    if present(cell_out):
        cell_out[i] = -1
    while x >= 0 and y >= 0 and z >= 0 and x < 8 and y < 8 and z < 8:
        if present(t_max):
            note("out of range|beyond the sensor")
            if t > t_max:
                break
        if solid[x, y, z] == 1:
            t_out[i] = t
            if present(cell_out):
                cell_out[i] = (x * 8 + y) * 8 + z
            break
        n += 1
        note("cross the nearest wall|step along the axis that comes first")
        if tx < ty and tx < tz:
            t = tx
            tx += dx
            x += sx
        elif ty < tz:
            t = ty
            ty += dy
            y += sy
        else:
            t = tz
            tz += dz
            z += sz
    if present(steps_out):
        steps_out[i] = n


@scene("geometry", "nested_loop", "control_flow", face,
       says="clips each triangle to a square window edge by edge and measures the area that is left",
       title="clip_triangles|window_coverage|sutherland_hodgman|clipped_area", algorithm="Sutherland-Hodgman clipping", rare=True,
       lossy=True)
def clip_triangles(a: each(point2), b: each(point2), c: each(point2), half: setting(half_extent, 1.0, 1.4), area_out: out(area), corners: maybe(out(count_value), 0.6), share: maybe(out(ratio), 0.4)):
    names(px="px|poly_x|in_x|ring_x", py="py|poly_y|in_y|ring_y", qx="qx|out_x|cut_x|kept_x", qy="qy|out_y|cut_y|kept_y", n="n|count_in|num_v|size_p", m="m|count_out|num_kept|size_q", sgn="sgn|side|dir_s|out_sign", j="j|nxt|after|next_v", da="da|d0|dist_a|here_d", db="db|d1|dist_b|next_d", t="t|cut|frac|hit_t", s="s|twice|cross_sum|shoelace", half="half|window|clip_half|extent_w")
    f = wp.tid()
    px = wp.zeros(shape=8, dtype=float)
    py = wp.zeros(shape=8, dtype=float)
    qx = wp.zeros(shape=8, dtype=float)
    qy = wp.zeros(shape=8, dtype=float)
    px[0] = a[f][0]
    py[0] = a[f][1]
    px[1] = b[f][0]
    py[1] = b[f][1]
    px[2] = c[f][0]
    py[2] = c[f][1]
    n = int(3)
    for e in range(int(4)):
        sgn = 1.0 - 2.0 * float(e % 2)
        m = int(0)
        for k in range(n):
            j = (k + 1) % n
            note("positive inside the window|distance to this edge of the window")
            if e < 2:
                da = half - sgn * px[k]
                db = half - sgn * px[j]
            else:
                da = half - sgn * py[k]
                db = half - sgn * py[j]
            if da >= 0.0:
                qx[m] = px[k]
                qy[m] = py[k]
                m += 1
            if da * db < 0.0:
                note("the edge crosses: keep the crossing")
                t = da / (da - db)
                qx[m] = px[k] + (px[j] - px[k]) * t
                qy[m] = py[k] + (py[j] - py[k]) * t
                m += 1
        n = m
        for k in range(n):
            px[k] = qx[k]
            py[k] = qy[k]
    s = float(0.0)
    for k in range(n):
        j = (k + 1) % n
        s += px[k] * py[j] - px[j] * py[k]
    area_out[f] = 0.5 * wp.abs(s)
    if present(corners):
        corners[f] = n
    if present(share):
        t = wp.abs((b[f][0] - a[f][0]) * (c[f][1] - a[f][1]) - (c[f][0] - a[f][0]) * (b[f][1] - a[f][1]))
        share[f] = wp.abs(s) / wp.max(t, 1.0e-4)


@scene("fem", "geometry", "atomic", "function", face,
       says="adds the cotangent weights, angles and area of each triangle to its corners, as curvature and smoothing need them",
       title="cotangent_laplacian|mesh_curvature_terms|accumulate_cotangents|curvature_assembly", algorithm="cotangent Laplacian and angle sum", rare=True)
def cotan_laplacian(x: each(position, vertex), tri: index(vertex, 3), lap: add(displacement, vertex), area_v: add(area, vertex), angle_v: add(angle, vertex), energy_out: maybe(add(energy, 1), 0.4)):
    names(i="i|va|ia|v0", j="j|vb|ib|v1", k="k|vc|ic|v2", ab="ab|e01|side_c|uij", bc="bc|e12|side_a|ujk", ca="ca|e20|side_b|uki", ta="ta|cot_a|cot0|w_bc", tb="tb|cot_b|cot1|w_ca", tc="tc|cot_c|cot2|w_ab", area2="area2|twice|dbl_area|cross_l", lap="lap|laplacian|mean_curv_vec|delta_x", area_v="area_v|vertex_area|dual_area|lumped_area", angle_v="angle_v|angle_sum|corner_angles|total_angle")
    f = wp.tid()
    i = tri[f, 0]
    j = tri[f, 1]
    k = tri[f, 2]
    ab = x[j] - x[i]
    bc = x[k] - x[j]
    ca = x[i] - x[k]
    area2 = wp.length(wp.cross(ab, ca))
    note("slivers have no trustworthy angles|degenerate face")
    if area2 < number(0.05, 0.2, "sliver"):
        return
    ta = corner_cotangent(ab, -ca)
    tb = corner_cotangent(bc, -ab)
    tc = corner_cotangent(ca, -bc)
    note("each edge is weighted by the cotangent of the opposite angle")
    wp.atomic_add(lap, i, ab * (0.5 * tc) - ca * (0.5 * tb))
    wp.atomic_add(lap, j, bc * (0.5 * ta) - ab * (0.5 * tc))
    wp.atomic_add(lap, k, ca * (0.5 * tb) - bc * (0.5 * ta))
    wp.atomic_add(area_v, i, area2 / 6.0)
    wp.atomic_add(area_v, j, area2 / 6.0)
    wp.atomic_add(area_v, k, area2 / 6.0)
    if present(angle_v):
        note("two pi minus their sum is the Gaussian curvature of a vertex|angle defect")
        wp.atomic_add(angle_v, i, wp.atan2(area2, -wp.dot(ab, ca)))
        wp.atomic_add(angle_v, j, wp.atan2(area2, -wp.dot(bc, ab)))
        wp.atomic_add(angle_v, k, wp.atan2(area2, -wp.dot(ca, bc)))
    if present(energy_out):
        note("Dirichlet energy of the embedding: the area")
        wp.atomic_add(energy_out, 0, 0.25 * (tc * wp.length_sq(ab) + ta * wp.length_sq(bc) + tb * wp.length_sq(ca)))


@scene("geometry", "reduction", "control_flow", face,
       says="rates the shape of each triangle by its angles, its ratio of radii and its edge ratio, and counts the bad ones by kind of defect",
       title="triangle_quality|rate_triangles|mesh_quality|face_quality_report", algorithm="triangle quality measures")
def triangle_quality(x: each(position, vertex), tri: index(vertex, 3), min_ok: setting(slope_angle, 0.2, 0.5), quality: out(ratio), small: out(angle), bad: add(count_value, 3), stretch: out(ratio)):
    names(a="a|la|edge_a|s0", b="b|lb|edge_b|s1", c="c|lc|edge_c|s2", p="p|half_p|semi|hp", area_t="area_t|area_i|heron|surf", long_e="long_e|longest|l_max|big_e", short_e="short_e|shortest|l_min|small_e", cos_big="cos_big|cos_max|c_wide|cosine_w", cos_small="cos_small|cos_min|c_thin|cosine_t", mid_e="mid_e|middle_e|l_mid|rest_e", r_in="r_in|inradius|inner_r|rho_in", r_out="r_out|circumradius|outer_r|rho_out", tri="tri|faces|tri_indices|triangles", min_ok="min_ok|min_angle|angle_limit|needle_angle")
    f = wp.tid()
    a = wp.length(x[tri[f, 1]] - x[tri[f, 2]])
    b = wp.length(x[tri[f, 2]] - x[tri[f, 0]])
    c = wp.length(x[tri[f, 0]] - x[tri[f, 1]])
    area_t = 0.5 * wp.length(wp.cross(x[tri[f, 1]] - x[tri[f, 0]], x[tri[f, 2]] - x[tri[f, 0]]))
    quality[f] = 0.0
    if area_t < constant("MIN_AREA|AREA_EPS", 1.0e-4):
        if present(bad):
            wp.atomic_add(bad, 0, 1)
        if present(small):
            small[f] = 0.0
        if present(stretch):
            stretch[f] = 0.0
        return
    p = 0.5 * (a + b + c)
    r_in = area_t / p
    r_out = a * b * c / (4.0 * area_t)
    note("one for an equilateral triangle|twice the inner over the outer radius")
    quality[f] = 2.0 * r_in / r_out
    long_e = wp.max(a, wp.max(b, c))
    short_e = wp.min(a, wp.min(b, c))
    mid_e = a + b + c - long_e - short_e
    cos_small = (long_e * long_e + mid_e * mid_e - short_e * short_e) / (2.0 * long_e * mid_e)
    cos_big = (short_e * short_e + mid_e * mid_e - long_e * long_e) / (2.0 * short_e * mid_e)
    if present(small):
        small[f] = wp.acos(wp.clamp(cos_small, -1.0, 1.0))
    if present(stretch):
        stretch[f] = short_e / long_e
    if present(bad):
        if cos_small > wp.cos(min_ok):
            if cos_big < number(-0.8, -0.6, "cap"):
                note("a very wide angle: flat cap|cap")
                wp.atomic_add(bad, 2, 1)
            else:
                note("a short edge: needle|needle")
                wp.atomic_add(bad, 1, 1)


@scene("geometry", "physics", "nested_loop", edge,
       says="pushes the edges of a cloth away from all other edges that are nearer than its thickness and share no vertex with them",
       title="edge_edge_contacts|cloth_edge_collisions|self_collision_edges|repel_edges", algorithm="edge to edge repulsion of cloth")
def edge_contacts(x: each(position, vertex), ends: index(vertex, 2), thick: setting(thickness, 0.3, 0.6), k: setting(stiffness), f: add(force, vertex), near: maybe(out(distance), 0.6), touching: maybe(out(count_value), 0.5)):
    names(ends="ends|edge_indices|edge_vertices|segment_ends", a="a|ia|v0|my_a", b="b|ib|v1|my_b", c="c|ic|v2|other_a", d="d|id_|v3|other_b", r="r|res|cp|closest_st", s="s|sa|bary_s|my_t", t="t|tb|bary_t|other_t", gap="gap|sep|diff_v|apart", n="n|dir_n|push_dir|away", push="push|mag|spring_f|press", best="best|nearest_d|closest_d|min_gap", fa="fa|force_a|acc_a|sum_a", fb="fb|force_b|acc_b|sum_b", num="num|hits|contacts_e|touch_n", thick="thick|cloth_thickness|contact_dist|offset_h")
    e = wp.tid()
    a = ends[e, 0]
    b = ends[e, 1]
    best = float(100.0)
    num = int(0)
    fa = wp.vec3(0.0, 0.0, 0.0)
    fb = wp.vec3(0.0, 0.0, 0.0)
    note("a collapsed edge has no direction|degenerate edge")
    if wp.length(x[b] - x[a]) < 0.05:
        return
    for j in range(count(edge)):
        c = ends[j, 0]
        d = ends[j, 1]
        note("neighbours touch anyway|skip edges with a common vertex")
        if c == d or a == c or a == d or b == c or b == d:
            continue
        r = wp.closest_point_edge_edge(x[a], x[b], x[c], x[d], 1.0e-5)
        best = wp.min(best, r[2])
        if r[2] < thick and r[2] > constant("OVERLAP_EPS|MIN_GAP", 1.0e-3):
            s = r[0]
            t = r[1]
            gap = x[a] + (x[b] - x[a]) * s - x[c] - (x[d] - x[c]) * t
            n = gap / r[2]
            push = k * (thick - r[2])
            note("the other edge does its own part|split by the contact position")
            fa += n * (push * (1.0 - s))
            fb += n * (push * s)
            num += 1
    wp.atomic_add(f, a, fa)
    wp.atomic_add(f, b, fb)
    if present(near):
        near[e] = best
    if present(touching):
        touching[e] = num


@scene("geometry", "reduction", "nested_loop", query,
       says="computes how often a triangle mesh winds round each query point and marks the points inside",
       title="winding_numbers|inside_mesh|generalized_winding|point_containment", algorithm="generalised winding number")
def winding_numbers(p: each(position), x: each(position, vertex), tri: index(vertex, 3, over=face), level: setting(ratio, 0.3, 0.6), wind: out(value), inside: out(flag), closest: maybe(out(distance), 0.4)):
    names(total="total|acc|omega|angle_sum", a="a|ra|va|to_a", b="b|rb|vb|to_b", c="c|rc|vc|to_c", w="w|turns|wn|round_n", near="near|min_d|best_d|gap_v", level="level|inside_level|iso_w|threshold_w", tri="tri|mesh_faces|tri_indices|triangles")
    q = wp.tid()
    total = float(0.0)
    near = float(100.0)
    for f in range(count(face)):
        a = x[tri[f, 0]] - p[q]
        b = x[tri[f, 1]] - p[q]
        c = x[tri[f, 2]] - p[q]
        if present(closest):
            near = wp.min(near, wp.length((a + b + c) / 3.0))
        total += triangle_solid_angle(a, b, c)
    note("full solid angle is one turn")
    w = total / (4.0 * wp.pi)
    wind[q] = w
    if present(closest):
        closest[q] = near
    if present(inside):
        if wp.abs(w) > level:
            inside[q] = 1
        else:
            inside[q] = 0


@law("geometry", "the signed distance of a point from a box and a torus joined smoothly", title="solid_distance|scene_distance|solid_sdf", private=True, function=True)
def box_torus_distance(p: position, half: half_extents, major: major_radius, minor: minor_radius, blend: blend_radius) -> signed_distance:
    return smooth_union_distance(box_distance(p, half), torus_distance(p, major, minor), blend)


@scene("geometry", "function", "physics", particle,
       says="keeps particles out of a solid made of a rounded union of box and torus, with friction along its surface",
       title="collide_with_sdf|sdf_contacts|project_out_of_solid|solid_collisions", algorithm="contact with a signed distance field")
def sdf_collision(x: inout(position), v: inout(velocity), half: setting(half_extents, 0.4, 0.9), major: setting(major_radius, 0.8, 1.2), minor: setting(minor_radius, 0.2, 0.4), blend: setting(blend_radius, 0.1, 0.3), mu: setting(friction), e: maybe(setting(restitution, 0.1, 0.8), 0.5), skin: maybe(setting(distance, 0.01, 0.1), 0.4), hits: maybe(add(count_value, 1), 0.5)):
    names(p="p|pos_i|pt|cur", d="d|dist|phi|depth_f", n="n|nrm|grad_f|out_dir", h="h|step_h|eps_g|probe", vn="vn|into|normal_v|approach", vt="vt|slide|tangent_v|along", vel="vel|v_i|motion|speed_v", gx="gx|dfx|slope_x|fx", gy="gy|dfy|slope_y|fy", gz="gz|dfz|slope_z|fz", keep="keep|fric|left_over|slip", blend="blend|round_k|smooth_k|fillet", skin="skin|margin|shell|offset_s")
    i = wp.tid()
    p = x[i]
    d = box_torus_distance(p, half, major, minor, blend)
    if present(skin):
        d = d - skin
    if d >= 0.0:
        return
    note("slope of the field by central differences|outward normal")
    h = constant("PROBE_STEP|GRADIENT_STEP|FD_STEP", 0.001)
    gx = box_torus_distance(p + wp.vec3(h, 0.0, 0.0), half, major, minor, blend) - box_torus_distance(p - wp.vec3(h, 0.0, 0.0), half, major, minor, blend)
    gy = box_torus_distance(p + wp.vec3(0.0, h, 0.0), half, major, minor, blend) - box_torus_distance(p - wp.vec3(0.0, h, 0.0), half, major, minor, blend)
    gz = box_torus_distance(p + wp.vec3(0.0, 0.0, h), half, major, minor, blend) - box_torus_distance(p - wp.vec3(0.0, 0.0, h), half, major, minor, blend)
    n = wp.vec3(gx, gy, gz)
    if wp.length(n) < 1.0e-5:
        return
    n = wp.normalize(n)
    x[i] = p - n * d
    if present(hits):
        wp.atomic_add(hits, 0, 1)
    vel = v[i]
    vn = wp.dot(vel, n)
    if vn < 0.0:
        vt = vel - n * vn
        note("friction takes at most what the slide has|Coulomb friction")
        keep = wp.max(1.0 + mu * vn / wp.max(wp.length(vt), 1.0e-5), 0.0)
        if present(e):
            v[i] = vt * keep - n * (e * vn)
        else:
            v[i] = vt * keep


@scene("geometry", "nested_loop", "multi_conditional", "vector", ray,
       says="finds the nearest of many spheres, planes, cylinders and disks along each ray, with its normal and its number",
       title="intersect_primitives|ray_scene_hit|cast_rays|nearest_primitive_hit", algorithm="nearest hit of a ray among primitives")
def ray_primitives(o: each(position, range=(-2.0, 2.0)), d: each(direction), shape: kind(SPHERE, PLANE, CYLINDER, DISK, over=item), c: each(position, item), n: each(normal, item), r: each(radius, item), t_far: setting(ray_distance, 5.0, 8.0), t_out: out(hit_distance), n_out: out(normal), id_out: maybe(out(index_value), 0.6)):
    names(u="u|dir_u|ray_d|way", best="best|t_best|closest_t|nearest_t", who="who|hit_id|prim_id|best_k", nn="nn|hit_n|best_n|surf_n", oc="oc|rel|from_c|m", a="a|axis_k|up_k|unit_n", b="b|half_b|proj|mid_t", disc="disc|under|h2|delta", t="t|cand|root|here_t", du="du|slope_d|align|cos_d", flat_d="flat_d|across_d|perp_d|side_d", flat_o="flat_o|across_o|perp_o|side_o", t_far="t_far|max_t|ray_max|horizon", shape="shape|prim_type|geo_kind|object_type")
    i = wp.tid()
    u = wp.normalize(d[i])
    best = float(t_far)
    who = int(-1)
    nn = wp.vec3(0.0, 0.0, 0.0)
    for k in range(count(item)):
        oc = o[i] - c[k]
        a = wp.normalize(n[k])
        du = wp.dot(u, a)
        if shape[k] == SPHERE:
            b = wp.dot(oc, u)
            disc = b * b - wp.dot(oc, oc) + r[k] * r[k]
            if disc > 0.0:
                t = -b - wp.sqrt(disc)
                if t > 1.0e-3 and t < best:
                    best = t
                    who = k
                    nn = (oc + u * t) / r[k]
        elif shape[k] == CYLINDER:
            note("without caps: work across the axis|open tube")
            flat_d = u - a * du
            flat_o = oc - a * wp.dot(oc, a)
            if wp.dot(flat_d, flat_d) > 1.0e-4:
                b = wp.dot(flat_o, flat_d)
                disc = b * b - wp.dot(flat_d, flat_d) * (wp.dot(flat_o, flat_o) - r[k] * r[k])
                if disc > 0.0:
                    t = (-b - wp.sqrt(disc)) / wp.dot(flat_d, flat_d)
                    note("the tube is as long as it is wide|finite length")
                    if t > 1.0e-3 and t < best and wp.abs(wp.dot(oc + u * t, a)) < r[k]:
                        best = t
                        who = k
                        nn = (flat_o + flat_d * t) / r[k]
        else:
            note("parallel rays never meet the plane")
            if wp.abs(du) > 1.0e-3:
                t = -wp.dot(oc, a) / du
                if t > 1.0e-3 and t < best:
                    if shape[k] == PLANE or wp.length(oc + u * t) < r[k]:
                        best = t
                        who = k
                        nn = a
    if who < 0:
        t_out[i] = -1.0
        n_out[i] = wp.vec3(0.0, 0.0, 0.0)
        if present(id_out):
            id_out[i] = -1
        return
    t_out[i] = best
    note("towards the eye|face the ray")
    if wp.dot(nn, u) > 0.0:
        nn = -nn
    n_out[i] = nn
    if present(id_out):
        id_out[i] = who


@scene("geometry", "control_flow", "function", "vector", ray,
       says="traverses a binary tree of boxes with each ray, the nearer child first, and finds the nearest ball among its leaves",
       title="trace_bvh|bvh_ray_cast|tree_ray_query|closest_hit_bvh", algorithm="ordered traversal of a bounding volume tree",
       lossy=True)
def ray_tree(o: each(position), d: each(direction), low: each(box_lower, node), high: each(box_upper, node), r: setting(radius, 0.3, 0.6), t_out: out(hit_distance), leaf_out: maybe(out(index_value), 0.6), visits: maybe(out(count_value), 0.6)):
    names(u="u|dir_u|ray_u|unit_d", inv="inv|inv_d|rcp_d|over_d", stack="stack|todo|pending|open_n", top="top|sp|depth_s|stack_n", m="m|node_k|cur_n|at", near="near|enter|t_in|first_t", far="far|leave|t_end|last_t", left="left|child_a|kid_l|lower_c", best="best|t_best|closest_t|nearest_t", who="who|best_leaf|hit_leaf|found_n", c="c|center_k|ball_c|mid_b", b="b|half_b|proj|along", disc="disc|under|h2|delta", n="n|seen_n|steps_n|opened", la="la|near_l|enter_a|t_a", lb="lb|near_r|enter_b|t_b")
    i = wp.tid()
    u = wp.normalize(d[i])
    note("no division by zero along an axis|safe reciprocal")
    inv = wp.vec3(1.0 / (u[0] + wp.sign(u[0]) * 1.0e-6), 1.0 / (u[1] + wp.sign(u[1]) * 1.0e-6), 1.0 / (u[2] + wp.sign(u[2]) * 1.0e-6))
    stack = wp.zeros(shape=16, dtype=int)
    top = int(1)
    best = float(1000.0)
    who = int(-1)
    n = int(0)
    while top > 0:
        top -= 1
        m = stack[top]
        near, far = slab_interval(o[i], inv, low[m], high[m])
        note("missed, behind, or further than what was found|prune")
        if far < wp.max(near, 0.0) or near > best:
            continue
        n += 1
        left = 2 * m + 1
        if left + 1 < wp.min(count(node), 31):
            la, lb = slab_interval(o[i], inv, low[left], high[left])
            lc, ld = slab_interval(o[i], inv, low[left + 1], high[left + 1])
            note("push the farther child first|near child on top")
            if la < lc:
                stack[top] = left + 1
                stack[top + 1] = left
            else:
                stack[top] = left
                stack[top + 1] = left + 1
            top += 2
        else:
            c = o[i] - (low[m] + high[m]) * 0.5
            b = wp.dot(c, u)
            disc = b * b - wp.dot(c, c) + r * r
            if disc > 0.0 and -b - wp.sqrt(disc) > 0.0 and -b - wp.sqrt(disc) < best:
                best = -b - wp.sqrt(disc)
                who = m
    if present(visits):
        visits[i] = n
    if who < 0:
        t_out[i] = -1.0
    else:
        t_out[i] = best
    if present(leaf_out):
        leaf_out[i] = who
