import warp as wp


@wp.kernel
def written(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = a[-1] + a[i]


@wp.kernel
def computed(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = a[i - 1] + a[i]


@wp.kernel
def stored(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(b, i - 1, a[i])
