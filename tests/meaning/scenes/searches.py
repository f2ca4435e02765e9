"""Searches and flights, by sorting, by numpy's vectors and by dense matrices."""

import numpy as np
from textbook import norm, reference


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


@reference
def simplex_search(s):
    best, values, shrinks = [], [], []
    for i, start in enumerate(s.start):
        def f(p):
            return (p[0] ** 2 + p[1] - s.a[i]) ** 2 + (p[0] + p[1] ** 2 - s.b[i]) ** 2

        points = [start, start + [s.size, 0], start + [0, s.size]]
        n = 0
        for _ in range(int(number(s, "rounds"))):
            points.sort(key=f)
            middle = (points[0] + points[1]) / 2
            worst = points[2]
            reflected = 2 * middle - worst
            if f(reflected) < f(points[0]):
                far = 3 * middle - 2 * worst
                points[2] = far if f(far) < f(reflected) else reflected
            elif f(reflected) < f(points[1]):
                points[2] = reflected
            else:
                near = (middle + (reflected if f(reflected) < f(worst) else worst)) / 2
                if f(near) < min(f(reflected), f(worst)):
                    points[2] = near
                else:
                    points = [points[0]] + [(points[0] + p) / 2 for p in points[1:]]
                    n += 1
        points.sort(key=f)
        best.append(points[0])
        values.append(f(points[0]))
        shrinks.append(n)
    return {"best_out": best, "f_out": values, "shrinks": shrinks}


@reference
def adaptive_steps(s):
    ends, times, taken, rejected = [], [], [], []
    for y, mu in zip(s.y, s.mu):
        def rate(y):
            return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

        t, h, n, bad = 0.0, s.h0, 0, 0
        for _ in range(40):
            if t >= s.t_end - 0.0001:
                break
            h = min(h, s.t_end - t)
            k1 = rate(y)
            k2 = rate(y + h / 2 * k1)
            k3 = rate(y + 3 * h / 4 * k2)
            third = y + h * (2 / 9 * k1 + 1 / 3 * k2 + 4 / 9 * k3)
            second = y + h * (7 / 24 * k1 + 1 / 4 * k2 + 1 / 3 * k3 + 1 / 8 * rate(third))
            err = norm(third - second)
            if err <= s.tol:
                t, y, n = t + h, third, n + 1
            else:
                bad += 1
            h *= np.clip(0.9 * (s.tol / max(err, 1e-6)) ** (1 / 3), 0.2, 3)
        ends.append(y)
        times.append(t)
        taken.append(n)
        rejected.append(bad)
    return {"y": ends, "t_out": times, "taken": taken, "rejected": rejected}


@reference
def entry_flight(s):
    peaks, ranges, heats, fates = [], [], [], []
    for speed, dive, beta, ratio in zip(s.speed, s.flight_angle, s.beta, s.lift_ratio):
        def rate(y):
            v, gamma, h, _ = y
            r = 6371 + h
            g = 0.00981 * (6371 / r) ** 2
            # drag in km/s^2: half the density times the square of the speed in m/s, over the coefficient
            drag = 0.5 * 1.225 * np.exp(-h / 7.2) * (1000 * v) ** 2 / beta / 1000
            return np.array([-drag - g * np.sin(gamma), (ratio * drag + (v * v / r - g) * np.cos(gamma)) / v, v * np.sin(gamma), v * np.cos(gamma) * 6371 / r])

        y, top, heat, fate = np.array([speed, dive, 90.0, 0.0]), 0.0, 0.0, 0
        for _ in range(int(s.num_steps)):
            k1 = rate(y)
            k2 = rate(y + s.dt / 2 * k1)
            k3 = rate(y + s.dt / 2 * k2)
            k4 = rate(y + s.dt * k3)
            top = max(top, abs(k1[0]) / 0.00981)
            heat += np.exp(-y[2] / 14.4) * y[0] ** 3 * s.dt
            y = y + s.dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            fate = 1 if y[0] < 0.8 else 2 if y[2] < 10 else 3 if y[2] > 95 else 0
            if fate:
                break
        peaks.append(top)
        ranges.append(y[3])
        heats.append(heat)
        fates.append(fate)
    return {"peak_g": peaks, "range_out": ranges, "heat_out": heats, "outcome": fates}


@reference
def implicit_springs(s):
    """Blocks of second derivatives of the energy, with the part that a squeezed spring would make negative left out."""
    y, total = np.zeros_like(s.x), 0.0
    for e, (a, b) in enumerate(s.ends):
        d = s.x[b] - s.x[a]
        l = norm(d)
        if a == b or l < number(s, "short"):
            continue
        if s.has("slack_ok") and s.slack_ok[e] == 1 and l < s.rest[e]:
            continue
        nn = np.outer(d, d) / l**2
        block = s.k * (nn + max(1 - s.rest[e] / l, 0) * (np.eye(3) - nn)) * s.dt**2
        if s.has("kd"):
            block = block + s.kd * s.dt * nn
        out = block @ (s.p[b] - s.p[a])
        for node, sign in ((a, -1), (b, 1)):
            if not (s.has("pinned") and s.pinned[node] == 1):
                y[node] += sign * out
        total += (s.p[b] - s.p[a]) @ out
    return {"y": y, "pap": [total]}
