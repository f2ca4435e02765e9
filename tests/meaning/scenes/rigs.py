"""Rigs, by matrices instead of quaternions and by minimisation."""

import itertools

import numpy as np
from textbook import hat, norm, reference, rotation_matrix


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


def half_turn(r):
    """Axis times the sine of half the angle, and the cosine of it, of a rotation by less than half a turn."""
    c = np.sqrt(max(1 + np.trace(r), 0)) / 2
    return np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (4 * c), c


@reference
def joint_forces(s):
    load, coords = np.zeros_like(s.load), np.zeros(len(s.pair))
    for j, (a, b) in enumerate(s.pair):
        if a == b:
            continue
        rot, arms, points = [], [], []
        for body, frame in ((a, s.frame_p[j]), (b, s.frame_c[j])):
            r = rotation_matrix(s.x[body, 3:])
            arms.append(r @ frame[:3])
            points.append(s.x[body, :3] + arms[-1])
            rot.append(r @ rotation_matrix(frame[3:]))
        err = points[1] - points[0]
        verr = s.v[b, 3:] + np.cross(s.v[b, :3], arms[1]) - s.v[a, 3:] - np.cross(s.v[a, :3], arms[0])
        werr = s.v[b, :3] - s.v[a, :3]
        vec, c = half_turn(rot[1] @ rot[0].T)
        unit = s.axis[j] / max(norm(s.axis[j]), 0.01)
        n = rot[0] @ unit
        goal = s.goal[j] if s.has("goal") else 0

        def drive(q, qd):
            t = s.drive_ke * (goal - q) - s.drive_kd * qd
            return t + 80 * max(s.low - q, 0) - 80 * max(q - s.high, 0)

        f, t, q = s.ke * err + s.kd * verr, np.zeros(3), 0.0
        hold = 2 * vec * s.ka + werr * s.ca
        kind = s.type_of[j]
        if kind == 0:
            t = hold
        elif kind == 1:
            q, qd = 2 * np.arctan2(vec @ n, c), werr @ n
            t = np.cross(n, rot[1] @ unit) * s.ka + (werr - n * qd) * s.ca - n * drive(q, qd)
        elif kind == 2:
            q, qd = err @ n, verr @ n
            f = (err - n * q) * s.ke + (verr - n * qd) * s.kd - n * drive(q, qd)
            t = hold
        else:
            t = werr * number(s, "socket") * s.ca
        coords[j] = q
        load[a] += np.concatenate([t + np.cross(arms[0], f), f])
        load[b] -= np.concatenate([t + np.cross(arms[1], f), f])
    return {"load": load, "q_out": coords}


def segment_gap(p, q, r, s):
    """The least distance of two segments, among the ends and the inner solution."""
    u, v, w = q - p, s - r, p - r
    best = []
    for t in (0, 1):
        best.append((t, np.clip((w + t * u) @ v / max(v @ v, 1e-12), 0, 1)))
        best.append((np.clip((t * v - w) @ u / max(u @ u, 1e-12), 0, 1), t))
    m = np.array([[u @ u, -u @ v], [-u @ v, v @ v]])
    if abs(np.linalg.det(m)) > 1e-10:
        t, k = np.linalg.solve(m, [-u @ w, v @ w])
        if 0 <= t <= 1 and 0 <= k <= 1:
            best.append((t, k))
    return min(norm(w + t * u - k * v) for t, k in best)


@reference
def triangle_distance(s):
    gaps = []
    for f, g in s.pair:
        a, b = s.x[s.tri[f]], s.x[s.tri[g]]
        found = [segment_gap(a[i], a[i - 2], b[k], b[k - 2]) for i, k in itertools.product(range(3), repeat=2)]
        for one, other in ((a, b), (b, a)):
            n = np.cross(other[1] - other[0], other[2] - other[0])
            if n @ n < 1e-6:
                continue
            for p in one:
                foot = p - n * ((p - other[0]) @ n) / (n @ n)
                weights = np.linalg.lstsq(np.vstack([other.T, np.ones(3)]), np.append(foot, 1), rcond=None)[0]
                if weights.min() >= 0:
                    found.append(norm(p - foot))
        gaps.append(min(found))
    return {"d_out": gaps, "close": [np.sum(np.array(gaps) < s.thick)] if s.has("thick") else None}


@reference
def drone_step(s):
    out = {k: [] for k in ("x", "v", "q", "w", "rpm", "crashed", "power_out")}
    for i in range(len(s.x)):
        n = s.cmd[i] + (s.rpm[i] - s.cmd[i]) * np.exp(-s.dt / s.tau)
        f = s.kf * n**2
        side = s.arm / np.sqrt(2)
        places = np.array([[side, side, 0], [side, -side, 0], [-side, -side, 0], [-side, side, 0]])
        torque = sum(np.cross(p, [0, 0, t]) for p, t in zip(places, f))
        torque[2] = s.km * (n**2 @ [1, -1, 1, -1])
        thrust = f.sum()
        if s.has("ground") and s.x[i, 2] - s.ground < 4 * s.arm:
            height = max(s.x[i, 2] - s.ground, s.arm)
            thrust /= 1 - (s.arm / (4 * height)) ** 2
        r = rotation_matrix(hat(s.q[i]))
        acc = r[:, 2] * thrust / s.m - [0, 0, 9.81]
        if s.has("drag_"):
            acc -= s.drag_ / s.m * (s.v[i] - (s.wind if s.has("wind") else 0))
        w = s.w[i] + s.dt * (torque - np.cross(s.w[i], s.inertia * s.w[i])) / s.inertia
        v = s.v[i] + acc * s.dt
        x = s.x[i] + v * s.dt
        q, h = hat(s.q[i]), w * s.dt / 2
        q = hat(np.append(q[:3] + q[3] * h + np.cross(q[:3], h), q[3] - q[:3] @ h))
        down = x[2] < s.ground if s.has("ground") else r[2, 2] < 0
        if s.has("ground") and down:
            x, v = np.array([x[0], x[1], s.ground]), np.zeros(3)
        for name, value in zip(out, (x, v, q, w, n, down, s.km * np.sum(n**3))):
            out[name].append(value)
    return out


@reference
def two_track_car(s):
    poses, motions, slides, least = [], [], [], []
    for i in range(len(s.steer)):
        u, v, r = max(s.motion[i, 0], number(s, "crawl")), s.motion[i, 1], s.motion[i, 2]
        base = s.lf + s.lr
        total, moment, count, loads = np.zeros(2), 0.0, 0, []
        for front, left in itertools.product((True, False), repeat=2):
            at = np.array([s.lf if front else -s.lr, s.track / 2 if left else -s.track / 2])
            share = s.lr / base if front else s.lf / base
            load = max(s.m * 9.81 * share / 2 + (-1 if front else 1) * s.push[i] * s.cg / base / 2, 0.05)
            loads.append(load)
            d = s.steer[i] if front else 0.0
            hub = np.array([u, v]) + r * np.array([-at[1], at[0]])
            force = np.array([0 if front else s.push[i] / 2, s.cs * (d - np.arctan2(hub[1], max(abs(hub[0]), 0.2)))])
            if s.has("brake"):
                force[0] -= s.brake[i] / 4
            if norm(force) > s.mu * load:
                force *= s.mu * load / norm(force)
                count += 1
            turn = np.array([[np.cos(d), -np.sin(d)], [np.sin(d), np.cos(d)]])
            force = turn @ force
            total += force
            moment += at[0] * force[1] - at[1] * force[0]
        u = u + (total[0] / s.m + r * v) * s.dt
        v = v + (total[1] / s.m - r * u) * s.dt
        r = r + moment / s.inertia * s.dt
        x, y, psi = s.pose_[i]
        psi += r * s.dt
        place = complex(x, y) + complex(u, v) * np.exp(1j * psi) * s.dt
        poses.append([place.real, place.imag, psi])
        motions.append([u, v, r])
        slides.append(count)
        least.append(min(loads))
    return {"pose_": poses, "motion": motions, "slide_out": slides, "load_out": least}
