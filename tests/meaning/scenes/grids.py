"""Scenes on grids, from the textbook."""

import numpy as np
from textbook import reference


def shifted(u, di, dj, how):
    """u at (i + di, j + dj): clamped to the grid, or around it."""
    i, j = np.indices(u.shape[:2])
    if how == "clamp":
        return u[np.clip(i + di, 0, u.shape[0] - 1), np.clip(j + dj, 0, u.shape[1] - 1)]
    return u[(i + di) % u.shape[0], (j + dj) % u.shape[1]]


def star(u, how):
    return sum(shifted(u, *o, how) for o in ((1, 0), (-1, 0), (0, 1), (0, -1))) - 4 * u


def inner(shape):
    mask = np.zeros(shape, bool)
    mask[1:-1, 1:-1] = True
    return mask


@reference
def diffusion_source(s):
    u = s.u + s.dt * s.d * star(s.u, "wrap" if s.choice("border") else "clamp") / s.dx**2
    if s.has("source"):
        u = u + s.dt * s.source
    return {"u_out": np.where(s.wall == 1, 0.0, u) if s.has("wall") else u}


@reference
def wave_step(s):
    c = s.speed_map if s.has("speed_map") else s.c
    vel = s.u - s.u_prev
    if s.has("damp"):
        vel = (1 - s.damp) * vel
    new = s.u + vel + (c * s.dt / s.dx) ** 2 * star(s.u, "clamp")
    return {"u_next": np.where(inner(s.u.shape), new, 0.0), "energy": np.where(inner(s.u.shape), (vel / s.dt) ** 2 / 2, 0.0)}


@reference
def gray_scott(s):
    if s.choice("lap") == 0:
        lap_u, lap_v = star(s.u, "wrap"), star(s.v, "wrap")
    else:
        def nine(u):
            near = sum(shifted(u, *o, "wrap") for o in ((1, 0), (-1, 0), (0, 1), (0, -1)))
            far = sum(shifted(u, *o, "wrap") for o in ((1, 1), (-1, 1), (1, -1), (-1, -1)))
            return 0.2 * near + 0.05 * far - u
        lap_u, lap_v = nine(s.u), nine(s.v)
    react = s.u * s.v**2
    return {"u_out": s.u + s.dt * (s.du * lap_u - react + s.feed * (1 - s.u)),
            "v_out": s.v + s.dt * (s.dv * lap_v + react - (s.feed + s.kill) * s.v)}


@reference
def muscl_advection(s):
    q, n = s.q, len(s.q)
    name = [l for l in s.plan["laws"] if l.endswith("_slope")][0]

    def limited(i):
        a, b = q[i] - q[i - 1], q[i + 1] - q[i]
        if a * b <= 0:
            return 0.0
        r = {"minmod_slope": min(abs(a), abs(b)), "van_leer_slope": 2 * abs(a * b) / abs(a + b),
             "monotonized_central_slope": min(abs(a + b) / 2, 2 * abs(a), 2 * abs(b))}[name]
        return np.sign(a) * r

    out, flux = q.copy(), np.zeros(n)
    nu = s.u * s.dt / s.dx
    for i in range(2, n - 1):
        right, left = (s.u * (q[k] + (1 - nu) / 2 * limited(k)) for k in (i, i - 1))
        out[i], flux[i] = q[i] - s.dt / s.dx * (right - left), right
    return {"q_out": out, "flux_out": flux}


@reference
def semi_lagrangian(s):
    nx, ny = s.q.shape
    out = np.zeros_like(s.q)
    for i in range(nx):
        for j in range(ny):
            x = np.clip(i - s.vel[i, j, 0] * s.dt, 0, nx - 1)
            y = np.clip(j - s.vel[i, j, 1] * s.dt, 0, ny - 1)
            column = [np.interp(x, range(nx), s.q[:, k]) for k in range(ny)]
            out[i, j] = np.interp(y, range(ny), column)
    return {"q_out": out * (s.keep if s.has("keep") else 1.0)}


@reference
def flow_derivatives(s):
    dx = (shifted(s.vel, 1, 0, "clamp") - shifted(s.vel, -1, 0, "clamp")) / (2 * s.dx)
    dy = (shifted(s.vel, 0, 1, "clamp") - shifted(s.vel, 0, -1, "clamp")) / (2 * s.dx)
    return {"div": dx[..., 0] + dy[..., 1], "curl": dx[..., 1] - dy[..., 0], "strain_out": np.hypot(dx[..., 0], dy[..., 1])}


@reference
def shallow_water(s):
    h = np.concatenate([s.h[:1], s.h, s.h[-1:]])
    q = np.concatenate([-s.hu[:1], s.hu, -s.hu[-1:]])
    state, k = np.array([h, q]), s.dt / s.dx / 2
    flux = np.array([q, q**2 / h + s.g * h**2 / 2])
    new = (state[:, 2:] + state[:, :-2]) / 2 - k * (flux[:, 2:] - flux[:, :-2])
    return {"h_out": new[0], "hu_out": new[1], "top_speed": np.abs(s.hu / s.h) + np.sqrt(s.g * s.h)}


@reference
def fdtd_h(s):
    keep = 1 - s.sigma if s.has("sigma") else np.ones_like(s.ez)
    hx, hy, k = s.hx.copy(), s.hy.copy(), s.dt / (s.mu if s.has("mu") else 1.0) / s.dx
    hx[:, :-1] = (keep * s.hx)[:, :-1] - keep[:, :-1] * k * np.diff(s.ez, axis=1)
    hy[:-1] = (keep * s.hy)[:-1] + keep[:-1] * k * np.diff(s.ez, axis=0)
    return {"hx": hx, "hy": hy}


@reference
def lbm_collide(s):
    rho = s.f.sum(1)
    u = np.stack([s.f @ s.cx, s.f @ s.cy], 1) / rho[:, None]
    if s.has("force"):
        u[:, 0] += s.force
    cu = u @ np.array([s.cx, s.cy])
    equilibrium = s.w * rho[:, None] * (1 + 3 * cu + 9 / 2 * cu**2 - 3 / 2 * np.sum(u**2, 1)[:, None])
    return {"f": s.f + (equilibrium - s.f) / s.tau, "rho_out": rho}


@reference
def level_set(s):
    back_x = (s.phi - shifted(s.phi, -1, 0, "clamp")) / s.dx
    fwd_x = (shifted(s.phi, 1, 0, "clamp") - s.phi) / s.dx
    back_y = (s.phi - shifted(s.phi, 0, -1, "clamp")) / s.dx
    fwd_y = (shifted(s.phi, 0, 1, "clamp") - s.phi) / s.dx

    def up(v):
        return np.maximum(v, 0) ** 2

    def down(v):
        return np.minimum(v, 0) ** 2

    grad_plus = np.sqrt(up(back_x) + down(fwd_x) + up(back_y) + down(fwd_y))
    grad_minus = np.sqrt(down(back_x) + up(fwd_x) + down(back_y) + up(fwd_y))
    new = s.phi - s.dt * (np.maximum(s.speed, 0) * grad_plus + np.minimum(s.speed, 0) * grad_minus)
    return {"phi_out": np.where(np.abs(s.phi) > s.band, s.phi, new) if s.has("band") else new}
