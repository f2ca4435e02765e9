"""Glue between kernels, and what a single thread runs."""

import numpy as np
from textbook import reference


def masked(s, mask, new, old):
    """New where the mask is set, old elsewhere; without a mask new everywhere."""
    if mask is None:
        return new
    return np.where(np.reshape(mask != 0, mask.shape + (1,) * (np.ndim(new) - np.ndim(mask))), new, old)


@reference
def copy_values(s):
    return {"dst": masked(s, s.mask, s.src, np.zeros_like(s.src))}


@reference
def gather_values(s):
    zero = np.zeros_like(s.src[0])
    if zero.shape in ((4,), (7,)):  # the identity of rotations and poses
        zero[-1] = 1
    return {"dst": masked(s, s.off, s.src[s.source], zero)}


@reference
def scatter_values(s):
    on = np.ones(len(s.target), int) if s.mask is None else s.mask != 0
    sums, counts = np.zeros_like(s.role("dst", s.args)), np.zeros(len(s.role("dst", s.args)), int)
    for i in np.flatnonzero(on):
        sums[s.target[i]] += s.src[i]
        counts[s.target[i]] += 1
    return {"dst": sums, "count": counts}


@reference
def scale_values(s):
    factor = s.factor if s.gain is None else np.reshape(s.gain, s.gain.shape + (1,) * (np.ndim(s.src) - 1))
    return {"dst": s.src * factor}


@reference
def blend_values(s):
    return {"dst": masked(s, s.mask, s.a + (s.b - s.a) * s.t, s.a)}


@reference
def step_values(s):
    return {"dst": masked(s, s.fixed_, s.x, s.x + s.rate * s.dt) if s.has("fixed_") else s.x + s.rate * s.dt}


@reference
def mark_flags(s):
    return {"flags_out": np.where(s.x > s.limit, s.flags | 4, s.flags & ~4)}


@reference
def copy_four_axes(s):
    return {"dst": masked(s, s.mask, s.src, np.zeros_like(s.src))}


@reference
def scan_offsets(s):
    return {"start": np.concatenate([[0], np.cumsum(s.n)[:-1]]), "total": [np.sum(s.n)]}


@reference
def prepare_dispatch(s):
    blocks = -(-int(s.n[0]) // 64)
    blocks = min(blocks, s.cap) if s.has("cap") else blocks
    return {"blocks": [blocks, 1, 1], "spare": [blocks * 64 - s.n[0]]}


@reference
def finish_mean(s):
    return {"mean": s.total / s.n[0]}


@reference
def sum_all(s):
    weights = np.ones(len(s.x)) if s.w is None else s.w
    total = np.tensordot(weights, s.x, 1)
    return {"total": [total], "mean_out": [total / len(s.x)]}


@reference
def check_convergence(s):
    rounds = int(s.role("it", s.args)[0]) + 1
    limit = s.tol * s.first[0] if s.has("first") else s.tol
    return {"it": [rounds], "done": [int(s.res[0] < limit or rounds >= s.most)]}
