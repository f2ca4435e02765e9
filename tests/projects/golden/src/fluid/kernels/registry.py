"""Kernels that functions, caches, loops and decorators of the project make when the module is imported."""

import enum
import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

registry = {}
by_type = {wp.float32: {}, wp.float64: {}}


def register(func, suffix, *, backward=None, **others):
    key = f"{func.__name__}_{suffix}"
    if key not in registry:
        options = {} if backward is None else {"enable_backward": backward}
        registry[key] = wp.Kernel(func=func, key=key, options=options, **others)
    return registry[key]


def define(dtype, order=1):
    wptype = wp.dtype_from_numpy(np.dtype(dtype))
    tolerance = {np.float16: 1.0e-3}.get(dtype, 1.0e-6)

    def damp(x: wp.array(dtype=wptype)):
        i = wp.tid()
        x[i] = wptype(2.0) * x[i] * wptype(order) + wptype(tolerance)

    register(damp, dtype.__name__, backward=order > 1)


for dtype, order in zip([np.float32, np.float64], range(1, 3)):
    define(dtype, order)
define(np.float32, order=1)


@functools.lru_cache(maxsize=None)
def make_power(exponent: int):
    @wp.func
    def power(x: float):
        return x ** float(exponent)

    @wp.kernel(module=f"powers_{exponent}")
    def apply(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = power(x[i])

    return apply


powers = {n: make_power(n) for n in (2, 3)}
square = make_power(2)
fourth = make_power(4)


@wp.kernel
def blend(x: wp.array(dtype=Any), y: wp.array(dtype=Any), t: Any):
    i = wp.tid()
    y[i] = x[i] * t + y[i]


for (scalar, vector), use_vector in itertools.product(
    [(wp.float32, wp.vec3f), (wp.float64, wp.vec3d)], (False, True)
):
    element = vector if use_vector else scalar
    by_type[scalar][use_vector] = wp.overload(blend, [wp.array(dtype=element), wp.array(dtype=element), scalar])


def forward_only(func):
    return wp.kernel(func, enable_backward=False)


@forward_only
def clear(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = 0.0


@dataclass
class Sweep:
    steps: int = 4

    @staticmethod
    @wp.kernel
    def relax(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = x[i] * 0.5


def make_probe(size: int):
    @wp.kernel(module="unique", launch_bounds=size)
    def probe(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = x[i] + 1.0

    probe.module.options["enable_backward"] = False
    return probe


probes = [make_probe(size) for size in (64, 128)]


class Phase(enum.IntEnum):
    GAS = 0
    WATER = 1

    @staticmethod
    @wp.func
    def is_wet(phase: int):
        return phase == Phase.WATER


@wp.func
def outer(x: float):
    return x + 1.0


outer.inner = Phase.is_wet
wp.config.enable_backward = False


@wp.kernel(module="unique")
def wet(x: wp.array(dtype=float), phase: wp.array(dtype=int)):
    i = wp.tid()
    if wp.static(outer.inner)(phase[i]):
        x[i] = outer(x[i])


wp.config.enable_backward = True
