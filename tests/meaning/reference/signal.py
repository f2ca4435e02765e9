"""Windows, filters, modulation and spectra, from the textbook."""

import numpy as np

TAU = 2 * np.pi


def sine_wave(a, f, t, phi):
    return (a * np.exp(1j * (TAU * f * t + phi))).imag


def square_wave(a, f, t):
    return a * np.sign(np.sin(TAU * f * t))


def triangle_wave(a, f, t):
    # +a at the start of a period, -a in its middle
    return np.interp((f * t) % 1, [0, 0.5, 1], [a, -a, a])


def chirp_wave(a, f0, rate, t):
    return a * np.sin(TAU * f0 * t + np.pi * rate * t**2)


def hann_window(u):
    return np.sin(np.pi * u) ** 2


def hamming_window(u):
    return 0.08 + 0.92 * np.sin(np.pi * u) ** 2


def blackman_window(u):
    c = np.cos(TAU * u)
    return 0.34 - 0.5 * c + 0.16 * c**2


def welch_window(u):
    return 4 * u * (1 - u)


def windowed_sample(x, w):
    return np.prod([x, w])


def sinc_value(x):
    return np.sinc(x)


def low_pass_step(x, y, alpha):
    return alpha * x + (1 - alpha) * y


def low_pass_alpha(cutoff, dt):
    w = TAU * cutoff * dt
    return w / (w + 1)


def low_pass_gain(f, fc):
    return abs(1 / (1 + 1j * f / fc))


def butterworth_gain(f, fc, order):
    return ((f / fc) ** (2 * order) + 1) ** -0.5


def biquad_output(x, y, b, a):
    return np.sum(np.multiply(b, x)) - np.sum(np.multiply(a, y))


def soft_clip(x):
    return (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1)


def cubic_clip(x):
    x = min(max(x, -1), 1)
    return np.polyval([-1 / 3, 0, 1, 0], x)


def shrink_value(x, level):
    return np.sign(x) * max(abs(x) - level, 0)


def quantize_value(x, step):
    return np.floor((x + step / 2) / step) * step


def spectral_power(z):
    return abs(complex(*z)) ** 2


def spectral_phase(z):
    return np.angle(complex(*z))


def complex_product(a, b):
    z = complex(*a) * complex(*b)
    return np.array([z.real, z.imag])


def rotate_phasor(z, phi):
    w = complex(*z) * np.exp(1j * phi)
    return np.array([w.real, w.imag])


def hermite_sample(y0, y1, y2, y3, t):
    # Catmull-Rom: central differences as slopes
    m1, m2 = (y2 - y0) / 2, (y3 - y1) / 2
    return (2 * t**3 - 3 * t**2 + 1) * y1 + (t**3 - 2 * t**2 + t) * m1 + (3 * t**2 - 2 * t**3) * y2 + (t**3 - t**2) * m2


def parabolic_peak(left, mid, right):
    a, b, _ = np.polyfit([-1, 0, 1], [left, mid, right], 2)
    return -b / (2 * a)


def doppler_frequency(f, v, c):
    return f / (1 - v / c)


def decibel_level(p, ref):
    return 10 * (np.log10(p) - np.log10(ref))


def normalized_correlation(sxy, sxx, syy):
    return sxy / sxx**0.5 / syy**0.5


def teager_energy(left, mid, right):
    return mid**2 - left * right
