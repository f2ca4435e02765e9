"""Results that only rounding decides: no evaluator is right or wrong about them."""

# not compared
import warp as wp


@wp.kernel
def direction_of_a_residual(
    matrices: wp.array(dtype=wp.mat33), loads: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)
):
    i = wp.tid()
    m = matrices[i] + wp.identity(n=3, dtype=float) * 6.0
    solution = wp.inverse(m) * loads[i]
    residual = m * solution - loads[i]
    out[i] = solution + wp.normalize(residual)


@wp.kernel
def branch_on_equal_lengths(turns: wp.array(dtype=wp.quat), v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    turned = wp.quat_rotate(wp.normalize(turns[i]), v[i])
    if wp.length(v[i]) <= wp.dot(turned, wp.normalize(turned)):
        out[i] = 1.0 + v[i][0]
    else:
        out[i] = 10.0 * v[i][1]


@wp.kernel
def well_conditioned(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] * a[i] + 1.0
