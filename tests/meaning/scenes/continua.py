"""Finite elements, from energies and from matrices written out in full."""

import itertools

import numpy as np
from textbook import reference

POINT = 1 / np.sqrt(3)


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


@reference
def voxel_elasticity(s):
    """The 24 by 24 matrices of mean strain, in Voigt form, and of the hourglass modes."""
    nu, h = s.nu, s.h
    c = np.zeros((6, 6))
    c[:3, :3] = nu
    c[range(3), range(3)] = 1 - nu
    c[range(3, 6), range(3, 6)] = (1 - 2 * nu) / 2
    c *= s.young / ((1 + nu) * (1 - 2 * nu))
    corners = [(a, b, d) for d in (0, 1) for b in (0, 1) for a in (0, 1)]
    sign = 2 * np.array(corners) - 1
    strain = np.zeros((6, 24))
    for n, g in enumerate(sign / (4 * h)):
        strain[:, 3 * n:3 * n + 3] = [[g[0], 0, 0], [0, g[1], 0], [0, 0, g[2]], [g[1], g[0], 0], [0, g[2], g[1]], [g[2], 0, g[0]]]
    modes = np.stack([sign[:, 1] * sign[:, 2], sign[:, 2] * sign[:, 0], sign[:, 0] * sign[:, 1], sign.prod(1)])
    shear = s.young / (2 * (1 + nu))
    stiff = strain.T @ c @ strain * h**3 + s.kappa * shear * h / 8 * np.kron(modes.T @ modes, np.eye(3))
    f, energy = np.zeros_like(s.u), np.zeros(s.rho.shape)
    for at in itertools.product(*(range(n - 1) for n in s.rho.shape)):
        rho = s.rho[at]
        if rho < number(s, "void"):
            continue
        scale = rho / (1 + number(s, "ramp") * (1 - rho)) if s.choice("law") else rho ** number(s, "penalty")
        nodes = [tuple(np.add(at, corner)) for corner in corners]
        u = np.concatenate([s.u[n] for n in nodes])
        out = scale * stiff @ u
        energy[at] = u @ out / 2
        for n, node in enumerate(nodes):
            f[node] += out[3 * n:3 * n + 3]
    return {"f": f, "energy_out": energy}


@reference
def quad_membrane(s):
    nu, e = s.nu, s.young
    plane = np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]]) * e / (1 - nu * nu)
    if s.choice("plane"):
        plane = np.array([[1 - nu, nu, 0], [nu, 1 - nu, 0], [0, 0, (1 - 2 * nu) / 2]]) * e / ((1 + nu) * (1 - 2 * nu))
    f, energy, bad = np.zeros_like(s.u), [], []
    sign = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for ids in s.corners:
        work, lost = 0.0, 0
        for q in itertools.product((-POINT, POINT), repeat=2):
            nat = np.stack([sign[:, 0] * (1 + sign[:, 1] * q[1]), sign[:, 1] * (1 + sign[:, 0] * q[0])]) / 4
            jac = nat @ s.x[ids]
            det = np.linalg.det(jac)
            if det < number(s, "flat"):
                lost += 1
                continue
            g = np.linalg.solve(jac, nat)
            b = np.zeros((3, 8))
            b[0, ::2], b[1, 1::2], b[2, ::2], b[2, 1::2] = g[0], g[1], g[1], g[0]
            u = s.u[ids].ravel()
            out = b.T @ plane @ b @ u * s.t * det
            work += u @ out / 2
            for n, node in enumerate(ids):
                f[node] += out[2 * n:2 * n + 2]
        energy.append(work)
        bad.append(lost)
    return {"f": f, "energy_out": energy, "bad": bad}


@reference
def hyperelastic_tets(s):
    """Forces are minus the derivative of the energy, by central differences."""
    mu, lam, model = s.mu, s.lam, s.choice("model")

    def density(f):
        j = np.linalg.det(f)
        if model == 0:
            e = (f.T @ f - np.eye(3)) / 2
            return mu * np.sum(e * e) + lam / 2 * np.trace(e) ** 2
        if model == 1:
            ic = np.sum(f * f)
            alpha = 1 + mu / lam - mu / (4 * lam)
            return mu / 2 * (ic - 3) + lam / 2 * (j - alpha) ** 2 - mu / 2 * np.log(ic + 1)
        sv = np.linalg.svd(f)[1]
        return mu * np.sum((sv - 1) ** 2) + lam / 2 * (j - 1) ** 2

    out, total, inverted = np.zeros_like(s.x), 0.0, []
    for t, ids in enumerate(s.tet_ids):
        def energy(points):
            return density((points[1:] - points[0]).T @ s.inv_rest[t]) * s.vol[t]

        x = s.x[ids]
        j = np.linalg.det((x[1:] - x[0]).T @ s.inv_rest[t])
        crushed = model == 2 and j < number(s, "crushed")
        inverted.append(j < -1e-4 or crushed)
        if crushed:
            continue
        total += energy(x)
        for n, node in enumerate(ids):
            for c in range(3):
                step = np.zeros_like(x)
                step[n, c] = 1e-5
                out[node, c] -= (energy(x + step) - energy(x - step)) / 2e-5
    return {"f": out, "energy_total": [total], "inverted": inverted}


@reference
def sand_plasticity(s):
    f_out, gain, state = [], [], []
    for p, g in enumerate(s.grad_u):
        trial = np.eye(3) + g
        if s.has("grad_v") and s.has("dt"):
            trial = (np.eye(3) + s.dt * s.grad_v[p]) @ trial
        u, sv, vt = np.linalg.svd(trial)
        e = np.log(sv)
        kind, vol = 0, 0.0
        if e.sum() >= 0:
            kind, vol, e = 2, e.sum(), np.zeros(3)
        else:
            alpha = np.sqrt(2 / 3) * 2 * np.sin(s.phi) / (3 - np.sin(s.phi))
            dev = e - e.mean()
            excess = np.linalg.norm(dev) + (3 * s.lam + 2 * s.mu) / (2 * s.mu) * e.sum() * alpha
            if excess > 0:
                kind, e = 1, e - excess * dev / np.linalg.norm(dev)
        f_out.append(u @ np.diag(np.exp(e)) @ vt)
        gain.append(vol)
        state.append(kind)
    return {"f_out": f_out, "vol_gain": gain, "state_out": state}


@reference
def corotational_beam(s):
    f, m, axial = np.zeros_like(s.x), np.zeros(len(s.x)), np.zeros(len(s.ends))
    for e, (a, b) in enumerate(s.ends):
        d0, d = s.rest_x[b] - s.rest_x[a], s.x[b] - s.x[a]
        l0, l = np.linalg.norm(d0), np.linalg.norm(d)
        if a == b or l0 < 1e-3 or l < 1e-3:
            continue
        turn = np.angle(complex(*d) / complex(*d0))
        local = np.angle(np.exp(1j * (np.array([s.rot[a], s.rot[b]]) - turn)))
        stiff = np.array([[4, 2], [2, 4]]) * s.young * s.inertia[e] / l0
        if s.has("hinged") and s.hinged[e]:
            stiff = np.array([[0, 0], [0, stiff[1, 1] - stiff[1, 0] * stiff[0, 1] / stiff[0, 0]]])
        ma, mb = stiff @ local
        n = s.young * s.area_[e] * (l / l0 - 1)
        if s.choice("cable"):
            n = max(n, 0)
        axial[e] = n
        c, si = d / l
        turn_back = np.array([[c, -si], [si, c]])
        shear = (ma + mb) / l
        f[a] -= turn_back @ [-n, shear]
        f[b] -= turn_back @ [n, -shear]
        m[a] -= ma
        m[b] -= mb
    return {"f": f, "m": m, "axial_out": axial}


@reference
def gas_faces(s):
    g = s.gamma
    res, wave = np.zeros((len(s.rho), 4)), np.zeros(len(s.len_))

    def flux(w, n):
        rho, v = w[0], w[1:3] / w[0]
        p = (g - 1) * (w[3] - rho * v @ v / 2)
        vn = v @ n
        return np.array([*(w * vn)]) + np.array([0, p * n[0], p * n[1], p * vn]), vn, np.sqrt(g * p / rho)

    def cons(c):
        return np.array([s.rho[c], *(s.rho[c] * s.v[c]), s.p[c] / (g - 1) + s.rho[c] * s.v[c] @ s.v[c] / 2])

    for e, (l, r) in enumerate(s.cells):
        if np.linalg.norm(s.n[e]) < 1e-3:
            continue
        n = s.n[e] / np.linalg.norm(s.n[e])
        wl, wr = cons(l), cons(r)
        if s.bc[e] == 1:
            wr = wl.copy()
            wr[1:3] -= 2 * (wl[1:3] @ n) * n
        elif s.bc[e] == 2:
            wr = wl
        (fl, ul, cl), (fr, ur, cr) = flux(wl, n), flux(wr, n)
        top = wave[e] = max(abs(ul) + cl, abs(ur) + cr)
        if s.choice("solver") == 0:
            sl, sr = min(ul - cl, ur - cr), max(ul + cl, ur + cr)
            f = fl if sl >= 0 else fr if sr <= 0 else (sr * fl - sl * fr + sl * sr * (wr - wl)) / (sr - sl)
        else:
            f = (fl + fr) / 2 - top / 2 * (wr - wl)
        res[l] -= f * s.len_[e]
        if s.bc[e] == 0:
            res[r] += f * s.len_[e]
    return {"res": res, "wave_out": wave}


@reference
def gradient_jumps(s):
    def gradient(f):
        p, u = s.x[s.tri[f]], s.u[s.tri[f]]
        e = p[1:] - p[0]
        if np.linalg.norm(np.cross(e[0], e[1])) ** 2 < 1e-6:
            return np.zeros(3)
        g = np.linalg.pinv(e) @ (u[1:] - u[0])
        return g * (s.kappa[f] if s.has("kappa") else 1)

    eta, jumps = np.zeros(len(s.tri)), np.zeros(len(s.sides))
    for e, (a, b) in enumerate(s.sides):
        along = s.x[s.ends[e, 1]] - s.x[s.ends[e, 0]]
        h = np.linalg.norm(along)
        if a == b or h < 1e-4:
            continue
        d = gradient(a) - gradient(b)
        if s.choice("measure") == 0:
            d = d - np.outer(along, along) / h**2 @ d
        jumps[e] = np.linalg.norm(d)
        eta[a] += h * h * jumps[e] ** 2 / 48
        eta[b] += h * h * jumps[e] ** 2 / 48
    return {"eta": eta, "jump_out": jumps}


@reference
def tet_quality(s):
    q = []
    for ids in s.tet_ids:
        p = s.x[ids]
        vol = np.linalg.det(p[1:] - p[0]) / 6
        value = 0.0
        if vol > number(s, "flat"):
            sq = sum(np.sum((p[a] - p[b]) ** 2) for a, b in itertools.combinations(range(4), 2))
            if s.choice("measure") == 0:
                value = 12 * (3 * vol) ** (2 / 3) / sq
            elif s.choice("measure") == 1:
                area = sum(np.linalg.norm(np.cross(p[b] - p[a], p[c] - p[a])) / 2 for a, b, c in itertools.combinations(range(4), 3))
                centre = np.linalg.solve(2 * (p[1:] - p[0]), np.sum(p[1:] ** 2, 1) - np.sum(p[0] ** 2))
                value = 3 * (3 * vol / area) / np.linalg.norm(centre - p[0])
            else:
                rms = np.sqrt(sq / 6)
                value = vol / (rms**3 / (6 * np.sqrt(2)))
        q.append(value)
    q = np.array(q)
    kind = np.where(q == 0, 0, np.where(q < number(s, "poor"), 1, np.where(q < number(s, "fair"), 2, 3)))
    return {"q": q, "class_out": kind, "worst": [min(1.0, q.min())], "bad": [np.sum(q == 0)]}


@reference
def convective_boundary(s):
    points = [[0, .5, .5], [.5, 0, .5], [.5, .5, 0]] if s.choice("points") == 0 else [[2/3, 1/6, 1/6], [1/6, 2/3, 1/6], [1/6, 1/6, 2/3]]
    load, lost = np.zeros(len(s.temp)), np.zeros(len(s.tri))
    for f, ids in enumerate(s.tri):
        if s.has("insulated") and s.insulated[f] == 1:
            continue
        p = s.x[ids]
        area = np.linalg.norm(np.cross(p[1] - p[0], p[2] - p[0])) / 2
        for n in points:
            t = np.dot(n, s.temp[ids])
            q = s.film * (s.ambient - t)
            if s.has("emis"):
                q += s.emis * 5.670374e-8 * (s.ambient**4 - t**4)
            lost[f] += q * area / 3
            for k, node in enumerate(ids):
                load[node] += n[k] * q * area / 3
    return {"load": load, "gained": lost}


@reference
def patch_recovery(s):
    out, fallback = [], []
    for i, at in enumerate(s.x):
        ids = s.ring[s.start[i]:s.start[i + 1]]
        if not len(ids):
            out.append(0.0)
            fallback.append(1)
            continue
        d, sig = s.mid[ids] - at, s.sig[ids]
        w = s.w[ids]
        a = np.column_stack([np.ones(len(ids)), d]) * np.sqrt(w)[:, None]
        poor = len(ids) < 3 or np.linalg.det(a.T @ a) < number(s, "rank") * np.prod(np.diag(a.T @ a))
        out.append(np.average(sig, weights=w) if poor else np.linalg.lstsq(a, sig * np.sqrt(w), rcond=None)[0][0])
        fallback.append(poor)
    return {"sig_out": out, "fallback": fallback}
