import warp as wp


WEIGHTS = [0.25, 0.5, 0.25]


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    a[i] = WEIGHTS[0]
