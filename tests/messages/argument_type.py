import warp as wp


@wp.func
def half(x: float):
    return 0.5 * x


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = half(n)
