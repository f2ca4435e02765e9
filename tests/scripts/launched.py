"""Generic kernels that only a launch gives types."""

from typing import Any

import numpy as np

import warp as wp



@wp.kernel
def scale(values: wp.array(dtype=Any), factor: Any):
    i = wp.tid()
    values[i] = factor * values[i]


data = [1, 2, 3, 4]
n = len(data)
halves = wp.array(data, dtype=wp.float16)
floats = wp.array(data, dtype=float)
doubles = wp.array(np.array(data), dtype=wp.float64)

wp.launch(scale, dim=1, inputs=[halves, wp.float16(3)])
wp.launch(scale, dim=1, inputs=[floats, 3.0])
wp.launch(scale, 1, [doubles], [wp.float64(3)])


@wp.kernel
def sums(rows: wp.array2d(dtype=Any), points: wp.array(dtype=Any), out: wp.array(dtype=float), scale: wp.Float):
    i = wp.tid()
    out[i] = float(rows[i, 0]) + float(points[i][0]) + float(scale)


rows = wp.zeros((n, 2), dtype=wp.float64)
points = wp.array(np.zeros((n, 3)), dtype=wp.vec3d)
wp.launch(kernel=sums, dim=1, inputs=[rows, points], outputs=[wp.empty(n), 0.5])
wp.launch(kernel=sums, dim=1, inputs=[wp.zeros_like(rows), wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2), wp.zeros(n), wp.float64(1.0)])


@wp.kernel
def whole(count: Any, out: wp.array(dtype=int)):
    out[wp.tid()] = int(count)


wp.launch(whole, dim=1, inputs=[7, wp.zeros(n, dtype=int)])
wp.launch(whole, dim=1, inputs=[True, wp.zeros(n, dtype=int)])
for dtype in (wp.uint8, wp.int64):
    wp.launch(whole, dim=1, inputs=[dtype(7), wp.zeros(n, dtype=int)])
