import warp as wp


@wp.kernel
def random_kernel(
    amount: wp.array(dtype=float),
    a: wp.array2d(dtype=float),
    outputs: wp.array(dtype=float),
):
    t = wp.tid()
    k = amount[t]
    y = k + a[t, 3]
    outputs[t] = y


@wp.kernel
def random_kernel_2(x: wp.array(dtype=float), out: wp.array(dtype=float), value: float):
    gid = wp.tid()
    u = x[gid]
    g = u * value
    out[gid] = u + g


@wp.kernel
def random_kernel_3(h: wp.array[wp.float32], a: wp.float32, output: wp.array3d[wp.float32]):
    row, col, layer = wp.tid()
    w = h[layer]
    u = w - a
    output[row, col, layer] = w + u


@wp.kernel
def random_kernel_4(
    total_count: int,
    z: wp.array1d(dtype=float),
    p: wp.vec3,
    n: wp.array1d(dtype=wp.vec3),
    k: float,
    count: wp.array1d(dtype=int),
    x: float,
    part: float,
    y: wp.array1d(dtype=float),
    output: wp.array1d(dtype=float),
):
    tid = wp.tid()
    if tid >= total_count:
        return
    v = z[tid]
    q = n[tid]
    vec = p - q
    g = (v - 1.5) / (1.0 + wp.abs(k))
    if count[tid] < 63:
        vec = vec * 0.48
    v = -v
    amount = z[tid] - (g + vec[0])
    c = wp.max(wp.sqrt(wp.exp(v)), 0.87)
    if q[2] - x >= c:
        amount = amount * part
    value = y[tid]
    w = amount / (1.0 + wp.abs(value))
    output[tid] = value - w


@wp.kernel
def random_kernel_5(
    v: float,
    index_map: wp.array[int],
    s: wp.array[float],
    g: wp.array2d[float],
    d_field: wp.array4d[float],
    amounts: wp.array4d[float],
    energy_total: wp.array[float],
):
    ix, iy, iz, it = wp.tid()
    idx = index_map[iz]
    k = s[idx]
    d = v - 1.4
    if g[it, idx] + d < -0.95:
        d = d * 0.3
    d = d * d_field[ix, iy, iz, it]
    h = amounts[it, ix, iz, iy] * d + k
    wp.atomic_add(energy_total, 0, h)


@wp.kernel
def random_kernel_6(
    owner_ids: wp.array[int],
    r: wp.array[float],
    y: wp.array[float],
):
    idx = wp.tid()
    other = owner_ids[idx]
    k = r[other]
    v = -k
    y[idx] = v


@wp.kernel
def random_kernel_7(source_ids: wp.array[int], w: wp.array[float], result: wp.array4d[float]):
    i, j, k, l = wp.tid()
    other = source_ids[l]
    v = wp.sqrt(w[other])
    result[i, j, k, l] = v


@wp.kernel
def random_kernel_8(
    p: wp.array(dtype=wp.vec3),
    parent: wp.array(dtype=int),
    v: wp.array(dtype=float),
    out: wp.array(dtype=float, ndim=2),
):
    row, col = wp.tid()
    d = p[col]
    d += wp.normalize(d)
    idx = parent[col]
    t = v[idx]
    value = wp.lerp(t, d[1], wp.clamp(t, 0.0, 1.0))
    z = value - (value + t)
    out[row, col] = z


@wp.kernel
def random_kernel_9(
    cluster_ids: wp.array[int],
    p: wp.array[wp.quat],
    vec: wp.array3d[wp.vec3],
    total_out: wp.array[wp.vec3],
    k: float,
):
    batch, row, col, channel = wp.tid()
    owner_idx = cluster_ids[row]
    v = vec[row, channel, owner_idx]
    n = wp.quat_rotate(p[owner_idx], wp.where(k >= -1.2, v, vec[batch, channel, owner_idx])) - v
    wp.atomic_add(total_out, 0, n)


@wp.kernel
def random_kernel_10(
    a: float,
    num_items: int,
    y: wp.array[float],
    z: wp.array[float],
    outputs: wp.array[float],
):
    t = wp.tid()
    k = a * y[num_items - 1 - t]
    u = z[num_items - 1 - t]
    outputs[t] = k + u
