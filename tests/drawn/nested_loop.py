import warp as wp


@wp.kernel
def random_kernel(
    vecs: wp.array[wp.vec3d],
    n: wp.array[wp.vec3d],
    v: wp.array2d[wp.vec3d],
    z: wp.array[wp.float64],
    u: wp.array[wp.float64],
    width: wp.int32,
    depth: wp.int32,
    results: wp.array[wp.float64],
):
    gid = wp.tid()
    weighted_sum = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    for c in range(2):
        d = n[gid]
        q = v[gid, c] - d
        weighted_sum = weighted_sum + q
    k = wp.length(vecs[gid]) * weighted_sum[2] * wp.float64(0.5)
    total = wp.float64(0.0)
    for j in range(width):
        h = wp.max(k, wp.float64(-2.9))
        row_sum = wp.float64(0.0)
        for b_2 in range(depth):
            row_sum = row_sum + u[(b_2 + 2) % depth] * h * z[j]
        total = total + row_sum
    results[gid] = total


@wp.kernel
def random_kernel_2(
    y: wp.array(dtype=float),
    depth: int,
    term: wp.array(dtype=float, ndim=2),
    s: wp.array(dtype=float),
    k_max: int,
    x: wp.array(dtype=float),
    width: int,
    b: wp.array(dtype=float),
    d: wp.array(dtype=wp.vec3, ndim=2),
    num_samples: int,
    t: wp.array(dtype=float),
    w: wp.array(dtype=float),
    out: wp.array(dtype=float),
    results: wp.array(dtype=wp.vec3),
):
    gid = wp.tid()
    a = y[gid]
    c = wp.erfinv(wp.clamp(a, -0.95, 0.95))
    total = float(0.0)
    for j in range(4):
        for col in range(2):
            part = float(0.0)
            for l in range(depth):
                amount = term[gid, l]
                part = part + s[l] * (amount + a) * float(j + 1)
            total = total + part
    sum_value = float(0.0)
    for m in range(4):
        for q in range(k_max):
            sum_value = sum_value + y[q] * c * x[wp.max(m - 1, 0)]
    result = float(0.0)
    for row in range(width):
        for k in range(4):
            result = result + b[wp.max(k - 1, 0)] * c * float(row + 1)
    weighted_sum = wp.vec3(0.0, 0.0, 0.0)
    for p in range(k_max):
        inner_sum = wp.vec3()
        for n_idx in range(2):
            n_2 = d[p, n_idx] * a
            inner_sum = inner_sum + n_2
        weighted_sum = weighted_sum + inner_sum * 0.35
    acc = float(0.0)
    for m_2 in range(width):
        for b_2 in range(num_samples):
            acc = acc + w[(b_2 + 1) % num_samples] * c * t[m_2]
    out[gid] = acc - sum_value - total + result
    results[gid] = weighted_sum


@wp.kernel
def random_kernel_3(
    vec: wp.array3d(dtype=wp.vec3),
    value: wp.array3d(dtype=float),
    in_m: wp.array2d(dtype=wp.mat22),
    k: wp.array2d(dtype=wp.mat22),
    n: wp.array(dtype=wp.vec3),
    d: wp.array2d(dtype=float),
    num_terms: int,
    count: int,
    outputs: wp.array3d(dtype=float),
):
    ix, iy, iz = wp.tid()
    term = wp.length(vec[ix, iy, iz])
    if term + value[ix, iy, iz] >= 2.2:
        term = -term
    mat = in_m[iy, iz]
    term = term + wp.ddot(mat, k[iy, iz])
    sum_value = wp.vec3()
    for a in range(num_terms):
        for n_idx in range(2):
            r = value[ix, iy, iz]
            sum_value = sum_value + n[n_idx] * wp.clamp(r, -1.1, 0.8) * float(a + 1)
    acc = float(0.0)
    for t in range(vec.shape[0]):
        h = value[t, iy, iz] * value[ix, iy, iz]
        acc = acc + h
    if wp.isfinite(sum_value[1]):
        term = term * sum_value[0]
    else:
        term = -term
    result = float(0.0)
    for row in range(count):
        for col in range(vec.shape[2]):
            s = d[ix, col] * float(row + 1)
            result = result - s
    outputs[ix, iy, iz] = result + acc - term


@wp.kernel
def random_kernel_4(
    inner: int,
    num_neighbors: int,
    term: wp.array[float],
    t: wp.array2d[float],
    u: wp.array[float],
    ts_2: wp.array2d[float],
    a: wp.array3d[float],
    num_terms: int,
    amounts: wp.array2d[float],
    n: int,
    width: int,
    y_2: wp.array[float],
    u_2: wp.array3d[float],
    out: wp.array3d[float],
):
    x, y, z = wp.tid()
    weighted_sum = float(0.0)
    for m in range(2):
        for q in range(inner):
            for tap in range(num_neighbors):
                g = term[tap] * term[tap] * float(m + 1)
                if u[tap] < 0.55:
                    weighted_sum += g
    acc = float(0.0)
    for p in range(3):
        for col in range(4):
            value = t[y, 2]
            w_2 = (ts_2[z, col] - value) * a[z, p, col]
            acc += w_2
    sum_value = float(0.0)
    for row in range(num_terms):
        for k in range(5):
            s_2 = amounts[row, k]
            sum_value += s_2
    total = float(0.0)
    for j in range(n):
        for n_idx in range(width):
            total += y_2[n_idx] * (y_2[n_idx] * 0.2) * u_2[x, j, n_idx]
    out[x, y, z] = total - acc + sum_value + weighted_sum


@wp.kernel
def random_kernel_5(
    s: wp.array(dtype=wp.float32),
    d: wp.array2d(dtype=wp.float32),
    num_elements: wp.int32,
    num_samples: wp.int32,
    results: wp.array(dtype=wp.float32),
):
    idx = wp.tid()
    if idx >= num_elements:
        return
    part = s[idx] * 0.8
    accum = wp.float32(0.0)
    for m in range(2):
        for n_idx in range(5):
            row_sum = wp.float32(0.0)
            for l in range(num_samples):
                if l % 2 == 1:
                    continue
                row_sum = row_sum + d[idx, l] * d[idx, l] * wp.float32(m + 1)
            accum = accum + row_sum
    results[idx] = accum + part


@wp.kernel
def random_kernel_6(
    c: wp.array[float],
    y: wp.array[float],
    a: wp.array[float],
    value: wp.array2d[float],
    term: wp.array[float],
    value_2: wp.array[float],
    n: int,
    num_samples: int,
    width: int,
    num_neighbors: int,
    depth: int,
    num_steps: int,
    out: wp.array[float],
):
    idx = wp.tid()
    if idx >= n:
        return
    g = wp.clamp(c[idx], -0.59, 0.72)
    if 0.5 * y[idx] > 0.64:
        d = a[idx]
        g = g + (d - g)
    else:
        g = g + (a[idx] - 2.0)
    acc = float(0.0)
    for row in range(num_samples):
        row_sum = float(0.0)
        for q in range(n):
            if c[q] < 0.15:
                continue
            row_sum += c[q] * float(row + 1)
        acc += row_sum
    total = float(0.0)
    for m in range(2):
        part = g * y[idx]
        for col in range(width):
            s = (value[idx, col] - part) * float(m + 1)
            total += s
    weighted_sum = float(0.0)
    for p in range(5):
        for k in range(num_neighbors):
            weighted_sum += term[wp.max(k - 1, 0)] * float(p + 1)
    acc_2 = float(0.0)
    for j in range(depth):
        for b in range(3):
            inner_sum = float(0.0)
            for l in range(num_steps):
                w_2 = c[idx]
                inner_sum += value_2[(l + num_steps - 1) % num_steps] * (w_2 * w_2) * float(j + 1)
            acc_2 += inner_sum * 0.35
    out[idx] = acc_2 - acc + total - weighted_sum


@wp.kernel
def random_kernel_7(
    count: int,
    width: int,
    r: wp.quat,
    s: wp.array3d(dtype=float),
    b: wp.array2d(dtype=float),
    s_data: wp.array2d(dtype=float),
    w: wp.array2d(dtype=float),
    s_field: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
):
    i, j = wp.tid()
    total = float(0.0)
    for row in range(count):
        for col in range(width):
            if s[j, row, col] > 1.9:
                continue
            value = s[j, i, col] * wp.length_sq(r) * s[j, row, col]
            total = total + value
    h = b[i, 1]
    amount = h - w[i, j]
    k = w[i, j]
    if wp.exp(k) < 4.7:
        amount = amount - 1.0
    acc = float(0.0)
    for p in range(5):
        for q in range(5):
            for c in range(count):
                acc = acc + s_field[i, c] * s_field[i, c] * s_data[j, p]
    result[i, j] = amount + total + acc


@wp.kernel
def random_kernel_8(
    t_in: wp.array[float],
    gs: wp.array[float],
    s_field: wp.array[float],
    t: wp.array[float],
    a: wp.array2d[float],
    inner: int,
    result: wp.array[float],
):
    i = wp.tid()
    weighted_sum = float(0.0)
    for j in range(inner):
        row_sum = float(0.0)
        for b in range(2):
            z = s_field[j]
            d = a[i, b] * (t[i] * z) * s_field[j]
            row_sum += d
        weighted_sum += row_sum
    z_2 = gs[i]
    amount = t_in[i] + (z_2 - 2.0) - weighted_sum
    result[i] = amount


@wp.kernel
def random_kernel_9(
    w: wp.array2d(dtype=float),
    value: wp.array2d(dtype=float),
    k: wp.array2d(dtype=float),
    c: wp.array2d(dtype=float),
    d: wp.array(dtype=float),
    s: wp.array2d(dtype=float),
    z_2: wp.array2d(dtype=float),
    h: wp.array2d(dtype=float),
    width: int,
    count: int,
    num_terms: int,
    num_steps: int,
    u: float,
    sum_out: wp.array(dtype=float),
):
    x, y = wp.tid()
    weighted_sum = float(0.0)
    for p in range(5):
        for b in range(width):
            v = w[y, b] * value[p, b]
            weighted_sum = weighted_sum + v
    acc = float(0.0)
    for j in range(2):
        inner_sum = float(0.0)
        for col in range(2):
            inner_sum = inner_sum + k[x, col] * k[x, col] * c[x, j]
        acc = acc + inner_sum * 0.45
    result = float(0.0)
    for t in range(count):
        result = result + d[t]
    running = float(0.0)
    for m in range(num_terms):
        for q in range(count):
            for l in range(num_steps):
                d_2 = (z_2[x, l] - u) * s[y, m]
                if h[y, l] < 1.2:
                    running = running + d_2
    wp.atomic_add(sum_out, 0, result + acc + weighted_sum - running)


@wp.kernel
def random_kernel_10(
    depth: int,
    u: wp.array(dtype=float, ndim=2),
    x: wp.array(dtype=float),
    p: wp.vec3,
    pose: wp.array(dtype=wp.transform, ndim=2),
    cluster_ids: wp.array(dtype=int),
    q: wp.array(dtype=wp.vec3),
    width: int,
    ts: wp.array(dtype=float, ndim=3),
    num_terms: int,
    d: wp.array(dtype=float, ndim=2),
    y: wp.array(dtype=float, ndim=3),
    s: wp.array(dtype=float, ndim=2),
    out: wp.array(dtype=float, ndim=2),
):
    row, col = wp.tid()
    total = float(0.0)
    for j in range(1, depth):
        total += u[row, j] - x[j]
    frame = pose[row, col]
    slot = cluster_ids[col]
    n = p - wp.transform_point(frame, q[slot])
    accum = float(0.0)
    for a in range(width):
        for n_idx in range(4):
            c = ts[row, a, n_idx] - n[int(wp.argmin(n))]
            accum += c
    acc = float(0.0)
    for row_2 in range(u.shape[0]):
        for b in range(u.shape[0]):
            if ts[b, 2, 3] > 3.4:
                acc += y[slot, row_2, b] * y[slot, row, row_2]
    result = float(0.0)
    for p_2 in range(num_terms):
        row_sum = float(0.0)
        for q_2 in range(5):
            row_sum += s[row, q_2] * wp.length(q[slot]) * d[p_2, 0]
        result += row_sum * 0.25
    out[row, col] = result + accum - acc + total
