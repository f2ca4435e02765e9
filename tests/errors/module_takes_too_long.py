import warp as wp


@wp.kernel
def before(x: wp.array(dtype=float)):
    x[0] = 1.0


TOTAL = 0
for i in range(60000):
    for k in range(60000):
        TOTAL += 1


@wp.kernel
def after(x: wp.array(dtype=float)):
    x[0] = float(TOTAL)
