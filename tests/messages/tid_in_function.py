import warp as wp


@wp.func
def position():
    return wp.tid()


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[position()] = x
