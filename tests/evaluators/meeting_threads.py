"""Threads and lanes that store at one place on some inputs: their order decides there, and no verdict follows from it."""

import warp as wp


@wp.kernel
def scattered(count: wp.array[int], kind: wp.array2d[int], place: wp.array2d[int], force: wp.array2d[float], wanted: int, out: wp.array2d[float]):
    world, row = wp.tid()
    if row >= count[world]:
        return
    if kind[world, row] != wanted:
        return
    out[world, place[world, row]] = force[world, row]


@wp.kernel
def shared_rows(rows: wp.array[int], scale: wp.array[float], x: wp.array[float], norm: wp.array[float]):
    block, lane = wp.tid()
    partial = float(0.0)
    for k in range(lane, 8, wp.block_dim()):
        row = rows[k]
        value = scale[k] - 0.5 * x[row]
        x[row] = value
        partial += value * value
    size = wp.tile_sum(wp.tile(partial))[0]
    if lane == 0:
        norm[block] = size
    for k in range(lane, 8, wp.block_dim()):
        row = rows[k]
        x[row] = x[row] * size


@wp.kernel
def cancelled(a: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    x = a[i]
    out[i] = 1.0 + (wp.sin(x) * wp.sin(x) + wp.cos(x) * wp.cos(x)) * 3.0 + wp.exp(x) / wp.exp(x)
