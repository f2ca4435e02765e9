@wp.kernel
def kernel(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0
