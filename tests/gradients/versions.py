"""Patterns whose gradient depends on the version of Warp, and some that no version gets right."""
import warp as wp


@wp.kernel
def part_added(x: wp.array(dtype=wp.float64), a: wp.array(dtype=wp.vec3d)):
    """`a[i].x += …`"""
    i = wp.tid()
    a[i].x += x[i] * x[i]


@wp.kernel
def part_added_in_loop(x: wp.array(dtype=wp.float64), n: int, a: wp.array(dtype=wp.vec3d)):
    """`a[i].x += …` in a loop"""
    i = wp.tid()
    for j in range(n):
        a[i].x += x[i] * wp.float64(j + 1)


@wp.kernel
def part_scaled(x: wp.array(dtype=wp.float64), a: wp.array(dtype=wp.vec3d)):
    """`a[i].x *= s`"""
    i = wp.tid()
    a[i].x *= x[i]


@wp.kernel
def row_added(v: wp.array(dtype=wp.vec2d), m: wp.array(dtype=wp.mat22d)):
    """`m[i][0] += v`, a row of a matrix in an array"""
    i = wp.tid()
    m[i][0] += v[i] * wp.float64(2.0)


@wp.kernel
def row_stored(v: wp.array(dtype=wp.vec2d), m: wp.array(dtype=wp.mat22d)):
    """`m[i][1] = v`, a row of a matrix in an array"""
    i = wp.tid()
    m[i][1] = v[i] * wp.float64(3.0)


@wp.kernel
def short_continue(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """`continue` in a short constant range"""
    i = wp.tid()
    total = wp.float64(0.0)
    for j in range(4):
        if x[i] > wp.float64(j) * wp.float64(0.3):
            total = total + x[i] * x[i]
            continue
        total = total + wp.float64(3.0) * x[i]
    out[i] = total


@wp.kernel
def sibling_loops(x: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
    """a name assigned by two sibling loops inside a loop"""
    i = wp.tid()
    total = wp.float64(0.0)
    for j in range(n):
        for k in range(n):
            part = x[i] * wp.float64(k)
            total = total + part
        for k in range(n):
            part = x[i] * x[i]
            total = total + part
    out[i] = total


@wp.kernel
def equal_eigenvalues(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """`eig3`, only eigenvalues used, two of them equal"""
    i = wp.tid()
    q, d = wp.eig3(wp.diag(wp.vec3d(x[i], x[i], wp.float64(2.0) * x[i])))
    out[i] = d[0] * d[1] * d[2]


@wp.kernel
def row_from_the_end(m: wp.array(dtype=wp.mat22d), out: wp.array(dtype=wp.vec2d)):
    """a row of a matrix by a negative index"""
    i = wp.tid()
    a = m[i]
    out[i] = a[-1]


@wp.kernel
def long_stepped_range(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """`for j in range(0, 33, 2)` with a nonlinear carry, which versions up to 1.18 unroll"""
    i = wp.tid()
    v = x[i]
    for j in range(0, 33, 2):
        v = v * wp.float64(0.8) + v * v * wp.float64(0.3)
    out[i] = v


@wp.kernel
def short_break(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """`break` in a short constant range"""
    i = wp.tid()
    v = x[i]
    for j in range(4):
        v = v * v + x[i]
        if v > wp.float64(1.5):
            break
    out[i] = v


@wp.kernel
def return_in_loop(x: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
    """`return` in a loop"""
    i = wp.tid()
    v = x[i]
    for j in range(n + 4):
        v = v * v + x[i]
        if v > wp.float64(0.6):
            out[i] = v
            return


@wp.kernel
def modulus_by_variable(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """`mod` by a variable"""
    i = wp.tid()
    out[i] = wp.mod(x[i] + wp.float64(4.0), y[i])


@wp.kernel
def branch_not_taken(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """not a number in the branch that is not taken"""
    i = wp.tid()
    zero = x[i] - x[i]
    out[i] = wp.where(x[i] < wp.float64(100.0), x[i] * x[i], wp.sqrt(zero))


@wp.kernel
def old_value_of_atomic(x: wp.array(dtype=wp.float64), total: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """the old value of `atomic_add`"""
    i = wp.tid()
    before = wp.atomic_add(total, i, x[i])
    out[i] = before * x[i]


@wp.kernel
def row_from_itself(m: wp.array(dtype=wp.mat22d), out: wp.array(dtype=wp.mat22d)):
    """a row of a matrix set from itself"""
    i = wp.tid()
    a = m[i]
    a[0] = a[0] * wp.float64(3.0)
    out[i] = a


@wp.kernel
def element_from_itself(m: wp.array(dtype=wp.mat22d), out: wp.array(dtype=wp.mat22d)):
    """an element of a matrix set from itself"""
    i = wp.tid()
    a = m[i]
    a[0, 1] = a[0, 1] * a[1, 1]
    out[i] = a


@wp.kernel
def quaternion_from_itself(q: wp.array(dtype=wp.quatd), out: wp.array(dtype=wp.quatd)):
    """a component of a quaternion set from itself"""
    i = wp.tid()
    a = q[i]
    a[2] = a[2] * a[0]
    out[i] = a


@wp.kernel
def overwritten_after_read(x: wp.array(dtype=wp.float64), a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    """an element that is overwritten after it was read"""
    i = wp.tid()
    out[i] = a[i] * a[i]
    a[i] = x[i]
