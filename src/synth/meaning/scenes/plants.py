"""Models of plants and craft with many coupled parts, and long solvers."""


@scene("combined", "control_flow", "multi_conditional", "scalar_param", sample,
       says="simulates the water of a catchment day by day: snow that falls and melts, soil that fills and dries, two stores that drain, and a river that delays the flow",
       title="catchment_days|hbv_runoff|rainfall_runoff|simulate_catchment", algorithm="HBV rainfall-runoff model", topic="")
def catchment_days(rain: rows(rain_amount, 12), temp: rows(day_temperature, 12), field_cap: setting(store_level, 40.0, 80.0), beta: setting(gain, 1.0, 3.0), melt: setting(melt_factor, 2.0, 4.0), threshold: setting(day_temperature, -0.5, 1.0), drain: setting(ratio, 0.1, 0.3), seep: setting(positive_value, 0.5, 2.0), base_rate: setting(ratio, 0.02, 0.08), fast_rate: maybe(setting(ratio, 0.2, 0.5), 0.6), warm: maybe(setting(day_temperature, 0.5, 3.0), 0.3), soil: inout(store_level), total_out: out(stream_flow), peak_out: maybe(out(stream_flow), 0.6), peak_day: maybe(out(index_value), 0.5), snow_out: maybe(out(snow_water), 0.6), series: maybe(out(stream_flow, sample, 12), 0.4), floods: maybe(add(count_value, 1), 0.4)):
    names(rain="rain|precip|p_daily|rainfall", temp="temp|t_daily|air_t|temps", soil="soil|soil_water|moisture|sm0", snow="snow|pack|swe|snow_store", wet="wet|liquid|melt_held|pack_water", sm="sm|moist|soil_now|s_soil", up="up|upper|quick_store|s_up", low="low|lower|slow_store|s_low", t="t|t_d|temp_d|deg", p="p|fall|input_d|p_d", m="m|melted|melt_d|thaw", hold="hold|can_hold|held_max|retain", inflow="inflow|out_snow|to_soil|reach_soil", share="share|recharge_f|wet_part|frac_r", rech="rech|recharge|to_upper|through", pet="pet|demand|evap_p|thirst", et="et|evap|loss_e|taken", q0="q0|fast_q|surge|over_q", q1="q1|quick_q|inter_q|mid_q", q2="q2|base_q|slow_q|ground_q", q="q|flow_d|sum_q|day_q", a1="a1|late1|route1|yesterday_q", a2="a2|late2|route2|before_q", out_q="out_q|river_q|routed|at_gauge", top="top|peak|highest|max_q", when="when|day_max|top_day|at_day", field_cap="field_cap|fc|capacity_mm|soil_cap", seep="seep|perc|percolation|seep_max", refreeze="refreeze|frozen|ice_back|cold_gain")
    c = wp.tid()
    snow = float(0.0)
    wet = float(0.0)
    sm = wp.min(soil[c], field_cap)
    up = float(5.0)
    low = float(10.0)
    a1 = float(0.0)
    a2 = float(0.0)
    total = float(0.0)
    top = float(0.0)
    when = int(0)
    for d in range(12):
        t = temp[c, d]
        if present(warm):
            note("a warmer climate|scenario")
            fact("the temperatures are raised")
            t = t + warm
        p = rain[c, d]
        inflow = float(0.0)
        if t < threshold:
            note("it snows, and some of the water in the pack freezes again|cold day")
            snow += p
            refreeze = wp.min(0.05 * melt * (threshold - t), wet)
            snow += refreeze
            wet -= refreeze
        else:
            m = wp.min(melt * (t - threshold), snow)
            snow -= m
            wet += m + p
        hold = 0.1 * snow
        if wet > hold:
            inflow = wet - hold
            wet = hold
        note("the wetter the soil, the more runs through|recharge by a power law")
        share = wp.pow(sm / field_cap, beta)
        rech = inflow * share
        sm += inflow - rech
        if sm > field_cap:
            rech += sm - field_cap
            sm = field_cap
        pet = wp.max(0.3 * t, 0.0)
        et = pet * wp.min(sm / (0.7 * field_cap), 1.0)
        et = wp.min(et, sm)
        sm -= et
        up += rech
        m = wp.min(seep, up)
        up -= m
        low += m
        q0 = float(0.0)
        if present(fast_rate):
            if up > 15.0:
                note("above a level it drains through a second outlet|fast outlet")
                q0 = fast_rate * (up - 15.0)
                up -= q0
        q1 = drain * up
        up -= q1
        q2 = base_rate * low
        low -= q2
        q = q0 + q1 + q2
        note("a triangle of three days|routing")
        out_q = 0.25 * q + 0.5 * a1 + 0.25 * a2
        a2 = float(a1)
        a1 = float(q)
        total += out_q
        if out_q > top:
            top = out_q
            when = d
        if present(series):
            series[c, d] = out_q
        if present(floods):
            if out_q > 3.0:
                wp.atomic_add(floods, 0, 1)
    soil[c] = sm
    total_out[c] = total
    if present(peak_out):
        peak_out[c] = top
    if present(peak_day):
        peak_day[c] = when
    if present(snow_out):
        snow_out[c] = snow + wet


@scene("physics", "quaternion", "combined", aircraft,
       says="advances small aircraft by one step with six degrees of freedom: lift that stalls, drag, side force, propeller, moments of the control surfaces, and the rotation of the body",
       title="aircraft_step|flight_dynamics_step|six_dof_step", algorithm="rigid-body flight dynamics, semi-implicit Euler", topic="")
def aircraft_step(pos: inout(position), u: inout(forward_speed), v: inout(cross_speed), w: inout(cross_speed), q: inout(plane_attitude), rates: inout(angular_velocity, range=(-0.5, 0.5)), controls: each(stick_input), wind: maybe(setting(velocity, -2.0, 2.0), 0.5), mass: setting(mass, 0.8, 2.5), inertia: setting(principal_inertia, 0.1, 0.4), wing_area: setting(area, 0.2, 0.6), span: setting(length, 1.2, 1.8), chord: setting(length, 0.15, 0.3), thrust_max: setting(tension, 5.0, 15.0), dt: setting(time_step, 0.005, 0.02), alpha_out: maybe(out(angle), 0.6), load_factor: maybe(out(load_factor), 0.6), ground: maybe(setting(length, -3.0, -1.0), 0.4)):
    names(pos="pos|positions", u="u|vel_u", v="v|vel_v", w="w|vel_w", q="att|attitude", rates="rates|pqr", controls="controls|ctrl", vel="vel|uvw", va="va|v_air", speed="speed|airspeed", alpha="alpha|aoa", beta="beta|sideslip", q_bar="q_bar|dyn_pressure", cl="cl|c_lift", cd="cd|c_drag", cy="cy|c_side", c_roll="c_roll|cl_roll", c_pitch="c_pitch|cm", c_yaw="c_yaw|cn", fx="fx|force_x", fy="fy|force_y", fz="fz|force_z", moment="moment|torque", grav="g_body|gravity_b", acc="acc|vel_dot", ang_acc="ang_acc|rates_dot", qn="qn|rot", p_hat="p_hat|roll_hat", q_hat="q_hat|pitch_hat", r_hat="r_hat|yaw_hat", om="omega|pqr_i", aileron="aileron|ail", elevator="elevator|elev", rudder="rudder|rud", throttle="throttle|thr", span="span|wing_span", ground="ground_height|ground_z", alpha_out="alpha_out|aoa_out", inertia="inertia|principal_inertia", x="x|pos_new")
    i = wp.tid()
    qn = wp.normalize(q[i])
    om = rates[i]
    vel = wp.vec3(u[i], v[i], w[i])
    aileron = controls[i][0]
    elevator = controls[i][1]
    rudder = controls[i][2]
    throttle = 0.5 + 0.5 * controls[i][3]
    va = vel
    if present(wind):
        va = vel - wp.quat_rotate_inv(qn, wind)
    speed = wp.length(va)
    alpha = wp.atan2(va[2], va[0])
    beta = wp.asin(wp.clamp(va[1] / speed, -1.0, 1.0))
    q_bar = 0.5 * constant("AIR_DENSITY|RHO_AIR", 1.225) * speed * speed
    if wp.abs(alpha) < constant("STALL_ANGLE|ALPHA_STALL", 0.26):
        cl = constant("CL_0", 0.3) + constant("CL_ALPHA", 4.8) * alpha
        cd = constant("CD_0", 0.03) + constant("CD_INDUCED", 0.06) * cl * cl
    else:
        note("the flow has left the wing: a flat plate|stall")
        cl = 2.0 * wp.sin(alpha) * wp.cos(alpha)
        cd = constant("CD_0", 0.03) + 2.0 * wp.sin(alpha) * wp.sin(alpha)
    cy = -0.6 * beta + 0.15 * rudder
    note("rates by span and speed|dimensionless rates")
    p_hat = 0.5 * span * om[0] / speed
    q_hat = 0.5 * chord * om[1] / speed
    r_hat = 0.5 * span * om[2] / speed
    note("stability and control derivatives|coefficients of the moments")
    c_roll = -0.08 * beta - 0.45 * p_hat + 0.1 * r_hat + 0.15 * aileron
    c_pitch = 0.02 - 0.9 * alpha - 11.0 * q_hat - 0.6 * elevator
    c_yaw = 0.1 * beta - 0.03 * p_hat - 0.12 * r_hat - 0.08 * rudder
    fx = q_bar * wing_area * (cl * wp.sin(alpha) - cd * wp.cos(alpha))
    fy = q_bar * wing_area * cy
    fz = -q_bar * wing_area * (cl * wp.cos(alpha) + cd * wp.sin(alpha))
    note("the propeller pulls less when it is fast|thrust")
    fx += thrust_max * wp.max(throttle, 0.0) * wp.max(1.0 - speed / constant("PROP_PITCH_SPEED|NO_THRUST_SPEED", 40.0), 0.0)
    moment = wp.vec3(span * c_roll, chord * c_pitch, span * c_yaw) * (q_bar * wing_area)
    grav = wp.quat_rotate_inv(qn, wp.vec3(0.0, 0.0, constant("GRAVITY|G", 9.81)))
    acc = wp.vec3(fx, fy, fz) / mass + grav - wp.cross(om, vel)
    if present(alpha_out):
        alpha_out[i] = alpha
    if present(load_factor):
        note("what the pilot feels|load factor")
        load_factor[i] = -fz / (mass * constant("GRAVITY|G", 9.81))
    ang_acc = wp.cw_div(moment - wp.cross(om, wp.cw_mul(inertia, om)), inertia)
    om = om + ang_acc * dt
    vel = vel + acc * dt
    rates[i] = om
    u[i] = vel[0]
    v[i] = vel[1]
    w[i] = vel[2]
    q[i] = wp.normalize(qn + qn * wp.quat(om[0], om[1], om[2], 0.0) * (0.5 * dt))
    x = pos[i] + wp.quat_rotate(qn, vel) * dt
    if present(ground):
        note("down is positive: the ground is below|touch-down")
        fact("aircraft that touch the ground are held there")
        if x[2] > -ground:
            x = wp.vec3(x[0], x[1], -ground)
    pos[i] = x


@law("electromagnetics", "the open voltage of a lithium cell by its charge", title="open_voltage|ocv_curve|rest_voltage", private=True, function=True)
def open_voltage(z: cell_charge) -> potential:
    return 3.0 + 0.9 * z - 0.4 * z * z + 0.7 * z * z * z - 0.08 * wp.exp(-20.0 * z)


@scene("combined", "multi_conditional", "control_flow", item,
       says="runs a battery pack of four cells through steps of load: voltage under load with a slow part{bleed:, balancing of full cells}, and protection that cuts the current of empty and of full packs",
       title="battery_pack_steps|simulate_battery_pack|run_battery_pack", algorithm="equivalent circuit of a battery pack", topic="",
       lossy=True)
def battery_pack(soc: each(cell_charge, item, 4), load: each(pack_current, item, time_sample), r0: setting(resistance, 0.02, 0.06), r1: setting(resistance, 0.01, 0.03), tau: setting(period, 5.0, 20.0), capacity: setting(capacitance, 1.5, 3.0), soc_min: setting(ratio, 0.05, 0.15), soc_max: setting(ratio, 0.85, 0.95), bleed: maybe(setting(pack_current, 0.1, 0.4), 0.6), dt: setting(time_step, 5.0, 20.0), soc_out: out(cell_charge, item, 4), volt_min: out(potential), energy_out: maybe(out(energy), 0.6), cut_steps: maybe(out(count_value), 0.5)):
    names(soc="soc|cell_soc", load="load|load_current", z="z|charge", v_rc="v_rc|v_polar", current="current|i_pack", lowest="soc_low|lowest", highest="soc_high|highest", v_pack="v_pack|pack_voltage", v="v|v_cell", i_cell="i_cell|cell_current", energy="energy|work", decay="decay|k_rc", v_low="v_low|v_lowest", bleed="bleed_current|balance_current", capacity="capacity|capacity_ah", volt_min="min_voltage|min_cell_voltage", soc_out="soc_out|final_soc", energy_out="energy_out|delivered_energy", cut_steps="cut_steps|blocked_steps", blocked="blocked|num_blocked", r0="r0|r_ohm", r1="r1|r_polar", tau="tau|tau_rc")
    b = wp.tid()
    z = wp.zeros(shape=4, dtype=float)
    v_rc = wp.zeros(shape=4, dtype=float)
    for c in range(4):
        z[c] = soc[b, c]
    energy = float(0.0)
    v_low = float(10.0)
    blocked = int(0)
    decay = wp.exp(-dt / tau)
    for step in range(count(time_sample)):
        current = load[b, step]
        lowest = z[0]
        highest = z[0]
        for c in range(1, 4):
            lowest = wp.min(lowest, z[c])
            highest = wp.max(highest, z[c])
        note("an empty pack is not discharged, a full one not charged|protection")
        if (lowest < soc_min and current > 0.0) or (highest > soc_max and current < 0.0):
            current = 0.0
            blocked += 1
        v_pack = float(0.0)
        for c in range(4):
            i_cell = float(current)
            if present(bleed):
                if z[c] - lowest > constant("BALANCE_GAP|BALANCE_BAND", 0.05):
                    note("full cells are drained a little|passive balancing")
                    i_cell = current + bleed
            v_rc[c] = v_rc[c] * decay + r1 * i_cell * (1.0 - decay)
            v = open_voltage(z[c]) - r0 * i_cell - v_rc[c]
            v_pack += v
            v_low = wp.min(v_low, v)
            z[c] = wp.clamp(z[c] - i_cell * dt / (3600.0 * capacity), 0.0, 1.0)
        energy += v_pack * current * dt
    for c in range(4):
        soc_out[b, c] = z[c]
    volt_min[b] = v_low
    if present(energy_out):
        energy_out[b] = energy
    if present(cut_steps):
        cut_steps[b] = blocked


@scene("ml", "nested_loop", "reduction", "combined", (row, token),
       says="computes one layer of a small language model for each token: normalisation, turned queries and keys, causal attention, and a gated layer, each added to what came in",
       title="decoder_layer|transformer_layer|token_layer|decode_tokens", algorithm="decoder layer with rotary attention and a gated unit",
       lossy=True)
def decoder_layer(x: each(token_state, row, token, 4), wq: each(mixing_matrix, 4, 4), wk: each(mixing_matrix, 4, 4), wv: each(mixing_matrix, 4, 4), wo: each(mixing_matrix, 4, 4), gate_w: each(gate_weight, 4, 4), up_w: each(net_weight, 4, 4), gain: each(scale_gamma, 4), pos_scale: maybe(setting(positive_value, 0.3, 1.0), 0.5), y: out(token_state, row, token, 4), focus: maybe(out(probability, row, token), 0.5), norm_out: maybe(out(positive_value, row, token), 0.5)):
    names(x="x|hidden|tokens_x|stream", wq="wq|w_query|q_proj|query_w", wk="wk|w_key|k_proj|key_w", wv="wv|w_value|v_proj|value_w", wo="wo|w_out|o_proj|out_w", gate_w="gate_w|w_gate|g_proj|gating", up_w="up_w|w_up|u_proj|upper_w", gain="gain|norm_g|rms_gain|scale_n", h="h|normed|hn|xn", q="q|query|qv|q_row", kk="kk|key_j|kv|k_row", vv="vv|val_j|vj|v_row", ms="ms|mean_sq|power_x|sq", inv="inv|inv_rms|scale_r|rn", c="c|cosine|ct|co", s="s|sine|sn|si", a="a|first_c|q_a|ra", b="b|second_c|q_b|rb", score="score|logit|qk|sc", best="best|peak|m_run|top_s", total="total|z|norm_w|denom", e="e|w_j|ex|num", mix="mix|ctx|att|blend", r="r|resid|mid_x|after_att", act="act|silu|gated|swish", hid="hid|ffn|inner_v|mlp_v", pos_scale="pos_scale|rope_scale|freq_scale|turn_rate_p")
    n, t = wp.tid()
    ms = float(0.0)
    for d in range(4):
        ms += x[n, t, d] * x[n, t, d]
    inv = 1.0 / wp.sqrt(ms / 4.0 + 1.0e-5)
    h = wp.vec4(x[n, t, 0] * inv * gain[0], x[n, t, 1] * inv * gain[1], x[n, t, 2] * inv * gain[2], x[n, t, 3] * inv * gain[3])
    q = wp.vec4()
    for d in range(4):
        q[d] = wq[d, 0] * h[0] + wq[d, 1] * h[1] + wq[d, 2] * h[2] + wq[d, 3] * h[3]
    note("pairs of components turn with the place of the token|rotary positions")
    for d in range(2):
        if present(pos_scale):
            c = wp.cos(pos_scale * float(t) / wp.pow(10.0, float(d)))
            s = wp.sin(pos_scale * float(t) / wp.pow(10.0, float(d)))
        else:
            c = wp.cos(float(t) / wp.pow(10.0, float(d)))
            s = wp.sin(float(t) / wp.pow(10.0, float(d)))
        a = q[2 * d]
        b = q[2 * d + 1]
        q[2 * d] = a * c - b * s
        q[2 * d + 1] = a * s + b * c
    best = float(-1.0e9)
    total = float(0.0)
    mix = wp.vec4()
    j = int(0)
    while j <= t:
        ms = 0.0
        for d in range(4):
            ms += x[n, j, d] * x[n, j, d]
        inv = 1.0 / wp.sqrt(ms / 4.0 + 1.0e-5)
        h = wp.vec4(x[n, j, 0] * inv * gain[0], x[n, j, 1] * inv * gain[1], x[n, j, 2] * inv * gain[2], x[n, j, 3] * inv * gain[3])
        kk = wp.vec4()
        vv = wp.vec4()
        for d in range(4):
            kk[d] = wk[d, 0] * h[0] + wk[d, 1] * h[1] + wk[d, 2] * h[2] + wk[d, 3] * h[3]
            vv[d] = wv[d, 0] * h[0] + wv[d, 1] * h[1] + wv[d, 2] * h[2] + wv[d, 3] * h[3]
        for d in range(2):
            if present(pos_scale):
                c = wp.cos(pos_scale * float(j) / wp.pow(10.0, float(d)))
                s = wp.sin(pos_scale * float(j) / wp.pow(10.0, float(d)))
            else:
                c = wp.cos(float(j) / wp.pow(10.0, float(d)))
                s = wp.sin(float(j) / wp.pow(10.0, float(d)))
            a = kk[2 * d]
            b = kk[2 * d + 1]
            kk[2 * d] = a * c - b * s
            kk[2 * d + 1] = a * s + b * c
        score = 0.5 * wp.dot(q, kk)
        note("rescale what was summed so far when a larger score comes|running softmax")
        if score > best:
            e = wp.exp(best - score)
            total *= e
            mix *= e
            best = score
        e = wp.exp(score - best)
        total += e
        mix += vv * e
        j += 1
    mix = mix / total
    if present(focus):
        focus[n, t] = 1.0 / total
    r = wp.vec4(x[n, t, 0], x[n, t, 1], x[n, t, 2], x[n, t, 3])
    for d in range(4):
        r[d] = r[d] + wo[d, 0] * mix[0] + wo[d, 1] * mix[1] + wo[d, 2] * mix[2] + wo[d, 3] * mix[3]
    inv = 1.0 / wp.sqrt(wp.dot(r, r) / 4.0 + 1.0e-5)
    h = wp.cw_mul(r * inv, wp.vec4(gain[0], gain[1], gain[2], gain[3]))
    if present(norm_out):
        norm_out[n, t] = wp.length(r)
    for d in range(4):
        act = gate_w[d, 0] * h[0] + gate_w[d, 1] * h[1] + gate_w[d, 2] * h[2] + gate_w[d, 3] * h[3]
        match choose("gate"):
            case 2:
                act = act / (1.0 + wp.exp(-act))
            case 1:
                act = wp.max(act, 0.0)
        hid = up_w[d, 0] * h[0] + up_w[d, 1] * h[1] + up_w[d, 2] * h[2] + up_w[d, 3] * h[3]
        y[n, t, d] = r[d] + act * hid


@scene("physics", "quaternion", "control_flow", satellite,
       says="controls the attitude of each satellite for one step: field of the earth's dipole, gravity gradient, wheels that steer towards a target attitude, and coils that take momentum out of the wheels",
       title="attitude_control_step|spacecraft_adcs|satellite_control|wheel_and_coils", algorithm="wheel control with magnetic unloading", topic="")
def attitude_control_step(r: each(orbit_position), q: inout(plane_attitude), w: inout(angular_velocity, range=(-0.2, 0.2)), goal: each(keyframe_rotation), hw: inout(wheel_momentum), inertia: setting(principal_inertia, 0.5, 2.0), kp: setting(proportional_gain, 0.05, 0.3), kd: setting(derivative_gain, 0.1, 0.5), unload: setting(gain, 0.05, 0.3), wheel_max: setting(torque, 0.02, 0.08), dt: setting(time_step, 0.05, 0.2), tumble: maybe(setting(angular_speed, 0.2, 0.3), 0.5), drag_t: maybe(setting(torque, -0.002, 0.002), 0.4), err_out: maybe(out(angle), 0.6), dipole_out: maybe(out(dipole_vector), 0.7), full: maybe(add(count_value, 1), 0.5)):
    names(r="r|orbit_pos|r_eci|places", q="q|att|sat_q|attitude", w="w|body_w|rates|omega_b", goal="goal|target_q|want_q|ref_att", hw="hw|wheel_h|stored|wheels", qn="qn|q_unit|att_n|q0", qe="qe|err_q|dq|off_q", up="up|zenith|r_hat|radial", dist="dist|radius_o|r_len|height_r", b_i="b_i|b_eci|field_i|mag_i", b_b="b_b|b_body|field_b|mag_b", n_b="n_b|up_b|zen_b|nadir_b", gg="gg|grad_t|t_gg|tidal", ax="ax|err_v|e_vec|axis_e", cmd="cmd|t_cmd|wheel_t|torque_c", m="m|dip|coil_m|dipole", mag="mag|coil_t|t_mag|mag_torque", tot="tot|t_sum|net_t|torque_n", wd="wd|wdot|acc_w|alpha_w", h_sum="h_sum|h_tot|spin_h|all_h", wn="wn|w_new|rate_n|spun", b2="b2|field2|b_sq|mag2", kp="kp|stiff_p|gain_p|k_att", kd="kd|damp_d|gain_d|k_rate")
    i = wp.tid()
    qn = wp.normalize(q[i])
    dist = wp.max(wp.length(r[i]), constant("MIN_RADIUS|LOWEST_ORBIT|R_MIN|LOW_ORBIT", 0.6))
    up = r[i] / dist
    note("dipole along the axis of the earth|field of a dipole")
    b_i = (up * (3.0 * up[2]) - wp.vec3(0.0, 0.0, 1.0)) / (dist * dist * dist)
    b_b = wp.quat_rotate_inv(qn, b_i)
    n_b = wp.quat_rotate_inv(qn, up)
    gg = wp.cross(n_b, wp.cw_mul(inertia, n_b)) * (constant("GRAVITY_GRADIENT|TIDAL_RATE_SQ|GRADIENT_GAIN|TIDE", 0.003) / (dist * dist * dist))
    tot = gg
    if present(drag_t):
        tot = tot + drag_t
    qe = wp.quat_inverse(wp.normalize(goal[i])) * qn
    note("the short way round|same rotation, other sign")
    ax = wp.vec3(qe[0], qe[1], qe[2]) * wp.sign(qe[3])
    if present(err_out):
        err_out[i] = 2.0 * wp.atan2(wp.length(ax), wp.abs(qe[3]))
    cmd = -(ax * kp + w[i] * kd)
    if present(tumble):
        if wp.length(w[i]) > tumble:
            note("too fast for the wheels: only slow down|detumble")
            fact("satellites that tumble are only slowed down")
            cmd = -w[i] * kd
    match choose("limit"):
        case 1:
            cmd = wp.vec3(wp.clamp(cmd[0], -wp.abs(wheel_max[0]), wp.abs(wheel_max[0])), wp.clamp(cmd[1], -wp.abs(wheel_max[1]), wp.abs(wheel_max[1])), wp.clamp(cmd[2], -wp.abs(wheel_max[2]), wp.abs(wheel_max[2])))
        case 1:
            note("keep the direction when the wheels saturate|scale the whole vector")
            mag = wp.vec3(wp.abs(cmd[0]) / wp.abs(wheel_max[0]), wp.abs(cmd[1]) / wp.abs(wheel_max[1]), wp.abs(cmd[2]) / wp.abs(wheel_max[2]))
            if wp.max(mag) > 1.0:
                cmd = cmd / wp.max(mag)
    if wp.length(hw[i]) > constant("FULL_WHEELS|H_LIMIT|WHEEL_LIMIT|H_MAX", 0.6):
        if present(full):
            wp.atomic_add(full, 0, 1)
    b2 = wp.max(wp.dot(b_b, b_b), 1.0e-4)
    m = wp.cross(hw[i], b_b) * (unload / b2)
    m = wp.vec3(wp.clamp(m[0], -constant("MAX_DIPOLE|COIL_LIMIT|DIPOLE_MAX|COIL_MAX", 0.2), constant("MAX_DIPOLE|COIL_LIMIT|DIPOLE_MAX|COIL_MAX", 0.2)), wp.clamp(m[1], -constant("MAX_DIPOLE|COIL_LIMIT|DIPOLE_MAX|COIL_MAX", 0.2), constant("MAX_DIPOLE|COIL_LIMIT|DIPOLE_MAX|COIL_MAX", 0.2)), wp.clamp(m[2], -constant("MAX_DIPOLE|COIL_LIMIT|DIPOLE_MAX|COIL_MAX", 0.2), constant("MAX_DIPOLE|COIL_LIMIT|DIPOLE_MAX|COIL_MAX", 0.2)))
    if present(dipole_out):
        dipole_out[i] = m
    tot = tot + wp.cross(m, b_b) * constant("FIELD_STRENGTH|COIL_GAIN|FIELD_SCALE|B_SCALE", 0.01) + cmd
    h_sum = wp.cw_mul(inertia, w[i]) + hw[i]
    wd = wp.cw_div(tot - wp.cross(w[i], h_sum), inertia)
    wn = w[i] + wd * dt
    hw[i] = hw[i] - cmd * dt
    w[i] = wn
    q[i] = wp.normalize(qn + qn * wp.quat(wn[0], wn[1], wn[2], 0.0) * (0.5 * dt))


@law("plants", "the diffuse share of the light by the clearness of the sky, after Erbs", title="erbs_diffuse_fraction|diffuse_fraction", private=True, function=True)
def diffuse_fraction(kt: ratio) -> ratio:
    names(kt="kt|clearness")
    if kt <= 0.22:
        return 1.0 - 0.09 * kt
    if kt <= 0.8:
        return 0.9511 + kt * (-0.1604 + kt * (4.388 + kt * (-16.638 + kt * 12.336)))
    return 0.165


@law("plants", "the efficiency of an inverter by its part of the full load", title="inverter_efficiency|part_load_efficiency", private=True, function=True)
def inverter_efficiency(load: ratio) -> ratio:
    names(load="load|part_load")
    return 0.96 / 0.9637 * (0.9858 - 0.0162 * load - 0.0059 / load)


@scene("combined", "math", "scalar_param", "control_flow", sample,
       says="estimates the power of a solar plant with modules that face south for each hour: height of the sun, light through clouds, light on the plane of the modules, temperature of the cells, and inverter",
       title="pv_power|solar_plant_power|pv_plant_output", algorithm="photovoltaic yield by Erbs, an isotropic sky and a part-load inverter", topic="")
def solar_plant(day: each(day_number), hour: each(clock_hour, range=(5.0, 19.0)), cloud: each(ratio), air_temp: each(day_temperature, range=(0.0, 30.0)), wind: each(speed), latitude: setting(angle, 0.35, 0.95), tilt: setting(angle, 0.15, 0.5), rated: setting(power, 5.0, 40.0), albedo: setting(ratio, 0.1, 0.4), temp_coeff: setting(ratio, 0.003, 0.005), power_out: out(power), cell_out: maybe(out(day_temperature), 0.5), elevation_out: maybe(out(angle), 0.5)):
    names(day="day|day_of_year", hour="hour|solar_hour", cloud="cloud|cloud_cover", air_temp="air_temp|t_air", wind="wind|wind_speed", decl="decl|declination", ha="hour_angle|omega", cz="cos_zenith|cz", ci="cos_inc|cos_incidence", g0="g0|extraterrestrial", ghi="ghi|global_horizontal", kt="kt|clearness", dhi="dhi|diffuse", dni="dni|beam_normal", beam="beam|direct", sky="sky|sky_diffuse", ground="ground|reflected", poa="poa|poa_total", t_cell="t_cell|cell_temp", dc="dc|p_dc", load="load|part_load", latitude="latitude|lat", tilt="tilt|panel_tilt", rated="rated_power|p_rated", albedo="albedo|ground_albedo", temp_coeff="temp_coeff|gamma", power_out="ac_power|power_out", cell_out="cell_temps|cell_temp_out", elevation_out="sun_elevation|elevation", n="n|day_f")
    i = wp.tid()
    n = float(day[i])
    decl = wp.radians(23.45) * wp.sin(2.0 * wp.pi * (284.0 + n) / 365.0)
    ha = wp.pi / 12.0 * (hour[i] - 12.0)
    cz = wp.sin(latitude) * wp.sin(decl) + wp.cos(latitude) * wp.cos(decl) * wp.cos(ha)
    if cz < constant("MIN_COS_ZENITH|SUNSET_COS", 0.05):
        note("the sun is down|night")
        power_out[i] = 0.0
        if present(cell_out):
            cell_out[i] = air_temp[i]
        if present(elevation_out):
            elevation_out[i] = 0.0
        return
    note("clear sky by Haurwitz, dimmed by clouds|global horizontal irradiance")
    ghi = 1098.0 * cz * wp.exp(-0.057 / cz) * (1.0 - 0.75 * wp.pow(cloud[i], 3.4))
    g0 = constant("SOLAR_CONSTANT|G_SC", 1361.0) * (1.0 + 0.033 * wp.cos(2.0 * wp.pi * n / 365.0))
    kt = wp.min(ghi / (g0 * cz), 1.0)
    dhi = ghi * diffuse_fraction(kt)
    dni = (ghi - dhi) / cz
    note("towards the south, tilted: as if it lay flat at a lower latitude|angle of incidence")
    ci = wp.sin(latitude - tilt) * wp.sin(decl) + wp.cos(latitude - tilt) * wp.cos(decl) * wp.cos(ha)
    beam = dni * wp.max(ci, 0.0)
    sky = 0.5 * dhi * (1.0 + wp.cos(tilt))
    ground = 0.5 * albedo * ghi * (1.0 - wp.cos(tilt))
    poa = beam + sky + ground
    note("hotter in the sun, cooler in the wind|temperature of the cells")
    t_cell = air_temp[i] + poa / (constant("FAIMAN_U0", 25.0) + constant("FAIMAN_U1", 6.84) * wind[i])
    dc = rated * poa / 1000.0 * (1.0 - temp_coeff * (t_cell - 25.0))
    load = wp.max(dc / rated, 0.02)
    power_out[i] = wp.clamp(dc * inverter_efficiency(load), 0.0, rated)
    if present(cell_out):
        cell_out[i] = t_cell
    if present(elevation_out):
        elevation_out[i] = wp.asin(cz)
