import warp as wp


@wp.func
def first(x: float):
    return x * 2.0


first.factor = 4.0


@wp.kernel
def wrapped(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = first(x[i]) * first.factor
