"""Fields read and written through points, with numpy."""

import numpy as np
from textbook import cross, hat, norm, reference


def blend(a, b, k):
    """The polynomial smooth minimum by its other form: max(k - |a - b|, 0) squared."""
    h = np.clip(0.5 + (a - b) / (2 * k), 0, 1)
    return np.minimum(a, b) - np.maximum(k - np.abs(a - b), 0) ** 2 / (4 * k), h


@reference
def sample_implicit(s):
    shape = s.role("phi", s.after).shape
    at = np.stack(np.meshgrid(*[s.lower[a] + np.arange(shape[a]) * s.spacing[a] for a in range(3)], indexing="ij"), -1)
    p = at + (s.shift if s.has("shift") else 0)
    ball = np.linalg.norm(p - s.ball, axis=-1) - s.ball_r
    ring = np.hypot(np.hypot(p[..., 0], p[..., 2]) - s.big, p[..., 1]) - s.small
    d, m = blend(ball, ring, s.soft)
    q = np.abs(p) - s.box
    box = np.linalg.norm(np.maximum(q, 0), axis=-1) + np.minimum(q.max(-1), 0) - 0.1
    if s.choice("join"):
        d = np.minimum(d, box)
    else:
        d, m = blend(d, box, s.soft)
    if s.has("carve"):
        d = np.maximum(d, s.carve - np.hypot(p[..., 0], p[..., 2]))
    return {"phi": d, "mat_out": m, "inside_n": [np.sum(d < 0)]}


def spline(x):
    x = np.abs(x)
    return np.where(x < 0.5, 0.75 - x**2, np.where(x < 1.5, (1.5 - x) ** 2 / 2, 0))


@reference
def spline_gather(s):
    nodes = np.arange(13)
    v, slope = [], []
    for x, y in s.x:
        wx, wy = spline(x - nodes), spline(y - nodes)
        v.append([wx @ s.vx @ wy, wx @ s.vy @ wy])
        i = int(np.floor(x - 0.5))
        slope.append((s.vx[i + 2] @ wy - s.vx[i] @ wy) / 2)
    v = np.array(v)
    if s.has("old"):
        v = s.blend * v + (1 - s.blend) * s.old
    return {"v_out": v, "spread": slope, "moved": np.clip(s.x + v * s.dt, 1, 11) if s.has("dt") else None}


@reference
def store_paths(s):
    k = s.stiff
    force = (lambda x: -k * np.sin(x)) if s.choice("well") else (lambda x: -k * x**3)
    well = (lambda x: -k * np.cos(x)) if s.choice("well") else (lambda x: k * x**4 / 4)
    trails, drift, turns, far = [], [], [], []
    for x, v in s.start:
        path, a = [(x, v)], force(x)
        for n in range(8):
            half = v + a * s.dt / 2
            x += half * s.dt
            a = force(x) + (s.kick if s.has("kick") and n % 2 == 0 else 0)
            v = half + a * s.dt / 2
            path.append((x, v))
        trails.append(path)
        drift.append(v * v / 2 + well(x) - path[0][1] ** 2 / 2 - well(path[0][0]))
        turns.append(sum(b[1] * c[1] < 0 for b, c in zip(path, path[1:])))
        far.append(max(abs(q[0]) for q in path))
    return {"trail": trails, "drift_out": drift, "turns": turns, "far": far}


@reference
def sight_tests(s):
    seen, blocker = [], []
    for i in range(len(s.p)):
        a, b = s.p[i], s.target[i]
        if s.has("asleep") and s.asleep[i] == 1:
            seen.append(0)
            blocker.append(0)
            continue
        d = b - a
        view = norm(d) < s.reach and (not s.has("cone") or hat(s.look[i]) @ hat(d) > s.cone)
        hit = -1
        if view:
            for k, (c, r) in enumerate(zip(s.center, s.r)):
                t = (c - a) @ d / (d @ d)
                gap = norm(c - a) if t <= 0 else norm(c - b) if t >= 1 else norm(cross(c - a, hat(d)))
                if gap < r:
                    hit = k
                    break
        seen.append(int(view and hit < 0))
        blocker.append(hit)
    return {"seen": seen, "blocker": blocker, "seen_n": [sum(seen)]}


@reference
def filter_pairs(s):
    keep, depth, per = [], [], np.zeros(len(s.c))
    for a, b in s.pair:
        ok = a != b and int(s.group[a]) & int(s.meets[b]) and int(s.group[b]) & int(s.meets[a])
        ok = ok and not (s.has("still") and s.still[a] == 1 and s.still[b] == 1)
        over = s.half[a] + s.half[b] - np.abs(s.c[a] - s.c[b])
        ok = bool(ok) and np.min(over) + (s.margin if s.has("margin") else 0) >= 0
        keep.append(ok)
        depth.append(np.min(over) if ok else 0)
        per[a] += ok
        per[b] += ok
    return {"keep": keep, "depth_out": depth, "number": [sum(keep)], "per_body": per}


@reference
def hermite_tracks(s):
    pos, vel = [], []
    last = len(s.key_pos) - 1
    for t in np.clip(s.t, 0, last):
        t = t % s.period if s.has("period") else t
        k = min(int(t), last - 1)
        m = s.key_tangent[k:k + 2] * (1 - (s.tension if s.has("tension") else 0))
        # The cubic with these ends and slopes, by its linear system.
        system = np.array([[1, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [0, 1, 2, 3.0]])
        c = np.linalg.solve(system, np.array([s.key_pos[k], s.key_pos[k + 1], m[0], m[1]]))
        u = t - k
        pos.append(np.array([1, u, u * u, u**3]) @ c)
        vel.append(np.array([0, 1, 2 * u, 3 * u * u]) @ c)
    return {"pos_out": pos, "vel_out": vel}


@reference
def vortex_criteria(s):
    l = s.g - np.trace(s.g, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
    sym, skew = (l + np.swapaxes(l, -1, -2)) / 2, (l - np.swapaxes(l, -1, -2)) / 2
    ss, ww = np.sum(sym**2, (-1, -2)), np.sum(skew**2, (-1, -2))
    q = (ww - ss) / 2
    vort = np.stack([l[..., 2, 1] - l[..., 1, 2], l[..., 0, 2] - l[..., 2, 0], l[..., 1, 0] - l[..., 0, 1]], -1)
    return {"q_out": q, "loss_out": 2 * s.nu * ss if s.has("nu") else None, "vort_out": vort, "strain_out": sym, "shear_out": np.sqrt(2 * ss), "vortices": [np.sum(q > 0)]}
