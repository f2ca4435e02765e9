"""Distributions, estimates and tests, from the textbook."""

import math

import numpy as np


def standard_score(x, mu, sigma):
    return x / sigma - mu / sigma


def variance_from_moments(mean_square, mu):
    return max(mean_square - mu**2, 0)


def deviation_of(v):
    return v**0.5


def normal_density(x, mu, sigma):
    return math.exp(-((x - mu) ** 2) / (2 * sigma**2)) / math.sqrt(2 * math.pi * sigma**2)


def normal_log_density(x, mu, sigma):
    return math.log(normal_density(x, mu, sigma))


normal_log_density.tolerance = 1e-6


def normal_share_below(z):
    return math.erfc(-z / math.sqrt(2)) / 2


def logistic_share_below(x, mu, s):
    return (1 + math.tanh((x - mu) / (2 * s))) / 2


def exponential_density(x, rate):
    return rate / math.exp(rate * x)


def laplace_density(x, mu, b):
    return 0.5 / b * math.exp(-abs(x - mu) / b)


def cauchy_density(x, mu, gamma):
    return gamma / (math.pi * (gamma**2 + (x - mu) ** 2))


def weibull_density(x, lam, k):
    return k * x ** (k - 1) / lam**k * math.exp(-((x / lam) ** k))


def weibull_survival(x, lam, k):
    return 1 / math.exp((x / lam) ** k)


def poisson_probability(k, lam):
    return math.exp(-lam) * lam**k / math.factorial(k)


def binomial_probability(k, n, p):
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def bayes_update(prior, hit, false_alarm):
    odds = prior / (1 - prior) * hit / false_alarm
    return odds / (1 + odds)


def running_mean(mu, x, n):
    return (mu * (n - 1) + x) / n


def exponential_mean(mu, x, alpha):
    return mu - alpha * mu + alpha * x


def standard_error(sigma, n):
    return (sigma**2 / n) ** 0.5


def welch_statistic(ma, mb, va, vb, na, nb):
    return (ma - mb) / np.hypot(np.sqrt(va / na), np.sqrt(vb / nb))


def pooled_variance(va, vb, na, nb):
    return np.average([va, vb], weights=[na - 1, nb - 1])


def kalman_estimate(x, p, z, r):
    return (r * x + p * z) / (p + r)


def kalman_variance(p, r):
    return 1 / (1 / p + 1 / r)


def fuse_estimates(a, va, b, vb):
    return (a * vb + b * va) / (va + vb)


def huber_weight(r, k):
    return min(1, k / abs(r))


def tukey_weight(r, c):
    return max(1 - (r / c) ** 2, 0) ** 2


def cauchy_weight(r, c):
    return c**2 / (c**2 + r**2)


def geman_mcclure_weight(r, c):
    return (1 + (r / c) ** 2) ** -2


def residual_of(z, x):
    return -(x - z)


def mahalanobis_squared(d, sxx, syy, sxy):
    return d @ np.linalg.solve([[sxx, sxy], [sxy, syy]], d)


def epanechnikov_weight(d, h):
    return 3 / 4 * max(1 - (d / h) ** 2, 0) / h


def gaussian_kernel_weight(d, h):
    return normal_density(d, 0, h)


gaussian_kernel_weight.tolerance = 1e-6


def tricube_weight(d, h):
    return 70 / 81 * max(1 - abs(d / h) ** 3, 0) ** 3 / h


def box_muller(u, v):
    return (np.sqrt(-2 * np.log(u)) * np.exp(2j * np.pi * v)).real


def exponential_from_uniform(u, rate):
    return -math.log1p(-u) / rate


def f1_score(hits, extra, missed):
    if hits == 0:
        return 0.0
    precision, recall = hits / (hits + extra), hits / (hits + missed)
    return 2 * precision * recall / (precision + recall)


def wilson_lower_bound(p, n):
    # the smaller root of (1 + z2/n) q^2 - (2 p + z2/n) q + p^2
    z2 = 1.96**2
    return min(np.roots([1 + z2 / n, -(2 * p + z2 / n), p**2]))
