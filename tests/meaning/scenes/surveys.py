"""Scenes of measurements of shapes, from the textbook."""

import itertools

import numpy as np
from textbook import hat, plane_cross, reference

CORNERS = list(itertools.product((0, 1), repeat=3))


@reference
def cube_cases(s):
    shape = s.phi.shape
    case, crossings, center, active = np.zeros(shape), np.zeros(shape), np.zeros(shape + (3,)), 0
    for cell in np.ndindex(*(n - 1 for n in shape)):
        below = {c: s.phi[tuple(np.add(cell, c))] < s.level for c in CORNERS}
        case[cell] = sum(below[c] << (c[0] + 2 * c[1] + 4 * c[2]) for c in CORNERS)
        points = []
        for u, v in itertools.combinations(CORNERS, 2):
            if np.sum(np.abs(np.subtract(u, v))) == 1 and below[u] != below[v]:
                a, b = s.phi[tuple(np.add(cell, u))], s.phi[tuple(np.add(cell, v))]
                points.append(np.add(cell, u) + np.subtract(v, u) * (s.level - a) / (b - a))
        crossings[cell] = len(points)
        if points:
            center[cell] = np.mean(points, 0)
            active += 1
    return {"case_out": case, "crossings": crossings, "center": center, "active": [active]}


@reference
def hog_cells(s):
    padded = np.pad(s.image, 1, mode="edge")
    gx, gy = padded[1:-1, 2:] - padded[1:-1, :-2], padded[2:, 1:-1] - padded[:-2, 1:-1]
    rows, cols = np.shape(s.role("hist", s.after))[:2]
    hist, energy = np.zeros((rows, cols, 9)), np.zeros((rows, cols))
    for r, c in np.ndindex(rows, cols):
        for a, b in np.ndindex(4, 4):
            y, x = (4 * r + a) % 20, (4 * c + b) % 20
            angle = np.degrees(np.arctan2(gy[y, x], gx[y, x])) % 180
            # votes fall off with the distance to the middles of the bins, ten degrees and every twenty after
            away = np.abs((angle - (10 + 20 * np.arange(9)) + 90) % 180 - 90)
            hist[r, c] += np.hypot(gx[y, x], gy[y, x]) * np.maximum(1 - away / 20, 0)
        energy[r, c] = np.sum(hist[r, c] ** 2)
        hist[r, c] /= np.sqrt(energy[r, c] + s.floor_e)
        if s.has("gain_v"):
            hist[r, c] = np.minimum(s.gain_v * hist[r, c], 1)
    return {"hist": hist, "energy_out": energy}


@reference
def gift_wrap(s):
    areas, corners, rims = [], [], []
    for points in s.p:
        # monotone chain instead of wrapping
        order = sorted(map(tuple, points))

        def chain(seq):
            out = []
            for q in seq:
                while len(out) > 1 and plane_cross(np.subtract(out[-1], out[-2]), np.subtract(q, out[-2])) <= 0:
                    out.pop()
                out.append(q)
            return out[:-1]
        hull = np.array(chain(order) + chain(order[::-1]))
        after = np.roll(hull, -1, 0)
        areas.append(np.sum(plane_cross(hull, after)) / 2), corners.append(len(hull)), rims.append(np.linalg.norm(after - hull, axis=1).sum())
    return {"area_out": areas, "corners": corners, "rim": rims}


@reference
def terrain_ray(s):
    def clearance(o, d, t):
        p = o + d * t
        i, j = (int(np.clip(np.floor(p[a]), 0, n - 2)) for a, n in zip((0, 2), s.height_of.shape))
        fx, fz = np.clip(p[0] - i, 0, 1), np.clip(p[2] - j, 0, 1)
        corners = s.height_of[i:i + 2, j:j + 2]
        return p[1] - np.array([1 - fx, fx]) @ corners @ np.array([1 - fz, fz])
    times, places, least = [], [], []
    for o, d in zip(s.o, s.d):
        d = hat(d)
        t, low, high, gaps = 0.0, 0.0, None, []
        for _ in range(int(s.limit)):
            gaps.append(clearance(o, d, t))
            if gaps[-1] < 0:
                high = t
                break
            low = t
            t += max(s.step, gaps[-1] * s.plan["choices"]["stride"])
        least.append(min(gaps))
        if high is not None:
            for _ in range(s.choice("halvings")):
                mid = (low + high) / 2
                low, high = (low, mid) if clearance(o, d, mid) < 0 else (mid, high)
        times.append(-1.0 if high is None else high)
        places.append(np.zeros(3) if high is None else o + d * high)
    return {"t_out": times, "p_out": places, "clearance": least}
