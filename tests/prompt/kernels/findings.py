"""Kernels whose usual launch is not valid, each for another reason; what test_check_advice.py expects stands there."""

import warp as wp


@wp.struct
class P:
    n: int
    m: float


@wp.kernel
def neighbour(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i + 1] - x[i]


@wp.kernel
def blur(image: wp.array2d(dtype=float), out: wp.array2d(dtype=float), r: int):
    i, j = wp.tid()
    s = float(0.0)
    for a in range(-r, r + 1):
        s += image[i + a + r, j]
    out[i, j] = s


@wp.kernel
def gather(x: wp.array(dtype=float), idx: wp.array(dtype=int), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[idx[i] * 100]


@wp.kernel
def root(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.sqrt(x[i] - 1.0) + wp.log(x[i] - 1.0)


@wp.kernel
def divide(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] / float(n - n)


@wp.kernel
def race(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[0] = y[0] + x[i]


@wp.kernel
def stat(p: P, x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = wp.log(p.m - 2.0)


@wp.kernel
def long(n: int, x: wp.array(dtype=float)):
    s = float(0.0)
    k = int(0)
    while k < 5000000 * n:
        s += x[0]
        k += 1
    x[wp.tid()] = s


@wp.kernel
def both(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i + 20] + x[i + n * 1000]


@wp.kernel
def flat(x: wp.array(dtype=float), width: int, y: wp.array(dtype=float)):
    i, j = wp.tid()
    y[i * width + j] = x[i * width + j] * 2.0
