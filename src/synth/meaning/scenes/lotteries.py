"""Methods that live by chance: swarms, evolution, annealing, random walks, sampling without regret."""


@law("optimisation", "the Rastrigin function, a bowl with many dents", title="rastrigin|rastrigin_value", private=True, function=True)
def rastrigin(x: vector3) -> positive_value:
    names(x="x|p")
    return 30.0 + wp.dot(x, x) - 10.0 * (wp.cos(2.0 * wp.pi * x[0]) + wp.cos(2.0 * wp.pi * x[1]) + wp.cos(2.0 * wp.pi * x[2]))


@law("optimisation", "the sphere function, the squared distance from the optimum", title="sphere_value|bowl|quadratic_bowl", private=True, function=True)
def bowl_at(x: vector3, goal: vector3) -> positive_value:
    names(x="x|p", goal="goal|optimum")
    return wp.length_sq(x - goal)


@scene("random", "vector", "scalar_param", "control_flow", particle,
       says="moves each particle of a swarm by one step of particle swarm optimisation{cost=0: on the sphere function}{cost=1: on the Rastrigin function} and updates the best place that it has seen{improved:, counting how many found a better one}",
       title="swarm_step|pso_step|update_swarm|move_swarm", algorithm="particle swarm optimisation", topic="", lossy=True)
def swarm_step(x: inout(vector3), v: inout(vector3), best_x: inout(vector3), best_f: inout(positive_value, range=(0.5, 20.0)), leader: setting(vector3, -1.0, 1.0), goal: setting(vector3, -0.5, 0.5), inertia: setting(ratio, 0.4, 0.9), c_own: setting(attraction), c_swarm: setting(attraction), v_max: maybe(setting(positive_value, 0.3, 1.0), 0.5), box: maybe(setting(positive_value, 1.0, 1.8), 0.6), seed: setting(seed), improved: maybe(add(count_value, 1), 0.4), cost_out: maybe(out(positive_value), 0.5)):
    names(rng="rng|state", xi="xi|pos_i", vi="vi|vel_i", own="u_own|r_own", social="u_social|r_social", f="f|cost", r1="r1|u1", r2="r2|u2", s="s|v_len")
    names(x="x|positions", v="v|velocities", best_x="best_x|personal_best", best_f="best_f|best_cost", leader="leader|global_best", goal="goal|optimum", inertia="inertia|w", c_own="c1|cognitive", c_swarm="c2|social_weight", v_max="v_max|max_speed", box="box|half_extent", improved="improved|num_improved", cost_out="cost_out|costs")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    xi = x[i]
    vi = v[i]
    match choose("draw"):
        case 2:
            note("one random number for each of the two pulls")
            r1 = wp.randf(rng)
            r2 = wp.randf(rng)
            vi = inertia * vi + c_own * r1 * (best_x[i] - xi) + c_swarm * r2 * (leader - xi)
        case 2:
            note("random numbers for every component")
            own = wp.vec3(wp.randf(rng), wp.randf(rng), wp.randf(rng))
            social = wp.vec3(wp.randf(rng), wp.randf(rng), wp.randf(rng))
            vi = inertia * vi + c_own * wp.cw_mul(own, best_x[i] - xi) + c_swarm * wp.cw_mul(social, leader - xi)
    if present(v_max):
        match choose("limit"):
            case 1:
                note("limit the speed|no faster than the limit")
                s = wp.length(vi)
                if s > v_max:
                    vi = vi * (v_max / s)
            case 1:
                for k in range(3):
                    vi[k] = wp.clamp(vi[k], -v_max, v_max)
    xi = xi + vi
    if present(box):
        match choose("wall"):
            case 1:
                note("reflect at the walls of the search box")
                for k in range(3):
                    if xi[k] > box:
                        xi[k] = 2.0 * box - xi[k]
                        vi[k] = -vi[k]
                    elif xi[k] < -box:
                        xi[k] = -2.0 * box - xi[k]
                        vi[k] = -vi[k]
            case 1:
                note("stop at the walls of the search box")
                for k in range(3):
                    if xi[k] > box or xi[k] < -box:
                        xi[k] = wp.clamp(xi[k], -box, box)
                        vi[k] = 0.0
    match choose("cost"):
        case 1:
            f = bowl_at(xi, goal)
        case 1:
            f = rastrigin(xi)
    if f < best_f[i]:
        best_f[i] = f
        best_x[i] = xi
        if present(improved):
            wp.atomic_add(improved, 0, 1)
    x[i] = xi
    v[i] = vi
    if present(cost_out):
        cost_out[i] = f


@scene("random", "control_flow", "ml", "nested_loop", row,
       says="makes a trial vector for each member of a population by differential evolution{base=0: around a random member}{base=1: around the best member} with binomial crossover{cost_out:, and notes the cost of the winner}",
       title="differential_evolution|evolve_members|de_trial|mutate_population", algorithm="differential evolution", topic="",
       lossy=True)
def evolve_members(pop: each(design_value, row, 6), best: each(index_value, 1, range=(0, 11)), f_scale: setting(ratio, 0.4, 0.9), cr: setting(ratio, 0.3, 0.9), bound: maybe(setting(positive_value, 1.0, 1.5), 0.6), seed: setting(seed), child: out(design_value, row, 6), cost_out: maybe(out(positive_value), 0.6), kept: maybe(out(flag), 0.5)):
    names(rng="rng|state", a="a|r1", b="b|r2", c="c|r3", forced="forced|j_rand", t="t|trial_k", new_cost="new_cost|trial_cost", old_cost="old_cost|parent_cost", n="n|num_members")
    names(pop="pop|population", best="best|best_index", f_scale="f_scale|mutation_factor", cr="cr|crossover_rate", bound="bound|x_max", child="child|next_pop", cost_out="cost_out|costs", kept="kept|replaced")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    n = count(row)
    note("partners that differ from the member and from each other|three partners")
    match choose("base"):
        case 2:
            a = wp.randi(rng, 0, n)
            while a == i:
                a = wp.randi(rng, 0, n)
        case 1:
            a = best[0]
    b = wp.randi(rng, 0, n)
    while b == i or b == a:
        b = wp.randi(rng, 0, n)
    c = wp.randi(rng, 0, n)
    while c == i or c == a or c == b:
        c = wp.randi(rng, 0, n)
    forced = wp.randi(rng, 0, 6)
    new_cost = float(0.0)
    old_cost = float(0.0)
    for k in range(6):
        t = pop[i, k]
        if wp.randf(rng) < cr or k == forced:
            t = pop[a, k] + f_scale * (pop[b, k] - pop[c, k])
            if present(bound):
                match choose("repair"):
                    case 1:
                        t = wp.clamp(t, -bound, bound)
                    case 1:
                        note("halfway back to the parent where it leaves the bounds")
                        if t > bound:
                            t = 0.5 * (bound + pop[i, k])
                        elif t < -bound:
                            t = 0.5 * (pop[i, k] - bound)
        child[i, k] = t
        match choose("cost"):
            case 1:
                new_cost += t * t
                old_cost += pop[i, k] * pop[i, k]
            case 1:
                new_cost += wp.abs(t) + 0.5 * float(k) * t * t
                old_cost += wp.abs(pop[i, k]) + 0.5 * float(k) * pop[i, k] * pop[i, k]
    note("the better of parent and child survives|selection")
    if new_cost > old_cost:
        for k in range(6):
            child[i, k] = pop[i, k]
        if present(kept):
            kept[i] = 0
    elif present(kept):
        kept[i] = 1
    if present(cost_out):
        cost_out[i] = wp.min(new_cost, old_cost)


@scene("random", "control_flow", "nested_loop", "combined", row,
       says="shortens the closed tour of each salesman by simulated annealing, turning round random stretches of it{accepted:, and counts the changes that were accepted}",
       title="anneal_tours|tsp_annealing|two_opt_annealing|improve_tours", algorithm="simulated annealing with 2-opt moves", topic="", rare=True,
       lossy=True)
def anneal_tours(city: each(point2, row, 10), start_temp: setting(initial_temperature, 0.5, 2.0), cooling: setting(decay, 0.7, 0.95), steps: setting(steps_value, 6, 14), seed: setting(seed), tour: out(index_value, row, 10), length_out: out(distance), accepted: maybe(out(count_value), 0.6), uphill: maybe(out(count_value), 0.4)):
    names(rng="rng|state", order="order|route", temp="temp|t", a="a|i", b="b|j", p="p|before_a", q="q|after_b", change="change|delta", n_ok="n_ok|num_accepted", n_up="n_up|num_uphill", total="total|tour_len", lo="lo|left", hi="hi|right", tmp="tmp|swap")
    names(city="city|cities", start_temp="start_temp|t0", cooling="cooling|alpha", steps="steps|num_steps", tour="tour|tours_out", length_out="length_out|tour_length", accepted="accepted|accepted_out", uphill="uphill|uphill_out")
    r = wp.tid()
    rng = wp.rand_init(seed, r)
    order = wp.zeros(shape=10, dtype=int)
    for k in range(10):
        order[k] = k
    temp = float(start_temp)
    n_ok = int(0)
    n_up = int(0)
    for s in range(steps):
        note("the stretch from a to b would be turned round|pick a stretch")
        a = wp.randi(rng, 0, 9)
        b = wp.randi(rng, a + 1, 10)
        note("all but one or two cities: the same tour backwards")
        if b - a > 7:
            continue
        p = order[(a + 9) % 10]
        q = order[(b + 1) % 10]
        change = wp.length(city[r, p] - city[r, order[b]]) + wp.length(city[r, order[a]] - city[r, q])
        change = change - wp.length(city[r, p] - city[r, order[a]]) - wp.length(city[r, order[b]] - city[r, q])
        match choose("rule"):
            case 2:
                note("Metropolis: longer tours with a chance that falls with the temperature|accept")
                if change <= 0.0 or wp.randf(rng) < wp.exp(-change / temp):
                    lo = int(a)
                    hi = int(b)
                    while lo < hi:
                        tmp = order[lo]
                        order[lo] = order[hi]
                        order[hi] = tmp
                        lo += 1
                        hi -= 1
                    n_ok += 1
                    if change > 0.0:
                        n_up += 1
            case 1:
                note("threshold accepting: a little longer is good enough|accept")
                fact("a change is accepted if the tour does not grow by more than a threshold")
                if change < 0.2 * temp:
                    lo = int(a)
                    hi = int(b)
                    while lo < hi:
                        tmp = order[lo]
                        order[lo] = order[hi]
                        order[hi] = tmp
                        lo += 1
                        hi -= 1
                    n_ok += 1
                    if change > 0.0:
                        n_up += 1
        temp = temp * cooling
    total = float(0.0)
    for k in range(10):
        tour[r, k] = order[k]
        total += wp.length(city[r, order[(k + 1) % 10]] - city[r, order[k]])
    length_out[r] = total
    if present(accepted):
        accepted[r] = n_ok
    if present(uphill):
        uphill[r] = n_up


@scene("random", "control_flow", "reduction", "integer", row,
       says="keeps a uniform random sample of the entries of each row that are wanted, in one pass{method=0:, by reservoir sampling}{method=1:, by the smallest random keys}",
       title="reservoir_sample|sample_rows|pick_from_stream|reservoir_rows", algorithm="reservoir sampling", topic="", lossy=True)
def reservoir_rows(x: each(value, row, 24), wanted: maybe(each(flag, row, 24), 0.5), low: maybe(setting(value, -1.0, 0.5), 0.4), seed: setting(seed), picked: out(value, row, 4), where_out: maybe(out(index_value, row, 4), 0.5), seen_out: maybe(out(count_value), 0.5), mean_out: maybe(out(value), 0.4)):
    names(rng="rng|state", kept="kept|reservoir", ids="ids|slots", keys="keys|tags", n="n|seen", at="at|slot", u="u|key", worst="worst|largest", total="total|acc", m="m|filled")
    names(x="x|stream", wanted="wanted|valid", low="low|min_value", picked="picked|samples_out", where_out="where_out|indices_out", seen_out="seen_out|num_seen", mean_out="mean_out|sample_mean")
    r = wp.tid()
    rng = wp.rand_init(seed, r)
    kept = wp.zeros(shape=4, dtype=float)
    ids = wp.zeros(shape=4, dtype=int)
    for k in range(4):
        ids[k] = -1
    n = int(0)
    match choose("method"):
        case 2:
            for c in range(24):
                if present(wanted):
                    if wanted[r, c] == 0:
                        continue
                if present(low):
                    if x[r, c] < low:
                        continue
                note("the first few fill the reservoir, later ones replace a random place with falling chance")
                if n < 4:
                    at = int(n)
                else:
                    at = wp.randi(rng, 0, n + 1)
                n += 1
                if at < 4:
                    kept[at] = x[r, c]
                    ids[at] = c
        case 1:
            keys = wp.zeros(shape=4, dtype=float)
            for k in range(4):
                keys[k] = 2.0
            for c in range(24):
                if present(wanted):
                    if wanted[r, c] == 0:
                        continue
                if present(low):
                    if x[r, c] < low:
                        continue
                n += 1
                u = wp.randf(rng)
                worst = int(0)
                for k in range(1, 4):
                    if keys[k] > keys[worst]:
                        worst = k
                if u < keys[worst]:
                    keys[worst] = u
                    kept[worst] = x[r, c]
                    ids[worst] = c
    for k in range(4):
        picked[r, k] = kept[k]
        if present(where_out):
            where_out[r, k] = ids[k]
    if present(seen_out):
        seen_out[r] = n
    if present(mean_out):
        total = float(0.0)
        m = wp.min(n, 4)
        for k in range(m):
            total += kept[k]
        if m > 0:
            mean_out[r] = total / float(m)
        else:
            mean_out[r] = 0.0


@scene("random", "math", "control_flow", "scalar_param", item,
       says="draws angles from the von Mises distribution by the method of Best and Fisher{mean_out:, and adds up their cosines and sines}",
       title="von_mises_draws|sample_von_mises|draw_headings|circular_samples", algorithm="Best and Fisher's von Mises sampling", topic="")
def von_mises_draws(mu: each(angle), kappa: setting(positive_value, 0.5, 4.0), seed: setting(seed), theta: out(angle), tries: maybe(out(count_value), 0.6), mean_out: maybe(add(value, 2), 0.5), side: maybe(out(flag), 0.4)):
    names(rng="rng|state", tau="tau|a", rho="rho|b", r="r|ratio_r", z="z|cos_u", f="f|w", c="c|reject", u2="u2|accept_u", n="n|num_tries", a="a|angle_out", sgn="sgn|sign_u")
    names(mu="mu|mean_angle", kappa="kappa|concentration", theta="theta|angles_out", tries="tries|tries_out", mean_out="mean_out|resultant", side="side|is_left")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    tau = 1.0 + wp.sqrt(1.0 + 4.0 * kappa * kappa)
    rho = (tau - wp.sqrt(2.0 * tau)) / (2.0 * kappa)
    r = (1.0 + rho * rho) / (2.0 * rho)
    f = float(1.0)
    n = int(0)
    while n < constant("MAX_TRIES|TRY_LIMIT", 20):
        n += 1
        z = wp.cos(wp.pi * wp.randf(rng))
        f = (1.0 + r * z) / (r + z)
        c = kappa * (r - f)
        u2 = wp.randf(rng)
        note("quick test first, then the exact one|squeeze, then logarithm")
        if c * (2.0 - c) - u2 > 0.0:
            break
        if wp.log(c / wp.max(u2, 1.0e-7)) + 1.0 - c >= 0.0:
            break
    sgn = wp.sign(wp.randf(rng) - 0.5)
    a = mu[i] + sgn * wp.acos(wp.clamp(f, -1.0, 1.0))
    match choose("wrap"):
        case 2:
            note("back to the range from -pi to pi")
            if a > wp.pi:
                a = a - 2.0 * wp.pi
            elif a < -wp.pi:
                a = a + 2.0 * wp.pi
        case 1:
            a = wp.atan2(wp.sin(a), wp.cos(a))
    theta[i] = a
    if present(tries):
        tries[i] = n
    if present(mean_out):
        wp.atomic_add(mean_out, 0, wp.cos(a))
        wp.atomic_add(mean_out, 1, wp.sin(a))
    if present(side):
        if sgn > 0.0:
            side[i] = 1
        else:
            side[i] = 0


@scene("random", "control_flow", "math", "scalar_param", sample,
       says="runs a short chain of Hamiltonian Monte Carlo for each sample, on {target=0:a bell}{target=1:a double well}{target=2:a banana}, with leapfrog steps and a Metropolis test",
       title="hmc_chain|hamiltonian_monte_carlo|hmc_sampler|leapfrog_sampler", algorithm="Hamiltonian Monte Carlo", topic="")
def hmc_chain(q: inout(point2, range=(-1.0, 1.0)), eps: setting(step_size, 0.05, 0.2), leaps: setting(steps_value, 3, 6), rounds: setting(steps_value, 2, 4), scale: setting(positive_value, 0.6, 1.5), seed: setting(seed), accepted: maybe(out(count_value), 0.6), energy_out: maybe(out(signed_energy), 0.5), far: maybe(add(count_value, 1), 0.3)):
    names(rng="rng|state", x="x|qx", y="y|qy", px="px|mom_x", py="py|mom_y", x0="x0|old_x", y0="y0|old_y", h0="h0|energy_before", h1="h1|energy_after", gx="gx|grad_x", gy="gy|grad_y", n="n|num_ok", b="b|bend")
    names(q="q|positions", eps="eps|step_size", leaps="leaps|num_leaps", rounds="rounds|num_rounds", scale="scale|width", accepted="accepted|accepted_out", energy_out="energy_out|final_potential", far="far|num_far")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    x = float(q[i][0])
    y = float(q[i][1])
    n = int(0)
    for m in range(rounds):
        x0 = x
        y0 = y
        px = wp.randn(rng)
        py = wp.randn(rng)
        match choose("target"):
            case 2:
                h0 = 0.5 * (x * x + y * y) / (scale * scale)
            case 1:
                h0 = scale * (x * x - 1.0) * (x * x - 1.0) + 0.5 * y * y
            case 1:
                h0 = 0.5 * x * x + scale * (y - x * x) * (y - x * x)
        h0 = h0 + 0.5 * (px * px + py * py)
        for k in range(leaps):
            match choose("target"):
                case 2:
                    gx = x / (scale * scale)
                    gy = y / (scale * scale)
                case 1:
                    gx = 4.0 * scale * x * (x * x - 1.0)
                    gy = y
                case 1:
                    b = y - x * x
                    gx = x - 4.0 * scale * x * b
                    gy = 2.0 * scale * b
            note("half a kick, a drift, half a kick|leapfrog")
            px = px - 0.5 * eps * gx
            py = py - 0.5 * eps * gy
            x = x + eps * px
            y = y + eps * py
            match choose("target"):
                case 2:
                    gx = x / (scale * scale)
                    gy = y / (scale * scale)
                case 1:
                    gx = 4.0 * scale * x * (x * x - 1.0)
                    gy = y
                case 1:
                    b = y - x * x
                    gx = x - 4.0 * scale * x * b
                    gy = 2.0 * scale * b
            px = px - 0.5 * eps * gx
            py = py - 0.5 * eps * gy
        match choose("target"):
            case 2:
                h1 = 0.5 * (x * x + y * y) / (scale * scale)
            case 1:
                h1 = scale * (x * x - 1.0) * (x * x - 1.0) + 0.5 * y * y
            case 1:
                h1 = 0.5 * x * x + scale * (y - x * x) * (y - x * x)
        h1 = h1 + 0.5 * (px * px + py * py)
        if wp.randf(rng) < wp.exp(h0 - h1):
            n += 1
        else:
            note("rejected: back to where it was")
            x = x0
            y = y0
    if allows(slots_by_reference) and maybe(0.4):
        q[i][0] = x
        q[i][1] = y
    else:
        q[i] = wp.vec2(x, y)
    if present(accepted):
        accepted[i] = n
    if present(energy_out):
        match choose("target"):
            case 2:
                energy_out[i] = 0.5 * (x * x + y * y) / (scale * scale)
            case 1:
                energy_out[i] = scale * (x * x - 1.0) * (x * x - 1.0) + 0.5 * y * y
            case 1:
                energy_out[i] = 0.5 * x * x + scale * (y - x * x) * (y - x * x)
    if present(far):
        if x * x + y * y > 1.0:
            wp.atomic_add(far, 0, 1)


@scene("random", "integer", "control_flow", "nested_loop", path,
       says="grows a self-avoiding walk on a square lattice for each path by Rosenbluth's method, with the weight of the walk{trapped: and whether it got trapped}",
       title="rosenbluth_walks|self_avoiding_walks|grow_polymers|lattice_polymers", algorithm="Rosenbluth's self-avoiding walks", topic="", rare=True)
def rosenbluth_walks(steps: setting(steps_value, 8, 14), seed: setting(seed), bias: maybe(each(ratio, range=(0.2, 0.8)), 0.4), log_weight: out(value), end_out: maybe(out(coordinate), 0.5), span2: out(count_value), trapped: maybe(out(flag), 0.6), length_out: maybe(out(count_value), 0.5), hits: maybe(add(count_value, 1), 0.3)):
    names(rng="rng|state", xs="xs|path_x", ys="ys|path_y", x="x|cx", y="y|cy", n="n|num_free", pick="pick|chosen", nx="nx|try_x", ny="ny|try_y", free="free|open_dirs", lw="lw|log_w", taken="taken|occupied", stuck="stuck|dead_end", m="m|placed")
    names(steps="steps|num_steps", bias="bias|eastward", log_weight="log_weight|log_weights", end_out="end_out|end_site", span2="span2|end_distance_sq", trapped="trapped|is_trapped", length_out="length_out|num_placed", hits="hits|num_trapped")
    p = wp.tid()
    rng = wp.rand_init(seed, p)
    xs = wp.zeros(shape=16, dtype=int)
    ys = wp.zeros(shape=16, dtype=int)
    free = wp.zeros(shape=4, dtype=int)
    x = int(0)
    y = int(0)
    m = int(1)
    lw = float(0.0)
    stuck = int(0)
    while m <= steps:
        n = int(0)
        note("which of the four neighbours are still free|look around")
        for d in range(4):
            nx = x + (1 - d) * (1 - d % 2)
            ny = y + (2 - d) * (d % 2)
            taken = int(0)
            for k in range(m):
                if xs[k] == nx and ys[k] == ny:
                    taken = 1
                    break
            if taken == 0:
                free[n] = d
                n += 1
        if n == 0:
            note("caught in its own tail|a dead end")
            stuck = 1
            break
        pick = free[wp.randi(rng, 0, n)]
        if present(bias):
            fact("free neighbours to the east are preferred")
            if free[0] == 0 and wp.randf(rng) < bias[p]:
                pick = 0
        lw += wp.log(float(n))
        x = x + (1 - pick) * (1 - pick % 2)
        y = y + (2 - pick) * (pick % 2)
        xs[m] = x
        ys[m] = y
        m += 1
    log_weight[p] = lw
    span2[p] = x * x + y * y
    if present(end_out):
        if allows(slots_by_reference) and maybe(0.4):
            end_out[p][0] = x
            end_out[p][1] = y
        else:
            end_out[p] = wp.vec2i(x, y)
    if present(trapped):
        trapped[p] = stuck
    if present(length_out):
        length_out[p] = m - 1
    if present(hits):
        if stuck == 1:
            wp.atomic_add(hits, 0, 1)


@scene("random", "control_flow", "multi_conditional", node,
       says="lets an infection spread over a contact network for one day: susceptible nodes catch it from infectious neighbours, {hidden:exposed ones fall ill, }infectious ones recover{forget:, recovered ones lose their immunity}",
       title="infect_network|network_sir_step|spread_infection|contagion_day", topic="", rare=True)
def infect_network(start: offsets(contact), other: index(node, over=contact), mode: each(kind_value, range=(0, 3)), strength: maybe(each(weight, contact), 0.5), beta: setting(probability, 0.1, 0.5), gamma: setting(probability, 0.1, 0.5), hidden: maybe(setting(probability, 0.2, 0.6), 0.5), forget: maybe(setting(probability, 0.05, 0.3), 0.4), masked: maybe(each(flag), 0.4), seed: setting(seed), mode_out: out(kind_value), caught: maybe(add(count_value, 1), 0.5), source: maybe(out(index_value), 0.4), pressure_out: maybe(out(probability), 0.4)):
    names(rng="rng|state", m="m|compartment", nxt="nxt|new_state", who="who|infector", j="j|neighbor", p="p|p_edge", escape="escape|p_escape", k="k|e")
    names(start="start|row_start", other="other|neighbors", mode="mode|states", strength="strength|contact_weight", beta="beta|p_infect", gamma="gamma|p_recover", hidden="hidden|p_onset", forget="forget|p_wane", masked="masked|wears_mask", mode_out="mode_out|states_out", caught="caught|new_infections", source="source|infected_by", pressure_out="pressure_out|p_infected")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    m = mode[i]
    nxt = int(m)
    who = int(-1)
    escape = float(1.0)
    if m == constant("SUSCEPTIBLE", 0):
        for k in range(start[i], start[i + 1]):
            j = other[k]
            if mode[j] != constant("INFECTIOUS", 2):
                continue
            p = float(beta)
            if present(strength):
                p = p * strength[k]
            if present(masked):
                note("a mask on either side halves the risk")
                if masked[i] == 1 or masked[j] == 1:
                    p = 0.5 * p
            escape = escape * (1.0 - p)
            if wp.randf(rng) < p and who < 0:
                who = int(j)
        if who >= 0:
            if present(hidden):
                nxt = constant("EXPOSED", 1)
            else:
                nxt = constant("INFECTIOUS", 2)
            if present(caught):
                wp.atomic_add(caught, 0, 1)
    elif m == constant("EXPOSED", 1):
        if present(hidden):
            if wp.randf(rng) < hidden:
                nxt = constant("INFECTIOUS", 2)
        else:
            nxt = constant("INFECTIOUS", 2)
    elif m == constant("INFECTIOUS", 2):
        if wp.randf(rng) < gamma:
            nxt = constant("RECOVERED", 3)
    elif present(forget):
        if wp.randf(rng) < forget:
            nxt = constant("SUSCEPTIBLE", 0)
    mode_out[i] = nxt
    if present(source):
        source[i] = who
    if present(pressure_out):
        pressure_out[i] = 1.0 - escape


@scene("random", "control_flow", "ml", "nested_loop", row,
       says="breeds the next generation: parents by tournament, {cross=0:uniform}{cross=1:one-point}{cross=2:blending} crossover, random mutations{elite:; the first members are carried over unchanged}",
       title="breed_generation|genetic_step|next_generation|evolve_population", topic="")
def breed_generation(genes: each(gene_value, row, 8), fitness: each(score, row), rate: setting(probability, 0.05, 0.4), size_: setting(standard_deviation, 0.05, 0.4), elite: maybe(setting(count_value, 2, 6), 0.4), rounds: setting(steps_value, 2, 4), limit: maybe(setting(positive_value, 1.0, 1.5), 0.5), seed: setting(seed), genes_out: out(gene_value, row, 8), mother_out: maybe(out(index_value), 0.4), mutated: maybe(out(count_value), 0.4)):
    names(rng="rng|state", mum="mum|parent_a", dad="dad|parent_b", c="c|challenger", cut="cut|cut_point", g="g|gene", u="u|mix", num="num|num_mutations", n="n|pop_size")
    names(genes="genes|population", fitness="fitness|scores", rate="rate|mutation_rate", size_="sigma|mutation_size", elite="elite|num_elite", rounds="rounds|tournament_size", limit="limit|gene_max", genes_out="genes_out|children", mother_out="mother_out|parents_out", mutated="mutated|mutations_out")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    n = count(row)
    if present(elite):
        if i < elite:
            for k in range(8):
                genes_out[i, k] = genes[i, k]
            if present(mother_out):
                mother_out[i] = i
            if present(mutated):
                mutated[i] = 0
            return
    note("tournaments: the fittest of a few|select two parents")
    mum = wp.randi(rng, 0, n)
    dad = wp.randi(rng, 0, n)
    for t in range(rounds):
        c = wp.randi(rng, 0, n)
        if fitness[c] > fitness[mum]:
            mum = c
        c = wp.randi(rng, 0, n)
        if fitness[c] > fitness[dad]:
            dad = c
    num = int(0)
    match choose("cross"):
        case 1:
            cut = int(0)
        case 1:
            cut = wp.randi(rng, 1, 8)
        case 1:
            cut = int(0)
    for k in range(8):
        match choose("cross"):
            case 1:
                g = genes[mum, k]
                if wp.randf(rng) < 0.5:
                    g = genes[dad, k]
            case 1:
                g = genes[mum, k]
                if k >= cut:
                    g = genes[dad, k]
            case 1:
                u = wp.randf(rng, -0.25, 1.25)
                g = genes[mum, k] + u * (genes[dad, k] - genes[mum, k])
        if wp.randf(rng) < rate:
            g = g + size_ * wp.randn(rng)
            num += 1
        if present(limit):
            g = wp.clamp(g, -limit, limit)
        genes_out[i, k] = g
    if present(mother_out):
        mother_out[i] = mum
    if present(mutated):
        mutated[i] = num


@scene("random", "control_flow", "reduction", "math", row,
       says="follows the share of a gene in each small population under {model=0:the Wright-Fisher model}{model=1:the Moran model}{select:, with selection}{mutate:, with mutation}{fixed_out:, and notes when it is lost or fixed}",
       title="genetic_drift|drift_populations|gene_frequencies|follow_alleles", algorithm="Wright-Fisher and Moran drift", topic="")
def genetic_drift(freq: each(allele_frequency), seed: setting(seed), generations: setting(steps_value, 3, 6), select: maybe(setting(selection_coefficient, 0.05, 0.4), 0.5), mutate: maybe(setting(probability, 0.02, 0.1), 0.4), freq_out: out(allele_frequency), hetero_out: maybe(out(probability), 0.5), fixed_out: maybe(out(count_value), 0.5), lost: maybe(add(count_value, 2), 0.4)):
    names(rng="rng|state", n="n|num_copies", p="p|p_copy", k="k|draws", born="born|new_copies", h="h|het_sum", when="when|fixation_time", g="g|gen")
    names(freq="freq|allele_freq", generations="generations|num_generations", select="select|advantage", mutate="mutate|mutation_rate", freq_out="freq_out|final_freq", hetero_out="hetero_out|mean_heterozygosity", fixed_out="fixed_out|fixed_at", lost="lost|outcomes")
    r = wp.tid()
    rng = wp.rand_init(seed, r)
    n = int(wp.round(freq[r] * float(constant("POP_SIZE|NUM_GENES", 20))))
    h = float(0.0)
    when = int(-1)
    for g in range(generations):
        p = float(n) / float(constant("POP_SIZE|NUM_GENES", 20))
        h += 2.0 * p * (1.0 - p)
        if present(fixed_out):
            if when < 0 and (n == 0 or n == constant("POP_SIZE|NUM_GENES", 20)):
                when = int(g)
        if present(select):
            note("the better gene is drawn more often")
            p = p * (1.0 + select) / (1.0 + select * p)
        if present(mutate):
            p = p * (1.0 - mutate) + (1.0 - p) * mutate
        match choose("model"):
            case 2:
                note("a whole new generation, each drawn anew")
                born = int(0)
                for k in range(constant("POP_SIZE|NUM_GENES", 20)):
                    if wp.randf(rng) < p:
                        born += 1
                n = born
            case 1:
                note("one birth and one death at a time")
                for k in range(constant("EVENTS|BIRTHS", 8)):
                    born = int(0)
                    if wp.randf(rng) < p:
                        born = 1
                    if wp.randf(rng) < float(n) / float(constant("POP_SIZE|NUM_GENES", 20)):
                        born -= 1
                    n = wp.clamp(n + born, 0, constant("POP_SIZE|NUM_GENES", 20))
    freq_out[r] = float(n) / float(constant("POP_SIZE|NUM_GENES", 20))
    if present(hetero_out):
        hetero_out[r] = h / float(generations)
    if present(fixed_out):
        fixed_out[r] = when
    if present(lost):
        if n == 0:
            wp.atomic_add(lost, 0, 1)
        elif n == constant("POP_SIZE|NUM_GENES", 20):
            wp.atomic_add(lost, 1, 1)
