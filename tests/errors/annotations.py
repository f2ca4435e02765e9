import enum

import warp as wp


class Plain:
    x: float


class Side(enum.IntEnum):
    LEFT = 0


@wp.kernel
def number(a: 3):
    pass


@wp.kernel
def one_list(a: [float]):
    pass


@wp.kernel
def module(a: wp):
    pass


@wp.kernel
def plain_class(a: Plain):
    pass


@wp.kernel
def enum_class(a: Side):
    pass


@wp.kernel
def undefined(a: vec3):
    pass


@wp.kernel
def missing(a):
    pass


@wp.kernel
def union(a: int | float):
    pass


@wp.kernel
def quoted(a: "wp.array(dtype="):
    pass


@wp.kernel
def variadic(*a):
    pass


@wp.kernel(backward=True)
def wrong_option(a: float):
    pass
