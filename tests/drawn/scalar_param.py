import warp as wp


@wp.kernel
def random_kernel(
    w: wp.array(dtype=float),
    h: wp.array(dtype=float),
    n: wp.array(dtype=wp.vec3),
    q: wp.vec3,
    part: float,
    term: float,
    p_3: wp.vec3,
    output: wp.array(dtype=float),
    total: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    v = w[i]
    vec = wp.vec3(1.0, v, h[i])
    v = v * part
    value = 4.0 * term
    p_2 = wp.normalize(vec) + (q + n[i])
    t = value - wp.length_sq(p_3)
    b = t - w[i]
    output[i] = b - v
    wp.atomic_add(total, 0, p_2)


@wp.kernel
def random_kernel_2(
    t_field: wp.array(dtype=float),
    value: wp.array(dtype=float),
    v_2: wp.array(dtype=wp.vec3),
    q_2: wp.array(dtype=wp.vec2),
    gs: wp.array(dtype=float),
    x: wp.array2d(dtype=float),
    h: wp.array(dtype=float),
    amount: wp.array(dtype=float),
    z_2: wp.array(dtype=float),
    output: wp.array(dtype=float),
    outputs: wp.array(dtype=wp.vec2),
    k: float,
    count: int,
):
    idx = wp.tid()
    v = value[idx]
    n = v_2[idx] * v
    if idx > 14 or wp.isfinite(k):
        v = v - 0.9
    d_2 = q_2[idx] * 1.8
    s = wp.asin(wp.clamp(v, -0.95, 0.95))
    vec_2 = q_2[idx]
    vec_3 = vec_2 / (1.0 + s * s)
    total = float(0.0)
    for c in range(8):
        total -= x[idx, c]
    w_2 = gs[idx]
    a = h[idx]
    term = amount[count - 1 - idx]
    if wp.where(a >= 0.4, n[int(wp.argmax(n))], term) >= term:
        vec_3 = -vec_3
    else:
        vec_3 = vec_3 * 0.2
    value_2 = wp.max(wp.max(w_2, 3.0), 4.4)
    v_3 = w_2 - t_field[idx]
    value_2 = value_2 - 0.6
    value_2 -= 0.4
    x_2 = z_2[idx]
    if x_2 >= -0.6 and w_2 > 2.6:
        value_2 = -value_2
    else:
        value_2 = value_2 * 0.64
    output[idx] = v_3 + x_2 + value_2 + total
    outputs[idx] = vec_2 + d_2 + vec_3


@wp.kernel
def random_kernel_3(
    n: wp.vec3,
    q: wp.vec3,
    owner_ids: wp.array(dtype=int),
    vec: wp.array(dtype=wp.vec3),
    cluster_ids: wp.array(dtype=int),
    frame: wp.array(dtype=wp.transform),
    h: float,
    part: wp.array(dtype=float),
    num: int,
    m: int,
    num_2: int,
    u: float,
    p_2: wp.array3d(dtype=wp.vec2),
    output: wp.array3d(dtype=wp.vec3),
    out: wp.array3d(dtype=float),
    y: wp.array3d(dtype=int),
):
    row, col, layer = wp.tid()
    p = n - q + wp.normalize(q)
    target_id = owner_ids[col]
    other = cluster_ids[col]
    xf = frame[other]
    z = wp.sqrt(wp.max(h, 0.09))
    if part[other] * p[0] < part[other]:
        t = part[other]
        z = z + (t - h)
    else:
        z = z - 0.9
    i0 = wp.nonzero(target_id)
    if m % 2 == 0 or h >= z:
        i0 = num_2 % 2
    else:
        i0 = i0 + 5
    amount = h * u
    b = h + wp.clamp(part[other] + 3.0, 4.9, 7.2)
    n_3 = wp.max(num, 5)
    s = b - amount
    k = wp.dot(p_2[row, col, layer], p_2[row, col, layer])
    v = wp.transform_point(xf, vec[target_id])
    output[row, col, layer] = v
    out[row, col, layer] = k - s
    y[row, col, layer] = i0 + n_3


@wp.kernel
def random_kernel_4(
    num: wp.array[int],
    t_field: wp.array[float],
    ds: wp.array2d[float],
    n: wp.array[int],
    r: wp.array2d[float],
    num_items: int,
    value: float,
    i0: int,
    k_max: int,
    output: wp.array[float],
    results: wp.array[int],
):
    gid = wp.tid()
    if gid >= num_items:
        return
    count = num[(gid + num_items - 1) % num_items]
    m = count % 4
    if t_field[gid] + ds[gid, 3] > value:
        count = wp.min(i0, 2)
    i0_2 = wp.bit_and(wp.clamp(n[gid], 3, 14), count // 2)
    weighted_sum = float(0.0)
    for s_idx in range(1, k_max):
        if r[gid, s_idx] < 0.73:
            continue
        weighted_sum -= r[gid, s_idx] * float(s_idx + 1)
    output[gid] = weighted_sum
    results[gid] = i0_2 + m


@wp.kernel
def random_kernel_5(
    h: wp.array(dtype=wp.float64),
    k: wp.array(dtype=wp.float64),
    m: wp.array(dtype=wp.int32),
    p: wp.array(dtype=wp.vec4d),
    vec_2: wp.array(dtype=wp.vec3d),
    u: wp.float64,
    term: wp.float64,
    r: wp.float64,
    y: wp.float64,
    size: wp.int32,
    result: wp.array(dtype=wp.float64),
    results: wp.array(dtype=wp.int32),
):
    i = wp.tid()
    t = -h[i]
    if u < wp.float64(0.467):
        t = t * term
    elif u < wp.float64(0.82):
        t = t - wp.float64(0.5)
    elif u < wp.float64(1.18):
        t = wp.abs(t) + wp.where(i > 77, t, r)
    elif u < wp.float64(1.64):
        t = t * t
    else:
        t = t + y * wp.float64(0.1)
    value = k[i] / (wp.float64(1.0) + wp.abs(t))
    count = m[(i + 1) % size]
    if count == 2:
        value = wp.length_sq(p[i])
    num = m[i] | count
    r_2 = wp.length(vec_2[i])
    result[i] = r_2 + value
    results[i] = num


@wp.kernel
def random_kernel_6(
    num_items: int,
    d_data: wp.array(dtype=float),
    k: float,
    num_steps: int,
    a: wp.array(dtype=float),
    c: wp.array(dtype=float),
    y: float,
    result: wp.array(dtype=float),
):
    i = wp.tid()
    acc = float(0.0)
    for m in range(8):
        if m % 2 == 1:
            continue
        s = d_data[(m + 2) % num_items] * wp.erf(k)
        acc += s
    weighted_sum = float(0.0)
    for n_idx in range(1, num_steps):
        weighted_sum += c[num_steps - 1 - n_idx]
    g = wp.clamp(y, -1.3, 1.0)
    t = a[i]
    result[i] = weighted_sum + acc + t + g


@wp.kernel
def random_kernel_7(
    value: wp.array4d[float],
    y: wp.array2d[float],
    outputs: wp.array4d[float],
    part: float,
    g: float,
):
    row, col, layer, channel = wp.tid()
    r = value[row, col, layer, channel]
    d = wp.where(part > r, wp.max(y[layer, channel], 0.48), r - g)
    outputs[row, col, layer, channel] = d


@wp.kernel
def random_kernel_8(
    i0: int,
    d: float,
    n: int,
    g: float,
    z: float,
    h: float,
    y: float,
    b: float,
    q: wp.array1d(dtype=wp.quat),
    rot: wp.quat,
    vecs: wp.array1d(dtype=wp.vec3),
    p: wp.vec3,
    results: wp.array1d(dtype=float),
    outputs: wp.array1d(dtype=int),
):
    t = wp.tid()
    m = i0 + 5
    if d <= 0.56 or n < 5:
        m = m + 1
    x = d
    if x + g >= 1.1:
        x = x - 0.24
    r = wp.sign(z)
    if h > 1.8:
        r = -r
    g_2 = x + y
    if b < 0.58 or z > 0.3:
        m = wp.clamp(i0, 3, 14)
    k = wp.dot(q[t], rot) / (1.0 + r * r)
    n_2 = wp.where(z < 0.36, vecs[t], p)
    if z / (d + 0.3) > 2.4:
        x = -x
    else:
        x = x * g_2
    u = wp.min(n_2[1], 1.1)
    results[t] = x + u + k
    outputs[t] = m


@wp.kernel
def random_kernel_9(
    amount: float,
    d: float,
    p: wp.vec3,
    r: wp.array2d(dtype=float),
    w: wp.array3d(dtype=float),
    x: wp.array3d(dtype=float),
    sum_out: wp.array(dtype=wp.vec3),
    result: wp.array3d(dtype=float),
):
    row, col, layer = wp.tid()
    value = r[col, layer]
    g = x[row, col, layer]
    v = w[row, col, layer] - g
    part = wp.tanh(amount)
    running = d * value * (g + 3.0)
    b = w[row, layer, col]
    n = 2.0 * b * p
    wp.atomic_add(sum_out, 0, n)
    result[row, col, layer] = part + running + v + b


@wp.kernel
def random_kernel_10(
    v: wp.vec2,
    p: wp.vec2,
    vec: wp.vec3,
    q: wp.vec3,
    output: wp.array2d[wp.vec3],
    out: wp.array2d[wp.vec2],
):
    i, j = wp.tid()
    d = wp.cw_mul(v, p)
    d_2 = vec + q
    output[i, j] = d_2
    out[i, j] = d
