"""Small solvers, from the textbook."""

import numpy as np
from textbook import norm, reference


@reference
def gauss_solve(s):
    m, b = s.a[:, :, :3], s.a[:, :, 3]
    good = np.abs(np.linalg.det(m)) > 1e-6
    x = np.array([np.linalg.solve(p, q) if g else np.zeros(3) for p, q, g in zip(m, b, good)])
    return {"x": x, "det_out": np.linalg.det(m), "singular": ~good}


@reference
def jacobi_eigen(s):
    m = np.array([[s.xx, s.xy, s.zx], [s.xy, s.yy, s.yz], [s.zx, s.yz, s.zz]]).transpose(2, 0, 1)
    low, mid, high = np.linalg.eigvalsh(m).T
    return {"high": high, "mid": mid, "low": low, "aniso": high - low}


@reference
def kalman_track(s):
    move = np.array([[1, s.dt], [0, 1]])
    noise = s.q * np.array([[s.dt**2 / 4, s.dt / 2], [s.dt / 2, 1]])
    look = np.array([[1.0, 0.0]])
    pos, vel, kept, spread = [], [], [], []
    for i, row in enumerate(s.z):
        x, p, n = np.array([row[0], 0.0]), np.array([[s.r, 0], [0, 1.0]]), 1
        for t in range(1, 10):
            x, p = move @ x, move @ p @ move.T + noise
            if s.has("valid") and s.valid[i, t] == 0:
                continue
            innovation, total = row[t] - x[0], p[0, 0] + s.r
            if innovation**2 / total > s.gate:
                continue
            gain = p @ look.T / total
            x, p, n = x + gain[:, 0] * innovation, p - gain @ look @ p, n + 1
        pos.append(x[0]), vel.append(x[1]), kept.append(n), spread.append(p[0, 0])
    return {"pos": pos, "vel": vel, "kept": kept, "spread": spread}


@reference
def segment_pairs(s):
    def nearest(a0, a1, b0, b1):
        u, v = a1 - a0, b1 - b0
        pairs = []
        if norm(np.cross(u, v)) > 1e-9:
            t = np.linalg.lstsq(np.column_stack([u, -v]), b0 - a0, rcond=None)[0]
            if np.all((t >= 0) & (t <= 1)):
                return a0 + t[0] * u, b0 + t[1] * v
        for p, q, d, turned in ((a0, b0, v, 0), (a1, b0, v, 0), (b0, a0, u, 1), (b1, a0, u, 1)):
            foot = q + np.clip((p - q) @ d / (d @ d), 0, 1) * d
            pairs.append((foot, p) if turned else (p, foot))
        return min(pairs, key=lambda pq: norm(pq[0] - pq[1]))
    ends = [nearest(*row) for row in zip(s.a0, s.a1, s.b0, s.b1)]
    pa, pb = np.array(ends).transpose(1, 0, 2)
    return {"pa": pa, "pb": pb, "gap": np.linalg.norm(pa - pb, axis=1) - s.ra - s.rb}


@reference
def box_box(s):
    def corners(h):
        return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * h
    depth = []
    for gap, q, ha, hb in zip(s.gap, s.q, s.ha, s.hb):
        turn = rotation(q)
        own, other = corners(ha), corners(hb) @ turn.T + gap
        axes = list(np.eye(3)) + list(turn.T) + [np.cross(e, u) for u in turn.T for e in np.eye(3)]
        overlaps = []
        for axis in axes:
            if norm(axis) >= 0.05:
                a, b = own @ axis / norm(axis), other @ axis / norm(axis)
                # the shorter way out along the axis
                overlaps.append(min(a.max() - b.min(), b.max() - a.min()))
        depth.append(min(overlaps))
    return {"depth_out": depth}


def rotation(q):
    x, y, z, w = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


@reference
def rk4_oscillator(s):
    def rate(y):
        return np.array([y[1], s.mu * (1 - y[0] ** 2) * y[1] - y[0]])
    y, crossings, widest = np.array([s.x0, s.v0]), np.zeros(len(s.x0)), np.zeros(len(s.x0))
    for _ in range(int(s.plan["choices"]["c0"])):
        a = rate(y)
        b = rate(y + s.dt / 2 * a)
        c = rate(y + s.dt / 2 * b)
        d = rate(y + s.dt * c)
        new = y + s.dt * (a / 6 + b / 3 + c / 3 + d / 6)
        crossings += np.sign(new[0]) != np.sign(y[0])
        y, widest = new, np.maximum(widest, np.abs(new[0]))
    return {"x_out": y[0], "v_out": y[1], "crossings": crossings, "widest": widest}


@reference
def cg_small(s):
    if s.plan["choices"]["c0"] < 4:
        return {}
    sym = s.a + s.a.transpose(0, 2, 1)
    sym[:, range(3), range(3)] /= 2
    return {"x": np.linalg.solve(sym + s.shift * np.eye(3), s.b[..., None])[..., 0]}
