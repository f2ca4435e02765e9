import warp as wp


@wp.kernel
def kernel(p: wp.vec2, v: wp.vec3, out: wp.array(dtype=float)):
    out[0] = wp.dot(p, v)
