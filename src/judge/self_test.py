"""Kernels that `weft judge --self-test` makes attacks of.

`attacked` has plain arrays. The backward kernel of `searched` is given results of the forward kernel."""

import warp as wp


@wp.kernel
def attacked(x: wp.array(dtype=float), scale: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = scale * x[i] + wp.sin(x[i])


@wp.kernel
def searched(x: wp.array(dtype=float), peaks: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_max(peaks, i % 4, x[i] * x[i])
