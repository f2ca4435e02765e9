"""Scenes of rows and signals, from the textbook."""

import itertools

import numpy as np
from textbook import reference


@reference
def welford(s):
    rows = [[v for v in row if not (s.has("skip") and abs(v) > s.skip)] for row in s.x]
    mean = np.array([np.mean(r) if r else 0.0 for r in rows])
    square = np.array([np.sum((np.array(r) - m) ** 2) for r, m in zip(rows, mean)])
    n = np.array([len(r) for r in rows])
    skew = [np.sum((np.array(r) - m) ** 3) / max(len(r), 1) for r, m in zip(rows, mean)]
    return {"mu_out": mean, "var_out": square / np.maximum(n - s.choice("bias"), 1), "skew": skew}


@reference
def prefix_sum(s):
    out, totals = np.zeros_like(s.x), np.zeros(len(s.x))
    for r, row in enumerate(s.x):
        run = 0
        for c, v in enumerate(row):
            run = 0 if s.has("reset") and s.reset[r, c] == 1 else run
            out[r, c] = run if s.choice("kind") else run + v
            run += v
        totals[r] = run
    return {"y": out, "total_out": totals}


@reference
def sort_rows_inplace(s):
    pairs = [[sum(a > b for a in row[:k]) for k, b in enumerate(row)] for row in s.x]
    return {"x": np.sort(s.x, 1), "perm": np.argsort(s.x, 1, kind="stable"), "moves": np.sum(pairs, 1)}


@reference
def sort_four(s):
    y = np.sort(s.x, 1)
    return {"y": y, "median_out": np.median(s.x, 1), "spread": np.ptp(s.x, 1)}


@reference
def fir_filter(s):
    n, m = len(s.x), len(s.h)
    before = s.x[0] if s.choice("edge") == 0 else 0.0
    padded = np.concatenate([np.full(m, before), s.x])
    y = np.convolve(padded, s.h)[m:m + n] * (s.gain if s.has("gain") else 1.0)
    return {"y": y, "rest": s.x - y}


@reference
def windowed_dft(s):
    n = len(s.x)
    u = np.arange(n) / n
    windows = {"hann_window": np.sin(np.pi * u) ** 2, "hamming_window": 0.54 - 0.46 * np.cos(2 * np.pi * u),
               "blackman_window": 0.42 - 0.5 * np.cos(2 * np.pi * u) + 0.08 * np.cos(4 * np.pi * u)}
    used = [windows[l] for l in s.plan["laws"] if l in windows]
    x = s.x * (used[0] if used else 1.0)
    bins = np.arange(s.count("bin"))
    z = np.fft.fft(x)[bins % n]
    return {"z": np.stack([z.real, z.imag], -1), "p": np.abs(z) ** 2}


@reference
def dtw(s):
    def distance(a, b):
        d = np.full((9, 9), np.inf)
        d[0, 0] = 0
        for i, j in itertools.product(range(1, 9), range(1, 9)):
            d[i, j] = abs(a[i - 1] - b[j - 1]) + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
        return d[8, 8]
    return {"cost": [distance(a, b) for a, b in zip(s.a, s.b)]}


@reference
def edit_distance(s):
    def distance(a, b):
        if not len(a) or not len(b):
            return len(a) + len(b)
        key = (tuple(a), tuple(b))
        if key not in known:
            known[key] = min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))
        return known[key]
    known = {}
    dist = np.array([distance(a, b) for a, b in zip(s.a, s.b)])
    return {"dist": dist, "same": dist == 0}


@reference
def kahan(s):
    return {"total_out": np.sum(s.x * (s.w if s.has("w") else 1.0), 1)}


@reference
def correlations(s):
    n = len(s.x)
    both = np.vstack([s.x, s.y])
    return {"r_out": np.corrcoef(both)[:n, n:], "cov_out": np.cov(both, bias=True)[:n, n:]}


@reference
def run_lengths(s):
    groups = [[(k, len(list(g))) for k, g in itertools.groupby(row)] for row in s.x]
    best = [max(g, key=lambda run: run[1]) for g in groups]
    return {"runs": [len(g) for g in groups], "longest": [b[1] for b in best], "longest_value": [b[0] for b in best]}


@reference
def biquad(s):
    y = np.zeros_like(s.x)
    x = np.where(np.abs(s.x) < s.gate, 0, s.x) if s.has("gate") else s.x
    for n in range(16):  # the difference equation, direct form I
        for k in range(3):
            if n >= k:
                y[:, n] += s.b[k] * x[:, n - k]
        for k in range(2):
            if n > k:
                y[:, n] -= s.a[k] * y[:, n - 1 - k]
    return {"y": y, "peak": np.abs(y).max(1)}
