"""Nerves, molecules, epidemics, derivatives, orbits, snow."""


@scene("function", "math", "control_flow", neuron,
       says="integrates the membrane voltage and the three gates of each neuron over a few small steps",
       title="hodgkin_huxley|membrane_step|axon_dynamics|neuron_step", algorithm="Hodgkin-Huxley equations", topic="")
def hodgkin_huxley(v: inout(membrane_voltage, range=(-75.0, -40.0)), m: inout(channel_gate), h: inout(channel_gate), n: inout(channel_gate), drive: each(applied_current), dt: setting(time_step, 0.005, 0.02), clamp_v: maybe(each(flag), 0.3), spikes: maybe(add(count_value, neuron), 0.6), na_out: maybe(out(ion_current), 0.4)):
    names(vi="vi|volt|vm|u", mi="mi|act|m_i|gm", hi="hi|inact|h_i|gh", ni="ni|rect|n_i|gn", a="a|open_r|alpha_x|up_r", b="b|close_r|beta_x|down_r", ina="ina|sodium|i_na|na_cur", ik="ik|potassium|i_k|k_cur", il="il|leak|i_l|leak_cur", was="was|old_v|v_prev|before", clamp_v="clamp_v|voltage_clamp|held|is_clamped", spikes="spikes|spike_count|fired|n_spikes", na_out="na_out|sodium_current|i_na_out|na_current")
    i = wp.tid()
    vi = v[i]
    mi = m[i]
    hi = h[i]
    ni = n[i]
    ina = float(0.0)
    for step in range(10):
        was = vi
        ina = 120.0 * mi * mi * mi * hi * (vi - 50.0)
        ik = 36.0 * ni * ni * ni * ni * (vi + 77.0)
        il = 0.3 * (vi + 54.387)
        a, b = sodium_gate_rates(vi)
        mi = mi + dt * (a * (1.0 - mi) - b * mi)
        a, b = sodium_block_rates(vi)
        hi = hi + dt * (a * (1.0 - hi) - b * hi)
        a, b = potassium_gate_rates(vi)
        ni = ni + dt * (a * (1.0 - ni) - b * ni)
        if present(clamp_v):
            if clamp_v[i] == 1:
                note("the electrode holds the voltage|only the gates move")
                continue
        vi = vi + dt * (drive[i] - ina - ik - il)
        if present(spikes):
            if was < 0.0 and vi >= 0.0:
                note("an upward crossing of zero is a spike")
                wp.atomic_add(spikes, i, 1)
    v[i] = vi
    m[i] = mi
    h[i] = hi
    n[i] = ni
    if present(na_out):
        na_out[i] = ina


@scene("control_flow", "multi_conditional", "reduction", neuron,
       says="advances a network of spiking neurons of several kinds by one step and sums the input of those that fired",
       title="izhikevich_step|spiking_network|cortex_step|fire_and_reset", algorithm="Izhikevich neurons")
def izhikevich(v: inout(membrane_voltage, range=(-75.0, 30.0)), u: inout(recovery_variable, range=(-20.0, 10.0)), cell: kind(REGULAR, BURSTING, FAST), start: offsets(edge), pre: index(neuron, over=edge), w: each(synaptic_weight, edge), fired_in: each(flag), drive: each(applied_current), dt: setting(time_step, 0.2, 0.6), fired: out(flag), rate: maybe(add(count_value, 3), 0.4), dead: maybe(each(flag), 0.3)):
    names(vi="vi|volt|vm|pot", ui="ui|recov|slow|um", cur="cur|total_i|syn_in|input_i", a="a|rec_rate|pa|time_a", b="b|rec_sens|pb|gain_b", c="c|reset_v|pc|v_back", d="d|reset_u|pd|jump_u", src="src|from_n|pre_id|sender", cell="cell|cell_type|class_n|family", dead="dead|lesioned|silenced|removed", fired_in="fired_in|last_spikes|spiked|prev_fired")
    i = wp.tid()
    if present(dead):
        if dead[i] == 1:
            fired[i] = 0
            return
    cur = drive[i]
    for k in range(start[i], start[i + 1]):
        src = pre[k]
        if fired_in[src] == 1:
            cur += w[k]
    a = float(0.02)
    b = float(0.2)
    c = float(-65.0)
    d = float(8.0)
    if cell[i] == BURSTING:
        note("returns higher after a spike: bursts")
        c = -55.0
        d = 4.0
    elif cell[i] == FAST:
        note("quick recovery: inhibitory cells")
        a = 0.1
        d = 2.0
    vi = v[i]
    ui = u[i]
    note("two half steps for stability")
    for half in range(2):
        vi = vi + 0.5 * dt * (0.04 * vi * vi + 5.0 * vi + 140.0 - ui + cur)
    ui = ui + dt * a * (b * vi - ui)
    if vi >= 30.0:
        vi = c
        ui = ui + d
        fired[i] = 1
        if present(rate):
            wp.atomic_add(rate, cell[i], 1)
    else:
        fired[i] = 0
    v[i] = vi
    u[i] = ui


@scene("control_flow", "math", "arithmetic", edge,
       says="changes the weight of each synapse by the order of the spikes on its two sides, with traces that fade",
       title="stdp_update|plasticity_step|learn_synapses|spike_timing", algorithm="trace-based spike-timing plasticity")
def stdp_traces(pre: index(neuron), post: index(neuron), spiked: each(flag, neuron), x: inout(trace_value), y: inout(trace_value), w: inout(synaptic_weight, range=(0.0, 3.0)), up: setting(potentiation), down: setting(depression), keep: setting(decay, 0.8, 0.98), w_max: setting(synaptic_weight, 3.0, 4.0), soft: maybe(setting(flag, fixed=True), 0.5), grown: maybe(add(count_value, 1), 0.4)):
    names(a="a|src|pre_n|from_id", b="b|dst|post_n|to_id", xi="xi|tr_pre|pre_t|fast_x", yi="yi|tr_post|post_t|fast_y", wi="wi|eff|weight_s|strength", old="old|was|w_before|prior_w", keep="keep|trace_decay|fade|retain", soft="soft|soft_bounds|multiplicative|weight_dependent", x="x|pre_trace|trace_pre|x_tr", y="y|post_trace|trace_post|y_tr", grown="grown|potentiated|num_up|strengthened")
    e = wp.tid()
    a = pre[e]
    b = post[e]
    xi = x[e] * keep
    yi = y[e] * keep
    wi = w[e]
    old = wi
    if spiked[a] == 1:
        note("before, after others fired: weaken|the postsynaptic cell was first")
        if present(soft):
            if soft == 1:
                wi = wi - down * yi * wi
            else:
                wi = wi - down * yi
        else:
            wi = wi - down * yi
        xi = xi + 1.0
    if spiked[b] == 1:
        note("after its input: strengthen|the presynaptic cell was first")
        if present(soft):
            if soft == 1:
                wi = wi + up * xi * (w_max - wi)
            else:
                wi = wi + up * xi
        else:
            wi = wi + up * xi
        yi = yi + 1.0
    wi = wp.clamp(wi, 0.0, w_max)
    x[e] = wp.min(xi, 1.5)
    y[e] = wp.min(yi, 1.5)
    w[e] = wi
    if present(grown):
        if wi > old:
            wp.atomic_add(grown, 0, 1)


@scene("physics", "function", "nested_loop", particle,
       says="sums the forces between atoms that are neither bonded nor far apart: attraction and repulsion, and screened charges, in a periodic box",
       title="nonbonded_forces|pair_forces|short_range_forces|md_pair_kernel", algorithm="Lennard-Jones and screened Coulomb forces from neighbour lists", topic="",
       lossy=True)
def nonbonded(x: each(box_position), q: maybe(each(partial_charge), 0.7), start: offsets(edge), nbr: index(particle, over=edge), skip: maybe(each(flag, edge), 0.4), sigma: setting(atom_diameter, 0.3, 0.4), eps: setting(well_depth), cut: setting(cutoff_distance, 0.9, 1.2), side: setting(length, 3.0, 3.2), kap: maybe(setting(positive_value, 2.0, 4.0), 1.0), f: out(force), pot: maybe(out(pair_energy), 0.6), close: maybe(add(count_value, 1), 0.3)):
    names(fi="fi|acc_f|total_f|push", d="d|rij|sep|dr", r2="r2|rsq|dist_sq|d_sq", r="r|dist|len_r|rr", s2="s2|sr_sq|q2|sig_r2", s6="s6|sr6|sixth|q6", mag="mag|f_over_r|scale_f|coef_f", u="u|energy_i|e_acc|pot_i", qq="qq|charge_prod|ke_qq|q_pair", j="j|other|nb|atom_j", ax="ax|axis|comp_k|dim_k", kap="kap|ewald_alpha|screening|alpha_e", skip="skip|excluded|bonded|is_excluded", close="close|overlaps|too_close|clashes")
    names(side="side|box_length|cell_edge|period_l", f="f|forces|atom_forces|f_atoms")
    i = wp.tid()
    fi = wp.vec3()
    u = float(0.0)
    for k in range(start[i], start[i + 1]):
        j = nbr[k]
        if j == i:
            continue
        if present(skip):
            note("bonded pairs have terms of their own|exclusions")
            if skip[k] == 1:
                continue
        d = x[i] - x[j]
        for ax in range(3):
            d[ax] = d[ax] - side * wp.round(d[ax] / side)
        r2 = wp.dot(d, d)
        if r2 > cut * cut:
            continue
        note("overlapping starts are softened|lower bound of the distance")
        if r2 < 0.04:
            if present(close):
                wp.atomic_add(close, 0, 1)
            r2 = 0.04
        s2 = sigma * sigma / r2
        s6 = s2 * s2 * s2
        mag = 24.0 * eps * s6 * (2.0 * s6 - 1.0) / r2
        u += 4.0 * eps * s6 * (s6 - 1.0)
        if present(q) and present(kap):
            note("the part of the charges that is summed in real space")
            r = wp.sqrt(r2)
            qq = constant("COULOMB_K|KE_MD", 138.935) * q[i] * q[j]
            mag += qq * (wp.erfc(kap * r) / r + 2.0 * kap / wp.sqrt(wp.pi) * wp.exp(-kap * kap * r2)) / r2
            u += qq * wp.erfc(kap * r) / r
        fi += d * mag
    f[i] = fi
    if present(pot):
        note("half of each pair's energy")
        pot[i] = 0.5 * u


@scene("matrix", "control_flow", "scalar_param", cell,
       says="takes one implicit step of two reacting species, by Newton's method on both concentrations at once",
       title="brusselator_step|implicit_reaction|stiff_kinetics|newton_reaction", algorithm="backward Euler for the Brusselator",
       lossy=True)
def brusselator(x: inout(concentration, range=(0.3, 3.0)), y: inout(concentration, range=(0.3, 3.0)), a: setting(concentration, 0.8, 1.2), b: setting(concentration, 1.5, 3.0), dt: setting(time_step, 0.01, 0.05), feed: maybe(each(concentration, range=(0.8, 1.2)), 0.3), rounds: maybe(out(count_value), 0.4), failed: maybe(add(count_value, 1), 0.3)):
    names(u="u|conc_a|xn|cu", v="v|conc_b|yn|cv", g="g|resid|fvec|defect", jac="jac|jm|deriv|jacobian", s="s|corr|delta_uv|step_n", k="k|n_it|tries|iter_n", in_a="in_a|inflow|feed_a|source_a", done="done|ok|converged_n|settled", failed="failed|diverged|not_converged|bad_cells")
    i = wp.tid()
    if present(feed):
        in_a = feed[i]
    else:
        in_a = a
    u = x[i]
    v = y[i]
    k = int(0)
    done = int(0)
    while k < 20:
        g = wp.vec2(u - x[i] - dt * (in_a - (b + 1.0) * u + u * u * v), v - y[i] - dt * (b * u - u * u * v))
        jac = wp.mat22(1.0 + dt * (b + 1.0 - 2.0 * u * v), -dt * u * u, -dt * (b - 2.0 * u * v), 1.0 + dt * u * u)
        s = wp.inverse(jac) * g
        u = u - s[0]
        v = v - s[1]
        k += 1
        if wp.length(s) < constant("NEWTON_TOL|TOL", 1.0e-7):
            done = 1
            break
    x[i] = u
    y[i] = v
    if present(rounds):
        rounds[i] = k
    if present(failed):
        if done == 0:
            wp.atomic_add(failed, 0, 1)


@scene("nested_loop", "arithmetic", "reduction", scenario,
       says="advances an epidemic in age groups that meet each other at different rates by one day, for each scenario",
       title="seir_age_groups|seir_step|age_structured_seir", algorithm="SEIR model with a contact matrix", lossy=True)
def seir_groups(susceptible: inout(susceptible_count, scenario, 6, range=(50.0, 90.0)), exposed: inout(infected_number, scenario, 6), infected: inout(infected_number, scenario, 6), population: each(group_population, 6), contact: each(contact_matrix_entry, 6, 6), beta: each(transmission_rate, scenario, range=(0.05, 0.3)), sigma: setting(recovery_rate, 0.1, 0.4), gamma: setting(recovery_rate, 0.1, 0.3), vaccination: maybe(each(ratio, 6, range=(0.0, 0.05)), 0.4), new_cases: maybe(out(infected_number, scenario), 0.6), peak_infected: maybe(inout(infected_number, scenario, range=(0.0, 1.0)), 0.4)):
    names(force="force|foi", catch="new_exposed|infections", on="new_infectious|onset", off="recovered|recoveries", jab="vaccinated|doses", share="prevalence|infected_share", total="total_new|incidence", now="total_infected|active", susceptible="susceptible|num_susceptible", exposed="exposed|num_exposed", infected="infected|num_infected", beta="beta|transmission_rate", population="population|group_size", contact="contact_matrix|contacts", sigma="sigma|incubation_rate", gamma="gamma|recovery_rate", vaccination="vaccination_rate|vaccination", new_cases="new_cases|daily_cases", peak_infected="peak_infected|max_infected")
    p = wp.tid()
    note("shares before anything changes|all groups see the same day")
    share = wp.zeros(shape=6, dtype=float)
    for g in range(constant("NUM_GROUPS", 6)):
        share[g] = infected[p, g] / population[g]
    if present(new_cases):
        total = float(0.0)
    if present(peak_infected):
        now = float(0.0)
    for g in range(constant("NUM_GROUPS", 6)):
        force = float(0.0)
        for k in range(constant("NUM_GROUPS", 6)):
            force += contact[g, k] * share[k]
        force = force * beta[p]
        match choose("rate"):
            case 1:
                catch = susceptible[p, g] * (1.0 - wp.exp(-force))
            case 1:
                catch = wp.min(susceptible[p, g] * force, susceptible[p, g])
        on = sigma * exposed[p, g]
        off = gamma * infected[p, g]
        if present(vaccination):
            jab = vaccination[g] * (susceptible[p, g] - catch)
            susceptible[p, g] = susceptible[p, g] - catch - jab
        else:
            susceptible[p, g] = susceptible[p, g] - catch
        exposed[p, g] = exposed[p, g] + catch - on
        infected[p, g] = infected[p, g] + on - off
        if present(new_cases):
            total += catch
        if present(peak_infected):
            now += infected[p, g]
    if present(new_cases):
        new_cases[p] = total
    if present(peak_infected):
        peak_infected[p] = wp.max(peak_infected[p], now)


@scene("control_flow", "math", "function", option,
       says="finds the volatility that explains the market price of each call, by Newton's method with bisection as a fallback",
       title="implied_volatility|solve_vol|implied_vol_newton|back_out_vol", algorithm="implied volatility by safeguarded Newton",
       lossy=True)
def implied_vol(s: each(price, range=(80.0, 120.0)), k: each(strike, range=(80.0, 120.0)), t: each(maturity, range=(0.2, 2.0)), quote: each(option_price, range=(12.0, 40.0)), r: setting(interest_rate), vol: out(volatility), rounds: maybe(out(count_value), 0.4), bad: maybe(add(count_value, 1), 0.4)):
    names(lo="lo|low_v|floor_v|left", hi="hi|high_v|ceil_v|right", x="x|guess|sig|trial", p="p|model_px|value_c|fair", vega="vega|slope|sens|dv", err="err|miss|gap|diff_p", n="n|tries|it|k_iter", base="base|intrinsic|lower_px|min_px", quote="quote|market|premium_in|mid_px")
    i = wp.tid()
    base = wp.max(s[i] - k[i] * wp.exp(-r * t[i]), 0.0)
    if quote[i] <= base or quote[i] >= s[i]:
        note("no volatility gives such a price")
        vol[i] = 0.0
        if present(bad):
            wp.atomic_add(bad, 0, 1)
        if present(rounds):
            rounds[i] = 0
        return
    lo = float(0.001)
    hi = float(4.0)
    x = float(0.3)
    n = int(0)
    while n < 60:
        p, vega = call_and_vega(s[i], k[i], r, t[i], x)
        err = p - quote[i]
        if wp.abs(err) < constant("PRICE_TOL|TOL", 1.0e-4):
            break
        if err > 0.0:
            hi = x
        else:
            lo = x
        if vega > 0.01:
            x = x - err / vega
        note("outside of the bracket: halve it")
        if x <= lo or x >= hi or vega <= 0.01:
            x = 0.5 * (lo + hi)
        n += 1
    vol[i] = x
    if present(rounds):
        rounds[i] = n


@scene("math", "nested_loop", "scalar_param", path,
       says="simulates prices whose variance returns to its mean, from given normal draws, and the pay-off of a call on them",
       title="heston_paths|stochastic_vol_paths|simulate_variance|price_by_paths", algorithm="full-truncation Euler scheme for the Heston model")
def heston_paths(z: each(normal_draw, path, 12), w: each(normal_draw, path, 12), s0: setting(price, 90.0, 110.0), k: setting(strike, 90.0, 110.0), r: setting(interest_rate), speed: setting(growth_rate, 0.5, 3.0), level: setting(variance_level, 0.02, 0.1), xi: setting(volatility, 0.2, 0.6), rho: setting(correlation, -0.8, -0.2), pay: out(cash), low: maybe(out(price), 0.4), mean_out: maybe(add(cash, 1), 0.5), barrier: maybe(setting(price, 60.0, 80.0), 0.4)):
    names(x="x|log_s|lx|y", v="v|var_t|nu|vt", vp="vp|v_plus|pos_v|vtr", dt="dt|tau|h_t|step_t", zs="zs|shock_s|dw_s|corr_z", s="s|spot_t|px|st", least="least|min_s|lowest|floor_s", out_f="out_f|knocked|dead|hit_b", c="c|payoff|gain|claim", level="level|theta_v|long_var|mean_var", speed="speed|kappa_v|reversion|pull", xi="xi|vol_of_vol|nu_vol|eta_v", barrier="barrier|knock_out|down_out|kill_level")
    names(z="z|var_draws|shock_v|eps_v", w="w|price_draws|shock_p|eps_s")
    p = wp.tid()
    dt = constant("DT|STEP", 0.08333333)
    x = wp.log(s0)
    v = level * 1.0
    least = s0 * 1.0
    out_f = int(0)
    for n in range(12):
        vp = wp.max(v, 0.0)
        zs = rho * z[p, n] + wp.sqrt(1.0 - rho * rho) * w[p, n]
        x = x + (r - 0.5 * vp) * dt + wp.sqrt(vp * dt) * zs
        v = v + speed * (level - vp) * dt + xi * wp.sqrt(vp * dt) * z[p, n]
        s = wp.exp(x)
        if present(low):
            least = wp.min(least, s)
        if present(barrier):
            if s < barrier:
                note("knocked out")
                fact("paths that fall below a barrier pay nothing")
                out_f = 1
                break
    c = wp.max(wp.exp(x) - k, 0.0) * wp.exp(-r * 12.0 * dt)
    if out_f == 1:
        c = 0.0
    pay[p] = c
    if present(low):
        low[p] = least
    if present(mean_out):
        wp.atomic_add(mean_out, 0, c / float(count(path)))


@scene("math", "reduction", "control_flow", path,
       says="draws which loans of a portfolio default together, by a common factor, and adds up the loss of each scenario",
       title="copula_losses|portfolio_defaults|credit_scenarios|factor_losses", algorithm="one-factor Gaussian copula")
def copula_losses(common: each(normal_draw), own: each(uniform_draw, path, asset), pd: each(probability, asset, range=(0.02, 0.3)), size: each(loan_amount, asset), rho: setting(ratio, 0.1, 0.5), lgd: maybe(setting(ratio, 0.3, 0.8), 0.6), loss: out(cash), hits: maybe(out(count_value), 0.5), tail: maybe(add(count_value, 1), 0.4), cut: maybe(setting(cash, 300.0, 1500.0), 1.0)):
    names(total="total|acc|lost|sum_l", n="n|defaults|failed|count_d", z="z|latent|asset_v|health", e="e|idio|own_z|specific", bar="bar|threshold_z|trigger|limit_z", common="common|market|factor|systemic", own="own|idio_u|private_u|draws_o", lgd="lgd|severity|loss_share|not_recovered", tail="tail|breaches|exceeded|extreme")
    names(rho="rho|asset_corr|factor_weight|correlation_f", size="size|exposure_i|notional|loan_size")
    s = wp.tid()
    total = float(0.0)
    n = int(0)
    for a in range(count(asset)):
        note("uniform draws become normal ones|inverse of the normal distribution")
        e = wp.sqrt(2.0) * wp.erfinv(2.0 * own[s, a] - 1.0)
        z = wp.sqrt(rho) * common[s] + wp.sqrt(1.0 - rho) * e
        bar = -wp.sqrt(2.0) * wp.erfcinv(2.0 * pd[a])
        if z < bar:
            n += 1
            if present(lgd):
                total += lgd * size[a]
            else:
                total += size[a]
    loss[s] = total
    if present(hits):
        hits[s] = n
    if present(tail) and present(cut):
        if total > cut:
            wp.atomic_add(tail, 0, 1)


@scene("math", "vector", "multi_conditional", satellite,
       says="turns position and velocity of each satellite into elements of its orbit: eccentricity and inclination{raan:, angle of the node}{arg_peri:, argument of periapsis}{axis:, semi-major axis}",
       title="orbital_elements|state_to_elements|elements_from_state", algorithm="orbital elements", topic="")
def orbital_elements(position: each(orbit_position), velocity: each(orbit_velocity), mu: setting(gravitational_constant, 0.8, 1.2), ecc: out(eccentricity), inc: out(angle), raan: maybe(out(angle), 0.6), arg_peri: maybe(out(angle), 0.5), axis: maybe(out(semi_major), 0.5)):
    names(mu="mu|mu", r="r|pos", v="v|vel", d="r_mag|r_len", h="h|ang_mom", hl="h_mag|h_len", en="e_vec|ecc_vec", el="e_mag|ecc_i", asc="n_vec|node_vec", nl="n_mag|n_len", w="arg|omega", energy="energy|spec_energy", position="position|positions", velocity="velocity|velocities", ecc="ecc|eccentricity", inc="inc|inclination", raan="raan|node_angle", arg_peri="arg_periapsis|arg_perigee", axis="semi_major|semi_major_axis", vl="v_mag|v_len")
    i = wp.tid()
    r = position[i]
    v = velocity[i]
    d = wp.length(r)
    vl = wp.length(v)
    h = wp.cross(r, v)
    hl = wp.length(h)
    if hl <= constant("EPS|RADIAL_EPS", 1.0e-4) * d * vl:
        note("falls straight down: no orbit")
        ecc[i] = 1.0
        inc[i] = 0.0
        if present(raan):
            raan[i] = 0.0
        if present(arg_peri):
            arg_peri[i] = 0.0
        if present(axis):
            axis[i] = 0.0
        return
    energy = 0.5 * vl * vl - mu / d
    en = wp.cross(v, h) / mu - r / d
    el = wp.length(en)
    ecc[i] = el
    inc[i] = wp.acos(wp.clamp(h[2] / hl, -1.0, 1.0))
    if present(axis):
        note("negative: the orbit is open|minus one for open orbits")
        if energy * d < -constant("PARABOLIC_EPS|OPEN_EPS", 1.0e-2) * mu:
            axis[i] = -0.5 * mu / energy
        else:
            axis[i] = -1.0
    asc = wp.vec3(-h[1], h[0], 0.0)
    nl = wp.length(asc)
    if present(raan):
        if nl < 1.0e-6 * hl:
            raan[i] = 0.0
        else:
            raan[i] = wp.atan2(asc[1], asc[0])
    if present(arg_peri):
        if nl < 1.0e-6 * hl or el < 1.0e-6:
            note("circular or equatorial: not defined")
            arg_peri[i] = 0.0
        else:
            w = wp.acos(wp.clamp(wp.dot(asc, en) / (nl * el), -1.0, 1.0))
            note("below the plane it counts backwards|sign of the height")
            arg_peri[i] = wp.copysign(w, en[2])


@scene("control_flow", "arithmetic", "scalar_param", cell,
       says="follows the snow of each cell through ten days: snow falls when it is cold, melts by degree days, holds some water and lets the rest go",
       title="snowpack_days|degree_day_melt|snow_balance|melt_runoff", algorithm="degree-day snow model", topic="")
def snowpack(swe: inout(snow_water), wet: inout(snow_water, range=(0.0, 3.0)), rain: each(rainfall, cell, 10, range=(0.0, 20.0)), temp: each(air_temperature, cell, 10, range=(-10.0, 12.0)), ddf: setting(melt_factor), t_rain: setting(air_temperature, 0.5, 2.5), t_melt: maybe(setting(air_temperature, -1.0, 1.0), 0.5), hold: setting(ratio, 0.03, 0.1), refreeze: maybe(setting(ratio, 0.02, 0.1), 0.4), gone: out(runoff), bare: maybe(out(count_value), 0.5)):
    names(pack="pack|ice_s|snow|stock", liq="liq|water_s|pore|held", t="t|deg|air_c|tday", fall="fall|new_s|fresh|snowfall", drop="drop|wet_in|rain_d|liquid_in", melt="melt|melted|thaw|m_day", flow="flow|excess|drain|leave", total="total|sum_q|released|acc_q", days="days|bare_n|open_days|no_snow", hold="hold|retention|pore_share|capacity_r", t_rain="t_rain|snow_limit|rain_snow|phase_t", refreeze="refreeze|refreeze_f|cold_coeff|cfr")
    i = wp.tid()
    pack = swe[i]
    liq = wet[i]
    total = float(0.0)
    days = int(0)
    for k in range(10):
        t = temp[i, k]
        fall = float(0.0)
        drop = rain[i, k]
        match choose("split"):
            case 2:
                if t < t_rain:
                    fall = rain[i, k]
                    drop = 0.0
            case 1:
                note("a mixture within two degrees around the limit")
                fact("around the limit a part falls as snow")
                fall = rain[i, k] * wp.clamp(0.5 * (t_rain + 1.0 - t), 0.0, 1.0)
                drop = rain[i, k] - fall
        pack = pack + fall
        if present(t_melt):
            melt = wp.min(ddf * wp.max(t - t_melt, 0.0), pack)
        else:
            melt = wp.min(ddf * wp.max(t, 0.0), pack)
        pack = pack - melt
        liq = liq + melt + drop
        if present(refreeze):
            if t < 0.0:
                note("held water freezes again in the cold")
                fall = wp.min(-refreeze * ddf * t, liq)
                pack = pack + fall
                liq = liq - fall
        flow = wp.max(liq - hold * pack, 0.0)
        liq = liq - flow
        total += flow
        if present(bare):
            if pack < 0.1:
                days += 1
    swe[i] = pack
    wet[i] = liq
    gone[i] = total
    if present(bare):
        bare[i] = days
