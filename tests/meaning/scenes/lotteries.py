"""Swarms, evolution, annealing and walks, from their textbooks, on the stream that the language prescribes."""

import numpy as np
from streams import Stream
from textbook import norm, reference


def streams(s, n):
    return [Stream(s.seed, i) for i in range(n)]


def normal(rng):
    u, v = rng.unit(), rng.unit()
    return np.sqrt(-2 * np.log(u + 5.96e-8)) * np.cos(2 * np.pi * v)


@reference
def swarm_step(s):
    x, v, bx, bf, costs, better = s.x.copy(), s.v.copy(), s.best_x.copy(), s.best_f.copy(), [], 0
    for i, rng in enumerate(streams(s, len(x))):
        if s.choice("draw"):
            own, social = (np.array([rng.unit() for _ in range(3)]) for _ in range(2))
        else:
            own, social = rng.unit(), rng.unit()
        v[i] = s.inertia * v[i] + s.c_own * own * (bx[i] - x[i]) + s.c_swarm * social * (np.array(s.leader) - x[i])
        if s.has("v_max"):
            v[i] = np.clip(v[i], -s.v_max, s.v_max) if s.choice("limit") else v[i] * min(1, s.v_max / norm(v[i]))
        x[i] = x[i] + v[i]
        if s.has("box"):
            for k in range(3):
                if abs(x[i, k]) > s.box:
                    wall = np.sign(x[i, k]) * s.box
                    x[i, k], v[i, k] = (wall, 0) if s.choice("wall") else (2 * wall - x[i, k], -v[i, k])
        f = 30 + np.sum(x[i] ** 2 - 10 * np.cos(2 * np.pi * x[i])) if s.choice("cost") else norm(x[i] - s.goal) ** 2
        costs.append(f)
        if f < bf[i]:
            bf[i], bx[i], better = f, x[i], better + 1
    return {"x": x, "v": v, "best_x": bx, "best_f": bf, "cost_out": costs, "improved": [better]}


@reference
def evolve_members(s):
    n, dims = s.pop.shape
    child, costs, kept = np.array(s.pop), [], []

    def cost(x):
        return np.sum(x * x) if s.choice("cost") == 0 else np.sum(np.abs(x) + 0.5 * np.arange(dims) * x * x)
    for i, rng in enumerate(streams(s, n)):
        picks = [int(s.best[0])] if s.choice("base") else []
        while len(picks) < 3:
            other = rng.word() % n
            if other != i and other not in picks:
                picks.append(other)
        a, b, c = picks
        forced, trial = rng.word() % dims, s.pop[i].copy()
        for k in range(dims):
            if rng.unit() < s.cr or k == forced:
                t = s.pop[a, k] + s.f_scale * (s.pop[b, k] - s.pop[c, k])
                if s.has("bound") and abs(t) > s.bound:
                    t = (np.sign(t) * s.bound + s.pop[i, k]) / 2 if s.choice("repair") else np.sign(t) * s.bound
                trial[k] = t
        wins = cost(trial) <= cost(s.pop[i])
        kept.append(wins), costs.append(min(cost(trial), cost(s.pop[i])))
        if wins:
            child[i] = trial
    return {"child": child, "cost_out": costs, "kept": kept}


@reference
def anneal_tours(s):
    tours, lengths, accepted, uphill = [], [], [], []
    for city, rng in zip(s.city, streams(s, len(s.city))):
        def length(order):
            return sum(norm(city[a] - city[b]) for a, b in zip(order, order[1:] + order[:1]))
        tour, temp, ok, up = list(range(10)), s.start_temp, 0, 0
        for _ in range(int(s.steps)):
            a = rng.word() % 9
            b = a + 1 + rng.word() % (9 - a)
            if b - a > 7:
                continue
            trial = tour[:a] + tour[a:b + 1][::-1] + tour[b + 1:]
            change = length(trial) - length(tour)
            if s.choice("rule"):
                yes = change < 0.2 * temp
            else:
                yes = change <= 0 or rng.unit() < np.exp(-change / temp)
            if yes:
                tour, ok, up = trial, ok + 1, up + (change > 0)
            temp *= s.cooling
        tours.append(tour), lengths.append(length(tour)), accepted.append(ok), uphill.append(up)
    return {"tour": tours, "length_out": lengths, "accepted": accepted, "uphill": uphill}


@reference
def reservoir_rows(s):
    picked, places, seen, means = [], [], [], []
    for r, rng in enumerate(streams(s, len(s.x))):
        stream = [c for c in range(24) if not (s.has("wanted") and s.wanted[r, c] == 0) and not (s.has("low") and s.x[r, c] < s.low)]
        kept = {}
        if s.choice("method"):
            keys = [2.0] * 4
            for c in stream:
                u, worst = rng.unit(), int(np.argmax(keys))
                if u < keys[worst]:
                    keys[worst], kept[worst] = u, c
        else:
            for n, c in enumerate(stream):
                at = n if n < 4 else rng.word() % (n + 1)
                if at < 4:
                    kept[at] = c
        places.append([kept.get(k, -1) for k in range(4)])
        picked.append([s.x[r, kept[k]] if k in kept else 0 for k in range(4)])
        seen.append(len(stream)), means.append(np.mean([s.x[r, c] for c in kept.values()]) if kept else 0)
    return {"picked": picked, "where_out": places, "seen_out": seen, "mean_out": means}


@reference
def von_mises_draws(s):
    angles, tries, sides = [], [], []
    tau = 1 + np.sqrt(1 + 4 * s.kappa**2)
    rho = (tau - np.sqrt(2 * tau)) / (2 * s.kappa)
    r = (1 + rho**2) / (2 * rho)
    for mu, rng in zip(s.mu, streams(s, len(s.mu))):
        for n in range(1, 21):
            z = np.cos(np.pi * rng.unit())
            f = (1 + r * z) / (r + z)
            c, u = s.kappa * (r - f), rng.unit()
            if c * (2 - c) > u or np.log(c / max(u, 1e-7)) + 1 >= c:
                break
        side = np.sign(rng.unit() - 0.5)
        angle = mu + side * np.arccos(np.clip(f, -1, 1))
        angles.append((angle + np.pi) % (2 * np.pi) - np.pi), tries.append(n), sides.append(side > 0)
    return {"theta": angles, "tries": tries, "side": sides, "mean_out": [np.sum(np.cos(angles)), np.sum(np.sin(angles))]}


@reference
def hmc_chain(s):
    width, target = s.scale, s.choice("target")

    def potential(q):
        x, y = q
        return ((x * x + y * y) / (2 * width**2), width * (x * x - 1) ** 2 + y * y / 2, x * x / 2 + width * (y - x * x) ** 2)[target]

    def slope(q):
        x, y = q
        return np.array(((x / width**2, y / width**2), (4 * width * x * (x * x - 1), y),
                         (x - 4 * width * x * (y - x * x), 2 * width * (y - x * x)))[target])
    places, accepted = [], []
    for q, rng in zip(s.q, streams(s, len(s.q))):
        ok = 0
        for _ in range(int(s.rounds)):
            p, trial = np.array([normal(rng), normal(rng)]), np.array(q)
            before = potential(q) + p @ p / 2
            for _ in range(int(s.leaps)):
                p = p - s.eps / 2 * slope(trial)
                trial = trial + s.eps * p
                p = p - s.eps / 2 * slope(trial)
            if rng.unit() < np.exp(before - potential(trial) - p @ p / 2):
                q, ok = trial, ok + 1
        places.append(q), accepted.append(ok)
    return {"q": places, "accepted": accepted, "energy_out": [potential(q) for q in places], "far": [sum(norm(q) > 1 for q in places)]}


@reference
def rosenbluth_walks(s):
    n, moves = s.span2.shape[0], ((1, 0), (0, 1), (-1, 0), (0, -1))
    weights, ends, stuck, lengths = [], [], [], []
    for i, rng in enumerate(streams(s, n)):
        path, weight = [(0, 0)], 0.0
        while len(path) <= s.steps:
            x, y = path[-1]
            free = [(x + a, y + b) for a, b in moves if (x + a, y + b) not in path]
            if not free:
                break
            step = free[rng.word() % len(free)]
            if s.has("bias") and free[0] == (x + 1, y) and rng.unit() < s.bias[i]:
                step = free[0]
            weight += np.log(len(free))
            path.append(step)
        weights.append(weight), ends.append(path[-1]), lengths.append(len(path) - 1), stuck.append(len(path) <= s.steps)
    return {"log_weight": weights, "end_out": ends, "span2": [x * x + y * y for x, y in ends], "trapped": stuck,
            "length_out": lengths, "hits": [sum(stuck)]}


@reference
def genetic_drift(s):
    size, shares, hets, fixed = 20, [], [], []
    for f, rng in zip(s.freq, streams(s, len(s.freq))):
        n, het, when = int(np.floor(f * size + 0.5)), 0.0, -1
        for g in range(int(s.generations)):
            p = n / size
            het += 2 * p * (1 - p)
            if when < 0 and n in (0, size):
                when = g
            if s.has("select"):
                p = p * (1 + s.select) / (p * (1 + s.select) + 1 - p)
            if s.has("mutate"):
                p = p * (1 - s.mutate) + (1 - p) * s.mutate
            if s.choice("model"):
                for _ in range(8):
                    n = min(max(n + (rng.unit() < p) - (rng.unit() < n / size), 0), size)
            else:
                n = sum(rng.unit() < p for _ in range(size))
        shares.append(n / size), hets.append(het / s.generations), fixed.append(when)
    return {"freq_out": shares, "hetero_out": hets, "fixed_out": fixed,
            "lost": [sum(f == 0 for f in shares), sum(f == 1 for f in shares)]}
