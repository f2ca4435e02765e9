"""Rotations at work: attitudes from directions, screws, arms, rolling balls, compasses, impulses, updates that stay orthogonal."""


@law("rotation", "the part of a turn, by the shorter way round", title="partial_turn|fraction_of_turn|scaled_rotation", private=True, function=True)
def partial_turn(d: rotation, f: ratio) -> rotation:
    names(r="r|turn|dq", axis="axis|n|direction", ang="ang|angle|theta")
    r = d
    if r[3] < 0.0:
        r = -r
    axis, ang = wp.quat_to_axis_angle(r)
    return wp.quat_from_axis_angle(axis, ang * f)


@law("rotation", "the rotation vector of a rotation, by the shorter way round", title="rotation_log|log_quat|quat_log", private=True, function=True)
def short_rotation_log(d: rotation) -> rotation_vector:
    names(r="r|q0|dq", axis="axis|n|u", ang="ang|angle|theta")
    r = d
    if r[3] < 0.0:
        r = -r
    axis, ang = wp.quat_to_axis_angle(r)
    return axis * ang


@law("rotation", "the inertia of a turned body against rotation, inverted, in world space", title="world_inverse_inertia|inv_inertia_world|rotate_inverse_inertia", private=True)
def turned_inverse_inertia(q: rotation, diag: inverse_inertia) -> matrix3:
    return wp.quat_to_matrix(q) * wp.diag(diag) * wp.transpose(wp.quat_to_matrix(q))


@scene("quaternion", "matrix", "vector", satellite,
       says="finds the attitude of each satellite from two directions that it has measured and that are known{to=0:, as the turn from the body to the outside}{to=1:, as the turn from the outside to the body}; the first direction is trusted{gain:, and the estimate follows by a part}",
       title="triad_attitude|attitude_from_directions|coarse_attitude|two_vector_attitude", algorithm="TRIAD attitude determination")
def triad_attitude(sun_b: each(direction), mag_b: each(direction), sun_i: each(direction), mag_i: each(direction), valid: maybe(each(flag), 0.4), gain: maybe(setting(ratio, 0.2, 0.8), 0.4), q: inout(rotation), dcm: maybe(out(matrix3), 0.4), miss: maybe(out(angle), 0.6), bad: maybe(add(count_value, 1), 0.4)):
    names(sun_b="sun_b|sun_body|sun_measured|v1_body", mag_b="mag_b|mag_body|mag_measured|v2_body", sun_i="sun_i|sun_inertial|sun_ref|v1_ref", mag_i="mag_i|mag_inertial|mag_ref|v2_ref", gain="gain|blend|follow|filter_gain", miss="miss|angle_error|residual_angle|mismatch", bad="bad|num_rejected|rejected|num_bad", dcm="dcm|rot_matrices|attitude_matrices|direction_cosines")
    names(b1="b1|s_b|u1|t1_b", m1="m1|m_b|mag_unit|w_b", r1="r1|s_r|v1|t1_r", m2="m2|m_r|ref_unit|w_r", b2="b2|n_b|u2|t2_b", r2="r2|n_r|v2|t2_r", a="a|rot|att|dcm_i", fb="fb|m_body|body_frame|triad_b", fr="fr|m_ref|ref_frame|triad_r", qn="qn|q_new|q_meas|q_triad", q0="q0|q_old|q_prev|q_est")
    i = wp.tid()
    if present(valid):
        note("no measurement, no update|keep the last attitude")
        if valid[i] == 0:
            return
    b1 = wp.normalize(sun_b[i])
    m1 = wp.normalize(mag_b[i])
    r1 = wp.normalize(sun_i[i])
    m2 = wp.normalize(mag_i[i])
    b2 = wp.cross(b1, m1)
    r2 = wp.cross(r1, m2)
    note("directions that are nearly parallel say nothing about the turn around them|nearly parallel")
    if wp.length(b2) < constant("MIN_SINE|PARALLEL|MIN_CROSS", 0.25) or wp.length(r2) < constant("MIN_SINE|PARALLEL|MIN_CROSS", 0.25):
        if present(bad):
            wp.atomic_add(bad, 0, 1)
        return
    b2 = wp.normalize(b2)
    r2 = wp.normalize(r2)
    note("a triad of unit vectors on each side")
    fb = wp.matrix_from_cols(b1, b2, wp.cross(b1, b2))
    fr = wp.matrix_from_cols(r1, r2, wp.cross(r1, r2))
    match choose("to"):
        case 2:
            a = fr * wp.transpose(fb)
            if present(miss):
                miss[i] = wp.acos(wp.clamp(wp.dot(a * m1, m2), -1.0, 1.0))
        case 1:
            a = fb * wp.transpose(fr)
            if present(miss):
                miss[i] = wp.acos(wp.clamp(wp.dot(a * m2, m1), -1.0, 1.0))
    qn = wp.quat_from_matrix(a)
    if present(gain):
        q0 = wp.normalize(q[i])
        qn = partial_turn(qn * wp.quat_inverse(q0), gain) * q0
    q[i] = qn
    if present(dcm):
        dcm[i] = a


@scene("quaternion", "matrix", "math", satellite,
       says="advances attitudes given as modified Rodrigues parameters by one {midpoint:midpoint }step, and goes over to the shadow set where they leave the unit sphere",
       title="mrp_kinematics|propagate_mrp|integrate_rodrigues|step_attitude_mrp", algorithm="kinematics of modified Rodrigues parameters")
def mrp_kinematics(sigma: inout(rodrigues_parameters), omega: each(angular_velocity), dt: setting(time_step, 0.05, 0.2), bias: maybe(each(angular_velocity, range=(-0.3, 0.3)), 0.4), active: maybe(each(flag), 0.3), q_out: maybe(out(rotation), 0.5), angle_out: maybe(out(angle), 0.4), switched: maybe(add(count_value, 1), 0.5)):
    names(sigma="sigma|mrp|sigmas|att_mrp", bias="bias|gyro_bias|w_bias|drift", s="s|sig|p|mrp_i", w="w|omega_i|rate|gyro", s2="s2|ss|norm_sq|sq", ds="ds|dsigma|s_dot|rate_s", half="half|mid|s_mid|sig_half", switched="switched|num_switched|shadow_count|flips")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    s = sigma[i]
    w = omega[i]
    if present(bias):
        w = w - bias[i]
    if maybe(0.4, "midpoint"):
        note("rate at the start, then at the middle|half a step first")
        half = s + mrp_rate(s, w) * (0.5 * dt)
        ds = mrp_rate(half, w)
    else:
        ds = mrp_rate(s, w)
    s = s + ds * dt
    s2 = wp.dot(s, s)
    note("the shadow set describes the same attitude and stays small|switch to the shadow set")
    if s2 > 1.0:
        s = -s / s2
        s2 = 1.0 / s2
        if present(switched):
            wp.atomic_add(switched, 0, 1)
    sigma[i] = s
    if present(q_out):
        q_out[i] = wp.quat(2.0 * s[0] / (1.0 + s2), 2.0 * s[1] / (1.0 + s2), 2.0 * s[2] / (1.0 + s2), (1.0 - s2) / (1.0 + s2))
    if present(angle_out):
        angle_out[i] = 4.0 * wp.atan(wp.sqrt(s2))


@law("rotation", "the rate of modified Rodrigues parameters of a turning body", title="mrp_rate|rodrigues_rate|sigma_dot", private=True)
def mrp_rate(s: rodrigues_parameters, w: angular_velocity) -> rodrigues_parameters:
    return 0.25 * ((1.0 - wp.dot(s, s)) * w + 2.0 * wp.cross(s, w) + 2.0 * wp.dot(s, w) * s)


@scene("quaternion", "geometry", "function", keyframe,
       says="moves from one pose to another along the screw motion that joins them{pitch:, with the pitch of the screw}",
       title="screw_interpolation|sclerp_poses|screw_paths|blend_rigid_motions", algorithm="screw linear interpolation", rare=True)
def screw_paths(a: each(pose), b: each(pose), t: each(ratio), ease: maybe(setting(ratio, 0.3, 0.9), 0.4), x: out(pose), pitch: maybe(out(distance), 0.4), centre: maybe(out(position), 0.4), turn_out: maybe(out(angle), 0.4)):
    names(a="a|start|pose_a|from_pose", b="b|end|pose_b|to_pose", t="t|fraction|alpha|u", ease="ease|ease_amount|smoothing|soft", x="x|blended|pose_out|poses", centre="centre|axis_point|pivot|pole", pitch="pitch|slide|advance|screw_pitch", turn_out="turn_out|angles|total_turn|turn_angles")
    names(rel="rel|delta|move|diff", r="r|q|dq|turn", p="p|shift|trans|dp", axis="axis|n|screw_axis|u_axis", ang="ang|theta|angle|phi", d="d|along|slip|h", c="c|foot|on_axis|q_axis", f="f|frac|s|w", rt="rt|part_q|q_part|turned", pt="pt|part_p|p_part|moved")
    k = wp.tid()
    rel = wp.transform_multiply(wp.transform_inverse(a[k]), b[k])
    r = wp.transform_get_rotation(rel)
    if r[3] < 0.0:
        r = -r
    p = wp.transform_get_translation(rel)
    axis, ang = wp.quat_to_axis_angle(r)
    note("how far it goes along the axis, and where the axis is|slide and foot of the screw axis")
    d = wp.dot(p, axis)
    c = 0.5 * (p - axis * d + wp.cross(axis, p) / wp.tan(0.5 * wp.max(ang, constant("MIN_ANGLE|SMALL_ANGLE|ANGLE_EPS", 1.0e-4))))
    f = t[k]
    if present(ease):
        note("slow at both ends|ease in and out")
        f = (1.0 - ease) * f + ease * f * f * (3.0 - 2.0 * f)
    rt = wp.quat_from_axis_angle(axis, ang * f)
    pt = c - wp.quat_rotate(rt, c) + axis * (d * f)
    x[k] = wp.transform_multiply(a[k], wp.transform(pt, rt))
    if present(pitch):
        pitch[k] = d
    if present(centre):
        centre[k] = wp.transform_point(a[k], c)
    if present(turn_out):
        turn_out[k] = ang


@scene("matrix", "quaternion", "nested_loop", robot,
       says="computes where the tool of each arm is from its Denavit-Hartenberg parameters{craig=1: in Craig's form}{low:, and the lowest point of its joints}",
       title="dh_forward_kinematics|arm_tool_pose|forward_kinematics_dh|tool_positions", algorithm="forward kinematics with Denavit-Hartenberg parameters")
def dh_chain(theta: each(joint_angle, robot, joint), a: each(length, joint, range=(0.1, 0.8)), alpha: each(angle, joint, range=(-1.6, 1.6)), d: each(length, joint, range=(0.0, 0.5)), zero: maybe(each(joint_angle, joint), 0.4), tool: maybe(setting(local_position, -0.3, 0.3), 0.5), tip: out(position), q_out: maybe(out(rotation), 0.5), low: maybe(out(height), 0.4), reach: maybe(setting(distance, 1.0, 2.0), 0.4), ok: maybe(out(flag), 0.9)):
    names(theta="theta|joint_q|joint_angles|q_arm", a="a|link_length|dh_a|link_a", alpha="alpha|link_twist|dh_alpha|twists", d="d|link_offset|dh_d|offset_d", zero="zero|q_zero|home|theta_offset", tip="tip|tool_pos|ee_pos|hand_pos", tool="tool|tool_offset|grip|flange_to_tool", low="low|lowest|min_height|clearance", reach="reach|max_reach|radius_limit|workspace", ok="ok|reachable|inside|in_reach")
    names(m="m|T|frame|tf", c="c|ct|cq|cos_q", s="s|st|sq|sin_q", ca="ca|c_al|ctw|cos_al", sa="sa|s_al|stw|sin_al", step="step|A|link_tf|T_j", p="p|end|pos|x_tip", ang="ang|q_j|th|angle_j", lowest="lowest|z_min|bottom|min_z")
    r = wp.tid()
    m = wp.identity(n=4, dtype=float)
    lowest = float(1000.0)
    for j in range(count(joint)):
        ang = theta[r, j]
        if present(zero):
            ang = ang + zero[j]
        c = wp.cos(ang)
        s = wp.sin(ang)
        ca = wp.cos(alpha[j])
        sa = wp.sin(alpha[j])
        match choose("craig"):
            case 2:
                note("turn about z, lift, then go along x and twist|standard convention")
                step = wp.mat44(c, -s * ca, s * sa, a[j] * c, s, c * ca, -c * sa, a[j] * s, 0.0, sa, ca, d[j], 0.0, 0.0, 0.0, 1.0)
            case 1:
                note("along x and twist first, then turn about z and lift|modified convention")
                step = wp.mat44(c, -s, 0.0, a[j], s * ca, c * ca, -sa, -d[j] * sa, s * sa, c * sa, ca, d[j] * ca, 0.0, 0.0, 0.0, 1.0)
        m = m * step
        if present(low):
            lowest = wp.min(lowest, m[2, 3])
    p = wp.vec3(m[0, 3], m[1, 3], m[2, 3])
    if present(tool):
        note("from the flange to the tip of the tool|tool centre point")
        p = wp.transform_point(m, tool)
    tip[r] = p
    if present(q_out):
        q_out[r] = wp.quat_from_matrix(wp.mat33(m[0, 0], m[0, 1], m[0, 2], m[1, 0], m[1, 1], m[1, 2], m[2, 0], m[2, 1], m[2, 2]))
    if present(low):
        low[r] = lowest
    if present(reach) and present(ok):
        if wp.length(p) > reach:
            ok[r] = 0
        else:
            ok[r] = 1


@scene("quaternion", "vector", "physics", sphere,
       says="rolls balls over a table without slipping, {mu:slows them by rolling resistance, }and reflects them at the cushions",
       title="roll_balls|billiard_step|rolling_spheres|advance_rolling_balls", algorithm="rolling without slipping", lossy=True)
def rolling_balls(x: inout(point2), v: inout(velocity2), q: inout(rotation), r: each(radius, range=(0.1, 0.4)), mu: maybe(setting(friction, 0.1, 0.4), 0.6), bounce: setting(restitution), half: setting(length, 1.2, 1.8), dt: setting(time_step, 0.02, 0.1), w_out: maybe(out(angular_velocity), 0.5), hits: maybe(add(count_value, 1), 0.4), e_out: maybe(out(energy), 0.4), m: maybe(setting(mass), 0.9)):
    names(x="x|pos|ball_pos|centers", v="v|vel|ball_vel|velocities", q="q|rot|ball_q|orientations", mu="mu|rolling_mu|roll_friction|c_rr", bounce="bounce|cushion_e|restitution|e_wall", half="half|half_width|table_half|extent", w_out="w_out|spins|omega|ang_vel", hits="hits|num_hits|cushion_hits|bounces", p="p|xi|pos_i|here", u="u|vi|vel_i|motion", sp="sp|speed|vel_len|rate", loss="loss|dv|brake|slow", lim="lim|room|inner|wall", w="w|spin|omega_i|turn_rate", rate="rate|w_len|turn|spin_rate")
    i = wp.tid()
    p = x[i]
    u = v[i]
    if present(mu):
        sp = wp.length(u)
        loss = mu * constant("GRAVITY|G", 9.81) * dt
        note("it stops rather than rolls back|resistance only brakes")
        if sp <= loss:
            u = wp.vec2(0.0, 0.0)
        else:
            u = u * (1.0 - loss / sp)
    p = p + u * dt
    lim = half - r[i]
    for k in range(2):
        note("back from the cushion|at the cushion")
        if wp.abs(p[k]) > lim and p[k] * u[k] > 0.0:
            p[k] = wp.sign(p[k]) * lim
            u[k] = -bounce * u[k]
            if present(hits):
                wp.atomic_add(hits, 0, 1)
    note("the point that touches the table is at rest: w = n x v / r|rolling condition")
    w = wp.vec3(-u[1], u[0], 0.0) / r[i]
    rate = wp.length(w)
    if rate > constant("STILL|MIN_SPIN|REST", 1.0e-4):
        q[i] = wp.quat_from_axis_angle(w / rate, rate * dt) * q[i]
    x[i] = p
    v[i] = u
    if present(w_out):
        w_out[i] = w
    if present(e_out) and present(m):
        note("a rolling ball has two fifths more|with the energy of the spin")
        e_out[i] = 0.7 * m * wp.dot(u, u)


@scene("quaternion", "vector", "matrix", "math", sensor,
       says="finds the orientation{head: and the heading} at rest from an accelerometer and a magnetometer{decl:, corrected by the declination}",
       title="tilt_compass|tilt_compensated_heading|ecompass|level_and_heading", algorithm="tilt-compensated compass")
def tilt_compass(f: each(acceleration), b: each(magnetic_field), decl: maybe(setting(angle, -0.3, 0.3), 0.5), gate: maybe(setting(positive_value, 3.0, 6.0), 0.5), q: inout(rotation), head: maybe(out(heading), 0.7), pitch: maybe(out(angle), 0.4), used: maybe(out(flag), 0.4)):
    names(f="f|accel|acc|specific_force", b="b|mag|magnetometer|field", decl="decl|declination|variation|mag_decl", gate="gate|max_dev|g_window|still_tol", head="head|heading_out|yaw|headings", pitch="pitch|pitch_out|nose_up|elevations", used="used|valid_out|updated|ok")
    names(up="up|vert|zenith|u_b", east="east|e_b|e_axis|to_east", north="north|n_b|n_axis|to_north", g="g|g_len|f_len|load", m="m|rot|R_wb|dcm", side="side|level|b_flat|b_cross")
    i = wp.tid()
    if present(used):
        used[i] = 0
    if present(gate):
        note("it is being accelerated: what it feels is not gravity alone|not at rest")
        g = wp.length(f[i])
        if wp.abs(g - constant("GRAVITY|G0|STANDARD_G", 9.81)) > gate:
            return
    up = wp.normalize(f[i])
    east = wp.cross(b[i], up)
    note("a vertical field shows no direction|field too steep")
    if wp.length(east) < constant("MIN_LEVEL|MIN_FIELD|LEVEL_EPS", 0.4):
        return
    east = wp.normalize(east)
    north = wp.cross(up, east)
    if present(decl):
        note("from magnetic to true north|apply the declination")
        side = north * wp.cos(decl) - east * wp.sin(decl)
        east = east * wp.cos(decl) + north * wp.sin(decl)
        north = side
    m = wp.matrix_from_rows(east, north, up)
    q[i] = wp.quat_from_matrix(m)
    if present(head):
        note("of the forward axis, clockwise from north")
        head[i] = wp.atan2(m[0, 0], m[1, 0])
    if present(pitch):
        pitch[i] = wp.asin(wp.clamp(m[2, 0], -1.0, 1.0))
    if present(used):
        used[i] = 1


@scene("quaternion", "matrix", "atomic", "function", sample,
       says="measures how far pairs of motions of a hand and of a camera are from fitting one mounting of the camera, in rotation and in translation{gate:, and leaves out those that fit badly}",
       title="hand_eye_residuals|calibration_residuals|mount_residuals|ax_xb_error", algorithm="residual of the hand-eye equation AX = XB", rare=True)
def hand_eye(a: each(pose), b: each(pose), mount: each(pose, camera), which: index(camera), w: maybe(each(weight, range=(0.2, 1.0)), 0.4), gate: maybe(setting(angle, 1.5, 2.5), 0.4), scale: setting(positive_value, 0.5, 2.0), rot_err: out(rotation_vector), pos_err: out(displacement), cost: maybe(add(loss, camera), 0.7), kept: maybe(add(count_value, camera), 0.5)):
    names(a="a|hand_motion|motion_a|gripper_moves", b="b|camera_motion|motion_b|target_moves", mount="mount|X_hc|hand_eye_tf|extrinsics", which="which|cam_id|rig|setup", scale="scale|length_scale|pos_weight|trans_scale", rot_err="rot_err|r_rot|rotation_residual|res_rot", pos_err="pos_err|r_pos|translation_residual|res_pos", gate="gate|max_angle|reject_angle|outlier_angle", kept="kept|num_kept|used_pairs|inliers")
    names(k="k|c|m|j", x="x|X|tf|xm", ax="ax|left|by_hand|lhs", xb="xb|right|by_camera|rhs_tf", e="e|log_r|dr|phi", t="t|dt_v|gap|dp", v="v|cost_i|term|err2")
    i = wp.tid()
    k = which[i]
    x = mount[k]
    ax = wp.transform_multiply(a[i], x)
    xb = wp.transform_multiply(x, b[i])
    e = short_rotation_log(wp.transform_get_rotation(ax) * wp.quat_inverse(wp.transform_get_rotation(xb)))
    t = wp.transform_get_translation(ax) - wp.transform_get_translation(xb)
    rot_err[i] = e
    pos_err[i] = t
    if present(gate):
        note("such a pair was matched wrongly|outlier")
        if wp.length(e) > gate:
            return
    if present(cost):
        v = wp.dot(e, e) + wp.dot(t, t) / (scale * scale)
        if present(w):
            v = v * w[i]
        wp.atomic_add(cost, k, v)
    if present(kept):
        wp.atomic_add(kept, k, 1)


@scene("matrix", "quaternion", "physics", "vector", contact,
       says="computes the impulse that stops the sliding at each contact of a body{e:, with a bounce,} and cuts it to the friction cone",
       title="contact_impulse_matrix|sticking_impulses|solve_contact_blocks|point_impulses", algorithm="contact impulse by the effective mass matrix")
def sticking_impulses(body_id: index(body), at: each(position, range=(-1.0, 1.0)), n_in: each(normal), x: each(position, body, range=(-0.5, 0.5)), q: each(rotation, body), v: each(velocity, body), w: each(angular_velocity, body), inv_m: each(inverse_mass, body), inv_i: each(inverse_inertia, body), e: maybe(setting(restitution, 0.1, 0.6), 0.5), mu: setting(friction), p_out: out(point_impulse), dv: maybe(out(velocity), 0.4), slid: maybe(add(count_value, 1), 0.4)):
    names(body_id="body_id|owner|bodies|which_body", at="at|contact_pos|points|contact_points", n_in="n_in|contact_normal|normals|normals_in", inv_m="inv_m|inv_mass|body_inv_mass|w_body", inv_i="inv_i|inv_inertia|body_inv_inertia|i_inv", p_out="p_out|impulses|contact_impulse|imp", dv="dv|delta_v|velocity_change|lin_change", slid="slid|num_sliding|sliding|slip_count")
    names(k="k|b|j|bd", n="n|nrm|normal_c|dir", r="r|arm|lever|rc", j="jw|i_w|inv_iw|world_inv_i", m="m|kmat|eff|k_inv", u="u|vc|rel_v|v_point", un="un|vn|approach|closing", p="p|imp_c|push|jp", pn="pn|jn|normal_part|along", pt="pt|jt|tangent_part|side", size="size|pt_len|jt_len|slide")
    c = wp.tid()
    k = body_id[c]
    n = wp.normalize(n_in[c])
    r = at[c] - x[k]
    u = v[k] + wp.cross(w[k], r)
    un = wp.dot(u, n)
    note("already moving apart|separating")
    if un >= 0.0:
        return
    note("how the velocity at the contact answers to an impulse there|effective mass")
    j = turned_inverse_inertia(wp.normalize(q[k]), inv_i[k])
    m = wp.diag(wp.vec3(inv_m[k], inv_m[k], inv_m[k])) - wp.skew(r) * j * wp.skew(r)
    if present(e):
        p = wp.inverse(m) * (-u - n * (e * un))
    else:
        p = wp.inverse(m) * (-u)
    pn = wp.dot(p, n)
    if pn <= 0.0:
        return
    pt = p - n * pn
    size = wp.length(pt)
    if size > mu * pn:
        note("friction is not enough to hold it|cut to the cone")
        pt = pt * (mu * pn / size)
        if present(slid):
            wp.atomic_add(slid, 0, 1)
    p = n * pn + pt
    p_out[c] = p
    if present(dv):
        dv[c] = p * inv_m[k]


@scene("matrix", "quaternion", "physics", body,
       says="turns frames by one step with the Cayley transform of their angular velocity{side=0:, given in world space}{side=1:, given in the frame itself}, which keeps angles and lengths",
       title="cayley_step|cayley_rotation|update_frames_cayley|turn_frames", algorithm="Cayley transform")
def cayley_step(r: inout(matrix3), w: inout(angular_velocity), tau: maybe(each(torque, range=(-1.0, 1.0)), 0.5), inertia: setting(moment_of_inertia, 0.5, 2.0), drag: maybe(setting(damping, 0.1, 0.8), 0.4), dt: setting(time_step, 0.02, 0.1), cap: maybe(setting(angular_speed, 2.0, 5.0), 0.4), turn: maybe(out(angle), 0.4), asleep: maybe(each(flag), 0.3)):
    names(r="r|frames|rot|R", w="w|omega|ang_vel|spin", cap="cap|max_spin|w_max|spin_limit", turn="turn|step_angle|turned|angle_out", drag="drag|ang_damping|kd|spin_drag", asleep="asleep|sleeping|frozen|resting")
    names(u="u|wi|rate|spin_i", s="s|half|hat|k", e="e|eye|ident|one", t="t|cay|dr|step_m", speed="speed|w_len|u_len|rate_len")
    i = wp.tid()
    if present(asleep):
        if asleep[i] != 0:
            return
    u = w[i]
    if present(tau):
        u = u + tau[i] * (dt / inertia)
    if present(drag):
        u = u * (1.0 - drag * dt)
    if present(cap):
        note("faster than the step can follow|limit the spin")
        speed = wp.length(u)
        if speed > cap:
            u = u * (cap / speed)
    e = wp.identity(n=3, dtype=float)
    s = wp.skew(u) * (0.5 * dt)
    note("(1 - S)^-1 (1 + S) is a rotation for every skew S|always orthogonal")
    t = wp.inverse(e - s) * (e + s)
    match choose("side"):
        case 2:
            r[i] = t * r[i]
        case 1:
            r[i] = r[i] * t
    w[i] = u
    if present(turn):
        turn[i] = 2.0 * wp.atan(0.5 * dt * wp.length(u))
