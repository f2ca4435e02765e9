import warp as wp

from inner.helper import twice
from inner import helper
import inner.helper as same


@wp.kernel
def plot(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = twice(x[i]) + helper.twice(1.0) + same.twice(2.0)
