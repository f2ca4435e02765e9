"""In folders of a package that have no __init__.py."""
import warp as wp

from fluid.core.math import wrap as wrap_index
from ...core import clamp_unit
from .near import wrap


@wp.kernel
def deep(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = clamp_unit(wrap(x[wrap_index(i + 1, x.shape[0])]))
