"""Pictures from rays and maps, boards, cables, capsules."""

import numpy as np
from textbook import hat, reference


@reference
def fractal_image(s):
    height, width = s.role("img", s.after).shape
    u = s.size * (2 * (np.arange(width) + 0.5) / width - 1)[None]
    v = s.size * (2 * (np.arange(height) + 0.5) / height - 1)[:, None]
    z = (u + 1j * v) * np.exp(1j * (s.spin if s.has("spin") else 0.0))
    c = complex(s.cx, s.cy)
    z, k = (z, np.full_like(z, c)) if s.choice("map") == 0 else (np.zeros_like(z), z + c)
    n = np.zeros(z.shape)
    for _ in range(s.limit):
        going = abs(z) < 4
        square = z**2
        square = square.real + 1j * abs(square.imag) if s.choice("ship") else square
        z = np.where(going, square + k, z)
        n += going
    out = abs(z) >= 4
    shade = np.clip((n + 1 - np.log2(np.log2(np.maximum(abs(z), 4)))) / s.limit, 0, 1)
    return {"img": np.where(out, shade, 0), "inside": [np.sum(~out)], "angle_out": np.angle(z)}


@reference
def shadow_pcf(s):
    height, width = s.x.shape[:2]
    lit, outside = np.ones((height, width)), 0
    tent = np.outer([1, 2, 1], [1, 2, 1]) if s.choice("kernel") else np.ones((3, 3))
    padded = np.pad(s.zmap, 1, mode="edge")
    for i in range(height):
        for j in range(width):
            p = np.array(s.light) @ np.append(s.x[i, j], 1.0)
            u, v, z = 0.5 + 0.5 * p[:3] / (2 + p[3])
            if not (0 <= u < 1 and 0 <= v < 1):
                outside += 1
                continue
            bias = s.bias
            if s.has("n") and s.has("sun"):
                bias = bias / max(hat(s.n[i, j]) @ hat(s.sun), 0.1)
            a, b = int(v * 16), int(u * 16)
            lit[i, j] = np.sum(tent * (z - bias <= padded[a:a + 3, b:b + 3])) / tent.sum()
    return {"lit": lit, "outside": [outside]}


@reference
def screen_occlusion(s):
    height, width = s.z.shape
    ao, dark = np.ones((height, width)), 0
    for i in range(height):
        for j in range(width):
            if s.has("sky") and s.z[i, j] > s.sky:
                continue
            parts = []
            for t in s.tap:
                a, b = np.rint([i, j] + 2 * t / s.z[i, j] - [i, j]) + [i, j]
                if 0 <= a < height and 0 <= b < width:
                    d = s.z[i, j] - s.z[int(a), int(b)]
                    x = min(s.reach / d, 1.0) if d > 0 else 0.0
                    fade = x * x * (3 - 2 * x) if s.choice("fade") == 0 else 1 / (1 + (d / s.reach) ** 2)
                    parts.append(fade if d > 0.02 else 0.0)
            hidden = np.mean(parts) if parts else 0.0
            ao[i, j] = 1 - s.strength * hidden
            dark += hidden > 0.5
    return {"ao": ao, "dark": [dark]}


@reference
def sh_irradiance(s):
    x, y, z = np.array([hat(n) for n in s.n]).T
    one = np.ones_like(x)
    basis = [np.sqrt(1 / (4 * np.pi)) * one] + [np.sqrt(3 / (4 * np.pi)) * k for k in (y, z, x)]
    basis += [np.sqrt(15 / (4 * np.pi)) * x * y, np.sqrt(15 / (4 * np.pi)) * y * z, np.sqrt(5 / (16 * np.pi)) * (3 * z**2 - 1)]
    basis += [np.sqrt(15 / (4 * np.pi)) * x * z, np.sqrt(15 / (16 * np.pi)) * (x**2 - y**2)]
    lobe = np.array([np.pi] + [2 * np.pi / 3] * 3 + [np.pi / 4] * 5)
    e = np.maximum(np.stack(basis, 1) * lobe @ s.coef, 0)
    e = e * s.open_[:, None] if s.has("open_") else e
    return {"e": e * s.kd / np.pi if s.has("kd") else e, "dark": [np.sum(e.max(1) < 0.2)]}


@reference
def march_volume(s):
    n = len(s.o)
    c, through, steps = np.zeros((n, 3)), np.ones(n), np.zeros(n)
    for r in range(n):
        d = hat(s.d[r])
        for k in range(24):
            p = s.o[r] + d * s.h * (k + 0.5)
            if np.any(p < 0) or np.any(p >= 7):
                break
            base = p.astype(int)
            if s.choice("filter") == 0:
                rho = s.grid[tuple(base)]
            else:
                rho = 0.0
                for corner in np.ndindex(2, 2, 2):
                    weight = np.prod(np.where(corner, p - base, 1 - (p - base)))
                    rho += weight * s.grid[tuple(base + corner)]
            steps[r] += 1
            a = -np.expm1(-s.sigma * rho * s.h)
            colour = np.array(s.glow) * (1 - rho) + np.array(s.tint) * rho if s.has("tint") else np.array(s.glow)
            c[r] += colour * through[r] * a
            through[r] *= 1 - a
            if through[r] < 0.02:
                break
    return {"c": c, "through": through, "steps_out": steps}


@reference
def cull_boxes(s):
    mask, culled = [int(m) for m in s.mask], np.zeros(8)
    for b in range(len(mask)):
        corners = s.mid[b] + s.half[b] * np.array(list(np.ndindex(2, 2, 2))) * 2 - s.half[b]
        gone = {s.view_of[k] for k, p in enumerate(s.plane) if np.all(corners @ p[:3] + p[3] + (s.slack if s.has("slack") else 0.0) < 0)}
        for v in gone:
            culled[v] += mask[b] >> v & 1
            mask[b] &= ~(1 << int(v))
    return {"mask": mask, "culled": culled}


@reference
def match_shapes(s):
    n = len(s.start) - 1
    turn, mid, goal = np.zeros(n), np.zeros((n, 2)), np.zeros((len(s.x), 2))
    for k in range(n):
        at = np.arange(s.start[k], s.start[k + 1])
        if len(at) < 2:
            mid[k], goal[at] = s.x[at].sum(0), s.x[at]
            continue
        w = s.m[at] if s.has("m") else np.ones(len(at))
        c, r0 = w @ s.x[at] / w.sum(), w @ s.rest[at] / w.sum()
        z, q = (s.x[at] - c) @ [1, 1j], (s.rest[at] - r0) @ [1, 1j]
        turn[k] = np.angle(np.sum(w * z * np.conj(q)))  # the best rotation of one complex number onto the other
        mid[k] = c
        g = np.exp(1j * turn[k]) * q
        goal[at] = c + np.column_stack([g.real, g.imag])
        if s.has("blend"):
            goal[at] = (1 - s.blend) * s.x[at] + s.blend * goal[at]
    return {"angle": turn, "center": mid, "goal": goal}


@reference
def rook_attacks(s):
    boards, moves = [], []
    for i, square in enumerate(s.square):
        slant = s.has("diagonal") and s.diagonal[i] == 1
        ways = [(1, 1), (-1, -1), (-1, 1), (1, -1)] if slant else [(1, 0), (-1, 0), (0, 1), (0, -1)]
        found = set()
        for dr, df in ways:
            r, f = square // 8 + dr, square % 8 + df
            while 0 <= r < 8 and 0 <= f < 8:
                at = int(8 * r + f)
                if s.has("own") and int(s.own[i]) >> at & 1:
                    break
                found.add(at)
                if int(s.occ[i]) >> at & 1:
                    break
                r, f = r + dr, f + df
        boards.append(sum(1 << at for at in found))
        moves.append(len(found))
    return {"att": boards, "moves": moves}


@reference
def catenary(s):
    a, half = s.role("a_out", s.after), s.span / 2
    right = abs(a * (np.cosh(half / a) - 1) - s.sag) < 1e-4 * s.sag  # the parameter that gives the sag
    load = (s.w if s.has("w") else 0.0) + (s.ice if s.has("ice") else 0.0)
    pull = load * a * np.cosh(half / a)
    close = s.role("pull", s.after) if s.has("pull") else pull
    ok = abs(close - pull) < 1e-3 * pull
    return {"a_out": np.where(right, a, 1e9), "len_out": 2 * a * np.sinh(half / a), "pull": np.where(ok, close, pull),
            "over": [np.sum(load * (a + s.sag) > s.limit)] if s.has("limit") else None}


@reference
def capsule_push(s):
    n = len(s.r)
    f, depth, where = np.zeros((n, 3)), np.zeros(len(s.pair)), np.zeros((len(s.pair), 3))
    for c, (i, j) in enumerate(s.pair):
        if i == j:
            continue
        u, v, w = s.b[i] - s.a[i], s.b[j] - s.a[j], s.a[i] - s.a[j]
        options = [np.linalg.lstsq(np.stack([u, -v], 1), -w, rcond=None)[0]]
        for t in (0.0, 1.0):  # or with one of the four ends
            options += [np.array([np.clip((t * v - w) @ u / (u @ u), 0, 1), t]), np.array([t, np.clip((t * u + w) @ v / (v @ v), 0, 1)])]
        good = [o for o in options if np.all(o >= 0) and np.all(o <= 1)]
        best = min(good, key=lambda o: np.linalg.norm(w + o[0] * u - o[1] * v))
        p, q = s.a[i] + best[0] * u, s.a[j] + best[1] * v
        d = q - p
        dist = np.linalg.norm(d)
        depth[c] = s.r[i] + s.r[j] - dist
        if depth[c] <= 0:
            continue
        size = s.k * depth[c]
        if s.has("soft"):
            size = s.k * depth[c] ** 2 / (2 * s.soft) if depth[c] < s.soft else s.k * (depth[c] - s.soft / 2)
        f[i] -= size * d / dist
        f[j] += size * d / dist
        where[c] = p + d / dist * (s.r[i] - depth[c] / 2)
    return {"f": f, "depth_out": depth, "where_out": where}
