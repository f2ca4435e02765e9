"""Queries of space, by clipping, by convex hulls and by least squares."""

import itertools

import numpy as np
from textbook import hat, norm, reference


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


def clip(points, axis, bound, sign):
    """What is left of a polygon where sign * (x - bound) <= 0."""
    out = []
    for p, q in zip(points, points[1:] + points[:1]):
        dp, dq = sign * (p[axis] - bound), sign * (q[axis] - bound)
        if dp <= 0:
            out.append(p)
        if dp * dq < 0:
            out.append(p + (q - p) * dp / (dp - dq))
    return out


@reference
def triangle_box(s):
    """They overlap where clipping the triangle by the six faces leaves something."""
    found, apart = [], []
    for k, (b, f) in enumerate(zip(s.which_box, s.which_tri)):
        pts = list(s.x[s.tri[f]] - s.center[b])
        tri = np.array(pts)
        for axis in range(3):
            pts = clip(pts, axis, s.half[axis], 1)
            pts = clip(pts, axis, -s.half[axis], -1)
        found.append(len(pts) > 0)
        edges = [tri[1] - tri[0], tri[2] - tri[1], tri[0] - tri[2]]
        axes = [np.cross(e, u) for e in edges for u in np.eye(3)] + list(np.eye(3)) + [np.cross(edges[0], tri[2] - tri[0])]
        split = [(tri @ a).min() > s.half @ abs(a) or (tri @ a).max() < -(s.half @ abs(a)) for a in axes]
        apart.append(split.index(True) if any(split) else -1)
    return {"overlap_out": found, "axis_out": apart}


def polygon_area(points):
    """The area of a flat convex polygon in space, its corners in any order."""
    p = np.array(points)
    c = p.mean(0)
    u = hat(p[0] - c)
    n = max((np.cross(a - c, b - c) for a, b in itertools.combinations(p, 2)), key=norm)
    v = np.cross(hat(n), u)
    p = p[np.argsort(np.arctan2((p - c) @ v, (p - c) @ u))]
    return norm(sum(np.cross(a - c, b - c) for a, b in zip(p, np.roll(p, -1, 0)))) / 2


@reference
def marching_tetrahedra(s):
    phi = s.phi - (s.level if s.has("level") else 0)
    area, tris = np.zeros(phi.shape), np.zeros(phi.shape)
    for at in itertools.product(*(range(n - 1) for n in phi.shape)):
        for path in itertools.permutations(range(3)):
            corners = [np.zeros(3, int)]
            for axis in path:
                corners.append(corners[-1] + np.eye(3, dtype=int)[axis])
            f = [phi[tuple(np.add(at, c))] for c in corners]
            cuts = [a + (b - a) * fa / (fa - fb) for (a, fa), (b, fb) in itertools.combinations(zip(corners, f), 2) if (fa < 0) != (fb < 0)]
            if cuts:
                area[at] += polygon_area(cuts) * s.h**2
                tris[at] += len(cuts) - 2
    return {"area_out": area, "count_out": tris, "total": [area.sum()]}


@reference
def ring_curvature(s):
    gauss, mean, areas = [], [], np.zeros(len(s.x))
    for v, c in enumerate(s.x):
        ring = s.x[s.ring[s.start[v]:s.start[v + 1]]]
        if len(ring) < 3:
            gauss.append(0)
            mean.append(0)
            continue
        angle, area, flow = 0.0, 0.0, np.zeros(3)
        for a, b in zip(ring, np.roll(ring, -1, 0)):
            if norm(np.cross(a - c, b - c)) < 1e-4:
                continue
            angle += np.arccos(np.clip(hat(a - c) @ hat(b - c), -1, 1))
            tri = norm(np.cross(a - c, b - c)) / 2
            area += tri / 3
            # minus the gradient of the area with respect to the centre
            flow += np.cross(hat(np.cross(a - c, b - c)), b - a) / 2
        area = max(area, 1e-3)
        full = np.pi if s.has("open_") and s.open_[v] == 1 else 2 * np.pi
        gauss.append((full - angle) / area)
        mean.append(norm(flow) / area / 2)
        areas[v] = area
    return {"k_out": gauss, "h_out": mean, "area_out": areas}


@reference
def dual_vertices(s):
    out, sharp, errors = [], [], np.zeros(len(s.start) - 1)
    for c in range(len(s.start) - 1):
        p, n = s.p[s.start[c]:s.start[c + 1]], s.n[s.start[c]:s.start[c + 1]]
        if not len(p):
            out.append(np.zeros(3))
            sharp.append(0)
            continue
        n = n / np.maximum(np.linalg.norm(n, axis=1), 0.01)[:, None]
        mean = p.mean(0)
        rows = np.vstack([n, np.sqrt(s.pull) * np.eye(3)])
        y = np.linalg.lstsq(rows, np.append(np.sum(n * (p - mean), 1), np.zeros(3)), rcond=None)[0]
        if s.has("half"):
            y = np.clip(y, -s.half, s.half)
        out.append(mean + y)
        e = np.linalg.eigvalsh(n.T @ n) / len(p)
        pairs = e[0] * e[1] + e[1] * e[2] + e[2] * e[0]
        sharp.append(3 if e.prod() > number(s, "corner") else 2 if pairs > number(s, "crease") else 1)
        errors[c] = np.sqrt(np.mean(np.sum(n * (mean + y - p), 1) ** 2) + 1e-6)
    return {"v_out": out, "sharp": sharp, "err_out": errors}


@reference
def bounding_balls(s):
    centres, radii, grown = [], [], []
    for g in range(len(s.start) - 1):
        p, n = s.p[s.start[g]:s.start[g + 1]], 0
        if not len(p):
            centres.append(np.zeros(3))
            radii.append(0)
            grown.append(0)
            continue
        if s.choice("method") == 0:
            far = p[np.argmax(np.linalg.norm(p - p[0], axis=1))]
            other = p[np.argmax(np.linalg.norm(p - far, axis=1))]
        else:
            far, other = max(((p[k.argmin()], p[k.argmax()]) for k in p.T), key=lambda pair: norm(pair[1] - pair[0]))
        c, r = (far + other) / 2, norm(far - other) / 2
        for q in p:
            d = norm(q - c)
            if d > r * 1.001 + 0.0001:
                c, r, n = c + (d - r) / 2 * hat(q - c), (r + d) / 2, n + 1
        centres.append(c)
        radii.append(r)
        grown.append(n)
    return {"c_out": centres, "r_out": radii, "grown": grown}


@reference
def icp_equations(s):
    gap = np.linalg.norm(s.p[:, None] - s.model[None], axis=2)
    who = gap.argmin(1)
    near = gap.min(1) <= s.limit
    n = s.n[who] / np.linalg.norm(s.n[who], axis=1)[:, None]
    e = np.sum(n * (s.model[who] - s.p), 1)
    w = near * s.w
    if s.has("huber"):
        w = w * np.minimum(1, s.huber / np.maximum(abs(e), 1e-300))
    rows = np.hstack([np.cross(s.p, n), n])
    return {"ata": rows.T @ (rows * w[:, None]), "atb": rows.T @ (w * e), "used": [near.sum()], "match_out": who}
