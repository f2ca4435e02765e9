"""Scenes of attitudes and poses, from the textbook, with rotation matrices where the scenes have quaternions."""

import numpy as np
from rotations import pose_matrix, poses_like, quaternion, rotation_about, rotation_vector, signed_like, skew
from textbook import hat, norm, reference, rotation_matrix


@reference
def madgwick(s):
    def gravity_error(q, a):
        q = np.asarray(q)
        up = np.array([2 * (q[0] * q[2] - q[3] * q[1]), 2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] ** 2 + q[1] ** 2)])
        return up - a
    out, steps = [], []
    for q, w, acc in zip(s.q, s.gyro, s.accel):
        w = w - (s.bias if s.has("bias") else 0.0)
        x, y, z, c = q
        rate = 0.5 * np.array([c * w[0] + y * w[2] - z * w[1], c * w[1] + z * w[0] - x * w[2], c * w[2] + x * w[1] - y * w[0], -x * w[0] - y * w[1] - z * w[2]])
        steps.append(0.0)
        if norm(acc) > s.plan["choices"]["free_fall"]:
            a, h = hat(acc), 1e-5
            grad = np.array([(norm(gravity_error(q + h * e, a)) ** 2 - norm(gravity_error(q - h * e, a)) ** 2) / (4 * h) for e in np.eye(4)])
            steps[-1] = norm(gravity_error(q, a))
            rate = rate - s.beta * hat(grad)
        out.append(hat(q + rate * s.dt))
    return {"q": out, "step_size_out": steps}


@reference
def mahony(s):
    out, bias, still = [], [], []
    trust = s.plan["choices"]["trust"]
    for q, b, w, a in zip(s.q, s.b, s.gyro, s.accel):
        r, rate = rotation_matrix(q), w - b
        still.append(abs(norm(a) - 9.81) < trust)
        if still[-1]:
            e = np.cross(hat(a), r.T @ [0, 0, 1])
            b = b - s.ki * s.dt * e
            if s.has("limit"):
                b = np.clip(b, -s.limit, s.limit)
            rate = rate + s.kp * e
        if s.choice("integrate") == 0:
            out.append(r @ rotation_about(rate * s.dt))
        else:
            # one Euler step of the quaternion turns by twice the arc tangent of half the step
            half = norm(rate) * s.dt / 2
            out.append(r @ rotation_about(hat(rate) * 2 * np.arctan(half)))
        bias.append(b)
    return {"q": signed_like(s, "q", out), "b": bias, "still": still}


@reference
def swing_twist_limit(s):
    axis = hat(s.axis)
    out, twists, hit = [], [], []
    for q in s.q:
        q = q if q[3] >= 0 else -q
        # the turn about the axis is twice the angle of (w, projection)
        turn = 2 * np.arctan2(q[:3] @ axis, q[3])
        swing = rotation_vector(rotation_matrix(q) @ rotation_about(axis * turn).T)
        kept, bend = np.clip(turn, -s.twist_max, s.twist_max), norm(swing)
        allowed = min(bend, s.cone) + (s.soft * max(bend - s.cone, 0) if s.has("soft") else 0.0)
        out.append(rotation_about(swing * allowed / bend) @ rotation_about(axis * kept))
        twists.append(kept)
        hit.append(abs(turn) > s.twist_max or bend > s.cone)
    return {"q_out": signed_like(s, "q_out", out), "twist_out": twists, "hit": hit}


@reference
def dual_quaternion_skin(s):
    def left(q):
        x, y, z, w = q
        return np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    points, normals = [], []
    for v, x in enumerate(s.x):
        real, dual = np.zeros(4), np.zeros(4)
        pivot = s.bones[s.which[v, 0]][3:]
        for b, w in zip(s.which[v], s.w[v]):
            q = s.bones[b][3:] * (1 if s.bones[b][3:] @ pivot >= 0 else -1)
            real += w * q
            dual += w / 2 * left(np.append(s.bones[b][:3], 0)) @ q
        size = norm(real)
        real, dual = real / size, dual / size
        t = 2 * left(dual) @ (real * [-1, -1, -1, 1])
        points.append(rotation_matrix(real) @ x + t[:3])
        normals.append(rotation_matrix(real) @ hat(s.n[v]) if s.has("n") else 0)
    return {"x_out": points, "n_out": normals if s.has("n") else None}


@reference
def rotation_mean(s):
    means, spread = [], []
    for a, b in zip(s.start[:-1], s.start[1:]):
        rs = [rotation_matrix(q) for q in s.q[a:b]]
        w = s.w[a:b] if s.has("w") else np.ones(b - a)
        if not rs:
            means.append(np.eye(3)), spread.append(0.0)
            continue
        m = rs[0]
        for _ in range(60):
            logs = np.array([rotation_vector(m.T @ r) for r in rs])
            m = m @ rotation_about(w @ logs / w.sum())
        means.append(m)
        spread.append(np.sqrt(w @ np.sum(logs**2, 1) / w.sum()))
    return {"mean_out": signed_like(s, "mean_out", means), "spread": spread}


@reference
def squad_track(s):
    keys = [rotation_matrix(q) for q in s.keys]
    n = len(keys)

    def slerp(a, b, t):
        return a @ rotation_about(rotation_vector(a.T @ b) * t)

    def control(k):
        a, b, c = keys[max(k - 1, 0)], keys[k], keys[min(k + 1, n - 1)]
        return b @ rotation_about(-(rotation_vector(b.T @ c) + rotation_vector(b.T @ a)) / 4)
    out, rates = [], []
    for at in s.at:
        u = at * (n - 1)
        k = min(int(u), n - 2)
        t = u - k
        out.append(slerp(slerp(keys[k], keys[k + 1], t), slerp(control(k), control(k + 1), t), 2 * t * (1 - t)))
        rates.append(norm(rotation_vector(keys[k].T @ keys[k + 1])))
    return {"q_out": signed_like(s, "q_out", out), "rate_out": rates}


@reference
def look_at(s):
    poses = []
    for c, (eye, aim) in enumerate(zip(s.eye, s.target)):
        if norm(aim - eye) < s.plan["choices"]["inside"]:
            m = np.eye(4)
            m[:3, 3] = eye
            poses.append(m)
            continue
        back = hat(eye - aim)
        right = hat(np.cross(s.up, back))
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = np.column_stack([right, np.cross(back, right), back]), eye
        if s.has("roll"):
            m[:3, :3] = m[:3, :3] @ rotation_about([0, 0, s.roll[c]])
        poses.append(m)
    want = poses_like(s, "pose_out", poses)
    want[:, 3:] *= np.where(want[:, 6:] < 0, -1, 1)
    return {"pose_out": want, "dist_out": np.linalg.norm(s.target - s.eye, axis=1)}


@reference
def attitude_angles(s):
    rpy, rates, locked = [], [], []
    for q, w in zip(s.q, s.w):
        r = rotation_matrix(q)
        locked.append(abs(r[2, 0]) > s.plan["choices"]["pole"])
        if locked[-1]:
            yaw = 2 * np.arctan2(q[2], q[3])
            angles, rate = [0, -np.sign(r[2, 0]) * np.pi / 2, yaw], np.zeros(3)
        else:
            angles = [np.arctan2(r[2, 1], r[2, 2]), -np.arcsin(r[2, 0]), np.arctan2(r[1, 0], r[0, 0])]
            roll, pitch, _ = angles
            # body rates are the sum of the three rates about their own axes
            axes = np.array([[1, 0, -np.sin(pitch)], [0, np.cos(roll), np.sin(roll) * np.cos(pitch)], [0, -np.sin(roll), np.cos(roll) * np.cos(pitch)]])
            rate = np.linalg.solve(axes, r.T @ w)
        rpy.append(np.array(angles) - [0, 0, s.mount if s.has("mount") else 0.0])
        rates.append(rate)
    return {"rpy_out": rpy, "rate_out": rates, "locked": locked}


@reference
def attitude_control(s):
    out, rates, left, effort = [], [], [], []
    for q, w, goal in zip(s.q, s.w, s.goal):
        r, target, spent = rotation_matrix(q), rotation_matrix(goal), 0.0
        for _ in range(s.choice("substeps")):
            e = quaternion(target.T @ r)
            e = e if e[3] >= 0 else -e
            tau = np.clip(-s.kp * e[:3] - s.kd * w, -s.top, s.top)
            w = w + (tau - np.cross(w, s.diag * w)) / s.diag * s.dt
            r = r @ rotation_about(w * s.dt)
            spent += norm(tau) * s.dt
        out.append(r), rates.append(w), effort.append(spent)
        left.append(norm(rotation_vector(target.T @ r)))
    return {"q": signed_like(s, "q", out), "w": rates, "left": left, "effort": effort}


@reference
def two_bone_ik(s):
    elbows, upper, lower, reached = [], [], [], []

    def arc(v):
        axis = np.cross([1, 0, 0], v)
        return rotation_about(hat(axis) * np.arccos(np.clip(v[0], -1, 1))) if norm(axis) > 1e-12 else np.eye(3)
    for root, target in zip(s.root, s.target):
        l = norm(target - root)
        u = (target - root) / l
        reach = np.clip(l, abs(s.upper_len - s.lower_len) + 0.01, s.upper_len + s.lower_len - 0.01)
        angle = np.arccos((s.upper_len**2 + reach**2 - s.lower_len**2) / (2 * s.upper_len * reach))
        side = hat(s.pole - u * (u @ s.pole))
        mid = root + s.upper_len * (np.cos(angle) * u + np.sin(angle) * side)
        tip = root + reach * u
        elbows.append(mid), upper.append(arc(hat(mid - root))), lower.append(arc(hat(tip - mid))), reached.append(abs(l - reach) < 1e-6)
    return {"middle": elbows, "upper_rot": signed_like(s, "upper_rot", upper), "lower_rot": signed_like(s, "lower_rot", lower), "reached": reached}


@reference
def preintegrate(s):
    rot, dv, dp = [], [], []
    for a, b in zip(s.start[:-1], s.start[1:]):
        r, v, p = np.eye(3), np.zeros(3), np.zeros(3)
        for k in range(a, b):
            f = r @ (s.accel[k] - s.ba)
            p = p + v * s.dt + f * s.dt**2 / 2
            v = v + f * s.dt
            r = r @ rotation_about((s.gyro[k] - s.bg) * s.dt)
        rot.append(r), dv.append(v), dp.append(p)
    return {"dq_out": signed_like(s, "dq_out", rot), "dv_out": dv, "dp_out": dp, "span": np.diff(s.start) * s.dt}


@reference
def pose_error(s):
    n, gap = len(s.est), int(s.gap)
    est, truth = [pose_matrix(p) for p in s.est], [pose_matrix(p) for p in s.truth]
    trans, rot = np.zeros(n), np.zeros(n)
    for i in range(n - gap):
        e = np.linalg.solve(np.linalg.solve(truth[i], truth[i + gap]), np.linalg.solve(est[i], est[i + gap]))
        trans[i], rot[i] = norm(e[:3, 3]), np.arccos(np.clip((np.trace(e[:3, :3]) - 1) / 2, -1, 1))
    bad = (trans[:n - gap] > s.limit).sum() if s.has("limit") else 0
    return {"trans_out": trans, "rot_out": rot, "total": [np.sum(trans**2)], "bad": [bad]}


@reference
def chain_jacobian(s):
    robots, joints = s.jq.shape
    steps, slopes = np.tile(np.eye(4), (robots, joints, 1, 1)), np.zeros((robots, joints, 4, 4))
    for j in range(joints):
        axis, q = hat(s.axis[j]), s.jq[:, j, None, None]
        if s.type_of[j] == 0:
            k = skew(axis)
            steps[:, j, :3, :3] += np.sin(q) * k + (1 - np.cos(q)) * (k @ k)
            slopes[:, j, :3, :3] = np.cos(q) * k + np.sin(q) * (k @ k)
        elif s.type_of[j] == 1:
            steps[:, j, :3, 3] = q[:, 0] * axis
            slopes[:, j, :3, 3] = axis
    tool = np.eye(4)
    if s.has("tool"):
        tool[:3, 3] = s.tool

    def tips(matrices):
        m = np.tile(np.eye(4), (robots, 1, 1))
        for j in range(joints):
            m = m @ pose_matrix(s.link[j]) @ matrices[:, j]
        return m @ tool
    ends, jac = tips(steps), np.zeros((robots, joints, 6))
    for j in range(joints):
        # the derivative of the product of matrices, one factor at a time
        varied = steps.copy()
        varied[:, j] = slopes[:, j]
        rate = tips(varied)
        spin = rate[:, :3, :3] @ np.swapaxes(ends[:, :3, :3], 1, 2)
        jac[:, j] = np.column_stack([rate[:, :3, 3], spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]])
    return {"tip_out": poses_like(s, "tip_out", ends), "jac": jac, "lever": np.linalg.norm(ends[:, :3, 3], axis=1)}
