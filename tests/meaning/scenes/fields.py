"""Fields on grids, from the textbook."""

import numpy as np
from textbook import reference

DIRECTIONS = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]


def weno5(v):
    """The right face value of the middle cell from five cell averages, Jiang and Shu."""
    a, b, c, d, e = v
    smooth = [13 / 12 * (a - 2 * b + c) ** 2 + (a - 4 * b + 3 * c) ** 2 / 4, 13 / 12 * (b - 2 * c + d) ** 2 + (b - d) ** 2 / 4,
              13 / 12 * (c - 2 * d + e) ** 2 + (3 * c - 4 * d + e) ** 2 / 4]
    faces = [a / 3 - 7 * b / 6 + 11 * c / 6, -b / 6 + 5 * c / 6 + d / 3, c / 3 + 5 * d / 6 - e / 6]
    w = [k / (1e-6 + s) ** 2 for k, s in zip((0.1, 0.6, 0.3), smooth)]
    return sum(x * f for x, f in zip(w, faces)) / sum(w)


@reference
def weno_advect(s):
    backward = s.has("back") and s.back == 1
    q = s.q[::-1] if backward else s.q  # the mirror image moves the other way
    face = weno5([np.roll(q, k) for k in (2, 1, 0, -1, -2)])
    qn = q - s.cfl * (face - np.roll(face, 1))
    qn = qn * (1 - s.decay) if s.has("decay") else qn
    if backward:
        return {"qn": qn[::-1], "flux_out": -s.speed * np.roll(face, 1)[::-1]}
    return {"qn": qn, "flux_out": s.speed * face}


@reference
def prolong(s):
    height, width = s.fine.shape

    def along(n):
        """Weights of coarse cells for n fine ones: three quarters of the own one, a quarter of the nearer neighbour."""
        w = np.zeros((n, 24))
        for i in range(n):
            x = (i + 0.5) / 2 - 0.5
            low = int(np.floor(x))
            for k, share in ((low, 1 - (x - low)), (low + 1, x - low)):
                w[i, min(max(k, 0), 23)] += share
        return w

    if s.choice("order") == 0:
        corr = along(height) @ s.coarse @ along(width).T
    else:
        corr = np.kron(s.coarse, np.ones((2, 2)))[:height, :width]
    corr = corr * (s.damp if s.has("damp") else 1.0)
    free = s.solid == 0 if s.has("solid") else np.ones_like(corr, bool)
    return {"res": np.where(free, s.fine + corr, s.fine), "touched": [np.sum(free & (abs(corr) > float(s.plan["choices"].get("cut", 0))))]}


@reference
def restrict_residual(s):
    height, width = s.u.shape
    mirrored = s.choice("edge") == 0
    mode = {"mode": "edge"} if mirrored else {"mode": "constant"}
    u = np.pad(s.u, 1, **mode)
    k = np.pad(s.kap if s.has("kap") and mirrored else np.ones_like(s.u), 1, mode="edge")
    lap = np.zeros_like(s.u)
    for di, dj in DIRECTIONS[1:5]:
        there = (slice(1 + di, 1 + di + height), slice(1 + dj, 1 + dj + width))
        lap += (k[there] + k[1:-1, 1:-1]) / 2 * (u[there] - s.u)
    r = s.f + lap / s.dx**2
    if s.has("pinned"):
        r = np.where(s.pinned == 1, 0, r)
    big = np.zeros((48, 48))
    big[:height, :width] = r
    return {"coarse": big.reshape(24, 2, 24, 2).mean((1, 3)), "r_out": r, "norm_sq": [np.sum(r**2)]}


@reference
def lbm_stream(s):
    height, width, _ = s.f.shape
    new = np.zeros_like(s.f)
    for i in range(height):
        for j in range(width):
            for k, (ex, ey) in enumerate(DIRECTIONS):
                back = DIRECTIONS.index((-ex, -ey))
                si, sj = i - ex, j - ey
                outside = not (0 <= si < height and 0 <= sj < width)
                closed = s.wall[si % height, sj % width] == 1 or (outside and s.choice("edge") == 1)
                new[i, j, k] = s.f[i, j, back] if closed else s.f[si % height, sj % width, k]
    new[s.wall == 1] = 0
    mom = new @ np.array(DIRECTIONS, float)
    if s.has("push"):
        mom[..., 0] += s.push * (s.wall == 0)
    return {"f_new": new, "rho_out": new.sum(2), "mom_out": mom}


@reference
def mac_project(s):
    solid = np.pad(s.solid, ((1, 0), (1, 0)), constant_values=1)
    p = np.pad(s.p, ((1, 0), (1, 0)))
    k = s.dt / (s.rho * s.dx)
    u = np.where((s.solid == 1) | (solid[:-1, 1:] == 1), 0, s.u - k * (s.p - p[:-1, 1:]))
    v = np.where((s.solid == 1) | (solid[1:, :-1] == 1), 0, s.v - k * (s.p - p[1:, :-1]))
    top = [max(s.fastest[0], abs(u).max(), abs(v).max())] if s.has("fastest") else None
    return {"u": u, "v": v, "fastest": top}


@reference
def eikonal_sweep(s):
    mode = {"mode": "edge"} if s.choice("edge") == 0 else {"constant_values": 1e6}
    t = np.pad(s.t, 1, **mode)
    a = np.minimum(t[:-2, 1:-1], t[2:, 1:-1])
    b = np.minimum(t[1:-1, :-2], t[1:-1, 2:])
    f = s.s * s.dx
    # the larger root of (x - a)^2 + (x - b)^2 = f^2, if it is above both; else along one axis
    root = (a + b + np.sqrt(np.maximum((a + b) ** 2 - 2 * (a * a + b * b - f * f), 0))) / 2
    best = np.where(root > np.maximum(a, b), root, np.minimum(a, b) + f)
    new, moved, change = np.minimum(s.t, best), best < s.t, np.maximum(s.t - best, 0)
    for role, value in (("block", s.t), ("source", 0.0)):
        if s.has(role):
            there = s.role(role, s.args) == 1
            new, moved, change = np.where(there, value, new), moved & ~there, np.where(there, 0, change)
    return {"t_new": new, "moved": [moved.sum()], "change": [change.sum()]}


@reference
def reinitialize(s):
    p = np.pad(s.phi, 1, mode="edge")
    c = p[1:-1, 1:-1]
    sgn = s.phi0 / np.sqrt(s.phi0**2 + s.dx**2)

    def part(back, ahead):
        up = np.maximum(np.maximum(back, 0) ** 2, np.minimum(ahead, 0) ** 2)
        down = np.maximum(np.minimum(back, 0) ** 2, np.maximum(ahead, 0) ** 2)
        return np.where(sgn > 0, up, down)

    g = np.sqrt(part((c - p[:-2, 1:-1]) / s.dx, (p[2:, 1:-1] - c) / s.dx) + part((c - p[1:-1, :-2]) / s.dx, (p[1:-1, 2:] - c) / s.dx))
    near = abs(s.phi0) <= s.band if s.has("band") else np.ones_like(g, bool)
    return {"phi_new": np.where(near, s.phi - s.cfl * s.dx * sgn * (g - 1), s.phi), "err": [np.sum(abs(g - 1)[near])], "cells_in": [near.sum()]}


@reference
def cahn_hilliard(s):
    def laplacian(a):
        return (sum(np.roll(a, d, x) for d in (1, -1) for x in (0, 1)) - 4 * a) / s.h**2

    mu = s.c**3 - s.c - s.kappa * laplacian(s.c)
    rate = s.mobility * laplacian(mu) - (s.decay * s.c if s.has("decay") else 0.0)
    return {"c_new": s.c + s.dt * rate, "mu_out": mu}


@reference
def euler_hll(s):
    g = 1.4
    mirror = np.array([1.0, -1.0, 1.0])
    walls = s.has("closed") and s.closed == 1
    u = np.vstack([s.u[:1] * (mirror if walls else 1), s.u, s.u[-1:] * (mirror if walls else 1)])
    rho, v = u[:, 0], u[:, 1] / u[:, 0]
    p = (g - 1) * (u[:, 2] - rho * v**2 / 2)
    c = np.sqrt(g * np.maximum(p, 1e-4) / rho)
    f = np.stack([rho * v, rho * v**2 + p, v * (u[:, 2] + p)], 1)
    lo, hi = np.minimum(v - c, np.roll(v - c, -1))[:-1, None], np.maximum(v + c, np.roll(v + c, -1))[:-1, None]
    mixed = (hi * f[:-1] - lo * f[1:] + lo * hi * (u[1:] - u[:-1])) / (hi - lo)
    face = np.where(lo >= 0, f[:-1], np.where(hi <= 0, f[1:], mixed))
    return {"u_new": s.u + s.dt / s.dx * (face[:-1] - face[1:]), "p_out": p[1:-1]}


@reference
def pipe_outflow(s):
    height, width = s.d.shape
    depth = s.d + (s.rain if s.has("rain") else 0.0)
    flux = np.zeros_like(s.fl)
    for i in range(height):
        for j in range(width):
            for k, (a, b) in enumerate(((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))):
                if 0 <= a < height and 0 <= b < width:
                    fall = s.zb[i, j] + depth[i, j] - s.zb[a, b] - s.d[a, b]
                elif s.choice("edge") == 1:
                    fall = depth[i, j]
                else:
                    continue
                kept = s.fl[i, j, k] * (s.damp if s.has("damp") else 1.0)
                flux[i, j, k] = max(0.0, kept + s.dt * s.area * 9.81 * fall / s.dx)
    total = flux.sum(2)
    most = depth * s.dx**2 / s.dt
    flux = flux * np.where(total > most, most / np.maximum(total, 1e-30), 1.0)[..., None]
    edge = np.zeros((height, width), bool)
    edge[0], edge[:, 0] = True, True
    return {"fl_new": flux, "lost": [np.sum(flux.sum(2)[edge]) * s.dt]}


@reference
def sandpile(s):
    packets = s.g // 4 if s.choice("rule") == 0 else (s.g >= 4) * 1
    around = np.pad(packets, 1)
    got = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]
    n = s.g - 4 * packets + got
    if s.has("drop_i") and s.has("drop_j") and s.drop_i < len(n) and s.drop_j < n.shape[1]:
        n[s.drop_i, s.drop_j] += 1
    live = s.sink == 0 if s.has("sink") else np.ones_like(n, bool)
    ends = np.zeros(n.shape)
    ends[[0, -1]] += 1
    ends[:, [0, -1]] += 1
    return {"g_new": n * live, "topples": [np.sum((packets > 0) & live)], "edge_loss": [np.sum(packets * ends * live)]}
