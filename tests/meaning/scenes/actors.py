"""Scenes of agents, contacts, whole numbers and slow processes, from the textbook."""

import numpy as np
from textbook import cross, hat, norm, reference


@reference
def boids(s):
    v, crowd = s.v.copy(), []
    for i, p in enumerate(s.x):
        d = s.x - p
        dist = np.linalg.norm(d, axis=1)
        near = (dist < s.reach) & (np.arange(len(dist)) != i)
        crowd.append(near.sum())
        if near.any():
            close = near & (dist < s.near) & (dist > 0)
            away = -np.sum(d[close] / dist[close][:, None], 0)
            v[i] = s.v[i] + s.ws * away + s.wa * (s.v[near].mean(0) - s.v[i]) + s.wc * (s.x[near].mean(0) - p)
        v[i] *= min(1, s.vmax / norm(v[i]))
    return {"v_out": v, "x_out": s.x + v * s.dt if s.has("x_out") else None, "crowd": crowd}


@reference
def pid(s):
    e = s.goal - s.now
    if s.has("dead"):
        e = np.where(np.abs(e) < s.dead, 0.0, e)
    total = s.total + e * s.dt
    if s.has("imax"):
        total = np.clip(total, -s.imax, s.imax)
    u = s.kp * e + s.ki * total + s.kd * (e - s.last) / s.dt
    return {"u": np.clip(u, -s.limit, s.limit), "total": total, "last": e}


@reference
def idm(s):
    want = s.s0 + np.maximum(s.v * s.headway + s.v * (s.v - s.lead) / (2 * np.sqrt(s.amax * s.brake)), 0)
    acc = s.amax * (1 - (s.v / s.v0) ** 4 - (want / s.gap) ** 2)
    return {"acc": acc, "v_next": np.maximum(s.v + acc * s.dt, 0) if s.has("dt") else None}


@reference
def elo(s):
    edge = s.home if s.has("home") else 0.0
    expected = 1 / (1 + 10 ** ((s.second - s.first - edge) / 400))
    delta = s.k * (s.result / 2 - expected)
    return {"new_first": s.first + delta, "new_second": s.second - delta}


@reference
def bicycle(s):
    rate = s.v * np.tan(s.steer) / s.base
    x = s.x + np.column_stack([np.cos(s.yaw), np.sin(s.yaw)]) * (s.v * s.dt)[:, None]
    turned = s.yaw + rate * s.dt
    yaw = np.where(turned > np.pi, turned - 2 * np.pi, np.where(turned < -np.pi, turned + 2 * np.pi, turned))
    v = np.maximum(s.v + s.acc * s.dt, 0)
    return {"x": x, "yaw": yaw, "v": np.minimum(v, s.vmax) if s.has("vmax") else v, "yaw_rate": rate}


@reference
def morton_codes(s):
    cells = np.floor(np.clip((s.x - s.lower) / s.extent * 1024, 0, 1023)).astype(int)
    codes = [int("".join(f"{x:010b}"[b] + f"{y:010b}"[b] + f"{z:010b}"[b] for b in range(10)), 2) for x, y, z in cells]
    return {"code": codes, "order": np.arange(len(codes))}


@reference
def spatial_hash(s):
    slots = len(s.role("slots", s.args))
    wide = s.cell_of.astype(np.int64) & 0xFFFFFFFF
    h = (wide[:, 0] * 73856093 & 0xFFFFFFFF) ^ (wide[:, 1] * 19349663 & 0xFFFFFFFF) ^ int(s.seed if s.has("seed") else 0)
    return {"slots": np.bincount(h % slots, minlength=slots), "key_out": h % slots}


@reference
def lower_bound(s):
    keys = s.start[:len(s.wanted)]
    place = np.searchsorted(keys, s.wanted, "left")
    return {"place": place, "found": s.start[place] == s.wanted}


@reference
def row_popcount(s):
    words = s.words.astype(np.int64) & int(s.mask if s.has("mask") else 0xFFFFFFFF)
    first = [int(np.flatnonzero(row)[0]) if row.any() else -1 for row in words]
    return {"total_out": [sum(bin(w).count("1") for w in row) for row in words], "first": first}


@reference
def unravel(s):
    layer, r, c = np.unravel_index(s.flat.astype(int), (100, int(s.rows_n), int(s.cols)))
    pad = int(s.pad)
    inside = (c >= pad) & (c < s.cols - pad) & (r >= pad) & (r < s.rows_n - pad)
    return {"cell_out": np.column_stack([c, r]), "layer_out": layer, "inside": inside}


@reference
def life(s):
    alive = s.alive.astype(int)
    n = sum(np.roll(alive, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - alive
    after = (n == 3) | ((n == 2) & (alive == 1))
    return {"after": after, "born": [np.sum(after & (alive == 0))]}


@reference
def spmv(s):
    y = np.array([s.val[a:b] @ s.x[s.col[a:b].astype(int)] for a, b in zip(s.start[:-1], s.start[1:])])
    y = y * (s.scale if s.has("scale") else 1.0)
    return {"y": s.offset - y if s.has("offset") else y}


@reference
def sphere_pairs(s):
    f, depth = np.zeros_like(s.x), np.zeros(len(s.pair))
    for c, (a, b) in enumerate(s.pair):
        pen = s.r[a] + s.r[b] - norm(s.x[b] - s.x[a])
        if a == b or pen <= 0:
            continue
        n, rel = hat(s.x[b] - s.x[a]), s.v[b] - s.v[a]
        push = max(s.ke * pen - s.kd * rel @ n, 0.0)
        total, slide = push * n, rel - rel @ n * n
        if s.has("mu") and norm(slide) > 1e-3:
            total = total - hat(slide) * min(s.mu * push, s.kd * norm(slide))
        f[a] -= total
        f[b] += total
        depth[c] = pen
    return {"f": f, "depth_out": depth}


@reference
def plane_contact(s):
    x, v, n = s.x.copy(), s.v.copy(), hat(s.n)
    gap = s.x @ n - s.c - (s.r if s.has("r") else 0.0)
    for i in np.flatnonzero(gap < 0):
        x[i] -= gap[i] * n
        vn = s.v[i] @ n
        if vn < 0:
            slide = s.v[i] - vn * n
            if s.has("mu") and norm(slide) > 1e-6:
                slide = slide * max(1 - s.mu * abs(vn) / norm(slide), 0)
            v[i] = slide - n * vn * (s.e if s.has("e") else 0.0)
    return {"x": x, "v": v, "touched": gap < 0}


@reference
def box_sdf(s):
    q = np.abs(s.p - (s.centre if s.has("centre") else 0.0)) - s.half
    d = np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0)
    return {"d": d - (s.round_ if s.has("round_") else 0.0), "axis": q.argmax(1)}


@reference
def contact_impulse(s):
    total, dv = s.jn.copy(), np.zeros_like(s.v)
    for c, (a, b) in enumerate(s.pair):
        if a == b:
            continue
        n = hat(s.n[c])
        vn = (s.v[b] - s.v[a]) @ n
        want = -s.e * vn if s.has("e") and vn < -0.5 else 0.0
        if s.has("pen") and s.has("slop") and s.has("dt"):
            want += 0.2 * max(s.pen[c] - s.slop, 0) / s.dt
        new = max(s.jn[c] + (want - vn) / (s.w[a] + s.w[b]), 0)
        change = new - s.jn[c]
        total[c] = new
        dv[a] -= n * change * s.w[a]
        dv[b] += n * change * s.w[b]
    return {"jn": total, "dv": dv}


@reference
def rope(s):
    dx = np.zeros_like(s.x)
    soft = s.compliance / s.dt**2 if s.has("compliance") else 0.0
    for i in range(len(dx) - 1):
        d = s.x[i + 1] - s.x[i]
        lam = (norm(d) - s.rest) / (s.w[i] + s.w[i + 1] + soft)
        dx[i] += s.w[i] * lam * hat(d) / 2
        dx[i + 1] -= s.w[i + 1] * lam * hat(d) / 2
    return {"dx": dx}


@reference
def ray_sphere(s):
    times, normals = [], []
    for o, d in zip(s.o, s.d):
        d, m = hat(d), o - s.c
        roots = np.roots([1, 2 * m @ d, m @ m - s.r**2])
        ahead = [t.real for t in roots if abs(t.imag) < 1e-12 and t.real >= 0]
        t = min(ahead) if ahead and (not s.has("far") or min(ahead) <= s.far) else -1.0
        times.append(t)
        normals.append(hat(m + t * d) if t >= 0 else np.zeros(3))
    return {"t": times, "n": normals}


@reference
def potassium_neuron(s):
    a = 0.01 * (s.v + 55) / (1 - np.exp(-(s.v + 55) / 10))
    b = 0.125 * np.exp(-(s.v + 65) / 80)
    current = s.g * s.n**4 * (s.v - s.e) + (s.leak * (s.v + 54.4) if s.has("leak") else 0.0)
    return {"n": np.clip(s.n + s.dt * (a * (1 - s.n) - b * s.n), 0, 1), "v": s.v + s.dt * (s.drive - current) / s.cm}


@reference
def predator_prey(s):
    caught = s.capture * s.prey / (1 + s.capture * s.hungry * s.prey) if s.has("hungry") else s.capture * s.prey
    born = s.birth * s.prey * (1 - s.prey / s.cap) if s.has("cap") else s.birth * s.prey
    prey = s.prey + s.dt * (born - caught * s.hunters)
    hunters = s.hunters + s.dt * (s.gain * caught * s.hunters - s.death * s.hunters)
    return {"prey": np.maximum(prey, 0), "hunters": np.maximum(hunters, 0)}


@reference
def wind_farm(s):
    v = s.u / 0.4 * np.log(s.z / s.rough)
    share = np.clip((v**3 - s.low**3) / (s.rated**3 - s.low**3), 0, 1)
    p = np.where((v >= s.low) & (v < s.high), s.top * share, 0.0)
    return {"p": p, "v_out": v, "total": [p.sum()]}
