"""Scenes of solids, records, pictures, samples and roots, from the textbook."""

import itertools

import numpy as np
from streams import Stream
from textbook import hat, norm, reference


def number(s, tag):
    return s.plan["choices"][tag]


@reference
def linear_elastic(s):
    eps = (s.grad_u + np.swapaxes(s.grad_u, 1, 2)) / 2
    if s.has("t"):
        eps = eps - np.eye(3) * (s.alpha * s.t)[:, None, None]
    stiffness = s.lam * np.einsum("ij,kl->ijkl", np.eye(3), np.eye(3))
    stiffness += s.mu * (np.einsum("ik,jl->ijkl", np.eye(3), np.eye(3)) + np.einsum("il,jk->ijkl", np.eye(3), np.eye(3)))
    sig = np.einsum("ijkl,ekl->eij", stiffness, eps)
    p = np.linalg.eigvalsh(sig)
    vm = np.sqrt(((p[:, 0] - p[:, 1]) ** 2 + (p[:, 1] - p[:, 2]) ** 2 + (p[:, 2] - p[:, 0]) ** 2) / 2)
    return {"sig": sig, "w": np.sum(sig * eps, (1, 2)) / 2, "vm": vm}


@reference
def return_mapping(s):
    trial = s.young * (s.eps - s.eps_p)
    over = np.maximum(np.abs(trial) - s.sy - s.h * s.alpha, 0)
    slip = over / (s.young + s.h)
    eps_p = s.eps_p + slip * np.sign(trial)
    return {"sig": s.young * (s.eps - eps_p), "eps_p": eps_p, "alpha": s.alpha + slip, "yielding": over > 0}


@reference
def triangle_gradient(s):
    grad, twice = [], []
    for ids in s.tri:
        m = np.column_stack([np.ones(3), s.x[ids]])
        twice.append(np.linalg.det(m))
        flat = abs(twice[-1]) < number(s, "sliver")
        grad.append(np.zeros(2) if flat else np.linalg.solve(m, s.u[ids])[1:])
    return {"grad": grad, "flux": -s.k * np.array(grad) if s.has("k") else None, "twice_area": twice}


@reference
def quad_load(s):
    # a bilinear function has the mean of its corners
    return {"load": s.q.mean(1) * 4 * s.half_w * s.half_h}


@reference
def edge_conduction(s):
    q, flow = np.zeros(len(s.t)), []
    for e, (i, j) in enumerate(s.ends):
        g = s.k[e] * s.a[e] / s.l[e]
        if s.has("melt") and s.t[i] > s.melt and s.t[j] > s.melt:
            g *= number(s, "molten")
        h = g * (s.t[j] - s.t[i]) if i != j else 0.0
        q[i] += h
        q[j] -= h
        flow.append(h)
    return {"q": q, "flow": flow}


@reference
def corotated(s):
    stress, energy = [], []
    for h in s.f:
        f = np.eye(3) + h
        u, sigma, vt = np.linalg.svd(f)
        r, tr = u @ vt, sigma.sum() - 3
        stress.append(2 * s.mu * (f - r) + s.lam * tr * r)
        energy.append(s.mu * np.sum((sigma - 1) ** 2) + s.lam / 2 * tr**2)
    return {"p": stress, "energy_out": energy if np.all(np.linalg.det(np.eye(3) + s.f) > 0) else None}


@reference
def portfolio(s):
    value = np.choose(s.what.astype(int), [np.ones_like(s.spot), s.spot, np.maximum(s.spot - s.k, 0), np.maximum(s.k - s.spot, 0)])
    worth = s.units * value * np.where(s.what == 0, 1, 1 - s.rate if s.has("rate") else 1)
    return {"worth": worth, "total": [worth.sum()]}


@reference
def shade(s):
    out = []
    for x, n, base in zip(s.x, s.n, s.base):
        n, view = hat(n), hat(s.eye - x)
        c = base * (s.ka if s.has("ka") else 0.0)
        for p, colour in zip(s.lx, s.lc):
            light = p - x
            if n @ light <= 0:
                continue
            half = max(n @ hat(hat(light) + view), 0)
            c = c + colour * (base * (n @ hat(light)) + half**s.shine) / (light @ light)
        out.append(c)
    return {"c": out}


@reference
def deposit(s):
    mass = np.zeros_like(s.role("gm", s.args))
    momentum = np.zeros(mass.shape + (2,))
    for i, p in enumerate(s.x):
        if s.has("dead") and s.dead[i] == 1:
            continue
        a, b = (int(min(max(np.floor(p[k] / s.dx + 0.5), 0), mass.shape[k] - 1)) for k in range(2))
        mass[a, b] += s.m[i]
        momentum[a, b] += s.m[i] * s.v[i] if s.has("v") else 0.0
    return {"gm": mass, "gp": momentum}


@reference
def bucket(s):
    full = s.store + s.rain
    et = np.minimum(s.demand, np.maximum(full - s.wilt, 0))
    kept = np.minimum(full - et, s.cap)
    run = full - et - kept
    slow = s.slow if s.has("slow") else 0.0
    return {"store": kept * (1 - slow), "out_run": run + slow * kept, "stress_out": 1 - et / s.demand}


@reference
def bin_cells(s):
    n = np.zeros(s.role("cell_count", s.args).shape)
    fastest, mine = np.zeros(n.shape), np.full(len(s.x), -1.0)
    for i, (x, v) in enumerate(zip(s.x, s.v)):
        at = tuple(np.floor((x - s.origin) / s.cell_size).astype(int))
        if min(at) >= 0 and all(a < b for a, b in zip(at, n.shape)):
            n[at] += 1
            fastest[at] = max(fastest[at], norm(v))
            mine[i] = np.ravel_multi_index(at, n.shape)
    return {"cell_count": n, "max_speed": fastest, "cell_index": mine}


@reference
def ground_collision(s):
    up, x, v = hat(s.n), s.x.copy(), s.v.copy()
    gap = s.x @ up - (s.r if s.has("r") else 0.0)
    for i in np.flatnonzero(gap < 0):
        x[i] -= gap[i] * up
        vn = s.v[i] @ up
        if vn >= 0:
            continue
        slide = s.v[i] - vn * up
        if s.choice("law"):
            slide = slide * (1 - s.mu)
        elif norm(slide) > 1e-6:
            slide = slide * max(1 - s.mu * (1 + s.e) * abs(vn) / norm(slide), 0)
        v[i] = slide - s.e * vn * up
    return {"x": x, "v": v, "hit": gap < 0}


@reference
def invariants(s):
    on = s.active != 0 if s.has("active") else np.ones(len(s.m), bool)
    return {"e": [np.sum(s.m * np.sum(s.v**2, 1) * on) / 2], "p": [np.sum((s.m * on)[:, None] * s.v, 0)], "n": [on.sum()]}


@reference
def despeckle(s):
    p = np.pad(s.image, ((0, 0), (1, 1)), "edge")
    med = np.median(np.stack([p[:, :-2], s.image, p[:, 2:]]), 0)
    odd = np.abs(s.image - med) > s.spread
    return {"image_out": np.where(odd, med, s.image), "fixed": odd}


@reference
def local_maxima(s):
    p = np.pad(s.s, 1, constant_values=-np.inf)
    around = np.lib.stride_tricks.sliding_window_view(p, (3, 3)).max((2, 3))
    peak = (s.s >= around) & (s.s >= s.low)
    return {"peaks": np.where(peak, s.s, 0.0), "n": [peak.sum()]}


@reference
def gray_histogram(s):
    ok = np.ones(s.image.shape, bool)
    if s.has("mask"):
        ok &= s.mask != 0
    if s.has("floor_v"):
        ok &= s.image >= s.floor_v
    bins = len(s.role("hist", s.args))
    at = np.clip(np.floor(s.image[ok] * bins), 0, bins - 1).astype(int)
    return {"hist": np.bincount(at, minlength=bins), "total": [ok.sum()]}


@reference
def red_black_sor(s):
    u, res = s.u.copy(), np.zeros_like(s.u)
    n, m = u.shape
    for i, j in itertools.product(range(1, n - 1), range(1, m - 1)):
        if (i + j) % 2 != s.color or s.has("fixed") and s.fixed[i, j] == 1:
            continue
        around = s.u[i - 1, j] + s.u[i + 1, j] + s.u[i, j - 1] + s.u[i, j + 1]
        res[i, j] = (around - s.dx**2 * s.b[i, j]) / 4 - s.u[i, j]
        u[i, j] += s.omega * res[i, j]
    return {"u": u, "res": res}


@reference
def solid_volume(s):
    p = s.x[s.tri]
    vol = np.linalg.det(p) / 6
    area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1) / 2
    return {"vol": [vol.sum()], "moment": [np.sum(vol[:, None] * p.sum(1) / 4, 0)], "surface": [area.sum()]}


@reference
def frustum_cull(s):
    d = s.c @ (s.n / np.linalg.norm(s.n, axis=1)[:, None]).T + s.off
    seen = np.all(d >= -s.r[:, None], 1)
    return {"seen": seen, "depth_out": d.min(1), "total": [seen.sum()]}


@reference
def row_argmax(s):
    x = np.where(s.valid != 0, s.x, -np.inf) if s.has("valid") else s.x
    order = np.sort(x, 1)
    some = np.isfinite(order[:, -1])
    lead = np.where(np.isfinite(order[:, -2]), order[:, -1] - np.where(np.isfinite(order[:, -2]), order[:, -2], 0), 0.0)
    return {"where_out": np.where(some, x.argmax(1), -1), "top": np.where(some, order[:, -1], -100.0), "lead": lead}


@reference
def marching_squares(s):
    """Lines through the crossings of the four edges; at saddles by the mean of the corners."""
    none = np.full(s.u.shape + (2,), -1.0)
    lines, codes, total = [none.copy() for _ in range(4)], np.zeros(s.u.shape), 0.0
    n, m = s.u.shape
    edges = {"low": ((0, 0), (1, 0)), "right": ((1, 0), (1, 1)), "high": ((0, 1), (1, 1)), "left": ((0, 0), (0, 1))}
    got = [np.asarray(s.role(r, s.after)) if s.has(r) else None for r in ("seg_a", "seg_b", "second_a", "second_b")]
    for i, j in itertools.product(range(n - 1), range(m - 1)):
        value = {c: s.u[i + c[0], j + c[1]] for c in itertools.product((0, 1), repeat=2)}
        above = {c: v > s.level for c, v in value.items()}
        codes[i, j] = above[0, 0] + 2 * above[1, 0] + 4 * above[1, 1] + 8 * above[0, 1]
        cuts = {}
        for name, (a, b) in edges.items():
            if above[a] != above[b]:
                t = (s.level - value[a]) / (value[b] - value[a])
                cuts[name] = np.array([i, j]) + (1 - t) * np.array(a) + t * np.array(b)
        if len(cuts) == 2:
            pairs = [tuple(cuts.values())]
        elif len(cuts) == 4:
            joined = np.mean(list(value.values())) > s.level
            apart = joined == above[0, 0]
            pairs = [(cuts["left"], cuts["high"]), (cuts["low"], cuts["right"])] if apart else [(cuts["left"], cuts["low"]), (cuts["right"], cuts["high"])]
        else:
            continue
        total += norm(pairs[0][0] - pairs[0][1])
        for k, (p, q) in enumerate(pairs):
            # a line has no direction: take the ends as they came out
            if got[2 * k] is not None and norm(got[2 * k][i, j] - q) < norm(got[2 * k][i, j] - p):
                p, q = q, p
            lines[2 * k][i, j], lines[2 * k + 1][i, j] = p, q
    return {"seg_a": lines[0], "seg_b": lines[1], "second_a": lines[2], "second_b": lines[3], "code_out": codes, "length_sum": [total]}


@reference
def monte_carlo_area(s):
    areas, hits = [], 0
    for i, r in enumerate(s.radius_):
        stream = Stream(s.seed, i)
        points = [[(2 * stream.unit() - 1) * s.half for _ in range(2)] for _ in range(int(s.n))]
        inside = sum(norm(p) <= r for p in points)
        hits += inside
        areas.append(4 * s.half**2 * inside / s.n)
    return {"estimate": areas, "hits": [hits]}


@reference
def categorical(s):
    drawn, chance = [], []
    for r, p in enumerate(s.p):
        p = np.where(p >= s.floor, p, 0.0) if s.has("floor") else p
        u = Stream(s.seed, r).unit() * p.sum()
        above = np.flatnonzero(np.cumsum(p) > u)
        k = above[0] if len(above) else len(p) - 1
        drawn.append(k)
        chance.append(s.p[r, k])
    return {"drawn": drawn, "chance": chance}


@reference
def dropout(s):
    n, m = s.x.shape
    keep = np.array([[Stream(s.seed, i * m + j).unit() >= s.p for j in range(m)] for i in range(n)])
    return {"y": np.where(keep, s.x / (1 - s.p), 0.0), "keep": keep}


@reference
def sample_triangle(s):
    points, normals = [], []
    for i, f in enumerate(s.where_.astype(int)):
        a, b, c = s.x[s.tri[f]]
        stream = Stream(s.seed, i)
        u, v = stream.unit(), stream.unit()
        if s.choice("map") == 0:
            u, v = np.sqrt(u) * (1 - v), np.sqrt(u) * v
        elif u + v > 1:
            u, v = 1 - u, 1 - v
        points.append(a + u * (b - a) + v * (c - a))
        n = np.cross(b - a, c - a)
        normals.append(n / norm(n) if norm(n) > 0 else np.zeros(3))
    return {"p": points, "n": normals}


@reference
def poisson(s):
    counts = []
    for i, rate in enumerate(s.rate):
        stream, k = Stream(s.seed, i), 0
        left = rate + np.log(max(stream.unit(), 1e-300))
        while left > 0 and not (s.has("cap") and k + 1 >= s.cap):
            k += 1
            left += np.log(max(stream.unit(), 1e-300))
        counts.append(k + (left > 0))
    return {"n_out": counts, "total": [sum(counts)]}


@reference
def safe_newton(s):
    roots, slopes = [], []
    got = s.role("root", s.after)
    for i in range(len(s.b)):
        p = np.array([s.a[i], s.b[i], s.c[i], s.d[i]])
        slope = np.polyval(np.polyder(p), got[i])
        # as near as the tolerance of the value asks for
        found = abs(np.polyval(p, got[i])) < s.tol
        roots.append(got[i] if found else min(np.roots(p), key=lambda z: abs(z.imag)).real)
        slopes.append(slope)
    return {"root": roots, "slope_out": slopes}
