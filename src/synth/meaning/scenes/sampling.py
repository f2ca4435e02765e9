"""More with random numbers: dropout, noise, Metropolis, particles, importance."""


@scene("random", "ml", "scalar_param", (row, column),
       says="drops activations at random and scales the ones that stay so that their mean is kept",
       title="dropout_forward|apply_dropout|inverted_dropout", algorithm="inverted dropout")
def dropout(x: each(activation), p: setting(probability, 0.1, 0.6), seed: setting(seed), y: out(activation), keep: maybe(out(flag), 0.6)):
    names(state="state|rng|gen", u="u|draw|r")
    i, j = wp.tid()
    state = wp.rand_init(seed, i * count(column) + j)
    u = wp.randf(state)
    if u < p:
        note("dropped")
        y[i, j] = 0.0
        if present(keep):
            keep[i, j] = 0
        return
    y[i, j] = x[i, j] / (1.0 - p)
    if present(keep):
        keep[i, j] = 1


@scene("random", "physics", "integer", site,
       says="takes one Metropolis step of the Ising model on one colour of a checkerboard",
       title="ising_step|metropolis_sweep|update_spins", algorithm="checkerboard Metropolis for the Ising model")
def ising(spin: each(state), beta: setting(positive_value, 0.2, 1.0), field: maybe(setting(value, -0.3, 0.3), 0.4), seed: setting(seed), colour_: setting(flag), after: out(state), energy_out: maybe(out(spin_energy), 0.4)):
    names(s="s|own|si|sigma", nb="nb|around|h|sum_n", de="de|cost|d_e|delta_e", state="state|rng|gen|r", i1="i1|up|ip|in_", i0="i0|down|im|ib", j1="j1|right|jp|jn", j0="j0|left|jm|jb")
    i, j = wp.tid()
    s = 2 * spin[i, j] - 1
    note("only one colour moves, so that neighbours stay as they are|the other colour waits for its turn")
    if (i + j) % 2 != colour_:
        after[i, j] = spin[i, j]
        if present(energy_out):
            energy_out[i, j] = 0.0
        return
    i1 = (i + 1) % count(site, 0)
    i0 = (i + count(site, 0) - 1) % count(site, 0)
    j1 = (j + 1) % count(site, 1)
    j0 = (j + count(site, 1) - 1) % count(site, 1)
    nb = 2 * (spin[i1, j] + spin[i0, j] + spin[i, j1] + spin[i, j0]) - 4
    de = 2.0 * float(s * nb)
    if present(field):
        de += 2.0 * field * float(s)
    if present(energy_out):
        energy_out[i, j] = de
    state = wp.rand_init(seed, i * count(site, 1) + j)
    note("always downhill, uphill by chance|Metropolis rule")
    if de <= 0.0 or wp.randf(state) < wp.exp(-beta * de):
        after[i, j] = 1 - spin[i, j]
    else:
        after[i, j] = spin[i, j]


@scene("random", "geometry", "vector", sample,
       says="draws a point uniformly from a triangle of a surface for each sample{n:, with the normal there}",
       title="sample_triangles|surface_points|random_surface_points", algorithm="uniform sampling of a triangle", rare=True)
def sample_triangle(x: each(position, vertex), tri: index(vertex, 3, over=face), where_: index(face), seed: setting(seed), p: out(position), n: maybe(out(normal), 0.5)):
    names(f="f|face_id|t|cell", a="a|u|r0|b0", b="b|v|r1|b1", p0="p0|pa|va|x0", p1="p1|pb|vb|x1", p2="p2|pc|vc|x2", state="state|rng|gen|r")
    i = wp.tid()
    f = where_[i]
    p0 = x[tri[f, 0]]
    p1 = x[tri[f, 1]]
    p2 = x[tri[f, 2]]
    state = wp.rand_init(seed, i)
    match choose("map"):
        case 2:
            note("the root spreads the points evenly|square root for uniform area")
            a = wp.sqrt(wp.randf(state))
            b = wp.randf(state)
            p[i] = p0 * (1.0 - a) + p1 * (a * (1.0 - b)) + p2 * (a * b)
        case 2:
            a = wp.randf(state)
            b = wp.randf(state)
            note("fold the square onto the triangle")
            if a + b > 1.0:
                a = 1.0 - a
                b = 1.0 - b
            p[i] = p0 + (p1 - p0) * a + (p2 - p0) * b
    if present(n):
        n[i] = wp.normalize(wp.cross(p1 - p0, p2 - p0))


@scene("random", "control_flow", "nested_loop", sample,
       says="samples a Poisson number of events for each rate by multiplying uniform numbers",
       title="sample_poisson|draw_event_counts|poisson_counts", algorithm="Knuth's Poisson sampler")
def poisson(rate: each(event_rate), seed: setting(seed), cap: maybe(setting(event_count, 6, 8), 0.4), n_out: out(event_count), total: maybe(add(count_value, 1), 0.4)):
    names(k="k|n|events|c", prod="prod|p|chance|q", limit="limit|floor_p|l|stop", state="state|rng|gen|r")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    limit = wp.exp(-rate[i])
    prod = wp.randf(state)
    k = int(0)
    while prod > limit:
        k += 1
        if present(cap):
            if k >= cap:
                break
        if k > constant("MAX_EVENTS|K_MAX", 40):
            break
        prod = prod * wp.randf(state)
    n_out[i] = k
    if present(total):
        wp.atomic_add(total, 0, k)


@scene("random", "math", "reduction", sample,
       says="estimates the integral of a bump over an interval by stratified sampling",
       title="stratified_integral|monte_carlo_integral|integrate_strata", algorithm="stratified sampling", lossy=True)
def stratified(a: each(interval_start), b: each(interval_end), width: setting(positive_value, 0.3, 1.0), seed: setting(seed), est: out(value), spread: maybe(out(variance), 0.5)):
    names(acc="acc|s|total", acc2="acc2|sq|total_sq", h="h|dx|stratum", x="x|at|u", f="f|v|y", state="state|rng|gen")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    n = constant("STRATA|N_STRATA|NUM_STRATA", 8)
    h = (b[i] - a[i]) / float(n)
    acc = float(0.0)
    if present(spread):
        acc2 = float(0.0)
    for k in range(n):
        note("one draw in each part of the interval|jittered sample")
        x = a[i] + (float(k) + wp.randf(state)) * h
        f = wp.exp(-x * x / (2.0 * width * width))
        acc += f
        if present(spread):
            acc2 += f * f
    est[i] = acc * h
    if present(spread):
        note("sample variance over the strata")
        spread[i] = (acc2 - acc * acc / float(n)) / float(n - 1)


@scene("random", "atomic", "integer", sample,
       says="resamples particles in proportion to their weights by the systematic method",
       title="systematic_resample|resample_particles|particle_filter_resample", algorithm="systematic resampling")
def resample(w: each(weight, particle, range=(0.05, 1.0)), x: each(value, particle), seed: setting(seed), pick: out(index_value), val: maybe(out(value), 0.6), copies: maybe(add(count_value, particle), 0.4)):
    names(total="total|mass|norm", u="u|mark|pos_u", run="run|cum|cdf", k="k|j|src", state="state|rng|gen")
    i = wp.tid()
    total = float(0.0)
    for k in range(count(particle)):
        total += w[k]
    note("all threads share one offset, so the marks are evenly spaced|the same random number for everyone")
    state = wp.rand_init(seed)
    u = (float(i) + wp.randf(state)) / float(count(sample)) * total
    run = float(0.0)
    chosen = int(count(particle) - 1)
    for k in range(count(particle)):
        run += w[k]
        if run >= u:
            chosen = k
            break
    pick[i] = chosen
    if present(val):
        val[i] = x[chosen]
    if present(copies):
        wp.atomic_add(copies, chosen, 1)
