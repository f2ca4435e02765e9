import warp as wp


def make(scale):
    @wp.kernel
    def scaled(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = x[i] * scale

    return scaled
