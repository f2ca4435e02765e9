"""Robots and rigid bodies: integration, contacts, joints, dynamics of chains, vehicles, sensors, planning."""


@law("robots", "the velocity of a point that moves with a body", title="point_velocity|velocity_at_point|body_point_velocity", private=True)
def velocity_of_point(tw: twist, r: lever_arm) -> velocity:
    return wp.spatial_top(tw) + wp.cross(wp.spatial_bottom(tw), r)


@law("robots", "acceleration of the cart and of the pole under a force", title="cartpole_rates|cart_pole_dynamics|pole_cart_acc", private=True, function=True)
def cartpole_rates(theta: angle, omega: angular_speed, push: point_load, m: mass, mp: mass, l: length) -> (axial_acceleration, angular_rate_change):
    names(s="s|sin_t|st|sine", c="c|cos_t|ct|cosine", total="total|m_all|mt|both", temp="temp|drive|inner|u", acc="acc|theta_acc|alpha|pole_a")
    s = wp.sin(theta)
    c = wp.cos(theta)
    total = m + mp
    temp = (push + mp * l * omega * omega * s) / total
    acc = (9.81 * s - c * temp) / (l * (4.0 / 3.0 - mp * c * c / total))
    return temp - mp * l * acc * c / total, acc


@scene("physics", "quaternion", "struct", body,
       says="advances rigid bodies by a semi-implicit step from spatial forces, with gyroscopic torque and a centre of mass away from the origin of the body",
       title="integrate_bodies|integrate_rigid_bodies|semi_implicit_euler_bodies", algorithm="semi-implicit integration of rigid bodies", topic="")
def integrate_bodies(q: inout(pose), qd: inout(twist), f: each(wrench), com: each(local_position, range=(-0.3, 0.3)), inv_m: each(inverse_mass), diag: each(principal_inertia), g: setting(gravity_vector, -9.8, -1.0), dt: setting(time_step), damp: maybe(setting(damping, 0.1, 1.0), 0.5), fixed: maybe(each(flag), 0.4), top: maybe(setting(top_speed, 2.0, 4.0), 0.3)):
    names(x="x|tf", r="r|rot", p="x_com|com_world", v="v|v0", w="w|w0", wb="wb|w_body", tb="tb|torque_body", r1="r1|rot_new", q="body_q|q", qd="body_qd|qd", f="body_f|wrenches", com="body_com|com", fixed="kinematic|is_static", inv_m="inv_mass|body_inv_mass", diag="inertia|body_inertia", g="gravity|g", damp="angular_damping|damping", top="max_speed|max_velocity")
    b = wp.tid()
    if present(fixed):
        note("kinematic bodies are moved by someone else|static")
        if fixed[b] == 1:
            return
    x = q[b]
    r = wp.transform_get_rotation(x)
    p = wp.transform_point(x, com[b])
    v = wp.spatial_top(qd[b])
    w = wp.spatial_bottom(qd[b])
    v = v + (wp.spatial_top(f[b]) * inv_m[b] + g) * dt
    if present(top):
        note("very fast bodies would pass through things|limit the speed")
        if wp.length(v) > top:
            v = wp.normalize(v) * top
    note("angular part in body axes, where the inertia is diagonal")
    wb = wp.quat_rotate_inv(r, w)
    tb = wp.quat_rotate_inv(r, wp.spatial_bottom(f[b])) - wp.cross(wb, wp.cw_mul(diag[b], wb))
    w = wp.quat_rotate(r, wb + wp.cw_div(tb, diag[b]) * dt)
    if present(damp):
        w = w * (1.0 - damp * dt)
    r1 = wp.normalize(r + wp.quat(w[0], w[1], w[2], 0.0) * r * (0.5 * dt))
    p = p + v * dt
    note("back from the centre of mass to the origin of the body")
    q[b] = wp.transform(p - wp.quat_rotate(r1, com[b]), r1)
    qd[b] = wp.spatial_vector(v, w)


@scene("physics", "atomic", "quaternion", contact,
       says="computes spring, damper and friction forces at the contact points of pairs of bodies and adds them as wrenches to both",
       title="eval_body_contacts|rigid_contact_forces|penalty_contacts|soft_contact_wrenches", algorithm="penalty contact with regularised Coulomb friction")
def body_contacts(pair: index(body, 2), q: each(pose, body), qd: each(twist, body), pa: each(local_position), pb: each(local_position), n: each(normal), ke: setting(stiffness), kd: setting(damping), kf: setting(damping), mu: setting(friction), thick: maybe(each(thickness), 0.4), f: add(wrench, body), depth_out: maybe(out(penetration), 0.5), slipping: maybe(add(count_value, 1), 0.4)):
    names(i="i|ba|body_a|ia", j="j|bb|body_b|ib", xa="xa|point_a|wa|on_a", xb="xb|point_b|wb|on_b", ra="ra|lever_a|arm_a|r_a", rb="rb|lever_b|arm_b|r_b", nn="nn|dir_n|unit_n|axis_n", d="d|gap|sep|dist", v="v|rel_v|dv|v_rel", vn="vn|normal_v|v_n|approach", vt="vt|slide|tangent_v|v_t", fn="fn|press|normal_f|f_n", ft="ft|drag_f|friction_f|f_t", total="total|force|f_c|impact", s="s|slide_v|speed_t|slip_v", pair="pair|contact_bodies|body_pair|shape_pair", ke="ke|contact_ke|penalty|spring_k", kf="kf|contact_kf|friction_gain|slip_gain")
    c = wp.tid()
    i = pair[c, 0]
    j = pair[c, 1]
    if i == j:
        return
    nn = wp.normalize(n[c])
    xa = wp.transform_point(q[i], pa[c])
    xb = wp.transform_point(q[j], pb[c])
    d = wp.dot(nn, xa - xb)
    if present(thick):
        d = d - thick[c]
    if present(depth_out):
        depth_out[c] = wp.min(d, 0.0)
    note("apart: no force|only pushing")
    if d >= 0.0:
        return
    ra = xa - wp.transform_get_translation(q[i])
    rb = xb - wp.transform_get_translation(q[j])
    v = velocity_of_point(qd[i], ra) - velocity_of_point(qd[j], rb)
    vn = wp.dot(nn, v)
    vt = v - nn * vn
    note("spring by depth, damper only while the bodies approach")
    fn = -ke * d - kd * wp.min(vn, 0.0)
    s = wp.length(vt)
    ft = wp.vec3(0.0, 0.0, 0.0)
    if s > constant("SLIP_EPS|MIN_SLIP", 1.0e-4):
        note("viscous up to the cone of friction|regularised Coulomb")
        ft = vt * (-wp.min(kf * s, mu * fn) / s)
        if present(slipping):
            if kf * s > mu * fn:
                wp.atomic_add(slipping, 0, 1)
    total = nn * fn + ft
    wp.atomic_add(f, i, wp.spatial_vector(total, wp.cross(ra, total)))
    wp.atomic_sub(f, j, wp.spatial_vector(total, wp.cross(rb, total)))


@scene("physics", "quaternion", "multi_conditional", joint,
       says="holds the frames of joints together with springs in position and, by kind of joint, in angle, and adds the reaction to both bodies",
       title="joint_attachment_forces|eval_joint_forces|hold_joints|joint_spring_wrenches", algorithm="maximal-coordinate joints by springs")
def joint_springs(parent: index(body), child: index(body), type_of: kind(BALL, HINGE, WELD), frame_p: each(bone_pose), frame_c: each(bone_pose), q: each(pose, body), qd: each(twist, body), ke: setting(joint_stiffness), kd: setting(joint_damping), f: add(wrench, body), drift: maybe(out(distance), 0.5), target: maybe(each(joint_angle, range=(-1.0, 1.0)), 0.4), drive: maybe(setting(joint_stiffness, 2.0, 10.0), 1.0)):
    names(i="i|bp|parent_b|ip", j="j|bc|child_b|ic", xp="xp|X_wp|anchor_p|tf_p", xc="xc|X_wc|anchor_c|tf_c", pp="pp|pos_p|at_p|org_p", pc="pc|pos_c|at_c|org_c", rp="rp|rot_p|qp|basis_p", e="diff|rel_q|q_err|twist_q", ang="ang|rot_err|phi|tilt_v", axis="axis|hinge_axis|free_axis|pin", rip="rip|lever_p|arm_p|r_p", ric="ric|lever_c|arm_c|r_c", v="v|rel_v|vel_err|dv", w="w|rel_w|w_err|dw", force_j="force_j|hold|f_lin|pull_f", torque_j="torque_j|turn|f_ang|align_t", turn_now="turn_now|hinge_q|cur_angle|theta_j", parent="parent|joint_parent|parent_body|body_from", child="child|joint_child|child_body|body_to", frame_p="frame_p|X_pj|parent_frame|joint_parent_tf", frame_c="frame_c|X_cj|child_frame|joint_child_tf", type_of="joint_type_id|joint_type|joint_kind|connection")
    k = wp.tid()
    i = parent[k]
    j = child[k]
    if i == j:
        return
    xp = wp.transform_multiply(q[i], frame_p[k])
    xc = wp.transform_multiply(q[j], frame_c[k])
    pp = wp.transform_get_translation(xp)
    pc = wp.transform_get_translation(xc)
    rip = pp - wp.transform_get_translation(q[i])
    ric = pc - wp.transform_get_translation(q[j])
    v = velocity_of_point(qd[j], ric) - velocity_of_point(qd[i], rip)
    w = wp.spatial_bottom(qd[j]) - wp.spatial_bottom(qd[i])
    force_j = (pc - pp) * ke + v * kd
    if present(drift):
        drift[k] = wp.length(pc - pp)
    torque_j = wp.vec3(0.0, 0.0, 0.0)
    if type_of[k] != BALL:
        rp = wp.transform_get_rotation(xp)
        e = wp.quat_inverse(rp) * wp.transform_get_rotation(xc)
        note("the short way round|same rotation, positive real part")
        if e[3] < 0.0:
            e = -e
        ang = wp.vec3(e[0], e[1], e[2]) * 2.0
        if type_of[k] == HINGE:
            note("turning about the x axis of the joint is free")
            ang = wp.vec3(0.0, ang[1], ang[2])
            axis = wp.quat_rotate(rp, wp.vec3(1.0, 0.0, 0.0))
            w = w - axis * wp.dot(w, axis)
            if present(target) and present(drive):
                note("motor towards the target angle|position drive")
                turn_now = 2.0 * wp.atan2(e[0], e[3])
                torque_j = axis * (drive * (turn_now - target[k]))
        torque_j = torque_j + wp.quat_rotate(rp, ang) * ke + w * kd
    wp.atomic_add(f, i, wp.spatial_vector(force_j, torque_j + wp.cross(rip, force_j)))
    wp.atomic_sub(f, j, wp.spatial_vector(force_j, torque_j + wp.cross(ric, force_j)))


@scene("physics", "nested_loop", "combined", "quaternion", vehicle,
       says="computes suspension and tyre forces at the four wheels of each vehicle and sums them to a wrench on its body",
       title="vehicle_suspension|raycast_wheels|wheel_forces|tire_and_spring_forces", algorithm="ray-cast suspension with a friction circle")
def raycast_suspension(x: each(pose, range=(0.1, 0.8)), qd: each(twist), mount: each(local_position, 4), steer: each(steering_angle), gas: each(point_load), rest: setting(rest_length, 0.8, 1.4), ks: setting(stiffness, 20.0, 60.0), c: setting(damping, 0.5, 2.0), mu: setting(friction, 0.4, 0.9), grip: setting(damping, 1.0, 2.0), f: out(wrench), on_ground: maybe(out(count_value), 0.6), skid: maybe(out(flag), 0.4)):
    names(x="x|chassis_pose|vehicle_tf|body_q", tf="tf|X_wb|chassis|body_tf", rot="rot|q_b|attitude|body_rot", up="up|body_up|axis_up|y_b", p="p|hub|wheel_p|attach", l="l|travel|ray_l|height_w", squeeze="squeeze|comp|deflect|stroke", r="r|arm|lever|off_w", v="v|hub_v|wheel_v|pv", fs="fs|spring_f|load_w|normal_f", head="head|roll_dir|fwd|heading_w", side="side|lat_dir|axle|slip_dir", flat="flat|tire_f|grip_f|plane_f", total="total|sum_f|force_b|f_acc", turn="turn|sum_t|torque_b|t_acc", n="n|touching|contacts_w|down", slid="slid|skids|slips|lost", mount="mount|wheel_mounts|hubs|strut_top", gas="gas|engine_force|drive_force|throttle_f")
    i = wp.tid()
    tf = x[i]
    rot = wp.transform_get_rotation(tf)
    up = wp.quat_rotate(rot, wp.vec3(0.0, 1.0, 0.0))
    total = wp.vec3(0.0, 0.0, 0.0)
    turn = wp.vec3(0.0, 0.0, 0.0)
    n = int(0)
    slid = int(0)
    note("a vehicle on its side has no wheel on the ground|rolled over")
    if up[1] > number(0.2, 0.4, "rolled"):
        for k in range(4):
            p = wp.transform_point(tf, mount[k])
            l = p[1] / up[1]
            squeeze = rest - l
            if squeeze > 0.0:
                n += 1
                r = p - up * l - wp.transform_get_translation(tf)
                v = velocity_of_point(qd[i], r)
                note("springs push, they never pull")
                fs = wp.max(ks * squeeze - c * wp.dot(v, up), 0.0)
                head = wp.quat_rotate(rot, wp.vec3(0.0, 0.0, 1.0))
                if k < 2:
                    note("front wheels turn")
                    head = wp.quat_rotate(rot, wp.vec3(wp.sin(steer[i]), 0.0, wp.cos(steer[i])))
                side = wp.cross(up, head)
                flat = side * (-grip * wp.dot(v, side))
                if k >= 2:
                    note("rear wheels drive")
                    flat = flat + head * (0.5 * gas[i])
                note("no more than the load allows, in any direction|friction circle")
                if wp.length(flat) > mu * fs:
                    flat = wp.normalize(flat) * (mu * fs)
                    slid = int(1)
                total += up * fs + flat
                turn += wp.cross(r, up * fs + flat)
    f[i] = wp.spatial_vector(total, turn)
    if present(on_ground):
        on_ground[i] = n
    if present(skid):
        skid[i] = slid


@scene("physics", "quaternion", "arithmetic", robot,
       says="advances quadrotors by one step: motors follow their commands with a lag, thrust and drag torque turn and lift the body",
       title="quadrotor_step|drone_dynamics|multirotor_step|fly_quadrotors", algorithm="rigid quadrotor with first-order motors",
       lossy=True)
def quadrotor(q: inout(pose), qd: inout(twist), rotor: inout(rotor_speed, robot, 4), cmd: each(rotor_speed, robot, 4), ct: setting(thrust_coefficient), m: setting(mass, 0.5, 2.0), diag: setting(principal_inertia), arm: setting(link_length, 0.4, 0.6), tau_m: setting(time_value, 0.05, 0.2), kq: setting(ratio, 0.02, 0.1), drag: maybe(setting(drag_coefficient), 0.5), dt: setting(time_step, 0.001, 0.01), crashed: maybe(out(flag), 0.4)):
    names(r="r|rot|att|q_b", v="v|vel_b|lin|v_w", w="w|rate_b|omega|w_w", f0="f0|t_front|thrust_f|lift0", f1="f1|t_right|thrust_r|lift1", f2="f2|t_back|thrust_b|lift2", f3="f3|t_left|thrust_l|lift3", lift="lift|total_t|collective|thrust_sum", tb="tb|moment_b|body_t|torques", acc="acc|lin_acc|a_w|v_dot", wb="wb|w_local|body_w|gyro_b", follow="follow|blend_m|lag|motor_a", p="p|pos_b|place|xyz", rotor="rotor|motor_speed|rotor_omega|prop_speed", cmd="cmd|motor_cmd|rotor_target|esc_cmd", kq="kq|torque_ratio|drag_ratio|yaw_coeff", drag="drag|linear_drag|air_drag|body_drag")
    i = wp.tid()
    note("motors need time|first-order lag, exact over the step")
    follow = 1.0 - wp.exp(-dt / tau_m)
    for k in range(4):
        rotor[i, k] = rotor[i, k] + (cmd[i, k] - rotor[i, k]) * follow
    f0 = propeller_thrust(ct, rotor[i, 0])
    f1 = propeller_thrust(ct, rotor[i, 1])
    f2 = propeller_thrust(ct, rotor[i, 2])
    f3 = propeller_thrust(ct, rotor[i, 3])
    lift = f0 + f1 + f2 + f3
    note("front and back turn one way, left and right the other|plus configuration")
    tb = wp.vec3((f2 - f0) * arm, kq * (f0 + f2 - f1 - f3), (f1 - f3) * arm)
    r = wp.transform_get_rotation(q[i])
    v = wp.spatial_top(qd[i])
    w = wp.spatial_bottom(qd[i])
    acc = wp.quat_rotate(r, wp.vec3(0.0, lift / m, 0.0)) + wp.vec3(0.0, -9.81, 0.0)
    if present(drag):
        acc = acc - v * (drag / m)
    wb = wp.quat_rotate_inv(r, w)
    wb = wb + wp.cw_div(tb - wp.cross(wb, wp.cw_mul(diag, wb)), diag) * dt
    w = wp.quat_rotate(r, wb)
    v = v + acc * dt
    p = wp.transform_get_translation(q[i]) + v * dt
    if present(crashed):
        crashed[i] = 0
    if p[1] < 0.0:
        note("the ground stops the fall|landed or crashed")
        if present(crashed):
            if v[1] < -1.0:
                crashed[i] = 1
        p[1] = 0.0
        v[1] = wp.max(v[1], 0.0)
    r = wp.normalize(r + wp.quat(w[0], w[1], w[2], 0.0) * r * (0.5 * dt))
    q[i] = wp.transform(p, r)
    qd[i] = wp.spatial_vector(v, w)


@scene("physics", "control_flow", "random", robot,
       says="steps many cart-poles at once for reinforcement learning: dynamics, reward, end of the episode and random restart",
       title="cartpole_env_step|step_environments|balance_envs|simulate_cartpoles", algorithm="cart-pole environment")
def cartpole_env(x: inout(axial_position, range=(-2.6, 2.6)), v: inout(axial_velocity, range=(-1.0, 1.0)), th: inout(tilt_angle, range=(-0.3, 0.3)), om: inout(angular_speed, range=(-1.0, 1.0)), act: each(control_command, range=(-12.0, 12.0)), m: setting(mass, 0.8, 1.5), mp: setting(mass, 0.2, 0.4), l: setting(length, 0.4, 0.7), limit: setting(length, 2.0, 2.5), lean: setting(slope_angle, 0.15, 0.25), dt: setting(time_step, 0.01, 0.03), seed: setting(seed), age: inout(count_value), reward_out: out(reward), done: maybe(out(flag), 0.7)):
    names(push="push|force_c|u|action_f", ax="ax|cart_a|acc_x|x_ddot", at="at|pole_a|acc_t|th_ddot", xn="xn|x_new|cart_x|pos_n", vn="vn|v_new|cart_v|vel_n", tn="tn|th_new|pole_t|ang_n", wn="wn|om_new|pole_w|rate_n", over="over|failed|terminal|ended", rng="rng|state|gen|rnd", act="act|actions|controls|policy_out", age="age|episode_len|step_count|progress", done="done|terminated|reset_buf|dones", lean="lean|max_tilt|angle_limit|fall_angle")
    i = wp.tid()
    push = wp.clamp(act[i], -10.0, 10.0)
    ax, at = cartpole_rates(th[i], om[i], push, m, mp, l)
    match choose("scheme"):
        case 2:
            note("velocities first, then positions with the new ones|semi-implicit Euler")
            vn = v[i] + ax * dt
            wn = om[i] + at * dt
            xn = x[i] + vn * dt
            tn = th[i] + wn * dt
        case 1:
            xn = x[i] + v[i] * dt
            tn = th[i] + om[i] * dt
            vn = v[i] + ax * dt
            wn = om[i] + at * dt
    over = int(0)
    if wp.abs(xn) > limit or wp.abs(tn) > lean:
        over = int(1)
    match choose("reward"):
        case 1:
            note("one for every step upright|survival reward")
            reward_out[i] = float(1 - over)
        case 1:
            note("upright and in the middle, with little effort|shaped reward")
            reward_out[i] = 1.0 - tn * tn - 0.1 * xn * xn - 0.001 * push * push
    if present(done):
        done[i] = over
    if over == 1:
        note("start again near the middle|reset")
        rng = wp.rand_init(seed, i + age[i])
        x[i] = wp.randf(rng, -0.05, 0.05)
        v[i] = 0.0
        th[i] = wp.randf(rng, -0.05, 0.05)
        om[i] = 0.0
        age[i] = 0
        return
    x[i] = xn
    v[i] = vn
    th[i] = tn
    om[i] = wn
    age[i] = age[i] + 1


@scene("geometry", "nested_loop", "math", (robot, ray),
       says="measures the ranges that the beams of planar laser scanners would return among walls given as segments",
       title="lidar_scan|simulate_laser|scan_walls|planar_lidar", algorithm="ray casting of a planar laser scanner", lossy=True)
def lidar_scan(pose_r: each(planar_pose, robot), a: each(point2, item), b: each(point2, item), fov: setting(wrap_angle, 3.0, 6.0), far: setting(ray_distance, 2.0, 4.0), range_out: out(hit_distance, robot, ray), wall_out: maybe(out(index_value, robot, ray), 0.5), free: maybe(add(count_value, robot), 0.4)):
    names(phi="phi|beam_a|bearing_b|theta_b", d="d|beam_d|dir_b|ray_d", best="best|t_best|range_b|nearest_t", who="who|wall_k|seg_id|hit_w", e="edge_v|wall_v|along|seg_d", o="o|to_start|rel|gap_a", den="den|cross_de|det|denom", t="t|dist_t|ray_t|along_b", s="s|frac_s|wall_s|seg_t", pose_r="pose_r|robot_xyt|scanner_pose|base_poses", a="a|wall_start|seg_a|wall_p0", b="b|wall_end|seg_b|wall_p1", fov="fov|field_of_view|scan_angle|aperture_angle", far="far|max_range|range_limit|sensor_reach")
    r, k = wp.tid()
    phi = pose_r[r][2] + fov * (float(k) / float(count(ray)) - 0.5)
    d = wp.vec2(wp.cos(phi), wp.sin(phi))
    best = float(far)
    who = int(-1)
    for j in range(count(item)):
        e = b[j] - a[j]
        o = a[j] - wp.vec2(pose_r[r][0], pose_r[r][1])
        den = d[0] * e[1] - d[1] * e[0]
        note("a beam along a wall sees only its edge|parallel")
        if wp.abs(den) < constant("PARALLEL_EPS|DET_EPS", 1.0e-5):
            continue
        t = (o[0] * e[1] - o[1] * e[0]) / den
        s = (o[0] * d[1] - o[1] * d[0]) / den
        if t > 0.0 and t < best and s >= 0.0 and s <= 1.0:
            best = t
            who = j
    range_out[r, k] = best
    if present(wall_out):
        wall_out[r, k] = who
    if present(free):
        if who < 0:
            wp.atomic_add(free, r, 1)


@scene("random", "nested_loop", "physics", path,
       says="rolls out randomly disturbed steering plans of a car to a goal among obstacles{!weight_out: and sums up the cost of each}{weight_out: and weights them by their cost}",
       title="mppi_rollouts|sample_trajectories|path_integral_control|rollout_costs", algorithm="model predictive path integral control")
def mppi_rollouts(nominal: each(turn_rate, 12, range=(-1.0, 1.0)), start: setting(planar_pose, -0.5, 0.5), goal: setting(point2), wall: each(point2, 6), r: setting(radius, 0.2, 0.5), speed_c: setting(speed, 0.5, 2.0), sigma: setting(ratio, 0.2, 0.6), dt: setting(time_step, 0.02, 0.05), lam: setting(temperature_scale), seed: setting(seed), cost_out: out(path_cost), weight_out: maybe(out(weight), 0.7), crash: maybe(out(flag), 0.5)):
    names(rng="rng|state|gen|rnd", x="x|px|car_x|east", y="y|py|car_y|north", h="h|yaw|psi|head", u="u|steer_u|ctrl|turn_k", noise="noise|eps_u|kick|jitter", total="total|cost_s|traj_cost|j_cost", d="d|gap|clear|dist_o", hit="hit|bumped|struck|collided", gx="gx|to_goal_x|ex|left_x", gy="gy|to_goal_y|ey|left_y", nominal="plan|nominal_u|controls|mean_plan", wall="wall|obstacles|pillars|posts", lam="lam|temperature|inverse_gain|softness")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    x = float(start[0])
    y = float(start[1])
    h = float(start[2])
    total = float(0.0)
    hit = int(0)
    for t in range(constant("HORIZON|PLAN_STEPS", 12)):
        noise = sigma * (2.0 * wp.randf(rng) - 1.0)
        u = wp.clamp(nominal[t] + noise, -1.5, 1.5)
        h += u * dt
        x += speed_c * wp.cos(h) * dt
        y += speed_c * wp.sin(h) * dt
        note("price of the disturbance|control cost")
        total += number(0.05, 0.2, "effort") * u * u * dt
        for k in range(6):
            d = wp.sqrt((x - wall[k][0]) * (x - wall[k][0]) + (y - wall[k][1]) * (y - wall[k][1]))
            if d < r:
                note("inside an obstacle: the plan is worthless|collision penalty")
                total += 10.0 * dt
                hit = int(1)
    gx = goal[0] - x
    gy = goal[1] - y
    note("what is left to the goal|terminal cost")
    total += gx * gx + gy * gy
    cost_out[i] = total
    if present(weight_out):
        weight_out[i] = wp.exp(-total / lam)
    if present(crash):
        crash[i] = hit


@scene("geometry", "control_flow", "nested_loop", "vector", query,
       says="grows a search tree towards random targets: nearest node, limited step, and a check of the new branch against round obstacles",
       title="rrt_extend|grow_tree|extend_search_tree|steer_to_samples", algorithm="extension step of a rapidly exploring random tree",
       lossy=True)
def rrt_extend(target: each(point2), tree: each(point2, node), wall: each(point2, item), r: each(radius, item, range=(0.1, 0.5)), reach: setting(step_length, 0.2, 0.5), checks: setting(steps_value, 3, 6), goal: maybe(setting(point2, -1.0, 1.0), 0.4), new_out: out(point2), parent_out: out(index_value), free: maybe(out(flag), 0.7), near_goal: maybe(add(count_value, 1), 1.0)):
    names(r="r|obstacle_radius|disc_radius|clearance_r", best="best|nearest_d|d_min|closest_d", who="who|near_id|parent_k|best_n", d="d|gap|dist_n|away", p="p|fresh|q_new|branch_end", q="q|probe|check_p|mid_q", ok="ok|clear_f|valid|open_b", tree="tree|tree_nodes|vertices_t|roadmap", wall="wall|obstacles|pillars|discs", target="target|samples_q|random_points|x_rand", reach="reach|step_size|max_extend|eta_step")
    i = wp.tid()
    best = float(100.0)
    who = int(0)
    for k in range(count(node)):
        d = wp.length(target[i] - tree[k])
        if d < best:
            best = d
            who = k
    p = target[i]
    if best > reach:
        note("only a short step towards the target|steer")
        p = tree[who] + (target[i] - tree[who]) * (reach / best)
    ok = int(1)
    for m in range(checks):
        q = wp.lerp(tree[who], p, float(m + 1) / float(checks))
        for k in range(count(item)):
            if wp.length(q - wall[k]) < r[k]:
                ok = int(0)
        if ok == 0:
            note("blocked: no need to look further|collision")
            break
    parent_out[i] = who
    if ok == 1:
        new_out[i] = p
    else:
        new_out[i] = tree[who]
    if present(free):
        free[i] = ok
    if present(goal) and present(near_goal):
        if ok == 1 and wp.length(p - goal) < number(0.3, 0.6, "close"):
            wp.atomic_add(near_goal, 0, 1)
