"""Derivatives of which only rounding errors are left: Warp has others than the true ones, and neither is wrong."""

import warp as wp


@wp.kernel
def nothing_left(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    s, c = wp.sin(x[i]), wp.cos(x[i])
    y[i] = s * s + c * c - 1.0


@wp.kernel
def little_left(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    a = wp.tan(0.5 * x[i])
    b = wp.sin(x[i]) / (1.0 + wp.cos(x[i]))
    y[i] = a - b
