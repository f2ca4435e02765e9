"""Scenes of contacts and traversals, from the textbook, often by another way than the scene takes."""

import itertools

import numpy as np
from textbook import hat, norm, plane_cross, reference, rotation_matrix


def closest_of_segments(p1, q1, p2, q2):
    """By the four ends and the inner minimum, whichever is nearest."""
    d1, d2, r = q1 - p1, q2 - p2, p1 - p2
    m = np.array([[d1 @ d1, -d1 @ d2], [-d1 @ d2, d2 @ d2]])
    tries = []
    if np.linalg.det(m) > 1e-6 * (d1 @ d1) * (d2 @ d2):
        tries.append(np.linalg.solve(m, [-d1 @ r, d2 @ r]))
    for s in (0.0, 1.0):
        tries.append([s, np.clip((p1 + s * d1 - p2) @ d2 / (d2 @ d2), 0, 1)])
        tries.append([np.clip((p2 + s * d2 - p1) @ d1 / (d1 @ d1), 0, 1), s])
    inside = [t for t in tries if -1e-12 <= t[0] <= 1 + 1e-12 and -1e-12 <= t[1] <= 1 + 1e-12]
    return min(inside, key=lambda t: norm(p1 + t[0] * d1 - p2 - t[1] * d2))


@reference
def capsule_contacts(s):
    m = len(s.pair)
    depth, normal, point = np.zeros(m), np.zeros((m, 3)), np.zeros((m, 3))
    for c, (i, j) in enumerate(s.pair):
        if i == j:
            continue
        u, v = closest_of_segments(s.start[i], s.end[i], s.start[j], s.end[j])
        on_i, on_j = s.start[i] + u * (s.end[i] - s.start[i]), s.start[j] + v * (s.end[j] - s.start[j])
        deep = s.radius[i] + s.radius[j] - norm(on_j - on_i) + (s.margin if s.has("margin") else 0.0)
        if deep > 0:
            depth[c], normal[c] = deep, hat(on_j - on_i)
            point[c] = on_i + normal[c] * (s.radius[i] - deep / 2)
    return {"depth_out": depth, "normal_out": normal, "point": point, "total": [(depth > 0).sum()]}


@reference
def ball_box_contacts(s):
    depth, normal, local = np.zeros(len(s.ball)), np.zeros((len(s.ball), 3)), np.zeros((len(s.ball), 3))
    for c, b in enumerate(s.box_id):
        rot, h = rotation_matrix(s.pose_b[b][3:]), s.half[b]
        p = rot.T @ (s.ball[c] - s.pose_b[b][:3])
        local[c] = np.clip(p, -h, h)
        outside = norm(p - local[c])
        if outside > 0:
            if outside < s.r:
                depth[c], normal[c] = s.r - outside, rot @ hat(p - local[c])
            continue
        # the six faces: how far it is through each
        faces = [(h[a] - sign * p[a], sign * np.eye(3)[a]) for a in range(3) for sign in (-1, 1)]
        room, n = min(faces, key=lambda f: f[0])
        depth[c], normal[c] = s.r + room, rot @ n
    return {"depth_out": depth, "n_out": normal, "local_out": local}


@reference
def support_points(s):
    d, out = hat(s.dir), []
    for kind, pose, h in zip(s.shape, s.pose_b, s.size):
        rot = rotation_matrix(pose[3:])
        v = rot.T @ d
        rim = np.array([v[0], 0, v[2]]) / np.hypot(v[0], v[2]) * h[0]
        tops = [np.array([0, y, 0]) for y in (-h[1], h[1])]
        points = {0: [h[0] * v], 1: [np.array(c) * h for c in itertools.product((-1, 1), repeat=3)],
                  2: [t + h[0] * v for t in tops], 3: [t + rim for t in tops], 4: [tops[0] + rim, tops[1]]}[int(kind)]
        best = max(points, key=lambda p: p @ v) + (s.margin * v if s.has("margin") else 0.0)
        out.append(rot @ best + pose[:3])
    return {"p_out": out, "reach": np.array(out) @ d}


@reference
def voxel_walk(s):
    times, steps, cells = [], [], []
    for o, d in zip(s.o, s.d):
        d = hat(d)
        # all crossings of planes between cells, in order; the cell is that of the middle of each stretch
        walls = sorted((w - o[a]) / d[a] for a in range(3) for w in range(9) if d[a] != 0)
        walls = [0.0] + [t for t in walls if t > 0]
        found, n = None, 0
        for k, (t0, t1) in enumerate(zip(walls[:-1], walls[1:])):
            cell = np.floor(o + d * (t0 + t1) / 2).astype(int)
            if np.any(cell < 0) or np.any(cell > 7) or (s.has("t_max") and t0 > s.t_max):
                break
            if s.solid[tuple(cell)] == 1:
                found = (t0, cell @ [64, 8, 1])
                break
            n += 1
        times.append(found[0] if found else -1.0), cells.append(found[1] if found else -1), steps.append(n)
    return {"t_out": times, "steps_out": steps, "cell_out": cells}


@reference
def clip_triangles(s):
    areas, corners, shares = [], [], []
    for tri in zip(s.a, s.b, s.c):
        poly = list(tri)
        for n in ([1, 0], [-1, 0], [0, 1], [0, -1]):
            kept = []
            for p, q in zip(poly, poly[1:] + poly[:1]):
                dp, dq = s.half - np.dot(n, p), s.half - np.dot(n, q)
                if dp >= 0:
                    kept.append(p)
                if dp * dq < 0:
                    kept.append((p * dq - q * dp) / (dq - dp))
            poly = kept
        x = np.array(poly).reshape(-1, 2)
        area = sum(plane_cross(x[k] - x[0], x[k + 1] - x[0]) for k in range(1, len(x) - 1)) / 2 if len(x) else 0.0
        whole = abs(plane_cross(tri[1] - tri[0], tri[2] - tri[0]))
        areas.append(abs(area)), corners.append(len(x)), shares.append(2 * abs(area) / max(whole, 1e-4))
    return {"area_out": areas, "corners": corners, "share": shares}


@reference
def cotan_laplacian(s):
    n = len(s.x)
    lap, area, angle, energy = np.zeros((n, 3)), np.zeros(n), np.zeros(n), 0.0
    for tri in s.tri:
        p = s.x[tri]
        twice = norm(np.cross(p[1] - p[0], p[2] - p[0]))
        if twice < s.plan["choices"]["sliver"]:
            continue
        energy += twice / 2
        for k in range(3):
            # the area falls fastest against the height of the corner
            base = hat(p[(k + 2) % 3] - p[(k + 1) % 3])
            arm = p[k] - p[(k + 1) % 3]
            height = arm - base * (arm @ base)
            lap[tri[k]] -= hat(height) * norm(p[(k + 2) % 3] - p[(k + 1) % 3]) / 2
            area[tri[k]] += twice / 6
            u, v = hat(p[(k + 1) % 3] - p[k]), hat(p[(k + 2) % 3] - p[k])
            angle[tri[k]] += np.arccos(np.clip(u @ v, -1, 1))
    return {"lap": lap, "area_v": area, "angle_v": angle, "energy_out": [energy]}


@reference
def triangle_quality(s):
    quality, small, stretch, bad = [], [], [], np.zeros(3)
    for tri in s.tri:
        p = s.x[tri]
        sides = np.array([norm(p[(k + 1) % 3] - p[(k + 2) % 3]) for k in range(3)])
        area = norm(np.cross(p[1] - p[0], p[2] - p[0])) / 2
        if area < 1e-4:
            bad[0] += 1
            quality.append(0.0), small.append(0.0), stretch.append(0.0)
            continue
        angles = np.sort([np.arccos(np.clip(hat(p[(k + 1) % 3] - p[k]) @ hat(p[(k + 2) % 3] - p[k]), -1, 1)) for k in range(3)])
        quality.append(8 * np.prod(np.sin(angles / 2))), small.append(angles[0]), stretch.append(sides.min() / sides.max())
        if s.has("bad") and angles[0] < s.min_ok:
            bad[2 if np.cos(angles[2]) < s.plan["choices"]["cap"] else 1] += 1
    return {"quality": quality, "small": small, "stretch": stretch, "bad": bad}


@reference
def edge_contacts(s):
    f, near, touching = np.zeros((len(s.x), 3)), np.zeros(len(s.ends)), np.zeros(len(s.ends))
    for e, (a, b) in enumerate(s.ends):
        if norm(s.x[b] - s.x[a]) < 0.05:
            continue
        near[e] = 100.0
        for c, d in s.ends:
            if c == d or {a, b} & {c, d}:
                continue
            u, v = closest_of_segments(s.x[a], s.x[b], s.x[c], s.x[d])
            gap = (1 - u) * s.x[a] + u * s.x[b] - (1 - v) * s.x[c] - v * s.x[d]
            near[e] = min(near[e], norm(gap))
            if 1e-3 < norm(gap) < s.thick:
                push = s.k * (s.thick - norm(gap)) * hat(gap)
                f[a] += (1 - u) * push
                f[b] += u * push
                touching[e] += 1
    return {"f": f, "near": near, "touching": touching}


@reference
def winding_numbers(s):
    wind, closest = [], []
    for p in s.p:
        total, near = 0.0, 100.0
        for tri in s.tri:
            a, b, c = (s.x[v] - p for v in tri)
            near = min(near, norm((a + b + c) / 3))
            if len(set(tri)) < 3:
                continue
            # the excess of the spherical triangle, by l'Huilier
            sides = [np.arccos(np.clip(hat(u) @ hat(v), -1, 1)) for u, v in ((b, c), (c, a), (a, b))]
            half = sum(sides) / 2
            tan4 = np.sqrt(max(np.prod([np.tan(half / 2)] + [np.tan((half - e) / 2) for e in sides]), 0))
            total += np.sign(np.linalg.det([a, b, c])) * 4 * np.arctan(tan4)
        wind.append(total / (4 * np.pi)), closest.append(near)
    inside = np.abs(wind) > s.level if s.has("level") else None
    return {"wind": wind, "inside": inside, "closest": closest}


@reference
def sdf_collision(s):
    def box(p):
        q = np.abs(p) - s.half
        return norm(np.maximum(q, 0)) + min(q.max(), 0)

    def field(p):
        torus = np.hypot(np.hypot(p[0], p[2]) - s.major, p[1]) - s.minor
        b = box(p)
        h = max(s.blend - abs(b - torus), 0) / s.blend
        return min(b, torus) - h * h * s.blend / 4
    x, v, hits = s.x.copy(), s.v.copy(), 0
    for i, p in enumerate(s.x):
        d = field(p) - (s.skin if s.has("skin") else 0.0)
        if d >= 0:
            continue
        n = np.array([field(p + e) - field(p - e) for e in 0.001 * np.eye(3)])
        if norm(n) < 1e-5:
            continue
        n = hat(n)
        hits += 1
        x[i] = p - n * d
        vn = s.v[i] @ n
        if vn < 0:
            vt = s.v[i] - n * vn
            v[i] = vt * max(1 + s.mu * vn / max(norm(vt), 1e-5), 0) - n * vn * (s.e if s.has("e") else 0.0)
    return {"x": x, "v": v, "hits": [hits]}


@reference
def ray_primitives(s):
    times, normals, ids = [], [], []
    for o, d in zip(s.o, s.d):
        d = hat(d)
        hits = []
        for k, kind in enumerate(s.shape):
            a, m = hat(s.n[k]), o - s.c[k]
            if kind in (0, 2):
                cut = np.eye(3) - (np.outer(a, a) if kind == 2 else 0)
                if kind == 2 and norm(cut @ d) ** 2 <= 1e-4:
                    continue
                roots = np.roots([d @ cut @ d, 2 * m @ cut @ d, m @ cut @ m - s.r[k] ** 2])
                if np.any(np.abs(roots.imag) > 1e-12):
                    continue
                t = roots.real.min()
                q = m + t * d
                if kind == 2 and abs(q @ a) >= s.r[k]:
                    continue
                hits.append((t, k, hat(cut @ q)))
            elif abs(d @ a) > 1e-3:
                t = -(m @ a) / (d @ a)
                if kind == 1 or norm(m + t * d) < s.r[k]:
                    hits.append((t, k, a))
        hits = [h for h in hits if 1e-3 < h[0] < s.t_far]
        t, k, n = min(hits, key=lambda h: h[0], default=(-1.0, -1, np.zeros(3)))
        times.append(t), ids.append(k), normals.append(-n if n @ d > 0 else n)
    return {"t_out": times, "n_out": normals, "id_out": ids}


@reference
def ray_tree(s):
    times, leaves = [], []
    last = min(len(s.low), 31)
    for o, d in zip(s.o, s.d):
        d = hat(d)

        def overlaps(n):
            ends = np.sort([(s.low[n] - o) / d, (s.high[n] - o) / d], 0)
            return ends[0].max(), ends[1].min()

        def walk(n):
            near, far = overlaps(n)
            if far < max(near, 0):
                return []
            if 2 * n + 2 < last:
                # a box that is entered after a hit inside it would have been skipped
                return [(max(near, t), hit, leaf) for t, hit, leaf in walk(2 * n + 1) + walk(2 * n + 2)]
            m = o - (s.low[n] + s.high[n]) / 2
            root = np.roots([1, 2 * m @ d, m @ m - s.r**2])
            t = root.real.min()
            return [(near, t, n)] if np.isreal(root).all() and t > 0 else []
        hits = sorted(walk(0), key=lambda h: h[1])
        early = [h for h in hits if h[0] > h[1]]
        if early:  # the ball sticks out of its boxes: which hit is found depends on the order of the walk
            times.append(None), leaves.append(None)
            continue
        times.append(hits[0][1] if hits else -1.0), leaves.append(hits[0][2] if hits else -1)
    got = s.role("t_out", s.after)
    times = [g if t is None else t for g, t in zip(got, times)]
    if s.has("leaf_out"):
        leaves = [g if t is None else t for g, t in zip(s.role("leaf_out", s.after), leaves)]
    return {"t_out": times, "leaf_out": leaves}
