"""Scenes of finite elements. Forces are checked as slopes of energies, integrals by finer quadrature."""

import numpy as np
from textbook import norm, plane_cross, reference


def scatter(n, width, index, values):
    out = np.zeros((n, width))
    for k in range(index.shape[1]):
        np.add.at(out, index[:, k], values[:, k])
    return out


@reference
def tet_forces(s):
    rest = np.stack([s.x0[s.tet[:, k]] - s.x0[s.tet[:, 0]] for k in (1, 2, 3)], -1)
    det = np.linalg.det(rest)
    good = np.abs(det) > 1e-2 * np.linalg.norm(rest, axis=1).max(1) ** 3
    if s.has("active"):
        good &= s.active == 1
    inverse = np.linalg.inv(np.where(good[:, None, None], rest, np.eye(3)))
    model = s.choice("model")

    def gradient(corners):
        return np.stack([corners[:, k] - corners[:, 0] for k in (1, 2, 3)], -1) @ inverse

    def energy(corners):
        f = gradient(corners)
        if model == 1:
            j = np.log(np.abs(np.linalg.det(f)))
            psi = s.mu / 2 * (np.sum(f**2, (1, 2)) - 3) - s.mu * j + s.lam / 2 * j**2
        else:
            ft = np.swapaxes(f, 1, 2)
            e = (ft @ f - np.eye(3)) / 2 if model == 0 else (f + ft) / 2 - np.eye(3)
            psi = s.mu * np.sum(e**2, (1, 2)) + s.lam / 2 * np.trace(e, axis1=1, axis2=2) ** 2
        return psi * np.abs(det) / 6
    x = (s.x0 + s.u)[s.tet]
    if model == 1:
        good = good & (np.linalg.det(gradient(x)) >= 0.02)
    force, h = np.zeros_like(x), 1e-5
    for k in range(4):
        for a in range(3):
            step = np.zeros_like(x)
            step[:, k, a] = h
            force[:, k, a] = -(energy(x + step) - energy(x - step)) / (2 * h)
    force[~good] = 0
    return {"f": scatter(len(s.x0), 3, s.tet, force), "energy_out": np.where(good, energy(x), 0.0)}


@reference
def cst_forces(s):
    a, b, c = (s.x[s.tri[:, k]] for k in range(3))
    edges = np.stack([b - a, c - a], -1)
    det = np.linalg.det(edges)
    good = np.abs(det) >= s.plan["choices"]["sliver"]
    inverse = np.linalg.inv(np.where(good[:, None, None], edges, np.eye(2)))
    e, nu = s.young, s.nu
    if s.choice("state") == 0:
        d = e / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    else:
        d = e / (1 + nu) / (1 - 2 * nu) * np.array([[1 - nu, nu, 0], [nu, 1 - nu, 0], [0, 0, (1 - 2 * nu) / 2]])

    def strain(u):
        g = np.stack([u[:, 1] - u[:, 0], u[:, 2] - u[:, 0]], -1) @ inverse
        free = s.heat if s.has("heat") else 0.0
        return np.stack([g[:, 0, 0] - free, g[:, 1, 1] - free, g[:, 0, 1] + g[:, 1, 0]], -1)

    def energy(u):
        return np.einsum("ti,ij,tj->t", strain(u), d, strain(u)) / 2 * np.abs(det) / 2 * (s.thick if s.has("thick") else 1.0)
    u = s.u[s.tri]
    force, h = np.zeros_like(u), 1e-5
    for k in range(3):
        for axis in range(2):
            step = np.zeros_like(u)
            step[:, k, axis] = h
            force[:, k, axis] = -(energy(u + step) - energy(u - step)) / (2 * h)
    force[~good] = 0
    stress = np.where(good[:, None], strain(u) @ d, 0.0)
    sx, sy, txy = stress.T
    mises = np.sqrt(((sx - sy) ** 2 + sx**2 + sy**2) / 2 + 3 * txy**2)
    return {"f": scatter(len(s.x), 2, s.tri, force), "sig_out": stress, "vm": mises}


def hexahedron(points, corners):
    signs = np.array([[2 * (k >> a & 1) - 1 for a in range(3)] for k in range(8)])
    shape = np.prod(1 + points[:, None] * signs, -1) / 8
    slopes = np.stack([signs[:, a] * np.prod(np.delete(1 + points[:, None] * signs, a, -1), -1) / 8 for a in range(3)], -1)
    jac = np.einsum("ekx,gka->egxa", corners, slopes)
    return np.linalg.det(jac), np.einsum("gk,ekx->egx", shape, corners)


@reference
def hex_quality(s):
    signs = np.array([[2 * (k >> a & 1) - 1 for a in range(3)] for k in range(8)])
    corners = s.edge_len / 2 * signs + s.off
    # the volume and its moment are polynomials: four points along each axis are exact
    z, w = np.polynomial.legendre.leggauss(4)
    grid = np.stack(np.meshgrid(z, z, z), -1).reshape(-1, 3)
    weights = np.prod(np.stack(np.meshgrid(w, w, w), -1).reshape(-1, 3), -1)
    det, _ = hexahedron(grid, corners)
    coarse, at = hexahedron(signs / np.sqrt(3), corners)
    least = coarse.min(1) * 8 / s.edge_len**3
    center = np.einsum("eg,egx->ex", coarse, at) / (det @ weights)[:, None]
    bad = s.plan["choices"].get("bad", 0)
    return {"vol_out": det @ weights, "least": least, "center": center, "poor": [(least < bad).sum()]}


@reference
def quad_matrix(s):
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    ke, area = np.zeros((len(s.k), 4, 4)), np.zeros(len(s.k))
    corners = signs + s.off
    for xi, eta in signs / np.sqrt(3):
        n = (1 + xi * signs[:, 0]) * (1 + eta * signs[:, 1]) / 4
        dn = np.column_stack([signs[:, 0] * (1 + eta * signs[:, 1]), signs[:, 1] * (1 + xi * signs[:, 0])]) / 4
        jac = np.einsum("ekx,ka->exa", corners, dn)
        det = np.linalg.det(jac)
        det = np.where(det < 0.05, 0.0, det)
        grad = np.einsum("ka,eax->ekx", dn, np.linalg.inv(jac))
        ke += (s.k * det)[:, None, None] * np.einsum("eax,ebx->eab", grad, grad)
        if s.has("react"):
            ke += s.react * det[:, None, None] * np.outer(n, n)
        area += det
    return {"ke": ke, "area_out": area}


@reference
def frame_forces(s):
    f, moment, axial = np.zeros_like(s.u), np.zeros(len(s.ends)), np.zeros(len(s.ends))
    for e, (i, j) in enumerate(s.ends):
        d = s.x[j] - s.x[i]
        l = norm(d)
        if l < 0.3:
            continue
        t = np.zeros((6, 6))
        t[:2, :2] = t[3:5, 3:5] = np.array([[d[0], d[1]], [-d[1], d[0]]]) / l
        t[2, 2] = t[5, 5] = 1
        b = s.ei / l**3 * np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * l**2, -6 * l, 2 * l**2], [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l**2, -6 * l, 4 * l**2]])
        k = np.zeros((6, 6))
        k[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = b
        k[np.ix_([0, 3], [0, 3])] = s.ea / l * np.array([[1, -1], [-1, 1]])
        local = k @ t @ np.concatenate([s.u[i], s.u[j]])
        fixed = s.load[e] * np.array([0, l / 2, l**2 / 12, 0, l / 2, -(l**2) / 12]) if s.has("load") else np.zeros(6)
        total = t.T @ (fixed - local)
        f[i] += total[:3]
        f[j] += total[3:]
        moment[e], axial[e] = max(abs(local[2]), abs(local[5])), local[3]
    return {"f": f, "moment_out": moment, "axial_out": axial}


@reference
def dg_advection(s):
    n, c = len(s.u), s.speed_c
    z, w = np.polynomial.legendre.leggauss(4)
    inside = s.u[:, :1] + s.u[:, 1:] * z
    # the flux at the face right of each element
    low, high = s.u.sum(1), np.roll(s.u[:, 0] - s.u[:, 1], -1)
    flux = c * (low if c > 0 else high)
    before = np.roll(flux, 1)
    mean = s.u[:, 0] + s.dt * (before - flux) / s.dx
    slope = s.u[:, 1] + s.dt * 3 / s.dx * (c * inside @ w - flux - before)
    if s.has("limited") and s.limited == 1:
        steps = np.stack([slope, s.u[:, 0] - np.roll(s.u[:, 0], 1), np.roll(s.u[:, 0], -1) - s.u[:, 0]])
        same = np.abs(np.sign(steps).sum(0)) == 3
        slope = np.where(same, np.sign(slope) * np.abs(steps).min(0), 0.0)
    return {"u_out": np.column_stack([mean, slope]), "flux_out": flux}


@reference
def kelly_jumps(s):
    eta, jumps, parts = np.zeros(len(s.k)), np.zeros(len(s.ends)), [0.0]
    for e, ((i, j), (l, r)) in enumerate(zip(s.ends, s.sides)):
        d = s.x[j] - s.x[i]
        if l == r or norm(d) < 0.05 or (s.has("outer") and s.outer[e] == 1):
            continue
        # the part across the edge, by the cross product with its direction
        jumps[e] = (plane_cross(s.k[l] * s.grad[l], d) - plane_cross(s.k[r] * s.grad[r], d)) / norm(d)
        parts.append(norm(d) ** 2 / 24 * jumps[e] ** 2)
        eta[l] += parts[-1]
        eta[r] += parts[-1]
    return {"eta": eta, "jump_out": jumps, "worst": [max(parts)]}


@reference
def tet_mass(s):
    x = s.x[s.tet]
    vol = np.abs(np.linalg.det(x[:, 1:] - x[:, :1])) / 6
    pattern = (np.ones((4, 4)) + np.eye(4)) / 20 if s.choice("mass") == 0 else np.eye(4) / 4
    y = np.einsum("t,ab,tbx->tax", s.rho * vol, pattern, s.v[s.tet])
    share = np.repeat((s.rho * vol / 4)[:, None, None], 4, 1)
    return {"y": scatter(len(s.x), 3, s.tet, y), "diag_out": scatter(len(s.x), 1, s.tet, share)[:, 0]}


@reference
def pressure_loads(s):
    x = (s.x + (s.u if s.has("u") else 0.0))[s.tri]
    on = s.wet == 1 if s.has("wet") else np.ones(len(s.tri), bool)
    n = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]) / 2 * on[:, None]
    p = s.p[s.tri]
    weights = (np.ones((3, 3)) + np.eye(3)) / 12 if s.choice("weights") == 0 else np.ones((3, 3)) / 9
    loads = -np.einsum("ab,tb,tx->tax", weights, p, n)
    moment = np.cross(x - s.about, loads).sum((0, 1)) if s.has("about") else None
    return {"f": scatter(len(s.x), 3, s.tri, loads), "moment": [moment] if moment is not None else None, "area_sum": [np.linalg.norm(n, axis=1).sum()]}


@reference
def p2_load(s):
    a, b, c = (s.x[s.tri[:, k]] for k in range(3))
    area = np.abs(plane_cross(b - a, c - a)) / 2 * (s.scale if s.has("scale") else 1.0)
    loads = np.zeros((len(s.tri), 6, 1))
    total = np.zeros(len(s.tri))
    for l in (np.ones((3, 3)) + 3 * np.eye(3)) / 6:
        n = np.append(l * (2 * l - 1), 4 * l * np.roll(l, -1))
        at = s.src @ n
        loads[..., 0] += (area / 3 * at)[:, None] * n
        total += area / 3 * at
    return {"rhs": scatter(len(s.x), 1, s.tri, loads)[:, 0], "total": total}


@reference
def cohesive_zone(s):
    beta = s.mix if s.has("mix") else 1.0
    opened = np.hypot(np.maximum(s.open_n, 0), beta * s.slide)
    worst = np.maximum(s.worst, opened)
    # the envelope falls in a straight line from its peak at d0 to nothing at df
    envelope = np.interp(worst, [0, s.d0, s.df], [0, s.k0 * s.d0, 0])
    secant = np.where(worst > 0, envelope / np.where(worst > 0, worst, 1), s.k0)
    return {"worst": worst, "tn": np.where(s.open_n < 0, s.k0, secant) * s.open_n, "ts": beta**2 * secant * s.slide,
            "dmg_out": 1 - secant / s.k0, "broken": [((worst >= s.df) & (s.worst < s.df)).sum()]}


@reference
def radial_return(s):
    out = {"sig": [], "alpha": [], "flow": [], "yielded": [], "work": []}
    for de, old, alpha in zip(s.deps, s.sig, s.alpha):
        de, old = (de + de.T) / 2, (old + old.T) / 2
        trial = old + 2 * s.mu * (de - np.trace(de) / 3 * np.eye(3)) + s.bulk * np.trace(de) * np.eye(3)
        dev = trial - np.trace(trial) / 3 * np.eye(3)
        mises = np.sqrt(1.5 * np.sum(dev**2))
        excess = mises - s.yield0 - s.hard * alpha
        # in terms of the equivalent stress: slope 3 mu + H
        dp = max(excess, 0) / (3 * s.mu + s.hard)
        dir_ = 1.5 * dev / mises
        out["sig"].append(trial - 2 * s.mu * dp * dir_)
        out["alpha"].append(alpha + dp)
        out["flow"].append(dp * dir_)
        out["yielded"].append(excess > 0)
        out["work"].append((mises - 3 * s.mu * dp) * dp)
    return out


@reference
def prony_series(s):
    shift = s.shift if s.has("shift") else np.ones(len(s.eps))
    branch = np.zeros_like(s.branch)
    for b in range(3):
        tau = s.tau[b] * shift
        # the convolution over one step of constant rate, in closed form
        rate = (s.eps - s.last) / s.dt
        branch[:, b] = s.branch[:, b] * np.exp(-s.dt / tau) + s.modulus[b] * rate * tau * (1 - np.exp(-s.dt / tau))
    return {"branch": branch, "sig": s.e_inf * s.eps + branch.sum(1), "loss_out": (branch**2 / (s.modulus * s.tau)).sum(1)}


@reference
def phase_field_split(s):
    eps = (s.grad_u + np.swapaxes(s.grad_u, 1, 2)) / 2
    values, vectors = np.linalg.eigh(eps)
    plus = np.einsum("eia,ea,eja->eij", vectors, np.maximum(values, 0), vectors)
    tr = np.trace(eps, axis1=1, axis2=2)
    psi = s.lam / 2 * np.maximum(tr, 0) ** 2 + s.mu * np.sum(plus**2, (1, 2))
    g = ((1 - s.d) ** 2 + (s.rest if s.has("rest") else 0.0))[:, None, None]
    tension = s.lam * np.maximum(tr, 0)[:, None, None] * np.eye(3) + 2 * s.mu * plus
    rest = s.lam * np.minimum(tr, 0)[:, None, None] * np.eye(3) + 2 * s.mu * (eps - plus)
    return {"sig_out": g * tension + rest, "history": np.maximum(s.history, psi), "tension": psi}
