"""Numbering and assembly, by numpy's own indexing and by dense matrices."""

import itertools

import numpy as np
from textbook import norm, reference


@reference
def grid_connectivity(s):
    ny, nz = s.ny, s.nz
    nodes, mid, border = [], [], []
    for c in s.cells:
        i, j, k = np.unravel_index(c, (400, ny, nz))
        nodes.append([np.ravel_multi_index((i + a, j + b, k + d), (402, ny + 1, nz + 1)) for d in (0, 1) for b in (0, 1) for a in (0, 1)])
        mid.append((np.array([i, j, k]) + 0.5) * (s.h or 1) + (s.origin if s.has("origin") else 0))
        border.append(i in (0, (s.nx or 0) - 1) or j in (0, ny - 1) or k in (0, nz - 1))
    return {"nodes": nodes, "mid": mid, "border": border}


@reference
def stiffness_triplets(s):
    rows, cols, vals = [], [], []
    for e, ids in enumerate(s.tri):
        p = s.x[ids]
        m = np.column_stack([np.ones(3), p])
        area = abs(np.linalg.det(m)) / 2
        k = np.zeros((3, 3))
        if 2 * area > 1e-3:
            g = np.linalg.inv(m)[1:]
            k = area * g.T @ np.diag([s.kx[e], s.ky[e]]) @ g
            if s.has("react"):
                k += s.react * area / 12 * (np.ones((3, 3)) + np.eye(3))
        if s.has("held"):
            free = s.held[ids] == 0
            k = k * np.outer(free, free) + np.diag(1.0 - free)
        rows.append(np.repeat(ids, 3))
        cols.append(np.tile(ids, 3))
        vals.append(k.ravel())
    return {"rows_out": rows, "cols_out": cols, "vals_out": vals}


@reference
def cell_quadrature(s):
    """The Jacobian by differences of the map."""
    n, m = len(s.mid), len(s.at)
    x, w = np.zeros((n, m, 3)), np.zeros((n, m))
    for e, q in itertools.product(range(n), range(m)):
        def place(t):
            return s.mid[e] + s.half[e] * t + (s.skew_[e] * t.prod() if s.has("skew_") else 0)

        x[e, q] = place(s.at[q])
        jac = np.column_stack([(place(s.at[q] + d) - place(s.at[q] - d)) / 2e-4 for d in 1e-4 * np.eye(3)])
        w[e, q] = max(np.linalg.det(jac), 0) * s.w[q]
    return {"x_out": x, "w_out": w, "total": w.sum(1)}


@reference
def product_entries(s):
    rows = [s.cols[s.start[r]:s.start[r + 1]] for r in range(len(s.start) - 1)]
    n = np.array([sum(s.len_b[c] for c in row) for row in rows])
    return {"most": np.minimum(n, s.width), "dense": n >= s.width, "work": [n.sum()], "uniq": [len(set(row.tolist())) for row in rows]}


@reference
def hash_lookup(s):
    place, tries = [], []
    for key in s.want:
        run = [(int(key) * 7 + int(key) // 8 + t) % 64 for t in range(16)]
        stop = next((t for t, at in enumerate(run) if s.full[at] == 0 or s.keys[at] == key), 15)
        found = s.full[run[stop]] > 0 and s.keys[run[stop]] == key
        place.append(run[stop] if found else -1)
        tries.append(stop + 1)
    place = np.array(place)
    values = np.where(place >= 0, s.val[place], 0) if s.has("val") else None
    return {"place": place, "val_out": values, "probes": tries, "misses": [np.sum(place < 0)]}


@reference
def quadratic_edge_load(s):
    """By Gauss-Legendre points from numpy; the shapes as polynomials through one and zero."""
    points, weights = np.polynomial.legendre.leggauss(3)
    shapes = [np.polynomial.Polynomial.fit([-1, 0, 1], v, 2) for v in np.eye(3)]
    load, lengths = np.zeros_like(s.x), []
    for e, ids in enumerate(s.ids):
        total = 0.0
        for q, w in zip(points, weights):
            d = sum(s.x[n] * f.deriv()(q) for n, f in zip(ids, shapes))
            t = s.t0[e] if not s.has("t1") else s.t0[e] * (1 - q) / 2 + s.t1[e] * (1 + q) / 2
            pull = t * norm(d) + (s.follow * np.array([d[1], -d[0]]) if s.has("follow") else 0)
            for n, f in zip(ids, shapes):
                load[n] += w * f(q) * pull
            total += w * norm(d)
        lengths.append(total)
    return {"load": load, "len_out": lengths}
