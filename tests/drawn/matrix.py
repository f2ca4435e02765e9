import warp as wp


@wp.kernel
def random_kernel(
    r_2: wp.array(dtype=float, ndim=2),
    vecs: wp.array(dtype=wp.vec4),
    b_in: wp.array(dtype=wp.mat44, ndim=2),
    results: wp.array(dtype=wp.mat44, ndim=2),
):
    i, j = wp.tid()
    c = r_2[i, j]
    n_5 = vecs[j]
    m_2 = b_in[i, j]
    k_4 = wp.outer(n_5, n_5) * (m_2 * m_2) * c
    results[i, j] = k_4


@wp.kernel
def random_kernel_2(
    a: wp.mat33,
    t: float,
    b: wp.array2d(dtype=wp.mat33),
    b_field: wp.array2d(dtype=wp.mat33),
    result: wp.array2d(dtype=wp.mat33),
):
    x, y = wp.tid()
    m = wp.lerp(b[x, y], a, wp.clamp(t, 0.0, 1.0))
    k = b_field[x, y]
    result[x, y] = m - k


@wp.kernel
def random_kernel_3(
    m: wp.array(dtype=wp.mat33f),
    d: wp.array(dtype=wp.vec3f),
    t: wp.array(dtype=wp.float32),
    b_2: wp.array(dtype=wp.mat22f),
    in_m: wp.array(dtype=wp.mat22f),
    cluster_ids: wp.array(dtype=wp.int32),
    vecs: wp.array(dtype=wp.vec3f),
    n: wp.vec3f,
    m_2: wp.mat33f,
    x: wp.float32,
    mat_2: wp.mat44f,
    results: wp.array(dtype=wp.mat33f),
    result: wp.array(dtype=wp.mat22f),
    out: wp.array(dtype=wp.mat44f),
):
    pid = wp.tid()
    k = m[pid]
    v = d[pid]
    q = wp.cross(n, v)
    a = m_2 @ k
    b = t[pid]
    mat = wp.diag(wp.vec4f(x, b, b, 1.0))
    mat_3 = wp.transpose(wp.transpose(mat_2) @ wp.transpose(mat))
    if wp.smoothstep(0.0, 1.6, b) <= 0.5:
        q = q * b
    else:
        q = q * 0.6
    total = wp.mat22f()
    for lane in range(5):
        total = total + (b_2[wp.max(lane - 1, 0)] - b_2[lane])
    m_3 = mat_3 * b
    n_2 = in_m[pid] @ (in_m[pid] @ total)
    mat_4 = wp.outer(q, v)
    nbr = cluster_ids[pid]
    m_4 = wp.outer(vecs[nbr] * b, n)
    results[pid] = m_4 + mat_4 + a
    result[pid] = n_2
    out[pid] = m_3


@wp.kernel
def random_kernel_4(
    n: wp.vec2,
    z: wp.array[float],
    mat: wp.array[wp.mat33],
    u: wp.array2d[float],
    k: wp.array[wp.mat33],
    pose: wp.array[wp.transform],
    total_out: wp.array[wp.vec3],
    out: wp.array[wp.mat33],
    outputs: wp.array[wp.mat22],
):
    t = wp.tid()
    a = wp.transpose(wp.diag(n)) * z[t]
    b = mat[t] * z[t]
    m = wp.where(u[t, 0] < 0.98, k[t], b)
    vec = wp.transform_get_translation(pose[t])
    wp.atomic_add(total_out, 0, vec)
    out[t] = m
    outputs[t] = a


@wp.kernel
def random_kernel_5(
    q: wp.array2d[wp.vec3],
    order: wp.array[int],
    p: wp.array[wp.vec3],
    cluster_ids: wp.array[int],
    vec_in: wp.array[wp.vec3],
    mat: wp.array2d[wp.mat33],
    z: wp.array2d[float],
    in_a: wp.array2d[float],
    result: wp.array2d[wp.mat33],
):
    x, y = wp.tid()
    n = q[x, y]
    other = order[x]
    vec = p[other]
    k = wp.matrix_from_rows(n, n, vec)
    target_id = cluster_ids[y]
    v = vec_in[target_id]
    total = wp.mat33()
    for j in range(2):
        s = z[target_id, j]
        mat_2 = mat[x, j] * wp.clamp(s, 1.4, 4.25)
        total = total + mat_2
    m = wp.outer(n, vec)
    vec = vec - v
    a = wp.where(in_a[other, target_id] <= vec[1], k, mat[x, 0])
    result[x, y] = total + a + m


@wp.kernel
def random_kernel_6(
    b: wp.array(dtype=wp.float64),
    mat: wp.array2d(dtype=wp.mat33d),
    n: wp.array(dtype=wp.mat22d),
    b_2: wp.array(dtype=wp.mat22d),
    vecs: wp.array(dtype=wp.vec3d),
    w: wp.array(dtype=wp.float64),
    b_data: wp.array(dtype=wp.mat33d),
    num_elements: wp.int32,
    value: wp.float64,
    outputs: wp.array(dtype=wp.mat33d),
    out: wp.array(dtype=wp.mat22d),
):
    pid = wp.tid()
    if pid >= num_elements:
        return
    term = b[pid]
    y = term * wp.float64(0.7)
    result = wp.mat33d()
    for m in range(2):
        k = mat[pid, m] * (value * term)
        result = result + k
    a = n[pid]
    b_3 = wp.lerp(a, b_2[pid], wp.clamp(term, wp.float64(0.0), wp.float64(1.0)))
    d = vecs[pid]
    c = w[(pid + 2) % num_elements]
    if c < wp.float64(0.8) or w[pid] > wp.float64(0.5):
        y = y + (d[1] - y)
    mat_2 = b_data[pid] * y
    outputs[pid] = mat_2 - result
    out[pid] = a + b_3


@wp.kernel
def random_kernel_7(
    mat: wp.array(dtype=wp.mat33),
    value: wp.array(dtype=float),
    q: wp.array(dtype=wp.vec3),
    s: wp.array(dtype=float),
    r: wp.array(dtype=wp.quat),
    n: wp.mat33,
    amount: float,
    out: wp.array(dtype=wp.mat33),
    y: wp.array(dtype=wp.vec2),
):
    pid = wp.tid()
    a = mat[pid]
    m = wp.cw_mul(n, a)
    k = wp.transpose(a * value[pid] - a)
    n_2 = q[pid]
    b_2 = wp.skew(n_2)
    a_3 = value[pid]
    p_2 = (n_2[1] / s[pid] - amount * a_3) * wp.normalize(wp.vec2(amount, s[pid]))
    rot = r[(pid + 3) % mat.shape[0]]
    m_3 = wp.quat_to_matrix(rot) + wp.transpose(a)
    out[pid] = m_3 - m + b_2 - k
    y[pid] = p_2


@wp.kernel
def random_kernel_8(
    k: wp.array(dtype=wp.mat33),
    bs: wp.array(dtype=wp.mat22),
    x: wp.array(dtype=float),
    ts: wp.array2d(dtype=float),
    z: float,
    d: wp.vec3,
    out: wp.array(dtype=float),
    output: wp.array(dtype=wp.mat22),
):
    tid = wp.tid()
    t = wp.acos(wp.clamp(z, -0.95, 0.95))
    a = k[tid]
    v_2 = a @ d
    part = v_2[1] * t
    if part >= 1.2 or v_2[2] > v_2[0]:
        part = part * v_2[1]
    b = bs[tid] * part
    if wp.sub(x[tid], z) < 1.3:
        part = part - 0.1
    if 2.0 * part < 12.0:
        t = t * 0.8
    acc = float(0.0)
    for tap in range(2):
        acc += ts[tid, tap] * wp.sin(part)
    out[tid] = acc + t
    output[tid] = b


@wp.kernel
def random_kernel_9(
    q: wp.array(dtype=wp.vec4f, ndim=2),
    ds: wp.array(dtype=wp.float32, ndim=2),
    a: wp.array(dtype=wp.mat33f, ndim=2),
    x: wp.float32,
    mat: wp.array(dtype=wp.mat33f, ndim=2),
    a_3: wp.array(dtype=wp.mat44f, ndim=2),
    vecs: wp.array(dtype=wp.vec2f),
    output: wp.array(dtype=wp.mat22f, ndim=2),
    results: wp.array(dtype=wp.mat44f, ndim=2),
    outputs: wp.array(dtype=wp.mat33f, ndim=2),
):
    i, j = wp.tid()
    running = wp.mat33f()
    for k in range(3):
        if ds[j, k] < 0.4:
            continue
        m = a[j, k] * wp.exp(x)
        running += m
    a_2 = mat[i, j]
    b = wp.transpose(running @ a_2)
    m_2 = a_3[i, j]
    p = q[i, j]
    mat_2 = wp.outer(p, p)
    d = vecs[j]
    a_4 = wp.outer(d, d)
    output[i, j] = a_4
    results[i, j] = m_2 + mat_2
    outputs[i, j] = b - a_2


@wp.kernel
def random_kernel_10(
    count: wp.int32,
    m: wp.array(dtype=wp.mat33f),
    y: wp.array(dtype=wp.float32),
    cell_ids: wp.array(dtype=wp.int32),
    c: wp.array(dtype=wp.float32),
    k_2: wp.array(dtype=wp.mat33f),
    d: wp.array(dtype=wp.vec3f),
    inner: wp.int32,
    b_3: wp.array(dtype=wp.mat33f, ndim=2),
    results: wp.array(dtype=wp.mat33f),
):
    tid = wp.tid()
    weighted_sum = wp.mat33f()
    for tap in range(7):
        if y[tap] > 1.9:
            weighted_sum += m[(tap + count - 1) % count] * wp.min(y[(tap + count - 1) % count], 3.9)
    target_id = cell_ids[tid]
    u = c[target_id]
    v = wp.min(u, 1.1)
    if v + u < 1.0:
        v = v - 1.0
    else:
        v = v * 0.2
    a = k_2[tid]
    b_2 = wp.transpose(weighted_sum - a)
    k_4 = b_2 * v
    a_2 = wp.transpose(wp.matrix_from_rows(d[tid], d[tid], d[tid]))
    v -= 0.2
    acc = wp.mat33f()
    for t in range(1, inner):
        acc += b_3[target_id, t] * (v + u)
    results[tid] = a + k_4 - acc - a_2
