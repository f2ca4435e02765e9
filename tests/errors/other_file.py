import warp as wp
from helpers import smooth


@wp.kernel
def apply(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = smooth(x[i])


@wp.func
def plain(x: float):
    return x * 2.0


@wp.kernel
def fine(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = plain(x[i])
