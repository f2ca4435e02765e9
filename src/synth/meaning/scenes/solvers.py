"""Small solvers, one problem per thread: roots, systems, eigenvalues, steps of equations, filters."""


@law("solvers", "the value and the slope of a cubic polynomial", title="cubic_and_slope|eval_cubic|poly_value_slope", private=True)
def cubic_and_slope(a: value, b: value, c: value, d: value, x: value) -> (value, value):
    names(f="f|value|y|p", df="df|slope|dy|dp")
    f = ((a * x + b) * x + c) * x + d
    df = (3.0 * a * x + 2.0 * b) * x + c
    return f, df


@law("solvers", "the acceleration of the Van der Pol oscillator", title="van_der_pol|oscillator_rate|limit_cycle_rate", private=True)
def van_der_pol(x: value, v: value, mu: positive_value) -> value:
    return mu * (1.0 - x * x) * v - x


@law("solvers", "the slopes of Lorenz' equations", title="lorenz_rate|lorenz_slopes|attractor_rate", private=True)
def lorenz_rate(p: position, sigma: positive_value, rho: positive_value, beta: positive_value) -> velocity:
    return wp.vec3(sigma * (p[1] - p[0]), p[0] * (rho - p[2]) - p[1], p[0] * p[1] - beta * p[2])


@law("solvers", "the cosine and sine that turn an off-diagonal element to zero", title="jacobi_angle|givens_pair|rotation_pair", private=True)
def jacobi_angle(app: value, aqq: value, apq: value) -> (value, value):
    names(theta="theta|phi|half|tau", t="t|tn|tan_t|slope")
    if wp.abs(apq) < 1.0e-9:
        return 1.0, 0.0
    theta = 0.5 * (aqq - app) / apq
    t = 1.0 / (wp.abs(theta) + wp.sqrt(theta * theta + 1.0))
    if theta < 0.0:
        t = -t
    return 1.0 / wp.sqrt(t * t + 1.0), t / wp.sqrt(t * t + 1.0)


@scene("math", "control_flow", "scalar_param", item,
       says="finds the root of each rising cubic polynomial between two ends by Newton's method, kept inside the bracket by bisection",
       title="bracketed_newton|safe_roots|find_roots|solve_cubics", algorithm="Newton's method safeguarded by bisection",
       lossy=True)
def safe_newton(a: each(value, range=(0.5, 1.0)), b: each(value, range=(-0.8, 0.8)), c: each(value, range=(0.5, 2.0)), d: each(value, range=(-1.5, 1.5)), tol: setting(tolerance, 0.0005, 0.01), root: out(root_value), rounds: maybe(out(steps_value), 0.5), slope_out: maybe(out(value), 0.4)):
    names(lo="lo|left|x_lo|low", hi="hi|right|x_hi|high", x="x|guess|root_i|at", f="f|fx|value_x|res", df="df|slope|deriv|dfx", nx="nx|x_new|trial|candidate", n="n|used|iters|turns", tol="tol|eps|precision|accuracy")
    i = wp.tid()
    note("the cubic rises: one root, and it is inside")
    lo = -constant("BRACKET|X_MAX", 4.0)
    hi = float(constant("BRACKET|X_MAX", 4.0))
    x = float(0.0)
    n = int(0)
    for k in range(integer(24, 40)):
        f, df = cubic_and_slope(a[i], b[i], c[i], d[i], x)
        n = k
        if wp.abs(f) < tol:
            break
        note("keep the bracket")
        if f > 0.0:
            hi = x
        else:
            lo = x
        nx = 0.5 * (lo + hi)
        if wp.abs(df) > 1.0e-6:
            nx = x - f / df
            if nx <= lo or nx >= hi:
                note("Newton left the bracket: bisect")
                nx = 0.5 * (lo + hi)
        x = nx
    root[i] = x
    if present(rounds):
        rounds[i] = n
    if present(slope_out):
        f, df = cubic_and_slope(a[i], b[i], c[i], d[i], x)
        slope_out[i] = df


@scene("nested_loop", "control_flow", "reduction", row,
       says="solves a small system of linear equations for each row by Gaussian elimination with partial pivoting",
       title="gauss_solve|solve_systems|eliminate_rows|batched_solve", algorithm="Gaussian elimination with partial pivoting",
       lossy=True)
def gauss_solve(a: inout(value, row, 3, 4), x: out(value, row, 3), det_out: maybe(out(value), 0.5), singular: maybe(out(flag), 0.6)):
    names(best="best|largest|piv_abs|top", at="at|pivot_row|which|sel", m="m|factor|mult|ratio", tmp="tmp|hold|swap|keep", det="det|volume|prod|determinant", total="total|acc|rhs|s", singular="singular|failed|degenerate|no_solution", ok="ok|fine|good|solvable")
    r = wp.tid()
    det = float(1.0)
    ok = int(1)
    for col in range(3):
        note("largest element of the column becomes the pivot")
        best = wp.abs(a[r, col, col])
        at = int(col)
        for k in range(col + 1, 3):
            if wp.abs(a[r, k, col]) > best:
                best = wp.abs(a[r, k, col])
                at = k
        if best < constant("PIVOT_EPS|MIN_PIVOT|TINY", 1.0e-6):
            ok = 0
            det = 0.0
            break
        if at != col:
            det = -det
            for k in range(4):
                tmp = a[r, col, k]
                a[r, col, k] = a[r, at, k]
                a[r, at, k] = tmp
        det = det * a[r, col, col]
        for k in range(col + 1, 3):
            m = a[r, k, col] / a[r, col, col]
            for j in range(4):
                if j >= col:
                    a[r, k, j] = a[r, k, j] - m * a[r, col, j]
    if present(singular):
        singular[r] = 1 - ok
    if present(det_out):
        det_out[r] = det
    if ok == 0:
        for k in range(3):
            x[r, k] = 0.0
        return
    note("back substitution")
    for back in range(3):
        total = a[r, 2 - back, 3]
        for j in range(3):
            if j > 2 - back:
                total = total - a[r, 2 - back, j] * x[r, j]
        x[r, 2 - back] = total / a[r, 2 - back, 2 - back]


@scene("math", "nested_loop", "function", particle,
       says="computes the eigenvalues of symmetric matrices by cyclic Jacobi rotations and sorts them",
       title="jacobi_eigenvalues|principal_values|symmetric_eigen|diagonalize", algorithm="cyclic Jacobi eigenvalue method")
def jacobi_eigen(xx: each(value), yy: each(value), zz: each(value), xy: each(value, range=(-1.0, 1.0)), yz: each(value, range=(-1.0, 1.0)), zx: each(value, range=(-1.0, 1.0)), high: out(value), mid: out(value), low: out(value), aniso: maybe(out(positive_value), 0.5)):
    names(a="a|m00|d0|sxx", b="b|m11|d1|syy", c="c|m22|d2|szz", p="p|m01|o0|sxy", q="q|m12|o1|syz", r="r|m02|o2|szx", cs="cs|co|cth|cosv", sn="sn|si|sth|sinv", t="t|tmp|hold|aux", u="u|old|prev|save")
    i = wp.tid()
    a = xx[i]
    b = yy[i]
    c = zz[i]
    p = xy[i]
    q = yz[i]
    r = zx[i]
    for sweep in range(integer(5, 7)):
        note("rotate in the first plane")
        cs, sn = jacobi_angle(a, b, p)
        t = a * cs * cs - 2.0 * p * cs * sn + b * sn * sn
        b = a * sn * sn + 2.0 * p * cs * sn + b * cs * cs
        a = t
        p = float(0.0)
        u = r
        r = cs * r - sn * q
        q = sn * u + cs * q
        note("second plane")
        cs, sn = jacobi_angle(b, c, q)
        t = b * cs * cs - 2.0 * q * cs * sn + c * sn * sn
        c = b * sn * sn + 2.0 * q * cs * sn + c * cs * cs
        b = t
        q = float(0.0)
        u = p
        p = cs * p - sn * r
        r = sn * u + cs * r
        note("third plane")
        cs, sn = jacobi_angle(a, c, r)
        t = a * cs * cs - 2.0 * r * cs * sn + c * sn * sn
        c = a * sn * sn + 2.0 * r * cs * sn + c * cs * cs
        a = t
        r = float(0.0)
        u = p
        p = cs * p - sn * q
        q = sn * u + cs * q
    high[i] = wp.max(a, wp.max(b, c))
    low[i] = wp.min(a, wp.min(b, c))
    mid[i] = a + b + c - wp.max(a, wp.max(b, c)) - wp.min(a, wp.min(b, c))
    if present(aniso):
        aniso[i] = wp.max(a, wp.max(b, c)) - wp.min(a, wp.min(b, c))


@scene("math", "function", "nested_loop", path,
       says="integrates a Van der Pol oscillator with the classical Runge-Kutta method and notes how often it crosses zero",
       title="integrate_oscillators|rk4_oscillator|limit_cycles|simulate_oscillator", algorithm="classical Runge-Kutta method")
def rk4_oscillator(x0: each(value), v0: each(value), mu: each(positive_value, range=(0.2, 2.0)), dt: setting(time_step), x_out: out(value), v_out: out(value), crossings: out(count_value), widest: maybe(out(amplitude), 0.5)):
    names(x="x|pos|q|u", v="v|vel|qd|w", k1="k1|s1|kx1|r1", k2="k2|s2|kx2|r2", k3="k3|s3|kx3|r3", k4="k4|s4|kx4|r4", l1="l1|a1|kv1|g1", l2="l2|a2|kv2|g2", l3="l3|a3|kv3|g3", l4="l4|a4|kv4|g4", n="n|passes|zeros|flips", top="top|reach|amp|peak", old="old|x_before|last_x|prev_x")
    i = wp.tid()
    x = x0[i]
    v = v0[i]
    n = int(0)
    top = float(0.0)
    for step in range(integer(20, 40)):
        old = x
        k1 = v
        l1 = van_der_pol(x, v, mu[i])
        k2 = v + 0.5 * dt * l1
        l2 = van_der_pol(x + 0.5 * dt * k1, v + 0.5 * dt * l1, mu[i])
        k3 = v + 0.5 * dt * l2
        l3 = van_der_pol(x + 0.5 * dt * k2, v + 0.5 * dt * l2, mu[i])
        k4 = v + dt * l3
        l4 = van_der_pol(x + dt * k3, v + dt * l3, mu[i])
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        v = v + dt / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
        if old * x < 0.0:
            n += 1
        top = wp.max(top, wp.abs(x))
    x_out[i] = x
    v_out[i] = v
    if present(crossings):
        crossings[i] = n
    if present(widest):
        widest[i] = top


@scene("vector", "function", "control_flow", path,
       says="follows the Lorenz attractor with Heun's method and a step that adapts to the estimated error",
       title="lorenz_paths|adaptive_heun|trace_attractor|chaos_paths", algorithm="adaptive Heun-Euler pair", lossy=True)
def lorenz_paths(start: each(position, range=(-8.0, 8.0)), sigma: setting(positive_value, 9.0, 11.0), rho: setting(positive_value, 20.0, 28.0), beta: setting(positive_value, 2.0, 3.0), tol: setting(positive_value, 0.005, 0.05), span: setting(positive_value, 0.05, 0.2), end: out(position), used: maybe(out(steps_value), 0.5), closest: maybe(out(distance), 0.4)):
    names(p="p|pos|x|at", t="t|time|clock|now", h="h|dt|step|tau", k1="k1|s1|slope1|ka", k2="k2|s2|slope2|kb", trial="trial|heun|p_new|next_p", err="err|delta|miss|est", n="n|taken|steps|accepted", near="near|least|min_r|lowest", tol="tol|tolerance|accuracy|allowed", span="span|t_end|duration|horizon")
    i = wp.tid()
    p = start[i]
    t = float(0.0)
    h = float(0.01)
    n = int(0)
    near = wp.length(p)
    for attempt in range(integer(30, 60)):
        if t >= span:
            break
        note("do not step over the end")
        h = wp.min(h, span - t)
        k1 = lorenz_rate(p, sigma, rho, beta)
        k2 = lorenz_rate(p + k1 * h, sigma, rho, beta)
        trial = p + (k1 + k2) * (0.5 * h)
        note("Heun less Euler estimates the error")
        err = wp.length(k2 - k1) * 0.5 * h
        if err > tol:
            if h > 1.0e-4:
                note("too large: try again with half the step")
                h = 0.5 * h
                continue
        p = trial
        t += h
        n += 1
        near = wp.min(near, wp.length(p))
        if err < 0.25 * tol:
            h = 1.5 * h
    end[i] = p
    if present(used):
        used[i] = n
    if present(closest):
        closest[i] = near


@scene("arithmetic", "control_flow", "multi_conditional", path,
       says="tracks position and speed with a two-state Kalman filter over noisy readings, leaving out outliers and gaps",
       title="kalman_track|track_filter|filter_readings|kalman_rows", algorithm="two-state Kalman filter with gating")
def kalman_track(z: each(measurement, path, 10), valid: maybe(each(flag, path, 10), 0.5), q: setting(positive_value, 0.01, 0.2), r: setting(measurement_variance), dt: setting(time_step, 0.1, 0.5), gate: setting(positive_value, 4.0, 9.0), pos: out(state_estimate), vel: maybe(out(axial_velocity), 0.6), kept: maybe(out(count_value), 0.6), spread: maybe(out(state_variance), 0.4)):
    names(x="x|est|pos_hat|s0", v="v|rate|vel_hat|s1", pa="pa|p00|var_x|c00", pb="pb|p01|cov|c01", pc="pc|p11|var_v|c11", y="y|innovation|nu|resid", s="s|inn_var|total_var|sv", ka="ka|gain_x|k0|g0", kb="kb|gain_v|k1|g1", n="n|used|accepted|fused", q="q|process_noise|drift_var|q_acc", gate="gate|gate_sq|outlier_limit|chi_limit", valid="valid|present_z|ok_z|has_reading")
    i = wp.tid()
    x = z[i, 0]
    v = float(0.0)
    pa = r * 1.0
    pb = float(0.0)
    pc = float(1.0)
    n = int(1)
    for t in range(1, 10):
        note("predict")
        x = x + dt * v
        pa = pa + dt * (2.0 * pb + dt * pc) + 0.25 * q * dt * dt
        pb = pb + dt * pc + 0.5 * q * dt
        pc = pc + q
        if present(valid):
            note("a gap: only the prediction")
            fact("missing readings are bridged by prediction")
            if valid[i, t] == 0:
                continue
        y = z[i, t] - x
        s = pa + r
        if y * y / s > gate:
            note("an outlier")
            continue
        ka = pa / s
        kb = pb / s
        x = x + ka * y
        v = v + kb * y
        note("the covariance shrinks by what was learnt")
        pc = pc - kb * pb
        pb = pb - kb * pa
        pa = pa - ka * pa
        n += 1
    pos[i] = x
    if present(vel):
        vel[i] = v
    if present(kept):
        kept[i] = n
    if present(spread):
        spread[i] = pa


@scene("fem", "nested_loop", "reduction", "math", row,
       says="solves small positive definite systems by conjugate gradients to a tolerance",
       title="cg_solve|conjugate_gradients|batched_cg|krylov_solve", algorithm="conjugate gradient method", lossy=True)
def cg_small(a: each(value, row, 3, 3, range=(-0.5, 0.5)), shift: setting(positive_value, 2.0, 4.0), b: each(value, row, 3), x: out(value, row, 3), res: maybe(out(error_value), 0.5), rounds: maybe(out(steps_value), 0.5)):
    names(r="r|resid|rv|g", d="d|dir|p|search", q="q|ad|ap|image_d", rr="rr|rho|r_sq|gamma", dq="dq|pap|curv|den", alpha="alpha|step|len_a|lam", rr_new="rr_new|rho_new|r_sq_new|gamma_new", n="n|k_used|iters|turns", m="m|mat|sym|op", s="s|sol|xv|guess", shift="shift|diagonal|ridge|regular")
    i = wp.tid()
    note("the symmetric part, shifted so that it is positive definite")
    m = wp.mat33(shift + a[i, 0, 0], a[i, 0, 1] + a[i, 1, 0], a[i, 0, 2] + a[i, 2, 0], a[i, 0, 1] + a[i, 1, 0], shift + a[i, 1, 1], a[i, 1, 2] + a[i, 2, 1], a[i, 0, 2] + a[i, 2, 0], a[i, 1, 2] + a[i, 2, 1], shift + a[i, 2, 2])
    s = wp.vec3(0.0, 0.0, 0.0)
    r = wp.vec3(b[i, 0], b[i, 1], b[i, 2])
    d = r
    rr = wp.dot(r, r)
    n = int(0)
    for k in range(integer(4, 8)):
        if rr < constant("CG_TOL|RES_TOL|TOL_SQ", 1.0e-10):
            break
        q = m @ d
        dq = wp.dot(d, q)
        if dq <= 0.0:
            note("not positive definite along this direction")
            break
        alpha = rr / dq
        s = s + d * alpha
        r = r - q * alpha
        rr_new = wp.dot(r, r)
        d = r + d * (rr_new / rr)
        rr = rr_new
        n += 1
    for k in range(3):
        x[i, k] = s[k]
    if present(res):
        res[i] = wp.sqrt(rr)
    if present(rounds):
        rounds[i] = n


@scene("math", "control_flow", "function", item,
       says="minimises a smooth function of one variable in each interval by golden section search",
       title="golden_section|line_minimum|minimize_interval|search_minimum", algorithm="golden section search")
def golden_section(c: each(cubic_coefficients), lo: setting(value, -2.0, -1.0), hi: setting(value, 1.0, 2.0), at: out(axis_value), least: maybe(out(value), 0.7), width: maybe(out(positive_value), 0.3)):
    names(a="a|left|xa|l", b="b|right|xb|r", u="u|x1|inner_a|p1", w="w|x2|inner_b|p2", fu="fu|f1|val_a|y1", fw="fw|f2|val_b|y2", g="g|ratio_g|phi|shrink")
    i = wp.tid()
    g = constant("GOLDEN|INV_PHI", 0.618034)
    a = float(lo)
    b = float(hi)
    u = b - g * (b - a)
    w = a + g * (b - a)
    fu = wp.cos(2.0 * u) + cubic_polynomial(c[i], u) * 0.2
    fw = wp.cos(2.0 * w) + cubic_polynomial(c[i], w) * 0.2
    for k in range(integer(18, 26)):
        if fu < fw:
            b = w
            w = u
            fw = fu
            u = b - g * (b - a)
            fu = wp.cos(2.0 * u) + cubic_polynomial(c[i], u) * 0.2
        else:
            a = u
            u = w
            fu = fw
            w = a + g * (b - a)
            fw = wp.cos(2.0 * w) + cubic_polynomial(c[i], w) * 0.2
        if maybe(0.4):
            if b - a < number(0.001, 0.01):
                break
    at[i] = 0.5 * (a + b)
    if present(least):
        least[i] = wp.min(fu, fw)
    if present(width):
        width[i] = b - a
