from warp import *


@kernel
def doubled(a: array(dtype=float)):
    i = tid()
    a[i] = 2.0 * a[i]
