"""Views: images, lenses, volumes and filters, one pixel after the other."""

import itertools

import numpy as np
from textbook import hat, norm, reference, rotation_matrix


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


@reference
def sdf_image(s):
    def world(p):
        q = np.abs(p + [0.4, 0.3, 0]) - [0.45, 0.4, 0.45]
        box = norm(np.maximum(q, 0)) + min(q.max(), 0)
        ball = norm(p - s.ball) - s.r
        h = np.clip((s.k + box - ball) / (2 * s.k), 0, 1)
        return min(box + h * (ball - box) - s.k * h * (1 - h), p[1] + 0.8)

    img, depth = np.zeros(s.zoom.shape), np.zeros(s.zoom.shape)
    rows, cols = s.zoom.shape
    o, l = np.array([0, 0.2, 3.0]), hat(s.sun + [0, 1.5, 0])
    for i, j in np.ndindex(rows, cols):
        d = hat(np.array([((i + 0.5) / rows - 0.5) * s.zoom[i, j], ((j + 0.5) / cols - 0.5) * s.zoom[i, j], -s.focal]))
        t, hit = 0.0, False
        for _ in range(24):
            h = world(o + t * d)
            if h < number(s, "near"):
                hit = True
                break
            t += h
            if t > number(s, "far"):
                break
        if not hit:
            img[i, j] = number(s, "sky") + 0.2 * d[1]
            continue
        p = o + t * d
        n = hat([world(p + 0.01 * e) - world(p - 0.01 * e) for e in np.eye(3)])
        shade, at = 1.0, 0.05
        for _ in range(8):
            h = world(p + at * l)
            shade = min(shade, number(s, "sharp") * max(h, 0) / at)
            at += np.clip(h, 0.05, 0.4)
        closed = sum(max(h - world(p + h * n), 0) for h in (0.1, 0.2, 0.3))
        v = (0.2 + 0.8 * max(n @ l, 0) * shade) * np.clip(1 - number(s, "dark") * closed, 0, 1)
        if s.has("fog"):
            clear = np.exp(-s.fog * t)
            v = v * clear + number(s, "sky") * (1 - clear)
        img[i, j], depth[i, j] = v, t
    return {"img": img, "depth_out": depth}


@reference
def undistort(s):
    def lens(x):
        r2 = x @ x
        cross = x[0] * x[1]
        return x * (1 + s.k1 * r2 + s.k2 * r2 * r2) + [2 * s.p1 * cross + s.p2 * (r2 + 2 * x[0] ** 2), s.p1 * (r2 + 2 * x[1] ** 2) + 2 * s.p2 * cross]

    out, res = [], []
    for px in s.px:
        y = (px - s.c) / s.f
        x = y
        for _ in range(10 if s.choice("method") else 20):
            if s.choice("method"):
                r2 = x @ x
                radial = 1 + s.k1 * r2 + s.k2 * r2 * r2
                x = (y - (lens(x) - x * radial)) / radial
            else:
                jac = np.column_stack([(lens(x + e) - lens(x - e)) / 2e-5 for e in 1e-5 * np.eye(2)])
                x = x - np.linalg.solve(jac, lens(x) - y)
        out.append(x)
        res.append(norm(lens(x) - y) * s.f)
    bearing = [hat([*x, 1]) for x in out]
    return {"x_out": out, "res_out": res if s.choice("method") else np.zeros(len(out)), "bearing_out": bearing}


@reference
def volume_rays(s):
    light, through, depth = [], [], []
    for o, d in zip(s.o, s.d):
        tr, total, far = 1.0, 0.0, 0.0
        if norm(d) >= 0.01:
            for k in range(20):
                t = (k + 0.5) * s.dt
                p = o + hat(d) * t
                if np.any(p < 0) or np.any(p >= np.array(s.sigma.shape) - 1):
                    break
                base, f = np.floor(p).astype(int), p % 1
                sigma = sum(np.prod(np.where(c, f, 1 - f)) * s.sigma[tuple(base + c)] for c in itertools.product((0, 1), repeat=3))
                a = 1 - np.exp(-sigma * s.dt)
                total, far, tr = total + tr * a * s.glow, far + tr * a * t, tr * (1 - a)
                if s.has("stop") and tr < s.stop:
                    break
        light.append(total)
        through.append(tr)
        depth.append(far / (1 - tr) if tr < 0.99 else 0)
    return {"light_out": light, "pass_out": through, "depth_out": depth}


@reference
def project_splats(s):
    cam = rotation_matrix(hat(s.cam_q))
    uv, conic, rad, depth = [], [], [], []
    for x, q, scale in zip(s.x, s.q, s.s):
        c = cam.T @ (x - s.cam_x)
        depth.append(c[2])
        if c[2] < s.near:
            uv.append([0, 0])
            conic.append([0, 0, 0])
            rad.append(0)
            continue
        r = rotation_matrix(q)
        cov = r @ np.diag(scale**2) @ r.T

        def screen(p):
            v = cam.T @ (p - s.cam_x)
            return s.f * v[:2] / v[2]

        jac = np.column_stack([(screen(x + e) - screen(x - e)) / 2e-5 for e in 1e-5 * np.eye(3)])
        flat = jac @ cov @ jac.T + number(s, "blur") * np.eye(2)
        inv = np.linalg.inv(flat)
        uv.append(screen(x))
        conic.append([inv[0, 0], inv[0, 1], inv[1, 1]])
        mid, det = np.trace(flat) / 2, np.linalg.det(flat)
        rad.append(np.ceil(3 * np.sqrt(mid + np.sqrt(max(mid * mid - det, 0.1)))))
    return {"uv": uv, "conic": conic, "rad": rad, "depth_out": depth, "seen": [sum(r > 0 for r in rad)]}


@reference
def atrous_pass(s):
    rows, cols = s.c.shape[:2]
    acc, total = np.zeros_like(s.c), np.zeros((rows, cols))
    bell = {-1: 0.25, 0: 0.5, 1: 0.25}
    i, j = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
    if s.has("n"):
        n = s.n / np.maximum(np.linalg.norm(s.n, axis=2, keepdims=True), 0.01)
    for dy, dx in itertools.product((-1, 0, 1), repeat=2):
        a, b = np.clip(i + dy * s.stride, 0, rows - 1), np.clip(j + dx * s.stride, 0, cols - 1)
        w = bell[dy] * bell[dx] * np.exp(-np.sum((s.c - s.c[a, b]) ** 2, 2) / s.sc**2)
        if s.has("n"):
            w = w * np.maximum(np.sum(n * n[a, b], 2), 0.001) ** number(s, "power")
        if s.has("z") and s.has("sz"):
            w = w * np.exp(-np.abs(s.z - s.z[a, b]) / (s.sz * s.stride))
        acc += s.c[a, b] * w[..., None]
        total += w
    return {"out_c": acc / np.maximum(total, 1e-6)[..., None], "weight_out": total}


@reference
def temporal_resolve(s):
    split = np.array([[0.25, 0.5, 0.25], [0.5, 0, -0.5], [-0.25, 0.5, -0.25]])
    rows, cols = s.cur.shape[:2]
    out, age = np.zeros_like(s.cur), np.zeros((rows, cols))
    for i, j in np.ndindex(rows, cols):
        x, y = np.array([i, j]) - s.mv[i, j]
        if x < 0 or y < 0 or x > rows - 1 or y > cols - 1 or (s.has("valid") and s.valid[i, j] == 0):
            out[i, j] = s.cur[i, j]
            continue
        a, b = int(x), int(y)
        fx, fy = x - a, y - b
        c, d = min(a + 1, rows - 1), min(b + 1, cols - 1)
        old = (1 - fx) * (1 - fy) * s.prev[a, b] + fx * (1 - fy) * s.prev[c, b] + (1 - fx) * fy * s.prev[a, d] + fx * fy * s.prev[c, d]
        near = s.cur[max(i - 1, 0):i + 2, max(j - 1, 0):j + 2].reshape(-1, 3) @ split.T
        old = np.linalg.solve(split, np.clip(split @ old, near.min(0), near.max(0)))
        w = max(s.alpha, 1 / (s.age[i, j] + 1)) if s.has("age") else s.alpha
        out[i, j] = w * s.cur[i, j] + (1 - w) * old
        if s.has("age"):
            age[i, j] = s.age[i, j] + 1
    return {"out_c": out, "age": age}


@reference
def mipmap_lookup(s):
    out = []
    for uv, lod in zip(s.uv, s.lod):
        total = 0.0
        for level, w in ((int(lod), 1 - lod % 1), (int(lod) + 1, lod % 1)):
            size = 16 // 2**level
            p = (uv % 1) * size - 0.5
            base, f = np.floor(p).astype(int), p % 1
            for c in itertools.product((0, 1), repeat=2):
                a, b = (base + c) % size
                total += w * np.prod(np.where(c, f, 1 - f)) * s.tex[level, a, b]
        out.append(total * (s.tint if s.has("tint") else 1))
    return {"val": out, "coarse": s.lod >= 2}


@reference
def shadow_lookup(s):
    r = rotation_matrix(s.light_q)
    rows, cols = s.map_.shape
    vis, edge = [], []
    for x, n in zip(s.x, s.n):
        p = r.T @ x + [0, 0, s.away]
        facing = -(r.T @ n)[2] / max(norm(n), 0.01)
        at = np.floor((p[:2] / s.span + 0.5) * [rows, cols]).astype(int)
        if facing <= 0:
            vis.append(0.0)
        elif np.any(at < 0) or at[0] >= rows or at[1] >= cols:
            vis.append(1.0)
        else:
            taps = [s.map_[np.clip(at[0] + a, 0, rows - 1), np.clip(at[1] + b, 0, cols - 1)] for a in (-1, 0, 1) for b in (-1, 0, 1)]
            vis.append(np.mean([p[2] - s.bias * (2 - facing) <= z for z in taps]))
        edge.append(0 < vis[-1] < 1)
    return {"vis": vis, "edge": edge}
