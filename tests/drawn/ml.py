import warp as wp


@wp.kernel
def random_kernel(
    value: wp.float64,
    term: wp.float64,
    cluster_ids: wp.array[wp.int32],
    y: wp.array[wp.float64],
    in_value: wp.array[wp.float64],
    w: wp.array[wp.float64],
    ts: wp.array2d[wp.float64],
    results: wp.array[wp.float64],
):
    gid = wp.tid()
    slot = cluster_ids[gid]
    u = y[slot]
    part = in_value[wp.max(gid - 1, 0)]
    amount = -value * (u - part)
    v = w[gid]
    s = wp.where(amount > wp.float64(-2.0), in_value[gid], v)
    u_2 = v * wp.float64(0.4)
    if value <= wp.float64(1.1) and slot != 15:
        u_2 = u_2 + wp.max(v, wp.float64(1.4))
    u_2 = u_2 * wp.float64(0.8)
    z = ts[gid, 0]
    k = wp.where(s > wp.float64(1.3), z, term)
    part_2 = wp.where(u_2 > wp.float64(3.2), wp.atan(ts[gid, 1] - k), v)
    results[gid] = part_2 + part + u


@wp.kernel
def random_kernel_2(
    u: wp.array2d(dtype=float),
    energy_total: wp.array(dtype=float),
):
    idx = wp.tid()
    acc = float(0.0)
    for k in range(3):
        b = u[idx, k] * float(k + 1)
        acc = acc + b
    wp.atomic_add(energy_total, 0, acc)


@wp.kernel
def random_kernel_3(
    vec: wp.array3d(dtype=wp.vec3),
    value: wp.array3d(dtype=float),
    a: wp.array3d(dtype=float),
    part: wp.array3d(dtype=float),
    r: float,
    count: wp.array3d(dtype=int),
    output: wp.array3d(dtype=float),
):
    ix, iy, iz = wp.tid()
    term = wp.length(vec[ix, iy, iz])
    d = term + value[ix, iy, iz]
    if a[ix, iy, iz] >= value[ix, iy, iz] and d >= 1.7:
        w = value[ix, iy, iz]
        d = d + part[ix, iy, iz] / wp.max(wp.abs(w), 0.45)
    x = d + 2.5
    amount = wp.exp(-wp.abs(x))
    if amount - r < 0.1:
        amount = amount - 0.7
    y = wp.log(wp.max(wp.floor(value[ix, iy, iz]), 0.04))
    p = vec[ix, iy, iz]
    c = wp.cos(wp.min(p))
    z = wp.tan(c)
    value_2 = z * amount
    if value[ix, iy, iz] * y > 1.4:
        value_2 = value_2 - 0.4
    else:
        value_2 = value_2 * 0.4
    i0 = count[ix, iy, iz]
    if value_2 < -0.9 or i0 == 4:
        c = c * 0.22
    b = wp.length(p)
    output[ix, iy, iz] = b - c


@wp.kernel
def random_kernel_4(q: wp.array3d[wp.vec4], i0: wp.array[int], total_out: wp.array[float]):
    x, y, z = wp.tid()
    p = q[x, y, z]
    t = wp.dot(q[x, y, z], p)
    if i0[z] < 3:
        t = t - 0.3
    else:
        t = t - 0.16
    wp.atomic_add(total_out, 0, t)


@wp.kernel
def random_kernel_5(
    num_elements: wp.int32,
    k: wp.array(dtype=wp.float32),
    part: wp.float32,
    b: wp.array(dtype=wp.float32),
    outputs: wp.array(dtype=wp.float32),
):
    idx = wp.tid()
    if idx >= num_elements:
        return
    a = k[idx] - part
    amount = b[idx]
    if a - 2.0 > amount:
        a = -a
    outputs[idx] = a + amount


@wp.kernel
def random_kernel_6(
    k: wp.array[float],
    r: wp.array[float],
    n: int,
    c: float,
    output: wp.array[float],
):
    idx = wp.tid()
    if idx >= n:
        return
    h = wp.exp(-c)
    y = r[idx]
    g = (h + k[idx]) / (1.0 + y * y)
    output[idx] = g + y


@wp.kernel
def random_kernel_7(
    g: float,
    num: int,
    a: wp.array2d(dtype=float),
    b: wp.array2d(dtype=float),
    outputs: wp.array2d(dtype=float),
):
    i, j = wp.tid()
    term = a[i, j]
    c = term - 0.55
    if term < c or g >= 0.5:
        c = c + g
    else:
        y = wp.where(num > 2, term, b[i, j])
        c = c * y
    outputs[i, j] = c


@wp.kernel
def random_kernel_8(
    g: wp.array[float],
    d_in: wp.array[float],
    b: wp.array[float],
    size: int,
    n: int,
    result: wp.array[float],
):
    i = wp.tid()
    a = wp.log(g[i]) * g[i]
    c = wp.abs(a * 2.0)
    accum = float(0.0)
    for tap in range(7):
        accum += d_in[(tap + 1) % size] * (d_in[tap] * b[(i + n - 1) % n])
    result[i] = accum + c


@wp.kernel
def random_kernel_9(part: wp.array(dtype=wp.float32), n: wp.int32, y: wp.array(dtype=wp.float32)):
    idx = wp.tid()
    if idx >= n:
        return
    value = part[idx]
    y[idx] = value


@wp.kernel
def random_kernel_10(
    c: wp.array(dtype=float, ndim=2),
    w: wp.array(dtype=float),
    z: wp.array(dtype=float, ndim=2),
    b: wp.array(dtype=float, ndim=3),
    part: wp.array(dtype=float, ndim=2),
    y: float,
    output: wp.array(dtype=float, ndim=2),
):
    row, col = wp.tid()
    t = c[row, col]
    acc = float(0.0)
    for lane in range(8):
        g = w[lane] * (1.2 * t)
        acc += g
    s = y * wp.abs(t)
    accum = float(0.0)
    for tap in range(5):
        if tap % 2 == 1:
            continue
        k = z[col, tap] * wp.pow(1.0 + wp.abs(z[col, tap]), 1.2)
        accum += k
    total = float(0.0)
    for j in range(2):
        a = part[col, j]
        v = b[row, col, j] * a
        total -= v
    output[row, col] = total - s - accum + acc
