"""Scenes of points, rays and planes, from the textbook, mostly by another way than the scene takes."""

import numpy as np
from rotations import pose_matrix, rotation_about
from textbook import hat, norm, reference


@reference
def plane_transfer(s):
    faces, n = len(s.n_in), len(s.p)
    err, mapped, fit = np.zeros(n), np.zeros((n, 2)), np.zeros(faces)
    rot = rotation_about(s.turn)
    for i, k in enumerate(s.plane.astype(int)):
        normal, d = hat(s.n_in[k]), s.d[k]
        h = rot + np.outer(s.t, normal) / d
        there = h @ [*s.p[i], 1.0]
        back = np.linalg.solve(h, [*s.s[i], 1.0])
        if there[2] < 0.2 or back[2] < 0.2:
            continue
        err[i] = norm(there[:2] / there[2] - s.s[i]) ** 2 + norm(back[:2] / back[2] - s.p[i]) ** 2
        err[i] *= s.w[i] if s.has("w") else 1.0
        mapped[i] = there[:2] / there[2]
        fit[k] += s.has("tau") and err[i] < s.tau
    return {"err": err, "mapped": mapped, "fit": fit}


@reference
def epipolar_errors(s):
    n = len(s.p)
    err, line, good, total = np.zeros(n), np.zeros((n, 3)), np.zeros(n), 0.0
    for i, (a, b) in enumerate(zip(s.view_a.astype(int), s.view_b.astype(int))):
        if a == b:
            continue
        m = np.linalg.solve(pose_matrix(s.pose_c[b]), pose_matrix(s.pose_c[a]))
        x, y = np.array([*s.p[i], 1.0]), np.array([*s.s[i], 1.0])
        # the plane through both centres and a ray, as a line of the other image
        line[i] = np.cross(m[:3, 3], m[:3, :3] @ x)
        other = -m[:3, :3].T @ np.cross(m[:3, 3], y)
        off, la, lb = abs(y @ line[i]), norm(other[:2]), norm(line[i][:2])
        err[i] = off / np.hypot(la, lb) if s.choice("kind") == 0 else (off / la + off / lb) / 2
        good[i] = s.has("tau") and err[i] < s.tau
        capped = s.has("huber") and err[i] > s.huber
        total += s.huber * (2 * err[i] - s.huber) if capped else err[i] ** 2
    return {"err": err, "line": line, "good": good, "total": [total]}


@reference
def meet_rays(s):
    n = len(s.start) - 1
    x, rms, used = np.zeros((n, 3)), np.zeros(n), np.diff(s.start)
    pulled = s.has("prior") and s.has("lam")
    for i in range(n):
        rows = range(int(s.start[i]), int(s.start[i + 1]))
        if len(rows) < 2:
            continue
        # each ray as three equations of least squares
        left, right = [], []
        for k in rows:
            u, root = hat(s.ray_dir[k]), np.sqrt(s.w[k]) if s.has("w") else 1.0
            across = (np.eye(3) - np.outer(u, u)) * root
            left.append(across)
            right.append(across @ s.eye[int(s.view[k])])
        if pulled:
            left.append(np.eye(3) * np.sqrt(s.lam))
            right.append(s.prior[i] * np.sqrt(s.lam))
        left, right = np.vstack(left), np.concatenate(right)
        if np.linalg.det(left.T @ left) < 1e-3:
            continue
        x[i] = np.linalg.lstsq(left, right, rcond=None)[0]
        gaps = [norm(np.cross(x[i] - s.eye[int(s.view[k])], hat(s.ray_dir[k]))) for k in rows]
        rms[i] = np.sqrt(np.mean(np.square(gaps)))
    return {"x": x, "rms": rms, "used": used}


@reference
def mirror_fold(s):
    out, flips = [], []
    for p in s.x:
        p, total = p * (s.scale if s.has("scale") else 1.0), 0
        for _ in range(int(s.choice("turns"))):
            before = total
            for k, n in enumerate(map(hat, s.normal_in)):
                foot = s.at[k] if s.has("at") else np.zeros(3)
                if (p - foot) @ n < 0:
                    p, total = foot + (np.eye(3) - 2 * np.outer(n, n)) @ (p - foot), total + 1
            if total == before:
                break
        out.append(p)
        flips.append(total)
    return {"x_out": out, "flips": flips, "hand": [1 - 2 * (f % 2) for f in flips]}


@reference
def locate_in_tets(s):
    n = len(s.p)
    v, cell, tested = np.zeros((n, 3)), np.full(n, -1), np.zeros(n)
    for i, p in enumerate(s.p):
        for t, c in enumerate(s.corners.astype(int)):
            m = np.vstack([s.x[c].T, np.ones(4)])
            if abs(np.linalg.det(m)) < 0.05:
                continue
            tested[i] += 1
            w = np.linalg.solve(m, [*p, 1.0])
            if w.min() >= -s.tol:
                v[i], cell[i] = w @ s.v[c], t
                break
        if cell[i] < 0 and s.has("far"):
            away = np.linalg.norm(s.x - p, axis=1)
            if away.min() < s.far:
                v[i] = s.v[np.argmin(away)]
    return {"v_out": v, "cell_out": cell, "tested": tested}


@reference
def associate_tracks(s):
    n = len(s.z)
    track, score, hits = np.full(n, -1), np.zeros(n), np.zeros(len(s.x))
    at = s.x + s.v * s.dt if s.has("v") and s.has("dt") else s.x
    for i, z in enumerate(s.z):
        best = 100.0
        for k in range(len(s.x)):
            if s.has("live") and s.live[k] == 0:
                continue
            cov = s.root[k] @ s.root[k].T + s.r * np.eye(3)
            d2 = (z - at[k]) @ np.linalg.solve(cov, z - at[k])
            cost = d2 + (np.linalg.slogdet(cov)[1] if s.choice("ml") == 1 else 0.0)
            if d2 <= s.gate and cost < best:
                best, track[i], score[i] = cost, k, cost
        if track[i] >= 0:
            hits[track[i]] += 1
    return {"track": track, "score": score, "hits": hits}


@reference
def oblate_orbits(s):
    x, v, n = np.array(s.x), np.array(s.v), len(s.x)
    down, height, energy = np.zeros(n), np.zeros(n), np.zeros(n)

    def potential(p):
        r = np.sqrt(p @ p)
        return -s.mu / r * (1 - s.j2 * (s.re / r) ** 2 * (3 * (p[2] / r) ** 2 - 1) / 2)

    def pull(p):
        # the slope of the potential, by complex steps
        return -np.array([np.imag(potential(p + 1e-30j * u)) / 1e-30 for u in np.eye(3)])

    for i in range(n):
        if norm(x[i]) < s.re:
            down[i] = 1
            continue
        v[i] += pull(x[i]) * s.dt / 2
        x[i] += v[i] * s.dt
        v[i] += pull(x[i]) * s.dt / 2
        r = norm(x[i])
        if s.has("drag"):
            v[i] *= 1 - s.drag * s.dt * np.exp((s.re - r) / 0.5)
        height[i], energy[i] = r - s.re, v[i] @ v[i] / 2 - s.mu / r
    return {"x": x, "v": v, "state": down, "h_out": height, "e_out": energy}


@reference
def wire_field(s):
    field, near = [], []
    for p in s.p:
        b, best = np.array(s.ext, float) if s.has("ext") else np.zeros(3), 100.0
        for a, e, amps in zip(s.start, s.end, s.amps):
            if s.has("reach") and min(norm(p - a), norm(p - e)) > s.reach:
                continue
            u = hat(e - a)
            foot = a + u * ((p - a) @ u)
            d = norm(p - foot)
            best = min(best, d)
            if d < 1e-3:
                continue
            # the angles under which the ends are seen from the foot
            cosines = (p - a) @ u / norm(p - a) - (p - e) @ u / norm(p - e)
            strength = 0.1 * amps * cosines / d
            if s.has("core") and d < s.core:
                strength *= (d / s.core) ** 2
            b = b + strength * np.cross(u, hat(p - foot))
        field.append(b)
        near.append(best)
    return {"b_out": field, "mag": np.linalg.norm(field, axis=1), "near": near}


def mirror(v):
    return np.eye(3) - 2 * np.outer(v, v) / (v @ v)


@reference
def minimal_frames(s):
    normals, sides, lengths = np.zeros(s.x.shape), np.zeros(s.x.shape), []
    for c, curve in enumerate(s.x):
        chords = np.diff(curve, axis=0)
        tangents = [hat(d) for d in chords] + [hat(chords[-1])]
        t, g = tangents[0], hat(s.ref[c])
        n = g - t * (g @ t)
        n = hat(n if norm(n) >= 0.1 else np.cross(t, [-t[1], t[2], t[0]]))
        for k, t in enumerate(tangents):
            roll = s.roll[c, k] if s.has("roll") else 0.0
            normals[c, k] = np.cos(roll) * n + np.sin(roll) * np.cross(t, n)
            sides[c, k] = np.cross(t, normals[c, k])
            if k < len(chords):
                first = mirror(chords[k])
                kink = tangents[k + 1] - first @ t
                n = (mirror(kink) if norm(kink) > 1e-9 else np.eye(3)) @ first @ n
        lengths.append(sum(map(norm, chords)))
    return {"n_out": normals, "b_out": sides, "length_out": lengths}
