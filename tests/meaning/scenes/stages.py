"""Stages of integrators and buffers of learning environments, with whole-array numpy."""

import numpy as np
from textbook import hat, norm, reference, rotation_matrix


@reference
def ssp_stage(s):
    old, last = ((1 / 3, 2 / 3) if s.choice("stage") else (3 / 4, 1 / 4))
    new = old * s.u0 + last * (s.u1 + s.dt * s.rhs)
    free = s.wall == 0 if s.has("wall") else np.ones(new.shape, bool)
    return {"u_out": np.where(free, new, s.fill) if s.has("fill") else new, "norm": [np.sum((new - s.u0)[free] ** 2)],
            "top": [max(new[free].max(initial=0), 0)]}


@reference
def adams_bashforth(s):
    weights = [[1, 0, 0], [3 / 2, -1 / 2, 0], [23 / 12, -16 / 12, 5 / 12]][min(int(s.known), 3) - 1]
    step = weights[0] * s.f0 + weights[1] * s.f1 + weights[2] * s.f2
    free = s.held == 0 if s.has("held") else np.ones(len(step), bool)
    return {"u": s.u + s.dt * step * free, "change": s.dt * step * free, "err_out": s.dt * np.abs(step - 1.5 * s.f0 + 0.5 * s.f1) * free}


@reference
def diffuse_axes(s):
    f = s.c
    wide = np.pad(f, 1, mode="edge")
    total, flux = 0.0, []
    for axis in range(3):
        up = np.take(wide, range(2, f.shape[axis] + 2), axis)
        down = np.take(wide, range(f.shape[axis]), axis)
        cut = tuple(slice(None) if a == axis else slice(1, -1) for a in range(3))
        total = total + (up[cut] - 2 * f + down[cut]) * s.diffusivity[axis] / s.spacing[axis] ** 2
        flux.append((f - up[cut]) * s.diffusivity[axis] / s.spacing[axis])
    total = total - (s.decay * f if s.has("decay") else 0) + (s.source_rate * (s.source == 1) if s.has("source") else 0)
    return {"c_out": np.maximum(f + s.dt * total, 0), "flux": np.stack(flux, -1)}


@reference
def bin_points_box(s):
    at = np.floor((s.p - s.lower) / s.size + (0.5 if s.choice("round") else 0)).astype(int)
    ok = np.all((at >= 0) & (at < 8), 1)
    bins, mass = np.zeros((8, 8, 8)), np.zeros((8, 8, 8))
    np.add.at(bins, tuple(at[ok].T), 1)
    if s.has("m"):
        np.add.at(mass, tuple(at[ok].T), s.m[ok])
    return {"bins": bins, "mass_bins": mass if s.has("m") else None, "where_out": np.where(ok, at @ [64, 8, 1], -1), "outside": [np.sum(~ok)]}


@reference
def fill_observations(s):
    rows, near = [], 0
    for i in range(len(s.q)):
        r = rotation_matrix(hat(s.q[i]))
        to = (s.goal[i] - s.pos[i]) @ r
        joints = (s.joint[i] - s.rest) * (s.scale if s.has("scale") else 1)
        rows.append(np.concatenate([-r[2], s.v[i] @ r, s.w[i] @ r, to, joints]))
        near += norm(to) < 1
    rows = np.array(rows)
    return {"obs": np.clip(rows, -s.clip, s.clip) if s.has("clip") else rows, "near": [near]}


@reference
def episode_ends(s):
    up = np.array([rotation_matrix(hat(q))[2, 2] for q in s.q])
    fallen = (up < s.tilt_cos) | (s.pos[:, 2] < s.low)
    lost = np.any(np.abs(s.pos[:, :2]) > s.field, 1)
    late = s.steps + 1 >= s.most
    miss = np.linalg.norm(s.v - s.want_v, axis=1)
    score = 1 / (1 + miss) if s.choice("shape") else np.exp(-miss**2)
    score = score - 2.0 * fallen + 0.1 * (~fallen & ~lost)
    done = fallen | lost | late
    return {"reward": score, "done": done, "steps": np.where(done, 0, s.steps + 1), "reason": np.select([fallen, lost, late], [1, 2, 3], 0),
            "falls": [fallen.sum()], "resets": [done.sum()]}
