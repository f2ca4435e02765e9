import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    value = x * 2.0
    a[i] = valeu
