import warp as wp


@wp.kernel
def first(x: wp.array(dtype=float)):
    x[0] = 1.0 +

def second(:
    pass

x = "unclosed
