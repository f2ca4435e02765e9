import warp as wp


@wp.kernel
def random_kernel(
    order: wp.array(dtype=int),
    p: wp.array2d(dtype=wp.vec3),
    d: wp.array(dtype=wp.vec3),
    h: float,
    energy_total: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    target_id = order[i]
    v = p[i, target_id]
    q = d[target_id] * h
    wp.atomic_add(energy_total, 0, q + v)


@wp.kernel
def random_kernel_2(
    v: wp.array(dtype=wp.float32),
    u: wp.array(dtype=wp.float32),
    b: wp.array(dtype=wp.mat44f),
    results: wp.array(dtype=wp.float32),
):
    idx = wp.tid()
    h = u[idx]
    r = v[idx] * h * 0.3
    g_2 = wp.determinant(b[idx])
    results[idx] = g_2 - r


@wp.kernel
def random_kernel_3(r: wp.array2d(dtype=float), energy_total: wp.array(dtype=float)):
    row, col = wp.tid()
    part = r[row, col]
    amount = wp.sqrt(wp.abs(part) + 0.1)
    wp.atomic_add(energy_total, 0, amount + part)


@wp.kernel
def random_kernel_4(term: wp.array(dtype=wp.float32), sum_out: wp.array(dtype=wp.float32)):
    pid = wp.tid()
    amount = term[pid]
    wp.atomic_add(sum_out, 0, amount)


@wp.kernel
def random_kernel_5(
    num_items: int,
    d: wp.array1d(dtype=wp.vec3),
    out: wp.array1d(dtype=float),
):
    tid = wp.tid()
    if tid >= num_items:
        return
    q = d[tid]
    v = -wp.length_sq(q)
    out[tid] = v


@wp.kernel
def random_kernel_6(total_count: int, i0: wp.array2d(dtype=int), result: wp.array(dtype=int)):
    pid = wp.tid()
    if pid >= total_count:
        return
    n = i0[pid, 1]
    result[pid] = n


@wp.kernel
def random_kernel_7(
    num_items: int,
    x: float,
    results: wp.array1d(dtype=float),
):
    i = wp.tid()
    if i >= num_items:
        return
    results[i] = wp.asin(wp.clamp(x, -0.95, 0.95))


@wp.kernel
def random_kernel_8(
    vec: wp.array2d[wp.vec3],
    d_field: wp.array2d[float],
    outputs: wp.array2d[float],
    n: wp.vec3,
):
    ix, iy = wp.tid()
    d = vec[ix, iy]
    k = wp.dot(n, d) * (d[2] - d_field[ix, iy])
    outputs[ix, iy] = k


@wp.kernel
def random_kernel_9(
    value: wp.array2d(dtype=float),
    u: wp.array(dtype=float),
    vec_data: wp.array(dtype=wp.vec2),
    v: wp.array(dtype=wp.vec2),
    x: float,
    out: wp.array(dtype=float),
):
    tid = wp.tid()
    b = value[tid, 2] + u[tid]
    if x * x >= 0.5:
        vec = v[tid]
        b = wp.dot(vec, vec_data[tid])
    r = wp.cosh(wp.clamp(b, -1.2, 1.2)) - wp.exp(x)
    amount = u[tid]
    r = -r
    w = amount * ((r - amount) * (amount * value[tid, 0]))
    out[tid] = w


@wp.kernel
def random_kernel_10(gs: wp.array[wp.float32], results: wp.array[wp.float32]):
    gid = wp.tid()
    t = gs[gid]
    y = t * 0.88 + wp.sqrt(t)
    results[gid] = y
