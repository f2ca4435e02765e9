"""Rules and cases: automata, parsers, controllers, tariffs, games, materials."""


@scene("control_flow", "integer", "nested_loop", (row, cell),
       says="moves the cars of a ring road by one step: speed up, keep the distance, dawdle, drive",
       title="traffic_step|nagel_schreckenberg|road_automaton|drive_cars", algorithm="Nagel-Schreckenberg traffic model")
def traffic_cells(lane: each(lane_cell, row, cell), slow: each(flag, row, cell), vmax: setting(steps_value, 2, 5), lane_new: inout(lane_cell, row, cell, range=(-1, -1)), flow: maybe(add(count_value, row), 0.6), jammed: maybe(add(count_value, 1), 0.4), closed: maybe(each(flag, row, cell), 0.3)):
    names(v="v|speed|vel|fast", gap="gap|free|room|ahead_n", to="to|target|dest|landing", at="at|look|probe|next_c", slow="slow|dawdle|random_brake|hesitates", vmax="vmax|speed_limit|max_speed|v_limit", closed="closed|roadworks|red_light|barrier", flow="flow|throughput|passed|crossings", jammed="jammed|stopped|num_stopped|standing", lane_new="lane_new|next_lane|road_next|cells_out")
    r, c = wp.tid()
    v = lane[r, c]
    if v < 0:
        note("no car here")
        return
    v = wp.min(v + 1, vmax)
    note("count the free cells ahead|look ahead")
    gap = int(0)
    while gap < v:
        at = (c + gap + 1) % count(cell)
        if lane[r, at] >= 0:
            break
        if present(closed):
            if closed[r, at] == 1:
                break
        gap += 1
    v = wp.min(v, gap)
    if v > 0 and slow[r, c] == 1:
        note("some drivers dawdle")
        v = v - 1
    to = (c + v) % count(cell)
    lane_new[r, to] = v
    if present(flow):
        if c + v >= count(cell):
            wp.atomic_add(flow, r, 1)
    if present(jammed):
        if v == 0:
            wp.atomic_add(jammed, 0, 1)


@scene("control_flow", "integer", "multi_conditional", row,
       says="reads each row of bytes as a stream of frames, a start byte, a length, a payload and a checksum, and counts the good ones",
       title="parse_frames|decode_packets|frame_parser|scan_messages", algorithm="frame parser as a state machine")
def parse_frames(data: each(frame_byte, row, 32, range=(0, 7)), good: out(count_value), bad: maybe(out(count_value), 0.7), total: maybe(out(key), 0.5), state_out: maybe(out(label), 0.4), limit: maybe(setting(steps_value, 3, 6), 0.5)):
    names(st="st|state|mode|phase_s", b="b|byte|octet|cur", left="left|remaining|todo|need", chk="chk|checksum|parity_sum|crc", n_ok="n_ok|ok_count|accepted|frames", n_bad="n_bad|errors|rejected|broken", acc="acc|payload_sum|body|sum_data", limit="limit|max_len|mtu|longest", total="total|payload_total|sums_out|digest")
    r = wp.tid()
    st = int(0)
    left = int(0)
    chk = int(0)
    n_ok = int(0)
    n_bad = int(0)
    acc = int(0)
    for k in range(32):
        b = data[r, k]
        if st == 0:
            note("wait for the start byte|hunting")
            if b == constant("START|SYNC|SOF", 5):
                st = 1
        elif st == 1:
            note("the length of the payload")
            left = b
            chk = b
            if present(limit):
                if b > limit:
                    note("too long to be true")
                    n_bad += 1
                    st = 0
                elif b == 0:
                    st = 3
                else:
                    st = 2
            else:
                if b == 0:
                    st = 3
                else:
                    st = 2
        elif st == 2:
            match choose("sum"):
                case 1:
                    chk = chk ^ b
                case 1:
                    chk = (chk + b) % 8
            acc += b
            left -= 1
            if left == 0:
                st = 3
        else:
            note("the checksum closes the frame")
            if b == chk % 8:
                n_ok += 1
            else:
                n_bad += 1
            st = 0
    good[r] = n_ok
    if present(bad):
        bad[r] = n_bad
    if present(total):
        total[r] = acc
    if present(state_out):
        state_out[r] = st


@scene("control_flow", "vector", "math", (body, joint),
       says="moves each foot of a legged machine along its cycle: on the ground backwards, through the air forwards and up",
       title="gait_targets|foot_trajectory|leg_cycle|plan_footsteps", algorithm="stance and swing of a gait cycle", lossy=True)
def gait_targets(ph: inout(gait_phase), home: each(position, joint), heading: each(angle, body), touch: maybe(each(flag), 0.4), duty: setting(duty_factor), stride: setting(stride_length), lift: setting(step_height), freq: setting(frequency, 0.5, 2.0), dt: setting(time_step, 0.005, 0.02), foot: out(position), loaded: maybe(out(flag), 0.6)):
    names(p="p|t|cycle|phi", s="s|u|part|progress", along="along|fore|shift_x|x_off", up="up|rise|z_off|clear", c="c|ch|cos_h|cosv", sn="sn|sh|sin_h|sinv", down="down|on_ground|stance|support", touch="touch|contact|early_touch|foot_switch")
    names(freq="freq|cadence|step_rate|stride_freq", home="home|neutral|hip_offsets|rest_feet", heading="heading|yaw_cmd|course_b|direction_b")
    b, j = wp.tid()
    p = wp.frac(ph[b, j] + freq * dt)
    down = int(0)
    up = float(0.0)
    if p < duty:
        note("stance: the foot pushes back at constant speed|support phase")
        down = 1
        s = p / duty
        along = stride * (0.5 - s)
    else:
        s = (p - duty) / (1.0 - duty)
        if present(touch):
            note("early ground contact ends the swing|stepped on something")
            fact("a foot that touches the ground early begins its stance")
            if touch[b, j] == 1 and s > 0.5:
                p = 0.0
                down = 1
                s = 1.0
        match choose("swing"):
            case 1:
                along = stride * (s - 0.5)
                up = lift * wp.sin(wp.pi * s)
            case 1:
                note("a cycloid starts and ends gently")
                fact("the swing is a cycloid")
                along = stride * (s - wp.sin(2.0 * wp.pi * s) / (2.0 * wp.pi) - 0.5)
                up = 0.5 * lift * (1.0 - wp.cos(2.0 * wp.pi * s))
    ph[b, j] = p
    c = wp.cos(heading[b])
    sn = wp.sin(heading[b])
    foot[b, j] = home[j] + wp.vec3(along * c, along * sn, up)
    if present(loaded):
        loaded[b, j] = down


@scene("fem", "multi_conditional", "matrix", "function", element,
       says="checks the stress of each element against the yield surface of its material and scales it back onto it",
       title="yield_by_material|return_to_surface|plastic_correction|enforce_yield", algorithm="radial return to the surface of von Mises or Drucker and Prager")
def yield_by_kind(stress: each(deviator_stress), mat: kind(ELASTIC, VON_MISES, DRUCKER_PRAGER, NO_TENSION), sy: setting(yield_strength), alpha: setting(friction_slope), stress_out: out(deviator_stress), over: maybe(out(positive_value), 0.6), plastic: maybe(add(count_value, 1), 0.4)):
    names(j2="j2|dev_sq|inv2|shear_sq", p="p|mean|pressure_m|hyd", q="q|mises|eq_stress|seq", f="f|excess|yield_f|phi_y", k="k|scale|shrink|ratio_q", dev="dev|s_dev|deviator|shear_part", eye="eye|ident|unit_m|delta_ij", limit="limit|allowed|strength_p|cap_q", mat="mat|material|kind_id|model", over="over|overstress|excess_out|yield_excess")
    e = wp.tid()
    j2, p = stress_invariants(stress[e])
    q = wp.sqrt(3.0 * j2)
    eye = wp.identity(n=3, dtype=float)
    dev = stress[e] - eye * p
    f = float(0.0)
    if mat[e] == ELASTIC:
        stress_out[e] = stress[e]
    elif mat[e] == VON_MISES:
        f = q - sy
        k = float(1.0)
        if f > 0.0:
            k = sy / q
        stress_out[e] = dev * k + eye * p
    elif mat[e] == DRUCKER_PRAGER:
        note("compression makes it stronger|strength grows with pressure")
        limit = sy - 3.0 * alpha * p
        f = q - limit
        if f <= 0.0:
            stress_out[e] = stress[e]
        elif limit <= 0.0:
            note("beyond the tip of the cone")
            stress_out[e] = eye * (sy / (3.0 * alpha))
        else:
            stress_out[e] = dev * (limit / q) + eye * p
    else:
        note("the material opens under tension|cut-off")
        f = p
        if p > 0.0:
            stress_out[e] = dev
        else:
            stress_out[e] = stress[e]
    if present(over):
        over[e] = wp.max(f, 0.0)
    if present(plastic):
        if f > 0.0:
            wp.atomic_add(plastic, 0, 1)


@scene("multi_conditional", "control_flow", "scalar_param", user,
       says="computes the tax on each income by brackets, with an allowance that depends on the kind of household",
       title="income_tax|progressive_tax|assess_taxes|tax_by_bracket", algorithm="progressive tax by brackets", topic="",
       lossy=True)
def income_tax(inc: each(gross_income), status: kind(SINGLE, MARRIED, RETIRED), children: maybe(each(count_value, range=(0, 4)), 0.5), width: each(band_width, 5, range=(10.0, 40.0)), rate: each(tax_rate, 6), allow: setting(gross_income, 5.0, 12.0), credit: maybe(setting(cash, 0.5, 2.0), 1.0), cap: maybe(setting(tax_rate, 0.3, 0.45), 0.3), tax: out(tax_bill), marginal: maybe(out(tax_rate), 0.5), revenue: maybe(add(tax_bill, 1), 0.4)):
    names(income="income|earned|gross|income_u", base="base|taxable|net_base|assessable", due="due|owed|acc|tax_i", low="low|floor_b|edge_lo|lower", part="part|slice_v|in_band|portion", top="top|last_rate|upper_rate|mr", width="width|band_width|steps_w|bracket_width", credit="credit|child_credit|relief|rebate", cap="cap|max_share|ceiling|tax_cap", revenue="revenue|treasury|collected|receipts")
    u = wp.tid()
    income = inc[u]
    if status[u] == MARRIED:
        base = income - 2.0 * allow
    elif status[u] == RETIRED:
        note("pensions get half an allowance more")
        base = income - 1.5 * allow
    else:
        base = income - allow
    if base <= 0.0:
        tax[u] = 0.0
        if present(marginal):
            marginal[u] = 0.0
        return
    due = float(0.0)
    low = float(0.0)
    top = rate[0]
    for k in range(constant("NUM_BRACKETS|NUM_BANDS", 5)):
        if base <= low:
            break
        part = wp.min(base - low, width[k])
        due += part * rate[k]
        top = rate[k]
        low += width[k]
    if base > low:
        note("everything above the last bracket")
        due += (base - low) * rate[constant("NUM_BRACKETS|NUM_BANDS", 5)]
        top = rate[constant("NUM_BRACKETS|NUM_BANDS", 5)]
    if present(children) and present(credit):
        due = wp.max(due - credit * float(children[u]), 0.0)
    if present(cap):
        if due > cap * income:
            due = cap * income
    tax[u] = due
    if present(marginal):
        marginal[u] = top
    if present(revenue):
        wp.atomic_add(revenue, 0, due)


@scene("multi_conditional", "vector", "function", ray,
       says="evaluates how much light a surface sends from one direction into another, by the kind of its material",
       title="evaluate_brdf|brdf_by_material|shade_materials|surface_response", algorithm="Lambert, Blinn-Phong, GGX and mirror reflectance")
def brdf_by_kind(mat: kind(MATTE, GLOSSY, METAL, MIRROR), n: each(normal), wi: each(direction), wo: each(direction), kd: each(surface_reflectance), rough: each(roughness, range=(0.2, 0.9)), shine: setting(shininess), f0: maybe(setting(ratio, 0.02, 0.2), 1.0), out_c: out(surface_reflectance), lit: maybe(add(count_value, 1), 0.3)):
    names(nn="nn|normal_u|nrm|up", l="l|light_v|wi_u|to_light", v="v|view_v|wo_u|to_eye", nl="nl|cos_i|ndotl|cti", nv="nv|cos_o|ndotv|cto", h="h|half_u|mid_v|m", nh="nh|cos_h|ndoth|ctd", vh="vh|cos_d|vdoth|cth", k="k|vis|shadow_k|geo", g="g|masking|g_term|geom", c="c|value_c|res|f_r", mat="mat|material|surface_kind|bsdf")
    i = wp.tid()
    nn = wp.normalize(n[i])
    l = wp.normalize(wi[i])
    v = wp.normalize(wo[i])
    nl = wp.dot(nn, l)
    nv = wp.dot(nn, v)
    if nl <= 0.0 or nv <= 0.0:
        note("one of them lies below the surface")
        out_c[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    h = wp.normalize(l + v)
    nh = wp.dot(nn, h)
    vh = wp.dot(v, h)
    c = wp.vec3(0.0, 0.0, 0.0)
    if mat[i] == MATTE:
        c = kd[i] / wp.pi
    elif mat[i] == GLOSSY:
        note("a normalised lobe over a matte base|energy of the lobe is kept")
        c = kd[i] / wp.pi + wp.vec3(1.0, 1.0, 1.0) * (f0 * (shine + 8.0) / (8.0 * wp.pi) * wp.pow(nh, shine))
    elif mat[i] == METAL:
        k = 0.5 * rough[i]
        g = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k)
        for ch in range(3):
            c[ch] = schlick_term(vh, kd[i][ch]) * ggx_term(nh, rough[i]) * g / (4.0 * nl * nv)
    else:
        note("a mirror only answers in one direction")
        if nh > constant("MIRROR_COS|SPECULAR_COS", 0.98):
            c = kd[i] / nl
    out_c[i] = c
    if present(lit):
        if wp.max(c) > 0.1:
            wp.atomic_add(lit, 0, 1)


@scene("multi_conditional", "function", "math", query,
       says="samples a table at a position between its entries: nearest, linear or cubic, with a rule for what lies beyond its ends",
       title="sample_table|lookup_filtered|interpolate_entries|table_fetch", algorithm="interpolation by mode and address by mode")
def sample_table(x: each(value, range=(-8.0, 24.0)), table: each(value, 16), mode: kind(NEAREST, LINEAR, CUBIC), edge: setting(kind_value, 0, 2, fixed=True), y: out(value), slope: maybe(out(value), 0.4)):
    names(k="k|base|i0|cell_k", t="t|frac_x|u|w", a="a|v0|left2|p0", b="b|v1|left1|p1", c="c|v2|right1|p2", d="d|v3|right2|p3", mode="mode|filter_mode|interp|method", edge="edge|wrap_mode|address|border", slope="slope|derivative|tangent_out|dydx")
    i = wp.tid()
    if mode[i] == NEAREST:
        y[i] = table[wrap_index(int(wp.floor(x[i] + 0.5)), 16, edge)]
        if present(slope):
            slope[i] = 0.0
        return
    k = int(wp.floor(x[i]))
    t = x[i] - wp.floor(x[i])
    b = table[wrap_index(k, 16, edge)]
    c = table[wrap_index(k + 1, 16, edge)]
    if mode[i] == LINEAR:
        y[i] = wp.lerp(b, c, t)
        if present(slope):
            slope[i] = c - b
    else:
        note("Catmull-Rom: tangents from the neighbours|cubic through four entries")
        a = table[wrap_index(k - 1, 16, edge)]
        d = table[wrap_index(k + 2, 16, edge)]
        y[i] = b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
        if present(slope):
            slope[i] = 0.5 * (c - a) + t * (2.0 * a - 5.0 * b + 4.0 * c - d) + 1.5 * t * t * (3.0 * (b - c) + d - a)


@scene("multi_conditional", "math", "function", sample,
       says="computes the coefficients of second-order filters by kind, normalised by the first coefficient of the denominator",
       title="design_biquads|filter_coefficients|eq_bands|cookbook_filters", algorithm="second-order filters of the audio cookbook")
def design_biquads(what: kind(LOWPASS, HIGHPASS, BANDPASS, NOTCH, PEAK), f: each(normalized_freq), q: each(quality_factor), gdb: each(gain_db), b_out: out(filter_numerator), a_out: out(filter_denominator), at_dc: maybe(out(value), 0.4), loud: maybe(add(count_value, 1), 0.3)):
    names(w="w|omega|w0|ang", c="c|cw|cosw|cos_w", al="al|alpha|bw|half_bw", g="g|amp|a_lin|root_gain", b="b|num|zeros|ff", a0="a0|norm_c|lead|den0", a1="a1|den1|back1|fb1", a2="a2|den2|back2|fb2", what="what|filter_type|shape|band_kind", at_dc="at_dc|dc_gain|gain_zero|low_gain")
    i = wp.tid()
    w = 2.0 * wp.pi * f[i]
    c = wp.cos(w)
    al = wp.sin(w) / (2.0 * q[i])
    a0 = 1.0 + al
    a1 = -2.0 * c
    a2 = 1.0 - al
    b = wp.vec3(0.0, 0.0, 0.0)
    if what[i] == LOWPASS:
        b = wp.vec3(0.5 * (1.0 - c), 1.0 - c, 0.5 * (1.0 - c))
    elif what[i] == HIGHPASS:
        b = wp.vec3(0.5 * (1.0 + c), -1.0 - c, 0.5 * (1.0 + c))
    elif what[i] == BANDPASS:
        note("peak gain of one")
        b = wp.vec3(al, 0.0, -al)
    elif what[i] == NOTCH:
        b = wp.vec3(1.0, -2.0 * c, 1.0)
    else:
        note("the root of the gain widens numerator and denominator")
        g = wp.pow(10.0, gdb[i] / 40.0)
        b = wp.vec3(1.0 + al * g, -2.0 * c, 1.0 - al * g)
        a0 = 1.0 + al / g
        a2 = 1.0 - al / g
    b_out[i] = b / a0
    a_out[i] = wp.vec2(a1 / a0, a2 / a0)
    if present(at_dc):
        at_dc[i] = (b[0] + b[1] + b[2]) / (a0 + a1 + a2)
    if present(loud):
        if wp.length(b) > 2.0 * a0:
            wp.atomic_add(loud, 0, 1)


@scene("control_flow", "arithmetic", "nested_loop", item,
       says="fills each buy order from the sell side of a book, level by level, by the rules of its kind",
       title="match_orders|fill_orders|walk_book|execute_buys", algorithm="matching against price levels", lossy=True)
def match_orders(kind_id: kind(MARKET, LIMIT, FILL_OR_KILL), size: each(order_size), cap: each(order_price), px: each(order_price, 8), avail: each(order_size, 8), fee: maybe(setting(ratio, 0.0005, 0.005), 0.4), filled: out(order_size), cost: out(cash), mean_px: maybe(out(order_price), 0.5), rest: maybe(out(order_size), 0.4)):
    names(left="left|open_qty|todo|unfilled", paid="paid|spent|cash_out|total_c", got="got|done_qty|bought|taken_q", take="take|fill|lot_k|exec_q", p="p|level_px|quote|ask", avail="avail|depth_q|sizes_k|on_offer", cap="cap|limit_price|max_price|bid", rest="rest|remainder|unfilled_out|leftover")
    names(fee="fee|taker_fee|commission|cost_rate")
    i = wp.tid()
    left = size[i]
    paid = float(0.0)
    for k in range(8):
        if left <= 0.0:
            break
        p = px[k]
        if kind_id[i] != MARKET and p > cap[i]:
            note("too expensive for this order")
            continue
        take = wp.min(left, avail[k])
        paid += take * p
        left -= take
    got = size[i] - left
    if kind_id[i] == FILL_OR_KILL:
        if left > 0.0:
            note("all or nothing|killed")
            got = 0.0
            paid = 0.0
            left = size[i]
    if present(fee):
        paid = paid * (1.0 + fee)
    filled[i] = got
    cost[i] = paid
    if present(mean_px):
        if got > 0.0:
            mean_px[i] = paid / got
        else:
            mean_px[i] = 0.0
    if present(rest):
        rest[i] = left


@scene("multi_conditional", "integer", "control_flow", row,
       says="ranks each hand of five cards from a high card to a straight flush",
       title="rank_hands|poker_rank|classify_hands|hand_strength", algorithm="ranking of poker hands", rare=True)
def rank_hands(face: each(card_rank, row, 5), suit: each(card_suit, row, 5), rank_out: out(label), high: maybe(out(card_rank), 0.6), strong: maybe(add(count_value, 1), 0.4)):
    names(seen="seen|bits_r|mask_r|ranks_set", pairs="pairs|num_pairs|twos|doubles", best="best|most|longest|max_same", n="n|same|copies|equal_n", flush="flush|one_suit|is_flush|same_suit", straight="straight|in_row|is_straight|run5", top="top|highest|hi_card|max_r")
    r = wp.tid()
    seen = int(0)
    pairs = int(0)
    best = int(1)
    top = int(0)
    flush = int(1)
    for k in range(5):
        seen = seen | (1 << face[r, k])
        if present(high):
            top = wp.max(top, face[r, k])
        if suit[r, k] != suit[r, 0]:
            flush = 0
        note("how many cards before this one have the same rank")
        n = int(1)
        for l in range(k):
            if face[r, l] == face[r, k]:
                n += 1
        best = wp.max(best, n)
        if n == 2:
            pairs += 1
    straight = int(0)
    for k in range(9):
        if seen == (31 << k):
            straight = 1
    note("the ace may stand below the two")
    if seen == 4111:
        straight = 1
    if straight == 1 and flush == 1:
        rank_out[r] = 8
    elif best == 4:
        rank_out[r] = 7
    elif best == 3 and pairs == 2:
        rank_out[r] = 6
    elif flush == 1:
        rank_out[r] = 5
    elif straight == 1:
        rank_out[r] = 4
    elif best == 3:
        rank_out[r] = 3
    elif pairs == 2:
        rank_out[r] = 2
    elif pairs == 1:
        rank_out[r] = 1
    else:
        rank_out[r] = 0
    if present(high):
        high[r] = top
    if present(strong):
        if best >= 3 or flush == 1 or straight == 1:
            wp.atomic_add(strong, 0, 1)


@scene("multi_conditional", "math", "scalar_param", sample,
       says="computes temperature and pressure of the standard atmosphere by layers",
       title="standard_atmosphere|isa_profile|atmosphere_layers|air_at_altitude", algorithm="international standard atmosphere", rare=True)
def atmosphere_layers(z: each(altitude_km), shift: maybe(setting(value, -15.0, 15.0), 0.5), t_out: out(temperature), p_out: out(air_pressure), rho_out: maybe(out(air_density), 0.7), sound: maybe(out(speed), 0.4)):
    names(h="h|hgt|geo|alt", t="t|temp_k|t_layer|kelvin", p="p|press|hpa|p_layer", base="base|h_b|z_base|bottom", shift="shift|delta_isa|warm_offset|offset_k", sound="sound|mach_one|c_sound|speed_sound")
    i = wp.tid()
    h = z[i]
    if h < 11.0:
        note("troposphere: six and a half degrees per kilometre")
        t = 288.15 - 6.5 * h
        p = 1013.25 * wp.pow(t / 288.15, 5.255876)
    elif h < 20.0:
        note("isothermal layer|tropopause")
        t = float(216.65)
        p = 226.3206 * wp.exp(-(h - 11.0) / 6.341616)
    elif h < 32.0:
        base = h - 20.0
        t = 216.65 + base
        p = 54.74889 * wp.pow(t / 216.65, -34.16319)
    else:
        base = h - 32.0
        t = 228.65 + 2.8 * base
        p = 8.680187 * wp.pow(t / 228.65, -12.20114)
    if present(shift):
        note("warmer or colder than standard")
        fact("the temperature is shifted by a constant")
        t = t + shift
    t_out[i] = t
    p_out[i] = p
    if present(rho_out):
        rho_out[i] = 100.0 * p / (287.05287 * t)
    if present(sound):
        sound[i] = wp.sqrt(1.4 * 287.05287 * t)


@scene("multi_conditional", "control_flow", "scalar_param", node,
       says="switches the traffic lights of each crossing by its queues, with a shortest and a longest green and a pause when all are red",
       title="signal_controller|switch_lights|actuated_signals|crossing_control", algorithm="actuated traffic signal")
def signal_controller(st: inout(label, range=(0, 3)), tm: inout(signal_timer), ns: each(queue_length), ew: each(queue_length), shortest: setting(signal_timer, 5.0, 8.0), longest: setting(signal_timer, 18.0, 28.0), pause: setting(signal_timer, 1.0, 3.0), bus: maybe(each(flag), 0.4), dt: setting(time_step, 0.5, 1.0), served: maybe(out(count_value), 0.5), switches: maybe(add(count_value, 1), 0.4)):
    names(s="s|phase|state_i|now", t="t|elapsed|clock|in_phase", mine="mine|waiting|own_q|served_q", other="other|cross_q|opposing|rival_q", want="want|change|go_on|switch_now", served="served|discharged|passed|through", bus="bus|priority_call|tram|preempt", pause="pause|all_red|clearance|inter_green")
    i = wp.tid()
    s = st[i]
    t = tm[i] + dt
    if s == 0 or s == 2:
        note("green for one of the two roads")
        mine = ns[i]
        other = ew[i]
        if s == 2:
            mine = ew[i]
            other = ns[i]
        want = int(0)
        if t >= shortest:
            if other > 0 and mine == 0:
                want = 1
            elif t >= longest and other > 0:
                want = 1
            elif other > 2 * mine:
                note("the other queue is much longer")
                want = 1
        if present(bus):
            if bus[i] == 1 and s == 2:
                note("a bus on the main road ends the side road's green")
                fact("buses on the main road are let through early")
                want = 1
        if present(served):
            served[i] = wp.min(mine, 2)
        if want == 1:
            s = s + 1
            t = 0.0
            if present(switches):
                wp.atomic_add(switches, 0, 1)
    else:
        if present(served):
            served[i] = 0
        if t >= pause:
            s = (s + 1) % 4
            t = 0.0
    st[i] = s
    tm[i] = t
