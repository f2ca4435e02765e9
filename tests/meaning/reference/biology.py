"""Populations, nerves, plants and epidemics, from the textbook."""

import numpy as np
from textbook import tolerance


def logistic_growth(n, r, k):
    return r * n - r * n**2 / k


def logistic_population(n0, r, k, t):
    grown = np.exp(r * t)
    return k * n0 * grown / (k + n0 * (grown - 1))


def allee_growth(n, r, k, a):
    return r * n * (n - a) * (k - n) / (a * k)


def gompertz_size(n0, k, r, t):
    return k * (n0 / k) ** np.exp(-r * t)


def prey_change(prey, predators, birth, capture):
    return prey * (birth - capture * predators)


def predator_change(prey, predators, gain, death):
    return predators * (gain * prey - death)


def holling_response(prey, attack, handling):
    return 1 / (1 / (attack * prey) + handling)


def advance_population(n, rate, dt):
    return max(np.polyval([rate, n], dt), 0)


def infection_rate(beta, s, i, n):
    return beta * i * (s / n)


def basic_reproduction_number(beta, gamma):
    return beta * (1 / gamma)


def herd_immunity_share(r0):
    return max((r0 - 1) / r0, 0)


def dose_response(dose, k):
    return -np.expm1(-k * dose)


@tolerance(1e-3)
def potassium_opening_rate(v):
    return 0.01 * (v + 55) / -np.expm1(-(v + 55) / 10)


def potassium_closing_rate(v):
    return 0.125 / np.exp((v + 65) / 80)


def gate_change(gate, opening, closing):
    return opening - (opening + closing) * gate


def channel_current(g, v, e):
    return g * v - g * e


def potassium_conductance(g_max, n):
    return g_max * n**4


def leaky_neuron_rate(v, rest, drive, tau):
    return -(v - rest) / tau + drive / tau


def advance_membrane(v, rate, dt):
    return np.polyval([rate, v], dt)


def spike_timing_plasticity(delay, up, down, tau):
    return (up if delay > 0 else -down) * np.exp(-abs(delay) / tau)


def fitzhugh_voltage_rate(v, w, drive):
    return np.polyval([-1 / 3, 0, 1, drive - w], v)


def fitzhugh_recovery_rate(v, w, a, b, tau):
    return v / tau + a / tau - b / tau * w


def light_response(light, alpha, pmax):
    return -pmax * np.expm1(-alpha * light / pmax)


def canopy_light(above, k, lai):
    return above / np.exp(k * lai)


def monod_growth(mu_max, s, ks):
    return mu_max / (1 + ks / s)


def kleiber_rate(b0, m):
    return b0 * np.sqrt(m) * np.sqrt(np.sqrt(m))


def oral_drug_level(dose, vol, ka, ke, t):
    values, vectors = np.linalg.eig(np.array([[-ka, 0], [ka, -ke]]))
    return (vectors @ np.diag(np.exp(values * t)) @ np.linalg.solve(vectors, [dose, 0]))[1] / vol


def selection_step(p, s):
    return p * (1 + s) / (p * (1 + s) + (1 - p))


def heterozygote_share(p):
    return 1 - p**2 - (1 - p) ** 2


def degree_day(t_max, t_min, base, cap):
    return max((min(t_max, cap) - base + max(t_min, base) - base) / 2, 0)


def gray_scott_activator(u, v, feed, kill):
    return v * (u * v - feed - kill)


def gray_scott_substrate(u, v, feed):
    return feed - u * (feed + v**2)
