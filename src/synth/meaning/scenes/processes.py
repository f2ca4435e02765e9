"""One value after another, as an engineer computes them: pipes, walls, circuits, orbits, cells, prices."""


@scene("arithmetic", "math", "function", edge,
       says="computes the pressure lost in each pipe of a network from its flow, with laminar or turbulent friction",
       title="pipe_losses|pressure_drops|hydraulic_losses|pipe_network_step", topic="")
def pipe_losses(q: each(volume_flow, range=(0.01, 2.0)), d: each(diameter, range=(0.2, 1.0)), span: each(length), rho: setting(density), mu: setting(viscosity), drop: out(pressure_drop), re_out: maybe(out(reynolds), 0.5), loss: maybe(out(power), 0.3)):
    names(v="v|speed|u|mean_velocity", a="a|section|bore_area|area_i", re="re|reynolds|re_i|flow_re", f="f|factor|lam|darcy", dp="dp|lost|delta_p|head")
    i = wp.tid()
    a = 0.25 * wp.pi * d[i] * d[i]
    v = q[i] / a
    if maybe(0.4):
        note("a blocked or idle pipe loses nothing|no flow")
        fact("pipes that hardly flow are skipped")
        if v < number(0.1, 0.4):
            drop[i] = 0.0
            if present(re_out):
                re_out[i] = 0.0
            if present(loss):
                loss[i] = 0.0
            return
    re = reynolds_number(rho, v, d[i], mu)
    match choose("form"):
        case 2:
            f = pipe_friction_factor(re)
        case 1:
            note("laminar, Blasius beyond")
            f = 64.0 / re
            if re > 2300.0:
                f = 0.316 / wp.pow(re, 0.25)
    dp = darcy_weisbach_drop(f, span[i], d[i], rho, v)
    drop[i] = dp
    if present(re_out):
        re_out[i] = re
    if present(loss):
        loss[i] = dp * q[i]


@scene("arithmetic", "scalar_param", "function", edge,
       says="computes how much water flows in each reach of an open channel by Manning's formula, and whether the flow is rapid",
       title="channel_flow|manning_discharge|route_reach|open_channel", topic="")
def channel_flow(b: each(channel_width), depth: each(water_depth), slope: each(bed_slope), n: setting(manning_roughness), g: setting(gravity), flow: out(volume_flow), rapid: out(flag)):
    names(r="r|hydraulic|rh|wet_radius", v="v|speed|u|mean_speed", fr="fr|froude|ratio_v|fr_num")
    i = wp.tid()
    r = rectangular_hydraulic_radius(b[i], depth[i])
    v = manning_speed(r, slope[i], n)
    flow[i] = either(channel_discharge(v, b[i], depth[i]), v * b[i] * depth[i])
    if present(rapid):
        fr = froude_number(v, g, depth[i])
        if fr > 1.0:
            rapid[i] = 1
        else:
            rapid[i] = 0


@scene("arithmetic", "function", "combined", cell,
       says="computes how fast rooms change their temperature by the heat that passes their walls by conduction{eps: and radiation}{lost:, and that heat}",
       title="wall_heat|building_heat|wall_losses|heat_balance", topic="")
def wall_heat(inside: each(temperature, range=(285.0, 300.0)), outside: setting(ambient_temperature, 260.0, 280.0), k: each(conductivity), d: each(thickness, range=(0.1, 0.5)), a: each(area), eps: maybe(each(emissivity), 0.4), m: setting(mass, 20.0, 80.0), c: setting(heat_capacity), rate: out(temperature_rate), lost: maybe(out(heat_rate), 0.5)):
    names(q="q|flux|q_wall|heat_in", total="total|power_out|q_total|loss_rate")
    i = wp.tid()
    q = conductive_flux(k[i], inside[i], outside, d[i])
    if present(eps):
        note("windows radiate as well|radiation through the glass")
        q += radiative_flux(eps[i], inside[i], outside)
    total = heat_rate_through(q, a[i])
    if present(lost):
        lost[i] = total
    match choose("sign"):
        case 1:
            rate[i] = -warming_rate(total, m, c)
        case 1:
            rate[i] = -total / (m * c)


@scene("arithmetic", "math", "multi_conditional", cell,
       says="melts or freezes a material: tells its liquid share{k_out:, its conductivity}{stored:, and the latent heat stored in it}",
       title="melt_properties|phase_change_properties|melt_fraction_properties", topic="")
def phase_change(t: each(temperature), m: each(mass), k_solid: setting(conductivity, 1.0, 2.0, fixed=True), k_liquid: setting(conductivity, 0.05, 0.8, fixed=True), t_solidus: setting(solidus_temperature, fixed=True), t_liquidus: setting(liquidus_temperature, fixed=True), latent: setting(latent_heat), fraction: out(ratio), k_out: maybe(out(conductivity), 0.6), stored: maybe(out(thermal_energy), 0.5)):
    names(t="temperature|temp", m="mass|cell_mass", latent="latent_heat|heat_of_fusion", fraction="liquid_fraction|melt_fraction_out", k_out="conductivity|k_out", stored="latent_energy|stored_heat", f="f|liquid", k_solid="k_solid|k_s", k_liquid="k_liquid|k_l", t_solidus="t_solidus|solidus", t_liquidus="t_liquidus|liquidus")
    i = wp.tid()
    match choose("form"):
        case 2:
            f = melt_fraction(t[i], t_solidus, t_liquidus)
        case 1:
            f = float(0.0)
            if t[i] >= t_liquidus:
                f = 1.0
            elif t[i] > t_solidus:
                note("mushy zone")
                f = (t[i] - t_solidus) / (t_liquidus - t_solidus)
    fraction[i] = f
    if present(k_out):
        match choose("mix"):
            case 2:
                k_out[i] = wp.lerp(k_solid, k_liquid, f)
            case 1:
                note("layers in series")
                k_out[i] = 1.0 / ((1.0 - f) / k_solid + f / k_liquid)
    if present(stored):
        stored[i] = latent_heat_of_melting(m[i], f, latent)


@scene("arithmetic", "struct", "function", item,
       says="computes the voltage and the heat of a{load: loaded} voltage divider for each of many component values",
       title="divider_sweep|voltage_dividers|tolerance_sweep|divider_stats", topic="")
def divider(u: setting(voltage, 3.0, 12.0), ra: each(resistance), rb: each(resistance), load: maybe(each(resistance), 0.6), out_v: out(voltage), heat: out(power), bad: maybe(add(count_value, 1), 0.4)):
    names(low="low|bottom|r_low|leg", v="v|mid|v_mid|tap", i_total="i_total|supply_current|amps|i_in")
    k = wp.tid()
    low = rb[k]
    if present(load):
        note("the load lies beside the lower resistor")
        low = parallel_resistance(rb[k], load[k])
    v = voltage_divider(u, ra[k], low)
    out_v[k] = v
    if present(heat):
        i_total = ohm_current(u, ra[k] + low)
        heat[k] = joule_power(i_total, ra[k] + low)
    if present(bad):
        note("count what leaves the tolerance band")
        if wp.abs(v / u - 0.5) > number(0.1, 0.3):
            wp.atomic_add(bad, 0, 1)


@scene("math", "scalar_param", "function", item,
       says="computes the impedance of a series circuit over frequency{detune:, and how far it is from resonance}{phase_out:, with its phase}",
       title="impedance_sweep|frequency_response|rlc_sweep|resonance_scan", topic="")
def impedance_sweep(w: each(angular_frequency), r: setting(resistance), ind: setting(inductance), c: setting(capacitance), z: out(impedance), detune: maybe(out(ratio), 0.5), phase_out: maybe(out(phase), 0.5)):
    names(x="x|reactance|imag|react", w0="w0|resonant|omega0|w_res", wi="wi|omega|freq|w_k")
    i = wp.tid()
    wi = w[i]
    x = wi * ind - 1.0 / (wi * c)
    z[i] = either(series_impedance(r, ind, c, wi), wp.sqrt(r * r + x * x))
    if present(phase_out):
        phase_out[i] = wp.atan2(x, r)
    if present(detune):
        w0 = 2.0 * wp.pi * resonance_frequency(ind, c)
        detune[i] = wp.abs(wi - w0) / w0


@scene("multi_conditional", "function", "math", item,
       says="computes the drain current of each transistor by its region of operation, and its small-signal gain",
       title="transistor_currents|mosfet_bias|drain_currents|operating_point", topic="")
def transistor_bias(vgs: each(gate_voltage), vds: each(drain_voltage), vth: setting(threshold_voltage), k: setting(transconductance), i_d: out(current), gm: out(transconductance), region: maybe(out(kind_value), 0.5)):
    names(drive="drive|vov|overdrive|v_eff", amps="amps|i_drain|id_now|cur", slope="slope|gm_i|trans|gain_i")
    i = wp.tid()
    drive = vgs[i] - vth
    if drive <= 0.0:
        note("cut off")
        i_d[i] = 0.0
        if present(gm):
            gm[i] = 0.0
        if present(region):
            region[i] = 0
        return
    if vds[i] < drive:
        note("triode region|linear region")
        amps = k * (drive - 0.5 * vds[i]) * vds[i]
        slope = k * vds[i]
        if present(region):
            region[i] = 1
    else:
        note("saturation")
        amps = 0.5 * k * drive * drive
        slope = k * drive
        if present(region):
            region[i] = 2
    if maybe(0.3):
        note("channel length modulation")
        more = 1.0 + constant("LAMBDA|CHANNEL_MODULATION|CLM", 0.04) * vds[i]
        amps = amps * more
        slope = slope * more
    i_d[i] = amps
    if present(gm):
        gm[i] = slope


@scene("math", "arithmetic", "function", star,
       says="computes where planets are on their elliptic orbits at a time, by Kepler's equation",
       title="orbit_positions|kepler_propagate|planet_positions|propagate_orbits", algorithm="Kepler's equation by Newton's method", topic="")
def kepler_orbit(a: each(semi_major), e: each(eccentricity), span: each(period), t: setting(time_value), pos: out(point2), dist: maybe(out(distance), 0.5)):
    names(m="m|mean_anom|phase_m|mean_i", ecc="ecc|big_e|anom|e_anom", nu="nu|true_anom|angle_nu|theta", r="r|radius|dist_i|range_r")
    i = wp.tid()
    m = mean_anomaly_at(t, span[i])
    match choose("solve"):
        case 1:
            ecc = solve_kepler(m, e[i])
        case 1:
            ecc = m + e[i] * wp.sin(m)
            note("Newton's method converges in a few steps|fixed number of iterations")
            for k in range(integer(5, 7)):
                ecc = ecc - (ecc - e[i] * wp.sin(ecc) - m) / (1.0 - e[i] * wp.cos(ecc))
    match choose("form"):
        case 1:
            nu = true_from_eccentric(ecc, e[i])
            r = orbit_radius(a[i], e[i], nu)
            pos[i] = wp.vec2(r * wp.cos(nu), r * wp.sin(nu))
        case 1:
            r = a[i] * (1.0 - e[i] * wp.cos(ecc))
            pos[i] = wp.vec2(a[i] * (wp.cos(ecc) - e[i]), a[i] * wp.sqrt(1.0 - e[i] * e[i]) * wp.sin(ecc))
    if present(dist):
        dist[i] = r


@scene("math", "scalar_param", "arithmetic", star,
       says="computes the circular speed{v_esc:, the escape speed}{t:, the period} of satellites at given distances from a planet",
       title="satellite_table|orbital_table|orbit_summary|orbital_speeds", topic="")
def satellite_table(r: each(distance, range=(0.5, 5.0)), m: setting(mass), g: setting(gravitational_constant), v: out(speed), v_esc: maybe(out(speed), 0.6), t: maybe(out(period), 0.6), inside: maybe(setting(distance, 0.6, 1.0), 0.5)):
    names(r="r|orbit_radius|distances|radii", m="m|planet_mass|central_mass|mass_planet", v="v|circular_speed_out|v_circ|orbit_speed", v_esc="v_esc|escape|escape_v|v_escape", t="t|periods|period_out|orbit_period", inside="planet_radius|surface|r_planet|ground", ri="ri|dist_i|orbit_r|rad")
    i = wp.tid()
    ri = r[i]
    if present(inside):
        note("below the surface there is no orbit")
        fact("distances inside the planet give zero speed")
        if ri < inside:
            v[i] = 0.0
            if present(v_esc):
                v_esc[i] = 0.0
            if present(t):
                t[i] = 0.0
            return
    v[i] = circular_speed(g, m, ri)
    if present(v_esc):
        v_esc[i] = escape_speed(g, m, ri)
    if present(t):
        t[i] = orbital_period(ri, m, g)


@scene("math", "multi_conditional", "arithmetic", star,
       says="estimates the luminosity{life:, the lifetime}{group:, the class} of main-sequence stars from their mass",
       title="star_properties{group:|classify_stars}|stellar_estimates|main_sequence_properties", topic="")
def star_properties(m: each(stellar_mass), lum: out(stellar_luminosity_ratio), life: maybe(out(stellar_lifetime), 0.6), group: maybe(out(kind_value), 0.6)):
    names(l="l|lum_i|bright|power_sun")
    i = wp.tid()
    l = main_sequence_luminosity(m[i])
    lum[i] = l
    if present(life):
        note("fuel over power, in units of the sun's ten billion years")
        life[i] = 10.0 * m[i] / l
    if present(group):
        if m[i] < number(0.4, 0.6):
            group[i] = 0
        elif m[i] < number(1.0, 1.4):
            group[i] = 1
        elif m[i] < number(1.8, 2.6):
            group[i] = 2
        else:
            group[i] = 3


@scene("math", "function", "nested_loop", cell,
       says="advances the concentrations of a reversible reaction by several small steps, with a forward rate by Arrhenius",
       title="react_step|kinetics_step|reaction_chain|integrate_kinetics", algorithm="explicit Euler substeps of reaction kinetics", topic="")
def reaction_chain(a: each(concentration), b: each(concentration), t: each(temperature), k1: setting(rate_prefactor), ea: setting(activation_energy), kr: setting(rate_constant, 0.05, 0.5), dt: setting(time_step), a_out: out(concentration), b_out: out(concentration), made: maybe(out(concentration), 0.5)):
    names(kf="kf|rate|k_fwd|k_t", ca="ca|conc_a|reactant|u", cb="cb|conc_b|product|w", r="r|net|flow_ab|turnover", total="total|converted|sum_r|yield_b")
    i = wp.tid()
    kf = arrhenius_rate(k1, ea, t[i])
    ca = a[i]
    cb = b[i]
    if present(made):
        total = float(0.0)
    note("several small steps in one launch")
    for s in range(integer(3, 8)):
        r = reversible_rate(kf, kr, ca, cb) * dt
        ca = ca - r
        cb = cb + r
        if present(made):
            total += r
    note("rounding must not make concentrations negative")
    a_out[i] = wp.max(ca, 0.0)
    b_out[i] = wp.max(cb, 0.0)
    if present(made):
        made[i] = total


@scene("function", "multi_conditional", "math", cell,
       says="computes the rate of an enzyme reaction by the kind of its inhibition",
       title="enzyme_rates|inhibition_kinetics|reaction_velocity|enzyme_kinetics", algorithm="Michaelis-Menten kinetics with inhibition", topic="")
def enzyme_rates(s: each(concentration), inh: each(concentration), mode: kind(NONE, COMPETITIVE, SUBSTRATE), vmax: setting(maximum_rate), km: setting(half_saturation), ki: setting(inhibition_constant), v: out(reaction_rate), occupied: maybe(out(ratio), 0.5)):
    names(rate="rate|vel|turnover|v_i", mode="mode|inhibition|mechanism|model", inh="inh|inhibitor|conc_inh|blocker")
    i = wp.tid()
    rate = michaelis_menten(vmax, km, s[i])
    if mode[i] == COMPETITIVE:
        rate = competitive_inhibition(vmax, km, s[i], inh[i], ki)
    elif mode[i] == SUBSTRATE:
        note("too much substrate blocks the enzyme")
        rate = substrate_inhibition(vmax, km, s[i], ki)
    v[i] = rate
    if present(occupied):
        occupied[i] = rate / vmax


@scene("math", "combined", "function", neuron,
       says="advances the gate and the voltage of neurons with potassium channels by one step",
       title="neuron_step|potassium_step|membrane_step|update_neurons", algorithm="Hodgkin-Huxley potassium gate", topic="")
def potassium_neuron(v: inout(membrane_voltage), n: inout(gate_state), g: setting(conductance), e: setting(reversal_potential), drive: each(input_current), cm: setting(capacitance, 0.5, 2.0), dt: setting(time_step, 0.005, 0.02), leak: maybe(setting(conductance, 0.1, 0.4), 0.6)):
    names(vi="vi|v_old|volts|vm", gate="gate|n_old|n_i|gate_n", i_ion="i_ion|ionic|current_sum|i_k", a="a|alpha|opening|open_rate", b="b|beta|closing|close_rate")
    i = wp.tid()
    vi = v[i]
    gate = n[i]
    a = potassium_opening_rate(vi)
    b = potassium_closing_rate(vi)
    i_ion = channel_current(potassium_conductance(g, gate), vi, e)
    if present(leak):
        note("leak towards rest")
        i_ion += leak * (vi - constant("LEAK_REVERSAL|E_LEAK|V_LEAK", -54.4))
    n[i] = wp.clamp(gate + gate_change(gate, a, b) * dt, 0.0, 1.0)
    v[i] = vi + (drive[i] - i_ion) / cm * dt


@scene("control_flow", "multi_conditional", "ml", neuron,
       says="integrates leaky neurons: they spike at a threshold, are reset and rest for a refractory time",
       title="lif_step|spiking_step|integrate_and_fire|update_spikes", algorithm="leaky integrate-and-fire", topic="")
def integrate_and_fire(v: inout(membrane_voltage, range=(-75.0, -50.0)), wait: inout(count_value, range=(0, 2)), drive: each(input_drive), rest: setting(membrane_voltage, -70.0, -65.0), threshold: setting(membrane_voltage, -56.0, -54.0), tau: setting(membrane_time), dt: setting(time_step, 0.1, 1.0), spike: out(flag), total: maybe(add(count_value, 1), 0.4)):
    names(vi="vi|volt|u|potential_i", rest="rest|v_rest|e_leak", threshold="threshold|v_thresh|v_spike", wait="wait|refractory|cooldown")
    i = wp.tid()
    spike[i] = 0
    if wait[i] > 0:
        note("still refractory")
        wait[i] = wait[i] - 1
        v[i] = rest
        return
    vi = v[i] + leaky_neuron_rate(v[i], rest, drive[i], tau) * dt
    if vi >= threshold:
        spike[i] = 1
        vi = rest
        wait[i] = integer(2, 5)
        if present(total):
            wp.atomic_add(total, 0, 1)
    v[i] = vi


@scene("arithmetic", "combined", "function", cell,
       says="advances prey and predators in each cell of a habitat by one step, with limited growth of the prey",
       title="predator_prey|ecology_step|habitat_step|lotka_volterra_step", algorithm="Lotka-Volterra step", topic="")
def predator_prey(prey: inout(population), hunters: inout(predator_count), birth: setting(growth_rate), cap: maybe(setting(carrying_capacity), 0.5), capture: setting(capture_rate), gain: setting(conversion_rate), death: setting(death_rate), dt: setting(time_step), hungry: maybe(setting(handling_time), 0.3)):
    names(x="x|prey_now|n_prey|rabbits", y="y|pred_now|n_pred|foxes", eaten="eaten|caught|loss|kills", born="born|growth|births|gain_x")
    i = wp.tid()
    x = prey[i]
    y = hunters[i]
    if present(hungry):
        note("a predator needs time for each catch")
        eaten = holling_response(x, capture, hungry) * y
    else:
        eaten = capture * x * y
    if present(cap):
        born = logistic_growth(x, birth, cap)
    else:
        born = birth * x
    prey[i] = advance_population(x, born - eaten, dt)
    hunters[i] = advance_population(y, gain * eaten - death * y, dt)


@scene("arithmetic", "scalar_param", "control_flow", cell,
       says="advances an epidemic in each district by one step: susceptible, infected and recovered people",
       title="sir_step|epidemic_step|update_districts|infect", algorithm="SIR model, explicit Euler", topic="")
def sir_step(s: inout(susceptible_count), i_n: inout(infected_count), r: inout(population, range=(0.0, 20.0)), beta: setting(transmission_rate), gamma: setting(recovery_rate), dt: setting(ratio, 0.1, 1.0), lockdown: maybe(setting(infected_count, 10.0, 25.0), 0.4), fresh: maybe(out(population_rate), 0.4)):
    names(r="recovered|num_recovered|removed|recovered_n", s="susceptible|num_susceptible|healthy|at_risk", dt="dt|days|step_days|time_step")
    names(total="total|n_all|residents|pop", cases="cases|new_inf|infections|d_si", healed="healed|recoveries|d_ir|cured", b="b|beta_eff|contact|rate", i_n="infected|i_count|sick|active_cases", lockdown="lockdown|alert_level|closure_at|limit_cases")
    k = wp.tid()
    total = s[k] + i_n[k] + r[k]
    if present(lockdown):
        b = beta
        note("contacts fall when many are ill")
        fact("contacts are halved above a number of cases")
        if i_n[k] > lockdown:
            b = 0.5 * beta
        cases = infection_rate(b, s[k], i_n[k], total) * dt
    else:
        cases = infection_rate(beta, s[k], i_n[k], total) * dt
    note("not more than there are")
    cases = wp.min(cases, s[k])
    healed = wp.min(gamma * i_n[k] * dt, i_n[k])
    s[k] = s[k] - cases
    i_n[k] = i_n[k] + cases - healed
    r[k] = r[k] + healed
    if present(fresh):
        fresh[k] = cases


@scene("multi_conditional", "math", "scalar_param", item,
       says="computes the power of wind turbines from the wind at hub height, zero below cut-in and above cut-out",
       title="turbine_output|wind_power|farm_power|power_curve", algorithm="power curve with logarithmic wind profile", topic="")
def wind_farm(u: each(friction_velocity), z: each(height, range=(10.0, 30.0)), rough: setting(roughness_length), low: setting(cut_in_speed), rated: setting(rated_speed), high: setting(cut_out_speed), top: setting(rated_power), p: out(power), v_out: maybe(out(wind_speed), 0.5), total: maybe(add(power, 1), 0.5)):
    names(v="v|wind|speed|hub_wind", watts="watts|output|mw|power_i", share="share|level|x|load")
    i = wp.tid()
    v = log_wind_speed(u[i], z[i], rough)
    if present(v_out):
        v_out[i] = v
    match choose("form"):
        case 2:
            watts = turbine_power(v, low, rated, high, top)
        case 1:
            watts = float(0.0)
            if v >= rated and v < high:
                watts = top
            elif v >= low and v < high:
                share = (v * v * v - low * low * low) / (rated * rated * rated - low * low * low)
                watts = top * share
    p[i] = watts
    if present(total):
        wp.atomic_add(total, 0, watts)


@scene("arithmetic", "math", "multi_conditional", item,
       says="computes the dew point and the felt temperature at weather stations",
       title="station_weather|derive_humidity|weather_quantities|feels_like", topic="")
def weather_station(t: each(air_temperature), rh: each(humidity), wind: each(wind_kmh), dew: out(dew_point), felt: out(felt_temperature), dry: maybe(out(flag), 0.4)):
    names(sat="sat|e_sat|saturated|full_vapor", e="e|vapor|pressure_v|e_now", td="td|dew_i|condense_at|dew_c")
    i = wp.tid()
    sat = saturation_pressure(t[i])
    e = wp.max(rh[i] * sat, 0.2)
    td = dew_point_of(e)
    dew[i] = wp.min(td, t[i])
    if present(felt):
        match choose("form"):
            case 1:
                felt[i] = wind_chill(t[i], wind[i])
            case 1:
                if t[i] < 10.0 and wind[i] > 4.8:
                    p = wp.pow(wind[i], 0.16)
                    felt[i] = 13.12 + 0.6215 * t[i] - 11.37 * p + 0.3965 * t[i] * p
                else:
                    felt[i] = t[i]
    if present(dry):
        dry[i] = 0
        if t[i] - td > number(8.0, 15.0):
            dry[i] = 1


@scene("control_flow", "arithmetic", "nested_loop", cell,
       says="runs the water balance of soil columns over several days: rain, snow melt, evaporation and runoff",
       title="water_balance|hydrology_step|bucket_model|soil_column", algorithm="bucket water balance", topic="")
def water_balance(rain: each(rainfall, cell, 6), t: each(air_temperature, cell, 6), soil: inout(soil_moisture), snow: inout(melt_depth, range=(0.0, 40.0)), cap: setting(bucket_capacity), factor: setting(degree_day_factor), loss: setting(water_loss, 0.5, 4.0), q: out(runoff)):
    names(level="level|store|water|bucket", pack="pack|snow_now|swe|snow_i", over="over|excess|spill|out_flow", melt="melt|thaw|melted|from_snow", wet="wet|input|supply|water_in")
    c = wp.tid()
    level = soil[c]
    pack = snow[c]
    over = float(0.0)
    for day in range(6):
        wet = float(0.0)
        if t[c, day] < 0.0:
            note("it snows")
            pack += rain[c, day]
        else:
            melt = wp.min(snow_melt(t[c, day], 0.0, factor), pack)
            pack -= melt
            wet = rain[c, day] + melt
        if maybe(0.5):
            note("evaporation falls with dryness")
            level += wet - loss * level / cap
        else:
            level = wp.max(level + wet - loss, 0.0)
        if level > cap:
            over += level - cap
            level = cap
    soil[c] = level
    snow[c] = pack
    q[c] = over


@scene("arithmetic", "scalar_param", "math", option,
       says="prices European options by Black and Scholes, calls and puts by a flag, with their delta",
       title="price_options|black_scholes|option_prices|bs_kernel", algorithm="Black-Scholes", topic="")
def black_scholes_prices(s: each(price), k: each(strike), years: each(maturity), vol: maybe(each(volatility), 0.5), flat_vol: setting(volatility), rate: setting(interest_rate), is_put: maybe(each(flag), 0.6), value: out(option_value), delta: out(hedge_ratio)):
    names(sigma="sigma|v|vol_i|sd", d1="d1|d_one|z1|dplus", d2="d2|d_two|z2|dminus", spread="spread|root|vt|sigma_root", flat_vol="flat_vol|volatility|market_vol|sigma0", is_put="is_put|put_flag|puts|option_type")
    i = wp.tid()
    if present(vol):
        sigma = vol[i]
    else:
        sigma = flat_vol
    spread = sigma * wp.sqrt(years[i])
    d1 = (wp.log(s[i] / k[i]) + (rate + 0.5 * sigma * sigma) * years[i]) / spread
    d2 = d1 - spread
    if present(is_put):
        if is_put[i] == 1:
            value[i] = k[i] * wp.exp(-rate * years[i]) * normal_share_below(-d2) - s[i] * normal_share_below(-d1)
            if present(delta):
                delta[i] = normal_share_below(d1) - 1.0
            return
    value[i] = s[i] * normal_share_below(d1) - k[i] * wp.exp(-rate * years[i]) * normal_share_below(d2)
    if present(delta):
        delta[i] = normal_share_below(d1)


@scene("nested_loop", "control_flow", "scalar_param", option,
       says="prices American puts on a binomial tree, walking backwards through the levels and exercising early where it pays",
       title="american_put|binomial_tree|tree_price|crr_put", algorithm="Cox-Ross-Rubinstein tree for American puts", topic="",
       lossy=True)
def american_put(s: each(price), k: each(strike), vol: setting(volatility), rate: setting(interest_rate), years: setting(maturity), work: inout(option_value, option, 9), value: out(option_value), early: maybe(out(count_value), 0.4)):
    names(up="up|u|grow|up_factor", p="p|prob_up|q|risk_neutral", disc="disc|df|discount|step_df", dt="dt|step_years|h|tau_step", hold="hold|cont|keep|continuation", ex="ex|exercise|now_value|intrinsic", spot="spot|asset|s_node|price_node", used="used|n_early|exercised|stops", work="work|values|tree|level_values")
    i = wp.tid()
    dt = years / 8.0
    up = wp.exp(vol * wp.sqrt(dt))
    disc = wp.exp(-rate * dt)
    p = wp.clamp((1.0 / disc - 1.0 / up) / (up - 1.0 / up), 0.0, 1.0)
    if present(early):
        used = int(0)
    note("values at maturity")
    for n in range(9):
        spot = s[i] * wp.pow(up, float(2 * n - 8))
        work[i, n] = put_payoff(spot, k[i])
    for back in range(8):
        for n in range(8 - back):
            hold = disc * (p * work[i, n + 1] + (1.0 - p) * work[i, n])
            spot = s[i] * wp.pow(up, float(2 * n - 7 + back))
            ex = k[i] - spot
            if ex > hold:
                hold = ex
                if present(early):
                    used += 1
            work[i, n] = hold
    value[i] = work[i, 0]
    if present(early):
        early[i] = used


@scene("scalar_param", "control_flow", "math", item,
       says="finds the yield of bonds by Newton's method on the present value of coupons and face value",
       title="bond_yields|solve_yield|yield_to_maturity|internal_rate", algorithm="yield to maturity by Newton's method", topic="")
def bond_yield(cost: each(price, range=(85.0, 115.0)), coupon: each(interest_rate, range=(0.01, 0.08)), years: setting(steps_value, 3, 10), guess: setting(interest_rate, 0.02, 0.05), result: out(interest_rate), rounds: maybe(out(steps_value), 0.5)):
    names(y="y|rate|yld|r", pv="pv|value|sum_pv|worth", slope="slope|dpv|deriv|sens", df="df|disc|factor|v_n", step="step|change|dy|update", coupon="coupon|coupons|cpn|rates_c", cost="cost|prices|dirty|paid")
    i = wp.tid()
    y = float(guess)
    if present(rounds):
        rounds[i] = integer(6, 10)
    for it in range(integer(6, 10)):
        pv = float(0.0)
        slope = float(0.0)
        df = float(1.0)
        for n in range(years):
            df = df / (1.0 + y)
            pv += 100.0 * coupon[i] * df
            slope -= 100.0 * coupon[i] * df * float(n + 1) / (1.0 + y)
        pv += 100.0 * df
        slope -= 100.0 * df * float(years) / (1.0 + y)
        step = (pv - cost[i]) / slope
        y = wp.clamp(y - step, -0.5, 1.0)
        if maybe(0.6):
            note("converged")
            if wp.abs(step) < constant("YIELD_TOL|TOL", 1.0e-6):
                if present(rounds):
                    rounds[i] = it
                break
    result[i] = y


@scene("nested_loop", "reduction", "scalar_param", asset,
       says="computes the largest fall from a peak, the volatility and the average gain of the prices of each asset",
       title="risk_metrics|drawdown_stats|price_stats|asset_risk", algorithm="maximum drawdown", topic="")
def drawdowns(p: each(price, asset, 12), worst: out(drawdown), vol: out(volatility), average: out(asset_return)):
    names(peak="peak|high|top|best", dd="dd|deepest|fall|max_dd", r="r|ret|gain|log_r", total="total|sum_r|acc|mean_r", sq="sq|sum_sq|acc2|var_r")
    a = wp.tid()
    peak = p[a, 0]
    dd = float(0.0)
    total = float(0.0)
    sq = float(0.0)
    for t in range(1, 12):
        peak = wp.max(peak, p[a, t])
        dd = wp.max(dd, 1.0 - p[a, t] / peak)
        r = log_return(p[a, t], p[a, t - 1])
        total += r
        sq += r * r
    worst[a] = dd
    total = total / 11.0
    if present(vol):
        vol[a] = wp.sqrt(wp.max(sq / 11.0 - total * total, 0.0))
    if present(average):
        average[a] = total


@scene("scalar_param", "function", "random", path,
       says="simulates price paths under geometric Brownian motion and gives the discounted payoff of a call that a barrier knocks out",
       title="monte_carlo_barrier|simulate_paths|mc_price|knock_out_call", algorithm="Monte Carlo price of an up-and-out call", topic="")
def barrier_paths(s0: setting(price, 90.0, 110.0), k: setting(strike, 90.0, 110.0), top: setting(barrier_level), vol: setting(volatility), rate: setting(interest_rate), years: setting(maturity), seed: setting(seed), payoff: out(payoff), total: maybe(add(payoff, 1), 0.5)):
    names(s="s|price|spot|asset", alive="alive|active|in_play|not_hit", dt="dt|h|step|tau", state="state|rng|rand_state|gen", z="z|noise|g|shock", pay="pay|value|result|gain")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    dt = years / 12.0
    s = float(s0)
    alive = int(1)
    for t in range(12):
        z = wp.randn(state)
        s = s * wp.exp((rate - 0.5 * vol * vol) * dt + vol * wp.sqrt(dt) * z)
        if s >= top:
            note("knocked out")
            alive = 0
            break
    pay = float(0.0)
    if alive == 1:
        pay = wp.exp(-rate * years) * call_payoff(s, k)
    payoff[i] = pay
    if present(total):
        wp.atomic_add(total, 0, pay)
