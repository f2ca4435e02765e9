"""Things that deform, by derivatives of energies and constraints and by sums written out."""

import itertools

import numpy as np
from textbook import cross, hat, norm, reference, rotation_matrix


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


def gradient(function, points):
    """Of a scalar of several points, by central differences."""
    out = np.zeros_like(points)
    for at in np.ndindex(points.shape):
        step = np.zeros_like(points)
        step[at] = 1e-5
        out[at] = (function(points + step) - function(points - step)) / 2e-5
    return out


@reference
def hinge_bending(s):
    """Torque times the derivative of the angle, which is taken by differences."""
    f, folds = np.zeros_like(s.x), []
    for h, ids in enumerate(s.ids):
        p = s.x[ids]

        def angle(p):
            e = p[1] - p[0]
            n1, n2 = hat(cross(p[0] - p[2], p[1] - p[2])), hat(cross(p[1] - p[3], p[0] - p[3]))
            return np.arctan2(cross(n1, n2) @ e / norm(e), n1 @ n2)

        thin = number(s, "thin")
        if ids[2] == ids[3] or norm(p[1] - p[0]) < number(s, "short") or norm(cross(p[0] - p[2], p[1] - p[2])) ** 2 < thin or norm(cross(p[1] - p[3], p[0] - p[3])) ** 2 < thin:
            folds.append(0)
            continue
        folds.append(angle(p))
        # near the cut of atan2 differences would jump
        g = gradient(lambda q: np.angle(np.exp(1j * (angle(q) - folds[-1]))), p)
        push = -s.k * (folds[-1] - (s.rest[h] if s.has("rest") else 0))
        if s.has("v") and s.has("kd"):
            push -= s.kd * np.sum(g * s.v[ids])
        for n, node in enumerate(ids):
            f[node] += push * g[n]
    return {"f": f, "fold_out": folds}


@reference
def volume_constraints(s):
    dx, con, flipped = np.zeros_like(s.x), [], 0
    for t, ids in enumerate(s.ids):
        def volume(p):
            return np.linalg.det(p[1:] - p[0]) / 6

        p, w = s.x[ids], s.w[ids]
        c = volume(p) - s.v0[t] * (s.inflation if s.has("inflation") else 1)
        con.append(c)
        flipped += volume(p) < -1e-3
        g = gradient(volume, p)
        den = np.sum(w * np.sum(g * g, 1))
        if den < 1e-5:
            continue
        lam = -c / (den + s.alpha / s.dt**2) * (s.relax if s.has("relax") else 1)
        for n, node in enumerate(ids):
            dx[node] += lam * w[n] * g[n]
    return {"dx": dx, "c_out": con, "flipped": [flipped]}


@reference
def strain_limit(s):
    dx, over, worst = np.zeros_like(s.x), [], np.zeros(len(s.tri))
    for f, ids in enumerate(s.tri):
        p = s.x[ids]
        dm, ds = np.column_stack([s.ea[f], s.eb[f]]), (p[1:] - p[0]).T
        if abs(np.linalg.det(dm)) < number(s, "flat") or norm(cross(ds[:, 0], ds[:, 1])) < number(s, "line"):
            over.append(0)
            continue
        u, sv, vt = np.linalg.svd(ds @ np.linalg.inv(dm), full_matrices=False)
        goal = u @ np.diag(np.clip(sv, s.low, s.high)) @ vt @ dm
        over.append(np.abs(np.clip(sv, s.low, s.high) - sv).sum() > 1e-4)
        worst[f] = sv.max()
        new = np.vstack([p[0], p[0] + goal.T])
        move = new - new.mean(0) + p.mean(0) - p
        for n, node in enumerate(ids):
            dx[node] += move[n]
    return {"dx": dx, "over": over, "worst": worst}


def poly6(r, h):
    return 315 / (64 * np.pi * h**9) * max(h * h - r * r, 0) ** 3


def spiky(d, h):
    r = norm(d)
    return np.zeros(3) if r >= h or r < 1e-5 else -45 / (np.pi * h**6) * (h - r) ** 2 * d / r


@reference
def pbf_lambda(s):
    lam, rhos = [], []
    for i, at in enumerate(s.x):
        others = [j for j in s.nbr[s.start[i]:s.start[i + 1]] if j != i]
        rho = s.m * poly6(0, s.h) + sum(s.m * poly6(norm(at - s.x[j]), s.h) for j in others)
        g = [spiky(at - s.x[j], s.h) * s.m / s.rho0 for j in others]
        c = rho / s.rho0 - 1
        value = -c / (sum(v @ v for v in g) + (norm(sum(g)) ** 2 if g else 0) + s.eps)
        lam.append(0 if s.choice("one_sided") and c <= 0 else value)
        rhos.append(rho)
    return {"lam": lam, "rho_out": rhos, "surface": np.array(rhos) < number(s, "thin") * s.rho0}


@reference
def pbf_shift(s):
    out = []
    for i, at in enumerate(s.x):
        move = np.zeros(3)
        for j in s.nbr[s.start[i]:s.start[i + 1]]:
            if j != i:
                clump = s.clump * (poly6(norm(at - s.x[j]), s.h) / poly6(number(s, "reach") * s.h, s.h)) ** 4 if s.has("clump") else 0
                move += (s.lam[i] + s.lam[j] - clump) * s.m / s.rho0 * spiky(at - s.x[j], s.h)
        out.append(np.clip(at + move, s.lower, s.upper))
    return {"x_new": out, "moved": np.linalg.norm(np.array(out) - s.x, axis=1)}


def spline(t):
    """The quadratic B-spline at distance t, in cells."""
    t = abs(t)
    return 0.75 - t * t if t < 0.5 else (1.5 - t) ** 2 / 2 if t < 1.5 else 0.0


def near_nodes(x, h):
    g = x / h
    base = np.floor(g - 0.5).astype(int)
    for off in itertools.product(range(3), repeat=3):
        node = base + off
        yield tuple(node), np.prod([spline(t) for t in node - g]), node * h - x


@reference
def mpm_scatter(s):
    mass, mom = np.zeros(s.grid_m.shape), np.zeros(s.grid_mv.shape)
    for p, x in enumerate(s.x):
        for node, w, d in near_nodes(x, s.h):
            mass[node] += w * s.m[p]
            mom[node] += w * s.m[p] * (s.v[p] + s.c[p] @ d)
            if s.has("vol") and s.has("sig") and s.has("dt"):
                mom[node] -= w * 4 / s.h**2 * s.dt * s.vol[p] * s.sig[p] @ d
    return {"grid_m": mass, "grid_mv": mom}


@reference
def mpm_gather(s):
    out = {"x": [], "v": [], "c": [], "f": []}
    for p, x in enumerate(s.x):
        v, dv, c = np.zeros(3), np.zeros(3), np.zeros((3, 3))
        for node, w, d in near_nodes(x, s.h):
            v += w * s.grid_v[node]
            c += w * 4 / s.h**2 * np.outer(s.grid_v[node], d)
            if s.has("old_v"):
                dv += w * (s.grid_v[node] - s.old_v[node])
        out["x"].append(x + s.dt * v)
        if s.has("flip") and s.has("old_v"):
            v = s.flip * (s.v[p] + dv) + (1 - s.flip) * v
        if s.has("top"):
            v = v * min(1, s.top / norm(v))
        out["v"].append(v)
        out["c"].append(c)
        if s.has("f"):
            out["f"].append((np.eye(3) + s.dt * c) @ s.f[p])
    return out


@reference
def hertz_grains(s):
    f, tau, hist, slid = np.zeros_like(s.x), np.zeros_like(s.x), s.hist.copy(), np.zeros(len(s.pair))
    for c, (a, b) in enumerate(s.pair):
        d = s.x[b] - s.x[a]
        pen = s.r[a] + s.r[b] - norm(d)
        if a == b:
            continue
        if pen <= 0 or norm(d) < 1e-4:
            hist[c] = 0
            continue
        n = hat(d)
        radius, mass = 1 / (1 / s.r[a] + 1 / s.r[b]), 1 / (1 / s.m[a] + 1 / s.m[b])
        arms = s.r[a] - pen / 2, s.r[b] - pen / 2
        v = s.v[b] - s.v[a]
        if s.has("spin"):
            v = v + cross(s.spin[b], -arms[1] * n) - cross(s.spin[a], arms[0] * n)
        vn, vt = v @ n, v - (v @ n) * n
        sn, st = 2 * s.e * np.sqrt(radius * pen), 8 * s.g * np.sqrt(radius * pen)
        damp = 2 * np.sqrt(5 / 6) * s.beta
        fn = max(4 / 3 * s.e * np.sqrt(radius) * pen**1.5 - damp * np.sqrt(sn * mass) * vn, 0)
        xi = (np.eye(3) - np.outer(n, n)) @ s.hist[c] + vt * s.dt
        ft = -st * xi - damp * np.sqrt(st * mass) * vt
        if norm(ft) > s.mu * fn:
            ft = ft * s.mu * fn / norm(ft)
            xi, slid[c] = -ft / st, 1
        hist[c] = xi
        total = fn * n + ft
        f[b] += total
        f[a] -= total
        if s.has("spin"):
            tau[a] += cross(arms[0] * n, -total)
            tau[b] += cross(-arms[1] * n, total)
    return {"f": f, "tau": tau, "hist": hist, "slid": slid}


@reference
def rod_stretch(s):
    """Corrections along the derivatives of (b - a) / l - d3(q), the director as a quadratic of the quaternion."""
    dx, dq, errors = np.zeros_like(s.x), [], []
    for e, (a, b) in enumerate(s.ids):
        q, l = hat(s.q[e]), s.l[e]
        w = [0 if s.has("clamped") and s.clamped[k] == 1 else s.w[k] for k in (a, b)]

        def director(q):
            x, y, z, r = q
            return np.array([2 * (x * z + r * y), 2 * (y * z - r * x), r * r - x * x - y * y + z * z])

        jac = np.column_stack([(director(q + 1e-4 * u) - director(q - 1e-4 * u)) / 2e-4 for u in np.eye(4)])
        con = (s.x[b] - s.x[a]) / l - rotation_matrix(q)[:, 2]
        errors.append(norm(con))
        lam = -con / (sum(w) / l**2 + 4 * s.wq) * (s.k if s.has("k") else 1)
        dx[a] += w[0] * -lam / l
        dx[b] += w[1] * lam / l
        dq.append(s.wq * -jac.T @ lam)
    return {"dx": dx, "dq": dq, "err": errors}


@reference
def shape_matching(s):
    x, spread = s.x.copy(), np.zeros(len(s.start) - 1)
    for g in range(len(spread)):
        ids = np.arange(s.start[g], s.start[g + 1])
        if len(ids) < 4:
            continue
        w = s.m[ids] if s.has("m") else np.ones(len(ids))
        p, q = s.x[ids], s.rest[ids]
        c, c0 = np.average(p, axis=0, weights=w), np.average(q, axis=0, weights=w)
        a, b = (p - c).T @ ((q - c0) * w[:, None]), (q - c0).T @ ((q - c0) * w[:, None])
        if np.linalg.det(a) < number(s, "flat"):
            continue
        u, _, vt = np.linalg.svd(a)
        best = u @ vt
        if s.has("beta") and np.linalg.det(b) > number(s, "rest_flat"):
            best = (1 - s.beta) * best + s.beta * a @ np.linalg.inv(b)
        goal = (q - c0) @ best.T + c
        x[ids] += s.stiff * (goal - p)
        spread[g] = np.linalg.norm(goal - p, axis=1).mean()
    return {"x": x, "spread": spread}


@reference
def peridynamic_bonds(s):
    f, damage, energy, ok = np.zeros_like(s.u), [], [], s.ok.copy()
    for i in range(len(s.u)):
        whole = broken = 0
        work = 0.0
        for k in range(s.start[i], s.start[i + 1]):
            j = s.nbr[k]
            xi = s.rest[j] - s.rest[i]
            l0 = norm(xi)
            if j == i or l0 > s.horizon or l0 < 1e-3:
                continue
            whole += 1
            now = xi + s.u[j] - s.u[i]
            stretch = norm(now) / l0 - 1
            if ok[k] == 0 or stretch > s.crit:
                ok[k] = 0
                broken += 1
                continue
            w = 1 - l0 / s.horizon if s.choice("conical") else 1
            f[i] += s.c * stretch * w * s.vol[j] * s.vol[i] * hat(now)
            work += s.c * stretch**2 * l0 / 4 * w * s.vol[j]
        damage.append(broken / whole if whole else 0)
        energy.append(work * s.vol[i])
    return {"f": f, "damage_out": damage, "energy_out": energy, "ok": ok}
