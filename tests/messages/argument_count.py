import warp as wp


@wp.func
def scaled(x: float, by: float):
    return x * by


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = scaled(x)
