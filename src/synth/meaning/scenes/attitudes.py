"""Attitudes and poses: filters for inertial sensors, tracks of key frames, skinning, limits of joints, chains of links."""


@law("attitudes", "the axis of a rotation times its angle", title="quat_log|rotation_log|log_map", private=True, function=True)
def rotation_log(q: rotation) -> rotation_vector:
    names(v="v|im|vec_part|xyz", s="s|sin_half|norm_v|len_v")
    v = wp.vec3(q[0], q[1], q[2])
    s = wp.length(v)
    if s < 1.0e-6:
        return 2.0 * v
    return v * (2.0 * wp.atan2(s, q[3]) / s)


@law("attitudes", "the rotation about an axis by the length of the axis", title="quat_exp|rotation_exp|exp_map", private=True, function=True)
def rotation_exp(w: rotation_vector) -> rotation:
    names(theta="theta|angle|ang|phi")
    theta = wp.length(w)
    if theta < 1.0e-6:
        return wp.normalize(wp.quat(0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 1.0))
    return wp.quat_from_axis_angle(w / theta, theta)


@law("attitudes", "the shortest rotation from one direction to another", title="quat_between|shortest_arc|rotation_between", private=True, function=True)
def shortest_arc(u: direction, v: direction) -> rotation:
    names(d="d|cosine|c|uv", c="c|axis|n|perp")
    d = wp.dot(u, v)
    if d < -0.999999:
        c = wp.cross(u, wp.vec3(1.0, 0.0, 0.0))
        if wp.length(c) < 0.1:
            c = wp.cross(u, wp.vec3(0.0, 1.0, 0.0))
        return wp.quat_from_axis_angle(wp.normalize(c), wp.pi)
    c = wp.cross(u, v)
    return wp.normalize(wp.quat(c[0], c[1], c[2], 1.0 + d))


@law("attitudes", "a rotation split into a turn about an axis and the rest", title="swing_twist|split_rotation|decompose_swing_twist", private=True, function=True)
def swing_and_twist(q: rotation, axis: direction) -> (rotation, rotation):
    names(p="p|proj|along|d", twist="twist|tw|spin_q|about_axis")
    p = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2]
    twist = wp.quat(axis[0] * p, axis[1] * p, axis[2] * p, q[3])
    if wp.length(twist) < 1.0e-5:
        return q, wp.quat_identity()
    twist = wp.normalize(twist)
    return q * wp.quat_inverse(twist), twist


@scene("quaternion", "physics", "control_flow", sensor,
       says="updates the attitude of each inertial sensor by its gyroscope and corrects the tilt by gradient descent towards the measured gravity",
       title="madgwick_update|imu_orientation|ahrs_step|fuse_imu", algorithm="Madgwick filter without magnetometer")
def madgwick(q: inout(rotation), gyro: each(gyro_reading), accel: each(accel_reading), beta: setting(gain, 0.05, 0.4), dt: setting(time_step), bias: maybe(setting(gyro_reading, -0.1, 0.1), 0.4), step_size_out: maybe(out(error_value), 0.4)):
    names(r="r|att|q0|est", a="a|g_meas|acc_n|up_m", f1="f1|ex|res_x|fx", f2="f2|ey|res_y|fy", f3="f3|ez|res_z|fz", grad="grad|nabla|step_q|corr", rate="rate|qdot|q_rate|dq", w="w|omega|ang|rate_in", norm="norm|len_g|mag|gnorm", beta="beta|filter_gain|descent_rate|madgwick_beta")
    i = wp.tid()
    r = wp.normalize(q[i])
    w = gyro[i]
    if present(bias):
        w = w - bias
    rate = r * wp.quat(w[0], w[1], w[2], 0.0) * 0.5
    note("free fall says nothing about the tilt|no gravity, no correction")
    if wp.length(accel[i]) > number(0.5, 2.0, "free_fall"):
        a = wp.normalize(accel[i])
        note("where gravity should be seen, minus where it is|residual of the gravity direction")
        f1 = 2.0 * (r[0] * r[2] - r[3] * r[1]) - a[0]
        f2 = 2.0 * (r[3] * r[0] + r[1] * r[2]) - a[1]
        f3 = 2.0 * (0.5 - r[0] * r[0] - r[1] * r[1]) - a[2]
        grad = wp.quat(2.0 * r[2] * f1 + 2.0 * r[3] * f2 - 4.0 * r[0] * f3, -2.0 * r[3] * f1 + 2.0 * r[2] * f2 - 4.0 * r[1] * f3, 2.0 * r[0] * f1 + 2.0 * r[1] * f2, -2.0 * r[1] * f1 + 2.0 * r[0] * f2)
        norm = wp.length(grad)
        if present(step_size_out):
            step_size_out[i] = wp.sqrt(f1 * f1 + f2 * f2 + f3 * f3)
        if norm > constant("GRADIENT_EPS|TINY|MIN_NORM", 1.0e-6):
            rate = rate - grad * (beta / norm)
    q[i] = wp.normalize(r + rate * dt)


@scene("quaternion", "control_flow", "struct", sensor,
       says="tracks the attitude and the gyroscope bias of each sensor with a proportional and integral correction towards gravity",
       title="mahony_update|complementary_filter|attitude_filter|track_attitude", algorithm="Mahony filter")
def mahony(q: inout(rotation), b: inout(gyro_reading, range=(-0.1, 0.1)), gyro: each(gyro_reading), accel: each(accel_reading), kp: setting(proportional_gain, 0.5, 2.0), ki: setting(integral_gain, 0.05, 0.3), dt: setting(time_step), limit: maybe(setting(positive_value, 0.1, 0.3), 0.4), still: maybe(out(flag), 0.4)):
    names(att="att|r|rot_i|cur", up="up|v_hat|est_up|pred", meas="meas|a_hat|acc_dir|obs", err="err|e|mismatch|omega_mes", w="w|omega|corrected|rate", bi="bi|bias_i|drift|b_new", b="b|gyro_bias|rate_bias|bias_est", still="still|at_rest|stationary|trusted")
    i = wp.tid()
    att = wp.normalize(q[i])
    w = gyro[i] - b[i]
    if present(still):
        still[i] = 0
    note("trust the accelerometer only near one g|linear acceleration spoils the tilt")
    if wp.abs(wp.length(accel[i]) - 9.81) < number(2.0, 5.0, "trust"):
        meas = wp.normalize(accel[i])
        up = wp.quat_rotate_inv(att, wp.vec3(0.0, 0.0, 1.0))
        note("axis and sine of the angle between what is measured and what is expected")
        err = wp.cross(meas, up)
        bi = b[i] - err * (ki * dt)
        if present(limit):
            note("a bias larger than the data sheet allows is not a bias|clamp each axis")
            bi = wp.vec3(wp.clamp(bi[0], -limit, limit), wp.clamp(bi[1], -limit, limit), wp.clamp(bi[2], -limit, limit))
        b[i] = bi
        w = w + err * kp
        if present(still):
            still[i] = 1
    match choose("integrate"):
        case 2:
            q[i] = wp.normalize(att * rotation_exp(w * dt))
        case 1:
            q[i] = wp.normalize(att + att * wp.quat(w[0], w[1], w[2], 0.0) * (0.5 * dt))


@scene("quaternion", "control_flow", "function", joint,
       says="keeps the rotation of each ball joint within limits: its twist about an axis and its swing away from it are clamped",
       title="limit_swing_twist|clamp_ball_joints|joint_limits|apply_cone_limits", algorithm="swing-twist decomposition")
def swing_twist_limit(q: each(rotation), axis: setting(direction), twist_max: setting(upper_limit, 0.5, 1.2), cone: setting(cone_angle, 0.3, 1.0), soft: maybe(setting(ratio, 0.3, 0.9), 0.4), q_out: out(rotation), twist_out: maybe(out(angle), 0.5), hit: maybe(out(flag), 0.5)):
    names(a="a|unit_axis|bone_axis|n", swing="swing|sw|tilt_q|cone_q", twist="twist|tw|roll_q|spin_q", wt="wt|twist_vec|log_t|tau", ws="ws|swing_vec|log_s|sigma", at="at|twist_ang|turn|roll", angle_s="angle_s|swing_ang|bend|tilt", limited="limited|clamped|over|touched", cone="cone|swing_limit|cone_half|max_swing", twist_max="twist_max|twist_limit|max_twist|roll_limit")
    j = wp.tid()
    a = wp.normalize(axis)
    r = wp.normalize(q[j])
    note("the same rotation with a positive real part|stay on one half of the sphere")
    if r[3] < 0.0:
        r = -r
    swing, twist = swing_and_twist(r, a)
    wt = rotation_log(twist)
    ws = rotation_log(swing)
    at = wp.dot(wt, a)
    angle_s = wp.length(ws)
    limited = int(0)
    if wp.abs(at) > twist_max:
        at = wp.sign(at) * twist_max
        limited = int(1)
    if angle_s > cone:
        if present(soft):
            note("give way a little beyond the cone|soft limit")
            ws = ws * ((cone + soft * (angle_s - cone)) / angle_s)
        else:
            ws = ws * (cone / angle_s)
        limited = int(1)
    q_out[j] = wp.normalize(rotation_exp(ws) * rotation_exp(a * at))
    if present(twist_out):
        twist_out[j] = at
    if present(hit):
        hit[j] = limited


@scene("quaternion", "nested_loop", "geometry", vertex,
       says="deforms the points of a skin by blending the dual quaternions of four bones",
       title="dual_quaternion_skinning|skin_vertices|blend_bones|deform_skin", algorithm="dual quaternion linear blending")
def dual_quaternion_skin(x: each(local_position), n: maybe(each(normal), 0.5), bones: each(bone_pose, bone), which: index(bone, 4), w: rows(weight, 4, range=(0.05, 1.0)), x_out: out(position), n_out: maybe(out(normal), 1.0)):
    names(real="real|rot_sum|qr|b0", dual="dual|tr_sum|qd|be", rot="rot|qb|bone_q|r_k", tr="tr|tb|bone_t|p_k", wk="wk|share|weight_k|influence", first="first|pivot|q_ref|base_q", length_r="length_r|norm_r|mag|qn", t="t|shift|moved|trans_q", bones="bones|bone_tf|joint_xforms|skeleton", which="which|bone_ids|skin_joints|influences")
    v = wp.tid()
    first = wp.normalize(wp.transform_get_rotation(bones[which[v, 0]]))
    real = wp.quat(0.0, 0.0, 0.0, 0.0)
    dual = wp.quat(0.0, 0.0, 0.0, 0.0)
    for k in range(4):
        rot = wp.normalize(wp.transform_get_rotation(bones[which[v, k]]))
        tr = wp.transform_get_translation(bones[which[v, k]])
        wk = w[v, k]
        note("opposite signs are the same rotation: blend on one side|antipodal bones would cancel")
        if wp.dot(rot, first) < 0.0:
            wk = -wk
        real = real + rot * wk
        note("dual part: half the translation times the rotation")
        dual = dual + wp.quat(tr[0], tr[1], tr[2], 0.0) * rot * (0.5 * wk)
    length_r = wp.length(real)
    note("weights that cancel leave no rotation|degenerate blend")
    if length_r < constant("BLEND_EPS|MIN_BLEND", 1.0e-4):
        x_out[v] = x[v]
        if present(n) and present(n_out):
            n_out[v] = wp.vec3(0.0, 0.0, 0.0)
        return
    real = real / length_r
    dual = dual / length_r
    t = dual * wp.quat_inverse(real) * 2.0
    x_out[v] = wp.quat_rotate(real, x[v]) + wp.vec3(t[0], t[1], t[2])
    if present(n) and present(n_out):
        n_out[v] = wp.quat_rotate(real, wp.normalize(n[v]))


@scene("quaternion", "nested_loop", "reduction", cluster,
       says="averages the rotations of each group on the sphere by repeated steps along the mean of their logarithms",
       title="average_rotations|rotation_mean|karcher_mean|mean_orientations", algorithm="Karcher mean of rotations", rare=True)
def rotation_mean(start: offsets(item), q: each(keyframe_rotation, item), w: maybe(each(weight, item, range=(0.1, 1.0)), 0.4), mean_out: out(rotation), spread: maybe(out(angle), 0.6)):
    names(m="m|mean_q|center|mu", step="step|delta|tangent|grad_w", d="d|rel|off|e_k", total="total|norm_w|sum_w|mass_w", first="first|begin|k0|lo", last="last|stop|k1|hi", e="e|log_k|tangent_k|w_k", far="far|var|sq|dispersion", mean_out="mean_out|avg_rot|centroid_q|mean_rotation")
    g = wp.tid()
    first = start[g]
    last = start[g + 1]
    if first == last:
        mean_out[g] = wp.quat_identity()
        if present(spread):
            spread[g] = 0.0
        return
    m = wp.normalize(q[first])
    far = float(0.0)
    for it in range(constant("MEAN_ITERATIONS|MAX_ITERS|NUM_PASSES", 8)):
        step = wp.vec3(0.0, 0.0, 0.0)
        total = float(0.0)
        far = float(0.0)
        for k in range(first, last):
            d = wp.quat_inverse(m) * wp.normalize(q[k])
            if d[3] < 0.0:
                d = -d
            e = rotation_log(d)
            if present(w):
                step += e * w[k]
                total += w[k]
                far += w[k] * wp.length_sq(e)
            else:
                step += e
                total += 1.0
                far += wp.length_sq(e)
        step = step / total
        far = far / total
        m = wp.normalize(m * rotation_exp(step))
    mean_out[g] = m
    if present(spread):
        note("root mean square angle to the mean|angular deviation")
        spread[g] = wp.sqrt(far)


@scene("quaternion", "math", "function", time_sample,
       says="samples a smooth rotation track: key frames are blended by spherical cubic interpolation",
       title="sample_rotation_track|squad_track|evaluate_squad|spline_rotations", algorithm="SQUAD interpolation")
def squad_track(keys: each(keyframe_rotation, keyframe), at: each(ratio), q_out: out(rotation), rate_out: maybe(out(angle), 0.4)):
    names(keys="keys|key_quats|track|control_rot", s="s|u|track_pos|scaled", k="k|seg|left_key|lo", t="t|frac|local_t|blend", a="a|q0|from_q|key_a", b="b|q1|to_q|key_b", before="before|prev_key|qm|key_p", after="after|next_key|qn|key_n", sa="sa|inner_a|ctrl_a|tan_a", sb="sb|inner_b|ctrl_b|tan_b", outer="outer|straight|chord|along", inner="inner|bulge|quad|bent")
    i = wp.tid()
    s = at[i] * float(count(keyframe) - 1)
    k = wp.min(int(wp.floor(s)), count(keyframe) - 2)
    t = s - float(k)
    a = wp.normalize(keys[k])
    b = wp.normalize(keys[k + 1])
    note("at the ends the first and last keys count twice|repeat the border keys")
    before = wp.normalize(keys[wp.max(k - 1, 0)])
    after = wp.normalize(keys[wp.min(k + 2, count(keyframe) - 1)])
    note("inner control points from the logarithms to both neighbours")
    sa = a * rotation_exp((rotation_log(wp.quat_inverse(a) * b) + rotation_log(wp.quat_inverse(a) * before)) * -0.25)
    sb = b * rotation_exp((rotation_log(wp.quat_inverse(b) * after) + rotation_log(wp.quat_inverse(b) * a)) * -0.25)
    outer = wp.quat_slerp(a, b, t)
    inner = wp.quat_slerp(sa, sb, t)
    q_out[i] = wp.normalize(wp.quat_slerp(outer, inner, 2.0 * t * (1.0 - t)))
    if present(rate_out):
        note("turn between the two keys of the segment")
        rate_out[i] = wp.length(rotation_log(wp.quat_inverse(a) * b))


@scene("quaternion", "matrix", "geometry", camera,
       says="turns each camera to look at its target and gives its pose with the x axis to the right and the view along negative z",
       title="look_at_cameras|aim_cameras|camera_look_at|orient_views", algorithm="look-at transform")
def look_at(eye: each(position), target: each(position, range=(-1.0, 1.0)), up: setting(direction), roll: maybe(each(angle), 0.3), pose_out: out(pose), dist_out: maybe(out(distance), 0.5)):
    names(f="f|forward|gaze|fwd", r="r|right|side|xa", u="u|true_up|head|ya", m="m|basis|rot_m|frame", q="q|rot|attitude|cam_q", d="d|gap|to_target|line", eye="eye|camera_pos|eyes|viewpoint", target="target|aim|focus|look_at_point", pose_out="pose_out|camera_tf|view_pose|extrinsics")
    c = wp.tid()
    d = target[c] - eye[c]
    if present(dist_out):
        dist_out[c] = wp.length(d)
    note("a camera inside its target has nowhere to look|keep the identity")
    if wp.length(d) < number(0.05, 0.2, "inside"):
        pose_out[c] = wp.transform(eye[c], wp.quat_identity())
        return
    f = wp.normalize(d)
    r = wp.cross(f, wp.normalize(up))
    note("looking straight up or down: any side will do|degenerate up vector")
    if wp.length(r) < constant("PARALLEL|UP_EPS", 1.0e-3, "parallel"):
        r = wp.cross(f, wp.vec3(1.0, 0.0, 0.0))
        if wp.length(r) < constant("PARALLEL|UP_EPS", 1.0e-3, "parallel"):
            r = wp.cross(f, wp.vec3(0.0, 1.0, 0.0))
    r = wp.normalize(r)
    u = wp.cross(r, f)
    m = wp.matrix_from_cols(r, u, -f)
    q = wp.quat_from_matrix(m)
    if present(roll):
        q = q * wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), roll[c])
    note("one sign for each rotation|canonical sign")
    if q[3] < 0.0:
        q = -q
    pose_out[c] = wp.transform(eye[c], wp.normalize(q))


@scene("quaternion", "math", "control_flow", body,
       says="reads roll, pitch and yaw of each body from its rotation and turns its angular velocity into the rates of these angles",
       title="attitude_angles|quat_to_euler|euler_angle_rates|report_attitude", algorithm="Euler angles from a quaternion")
def attitude_angles(q: each(rotation), w: each(angular_velocity), rpy_out: out(euler_angles), rate_out: out(euler_rates), locked: maybe(out(flag), 0.6), mount: maybe(setting(angle, -0.5, 0.5), 0.3)):
    names(r="r|rot_i|att|qi", sp="sp|sin_pitch|sine|s_theta", roll="roll|bank|phi|gamma", pitch="pitch|elev|theta|alpha", yaw="yaw|heading_i|psi|beta", wb="wb|body_rate|pqr|gyro_i", lock="lock|singular|gimbal|at_pole", mount="mount|mount_yaw|yaw_offset|boresight")
    i = wp.tid()
    r = wp.normalize(q[i])
    sp = 2.0 * (r[3] * r[1] - r[2] * r[0])
    lock = int(0)
    note("nose straight up or down: roll and yaw turn about the same line|gimbal lock")
    if wp.abs(sp) > number(0.97, 0.995, "pole"):
        lock = int(1)
        pitch = wp.sign(sp) * (0.5 * wp.pi)
        roll = float(0.0)
        yaw = 2.0 * wp.atan2(r[2], r[3])
    else:
        pitch = wp.asin(sp)
        roll = wp.atan2(2.0 * (r[3] * r[0] + r[1] * r[2]), 1.0 - 2.0 * (r[0] * r[0] + r[1] * r[1]))
        yaw = wp.atan2(2.0 * (r[3] * r[2] + r[0] * r[1]), 1.0 - 2.0 * (r[1] * r[1] + r[2] * r[2]))
    if present(mount):
        yaw = yaw - mount
    rpy_out[i] = wp.vec3(roll, pitch, yaw)
    if present(locked):
        locked[i] = lock
    if lock == 1:
        note("the rates are not defined here")
        rate_out[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    wb = wp.quat_rotate_inv(r, w[i])
    rate_out[i] = wp.vec3(wb[0] + wp.tan(pitch) * (wb[1] * wp.sin(roll) + wb[2] * wp.cos(roll)), wb[1] * wp.cos(roll) - wb[2] * wp.sin(roll), (wb[1] * wp.sin(roll) + wb[2] * wp.cos(roll)) / wp.cos(pitch))


@scene("quaternion", "physics", "nested_loop", satellite,
       says="turns each spacecraft towards its target attitude with saturated wheels and integrates Euler's equations over a few substeps",
       title="attitude_control|spacecraft_step|slew_satellites|reaction_wheel_control", algorithm="quaternion feedback control with Euler's rotation equations")
def attitude_control(q: inout(rotation), w: inout(angular_velocity, range=(-0.5, 0.5)), goal: each(rotation), diag: setting(principal_inertia), kp: setting(proportional_gain, 0.5, 3.0), kd: setting(damping, 0.5, 2.0), top: setting(positive_value, 0.2, 0.8), dt: setting(time_step, 0.02, 0.05), left: maybe(out(angle), 0.5), effort: maybe(out(positive_value), 0.4)):
    names(r="r|att|rot_i|qs", om="om|omega|spin|rate", err="err|q_err|dq|off", tau="tau|u|cmd|wheel", acc="acc|wdot|alpha|ang_acc", used="used|spent|work_i|impulse", lb="lb|ang_mom|h_body|Jw", diag="diag|inertia_diag|J|moments", top="top|torque_limit|wheel_limit|tau_max")
    i = wp.tid()
    r = wp.normalize(q[i])
    om = w[i]
    used = float(0.0)
    for k in range(integer(3, 6, "substeps")):
        err = wp.quat_inverse(wp.normalize(goal[i])) * r
        note("turn the short way|avoid unwinding")
        if err[3] < 0.0:
            err = -err
        tau = wp.vec3(err[0], err[1], err[2]) * (-kp) - om * kd
        note("each wheel saturates on its own|wheel limits")
        tau = wp.max(wp.min(tau, wp.vec3(top, top, top)), wp.vec3(-top, -top, -top))
        lb = wp.cw_mul(diag, om)
        acc = wp.cw_div(tau - wp.cross(om, lb), diag)
        om = om + acc * dt
        r = wp.normalize(r * rotation_exp(om * dt))
        used += wp.length(tau) * dt
    q[i] = r
    w[i] = om
    if present(left):
        err = wp.quat_inverse(wp.normalize(goal[i])) * r
        left[i] = 2.0 * wp.acos(wp.clamp(wp.abs(err[3]), 0.0, 1.0))
    if present(effort):
        effort[i] = used


@scene("quaternion", "geometry", "math", "vector", robot,
       says="bends each limb of two bones so that its end reaches a target, with the middle joint on the side of a pole, and gives the rotations of both bones",
       title="two_bone_ik|solve_two_bone_ik|analytic_two_bone_ik", algorithm="analytic two-bone inverse kinematics")
def two_bone_ik(root: each(position, range=(-0.5, 0.5)), target: each(position), pole: setting(direction), upper_len: setting(link_length, 0.5, 1.2, fixed=True), lower_len: setting(link_length, 0.5, 1.2, fixed=True), middle: out(position), upper_rot: out(rotation), lower_rot: out(rotation), reached: maybe(out(flag), 0.5)):
    names(d="d|to_target", l="dist|l", reach="reach|clamped", u="dir|u", side="bend|side", x="x|along", h="h|height", mid="elbow|knee", tip="hand|foot", upper_len="upper_len|thigh_len", lower_len="lower_len|shin_len", root="shoulder|hip", target="target|targets", middle="elbow_out|knee_out", pole="pole|pole_dir", upper_rot="upper_rot|thigh_rot", lower_rot="lower_rot|shin_rot", reached="reached|is_reached", rest="x_axis|rest_dir")
    r = wp.tid()
    d = target[r] - root[r]
    l = wp.length(d)
    rest = wp.vec3(1.0, 0.0, 0.0)
    note("target at the root: fold along the rest direction|degenerate target")
    u = rest
    if l > constant("EPS|MIN_DIST", 1.0e-6):
        u = d / l
    note("not further than both bones, not closer than their difference|clamp to the reachable ring")
    reach = wp.clamp(l, wp.abs(upper_len - lower_len) + 0.01, upper_len + lower_len - 0.01)
    side = pole - u * wp.dot(pole, u)
    if wp.length(side) < constant("POLE_EPS|PARALLEL_EPS", 1.0e-3):
        note("pole along the limb: bend in any direction|any perpendicular")
        if wp.abs(u[0]) < 0.9:
            side = wp.cross(u, wp.vec3(1.0, 0.0, 0.0))
        else:
            side = wp.cross(u, wp.vec3(0.0, 1.0, 0.0))
    side = wp.normalize(side)
    note("law of cosines: the foot of the joint on the line to the target|law of cosines")
    x = (upper_len * upper_len - lower_len * lower_len + reach * reach) / (2.0 * reach)
    h = wp.sqrt(wp.max(upper_len * upper_len - x * x, 0.0))
    mid = root[r] + u * x + side * h
    tip = root[r] + u * reach
    middle[r] = mid
    note("bones rest along the x axis")
    upper_rot[r] = shortest_arc(rest, wp.normalize(mid - root[r]))
    lower_rot[r] = shortest_arc(rest, wp.normalize(tip - mid))
    if present(reached):
        if wp.abs(l - reach) < constant("EPS|MIN_DIST", 1.0e-6):
            reached[r] = 1
        else:
            reached[r] = 0


@scene("quaternion", "nested_loop", "combined", segment,
       says="sums the inertial readings between two frames into a change of rotation, velocity and position",
       title="preintegrate_imu|imu_preintegration|integrate_imu_window|inertial_increments", algorithm="IMU preintegration",
       lossy=True)
def preintegrate(start: offsets(time_sample), gyro: each(gyro_reading, time_sample), accel: each(accel_reading, time_sample), dt: setting(time_step), bg: setting(gyro_reading, -0.1, 0.1), ba: setting(accel_reading, -0.3, 0.3), dq_out: out(rotation), dv_out: out(velocity), dp_out: maybe(out(displacement), 0.7), span: maybe(out(time_value), 0.4)):
    names(dq="dq|delta_rot|gamma|rot_acc", dv="dv|delta_vel|beta|vel_acc", dp="dp|delta_pos|alpha|pos_acc", a="a|acc_w|f_k|force_k", w="w|rate_k|omega_k|gyro_k", t="t|elapsed|total_t|window", bg="bg|gyro_bias|rate_bias|bias_gyro", ba="ba|accel_bias|acc_bias|bias_accel", start="start|frame_start|window_start|imu_offsets")
    s = wp.tid()
    dq = wp.quat_identity()
    dv = wp.vec3(0.0, 0.0, 0.0)
    dp = wp.vec3(0.0, 0.0, 0.0)
    t = float(0.0)
    for k in range(start[s], start[s + 1]):
        note("readings without their bias, turned to the frame at the start|body to window frame")
        a = wp.quat_rotate(dq, accel[k] - ba)
        w = gyro[k] - bg
        dp += dv * dt + a * (0.5 * dt * dt)
        dv += a * dt
        dq = wp.normalize(dq * rotation_exp(w * dt))
        t += dt
    note("gravity is left out: it needs the attitude of the first frame")
    dq_out[s] = dq
    dv_out[s] = dv
    if present(dp_out):
        dp_out[s] = dp
    if present(span):
        span[s] = t


@scene("quaternion", "reduction", "control_flow", time_sample,
       says="measures the drift of an estimated trajectory: the error of the motion over a few frames, in translation and in angle",
       title="relative_pose_error|trajectory_drift|odometry_error|evaluate_odometry", algorithm="relative pose error")
def pose_error(est: each(pose), truth: each(pose), gap: setting(steps_value, 2, 4), trans_out: out(distance), rot_out: out(angle), total: maybe(add(positive_value, 1), 0.5), bad: maybe(add(count_value, 1), 0.4), limit: maybe(setting(distance, 1.5, 3.0), 1.0)):
    names(j="j|later|next_i|other", a="a|est_rel|moved|motion_e", b="b|true_rel|wanted|motion_t", e="e|diff|err_tf|residual", q="q|rot_e|err_q|turn_q", axis="axis|dir_e|n|about", theta="theta|ang|turned|phi", est="est|estimated|odometry|slam_poses", truth="truth|ground_truth|reference_poses|mocap", gap="gap|delta|stride|frames_apart")
    i = wp.tid()
    j = i + gap
    note("no frame to compare with|end of the trajectory")
    if j >= count(time_sample):
        return
    a = wp.transform_multiply(wp.transform_inverse(est[i]), est[j])
    b = wp.transform_multiply(wp.transform_inverse(truth[i]), truth[j])
    e = wp.transform_multiply(wp.transform_inverse(b), a)
    d = wp.length(wp.transform_get_translation(e))
    trans_out[i] = d
    if present(rot_out):
        q = wp.transform_get_rotation(e)
        if q[3] < 0.0:
            q = -q
        axis, theta = wp.quat_to_axis_angle(q)
        rot_out[i] = wp.length(axis * theta)
    if present(total):
        wp.atomic_add(total, 0, d * d)
    if present(limit) and present(bad):
        if d > limit:
            wp.atomic_add(bad, 0, 1)


@scene("quaternion", "nested_loop", "struct", robot,
       says="places the end of a chain of turning and sliding joints and computes the column of its Jacobian for every joint",
       title="chain_jacobian|forward_kinematics_chain|manipulator_jacobian|arm_kinematics", algorithm="geometric Jacobian of a serial chain")
def chain_jacobian(jq: each(joint_angle, robot, joint, range=(-1.5, 1.5)), type_of: kind(REVOLUTE, PRISMATIC, FIXED, over=joint), axis: each(direction, joint), link: each(bone_pose, joint), tool: maybe(setting(local_position, -0.4, 0.4), 0.4), tip_out: out(pose), jac: out(twist, robot, joint), lever: maybe(out(distance), 0.4)):
    names(x="x|X_wj|frame|tf", a="a|world_axis|z_j|ax", p="p|tip_pos|p_end|hand", o="o|joint_pos|p_j|pivot", move="move|X_j|joint_tf|local_tf", tip="tip|X_end|ee_tf|hand_tf", jq="jq|joint_q|dof_pos|q_chain", type_of="joint_type_id|joint_type|joint_kind|dof_type", axis="axis|joint_axis|screw_axis|dof_axis", link="link|parent_tf|link_offset|X_pj", jac="jac|jacobian|J|columns")
    r = wp.tid()
    tip = wp.transform_identity()
    for j in range(count(joint)):
        tip = wp.transform_multiply(tip, link[j])
        if type_of[j] == REVOLUTE:
            move = wp.transform(wp.vec3(0.0, 0.0, 0.0), wp.quat_from_axis_angle(wp.normalize(axis[j]), jq[r, j]))
            tip = wp.transform_multiply(tip, move)
        elif type_of[j] == PRISMATIC:
            tip = wp.transform_multiply(tip, wp.transform(wp.normalize(axis[j]) * jq[r, j], wp.quat_identity()))
    if present(tool):
        tip = wp.transform_multiply(tip, wp.transform(tool, wp.quat_identity()))
    tip_out[r] = tip
    p = wp.transform_get_translation(tip)
    if present(lever):
        lever[r] = wp.length(p)
    note("second pass: the axes in the world and their distance to the tip|linear part first, angular part second")
    x = wp.transform_identity()
    for j in range(count(joint)):
        x = wp.transform_multiply(x, link[j])
        a = wp.transform_vector(x, wp.normalize(axis[j]))
        o = wp.transform_get_translation(x)
        if type_of[j] == REVOLUTE:
            jac[r, j] = wp.spatial_vector(wp.cross(a, p - o), a)
            x = wp.transform_multiply(x, wp.transform(wp.vec3(0.0, 0.0, 0.0), wp.quat_from_axis_angle(wp.normalize(axis[j]), jq[r, j])))
        elif type_of[j] == PRISMATIC:
            jac[r, j] = wp.spatial_vector(a, wp.vec3(0.0, 0.0, 0.0))
            x = wp.transform_multiply(x, wp.transform(wp.normalize(axis[j]) * jq[r, j], wp.quat_identity()))
        else:
            jac[r, j] = wp.spatial_vector(wp.vec3(0.0, 0.0, 0.0), wp.vec3(0.0, 0.0, 0.0))
