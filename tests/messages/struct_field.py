import warp as wp


@wp.struct
class Ball:
    radius: float
    center: wp.vec3


@wp.kernel
def kernel(balls: wp.array(dtype=Ball), a: wp.array(dtype=float)):
    a[0] = balls[0].centre[0]
