"""What the bodies of bodies.txt use; make_sources.py puts it before them."""

import enum
from typing import Any

import warp as wp

COUNT = 4
PI2 = wp.constant(6.25)
UP = wp.constant(wp.vec3(0.0, 1.0, 0.0))
NUMBERS = [1, 2, 3]
half_of_three = 1.5


class Side(enum.IntEnum):
    LEFT = 1
    RIGHT = 2


@wp.struct
class Pair:
    left: float
    right: wp.vec3


@wp.struct
class Nest:
    inner: Pair
    count: int


@wp.struct
class Holder:
    data: wp.array(dtype=float)
    count: int


@wp.func
def wrong_annotation(x: float) -> int:
    return x


@wp.func
def right_annotation(x: float) -> float:
    return x * 2.0


@wp.func
def wrong_pair(x: float) -> tuple[float, float]:
    return x, 1


@wp.func
def right_pair(x: float) -> tuple[float, int]:
    return x, 1


@wp.func
def returns_type(x: float):
    return wp.vec3


@wp.func
def returns_array(a: wp.array(dtype=float)):
    return a


@wp.func
def returns_different(x: float):
    if x > 0.5:
        return x
    return 1


@wp.func
def of_holder(h: Holder, i: int):
    return h.data[i] * h.data[h.count]


@wp.func
def last_of(a: wp.array(dtype=float), n: int):
    return a[n] + a[a.shape[0] - 1]


@wp.func
def set_first(a: wp.array(dtype=float), x: float):
    a[0] = x


@wp.func
def half(x: float):
    return 0.5 * x


@wp.func
def both(x: float):
    return x * x, wp.sin(x)


@wp.func
def blend(x: float, y: float):
    return x * y + wp.exp(x)


@wp.func
def uses_gradient(x: float):
    return wp.grad(half)(x) * wp.grad(wp.cos)(x)


@wp.func
def add_to(total: wp.ref[float], amount: float):
    total = total + amount * amount


@wp.func
def add_twice(total: wp.ref[float], amount: float):
    add_to(total, amount)
    add_to(total, 2.0 * amount)


@wp.func
def add_row(total: wp.ref[wp.vec3], amount: wp.vec3):
    total = total + amount


@wp.func
def swap(one: wp.ref[float], two: wp.ref[float]):
    kept = float(one)
    one = two
    two = kept


@wp.func
def apply(f: wp.Function, x: float):
    return f(x)


@wp.func
def with_default(a: float, b: float = 2.0):
    return a * b


@wp.func
def generic(x: Any):
    return x + x


@wp.func
def recurse(x: float):
    return recurse(x * 0.5)


@wp.func
def early(x: float):
    if x > 0.5:
        return x * x
    for k in range(3):
        if x * float(k) > 0.6:
            return x
    return -x


@wp.func
def own_gradient(x: float):
    return x * x * x


@wp.func_grad(own_gradient)
def adj_own_gradient(x: float, adj_ret: float):
    wp.adjoint[x] += 2.0 * x * adj_ret


@wp.func
def own_gradient_of_two(x: float, y: float):
    return x * y


@wp.func_grad(own_gradient_of_two)
def adj_own_gradient_of_two(x: float, y: float, adj_ret: float):
    wp.adjoint[x] += y * adj_ret
    wp.adjoint[y] += 3.0 * adj_ret


@wp.func
def own_gradient_of_both(x: float):
    return x * 2.0, x * x


@wp.func_grad(own_gradient_of_both)
def adj_own_gradient_of_both(x: float, adj_one: float, adj_two: float):
    wp.adjoint[x] += adj_one + x * adj_two


@wp.func
def own_replay(x: float, i: int, counter: wp.array(dtype=int)):
    counter[i] = i
    return x * x


@wp.func_replay(own_replay)
def replay_own_replay(x: float, i: int, counter: wp.array(dtype=int)):
    return x * x


@wp.func
def no_value(x: float):
    y = x


@wp.struct
class Empty:
    pass


@wp.struct
class Wide:
    flag: bool
    small: wp.int8
    big: wp.int64
    number: wp.float64
    pose: wp.transform
    axes: wp.mat33
    turn: wp.quat


ORDER = wp.constant(wp.vec3i(2, 0, 1))
TINY = wp.constant(wp.float16(0.1))
LONG = wp.constant(wp.int64(5000000000))
YES = wp.constant(True)
START = Pair()
START.left = 1.5
START.right = wp.vec3(1.0, 2.0, 3.0)


@wp.func
def sometimes(x: float):
    if x > 0.5:
        return x * 3.0


@wp.func
def three_for_two(x: float) -> tuple[float, float]:
    return x, x, x


@wp.func
def two_for_one(x: float) -> float:
    return x, x


@wp.func
def both_again(x: float):
    return both(x)


@wp.func
def returns_local(x: float):
    b = wp.zeros(shape=3, dtype=float)
    b[1] = x
    return b


@wp.func
def returns_local_annotated(x: float) -> wp.array(dtype=float):
    b = wp.zeros(shape=3, dtype=float)
    b[1] = x
    return b


@wp.func
def generic_default(x: Any, y: Any = 2.0):
    return x * y


@wp.func
def generic_two(x: Any, y: Any):
    return x + y


@wp.func
def pick(x: float):
    return x * 2.0


@wp.func
def pick(x: int):
    return x * 3


@wp.func
def pick(x: wp.vec3):
    return wp.length(x)


@wp.func
def own_gradient_of_function(f: wp.Function, x: float):
    return f(x)


@wp.func_grad(own_gradient_of_function)
def adj_own_gradient_of_function(f: wp.Function, x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret


@wp.func
def own_gradient_of_pair(p: Pair, k: float):
    return p.left * p.right[1] * k


@wp.func_grad(own_gradient_of_pair)
def adj_own_gradient_of_pair(p: Pair, k: float, adj_ret: float):
    wp.adjoint[p].left += p.right[1] * k * adj_ret
    wp.adjoint[p].right[1] += 2.0 * p.left * k * adj_ret
    wp.adjoint[k] += p.left * p.right[1] * adj_ret


@wp.func
def own_gradient_of_array(a: wp.array(dtype=float), i: int):
    return a[i] * a[i]


@wp.func_grad(own_gradient_of_array)
def adj_own_gradient_of_array(a: wp.array(dtype=float), i: int, adj_ret: float):
    wp.adjoint[a][i] += 3.0 * a[i] * adj_ret


@wp.func_native("""return x * y;""")
def native_product(x: float, y: float) -> float: ...


@wp.func_native("""out[i] = x * x;""", adj_snippet="""adj_x += 2.0f * x * adj_out[i];""", replay_snippet="""out[i] = x;""")
def native_square(x: float, i: int, out: wp.array(dtype=float)): ...


@wp.func_native("""return x;""")
def native_pair(x: float) -> tuple[float, float]: ...


@wp.func_native("""total += x * x;""", adj_snippet="""adj_x += 2.0f * x * adj_total;""")
def native_add(total: wp.ref[float], x: float): ...


@wp.func_native("""row += by;""", adj_snippet="""adj_by += adj_row;""")
def native_add_row(row: wp.ref[wp.vec3], by: wp.vec3): ...


@wp.func
def change_pair(p: wp.ref[Pair], x: float):
    p.left = x
    p.right[1] = x * x
    p.right.z += x


@wp.func
def change_nest(p: wp.ref[Nest], x: float):
    p.inner.left = p.inner.left * x
    p.inner.right = p.inner.right * x
    p.count += 2


@wp.func
def change_element(v: wp.ref[wp.vec3], k: int, x: float):
    v[k] = v[k] * x
    v.x += x


@wp.func
def change_matrix(m: wp.ref[wp.mat33], x: float):
    m[1, 2] = x
    m[0] = m[0] * x


@wp.func
def change_both(one: wp.ref[float], two: wp.ref[float]):
    one, two = two, one


@wp.func
def change_wrong(one: wp.ref[float], n: int):
    one = n


@wp.func
def own_gradient_of_reference(total: wp.ref[float], x: float):
    total = total * x


@wp.func_grad(own_gradient_of_reference)
def adj_own_gradient_of_reference(total: wp.ref[float], x: float):
    wp.adjoint[x] += 5.0 * wp.adjoint[total]


@wp.func
def of_grid(g: wp.array2d(dtype=float), i: int, j: int):
    return g[i, j] * g[j, i]


@wp.func
def of_wide(p: Wide):
    return float(p.big) * float(p.number) + p.axes[1, 2] * p.turn[3] + wp.transform_get_translation(p.pose)[1]


@wp.func
def counts(n: int):
    total = int(0)
    for k in range(n):
        if k == 3:
            return total
        total += k
    return total


@wp.func
def no_parameters():
    return 2.5


@wp.func
def in_loop(a: wp.array(dtype=float), n: int):
    total = float(0.0)
    for k in range(n):
        total = total + a[k] * total + a[k]
    return total


@wp.struct
class Cloud:
    points: wp.array(dtype=wp.vec3)
    grid: wp.array2d(dtype=float)
    weight: float


@wp.func
def weighted(c: Cloud, i: int):
    return wp.dot(c.points[i], c.points[0]) * c.weight + c.grid[i, 1]


@wp.func
def move_point(c: Cloud, i: int, x: float):
    c.points[i][1] = x
    c.points[i].z += x


@wp.func
def own_gradient_of_cloud(c: Cloud, i: int):
    return c.points[i][0] * c.weight


@wp.func_grad(own_gradient_of_cloud)
def adj_own_gradient_of_cloud(c: Cloud, i: int, adj_ret: float):
    wp.adjoint[c].weight += c.points[i][0] * adj_ret
    wp.adjoint[c.points][i] += wp.vec3(4.0 * adj_ret, 0.0, 0.0)


@wp.func
def own_gradient_of_row(g: wp.array2d(dtype=float), i: int):
    return g[i, 1]


@wp.func_grad(own_gradient_of_row)
def adj_own_gradient_of_row(g: wp.array2d(dtype=float), i: int, adj_ret: float):
    row = g[i]
    wp.adjoint[row][1] += 2.0 * adj_ret
    wp.adjoint[g][i, 1] += adj_ret


@wp.func
def many_results(x: float):
    return x, x * 2.0, x * 3.0, x * 4.0


@wp.func
def calls_many(x: float):
    a, b, c, d = many_results(x)
    return a * d + b * c
