"""Scenes of arrays of four axes, small numbers and draws, with whole-array numpy."""

import numpy as np
from streams import Stream
from textbook import reference


@reference
def normalize_images(s):
    img = s.img.astype(float)
    if s.has("mirror"):
        img = np.where((s.mirror == 1)[:, None, None, None], img[:, :, ::-1], img)
    t = ((img / 255 - s.mean) / s.std).transpose(0, 3, 1, 2)
    return {"tensor": t}


@reference
def draw_boxes(s):
    out, changed = s.img.astype(int).copy(), []
    for n, ((y, x), size) in enumerate(zip(s.corner, s.size)):
        area = np.zeros(out.shape[1:3], bool)
        area[y:y + size, x:x + size] = True
        if s.has("edge_only"):
            e = int(s.edge_only)
            if size > 2 * e:
                area[y + e:y + size - e, x + e:x + size - e] = False
        mixed = np.floor(out[n] * (1 - s.alpha) + s.tint[n] * s.alpha + 0.5)
        out[n] = np.where(area[..., None], mixed, out[n])
        changed.append(area.sum())
    return {"img": out, "changed": changed}


@reference
def depthwise_conv(s):
    wide = np.pad(s.x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    h, w = s.x.shape[1:3]
    z = sum(wide[:, a:a + h, b:b + w] * s.w[a, b] for a in range(3) for b in range(3)) + (s.b if s.has("b") else 0)
    z = [z, np.maximum(z, 0), z / (1 + np.exp(-z))][s.choice("act")]
    z = z + (s.skip * s.x if s.has("skip") else 0)
    return {"y": z, "live": np.sum(z > 0, (0, 1, 2))}


@reference
def attention_heads(s):
    t = np.arange(s.q.shape[2])
    score = np.einsum("bhid,bhjd->bhij", s.q, s.k) / 2
    if s.has("slope"):
        score = score - s.slope[None, :, None, None] * np.abs(t[:, None] - t)
    hide = np.zeros(score.shape, bool)
    if s.choice("causal"):
        hide |= t > t[:, None]
    if s.has("pad"):
        hide |= (s.pad == 1)[:, None, None, :] & (t != t[:, None])
    score = np.where(hide, -np.inf, score)
    weight = np.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    return {"y": np.einsum("bhij,bhjd->bhid", weight, s.v), "top": weight.max(-1)}


@reference
def lattice_transport(s):
    wall_here = s.solid == 1 if s.has("solid") else np.zeros(s.f.shape[:3], bool)
    c = np.where(wall_here, 0, s.f.sum(-1))
    move = [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    weight = np.array([1 / 4] + [1 / 8] * 6)
    flow = np.array(move) @ (np.asarray(s.drift) if s.has("drift") else np.zeros(3))
    after = s.f + s.omega * (weight * c[..., None] * (1 + 4 * flow) - s.f)
    g = np.zeros_like(after)
    for q, e in enumerate(move):
        here = np.where(wall_here, 0, after[..., q])
        if not s.has("solid"):
            g[..., q] += np.roll(here, e, (0, 1, 2))
            continue
        wall = np.roll(s.solid, tuple(-k for k in e), (0, 1, 2)) == 1
        g[..., q] += np.roll(np.where(wall, 0, here), e, (0, 1, 2))
        g[..., move.index(tuple(-k for k in e))] += np.where(wall, here, 0)
    return {"g": g, "c_out": c}


@reference
def voxelize_batch(s):
    grid = np.zeros((s.p.shape[0], 8, 8, 8))
    hits = np.zeros(len(grid))
    for b, i in np.ndindex(s.p.shape[:2]):
        if s.has("valid") and s.valid[b, i] == 0:
            continue
        at = s.p[b, i] * 7
        hat = [np.maximum(0, 1 - np.abs(np.arange(8) - x)) for x in at]
        grid[b] += np.einsum("i,j,k->ijk", *hat) * (s.m[b, i] if s.has("m") else 1)
        hits[b] += 1
    return {"grid4": grid, "hits": hits}


@reference
def grid_features(s):
    feat = []
    for p in s.p * 5:
        if s.choice("read"):
            feat.append(s.lat[tuple(np.floor(p + 0.5).astype(int))])
        else:
            hat = [np.maximum(0, 1 - np.abs(np.arange(6) - x)) for x in p]
            feat.append(np.einsum("i,j,k,ijkc->c", *hat, s.lat))
    z = np.array(feat) @ s.w + (s.b if s.has("b") else 0)
    return {"feat": feat, "y": [np.tanh(z), 1 / (1 + np.exp(-z)), np.where(z > 0, z, 0.1 * z)][s.choice("out")]}


@reference
def draw_labels(s):
    first, repeats, tally = [], [], np.zeros(6)
    for r, w in enumerate(s.w):
        cdf = np.cumsum(w ** (s.sharp if s.has("sharp") else 1))
        cdf, stream = cdf / cdf[-1], Stream(s.seed, r)
        picks = [int(np.searchsorted(cdf, stream.unit())) for _ in range(int(s.draws) if s.has("draws") else 1)]
        first.append(picks[0])
        repeats.append(picks[1:].count(picks[0]))
        tally += np.bincount(picks, minlength=6)
    return {"first": first, "repeats": repeats, "tally": tally}


@reference
def mixture_points(s):
    xy, which, gap = [], [], []
    cdf = np.cumsum(s.share) / np.sum(s.share)
    for i in range(s.count("sample")):
        stream = Stream(s.seed, i)
        k = int(np.searchsorted(cdf, stream.unit()))

        def normal():
            u, v = stream.unit(), stream.unit()
            return np.sqrt(-2 * np.log(u + 5.96e-8)) * np.cos(2 * np.pi * v)
        off = np.array([2 * stream.unit() - 1, 2 * stream.unit() - 1] if s.choice("shape") else [normal(), normal()]) * s.spread
        xy.append(s.mu[k] + off)
        which.append(k)
        gap.append(off @ off)
    return {"xy": xy, "which": which, "gap": gap, "used": np.bincount(which, minlength=5)}


@reference
def int8_layer(s):
    x = s.x.astype(int) - (int(s.zero) if s.has("zero") else 0)
    acc = x @ s.w.astype(int) + (s.bias.astype(int) if s.has("bias") else 0)
    v = np.floor(acc / 2 ** int(s.shift) + 0.5)
    low = 0 if s.choice("range") else -127
    over = v > 127 if s.choice("range") else np.abs(v) > 127
    return {"y": np.clip(v, low, 127), "clipped": over.sum(1)}


@reference
def correct_counts(s):
    h, w = s.raw.shape
    clean, lost, bright = np.zeros((h, w)), 0, 0
    for y, x in np.ndindex(h, w):
        v = int(s.raw[y, x])
        if s.has("dead") and s.dead[y, x] == 1:
            near = [int(s.raw[b, a]) for b in range(max(y - 1, 0), min(y + 2, h)) for a in range(max(x - 1, 0), min(x + 2, w)) if s.dead[b, a] == 0]
            if not near:
                lost += 1
                continue
            v = sum(near) // len(near)
        if v >= s.full:
            clean[y, x] = 4095
            bright += 1
            continue
        v = max(v - int(s.dark), 0)
        clean[y, x] = min(v * int(s.gain_num[y, x]) // 256, 4095) if s.has("gain_num") else v
    return {"clean": clean, "lost": [lost], "bright": [bright]}


@reference
def repair_scan(s):
    r = np.array([[0.001 * x, np.inf, np.nan][int(k)] for x, k in zip(s.raw, s.status)])
    clean, n = [], len(r)
    for i, x in enumerate(r):
        near = [y for y in (r[max(i - 1, 0)], r[min(i + 1, n - 1)]) if np.isfinite(y)]
        clean.append(min(s.max_range, x if x == x else np.mean(near) if near else s.fallback) if near or x == x else s.fallback)
    edge = None
    if s.has("jump"):
        step = np.abs(np.append(r[1:], r[-1]) - r)
        edge = np.isfinite(step) & (step > s.jump)
    return {"clean": clean, "failed_count": [np.isnan(r).sum()], "edge_out": edge}


@reference
def orient_tets(s):
    vol, order, nodal, turned, flat = [], [], np.zeros(len(s.x)), 0, 0
    for c in s.corners.astype(int):
        v = np.linalg.det(s.x[c[1:]] - s.x[c[0]]) / 6
        c = list(c)
        if abs(v) < s.tiny:
            vol.append(0)
            order.append(c)
            flat += 1
            continue
        if v < 0:
            c = [c[0], c[1], c[3], c[2]]
            turned += 1
        vol.append(abs(v))
        order.append(c)
        for k in c:
            nodal[k] += s.rho * abs(v) / 4 if s.has("rho") else 0
    return {"vol_out": vol, "fixed_out": order, "nodal": nodal, "flipped": [turned], "flat_n": [flat]}
