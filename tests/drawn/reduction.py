import warp as wp


@wp.kernel
def random_kernel(
    neighbor: wp.array[wp.int32],
    a: wp.array[wp.float64],
    ts: wp.array3d[wp.float64],
    result: wp.array2d[wp.float64],
):
    i, j = wp.tid()
    target_id = neighbor[i]
    z = -a[target_id]
    peak = a[target_id]
    for probe in range(6):
        peak = wp.max(peak, ts[j, target_id, probe])
    result[i, j] = peak - z


@wp.kernel
def random_kernel_2(
    ts: wp.array(dtype=wp.float32, ndim=3),
    h: wp.array(dtype=wp.float32, ndim=3),
    ds: wp.array(dtype=wp.float32, ndim=2),
    loss: wp.array(dtype=wp.float32),
    mat: wp.mat33f,
    width: wp.int32,
):
    i, j, k = wp.tid()
    running = wp.float32(0.0)
    for t in range(ts.shape[0]):
        r = h[t, j, i] * wp.trace(mat)
        running += r
    accum = wp.float32(0.0)
    for n_idx in range(width):
        k_3 = h[i, j, k]
        d_3 = ds[k, n_idx] * (k_3 * k_3)
        accum += d_3
    wp.atomic_add(loss, 0, accum - running)


@wp.kernel
def random_kernel_3(
    neighbor_ids: wp.array[int],
    num_terms: int,
    g: wp.array2d[wp.float64],
    num_samples: int,
    r: wp.array[wp.float64],
    loss: wp.array[wp.float64],
):
    i, j, k = wp.tid()
    idx = neighbor_ids[k]
    total = wp.float64(0.0)
    for s_idx in range(num_terms):
        if g[idx, s_idx] > wp.float64(2.1):
            total += g[idx, s_idx]
    weighted_sum = wp.float64(0.0)
    for t in range(num_samples):
        c = r[t] * g[idx, j]
        weighted_sum += c
    wp.atomic_add(loss, 0, weighted_sum + total)


@wp.kernel
def random_kernel_4(
    num_samples: int,
    c: wp.array[float],
    x: wp.array2d[float],
    a: wp.array[float],
    k_max: int,
    value: wp.array2d[float],
    results: wp.array[float],
    output: wp.array[int],
):
    t = wp.tid()
    tally = int(0)
    for j in range(num_samples):
        if x[t, j] < -0.3:
            tally += 1
    term = c[t]
    d = a[t]
    y = d + 1.5
    w = wp.cos(wp.ceil(d))
    acc = float(0.0)
    for s_idx in range(k_max):
        part = value[t, s_idx] * (y * 0.8)
        acc += part
    results[t] = term + acc - w
    output[t] = tally


@wp.kernel
def random_kernel_5(
    a: wp.array2d(dtype=float),
    neighbor: wp.array1d(dtype=int),
    c: wp.array1d(dtype=float),
    k: wp.array4d(dtype=float),
    w: wp.array1d(dtype=float),
    p: wp.array4d(dtype=wp.vec3),
    ds: wp.array2d(dtype=float),
    z: wp.array2d(dtype=float),
    r: wp.array2d(dtype=float),
    outputs: wp.array4d(dtype=float),
    results: wp.array4d(dtype=float),
    n: int,
    depth: int,
):
    ix, iy, iz, it = wp.tid()
    other = neighbor[ix]
    v = a[iz, it] * c[other]
    best = k[ix, iy, iz, it]
    for j in range(8):
        if w[j] > best:
            best = w[j]
    x = wp.dot(p[ix, iy, iz, it], p[ix, iy, ix, it])
    closest = k[ix, iy, iz, it]
    for probe in range(7):
        closest = wp.min(closest, ds[iz, probe])
    acc = float(0.0)
    for m in range(n):
        for b in range(depth):
            u = z[iy, b] * z[iy, b] * r[m, b]
            acc = acc + u
    outputs[ix, iy, iz, it] = best + v + acc - x
    results[ix, iy, iz, it] = closest


@wp.kernel
def random_kernel_6(
    ds: wp.array(dtype=wp.float32),
    z: wp.array2d(dtype=wp.float32),
    d: wp.array2d(dtype=wp.float32),
    v: wp.array(dtype=wp.float32),
    amounts: wp.array(dtype=wp.float32),
    num_steps: wp.int32,
    width: wp.int32,
    term: wp.float32,
    inner: wp.int32,
    y: wp.array(dtype=wp.int32),
    out: wp.array(dtype=wp.float32),
):
    i = wp.tid()
    s = wp.float32(0.0)
    for t in range(num_steps):
        w = ds[t]
        r = z[i, t]
        s += ds[(t + num_steps - 1) % num_steps] * (w - r)
    acc = wp.float32(0.0)
    for n_idx in range(num_steps):
        c = d[i, n_idx]
        acc += ds[n_idx] * wp.log(c)
    total = wp.float32(0.0)
    for j in range(width):
        g = v[width - 1 - j] * wp.float32(j + 1)
        if v[j] > 1.6:
            total += g
    part = wp.sinh(term)
    num_above = wp.int32(0)
    for k in range(inner):
        if amounts[inner - 1 - k] < 2.1:
            num_above += 1
    y[i] = num_above
    out[i] = part + total - s + acc


RINGS = wp.constant(4)


@wp.kernel
def random_kernel_7(
    t: wp.array[float],
    neighbor: wp.array[int],
    v: wp.array[wp.vec2],
    v_2: wp.array[wp.vec3],
    term: wp.array[float],
    amount: wp.array2d[float],
    value: wp.array[float],
    v_4: wp.array2d[float],
    num_items: int,
    size: int,
    k_max: int,
    inner: int,
    y: wp.array[float],
):
    tid = wp.tid()
    if tid >= num_items:
        return
    s = t[tid]
    other = neighbor[tid]
    d = v[other]
    g = wp.dot(v[other], d)
    if wp.length(v_2[wp.min(other + 1, size - 1)]) < 2.6:
        g = g - 0.36
    w = term[other] * s
    running = float(0.0)
    for s_idx in range(k_max):
        v_3 = amount[other, s_idx] * (w - g)
        running -= v_3
    acc = running
    for n_idx in range(inner):
        acc += value[inner - 1 - n_idx] * float(n_idx + 1)
    smallest = t[tid]
    for probe in range(RINGS):
        smallest = wp.min(smallest, v_4[tid, probe])
    y[tid] = acc + smallest


@wp.kernel
def random_kernel_8(
    adjacent: wp.array(dtype=int),
    d: wp.array3d(dtype=wp.vec3),
    a: wp.array(dtype=float),
    term: wp.array2d(dtype=float),
    h: wp.array(dtype=float),
    x: wp.array3d(dtype=float),
    ds: wp.array2d(dtype=float),
    g: wp.array2d(dtype=float),
    result: wp.array3d(dtype=float),
    inner: int,
):
    row, col, layer = wp.tid()
    cell = adjacent[layer]
    q = d[row, col, layer]
    acc = float(0.0)
    for t in range(inner):
        if x[col, cell, t] > 1.6:
            acc = acc + h[t] * (q[1] + term[layer, cell])
    peak = term[col, cell]
    for probe_2 in range(7):
        if ds[row, probe_2] > peak:
            peak = ds[row, probe_2]
    total = float(0.0)
    for m in range(5):
        for n_idx in range(4):
            total = total + a[n_idx] * (peak * q[1]) * g[m, n_idx]
    result[row, col, layer] = acc + total


@wp.kernel
def random_kernel_9(
    m: wp.array3d[int],
    part: wp.array2d[float],
    gs: wp.array[float],
    ds: wp.array2d[float],
    num_steps: int,
    width: int,
    results: wp.array2d[int],
):
    row, col = wp.tid()
    num_above = int(0)
    for k in range(num_steps):
        if m[row, col, k] > 15:
            num_above += 1
    occupied = int(0)
    for j_2 in range(width):
        if part[col, j_2] < 0.36:
            occupied += 1
    if gs[col] >= 0.5 and ds[row, col] <= 0.73:
        occupied = num_above + 4
    results[row, col] = occupied


@wp.kernel
def random_kernel_10(
    poses: wp.array(dtype=wp.transform, ndim=2),
    h: wp.array(dtype=float, ndim=3),
    v: wp.array(dtype=wp.vec3, ndim=2),
    ts: wp.array(dtype=float, ndim=2),
    value_2: wp.array(dtype=float, ndim=2),
    tf: wp.transform,
    k_max: int,
    n: int,
    rot: wp.quat,
    p: wp.quat,
    count: int,
    results: wp.array(dtype=float, ndim=2),
    y: wp.array(dtype=wp.vec3, ndim=2),
):
    i, j = wp.tid()
    vec = wp.transform_get_translation(wp.transform_multiply(tf, poses[i, j]))
    acc = float(0.0)
    for a in range(k_max):
        for q in range(n):
            row_sum = float(0.0)
            for r in range(k_max):
                row_sum += h[j, q, r] * h[j, q, r] * h[j, q, a]
            acc += row_sum * 0.57
    total = float(0.0)
    for s_idx in range(n):
        total -= h[j, s_idx, i] * float(s_idx + 1)
    u = wp.dot(rot, p)
    total -= 0.8
    weighted_sum = wp.vec3()
    for t_2 in range(count):
        v_2 = v[i, t_2] * wp.sqrt(1.0 + wp.abs(vec[2]))
        weighted_sum += v_2
    accum = float(0.0)
    for n_idx in range(k_max):
        if n_idx % 2 == 1:
            continue
        accum += ts[j, n_idx] * -u
    s = float(0.0)
    for row in range(2):
        inner_sum = float(0.0)
        for k_2 in range(2):
            inner_sum -= value_2[row, k_2] * value_2[row, k_2]
        s += inner_sum
    g = 2.2 * acc * 0.6
    results[i, j] = s + total + g + accum
    y[i, j] = weighted_sum
