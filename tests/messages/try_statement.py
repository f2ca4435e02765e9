import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    try:
        a[i] = 1.0
    except IndexError:
        a[0] = 1.0
