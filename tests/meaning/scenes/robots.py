"""Scenes of rigid bodies and robots, from the textbook, with matrices and classical vectors."""

import numpy as np
from rotations import pose_matrix, poses_like, rotation_about
from streams import Stream
from textbook import hat, norm, reference, rotation_matrix


def turned(r, w, dt):
    """The rotation after one Euler step of the quaternion: it turns by twice the arc tangent of half the step."""
    return rotation_about(hat(w) * 2 * np.arctan(norm(w) * dt / 2)) @ r


@reference
def integrate_bodies(s):
    poses, twists = [], []
    for b in range(len(s.q)):
        m = pose_matrix(s.q[b])
        if s.has("fixed") and s.fixed[b] == 1:
            poses.append(m), twists.append(s.qd[b])
            continue
        r = m[:3, :3]
        inertia = r @ np.diag(s.diag[b]) @ r.T
        v = s.qd[b][:3] + (s.f[b][:3] * s.inv_m[b] + s.g) * s.dt
        if s.has("top") and norm(v) > s.top:
            v = hat(v) * s.top
        w = s.qd[b][3:]
        w = w + np.linalg.solve(inertia, s.f[b][3:] - np.cross(w, inertia @ w)) * s.dt
        if s.has("damp"):
            w = w * (1 - s.damp * s.dt)
        center = m[:3, 3] + r @ s.com[b] + v * s.dt
        after = np.eye(4)
        after[:3, :3] = turned(r, w, s.dt)
        after[:3, 3] = center - after[:3, :3] @ s.com[b]
        poses.append(after), twists.append(np.concatenate([v, w]))
    return {"q": poses_like(s, "q", poses), "qd": twists}


@reference
def body_contacts(s):
    f, depth, slipping = np.zeros((len(s.q), 6)), np.zeros(len(s.pair)), 0
    for c, (i, j) in enumerate(s.pair):
        if i == j:
            continue
        n = hat(s.n[c])
        ma, mb = pose_matrix(s.q[i]), pose_matrix(s.q[j])
        ra, rb = ma[:3, :3] @ s.pa[c], mb[:3, :3] @ s.pb[c]
        gap = n @ (ra + ma[:3, 3] - rb - mb[:3, 3]) - (s.thick[c] if s.has("thick") else 0.0)
        depth[c] = min(gap, 0)
        if gap >= 0:
            continue
        v = s.qd[i][:3] + np.cross(s.qd[i][3:], ra) - s.qd[j][:3] - np.cross(s.qd[j][3:], rb)
        vt = v - n * (v @ n)
        press = -s.ke * gap + s.kd * max(-(v @ n), 0)
        drag = min(s.kf * norm(vt), s.mu * press)
        slipping += norm(vt) > 1e-4 and s.kf * norm(vt) > s.mu * press
        force = press * n - drag * (hat(vt) if norm(vt) > 1e-4 else 0)
        f[i] += np.concatenate([force, np.cross(ra, force)])
        f[j] -= np.concatenate([force, np.cross(rb, force)])
    return {"f": f, "depth_out": depth, "slipping": [slipping]}


@reference
def joint_springs(s):
    f, drift = np.zeros((len(s.q), 6)), np.zeros(len(s.parent))
    for k, (i, j) in enumerate(zip(s.parent, s.child)):
        if i == j:
            continue
        xp, xc = pose_matrix(s.q[i]) @ pose_matrix(s.frame_p[k]), pose_matrix(s.q[j]) @ pose_matrix(s.frame_c[k])
        rp, rc = xp[:3, 3] - s.q[i][:3], xc[:3, 3] - s.q[j][:3]
        gap = xc[:3, 3] - xp[:3, 3]
        v = s.qd[j][:3] + np.cross(s.qd[j][3:], rc) - s.qd[i][:3] - np.cross(s.qd[i][3:], rp)
        w = s.qd[j][3:] - s.qd[i][3:]
        force, torque = s.ke * gap + s.kd * v, np.zeros(3)
        drift[k] = norm(gap)
        if s.type_of[k] != 0:
            rel = xp[:3, :3].T @ xc[:3, :3]
            angle = np.arccos(np.clip((np.trace(rel) - 1) / 2, -1, 1))
            axis = hat([rel[2, 1] - rel[1, 2], rel[0, 2] - rel[2, 0], rel[1, 0] - rel[0, 1]])
            error = 2 * np.sin(angle / 2) * axis
            if s.type_of[k] == 1:
                free = xp[:3, 0]
                if s.has("target"):
                    # the turn about x: twice the angle of the part of the half rotation along x
                    now = 2 * np.arctan2(np.sin(angle / 2) * axis[0], np.cos(angle / 2))
                    torque = s.drive * (now - s.target[k]) * free
                error, w = error * [0, 1, 1], w - free * (w @ free)
            torque = torque + s.ke * xp[:3, :3] @ error + s.kd * w
        f[i] += np.concatenate([force, torque + np.cross(rp, force)])
        f[j] -= np.concatenate([force, torque + np.cross(rc, force)])
    return {"f": f, "drift": drift}


@reference
def raycast_suspension(s):
    out, wheels, skid = np.zeros((len(s.x), 6)), np.zeros(len(s.x)), np.zeros(len(s.x))
    for i, pose in enumerate(s.x):
        r = rotation_matrix(pose[3:])
        if r[1, 1] <= s.plan["choices"]["rolled"]:
            continue
        for k in range(4):
            hub = pose[:3] + r @ s.mount[k]
            travel = hub[1] / r[1, 1]
            if travel >= s.rest:
                continue
            wheels[i] += 1
            contact = hub - travel * r[:, 1] - pose[:3]
            v = s.qd[i][:3] + np.cross(s.qd[i][3:], contact)
            load = max(s.ks * (s.rest - travel) - s.c * (v @ r[:, 1]), 0)
            angle = s.steer[i] if k < 2 else 0.0
            ahead = r @ [np.sin(angle), 0, np.cos(angle)]
            aside = r @ [np.cos(angle), 0, -np.sin(angle)]
            flat = -s.grip * (v @ aside) * aside + (s.gas[i] / 2 * ahead if k >= 2 else 0)
            if norm(flat) > s.mu * load:
                flat, skid[i] = hat(flat) * s.mu * load, 1
            force = load * r[:, 1] + flat
            out[i] += np.concatenate([force, np.cross(contact, force)])
    return {"f": out, "on_ground": wheels, "skid": skid}


@reference
def quadrotor(s):
    rotor = s.cmd + (s.rotor - s.cmd) * np.exp(-s.dt / s.tau_m)
    thrust = s.ct * rotor**2
    poses, twists, crashed = [], [], []
    for i, pose in enumerate(s.q):
        r = rotation_matrix(pose[3:])
        v, w = s.qd[i][:3], s.qd[i][3:]
        # thrusts act upwards at the ends of the arms: forward is z, right is x
        arms = s.arm * np.array([[0, 0, 1], [1, 0, 0], [0, 0, -1], [-1, 0, 0]])
        moment = sum(np.cross(a, [0, t, 0]) for a, t in zip(arms, thrust[i])) + [0, s.kq * thrust[i] @ [1, -1, 1, -1], 0]
        acc = r[:, 1] * thrust[i].sum() / s.m - [0, 9.81, 0] - (s.drag / s.m * v if s.has("drag") else 0)
        inertia = r @ np.diag(s.diag) @ r.T
        w = w + np.linalg.solve(inertia, r @ moment - np.cross(w, inertia @ w)) * s.dt
        v = v + acc * s.dt
        p = pose[:3] + v * s.dt
        crashed.append(p[1] < 0 and v[1] < -1)
        if p[1] < 0:
            p[1], v[1] = 0, max(v[1], 0)
        after = np.eye(4)
        after[:3, :3], after[:3, 3] = turned(r, w, s.dt), p
        poses.append(after), twists.append(np.concatenate([v, w]))
    return {"q": poses_like(s, "q", poses), "qd": twists, "rotor": rotor, "crashed": crashed}


@reference
def cartpole_env(s):
    out = {k: [] for k in ("x", "v", "th", "om", "age", "reward_out", "done")}
    for i in range(len(s.x)):
        x, v, th, om = s.x[i], s.v[i], s.th[i], s.om[i]
        push = np.clip(s.act[i], -10, 10)
        # equations of motion as a system for both accelerations: a uniform rod of half length l
        m = np.array([[s.m + s.mp, s.mp * s.l * np.cos(th)], [np.cos(th), 4 / 3 * s.l]])
        ax, at = np.linalg.solve(m, [push + s.mp * s.l * om**2 * np.sin(th), 9.81 * np.sin(th)])
        vn, wn = v + ax * s.dt, om + at * s.dt
        late = s.choice("scheme") == 0
        xn, tn = x + (vn if late else v) * s.dt, th + (wn if late else om) * s.dt
        over = abs(xn) > s.limit or abs(tn) > s.lean
        out["reward_out"].append(float(not over) if s.choice("reward") == 0 else 1 - tn**2 - 0.1 * xn**2 - 0.001 * push**2)
        out["done"].append(over)
        if over:
            rng = Stream(s.seed, i + s.age[i])
            xn, vn, tn, wn = rng.unit() * 0.1 - 0.05, 0.0, rng.unit() * 0.1 - 0.05, 0.0
        for key, value in zip(("x", "v", "th", "om", "age"), (xn, vn, tn, wn, 0 if over else s.age[i] + 1)):
            out[key].append(value)
    return out


@reference
def lidar_scan(s):
    beams = s.count("ray")
    ranges, walls = np.full((len(s.pose_r), beams), s.far), np.full((len(s.pose_r), beams), -1)
    for r, (x, y, h) in enumerate(s.pose_r):
        for k in range(beams):
            phi = h + s.fov * (k / beams - 0.5)
            turn = np.array([[np.cos(phi), np.sin(phi)], [-np.sin(phi), np.cos(phi)]])
            # in the frame of the beam it runs along the first axis
            a, b = (s.a - [x, y]) @ turn.T, (s.b - [x, y]) @ turn.T
            cross = a[:, 1] * b[:, 1] <= 0
            t = np.where(cross, a[:, 0] - a[:, 1] * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1]), np.inf)
            t = np.where(t > 0, t, np.inf)
            if t.min() < s.far:
                ranges[r, k], walls[r, k] = t.min(), t.argmin()
    return {"range_out": ranges, "wall_out": walls, "free": (walls < 0).sum(1)}


@reference
def mppi_rollouts(s):
    costs, crash = [], []
    for i in range(s.count("path")):
        rng = Stream(s.seed, i)
        noise = s.sigma * (2 * np.array([rng.unit() for _ in s.nominal]) - 1)
        u = np.clip(s.nominal + noise, -1.5, 1.5)
        heading = s.start[2] + np.cumsum(u) * s.dt
        xy = np.array(s.start[:2]) + s.speed_c * s.dt * np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), 0)
        inside = np.linalg.norm(xy[:, None] - s.wall[None], axis=2) < s.r
        effort = s.plan["choices"]["effort"] * s.dt * np.sum(u**2)
        costs.append(effort + 10 * s.dt * inside.sum() + np.sum((np.array(s.goal) - xy[-1]) ** 2))
        crash.append(inside.any())
    return {"cost_out": costs, "weight_out": np.exp(-np.array(costs) / s.lam) if s.has("lam") else None, "crash": crash}


@reference
def rrt_extend(s):
    new, parent, free = [], [], []
    for q in s.target:
        d = np.linalg.norm(s.tree - q, axis=1)
        k = int(d.argmin())
        step = min(1.0, s.reach / d[k])
        p = s.tree[k] + (q - s.tree[k]) * step
        probes = s.tree[k] + np.outer(np.arange(1, s.checks + 1) / s.checks, p - s.tree[k])
        ok = not np.any(np.linalg.norm(probes[:, None] - s.wall[None], axis=2) < s.r)
        new.append(p if ok else s.tree[k]), parent.append(k), free.append(ok)
    close = None
    if s.has("goal"):
        close = [sum(ok and norm(p - np.array(s.goal)) < s.plan["choices"]["close"] for p, ok in zip(new, free))]
    return {"new_out": new, "parent_out": parent, "free": free, "near_goal": close}
