"""Rigid bodies and what drives them, by differences in time, by matrices and by curves written out."""

import numpy as np
from textbook import hat, norm, reference, rotation_matrix


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


def turn(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


@reference
def inverse_dynamics(s):
    """Accelerations and rates of angular momentum from a motion in time, by differences of fourth order."""
    def place(q):
        rot, pos, out = np.eye(3), np.zeros(3), []
        for j, angle in enumerate(q):
            pos, rot = pos + rot @ s.link[j, :3], rot @ rotation_matrix(s.link[j, 3:])
            axis = hat(s.axis[j])
            joint = (rot @ axis, pos)
            if s.sliding[j] == 1:
                pos = pos + rot @ axis * angle
            else:
                rot = rot @ turn(axis, angle)
            out.append((joint, rot, pos + rot @ s.com[j]))
        return out

    tau, h = np.zeros_like(s.jq), 1e-3
    for r in range(len(s.jq)):
        frames = [place(s.jq[r] + t * h * s.jqd[r] + (t * h) ** 2 / 2 * s.jqdd[r]) for t in range(-4, 5)]
        n = s.jq.shape[1]
        forces = []
        for j in range(n):
            c = np.array([f[j][2] for f in frames])
            acc = (-c[2] + 16 * c[3] - 30 * c[4] + 16 * c[5] - c[6]) / (12 * h * h)
            spin = []
            for t in range(2, 7):
                rd = (frames[t - 2][j][1] - 8 * frames[t - 1][j][1] + 8 * frames[t + 1][j][1] - frames[t + 2][j][1]) / (12 * h)
                rot = frames[t][j][1]
                w = rd @ rot.T
                spin.append(rot @ np.diag(s.inertia[j]) @ rot.T @ np.array([w[2, 1], w[0, 2], w[1, 0]]))
            rate = (spin[0] - 8 * spin[1] + 8 * spin[3] - spin[4]) / (12 * h)
            forces.append((c[4], s.m[j] * (acc - s.g), rate))
        for j in range(n):
            axis, pivot = frames[4][j][0]
            for c, f, rate in forces[j:]:
                tau[r, j] += axis @ f if s.sliding[j] == 1 else axis @ (np.cross(c - pivot, f) + rate)
            if s.has("tip"):
                moment, f = s.tip[r, :3], s.tip[r, 3:]
                tau[r, j] -= axis @ f if s.sliding[j] == 1 else axis @ (moment - np.cross(pivot, f))
    return {"tau": tau}


@reference
def gyroscopic_step(s):
    out = {"x": s.x.copy(), "q": s.q.copy(), "v": s.v.copy(), "w": s.w.copy()}
    dt = s.dt
    for i in range(len(s.x)):
        if s.has("asleep") and s.asleep[i] == 1:
            continue
        v = s.v[i] + dt * (s.f[i] * s.inv_m[i] + s.g)
        v *= 1 - s.lin_damp * dt if s.has("lin_damp") else 1
        rot, inertia = rotation_matrix(hat(s.q[i])), np.diag(s.inertia[i])
        w = rot.T @ s.w[i] + np.linalg.solve(inertia, rot.T @ s.tau[i]) * dt

        def g(y):
            return inertia @ (y - w) + dt * np.cross(y, inertia @ y)

        jac = np.column_stack([(g(w + 1e-4 * e) - g(w - 1e-4 * e)) / 2e-4 for e in np.eye(3)])
        w = rot @ (w - np.linalg.solve(jac, g(w)))
        if s.has("w_max") and norm(w) > s.w_max:
            w *= s.w_max / norm(w)
        q = hat(s.q[i])
        spin = np.append(w * dt / 2, 1) if s.choice("rotate") == 0 else np.append(np.sin(norm(w) * dt / 2) * hat(w), np.cos(norm(w) * dt / 2))
        a, b = spin[:3], q[:3]
        q = hat(np.append(spin[3] * b + q[3] * a + np.cross(a, b), spin[3] * q[3] - a @ b))
        out["x"][i], out["q"][i], out["v"][i], out["w"][i] = s.x[i] + v * dt, q, v, w
    return out


def world_inverse(s, body):
    r = rotation_matrix(s.q[body])
    return r @ np.diag(s.inv_i[body]) @ r.T


@reference
def ball_joint_solve(s):
    dx, dw = np.zeros_like(s.x), np.zeros_like(s.x)
    gaps, lam = np.zeros(len(s.pair)), s.lam.copy() if s.has("lam") else None
    for j, (a, b) in enumerate(s.pair):
        if a == b:
            continue
        arms = rotation_matrix(s.q[a]) @ s.la[j], rotation_matrix(s.q[b]) @ s.lb[j]
        d = s.x[b] + arms[1] - s.x[a] - arms[0]
        c = gaps[j] = norm(d)
        free = [not (s.has("pinned") and s.pinned[k] == 1) for k in (a, b)]
        if c < 1e-5 or not any(free):
            continue
        n = d / c
        w = sum(f * (s.w[k] + np.cross(r, n) @ world_inverse(s, k) @ np.cross(r, n)) for f, k, r in zip(free, (a, b), arms))
        soft = s.alpha / s.dt**2
        step = (c - soft * (lam[j] if lam is not None else 0)) / (w + soft)
        if lam is not None:
            lam[j] += step
        for f, k, r, sign in zip(free, (a, b), arms, (1, -1)):
            dx[k] += f * sign * step * n * s.w[k]
            dw[k] += f * sign * world_inverse(s, k) @ np.cross(r, step * n)
    return {"dx": dx, "dw": dw, "gap_out": gaps, "lam": lam}


@reference
def box_ground(s):
    load, touching, deepest = [], [], []
    for i, pose in enumerate(s.pose_):
        arms = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * s.half[i] @ rotation_matrix(pose[3:]).T
        depth = s.ground - (pose[1] + arms[:, 1])
        total = np.zeros(6)
        for r, pen in zip(arms, depth):
            if pen <= 0:
                continue
            v = s.motion[i, 3:] + np.cross(s.motion[i, :3], r)
            fn = max(s.ke * pen - s.kd * v[1], 0)
            slip = np.array([v[0], 0, v[2]])
            f = np.array([0, fn, 0])
            if norm(slip) > 1e-4:
                grip = s.mu * fn / norm(slip)
                f = f - slip * (min(s.kf, grip) if s.has("kf") else grip)
            total += np.concatenate([np.cross(r, f), f])
        load.append(total)
        touching.append(np.sum(depth > 0))
        deepest.append(max(depth.max(), 0))
    return {"load": load, "touching": touching, "deepest": deepest}


@reference
def contact_impulses_step(s):
    dv, dw, acc = np.zeros_like(s.v), np.zeros_like(s.v), s.acc.copy()
    for c, (a, b) in enumerate(s.pair):
        if a == b or norm(s.n[c]) < 0.01:
            continue
        n = hat(s.n[c])
        t = hat(np.cross([1, 0, 0] if abs(n[0]) < 0.57735 else [0, 1, 0], n))
        frame = np.array([n, t, np.cross(n, t)])
        # rows of the Jacobian for (v_a, w_a, v_b, w_b)
        jac = np.hstack([-frame, -np.cross(s.ra[c], frame), frame, np.cross(s.rb[c], frame)])
        vel = np.concatenate([s.v[a], s.w[a], s.v[b], s.w[b]])
        inv = np.zeros((12, 12))
        for k, body in enumerate((a, b)):
            inv[6 * k:6 * k + 3, 6 * k:6 * k + 3] = np.eye(3) * s.im[body]
            inv[6 * k + 3:6 * k + 6, 6 * k + 3:6 * k + 6] = world_inverse(s, body)
        rel, mass = jac @ vel, np.diag(jac @ inv @ jac.T)
        goal = -s.e * rel[0] if s.has("e") and rel[0] < -number(s, "bounce") else 0.0
        if s.has("depth") and s.has("beta") and s.has("dt"):
            goal += s.beta / s.dt * max(s.depth[c] - number(s, "slop"), 0)
        new = s.acc[c] + (np.array([goal, 0, 0]) - rel) / mass
        new[0] = max(new[0], 0)
        new[1:] = np.clip(new[1:], -s.mu * new[0], s.mu * new[0])
        change = inv @ jac.T @ (new - s.acc[c])
        acc[c] = new
        dv[a] += change[:3]
        dw[a] += change[3:6]
        dv[b] += change[6:9]
        dw[b] += change[9:]
    return {"dv": dv, "dw": dw, "acc": acc}


@reference
def tyre_model(s):
    base = np.maximum(np.abs(s.vx), number(s, "floor"))
    peak = s.mu * s.load

    def curve(slip):
        return peak * np.sin(s.c * np.arctan(s.b * slip - s.e * (s.b * slip - np.arctan(s.b * slip))))

    kappa = np.clip((s.omega * s.r - s.vx) / base, -1, 1)
    fx, fy = curve(kappa), -curve(np.arctan(s.vy / base))
    use = np.hypot(fx, fy)
    over = use > peak
    if s.choice("ellipse") == 0:
        fx, fy = np.where(over, fx * peak / use, fx), np.where(over, fy * peak / use, fy)
    else:
        fy = np.where(over, np.sign(fy) * np.sqrt(np.maximum(peak**2 - fx**2, 0)), fy)
    w = s.omega + (s.drive - fx * s.r) * s.dt / s.inertia
    if s.has("brake"):
        slow = s.brake * s.dt / s.inertia
        locked = np.abs(w) <= slow
        w = np.sign(w) * np.maximum(np.abs(w) - slow, 0)
    else:
        locked = np.abs(w) < number(s, "still")
    return {"f": np.stack([fx, fy], -1), "omega": w, "slip_out": kappa, "locked": locked}


@reference
def hill_muscle(s):
    a = s.act
    tau = np.where(s.u > a, number(s, "on") * (0.5 + 1.5 * a), number(s, "off") / (0.5 + 1.5 * a))
    a = np.clip(a + (s.u - a) * np.minimum(s.dt / tau, 1), 0.01, 1)
    along = s.lmt - s.slack
    slack = along < number(s, "slack")
    lf = np.hypot(along, s.l_opt * np.sin(s.penn))
    cos, ln = along / lf, lf / s.l_opt
    v = s.vmt * cos / (number(s, "vmax") * s.l_opt)
    fl = np.exp(-((ln - 1) / number(s, "width")) ** 2)
    fv = np.where(v <= -1, 0, np.where(v < 0, (1 + v) / (1 - 4 * v), (1 + 7 * v) / (1 + 5 * v)))
    fp = np.where(ln > 1, np.expm1(4 * (ln - 1) / 0.6) / np.expm1(4), 0)
    force = np.where(slack, 0, s.f_max * (a * fl * fv + fp) * cos)
    return {"act": a, "force_out": force, "fibre_out": np.where(slack, 0, ln), "short": slack | (ln < number(s, "short"))}


@reference
def suspension(s):
    force, travel = [], []
    rows, cols = s.ground.shape
    for at, v in zip(s.mount, s.v):
        g = [np.clip((at[k] - s.origin[k]) / s.h, 0, n - 1.001) for k, n in ((0, rows), (1, cols))]
        i, j = int(g[0]), int(g[1])
        p = s.ground[i:i + 2, j:j + 2]
        wx, wy = np.array([1 - g[0] + i, g[0] - i]), np.array([1 - g[1] + j, g[1] - j])
        comp = s.rest - at[2] + wx @ p @ wy
        travel.append(np.clip(comp, 0, s.stroke))
        n = hat([-(np.array([-1, 1]) @ p @ wy) / s.h, -(wx @ p @ np.array([-1, 1])) / s.h, 1])
        push = s.ke * min(comp, s.stroke) - s.kd * (v @ n)
        if s.has("bump"):
            push += s.bump * max(comp - s.stroke, 0)
        force.append(np.zeros(3) if comp <= 0 else n * max(push, 0))
    return {"force_out": force, "travel_out": travel}


@reference
def sail_forces(s):
    f, power = np.zeros_like(s.x), np.zeros(len(s.tri))
    for t, ids in enumerate(s.tri):
        p = s.x[ids]
        n = np.cross(p[1] - p[0], p[2] - p[0])
        area = norm(n) / 2
        if area < 1e-5:
            continue
        move = s.v[ids].mean(0)
        rel = s.wind - move + (hat(s.wind) * s.gust[t] if s.has("gust") else 0)
        flow = hat(rel)
        n = hat(n) * (1 if n @ flow >= 0 else -1)
        c = n @ flow
        q = s.rho * norm(rel) ** 2 * area / 2 * (1 - s.porous if s.has("porous") else 1)
        total = q * c * (s.cd * flow + s.cl * (n - c * flow)) * (c if s.choice("polar") else 1)
        for node in ids:
            f[node] += total / 3
        power[t] = total @ move
    return {"f": f, "power_out": power}
