"""Thresholds, tests, distances, contacts and machines of states, each by its definition."""

import numpy as np
from textbook import hat, norm, reference, rotation_matrix


@reference
def otsu_threshold(s):
    levels, shares, gaps, between = [], [], [], []
    for row in s.hist.astype(float):
        h = np.where(row < s.floor_, 0, row) if s.has("floor_") else row
        total, best = h.sum(), (-1.0, 0, 0.0, 0.0)
        for t in range(15):
            dark, bright = h[:t + 1], h[t + 1:]
            if dark.sum() < 0.5 or bright.sum() < 0.5:
                continue
            m0, m1 = np.average(np.arange(t + 1), weights=dark), np.average(np.arange(t + 1, 16), weights=bright)
            var = dark.sum() * bright.sum() * (m1 - m0) ** 2 / (total**2 if s.choice("form") else 1)
            if var > best[0] * 1.0001:
                best = (var, t, dark.sum(), m1 - m0)
        levels.append(best[1]), shares.append(1 - best[2] / total if total else 0), gaps.append(best[3]), between.append(best[0])
    return {"level_out": levels, "share_out": shares, "gap_out": gaps, "between_out": between,
            "flat": [sum(g < 7.8 for g in gaps)]}


@reference
def ks_statistic(s):
    ds, ps, places = [], [], []
    for a, b in zip(s.a, s.b):
        steps = [(abs(np.mean(a <= x) - np.mean(b <= x)), x) for x in [*a, *b]]
        d, at = 0.0, 0.0
        for gap, x in steps:
            if gap > d + 0.001:
                d, at = gap, x
        root = np.sqrt(12 * 10 / 22)
        lam = (root + 0.12 + 0.11 / root) * d
        p = 2 * sum((-1) ** (m - 1) * np.exp(-2 * lam**2 * m**2) for m in range(1, 21))
        ds.append(d), ps.append(min(max(p, 0), 1)), places.append(at)
    return {"d_out": ds, "p_out": ps, "where_out": places, "differs": [p < (s.level or 0) for p in ps]}


@reference
def best_stretch(s):
    sums, first, last = [], [], []
    for row in s.x - (s.cost if s.has("cost") else 0):
        spans = [(sum(row[a:b + 1]), a, b) for a in range(16) for b in range(a, 16)]
        best = max(spans, key=lambda span: span[0])
        sums.append(best[0]), first.append(best[1]), last.append(best[2])
    return {"sum_out": sums, "begin_out": first, "end_out": last, "longest": [max(b - a + 1 for a, b in zip(first, last))]}


@reference
def set_distance(s):
    out, worst, close = [], [], []
    for p, q in zip(s.p, s.q):
        d = np.linalg.norm(p[:, None] - q[None], axis=-1)
        d = d**2 if s.choice("measure") else d
        there, back = d.min(1), d.min(0)
        limit = s.limit if s.has("limit") else np.inf
        out.append(np.minimum(there, limit).mean() + np.minimum(back, limit).mean() if s.choice("kind") else max(there.max(), back.max()))
        worst.append(np.argmax(there)), close.append(np.sum(there < 1))
    return {"dist_out": out, "pair_out": worst, "close_out": close}


SPHERE, CAPSULE, BOX, PLANE = range(4)


def nearest(a, b, p):
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return a + t * (b - a)


def touch(kinds, xs, turns, sizes):
    """Point, normal from the first to the second and depth of a pair whose kinds are in order; None: not handled."""
    (ka, kb), (xa, xb), (ra, rb), (sa, sb) = kinds, xs, turns, sizes
    up = -rb[:, 1]
    if kb == PLANE:
        if ka == PLANE:
            return None
        tips = {SPHERE: [xa], CAPSULE: [xa - ra[:, 1] * sa[1], xa + ra[:, 1] * sa[1]],
                BOX: [xa + ra @ (np.array(c) * sa) for c in np.ndindex(2, 2, 2) for c in [2 * np.array(c) - 1]]}[ka]
        tip = max(tips, key=lambda t: t @ up) + (0 if ka == BOX else sa[0] * up)
        return tip, up, (tip - xb) @ up
    if ka == BOX or (ka == CAPSULE and kb == BOX):
        return None
    if kb == BOX:
        local = rb.T @ (xa - xb)
        inside = np.clip(local, -sb, sb)
        gap = norm(local - inside)
        if gap > 1e-5:
            return xb + rb @ inside, rb @ hat(inside - local), sa[0] - gap
        room = sb - np.abs(local)
        k = int(np.argmin(room))
        return xa, -rb[:, k] * (1 if local[k] > 0 else -1), sa[0] + room[k]
    a, b = xa, xb
    if ka == SPHERE and kb == CAPSULE:
        b = nearest(xb - rb[:, 1] * sb[1], xb + rb[:, 1] * sb[1], xa)
    elif ka == CAPSULE:
        for _ in range(6):
            a = nearest(xa - ra[:, 1] * sa[1], xa + ra[:, 1] * sa[1], b)
            b = nearest(xb - rb[:, 1] * sb[1], xb + rb[:, 1] * sb[1], a)
    n = hat(b - a)
    depth = sa[0] + sb[0] - norm(b - a)
    return a + n * (sa[0] - depth / 2), n, depth


@reference
def collide_pairs(s):
    count = len(s.first)
    points, normals, depths = np.zeros((count, 3)), np.zeros((count, 3)), np.full(count, -1.0)
    for i, (a, b) in enumerate(zip(s.first, s.second)):
        if a == b or (s.has("group") and int(s.group[a]) & int(s.group[b]) == 0):
            continue
        pair = (a, b) if s.shape[a] <= s.shape[b] else (b, a)
        found = touch([int(s.shape[k]) for k in pair], [s.x[k] for k in pair],
                      [rotation_matrix(hat(s.q[k])) for k in pair], [s.size[k] for k in pair])
        if found and found[2] >= -(s.margin if s.has("margin") else 0):
            points[i], normals[i], depths[i] = found[0], found[1] * (1 if pair == (a, b) else -1), found[2]
    live = depths != -1
    return {"point_out": points, "normal_out": normals, "depth_out": depths, "num": [np.sum(live)]}


@reference
def snake_games(s):
    scores, alive, steps, heads = [], [], [], []
    for r in range(len(s.turns)):
        body, way, meals, over, ticks = [(4, 4), (3, 4), (2, 4)], (1, 0), 0, False, 0
        for turn in s.turns[r]:
            if over:
                break
            ticks += 1
            if turn == 1:
                way = (way[1], -way[0])
            elif turn == 2:
                way = (-way[1], way[0])
            head = (body[0][0] + way[0], body[0][1] + way[1])
            if s.choice("edge"):
                head = (head[0] % 8, head[1] % 8)
            elif not (0 <= head[0] < 8 and 0 <= head[1] < 8):
                over = True
                continue
            eats = meals < 6 and head == (s.food_x[r, meals % 6], s.food_y[r, meals % 6])
            hit = body if s.choice("tail") or eats else body[:-1]
            if head in hit:
                over = True
                continue
            body = [head, *(body if eats and len(body) < 15 else body[:-1])]
            meals += eats
        scores.append(meals), alive.append(not over), steps.append(ticks), heads.append(body[0])
    return {"score_out": scores, "alive_out": alive, "steps_out": steps, "head_out": heads}
