"""Small machines: interpreters, automata, decoders, hashes, drives, queues, cars, darkrooms."""


@scene("control_flow", "multi_conditional", "integer", row,
       says="runs a short program on each row of inputs with a stack of its own and returns what is left on top",
       title="stack_machine|run_bytecode|interpret_programs|evaluate_trees", algorithm="stack machine interpreter", lossy=True)
def stack_machine(prog: each(opcode, 12), imm: each(operand_value, 12), x: each(value, row, 4), y: out(value), depth_out: maybe(out(count_value), 0.4), faults: maybe(add(count_value, 1), 0.5), slots: maybe(each(label, 12, range=(0, 3)), 1.0)):
    names(stack="stack|vals|mem|st", sp="sp|top|depth|n_st", op="op|code|instr|kind_op", a="a|left_v|first_v|lhs", b="b|right_v|second_v|rhs", pc="pc|ip|at|line_p", bad="bad|fault|underflow|broken", deep="deep|max_sp|peak_d|highest", prog="prog|program|bytecode|ops_in", imm="imm|constants_in|literals|pool", slots="slots|var_index|arg_slot|load_from")
    r = wp.tid()
    stack = wp.zeros(shape=16, dtype=float)
    sp = int(0)
    bad = int(0)
    if present(depth_out):
        deep = int(0)
    for pc in range(12):
        op = prog[pc]
        if op == 0:
            note("push a constant")
            stack[sp] = imm[pc]
            sp += 1
        elif op == 1:
            note("push an input")
            stack[sp] = x[r, slots[pc]]
            sp += 1
        elif op == 6:
            note("negate what is on top")
            if sp < 1:
                bad += 1
                continue
            stack[sp - 1] = -stack[sp - 1]
        else:
            if sp < 2:
                note("not enough operands|stack underflow")
                bad += 1
                continue
            b = stack[sp - 1]
            a = stack[sp - 2]
            sp -= 1
            if op == 2:
                stack[sp - 1] = a + b
            elif op == 3:
                stack[sp - 1] = a - b
            elif op == 4:
                stack[sp - 1] = a * b
            else:
                note("protected division")
                if wp.abs(b) < 0.01:
                    stack[sp - 1] = 1.0
                else:
                    stack[sp - 1] = a / b
        if present(depth_out):
            deep = wp.max(deep, sp)
    if sp > 0:
        y[r] = wp.clamp(stack[sp - 1], -1.0e4, 1.0e4)
    else:
        y[r] = x[r, 0]
    if present(depth_out):
        depth_out[r] = deep
    if present(faults):
        wp.atomic_add(faults, 0, bad)


@scene("integer", "control_flow", "nested_loop", row,
       says="runs a deterministic automaton over each row of characters and finds the longest match",
       title="dfa_match|scan_tokens|automaton_rows|longest_match", algorithm="longest match of a deterministic automaton")
def dfa_match(text: each(symbol_class, row, 20), table: each(machine_state, 5, 4), accept: each(flag, 5), best: out(count_value), where_out: maybe(out(index_value), 0.6), n_out: maybe(out(count_value), 0.6), trap: maybe(setting(machine_state, 3, 4), 0.5)):
    names(s="s|state|q|node_q", start="start|from_i|begin_i|first_i", k="k|pos|at|cur_i", last="last|accepted|good_len|match_len", longest="longest|max_len|best_len|widest", found="found|matches|count_m|tokens_n", place="place|best_at|where_b|offset_b", table="table|delta|moves|next_id", accept="accept|accepting|is_final|accepts", trap="trap|dead_state|sink_q|reject_q")
    r = wp.tid()
    longest = int(0)
    place = int(-1)
    found = int(0)
    start = int(0)
    while start < 20:
        s = int(0)
        last = int(0)
        k = int(start)
        while k < 20:
            s = table[s, text[r, k]]
            k += 1
            if present(trap):
                if s == trap:
                    note("no way out of this state")
                    break
            if accept[s] == 1:
                last = k - start
        if last > 0:
            found += 1
            if last > longest:
                longest = last
                place = start
            note("go on behind the match|maximal munch")
            start += last
        else:
            start += 1
    best[r] = longest
    if present(where_out):
        where_out[r] = place
    if present(n_out):
        n_out[r] = found


@scene("integer", "control_flow", "nested_loop", row,
       says="unpacks each row of codes: plain values stand for themselves, others copy a piece of what was written before",
       title="lz_unpack|decode_copies|expand_rows|decompress_rows", algorithm="LZ77-style decoding")
def lz_unpack(code: each(packed_token, row, 12), out_v: out(packed_token, row, 40), n_out: out(count_value), copies: maybe(out(count_value), 0.5), bad: maybe(add(count_value, 1), 0.4)):
    names(n="n|pos|written|fill", c="c|tok|sym|token", back="back|dist|offset_b|behind", len_c="len_c|run_n|length_c|copy_n", src="src|from_p|origin_p|read_p", k="k|i_c|step_c|m", made="made|num_copies|refs|matches_n", errs="errs|broken|invalid_n|faults_n", out_v="out_v|text_out|unpacked|plain_out")
    r = wp.tid()
    n = int(0)
    made = int(0)
    errs = int(0)
    for i in range(12):
        c = code[r, i]
        if c < 128:
            note("a plain value")
            if n < 40:
                out_v[r, n] = c
                n += 1
            continue
        note("three bits of length, four bits of distance")
        len_c = ((c >> 4) & 7) + 2
        back = (c & 15) + 1
        if back > n:
            note("points before the beginning")
            errs += 1
            continue
        made += 1
        src = n - back
        for k in range(len_c):
            if n >= 40:
                break
            note("may overlap what it writes")
            out_v[r, n] = out_v[r, src + k]
            n += 1
    n_out[r] = n
    if present(copies):
        copies[r] = made
    if present(bad):
        if errs > 0:
            wp.atomic_add(bad, 0, errs)


@scene("integer", "nested_loop", "function", row,
       says="mixes the words of each row into one 32-bit hash",
       title="hash_rows|murmur_rows|mix_words|row_digests", algorithm="MurmurHash3 or CRC-32")
def hash_rows(w: each(message_word, row, 6), seed: setting(message_word, 0, 100000), h_out: out(digest_word), bucket: maybe(out(index_value), 0.5), load: maybe(add(count_value, 16), 0.4)):
    names(h="h|state_h|acc|mix", k="k|block_k|word_k|kx", b="b|slot_b|bin_b|home", seed="seed|salt|init_h|basis", bit="bit|low|lsb|carry_b")
    r = wp.tid()
    match choose("kind"):
        case 2:
            fact("the mixing is that of MurmurHash3")
            h = seed
            for i in range(6):
                k = w[r, i] * wp.uint32(3432918353)
                k = (k << wp.uint32(15)) | (k >> wp.uint32(17))
                k = k * wp.uint32(461845907)
                h = h ^ k
                h = (h << wp.uint32(13)) | (h >> wp.uint32(19))
                h = h * wp.uint32(5) + wp.uint32(3864292196)
            note("the length in bytes, then an avalanche")
            h = h ^ wp.uint32(24)
            h = h ^ (h >> wp.uint32(16))
            h = h * wp.uint32(2246822507)
            h = h ^ (h >> wp.uint32(13))
            h = h * wp.uint32(3266489909)
            h = h ^ (h >> wp.uint32(16))
        case 1:
            fact("the hash is the CRC-32 checksum of the little-endian bytes")
            h = ~(seed ^ seed)
            for i in range(6):
                h = h ^ w[r, i]
                for bit in range(32):
                    note("divide by the reversed polynomial|one bit at a time")
                    if (h & wp.uint32(1)) == wp.uint32(1):
                        h = (h >> wp.uint32(1)) ^ wp.uint32(3988292384)
                    else:
                        h = h >> wp.uint32(1)
            h = ~h
    h_out[r] = h
    if present(bucket) or present(load):
        b = int(h & wp.uint32(15))
        if present(bucket):
            bucket[r] = b
        if present(load):
            wp.atomic_add(load, b, 1)


@scene("integer", "nested_loop", "control_flow", row,
       says="runs the sixty-four rounds of SHA-256 on one block of each row, with the round constants from a table",
       title="sha256_block|compress_block|digest_rows|hash_blocks", algorithm="SHA-256 compression")
def sha_rounds(m: each(message_word, row, 16), kt: each(message_word, 64), iv: each(digest_word, 8), d: out(digest_word, row, 8), lead: maybe(out(count_value, row), 0.5)):
    names(w="w|sched|schedule|expanded", a="a|va|r_a|sa", b="b|vb|r_b|sb", c="c|vc|r_c|sc", e="e|ve|r_e|se", f="f|vf|r_f|sf", g="g|vg|r_g|sg", h="h|vh|r_h|sh", dd="dd|vd|r_d|sd", s0="s0|sig0|lo_sig|small0", s1="s1|sig1|hi_sig|small1", t1="t1|temp1|add1|tmp_a", t2="t2|temp2|add2|tmp_b", n="n|zeros_n|lead_n|leading", kt="kt|round_k|k_table|constants_k", x="x|v_x|wx|old_w")
    r = wp.tid()
    w = wp.zeros(shape=64, dtype=wp.uint32)
    for t in range(16):
        w[t] = m[r, t]
    for t in range(16, 64):
        x = w[t - 15]
        s0 = ((x >> wp.uint32(7)) | (x << wp.uint32(25))) ^ ((x >> wp.uint32(18)) | (x << wp.uint32(14))) ^ (x >> wp.uint32(3))
        x = w[t - 2]
        s1 = ((x >> wp.uint32(17)) | (x << wp.uint32(15))) ^ ((x >> wp.uint32(19)) | (x << wp.uint32(13))) ^ (x >> wp.uint32(10))
        w[t] = w[t - 16] + s0 + w[t - 7] + s1
    a = iv[0]
    b = iv[1]
    c = iv[2]
    dd = iv[3]
    e = iv[4]
    f = iv[5]
    g = iv[6]
    h = iv[7]
    for t in range(64):
        s1 = ((e >> wp.uint32(6)) | (e << wp.uint32(26))) ^ ((e >> wp.uint32(11)) | (e << wp.uint32(21))) ^ ((e >> wp.uint32(25)) | (e << wp.uint32(7)))
        note("choose, then the majority of three")
        t1 = h + s1 + ((e & f) ^ (~e & g)) + kt[t] + w[t]
        s0 = ((a >> wp.uint32(2)) | (a << wp.uint32(30))) ^ ((a >> wp.uint32(13)) | (a << wp.uint32(19))) ^ ((a >> wp.uint32(22)) | (a << wp.uint32(10)))
        t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
        h = g
        g = f
        f = e
        e = dd + t1
        dd = c
        c = b
        b = a
        a = t1 + t2
    d[r, 0] = iv[0] + a
    d[r, 1] = iv[1] + b
    d[r, 2] = iv[2] + c
    d[r, 3] = iv[3] + dd
    d[r, 4] = iv[4] + e
    d[r, 5] = iv[5] + f
    d[r, 6] = iv[6] + g
    d[r, 7] = iv[7] + h
    if present(lead):
        note("leading zero bits of the first word|proof of work")
        n = int(0)
        x = iv[0] + a
        while n < 32:
            if (x >> wp.uint32(31 - n)) == wp.uint32(1):
                break
            n += 1
        lead[r] = n


@scene("control_flow", "math", "struct", joint,
       says="controls the currents of a three-phase motor in the frame of its rotor and turns the voltages into duty cycles",
       title="foc_step|field_oriented_control|motor_current_loop|park_control", algorithm="field-oriented current control")
def foc_step(ia: each(phase_current), ib: each(phase_current), th: each(rotor_angle), iq_ref: each(phase_current), kp: setting(proportional_gain, 0.5, 2.0), ki: setting(integral_gain, 5.0, 40.0), dt: setting(time_step, 0.0001, 0.001), sum_d: inout(axis_voltage, range=(-2.0, 2.0)), sum_q: inout(axis_voltage, range=(-2.0, 2.0)), bus: setting(axis_voltage, 10.0, 12.0), omega: maybe(each(angular_speed, range=(-50.0, 50.0)), 0.4), flux: maybe(setting(positive_value, 0.01, 0.05), 1.0), duty: out(duty_cycle), iq_out: maybe(out(phase_current), 0.4), clipped: maybe(add(count_value, 1), 0.4)):
    names(ia="ia|phase_a|current_a|i_a", ib="ib|phase_b|current_b|i_b", th="theta_e|rotor_angle|elec_angle|angle_e", omega="omega_e|electrical_speed|elec_omega|speed_e", root3="root3|sqrt3|sqrt_3|r3", sum_d="sum_d|integral_d|int_d|acc_d", sum_q="sum_q|integral_q|int_q|acc_q", al="al|i_alpha|clarke_a|stat_a", be="be|i_beta|clarke_b|stat_b", c="c|cos_t|ct|cs", s="s|sin_t|st|sn", id_="id_|i_d|flux_cur|direct_i", iq="iq|i_q|torque_cur|quad_i", ed="ed|err_d|miss_d|d_err", eq="eq|err_q|miss_q|q_err", vd="vd|u_d|volt_d|cmd_d", vq="vq|u_q|volt_q|cmd_q", mag="mag|v_len|norm_v|size_v", lim="lim|v_max|circle_v|cap_v", va="va|ph_a|volt_a|u_a", vb="vb|ph_b|volt_b|u_b", vc="vc|ph_c|volt_c|u_c", mid="mid|common|offset_m|shift_m", k="k|shrink|scale_v|ratio_v")
    j = wp.tid()
    root3 = wp.sqrt(3.0)
    note("two of three currents suffice|Clarke transform")
    al = ia[j]
    be = (ia[j] + 2.0 * ib[j]) / root3
    c = wp.cos(th[j])
    s = wp.sin(th[j])
    id_ = c * al + s * be
    iq = c * be - s * al
    ed = 0.0 - id_
    eq = iq_ref[j] - iq
    vd = kp * ed + sum_d[j]
    vq = kp * eq + sum_q[j]
    if present(omega) and present(flux):
        note("feed the back voltage forward|decoupling")
        fact("the voltage that the turning magnet induces is added")
        vq = vq + omega[j] * flux
    lim = bus / root3
    mag = wp.sqrt(vd * vd + vq * vq)
    if mag > lim:
        note("stay inside of the circle, and do not wind up")
        k = lim / mag
        vd = vd * k
        vq = vq * k
        if present(clipped):
            wp.atomic_add(clipped, 0, 1)
    else:
        sum_d[j] = sum_d[j] + ki * ed * dt
        sum_q[j] = sum_q[j] + ki * eq * dt
    al = c * vd - s * vq
    be = s * vd + c * vq
    va = al
    vb = -0.5 * al + 0.5 * root3 * be
    vc = -0.5 * al - 0.5 * root3 * be
    match choose("pwm"):
        case 2:
            note("centre the three phases in the supply|space vector modulation")
            mid = 0.5 * (wp.max(va, wp.max(vb, vc)) + wp.min(va, wp.min(vb, vc)))
            duty[j] = wp.vec3((va - mid) / bus + 0.5, (vb - mid) / bus + 0.5, (vc - mid) / bus + 0.5)
        case 1:
            fact("the duty cycles are sinusoidal")
            duty[j] = wp.vec3(wp.clamp(va / bus + 0.5, 0.0, 1.0), wp.clamp(vb / bus + 0.5, 0.0, 1.0), wp.clamp(vc / bus + 0.5, 0.0, 1.0))
    if present(iq_out):
        iq_out[j] = iq


@scene("control_flow", "reduction", "nested_loop", path,
       says="lets customers queue for three counters, each going to the one that is free first, and measures how long they wait",
       title="queue_simulation|counter_waits|serve_customers|multi_server_queue", algorithm="first-come, first-served queue with several servers",
       lossy=True)
def counter_queue(gap: each(inter_arrival, path, 16), job: each(service_time, path, 16), patience: maybe(setting(service_time, 3.0, 8.0), 0.5), break_at: maybe(setting(inter_arrival, 5.0, 12.0), 0.3), mean_wait: out(queue_wait), worst: maybe(out(queue_wait), 0.6), left_n: maybe(out(count_value), 0.5), busy: maybe(out(ratio), 0.4)):
    names(free="free|ready|clear_at|next_free", now="now|clock|arrive|t_arr", who="who|desk|counter_k|soonest", wait="wait|delay|queued|w_i", total="total|sum_wait|acc_w|waits", most="most|max_wait|longest|peak_w", served="served|done_n|handled|ok_n", gone="gone|balked|lost_n|impatient", work="work|busy_t|load_t|used_t", begin="begin|start_s|from_t|opens", break_at="break_at|pause_at|closing|lunch")
    p = wp.tid()
    free = wp.vec3(0.0, 0.0, 0.0)
    now = float(0.0)
    total = float(0.0)
    most = float(0.0)
    work = float(0.0)
    served = int(0)
    gone = int(0)
    if present(break_at):
        note("one counter opens late")
        free[2] = break_at
    for k in range(16):
        now += gap[p, k]
        who = int(wp.argmin(free))
        begin = wp.max(free[who], now)
        wait = begin - now
        if present(patience):
            note("does not wait that long")
            if wait > patience:
                gone += 1
                continue
        free[who] = begin + job[p, k]
        total += wait
        if present(worst):
            most = wp.max(most, wait)
        work += job[p, k]
        served += 1
    mean_wait[p] = total / float(wp.max(served, 1))
    if present(worst):
        worst[p] = most
    if present(left_n) and present(patience):
        left_n[p] = gone
    if present(busy):
        busy[p] = work / (3.0 * wp.max(wp.max(free), 0.1))


@scene("control_flow", "struct", "multi_conditional", vehicle,
       says="advances each car by one step: the engine by its torque curve, the gearbox by its shift rules, brakes that do not lock, air and rolling resistance",
       title="drive_train_step|simulate_cars|vehicle_dynamics|advance_car", algorithm="longitudinal vehicle model with automatic gearbox", topic="")
def drive_train(v: inout(vehicle_speed), gear: inout(label, range=(1, 5)), thr: each(throttle), brake: each(throttle), curve: each(engine_torque, 8), ratio_t: each(positive_value, 5, range=(0.8, 3.5)), mass: setting(mass, 900.0, 1800.0), slope: maybe(each(angle, range=(-0.08, 0.08)), 0.5), wet: maybe(each(flag), 0.4), dt: setting(time_step, 0.02, 0.1), fuel: maybe(add(volume, vehicle), 0.4), rpm_out: maybe(out(rotor_speed), 0.5), locks: maybe(add(count_value, 1), 0.3)):
    names(s="s|speed_i|vel|v_now", final="final|axle|diff_ratio|end_drive", tyre="tyre|wheel_r|tire_r|rolling_r", g="g|gear_i|cog|stage_g", total_r="total_r|drive_ratio|reduction|overall", rpm="rpm|revs|engine_rpm|crank", u="u|lookup|pos_c|map_x", i0="i0|cell_c|seg|knot_i", tq="tq|torque|engine_t|crank_t", push="push|drive_f|traction|wheel_f", stop="stop|brake_f|decel_f|retard", grip="grip|max_f|adhesion|road_f", drag="drag|air_f|aero|wind_f", roll="roll|roll_f|tyre_loss|rolling", acc="acc|net_a|accel|dv_dt", thr="thr|throttle|pedal_in|gas", wet="wet|rain_road|slippery|wet_road", fuel="fuel|fuel_used|burnt|consumption")
    i = wp.tid()
    s = v[i]
    g = gear[i]
    final = constant("FINAL_DRIVE|AXLE_RATIO", 3.6)
    tyre = constant("WHEEL_RADIUS|TYRE_RADIUS", 0.31)
    total_r = ratio_t[g - 1] * final
    rpm = wp.clamp(s / tyre * total_r * 9.5493, 800.0, 7000.0)
    note("shift up when it screams, down when it labours")
    if rpm > 5200.0 and g < 5:
        g = g + 1
    elif rpm < 1500.0 and g > 1:
        g = g - 1
    if g != gear[i]:
        total_r = ratio_t[g - 1] * final
        rpm = wp.clamp(s / tyre * total_r * 9.5493, 800.0, 7000.0)
        gear[i] = g
    note("between the points of the torque curve")
    u = (rpm - 800.0) / 6200.0 * 7.0
    i0 = wp.min(int(u), 6)
    tq = wp.lerp(curve[i0], curve[i0 + 1], u - float(i0)) * thr[i]
    if thr[i] < 0.05:
        note("engine braking")
        tq = -0.1 * curve[i0]
    push = tq * total_r * 0.9 / tyre
    grip = 0.9 * 9.81 * mass
    if present(wet):
        if wet[i] == 1:
            fact("on wet roads the tyres hold less")
            grip = 0.5 * 9.81 * mass
    stop = brake[i] * 12000.0
    if stop > 0.9 * grip:
        note("release before the wheels lock")
        stop = 0.9 * grip
        if present(locks):
            wp.atomic_add(locks, 0, 1)
    push = wp.min(push, grip)
    drag = 0.5 * 1.2 * 0.66 * s * s
    roll = 0.012 * 9.81 * mass
    acc = (push - stop - drag - roll) / mass
    if present(slope):
        acc = acc - 9.81 * wp.sin(slope[i])
    v[i] = wp.max(s + acc * dt, 0.0)
    if present(fuel):
        if tq > 0.0:
            wp.atomic_add(fuel, i, tq * rpm * 0.10472 * dt * 9.0e-8)
    if present(rpm_out):
        rpm_out[i] = rpm


@scene("combined", "stencil", "math", pixel,
       says="develops a raw colour image: exposure and white balance, some corrections, and the curve of the film",
       title="develop_image|photo_pipeline|raw_develop|grade_pixels")
def develop_image(raw: each(colour, range=(0.01, 0.9)), ev: setting(value, -1.0, 1.0), warm: setting(value, -0.2, 0.2), high: maybe(setting(ratio, 0.1, 0.8), 0.6), shade: maybe(setting(ratio, 0.1, 0.8), 0.6), sat: maybe(setting(gain, 0.6, 1.5), 0.7), sharp: maybe(setting(gain, 0.2, 1.0), 0.6), dark: maybe(setting(ratio, 0.2, 0.8), 0.6), curve: setting(gain, 0.8, 1.6), img: out(colour), clipped: maybe(add(count_value, 1), 0.4)):
    names(c="c|px|rgb_i|col", gain="gain|expose|stops|mul_e", l="l|luma_v|bright|lum", blur="blur|around|local_mean|soft_c", w="w|weight_n|n_w|count_n", k="k|amount|factor_k|lift_k", rx="rx|off_x|nx_c|ux", ry="ry|off_y|ny_c|uy", fall="fall|vig|edge_dim|corner", ev="ev|exposure_ev|stops_ev|push_ev", warm="warm|temperature_w|wb_shift|warmth", high="high|highlights|recover|hi_roll", shade="shade|shadows|fill_light|lift_s", sat="sat|saturation|vibrance|chroma_k", sharp="sharp|sharpen|clarity|unsharp", dark="dark|vignette|falloff_v|corner_dark", curve="curve|contrast|film_gamma|s_curve")
    i, j = wp.tid()
    c = raw[i, j]
    if present(sharp):
        note("the mean of the neighbours|local average")
        fact("the image is sharpened first")
        blur = wp.vec3()
        w = float(0.0)
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if i + di >= 0 and j + dj >= 0 and i + di < count(pixel, 0) and j + dj < count(pixel, 1):
                    blur += raw[i + di, j + dj]
                    w += 1.0
        note("add what sticks out|unsharp mask")
        c = c + (c - blur / w) * sharp
        c = wp.max(c, wp.vec3(0.0, 0.0, 0.0))
    gain = wp.pow(2.0, ev)
    c = c * gain
    c = wp.vec3(c[0] * (1.0 + warm), c[1], c[2] * (1.0 - warm))
    l = wp.dot(c, wp.vec3(0.2126, 0.7152, 0.0722))
    if present(high):
        if l > 0.6:
            note("pull bright parts down")
            fact("bright parts are pulled down")
            k = (0.6 + (l - 0.6) * (1.0 - 0.6 * high)) / l
            c = c * k
    if present(shade):
        if l < 0.25:
            note("lift dark parts")
            fact("dark parts are lifted")
            c = c * (1.0 + shade * (0.25 - l) / 0.25)
    if present(sat):
        l = wp.dot(c, wp.vec3(0.2126, 0.7152, 0.0722))
        c = wp.vec3(l, l, l) + (c - wp.vec3(l, l, l)) * sat
        c = wp.max(c, wp.vec3(0.0, 0.0, 0.0))
    if present(dark):
        rx = 2.0 * (float(j) + 0.5) / float(count(pixel, 1)) - 1.0
        ry = 2.0 * (float(i) + 0.5) / float(count(pixel, 0)) - 1.0
        fact("the corners are darkened")
        fall = 1.0 - dark * wp.smoothstep(0.3, 1.4, wp.sqrt(rx * rx + ry * ry))
        c = c * fall
    note("a shoulder for the lights")
    c = wp.cw_div(c * curve, c * curve + wp.vec3(1.0, 1.0, 1.0)) * ((1.0 + curve) / curve)
    if present(clipped):
        if wp.max(c) > 1.0:
            wp.atomic_add(clipped, 0, 1)
    img[i, j] = wp.min(c, wp.vec3(1.0, 1.0, 1.0))
