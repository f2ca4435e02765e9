"""Stars, circuits, light and colour: a short chain of formulas for each element."""


@scene("math", "function", star,
       says="computes the distance of stars from their parallax in arc seconds and the distance modulus, in magnitudes",
       title="distance_modulus|star_distance_modulus|modulus_from_parallax", topic="")
def parallax_distance_to_distance_modulus(parallax: each(parallax), distance_moduli: out(magnitude), distance_pc: out(parsec_distance)):
    names(r0="parsecs|dist", r1="modulus|mu", parallax="parallax|parallax", distance_moduli="distance_moduli|distance_moduli_out", distance_pc="distance_pc|distance_pc_out")
    i = wp.tid()
    r0 = parallax_distance(parallax[i])
    r1 = distance_modulus(r0)
    distance_moduli[i] = r1
    if present(distance_pc):
        distance_pc[i] = r0


@scene("math", star,
       says="computes the distance of a body on an elliptic orbit from its focus, by way of the true anomaly",
       title="orbit_distance|radius_on_orbit|distance_from_focus", topic="")
def true_from_eccentric_to_orbit_radius(eccentric_anomaly: each(eccentric_anomaly), eccentricity: each(eccentricity), semi_major: each(semi_major), orbit_radii: out(distance), true_anomalies: maybe(out(true_anomaly), 0.5)):
    names(r0="true_anom|nu", r1="dist|r_orbit", eccentric_anomaly="eccentric_anomaly|eccentric_anomaly", eccentricity="eccentricity|eccentricity", semi_major="semi_major|semi_major", orbit_radii="orbit_radii|orbit_radii_out", true_anomalies="true_anomalies|true_anomalies_out")
    i = wp.tid()
    r0 = true_from_eccentric(eccentric_anomaly[i], eccentricity[i])
    r1 = orbit_radius(semi_major[i], eccentricity[i], r0)
    orbit_radii[i] = r1
    if present(true_anomalies):
        true_anomalies[i] = r0


@scene("math", "struct", star,
       says="computes the mean anomaly of orbiting bodies at a time, with the period by Kepler's third law",
       title="mean_anomaly|mean_anomaly_at_time|orbit_phase", topic="")
def orbital_period_to_mean_anomaly_at(semi_major: each(semi_major), central_mass: each(mass), grav_const: setting(gravitational_constant), times: each(time_value), mean_anomalies: out(mean_anomaly), periods: maybe(out(period), 0.5)):
    names(r0="period|t_orbit", r1="anomaly|m_anom", semi_major="semi_major|semi_major", central_mass="central_mass|central_mass", grav_const="grav_const|grav_const", times="times|times", mean_anomalies="mean_anomalies|mean_anomalies_out", periods="periods|periods_out")
    i = wp.tid()
    r0 = orbital_period(semi_major[i], central_mass[i], grav_const)
    r1 = mean_anomaly_at(times[i], r0)
    mean_anomalies[i] = r1
    if present(periods):
        periods[i] = r0


@scene("math", "function", star,
       says="adds two velocities along a line as relativity asks, in parts of the speed of light, and computes the factor by which moving clocks go slow",
       title="lorentz_factor|combined_lorentz_factor|time_dilation", topic="")
def add_relativistic_to_lorentz_factor(beta_frame: each(light_fraction), beta_body: each(light_fraction), gamma_factor: out(lorentz_gamma), combined_beta: maybe(out(light_fraction), 0.5)):
    names(r0="beta|v_sum", r1="gamma|lorentz", beta_frame="beta_frame|beta_frame", beta_body="beta_body|beta_body", gamma_factor="gamma_factor|gamma_factor_out", combined_beta="combined_beta|combined_beta_out")
    i = wp.tid()
    r0 = add_relativistic(beta_frame[i], beta_body[i])
    r1 = lorentz_factor(r0)
    gamma_factor[i] = r1
    if present(combined_beta):
        combined_beta[i] = r0


@scene("math", star,
       says="computes the redshift of sources that move in a moving frame, with the velocities added as relativity asks",
       title="moving_source_redshift|doppler_redshift|relativistic_redshift", topic="")
def add_relativistic_to_relativistic_redshift(beta_frame: each(light_fraction), beta_source: each(light_fraction), redshifts: out(redshift), combined_beta: maybe(out(light_fraction), 0.5)):
    names(r0="beta|v_sum", r1="z|shift", beta_frame="beta_frame|beta_frame", beta_source="beta_source|beta_source", redshifts="redshifts|redshifts_out", combined_beta="combined_beta|combined_beta_out")
    i = wp.tid()
    r0 = add_relativistic(beta_frame[i], beta_source[i])
    r1 = relativistic_redshift(r0)
    redshifts[i] = r1
    if present(combined_beta):
        combined_beta[i] = r0


@scene("arithmetic", "math", "struct", element,
       says="computes the energy in a capacitor that has been charging for a time through two resistors in parallel",
       title="charging_energy|capacitor_energy|rc_stored_energy", topic="")
def parallel_resistance_to_capacitor_energy(resistor_a: each(resistance), resistor_b: each(resistance), supply_voltage: each(voltage), capacitance: each(capacitance), charge_time: each(time_value), stored_energy: out(energy), parallel_resistance_of: maybe(out(resistance), 0.5), capacitor_voltage: maybe(out(voltage), 0.5), total_energy: maybe(add(energy, 1), 0.3)):
    names(r0="r_par|resistance_eq", r1="u_cap|v_c", r2="energy|e_cap", resistor_a="resistor_a|resistor_a", resistor_b="resistor_b|resistor_b", supply_voltage="supply_voltage|supply_voltage", capacitance="capacitance|capacitance", charge_time="charge_time|charge_time", stored_energy="stored_energy|stored_energy_out", parallel_resistance_of="parallel_resistance|parallel_resistance_out", capacitor_voltage="capacitor_voltage|capacitor_voltage_out", total_energy="total_energy|total_energy")
    i = wp.tid()
    r0 = parallel_resistance(resistor_a[i], resistor_b[i])
    r1 = capacitor_charging(supply_voltage[i], r0, capacitance[i], charge_time[i])
    r2 = capacitor_energy(capacitance[i], r1)
    stored_energy[i] = r2
    if present(parallel_resistance_of):
        parallel_resistance_of[i] = r0
    if present(capacitor_voltage):
        capacitor_voltage[i] = r1
    if present(total_energy):
        wp.atomic_add(total_energy, 0, r2)


@scene("math", "arithmetic", "scalar_param", element,
       says="computes the heat in the series resistor of each diode, with the current by Shockley's equation",
       title="series_resistor_heat|diode_resistor_power|resistor_loss", topic="")
def diode_current_to_joule_power(saturation_current: setting(saturation_current), diode_voltage: each(diode_voltage), thermal_voltage: setting(thermal_voltage), series_resistance: each(resistance), resistor_power: out(power), diode_currents: maybe(out(current), 0.5), total_loss: maybe(add(power, 1), 0.3)):
    names(r0="current|i_d", r1="power|loss", saturation_current="saturation_current|saturation_current", diode_voltage="diode_voltage|diode_voltage", thermal_voltage="thermal_voltage|thermal_voltage", series_resistance="series_resistance|series_resistance", resistor_power="resistor_power|resistor_power_out", diode_currents="diode_currents|diode_currents_out", total_loss="total_loss|total_loss")
    i = wp.tid()
    r0 = diode_current(saturation_current, diode_voltage[i], thermal_voltage)
    r1 = joule_power(r0, series_resistance[i])
    resistor_power[i] = r1
    if present(diode_currents):
        diode_currents[i] = r0
    if present(total_loss):
        wp.atomic_add(total_loss, 0, r1)


@scene("function", "vector", particle,
       says="computes the torque that one magnetic dipole puts on another at a separation",
       title="dipole_torques|magnetic_dipole_torque|torque_between_dipoles", topic="")
def dipole_field_to_dipole_torque(source_moment: each(dipole_moment), separation: each(separation), other_moment: each(dipole_moment), dipole_torques: out(torque), field_at_dipole: maybe(out(magnetic_field), 0.5)):
    names(r0="field|b_field", r1="torque|tau_b", source_moment="source_moment|source_moment", separation="separation|separation", other_moment="other_moment|other_moment", dipole_torques="dipole_torques|dipole_torques_out", field_at_dipole="field_at_dipole|field_at_dipole_out")
    i = wp.tid()
    r0 = dipole_field(source_moment[i], separation[i])
    r1 = dipole_torque(other_moment[i], r0)
    dipole_torques[i] = r1
    if present(field_at_dipole):
        field_at_dipole[i] = r0


@scene("math", "vector", particle,
       says="computes the energy density of an electric field together with the field of a magnetic dipole",
       title="field_energy_density|em_energy_density|dipole_energy_density", topic="")
def dipole_field_to_field_energy_density(dipole_moment: each(dipole_moment), separation: each(separation), electric_field: each(electric_field), permittivity: setting(permittivity), permeability: setting(magnetic_permeability), energy_density: out(energy_density), magnetic_fields: maybe(out(magnetic_field), 0.5)):
    names(r0="b_field|field", r1="u|density_i", dipole_moment="dipole_moment|dipole_moment", separation="separation|separation", electric_field="electric_field|electric_field", permittivity="permittivity|permittivity", permeability="permeability|permeability", energy_density="energy_density|energy_density_out", magnetic_fields="magnetic_fields|magnetic_fields_out")
    i = wp.tid()
    r0 = dipole_field(dipole_moment[i], separation[i])
    r1 = field_energy_density(electric_field[i], r0, permittivity, permeability)
    energy_density[i] = r1
    if present(magnetic_fields):
        magnetic_fields[i] = r0


@scene("arithmetic", "scalar_param", element,
       says="computes the drain current of each transistor in its three regions and the heat in its channel",
       title="mosfet_drain_current|transistor_currents|drain_current_and_loss", topic="")
def mosfet_current_to_joule_power(gate_voltage: each(gate_voltage), drain_voltage: each(drain_voltage), threshold_voltage: setting(threshold_voltage), transconductance: setting(transconductance), drain_current: out(current), power_out: maybe(out(power), 0.7), total_power: maybe(add(power, 1), 0.4)):
    names(i_d="i_d|current", p="p|loss", gate_voltage="v_gs|gate_voltage", drain_voltage="v_ds|drain_voltage", threshold_voltage="v_th|threshold_voltage", transconductance="k_n|transconductance", drain_current="drain_current|currents", power_out="channel_power|power", total_power="total_power|total_loss")
    i = wp.tid()
    i_d = mosfet_current(gate_voltage[i], drain_voltage[i], threshold_voltage, transconductance)
    drain_current[i] = i_d
    if present(power_out) or present(total_power):
        p = i_d * drain_voltage[i]
        if present(power_out):
            power_out[i] = p
        if present(total_power):
            wp.atomic_add(total_power, 0, p)


@scene("arithmetic", "math", "struct", element,
       says="computes the energy of a capacitor that hangs on the middle of a voltage divider",
       title="divider_capacitor_energy|tapped_capacitor_energy|energy_across_divider", topic="")
def voltage_divider_to_capacitor_energy(supply_voltage: each(voltage), upper_resistor: each(resistance), lower_resistor: each(resistance), capacitance: each(capacitance), stored_energy: out(energy), tap_voltage_of: maybe(out(voltage), 0.5), total_energy: maybe(add(energy, 1), 0.3)):
    names(r0="u_mid|tap_voltage", r1="energy|e_cap", supply_voltage="supply_voltage|supply_voltage", upper_resistor="upper_resistor|upper_resistor", lower_resistor="lower_resistor|lower_resistor", capacitance="capacitance|capacitance", stored_energy="stored_energy|stored_energy_out", tap_voltage_of="tap_voltage|tap_voltage_out", total_energy="total_energy|total_energy")
    i = wp.tid()
    r0 = voltage_divider(supply_voltage[i], upper_resistor[i], lower_resistor[i])
    r1 = capacitor_energy(capacitance[i], r0)
    stored_energy[i] = r1
    if present(tap_voltage_of):
        tap_voltage_of[i] = r0
    if present(total_energy):
        wp.atomic_add(total_energy, 0, r1)


@scene("arithmetic", "function", "vector", pixel,
       says="lays a foreground with two stacked opacities over a background and exposes the result by stops",
       title="composite_layers|layered_color|expose_composite", topic="")
def stacked_opacity_to_expose_color(opacity_a: each(opacity), opacity_b: each(opacity), foreground: each(colour), background: each(colour), exposure_stops: setting(exposure_stops), composite: out(colour), total_opacity: maybe(out(opacity), 0.5)):
    names(r0="alpha|opacity_i", r1="color|mixed", r2="exposed|result", opacity_a="opacity_a|opacity_a", opacity_b="opacity_b|opacity_b", foreground="foreground|foreground", background="background|background", exposure_stops="exposure_stops|exposure_stops", composite="composite|composite_out", total_opacity="total_opacity|total_opacity")
    i = wp.tid()
    r0 = stacked_opacity(opacity_a[i], opacity_b[i])
    r1 = blend_over(foreground[i], r0, background[i])
    r2 = expose_color(r1, exposure_stops)
    composite[i] = r2
    if present(total_opacity):
        total_opacity[i] = r0


@scene("function", "math", "vector", pixel,
       says="shades matte surfaces by Lambert, exposes them by stops and adjusts the saturation",
       title="shade_and_grade|lambert_grade|grade_diffuse", topic="")
def lambert_shading_to_adjust_saturation(albedo: each(albedo), cos_light: each(cosine), exposure_stops: setting(exposure_stops), saturation: setting(saturation), graded_color: out(colour)):
    names(r0="diffuse|shade", r1="exposed|lit", r2="graded|color", albedo="albedo|albedo", cos_light="cos_light|cos_light", exposure_stops="exposure_stops|exposure_stops", saturation="saturation|saturation", graded_color="graded_color|graded_color_out")
    i = wp.tid()
    r0 = lambert_shading(albedo[i], cos_light[i])
    r1 = expose_color(r0, exposure_stops)
    r2 = adjust_saturation(r1, saturation)
    graded_color[i] = r2


@scene("function", "math", "struct", ray,
       says="computes the specular reflection of Cook and Torrance with the microfacet distribution GGX, from an artist's roughness",
       title="cook_torrance|specular_brdf|ggx_specular", topic="")
def alpha_from_roughness_to_cook_torrance(roughness: each(roughness), cos_half: each(cosine), fresnel: each(reflectance), masking: each(masking), cos_light: each(cosine), cos_view: each(cosine), specular: out(specular), ggx_alpha: maybe(out(ggx_alpha), 0.5), microfacet_density: maybe(out(microfacet_density), 0.5)):
    names(r0="alpha|a2", r1="d_term|ndf", r2="spec|specular_i", roughness="roughness|roughness", cos_half="cos_half|cos_half", fresnel="fresnel|fresnel", masking="masking|masking", cos_light="cos_light|cos_light", cos_view="cos_view|cos_view", specular="specular|specular_out", ggx_alpha="ggx_alpha|ggx_alpha_out", microfacet_density="microfacet_density|microfacet_density_out")
    i = wp.tid()
    r0 = alpha_from_roughness(roughness[i])
    r1 = ggx_distribution(cos_half[i], r0)
    r2 = cook_torrance(r1, fresnel[i], masking[i], cos_light[i], cos_view[i])
    specular[i] = r2
    if present(ggx_alpha):
        ggx_alpha[i] = r0
    if present(microfacet_density):
        microfacet_density[i] = r1


@scene("arithmetic", "vector", pixel,
       says="lays one colour over another and compresses the luminance of the result by an exponential exposure",
       title="tonemap_composite|composite_luminance|blend_and_tonemap", topic="")
def blend_over_to_exposure_tonemap(foreground: each(colour), opacity: each(opacity), background: each(colour), exposure: each(exposure), display_luminance: out(linear_value), composite: maybe(out(colour), 0.5), luminance: maybe(out(luminance), 0.5)):
    names(r0="color|mixed", r1="lum|y", r2="mapped|ldr", foreground="foreground|foreground", opacity="opacity|opacity", background="background|background", exposure="exposure|exposure", display_luminance="display_luminance|display_luminance_out", composite="composite|composite_out", luminance="luminance|luminance_out")
    i = wp.tid()
    r0 = blend_over(foreground[i], opacity[i], background[i])
    r1 = rec709_luminance(r0)
    r2 = exposure_tonemap(r1, exposure[i])
    display_luminance[i] = r2
    if present(composite):
        composite[i] = r0
    if present(luminance):
        luminance[i] = r1


@scene("arithmetic", "multi_conditional", pixel,
       says="compresses bright values by an exponential exposure, encodes them for sRGB and spreads them around the middle",
       title="display_transform|tonemap_pixels|encode_display", topic="")
def exposure_tonemap_to_adjust_contrast(hdr: each(luminance), exposure: each(exposure), contrast: setting(contrast), display_value: out(encoded_value), tonemapped: maybe(out(linear_value), 0.5)):
    names(r0="mapped|ldr", r1="encoded|srgb", r2="value_out|shown", hdr="hdr|hdr", exposure="exposure|exposure", contrast="contrast|contrast", display_value="display_value|display_value_out", tonemapped="tonemapped|tonemapped_out")
    i = wp.tid()
    r0 = exposure_tonemap(hdr[i], exposure[i])
    r1 = srgb_encode(r0)
    r2 = adjust_contrast(r1, contrast)
    display_value[i] = r2
    if present(tonemapped):
        tonemapped[i] = r0


@scene("math", pixel,
       says="computes the share of light that microfacets do not shade in one direction, by Smith for GGX, from an artist's roughness",
       title="smith_masking|masking_term|ggx_masking", topic="")
def alpha_from_roughness_to_smith_masking(roughness: each(roughness), cos_view: each(cosine), masking: out(masking), ggx_alpha: maybe(out(ggx_alpha), 0.5)):
    names(r0="alpha|a", r1="g1|masking_i", roughness="roughness|roughness", cos_view="cos_view|cos_view", masking="masking|masking_out", ggx_alpha="ggx_alpha|ggx_alpha_out")
    i = wp.tid()
    r0 = alpha_from_roughness(roughness[i])
    r1 = smith_masking(cos_view[i], r0)
    masking[i] = r1
    if present(ggx_alpha):
        ggx_alpha[i] = r0


@scene("function", "math", "struct", ray,
       says="computes the specular reflection of Cook and Torrance with Smith's masking towards the viewer and towards the light",
       title="cook_torrance_masked|specular_with_masking|microfacet_specular", topic="")
def smith_masking_to_cook_torrance(cos_view: each(cosine), ggx_alpha: each(ggx_alpha), microfacet_density: each(microfacet_density), fresnel: each(reflectance), cos_light: each(cosine), specular: out(specular), masking: maybe(out(masking), 0.5)):
    names(r0="g_view|g_v", g_light="g_light|g_l", r1="spec|specular_i", cos_view="cos_view|cos_view", ggx_alpha="ggx_alpha|ggx_alpha", microfacet_density="microfacet_density|microfacet_density", fresnel="fresnel|fresnel", cos_light="cos_light|cos_light", specular="specular|specular_out", masking="masking|masking_out")
    i = wp.tid()
    r0 = smith_masking(cos_view[i], ggx_alpha[i])
    g_light = smith_masking(cos_light[i], ggx_alpha[i])
    r1 = cook_torrance(microfacet_density[i], fresnel[i], r0 * g_light, cos_light[i], cos_view[i])
    specular[i] = r1
    if present(masking):
        masking[i] = r0 * g_light


@scene("function", "math", "vector", ray,
       says="computes the luminance by Rec. 709 of matte surfaces shaded by Lambert and exposed by stops",
       title="lambert_luminance|exposed_luminance|diffuse_luminance", topic="")
def lambert_shading_to_rec709_luminance(albedo: each(albedo), cos_light: each(cosine), exposure_stops: setting(exposure_stops), luminance: out(luminance)):
    names(r0="diffuse|shade", r1="exposed|lit", r2="lum|y", albedo="albedo|albedo", cos_light="cos_light|cos_light", exposure_stops="exposure_stops|exposure_stops", luminance="luminance|luminance_out")
    i = wp.tid()
    r0 = lambert_shading(albedo[i], cos_light[i])
    r1 = expose_color(r0, exposure_stops)
    r2 = rec709_luminance(r1)
    luminance[i] = r2


@scene("function", pixel,
       says="computes the conductance of Perona and Malik's diffusion, small across edges, from the two slopes of the image",
       title="edge_conductance|perona_malik_weights|diffusion_conductance", topic="")
def gradient_magnitude_to_perona_malik_conductance(grad_x: each(gradient_x), grad_y: each(gradient_y), kappa: setting(edge_threshold), conductance: out(ratio), edge_strength: maybe(out(edge_strength), 0.5)):
    names(r0="strength|grad_mag", r1="g|conductance_i", grad_x="grad_x|grad_x", grad_y="grad_y|grad_y", kappa="kappa|kappa", conductance="conductance|conductance_out", edge_strength="edge_strength|edge_strength_out")
    i = wp.tid()
    r0 = gradient_magnitude(grad_x[i], grad_y[i])
    r1 = perona_malik_conductance(r0, kappa)
    conductance[i] = r1
    if present(edge_strength):
        edge_strength[i] = r0


@scene("function", "math", "scalar_param", ray,
       says="computes the intensity of a Gaussian beam off its axis and behind a polariser, by Malus",
       title="polarised_beam_intensity|beam_behind_polariser|beam_intensity", topic="")
def gaussian_beam_radius_to_malus_intensity(waist: setting(beam_waist), distance_from_waist: each(axial_distance), rayleigh_range: setting(rayleigh_range), peak_intensity: each(light_intensity), off_axis: each(beam_radius), polariser_angle: each(angle), intensity_out: out(light_intensity), beam_radius: maybe(out(beam_radius), 0.5)):
    names(r0="beam_w|w_z", r1="intensity|i_beam", r2="passed|i_out", waist="waist|waist", distance_from_waist="distance_from_waist|distance_from_waist", rayleigh_range="rayleigh_range|rayleigh_range", peak_intensity="peak_intensity|peak_intensity", off_axis="off_axis|off_axis", polariser_angle="polariser_angle|polariser_angle", intensity_out="intensity_out|new_intensity", beam_radius="beam_radius|beam_radius_out")
    i = wp.tid()
    r0 = gaussian_beam_radius(waist, distance_from_waist[i], rayleigh_range)
    r1 = gaussian_beam_intensity(peak_intensity[i], off_axis[i], r0)
    r2 = malus_intensity(r1, polariser_angle[i])
    intensity_out[i] = r2
    if present(beam_radius):
        beam_radius[i] = r0


@scene("arithmetic", ray,
       says="computes the optical depth and the transmittance of absorbing layers, by Beer and Lambert",
       title="transmittance|beer_lambert|layer_transmittance", topic="")
def optical_depth_of_to_transmittance_of_depth(absorption: each(absorption), path_length: each(path_length), transmittance_of: out(transmittance), optical_depth: out(optical_depth)):
    names(r0="tau_l|optical", r1="t|passed", absorption="absorption|absorption", path_length="path_length|path_length", transmittance_of="transmittance|transmittance_out", optical_depth="optical_depth|optical_depth_out")
    i = wp.tid()
    r0 = optical_depth_of(absorption[i], path_length[i])
    r1 = transmittance_of_depth(r0)
    transmittance_of[i] = r1
    if present(optical_depth):
        optical_depth[i] = r0


@scene("math", "arithmetic", ray,
       says="computes where a thin lens puts the image of each object and how large it is, negative for a turned image",
       title="lens_magnification|thin_lens_image|image_size", topic="")
def image_distance_of_to_lens_magnification(focal_length: setting(focal_length), object_distance: each(object_distance), magnification: out(magnification), image_distance: out(image_distance)):
    names(r0="image_dist|d_i", r1="mag|m", focal_length="focal_length|focal_length", object_distance="object_distance|object_distance", magnification="magnification|magnification_out", image_distance="image_distance|image_distance_out")
    i = wp.tid()
    r0 = image_distance_of(focal_length, object_distance[i])
    r1 = lens_magnification(r0, object_distance[i])
    magnification[i] = r1
    if present(image_distance):
        image_distance[i] = r0
