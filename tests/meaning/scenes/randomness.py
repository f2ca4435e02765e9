"""Scenes of chance. The stream of uniform numbers is the published PCG hash that the language prescribes; what is made of
the numbers is from the textbook."""

import numpy as np
from streams import Stream
from textbook import norm, reference


def streams(s, n):
    return [Stream(s.seed, i) for i in range(n)]


@reference
def metropolis_chain(s):
    def energy(x):
        return s.depth * (x * x - 1) ** 2 + s.tilt * x
    last, mean, share, crossings = [], [], [], []
    skip = int(s.warm) if s.has("warm") else 0
    for x, beta, rng in zip(s.x, s.beta, streams(s, len(s.x))):
        path, yes = [x], 0
        for _ in range(int(s.steps)):
            trial = path[-1] + s.width * (2 * rng.unit() - 1)
            ok = rng.unit() < np.exp(min(0.0, beta * (energy(path[-1]) - energy(trial))))
            path.append(trial if ok else path[-1])
            yes += ok
        last.append(path[-1]), mean.append(np.mean(path[1 + skip:])), share.append(yes / s.steps)
        crossings.append(np.sum(np.array(path[1:]) * path[:-1] < 0))
    return {"x": last, "mean_out": mean, "accepted": share, "crossings": crossings}


@reference
def photon_slab(s):
    out, passed, layers, paths = 0.0, 0.0, np.zeros(8), []
    for weight, rng in zip(s.start_w, streams(s, len(s.start_w))):
        z, mu, way = 0.0, 1.0, 0.0
        for _ in range(int(s.steps)):
            step = rng.wait(s.mu_s + s.mu_a)
            z, way = z + step * mu, way + step
            if z < 0:
                out += weight
                break
            if z > s.thick:
                passed += weight
                break
            layers[min(int(8 * z / s.thick), 7)] += weight * s.mu_a / (s.mu_s + s.mu_a)
            weight *= s.mu_s / (s.mu_s + s.mu_a)
            # invert the cumulative Henyey-Greenstein distribution
            u, g = rng.unit(), s.g
            c = 2 * u - 1 if abs(g) < 0.01 else (1 + g * g - ((1 - g * g) / (1 - g + 2 * g * u)) ** 2) / (2 * g)
            phi = 2 * np.pi * rng.unit()
            mu = mu * c + np.sqrt(max((1 - mu**2) * (1 - c**2), 0)) * np.cos(phi)
            if s.choice("roulette") and weight < 0.1:
                if rng.unit() > 0.5:
                    break
                weight *= 2
        paths.append(way)
    return {"reflected": [out], "passed": [passed], "absorbed": layers, "path_out": paths}


@reference
def walk_on_spheres(s):
    values, steps = [], []
    for p, rng in zip(s.p, streams(s, len(s.p))):
        total, jumps = 0.0, 0
        for _ in range(int(s.walks)):
            q, k, r = np.array(p), 0, 1.0
            while r > s.eps and k < 40:
                r = s.big - norm(q)
                if s.has("hole"):
                    r = min(r, abs(norm(q) - s.hole))
                phi = 2 * np.pi * rng.unit()
                q = q + r * np.array([np.cos(phi), np.sin(phi)])
                k += 1
            jumps += k
            total += q[0] / max(norm(q), 0.05) if s.choice("data") == 0 else (1 if q[1] > 0 else -1)
        values.append(total / s.walks), steps.append(jumps)
    return {"u_out": values, "steps_out": steps}


@reference
def gillespie_cells(s):
    a_out, b_out, events, clock = [], [], [], []
    for a, b, rng in zip(s.a, s.b, streams(s, len(s.a))):
        t, n = 0.0, 0
        while n < 24:
            rates = np.array([s.birth, s.death * a, s.pair * a * (a - 1) / 2])
            t += rng.wait(rates.sum())
            if t > s.until:
                break
            event = np.searchsorted(np.cumsum(rates), rng.unit() * rates.sum(), side="right")
            a, b = a + (1, -1, -2)[event], b + (event == 2)
            n += 1
        a_out.append(a), b_out.append(b), events.append(n), clock.append(min(t, s.until))
    return {"a": a_out, "b": b_out, "events": events, "clock": clock}


@reference
def queue_waits(s):
    waits, longest, left, idle = [], [], [], []
    for lam, rng in zip(s.lam, streams(s, len(s.lam))):
        # by the clock: when each guest comes, and when the server is free again
        now, free_at, delays, gone, spare = 0.0, 0.0, [], 0, 0.0
        for _ in range(int(s.guests)):
            before, now = now, now + rng.wait(lam)
            service = rng.wait(s.mu)
            spare += max(now - max(before, free_at), 0.0)
            delay = max(free_at - now, 0.0)
            if s.has("patience") and delay > s.patience:
                gone += 1
                continue
            delays.append(delay)
            free_at = max(free_at, now) + service
        waits.append(sum(delays) / s.guests), longest.append(max(delays, default=0.0)), left.append(gone), idle.append(spare / now)
    return {"wait_out": waits, "longest": longest, "left": left, "idle": idle}


@reference
def halton_shadows(s):
    def mirrored(k, base):
        digits = np.base_repr(k, base)
        return sum(int(d) * float(base) ** -(j + 1) for j, d in enumerate(reversed(digits)))
    visible, light = [], []
    for p, rng in zip(s.p, streams(s, len(s.p))):
        shift = np.array([rng.unit(), rng.unit()])
        at, open_rays, lit = np.array([p[0], 0, p[1]]), 0, 0.0
        for k in range(1, int(s.rays) + 1):
            u = (np.array([mirrored(k, 2), mirrored(k, 3)]) + shift) % 1 - 0.5
            d = s.lamp + np.array([u[0], 0, u[1]]) * s.side - at
            # nearest point of the segment to the centre of the ball
            t = min(max((s.ball - at) @ d / (d @ d), 0), 1)
            if norm(at + t * d - s.ball) < s.r:
                continue
            open_rays += 1
            lit += d[1] ** 2 / (d @ d) ** 2
        visible.append(open_rays / s.rays), light.append(lit * s.side**2 / (s.rays * np.pi))
    return {"visible": visible, "light_out": light}


@reference
def noisy_signal(s):
    y, power = np.zeros_like(s.x), []
    for r, rng in enumerate(streams(s, len(s.x))):
        last, acc = 0.0, 0.0
        for c in range(s.x.shape[1]):
            u, v = rng.unit(), rng.unit()
            z = np.sqrt(-2 * np.log(max(u, 1e-7))) * np.exp(2j * np.pi * v)
            last = s.memory * last + np.sqrt(1 - s.memory**2) * z.real if s.has("memory") else z.real
            acc += (s.sigma[r] * z.imag) ** 2
            if s.has("drop") and rng.unit() < s.drop:
                continue
            y[r, c] = s.x[r, c] + s.sigma[r] * last
        power.append(acc / s.x.shape[1])
    return {"y": y, "power_out": power}


@reference
def gamma_draws(s):
    values, tries = [], []
    for a, rng in zip(s.shape_k, streams(s, len(s.shape_k))):
        d = a - 1 / 3
        value, n = d, 0
        while n < 16:
            n += 1
            z = np.sqrt(-2 * np.log(max(rng.unit(), 1e-7))) * np.cos(2 * np.pi * rng.unit())
            v = (1 + z / np.sqrt(9 * d)) ** 3
            if v <= 0:
                continue
            if np.log(max(rng.unit(), 1e-7)) < z * z / 2 + d * (1 - v + np.log(v)):
                value = d * v
                break
        values.append(value * (s.scale if s.has("scale") else 1.0)), tries.append(n)
    return {"value_out": values, "tries": tries}


@reference
def bootstrap_rows(s):
    err, low, high = [], [], []
    n = s.x.shape[1]
    for row, rng in zip(s.x, streams(s, len(s.x))):
        means = [np.mean([row[rng.word() % n] for _ in range(n)]) for _ in range(int(s.rounds))]
        err.append(np.std(means)), low.append(min(means)), high.append(max(means))
    return {"err_out": err, "low": low, "high": high}
