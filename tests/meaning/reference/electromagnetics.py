"""Charges, circuits, fields and waves, from the textbook."""

import numpy as np
from textbook import cross, hat, norm

PI = np.pi


def coulomb_force(qa, qb, xa, xb, k):
    return k * qa * qb / norm(np.subtract(xa, xb)) ** 2 * hat(np.subtract(xa, xb))


def point_charge_field(q, x, source, k):
    return k * q / norm(np.subtract(x, source)) ** 2 * hat(np.subtract(x, source))


def point_charge_potential(q, r, k):
    return q / (r / k)


def screened_potential(q, r, screening, k):
    return k * q / (r * np.exp(r / screening))


def lorentz_force(q, v, e, b):
    return q * np.asarray(e) - q * cross(b, v)


def charge_energy(q, phi):
    return np.prod([q, phi])


def gyration_radius(m, v, q, b):
    return m / abs(q) * v / b


def dipole_field(moment, r):
    u = hat(r)
    return (3 * np.outer(u, u) - np.eye(3)) @ moment / norm(r) ** 3


def dipole_torque(moment, b):
    return cross(moment, b)


def dipole_energy(moment, b):
    return -sum(np.multiply(moment, b))


def poynting_vector(e, b, mu):
    return cross(e, np.asarray(b) / mu)


def field_energy_density(e, b, eps, mu):
    return eps / 2 * norm(e) ** 2 + norm(b) ** 2 / (2 * mu)


def ohm_current(u, r):
    return u * (1 / r)


def ohm_voltage(i, r):
    return i / (1 / r)


def joule_power(i, r):
    return i**2 * r


def parallel_resistance(ra, rb):
    return 1 / (1 / ra + 1 / rb)


def voltage_divider(u, ra, rb):
    current = u / (ra + rb)
    return current * rb


def capacitor_charging(u, r, c, t):
    return -u * np.expm1(-t / r / c)


def capacitor_energy(c, u):
    charge = c * u
    return charge * u / 2


def resonance_frequency(ind, c):
    return (ind * c) ** -0.5 / (2 * PI)


def series_impedance(r, ind, c, w):
    return abs(r + 1j * w * ind + 1 / (1j * w * c))


def diode_current(sat, u, vt):
    return sat * np.expm1(min(u / vt, 10))


def mosfet_current(vgs, vds, vth, k):
    drive = max(vgs - vth, 0)
    reach = min(vds, drive)
    return k * (drive * reach - reach**2 / 2)


def solenoid_field(mu, turns, i):
    return np.prod([mu, turns, i])


def wire_field(mu, i, r):
    return mu * i / (PI * 2 * r)


def skin_depth(sigma, w, mu):
    return (sigma * w * mu / 2) ** -0.5


def boris_push(v, e, b, q, m, dt):
    # the middle step turns v by the Cayley transform of the rotation
    v, e, b = map(np.asarray, (v, e, b))
    kick = q * dt / (2 * m)
    x, y, z = kick * b
    spin = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
    turned = np.linalg.solve(np.eye(3) - spin, (np.eye(3) + spin) @ (v + kick * e))
    return turned + kick * e


def plane_wave_field(e0, k, x, w, t):
    return (e0 * np.exp(1j * (k * x - w * t))).real


def reflection_coefficient(load, line):
    return (load / line - 1) / (load / line + 1)
