"""Chance at work: chains, walks, transport of particles, queues, reactions, emitters, noise of sensors."""


@law("randomness", "the digits of a whole number in some base, mirrored at the point", title="radical_inverse|van_der_corput|mirrored_digits", private=True, function=True)
def radical_inverse(k: index_value, base: index_value) -> ratio:
    names(n="n|rest|i|left", f="f|inv|place|weight_f", x="x|acc|sum_d|out_v")
    n = int(k)
    f = float(1.0)
    x = float(0.0)
    while n > 0:
        f = f / float(base)
        x += f * float(n % base)
        n = n // base
    return x


@law("randomness", "the energy of a particle in a well with two valleys, tilted to one side", title="double_well|well_energy|bistable_energy", private=True)
def double_well_energy(x: value, depth: positive_value, tilt: value) -> energy:
    return depth * (x * x - 1.0) * (x * x - 1.0) + tilt * x


@law("randomness", "the cosine of the angle by which light is scattered, forward for positive asymmetry", title="henyey_greenstein|scatter_cosine|phase_cosine", private=True, function=True)
def scatter_cosine(g: anisotropy, u: unit_sample) -> signed_cosine:
    names(s="s|term|frac|q")
    if wp.abs(g) < 0.01:
        return 2.0 * u - 1.0
    s = (1.0 - g * g) / (1.0 - g + 2.0 * g * u)
    return (1.0 + g * g - s * s) / (2.0 * g)


@law("randomness", "two normal numbers from two uniform ones", title="box_muller|gaussian_pair|normal_pair", private=True, function=True)
def gaussian_pair(u: unit_sample, v: unit_sample) -> (gaussian_noise, gaussian_noise):
    names(r="r|radius_g|rho|amp", phi="phi|turn|angle_g|theta")
    r = wp.sqrt(-2.0 * wp.log(wp.max(u, 1.0e-7)))
    phi = 2.0 * wp.pi * v
    return r * wp.cos(phi), r * wp.sin(phi)


@law("randomness", "a normal number from two uniform ones", title="box_muller|gaussian_from_uniform|normal_number", private=True)
def gaussian_number(u: unit_sample, v: unit_sample) -> gaussian_noise:
    return wp.sqrt(-2.0 * wp.log(wp.max(u, 1.0e-7))) * wp.cos(2.0 * wp.pi * v)


@scene("random", "control_flow", "function", path,
       says="runs a Markov chain in a double well for each thread with Metropolis' rule and collects the mean and the share of accepted steps",
       title="metropolis_chains|double_well_mcmc|run_markov_chains|metropolis_sampler", algorithm="Metropolis sampling")
def metropolis_chain(x: inout(value), depth: setting(positive_value, 0.5, 2.0), tilt: setting(value, -0.4, 0.4), beta: each(positive_value, range=(0.5, 2.0)), width: setting(positive_value, 0.5, 1.2), steps: setting(steps_value, 8, 12), seed: setting(seed), warm: maybe(setting(count_value, 2, 4), 0.5), mean_out: out(value), accepted: out(ratio), crossings: maybe(out(count_value), 0.4)):
    names(rng="rng|state|gen|rnd", cur="cur|pos_c|sample_x|here", trial="trial|prop|cand|next_x", e="e0|energy_c|u_cur|v_now", de="de|gain_e|delta_e|rise", total="total|sum_x|acc_x|moment_x", n="n|kept|num_used|taken", yes="yes|hits|acc_n|moves", cross="cross|flips|hops|passes", beta="beta|inverse_temp|betas|cold", width="width|step_width|proposal_width|jump_scale", warm="warm|burn_in|discard|warmup")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    cur = float(x[i])
    e = double_well_energy(cur, depth, tilt)
    total = float(0.0)
    n = int(0)
    yes = int(0)
    cross = int(0)
    for k in range(steps):
        trial = cur + width * (2.0 * wp.randf(rng) - 1.0)
        de = double_well_energy(trial, depth, tilt) - e
        note("downhill always, uphill by chance|Metropolis rule")
        if wp.randf(rng) < wp.exp(-beta[i] * wp.max(de, 0.0)):
            if trial * cur < 0.0:
                cross += 1
            cur = trial
            e = e + de
            yes += 1
        if present(warm):
            note("the first steps still remember the start|burn-in")
            if k < warm:
                continue
        total += cur
        n += 1
    x[i] = cur
    mean_out[i] = total / float(n)
    if present(accepted):
        accepted[i] = float(yes) / float(steps)
    if present(crossings):
        crossings[i] = cross


@scene("random", "physics", "control_flow", ray,
       says="follows photons through a scattering slab: they lose weight by absorption, change direction and leave by one of the faces or die",
       title="photon_transport|slab_photons|monte_carlo_transport|trace_photons", algorithm="Monte Carlo photon transport in a slab",
       lossy=True)
def photon_slab(start_w: each(weight, range=(0.5, 1.0)), mu_s: setting(absorption, 0.8, 2.0), mu_a: setting(absorption, 0.05, 0.4), g: setting(anisotropy, -0.5, 0.8), thick: setting(thickness, 0.8, 1.0), steps: setting(steps_value, 8, 12), seed: setting(seed), reflected: add(weight, 1), passed: add(weight, 1), absorbed: maybe(add(weight, 8), 0.5), path_out: maybe(out(length), 0.5)):
    names(rng="rng|state|gen|rnd", z="z|depth_z|height|pos_z", mu="mu|cos_dir|uz|cosine_z", w="w|weight_p|energy_p|packet", s="s|free_path|step_l|flight", total="total|path_l|travelled|way", c="c|cos_t|dev|turn_c", phi="phi|azimuth|spin|psi", lost="lost|dw|given|deposit_w", layer="layer|bin_z|slab_k|shelf", albedo="albedo|survive|keep|scatter_share", thick="thick|slab_depth|layer_thickness|z_max")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    z = float(0.0)
    mu = float(1.0)
    w = float(start_w[i])
    total = float(0.0)
    albedo = mu_s / (mu_s + mu_a)
    for k in range(steps):
        note("free path from the exponential law|distance to the next event")
        s = -wp.log(1.0 - wp.randf(rng)) / (mu_s + mu_a)
        z += s * mu
        total += s
        if z < 0.0:
            wp.atomic_add(reflected, 0, w)
            break
        if z > thick:
            wp.atomic_add(passed, 0, w)
            break
        lost = w * (1.0 - albedo)
        w -= lost
        if present(absorbed):
            layer = wp.min(int(8.0 * z / thick), 7)
            wp.atomic_add(absorbed, layer, lost)
        note("new direction: only its slope against the slab matters")
        c = scatter_cosine(g, wp.randf(rng))
        phi = 2.0 * wp.pi * wp.randf(rng)
        mu = mu * c + wp.sqrt(wp.max((1.0 - mu * mu) * (1.0 - c * c), 0.0)) * wp.cos(phi)
        if maybe(0.6, "roulette"):
            note("weak packets survive by chance, the survivors carry the weight of all|Russian roulette")
            if w < 0.1:
                if wp.randf(rng) > 0.5:
                    break
                w = w * 2.0
    if present(path_out):
        path_out[i] = total


@scene("random", "geometry", "control_flow", sample,
       says="solves Laplace's equation inside a disk at each point by walking on spheres to the border, where the value is known",
       title="walk_on_spheres|laplace_walks|boundary_walks|harmonic_estimate", algorithm="walk on spheres")
def walk_on_spheres(p: each(point2, range=(-0.6, 0.6)), big: setting(radius, 1.0, 1.2), hole: maybe(setting(radius, 0.1, 0.3), 0.4), eps: setting(tolerance, 0.005, 0.02), walks: setting(steps_value, 3, 6), seed: setting(seed), u_out: out(field_value), steps_out: maybe(out(count_value), 0.5)):
    names(rng="rng|state|gen|rnd", x="x|wx|cur_x|qx", y="y|wy|cur_y|qy", r="r|gap|free_r|dist_b", phi="phi|dir_a|angle_w|turn", total="total|sum_u|acc|est", n="n|moves|jumps|hops", k="k|tries|iter_k|leap", big="big|disk_radius|outer_r|domain_r", hole="hole|inner_radius|core_r|inner_r", walks="walks|num_walks|paths_n|repeats", eps="eps|shell|border_eps|stop_width")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    total = float(0.0)
    n = int(0)
    for m in range(walks):
        x = float(p[i][0])
        y = float(p[i][1])
        k = int(0)
        r = float(1.0)
        while r > eps and k < constant("MAX_JUMPS|STEP_LIMIT|MAX_WALK", 40):
            note("largest circle that fits inside|distance to the border")
            r = big - wp.sqrt(x * x + y * y)
            if present(hole):
                r = wp.min(r, wp.abs(wp.sqrt(x * x + y * y) - hole))
            phi = 2.0 * wp.pi * wp.randf(rng)
            x += r * wp.cos(phi)
            y += r * wp.sin(phi)
            k += 1
        n += k
        note("the value at the border: high on the right, low on the left|boundary data")
        match choose("data"):
            case 1:
                total += x / wp.max(wp.sqrt(x * x + y * y), 0.05)
            case 1:
                if y > 0.0:
                    total += 1.0
                else:
                    total -= 1.0
    u_out[i] = total / float(walks)
    if present(steps_out):
        steps_out[i] = n


@scene("random", "control_flow", "nested_loop", cell,
       says="simulates birth, death and pairing of molecules in each cell event by event, with exponential waiting times",
       title="gillespie_cells|stochastic_kinetics|simulate_reactions|ssa_step", algorithm="Gillespie's stochastic simulation")
def gillespie_cells(a: inout(count_value, range=(4, 20)), b: inout(count_value, range=(0, 6)), birth: setting(rate_constant, 0.5, 2.0), death: setting(rate_constant, 0.05, 0.2), pair: setting(rate_constant, 0.01, 0.05), until: setting(time_value, 0.5, 1.5), seed: setting(seed), events: maybe(out(count_value), 0.6), clock: maybe(out(time_value), 0.5)):
    names(rng="rng|state|gen|rnd", na="na|n_a|monomers|mol_a", nb="nb|n_b|dimers|mol_b", t="t|now|elapsed|time_i", r1="r1|w_birth|prop_b|rate_in", r2="r2|w_death|prop_d|rate_out", r3="r3|w_pair|prop_p|rate_two", total="total|r_sum|a0|total_rate", u="u|pick|mark|wheel", n="n|fired|num_events|shots", birth="birth|k_birth|production|source_rate", death="death|k_death|degradation|loss_rate", pair="pair|k_pair|dimerization|binding_rate")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    na = int(a[i])
    nb = int(b[i])
    t = float(0.0)
    n = int(0)
    while n < constant("MAX_EVENTS|EVENT_LIMIT", 24):
        r1 = birth
        r2 = death * float(na)
        r3 = pair * float(na * (na - 1)) * 0.5
        total = r1 + r2 + r3
        note("time to the next event of any kind|exponential with the total rate")
        t += -wp.log(1.0 - wp.randf(rng)) / total
        if t > until:
            break
        u = wp.randf(rng) * total
        note("which one: in proportion to the rates|roulette wheel")
        if u < r1:
            na += 1
        elif u < r1 + r2:
            na -= 1
        else:
            na -= 2
            nb += 1
        n += 1
    a[i] = na
    b[i] = nb
    if present(events):
        events[i] = n
    if present(clock):
        clock[i] = wp.min(t, until)


@scene("random", "control_flow", "scalar_param", sample,
       says="simulates a queue with one server for each thread, with random arrivals and service times, and measures the waiting",
       title="simulate_queues|single_server_queue|waiting_times|queue_simulation", algorithm="M/M/1 queue by Lindley's recursion")
def queue_waits(lam: each(event_rate, range=(0.4, 1.2)), mu: setting(event_rate, 1.0, 1.6), guests: setting(steps_value, 8, 12), patience: maybe(setting(waiting_time, 1.0, 3.0), 0.4), seed: setting(seed), wait_out: out(waiting_time), longest: maybe(out(waiting_time), 0.5), left: maybe(out(count_value), 0.5), idle: maybe(out(ratio), 0.4)):
    names(rng="rng|state|gen|rnd", w="w|delay|wait_k|queue_t", gap="gap|between|inter|a_k", serve="serve|service_t|busy_k|s_k", total="total|sum_w|acc_w|all_waits", top="top|worst_w|max_w|peak_w", gone="gone|balked|reneged|lost_n", spare="spare|idle_t|slack|free_t", span="span|clock|elapsed|horizon", lam="lam|arrival_rate|demand|rate_in", mu="mu|service_rate|capacity_rate|rate_out", guests="guests|customers|num_jobs|n_arrivals")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    w = float(0.0)
    total = float(0.0)
    top = float(0.0)
    gone = int(0)
    spare = float(0.0)
    span = float(0.0)
    for k in range(guests):
        gap = -wp.log(1.0 - wp.randf(rng)) / lam[i]
        serve = -wp.log(1.0 - wp.randf(rng)) / mu
        span += gap
        note("who comes later finds that much less work before him|Lindley's recursion")
        spare += wp.max(gap - w, 0.0)
        w = wp.max(w - gap, 0.0)
        if present(patience):
            note("turns away from a long queue|balking")
            if w > patience:
                gone += 1
                continue
        total += w
        top = wp.max(top, w)
        w += serve
    wait_out[i] = total / float(guests)
    if present(longest):
        longest[i] = top
    if present(patience) and present(left):
        left[i] = gone
    if present(idle):
        idle[i] = spare / span


@scene("random", "multi_conditional", "vector", particle,
       says="emits particles from sources of several shapes, with a random position in the shape and a velocity along its axis with spread",
       title="emit_particles|spawn_from_emitters|initialize_particles|particle_emitters")
def emit_particles(source: index(body), type_of: kind(SPHERE, SHELL, DOME, DISK, BOX, RING, CARD, over=body), center: each(position, body), axis: each(direction, body), size: each(radius, body), speed: setting(speed, 0.5, 3.0), spread: setting(ratio, 0.05, 0.4), seed: setting(seed), x: out(position), v: out(velocity), life: maybe(out(time_value), 0.5)):
    names(rng="rng|state|gen|rnd", b="b|src|emitter|sid", p="p|local|offset_p|rel", two="two|flat|plane_p|uv_p", d="d|dir|n|along", jitter="jitter|wobble|cone_d|noise_v", source="source|emitter_id|source_index|spawner", type_of="type_id|emitter_type|shape_kind|source_shape", life="life|lifetime|age_limit|ttl")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    b = source[i]
    p = wp.vec3(0.0, 0.0, 0.0)
    if type_of[b] == SPHERE:
        p = wp.sample_unit_sphere(rng)
    elif type_of[b] == SHELL:
        p = wp.sample_unit_sphere_surface(rng)
    elif type_of[b] == DOME:
        match choose("dome"):
            case 1:
                p = wp.sample_unit_hemisphere(rng)
            case 1:
                p = wp.sample_unit_hemisphere_surface(rng)
    elif type_of[b] == DISK:
        two = wp.sample_unit_disk(rng)
        p = wp.vec3(two[0], two[1], 0.0)
    elif type_of[b] == BOX:
        p = wp.sample_unit_cube(rng)
    elif type_of[b] == RING:
        two = wp.sample_unit_ring(rng)
        p = wp.vec3(two[0], two[1], 0.0)
    else:
        two = wp.sample_unit_square(rng)
        p = wp.vec3(two[0], two[1], 0.0)
    x[i] = center[b] + p * size[b]
    d = wp.normalize(axis[b])
    note("a little to the side: a cone around the axis|directional spread")
    jitter = wp.sample_unit_sphere(rng)
    v[i] = wp.normalize(d + jitter * spread) * (speed * wp.randf(rng, 0.5, 1.0))
    if present(life):
        life[i] = -wp.log(1.0 - wp.randf(rng)) * number(0.5, 2.0)


@scene("random", "math", "control_flow", pixel,
       says="turns clean irradiance into what a camera sensor would read: photon noise, dark current, read noise, saturation and quantisation",
       title="simulate_sensor|camera_noise|raw_sensor_model|add_shot_noise")
def sensor_noise(image: each(intensity), gain_e: setting(positive_value, 40.0, 120.0), dark: setting(positive_value, 0.5, 2.0), read: setting(standard_deviation, 0.5, 2.0), full: setting(positive_value, 60.0, 100.0), seed: setting(seed), bits_n: setting(count_value, 6, 8), hot: maybe(setting(probability, 0.03, 0.08), 0.4), raw: out(count_value), clipped: maybe(add(count_value, 1), 0.5)):
    names(rng="rng|state|gen|rnd", photons="photons|electrons|quanta|collected", e="signal_e|charge_e|total_e|well", code="code|dn|adc|level", top="top|max_code|white|adc_max", gain_e="gain_e|full_scale_e|electrons_per_unit|sensitivity", dark="dark|dark_current|thermal_e|leak", read="read|read_noise|sigma_read|amp_noise", full="full|full_well|well_capacity|saturation_e", raw="raw|raw_dn|adc_out|sensor_out", hot="hot|hot_pixel_rate|defect_rate|stuck_rate")
    i, j = wp.tid()
    rng = wp.rand_init(seed, i * count(pixel, 1) + j)
    top = (1 << bits_n) - 1
    if present(hot):
        note("defect pixels are always white|hot pixel")
        if wp.randf(rng) < hot:
            raw[i, j] = top
            return
    note("photons come one by one|shot noise")
    photons = wp.poisson(rng, image[i, j] * gain_e + dark)
    e = float(photons) + read * wp.randn(rng)
    if e > full:
        if present(clipped):
            wp.atomic_add(clipped, 0, 1)
        e = full
    note("analogue to digital|round to the nearest code")
    code = int(wp.round(wp.max(e, 0.0) / full * float(top)))
    raw[i, j] = wp.clamp(code, 0, top)


@scene("random", "physics", "vector", particle,
       says="carries particles through a turbulent flow without sources, built from curl noise, for a few steps of the midpoint method",
       title="advect_turbulence|curl_noise_particles|turbulent_drift|swirl_particles")
def curl_particles(x: inout(position), seed: setting(seed), scale: setting(frequency, 0.4, 1.2), strength: setting(speed, 0.2, 1.0), dt: setting(time_step, 0.01, 0.05), wind: maybe(setting(velocity, -0.5, 0.5), 0.5), steps: setting(steps_value, 2, 4), half: maybe(setting(half_extent, 1.5, 2.0), 0.4), v_out: maybe(out(velocity), 0.5)):
    names(state="state|noise_seed|rng|field", p="p|pos_i|pt|cur", v="v|flow|vel_i|drift_v", mid="mid|half_p|probe|ahead", scale="scale|noise_freq|inv_length|frequency_n", strength="strength|swirl|turbulence|gust", wind="wind|mean_flow|breeze|base_flow", half="half|box_half|domain|bounds")
    i = wp.tid()
    state = wp.rand_init(seed)
    p = x[i]
    v = wp.vec3(0.0, 0.0, 0.0)
    for k in range(steps):
        v = wp.curlnoise(state, p * scale) * strength
        if present(wind):
            v = v + wind
        note("look half a step ahead|midpoint")
        mid = p + v * (0.5 * dt)
        v = wp.curlnoise(state, mid * scale) * strength
        if present(wind):
            v = v + wind
        p = p + v * dt
    if present(half):
        note("stay inside the box|clamp to the domain")
        p = wp.vec3(wp.clamp(p[0], -half, half), wp.clamp(p[1], -half, half), wp.clamp(p[2], -half, half))
    x[i] = p
    if present(v_out):
        v_out[i] = v


@scene("random", "math", "nested_loop", pixel,
       says="paints a texture of marble or wood that repeats without seams, from periodic noise",
       title="tileable_marble|seamless_texture|periodic_noise_texture|paint_procedural")
def tile_texture(uv: each(uv_coordinate), seed: setting(seed), period: setting(count_value, 3, 6), octaves: setting(steps_value, 2, 4), rough: setting(ratio, 0.35, 0.6), light: maybe(setting(colour, 0.6, 1.0), 0.5), dark: maybe(setting(colour, 0.0, 0.4), 1.0), value_out: out(intensity), color_out: maybe(out(colour), 1.0)):
    names(state="state|noise_seed|rng|field", f="f|per|cells|tile_n", amp="amp|a_k|weight_k|loud", acc="acc|turb|total|fbm", norm="norm|amp_sum|scale_sum|peak", p="p|st|at|coord", vein="vein|stripe|band|rings", period="period|tile_period|repeat|lattice_n", rough="rough|persistence|gain_o|octave_gain")
    i, j = wp.tid()
    state = wp.rand_init(seed)
    f = int(period)
    amp = float(1.0)
    acc = float(0.0)
    norm = float(0.0)
    for k in range(octaves):
        p = uv[i, j] * float(f)
        match choose("fold"):
            case 2:
                acc += amp * wp.abs(wp.pnoise(state, p, f, f))
            case 1:
                acc += amp * wp.pnoise(state, p, f, f)
        norm += amp
        note("twice as fine, so that it still repeats|next octave")
        f = f * 2
        amp = amp * rough
    acc = acc / norm
    match choose("look"):
        case 1:
            note("bands along one axis, bent by the noise|marble")
            vein = 0.5 + 0.5 * wp.sin(2.0 * wp.pi * (uv[i, j][0] * float(period) + 2.0 * acc))
        case 1:
            note("rings around the middle|wood")
            vein = wp.frac(wp.abs(wp.length(uv[i, j] - wp.vec2(0.5, 0.5)) * number(3.0, 8.0) + acc))
        case 1:
            vein = wp.smoothstep(-0.3, 0.6, acc)
    value_out[i, j] = vein
    if present(light) and present(dark) and present(color_out):
        color_out[i, j] = wp.lerp(dark, light, vein)


@scene("random", "nested_loop", "geometry", "vector", sample,
       says="estimates how much of a rectangular lamp each point of a floor sees past a ball, with a Halton set shifted by a random offset",
       title="soft_shadows|area_light_visibility|halton_shadow_rays|quasi_random_shadows", algorithm="quasi-Monte Carlo with a Halton sequence")
def halton_shadows(p: each(point2), lamp: setting(position, 1.5, 2.5), side: setting(length, 0.6, 1.5), ball: setting(position, 0.4, 0.9), r: setting(radius, 0.4, 0.7), rays: setting(steps_value, 8, 12), seed: setting(seed), visible: out(ratio), light_out: maybe(out(intensity), 0.5)):
    names(rng="rng|state|gen|rnd", sx="sx|shift_u|off_u|rot_x", sy="sy|shift_v|off_v|rot_y", u="u|su|lu|hx", v="v|sv|lv|hy", at="at|origin_p|floor_p|from_p", to="to|lamp_p|target_p|goal_p", d="d|dir|ray_d|way", t="t|near_t|closest_t|foot", gap="gap|miss|off_axis|clear_d", open="open|unblocked|seen_n|lit", lit="lit|sum_l|flux|energy_s", rays="rays|num_rays|shadow_rays|samples_n")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    note("shift the whole set, wrapping around|Cranley-Patterson rotation")
    sx = wp.randf(rng)
    sy = wp.randf(rng)
    at = wp.vec3(p[i][0], 0.0, p[i][1])
    open = int(0)
    lit = float(0.0)
    for k in range(rays):
        u = wp.frac(radical_inverse(k + 1, 2) + sx)
        v = wp.frac(radical_inverse(k + 1, 3) + sy)
        to = lamp + wp.vec3((u - 0.5) * side, 0.0, (v - 0.5) * side)
        d = to - at
        t = wp.clamp(wp.dot(ball - at, d) / wp.dot(d, d), 0.0, 1.0)
        gap = wp.length(ball - at - d * t)
        if gap < r:
            continue
        open += 1
        note("cosines at both ends over the squared distance")
        lit += (d[1] / wp.length(d)) * (d[1] / wp.length(d)) / wp.dot(d, d)
    visible[i] = float(open) / float(rays)
    if present(light_out):
        light_out[i] = lit * side * side / (float(rays) * wp.pi)


@scene("random", "math", "function", row,
       says="adds {memory:coloured}{!memory:white} noise of a given strength to a signal, with normal numbers made by the method of Box and Muller",
       title="add_noise|noisy_measurements|corrupt_signals|gaussian_corruption", algorithm="Box-Muller transform", lossy=True)
def noisy_signal(x: each(signal, row, column), sigma: each(standard_deviation, range=(0.05, 0.5), fixed=True), seed: setting(seed), memory: maybe(setting(decay, 0.5, 0.95), 0.5), drop: maybe(setting(probability, 0.05, 0.2), 0.4), y: out(signal, row, column), power_out: maybe(out(positive_value), 0.4)):
    names(rng="rng|state|gen|rnd", a="a|g0|first_n|n0", b="b|g1|second_n|n1", last="last|ar_state|colored|prev_n", acc="acc|power_n|sum_sq|var_n", sigma="sigma|noise_std|levels|strength", memory="memory|ar_coeff|correlation_t|rho_n", drop="drop|dropout_rate|loss_prob|miss_rate", y="y|noisy|corrupted|measured")
    r = wp.tid()
    rng = wp.rand_init(seed, r)
    last = float(0.0)
    acc = float(0.0)
    for c in range(count(column)):
        u = wp.randf(rng)
        v = wp.randf(rng)
        if present(power_out):
            a, b = gaussian_pair(u, v)
            acc += sigma[r] * sigma[r] * b * b
        else:
            a = gaussian_number(u, v)
        if present(memory):
            note("noise with a memory, of the same variance|first-order autoregression")
            last = memory * last + wp.sqrt(1.0 - memory * memory) * a
        if present(drop):
            note("lost samples read zero|dropouts")
            if wp.randf(rng) < drop:
                y[r, c] = 0.0
                continue
        if present(memory):
            y[r, c] = x[r, c] + sigma[r] * last
        else:
            y[r, c] = x[r, c] + sigma[r] * a
    if present(power_out):
        note("an independent estimate from the second number of each pair")
        power_out[r] = acc / float(count(column))


@scene("random", "control_flow", "math", item,
       says="draws gamma distributed amounts by the method of Marsaglia and Tsang",
       title="sample_gamma|gamma_variates|draw_gamma|marsaglia_tsang", algorithm="Marsaglia and Tsang's gamma sampling",
       lossy=True)
def gamma_draws(shape_k: each(positive_value, range=(1.0, 4.0)), scale: maybe(setting(positive_value, 0.5, 2.0), 0.5), seed: setting(seed), value_out: out(positive_value), tries: maybe(out(count_value), 0.6)):
    names(rng="rng|state|gen|rnd", d="d|shifted|d_k|base_d", c="c|slope_c|c_k|inv_c", z="z|normal_z|g|xn", v="v|cube|w3|vv", u="u|uni|accept_u|r01", n="n|attempts|rounds|draws", found="found|result|gam|value_g", shape_k="shape_k|alpha|shapes|concentration_k")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    d = shape_k[i] - 1.0 / 3.0
    c = 1.0 / wp.sqrt(9.0 * d)
    found = d
    n = int(0)
    while n < constant("MAX_TRIES|TRY_LIMIT", 16):
        n += 1
        u = wp.randf(rng)
        w = wp.randf(rng)
        z = wp.sqrt(-2.0 * wp.log(wp.max(u, 1.0e-7))) * wp.cos(2.0 * wp.pi * w)
        v = 1.0 + c * z
        note("outside the support of the squeeze|try again")
        if v <= 0.0:
            continue
        v = v * v * v
        if wp.log(wp.max(wp.randf(rng), 1.0e-7)) < 0.5 * z * z + d - d * v + d * wp.log(v):
            found = d * v
            break
    if present(scale):
        found = found * scale
    value_out[i] = found
    if present(tries):
        tries[i] = n


@scene("random", "integer", "nested_loop", row,
       says="bootstraps the mean of each row: resamples it with replacement and reports the spread{low:, the smallest}{high:, the largest} of the resampled means",
       title="bootstrap_mean|resample_means|bootstrap_rows|standard_error_bootstrap", algorithm="bootstrap of the mean",
       lossy=True)
def bootstrap_rows(x: each(value, row, column), rounds: setting(steps_value, 4, 10), seed: setting(seed), err_out: out(positive_value), low: maybe(out(value), 0.5), high: maybe(out(value), 0.5)):
    names(rng="rng|state|gen|rnd", m="m|boot_mean|avg_b|resampled", total="total|sum_m|acc|first_mom", sq="sq|sum_sq|acc2|second_mom", k="k|pick|draw|idx_b", lo="lo|smallest_m|floor_m|min_m", hi="hi|largest_m|ceil_m|max_m", mean="mean|grand|center_m|avg", rounds="rounds|num_boot|resamples|n_boot")
    r = wp.tid()
    rng = wp.rand_init(seed, r)
    total = float(0.0)
    sq = float(0.0)
    lo = float(1.0e6)
    hi = float(-1.0e6)
    for b in range(rounds):
        m = float(0.0)
        for c in range(count(column)):
            k = wp.randi(rng, 0, count(column))
            m += x[r, k]
        m = m / float(count(column))
        total += m
        sq += m * m
        if present(low):
            lo = wp.min(lo, m)
        if present(high):
            hi = wp.max(hi, m)
    mean = total / float(rounds)
    note("standard error of the mean: spread of the resampled means")
    err_out[r] = wp.sqrt(wp.max(sq / float(rounds) - mean * mean, 0.0))
    if present(low):
        low[r] = lo
    if present(high):
        high[r] = hi
