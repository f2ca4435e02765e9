"""Conduction, convection, radiation and phase change, from the textbook."""

import numpy as np


def stored_heat(m, c, t, t_ref):
    return m * c * t - m * c * t_ref


def temperature_from_heat(q, m, c, t_ref):
    return q / m / c + t_ref


def conductive_flux(k, hot, cold, d):
    return -k * (cold - hot) / d


def newton_cooling_flux(h, surface, fluid):
    return h * surface - h * fluid


def radiative_flux(eps, surface, around):
    return eps * 5.670374e-8 * surface**4 - eps * 5.670374e-8 * around**4


def heat_rate_through(q, a):
    return a / (1 / q) if q else 0.0


def warming_rate(rate, m, c):
    return rate / m / c


def advance_temperature(t, rate, dt):
    return np.polyval([rate, t], dt)


def newton_cooling(t0, around, k, t):
    share = np.exp(-k * t)
    return t0 * share + around * (1 - share)


def thermal_diffusivity(k, rho, c):
    return k / rho / c


def fourier_number(alpha, dt, dx):
    return alpha * dt * dx**-2


def layer_resistance(d, k, a):
    return 1 / (k * a / d)


def heat_through_resistance(hot, cold, r):
    return hot / r - cold / r


def biot_number(h, span, k):
    return span / k / (1 / h)


def mixing_temperature(ma, ca, ta, mb, cb, tb):
    return np.average([ta, tb], weights=[ma * ca, mb * cb])


def melt_fraction(t, solidus, liquidus):
    return np.interp(t, [solidus, liquidus], [0, 1])


def latent_heat_of_melting(m, share, latent):
    return latent * (share * m)


def series_conductivity(ka, kb, share):
    return ka * kb / (share * kb + (1 - share) * ka)


def face_conductivity(ka, kb):
    return 1 / np.mean([1 / ka, 1 / kb])


def log_mean_difference(da, db):
    return np.mean([da, db]) if abs(da - db) < 0.01 else (db - da) / (np.log(db) - np.log(da))


def carnot_efficiency(hot, cold):
    return (hot - cold) / hot


def ideal_gas_density(p, t, r):
    return p / r / t


def thermal_expansion(span, alpha, t, t_ref):
    return span + span * alpha * (t - t_ref)


def fin_temperature(base, around, m, x, span):
    grow, fall = np.exp(m * (span - x)), np.exp(-m * (span - x))
    return around + (base - around) * (grow + fall) / (np.exp(m * span) + np.exp(-m * span))


def wien_wavelength(t):
    return 2.897772e3 / t


def adiabatic_temperature(t, ratio, gamma):
    return t * ratio**gamma / ratio
