import warp as wp


@wp.struct
class Ball:
    radius: float
    center: wp.vec3


@wp.kernel
def kernel(a: wp.array(dtype=float), n: int, x: float, v: wp.vec3):
    i = wp.tid()
    b = Ball(v, x)
    a[i] = b.radius
