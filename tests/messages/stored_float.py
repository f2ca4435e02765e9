import warp as wp


@wp.kernel
def kernel(points: wp.array(dtype=wp.vec3)):
    points[wp.tid()] = 0.0
