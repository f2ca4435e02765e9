"""Scenes of many worlds at once, from the textbook: whole batches by linear algebra."""

import numpy as np
from rotations import quaternion, rotation_about
from textbook import hat, reference, rotation_matrix


@reference
def world_joint_drive(s):
    tau = s.kp * (s.target - s.q) - s.kd * s.qd + (s.bias if s.has("bias") else 0.0)
    free = np.abs(tau)
    if s.has("limit"):
        tau = np.minimum(np.maximum(tau, -s.limit), s.limit)
    on = (s.off != 1)[:, None] if s.has("off") else np.ones((len(tau), 1), bool)
    over = np.sum(on & (free > s.limit), 1) if s.has("limit") else None
    return {"tau": np.where(on, tau, 0.0), "clipped": over}


@reference
def world_integrate(s):
    # I (v' - v) / dt = tau - c v'
    v = (s.inertia / s.dt * s.qd + s.tau) / (s.inertia / s.dt + s.damp)
    if s.has("top"):
        v = np.clip(v, -s.top, s.top)
    x = s.q + s.dt * v
    if not s.has("low"):
        return {"q": x, "qd": v, "hits": None}
    below, above = x < s.low, x > s.high
    v = np.where(below, np.maximum(v, 0), np.where(above, np.minimum(v, 0), v))
    return {"q": np.where(below, s.low, np.where(above, s.high, x)), "qd": v, "hits": np.sum(below | above, 1)}


@reference
def world_mass_product(s):
    tau, work = np.zeros((len(s.m), 6)), []
    for w, n in enumerate(s.dofs.astype(int)):
        force = s.m[w, :n, :n] @ s.qdd[w, :n]
        work.append(s.qdd[w, :n] @ force / 2)
        tau[w, :n] = force + (s.bias[w, :n] if s.has("bias") else 0.0)
    return {"tau": tau, "work": work}


@reference
def world_triangular(s):
    x = s.x.copy()
    for w in range(len(x)):
        if s.has("skip") and s.skip[w] == 1:
            continue
        factor = np.tril(s.low[w], -1) + np.diag(s.diag[w])
        x[w] = np.linalg.solve(factor.T if s.choice("way") else factor, s.x[w])
    skipped = s.skip == 1 if s.has("skip") else np.zeros(len(x), bool)
    return {"x": x, "norm": np.where(skipped, 0.0, np.sum(x**2, 1))}


@reference
def world_contact_rows(s):
    worlds, contacts, _ = s.jac.shape
    used = np.arange(contacts)[None] < s.active[:, None]
    f = np.where(used, s.f * (1 - s.mu[:, None] / 2 if s.has("mu") else 1.0), 0.0)
    return {"joint_f": np.einsum("wcj,wc->wj", s.jac, f), "used": used.sum(1), "strongest": f.max(1)}


@reference
def world_subtree(s):
    shape = s.x.shape[:2]
    weighted, total = np.zeros(shape + (3,)), np.zeros(shape)
    for b, r in enumerate(s.root.astype(int)):
        weighted[:, r] += s.mass[b] * s.x[:, b]
        total[:, r] += s.mass[b]
    drift = np.einsum("b,wbx->wx", s.mass, s.v) if s.has("v") else None
    return {"weighted": weighted, "total": total, "drift": drift}


@reference
def world_bodies(s):
    x, q, v, omega = s.x.copy(), s.q.copy(), s.v.copy(), s.omega.copy()
    for w in range(len(x)):
        for b in range(len(s.m)):
            if s.has("fixed_") and s.fixed_[b] == 1:
                continue
            r = rotation_matrix(hat(s.q[w, b]))
            tensor = r @ np.diag(s.inertia[b]) @ r.T
            spin = s.omega[w, b]
            spin = spin + s.dt * np.linalg.solve(tensor, s.tau[w, b] - np.cross(spin, tensor @ spin))
            speed = s.v[w, b] + s.dt * (s.g + s.f[w, b] / s.m[b])
            keep = 1 - s.damp * s.dt if s.has("damp") else 1.0
            v[w, b], omega[w, b] = speed * keep, spin * keep
            x[w, b] = s.x[w, b] + s.dt * v[w, b]
            # half of the step is the tangent of half of the angle that the normalised quaternion turns by
            half = np.linalg.norm(omega[w, b]) * s.dt / 2
            turn = rotation_about(hat(omega[w, b]) * 2 * np.arctan(half))
            want = quaternion(turn @ r)
            got = np.asarray(s.role("q", s.after))[w, b]
            q[w, b] = want if want @ got > 0 else -want
    return {"x": x, "q": q, "v": v, "omega": omega}


@reference
def world_converged(s):
    norm = np.linalg.norm(s.grad, axis=1)
    n = s.rounds + 1
    done = (s.scale * norm < s.tol) | ((s.scale * (s.last - s.cost) < s.tol) & (n > 1)) | (n >= s.most)
    return {"rounds": n, "done": done, "left": [np.sum(~done)], "norm_out": norm}


@reference
def world_runge_kutta(s):
    y = s.y + s.dt * np.einsum("k,kwj->wj", np.array([1, 2, 2, 1]) / 6, np.stack([s.k1, s.k2, s.k3, s.k4]))
    if s.has("turn"):
        y = np.where(y > s.turn, y - 2 * s.turn, np.where(y < -s.turn, y + 2 * s.turn, y))
    return {"y_out": y, "err": np.abs(s.k2 - s.k3)}


@reference
def world_window_sum(s):
    length = s.x.shape[1]
    spans = [(max(t - int(s.half), 0), min(t + int(s.half) + 1, length)) for t in range(length)]
    total = np.stack([s.x[:, a:b].sum(1) for a, b in spans], 1)
    if s.has("mean_out") and s.mean_out == 1:
        total = total / np.array([b - a for a, b in spans])
    return {"total_out": total, "lost": np.zeros_like(total)}


@reference
def world_compact(s):
    near = s.dist <= s.margin
    if s.has("still"):
        near &= ~np.all(s.still[s.pair.astype(int)] == 1, 1)[None]
    room, number = int(s.room), near.sum(1)
    source = np.zeros_like(s.dist)
    for w, row in enumerate(near):
        kept = np.flatnonzero(row)[:room]
        source[w, :len(kept)] = kept
    return {"number": number, "from_out": source, "overflow": [np.maximum(number - room, 0).sum()]}


@reference
def world_diffusion(s):
    padded = np.pad(s.u, ((0, 0), (1, 1), (1, 1), (0, 0)), "edge")
    lap = padded[:, 2:, 1:-1] + padded[:, :-2, 1:-1] + padded[:, 1:-1, 2:] + padded[:, 1:-1, :-2] - 4 * s.u
    d = lap * s.alpha * (s.gain[:, None, None, None] if s.has("gain") else 1.0)
    if s.has("hold"):
        d = np.where((s.hold == 1)[..., None], 0.0, d)
    return {"u_out": s.u + d, "worst": np.abs(d).max((1, 2, 3))}
