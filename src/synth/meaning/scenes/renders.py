"""Longer pictures of bodies: small ray tracers, cloth, rigid boxes, overlap tests, clipping, contours."""


@law("renders", "where a ray meets a sphere, or a large number", title="hit_sphere|sphere_hit|intersect_ball", private=True)
def hit_ball(o: position, d: direction, c: position, r: radius) -> ray_distance:
    names(oc="oc|rel|m|w", b="b|bh|proj|half", disc="disc|h|det|under", t="t|near|root|dist")
    oc = o - c
    b = wp.dot(oc, d)
    disc = b * b - wp.dot(oc, oc) + r * r
    if disc < 0.0:
        return 1.0e6
    t = -b - wp.sqrt(disc)
    if t < 0.001:
        return 1.0e6
    return t


@law("renders", "the light that a surface sends to the eye: ambient, matte and shiny", title="shade_point|phong_light|surface_light", private=True)
def shade_point(base: colour, n: normal, l: direction, v: direction, shine: shininess) -> colour:
    names(diff="diff|lambert|nl|cos_l", h="h|halfway|hv|bisector", spec="spec|glint|highlight_s|nh")
    diff = wp.max(wp.dot(n, l), 0.0)
    h = wp.normalize(l + v)
    spec = wp.pow(wp.max(wp.dot(n, h), 0.0), shine)
    return base * (0.1 + 0.9 * diff) + wp.vec3(1.0, 1.0, 1.0) * (0.3 * spec)


@law("renders", "the overlap of two boxes along an axis, negative when they are apart", title="axis_overlap|projected_overlap|sat_gap", private=True)
def axis_overlap(axis: direction, gap: displacement, ha: half_extents, hb: half_extents, ux: direction, uy: direction, uz: direction) -> penetration:
    names(ra="ra|reach_a|ext_a|pa", rb="rb|reach_b|ext_b|pb")
    ra = ha[0] * wp.abs(axis[0]) + ha[1] * wp.abs(axis[1]) + ha[2] * wp.abs(axis[2])
    rb = hb[0] * wp.abs(wp.dot(axis, ux)) + hb[1] * wp.abs(wp.dot(axis, uy)) + hb[2] * wp.abs(wp.dot(axis, uz))
    return ra + rb - wp.abs(wp.dot(gap, axis))


@law("renders", "where a value between two samples is reached, as a fraction of the way", title="crossing_fraction|edge_fraction|iso_cross", private=True)
def crossing_fraction(a: field_value, b: field_value, level: field_value) -> ratio:
    if wp.abs(b - a) < 1.0e-6:
        return 0.5
    return wp.clamp((level - a) / (b - a), 0.0, 1.0)


@law("renders", "the force of a cloth spring on its first end, with damping along it", title="cloth_spring|link_force|thread_force", private=True)
def cloth_link(xa: position, xb: position, va: velocity, vb: velocity, rest: rest_length, k: stiffness, c: damping) -> force:
    names(d="d|delta|along|diff", l="l|len|dist|span", u="u|dir|n|unit")
    d = xb - xa
    l = wp.max(wp.length(d), 1.0e-6)
    u = d / l
    return u * (k * (l - rest) + c * wp.dot(vb - va, u))


@scene("geometry", "vector", "function", (row, column),
       says="renders balls above a checkered floor: nearest hit, shadow ray, shading by kind of surface and fading with distance",
       title="render_balls|trace_image|ray_tracer|draw_scene", algorithm="Whitted-style ray casting with shadows", topic="graphics")
def ray_tracer(c: each(position, sphere, range=(-1.5, 1.5)), r: each(radius, sphere, range=(0.2, 0.7)), base: each(colour, sphere), light: setting(position, 2.0, 4.0), eye: setting(length, 3.0, 5.0), shine: setting(shininess), sky: setting(colour), fog: maybe(setting(fog_density, 0.02, 0.2), 0.5), picture: out(colour), depth_out: maybe(out(depth), 0.4), hit_id: maybe(out(index_value), 0.4)):
    names(o="o|origin|eye_pos|cam", d="d|dir|ray|view_ray", best="best|t_min|nearest|closest", who="who|hit|which|obj", t="t|dist|tt|th", p="p|point|at|hit_p", n="n|normal|nrm|up", l="l|to_light|ldir|light_v", col="col|color|rgb|shade", lit="lit|visible|in_light|clear", u="u|sx|px|ndc_x", v="v|sy|py|ndc_y", light="light|lamp|light_pos|sun", eye="eye|camera_z|eye_dist|view_dist")
    i, j = wp.tid()
    u = 2.0 * (float(j) + 0.5) / float(count(column)) - 1.0
    v = 1.0 - 2.0 * (float(i) + 0.5) / float(count(row))
    o = wp.vec3(0.0, 0.5, eye)
    d = wp.normalize(wp.vec3(u, v, -1.5))
    best = float(1.0e6)
    who = int(-1)
    for k in range(count(sphere)):
        t = hit_ball(o, d, c[k], r[k])
        if t < best:
            best = t
            who = k
    note("the floor at height minus one")
    if d[1] < -0.0001:
        t = (-1.0 - o[1]) / d[1]
        if t < best:
            best = t
            who = -2
    if present(hit_id):
        hit_id[i, j] = who
    if who == -1:
        note("the sky")
        picture[i, j] = sky * (0.5 + 0.5 * v)
        if present(depth_out):
            depth_out[i, j] = 0.0
        return
    p = o + d * best
    n = wp.vec3(0.0, 1.0, 0.0)
    col = wp.vec3(0.8, 0.8, 0.8)
    if who >= 0:
        n = wp.normalize(p - c[who])
        col = base[who]
    else:
        note("checkered tiles")
        if (int(wp.floor(p[0])) + int(wp.floor(p[2]))) % 2 == 0:
            col = wp.vec3(0.3, 0.3, 0.3)
    l = wp.normalize(light - p)
    lit = int(1)
    for k in range(count(sphere)):
        if k != who:
            if hit_ball(p, l, c[k], r[k]) < 1.0e5:
                lit = 0
    if lit == 1:
        col = shade_point(col, n, l, -d, shine)
    else:
        note("in the shadow only ambient light")
        col = col * 0.1
    if present(fog):
        t = exponential_fog(best, fog)
        col = col * (1.0 - t) + sky * t
    picture[i, j] = wp.min(col, wp.vec3(1.0, 1.0, 1.0))
    if present(depth_out):
        depth_out[i, j] = best


@scene("physics", "stencil", "function", "vector", (row, column),
       says="advances a piece of cloth: springs along, across and diagonally, gravity, wind on the surface and a ball that it falls on",
       title="cloth_step|simulate_cloth|drape_cloth|step_fabric", algorithm="mass-spring cloth", topic="mechanics")
def cloth_step(x: each(position), v: each(velocity), k: setting(stiffness), shear: setting(stiffness, 5.0, 40.0), kd: setting(damping), m: setting(mass, 0.05, 0.5), rest: setting(rest_length, 0.1, 0.4), dt: setting(time_step, 0.001, 0.01), wind: maybe(setting(velocity), 0.5), ball: maybe(setting(position, -0.5, 0.5), 0.5, "ball"), ball_r: maybe(setting(radius), 0.5, "ball"), x_out: out(position), v_out: out(velocity), tight: maybe(out(tension), 0.3)):
    names(f="f|force|total|acc_f", xi="xi|here|p|pos_i", vi="vi|vel|u|speed_i", ni="ni|a|row_n|ii", nj="nj|b|col_n|jj", l="l|length_0|natural|rest_l", ks="ks|stiff|spring_k|kk", d="d|off|rel|out_of_ball", gap="gap|dist|deep|radius_d", n="n|nrm|away|push_dir", t="t|pull|link_f|tug", top="top|max_pull|strain_f|largest")
    i, j = wp.tid()
    xi = x[i, j]
    vi = v[i, j]
    if i == 0:
        if j == 0 or j == count(column) - 1:
            note("two corners are pinned")
            x_out[i, j] = xi
            v_out[i, j] = wp.vec3(0.0, 0.0, 0.0)
            if present(tight):
                tight[i, j] = 0.0
            return
    f = wp.vec3(0.0, -9.81 * m, 0.0)
    top = float(0.0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            ni = i + di
            nj = j + dj
            if ni < 0 or nj < 0 or ni >= count(row) or nj >= count(column):
                continue
            l = rest
            ks = k
            if di != 0 and dj != 0:
                note("diagonals resist shear")
                l = rest * 1.41421
                ks = shear
            t = cloth_link(xi, x[ni, nj], vi, v[ni, nj], l, ks, kd)
            f += t
            top = wp.max(top, wp.length(t))
    if present(wind):
        if i > 0 and j > 0 and i < count(row) - 1 and j < count(column) - 1:
            note("wind pushes along the normal of the cloth")
            n = wp.normalize(wp.cross(x[i + 1, j] - x[i - 1, j], x[i, j + 1] - x[i, j - 1]))
            f += n * (0.1 * wp.dot(n, wind - vi))
    vi = vi + f * (dt / m)
    xi = xi + vi * dt
    if present(ball):
        if present(ball_r):
            d = xi - ball
            gap = wp.length(d)
            if gap < ball_r:
                if gap > 1.0e-6:
                    note("out of the ball, without moving into it any more")
                    n = d / gap
                    xi = ball + n * ball_r
                    if wp.dot(vi, n) < 0.0:
                        vi = vi - n * wp.dot(vi, n)
    x_out[i, j] = xi
    v_out[i, j] = vi
    if present(tight):
        tight[i, j] = top


@law("mechanics", "the inverse of an inertia that is diagonal in the frame of the body, times a vector of the world", title="apply_inv_inertia|inverse_inertia_mul", private=True, function=True)
def inverse_inertia_times(q: rotation, inertia: principal_inertia, r: torque) -> torque:
    names(q="q|rot", inertia="inertia|inertia_diag", r="r|t")
    return wp.quat_rotate(q, wp.cw_div(wp.quat_rotate_inv(q, r), inertia))


@scene("physics", "quaternion", "nested_loop", body,
       says="advances rigid boxes by one step: gravity, spin with gyroscopic torque, impulses with friction at the corners that touch the ground, and a correction of their depth",
       title="rigid_box_step|step_rigid_boxes|box_ground_contacts", algorithm="rigid body step with corner impulses", topic="")
def rigid_boxes(x: inout(position), q: inout(rotation), v: inout(velocity), w: inout(angular_velocity), half: each(half_extents), mass: each(mass), gravity: setting(gravity), restitution: setting(restitution), friction: setting(friction), dt: setting(time_step), asleep: maybe(each(flag), 0.3), contacts_out: maybe(out(count_value), 0.5)):
    names(p="p|pos", rot="rot|r", u="vel|lin_vel", om="omega|ang_vel", inertia="inertia|inertia_diag", body_w="w_body|omega_b", corner="corner|local_corner", arm="arm|lever", vc="vc|v_corner", jn="jn|normal_impulse", k="k|inv_eff_mass", slip="slip|v_tangent", jt="jt|friction_impulse", n="n|num_contacts", asleep="asleep|is_sleeping", up="up|normal", rn="rn|arm_x_n", rt="rt|arm_x_t", t="t|tangent", depth="depth|penetration", m="m|body_mass", h="h|half_size", x="body_pos|x", q="body_rot|q", v="body_vel|v", w="body_omega|w", half="half_extents|box_half", sx="sx|sign_x", sy="sy|sign_y", sz="sz|sign_z", contacts_out="contact_counts|contacts", restitution="restitution|cor", friction="friction|mu")
    b = wp.tid()
    if present(asleep):
        note("sleeping bodies are skipped")
        if asleep[b] == 1:
            if present(contacts_out):
                contacts_out[b] = 0
            return
    p = x[b]
    rot = wp.normalize(q[b])
    m = mass[b]
    h = half[b]
    u = v[b] - wp.vec3(0.0, gravity, 0.0) * dt
    inertia = box_inertia(m, h)
    note("Euler's equations in the frame of the body|gyroscopic torque")
    body_w = wp.quat_rotate_inv(rot, w[b])
    body_w = body_w - wp.cw_div(wp.cross(body_w, wp.cw_mul(inertia, body_w)), inertia) * dt
    om = wp.quat_rotate(rot, body_w)
    up = wp.vec3(0.0, 1.0, 0.0)
    n = int(0)
    depth = float(0.0)
    for c in range(8):
        sx = 1.0 - 2.0 * float(c % 2)
        sy = 1.0 - 2.0 * float((c // 2) % 2)
        sz = 1.0 - 2.0 * float(c // 4)
        corner = wp.vec3(sx * h[0], sy * h[1], sz * h[2])
        arm = wp.quat_rotate(rot, corner)
        if p[1] + arm[1] > 0.0:
            continue
        n += 1
        depth = wp.max(depth, -(p[1] + arm[1]))
        vc = u + wp.cross(om, arm)
        if vc[1] >= 0.0:
            note("already leaving")
            continue
        rn = wp.cross(arm, up)
        k = 1.0 / m + wp.dot(rn, inverse_inertia_times(rot, inertia, rn))
        jn = -(1.0 + restitution) * vc[1] / k
        u = u + up * (jn / m)
        om = om + inverse_inertia_times(rot, inertia, rn * jn)
        note("friction against the slip, not more than the normal impulse allows|Coulomb friction")
        vc = u + wp.cross(om, arm)
        slip = wp.vec3(vc[0], 0.0, vc[2])
        if wp.length(slip) > constant("SLIP_EPS|MIN_SLIP", 1.0e-4):
            t = wp.normalize(slip)
            rt = wp.cross(arm, t)
            k = 1.0 / m + wp.dot(rt, inverse_inertia_times(rot, inertia, rt))
            jt = wp.min(friction * jn, wp.length(slip) / k)
            u = u - t * (jt / m)
            om = om - inverse_inertia_times(rot, inertia, rt * jt)
    note("push it out of the ground, a part in each step|correct the depth")
    x[b] = p + u * dt + up * (constant("BAUMGARTE|DEPTH_CORRECTION", 0.2) * depth)
    q[b] = wp.normalize(rot + wp.quat(om[0], om[1], om[2], 0.0) * rot * (0.5 * dt))
    v[b] = u
    w[b] = om
    if present(contacts_out):
        contacts_out[b] = n


@scene("geometry", "control_flow", "function", "quaternion", contact,
       says="tests pairs of turned boxes for overlap by separating axes and tells the shallowest one",
       title="box_box_sat|separating_axes|obb_overlap|box_pairs", algorithm="separating axis test for oriented boxes", rare=True)
def box_box(gap: each(displacement, range=(-1.5, 1.5)), q: each(rotation), ha: each(half_extents), hb: each(half_extents), depth_out: out(penetration), axis_out: maybe(out(index_value), 0.6), n_out: maybe(out(normal), 0.5), hits: maybe(add(count_value, 1), 0.4)):
    names(ux="ux|b0|bx|axis_bx", uy="uy|b1|by|axis_by", uz="uz|b2|bz|axis_bz", best="best|least|min_depth|shallow", which="which|axis_id|best_axis|winner", o="o|over|depth_k|overlap", axis="axis|a_k|candidate|dir", n="n|normal_k|push|best_n", gap="gap|offset|center_diff|delta_c", apart="apart|separated|no_hit|missed")
    i = wp.tid()
    ux = wp.quat_rotate(q[i], wp.vec3(1.0, 0.0, 0.0))
    uy = wp.quat_rotate(q[i], wp.vec3(0.0, 1.0, 0.0))
    uz = wp.quat_rotate(q[i], wp.vec3(0.0, 0.0, 1.0))
    best = float(1.0e6)
    which = int(-1)
    apart = int(0)
    n = wp.vec3(0.0, 1.0, 0.0)
    for k in range(6):
        axis = wp.vec3(1.0, 0.0, 0.0)
        if k == 1:
            axis = wp.vec3(0.0, 1.0, 0.0)
        elif k == 2:
            axis = wp.vec3(0.0, 0.0, 1.0)
        elif k == 3:
            axis = ux
        elif k == 4:
            axis = uy
        elif k == 5:
            axis = uz
        o = axis_overlap(axis, gap[i], ha[i], hb[i], ux, uy, uz)
        if o < 0.0:
            apart = 1
        if o < best:
            best = o
            which = k
            n = axis
    note("products of edges")
    for k in range(9):
        axis = wp.vec3(1.0, 0.0, 0.0)
        if k % 3 == 1:
            axis = wp.vec3(0.0, 1.0, 0.0)
        elif k % 3 == 2:
            axis = wp.vec3(0.0, 0.0, 1.0)
        if k < 3:
            axis = wp.cross(axis, ux)
        elif k < 6:
            axis = wp.cross(axis, uy)
        else:
            axis = wp.cross(axis, uz)
        if wp.length(axis) < 0.05:
            note("parallel edges give no new axis")
            continue
        axis = wp.normalize(axis)
        o = axis_overlap(axis, gap[i], ha[i], hb[i], ux, uy, uz)
        if o < 0.0:
            apart = 1
        if o < best:
            best = o
            which = 6 + k
            n = axis
    depth_out[i] = best
    if present(axis_out):
        axis_out[i] = which
    if present(n_out):
        if wp.dot(n, gap[i]) < 0.0:
            n_out[i] = -n
        else:
            n_out[i] = n
    if present(hits):
        if apart == 0:
            wp.atomic_add(hits, 0, 1)


@scene("geometry", "stencil", "multi_conditional", cell,
       says="draws the line of a level through each square of a grid by the case of its four corners, with crossings interpolated{second_a:; saddles get a second line}{!second_a:; of the two lines of a saddle it draws one}",
       title="marching_squares|contour_cells|iso_lines|trace_level", algorithm="marching squares", rare=True)
def marching_squares(u: each(field_value), level: setting(field_value, -0.8, 0.8), seg_a: out(point2), seg_b: out(point2), second_a: maybe(out(point2), 0.6), second_b: maybe(out(point2), 1.0), code_out: maybe(out(index_value), 0.6), length_sum: maybe(add(perimeter, 1), 0.5)):
    names(seg_a="seg_a|line_start|start_points|from_points", seg_b="seg_b|line_end|end_points|to_points", second_a="second_a|saddle_start|start_points2|from_points2", second_b="second_b|saddle_end|end_points2|to_points2", a="a|v00|sw|low_left", b="b|v10|se|low_right", c="c|v11|ne|up_right", d="d|v01|nw|up_left", code="code|case_id|mask4|bits4", p="p|first|from_p|start_p", q="q|second|to_p|end_p", left="left|e_left|on_left|pl", right="right|e_right|on_right|pr", low="low|e_low|on_low|pb", high="high|e_high|on_high|pt", level="level|iso|threshold|height_c", mid="mid|center_v|middle|mean_v")
    i, j = wp.tid()
    seg_a[i, j] = wp.vec2(-1.0, -1.0)
    seg_b[i, j] = wp.vec2(-1.0, -1.0)
    if present(second_a) and present(second_b):
        second_a[i, j] = wp.vec2(-1.0, -1.0)
        second_b[i, j] = wp.vec2(-1.0, -1.0)
    if i >= count(cell, 0) - 1 or j >= count(cell, 1) - 1:
        if present(code_out):
            code_out[i, j] = 0
        return
    a = u[i, j]
    b = u[i + 1, j]
    c = u[i + 1, j + 1]
    d = u[i, j + 1]
    code = int(0)
    if a > level:
        code += 1
    if b > level:
        code += 2
    if c > level:
        code += 4
    if d > level:
        code += 8
    if present(code_out):
        code_out[i, j] = code
    if code == 0 or code == 15:
        note("all on one side")
        return
    low = wp.vec2(float(i) + crossing_fraction(a, b, level), float(j))
    right = wp.vec2(float(i) + 1.0, float(j) + crossing_fraction(b, c, level))
    high = wp.vec2(float(i) + crossing_fraction(d, c, level), float(j) + 1.0)
    left = wp.vec2(float(i), float(j) + crossing_fraction(a, d, level))
    p = left
    q = low
    if code == 1 or code == 14:
        p = left
        q = low
    elif code == 2 or code == 13:
        p = low
        q = right
    elif code == 4 or code == 11:
        p = right
        q = high
    elif code == 8 or code == 7:
        p = high
        q = left
    elif code == 3 or code == 12:
        p = left
        q = right
    elif code == 6 or code == 9:
        p = low
        q = high
    else:
        note("a saddle: the value in the middle tells which corners belong together|two opposite corners are above")
        mid = 0.25 * (a + b + c + d)
        if (code == 5 and mid > level) or (code == 10 and mid <= level):
            p = left
            q = high
            if present(second_a) and present(second_b):
                second_a[i, j] = low
                second_b[i, j] = right
        else:
            p = left
            q = low
            if present(second_a) and present(second_b):
                second_a[i, j] = right
                second_b[i, j] = high
    seg_a[i, j] = p
    seg_b[i, j] = q
    if present(length_sum):
        note("of the line drawn first")
        wp.atomic_add(length_sum, 0, wp.length(q - p))


@scene("geometry", "control_flow", "vector", contact,
       says="finds the nearest points of two segments with all cases of parallel and degenerate ones, and the gap of capsules around them",
       title="segment_segment_distance|closest_points_segments|capsule_gaps", algorithm="closest points of two segments")
def segment_pairs(a0: each(position), a1: each(position), b0: each(position), b1: each(position), ra: each(radius), rb: each(radius), gap: out(signed_distance), pa: maybe(out(position), 0.5), pb: out(position), n_out: maybe(out(direction), 0.4)):
    names(u="u|d1", v="v|d2", w="w|r", a="a|len_sq_a", b="b|d1_dot_d2", c="c|len_sq_b", d="d|d1_dot_r", e="e|d2_dot_r", den="denom|det", s="s|ta", t="t|tb", p="p|point_a", q="q|point_b", dist="dist|distance", gap="gap|distances", ra="radius_a|ra", rb="radius_b|rb", pa="witness_a|points_a", pb="witness_b|points_b", n_out="normal|normals", a0="a0|a_start", a1="a1|a_end", b0="b0|b_start", b1="b1|b_end")
    i = wp.tid()
    u = a1[i] - a0[i]
    v = b1[i] - b0[i]
    w = a0[i] - b0[i]
    a = wp.dot(u, u)
    b = wp.dot(u, v)
    c = wp.dot(v, v)
    d = wp.dot(u, w)
    e = wp.dot(v, w)
    den = a * c - b * b
    s = float(0.0)
    if a > constant("EPS|EPSILON", 1.0e-8):
        if c > constant("EPS|EPSILON", 1.0e-8):
            if den > constant("PARALLEL_EPS|SKEW_EPS", 1.0e-6):
                s = wp.clamp((b * e - c * d) / den, 0.0, 1.0)
        else:
            note("the second is a point")
            s = wp.clamp(-d / a, 0.0, 1.0)
    t = float(0.0)
    if c > constant("EPS|EPSILON", 1.0e-8):
        t = (b * s + e) / c
        if t < 0.0:
            note("beyond the first end: the other parameter moves, too")
            t = 0.0
            if a > constant("EPS|EPSILON", 1.0e-8):
                s = wp.clamp(-d / a, 0.0, 1.0)
        elif t > 1.0:
            t = 1.0
            if a > constant("EPS|EPSILON", 1.0e-8):
                s = wp.clamp((b - d) / a, 0.0, 1.0)
    p = a0[i] + u * s
    q = b0[i] + v * t
    dist = wp.length(p - q)
    gap[i] = dist - ra[i] - rb[i]
    if present(pa):
        pa[i] = p
        pb[i] = q
    if present(n_out):
        if dist > constant("EPS|EPSILON", 1.0e-8):
            n_out[i] = (p - q) / dist
        else:
            n_out[i] = wp.vec3(0.0, 1.0, 0.0)
