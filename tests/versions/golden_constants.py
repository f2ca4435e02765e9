"""Constants: their parts, structs that Python fills, what wp.static() makes of them, typed bounds of loops, Fabric arrays."""

import warp as wp

UP = wp.constant(wp.vec3(0.0, 1.0, 2.0))
FINE = wp.constant(wp.vec3d(0.25, 1.5, 2.0))
DIMS = wp.constant(wp.vec2i(3, 40))
SMALL = wp.constant(wp.vec2ub(1, 2))
FRAME = wp.constant(wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat(0.0, 0.0, 0.0, 1.0)))
G = wp.constant(wp.float64(9.81))
THREE = wp.constant(wp.int32(3))
THREE_BYTES = wp.constant(wp.uint8(3))
FORTY = wp.constant(wp.int64(40))


@wp.struct
class Inner:
    b: bool
    h: wp.float16
    d: wp.float64


@wp.struct
class Settings:
    gain: float
    count: int
    axis: wp.vec3
    on: bool
    n: wp.uint8
    inner: Inner
    big: wp.int64
    m: wp.mat22h


@wp.struct
class Pipes:
    a: wp.fabricarray(dtype=float)
    b: wp.fabricarray(dtype=wp.float32)
    c: wp.indexedfabricarray(dtype=int)
    d: wp.fabricarrayarray(dtype=float)


def settings(gain, count):
    s = Settings()
    s.gain = gain
    s.count = count
    s.axis = wp.vec3(0.0, 0.1, 1.0)
    s.on = True
    s.inner.d = 0.1
    s.inner.h = 0.1
    s.big = wp.int64(7)
    return s


A = settings(1.5, 3)
B = settings(2, 40)
B.gain = 0.1
B.axis = wp.vec3(1.0)
ZERO = Settings()


@wp.func
def with_gain(g: float) -> Settings:
    s = Settings()
    s.gain = g
    return s


@wp.func
def seven():
    return wp.static(3 + 4)


@wp.func
def height(v: wp.vec3):
    return v.y * UP.y


@wp.kernel
def component(a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = UP.y * a[i]


@wp.kernel
def component_in_function(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = height(a[i])


@wp.kernel
def component_in_function_again(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a[i] = a[i] * height(a[i])


@wp.kernel
def component_of_doubles(a: wp.array(dtype=wp.float64)):
    i = wp.tid()
    a[i] = FINE.y * a[i] + wp.static(FINE.x) + wp.static(FINE[2])


@wp.kernel
def component_of_bytes(a: wp.array(dtype=wp.uint8)):
    i = wp.tid()
    a[i] = SMALL.y + wp.static(SMALL.x) + wp.static(SMALL[0])


@wp.kernel
def component_as_bound(a: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(DIMS.x):
        a[i] += float(j)
    for j in range(DIMS.y):
        a[i] += float(j)
    if DIMS.x > 2:
        a[i] = 1.0


@wp.kernel
def parts_of_frame(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = FRAME.p
    b[i] = FRAME.p.x + FRAME.q[0] + FRAME.q.w


@wp.kernel
def parts_as_arguments(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a[i] = wp.transform_point(FRAME, UP) * UP.x + wp.vec3(UP.x, UP.y, wp.sin(UP.z))


@wp.kernel
def hidden_by_local(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    UP = a[i]
    a[i] = UP * UP.x


@wp.kernel
def hidden_name_of_warp(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    pi = a[i]
    a[i] = pi * pi.x


@wp.kernel
def hidden_by_parameter(UP: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    UP[i] = UP[i] * UP[i].x


@wp.kernel
def whole_scalar(a: wp.array(dtype=wp.float64)):
    i = wp.tid()
    a[i] = a[i] * G


@wp.kernel
def component_as_whole(a: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = UP.y
    a[i] = v


@wp.kernel
def field_of_struct(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * wp.static(A).gain


@wp.kernel
def whole_struct(x: wp.array(dtype=Settings)):
    i = wp.tid()
    x[i] = wp.static(B)


@wp.kernel
def empty_struct(x: wp.array(dtype=Settings)):
    i = wp.tid()
    x[i] = wp.static(ZERO)


@wp.kernel
def struct_decides(x: wp.array(dtype=wp.float64)):
    i = wp.tid()
    s = wp.static(B)
    if s.on:
        x[i] = s.inner.d + wp.float64(s.gain)
    for j in range(s.count):
        x[i] += wp.float64(s.big)


@wp.kernel
def struct_by_function(x: wp.array(dtype=Settings), y: wp.array(dtype=int)):
    i = wp.tid()
    x[i] = wp.static(with_gain(2.5))
    y[i] = wp.static(seven() + 1) + seven()


@wp.kernel
def fields_by_static(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = wp.static(A.gain) + wp.static(B.axis.x) + wp.static(B.axis[1])


@wp.kernel
def struct_is_changed(x: wp.array(dtype=float)):
    i = wp.tid()
    s = wp.static(A)
    s.gain = 2.0
    x[i] = s.gain


@wp.kernel
def typed_bound(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(THREE):
        x[i] += float(j)
    for j in range(1, THREE):
        x[i] += float(j)


@wp.kernel
def typed_bound_and_break(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    for j in range(THREE):
        if x[j] > 1.0:
            break
        x[i] += float(j)
    for j in range(THREE, n):
        x[i] += float(j)


@wp.kernel
def bound_of_bytes(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(THREE_BYTES):
        x[i] += float(j)
    for j in range(0, FORTY, THREE_BYTES):
        x[i] += float(j)


@wp.kernel
def long_bound(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(FORTY):
        x[i] += float(j)


@wp.kernel
def fabric_parameters(a: wp.fabricarray(dtype=float), b: wp.indexedfabricarray(dtype=float), c: wp.fabricarray(dtype=wp.float32)):
    i = wp.tid()
    a[i] = a[i] * 2.0 + b[i]
    c[i] = c[i] * 2.0


@wp.kernel
def fabric_pipes(p: Pipes):
    i = wp.tid()
    p.a[i] = p.a[i] * 2.0
    p.b[i] += p.a[i]
    p.c[i] = p.c[i] * 2


@wp.kernel
def fabric_pipes_in_array(p: wp.array(dtype=Pipes), x: wp.array(dtype=float)):
    i = wp.tid()
    p[i].b[i] = x[i]
    x[i] = p[0].b[i]


@wp.kernel
def inline_slices(c: wp.array(dtype=wp.vec3), x: wp.array(dtype=float), a: int, b: int):
    i = wp.tid()
    c[a:b:2][i].x = x[i]
    c[a:b][i][1] += x[i]
    x[i] = c[a:b][1:][i].z


@wp.kernel
def brackets_of_matrices(c: wp.array2d(dtype=wp.mat22), x: wp.array(dtype=float)):
    i = wp.tid()
    c[i][0][1][1] = x[i]
    c[i, 0][1, 1] += x[i]
    c[i][0][1] = wp.vec2(1.0, 2.0)
    x[i] = c[i, :][1][0][1]
