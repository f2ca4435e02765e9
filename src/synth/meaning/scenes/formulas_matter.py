"""Substances, living things and materials: one law after another, from what is measured to what is wanted."""


@scene("arithmetic", "combined", "multi_conditional", species,
       says="computes how fast the voltage of a leaky neuron changes, then the voltage after a step of the neuron, and from it the opening rate of the potassium gate of Hodgkin and Huxley, per millisecond",
       title="compute_gate_rate|gate_rate_from_potential_rate|potassium_opening_rate_kernel|evaluate_gate_rate|gate_rate_step", topic="biology")
def leaky_neuron_rate_to_potassium_opening_rate(v: each(membrane_voltage), rest: each(reversal_potential), drive: each(input_drive), tau: each(membrane_time), dt: setting(time_step), active: maybe(each(flag), 0.4), gate_rate_out: out(gate_rate), potential_rate_out: maybe(out(potential_rate), 0.5), membrane_voltage_out: maybe(out(membrane_voltage), 0.5)):
    names(r0="potential_rate|leaky_neuron_rate|rate", r1="membrane_voltage|membrane_voltage_est|voltage", r2="gate_rate|gate_rate_k|gate_rate_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = leaky_neuron_rate(v[i], rest[i], drive[i], tau[i])
    r1 = advance_membrane(v[i], r0, dt)
    r2 = potassium_opening_rate(r1)
    gate_rate_out[i] = r2
    if present(potential_rate_out):
        potential_rate_out[i] = r0
    if present(membrane_voltage_out):
        membrane_voltage_out[i] = r1


@scene("arithmetic", "math", "multi_conditional", site,
       says="computes the voltage after a step of the neuron, then the opening rate of the potassium gate of Hodgkin and Huxley, per millisecond, and from it how fast an ion gate opens",
       title="compute_gate_change_rate|gate_change_rate_from_membrane_voltage|gate_change_kernel|evaluate_gate_change_rate|gate_change_rate_step", topic="biology")
def advance_membrane_to_gate_change(v: each(membrane_voltage), rate: each(potential_rate), dt: setting(time_step), gate: each(gate_state), closing: each(gate_rate), active: maybe(each(flag), 0.4), gate_change_rate_out: out(gate_change_rate), membrane_voltage_out: maybe(out(membrane_voltage), 0.5), gate_rate_out: maybe(out(gate_rate), 0.5)):
    names(r0="membrane_voltage|membrane_voltage_est|voltage", r1="gate_rate|gate_rate_here|gate_rate_now", r2="gate_change_rate|gate_change|gate_change_rate_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = advance_membrane(v[i], rate[i], dt)
    r1 = potassium_opening_rate(r0)
    r2 = gate_change(gate[i], r1, closing[i])
    gate_change_rate_out[i] = r2
    if present(membrane_voltage_out):
        membrane_voltage_out[i] = r0
    if present(gate_rate_out):
        gate_rate_out[i] = r1


@scene("combined", "arithmetic", "scalar_param", site,
       says="computes the light below a canopy, and from it the photosynthesis of a leaf that light saturates",
       title="compute_assimilation|assimilation_from_photon_flux|light_response_kernel|evaluate_assimilation|assimilation_step", topic="biology")
def canopy_light_to_light_response(above: each(photon_flux), k: setting(extinction), lai: each(leaf_area_index), alpha: setting(quantum_yield), pmax: each(maximum_rate), assimilation_out: out(assimilation), photon_flux_out: maybe(out(photon_flux), 0.5)):
    names(r0="photon_flux|canopy_light|flux", r1="assimilation|light_response|assimilation_now")
    i = wp.tid()
    r0 = canopy_light(above[i], k, lai[i])
    r1 = light_response(r0, alpha, pmax[i])
    assimilation_out[i] = r1
    if present(photon_flux_out):
        photon_flux_out[i] = r0


@scene("math", "function", "struct", species,
       says="computes the conductance of the potassium channels, with the fourth power of their gate, and from it the current through a channel",
       title="compute_ion_current|ion_current_from_conductance|channel_current_kernel|evaluate_ion_current|ion_current_step", topic="biology")
def potassium_conductance_to_channel_current(g_max: each(conductance), n: each(gate_state), v: each(membrane_voltage), e: each(reversal_potential), ion_current_out: out(ion_current), conductance_out: maybe(out(conductance), 0.5)):
    names(r0="conductance|conductance_now|conductance_i", r1="ion_current|channel_current|current")
    i = wp.tid()
    r0 = potassium_conductance(g_max[i], n[i])
    r1 = channel_current(r0, v[i], e[i])
    ion_current_out[i] = r1
    if present(conductance_out):
        conductance_out[i] = r0


@scene("math", "function", species,
       says="computes the share of a gene variant after one generation of selection, and from it the share of carriers of two different variants by Hardy and Weinberg",
       title="compute_fraction|fraction_from_allele_frequency|heterozygote_share_kernel|evaluate_fraction|fraction_step", topic="biology")
def selection_step_to_heterozygote_share(p: each(allele_frequency), s: each(selection_coefficient), fraction_out: out(ratio), allele_frequency_out: maybe(out(allele_frequency), 0.5)):
    names(r0="allele_frequency|selection_step|frequency", r1="fraction|heterozygote_share|fraction_here")
    i = wp.tid()
    r0 = selection_step(p[i], s[i])
    r1 = heterozygote_share(r0)
    fraction_out[i] = r1
    if present(allele_frequency_out):
        allele_frequency_out[i] = r0


@scene("combined", "arithmetic", "multi_conditional", species,
       says="computes the mean number of people that one case infects, and from it the share that must be immune to stop an epidemic",
       title="compute_fraction|fraction_from_reproduction_number|herd_immunity_share_kernel|evaluate_fraction|fraction_step", topic="biology")
def basic_reproduction_number_to_herd_immunity_share(beta: each(transmission_rate), gamma: each(recovery_rate), fraction_out: out(ratio), reproduction_number_out: maybe(out(reproduction_number), 0.5)):
    names(r0="reproduction_number|reproduction_number_i|number", r1="fraction|herd_immunity_share|fraction_here")
    i = wp.tid()
    r0 = basic_reproduction_number(beta[i], gamma[i])
    r1 = herd_immunity_share(r0)
    fraction_out[i] = r1
    if present(reproduction_number_out):
        reproduction_number_out[i] = r0


@scene("math", "combined", species,
       says="computes the closing rate of the potassium gate of Hodgkin and Huxley, per millisecond, and from it how fast an ion gate opens",
       title="compute_gate_change_rate|gate_change_rate_from_gate_rate|gate_change_kernel|evaluate_gate_change_rate|gate_change_rate_step", topic="biology")
def potassium_closing_rate_to_gate_change(v: each(membrane_voltage), gate: each(gate_state), closing: each(gate_rate), gate_change_rate_out: out(gate_change_rate), gate_rate_out: maybe(out(gate_rate), 0.5)):
    names(r0="gate_rate|gate_rate_k|rate", r1="gate_change_rate|gate_change|gate_change_rate_now")
    i = wp.tid()
    r0 = potassium_closing_rate(v[i])
    r1 = gate_change(gate[i], r0, closing[i])
    gate_change_rate_out[i] = r1
    if present(gate_rate_out):
        gate_rate_out[i] = r0


@scene("math", "combined", "scalar_param", particle,
       says="computes the rate of a reversible reaction, then the concentration after a step of net production, and from it the occupied share of binding sites by Hill",
       title="compute_fraction|fraction_from_net_rate|hill_occupancy_kernel|evaluate_fraction|fraction_step", topic="chemistry")
def reversible_rate_to_hill_occupancy(kf: each(rate_constant), kr: each(rate_constant), ca: each(concentration), cb: each(concentration), c: each(concentration), dt: setting(time_step), kd: each(half_saturation), n: setting(hill_coefficient), active: maybe(each(flag), 0.4), fraction_out: out(ratio), net_rate_out: maybe(out(net_rate), 0.5), concentration_out: maybe(out(concentration), 0.5)):
    names(r0="net_rate|reversible_rate|rate", r1="concentration|concentration_here|concentration_now", r2="fraction|hill_occupancy|fraction_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = reversible_rate(kf[i], kr[i], ca[i], cb[i])
    r1 = advance_concentration(c[i], r0, dt)
    r2 = hill_occupancy(r1, kd[i], n)
    fraction_out[i] = r2
    if present(net_rate_out):
        net_rate_out[i] = r0
    if present(concentration_out):
        concentration_out[i] = r1


@scene("math", "function", "struct", cell,
       says="computes the rate constant of a reaction by Arrhenius, with the activation energy in joules per mole, and from it the rate of a reversible reaction",
       title="compute_net_rate|net_rate_from_rate_constant|reversible_rate_kernel|evaluate_net_rate|net_rate_step", topic="chemistry")
def arrhenius_rate_to_reversible_rate(a: each(rate_prefactor), ea: each(activation_energy), t: each(temperature), kr: each(rate_constant), ca: each(concentration), cb: each(concentration), active: maybe(each(flag), 0.4), net_rate_out: out(net_rate), rate_constant_out: maybe(out(rate_constant), 0.5)):
    names(r0="rate_constant|arrhenius_rate|constant", r1="net_rate|reversible_rate|rate", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = arrhenius_rate(a[i], ea[i], t[i])
    r1 = reversible_rate(r0, kr[i], ca[i], cb[i])
    net_rate_out[i] = r1
    if present(rate_constant_out):
        rate_constant_out[i] = r0


@scene("arithmetic", "function", "struct", cell,
       says="computes the diffusivity of a small sphere by Stokes and Einstein, in reduced units, and from it the rate at which diffusion carries a substance through a layer, by Fick",
       title="compute_molar_flux|molar_flux_from_diffusivity|fick_flux_kernel|evaluate_molar_flux|molar_flux_step", topic="chemistry")
def stokes_einstein_to_fick_flux(kt: setting(thermal_energy_scale), mu: each(viscosity), r: each(radius), ca: each(concentration), cb: each(concentration), d: each(thickness), active: maybe(each(flag), 0.4), molar_flux_out: out(molar_flux), diffusivity_out: maybe(out(diffusivity), 0.5)):
    names(r0="diffusivity|stokes_einstein|diffusivity_est", r1="molar_flux|fick_flux|flux", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = stokes_einstein(kt, mu[i], r[i])
    r1 = fick_flux(r0, ca[i], cb[i], d[i])
    molar_flux_out[i] = r1
    if present(diffusivity_out):
        diffusivity_out[i] = r0


@scene("arithmetic", "function", "struct", particle,
       says="computes the rate constant of a reaction by Arrhenius, with the activation energy in joules per mole, and from it the rate of a second-order reaction",
       title="compute_reaction_rate|reaction_rate_from_rate_constant|second_order_rate_kernel|evaluate_reaction_rate|reaction_rate_step", topic="chemistry")
def arrhenius_rate_to_second_order_rate(a: each(rate_prefactor), ea: each(activation_energy), t: each(temperature), ca: each(concentration), cb: each(concentration), active: maybe(each(flag), 0.4), reaction_rate_out: out(reaction_rate), rate_constant_out: maybe(out(rate_constant), 0.5)):
    names(r0="rate_constant|arrhenius_rate|constant", r1="reaction_rate|second_order_rate|rate", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = arrhenius_rate(a[i], ea[i], t[i])
    r1 = second_order_rate(r0, ca[i], cb[i])
    reaction_rate_out[i] = r1
    if present(rate_constant_out):
        rate_constant_out[i] = r0


@scene("arithmetic", "math", particle,
       says="computes the rate constant of a reaction by Arrhenius, with the activation energy in joules per mole, and from it the half-life of a first-order decay",
       title="compute_half_life|half_life_from_rate_constant|decay_half_life_kernel|evaluate_half_life|half_life_step", topic="chemistry")
def arrhenius_rate_to_decay_half_life(a: each(rate_prefactor), ea: each(activation_energy), t: each(temperature), half_life_out: out(half_life), rate_constant_out: maybe(out(rate_constant), 0.5)):
    names(r0="rate_constant|arrhenius_rate|constant", r1="half_life|decay_half_life|life")
    i = wp.tid()
    r0 = arrhenius_rate(a[i], ea[i], t[i])
    r1 = decay_half_life(r0)
    half_life_out[i] = r1
    if present(rate_constant_out):
        rate_constant_out[i] = r0


@scene("arithmetic", "math", "struct", cell,
       says="computes the rate constant of a reaction by Arrhenius, with the activation energy in joules per mole, and from it the rate of a first-order reaction",
       title="compute_reaction_rate|reaction_rate_from_rate_constant|first_order_rate_kernel|evaluate_reaction_rate|reaction_rate_step", topic="chemistry")
def arrhenius_rate_to_first_order_rate(a: each(rate_prefactor), ea: each(activation_energy), t: each(temperature), c: each(concentration), reaction_rate_out: out(reaction_rate), rate_constant_out: maybe(out(rate_constant), 0.5)):
    names(r0="rate_constant|arrhenius_rate|constant", r1="reaction_rate|first_order_rate|rate")
    i = wp.tid()
    r0 = arrhenius_rate(a[i], ea[i], t[i])
    r1 = first_order_rate(r0, c[i])
    reaction_rate_out[i] = r1
    if present(rate_constant_out):
        rate_constant_out[i] = r0


@scene("arithmetic", "combined", particle,
       says="computes the free energy from enthalpy and entropy, in kilojoules per mole, and from it the equilibrium constant from the free energy in kilojoules per mole",
       title="compute_equilibrium_ratio|equilibrium_ratio_from_free_energy|equilibrium_constant_kernel|evaluate_equilibrium_ratio|equilibrium_ratio_step", topic="chemistry")
def gibbs_energy_to_equilibrium_constant(dh: each(enthalpy), ds: each(entropy), t: each(temperature), equilibrium_ratio_out: out(equilibrium_ratio), free_energy_out: maybe(out(free_energy), 0.5)):
    names(r0="free_energy|gibbs_energy|energy", r1="equilibrium_ratio|equilibrium_constant|ratio")
    i = wp.tid()
    r0 = gibbs_energy(dh[i], ds[i], t[i])
    r1 = equilibrium_constant(r0, t[i])
    equilibrium_ratio_out[i] = r1
    if present(free_energy_out):
        free_energy_out[i] = r0


@scene("function", "combined", "multi_conditional", element,
       says="computes the strain of a bar from its lengths, then the stress of a bar with linear hardening, and from it the largest principal stress in the plane",
       title="compute_axial_stress|axial_stress_from_axial_strain|first_principal_stress_kernel|evaluate_axial_stress|axial_stress_step", topic="materials")
def engineering_strain_to_first_principal_stress(span: each(length), rest: each(rest_length), e: each(youngs_modulus), limit: each(yield_stress), h: setting(hardening_modulus), sy: each(axial_stress), t: each(shear_stress), active: maybe(each(flag), 0.4), axial_stress_out2: out(axial_stress), axial_strain_out: maybe(out(axial_strain), 0.5)):
    names(r0="axial_strain|engineering_strain|strain", r1="axial_stress|bilinear_stress|stress", r2="axial_stress_k|axial_stress_now|axial_stress_k_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = engineering_strain(span[i], rest[i])
    r1 = bilinear_stress(e[i], r0, limit[i], h)
    r2 = first_principal_stress(r1, sy[i], t[i])
    axial_stress_out2[i] = r2
    if present(axial_strain_out):
        axial_strain_out[i] = r0


@scene("arithmetic", "math", "struct", node,
       says="computes the stress of a bent beam at a fibre, then the equivalent stress of von Mises in the plane, and from it how far a stress is beyond yield, zero inside",
       title="compute_overstress|overstress_from_axial_stress|yield_excess_kernel|evaluate_overstress|overstress_step", topic="materials")
def bending_stress_to_yield_excess(m: each(bending_moment), y: each(fibre_distance), i_1: each(second_moment_of_area), sy: each(axial_stress), t: each(shear_stress), limit: each(yield_stress), active: maybe(each(flag), 0.4), overstress_out: out(overstress), axial_stress_out: maybe(out(axial_stress), 0.5), equivalent_stress_out: maybe(out(equivalent_stress), 0.5)):
    names(r0="axial_stress|bending_stress|stress", r1="equivalent_stress|plane_von_mises|equivalent_stress_here", r2="overstress|yield_excess|overstress_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = bending_stress(m[i], y[i], i_1[i])
    r1 = plane_von_mises(r0, sy[i], t[i])
    r2 = yield_excess(r1, limit[i])
    overstress_out[i] = r2
    if present(axial_stress_out):
        axial_stress_out[i] = r0
    if present(equivalent_stress_out):
        equivalent_stress_out[i] = r1


@scene("combined", "math", "multi_conditional", element,
       says="computes the logarithmic strain of a bar, then the stress of a bar with linear hardening, and from it the energy stored in an elastic material",
       title="compute_energy_density|energy_density_from_axial_strain|strain_energy_density_kernel|evaluate_energy_density|energy_density_step", topic="materials")
def true_strain_to_strain_energy_density(span: each(length), rest: each(rest_length), e: each(youngs_modulus), limit: each(yield_stress), h: setting(hardening_modulus), energy_density_out: out(energy_density), axial_strain_out: maybe(out(axial_strain), 0.5), axial_stress_out: maybe(out(axial_stress), 0.5)):
    names(r0="axial_strain|true_strain|strain", r1="axial_stress|bilinear_stress|stress", r2="energy_density|energy_density_i|density")
    i = wp.tid()
    r0 = true_strain(span[i], rest[i])
    r1 = bilinear_stress(e[i], r0, limit[i], h)
    r2 = strain_energy_density(r1, r0)
    energy_density_out[i] = r2
    if present(axial_strain_out):
        axial_strain_out[i] = r0
    if present(axial_stress_out):
        axial_stress_out[i] = r1


@scene("combined", "math", "scalar_param", node,
       says="computes the damage of a brittle material that softens linearly, then the stress of a damaged material, and from it the largest principal stress in the plane",
       title="compute_axial_stress|axial_stress_from_damage_variable|first_principal_stress_kernel|evaluate_axial_stress|axial_stress_step", topic="materials")
def linear_softening_damage_to_first_principal_stress(eps: each(equivalent_strain), start: setting(damage_onset), last: setting(failure_strain), s: each(axial_stress), sy: each(axial_stress), t: each(shear_stress), axial_stress_out2: out(axial_stress), damage_variable_out: maybe(out(damage_variable), 0.5)):
    names(r0="damage_variable|damage_variable_est|variable", r1="axial_stress|damaged_stress|stress", r2="axial_stress_i|axial_stress_i_i|new_axial_stress")
    i = wp.tid()
    r0 = linear_softening_damage(eps[i], start, last)
    r1 = damaged_stress(r0, s[i])
    r2 = first_principal_stress(r1, sy[i], t[i])
    axial_stress_out2[i] = r2
    if present(damage_variable_out):
        damage_variable_out[i] = r0


@scene("math", "arithmetic", "scalar_param", node,
       says="computes the modulus of a fibre composite along the fibres, then Lame's first parameter, and from it the stress of an isotropic linear material",
       title="compute_stress|stress_from_youngs_modulus|linear_elastic_stress_kernel|evaluate_stress|stress_step", topic="materials")
def rule_of_mixtures_to_linear_elastic_stress(ef: setting(fiber_modulus), em: setting(matrix_modulus), share: each(ratio), nu: each(poisson_ratio), eps: each(strain), mu: each(lame_mu), stress_out: out(stress), youngs_modulus_out: maybe(out(youngs_modulus), 0.5), lame_lambda_out: maybe(out(lame_lambda), 0.5)):
    names(r0="youngs_modulus|rule_of_mixtures|modulus", r1="lame_lambda|lame_first_parameter|lame_lambda_est", r2="stress|stress_i|stress_now")
    i = wp.tid()
    r0 = rule_of_mixtures(ef, em, share[i])
    r1 = lame_first_parameter(r0, nu[i])
    r2 = linear_elastic_stress(eps[i], r1, mu[i])
    stress_out[i] = r2
    if present(youngs_modulus_out):
        youngs_modulus_out[i] = r0
    if present(lame_lambda_out):
        lame_lambda_out[i] = r1


@scene("math", "function", "scalar_param", node,
       says="computes the amplitude of a stress cycle corrected for its mean by Goodman, then the stress intensity at a crack tip, and from it how fast a crack grows per cycle by Paris",
       title="compute_crack_growth|crack_growth_from_stress_amplitude|paris_growth_kernel|evaluate_crack_growth|crack_growth_step", topic="materials")
def goodman_amplitude_to_paris_growth(amp: each(stress_amplitude), mean: each(mean_stress), ultimate: setting(ultimate_stress), shape: setting(shape_factor), a: each(crack_length), c: setting(paris_constant), m: setting(paris_exponent), crack_growth_out: out(crack_growth), stress_amplitude_out: maybe(out(stress_amplitude), 0.5), stress_intensity_out: maybe(out(stress_intensity), 0.5)):
    names(r0="stress_amplitude|goodman_amplitude|amplitude", r1="stress_intensity|stress_intensity_here|intensity", r2="crack_growth|paris_growth|growth")
    i = wp.tid()
    r0 = goodman_amplitude(amp[i], mean[i], ultimate)
    r1 = crack_stress_intensity(shape, r0, a[i])
    r2 = paris_growth(c, r1, m)
    crack_growth_out[i] = r2
    if present(stress_amplitude_out):
        stress_amplitude_out[i] = r0
    if present(stress_intensity_out):
        stress_intensity_out[i] = r1


@scene("function", "arithmetic", "struct", node,
       says="computes the Green strain of a deformation, then the stress of an isotropic linear material, and from it the pressure in a stress tensor, positive in compression",
       title="compute_pressure|pressure_from_strain|mean_pressure_kernel|evaluate_pressure|pressure_step", topic="materials")
def green_strain_to_mean_pressure(f: each(deformation_gradient), lam: each(lame_lambda), mu: each(lame_mu), active: maybe(each(flag), 0.4), pressure_out: out(pressure), strain_out: maybe(out(strain), 0.5), stress_out: maybe(out(stress), 0.5)):
    names(r0="strain|green_strain|strain_here", r1="stress|stress_i|stress_now", r2="pressure|mean_pressure|pressure_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = green_strain(f[i])
    r1 = linear_elastic_stress(r0, lam[i], mu[i])
    r2 = mean_pressure(r1)
    pressure_out[i] = r2
    if present(strain_out):
        strain_out[i] = r0
    if present(stress_out):
        stress_out[i] = r1


@scene("function", "arithmetic", "struct", node,
       says="computes the second moment of a rectangular section, and from it the stress of a bent beam at a fibre",
       title="compute_axial_stress|axial_stress_from_second_moment_of_area|bending_stress_kernel|evaluate_axial_stress|axial_stress_step", topic="materials")
def rectangle_second_moment_to_bending_stress(b: each(section_width), h: each(section_height), m: each(bending_moment), y: each(fibre_distance), active: maybe(each(flag), 0.4), axial_stress_out: out(axial_stress), second_moment_of_area_out: maybe(out(second_moment_of_area), 0.5)):
    names(r0="second_moment_of_area|second_moment_of_area_k|area", r1="axial_stress|bending_stress|stress", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = rectangle_second_moment(b[i], h[i])
    r1 = bending_stress(m[i], y[i], r0)
    axial_stress_out[i] = r1
    if present(second_moment_of_area_out):
        second_moment_of_area_out[i] = r0


@scene("math", "function", "scalar_param", element,
       says="computes the amplitude of a stress cycle corrected for its mean by Goodman, and from it the number of cycles to failure by Basquin",
       title="compute_cycles|cycles_from_stress_amplitude|basquin_cycles_kernel|evaluate_cycles|cycles_step", topic="materials")
def goodman_amplitude_to_basquin_cycles(amp: each(stress_amplitude), mean: each(mean_stress), ultimate: setting(ultimate_stress), strength: setting(fatigue_strength), b: setting(fatigue_exponent), cycles_out: out(cycles), stress_amplitude_out: maybe(out(stress_amplitude), 0.5)):
    names(r0="stress_amplitude|goodman_amplitude|amplitude", r1="cycles|basquin_cycles|cycles_k")
    i = wp.tid()
    r0 = goodman_amplitude(amp[i], mean[i], ultimate)
    r1 = basquin_cycles(r0, strength, b)
    cycles_out[i] = r1
    if present(stress_amplitude_out):
        stress_amplitude_out[i] = r0


@scene("combined", "math", element,
       says="computes the equivalent stress of von Mises, and from it how far a stress is beyond yield, zero inside",
       title="compute_overstress|overstress_from_equivalent_stress|yield_excess_kernel|evaluate_overstress|overstress_step", topic="materials")
def von_mises_stress_to_yield_excess(s: each(symmetric_stress), t: each(shear_stresses), limit: each(yield_stress), overstress_out: out(overstress), equivalent_stress_out: maybe(out(equivalent_stress), 0.5)):
    names(r0="equivalent_stress|von_mises_stress|stress", r1="overstress|yield_excess|overstress_i")
    i = wp.tid()
    r0 = von_mises_stress(s[i], t[i])
    r1 = yield_excess(r0, limit[i])
    overstress_out[i] = r1
    if present(equivalent_stress_out):
        equivalent_stress_out[i] = r0


@scene("arithmetic", "math", "scalar_param", element,
       says="computes the yield stress of fine grains by Hall and Petch, then the flow stress by Johnson and Cook, without heat, and from it how far a stress is beyond yield, zero inside",
       title="compute_overstress|overstress_from_yield_stress|yield_excess_kernel|evaluate_overstress|overstress_step", topic="materials")
def hall_petch_yield_to_yield_excess(base: each(yield_stress), k: setting(grain_factor), d: each(grain_size), b: setting(hardening_modulus), eps: each(plastic_strain), n: setting(hardening_exponent), c: setting(rate_sensitivity), rate: each(relative_strain_rate), active: maybe(each(flag), 0.4), overstress_out: out(overstress), yield_stress_out: maybe(out(yield_stress), 0.5), equivalent_stress_out: maybe(out(equivalent_stress), 0.5)):
    names(r0="yield_stress|hall_petch_yield|stress", r1="equivalent_stress|johnson_cook_stress|equivalent_stress_here", r2="overstress|yield_excess|overstress_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = hall_petch_yield(base[i], k, d[i])
    r1 = johnson_cook_stress(r0, b, eps[i], n, c, rate[i])
    r2 = yield_excess(r1, r0)
    overstress_out[i] = r2
    if present(yield_stress_out):
        yield_stress_out[i] = r0
    if present(equivalent_stress_out):
        equivalent_stress_out[i] = r1


@scene("math", "arithmetic", "struct", node,
       says="computes the modulus of a porous material by Gibson and Ashby, then the shear modulus of an isotropic material, and from it the energy density of Saint Venant and Kirchhoff's material",
       title="compute_energy_density|energy_density_from_youngs_modulus|stvk_energy_kernel|evaluate_energy_density|energy_density_step", topic="materials")
def foam_modulus_to_stvk_energy(e: each(youngs_modulus), relative: each(relative_density), nu: each(poisson_ratio), eps: each(strain), lam: each(lame_lambda), active: maybe(each(flag), 0.4), energy_density_out: out(energy_density), youngs_modulus_out: maybe(out(youngs_modulus), 0.5), lame_mu_out: maybe(out(lame_mu), 0.5)):
    names(r0="youngs_modulus|foam_modulus|modulus", r1="lame_mu|lame_mu_k|lame_mu_here", r2="energy_density|stvk_energy|density", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = foam_modulus(e[i], relative[i])
    r1 = shear_modulus_of(r0, nu[i])
    r2 = stvk_energy(eps[i], lam[i], r1)
    energy_density_out[i] = r2
    if present(youngs_modulus_out):
        youngs_modulus_out[i] = r0
    if present(lame_mu_out):
        lame_mu_out[i] = r1


@scene("arithmetic", "function", "struct", element,
       says="computes the logarithmic strain of a bar, and from it the stress of a bar that flows at its yield stress",
       title="compute_axial_stress|axial_stress_from_axial_strain|perfectly_plastic_stress_kernel|evaluate_axial_stress|axial_stress_step", topic="materials")
def true_strain_to_perfectly_plastic_stress(span: each(length), rest: each(rest_length), e: each(youngs_modulus), limit: each(yield_stress), axial_stress_out: out(axial_stress), axial_strain_out: maybe(out(axial_strain), 0.5)):
    names(r0="axial_strain|true_strain|strain", r1="axial_stress|axial_stress_est|stress")
    i = wp.tid()
    r0 = true_strain(span[i], rest[i])
    r1 = perfectly_plastic_stress(e[i], r0, limit[i])
    axial_stress_out[i] = r1
    if present(axial_strain_out):
        axial_strain_out[i] = r0


@scene("math", "arithmetic", "struct", element,
       says="computes the strain of a bar from its lengths, and from it the stress of Kelvin and Voigt's material",
       title="compute_axial_stress|axial_stress_from_axial_strain|kelvin_voigt_stress_kernel|evaluate_axial_stress|axial_stress_step", topic="materials")
def engineering_strain_to_kelvin_voigt_stress(span: each(length), rest: each(rest_length), e: each(youngs_modulus), eta: each(damping), rate: each(strain_rate), axial_stress_out: out(axial_stress), axial_strain_out: maybe(out(axial_strain), 0.5)):
    names(r0="axial_strain|engineering_strain|strain", r1="axial_stress|kelvin_voigt_stress|stress")
    i = wp.tid()
    r0 = engineering_strain(span[i], rest[i])
    r1 = kelvin_voigt_stress(e[i], r0, eta[i], rate[i])
    axial_stress_out[i] = r1
    if present(axial_strain_out):
        axial_strain_out[i] = r0


@scene("combined", "math", "struct", element,
       says="computes the Green strain of a deformation, and from it the energy density of Saint Venant and Kirchhoff's material",
       title="compute_energy_density|energy_density_from_strain|stvk_energy_kernel|evaluate_energy_density|energy_density_step", topic="materials")
def green_strain_to_stvk_energy(f: each(deformation_gradient), lam: each(lame_lambda), mu: each(lame_mu), active: maybe(each(flag), 0.4), energy_density_out: out(energy_density), strain_out: maybe(out(strain), 0.5)):
    names(r0="strain|green_strain|strain_now", r1="energy_density|stvk_energy|density", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = green_strain(f[i])
    r1 = stvk_energy(r0, lam[i], mu[i])
    energy_density_out[i] = r1
    if present(strain_out):
        strain_out[i] = r0


@scene("function", "arithmetic", "struct", node,
       says="computes the modulus of a porous material by Gibson and Ashby, then the stress of Maxwell's material under a held strain, and from it the energy stored in an elastic material",
       title="compute_energy_density|energy_density_from_youngs_modulus|strain_energy_density_kernel|evaluate_energy_density|energy_density_step", topic="materials")
def foam_modulus_to_strain_energy_density(e: each(youngs_modulus), relative: each(relative_density), eps: each(axial_strain), t: each(time_value), tau: each(decay_time), energy_density_out: out(energy_density), youngs_modulus_out: maybe(out(youngs_modulus), 0.5), axial_stress_out: maybe(out(axial_stress), 0.5)):
    names(r0="youngs_modulus|foam_modulus|modulus", r1="axial_stress|maxwell_relaxation|stress", r2="energy_density|energy_density_k|density")
    i = wp.tid()
    r0 = foam_modulus(e[i], relative[i])
    r1 = maxwell_relaxation(r0, eps[i], t[i], tau[i])
    r2 = strain_energy_density(r1, eps[i])
    energy_density_out[i] = r2
    if present(youngs_modulus_out):
        youngs_modulus_out[i] = r0
    if present(axial_stress_out):
        axial_stress_out[i] = r1
