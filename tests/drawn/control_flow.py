import warp as wp


S = 0.3


@wp.kernel
def random_kernel(
    w: wp.array[wp.float32],
    h: wp.array[wp.float32],
    d_field: wp.array2d[wp.float32],
    term_2: wp.array2d[wp.float32],
    s_2: wp.array[wp.float32],
    count: wp.array[wp.int32],
    b_2: wp.array[wp.float32],
    output: wp.array[wp.float32],
    num_neighbors: wp.int32,
):
    pid = wp.tid()
    c = w[pid] * S
    term = h[pid]
    c = c * term
    sum_value = wp.float32(0.0)
    pos = wp.int32(0)
    while pos < num_neighbors:
        slot_k = pos
        pos = pos + 1
        v = d_field[pid, slot_k] * d_field[pid, slot_k]
        sum_value = sum_value + v
    a = c * term
    z = a - term_2[pid, pid]
    if z * s_2[pid] > -4.2:
        z = z * 0.8
    n = count[pid]
    if n == 1:
        sum_value = sum_value + wp.erfcinv(wp.clamp(z, 0.05, 1.95))
    elif n == 2:
        sum_value = sum_value * 0.4
    elif n == 3:
        sum_value = sum_value - 0.2
    elif n == 4:
        sum_value = sum_value - 0.58
    total = wp.float32(0.0)
    for tap in range(4):
        total = total + b_2[wp.max(tap - 1, 0)] * wp.sqrt(term_2[pid, pid] * term_2[pid, pid] + 1.0)
    output[pid] = sum_value - total


@wp.kernel
def random_kernel_2(
    p: wp.array2d(dtype=wp.vec3f),
    x: wp.array2d(dtype=wp.float32),
    ds: wp.array2d(dtype=wp.float32),
    result: wp.array2d(dtype=wp.int32),
    num_neighbors: wp.int32,
):
    ix, iy = wp.tid()
    first_hit = wp.int32(-1)
    for j in range(p.shape[0]):
        if ds[ix, j] > 0.5:
            first_hit = j
            break
    hit_index = wp.int32(-1)
    for probe in range(num_neighbors):
        if x[probe, iy] > 0.15:
            hit_index = probe
    result[ix, iy] = first_hit + hit_index


@wp.kernel
def random_kernel_3(
    inner: int,
    num_items: int,
    v: wp.array(dtype=wp.vec3),
    vecs: wp.array(dtype=wp.vec3),
    w: wp.array(dtype=float),
    x: wp.array(dtype=float),
    count: wp.array(dtype=int),
    u: wp.array2d(dtype=float),
    poses: wp.array(dtype=wp.transform),
    results: wp.array(dtype=wp.vec3),
    y: wp.array(dtype=int),
):
    i = wp.tid()
    weighted_sum = wp.vec3(0.0)
    for n_idx in range(inner):
        s = w[(i + num_items - 1) % num_items]
        weighted_sum = weighted_sum + vecs[inner - 1 - n_idx] * s
    if w[i] > 0.15:
        weighted_sum = -weighted_sum
    num_above = int(0)
    for j in range(num_items):
        if count[num_items - 1 - j] > 27:
            num_above = num_above + 1
    result = float(0.0)
    for c in range(2):
        z = u[i, c] * wp.sin(x[i])
        result = result + z
    tf = poses[i]
    vec = v[i]
    p = result * v[i] + wp.transform_vector(tf, vec)
    results[i] = vec + p + weighted_sum
    y[i] = num_above


TAP_COUNT = wp.constant(5)


@wp.kernel
def random_kernel_4(
    u: wp.array[float],
    y: wp.array2d[float],
    part: wp.array2d[float],
    z: wp.array[float],
    amounts: wp.array[float],
    h: wp.array2d[float],
    w: wp.array2d[float],
    in_a: wp.array3d[float],
    ds: wp.array2d[float],
    s: wp.array2d[float],
    depth: int,
    x: float,
    output: wp.array2d[float],
    out: wp.array2d[int],
):
    ix, iy = wp.tid()
    total = float(0.0)
    for k in range(TAP_COUNT):
        amount = u[k] * (y[iy, k] + part[iy, k])
        if z[k] < 3.1:
            total = total + amount
    accum = float(0.0)
    for c in range(3):
        accum = accum + amounts[c] * y[iy, 1]
    num_above = int(0)
    for m in range(depth):
        if h[iy, m] > 0.4:
            num_above = num_above + 1
    acc = float(0.0)
    for tap in range(7):
        r = w[ix, tap] * (in_a[ix, iy, tap] / (1.0 + ds[iy, tap] * ds[iy, tap]))
        acc = acc + r
    g = x - s[ix, iy]
    g = g - 0.66
    output[ix, iy] = g + total - acc + accum
    out[ix, iy] = num_above


@wp.kernel
def random_kernel_5(
    v: wp.array2d[wp.vec3],
    s_2: wp.array[float],
    t_in: wp.array[float],
    total_count: int,
    out: wp.array[wp.vec3],
):
    tid = wp.tid()
    if tid >= total_count:
        return
    total = wp.vec3(0.0, 0.0, 0.0)
    for m in range(4):
        total = total + v[tid, m]
    w_2 = s_2[tid]
    if wp.clamp(w_2, 0.26, 0.86) > 0.5:
        t = wp.asin(wp.clamp(t_in[tid], -0.95, 0.95))
        total = total * t
    out[tid] = total


@wp.kernel
def random_kernel_6(count: wp.int32, w: wp.array(dtype=wp.float32), output: wp.array(dtype=wp.int32)):
    tid = wp.tid()
    if tid >= count:
        return
    found = wp.int32(-1)
    for probe in range(count):
        if w[probe] > 0.48:
            found = probe
            break
    output[tid] = found


@wp.kernel
def random_kernel_7(
    s_data: wp.array(dtype=float, ndim=2),
    in_x: wp.array(dtype=float, ndim=2),
    k: wp.array(dtype=float, ndim=2),
    v: wp.array(dtype=wp.vec2, ndim=2),
    d_in: wp.array(dtype=float, ndim=2),
    mat: wp.array(dtype=wp.mat33, ndim=3),
    c_3: wp.array(dtype=float, ndim=2),
    num_terms: int,
    results: wp.array(dtype=float, ndim=3),
):
    row, col, layer = wp.tid()
    acc = float(0.0)
    for c in range(5):
        acc = acc + k[layer, c] * wp.dot(v[row, c], v[c, row])
    y = s_data[row, 2]
    b = wp.trace(mat[row, col, layer])
    sum_value = float(0.0)
    for n_idx in range(num_terms):
        d_2 = d_in[layer, row]
        sum_value = sum_value + c_3[layer, n_idx] * (d_2 * in_x[layer, 0])
    results[row, col, layer] = sum_value + y + b + acc


@wp.kernel
def random_kernel_8(
    r: wp.array(dtype=float),
    ds: wp.array(dtype=float),
    part: wp.array(dtype=float),
    x: wp.array2d(dtype=float),
    t: wp.array(dtype=float),
    h: wp.array(dtype=float),
    term: wp.array(dtype=float),
    v: wp.array2d(dtype=wp.vec4),
    d_2: wp.array(dtype=wp.vec4),
    outputs: wp.array(dtype=float),
    b: float,
    n: int,
    value: float,
):
    tid = wp.tid()
    y = b
    if ds[tid] < 2.1:
        y = y * 0.6
    acc = float(0.0)
    for p in range(5):
        for q in range(4):
            d = ds[tid]
            u = (part[n - 1 - q] - d) * float(p + 1)
            if part[q] < 1.2:
                acc = acc + u
    z = h[tid]
    z_2 = y - z
    c = t[tid]
    if c - x[tid, 3] > 0.5:
        z_2 = z_2 * c
    a = acc
    if wp.where(c > term[tid], r[tid], value) < -0.95:
        a = a + r[tid] * c
    weighted_sum = float(0.0)
    for tap in range(4):
        g_2 = part[tap] * wp.dot(v[tid, tap], d_2[n - 1 - tap])
        weighted_sum = weighted_sum + g_2
    outputs[tid] = a + weighted_sum + z_2


@wp.kernel
def random_kernel_9(
    b: wp.array2d(dtype=float),
    part: wp.array2d(dtype=float),
    t_field: wp.array2d(dtype=float),
    s: wp.array(dtype=float),
    ds: wp.array(dtype=float),
    sws: wp.array2d(dtype=wp.spatial_vector),
    p: wp.array2d(dtype=wp.vec3),
    in_a: wp.array2d(dtype=float),
    out: wp.array2d(dtype=float),
    num_terms: int,
    k_max: int,
    x: float,
):
    row, col = wp.tid()
    acc = float(0.0)
    pos = int(0)
    while pos < num_terms:
        slot_k = pos
        pos = pos + 1
        acc += b[row, slot_k] * b[row, slot_k]
    t = b[row, row]
    acc = acc * 0.5
    result = float(0.0)
    for j in range(2):
        for q in range(k_max):
            h = t_field[row, q]
            result += t_field[row, q] * wp.max(h, 0.05) * float(j + 1)
    sum_value_2 = float(0.0)
    for k in range(3):
        sum_value_2 += part[col, k] - x
    total = float(0.0)
    for tap in range(5):
        t_2 = s[tap] * s[tap]
        if ds[tap] < -0.35:
            total += t_2
    sw = sws[row, col]
    v = p[row, col]
    n_2 = wp.spatial_bottom(sw) - (p[row, col] + v) + (v * t + v)
    d_2 = in_a[row, col]
    if not wp.isnan(d_2):
        sum_value_2 = sum_value_2 * 0.34
    y_2 = n_2[2] - 0.5
    if sum_value_2 - 0.5 >= total:
        y_2 = y_2 * 0.5
    out[row, col] = y_2 - result + d_2 + acc


@wp.kernel
def random_kernel_10(
    g: wp.array2d(dtype=float),
    r: wp.array2d(dtype=float),
    g_field: wp.array3d(dtype=float),
    out: wp.array2d(dtype=float),
):
    row, col = wp.tid()
    acc = float(0.0)
    walker = int(0)
    while walker < g.shape[0]:
        slot_k = walker
        walker = walker + 2
        if slot_k == row:
            continue
        z = r[slot_k, col]
        acc += z
    running = float(0.0)
    for c in range(2):
        term = g_field[col, col, c] * g_field[col, col, c]
        running += term
    out[row, col] = acc + running
