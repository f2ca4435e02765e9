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


@scene("physics", "quaternion", "combined", vehicle,
       says="advances small aircraft by one step with six degrees of freedom: lift that stalls, drag, side force, propeller, moments of the control surfaces, and the turning of the body",
       title="aircraft_step|fly_aircraft|flight_dynamics|six_dof_step", algorithm="rigid-body flight dynamics, semi-implicit Euler", topic="")
def aircraft_step(pos: inout(position), vel: inout(plane_velocity), q: inout(plane_attitude), w: inout(angular_velocity, range=(-0.5, 0.5)), ctl: each(stick_input), wind: maybe(setting(velocity, -2.0, 2.0), 0.5), mass: setting(mass, 0.8, 2.5), inertia: setting(principal_inertia, 0.1, 0.4), wing: setting(area, 0.2, 0.6), chord: setting(length, 0.15, 0.3), thrust_max: setting(tension, 5.0, 15.0), dt: setting(time_step, 0.005, 0.02), alpha_out: maybe(out(angle), 0.6), load_out: maybe(out(peak_load), 0.6), stalled: maybe(add(count_value, 1), 0.5), ground: maybe(setting(length, -3.0, -1.0), 0.4)):
    names(pos="pos|plane_pos|x_world|location", vel="vel|uvw|body_v|airframe_v", q="q|att|orient|body_q", w="w|pqr|body_w|rates", ctl="ctl|controls|sticks|surfaces", va="va|air_v|rel_v|flow_b", sp="sp|airspeed|v_tot|speed_a", al="al|alpha|aoa|attack", be="be|beta|sideslip|slip_a", qb="qb|dyn_p|q_bar|ram", cl="cl|lift_c|c_lift|cz", cd="cd|drag_c|c_drag|cx", cy="cy|side_c|c_side|c_y", ll="ll|roll_c|c_roll|cl_r", mm="mm|pitch_c|c_pitch|cm_p", nn="nn|yaw_c|c_yaw|cn_y", fx="fx|force_x|axial_f|f_fwd", fy="fy|force_y|side_f|f_lat", fz="fz|force_z|down_f|f_dwn", mo="mo|moment_b|torque_b|m_vec", g_b="g_b|grav_b|weight_b|g_body", acc="acc|vdot|a_body|lin_acc", wd="wd|wdot|ang_acc|pqr_dot", qn="qn|q_new|att_n|turned", pp="pp|roll_hat|p_hat|p_nd", qq="qq|pitch_hat|q_hat|q_nd", rr="rr|yaw_hat|r_hat|r_nd", thrust_max="thrust_max|prop_max|power_t|max_thrust", wing="wing|wing_area|s_ref|plan_area")
    i = wp.tid()
    qn = wp.normalize(q[i])
    va = vel[i] + wp.vec3(15.0, 0.0, 0.0)
    if present(wind):
        va = va - wp.quat_rotate_inv(qn, wind)
    sp = wp.length(va)
    al = wp.atan2(va[2], va[0])
    be = wp.asin(wp.clamp(va[1] / sp, -1.0, 1.0))
    qb = 0.5 * 1.225 * sp * sp
    if wp.abs(al) < 0.26:
        cl = 0.3 + 4.8 * al
        cd = 0.03 + 0.06 * cl * cl
    else:
        note("the flow has left the wing: a flat plate|stall")
        cl = 2.0 * wp.sin(al) * wp.cos(al)
        cd = 0.03 + 2.0 * wp.sin(al) * wp.sin(al)
        if present(stalled):
            wp.atomic_add(stalled, 0, 1)
    cy = -0.6 * be + 0.15 * ctl[i][2]
    note("rates by span and speed|dimensionless rates")
    pp = 0.5 * 1.4 * w[i][0] / sp
    qq = 0.5 * chord * w[i][1] / sp
    rr = 0.5 * 1.4 * w[i][2] / sp
    ll = -0.08 * be - 0.45 * pp + 0.1 * rr + 0.15 * ctl[i][0]
    mm = 0.02 - 0.9 * al - 11.0 * qq - 0.6 * ctl[i][1]
    nn = 0.1 * be - 0.03 * pp - 0.12 * rr - 0.08 * ctl[i][2]
    fx = qb * wing * (cl * wp.sin(al) - cd * wp.cos(al))
    fz = -qb * wing * (cl * wp.cos(al) + cd * wp.sin(al))
    fy = qb * wing * cy
    note("the propeller pulls less when it is fast|thrust")
    fx += thrust_max * wp.max(0.5 + 0.5 * ctl[i][3], 0.0) * wp.max(1.0 - sp / 40.0, 0.0)
    mo = wp.vec3(qb * wing * 1.4 * ll, qb * wing * chord * mm, qb * wing * 1.4 * nn)
    g_b = wp.quat_rotate_inv(qn, wp.vec3(0.0, 0.0, 9.81))
    acc = wp.vec3(fx, fy, fz) / mass + g_b - wp.cross(w[i], vel[i] + wp.vec3(15.0, 0.0, 0.0))
    if present(alpha_out):
        alpha_out[i] = al
    if present(load_out):
        note("what the pilot feels|load factor")
        load_out[i] = -fz / (mass * 9.81)
    wd = wp.cw_div(mo - wp.cross(w[i], wp.cw_mul(inertia, w[i])), inertia)
    w[i] = w[i] + wd * dt
    vel[i] = vel[i] + acc * dt
    q[i] = wp.normalize(qn + qn * wp.quat(w[i][0], w[i][1], w[i][2], 0.0) * (0.5 * dt))
    pos[i] = pos[i] + wp.quat_rotate(qn, vel[i] + wp.vec3(15.0, 0.0, 0.0)) * dt
    if present(ground):
        note("down is positive: the ground is below|touch-down")
        fact("aircraft that touch the ground are held there")
        if pos[i][2] > -ground:
            pos[i] = wp.vec3(pos[i][0], pos[i][1], -ground)


@law("electromagnetics", "the open voltage of a lithium cell by its charge", title="open_voltage|ocv_curve|rest_voltage", private=True, function=True)
def open_voltage(z: cell_charge) -> potential:
    return 3.0 + 0.9 * z - 0.4 * z * z + 0.7 * z * z * z - 0.08 * wp.exp(-20.0 * z)


@scene("combined", "multi_conditional", "control_flow", item,
       says="runs a battery pack of four cells through steps of load: voltage under load with a slow part, heat and cooling, balancing of full cells, and protection that derates or disconnects",
       title="battery_pack|simulate_pack|pack_management|battery_steps", algorithm="equivalent circuit of a battery pack", topic="")
def battery_pack(soc: each(cell_charge, item, 4), load: rows(pack_current, 10), r0: setting(resistance, 0.02, 0.06), r1: setting(resistance, 0.01, 0.03), tau: setting(period, 5.0, 20.0), cap: setting(capacitance, 1.5, 3.0), heat_cap: setting(heat_capacity, 30.0, 80.0), cool: setting(conductance, 0.1, 0.6), ambient: setting(cell_heat, 15.0, 30.0), hot: setting(cell_heat, 33.0, 42.0), bleed: maybe(setting(pack_current, 0.1, 0.4), 0.6), soc_out: out(cell_charge, item, 4), heat_out: maybe(out(cell_heat, item, 4), 0.6), volt_low: out(potential), fault_out: maybe(out(kind_value), 0.7), energy_out: maybe(out(energy), 0.6), trips: maybe(add(count_value, 1), 0.5)):
    names(soc="soc|cells_soc|charge_in|z0", load="load|profile|amps|currents_in", z="z|charge|socs|frac_z", pol="pol|slow_v|v_rc|polar", th="th|temps|heat_c|t_now", i_p="i_p|amps_now|cur|draw", lowest="lowest|v_min|weakest|min_cell", highest="highest|v_max|strongest|max_cell", pack="pack|v_pack|sum_v|total_v", v="v|v_cell|cell_v|terminal", fault="fault|trip|alarm|state_f", i_c="i_c|cell_i|own_i|amps_c", work="work|delivered|joules|out_e", warmest="warmest|t_max|hottest|peak_t", k="k|fade_k|decay_k|relax_k", worst="worst|v_low|lowest_all|sag", bleed="bleed|balance_a|shunt_a|bleeder", ohm="ohm|r_eff|res_t|r_hot", hot="hot|warn_temp|derate_at|t_warn", left="left|allow|limit_f|scale_i")
    b = wp.tid()
    z = wp.zeros(shape=4, dtype=float)
    pol = wp.zeros(shape=4, dtype=float)
    th = wp.zeros(shape=4, dtype=float)
    for c in range(4):
        z[c] = soc[b, c]
        th[c] = ambient
    fault = int(0)
    work = float(0.0)
    worst = float(10.0)
    k = wp.exp(-10.0 / tau)
    step = int(0)
    while step < 10:
        i_p = load[b, step]
        warmest = th[0]
        lowest = z[0]
        highest = z[0]
        for c in range(1, 4):
            warmest = wp.max(warmest, th[c])
            lowest = wp.min(lowest, z[c])
            highest = wp.max(highest, z[c])
        if fault == 0:
            if warmest > hot + 10.0:
                note("too hot: open the switch|disconnect")
                fault = 1
            elif lowest < 0.03 and i_p > 0.0:
                note("empty: no more may be drawn|under-voltage")
                fault = 2
            elif highest > 0.98 and i_p < 0.0:
                note("full: no more may be charged|over-voltage")
                fault = 3
            if fault > 0:
                if present(trips):
                    wp.atomic_add(trips, 0, 1)
        if fault > 0:
            i_p = 0.0
        elif warmest > hot:
            note("less current the hotter it is|derate")
            left = wp.clamp(1.0 - (warmest - hot) / 10.0, 0.0, 1.0)
            i_p = i_p * left
        pack = float(0.0)
        for c in range(4):
            i_c = float(i_p)
            if present(bleed):
                if z[c] - lowest > 0.05:
                    note("full cells are drained a little|passive balancing")
                    i_c = i_p + bleed
            ohm = r0 * (1.0 + 0.01 * (25.0 - th[c]))
            pol[c] = pol[c] * k + r1 * i_c * (1.0 - k)
            v = open_voltage(z[c]) - ohm * i_c - pol[c]
            pack += v
            worst = wp.min(worst, v)
            th[c] = th[c] + 10.0 * (ohm * i_c * i_c + pol[c] * i_c - cool * (th[c] - ambient)) / heat_cap
            z[c] = wp.clamp(z[c] - i_c * 10.0 / (3600.0 * cap), 0.0, 1.0)
        work += pack * i_p * 10.0
        step += 1
    for c in range(4):
        soc_out[b, c] = z[c]
        if present(heat_out):
            heat_out[b, c] = th[c]
    volt_low[b] = worst
    if present(fault_out):
        fault_out[b] = fault
    if present(energy_out):
        energy_out[b] = work


@scene("ml", "nested_loop", "reduction", "combined", "vector", (row, token),
       says="computes one layer of a small language model for each token: normalisation, turned queries and keys, causal attention, and a gated layer, each added to what came in",
       title="decoder_layer|transformer_layer|token_layer|decode_tokens", algorithm="decoder layer with rotary attention and a gated unit")
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
    dist = wp.max(wp.length(r[i]), 0.6)
    up = r[i] / dist
    note("dipole along the axis of the earth|field of a dipole")
    b_i = (up * (3.0 * up[2]) - wp.vec3(0.0, 0.0, 1.0)) / (dist * dist * dist)
    b_b = wp.quat_rotate_inv(qn, b_i)
    n_b = wp.quat_rotate_inv(qn, up)
    gg = wp.cross(n_b, wp.cw_mul(inertia, n_b)) * (0.003 / (dist * dist * dist))
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
    if wp.length(hw[i]) > 0.6:
        if present(full):
            wp.atomic_add(full, 0, 1)
    b2 = wp.max(wp.dot(b_b, b_b), 1.0e-4)
    m = wp.cross(hw[i], b_b) * (unload / b2)
    m = wp.vec3(wp.clamp(m[0], -0.2, 0.2), wp.clamp(m[1], -0.2, 0.2), wp.clamp(m[2], -0.2, 0.2))
    if present(dipole_out):
        dipole_out[i] = m
    tot = tot + wp.cross(m, b_b) * 0.01 + cmd
    h_sum = wp.cw_mul(inertia, w[i]) + hw[i]
    wd = wp.cw_div(tot - wp.cross(w[i], h_sum), inertia)
    wn = w[i] + wd * dt
    hw[i] = hw[i] - cmd * dt
    w[i] = wn
    q[i] = wp.normalize(qn + qn * wp.quat(wn[0], wn[1], wn[2], 0.0) * (0.5 * dt))


@scene("combined", "math", "scalar_param", "control_flow", sample,
       says="estimates the output of a solar plant with modules to the east and to the west for each hour: place of the sun, light through clouds, light on both planes, heat of the cells, inverter, and a battery that takes what the grid may not",
       title="solar_plant_hours|pv_plant|plant_output|east_west_plant", algorithm="photovoltaic yield by Erbs, an isotropic sky and a part-load inverter", topic="")
def solar_plant(day: each(day_number), hour: each(clock_hour, range=(5.0, 19.0)), cloud: each(ratio), warm: each(day_temperature, range=(0.0, 30.0)), breeze: each(speed), lat: setting(latitude_deg, 20.0, 55.0), tilt: setting(angle, 0.15, 0.5), size: setting(power, 5.0, 40.0), feed_limit: setting(ratio, 0.4, 0.8), store: inout(ratio), grid_out: out(power), lost_out: maybe(out(power), 0.7), heat_out: maybe(out(day_temperature), 0.6), sun_out: maybe(out(angle), 0.6), nights: maybe(add(count_value, 1), 0.5)):
    names(day="day|day_no|doy|days_in", hour="hour|hours_in|clock_h|local_h", cloud="cloud|clouds|cover|cloud_share", warm="warm|air_c|t_air|ambient_t", breeze="breeze|wind_s|v_wind|wind_in", n="n|day_f|nf|doy_f", b="b|year_a|season_a|day_angle", eot="eot|time_eq|sun_clock|minutes_e", dec="dec|decl|delta|sun_dec", w="w|hour_a|omega_h|turn_h", phi="phi|lat_r|site_phi|lat_rad", sh="sh|sin_el|cos_z|height_s", ch="ch|cos_el|sin_z|flat_s", az="az|sun_az|azim|heading_s", i0="i0|space_i|top_i|extra_i", clear="clear|clear_g|blue_sky|g_clear", ghi="ghi|global_h|g_flat|all_light", kt="kt|clearness|sky_k|k_clear", kd="kd|diffuse_k|d_share|hazy", dhi="dhi|diffuse_h|sky_h|g_sky", dni="dni|beam_n|direct_n|g_beam", ce="ce|cos_e|inc_e|east_c", cw="cw|cos_w|inc_w|west_c", be="be|beam_e|east_b|dir_e", bw="bw|beam_w|west_b|dir_w", sky="sky|sky_part|dome|view_sky", gnd="gnd|ground_part|albedo_p|reflected", pe="pe|poa_e|east_g|plane_e", pw="pw|poa_w|west_g|plane_w", te="te|cell_e|heat_e|tc_e", tw="tw|cell_w|heat_w|tc_w", dce="dce|dc_e|east_p|out_e", dcw="dcw|dc_w|west_p|out_w", dc="dc|dc_sum|array_p|total_dc", load="load|part|zeta|ratio_l", eff="eff|eta|inv_eff|conv_k", ac="ac|ac_out|alternating|inverter_p", over="over|excess_p|surplus|too_much", room="room|free_b|space_b|can_take", take="take|charged|into_b|stored_p", give="give|drawn|from_b|discharge")
    i = wp.tid()
    n = float(day[i])
    b = 2.0 * wp.pi * (n - 81.0) / 364.0
    eot = 9.87 * wp.sin(2.0 * b) - 7.53 * wp.cos(b) - 1.5 * wp.sin(b)
    dec = wp.radians(23.45) * wp.sin(2.0 * wp.pi * (284.0 + n) / 365.0)
    w = wp.radians(15.0 * (hour[i] + eot / 60.0 - 12.0))
    phi = wp.radians(lat)
    sh = wp.sin(phi) * wp.sin(dec) + wp.cos(phi) * wp.cos(dec) * wp.cos(w)
    give = float(0.0)
    if sh < 0.05:
        note("the sun is down: only the battery can help|night")
        give = wp.min(0.1, store[i])
        store[i] = store[i] - give
        grid_out[i] = give * size
        if present(lost_out):
            lost_out[i] = 0.0
        if present(heat_out):
            heat_out[i] = warm[i]
        if present(sun_out):
            sun_out[i] = 0.0
        if present(nights):
            wp.atomic_add(nights, 0, 1)
        return
    ch = wp.sqrt(1.0 - sh * sh)
    if present(sun_out):
        sun_out[i] = wp.asin(sh)
    note("from south, positive to the west|azimuth of the sun")
    az = wp.atan2(wp.sin(w) * wp.cos(dec), wp.sin(phi) * wp.cos(dec) * wp.cos(w) - wp.cos(phi) * wp.sin(dec))
    i0 = 1361.0 * (1.0 + 0.033 * wp.cos(2.0 * wp.pi * n / 365.0))
    clear = 1098.0 * sh * wp.exp(-0.057 / sh)
    ghi = clear * (1.0 - 0.75 * wp.pow(cloud[i], 3.4))
    kt = wp.min(ghi / (i0 * sh), 1.0)
    note("the duller the sky, the more of the light is diffuse|diffuse share by Erbs")
    if kt <= 0.22:
        kd = 1.0 - 0.09 * kt
    elif kt <= 0.8:
        kd = 0.9511 - 0.1604 * kt + 4.388 * kt * kt - 16.638 * kt * kt * kt + 12.336 * kt * kt * kt * kt
    else:
        kd = 0.165
    dhi = kd * ghi
    dni = (ghi - dhi) / sh
    ce = sh * wp.cos(tilt) + ch * wp.sin(tilt) * wp.cos(az + 0.5 * wp.pi)
    cw = sh * wp.cos(tilt) + ch * wp.sin(tilt) * wp.cos(az - 0.5 * wp.pi)
    be = float(0.0)
    if ce > 0.05:
        note("glass reflects at grazing angles|angle modifier")
        be = dni * ce * wp.clamp(1.0 - 0.05 * (1.0 / ce - 1.0), 0.0, 1.0)
    bw = float(0.0)
    if cw > 0.05:
        bw = dni * cw * wp.clamp(1.0 - 0.05 * (1.0 / cw - 1.0), 0.0, 1.0)
    sky = 0.5 * dhi * (1.0 + wp.cos(tilt))
    gnd = 0.5 * 0.2 * ghi * (1.0 - wp.cos(tilt))
    pe = be + sky + gnd
    pw = bw + sky + gnd
    note("hotter in the sun, cooler in the wind|temperature of the cells")
    te = warm[i] + pe / 800.0 * 25.0 * 9.5 / (5.7 + 3.8 * breeze[i])
    tw = warm[i] + pw / 800.0 * 25.0 * 9.5 / (5.7 + 3.8 * breeze[i])
    if present(heat_out):
        heat_out[i] = wp.max(te, tw)
    dce = 0.5 * size * pe / 1000.0 * (1.0 - 0.004 * (te - 25.0))
    dcw = 0.5 * size * pw / 1000.0 * (1.0 - 0.004 * (tw - 25.0))
    note("dirt and unequal modules|losses")
    dc = 0.96 * (wp.max(dce, 0.0) + wp.max(dcw, 0.0))
    load = wp.max(dc / size, 0.02)
    eff = 0.96 / 0.9637 * (0.9858 - 0.0162 * load - 0.0059 / load)
    ac = wp.clamp(dc * eff, 0.0, size)
    over = wp.max(ac - feed_limit * size, 0.0)
    take = float(0.0)
    if over > 0.0:
        room = 1.0 - store[i]
        take = wp.min(over / size, room)
        store[i] = store[i] + 0.95 * take
    elif ac < 0.2 * size:
        note("a dull hour: the battery helps|discharge")
        give = wp.min(0.05, store[i])
        store[i] = store[i] - give
    grid_out[i] = ac - over + give * size
    if present(lost_out):
        lost_out[i] = over - take * size
