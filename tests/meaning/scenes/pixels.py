"""Pixels and their neighbours, from the textbook."""

import numpy as np
from textbook import reference


@reference
def canny_thin(s):
    m = np.hypot(s.gx, s.gy)
    kind, thin = np.zeros(m.shape), np.zeros(m.shape)
    for i in range(1, m.shape[0] - 1):
        for j in range(1, m.shape[1] - 1):
            if m[i, j] < s.low:
                continue
            # rows count downwards: the direction of the gradient is (gy, gx)
            sector = int(np.rint(np.degrees(np.arctan2(s.gy[i, j], s.gx[i, j])) / 45)) % 4
            di, dj = [(0, 1), (1, 1), (1, 0), (1, -1)][sector]
            if m[i, j] >= m[i + di, j + dj] and m[i, j] > m[i - di, j - dj]:
                thin[i, j], kind[i, j] = m[i, j], 2 if m[i, j] >= s.high else 1
    return {"kind_out": kind, "thin": thin, "strong": [np.sum(kind == 2)]}


@reference
def jump_flood(s):
    height, width = s.known.shape
    out, dist = -np.ones((height, width, 2)), -np.ones((height, width))
    for i in range(height):
        for j in range(width):
            best = np.inf
            for a in (i - s.reach, i, i + s.reach):
                for b in (j - s.reach, j, j + s.reach):
                    if 0 <= a < height and 0 <= b < width and s.known[a, b]:
                        gap = np.abs(s.seed[a, b] - [i, j])
                        d = gap.sum() if s.choice("metric") else np.sqrt((gap**2).sum())
                        if d < best:
                            best = dist[i, j] = d
                            out[i, j] = s.seed[a, b]
    return {"seed_out": out, "d_out": dist, "known_out": out[..., 0] >= 0}


@reference
def tv_dual(s):
    def divergence(p):
        first, second = np.pad(p[..., 0], ((1, 0), (0, 0))), np.pad(p[..., 1], ((0, 0), (1, 0)))
        return np.diff(first, axis=0) + np.diff(second, axis=1)

    div = divergence(s.p)
    z = div - s.img / s.lam
    g = np.stack([np.diff(z, axis=0, append=z[-1:]), np.diff(z, axis=1, append=z[:, -1:])], -1)
    p = (s.p + s.tau * g) / (1 + s.tau * np.linalg.norm(g, axis=-1, keepdims=True))
    return {"p_new": p, "u_out": s.img - s.lam * div}


@reference
def demosaic(s):
    height, width = s.raw.shape
    i, j = np.indices((height, width))
    sites = [(i % 2 == 0) & (j % 2 == 0), i % 2 != j % 2, (i % 2 == 1) & (j % 2 == 1)]
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], float)
    planes = []
    for site in sites:
        value, weight = np.pad(s.raw * site, 1, mode="reflect"), np.pad(site * 1.0, 1, mode="reflect")
        k = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]], float) if site is sites[1] else kernel
        top = sum(k[a, b] * value[a:a + height, b:b + width] for a in range(3) for b in range(3))
        bottom = sum(k[a, b] * weight[a:a + height, b:b + width] for a in range(3) for b in range(3))
        planes.append(np.where(site, s.raw, top / bottom))
    rgb = np.stack(planes, -1)
    rgb = np.maximum(rgb - s.black, 0) / (1 - s.black) if s.has("black") else rgb
    clipped = 0
    if s.has("gain_r") and s.has("gain_b"):
        rgb = rgb * [s.gain_r, 1, s.gain_b]
        clipped = np.sum((rgb[..., 0] > 1) | (rgb[..., 2] > 1))
    return {"rgb": np.minimum(rgb, 1), "clipped": [clipped]}
