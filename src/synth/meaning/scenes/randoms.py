"""Random numbers with a purpose: sampling, walks, estimates, noise."""


@scene("random", "reduction", sample,
       says="estimates the area of each disk by counting how many random points of the square around it fall inside",
       title="monte_carlo_area|estimate_disk_area|count_inside_disk", algorithm="Monte Carlo estimate of an area")
def monte_carlo_area(radius_: each(radius), half: setting(length, 1.2, 1.5), seed: setting(seed), n: setting(steps_value, 8, 16), estimate: out(area), hits: maybe(add(count_value, 1), 0.5)):
    names(state="state|rng|rng_state|r", inside="inside|hit_count|count_in|n_in", x="x|u|px|a", y="y|v|py|b", radius_="radii|disk_radius|radius|r_max")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    inside = int(0)
    for k in range(n):
        x = wp.randf(state, -half, half)
        y = wp.randf(state, -half, half)
        if x * x + y * y <= radius_[i] * radius_[i]:
            inside += 1
    if present(hits):
        wp.atomic_add(hits, 0, inside)
    note("share of the hits times the area of the square")
    estimate[i] = 4.0 * half * half * float(inside) / float(n)


@scene("random", "physics", "control_flow", particle,
       says="moves each particle by Brownian motion in a box whose walls reflect it",
       title="brownian_step|brownian_motion|diffuse_particles", algorithm="Brownian motion with reflecting walls", lossy=True)
def brownian(x: inout(position), diffusivity: setting(diffusivity), dt: setting(time_step), half_size: setting(length, 1.2, 1.8), seed: setting(seed),
             drift: maybe(setting(velocity, -0.5, 0.5), 0.5), step_length: maybe(out(distance), 0.4)):
    names(state="state|rng", p="p|pos_i", step="step|dx", a="a|axis", diffusivity="diffusion|diffusion_coeff", half_size="half_size|box_half", step_length="step_length|travelled", drift="drift|drift_velocity", sigma="sigma|std_dev")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    p = x[i]
    note("independent normal steps along each axis|Gaussian displacement")
    sigma = wp.sqrt(2.0 * diffusivity * dt)
    step = wp.vec3(wp.randn(state), wp.randn(state), wp.randn(state)) * sigma
    if present(drift):
        step = step + drift * dt
    p = p + step
    for a in range(3):
        note("reflect at the walls|bounce off the walls")
        if p[a] > half_size:
            p[a] = 2.0 * half_size - p[a]
        elif p[a] < -half_size:
            p[a] = -2.0 * half_size - p[a]
    x[i] = p
    if present(step_length):
        step_length[i] = wp.length(step)


@scene("random", "math", path,
       says="simulates a path of geometric Brownian motion for each sample and the pay-off of an option at its end",
       title="simulate_paths|monte_carlo_option|price_paths", algorithm="geometric Brownian motion")
def gbm_paths(s0: each(price, range=(80.0, 120.0)), strike_price: setting(strike, 90.0, 110.0), mu: setting(interest_rate), sigma: setting(volatility), t: setting(maturity), seed: setting(seed),
              barrier: maybe(setting(barrier_level), 0.3), payoff_out: out(payoff), highest: maybe(out(price), 0.4)):
    names(state="state|rng|rng_state", s="s|spot|level", dt="dt|h|step", peak="peak|top|running_max")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    dt = t / float(constant("STEPS|N_STEPS|PATH_STEPS", 12))
    s = float(s0[i])
    peak = float(s0[i])
    for k in range(constant("STEPS|N_STEPS|PATH_STEPS", 12)):
        note("exact step of the lognormal process")
        s = s * wp.exp((mu - 0.5 * sigma * sigma) * dt + sigma * wp.sqrt(dt) * wp.randn(state))
        peak = wp.max(peak, s)
    if present(highest):
        highest[i] = peak
    if present(barrier):
        note("knocked out above the barrier|the option dies at the barrier")
        if peak >= barrier:
            payoff_out[i] = 0.0
            return
    note("discounted to today")
    payoff_out[i] = wp.exp(-mu * t) * wp.max(s - strike_price, 0.0)


@scene("random", "geometry", "function", sample,
       says="draws a direction from the cosine-weighted hemisphere around each surface normal",
       title="sample_hemisphere|cosine_sample|scatter_directions", algorithm="cosine-weighted hemisphere sampling", rare=True)
def hemisphere(n: each(normal), seed: setting(seed), d: out(direction), pdf: maybe(out(probability_density), 0.6)):
    names(state="state|rng|r", nn="nn|normal_i|up", t="t|tangent_i|side", b="b|bitangent|other")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    nn = wp.normalize(n[i])
    note("any vector that is not parallel to the normal gives a tangent|build a local frame")
    if wp.abs(nn[0]) > number(0.7, 0.9):
        t = wp.normalize(wp.cross(nn, wp.vec3(0.0, 1.0, 0.0)))
    else:
        t = wp.normalize(wp.cross(nn, wp.vec3(1.0, 0.0, 0.0)))
    b = wp.cross(nn, t)
    u = wp.randf(state)
    phi = 2.0 * wp.pi * wp.randf(state)
    note("a point of the disk, lifted to the hemisphere|Malley's method")
    r = wp.sqrt(u)
    z = wp.sqrt(wp.max(1.0 - u, 0.0))
    d[i] = t * (r * wp.cos(phi)) + b * (r * wp.sin(phi)) + nn * z
    if present(pdf):
        pdf[i] = z / wp.pi


@scene("random", "ml", "control_flow", row,
       says="samples a class for each row from its probabilities by inverting the cumulative sum",
       title="sample_categorical|draw_tokens|multinomial_sample", algorithm="inverse transform sampling", rare=True)
def categorical(p: each(probability, row, column), seed: setting(seed), floor: maybe(setting(probability, 0.02, 0.2), 0.3), drawn: out(label), chance: maybe(out(probability), 0.5)):
    names(state="state|rng|gen", total="total|mass|norm", u="u|threshold|mark", run="run|cdf|cum")
    r = wp.tid()
    state = wp.rand_init(seed, r)
    total = float(0.0)
    for c in range(count(column)):
        if present(floor):
            if p[r, c] >= floor:
                total += p[r, c]
        else:
            total += p[r, c]
    u = wp.randf(state) * total
    run = float(0.0)
    choice = int(count(column) - 1)
    for c in range(count(column)):
        if present(floor):
            note("rare classes are cut off|drop the tail")
            if p[r, c] < floor:
                continue
        run += p[r, c]
        if run > u:
            choice = c
            break
    drawn[r] = choice
    if present(chance):
        chance[r] = p[r, choice]


@scene("random", "stencil", "math", cell,
       says="fills a height field with several octaves of gradient noise",
       title="fractal_terrain|fbm_noise|generate_heights", algorithm="fractal noise")
def terrain(at: each(point2), seed: setting(seed), scale: setting(frequency, 0.6, 2.0), gain_: setting(ratio, 0.35, 0.65), sea: maybe(setting(ratio, 0.1, 0.2), 0.4), h: out(wave_height), mask: maybe(out(flag), 0.9)):
    names(state="state|noise_state|rng", amp="amp|a|weight_k", freq="freq|f|wave", acc="acc|z|total")
    i, j = wp.tid()
    state = wp.uint32(seed)
    amp = float(1.0)
    freq = float(scale)
    acc = float(0.0)
    for k in range(integer(3, 6)):
        note("each octave is finer and weaker|add the next octave")
        acc += amp * wp.noise(state, at[i, j] * freq)
        amp = amp * gain_
        freq = freq * 2.0
    if present(sea) and present(mask):
        note("below the sea level the field is flat|flood the valleys")
        if acc < -sea:
            h[i, j] = -sea
            mask[i, j] = 1
            return
        mask[i, j] = 0
    h[i, j] = acc
