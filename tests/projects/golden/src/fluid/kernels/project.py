"""Imports advect, which imports the types that this one uses: a chain, and a circle through the package."""
import warp as wp

from fluid.kernels.advect import wrap
from fluid.core import clamp_unit as saturate
from ..core.flags import Bits, Limits

try:
    from ..core.math import blend as mix
except ImportError:
    mix = None

from .. import core


class Solver:
    @wp.func
    def residual(a: float, b: float):
        return wp.abs(a - b)

    @wp.kernel
    def relax(p: wp.array(dtype=float), bits: wp.array(dtype=int), out: wp.array(dtype=float)):
        i = wp.tid()
        if (bits[i] & Bits.ACTIVE) == 0 or i > Limits.most:
            return
        out[i] = mix(p[i], p[wrap(i + 1, p.shape[0])], 0.5)


@wp.kernel
def saturation(m: wp.array(dtype=core.types.Material), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = saturate(m[i].density * m[i].viscosity) + float(Limits.least)
