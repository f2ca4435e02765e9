"""Stress, strain, plasticity, beams and fatigue, from the textbook."""

import numpy as np


def hooke_stress(e, eps):
    return np.prod([e, eps])


def engineering_strain(span, rest):
    return span / rest - 1


def true_strain(span, rest):
    return np.log(span) - np.log(rest)


def strain_energy_density(s, eps):
    return s * eps / 2


def lame(e, nu):
    """Both parameters, as the solution of their definitions of e and nu."""
    mu = e / 2 / (1 + nu)
    return mu * 2 * nu / (1 - 2 * nu), mu


def shear_modulus_of(e, nu):
    return lame(e, nu)[1]


def bulk_modulus_of(e, nu):
    lam, mu = lame(e, nu)
    return lam + 2 / 3 * mu


def lame_first_parameter(e, nu):
    return lame(e, nu)[0]


def green_strain(f):
    f = np.asarray(f)
    grad = f - np.eye(3)
    return (grad + grad.T + grad.T @ grad) / 2


def linear_elastic_stress(eps, lam, mu):
    return lam * np.trace(eps) * np.eye(3) + 2 * mu * np.asarray(eps)


def stvk_energy(eps, lam, mu):
    eps = np.asarray(eps)
    return lam / 2 * np.trace(eps) ** 2 + mu * np.trace(eps @ eps.T)


def neo_hookean_energy(f, lam, mu):
    f = np.asarray(f)
    log_j = np.linalg.slogdet(f)[1]
    return mu / 2 * (np.trace(f.T @ f) - 3) - mu * log_j + lam / 2 * log_j**2


def mean_pressure(s):
    return -np.mean(np.diag(s))


def mises(tensor):
    deviator = tensor - np.trace(tensor) / 3 * np.eye(3)
    return np.sqrt(1.5 * np.sum(deviator**2))


def plane_von_mises(sx, sy, t):
    return mises(np.array([[sx, t, 0], [t, sy, 0], [0, 0, 0]]))


def von_mises_stress(s, t):
    return mises(np.array([[s[0], t[0], t[2]], [t[0], s[1], t[1]], [t[2], t[1], s[2]]]))


def first_principal_stress(sx, sy, t):
    return np.linalg.eigvalsh([[sx, t], [t, sy]])[1]


def yield_excess(s, limit):
    return s - min(s, limit)


def perfectly_plastic_stress(e, eps, limit):
    return np.sign(eps) * min(e * abs(eps), limit)


def bilinear_stress(e, eps, limit, h):
    elastic = min(abs(eps), limit / e)
    return np.sign(eps) * (e * elastic + h * (abs(eps) - elastic))


def johnson_cook_stress(a, b, eps, n, c, rate):
    return (a + b * eps**n) * (1 + c * np.log(rate))


def ramberg_osgood_strain(s, e, limit, n):
    return s / e + 0.002 * (s / limit) ** n


def linear_softening_damage(eps, start, last):
    # the stress falls evenly from start to last: (1 - d) eps = start (last - eps) / (last - start)
    if eps <= start:
        return 0.0
    return 1 - start * max(last - eps, 0) / (last - start) / eps


def damaged_stress(d, s):
    return s - d * s


def basquin_cycles(amp, strength, b):
    return np.exp(np.log(amp / strength) / b) / 2


def goodman_amplitude(amp, mean, ultimate):
    return amp * ultimate / (ultimate - mean)


def paris_growth(c, dk, m):
    return c * dk**m


def crack_stress_intensity(shape, s, a):
    return shape * s * (np.pi * a) ** 0.5


def cantilever_deflection(load, span, e, i):
    # the integral of moment times lever over the beam
    x = (np.arange(2000) + 0.5) / 2000 * span
    return np.sum(load * x * x) / (e * i) * (span / 2000)


cantilever_deflection.tolerance = 1e-6


def rectangle_second_moment(b, h):
    return 2 * b * (h / 2) ** 3 / 3


def bending_stress(m, y, i):
    return m / i * y


def euler_buckling_load(e, i, span, k):
    return e * i * (np.pi / (k * span)) ** 2


def norton_creep(a, s, n, t):
    return a * t * s**n


def maxwell_relaxation(e, eps, t, tau):
    return e * eps / np.exp(t / tau)


def kelvin_voigt_stress(e, eps, eta, rate):
    return np.dot([e, eta], [eps, rate])


def rule_of_mixtures(ef, em, share):
    return np.average([ef, em], weights=[share, 1 - share])


def foam_modulus(e, relative):
    return e * relative**2


def avrami_fraction(k, t, n):
    return -np.expm1(-k * t**n)


def hall_petch_yield(base, k, d):
    return base + k * d**-0.5


def mohr_coulomb_limit(c, normal_stress, phi):
    return c + normal_stress * np.sin(phi) / np.cos(phi)


def tetrahedron_shape(r):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    return np.linalg.solve(np.vstack([corners.T, np.ones(4)]), np.append(r, 1.0))


def bilinear_shape(xi, eta, corner):
    return np.prod([(1 + xi * corner[0]) / 2, (1 + eta * corner[1]) / 2])
