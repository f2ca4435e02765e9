import warp as wp


@wp.kernel
def kernel(a: [float]):
    a[wp.tid()] = 1.0
