"""In a circle with body: what body defines is there only when its functions run, not while this file does."""
import warp as wp

import rigid.body
from rigid import body as _body

STIFFNESS = wp.constant(1.0e4)


@wp.func
def softness(x: float):
    return 1.0 / (1.0 + x * STIFFNESS)


@wp.kernel
def push(depth: wp.array(dtype=float), force: wp.array(dtype=float)):
    i = wp.tid()
    force[i] = wp.max(depth[i], 0.0) * STIFFNESS * softness(_body.wrap(depth[i]))
