"""Laws of points, springs and rigid bodies."""


@law("mechanics", "the kinetic energy of a moving point, half the mass times the speed squared")
def kinetic_energy(m: mass, v: velocity) -> energy:
    return 0.5 * m * wp.dot(v, v)


@law("mechanics", "the momentum, mass times velocity", title="momentum|linear_momentum")
def momentum_of(m: mass, v: velocity) -> momentum:
    return m * v


@law("mechanics", "the acceleration that a force gives to a mass", title="acceleration|newton_acceleration")
def acceleration_from_force(f: force, m: mass) -> acceleration:
    return f / m


@law("mechanics", "the weight of a mass under gravity along the negative y axis", title="gravity_force|weight_force")
def gravity_force(m: mass) -> force:
    return wp.vec3(0.0, -constant("GRAVITY|G_EARTH", 9.81) * m, 0.0)


@law("mechanics", "Hooke's law with damping along the spring, for the end at p1",
     title="spring_force|eval_spring|damped_spring_force")
def spring_force(p1: position, p2: position, v1: velocity, v2: velocity, k: stiffness, kd: damping, l0: rest_length) -> force:
    names(dir="dir|n|d_hat", d="d|delta|xij", l="l|length|dist", stretch="stretch|c|extension", rate="rate|dcdt|speed")
    d = p1 - p2
    l = wp.max(wp.length(d), 1.0e-6)
    dir = d / l
    stretch = l - l0
    rate = wp.dot(dir, v1 - v2)
    return dir * -(k * stretch + kd * rate)


@law("mechanics", "drag that grows with the square of the speed", title="quadratic_drag|air_drag|drag_force")
def quadratic_drag(v: velocity, c: damping) -> force:
    return -c * wp.length(v) * v


@law("mechanics", "the elastic energy stored in a stretched spring", title="spring_energy|elastic_energy")
def spring_energy(k: stiffness, l: length, l0: rest_length) -> energy:
    stretch = l - l0
    return 0.5 * k * stretch * stretch


@law("mechanics", "the mass of a volume filled with a density", title="mass_from_density|element_mass")
def mass_from_density(rho: density, vol: volume) -> mass:
    return rho * vol


@law("mechanics", "the volume of a ball", title="sphere_volume|ball_volume")
def sphere_volume(r: radius) -> volume:
    return 4.0 / 3.0 * wp.pi * r * r * r


@law("mechanics", "the speed, the length of the velocity", title="speed|compute_speed")
def speed_of(v: velocity) -> speed:
    return wp.length(v)


@law("mechanics", "the velocity after a bounce off a plane, with losses along and across its normal",
     title="bounce|reflect_velocity|resolve_bounce")
def bounce_velocity(v: velocity, n: normal, e: restitution, mu: friction) -> velocity:
    names(vn="vn|v_n|normal_speed", vt="vt|v_t|tangential")
    vn = wp.dot(v, n)
    vt = v - n * vn
    return vt * (1.0 - mu) - n * (e * vn)


@law("mechanics", "the velocity that belongs to a momentum")
def velocity_from_momentum(p: momentum, m: mass) -> velocity:
    return p / m


@law("mechanics", "the acceleration from a force and the inverse mass")
def acceleration_from_inverse_mass(f: force, w: inverse_mass) -> acceleration:
    return f * w


@law("mechanics", "the inverse mass, zero for bodies without one")
def invert_mass(m: mass) -> inverse_mass:
    if m <= 0.0:
        return 0.0
    return 1.0 / m


@law("mechanics", "the weight of a mass in a gravity field")
def weight_force(m: mass, g: gravity_vector) -> force:
    return m * g


@law("mechanics", "the potential energy at a height above the ground")
def gravitational_energy(m: mass, g: gravity, h: height) -> energy:
    return m * g * h


@law("mechanics", "the velocity after a step under an acceleration")
def advance_velocity(v: velocity, a: acceleration, dt: time_step) -> velocity:
    return v + a * dt


@law("mechanics", "the position after a step at a velocity")
def advance_position(x: position, v: velocity, dt: time_step) -> position:
    return x + v * dt


@law("mechanics", "the position after a time under a constant acceleration")
def ballistic_position(x: position, v: velocity, a: acceleration, t: time_value) -> position:
    return x + v * t + a * (0.5 * t * t)


@law("mechanics", "the next position by Verlet's method, from this position, the last one and the acceleration")
def verlet_position(x: position, x_prev: previous_position, a: acceleration, dt: time_step) -> position:
    return 2.0 * x - x_prev + a * (dt * dt)


@law("mechanics", "the velocity as a difference of two positions")
def velocity_from_positions(x: position, x_prev: previous_position, dt: time_step) -> velocity:
    return (x - x_prev) / dt


@law("mechanics", "the force that a spring puts on its first end")
def undamped_spring_force(xa: position, xb: position, k: stiffness, rest: rest_length) -> force:
    d = xa - xb
    stretch = wp.length(d)
    return -k * (stretch - rest) * (d / stretch)


@law("mechanics", "how far a spring is longer than at rest")
def spring_extension(xa: position, xb: position, rest: rest_length) -> extension:
    return wp.length(xb - xa) - rest


@law("mechanics", "the energy stored in a spring")
def extension_energy(k: stiffness, e: extension) -> energy:
    return 0.5 * k * e * e


@law("mechanics", "the pull of a spring that acts only when stretched, like a rope")
def rope_tension(k: stiffness, e: extension) -> tension:
    if e <= 0.0:
        return 0.0
    return k * e


@law("mechanics", "the drag force of slow motion, against the velocity")
def viscous_drag(v: velocity, c: damping) -> force:
    return -c * v


@law("mechanics", "the drag force of fast motion, with the square of the speed")
def aerodynamic_drag(rho: density, cd: drag_coefficient, a: area, v: velocity) -> force:
    return -0.5 * rho * cd * a * wp.length(v) * v


@law("mechanics", "the speed at which drag balances weight")
def terminal_speed(m: mass, g: gravity, rho: density, cd: drag_coefficient, a: area) -> speed:
    return wp.sqrt(2.0 * m * g / (rho * cd * a))


@law("mechanics", "the friction force on a sliding body, at most the friction coefficient times the normal load, and less at very low speed")
def coulomb_friction(v: velocity, load: normal_load, mu: friction) -> force:
    s = wp.length(v)
    limit = mu * load
    if s < 0.01:
        return -limit * v / 0.01
    return -limit * v / s


@law("mechanics", "a tangential impulse cut to what friction can hold")
def clamp_to_friction_cone(jt: tangent_impulse, jn: normal_impulse, mu: friction) -> tangent_impulse:
    size = wp.length(jt)
    limit = mu * jn
    if size <= limit:
        return jt
    return jt * (limit / size)


@law("mechanics", "the velocity after bouncing off a surface; leaving velocities stay as they are")
def rebound_velocity(v: velocity, n: normal, e: restitution) -> velocity:
    vn = wp.dot(v, n)
    if vn >= 0.0:
        return v
    return v - (1.0 + e) * vn * n


@law("mechanics", "the velocity of the first body after a central collision")
def collision_velocity(ma: mass, mb: mass, ua: axial_velocity, ub: axial_velocity, e: restitution) -> axial_velocity:
    total = ma + mb
    return (ma * ua + mb * ub + mb * e * (ub - ua)) / total


@law("mechanics", "the impulse that stops two bodies from approaching, zero when they part")
def contact_impulse(wa: inverse_mass, wb: inverse_mass, vn: approach_velocity, e: restitution) -> normal_impulse:
    if vn >= 0.0:
        return 0.0
    return -(1.0 + e) * vn / (wa + wb)


@law("mechanics", "the push of a penalty contact, a damped spring that never pulls")
def penalty_contact(depth: penetration, rate: approach_velocity, k: stiffness, c: damping) -> normal_load:
    if depth <= 0.0:
        return 0.0
    return wp.max(k * depth - c * rate, 0.0)


@law("mechanics", "the contact force between elastic spheres after Hertz")
def hertz_contact(depth: penetration, r: radius, modulus: youngs_modulus) -> normal_load:
    if depth <= 0.0:
        return 0.0
    return 4.0 / 3.0 * modulus * wp.sqrt(r) * depth * wp.sqrt(depth)


@law("mechanics", "how far a sphere reaches below a plane")
def sphere_plane_penetration(x: position, r: radius, n: normal, offset: plane_offset) -> penetration:
    return r - (wp.dot(x, n) - offset)


@law("mechanics", "how far two spheres overlap")
def sphere_overlap(xa: position, xb: position, ra: radius, rb: radius) -> penetration:
    return ra + rb - wp.length(xb - xa)


@law("mechanics", "the torque of a force at a lever arm")
def torque_of_force(r: lever_arm, f: force) -> torque:
    return wp.cross(r, f)


@law("mechanics", "the angular momentum of a moving point")
def point_angular_momentum(r: lever_arm, p: momentum) -> angular_momentum:
    return wp.cross(r, p)


@law("mechanics", "the lever arm from the centre of mass to a point")
def lever_arm_of(x: position, com: center_of_mass) -> lever_arm:
    return x - com


@law("mechanics", "the velocity of a point of a rigid body")
def rigid_point_velocity(v: velocity, w: angular_velocity, r: lever_arm) -> velocity:
    return v + wp.cross(w, r)


@law("mechanics", "the centripetal acceleration of a rotating point")
def centripetal_acceleration(w: angular_velocity, r: lever_arm) -> acceleration:
    return wp.cross(w, wp.cross(w, r))


@law("mechanics", "the Coriolis acceleration in a rotating frame")
def coriolis_acceleration(w: angular_velocity, v: velocity) -> acceleration:
    return -2.0 * wp.cross(w, v)


@law("mechanics", "the kinetic energy of rotation about the principal axes")
def rotational_energy(inertia: principal_inertia, w: angular_velocity) -> energy:
    return 0.5 * wp.dot(w, wp.cw_mul(inertia, w))


@law("mechanics", "the angular momentum about the principal axes")
def spin_angular_momentum(inertia: principal_inertia, w: angular_velocity) -> angular_momentum:
    return wp.cw_mul(inertia, w)


@law("mechanics", "the gyroscopic torque of a spinning body, in its own frame")
def gyroscopic_torque(inertia: principal_inertia, w: angular_velocity) -> torque:
    return wp.cross(w, wp.cw_mul(inertia, w))


@law("mechanics", "the angular acceleration by Euler's equations, in the body's frame")
def euler_angular_acceleration(inertia: principal_inertia, w: angular_velocity, tau: torque) -> angular_acceleration:
    gyro = wp.cross(w, wp.cw_mul(inertia, w))
    return wp.cw_div(tau - gyro, inertia)


@law("mechanics", "the angular velocity after a step")
def advance_angular_velocity(w: angular_velocity, alpha: angular_acceleration, dt: time_step) -> angular_velocity:
    return w + alpha * dt


@law("mechanics", "the moment of inertia of a solid sphere about its centre")
def sphere_inertia(m: mass, r: radius) -> moment_of_inertia:
    return 0.4 * m * r * r


@law("mechanics", "the moment of inertia of a thin rod about its middle")
def rod_inertia(m: mass, span: length) -> moment_of_inertia:
    return m * span * span / 12.0


@law("mechanics", "the moment of inertia of a solid cylinder about its axis")
def cylinder_inertia(m: mass, r: radius) -> moment_of_inertia:
    return 0.5 * m * r * r


@law("mechanics", "the principal moments of inertia of a solid box")
def box_inertia(m: mass, half: half_extents) -> principal_inertia:
    xx = half[0] * half[0]
    yy = half[1] * half[1]
    zz = half[2] * half[2]
    return wp.vec3(yy + zz, xx + zz, xx + yy) * (m / 3.0)


@law("mechanics", "the moment of inertia about a parallel axis, by Steiner's theorem")
def parallel_axis_inertia(i_com: moment_of_inertia, m: mass, d: distance) -> moment_of_inertia:
    return i_com + m * d * d


@law("mechanics", "the period of small swings of a pendulum")
def pendulum_period(arm: length, g: gravity) -> period:
    return 2.0 * wp.pi * wp.sqrt(arm / g)


@law("mechanics", "the angular acceleration of a damped pendulum")
def pendulum_acceleration(theta: angle, omega: angular_speed, arm: length, g: gravity, c: damping) -> angular_rate_change:
    return -(g / arm) * wp.sin(theta) - c * omega


@law("mechanics", "the natural angular frequency of a mass on a spring")
def natural_frequency(k: stiffness, m: mass) -> angular_frequency:
    return wp.sqrt(k / m)


@law("mechanics", "the damping ratio of a mass on a damped spring")
def oscillator_damping_ratio(c: damping, k: stiffness, m: mass) -> damping_ratio:
    return c / (2.0 * wp.sqrt(k * m))


@law("mechanics", "the displacement of a damped oscillator released at rest")
def damped_oscillation(a: amplitude, w: angular_frequency, zeta: damping_ratio, t: time_value) -> axial_position:
    if wp.abs(zeta - 1.0) < 0.001:
        return a * (1.0 + w * t) * wp.exp(-w * t)
    if zeta > 1.0:
        s = w * wp.sqrt(zeta * zeta - 1.0)
        fast = zeta * w + s
        slow = zeta * w - s
        return a * (fast * wp.exp(-slow * t) - slow * wp.exp(-fast * t)) / (2.0 * s)
    wd = w * wp.sqrt(1.0 - zeta * zeta)
    decay = wp.exp(-zeta * w * t)
    return a * decay * (wp.cos(wd * t) + zeta * w / wd * wp.sin(wd * t))


@law("mechanics", "the amplitude of a driven oscillator at the driving frequency")
def driven_amplitude(drive: specific_drive, w0: angular_frequency, w: angular_frequency, zeta: damping_ratio) -> amplitude:
    detune = w0 * w0 - w * w
    loss = 2.0 * zeta * w0 * w
    return drive / wp.sqrt(detune * detune + loss * loss)


@law("mechanics", "the power of a force on a moving point")
def mechanical_power(f: force, v: velocity) -> power:
    return wp.dot(f, v)


@law("mechanics", "the work of a force along a displacement")
def work_along(f: force, s: displacement) -> energy:
    return wp.dot(f, s)


@law("mechanics", "the reduced mass of two bodies")
def reduced_mass(ma: mass, mb: mass) -> mass:
    return ma * mb / (ma + mb)


@law("mechanics", "the centre of mass of two points")
def pair_center_of_mass(ma: mass, xa: position, mb: mass, xb: position) -> center_of_mass:
    return (ma * xa + mb * xb) / (ma + mb)


@law("mechanics", "how far a projectile flies over level ground")
def projectile_range(v0: speed, elevation: elevation_angle, g: gravity) -> distance:
    return v0 * v0 * wp.sin(2.0 * elevation) / g


@law("mechanics", "the highest point of a projectile's flight")
def projectile_apex(v0: speed, elevation: elevation_angle, g: gravity) -> height:
    vz = v0 * wp.sin(elevation)
    return vz * vz / (2.0 * g)


@law("mechanics", "the acceleration of a block that starts to slide down a slope, zero when friction holds it")
def sliding_acceleration(slope: slope_angle, mu: friction, g: gravity) -> axial_acceleration:
    along = wp.sin(slope) - mu * wp.cos(slope)
    return g * wp.max(along, 0.0)


@law("mechanics", "the tension that holds a load over a rough drum, by the capstan equation")
def capstan_tension(load: tension, mu: friction, wrap: wrap_angle) -> tension:
    return load * wp.exp(-mu * wrap)


@law("mechanics", "how two points move apart or together to keep their distance: the correction of the first")
def distance_constraint_correction(xa: position, xb: position, wa: inverse_mass, wb: inverse_mass, rest: rest_length) -> displacement:
    d = xa - xb
    gap = wp.length(d)
    return -(wa / (wa + wb)) * (gap - rest) * (d / gap)


@law("mechanics", "the escape from a soft wall: an acceleration that grows as the distance falls below the margin")
def wall_repulsion(d: distance, margin: distance, k: stiffness) -> axial_acceleration:
    if d >= margin:
        return 0.0
    return k * (margin - d)
