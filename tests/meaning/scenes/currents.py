"""Currents on grids by shifted arrays, meshes by loops over their rings."""

import numpy as np
from textbook import cross, hat, norm, reference


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


def shifted(a, axis, by):
    """The neighbours along an axis; at the border the cell itself."""
    index = np.clip(np.arange(a.shape[axis]) + by, 0, a.shape[axis] - 1)
    return np.take(a, index, axis)


@reference
def confine_vorticity(s):
    size = np.linalg.norm(s.w, axis=-1)
    g = np.stack([(shifted(size, k, 1) - shifted(size, k, -1)) / (2 * s.h) for k in range(3)], -1)
    length = np.linalg.norm(g, axis=-1, keepdims=True)
    f = np.where(length > 1e-4, np.cross(g / np.maximum(length, 1e-12), s.w) * s.eps * s.h, 0.0)
    if s.has("temp") and s.has("t_air") and s.has("lift"):
        f[..., 1] += s.lift * (s.temp - s.t_air)
    if s.has("smoke") and s.has("weight_"):
        f[..., 1] -= s.weight_ * s.smoke
    v = s.v + s.dt * f
    if s.has("solid"):
        v[s.solid == 1] = 0
    return {"v": v}


@reference
def sharpened_advection(s):
    rows, cols = s.old.shape
    out, count = np.zeros((rows, cols)), 0
    for i, j in np.ndindex(rows, cols):
        x = np.clip(np.array([i, j]) - s.v[i, j] * s.dt / s.h, 0, [rows - 1.001, cols - 1.001])
        a, b = x.astype(int)
        near = s.old[a:a + 2, b:b + 2]
        raw = s.ahead[i, j] + (s.old[i, j] - s.again[i, j]) / 2 * (s.strength if s.has("strength") else 1)
        outside = not near.min() <= raw <= near.max()
        count += outside
        out[i, j] = raw if not outside else s.ahead[i, j] if s.choice("limiter") else np.clip(raw, near.min(), near.max())
    return {"out_f": out, "limited": [count]}


@reference
def capillary_force(s):
    rows, cols = s.c.shape
    g = np.zeros((rows, cols, 2))
    g[1:-1, :, 0] = (s.c[2:] - s.c[:-2]) / (2 * s.h)
    g[:, 1:-1, 1] = (s.c[:, 2:] - s.c[:, :-2]) / (2 * s.h)
    length = np.linalg.norm(g, axis=2, keepdims=True)
    n = np.where(length >= 1e-3, g / np.maximum(length, 1e-12), 0)
    kappa = np.zeros((rows, cols))
    kappa[1:-1, 1:-1] = -(n[2:, 1:-1, 0] - n[:-2, 1:-1, 0] + n[1:-1, 2:, 1] - n[1:-1, :-2, 1]) / (2 * s.h)
    kappa = np.clip(kappa, -1 / s.h, 1 / s.h)
    use = np.zeros((rows, cols), bool)
    use[2:-2, 2:-2] = length[2:-2, 2:-2, 0] >= number(s, "flat")
    return {"f": g * (s.sigma * kappa * use)[..., None], "kappa_out": kappa * use, "band": use}


def melt_state(s, h):
    t = np.where(h < 0, h / s.cs, np.where(h < s.latent, 0, (h - s.latent) / s.cl))
    return t, np.clip(h / s.latent, 0, 1)


@reference
def melt_step(s):
    t, l = melt_state(s, s.ent)
    k = s.ks + (s.kl - s.ks) * l
    flow = np.zeros_like(t)
    for axis in (0, 1):
        for by in (-1, 1):
            flow += 2 / (1 / k + 1 / shifted(k, axis, by)) * (shifted(t, axis, by) - t) / s.h
            if s.has("bath"):
                rim = [slice(None)] * 2
                rim[axis] = 0 if by < 0 else -1
                flow[tuple(rim)] += (k * (s.bath - t) / s.h)[tuple(rim)]
    new = s.ent + flow * s.dt / s.h
    t, l = melt_state(s, new)
    return {"ent_out": new, "molten_out": l, "t_out": t}


@reference
def shallow_ice(s):
    surface = s.bed + s.thk
    net, top = np.zeros_like(surface), np.zeros_like(surface)
    for axis in (0, 1):
        for by in (-1, 1):
            other = shifted(s.thk, axis, by)
            slope = (shifted(surface, axis, by) - surface) / s.h
            mean = (s.thk + other) / 2
            d = s.gamma * mean**5 * slope**2
            d = np.where(np.where(slope > 0, other, s.thk) <= 0, 0, d)
            net += d * slope / s.h
            top = np.maximum(top, d * abs(slope) / np.maximum(mean, 0.01))
    new = s.thk + s.dt * (net + (s.balance if s.has("balance") else 0))
    return {"thk_out": np.maximum(new, 0), "speed_out": top, "bare": new <= number(s, "bare")}


@reference
def aquifer_step(s):
    rock, river = s.use == 3, s.use == 1
    head = np.where(river, s.stage, s.head_)
    rows, cols = head.shape
    new, dry = head.copy(), np.zeros((rows, cols))
    for i, j in np.ndindex(rows, cols):
        if rock[i, j] or river[i, j]:
            new[i, j] = s.head_[i, j] if rock[i, j] else s.stage
            dry[i, j] = rock[i, j]
            continue
        flow = 0.0
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= a < rows and 0 <= b < cols and not rock[a, b]:
                k = 2 / (1 / s.k[i, j] + 1 / s.k[a, b])
                flow += k * (head[a, b] ** 2 - head[i, j] ** 2) / 2 / s.h**2
        flow += s.rain if s.has("rain") else 0
        if s.use[i, j] == 2 and head[i, j] > number(s, "intake"):
            flow -= s.pump / s.h**2
        new[i, j] = max(head[i, j] + flow * s.dt / s.sy, 0)
        dry[i, j] = new[i, j] < number(s, "shallow")
    return {"head_out": new, "dry": dry}


@reference
def ring_walk(s):
    means, degree, border, lap = [], [], [], []
    for v, first in enumerate(s.out_edge):
        h, seen, open_ = first, [], 0
        while len(seen) < 12:
            seen.append(s.to[h])
            if s.twin[h] == h:
                open_ = 1
                break
            h = s.nxt[s.twin[h]]
            if h == first:
                break
        means.append(s.x[seen].mean(0))
        degree.append(len(seen))
        border.append(open_)
        lap.append(means[-1] - s.x[v])
    return {"mean_out": means, "valence": degree, "border": border, "lap": lap}


@reference
def classify_edges(s):
    kinds, folds, degree = [], [], np.zeros(len(s.x))
    for ids in s.ids:
        a, b, c, d = s.x[ids]
        n1, n2 = cross(b - a, c - a), cross(d - a, b - a)
        if ids[2] == ids[3] or min(norm(n1), norm(n2)) < number(s, "thin"):
            kinds.append(3)
            folds.append(0)
            continue
        n1, n2 = hat(n1), hat(n2)
        fold = np.arccos(np.clip(n1 @ n2, -1, 1)) * (1 if cross(n1, n2) @ (b - a) > 0 else -1)
        folds.append(fold)
        kinds.append(0 if abs(fold) <= s.limit else 1 if fold > 0 else 2)
        if kinds[-1]:
            degree[ids[0]] += 1
            degree[ids[1]] += 1
    return {"class_out": kinds, "fold_out": folds, "degree_": degree, "sharp": [sum(k in (1, 2) for k in kinds)]}


@reference
def bilateral_normals(s):
    n = s.n / np.maximum(np.linalg.norm(s.n, axis=1), 0.01)[:, None]
    area = s.a if s.has("a") else np.ones(len(n))
    out, change = [], []
    for i in range(len(n)):
        acc = n[i] * area[i]
        for j in s.ring[s.start[i]:s.start[i + 1]]:
            if j != i:
                acc = acc + n[j] * area[j] * np.exp(-(norm(s.c[j] - s.c[i]) / s.ss) ** 2 / 2 - (norm(n[j] - n[i]) / s.sr) ** 2 / 2)
        flat = norm(acc) < 1e-3
        out.append(n[i] if flat else hat(acc))
        change.append(0 if flat else np.arccos(np.clip(hat(n[i]) @ hat(acc), -1, 1)))
    return {"n_out": out, "change": None if min(change) < 1e-3 else change}


@reference
def loop_vertices(s):
    out = []
    for v, p in enumerate(s.x[:len(s.start) - 1]):
        ring = s.x[s.ring[s.start[v]:s.start[v + 1]]]
        n = len(ring)
        if n < 2 or (s.has("crease") and s.crease[v] == 1):
            out.append(p)
        elif s.has("border") and s.border[v] == 1:
            out.append(0.75 * p + 0.125 * (ring[0] + ring[-1]))
        else:
            share = n * (3 / 16 if n == 3 else 3 / (8 * n)) if s.choice("weights") else 5 / 8 - (3 / 8 + np.cos(2 * np.pi / n) / 4) ** 2
            out.append((1 - share) * p + share * ring.mean(0))
    return {"x_out": out, "shift": np.linalg.norm(np.array(out) - s.x[:len(out)], axis=1)}


@reference
def uv_stretch(s):
    stretch, angle, flipped, total = [], [], [], 0.0
    for ids in s.tri:
        flat = (s.uv[ids][1:] - s.uv[ids][0]).T
        det = np.linalg.det(flat)
        flipped.append(det < -0.0001)
        if abs(det) < number(s, "line"):
            stretch.append(0)
            angle.append(0)
            continue
        sv = np.linalg.svd((s.x[ids][1:] - s.x[ids][0]).T @ np.linalg.inv(flat))[1]
        stretch.append(sv[0] if s.choice("measure") else np.sqrt(np.mean(sv**2)))
        mid, disc = np.mean(sv**2), np.sqrt(((sv[0] ** 2 - sv[1] ** 2) / 2) ** 2 + 1e-8)
        angle.append(min(np.sqrt(mid + disc) / np.sqrt(max(mid - disc, 0) + 1e-6), number(s, "cap")))
        if s.choice("measure"):
            stretch[-1] = np.sqrt(mid + disc)
        total += stretch[-1] * abs(det)
    return {"stretch_out": stretch, "angle_out": angle, "flipped": flipped, "total": [total]}


@reference
def mean_value(s):
    angles = np.arange(len(s.r)) * 2 * np.pi / len(s.r)
    cage = s.r * np.exp(1j * angles)
    out, sums, near = [], [], []
    for p in s.p:
        spoke = cage - complex(*p)
        tan = np.tan(np.angle(np.roll(spoke, -1) / spoke) / 2)
        w = (tan + np.roll(tan, 1)) / np.maximum(abs(spoke), 1e-3)
        out.append(w @ s.val / w.sum())
        sums.append(w.sum())
        near.append(abs(spoke).min() < number(s, "close"))
    return {"val_out": out, "sum_out": sums, "near": near}
