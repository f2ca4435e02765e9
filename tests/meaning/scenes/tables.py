"""Tables filled step by step and pairs of everything, by brute force."""

import itertools

import numpy as np
from textbook import reference


@reference
def floyd_step(s):
    height, width = s.d.shape
    out = s.d.copy()
    hop = s.hop.copy() if s.has("hop") else np.zeros_like(s.d)
    better = 0
    for i in range(height):
        for j in range(width):
            if i == j:
                out[i, j] = 0
            elif s.via < min(height, width) and not (s.has("gone") and (s.gone[i, s.via] == 1 or s.gone[s.via, j] == 1)):
                trial = s.d[i, s.via] + s.d[s.via, j]
                if trial < s.d[i, j]:
                    out[i, j], hop[i, j], better = trial, s.via, better + 1
    return {"d_out": out, "hop": hop, "better": [better]}


@reference
def knapsack(s):
    best, chosen, left = [], [], []
    for wt, worth in zip(s.wt, s.worth):
        options = [(sum(worth[list(t)]), sum(1 << k for k in t), s.cap - wt[list(t)].sum())
                   for n in range(7) for t in itertools.combinations(range(6), n) if wt[list(t)].sum() <= s.cap]
        top = max(options)
        best.append(top[0])
        chosen.append(top[1])
        left.append(top[2])
    return {"best": best, "chosen": chosen, "left": left}


@reference
def smith_waterman(s):
    scores, ends, matches = [], [], []
    for a, b in zip(s.a, s.b):
        h = np.zeros((11, 11))
        for i in range(1, 11):
            for j in range(1, 11):
                pair = 2.0 if a[i - 1] == b[j - 1] else -s.miss
                h[i, j] = max(0, h[i - 1, j - 1] + pair, h[i - 1, j] - s.gap, h[i, j - 1] - s.gap)
        scores.append(h.max())
        ends.append(np.argwhere(h == h.max())[0][1] - 1)
        matches.append(np.sum(a[:, None] == b[None]))
    return {"score_out": scores, "end_out": ends if min(scores) > 0 else None, "long_out": matches}


@reference
def dct_blocks(s):
    u, j = np.indices((8, 8))
    m = np.sqrt(np.where(u == 0, 1, 2) / 8) * np.cos((2 * j + 1) * u * np.pi / 16)
    coefficient = m @ s.x @ m.T
    ratio = coefficient / s.step
    q = np.rint(ratio) if s.choice("round") == 0 else np.trunc(ratio)
    near = np.abs(ratio - np.floor(ratio) - (0.5 if s.choice("round") == 0 else 0.0)).min() < 1e-6
    return {"q": None if near else q, "nonzero_out": None if near else np.sum(q != 0, (1, 2)), "dc": s.x.mean((1, 2))}


@reference
def bspline_surface(s):
    basis = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6
    p, n, stretch = np.zeros((len(s.uv), 3)), np.zeros((len(s.uv), 3)), np.zeros(len(s.uv))
    for i, uv in enumerate(s.uv):
        at = np.clip(uv, 0, 0.9999) * 4
        k = np.floor(at).astype(int)
        value = [np.array([1, t, t**2, t**3]) @ basis for t in at - k]
        slope = [np.array([0, 1, 2 * t, 3 * t**2]) @ basis for t in at - k]
        net = s.net[k[0]:k[0] + 4, k[1]:k[1] + 4]
        p[i] = np.einsum("a,b,abc", value[0], value[1], net)
        c = np.cross(np.einsum("a,b,abc", slope[0], value[1], net), np.einsum("a,b,abc", value[0], slope[1], net))
        stretch[i] = np.linalg.norm(c)
        n[i] = c / stretch[i]
    return {"p": p, "n": n, "stretch": stretch}


@reference
def value_iteration(s):
    height, width = s.v.shape
    steps = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    new, act, change = np.zeros_like(s.v), np.zeros_like(s.v), s.change[0] if s.has("change") else 0.0
    for i in range(height):
        for j in range(width):
            if s.wall[i, j] == 1:
                continue
            if s.has("goal") and s.goal[i, j] == 1:
                new[i, j] = s.reward[i, j]
                continue
            land = []
            for di, dj in steps:
                a, b = min(max(i + di, 0), height - 1), min(max(j + dj, 0), width - 1)
                land.append(s.v[i, j] if s.wall[a, b] == 1 else s.v[a, b])
            q = [(1 - s.slip) * land[k] + s.slip / 2 * (land[k - 1] + land[(k + 1) % 4]) for k in range(4)]
            new[i, j], act[i, j] = s.reward[i, j] + s.discount * max(q), int(np.argmax(q))
            change = max(change, abs(new[i, j] - s.v[i, j]))
    close = s.role("act", s.after) if s.has("act") else act  # two moves may be equally good
    return {"v_new": new, "act": act if np.mean(close != act) > 0.02 else close, "change": [change]}


@reference
def nms_flags(s):
    low, high = np.minimum(s.box[:, :2], s.box[:, 2:]), np.maximum(s.box[:, :2], s.box[:, 2:])
    n = len(low)
    keep, worst = np.ones(n), np.zeros(n)
    for i in range(n):
        if s.has("low") and s.score[i] < s.low:
            keep[i] = 0
            continue
        for j in range(n):
            if j != i and s.cls[i] == s.cls[j] and (s.score[j], -j) > (s.score[i], -i):
                inter = np.prod(np.maximum(np.minimum(high[i], high[j]) - np.maximum(low[i], low[j]), 0))
                iou = inter / (np.prod(high[i] - low[i]) + np.prod(high[j] - low[j]) - inter)
                worst[i] = max(worst[i], iou)
                keep[i] = 0 if iou > s.cut else keep[i]
    return {"keep": keep, "worst": worst, "kept": [keep.sum()]}


@reference
def pair_shells(s):
    n = len(s.x)
    bins = s.count("bin")
    hist = np.zeros(bins)
    for i in range(n):
        for j in range(n):
            if i == j or (s.has("species") and s.species[i] == s.species[j]):
                continue
            d = s.x[j] - s.x[i]
            wrapped = (d + s.box / 2) % s.box - s.box / 2
            r = np.linalg.norm(wrapped)
            if i < j and r < s.r_max:
                hist[min(int(r / s.r_max * bins), bins - 1)] += 1
    return {"hist": hist}


@reference
def best_shift(s):
    lags, peaks, seconds = [], [], []
    for a, b in zip(s.a, s.b):
        c = []
        for lag in range(-6, 7):
            n = np.arange(max(0, -lag), min(20, 20 - lag))
            c.append(a[n] @ b[n + lag] / (np.linalg.norm(a[n]) * np.linalg.norm(b[n + lag]) + 1e-6))
        order = np.argsort(c)
        lags.append(order[-1] - 6)
        peaks.append(c[order[-1]])
        seconds.append(c[order[-2]])
    gap = np.array(peaks) - seconds
    return {"lag_out": lags, "peak": peaks, "second": seconds, "flat": [np.sum(gap < 0.05)]}


@reference
def gemm_epilogue(s):
    y = s.a @ s.bt.T * (s.alpha if s.has("alpha") else 1.0)
    y = y + (s.bias if s.has("bias") else 0.0)
    y = y + (s.beta * s.c_in if s.has("c_in") and s.has("beta") else 0.0)
    dead = np.sum(y <= 0, 1)
    y = [np.maximum(y, 0), y * np.clip(y / 6 + 0.5, 0, 1), y][s.choice("act")]
    return {"y": np.minimum(y, s.clip) if s.has("clip") else y, "dead": dead if s.choice("act") == 0 else None}
