"""Kernels whose reverse pass does something that one would not guess: each must come out as in Warp itself."""
import warp as wp


@wp.struct
class Part:
    weight: float
    centre: wp.vec3


@wp.struct
class Whole:
    part: Part
    scale: float
    samples: wp.array(dtype=float)


@wp.func
def early(x: float, n: int):
    if n == 0:
        return x * x
    for k in range(n):
        if x > 1.0:
            return x * float(k)
    return wp.sin(x)


@wp.func
def pair(x: float, y: float):
    if x > y:
        return x * y, x - y
    return x + y, y * y


@wp.func
def cube(x: float):
    return x * x * x


@wp.func_grad(cube)
def adj_cube(x: float, adj_ret: float):
    wp.adjoint[x] += 100.0 * x * adj_ret


@wp.func
def two_out(x: float, y: float):
    return x * y, x + y


@wp.func_grad(two_out)
def adj_two_out(x: float, y: float, adj_a: float, adj_b: float):
    wp.adjoint[x] += 10.0 * adj_a + adj_b
    wp.adjoint[y] += x * adj_a


@wp.func
def take(counter: wp.array(dtype=int), slots: wp.array(dtype=int), i: int):
    at = wp.atomic_add(counter, 0, 1)
    slots[i] = at
    return at


@wp.func_replay(take)
def replay_take(counter: wp.array(dtype=int), slots: wp.array(dtype=int), i: int):
    return slots[i]


@wp.func
def stretch(v: wp.vec3, by: float) -> wp.vec3:
    v[1] = by * v[0]
    return v * by


@wp.func
def nested(p: Part, by: float) -> Part:
    p.centre = p.centre * by
    p.weight = p.weight + p.centre[0]
    return p


@wp.kernel
def local_matrix_of_sums(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    """The adjoint of a local array has one dimension: all columns of a row share their gradients."""
    i = wp.tid()
    t = wp.zeros(shape=(2, 3), dtype=float)
    t[0, 0] = x[i] * 2.0
    t[0, 1] = x[i + 1] * 3.0
    t[1, 2] = x[i + 2] * x[i]
    out[i] = t[0, 0] + 5.0 * t[0, 1] + t[1, 2]


@wp.kernel
def shape_then_negative(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    """Reading the shape clears the shape of the adjoint; positive indices still work."""
    i = wp.tid()
    n = x.shape[0]
    out[i] = x[n - 1 - i] * x[i] * float(n)


@wp.kernel
def struct_field_set(w: Whole, x: wp.array(dtype=float), out: wp.array(dtype=float)):
    """A field of a struct argument is set: its adjoint begins at the field's own value."""
    i = wp.tid()
    w.scale = x[i] * x[i]
    out[i] = w.scale * w.samples[i] + w.part.weight


@wp.kernel
def nested_field_set(w: Whole, x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    w.part.weight = x[i] * 3.0
    w.part.centre = wp.vec3(x[i], x[i + 1], 1.0)
    out[i] = w.part.weight * w.part.centre[1] + wp.dot(w.part.centre, wp.vec3(1.0, 2.0, 3.0))


@wp.kernel
def struct_through_function(w: Whole, x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    p = Part(x[i], wp.vec3(x[i + 1], 2.0, x[i]))
    q = nested(p, x[i + 2])
    out[i] = q.weight * q.centre[2] + p.weight


@wp.kernel
def parts_in_an_array(parts: wp.array(dtype=Part), out: wp.array(dtype=Part)):
    i = wp.tid()
    p = parts[i]
    p.weight = p.weight * p.centre[1]
    out[i] = p
    out[i + 1].centre[2] = p.weight
    out[i + 2].weight = parts[i + 1].weight * 2.0


@wp.kernel
def early_returns(x: wp.array(dtype=float), n: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] > 1.2:
        return
    out[i] = early(x[i], n[i]) * x[i + 1]


@wp.kernel
def several_results(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a, b = pair(x[i], x[i + 1])
    c, d = pair(b, a)
    out[i] = a * b + c * d


@wp.kernel
def custom_gradients(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a, b = two_out(x[i], x[i + 1])
    out[i] = cube(x[i]) + a * b


@wp.kernel
def replayed_counter(
    counter: wp.array(dtype=int), slots: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array(dtype=float)
):
    i = wp.tid()
    counter[0] = i
    k = take(counter, slots, i)
    out[k] = x[i] * x[i]


@wp.kernel
def vector_argument_changed(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    """A parameter is changed in place inside a function."""
    i = wp.tid()
    v = x[i]
    w = stretch(v, v[2])
    out[i] = w + v


@wp.kernel
def functions_in_a_product(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = cube(x[i]) * early(x[i + 1], 0)


@wp.kernel
def views_and_slices(x: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    row = x[i]
    col = x[:, 1]
    part = x[1:4, ::2]
    target = out[i]
    target[0] = row[1] * col[2]
    target[2] = part[0, 1] * part[1, 0]
    out[i, 1] = row[-1] + x[-1, -2]


@wp.kernel
def component_stores(x: wp.array(dtype=wp.vec3), m: wp.array(dtype=wp.mat22), q: wp.array(dtype=wp.quat)):
    i = wp.tid()
    x[i][1] = x[i + 1][0] * 2.0
    x[i].z = x[i + 1].y * x[i].x
    m[i][0, 1] = x[i][0]
    m[i][1, i - i] = m[i + 1][0, 0] * 3.0
    q[i].w = x[i + 1][2]


@wp.kernel
def component_sums(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    v[0] += v[1] * 2.0
    v.y -= v[2]
    v *= 2.0
    m = wp.outer(v, v)
    m[1] = v * 3.0
    m[2, 0] += v[0]
    m[0, 1] = m[1, 0]
    out[i] = wp.trace(m) + m[2, 0] + m[0, 1]


@wp.kernel
def matrix_slices(x: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    m = x[i]
    a = m[0:2, 1]
    b = m[2, 0:3]
    m[0:2, 0] = a * 2.0
    c = m[::-1, 0]
    out[i] = b + c + m[1]


@wp.kernel
def loop_of_vectors(x: wp.array(dtype=wp.vec3), n: int, out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v = wp.vec3()
    s = float(1.0)
    for k in range(n):
        v += x[k] * s
        s = s * 0.5 + x[i][0]
        if s > 2.0:
            continue
        v[0] = v[0] + 1.0
    out[i] = v


@wp.kernel
def nested_loops_with_break(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    total = float(0.0)
    for j in range(n):
        for k in range(0, n, 2):
            if x[k] > 1.0:
                break
            total += x[j] * x[k]
        if total > 3.0:
            break
        total = total * 1.1
    out[i] = total


@wp.kernel
def while_with_both(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    j = int(0)
    total = float(0.0)
    while j < 4:
        j = j + 1
        if x[j] > 1.1:
            continue
        if total > 2.0:
            break
        total = total * x[j] + x[i]
    out[i] = total


@wp.kernel
def backwards_and_empty(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for j in range(n, 0, -1):
        s = s * x[j] + 1.0
    for j in range(5, 5 + i, 3):
        s += x[j] * s
    out[i] = s


@wp.kernel
def chosen_values(x: wp.array(dtype=float), flags: wp.array(dtype=bool), out: wp.array(dtype=float)):
    i = wp.tid()
    a = x[i] if flags[i] else x[i + 1] * 2.0
    b = wp.where(x[i] > 0.8, x[i] * x[i], wp.sqrt(x[i]))
    c = wp.where(flags[i], a, b)
    if flags[i] and x[i] < 1.0 or x[i + 1] > 1.1:
        c = c * 3.0
    out[i] = c


@wp.kernel
def atomics_that_lose(x: wp.array(dtype=float), low: wp.array(dtype=float), high: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    old = wp.atomic_add(low, 0, x[i] * x[i])
    wp.atomic_sub(low, 1, old)
    wp.atomic_min(low, 2, x[i] * 0.1)
    wp.atomic_max(high, 0, wp.vec3(x[i], x[i + 1], x[i + 2]) * 1.5)
    high[1] += wp.vec3(x[i])
    high[2] -= wp.vec3(x[i], 1.0, 2.0)


@wp.kernel
def quotients(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a = x[i] % 0.3
    b = wp.mod(x[i] * 7.0, x[i + 1])
    c = x[i] // 0.25
    d = wp.frac(x[i] * 5.0)
    out[i] = a * b + c * d + a / b


@wp.kernel
def conversions(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float16), out: wp.array(dtype=float)):
    i = wp.tid()
    a = float(x[i]) * float(y[i])
    b = wp.float16(a) * y[i + 1]
    c = wp.float64(b) + x[i + 1] * wp.float64(0.1)
    v = wp.vec3d(wp.vec3(a, float(c), 2.0))
    out[i] = float(v[0] * v[1]) + float(int(a * 100.0))


@wp.kernel
def gradients_inside(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    g, h = wp.grad(pair_sum)(x[i], x[i + 1])
    out[i] = g * h


@wp.func
def pair_sum(x: float, y: float):
    return x * x * y + wp.sin(y)


@wp.kernel
def closest_points_of_edges(p: wp.array2d(dtype=wp.vec3), shortest: wp.array(dtype=float), out: wp.array2d(dtype=wp.vec3)):
    i, j = wp.tid()
    # shortest edges of all lengths: points, too
    out[i, j] = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[j, 2], p[j, 3], shortest[i] - 0.5)


@wp.kernel
def closest_points_of_far_edges(p: wp.array2d(dtype=wp.vec3), out: wp.array2d(dtype=wp.vec3)):
    i, j = wp.tid()
    away = p[i, 4] * 2.0
    out[i, j] = wp.closest_point_edge_edge(p[i, 0], p[i, 1], p[j, 2] + away, p[j, 3] + away, 1.0e-6)


@wp.kernel
def triangles_that_meet(p: wp.array2d(dtype=wp.vec3), out: wp.array2d(dtype=int)):
    i, j = wp.tid()
    in_space = wp.intersect_tri_tri(p[i, 0], p[i, 1], p[i, 2], p[j, 3], p[j, 4], p[j, 5])
    flat = wp.vec3(1.0, 1.0, 0.0)
    in_plane = wp.intersect_tri_tri(
        wp.cw_mul(p[i, 0], flat),
        wp.cw_mul(p[i, 1], flat),
        wp.cw_mul(p[i, 2], flat),
        wp.cw_mul(p[j, 3], flat),
        wp.cw_mul(p[j, 4], flat),
        wp.cw_mul(p[j, 5], flat),
    )
    touching = wp.intersect_tri_tri(p[i, 0], p[i, 1], p[i, 2], p[i, 0], p[j, 1], p[j, 2])
    out[i, j] = in_space + 2 * in_plane + 4 * touching
