import warp as wp


@wp.kernel
def random_kernel(
    wrench: wp.array2d(dtype=wp.spatial_vectorf),
    value: wp.array2d(dtype=wp.float32),
    sws: wp.array2d(dtype=wp.spatial_vectorf),
    m: wp.array2d(dtype=wp.mat33f),
    sv: wp.array2d(dtype=wp.spatial_vectorf),
    frame: wp.array2d(dtype=wp.transformf),
    in_tf: wp.array2d(dtype=wp.transformf),
    tf_2: wp.array2d(dtype=wp.transformf),
    poses: wp.array2d(dtype=wp.transformf),
    rot: wp.quatf,
    c: wp.float32,
    vec: wp.vec3f,
    outputs: wp.array2d(dtype=wp.transformf),
    result: wp.array2d(dtype=wp.quatf),
    results: wp.array2d(dtype=wp.spatial_vectorf),
):
    x, y = wp.tid()
    r = wp.normalize(rot)
    sw = wrench[x, y]
    d = wp.spatial_top(c * sw)
    part = value[x, y]
    twist = wp.add(wp.sign(sw), sw * part)
    p = wp.quat_from_axis_angle(wp.normalize(d), wp.spatial_dot(twist, sw))
    q = wp.spatial_bottom(wp.normalize(sws[x, y]))
    q = m[x, y] * (vec + q)
    xf = frame[x, y]
    frame_2 = wp.transform_multiply(wp.transform_inverse(xf), in_tf[x, y])
    wrench_2 = wp.lerp(sv[x, y], sw, wp.clamp(q[0], 0.0, 1.0))
    wrench_3 = wp.transform_twist(frame_2, wrench_2)
    r_2 = wp.quat_inverse(r)
    frame_3 = xf * wp.transform_multiply(tf_2[x, y], poses[x, y])
    outputs[x, y] = frame_3
    result[x, y] = p * r_2
    results[x, y] = wrench_3


@wp.kernel
def random_kernel_2(
    n: wp.array(dtype=wp.vec3),
    owner_ids: wp.array(dtype=int),
    poses: wp.array(dtype=wp.transform),
    parent: wp.array(dtype=int),
    p: wp.array(dtype=wp.quat),
    sv: wp.array(dtype=wp.spatial_vector),
    d_2: wp.vec3,
    out: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    src = owner_ids[i]
    frame = poses[src]
    v = wp.transform_get_translation(wp.transform_multiply(wp.transform_inverse(poses[src]), wp.transform_multiply(frame, frame)))
    slot = parent[i]
    r = p[slot]
    q_2 = wp.cross(wp.quat_rotate(r, d_2), wp.spatial_bottom(sv[i]))
    if wp.isfinite(q_2[1]):
        q_2 = q_2 + n[i]
    vec = n[i]
    p_2 = wp.min(wp.quat_rotate(r, vec), vec)
    out[i] = p_2 - q_2 + v


@wp.kernel
def random_kernel_3(
    s: wp.array(dtype=wp.float32),
    in_p: wp.array(dtype=wp.vec2f),
    cell_ids: wp.array(dtype=wp.int32),
    d: wp.array(dtype=wp.vec2f),
    out: wp.array(dtype=wp.float32, ndim=3),
):
    row, col, layer = wp.tid()
    y = s[layer]
    slot = cell_ids[col]
    if wp.dot(in_p[layer], d[slot]) >= -4.0:
        y = y * 0.38
    w = s[layer]
    c = wp.cos(w)
    out[row, col, layer] = c - y + w


@wp.kernel
def random_kernel_4(
    frame: wp.array[wp.transformf],
    n: wp.array[wp.vec3f],
    c: wp.array[wp.float32],
    p: wp.array[wp.vec3f],
    k: wp.array[wp.mat33f],
    v_3: wp.array[wp.vec3f],
    result: wp.array[wp.vec3f],
    outputs: wp.array[wp.quatf],
):
    gid = wp.tid()
    tf = wp.transform_inverse(frame[gid])
    term = c[gid]
    q = wp.quat_from_axis_angle(wp.normalize(n[gid]), term)
    rot = wp.transform_get_rotation(wp.transformation(p[gid], q))
    n_2 = p[gid]
    h = wp.length(k[gid] @ n_2)
    p_2 = wp.transform_get_translation(tf)
    d_3 = v_3[(gid + 3) % frame.shape[0]]
    p_3 = wp.add(wp.cross(p_2, d_3), d_3 / (h + 0.18))
    result[gid] = n_2 + p_3
    outputs[gid] = rot


@wp.kernel
def random_kernel_5(
    bs: wp.array3d(dtype=wp.mat33),
    output: wp.array3d(dtype=wp.mat33),
):
    x, y, z = wp.tid()
    n = bs[x, y, z]
    m = n * n
    output[x, y, z] = m


@wp.kernel
def random_kernel_6(
    a: wp.array(dtype=float),
    xf: wp.array(dtype=wp.transform),
    d: wp.array(dtype=wp.vec3),
    p: wp.array(dtype=wp.vec3),
    u: float,
    num: int,
    out: wp.array(dtype=float),
):
    t = wp.tid()
    v = a[t]
    term = v / (v + 0.4)
    if term <= 0.55 or v > 0.44:
        term = term * u
    pose = xf[t]
    n = wp.transform_vector(pose, d[t])
    if num > 5:
        n = -n
    q = p[t]
    q_2 = wp.cw_mul(n, q)
    w = wp.sin(q_2[0] * term)
    out[t] = w


@wp.kernel
def random_kernel_7(
    v: wp.array(dtype=wp.vec3f),
    vecs: wp.array(dtype=wp.vec3f),
    adjacent: wp.array(dtype=wp.int32),
    p: wp.array(dtype=wp.quatf),
    frame: wp.array2d(dtype=wp.transformf),
    pose_field: wp.array4d(dtype=wp.transformf),
    result: wp.array4d(dtype=wp.quatf),
):
    row, col, layer, channel = wp.tid()
    rot = wp.quat_from_axis_angle(wp.normalize(v[channel]), wp.length(vecs[channel]))
    slot = adjacent[row]
    vec = v[channel]
    q = p[slot]
    pose = frame[channel, slot]
    q_2 = wp.transform_get_rotation(pose)
    r = wp.normalize(q_2 * q)
    xf = pose_field[row, col, layer, channel]
    p_2 = wp.transform_get_rotation(xf)
    q_3 = wp.quat_from_axis_angle(wp.normalize(vec), vec[0])
    result[row, col, layer, channel] = p_2 * rot * r * q_3


@wp.kernel
def random_kernel_8(
    k: wp.array(dtype=float),
    r_data: wp.array(dtype=wp.quat),
    rot: wp.quat,
    result: wp.array(dtype=wp.quat),
):
    tid = wp.tid()
    r = r_data[tid]
    r_2 = wp.quat_slerp(wp.normalize(rot * r), wp.normalize(r), wp.clamp(k[tid] * 2.0, 0.0, 1.0))
    result[tid] = r_2


@wp.kernel
def random_kernel_9(
    sv: wp.array(dtype=wp.spatial_vectorf, ndim=4),
    sv_2: wp.array(dtype=wp.spatial_vectorf, ndim=2),
    output: wp.array(dtype=wp.spatial_vectorf, ndim=4),
):
    ix, iy, iz, it = wp.tid()
    sw = wp.normalize(sv[ix, iy, iz, it])
    sw_2 = wp.abs(sw) + wp.cw_mul(sv[ix, iz, iz, ix], sv_2[iz, it])
    sv_3 = wp.normalize(sw_2 * 2.0)
    output[ix, iy, iz, it] = sv_3


@wp.kernel
def random_kernel_10(
    z: wp.array[float],
    s: wp.array[float],
    frame: wp.transform,
    n: wp.array[wp.vec3],
    pose_field: wp.array[wp.transform],
    partner: wp.array[int],
    vec_data: wp.array[wp.vec3],
    rs: wp.array2d[wp.quat],
    p_2: wp.array[wp.vec3],
    twist: wp.spatial_vector,
    g: wp.array[float],
    num_items: int,
    in_tf: wp.array[wp.transform],
    out: wp.array[wp.quat],
    output: wp.array[wp.vec3],
    results: wp.array[wp.transform],
):
    tid = wp.tid()
    q = wp.quat_rpy(z[tid], z[tid], s[tid])
    tf_2 = pose_field[tid]
    src = partner[tid]
    tf_3 = wp.transform_multiply(wp.transformation(vec_data[src], q), frame)
    rot = rs[tid, 0]
    r = wp.quat_inverse(rot)
    d_2 = p_2[tid]
    q_2 = wp.normalize(wp.cw_mul(d_2, d_2))
    n_2 = wp.spatial_bottom(twist)
    a = g[tid]
    v_2 = n[tid]
    v_3 = d_2 + v_2
    if src != 3:
        v_3 = -v_3
    else:
        v_3 = v_3 * a
    r_2 = wp.transform_get_rotation(wp.transform_inverse(tf_2 * in_tf[(src + num_items - 1) % num_items]))
    out[tid] = r_2 * rot * r
    output[tid] = v_3 + v_2 + q_2 - n_2
    results[tid] = tf_3
