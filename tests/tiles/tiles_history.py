"""Tile kernels for which Warp's own text depends on what was built before in the process.

Not for the golden set: the same kernel gives different names, or different storages, the second time it is built."""
from typing import Any

import warp as wp

N = wp.constant(16)


@wp.func
def first_of(t: wp.tile[float, 16]):
    return t[0]


# the annotation's tile becomes shared in the first build; the second hashes `ts16f4`, not `tr16f4`: another name
@wp.kernel
def annotated_parameter(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    a[0] = first_of(t)


# the same function again: here already the first build has the second name's hash
@wp.kernel
def annotated_parameter_again(a: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N, offset=N)
    a[0] = first_of(t)


@wp.func
def tripled(t: wp.tile[float, 16]) -> wp.tile[float, 16]:
    return t * 3.0


# the result's variable and the annotation are one object: shared in the second build from the start
@wp.kernel
def annotated_result(a: wp.array(dtype=float)):
    u = tripled(wp.tile_load(a, shape=N))
    a[0] = u[1]


@wp.func
def element_of(t: Any, i: int):
    return t[i]


# first build: the caller's tile is the overload's tile, so it becomes shared; second build: the overload is found in
# the cache, with its own (old) tile, and the caller's stays in registers
@wp.kernel
def generic_parameter(a: wp.array(dtype=float), i: int):
    t = wp.tile_load(a, shape=N)
    a[0] = element_of(t, i)


# the overload is found by element type alone: the negative index is wrapped by 16, the first caller's length
@wp.kernel
def generic_parameter_other_shape(a: wp.array(dtype=float), i: int):
    t = wp.tile_load(a, shape=8)
    a[0] = element_of(t, i)
