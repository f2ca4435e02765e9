"""Long steps of simulators, from the textbook."""

import numpy as np
from rotations import pose_matrix, poses_like, rotation_about
from streams import Stream
from textbook import cross, hat, norm, reference


@reference
def mohr_coulomb_return(s):
    """The planes as vectors in principal stresses, with the elastic matrix: sigma = trial - D sum(gamma_k m_k)."""
    sp, sd = np.sin(s.phi), np.sin(s.psi if s.has("psi") else s.phi)
    limit = 2 * s.c * np.cos(s.phi)
    elastic = 2 * s.g * np.eye(3) + (s.k - 2 * s.g / 3)

    def plane(a, b, sine):
        v = np.zeros(3)
        v[a], v[b] = 1 + sine, sine - 1
        return v
    sigma, mode, flow, n = [], [], [], 0
    for t in s.trial:
        t = np.sort(t)[::-1]
        if plane(0, 2, sp) @ t <= limit:
            sigma.append(t)
            mode.append(0)
            flow.append(0)
            continue
        n += 1
        edge = 2 if np.array([1 - sd, -2, 1 + sd]) @ t > 0 else 3
        for case, pairs in ((1, [(0, 2)]), (edge, [(0, 2), (0, 1) if edge == 2 else (1, 2)]), (4, None)):
            if pairs is None:
                new = np.full(3, s.c / np.tan(s.phi))
                break
            normals, ways = np.array([plane(*p, sp) for p in pairs]), np.array([plane(*p, sd) for p in pairs])
            gamma = np.linalg.solve(normals @ elastic @ ways.T, normals @ t - limit)
            new = t - elastic @ ways.T @ gamma
            slack = 0 if case == 1 else 1e-6
            if new[0] + slack >= new[1] and new[1] + slack >= new[2]:
                break
        sigma.append(new)
        mode.append(case)
        flow.append(norm(t - new) / (2 * s.g))
    return {"sigma": sigma, "mode_out": mode, "flow": flow, "yielded": [n]}


@reference
def chain_kinematics(s):
    links, twists, energy, tips = [], [], [], []
    for q, qd in zip(s.q, s.qd if s.has("qd") else np.zeros_like(s.q)):
        x = pose_matrix(np.concatenate([s.base[:3], hat(s.base[3:])])) if s.has("base") else np.eye(4)
        axes, row, motion = [], [], []
        for j in range(len(q)):
            x = x @ pose_matrix(np.concatenate([s.offset[j, :3], hat(s.offset[j, 3:])]))
            n, step = hat(s.axis[j]), np.eye(4)
            if s.slides[j] == 1:
                step[:3, 3] = n * q[j]
            else:
                step[:3, :3] = rotation_about(n * q[j])
            x = x @ step
            rate = 0 if s.has("locked") and s.locked[j] == 1 else qd[j]
            axes.append((s.slides[j] == 1, x[:3, :3] @ n * rate, x[:3, 3]))
            w = sum((a for slides, a, _ in axes if not slides), np.zeros(3))
            v = sum((a if slides else cross(a, x[:3, 3] - at) for slides, a, at in axes), np.zeros(3))
            row.append(x)
            motion.append(np.concatenate([w, v]))
        links += row
        twists.append(motion)
        tips.append(x[:3, 3])
        energy.append(sum(s.m[j] / 2 * motion[j][3:] @ motion[j][3:] for j in range(len(q))) if s.has("m") else 0)
    got = np.asarray(s.role("link", s.after))
    flat = type("Flat", (), {"has": lambda self, r: True, "role": lambda self, r, a: got.reshape(-1, 7), "after": None})()
    return {"link": poses_like(flat, "link", links).reshape(got.shape), "motion": twists, "tip_out": tips, "energy_out": energy if s.has("m") else None}


@reference
def mixed_constraints(s):
    delta, lam, hits = np.zeros(s.x.shape), s.lam.copy(), 0
    alpha = s.soft / s.dt**2
    for k, (a, b) in enumerate(s.pair):
        kind, xa = int(s.ctype[k]), s.x[a]
        if kind == 0:
            if a == b:
                continue
            d = xa - s.x[b]
            step = (-(norm(d) - s.l0[k]) - alpha * lam[k]) / (s.w[a] + s.w[b] + alpha)
            lam[k] += step
            delta[a] += hat(d) * s.w[a] * step
            delta[b] -= hat(d) * s.w[b] * step
        elif kind == 1:
            d = xa - s.goal[k]
            step = (-norm(d) - alpha * lam[k]) / (s.w[a] + alpha)
            lam[k] += step
            delta[a] += hat(d) * s.w[a] * step
        else:
            d = np.array([0, 1.0, 0]) if kind == 2 else hat(xa - s.goal[k])
            depth = xa[1] - s.floor_h if kind == 2 else norm(xa - s.goal[k]) - s.ball_r
            lam[k] = max(-depth, 0) / s.w[a]
            delta[a] += d * max(-depth, 0)
            hits += depth < 0
    return {"lam": lam, "delta": delta, "hits": [hits]}


@reference
def plasma_push(s):
    x, v, rho, energy = s.x.copy(), s.v.copy(), np.zeros(32), 0
    for p in range(len(x)):
        if s.has("alive") and s.alive[p] == 0:
            continue
        i, f = int(x[p]), x[p] % 1
        e = np.array([s.e_node[i] * (1 - f) + s.e_node[(i + 1) % 32] * f, 0, 0]) * s.qm * s.dt / 2
        b = np.asarray(s.b) * s.qm * s.dt
        tangent = 2 * np.arctan(norm(b) / 2)
        v[p] = rotation_about(-hat(b) * tangent) @ (v[p] + e) + e
        x[p] = (x[p] + v[p][0] * s.dt) % 32
        i, f = min(int(x[p]), 31), x[p] - min(int(x[p]), 31)
        rho[i] += 1 - f
        rho[(i + 1) % 32] += f
        energy += v[p] @ v[p] / 2
    return {"x": x, "v": v, "rho": rho, "energy_sum": [energy]}


@reference
def trace_glass_ball(s):
    n = s.n

    def share(c):
        f0 = ((n - 1) / (n + 1)) ** 2
        return f0 + (1 - f0) * (1 - c) ** 5
    light, length, hops, missed = [], [], [], 0
    for o, a in zip(s.o, s.aim):
        p, d = np.array([o[0], o[1], -3.0]), hat([a[0], a[1], 1.0])
        near = p - d * (p @ d)
        if norm(near) >= s.r:
            light.append(s.sky)
            length.append(0)
            hops.append(0)
            missed += 1
            continue
        first = hat(near - d * np.sqrt(s.r**2 - near @ near))
        inner = d - first * (first @ d)
        sine = inner / n
        d = sine - first * np.sqrt(1 - sine @ sine)
        cosine = -first @ hat([a[0], a[1], 1.0])
        total, carry, run = np.asarray(s.sky) * share(cosine), 1 - share(cosine), 0.0
        k = 0
        chord = 2 * s.r * np.sqrt(1 - sine @ sine)
        out2 = 1 - n * n * (sine @ sine)
        back = 1.0 if out2 <= 0 else share(np.sqrt(out2))
        for k in range(1, 4):
            run += chord
            total = total + s.sky * np.exp(-np.asarray(s.absorb) * run) * carry * (1 - back)
            carry *= back
            if carry < 0.001:
                break
        light.append(total)
        length.append(run)
        hops.append(k)
    return {"out_c": light, "inside": length, "bounces": hops, "missed": [missed]}


@reference
def track_cars(s):
    st, cov, nis_all, dropped = s.st.copy(), s.cov.copy(), np.zeros(len(s.st)), 0
    for i, x in enumerate(s.st):
        px, py, h, v = x
        f = np.eye(4)
        f[:2, 2:] = [[-v * np.sin(h) * s.dt, np.cos(h) * s.dt], [v * np.cos(h) * s.dt, np.sin(h) * s.dt]]
        x = np.array([px + v * np.cos(h) * s.dt, py + v * np.sin(h) * s.dt, h + s.turn[i] * s.dt, v + (s.acc[i] * s.dt if s.has("acc") else 0)])
        p = f @ ((s.cov[i] + s.cov[i].T) / 2 + np.eye(4)) @ f.T + np.eye(4) * s.q_noise * s.dt
        if not (s.has("has_fix") and s.has_fix[i] == 0):
            hm = np.eye(2, 4)
            cov_y = hm @ p @ hm.T + np.eye(2) * s.r_noise
            y = s.fix[i] - x[:2]
            nis_all[i] = y @ np.linalg.solve(cov_y, y)
            if s.has("gate") and nis_all[i] > s.gate:
                dropped += 1
            else:
                gain = p @ hm.T @ np.linalg.inv(cov_y)
                x, p = x + gain @ y, (np.eye(4) - gain @ hm) @ p
                p = (p + p.T) / 2
        st[i], cov[i] = x, p
    return {"st": st, "cov": cov, "nis_out": nis_all, "dropped": [dropped]}


@reference
def ball_flights(s):
    def force(v, spin):
        air = v - (np.asarray(s.wind) if s.has("wind") else 0)
        a = np.array([0, 0, -9.81]) - 0.035 * s.drag * norm(air) * air
        return a + (0.0014 * s.lift * cross(spin, air) if s.has("lift") else 0)
    spins = s.spin if s.has("spin") else [None] * len(s.v0)
    land, time, over, top = [], [], [], []
    for v, spin in zip(s.v0, spins):
        p, v, t, path = np.array([0, 0, s.height]), np.array([abs(v[0]) + 4, v[1], v[2]]), 0, []
        path.append(p)
        while p[2] > 0 and len(path) <= 200:
            middle = v + s.dt / 2 * force(v, spin)
            p, v, t = p + s.dt * middle, v + s.dt * force(middle, spin), t + s.dt
            path.append(p)
        ok = 0
        for a, b in zip(path, path[1:]):
            if a[0] < 6 <= b[0]:
                ok |= a[2] + (b[2] - a[2]) * (6 - a[0]) / (b[0] - a[0]) > s.net_h if s.has("net_h") else 0
        land.append(p[:2])
        time.append(t)
        over.append(ok)
        top.append(max(q[2] for q in path))
    return {"land": land, "air_time": time, "over": over, "top": top, "lost": [sum(abs(p[1]) > 4.1 for p in land)]}


@reference
def sea_surface(s):
    g = 9.81
    w = s.om
    energy = 0.0081 * g**2 / w**5 * np.exp(-5 / 4 * (s.peak_w / w) ** 4)
    if s.choice("kind"):
        sigma = np.where(w > s.peak_w, 0.09, 0.07)
        energy = energy * s.gamma ** np.exp(-((w - s.peak_w) ** 2) / (2 * sigma**2 * s.peak_w**2))
    amp = np.sqrt(2 * energy * 0.3)
    k = w**2 / g
    shift = np.array([2 * np.pi * Stream(s.seed, b).unit() for b in range(6)])
    shape = s.role("eta", s.after).shape
    x, y = np.meshgrid(np.arange(shape[0]) * s.h, np.arange(shape[1]) * s.h, indexing="ij")
    ux, uy = np.cos(s.heading), np.sin(s.heading)
    phase = k * (x[..., None] * ux + y[..., None] * uy) - w * s.t + shift
    eta = np.sum(amp * np.cos(phase), -1)
    slope = -np.stack([np.sum(amp * k * ux * np.sin(phase), -1), np.sum(amp * k * uy * np.sin(phase), -1)], -1)
    drift = -s.choppy * np.stack([np.sum(amp * ux * np.sin(phase), -1), np.sum(amp * uy * np.sin(phase), -1)], -1) if s.has("choppy") else None
    return {"eta": eta, "slope_out": slope, "drift": drift, "crest": [max(eta.max(), 0)]}
