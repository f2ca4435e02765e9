"""Planning, fitting and transport: rollouts, feedback, trajectories, curvature updates, least squares, assignment."""


@law("planners", "the accelerations of a cart and of the pole on it under a push", title="cartpole_dynamics|cart_pole_accel|pole_dynamics", private=True, function=True)
def cart_pole_rates(th: pole_angle, w: angular_speed, u: control_command, mc: mass, mp: mass, l: length) -> (axial_acceleration, angular_rate_change):
    names(sn="sn|s|sin_t", cs="cs|c|cos_t", tmp="tmp|base|drive_t", wd="wd|alpha|ang_acc", total="total|msum|m_all")
    sn = wp.sin(th)
    cs = wp.cos(th)
    total = mc + mp
    tmp = (u + mp * l * w * w * sn) / total
    wd = (9.81 * sn - cs * tmp) / (l * (4.0 / 3.0 - mp * cs * cs / total))
    return tmp - mp * l * wd * cs / total, wd


@law("planners", "the cost of being near an obstacle, smooth where its reach begins, and its slope", title="hinge_cost|obstacle_potential|clearance_cost", private=True, function=True)
def clearance_cost(d: signed_distance, reach: barrier_reach) -> (penalty, directional_slope):
    if d >= reach:
        return 0.0, 0.0
    if d < 0.0:
        return 0.5 * reach - d, -1.0
    return 0.5 * (d - reach) * (d - reach) / reach, (d - reach) / reach


@law("planners", "place and rate on a fifth-degree curve that starts and ends at rest", title="minimum_jerk|quintic_blend|smooth_step5", private=True, function=True)
def jerk_free_blend(s: ratio) -> (eased_fraction, ratio):
    return s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * s * s * (1.0 - s) * (1.0 - s)


@scene("physics", "nested_loop", "function", "control_flow", sample,
       says="simulates a cart with a pole under each perturbed plan of pushes and sums the cost of the way it went",
       title="rollout_costs|mppi_rollout|simulate_plans|evaluate_rollouts", algorithm="cart-pole rollouts with explicit Euler steps",
       lossy=True)
def cart_pole_rollout(plan: each(control_command, time_sample), noise: each(gaussian_noise, sample, time_sample), x0: setting(cart_position, -0.5, 0.5), th0: setting(pole_angle, -0.3, 0.3), mc: setting(mass, 0.8, 1.5), mp: setting(mass, 0.1, 0.3), l: setting(length, 0.3, 0.7), dt: setting(time_step, 0.01, 0.04), push_max: setting(command_limit), effort: maybe(setting(weight, 0.001, 0.02), 0.6), cost_out: out(rollout_cost), fell: maybe(out(count_value), 0.6), end_out: maybe(out(pole_angle), 0.4)):
    names(x="x|cart_i|pos|px", v="v|vel|cart_v|pv", th="th|theta|pole_i|lean", w="w|omega|rate|th_dot", u="u|push|force_u|cmd", a="a|xdd|acc_c|cart_a", al="al|thdd|acc_p|pole_a", cost="cost|total|j_sum|acc_cost", stage="stage|step_cost|running|lx", dead="dead|fall_t|lost_at|failed", t="t|k|step|tick")
    s = wp.tid()
    x = float(x0)
    v = float(0.0)
    th = float(th0)
    w = float(0.0)
    cost = float(0.0)
    dead = int(-1)
    for t in range(count(time_sample)):
        u = wp.clamp(plan[t] + noise[s, t], -push_max, push_max)
        a, al = cart_pole_rates(th, w, u, mc, mp, l)
        match choose("integrator"):
            case 2:
                note("velocities first: the step stays stable|semi-implicit")
                v += a * dt
                w += al * dt
                x += v * dt
                th += w * dt
            case 1:
                x += v * dt
                th += w * dt
                v += a * dt
                w += al * dt
        stage = th * th + 0.1 * x * x + 0.01 * (v * v + w * w)
        if present(effort):
            stage += effort * u * u
        note("off the rail: no further, at a price|constraint as a penalty")
        if wp.abs(x) > number(1.5, 2.5, "rail"):
            stage += number(5.0, 20.0, "off")
        cost += stage * dt
        if wp.abs(th) > number(0.8, 1.2, "fallen"):
            note("the pole has fallen: charge for the rest and stop|early termination")
            cost += number(2.0, 10.0, "fall") * float(count(time_sample) - t)
            dead = t
            break
    cost_out[s] = cost
    if present(fell):
        fell[s] = dead
    if present(end_out):
        end_out[s] = th


@scene("reduction", "nested_loop", "math", time_sample,
       says="moves each command of a plan by the mean of its perturbations, weighted by how cheap their rollouts were",
       title="blend_rollouts|mppi_update|weight_perturbations|path_integral_update", algorithm="path integral update of a plan")
def path_integral_update(cost: each(rollout_cost, sample), noise: each(gaussian_noise, sample, time_sample), plan: inout(control_command), lam: setting(temperature_scale), push_max: setting(command_limit, 4.0, 8.0), gain_: maybe(setting(learning_rate, 0.3, 1.0), 0.4), ess: maybe(out(positive_value), 0.5)):
    names(best="best|c_min|lowest|cheapest", w="w|wt|weight_s|expw", total="total|norm_w|z|sum_w", shift="shift|delta_u|corr|step_u", sq="sq|sum_sq|w2|second")
    t = wp.tid()
    best = float(1.0e6)
    for s in range(count(sample)):
        best = wp.min(best, cost[s])
    total = float(0.0)
    shift = float(0.0)
    sq = float(0.0)
    for s in range(count(sample)):
        note("relative to the best, or all would underflow|subtract the minimum")
        w = wp.exp(-(cost[s] - best) / lam)
        total += w
        shift += w * noise[s, t]
        sq += w * w
    shift = shift / total
    if present(gain_):
        shift = shift * gain_
    plan[t] = wp.clamp(plan[t] + shift, -push_max, push_max)
    if present(ess):
        note("how many rollouts really count|effective sample size")
        ess[t] = total * total / sq


@scene("matrix", "nested_loop", "control_flow", "function", robot,
       says="computes the best feedback gains of a damped double integrator over a horizon, from the end backwards, by the discrete Riccati recursion",
       title="lqr_backward|riccati_sweep|solve_feedback|backward_pass", algorithm="discrete Riccati recursion")
def riccati_sweep(damp: each(damping), gain_b: each(gain, range=(0.5, 2.0)), q: setting(state_weight), r: setting(weight, 0.1, 1.0), dt: setting(time_step, 0.02, 0.1), last: maybe(setting(gain, 1.0, 2.0), 0.5), k_out: out(feedback_gain, robot, time_sample), x0: maybe(each(feature_pair), 0.5), cost_out: maybe(out(objective), 1.0)):
    names(a="a|A|trans|dyn_m", b="b|B|input_v|push_v", p="p|P|value_m|cost_m", pb="pb|p_b|pv|loaded", s="s|h_uu|quu|denom", k="k|gain_row|K_t|fb", acl="acl|closed|a_bk|loop_m", qm="qm|Q|stage_m|weights_m", x0="x0|start_state|x_init|initial_state", n="n|step_b|back|rev")
    i = wp.tid()
    a = wp.mat22(1.0, dt, 0.0, 1.0 - damp[i] * dt)
    b = wp.vec2(0.5 * dt * dt * gain_b[i], dt * gain_b[i])
    qm = wp.diag(q)
    p = qm
    if present(last):
        note("the end counts more than the way|terminal weight")
        p = qm * last
    for n in range(count(time_sample)):
        pb = p * b
        s = r + wp.dot(b, pb)
        note("the push that costs least from here on|gain of this step")
        k = wp.transpose(a) * pb / s
        k_out[i, count(time_sample) - 1 - n] = k
        acl = a - wp.outer(b, k)
        match choose("form"):
            case 2:
                p = qm + wp.transpose(a) * p * acl
            case 1:
                note("symmetric by construction|Joseph form")
                p = qm + wp.transpose(acl) * p * acl + wp.outer(k, k) * r
    if present(x0) and present(cost_out):
        cost_out[i] = wp.dot(x0[i], p * x0[i])


@scene("control_flow", "function", "vector", "math", query,
       says="finds the segment of a timed path that belongs to each time and gives the position there, resting before and after",
       title="sample_trajectory|evaluate_path|interpolate_waypoints|track_reference", algorithm="piecewise interpolation of timed waypoints",
       lossy=True)
def timed_path(when: each(time_value, range=(-1.0, 14.0)), knots: each(position, keyframe), dur: each(segment_time, keyframe), x_out: out(position), v_out: maybe(out(velocity), 0.7), seg_out: maybe(out(index_value), 0.5)):
    names(t="t|left|rest_t|local", k="k|seg|leg_k|piece", a="a|from_p|p0|start_p", b="b|to_p|p1|end_p", s="s|frac|u|share", d="d|leg_d|span|dur_k", m0="m0|tan_a|v0|out_dir", m1="m1|tan_b|v1|in_dir", pos="pos|here|ref_p|at", vel="vel|rate|ref_v|speed_v", f="f|eased|blend|c0", df="df|slope|eased_v|c1")
    i = wp.tid()
    t = when[i]
    note("before the start|not yet moving")
    if t <= 0.0:
        x_out[i] = knots[0]
        if present(v_out):
            v_out[i] = wp.vec3(0.0, 0.0, 0.0)
        if present(seg_out):
            seg_out[i] = 0
        return
    k = int(0)
    while k < count(keyframe) - 1 and t > dur[k]:
        t -= dur[k]
        k += 1
    note("past the last knot|arrived")
    if k >= count(keyframe) - 1:
        x_out[i] = knots[count(keyframe) - 1]
        if present(v_out):
            v_out[i] = wp.vec3(0.0, 0.0, 0.0)
        if present(seg_out):
            seg_out[i] = count(keyframe) - 1
        return
    a = knots[k]
    b = knots[k + 1]
    d = dur[k]
    s = t / d
    match choose("curve"):
        case 1:
            fact("between knots the motion is uniform")
            pos = a + (b - a) * s
            vel = (b - a) / d
        case 2:
            fact("each segment starts and ends at rest with the least jerk")
            f, df = jerk_free_blend(s)
            pos = a + (b - a) * f
            vel = (b - a) * (df / d)
        case 2:
            fact("the curve is a cubic spline with velocities from the neighbouring knots")
            note("velocity at a knot from the knots beside it, zero at the ends|Catmull-Rom tangents")
            m0 = wp.vec3(0.0, 0.0, 0.0)
            m1 = wp.vec3(0.0, 0.0, 0.0)
            if k > 0:
                m0 = (b - knots[k - 1]) / (dur[k - 1] + d)
            if k + 2 < count(keyframe):
                m1 = (knots[k + 2] - a) / (d + dur[k + 1])
            pos = a * ((1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s)) + m0 * (d * s * (1.0 - s) * (1.0 - s)) + b * (s * s * (3.0 - 2.0 * s)) - m1 * (d * s * s * (1.0 - s))
            vel = (b - a) * (6.0 * s * (1.0 - s) / d) + m0 * ((1.0 - s) * (1.0 - 3.0 * s)) + m1 * (s * (3.0 * s - 2.0))
    x_out[i] = pos
    if present(v_out):
        v_out[i] = vel
    if present(seg_out):
        seg_out[i] = k


@scene("matrix", "nested_loop", "reduction", search,
       says="adapts the covariance and the path of each search distribution to the steps of its best samples",
       title="cma_update|update_covariance|cma_es_update", algorithm="rank-one and rank-mu covariance update")
def cma_covariance(cov: inout(matrix3, range=(0.1, 0.6)), path: inout(evolution_path), steps: each(evolution_path, search, 8), cost: each(rollout_cost, search, 8), c_path: setting(smoothing_alpha, 0.1, 0.4), c_one: setting(ratio, 0.05, 0.2), c_mu: setting(ratio, 0.1, 0.4), stalled: maybe(each(flag), 0.4), mean_step: maybe(out(evolution_path), 0.5)):
    names(w="w|weight", rank="rank|rank", step="mean_y|y_w", spread="rank_mu|c_rank_mu", p="p|new_path", total="w_sum|sum_w", sq="w_sq|sum_w2", other="m|j", mu="mu|num_parents", y="y|y_k", cov="cov|covariance", path="p_c|evo_path", steps="steps|samples_y", cost="fitness|costs", c_path="c_c|cc", c_one="c_1|c1", c_mu="c_mu|cmu", stalled="stalled|is_stalled", mean_step="mean_step|step_out", mu_eff="mu_eff|mueff")
    g = wp.tid()
    mu = constant("POPULATION", 8) // 2
    step = wp.vec3()
    spread = wp.mat33()
    total = float(0.0)
    sq = float(0.0)
    for k in range(constant("POPULATION", 8)):
        note("rank by counting how many are better; of equals, the first|place in the order")
        rank = int(0)
        for other in range(constant("POPULATION", 8)):
            if cost[g, other] < cost[g, k] or (cost[g, other] == cost[g, k] and other < k):
                rank += 1
        if rank < mu:
            w = wp.log(float(mu) + 0.5) - wp.log(float(rank + 1))
            y = steps[g, k]
            step += y * w
            spread += wp.outer(y, y) * w
            total += w
            sq += w * w
    step = step / total
    spread = spread / total
    mu_eff = total * total / sq
    p = path[g] * (1.0 - c_path)
    if present(stalled):
        note("do not grow the path while the step size is still rising|stall the path")
        if stalled[g] == 0:
            p += step * wp.sqrt(c_path * (2.0 - c_path) * mu_eff)
    else:
        p += step * wp.sqrt(c_path * (2.0 - c_path) * mu_eff)
    path[g] = p
    cov[g] = cov[g] * (1.0 - c_one - c_mu) + wp.outer(p, p) * c_one + spread * c_mu
    if present(mean_step):
        mean_step[g] = step


@scene("nested_loop", "reduction", "control_flow", "vector", row,
       says="turns each gradient into a search direction with the curvature of the last five steps, in two loops",
       title="lbfgs_direction|two_loop_recursion|quasi_newton_step|inverse_hessian_product", algorithm="L-BFGS two-loop recursion",
       lossy=True)
def lbfgs_direction(g: each(search_direction), s: rows(curvature_pair, 5), y: rows(curvature_pair, 5), scale0: setting(gain, 0.3, 1.5), d_out: out(search_direction), slope_out: maybe(out(dot_product), 0.6), used: maybe(out(count_value), 0.5)):
    names(q="q|d|work|r_vec", alpha="alpha|al|coefs|alphas", sy="sy|curv|s_dot_y|ys", beta="beta|bk|back_c|corr", gamma="gamma|h0|first_scale|scaling", n="n|kept|pairs_n|valid", k="k|m|pair_k|idx", slope="slope|descent|gd|dir_slope")
    i = wp.tid()
    alpha = wp.zeros(shape=5, dtype=float)
    q = g[i]
    gamma = float(scale0)
    n = int(0)
    note("from the newest pair to the oldest|first loop")
    for b in range(5):
        k = 4 - b
        sy = wp.dot(s[i, k], y[i, k])
        note("without positive curvature a pair says nothing|skip bad pairs")
        if sy > number(0.1, 0.3, "curved"):
            alpha[k] = wp.dot(s[i, k], q) / sy
            q = q - y[i, k] * alpha[k]
            if n == 0:
                gamma = sy / wp.dot(y[i, k], y[i, k])
            n += 1
    q = q * gamma
    for k in range(5):
        sy = wp.dot(s[i, k], y[i, k])
        if sy > number(0.1, 0.3, "curved"):
            beta = wp.dot(y[i, k], q) / sy
            q = q + s[i, k] * (alpha[k] - beta)
    d_out[i] = -q
    if present(slope_out):
        slope = -wp.dot(g[i], q)
        slope_out[i] = slope
    if present(used):
        used[i] = n


@scene("matrix", "nested_loop", "math", "control_flow", row,
       says="fits an exponential decay to each row of samples by damped Gauss-Newton steps",
       title="fit_decay|levenberg_decay|exponential_fit|estimate_decay_rates", algorithm="damped Gauss-Newton fit of an exponential")
def fit_decay(y: rows(signal, 10, range=(0.05, 1.5)), w: maybe(rows(weight, 10, range=(0.2, 1.0)), 0.4), a: inout(decay_amplitude), b: inout(decay_constant), dt: setting(step_length, 0.1, 0.3), damp: setting(damping_term, 0.05, 0.5), sse: maybe(out(square_sum), 0.6), big: maybe(out(flag), 0.4)):
    names(aa="aa|amp|a_i|scale_i", bb="bb|rate|b_i|decay_i", t="t|time_k|tk|at", e="e|model|decayed|basis", r="r|res|miss|err_k", ja="ja|da|d_amp|grad_a", jb="jb|db|d_rate|grad_b", h="h|jtj|gram|normal_m", g="g|jtr|grad_v|rhs", step="step|delta|dx|move", wk="wk|wt|trust|sample_w", total="total|ssq|res_sq|loss_i")
    i = wp.tid()
    aa = float(a[i])
    bb = float(b[i])
    for it in range(integer(2, 4, "steps")):
        h = wp.mat22()
        g = wp.vec2()
        for k in range(10):
            t = float(k) * dt
            e = wp.exp(-bb * t)
            r = y[i, k] - aa * e
            ja = e
            jb = -aa * t * e
            if present(w):
                wk = w[i, k]
            else:
                wk = float(1.0)
            h += wp.mat22(ja * ja, ja * jb, ja * jb, jb * jb) * wk
            g += wp.vec2(ja, jb) * (r * wk)
        note("damping keeps the step small where the data say little|Levenberg's term")
        step = wp.inverse(h + damp * wp.identity(n=2, dtype=float)) * g
        aa += step[0]
        note("rates stay positive|no growth")
        bb = wp.max(bb + step[1], constant("MIN_RATE|RATE_FLOOR", 0.01))
    a[i] = aa
    b[i] = bb
    total = float(0.0)
    for k in range(10):
        r = y[i, k] - aa * wp.exp(-bb * float(k) * dt)
        total += r * r
    if present(sse):
        sse[i] = total
    if present(big):
        if total > number(0.8, 2.0, "poor"):
            big[i] = 1
        else:
            big[i] = 0


@scene("geometry", "nested_loop", "function", "stencil", (path, time_sample),
       says="computes how each point of a set of paths should move to make them smoother and to keep them away from round obstacles",
       title="trajectory_gradient|chomp_gradient|path_smoothing_step|obstacle_gradient", algorithm="gradient of smoothness and clearance of a path")
def path_gradient(x: each(position), centre: each(position, obstacle), r: each(radius, obstacle), reach: setting(barrier_reach), w_smooth: setting(weight, 0.2, 1.0), w_obs: setting(penalty_weight, 0.5, 4.0), grad: out(displacement), cost: maybe(add(penalty, path), 0.5), hit: maybe(out(flag), 0.4)):
    names(a="a|prev_p|before|left_p", b="b|next_p|after|right_p", p="p|here|pt|cur", bend="bend|accel|second|curv_v", g="g|acc|push|total_g", d="d|away|sep|to_p", dist="dist|gap|clear|margin_d", c="c|pen_c|cost_o|hinge_v", slope="slope|dc|hinge_s|push_s", touched="touched|inside|bad|collides", obs_sum="obs_sum|pen_sum|cost_p|risk")
    i, t = wp.tid()
    note("start and goal are given|ends stay")
    if t == 0 or t >= count(time_sample) - 1:
        grad[i, t] = wp.vec3(0.0, 0.0, 0.0)
        if present(hit):
            hit[i, t] = 0
        return
    p = x[i, t]
    a = x[i, t - 1]
    b = x[i, t + 1]
    bend = a - 2.0 * p + b
    g = bend * (-2.0 * w_smooth)
    touched = int(0)
    obs_sum = float(0.0)
    for k in range(count(obstacle)):
        d = p - centre[k]
        dist = wp.length(d) - r[k]
        c, slope = clearance_cost(dist, reach)
        if slope < 0.0:
            g += d * (w_obs * slope / wp.max(wp.length(d), 1.0e-4))
            obs_sum += w_obs * c
        if dist < 0.0:
            touched = int(1)
    grad[i, t] = g
    if present(cost):
        wp.atomic_add(cost, i, obs_sum + 0.5 * w_smooth * wp.dot(bend, bend))
    if present(hit):
        hit[i, t] = touched


@scene("reduction", "nested_loop", "math", "ml", row,
       says="updates the dual potential of each source of a transport problem with a soft minimum over all targets, in logarithms",
       title="sinkhorn_update|entropic_transport_step|dual_potential_update|softmin_rows", algorithm="log-domain Sinkhorn iteration")
def sinkhorn_rows(x: each(point2, row), y: each(point2, column), g: each(dual_value, column), f: inout(dual_value), b: maybe(each(weight, column, range=(0.1, 1.0)), 0.5), eps: setting(temperature_scale, 0.3, 1.0), tau: maybe(setting(ratio, 0.3, 0.95), 0.4), err: maybe(add(error_value, 1), 0.5)):
    names(top="top|peak|m|z_max", z="z|val|arg|score_ij", total="total|acc|sum_e|mass_e", d="d|diff|gap|rel", new="new|fi|soft|dual_n")
    i = wp.tid()
    top = float(-1.0e6)
    for j in range(count(column)):
        d = x[i] - y[j]
        z = (g[j] - 0.5 * wp.dot(d, d)) / eps
        if present(b):
            z += wp.log(b[j])
        top = wp.max(top, z)
    total = float(0.0)
    note("the largest term first, so that nothing overflows|log-sum-exp")
    for j in range(count(column)):
        d = x[i] - y[j]
        z = (g[j] - 0.5 * wp.dot(d, d)) / eps
        if present(b):
            z += wp.log(b[j])
        total += wp.exp(z - top)
    new = -eps * (top + wp.log(total))
    if present(tau):
        note("mass may be lost at a price|unbalanced transport")
        fact("the update is damped, as for marginals that hold only softly")
        new = new * tau
    if present(err):
        wp.atomic_add(err, 0, wp.abs(new - f[i]))
    f[i] = new


@scene("control_flow", "atomic", "nested_loop", "reduction", agent,
       says="lets each free agent find its best and second best item at the present prices and raise the offer for the best one",
       title="auction_bids|bidding_round|assignment_bids|place_bids", algorithm="bidding phase of the auction algorithm")
def auction_bids(ben: each(benefit_value, agent, item), price: each(bid_value, item), taken: maybe(each(flag), 0.6), eps: setting(tolerance, 0.01, 0.1), offer: inout(bid_value, item, range=(0.0, 0.0)), want: out(index_value), margin: maybe(out(positive_value), 0.5), wait: maybe(add(count_value, 1), 0.4)):
    names(best="best|top|v1|first_v", second="second|next_v|v2|runner_up", who="who|item_j|pick|target_j", v="v|net|profit|worth", raise_="raise_|bid|inc|pay")
    a = wp.tid()
    if present(taken):
        note("assigned agents wait|no bid")
        if taken[a] == 1:
            want[a] = -1
            if present(margin):
                margin[a] = 0.0
            if present(wait):
                wp.atomic_add(wait, 0, 1)
            return
    best = float(-1.0e6)
    second = float(-1.0e6)
    who = int(-1)
    for j in range(count(item)):
        v = ben[a, j] - price[j]
        if v > best:
            second = best
            best = v
            who = j
        elif v > second:
            second = v
    raise_ = best - second + eps
    want[a] = who
    if present(margin):
        margin[a] = raise_
    wp.atomic_max(offer, who, price[who] + raise_)


@scene("control_flow", "nested_loop", "physics", "multi_conditional", sample,
       says="drives a vehicle along the arc of each pair of speed and turn rate and rates it by clearance and heading to the goal; arcs that collide are worth nothing",
       title="dynamic_window|rate_arcs|local_planner|score_velocities", algorithm="dynamic window scoring", lossy=True)
def dynamic_window(v: each(speed, range=(0.1, 1.5)), w: each(turn_rate, range=(-1.5, 1.5)), obs: each(point2, obstacle), goal: setting(point2), size: setting(radius, 0.05, 0.15), dt: setting(time_step, 0.03, 0.08), kh: setting(weight, 0.3, 1.0), kc: setting(weight, 0.3, 1.0), kv: maybe(setting(weight, 0.1, 0.5), 0.6), score_out: out(score), free_out: maybe(out(distance), 0.5), crash: maybe(out(flag), 0.5)):
    names(size="size|robot_radius|car_radius|body_radius", obs="obs|obstacles|obstacle_xy|hazards", kh="kh|w_heading|heading_weight|k_heading", kc="kc|w_clear|clearance_weight|k_clear", kv="kv|w_speed|speed_weight|k_speed", x="x|px|car_x|at_x", y="y|py|car_y|at_y", yaw="yaw|psi|heading_i|th", near="near|clear|closest|min_d", d="d|gap|sep|dist_o", hit="hit|bumped|collided|blocked", aim="aim|bearing_g|to_goal|target_a", off="off|turn_err|miss|angle_e", total="total|rating|merit|value_s", t="t|k|step|tick")
    s = wp.tid()
    x = float(0.0)
    y = float(0.0)
    yaw = float(0.0)
    near = float(4.0)
    hit = int(0)
    for t in range(constant("HORIZON|SIM_STEPS|LOOKAHEAD_STEPS", 10)):
        x += v[s] * wp.cos(yaw) * dt
        y += v[s] * wp.sin(yaw) * dt
        yaw += w[s] * dt
        for k in range(count(obstacle)):
            d = wp.length(obs[k] - wp.vec2(x, y)) - size
            near = wp.min(near, d)
        if near < 0.0:
            note("no need to drive on through an obstacle|collision")
            hit = int(1)
            break
    if present(crash):
        crash[s] = hit
    if present(free_out):
        free_out[s] = near
    if hit == 1:
        score_out[s] = 0.0
        return
    aim = wp.atan2(goal[1] - y, goal[0] - x)
    off = wp.abs(wp.atan2(wp.sin(aim - yaw), wp.cos(aim - yaw)))
    total = kh * (1.0 - off / wp.pi) + kc * wp.min(near, 1.0)
    if present(kv):
        total += kv * v[s] / constant("TOP_SPEED|V_MAX|MAX_SPEED", 1.5)
    note("faster than one can stop before what is nearest: not allowed|braking distance")
    if v[s] * v[s] > 2.0 * constant("MAX_BRAKING|DECELERATION|BRAKE_LIMIT", 1.2) * near:
        total = 0.0
    score_out[s] = total


@scene("control_flow", "multi_conditional", "math", "arithmetic", time_sample,
       says="gives the position on a move with limited acceleration: speeding up, cruising if the way is long enough, slowing down",
       title="trapezoid_profile|motion_profile|velocity_profile|point_to_point_move", algorithm="trapezoidal velocity profile")
def trapezoid_profile(t: each(time_value, range=(0.0, 6.0)), dist: each(distance, range=(-4.0, 4.0)), v_max: setting(speed, 0.5, 2.0), a_max: setting(specific_drive, 0.5, 3.0), d_max: maybe(setting(specific_drive, 0.5, 3.0), 0.5), x_out: out(axial_position), v_out: maybe(out(axial_velocity), 0.7), phase_out: maybe(out(label), 0.6)):
    names(s="s|sense|dir_s|sgn", l="l|way|len_m|total_d", dec="dec|brake_a|a_down|slow", top="top|v_peak|cruise|vm", ta="ta|t_up|rise_t|t1", tc="tc|t_flat|hold_t|t2", td="td|t_down|fall_t|t3", da="da|d_up|rise_d|x1", x="x|pos|travel|at", v="v|vel|rate|now_v", ph="ph|stage|state_i|part", u="u|left|rest_t|tau")
    i = wp.tid()
    s = wp.sign(dist[i])
    l = wp.abs(dist[i])
    dec = a_max
    if present(d_max):
        dec = d_max
    top = v_max
    note("too short to reach the top speed: a triangle instead|short move")
    if 0.5 * v_max * v_max / a_max + 0.5 * v_max * v_max / dec > l:
        top = wp.sqrt(2.0 * l * a_max * dec / (a_max + dec))
    ta = top / a_max
    td = top / dec
    da = 0.5 * top * ta
    tc = (l - da - 0.5 * top * td) / wp.max(top, 1.0e-3)
    ph = int(0)
    if t[i] < ta:
        x = 0.5 * a_max * t[i] * t[i]
        v = a_max * t[i]
    elif t[i] < ta + tc:
        x = da + top * (t[i] - ta)
        v = top
        ph = int(1)
    elif t[i] < ta + tc + td:
        u = t[i] - ta - tc
        x = da + top * tc + top * u - 0.5 * dec * u * u
        v = top - dec * u
        ph = int(2)
    else:
        x = l
        v = float(0.0)
        ph = int(3)
    x_out[i] = s * x
    if present(v_out):
        v_out[i] = s * v
    if present(phase_out):
        phase_out[i] = ph
