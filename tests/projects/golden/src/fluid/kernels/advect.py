from __future__ import annotations

from typing import TYPE_CHECKING

import warp as wp

import fluid.core.math as fmath
from fluid.core.constants import GRAVITY, STENCIL, UP
from ..core import flags, types
from ..core.types import Cell

if TYPE_CHECKING:
    from .project import Solver


@wp.func
def wrap(i: int, n: int):
    return wp.min(wp.max(i, 0), n - 1)


@wp.kernel
def advect(cells: wp.array(dtype=Cell), dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    c = cells[i]
    if c.kind == types.WATER:
        v = c.velocity - UP * (GRAVITY * dt)
        out[i] = fmath.blend(c.pressure, wp.length(v), dt)
    elif c.kind == flags.Kind.WALL:
        out[i] = 0.0


@wp.kernel
def gather(q: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(STENCIL):
        s += q[wrap(i + k, q.shape[0])] + q[fmath.wrap(i - k, q.shape[0])]
    out[i] = s


def launch(solver: Solver):
    return solver
