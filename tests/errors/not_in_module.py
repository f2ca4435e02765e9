"""Names of builtins in modules that are not Warp: a module that weft cannot see may have a function of its own of that name."""

import math

import warp as wp
from warp import types as warp_types

from . import shapes


@wp.kernel
def of_another_file(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = shapes.sin(a[i])


@wp.kernel
def not_in_math(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = math.clamp(a[i], 0.0, 1.0)


@wp.kernel
def not_among_types(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = wp.types.float32(i)


@wp.kernel
def not_among_types_by_alias(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = warp_types.sin(a[i])
