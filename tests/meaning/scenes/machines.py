"""Rules and cases, from their descriptions."""

from collections import Counter

import numpy as np
from textbook import hat, reference


@reference
def traffic_cells(s):
    rows, n = s.lane.shape
    out, flow, still = -np.ones((rows, n)), np.zeros(rows), 0
    for r in range(rows):
        barrier = s.lane[r] >= 0
        barrier = barrier | (s.closed[r] == 1) if s.has("closed") else barrier
        for c in np.flatnonzero(s.lane[r] >= 0):
            gap = next((g for g in range(n) if barrier[(c + g + 1) % n]), n)
            v = min(s.lane[r, c] + 1, s.vmax, gap)
            v = max(v - s.slow[r, c], 0)
            out[r, (c + v) % n] = v
            flow[r] += c + v >= n
            still += v == 0
    return {"lane_new": out, "flow": flow, "jammed": [still]}


@reference
def parse_frames(s):
    good, bad, total, states = [], [], [], []
    for row in s.data.tolist():
        ok = wrong = payload_sum = at = 0
        state = 0
        while at < len(row):
            if row[at] != 5:
                at += 1
                continue
            if at + 1 == len(row):
                state = 1
                break
            length = row[at + 1]
            if s.has("limit") and length > s.limit:
                wrong, at = wrong + 1, at + 2
                continue
            body = row[at + 2:at + 2 + length]
            payload_sum += sum(body)
            if at + 2 + length >= len(row):
                state = 2 if len(body) < length else 3
                break
            check = length
            for b in body:
                check = (check ^ b) if s.choice("sum") == 0 else (check + b) % 8
            ok, wrong = (ok + 1, wrong) if row[at + 2 + length] == check % 8 else (ok, wrong + 1)
            at += 3 + length
        good.append(ok)
        bad.append(wrong)
        total.append(payload_sum)
        states.append(state)
    return {"good": good, "bad": bad, "total": total, "state_out": states}


@reference
def gait_targets(s):
    p = (s.ph + s.freq * s.dt) % 1.0
    swing = p >= s.duty
    u = np.where(swing, (p - s.duty) / (1 - s.duty), p / s.duty)
    early = swing & (u > 0.5) & (s.touch == 1) if s.has("touch") else np.zeros_like(swing)
    u = np.where(early, 1.0, u)
    if s.choice("swing") == 0:
        along, up = s.stride * (u - 0.5), s.lift * np.sin(np.pi * u)
    else:
        along, up = s.stride * (u - np.sin(2 * np.pi * u) / (2 * np.pi) - 0.5), s.lift / 2 * (1 - np.cos(2 * np.pi * u))
    along, up = np.where(swing, along, s.stride * (0.5 - u)), np.where(swing, up, 0.0)
    h = s.heading[:, None]
    foot = s.home[None] + np.stack([along * np.cos(h), along * np.sin(h), up], -1)
    return {"ph": np.where(early, 0, p), "foot": foot, "loaded": ~swing | early}


@reference
def yield_by_kind(s):
    out, excess = np.zeros_like(s.stress), np.zeros(len(s.stress))
    for e, sigma in enumerate(s.stress):
        p = np.trace(sigma) / 3
        dev = sigma - p * np.eye(3)
        q = np.sqrt(1.5 * np.sum(dev**2))
        kind = s.mat[e]
        f = [0.0, q - s.sy, q - (s.sy - 3 * s.alpha * p), p][kind]
        if f <= 0:
            out[e] = sigma
        elif kind == 1:
            out[e] = dev * s.sy / q + p * np.eye(3)
        elif kind == 2:
            limit = s.sy - 3 * s.alpha * p
            out[e] = dev * limit / q + p * np.eye(3) if limit > 0 else np.eye(3) * s.sy / (3 * s.alpha)
        else:
            out[e] = dev
        excess[e] = max(f, 0)
    return {"stress_out": out, "over": excess, "plastic": [np.sum(excess > 0)]}


@reference
def income_tax(s):
    edges = np.concatenate([[0.0], np.cumsum(s.width), [np.inf]])
    base = s.inc - s.allow * np.array([1.0, 2.0, 1.5])[s.status]
    tax, marginal = np.zeros(len(base)), np.zeros(len(base))
    for u, b in enumerate(base):
        if b <= 0:
            continue
        parts = np.clip(b - edges[:-1], 0, edges[1:] - edges[:-1])
        tax[u] = parts @ s.rate
        marginal[u] = s.rate[np.searchsorted(edges, b, side="left") - 1]
        if s.has("children") and s.has("credit"):
            tax[u] = max(tax[u] - s.credit * s.children[u], 0)
        if s.has("cap"):
            tax[u] = min(tax[u], s.cap * s.inc[u])
    return {"tax": tax, "marginal": marginal, "revenue": [tax.sum()]}


@reference
def brdf_by_kind(s):
    out = np.zeros((len(s.n), 3))
    for i in range(len(out)):
        n, l, v = hat(s.n[i]), hat(s.wi[i]), hat(s.wo[i])
        if n @ l <= 0 or n @ v <= 0:
            continue
        h = hat(l + v)
        if s.mat[i] == 0:
            out[i] = s.kd[i] / np.pi
        elif s.mat[i] == 1:
            out[i] = s.kd[i] / np.pi + s.f0 * (s.shine + 8) / (8 * np.pi) * (n @ h) ** s.shine
        elif s.mat[i] == 2:
            a2 = s.rough[i] ** 2
            d = a2 / (np.pi * ((n @ h) ** 2 * (a2 - 1) + 1) ** 2)
            k = s.rough[i] / 2
            g = np.prod([c / (c * (1 - k) + k) for c in (n @ l, n @ v)])
            f = s.kd[i] + (1 - s.kd[i]) * (1 - v @ h) ** 5
            out[i] = f * d * g / (4 * (n @ l) * (n @ v))
        elif n @ h > 0.98:
            out[i] = s.kd[i] / (n @ l)
    return {"out_c": out, "lit": [np.sum(out.max(1) > 0.1)]}


@reference
def sample_table(s):
    def fetch(k):
        if s.edge == 0:
            return s.table[min(max(k, 0), 15)]
        if s.edge == 1:
            return s.table[k % 16]
        return np.concatenate([s.table, s.table[::-1]])[k % 32]

    y, slope = np.zeros(len(s.x)), np.zeros(len(s.x))
    for i, x in enumerate(s.x):
        k = int(np.floor(x))
        t = x - k
        if s.mode[i] == 0:
            y[i] = fetch(int(np.floor(x + 0.5)))
        elif s.mode[i] == 1:
            y[i], slope[i] = fetch(k) * (1 - t) + fetch(k + 1) * t, fetch(k + 1) - fetch(k)
        else:
            p = np.array([fetch(k + d) for d in (-1, 0, 1, 2)])
            m = np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]]) / 2 @ p
            y[i], slope[i] = m @ [1, t, t**2, t**3], m @ [0, 1, 2 * t, 3 * t**2]
    return {"y": y, "slope": slope}


@reference
def design_biquads(s):
    w = 2 * np.pi * s.f
    al, c, g = np.sin(w) / (2 * s.q), np.cos(w), 10 ** (s.gdb / 40)
    one = np.ones_like(c)
    b = np.choose(s.what[:, None], [np.stack([(1 - c) / 2, 1 - c, (1 - c) / 2], 1), np.stack([(1 + c) / 2, -(1 + c), (1 + c) / 2], 1),
                                    np.stack([al, 0 * c, -al], 1), np.stack([one, -2 * c, one], 1), np.stack([1 + al * g, -2 * c, 1 - al * g], 1)])
    width = np.where(s.what == 4, al / g, al)
    a = np.stack([1 + width, -2 * c, 1 - width], 1)
    return {"b_out": b / a[:, :1], "a_out": a[:, 1:] / a[:, :1], "at_dc": b.sum(1) / a.sum(1), "loud": [np.sum(np.linalg.norm(b, axis=1) > 2 * a[:, 0])]}


@reference
def match_orders(s):
    n = len(s.size)
    filled, cost = np.zeros(n), np.zeros(n)
    for i in range(n):
        ok = np.ones(8, bool) if s.kind_id[i] == 0 else s.px <= s.cap[i]
        before = np.cumsum(np.where(ok, s.avail, 0)) - np.where(ok, s.avail, 0)
        take = np.where(ok, np.clip(s.size[i] - before, 0, s.avail), 0)
        if s.kind_id[i] == 2 and take.sum() < s.size[i] - 1e-9:
            continue
        filled[i], cost[i] = take.sum(), take @ s.px
    cost = cost * (1 + s.fee) if s.has("fee") else cost
    return {"filled": filled, "cost": cost, "mean_px": np.where(filled > 0, cost / np.maximum(filled, 1e-9), 0), "rest": s.size - filled}


@reference
def rank_hands(s):
    ranks = []
    for face, suit in zip(s.face.tolist(), s.suit.tolist()):
        shape = sorted(Counter(face).values(), reverse=True)
        flush = len(set(suit)) == 1
        straight = len(set(face)) == 5 and (max(face) - min(face) == 4 or sorted(face) == [0, 1, 2, 3, 12])
        tests = [straight and flush, shape[0] == 4, shape[:2] == [3, 2], flush, straight, shape[0] == 3, shape[:2] == [2, 2], shape[0] == 2]
        five = shape[0] == 5  # cannot be dealt from one deck, and is no four of a kind
        ranks.append(next((8 - k for k, t in enumerate(tests) if t and not five), None) if not five else (5 if flush else 1))
    ranks = [0 if r is None else r for r in ranks]
    strong = sum(r >= 3 for r in ranks) if not any(len(set(f)) == 1 for f in s.face.tolist()) else None
    return {"rank_out": ranks, "high": s.face.max(1), "strong": None if strong is None else [strong]}


@reference
def atmosphere_layers(s):
    g, r = 9.80665, 287.05287
    bases = [(0.0, 288.15, -6.5e-3), (11e3, 216.65, 0.0), (20e3, 216.65, 1e-3), (32e3, 228.65, 2.8e-3)]
    t, p = np.zeros(len(s.z)), np.zeros(len(s.z))
    for i, h in enumerate(s.z * 1e3):
        level = 101325.0
        for k, (z0, t0, lapse) in enumerate(bases):
            top = bases[k + 1][0] if k < 3 else np.inf
            to = min(h, top)
            t[i] = t0 + lapse * (to - z0)
            level *= (t[i] / t0) ** (-g / (r * lapse)) if lapse else np.exp(-g * (to - z0) / (r * t0))
            if h < top:
                break
        p[i] = level / 100
    t = t + (s.shift if s.has("shift") else 0.0)
    return {"t_out": t, "p_out": p, "rho_out": 100 * p / (r * t), "sound": np.sqrt(1.4 * r * t)}


@reference
def signal_controller(s):
    n = len(s.st)
    st, tm, served, switches = s.st.copy(), s.tm + s.dt, np.zeros(n), 0
    for i in range(n):
        if st[i] in (0, 2):
            mine, other = (s.ns[i], s.ew[i]) if st[i] == 0 else (s.ew[i], s.ns[i])
            served[i] = min(mine, 2)
            switch = tm[i] >= s.shortest and ((other > 0 and (mine == 0 or tm[i] >= s.longest)) or other > 2 * mine)
            switch = switch or (s.has("bus") and s.bus[i] == 1 and st[i] == 2)
            switches += bool(switch)
            if switch:
                st[i], tm[i] = st[i] + 1, 0
        elif tm[i] >= s.pause:
            st[i], tm[i] = (st[i] + 1) % 4, 0
    return {"st": st, "tm": tm, "served": served, "switches": [switches]}
