@wp.kernel
def forgotten(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0
