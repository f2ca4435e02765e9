"""Smoothed particles, equations of state, pipes, channels and waves, from the textbook."""

import numpy as np
from textbook import hat

PI = np.pi


def spline_profile(q):
    return max(2 - q, 0) ** 3 / 4 - max(1 - q, 0) ** 3


def cubic_spline_weight(r, h):
    return spline_profile(r / h) / (PI * h**3)


def wendland_weight(r, h):
    q = r / (2 * h)
    return 21 / (2 * PI * (2 * h) ** 3) * max(1 - q, 0) ** 4 * (1 + 4 * q)


def spiky_weight(r, h):
    return 15 / (PI * h**3) * max(1 - r / h, 0) ** 3


def spiky_slope(r, h):
    return -3 * 15 / (PI * h**4) * max(1 - r / h, 0) ** 2


def cubic_spline_slope(r, h):
    q = r / h
    return (-0.75 * max(2 - q, 0) ** 2 + 3 * max(1 - q, 0) ** 2) / (PI * h**4)


def viscosity_laplacian(r, h):
    return 45 / (PI * h**5) * max(1 - r / h, 0)


def density_contribution(m, w):
    return w / (1 / m)


def linear_pressure(rho, rho0, k):
    return max(k * rho - k * rho0, 0)


def tait_pressure(rho, rho0, k):
    return k * rho0 / 7 * ((rho / rho0) ** 7 - 1)


def gamma_law_pressure(rho, e, gamma):
    return gamma * rho * e - rho * e


def sound_speed(p, rho, gamma):
    return (gamma * p) ** 0.5 / rho**0.5


def symmetric_pressure_term(p_a, rho_a, p_b, rho_b):
    return p_a * rho_a**-2 + p_b * rho_b**-2


def pressure_acceleration(xa, xb, m, term, slope):
    # minus the mass times the term times the gradient of the weight at xa
    gradient = slope * hat(np.subtract(xa, xb))
    return -m * term * gradient


def viscous_acceleration(va, vb, m, rho_a, rho_b, mu, curvature):
    return mu / rho_a * (m / rho_b) * np.subtract(vb, va) * curvature


def artificial_viscosity(approach, r, h, c, rho, alpha):
    mu = h * min(approach, 0) / (r**2 + 0.01 * h**2)
    return -alpha * c * mu / rho


def xsph_velocity(v, vb, m, rho, w, eps):
    share = eps * m * w / rho
    return (1 - share) * np.asarray(v) + share * np.asarray(vb)


def stream_pressure(rho, v):
    return rho * v**2 / 2


def hydrostatic_pressure(rho, g, depth):
    return g * depth * rho


def total_head(p, v, z, rho, g):
    return (p + rho * v**2 / 2 + rho * g * z) / (rho * g)


def torricelli_speed(g, depth):
    return (2 * g * depth) ** 0.5 if depth > 0 else 0.0


def reynolds_number(rho, v, span, mu):
    return v * span / (mu / rho)


def kinematic_viscosity_of(mu, rho):
    return mu * rho**-1


def froude_number(v, g, depth):
    return (v**2 / (g * depth)) ** 0.5


def pipe_friction_factor(re):
    return 64 / re if re < 2300 else 0.316 * re**-0.25


def darcy_weisbach_drop(f, span, d, rho, v):
    return f * span * rho * v**2 / (2 * d)


def poiseuille_flow(drop, r, mu, span):
    return drop * PI * (2 * r) ** 4 / (128 * mu * span)


def manning_speed(radius, slope, n):
    return 1 / n * (radius**2) ** (1 / 3) * slope**0.5


def rectangular_hydraulic_radius(b, depth):
    wet_area, perimeter = b * depth, b + depth + depth
    return wet_area / perimeter


def channel_discharge(v, b, depth):
    return np.prod([v, b, depth])


def stokes_settling(r, rho_s, rho_f, g, mu):
    # weight less buoyancy over Stokes' drag 6 pi mu r
    return (rho_s - rho_f) * g * (4 / 3 * PI * r**3) / (6 * PI * mu * r)


def buoyant_force(rho, vol, g):
    return np.negative(g) * (rho * vol)


def wing_lift(rho, v, a, cl):
    return cl * a * (rho * v**2 / 2)


def thin_airfoil_lift(alpha, stall):
    return 2 * PI * np.sign(alpha) * min(abs(alpha), stall)


def wave_phase_speed(k, depth, g):
    omega2 = g * k * np.tanh(k * depth)
    return omega2**0.5 / k


def shallow_wave_speed(g, depth):
    return max(g * depth, 0) ** 0.5


def upwind_flux(u, q_left, q_right):
    return max(u, 0) * q_left + min(u, 0) * q_right


def lax_friedrichs_flux(q_left, q_right):
    def flux(q):
        return q**2 / 2
    return (flux(q_left) + flux(q_right)) / 2 - max(abs(q_left), abs(q_right)) / 2 * (q_right - q_left)


def minmod_slope(back, ahead):
    return (np.sign(back) + np.sign(ahead)) / 2 * min(abs(back), abs(ahead))


def van_leer_slope(back, ahead):
    if np.sign(back) != np.sign(ahead):
        return 0.0
    return 2 / (1 / back + 1 / ahead)


def monotonized_central_slope(back, ahead):
    if np.sign(back) != np.sign(ahead):
        return 0.0
    candidates = np.array([(back + ahead) / 2, 2 * back, 2 * ahead])
    return candidates[np.argmin(np.abs(candidates))]


def courant_number(v, dt, dx):
    return v / (dx / dt)


def darcy_velocity(k, mu, drop, span):
    return k * (drop / span) / mu


def kozeny_carman(eps, d):
    return d**2 / 180 * eps**3 / (1 - eps) ** 2


def lattice_equilibrium(rho, u, c, w):
    cs2 = 1 / 3
    cu, uu = np.dot(c, u), np.dot(u, u)
    return rho * w * (1 + cu / cs2 + cu**2 / (2 * cs2**2) - uu / (2 * cs2))


def bgk_collision(f, f_eq, tau):
    return (1 - 1 / tau) * f + f_eq / tau


def lattice_viscosity(tau):
    return (2 * tau - 1) / 6


def poly6_weight(r, h):
    return 315 / (64 * PI * h**3) * max(1 - (r / h) ** 2, 0) ** 3


def pressure_from_density(rho, k, rho0):
    return max(k * rho - k * rho0, 0)


def dynamic_pressure(rho, v):
    return rho * np.sum(np.square(v)) / 2


def convective_flux(t, ambient, k):
    return k * ambient - k * t


def mix_values(a, b, t):
    return a + t * (b - a)


def luminance(c):
    return sum(p * q for p, q in zip((0.2126, 0.7152, 0.0722), c))


def sigmoid(x):
    return (1 + np.tanh(x / 2)) / 2


def area_vector(a, b, c):
    return np.cross(a, b) + np.cross(b, c) + np.cross(c, a)


def segment_fraction(p, a, b):
    ab = np.subtract(b, a)
    return float(np.clip(np.dot(np.subtract(p, a), ab) / np.dot(ab, ab), 0, 1))
