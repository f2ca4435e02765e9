"""Rays, lenses, interference and absorption of light, from the textbook."""

import numpy as np

PI = np.pi


def refracted_cosine(cos_in, eta):
    sine = eta * np.sin(np.arccos(cos_in))
    return np.cos(np.arcsin(sine)) if sine < 1 else 0.0


def mirror_direction(d, n):
    return (np.eye(3) - 2 * np.outer(n, n)) @ d


def refract_direction(d, n, eta):
    d, n = np.asarray(d), np.asarray(n)
    n = n if d @ n <= 0 else -n
    across = d - (d @ n) * n
    sine = eta * np.linalg.norm(across)
    if sine > 1:
        return d - 2 * (d @ n) * n
    return eta * across - np.sqrt(1 - sine**2) * n


def normal_reflectance(n1, n2):
    return ((n2 / n1 - 1) / (n2 / n1 + 1)) ** 2


def fresnel_reflectance(cos_in, eta):
    # eta = n1 / n2
    a = np.arccos(cos_in)
    if eta * np.sin(a) >= 1:
        return 1.0
    b = np.arcsin(eta * np.sin(a))
    n1, n2 = eta, 1.0
    rs = (n1 * np.cos(a) - n2 * np.cos(b)) / (n1 * np.cos(a) + n2 * np.cos(b))
    rp = (n2 * np.cos(a) - n1 * np.cos(b)) / (n2 * np.cos(a) + n1 * np.cos(b))
    return (rs**2 + rp**2) / 2


def schlick_reflectance(cos_in, f0):
    return f0 + (1 - f0) * (1 - min(max(cos_in, 0), 1)) ** 5


def cauchy_index(lam, a, b):
    return a + b * lam**-2


def beer_lambert(mu, depth):
    return np.exp(-mu) ** depth


def optical_depth_of(mu, depth):
    return depth / (1 / mu) if mu else 0.0


def transmittance_of_depth(tau):
    return 1 / np.exp(tau)


def point_irradiance(intensity, cos_in, r):
    return max(cos_in, 0) * intensity * r**-2


def critical_angle(eta):
    return np.arctan2(1, np.sqrt(eta**2 - 1))


def brewster_angle(n1, n2):
    return np.arctan2(n2, n1)


def malus_intensity(i0, theta):
    return i0 * (1 + np.cos(2 * theta)) / 2


def lensmaker_focal_length(n, ra, rb):
    power = (n - 1) * (rb - ra) / (ra * rb)
    return 1 / power


def image_distance_of(f, d):
    return 1 / (1 / f - 1 / d)


def lens_magnification(image, d):
    return -1 * (image / d)


def circle_of_confusion(aperture, f, focus, d):
    # the sensor stands where focus is sharp; similar triangles behind the lens
    sensor, sharp = 1 / (1 / f - 1 / focus), 1 / (1 / f - 1 / d)
    return aperture * abs(sensor - sharp) / abs(sharp)


def two_slit_intensity(spacing, lam, theta):
    path = spacing * np.sin(theta)
    return abs(1 + np.exp(2j * PI * path / lam)) ** 2


def single_slit_intensity(width, lam, theta):
    return np.sinc(width * np.sin(theta) / lam) ** 2


single_slit_intensity.tolerance = 1e-6


def grating_angle(order, lam, spacing):
    sine = order * lam / spacing
    return np.arctan2(sine, np.sqrt(1 - sine**2))


def gaussian_beam_radius(w0, z, zr):
    return w0 * abs(1 + 1j * z / zr)


def gaussian_beam_intensity(i0, r, w):
    return i0 * np.exp(-((r / w) ** 2)) ** 2


def henyey_greenstein(cos_theta, g):
    return (1 - g**2) / (1 + g**2 - 2 * g * cos_theta) ** 1.5 / (4 * PI)


def rayleigh_phase(cos_theta):
    return 0.75 * (1 + cos_theta**2) / (4 * PI)
