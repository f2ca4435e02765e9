import warp as wp


@wp.kernel
def kernel(m: wp.mat22, v: wp.vec3, out: wp.array(dtype=wp.vec2)):
    out[0] = m * v
