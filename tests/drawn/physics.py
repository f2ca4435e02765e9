import warp as wp


@wp.kernel
def random_kernel(
    q: wp.array3d[wp.vec3],
    p: wp.array3d[wp.vec3],
    segment_ids: wp.array[int],
    k: wp.array[wp.mat33],
    results: wp.array3d[wp.vec3],
):
    x, y, z = wp.tid()
    n = q[x, y, z]
    value = wp.determinant(wp.matrix_from_cols(n, p[x, y, z], q[z, y, z]))
    owner_idx = segment_ids[z]
    m = k[owner_idx]
    vec = wp.get_diag(m)
    v = vec * value - n
    results[x, y, z] = v


@wp.kernel
def random_kernel_2(z: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    x, y = wp.tid()
    r = z[y]
    c = wp.sin(r)
    if c > 0.4 or x != 3:
        c = c - 0.9
    out[x, y] = c + r


@wp.kernel
def random_kernel_3(p: wp.array[wp.vec3], results: wp.array[wp.vec3]):
    gid = wp.tid()
    d = p[gid]
    v = d * d[0]
    results[gid] = v


@wp.kernel
def random_kernel_4(
    pose: wp.transform,
    d: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
    results: wp.array[wp.vec3],
):
    t = wp.tid()
    n = d[t]
    p = v[t]
    q = wp.quat_rotate(wp.transform_get_rotation(pose), n - p) * 0.6
    results[t] = n + q + p


@wp.kernel
def random_kernel_5(
    v: wp.array2d(dtype=wp.vec3),
    neighbor: wp.array(dtype=int),
    gs: wp.array(dtype=float),
    outputs: wp.array2d(dtype=float),
):
    row, col = wp.tid()
    p = v[row, col]
    u = wp.length_sq(p)
    target_id = neighbor[row]
    s = u + gs[target_id]
    outputs[row, col] = s


@wp.kernel
def random_kernel_6(
    num_elements: wp.int32,
    b: wp.array(dtype=wp.float64),
    outputs: wp.array(dtype=wp.float64),
):
    pid = wp.tid()
    if pid >= num_elements:
        return
    term = b[pid]
    y = term * wp.float64(0.7)
    y = y + (term - wp.float64(1.9))
    outputs[pid] = y


@wp.kernel
def random_kernel_7(
    x: wp.array(dtype=float),
    y: wp.array(dtype=float),
    count: int,
    result: wp.array(dtype=float),
):
    i = wp.tid()
    value = x[(i + count - 1) % count]
    amount = wp.pow(value, 0.5)
    if y[i] > -0.95:
        amount = amount * 0.8
    result[i] = amount


@wp.kernel
def random_kernel_8(
    q: wp.array1d(dtype=wp.quatf),
    n: wp.array1d(dtype=wp.vec3f),
    results: wp.array1d(dtype=wp.vec3f),
):
    i = wp.tid()
    rot = q[i]
    v = n[i]
    results[i] = wp.quat_rotate(rot, v)


@wp.kernel
def random_kernel_9(
    partner: wp.array(dtype=wp.int32),
    z: wp.array(dtype=wp.float32),
    value: wp.array(dtype=wp.float32, ndim=2),
    total: wp.array(dtype=wp.float32),
):
    i, j = wp.tid()
    idx = partner[i]
    d = z[idx]
    c = wp.exp(wp.atan2(d, wp.log2(value[i, j])))
    wp.atomic_add(total, 0, c)


@wp.kernel
def random_kernel_10(
    n: wp.vec3,
    d: wp.array[wp.vec2],
    v: wp.array[float],
    vecs: wp.array[wp.vec3],
    outputs: wp.array[float],
):
    tid = wp.tid()
    p = d[tid]
    part = wp.max(p)
    term = v[wp.min(tid + 1, d.shape[0] - 1)]
    if part + term > 2.7:
        vec = vecs[tid]
        part = wp.determinant(wp.outer(vec, n))
    outputs[tid] = term + part
