"""Tools of many trades: calendars, texts, fixed point numbers, primes, wave shapes, blocks of sparse systems, scattering of instances."""


@law("toolbox", "a product of two numbers, reduced by a modulus, with room for the full product", title="mul_mod|modular_product|mulmod", private=True, function=True)
def modular_product(a: key, b: key, m: key) -> key:
    return int((wp.int64(a) * wp.int64(b)) % wp.int64(m))


@law("toolbox", "a power of a number, reduced by a modulus, by repeated squaring", title="pow_mod|modular_power|powmod", private=True, function=True)
def modular_power(base: key, expo: key, m: key) -> key:
    names(r="r|acc|out_p|res", b="b|sq|cur_b|factor", e="e|bits_e|left|n_e")
    r = int(1)
    b = int(base % m)
    e = int(expo)
    while e > 0:
        if (e & 1) == 1:
            r = modular_product(r, b, m)
        b = modular_product(b, b, m)
        e = e >> 1
    return r


@law("toolbox", "a fixed point number kept within its sixteen bits", title="saturate_q15|clip_q15|sat16", private=True)
def saturate_q15(x: fixed_sample) -> fixed_sample:
    return wp.clamp(x, -32768, 32767)


@law("toolbox", "how many bytes a character takes, by its first byte; zero for a byte that cannot begin one", title="utf8_width|sequence_length|lead_byte_width", private=True, function=True)
def utf8_width(b: byte_value) -> count_value:
    if b < 128:
        return 1
    if b < 194:
        return 0
    if b < 224:
        return 2
    if b < 240:
        return 3
    if b < 245:
        return 4
    return 0


@scene("integer", "control_flow", "function", item,
       says="tests whether odd numbers are prime by the method of Miller and Rabin with fixed bases",
       title="miller_rabin|test_primes|prime_flags|probable_primes", algorithm="Miller-Rabin primality test")
def miller_rabin(n: each(key, range=(50, 30000)), offset: maybe(setting(key, 1, 50), 0.4), prime: out(flag), rounds_out: maybe(out(count_value), 0.4), total: maybe(add(count_value, 1), 0.5)):
    names(m="m|num|cand|odd_n", d="d|odd_part|rest|dd", s="s|twos|shifts|halvings", a="a|base|witness|ba", x="x|pw|power_x|test_x", ok="ok|passes|maybe_p|still", looks="looks|squarings|inner_n|steps_k", yes="yes|is_p|verdict|found", n="n|numbers|candidates|values_in")
    i = wp.tid()
    m = n[i]
    if present(offset):
        m = m + offset
    note("even numbers are never prime here")
    if m % 2 == 0:
        prime[i] = 0
        if present(rounds_out):
            rounds_out[i] = 0
        return
    note("m - 1 as an odd number times a power of two")
    d = int(m - 1)
    s = int(0)
    while d % 2 == 0:
        d = d // 2
        s += 1
    yes = int(1)
    looks = int(0)
    for k in range(3):
        note("these bases are enough for all numbers of this size|deterministic bases")
        a = int(2)
        if k == 1:
            a = int(3)
        elif k == 2:
            a = int(5)
        x = modular_power(a, d, m)
        if x != 1 and x != m - 1:
            ok = int(0)
            for r in range(s - 1):
                x = modular_product(x, x, m)
                looks += 1
                if x == m - 1:
                    ok = int(1)
                    break
            if ok == 0:
                note("a witness: surely composite")
                yes = int(0)
                break
    prime[i] = yes
    if present(rounds_out):
        rounds_out[i] = looks
    if present(total):
        if yes == 1:
            wp.atomic_add(total, 0, 1)


@scene("integer", "nested_loop", "scalar_param", row,
       says="runs a second-order filter over sixteen-bit samples in fixed point arithmetic, with rounding and saturation",
       title="fixed_point_filter|q15_biquad|integer_iir|dsp_biquad_q15", algorithm="direct form I biquad in Q15 arithmetic")
def fixed_point_filter(x: each(fixed_sample, row, column), b0: setting(fixed_coefficient), b1: setting(fixed_coefficient), b2: setting(fixed_coefficient), a1: setting(fixed_coefficient), a2: setting(fixed_coefficient), y: out(fixed_sample, row, column), peak: maybe(out(fixed_sample), 0.5), clipped: maybe(out(count_value), 0.5)):
    names(x1="x1|xz1|in_1|d_in1", x2="x2|xz2|in_2|d_in2", y1="y1|yz1|out_1|d_out1", y2="y2|yz2|out_2|d_out2", acc="acc|sum_l|wide|mac", v="v|res|rounded|sample_o", top="top|loudest|max_abs|level", n="n|sat_n|overs|clip_n", b0="b0|num0|ff0|coef_b0", a1="a1|den1|fb1|coef_a1", x="x|pcm_in|samples_q15|adc")
    r = wp.tid()
    x1 = int(0)
    x2 = int(0)
    y1 = int(0)
    y2 = int(0)
    top = int(0)
    n = int(0)
    for c in range(count(column)):
        note("products need more than thirty-two bits|wide accumulator")
        acc = wp.int64(b0) * wp.int64(x[r, c]) + wp.int64(b1) * wp.int64(x1) + wp.int64(b2) * wp.int64(x2) - wp.int64(a1) * wp.int64(y1) - wp.int64(a2) * wp.int64(y2)
        note("round to nearest: half a unit, then shift|back to Q15")
        v = int((acc + wp.int64(16384)) >> wp.int64(15))
        if v > 32767 or v < -32768:
            n += 1
            v = saturate_q15(v)
        x2 = x1
        x1 = x[r, c]
        y2 = y1
        y1 = v
        y[r, c] = v
        top = wp.max(top, wp.abs(v))
    if present(peak):
        peak[r] = top
    if present(clipped):
        clipped[r] = n


@scene("integer", "control_flow", "arithmetic", item,
       says="turns seconds since the start of 1970{offset:, with an offset from universal time,} into year, month and day of the Gregorian calendar{weekday:, with the day of the week}",
       title="civil_dates|timestamps_to_dates|dates_from_timestamps", algorithm="Gregorian calendar from seconds since 1970")
def civil_dates(seconds: each(serial_second), offset: maybe(setting(hour_offset), 0.4), year_out: out(year_number), month_out: out(count_value), day_out: out(count_value), weekday: maybe(out(count_value), 0.5), leap: maybe(out(flag), 0.3)):
    names(days="days|epoch_days", z="z|shifted", era="era|era", doe="doe|day_of_era", yoe="yoe|year_of_era", doy="doy|day_of_year", mp="mp|month_index", d="d|day", m="m|month", y="y|year", seconds="timestamps|epoch_seconds", offset="utc_offset|offset_hours", t="t|sec", year_out="years|year_out", month_out="months|month_out", day_out="days_out|day_out", weekday="weekdays|weekday", leap="is_leap|leap_year")
    i = wp.tid()
    t = seconds[i]
    if present(offset):
        t = t + 3600 * offset
    days = t // constant("SECONDS_PER_DAY|DAY_SECONDS", 86400)
    note("count from the first of March of year zero, so that leap days come last|shift the epoch")
    z = days + 719468
    era = z // 146097
    doe = z - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    note("five months of 153 days, again and again|month from the day of the year")
    mp = (5 * doy + 2) // 153
    d = doy - (153 * mp + 2) // 5 + 1
    y = yoe + era * 400
    if mp < 10:
        m = mp + 3
    else:
        m = mp - 9
        y = y + 1
    year_out[i] = y
    month_out[i] = m
    day_out[i] = d
    if present(weekday):
        note("the first day of 1970 was a Thursday|zero is Sunday")
        weekday[i] = (days + 4) % 7
    if present(leap):
        if y % 4 == 0 and (y % 100 != 0 or y % 400 == 0):
            leap[i] = 1
        else:
            leap[i] = 0


@scene("integer", "control_flow", "nested_loop", row,
       says="decodes the bytes of each row as UTF-8, counts characters and errors, and keeps the largest code point",
       title="decode_utf8|validate_utf8|utf8_scan|text_statistics", algorithm="UTF-8 decoding")
def utf8_rows(data: each(byte_value, row, column, range=(60, 240)), chars: out(count_value), errors: out(count_value), largest: out(key), wide: maybe(out(count_value), 0.4)):
    names(k="k|pos|cursor|at", n="n|num_chars|decoded_n|good", bad="bad|num_err|broken|faults", w="w|width|need|seq_len", code="code|cp|rune|point", b="b|lead|first_b|head_b", t="t|tail|cont|next_b", fine="fine|valid|ok|whole", top="top|max_cp|highest|biggest", many="many|multi|long_n|non_ascii", data="data|text_bytes|utf8|buffer")
    r = wp.tid()
    k = int(0)
    n = int(0)
    bad = int(0)
    top = int(0)
    many = int(0)
    while k < count(column):
        b = data[r, k]
        w = utf8_width(b)
        if w == 0 or k + w > count(column):
            note("not the beginning of a character, or cut off at the end|skip one byte")
            bad += 1
            k += 1
            continue
        fine = int(1)
        code = int(b)
        if w > 1:
            note("the lead byte carries fewer bits the longer the sequence is")
            code = b & ((1 << (7 - w)) - 1)
            for m in range(1, w):
                t = data[r, k + m]
                if t < 128 or t >= 192:
                    fine = int(0)
                    break
                code = code * 64 + (t - 128)
        if fine == 0:
            bad += 1
            k += 1
            continue
        note("forms that are longer than needed, and surrogates, are not allowed|overlong or surrogate")
        if (w == 3 and code < 2048) or (w == 4 and code < 65536) or (code >= 55296 and code < 57344) or code > 1114111:
            bad += 1
            k += 1
            continue
        n += 1
        if w > 1:
            many += 1
        top = wp.max(top, code)
        k += w
    chars[r] = n
    errors[r] = bad
    if present(largest):
        largest[r] = top
    if present(wide):
        wide[r] = many


@scene("math", "multi_conditional", "scalar_param", item,
       says="evaluates a bank of oscillators of several wave shapes at a time{gate:, each with a gate that switches it on and off}",
       title="function_generator|generate_waveforms|wave_shapes|test_signals", algorithm="classical wave shapes")
def waveforms(shape: kind(SINE, SQUARE, TRIANGLE, SAWTOOTH, PULSE), freq: each(frequency), shift: each(ratio), t: setting(time_value, 0.1, 4.0), rate: setting(sample_rate, 8.0, 20.0), duty: setting(ratio, 0.2, 0.8), gate: maybe(each(signal), 0.5), amp: maybe(setting(amplitude, 0.5, 2.0), 0.5), y: out(unit_signal), edge: maybe(out(flag), 0.4)):
    names(t="t|now|time_s|clock", p="p|phase_t|cyc|turn", s="s|value_s|wave_v|out_v", full="full|cycles_n|whole|count_c", shape="shape|waveform|wave_type|gen_mode", duty="duty|duty_cycle|on_share|pulse_width", gate="gate|gate_in|enable|key_in", rate="rate|sample_rate|fs|clock_rate", freq="freq|tone_freq|osc_freq|frequencies_hz")
    i = wp.tid()
    full = t * freq[i] + shift[i]
    note("position within the cycle, from zero to one|phase accumulator")
    p = wp.mod(full, 1.0)
    s = float(0.0)
    if shape[i] == SINE:
        s = wp.sin(2.0 * wp.pi * p)
    elif shape[i] == SQUARE:
        s = 1.0 - 2.0 * wp.step(0.5 - p)
    elif shape[i] == TRIANGLE:
        s = 4.0 * wp.abs(p - 0.5) - 1.0
    elif shape[i] == SAWTOOTH:
        s = 2.0 * p - 1.0
    else:
        note("high for the share of the duty cycle|pulse")
        s = wp.step(p - duty)
    if present(gate):
        note("silent while the gate is closed")
        s = s * wp.nonzero(wp.max(gate[i], 0.0))
    if present(amp):
        s = s * amp
    y[i] = s
    if present(edge):
        note("does the cycle start between this sample and the one before?")
        if wp.trunc(full) > wp.trunc(wp.max(full - freq[i] / rate, 0.0)):
            edge[i] = 1
        else:
            edge[i] = 0


@scene("fem", "matrix", "nested_loop", "combined", row,
       says="improves the solution of a sparse system of 3 by 3 blocks by one damped block Jacobi step{res_out: and measures the residual}",
       title="block_jacobi_step|bsr_jacobi|smooth_block_system|block_relaxation", algorithm="block Jacobi relaxation", rare=True,
       lossy=True)
def block_jacobi(start: offsets(item), col: index(row, over=item), block: each(matrix3, item, range=(-0.4, 0.4)), diag_b: each(matrix3, range=(-0.4, 0.4)), shift: setting(positive_value, 2.5, 4.0), x: each(vector3), b: each(vector3), omega: setting(ratio, 0.5, 0.95), x_out: out(vector3), res_out: maybe(add(positive_value, 1), 0.5), fixed: maybe(each(flag), 0.4)):
    names(d="d|own|main_b|diag_m", r="r|res|defect|rest_v", k="k|nz|entry|e_k", j="j|other|col_j|jj", dx="dx|step_v|corr|update_v", det="det|det_d|vol_d|pivot", col="col|bsr_cols|block_cols|neighbors_r", block="block|bsr_values|off_blocks|blocks", diag_b="diag_b|diag_blocks|main_blocks|block_diag", fixed="fixed|dirichlet|bc_mask|pinned_r", omega="omega|damping_w|relax|under_relax")
    i = wp.tid()
    if present(fixed):
        note("known values stay|Dirichlet rows")
        if fixed[i] == 1:
            x_out[i] = x[i]
            return
    d = diag_b[i] + wp.diag(wp.vec3(shift, shift, shift))
    r = b[i] - d * x[i]
    for k in range(start[i], start[i + 1]):
        j = col[k]
        if j != i:
            r -= block[k] * x[j]
    if present(res_out):
        wp.atomic_add(res_out, 0, wp.length_sq(r))
    det = wp.determinant(d)
    if wp.abs(det) > number(8.0, 14.0, "regular"):
        dx = wp.inverse(d) * r
    else:
        note("a weak block is used by its diagonal only|point Jacobi where the block is close to singular")
        dx = wp.cw_div(r, wp.get_diag(d))
    x_out[i] = x[i] + dx * omega


@scene("matrix", "geometry", "nested_loop", vertex,
       says="finds for each vertex of a flat mesh the rotation that fits the motion of its edges best, and what is left as energy",
       title="arap_local_step|fit_vertex_rotations|rigid_fit_2d|local_rotations", algorithm="as-rigid-as-possible local step in the plane", rare=True)
def arap_rotations(start: offsets(item), nb: index(vertex, over=item), rest: each(point2), now: each(point2), w: maybe(each(weight, item, range=(0.1, 1.0)), 0.4), rot_out: out(matrix2), energy_out: out(energy), angle_out: maybe(out(angle), 0.5)):
    names(s="s|cov|spread_m|corr_m", u="u|left_m|U|basis_u", sig="sig|strength|sv|sigma_v", v="v|right_m|V|basis_v", r="r|rot|R_i|turn_m", e="edge_r|rest_e|e0|pat_e", g="g|cur_e|e1|now_e", left="left|energy_i|sq_sum|misfit", d="d|off|diff_e|lost", j="j|other|vj|nbr", nb="nb|neighbors_v|one_ring|adjacent", rest="rest|rest_xy|reference_xy|undeformed", now="now|current_xy|deformed_xy|posed")
    i = wp.tid()
    note("a vertex without edges cannot turn|isolated vertex")
    if start[i + 1] - start[i] < 2:
        rot_out[i] = wp.mat22(1.0, 0.0, 0.0, 1.0)
        if present(energy_out):
            energy_out[i] = 0.0
        if present(angle_out):
            angle_out[i] = 0.0
        return
    s = wp.mat22(0.0, 0.0, 0.0, 0.0)
    for k in range(start[i], start[i + 1]):
        j = nb[k]
        e = rest[j] - rest[i]
        g = now[j] - now[i]
        if present(w):
            s += wp.outer(g, e) * w[k]
        else:
            s += wp.outer(g, e)
    note("edges in one line do not fix a rotation|degenerate fan")
    if wp.abs(wp.determinant(s)) < number(0.05, 0.2, "line"):
        rot_out[i] = wp.mat22(1.0, 0.0, 0.0, 1.0)
        if present(energy_out):
            energy_out[i] = 0.0
        if present(angle_out):
            angle_out[i] = 0.0
        return
    u, sig, v = wp.svd2(s)
    r = u * wp.transpose(v)
    if wp.determinant(r) < 0.0:
        note("no mirror images: turn the weaker axis round|proper rotation")
        r = u * wp.mat22(1.0, 0.0, 0.0, -1.0) * wp.transpose(v)
    rot_out[i] = r
    if present(angle_out):
        angle_out[i] = wp.atan2(r[1, 0], r[0, 0])
    if present(energy_out):
        left = float(0.0)
        for k in range(start[i], start[i + 1]):
            j = nb[k]
            d = now[j] - now[i] - r * (rest[j] - rest[i])
            left += wp.dot(d, d)
        energy_out[i] = left


@scene("random", "geometry", "quaternion", face,
       says="scatters plants over a mesh: each triangle gets one with a chance that grows with its area, at a random point, upright along the interpolated normal, with a random turn and size",
       title="scatter_instances|plant_forest|place_on_surface|populate_mesh")
def scatter_instances(x: each(position, vertex), nv: each(normal, vertex), tri: index(vertex, 3), seed: setting(seed), dense: setting(positive_value, 0.2, 0.5), tilt: setting(small_angle, 0.05, 0.2), min_up: maybe(setting(cosine, 0.2, 0.6), 0.5), small: setting(positive_value, 0.3, 0.8), pose_out: out(pose), scale_out: maybe(out(positive_value), 0.6), planted: maybe(out(flag), 0.4)):
    names(rng="rng|state|gen|rnd", grow="grow|chance|expected_n|p_plant", dense="density|plants_per_area|per_square|cover", pose_out="poses|instance_poses|plant_poses|xforms", scale_out="scales|sizes|plant_sizes|scale_out", planted="planted|is_planted|alive|has_plant", small="min_size|smallest|scale_min|min_scale", bc="bc|bary|uv_s|st", p="p|spot|ground_p|place", n="n|up_n|normal_i|grow_dir", q="q|upright|align_q|base_q", turn="turn|jitter_q|spin_q|rpy_q", size="size|scale_i|s_i|height_f", c="c|axis_c|lean_axis|perp", w="w|third|rest_b|bary_c", va="va|i0|corner_a|ia", vb="vb|i1|corner_b|ib", vc="vc|i2|corner_c|ic", tri="tri|mesh_faces|tri_indices|surface_tris", nv="nv|vertex_normals|point_normals|normals_v", min_up="min_up|min_normal_y|cos_max_slope|flatness", tilt="tilt|max_lean|wobble|lean_angle")
    f = wp.tid()
    rng = wp.rand_init(seed, f)
    va = tri[f, 0]
    vb = tri[f, 1]
    vc = tri[f, 2]
    note("large faces get a plant more often|chance by area")
    grow = 0.5 * wp.length(wp.cross(x[vb] - x[va], x[vc] - x[va])) * dense
    if wp.randf(rng) > grow:
        pose_out[f] = wp.transform_identity()
        if present(scale_out):
            scale_out[f] = 0.0
        if present(planted):
            planted[f] = 0
        return
    bc = wp.sample_triangle(rng)
    w = 1.0 - bc[0] - bc[1]
    p = x[va] * bc[0] + x[vb] * bc[1] + x[vc] * w
    n = wp.normalize(nv[va]) * bc[0] + wp.normalize(nv[vb]) * bc[1] + wp.normalize(nv[vc]) * w
    if wp.length(n) < 0.1:
        n = wp.vec3(0.0, 1.0, 0.0)
    n = wp.normalize(n)
    if present(min_up):
        note("nothing grows on cliffs|too steep")
        if n[1] < min_up:
            pose_out[f] = wp.transform_identity()
            if present(scale_out):
                scale_out[f] = 0.0
            if present(planted):
                planted[f] = 0
            return
    note("from straight up to the normal, the short way|align the y axis")
    c = wp.cross(wp.vec3(0.0, 1.0, 0.0), n)
    q = wp.normalize(wp.quat(c[0], c[1], c[2], 1.001 + n[1]))
    note("any heading, a little lean")
    turn = wp.quat_rpy(wp.randf(rng, -tilt, tilt), wp.randf(rng, -wp.pi, wp.pi), wp.randf(rng, -tilt, tilt))
    size = small + (1.0 - small) * wp.randf(rng) * wp.randf(rng)
    pose_out[f] = wp.transform(p, wp.normalize(q * turn))
    if present(scale_out):
        scale_out[f] = size
    if present(planted):
        planted[f] = 1
