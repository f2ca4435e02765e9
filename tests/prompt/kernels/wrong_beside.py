import warp as wp


@wp.kernel
def wrong_beside(x: wp.array(dtype=float), y: wp.array(dtype=float), n: int):
    """The element behind the last thread's is read; and the adjoint of the squares reads what the loop left."""
    i = wp.tid()
    s = x[i]
    for k in range(n):
        s = s * s
    y[i] = s + x[i + 1]
