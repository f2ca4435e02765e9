"""Planning, fitting and transport, by numpy's linear algebra and by simulation."""

import numpy as np
from textbook import norm, reference


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


@reference
def cart_pole_rollout(s):
    """The accelerations from the two Lagrangian equations of a cart with a uniform rod."""
    costs, fell, ends = [], [], []
    horizon = s.noise.shape[1]
    plan = s.role("plan", s.args)
    for row in s.noise:
        x, v, th, w, cost, dead = s.x0, 0.0, s.th0, 0.0, 0.0, -1
        for t in range(horizon):
            u = np.clip(plan[t] + row[t], -s.push_max, s.push_max)
            # l is half the length of the rod, whose inertia about its middle is m l^2 / 3
            lhs = [[s.mc + s.mp, s.mp * s.l * np.cos(th)], [s.mp * s.l * np.cos(th), 4 / 3 * s.mp * s.l**2]]
            a, al = np.linalg.solve(lhs, [u + s.mp * s.l * w * w * np.sin(th), s.mp * 9.81 * s.l * np.sin(th)])
            if s.choice("integrator") == 0:
                v, w = v + a * s.dt, w + al * s.dt
                x, th = x + v * s.dt, th + w * s.dt
            else:
                x, th = x + v * s.dt, th + w * s.dt
                v, w = v + a * s.dt, w + al * s.dt
            stage = th**2 + 0.1 * x**2 + 0.01 * (v**2 + w**2) + (s.effort * u * u if s.has("effort") else 0)
            cost += (stage + (number(s, "off") if abs(x) > number(s, "rail") else 0)) * s.dt
            if abs(th) > number(s, "fallen"):
                cost += number(s, "fall") * (horizon - t)
                dead = t
                break
        costs.append(cost)
        fell.append(dead)
        ends.append(th)
    return {"cost_out": costs, "fell": fell, "end_out": ends}


@reference
def path_integral_update(s):
    w = np.exp(-(s.cost - s.cost.min()) / s.lam)
    w /= w.sum()
    shift = w @ s.noise * (s.gain_ if s.has("gain_") else 1)
    plan = s.role("plan", s.args)
    return {"plan": np.clip(plan + shift, -s.push_max, s.push_max), "ess": np.full(len(plan), 1 / np.sum(w**2))}


@reference
def riccati_sweep(s):
    """The value of the whole horizon as one least-squares problem, from each step on."""
    gains, costs = np.zeros(s.k_out.shape), []
    q = np.diag(s.q)
    n = gains.shape[1]
    for i in range(len(gains)):
        a, b = np.array([[1, s.dt], [0, 1 - s.damp[i] * s.dt]]), np.array([[s.dt**2 / 2], [s.dt]]) * s.gain_b[i]
        p = q * (s.last if s.has("last") else 1)
        for t in range(n - 1, -1, -1):
            # minimum over u of u r u + (a x + b u)' p (a x + b u)
            hess = np.block([[q + a.T @ p @ a, a.T @ p @ b], [b.T @ p @ a, s.r + b.T @ p @ b]])
            gains[i, t] = (np.linalg.inv(hess[2:, 2:]) @ hess[2:, :2])[0]
            p = np.linalg.inv(np.linalg.inv(hess)[:2, :2])
        costs.append(s.x0[i] @ p @ s.x0[i] if s.has("x0") else 0)
    return {"k_out": gains, "cost_out": costs}


@reference
def timed_path(s):
    start = np.concatenate([[0], np.cumsum(s.dur)])[:len(s.dur)]
    n = len(s.knots)
    xs, vs, segs = [], [], []
    tangents = np.zeros_like(s.knots)
    for k in range(1, n - 1):
        tangents[k] = (s.knots[k + 1] - s.knots[k - 1]) / (s.dur[k - 1] + s.dur[k])
    for t in s.when:
        if t <= 0 or t > start[-1]:
            xs.append(s.knots[0 if t <= 0 else -1])
            vs.append(np.zeros(3))
            segs.append(0 if t <= 0 else n - 1)
            continue
        k = np.searchsorted(start, t) - 1
        d = s.dur[k]
        ends = s.knots[k:k + 2]
        if s.choice("curve") == 0:
            conditions, values = [(0, 0), (d, 0)], [ends[0], ends[1]]
        elif s.choice("curve") == 1:
            z = np.zeros(3)
            conditions, values = [(0, 0), (0, 1), (0, 2), (d, 0), (d, 1), (d, 2)], [ends[0], z, z, ends[1], z, z]
        else:
            conditions, values = [(0, 0), (0, 1), (d, 0), (d, 1)], [ends[0], tangents[k], ends[1], tangents[k + 1]]
        # the polynomial through these values and derivatives
        m = len(values)

        def basis(u, order):
            row = np.zeros(m)
            for p in range(order, m):
                row[p] = np.prod(np.arange(p, p - order, -1)) * u ** (p - order)
            return row

        c = np.linalg.solve([basis(u, o) for u, o in conditions], values)
        xs.append(basis(t - start[k], 0) @ c)
        vs.append(basis(t - start[k], 1) @ c)
        segs.append(k)
    return {"x_out": xs, "v_out": vs, "seg_out": segs}


@reference
def cma_covariance(s):
    cov, path, steps = [], [], []
    mu = s.cost.shape[1] // 2
    for g in range(len(s.path)):
        best = np.argsort(s.cost[g], kind="stable")[:mu]
        w = np.log(mu + 0.5) - np.log(np.arange(1, mu + 1))
        w = w / w.sum()
        y = s.steps[g][best]
        step = w @ y
        keep = 0 if s.has("stalled") and s.stalled[g] == 1 else 1
        p = (1 - s.c_path) * s.path[g] + keep * np.sqrt(s.c_path * (2 - s.c_path) / np.sum(w**2)) * step
        cov.append((1 - s.c_one - s.c_mu) * s.cov[g] + s.c_one * np.outer(p, p) + s.c_mu * (y.T * w) @ y)
        path.append(p)
        steps.append(step)
    return {"cov": cov, "path": path, "mean_step": steps}


@reference
def lbfgs_direction(s):
    """The inverse Hessian as a matrix, by the BFGS update of each pair from the oldest on."""
    out, used = [], []
    for i, g in enumerate(s.g):
        good = [k for k in range(5) if s.s[i, k] @ s.y[i, k] > number(s, "curved")]
        h = np.eye(4) * s.scale0
        if good:
            k = good[-1]
            h = np.eye(4) * (s.s[i, k] @ s.y[i, k]) / (s.y[i, k] @ s.y[i, k])
        for k in good:
            a, b = s.s[i, k], s.y[i, k]
            v = np.eye(4) - np.outer(b, a) / (a @ b)
            h = v.T @ h @ v + np.outer(a, a) / (a @ b)
        out.append(-h @ g)
        used.append(len(good))
    return {"d_out": out, "slope_out": np.sum(np.array(out) * s.g, 1), "used": used}


@reference
def fit_decay(s):
    a, b, sse = [], [], []
    t = np.arange(10) * s.dt
    for i, y in enumerate(s.y):
        p = np.array([s.a[i], s.b[i]])
        w = s.w[i] if s.has("w") else np.ones(10)
        for _ in range(int(number(s, "steps"))):
            jac = np.column_stack([np.exp(-p[1] * t), -p[0] * t * np.exp(-p[1] * t)])
            r = y - p[0] * np.exp(-p[1] * t)
            p = p + np.linalg.solve((jac.T * w) @ jac + s.damp * np.eye(2), (jac.T * w) @ r)
            p[1] = max(p[1], 0.01)
        a.append(p[0])
        b.append(p[1])
        sse.append(np.sum((y - p[0] * np.exp(-p[1] * t)) ** 2))
    return {"a": a, "b": b, "sse": sse, "big": np.array(sse) > number(s, "poor")}


@reference
def path_gradient(s):
    """Differences of the cost of obstacles, and of the sum of squared second differences at a point."""
    def risk(p):
        total = 0.0
        for c, r in zip(s.centre, s.r):
            d = norm(p - c) - r
            total += s.reach / 2 - d if d < 0 else max(s.reach - d, 0) ** 2 / (2 * s.reach)
        return s.w_obs * total

    grad, cost, hit = np.zeros_like(s.x), np.zeros(len(s.x)), np.zeros(s.x.shape[:2])
    for i, row in enumerate(s.x):
        for t in range(1, len(row) - 1):
            p = row[t]
            bend = row[t - 1] - 2 * p + row[t + 1]
            grad[i, t] = -2 * s.w_smooth * bend + [(risk(p + e) - risk(p - e)) / 2e-5 for e in 1e-5 * np.eye(3)]
            cost[i] += risk(p) + s.w_smooth * bend @ bend / 2
            hit[i, t] = any(norm(p - c) < r for c, r in zip(s.centre, s.r))
    return {"grad": grad, "cost": cost, "hit": hit}


@reference
def sinkhorn_rows(s):
    cost = np.sum((s.x[:, None] - s.y[None]) ** 2, 2) / 2
    mass = s.b if s.has("b") else np.ones(len(s.y))
    f = -s.eps * np.log(np.exp((s.g[None] - cost) / s.eps) @ mass)
    f *= s.tau if s.has("tau") else 1
    return {"f": f, "err": [np.abs(f - s.f).sum()]}


@reference
def auction_bids(s):
    want, margin, offer, waiting = [], [], s.offer.copy(), 0
    for a, row in enumerate(s.ben - s.price):
        if s.has("taken") and s.taken[a] == 1:
            want.append(-1)
            margin.append(0)
            waiting += 1
            continue
        order = np.argsort(-row)
        inc = row[order[0]] - row[order[1]] + s.eps
        want.append(order[0])
        margin.append(inc)
        offer[order[0]] = max(offer[order[0]], s.price[order[0]] + inc)
    return {"want": want, "margin": margin, "offer": offer, "wait": [waiting]}


@reference
def dynamic_window(s):
    scores, free, crash = [], [], []
    for v, w in zip(s.v, s.w):
        at, yaw, near = 0j, 0.0, 4.0
        for _ in range(10):
            at += v * s.dt * np.exp(1j * yaw)
            yaw += w * s.dt
            near = min(near, np.abs(s.obs @ [1, 1j] - at).min() - s.size)
            if near < 0:
                break
        off = abs(np.angle((complex(*s.goal) - at) * np.exp(-1j * yaw)))
        total = s.kh * (1 - off / np.pi) + s.kc * min(near, 1) + (s.kv * v / 1.5 if s.has("kv") else 0)
        scores.append(0 if near < 0 or v * v > 2 * near * 1.2 else total)
        free.append(near)
        crash.append(near < 0)
    return {"score_out": scores, "free_out": free, "crash": crash}


@reference
def trapezoid_profile(s):
    """The speed at a time is the smallest of three limits; the way is the area below it, from its corners."""
    dec = s.d_max if s.has("d_max") else s.a_max
    xs, vs = [], []
    for t, dist in zip(s.t, s.dist):
        l = abs(dist)
        top = min(s.v_max, np.sqrt(2 * l / (1 / s.a_max + 1 / dec)))
        flat = l / max(top, 1e-3) - top / 2 * (1 / s.a_max + 1 / dec)
        knots = np.cumsum([0, top / s.a_max, flat, top / dec])
        grid = np.unique(np.append(knots[knots < t], [0, min(t, knots[-1])]))
        speed = np.interp(grid, knots, [0, top, top, 0])
        xs.append(np.sign(dist) * np.sum((speed[1:] + speed[:-1]) / 2 * np.diff(grid)))
        vs.append(np.sign(dist) * np.interp(t, knots, [0, top, top, 0]))
    return {"x_out": xs, "v_out": vs}
