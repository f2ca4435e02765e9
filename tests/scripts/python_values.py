"""Limits of NumPy, enums with properties and floats, and vectors with functions."""

from ctypes import sizeof
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

import warp as wp

EPSILON = float(np.finfo(np.float32).eps)
SMALL = wp.constant(wp.float32(np.finfo(np.float32).tiny))
WIDE = wp.constant(wp.float64(np.finfo(float).eps))
LARGEST = wp.float32(np.finfo(np.float32).max)
HALF = float(np.finfo(np.float16).min)
MOST = np.iinfo(np.int32).max
LEAST = np.iinfo(np.int8).min
LENGTHS = wp.vec2(float(np.finfo(np.float64).eps), 1.0)


@wp.kernel
def limits(values: wp.array(dtype=float), counts: wp.array(dtype=int), wide: wp.array(dtype=wp.float64)):
    i = wp.tid()
    values[i] = EPSILON + SMALL + LARGEST + HALF + LENGTHS[0] + wp.static(float(np.finfo(np.float32).max) * 0.5)
    counts[i] = MOST + LEAST
    wide[i] = WIDE


class Mode(IntEnum):
    OPEN = 2
    CLOSED = 5
    FACTOR = 3.75

    @property
    def parts(self) -> int:
        if self.value == self.OPEN:
            return 6
        return 1 + self


@wp.kernel
def modes(counts: wp.array(dtype=int)):
    i = wp.tid()
    for k in range(wp.static(Mode.OPEN.parts)):
        counts[i] += Mode.FACTOR + k
    counts[i] += wp.static(Mode.CLOSED.parts)


class Yield(wp.types.vector(length=2, dtype=wp.float32)):
    """A pair with a function."""

    @wp.func
    def from_values(a: float, b: float):
        return Yield(a, b)


@wp.kernel
def pairs(pairs: wp.array(dtype=Yield)):
    i = wp.tid()
    pairs[i] = Yield.from_values(1.0, 2.0) + pairs[i] * 2.0


class Block:
    """A type that is made of arguments: only its property is of use."""

    kind = 2

    def __init__(self, dtype, size):
        self.dtype, self.size = dtype, size

    @property
    def vector(self):
        return wp.types.vector(self.size, self.dtype)


Vec7 = Block(wp.float32, 7).vector
SIZE = Block(wp.float32, 3).size * Block(wp.int32, 1).kind


@wp.kernel
def blocks(a: wp.array(dtype=Vec7)):
    i = wp.tid()
    a[i] = a[i] * float(SIZE)


@dataclass(frozen=True)
class Bundle:
    f: Any
    scale: float = 2.0
    name: str = "bundle"

    @property
    def twice(self):
        return 2.0 * self.scale


def make_bundle(*, scale=None):
    if any(v <= 0 for v in (1, 2)) or not all([1, scale]):
        raise ValueError("scale")

    @wp.func
    def scaled(x: float):
        return x * wp.static(scale)

    return Bundle(f=scaled, scale=scale)


BUNDLE = make_bundle(scale=3.0)
scaled = BUNDLE.f
FACTOR = BUNDLE.twice + BUNDLE.scale


@wp.kernel
def bundled(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = scaled(a[i]) + FACTOR


# The option `inline` is not in all versions of Warp.
kept = wp.func(inline=False) if tuple(int(v) for v in wp.__version__.split(".")[:2]) >= (1, 18) else wp.func


@kept
def out_of_line(x: float):
    return x * 3.0


def make_stride(dtype):
    @wp.func
    def stride(n: int):
        return n * wp.static(sizeof(dtype._type_))

    return stride


stride = make_stride(wp.float64)
half_stride = make_stride(wp.float16)
TAIL = [1.0, 2.0, 3.0, 4.0][-2:][0] + (5.0, 6.0)[:1][0]


class Weight(IntEnum):
    LIGHT = 2
    HEAVY = 9

    @staticmethod
    def make_limit(factor):
        @wp.func
        def limit(x: int):
            return wp.min(x, int(Weight.HEAVY)) * factor

        return limit


limit = Weight.make_limit(3)


@wp.kernel
def versions(a: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    a[i] = out_of_line(a[i]) + TAIL
    n[i] = limit(stride(n[i]) + half_stride(i))
