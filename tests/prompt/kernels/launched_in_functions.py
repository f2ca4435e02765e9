"""Launches in code that an import does not run."""

from typing import Any

import numpy as np

import warp as wp


@wp.kernel
def both(a: wp.array2d(dtype=Any), b: wp.array(dtype=Any), c: wp.array(dtype=float)):
    i = wp.tid()
    c[i] = float(a[i, 0]) + float(b[i][0])


class Solver:
    def run(self, m: int):
        a = wp.zeros((m, 3), dtype=wp.float64)
        b = wp.array(np.zeros((m, 3)), dtype=wp.vec3)
        wp.launch(both, m, [a, b], [wp.empty(len(b))])


@wp.kernel
def doubled(a: wp.array(dtype=Any)):
    i = wp.tid()
    a[i] = a[i] + a[i]


@wp.kernel
def unknown(a: wp.array(dtype=Any)):
    i = wp.tid()
    a[i] = a[i] + a[i]


def main(given):
    for dtype in (wp.float32, wp.int32):
        values = wp.zeros(4, dtype=dtype)
        wp.launch(kernel=doubled, dim=4, inputs=[values])
    wp.launch(unknown, dim=4, inputs=[given])


if __name__ == "__main__":
    v = wp.zeros(3, dtype=wp.vec2)
    wp.launch(kernel=doubled, dim=3, inputs=[v.grad])
