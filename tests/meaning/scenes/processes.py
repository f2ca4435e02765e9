"""Scenes of engineering and finance, from the textbook."""

import math

import numpy as np
from textbook import reference

phi = np.vectorize(lambda z: math.erfc(-z / math.sqrt(2)) / 2)


@reference
def black_scholes_prices(s):
    vol = s.vol if s.has("vol") else s.flat_vol
    root = vol * np.sqrt(s.years)
    forward = s.s * np.exp(s.rate * s.years)
    d1 = np.log(forward / s.k) / root + root / 2
    call = np.exp(-s.rate * s.years) * (forward * phi(d1) - s.k * phi(d1 - root))
    delta = phi(d1)
    if s.has("is_put"):  # put-call parity
        put = call - s.s + s.k * np.exp(-s.rate * s.years)
        call, delta = np.where(s.is_put == 1, put, call), np.where(s.is_put == 1, delta - 1, delta)
    return {"value": call, "delta": delta}


@reference
def american_put(s):
    n, dt = 8, s.years / 8
    u = math.exp(s.vol * math.sqrt(dt))
    p = min(max((math.exp(s.rate * dt) - 1 / u) / (u - 1 / u), 0), 1)

    def price(spot, strike):
        values = {k: max(strike - spot * u ** (2 * k - n), 0) for k in range(n + 1)}
        for level in range(n - 1, -1, -1):
            values = {k: max(math.exp(-s.rate * dt) * (p * values[k + 1] + (1 - p) * values[k]), strike - spot * u ** (2 * k - level))
                      for k in range(level + 1)}
        return values[0]
    return {"value": [price(a, b) for a, b in zip(s.s, s.k)]}


@reference
def bond_yield(s):
    def value(y, c):
        return sum(100 * c * (1 + y) ** -(n + 1) for n in range(s.years)) + 100 * (1 + y) ** -s.years

    def solve(cost, c):
        low, high = -0.4, 0.9
        for _ in range(60):
            mid = (low + high) / 2
            low, high = (mid, high) if value(mid, c) > cost else (low, mid)
        return mid
    return {"result": [solve(p, c) for p, c in zip(s.cost, s.coupon)]}


@reference
def drawdowns(s):
    peak = np.maximum.accumulate(s.p, 1)
    returns = np.diff(np.log(s.p), axis=1)
    return {"worst": np.max(1 - s.p / peak, 1), "vol": returns.std(1), "average": returns.mean(1)}


@reference
def kepler_orbit(s):
    pos = np.zeros((len(s.a), 2))
    for i, (a, e, span) in enumerate(zip(s.a, s.e, s.span)):
        mean = 2 * np.pi * ((s.t / span) % 1)
        low, high = mean - 1, mean + 1
        for _ in range(60):
            mid = (low + high) / 2
            low, high = (mid, high) if mid - e * math.sin(mid) < mean else (low, mid)
        pos[i] = a * (math.cos(mid) - e), a * math.sqrt(1 - e * e) * math.sin(mid)
    return {"pos": pos, "dist": np.hypot(*pos.T)}


@reference
def enzyme_rates(s):
    plain = s.vmax * s.s / (s.km + s.s)
    competitive = s.vmax * s.s / (s.km * (1 + s.inh / s.ki) + s.s)
    substrate = s.vmax * s.s / (s.km + s.s + s.s**2 / s.ki)
    v = np.choose(s.mode, [plain, competitive, substrate])
    return {"v": v, "occupied": v / s.vmax}


@reference
def sir_step(s):
    total = s.s + s.i_n + s.r
    beta = np.where(s.i_n > s.lockdown, s.beta / 2, s.beta) if s.has("lockdown") else s.beta
    cases = np.minimum(beta * s.s * s.i_n / total * s.dt, s.s)
    healed = np.minimum(s.gamma * s.i_n * s.dt, s.i_n)
    return {"s": s.s - cases, "i_n": s.i_n + cases - healed, "r": s.r + healed, "fresh": cases}
