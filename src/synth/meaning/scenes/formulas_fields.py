"""Fields, light, pictures and stars: one law after another, from what is measured to what is wanted."""


@scene("math", "function", star,
       says="computes the distance of a star from its parallax in arc seconds, and from it the brightness that a distance takes away, as a magnitude difference",
       title="compute_magnitude|magnitude_from_parsec_distance|distance_modulus_kernel|evaluate_magnitude|magnitude_step", topic="astronomy")
def parallax_distance_to_distance_modulus(p: each(parallax), magnitude_out: out(magnitude), parsec_distance_out: maybe(out(parsec_distance), 0.5)):
    names(r0="parsec_distance|parallax_distance|distance", r1="magnitude|distance_modulus|magnitude_est")
    i = wp.tid()
    r0 = parallax_distance(p[i])
    r1 = distance_modulus(r0)
    magnitude_out[i] = r1
    if present(parsec_distance_out):
        parsec_distance_out[i] = r0


@scene("combined", "math", star,
       says="computes the true anomaly from the eccentric one, and from it the distance on an ellipse at a true anomaly",
       title="compute_distance|distance_from_true_anomaly|orbit_radius_kernel|evaluate_distance|distance_step", topic="astronomy")
def true_from_eccentric_to_orbit_radius(ecc: each(eccentric_anomaly), e: each(eccentricity), a: each(semi_major), distance_out: out(distance), true_anomaly_out: maybe(out(true_anomaly), 0.5)):
    names(r0="true_anomaly|true_from_eccentric|anomaly", r1="distance|orbit_radius|distance_here")
    i = wp.tid()
    r0 = true_from_eccentric(ecc[i], e[i])
    r1 = orbit_radius(a[i], e[i], r0)
    distance_out[i] = r1
    if present(true_anomaly_out):
        true_anomaly_out[i] = r0


@scene("combined", "math", "struct", star,
       says="computes the period of an orbit by Kepler's third law, and from it the mean anomaly after a time",
       title="compute_mean_anomaly|mean_anomaly_from_period|mean_anomaly_at_kernel|evaluate_mean_anomaly|mean_anomaly_step", topic="astronomy")
def orbital_period_to_mean_anomaly_at(a: each(semi_major), m: each(mass), g: setting(gravitational_constant), t: each(time_value), mean_anomaly_out: out(mean_anomaly), period_out: maybe(out(period), 0.5)):
    names(r0="period|orbital_period|period_i", r1="mean_anomaly|mean_anomaly_k|anomaly")
    i = wp.tid()
    r0 = orbital_period(a[i], m[i], g)
    r1 = mean_anomaly_at(t[i], r0)
    mean_anomaly_out[i] = r1
    if present(period_out):
        period_out[i] = r0


@scene("math", "function", star,
       says="computes the sum of two velocities along a line, in parts of the speed of light, and from it the factor by which moving clocks go slow",
       title="compute_lorentz_gamma|lorentz_gamma_from_light_fraction|lorentz_factor_kernel|evaluate_lorentz_gamma|lorentz_gamma_step", topic="astronomy")
def add_relativistic_to_lorentz_factor(a: each(light_fraction), b: each(light_fraction), lorentz_gamma_out: out(lorentz_gamma), light_fraction_out: maybe(out(light_fraction), 0.5)):
    names(r0="light_fraction|add_relativistic|fraction", r1="lorentz_gamma|lorentz_factor|gamma")
    i = wp.tid()
    r0 = add_relativistic(a[i], b[i])
    r1 = lorentz_factor(r0)
    lorentz_gamma_out[i] = r1
    if present(light_fraction_out):
        light_fraction_out[i] = r0


@scene("combined", "math", star,
       says="computes the sum of two velocities along a line, in parts of the speed of light, and from it the redshift of a moving source, relativistic along the line of sight",
       title="compute_redshift|redshift_from_light_fraction|relativistic_redshift_kernel|evaluate_redshift|redshift_step", topic="astronomy")
def add_relativistic_to_relativistic_redshift(a: each(light_fraction), b: each(light_fraction), active: maybe(each(flag), 0.4), redshift_out: out(redshift), light_fraction_out: maybe(out(light_fraction), 0.5)):
    names(r0="light_fraction|add_relativistic|fraction", r1="redshift|redshift_now|redshift_now_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = add_relativistic(a[i], b[i])
    r1 = relativistic_redshift(r0)
    redshift_out[i] = r1
    if present(light_fraction_out):
        light_fraction_out[i] = r0


@scene("arithmetic", "math", "struct", element,
       says="computes two resistors side by side, then the voltage of a capacitor that charges through a resistor, and from it the energy stored in a capacitor",
       title="compute_energy|energy_from_resistance|capacitor_energy_kernel|evaluate_energy|energy_step", topic="electromagnetics")
def parallel_resistance_to_capacitor_energy(ra: each(resistance), rb: each(resistance), u: each(voltage), c: each(capacitance), t: each(time_value), energy_out: out(energy), resistance_out: maybe(out(resistance), 0.5), voltage_out: maybe(out(voltage), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="resistance|parallel_resistance|resistance_k", r1="voltage|capacitor_charging|voltage_est", r2="energy|capacitor_energy|energy_est")
    i = wp.tid()
    r0 = parallel_resistance(ra[i], rb[i])
    r1 = capacitor_charging(u[i], r0, c[i], t[i])
    r2 = capacitor_energy(c[i], r1)
    energy_out[i] = r2
    if present(resistance_out):
        resistance_out[i] = r0
    if present(voltage_out):
        voltage_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("math", "arithmetic", "scalar_param", particle,
       says="computes the current of a diode by Shockley's equation, with the exponent limited, and from it the heat that a resistor gives off in a unit of time",
       title="compute_power|power_from_current|joule_power_kernel|evaluate_power|power_step", topic="electromagnetics")
def diode_current_to_joule_power(sat: setting(saturation_current), u: each(diode_voltage), vt: setting(thermal_voltage), r: each(resistance), power_out: out(power), current_out: maybe(out(current), 0.5), total: maybe(add(power, 1), 0.3)):
    names(r0="current|diode_current|current_i", r1="power|joule_power|power_now")
    i = wp.tid()
    r0 = diode_current(sat, u[i], vt)
    r1 = joule_power(r0, r[i])
    power_out[i] = r1
    if present(current_out):
        current_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("combined", "function", "vector", particle,
       says="computes the field of a dipole, and from it the torque of a field on a dipole",
       title="compute_torque|torque_from_magnetic_field|dipole_torque_kernel|evaluate_torque|torque_step", topic="electromagnetics")
def dipole_field_to_dipole_torque(moment: each(dipole_moment), r: each(separation), active: maybe(each(flag), 0.4), torque_out: out(torque), magnetic_field_out: maybe(out(magnetic_field), 0.5)):
    names(r0="magnetic_field|dipole_field|field", r1="torque|dipole_torque|torque_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = dipole_field(moment[i], r[i])
    r1 = dipole_torque(moment[i], r0)
    torque_out[i] = r1
    if present(magnetic_field_out):
        magnetic_field_out[i] = r0


@scene("combined", "math", "vector", particle,
       says="computes the field of a dipole, and from it the energy density of a field",
       title="compute_energy_density|energy_density_from_magnetic_field|field_energy_density_kernel|evaluate_energy_density|energy_density_step", topic="electromagnetics")
def dipole_field_to_field_energy_density(moment: each(dipole_moment), r: each(separation), e: each(electric_field), eps: setting(permittivity), mu: setting(magnetic_permeability), energy_density_out: out(energy_density), magnetic_field_out: maybe(out(magnetic_field), 0.5)):
    names(r0="magnetic_field|dipole_field|field", r1="energy_density|field_energy_density|density")
    i = wp.tid()
    r0 = dipole_field(moment[i], r[i])
    r1 = field_energy_density(e[i], r0, eps, mu)
    energy_density_out[i] = r1
    if present(magnetic_field_out):
        magnetic_field_out[i] = r0


@scene("math", "arithmetic", "multi_conditional", particle,
       says="computes the drain current of a transistor in its three regions, and from it the field inside a long coil",
       title="compute_axial_field|axial_field_from_current|solenoid_field_kernel|evaluate_axial_field|axial_field_step", topic="electromagnetics")
def mosfet_current_to_solenoid_field(vgs: each(gate_voltage), vds: each(drain_voltage), vth: setting(threshold_voltage), k: setting(transconductance), mu: setting(magnetic_permeability), turns: setting(turns_per_length), axial_field_out: out(axial_field), current_out: maybe(out(current), 0.5)):
    names(r0="current|mosfet_current|current_k", r1="axial_field|solenoid_field|field")
    i = wp.tid()
    r0 = mosfet_current(vgs[i], vds[i], vth, k)
    r1 = solenoid_field(mu, turns, r0)
    axial_field_out[i] = r1
    if present(current_out):
        current_out[i] = r0


@scene("arithmetic", "combined", "scalar_param", element,
       says="computes the drain current of a transistor in its three regions, and from it the heat that a resistor gives off in a unit of time",
       title="compute_power|power_from_current|joule_power_kernel|evaluate_power|power_step", topic="electromagnetics")
def mosfet_current_to_joule_power(vgs: each(gate_voltage), vds: each(drain_voltage), vth: setting(threshold_voltage), k: setting(transconductance), r: each(resistance), active: maybe(each(flag), 0.4), power_out: out(power), current_out: maybe(out(current), 0.5), total: maybe(add(power, 1), 0.3)):
    names(r0="current|mosfet_current|current_here", r1="power|joule_power|power_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = mosfet_current(vgs[i], vds[i], vth, k)
    r1 = joule_power(r0, r[i])
    power_out[i] = r1
    if present(current_out):
        current_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("arithmetic", "math", "struct", element,
       says="computes the voltage of a divider at its middle, and from it the energy stored in a capacitor",
       title="compute_energy|energy_from_voltage|capacitor_energy_kernel|evaluate_energy|energy_step", topic="electromagnetics")
def voltage_divider_to_capacitor_energy(u: each(voltage), ra: each(resistance), rb: each(resistance), c: each(capacitance), energy_out: out(energy), voltage_out: maybe(out(voltage), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="voltage|voltage_divider|voltage_est", r1="energy|capacitor_energy|energy_here")
    i = wp.tid()
    r0 = voltage_divider(u[i], ra[i], rb[i])
    r1 = capacitor_energy(c[i], r0)
    energy_out[i] = r1
    if present(voltage_out):
        voltage_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("arithmetic", "combined", "struct", particle,
       says="computes the electric potential of a point charge, and from it the energy of a charge in a potential",
       title="compute_energy|energy_from_potential|charge_energy_kernel|evaluate_energy|energy_step", topic="electromagnetics")
def point_charge_potential_to_charge_energy(q: each(charge), r: each(distance), k: setting(coulomb_constant), energy_out: out(energy), potential_out: maybe(out(potential), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="potential|potential_here|potential_now", r1="energy|charge_energy|energy_k")
    i = wp.tid()
    r0 = point_charge_potential(q[i], r[i], k)
    r1 = charge_energy(q[i], r0)
    energy_out[i] = r1
    if present(potential_out):
        potential_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("combined", "function", "vector", particle,
       says="computes the electric field of a point charge, and from it the new velocity of a charge by Boris' method",
       title="compute_velocity|velocity_from_electric_field|boris_push_kernel|evaluate_velocity|velocity_step", topic="electromagnetics")
def point_charge_field_to_boris_push(q: each(charge), x: each(position), source: each(position), k: setting(coulomb_constant), v: each(velocity), b: each(magnetic_field), m: each(mass), dt: setting(time_step), active: maybe(each(flag), 0.4), velocity_out: out(velocity), electric_field_out: maybe(out(electric_field), 0.5)):
    names(r0="electric_field|point_charge_field|field", r1="velocity|boris_push|velocity_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = point_charge_field(q[i], x[i], source[i], k)
    r1 = boris_push(v[i], r0, b[i], q[i], m[i], dt)
    velocity_out[i] = r1
    if present(electric_field_out):
        electric_field_out[i] = r0


@scene("arithmetic", "math", "scalar_param", particle,
       says="computes the current of a diode by Shockley's equation, with the exponent limited, and from it the field around a straight wire",
       title="compute_axial_field|axial_field_from_current|wire_field_kernel|evaluate_axial_field|axial_field_step", topic="electromagnetics")
def diode_current_to_wire_field(sat: setting(saturation_current), u: each(diode_voltage), vt: setting(thermal_voltage), mu: setting(magnetic_permeability), r: each(distance), active: maybe(each(flag), 0.4), axial_field_out: out(axial_field), current_out: maybe(out(current), 0.5)):
    names(r0="current|diode_current|current_i", r1="axial_field|wire_field|field", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = diode_current(sat, u[i], vt)
    r1 = wire_field(mu, r0, r[i])
    axial_field_out[i] = r1
    if present(current_out):
        current_out[i] = r0


@scene("combined", "math", "scalar_param", element,
       says="computes the potential of a screened charge, and from it the energy of a charge in a potential",
       title="compute_energy|energy_from_potential|charge_energy_kernel|evaluate_energy|energy_step", topic="electromagnetics")
def screened_potential_to_charge_energy(q: each(charge), r: each(distance), screening: setting(screening_length), k: setting(coulomb_constant), active: maybe(each(flag), 0.4), energy_out: out(energy), potential_out: maybe(out(potential), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="potential|screened_potential|potential_est", r1="energy|charge_energy|energy_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = screened_potential(q[i], r[i], screening, k)
    r1 = charge_energy(q[i], r0)
    energy_out[i] = r1
    if present(potential_out):
        potential_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("combined", "arithmetic", "vector", element,
       says="computes the electric field of a point charge, and from it the flow of electromagnetic energy by Poynting",
       title="compute_energy_flux|energy_flux_from_electric_field|poynting_vector_kernel|evaluate_energy_flux|energy_flux_step", topic="electromagnetics")
def point_charge_field_to_poynting_vector(q: each(charge), x: each(position), source: each(position), k: setting(coulomb_constant), b: each(magnetic_field), mu: setting(magnetic_permeability), active: maybe(each(flag), 0.4), energy_flux_out: out(energy_flux), electric_field_out: maybe(out(electric_field), 0.5)):
    names(r0="electric_field|point_charge_field|field", r1="energy_flux|poynting_vector|flux", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = point_charge_field(q[i], x[i], source[i], k)
    r1 = poynting_vector(r0, b[i], mu)
    energy_flux_out[i] = r1
    if present(electric_field_out):
        electric_field_out[i] = r0


@scene("arithmetic", "function", "vector", ray,
       says="computes the opacity of two layers, then one colour laid over another by its opacity, and from it a colour made brighter by stops",
       title="compute_color|color_from_opacity|expose_color_kernel|evaluate_color|color_step", topic="graphics")
def stacked_opacity_to_expose_color(a: each(opacity), b: each(opacity), front: each(colour), back: each(colour), stops: setting(exposure_stops), colour_out2: out(colour), opacity_out: maybe(out(opacity), 0.5)):
    names(r0="opacity|stacked_opacity|opacity_i", r1="color|color_k|color_here", r2="color_est|color_now|color_k_i")
    i = wp.tid()
    r0 = stacked_opacity(a[i], b[i])
    r1 = blend_over(front[i], r0, back[i])
    r2 = expose_color(r1, stops)
    colour_out2[i] = r2
    if present(opacity_out):
        opacity_out[i] = r0


@scene("function", "math", "vector", pixel,
       says="computes the light of a matte surface by Lambert, then a colour made brighter by stops, and from it a colour moved towards or away from its grey",
       title="compute_color|update_color|adjust_saturation_kernel|evaluate_color|color_step", topic="graphics")
def lambert_shading_to_adjust_saturation(base: each(albedo), cos_in: each(cosine), stops: setting(exposure_stops), amount: setting(saturation), active: maybe(each(flag), 0.4), colour_out22: out(colour)):
    names(r0="color|lambert_shading|color_here", r1="color_i|color_here_i|new_color", r2="color_est|color_i_i|color_3", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = lambert_shading(base[i], cos_in[i])
    r1 = expose_color(r0, stops)
    r2 = adjust_saturation(r1, amount)
    colour_out22[i] = r2


@scene("function", "math", "struct", ray,
       says="computes the width of the microfacet slopes from the roughness of an artist, then the share of microfacets that face a direction, by Trowbridge and Reitz (GGX), and from it the specular reflection of Cook and Torrance",
       title="compute_specular|specular_from_ggx_alpha|cook_torrance_kernel|evaluate_specular|specular_step", topic="graphics")
def alpha_from_roughness_to_cook_torrance(roughness: each(roughness), cos_h: each(cosine), f: each(reflectance), g: each(masking), cos_l: each(cosine), cos_v: each(cosine), active: maybe(each(flag), 0.4), specular_out: out(specular), ggx_alpha_out: maybe(out(ggx_alpha), 0.5), microfacet_density_out: maybe(out(microfacet_density), 0.5)):
    names(r0="ggx_alpha|alpha_from_roughness|alpha", r1="microfacet_density|ggx_distribution|density", r2="specular|cook_torrance|specular_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = alpha_from_roughness(roughness[i])
    r1 = ggx_distribution(cos_h[i], r0)
    r2 = cook_torrance(r1, f[i], g[i], cos_l[i], cos_v[i])
    specular_out[i] = r2
    if present(ggx_alpha_out):
        ggx_alpha_out[i] = r0
    if present(microfacet_density_out):
        microfacet_density_out[i] = r1


@scene("combined", "arithmetic", "vector", pixel,
       says="computes one colour laid over another by its opacity, then the brightness of a linear colour by Rec. 709, and from it a bright value compressed by an exponential exposure",
       title="compute_linear|linear_from_color|exposure_tonemap_kernel|evaluate_linear|linear_step", topic="graphics")
def blend_over_to_exposure_tonemap(front: each(colour), alpha: each(opacity), back: each(colour), exposure: each(exposure), active: maybe(each(flag), 0.4), linear_out: out(linear_value), color_out: maybe(out(colour), 0.5), luminance_out: maybe(out(luminance), 0.5)):
    names(r0="color|color_now|color_here", r1="luminance|rec709_luminance|luminance_i", r2="linear|exposure_tonemap|linear_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = blend_over(front[i], alpha[i], back[i])
    r1 = rec709_luminance(r0)
    r2 = exposure_tonemap(r1, exposure[i])
    linear_out[i] = r2
    if present(color_out):
        color_out[i] = r0
    if present(luminance_out):
        luminance_out[i] = r1


@scene("arithmetic", "combined", "multi_conditional", pixel,
       says="computes a bright value compressed by an exponential exposure, then one channel encoded for sRGB, and from it a value spread around the middle",
       title="compute_encoded|encoded_from_linear|adjust_contrast_kernel|evaluate_encoded|encoded_step", topic="graphics")
def exposure_tonemap_to_adjust_contrast(x: each(luminance), exposure: each(exposure), amount: setting(contrast), active: maybe(each(flag), 0.4), encoded_out2: out(encoded_value), linear_out: maybe(out(linear_value), 0.5)):
    names(r0="linear|exposure_tonemap|linear_est", r1="encoded|srgb_encode|encoded_now", r2="encoded_k|encoded_i|encoded_k_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = exposure_tonemap(x[i], exposure[i])
    r1 = srgb_encode(r0)
    r2 = adjust_contrast(r1, amount)
    encoded_out2[i] = r2
    if present(linear_out):
        linear_out[i] = r0


@scene("math", "combined", "vector", pixel,
       says="computes a colour of given hue, saturation and value, then the brightness of a linear colour by Rec. 709, and from it a bright value compressed by Reinhard's curve",
       title="compute_linear|linear_from_color|reinhard_tonemap_kernel|evaluate_linear|linear_step", topic="graphics")
def hsv_to_rgb_to_reinhard_tonemap(hue: each(hue), s: each(ratio), v: each(brightness), active: maybe(each(flag), 0.4), linear_out: out(linear_value), color_out: maybe(out(colour), 0.5), luminance_out: maybe(out(luminance), 0.5)):
    names(r0="color|hsv_to_rgb|color_k", r1="luminance|rec709_luminance|luminance_k", r2="linear|reinhard_tonemap|linear_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = hsv_to_rgb(hue[i], s[i], v[i])
    r1 = rec709_luminance(r0)
    r2 = reinhard_tonemap(r1)
    linear_out[i] = r2
    if present(color_out):
        color_out[i] = r0
    if present(luminance_out):
        luminance_out[i] = r1


@scene("math", "arithmetic", "struct", ray,
       says="computes one channel lightened by the screen mode, then one channel by the overlay mode, and from it a value spread around the middle",
       title="compute_encoded|update_encoded|adjust_contrast_kernel|evaluate_encoded|encoded_step", topic="graphics")
def screen_blend_to_adjust_contrast(a: each(encoded_value), b: each(encoded_value), top: each(encoded_value), amount: setting(contrast), active: maybe(each(flag), 0.4), encoded_out22: out(encoded_value)):
    names(r0="encoded|screen_blend|encoded_k", r1="overlay_blend|encoded_now|encoded_i", r2="encoded_est|encoded_i_i|new_encoded", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = screen_blend(a[i], b[i])
    r1 = overlay_blend(r0, top[i])
    r2 = adjust_contrast(r1, amount)
    encoded_out22[i] = r2


@scene("arithmetic", "function", "multi_conditional", pixel,
       says="computes the light gathered over a step through a glowing medium, and from it a bright value compressed by Reinhard's curve with a white point",
       title="compute_linear|linear_from_luminance|extended_reinhard_tonemap_kernel|evaluate_linear|linear_step", topic="graphics")
def emission_step_to_extended_reinhard_tonemap(sigma: each(absorption), glow: each(emission), step: setting(step_length), white: setting(white_point), active: maybe(each(flag), 0.4), linear_out: out(linear_value), luminance_out: maybe(out(luminance), 0.5)):
    names(r0="luminance|emission_step|luminance_now", r1="linear|linear_now|linear_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = emission_step(sigma[i], glow[i], step)
    r1 = extended_reinhard_tonemap(r0, white)
    linear_out[i] = r1
    if present(luminance_out):
        luminance_out[i] = r0


@scene("math", "combined", pixel,
       says="computes the width of the microfacet slopes from the roughness of an artist, and from it the light that microfacets do not shade, by Smith for GGX, for one direction",
       title="compute_masking|masking_from_ggx_alpha|smith_masking_kernel|evaluate_masking|masking_step", topic="graphics")
def alpha_from_roughness_to_smith_masking(roughness: each(roughness), cos_v: each(cosine), masking_out: out(masking), ggx_alpha_out: maybe(out(ggx_alpha), 0.5)):
    names(r0="ggx_alpha|alpha_from_roughness|alpha", r1="masking|smith_masking|masking_est")
    i = wp.tid()
    r0 = alpha_from_roughness(roughness[i])
    r1 = smith_masking(cos_v[i], r0)
    masking_out[i] = r1
    if present(ggx_alpha_out):
        ggx_alpha_out[i] = r0


@scene("function", "math", "struct", ray,
       says="computes the light that microfacets do not shade, by Smith for GGX, for one direction, and from it the specular reflection of Cook and Torrance",
       title="compute_specular|specular_from_masking|cook_torrance_kernel|evaluate_specular|specular_step", topic="graphics")
def smith_masking_to_cook_torrance(cos_v: each(cosine), alpha: each(ggx_alpha), d: each(microfacet_density), f: each(reflectance), cos_l: each(cosine), active: maybe(each(flag), 0.4), specular_out: out(specular), masking_out: maybe(out(masking), 0.5)):
    names(r0="masking|smith_masking|masking_now", r1="specular|cook_torrance|specular_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = smith_masking(cos_v[i], alpha[i])
    r1 = cook_torrance(d[i], f[i], r0, cos_l[i], cos_v[i])
    specular_out[i] = r1
    if present(masking_out):
        masking_out[i] = r0


@scene("function", "math", "vector", ray,
       says="computes the light of a matte surface by Lambert, then a colour made brighter by stops, and from it the brightness of a linear colour by Rec. 709",
       title="compute_luminance|luminance_from_color|rec709_luminance_kernel|evaluate_luminance|luminance_step", topic="graphics")
def lambert_shading_to_rec709_luminance(base: each(albedo), cos_in: each(cosine), stops: setting(exposure_stops), active: maybe(each(flag), 0.4), luminance_out: out(luminance)):
    names(r0="color|lambert_shading|color_here", r1="color_k|color_here_i|new_color", r2="luminance|rec709_luminance|luminance_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = lambert_shading(base[i], cos_in[i])
    r1 = expose_color(r0, stops)
    r2 = rec709_luminance(r1)
    luminance_out[i] = r2


@scene("function", "combined", pixel,
       says="computes the strength of an edge from its two slopes, and from it the conductance of Perona and Malik's diffusion, small across edges",
       title="compute_fraction|fraction_from_edge_strength|perona_malik_conductance_kernel|evaluate_fraction|fraction_step", topic="image")
def gradient_magnitude_to_perona_malik_conductance(gx: each(gradient_x), gy: each(gradient_y), kappa: setting(edge_threshold), fraction_out: out(ratio), edge_strength_out: maybe(out(edge_strength), 0.5)):
    names(r0="edge_strength|gradient_magnitude|strength", r1="fraction|fraction_here|fraction_now")
    i = wp.tid()
    r0 = gradient_magnitude(gx[i], gy[i])
    r1 = perona_malik_conductance(r0, kappa)
    fraction_out[i] = r1
    if present(edge_strength_out):
        edge_strength_out[i] = r0


@scene("function", "math", "scalar_param", ray,
       says="computes the radius of a Gaussian beam at a distance from its waist, then the intensity of a Gaussian beam off its axis, and from it the light behind a polariser, by Malus",
       title="compute_light_intensity|light_intensity_from_beam_radius|malus_intensity_kernel|evaluate_light_intensity|light_intensity_step", topic="optics")
def gaussian_beam_radius_to_malus_intensity(w0: setting(beam_waist), z: each(axial_distance), zr: setting(rayleigh_range), i0: each(light_intensity), w: each(beam_radius), theta: each(angle), active: maybe(each(flag), 0.4), light_intensity_out2: out(light_intensity), beam_radius_out: maybe(out(beam_radius), 0.5)):
    names(r0="beam_radius|gaussian_beam_radius|radius", r1="light_intensity|light_intensity_k|intensity", r2="malus_intensity|malus_intensity_i|new_light_intensity", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = gaussian_beam_radius(w0, z[i], zr)
    r1 = gaussian_beam_intensity(i0[i], r0, w[i])
    r2 = malus_intensity(r1, theta[i])
    light_intensity_out2[i] = r2
    if present(beam_radius_out):
        beam_radius_out[i] = r0


@scene("combined", "arithmetic", ray,
       says="computes the optical depth of a layer, and from it the transmittance that belongs to an optical depth",
       title="compute_transmittance|transmittance_from_optical_depth|transmittance_of_depth_kernel|evaluate_transmittance|transmittance_step", topic="optics")
def optical_depth_of_to_transmittance_of_depth(mu: each(absorption), depth: each(path_length), active: maybe(each(flag), 0.4), transmittance_out: out(transmittance), optical_depth_out: maybe(out(optical_depth), 0.5)):
    names(r0="optical_depth|optical_depth_i|optical_depth_k", r1="transmittance|transmittance_now|transmittance_now_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = optical_depth_of(mu[i], depth[i])
    r1 = transmittance_of_depth(r0)
    transmittance_out[i] = r1
    if present(optical_depth_out):
        optical_depth_out[i] = r0


@scene("math", "arithmetic", pixel,
       says="computes where a thin lens puts the image of an object, and from it the magnification of a thin lens, negative for a turned image",
       title="compute_magnification|magnification_from_image_distance|lens_magnification_kernel|evaluate_magnification|magnification_step", topic="optics")
def image_distance_of_to_lens_magnification(f: setting(focal_length), d: each(object_distance), active: maybe(each(flag), 0.4), magnification_out: out(magnification), image_distance_out: maybe(out(image_distance), 0.5)):
    names(r0="image_distance|image_distance_i|distance", r1="magnification|lens_magnification|magnification_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = image_distance_of(f, d[i])
    r1 = lens_magnification(r0, d[i])
    magnification_out[i] = r1
    if present(image_distance_out):
        image_distance_out[i] = r0
