"""Scenes of rays and meshes, from the textbook."""

import numpy as np
from textbook import norm, reference


def unit_rows(d):
    return d / np.linalg.norm(d, axis=1, keepdims=True)


@reference
def trace_mesh(s):
    t_out, face = np.full(len(s.o), -1.0), np.full(len(s.o), -1)
    got = s.role("face_out", s.after) if s.has("face_out") else face
    for i, (o, d) in enumerate(zip(s.o, unit_rows(s.d))):
        best = 1e6
        for f, (a, b, c) in enumerate(s.tri):
            if len({a, b, c}) < 3:
                continue
            m = np.column_stack([-d, s.x[b] - s.x[a], s.x[c] - s.x[a]])
            if abs(np.linalg.det(m)) < 1e-7:
                continue
            t, u, v = np.linalg.solve(m, o - s.x[a])
            if u >= 0 and v >= 0 and u + v <= 1 and 0 <= t < best + 1e-9:
                # two faces may have the same three corners: either of them is right
                face[i] = f if t < best - 1e-9 or got[i] == f else face[i]
                best = t_out[i] = min(t, best)
    return {"t_out": t_out, "face_out": face}


@reference
def ray_boxes(s):
    with np.errstate(divide="ignore"):
        ends = np.sort([(s.lo - s.o) / s.d, (s.hi - s.o) / s.d], 0)
    near, far = np.maximum(ends[0].max(1), 0), np.minimum(ends[1].min(1), 1e6)
    hit = near <= far
    return {"t_in": np.where(hit, near, -1), "t_far": np.where(hit, far, -1), "flag_out": hit}


@reference
def vertex_normals(s):
    a, b, c = (s.x[s.tri[:, k]] for k in range(3))
    w = np.cross(b - a, c - a) / 2
    if s.has("flip"):
        w = np.where(s.flip[:, None] == 1, -w, w)
    n = np.zeros_like(s.x)
    for k in range(3):
        np.add.at(n, s.tri[:, k], w)
    return {"n": n, "areas": np.linalg.norm(w, axis=1), "total": [np.linalg.norm(w, axis=1).sum()]}


@reference
def point_triangle(s):
    def nearest(p, a, b, c):
        n = np.cross(b - a, c - a)
        inside = np.linalg.solve(np.column_stack([b - a, c - a, n]), p - a)
        if inside[0] >= 0 and inside[1] >= 0 and inside[0] + inside[1] <= 1:
            return a + inside[0] * (b - a) + inside[1] * (c - a)
        feet = []
        for u, v in ((a, b), (b, c), (c, a)):
            t = np.clip((p - u) @ (v - u) / ((v - u) @ (v - u)), 0, 1)
            feet.append(u + t * (v - u))
        return min(feet, key=lambda q: norm(p - q))
    q = np.array([nearest(*row) for row in zip(s.p, s.a, s.b, s.c)])
    return {"q_out": q, "dist": np.linalg.norm(s.p - q, axis=1)}


@reference
def point_in_polygon(s):
    # the winding number is odd exactly where the crossings are
    turns = np.zeros(len(s.p))
    for a, b in zip(s.poly, np.roll(s.poly, -1, 0)):
        u, v = a - s.p, b - s.p
        turns += np.arctan2(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], np.sum(u * v, 1))
    odd = np.round(turns / (2 * np.pi)).astype(int) % 2
    return {"inside": odd, "total": [odd.sum()]}


@reference
def smooth_mesh(s):
    out = s.x.copy()
    for v in range(len(out)):
        ring = [j for j in s.nb[s.start[v]:s.start[v + 1]] if j != v]
        if ring and not (s.has("fixed") and s.fixed[v] == 1):
            out[v] = (1 - s.lam) * s.x[v] + s.lam * s.x[ring].mean(0)
    return {"x_out": out, "moved": np.linalg.norm(out - s.x, axis=1)}


@reference
def group_bounds(s):
    lower, upper = np.zeros((len(s.start) - 1, 3)), np.zeros((len(s.start) - 1, 3))
    center, radius = lower.copy(), np.zeros(len(lower))
    pad = s.pad if s.has("pad") else 0.0
    for g in range(len(lower)):
        x = s.x[s.start[g]:s.start[g + 1]]
        if len(x):
            lower[g], upper[g], center[g] = x.min(0) - pad, x.max(0) + pad, x.mean(0)
            radius[g] = max(norm(p - center[g]) for p in x)
    return {"lower": lower, "upper": upper, "center": center, "radius_out": radius}


@reference
def box_tree(s):
    def walk(node, p):
        if not (np.all(p[:2] >= s.lo[node][:2]) and np.all(p[:2] <= s.hi[node][:2])):
            return []
        return [node] if node >= 7 else walk(2 * node + 1, p) + walk(2 * node + 2, p)
    leaves = [walk(0, p) for p in s.p]
    return {"hits": [len(l) for l in leaves], "first": [l[0] if l else -1 for l in leaves]}
