import warp as wp


def half(x):
    return 0.5 * x


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = half(x)
