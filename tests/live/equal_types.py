"""Equal types that are several classes in Python: each counts in the hash of a kernel that makes values of them."""

import warp as wp

my_vec3 = wp.types.vector(length=3, dtype=wp.float32)
my_vec3b = wp.types.vector(length=3, dtype=float)
vec5a = wp.types.vector(length=5, dtype=float)
vec5b = wp.types.vector(length=5, dtype=wp.float32)


@wp.kernel
def equal_types(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=my_vec3)):
    x[0] = wp.vec3(1.0, 2.0, 3.0)
    y[0] = my_vec3(1.0, 2.0, 3.0)


@wp.kernel
def equal_types2(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=my_vec3)):
    x[0] = my_vec3b(1.0, 2.0, 3.0)
    y[0] = my_vec3(1.0, 2.0, 3.0)


@wp.kernel
def equal_types3(x: wp.array(dtype=vec5a), y: wp.array(dtype=vec5b)):
    x[0] = vec5a(1.0, 2.0, 3.0, 1.0, 1.0)
    y[0] = vec5b(1.0, 2.0, 3.0, 1.0, 1.0)
