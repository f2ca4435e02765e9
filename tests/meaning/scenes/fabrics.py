"""Scenes of cloth, grains and fluids. Forces are checked as slopes of energies."""

import numpy as np
from textbook import hat, norm, reference


@reference
def xpbd_springs(s):
    dx, lam, gap = np.zeros_like(s.x), s.lam.copy(), np.zeros(len(s.ends))
    for k, (i, j) in enumerate(s.ends):
        d = s.x[i] - s.x[j]
        if i == j or norm(d) < 1e-4 or (s.has("tear") and norm(d) > s.tear * s.rest[k]):
            continue
        gap[k] = norm(d) - s.rest[k]
        soft = s.alpha / s.dt**2
        # the damping coefficient of the paper: compliance times damping over the step
        gamma = s.alpha * s.beta / s.dt if s.has("beta") else 0.0
        moved = hat(d) @ (s.x[i] - s.old[i] - s.x[j] + s.old[j]) if s.has("beta") else 0.0
        step = -(gap[k] + soft * lam[k] + gamma * moved) / ((1 + gamma) * (s.w[i] + s.w[j]) + soft)
        lam[k] += step
        dx[i] += s.w[i] * step * hat(d)
        dx[j] -= s.w[j] * step * hat(d)
    return {"dx": dx, "lam": lam, "gap_out": gap}


@reference
def cloth_membrane(s):
    pattern = np.stack([s.uv[s.tri[:, 1]] - s.uv[s.tri[:, 0]], s.uv[s.tri[:, 2]] - s.uv[s.tri[:, 0]]], -1)
    det = np.linalg.det(pattern)
    good = np.abs(det) >= 0.5
    inverse = np.linalg.inv(np.where(good[:, None, None], pattern, np.eye(2)))

    def gradient(p):
        return np.stack([p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]], -1) @ inverse

    def energy(p):
        f = gradient(p)
        e = (np.swapaxes(f, 1, 2) @ f - np.eye(2)) / 2
        return np.abs(det) / 2 * (s.mu * np.sum(e**2, (1, 2)) + s.lam / 2 * np.trace(e, axis1=1, axis2=2) ** 2)
    p = s.x[s.tri]
    force, h = np.zeros_like(p), 1e-5
    for k in range(3):
        for axis in range(3):
            step = np.zeros_like(p)
            step[:, k, axis] = h
            force[:, k, axis] = -(energy(p + step) - energy(p - step)) / (2 * h)
    f = np.zeros_like(s.x)
    np.add.at(f, s.tri[good], force[good])
    stretched = np.sqrt(np.abs(np.linalg.det(np.swapaxes(gradient(p), 1, 2) @ gradient(p))))
    return {"f": f, "energy_out": np.where(good, energy(p), 0.0), "area_ratio": np.where(good, stretched, 0.0)}


@reference
def cloth_wind(s):
    f, power = np.zeros_like(s.x), 0.0
    for t, tri in enumerate(s.tri):
        p, vm = s.x[tri], s.v[tri].mean(0)
        n = np.cross(p[1] - p[0], p[2] - p[0]) / 2
        air = np.asarray(s.wind) * (s.gust[t] if s.has("gust") else 1.0) - vm
        if norm(n) < 0.01 or norm(air) < s.plan["choices"]["calm"]:
            continue
        cosine = abs(hat(n) @ hat(air))
        head = s.rho / 2 * norm(air) ** 2 * norm(n)
        force = s.cd * head * cosine * hat(air)
        # lift: across the flow, on the side to which the wind pushes the face
        facing = hat(n) * (1 if n @ air >= 0 else -1)
        aside = facing - hat(air) * (facing @ hat(air))
        if s.has("cl") and norm(aside) * norm(air) ** 2 > 1e-4:
            force = force + s.cl * head * cosine * np.sqrt(1 - cosine**2) * hat(aside)
        f[tri[0]] += force / 3
        f[tri[1]] += force / 3
        f[tri[2]] += force / 3
        power += force @ vm
    return {"f": f, "power_out": [power]}


@reference
def dem_forces(s):
    n = len(s.x)
    force, torque, near = np.outer(s.m, [0, -9.81, 0]), np.zeros((n, 3)), np.zeros(n)
    for i in range(n):
        gaps = np.linalg.norm(s.x[i] - s.x, axis=1) - s.r[i] - s.r
        for j in np.flatnonzero(gaps < 0):
            if i == j:
                continue
            near[i] += 1
            u = hat(s.x[i] - s.x[j])
            # both surfaces at the contact: arms from the centres
            slip = s.v[i] + np.cross(s.w[i], -s.r[i] * u) - s.v[j] - np.cross(s.w[j], s.r[j] * u)
            vn = slip @ u
            vt = slip - vn * u
            press = max(-s.kn * gaps[j] - s.cn * vn, 0.0)
            drag = -min(s.ct * norm(vt), s.mu * press) * hat(vt)
            force[i] += press * u + drag
            torque[i] += np.cross(-s.r[i] * u, drag)
            if s.has("roll"):
                torque[i] -= s.roll * press * s.r[i] * hat(s.w[i] - s.w[j])
        if s.has("floor_y"):
            lap = s.floor_y + s.r[i] - s.x[i][1]
            if lap > 0:
                near[i] += 1
                force[i][1] += max(s.kn * lap - s.cn * s.v[i][1], 0.0)
    return {"f": force, "tau": torque, "near": near}


@reference
def lbm_step(s):
    c = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    back = [int(np.flatnonzero(np.all(c == -d, 1))[0]) for d in c]
    wall = s.solid == 1
    g = np.zeros_like(s.f)
    for k, (a, b) in enumerate(c):
        blocked = np.roll(wall, (a, b), (0, 1))
        g[..., k] = np.where(blocked, s.f[..., back[k]], np.roll(s.f[..., k], (a, b), (0, 1)))
    rho = g.sum(-1)
    u = g @ c / rho[..., None]
    if s.has("push"):
        u[..., 0] += s.tau * s.push / rho
    cu = u @ c.T
    eq = w * rho[..., None] * (1 + 3 * cu + 9 / 2 * cu**2 - 3 / 2 * np.sum(u**2, -1)[..., None])
    free = ~wall
    return {"f_out": np.where(free[..., None], g + (eq - g) / s.tau, 0.0), "rho_out": np.where(free, rho, 0.0), "u_out": np.where(free[..., None], u, 0.0)}


@reference
def maccormack(s):
    n, m = s.phi.shape
    out, clipped = s.phi.copy(), 0
    for i in range(n):
        for j in range(m):
            if s.has("solid") and s.solid[i, j] == 1:
                continue
            x, y = np.clip(i - s.dt * s.vx[i, j], 0, n - 1), np.clip(j - s.dt * s.vy[i, j], 0, m - 1)
            box = s.phi[int(x):int(x) + 2, int(y):int(y) + 2]
            best = s.fwd[i, j] + (s.phi[i, j] - s.bwd[i, j]) / 2
            over = not box.min() <= best <= box.max()
            clipped += over
            out[i, j] = (np.clip(best, box.min(), box.max()) if s.choice("limiter") == 0 else s.fwd[i, j]) if over else best
    return {"out_phi": out, "clipped": [clipped]}


@reference
def vortex_confinement(s):
    h = 2 * s.dx
    inner = (slice(2, -2), slice(2, -2))
    curl = np.zeros_like(s.vx)
    curl[1:-1, 1:-1] = (s.vy[2:, 1:-1] - s.vy[:-2, 1:-1] - s.vx[1:-1, 2:] + s.vx[1:-1, :-2]) / h
    size = np.abs(curl)
    gx, gy = (size[3:-1, 2:-2] - size[1:-3, 2:-2]) / h, (size[2:-2, 3:-1] - size[2:-2, 1:-3]) / h
    l = np.hypot(gx, gy)
    scale = np.where(l < 1e-4, 0.0, s.eps * s.dx * s.dt * curl[inner] / np.where(l < 1e-4, 1, l))
    vx, vy, out = s.vx.copy(), s.vy.copy(), np.zeros_like(s.vx)
    vx[inner] += gy * scale
    vy[inner] -= gx * scale
    out[inner] = curl[inner]
    return {"vx_out": vx, "vy_out": vy, "vorticity": out}
