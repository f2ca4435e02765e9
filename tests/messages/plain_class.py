import warp as wp


class Ball:
    radius: float


@wp.kernel
def kernel(b: Ball, a: wp.array(dtype=float)):
    a[0] = b.radius
