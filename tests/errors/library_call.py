import warp as wp


@wp.kernel
def norm_of_a_scalar(a: wp.array(dtype=float), x: float):
    a[0] = 1.0
    a[1] = wp.norm_l1(x)


@wp.kernel
def norm_of_an_array(a: wp.array(dtype=float)):
    a[0] = wp.norm_huber(a, 1.0)


@wp.kernel
def wrong_count(a: wp.array(dtype=float), v: wp.vec3):
    a[0] = wp.norm_l2(v, v)
