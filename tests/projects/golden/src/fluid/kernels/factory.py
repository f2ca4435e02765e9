from typing import Any

import warp as wp

from ..core import constants as c


def make_scale(factor: float):
    @wp.kernel
    def scale(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * factor * c.HALF_TURN

    return scale


scale_triple = make_scale(3.0)
scales = [make_scale(float(k)) for k in (4, 5)]


@wp.kernel
def accumulate(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
    i = wp.tid()
    y[i] = y[i] + x[i]


for dtype in (wp.float32, wp.float64, wp.vec3):
    wp.overload(accumulate, [wp.array(dtype=dtype), wp.array(dtype=dtype)])
