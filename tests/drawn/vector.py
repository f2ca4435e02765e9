import warp as wp


@wp.kernel
def random_kernel(
    c_2: float,
    rot: wp.quat,
    c: wp.array2d(dtype=float),
    t: wp.array2d(dtype=float),
    vec_in: wp.array1d(dtype=wp.vec3),
    w: wp.array2d(dtype=float),
    r: wp.array2d(dtype=float),
    twist: wp.array2d(dtype=wp.spatial_vector),
    vec_field: wp.array2d(dtype=wp.vec3),
    outputs: wp.array2d(dtype=float),
    results: wp.array2d(dtype=wp.vec3),
):
    row, col = wp.tid()
    d = c[row, col]
    term = wp.clamp(d, 1.3, 4.2)
    if t[row, col] > 1.1 and row > 11:
        term = term * c[row, row]
    else:
        term = -term
    b = w[row, col]
    vec = wp.normalize(vec_in[col])
    q = vec_in[row]
    s = r[row, col]
    n_4 = wp.cross(vec, q)
    b -= 0.4
    sw = twist[row, col]
    q_2 = wp.where(c_2 > 3.9, wp.quat_rotate(rot, n_4), wp.spatial_bottom(sw))
    acc = float(0.0)
    for n_idx in range(c.shape[0]):
        acc += r[n_idx, col] * wp.length(vec_field[row, n_idx])
    outputs[row, col] = b - acc + s + term
    results[row, col] = q_2


@wp.kernel
def random_kernel_2(
    sw: wp.array(dtype=wp.spatial_vectorf),
    xf: wp.array(dtype=wp.transformf),
    vec_in: wp.array(dtype=wp.vec3f),
    output: wp.array(dtype=wp.vec3f),
    num_items: wp.int32,
):
    i = wp.tid()
    sv = sw[i]
    p = wp.spatial_top(sv)
    pose = xf[wp.min(i + 1, num_items - 1)]
    vec_2 = p / p[1] + wp.transform_point(pose, vec_in[i])
    output[i] = vec_2


@wp.kernel
def random_kernel_3(
    indices: wp.array(dtype=int),
    p: wp.array(dtype=wp.vec4),
    results: wp.array(dtype=wp.vec4),
):
    gid = wp.tid()
    src = indices[gid]
    vec = p[src]
    results[gid] = vec


@wp.kernel
def random_kernel_4(
    order: wp.array[int],
    sws: wp.array[wp.spatial_vectord],
    ds: wp.array2d[wp.float64],
    r: wp.array2d[wp.quatd],
    n: wp.array2d[wp.vec3d],
    pose_in: wp.array2d[wp.transformd],
    outputs: wp.array2d[wp.vec3d],
):
    i, j = wp.tid()
    nbr = order[i]
    p = wp.spatial_top(sws[nbr]) / (wp.float64(1.0) + ds[i, j] * ds[i, j])
    p = p * wp.float64(0.48)
    r_2 = r[j, nbr]
    xf = pose_in[i, j]
    vec = wp.quat_rotate_inv(r_2, n[i, j]) + wp.transform_point(xf, p)
    outputs[i, j] = vec


@wp.kernel
def random_kernel_5(
    order: wp.array(dtype=wp.int32),
    xf: wp.array(dtype=wp.transformf),
    v: wp.array(dtype=wp.vec3f, ndim=2),
    gs: wp.array(dtype=wp.float32, ndim=2),
    vecs_2: wp.array(dtype=wp.vec2f, ndim=2),
    d_5: wp.array(dtype=wp.vec3f, ndim=2),
    sv: wp.array(dtype=wp.spatial_vectorf),
    part: wp.float32,
    d: wp.vec2f,
    p_5: wp.vec3f,
    results: wp.array(dtype=wp.vec3f, ndim=2),
):
    x, y = wp.tid()
    idx = order[y]
    p = wp.transform_get_translation(xf[idx])
    n = part * p
    vec = v[x, y]
    q = wp.max(n, vec)
    g = gs[x, y]
    vec = -vec
    p_4 = v[x, y]
    n_2 = wp.cw_div(vec, p_4)
    w = wp.length(p_5)
    p_6 = p_4 / w
    if w > 2.6:
        q = q * 0.3
    else:
        q = -q
    vec_4 = wp.min(n_2, q)
    d_4 = p_4 * (wp.dot(vecs_2[x, y], d) + g)
    total = wp.vec3f()
    for c in range(3):
        total += d_5[idx, c] * p_6[1]
    twist = sv[idx]
    v_3 = wp.spatial_top(twist)
    results[x, y] = vec_4 + total + v_3 + d_4


@wp.kernel
def random_kernel_6(
    v: wp.array4d(dtype=wp.vec4),
    vec_field: wp.array2d(dtype=wp.vec4),
    n_3: wp.array4d(dtype=wp.vec4),
    c: wp.array2d(dtype=float),
    out: wp.array4d(dtype=wp.vec4),
):
    i, j, k, l = wp.tid()
    q = wp.min(v[i, j, k, l], vec_field[k, l])
    p_3 = n_3[i, j, k, l] / (1.0 + wp.abs(c[k, l]))
    out[i, j, k, l] = p_3 - q


@wp.kernel
def random_kernel_7(
    size: int,
    segment_ids: wp.array(dtype=int),
    v: wp.array(dtype=wp.vec3),
    x: wp.array(dtype=float),
    rot: wp.array(dtype=wp.quat),
    k: float,
    p_2: wp.array(dtype=wp.vec3),
    p_3: wp.array3d(dtype=wp.vec3),
    total_out: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    if i >= size:
        return
    target_id = segment_ids[i]
    q = v[i]
    r = rot[target_id]
    p = wp.vec3(k, 0.0, x[target_id])
    vec_2 = wp.lerp(p_2[i], p, wp.clamp(x[target_id], 0.0, 1.0))
    n_3 = wp.quat_rotate(r, q)
    s = wp.vec3(0.0, 0.0, 0.0)
    for j in range(2):
        vec_3 = p_2[i]
        q_2 = p_3[i, target_id, j] - vec_3
        s -= q_2
    wp.atomic_add(total_out, 0, n_3 - s + vec_2)


@wp.kernel
def random_kernel_8(
    adjacent: wp.array(dtype=int),
    t_in: wp.array(dtype=float),
    d_3: wp.array2d(dtype=wp.vec4),
    in_p: wp.array2d(dtype=wp.vec4),
    result: wp.array2d(dtype=wp.vec4),
):
    i, j = wp.tid()
    nbr = adjacent[i]
    part = t_in[nbr]
    n_3 = wp.vec3(part, 0.0, part)
    q_3 = wp.add(wp.normalize(d_3[j, nbr]) / (n_3[0] + 0.4), in_p[i, j])
    result[i, j] = q_3


@wp.kernel
def random_kernel_9(
    s_in: wp.array(dtype=float),
    q: wp.array(dtype=wp.vec4),
    vecs: wp.array(dtype=wp.vec3),
    d_2: wp.array(dtype=wp.vec3),
    sws: wp.array(dtype=wp.spatial_vector),
    q_4: wp.array(dtype=wp.vec4),
    z: float,
    count: int,
    wrench: wp.spatial_vector,
    output: wp.array(dtype=wp.vec4),
    y: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    v_2 = q[i]
    p = z * v_2 - v_2
    b = s_in[i]
    h = wp.exp(b)
    vec_2 = wp.where(h <= b, vecs[i], d_2[wp.min(i + 1, count - 1)])
    q_3 = wp.spatial_top(wp.lerp(wrench, sws[i], b))
    q_5 = q_4[i]
    v_3 = wp.mul(p, vec_2[0]) - (q_5 - wp.cw_mul(q_5, v_2))
    output[i] = v_3
    y[i] = q_3


vec7 = wp.types.vector(length=7, dtype=float)
vec8 = wp.types.vector(length=8, dtype=float)


@wp.kernel
def random_kernel_10(
    partner: wp.array[int],
    k: wp.array[float],
    adjacent: wp.array[int],
    y: wp.array[float],
    p: wp.array2d[wp.vec2],
    order: wp.array[int],
    q: wp.array[vec8],
    vec_field: wp.array[vec8],
    m: wp.array2d[wp.mat33],
    d_3: wp.array2d[wp.vec4],
    d_4: wp.array[vec7],
    q_2: wp.array2d[wp.vec4],
    out: wp.array2d[wp.vec4],
    result: wp.array2d[vec7],
    output: wp.array2d[vec8],
    frame: wp.transform,
    vec: wp.vec3,
    vec_2: wp.vec4,
):
    i, j = wp.tid()
    owner_idx = partner[j]
    s = wp.clamp(k[owner_idx], 0.18, 0.73)
    other = adjacent[j]
    g = y[other]
    if k[owner_idx] <= s and g <= 0.32:
        s = s * 0.6
    else:
        s = s + wp.sin(g)
    d = wp.transform_point(frame, vec)
    h = wp.abs(s - 1.0)
    g = g * 0.3
    s = wp.tanh(wp.where(g > 0.23, h, k[owner_idx]))
    target_id = order[j]
    v = q[target_id]
    v_2 = wp.max(v, vec_field[target_id])
    z = k[target_id]
    d_2 = p[i, j]
    r = wp.determinant(m[i, j]) + wp.max(d_2)
    v_3 = d_3[other, target_id]
    v_4 = vec_2
    if d[0] < -4.3 and r > s:
        v_4 = v_4 * r
    v_5 = wp.min(d_4[target_id], wp.lerp(d_4[target_id], d_4[owner_idx], z))
    n_2 = q_2[i, j]
    vec_3 = wp.min(v_4, wp.max(wp.cw_mul(n_2, v_3), v_3))
    out[i, j] = vec_3 - n_2
    result[i, j] = v_5
    output[i, j] = v + v_2
