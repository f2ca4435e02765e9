import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    weights = [0.25, 0.5, 0.25]
    a[i] = weights[0]
