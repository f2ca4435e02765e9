"""Orbits, stars and distances, in units where the constants are moderate."""


@law("astronomy", "the pull of a mass on a body, softened near its centre")
def softened_gravity(x: position, source: position, m: mass, g: gravitational_constant, eps: softening) -> acceleration:
    d = source - x
    r2 = wp.dot(d, d) + eps * eps
    return g * m / (r2 * wp.sqrt(r2)) * d


@law("astronomy", "the force between two masses", needs=(r > 0.05,))
def newton_gravity(ma: mass, mb: mass, r: distance, g: gravitational_constant) -> pair_force:
    return g * ma * mb / (r * r)


@law("astronomy", "the potential of a mass, softened near its centre")
def plummer_potential(m: mass, r: distance, eps: softening, g: gravitational_constant) -> potential_value:
    return -g * m / wp.sqrt(r * r + eps * eps)


@law("astronomy", "the speed of a circular orbit")
def circular_speed(g: gravitational_constant, m: mass, r: distance) -> speed:
    return wp.sqrt(g * m / r)


@law("astronomy", "the speed to escape a mass")
def escape_speed(g: gravitational_constant, m: mass, r: distance) -> speed:
    return wp.sqrt(2.0 * g * m / r)


@law("astronomy", "the period of an orbit by Kepler's third law")
def orbital_period(a: semi_major, m: mass, g: gravitational_constant) -> period:
    return 2.0 * wp.pi * wp.sqrt(a * a * a / (g * m))


@law("astronomy", "the speed on an orbit at a distance, by the energy", needs=(2.0 * a > r,))
def vis_viva_speed(r: distance, a: semi_major, m: mass, g: gravitational_constant) -> speed:
    return wp.sqrt(g * m * (2.0 / r - 1.0 / a))


@law("astronomy", "the distance on an ellipse at a true anomaly")
def orbit_radius(a: semi_major, e: eccentricity, nu: true_anomaly) -> distance:
    return a * (1.0 - e * e) / (1.0 + e * wp.cos(nu))


@law("astronomy", "the true anomaly from the eccentric one")
def true_from_eccentric(ecc: eccentric_anomaly, e: eccentricity) -> true_anomaly:
    s = wp.sqrt((1.0 + e) / (1.0 - e))
    return 2.0 * wp.atan2(s * wp.sin(0.5 * ecc), wp.cos(0.5 * ecc))


@law("astronomy", "the mean anomaly after a time")
def mean_anomaly_at(t: time_value, span: period) -> mean_anomaly:
    turns = t / span
    return 2.0 * wp.pi * (turns - wp.floor(turns))


@law("astronomy", "where a mass holds its own satellites against a larger one")
def hill_radius(a: semi_major, small: mass, big: mass) -> distance:
    return a * wp.pow(small / (3.0 * big), 1.0 / 3.0)


@law("astronomy", "the distance inside which a fluid satellite is torn apart")
def roche_limit(r: radius, rho: density, rho_s: density) -> distance:
    return 2.44 * r * wp.pow(rho / rho_s, 1.0 / 3.0)


@law("astronomy", "the brightness that a distance takes away, as a magnitude difference")
def distance_modulus(d: parsec_distance) -> magnitude:
    return 5.0 * wp.log10(d / 10.0)


@law("astronomy", "the ratio of two brightnesses from their magnitudes")
def brightness_ratio(ma: magnitude, mb: magnitude) -> flux_ratio:
    return wp.pow(10.0, -0.4 * (ma - mb))


@law("astronomy", "the luminosity of a star relative to the sun, from radius and temperature")
def stellar_luminosity(r: stellar_radius, t: stellar_temperature) -> stellar_luminosity_ratio:
    s = t / 5772.0
    s2 = s * s
    return r * r * s2 * s2


@law("astronomy", "the luminosity of a star of the main sequence from its mass, in solar units")
def main_sequence_luminosity(m: stellar_mass) -> stellar_luminosity_ratio:
    if m < 0.43:
        return 0.23 * wp.pow(m, 2.3)
    if m < 2.0:
        return m * m * m * m
    return 1.4 * wp.pow(m, 3.5)


@law("astronomy", "the share of its light that a planet takes from a star in transit")
def transit_depth(rp: planet_radius, rs: stellar_radius) -> ratio:
    k = rp / rs
    return k * k


@law("astronomy", "the distance of a star from its parallax in arc seconds")
def parallax_distance(p: parallax) -> parsec_distance:
    return 1.0 / p


@law("astronomy", "the redshift of a moving source, relativistic along the line of sight")
def relativistic_redshift(beta: light_fraction) -> redshift:
    return wp.sqrt((1.0 + beta) / (1.0 - beta)) - 1.0


@law("astronomy", "the factor by which moving clocks go slow")
def lorentz_factor(beta: light_fraction) -> lorentz_gamma:
    return 1.0 / wp.sqrt(1.0 - beta * beta)


@law("astronomy", "the sum of two velocities along a line, in parts of the speed of light")
def add_relativistic(a: light_fraction, b: light_fraction) -> light_fraction:
    return (a + b) / (1.0 + a * b)


@law("astronomy", "the expansion rate of a flat universe relative to today")
def expansion_rate(z: redshift, matter: matter_density) -> expansion_factor:
    s = 1.0 + z
    return wp.sqrt(matter * s * s * s + 1.0 - matter)


@law("astronomy", "the density of a dark halo by Navarro, Frenk and White")
def nfw_density(rho0: halo_density, r: distance, rs: scale_radius) -> density:
    x = r / rs
    return rho0 / (x * (1.0 + x) * (1.0 + x))


@law("astronomy", "the deflection of a light ray by a lens, in units of its Einstein radius")
def lens_source_position(x: lens_coordinate) -> source_coordinate:
    return x - 1.0 / x


@law("astronomy", "the brightening of a star behind a gravitational lens")
def microlensing_gain(u: lens_impact) -> magnification_factor:
    u2 = u * u
    return (u2 + 2.0) / (u * wp.sqrt(u2 + 4.0))
