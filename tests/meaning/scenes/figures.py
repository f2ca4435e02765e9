"""Scenes of shapes, signals, rotations and small matrices, from the textbook."""

import numpy as np
from rotations import poses_like, pose_matrix, rotation_about, rotation_vector, signed_like
from textbook import cross, hat, norm, reference, rotation_matrix


@reference
def closest_on_triangle(s):
    """The nearest of the candidates: the projection, if it is inside, the projections on the edges, the corners."""
    best, dist, got = [], [], s.role("c", s.after)
    for i, (p, w) in enumerate(zip(s.p, s.which)):
        c = s.x[s.tri[int(w)]]
        points = list(c)
        for a, b in ((0, 1), (1, 2), (2, 0)):
            e = c[b] - c[a]
            if e @ e > 0:
                points.append(c[a] + e * np.clip((p - c[a]) @ e / (e @ e), 0, 1))
        e = (c[1:] - c[0]).T
        if np.linalg.matrix_rank(e) < 2:
            points = [got[i]]  # not a triangle
        else:
            uv = np.linalg.lstsq(e, p - c[0], rcond=None)[0]
            if uv.min() >= 0 and uv.sum() <= 1:
                points.append(c[0] + e @ uv)
        near = min(points, key=lambda q: norm(q - p))
        best.append(near)
        dist.append(norm(near - p))
    return {"c": best, "d": dist}


@reference
def in_polygon(s):
    inside, crossings = [], []
    for x, y in s.p:
        n = 0
        for a, b in zip(s.poly, np.roll(s.poly, -1, 0)):
            if min(a[1], b[1]) <= y < max(a[1], b[1]):
                n += np.interp(y, *zip(*sorted([(a[1], a[0]), (b[1], b[0])]))) > x
        if s.has("box") and (abs(x) > s.box[0] or abs(y) > s.box[1]):
            n = 0
        inside.append(n % 2)
        crossings.append(n)
    return {"inside": inside, "crossings": crossings}


@reference
def mesh_volume(s):
    p = s.x[s.tri] * (s.scale if s.has("scale") else 1.0)
    vol = np.linalg.det(p) / 6
    area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1) / 2
    return {"vol": [vol.sum()], "area_out": [area.sum()], "centre": [np.sum(p.sum(1) / 4 * vol[:, None], 0)]}


@reference
def slab(s):
    times, ids = [], []
    for o, d in zip(s.o, s.d):
        best, who = -1.0, -1
        for k, (lo, hi) in enumerate(zip(s.lo, s.hi)):
            ends = np.sort(np.stack([(lo - o) / d, (hi - o) / d]), 0)
            enter, leave = ends[0].max(), ends[1].min()
            if enter <= leave and leave >= 0 and (not s.has("far") or enter <= s.far) and (who < 0 or enter < best):
                best, who = enter, k
        times.append(best)
        ids.append(who)
    return {"t_out": times, "id_out": ids}


@reference
def bezier(s):
    def casteljau(points, t):
        while len(points) > 1:
            points = [(1 - t) * a + t * b for a, b in zip(points, points[1:])]
        return points[0]
    p = [casteljau(list(s.ctrl), t) for t in s.t]
    slope = [3 * casteljau(list(np.diff(s.ctrl, axis=0)), t) for t in s.t]
    return {"p": p, "tan_out": [hat(v) for v in slope], "arc": [np.mean([norm(v) for v in slope])]}


@reference
def segments(s):
    dist = []
    for a, b, c, d in zip(s.p0, s.p1, s.q0, s.q1):
        def along(p, e, f):
            return e + (f - e) * np.clip((p - e) @ (f - e) / ((f - e) @ (f - e)), 0, 1)
        ends = [norm(p - along(p, c, d)) for p in (a, b)] + [norm(p - along(p, a, b)) for p in (c, d)]
        m = np.column_stack([b - a, c - d])
        inner = np.linalg.lstsq(m, c - a, rcond=None)[0]
        if inner.min() >= 0 and inner.max() <= 1:
            ends.append(norm(m @ inner - (c - a)))
        dist.append(max(min(ends) - (s.thickness if s.has("thickness") else 0.0), 0.0))
    return {"dist": dist}


@reference
def gaussian_blur(s):
    reach, (h, w) = s.choice("reach"), s.img.shape
    top, bottom = np.zeros((h, w)), np.zeros((h, w))
    for di in range(-reach, reach + 1):
        for dj in range(-reach, reach + 1):
            y, x = np.clip(np.arange(h) + di, 0, h - 1), np.clip(np.arange(w) + dj, 0, w - 1)
            at = np.ix_(y, x)
            weight = np.exp(-(di**2 + dj**2) / (2 * s.sigma**2)) * (s.mask[at] != 0 if s.has("mask") else 1.0)
            top += weight * s.img[at]
            bottom += weight
    res = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), s.img)
    return {"res": res, "detail": s.img - res}


@reference
def sobel(s):
    smooth, slope = np.array([1, 2, 1]), np.array([-1, 0, 1])
    windows = np.lib.stride_tricks.sliding_window_view(s.img, (3, 3))
    gx = np.pad(np.einsum("ijab,a,b->ij", windows, smooth, slope), 1)
    gy = np.pad(np.einsum("ijab,a,b->ij", windows, slope, smooth), 1)
    edge = np.hypot(gx, gy) > s.limit if s.has("limit") else None
    return {"mag": np.hypot(gx, gy), "angle_out": np.arctan2(gy, gx), "edge_out": edge}


@reference
def advect(s):
    (h, w), res = s.field.shape, s.field.copy()
    for i in range(h):
        for j in range(w):
            if s.has("solid") and s.solid[i, j] == 1:
                continue
            x = np.clip(i - s.dt * s.vel[i, j, 0] / s.dx, 0, h - 1)
            y = np.clip(j - s.dt * s.vel[i, j, 1] / s.dx, 0, w - 1)
            rows = [np.interp(y, np.arange(w), s.field[k]) for k in range(h)]
            res[i, j] = np.interp(x, np.arange(h), rows) * (s.fade if s.has("fade") else 1.0)
    return {"res": res}


@reference
def wave(s):
    lap = s.now[2:, 1:-1] + s.now[:-2, 1:-1] + s.now[1:-1, 2:] + s.now[1:-1, :-2] - 4 * s.now[1:-1, 1:-1]
    speed = (s.now - s.before) * (1 - s.loss_ if s.has("loss_") else 1.0)
    after, energy = np.zeros_like(s.now), np.zeros_like(s.now)
    force = s.c**2 / s.dx**2 * lap + (s.push[1:-1, 1:-1] if s.has("push") else 0.0)
    after[1:-1, 1:-1] = s.now[1:-1, 1:-1] + speed[1:-1, 1:-1] + s.dt**2 * force
    energy[1:-1, 1:-1] = (speed[1:-1, 1:-1] / s.dt) ** 2 / 2
    return {"after": after, "energy_out": energy}


@reference
def fir(s):
    y = np.convolve(s.x, s.h)[:len(s.x)] * (s.g if s.has("g") else 1.0)
    return {"y": np.clip(y, -s.clip, s.clip) if s.has("clip") else y}


@reference
def dft(s):
    x = s.x * (s.window if s.has("window") else 1.0)
    k = np.arange(len(s.role("spec", s.args)))
    z = np.exp(-2j * np.pi * np.outer(k, np.arange(len(x))) / len(x)) @ x
    return {"spec": np.column_stack([z.real, z.imag]), "power_out": np.abs(z) ** 2 / len(x)}


@reference
def median(s):
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(s.img, 1, "edge"), (3, 3))
    m = np.median(windows, (2, 3))
    keep = np.abs(s.img - m) <= s.only if s.has("only") else np.zeros(m.shape, bool)
    return {"res": np.where(keep, s.img, m), "changed": [np.sum(~keep)]}


@reference
def integrate_rotation(s):
    turned, spins = [], []
    for i, (q, w) in enumerate(zip(s.q, s.w)):
        r = rotation_matrix(hat(q))
        if s.has("awake") and s.awake[i] == 0:
            turned.append(None)
            spins.append(np.zeros(3))
            continue
        w = w * (1 - s.drag * s.dt) if s.has("drag") else w
        angle = norm(w) * s.dt
        angle = angle if s.choice("method") else 2 * np.arctan(angle / 2)
        turned.append(rotation_about(hat(w) * angle) @ r)
        spins.append(w)
    want = signed_like(s, "q", [rotation_matrix(hat(q)) if t is None else t for t, q in zip(turned, s.q)])
    still = np.array([t is None for t in turned])[:, None]
    return {"q": np.where(still, s.q, want), "w_out": spins}


@reference
def points_to_world(s):
    owner = s.owner.astype(int)
    turn = np.array([rotation_matrix(hat(q)) for q in s.rot])[owner]
    p = s.p * (s.scale[owner][:, None] if s.has("scale") else 1.0)
    n = None
    if s.has("normals"):
        n = np.einsum("nij,nj->ni", turn, s.normals / np.linalg.norm(s.normals, axis=1)[:, None])
    return {"x": s.pos[owner] + np.einsum("nij,nj->ni", turn, p), "n": n}


@reference
def orientation_spring(s):
    torque, angle = [], []
    for q, goal, w in zip(s.q, s.goal, s.w):
        v = rotation_vector(rotation_matrix(hat(goal)) @ rotation_matrix(hat(q)).T)
        t = s.ke * v - s.kd * w
        if s.has("limit") and norm(t) > s.limit:
            t = hat(t) * s.limit
        torque.append(t)
        angle.append(norm(v))
    return {"tau": torque, "err": angle}


@reference
def keyframes(s):
    t = s.t * s.t * (3 - 2 * s.t) if s.choice("ease") == 0 else s.t
    rotations = []
    for a, b, u in zip(s.a, s.b, t):
        ra, rb = rotation_matrix(hat(a)), rotation_matrix(hat(b))
        if s.choice("blend") == 0:
            rotations.append(ra @ rotation_about(u * rotation_vector(ra.T @ rb)))
        else:
            a, b = hat(a), hat(b)
            rotations.append(rotation_matrix(hat((1 - u) * a + u * b * (1 if a @ b >= 0 else -1))))
    p = s.pa + t[:, None] * (s.pb - s.pa) if s.has("pa") else None
    return {"q": signed_like(s, "q", rotations), "p": p}


@reference
def contact_velocity(s):
    along, across = [], []
    for x, tw, arm, n in zip(s.x, s.tw, s.arm, s.n):
        v = tw[:3] + cross(tw[3:], rotation_matrix(hat(x[3:])) @ arm)
        vn = v @ hat(n)
        leaves = s.choice("approach") and vn > 0
        along.append(0.0 if leaves else vn)
        across.append(np.zeros(3) if leaves else v - vn * hat(n))
    return {"vn": along, "vt": across}


@reference
def euler_equations(s):
    acc = []
    for q, diag, w, tau in zip(s.q, s.diag, s.w, s.tau):
        r = rotation_matrix(hat(q))
        tensor = r @ np.diag(diag) @ r.T
        acc.append(np.linalg.solve(tensor, tau - np.cross(w, tensor @ w)))
    return {"alpha": acc, "rate": np.sum(s.tau * s.w, 1)}


@reference
def child_transform(s):
    def rigid(p):
        return pose_matrix(np.concatenate([p[:3], hat(p[3:])]))
    poses = []
    for anchor, owner, axis, angle in zip(s.anchor, s.owner, s.axis, s.angle):
        turn = np.eye(4)
        turn[:3, :3] = rotation_about(hat(axis) * (np.clip(angle, s.lo, s.hi) if s.has("lo") else angle))
        poses.append(rigid(s.parent[int(owner)]) @ rigid(anchor) @ turn)
    return {"child": poses_like(s, "child", poses)}


@reference
def turn_towards(s):
    rotations, aligned = [], []
    for q, p in zip(s.q, s.pos):
        r, want = rotation_matrix(hat(q)), s.goal - p
        if norm(want) < s.plan["choices"]["there"]:
            rotations.append(r)
            aligned.append(1)
            continue
        forward = r @ [0, 0, 1]
        axis = cross(forward, hat(want))
        angle = np.arctan2(norm(axis), forward @ hat(want))
        rotations.append(rotation_about(hat(axis) * min(angle, s.rate * s.dt)) @ r)
        aligned.append(angle <= s.rate * s.dt)
    return {"q": signed_like(s, "q", rotations), "aligned": aligned}


@reference
def covariance(s):
    w = (s.w if s.has("w") else np.ones(len(s.x))) * (s.active != 0 if s.has("active") else 1)
    d = s.x - s.centre
    return {"cov": [np.einsum("n,ni,nj->ij", w, d, d)], "total": [w.sum()]}


@reference
def solve_blocks(s):
    steps = []
    for h, g in zip(s.h, s.g):
        step = np.linalg.solve((h + h.T) / 2 + s.lam * np.eye(3), -g)
        steps.append(step * min(1, s.bound / norm(step)) if s.has("bound") else step)
    return {"step": steps, "ok": np.ones(len(steps))}


@reference
def frames(s):
    got, want = s.role("r", s.after), []
    for a, b in zip(s.a, s.b):
        q, r = np.linalg.qr(np.column_stack([a, b]))
        q = q * np.sign(np.diag(r))
        want.append(np.column_stack([q, np.cross(q[:, 0], q[:, 1])]))
    want = np.array(want)
    rows = np.allclose(got[0], want[0].T, atol=1e-6)
    return {"r": np.swapaxes(want, 1, 2) if rows else want, "q": None if rows else signed_like(s, "q", want)}


@reference
def kalman(s):
    f, h = np.array([[1, s.dt], [0, 1]]), np.array([[1.0, 0.0]])
    noise = s.q * np.array([[s.dt**3 / 3, s.dt**2 / 2], [s.dt**2 / 2, s.dt]])
    states, covariances, innovations = [], [], []
    for i, (x, p, z) in enumerate(zip(s.x, s.p, s.z)):
        x, p = f @ x, f @ p @ f.T + noise
        seen = not s.has("valid") or s.valid[i] != 0
        y = z - h @ x if seen else np.zeros(1)
        if seen:
            k = p @ h.T / (h @ p @ h.T + s.r)
            x, p = x + k @ y, (np.eye(2) - k @ h) @ p
        states.append(x)
        covariances.append(p)
        innovations.append(y[0])
    return {"x": states, "p": covariances, "innov": innovations}


@reference
def dense(s):
    y = s.x @ s.w + (s.b if s.has("b") else 0.0)
    forms = [lambda v: v, lambda v: np.maximum(v, 0), np.tanh, lambda v: v / (1 + np.exp(-v))]
    return {"y": forms[s.choice("activation")](y)}


@reference
def project(s):
    p = (s.x - s.eye) @ rotation_matrix(hat(s.cam))
    depth = -p[:, 2]
    seen = depth > s.near
    uv = s.focal * p[:, :2] / np.where(seen, depth, 1)[:, None] + s.centre
    return {"uv": np.where(seen[:, None], uv, 0.0), "z": np.where(seen, depth, 0.0), "vis": seen}
