"""Orbits, stars and distances, from the textbook."""

import numpy as np
from textbook import norm


def softened_gravity(x, source, m, g, eps):
    d = np.subtract(source, x)
    return g * m * d / (norm(d) ** 2 + eps**2) ** 1.5


def newton_gravity(ma, mb, r, g):
    return g * ma * mb * r**-2


def plummer_potential(m, r, eps, g):
    return -g * m / np.hypot(r, eps)


def circular_speed(g, m, r):
    # where g m / r^2 is v^2 / r
    return (g * m / r**2 * r) ** 0.5


def escape_speed(g, m, r):
    return 2**0.5 * circular_speed(g, m, r)


def orbital_period(a, m, g):
    return 2 * np.pi * a / circular_speed(g, m, a)


def vis_viva_speed(r, a, m, g):
    energy = -g * m / (2 * a)
    return (2 * (energy + g * m / r)) ** 0.5


def orbit_radius(a, e, nu):
    return a * (1 - e) * (1 + e) / (1 + e * np.cos(nu))


def true_from_eccentric(ecc, e):
    # the place on the ellipse, seen from its focus
    place = complex(np.cos(ecc) - e, np.sqrt(1 - e**2) * np.sin(ecc))
    angle = np.angle(place)
    return angle + 2 * np.pi * np.round((ecc - angle) / (2 * np.pi))


def mean_anomaly_at(t, span):
    return np.mod(2 * np.pi * t / span, 2 * np.pi)


def hill_radius(a, small, big):
    return a * np.cbrt(small / big / 3)


def roche_limit(r, rho, rho_s):
    return 2.44 * r * np.cbrt(rho / rho_s)


def distance_modulus(d):
    return 5 * np.log10(d) - 5


def brightness_ratio(ma, mb):
    return 100 ** ((mb - ma) / 5)


def stellar_luminosity(r, t):
    return r**2 * (t / 5772) ** 4


def main_sequence_luminosity(m):
    if m < 0.43:
        return 0.23 * m**2.3
    return m**4 if m < 2 else 1.4 * m**3.5


def transit_depth(rp, rs):
    return np.pi * rp**2 / (np.pi * rs**2)


def parallax_distance(p):
    return p**-1


def relativistic_redshift(beta):
    gamma = (1 - beta**2) ** -0.5
    return gamma * (1 + beta) - 1


def lorentz_factor(beta):
    return (1 - beta**2) ** -0.5


def add_relativistic(a, b):
    return np.tanh(np.arctanh(a) + np.arctanh(b))


def expansion_rate(z, matter):
    return (matter * (1 + z) ** 3 + (1 - matter)) ** 0.5


def nfw_density(rho0, r, rs):
    return rho0 / ((r / rs) * (1 + r / rs) ** 2)


def lens_source_position(x):
    return (x**2 - 1) / x


def microlensing_gain(u):
    # the sum over the two images of 1 / |1 - x^-4|
    images = np.roots([1, -u, -1])
    return sum(1 / abs(1 - x**-4) for x in images)
