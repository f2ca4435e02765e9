from typing import Any

import warp as wp
from somewhere import traced


@wp.kernel
def generic(x: wp.array(dtype=Any)):
    x[0] = x[1]


@traced
@wp.kernel
def decorated(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel
def twice(x: wp.array(dtype=float)):
    x[0] = 1.0


@wp.kernel
def twice(x: wp.array(dtype=float)):
    x[0] = 2.0


def body(x: wp.array(dtype=float)):
    x[0] = 3.0


wp.kernel(body)


@traced
class Decorated:
    @wp.kernel
    def inside(x: wp.array(dtype=float)):
        x[0] = 4.0


if traced:

    @wp.kernel
    def sometimes(x: wp.array(dtype=float)):
        x[0] = 5.0


for scale in traced:

    @wp.kernel
    def in_a_loop(x: wp.array(dtype=float)):
        x[0] = scale


async def later():
    @wp.kernel
    def in_a_function(x: wp.array(dtype=float)):
        x[0] = 6.0


if __name__ == "__main__":

    @wp.kernel
    def in_the_program(x: wp.array(dtype=float)):
        x[0] = 7.0
