import warp as wp


@wp.func
def size(x: float) -> int:
    y = x * x
    return y


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = float(size(x))
