"""Fields read and written through points: implicit surfaces, weights of splines, stored paths, lines of sight, gradients of flows."""


@law("geometry", "the distance to a torus that lies in a plane", title="torus_sdf|ring_distance|donut_sdf", private=True, function=True)
def ring_sdf(p: position, big: radius, small: radius) -> implicit_value:
    names(flat="flat|xz_len|ring_r")
    flat = wp.sqrt(p[0] * p[0] + p[2] * p[2]) - big
    return wp.sqrt(flat * flat + p[1] * p[1]) - small


@law("geometry", "two distances joined smoothly, and how much of the second is in the result", title="smooth_union|blend_shapes|soft_min", private=True, function=True)
def soft_union(a: implicit_value, b: implicit_value, k: length) -> (implicit_value, weight):
    names(h="h|mix|t")
    h = wp.clamp(0.5 + 0.5 * (a - b) / k, 0.0, 1.0)
    return a * (1.0 - h) + b * h - k * h * (1.0 - h), h


@scene("geometry", "function", "stencil", (cell, cell, cell),
       says="samples a soft union of a ball, a ring and a rounded box on the nodes of a grid{inside_n:, and counts the nodes inside}",
       title="sample_implicit|fill_sdf_grid|voxelize_shapes|implicit_nodes", algorithm="signed distances with a smooth union", topic="")
def sample_implicit(phi: out(implicit_value), mat_out: maybe(out(weight), 0.5), lower: setting(position, -1.5, -1.0), spacing: setting(instance_scale, 0.2, 0.4), ball: setting(position, -0.4, 0.4), ball_r: setting(radius, 0.3, 0.7), big: setting(radius, 0.6, 1.0), small: setting(radius, 0.1, 0.3), box: setting(instance_scale, 0.3, 0.6), soft: setting(length, 0.1, 0.4), carve: maybe(setting(radius, 0.2, 0.5), 0.4), shift: maybe(each(displacement), 0.5), inside_n: maybe(add(count_value, 1), 0.5)):
    names(phi="phi|sdf|values_g|field_g", lower="lower|origin|grid_min|corner0", spacing="spacing|h3|voxel|cell_dim", ball="ball|center_b|blob|sphere_c", px="px|x|wx|gx", py="py|y|wy|gy", pz="pz|z|wz|gz", p="p|pt|pos|node_p", d0="d0|d_ball|sphere_d|near_b", d1="d1|d_ring|torus_d|near_r", d2="d2|d_box|cube_d|near_c", d="d|dist|total_d|joined", m="m|mat_v|blend_m|mixv", q="q|corner_d|over|e3", carve="carve|hole_r|cut_r|drill", shift="shift|warp|offsets_n|displace")
    i, j, k = wp.tid()
    px = lower[0] + float(i) * spacing[0]
    py = lower[1] + float(j) * spacing[1]
    pz = lower[2] + float(k) * spacing[2]
    p = wp.vec3(px, py, pz)
    if present(shift):
        note("noise in space bends the shapes|domain warping")
        p = p + shift[i, j, k]
    d0 = wp.length(p - ball) - ball_r
    d1 = ring_sdf(p, big, small)
    d, m = soft_union(d0, d1, soft)
    q = wp.abs(p) - box
    d2 = wp.length(wp.max(q, wp.vec3(0.0, 0.0, 0.0))) + wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0) - 0.1
    match choose("join"):
        case 2:
            d, m = soft_union(d, d2, soft)
        case 1:
            note("the box is joined without rounding|sharp union")
            fact("the box is joined with a sharp edge")
            d = wp.min(d, d2)
    if present(carve):
        note("a hole along the axis|subtract a cylinder")
        d = wp.max(d, carve - wp.sqrt(p[0] * p[0] + p[2] * p[2]))
    phi[i, j, k] = d
    if present(mat_out):
        mat_out[i, j, k] = m
    if present(inside_n):
        if d < 0.0:
            wp.atomic_add(inside_n, 0, 1)


@law("fluids", "the weights of a quadratic spline at the three nearest nodes, by the distance from the first", title="spline_weights|node_weights|bspline3", private=True, function=True)
def node_weights(f: ratio) -> vector3:
    return wp.vec3(0.5 * (1.5 - f) * (1.5 - f), 0.75 - (f - 1.0) * (f - 1.0), 0.5 * (f - 0.5) * (f - 0.5))


@scene("physics", "function", "nested_loop", particle,
       says="reads the velocity of a grid at each particle with the weights of quadratic splines, in two passes: along rows, then across them",
       title="spline_gather|grid_to_particles|read_grid_splines|gather_velocity", algorithm="quadratic B-spline interpolation")
def spline_gather(x: each(pixel_xy, range=(1.0, 10.0)), vx: each(grid_field, 13, 13), vy: each(face_speed, 13, 13), old: maybe(each(velocity2), 0.5), blend: setting(ratio, 0.7, 0.98), v_out: out(velocity2), spread: maybe(out(field_value), 0.5), moved: maybe(out(pixel_xy), 0.5), dt: setting(time_step, 0.01, 0.05)):
    names(x="x|pos_g|xp|grid_pos", vx="vx|u_grid|gx|grid_u", vy="vy|v_grid|gy|grid_v", bi="bi|base_i|i0|ci", bj="bj|base_j|j0|cj", wi="wi|w_row|wx|weights_i", wj="wj|w_col|wy|weights_j", r0="r0|ra|row_a|u0", r1="r1|rb|row_b|u1", r2="r2|rc|row_c|u2", u="u|vel_u|read_u|ux", w="w|vel_v|read_v|uy", old="old|v_prev|old_v|particle_v", blend="blend|flip|pic_part|mixing")
    p = wp.tid()
    bi = int(wp.floor(x[p][0] - 0.5))
    bj = int(wp.floor(x[p][1] - 0.5))
    wi = node_weights(x[p][0] - float(bi))
    wj = node_weights(x[p][1] - float(bj))
    r0 = wj[0] * vx[bi, bj] + wj[1] * vx[bi, bj + 1] + wj[2] * vx[bi, bj + 2]
    r1 = wj[0] * vx[bi + 1, bj] + wj[1] * vx[bi + 1, bj + 1] + wj[2] * vx[bi + 1, bj + 2]
    r2 = wj[0] * vx[bi + 2, bj] + wj[1] * vx[bi + 2, bj + 1] + wj[2] * vx[bi + 2, bj + 2]
    u = wi[0] * r0 + wi[1] * r1 + wi[2] * r2
    if present(spread):
        note("slope along the first axis|difference of the outer rows")
        spread[p] = 0.5 * (r2 - r0)
    r0 = wj[0] * vy[bi, bj] + wj[1] * vy[bi, bj + 1] + wj[2] * vy[bi, bj + 2]
    r1 = wj[0] * vy[bi + 1, bj] + wj[1] * vy[bi + 1, bj + 1] + wj[2] * vy[bi + 1, bj + 2]
    r2 = wj[0] * vy[bi + 2, bj] + wj[1] * vy[bi + 2, bj + 1] + wj[2] * vy[bi + 2, bj + 2]
    w = wi[0] * r0 + wi[1] * r1 + wi[2] * r2
    if present(old):
        note("some of the old velocity stays, so that less is smoothed away|blend of two schemes")
        u = blend * u + (1.0 - blend) * old[p][0]
        w = blend * w + (1.0 - blend) * old[p][1]
    v_out[p] = wp.vec2(u, w)
    if present(moved):
        moved[p] = wp.vec2(wp.clamp(x[p][0] + u * dt, 1.0, 11.0), wp.clamp(x[p][1] + w * dt, 1.0, 11.0))


@scene("physics", "control_flow", "scalar_param", path,
       says="stores the path of a pendulum-like point in a {well=0:quartic}{well=1:cosine} well: nine places by the method of Verlet{drift_out:, with the energy it gained}",
       title="store_paths|verlet_paths|record_orbits|trace_paths", algorithm="velocity Verlet")
def store_paths(start: each(path_node, range=(-1.5, 1.5)), stiff: setting(gain, 0.5, 2.0), kick: maybe(setting(ratio, 0.05, 0.3), 0.4), dt: setting(positive_value, 0.1, 0.3), trail: out(path_node, path, 9), drift_out: maybe(out(energy), 0.6), turns: maybe(out(count_value), 0.5), far: maybe(out(distance), 0.5)):
    names(start="start|first_xv|states0|xv0", stiff="stiff|k_well|depth_w|spring_k", trail="trail|path_out|track_xv|history", x="x|place|px|s", v="v|speed_p|pv|rate", a="a|acc_p|pull|force_m", a1="a1|acc_new|pull_new|next_a", e0="e0|energy0|first_e|h0", e1="e1|energy1|last_e|h1", signs="signs|crossings|n_turn|flips", most="most|reach|max_x|widest", kick="kick|drive|push|forcing", old="old|v_old|before_v|pv0")
    i = wp.tid()
    x = start[i][0]
    v = start[i][1]
    trail[i, 0] = start[i]
    match choose("well"):
        case 1:
            a = -stiff * x * x * x
            e0 = 0.5 * v * v + 0.25 * stiff * x * x * x * x
        case 1:
            a = -stiff * wp.sin(x)
            e0 = 0.5 * v * v - stiff * wp.cos(x)
    signs = int(0)
    most = wp.abs(x)
    for k in range(8):
        old = float(v)
        x = x + v * dt + 0.5 * a * dt * dt
        match choose("well"):
            case 1:
                a1 = -stiff * x * x * x
            case 1:
                a1 = -stiff * wp.sin(x)
        if present(kick):
            note("a push in every second step|periodic forcing")
            if k % 2 == 0:
                a1 = a1 + kick
        v = v + 0.5 * (a + a1) * dt
        a = a1
        trail[i, k + 1] = wp.vec2(x, v)
        if old * v < 0.0:
            signs += 1
        most = wp.max(most, wp.abs(x))
    if present(drift_out):
        match choose("well"):
            case 1:
                e1 = 0.5 * v * v + 0.25 * stiff * x * x * x * x
            case 1:
                e1 = 0.5 * v * v - stiff * wp.cos(x)
        drift_out[i] = e1 - e0
    if present(turns):
        turns[i] = signs
    if present(far):
        far[i] = most


@law("geometry", "whether a segment comes closer to a point than a radius", title="segment_hits_ball|blocks_segment|near_segment", private=True, function=True)
def segment_meets_ball(a: position, b: position, c: position, r: radius) -> truth:
    names(d="d|ab|along", t="t|u|foot")
    d = b - a
    t = wp.clamp(wp.dot(c - a, d) / wp.dot(d, d), 0.0, 1.0)
    return wp.length(a + d * t - c) < r


@scene("geometry", "control_flow", "function", agent,
       says="decides whether each agent sees a target: it must be near enough, in front of it, and not hidden behind a ball",
       title="lines_of_sight|can_see_target|visibility_checks|sight_tests", algorithm="line of sight between balls")
def sight_tests(p: each(position), look: each(direction), target: each(position, range=(-2.1, 2.1)), center: each(position, obstacle, range=(-1.8, 1.8)), r: each(radius, obstacle, range=(0.1, 0.4)), reach: setting(distance, 2.0, 5.0), cone: maybe(setting(unit_coordinate, -0.2, 0.6), 0.6), asleep: maybe(each(flag), 0.4), seen: out(flag), blocker: maybe(out(index_value), 0.6), seen_n: maybe(add(count_value, 1), 0.5)):
    names(p="p|eyes|agent_pos|observer", look="look|facing|heading_v|gaze", target="target|goals|watched|prey", center="center|obstacles_c|balls|cover_c", hidden="hidden|blocked|occluded|covered", who="who|by_k|which_o|first_hit", facing="facing|in_front|in_view|ahead", d="d|to_t|gap_v|sep", reach="reach|sight_range|max_sight|view_dist", cone="cone|cos_fov|half_view|min_cos", asleep="asleep|blind|inactive|eyes_shut")
    i = wp.tid()
    if present(asleep):
        if asleep[i] == 1:
            return
    d = target[i] - p[i]
    if present(cone):
        facing = wp.length(d) < reach and wp.dot(wp.normalize(look[i]), wp.normalize(d)) > cone
    else:
        facing = wp.length(d) < reach
    hidden = bool(False)
    who = int(-1)
    if facing:
        for k in range(count(obstacle)):
            if segment_meets_ball(p[i], target[i], center[k], r[k]):
                note("one obstacle is enough|stop at the first")
                hidden = True
                who = k
                break
    if facing and not hidden:
        seen[i] = 1
        if present(seen_n):
            wp.atomic_add(seen_n, 0, 1)
    else:
        seen[i] = 0
    if present(blocker):
        blocker[i] = who


@law("geometry", "whether two boxes overlap", title="boxes_overlap|aabb_overlap|boxes_touch", private=True, function=True)
def boxes_overlap(a: position, ha: instance_scale, b: position, hb: instance_scale) -> truth:
    names(d="d|gap|delta")
    d = wp.abs(a - b)
    return d[0] <= ha[0] + hb[0] and d[1] <= ha[1] + hb[1] and d[2] <= ha[2] + hb[2]


@scene("geometry", "control_flow", "integer", contact,
       says="filters pairs of bodies for a collision search: bodies of groups that may meet, whose boxes overlap, and that are not both at rest",
       title="filter_pairs|broad_phase|pair_filter|candidate_pairs", algorithm="broad phase with groups")
def filter_pairs(pair: index(body, 2), c: each(position, body), half: each(instance_scale, body, range=(0.3, 1.2)), group: each(group_mask, body), meets: each(group_mask, body), still: maybe(each(flag, body), 0.5), margin: maybe(setting(length, 0.02, 0.2), 0.5), keep: out(flag), depth_out: maybe(out(penetration), 0.6), number: maybe(add(count_value, 1), 0.5), per_body: maybe(add(count_value, body), 0.4)):
    names(pair="pair|pairs_in|cand|body_pairs", c="c|centers_b|com|box_c", half="half|half_size|ext|box_h", group="group|layer|groups_b|belongs", meets="meets|mask_b|collides|may_meet", a="a|ia|first_b|b0", b="b|ib|second_b|b1", touch="touch|overlap|hit|meet", allowed="allowed|may|ok_pair|wanted", d="d|gap3|sep|over3", depth="depth|pen|inside_d|least", still="still|sleeping|resting|is_static", margin="margin|skin|contact_gap|slop", keep="keep|active_pair|is_pair|accepted")
    s = wp.tid()
    a = pair[s, 0]
    b = pair[s, 1]
    keep[s] = 0
    if a == b:
        if present(depth_out):
            depth_out[s] = 0.0
        return
    note("each must be in a group that the other may meet|both directions")
    allowed = (group[a] & meets[b]) != wp.uint32(0) and (group[b] & meets[a]) != wp.uint32(0)
    if not allowed:
        if present(depth_out):
            depth_out[s] = 0.0
        return
    if present(still):
        if still[a] == 1 and still[b] == 1:
            fact("two bodies at rest are skipped")
            if present(depth_out):
                depth_out[s] = 0.0
            return
    if present(margin):
        touch = boxes_overlap(c[a], half[a] + wp.vec3(margin, margin, margin), c[b], half[b])
    else:
        touch = boxes_overlap(c[a], half[a], c[b], half[b])
    if touch:
        keep[s] = 1
        if present(number):
            wp.atomic_add(number, 0, 1)
        if present(per_body):
            wp.atomic_add(per_body, a, 1)
            wp.atomic_add(per_body, b, 1)
        if present(depth_out):
            note("along the axis of the least overlap|penetration")
            d = half[a] + half[b] - wp.abs(c[a] - c[b])
            depth = wp.min(d)
            depth_out[s] = depth


@scene("math", "vector", "nested_loop", sample,
       says="evaluates a track of keys by cubic pieces with tangents{period:, wrapping around at its end}{vel_out:, with its velocity}",
       title="evaluate_hermite_track|hermite_track|sample_hermite_spline", algorithm="cubic Hermite spline")
def hermite_tracks(t: each(table_position, range=(0.0, 6.9)), key_pos: each(position, keyframe), key_tangent: each(key_tangent, keyframe), period: maybe(setting(table_position, 3.0, 6.0), 0.4), tension: maybe(setting(ratio, 0.0, 0.6), 0.4), pos_out: out(position), vel_out: maybe(out(velocity), 0.5)):
    names(t="times|t_query", key_pos="key_pos|keys", key_tangent="key_tangents|tangents", s="s|u", k="k|seg", h00="h00|h00", h10="h10|h10", h01="h01|h01", h11="h11|h11", p0="p0|p0", p1="p1|p1", m0="m0|m0", m1="m1|m1", x="x|time", period="period|loop_length", tension="tension|tension", s2="s2|u2", s3="s3|u3", pos_out="pos_out|positions", vel_out="vel_out|velocities")
    i = wp.tid()
    x = wp.clamp(t[i], 0.0, float(count(keyframe) - 1))
    if present(period):
        x = x - period * wp.floor(x / period)
    note("keys stand one unit of time apart|segment and place in it")
    k = wp.min(int(x), count(keyframe) - 2)
    s = x - float(k)
    p0 = key_pos[k]
    p1 = key_pos[k + 1]
    m0 = key_tangent[k]
    m1 = key_tangent[k + 1]
    if present(tension):
        note("shorter tangents make a tighter curve|tension")
        m0 = m0 * (1.0 - tension)
        m1 = m1 * (1.0 - tension)
    s2 = s * s
    s3 = s2 * s
    h00 = 2.0 * s3 - 3.0 * s2 + 1.0
    h10 = s3 - 2.0 * s2 + s
    h01 = -2.0 * s3 + 3.0 * s2
    h11 = s3 - s2
    pos_out[i] = h00 * p0 + h10 * m0 + h01 * p1 + h11 * m1
    if present(vel_out):
        note("derivatives of the four weights|velocity")
        vel_out[i] = (6.0 * s2 - 6.0 * s) * (p0 - p1) + (3.0 * s2 - 4.0 * s + 1.0) * m0 + (3.0 * s2 - 2.0 * s) * m1


@scene("matrix", "math", "physics", cell,
       says="measures by the gradient of a flow whether a vortex is there{strain_out:, the rate of strain}{vort_out:, the rotation}{loss_out:, the dissipation}",
       title="vortex_criteria|strain_and_rotation|flow_invariants|analyse_gradients", algorithm="Q criterion of vortices", rare=True,
       lossy=True)
def vortex_criteria(g: each(flow_gradient), nu: setting(viscosity, 0.05, 0.5), q_out: out(field_value), loss_out: maybe(out(power), 0.6), vort_out: maybe(out(vorticity_vector), 0.6), strain_out: maybe(out(strain), 0.5), vortices: maybe(add(count_value, 1), 0.5), shear_out: maybe(out(field_value), 0.4)):
    names(g="g|grad|vel_grad|du_dx", third="third|mean_div|iso|expand", l="l|dev|trace_free|gl", exx="exx|s_xx|a11|d_xx", eyy="eyy|s_yy|a22|d_yy", ezz="ezz|s_zz|a33|d_zz", exy="exy|s_xy|a12|d_xy", exz="exz|s_xz|a13|d_xz", eyz="eyz|s_yz|a23|d_yz", wx="wx|rot_x|curl_x|om_x", wy="wy|rot_y|curl_y|om_y", wz="wz|rot_z|curl_z|om_z", ss="ss|strain2|s_sq|def2", ww="ww|spin2|w_sq|rot2", q="q|criterion|q_val|excess", nu="nu|visc|mu_f|nu_f")
    c = wp.tid()
    l = wp.mat33(g[c])
    third = (l[0, 0] + l[1, 1] + l[2, 2]) / 3.0
    note("without the part that only expands|incompressible part")
    l[0, 0] = l[0, 0] - third
    l[1, 1] = l[1, 1] - third
    l[2, 2] = l[2, 2] - third
    exx = l[0, 0]
    eyy = l[1, 1]
    ezz = l[2, 2]
    exy = 0.5 * (l[0, 1] + l[1, 0])
    exz = 0.5 * (l[0, 2] + l[2, 0])
    eyz = 0.5 * (l[1, 2] + l[2, 1])
    wx = l[2, 1] - l[1, 2]
    wy = l[0, 2] - l[2, 0]
    wz = l[1, 0] - l[0, 1]
    ss = exx * exx + eyy * eyy + ezz * ezz + 2.0 * (exy * exy + exz * exz + eyz * eyz)
    ww = 0.5 * (wx * wx + wy * wy + wz * wz)
    q = 0.5 * (ww - ss)
    q_out[c] = q
    if present(loss_out):
        note("what friction turns into heat|dissipation")
        loss_out[c] = 2.0 * nu * ss
    if present(vort_out):
        vort_out[c] = wp.vec3(wx, wy, wz)
    if present(strain_out):
        if allows(slots_by_reference) and maybe(0.5):
            strain_out[c][0] = wp.vec3(exx, exy, exz)
            strain_out[c][1] = wp.vec3(exy, eyy, eyz)
            strain_out[c][2] = wp.vec3(exz, eyz, ezz)
        else:
            strain_out[c] = wp.mat33(exx, exy, exz, exy, eyy, eyz, exz, eyz, ezz)
    if present(shear_out):
        shear_out[c] = wp.sqrt(2.0 * ss)
    if present(vortices):
        if q > 0.0:
            wp.atomic_add(vortices, 0, 1)
