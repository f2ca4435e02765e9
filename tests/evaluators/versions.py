"""What versions of Warp compute differently, forward or backward. A kernel that is refused, or
not defined, before some version says so."""
# check: --range=-3,3

import warp as wp


@wp.struct
class Body:
    position: wp.vec3
    turn: wp.quat
    mass: float


@wp.struct
class Group:
    bodies: wp.array(dtype=Body)
    points: wp.array(dtype=wp.vec3)


@wp.struct
class Row:
    cells: wp.array(dtype=wp.vec2)


# ---- integers ----


@wp.kernel
def floor_division(a: wp.array(dtype=int), b: wp.array(dtype=wp.int64), c: wp.array(dtype=wp.int8), out: wp.array(dtype=wp.int64)):
    i = wp.tid()
    by = a[i] % 3 + 4
    d = a[i] // by + a[i] // -by + (0 - a[i]) // by
    e = b[i] // wp.int64(3) + b[i] // wp.int64(-2)
    f = c[i] // wp.int8(-4)
    out[i] = wp.int64(d) + e * wp.int64(100) + wp.int64(f) * wp.int64(10000)


@wp.kernel
def floor_division_of_unsigned(a: wp.array(dtype=wp.uint32), out: wp.array(dtype=wp.uint32)):
    i = wp.tid()
    out[i] = (a[i] - wp.uint32(7)) // wp.uint32(3)


# since 1.19
@wp.kernel
def bits(a: wp.array(dtype=int), b: wp.array(dtype=wp.int8), c: wp.array(dtype=wp.uint64), out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.bit_count(a[i]) + 100 * wp.bit_count(b[i]) + 10000 * wp.bit_count(c[i] - wp.uint64(3))


@wp.kernel
def many_arrivals(seed: int, out: wp.array(dtype=wp.uint32)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    for _ in range(300):
        out[i] = out[i] ^ wp.poisson(state, 11.0) * wp.uint32(7)


# ---- loops ----


@wp.kernel
def empty_stepped_range(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(n, n - 3, 5):
        s += x[i] * 2.0
    for k in range(3, 3 + n % 2 - 1, 4):
        s += x[i] * x[i]
    for k in range(n % 2 - 2, 1, -3):
        s += x[i] * 5.0
    out[i] = s + x[i]


@wp.kernel
def counted(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(0, 40, 3):
        s += x[i] * float(k)
    for k in range(50, 8, -1):
        s += wp.sin(x[i] + float(k))
    for k in range(20):
        for m in range(18):
            s += x[i] * float(k - m)
    out[i] = s


@wp.kernel
def counted_and_carried(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = x[i] * 0.125
    for k in range(0, 33, 2):
        s = s * s * 0.25 + x[i] * 0.125
    out[i] = s


@wp.kernel
def short_continue(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(4):
        if x[i] > float(k) - 1.5:
            s += x[i] * x[i]
            continue
        s += 3.0 * x[i]
    out[i] = s


@wp.kernel
def sibling_loops(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for k in range(4 + n % 2):
        t = float(0.0)
        for m in range(3 + n % 2):
            u = x[i] * float(m)
            t += u
        for m in range(2 + n % 2):
            u = x[i] * x[i]
            t += u
        s += t
    out[i] = s


# ---- parts of array elements ----


@wp.kernel
def parts_stored(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), q: wp.array(dtype=wp.quat), t: wp.array(dtype=wp.transform), m: wp.array(dtype=wp.mat22)):
    i = wp.tid()
    v[i].y = x[i]
    v[i][2] = x[i] * x[i]
    q[i][3] = x[i] * 2.0
    q[i].x = x[i]
    t[i].p = wp.vec3(x[i], 1.0, x[i])
    m[i][0, 1] = x[i] * 3.0


@wp.kernel
def parts_added(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), m: wp.array(dtype=wp.mat22), out: wp.array(dtype=float)):
    i = wp.tid()
    v[i].y += x[i] * x[i]
    v[i][0] -= x[i]
    m[i][1, 0] += 2.0 * x[i]
    out[i] = v[i].y * m[i][1, 0]


# since 1.18
@wp.kernel
def parts_added_in_loop(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    for k in range(3):
        v[i][k] += x[i] * float(k)
        v[0].x += x[i]


# since 1.18
@wp.kernel
def parts_from_the_end(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec4), m: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    v[i][-1] = x[i] * x[i]
    v[i][-2] += x[i]
    m[i][-1, -2] = 2.0 * x[i]


# since 1.18
@wp.kernel
def rows_of_matrices(x: wp.array(dtype=wp.vec2), m: wp.array(dtype=wp.mat22)):
    i = wp.tid()
    m[i][0] += x[i] * 2.0
    m[i][1] = wp.cw_mul(x[i], x[i])


@wp.kernel
def fields_of_elements(x: wp.array(dtype=float), bodies: wp.array(dtype=Body)):
    i = wp.tid()
    bodies[i].mass = x[i] * x[i]
    bodies[i].position.y = x[i]
    bodies[i].position += wp.vec3(x[i], x[i], 1.0)
    bodies[i].turn[1] -= x[i]


@wp.kernel
def parts_behind_structs(x: wp.array(dtype=float), group: Group):
    i = wp.tid()
    group.points[i].z = x[i] * x[i]
    group.points[i].x += x[i]
    group.bodies[i].position.x -= 2.0 * x[i]
    group.bodies[i].mass = x[i]


@wp.kernel
def parts_of_views(x: wp.array(dtype=float), v: wp.array2d(dtype=wp.vec3)):
    i = wp.tid()
    row = v[i]
    row[1].y = x[i] * x[i]
    row[0].z += x[i]


# since 1.18
@wp.kernel
def parts_of_slices(x: wp.array(dtype=float), v: wp.array2d(dtype=wp.vec3)):
    i = wp.tid()
    column = v[0:6, 1]
    column[i % 3].y += x[i]


@wp.kernel
def integer_parts(a: wp.array(dtype=wp.vec2i), b: wp.array(dtype=wp.vec2ub), n: wp.array(dtype=int)):
    i = wp.tid()
    a[i].x &= n[i]
    a[i].y |= n[i] + 5
    a[i].x ^= 3
    a[i].y *= 2
    b[i].x += wp.uint8(250)


@wp.func
def lower(bodies: wp.array(dtype=Body), i: int, by: float):
    bodies[i].position.z -= by
    return by * by


@wp.kernel
def parts_in_functions(x: wp.array(dtype=float), bodies: wp.array(dtype=Body), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = lower(bodies, i, x[i] * 2.0)


# ---- choices, rows, transforms ----


@wp.kernel
def bare_choice(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] if x[i] > 0.0 else y[i]


@wp.kernel
def rows_from_the_end(m: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = m[i]
    out[i] = a[-1] + a[0] * 2.0


# since 1.17
@wp.kernel
def transform_from_one(x: wp.array(dtype=float), out: wp.array(dtype=wp.transform)):
    i = wp.tid()
    t = wp.transform(x[i] * x[i])
    out[i] = wp.transform(t)


@wp.kernel
def transform_from_the_end(t: wp.array(dtype=wp.transform), out: wp.array(dtype=float)):
    i = wp.tid()
    a = t[i]
    out[i] = a[-1] * a[2] + a[5]


# ---- eigenvalues ----


@wp.kernel
def eigenvalues(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = x[i]
    m = wp.matrix_from_rows(wp.vec3(v[0] + 9.0, v[1], v[2]), wp.vec3(v[1], 1.0, v[0]), wp.vec3(v[2], v[0], -7.0))
    q, d = wp.eig3(m)
    out[i] = d


@wp.kernel
def equal_eigenvalues(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    q, d = wp.eig3(wp.diag(wp.vec3(x[i], x[i], 2.0 * x[i])))
    out[i] = d[0] * d[1] * d[2]
