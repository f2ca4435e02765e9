weft check - <<EOF
import warp as wp


@wp.kernel
def vectors(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    m = wp.mat33(x[i], 0.0, 0.0, 0.0, x[i], 0.0, 0.0, 0.0, 2.0)
    q, d = wp.eig3(m)
    out[i] = q[0, 0] + 2.0 * q[0, 1] + 3.0 * q[1, 2]


@wp.kernel
def turned(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a = wp.normalize(wp.vec3(x[i], 1.0, 0.5))
    m = wp.identity(n=3, dtype=float) + 2.0 * wp.outer(a, a)
    q, d = wp.eig3(m)
    out[i] = q[0, 0] + 2.0 * q[0, 1] + 3.0 * q[1, 2]


@wp.kernel
def values(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a = wp.normalize(wp.vec3(x[i], 1.0, 0.5))
    m = wp.identity(n=3, dtype=float) + 2.0 * wp.outer(a, a)
    q, d = wp.eig3(m)
    out[i] = d[0] + 2.0 * d[1] + 5.0 * d[2]


@wp.kernel
def all_equal(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    q, d = wp.eig3(wp.identity(n=3, dtype=float) * x[i])
    out[i] = q[0, 0] + 2.0 * q[0, 1] + 3.0 * q[1, 2]
EOF
