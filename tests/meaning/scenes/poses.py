"""Scenes of poses, with rotations as matrices."""

import numpy as np
from rotations import pose_matrix, poses_like, rotation_about, rotation_vector, signed_like, skew
from textbook import cross, hat, norm, reference, rotation_matrix


def about(axis, angle):
    return rotation_about(np.eye(3)[axis] * angle)


@reference
def aim_turrets(s):
    turned, off = [], []
    for i in range(len(s.aim)):
        r = rotation_matrix(hat(s.aim[i]))
        d = s.target[i] - s.base[i] + (s.target_vel[i] * s.dt if s.has("target_vel") else 0)
        a, b = r[:, 0], hat(d)
        angle = np.arccos(np.clip(a @ b, -1, 1))
        step = min(angle, s.rate * s.dt)
        turned.append(rotation_about(hat(cross(a, b)) * step) @ r)
        off.append(angle - step)
    return {"aim": signed_like(s, "aim", turned), "error_out": off}


@reference
def residual_costs(s):
    r = s.p - s.t
    length = np.linalg.norm(r, axis=1)
    d = s.delta if s.has("delta") else 1.0
    rho = [np.abs(r).sum(1), length, np.where(length <= d, length**2 / 2, d * (length - d / 2)), np.sqrt(d * d + length**2) - d][s.choice("loss")]
    rho = rho * (s.w if s.has("w") else 1)
    near = length <= s.cut if s.has("cut") else np.ones(len(r), bool)
    pull = -r / np.sqrt(d * d + length**2)[:, None]
    return {"cost": [rho[near].sum()], "each_out": np.where(near, rho, 0), "pull": np.where(near[:, None], pull, 0)}


@reference
def sensor_motion(s):
    twist, seen = [], []
    for b, m in zip(s.body_twist, s.mount):
        w, v = b[:3], b[3:]
        r, p = rotation_matrix(hat(m[3:])), m[:3]
        at = v + cross(w, p)
        twist.append(np.concatenate([r.T @ w, r.T @ at]))
        seen.append(-(r.T @ at + cross(r.T @ w, s.point)) if s.has("point") else 0)
    return {"sensor_twist": twist, "point_velocity": seen if s.has("point") else None}


@reference
def base_wrenches(s):
    out, touch = [], []
    for f, m in zip(s.ft, s.mount):
        torque, force = f[:3], f[3:]
        r, p = rotation_matrix(hat(m[3:])), m[:3]
        if s.has("tool"):
            weight = r.T @ np.array([0, 0, -9.81 * s.tool])
            torque, force = torque - cross(s.tool_at, weight), force - weight
        out.append(np.concatenate([r @ torque + cross(p, r @ force), r @ force]))
        touch.append(force)
    power = [w @ b for w, b in zip(out, s.body)] if s.has("body") else None
    return {"total": [np.sum(out, 0)], "wrench_out": out, "power_out": power}


def product(a, b):
    v, w = a[:3], b[:3]
    return np.append(a[3] * w + b[3] * v + cross(v, w), a[3] * b[3] - v @ w)


@reference
def knob_turns(s):
    turned, wobble, clicks, loose = [], [], [], 0
    for j in range(len(s.before)):
        b, q, n = hat(s.before[j]), hat(s.now[j]), hat(s.axis[j])
        rel = product(np.append(-b[:3], b[3]), q)
        rel *= np.sign(rel[3])
        half = np.arctan2(rel[:3] @ n, rel[3])
        swing = product(rel, np.append(-np.sin(half) * n, np.cos(half)))
        tip = 2 * np.arctan2(norm(swing[:3]), abs(swing[3]))
        turned.append(s.turned[j] + 2 * half)
        wobble.append(tip)
        clicks.append(abs(2 * half if s.choice("count") else turned[-1]) // s.click if s.has("click") else 0)
        loose += tip > 0.3
    return {"turned": turned, "wobble": wobble, "clicks": clicks if s.has("click") else None, "loose": [loose]}


@reference
def reorder_eulers(s):
    def rotation(e):
        return about(2, e[2]) @ about(1, e[1]) @ about(0, e[0])
    angles, turns = [], []
    for i, e in enumerate(s.euler):
        r = rotation(e)
        if s.has("parent"):
            r = rotation(s.parent[i]) @ r
        turns.append(r)
        if s.choice("order"):
            angles.append([np.arctan2(r[2, 1], r[2, 2]), np.arcsin(np.clip(-r[2, 0], -1, 1)), np.arctan2(r[1, 0], r[0, 0])])
        else:
            angles.append([np.arctan2(-r[1, 2], r[2, 2]), np.arcsin(np.clip(r[0, 2], -1, 1)), np.arctan2(-r[0, 1], r[0, 0])])
    angles = np.array(angles)
    if s.has("limit"):
        angles[:, 1] = np.clip(angles[:, 1], -s.limit, s.limit)
    # an angle and the same with a full turn more are one
    if s.has("angles"):
        angles += 2 * np.pi * np.round((np.asarray(s.role("angles", s.after), float).reshape(angles.shape) - angles) / (2 * np.pi))
    return {"angles": angles, "q_out": signed_like(s, "q_out", turns)}


@reference
def place_instances(s):
    w = pose_matrix(np.concatenate([s.world[:3], hat(s.world[3:])]))
    full, turns, scales = [], [], []
    for i in range(len(s.p)):
        r = rotation_matrix(hat(s.r[i]))
        size = np.ones(3) if s.has("same") and s.same[i] == 1 else s.sc[i]
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = r * size, s.p[i]
        full.append(w @ m)
        turns.append(w[:3, :3] @ r)
        scales.append(size)
    return {"m_out": full, "p_out": [m[:3, 3] for m in full], "s_out": scales, "r_out": signed_like(s, "r_out", turns),
            "mirror_n": np.prod(scales, 1)}


@reference
def camera_poses(s):
    poses, gaze, lifted = [], [], 0
    for e, q in zip(s.eye, s.turn):
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = rotation_matrix(hat(q)), e
        if s.has("ground") and e[1] < s.ground:
            m[1, 3] = s.ground
            lifted += 1
        poses.append(m)
        gaze.append(-m[:3, 2])
    focus = [m[:3, 3] + f * s.ray_at for m, f in zip(poses, gaze)] if s.has("ray_at") else None
    return {"pose_out": poses_like(s, "pose_out", poses), "look": gaze, "focus": focus, "lifted": [lifted]}


@reference
def adjoint_twists(s):
    moved = []
    for i, (t, x) in enumerate(zip(s.twist, s.pose)):
        r = rotation_matrix(hat(x[3:]))
        scale = s.weight[i] if s.has("weight") else 1
        moved.append(scale * np.concatenate([r @ t[:3], skew(x[:3]) @ r @ t[:3] + r @ t[3:]]))
    return {"base_twist": moved}


@reference
def look_angles(s):
    up = np.array([np.cos(s.lat) * np.cos(s.lon), np.cos(s.lat) * np.sin(s.lon), np.sin(s.lat)])
    east = hat(cross([0, 0, 1], up))
    local = (s.xe - s.station) @ np.array([east, cross(up, east), up]).T
    elev = np.arcsin(local[:, 2] / np.linalg.norm(local, axis=1))
    return {"enu_out": local, "elev_out": elev, "azim_out": np.arctan2(local[:, 0], local[:, 1]), "seen": [np.sum(elev > s.mask)] if s.has("mask") else None}


@reference
def orbit_places(s):
    pos, vel = [], []
    for node, incl, u, a in zip(s.raan, s.inclination, s.argument, s.radius):
        n = np.sqrt(398600.4418 / a**3)
        u += n * s.t if s.has("t") else 0
        turn = about(2, node) @ about(0, incl) @ about(2, u)
        pos.append(turn @ [a, 0, 0])
        vel.append(turn @ [0, n * a, 0])
    return {"position": pos, "velocity": vel}
