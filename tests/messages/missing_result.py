import warp as wp


@wp.func
def touch(a: wp.array(dtype=float)):
    a[0] = 1.0


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = touch(a)
