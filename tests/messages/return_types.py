import warp as wp


@wp.func
def sign(x: float):
    if x < 0.0:
        return -1
    return 1.0


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = sign(x)
