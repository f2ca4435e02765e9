"""Instruments and states of matter, by roots of polynomials and by matrices."""

import numpy as np
from textbook import hat, reference, rotation_matrix


def number(s, tag):
    return float(s.plan["choices"].get(tag, 0))


def pierces(p, q, tri):
    """Does the segment from p to q pass through the triangle?"""
    m = np.column_stack([tri[1] - tri[0], tri[2] - tri[0], p - q])
    if abs(np.linalg.det(m)) < 1e-14:
        return False
    u, v, t = np.linalg.solve(m, p - tri[0])
    return u >= 0 and v >= 0 and u + v <= 1 and 0 <= t <= 1


@reference
def crossing_faces(s):
    cut, per_face = [], np.zeros(len(s.tri))
    for f, g in s.pair:
        a, b = s.tri[f], s.tri[g]
        if f == g or set(a) & set(b) or len(set(a)) < 3 or len(set(b)) < 3:
            cut.append(0)
            continue
        pa, pb = s.x[a], s.x[b]
        hit = any(pierces(pa[k], pa[k - 1], pb) or pierces(pb[k], pb[k - 1], pa) for k in range(3))
        cut.append(hit)
        per_face[f] += hit
        per_face[g] += hit
    return {"cut": cut, "per_face": per_face, "total": [sum(cut)]}


@reference
def affine_parts(s):
    """Gram-Schmidt on the columns; a mirror image turns the first axis around."""
    rot, scale, shear, mirrored = [], [], np.zeros((len(s.a), 3)), []
    for b, a in enumerate(s.a):
        det = np.linalg.det(a)
        if abs(det) < number(s, "flat"):
            rot.append(np.eye(3))
            scale.append(np.zeros(3))
            mirrored.append(0)
            continue
        e = [hat(a[:, 0])]
        for k in (1, 2):
            e.append(hat(a[:, k] - sum((a[:, k] @ u) * u for u in e)))
        q = np.column_stack(e)
        if det < 0:
            q[:, 0] *= -1
        r = q.T @ a
        rot.append(q)
        scale.append(np.diag(r))
        shear[b] = [r[0, 1] / r[1, 1], r[0, 2] / r[2, 2], r[1, 2] / r[2, 2]]
        mirrored.append(det < 0)
    return {"rot_out": rot, "scale_out": scale, "shear_out": shear, "mirrored": mirrored}


@reference
def gimbal_step(s):
    def turn(axis, angle):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        m = np.eye(3)
        m[a, a] = m[b, b] = np.cos(angle)
        m[b, a], m[a, b] = np.sin(angle), -np.sin(angle)
        return m

    most = s.rate * s.dt
    new = s.angles + np.clip(s.wish - s.angles, -most, most)
    if s.has("tilt_max"):
        new[:, 1] = np.clip(new[:, 1], -s.tilt_max, s.tilt_max)
    place, view, poses = [], [], []
    for (roll, pitch, yaw), base in zip(new, s.base):
        r = rotation_matrix(base[3:]) @ turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)
        place.append(base[:3] + rotation_matrix(base[3:]) @ s.arm)
        view.append(r[:, 0])
        poses.append(r)
    after = s.role("pose_out", s.after)
    # one rotation has two quaternions: compare what they do
    same = all(np.allclose(rotation_matrix(p[3:]), r, atol=1e-6) and np.allclose(p[:3], x, atol=1e-6) for p, r, x in zip(after, poses, place))
    busy = np.any(np.abs(s.wish - s.angles) > most, axis=1)
    return {"angles": new, "view_out": view, "busy": busy, "pose_out": after if same else np.full_like(after, np.nan)}


@reference
def periodic_charges(s):
    f, e = np.zeros_like(s.x), np.zeros(len(s.x))
    for i, at in enumerate(s.x):
        for j, other in enumerate(s.x):
            d = at - other
            d = d - s.box * np.round(d / s.box)
            r = np.sqrt(d @ d + (s.core**2 if s.has("core") else 0))
            if i == j or r > s.cut or r < 1e-3:
                continue
            k = s.kc * s.q[i] * s.q[j]
            f[i] += k * (1 / r**2 - 1 / s.cut**2) * d / r
            e[i] += k / 2 * (1 / r - 1 / s.cut + (r - s.cut) / s.cut**2)
    return {"f": f, "e_out": e, "wrapped": s.x - s.box * np.round(s.x / s.box)}


@reference
def cubic_state(s):
    zs, phis, single = [], [], []
    for i, (a, b) in enumerate(zip(s.a, s.b)):
        roots = np.roots([1, b - 1, a - 3 * b * b - 2 * b, b**3 + b**2 - a * b])
        real = np.sort(roots[np.abs(roots.imag) < 1e-7].real)
        z = real[0] if s.has("wanted") and s.wanted[i] == 0 else real[-1]
        if z < 1.01 * b:
            z = real[-1]
        z = max(z, 1.01 * b)
        zs.append(z)
        phis.append(z - 1 - np.log(z - b) - a / (2.828427 * b) * np.log((z + 2.414214 * b) / (z - 0.414214 * b)))
        single.append(len(real) == 1)
    return {"z_out": zs, "phi_out": phis, "one_root": single}


@reference
def triplanar(s):
    n = s.n / np.maximum(np.linalg.norm(s.n, axis=1), 0.01)[:, None]
    w = (np.abs(n) + 0.001) ** (s.sharp or 1)
    k = np.abs(n).argmax(1)
    p = s.x * s.scale
    sign = np.where(n[np.arange(len(n)), k] < 0, -1, 1)
    u = np.choose(k, [p[:, 2] * sign, p[:, 0], -p[:, 0] * sign])
    v = np.choose(k, [p[:, 1], p[:, 2] * sign, p[:, 1]])
    return {"uv_out": np.stack([u % 1, v % 1], -1), "w_out": w / w.sum(1, keepdims=True), "axis_out": k}


@reference
def principal_stresses(s):
    sym = (s.sig + s.sig.transpose(0, 2, 1)) / 2
    e = np.linalg.eigvalsh(sym)
    dev = sym - np.trace(sym, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    hi, lo = e[:, 2], e[:, 0]
    if s.choice("criterion") == 0:
        use = (hi - lo) / s.strength
    elif s.choice("criterion") == 1:
        use = np.sqrt(1.5 * np.sum(dev**2, (1, 2))) / s.strength
    else:
        use = ((hi - lo) / 2 + (hi + lo) / 2 * np.sin(s.phi)) / (s.coh * np.cos(s.phi))
    return {"use_out": use, "s1_out": hi, "s3_out": lo, "mode": np.where(use < 1, 0, np.where(e.mean(1) > 0, 1, 2))}


@reference
def unscale_step(s):
    good = np.abs(s.g) <= s.ceiling
    x = s.g / s.scale
    norm_sq = np.sum(x[good] ** 2)
    x = np.clip(x, -s.limit, s.limit) + (s.decay_ * s.w if s.has("decay_") else 0)
    buf = None
    if s.has("buf") and s.has("beta"):
        x = s.beta * s.buf + x
        buf = np.where(good, x, s.buf)
    return {"w": np.where(good, s.w - s.lr * x, s.w), "buf": buf, "bad": [np.sum(~good)], "norm_sq": [norm_sq]}


@reference
def lidar_points(s):
    a, e = np.deg2rad((s.az + s.offset) % 360), np.deg2rad(s.el)
    p = np.stack([s.rng * np.cos(e) * np.cos(a), s.rng * np.cos(e) * np.sin(a), s.height_ + s.rng * np.sin(e)], -1)
    ok = (s.rng >= s.near) & (s.rng <= s.far) & (p[:, 2] >= number(s, "ground"))
    sector = ((s.az + s.offset) % 360 // 30).astype(int)
    return {"p_out": p * ok[:, None], "sector": sector, "hist": np.bincount(sector[ok], minlength=12), "valid": ok}
