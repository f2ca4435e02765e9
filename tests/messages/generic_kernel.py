import warp as wp


from typing import Any


@wp.kernel
def kernel(a: wp.array(dtype=Any)):
    a[0] = a[1]
