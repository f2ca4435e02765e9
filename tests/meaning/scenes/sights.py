"""Scenes of seeing and mapping, from the textbook."""

import numpy as np
from rotations import rotation_about
from textbook import hat, reference


@reference
def gaussian_splats(s):
    n, m = np.shape(s.role("color_out", s.after))[:2]
    color, alpha, used = np.zeros((n, m, 3)), np.zeros((n, m)), np.zeros((n, m))
    cov = s.spread @ np.swapaxes(s.spread, 1, 2) + 0.05 * np.eye(2)
    for i in range(n):
        for j in range(m):
            p = 2 * s.extent * np.array([(i + 0.5) / n - 0.5, (j + 0.5) / m - 0.5])
            d = p - s.center
            weights = np.minimum(s.opac * np.exp(-np.sum(d * np.linalg.solve(cov, d[..., None])[..., 0], 1) / 2), 0.99)
            left = 1.0
            for k, a in enumerate(weights):
                if a < 1 / 255:
                    continue
                color[i, j] += left * a * s.tint[k]
                left *= 1 - a
                used[i, j] += 1
                if left < s.plan["choices"]["stop"]:
                    break
            color[i, j] += left * np.asarray(s.back) if s.has("back") else 0.0
            alpha[i, j] = 1 - left
    return {"color_out": color, "alpha_out": alpha, "used": used}


@reference
def tsdf_fusion(s):
    tsdf, weight, skipped = s.tsdf.copy(), s.weight_v.copy(), 0
    r = rotation_about(np.asarray(s.turn))
    for index in np.ndindex(tsdf.shape):
        x = (np.array(index) + 0.5) * s.voxel - [1, 1, -0.5]
        p = r @ (x - s.eye)
        if p[2] < 0.1:
            continue
        pixel = np.floor(6 + 8 * p[:2] / p[2]).astype(int)
        if np.any(pixel < 0) or np.any(pixel > 11):
            skipped += 1
            continue
        gap = s.image[tuple(pixel)] - p[2]
        if gap < -s.trunc:
            continue
        w = weight[index]
        tsdf[index] = np.average([tsdf[index], min(gap / s.trunc, 1)], weights=[w, 1])
        weight[index] = min(w + 1, s.w_max) if s.has("w_max") else w + 1
    return {"tsdf": tsdf, "weight_v": weight, "skipped": [skipped]}


@reference
def sgm_rows(s):
    price = np.minimum(np.abs(np.subtract.outer(np.arange(8), np.arange(8))), 2)
    price = np.choose(price, [0.0, s.p1, s.p2])
    total, jumps = s.cost.copy(), []
    for r in range(len(total)):
        for c in range(1, total.shape[1]):
            before = total[r, c - 1]
            # any change costs the large penalty at most
            way = np.minimum((before + price).min(1), before.min() + s.p2)
            total[r, c] += way - before.min()
        jumps.append((np.abs(np.diff(total[r].argmin(1))) > 1).sum())
    return {"total": total, "disp": total.argmin(2), "jumps": jumps}


@reference
def fast_corners(s):
    ring = [(0, 3), (1, 3), (2, 2), (3, 1), (3, 0), (3, -1), (2, -2), (1, -3), (0, -3), (-1, -3), (-2, -2), (-3, -1), (-3, 0), (-3, 1), (-2, 2), (-1, 3)]
    n, m = s.image.shape
    corner, strength = np.zeros((n, m)), np.zeros((n, m))
    for i in range(3, n - 3):
        for j in range(3, m - 3):
            d = np.array([s.image[i + a, j + b] for a, b in ring]) - s.image[i, j]
            arcs = [[d[(k + q) % 16] for q in range(9)] for k in range(16)]
            if any(min(a) > s.t or max(a) < -s.t for a in arcs):
                corner[i, j], strength[i, j] = 1, np.maximum(np.abs(d) - s.t, 0).sum()
    return {"corner": corner, "strength": strength, "total": [corner.sum()]}


@reference
def hash_encoding(s):
    feat = np.zeros((len(s.p), 4))
    for q, p in enumerate(s.p):
        for l in range(4):
            at = p * np.floor(s.base * s.grow**l)
            cell, frac = np.floor(at).astype(int), at - np.floor(at)
            for a in (0, 1):
                for b in (0, 1):
                    slot = (int(cell[0] + a) ^ int(cell[1] + b) * 2654435761 % 2**32) % 32
                    feat[q, l] += s.table[l, slot] * (frac[0] if a else 1 - frac[0]) * (frac[1] if b else 1 - frac[1])
    return {"feat": feat, "norm_out": np.linalg.norm(feat, axis=1)}


@reference
def barnes_hut(s):
    acc, opened, phi = [], [], []
    for x in s.x:
        def walk(n):
            d = s.cell_c[n] - x
            r = np.sqrt(d @ d + s.soft**2)
            if n >= 5 or s.size[n] < s.theta * r:
                return s.cell_m[n] * d / r**3, 1, -s.cell_m[n] / r
            parts = [walk(4 * n + k) for k in (1, 2, 3, 4)]
            return tuple(sum(p[k] for p in parts) for k in range(3))
        a, n, p = walk(0)
        acc.append(a), opened.append(n), phi.append(p)
    return {"acc": acc, "opened": opened, "phi": phi}


@reference
def vertex_face_ccd(s):
    toi, hits, where = [], [], []
    for p, a, b, c, vp, va, vb, vc in zip(s.p, s.a, s.b, s.c, s.vp, s.va, s.vb, s.vc):
        def volume(t):
            rows = [q + v * t - a - va * t for q, v in ((p, vp), (b, vb), (c, vc))]
            return np.linalg.det(rows)
        times = np.linspace(0, 1, int(s.steps) + 1)
        signs = [volume(t) for t in times]
        at = next((k for k in range(int(s.steps)) if signs[k] * signs[k + 1] <= 0), None)
        where.append(np.zeros(3))
        if at is None:
            toi.append(-1.0), hits.append(0)
            continue
        low, high, first = times[at], times[at + 1], signs[at]
        for _ in range(int(s.rounds)):
            mid = (low + high) / 2
            low, high = (low, mid) if first * volume(mid) <= 0 else (mid, high)
        toi.append(high)
        e1, e2, d = (q + v * high - a - va * high for q, v in ((b, vb), (c, vc), (p, vp)))
        n = np.cross(e1, e2)
        if n @ n < 1e-4:
            hits.append(0)
            continue
        # least squares in the plane gives the weights
        u, v = np.linalg.lstsq(np.column_stack([e1, e2]), d, rcond=None)[0]
        where[-1] = np.array([1 - u - v, u, v])
        hits.append(u >= 0 and v >= 0 and u + v <= 1)
    return {"toi": toi, "hit": hits, "where": where}


@reference
def volume_render(s):
    color, trans, depth = [], [], []
    for o, d in zip(s.o, s.d):
        light, left, first = np.zeros(3), 1.0, -1.0
        for k in range(int(s.steps)):
            t = s.step * (k + 0.5)
            p = o + hat(d) * t
            if p.min() < 0 or p.max() >= 7:
                break
            i = np.floor(p).astype(int)
            f = p - i
            box = s.grid_v[i[0]:i[0] + 2, i[1]:i[1] + 2, i[2]:i[2] + 2]
            v = np.einsum("abc,a,b,c", box, *[np.array([1 - w, w]) for w in f])
            if v < s.low:
                continue
            first = t if first < 0 else first
            kept = np.exp(-s.sigma * (v - s.low) * s.step)
            tint = np.asarray(s.cold) * (1 - v) + np.asarray(s.hot) * v if s.has("cold") else np.asarray(s.hot) * v
            light, left = light + left * (1 - kept) * tint, left * kept
            if left < s.plan["choices"]["dark"]:
                break
        color.append(light), trans.append(left), depth.append(first)
    return {"color_out": color, "trans_out": trans, "depth_out": depth}
