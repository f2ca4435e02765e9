import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    total = 0.0
    for k in range(n):
        total += x
    a[i] = total
