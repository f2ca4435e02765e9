"""Pixels, filters, edges and motion in images, from the textbook."""

import numpy as np


def rec601_gray(c):
    return np.dot([0.299, 0.587, 0.114], c)


def chroma_blue(c):
    # the row of the standard's matrix
    return np.dot([-0.299 / 1.772, -0.587 / 1.772, 0.5], c)


def gradient_magnitude(gx, gy):
    return np.hypot(gx, gy)


def gradient_orientation(gx, gy):
    return np.angle(complex(gx, gy))


def gaussian_weight(d, sigma):
    return np.exp(-(d**2) / (2 * sigma**2))


def bilateral_weight(d, a, b, sigma, tau):
    return gaussian_weight(d, sigma) * gaussian_weight(a - b, tau)


def perona_malik_conductance(g, kappa):
    return kappa**2 / (kappa**2 + g**2)


def bilinear_blend(v00, v10, v01, v11, fx, fy):
    return np.array([1 - fy, fy]) @ np.array([[v00, v10], [v01, v11]]) @ np.array([1 - fx, fx])


def keys_weight(d):
    a, x = -0.5, abs(d)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def lanczos_weight(d):
    return np.sinc(d) * np.sinc(d / 3) if abs(d) < 3 else 0.0


lanczos_weight.tolerance = 1e-7


def mitchell_weight(d):
    b = c = 1 / 3
    x = abs(d)
    if x < 1:
        return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
    if x < 2:
        return ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6
    return 0.0


def harris_response(ixx, iyy, ixy, k):
    m = np.array([[ixx, ixy], [ixy, iyy]])
    return np.linalg.det(m) - k * np.trace(m) ** 2


def shi_tomasi_response(ixx, iyy, ixy):
    return np.linalg.eigvalsh([[ixx, ixy], [ixy, iyy]])[0]


def normal_flow(gx, change):
    return -1 / (gx / change) if change else 0.0


def peak_signal_to_noise(mse, peak):
    return 20 * np.log10(peak) - 10 * np.log10(mse)


def soft_threshold_mask(v, level, soft):
    x = np.interp(v, [level - soft, level + soft], [0, 1])
    return x**2 * (3 - 2 * x)


def unsharp_mask(v, blurred, amount):
    return float(np.clip((1 + amount) * v - amount * blurred, 0, 1))


def window_level(v, low, high):
    return np.interp(v, [low, high], [0, 1])


def gamma_correct(v, gamma):
    return np.exp(np.log(v) / gamma)


def median_of_three(a, b, c):
    return np.median([a, b, c])


def otsu_variance(w, mean_low, mean_high):
    overall = w * mean_low + (1 - w) * mean_high
    return w * (mean_low - overall) ** 2 + (1 - w) * (mean_high - overall) ** 2


def structural_similarity(ma, mb, va, vb, cov):
    c1, c2 = 0.01**2, 0.03**2
    luminance = (2 * ma * mb + c1) / (ma**2 + mb**2 + c1)
    return luminance * (2 * cov + c2) / (va + vb + c2)


def delta_e76(a, b):
    return np.sqrt(sum((p - q) ** 2 for p, q in zip(a, b)))


def cie_lightness(y):
    # L* = 116 f(y) - 16, with f linear near black
    edge = (6 / 29) ** 3
    f = np.cbrt(y) if y > edge else y / (3 * (6 / 29) ** 2) + 4 / 29
    return 116 * f - 16


cie_lightness.tolerance = 1e-6
