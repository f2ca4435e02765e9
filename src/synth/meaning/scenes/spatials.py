"""Short steps on rigid bodies as simulators write them: spatial velocities, wrenches, inertia, frames of bodies and joints."""


@scene("glue", "quaternion", "physics", some(body, robot, satellite, bone, vehicle),
       says="moves the pose of each @ by its spatial velocity over a time step{mask:, unless it is fixed}",
       title="integrate_poses|integrate_bodies|advance_@s|step_@_poses", topic="")
def integrate_poses(q: each(pose), qd: each(twist), com: maybe(each(displacement), 0.4), mask: maybe(each(flag), 0.4), dt: setting(time_step), q_out: out(pose), qd_out: maybe(out(twist), 0.5)):
    names(q="body_q|state_q|poses|q_in", qd="body_qd|state_qd|twists|qd_in", com="body_com|com|com_local", mask="is_fixed|kinematic|fixed|frozen", dt="dt|sim_dt|time_step", q_out="body_q_new|body_q_out|q_out", qd_out="body_qd_new|body_qd_out|qd_out", X="X|tf|X_wb", V="V|twist|qd_i", x="x|x0|p", r="r|r0|rot", v="v|v0|lin", w="w|w0|ang", x_com="x_com|c|com_w", r1="r1|r_new|rot_new")
    i = wp.tid()
    X = q[i]
    V = qd[i]
    if present(mask):
        if mask[i] == 1:
            q_out[i] = X
            if present(qd_out):
                qd_out[i] = V
            return
    x = wp.transform_get_translation(X)
    r = wp.transform_get_rotation(X)
    v = wp.spatial_top(V)
    w = wp.spatial_bottom(V)
    if maybe(0.3, "damped"):
        w = w * (1.0 - number(0.02, 0.1) * dt)
    r1 = wp.normalize(r + wp.quat(w, 0.0) * r * (0.5 * dt))
    if present(com):
        note("the centre of mass moves straight on|integrate about the centre of mass")
        x_com = x + wp.quat_rotate(r, com[i]) + v * dt
        q_out[i] = wp.transform(x_com - wp.quat_rotate(r1, com[i]), r1)
    else:
        q_out[i] = wp.transform(x + v * dt, r1)
    if present(qd_out):
        qd_out[i] = wp.spatial_vector(v, w)


@scene("glue", "quaternion", "physics", some(body, robot, satellite, vehicle),
       says="applies the wrench of each @ to its spatial velocity over a time step{gravity:, under gravity}",
       title="integrate_velocities|apply_wrenches|update_@_velocity|step_twists", topic="")
def apply_wrenches(q: each(pose), qd: each(twist), F: each(wrench), im: each(inverse_mass), inv_inertia: each(inertia_tensor), inertia: maybe(each(inertia_tensor), 0.4), gravity: maybe(setting(acceleration), 0.6), dt: setting(time_step), qd_out: out(twist)):
    names(q="body_q|state_q|poses", qd="body_qd|state_qd|twists", F="body_f|wrenches|f_ext", im="inv_mass|body_inv_mass|inv_m", inv_inertia="body_inv_inertia|inv_inertia|inv_I", inertia="body_inertia|inertia|inertia_local", gravity="gravity|gravity|g", qd_out="body_qd_new|body_qd_out|qd_out", r="r|rot|R", v="v|v0|lin_vel", w="w|w0|ang_vel", f="f|f0|force", t="t|t0|torque", wb="wb|w_body|w_local", tb="tb|t_body|t_local", v1="v1|v_new|vn", w1="w1|w_new|wn", inv_m="inv_m|w_lin|minv")
    i = wp.tid()
    inv_m = im[i]
    r = wp.transform_get_rotation(q[i])
    v = wp.spatial_top(qd[i])
    w = wp.spatial_bottom(qd[i])
    f = wp.spatial_top(F[i])
    t = wp.spatial_bottom(F[i])
    if present(gravity):
        note("a body without inverse mass does not fall|static bodies do not fall")
        v1 = v + (f * inv_m + gravity * wp.nonzero(inv_m)) * dt
    else:
        v1 = v + f * (inv_m * dt)
    wb = wp.quat_rotate_inv(r, w)
    tb = wp.quat_rotate_inv(r, t)
    if present(inertia):
        note("gyroscopic torque, in the frame of the body|minus the gyroscopic term")
        tb = tb - wp.cross(wb, inertia[i] * wb)
    w1 = wp.quat_rotate(r, wb + inv_inertia[i] * tb * dt)
    if maybe(0.4, "damped"):
        w1 = w1 * (1.0 - number(0.02, 0.1) * dt)
    qd_out[i] = wp.spatial_vector(v1, w1)


@scene("glue", "atomic", "physics", some(contact, spring, muscle, sensor, wheel),
       says="adds the force of each @ to the wrench of the body that it acts on{other:, and the opposite one to a second body}",
       title="accumulate_body_forces|scatter_wrenches|apply_@_forces|add_@_forces", topic="")
def scatter_wrenches(f: each(force), p: each(position), body_q: each(pose, body), com: maybe(each(displacement, body), 0.5), on: index(body), other: maybe(index(body), 0.5), active: maybe(each(flag), 0.3), body_f: add(wrench, body)):
    names(f="forces|@_force|f_in", p="points|@_pos|@_point", com="body_com|com", on="body_a|@_body|body_ids", other="body_b|other_body|@_body_b", active="enabled|active|is_touching", body_f="body_f|wrenches|body_force", a="a|b0|body_id", b="b|b1|body_other", fi="fi|f_c|force_w", x="x|x_c|contact_p", r="r|r_a|arm", rb="rb|r_b|arm_b")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    a = on[i]
    x = p[i]
    fi = f[i]
    if present(com):
        r = x - wp.transform_point(body_q[a], com[a])
    else:
        r = x - wp.transform_get_translation(body_q[a])
    wp.atomic_add(body_f, a, wp.spatial_vector(fi, wp.cross(r, fi)))
    if present(other):
        b = other[i]
        if present(com):
            rb = x - wp.transform_point(body_q[b], com[b])
        else:
            rb = x - wp.transform_get_translation(body_q[b])
        wp.atomic_sub(body_f, b, wp.spatial_vector(fi, wp.cross(rb, fi)))


@scene("glue", "quaternion", "physics", some(body, robot, satellite, bone),
       says="computes the kinetic energy{momentum: and the momentum} of each @ from its spatial velocity",
       title="body_energy|kinetic_energy|compute_@_energy|measure_momentum", topic="")
def body_energies(q: each(pose), qd: each(twist), m: each(mass), inertia: each(inertia_tensor), energy_out: out(energy), momentum: maybe(out(wrench), 0.5), total: maybe(add(energy, 1), 0.4)):
    names(q="body_q|poses|state_q", qd="body_qd|twists|state_qd", m="body_mass|mass|masses", inertia="body_inertia|inertia|I", energy_out="energy|kinetic|body_energy", momentum="momenta|momentum_out|body_momentum", total="total_energy|energy_sum|total", r="r|rot|R", v="v|lin|v0", w="w|ang|w0", wb="wb|w_local|w_b", hb="hb|L_local|Iw", e="e|ke|energy_i")
    i = wp.tid()
    r = wp.transform_get_rotation(q[i])
    v = wp.spatial_top(qd[i])
    w = wp.spatial_bottom(qd[i])
    wb = wp.quat_rotate_inv(r, w)
    hb = inertia[i] * wb
    e = 0.5 * (m[i] * wp.dot(v, v) + wp.dot(wb, hb))
    energy_out[i] = e
    if present(momentum):
        momentum[i] = wp.spatial_vector(v * m[i], wp.quat_rotate(r, hb))
    if present(total):
        wp.atomic_add(total, 0, e)


@scene("glue", "quaternion", some(joint, bone, wheel, hinge),
       says="places the child of each @ by the pose of its parent, the frame of the @ and its angle{qd:, with its spatial velocity}",
       title="forward_kinematics|eval_@_transform|place_children|update_child_poses", topic="")
def place_children(body_q: each(pose, body), body_qd: each(twist, body), parent: index(body), X_pj: each(pose), axis: each(normal), angle_in: each(angle), qd: maybe(each(joint_speed), 0.5), child_q: out(pose), child_qd: maybe(out(twist), 0.8)):
    names(parent="@_parent|parents|parent_ids", X_pj="@_X_p|parent_frames|X_pj", axis="@_axis|axes|axis", angle_in="@_q|angles|joint_q", qd="@_qd|rates|joint_qd", child_q="child_q|child_poses|X_wc_out", child_qd="child_qd|child_twists|V_wc", p="p|parent|id_p", X="X_wp|X_p|parent_tf", X_wj="X_wj|X_j|joint_tf", a="a|axis_local|ax", turn="X_jc|X_rot|turn_tf", V="V_p|v_parent|parent_twist", w="w|axis_w|spin", r="r|offset|arm", X_c="X_wc|X_c|child_tf")
    i = wp.tid()
    p = parent[i]
    X = body_q[p]
    X_wj = wp.transform_multiply(X, X_pj[i])
    a = wp.normalize(axis[i])
    turn = wp.transform(wp.vec3(0.0, 0.0, 0.0), wp.quat_from_axis_angle(a, angle_in[i]))
    X_c = wp.transform_multiply(X_wj, turn)
    child_q[i] = X_c
    if present(qd):
        if present(child_qd):
            V = body_qd[p]
            w = wp.spatial_bottom(V) + wp.transform_vector(X_wj, a) * qd[i]
            r = wp.transform_get_translation(X_c) - wp.transform_get_translation(X)
            child_qd[i] = wp.spatial_vector(wp.spatial_top(V) + wp.cross(wp.spatial_bottom(V), r), w)


@scene("glue", "quaternion", some(body, robot, sensor, bone),
       says="moves the spatial velocity of each @ from its centre of mass to its origin{local:, in its own frame}",
       title="com_to_origin_velocity|shift_twists|convert_body_qd|origin_velocity", topic="")
def shift_twists(q: each(pose), qd: each(twist), com: each(displacement), limit: maybe(setting(speed, 1.0, 3.0), 0.3), qd_out: out(twist)):
    names(q="body_q|poses|state_q", qd="body_qd|twists|com_qd", com="body_com|com|com_offset", limit="max_speed|v_max|speed_limit", qd_out="origin_qd|qd_out|body_qd_out", r="r|rot|R", V="V|qd_i|twist", v="v|lin|v_o", w="w|omega|ang", c="c|offset_w|r_com", s="s|speed_i|len_v")
    i = wp.tid()
    V = qd[i]
    r = wp.transform_get_rotation(q[i])
    w = wp.spatial_bottom(V)
    c = wp.quat_rotate(r, com[i])
    v = wp.spatial_top(V) - wp.cross(w, c)
    if present(limit):
        s = wp.length(v)
        if s > limit:
            v = v * (limit / s)
    if maybe(0.35, "local"):
        qd_out[i] = wp.spatial_vector(wp.quat_rotate_inv(r, v), wp.quat_rotate_inv(r, w))
    else:
        qd_out[i] = wp.spatial_vector(v, w)


@scene("glue", "physics", some(joint, hinge, contact),
       says="computes the generalised force of each @ from its motion axis and the wrench of its body{drive:, with a drive}",
       title="joint_tau|project_wrenches|eval_joint_tau|generalized_forces", topic="")
def joint_efforts(S: each(twist), body_f: each(wrench, body), child: index(body), body_qd: each(twist, body), drive: maybe(each(joint_torque), 0.4), damping_in: maybe(setting(joint_damping), 0.4), tau: out(joint_torque), rate_out: maybe(out(joint_speed), 0.5)):
    names(S="joint_S|motion_axes|joint_S_s", body_f="body_f|body_f_s|wrenches", child="joint_child|child|child_ids", body_qd="body_qd|body_v_s|twists", drive="joint_act|control|joint_f", damping_in="damping|joint_kd|viscous", tau="tau|joint_tau|tau_out", rate_out="joint_qd|rates_out|qd_out", b="b|c|child_id", s="s|S_i|axis_s", t="t|tau_i|effort")
    i = wp.tid()
    b = child[i]
    s = S[i]
    t = -wp.spatial_dot(s, body_f[b])
    if present(drive):
        t = t + drive[i]
    if present(damping_in):
        t = t - damping_in * wp.spatial_dot(s, body_qd[b])
    tau[i] = t
    if present(rate_out):
        rate_out[i] = wp.spatial_dot(s, body_qd[b])


@scene("glue", "physics", some(contact, sensor, sphere),
       says="computes how fast the bodies of each @ separate along its normal{slip:, and how fast they slip}",
       title="relative_velocity|contact_speeds|separation_speed|eval_@_velocity", topic="")
def separation_speeds(a_in: index(body), b_in: index(body), p: each(position), n: each(normal), body_q: each(pose, body), body_qd: each(twist, body), speed_out: out(speed), slip: maybe(out(velocity), 0.5)):
    names(a_in="body_a|shape_a_body|@_body0", b_in="body_b|shape_b_body|@_body1", p="@_point|points|contact_pos", n="@_normal|normals|contact_normal", speed_out="vn_out|normal_speed|rel_speed", slip="slip|vt_out|tangent_vel", a="a|ba|body0", b="b|bb|body1", va="va|vel_a|v_a", vb="vb|vel_b|v_b", x="x|px|point", nn="nn|dir|normal", v="v|v_rel|rel", vn="vn|sep|s_n")
    i = wp.tid()
    a = a_in[i]
    b = b_in[i]
    x = p[i]
    nn = wp.normalize(n[i])
    va = wp.spatial_top(body_qd[a]) + wp.cross(wp.spatial_bottom(body_qd[a]), x - wp.transform_get_translation(body_q[a]))
    vb = wp.spatial_top(body_qd[b]) + wp.cross(wp.spatial_bottom(body_qd[b]), x - wp.transform_get_translation(body_q[b]))
    v = va - vb
    vn = wp.dot(v, nn)
    speed_out[i] = vn
    if present(slip):
        slip[i] = v - nn * vn


@scene("glue", "quaternion", some(sensor, camera, robot, joint),
       says="reads what an inertial sensor on each @ measures: the angular velocity and the acceleration without gravity, in its own frame",
       title="imu_kernel|read_imu|update_imu|sense_motion", topic="")
def read_imu(body_q: each(pose, body), body_qd: each(twist, body), body_a: each(wrench, body), mount: each(pose), on: index(body), gravity: setting(acceleration), gyro: out(angular_velocity), accel: out(acceleration)):
    names(body_a="body_qdd|body_acc|accel_in", mount="sensor_X|mounts|site_tf", on="sensor_body|body_ids|site_body", gravity="gravity|g|gravity", gyro="gyro|ang_vel_out|gyroscope", accel="accel|acc_out|accelerometer", b="b|body|body_id", X="X|X_ws|sensor_tf", q="q|rot|R", w="w|omega|ang", wd="wd|alpha|ang_acc", r="r|offset|arm", acc="acc|a_world|a_s")
    i = wp.tid()
    b = on[i]
    X = wp.transform_multiply(body_q[b], mount[i])
    q = wp.transform_get_rotation(X)
    w = wp.spatial_bottom(body_qd[b])
    wd = wp.spatial_bottom(body_a[b])
    r = wp.transform_get_translation(X) - wp.transform_get_translation(body_q[b])
    note("acceleration of the point that the sensor sits at|tangential and centripetal parts")
    acc = wp.spatial_top(body_a[b]) + wp.cross(wd, r) + wp.cross(w, wp.cross(w, r))
    gyro[i] = wp.quat_rotate_inv(q, w)
    accel[i] = wp.quat_rotate_inv(q, acc - gravity)
