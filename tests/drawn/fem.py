import warp as wp


@wp.kernel
def random_kernel(
    q: wp.array2d(dtype=wp.vec2f),
    ds: wp.array(dtype=wp.float32),
    output: wp.array2d(dtype=wp.float32),
):
    row, col = wp.tid()
    v = wp.normalize(q[row, col]) / ds[col]
    g = wp.lerp(ds[col], v[1], 0.58) * ds[col]
    output[row, col] = g


@wp.kernel
def random_kernel_2(
    n: wp.array(dtype=wp.vec3),
    results: wp.array(dtype=wp.vec3),
):
    tid = wp.tid()
    v = n[tid]
    results[tid] = v


@wp.kernel
def random_kernel_3(
    q: wp.array(dtype=wp.vec3f, ndim=3),
    p: wp.array(dtype=wp.vec3f, ndim=3),
    b_data: wp.array(dtype=wp.mat33f, ndim=2),
    total: wp.array(dtype=wp.vec3f),
):
    i, j, k = wp.tid()
    d = q[i, j, k]
    vec = p[i, j, k]
    b = b_data[j, k]
    v = d + b * vec
    wp.atomic_add(total, 0, d - vec + v)


@wp.kernel
def random_kernel_4(
    mat: wp.array(dtype=wp.mat33),
    b: wp.array(dtype=float),
    y: wp.array(dtype=float),
    result: wp.array(dtype=wp.mat33),
):
    tid = wp.tid()
    k = wp.transpose(mat[tid] * b[tid])
    c = y[tid]
    t = wp.cos(c)
    a = mat[tid] * t
    result[tid] = a + k


@wp.kernel
def random_kernel_5(
    n: int,
    p: wp.array2d(dtype=wp.vec2),
    adjacent: wp.array(dtype=int),
    v: wp.array(dtype=wp.vec2),
    x: wp.array(dtype=float),
    outputs: wp.array(dtype=float),
):
    pid = wp.tid()
    if pid >= n:
        return
    src = adjacent[pid]
    q = v[src]
    vec = wp.normalize(p[pid, 0] + q)
    amount = x[wp.min(pid + 1, n - 1)]
    part = wp.exp(amount - vec.x)
    outputs[pid] = amount + part


@wp.kernel
def random_kernel_6(d: wp.array2d[wp.vec2], ds: wp.array2d[float], result: wp.array2d[wp.vec2]):
    x, y = wp.tid()
    k = ds[x, y]
    v = k * d[x, y] / (1.0 + wp.abs(k))
    result[x, y] = v


@wp.kernel
def random_kernel_7(
    v: wp.array(dtype=wp.vec2),
    s: wp.array(dtype=float),
    u: wp.array(dtype=float),
    outputs: wp.array(dtype=float),
):
    i = wp.tid()
    d = v[i]
    value = u[i]
    y = d[0] * s[i] + value * 2.4
    w = s[i]
    part = wp.max(w, -1.0)
    outputs[i] = w + part + y + value


@wp.kernel
def random_kernel_8(
    vec_in: wp.array2d(dtype=wp.vec3f),
    q: wp.array2d(dtype=wp.vec3f),
    v: wp.array2d(dtype=wp.vec3f),
    result: wp.array2d(dtype=wp.mat33f),
):
    x, y = wp.tid()
    p = vec_in[x, y]
    d = p + q[x, y]
    n = d - v[x, y]
    vec = v[x, y]
    b = wp.outer(n, vec)
    result[x, y] = b


@wp.kernel
def random_kernel_9(
    y: wp.float32,
    n_2: wp.mat22f,
    m: wp.array(dtype=wp.mat22f),
    output: wp.array(dtype=wp.mat22f),
):
    tid = wp.tid()
    t = wp.nonzero(wp.floordiv(wp.abs(y), 1.5))
    k = wp.transpose(m[tid])
    b = wp.where(y < -0.8, m[tid], k) + n_2 * t
    output[tid] = b


@wp.kernel
def random_kernel_10(
    part: wp.array[float],
    owner: wp.array[int],
    q: wp.array[wp.vec3],
    segment_ids: wp.array[int],
    a: wp.array2d[wp.mat33],
    m: wp.array[wp.mat33],
    n: wp.mat33,
    out: wp.array[wp.mat33],
):
    i = wp.tid()
    k = part[i] * 0.78
    target_id = owner[i]
    owner_idx = segment_ids[i]
    v = q[target_id]
    c = part[i]
    mat = wp.lerp(wp.diag(v), wp.where(k > c, a[target_id, owner_idx], n), 0.8)
    m_2 = m[i]
    k_2 = m_2 * n
    out[i] = m_2 + k_2 + mat
