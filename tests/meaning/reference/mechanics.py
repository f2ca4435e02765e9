"""Points, springs, contacts and rigid bodies, from the textbook."""

import numpy as np
from textbook import cross, hat, norm


def velocity_from_momentum(p, m):
    return np.array([c / m for c in p])


def acceleration_from_inverse_mass(f, w):
    return np.divide(f, 1 / w)


def invert_mass(m):
    return m ** -1.0 if m > 0 else 0.0


def weight_force(m, g):
    return np.multiply(g, m)


def gravitational_energy(m, g, h):
    return np.prod([m, g, h])


def advance_velocity(v, a, dt):
    return np.array([p + q * dt for p, q in zip(v, a)])


def advance_position(x, v, dt):
    return np.array([p + q * dt for p, q in zip(x, v)])


def ballistic_position(x, v, a, t):
    return np.polynomial.polynomial.polyval(t, np.array([x, v, np.asarray(a) / 2]))


def verlet_position(x, x_prev, a, dt):
    return x + (np.asarray(x) - x_prev) + np.asarray(a) * dt**2


def velocity_from_positions(x, x_prev, dt):
    return np.subtract(x, x_prev) * (1 / dt)


def undamped_spring_force(xa, xb, k, rest):
    # minus the gradient of k/2 (|d| - rest)^2
    d = np.subtract(xa, xb)
    return k * (rest / norm(d) - 1) * d


def spring_extension(xa, xb, rest):
    return norm(np.subtract(xa, xb)) - rest


def extension_energy(k, e):
    return k * e**2 / 2


def rope_tension(k, e):
    return max(0.0, k * e)


def viscous_drag(v, c):
    return np.negative(v) * c


def aerodynamic_drag(rho, cd, a, v):
    return -hat(v) * (rho / 2 * norm(v) ** 2) * cd * a


def terminal_speed(m, g, rho, cd, a):
    # rho/2 v^2 cd a = m g
    return (m * g / (rho / 2 * cd * a)) ** 0.5


def coulomb_friction(v, load, mu):
    return -mu * load * np.asarray(v) / max(norm(v), 0.01)


def clamp_to_friction_cone(jt, jn, mu):
    return hat(jt) * min(norm(jt), mu * jn)


def rebound_velocity(v, n, e):
    normal_part = min(np.dot(v, n), 0.0) * np.asarray(n)
    return np.asarray(v) - normal_part - e * normal_part


def collision_velocity(ma, mb, ua, ub, e):
    # momentum is kept; the relative velocity turns over, times e
    after = np.linalg.solve([[ma, mb], [1, -1]], [ma * ua + mb * ub, -e * (ua - ub)])
    return after[0]


def contact_impulse(wa, wb, vn, e):
    effective_mass = 1 / (wa + wb)
    return effective_mass * (1 + e) * max(-vn, 0.0)


def penalty_contact(depth, rate, k, c):
    return max(0.0, k * depth - c * rate) if depth > 0 else 0.0


def hertz_contact(depth, r, modulus):
    return 4 * modulus / 3 * r**0.5 * max(depth, 0.0) ** 1.5


def sphere_plane_penetration(x, r, n, offset):
    lowest = np.asarray(x) - r * np.asarray(n)
    return offset - lowest @ n


def sphere_overlap(xa, xb, ra, rb):
    return (ra + rb) - norm(np.subtract(xa, xb))


def torque_of_force(r, f):
    return cross(r, f)


def point_angular_momentum(r, p):
    return -cross(p, r)


def lever_arm_of(x, com):
    return np.negative(np.subtract(com, x))


def rigid_point_velocity(v, w, r):
    return np.asarray(v) - cross(r, w)


def centripetal_acceleration(w, r):
    w, r = np.asarray(w), np.asarray(r)
    return w * (w @ r) - r * (w @ w)


def coriolis_acceleration(w, v):
    return 2 * cross(v, w)


def rotational_energy(inertia, w):
    return w @ np.diag(inertia) @ w / 2


def spin_angular_momentum(inertia, w):
    return np.diag(inertia) @ w


def gyroscopic_torque(inertia, w):
    i, j, k = inertia
    x, y, z = w
    return np.array([(k - j) * y * z, (i - k) * z * x, (j - i) * x * y])


def euler_angular_acceleration(inertia, w, tau):
    i, j, k = inertia
    x, y, z = w
    return np.array([(tau[0] + (j - k) * y * z) / i, (tau[1] + (k - i) * z * x) / j, (tau[2] + (i - j) * x * y) / k])


def advance_angular_velocity(w, alpha, dt):
    return np.array([p + q * dt for p, q in zip(w, alpha)])


def sphere_inertia(m, r):
    return 2 / 5 * m * r**2


def rod_inertia(m, span):
    return m * (span / 2) ** 2 / 3


def cylinder_inertia(m, r):
    return m * r**2 / 2


def box_inertia(m, half):
    a, b, c = 2 * np.asarray(half)
    return m / 12 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2])


def parallel_axis_inertia(i_com, m, d):
    return m * d**2 + i_com


def pendulum_period(arm, g):
    return 2 * np.pi / (g / arm) ** 0.5


def pendulum_acceleration(theta, omega, arm, g, c):
    return -(c * omega + g * np.sin(theta) / arm)


def natural_frequency(k, m):
    return k**0.5 / m**0.5


def oscillator_damping_ratio(c, k, m):
    critical = 2 * m * (k / m) ** 0.5
    return c / critical


def damped_oscillation(a, w, zeta, t):
    if abs(zeta - 1) < 0.001:
        return a * np.exp(-w * t) + a * w * t * np.exp(-w * t)
    if zeta > 1:
        # x = c1 e^{p t} + c2 e^{q t} with x(0) = a, x'(0) = 0
        p, q = np.roots([1, 2 * zeta * w, w * w])
        return a * (p * np.exp(q * t) - q * np.exp(p * t)) / (p - q)
    root = w * (-zeta + 1j * (1 - zeta**2) ** 0.5)
    # x = Re(c e^{root t}) with x(0) = a, x'(0) = 0
    c = a * (1 + 1j * root.real / root.imag)
    return (c * np.exp(root * t)).real


def driven_amplitude(drive, w0, w, zeta):
    return drive / abs(w0**2 - w**2 + 2j * zeta * w0 * w)


def mechanical_power(f, v):
    return sum(a * b for a, b in zip(f, v))


def work_along(f, s):
    return sum(a * b for a, b in zip(f, s))


def reduced_mass(ma, mb):
    return 1 / (1 / ma + 1 / mb)


def pair_center_of_mass(ma, xa, mb, xb):
    return np.average([xa, xb], axis=0, weights=[ma, mb])


def projectile_range(v0, elevation, g):
    flight = 2 * v0 * np.sin(elevation) / g
    return flight * v0 * np.cos(elevation)


def projectile_apex(v0, elevation, g):
    rise = v0 * np.sin(elevation) / g
    return v0 * np.sin(elevation) * rise - g * rise**2 / 2


def sliding_acceleration(slope, mu, g):
    pull, hold = g * np.sin(slope), mu * g * np.cos(slope)
    return pull - hold if pull > hold else 0.0


def capstan_tension(load, mu, wrap):
    return load / np.exp(mu * wrap)


def distance_constraint_correction(xa, xb, wa, wb, rest):
    d = np.subtract(xa, xb)
    c = norm(d) - rest
    multiplier = c / (wa + wb)
    return -wa * multiplier * hat(d)


def wall_repulsion(d, margin, k):
    return k * max(margin - d, 0.0)


def kinetic_energy(m, v):
    return np.sum(m * np.square(v)) / 2


def momentum_of(m, v):
    return np.array([m * c for c in v])


def acceleration_from_force(f, m):
    return np.array([c / m for c in f])


def gravity_force(m):
    return m * np.array([0, -9.81, 0])


def spring_force(p1, p2, v1, v2, k, kd, l0):
    u = hat(np.subtract(p1, p2))
    return undamped_spring_force(p1, p2, k, l0) - kd * np.outer(u, u) @ np.subtract(v1, v2)


def quadratic_drag(v, c):
    return -c * norm(v) ** 2 * hat(v)


def spring_energy(k, l, l0):
    return k / 2 * (l0 - l) ** 2


def mass_from_density(rho, vol):
    return vol / (1 / rho)


def sphere_volume(r):
    return np.pi * (2 * r) ** 3 / 6


def speed_of(v):
    return np.sum(np.square(v)) ** 0.5


def bounce_velocity(v, n, e, mu):
    along = np.outer(n, n)
    return ((1 - mu) * (np.eye(3) - along) - e * along) @ v
