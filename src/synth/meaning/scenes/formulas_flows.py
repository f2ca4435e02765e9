"""Weather, water and heat: a short chain of formulas for each element."""


@scene("arithmetic", "math", cell,
       says="computes the dew point of humid air, in degrees Celsius, by Magnus' formula",
       title="dew_point|compute_dew_point|dew_from_humidity", topic="")
def saturation_pressure_to_dew_point_of(air_temperature: each(air_temperature), humidity: each(humidity), dew_point: out(dew_point)):
    names(r0="saturation|e_sat", r1="vapor|e_vap", r2="dew|t_dew", air_temperature="air_temperature|air_temperature", humidity="humidity|humidity", dew_point="dew_point|dew_point_out")
    i = wp.tid()
    r0 = saturation_pressure(air_temperature[i])
    r1 = vapor_from_humidity(humidity[i], r0)
    r2 = dew_point_of(r1)
    dew_point[i] = r2


@scene("arithmetic", "math", site,
       says="computes the sine of the sun's elevation at a place, a day and an hour, zero below the horizon",
       title="solar_elevation|sun_height|sine_of_solar_elevation", topic="")
def solar_declination_to_solar_elevation_sine(day_of_year: each(day_of_year), latitude: each(latitude), hour_angle: each(hour_angle), sin_elevation: out(cosine), declination: maybe(out(declination), 0.5)):
    names(r0="decl|delta", r1="sin_el|height_sine", day_of_year="day_of_year|day_of_year", latitude="latitude|latitude", hour_angle="hour_angle|hour_angle", sin_elevation="sin_elevation|sin_elevation_out", declination="declination|declination_out")
    i = wp.tid()
    r0 = solar_declination(day_of_year[i])
    r1 = solar_elevation_sine(latitude[i], r0, hour_angle[i])
    sin_elevation[i] = r1
    if present(declination):
        declination[i] = r0


@scene("math", "struct", segment,
       says="computes the discharge of rectangular open channels by Manning's formula",
       title="manning_discharge|channel_discharge|open_channel_flow", topic="")
def rectangular_hydraulic_radius_to_channel_discharge(channel_width: each(channel_width), water_depth: each(water_depth), bed_slope: each(bed_slope), manning_n: each(manning_roughness), discharge: out(volume_flow), hydraulic_radius: maybe(out(hydraulic_radius), 0.5), mean_speed: maybe(out(speed), 0.5), total_discharge: maybe(add(volume_flow, 1), 0.3)):
    names(r0="hyd_radius|r_h", r1="speed|v_mean", r2="flow|q", channel_width="channel_width|channel_width", water_depth="water_depth|water_depth", bed_slope="bed_slope|bed_slope", manning_n="manning_n|manning_n", discharge="discharge|discharge_out", hydraulic_radius="hydraulic_radius|hydraulic_radius_out", mean_speed="mean_speed|mean_speed_out", total_discharge="total_discharge|total_discharge")
    i = wp.tid()
    r0 = rectangular_hydraulic_radius(channel_width[i], water_depth[i])
    r1 = manning_speed(r0, bed_slope[i], manning_n[i])
    r2 = channel_discharge(r1, channel_width[i], water_depth[i])
    discharge[i] = r2
    if present(hydraulic_radius):
        hydraulic_radius[i] = r0
    if present(mean_speed):
        mean_speed[i] = r1
    if present(total_discharge):
        wp.atomic_add(total_discharge, 0, r2)


@scene("math", "arithmetic", "struct", segment,
       says="computes the Froude number of the flow in rectangular open channels, with the speed by Manning",
       title="channel_froude_number|froude_number|open_channel_froude", topic="")
def rectangular_hydraulic_radius_to_froude_number(channel_width: each(channel_width), water_depth: each(water_depth), bed_slope: each(bed_slope), manning_n: each(manning_roughness), gravity: setting(gravity), froude: out(froude), hydraulic_radius: maybe(out(hydraulic_radius), 0.5), mean_speed: maybe(out(speed), 0.5)):
    names(r0="hyd_radius|r_h", r1="speed|v_mean", r2="fr|froude_i", channel_width="channel_width|channel_width", water_depth="water_depth|water_depth", bed_slope="bed_slope|bed_slope", manning_n="manning_n|manning_n", gravity="gravity|gravity", froude="froude|froude_out", hydraulic_radius="hydraulic_radius|hydraulic_radius_out", mean_speed="mean_speed|mean_speed_out")
    i = wp.tid()
    r0 = rectangular_hydraulic_radius(channel_width[i], water_depth[i])
    r1 = manning_speed(r0, bed_slope[i], manning_n[i])
    r2 = froude_number(r1, gravity, water_depth[i])
    froude[i] = r2
    if present(hydraulic_radius):
        hydraulic_radius[i] = r0
    if present(mean_speed):
        mean_speed[i] = r1


@scene("function", "arithmetic", "struct", cell,
       says="computes the seepage speed through packed beds by Darcy, with the permeability by Kozeny and Carman",
       title="seepage_velocity|darcy_flow|packed_bed_flow", topic="")
def kozeny_carman_to_darcy_velocity(porosity: each(porosity), grain_diameter: each(diameter), viscosity: each(viscosity), pressure_drop: each(pressure_drop), bed_length: each(length), seepage_velocity: out(axial_velocity), permeability: maybe(out(permeability), 0.5)):
    names(r0="perm|k_bed", r1="seepage|u", porosity="porosity|porosity", grain_diameter="grain_diameter|grain_diameter", viscosity="viscosity|viscosity", pressure_drop="pressure_drop|pressure_drop", bed_length="bed_length|bed_length", seepage_velocity="seepage_velocity|seepage_velocity_out", permeability="permeability|permeability_out")
    i = wp.tid()
    r0 = kozeny_carman(porosity[i], grain_diameter[i])
    r1 = darcy_velocity(r0, viscosity[i], pressure_drop[i], bed_length[i])
    seepage_velocity[i] = r1
    if present(permeability):
        permeability[i] = r0


@scene("function", "math", "scalar_param", cell,
       says="computes the Courant number of a step of shallow water, with the speed of long waves",
       title="shallow_water_courant|courant_numbers|check_time_step", topic="")
def shallow_wave_speed_to_courant_number(gravity: setting(gravity), water_depth: each(water_depth), dt: setting(time_step), cell_size: each(cell_size), courant: out(courant), wave_speed: maybe(out(speed), 0.5)):
    names(r0="celerity|c_wave", r1="cfl|courant_i", gravity="gravity|gravity", water_depth="water_depth|water_depth", cell_size="cell_size|cell_size", courant="courant|courant_out", wave_speed="wave_speed|wave_speed_out")
    i = wp.tid()
    r0 = shallow_wave_speed(gravity, water_depth[i])
    r1 = courant_number(r0, dt, cell_size[i])
    courant[i] = r1
    if present(wave_speed):
        wave_speed[i] = r0


@scene("math", "arithmetic", "scalar_param", cell,
       says="computes the total head of a stream: elevation, pressure head and velocity head",
       title="total_head|hydraulic_head|bernoulli_head", topic="")
def hydrostatic_pressure_to_total_head(density: each(density), gravity: setting(gravity), water_depth: each(water_depth), flow_speed: each(speed), elevation: each(elevation), total_heads: out(head), static_pressure: maybe(out(pressure), 0.5)):
    names(r0="p_static|pressure_i", r1="head|h_total", density="density|density", gravity="gravity|gravity", water_depth="water_depth|water_depth", flow_speed="flow_speed|flow_speed", elevation="elevation|elevation", total_heads="total_heads|total_heads", static_pressure="static_pressure|static_pressure_out")
    i = wp.tid()
    r0 = hydrostatic_pressure(density[i], gravity, water_depth[i])
    r1 = total_head(r0, flow_speed[i], elevation[i], density[i], gravity)
    total_heads[i] = r1
    if present(static_pressure):
        static_pressure[i] = r0


@scene("function", "arithmetic", "struct", body,
       says="computes how fast a warm body cools through its insulating wall",
       title="insulated_cooling_rate|cooling_through_wall|insulation_loss", topic="")
def conductive_flux_to_warming_rate(wall_conductivity: each(conductivity), body_temperature: each(temperature), ambient_temperature: setting(ambient_temperature), wall_thickness: each(thickness), wall_area: each(area), body_mass: each(mass), specific_heat: each(heat_capacity), temperature_rate: out(temperature_rate), heat_flux: maybe(out(heat_flux), 0.5), heat_loss: maybe(out(heat_rate), 0.5)):
    names(r0="flux|q", r1="loss|heat_flow", r2="rate|dT_dt", wall_conductivity="wall_conductivity|wall_conductivity", body_temperature="body_temperature|body_temperature", ambient_temperature="ambient_temperature|ambient_temperature", wall_thickness="wall_thickness|wall_thickness", wall_area="wall_area|wall_area", body_mass="body_mass|body_mass", specific_heat="specific_heat|specific_heat", temperature_rate="temperature_rate|temperature_rate_out", heat_flux="heat_flux|heat_flux_out", heat_loss="heat_loss|heat_loss_out")
    i = wp.tid()
    r0 = conductive_flux(wall_conductivity[i], body_temperature[i], ambient_temperature, wall_thickness[i])
    r1 = heat_rate_through(r0, wall_area[i])
    note("what it loses cools it|heat leaves the body")
    r2 = -warming_rate(r1, body_mass[i], specific_heat[i])
    temperature_rate[i] = r2
    if present(heat_flux):
        heat_flux[i] = r0
    if present(heat_loss):
        heat_loss[i] = r1


@scene("math", "struct", body,
       says="computes how fast a grey body cools by radiation to its surroundings",
       title="radiative_cooling_rate|cooling_by_radiation|thermal_radiation_loss", topic="")
def radiative_flux_to_warming_rate(emissivity: each(emissivity), surface_temperature: each(temperature), ambient_temperature: setting(ambient_temperature), surface_area: each(area), body_mass: each(mass), specific_heat: each(heat_capacity), temperature_rate: out(temperature_rate), radiated_flux: maybe(out(heat_flux), 0.5), heat_loss: maybe(out(heat_rate), 0.5)):
    names(r0="flux|q_rad", r1="loss|heat_flow", r2="rate|dT_dt", emissivity="emissivity|emissivity", surface_temperature="surface_temperature|surface_temperature", ambient_temperature="ambient_temperature|ambient_temperature", surface_area="surface_area|surface_area", body_mass="body_mass|body_mass", specific_heat="specific_heat|specific_heat", temperature_rate="temperature_rate|temperature_rate_out", radiated_flux="radiated_flux|radiated_flux_out", heat_loss="heat_loss|heat_loss_out")
    i = wp.tid()
    r0 = radiative_flux(emissivity[i], surface_temperature[i], ambient_temperature)
    r1 = heat_rate_through(r0, surface_area[i])
    note("what it radiates cools it")
    r2 = -warming_rate(r1, body_mass[i], specific_heat[i])
    temperature_rate[i] = r2
    if present(radiated_flux):
        radiated_flux[i] = r0
    if present(heat_loss):
        heat_loss[i] = r1


@scene("function", "arithmetic", "struct", face,
       says="computes the heat that flows through a face between two materials, with the harmonic mean of their conductivities",
       title="heat_between_cells|face_heat_flow|conduction_across_faces", topic="")
def face_conductivity_to_heat_through_resistance(conductivity_a: each(conductivity), conductivity_b: each(conductivity), spacing: each(thickness), face_area: each(area), hot_temperature: each(temperature), cold_temperature: setting(ambient_temperature), heat_flow: out(heat_rate), face_conductivity_of: maybe(out(conductivity), 0.5), thermal_resistance: maybe(out(thermal_resistance), 0.5), total_flow: maybe(add(heat_rate, 1), 0.3)):
    names(r0="k_face|cond", r1="resist|r_th", r2="flow|q", conductivity_a="conductivity_a|conductivity_a", conductivity_b="conductivity_b|conductivity_b", spacing="spacing|spacing", face_area="face_area|face_area", hot_temperature="hot_temperature|hot_temperature", cold_temperature="cold_temperature|cold_temperature", heat_flow="heat_flow|heat_flow_out", face_conductivity_of="face_conductivity|face_conductivity_out", thermal_resistance="thermal_resistance|thermal_resistance_out", total_flow="total_flow|total_flow")
    i = wp.tid()
    r0 = face_conductivity(conductivity_a[i], conductivity_b[i])
    r1 = layer_resistance(spacing[i], r0, face_area[i])
    r2 = heat_through_resistance(hot_temperature[i], cold_temperature, r1)
    heat_flow[i] = r2
    if present(face_conductivity_of):
        face_conductivity_of[i] = r0
    if present(thermal_resistance):
        thermal_resistance[i] = r1
    if present(total_flow):
        wp.atomic_add(total_flow, 0, r2)


@scene("arithmetic", "function", "struct", element,
       says="computes the heat lost through a wall of two materials one behind the other",
       title="wall_heat_loss|composite_wall_loss|layered_wall_heat", topic="")
def series_conductivity_to_heat_through_resistance(conductivity_a: each(conductivity), conductivity_b: each(conductivity), share_a: each(ratio), wall_thickness: each(thickness), wall_area: each(area), inside_temperature: each(temperature), outside_temperature: setting(ambient_temperature), heat_loss: out(heat_rate), wall_conductivity: maybe(out(conductivity), 0.5), thermal_resistance: maybe(out(thermal_resistance), 0.5), total_loss: maybe(add(heat_rate, 1), 0.3)):
    names(r0="k_wall|cond", r1="resist|r_th", r2="flow|q", conductivity_a="conductivity_a|conductivity_a", conductivity_b="conductivity_b|conductivity_b", share_a="share_a|share_a", wall_thickness="wall_thickness|wall_thickness", wall_area="wall_area|wall_area", inside_temperature="inside_temperature|inside_temperature", outside_temperature="outside_temperature|outside_temperature", heat_loss="heat_loss|heat_loss_out", wall_conductivity="wall_conductivity|wall_conductivity_out", thermal_resistance="thermal_resistance|thermal_resistance_out", total_loss="total_loss|total_loss")
    i = wp.tid()
    r0 = series_conductivity(conductivity_a[i], conductivity_b[i], share_a[i])
    r1 = layer_resistance(wall_thickness[i], r0, wall_area[i])
    r2 = heat_through_resistance(inside_temperature[i], outside_temperature, r1)
    heat_loss[i] = r2
    if present(wall_conductivity):
        wall_conductivity[i] = r0
    if present(thermal_resistance):
        thermal_resistance[i] = r1
    if present(total_loss):
        wp.atomic_add(total_loss, 0, r2)


@scene("math", "scalar_param", cell,
       says="computes the Fourier number of an explicit heat step in a gas whose density follows from its pressure and temperature",
       title="gas_fourier_number|gas_diffusion_number|heat_step_limit", topic="")
def ideal_gas_density_to_fourier_number(gas_pressure: each(gas_pressure), temperature: each(temperature), gas_constant: setting(gas_constant), conductivity: each(conductivity), specific_heat: each(heat_capacity), dt: setting(time_step), cell_size: each(cell_size), fourier_number_of: out(diffusion_number), gas_density: maybe(out(density), 0.5), thermal_diffusivity_of: maybe(out(diffusivity), 0.5)):
    names(r0="rho|gas_rho", r1="alpha|diffusivity_i", r2="fo|number_f", gas_pressure="gas_pressure|gas_pressure", temperature="temperature|temperature", gas_constant="gas_constant|gas_constant", conductivity="conductivity|conductivity", specific_heat="specific_heat|specific_heat", cell_size="cell_size|cell_size", fourier_number_of="fourier_number|fourier_number_out", gas_density="gas_density|gas_density_out", thermal_diffusivity_of="thermal_diffusivity|thermal_diffusivity_out")
    i = wp.tid()
    r0 = ideal_gas_density(gas_pressure[i], temperature[i], gas_constant)
    r1 = thermal_diffusivity(conductivity[i], r0, specific_heat[i])
    r2 = fourier_number(r1, dt, cell_size[i])
    fourier_number_of[i] = r2
    if present(gas_density):
        gas_density[i] = r0
    if present(thermal_diffusivity_of):
        thermal_diffusivity_of[i] = r1


@scene("function", "math", "scalar_param", cell,
       says="computes the heat that a gas loses to the cylinder wall after a quick compression",
       title="compressed_gas_heat_loss|cylinder_wall_heat|compression_heat_loss", topic="")
def adiabatic_temperature_to_heat_rate_through(gas_temperature: each(temperature), compression_ratio: setting(compression_ratio), adiabatic_index: setting(adiabatic_index), convection: setting(convection_coefficient), wall_temperature: setting(ambient_temperature), wall_area: each(area), heat_loss: out(heat_rate), compressed_temperature: maybe(out(temperature), 0.5), wall_flux: maybe(out(heat_flux), 0.5), total_loss: maybe(add(heat_rate, 1), 0.3)):
    names(r0="t_hot|compressed", r1="flux|q", r2="loss|heat_flow", gas_temperature="gas_temperature|gas_temperature", compression_ratio="compression_ratio|compression_ratio", adiabatic_index="adiabatic_index|adiabatic_index", convection="convection|convection", wall_temperature="wall_temperature|wall_temperature", wall_area="wall_area|wall_area", heat_loss="heat_loss|heat_loss_out", compressed_temperature="compressed_temperature|compressed_temperature_out", wall_flux="wall_flux|wall_flux_out", total_loss="total_loss|total_loss")
    i = wp.tid()
    r0 = adiabatic_temperature(gas_temperature[i], compression_ratio, adiabatic_index)
    r1 = newton_cooling_flux(convection, r0, wall_temperature)
    r2 = heat_rate_through(r1, wall_area[i])
    heat_loss[i] = r2
    if present(compressed_temperature):
        compressed_temperature[i] = r0
    if present(wall_flux):
        wall_flux[i] = r1
    if present(total_loss):
        wp.atomic_add(total_loss, 0, r2)
