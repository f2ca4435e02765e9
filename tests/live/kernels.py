"""Kernels that only a running program has: made in factories, over types, with values that no reader of one file could know."""

import enum
import functools
import types
from typing import Any, Tuple

import elsewhere
import numpy as np
import warp as wp
from elsewhere import twice

SCALE = 3.0
COUNT = wp.constant(5)
FLAG = True
INFINITE = float("inf")
SMALL = wp.float16(0.1)
WIDE = wp.uint64(2**63 + 5)
AXIS = wp.vec3(0.25, -0.0, 1e-3)
HALF = wp.vec2h(0.1, 0.7)
FRAME = wp.mat22d(1.0, 2.0, 3.0, 1.0 / 3.0)
TURN = wp.quat(0.0, 0.6, 0.0, 0.8)
PLACE = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity())
my_vec3 = wp.types.vector(length=3, dtype=wp.float32)
same_vec3 = wp.types.vector(length=3, dtype=wp.float32)
other_vec3 = wp.types.vector(3, float)
vec5 = wp.types.vector(length=5, dtype=wp.float64)
NOTHING = None


class Kind(enum.IntEnum):
    SPHERE = 3
    BOX = 4


class Bits(enum.IntFlag):
    LEFT = 1
    RIGHT = 2


WRAPPED = wp.int32(Kind.BOX)


class Settings:
    gain = 2.5

    def __init__(self, function):
        self.double = function


settings = Settings(twice)


@wp.struct
class Outer:
    inner: elsewhere.Inner
    points: wp.array(dtype=wp.vec3)
    kind: wp.int32


@wp.func
def combine(x: float, y: float):
    return twice(x) + y * SCALE


@wp.func
def square(x: Any):
    return x * x


@wp.func
def with_default(x: float, factor: float = 2.0):
    return x * factor


@wp.func
def clamped(x: float):
    return wp.clamp(x, 0.0, SCALE)


@wp.func_grad(clamped)
def adj_clamped(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret * combine(x, 1.0)


@wp.func
def counted(counters: wp.array(dtype=int), x: float):
    return x + float(wp.atomic_add(counters, 0, 1))


@wp.func_replay(counted)
def replay_counted(counters: wp.array(dtype=int), x: float):
    return x + float(counters[0])


SNIPPET = "return x * 2.0f;"


@wp.func_native(SNIPPET, "adj_x += 2.0f * adj_ret;")
def native_double(x: float) -> float: ...


@wp.kernel
def constants(x: wp.array(dtype=float), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    s = SCALE + float(COUNT) + AXIS[0] + float(SMALL) + INFINITE
    if FLAG:
        s += wp.quat_rotate(TURN, AXIS)[1] + wp.transform_point(PLACE, AXIS)[2]
    y[i] = FRAME[1, 1] + wp.float64(WIDE) + wp.float64(float(HALF[1]))
    x[i] = s


@wp.kernel
def attributes(x: wp.array(dtype=float), kinds: wp.array(dtype=int)):
    i = wp.tid()
    if kinds[i] == Kind.SPHERE or kinds[i] == int(Bits.RIGHT):
        x[i] = float(WRAPPED) + Settings.gain + settings.double(x[i]) + elsewhere.SCALE + float(wp.pi)
    x[i] = elsewhere.twice(x[i]) + twice(x[i]) + elsewhere.combine(x[i], 1.0) + combine(x[i], 2.0)


@wp.kernel
def structs(s: Outer, others: wp.array(dtype=elsewhere.Inner), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    inner = others[i]
    inner.weight = s.inner.weight * 2.0
    out[i] = inner.axes * s.points[i] * inner.weight + elsewhere.combine(s.points[i], out[i])


@wp.kernel
def functions(x: wp.array(dtype=float), counters: wp.array(dtype=int), v: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    x[i] = square(x[i]) + with_default(x[i]) + clamped(x[i]) + counted(counters, x[i]) + native_double(x[i])
    v[i] = wp.cw_mul(v[i], v[i]) * square(wp.float64(2.0))


@wp.kernel
def equal_types(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=my_vec3)):
    x[0] = wp.vec3(1.0, 2.0, 3.0)
    y[0] = my_vec3(1.0, 2.0, 3.0) + same_vec3(1.0) + other_vec3(2.0)


@wp.kernel(enable_backward=False)
def options(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


@wp.kernel
def parameter_hides_constant(SCALE: float, x: wp.array(dtype=float)):
    x[wp.tid()] = SCALE


def make_static(table, function, gain):
    values = [gain * k for k in range(4)]

    @wp.kernel
    def static(x: wp.array(dtype=float)):
        i = wp.tid()
        s = wp.static(table["two"] * sum(values))
        for k in range(3):
            s += wp.static(values[k])
        x[i] = wp.static(function)(s) + wp.static((lambda a: a / 4.0)(gain)) + gain

    return static


def make_typed(dtype, n):
    matrix = wp.types.matrix(shape=(n, n), dtype=dtype)

    @wp.func
    def trace(m: matrix):
        s = dtype(0.0)
        for k in range(n):
            s += m[k, k]
        return s

    @wp.kernel
    def typed(m: wp.array(dtype=matrix, ndim=2), out: wp.array2d(dtype=dtype)):
        i, j = wp.tid()
        out[i, j] = trace(m[i, j]) + dtype(n)

    return typed


@wp.func
def apply(f: wp.Function, x: float):
    return f(x)


def make_applied(f):
    @wp.kernel
    def applied(x: wp.array(dtype=float)):
        x[wp.tid()] = apply(f, x[wp.tid()]) + wp.grad(twice)(x[wp.tid()])

    return applied


@wp.kernel
def generic(x: wp.array(dtype=Any), y: Any):
    i = wp.tid()
    x[i] = square(x[i]) + y


@wp.func
def mul(a: elsewhere.Inner, b: elsewhere.Inner):
    return elsewhere.Inner(a.weight * b.weight, a.axes * b.axes)


@wp.kernel
def multiplied(x: wp.array(dtype=elsewhere.Inner)):
    i = wp.tid()
    x[i] = x[i] * x[i + 1]


@functools.lru_cache(None)
def loop(count):
    @wp.kernel(module="unique")
    def looped(x: wp.array(dtype=float), k: vec5):
        for i in range(count):
            x[i] = float(k[i]) + float(np.pi)

    return looped


class Incomparable:
    """What a program may hold: an object that can only be compared with its like."""

    factor = 3.0

    def __eq__(self, other):
        return self.factor == other.factor

    def __hash__(self):
        return 0


def make_with_object():
    holder = types.SimpleNamespace(part=Incomparable())

    @wp.kernel
    def with_object(x: wp.array(dtype=float)):
        x[wp.tid()] = wp.static(holder.part.factor)

    return with_object


with_object = make_with_object()


def make_late(table):
    @wp.func
    def each(x: wp.array(dtype=float)):
        for k in range(3):
            x[k] = wp.static(table[k])

    @wp.kernel(module="unique")
    def late(x: wp.array(dtype=float)):
        each(x)

    return late


late = make_late([1.0, 2.0, 4.0])
static_one = make_static(elsewhere.NUMBERS, twice, 1.5)
static_two = make_static({"two": 22}, clamped, 0.5)
typed_single = make_typed(wp.float32, 2)
typed_double = make_typed(wp.float64, 4)
applied_twice = make_applied(elsewhere.twice)
applied_square = make_applied(clamped)
looped = loop(3)
wp.overload(generic, [wp.array(dtype=wp.float32), wp.float32])
wp.overload(generic, [wp.array(dtype=wp.mat22d), wp.mat22d])


@wp.struct
class Annotated:
    corner: wp.vec3
    weight: int
    corner: wp.vec2  # noqa: F811
    last: wp.uint8
    weight: float  # noqa: F811


@wp.kernel
def annotated_again(s: Annotated, out: wp.array(dtype=float)):
    out[wp.tid()] = s.corner[1] * s.weight


ROW = wp.tile(dtype=float, shape=(8,))


@wp.func
def doubled(row: ROW):
    return row * 2.0


@wp.kernel
def tile_annotation(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    row = doubled(wp.tile_load(x, shape=8, offset=8 * i))
    wp.tile_store(y, row, offset=8 * i)


@wp.struct
class First:
    x: float


@wp.struct
class Second:
    y: float
    z: float


@wp.func
def both_structs(x: float) -> tuple[First, Second]:
    first = First()
    second = Second()
    first.x = x
    second.y = x
    return first, second


@wp.kernel
def structs_described_before(first: First, second: Second, out: wp.array(dtype=float)):
    a, b = both_structs(out[0])
    out[0] = a.x + b.y + first.x + second.z


@wp.func
def typing_pair(x: float) -> Tuple[float, float]:
    return x, x + 1.0


@wp.kernel
def pair_of_typing(out: wp.array(dtype=float)):
    a, b = typing_pair(out[0])
    out[0] = a + b


class Mode(enum.IntEnum):
    OPEN = 1
    CLOSED = 2

    @staticmethod
    @wp.func
    def is_closed(mode: int):
        return mode == Mode.CLOSED

    @staticmethod
    @wp.func
    def is_open(mode: int):
        return mode == Mode.OPEN


@wp.kernel
def functions_of_an_enum(modes: wp.array(dtype=int)):
    if Mode.is_closed(modes[0]):
        modes[0] = Mode.OPEN
    if Mode.is_open(modes[1]):
        modes[1] = Mode.max(modes[0], 2)


@wp.kernel
def comment_before_a_call(out: wp.array(dtype=float)):
    # this comment ends in a name and a dot, as if an attribute followed: out.
    out[0] = 1.0
    # so does this one: typing_pair.
    clamped(out[0])


def length(v):
    return 3


def dot(a, b):
    return 4


other_dot = dot
root = np.sqrt


class Tools:
    @staticmethod
    def cross(a, b):
        return 1


@wp.kernel
def called_by_the_names_of_builtins(v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    out[0] = length(v[0]) + other_dot(v[0], v[1]) + root(out[1])
    v[2] = Tools.cross(v[0], v[1]) + Tools.normalize(v[0])


NUMPY_EPSILON = wp.constant(wp.float32(np.finfo(np.float32).eps))
NUMPY_LARGEST = wp.float32(np.finfo(np.float32).max)
NUMPY_DOUBLE = wp.float64(np.finfo(np.float64).eps)
NUMPY_COUNT = wp.int32(np.int64(5))


@wp.kernel
def numbers_of_numpy(out: wp.array(dtype=float), wide: wp.array(dtype=wp.float64)):
    out[0] = NUMPY_EPSILON + NUMPY_LARGEST + float(NUMPY_COUNT)
    wide[0] = NUMPY_DOUBLE
