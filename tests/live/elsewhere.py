"""What tests/live/kernels.py takes from another file: the names here mean other things than those there."""

import warp as wp

SCALE = wp.constant(7.0)
NUMBERS = {"two": 2, "three": 3}


@wp.struct
class Inner:
    weight: float
    axes: wp.mat33


@wp.func
def twice(x: float):
    return x * SCALE


@wp.func
def combine(x: float, y: float):
    return twice(x) - y


@wp.func
def combine(x: wp.vec3, y: wp.vec3):  # noqa: F811
    return wp.cross(x, y) * SCALE
