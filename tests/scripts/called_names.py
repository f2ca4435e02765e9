"""What a kernel calls by the name of a builtin, and functions in classes."""

import math
from enum import IntEnum
from typing import Tuple

import warp as wp


def length(v):
    return 3


def dot(a, b):
    return 4


other_dot = dot
root = math.sqrt
sin = 5


class Tools:
    @staticmethod
    def cross(a, b):
        return 1


@wp.kernel
def by_the_names_of_builtins(v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    out[0] = length(v[0]) + other_dot(v[0], v[1]) + root(out[1]) + sin(out[2])
    v[2] = Tools.cross(v[0], v[1]) + Tools.normalize(v[0])


class Mode(IntEnum):
    OPEN = 1
    CLOSED = 2

    @staticmethod
    @wp.func
    def is_closed(mode: int):
        return mode == Mode.CLOSED


@wp.kernel
def functions_of_an_enum(modes: wp.array(dtype=int)):
    if Mode.is_closed(modes[0]):
        modes[0] = Mode.max(modes[1], 2)


@wp.func
def pair(x: float) -> Tuple[float, float]:
    return x, x + 1.0


other_pair = pair


@wp.kernel
def by_another_name(out: wp.array(dtype=float)):
    a, b = other_pair(out[0])
    out[0] = a + b
