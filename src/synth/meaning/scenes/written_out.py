"""Long works written out step by step: lattice gases, walkers in training, membranes with many channels, gas fluxes, clouds."""


@scene("stencil", "physics", "combined", cell,
       says="streams and collides a lattice gas with nine velocities, written out direction by direction: {edges=0:periodic edges}{edges=1:closed edges}, bounce-back at obstacles{force:, a body force}{moving:, a moving lid}{g_in:, heat that is carried along}, {collision=0:one relaxation time}{collision=1:two relaxation times}{collision=2:relaxation with an eddy viscosity}",
       title="d2q9_cell|lattice_gas_cell|lbm_written_out", topic="")
def written_lattice(f_in: each(lattice_population, cell, cell, 9), solid: each(flag), omega: setting(relaxation, 0.8, 1.6), force: maybe(setting(vector2, -0.002, 0.002), 0.5), moving: maybe(setting(small_angle, 0.02, 0.08), 0.35), smag: setting(ratio, 0.1, 0.2), g_in: maybe(each(lattice_population, cell, cell, 5), 0.6), omega_t: setting(relaxation, 0.8, 1.6), g_new: out(lattice_population, cell, cell, 5), warm_out: maybe(out(ratio), 0.5), f_new: out(lattice_population, cell, cell, 9), rho_out: maybe(out(lattice_density), 0.5), u_out: maybe(out(lattice_velocity), 0.5), vort: maybe(out(scalar_vorticity), 0.3)):
    names(ip="ip|xp|east", im="im|xm|west", jp="jp|yp|north", jm="jm|ym|south", ux="ux|vx|vel_x", uy="uy|vy|vel_y", u2="u2|usq|uu", rho="rho|dens|mass_c", tau_e="tau_e|om|w_eff", q_xx="q_xx|s_xx|neq_xx", q_xy="q_xy|s_xy|neq_xy", q_yy="q_yy|s_yy|neq_yy", mag="mag|q_mag|neq_norm", warm="warm|temp_c|heat_c")
    names(f_in="f_in|f", omega="omega|relax", g_in="g_in|g", g_new="g_new|g_out", omega_t="omega_t|relax_heat", warm_out="warm_out|temp_out", force="force|body_force", moving="lid_speed|u_lid", smag="smagorinsky|c_smag", f_new="f_new|f_out", rho_out="rho_out|density_out", u_out="u_out|velocity_out")
    i, j = wp.tid()
    if solid[i, j] == 1:
        return
    match choose("edges"):
        case 2:
            ip = (i + 1) % count(cell, 0)
            im = (i + count(cell, 0) - 1) % count(cell, 0)
            jp = (j + 1) % count(cell, 1)
            jm = (j + count(cell, 1) - 1) % count(cell, 1)
        case 1:
            ip = wp.min(i + 1, count(cell, 0) - 1)
            im = wp.max(i - 1, 0)
            jp = wp.min(j + 1, count(cell, 1) - 1)
            jm = wp.max(j - 1, 0)
    note("pull from the neighbours, or back from the wall|streaming with bounce-back")
    f0 = f_in[i, j, 0]
    f1 = f_in[im, j, 1]
    f2 = f_in[i, jm, 2]
    f3 = f_in[ip, j, 3]
    f4 = f_in[i, jp, 4]
    f5 = f_in[im, jm, 5]
    f6 = f_in[ip, jm, 6]
    f7 = f_in[ip, jp, 7]
    f8 = f_in[im, jp, 8]
    if solid[im, j] == 1:
        f1 = f_in[i, j, 3]
    if solid[i, jm] == 1:
        f2 = f_in[i, j, 4]
    if solid[ip, j] == 1:
        f3 = f_in[i, j, 1]
    if solid[i, jp] == 1:
        f4 = f_in[i, j, 2]
    if solid[im, jm] == 1:
        f5 = f_in[i, j, 7]
    if solid[ip, jm] == 1:
        f6 = f_in[i, j, 8]
    if solid[ip, jp] == 1:
        f7 = f_in[i, j, 5]
    if solid[im, jp] == 1:
        f8 = f_in[i, j, 6]
    if present(moving):
        if j == count(cell, 1) - 1:
            note("the lid drags the gas along|moving wall")
            f7 = f7 - moving / 6.0
            f8 = f8 + moving / 6.0
    rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
    ux = (f1 - f3 + f5 - f6 - f7 + f8) / rho
    uy = (f2 - f4 + f5 + f6 - f7 - f8) / rho
    if present(force):
        ux += 0.5 * force[0] / rho
        uy += 0.5 * force[1] / rho
    if present(g_in):
        note("heat is carried along and lifts the gas|five directions for the temperature")
        g0 = g_in[i, j, 0]
        g1 = g_in[im, j, 1]
        g2 = g_in[i, jm, 2]
        g3 = g_in[ip, j, 3]
        g4 = g_in[i, jp, 4]
        if solid[im, j] == 1:
            g1 = g_in[i, j, 3]
        if solid[i, jm] == 1:
            g2 = g_in[i, j, 4]
        if solid[ip, j] == 1:
            g3 = g_in[i, j, 1]
        if solid[i, jp] == 1:
            g4 = g_in[i, j, 2]
        warm = g0 + g1 + g2 + g3 + g4
        uy += constant("BUOYANCY|LIFT|BETA_G", 0.005) * warm
        g_new[i, j, 0] = g0 + omega_t * (warm / 3.0 - g0)
        g_new[i, j, 1] = g1 + omega_t * (warm / 6.0 * (1.0 + 3.0 * ux) - g1)
        g_new[i, j, 2] = g2 + omega_t * (warm / 6.0 * (1.0 + 3.0 * uy) - g2)
        g_new[i, j, 3] = g3 + omega_t * (warm / 6.0 * (1.0 - 3.0 * ux) - g3)
        g_new[i, j, 4] = g4 + omega_t * (warm / 6.0 * (1.0 - 3.0 * uy) - g4)
        if present(warm_out):
            warm_out[i, j] = warm
    u2 = 1.5 * (ux * ux + uy * uy)
    e0 = 4.0 / 9.0 * rho * (1.0 - u2)
    e1 = rho / 9.0 * (1.0 + 3.0 * ux + 4.5 * ux * ux - u2)
    e2 = rho / 9.0 * (1.0 + 3.0 * uy + 4.5 * uy * uy - u2)
    e3 = rho / 9.0 * (1.0 - 3.0 * ux + 4.5 * ux * ux - u2)
    e4 = rho / 9.0 * (1.0 - 3.0 * uy + 4.5 * uy * uy - u2)
    e5 = rho / 36.0 * (1.0 + 3.0 * (ux + uy) + 4.5 * (ux + uy) * (ux + uy) - u2)
    e6 = rho / 36.0 * (1.0 + 3.0 * (uy - ux) + 4.5 * (uy - ux) * (uy - ux) - u2)
    e7 = rho / 36.0 * (1.0 - 3.0 * (ux + uy) + 4.5 * (ux + uy) * (ux + uy) - u2)
    e8 = rho / 36.0 * (1.0 + 3.0 * (ux - uy) + 4.5 * (ux - uy) * (ux - uy) - u2)
    match choose("collision"):
        case 2:
            f0 = f0 + omega * (e0 - f0)
            f1 = f1 + omega * (e1 - f1)
            f2 = f2 + omega * (e2 - f2)
            f3 = f3 + omega * (e3 - f3)
            f4 = f4 + omega * (e4 - f4)
            f5 = f5 + omega * (e5 - f5)
            f6 = f6 + omega * (e6 - f6)
            f7 = f7 + omega * (e7 - f7)
            f8 = f8 + omega * (e8 - f8)
        case 2:
            note("what is the same both ways relaxes with one rate, what is opposite with the other|two relaxation times")
            om_minus = 1.0 / (0.5 + 0.25 / (1.0 / omega - 0.5))
            even1 = 0.5 * omega * (e1 + e3 - f1 - f3)
            odd1 = 0.5 * om_minus * (e1 - e3 - f1 + f3)
            even2 = 0.5 * omega * (e2 + e4 - f2 - f4)
            odd2 = 0.5 * om_minus * (e2 - e4 - f2 + f4)
            even5 = 0.5 * omega * (e5 + e7 - f5 - f7)
            odd5 = 0.5 * om_minus * (e5 - e7 - f5 + f7)
            even6 = 0.5 * omega * (e6 + e8 - f6 - f8)
            odd6 = 0.5 * om_minus * (e6 - e8 - f6 + f8)
            f0 = f0 + omega * (e0 - f0)
            f1 = f1 + even1 + odd1
            f3 = f3 + even1 - odd1
            f2 = f2 + even2 + odd2
            f4 = f4 + even2 - odd2
            f5 = f5 + even5 + odd5
            f7 = f7 + even5 - odd5
            f6 = f6 + even6 + odd6
            f8 = f8 + even6 - odd6
        case 2:
            note("the eddies that the grid does not see take part|Smagorinsky's model")
            q_xx = f1 - e1 + f3 - e3 + f5 - e5 + f6 - e6 + f7 - e7 + f8 - e8
            q_yy = f2 - e2 + f4 - e4 + f5 - e5 + f6 - e6 + f7 - e7 + f8 - e8
            q_xy = f5 - e5 - f6 + e6 + f7 - e7 - f8 + e8
            mag = wp.sqrt(q_xx * q_xx + 2.0 * q_xy * q_xy + q_yy * q_yy + 1.0e-12)
            tau_e = 0.5 * (1.0 / omega + wp.sqrt(1.0 / (omega * omega) + 18.0 * 1.4142 * smag * smag * mag / rho))
            f0 = f0 + (e0 - f0) / tau_e
            f1 = f1 + (e1 - f1) / tau_e
            f2 = f2 + (e2 - f2) / tau_e
            f3 = f3 + (e3 - f3) / tau_e
            f4 = f4 + (e4 - f4) / tau_e
            f5 = f5 + (e5 - f5) / tau_e
            f6 = f6 + (e6 - f6) / tau_e
            f7 = f7 + (e7 - f7) / tau_e
            f8 = f8 + (e8 - f8) / tau_e
    if present(force):
        note("the force enters with the weights of the directions|forcing")
        f1 = f1 + force[0] / 3.0
        f3 = f3 - force[0] / 3.0
        f2 = f2 + force[1] / 3.0
        f4 = f4 - force[1] / 3.0
        f5 = f5 + (force[0] + force[1]) / 12.0
        f6 = f6 + (force[1] - force[0]) / 12.0
        f7 = f7 - (force[0] + force[1]) / 12.0
        f8 = f8 + (force[0] - force[1]) / 12.0
    f_new[i, j, 0] = f0
    f_new[i, j, 1] = f1
    f_new[i, j, 2] = f2
    f_new[i, j, 3] = f3
    f_new[i, j, 4] = f4
    f_new[i, j, 5] = f5
    f_new[i, j, 6] = f6
    f_new[i, j, 7] = f7
    f_new[i, j, 8] = f8
    if present(rho_out):
        rho_out[i, j] = rho
    if present(u_out):
        u_out[i, j] = wp.vec2(ux, uy)
    if present(vort):
        note("of the gas that came in, by its momentum on both sides|from the neighbours' momentum")
        vort[i, j] = 0.5 * (f_in[ip, j, 2] - f_in[ip, j, 4] - f_in[im, j, 2] + f_in[im, j, 4]) - 0.5 * (f_in[i, jp, 1] - f_in[i, jp, 3] - f_in[i, jm, 1] + f_in[i, jm, 3])


@scene("combined", "multi_conditional", "quaternion", "ml", robot,
       says="ends one step of training of legged robots: it fills the observation, sums the rewards for speed, posture{effort:, effort}{contact:, steps} and smoothness, and decides which episodes are over",
       title="walker_post_step|locomotion_rewards|legged_env_step", topic="")
def walker_training(pos: each(position, robot, range=(0.2, 1.2)), rot: each(rotation), vel: each(velocity, robot, range=(-1.5, 1.5)), omega: each(angular_velocity, robot, range=(-2.0, 2.0)), joint: each(joint_angle, robot, 12), joint_vel: each(joint_speed, robot, 12), rest: each(joint_angle, 12, range=(-0.6, 0.6)), action: each(unit_signal, robot, 12), last: each(unit_signal, robot, 12), command: each(planar_pose, robot, range=(-1.0, 1.0)), contact: maybe(each(flag, robot, 4), 0.6), air_time: inout(segment_time, robot, 4), effort: maybe(each(joint_torque, robot, 12), 0.6), age: inout(count_value, robot), height: setting(length, 0.5, 0.8), sigma: setting(ratio, 0.2, 0.5), dt: setting(time_step, 0.01, 0.02), limit: setting(capacity_value, 10, 16), obs: out(observation_value, robot, 48), reward: out(episode_reward, robot), over: out(flag, robot), terms_out: maybe(out(vector4, robot), 0.4), falls: maybe(add(count_value, 1), 0.4)):
    names(q="q|base_q|r", vb="vb|v_body|lin_vel_b", wb="wb|w_body|ang_vel_b", up="up|gravity_b|proj_g", r_lin="r_lin|rew_lin|track_lin", r_yaw="r_yaw|rew_yaw|track_yaw", r_pose="r_pose|pen_pose|posture", r_rate="r_rate|pen_rate|smooth", r_effort="r_effort|pen_torque|energy_pen", r_step="r_step|rew_air|steps_rew", r_bounce="r_bounce|pen_z|vertical_pen", r_roll="r_roll|pen_xy|roll_pen", err="err|e_xy|cmd_err", total="total|rew|reward_i", fallen="fallen|is_down|crashed", timeout="timeout|timed_out|expired", d="d|diff|delta_a", on="on|touches|stance", n_air="n_air|in_air|feet_up", still="still|idle_speed|joint_motion", beyond="beyond|over_limit|excess", pair_a="pair_a|diag_a|gait_a", pair_b="pair_b|diag_b|gait_b", cmd_x="cmd_x|want_x|target_vx", cmd_y="cmd_y|want_y|target_vy", cmd_turn="cmd_turn|want_yaw|target_yaw")
    names(joint="joint_q|dof_pos", joint_vel="joint_qd|dof_vel", rest="default_q|rest_q", action="actions|act", last="prev_actions|last_act", command="commands|cmd", contact="contacts|feet_contact", air_time="air_time|feet_air", effort="torques|joint_torques", age="episode_len|age", height="base_height|target_height", sigma="tracking_sigma|sigma", limit="max_len|episode_limit", over="over|dones", terms_out="terms_out|reward_terms", falls="falls|num_falls")
    i = wp.tid()
    q = wp.normalize(rot[i])
    vb = wp.quat_rotate_inv(q, vel[i])
    wb = wp.quat_rotate_inv(q, omega[i])
    up = wp.quat_rotate_inv(q, wp.vec3(0.0, 0.0, -1.0))
    note("base")
    obs[i, 0] = vb[0] * constant("LIN_SCALE|OBS_SCALE_LIN|SCALE_V", 2.0)
    obs[i, 1] = vb[1] * constant("LIN_SCALE|OBS_SCALE_LIN|SCALE_V", 2.0)
    obs[i, 2] = vb[2] * constant("LIN_SCALE|OBS_SCALE_LIN|SCALE_V", 2.0)
    obs[i, 3] = wb[0] * constant("ANG_SCALE|OBS_SCALE_ANG|SCALE_W", 0.25)
    obs[i, 4] = wb[1] * constant("ANG_SCALE|OBS_SCALE_ANG|SCALE_W", 0.25)
    obs[i, 5] = wb[2] * constant("ANG_SCALE|OBS_SCALE_ANG|SCALE_W", 0.25)
    obs[i, 6] = up[0]
    obs[i, 7] = up[1]
    obs[i, 8] = up[2]
    cmd_x = command[i][0]
    cmd_y = command[i][1]
    cmd_turn = command[i][2]
    obs[i, 9] = cmd_x
    obs[i, 10] = cmd_y
    obs[i, 11] = cmd_turn
    r_pose = float(0.0)
    r_rate = float(0.0)
    r_effort = float(0.0)
    for k in range(constant("NUM_DOF|NUM_JOINTS|DOF", 12)):
        obs[i, 12 + k] = joint[i, k] - rest[k]
        obs[i, 24 + k] = joint_vel[i, k] * constant("VEL_SCALE|OBS_SCALE_QD|SCALE_QD", 0.05)
        obs[i, 36 + k] = action[i, k]
        match choose("pose"):
            case 1:
                r_pose += (joint[i, k] - rest[k]) * (joint[i, k] - rest[k])
            case 1:
                r_pose += wp.abs(joint[i, k] - rest[k])
        d = action[i, k] - last[i, k]
        r_rate += d * d
        if present(effort):
            match choose("effort"):
                case 1:
                    r_effort += effort[i, k] * effort[i, k]
                case 1:
                    note("power that the motors give, not what they take|mechanical power")
                    r_effort += wp.max(effort[i, k] * joint_vel[i, k], 0.0)
    err = (cmd_x - vb[0]) * (cmd_x - vb[0]) + (cmd_y - vb[1]) * (cmd_y - vb[1])
    r_lin = wp.exp(-err / sigma)
    match choose("yaw"):
        case 2:
            r_yaw = wp.exp(-(cmd_turn - wb[2]) * (cmd_turn - wb[2]) / sigma)
        case 1:
            r_yaw = 1.0 - wp.min(wp.abs(cmd_turn - wb[2]), 1.0)
    r_bounce = vb[2] * vb[2]
    r_roll = wb[0] * wb[0] + wb[1] * wb[1]
    total = constant("W_LIN|LIN_WEIGHT|K_LIN", 1.5) * r_lin + constant("W_YAW|YAW_WEIGHT|K_YAW", 0.75) * r_yaw
    total -= constant("W_BOUNCE|Z_WEIGHT|K_Z", 2.0) * r_bounce
    total -= constant("W_ROLL|ROLL_WEIGHT|K_XY", 0.05) * r_roll
    total -= constant("W_RATE|RATE_WEIGHT|K_RATE", 0.01) * r_rate
    if maybe(0.7):
        note("flat, and at the right height|posture of the base")
        total -= constant("W_FLAT|FLAT_WEIGHT|K_FLAT", 1.0) * (up[0] * up[0] + up[1] * up[1])
        total -= constant("W_HEIGHT|HEIGHT_WEIGHT|K_H", 10.0) * (pos[i][2] - height) * (pos[i][2] - height)
    if maybe(0.6):
        total -= constant("W_POSE|POSE_WEIGHT|K_POSE", 0.1) * r_pose
    if present(effort):
        total -= constant("W_EFFORT|TORQUE_WEIGHT|K_TAU", 0.0002) * r_effort
    if present(contact):
        r_step = float(0.0)
        n_air = int(0)
        for foot in range(constant("NUM_FEET|FEET|LEGS", 4)):
            on = contact[i, foot]
            if on == 1:
                match choose("air"):
                    case 1:
                        note("paid at touch-down, for the time in the air")
                        r_step += air_time[i, foot] - constant("AIR_TARGET|MIN_AIR|SWING_TIME", 0.5)
                    case 1:
                        if air_time[i, foot] > constant("AIR_TARGET|MIN_AIR|SWING_TIME", 0.5):
                            r_step += 1.0
                air_time[i, foot] = 0.0
            else:
                air_time[i, foot] = air_time[i, foot] + dt
                n_air += 1
        if wp.length(wp.vec2(cmd_x, cmd_y)) > constant("MIN_COMMAND|STAND_SPEED|CMD_EPS", 0.1):
            total += r_step
        if maybe(0.5):
            if n_air == 4:
                note("all feet off the ground")
                total -= constant("W_FLIGHT|FLIGHT_PENALTY|K_FLY", 0.5)
    if maybe(0.6):
        note("a robot that is told to stand should stand|stand still")
        if wp.abs(cmd_x) + wp.abs(cmd_y) + wp.abs(cmd_turn) < constant("STAND_COMMAND|STILL|CMD_ZERO", 0.3):
            still = float(0.0)
            for k in range(constant("NUM_DOF|NUM_JOINTS|DOF", 12)):
                still += wp.abs(joint_vel[i, k])
            total -= constant("W_STILL|STILL_WEIGHT|K_STILL", 0.05) * still
    if maybe(0.6):
        note("joints near their stops|soft limits")
        beyond = float(0.0)
        for k in range(constant("NUM_DOF|NUM_JOINTS|DOF", 12)):
            if wp.abs(joint[i, k]) > constant("SOFT_LIMIT|JOINT_LIMIT|Q_MAX", 2.0):
                beyond += wp.abs(joint[i, k]) - constant("SOFT_LIMIT|JOINT_LIMIT|Q_MAX", 2.0)
        total -= constant("W_LIMIT|LIMIT_WEIGHT|K_LIMIT", 2.0) * beyond
    if maybe(0.5):
        note("in step: diagonal legs move alike|trot")
        pair_a = wp.abs(joint[i, 1] - joint[i, 10]) + wp.abs(joint[i, 2] - joint[i, 11])
        pair_b = wp.abs(joint[i, 4] - joint[i, 7]) + wp.abs(joint[i, 5] - joint[i, 8])
        total -= constant("W_TROT|TROT_WEIGHT|K_TROT", 0.05) * (pair_a + pair_b)
    if maybe(0.5):
        if vb[0] * cmd_x < 0.0:
            note("the wrong way")
            total -= constant("W_BACK|WRONG_WAY|K_BACK", 0.5)
    age[i] = age[i] + 1
    fallen = int(0)
    if pos[i][2] < 0.4 * height:
        fallen = 1
    match choose("fall"):
        case 1:
            if up[2] > -constant("MIN_UPRIGHT|TILT_LIMIT|UP_MIN", 0.3):
                fallen = 1
        case 1:
            if up[2] > 0.0 or wp.length(omega[i]) > constant("MAX_SPIN|SPIN_LIMIT|W_MAX", 3.0):
                fallen = 1
    timeout = int(0)
    if age[i] >= limit:
        timeout = 1
    if fallen == 1:
        total -= constant("FALL_PENALTY|DEATH_COST|K_FALL", 5.0)
        if present(falls):
            wp.atomic_add(falls, 0, 1)
    if fallen == 1 or timeout == 1:
        over[i] = 1
        age[i] = 0
    else:
        over[i] = 0
    match choose("sign"):
        case 1:
            reward[i] = total * dt
        case 1:
            note("one bad step must not outweigh the rest|clipped")
            reward[i] = wp.clamp(total * dt, -constant("REWARD_CLIP|MAX_REWARD|CLIP", 1.0), constant("REWARD_CLIP|MAX_REWARD|CLIP", 1.0))
    if present(terms_out):
        terms_out[i] = wp.vec4(r_lin, r_yaw, r_bounce, r_rate)


@law("biology", "the steady share of open gates and how soon it is reached", title="gate_steady|gate_kinetics|gate_inf_tau", private=True, function=True)
def gate_kinetics(v: membrane_voltage, half: membrane_voltage, slope: input_drive) -> channel_gate:
    return 1.0 / (1.0 + wp.exp((half - v) / slope))


@scene("math", "combined", "scalar_param", "arithmetic", neuron,
       says="advances neurons with sodium and potassium currents{atype:, a transient potassium current}{calcium:, calcium that opens another potassium current}{hcurrent:, a current that depolarisation closes}{syn:, synapses} over several small steps",
       title="membrane_steps|conductance_neurons|neuron_currents", topic="")
def many_channels(v: inout(membrane_voltage, range=(-75.0, -45.0)), m: inout(channel_gate), h: inout(channel_gate), n: inout(channel_gate), atype: maybe(inout(channel_gate), 0.5), calcium: maybe(inout(channel_gate), 0.5), hcurrent: maybe(inout(channel_gate), 0.5), syn: maybe(inout(trace_value), 0.6), arrive: each(flag), drive: each(applied_current), g_na: setting(conductance, 80.0, 120.0), g_k: setting(conductance, 20.0, 40.0), steps: setting(steps_value, 3, 8), dt: setting(time_step, 0.005, 0.02), spikes: maybe(out(count_value), 0.6), peak_out: maybe(out(membrane_voltage), 0.4), current_out: maybe(out(ion_current), 0.4)):
    names(vi="vi|volt|vm", mi="mi|m_i|na_act", hi="hi|h_i|na_inact", ni="ni|n_i|k_act", ai="ai|a_gate|a_i", ca="ca|ca_i|ca_conc", ri="ri|h_gate|r_i", si="si|s_i|g_syn", i_na="i_na|sodium|na_cur", i_k="i_k|potassium|k_cur", i_leak="i_leak|leak|l_cur", i_a="i_a|transient|a_cur", i_ca="i_ca|ca_cur|calcium_in", i_kca="i_kca|ahp|kca_cur", i_h="i_h|sag|h_cur", i_syn="i_syn|synaptic|s_cur", total="total|i_total|ionic", alpha="alpha_n|open_n|n_up", beta="beta_n|close_n|n_down", close_m="beta_m|close_m|m_down", open_h="alpha_h|open_h|h_up", was="was|v_prev|before", n_spk="n_spk|num_spikes|fired", peak="peak|v_max|highest", minf="minf|ca_open|s_inf")
    names(atype="a_gates|gate_a", calcium="calcium|ca_level", hcurrent="h_gates|gate_r", syn="syn|syn_gate", arrive="spike_in|arrives", drive="drive|i_ext", steps="substeps|num_steps", peak_out="peak_out|v_peak", current_out="current_out|i_out")
    i = wp.tid()
    vi = v[i]
    mi = m[i]
    hi = h[i]
    ni = n[i]
    n_spk = int(0)
    peak = v[i]
    total = float(0.0)
    if present(atype):
        ai = atype[i]
    if present(calcium):
        ca = calcium[i]
    if present(hcurrent):
        ri = hcurrent[i]
    if present(syn):
        si = syn[i]
        if arrive[i] == 1:
            note("a spike arrives|presynaptic spike")
            match choose("rise"):
                case 1:
                    si = si + constant("SYN_JUMP|DELTA_S|G_JUMP", 0.3) * (1.0 - si)
                case 1:
                    si = wp.min(si + constant("SYN_JUMP|DELTA_S|G_JUMP", 0.3), 1.0)
    for step in range(steps):
        was = vi
        note("sodium: three gates that open, one that closes")
        close_m = 4.0 * wp.exp(-(vi + 65.0) / 18.0)
        open_h = 0.07 * wp.exp(-(vi + 65.0) / 20.0)
        i_na = g_na * mi * mi * mi * hi * (vi - constant("E_NA|ENA|V_NA", 50.0))
        mi = mi + dt * (0.1 * (vi + 40.0001) / (1.0 - wp.exp(-(vi + 40.0001) / 10.0)) * (1.0 - mi) - close_m * mi)
        hi = hi + dt * (open_h * (1.0 - hi) - hi / (1.0 + wp.exp(-(vi + 35.0) / 10.0)))
        note("potassium: the delayed rectifier")
        i_k = g_k * ni * ni * ni * ni * (vi - constant("E_K|EK|V_K", -77.0))
        alpha = 0.01 * (vi + 55.0001) / (1.0 - wp.exp(-(vi + 55.0001) / 10.0))
        beta = 0.125 * wp.exp(-(vi + 65.0) / 80.0)
        ni = ni + dt * (alpha * (1.0 - ni) - beta * ni)
        i_leak = constant("G_LEAK|GL|LEAK", 0.3) * (vi - constant("E_LEAK|EL|V_LEAK", -54.4))
        total = i_na + i_k + i_leak
        if present(atype):
            i_a = constant("G_A|GA|A_MAX", 8.0) * ai * ai * (vi - constant("E_K|EK|V_K", -77.0))
            ai = ai + dt * (gate_kinetics(vi, -40.0, 12.0) - ai) / constant("TAU_A|A_TIME|T_A", 5.0)
            total += i_a
        if present(calcium):
            minf = gate_kinetics(vi, -25.0, 6.0)
            i_ca = constant("G_CA|GCA|CA_MAX", 1.0) * minf * minf * (vi - constant("E_CA|ECA|V_CA", 120.0))
            note("calcium flows in, and is pumped out|calcium pool")
            ca = wp.max(ca + dt * (-0.002 * i_ca - ca / constant("TAU_CA|CA_TIME|T_CA", 80.0)), 0.0)
            match choose("ahp"):
                case 1:
                    i_kca = constant("G_AHP|GKCA|AHP_MAX", 4.0) * ca / (ca + 0.5) * (vi - constant("E_K|EK|V_K", -77.0))
                case 1:
                    i_kca = constant("G_AHP|GKCA|AHP_MAX", 4.0) * ca * ca / (ca * ca + 0.25) * (vi - constant("E_K|EK|V_K", -77.0))
            total += i_ca + i_kca
        if present(hcurrent):
            i_h = constant("G_H|GH|H_MAX", 0.5) * ri * (vi - constant("E_H|EH|V_H", -43.0))
            ri = ri + dt * (1.0 - gate_kinetics(vi, -80.0, 8.0) - ri) / constant("TAU_H|H_TIME|T_H", 60.0)
            total += i_h
        if present(syn):
            match choose("synapse"):
                case 2:
                    i_syn = constant("G_SYN|GS|SYN_MAX", 0.8) * si * vi
                case 1:
                    i_syn = constant("G_SYN|GS|SYN_MAX", 0.8) * si * (vi + 75.0)
                case 1:
                    note("magnesium blocks the channel at rest|NMDA receptor")
                    i_syn = constant("G_SYN|GS|SYN_MAX", 0.8) * si * vi / (1.0 + 0.28 * wp.exp(-0.062 * vi))
            si = si - dt * si / constant("TAU_SYN|SYN_TIME|T_S", 5.0)
            total += i_syn
        vi = vi + dt * (drive[i] - total) / constant("C_M|CAP|CM", 1.0)
        peak = wp.max(peak, vi)
        if present(spikes):
            if was < constant("THRESHOLD|V_TH|SPIKE_LEVEL", -20.0) and vi >= constant("THRESHOLD|V_TH|SPIKE_LEVEL", -20.0):
                n_spk += 1
    v[i] = vi
    m[i] = wp.clamp(mi, 0.0, 1.0)
    h[i] = wp.clamp(hi, 0.0, 1.0)
    n[i] = wp.clamp(ni, 0.0, 1.0)
    if present(atype):
        atype[i] = ai
    if present(calcium):
        calcium[i] = ca
    if present(hcurrent):
        hcurrent[i] = ri
    if present(syn):
        syn[i] = si
    if present(spikes):
        spikes[i] = n_spk
    if present(peak_out):
        peak_out[i] = peak
    if present(current_out):
        current_out[i] = total


@scene("physics", "arithmetic", "combined", "fem", edge,
       says="computes the flux of a gas in three dimensions through faces, {wave=0:from the waves on both sides and the contact between them}{wave=1:from the fastest wave}{wave=2:upwind by the mean speed}{slope:, with values carried on to the face}, and adds it to both cells",
       title="gas_flux_3d|face_flux_3d|euler_flux_3d", topic="")
def gas_flux_faces(cells: index(cell, 2), rho: each(density, cell), vel: each(velocity, cell, range=(-0.8, 0.8)), p: each(pressure, cell, range=(0.5, 4.0)), n: each(normal), area: each(area), slope: maybe(each(gradient, edge), 0.35), wall: maybe(each(flag), 0.4), gamma: setting(adiabatic_index), mass_rate: add(mass_rate_sum, cell), mom_rate: add(momentum, cell), energy_rate: add(energy, cell), speed_out: maybe(out(speed), 0.5)):
    names(a="a|own|cell_l", b="b|nb|cell_r", nn="nn|unit_n|face_n", rl="rl|rho_l|dens_l", rr="rr|rho_r|dens_r", vl="vl|vel_l|v_left", vr="vr|vel_r|v_right", pl="pl|p_l|press_l", pr="pr|p_r|press_r", ul="ul|un_l|normal_l", ur="ur|un_r|normal_r", el="el|e_l|energy_l", er="er|e_r|energy_r", cl="cl|c_l|sound_l", cr="cr|c_r|sound_r", sl="sl|s_l|wave_l", sr="sr|s_r|wave_r", sm="sm|s_star|contact", fm="fm|flux_mass|f_rho", fp="fp|flux_mom|f_mom", fe="fe|flux_energy|f_en", fac="fac|ratio_l|scale_s", vs="vs|v_star|vel_star", es="es|e_star|energy_star", smax="smax|s_max|fastest", um="um|u_mean|mean_un")
    names(cells="cells|face_cells", rho="rho|density", vel="vel|velocity", n="normals|face_normals", area="areas|face_areas", slope="slope|recon", wall="wall|is_wall", mass_rate="mass_rate|d_rho", mom_rate="mom_rate|d_mom", energy_rate="energy_rate|d_energy", speed_out="speed_out|wave_speed")
    f = wp.tid()
    if wp.length(n[f]) < 1.0e-3:
        return
    nn = wp.normalize(n[f])
    a = cells[f, 0]
    b = cells[f, 1]
    rl = rho[a]
    vl = vel[a]
    pl = p[a]
    rr = rho[b]
    vr = vel[b]
    pr = p[b]
    if present(slope):
        note("carried on to the face, but never below a tenth|limited reconstruction")
        rl = wp.max(rl + 0.1 * slope[f], 0.1 * rho[a])
        rr = wp.max(rr - 0.1 * slope[f], 0.1 * rho[b])
    if present(wall):
        if wall[f] == 1:
            match choose("slip"):
                case 2:
                    note("mirrored at the wall|slip wall")
                    vr = vl - nn * (2.0 * wp.dot(vl, nn))
                case 1:
                    vr = -vl
            rr = rl
            pr = pl
    ul = wp.dot(vl, nn)
    ur = wp.dot(vr, nn)
    el = pl / (gamma - 1.0) + 0.5 * rl * wp.dot(vl, vl)
    er = pr / (gamma - 1.0) + 0.5 * rr * wp.dot(vr, vr)
    cl = wp.sqrt(gamma * pl / rl)
    cr = wp.sqrt(gamma * pr / rr)
    smax = wp.max(wp.abs(ul) + cl, wp.abs(ur) + cr)
    match choose("wave"):
        case 3:
            match choose("estimate"):
                case 1:
                    sl = wp.min(ul - cl, ur - cr)
                    sr = wp.max(ul + cl, ur + cr)
                case 1:
                    note("Roe's mean for the speeds of the waves")
                    fac = wp.sqrt(rr / rl)
                    um = (ul + fac * ur) / (1.0 + fac)
                    sl = wp.min(ul - cl, um - 0.5 * (cl + cr))
                    sr = wp.max(ur + cr, um + 0.5 * (cl + cr))
            sm = (pr - pl + rl * ul * (sl - ul) - rr * ur * (sr - ur)) / (rl * (sl - ul) - rr * (sr - ur))
            if sl >= 0.0:
                fm = rl * ul
                fp = vl * (rl * ul) + nn * pl
                fe = ul * (el + pl)
            elif sm >= 0.0:
                fac = rl * (sl - ul) / (sl - sm)
                vs = vl + nn * (sm - ul)
                es = fac * (el / rl + (sm - ul) * (sm + pl / (rl * (sl - ul))))
                fm = rl * ul + sl * (fac - rl)
                fp = vl * (rl * ul) + nn * pl + (vs * fac - vl * rl) * sl
                fe = ul * (el + pl) + sl * (es - el)
            elif sr > 0.0:
                fac = rr * (sr - ur) / (sr - sm)
                vs = vr + nn * (sm - ur)
                es = fac * (er / rr + (sm - ur) * (sm + pr / (rr * (sr - ur))))
                fm = rr * ur + sr * (fac - rr)
                fp = vr * (rr * ur) + nn * pr + (vs * fac - vr * rr) * sr
                fe = ur * (er + pr) + sr * (es - er)
            else:
                fm = rr * ur
                fp = vr * (rr * ur) + nn * pr
                fe = ur * (er + pr)
        case 2:
            fm = 0.5 * (rl * ul + rr * ur - smax * (rr - rl))
            fp = (vl * (rl * ul) + nn * pl + vr * (rr * ur) + nn * pr - (vr * rr - vl * rl) * smax) * 0.5
            fe = 0.5 * (ul * (el + pl) + ur * (er + pr) - smax * (er - el))
        case 1:
            um = 0.5 * (ul + ur)
            if um > 0.0:
                fm = rl * um
                fp = vl * (rl * um) + nn * (0.5 * (pl + pr))
                fe = um * (el + 0.5 * (pl + pr))
            else:
                fm = rr * um
                fp = vr * (rr * um) + nn * (0.5 * (pl + pr))
                fe = um * (er + 0.5 * (pl + pr))
    fm = fm * area[f]
    fp = fp * area[f]
    fe = fe * area[f]
    wp.atomic_sub(mass_rate, a, fm)
    wp.atomic_sub(mom_rate, a, fp)
    wp.atomic_sub(energy_rate, a, fe)
    if present(wall):
        if wall[f] == 0:
            wp.atomic_add(mass_rate, b, fm)
            wp.atomic_add(mom_rate, b, fp)
            wp.atomic_add(energy_rate, b, fe)
    else:
        wp.atomic_add(mass_rate, b, fm)
        wp.atomic_add(mom_rate, b, fp)
        wp.atomic_add(energy_rate, b, fe)
    if present(speed_out):
        speed_out[f] = smax
