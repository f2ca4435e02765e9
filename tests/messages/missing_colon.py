import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float)):
    if a[0] > 1.0
        a[0] = 1.0
