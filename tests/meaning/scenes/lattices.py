"""Schemes on grids and filters of pictures, with whole arrays or the definition of the neighbourhood."""

import numpy as np
from streams import Stream
from textbook import cross, norm, reference


def shifted(f, axis, step, periodic):
    """The neighbours in this direction; at the border the cell itself, or the other end."""
    n = f.shape[axis]
    at = np.arange(n) + step
    return np.take(f, at % n if periodic else np.clip(at, 0, n - 1), axis)


@reference
def acoustic_step(s):
    p, ring = s.p, s.choice("wall") == 1
    lap = sum(shifted(p, a, 1, ring) + shifted(p, a, -1, ring) - 2 * p for a in range(3)) / s.dx**2
    new = 2 * p - s.p_old + (s.c * s.dt) ** 2 * lap
    if s.has("source"):
        new = new + s.dt**2 * s.source
    if s.has("sponge"):
        depth = np.min(np.stack(np.meshgrid(*[np.minimum(np.arange(n), n - 1 - np.arange(n)) for n in p.shape], indexing="ij")), 0)
        share = np.where(depth < 2, (2 - depth) / 2 if s.choice("fade") else 1.0, 0.0)
        new = new * (1 - s.sponge * share)
    slope = np.stack([shifted(p, a, 1, ring) - shifted(p, a, -1, ring) for a in range(3)], -1) / (2 * s.dx)
    free = np.ones(p.shape, bool) if not s.has("solid") else s.solid == 0
    return {"p_new": np.where(free, new, 0), "flow_out": np.where(free[..., None], slope, 0),
            "loud": [np.sum(free & (np.abs(new) > 1))]}


@reference
def yee_electric(s):
    e, energy = s.e.copy(), 0.0
    for at in np.ndindex(*e.shape[:3]):
        if 0 in at:
            continue
        back = [np.array(at) - np.eye(3, dtype=int)[a] for a in range(3)]
        slopes = [(s.h[at] - s.h[tuple(b)]) / s.dx for b in back]
        curl = sum(cross(np.eye(3)[a], slopes[a]) for a in range(3))
        if s.has("current_in"):
            curl = curl - s.current_in[at]
        eps = s.eps[at] if s.has("eps") else 1.0
        half = s.sigma[at] * s.dt / (2 * eps) if s.has("sigma") else 0.0
        e[at] = ((1 - half) * e[at] + s.dt / eps * curl) / (1 + half)
        energy += eps * (e[at] @ e[at]) / 2 * s.dx**3
    return {"e": e, "energy_sum": [energy], "mag_out": np.sqrt(np.sum(e**2, -1))}


@reference
def conduct_block(s):
    t, k, flux = s.t, s.kappa, np.zeros(s.t.shape)
    ambient, film = s.ambient or 0, s.film or 0  # an insulated block has neither
    for axis in range(3):
        for step in (-1, 1):
            inside = np.ones(t.shape, bool)
            edge = [slice(None)] * 3
            edge[axis] = -1 if step == 1 else 0
            inside[tuple(edge)] = False
            other, k2 = shifted(t, axis, step, True), shifted(k, axis, step, True)
            border = (0, 2 * k * (ambient - t) / s.dx, film * (ambient - t))[s.choice("edge")]
            flux += np.where(inside, 2 / (1 / k + 1 / k2) * (other - t) / s.dx, border)
    new = t + s.dt * (flux / s.dx + (s.heater if s.has("heater") else 0)) / s.cap
    return {"t_new": new, "flux_out": flux, "hot": [np.sum(new > 360)]}


@reference
def terrain_slope(s):
    z, clamp = s.z, s.choice("border") == 1
    n, south, w, e = (shifted(z, 0, -1, False), shifted(z, 0, 1, False), shifted(z, 1, -1, False), shifted(z, 1, 1, False))
    if s.choice("kernel") == 0:
        zx = (shifted(e, 0, -1, False) + 2 * e + shifted(e, 0, 1, False) - shifted(w, 0, -1, False) - 2 * w - shifted(w, 0, 1, False)) / 8
        zy = (shifted(n, 1, -1, False) + 2 * n + shifted(n, 1, 1, False) - shifted(south, 1, -1, False) - 2 * south - shifted(south, 1, 1, False)) / 8
    else:
        zx, zy = (e - w) / 2, (n - south) / 2
    factor = (s.scale if s.has("scale") else 1.0) / s.dx
    zx, zy = zx * factor, zy * factor
    steepness = np.hypot(zx, zy)
    slope, aspect = np.arctan(steepness), np.arctan2(-zx, -zy) % (2 * np.pi)
    up = np.stack([-zx, -zy, np.ones_like(zx)], -1) / np.sqrt(1 + steepness**2)[..., None]
    turn, height = s.sun_azimuth or 0, s.sun_height or 0  # where nothing is shaded, there is no sun
    sun = np.array([np.sin(turn) * np.cos(height), np.cos(turn) * np.cos(height), np.sin(height)])
    live = np.zeros(z.shape, bool)
    live[1:-1, 1:-1] = True
    live |= clamp
    return {"slope_out": np.where(live, slope, 0), "aspect_out": np.where(live & (steepness >= 1e-4), aspect, -1),
            "shade_out": np.where(live, np.maximum(up @ sun, 0), 0),
            "curve_out": np.where(live, (n + south + w + e - 4 * z) / s.dx**2, 0), "steep": [np.sum(live & (slope > 0.8))]}


@reference
def drain_terrain(s):
    rows, cols = s.z.shape
    steps = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
    code, drop, inflow, pits = np.zeros((rows, cols)), np.zeros((rows, cols)), np.zeros((rows, cols)), 0
    for i, j in np.ndindex(rows, cols):
        if s.has("valid") and s.valid[i, j] == 0:
            code[i, j] = -1
            continue
        falls = {d: (s.z[i, j] - s.z[i + a, j + b]) / (s.dx * np.hypot(a, b)) for d, (a, b) in enumerate(steps)
                 if 0 <= i + a < rows and 0 <= j + b < cols and not (s.has("valid") and s.valid[i + a, j + b] == 0)}
        best = max(falls, key=falls.get, default=0)
        if falls.get(best, 0) > 0:
            code[i, j], drop[i, j] = 2**best, falls[best]
            to = i + steps[best][0], j + steps[best][1]
        else:
            to, pits = (i, j), pits + 1
        if s.has("rain"):
            inflow[to] += s.rain[i, j]
    return {"code_out": code, "drop_out": drop, "inflow": inflow, "pits": [pits]}


@reference
def census_words(s):
    rows, cols = s.img.shape
    around = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]

    def word(img, i, j):
        limit = img[i, j] - (s.margin if s.has("margin") else 0)
        return sum(2**k for k, (a, b) in enumerate(around)
                   if img[min(max(i + a, 0), rows - 1), min(max(j + b, 0), cols - 1)] < limit)
    words, shifts, costs = np.zeros((rows, cols)), np.zeros((rows, cols)), np.zeros((rows, cols))
    for i, j in np.ndindex(rows, cols):
        words[i, j] = w = word(s.img, i, j)
        if s.has("other"):
            found = [bin(w ^ word(s.other, i, j - k)).count("1") for k in range(min(int(s.reach), j + 1))]
            shifts[i, j], costs[i, j] = np.argmin(found), min(found)
    return {"word_out": words, "match_out": shifts, "cost_out": costs}


@reference
def nonlocal_means(s):
    rows, cols = s.img.shape
    padded, reach = np.pad(s.img, 1, mode="edge"), int(s.reach)
    out, weights = s.img.copy(), np.zeros(s.img.shape)
    for i, j in np.ndindex(rows, cols):
        if s.has("keep") and s.keep[i, j] == 1:
            continue
        ws, vs = [], []
        for a in range(max(i - reach, 0), min(i + reach + 1, rows)):
            for b in range(max(j - reach, 0), min(j + reach + 1, cols)):
                if (a, b) != (i, j):
                    d2 = np.mean((padded[i:i + 3, j:j + 3] - padded[a:a + 3, b:b + 3]) ** 2)
                    d2 = max(d2 - 2 * s.noise**2, 0) if s.has("noise") else d2
                    ws.append(np.exp(-d2 / s.h**2)), vs.append(s.img[a, b])
        ws.append(max(ws)), vs.append(s.img[i, j])
        out[i, j], weights[i, j] = np.dot(ws, vs) / sum(ws), sum(ws)
    return {"img_out": out, "weight_out": weights}


@reference
def falling_sand(s):
    before, grid = s.grid, np.array(s.grid)
    rows, cols = grid.shape
    first = int(s.phase_)
    for y in range(first, rows - 1, 2):
        for x in range(first, cols - 1, 2):
            open_ = [not (s.has("wall") and s.wall[y:y + 2, x + k].any()) for k in (0, 1)]
            for k in (0, 1):
                if open_[k] and grid[y, x + k] == 1 and grid[y + 1, x + k] == 0:
                    grid[y, x + k], grid[y + 1, x + k] = 0, 1
            slides = not s.has("chance") or Stream(s.seed, y * cols + x).unit() < s.chance
            if all(open_) and slides:
                for k in (0, 1):
                    if grid[y, x + k] == 1 and grid[y + 1, x + 1 - k] == 0:
                        grid[y, x + k], grid[y + 1, x + 1 - k] = 0, 1
                        break
    return {"grid_out": grid, "moved": [np.sum((grid == 1) & (before == 0))]}
