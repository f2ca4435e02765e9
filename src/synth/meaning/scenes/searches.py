"""Searches and flights: simplex search, steps of adapted size, entry into an atmosphere, stiff springs."""


@law("searches", "the height of a landscape with four valleys", title="himmelblau|valley_height|landscape", private=True, function=True)
def valley_height(p: simplex_point, a: well_offset, b: well_offset) -> objective:
    names(u="u|ex|first", v="v|ey|second")
    u = p[0] * p[0] + p[1] - a
    v = p[0] + p[1] * p[1] - b
    return u * u + v * v


@law("searches", "the rate of an oscillator that damps large swings and feeds small ones", title="van_der_pol|oscillator_rate|osc_rhs", private=True, function=True)
def oscillator_rate(y: oscillator_state, mu: stiff_parameter) -> oscillator_state:
    return wp.vec2(y[1], mu * (1.0 - y[0] * y[0]) * y[1] - y[0])


@law("searches", "how speed, path angle, height and range of a capsule change, in km and s", title="entry_rates|reentry_rhs|flight_rates", private=True, function=True)
def entry_rates(s: flight_state, beta: ballistic_coefficient, lift: lift_coefficient) -> flight_state:
    names(s="s|state", rho="rho|density", drag="drag|decel", g="g|grav", r="r|radius", beta="beta|ballistic_coeff", lift="lift|lift_to_drag")
    rho = constant("RHO_0", 1.225) * wp.exp(-s[2] / constant("SCALE_HEIGHT", 7.2))
    r = constant("EARTH_RADIUS", 6371.0) + s[2]
    g = constant("G0", 0.00981) * wp.pow(constant("EARTH_RADIUS", 6371.0) / r, 2.0)
    drag = 500.0 * rho * s[0] * s[0] / beta
    return wp.vec4(-drag - g * wp.sin(s[1]), lift * drag / s[0] + (s[0] / r - g / s[0]) * wp.cos(s[1]), s[0] * wp.sin(s[1]), s[0] * wp.cos(s[1]) * constant("EARTH_RADIUS", 6371.0) / r)


@scene("control_flow", "function", "multi_conditional", "nested_loop", sample,
       says="searches the lowest place of a landscape from each start with a triangle that reflects, stretches and shrinks, without derivatives",
       title="nelder_mead|simplex_search|downhill_simplex|derivative_free_search", algorithm="Nelder-Mead simplex search")
def simplex_search(start: each(simplex_point), a: each(well_offset), b: each(well_offset), size: setting(cell_size, 0.3, 0.8), best_out: out(simplex_point), f_out: maybe(out(objective), 0.7), shrinks: maybe(out(count_value), 0.5)):
    names(p="p|best_p|lo_p|s0", q="q|mid_p|second_p|s1", r="r|worst_p|hi_p|s2", fp="fp|best_f|f_lo|v0", fq="fq|mid_f|f_nh|v1", fr="fr|worst_f|f_hi|v2", c="c|cent|middle|face_c", t="t|trial|refl_p|xr", ft="ft|trial_f|refl_f|fxr", e="e|expd|exp_p|xe", fe="fe|expd_f|exp_f|fxe", tmp="tmp|swap_p|hold|keep_p", ftmp="ftmp|swap_f|hold_f|keep_f", n="n|shrunk|n_shrink|collapses", ai="ai|oa|wa|va", bi="bi|ob|wb|vb")
    i = wp.tid()
    ai = a[i]
    bi = b[i]
    p = start[i]
    q = p + wp.vec2(size, 0.0)
    r = p + wp.vec2(0.0, size)
    fp = valley_height(p, ai, bi)
    fq = valley_height(q, ai, bi)
    fr = valley_height(r, ai, bi)
    n = int(0)
    for it in range(integer(5, 10, "rounds")):
        note("best first, worst last|sort the three corners")
        if fq < fp:
            tmp = p
            p = q
            q = tmp
            ftmp = fp
            fp = fq
            fq = ftmp
        if fr < fq:
            tmp = q
            q = r
            r = tmp
            ftmp = fq
            fq = fr
            fr = ftmp
            if fq < fp:
                tmp = p
                p = q
                q = tmp
                ftmp = fp
                fp = fq
                fq = ftmp
        c = 0.5 * (p + q)
        t = c + (c - r)
        ft = valley_height(t, ai, bi)
        if ft < fp:
            note("good: try twice as far|expansion")
            e = c + (c - r) * 2.0
            fe = valley_height(e, ai, bi)
            if fe < ft:
                r = e
                fr = fe
            else:
                r = t
                fr = ft
        elif ft < fq:
            r = t
            fr = ft
        else:
            note("no better than the second worst: stay nearer|contraction")
            if ft < fr:
                e = c + (t - c) * 0.5
            else:
                e = c + (r - c) * 0.5
            fe = valley_height(e, ai, bi)
            if fe < wp.min(ft, fr):
                r = e
                fr = fe
            else:
                note("nothing helps: draw everything towards the best|shrink")
                q = p + (q - p) * 0.5
                r = p + (r - p) * 0.5
                fq = valley_height(q, ai, bi)
                fr = valley_height(r, ai, bi)
                n += 1
    if fq < fp:
        p = q
        fp = fq
    if fr < fp:
        p = r
        fp = fr
    best_out[i] = p
    if present(f_out):
        f_out[i] = fp
    if present(shrinks):
        shrinks[i] = n


@scene("control_flow", "function", "nested_loop", "math", sample,
       says="follows an oscillator to a given time with steps whose size adapts to an estimate of their error",
       title="adaptive_integrate|bogacki_shampine|integrate_adaptive|rk23_oscillator", algorithm="Bogacki-Shampine 3(2) with step control")
def adaptive_steps(y: inout(oscillator_state), mu: each(stiff_parameter), t_end: setting(time_value, 0.5, 1.5), h0: setting(step_length, 0.1, 0.4), tol: setting(tolerance, 0.001, 0.01), t_out: maybe(out(time_value), 0.4), taken: maybe(out(count_value), 0.7), rejected: maybe(out(count_value), 0.5)):
    names(t="t|now|time_i|clock", h="h|dt_i|step_h|size_h", s="s|cur|yi|state_i", k1="k1|r1|s1|d1", k2="k2|r2|s2|d2", k3="k3|r3|s3|d3", k4="k4|r4|s4|d4", new="new|y3|next_y|cand", err="err|e|gap|lte", n="n|good|accepted|n_ok", bad="bad|again|n_rej|refused", grow="grow|fac|scale_h|ratio_h", m="m|mu_i|par|eps_i")
    i = wp.tid()
    m = mu[i]
    s = y[i]
    t = float(0.0)
    h = float(h0)
    n = int(0)
    bad = int(0)
    k1 = oscillator_rate(s, m)
    for it in range(constant("MAX_STEPS|STEP_LIMIT|MOST_STEPS", 40)):
        if t >= t_end - 0.0001:
            break
        note("do not overshoot the end|last step")
        h = wp.min(h, t_end - t)
        k2 = oscillator_rate(s + k1 * (0.5 * h), m)
        k3 = oscillator_rate(s + k2 * (0.75 * h), m)
        new = s + (k1 * 2.0 + k2 * 3.0 + k3 * 4.0) * (h / 9.0)
        k4 = oscillator_rate(new, m)
        note("third order less second order|embedded error")
        err = wp.length(k1 * (-5.0 / 72.0) + k2 * (1.0 / 12.0) + k3 * (1.0 / 9.0) - k4 * 0.125) * h
        if err <= tol:
            t += h
            s = new
            note("the last stage is the first of the next step|first same as last")
            k1 = k4
            n += 1
        else:
            bad += 1
        grow = 0.9 * wp.pow(tol / wp.max(err, 1.0e-6), 1.0 / 3.0)
        h = h * wp.clamp(grow, 0.2, 3.0)
    y[i] = s
    if present(t_out):
        t_out[i] = t
    if present(taken):
        taken[i] = n
    if present(rejected):
        rejected[i] = bad


@scene("physics", "function", "control_flow", "nested_loop", satellite,
       says="flies a capsule through an atmosphere with fourth-order Runge-Kutta steps until it is slow, low or the time is over and keeps its peak deceleration",
       title="reentry_trajectories|simulate_reentry|entry_trajectories", algorithm="atmospheric entry by fourth-order Runge-Kutta",
       lossy=True)
def entry_flight(speed: each(orbital_speed), flight_angle: each(small_angle, range=(-0.12, -0.03)), beta: each(ballistic_coefficient), lift_ratio: each(lift_coefficient, range=(0.05, 0.3)), dt: setting(time_step, 1.0, 3.0), num_steps: setting(count_value, 16, 32), peak_g: out(peak_load), range_out: maybe(out(downrange), 0.6), heat_out: maybe(out(heat_load), 0.5), outcome: maybe(out(label), 0.6)):
    names(s="s|state", k1="k1|k1", k2="k2|k2", k3="k3|k3", k4="k4|k4", decel="decel|decel_g", peak="peak|max_g", q="heat|heat_load", l="lift|lift_drag", status="status|result", b="b|beta_i", speed="entry_speed|speed0", flight_angle="flight_path_angle|gamma0", beta="ballistic_coeff|beta", lift_ratio="lift_to_drag|ld_ratio", num_steps="num_steps|max_steps", peak_g="peak_g|peak_decel", range_out="downrange|range_out", heat_out="heat_loads|total_heat", outcome="outcome|end_state")
    i = wp.tid()
    b = beta[i]
    l = lift_ratio[i]
    note("speed, angle of the path, altitude, distance|state of the flight")
    s = wp.vec4(speed[i], flight_angle[i], constant("ENTRY_ALTITUDE|ENTRY_ALT_KM", 90.0), 0.0)
    peak = float(0.0)
    q = float(0.0)
    status = int(0)
    for step in range(num_steps):
        k1 = entry_rates(s, b, l)
        k2 = entry_rates(s + k1 * (0.5 * dt), b, l)
        k3 = entry_rates(s + k2 * (0.5 * dt), b, l)
        k4 = entry_rates(s + k3 * dt, b, l)
        decel = wp.abs(k1[0]) / constant("G0", 0.00981)
        peak = wp.max(peak, decel)
        q += wp.sqrt(wp.exp(-s[2] / constant("SCALE_HEIGHT", 7.2))) * s[0] * s[0] * s[0] * dt
        s = s + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (dt / 6.0)
        note("parachutes open, or it is too late for them|slow or low")
        if s[0] < constant("CHUTE_SPEED|SLOW_SPEED", 0.8):
            status = int(1)
            break
        if s[2] < constant("CHUTE_ALTITUDE|MIN_ALTITUDE", 10.0):
            status = int(2)
            break
        if s[2] > constant("SKIP_ALTITUDE|MAX_ALTITUDE", 95.0):
            note("bounced off the atmosphere|skip")
            status = int(3)
            break
    peak_g[i] = peak
    if present(range_out):
        range_out[i] = s[3]
    if present(heat_out):
        heat_out[i] = q
    if present(outcome):
        outcome[i] = status


@scene("physics", "fem", "matrix", "atomic", "control_flow", spring,
       says="multiplies the matrix of one implicit step of springs by a vector of velocities, spring by spring, without forming it",
       title="implicit_spring_product|spring_hessian_apply|stiffness_times_velocity|backward_euler_matvec", algorithm="matrix-free product of the implicit spring system", rare=True)
def implicit_springs(x: each(position, particle), p: each(velocity, particle), ends: index(particle, 2), rest: each(rest_length), k: setting(stiffness), kd: maybe(setting(damping), 0.6), dt: setting(time_step), slack_ok: maybe(each(flag), 0.4), pinned: maybe(each(flag, particle), 0.4), y: add(momentum, particle), pap: maybe(add(energy, 1), 0.4)):
    names(a="a|i|n0|first", b="b|j|n1|second", d="d|span|chord|sep", l="l|len_s|cur_l|dist", n="n|dir_s|axis|unit_d", dp="dp|rel|dv|pv", along="along|par|axial|pn", side="side|perp|trans|pt", w="w|tension_r|geo|lat", out_v="out_v|kp|reaction|prod", lam="lam|stretch_r|compr|ratio_l")
    s = wp.tid()
    a = ends[s, 0]
    b = ends[s, 1]
    if a == b:
        return
    d = x[b] - x[a]
    l = wp.length(d)
    note("ends on the same spot: no direction|degenerate spring")
    if l < number(0.01, 0.05, "short"):
        return
    n = d / l
    dp = p[b] - p[a]
    along = wp.dot(dp, n)
    side = dp - n * along
    lam = 1.0 - rest[s] / l
    note("a squeezed spring would make the matrix indefinite|drop the negative part")
    w = wp.max(lam, 0.0)
    if present(slack_ok):
        if slack_ok[s] == 1:
            if lam < 0.0:
                note("a rope has no stiffness while slack|slack")
                return
    out_v = (n * along + side * w) * (k * dt * dt)
    if present(kd):
        out_v = out_v + n * (along * kd * dt)
    if present(pinned):
        note("rows of pinned particles stay empty|constrained")
        if pinned[a] == 0:
            wp.atomic_sub(y, a, out_v)
        if pinned[b] == 0:
            wp.atomic_add(y, b, out_v)
    else:
        wp.atomic_sub(y, a, out_v)
        wp.atomic_add(y, b, out_v)
    if present(pap):
        wp.atomic_add(pap, 0, wp.dot(dp, out_v))
