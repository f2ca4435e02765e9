"""Scenes of blocks that work on tiles, by whole arrays. What a tile has beyond the end of an array is zero."""

import math

import numpy as np
from textbook import reference


def in_tiles(x, length):
    """Rows of one tile each, with zeros behind the end."""
    return np.pad(x, (0, -len(x) % length)).reshape(-1, length)


def weighted(s, x):
    return x * s.w if s.has("w") else x


@reference
def tiled_sum(s):
    x = [s.x, s.x**2, np.abs(s.x)][s.choice("kind")]
    x = weighted(s, x) * (s.scale if s.has("scale") else 1)
    t = in_tiles(x, s.TILE)
    return {"total": [x.sum()], "partial": t.sum(1), "spread": (t**2).sum(1)}


@reference
def tiled_dot(s):
    return {"dot": [s.a @ s.b], "norms": [s.a @ s.a, s.b @ s.b], "parts": in_tiles(s.a * s.b, s.TILE).sum(1)}


@reference
def tiled_axpy(s):
    form = s.choice("form")
    if form == 1:
        r = s.alpha * s.x + s.beta * s.y
    else:
        r = s.y + (s.alpha if form == 0 else -s.alpha) * s.x
    return {"r": r, "change": [np.sum((r - s.y) ** 2)]}


def smooth_rectifier(x):
    return np.logaddexp(0, x)


@reference
def activate_tiles(s):
    x = (s.z + (s.b if s.has("b") else 0)) * (s.gain if s.has("gain") else 1)
    y = [
        x / (1 + np.exp(-x)),
        x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        smooth_rectifier(x),
        x * np.tanh(smooth_rectifier(x)),
        x / (1 + np.abs(x)),
        np.maximum(x, 0),
        np.clip(x / 6 + 0.5, 0, 1),
    ][s.choice("f")]
    return {"y": y, "mass_": [y.sum()]}


@reference
def tiled_loss(s):
    if s.choice("f") == 3:
        p = np.maximum(s.p, 0.02)
        e = -(s.label_ * np.log(p) + (1 - s.label_) * np.log(1 - p))
    else:
        d = s.y - s.target_
        e = [d * d / 2, np.abs(d), np.log(np.cosh(d))][s.choice("f")]
    e = weighted(s, e)
    scaled = e * (s.inv_n if s.has("inv_n") else 1)
    return {"terms": e, "loss_": [scaled.sum()], "worst": in_tiles(scaled, s.TILE).max(1)}


@reference
def convert_tiles(s):
    f = s.choice("f")
    if f == 0:
        r = 10 ** (s.level / 20)
    elif f == 1:
        r = np.where(s.v <= 0.0031308, 12.92 * s.v, 1.055 * np.maximum(s.v, 0) ** (1 / 2.4) - 0.055)
    elif f == 2:
        r = np.where(s.v <= 0.04045, s.v / 12.92, ((s.v + 0.055) / 1.055) ** 2.4)
    elif f == 3:
        r = np.exp(-s.tau)
    else:
        r = np.array([math.erfc(-z / math.sqrt(2)) / 2 for z in s.z])
    r = r * (s.factor if s.has("factor") else 1)
    return {"y": r, "mean_out": [r.sum()], "top": in_tiles(r, s.TILE).max(1)}


@reference
def window_rows(s):
    x = s.x - (s.remove_mean * s.x.mean(1, keepdims=True) if s.has("remove_mean") else 0)
    u = np.arange(s.COLS) / s.COLS
    turn = np.cos(2 * np.pi * u)
    y = x * [0.5 - 0.5 * turn, 0.54 - 0.46 * turn, 1 - (2 * u - 1) ** 2][s.choice("win")]
    return {"y": y, "power_": (y * y).sum(1)}


@reference
def tiled_descent(s):
    g = s.g + (s.decay_ * s.w if s.has("decay_") else 0)
    how, v = s.choice("how"), None
    if how == 0:
        w = s.w - s.lr * g
    elif how == 1:
        v = s.beta * s.v + g
        w = s.w - s.lr * v
    else:
        return {"v_new": s.acc + g * g}
    return {"w_new": w, "v_new": v, "step_sq": [np.sum((w - s.w) ** 2)]}


@reference
def tile_scan(s):
    x = s.x if s.has("x") else s.kx
    t = in_tiles(np.asarray(x, float), s.TILE)
    sums = np.cumsum(t, 1) - (t if s.choice("way") else 0)
    peak = np.maximum.accumulate(t, 1).ravel()[: len(x)]
    return {"acc": sums.ravel()[: len(x)], "kacc": sums.ravel()[: len(x)], "ends": t.sum(1), "peak": peak}


@reference
def tile_histogram(s):
    bins = np.minimum((s.x.astype(np.float32) * np.float32(s.BINS)).astype(int), s.BINS - 1)
    one = weighted(s, np.ones(s.x.shape)) * (s.mask if s.has("mask") else 1)
    blocks = np.array([np.bincount(b, o, s.BINS) for b, o in zip(bins, one)])
    return {"counts": blocks.sum(0), "per_block": blocks}


@reference
def halo_smooth(s):
    mid, near = s.x[2:-2], s.x[1:-3] + s.x[3:-1]
    if s.choice("taps") == 0:
        y = (1 - 2 * s.side) * mid + s.side * near
    else:
        y = (1 - 2 * s.side - 2 * s.far) * mid + s.side * near + s.far * (s.x[:-4] + s.x[4:])
    return {"y": y, "rough": [np.sum((y - mid) ** 2)]}


@reference
def halo_step(s):
    left, mid, right = s.u[:-2], s.u[1:-1], s.u[2:]
    what = s.choice("what")
    if what == 0:
        v = mid + s.c * (left - 2 * mid + right)
    elif what == 1:
        v = 2 * mid - s.u_old + s.c * (left - 2 * mid + right)
    else:
        v = mid - s.c * (mid - left)
    v = v - (s.damp * mid if s.has("damp") else 0) + (s.c * s.source if s.has("source") else 0)
    return {"u_new": v}


@reference
def horner_tiles(s):
    degree = 2 + s.choice("deg")
    return {"y": np.polyval(s.coeffs[degree::-1], s.x), "slope": s.coeffs[0] + s.coeffs[1] * s.x}


@reference
def tile_extremes(s):
    t = in_tiles(s.x + (s.bias if s.has("bias") else 0), s.TILE)
    top = s.choice("which") == 0
    return {"best": t.max(1) if top else t.min(1), "place": t.argmax(1) if top else t.argmin(1), "swing": t.max(1) - t.min(1)}


@reference
def mass_moments(s):
    momentum = [s.m @ s.v] if s.has("v") else None
    return {"mass_sum": [s.m.sum()], "moment": [s.m @ s.x], "momentum_": momentum}


@reference
def segment_sums(s):
    x = weighted(s, s.x)
    return {"sums": x.mean(1) if s.choice("mean") else x.sum(1), "tops": x.max(1)}


@reference
def sort_tiles(s):
    keys = in_tiles(s.keys * (s.offset_ if s.has("offset_") else 1), s.TILE)
    order = keys.argsort(1, kind="stable")
    keys = np.take_along_axis(keys, order, 1)
    return {"sorted_keys": keys.ravel(), "order": np.take_along_axis(in_tiles(s.ids, s.TILE), order, 1).ravel(), "low": keys[:, 0]}


@reference
def gather_tiles(s):
    t = s.table[s.pick]
    t = [t * (s.scale if s.has("scale") else 1), t * (s.w if s.has("w") else 1), t * t][s.choice("what")]
    return {"y": t, "sums": in_tiles(t, s.TILE).sum(1)}


@reference
def scatter_tiles(s):
    t = weighted(s, s.x) * (s.scale if s.has("scale") else 1)
    size = len(s.table)
    return {"table": np.bincount(s.place, t, size), "hits": np.bincount(s.place, minlength=size)}


# ---- rows


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@reference
def row_softmax(s):
    x = s.x + (s.mask if s.has("mask") else 0)
    x = x / (s.temp if s.has("temp") else 1)
    return {"y": softmax(x), "lse": np.log(np.exp(x).sum(1))}


@reference
def tile_layer_norm(s):
    mean, inv = s.x.mean(1), 1 / np.sqrt(s.x.var(1) + 1e-5)
    y = (s.x - mean[:, None]) * inv[:, None]
    y = y * (s.gamma if s.has("gamma") else 1) + (s.beta if s.has("beta") else 0)
    return {"y": y, "mu_out": mean, "inv_out": inv}


@reference
def tile_rms_norm(s):
    x = s.x + (s.residual if s.has("residual") else 0)
    rms = np.sqrt((x**2).mean(1) + 1e-5)
    return {"y": x / rms[:, None] * (s.gamma if s.has("gamma") else 1), "rms_out": rms, "sum_out": x}


@reference
def rescale_rows(s):
    x = s.x + (s.offset_ if s.has("offset_") else 0)
    low, high, kind = x.min(1), x.max(1), s.choice("kind")
    d = [high - low + 1e-4, np.abs(x).max(1), x.sum(1)][kind]
    return {"y": (x - (low[:, None] if kind == 0 else 0)) / d[:, None], "span": d}


@reference
def cosine_rows(s):
    centre = s.centre if s.has("centre") else 0
    a, b = s.a - centre, s.b - centre
    like = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-6)
    return {"like": like, "dist": np.sqrt(((a - b) ** 2).sum(1) + 1e-6)}


@reference
def row_cross_entropy(s):
    p = s.p * (1 - s.smooth) + s.smooth / s.p.shape[1] if s.has("smooth") else s.p
    loss = p.sum(1) * np.log(np.exp(s.z).sum(1)) - (p * s.z).sum(1)
    return {"loss_": loss, "total": [loss.sum()], "grad_": None}


@reference
def tile_embedding_bag(s):
    rows = s.table[s.bag]
    if s.has("w"):
        rows = rows * s.w[:, None]
    rows = rows.reshape(-1, s.BAG, rows.shape[1])
    return {"pooled": rows.mean(1) if s.choice("kind") else rows.sum(1)}


@reference
def row_distance(s):
    d = weighted(s, s.x - s.ref)
    out = [np.abs(d).sum(1), np.abs(d).max(1), (d * d).sum(1)][s.choice("m")]
    return {"d_out": out, "near": [np.sum(out < s.cutoff)] if s.has("cutoff") else None}


@reference
def tile_row_argmax(s):
    t = s.scores + (s.b if s.has("b") else 0)
    return {"best": t.argmax(1), "top": t.max(1), "margin": t.max(1) - t.mean(1)}


# ---- matrices


def over(s, product):
    product = product * (s.alpha if s.has("alpha") else 1) + (s.bias if s.has("bias") else 0)
    return [lambda: product, lambda: np.maximum(product, 0), lambda: product / (1 + np.exp(-product))][s.choice("act")]()


@reference
def tiled_matmul(s):
    return {"c": over(s, s.a @ s.b)}


@reference
def matmul_nt(s):
    product = s.x @ s.w.T + (s.old if s.has("old") else 0)
    return {"y": product * (s.scale if s.has("scale") else 1), "row_sum": product.sum(1)}


@reference
def batched_matmul(s):
    c = s.a @ s.b * (s.s[:, None, None] if s.has("s") else 1)
    return {"c": c, "trace_": c.sum((1, 2))}


@reference
def batched_matvec(s):
    y = np.einsum("bij,bj->bi", s.a, s.x) - (s.rhs if s.has("rhs") else 0)
    return {"y": y, "norm_out": (y * y).sum(1)}


@reference
def transpose_tiles(s):
    return {"t_out": s.a.T * (s.s if s.has("s") else 1) + (s.other if s.choice("add_") else 0)}


@reference
def halo_stencil(s):
    mid = s.u[1:-1, 1:-1]
    ring = s.u[:-2, 1:-1] + s.u[2:, 1:-1] + s.u[1:-1, :-2] + s.u[1:-1, 2:]
    kind = s.choice("kind")
    r = (ring + mid) / 5 if kind == 0 else (ring - 4 * mid) / s.h2 if kind == 1 else (ring - s.h2 * s.f) / 4
    return {"r": r, "energy_": [np.sum(r * r)]}


@reference
def pairwise_tiles(s):
    d = ((s.x[:, None] - s.y[None]) ** 2).sum(2)
    d = np.exp(-s.sigma_ * d) if s.has("sigma_") else d
    return {"d2": d, "mean_sim": d.sum(1)}


@reference
def gram_tiles(s):
    x = s.x - (s.centre if s.has("centre") else 0)
    u = x * s.w[:, None] if s.has("w") else x
    return {"gram": u.T @ x * (s.inv_n if s.has("inv_n") else 1), "sums": u.sum(0)}


@reference
def outer_tiles(s):
    m = [np.multiply, np.add, np.subtract][s.choice("op")].outer(s.x, s.y)
    return {"m": m * (s.alpha if s.has("alpha") else 1) + (s.c if s.has("c") else 0)}


@reference
def combine_tiles(s):
    op = s.choice("op")
    r = s.a + s.b if op == 0 else s.a + (s.b - s.a) * s.share if op == 1 else s.a * s.b
    return {"r": r, "rows_out": r.sum(1), "cols_out": r.sum(0)}


@reference
def tiled_attention(s):
    scores = s.scale * np.einsum("hqd,hkd->hqk", s.q, s.k) + (s.bias if s.has("bias") else 0)
    p = softmax(scores)
    return {"y": p @ s.v, "weights_": p}


@reference
def ridge_batch(s):
    n, x = s.a.shape[2], []
    for a, y in zip(s.a, s.y):
        x.append(np.linalg.solve(a.T @ a + s.lam * np.eye(n), a.T @ y + (s.lam * s.prior if s.has("prior") else 0)))
    x = np.array(x)
    return {"x": x, "fit": np.einsum("bij,bj->bi", s.a, x)}


@reference
def cholesky_batch(s):
    g = s.a @ s.a.transpose(0, 2, 1) + s.shift * np.eye(s.a.shape[1])
    low = np.linalg.cholesky(g)
    z = np.array([np.linalg.solve(m, y) for m, y in zip(g, s.y)]) if s.has("y") else None
    return {"l_out": low, "z": z, "logdet": np.linalg.slogdet(g)[1]}


@reference
def triangular_batch(s):
    x = []
    for a, d, b in zip(s.a, s.d, s.b):
        full = a + np.diag(d)
        x.append(np.linalg.solve(np.triu(full) if s.choice("side") else np.tril(full), b))
    x = np.array(x)
    return {"x": x, "chk": (x * x).sum(1)}


@reference
def dense_tiles(s):
    z = s.x @ s.w1 + s.b1
    h = [z / (1 + np.exp(-z)), np.log1p(np.exp(z)), np.maximum(z, 0)][s.choice("act")]
    return {"h_out": h, "y": None}


@reference
def column_reduce(s):
    kind = s.choice("kind")
    sums = [s.x.sum(0) * (s.inv_n if s.has("inv_n") else 1), s.x.sum(0), (s.x**2).sum(0)][kind]
    return {"sums": weighted(s, sums)}
