import warp as wp


@wp.kernel
def random_kernel(
    v: wp.array1d(dtype=wp.vec3f),
    y: wp.array2d(dtype=wp.float32),
    counter: wp.array1d(dtype=wp.vec3f),
    results: wp.array1d(dtype=wp.int32),
    num_terms: wp.int32,
):
    tid = wp.tid()
    wp.atomic_add(counter, 0, v[tid])
    num_above = wp.int32(0)
    for j in range(num_terms):
        if y[tid, j] > -0.95:
            num_above += 1
    i0 = wp.max(num_above, 4) % 6
    results[tid] = i0


@wp.kernel
def random_kernel_2(
    u: wp.array2d(dtype=wp.float32),
    n: wp.array(dtype=wp.vec2f),
    d: wp.array(dtype=wp.vec2f),
    bs: wp.array(dtype=wp.mat33f),
    k: wp.float32,
    q: wp.vec3f,
    vec: wp.array2d(dtype=wp.vec3f),
    rot: wp.array(dtype=wp.quatf),
    n_2: wp.array(dtype=wp.vec3f),
    value: wp.array(dtype=wp.float32),
    c: wp.array(dtype=wp.float32),
    s: wp.array(dtype=wp.float32),
    total: wp.array(dtype=wp.float32),
    loss: wp.array(dtype=wp.float32),
    result: wp.array(dtype=wp.float32),
    output: wp.array(dtype=wp.vec3f),
):
    pid = wp.tid()
    t = u[pid, 3]
    wp.atomic_sub(total, 0, wp.dot(n[pid], d[pid]))
    mat = bs[pid]
    b = wp.ddot(wp.transpose(mat), mat * k)
    p = q - wp.cw_mul(vec[pid, 2], q)
    r = rot[pid]
    n_3 = wp.quat_rotate_inv(r, n_2[pid])
    loss[0] += b - t
    b_2 = value[u.shape[0] - 1 - pid] - (c[pid] + s[pid])
    result[pid] = b_2
    output[pid] = p - n_3


@wp.kernel
def random_kernel_3(
    a: wp.array2d(dtype=wp.float32),
    z: wp.float32,
    v: wp.array(dtype=wp.float32),
    h: wp.array2d(dtype=wp.float32),
    ts: wp.array2d(dtype=wp.float32),
    num_neighbors: wp.int32,
    g: wp.array2d(dtype=wp.float32),
    in_r: wp.array2d(dtype=wp.float32),
    r: wp.float32,
    num_terms: wp.int32,
    ds: wp.array3d(dtype=wp.float32),
    count: wp.array2d(dtype=wp.int32),
    vecs: wp.array(dtype=wp.vec3f),
    target_ids: wp.array2d(dtype=wp.int32),
    group_sums: wp.array(dtype=wp.float32),
    outputs: wp.array2d(dtype=wp.int32),
    result: wp.array2d(dtype=wp.float32),
):
    i, j = wp.tid()
    c = v[j]
    amount = wp.where(a[i, j] > 0.73, z, c)
    if wp.atan2(h[i, j], ts[i, j]) <= 0.37:
        amount = amount * c
    else:
        amount = amount - 1.0
    occupied = wp.int32(0)
    for m in range(num_neighbors):
        if g[j, m] < 0.78:
            occupied += 1
    occupied += 4
    s = in_r[i, j]
    term = wp.tan(wp.clamp((s - r) / (1.0 + wp.abs(s)), -1.2, 1.2))
    i0 = occupied >> 1
    acc = wp.float32(0.0)
    for n_idx in range(num_terms):
        k = ds[j, j, n_idx] * (term * g[j, 1])
        acc += k
    num = count[i, j] & 31
    n = vecs[j]
    y_2 = wp.dot(n, n)
    wp.atomic_sub(group_sums, target_ids[i, j], y_2)
    outputs[i, j] = i0 + num
    result[i, j] = acc + amount


R = wp.constant(0.2)


@wp.kernel
def random_kernel_4(
    u: wp.array(dtype=wp.float32),
    parent: wp.array(dtype=wp.int32),
    v: wp.array(dtype=wp.vec3f),
    labels: wp.array2d(dtype=wp.int32),
    sv: wp.array2d(dtype=wp.spatial_vectorf),
    loss: wp.array(dtype=wp.float32),
    totals: wp.array(dtype=wp.vec3f),
    buckets: wp.array(dtype=wp.int32),
    grand_total: wp.array(dtype=wp.vec3f),
    y: wp.array2d(dtype=wp.spatial_vectorf),
    d: wp.float32,
):
    row, col = wp.tid()
    c = u[col]
    k_2 = c / d
    wp.atomic_max(loss, 0, k_2)
    src = parent[row]
    slot_id = wp.clamp(wp.int32((k_2 - 0.0) * 5.5), 0, 10)
    wp.atomic_sub(totals, slot_id, v[src] / R)
    wp.atomic_sub(buckets, labels[row, col], slot_id * 7 // 5)
    twist = sv[row, col]
    wp.atomic_sub(grand_total, 0, wp.spatial_bottom(c * twist))
    y[row, col] = twist


@wp.kernel
def random_kernel_5(
    r: wp.array(dtype=float),
    bin_ids: wp.array(dtype=int),
    h: wp.array(dtype=float),
    d_in: wp.array(dtype=float),
    v: wp.array(dtype=float),
    n: wp.array(dtype=wp.vec3),
    vec_in: wp.array(dtype=wp.vec3),
    k: float,
    h_2: float,
    num_steps: int,
    group_sums: wp.array(dtype=float),
    sum_out: wp.array(dtype=float),
    results: wp.array(dtype=wp.vec3),
    output: wp.array(dtype=float),
):
    i = wp.tid()
    u = r[i]
    group_id = bin_ids[i]
    wp.atomic_max(group_sums, group_id, u)
    g = wp.cos(u) * k
    c = h[i]
    d = g + c
    k_2 = h_2 * 4.0 + 4.0 * d
    acc = float(0.0)
    for s_idx in range(num_steps):
        acc -= v[s_idx] * float(s_idx + 1)
    wp.atomic_add(sum_out, 0, wp.log(c * d_in[i]))
    vec = n[i]
    p = k_2 * vec - (vec + vec_in[i])
    results[i] = p
    output[i] = acc


@wp.kernel
def random_kernel_6(
    value: wp.float32,
    part_2: wp.float32,
    n: wp.array2d(dtype=wp.mat22f),
    p: wp.array(dtype=wp.vec3f),
    sw_data: wp.array2d(dtype=wp.spatial_vectorf),
    owner_ids: wp.array(dtype=wp.int32),
    amount: wp.array(dtype=wp.float32),
    y: wp.array2d(dtype=wp.float32),
    labels: wp.array2d(dtype=wp.int32),
    total: wp.array(dtype=wp.float32),
    bins: wp.array(dtype=wp.float32),
    result: wp.array2d(dtype=wp.float32),
):
    ix, iy = wp.tid()
    a = n[ix, iy]
    g = wp.trace(a)
    twist = sw_data[ix, iy]
    idx = owner_ids[iy]
    z = amount[idx]
    q = z * (z - g) * wp.lerp(wp.spatial_top(twist), p[iy], z)
    s = wp.rint(value)
    part = wp.where(amount[idx] < 0.8, s, y[ix, iy])
    wp.atomic_add(total, 0, part)
    x = part - amount[idx]
    term = y[ix, iy] + x - wp.tan(wp.clamp(q[0], -1.2, 1.2))
    x_2 = q[1] + amount[idx]
    h = wp.clamp(wp.ceil(part_2), -0.7, 1.0)
    k_2 = amount[idx]
    slot_id = labels[ix, iy]
    wp.atomic_max(bins, slot_id, h)
    result[ix, iy] = x_2 + term - k_2 + h


@wp.kernel
def random_kernel_7(
    n: wp.array2d(dtype=wp.int32),
    v: wp.array(dtype=wp.float32),
    bin_ids: wp.array(dtype=wp.int32),
    d: wp.array2d(dtype=wp.vec3f),
    vec: wp.array(dtype=wp.vec3f),
    vecs: wp.array(dtype=wp.vec3f),
    w: wp.float32,
    s_2: wp.float32,
    group_sums: wp.array(dtype=wp.int32),
    loss: wp.array(dtype=wp.vec3f),
    sum_out: wp.array(dtype=wp.float32),
    counter: wp.array(dtype=wp.int32),
    results: wp.array(dtype=wp.int32),
):
    gid = wp.tid()
    wp.atomic_add(group_sums, bin_ids[gid], wp.max(wp.min(n[gid, 0], 12), 6))
    u = v[gid]
    r = u + wp.length_sq(d[gid, 3])
    s = wp.clamp(u, -0.68, 0.47)
    x = s + r
    if x * u > -0.082:
        r = r * w
    v_2 = wp.dot(vec[gid] * 1.2, d[gid, 0])
    wp.atomic_sub(loss, 0, wp.abs(d[gid, 3]) * s_2)
    count = bin_ids[gid] % 10
    q = vecs[gid]
    if q[1] < 0.73:
        wp.atomic_add(sum_out, 0, r * v_2)
    wp.atomic_sub(counter, 0, 1)
    results[gid] = count


@wp.kernel
def random_kernel_8(
    v: float,
    d: wp.vec3,
    z: float,
    p: wp.array(dtype=wp.vec4),
    term: wp.array(dtype=float),
    u: wp.array(dtype=float),
    vec_field: wp.array(dtype=wp.vec3),
    labels: wp.array(dtype=int),
    histogram: wp.array(dtype=float),
    grand_total: wp.array(dtype=float),
    totals: wp.array(dtype=wp.vec3),
    y: wp.array(dtype=wp.vec3),
):
    t = wp.tid()
    n = p[t]
    bin_id = wp.min(int((n[2] - 0.0) * 9.0), 8)
    if term[t] < 2.9:
        wp.atomic_add(histogram, bin_id, wp.dot(n, n))
    a = n[int(wp.argmin(n))] + 2.5 + u[t]
    wp.atomic_add(grand_total, 0, a)
    w = wp.min(v, wp.erf(wp.clamp(a, -3.0, 3.0)))
    w_2 = wp.exp(w)
    q = (vec_field[p.shape[0] - 1 - t] + d) * w_2
    if z >= 2.4:
        wp.atomic_add(totals, labels[t], q)
    y[t] = q


@wp.kernel
def random_kernel_9(
    size: wp.int32,
    p: wp.array(dtype=wp.vec3f),
    pose: wp.transformf,
    x: wp.array(dtype=wp.float32),
    num_points: wp.int32,
    vecs: wp.array(dtype=wp.vec3f),
    sum_out: wp.array(dtype=wp.vec3f),
    outputs: wp.array(dtype=wp.vec3f),
):
    tid = wp.tid()
    if tid >= size:
        return
    q = p[tid]
    v = wp.transform_vector(wp.transform_inverse(pose), q)
    wp.atomic_add(sum_out, 0, v)
    b = wp.abs(v[1])
    s = wp.vec3f(0.0)
    for t in range(num_points):
        a = x[tid]
        s += vecs[t] * (a * a)
    outputs[tid] = wp.vec3f(s[0], b, 1.0)


@wp.kernel
def random_kernel_10(
    sw: wp.array[wp.spatial_vector],
    term: wp.array[float],
    target_ids: wp.array[int],
    count: wp.array[int],
    i0: wp.array[int],
    sv: wp.spatial_vector,
    y: float,
    vec: wp.vec3,
    amount: float,
    group_sums: wp.array[wp.vec3],
    counter: wp.array[float],
    grand_total: wp.array[int],
    total: wp.array[float],
    loss: wp.array[wp.vec3],
    output: wp.array[wp.vec3],
):
    t = wp.tid()
    q = wp.spatial_top(sw[t])
    d = wp.spatial_top(sv)
    value = term[t]
    wp.atomic_add(group_sums, target_ids[t], d)
    n = count[t]
    c = value * y
    wp.atomic_sub(counter, 0, c)
    num = i0[t]
    count_2 = wp.bit_xor(num, n)
    wp.atomic_max(grand_total, 0, count_2)
    if wp.max(c, value) < 2.4:
        c = c * 0.82
    else:
        c = -c
    s = wp.sin(q[1])
    wp.atomic_add(total, 0, s - 1.1 - wp.exp(c))
    q_2 = vec + d
    wp.atomic_add(loss, 0, wp.vec3(s, 1.0, amount))
    d_2 = q_2 * value
    output[t] = d_2
