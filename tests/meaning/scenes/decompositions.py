"""Scenes of small matrices, from the textbook, on numpy's own linear algebra."""

import numpy as np
from textbook import hat, norm, reference, rotation_matrix


@reference
def polyfit_cholesky(s):
    coef, sse = [], []
    for r in range(len(s.x)):
        w = s.w[r] if s.has("w") else np.ones(s.x.shape[1])
        basis = np.vander(s.x[r], 4, increasing=True)
        # the ridge as four more equations
        rows = np.vstack([basis * np.sqrt(w)[:, None], np.sqrt(s.ridge) * np.eye(4)])
        c = np.linalg.lstsq(rows, np.append(s.y[r] * np.sqrt(w), np.zeros(4)), rcond=None)[0]
        coef.append(c), sse.append(np.sum((s.y[r] - basis @ c) ** 2))
    return {"coef": coef, "sse": sse}


@reference
def qr_solve(s):
    x, cond = [], []
    for a, b in zip(s.a, s.b):
        m = a + s.shift * np.eye(3)
        d = np.abs(np.diag(np.linalg.qr(m)[1]))
        good = d.min() >= s.plan["choices"]["rank"] * d.max()
        x.append(np.linalg.solve(m, b) if good else np.zeros(3))
        cond.append(d.max() / d.min() if good else -1)
    return {"x_out": x, "cond": cond}


@reference
def cloud_normals(s):
    normals, curv, linear, num = [], [], [], []
    for p in s.x:
        near = s.x[np.linalg.norm(s.x - p, axis=1) < s.reach]
        num.append(len(near))
        if len(near) < s.choice("few"):
            normals.append(np.zeros(3)), curv.append(0.0), linear.append(0.0)
            continue
        values, vectors = np.linalg.eigh(np.cov(near.T, bias=True))
        n = vectors[:, 0] * (-1 if vectors[:, 0] @ (s.eye - p) < 0 else 1)
        if len(near) == 3:  # a plane through three points has no spread; rounding decides the rest
            values[0] = 0.0
        normals.append(n), curv.append(values[0] / values.sum()), linear.append(1 - values[1] / values[2])
    return {"n_out": normals, "curv": curv, "linear": linear, "num": num}


@reference
def kabsch(s):
    groups = len(s.start) - 1
    rot, shift, rms = np.tile(np.eye(3), (groups, 1, 1)), np.zeros((groups, 3)), np.zeros(groups)
    for g, (a, b) in enumerate(zip(s.start[:-1], s.start[1:])):
        if b - a < 4:
            continue
        p, q = s.p[a:b], s.target[a:b]
        w = s.w[a:b] if s.has("w") else np.ones(b - a)
        pc, qc = w @ p / w.sum(), w @ q / w.sum()
        u, _, vt = np.linalg.svd((p - pc).T @ (w[:, None] * (q - qc)))
        rot[g] = vt.T @ np.diag([1, 1, np.linalg.det(vt.T @ u.T)]) @ u.T
        shift[g] = qc - rot[g] @ pc
        rms[g] = np.sqrt(np.mean(np.sum(((p - pc) @ rot[g].T + qc - q) ** 2, 1)))
    return {"rot_out": rot, "shift_out": shift, "rms": rms}


@reference
def compound_inertia(s):
    n = len(s.start) - 1
    mass, com, inertia, inverse = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
    for b in range(n):
        parts = range(s.start[b], s.start[b + 1])
        mass[b] = sum(s.m[k] for k in parts)
        if mass[b] == 0:
            continue
        com[b] = sum(s.m[k] * s.at[k] for k in parts) / mass[b]
        for k in parts:
            h, m = s.half[k], s.m[k]
            # second moments of the mass along the axes of the shape
            if s.shape[k] == 0:
                moments = m * h**2 / 3
            elif s.shape[k] == 1:
                moments = np.full(3, m * h[0] ** 2 / 5)
            else:
                moments = m * np.array([h[0] ** 2 / 4, h[1] ** 2 / 3, h[0] ** 2 / 4])
            r = rotation_matrix(s.q[k]) if s.has("q") else np.eye(3)
            d = s.at[k] - com[b]
            spread = r @ np.diag(moments) @ r.T + m * np.outer(d, d)
            inertia[b] += np.trace(spread) * np.eye(3) - spread
        inverse[b] = np.linalg.inv(inertia[b])
    return {"mass_out": mass, "com_out": com, "inertia_out": inertia, "inverse_out": inverse}


@reference
def polar_newton(s):
    rot, stretch, vol = [], [], []
    for f in s.f:
        a = np.eye(3) + f
        if np.linalg.det(a) < s.plan["choices"]["inverted"]:
            rot.append(np.eye(3)), stretch.append(np.eye(3)), vol.append(np.linalg.det(a))
            continue
        u, sigma, vt = np.linalg.svd(a)
        rot.append(u @ vt), stretch.append(vt.T @ np.diag(sigma) @ vt), vol.append(np.linalg.det(a))
    return {"rot_out": rot, "stretch_out": stretch, "vol": vol}


def wrapped(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


@reference
def ekf_landmark(s):
    poses, covs, used = [], [], []
    for x, p, z_r, z_b in zip(s.pose, s.cov, s.z_range, s.z_bearing):
        x, p, n = x.copy(), p.copy(), 0
        for which in range(2):
            d = s.landmark - x[:2]
            r = norm(d)
            if r < 0.5:
                continue
            if which == 0:
                h, innovation, noise = np.array([-d[0] / r, -d[1] / r, 0]), z_r - r, s.range_var
            else:
                h, noise = np.array([d[1] / r**2, -d[0] / r**2, -1]), s.bearing_var
                innovation = wrapped(z_b - (np.arctan2(d[1], d[0]) - x[2]))
            variance = h @ p @ h + noise
            if s.has("gate") and innovation**2 / variance > s.gate:
                continue
            gain = p @ h / variance
            x = x + gain * innovation
            p = (np.eye(3) - np.outer(gain, h)) @ p
            n += 1
        x[2] = wrapped(x[2])
        poses.append(x), covs.append(p), used.append(n)
    return {"pose": poses, "cov": covs, "used": used}


@reference
def vertex_pipeline(s):
    screen, depth, codes = [], [], []
    rot, shift, aspect = rotation_matrix(s.model[3:]), s.model[:3], s.aspect if s.has("aspect") else 1.0
    for x in s.x:
        p = rot @ x + shift - [0, 0, s.plan["choices"]["back"]]
        w = -p[2]
        # inside the pyramid, by angles; in front of the near plane, by distance
        side, top = s.focal / aspect * p[0], s.focal * p[1]
        code = (side < -w) + 2 * (side > w) + 4 * (top < -w) + 8 * (top > w) + 16 * (w < s.near)
        codes.append(code)
        if code & 16:
            screen.append([-1, -1]), depth.append(0.0)
            continue
        screen.append([(side / w + 1) / 2 * s.window[0], (1 - top / w) / 2 * s.window[1]])
        depth.append(s.far * (w - s.near) / (w * (s.far - s.near)))
    return {"screen": screen, "depth_out": depth, "code_out": codes, "seen": [codes.count(0)]}


@reference
def quadric_costs(s):
    cost, place, stuck = [], [], []
    for ends in s.ends:
        mid = s.x[ends].mean(0)
        faces = [f for v in ends for f in s.fan[s.start[v]:s.start[v + 1]]]
        n = np.array([hat(s.normal_of[f]) for f in faces]).reshape(-1, 3)
        along = np.array([hat(s.normal_of[f]) @ s.x[s.point_of[f]] for f in faces])
        # least squares: distances to all planes and, weakly, to the middle
        rows, rhs = np.vstack([n, np.sqrt(0.02) * np.eye(3)]), np.append(along, np.sqrt(0.02) * mid)
        flat = abs(np.linalg.det(rows.T @ rows)) <= s.plan["choices"]["flat"]
        v = mid if flat else np.linalg.lstsq(rows, rhs, rcond=None)[0]
        cost.append(np.sum((rows @ v - rhs) ** 2)), place.append(v), stuck.append(flat)
    return {"cost": cost, "place": place, "stuck": stuck}


@reference
def bundle_residuals(s):
    res, jtj, jtr, loss = np.zeros_like(s.seen), np.zeros((len(s.rvec), 3, 3)), np.zeros((len(s.rvec), 3)), 0.0
    for k, (c, i) in enumerate(zip(s.cam_id, s.point_id)):
        w = s.rvec[c]
        angle, axis = norm(w), hat(w)
        x = s.x[i]
        turned = x * np.cos(angle) + np.cross(axis, x) * np.sin(angle) + axis * (axis @ x) * (1 - np.cos(angle))

        def image(t):
            p = turned + t + [0, 0, s.plan["choices"]["away"]]
            return p[:2] / p[2], p[2]
        uv, z = image(s.tvec[c])
        if z < 0.5:
            continue
        res[k] = uv - s.seen[k]
        size = norm(res[k])
        weight = min(1.0, s.huber / size) if s.has("huber") else 1.0
        h = 1e-5
        jac = np.column_stack([(image(s.tvec[c] + h * e)[0] - image(s.tvec[c] - h * e)[0]) / (2 * h) for e in np.eye(3)])
        jtj[c] += weight * jac.T @ jac
        jtr[c] += weight * jac.T @ res[k]
        loss += weight * size**2 / 2
    return {"res": res, "jtj": jtj, "jtr": jtr, "loss_out": [loss]}


@reference
def block_thomas(s):
    rows, n = s.rhs.shape[:2]
    sol = []
    for r in range(rows):
        m = np.zeros((2 * n, 2 * n))
        for c in range(n):
            m[2 * c:2 * c + 2, 2 * c:2 * c + 2] = s.diag_b[r, c] + s.shift * np.eye(2)
            if c:
                m[2 * c:2 * c + 2, 2 * c - 2:2 * c] = s.low[r, c]
            if c < n - 1:
                m[2 * c:2 * c + 2, 2 * c + 2:2 * c + 4] = s.up[r, c]
        sol.append(np.linalg.solve(m, s.rhs[r].ravel()).reshape(n, 2))
    return {"sol": sol, "norm_out": np.linalg.norm(sol, axis=2).max(1)}
