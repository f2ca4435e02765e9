import warp as wp


@wp.kernel
def random_kernel(
    x: float,
    num_2: int,
    c: float,
    term: wp.array2d(dtype=float),
    gs: wp.array2d(dtype=float),
    i0: wp.array2d(dtype=int),
    value: wp.array2d(dtype=float),
    num_data: wp.array1d(dtype=int),
    adjacent: wp.array1d(dtype=int),
    w: wp.array1d(dtype=float),
    loss: wp.array1d(dtype=float),
    results: wp.array2d(dtype=int),
    sum_out: wp.array1d(dtype=float),
):
    row, col = wp.tid()
    amount = gs[row, col] + x
    if i0[row, col] % 3 == 0:
        amount = amount * amount * 2.0
    a = gs[col, col]
    wp.atomic_add(loss, 0, a)
    total = float(0.0)
    pos = int(0)
    while pos < term.shape[0]:
        current_idx = pos
        pos = pos + 2
        part = value[col, current_idx] * wp.trunc(a)
        total -= part
    count = num_data[col]
    m = count % 7
    amount = amount * total
    n = num_data[row] // 7
    if num_2 == 12:
        total = wp.exp(c)
    else:
        total = total * 0.66
    m_2 = n * 7
    other = adjacent[col]
    d = w[other]
    n_2 = num_data[row]
    n_3 = wp.where(d > 3.6, count, n_2) + wp.step(m_2)
    m_3 = wp.clamp(n_3, 1, 5)
    results[row, col] = m_3 + m + n_2
    wp.atomic_add(sum_out, 0, d + amount + total)


@wp.kernel
def random_kernel_2(
    i0: wp.array(dtype=wp.int32),
    c: wp.array(dtype=wp.float32),
    count_2: wp.array(dtype=wp.int32),
    nums: wp.array(dtype=wp.int32),
    num_items: wp.int32,
    out: wp.array(dtype=wp.int32),
):
    i = wp.tid()
    walker = wp.int32(0)
    while walker < num_items:
        here = walker
        walker = walker + 2
        if c[here] < 0.4:
            continue
    n_2 = count_2[i]
    n_4 = i0[i]
    count_5 = walker + n_4 // 3 - 5
    num_3 = nums[i]
    i0_2 = wp.bit_or(n_2, num_3)
    out[i] = num_3 + count_5 + n_4 + i0_2


@wp.kernel
def random_kernel_3(segment_ids: wp.array(dtype=int), result: wp.array(dtype=int)):
    gid = wp.tid()
    owner_idx = segment_ids[gid]
    num = owner_idx + owner_idx
    n = num << 3
    m = n >> 3
    num_2 = owner_idx % 2
    result[gid] = num + m + num_2


@wp.kernel
def random_kernel_4(
    value: wp.array2d[wp.float64],
    cluster_ids: wp.array[int],
    vec: wp.array[wp.vec4d],
    total_out: wp.array[wp.float64],
):
    i, j = wp.tid()
    w = value[i, j]
    nbr = cluster_ids[i]
    q = vec[nbr]
    acc = wp.tanh(wp.dot(vec[nbr], q))
    k = acc - w
    total_out[0] += k


@wp.kernel
def random_kernel_5(
    n: wp.array(dtype=wp.int32, ndim=2),
    i0_4: wp.array(dtype=wp.int32, ndim=2),
    i0_9: wp.array(dtype=wp.int32, ndim=2),
    num_in: wp.array(dtype=wp.int32),
    count_4: wp.array(dtype=wp.int32, ndim=2),
    h: wp.array(dtype=wp.float32, ndim=2),
    m: wp.int32,
    n_4: wp.int32,
    g: wp.float32,
    energy_total: wp.array(dtype=wp.float32),
    results: wp.array(dtype=wp.int32, ndim=2),
    out: wp.array(dtype=wp.int32, ndim=2),
):
    x, y = wp.tid()
    count = n[x, y] * 2
    num = m + n[x, y]
    count += 2
    num += 1
    i0 = n[x, y]
    count_2 = i0 // 3
    if x != 11 or y < 12:
        count = count + 5
    else:
        count = count + 2
    i0_5 = i0 * 4
    i0_6 = i0_5 // 3
    num_2 = i0_6 << 3
    n_3 = num_2 << 1
    count_3 = n_3 * 6
    i0_7 = m ^ num
    m_3 = i0_4[x, y]
    i0_8 = m_3 + n_4
    if i0_8 < 93 or count_3 == 300:
        m_4 = i0_9[x, y]
        count_2 = i0_9[x, y] + m_4
    else:
        count_2 = count_2 + 5
    i0_10 = wp.max(count_2, 74) + 5
    wp.atomic_add(energy_total, 0, g)
    i0_11 = num_in[y]
    n_5 = i0_11 // 5 + count_4[x, y] * 4
    count_5 = i0_10 * 6
    num_3 = i0_11 >> 2
    n_6 = num_3 % 6
    t = h[x, y]
    if t > 3.43:
        n_6 = n_6 + 3
    elif t > 2.13:
        n_6 = n_4 % 6
    else:
        n_6 = n_6 + 2
    results[x, y] = count_5 + i0_7 + n_5 + i0_6
    out[x, y] = m_3 + n_6 + count


@wp.kernel
def random_kernel_6(
    n: wp.array4d(dtype=int),
    index_map: wp.array(dtype=int),
    outputs: wp.array4d(dtype=int),
):
    i, j, k, l = wp.tid()
    num = n[i, j, k, l]
    owner_idx = index_map[k]
    m_2 = owner_idx & 31
    num_2 = m_2 & 3
    num += 4
    n_4 = num % 9 % 7
    outputs[i, j, k, l] = num_2 + n_4


@wp.kernel
def random_kernel_7(
    size: int,
    depth: int,
    order: wp.array(dtype=int),
    nums: wp.array(dtype=int),
    term_2: wp.array(dtype=float),
    outputs: wp.array(dtype=int),
):
    i = wp.tid()
    if i >= size:
        return
    other = order[i]
    i0 = other * 3
    num_2 = nums[i] + 3
    m_2 = order[i]
    tally = int(0)
    for k_2 in range(depth):
        if term_2[depth - 1 - k_2] > 0.48:
            tally += 1
    outputs[i] = tally + num_2 + m_2 + i0


@wp.kernel
def random_kernel_8(
    y: wp.array2d(dtype=float),
    value: wp.array2d(dtype=float),
    t: wp.array2d(dtype=float),
    m: wp.array2d(dtype=int),
    bin_ids: wp.array2d(dtype=int),
    histogram: wp.array(dtype=float),
    count: int,
    term: wp.array2d(dtype=float),
    totals: wp.array(dtype=float),
    outputs: wp.array2d(dtype=int),
):
    i, j = wp.tid()
    n = m[i, j]
    i0 = n * 5
    s = value[i, j]
    u = y[i, j]
    c = wp.sin(s * u)
    wp.atomic_add(histogram, bin_ids[i, j], c)
    num = (i0 + count) % 16
    n_4 = bin_ids[i, j]
    num_3 = n_4 ^ n
    count_2 = num_3 & 3
    bucket = wp.clamp(int((u - 0.5) * 6.0), 0, 26)
    if j != 8:
        wp.atomic_add(totals, bucket, (t[i, j] - u) / (1.0 + term[i, j] * term[i, j]))
    b = term[i, j]
    if count_2 != 1 or b > 0.15:
        num_3 = num_3 + 3
    else:
        num_3 = wp.mod(num, n)
    outputs[i, j] = num_3


@wp.kernel
def random_kernel_9(width: int, term: wp.array(dtype=float), out: wp.array(dtype=int)):
    i = wp.tid()
    matches = int(0)
    for k in range(width):
        if term[width - 1 - k] > 0.48:
            matches = matches + 1
    out[i] = matches


@wp.kernel
def random_kernel_10(
    r: wp.array3d[float],
    s: wp.array3d[float],
    q: wp.array3d[wp.vec4],
    p: wp.array3d[wp.vec4],
    order: wp.array[int],
    count: wp.array[int],
    m_2: int,
    grand_total: wp.array[float],
    output: wp.array3d[int],
    energy_total: wp.array[float],
):
    i, j, k = wp.tid()
    term = r[i, j, k]
    n = p[i, j, k]
    b = wp.length(q[i, j, k] - n)
    target_id = order[k]
    num = count[target_id]
    h = s[i, j, k]
    wp.atomic_add(grand_total, 0, term * term)
    m = target_id << 2
    if m != 36:
        m = m + 2
    count_2 = num + m
    m_3 = (m_2 << 1) % 10 + (count_2 << 4)
    output[i, j, k] = m_3 + count_2
    wp.atomic_add(energy_total, 0, b + h)
