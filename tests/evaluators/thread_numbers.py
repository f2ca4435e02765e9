"""wp.tid() as one number, and as fewer numbers than the launch has dimensions: the first coordinates."""

import warp as wp


@wp.kernel
def two(seed: int, out: wp.array2d(dtype=float), flat: wp.array2d(dtype=int)):
    i, j = wp.tid()
    t = wp.tid()
    state = wp.rand_init(seed, wp.tid())
    out[i, j] = wp.randf(state)
    flat[i, j] = t

@wp.kernel
def four(seed: int, out: wp.array4d(dtype=float), flat: wp.array4d(dtype=int)):
    i, j, k, l = wp.tid()
    t = wp.tid()
    state = wp.rand_init(seed, wp.tid())
    out[i, j, k, l] = wp.randf(state)
    flat[i, j, k, l] = t

@wp.kernel
def three(seed: int, out: wp.array3d(dtype=float), flat: wp.array3d(dtype=int)):
    i, j, k = wp.tid()
    t = wp.tid()
    a, b = wp.tid()
    out[i, j, k] = float(a)*10.0+float(b)
    flat[i, j, k] = t

@wp.kernel
def alone(seed: int, flat: wp.array(dtype=int)):
    t = wp.tid()
    flat[t] = t
