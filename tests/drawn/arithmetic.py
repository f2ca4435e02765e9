import warp as wp


@wp.kernel
def random_kernel(
    v: wp.float32,
    i0: wp.int32,
    a_2: wp.array(dtype=wp.float32),
    n: wp.array2d(dtype=wp.int32),
    results: wp.array(dtype=wp.int32),
    output: wp.array(dtype=wp.float32),
):
    i = wp.tid()
    term = a_2[i] + v
    num = n[i, 2] + i0
    n_2 = num >> 2
    results[i] = n_2 + num
    output[i] = term


@wp.kernel
def random_kernel_2(neighbor: wp.array(dtype=int), output: wp.array(dtype=int, ndim=2)):
    i, j = wp.tid()
    owner_idx = neighbor[i]
    m = owner_idx * 5
    output[i, j] = m


@wp.kernel
def random_kernel_3(
    amount: wp.array(dtype=float),
    y: wp.array(dtype=float),
    amount_field: wp.array(dtype=float),
    v: wp.array(dtype=float),
    n: wp.array(dtype=wp.vec3),
    m: wp.array(dtype=int),
    vecs: wp.array(dtype=wp.vec2),
    g_in: wp.array(dtype=float),
    bs: wp.array(dtype=wp.mat44),
    results: wp.array(dtype=int),
    result: wp.array(dtype=float),
    k: float,
    h: float,
    count: int,
    num_items: int,
):
    t = wp.tid()
    d = wp.cos(amount[t] / (1.0 + k * k))
    r = amount[t]
    g = 2.0 * r
    if wp.cos(y[t]) <= -0.1:
        g = g * 0.5
    else:
        g = g + amount_field[t]
    if v[t] + 1.2 < 0.25:
        g = g * d
    k_2 = v[t]
    b = g * k_2
    q = n[t]
    a = wp.dot(q, q)
    q = q + wp.sign(q)
    value = y[t]
    z = value * 3.0
    num = m[t]
    n_2 = vecs[t]
    x = wp.length_sq(n_2 * 0.6)
    if a >= 1.4 or r < 0.4:
        x = x * 0.5
    x_2 = r * x
    if num != 2:
        x_2 = -x_2
    z_2 = wp.sin(b) + 2.0
    if h > -0.35 or r > 0.3:
        num = count ^ num
    total = float(0.0)
    for lane in range(8):
        total = total + g_in[wp.max(lane - 1, 0)] * wp.ddot(bs[num_items - 1 - t], bs[t])
    if q[0] >= -0.2:
        num = num + 5
    else:
        num = num + 2
    count_2 = num // 5
    results[t] = count_2
    result[t] = x_2 + z + z_2 - total


@wp.kernel
def random_kernel_4(m: wp.array[int], i0: wp.array[int], result: wp.array[int]):
    i = wp.tid()
    count = m[i]
    num = count + (i0[wp.max(i - 1, 0)] << 4)
    result[i] = count + num


@wp.kernel
def random_kernel_5(
    t: float,
    num_items: int,
    partner: wp.array[int],
    ds: wp.array[float],
    b: wp.array[float],
    c: wp.array2d[float],
    cell_ids: wp.array[int],
    d: wp.array[float],
    vecs: wp.array[wp.vec3],
    result: wp.array[float],
):
    tid = wp.tid()
    src = partner[tid]
    z = ds[src]
    y = -z
    k = t * y + z * z
    part = wp.sqrt(k * k + 1.0)
    x = wp.where(part < 1.7, t - z, t)
    total = float(0.0)
    for tap in range(6):
        total = total + (c[tid, tap] - x)
    cell = cell_ids[tid]
    value = (total - t) * (d[cell] - 1.6)
    r = value + b[src]
    w = r * z * 0.52
    p = vecs[src]
    d_2 = 1.5 * w * wp.dot(vecs[(src + 3) % num_items], p) + 0.4
    result[tid] = d_2


@wp.kernel
def random_kernel_6(
    order: wp.array[wp.int32],
    d: wp.array[wp.float32],
    ts: wp.array2d[wp.float32],
    ds: wp.array[wp.float32],
    output: wp.array[wp.float32],
    results: wp.array[wp.int32],
):
    t = wp.tid()
    nbr = order[t]
    y = d[nbr]
    num = wp.clamp(nbr, 5, 27)
    total = wp.float32(0.0)
    for j in range(5):
        z_2 = ts[nbr, j] * ts[nbr, j]
        total += z_2
    r_2 = y * 1.5 * -y + (2.5 * total - wp.floor(ds[t]))
    output[t] = r_2
    results[t] = num


@wp.kernel
def random_kernel_7(
    w: wp.array2d[float],
    part: float,
    y: wp.array2d[float],
    value: float,
    neighbor_ids: wp.array[int],
    s: wp.array[float],
    r: wp.array2d[float],
    h: wp.array3d[float],
    partner: wp.array[int],
    ds: wp.array[float],
    total_out: wp.array[float],
):
    row, col = wp.tid()
    z = wp.min(w[row, col], 0.35)
    v = w[row, col]
    idx = neighbor_ids[row]
    amount = s[idx]
    g = z + v - wp.where(not wp.isinf(value), v, amount) - wp.cos(amount * 0.72)
    if part * amount >= 2.9:
        z = z + (g + z)
    k = y[row, col]
    u = h[row, col, idx]
    if v <= k or u < 0.6:
        v = v - 0.7
    if r[col, idx] - u > v:
        z = z * k
    target_id = partner[col]
    k_2 = ds[target_id]
    g_2 = -(z * k_2)
    v_2 = s[idx] * part
    total_out[0] += k_2 + v_2 + g_2


@wp.kernel
def random_kernel_8(
    h: wp.array(dtype=wp.float32),
    term: wp.float32,
    w: wp.array(dtype=wp.float32),
    b: wp.array(dtype=wp.float32),
    energy_total: wp.array(dtype=wp.float32),
):
    pid = wp.tid()
    part = h[pid]
    g = term * 0.54
    z = b[pid]
    y = g / wp.max(wp.abs(w[pid]), 0.25) * (part + 0.25)
    d = y * w[pid]
    a = 0.75 * d
    v = z / (1.0 + a * a)
    wp.atomic_add(energy_total, 0, v)


K = wp.constant(5.0)
A = wp.constant(0.7)


@wp.kernel
def random_kernel_9(
    c: float,
    amount: wp.array1d(dtype=float),
    term: wp.array2d(dtype=float),
    part: wp.array2d(dtype=float),
    q: wp.array1d(dtype=wp.vec3),
    h: wp.array2d(dtype=float),
    h_2: wp.array1d(dtype=float),
    results: wp.array1d(dtype=float),
    out: wp.array1d(dtype=float),
):
    idx = wp.tid()
    acc = float(0.0)
    for m in range(3):
        r = term[idx, m] - c
        if part[idx, m] < 0.25:
            acc += r
    acc -= 0.32
    k = wp.length(q[idx]) * (acc * K)
    v = k / c
    weighted_sum = float(0.0)
    for j in range(3):
        g = h[idx, j]
        g_2 = h[idx, j] * (g * amount[idx])
        if term[idx, j] > 0.4:
            weighted_sum += g_2
    acc = wp.cos(c) + h[idx, 2] * v
    s = acc
    if idx % 3 == 0:
        s = s - 0.6
    else:
        s = s * 0.2
    if amount[idx] - 0.25 >= 0.45:
        u = amount[idx]
        s = s * u
    total = float(0.0)
    for lane in range(3):
        total += term[idx, lane] * term[idx, lane]
    w = h[idx, 0]
    value = h_2[idx]
    a = s - A
    value_2 = part[idx, 2]
    amount_2 = value * value_2 * wp.length(q[idx])
    results[idx] = a + amount_2 + value_2 - weighted_sum
    out[idx] = w + total


U = wp.constant(1.8)


@wp.kernel
def random_kernel_10(
    d: wp.array(dtype=wp.float32),
    value: wp.array(dtype=wp.float32),
    output: wp.array(dtype=wp.float32),
    g: wp.float32,
):
    pid = wp.tid()
    a = 4.0 * wp.where(d[pid] > 0.4, value[pid], g)
    k = a + a / g
    r = d[pid]
    amount = r * k
    t = r - 0.85 - (amount - U)
    output[pid] = t
