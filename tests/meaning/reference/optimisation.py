"""Root finding, line search, barriers and test functions, from the textbook."""

import numpy as np
from textbook import tolerance


@tolerance(1e-6)
def newton_sqrt(a):
    return a**0.5


@tolerance(1e-7)
def solve_kepler(mean, e):
    low, high = mean - 1, mean + 1
    for _ in range(60):  # bisection of a rising function
        mid = (low + high) / 2
        low, high = (mid, high) if mid - e * np.sin(mid) < mean else (low, mid)
    return mid


@tolerance(1e-5)
def newton_reciprocal(a):
    return 1 / a


def smaller_root(a, b, c):
    roots = np.roots([a, b, c])
    return min(roots.real) if np.isreal(roots).all() and b * b >= 4 * a * c else 0.0


def rosenbrock_value(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


@tolerance(1e-5)
def rosenbrock_gradient(p):
    h = 1e-5
    p = np.asarray(p)
    return np.array([(rosenbrock_value(p + e) - rosenbrock_value(p - e)) / (2 * h) for e in h * np.eye(2)])


def himmelblau_value(p):
    return (p[0] ** 2 + p[1] - 11) ** 2 + (p[0] + p[1] ** 2 - 7) ** 2


def rastrigin_term(x):
    return x**2 + 20 * np.sin(np.pi * x) ** 2


def log_barrier(gap, mu):
    return mu * np.log(1 / gap)


def quadratic_penalty(c, rho):
    return rho * c**2 / 2 if c > 0 else 0.0


def contact_barrier(d, reach, kappa):
    return kappa * (d - reach) ** 2 * np.log(reach / d) if d < reach else 0.0


def multiplier_update(lam, c, rho):
    return max(0, rho * c + lam)


def proximal_l1(x, t):
    # the minimiser of |y| t + (y - x)^2 / 2
    candidates = np.array([0.0, x - t, x + t])
    return candidates[np.argmin(t * np.abs(candidates) + (candidates - x) ** 2 / 2)]


def armijo_bound(f, slope, step, c):
    return f + c * slope * step


def barzilai_borwein_step(ss, sy):
    return abs(ss) / abs(sy)


def fletcher_reeves(new, old):
    return (new**0.5 / old**0.5) ** 2


def parabola_minimum(left, mid, right):
    a, b, _ = np.polyfit([-1, 0, 1], [left, mid, right], 2)
    return -b / (2 * a)


def levenberg_step(jtr, jtj, damp):
    return np.linalg.solve([[jtj + damp]], [-jtr])[0]


def annealing_temperature(t0, cool, step):
    for _ in range(step):
        t0 *= cool
    return t0


def swarm_velocity(v, x, own, shared, w, ca, cb):
    return w * v - (ca + cb) * x + ca * own + cb * shared


def table_of_four(x, values):
    return np.interp(x, range(4), values)


def cubic_polynomial(c, x):
    return np.polynomial.polynomial.polyval(x, c)


def chebyshev_sum(c, x):
    return np.polynomial.chebyshev.chebval(x, c)


def soft_minimum(a, b, c, sharp):
    return -np.logaddexp(np.logaddexp(-sharp * a, -sharp * b), -sharp * c) / sharp
