"""Scattering to grids and tables, one thread after the other."""

import numpy as np
from textbook import reference


def spline2(d):
    a = np.abs(d)
    return np.where(a < 0.5, 0.75 - a**2, np.where(a < 1.5, (1.5 - a) ** 2 / 2, 0.0))


@reference
def p2g_apic(s):
    mass, momentum = np.zeros((8, 8)), np.zeros((8, 8, 2))
    nodes = np.stack(np.indices((8, 8)), -1)
    for i in range(len(s.m)):
        if s.has("dead") and s.dead[i] == 1:
            continue
        d = nodes - s.x[i]
        w = spline2(d).prod(-1) * s.m[i]
        v = s.v[i] + (s.f[i] * s.dt / s.m[i] if s.has("f") and s.has("dt") else 0.0)
        v = v + (d @ s.c[i].T if s.has("c") else 0.0)
        mass += w
        momentum += w[..., None] * v
    return {"grid_m": mass, "grid_mv": momentum}


@reference
def rasterize(s):
    zbuf, drawn = s.zbuf.copy(), 0
    centres = np.stack(np.meshgrid(np.arange(12) + 0.5, np.arange(12) + 0.5), -1)
    for corners in s.tri:
        a, b, c = s.p[corners]
        area = np.linalg.det([b - a, c - a])
        two_sided = s.has("both") and s.both == 1
        if abs(area) < 1e-4 or (area < 0 and not two_sided):
            continue
        weights = np.linalg.solve(np.array([[a[0], b[0], c[0]], [a[1], b[1], c[1]], [1, 1, 1]]),
                                  np.concatenate([centres, np.ones((12, 12, 1))], -1).reshape(-1, 3).T).T.reshape(12, 12, 3)
        z = weights @ s.z[corners]
        inside = (weights >= 0).all(-1) & ((z >= s.near) if s.has("near") else True)
        zbuf = np.where(inside, np.minimum(zbuf, np.trunc(z * 10000)), zbuf)
        drawn += inside.sum()
    return {"zbuf": zbuf, "drawn": [drawn]}


@reference
def hash_insert(s):
    keys = [k for i, k in enumerate(s.k) if not s.has("keep") or s.keep[i] == 1]
    freq = np.bincount(keys, minlength=41)
    return {"distinct": [len(set(keys))], "freq": freq}


@reference
def hook_components(s):
    new, changed, cut = s.next_label.copy(), 0, 0
    for e, (a, b) in enumerate(s.ends):
        if s.has("w") and s.has("limit") and s.w[e] < s.limit:
            cut += 1
            continue
        for n in (a, b):
            new[n] = min(new[n], s.label[a], s.label[b])
        changed += s.label[a] != s.label[b]
    return {"next_label": new, "changed": [changed], "cut": [cut]}


@reference
def color_round(s):
    n = len(s.color)
    out = s.color.copy()
    for i in range(n):
        if s.color[i] >= 0:
            continue
        near = {s.nbr[k] for k in range(s.start[i], s.start[i + 1])} - {i}
        rivals = [j for j in near if s.color[j] < 0]
        if all((s.pr[i], -i) > (s.pr[j], -j) for j in rivals):
            taken = {s.color[j] for j in near}
            out[i] = min(c for c in range(10) if c not in taken)
    new = out[(s.color < 0) & (out >= 0)]
    return {"color_out": out, "left": [np.sum(out < 0)], "used": [max(0, *new)] if len(new) else [0]}


@reference
def bfs_expand(s):
    claimed, edges = -np.ones(len(s.level)), 0
    for i in range(len(s.level)):
        if s.level[i] != s.now or (s.has("blocked") and s.blocked[i] == 1):
            continue
        for k in range(s.start[i], s.start[i + 1]):
            edges += 1
            if s.level[s.nbr[k]] < 0:
                claimed[s.nbr[k]] = s.now + 1
    return {"claimed": claimed, "n_next": [np.sum(claimed >= 0)], "edges_seen": [edges]}


@reference
def boruvka_min(s):
    best, inner = s.best.copy(), 0
    for e, (a, b) in enumerate(s.ends):
        if s.has("alive") and s.alive[e] == 0:
            continue
        ca, cb = s.comp[a], s.comp[b]
        if ca == cb:
            inner += 1
            continue
        key = int(s.w[e] * 100000) * 4096 + e
        best[ca], best[cb] = min(best[ca], key), min(best[cb], key)
    return {"best": best, "inner": [inner]}


@reference
def mark_voxels(s):
    keep = s.skip == 0 if s.has("skip") else np.ones(len(s.x), bool)
    x = s.x[keep]
    g = np.floor((x - s.org) / s.h).astype(int)
    g = g[((g >= 0) & (g < 8)).all(1)]
    codes = g @ [1, 8, 64]
    words, parity = s.occ.astype(int), int(s.parity[0]) if s.has("parity") else 0
    for c in codes:
        words[c // 32] |= 1 << (c % 32)
        parity ^= int(c)
    lo = [np.minimum(s.lo[0], x.min(0))] if s.has("lo") else None
    hi = [np.maximum(s.hi[0], x.max(0))] if s.has("hi") else None
    return {"occ": words, "fresh": [len(set(codes))], "lo": lo, "hi": hi, "parity": [parity]}


@reference
def splat_points(s):
    img, weights, hits = np.zeros((12, 12, 3)), np.zeros((12, 12)), 0
    centres = np.stack(np.meshgrid(np.arange(12) + 0.5, np.arange(12) + 0.5), -1)
    for k in range(len(s.p)):
        t = s.theta[k] if s.has("theta") else 0.0
        turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
        inverse = turn @ np.diag(1 / s.s[k] ** 2) @ turn.T
        d = centres - s.p[k]
        e = np.einsum("ija,ab,ijb->ij", d, inverse, d)
        w = np.where(e <= 9, np.exp(-e / 2), 0) * (s.op[k] if s.has("op") else 1.0)
        img += w[..., None] * s.col[k]
        weights += w
        hits += np.sum(e <= 9)
    return {"img": img, "wsum": weights, "hits": [hits]}


@reference
def hough_lines(s):
    height, width = s.edge.shape
    votes, strength = np.zeros((18, 60)), np.zeros((18, 60))
    reach = np.hypot(height, width)
    for i in range(height):
        for j in range(width):
            if s.edge[i, j] < s.cut:
                continue
            for a in range(18):
                th = np.pi * a / 18
                if s.has("gx") and s.has("gy"):
                    across = abs(np.sin(th - np.arctan2(s.gy[i, j], s.gx[i, j])))
                    if across > float(s.plan["choices"]["tol"]):
                        continue
                b = min(59, int((j * np.cos(th) + i * np.sin(th) + reach) / (2 * reach) * 60))
                votes[a, b] += 1
                strength[a, b] += s.edge[i, j]
    return {"votes": votes, "strength": strength}


@reference
def group_moments(s):
    mass, first, second, spin = np.zeros(4), np.zeros((4, 3)), np.zeros((4, 3, 3)), np.zeros((4, 3))
    reach = s.reach.copy() if s.has("reach") else np.zeros(4)
    for x, m, g, k in zip(s.x, s.m, s.group, range(len(s.m))):
        if g < 0:
            continue
        mass[g] += m
        first[g] += m * x
        outer = np.outer(x, x)
        second[g] += m * (outer if s.choice("form") == 0 else np.trace(outer) * np.eye(3) - outer)
        if s.has("spin") and s.has("v"):
            spin[g] += m * np.cross(x, s.v[k])
        reach[g] = max(reach[g], np.linalg.norm(x))
    return {"mass_sum": mass, "first": first, "second": second, "spin": spin, "reach": reach, "lost": [np.sum(s.group < 0)]}
