"""Kernels that some version of Warp builds and weft does not: their refusal must not say that the source is wrong."""

from typing import Any

import warp as wp
import warp.examples


@wp.func
def first(x: float):
    return x * 2.0


@wp.func
def second(x: float):
    return x + 1.0


@wp.kernel
def functions_in_a_tuple(out: wp.array(dtype=float)):
    f, g = first, second
    out[0] = f(out[0]) + g(out[1])


@wp.func
def applied(operation: wp.Function, a: float, b: float):
    return operation(a, b)


@wp.kernel
def builtin_as_argument(out: wp.array(dtype=float)):
    out[0] = applied(wp.add, out[0], out[1])


@wp.func
def total(values: tuple[int, ...]):
    result = int(0)
    for i in range(len(values)):
        result += values[i]
    return result


@wp.kernel
def tuple_of_any_length(out: wp.array(dtype=int)):
    one = (1,)
    out[0] = total(one)


@wp.func
def sum_of_any(values: Any):
    result = int(0)
    for i in range(len(values)):
        result += values[i]
    return result


@wp.kernel
def tuple_as_any(out: wp.array(dtype=int)):
    one = (1,)
    out[0] = sum_of_any(one)


@wp.kernel
def part_of_warp(out: wp.array(dtype=int)):
    out[0] = wp.examples.COUNT


wp.examples.COUNT = 3
