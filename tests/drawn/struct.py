import warp as wp


@wp.kernel
def random_kernel(
    d: wp.array(dtype=wp.vec3f),
    vec: wp.array(dtype=wp.vec3f),
    part: wp.array(dtype=wp.float32),
    count: wp.array(dtype=wp.int32),
    outputs: wp.array(dtype=wp.float32),
    results: wp.array(dtype=wp.int32),
    y: wp.float32,
):
    i = wp.tid()
    p = vec[i]
    q = d[i] - p
    x = y * q[2]
    num = count[i]
    i0 = num >> 2
    m = i0 << 2
    w = part[i]
    a = wp.abs(w * 0.3) + wp.clamp(x, -1.4, 1.2)
    outputs[i] = a
    results[i] = m + i0


@wp.kernel
def random_kernel_2(
    neighbor_ids: wp.array(dtype=int),
    p: wp.array(dtype=wp.vec3, ndim=2),
    vecs: wp.array(dtype=wp.vec3),
    cell_ids: wp.array(dtype=int),
    a: wp.array(dtype=float),
    y: wp.array(dtype=float, ndim=2),
    d: wp.vec4,
    g: float,
):
    i, j = wp.tid()
    src = neighbor_ids[j]
    v = p[i, j]
    nbr = cell_ids[j]
    x = -a[nbr]
    part = wp.length_sq(d) + x * x
    if wp.min(v) >= g:
        v = -v
    k = wp.exp(v[1]) + wp.sqrt(part)
    k = k - 0.4
    a_2 = wp.sqrt(wp.sin(k) * wp.sin(k) + 1.0)
    v_2 = vecs[src]
    z = wp.length_sq(v_2)
    y[i, j] = z - a_2


@wp.kernel
def random_kernel_3(
    amount: wp.array(dtype=float),
    ts: wp.array(dtype=float),
    v: wp.array(dtype=wp.vec3),
    q: wp.array(dtype=wp.vec3),
    vec: wp.array(dtype=wp.vec3),
    v_2: wp.array(dtype=wp.vec3),
    sw: wp.array(dtype=wp.spatial_vector),
    frame: wp.array(dtype=wp.transform),
    result: wp.array(dtype=wp.vec3),
    num_samples: int,
):
    t = wp.tid()
    n = vec[t]
    b = amount[t]
    p_2 = wp.vec3(n[0], b, n[1])
    total = wp.vec3(0.0, 0.0, 0.0)
    for m in range(num_samples):
        p_3 = v_2[(m + 2) % num_samples] * ts[t]
        total = total + p_3
    d_3 = v[t] - q[t]
    d_4 = wp.spatial_bottom(sw[t]) + wp.transform_get_translation(frame[wp.max(t - 1, 0)])
    result[t] = d_3 + p_2 - total + d_4


@wp.kernel
def random_kernel_4(
    part: wp.array[float],
    a: wp.array[float],
    n: wp.array[wp.vec3],
    vec_data: wp.array[wp.vec3],
    in_u: wp.array[float],
    d: wp.array[wp.vec2],
    v: wp.array[wp.vec2],
    out: wp.array[float],
):
    i = wp.tid()
    k = part[i]
    p = n[i]
    q = wp.where(a[i] > 0.6, p, vec_data[i])
    s = wp.dot(p, p) * wp.sqrt(wp.max(k, 0.03))
    g = wp.min(s, 9.0)
    if g > q.y and s >= in_u[i]:
        g = wp.dot(d[i], wp.where(i == 57, v[i], d[i]))
    out[i] = g


@wp.kernel
def random_kernel_5(
    order: wp.array[int],
    vec: wp.array2d[wp.vec3],
    vec_data: wp.array[wp.vec3],
    s_in: wp.array[float],
    d: wp.array[wp.vec3],
    cell_ids: wp.array[int],
    rs: wp.array[wp.quat],
    d_2: wp.array[wp.vec3],
    result: wp.array[wp.vec3],
    results: wp.array[float],
):
    tid = wp.tid()
    q = vec_data[tid]
    p = wp.max(vec[tid, 0], q)
    amount = s_in[tid]
    term = amount * amount - amount
    p_2 = d[order.shape[0] - 1 - tid]
    p = p + (q - p_2)
    x = p_2[1] - 2.0 - -term - term
    nbr = cell_ids[tid]
    vec_2 = wp.normalize(wp.quat_rotate(rs[nbr], d_2[tid]))
    p_3 = (d_2[tid] + p) * 2.0
    result[tid] = vec_2 - p_3
    results[tid] = x


@wp.kernel
def random_kernel_6(
    b: wp.float32,
    count: wp.array[wp.int32],
    s_in: wp.array[wp.float32],
    part: wp.array[wp.float32],
    order: wp.array[wp.int32],
    d: wp.array[wp.float32],
    owner_ids: wp.array[wp.int32],
    rs: wp.array[wp.quatf],
    n: wp.array2d[wp.vec3f],
    h: wp.array[wp.float32],
    r: wp.array[wp.float32],
    output: wp.array[wp.float32],
    results: wp.array[wp.vec3f],
):
    t = wp.tid()
    i0 = count[t]
    w = s_in[t]
    x = w * part[t]
    nbr = order[t]
    y = d[nbr]
    z = w / wp.max(wp.abs(y), 0.43)
    if i0 < 74:
        z = z + y
    else:
        z = z + wp.pow(1.0 + wp.abs(z), 1.2)
    slot = owner_ids[t]
    q = rs[slot]
    n_2 = wp.quat_rotate(q, n[nbr, slot])
    if x > h[t] and slot != 6:
        z = z - 0.5
    num_2 = (slot >> 2) * 4
    x_2 = r[t]
    c = wp.trunc(z - x_2)
    s = b - part[t]
    value = wp.max(wp.abs(w - 1.0), 1.05)
    x_3 = wp.log10(wp.abs(wp.where(num_2 < 4, value, s)) + 0.2)
    output[t] = x_3 + x_2 + c
    results[t] = n_2


@wp.kernel
def random_kernel_7(
    n: wp.array2d[wp.vec3],
    xf: wp.array2d[wp.transform],
    output: wp.array2d[wp.vec3],
):
    row, col = wp.tid()
    frame = xf[row, col]
    q = n[row, 2]
    p = wp.transform_point(frame, q)
    output[row, col] = p + q


@wp.kernel
def random_kernel_8(
    h: wp.array(dtype=wp.float32),
    n: wp.array(dtype=wp.int32),
    p: wp.array(dtype=wp.quatf),
    vecs: wp.array2d(dtype=wp.vec3f),
    d: wp.array(dtype=wp.vec3f),
    sum_out: wp.array(dtype=wp.float32),
    out: wp.array(dtype=wp.int32),
    y: wp.float32,
):
    pid = wp.tid()
    count = wp.clamp(n[pid] << 2, 15, 57)
    s = wp.length_sq(p[pid])
    c = wp.where(y < 0.46, s, h[pid])
    term = wp.dot(wp.normalize(vecs[pid, 3]), d[pid])
    wp.atomic_add(sum_out, 0, term + c)
    out[pid] = count


W = wp.constant(4.0)


@wp.kernel
def random_kernel_9(
    sv: wp.array1d(dtype=wp.spatial_vector),
    q: wp.vec3,
    v: wp.array1d(dtype=wp.vec3),
    pose: wp.transform,
    frame: wp.array1d(dtype=wp.transform),
    k: wp.array1d(dtype=float),
    value: float,
    n_2: wp.array1d(dtype=wp.vec3),
    num_neighbors: int,
    amount: wp.array1d(dtype=float),
    x: wp.array1d(dtype=float),
    rot: wp.array2d(dtype=wp.quat),
    rs: wp.array1d(dtype=wp.quat),
    ts: wp.array1d(dtype=float),
    out: wp.array1d(dtype=float),
):
    idx = wp.tid()
    wrench = sv[idx]
    d = wp.velocity_at_point(wrench, q - wp.abs(v[idx]))
    p = wp.transform_point(pose * frame[idx] * wp.transform_inverse(frame[idx]), v[idx] / W)
    b = k[idx]
    u = b * b
    vec = wp.add(v[idx] * b, p * 0.5)
    term = wp.sqrt(b)
    b -= 0.18
    if wp.length(vec) >= term:
        u = u + (b + value)
    p_2 = v[idx]
    g = wp.dot(v[idx], n_2[idx] - p_2)
    acc = float(0.0)
    for j in range(num_neighbors):
        acc += x[wp.min(j + 1, num_neighbors - 1)] * wp.floor(u)
    part = wp.abs(d[2])
    z = amount[idx]
    rot_2 = rot[idx, 1]
    a = wp.abs(z) + wp.dot(rot_2, rs[idx]) - ts[idx]
    out[idx] = g + a + part + acc


@wp.kernel
def random_kernel_10(
    vecs: wp.array(dtype=wp.vec3f),
    s: wp.array(dtype=wp.float32),
    vec: wp.array(dtype=wp.vec3f),
    n: wp.array(dtype=wp.vec3f),
    vec_2: wp.array(dtype=wp.vec3f),
    p: wp.vec3f,
    output: wp.array(dtype=wp.vec3f),
):
    pid = wp.tid()
    q = vec[pid]
    part = wp.dot(s[pid] * vecs[pid], wp.cw_mul(vec[pid], q))
    g = s[pid]
    q_2 = n[pid] * (part * g) - wp.quat_rotate(wp.quat_from_axis_angle(wp.normalize(vecs[pid]), g), part * n[pid])
    d = vecs[pid]
    v = wp.cross(q_2, d)
    p_2 = vec_2[pid]
    q_3 = wp.cw_mul(p + p_2, p_2)
    output[pid] = v + q_3 + d
