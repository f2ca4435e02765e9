"""Fits and walks, from the textbook."""

import numpy as np
from textbook import reference


@reference
def train_tiny(s):
    tanh = s.choice("act") == 0
    w1, b1, w2, b2 = s.w1.copy(), s.b1.copy(), s.w2.copy(), s.b2.copy()
    loss, pred = np.zeros(len(b2)), np.zeros(len(b2))
    decay = s.decay if s.has("decay") else 0.0
    for r in range(len(b2)):
        z = s.w1[r] @ s.x[r] + s.b1[r]
        h = np.tanh(z) if tanh else np.maximum(z, 0)
        pred[r] = s.w2[r] @ h + s.b2[r]
        e = pred[r] - s.target[r]
        loss[r] = e**2 / 2
        e = np.clip(e, -s.clip, s.clip) if s.has("clip") else e
        dz = e * s.w2[r] * ((1 - h**2) if tanh else (z > 0))
        w2[r] -= s.lr * e * h + decay * s.w2[r]
        w1[r] -= s.lr * np.outer(dz, s.x[r]) + decay * s.w1[r]
        b1[r] -= s.lr * dz
        b2[r] -= s.lr * e
    return {"w1": w1, "b1": b1, "w2": w2, "b2": b2, "loss_out": loss, "y_out": pred}


@reference
def tree_gravity(s):
    n = len(s.x)
    acc, seen, pot = np.zeros((n, 2)), np.zeros(n), np.zeros(n)

    def visit(i, k):
        seen[i] += 1
        d = s.com[k] - s.x[i]
        r = np.sqrt(d @ d + s.soft**2)
        if s.size[k] / r < s.open_at or 4 * k + 4 > 20:
            acc[i] += s.g * s.m[k] * d / r**3
            pot[i] -= s.g * s.m[k] / r
        else:
            for c in range(1, 5):
                visit(i, 4 * k + c)

    for i in range(n):
        visit(i, 0)
    return {"acc_out": acc, "seen": seen, "pot": pot}


@reference
def lasso_fit(s):
    n = len(s.y)
    b, rss = np.zeros((n, 3)), np.zeros(n)
    for p in range(n):
        for _ in range(12):
            before = b[p].copy()
            for j in range(3):
                others = [k for k in range(3) if k != j]
                x = s.x[p, :, j]
                rho = x @ (s.y[p] - s.x[p][:, others] @ b[p, others])
                b[p, j] = np.sign(rho) * max(abs(rho) - s.lam, 0) / (x @ x + (s.ridge if s.has("ridge") else 0.0))
            if np.abs(b[p] - before).max() < 1e-4:
                break
        rss[p] = np.sum((s.y[p] - s.x[p] @ b[p]) ** 2)
    return {"b": b, "used": np.sum(b != 0, 1), "rss": rss}


@reference
def irls_fit(s):
    got = s.role("b", s.after)
    right, nll = np.zeros(len(got), bool), np.zeros(len(got))
    for p, b in enumerate(got):
        f = np.column_stack([np.ones(len(s.x[p])), s.x[p]])
        w = s.w[p] if s.has("w") else np.ones(len(f))
        eta = f @ b
        g = s.lam * b + f.T @ (w * (1 / (1 + np.exp(-eta)) - s.label[p]))
        right[p] = np.linalg.norm(g) < 1e-4  # the gradient vanishes
        nll[p] = s.lam / 2 * b @ b + np.sum(w * (np.logaddexp(0, eta) - eta * s.label[p]))
    return {"b": np.where(right[:, None], got, 99.0), "nll": nll}


@reference
def mean_shift(s):
    n = len(s.x)
    mode, dens = s.x.copy(), np.zeros(n)
    for i in range(n):
        for _ in range(s.most):
            d = np.linalg.norm(s.x - mode[i], axis=1)
            w = np.exp(-(d**2) / (2 * s.h**2)) if s.choice("kernel") == 0 else 1 / (1 + (d / s.h) ** 2)
            w = np.where(d > s.edge, 0, w) if s.has("edge") else w
            new = w @ s.x / w.sum()
            dens[i] = w.sum() / n
            hop, mode[i] = np.linalg.norm(new - mode[i]), new
            if hop < 1e-3:
                break
    return {"mode": mode, "dens": dens, "moved": np.linalg.norm(mode - s.x, axis=1)}


@reference
def tsne_partition(s):
    r2 = np.sum((s.y[:, None] - s.y[None]) ** 2, 2)
    k = np.where(r2 <= s.near**2, 1 / (1 + r2), 0) if s.has("near") else 1 / (1 + r2)
    np.fill_diagonal(k, 0)
    return {"z_sum": [k.sum()], "row_out": k.sum(1)}


@reference
def tsne_forces(s):
    n = len(s.y)
    d = s.y[:, None] - s.y[None]
    k = 1 / (1 + np.sum(d**2, 2))
    np.fill_diagonal(k, 0)
    z = s.z_sum[0]
    p = (s.pij[:, :n] + s.pij[:, :n].T) / 2 * (s.exag if s.has("exag") else 1.0)
    np.fill_diagonal(p, 0)
    f = -4 * np.einsum("ij,ijk->ik", (p - k / z) * k, d)
    raw = s.pij[:, :n].copy()
    np.fill_diagonal(raw, 0)
    some = raw > 1e-6
    return {"f": f, "kl": [np.sum(raw[some] * np.log(raw[some] * z / k[some]))]}


@reference
def flood_regions(s):
    n = len(s.seed_i)
    mark, area, rim, touches = np.zeros((n, 8, 8)), np.zeros(n), np.zeros(n), np.zeros(n)
    for r in range(n):
        free = s.wall[r] == 0
        region = np.zeros((8, 8), bool)
        region[s.seed_i[r], s.seed_j[r]] = free[s.seed_i[r], s.seed_j[r]]
        for _ in range(64):  # grow until nothing changes
            p = np.pad(region, 1)
            region = free & (p[1:-1, 1:-1] | p[:-2, 1:-1] | p[2:, 1:-1] | p[1:-1, :-2] | p[1:-1, 2:])
        mark[r], area[r] = region, region.sum()
        walls = np.pad(~free, 1, constant_values=True)
        around = walls[:-2, 1:-1] * 1 + walls[2:, 1:-1] + walls[1:-1, :-2] + walls[1:-1, 2:]
        rim[r] = np.sum(around[region])
        touches[r] = region[[0, -1]].any() or region[:, [0, -1]].any()
    return {"mark": mark, "area_out": area, "rim": rim, "touches": touches}
