"""A wp.static() of a loop variable makes Warp build the module before it names its kernels: parts of constants are hashed otherwise."""

import warp as wp

UP = wp.constant(wp.vec3(0.0, 1.0, 2.0))
DIMS = wp.constant(wp.vec2i(3, 40))


@wp.func
def lifted(x: float):
    return x + UP.z


@wp.kernel
def static_and_parts(a: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(DIMS.x):
        a[i] += wp.static(float(j)) * UP.y
    for j in range(DIMS.y):
        a[i] += float(j)


@wp.kernel
def parts_in_same_module(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = lifted(a[i]) * UP.x


@wp.kernel
def local_in_same_module(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    UP = a[i]
    a[i] = UP * UP.x


@wp.kernel(module="unique")
def parts_in_own_module(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = a[i] * UP.x
