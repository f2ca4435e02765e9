"""Moving bodies: one law after another, from what is measured to what is wanted."""


@scene("math", "combined", "vector", body,
       says="computes the velocity after a bounce off a plane, with losses along and across its normal, then the drag force of fast motion, with the square of the speed, and from it the acceleration that a force gives to a mass",
       title="compute_acceleration|acceleration_from_velocity|acceleration_from_force_kernel|evaluate_acceleration|acceleration_step", topic="mechanics")
def bounce_velocity_to_acceleration_from_force(v: each(velocity), n: each(normal), e: each(restitution), mu: each(friction), rho: each(density), cd: setting(drag_coefficient), a: each(area), m: each(mass), active: maybe(each(flag), 0.4), acceleration_out: out(acceleration), velocity_out: maybe(out(velocity), 0.5), force_out: maybe(out(force), 0.5)):
    names(r0="velocity|bounce_velocity|velocity_i", r1="force|aerodynamic_drag|force_here", r2="acceleration|acceleration_est|acceleration_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = bounce_velocity(v[i], n[i], e[i], mu[i])
    r1 = aerodynamic_drag(rho[i], cd, a[i], r0)
    r2 = acceleration_from_force(r1, m[i])
    acceleration_out[i] = r2
    if present(velocity_out):
        velocity_out[i] = r0
    if present(force_out):
        force_out[i] = r1


@scene("function", "arithmetic", "vector", body,
       says="computes the velocity that belongs to a momentum, then the velocity after a step under an acceleration, and from it the kinetic energy of a moving point, half the mass times the speed squared",
       title="compute_energy|energy_from_velocity|kinetic_energy_kernel|evaluate_energy|energy_step", topic="mechanics")
def velocity_from_momentum_to_kinetic_energy(p: each(momentum), m: each(mass), a: each(acceleration), dt: setting(time_step), energy_out: out(energy), total: maybe(add(energy, 1), 0.3)):
    names(r0="velocity|velocity_est|velocity_i", r1="velocity_now|velocity_i_i|new_velocity", r2="energy|kinetic_energy|energy_est")
    i = wp.tid()
    r0 = velocity_from_momentum(p[i], m[i])
    r1 = advance_velocity(r0, a[i], dt)
    r2 = kinetic_energy(m[i], r1)
    energy_out[i] = r2
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("arithmetic", "function", "multi_conditional", particle,
       says="computes the mass of a volume filled with a density, then the natural angular frequency of a mass on a spring, and from it the displacement of a damped oscillator released at rest, under-damped or critically damped",
       title="compute_axial_position|axial_position_from_mass|damped_oscillation_kernel|evaluate_axial_position|axial_position_step", topic="mechanics")
def mass_from_density_to_damped_oscillation(rho: each(density), vol: each(volume), k: each(stiffness), a: each(amplitude), zeta: each(damping_ratio), t: each(time_value), axial_position_out: out(axial_position), mass_out: maybe(out(mass), 0.5), angular_frequency_out: maybe(out(angular_frequency), 0.5)):
    names(r0="mass|mass_from_density|mass_here", r1="angular_frequency|natural_frequency|frequency", r2="axial_position|damped_oscillation|position")
    i = wp.tid()
    r0 = mass_from_density(rho[i], vol[i])
    r1 = natural_frequency(k[i], r0)
    r2 = damped_oscillation(a[i], r1, zeta[i], t[i])
    axial_position_out[i] = r2
    if present(mass_out):
        mass_out[i] = r0
    if present(angular_frequency_out):
        angular_frequency_out[i] = r1


@scene("arithmetic", "combined", "vector", body,
       says="computes the lever arm from the centre of mass to a point, then the velocity of a point of a rigid body, and from it the kinetic energy of a moving point, half the mass times the speed squared",
       title="compute_energy|energy_from_lever_arm|kinetic_energy_kernel|evaluate_energy|energy_step", topic="mechanics")
def lever_arm_of_to_kinetic_energy(x: each(position), com: each(center_of_mass), v: each(velocity), w: each(angular_velocity), m: each(mass), energy_out: out(energy), lever_arm_out: maybe(out(lever_arm), 0.5), velocity_out: maybe(out(velocity), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="lever_arm|lever_arm_i|arm", r1="velocity|rigid_point_velocity|velocity_i", r2="energy|kinetic_energy|energy_here")
    i = wp.tid()
    r0 = lever_arm_of(x[i], com[i])
    r1 = rigid_point_velocity(v[i], w[i], r0)
    r2 = kinetic_energy(m[i], r1)
    energy_out[i] = r2
    if present(lever_arm_out):
        lever_arm_out[i] = r0
    if present(velocity_out):
        velocity_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("arithmetic", "combined", "vector", particle,
       says="computes the angular velocity after a step, then the velocity of a point of a rigid body, and from it the kinetic energy of a moving point, half the mass times the speed squared",
       title="compute_energy|energy_from_angular_velocity|kinetic_energy_kernel|evaluate_energy|energy_step", topic="mechanics")
def advance_angular_velocity_to_kinetic_energy(w: each(angular_velocity), alpha: each(angular_acceleration), dt: setting(time_step), v: each(velocity), r: each(lever_arm), m: each(mass), energy_out: out(energy), angular_velocity_out: maybe(out(angular_velocity), 0.5), velocity_out: maybe(out(velocity), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="angular_velocity|angular_velocity_k|velocity", r1="rigid_point_velocity|velocity_i|velocity_here", r2="energy|kinetic_energy|energy_here")
    i = wp.tid()
    r0 = advance_angular_velocity(w[i], alpha[i], dt)
    r1 = rigid_point_velocity(v[i], r0, r[i])
    r2 = kinetic_energy(m[i], r1)
    energy_out[i] = r2
    if present(angular_velocity_out):
        angular_velocity_out[i] = r0
    if present(velocity_out):
        velocity_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("function", "arithmetic", "vector", body,
       says="computes the velocity as a difference of two positions, then the drag force of slow motion, against the velocity, and from it the work of a force along a displacement",
       title="compute_energy|energy_from_velocity|work_along_kernel|evaluate_energy|energy_step", topic="mechanics")
def velocity_from_positions_to_work_along(x: each(position), x_prev: each(previous_position), dt: setting(time_step), c: each(damping), s: each(displacement), energy_out: out(energy), velocity_out: maybe(out(velocity), 0.5), force_out: maybe(out(force), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="velocity|velocity_now|velocity_here", r1="force|viscous_drag|force_k", r2="energy|work_along|energy_est")
    i = wp.tid()
    r0 = velocity_from_positions(x[i], x_prev[i], dt)
    r1 = viscous_drag(r0, c[i])
    r2 = work_along(r1, s[i])
    energy_out[i] = r2
    if present(velocity_out):
        velocity_out[i] = r0
    if present(force_out):
        force_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("math", "function", "vector", body,
       says="computes the drag force of slow motion, against the velocity, then the acceleration from a force and the inverse mass, and from it the next position by Verlet's method, from this position, the last one and the acceleration",
       title="compute_position|position_from_force|verlet_position_kernel|evaluate_position|position_step", topic="mechanics")
def viscous_drag_to_verlet_position(v: each(velocity), c: each(damping), w: each(inverse_mass), x: each(position), x_prev: each(previous_position), dt: setting(time_step), position_out: out(position), force_out: maybe(out(force), 0.5), acceleration_out: maybe(out(acceleration), 0.5)):
    names(r0="force|viscous_drag|force_i", r1="acceleration|acceleration_i|acceleration_est", r2="position|verlet_position|position_i")
    i = wp.tid()
    r0 = viscous_drag(v[i], c[i])
    r1 = acceleration_from_inverse_mass(r0, w[i])
    r2 = verlet_position(x[i], x_prev[i], r1, dt)
    position_out[i] = r2
    if present(force_out):
        force_out[i] = r0
    if present(acceleration_out):
        acceleration_out[i] = r1


@scene("function", "arithmetic", "vector", particle,
       says="computes the push of a penalty contact, a damped spring that never pulls, then the friction force on a sliding body, at most the friction coefficient times the normal load, and less at very low speed, and from it the work of a force along a displacement",
       title="compute_energy|energy_from_normal_load|work_along_kernel|evaluate_energy|energy_step", topic="mechanics")
def penalty_contact_to_work_along(depth: each(penetration), rate: each(approach_velocity), k: each(stiffness), c: each(damping), v: each(velocity), mu: each(friction), s: each(displacement), energy_out: out(energy), normal_load_out: maybe(out(normal_load), 0.5), force_out: maybe(out(force), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="normal_load|penalty_contact|load", r1="force|coulomb_friction|force_k", r2="energy|work_along|energy_est")
    i = wp.tid()
    r0 = penalty_contact(depth[i], rate[i], k[i], c[i])
    r1 = coulomb_friction(v[i], r0, mu[i])
    r2 = work_along(r1, s[i])
    energy_out[i] = r2
    if present(normal_load_out):
        normal_load_out[i] = r0
    if present(force_out):
        force_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("arithmetic", "combined", "vector", body,
       says="computes the force that a spring puts on its first end, then the acceleration from a force and the inverse mass, and from it the position after a time under a constant acceleration",
       title="compute_position|position_from_force|ballistic_position_kernel|evaluate_position|position_step", topic="mechanics")
def undamped_spring_force_to_ballistic_position(xa: each(position), xb: each(position), k: each(stiffness), rest: each(rest_length), w: each(inverse_mass), x: each(position), v: each(velocity), t: each(time_value), active: maybe(each(flag), 0.4), position_out: out(position), force_out: maybe(out(force), 0.5), acceleration_out: maybe(out(acceleration), 0.5)):
    names(r0="force|force_k|force_here", r1="acceleration|acceleration_est|acceleration_i", r2="position|ballistic_position|position_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = undamped_spring_force(xa[i], xb[i], k[i], rest[i])
    r1 = acceleration_from_inverse_mass(r0, w[i])
    r2 = ballistic_position(x[i], v[i], r1, t[i])
    position_out[i] = r2
    if present(force_out):
        force_out[i] = r0
    if present(acceleration_out):
        acceleration_out[i] = r1


@scene("math", "function", "vector", body,
       says="computes the inverse mass, zero for bodies without one, then the impulse that stops two bodies from approaching, zero when they part, and from it a tangential impulse cut to what friction can hold",
       title="compute_tangent_impulse|tangent_impulse_from_inverse_mass|clamp_to_friction_cone_kernel|evaluate_tangent_impulse|tangent_impulse_step", topic="mechanics")
def invert_mass_to_clamp_to_friction_cone(m: each(mass), wb: each(inverse_mass), vn: each(approach_velocity), e: each(restitution), jt: each(tangent_impulse), mu: each(friction), active: maybe(each(flag), 0.4), tangent_impulse_out: out(tangent_impulse), inverse_mass_out: maybe(out(inverse_mass), 0.5), normal_impulse_out: maybe(out(normal_impulse), 0.5)):
    names(r0="inverse_mass|inverse_mass_i|mass", r1="normal_impulse|contact_impulse|impulse", r2="tangent_impulse|tangent_impulse_k|tangent_impulse_k_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = invert_mass(m[i])
    r1 = contact_impulse(r0, wb[i], vn[i], e[i])
    r2 = clamp_to_friction_cone(jt[i], r1, mu[i])
    tangent_impulse_out[i] = r2
    if present(inverse_mass_out):
        inverse_mass_out[i] = r0
    if present(normal_impulse_out):
        normal_impulse_out[i] = r1


@scene("function", "arithmetic", "multi_conditional", body,
       says="computes how far a spring is longer than at rest, then the pull of a spring that acts only when stretched, like a rope, and from it the tension that holds a load over a rough drum, by the capstan equation",
       title="compute_tension|tension_from_extension|capstan_tension_kernel|evaluate_tension|tension_step", topic="mechanics")
def spring_extension_to_capstan_tension(xa: each(position), xb: each(position), rest: each(rest_length), k: each(stiffness), mu: each(friction), wrap: each(wrap_angle), active: maybe(each(flag), 0.4), tension_out2: out(tension), extension_out: maybe(out(extension), 0.5)):
    names(r0="extension|spring_extension|extension_est", r1="tension|rope_tension|tension_k", r2="capstan_tension|tension_now|tension_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = spring_extension(xa[i], xb[i], rest[i])
    r1 = rope_tension(k[i], r0)
    r2 = capstan_tension(r1, mu[i], wrap[i])
    tension_out2[i] = r2
    if present(extension_out):
        extension_out[i] = r0


@scene("arithmetic", "function", "vector", particle,
       says="computes the centre of mass of two points, then the lever arm from the centre of mass to a point, and from it the angular momentum of a moving point",
       title="compute_angular_momentum|angular_momentum_from_center_of_mass|point_angular_momentum_kernel|evaluate_angular_momentum|angular_momentum_step", topic="mechanics")
def pair_center_of_mass_to_point_angular_momentum(ma: each(mass), xa: each(position), mb: each(mass), xb: each(position), x: each(position), p: each(momentum), active: maybe(each(flag), 0.4), angular_momentum_out: out(angular_momentum), center_of_mass_out: maybe(out(center_of_mass), 0.5), lever_arm_out: maybe(out(lever_arm), 0.5)):
    names(r0="center_of_mass|pair_center_of_mass|mass", r1="lever_arm|lever_arm_k|arm", r2="angular_momentum|angular_momentum_est|momentum", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = pair_center_of_mass(ma[i], xa[i], mb[i], xb[i])
    r1 = lever_arm_of(x[i], r0)
    r2 = point_angular_momentum(r1, p[i])
    angular_momentum_out[i] = r2
    if present(center_of_mass_out):
        center_of_mass_out[i] = r0
    if present(lever_arm_out):
        lever_arm_out[i] = r1


@scene("math", "arithmetic", "scalar_param", body,
       says="computes the speed, the length of the velocity, then the highest point of a projectile's flight, and from it the potential energy at a height above the ground",
       title="compute_energy|energy_from_speed|gravitational_energy_kernel|evaluate_energy|energy_step", topic="mechanics")
def speed_of_to_gravitational_energy(v: each(velocity), elevation: each(elevation_angle), g: setting(gravity), m: each(mass), active: maybe(each(flag), 0.4), energy_out: out(energy), speed_out: maybe(out(speed), 0.5), height_out: maybe(out(height), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="speed|speed_est|speed_k", r1="height|height_est|height_now", r2="energy|gravitational_energy|energy_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = speed_of(v[i])
    r1 = projectile_apex(r0, elevation[i], g)
    r2 = gravitational_energy(m[i], g, r1)
    energy_out[i] = r2
    if present(speed_out):
        speed_out[i] = r0
    if present(height_out):
        height_out[i] = r1
    if present(total):
        wp.atomic_add(total, 0, r2)


@scene("math", "combined", "vector", body,
       says="computes the force that a spring puts on its first end, and from it the power of a force on a moving point",
       title="compute_power|power_from_force|mechanical_power_kernel|evaluate_power|power_step", topic="mechanics")
def undamped_spring_force_to_mechanical_power(xa: each(position), xb: each(position), k: each(stiffness), rest: each(rest_length), v: each(velocity), power_out: out(power), force_out: maybe(out(force), 0.5), total: maybe(add(power, 1), 0.3)):
    names(r0="force|force_here|force_est", r1="power|mechanical_power|power_now")
    i = wp.tid()
    r0 = undamped_spring_force(xa[i], xb[i], k[i], rest[i])
    r1 = mechanical_power(r0, v[i])
    power_out[i] = r1
    if present(force_out):
        force_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("arithmetic", "function", "vector", particle,
       says="computes the principal moments of inertia of a solid box, and from it the kinetic energy of rotation about the principal axes",
       title="compute_energy|energy_from_principal_inertia|rotational_energy_kernel|evaluate_energy|energy_step", topic="mechanics")
def box_inertia_to_rotational_energy(m: each(mass), half: each(half_extents), w: each(angular_velocity), active: maybe(each(flag), 0.4), energy_out: out(energy), principal_inertia_out: maybe(out(principal_inertia), 0.5), total: maybe(add(energy, 1), 0.3)):
    names(r0="principal_inertia|box_inertia|inertia", r1="energy|rotational_energy|energy_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = box_inertia(m[i], half[i])
    r1 = rotational_energy(r0, w[i])
    energy_out[i] = r1
    if present(principal_inertia_out):
        principal_inertia_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("math", "function", "vector", body,
       says="computes the momentum, mass times velocity, and from it the angular momentum of a moving point",
       title="compute_angular_momentum|angular_momentum_from_momentum|point_angular_momentum_kernel|evaluate_angular_momentum|angular_momentum_step", topic="mechanics")
def momentum_of_to_point_angular_momentum(m: each(mass), v: each(velocity), r: each(lever_arm), angular_momentum_out: out(angular_momentum), momentum_out: maybe(out(momentum), 0.5)):
    names(r0="momentum|momentum_here|momentum_est", r1="angular_momentum|angular_momentum_i|angular_momentum_est")
    i = wp.tid()
    r0 = momentum_of(m[i], v[i])
    r1 = point_angular_momentum(r[i], r0)
    angular_momentum_out[i] = r1
    if present(momentum_out):
        momentum_out[i] = r0


@scene("function", "combined", "vector", particle,
       says="computes drag that grows with the square of the speed, and from it the power of a force on a moving point",
       title="compute_power|power_from_force|mechanical_power_kernel|evaluate_power|power_step", topic="mechanics")
def quadratic_drag_to_mechanical_power(v: each(velocity), c: each(damping), power_out: out(power), force_out: maybe(out(force), 0.5), total: maybe(add(power, 1), 0.3)):
    names(r0="force|quadratic_drag|force_here", r1="power|mechanical_power|power_k")
    i = wp.tid()
    r0 = quadratic_drag(v[i], c[i])
    r1 = mechanical_power(r0, v[i])
    power_out[i] = r1
    if present(force_out):
        force_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("function", "combined", "multi_conditional", particle,
       says="computes how far a sphere reaches below a plane, and from it the push of a penalty contact, a damped spring that never pulls",
       title="compute_normal_load|normal_load_from_penetration|penalty_contact_kernel|evaluate_normal_load|normal_load_step", topic="mechanics")
def sphere_plane_penetration_to_penalty_contact(x: each(position), r: each(radius), n: each(normal), offset: each(plane_offset), rate: each(approach_velocity), k: each(stiffness), c: each(damping), active: maybe(each(flag), 0.4), normal_load_out: out(normal_load), penetration_out: maybe(out(penetration), 0.5), total: maybe(add(normal_load, 1), 0.3)):
    names(r0="penetration|penetration_here|penetration_k", r1="normal_load|penalty_contact|load", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = sphere_plane_penetration(x[i], r[i], n[i], offset[i])
    r1 = penalty_contact(r0, rate[i], k[i], c[i])
    normal_load_out[i] = r1
    if present(penetration_out):
        penetration_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("math", "combined", "multi_conditional", body,
       says="computes how far two spheres overlap, and from it the contact force between elastic spheres after Hertz",
       title="compute_normal_load|normal_load_from_penetration|hertz_contact_kernel|evaluate_normal_load|normal_load_step", topic="mechanics")
def sphere_overlap_to_hertz_contact(xa: each(position), xb: each(position), ra: each(radius), rb: each(radius), r: each(radius), modulus: each(youngs_modulus), normal_load_out: out(normal_load), penetration_out: maybe(out(penetration), 0.5), total: maybe(add(normal_load, 1), 0.3)):
    names(r0="penetration|sphere_overlap|penetration_est", r1="normal_load|hertz_contact|load")
    i = wp.tid()
    r0 = sphere_overlap(xa[i], xb[i], ra[i], rb[i])
    r1 = hertz_contact(r0, r[i], modulus[i])
    normal_load_out[i] = r1
    if present(penetration_out):
        penetration_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("function", "arithmetic", "vector", body,
       says="computes the principal moments of inertia of a solid box, and from it the angular momentum about the principal axes",
       title="compute_angular_momentum|angular_momentum_from_principal_inertia|spin_angular_momentum_kernel|evaluate_angular_momentum|angular_momentum_step", topic="mechanics")
def box_inertia_to_spin_angular_momentum(m: each(mass), half: each(half_extents), w: each(angular_velocity), active: maybe(each(flag), 0.4), angular_momentum_out: out(angular_momentum), principal_inertia_out: maybe(out(principal_inertia), 0.5)):
    names(r0="principal_inertia|box_inertia|inertia", r1="angular_momentum|angular_momentum_est|momentum", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = box_inertia(m[i], half[i])
    r1 = spin_angular_momentum(r0, w[i])
    angular_momentum_out[i] = r1
    if present(principal_inertia_out):
        principal_inertia_out[i] = r0


@scene("function", "math", particle,
       says="computes the moment of inertia of a solid sphere about its centre, and from it the moment of inertia about a parallel axis, by Steiner's theorem",
       title="compute_moment_of_inertia|update_moment_of_inertia|parallel_axis_inertia_kernel|evaluate_moment_of_inertia|moment_of_inertia_step", topic="mechanics")
def sphere_inertia_to_parallel_axis_inertia(m: each(mass), r: each(radius), d: each(distance), moment_of_inertia_out2: out(moment_of_inertia)):
    names(r0="moment_of_inertia|sphere_inertia|inertia", r1="moment_of_inertia_k|moment_of_inertia_k_i|new_moment_of_inertia")
    i = wp.tid()
    r0 = sphere_inertia(m[i], r[i])
    r1 = parallel_axis_inertia(r0, m[i], d[i])
    moment_of_inertia_out2[i] = r1


@scene("math", "combined", "struct", particle,
       says="computes the damping ratio of a mass on a damped spring, and from it the amplitude of a driven oscillator at the driving frequency",
       title="compute_amplitude|amplitude_from_damping_ratio|driven_amplitude_kernel|evaluate_amplitude|amplitude_step", topic="mechanics")
def oscillator_damping_ratio_to_driven_amplitude(c: each(damping), k: each(stiffness), m: each(mass), drive: setting(specific_drive), w0: each(angular_frequency), w: each(angular_frequency), active: maybe(each(flag), 0.4), amplitude_out: out(amplitude), damping_ratio_out: maybe(out(damping_ratio), 0.5)):
    names(r0="damping_ratio|damping_ratio_est|ratio", r1="amplitude|driven_amplitude|amplitude_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = oscillator_damping_ratio(c[i], k[i], m[i])
    r1 = driven_amplitude(drive, w0[i], w[i], r0)
    amplitude_out[i] = r1
    if present(damping_ratio_out):
        damping_ratio_out[i] = r0


@scene("math", "arithmetic", "vector", particle,
       says="computes the angular velocity after a step, then the centripetal acceleration of a rotating point, and from it the next position by Verlet's method, from this position, the last one and the acceleration",
       title="compute_position|position_from_angular_velocity|verlet_position_kernel|evaluate_position|position_step", topic="mechanics")
def advance_angular_velocity_to_verlet_position(w: each(angular_velocity), alpha: each(angular_acceleration), dt: setting(time_step), r: each(lever_arm), x: each(position), x_prev: each(previous_position), active: maybe(each(flag), 0.4), position_out: out(position), angular_velocity_out: maybe(out(angular_velocity), 0.5), acceleration_out: maybe(out(acceleration), 0.5)):
    names(r0="angular_velocity|angular_velocity_est|velocity", r1="acceleration|acceleration_k|acceleration_i", r2="position|verlet_position|position_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = advance_angular_velocity(w[i], alpha[i], dt)
    r1 = centripetal_acceleration(r0, r[i])
    r2 = verlet_position(x[i], x_prev[i], r1, dt)
    position_out[i] = r2
    if present(angular_velocity_out):
        angular_velocity_out[i] = r0
    if present(acceleration_out):
        acceleration_out[i] = r1


@scene("math", "combined", "vector", body,
       says="computes the velocity after bouncing off a surface; leaving velocities stay as they are, then the friction force on a sliding body, at most the friction coefficient times the normal load, and less at very low speed, and from it the torque of a force at a lever arm",
       title="compute_torque|torque_from_velocity|torque_of_force_kernel|evaluate_torque|torque_step", topic="mechanics")
def rebound_velocity_to_torque_of_force(v: each(velocity), n: each(normal), e: each(restitution), load: each(normal_load), mu: each(friction), r: each(lever_arm), torque_out: out(torque), velocity_out: maybe(out(velocity), 0.5), force_out: maybe(out(force), 0.5)):
    names(r0="velocity|rebound_velocity|velocity_here", r1="force|coulomb_friction|force_i", r2="torque|torque_of_force|torque_here")
    i = wp.tid()
    r0 = rebound_velocity(v[i], n[i], e[i])
    r1 = coulomb_friction(r0, load[i], mu[i])
    r2 = torque_of_force(r[i], r1)
    torque_out[i] = r2
    if present(velocity_out):
        velocity_out[i] = r0
    if present(force_out):
        force_out[i] = r1
