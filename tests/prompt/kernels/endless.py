"""The launch is not valid, and others that might be never end."""

import warp as wp


@wp.kernel
def halve(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    r = wp.tid()
    total = float(0.0)
    for k in range(16):
        total += x[r, k]
    n = int(16)
    while n > 1:
        n = r // 2 + 2
        for k in range(n):
            total = total * 0.5 + x[r, k]
    y[r, 0] = total
