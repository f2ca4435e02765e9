import warp as wp


@wp.kernel
def kernel(a: wp.array(dtype=float), scale):
    a[wp.tid()] = scale
