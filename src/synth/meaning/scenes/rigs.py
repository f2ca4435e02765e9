"""Rigs: joints held by springs, distances of triangles, drones and cars."""


@law("rigs", "what drives a joint to its target and back within its limits", title="joint_drive|drive_and_limit|eval_joint_force", private=True, function=True)
def joint_drive(q: joint_angle, qd: joint_speed, goal: joint_angle, low: lower_limit, high: upper_limit, ke: joint_stiffness, kd: joint_damping) -> joint_torque:
    names(t="t|out_t|drive_t", stop="stop|lim_ke|hard")
    t = ke * (goal - q) - kd * qd
    stop = constant("LIMIT_STIFFNESS|STOP_KE|LIMIT_KE", 80.0)
    if q < low:
        t += stop * (low - q)
    elif q > high:
        t -= stop * (q - high)
    return t


@law("rigs", "the points of two segments that lie nearest to each other", title="segment_pair|closest_on_segments|nearest_between_edges", private=True, function=True)
def nearest_on_edges(p: position, q: position, r: position, s: position) -> (position, position):
    names(u="u|d1|ea", v="v|d2|eb", w="w|off|rw", a="a|uu|sq1", e="e|vv|sq2", b="b|uv|mixd", c="c|uw|pr1", f="f|vw|pr2", m="m|den|gram", t="t|sa|ta", k="k|sb|tb")
    u = q - p
    v = s - r
    w = p - r
    a = wp.max(wp.dot(u, u), 1.0e-6)
    e = wp.max(wp.dot(v, v), 1.0e-6)
    b = wp.dot(u, v)
    c = wp.dot(u, w)
    f = wp.dot(v, w)
    m = a * e - b * b
    t = wp.clamp(-c / a, 0.0, 1.0)
    if m > 1.0e-5:
        t = wp.clamp((b * f - c * e) / m, 0.0, 1.0)
    k = (b * t + f) / e
    if k < 0.0:
        k = 0.0
        t = wp.clamp(-c / a, 0.0, 1.0)
    elif k > 1.0:
        k = 1.0
        t = wp.clamp((b - c) / a, 0.0, 1.0)
    return p + u * t, r + v * k


@law("rigs", "the foot of a point on the plane of a triangle and whether it lies inside", title="foot_on_face|project_on_face|face_projection", private=True, function=True)
def foot_on_face(p: position, a: position, b: position, c: position) -> (position, flag):
    names(n="n|nrm|fn", sq="sq|nn|area_sq", foot="foot|proj|base_p", ins="ins|inside|within")
    n = wp.cross(b - a, c - a)
    sq = wp.dot(n, n)
    if sq < 1.0e-6:
        return a, 0
    foot = p - n * (wp.dot(p - a, n) / sq)
    ins = int(1)
    if wp.dot(wp.cross(b - a, foot - a), n) < 0.0 or wp.dot(wp.cross(c - b, foot - b), n) < 0.0 or wp.dot(wp.cross(a - c, foot - c), n) < 0.0:
        ins = int(0)
    return foot, ins


@scene("physics", "multi_conditional", "quaternion", "atomic", "combined", joint,
       says="holds the two bodies of each joint together with springs and dampers, fixed, on a hinge, on a slider or on a ball, with drives and limits along the free axis",
       title="eval_joint_forces|joint_penalty_forces|apply_joint_springs|body_joint_wrenches", algorithm="penalty forces of hinges, sliders, balls and fixed joints")
def joint_forces(pair: index(body, 2), frame_p: each(pose, joint, range=(-0.5, 0.5)), frame_c: each(pose, joint, range=(-0.5, 0.5)), axis: each(direction), type_of: kind(FIXED, HINGE, SLIDER, BALL), x: each(pose, body), v: each(twist, body), ke: setting(stiffness, 20.0, 100.0), kd: setting(damping), ka: setting(angular_stiffness), ca: setting(angular_damping), goal: maybe(each(joint_angle, range=(-0.5, 0.5)), 0.5), low: setting(lower_limit, -1.0, -0.3), high: setting(upper_limit, 0.3, 1.0), drive_ke: setting(joint_stiffness), drive_kd: setting(joint_damping), load: add(joint_wrench, body), q_out: maybe(out(joint_angle), 0.5)):
    names(a="a|parent|id_p|base_b", b="b|child|id_c|link_b", xa="xa|X_wp|tf_p|body_p", xb="xb|X_wc|tf_c|body_c", ja="ja|X_pj|anchor_p|frame_a", jb="jb|X_cj|anchor_c|frame_b", ra="ra|arm_p|r_p|lever_a", rb="rb|arm_c|r_c|lever_b", qa="qa|rot_p|q_p|att_a", qb="qb|rot_c|q_c|att_b", err="err|x_err|gap|offset_j", verr="verr|v_err|gap_v|rel_v", rel="rel|r_err|q_rel|turned", werr="werr|w_err|spin_rel|rel_w", rot="rot|ang_err|lean|twist_v", n="n|axis_w|ax|free_axis", pos="pos|q|coord|joint_q", vel="vel|qd|coord_v|joint_qd", f="f|pull|lin_f|force_j", t="t|moment|ang_f|torque_j", want="want|target_q|aim|set_q", swing="swing|tilt_err|off_axis|lean_err")
    j = wp.tid()
    a = pair[j, 0]
    b = pair[j, 1]
    note("a body is not jointed to itself|same body twice")
    if a == b:
        return
    xa = x[a]
    xb = x[b]
    ja = wp.transform_multiply(xa, frame_p[j])
    jb = wp.transform_multiply(xb, frame_c[j])
    ra = wp.transform_get_translation(ja) - wp.transform_get_translation(xa)
    rb = wp.transform_get_translation(jb) - wp.transform_get_translation(xb)
    err = wp.transform_get_translation(jb) - wp.transform_get_translation(ja)
    verr = wp.spatial_bottom(v[b]) + wp.cross(wp.spatial_top(v[b]), rb) - wp.spatial_bottom(v[a]) - wp.cross(wp.spatial_top(v[a]), ra)
    werr = wp.spatial_top(v[b]) - wp.spatial_top(v[a])
    qa = wp.transform_get_rotation(ja)
    qb = wp.transform_get_rotation(jb)
    rel = wp.quat_inverse(qa) * qb
    note("the shorter of two ways to turn back|one sign of the quaternion")
    if rel[3] < 0.0:
        rel = -rel
    rot = wp.quat_rotate(qa, wp.vec3(rel[0], rel[1], rel[2])) * 2.0
    n = wp.quat_rotate(qa, axis[j] / wp.max(wp.length(axis[j]), 0.01))
    if present(goal):
        want = goal[j]
    else:
        want = float(0.0)
    pos = float(0.0)
    f = err * ke + verr * kd
    t = wp.vec3()
    if type_of[j] == FIXED:
        t = rot * ka + werr * ca
    elif type_of[j] == SLIDER:
        note("springs across the axis only; along it the drive|free to slide")
        pos = wp.dot(err, n)
        vel = wp.dot(verr, n)
        f = (err - n * pos) * ke + (verr - n * vel) * kd - n * joint_drive(pos, vel, want, low, high, drive_ke, drive_kd)
        t = rot * ka + werr * ca
    elif type_of[j] == HINGE:
        pos = 2.0 * wp.atan2(0.5 * wp.dot(rot, n), rel[3])
        vel = wp.dot(werr, n)
        note("both axes must point the same way|keep the axes aligned")
        swing = wp.cross(n, wp.quat_rotate(qb, axis[j] / wp.max(wp.length(axis[j]), 0.01)))
        t = swing * ka + (werr - n * vel) * ca - n * joint_drive(pos, vel, want, low, high, drive_ke, drive_kd)
    else:
        note("balls resist only fast turning|friction of the socket")
        t = werr * (number(0.05, 0.3, "socket") * ca)
    if present(q_out):
        q_out[j] = pos
    wp.atomic_add(load, a, wp.spatial_vector(t + wp.cross(ra, f), f))
    wp.atomic_sub(load, b, wp.spatial_vector(t + wp.cross(rb, f), f))


@scene("geometry", "nested_loop", "function", "control_flow", contact,
       says="finds the distance of two triangles from all pairs of their edges and from the feet of corners on the other face",
       title="triangle_distance|face_face_distance|triangle_gap|closest_faces", algorithm="distance of two triangles that do not cross", rare=True)
def triangle_distance(pair: index(face, 2), tri: index(vertex, 3, over=face), x: each(position, vertex), thick: maybe(setting(distance, 0.1, 0.4), 0.5), d_out: out(distance), pa_out: maybe(out(position), 0.6), pb_out: maybe(out(position), 0.6), feature: maybe(out(label), 0.5), close: maybe(add(count_value, 1), 0.5)):
    names(f="f|fa|first_t|t0", g="g|fb|second_t|t1", best="best|d_min|gap|nearest", pa="pa|wa|on_a|foot_a", pb="pb|wb|on_b|foot_b", i="i|ea|side_a|u", k="k|eb|side_b|w", ca="ca|near_a|ca_p|cand_a", cb="cb|near_b|cb_p|cand_b", d="d|cand|dist_c|len_c", kind_="kind_|feat|which_f|tag", ok="ok|inside_f|hit_f|within_f", v0="v0|i0|n0|c0", v1="v1|i1|n1|c1", v2="v2|i2|n2|c2", a0="a0|j0|m0|e0", a1="a1|j1|m1|e1")
    c = wp.tid()
    f = pair[c, 0]
    g = pair[c, 1]
    best = float(1.0e6)
    pa = wp.vec3()
    pb = wp.vec3()
    kind_ = int(0)
    note("nine pairs of edges|edge against edge")
    for i in range(3):
        for k in range(3):
            a0 = tri[f, i]
            a1 = tri[f, (i + 1) % 3]
            v0 = tri[g, k]
            v1 = tri[g, (k + 1) % 3]
            ca, cb = nearest_on_edges(x[a0], x[a1], x[v0], x[v1])
            d = wp.length(ca - cb)
            if d < best:
                best = d
                pa = ca
                pb = cb
    note("six corners against the other face|corner against face")
    v0 = tri[g, 0]
    v1 = tri[g, 1]
    v2 = tri[g, 2]
    for i in range(3):
        a0 = tri[f, i]
        ca, ok = foot_on_face(x[a0], x[v0], x[v1], x[v2])
        d = wp.length(x[a0] - ca)
        if ok == 1 and d < best:
            best = d
            pa = x[a0]
            pb = ca
            kind_ = int(1)
    v0 = tri[f, 0]
    v1 = tri[f, 1]
    v2 = tri[f, 2]
    for k in range(3):
        a0 = tri[g, k]
        cb, ok = foot_on_face(x[a0], x[v0], x[v1], x[v2])
        d = wp.length(x[a0] - cb)
        if ok == 1 and d < best:
            best = d
            pa = cb
            pb = x[a0]
            kind_ = int(2)
    d_out[c] = best
    if present(pa_out):
        pa_out[c] = pa
    if present(pb_out):
        pb_out[c] = pb
    if present(feature):
        feature[c] = kind_
    if present(thick) and present(close):
        if best < thick:
            wp.atomic_add(close, 0, 1)


@scene("physics", "control_flow", "quaternion", "struct", robot,
       says="advances drones with four rotors by one step: rotors that lag behind their commands, thrust, torques and the turning of the body",
       title="quadrotor_step|drone_dynamics|simulate_drones|quadcopter_step", algorithm="quadrotor dynamics")
def drone_step(x: inout(position), v: inout(velocity), q: inout(rotation), w: inout(angular_velocity), rpm: inout(rotor_speeds), cmd: each(rotor_command), kf: setting(thrust_coefficient, 0.001, 0.003), km: setting(small_number, 0.0001, 0.0005), arm: setting(length, 0.1, 0.3), m: setting(mass, 0.5, 1.5), inertia: setting(principal_inertia, 0.3, 1.0), tau: setting(time_value, 0.02, 0.1), drag_: maybe(setting(damping, 0.05, 0.5), 0.6), wind: maybe(setting(velocity), 0.5), ground: maybe(setting(wave_height, -1.0, 0.0), 0.5), dt: setting(time_step, 0.001, 0.01), crashed: maybe(out(flag), 0.5), power_out: maybe(out(power), 0.4)):
    names(r="r|att|rot|q0", n="n|props|speeds_n|rot_w", lag="lag|alpha|blend|first_order", thrust="thrust|lift|total_t|up_f", roll="roll|tx|m_x|roll_t", pitch="pitch|ty|m_y|pitch_t", yaw="yaw|tz|m_z|yaw_t", f0="f0|t0|front_l|fa", f1="f1|t1|front_r|fb", f2="f2|t2|rear_r|fc", f3="f3|t3|rear_l|fd", acc="acc|a_lin|lin_a|vdot", alpha_="alpha_|a_ang|ang_a|wdot", wb="wb|rate_b|omega_b|body_w", air="air|rel_v|airspeed_v|va", near="near|cushion|ge|gain_g", wn="wn|w_new|rate_n|next_w", down="down|hit|landed|is_down", lw="lw|ang_mom|i_w|l_b", xn="xn|new_x|pos_n|place", vn="vn|new_v|vel_n|speed_n")
    i = wp.tid()
    note("rotors cannot change their speed at once|first-order lag")
    lag = 1.0 - wp.exp(-dt / tau)
    n = rpm[i] + (cmd[i] - rpm[i]) * lag
    rpm[i] = n
    f0 = kf * n[0] * n[0]
    f1 = kf * n[1] * n[1]
    f2 = kf * n[2] * n[2]
    f3 = kf * n[3] * n[3]
    thrust = f0 + f1 + f2 + f3
    note("arms in an x: left against right, front against rear|mixer")
    roll = 0.70710678 * arm * (f0 + f3 - f1 - f2)
    pitch = 0.70710678 * arm * (f2 + f3 - f0 - f1)
    note("neighbouring rotors turn in opposite ways|reaction torque")
    yaw = km * (n[0] * n[0] - n[1] * n[1] + n[2] * n[2] - n[3] * n[3])
    if present(ground):
        near = x[i][2] - ground
        note("the air below has nowhere to go|ground effect")
        if near < 4.0 * arm:
            near = wp.max(near, arm)
            thrust = thrust / (1.0 - 0.0625 * arm * arm / (near * near))
    r = wp.normalize(q[i])
    acc = wp.quat_rotate(r, wp.vec3(0.0, 0.0, thrust / m)) - wp.vec3(0.0, 0.0, 9.81)
    if present(drag_):
        air = v[i]
        if present(wind):
            air = v[i] - wind
        acc = acc - air * (drag_ / m)
    wb = w[i]
    lw = wp.cw_mul(inertia, wb)
    alpha_ = wp.cw_div(wp.vec3(roll, pitch, yaw) - wp.cross(wb, lw), inertia)
    wn = wb + alpha_ * dt
    vn = v[i] + acc * dt
    xn = x[i] + vn * dt
    w[i] = wn
    q[i] = wp.normalize(r + r * wp.quat(wn[0], wn[1], wn[2], 0.0) * (0.5 * dt))
    down = int(0)
    if present(ground):
        if xn[2] < ground:
            note("no deeper than the ground; it stops there|touch down")
            xn = wp.vec3(xn[0], xn[1], ground)
            vn = wp.vec3(0.0, 0.0, 0.0)
            down = int(1)
    else:
        if wp.quat_rotate(r, wp.vec3(0.0, 0.0, 1.0))[2] < 0.0:
            note("upside down|lost")
            down = int(1)
    x[i] = xn
    v[i] = vn
    if present(crashed):
        crashed[i] = down
    if present(power_out):
        power_out[i] = km * (n[0] * n[0] * n[0] + n[1] * n[1] * n[1] + n[2] * n[2] * n[2] + n[3] * n[3] * n[3])


@scene("physics", "nested_loop", "control_flow", "function", vehicle,
       says="advances a car on four wheels in the plane: loads shift with acceleration, tyres saturate, the front wheels steer and the rear ones drive",
       title="car_dynamics|four_wheel_step|vehicle_model_step|simulate_cars", algorithm="two-track vehicle model")
def two_track_car(pose_: inout(planar_state), motion: inout(planar_motion), steer: each(steering_angle, range=(-0.4, 0.4)), push: each(drive_force), brake: maybe(each(brake_torque, range=(0.0, 3.0)), 0.5), m: setting(mass, 1.0, 2.0), inertia: setting(moment_of_inertia, 0.5, 2.0), lf: setting(length, 0.5, 0.8), lr: setting(length, 0.5, 0.8), track: setting(track_width, 0.6, 1.2), cg: setting(height, 0.15, 0.4), mu: setting(friction, 0.5, 1.0), cs: setting(stiffness, 20.0, 60.0), dt: setting(time_step, 0.005, 0.02), slide_out: maybe(out(count_value), 0.6), load_out: maybe(out(normal_load), 0.4)):
    names(u="u|vx|fwd|along", v="v|vy|lat|across", r="r|yaw_r|spin|rate_z", ax="ax|acc_x|a_long|gx", fx="fx|sum_x|force_x|x_sum", fy="fy|sum_y|force_y|y_sum", mz="mz|sum_m|moment_z|yaw_m", k="k|wheel_k|corner|w_i", px="px|wx|arm_x|pos_x", py="py|wy|arm_y|pos_y", d="d|delta|wheel_a|angle_w", fz="fz|load|wheel_n|normal_k", wu="wu|hub_u|speed_u|vl", wv="wv|hub_v|speed_v|vt", alpha="alpha|slip_a|side_a|sa", ft="ft|cornering|lat_f|side_f", fl="fl|driving|long_f|pull_f", use="use|demand|grip_use|tot_f", slides="slides|n_slide|skids|over_n", psi="psi|yaw|heading_i|dir_c", cd="cd|cos_d|cdel|c_w", sd="sd|sin_d|sdel|s_w", least="least|min_load|light|lowest")
    i = wp.tid()
    u = wp.max(motion[i][0], number(0.5, 1.0, "crawl"))
    v = motion[i][1]
    r = motion[i][2]
    ax = push[i] / m
    fx = float(0.0)
    fy = float(0.0)
    mz = float(0.0)
    slides = int(0)
    least = float(100.0)
    for k in range(4):
        note("front pair, rear pair; left, right|corner of the car")
        px = lf
        d = steer[i]
        if k >= 2:
            px = -lr
            d = 0.0
        py = 0.5 * track
        if k % 2 == 1:
            py = -0.5 * track
        note("static share, and what braking or speeding up moves between the axles|wheel load")
        fz = 0.5 * m * 9.81 * (lf + lr - wp.abs(px)) / (lf + lr) - 0.5 * wp.sign(px) * m * ax * cg / (lf + lr)
        fz = wp.max(fz, 0.05)
        least = wp.min(least, fz)
        wu = u - r * py
        wv = v + r * px
        alpha = d - wp.atan2(wv, wp.max(wp.abs(wu), 0.2))
        ft = cs * alpha
        fl = float(0.0)
        if k >= 2:
            fl = 0.5 * push[i]
        if present(brake):
            fl = fl - 0.25 * brake[i]
        use = wp.sqrt(ft * ft + fl * fl)
        if use > mu * fz:
            note("more than the road can give|circle of grip")
            ft = ft * (mu * fz / use)
            fl = fl * (mu * fz / use)
            slides += 1
        cd = wp.cos(d)
        sd = wp.sin(d)
        fx += fl * cd - ft * sd
        fy += fl * sd + ft * cd
        mz += px * (fl * sd + ft * cd) - py * (fl * cd - ft * sd)
    u = u + (fx / m + r * v) * dt
    v = v + (fy / m - r * u) * dt
    r = r + mz / inertia * dt
    motion[i] = wp.vec3(u, v, r)
    psi = pose_[i][2] + r * dt
    pose_[i] = wp.vec3(pose_[i][0] + (u * wp.cos(psi) - v * wp.sin(psi)) * dt, pose_[i][1] + (u * wp.sin(psi) + v * wp.cos(psi)) * dt, psi)
    if present(slide_out):
        slide_out[i] = slides
    if present(load_out):
        load_out[i] = least
