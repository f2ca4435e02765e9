import warp as wp


@wp.kernel
def count_up(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    x[i] = x[i] + n


@wp.kernel
def not_a_builtin(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = wp.squareroot(x[i])
