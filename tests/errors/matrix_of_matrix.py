import warp as wp


@wp.kernel
def copied(out: wp.array(dtype=float)):
    m = wp.types.matrix(wp.types.matrix(shape=(1, 2), dtype=float), shape=(3, 4), dtype=float)
    out[0] = m[0, 0]
