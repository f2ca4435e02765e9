"""Schemes on periodic grids, with whole grids shifted by numpy."""

import numpy as np
from textbook import reference


def at(f, a, b):
    """The value at (i + a, j + b), around the border."""
    return np.roll(f, (-a, -b), (0, 1))


def laplacian(f, h):
    return (at(f, 1, 0) + at(f, -1, 0) + at(f, 0, 1) + at(f, 0, -1) - 4 * f) / h**2


@reference
def vorticity_step(s):
    w, psi, h = s.om, s.psi, s.h
    u, v = (at(psi, 0, 1) - at(psi, 0, -1)) / (2 * h), (at(psi, -1, 0) - at(psi, 1, 0)) / (2 * h)
    if s.choice("form"):
        wx = np.where(u > 0, w - at(w, -1, 0), at(w, 1, 0) - w) / h
        wy = np.where(v > 0, w - at(w, 0, -1), at(w, 0, 1) - w) / h
    else:
        wx, wy = (at(w, 1, 0) - at(w, -1, 0)) / (2 * h), (at(w, 0, 1) - at(w, 0, -1)) / (2 * h)
    rate = s.nu * laplacian(w, h) - u * wx - v * wy
    rate += (s.force if s.has("force") else 0) - (s.drag * w if s.has("drag") else 0)
    return {"om_out": w + s.dt * rate, "uv_out": np.stack([u, v], -1), "energy_sum": [np.sum(u**2 + v**2) / 2 * h**2]}


@reference
def tracer_rate(s):
    c, h = s.c, s.h

    def slope(a, b):
        return (at(c, -2 * a, -2 * b) - 8 * at(c, -a, -b) + 8 * at(c, a, b) - at(c, 2 * a, 2 * b)) / (12 * h)

    def second(a, b):
        return (-at(c, -2 * a, -2 * b) + 16 * at(c, -a, -b) - 30 * c + 16 * at(c, a, b) - at(c, 2 * a, 2 * b)) / (12 * h**2)
    cx, cy = slope(1, 0), slope(0, 1)
    rate = -s.uv[..., 0] * cx - s.uv[..., 1] * cy
    if s.has("kappa"):
        diagonal = at(c, 1, 1) + at(c, 1, -1) + at(c, -1, 1) + at(c, -1, -1) - 4 * c
        nine = 2 / 3 * laplacian(c, h) + diagonal / (6 * h**2)
        rate = rate + s.kappa * (nine if s.choice("mix") else second(1, 0) + second(0, 1))
    rate = rate - (s.decay * c if s.has("decay") else 0)
    live = s.mask == 1 if s.has("mask") else np.ones(c.shape, bool)
    return {"rate_out": np.where(live, rate, 0), "slope_out": np.where(live[..., None], np.stack([cx, cy], -1), 0)}


@reference
def wave_function_step(s):
    psi = s.re + 1j * s.im
    dens = np.abs(psi) ** 2
    potential = (s.well if s.has("well") else 0) + (s.g * dens if s.has("g") else 0)
    change = -1j * s.dt * (-laplacian(psi, s.h) / 2 + potential * psi)
    new = (psi + change).imag if s.choice("part") else (psi + change).real
    if s.has("sponge"):
        edge = np.ones(new.shape, bool)
        edge[1:-1, 1:-1] = False
        new = np.where(edge, new * s.sponge, new)
    return {"re_out": new, "density_out": dens, "norm": [dens.sum() * s.h**2]}


@reference
def ginzburg_landau(s):
    a = s.a[..., 0] + 1j * s.a[..., 1]
    new = a + s.dt * (a + (1 + 1j * s.b) * laplacian(a, s.h) - (1 + 1j * s.c) * np.abs(a) ** 2 * a)
    held = s.pinned == 1 if s.has("pinned") else np.zeros(a.shape, bool)
    new = np.where(held, a, new)
    return {"a_out": np.stack([new.real, new.imag], -1), "phase_out": np.angle(new)}


@reference
def flame_front_step(s):
    u, h = s.u, s.h
    gx, gy = (at(u, 1, 0) - at(u, -1, 0)) / (2 * h), (at(u, 0, 1) - at(u, 0, -1)) / (2 * h)
    lap = laplacian(u, h)
    rate = -lap - laplacian(lap, h) - 0.5 * (s.speed if s.has("speed") else 1) * (gx**2 + gy**2)
    rate = rate - (s.damp * u if s.has("damp") else 0)
    new = u + s.dt * rate
    return {"u_out": new, "slope_out": np.hypot(gx, gy), "high": [max(new.max(), 0)]}


@reference
def tissue_step(s):
    v, w = s.v, s.w
    wide = np.pad(v, 1, mode="edge")
    lap = (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:] - 4 * v) / s.h**2
    new = v + s.dt * (v * (1 - v) * (v - s.a) - w + s.diff * lap)
    if s.has("stim"):
        new = np.where(s.stim == 1, np.maximum(new, 1), new)
    gamma = s.plan["choices"].get("gamma")
    slow = w + s.dt * s.eps * (v - gamma * w)
    dead = s.scar == 1 if s.has("scar") else np.zeros(v.shape, bool)
    return {"v_out": np.where(dead, 0, new), "w_out": np.where(dead, w, slow), "fired": [np.sum((v < 0.5) & (new >= 0.5) & ~dead)]}


@reference
def curl_and_divergence(s):
    def d(axis):
        return (np.roll(s.b, -1, axis) - np.roll(s.b, 1, axis)) / (2 * s.h)
    dx, dy, dz = d(0), d(1), d(2)
    curl = np.stack([dy[..., 2] - dz[..., 1], dz[..., 0] - dx[..., 2], dx[..., 1] - dy[..., 0]], -1)
    div = dx[..., 0] + dy[..., 1] + dz[..., 2]
    return {"curl_out": curl, "div_out": div, "helix": [np.sum(curl * s.b) * s.h**3], "worst": [np.abs(div).max()]}


@reference
def elastic_wave_step(s):
    (vx, vy), (sx, sy, sxy) = np.moveaxis(s.vel, -1, 0), np.moveaxis(s.tau, -1, 0)
    k, n = s.dt / s.h, len(vx)
    damp = np.ones(vx.shape)
    if s.has("sponge"):
        damp[[0, 1, n - 2, n - 1]] = s.sponge
    if s.choice("stage"):
        exx, eyy = vx - at(vx, -1, 0), vy - at(vy, 0, -1)
        exy = at(vx, 0, 1) - vx + at(vy, 1, 0) - vy
        full = s.lam + 2 * s.mu
        tau = np.stack([sx + k * (full * exx + s.lam * eyy), sy + k * (s.lam * exx + full * eyy), sxy + k * s.mu * exy], -1) * damp[..., None]
        return {"vel_out": s.vel, "tau_out": tau, "peak": [np.linalg.norm(s.vel, axis=-1).max()]}
    rho = s.rho if s.has("rho") else 1
    ax = at(sx, 1, 0) - sx + sxy - at(sxy, 0, -1)
    ay = sxy - at(sxy, -1, 0) + at(sy, 0, 1) - sy
    vel = (s.vel + k * np.stack([ax / rho, ay / rho], -1)) * damp[..., None]
    return {"vel_out": vel, "tau_out": s.tau, "peak": [np.linalg.norm(vel, axis=-1).max()]}
