"""Reactions, equilibria, and the forces between atoms, from the textbook."""

import numpy as np

GAS = 8.314463e-3


def arrhenius_rate(a, ea, t):
    return a * np.exp(-ea / t / 8.314463)


def q10_rate(base, q10, t, t_ref):
    return base * np.exp(np.log(q10) * (t - t_ref) / 10)


def first_order_rate(k, c):
    return np.prod([k, c])


def second_order_rate(k, ca, cb):
    return np.prod([k, ca, cb])


def reversible_rate(kf, kr, ca, cb):
    return np.dot([kf, -kr], [ca, cb])


def exponential_decay(c0, k, t):
    return c0 / np.exp(k * t)


def decay_half_life(k):
    return 0.6931471805599453 / k


def remaining_amount(c0, t, half):
    return c0 * 2 ** (-t / half)


def bateman_middle(c0, ka, kb, t):
    # y' = A y with A the two-step decay, by its eigenvectors
    values, vectors = np.linalg.eig(np.array([[-ka, 0], [ka, -kb]]))
    return (vectors @ np.diag(np.exp(values * t)) @ np.linalg.solve(vectors, [c0, 0]))[1]


def michaelis_menten(vmax, km, s):
    return vmax / (1 + km / s)


def competitive_inhibition(vmax, km, s, inhibitor, ki):
    return vmax * s / (km + km * inhibitor / ki + s)


def substrate_inhibition(vmax, km, s, ki):
    return vmax / (km / s + 1 + s / ki)


def hill_occupancy(c, kd, n):
    return c**n / (kd**n + c**n)


def langmuir_coverage(k, p):
    return 1 - 1 / (1 + k * p)


def freundlich_loading(k, c, n):
    return k * np.exp(np.log(c) / n)


def ph_value(h):
    return -np.log10(h * 1e-6)


def buffer_acidity(pka, base, acid):
    return pka + np.log10(base) - np.log10(acid)


def nernst_potential(t, z, outside, inside):
    # k T / e in millivolts
    return 1000 * (1.380649e-23 * t / (z * 1.602176634e-19)) * (np.log(outside) - np.log(inside))


nernst_potential.tolerance = 1e-6


def equilibrium_constant(dg, t):
    return np.exp(-dg / GAS / t)


def gibbs_energy(dh, ds, t):
    return -(t * ds - dh)


def ideal_gas_pressure(c, t):
    return c * t * 8.314463


def lennard_jones_energy(r, sigma, eps):
    return 4 * eps * ((sigma / r) ** 12 - (sigma / r) ** 6)


def lennard_jones_force(r, sigma, eps):
    # minus the slope of the energy
    return 4 * eps * (12 * sigma**12 / r**13 - 6 * sigma**6 / r**7)


def shifted_lennard_jones(r, sigma, eps, cut):
    return lennard_jones_energy(r, sigma, eps) - lennard_jones_energy(cut, sigma, eps) if r < cut else 0.0


def morse_energy(r, r0, depth, a):
    return depth * np.expm1(-a * (r - r0)) ** 2


def harmonic_bond_energy(r, r0, k):
    return k / 2 * (r0 - r) ** 2


def born_mayer_energy(a, r, rho):
    return a / np.exp(r / rho)


def torsion_energy(v, n, phi, gamma):
    return v * np.cos((n * phi - gamma) / 2) ** 2


def angle_bend_energy(k, theta, theta0):
    return k / 2 * (theta0 - theta) ** 2


def switching_function(r, inner, outer):
    x = np.interp(r, [inner, outer], [0, 1])
    return 1 - 10 * x**3 + 15 * x**4 - 6 * x**5


def fick_flux(diff, ca, cb, d):
    return -diff * (cb - ca) / d


def stokes_einstein(kt, mu, r):
    return kt / (3 * np.pi * mu * (2 * r))


def metropolis_acceptance(de, kt):
    return min(1.0, np.exp(-de / kt))


def advance_concentration(c, rate, dt):
    return max(np.polyval([rate, c], dt), 0)
