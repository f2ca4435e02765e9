"""Joints, wheels, controllers and sensors, from the textbook."""

import numpy as np
from textbook import cross, norm


def pid_command(error, integral, rate, kp, ki, kd):
    return np.dot([kp, ki, kd], [error, integral, rate])


def control_error_of(goal, now):
    return -(now - goal)


def anti_windup_integral(sum, error, dt, limit):
    return sorted([-limit, sum + error * dt, limit])[1]


def error_rate_of(error, last, dt):
    return error / dt - last / dt


def saturate_command(u, limit):
    return np.sign(u) * min(abs(u), limit)


def joint_drive_torque(goal, q, qd, ke, kd):
    return -ke * (q - goal) - kd * qd


def joint_limit_torque(q, low, high, ke):
    return ke * (min(max(q, low), high) - q)


def advance_joint(q, qd, dt):
    return np.polyval([qd, q], dt)


def advance_joint_speed(qd, tau, inertia, dt):
    return np.polyval([tau / inertia, qd], dt)


def two_link_position(qa, qb, la, lb):
    z = np.exp(1j * qa) * (la + lb * np.exp(1j * qb))
    return np.array([z.real, z.imag])


def elbow_for_reach(p, la, lb):
    # the inner angle of the triangle by the law of cosines, and its supplement
    inner = (la**2 + lb**2 - norm(p) ** 2) / (2 * la * lb)
    return np.pi - np.arccos(np.clip(inner, -1, 1))


def arm_manipulability(qb, la, lb):
    # the Jacobian at a shoulder angle of zero; the determinant does not depend on it
    j = np.array([[-lb * np.sin(qb), -lb * np.sin(qb)], [la + lb * np.cos(qb), lb * np.cos(qb)]])
    return abs(np.linalg.det(j))


def differential_speed(left, right, r):
    return np.mean([left * r, right * r])


def differential_turn_rate(left, right, r, track):
    return (right * r - left * r) / track


def bicycle_turn_rate(v, steer, wheelbase):
    turning_radius = wheelbase / np.tan(steer)
    return v / turning_radius


def advance_heading(theta, rate, dt):
    return np.polyval([rate, theta], dt)


def advance_vehicle(p, theta, v, dt):
    z = complex(*p) + v * dt * np.exp(1j * theta)
    return np.array([z.real, z.imag])


def pure_pursuit_steering(bearing, reach, wheelbase):
    curvature = 2 * np.sin(bearing) / reach
    return np.arctan(curvature * wheelbase)


def stanley_steering(heading_error, offset, v, k, limit):
    return float(np.clip(heading_error + np.arctan2(k * offset, v), -limit, limit))


def complementary_tilt(tilt, gyro, accel, dt, blend):
    return np.interp(blend, [0, 1], [accel, tilt + gyro * dt])


def occupancy_update(odds, reading, limit):
    return sorted([-limit, odds + reading, limit])[1]


def occupancy_probability(odds):
    return np.exp(odds) / (1 + np.exp(odds))


def propeller_thrust(ct, rpm):
    return ct * rpm**2


def motor_torque(stall, w, free):
    return np.polyval([-stall / free, stall], w)


def minimum_jerk(start, goal, u):
    s = np.polyval([6, -15, 10, 0, 0, 0], u)
    return (1 - s) * start + s * goal


def trapezoid_speed(top, rise, u):
    return np.interp(u, [0, rise, 1 - rise, 1], [0, top, top, 0])


def goal_potential(d, near, k):
    # the integral of the clipped pull
    inner = min(d, near)
    return k * inner**2 / 2 + k * near * (d - inner)


def obstacle_potential(d, reach, k):
    return k / 2 * max(1 / d - 1 / reach, 0) ** 2


def wrench_of_force(f, r):
    return np.concatenate([f, cross(r, f)])


def wrench_power(w, twist):
    return np.sum(np.multiply(w, twist))
