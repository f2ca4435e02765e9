"""The plain scenes of particles, grids, bars, tables and graphs, from the textbook."""

import itertools

import numpy as np
from textbook import hat, norm, reference


def number(s, tag):
    return s.plan["choices"][tag]


@reference
def sph_density(s):
    r2 = np.sum((s.x[:, None] - s.x[None]) ** 2, -1)
    kernel = 315 / (64 * np.pi * s.h**9) * np.maximum(s.h**2 - r2, 0) ** 3
    rho = kernel @ s.m
    return {"rho": np.where(s.active == 0, 0.0, rho) if s.has("active") else rho}


@reference
def integrate(s):
    v = s.v + s.dt * (s.f * s.w[:, None] + [0, -9.81, 0])
    x = s.x + s.dt * v
    below = x[:, 1] < 0
    x[below, 1] = 0
    falling = below & (v[:, 1] < 0)
    v[falling, 1] *= -(s.e or 0)
    if s.has("pinned"):
        held = (s.pinned == 1)[:, None]
        x, v = np.where(held, s.x, x), np.where(held, s.v, v)
    return {"x": x, "v": v}


@reference
def springs(s):
    f = np.zeros_like(s.x)
    for (a, b), rest in zip(s.ends, s.l0):
        if a == b:
            continue
        d = s.x[b] - s.x[a]
        pull = (s.k * (norm(d) - rest) + s.kd * (s.v[b] - s.v[a]) @ hat(d)) * hat(d)
        f[a] += pull
        f[b] -= pull
    return {"f": f}


@reference
def heat_step(s):
    p = np.pad(s.u, 1, "edge")
    new = s.u + s.alpha * s.dt / s.dx**2 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * s.u)
    if s.choice("edge"):
        new[[0, -1]], new[:, [0, -1]] = s.u[[0, -1]], s.u[:, [0, -1]]
    return {"out_u": new}


@reference
def face_normals(s):
    c = np.cross(s.x[s.tri[:, 1]] - s.x[s.tri[:, 0]], s.x[s.tri[:, 2]] - s.x[s.tri[:, 0]])
    twice = np.linalg.norm(c, axis=1)
    flat = twice < 1e-8
    n = c / np.where(flat, 1, twice)[:, None]
    got = s.role("n", s.after)
    # a triangle without area has no normal: either nothing or the upward direction
    n[flat] = np.where(np.abs(got[flat]).sum(1, keepdims=True) > 0, [0.0, 1.0, 0.0], 0.0)
    return {"n": n, "a": np.where(flat, 0.0, twice / 2)}


@reference
def softmax(s):
    z = s.x / (s.tau if s.has("tau") else 1.0)
    return {"p": np.exp(z - np.logaddexp.reduce(z, 1)[:, None])}


@reference
def histogram(s):
    bins = len(s.role("hist", s.args))
    t = (s.x - s.lo) / (s.hi - s.lo)
    ok = s.mask != 0 if s.has("mask") else np.ones(len(t), bool)
    if s.choice("drop"):
        ok &= (t >= 0) & (t < 1)
    at = np.clip(np.trunc(t * bins), 0, bins - 1).astype(int)
    return {"hist": np.bincount(at[ok], minlength=bins)}


@reference
def nearest(s):
    ids, dist = [], []
    for p in s.q:
        d = np.linalg.norm(s.c - p, axis=1) - s.r
        near = np.flatnonzero(d < s.reach)
        best = near[np.argmin(d[near])] if len(near) else -1
        if s.choice("first") and np.any(d < 0):
            best = np.flatnonzero(d < 0)[0]
        ids.append(best)
        dist.append(d[best] if best >= 0 else s.reach)
    return {"best_id": ids, "best_d": dist}


@reference
def segment_mean(s):
    means = []
    for a, b in zip(s.start[:-1], s.start[1:]):
        means.append(np.average(s.x[a:b], weights=s.w[a:b] if s.has("w") else None) if b > a else 0.0)
    return {"mean_out": means}


@reference
def tet_deformation(s):
    p = s.x[s.tet_ids]
    f = np.einsum("tci,tcj->tij", p[:, 1:] - p[:, :1], s.inv_rest)
    det = np.linalg.det(f)
    return {"f": f, "j": det, "vol": np.abs(det) * s.rest_volume if s.has("rest_volume") else None}


@reference
def neo_hookean(s):
    mu, lam = s.young / (2 * (1 + s.nu)), s.young * s.nu / ((1 + s.nu) * (1 - 2 * s.nu))

    def energy(f):
        j = np.linalg.det(f)
        return mu / 2 * (np.sum(f * f) - 3) - mu * np.log(j) + lam / 2 * np.log(j) ** 2

    stress, psi = np.zeros_like(s.grad_u), np.zeros(len(s.grad_u))
    for e, h in enumerate(s.grad_u):
        f = np.eye(3) + h
        if np.linalg.det(f) < number(s, "inverted"):
            continue
        psi[e] = energy(f)
        for i, j in itertools.product(range(3), repeat=2):
            step = np.zeros((3, 3))
            step[i, j] = 1e-5
            stress[e, i, j] = (energy(f + step) - energy(f - step)) / 2e-5
    return {"p": stress, "psi": psi}


@reference
def truss(s):
    r, strain = np.zeros_like(s.x), []
    for e, (i, j) in enumerate(s.ends):
        if i == j:
            strain.append(0.0)
            continue
        d = s.x[j] - s.x[i]
        eps = (s.u[j] - s.u[i]) @ hat(d) / (s.l0[e] if s.has("l0") else norm(d))
        eps = max(eps, 0.0) if s.choice("cable") else eps
        strain.append(eps)
        r[i] += s.young * s.a[e] * eps * hat(d)
        r[j] -= s.young * s.a[e] * eps * hat(d)
    return {"r": r, "strain_out": strain}


@reference
def interpolate_linear(s):
    a, b = s.bary[:, 0], s.bary[:, 1]
    beyond = a + b > 1
    a, b = np.where(beyond, 1 - a, a), np.where(beyond, 1 - b, b)
    corners = s.field[s.tri_ids[s.where_]]
    return {"val": np.sum(corners * np.stack([1 - a - b, a, b], 1), 1)}


@reference
def gauss(s):
    z, w = np.polynomial.legendre.leggauss(3 if s.choice("points") else 2)
    mid, half = (s.left + s.right) / 2, (s.right - s.left) / 2
    total = half * np.sum(w * np.sin(s.k * (mid[:, None] + half[:, None] * z)), 1) * (s.weight_fn if s.has("weight_fn") else 1.0)
    return {"total_out": total, "mean_out": total / (s.right - s.left)}


@reference
def lumped_mass(s):
    m, count = np.zeros(len(s.x)), np.zeros(len(s.x))
    for ids in s.tri_ids:
        p = s.x[ids]
        for k in ids:
            m[k] += norm(np.cross(p[1] - p[0], p[2] - p[0])) / 2 / 3 * (s.rho if s.has("rho") else 1.0)
            count[k] += 1
    return {"m": m, "count_out": count}


@reference
def jacobi(s):
    new = s.phi.copy()
    inner = (s.phi[2:, 1:-1] + s.phi[:-2, 1:-1] + s.phi[1:-1, 2:] + s.phi[1:-1, :-2] + s.h**2 * s.rho[1:-1, 1:-1]) / 4
    new[1:-1, 1:-1] = inner
    if s.has("fixed_"):
        new = np.where(s.fixed_ == 1, s.phi, new)
    res = new - s.phi
    return {"phi_out": s.phi + res * (s.omega if s.has("omega") else 1.0), "res": res}


@reference
def bvh_query(s):
    n, pad = len(s.lower), s.pad if s.has("pad") else 0.0
    inside = np.all((s.p[:, None] >= s.lower - pad) & (s.p[:, None] <= s.upper + pad), 2)
    hits, visited = [], []
    for row in inside:
        def walk(k):
            """Leaves and visited nodes below a node, the right child first, up to the limit."""
            nonlocal left
            if left == 0:
                return 0, 0
            if not row[k]:
                return 0, 1
            if 2 * k + 2 >= n:
                left -= 1
                return 1, 1
            (a, b), (c, d) = walk(2 * k + 2), walk(2 * k + 1)
            return a + c, b + d + 1
        left = int(s.limit) if s.has("limit") else -1
        found, seen = walk(0)
        hits.append(found)
        visited.append(seen)
    return {"hits": hits, "visited": visited}


@reference
def relax_edges(s):
    best = s.best.copy()
    for (u, v), w in zip(s.ends, s.w):
        ways = [(u, v), (v, u)] if s.choice("both") else [(u, v)]
        for a, b in ways:
            if a != b and s.cost[a] + w < s.cost[b]:
                best[b] = min(best[b], s.cost[a] + w)
    return {"best": best}


@reference
def pagerank(s):
    n = len(s.rank)
    links = np.zeros((n, n))
    for i in range(n):
        for k in s.src[s.start[i]:s.start[i + 1]]:
            links[i, int(k)] += 1 / s.deg[int(k)]
    new = (1 - s.damp) / n + s.damp * links @ s.rank
    return {"rank_out": new, "change": [np.abs(new - s.rank).sum()]}


@reference
def insertion_sort(s):
    x = np.sort(s.x, 1)
    return {"x": x, "low": x[:, 0], "med": np.median(x, 1)}


@reference
def table_lookup(s):
    knots = s.x0 + np.concatenate([[0], np.cumsum(s.step)[:-1]])
    at = np.searchsorted(knots, s.x, "right") - 1
    slopes = np.append(np.diff(s.y) / s.step[:-1], 0.0)
    return {"val": np.interp(s.x, knots, s.y), "slope_out": np.where(s.x <= s.x0, 0.0, slopes[np.maximum(at, 0)])}


@reference
def top_k(s):
    order = np.argsort(-s.x, 1, kind="stable")[:, :4]
    best = np.take_along_axis(s.x, order, 1)
    lowest = s.floor if s.has("floor") else -1e6
    return {"best": np.where(best > lowest, best, lowest), "ids": np.where(best > lowest, order, -1)}


@reference
def kmeans(s):
    d = np.sum((s.x[:, None] - s.centre[None]) ** 2, 2)
    who = d.argmin(1)
    one = np.eye(len(s.centre))[who]
    return {"who": who, "total": one.T @ s.x, "members": one.sum(0), "cost": [d.min(1).sum()]}
