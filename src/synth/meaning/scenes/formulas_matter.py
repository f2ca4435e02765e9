"""Cells, reactions and materials: a short chain of formulas for each element."""


@scene("arithmetic", "scalar_param", site,
       says="computes the photosynthesis of leaves below a canopy from the light that reaches them",
       title="canopy_assimilation|leaf_photosynthesis|canopy_light_response", topic="")
def canopy_light_to_light_response(light_above: each(photon_flux), extinction: setting(extinction), leaf_area_index: each(leaf_area_index), quantum_yield: setting(quantum_yield), maximum_rate_of: each(maximum_rate), assimilation: out(assimilation), light_below: maybe(out(photon_flux), 0.5)):
    names(r0="light|par", r1="rate|assim", light_above="light_above|light_above", extinction="extinction|extinction", leaf_area_index="leaf_area_index|leaf_area_index", quantum_yield="quantum_yield|quantum_yield", maximum_rate_of="maximum_rate|maximum_rate_i", assimilation="assimilation|assimilation_out", light_below="light_below|light_below_out")
    i = wp.tid()
    r0 = canopy_light(light_above[i], extinction, leaf_area_index[i])
    r1 = light_response(r0, quantum_yield, maximum_rate_of[i])
    assimilation[i] = r1
    if present(light_below):
        light_below[i] = r0


@scene("math", "function", "struct", neuron,
       says="computes the potassium current through the membrane of neurons, by Hodgkin and Huxley",
       title="potassium_current|delayed_rectifier_current|ion_current", topic="")
def potassium_conductance_to_channel_current(max_conductance: each(conductance), gate_n: each(gate_state), membrane_voltage: each(membrane_voltage), reversal_potential: each(reversal_potential), potassium_current_of: out(ion_current), potassium_conductance_of: maybe(out(conductance), 0.5)):
    names(r0="g_k|cond", r1="i_k|current_k", max_conductance="max_conductance|max_conductance", gate_n="gate_n|gate_n", membrane_voltage="membrane_voltage|membrane_voltage", reversal_potential="reversal_potential|reversal_potential", potassium_current_of="potassium_current|potassium_current_out", potassium_conductance_of="potassium_conductance|potassium_conductance_out")
    i = wp.tid()
    r0 = potassium_conductance(max_conductance[i], gate_n[i])
    r1 = channel_current(r0, membrane_voltage[i], reversal_potential[i])
    potassium_current_of[i] = r1
    if present(potassium_conductance_of):
        potassium_conductance_of[i] = r0


@scene("math", "function", species,
       says="computes the frequency of an allele after a generation of selection, and the share of heterozygotes by Hardy and Weinberg",
       title="heterozygotes_after_selection|selection_generation|allele_after_selection", topic="")
def selection_step_to_heterozygote_share(allele_frequency: each(allele_frequency), selection: each(selection_coefficient), heterozygosity: out(ratio), next_frequency: out(allele_frequency)):
    names(r0="freq|p_new", r1="share|het", allele_frequency="allele_frequency|allele_frequency", selection="selection|selection", heterozygosity="heterozygosity|heterozygosity_out", next_frequency="next_frequency|next_frequency_out")
    i = wp.tid()
    r0 = selection_step(allele_frequency[i], selection[i])
    r1 = heterozygote_share(r0)
    heterozygosity[i] = r1
    if present(next_frequency):
        next_frequency[i] = r0


@scene("arithmetic", "multi_conditional", species,
       says="computes the basic reproduction number of infections and the share that must be immune to stop them",
       title="herd_immunity|immunity_threshold|vaccination_share", topic="")
def basic_reproduction_number_to_herd_immunity_share(transmission_rate: each(transmission_rate), recovery_rate: each(recovery_rate), immune_share: out(ratio), reproduction_number: out(reproduction_number)):
    names(r0="r0|repro", r1="share|needed", transmission_rate="transmission_rate|transmission_rate", recovery_rate="recovery_rate|recovery_rate", immune_share="immune_share|immune_share_out", reproduction_number="reproduction_number|reproduction_number_out")
    i = wp.tid()
    r0 = basic_reproduction_number(transmission_rate[i], recovery_rate[i])
    r1 = herd_immunity_share(r0)
    immune_share[i] = r1
    if present(reproduction_number):
        reproduction_number[i] = r0


@scene("math", neuron,
       says="computes how fast the potassium gates of neurons change at their membrane voltage, by Hodgkin and Huxley",
       title="gate_rates|potassium_gate_change|advance_gating", algorithm="Hodgkin-Huxley potassium gate", topic="")
def potassium_closing_rate_to_gate_change(membrane_voltage: each(membrane_voltage), gate_n: each(gate_state), gate_change_of: out(gate_change_rate), closing_rate: maybe(out(gate_rate), 0.5)):
    names(r0="closing|beta_n", opening="opening|alpha_n", r1="change|dn_dt", membrane_voltage="membrane_voltage|membrane_voltage", gate_n="gate_n|gate_n", gate_change_of="gate_change|gate_change_out", closing_rate="closing_rate|closing_rate_out")
    i = wp.tid()
    r0 = potassium_closing_rate(membrane_voltage[i])
    opening = potassium_opening_rate(membrane_voltage[i])
    r1 = gate_change(gate_n[i], opening, r0)
    gate_change_of[i] = r1
    if present(closing_rate):
        closing_rate[i] = r0


@scene("math", "function", "struct", cell,
       says="computes the net rate of a reversible reaction whose forward rate follows Arrhenius",
       title="net_reaction_rate|reversible_reaction|reaction_step_rate", topic="")
def arrhenius_rate_to_reversible_rate(prefactor: each(rate_prefactor), activation_energy: each(activation_energy), temperature: each(temperature), reverse_rate: each(rate_constant), concentration_a: each(concentration), concentration_b: each(concentration), net_rate_of: out(net_rate), forward_rate: maybe(out(rate_constant), 0.5)):
    names(r0="k_f|forward", r1="net|rate", prefactor="prefactor|prefactor", activation_energy="activation_energy|activation_energy", temperature="temperature|temperature", reverse_rate="reverse_rate|reverse_rate", concentration_a="concentration_a|concentration_a", concentration_b="concentration_b|concentration_b", net_rate_of="net_rate|net_rate_out", forward_rate="forward_rate|forward_rate_out")
    i = wp.tid()
    r0 = arrhenius_rate(prefactor[i], activation_energy[i], temperature[i])
    r1 = reversible_rate(r0, reverse_rate[i], concentration_a[i], concentration_b[i])
    net_rate_of[i] = r1
    if present(forward_rate):
        forward_rate[i] = r0


@scene("arithmetic", "function", "struct", cell,
       says="computes the flux of dissolved spheres through a layer by Fick, with the diffusivity by Stokes and Einstein",
       title="diffusion_flux|membrane_flux|particle_diffusion_flux", topic="")
def stokes_einstein_to_fick_flux(thermal_energy: setting(thermal_energy_scale), viscosity: each(viscosity), particle_radius: each(radius), concentration_a: each(concentration), concentration_b: each(concentration), layer_thickness: each(thickness), flux: out(molar_flux), diffusivity_of: maybe(out(diffusivity), 0.5)):
    names(r0="diff|d_s", r1="flux|j", thermal_energy="thermal_energy|thermal_energy", viscosity="viscosity|viscosity", particle_radius="particle_radius|particle_radius", concentration_a="concentration_a|concentration_a", concentration_b="concentration_b|concentration_b", layer_thickness="layer_thickness|layer_thickness", flux="flux|flux_out", diffusivity_of="diffusivity|diffusivity_out")
    i = wp.tid()
    r0 = stokes_einstein(thermal_energy, viscosity[i], particle_radius[i])
    r1 = fick_flux(r0, concentration_a[i], concentration_b[i], layer_thickness[i])
    flux[i] = r1
    if present(diffusivity_of):
        diffusivity_of[i] = r0


@scene("arithmetic", "function", "struct", cell,
       says="computes the rate of reactions of two species, with a rate constant by Arrhenius",
       title="bimolecular_rate|second_order_rate|reaction_rate_of_pairs", topic="")
def arrhenius_rate_to_second_order_rate(prefactor: each(rate_prefactor), activation_energy: each(activation_energy), temperature: each(temperature), concentration_a: each(concentration), concentration_b: each(concentration), reaction_rates: out(reaction_rate), rate_constants: maybe(out(rate_constant), 0.5)):
    names(r0="k|rate_const", r1="rate|speed", prefactor="prefactor|prefactor", activation_energy="activation_energy|activation_energy", temperature="temperature|temperature", concentration_a="concentration_a|concentration_a", concentration_b="concentration_b|concentration_b", reaction_rates="reaction_rates|reaction_rates_out", rate_constants="rate_constants|rate_constants_out")
    i = wp.tid()
    r0 = arrhenius_rate(prefactor[i], activation_energy[i], temperature[i])
    r1 = second_order_rate(r0, concentration_a[i], concentration_b[i])
    reaction_rates[i] = r1
    if present(rate_constants):
        rate_constants[i] = r0


@scene("arithmetic", "math", species,
       says="computes the half-life of substances that decay at a rate by Arrhenius",
       title="reaction_half_life|half_life_at_temperature|shelf_life", topic="")
def arrhenius_rate_to_decay_half_life(prefactor: each(rate_prefactor), activation_energy: each(activation_energy), temperature: each(temperature), half_lives: out(half_life), rate_constants: maybe(out(rate_constant), 0.5)):
    names(r0="k|rate_const", r1="half|t_half", prefactor="prefactor|prefactor", activation_energy="activation_energy|activation_energy", temperature="temperature|temperature", half_lives="half_lives|half_lives_out", rate_constants="rate_constants|rate_constants_out")
    i = wp.tid()
    r0 = arrhenius_rate(prefactor[i], activation_energy[i], temperature[i])
    r1 = decay_half_life(r0)
    half_lives[i] = r1
    if present(rate_constants):
        rate_constants[i] = r0


@scene("arithmetic", "math", "struct", cell,
       says="computes how fast a substance decomposes, with a rate constant by Arrhenius",
       title="unimolecular_rate|first_order_rate|decomposition_rate", topic="")
def arrhenius_rate_to_first_order_rate(prefactor: each(rate_prefactor), activation_energy: each(activation_energy), temperature: each(temperature), concentration_of: each(concentration), reaction_rates: out(reaction_rate), rate_constants: maybe(out(rate_constant), 0.5)):
    names(r0="k|rate_const", r1="rate|speed", prefactor="prefactor|prefactor", activation_energy="activation_energy|activation_energy", temperature="temperature|temperature", concentration_of="concentration|concentration_i", reaction_rates="reaction_rates|reaction_rates_out", rate_constants="rate_constants|rate_constants_out")
    i = wp.tid()
    r0 = arrhenius_rate(prefactor[i], activation_energy[i], temperature[i])
    r1 = first_order_rate(r0, concentration_of[i])
    reaction_rates[i] = r1
    if present(rate_constants):
        rate_constants[i] = r0


@scene("arithmetic", cell,
       says="computes the free energy of reactions by Gibbs and their equilibrium constant",
       title="equilibrium_constant|reaction_equilibrium|gibbs_equilibrium", topic="")
def gibbs_energy_to_equilibrium_constant(enthalpy: each(enthalpy), entropy: each(entropy), temperature: each(temperature), equilibrium_constants: out(equilibrium_ratio), gibbs_energy_of: out(free_energy)):
    names(r0="free|dg", r1="k_eq|ratio_eq", enthalpy="enthalpy|enthalpy", entropy="entropy|entropy", temperature="temperature|temperature", equilibrium_constants="equilibrium_constants|equilibrium_constants_out", gibbs_energy_of="gibbs_energy|gibbs_energy_out")
    i = wp.tid()
    r0 = gibbs_energy(enthalpy[i], entropy[i], temperature[i])
    r1 = equilibrium_constant(r0, temperature[i])
    equilibrium_constants[i] = r1
    if present(gibbs_energy_of):
        gibbs_energy_of[i] = r0


@scene("function", "multi_conditional", element,
       says="computes the larger principal stress in a stretched plane element: a bilinear law along it, a side stress and a shear stress given",
       title="max_principal_stress|bar_principal_stress|hardening_principal_stress", topic="")
def engineering_strain_to_first_principal_stress(length_of: each(length), rest_length: each(rest_length), youngs: each(youngs_modulus), yield_stress: each(yield_stress), hardening: setting(hardening_modulus), side_stress: each(axial_stress), shear_stress: each(shear_stress), principal_stress: out(axial_stress), strain_out: maybe(out(axial_strain), 0.5)):
    names(r0="strain|eps", r1="sx|sigma_x", r2="s1|principal", length_of="length|length_i", rest_length="rest_length|rest_length", youngs="youngs|youngs", yield_stress="yield_stress|yield_stress", hardening="hardening|hardening", side_stress="side_stress|side_stress", shear_stress="shear_stress|shear_stress", principal_stress="principal_stress|principal_stress_out", strain_out="strain_out|new_strain")
    i = wp.tid()
    r0 = engineering_strain(length_of[i], rest_length[i])
    r1 = bilinear_stress(youngs[i], r0, yield_stress[i], hardening)
    r2 = first_principal_stress(r1, side_stress[i], shear_stress[i])
    principal_stress[i] = r2
    if present(strain_out):
        strain_out[i] = r0


@scene("arithmetic", "math", "struct", node,
       says="computes how far the von Mises stress of a bent beam section is above or below its yield stress",
       title="beam_overstress|bending_yield_check|section_overstress", topic="")
def bending_stress_to_yield_excess(bending_moment: each(bending_moment), fibre_distance: each(fibre_distance), second_moment: each(second_moment_of_area), side_stress: each(axial_stress), shear_stress: each(shear_stress), yield_stress: each(yield_stress), overstress: out(overstress), bending_stress_of: maybe(out(axial_stress), 0.5), von_mises: maybe(out(equivalent_stress), 0.5)):
    names(r0="sx|sigma_b", r1="mises|equivalent", r2="excess|over", bending_moment="bending_moment|bending_moment", fibre_distance="fibre_distance|fibre_distance", second_moment="second_moment|second_moment", side_stress="side_stress|side_stress", shear_stress="shear_stress|shear_stress", yield_stress="yield_stress|yield_stress", overstress="overstress|overstress_out", bending_stress_of="bending_stress|bending_stress_out", von_mises="von_mises|von_mises_out")
    i = wp.tid()
    r0 = bending_stress(bending_moment[i], fibre_distance[i], second_moment[i])
    r1 = plane_von_mises(r0, side_stress[i], shear_stress[i])
    r2 = yield_excess(r1, yield_stress[i])
    overstress[i] = r2
    if present(bending_stress_of):
        bending_stress_of[i] = r0
    if present(von_mises):
        von_mises[i] = r1


@scene("math", "fem", "scalar_param", element,
       says="computes the damage of linear softening and the larger principal stress of the damaged element",
       title="damaged_principal_stress|softened_stress|damage_stress", topic="", lossy=True)
def linear_softening_damage_to_first_principal_stress(equivalent_strain: each(equivalent_strain), damage_onset: setting(damage_onset), failure_strain: setting(failure_strain), undamaged_stress: each(axial_stress), side_stress: each(axial_stress), shear_stress: each(shear_stress), principal_stress: out(axial_stress), damage_out: out(damage_variable)):
    names(r0="damage|d", r1="sx|sigma_x", r2="s1|principal", equivalent_strain="equivalent_strain|equivalent_strain", damage_onset="damage_onset|damage_onset", failure_strain="failure_strain|failure_strain", undamaged_stress="undamaged_stress|undamaged_stress", side_stress="side_stress|side_stress", shear_stress="shear_stress|shear_stress", principal_stress="principal_stress|principal_stress_out", damage_out="damage_out|new_damage")
    i = wp.tid()
    r0 = linear_softening_damage(equivalent_strain[i], damage_onset, failure_strain)
    r1 = damaged_stress(r0, undamaged_stress[i])
    r2 = first_principal_stress(r1, damaged_stress(r0, side_stress[i]), (1.0 - r0) * shear_stress[i])
    principal_stress[i] = r2
    if present(damage_out):
        damage_out[i] = r0


@scene("math", "fem", "arithmetic", "scalar_param", "matrix", element,
       says="computes the stress of a fibre composite taken as isotropic, with its stiffness by the rule of mixtures",
       title="composite_stress|fiber_composite_stress|mixture_stress", topic="", rare=True)
def rule_of_mixtures_to_linear_elastic_stress(fiber_modulus: setting(fiber_modulus), matrix_modulus: setting(matrix_modulus), fiber_share: each(ratio), poisson: each(poisson_ratio), strains: each(strain), stresses: out(stress), mixture_modulus: maybe(out(youngs_modulus), 0.5), lame_lambda_out: maybe(out(lame_lambda), 0.5)):
    names(r0="young|e_mix", r1="lam|lambda_mix", mu="mu|shear_mix", r2="sigma|stress_i", fiber_modulus="fiber_modulus|fiber_modulus", matrix_modulus="matrix_modulus|matrix_modulus", fiber_share="fiber_share|fiber_share", poisson="poisson|poisson", strains="strains|strains", stresses="stresses|stresses_out", mixture_modulus="mixture_modulus|mixture_modulus_out", lame_lambda_out="lame_lambda_out|new_lame_lambda")
    i = wp.tid()
    r0 = rule_of_mixtures(fiber_modulus, matrix_modulus, fiber_share[i])
    r1 = lame_first_parameter(r0, poisson[i])
    mu = shear_modulus_of(r0, poisson[i])
    r2 = linear_elastic_stress(strains[i], r1, mu)
    stresses[i] = r2
    if present(mixture_modulus):
        mixture_modulus[i] = r0
    if present(lame_lambda_out):
        lame_lambda_out[i] = r1


@scene("math", "function", "scalar_param", element,
       says="computes how fast fatigue cracks grow by Paris, with the mean stress corrected by Goodman",
       title="crack_growth|paris_crack_growth|fatigue_crack_rate", topic="")
def goodman_amplitude_to_paris_growth(stress_amplitude: each(stress_amplitude), mean_stress: each(mean_stress), ultimate_stress: setting(ultimate_stress), shape_factor: setting(shape_factor), crack_length: each(crack_length), paris_c: setting(paris_constant), paris_m: setting(paris_exponent), growth_per_cycle: out(crack_growth), corrected_amplitude: maybe(out(stress_amplitude), 0.5), stress_intensity: maybe(out(stress_intensity), 0.5)):
    names(r0="amp_eq|corrected", r1="dk|intensity", r2="growth|da_dn", stress_amplitude="stress_amplitude|stress_amplitude", mean_stress="mean_stress|mean_stress", ultimate_stress="ultimate_stress|ultimate_stress", shape_factor="shape_factor|shape_factor", crack_length="crack_length|crack_length", paris_c="paris_c|paris_c", paris_m="paris_m|paris_m", growth_per_cycle="growth_per_cycle|growth_per_cycle_out", corrected_amplitude="corrected_amplitude|corrected_amplitude_out", stress_intensity="stress_intensity|stress_intensity_out")
    i = wp.tid()
    r0 = goodman_amplitude(stress_amplitude[i], mean_stress[i], ultimate_stress)
    r1 = crack_stress_intensity(shape_factor, r0, crack_length[i])
    r2 = paris_growth(paris_c, r1, paris_m)
    growth_per_cycle[i] = r2
    if present(corrected_amplitude):
        corrected_amplitude[i] = r0
    if present(stress_intensity):
        stress_intensity[i] = r1


@scene("function", "arithmetic", "struct", element,
       says="computes the second moment of area of rectangular beam sections and their bending stress",
       title="bending_stress|beam_bending_stress|section_stress", topic="")
def rectangle_second_moment_to_bending_stress(width: each(section_width), height: each(section_height), bending_moment: each(bending_moment), fibre_distance: each(fibre_distance), bending_stresses: out(axial_stress), second_moment: out(second_moment_of_area)):
    names(r0="second|i_z", r1="stress|sigma", width="width|width", height="height|height", bending_moment="bending_moment|bending_moment", fibre_distance="fibre_distance|fibre_distance", bending_stresses="bending_stresses|bending_stresses_out", second_moment="second_moment|second_moment_out")
    i = wp.tid()
    r0 = rectangle_second_moment(width[i], height[i])
    r1 = bending_stress(bending_moment[i], fibre_distance[i], r0)
    bending_stresses[i] = r1
    if present(second_moment):
        second_moment[i] = r0


@scene("math", "function", "scalar_param", element,
       says="computes how many cycles a part lasts by Basquin, with the mean stress corrected by Goodman",
       title="fatigue_life|cycles_to_failure|basquin_life", topic="")
def goodman_amplitude_to_basquin_cycles(stress_amplitude: each(stress_amplitude), mean_stress: each(mean_stress), ultimate_stress: setting(ultimate_stress), fatigue_strength: setting(fatigue_strength), fatigue_exponent: setting(fatigue_exponent), cycles_to_fail: out(cycles), corrected_amplitude: maybe(out(stress_amplitude), 0.5)):
    names(r0="amp_eq|corrected", r1="life|n_f", stress_amplitude="stress_amplitude|stress_amplitude", mean_stress="mean_stress|mean_stress", ultimate_stress="ultimate_stress|ultimate_stress", fatigue_strength="fatigue_strength|fatigue_strength", fatigue_exponent="fatigue_exponent|fatigue_exponent", cycles_to_fail="cycles_to_fail|cycles_to_fail_out", corrected_amplitude="corrected_amplitude|corrected_amplitude_out")
    i = wp.tid()
    r0 = goodman_amplitude(stress_amplitude[i], mean_stress[i], ultimate_stress)
    r1 = basquin_cycles(r0, fatigue_strength, fatigue_exponent)
    cycles_to_fail[i] = r1
    if present(corrected_amplitude):
        corrected_amplitude[i] = r0


@scene("math", element,
       says="computes the von Mises stress and how far it is above or below the yield stress",
       title="yield_check|von_mises_overstress|check_yield", topic="")
def von_mises_stress_to_yield_excess(normal_stresses: each(symmetric_stress), shear_stresses_of: each(shear_stresses), yield_stress: each(yield_stress), overstress: out(overstress), von_mises: out(equivalent_stress)):
    names(r0="mises|equivalent", r1="excess|over", normal_stresses="normal_stresses|normal_stresses", shear_stresses_of="shear_stresses|shear_stresses_i", yield_stress="yield_stress|yield_stress", overstress="overstress|overstress_out", von_mises="von_mises|von_mises_out")
    i = wp.tid()
    r0 = von_mises_stress(normal_stresses[i], shear_stresses_of[i])
    r1 = yield_excess(r0, yield_stress[i])
    overstress[i] = r1
    if present(von_mises):
        von_mises[i] = r0


@scene("arithmetic", "function", "struct", element,
       says="computes the true strain of stretched bars and their stress, which does not exceed the yield stress",
       title="bar_stress|plastic_bar_stress|cut_at_yield", topic="")
def true_strain_to_perfectly_plastic_stress(length_of: each(length), rest_length: each(rest_length), youngs: each(youngs_modulus), yield_stress: each(yield_stress), bar_stresses: out(axial_stress), strain_out: out(axial_strain)):
    names(r0="strain|eps", r1="stress|sigma", length_of="length|length_i", rest_length="rest_length|rest_length", youngs="youngs|youngs", yield_stress="yield_stress|yield_stress", bar_stresses="bar_stresses|bar_stresses_out", strain_out="strain_out|new_strain")
    i = wp.tid()
    r0 = true_strain(length_of[i], rest_length[i])
    r1 = perfectly_plastic_stress(youngs[i], r0, yield_stress[i])
    bar_stresses[i] = r1
    if present(strain_out):
        strain_out[i] = r0


@scene("math", "arithmetic", "struct", element,
       says="computes the stress of stretched viscoelastic bars by Kelvin and Voigt",
       title="viscoelastic_stress|kelvin_voigt_stress|damped_bar_stress", topic="")
def engineering_strain_to_kelvin_voigt_stress(length_of: each(length), rest_length: each(rest_length), youngs: each(youngs_modulus), viscosity_of: each(damping), strain_rate: each(strain_rate), bar_stresses: out(axial_stress), strain_out: maybe(out(axial_strain), 0.5)):
    names(r0="strain|eps", r1="stress|sigma", length_of="length|length_i", rest_length="rest_length|rest_length", youngs="youngs|youngs", viscosity_of="viscosity|viscosity_i", strain_rate="strain_rate|strain_rate", bar_stresses="bar_stresses|bar_stresses_out", strain_out="strain_out|new_strain")
    i = wp.tid()
    r0 = engineering_strain(length_of[i], rest_length[i])
    r1 = kelvin_voigt_stress(youngs[i], r0, viscosity_of[i], strain_rate[i])
    bar_stresses[i] = r1
    if present(strain_out):
        strain_out[i] = r0


@scene("math", "fem", "struct", "matrix", element,
       says="computes Green's strain and the energy density of a Saint Venant-Kirchhoff material",
       title="stvk_energy_density|saint_venant_energy|green_strain_energy", topic="")
def green_strain_to_stvk_energy(def_grad: each(deformation_gradient), lame_lambda_of: each(lame_lambda), lame_mu_of: each(lame_mu), energy_density: out(energy_density), green_strain_of: out(strain)):
    names(r0="strain|e_green", r1="energy|psi_e", def_grad="def_grad|def_grad", lame_lambda_of="lame_lambda|lame_lambda_i", lame_mu_of="lame_mu|lame_mu_i", energy_density="energy_density|energy_density_out", green_strain_of="green_strain|green_strain_out")
    i = wp.tid()
    r0 = green_strain(def_grad[i])
    r1 = stvk_energy(r0, lame_lambda_of[i], lame_mu_of[i])
    energy_density[i] = r1
    if present(green_strain_of):
        green_strain_of[i] = r0
