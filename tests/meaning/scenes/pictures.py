"""Scenes of images, from the textbook."""

import numpy as np
from textbook import reference


def window(image, reach):
    """All shifted copies of an image, clamped at its border, in row order."""
    i, j = np.indices(image.shape[:2])
    return {(di, dj): image[np.clip(i + di, 0, image.shape[0] - 1), np.clip(j + dj, 0, image.shape[1] - 1)]
            for di in range(-reach, reach + 1) for dj in range(-reach, reach + 1)}


@reference
def sobel_edges(s):
    kernel = np.outer([1, 2, 1], [-1, 0, 1])
    parts = window(s.image, 1)
    gx = sum(kernel[di + 1, dj + 1] * v for (di, dj), v in parts.items())
    gy = sum(kernel.T[di + 1, dj + 1] * v for (di, dj), v in parts.items())
    mag, angle = np.hypot(gx, gy), np.arctan2(gy, gx)
    if s.has("cut"):
        mag = np.where(mag < s.cut, 0, mag)
    border = np.ones(mag.shape, bool)
    border[1:-1, 1:-1] = False
    return {"edge": np.where(border, 0, mag), "angle_out": np.where(border, 0, angle)}


@reference
def bilateral(s):
    total = norm = 0
    i, j = np.indices(s.image.shape)
    for (di, dj), v in window(s.image, s.reach).items():
        w = np.exp(-(di**2 + dj**2) / (2 * s.sigma**2)) * np.exp(-((v - s.image) ** 2) / (2 * s.tau**2))
        if s.choice("border"):
            w = w * ((i + di >= 0) & (j + dj >= 0) & (i + di < s.image.shape[0]) & (j + dj < s.image.shape[1]))
        total, norm = total + w * v, norm + w
    return {"image_out": total / norm}


@reference
def morphology(s):
    parts = np.array(list(window(s.image, s.reach).values()))
    low, high = parts.min(0), parts.max(0)
    return {"image_out": high if s.grow == 1 else low, "edge": high - low}


@reference
def corners(s):
    def box(v):
        return sum(window(v, 1).values())
    m = np.array([[box(s.gx**2), box(s.gx * s.gy)], [box(s.gx * s.gy), box(s.gy**2)]]).transpose(2, 3, 0, 1)
    if s.choice("score") == 2:
        return {"score_out": np.linalg.eigvalsh(m)[..., 0]}
    return {"score_out": np.linalg.det(m) - s.k * np.trace(m, axis1=2, axis2=3) ** 2}


@reference
def block_matching(s):
    n, m = s.left.shape
    disp, cost = np.zeros((n, m), int), np.zeros((n, m))
    for j in range(m):
        a = np.clip(np.arange(j - 1, j + 2), 0, m - 1)
        sums = np.array([np.abs(s.left[:, a] - s.right[:, np.clip(np.arange(j - 1, j + 2) - d, 0, m - 1)]).sum(1) for d in range(s.reach)])
        disp[:, j], cost[:, j] = np.argmin(sums, 0), np.min(sums, 0)
    return {"disp": disp, "cost": cost}


@reference
def bicubic(s):
    def keys(x):
        x = np.abs(x)
        return np.where(x < 1, 1.5 * x**3 - 2.5 * x**2 + 1, np.where(x < 2, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2, 0))

    def weights(n):
        """Rows of weights of the twelve samples for n targets; those beyond the border count for it."""
        rows = np.zeros((n, 12))
        for i in range(n):
            x = min((i + 0.5) * s.zoom - 0.5, 11.0)
            taps = np.floor(x).astype(int) + np.arange(-1, 3)
            w = keys(x - taps)
            np.add.at(rows[i], np.clip(taps, 0, 11), w / w.sum())
        return rows
    out = weights(s.target.shape[0]) @ s.source @ weights(s.target.shape[1]).T
    return {"target": np.clip(out, 0, 1) if 0 <= out.min() and out.max() <= 1 else None}
