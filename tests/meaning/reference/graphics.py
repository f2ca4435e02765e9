"""Light on surfaces, colour, cameras and blending, from the textbook."""

import colorsys

import numpy as np
from textbook import hat

PI = np.pi
REC709 = np.array([0.2126, 0.7152, 0.0722])


def lambert_shading(base, cos_in):
    return np.asarray(base) / PI * max(0, cos_in)


def phong_highlight(view, reflected, shininess):
    return max(np.dot(view, reflected), 0) ** shininess


def half_vector(a, b):
    return hat(np.mean([a, b], axis=0))


def ggx_distribution(cos_h, alpha):
    # alpha^2 / (pi cos^4 (alpha^2 + tan^2)^2)
    tan2 = 1 / cos_h**2 - 1
    return alpha**2 / (PI * cos_h**4 * (alpha**2 + tan2) ** 2)


def alpha_from_roughness(roughness):
    return max(roughness**2, 1e-3)


def smith_masking(cos_v, alpha):
    tan2 = 1 / cos_v**2 - 1
    return 2 / (1 + np.sqrt(1 + alpha**2 * tan2))


def cook_torrance(d, f, g, cos_l, cos_v):
    return d * f * g / (2 * cos_l) / (2 * cos_v)


def rec709_luminance(c):
    return REC709 @ c


def srgb_encode(x):
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (5 / 12) - 0.055


def srgb_decode(x):
    return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4


def reinhard_tonemap(x):
    return 1 - 1 / (1 + x)


def extended_reinhard_tonemap(x, white):
    return (x + (x / white) ** 2) / (1 + x)


def hable_curve(x):
    a, b, c, d, e, f = 0.15, 0.5, 0.1, 0.2, 0.02, 0.3
    return ((x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f)) - e / f


def exposure_tonemap(x, exposure):
    return -np.expm1(-exposure * x)


def expose_color(c, stops):
    return np.asarray(c) * np.exp(stops * np.log(2))


def adjust_saturation(c, amount):
    return amount * np.asarray(c) + (1 - amount) * (REC709 @ c)


def adjust_contrast(x, amount):
    return min(max(amount * x - amount / 2 + 0.5, 0), 1)


def hsv_to_rgb(hue, s, v):
    return np.array(colorsys.hsv_to_rgb(hue % 1, s, v))


def hsv_saturation(c):
    return colorsys.rgb_to_hsv(*c)[1]


def blend_over(front, alpha, back):
    return back + alpha * np.subtract(front, back)


def stacked_opacity(a, b):
    return 1 - (1 - a) * (1 - b)


def screen_blend(a, b):
    return a + b - a * b


def overlay_blend(base, top):
    return 2 * base * top if base < 0.5 else 2 * (base + top - base * top) - 1


def exponential_fog(d, density):
    return -np.expm1(-density * d)


def windowed_falloff(d, reach):
    return max(1 - (d / reach) ** 4, 0) ** 2 / (1 + d**2)


def spot_falloff(cos_theta, inner, outer):
    x = np.interp(cos_theta, [outer, inner], [0, 1])
    return 3 * x**2 - 2 * x**3


def pinhole_project(x, f, center):
    k = np.array([[f, 0, center[0]], [0, f, center[1]], [0, 0, 1]])
    h = k @ x
    return h[:2] / h[2]


def unproject_pixel(p, depth, f, center):
    k = np.array([[f, 0, center[0]], [0, f, center[1]], [0, 0, 1]])
    return np.linalg.solve(k, [p[0], p[1], 1]) * depth


def stereo_depth(f, baseline, disparity):
    return baseline / (disparity / f)


def radial_distortion(p, k1, k2):
    r = np.hypot(*p)
    return np.asarray(p) * (1 + k1 * r**2 + k2 * r**4)


def linearize_depth(z, near, far):
    # z = far (d - near) / (d (far - near)), for d
    return 1 / (1 / near + z * (1 / far - 1 / near))


def emission_step(sigma, glow, step):
    return glow * step if sigma < 1e-4 else -glow * np.expm1(-sigma * step) / sigma


def vignette(p, strength):
    return (1 + strength * (p[0] ** 2 + p[1] ** 2)) ** -1


def quintic_fade(t):
    return np.polyval([6, -15, 10, 0, 0, 0], t)


def step_opacity(sigma, step):
    return -np.expm1(-sigma * step)


def balance_heuristic(a, b):
    return 1 / (1 + b / a)


def power_heuristic(a, b):
    return 1 / (1 + (b / a) ** 2)


def cosine_hemisphere(u, v):
    flat = np.sqrt(u) * np.exp(2j * PI * v)
    return np.array([flat.real, flat.imag, np.sqrt(1 - u)])
