"""Kernels with finite values whose gradient Warp does not define, and their defined twins: names that end in `_defined`."""

import warp as wp


@wp.kernel
def root_of_side(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Both sides of wp.where run, and the adjoint of the root that is dropped is zero times not a number."""
    i = wp.tid()
    out[i] = wp.where(a[i] > 0.6, wp.sqrt(a[i] - 0.6), 0.0)


@wp.kernel
def root_clamped_defined(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.where(a[i] > 0.6, wp.sqrt(wp.max(a[i] - 0.6, 1.0e-6)), 0.0)


@wp.kernel
def root_in_branch_defined(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if a[i] > 0.6:
        out[i] = wp.sqrt(a[i] - 0.6)
    else:
        out[i] = 0.0


@wp.kernel
def power_of_side(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.where(a[i] > 0.6, wp.pow(a[i] - 0.6, 0.5), a[i])


@wp.kernel
def logarithm_of_side_defined(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """The adjoint of a logarithm divides by the argument alone, which is not zero."""
    i = wp.tid()
    out[i] = wp.where(a[i] > 0.6, wp.log(a[i] - 0.6), 0.0)


@wp.kernel
def quotient_of_side(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """The place is the quotient, not the line in which its statement begins."""
    i = wp.tid()
    rest = wp.max(a[i] - 0.6, 0.0)
    out[i] = wp.where(
        rest > 0.0,
        a[i] / rest,
        0.0,
    )


@wp.kernel
def divisor_chosen_defined(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    rest = wp.max(a[i] - 0.6, 0.0)
    out[i] = a[i] / wp.where(rest > 0.0, rest, 1.0)


@wp.kernel
def root_compared(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Not a number is not larger than anything: the branch is not taken, but the root has an adjoint."""
    i = wp.tid()
    root = wp.sqrt(a[i] - 0.6)
    if root > 0.1:
        out[i] = root
    else:
        out[i] = 0.0


@wp.kernel
def own_distance(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    """The distance of an element to itself is zero on all inputs, and the adjoint of its root infinite."""
    i = wp.tid()
    total = float(0.0)
    for j in range(4):
        r = x[i] - x[j]
        total += wp.sqrt(wp.dot(r, r))
    out[i] = total


@wp.kernel
def own_length_defined(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    total = float(0.0)
    for j in range(4):
        total += wp.length(x[i] - x[j])
    out[i] = total


@wp.kernel
def own_direction_defined(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    out[i] = wp.normalize(x[i] - x[0])


@wp.kernel
def root_of_first_thread(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.sqrt(float(i) * a[i])


@wp.kernel
def angle_beyond_one_defined(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.acos(a[i] * 2.0)
