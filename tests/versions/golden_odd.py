"""Forms that meet the rules of several versions at once: closures, class constants, generics, local arrays, jumps, views."""

from typing import Any

import warp as wp

N = 3
SCALE = 2.5
M = wp.constant(wp.mat22(1.0, 2.0, 3.0, 4.0))
FLAGS = wp.constant(wp.uint32(5))


class Config:
    STEPS = 4
    UP = wp.vec3(0.0, 1.0, 0.0)

    class Inner:
        GAIN = 0.5


@wp.struct
class Body:
    pos: wp.vec3
    rot: wp.quat
    frame: wp.transform
    inertia: wp.mat33
    id: int
    alive: bool


@wp.func
def make_body(p: wp.vec3, i: int) -> Body:
    b = Body()
    b.pos = p
    b.id = i
    b.frame = wp.transform(p, wp.quat_identity())
    b.alive = i > 2
    return b


@wp.func
def many(x: float, n: int):
    if n == 0:
        return x, 1
    elif n == 1:
        return x * 2.0, 2
    return x * 3.0, 3


@wp.func
def rec_a(x: float):
    return wp.sin(x) * SCALE


@wp.func
def rec_b(x: float, k: int = 2):
    for j in range(k):
        x = rec_a(x)
    return x


def make_scaled(c):
    @wp.func
    def inner(x: float):
        return x * c

    @wp.kernel
    def scaled_kernel(a: wp.array(dtype=float)):
        i = wp.tid()
        a[i] = inner(a[i])

    return scaled_kernel


scaled_two = make_scaled(2.0)
scaled_three = make_scaled(3.0)


@wp.kernel
def class_constants(a: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    for j in range(Config.STEPS):
        a[i] += Config.Inner.GAIN
    v[i] = Config.UP * SCALE


@wp.kernel
def class_constant_parts(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = Config.UP.y + Config.UP[0]


@wp.kernel
def constant_elements(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = M[0, 1] + M[1][0] + Config.UP[1]
    if FLAGS & wp.uint32(1):
        a[i] = 0.0


@wp.kernel
def structs_everywhere(bodies: wp.array(dtype=Body), p: wp.array(dtype=wp.vec3), n: int):
    i = wp.tid()
    b = make_body(p[i], i)
    bodies[i] = b
    c = bodies[i] if n > 0 else b
    bodies[i + 1] = c
    bodies[i].pos += c.pos
    bodies[i].inertia[0] = c.pos
    bodies[i].inertia[1, 2] -= c.frame.p.x
    bodies[i].frame.q = c.rot
    bodies[i].id |= 4
    d = bodies[i]
    d.pos.x = 3.0
    bodies[i] = d


@wp.kernel
def unpacked(a: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    x, k = many(a[i], n[i])
    a[i] = x
    n[i] = k
    y, z = a[i], a[i + 1]
    w, q = many(y + z, 0)
    a[i + 1] = w
    n[i + 1] = q


@wp.kernel
def unpacked_names(a: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    x, k = many(a[i], n[i])
    y, z = x, k
    a[i] = y
    n[i] = z


@wp.kernel
def defaults_and_keywords(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = rec_b(a[i]) + rec_b(x=a[i], k=1) + rec_b(a[i], 3)


@wp.kernel
def while_and_jumps(a: wp.array(dtype=float), n: int):
    i = wp.tid()
    k = int(0)
    while True:
        k += 1
        if k > n:
            break
        if a[k] < 0.0:
            continue
        for j in range(2):
            if a[j] > a[k]:
                continue
            a[i] += 1.0
    while k > 0 and a[k] > 0.0:
        k -= 1
        for j in range(20):
            a[i] -= float(j)


@wp.kernel
def chained(a: wp.array(dtype=float), b: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    if 0.0 < a[i] < 1.0 and not (a[i] == 0.5) or b[i].x > b[i].y:
        a[i] = -a[i]
    elif a[i] >= 2.0:
        a[i] = abs(a[i]) % 3.0 // 2.0
    else:
        b[i] = -b[i]
    assert a[i] > 0.0, "positive"


@wp.kernel
def views_and_shapes(a: wp.array2d(dtype=float), o: wp.array(dtype=int)):
    i = wp.tid()
    r = a[o[i]]
    s = r.shape[0]
    c = a[:, i]
    d = a[1:3, o[i]]
    e = a[i][1:]
    r[0] = c[1] + d[0] + e[0] + float(s)
    a[o[i]][o[0]] = 2.0
    a[o[i], o[0]] += r[o[i]]
    wp.atomic_max(a, o[i], o[0], r[0])
    wp.atomic_add(a, o[i], 0, 1.0)


@wp.kernel
def integers(a: wp.array(dtype=int), b: wp.array(dtype=wp.uint8), c: wp.array(dtype=wp.int64)):
    i = wp.tid()
    a[i] = a[i] // -2 + a[i] % 3
    a[i] <<= 2
    a[i] >>= 1
    a[i] //= 2
    a[i] %= 7
    a[i] ^= a[i + 1]
    b[i] = ~b[i]
    c[i] -= wp.int64(a[i])


@wp.kernel
def generic_kernel(x: wp.array(dtype=Any), y: Any):
    i = wp.tid()
    x[i] = x[i] * y
    x[i] += y


wp.overload(generic_kernel, [wp.array(dtype=float), float])
wp.overload(generic_kernel, [wp.array(dtype=wp.float64), wp.float64])


@wp.kernel
def local_arrays(a: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.zeros(shape=(2, 3), dtype=float)
    b = wp.zeros(shape=2, dtype=Body)
    m = wp.zeros(shape=2, dtype=wp.mat22)
    for j in range(3):
        t[0, j] = a[j]
        t[1, j] += t[0, j]
    b[0].pos.x = a[i]
    b[1].frame.p = b[0].pos
    m[0][1] = wp.vec2(a[i])
    m[1][0, 0] += a[i]
    a[i] = t[1, 2] + b[1].pos.x + m[1][0, 0]


@wp.kernel
def atomics_with_results(a: wp.array(dtype=int), f: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    k = wp.atomic_add(a, 0, 1)
    o = wp.atomic_min(f, k, f[i])
    p = wp.atomic_add(v, i, v[k])
    v[k] = p * o
    wp.atomic_sub(v, k, p)


@wp.kernel(launch_bounds=(128, 2), grid_stride=False)
def launch_options(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = 1.0


@wp.kernel
def swizzles_and_lengths(v: wp.array(dtype=wp.vec4), m: wp.array(dtype=wp.mat44)):
    i = wp.tid()
    a = v[i]
    a.x = a.y
    a[3] = a[-1]
    m[i][1] = a
    a.w = m[i][2, 3]
    v[i] = a


@wp.kernel
def loop_names(a: wp.array(dtype=float), n: int):
    i = wp.tid()
    j = int(5)
    for j in range(n):
        a[i] += float(j)
    a[j] = 0.0


@wp.kernel
def ranges_of_expressions(a: wp.array(dtype=float), n: int):
    i = wp.tid()
    for j in range(2 * 3):
        a[i] += 1.0
    for j in range(N * 10, -1, -1):
        a[i] += 2.0
    for j in range(wp.static(N * 20)):
        a[i] += 3.0
    for j in range(-n, n, 2):
        a[i] += 4.0
    for j in range(len(wp.vec3())):
        a[i] += 5.0
