"""Names of Warp without their module."""
import warp as wp
from warp import *

STEPS = constant(3)


@func
def half(x: float):
    return 0.5 * x


@struct
class Spring:
    rest: float
    axis: vec3f


@kernel
def star_names(a: array(dtype=float), v: vec3):
    i = wp.tid()
    a[i] = half(sin(a[i])) + dot(v, v) + float(STEPS)


@kernel(enable_backward=False)
def star_names_of_python(a: array(dtype=float), b: bool, n: int32):
    i = wp.tid()
    a[i] = max(a[i], 1.0) + abs(a[i])
    if b:
        print(n)
    for _step in range(n):
        a[i] += 1.0


@kernel
def star_types(s: Spring, a: array(dtype=mat33)):
    a[0] = mat33(1.0) * s.rest
    a[1] = diag(s.axis) * min(1.0, s.rest) * pi
