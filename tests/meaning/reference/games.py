"""Moving characters, combat, camera and progression, from their definitions."""

import numpy as np
from textbook import hat, norm


def seek_steering(x, goal, v, top):
    return top * hat(np.subtract(goal, x)) - v


def arrive_steering(x, goal, v, top, slow):
    d = np.subtract(goal, x)
    return (top if norm(d) > slow else top * norm(d) / slow) * hat(d) - v


def separation_push(x, other, reach):
    d = np.subtract(x, other)
    return hat(d) / norm(d) if norm(d) < reach else np.zeros(3)


def limit_speed(v, top):
    return hat(v) * min(norm(v), top)


def smooth_follow(x, goal, rate, dt):
    share = -np.expm1(-rate * dt)
    return x + share * (goal - x)


def move_towards(x, goal, step):
    return x + float(np.clip(goal - x, -step, step))


def armored_damage(hit, armor):
    return hit / (1 + armor / 100)


def damage_at_range(hit, d, near, far, least):
    return hit * np.interp(d, [near, far], [1, least])


def health_after_hit(health, hit):
    return health - hit if hit < health else 0.0


def elo_expectation(own, other):
    a, b = 10 ** (own / 400), 10 ** (other / 400)
    return a / (a + b)


def elo_update(own, expected, result, k):
    return own + k * result - k * expected


def level_experience(level, base, growth):
    return base * np.exp(growth * np.log(level))


def ease_in(t):
    return t**2


def ease_out(t):
    return 1 - (1 - t) ** 2


def ease_in_out(t):
    return (2 * t) ** 3 / 2 if t < 0.5 else 1 - (2 * (1 - t)) ** 3 / 2


def ease_out_bounce(t):
    # parabolas that hang from 1: between bounces at 4/11, 8/11, 10/11
    edges = [-4 / 11, 4 / 11, 8 / 11, 10 / 11, 1]
    for left, right in zip(edges, edges[1:]):
        if t < right or right == 1:
            middle, half = (left + right) / 2, (right - left) / 2
            return 1 - 7.5625 * half**2 + 7.5625 * (t - middle) ** 2


def ease_out_back(t):
    c = 1.70158
    return 1 + (c + 1) * (t - 1) ** 3 + c * (t - 1) ** 2


def eased_value(a, b, t):
    return (1 - t) * a + t * b


def view_fraction(x, half_width):
    return np.interp(x, [-half_width, half_width], [0, 1])


def heard_loudness(level, d, wall):
    return (level - level * wall) * d**-2


def view_cone_margin(x, facing, other, half):
    return np.dot(hat(np.subtract(other, x)), facing) - np.cos(half)


def lead_position(target, v, d, shot):
    flight = d / shot
    return np.array([p + q * flight for p, q in zip(target, v)])


def stamina_after(stamina, effort, drain, rest, dt):
    return float(np.clip(stamina + dt * np.interp(effort, [0, 1], [rest, -drain]), 0, 1))
