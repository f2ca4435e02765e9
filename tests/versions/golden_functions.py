"""Functions: inlining, overloads, generics, custom gradients, adjoints of parts, references, options, conditional expressions."""

from typing import Any

import warp as wp


@wp.func(inline=True)
def inlined(x: float):
    return x * 2.0


@wp.func(inline=False)
def kept(x: Any):
    return x + x


@wp.func(inline=True)
def twice(x: int):
    return x * 2


@wp.func(inline=False)
def twice(x: float):
    return x * 2.0


@wp.func
def cube(x: float):
    return x * x * x


@wp.func_grad(cube)
def adj_cube(x: float, adj_ret: float):
    wp.adjoint[x] += kept_apart(x) * adj_ret


@wp.func
def kept_apart(x: float):
    return 3.0 * x * x


@wp.func
def counted(x: float, n: wp.array(dtype=int)):
    wp.atomic_add(n, 0, 1)
    return x


@wp.func_replay(counted)
def replay_counted(x: float, n: wp.array(dtype=int)):
    return kept_apart(x)


@wp.struct
class Holder:
    values: wp.array(dtype=wp.vec3)
    rows: wp.array2d(dtype=float)
    gain: float
    axis: wp.vec3


@wp.struct
class Nest:
    holder: Holder


@wp.func
def of_holder(h: Holder, i: int):
    return h.values[i].x * h.gain + h.axis.y


@wp.func_grad(of_holder)
def adj_of_holder(h: Holder, i: int, adj_ret: float):
    wp.adjoint[h.values][i].x += adj_ret * h.gain
    wp.adjoint[h.gain] += adj_ret
    wp.adjoint[h.axis].y += adj_ret
    wp.adjoint[h.axis][0] = adj_ret
    a = h.values
    wp.adjoint[a][i].y = adj_ret
    r = h.rows[i]
    wp.adjoint[r][0] += adj_ret
    rr = h.rows[0:2]
    wp.adjoint[rr[1]][0] += adj_ret


@wp.func
def of_nest(n: Nest, i: int):
    return n.holder.values[i].x


@wp.func_grad(of_nest)
def adj_of_nest(n: Nest, i: int, adj_ret: float):
    wp.adjoint[n.holder.values][i] += wp.vec3(adj_ret)
    wp.adjoint[n.holder.gain] = adj_ret


@wp.kernel
def inline_everywhere(x: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    x[i] = inlined(x[i]) + kept(x[i]) + twice(x[i])
    n[i] = kept(n[i]) + twice(n[i])


@wp.kernel
def custom_gradient_calls(x: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    x[i] = cube(x[i]) + counted(x[i], n)


@wp.kernel
def adjoints_of_fields(h: Holder, x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = of_holder(h, i)


@wp.kernel
def adjoints_of_nested_fields(n: Nest, x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = of_nest(n, i)


@wp.kernel(enable_backward=False)
def forward_only_calls(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = cube(x[i]) + inlined(kept_apart(x[i]))


@wp.kernel
def conditional_arms(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), h: Holder, n: int):
    i = wp.tid()
    a = x[i] if n > 0 else 0.0
    b = v[i].x if x[i] > 0.0 else x[i + 1]
    c = h.gain if n > 1 else x[i]
    d = v[i] if a > b else h.axis
    e = x[i] if n > 2 else (x[i + 1] if n > 3 else x[i + 2])
    x[i] = a + b + c + d.x + e
    x[i + 1] = 1.0 if n > 4 else 2.0


@wp.kernel
def conditional_indices(x: wp.array(dtype=float), o: wp.array(dtype=int), n: int):
    i = wp.tid()
    j = o[i] if n > 0 else o[i + 1]
    x[o[i] if n > 1 else i] = x[j]
    k = 1 if wp.static(3 > 2) else o[i]
    x[k] += x[i] if True else x[j]


@wp.func
def bump(a: wp.ref[float], b: float):
    a += b
    a = a * 2.0


@wp.func
def bump_parts(v: wp.ref[wp.vec3], m: wp.ref[wp.mat22]):
    v[0] += 1.0
    v.y = 2.0
    v[1] *= 3.0
    m[0, 1] -= 1.0
    m[1] = wp.vec2(1.0, 2.0)


@wp.kernel(enable_backward=False)
def references(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), h: wp.array(dtype=Holder)):
    i = wp.tid()
    s = float(1.0)
    w = wp.vec3(1.0)
    m = wp.mat22(0.0)
    bump(s, x[i])
    bump(x[i], s)
    bump(v[i].x, s)
    bump(h[i].gain, s)
    bump_parts(w, m)
    x[i] = s + w.x + m[0, 0]


wp.get_module("quiet").options["enable_backward"] = False
wp.get_module("loud").options["max_unroll"] = 2


@wp.kernel(module="quiet")
def in_quiet_module(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = inlined(x[i])


@wp.kernel(module="loud")
def in_loud_module(x: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(3):
        x[i] += cube(x[j])


@wp.kernel(module="quiet", enable_backward=True)
def loud_in_quiet_module(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = kept_apart(x[i])


@wp.kernel
def prints(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), n: wp.array(dtype=int)):
    i = wp.tid()
    print(x[i])
    print(v[i].x)
    print(n[i])
    wp.printf("%d %f %s\n", n[i], x[i], "done")
    wp.printf("100%%\n")


@wp.kernel
def bits(a: wp.array(dtype=wp.uint8), b: wp.array(dtype=wp.int64), out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.bit_count(a[i]) + wp.bit_count(b[i]) + wp.bit_count(i)


@wp.kernel
def static_functions(x: wp.array(dtype=float)):
    i = wp.tid()
    f = wp.static(cube)
    x[i] = f(x[i]) + wp.static(wp.cos)(x[i])


@wp.kernel
def two_dimensions(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    i, j = wp.tid()
    a[i, j] = b[i]


@wp.kernel
def structs_only(h: Holder):
    i = wp.tid()
    h.values[i] = h.axis


@wp.kernel
def nothing_at_all():
    pass


@wp.kernel
def long_loop_with_grid(a: wp.array2d(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    for j in range(100):
        if b[j] > 1.0:
            break
        b[i] += a[i, j]


@wp.kernel
def thread_in_tuple(a: wp.array(dtype=float), b: wp.array(dtype=wp.vec3), c: wp.indexedarray(dtype=float), d: wp.array3d(dtype=float)):
    i = wp.tid()
    a[i] = b[i].x + c[i] + d[i, 0, 0]


@wp.func
def first_of(v: Any):
    return v[0]


@wp.func
def scaled(a: Any, b: Any):
    return a * b


@wp.kernel
def generic_parts(v: wp.array(dtype=wp.vec3), m: wp.array(dtype=wp.mat22), x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = first_of(v[i]) + first_of(first_of(m[i])) + scaled(x[i], v[i].x)
    v[i] = scaled(x[i], v[i])


@wp.kernel
def slices_of_vectors(v: wp.array(dtype=wp.types.vector(length=6, dtype=float)), m: wp.array(dtype=wp.mat33), x: wp.array(dtype=float)):
    i = wp.tid()
    w = v[i]
    a = w[1:4]
    w[0:2] = wp.vec2(x[i], a[0])
    w[::2] = a
    n = m[i]
    n[0, 1:] = wp.vec2(x[i])
    n[:, 2] = a
    r = n[1]
    x[i] = a[2] + w[-1] + r[-2] + n[-1, -1]
    v[i] = w


@wp.kernel(entry_point_abi="warp")
def usual_entry(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = 1.0
