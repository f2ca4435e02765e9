import warp as wp


@wp.kernel
def random_kernel(
    d: wp.array(dtype=wp.vec3),
    order: wp.array(dtype=int),
    rot: wp.array(dtype=wp.quat),
    out: wp.array(dtype=wp.vec3),
):
    gid = wp.tid()
    owner_idx = order[gid]
    n = d[gid]
    vec = wp.normalize(wp.quat_rotate(rot[owner_idx], n * 0.25))
    out[gid] = vec


@wp.kernel
def random_kernel_2(
    k: wp.array[wp.mat44],
    q: wp.array[wp.vec4],
    out: wp.array[float],
):
    tid = wp.tid()
    v = q[tid]
    r = wp.ddot(k[tid], wp.outer(q[tid], v))
    out[tid] = r


@wp.kernel
def random_kernel_3(
    poses: wp.array(dtype=wp.transform),
    value: wp.array(dtype=float),
    outputs: wp.array(dtype=wp.vec3),
    out: wp.array(dtype=float),
):
    tid = wp.tid()
    xf = poses[tid]
    d = wp.transform_get_translation(xf)
    u = 2.5 * value[tid]
    p = wp.transform_get_translation(wp.transform_inverse(xf))
    outputs[tid] = p + d
    out[tid] = u


@wp.kernel
def random_kernel_4(
    vec: wp.array2d[wp.vec3],
    r: wp.array2d[float],
    num_in: wp.array2d[int],
    neighbor_ids: wp.array[int],
    m: wp.array[int],
    value: float,
    s: float,
    amount: float,
    output: wp.array2d[float],
):
    x, y = wp.tid()
    d = vec[x, y]
    u = r[x, y]
    c = wp.exp(wp.round(u))
    z = value
    idx = neighbor_ids[y]
    count = m[idx]
    if num_in[x, y] != 5 and count == 10:
        z = z + wp.tanh(value)
    g = wp.sqrt(s)
    s_2 = d[int(wp.argmax(d))]
    if wp.clamp(z, 1.5, 4.6) < 2.9:
        s_2 = s_2 * 0.4
    else:
        s_2 = s_2 * amount
    k = wp.degrees(g + s_2)
    part = d[0] + k
    output[x, y] = part + c


@wp.kernel
def random_kernel_5(
    owner_ids: wp.array[int],
    vecs: wp.array[wp.vec3],
    wrench: wp.array[wp.spatial_vector],
    rot: wp.quat,
    y: wp.array[wp.vec3],
):
    gid = wp.tid()
    owner_idx = owner_ids[gid]
    q = vecs[owner_idx]
    p = wp.spatial_bottom(wp.transform_twist(wp.transformation(q, rot), wrench[wp.max(gid - 1, 0)]))
    y[gid] = q + p


@wp.kernel
def random_kernel_6(
    n: wp.array(dtype=wp.mat44),
    vec: wp.array(dtype=wp.vec3),
    s: wp.array(dtype=float),
    c: float,
    y: wp.array(dtype=wp.vec3),
):
    gid = wp.tid()
    v = wp.determinant(n[gid])
    p = vec[gid]
    v_2 = p * v
    v_3 = v_2 - p
    if not wp.isinf(c):
        p = p * s[gid]
    y[gid] = v_3 + p


@wp.kernel
def random_kernel_7(
    neighbor_ids: wp.array[int],
    gs: wp.array[float],
    d: wp.vec3,
    outputs: wp.array[wp.vec3],
):
    i = wp.tid()
    src = neighbor_ids[i]
    v = d * gs[src]
    outputs[i] = v


@wp.kernel
def random_kernel_8(
    s: wp.array2d(dtype=wp.float32),
    r: wp.array2d(dtype=wp.float32),
    results: wp.array2d(dtype=wp.float32),
):
    ix, iy = wp.tid()
    amount = s[ix, iy]
    g = (amount + r[ix, iy]) * 0.8
    results[ix, iy] = g


@wp.kernel
def random_kernel_9(
    d: wp.array(dtype=wp.vec3, ndim=2),
    links: wp.array(dtype=int),
    vec: wp.array(dtype=wp.vec3),
    q: wp.array(dtype=wp.vec2, ndim=2),
    value: wp.array(dtype=float),
    neighbor: wp.array(dtype=int),
    w: wp.array(dtype=float),
    out: wp.array(dtype=wp.vec3, ndim=2),
    outputs: wp.array(dtype=wp.vec2, ndim=2),
):
    x, y = wp.tid()
    cell = links[y]
    p = vec[cell]
    v = d[x, y] + p
    n = q[x, y]
    t = value[cell]
    p_2 = n * t
    target_id = neighbor[x]
    x_2 = w[target_id]
    vec_2 = wp.where(cell != 2, p / (x_2 + 0.1), (d[x, y] + p) * wp.abs(v[0]))
    out[x, y] = vec_2
    outputs[x, y] = p_2 + n


@wp.kernel
def random_kernel_10(
    count: int,
    xf: wp.array(dtype=wp.transform),
    output: wp.array(dtype=wp.vec3),
):
    tid = wp.tid()
    if tid >= count:
        return
    output[tid] = wp.transform_get_translation(xf[tid])
