"""Laws of fluids and heat."""


@law("fluids", "the poly6 smoothing kernel of particle fluids, zero outside the support", title="poly6|poly6_weight|density_kernel")
def poly6_weight(r: distance, h: smoothing_length) -> smoothing_weight:
    names(x="x|diff|q")
    x = wp.max(h * h - r * r, 0.0)
    return 315.0 / (64.0 * wp.pi * wp.pow(h, 9.0)) * x * x * x


@law("fluids", "the slope of the spiky kernel along the distance, never positive", title="spiky_gradient|spiky_slope|spiky_derivative")
def spiky_slope(r: distance, h: smoothing_length) -> smoothing_slope:
    x = wp.max(h - r, 0.0)
    return -45.0 / (wp.pi * wp.pow(h, 6.0)) * x * x


@law("fluids", "a linear equation of state: pressure from the excess of density", title="pressure_from_density|equation_of_state|state_pressure")
def pressure_from_density(rho: density, k: stiffness, rho0: density) -> pressure:
    return k * wp.max(rho - rho0, 0.0)


@law("fluids", "the dynamic pressure of a flow", title="dynamic_pressure")
def dynamic_pressure(rho: density, v: velocity) -> pressure:
    return 0.5 * rho * wp.dot(v, v)


@law("heat", "Newton's law of cooling: the flux between a surface and its surroundings", title="cooling_flux|convective_flux")
def convective_flux(t: temperature, ambient: temperature, k: conductivity) -> heat_flux:
    return k * (ambient - t)


@law("signal", "a value between two others, by a ratio", title="mix|lerp_value|blend")
def mix_values(a: value, b: value, t: ratio) -> value:
    return a * (1.0 - t) + b * t


@law("graphics", "the relative luminance of a linear colour", title="luminance|luma|brightness")
def luminance(c: colour) -> intensity:
    return wp.dot(c, wp.vec3(0.2126, 0.7152, 0.0722))


@law("statistics", "the logistic function", title="sigmoid|logistic")
def sigmoid(x: logit) -> probability:
    return 1.0 / (1.0 + wp.exp(-x))


@law("geometry", "twice the area of a triangle as a vector along its normal", title="area_vector|triangle_cross")
def area_vector(a: position, b: position, c: position) -> normal:
    return wp.cross(b - a, c - a)


@law("geometry", "the closest point on a segment, as a fraction of its length", title="closest_fraction|segment_param|project_on_segment")
def segment_fraction(p: position, a: position, b: position) -> ratio:
    names(ab="ab|d|axis", denom="denom|len_sq|ab2")
    ab = b - a
    denom = wp.max(wp.dot(ab, ab), 1.0e-9)
    return wp.clamp(wp.dot(p - a, ab) / denom, 0.0, 1.0)


@law("fluids", "the cubic spline smoothing weight in three dimensions, with support two smoothing lengths")
def cubic_spline_weight(r: distance, h: smoothing_length) -> smoothing_weight:
    q = r / h
    norm = 1.0 / (wp.pi * h * h * h)
    if q < 1.0:
        return norm * (1.0 - 1.5 * q * q * (1.0 - 0.5 * q))
    if q < 2.0:
        s = 2.0 - q
        return norm * 0.25 * s * s * s
    return 0.0


@law("fluids", "Wendland's C2 smoothing weight in three dimensions, with support two smoothing lengths")
def wendland_weight(r: distance, h: smoothing_length) -> smoothing_weight:
    q = r / h
    if q >= 2.0:
        return 0.0
    s = 1.0 - 0.5 * q
    s2 = s * s
    return 21.0 / (16.0 * wp.pi * h * h * h) * s2 * s2 * (2.0 * q + 1.0)


@law("fluids", "the spiky smoothing weight in three dimensions")
def spiky_weight(r: distance, h: smoothing_length) -> smoothing_weight:
    if r >= h:
        return 0.0
    d = h - r
    return 15.0 / (wp.pi * wp.pow(h, 6.0)) * d * d * d


@law("fluids", "the slope of the cubic spline weight along the distance, never positive")
def cubic_spline_slope(r: distance, h: smoothing_length) -> smoothing_slope:
    q = r / h
    norm = 1.0 / (wp.pi * h * h * h * h)
    if q < 1.0:
        return norm * (2.25 * q * q - 3.0 * q)
    if q < 2.0:
        s = 2.0 - q
        return -0.75 * norm * s * s
    return 0.0


@law("fluids", "the Laplacian of the viscosity smoothing weight")
def viscosity_laplacian(r: distance, h: smoothing_length) -> smoothing_curvature:
    if r >= h:
        return 0.0
    return 45.0 / (wp.pi * wp.pow(h, 6.0)) * (h - r)


@law("fluids", "the share of a neighbour in a particle's density")
def density_contribution(m: mass, w: smoothing_weight) -> density:
    return m * w


@law("fluids", "the pressure of a weakly compressible liquid by a linear law, never a suction")
def linear_pressure(rho: density, rho0: rest_density, k: gas_stiffness) -> pressure:
    return k * wp.max(rho - rho0, 0.0)


@law("fluids", "the pressure of a weakly compressible liquid by Tait's equation with exponent seven")
def tait_pressure(rho: density, rho0: rest_density, k: gas_stiffness) -> pressure:
    ratio = rho / rho0
    r2 = ratio * ratio
    return k * rho0 / 7.0 * (r2 * r2 * r2 * ratio - 1.0)


@law("fluids", "the pressure of an ideal gas from density and internal energy")
def gamma_law_pressure(rho: density, e: specific_energy, gamma: adiabatic_index) -> pressure:
    return (gamma - 1.0) * rho * e


@law("fluids", "the speed of sound in an ideal gas")
def sound_speed(p: pressure, rho: density, gamma: adiabatic_index) -> speed:
    return wp.sqrt(gamma * p / rho)


@law("fluids", "the symmetric pressure term of two smoothed particles")
def symmetric_pressure_term(p_a: pressure, rho_a: density, p_b: pressure, rho_b: density) -> pressure_term:
    return p_a / (rho_a * rho_a) + p_b / (rho_b * rho_b)


@law("fluids", "the acceleration of a particle by the pressure of a neighbour, away from it where the pressure is positive")
def pressure_acceleration(xa: position, xb: position, m: mass, term: pressure_term, slope: smoothing_slope) -> acceleration:
    away = wp.normalize(xa - xb)
    return -m * term * slope * away


@law("fluids", "the acceleration of a particle by the viscosity of a neighbour")
def viscous_acceleration(va: velocity, vb: velocity, m: mass, rho_a: density, rho_b: density, mu: viscosity, curvature: smoothing_curvature) -> acceleration:
    return mu * m * curvature / (rho_a * rho_b) * (vb - va)


@law("fluids", "Monaghan's artificial viscosity of an approaching pair, zero for a parting one")
def artificial_viscosity(approach: approach_rate, r: distance, h: smoothing_length, c: wave_speed, rho: density, alpha: viscosity_factor) -> pressure_term:
    if approach >= 0.0:
        return 0.0
    mu = h * approach / (r * r + 0.01 * h * h)
    return -alpha * c * mu / rho


@law("fluids", "the velocity moved towards the mean of the neighbours, as in XSPH")
def xsph_velocity(v: velocity, vb: velocity, m: mass, rho: density, w: smoothing_weight, eps: smoothing_factor) -> velocity:
    return v + eps * (m / rho) * w * (vb - v)


@law("fluids", "the dynamic pressure of a stream")
def stream_pressure(rho: density, v: speed) -> pressure:
    return 0.5 * rho * v * v


@law("fluids", "the hydrostatic pressure below a column of liquid")
def hydrostatic_pressure(rho: density, g: gravity, depth: water_depth) -> pressure:
    return rho * g * depth


@law("fluids", "the total head of a stream by Bernoulli")
def total_head(p: pressure, v: speed, z: elevation, rho: density, g: gravity) -> head:
    return p / (rho * g) + v * v / (2.0 * g) + z


@law("fluids", "the speed of efflux from a tank by Torricelli")
def torricelli_speed(g: gravity, depth: water_depth) -> speed:
    return wp.sqrt(2.0 * g * wp.max(depth, 0.0))


@law("fluids", "the Reynolds number of a flow")
def reynolds_number(rho: density, v: speed, span: length, mu: viscosity) -> reynolds:
    return rho * v * span / mu


@law("fluids", "the kinematic viscosity")
def kinematic_viscosity_of(mu: viscosity, rho: density) -> kinematic_viscosity:
    return mu / rho


@law("fluids", "the Froude number of a channel flow")
def froude_number(v: speed, g: gravity, depth: water_depth) -> froude:
    return v / wp.sqrt(g * depth)


@law("fluids", "Darcy's friction factor of a pipe: laminar below 2300, Blasius above")
def pipe_friction_factor(re: reynolds) -> friction_factor:
    if re < 2300.0:
        return 64.0 / re
    return 0.316 / wp.pow(re, 0.25)


@law("fluids", "the loss of pressure along a pipe by Darcy and Weisbach")
def darcy_weisbach_drop(f: friction_factor, span: length, d: diameter, rho: density, v: speed) -> pressure_drop:
    return f * (span / d) * 0.5 * rho * v * v


@law("fluids", "the volume flow through a thin pipe by Hagen and Poiseuille")
def poiseuille_flow(drop: pressure_drop, r: radius, mu: viscosity, span: length) -> volume_flow:
    r2 = r * r
    return wp.pi * drop * r2 * r2 / (8.0 * mu * span)


@law("fluids", "the mean speed in an open channel by Manning")
def manning_speed(radius: hydraulic_radius, slope: bed_slope, n: manning_roughness) -> speed:
    return wp.pow(radius, 2.0 / 3.0) * wp.sqrt(slope) / n


@law("fluids", "the hydraulic radius of a rectangular channel")
def rectangular_hydraulic_radius(b: channel_width, depth: water_depth) -> hydraulic_radius:
    return b * depth / (b + 2.0 * depth)


@law("fluids", "the discharge of a channel")
def channel_discharge(v: speed, b: channel_width, depth: water_depth) -> volume_flow:
    return v * b * depth


@law("fluids", "the settling speed of a small sphere by Stokes")
def stokes_settling(r: radius, rho_s: density, rho_f: density, g: gravity, mu: viscosity) -> axial_velocity:
    return 2.0 / 9.0 * r * r * (rho_s - rho_f) * g / mu


@law("fluids", "the buoyant force on a submerged volume")
def buoyant_force(rho: density, vol: volume, g: gravity_vector) -> force:
    return -rho * vol * g


@law("fluids", "the lift of a wing")
def wing_lift(rho: density, v: speed, a: area, cl: lift_coefficient) -> lift:
    return 0.5 * rho * v * v * a * cl


@law("fluids", "the lift coefficient of a thin aerofoil that stalls beyond an angle")
def thin_airfoil_lift(alpha: attack_angle, stall: stall_angle) -> lift_coefficient:
    limited = wp.clamp(alpha, -stall, stall)
    return 2.0 * wp.pi * limited


@law("fluids", "the speed of a surface wave by the dispersion relation")
def wave_phase_speed(k: wave_number, depth: water_depth, g: gravity) -> speed:
    return wp.sqrt(g / k * wp.tanh(k * depth))


@law("fluids", "the speed of a long wave in shallow water")
def shallow_wave_speed(g: gravity, depth: water_depth) -> speed:
    return wp.sqrt(g * wp.max(depth, 0.0))


@law("fluids", "the flux of mass through a face, taken from the side the flow comes from")
def upwind_flux(u: face_velocity, q_left: field_value, q_right: field_value) -> advective_flux:
    if u > 0.0:
        return u * q_left
    return u * q_right


@law("fluids", "the Lax-Friedrichs flux between two cells for Burgers' equation")
def lax_friedrichs_flux(q_left: field_value, q_right: field_value) -> advective_flux:
    speed = wp.max(wp.abs(q_left), wp.abs(q_right))
    mean = 0.25 * (q_left * q_left + q_right * q_right)
    return mean - 0.5 * speed * (q_right - q_left)


@law("fluids", "the slope of a cell limited by minmod")
def minmod_slope(back: field_difference, ahead: field_difference) -> limited_slope:
    if back * ahead <= 0.0:
        return 0.0
    if wp.abs(back) < wp.abs(ahead):
        return back
    return ahead


@law("fluids", "the slope of a cell limited by van Leer")
def van_leer_slope(back: field_difference, ahead: field_difference) -> limited_slope:
    product = back * ahead
    if product <= 0.0:
        return 0.0
    return 2.0 * product / (back + ahead)


@law("fluids", "the slope of a cell by the monotonised central limiter")
def monotonized_central_slope(back: field_difference, ahead: field_difference) -> limited_slope:
    if back * ahead <= 0.0:
        return 0.0
    size = wp.min(0.5 * wp.abs(back + ahead), 2.0 * wp.min(wp.abs(back), wp.abs(ahead)))
    return wp.sign(back) * size


@law("fluids", "the Courant number of a step")
def courant_number(v: speed, dt: time_step, dx: cell_size) -> courant:
    return v * dt / dx


@law("fluids", "the seepage speed through a porous bed by Darcy")
def darcy_velocity(k: permeability, mu: viscosity, drop: pressure_drop, span: length) -> axial_velocity:
    return k / mu * drop / span


@law("fluids", "the permeability of a packed bed by Kozeny and Carman")
def kozeny_carman(eps: porosity, d: diameter) -> permeability:
    solid = 1.0 - eps
    return eps * eps * eps * d * d / (180.0 * solid * solid)


@law("fluids", "the equilibrium of one lattice direction in the lattice Boltzmann method")
def lattice_equilibrium(rho: lattice_density, u: lattice_velocity, c: lattice_direction, w: lattice_weight) -> lattice_population:
    cu = wp.dot(c, u)
    uu = wp.dot(u, u)
    return w * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu)


@law("fluids", "a population after relaxing towards its equilibrium")
def bgk_collision(f: lattice_population, f_eq: lattice_population, tau: relaxation_time) -> lattice_population:
    return f - (f - f_eq) / tau


@law("fluids", "the kinematic viscosity that a lattice relaxation time stands for")
def lattice_viscosity(tau: relaxation_time) -> kinematic_viscosity:
    return (tau - 0.5) / 3.0
