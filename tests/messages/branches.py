import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    if n > 3:
        y = 1
    else:
        y = 1.0
    a[i] = y
