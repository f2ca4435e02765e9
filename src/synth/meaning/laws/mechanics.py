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


@law("mechanics", "the speed, the length of the velocity", title="speed|speed_of")
def speed_of(v: velocity) -> speed:
    return wp.length(v)


@law("mechanics", "the velocity after a bounce off a plane, with losses along and across its normal",
     title="bounce|reflect_velocity|resolve_bounce")
def bounce_velocity(v: velocity, n: normal, e: restitution, mu: friction) -> velocity:
    names(vn="vn|v_n|normal_speed", vt="vt|v_t|tangential")
    vn = wp.dot(v, n)
    vt = v - n * vn
    return vt * (1.0 - mu) - n * (e * vn)
