import warp as wp


@wp.kernel
def random_kernel(w: wp.array2d[float], out: wp.array[float], count: int):
    t = wp.tid()
    if t >= count:
        return
    weighted_sum = float(0.0)
    for lane in range(8):
        y = w[t, lane] * w[t, lane]
        weighted_sum += y
    out[t] = weighted_sum


@wp.kernel
def random_kernel_2(
    b_2: wp.array(dtype=wp.mat33),
    y: wp.array(dtype=wp.vec3),
    outputs: wp.array(dtype=float),
    b: float,
    vec: wp.vec3,
):
    t = wp.tid()
    s = wp.sqrt(wp.max(b, 0.09))
    mat = b_2[t]
    q = mat * vec
    y[t] = q
    outputs[t] = s


ORDER = wp.constant(6)


@wp.kernel
def random_kernel_3(
    bin_ids: wp.array2d[int],
    v: wp.array2d[wp.vec2],
    histogram: wp.array[int],
    results: wp.array2d[wp.vec2],
):
    x, y = wp.tid()
    histogram[bin_ids[x, y]] += 1
    acc = wp.vec2(0.0, 0.0)
    for j in range(ORDER):
        acc += v[y, j]
    results[x, y] = acc


@wp.kernel
def random_kernel_4(
    partner: wp.array(dtype=wp.int32),
    c: wp.array(dtype=wp.float32),
    b: wp.array2d(dtype=wp.float32),
    vec: wp.array2d(dtype=wp.vec3f),
    mat: wp.array2d(dtype=wp.mat33f),
    xf: wp.array2d(dtype=wp.transformf),
    q: wp.vec3f,
    tf: wp.array2d(dtype=wp.transformf),
    rot: wp.array2d(dtype=wp.quatf),
    total: wp.array(dtype=wp.vec3f),
    outputs: wp.array2d(dtype=wp.quatf),
    y: wp.array2d(dtype=wp.vec3f),
    results: wp.array2d(dtype=wp.float32),
):
    i, j = wp.tid()
    cell = partner[i]
    part = b[i, j]
    p = mat[i, j] @ vec[i, j] * part
    v = wp.where(part >= 1.5, part, p[0]) * c[cell] * wp.abs(c[cell])
    pose = wp.transform_inverse(xf[j, cell])
    n = c[cell] * q
    v_2 = wp.transform_point(wp.transform_multiply(pose, pose), q)
    wp.atomic_sub(total, 0, v_2)
    r = rot[i, j]
    q_2 = wp.where(c[cell] <= 0.4, wp.transform_get_rotation(tf[i, j]), r)
    outputs[i, j] = q_2 * r
    y[i, j] = v_2 + n
    results[i, j] = v


@wp.kernel
def random_kernel_5(
    p: wp.array(dtype=wp.vec4f),
    v: wp.array(dtype=wp.vec4f),
    r: wp.array(dtype=wp.float32),
    m: wp.array2d(dtype=wp.int32),
    bs: wp.array(dtype=wp.mat44f),
    d: wp.array(dtype=wp.vec4f),
    vecs: wp.array(dtype=wp.vec4f),
    q: wp.array(dtype=wp.vec4f),
    k: wp.array(dtype=wp.mat44f),
    out: wp.array(dtype=wp.vec4f),
    num_points: wp.int32,
    count: wp.int32,
    a: wp.float32,
):
    i = wp.tid()
    s = wp.vec4f()
    for c in range(8):
        vec = v[wp.min(c + 1, count - 1)] * (r[num_points - 1 - i] + a)
        s = s + vec
    i0 = m[i, 3]
    if i0 == 0:
        s = -s
    elif i0 == 1:
        s = s + wp.min(s, p[i])
    elif i0 == 2:
        s = wp.get_diag(bs[i]) + s[2] * p[i]
    elif i0 == 3:
        s = d[i]
    else:
        s = s * 0.68
    d_2 = r[i]
    if d_2 > 0.742:
        s = s * d_2
    elif d_2 > 0.54:
        s = k[i] * wp.min(vecs[i], q[i])
    elif d_2 > 0.23:
        s = -s
    out[i] = s


@wp.kernel
def random_kernel_6(
    n: wp.array(dtype=wp.vec3),
    x: wp.array2d(dtype=float),
    q: wp.array(dtype=wp.vec4),
    r: wp.array2d(dtype=float),
    vec_in: wp.array(dtype=wp.vec4),
    vec: wp.vec3,
    a: float,
    v: wp.vec4,
    results: wp.array(dtype=float),
):
    pid = wp.tid()
    p = vec + n[pid]
    h = p.y
    if h < -0.025:
        p = p * a
    elif h < 1.8:
        p = -p
    elif h < 3.3:
        p = p * p[int(wp.argmax(p))]
    elif h < 4.88:
        p = p * h
    else:
        p = p * 0.4
    acc = float(0.0)
    for j in range(3):
        acc += x[pid, j] * wp.asin(wp.clamp(p[2], -0.95, 0.95))
    d = q[pid]
    g = r[pid, 1]
    k = wp.min(wp.length(v + d), wp.log2(g))
    if k > 1.45:
        g = g + wp.acos(wp.clamp(p[2], -0.95, 0.95))
    elif k > 0.575:
        g = wp.length_sq(vec_in[pid])
    elif k > -0.22:
        g = -g
    else:
        g = g * 0.6
    results[pid] = acc - g


@wp.kernel
def random_kernel_7(
    c_2: wp.array[float],
    i0: wp.array[int],
    outputs: wp.array[int],
    width: int,
):
    tid = wp.tid()
    match_id = int(-1)
    for k in range(width):
        if c_2[wp.max(k - 1, 0)] > 0.55:
            match_id = k
            break
    i0_2 = i0[tid]
    outputs[tid] = i0_2 + match_id


@wp.kernel
def random_kernel_8(
    part: wp.array(dtype=wp.float32),
    z: wp.array(dtype=wp.float32),
    gs: wp.array(dtype=wp.float32),
    ds: wp.array2d(dtype=wp.float32),
    output: wp.array(dtype=wp.float32),
):
    t = wp.tid()
    v = part[t]
    k = v
    if wp.exp(k) > 1.344:
        k = k + z[t]
    a = gs[t]
    x = 0.3 * a
    accum_2 = wp.float32(0.0)
    for c in range(3):
        accum_2 += ds[t, c] * (x * k)
    output[t] = accum_2


@wp.kernel
def random_kernel_9(
    width: int,
    p: wp.array2d(dtype=wp.vec3),
    term: wp.array4d(dtype=float),
    cluster_ids: wp.array(dtype=int),
    amounts: wp.array(dtype=float),
    s: float,
    nums: wp.array4d(dtype=int),
    num_2: int,
    grand_total: wp.array(dtype=wp.vec3),
    energy_total: wp.array(dtype=float),
    counter: wp.array(dtype=int),
    total: wp.array(dtype=wp.vec3),
    loss: wp.array(dtype=float),
):
    ix, iy, iz, it = wp.tid()
    weighted_sum = wp.vec3(0.0, 0.0, 0.0)
    for t in range(width):
        n = p[ix, t]
        weighted_sum = weighted_sum + n
    wp.atomic_add(grand_total, 0, weighted_sum)
    cell = cluster_ids[ix]
    h = amounts[cell]
    b = term[ix, iy, iz, it] * h - s
    wp.atomic_add(energy_total, 0, b)
    wp.atomic_min(counter, 0, wp.where(s > -0.75, nums[ix, iy, iz, it] * 7, wp.clamp(num_2, 3, 14)))
    wp.atomic_add(total, 0, weighted_sum * 1.2)
    wp.atomic_add(loss, 0, b - h)


@wp.kernel
def random_kernel_10(
    num_data: wp.array(dtype=wp.int32),
    m: wp.array(dtype=wp.int32),
    s_field: wp.array(dtype=wp.float32),
    group_ids: wp.array(dtype=wp.int32),
    num_items: wp.int32,
    num_neighbors: wp.int32,
    histogram: wp.array(dtype=wp.float32),
    out: wp.array(dtype=wp.int32),
):
    t = wp.tid()
    if t >= num_items:
        return
    i0 = num_data[t]
    n = wp.clamp(i0, 15, 70)
    num_above = wp.int32(0)
    for j in range(num_neighbors):
        if m[wp.max(j - 1, 0)] < 4:
            num_above = num_above + 1
    y = wp.log10(s_field[t])
    wp.atomic_max(histogram, group_ids[t], y)
    out[t] = num_above + n + i0
