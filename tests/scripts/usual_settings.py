"""Settings that say what is usual, and Any as Warp's own module has it."""

import warp as wp
from warp._src.types import Any

wp.config.lineinfo = False
wp.config.mode = "release"


@wp.func
def squared(x: Any) -> Any:
    return x * x


@wp.kernel
def square(values: wp.array(dtype=float)):
    i = wp.tid()
    values[i] = squared(values[i])
