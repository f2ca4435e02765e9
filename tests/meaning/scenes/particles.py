"""Scenes of particles, from the textbook: s.x is the role x before the launch; what is returned is compared by role."""

import numpy as np
from textbook import hat, norm, reference


def spiky_slope(r, h):
    return -45 / (np.pi * h**6) * (h - r) ** 2


@reference
def sph_pressure(s):
    n = len(s.x)
    acc, hits = np.zeros((n, 3)), np.zeros(n)
    for i in range(n):
        if s.has("fixed") and s.fixed[i] == 1:
            continue
        for j in range(n):
            d = s.x[i] - s.x[j]
            r = norm(d)
            if i == j or r >= s.h or r < 1e-5:
                continue
            term = s.p[i] / s.rho[i] ** 2 + s.p[j] / s.rho[j] ** 2
            acc[i] += -s.m[j] * term * spiky_slope(r, s.h) * d / r
            hits[i] += 1
        if s.has("g"):
            acc[i] += s.g
    return {"acc": acc, "hits": hits}


@reference
def sph_viscosity(s):
    n = len(s.x)
    acc = np.zeros((n, 3))
    for i in range(n):
        for j in range(n):
            r = norm(s.x[i] - s.x[j])
            if i != j and r < s.h:
                laplacian = 45 / (np.pi * s.h**6) * (s.h - r)
                acc[i] += s.mu * s.m[j] * (s.v[j] - s.v[i]) / (s.rho[i] * s.rho[j]) * laplacian
    return {"acc": acc}


@reference
def nbody_gravity(s):
    d = s.x[None, :] - s.x[:, None]
    r2 = np.sum(d**2, -1) + s.eps**2
    g = s.big_g if s.has("big_g") else 1.0
    pull = g * np.sum(s.m[None, :, None] * d / r2[..., None] ** 1.5, 1)
    pot = s.m[None, :] / np.sqrt(r2)
    np.fill_diagonal(pot, 0.0)
    return {"acc": pull, "phi": -g * pot.sum(1)}


@reference
def verlet_trap(s):
    x, v = s.x.copy(), s.v.copy()
    for i in range(len(x)):
        if s.has("pinned") and s.pinned[i] != 0:
            continue
        rate = -s.k * s.w[i]
        new = s.x[i] + s.v[i] * s.dt + rate * s.x[i] * s.dt**2 / 2
        vel = s.v[i] + (rate * s.x[i] + rate * new) / 2 * s.dt
        if s.has("half"):
            out = np.abs(new) > s.half
            vel = np.where(out, -np.sign(new) * np.abs(vel), vel)
            new = np.clip(new, -s.half, s.half)
        x[i], v[i] = new, vel
    return {"x": x, "v": v}


@reference
def sphere_contacts(s):
    dv, jn = np.zeros_like(s.v), np.zeros(len(s.pair))
    slop = 0.0 if s.choice("slop") else 0.01
    for c, (a, b) in enumerate(s.pair):
        d = s.x[b] - s.x[a]
        if a == b or norm(d) - s.r[a] - s.r[b] > slop or norm(d) < 1e-6:
            continue
        closing = np.dot(s.v[b] - s.v[a], hat(d))
        if closing >= 0:
            continue
        jn[c] = (1 + s.e) * -closing / (s.w[a] + s.w[b])
        dv[a] -= jn[c] * s.w[a] * hat(d)
        dv[b] += jn[c] * s.w[b] * hat(d)
    return {"dv": dv, "impulses": jn}


@reference
def boris_particles(s):
    x, v = s.x.copy(), s.v.copy()
    for i in range(len(x)):
        kick = s.q[i] * s.dt / (2 * s.m[i])
        bx, by, bz = kick * s.b[i]
        spin = np.array([[0, bz, -by], [-bz, 0, bx], [by, -bx, 0]])
        v[i] = np.linalg.solve(np.eye(3) - spin, (np.eye(3) + spin) @ (s.v[i] + kick * s.e[i])) + kick * s.e[i]
        x[i] += v[i] * s.dt
    return {"x": x, "v": v, "energy_out": s.m * np.sum(v**2, -1) / 2}


@reference
def lennard_jones(s):
    n = len(s.x)
    f, u = np.zeros((n, 3)), np.zeros(n)
    for i in range(n):
        for j in range(n):
            d = s.x[i] - s.x[j]
            d = d - s.box * np.round(d / s.box)
            if i == j or d @ d > s.cut**2:
                continue
            r2 = max(d @ d, 0.49 * s.sigma**2)
            f[i] += 4 * s.eps * (12 * s.sigma**12 / r2**7 - 6 * s.sigma**6 / r2**4) * d
            u[i] += 2 * s.eps * ((s.sigma**2 / r2) ** 6 - (s.sigma**2 / r2) ** 3)
    return {"f": f, "u": u}


@reference
def pbd_stretch(s):
    out = s.x.copy()
    for i in range(len(out)):
        j = s.other[i]
        d = s.x[i] - s.x[j]
        c = norm(d) - s.rest[i]
        if i == j or norm(d) < 1e-6 or (s.choice("rope") and c <= 0):
            continue
        out[i] -= s.relax * s.w[i] / (s.w[i] + s.w[j]) * c * hat(d)
    return {"x_out": out}
