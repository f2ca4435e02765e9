"""Scenes of rotations at work, from the textbook: by matrices, logarithms of motions, and closed forms of angles."""

import numpy as np
from rotations import pose_matrix, poses_like, quaternion, rotation_about, signed_like, skew
from textbook import hat, norm, reference, rotation_matrix


def rotation_vector(r):
    """By the quaternion, which is as exact for half a turn as for others."""
    q = quaternion(r)
    q = q if q[3] >= 0 else -q
    return hat(q[:3]) * 2 * np.arctan2(norm(q[:3]), q[3])


@reference
def triad_attitude(s):
    turns, dcm, miss, bad = [rotation_matrix(hat(q)) for q in s.q], np.zeros((len(s.q), 3, 3)), np.zeros(len(s.q)), 0
    changed = np.zeros(len(s.q), bool)
    for i, old in enumerate(list(turns)):
        if s.has("valid") and s.valid[i] == 0:
            continue
        body, outside = (hat(s.sun_b[i]), hat(s.mag_b[i])), (hat(s.sun_i[i]), hat(s.mag_i[i]))
        between = [np.arccos(np.clip(u @ v, -1, 1)) for u, v in (body, outside)]
        if min(np.sin(between)) < 0.25:
            bad += 1
            continue
        # the rotation that takes the first direction along, and turns the plane of both into the other plane
        frames = [np.stack([u, hat(v - u * (u @ v))]) for u, v in (body, outside)]
        frames = [np.vstack([f, np.cross(f[0], f[1])]) for f in frames]
        out = frames[1].T @ frames[0]
        out = out.T if s.choice("to") == 1 else out
        dcm[i], miss[i], changed[i] = out, abs(between[0] - between[1]), True
        turns[i] = rotation_about(rotation_vector(out @ old.T) * s.gain) @ old if s.has("gain") else out
    want = signed_like(s, "q", turns)
    return {"q": np.where(changed[:, None], want, s.q), "dcm": dcm, "miss": miss, "bad": [bad]}


@reference
def mrp_kinematics(s):
    n = len(s.sigma)
    now, quats, angles, flips = np.array(s.sigma), np.zeros((n, 4)), np.zeros(n), 0

    def rate(p, w):
        # the matrix of the kinematics times its transpose is (1 + p^2)^2: solve with the transpose
        p2 = p @ p
        b = (1 - p2) * np.eye(3) + 2 * skew(p) + 2 * np.outer(p, p)
        return 0.25 * (1 + p2) ** 2 * np.linalg.solve(b.T, w)

    for i, p in enumerate(s.sigma):
        if s.has("active") and s.active[i] == 0:
            continue
        w = s.omega[i] - (s.bias[i] if s.has("bias") else 0.0)
        p = p + s.dt * (rate(p + s.dt / 2 * rate(p, w), w) if s.choice("midpoint") else rate(p, w))
        if norm(p) > 1:
            p, flips = -p / (p @ p), flips + 1
        angle = 4 * np.arctan(norm(p))
        now[i], angles[i] = p, angle
        quats[i] = np.append(np.sin(angle / 2) * hat(p), np.cos(angle / 2))
    return {"sigma": now, "q_out": quats, "angle_out": angles, "switched": [flips]}


def log_of_motion(m):
    """The twist (turn, shift) whose exponential is the rigid motion."""
    w = rotation_vector(m[:3, :3])
    angle, k = norm(w), skew(w)
    back = np.eye(3) - k / 2 + (1 / angle**2 - 1 / (2 * angle * np.tan(angle / 2))) * k @ k
    return w, back @ m[:3, 3]


def exp_of_twist(w, v):
    angle, k = norm(w), skew(w)
    m = np.eye(4)
    m[:3, :3] = rotation_about(w)
    if angle < 1e-9:
        m[:3, 3] = v
    else:
        m[:3, 3] = (np.eye(3) + (1 - np.cos(angle)) / angle**2 * k + (angle - np.sin(angle)) / angle**3 * k @ k) @ v
    return m


@reference
def screw_paths(s):
    poses, pitch, centre, turn = [], [], [], []
    for a, b, t in zip(s.a, s.b, s.t):
        a, b = pose_matrix(a), pose_matrix(b)
        w, v = log_of_motion(np.linalg.solve(a, b))
        f = (1 - s.ease) * t + s.ease * t * t * (3 - 2 * t) if s.has("ease") else t
        poses.append(a @ exp_of_twist(w * f, v * f))
        turn.append(norm(w))
        pitch.append(v @ hat(w))
        centre.append(a[:3, :3] @ (np.cross(w, v) / (w @ w)) + a[:3, 3])
    return {"x": poses_like(s, "x", poses), "pitch": pitch, "centre": centre, "turn_out": turn}


def moved(axis, by):
    m = np.eye(4)
    m[axis, 3] = by
    return m


def turned(axis, by):
    m = np.eye(4)
    m[:3, :3] = rotation_about(np.eye(3)[axis] * by)
    return m


@reference
def dh_chain(s):
    tips, frames, lows = [], [], []
    for row in s.theta:
        m, heights = np.eye(4), []
        for j, q in enumerate(row):
            q = q + (s.zero[j] if s.has("zero") else 0.0)
            about_z, along_x = turned(2, q) @ moved(2, s.d[j]), moved(0, s.a[j]) @ turned(0, s.alpha[j])
            m = m @ (along_x @ about_z if s.choice("craig") == 1 else about_z @ along_x)
            heights.append(m[2, 3])
        tool = np.append(s.tool, 1.0) if s.has("tool") else np.array([0, 0, 0, 1.0])
        tips.append((m @ tool)[:3])
        frames.append(m[:3, :3])
        lows.append(min(heights))
    ok = [norm(t) <= s.reach for t in tips] if s.has("reach") else None
    return {"tip": tips, "q_out": signed_like(s, "q_out", frames), "low": lows, "ok": ok}


@reference
def rolling_balls(s):
    n = len(s.x)
    x, v, spins, hits, turns = np.array(s.x), np.array(s.v), np.zeros((n, 3)), 0, []
    for i in range(n):
        speed = norm(v[i])
        if s.has("mu"):
            v[i] = v[i] * max(1 - s.mu * 9.81 * s.dt / speed, 0.0)
        x[i] += v[i] * s.dt
        for k in range(2):
            if abs(x[i, k]) > s.half - s.r[i] and x[i, k] * v[i, k] > 0:
                x[i, k] = np.sign(x[i, k]) * (s.half - s.r[i])
                v[i, k] *= -s.bounce
                hits += 1
        spins[i] = np.cross([0, 0, 1], [*v[i], 0]) / s.r[i]
        turns.append(rotation_about(spins[i] * s.dt) @ rotation_matrix(hat(s.q[i])))
    still = np.linalg.norm(spins, axis=1) <= 1e-4
    energy = 0.5 * s.m * (np.sum(v * v, 1) + 0.4 * s.r**2 * np.sum(spins**2, 1)) if s.has("m") and s.has("e_out") else None
    return {"x": x, "v": v, "q": np.where(still[:, None], s.q, signed_like(s, "q", turns)), "w_out": spins, "hits": [hits], "e_out": energy}


@reference
def tilt_compass(s):
    n = len(s.f)
    frames, heads, pitches, used = [rotation_matrix(hat(q)) for q in s.q], np.zeros(n), np.zeros(n), np.zeros(n)
    for i, (f, b) in enumerate(zip(s.f, s.b)):
        if s.has("gate") and abs(norm(f) - 9.81) > s.gate:
            continue
        up = hat(f)
        level = b - up * (b @ up)
        if norm(level) < 0.4:
            continue
        magnetic = hat(level)
        # true north is turned from magnetic north about the vertical
        north = rotation_about(up * (s.decl if s.has("decl") else 0.0)) @ magnetic
        frames[i] = np.array([np.cross(north, up), north, up])
        ahead = frames[i] @ [1, 0, 0]
        heads[i], pitches[i], used[i] = np.arctan2(ahead[0], ahead[1]), np.arcsin(np.clip(ahead[2], -1, 1)), 1
    want = signed_like(s, "q", frames)
    return {"q": np.where(used[:, None] == 1, want, s.q), "head": heads, "pitch": pitches, "used": used}


@reference
def hand_eye(s):
    n, mounts = len(s.a), len(s.mount)
    turn, shift, cost, kept = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(mounts), np.zeros(mounts)
    for i, k in enumerate(s.which.astype(int)):
        a, x, b = (pose_matrix(p) for p in (s.a[i], s.mount[k], s.b[i]))
        left, right = a @ x, x @ b
        turn[i], shift[i] = rotation_vector(left[:3, :3] @ right[:3, :3].T), left[:3, 3] - right[:3, 3]
        if s.has("gate") and norm(turn[i]) > s.gate:
            continue
        kept[k] += 1
        if s.has("cost"):
            cost[k] += (norm(turn[i]) ** 2 + norm(shift[i] / s.scale) ** 2) * (s.w[i] if s.has("w") else 1.0)
    return {"rot_err": turn, "pos_err": shift, "cost": cost, "kept": kept}


@reference
def sticking_impulses(s):
    n = len(s.at)
    impulse, dv, slid = np.zeros((n, 3)), np.zeros((n, 3)), 0
    for c, k in enumerate(s.body_id.astype(int)):
        normal, arm = hat(s.n_in[c]), s.at[c] - s.x[k]
        rot = rotation_matrix(hat(s.q[k]))
        velocity = s.v[k] + np.cross(s.w[k], arm)
        if velocity @ normal >= 0:
            continue
        # column by column: the change of velocity at the point by a unit impulse
        answer = np.array([s.inv_m[k] * u + np.cross(rot @ (s.inv_i[k] * (rot.T @ np.cross(arm, u))), arm) for u in np.eye(3)]).T
        wanted = -(s.e if s.has("e") else 0.0) * (velocity @ normal) * normal
        p = np.linalg.solve(answer, wanted - velocity)
        along = p @ normal
        if along <= 0:
            continue
        across = p - along * normal
        if norm(across) > s.mu * along:
            across, slid = hat(across) * s.mu * along, slid + 1
        impulse[c] = along * normal + across
        dv[c] = impulse[c] * s.inv_m[k]
    return {"p_out": impulse, "dv": dv, "slid": [slid]}


@reference
def cayley_step(s):
    frames, spins, turns = np.array(s.r), np.array(s.w), np.zeros(len(s.w))
    for i in range(len(s.w)):
        if s.has("asleep") and s.asleep[i] != 0:
            continue
        w = s.w[i] + (s.tau[i] * s.dt / s.inertia if s.has("tau") else 0.0)
        w = w * (1 - s.drag * s.dt if s.has("drag") else 1.0)
        if s.has("cap") and norm(w) > s.cap:
            w = hat(w) * s.cap
        # a rotation about w by twice the arc tangent of half the way
        turns[i] = 2 * np.arctan(norm(w) * s.dt / 2)
        turn = rotation_about(hat(w) * turns[i])
        frames[i], spins[i] = (turn @ s.r[i] if s.choice("side") == 0 else s.r[i] @ turn), w
    return {"r": frames, "w": spins, "turn": turns}
