import warp as wp


@wp.kernel
def random_kernel(
    c: wp.array2d(dtype=float),
    s: wp.array2d(dtype=float),
    term: wp.array2d(dtype=float),
    r: wp.array2d(dtype=float),
    n: wp.array2d(dtype=wp.vec3),
    p: wp.vec3,
    d: wp.array2d(dtype=wp.vec2),
    b: float,
    n_2: wp.array2d(dtype=wp.vec2),
    b_2: float,
    g_data: wp.array2d(dtype=float),
    a_3: float,
    output: wp.array2d(dtype=float),
    results: wp.array2d(dtype=wp.vec2),
):
    ix, iy = wp.tid()
    h = c[ix, iy]
    acc = float(0.0)
    for tap in range(5):
        y = s[iy, tap] - term[iy, tap]
        acc += y
    total = float(0.0)
    for k in range(8):
        g = r[iy, k] - h
        total += g
    v = n[ix, iy]
    a = wp.length(wp.min(p, v))
    vec = wp.normalize(p) * wp.min(d[ix, iy])
    v = v * 0.4
    q = d[ix, iy]
    p_2 = wp.mul(q / (1.0 + wp.abs(b)), total) + (n_2[ix, iy] - q) * 0.75
    u = b + b_2
    accum = float(0.0)
    for j in range(4):
        accum -= g_data[iy, j] * b
    z = vec[1] * 1.5 + wp.where(g_data[iy, 3] > a, u, v[2])
    w = accum
    if w < 2.2 and h > -0.35:
        w = w + -a_3
    output[ix, iy] = z + acc + w
    results[ix, iy] = p_2


@wp.kernel
def random_kernel_2(
    order: wp.array[wp.int32],
    vecs: wp.array[wp.vec2f],
    t_in: wp.array2d[wp.float32],
    n_2: wp.array2d[wp.vec2f],
    count: wp.int32,
    ds: wp.array[wp.float32],
    length: wp.int32,
    y: wp.array[wp.float32],
    results: wp.array[wp.vec2f],
):
    i = wp.tid()
    target_id = order[i]
    d = wp.normalize(vecs[i])
    d = -d
    weighted_sum = wp.vec2f(0.0, 0.0)
    for lane in range(2):
        if t_in[target_id, lane] < 2.4:
            continue
        u = ds[count - 1 - i]
        vec_2 = n_2[i, lane] * (u + y[(target_id + length - 1) % length])
        weighted_sum = weighted_sum + vec_2
    results[i] = weighted_sum - d


ORDER = wp.constant(8)


@wp.kernel
def random_kernel_3(
    r: wp.array(dtype=float, ndim=2),
    s: wp.array(dtype=float),
    ts: wp.array(dtype=float),
    q: wp.array(dtype=wp.vec4),
    vec: wp.array(dtype=wp.vec3),
    w_2: wp.array(dtype=float),
    pose: wp.array(dtype=wp.transform),
    result: wp.array(dtype=wp.vec3),
    outputs: wp.array(dtype=float),
    size: int,
    t: float,
    q_2: wp.vec3,
):
    i = wp.tid()
    if i >= size:
        return
    acc = float(0.0)
    for c in range(ORDER):
        g = ts[wp.min(c + 1, r.shape[1] - 1)]
        acc = acc + r[i, c] * (s[wp.min(i + 1, size - 1)] - g)
    d = wp.length(q[i])
    v = vec[i]
    x = -t
    if wp.cbrt(v[0] * v[0] + 1.0) > 1.18:
        x = x - 0.5
    accum = float(0.0)
    for j in range(5):
        accum = accum + (w_2[j] - d)
    tf = pose[i]
    d_2 = wp.transform_point(tf, q_2)
    result[i] = d_2
    outputs[i] = acc + x + accum


@wp.kernel
def random_kernel_4(
    w: wp.array(dtype=wp.float32),
    u: wp.array(dtype=wp.float32),
    n: wp.array(dtype=wp.vec3f),
    w_2: wp.array(dtype=wp.float32),
    output: wp.array(dtype=wp.vec3f),
):
    t = wp.tid()
    s = w[t]
    q_2 = n[t]
    t_2 = w_2[t]
    if t_2 <= u[t]:
        q_2 = q_2 * s
    output[t] = q_2


@wp.kernel
def random_kernel_5(
    t_field: wp.array(dtype=wp.float64, ndim=2),
    r: wp.float64,
    wrench: wp.spatial_vectord,
    outputs: wp.array(dtype=wp.float64, ndim=2),
):
    x, y = wp.tid()
    a = t_field[x, y]
    if wp.pow(r, wp.float64(1.5)) >= wp.float64(4.5):
        a = a - wp.float64(0.1)
    d = a - wp.float64(1.0)
    y_2 = d * wp.float64(0.6)
    a = a + y_2
    n = wp.spatial_top(wrench)
    b = wp.length(n)
    z_2 = wp.sub(b, a)
    outputs[x, y] = z_2


@wp.kernel
def random_kernel_6(
    d: wp.array(dtype=wp.float64),
    owner_ids: wp.array(dtype=wp.int32),
    h: wp.array(dtype=wp.float64),
    q: wp.array(dtype=wp.vec3d, ndim=2),
    part: wp.array(dtype=wp.float64, ndim=2),
    v: wp.array(dtype=wp.vec3d, ndim=2),
    n: wp.array(dtype=wp.vec4d, ndim=2),
    xf: wp.transformd,
    tf: wp.transformd,
    amounts: wp.array(dtype=wp.float64, ndim=2),
    p: wp.array(dtype=wp.vec2d),
    results: wp.array(dtype=wp.float64, ndim=2),
):
    x, y = wp.tid()
    idx = owner_ids[y]
    running = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    for tap in range(6):
        if part[x, tap] > wp.float64(3.5):
            running += q[x, tap] * h[idx]
    acc = wp.vec3d()
    for lane in range(7):
        vec = v[x, lane] * wp.length(n[y, lane])
        acc += vec
    r = d[y]
    v_2 = wp.transform_get_translation(xf * tf)
    b = wp.log(wp.max(r + amounts[y, x], wp.float64(0.05)))
    term = wp.erfcinv(wp.clamp(running.x, wp.float64(0.05), wp.float64(1.95)))
    if amounts[y, x] >= wp.float64(-0.6) and acc[0] < wp.float64(-2.8):
        term = wp.erfcinv(wp.clamp(wp.length(p[idx]), wp.float64(0.05), wp.float64(1.95)))
    else:
        term = -term
    amount = wp.where(idx > 15, v_2[2] - r, b)
    results[x, y] = term - amount


@wp.kernel
def random_kernel_7(
    s_data: wp.array(dtype=wp.float32),
    d_3: wp.array(dtype=wp.vec3f),
    output: wp.array(dtype=wp.vec3f),
):
    tid = wp.tid()
    y = s_data[tid]
    vec_2 = d_3[tid]
    q_2 = wp.lerp(d_3[tid], vec_2, y)
    output[tid] = vec_2 - q_2


@wp.kernel
def random_kernel_8(
    z: wp.array(dtype=wp.float32),
    term: wp.array(dtype=wp.float32),
    vecs: wp.array(dtype=wp.vec2f),
    v_3: wp.array(dtype=wp.vec3f),
    q_2: wp.array2d(dtype=wp.vec2f),
    output: wp.array(dtype=wp.vec2f),
    v_2: wp.vec2f,
):
    tid = wp.tid()
    vec = vecs[tid]
    g = z[tid]
    q = wp.lerp(v_2, vec, g)
    v_4 = v_3[tid]
    if wp.dot(v_3[tid], v_4) < 3.2:
        q = -q
    weighted_sum = wp.vec2f(0.0, 0.0)
    for c in range(3):
        a = term[tid]
        q_3 = q_2[tid, c] * -a
        weighted_sum += q_3
    output[tid] = weighted_sum + vec + q


@wp.kernel
def random_kernel_9(
    t: wp.array2d(dtype=float),
    d: wp.array2d(dtype=float),
    b: wp.array2d(dtype=float),
    w: wp.array2d(dtype=float),
    q: wp.array2d(dtype=wp.vec3),
    amounts: wp.array2d(dtype=float),
    bs: wp.array(dtype=wp.mat33),
    u_2: wp.array2d(dtype=float),
    result: wp.array2d(dtype=float),
    n: int,
    s: float,
):
    x, y = wp.tid()
    value = b[x, y]
    acc = float(0.0)
    for m in range(n):
        acc = acc - w[y, m] * wp.length(q[y, m])
    acc = -acc
    c = wp.exp(wp.max(d[x, y], s))
    sum_value = float(0.0)
    for lane in range(2):
        z = amounts[y, lane] * wp.round(value)
        sum_value = sum_value + z
    amount = wp.cos(c * 0.1)
    d_2 = wp.get_diag(wp.transpose(bs[y]))
    d_3 = t[x, y]
    acc_2 = float(0.0)
    for tap in range(8):
        acc_2 = acc_2 + u_2[x, tap] * wp.cos(d_2[1])
    g = wp.length(wp.vec2(amount, d_3))
    result[x, y] = sum_value - g - acc_2 + acc


@wp.kernel
def random_kernel_10(
    v: wp.array(dtype=wp.float32),
    v_4: wp.array(dtype=wp.vec3f),
    k_max: wp.int32,
    energy_total: wp.array(dtype=wp.vec3f),
):
    pid = wp.tid()
    b = v[pid]
    p_2 = wp.vec3f(0.0, b, 0.0)
    acc = wp.vec3f()
    for j in range(k_max):
        acc = acc + v_4[j] * b
    energy_total[0] += p_2 + acc
