"""Learning machines, from their papers."""

import itertools

import numpy as np
from textbook import reference


def logistic(z):
    return 1.0 / (1.0 + np.exp(-z))


def logsumexp(z, axis=-1):
    return np.log(np.sum(np.exp(z), axis))


@reference
def lstm_step(s):
    both = np.concatenate([s.x, s.h], 1)
    z = [both @ w.T + (s.b[:, k] if s.has("b") else 0.0) for k, w in enumerate((s.wi, s.wf, s.wg, s.wo))]
    for k in (0, 1):
        z[k] = z[k] + (s.c * s.peep if s.has("peep") else 0.0)
    c = logistic(z[1]) * s.c + logistic(z[0]) * np.tanh(z[2])
    c = np.clip(c, -s.clip, s.clip) if s.has("clip") else c
    h, f = logistic(z[3]) * np.tanh(c), logistic(z[1])
    if s.has("alive"):
        gone = (s.alive == 0)[:, None]
        c, h, f = np.where(gone, s.c, c), np.where(gone, np.tanh(s.c), h), np.where(gone, 0, f)
    return {"c_out": c, "h_out": h, "f_out": f}


@reference
def batch_norm(s):
    mu, var = s.x.mean(0), s.x.var(0)
    frozen = s.has("frozen") and s.frozen == 1
    run_mean, run_var = s.run_mean, s.run_var
    if frozen:
        mu, var = run_mean, run_var
    else:
        run_mean = (1 - s.rate) * s.run_mean + s.rate * mu
        run_var = (1 - s.rate) * s.run_var + s.rate * s.x.var(0, ddof=1)
    y = (s.x - mu) / np.sqrt(var + s.eps) * s.gamma + (s.beta if s.has("beta") else 0.0)
    return {"y": y, "run_mean": run_mean, "run_var": run_var, "saved": (var + s.eps) ** -0.5}


@reference
def conv2d_layer(s):
    _, height, width = s.x.shape
    d = s.dilate if s.has("dilate") else 1
    padded = np.pad(s.x, ((0, 0), (d, d), (d, d)))
    y = np.zeros((len(s.w), height, width))
    for o, c, a, b in itertools.product(range(len(s.w)), range(3), range(3), range(3)):
        y[o] += s.w[o, c, 3 * a + b] * padded[c, a * d:a * d + height, b * d:b * d + width]
    y += s.b[:, None, None] if s.has("b") else 0.0
    act = s.choice("act")
    dead = np.sum([y <= 0, y < -3, y == 0][act], (1, 2))
    return {"y": [np.maximum(y, 0), y * logistic(y), y][act], "dead": dead}


@reference
def naive_bayes(s):
    logs = -0.5 * (np.log(2 * np.pi * s.var) + (s.x[:, None] - s.mu) ** 2 / s.var)
    if s.has("seen"):
        logs = logs * s.seen[:, None]
    joint = s.prior + logs.sum(2)
    order = np.sort(joint, 1)
    p = np.exp(order[:, -1] - logsumexp(joint))
    return {"label_out": joint.argmax(1), "p_out": p, "margin_out": order[:, -1] - order[:, -2],
            "unsure": [np.sum(p < float(s.plan["choices"].get("cut", 0)))]}


@reference
def gmm_e_step(s):
    square = np.sum((s.x[:, None] - s.mu) ** 2, 2)
    joint = s.log_w - np.log(2 * np.pi * s.var) - square / (2 * s.var)
    ll = logsumexp(joint)
    resp = np.exp(joint - ll[:, None])
    return {"resp": resp, "ll": [ll.sum()], "mass_k": resp.sum(0), "sum_k": resp.T @ s.x, "hard": joint.argmax(1)}


@reference
def boosting_split(s):
    n = len(s.g)
    at, gain, left, right, side = (np.zeros(n) for _ in range(5))
    missing = s.has("missing_g") and s.has("missing_h")

    def score(g, h):
        return g**2 / (h + s.lam)

    for f in range(n):
        at[f] = -1
        if s.has("off") and s.off[f] == 1:
            continue
        mg, mh = (s.missing_g[f], s.missing_h[f]) if missing else (0.0, 0.0)
        gt, ht = s.g[f].sum() + mg, s.h[f].sum() + mh
        for b in range(15):
            g, h = s.g[f, :b + 1].sum(), s.h[f, :b + 1].sum()
            if s.has("least") and (h < s.least or ht - h < s.least):
                continue
            for way in (0, 1) if missing and s.has("side") else (0,):
                gl, hl = g + way * mg, h + way * mh
                value = 0.5 * (score(gl, hl) + score(gt - gl, ht - hl) - score(gt, ht)) - (s.gamma if s.has("gamma") else 0.0)
                if value > gain[f]:
                    gain[f], at[f], side[f] = value, b, way
                    left[f], right[f] = -gl / (hl + s.lam), -(gt - gl) / (ht - hl + s.lam)
    return {"bin_out": at, "gain_out": gain, "left_out": left, "right_out": right, "side": side}


@reference
def knn_vote(s):
    n = len(s.q)
    y, conf, near = -np.ones(n), np.zeros(n), -np.ones((n, 3))
    for i in range(n):
        d = np.linalg.norm(s.x - s.q[i], axis=1)
        order = [k for k in np.argsort(d, kind="stable") if not s.has("reach") or d[k] <= s.reach][:3]
        near[i, :len(order)] = order
        votes = np.zeros(4)
        for k in order:
            votes[s.label[k]] += 1 / (d[k] + 1e-3) if s.choice("vote") else 1
        if order:
            y[i], conf[i] = votes.argmax(), votes.max() / votes.sum()
    return {"y": y, "conf": conf, "nearest_out": near}


@reference
def quantize_rows(s):
    w = np.clip(s.w, -s.limit, s.limit) if s.has("limit") else s.w
    lo, hi = w.min(1), w.max(1)
    if s.choice("kind") == 0:
        step, zero = np.maximum(abs(lo), abs(hi)) / 127, np.zeros(len(w))
    else:
        step = (hi - lo) / 255
        zero = np.rint(-128 - lo / step)
    code = np.rint(s.w / step[:, None]) + zero[:, None]
    q = np.clip(code, -128, 127)
    err = np.mean(((q - zero[:, None]) * step[:, None] - s.w) ** 2, 1)
    return {"q": q, "scale_out": step, "zero_out": zero, "err_out": err, "clipped": [np.sum(code != q)]}


@reference
def adaptive_step(s):
    rule, n = s.choice("rule"), len(s.w)
    still = s.frozen == 1 if s.has("frozen") else np.zeros(n, bool)
    wild = np.abs(s.g) > float(s.plan["choices"]["cut"]) if s.has("skipped") else np.zeros(n, bool)
    d = s.g + (s.decay * s.w if s.has("decay") else 0.0)
    acc = s.acc + d * d if rule == 1 else s.rho * s.acc + (1 - s.rho) * d * d
    if rule == 2:
        step = np.sqrt(s.dx + s.eps) / np.sqrt(acc + s.eps) * d
    else:
        step = s.lr * d / (np.sqrt(acc) + s.eps)
    out = still | wild
    dx = np.where(out, s.dx, s.rho * s.dx + (1 - s.rho) * step**2) if rule == 2 else None
    return {"w": np.where(out, s.w, s.w - step), "acc": np.where(out, s.acc, acc), "dx": dx, "skipped": [np.sum(wild & ~still)],
            "size_out": np.where(out, 0, abs(step))}
