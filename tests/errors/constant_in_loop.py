import warp as wp


@wp.kernel
def sum_of_squares(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    total = 0.0
    for k in range(n):
        total += x[k] * x[k]
    out[wp.tid()] = total
