"""Steps of bodies in motion: boxes on the ground, chains of links, hulls in water, spacecraft."""


@law("mechanics", "the force of a contact by a spring and a damper, with friction", title="contact_force|penalty_force|corner_force", private=True, function=True)
def corner_contact_force(depth: penetration, vp: velocity, ke: stiffness, kd: damping, mu: friction) -> force:
    names(vt="vt|v_tangent", push="fn|push")
    push = wp.max(ke * depth - kd * vp[1], 0.0)
    vt = wp.vec3(vp[0], 0.0, vp[2])
    return wp.vec3(0.0, push, 0.0) - wp.normalize(vt) * wp.min(mu * push, kd * wp.length(vt))


@scene("combined", "physics", "quaternion", "nested_loop", body,
       says="moves rigid boxes by one step under gravity{wind:, wind}{thrust:, a thruster} and the forces at the corners that touch the ground{tether:, held by a tether}",
       title="step_boxes|integrate_boxes|box_dynamics", topic="")
def falling_boxes(pos: inout(position, range=(0.2, 1.6)), rot: inout(rotation), vel: inout(velocity), omega: inout(angular_velocity), half: each(half_extents, range=(0.1, 0.5)), mass: each(mass), asleep: maybe(inout(flag), 0.35), wind: maybe(setting(velocity, -2.0, 2.0), 0.4), thrust: maybe(each(tension, body, range=(0.0, 8.0)), 0.3), tether: maybe(each(position), 0.4), rope: setting(rest_length, 0.5, 1.0), ke: setting(stiffness, 40.0, 120.0), kd: setting(damping, 0.5, 2.0), mu: setting(friction), dt: setting(time_step, 0.002, 0.01), touching: maybe(out(count_value), 0.4), energy_out: maybe(out(energy), 0.4)):
    names(x="x|p|pos_i", q="q|r|rot_i", v="v|u|vel_i", w="w|om|omega_i", m="m|mass_i|m_b", h="h|half_size|ext", force="force|f|f_total", torque="torque|t|t_total", arm="arm|rc|offset", corner="corner|c|corner_w", depth="depth|pen|overlap", fc="fc|f_corner|push", inertia="inertia|diag|i_body", w_body="w_body|w_loc|omega_b", t_body="t_body|t_loc|torque_b", n_touch="n_touch|hits|num_touching", air="air|rel|v_rel", rope_dir="rope_dir|along|to_anchor", taut="taut|stretch|slack")
    names(asleep="asleep|sleeping", tether="tether|anchors", rope="rope_length|tether_length", touching="touching|num_contacts", energy_out="energy|kinetic")
    b = wp.tid()
    if present(asleep):
        if asleep[b] == 1:
            return
    x = pos[b]
    q = wp.normalize(rot[b])
    v = vel[b]
    w = omega[b]
    m = mass[b]
    h = half[b]
    force = wp.vec3(0.0, -m * constant("GRAVITY|G", 9.81), 0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    if present(wind):
        note("drag grows with the square of the speed through the air|air drag")
        air = wind - v
        force += air * (0.5 * constant("AIR_DENSITY|RHO_AIR", 1.2) * constant("DRAG_AREA|CD_AREA", 0.1) * wp.length(air))
    if present(thrust):
        note("the thruster sits on the lower face|thruster along the body's own axis")
        force += wp.quat_rotate(q, wp.vec3(0.0, thrust[b], 0.0))
        match choose("spin"):
            case 1:
                torque = torque - w * constant("SPIN_DAMPING|ANGULAR_DRAG", 0.05)
            case 1:
                note("the nozzle is not quite in the middle")
                torque += wp.cross(wp.quat_rotate(q, wp.vec3(0.01, -h[1], 0.0)), wp.quat_rotate(q, wp.vec3(0.0, thrust[b], 0.0)))
    if present(tether):
        rope_dir = tether[b] - x
        taut = wp.length(rope_dir) - rope
        if taut > 0.0:
            note("a rope pulls, but does not push|only when the rope is taut")
            match choose("rope"):
                case 2:
                    force += wp.normalize(rope_dir) * (ke * taut)
                case 1:
                    rope_dir = wp.normalize(rope_dir)
                    force += rope_dir * wp.max(ke * taut - kd * wp.dot(v, rope_dir), 0.0)
    n_touch = int(0)
    match choose("corners"):
        case 2:
            for k in range(8):
                arm = wp.vec3(h[0], h[1], h[2])
                if k % 2 == 1:
                    arm[0] = -h[0]
                if (k // 2) % 2 == 1:
                    arm[1] = -h[1]
                if k // 4 == 1:
                    arm[2] = -h[2]
                arm = wp.quat_rotate(q, arm)
                corner = x + arm
                depth = -corner[1]
                if depth > 0.0:
                    fc = corner_contact_force(depth, v + wp.cross(w, arm), ke, kd, mu)
                    force += fc
                    torque += wp.cross(arm, fc)
                    n_touch += 1
        case 1:
            for sx in range(2):
                for sy in range(2):
                    for sz in range(2):
                        arm = wp.quat_rotate(q, wp.vec3(float(2 * sx - 1) * h[0], float(2 * sy - 1) * h[1], float(2 * sz - 1) * h[2]))
                        corner = x + arm
                        if corner[1] >= 0.0:
                            continue
                        fc = corner_contact_force(-corner[1], v + wp.cross(w, arm), ke, kd, mu)
                        force += fc
                        torque += wp.cross(arm, fc)
                        n_touch += 1
        case 1:
            note("the lowest corner only|the deepest corner carries the load")
            arm = wp.vec3(0.0, 0.0, 0.0)
            depth = float(-1.0e6)
            for k in range(8):
                corner = wp.quat_rotate(q, wp.vec3(h[0] * (1.0 - 2.0 * float(k % 2)), h[1] * (1.0 - 2.0 * float((k // 2) % 2)), h[2] * (1.0 - 2.0 * float(k // 4))))
                if -(x[1] + corner[1]) > depth:
                    depth = -(x[1] + corner[1])
                    arm = corner
            if depth > 0.0:
                fc = corner_contact_force(depth, v + wp.cross(w, arm), ke, kd, mu)
                force += fc
                torque += wp.cross(arm, fc)
                n_touch = 1
    note("inertia of a solid box about its axes|principal moments of inertia")
    inertia = wp.vec3(h[1] * h[1] + h[2] * h[2], h[0] * h[0] + h[2] * h[2], h[0] * h[0] + h[1] * h[1]) * (m / 3.0)
    match choose("rotation"):
        case 2:
            w_body = wp.quat_rotate_inv(q, w)
            t_body = wp.quat_rotate_inv(q, torque) - wp.cross(w_body, wp.cw_mul(inertia, w_body))
            w = wp.quat_rotate(q, w_body + wp.cw_div(t_body, inertia) * dt)
        case 1:
            note("the gyroscopic torque is left out: the steps are short|explicit, without the gyroscopic term")
            w += wp.quat_rotate(q, wp.cw_div(wp.quat_rotate_inv(q, torque), inertia)) * dt
    v += force * (dt / m)
    if maybe(0.5):
        note("keep it from spinning away|limit the spin")
        if wp.length(w) > constant("MAX_SPIN|MAX_OMEGA", 20.0):
            w = wp.normalize(w) * constant("MAX_SPIN|MAX_OMEGA", 20.0)
    if maybe(0.4):
        v = v * (1.0 - constant("LINEAR_DAMPING|DAMP", 0.1) * dt)
    if present(asleep):
        if n_touch > 2 and wp.length(v) < constant("SLEEP_SPEED|REST_SPEED", 0.5) and wp.length(w) < constant("SLEEP_SPIN|REST_SPIN", 0.8):
            fact("boxes that have come to rest fall asleep")
            asleep[b] = 1
    pos[b] = x + v * dt
    rot[b] = wp.normalize(q + wp.quat(w[0], w[1], w[2], 0.0) * q * (0.5 * dt))
    vel[b] = v
    omega[b] = w
    if present(touching):
        touching[b] = n_touch
    if present(energy_out):
        w_body = wp.quat_rotate_inv(q, w)
        energy_out[b] = 0.5 * (m * wp.dot(v, v) + wp.dot(w_body, wp.cw_mul(inertia, w_body)))


@scene("physics", "combined", "nested_loop", robot,
       says="computes the joint torques of chains of links in a plane that follow given accelerations, outwards for the motion and inwards for the forces{load:, with a load at the tip}{friction:, with friction in the joints}",
       title="planar_inverse_dynamics|chain_torques|newton_euler_chain", algorithm="recursive Newton-Euler for a planar chain", topic="",
       lossy=True)
def planar_newton_euler(theta: each(joint_angle, robot, 6), rate: each(joint_speed, robot, 6), accel: each(joint_acceleration, robot, 6), length_: each(link_length, robot, 6), mass: each(mass, robot, 6), load: maybe(each(mass, robot, range=(0.1, 1.0)), 0.5), friction: maybe(setting(joint_damping, 0.1, 0.8), 0.5), limit: maybe(setting(joint_torque, 20.0, 60.0), 0.4), torque: out(joint_torque, robot, 6), base_force: maybe(out(force2, robot), 0.5), power: maybe(out(power, robot), 0.4), tip: maybe(out(point2, robot), 0.4)):
    names(theta="theta|q", rate="rate|qd", accel="accel|qdd", length_="link_lengths|lengths", mass="link_masses|masses", cx="dir_x|ux", cy="dir_y|uy", angle="angle|phi", spin="spin|om", turn="turn|alpha", fx="force_x|fx", fy="force_y|fy", tau="tau|moment", gx="com_ax|acx", gy="com_ay|acy", l="l|len_k", m="m|m_k", jx="jx|origin_ax", jy="jy|origin_ay", load="payload|tip_mass", friction="viscous|joint_friction", limit="max_torque|torque_limit", base_force="base_force|reaction", tip="tip|end_pos", px="px|tip_x", py="py|tip_y", work="work|total_power", inertia="inertia|i_com")
    r = wp.tid()
    cx = wp.zeros(shape=constant("NUM_LINKS|DOF", 6), dtype=float)
    cy = wp.zeros(shape=constant("NUM_LINKS|DOF", 6), dtype=float)
    gx = wp.zeros(shape=constant("NUM_LINKS|DOF", 6), dtype=float)
    gy = wp.zeros(shape=constant("NUM_LINKS|DOF", 6), dtype=float)
    turn = wp.zeros(shape=constant("NUM_LINKS|DOF", 6), dtype=float)
    note("outward: gravity as an acceleration of the base|forward pass")
    angle = float(0.0)
    spin = float(0.0)
    jx = float(0.0)
    jy = float(constant("GRAVITY|G", 9.81))
    px = float(0.0)
    py = float(0.0)
    for k in range(constant("NUM_LINKS|DOF", 6)):
        angle += theta[r, k]
        spin += rate[r, k]
        if k == 0:
            turn[k] = accel[r, k]
        else:
            turn[k] = turn[k - 1] + accel[r, k]
        l = length_[r, k]
        cx[k] = wp.cos(angle)
        cy[k] = wp.sin(angle)
        note("of the centre of mass, in the middle of the link|midpoint")
        gx[k] = jx - 0.5 * l * (turn[k] * cy[k] + spin * spin * cx[k])
        gy[k] = jy + 0.5 * l * (turn[k] * cx[k] - spin * spin * cy[k])
        jx = jx - l * (turn[k] * cy[k] + spin * spin * cx[k])
        jy = jy + l * (turn[k] * cx[k] - spin * spin * cy[k])
        if present(tip):
            px += l * cx[k]
            py += l * cy[k]
    fx = float(0.0)
    fy = float(0.0)
    tau = float(0.0)
    work = float(0.0)
    if present(load):
        note("the load hangs at the tip|a point mass at the end")
        fx = load[r] * jx
        fy = load[r] * jy
    note("inward: what each joint must bear|backward pass")
    for back in range(constant("NUM_LINKS|DOF", 6)):
        k = constant("NUM_LINKS|DOF", 6) - 1 - back
        l = length_[r, k]
        m = mass[r, k]
        inertia = m * l * l / 12.0
        note("moments about the joint")
        tau = tau + inertia * turn[k] + l * (cx[k] * fy - cy[k] * fx) + 0.5 * l * m * (cx[k] * gy[k] - cy[k] * gx[k])
        fx = fx + m * gx[k]
        fy = fy + m * gy[k]
        if present(friction):
            match choose("bound"):
                case 1:
                    if present(limit):
                        torque[r, k] = wp.clamp(tau + friction * rate[r, k], -limit, limit)
                    else:
                        torque[r, k] = tau + friction * rate[r, k]
                case 1:
                    if rate[r, k] > 0.0:
                        torque[r, k] = tau + friction
                    else:
                        torque[r, k] = tau - friction
        else:
            if present(limit):
                torque[r, k] = wp.clamp(tau, -limit, limit)
            else:
                torque[r, k] = tau
        if present(power):
            work += tau * rate[r, k]
    if present(base_force):
        base_force[r] = wp.vec2(fx, fy)
    if present(power):
        power[r] = work
    if present(tip):
        tip[r] = wp.vec2(px, py)


@law("fluids", "the height of the water surface: two waves that cross", title="water_height|wave_surface|sea_level", private=True, function=True)
def crossing_waves(x: signed_distance, z: signed_distance, t: time_value, height: amplitude) -> wave_height:
    return height * (wp.sin(0.7 * x + 1.3 * t) + 0.5 * wp.sin(1.1 * z - 0.9 * t))


@scene("combined", "physics", "quaternion", "nested_loop", body,
       says="lets boxes float in waves: their volume is sampled in columns, each of which is lifted by the water that it displaces{drag:, with drag}{engine:, driven by an engine}",
       title="float_boxes|buoyant_boxes|hull_step", topic="")
def floating_boxes(pose: inout(pose), vel: inout(velocity, range=(-1.0, 1.0)), omega: inout(angular_velocity, range=(-1.0, 1.0)), half: each(half_extents, range=(0.3, 1.0)), mass: each(mass, range=(50.0, 300.0)), drag: maybe(setting(damping, 20.0, 80.0), 0.7), engine: maybe(each(tension, body, range=(-40.0, 120.0)), 0.4), rudder: setting(angle, -0.4, 0.4), height: setting(amplitude, 0.1, 0.4), t: setting(time_value), dt: setting(time_step, 0.005, 0.02), submerged: maybe(out(ratio), 0.6), capsized: maybe(out(flag), 0.4)):
    names(p="p|x|origin", q="q|r|rot", v="v|u|lin_vel", w="w|om|ang_vel", e="e|h|ext", m="m|mass_b|m_i", force="force|f|f_sum", torque="torque|tau|t_sum", arm="arm|lever|offset", place="place|at|column", water="water|surface|level", wet="wet|sunk|depth", lift="lift|buoyancy|f_up", area="area|column_area|patch", total="total|wet_sum|volume_wet", up="up|mast|body_up", vp="vp|v_col|v_at", ahead="ahead|forward|heading", inertia="inertia|i_box|diag", wl="wl|w_body|w_loc", tl="tl|t_body|t_loc")
    names(pose="pose|xform", engine="engine|propulsion", height="wave_height|wave_amplitude", t="t|sim_time", submerged="submerged|wet_share", capsized="capsized|upside_down")
    b = wp.tid()
    p = wp.transform_get_translation(pose[b])
    q = wp.normalize(wp.transform_get_rotation(pose[b]))
    v = vel[b]
    w = omega[b]
    e = half[b]
    m = mass[b]
    force = wp.vec3(0.0, -m * constant("GRAVITY|G", 9.81), 0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    total = float(0.0)
    area = 4.0 * e[0] * e[2] / float(constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4) * constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4))
    for a in range(constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4)):
        for c in range(constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4)):
            note("the foot of the column|lower end of the column, in the world")
            arm = wp.quat_rotate(q, wp.vec3(e[0] * (2.0 * (float(a) + 0.5) / float(constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4)) - 1.0), -e[1], e[2] * (2.0 * (float(c) + 0.5) / float(constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4)) - 1.0)))
            place = p + arm
            match choose("sea"):
                case 2:
                    water = crossing_waves(place[0], place[2], t, height)
                case 1:
                    water = height * wp.sin(place[0] + constant("WAVE_SPEED|OMEGA_WAVE", 1.5) * t)
            wet = wp.clamp(water - place[1], 0.0, 2.0 * e[1])
            if wet > 0.0:
                lift = wp.vec3(0.0, constant("WATER_DENSITY|RHO_WATER", 1000.0) * constant("GRAVITY|G", 9.81) * area * wet, 0.0)
                if present(drag):
                    vp = v + wp.cross(w, arm)
                    match choose("law"):
                        case 1:
                            lift = lift - vp * (drag * wet)
                        case 1:
                            note("sideways and up and down more than ahead|drag by the speed squared")
                            lift = lift - vp * (drag * wet * wp.length(vp))
                        case 1:
                            note("only up and down")
                            lift[1] = lift[1] - drag * vp[1]
                force += lift
                torque += wp.cross(arm, lift)
                total += wet
    if present(engine):
        ahead = wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0))
        match choose("steer"):
            case 1:
                force += ahead * engine[b]
                torque = torque + wp.vec3(0.0, engine[b] * e[0] * wp.sin(rudder), 0.0)
            case 1:
                note("the propeller turns with the rudder|azimuth thruster at the stern")
                vp = wp.quat_rotate(q, wp.vec3(wp.cos(rudder), 0.0, wp.sin(rudder))) * engine[b]
                force += vp
                torque += wp.cross(ahead * -e[0], vp)
    inertia = wp.vec3(e[1] * e[1] + e[2] * e[2], e[0] * e[0] + e[2] * e[2], e[0] * e[0] + e[1] * e[1]) * (m / 3.0)
    wl = wp.quat_rotate_inv(q, w)
    tl = wp.quat_rotate_inv(q, torque)
    if maybe(0.6):
        note("Euler's equations|gyroscopic torque")
        tl = tl - wp.cross(wl, wp.cw_mul(inertia, wl))
    wl += wp.cw_div(tl, inertia) * dt
    if maybe(0.5):
        wl = wl * (1.0 - constant("ROLL_DAMPING|SPIN_DECAY", 0.4) * dt)
    w = wp.quat_rotate(q, wl)
    v += force * (dt / m)
    up = wp.quat_rotate(q, wp.vec3(0.0, 1.0, 0.0))
    if present(capsized):
        if up[1] < 0.0:
            capsized[b] = 1
        else:
            capsized[b] = 0
    if present(submerged):
        submerged[b] = total / (2.0 * e[1] * float(constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4) * constant("COLUMNS|NUM_COLUMNS|SAMPLES", 4)))
    vel[b] = v
    omega[b] = w
    pose[b] = wp.transform(p + v * dt, wp.normalize(q + wp.quat(w[0], w[1], w[2], 0.0) * q * (0.5 * dt)))


@scene("quaternion", "combined", "multi_conditional", "physics", satellite,
       says="steers satellites for one step by mode: they stop their tumbling, turn towards a target or towards the sun, or only damp their rates; wheels saturate{unload=0:, and are unloaded by the magnetic field}{unload=1:, and magnetic rods help against the tumbling}",
       title="attitude_modes|satellite_control|adcs_step", topic="", lossy=True)
def satellite_modes(q: inout(rotation), w: inout(angular_velocity, range=(-0.6, 0.6)), wheels: inout(wheel_momentum), mode: kind(DETUMBLE, POINT, SUN_HOLD, SAFE), target: each(rotation), sun: each(direction), field: maybe(each(magnetic_field, satellite, range=(-0.5, 0.5)), 0.5), inertia: setting(principal_inertia, 0.5, 1.5), kp: setting(angular_stiffness, 0.05, 0.3), kd: setting(angular_damping, 0.2, 0.8), torque_max: setting(joint_torque, 0.02, 0.2), wheel_max: setting(angular_speed, 0.3, 0.5), dt: setting(time_step, 0.05, 0.2), error_out: maybe(out(angle), 0.6), saturated: maybe(add(count_value, 1), 0.4)):
    names(qi="qi|att|rot", rate="rate|om|w_body", h="h|stored|h_wheels", cmd="cmd|torque|u", err="err|e_rot|dq", axis="axis|e_vec|err_vec", angle="angle|e_angle|err_angle", off="off|turn_left|rot_angle", tilt="tilt|sun_angle|off_sun", rods="rods|mag_torque|rod_torque", sun_b="sun_b|s_body|sun_dir", dip="dip|dipole|mtq", b_body="b_body|field_b|mag_b", gyro="gyro|h_total|l_body", acc="acc|w_dot|alpha", want="want|ref|q_ref")
    names(target="target|q_cmd", wheels="wheels|h_wheel", sun="sun|sun_vectors", field="field|mag_field", torque_max="torque_max|max_torque", wheel_max="wheel_max|h_max", error_out="error_out|pointing_error", saturated="saturated|num_saturated")
    i = wp.tid()
    qi = wp.normalize(q[i])
    rate = w[i]
    h = wheels[i]
    cmd = wp.vec3(0.0, 0.0, 0.0)
    angle = float(0.0)
    if mode[i] == DETUMBLE:
        note("take out the spin, whatever the attitude|rate damping")
        cmd = rate * -kd
        angle = wp.length(rate) * dt
    elif mode[i] == POINT:
        want = wp.normalize(target[i])
        err = wp.quat_inverse(want) * qi
        match choose("short"):
            case 2:
                note("the shorter way round|q and -q are the same attitude")
                if err[3] < 0.0:
                    err = -err
                axis = wp.vec3(err[0], err[1], err[2])
                cmd = axis * (-2.0 * kp) - rate * kd
            case 1:
                axis = wp.vec3(err[0], err[1], err[2])
                cmd = axis * (-2.0 * kp * wp.sign(err[3])) - rate * kd
        if maybe(0.4):
            off = 2.0 * wp.acos(wp.clamp(wp.abs(err[3]), 0.0, 1.0))
            note("slew slower when it is far|limit the rate while far away")
            if off > constant("FAR_ANGLE|SLEW_ANGLE", 1.0):
                cmd = cmd - rate * (0.5 * kd)
            angle = off
        else:
            angle = 2.0 * wp.acos(wp.clamp(wp.abs(err[3]), 0.0, 1.0))
    elif mode[i] == SUN_HOLD:
        note("the panels, along the body's z, towards the sun")
        sun_b = wp.quat_rotate_inv(qi, wp.normalize(sun[i]))
        axis = wp.cross(wp.vec3(0.0, 0.0, 1.0), sun_b)
        match choose("sunlaw"):
            case 1:
                cmd = axis * kp - rate * kd
                angle = wp.atan2(wp.length(axis), sun_b[2])
            case 1:
                tilt = wp.atan2(wp.length(axis), sun_b[2])
                if tilt > constant("SUN_TOLERANCE|SUN_DEADBAND", 0.1):
                    cmd = axis * kp - rate * kd
                else:
                    cmd = rate * (-0.5 * kd)
                angle = tilt
    else:
        cmd = rate * (-0.1 * kd)
        angle = wp.length(rate) * dt
    note("no wheel gives more than it can|saturation")
    match choose("saturation"):
        case 2:
            for k in range(3):
                cmd[k] = wp.clamp(cmd[k], -torque_max, torque_max)
        case 1:
            note("scaled as a whole, so that the direction stays")
            if wp.length(cmd) > torque_max:
                cmd = wp.normalize(cmd) * torque_max
    for k in range(3):
        if wp.abs(h[k] - cmd[k] * dt) > wheel_max:
            note("this wheel is full")
            cmd[k] = 0.0
            if present(saturated):
                wp.atomic_add(saturated, 0, 1)
    h = h - cmd * dt
    if present(field):
        match choose("unload"):
            case 1:
                note("the rods push against the field to slow the wheels|momentum unloading")
                b_body = wp.quat_rotate_inv(qi, field[i])
                dip = wp.cross(h, b_body) * constant("UNLOAD_GAIN|K_UNLOAD", 0.05)
                h = h + wp.cross(dip, b_body) * dt
            case 1:
                if mode[i] == DETUMBLE:
                    note("B-dot: the field changes because the body turns")
                    b_body = wp.quat_rotate_inv(qi, field[i])
                    dip = wp.cross(rate, b_body) * constant("BDOT_GAIN|K_BDOT", 0.3)
                    rods = wp.cross(dip, b_body)
                    cmd = cmd + rods
    note("wheels and body turn together|gyroscopic torque")
    gyro = wp.cw_mul(inertia, rate) + h
    acc = wp.cw_div(cmd - wp.cross(rate, gyro), inertia)
    rate += acc * dt
    w[i] = rate
    wheels[i] = h
    match choose("propagate"):
        case 1:
            q[i] = wp.normalize(qi + qi * wp.quat(rate[0], rate[1], rate[2], 0.0) * (0.5 * dt))
        case 1:
            if wp.length(rate) > 1.0e-6:
                q[i] = qi * wp.quat_from_axis_angle(wp.normalize(rate), wp.length(rate) * dt)
            else:
                q[i] = qi
    if present(error_out):
        error_out[i] = angle
