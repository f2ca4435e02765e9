"""Machines of rigid bodies: chains and their dynamics, joints, contacts of boxes, tyres, suspensions, muscles, wings of cloth."""


@law("machines", "momentum of a moving link about the origin, angular part first", title="spatial_momentum|link_momentum|compute_momentum", private=True, function=True)
def link_momentum(t: twist, m: mass, c: center_of_mass, q: rotation, i: principal_inertia) -> wrench:
    names(w="w|omega|ang", lin="lin|p|mv", spin="spin|l_c|own")
    w = wp.spatial_top(t)
    lin = m * (wp.spatial_bottom(t) + wp.cross(w, c))
    spin = wp.quat_rotate(q, wp.cw_mul(i, wp.quat_rotate_inv(q, w)))
    return wp.spatial_vector(spin + wp.cross(c, lin), lin)


@law("machines", "how much a body turns under an angular impulse", title="apply_inverse_inertia|inv_inertia_mul|angular_response", private=True, function=True)
def angular_response(q: rotation, inv_i: inverse_inertia, l: angular_momentum) -> angular_velocity:
    return wp.quat_rotate(q, wp.cw_mul(inv_i, wp.quat_rotate_inv(q, l)))


@law("machines", "the inverse mass that a body shows at a point in a direction", title="generalized_inverse_mass|effective_inv_mass|point_inv_mass", private=True, function=True)
def point_inverse_mass(w: inverse_mass, q: rotation, inv_i: inverse_inertia, r: lever_arm, n: direction) -> inverse_mass:
    names(arm="arm|rn|lever_n")
    arm = wp.cross(r, n)
    return w + wp.dot(arm, angular_response(q, inv_i, arm))


@law("machines", "two directions at right angles to a normal and to each other", title="tangent_frame|build_basis|orthonormal_pair", private=True, function=True)
def tangent_pair(n: normal) -> (tangent, tangent):
    names(t="t|first|u")
    t = wp.cross(wp.vec3(1.0, 0.0, 0.0), n)
    if wp.abs(n[0]) >= 0.57735:
        t = wp.cross(wp.vec3(0.0, 1.0, 0.0), n)
    t = wp.normalize(t)
    return t, wp.cross(n, t)


@law("machines", "the curve by which the force of a tyre follows its slip", title="magic_formula|pacejka|tyre_curve", private=True, function=True)
def magic_formula(slip: slip_ratio, b: tyre_stiffness, c: tyre_shape, d: normal_load, e: tyre_curvature) -> axial_stress:
    names(bx="bx|x|arg")
    bx = b * slip
    return d * wp.sin(c * wp.atan(bx - e * (bx - wp.atan(bx))))


@law("machines", "how the force of a muscle depends on the length of its fibres", title="force_length|active_force_length|length_curve", private=True, function=True)
def force_length_curve(l: ratio, width: standard_deviation) -> muscle_activation:
    return wp.exp(-(l - 1.0) * (l - 1.0) / (width * width))


@law("machines", "how the force of a muscle depends on the speed of its fibres, positive while they lengthen", title="force_velocity|hill_curve|velocity_curve", private=True, function=True)
def force_velocity_curve(v: unit_coordinate) -> ratio:
    if v <= -1.0:
        return 0.0
    if v < 0.0:
        return (1.0 + v) / (1.0 - v / 0.25)
    return (1.0 + v * 1.4 / 0.2) / (1.0 + v / 0.2)


@law("machines", "the height of the terrain at a place, between four grid points", title="sample_height|terrain_height_at|bilinear_height", private=True, function=True)
def bilinear_mix(a: ground_height, b: ground_height, c: ground_height, d: ground_height, s: ratio, t: ratio) -> ground_height:
    return wp.lerp(wp.lerp(a, b, t), wp.lerp(c, d, t), s)


@scene("physics", "nested_loop", "combined", "quaternion", robot,
       says="computes the torques that a chain of turning and sliding joints needs for given accelerations, with a sweep outward for the motion and one inward for the forces",
       title="inverse_dynamics|rnea_sweep|joint_torques|recursive_newton_euler", algorithm="recursive Newton-Euler inverse dynamics")
def inverse_dynamics(jq: each(joint_angle, robot, joint, range=(-1.5, 1.5)), jqd: each(joint_speed, robot, joint), jqdd: each(joint_speed, robot, joint), sliding: each(flag, joint), axis: each(direction, joint), link: each(bone_pose, joint), m: each(mass, joint), com: each(local_position, joint, range=(-0.4, 0.4)), inertia: each(principal_inertia, joint), g: setting(acceleration, -10.0, 10.0), tip: maybe(each(wrench, robot), 0.4), subspace: inout(twist, robot, joint), f: inout(wrench, robot, joint), tau: out(joint_torque, robot, joint)):
    names(x="x|X_wj|frame|tf", a="a|world_axis|z_j|ax", o="o|anchor_j|p_j|pivot", s="s|S_j|motion|screw", v="v|v_j|vel_s|body_twist", acc="acc|a_j|acc_s|spatial_acc", sv="sv|vj|joint_v|s_qd", c="c|com_w|c_w|mass_center", q="q|rot_j|link_q|R_j", net="net|carried|f_acc|total_f", k="k|j|joint_i|back_j", subspace="subspace|joint_S|screws|motion_axes", f="f|link_forces|f_s|body_wrenches", jq="jq|joint_q|dof_pos|q", jqd="jqd|joint_qd|dof_vel|qd", jqdd="jqdd|joint_qdd|dof_acc|qdd", tip="tip|f_ext|tool_wrench|payload")
    r = wp.tid()
    x = wp.transform_identity()
    v = wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), wp.vec3(0.0, 0.0, 0.0))
    note("gravity as an acceleration of the base|the base falls upwards")
    acc = wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), -g)
    for j in range(count(joint)):
        x = wp.transform_multiply(x, link[j])
        a = wp.transform_vector(x, wp.normalize(axis[j]))
        o = wp.transform_get_translation(x)
        if sliding[j] == 1:
            s = wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), a)
            x = wp.transform_multiply(x, wp.transform(wp.normalize(axis[j]) * jq[r, j], wp.quat_identity()))
        else:
            note("an axis through a point moves the origin, too|revolute screw about the world origin")
            s = wp.spatial_vector(a, wp.cross(o, a))
            x = wp.transform_multiply(x, wp.transform(wp.vec3(0.0, 0.0, 0.0), wp.quat_from_axis_angle(wp.normalize(axis[j]), jq[r, j])))
        sv = s * jqd[r, j]
        v = v + sv
        acc = acc + s * jqdd[r, j] + wp.spatial_cross(v, sv)
        q = wp.transform_get_rotation(x)
        c = wp.transform_point(x, com[j])
        subspace[r, j] = s
        f[r, j] = link_momentum(acc, m[j], c, q, inertia[j]) + wp.spatial_cross_dual(v, link_momentum(v, m[j], c, q, inertia[j]))
    net = wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), wp.vec3(0.0, 0.0, 0.0))
    if present(tip):
        note("what the tool pushes with must be carried, too|external load at the end")
        net = net - tip[r]
    note("inward: each joint carries all links beyond it|backward sweep")
    for b in range(count(joint)):
        k = count(joint) - 1 - b
        net = net + f[r, k]
        tau[r, k] = wp.spatial_dot(subspace[r, k], net)


@scene("physics", "matrix", "quaternion", "control_flow", body,
       says="advances rigid bodies by one step, with the gyroscopic torque treated implicitly by one Newton step in the frame of the body",
       title="advance_bodies|integrate_rigid_implicit|step_rigid_bodies|gyroscopic_step", algorithm="implicit gyroscopic step", rare=True)
def gyroscopic_step(x: inout(position), q: inout(rotation), v: inout(velocity), w: inout(angular_velocity), f: each(force), tau: each(torque), inv_m: each(inverse_mass), inertia: each(principal_inertia), g: setting(gravity_vector), dt: setting(time_step), lin_damp: maybe(setting(ratio, 0.02, 0.3), 0.4), w_max: maybe(setting(angular_speed, 2.0, 4.0), 0.4), asleep: maybe(each(flag), 0.4)):
    names(rot="rot|r|att|q0", wb="wb|w_body|omega_b|wl", im="im|inertia_m|I_b|tensor", res="res|fn|residual_w|grad_w", jac="jac|dfdw|newton_m|lhs", v1="v1|v_new|vel_n|vn", w1="w1|w_new|omega_n|wn", dq="dq|spin_q|q_dot|rate_q", lw="lw|ang_mom|i_w|L_b", top="top|rate|mag|spin_len")
    i = wp.tid()
    if present(asleep):
        note("sleeping bodies stay where they are|nothing wakes it here")
        if asleep[i] == 1:
            return
    v1 = v[i] + (f[i] * inv_m[i] + g) * dt
    if present(lin_damp):
        v1 = v1 * (1.0 - lin_damp * dt)
    rot = wp.normalize(q[i])
    im = wp.diag(inertia[i])
    note("torque explicitly, in the frame of the body|external torque first")
    wb = wp.quat_rotate_inv(rot, w[i]) + wp.inverse(im) * wp.quat_rotate_inv(rot, tau[i]) * dt
    lw = im * wb
    note("one Newton step for I (w - w0) + dt w x I w = 0|implicit gyroscopic term")
    res = wp.cross(wb, lw) * dt
    jac = im + (wp.skew(wb) * im - wp.skew(lw)) * dt
    w1 = wp.quat_rotate(rot, wb - wp.inverse(jac) * res)
    if present(w_max):
        top = wp.length(w1)
        if top > w_max:
            note("no faster than the collision step can bear|clamp the spin")
            w1 = w1 * (w_max / top)
    match choose("rotate"):
        case 2:
            dq = wp.quat(w1[0], w1[1], w1[2], 0.0) * rot
            q[i] = wp.normalize(rot + dq * (0.5 * dt))
        case 1:
            top = wp.length(w1)
            if top * dt > 1.0e-6:
                q[i] = wp.normalize(wp.quat_from_axis_angle(w1 / top, top * dt) * rot)
    x[i] = x[i] + v1 * dt
    v[i] = v1
    w[i] = w1


@scene("physics", "atomic", "function", "combined", "quaternion", joint,
       says="pulls the two anchors of each ball joint together by moving and turning both bodies according to their masses, softened by a compliance",
       title="solve_ball_joints|xpbd_ball_joint|joint_position_solve|anchor_constraints", algorithm="XPBD positional joint between rigid bodies")
def ball_joint_solve(pair: index(body, 2), la: each(lever_arm, range=(-0.6, 0.6)), lb: each(lever_arm, range=(-0.6, 0.6)), x: each(position, body), q: each(rotation, body), w: each(inverse_mass, body), inv_i: each(inverse_inertia, body), alpha: setting(compliance), dt: setting(time_step), lam: maybe(inout(multiplier, range=(-0.01, 0.01)), 0.4), pinned: maybe(each(flag, body), 0.4), dx: add(displacement, body), dw: add(rotation_change, body), gap_out: maybe(out(distance), 0.5)):
    names(a="a|b0|parent|first", b="b|b1|child|second", ra="ra|arm_a|off_a|r0", rb="rb|arm_b|off_b|r1", d="d|miss|drift|sep", c="c|err|gap|dist", n="n|dir_n|pull|axis_n", wa="wa|w0|share_a|inv_a", wb="wb|w1|share_b|inv_b", soft="soft|tilde|a_dt|softened", dl="dl|d_lam|step_l|delta_lambda", p="p|impulse|push|jv", qa="qa|rot_a|q0|att_a", qb="qb|rot_b|q1|att_b")
    j = wp.tid()
    a = pair[j, 0]
    b = pair[j, 1]
    if a == b:
        return
    qa = q[a]
    qb = q[b]
    ra = wp.quat_rotate(qa, la[j])
    rb = wp.quat_rotate(qb, lb[j])
    d = (x[b] + rb) - (x[a] + ra)
    c = wp.length(d)
    if present(gap_out):
        gap_out[j] = c
    note("already together|nothing to correct")
    if c < constant("JOINT_EPS|MIN_GAP|ANCHOR_EPS", 1.0e-5):
        return
    n = d / c
    wa = point_inverse_mass(w[a], qa, inv_i[a], ra, n)
    wb = point_inverse_mass(w[b], qb, inv_i[b], rb, n)
    if present(pinned):
        note("pinned bodies neither move nor turn|infinite mass")
        if pinned[a] == 1:
            wa = 0.0
        if pinned[b] == 1:
            wb = 0.0
        if wa + wb == 0.0:
            return
    soft = alpha / (dt * dt)
    if present(lam):
        dl = (c - soft * lam[j]) / (wa + wb + soft)
        lam[j] = lam[j] + dl
    else:
        dl = c / (wa + wb + soft)
    p = n * dl
    if wa > 0.0:
        wp.atomic_add(dx, a, p * w[a])
        wp.atomic_add(dw, a, angular_response(qa, inv_i[a], wp.cross(ra, p)))
    if wb > 0.0:
        wp.atomic_sub(dx, b, p * w[b])
        wp.atomic_sub(dw, b, angular_response(qb, inv_i[b], wp.cross(rb, p)))


@scene("physics", "nested_loop", "multi_conditional", "quaternion", body,
       says="sums the penalty forces and torques on a box from those of its eight corners that are below the ground",
       title="box_ground_wrench|box_ground_contacts|eval_box_contacts|corner_contacts", algorithm="penalty contact of box corners with the ground")
def box_ground(pose_: each(pose), motion: each(twist), half: each(half_extents), ground: setting(plane_offset, -0.4, 0.4), ke: setting(stiffness), kd: setting(damping), mu: setting(friction), kf: maybe(setting(damping, 0.5, 2.0), 0.5), load: out(wrench), touching: maybe(out(count_value), 0.5), deepest: maybe(out(penetration), 0.4)):
    names(x="x|X|tf|frame", r="r|arm|lever|rel", p="p|corner_w|tip|point_w", depth="depth|pen|below|sunk", vp="vp|v_c|point_vel|slide_v", vt="vt|v_tan|slip_v|tangent_v", fn="fn|push|normal_f|up_force", ft="ft|grip|fric|tangent_f", force_sum="force_sum|f_tot|net_f|f_acc", torque_sum="torque_sum|t_tot|net_t|t_acc", n_hit="n_hit|hits|contacts_n|down", low="low|most|max_pen|worst", h="h|ext|half_i|size_b", s="s|slip|speed_t|drag_v", c="c|k|corner|v_id", motion="motion|body_qd|twists|body_vel", load="load|body_f|contact_wrench|wrench_out")
    i = wp.tid()
    x = pose_[i]
    h = half[i]
    force_sum = wp.vec3()
    torque_sum = wp.vec3()
    n_hit = int(0)
    low = float(0.0)
    for c in range(8):
        note("corners by the bits of their number|signs from bits")
        p = wp.transform_point(x, wp.vec3(h[0] * (2.0 * float(c & 1) - 1.0), h[1] * (2.0 * float((c >> 1) & 1) - 1.0), h[2] * (2.0 * float(c >> 2) - 1.0)))
        depth = ground - p[1]
        if depth <= 0.0:
            continue
        r = p - wp.transform_get_translation(x)
        vp = wp.spatial_bottom(motion[i]) + wp.cross(wp.spatial_top(motion[i]), r)
        fn = wp.max(ke * depth - kd * vp[1], 0.0)
        vt = wp.vec3(vp[0], 0.0, vp[2])
        s = wp.length(vt)
        ft = wp.vec3()
        if s > constant("SLIP_EPS|MIN_SLIP", 1.0e-4):
            if present(kf):
                note("viscous while slow, Coulomb when fast|regularized friction")
                ft = vt * (-wp.min(kf, mu * fn / s))
            else:
                ft = vt * (-mu * fn / s)
        ft = ft + wp.vec3(0.0, fn, 0.0)
        force_sum += ft
        torque_sum += wp.cross(r, ft)
        n_hit += 1
        low = wp.max(low, depth)
    load[i] = wp.spatial_vector(torque_sum, force_sum)
    if present(touching):
        touching[i] = n_hit
    if present(deepest):
        deepest[i] = low


@scene("physics", "atomic", "function", "multi_conditional", "vector", contact,
       says="finds the impulses of each contact between two bodies along its normal and two tangents, with clamped sums, and the changes of velocity they make",
       title="solve_contact_impulses|contact_velocity_solve|sequential_impulses|friction_impulses", algorithm="accumulated contact impulses with a friction box")
def contact_impulses_step(pair: index(body, 2), n: each(normal), ra: each(lever_arm, range=(-0.8, 0.8)), rb: each(lever_arm, range=(-0.8, 0.8)), depth: maybe(each(penetration), 0.6), q: each(rotation, body), v: each(velocity, body), w: each(angular_velocity, body), im: each(inverse_mass, body), inv_i: each(inverse_inertia, body), mu: setting(friction), beta: maybe(setting(ratio, 0.05, 0.3), 1.0), dt: maybe(setting(time_step, 0.01, 0.05), 1.0), e: maybe(setting(restitution), 0.4), acc: inout(contact_impulses), dv: add(velocity, body), dw: add(angular_velocity, body)):
    names(a="a|b0|first|body_a", b="b|b1|second|body_b", nn="nn|nrm|unit_n|n_hat", t1="t1|tan_u|u|s_dir", t2="t2|tan_v|bit|r_dir", qa="qa|rot_a|q0|att_a", qb="qb|rot_b|q1|att_b", vr="vr|rel_v|v_ab|closing_v", vn="vn|approach|sep_v|normal_v", k="k|inv_eff|kn|mass_n", target="target|want|bias_v|goal_v", old="old|before|prev_l|lam_old", new_n="new_n|lam_n|jn|total_n", new_1="new_1|lam_u|j1|total_u", new_2="new_2|lam_v|j2|total_v", limit="limit|cone|grip|mu_n", p="p|impulse|jv|push")
    c = wp.tid()
    a = pair[c, 0]
    b = pair[c, 1]
    if a == b or wp.length(n[c]) < 0.01:
        return
    nn = wp.normalize(n[c])
    t1, t2 = tangent_pair(nn)
    qa = q[a]
    qb = q[b]
    vr = (v[b] + wp.cross(w[b], rb[c])) - (v[a] + wp.cross(w[a], ra[c]))
    vn = wp.dot(vr, nn)
    target = float(0.0)
    if present(e):
        note("bounce only above a threshold, or resting contacts would never rest|restitution")
        if vn < -number(0.3, 1.0, "bounce"):
            target = -e * vn
    if present(depth) and present(beta) and present(dt):
        note("push out a part of the depth in each step, beyond a slop|Baumgarte stabilisation")
        target += beta / dt * wp.max(depth[c] - number(0.005, 0.02, "slop"), 0.0)
    old = acc[c]
    k = point_inverse_mass(im[a], qa, inv_i[a], ra[c], nn) + point_inverse_mass(im[b], qb, inv_i[b], rb[c], nn)
    new_n = wp.max(old[0] + (target - vn) / k, 0.0)
    limit = mu * new_n
    k = point_inverse_mass(im[a], qa, inv_i[a], ra[c], t1) + point_inverse_mass(im[b], qb, inv_i[b], rb[c], t1)
    new_1 = wp.clamp(old[1] - wp.dot(vr, t1) / k, -limit, limit)
    k = point_inverse_mass(im[a], qa, inv_i[a], ra[c], t2) + point_inverse_mass(im[b], qb, inv_i[b], rb[c], t2)
    new_2 = wp.clamp(old[2] - wp.dot(vr, t2) / k, -limit, limit)
    p = nn * (new_n - old[0]) + t1 * (new_1 - old[1]) + t2 * (new_2 - old[2])
    acc[c] = wp.vec3(new_n, new_1, new_2)
    wp.atomic_sub(dv, a, p * im[a])
    wp.atomic_sub(dw, a, angular_response(qa, inv_i[a], wp.cross(ra[c], p)))
    wp.atomic_add(dv, b, p * im[b])
    wp.atomic_add(dw, b, angular_response(qb, inv_i[b], wp.cross(rb[c], p)))


@scene("physics", "function", "control_flow", "arithmetic", wheel,
       says="computes the forces of a tyre along and across its plane from its slips by the magic formula, keeps them within an ellipse of grip and spins the wheel on",
       title="tyre_forces|pacejka_tires|wheel_dynamics|magic_formula_tyres", algorithm="Pacejka magic formula with a friction ellipse")
def tyre_model(vx: each(axial_velocity, range=(-2.0, 12.0)), vy: each(axial_velocity, range=(-2.0, 2.0)), omega: inout(wheel_speed, range=(0.0, 30.0)), load: each(normal_load), drive: each(joint_torque, range=(-5.0, 15.0)), brake: maybe(each(brake_torque), 0.5), mu: setting(friction, 0.6, 1.2), b: setting(tyre_stiffness), c: setting(tyre_shape), e: setting(tyre_curvature), r: setting(wheel_radius, 0.2, 0.4), inertia: setting(moment_of_inertia, 0.5, 2.0), dt: setting(time_step, 0.001, 0.01), f: out(tyre_force), slip_out: maybe(out(slip_ratio), 0.5), locked: maybe(out(flag), 0.5)):
    names(kappa="kappa|sx|long_slip|slip_x", alpha="alpha|sy|slip_angle|side_slip", fx="fx|f_long|traction|drive_f", fy="fy|f_lat|cornering|side_f", peak="peak|d_max|grip|mu_fz", use="use|ellipse|usage|total_f", base="base|v_ref|denom|roll_v", w1="w1|omega_n|spin|next_w", t_net="t_net|moment|net_torque|wheel_tau", hold="hold|stopped|is_locked|stuck", tb="tb|brake_t|brk|brake_now")
    w = wp.tid()
    note("below walking speed the slip is measured against a floor|no division by a standing car")
    base = wp.max(wp.abs(vx[w]), number(0.5, 1.5, "floor"))
    kappa = wp.clamp((omega[w] * r - vx[w]) / base, -1.0, 1.0)
    alpha = wp.atan2(vy[w], base)
    peak = mu * load[w]
    fx = magic_formula(kappa, b, c, peak, e)
    fy = -magic_formula(alpha, b, c, peak, e)
    use = wp.sqrt(fx * fx + fy * fy)
    note("both together cannot exceed the grip|friction ellipse")
    if use > peak:
        match choose("ellipse"):
            case 2:
                fact("a force beyond the grip is scaled back in its direction")
                fx = fx * (peak / use)
                fy = fy * (peak / use)
            case 1:
                fact("the force along the wheel has precedence over the one across it")
                fy = wp.sign(fy) * wp.sqrt(wp.max(peak * peak - fx * fx, 0.0))
    f[w] = wp.vec2(fx, fy)
    t_net = drive[w] - fx * r
    hold = int(0)
    if present(brake):
        tb = brake[w]
        note("a brake slows the wheel down, but never turns it back|brakes stop at zero")
        w1 = omega[w] + t_net * dt / inertia
        if wp.abs(w1) <= tb * dt / inertia:
            w1 = 0.0
            hold = int(1)
        elif w1 > 0.0:
            w1 = w1 - tb * dt / inertia
        else:
            w1 = w1 + tb * dt / inertia
    else:
        w1 = omega[w] + t_net * dt / inertia
        if wp.abs(w1) < number(0.05, 0.2, "still"):
            hold = int(1)
    omega[w] = w1
    if present(slip_out):
        slip_out[w] = kappa
    if present(locked):
        locked[w] = hold


@scene("physics", "control_flow", "function", "struct", muscle,
       says="advances the activation of each muscle towards its excitation and computes its pull from length, speed and pennation of its fibres, with a stiff tendon",
       title="muscle_forces|hill_muscle|muscle_dynamics|eval_muscles", algorithm="Hill-type muscle with a rigid tendon")
def hill_muscle(u: each(muscle_excitation), act: inout(muscle_activation), lmt: each(muscle_length), vmt: each(shortening_speed), f_max: setting(muscle_force, 400.0, 2500.0), l_opt: setting(muscle_length, 0.08, 0.14), slack: setting(muscle_length, 0.1, 0.18), penn: setting(small_angle, 0.05, 0.2), dt: setting(time_step, 0.001, 0.01), force_out: out(muscle_force), fibre_out: maybe(out(ratio), 0.5), short: maybe(out(flag), 0.4)):
    names(penn="pennation|penn_angle|pennation_angle|alpha_opt", slack="tendon_slack|slack_length|l_tendon|tendon_length", l_opt="l_opt|fiber_opt|optimal_length|l0_fiber", f_max="f_max|max_force|peak_force|f0_max", lmt="lmt|mtu_length|path_length|l_mt", u="u|excitation|command|neural_u", a="a|act_i|level|alpha", tau="tau|rise|time_c|rate_t", height_="height_|thick|h_f|width_f", along="along|proj|reach|l_proj", lf="lf|fiber|fib_len|l_ce", cosp="cosp|cos_a|pennate|c_pen", ln="ln|norm_l|l_norm|rel_len", vn="vn|norm_v|v_norm|rel_vel", active="active|f_act|contractile|f_ce", passive="passive|f_pas|elastic|f_pe", act="act|activation|act_state|muscle_act", vmt="vmt|path_speed|mtu_vel|muscle_vel")
    m = wp.tid()
    a = act[m]
    note("muscles switch on faster than off|activation and deactivation times")
    if u[m] > a:
        tau = number(0.01, 0.015, "on") * (0.5 + 1.5 * a)
    else:
        tau = number(0.04, 0.06, "off") / (0.5 + 1.5 * a)
    a = wp.clamp(a + (u[m] - a) * wp.min(dt / tau, 1.0), 0.01, 1.0)
    act[m] = a
    along = lmt[m] - slack
    note("shorter than its tendon: slack, no pull|buckled")
    if along < number(0.005, 0.02, "slack"):
        force_out[m] = 0.0
        if present(fibre_out):
            fibre_out[m] = 0.0
        if present(short):
            short[m] = 1
        return
    note("the fibres keep their height when the muscle shortens|constant thickness")
    height_ = l_opt * wp.sin(penn)
    lf = wp.sqrt(along * along + height_ * height_)
    cosp = along / lf
    ln = lf / l_opt
    vn = vmt[m] * cosp / (number(8.0, 12.0, "vmax") * l_opt)
    active = a * force_length_curve(ln, number(0.4, 0.6, "width")) * force_velocity_curve(vn)
    passive = float(0.0)
    if ln > 1.0:
        note("stretched beyond rest the tissue pulls back|passive curve")
        passive = (wp.exp(4.0 * (ln - 1.0) / 0.6) - 1.0) / (wp.exp(4.0) - 1.0)
    force_out[m] = f_max * (active + passive) * cosp
    if present(fibre_out):
        fibre_out[m] = ln
    if present(short):
        if ln < number(0.5, 0.8, "short"):
            short[m] = 1
        else:
            short[m] = 0


@scene("physics", "function", "nested_loop", "struct", wheel,
       says="drops a ray from each wheel mount onto a height field and computes the force of its spring and damper, with a bump stop at the end of the travel",
       title="suspension_forces|raycast_suspension|eval_suspension", algorithm="ray-cast suspension on a height field")
def suspension(mount: each(position, range=(-1.8, 1.8)), v: each(velocity), ground: each(ground_height, row, column), h: setting(cell_size, 0.1, 0.2), origin: setting(point2, -2.2, -1.8), rest: setting(rest_length, 0.3, 1.0), stroke: setting(spring_travel, 0.2, 0.4), ke: setting(stiffness), kd: setting(damping, 0.5, 4.0), bump: maybe(setting(stiffness, 200.0, 600.0), 0.6), force_out: out(force), travel_out: maybe(out(spring_travel), 0.6)):
    names(gx="gx|fx", gy="gy|fy", i0="i0|ix", j0="j0|iy", s="s|tx", t="t|ty", z="z|ground_z", slope_x="dzdx|slope_x", slope_y="dzdy|slope_y", nrm="n|normal", comp="compression|comp", rate="rate|comp_rate", push="f|force", a="z00|h00", b="z01|h01", c="z10|h10", d="z11|h11", ground="heights|terrain", h="cell_size|spacing", origin="terrain_origin|origin", mount="mount|wheel_mount", v="velocity|mount_vel", rest="rest_length|rest", stroke="stroke|max_travel", force_out="forces|wheel_forces", travel_out="travel|travel_out", bump="bump_stiffness|k_bump")
    k = wp.tid()
    gx = wp.clamp((mount[k][0] - origin[0]) / h, 0.0, float(count(row)) - 1.001)
    gy = wp.clamp((mount[k][1] - origin[1]) / h, 0.0, float(count(column)) - 1.001)
    i0 = int(wp.floor(gx))
    j0 = int(wp.floor(gy))
    s = gx - float(i0)
    t = gy - float(j0)
    a = ground[i0, j0]
    b = ground[i0, j0 + 1]
    c = ground[i0 + 1, j0]
    d = ground[i0 + 1, j0 + 1]
    z = bilinear_mix(a, b, c, d, s, t)
    comp = rest - (mount[k][2] - z)
    note("the wheel hangs in the air|no contact")
    if comp <= 0.0:
        force_out[k] = wp.vec3(0.0, 0.0, 0.0)
        if present(travel_out):
            travel_out[k] = 0.0
        return
    slope_x = wp.lerp(c - a, d - b, t) / h
    slope_y = wp.lerp(b - a, d - c, s) / h
    nrm = wp.normalize(wp.vec3(-slope_x, -slope_y, 1.0))
    rate = -wp.dot(v[k], nrm)
    push = ke * wp.min(comp, stroke) + kd * rate
    if present(bump):
        note("rubber stop at the end of the stroke|bump stop")
        if comp > stroke:
            push += bump * (comp - stroke)
    note("the ground only pushes|no tension")
    push = wp.max(push, 0.0)
    force_out[k] = nrm * push
    if present(travel_out):
        travel_out[k] = wp.min(comp, stroke)


@scene("physics", "geometry", "atomic", "vector", face,
       says="computes the lift and drag of the air on each triangle of a sail and shares them among its corners",
       title="aerodynamic_forces|sail_forces|wind_on_triangles|face_aerodynamics", algorithm="lift and drag of thin triangles")
def sail_forces(x: each(position, vertex), v: each(velocity, vertex), tri: index(vertex, 3), wind: setting(velocity), rho: setting(density, 0.8, 1.5), cd: setting(drag_coefficient), cl: setting(lift_coefficient, 0.2, 1.2), porous: maybe(setting(ratio, 0.1, 0.5), 0.3), gust: maybe(each(speed, range=(0.0, 2.0)), 0.4), f: add(force, vertex), power_out: maybe(out(power), 0.4)):
    names(a="a|i|va|n0", b="b|j|vb|n1", c="c|k|vc|n2", n="n|nrm|area_n|face_n", area_="area_|surf|sa|a_t", rel="rel|air_v|vr|apparent", spd="spd|v_mag|airspeed|s", flow="flow|dir_v|stream|vd", cos_flow="cos_flow|nd|along|side", attack="attack|cos_a|normal_part|facing", lift="lift|lift_dir|ld|up_dir", q="q|dyn_p|pressure_d|half_rho_v2", total="total|f_air|aero|f_sum", mean_v="mean_v|v_face|carry|vm")
    t = wp.tid()
    a = tri[t, 0]
    b = tri[t, 1]
    c = tri[t, 2]
    n = wp.cross(x[b] - x[a], x[c] - x[a])
    area_ = 0.5 * wp.length(n)
    note("a triangle without area catches no wind|degenerate")
    if area_ < constant("AREA_EPS|MIN_AREA", 1.0e-5):
        return
    n = wp.normalize(n)
    mean_v = (v[a] + v[b] + v[c]) / 3.0
    rel = wind - mean_v
    if present(gust):
        rel = rel + wp.normalize(wind) * gust[t]
    spd = wp.length(rel)
    if spd < constant("CALM|MIN_SPEED", 1.0e-4):
        return
    flow = rel / spd
    cos_flow = wp.dot(n, flow)
    note("both sides catch wind: let the normal look along it|flip towards the flow")
    attack = wp.abs(cos_flow)
    q = 0.5 * rho * spd * spd * area_
    if present(porous):
        note("a part of the air passes through the cloth")
        q = q * (1.0 - porous)
    note("lift is the part of the normal across the flow|perpendicular to the stream")
    lift = n * wp.sign(cos_flow) - flow * attack
    match choose("polar"):
        case 2:
            total = flow * (q * cd * attack) + lift * (q * cl * attack)
        case 1:
            fact("both grow with the square of the facing share")
            total = (flow * cd + lift * cl) * (q * attack * attack)
    wp.atomic_add(f, a, total / 3.0)
    wp.atomic_add(f, b, total / 3.0)
    wp.atomic_add(f, c, total / 3.0)
    if present(power_out):
        power_out[t] = wp.dot(total, mean_v)
