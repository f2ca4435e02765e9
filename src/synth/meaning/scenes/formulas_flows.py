"""Flows, heat and weather: one law after another, from what is measured to what is wanted."""


@scene("arithmetic", "math", cell,
       says="computes the saturation vapour pressure over water in hectopascals, by Magnus, from degrees Celsius, then the vapour pressure of humid air, and from it the dew point in degrees Celsius from the vapour pressure in hectopascals",
       title="compute_dew_point|dew_point_from_vapor_pressure|dew_point|evaluate_dew_point|dew_point_step", topic="climate")
def saturation_pressure_to_dew_point_of(t: each(air_temperature), rh: each(humidity), active: maybe(each(flag), 0.4), dew_point_out: out(dew_point)):
    names(r0="vapor_pressure|saturation_pressure|pressure", r1="vapor_from_humidity|vapor_pressure_here|vapor_from_humidity_i", r2="dew_point|dew_point_here|point", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = saturation_pressure(t[i])
    r1 = vapor_from_humidity(rh[i], r0)
    r2 = dew_point_of(r1)
    dew_point_out[i] = r2


@scene("arithmetic", "math", site,
       says="computes the declination of the sun on a day of the year, in radians, and from it the sine of the sun's height, zero below the horizon",
       title="compute_cosine|cosine_from_declination|solar_elevation_sine_kernel|evaluate_cosine|cosine_step", topic="climate")
def solar_declination_to_solar_elevation_sine(day: each(day_of_year), lat: each(latitude), hour: each(hour_angle), cosine_out: out(cosine), declination_out: maybe(out(declination), 0.5)):
    names(r0="declination|solar_declination|declination_now", r1="cosine|solar_elevation_sine|cosine_here")
    i = wp.tid()
    r0 = solar_declination(day[i])
    r1 = solar_elevation_sine(lat[i], r0, hour[i])
    cosine_out[i] = r1
    if present(declination_out):
        declination_out[i] = r0


@scene("math", "combined", "struct", particle,
       says="computes the hydraulic radius of a rectangular channel, then the mean speed in an open channel by Manning, and from it the discharge of a channel",
       title="compute_volume_flow|volume_flow_from_hydraulic_radius|channel_discharge_kernel|evaluate_volume_flow|volume_flow_step", topic="fluids")
def rectangular_hydraulic_radius_to_channel_discharge(b: each(channel_width), depth: each(water_depth), slope: each(bed_slope), n: each(manning_roughness), volume_flow_out: out(volume_flow), hydraulic_radius_out: maybe(out(hydraulic_radius), 0.5), speed_out: maybe(out(speed), 0.5), total: maybe(add(volume_flow, 1), 0.3)):
    names(r0="hydraulic_radius|hydraulic_radius_est|radius", r1="speed|manning_speed|speed_i", r2="volume_flow|channel_discharge|flow")
    i = wp.tid()
    r0 = rectangular_hydraulic_radius(b[i], depth[i])
    r1 = manning_speed(r0, slope[i], n[i])
    r2 = channel_discharge(r1, b[i], depth[i])
    volume_flow_out[i] = r2
    if present(hydraulic_radius_out):
        hydraulic_radius_out[i] = r0
    if present(speed_out):
        speed_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("math", "arithmetic", "struct", particle,
       says="computes the hydraulic radius of a rectangular channel, then the mean speed in an open channel by Manning, and from it the Froude number of a channel flow",
       title="compute_froude|froude_from_hydraulic_radius|froude_number_kernel|evaluate_froude|froude_step", topic="fluids")
def rectangular_hydraulic_radius_to_froude_number(b: each(channel_width), depth: each(water_depth), slope: each(bed_slope), n: each(manning_roughness), g: setting(gravity), active: maybe(each(flag), 0.4), froude_out: out(froude), hydraulic_radius_out: maybe(out(hydraulic_radius), 0.5), speed_out: maybe(out(speed), 0.5)):
    names(r0="hydraulic_radius|hydraulic_radius_now|radius", r1="speed|manning_speed|speed_k", r2="froude|froude_number|froude_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = rectangular_hydraulic_radius(b[i], depth[i])
    r1 = manning_speed(r0, slope[i], n[i])
    r2 = froude_number(r1, g, depth[i])
    froude_out[i] = r2
    if present(hydraulic_radius_out):
        hydraulic_radius_out[i] = r0
    if present(speed_out):
        speed_out[i] = r1


@scene("combined", "math", "vector", cell,
       says="computes a linear equation of state: pressure from the excess of density, then the symmetric pressure term of two smoothed particles, and from it the acceleration of a particle by the pressure of a neighbour, away from it where the pressure is positive",
       title="compute_acceleration|acceleration_from_pressure|pressure_acceleration_kernel|evaluate_acceleration|acceleration_step", topic="fluids")
def pressure_from_density_to_pressure_acceleration(rho: each(density), k: each(stiffness), rho0: each(density), rho_a: each(density), p_b: each(pressure), rho_b: each(density), xa: each(position), xb: each(position), m: each(mass), slope: each(smoothing_slope), acceleration_out: out(acceleration), pressure_out: maybe(out(pressure), 0.5), pressure_term_out: maybe(out(pressure_term), 0.5)):
    names(r0="pressure|pressure_k|pressure_here", r1="pressure_term|pressure_term_now|term", r2="acceleration|acceleration_est|acceleration_k")
    i = wp.tid()
    r0 = pressure_from_density(rho[i], k[i], rho0[i])
    r1 = symmetric_pressure_term(r0, rho_a[i], p_b[i], rho_b[i])
    r2 = pressure_acceleration(xa[i], xb[i], m[i], r1, slope[i])
    acceleration_out[i] = r2
    if present(pressure_out):
        pressure_out[i] = r0
    if present(pressure_term_out):
        pressure_term_out[i] = r1


@scene("function", "arithmetic", "struct", cell,
       says="computes the permeability of a packed bed by Kozeny and Carman, and from it the seepage speed through a porous bed by Darcy",
       title="compute_axial_velocity|axial_velocity_from_permeability|darcy_velocity_kernel|evaluate_axial_velocity|axial_velocity_step", topic="fluids")
def kozeny_carman_to_darcy_velocity(eps: each(porosity), d: each(diameter), mu: each(viscosity), drop: each(pressure_drop), span: each(length), active: maybe(each(flag), 0.4), axial_velocity_out: out(axial_velocity), permeability_out: maybe(out(permeability), 0.5)):
    names(r0="permeability|kozeny_carman|permeability_now", r1="axial_velocity|darcy_velocity|velocity", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = kozeny_carman(eps[i], d[i])
    r1 = darcy_velocity(r0, mu[i], drop[i], span[i])
    axial_velocity_out[i] = r1
    if present(permeability_out):
        permeability_out[i] = r0


@scene("function", "math", "scalar_param", cell,
       says="computes the speed of a long wave in shallow water, and from it the Courant number of a step",
       title="compute_courant|courant_from_speed|courant_number_kernel|evaluate_courant|courant_step", topic="fluids")
def shallow_wave_speed_to_courant_number(g: setting(gravity), depth: each(water_depth), dt: setting(time_step), dx: each(cell_size), active: maybe(each(flag), 0.4), courant_out: out(courant), speed_out: maybe(out(speed), 0.5)):
    names(r0="speed|shallow_wave_speed|speed_k", r1="courant|courant_number|courant_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = shallow_wave_speed(g, depth[i])
    r1 = courant_number(r0, dt, dx[i])
    courant_out[i] = r1
    if present(speed_out):
        speed_out[i] = r0


@scene("combined", "math", "scalar_param", cell,
       says="computes the speed of efflux from a tank by Torricelli, then the dynamic pressure of a stream, and from it the total head of a stream by Bernoulli",
       title="compute_head|head_from_speed|total_head_kernel|evaluate_head|head_step", topic="fluids")
def torricelli_speed_to_total_head(g: setting(gravity), depth: each(water_depth), rho: each(density), z: each(elevation), active: maybe(each(flag), 0.4), head_out: out(head), speed_out: maybe(out(speed), 0.5), pressure_out: maybe(out(pressure), 0.5)):
    names(r0="speed|torricelli_speed|speed_i", r1="pressure|stream_pressure|pressure_here", r2="head|total_head|head_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = torricelli_speed(g, depth[i])
    r1 = stream_pressure(rho[i], r0)
    r2 = total_head(r1, r0, z[i], rho[i], g)
    head_out[i] = r2
    if present(speed_out):
        speed_out[i] = r0
    if present(pressure_out):
        pressure_out[i] = r1


@scene("math", "arithmetic", "scalar_param", cell,
       says="computes the hydrostatic pressure below a column of liquid, and from it the total head of a stream by Bernoulli",
       title="compute_head|head_from_pressure|total_head_kernel|evaluate_head|head_step", topic="fluids")
def hydrostatic_pressure_to_total_head(rho: each(density), g: setting(gravity), depth: each(water_depth), v: each(speed), z: each(elevation), active: maybe(each(flag), 0.4), head_out: out(head), pressure_out: maybe(out(pressure), 0.5)):
    names(r0="pressure|hydrostatic_pressure|pressure_now", r1="head|total_head|head_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = hydrostatic_pressure(rho[i], g, depth[i])
    r1 = total_head(r0, v[i], z[i], rho[i], g)
    head_out[i] = r1
    if present(pressure_out):
        pressure_out[i] = r0


@scene("math", "arithmetic", "vector", particle,
       says="computes the Laplacian of the viscosity smoothing weight, and from it the acceleration of a particle by the viscosity of a neighbour",
       title="compute_acceleration|acceleration_from_smoothing_curvature|viscous_acceleration_kernel|evaluate_acceleration|acceleration_step", topic="fluids")
def viscosity_laplacian_to_viscous_acceleration(r: each(distance), h: each(smoothing_length), va: each(velocity), vb: each(velocity), m: each(mass), rho_a: each(density), rho_b: each(density), mu: each(viscosity), active: maybe(each(flag), 0.4), acceleration_out: out(acceleration), smoothing_curvature_out: maybe(out(smoothing_curvature), 0.5)):
    names(r0="smoothing_curvature|viscosity_laplacian|curvature", r1="acceleration|viscous_acceleration|acceleration_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = viscosity_laplacian(r[i], h[i])
    r1 = viscous_acceleration(va[i], vb[i], m[i], rho_a[i], rho_b[i], mu[i], r0)
    acceleration_out[i] = r1
    if present(smoothing_curvature_out):
        smoothing_curvature_out[i] = r0


@scene("math", "arithmetic", "vector", cell,
       says="computes the cubic spline smoothing weight in three dimensions, with support two smoothing lengths, then the velocity moved towards the mean of the neighbours, as in XSPH, and from it the dynamic pressure of a flow",
       title="compute_pressure|pressure_from_smoothing_weight|dynamic_pressure_kernel|evaluate_pressure|pressure_step", topic="fluids")
def cubic_spline_weight_to_dynamic_pressure(r: each(distance), h: each(smoothing_length), v: each(velocity), vb: each(velocity), m: each(mass), rho: each(density), eps: setting(smoothing_factor), active: maybe(each(flag), 0.4), pressure_out: out(pressure), smoothing_weight_out: maybe(out(smoothing_weight), 0.5), velocity_out: maybe(out(velocity), 0.5)):
    names(r0="smoothing_weight|cubic_spline_weight|weight", r1="velocity|xsph_velocity|velocity_est", r2="pressure|dynamic_pressure|pressure_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = cubic_spline_weight(r[i], h[i])
    r1 = xsph_velocity(v[i], vb[i], m[i], rho[i], r0, eps)
    r2 = dynamic_pressure(rho[i], r1)
    pressure_out[i] = r2
    if present(smoothing_weight_out):
        smoothing_weight_out[i] = r0
    if present(velocity_out):
        velocity_out[i] = r1


@scene("function", "math", "vector", particle,
       says="computes Monaghan's artificial viscosity of an approaching pair, zero for a parting one, and from it the acceleration of a particle by the pressure of a neighbour, away from it where the pressure is positive",
       title="compute_acceleration|acceleration_from_pressure_term|pressure_acceleration_kernel|evaluate_acceleration|acceleration_step", topic="fluids")
def artificial_viscosity_to_pressure_acceleration(approach: each(approach_rate), r: each(distance), h: each(smoothing_length), c: each(wave_speed), rho: each(density), alpha: setting(viscosity_factor), xa: each(position), xb: each(position), m: each(mass), slope: each(smoothing_slope), acceleration_out: out(acceleration), pressure_term_out: maybe(out(pressure_term), 0.5)):
    names(r0="pressure_term|artificial_viscosity|term", r1="acceleration|acceleration_i|acceleration_est")
    i = wp.tid()
    r0 = artificial_viscosity(approach[i], r[i], h[i], c[i], rho[i], alpha)
    r1 = pressure_acceleration(xa[i], xb[i], m[i], r0, slope[i])
    acceleration_out[i] = r1
    if present(pressure_term_out):
        pressure_term_out[i] = r0


@scene("math", "function", "scalar_param", cell,
       says="computes the speed of a surface wave by the dispersion relation, and from it the Froude number of a channel flow",
       title="compute_froude|froude_from_speed|froude_number_kernel|evaluate_froude|froude_step", topic="fluids")
def wave_phase_speed_to_froude_number(k: each(wave_number), depth: each(water_depth), g: setting(gravity), froude_out: out(froude), speed_out: maybe(out(speed), 0.5)):
    names(r0="speed|wave_phase_speed|speed_k", r1="froude|froude_number|froude_i")
    i = wp.tid()
    r0 = wave_phase_speed(k[i], depth[i], g)
    r1 = froude_number(r0, g, depth[i])
    froude_out[i] = r1
    if present(speed_out):
        speed_out[i] = r0


@scene("function", "arithmetic", "struct", element,
       says="computes the heat flux through a wall by Fourier, then the heat that passes an area in a unit of time, and from it how fast a mass warms under a flow of heat",
       title="compute_temperature_rate|temperature_rate_from_heat_flux|warming_rate_kernel|evaluate_temperature_rate|temperature_rate_step", topic="heat")
def conductive_flux_to_warming_rate(k: each(conductivity), hot: each(temperature), cold: setting(ambient_temperature), d: each(thickness), a: each(area), m: each(mass), c: each(heat_capacity), active: maybe(each(flag), 0.4), temperature_rate_out: out(temperature_rate), heat_flux_out: maybe(out(heat_flux), 0.5), heat_rate_out: maybe(out(heat_rate), 0.5)):
    names(r0="heat_flux|conductive_flux|flux", r1="heat_rate|heat_rate_through|rate", r2="temperature_rate|warming_rate|temperature_rate_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = conductive_flux(k[i], hot[i], cold, d[i])
    r1 = heat_rate_through(r0, a[i])
    r2 = warming_rate(r1, m[i], c[i])
    temperature_rate_out[i] = r2
    if present(heat_flux_out):
        heat_flux_out[i] = r0
    if present(heat_rate_out):
        heat_rate_out[i] = r1


@scene("combined", "math", "struct", cell,
       says="computes the net heat flux radiated by a grey surface to its surroundings, then the heat that leaves through its area, and from it how fast the temperature of the mass behind it changes",
       title="compute_temperature_rate|temperature_rate_from_heat_flux|warming_rate_kernel|evaluate_temperature_rate|temperature_rate_step", topic="heat")
def radiative_flux_to_warming_rate(eps: each(emissivity), surface: each(temperature), around: setting(ambient_temperature), a: each(area), m: each(mass), c: each(heat_capacity), temperature_rate_out: out(temperature_rate), heat_flux_out: maybe(out(heat_flux), 0.5), heat_rate_out: maybe(out(heat_rate), 0.5)):
    names(r0="heat_flux|radiative_flux|flux", r1="heat_rate|heat_rate_through|rate", r2="temperature_rate|warming_rate|temperature_rate_est")
    i = wp.tid()
    r0 = radiative_flux(eps[i], surface[i], around)
    r1 = heat_rate_through(r0, a[i])
    note("what it radiates cools it")
    r2 = -warming_rate(r1, m[i], c[i])
    temperature_rate_out[i] = r2
    if present(heat_flux_out):
        heat_flux_out[i] = r0
    if present(heat_rate_out):
        heat_rate_out[i] = r1


@scene("function", "arithmetic", "struct", element,
       says="computes the conductivity on the face between two cells, their harmonic mean, then the resistance of a layer against heat, and from it the flow of heat through a resistance",
       title="compute_heat_rate|heat_rate_from_conductivity|heat_through_resistance_kernel|evaluate_heat_rate|heat_rate_step", topic="heat")
def face_conductivity_to_heat_through_resistance(ka: each(conductivity), kb: each(conductivity), d: each(thickness), a: each(area), hot: each(temperature), cold: setting(ambient_temperature), heat_rate_out: out(heat_rate), conductivity_out: maybe(out(conductivity), 0.5), thermal_resistance_out: maybe(out(thermal_resistance), 0.5), total: maybe(add(heat_rate, 1), 0.3)):
    names(r0="conductivity|face_conductivity|conductivity_now", r1="thermal_resistance|layer_resistance|resistance", r2="heat_rate|heat_rate_k|rate")
    i = wp.tid()
    r0 = face_conductivity(ka[i], kb[i])
    r1 = layer_resistance(d[i], r0, a[i])
    r2 = heat_through_resistance(hot[i], cold, r1)
    heat_rate_out[i] = r2
    if present(conductivity_out):
        conductivity_out[i] = r0
    if present(thermal_resistance_out):
        thermal_resistance_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("arithmetic", "function", "struct", element,
       says="computes the conductivity of a fibre composite across its layers, the harmonic mean, then the resistance of a layer against heat, and from it the flow of heat through a resistance",
       title="compute_heat_rate|heat_rate_from_conductivity|heat_through_resistance_kernel|evaluate_heat_rate|heat_rate_step", topic="heat")
def series_conductivity_to_heat_through_resistance(ka: each(conductivity), kb: each(conductivity), share: each(ratio), d: each(thickness), a: each(area), hot: each(temperature), cold: setting(ambient_temperature), active: maybe(each(flag), 0.4), heat_rate_out: out(heat_rate), conductivity_out: maybe(out(conductivity), 0.5), thermal_resistance_out: maybe(out(thermal_resistance), 0.5), total: maybe(add(heat_rate, 1), 0.3)):
    names(r0="conductivity|series_conductivity|conductivity_est", r1="thermal_resistance|layer_resistance|resistance", r2="heat_rate|heat_rate_here|rate", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = series_conductivity(ka[i], kb[i], share[i])
    r1 = layer_resistance(d[i], r0, a[i])
    r2 = heat_through_resistance(hot[i], cold, r1)
    heat_rate_out[i] = r2
    if present(conductivity_out):
        conductivity_out[i] = r0
    if present(thermal_resistance_out):
        thermal_resistance_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("function", "math", "struct", cell,
       says="computes the conductivity of a fibre composite across its layers, the harmonic mean, then the thermal diffusivity, and from it the Fourier number of a step on a grid",
       title="compute_diffusion_number|diffusion_number_from_conductivity|fourier_number_kernel|evaluate_diffusion_number|diffusion_number_step", topic="heat")
def series_conductivity_to_fourier_number(ka: each(conductivity), kb: each(conductivity), share: each(ratio), rho: each(density), c: each(heat_capacity), dt: setting(time_step), dx: each(cell_size), active: maybe(each(flag), 0.4), diffusion_number_out: out(diffusion_number), conductivity_out: maybe(out(conductivity), 0.5), diffusivity_out: maybe(out(diffusivity), 0.5)):
    names(r0="conductivity|series_conductivity|conductivity_i", r1="diffusivity|thermal_diffusivity|diffusivity_here", r2="diffusion_number|fourier_number|number", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = series_conductivity(ka[i], kb[i], share[i])
    r1 = thermal_diffusivity(r0, rho[i], c[i])
    r2 = fourier_number(r1, dt, dx[i])
    diffusion_number_out[i] = r2
    if present(conductivity_out):
        conductivity_out[i] = r0
    if present(diffusivity_out):
        diffusivity_out[i] = r1


@scene("math", "combined", "scalar_param", cell,
       says="computes the density of an ideal gas, in kilograms per cubic metre from kilopascals, then the thermal diffusivity, and from it the Fourier number of a step on a grid",
       title="compute_diffusion_number|diffusion_number_from_density|fourier_number_kernel|evaluate_diffusion_number|diffusion_number_step", topic="heat")
def ideal_gas_density_to_fourier_number(p: each(gas_pressure), t: each(temperature), r: setting(gas_constant), k: each(conductivity), c: each(heat_capacity), dt: setting(time_step), dx: each(cell_size), diffusion_number_out: out(diffusion_number), density_out: maybe(out(density), 0.5), diffusivity_out: maybe(out(diffusivity), 0.5)):
    names(r0="density|ideal_gas_density|density_now", r1="diffusivity|thermal_diffusivity|diffusivity_i", r2="diffusion_number|fourier_number|number")
    i = wp.tid()
    r0 = ideal_gas_density(p[i], t[i], r)
    r1 = thermal_diffusivity(k[i], r0, c[i])
    r2 = fourier_number(r1, dt, dx[i])
    diffusion_number_out[i] = r2
    if present(density_out):
        density_out[i] = r0
    if present(diffusivity_out):
        diffusivity_out[i] = r1


@scene("arithmetic", "function", "scalar_param", element,
       says="computes the common temperature of two masses brought together, then the temperature of a cooling body after a time, by Newton's law, and from it the net heat flux radiated by a grey surface to its surroundings",
       title="compute_heat_flux|heat_flux_from_temperature|radiative_flux_kernel|evaluate_heat_flux|heat_flux_step", topic="heat")
def mixing_temperature_to_radiative_flux(ma: each(mass), ca: each(heat_capacity), ta: each(temperature), mb: each(mass), cb: each(heat_capacity), tb: each(temperature), around: setting(ambient_temperature), k: each(rate_constant), t: each(time_value), eps: each(emissivity), active: maybe(each(flag), 0.4), heat_flux_out: out(heat_flux)):
    names(r0="temperature|mixing_temperature|temperature_est", r1="newton_cooling|temperature_now|temperature_here", r2="heat_flux|radiative_flux|flux", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = mixing_temperature(ma[i], ca[i], ta[i], mb[i], cb[i], tb[i])
    r1 = newton_cooling(r0, around, k[i], t[i])
    r2 = radiative_flux(eps[i], r1, around)
    heat_flux_out[i] = r2


@scene("combined", "math", "scalar_param", cell,
       says="computes the temperature along a cooling fin with an adiabatic tip, then the heat flux through a wall by Fourier, and from it the heat that passes an area in a unit of time",
       title="compute_heat_rate|heat_rate_from_temperature|heat_rate_through_kernel|evaluate_heat_rate|heat_rate_step", topic="heat")
def fin_temperature_to_heat_rate_through(base: each(temperature), around: setting(ambient_temperature), m: setting(fin_parameter), x: each(fin_position), span: each(length), k: each(conductivity), cold: setting(ambient_temperature), d: each(thickness), a: each(area), active: maybe(each(flag), 0.4), heat_rate_out: out(heat_rate), temperature_out: maybe(out(temperature), 0.5), heat_flux_out: maybe(out(heat_flux), 0.5), total: maybe(add(heat_rate, 1), 0.3)):
    names(r0="temperature|fin_temperature|temperature_i", r1="heat_flux|conductive_flux|flux", r2="heat_rate|heat_rate_through|rate", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = fin_temperature(base[i], around, m, x[i], span[i])
    r1 = conductive_flux(k[i], r0, cold, d[i])
    r2 = heat_rate_through(r1, a[i])
    heat_rate_out[i] = r2
    if present(temperature_out):
        temperature_out[i] = r0
    if present(heat_flux_out):
        heat_flux_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("math", "function", "struct", cell,
       says="computes the conductivity on the face between two cells, their harmonic mean, and from it the Biot number of a body in a fluid",
       title="compute_biot|biot_from_conductivity|biot_number_kernel|evaluate_biot|biot_step", topic="heat")
def face_conductivity_to_biot_number(ka: each(conductivity), kb: each(conductivity), h: setting(convection_coefficient), span: each(length), active: maybe(each(flag), 0.4), biot_out: out(biot), conductivity_out: maybe(out(conductivity), 0.5)):
    names(r0="conductivity|face_conductivity|conductivity_i", r1="biot|biot_number|biot_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = face_conductivity(ka[i], kb[i])
    r1 = biot_number(h, span[i], r0)
    biot_out[i] = r1
    if present(conductivity_out):
        conductivity_out[i] = r0


@scene("function", "math", "scalar_param", cell,
       says="computes the gas mixture's adiabatic temperature after a compression, then the heat flux from a surface to a moving fluid, by Newton's law of cooling, and from it the heat that passes an area in a unit of time",
       title="compute_heat_rate|heat_rate_from_temperature|heat_rate_through_kernel|evaluate_heat_rate|heat_rate_step", topic="heat")
def adiabatic_temperature_to_heat_rate_through(t: each(temperature), ratio: setting(compression_ratio), gamma: setting(adiabatic_index), h: setting(convection_coefficient), fluid: setting(ambient_temperature), a: each(area), active: maybe(each(flag), 0.4), heat_rate_out: out(heat_rate), temperature_out: maybe(out(temperature), 0.5), heat_flux_out: maybe(out(heat_flux), 0.5), total: maybe(add(heat_rate, 1), 0.3)):
    names(r0="temperature|temperature_k|temperature_now", r1="heat_flux|newton_cooling_flux|flux", r2="heat_rate|heat_rate_through|rate", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = adiabatic_temperature(t[i], ratio, gamma)
    r1 = newton_cooling_flux(h, r0, fluid)
    r2 = heat_rate_through(r1, a[i])
    heat_rate_out[i] = r2
    if present(temperature_out):
        temperature_out[i] = r0
    if present(heat_flux_out):
        heat_flux_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("arithmetic", "math", "struct", cell,
       says="computes the resistance of a layer against heat, then the flow of heat through a resistance, and from it how fast a mass warms under a flow of heat",
       title="compute_temperature_rate|temperature_rate_from_thermal_resistance|warming_rate_kernel|evaluate_temperature_rate|temperature_rate_step", topic="heat")
def layer_resistance_to_warming_rate(d: each(thickness), k: each(conductivity), a: each(area), hot: each(temperature), cold: setting(ambient_temperature), m: each(mass), c: each(heat_capacity), temperature_rate_out: out(temperature_rate), thermal_resistance_out: maybe(out(thermal_resistance), 0.5), heat_rate_out: maybe(out(heat_rate), 0.5)):
    names(r0="thermal_resistance|layer_resistance|resistance", r1="heat_rate|heat_rate_i|rate", r2="temperature_rate|warming_rate|temperature_rate_now")
    i = wp.tid()
    r0 = layer_resistance(d[i], k[i], a[i])
    r1 = heat_through_resistance(hot[i], cold, r0)
    r2 = warming_rate(r1, m[i], c[i])
    temperature_rate_out[i] = r2
    if present(thermal_resistance_out):
        thermal_resistance_out[i] = r0
    if present(heat_rate_out):
        heat_rate_out[i] = r1
