"""Moving bodies: energies, momenta, contacts and oscillators, from what is measured to what is wanted."""


@scene("arithmetic", "function", "multi_conditional", particle,
       says="computes where a damped mass on a spring is at a time after it was released at rest; the mass follows from density and volume",
       title="damped_oscillator|oscillator_displacement|ring_down", topic="")
def mass_from_density_to_damped_oscillation(density: each(density), volume: each(volume), stiffness: each(stiffness), amplitude: each(amplitude), damping_ratio: each(damping_ratio), times: each(time_value), displacement: out(axial_position), mass_of_block: maybe(out(mass), 0.5), natural_frequency_of: maybe(out(angular_frequency), 0.5)):
    names(r0="mass|m", r1="omega0|natural_freq", r2="x|displacement", density="density|density", volume="volume|volume", stiffness="stiffness|stiffness", amplitude="amplitude|amplitude", damping_ratio="damping_ratio|damping_ratio", times="times|times", displacement="displacement|displacement_out", mass_of_block="mass_of_block|mass_of_block_out", natural_frequency_of="natural_frequency|natural_frequency_out")
    i = wp.tid()
    r0 = mass_from_density(density[i], volume[i])
    r1 = natural_frequency(stiffness[i], r0)
    r2 = damped_oscillation(amplitude[i], r1, damping_ratio[i], times[i])
    displacement[i] = r2
    if present(mass_of_block):
        mass_of_block[i] = r0
    if present(natural_frequency_of):
        natural_frequency_of[i] = r1


@scene("arithmetic", "vector", body,
       says="computes the kinetic energy of a point mass that is fixed to a rigid body",
       title="attached_mass_energy|point_mass_energy|lumped_mass_energy", topic="")
def lever_arm_of_to_kinetic_energy(point: each(position), center_of_mass: each(center_of_mass), body_vel: each(velocity), body_omega: each(angular_velocity), mass: each(mass), kinetic_energies: out(energy), lever_arms: maybe(out(lever_arm), 0.5), point_velocity: maybe(out(velocity), 0.5), total_energy: maybe(add(energy, 1), 0.3)):
    names(r0="arm|r_c", r1="v_point|vel_p", r2="energy|e_kin", point="point|point", center_of_mass="center_of_mass|center_of_mass", body_vel="body_vel|body_vel", body_omega="body_omega|body_omega", mass="mass|mass", kinetic_energies="kinetic_energies|kinetic_energies_out", lever_arms="lever_arms|lever_arms_out", point_velocity="point_velocity|point_velocity_out", total_energy="total_energy|total_energy")
    i = wp.tid()
    r0 = lever_arm_of(point[i], center_of_mass[i])
    r1 = rigid_point_velocity(body_vel[i], body_omega[i], r0)
    r2 = kinetic_energy(mass[i], r1)
    kinetic_energies[i] = r2
    if present(lever_arms):
        lever_arms[i] = r0
    if present(point_velocity):
        point_velocity[i] = r1
    if present(total_energy):
        wp.atomic_add(total_energy, 0, r2)


@scene("math", "function", "vector", body,
       says="moves particles by Verlet's method under viscous drag",
       title="verlet_drag_step|damped_verlet|verlet_integrate", topic="")
def viscous_drag_to_verlet_position(velocity: each(velocity), drag_coeff: each(damping), inv_mass: each(inverse_mass), x: each(position), x_prev: each(previous_position), dt: setting(time_step), x_new: out(position), drag_force: maybe(out(force), 0.5), acc_out: maybe(out(acceleration), 0.5)):
    names(r0="drag|f", r1="acc|a", r2="x_next|pos_new", velocity="velocity|velocity", drag_coeff="drag_coeff|drag_coeff", inv_mass="inv_mass|inv_mass", x="x|x", x_prev="x_prev|x_prev", x_new="x_new|x_new_out", drag_force="drag_force|drag_force_out", acc_out="acc_out|new_acc")
    i = wp.tid()
    r0 = viscous_drag(velocity[i], drag_coeff[i])
    r1 = acceleration_from_inverse_mass(r0, inv_mass[i])
    r2 = verlet_position(x[i], x_prev[i], r1, dt)
    x_new[i] = r2
    if present(drag_force):
        drag_force[i] = r0
    if present(acc_out):
        acc_out[i] = r1


@scene("math", "function", "vector", contact,
       says="computes the normal impulse of each contact and cuts its friction impulse to what the friction cone allows",
       title="friction_impulses|clamp_friction|limit_tangent_impulse", topic="")
def invert_mass_to_clamp_to_friction_cone(mass_a: each(mass), inv_mass_b: each(inverse_mass), normal_velocity: each(approach_velocity), restitution: each(restitution), tangent_impulse: each(tangent_impulse), friction: each(friction), clamped_impulse: out(tangent_impulse), inv_mass_a: maybe(out(inverse_mass), 0.5), normal_impulse_of: out(normal_impulse)):
    names(r0="inv_ma|w_a", r1="normal_impulse|j_n", r2="friction_impulse|j_t", mass_a="mass_a|mass_a", inv_mass_b="inv_mass_b|inv_mass_b", normal_velocity="normal_velocity|normal_velocity", restitution="restitution|restitution", tangent_impulse="tangent_impulse|tangent_impulse", friction="friction|friction", clamped_impulse="clamped_impulse|clamped_impulse_out", inv_mass_a="inv_mass_a|inv_mass_a_out", normal_impulse_of="normal_impulse|normal_impulse_out")
    i = wp.tid()
    r0 = invert_mass(mass_a[i])
    r1 = contact_impulse(r0, inv_mass_b[i], normal_velocity[i], restitution[i])
    r2 = clamp_to_friction_cone(tangent_impulse[i], r1, friction[i])
    clamped_impulse[i] = r2
    if present(inv_mass_a):
        inv_mass_a[i] = r0
    if present(normal_impulse_of):
        normal_impulse_of[i] = r1


@scene("function", "arithmetic", "multi_conditional", spring,
       says="computes the load that a rope over a rough drum holds when an elastic strap pulls at its free end",
       title="capstan_load|rope_over_drum|belt_tension", topic="")
def spring_extension_to_capstan_tension(strap_start: each(position), strap_end: each(position), rest_length: each(rest_length), stiffness: each(stiffness), friction: each(friction), wrap_angle: each(wrap_angle), held_load: out(tension), stretch_of: maybe(out(extension), 0.5)):
    names(r0="stretch|ext", r1="pull|hold", r2="load|tension", strap_start="strap_start|strap_start", strap_end="strap_end|strap_end", rest_length="rest_length|rest_length", stiffness="stiffness|stiffness", friction="friction|friction", wrap_angle="wrap_angle|wrap_angle", held_load="held_load|held_load_out", stretch_of="stretch|stretch_out")
    i = wp.tid()
    r0 = spring_extension(strap_start[i], strap_end[i], rest_length[i])
    r1 = rope_tension(stiffness[i], r0)
    r2 = capstan_tension(r1, friction[i], wrap_angle[i])
    held_load[i] = r2
    if present(stretch_of):
        stretch_of[i] = r0


@scene("math", "arithmetic", "scalar_param", particle,
       says="computes how high each projectile flies and its potential energy at the highest point",
       title="projectile_apex|throw_height|apex_energy", topic="")
def speed_of_to_gravitational_energy(launch_velocity: each(velocity), elevation: each(elevation_angle), gravity: setting(gravity), mass: each(mass), apex_energies: out(energy), launch_speed_of: maybe(out(speed), 0.5), apex_height: out(height), total_energy: maybe(add(energy, 1), 0.3)):
    names(r0="speed|launch_speed", r1="apex|top", r2="energy|e_pot", launch_velocity="launch_velocity|launch_velocity", elevation="elevation|elevation", gravity="gravity|gravity", mass="mass|mass", apex_energies="apex_energies|apex_energies_out", launch_speed_of="launch_speed|launch_speed_out", apex_height="apex_height|apex_height_out", total_energy="total_energy|total_energy")
    i = wp.tid()
    r0 = speed_of(launch_velocity[i])
    r1 = projectile_apex(r0, elevation[i], gravity)
    r2 = gravitational_energy(mass[i], gravity, r1)
    apex_energies[i] = r2
    if present(launch_speed_of):
        launch_speed_of[i] = r0
    if present(apex_height):
        apex_height[i] = r1
    if present(total_energy):
        wp.atomic_add(total_energy, 0, r2)


@scene("math", "vector", spring,
       says="computes the power that each spring puts into the body at its first end",
       title="spring_power|elastic_power|power_of_springs", topic="")
def undamped_spring_force_to_mechanical_power(end_a: each(position), end_b: each(position), stiffness: each(stiffness), rest_length: each(rest_length), velocity_a: each(velocity), spring_powers: out(power), spring_force: maybe(out(force), 0.5), total_power: maybe(add(power, 1), 0.3)):
    names(r0="force|f_spring", r1="power|p", end_a="end_a|end_a", end_b="end_b|end_b", stiffness="stiffness|stiffness", rest_length="rest_length|rest_length", velocity_a="velocity_a|velocity_a", spring_powers="spring_powers|spring_powers_out", spring_force="spring_force|spring_force_out", total_power="total_power|total_power")
    i = wp.tid()
    r0 = undamped_spring_force(end_a[i], end_b[i], stiffness[i], rest_length[i])
    r1 = mechanical_power(r0, velocity_a[i])
    spring_powers[i] = r1
    if present(spring_force):
        spring_force[i] = r0
    if present(total_power):
        wp.atomic_add(total_power, 0, r1)


@scene("arithmetic", "function", "vector", body,
       says="computes the kinetic energy of rotation of solid boxes from their mass, half extents and spin about the principal axes",
       title="box_spin_energy|rotational_energy|spin_energy_of_boxes", topic="")
def box_inertia_to_rotational_energy(mass: each(mass), half_extents: each(half_extents), omega: each(angular_velocity), rotational_energies: out(energy), principal_inertias: maybe(out(principal_inertia), 0.5), total_energy: maybe(add(energy, 1), 0.3)):
    names(r0="inertia|principal", r1="energy|e_rot", mass="mass|mass", half_extents="half_extents|half_extents", omega="omega|omega", rotational_energies="rotational_energies|rotational_energies_out", principal_inertias="principal_inertias|principal_inertias_out", total_energy="total_energy|total_energy")
    i = wp.tid()
    r0 = box_inertia(mass[i], half_extents[i])
    r1 = rotational_energy(r0, omega[i])
    rotational_energies[i] = r1
    if present(principal_inertias):
        principal_inertias[i] = r0
    if present(total_energy):
        wp.atomic_add(total_energy, 0, r1)


@scene("math", "function", "vector", particle,
       says="computes the momentum and the angular momentum of moving points about a pivot",
       title="angular_momentum|orbital_momentum|momentum_about_origin", topic="")
def momentum_of_to_point_angular_momentum(mass: each(mass), velocity: each(velocity), arm_from_pivot: each(lever_arm), angular_momenta: out(angular_momentum), momenta: out(momentum)):
    names(r0="p|momentum_i", r1="l|ang_mom", mass="mass|mass", velocity="velocity|velocity", arm_from_pivot="arm_from_pivot|arm_from_pivot", angular_momenta="angular_momenta|angular_momenta_out", momenta="momenta|momenta_out")
    i = wp.tid()
    r0 = momentum_of(mass[i], velocity[i])
    r1 = point_angular_momentum(arm_from_pivot[i], r0)
    angular_momenta[i] = r1
    if present(momenta):
        momenta[i] = r0


@scene("function", "vector", particle,
       says="computes the power that air resistance takes from each moving particle, a negative number",
       title="drag_power|air_resistance_power|power_lost_to_drag", topic="")
def quadratic_drag_to_mechanical_power(velocity: each(velocity), drag_coeff: each(damping), drag_powers: out(power), drag_force: maybe(out(force), 0.5), total_power: maybe(add(power, 1), 0.3)):
    names(r0="drag|f_drag", r1="power|p", velocity="velocity|velocity", drag_coeff="drag_coeff|drag_coeff", drag_powers="drag_powers|drag_powers_out", drag_force="drag_force|drag_force_out", total_power="total_power|total_power")
    i = wp.tid()
    r0 = quadratic_drag(velocity[i], drag_coeff[i])
    r1 = mechanical_power(r0, velocity[i])
    drag_powers[i] = r1
    if present(drag_force):
        drag_force[i] = r0
    if present(total_power):
        wp.atomic_add(total_power, 0, r1)


@scene("function", "multi_conditional", sphere,
       says="computes the normal load of spheres pressed into a plane, by a damped spring that never pulls",
       title="sphere_ground_contact|plane_contact_load|penalty_load", topic="")
def sphere_plane_penetration_to_penalty_contact(center: each(position), radius: each(radius), plane_normal: each(normal), plane_offset: each(plane_offset), approach_speed: each(approach_velocity), stiffness: each(stiffness), damping: each(damping), normal_loads: out(normal_load), depths: maybe(out(penetration), 0.5), total_load: maybe(add(normal_load, 1), 0.3)):
    names(r0="depth|pen", r1="load|f_n", center="center|center", radius="radius|radius", plane_normal="plane_normal|plane_normal", plane_offset="plane_offset|plane_offset", approach_speed="approach_speed|approach_speed", stiffness="stiffness|stiffness", damping="damping|damping", normal_loads="normal_loads|normal_loads_out", depths="depths|depths_out", total_load="total_load|total_load")
    i = wp.tid()
    r0 = sphere_plane_penetration(center[i], radius[i], plane_normal[i], plane_offset[i])
    r1 = penalty_contact(r0, approach_speed[i], stiffness[i], damping[i])
    normal_loads[i] = r1
    if present(depths):
        depths[i] = r0
    if present(total_load):
        wp.atomic_add(total_load, 0, r1)


@scene("math", "multi_conditional", contact,
       says="computes the force between pairs of elastic spheres after Hertz, from their overlap and their effective radius",
       title="hertz_contacts|hertz_load|elastic_sphere_contacts", topic="")
def sphere_overlap_to_hertz_contact(center_a: each(position), center_b: each(position), radius_a: each(radius), radius_b: each(radius), effective_modulus: each(youngs_modulus), contact_force: out(normal_load), overlap_of: maybe(out(penetration), 0.5), total_force: maybe(add(normal_load, 1), 0.3)):
    names(r0="overlap|delta", r_eff="r_eff|reduced_radius", r1="load|f_n", center_a="center_a|center_a", center_b="center_b|center_b", radius_a="radius_a|radius_a", radius_b="radius_b|radius_b", effective_modulus="effective_modulus|effective_modulus", contact_force="contact_force|contact_force_out", overlap_of="overlap|overlap_out", total_force="total_force|total_force")
    i = wp.tid()
    r0 = sphere_overlap(center_a[i], center_b[i], radius_a[i], radius_b[i])
    r_eff = radius_a[i] * radius_b[i] / (radius_a[i] + radius_b[i])
    r1 = hertz_contact(r0, r_eff, effective_modulus[i])
    contact_force[i] = r1
    if present(overlap_of):
        overlap_of[i] = r0
    if present(total_force):
        wp.atomic_add(total_force, 0, r1)


@scene("function", "arithmetic", "vector", body,
       says="computes the angular momentum of solid boxes about their principal axes",
       title="box_spin_momentum|spin_angular_momentum|body_angular_momentum", topic="")
def box_inertia_to_spin_angular_momentum(mass: each(mass), half_extents: each(half_extents), omega: each(angular_velocity), angular_momenta: out(angular_momentum), principal_inertias: maybe(out(principal_inertia), 0.5)):
    names(r0="inertia|principal", r1="ang_mom|l_body", mass="mass|mass", half_extents="half_extents|half_extents", omega="omega|omega", angular_momenta="angular_momenta|angular_momenta_out", principal_inertias="principal_inertias|principal_inertias_out")
    i = wp.tid()
    r0 = box_inertia(mass[i], half_extents[i])
    r1 = spin_angular_momentum(r0, omega[i])
    angular_momenta[i] = r1
    if present(principal_inertias):
        principal_inertias[i] = r0


@scene("function", "math", sphere,
       says="computes the moment of inertia of solid spheres about an axis at a distance from their centre, by Steiner's theorem",
       title="offset_sphere_inertia|steiner_inertia|inertia_about_axis", topic="")
def sphere_inertia_to_parallel_axis_inertia(mass: each(mass), radius: each(radius), axis_distance: each(distance), inertia_about_axis: out(moment_of_inertia)):
    names(r0="own|i_center", r1="about_axis|i_axis", mass="mass|mass", radius="radius|radius", axis_distance="axis_distance|axis_distance", inertia_about_axis="inertia_about_axis|inertia_about_axis_out")
    i = wp.tid()
    r0 = sphere_inertia(mass[i], radius[i])
    r1 = parallel_axis_inertia(r0, mass[i], axis_distance[i])
    inertia_about_axis[i] = r1


@scene("math", "struct", particle,
       says="computes the amplitude of driven oscillators at the driving frequency",
       title="driven_amplitude|resonance_amplitude|forced_response", topic="")
def oscillator_damping_ratio_to_driven_amplitude(damping: each(damping), stiffness: each(stiffness), mass: each(mass), drive_acceleration: setting(specific_drive), drive_omega: each(angular_frequency), amplitudes: out(amplitude), damping_ratios: maybe(out(damping_ratio), 0.5)):
    names(zeta="zeta|damp_ratio", w0="w0|omega_n", r1="amp|amplitude_i", damping="damping|damping", stiffness="stiffness|stiffness", mass="mass|mass", drive_acceleration="drive_acceleration|drive_acceleration", drive_omega="drive_omega|drive_omega", amplitudes="amplitudes|amplitudes_out", damping_ratios="damping_ratios|damping_ratios_out")
    i = wp.tid()
    zeta = oscillator_damping_ratio(damping[i], stiffness[i], mass[i])
    w0 = natural_frequency(stiffness[i], mass[i])
    r1 = driven_amplitude(drive_acceleration, w0, drive_omega[i], zeta)
    amplitudes[i] = r1
    if present(damping_ratios):
        damping_ratios[i] = zeta
