"""Nerves, molecules, epidemics, derivatives, orbits, snow."""

import math
import statistics

import numpy as np
from textbook import reference


@reference
def hodgkin_huxley(s):
    v, m, h, n = s.v.copy(), s.m.copy(), s.h.copy(), s.n.copy()
    held = s.clamp_v == 1 if s.has("clamp_v") else np.zeros(len(v), bool)
    spikes = np.zeros(len(v))
    for _ in range(10):
        u = v + 65  # the potential from rest, as in the paper
        am, bm = (u - 25) / 10 / -np.expm1(-(u - 25) / 10), 4 * np.exp(-u / 18)
        ah, bh = 0.07 * np.exp(-u / 20), 1 / (np.exp(-(u - 30) / 10) + 1)
        an, bn = 0.1 * (u - 10) / 10 / -np.expm1(-(u - 10) / 10), 0.125 * np.exp(-u / 80)
        sodium = 120 * m**3 * h * (v - 50)
        new = v + s.dt * (s.drive - sodium - 36 * n**4 * (v + 77) - 0.3 * (v + 54.387))
        m, h, n = m + s.dt * (am * (1 - m) - bm * m), h + s.dt * (ah * (1 - h) - bh * h), n + s.dt * (an * (1 - n) - bn * n)
        new = np.where(held, v, new)
        spikes += (v < 0) & (new >= 0)
        v = new
    return {"v": v, "m": m, "h": h, "n": n, "spikes": spikes, "na_out": sodium}


@reference
def izhikevich(s):
    a, b, c, d = np.array([[0.02, 0.2, -65, 8], [0.02, 0.2, -55, 4], [0.1, 0.2, -65, 2]]).T[:, s.cell]
    cur = s.drive + [sum(s.w[k] for k in range(s.start[i], s.start[i + 1]) if s.fired_in[s.pre[k]] == 1) for i in range(len(s.v))]
    v = s.v.copy()
    for _ in range(2):
        v = v + s.dt / 2 * (0.04 * v**2 + 5 * v + 140 - s.u + cur)
    u = s.u + s.dt * a * (b * v - s.u)
    fired = v >= 30
    v, u = np.where(fired, c, v), np.where(fired, u + d, u)
    if s.has("dead"):
        gone = s.dead == 1
        v, u, fired = np.where(gone, s.v, v), np.where(gone, s.u, u), fired & ~gone
    return {"v": v, "u": u, "fired": fired, "rate": np.bincount(s.cell[fired], minlength=3)}


@reference
def stdp_traces(s):
    x, y, w = s.x * s.keep, s.y * s.keep, s.w.copy()
    before, after = s.spiked[s.pre] == 1, s.spiked[s.post] == 1
    soft = s.has("soft") and s.soft == 1
    w = np.where(before, w - s.down * y * (w if soft else 1), w)
    x = x + before
    w = np.where(after, w + s.up * x * (s.w_max - w if soft else 1), w)
    y = y + after
    w = np.clip(w, 0, s.w_max)
    return {"x": np.minimum(x, 1.5), "y": np.minimum(y, 1.5), "w": w, "grown": [np.sum(w > s.w)]}


@reference
def nonbonded(s):
    n = len(s.x)
    f, pot, close = np.zeros((n, 3)), np.zeros(n), 0
    charged = s.has("q") and s.has("kap")

    def energy(r, i, j):
        u = 4 * s.eps * ((s.sigma / r) ** 12 - (s.sigma / r) ** 6)
        return u + (138.935 * s.q[i] * s.q[j] * math.erfc(s.kap * r) / r if charged else 0.0)

    for i in range(n):
        for k in range(s.start[i], s.start[i + 1]):
            j = s.nbr[k]
            if j == i or (s.has("skip") and s.skip[k] == 1):
                continue
            d = s.x[i] - s.x[j]
            d = d - s.side * np.rint(d / s.side)
            if d @ d > s.cut**2:
                continue
            close += d @ d < 0.04
            r = max(np.linalg.norm(d), 0.2)
            step = 1e-5 * r  # the force is the slope of the energy
            slope = (8 * (energy(r + step, i, j) - energy(r - step, i, j)) - energy(r + 2 * step, i, j) + energy(r - 2 * step, i, j)) / (12 * step)
            f[i] -= slope * d / r
            pot[i] += energy(r, i, j) / 2
    return {"f": f, "pot": pot, "close": [close]}


@reference
def brusselator(s):
    x, y = s.role("x", s.after), s.role("y", s.after)
    a = s.feed if s.has("feed") else s.a
    # backward Euler: the new state, stepped back, is the old one
    old_x, old_y = x - s.dt * (a - (s.b + 1) * x + x**2 * y), y - s.dt * (s.b * x - x**2 * y)
    right = (abs(old_x - s.x) < 1e-6) & (abs(old_y - s.y) < 1e-6)
    return {"x": np.where(right, x, 1e9), "y": np.where(right, y, 1e9), "failed": [0]}


@reference
def seir_groups(s):
    share = s.infected / s.population
    force = s.beta[:, None] * (share @ s.contact.T)
    catch = s.susceptible * (-np.expm1(-force) if s.choice("rate") == 0 else np.minimum(force, 1))
    left = (s.susceptible - catch) * (1 - (s.vaccination if s.has("vaccination") else 0.0))
    exposed, infected = s.exposed + catch - s.sigma * s.exposed, s.infected + s.sigma * s.exposed - s.gamma * s.infected
    peak = np.maximum(s.peak_infected, infected.sum(1)) if s.has("peak_infected") else None
    return {"susceptible": left, "exposed": exposed, "infected": infected, "new_cases": catch.sum(1), "peak_infected": peak}


@reference
def implied_vol(s):
    """By bisection; a volatility whose price is within the kernel's tolerance of the quote is as good."""
    normal = statistics.NormalDist()

    def price(i, vol):
        df, w = s.k[i] * math.exp(-s.r * s.t[i]), vol * math.sqrt(s.t[i])
        d = math.log(s.s[i] / df) / w + w / 2
        return s.s[i] * normal.cdf(d) - df * normal.cdf(d - w)
    got = s.role("vol", s.after)
    vol, bad = np.zeros(len(s.s)), 0
    for i in range(len(vol)):
        if s.quote[i] <= max(s.s[i] - s.k[i] * math.exp(-s.r * s.t[i]), 0) or s.quote[i] >= s.s[i]:
            bad += 1
        elif got[i] > 0 and abs(price(i, got[i]) - s.quote[i]) < 1.0001e-4:
            vol[i] = got[i]
        else:
            lo, hi = 0.001, 4.0
            for _ in range(80):
                mid = (lo + hi) / 2
                lo, hi = (lo, mid) if price(i, mid) > s.quote[i] else (mid, hi)
            vol[i] = lo
    return {"vol": vol, "bad": [bad]}


@reference
def heston_paths(s):
    dt, n = 0.08333333, len(s.z)
    x, v = np.full(n, np.log(s.s0)), np.full(n, s.level)
    alive, least = np.ones(n, bool), np.full(n, s.s0)
    for k in range(12):
        vp = np.maximum(v, 0)
        dz = s.rho * s.z[:, k] + np.sqrt(1 - s.rho**2) * s.w[:, k]
        x = np.where(alive, x + (s.r - vp / 2) * dt + np.sqrt(vp * dt) * dz, x)
        v = v + s.speed * (s.level - vp) * dt + s.xi * np.sqrt(vp * dt) * s.z[:, k]
        least = np.where(alive, np.minimum(least, np.exp(x)), least)
        alive = alive & (np.exp(x) >= s.barrier) if s.has("barrier") else alive
    pay = np.maximum(np.exp(x) - s.k, 0) * np.exp(-s.r * 12 * dt) * alive
    return {"pay": pay, "low": least, "mean_out": [pay.mean()]}


@reference
def copula_losses(s):
    inverse = np.vectorize(statistics.NormalDist().inv_cdf)
    z = np.sqrt(s.rho) * s.common[:, None] + np.sqrt(1 - s.rho) * inverse(s.own)
    failed = z < inverse(s.pd)
    loss = failed @ s.size * (s.lgd if s.has("lgd") else 1.0)
    return {"loss": loss, "hits": failed.sum(1), "tail": [np.sum(loss > s.cut)] if s.has("cut") else None}


@reference
def orbital_elements(s):
    n = len(s.position)
    out = {name: np.zeros(n) for name in ("ecc", "inc", "raan", "arg_peri", "axis")}
    for i, (r, v) in enumerate(zip(s.position, s.velocity)):
        d, h = np.linalg.norm(r), np.cross(r, v)
        if np.linalg.norm(h) <= 1e-4 * d * np.linalg.norm(v):
            out["ecc"][i] = 1
            continue
        e = ((v @ v - s.mu / d) * r - (r @ v) * v) / s.mu
        energy = v @ v / 2 - s.mu / d
        out["ecc"][i], out["inc"][i] = np.linalg.norm(e), np.arctan2(np.hypot(h[0], h[1]), h[2])
        out["axis"][i] = -s.mu / (2 * energy) if energy * d < -0.01 * s.mu else -1
        line = np.cross([0, 0, 1], h)
        out["raan"][i] = np.arctan2(line[1], line[0])
        across = np.cross(h, line)
        out["arg_peri"][i] = np.arctan2(e @ across / np.linalg.norm(across), e @ line / np.linalg.norm(line))
    return out


@reference
def snowpack(s):
    pack, liquid, total, bare = s.swe.copy(), s.wet.copy(), np.zeros(len(s.swe)), np.zeros(len(s.swe))
    for k in range(10):
        t, p = s.temp[:, k], s.rain[:, k]
        snow = p * ((t < s.t_rain) if s.choice("split") == 0 else np.clip((s.t_rain + 1 - t) / 2, 0, 1))
        pack = pack + snow
        melt = np.minimum(s.ddf * np.maximum(t - (s.t_melt if s.has("t_melt") else 0.0), 0), pack)
        pack, liquid = pack - melt, liquid + melt + p - snow
        if s.has("refreeze"):
            ice = np.minimum(s.refreeze * s.ddf * np.maximum(-t, 0), liquid)
            pack, liquid = pack + ice, liquid - ice
        flow = np.maximum(liquid - s.hold * pack, 0)
        liquid, total, bare = liquid - flow, total + flow, bare + (pack < 0.1)
    return {"swe": pack, "wet": liquid, "gone": total, "bare": bare}
