"""Long steps of simulators: plastic soil, chains of bodies, mixed constraints, plasma, glass, cars, balls, seas."""


@scene("fem", "multi_conditional", "physics", "combined", element,
       says="returns the trial stresses of soil to the yield surface of Mohr and Coulomb: to a plane, to one of its edges, or to its apex",
       title="mohr_coulomb_return|soil_plasticity|return_to_mohr_coulomb|soil_stress_update", algorithm="return mapping to the Mohr-Coulomb surface", topic="", rare=True)
def mohr_coulomb_return(trial: each(trial_stress), c: setting(cohesion, 0.3, 1.2), phi: setting(friction_angle, 0.35, 0.7), psi: maybe(setting(friction_angle, 0.1, 0.3), 0.6), g: setting(lame_mu, 2.0, 8.0), k: setting(bulk_modulus, 4.0, 12.0), sigma: out(returned_stress), mode_out: maybe(out(kind_value), 0.7), flow: maybe(out(plastic_strain), 0.6), yielded: maybe(add(count_value, 1), 0.5)):
    names(trial="trial|sig_tr|trial_sigma|elastic_guess", s1="s1|big|major|sa", s2="s2|mid|middle|sb", s3="s3|small|minor|sc", sp="sp|sin_phi|fric|m_phi", sd="sd|sin_psi|dil|m_psi", coh="coh|c2|strength|two_c_cos", fa="fa|excess|f_main|over", fb="fb|f_edge|over_b|excess_b", a="a|stiff_a|d_main|haa", b="b|stiff_b|d_edge|hab", ga="ga|gam|dg_a|mult_a", gb="gb|gam_b|dg_b|mult_b", t1="t1|n1|r1|new1", t2="t2|n2|r2|new2", t3="t3|n3|r3|new3", lo="lo|k1|drop|c_hi", mi="mi|k2|shift_m|c_mid", hi="hi|k3|rise|c_lo", mode="mode|case_k|regime|which", det="det|deter|dd|jac", tip="tip|apex|p_apex|corner")
    e = wp.tid()
    s1 = wp.max(trial[e])
    s3 = wp.min(trial[e])
    s2 = trial[e][0] + trial[e][1] + trial[e][2] - s1 - s3
    sp = wp.sin(phi)
    if present(psi):
        sd = wp.sin(psi)
    else:
        note("the soil dilates with the angle of friction|associated flow")
        fact("the flow is associated")
        sd = wp.sin(phi)
    coh = 2.0 * c * wp.cos(phi)
    fa = (s1 - s3) + (s1 + s3) * sp - coh
    if fa <= 0.0:
        note("inside: elastic|no plastic flow")
        sigma[e] = wp.vec3(s1, s2, s3)
        if present(mode_out):
            mode_out[e] = 0
        if present(flow):
            flow[e] = 0.0
        return
    if present(yielded):
        wp.atomic_add(yielded, 0, 1)
    lo = 2.0 * g * (1.0 + sd / 3.0) + 2.0 * k * sd
    mi = (4.0 * g / 3.0 - 2.0 * k) * sd
    hi = 2.0 * g * (1.0 - sd / 3.0) - 2.0 * k * sd
    a = 4.0 * g * (1.0 + sp * sd / 3.0) + 4.0 * k * sp * sd
    ga = fa / a
    gb = float(0.0)
    t1 = s1 - lo * ga
    t2 = s2 + mi * ga
    t3 = s3 + hi * ga
    mode = int(1)
    if t1 < t2 or t2 < t3:
        note("the order of the stresses has changed: two planes are active|edge")
        if (1.0 - sd) * s1 - 2.0 * s2 + (1.0 + sd) * s3 > 0.0:
            mode = 2
            b = 2.0 * g * (1.0 + sp + sd - sp * sd / 3.0) + 4.0 * k * sp * sd
            fb = (s1 - s2) + (s1 + s2) * sp - coh
        else:
            mode = 3
            b = 2.0 * g * (1.0 - sp - sd - sp * sd / 3.0) + 4.0 * k * sp * sd
            fb = (s2 - s3) + (s2 + s3) * sp - coh
        det = a * a - b * b
        ga = (a * fa - b * fb) / det
        gb = (a * fb - b * fa) / det
        if mode == 2:
            t1 = s1 - lo * (ga + gb)
            t2 = s2 + mi * ga + hi * gb
            t3 = s3 + hi * ga + mi * gb
        else:
            t1 = s1 - lo * ga + mi * gb
            t2 = s2 + mi * ga - lo * gb
            t3 = s3 + hi * (ga + gb)
        if t1 + 1.0e-6 < t2 or t2 + 1.0e-6 < t3:
            note("beyond the tip of the pyramid|apex")
            mode = 4
            tip = c / wp.tan(phi)
            t1 = tip
            t2 = tip
            t3 = tip
    sigma[e] = wp.vec3(t1, t2, t3)
    if present(mode_out):
        mode_out[e] = mode
    if present(flow):
        note("how much the stress had to give way|length of the correction")
        flow[e] = wp.length(wp.vec3(s1 - t1, s2 - t2, s3 - t3)) / (2.0 * g)


@scene("quaternion", "physics", "control_flow", robot,
       says="computes the poses{motion: and the twists} of the links of each robot from its joints, which turn or slide{locked: or are braked}",
       title="chain_kinematics|link_poses|articulated_forward|robot_links", algorithm="forward kinematics of a chain with velocities")
def chain_kinematics(q: each(joint_angle, robot, joint), qd: each(joint_speed, robot, joint), offset: each(mount_pose, joint), axis: each(direction, joint), slides: each(flag, joint), locked: maybe(each(flag, joint), 0.4), base: maybe(setting(mount_pose), 0.4), m: maybe(each(mass, joint), 0.5), link: out(pose, robot, joint), motion: maybe(out(twist, robot, joint), 0.7), energy_out: maybe(out(energy), 1.0), tip_out: maybe(out(position), 0.6)):
    names(link="link|link_poses_out|body_q|link_x", motion="motion|link_twists|body_qd|link_qd", m="m|link_mass|masses|body_mass", energy_out="energy|kinetic|kinetic_energy_out|ke_out", tip_out="tip|tip_pos|hand|end_effector")
    names(q="q|joint_q|angles_j|dof_q", qd="qd|joint_qd|rates_j|dof_qd", offset="offset|joint_x|parent_x|frames_j", axis="axis|joint_axes|axes_j|dirs_j", slides="slides|prismatic|is_slider|linear_j", x="x|x_wc|pose_w|tf", w="w|ang|omega_l|spin", v="v|lin|vel_l|speed_l", xo="xo|x_off|rel_x|x_pj", n="n|dir_w|axis_w|ax", move="move|x_j|joint_t|local_x", old="old|p_before|p_parent|from_p", p="p|p_now|origin_l|at", ke="ke|kin|energy_k|t_sum", base="base|x_base|root_pose|world_x", locked="locked|fixed_j|braked|held", rate="rate|qd_j|speed_j|dq")
    r = wp.tid()
    if present(base):
        x = wp.transform(wp.transform_get_translation(base), wp.normalize(wp.transform_get_rotation(base)))
    else:
        x = wp.transform_identity()
    w = wp.vec3()
    v = wp.vec3()
    ke = float(0.0)
    for j in range(count(joint)):
        old = wp.transform_get_translation(x)
        xo = wp.transform(wp.transform_get_translation(offset[j]), wp.normalize(wp.transform_get_rotation(offset[j])))
        x = x * xo
        n = wp.normalize(axis[j])
        rate = qd[r, j]
        if present(locked):
            if locked[j] == 1:
                note("a braked joint keeps its angle but does not move|brake")
                rate = 0.0
        p = wp.transform_get_translation(x)
        note("carried along by the link before it|velocity of the joint")
        v = v + wp.cross(w, p - old)
        if slides[j] == 1:
            move = wp.transform(n * q[r, j], wp.quat_identity())
            old = p
            x = x * move
            p = wp.transform_get_translation(x)
            v = v + wp.cross(w, p - old) + wp.transform_vector(x, n) * rate
        else:
            move = wp.transform(wp.vec3(), wp.quat_from_axis_angle(n, q[r, j]))
            x = x * move
            w = w + wp.transform_vector(x, n) * rate
        link[r, j] = x
        if present(motion):
            motion[r, j] = wp.spatial_vector(w, v)
        if present(m) and present(energy_out):
            ke += 0.5 * m[j] * wp.dot(v, v)
    if present(m) and present(energy_out):
        energy_out[r] = ke
    if present(tip_out):
        tip_out[r] = wp.transform_get_translation(x)


@law("mechanics", "how far a constraint moves its multiplier, with compliance", title="multiplier_step|xpbd_multiplier|delta_lambda", private=True, function=True)
def multiplier_step(c: error_value, w: inverse_mass, alpha: compliance, lam: multiplier_value) -> multiplier_value:
    if w + alpha < 1.0e-6:
        return 0.0
    return (-c - alpha * lam) / (w + alpha)


@scene("physics", "multi_conditional", "atomic", spring,
       says="solves constraints of several kinds by extended position-based dynamics: distances between two particles, attachments to points, a floor, and a ball that is kept out",
       title="solve_constraints|xpbd_solve_constraints|project_constraints", algorithm="extended position-based dynamics with several constraints")
def mixed_constraints(x: each(position, particle), w: each(inverse_mass, particle), pair: index(particle, 2), ctype: kind(STRETCH, ATTACH, FLOOR, BALL), goal: each(position), l0: each(rest_length), soft: setting(compliance, 0.0005, 0.01), dt: setting(time_step, 0.01, 0.03), floor_h: setting(length, -0.5, 0.5), ball_r: setting(radius, 0.5, 1.2), lam: inout(multiplier_value), delta: add(displacement, particle), hits: maybe(add(count_value, 1), 0.5)):
    names(x="x|pos", w="inv_mass|w", pair="pairs|particle_pairs", ctype="constraint_type|ctype", goal="targets|anchors", l0="rest_length|l0", soft="compliance|alpha", a="a|ia", b="b|ib", d="d|diff", r="dist|length", n="n|dir", c="c|violation", alpha="alpha_t|alpha_tilde", dl="dlam|d_lambda", floor_h="floor_height|ground_height", ball_r="ball_radius|sphere_radius", hits="num_active|active_count", wa="wa|w_a", wb="wb|w_b", lam="lambdas|multipliers", delta="delta|corrections")
    s = wp.tid()
    a = pair[s, 0]
    b = pair[s, 1]
    wa = w[a]
    alpha = soft / (dt * dt)
    if ctype[s] == STRETCH:
        if a == b:
            return
        d = x[a] - x[b]
        r = wp.length(d)
        if r < 1.0e-5:
            return
        n = d / r
        c = r - l0[s]
        wb = w[b]
        dl = multiplier_step(c, wa + wb, alpha, lam[s])
        lam[s] = lam[s] + dl
        wp.atomic_add(delta, a, n * (wa * dl))
        wp.atomic_add(delta, b, n * (-wb * dl))
    elif ctype[s] == ATTACH:
        d = x[a] - goal[s]
        r = wp.length(d)
        if r < 1.0e-5:
            return
        n = d / r
        dl = multiplier_step(r, wa, alpha, lam[s])
        lam[s] = lam[s] + dl
        wp.atomic_add(delta, a, n * (wa * dl))
    elif ctype[s] == FLOOR:
        c = x[a][1] - floor_h
        note("only from below: the floor does not pull|one-sided")
        if c >= 0.0:
            lam[s] = 0.0
            return
        dl = multiplier_step(c, wa, 0.0, 0.0)
        lam[s] = dl
        wp.atomic_add(delta, a, wp.vec3(0.0, wa * dl, 0.0))
        if present(hits):
            wp.atomic_add(hits, 0, 1)
    elif ctype[s] == BALL:
        d = x[a] - goal[s]
        r = wp.length(d)
        if r >= ball_r or r < 1.0e-5:
            lam[s] = 0.0
            return
        n = d / r
        dl = multiplier_step(r - ball_r, wa, 0.0, 0.0)
        lam[s] = dl
        wp.atomic_add(delta, a, n * (wa * dl))
        if present(hits):
            wp.atomic_add(hits, 0, 1)


@scene("physics", "atomic", "vector", particle,
       says="pushes the charges of a plasma in one dimension by the field of a grid and a constant magnetic field, moves them on, and lays their charge on the grid",
       title="plasma_push|pic_step|particle_in_cell|push_and_deposit", algorithm="particle-in-cell step with the Boris rotation", topic="")
def plasma_push(x: inout(electron_place), v: inout(electron_velocity), e_node: each(grid_field, 32), b: setting(magnetic_field, -1.0, 1.0), dt: setting(time_step, 0.02, 0.05), qm: setting(coefficient, -1.5, -0.5), rho: add(density, 32), energy_sum: maybe(add(energy, 1), 0.5), fast: maybe(add(count_value, 1), 0.4), alive: maybe(each(flag), 0.4)):
    names(x="x|place|xp|cell_x", v="v|vel|vp|momentum_p", e_node="e_node|e_grid|field_e|ex", qm="qm|charge_mass|q_over_m|specific_q", i0="i0|left|cell_i|base_i", i1="i1|right|next_i|up_i", f="f|frac_x|w_r|share", ex="ex|e_here|field_x|e_p", half="half|kick|e_kick|dv_half", vm="vm|v_minus|v_in|va", t="t|rot_t|b_half|turn_t", s="s|rot_s|b_full|turn_s", vr="vr|v_prime|v_mid|v_rot", vn="vn|v_plus|v_out|vb", xn="xn|x_new|moved|next_x", b="b|b_field|b0|magnet", alive="alive|active|in_use|live", rho="rho|charge_grid|dens_q|charges")
    p = wp.tid()
    if present(alive):
        if alive[p] == 0:
            return
    i0 = int(wp.floor(x[p]))
    i1 = (i0 + 1) % 32
    f = x[p] - float(i0)
    note("linear between the two nodes|gather")
    ex = e_node[i0] * (1.0 - f) + e_node[i1] * f
    half = wp.vec3(0.5 * qm * dt * ex, 0.0, 0.0)
    vm = v[p] + half
    note("half a kick, a turn that keeps the speed, half a kick|Boris")
    t = b * (0.5 * qm * dt)
    s = t * (2.0 / (1.0 + wp.dot(t, t)))
    vr = vm + wp.cross(vm, t)
    vn = vm + wp.cross(vr, s) + half
    v[p] = vn
    xn = x[p] + vn[0] * dt
    match choose("wrap"):
        case 2:
            if xn < 0.0:
                xn += 32.0
            elif xn >= 32.0:
                xn -= 32.0
        case 1:
            note("a periodic box|around the ring")
            xn = xn - 32.0 * wp.floor(xn / 32.0)
    x[p] = xn
    i0 = int(wp.floor(xn))
    if i0 > 31:
        i0 = 31
    f = xn - float(i0)
    wp.atomic_add(rho, i0, 1.0 - f)
    wp.atomic_add(rho, (i0 + 1) % 32, f)
    if present(energy_sum):
        wp.atomic_add(energy_sum, 0, 0.5 * wp.length_sq(vn))
    if present(fast):
        if wp.length(vn) > number(0.9, 1.4, "fast"):
            wp.atomic_add(fast, 0, 1)


@law("optics", "the part of the light that a boundary reflects, by Schlick", title="schlick_reflectance|fresnel_schlick|reflect_share", private=True, function=True)
def schlick_share(cosine: weight, n: refractive_index) -> ratio:
    names(r0="r0|f0|normal_r", m="m|one_minus|k")
    r0 = (1.0 - n) / (1.0 + n)
    r0 = r0 * r0
    m = 1.0 - cosine
    return r0 + (1.0 - r0) * m * m * m * m * m


@scene("geometry", "function", "control_flow", "vector", ray,
       says="follows a ray of light through a ball of coloured glass: into it, up to three times along the inside, and out again, with reflection and absorption",
       title="trace_glass_ball|glass_paths|crystal_ball|refract_rays", algorithm="refraction with Schlick's reflectance and Beer's law", topic="",
       lossy=True)
def trace_glass_ball(o: each(point2, range=(-0.6, 0.6)), aim: each(normalized_point, range=(-0.3, 0.3)), n: setting(refractive_index, 1.3, 1.7), r: setting(radius, 0.8, 1.4), absorb: setting(glass_tint, 0.1, 1.0), sky: setting(colour, 0.4, 1.0), out_c: out(radiance), inside: maybe(out(path_length), 0.6), bounces: maybe(out(count_value), 0.5), missed: maybe(add(count_value, 1), 0.5)):
    names(o="o|starts|ray_o|origins_r", aim="aim|dirs|ray_d|headings", n="n|ior|index_n|glass_n", absorb="absorb|tint_k|beer_c|sigma_a", sky="sky|backdrop|light_c|environment", p="p|at|pos|pt", d="d|dir|u|heading", m="m|nrm|normal_p|out_n", bq="bq|half_b|proj|dp", disc="disc|under|root2|q2", t="t|dist|hit_t|s", ci="ci|cos_i|c_in|c1", k="k|cos_t2|trans|c2", thr="thr|carry|weight_c|energy_c", share="share|refl|f_r|fres", total="total|light|sum_c|acc", run="run|glass_len|way_in|chord", turns="turns|n_int|inner|hops")
    i = wp.tid()
    p = wp.vec3(o[i][0], o[i][1], -3.0)
    d = wp.normalize(wp.vec3(aim[i][0], aim[i][1], 1.0))
    bq = wp.dot(p, d)
    disc = bq * bq - wp.dot(p, p) + r * r
    if disc <= 0.0:
        note("past the ball: the light behind it|miss")
        out_c[i] = sky
        if present(missed):
            wp.atomic_add(missed, 0, 1)
        if present(inside):
            inside[i] = 0.0
        if present(bounces):
            bounces[i] = 0
        return
    t = -bq - wp.sqrt(disc)
    p = p + d * t
    m = wp.normalize(p)
    ci = -wp.dot(d, m)
    share = schlick_share(ci, n)
    note("what is reflected at the front|first surface")
    total = sky * share
    thr = float(1.0 - share)
    k = 1.0 - (1.0 - ci * ci) / (n * n)
    d = wp.normalize(d / n + m * (ci / n - wp.sqrt(k)))
    run = float(0.0)
    turns = int(0)
    for hop in range(3):
        t = -2.0 * wp.dot(p, d)
        p = p + d * t
        run += t
        turns += 1
        m = wp.normalize(p)
        ci = wp.dot(d, m)
        k = 1.0 - n * n * (1.0 - ci * ci)
        if k <= 0.0:
            note("all of it stays inside|total reflection")
            share = 1.0
        else:
            share = schlick_share(wp.sqrt(k), n)
        total += wp.cw_mul(sky, wp.vec3(wp.exp(-absorb[0] * run), wp.exp(-absorb[1] * run), wp.exp(-absorb[2] * run))) * (thr * (1.0 - share))
        thr *= share
        if thr < 0.001:
            note("too faint to matter|stop early")
            break
        d = d - m * (2.0 * ci)
    out_c[i] = total
    if present(inside):
        inside[i] = run
    if present(bounces):
        bounces[i] = turns


@scene("matrix", "control_flow", "math", vehicle,
       says="follows each car with an extended Kalman filter: predicts its place, heading and speed, and corrects them by a position fix that is not too far off",
       title="track_cars|vehicle_ekf|fuse_gps|car_filter", algorithm="extended Kalman filter of a unicycle", rare=True)
def track_cars(st: inout(car_state), cov: inout(car_covariance), turn: each(turn_rate, range=(-0.5, 0.5)), acc: maybe(each(specific_drive), 0.5), fix: each(fix_reading), has_fix: maybe(each(flag), 0.5), dt: setting(time_step, 0.02, 0.1), q_noise: setting(measurement_variance, 0.01, 0.1), r_noise: setting(measurement_variance, 0.1, 0.5), gate: maybe(setting(squared_distance, 6.0, 14.0), 0.5), dropped: maybe(add(count_value, 1), 0.5), nis_out: maybe(out(estimator_value), 0.5)):
    names(st="st|states|x_est|track", cov="cov|p_mats|covariances|unc", turn="turn|yaw_rate|gyro_z|omega_c", acc="acc|throttle_a|accel_in|drive_a", fix="fix|gps|z_xy|positions_xy", s="s|x|state_v|pred", h="h|head|psi_c|yaw", f="f|jac|f_mat|step_m", p="p|pm|cov_p|unc_p", y="y|innov|res_xy|dz", sm="sm|s_mat|innov_cov|sxx", si="si|s_inv|inv_s|w_inno", nis="nis|maha|d2|chi2", k0="k0|gain_x|kx|col_x", k1="k1|gain_y|ky|col_y", hx="hx|row_x|p_row0|px", hy="hy|row_y|p_row1|py", gate="gate|nis_limit|chi_gate|reject_at", q_noise="q_noise|process_q|drive_noise|q_var", r_noise="r_noise|gps_var|meas_r|fix_var")
    i = wp.tid()
    s = st[i]
    h = s[2]
    f = wp.identity(n=4, dtype=float)
    f[0, 2] = -s[3] * wp.sin(h) * dt
    f[0, 3] = wp.cos(h) * dt
    f[1, 2] = s[3] * wp.cos(h) * dt
    f[1, 3] = wp.sin(h) * dt
    s = wp.vec4(s[0] + s[3] * wp.cos(h) * dt, s[1] + s[3] * wp.sin(h) * dt, h + turn[i] * dt, s[3])
    if present(acc):
        s[3] = s[3] + acc[i] * dt
    note("symmetric, with a floor on the diagonal|make it a covariance")
    p = 0.5 * (cov[i] + wp.transpose(cov[i])) + wp.diag(wp.vec4(1.0, 1.0, 1.0, 1.0))
    p = f * p * wp.transpose(f) + wp.diag(wp.vec4(q_noise, q_noise, q_noise, q_noise)) * dt
    if present(has_fix):
        if has_fix[i] == 0:
            note("no fix: only the prediction|dead reckoning")
            fact("without a fix the prediction stands")
            st[i] = s
            cov[i] = p
            return
    y = fix[i] - wp.vec2(s[0], s[1])
    sm = wp.mat22(p[0, 0] + r_noise, p[0, 1], p[1, 0], p[1, 1] + r_noise)
    si = wp.inverse(sm)
    nis = wp.dot(y, si * y)
    if present(nis_out):
        nis_out[i] = nis
    if present(gate):
        if nis > gate:
            note("too far from where it can be|outlier")
            st[i] = s
            cov[i] = p
            if present(dropped):
                wp.atomic_add(dropped, 0, 1)
            return
    hx = wp.vec4(p[0, 0], p[1, 0], p[2, 0], p[3, 0])
    hy = wp.vec4(p[0, 1], p[1, 1], p[2, 1], p[3, 1])
    k0 = hx * si[0, 0] + hy * si[1, 0]
    k1 = hx * si[0, 1] + hy * si[1, 1]
    s = s + k0 * y[0] + k1 * y[1]
    p = p - wp.outer(k0, hx) - wp.outer(k1, hy)
    st[i] = s
    cov[i] = 0.5 * (p + wp.transpose(p))


@scene("physics", "control_flow", "nested_loop", "vector", item,
       says="flies each ball over the court with gravity, drag and the lift of its spin until it lands, and says where, when and whether it crossed the net",
       title="ball_flights|fly_balls|tennis_shots|shot_outcomes", algorithm="flight of a spinning ball, midpoint rule", topic="",
       lossy=True)
def ball_flights(v0: each(serve_velocity), spin: each(ball_spin), height: setting(length, 0.8, 2.0), wind: maybe(setting(velocity, -2.0, 2.0), 0.4), drag: setting(drag_coefficient, 0.3, 0.7), lift: maybe(setting(gain, 0.2, 0.8), 0.7), dt: setting(time_step, 0.02, 0.05), net_h: setting(length, 0.7, 1.1), land: out(point2), air_time: out(time_value), over: out(flag), top: maybe(out(length), 0.5), lost: maybe(add(count_value, 1), 0.4)):
    names(v0="v0|launch|shots|serve_v", spin="spin|spins|ball_spin|omega_b", height="height|hit_height|release_h|z0", p="p|pos|ball|at", v="v|vel|speed_v|u", air="air|rel|v_air|wind_rel", a="a|acc_b|force_m|pull", pm="pm|p_mid|half_p|mid_at", vm="vm|v_mid|half_v|mid_v", t="t|time_b|clock|flown", ok="ok|clear_n|went_over|cleared", peak="peak|highest|apex_h|max_z", frac="frac|part|k_land|share", net_h="net_h|net_height|tape_h|net_top", lift="lift|magnus|lift_c|spin_lift", drag="drag|drag_c|air_c|cd")
    i = wp.tid()
    p = wp.vec3(0.0, 0.0, height)
    v = wp.vec3(wp.abs(v0[i][0]) + 4.0, v0[i][1], v0[i][2])
    t = float(0.0)
    peak = float(height)
    ok = int(0)
    note("the net stands six metres away")
    for k in range(200):
        if p[2] <= 0.0:
            break
        air = v
        if present(wind):
            air = v - wind
        a = wp.vec3(0.0, 0.0, -9.81) - air * (0.035 * drag * wp.length(air))
        if present(lift):
            a = a + wp.cross(spin[i], air) * (0.0014 * lift)
        note("half a step to the middle, then a whole one with the force there|midpoint rule")
        pm = p + v * (0.5 * dt)
        vm = v + a * (0.5 * dt)
        air = vm
        if present(wind):
            air = vm - wind
        a = wp.vec3(0.0, 0.0, -9.81) - air * (0.035 * drag * wp.length(air))
        if present(lift):
            a = a + wp.cross(spin[i], air) * (0.0014 * lift)
        if p[0] < 6.0 and p[0] + vm[0] * dt >= 6.0:
            frac = (6.0 - p[0]) / (vm[0] * dt)
            if p[2] + vm[2] * dt * frac > net_h:
                ok = 1
        p = p + vm * dt
        v = v + a * dt
        t += dt
        peak = wp.max(peak, p[2])
    land[i] = wp.vec2(p[0], p[1])
    if present(air_time):
        air_time[i] = t
    if present(over):
        over[i] = ok
    if present(top):
        top[i] = peak
    if present(lost):
        if wp.abs(p[1]) > 4.1:
            wp.atomic_add(lost, 0, 1)


@scene("math", "nested_loop", "random", (cell, cell),
       says="builds the surface of the sea from bands of waves: energy by the spectrum of {kind=0:Pierson and Moskowitz}{kind=1:the North Sea with a sharper peak}, random phases, deep water",
       title="sea_surface|wave_spectrum_surface|synthesize_sea|ocean_heights", algorithm="sea surface from a wave spectrum")
def sea_surface(om: each(band_frequency, 6), heading: each(angle, 6), peak_w: setting(band_frequency, 0.8, 1.4), gamma: setting(gain, 2.0, 5.0), t: setting(time_value), h: setting(cell_size, 0.5, 2.0), seed: setting(seed), eta: out(wave_height), slope_out: maybe(out(flow_vector), 0.6), crest: maybe(add(wave_height, 1, range=(0.0, 0.0)), 0.4), choppy: maybe(setting(ratio, 0.2, 0.9), 0.4), drift: maybe(out(tap_offset), 1.0)):
    names(om="om|bands|omegas|w_bands", heading="heading|dirs_w|band_dir|wave_dir", peak_w="peak_w|omega_p|peak_freq|w_peak", gamma="gamma|peakedness|enhance|gamma_j", eta="eta|heights_out|surface_z|elevation", w="w|freq|wi|om_i", s="s|energy_s|spec|dens_s", sig="sig|width_p|sigma_j|spread_p", r="r|bump|peak_fac|expo", amp="amp|a_k|height_k|half_h", k="k|wave_no|kw|number_k", ph="ph|phase_k|arg_k|theta", x="x|px|east_m|cx", y="y|py|north_m|cy", z="z|sum_z|level|height_s", gx="gx|dzdx|tilt_x|sx", gy="gy|dzdy|tilt_y|sy", choppy="choppy|sharpness_c|steepness_q|pinch")
    i, j = wp.tid()
    x = float(i) * h
    y = float(j) * h
    z = float(0.0)
    gx = float(0.0)
    gy = float(0.0)
    dx = float(0.0)
    dy = float(0.0)
    for b in range(6):
        w = om[b]
        s = 0.0081 * 96.2361 / w ** 5.0 * wp.exp(-1.25 * (peak_w / w) ** 4.0)
        match choose("kind"):
            case 1:
                amp = wp.sqrt(2.0 * s * 0.3)
            case 1:
                note("narrower below the peak than above it|JONSWAP")
                sig = wp.where(w > peak_w, 0.09, 0.07)
                r = wp.exp(-((w - peak_w) ** 2.0) / (2.0 * (sig * peak_w) ** 2.0))
                amp = wp.sqrt(2.0 * s * gamma ** r * 0.3)
        note("in deep water the wave number follows from the frequency|dispersion")
        k = w * w / 9.81
        ph = k * (x * wp.cos(heading[b]) + y * wp.sin(heading[b])) - w * t + 2.0 * wp.pi * wp.randf(wp.rand_init(seed, b))
        z += amp * wp.cos(ph)
        if present(slope_out):
            gx -= amp * k * wp.cos(heading[b]) * wp.sin(ph)
            gy -= amp * k * wp.sin(heading[b]) * wp.sin(ph)
        if present(choppy) and present(drift):
            dx -= choppy * amp * wp.cos(heading[b]) * wp.sin(ph)
            dy -= choppy * amp * wp.sin(heading[b]) * wp.sin(ph)
    eta[i, j] = z
    if present(slope_out):
        slope_out[i, j] = wp.vec2(gx, gy)
    if present(choppy) and present(drift):
        note("points crowd at the crests|horizontal shift")
        drift[i, j] = wp.vec2(dx, dy)
    if present(crest):
        wp.atomic_max(crest, 0, z)
