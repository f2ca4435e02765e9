"""Numbers in narrow types, and strain limits."""

import numpy as np
from textbook import hat, reference


@reference
def mix_pcm(s):
    vol = s.vol * (s.mute == 0 if s.has("mute") else 1)
    acc = s.x @ vol * (s.master if s.has("master") else 1.0)
    soft = np.sign(acc) * (16384 + 16383 * np.tanh((abs(acc) - 16384) / 16383))
    v = np.clip(acc, -32768, 32767) if s.choice("limit") == 0 else np.where(abs(acc) > 16384, soft, acc)
    q = np.trunc(v)
    return {"y": q, "over": [np.sum(abs(acc) > 32767)], "peak": [abs(q).max()]}


@reference
def depth_points(s):
    height, width = s.raw.shape
    z = s.raw / 1000.0
    v, u = np.indices((height, width))
    ray = np.stack([(u - (width - 1) / 2) / s.f, (v - (height - 1) / 2) / s.f, np.ones_like(z)], -1)
    good = s.raw >= s.nearest
    p, n = ray * z[..., None], np.zeros((height, width, 3))
    for i in range(height):
        for j in range(width):
            if not good[i, j]:
                continue
            n[i, j] = [0, 0, -1]
            if i + 1 < height and j + 1 < width:
                if not (s.has("jump") and max(abs(z[i, j + 1] - z[i, j]), abs(z[i + 1, j] - z[i, j])) > s.jump):
                    n[i, j] = hat(np.cross(p[i + 1, j] - p[i, j], p[i, j + 1] - p[i, j]))
    return {"p": np.where(good[..., None], p, 0), "n": n, "valid": good, "holes": [np.sum(~good)]}


@reference
def limit_strain(s):
    out, turn, energy = np.tile(np.eye(2), (len(s.f), 1, 1)), np.zeros(len(s.f)), np.zeros(len(s.f))
    good = np.linalg.det(s.f) >= 0.02
    for e in np.flatnonzero(good):
        u, sigma, vt = np.linalg.svd(s.f[e])
        limited = np.clip(sigma, s.low, s.high)
        r = u @ vt
        out[e] = u @ np.diag(limited) @ vt
        turn[e], energy[e] = np.arctan2(r[1, 0], r[0, 0]), np.sum((limited - 1) ** 2)
    return {"f_out": out, "turn": turn, "energy": energy, "flipped": [np.sum(~good)]}
