"""Functions that decorators of other packages take: no number of a Warp function, and no constant."""

import elsewhere
import torch
import warp as wp


@torch.compile
def f(x):
    return x


@wp.func
def f(x: float):
    return x * 2.0


@torch.library.custom_op("a::b", mutates_args=())
def op(x):
    return x


@op.register_fake
def _(x):
    return x


@wp.kernel
def outside(a: wp.array(dtype=float), n: int):
    s = f(a[0])
    for _ in range(n):
        s += 1.0
    a[wp.tid()] = s


@elsewhere.register
def g(x):
    return x


@wp.func
def g(x: float):
    return x * 2.0


@wp.kernel
def perhaps_of_warp(a: wp.array(dtype=float)):
    a[wp.tid()] = g(a[0])
