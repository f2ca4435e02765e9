"""Signals, from the textbook."""

import itertools

import numpy as np
from textbook import reference


@reference
def goertzel(s):
    n = np.arange(16)
    z = np.array([[np.sum(row * np.exp(-2j * np.pi * k * n / 16)) for k in s.k] for row in s.x])
    # the recursion ends one step after the last sample
    late = z * np.exp(2j * np.pi * s.k * 15 / 16)
    power = np.abs(z) ** 2
    return {"p": power, "hit": power > s.cut if s.has("cut") else None, "phase_out": np.angle(late)}


@reference
def lms_filter(s):
    w, e = s.w.copy(), np.zeros_like(s.x)
    for r in range(len(s.x)):
        for n in range(s.x.shape[1]):
            taps = np.array([s.x[r, n - k] if n >= k else 0.0 for k in range(s.w.shape[1])])
            used = np.array([n >= k for k in range(s.w.shape[1])])
            e[r, n] = s.d[r, n] - w[r] @ taps
            if s.has("hold") and s.hold[r, n] == 1:
                continue
            g = s.mu * e[r, n]
            g = g / (taps @ taps + float(s.plan["choices"]["reg"])) if s.choice("norm") else g
            w[r] = w[r] * np.where(used, 1 - (s.leak if s.has("leak") else 0.0), 1.0) + g * taps
    return {"w": w, "e_out": e, "power_out": np.mean(e**2, 1)}


@reference
def levinson(s):
    window = np.sin(np.pi * (np.arange(32) + 0.5) / 32) if s.has("window") and s.window == 1 else np.ones(32)
    a, k, err = np.zeros((len(s.x), 4)), np.zeros((len(s.x), 4)), np.zeros(len(s.x))
    for r, row in enumerate(s.x * window):
        acf = np.array([row[:32 - lag] @ row[lag:] for lag in range(5)])
        acf[0] = acf[0] * 1.0001 + 1e-6
        for m in range(1, 5):  # the normal equations of every order
            matrix = acf[np.abs(np.subtract.outer(range(m), range(m)))]
            solution = np.linalg.solve(matrix, acf[1:m + 1])
            k[r, m - 1] = solution[-1]
        a[r], err[r] = solution, acf[0] - solution @ acf[1:]
    return {"a_out": a, "k_out": k, "err_out": err}


@reference
def yin_pitch(s):
    lags, conf, voiced = [], [], 0
    for x in s.x:
        d = np.array([np.sum((x[:16] - x[lag:16 + lag]) ** 2) for lag in range(16)])
        norm = np.ones(16)
        for lag in range(1, 16):
            norm[lag] = d[lag] / (d[1:lag + 1].mean() + 1e-9 / lag)
        valleys = [lag for lag in range(2, 15) if norm[lag] < s.cut and norm[lag] <= norm[lag + 1]]
        voiced += bool(valleys)
        at = valleys[0] if valleys else 2 + int(np.argmin(norm[2:15]))
        a, b, c = norm[at - 1:at + 2]
        bend = a - 2 * b + c
        off = np.clip((a - c) / (2 * bend), -0.5, 0.5) if abs(bend) > 1e-6 else 0.0
        lags.append(at + (off if s.choice("refine") == 0 else 0.0))
        conf.append(1 - min(b, 1))
    return {"lag_out": lags, "conf": conf, "voiced": [voiced]}


def encode(bits):
    """The (7, 5) convolutional code: both generators see the newest bit and the last one but one."""
    one = two = 0
    for bit in bits:
        yield 2 * (bit ^ one ^ two) + (bit ^ two)
        one, two = bit, one


@reference
def viterbi_decode(s):
    words = list(itertools.product((0, 1), repeat=12))
    codes = np.array([list(encode(w)) for w in words])
    tails = np.array([w[-2:] == (0, 0) for w in words])
    weight = np.array([0, 1, 1, 2])
    best, bits = [], []
    for r, y in enumerate(s.y):
        cost = weight[codes ^ y].sum(1)
        if s.has("ended") and s.ended == 1:
            cost = np.where(tails, cost, 1000)
        best.append(cost.min())
        got = s.role("bits_out", s.after)[r].astype(int)  # among equally good paths any may win
        right = cost[words.index(tuple(got))] == cost.min()
        bits.append(got if right else words[int(cost.argmin())])
    return {"bits_out": bits, "metric_out": best}


@reference
def fft8(s):
    z = s.re + 1j * s.im
    f = np.fft.ifft(z) if s.has("inverse") and s.inverse == 1 else np.fft.fft(z)
    power = np.abs(f) ** 2
    return {"re": f.real, "im": f.imag, "power": power, "peak": power.argmax(1)}


@reference
def lanczos_read(s):
    y = np.zeros(len(s.pos))
    for i, p in enumerate(s.pos):
        base = int(np.floor(p))
        k = np.arange(base - 2, base + 4)
        w = np.sinc(p - k) * np.sinc((p - k) / 3) * (abs(p - k) < 3)
        at = np.clip(k, 0, 31) if s.choice("edge") == 0 else 31 - abs(31 - abs(k))
        y[i] = w @ s.x[at] / (w.sum() if s.has("keep_sum") and s.keep_sum == 1 else 1.0)
    return {"y": y * (s.gain if s.has("gain") else 1.0)}


@reference
def compress_rows(s):
    y, worst = np.zeros_like(s.x), np.zeros(len(s.x))
    slope = 1 - 1 / s.ratio
    for r, row in enumerate(s.x):
        env = 0.0
        for n, x in enumerate(row):
            env += (s.up if abs(x) > env else s.down) * (abs(x) - env)
            over = 20 * np.log10(max(env, 1e-5)) - s.thr
            cut = slope * max(over, 0)
            if s.has("knee") and abs(over) <= s.knee / 2:
                cut = slope * (over + s.knee / 2) ** 2 / (2 * s.knee)
            worst[r] = max(worst[r], cut)
            y[r, n] = x * 10 ** (((s.makeup if s.has("makeup") else 0.0) - cut) / 20)
    y = np.clip(y, -s.limit, s.limit) if s.has("limit") else y
    return {"y": y, "worst": worst}


@reference
def haar_denoise(s):
    h = np.eye(1)
    while len(h) < 16:
        h = np.vstack([np.kron(h, [1, 1]), np.kron(np.eye(len(h)), [1, -1])]) / np.sqrt(2)
    w = s.x @ h.T
    small = abs(w[:, 1:]) <= s.cut
    d = w[:, 1:]
    w[:, 1:] = np.sign(d) * np.maximum(abs(d) - s.cut, 0) if s.choice("rule") == 0 else np.where(small, 0, d)
    return {"y": w @ h, "zeroed": small.sum(1), "energy": np.sum(w**2, 1)}
