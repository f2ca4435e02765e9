import warp as wp


@wp.kernel
def random_kernel(
    i0: wp.array(dtype=wp.int32, ndim=2),
    nums: wp.array(dtype=wp.int32),
    out: wp.array(dtype=wp.int32, ndim=2),
):
    ix, iy = wp.tid()
    n = i0[ix, iy]
    num_2 = i0[ix, iy]
    if num_2 == 0:
        n = n + 4
    elif num_2 == 1:
        n = n + 1
    elif num_2 == 2:
        n = n + 3
    elif num_2 == 3:
        n = n + 5
    else:
        n = nums[iy]
    out[ix, iy] = n + num_2


@wp.kernel
def random_kernel_2(
    num: wp.array2d(dtype=int),
    tf: wp.array2d(dtype=wp.transform),
    d: wp.array2d(dtype=wp.vec3),
    in_r: wp.array2d(dtype=float),
    h: wp.array2d(dtype=float),
    i0_2: wp.array2d(dtype=int),
    amounts: wp.array2d(dtype=float),
    r: float,
    output: wp.array2d(dtype=wp.vec3),
    outputs: wp.array2d(dtype=int),
):
    row, col = wp.tid()
    n_2 = num[row, col]
    c_3 = wp.atan2(h[row, col], r)
    count_2 = num[row, col]
    if count_2 == 0:
        c_3 = -c_3
    elif count_2 == 1:
        c_3 = c_3 - 0.14
    if c_3 > 1.1 or in_r[row, col] < 0.55:
        count_2 = count_2 + 4
    else:
        count_2 = i0_2[row, col]
    pose = tf[row, col]
    w_2 = amounts[row, col]
    vec = wp.transform_point(pose, d[row, col] * w_2)
    output[row, col] = vec
    outputs[row, col] = n_2 + count_2


@wp.kernel
def random_kernel_3(
    s: float,
    t_2: float,
    num_2: int,
    t: wp.array1d(dtype=float),
    value: wp.array2d(dtype=float),
    in_x: wp.array2d(dtype=float),
    h: wp.array2d(dtype=float),
    n: wp.array2d(dtype=int),
    r: wp.array2d(dtype=float),
    count: wp.array2d(dtype=int),
    nums: wp.array2d(dtype=int),
    gs: wp.array2d(dtype=float),
    amounts: wp.array2d(dtype=float),
    results: wp.array2d(dtype=float),
    output: wp.array2d(dtype=int),
):
    x, y = wp.tid()
    term = t[y]
    v = value[x, y]
    k = value[x, y] / wp.max(wp.abs(v), 0.45)
    if v < -0.53:
        k = -k
    elif v < -0.168:
        k = k - 0.8
    elif v < 0.16:
        k = k * 0.4
    elif v < 0.54:
        u = in_x[x, y]
        k = k * u
    w = h[x, y]
    v = wp.acos(wp.clamp(k, -0.95, 0.95)) * 0.2
    m = n[x, y]
    if m == 0:
        term = term * v
    elif m == 1:
        term = term + s
    else:
        z = in_x[x, y]
        term = wp.where(s > 0.4, z, wp.atan(z))
    if term < 0.54:
        v = v + -v
    elif term < 0.96:
        v = v - 0.3
    elif term < 1.57:
        v = v * w
    else:
        v = v * 0.74
    if t_2 < -0.54:
        v = v * 0.6
    elif t_2 < -0.23:
        v = v * 0.7
    elif t_2 < 0.29:
        v = v - 0.6
    elif t_2 < 0.51:
        v = v * v
    else:
        v = v * 0.56
    part = r[x, y]
    i0_2 = count[x, y] % 12
    count_2 = wp.where(part > 0.3, i0_2 + 7 - 5, wp.clamp(i0_2, 1, 7) - 4)
    m_3 = wp.where(v < 0.52, num_2, nums[x, y])
    if count_2 == 2:
        k = -k
    else:
        term_2 = gs[x, y]
        k = k + wp.abs(term_2)
    y_2 = amounts[x, y]
    a = y_2 * y_2
    results[x, y] = a + k
    output[x, y] = m_3


@wp.kernel
def random_kernel_4(
    i0: wp.array2d(dtype=int),
    t: wp.array(dtype=float),
    cell_ids: wp.array(dtype=int),
    results: wp.array(dtype=int),
):
    gid = wp.tid()
    count = i0[gid, 2]
    s = t[gid]
    cell = cell_ids[gid]
    g = s
    if wp.erfinv(wp.clamp(g, -0.95, 0.95)) <= 1.0:
        g = g * 0.2
    num = cell_ids[gid]
    if cell % 3 == 0 and g <= 0.64:
        num = num + 4
    results[gid] = num + count


@wp.kernel
def random_kernel_5(
    num: wp.array(dtype=int),
    i0: wp.array(dtype=int),
    w: wp.array(dtype=float),
    n: int,
    count_2: int,
    n_3: int,
    result: wp.array(dtype=int),
):
    t = wp.tid()
    s = w[t]
    if s < -0.46:
        count = i0[t] * 3
    elif s < -0.04:
        count = n + 5
    elif s < 0.51:
        count = count_2 * 4
    else:
        count = n_3 - 2
    n_4 = num[t]
    result[t] = n_4 + count


@wp.kernel
def random_kernel_6(
    y: float,
    a: float,
    amount: wp.array2d[float],
    s: wp.array[float],
    ds: wp.array[float],
    vec_field: wp.array[wp.vec3],
    vec: wp.array[wp.vec3],
    gs: wp.array[float],
    count: wp.array[int],
    d_in: wp.array[float],
    output: wp.array[float],
):
    tid = wp.tid()
    h = wp.exp(-y)
    if h < 0.19 and a > 0.15:
        h = -h
    else:
        term = amount[tid, 0]
        h = wp.cos(wp.clamp(term, 0.675, 1.66))
    h -= 0.8
    h = h * 0.5
    b = h - s[tid] / (ds[(tid + amount.shape[0] - 1) % amount.shape[0]] + 0.78)
    r = s[tid]
    q = vec_field[tid] - vec[tid]
    value = gs[tid]
    d_2 = value + amount[tid, 0]
    if wp.copysign(q[2], r) > 1.8:
        d_2 = -d_2
    i0 = count[tid]
    if i0 == 0:
        b = b + wp.clamp(d_2, -2.0, 2.8)
    elif i0 == 1:
        b = b * 0.5
    elif i0 == 2:
        b = b * q[2]
    s_2 = b + r
    if s_2 <= 2.9 and value < d_in[tid]:
        s_2 = s_2 + d_in[tid]
    else:
        s_2 = s_2 - 0.8
    output[tid] = s_2


@wp.kernel
def random_kernel_7(
    vec: wp.vec4d,
    part: wp.float64,
    h: wp.float64,
    s_2: wp.float64,
    count: wp.array[int],
    v: wp.array[wp.float64],
    s: wp.array[wp.float64],
    vecs: wp.array[wp.vec4d],
    z: wp.array[wp.float64],
    out: wp.array[wp.float64],
):
    tid = wp.tid()
    w = v[tid] * wp.float64(0.25)
    r = s[tid]
    if w < v[tid] and r > wp.float64(-0.35):
        w = -w
    k = wp.length(vec + wp.normalize(vecs[tid]))
    if k > wp.float64(2.8):
        w = -w
    elif k > wp.float64(1.8):
        w = w - wp.float64(0.3)
    elif k > wp.float64(1.09):
        w = w * part
    else:
        w = w * wp.float64(0.7)
    u_2 = v[tid]
    if r > wp.float64(0.4):
        u_2 = u_2 - wp.float64(0.2)
    elif r > wp.float64(-0.423):
        u_2 = u_2 - wp.float64(0.1)
    else:
        u_2 = u_2 + wp.sin(w)
    b = v[tid]
    num = count[tid]
    if num == 1:
        b = -b
    elif num == 2:
        b = b * wp.float64(0.4)
    t = v[tid]
    if t < wp.float64(0.57):
        u_2 = u_2 - wp.float64(0.4)
    elif t < wp.float64(0.98):
        u_2 = u_2 * wp.float64(0.7)
    elif t < wp.float64(1.52):
        u_2 = u_2 - wp.float64(0.1)
    u_3 = wp.min(t, wp.float64(1.2))
    if wp.sqrt(wp.abs(u_2) + wp.float64(0.82)) < wp.float64(1.12):
        u_3 = u_3 - wp.float64(0.6)
    else:
        u_3 = b + h + u_3
    if t * s_2 > wp.float64(1.3):
        u_3 = u_3 - wp.float64(0.82)
    else:
        u_3 = u_3 * z[tid]
    out[tid] = u_3


@wp.kernel
def random_kernel_8(
    m: wp.array(dtype=wp.int32),
    v: wp.array(dtype=wp.float32),
    q: wp.array(dtype=wp.vec3f),
    u: wp.array(dtype=wp.float32),
    count: wp.array(dtype=wp.int32),
    k: wp.array(dtype=wp.float32),
    x: wp.float32,
    outputs: wp.array(dtype=wp.float32),
    result: wp.array(dtype=wp.int32),
):
    gid = wp.tid()
    n_2 = count[gid]
    i0 = count[gid] + n_2
    w = k[gid]
    u_2 = w
    r = u[gid]
    if r < -1.35:
        u_2 = u_2 * 0.2
    elif r < -0.316:
        u_2 = u_2 - 0.8
    elif r < 0.3:
        u_2 = u_2 - 0.9
    elif r < 1.0:
        u_2 = u_2 * 0.6
    else:
        u_2 = -u_2
    h = v[gid]
    part = wp.neg(h + w)
    vec_3 = q[gid]
    g = wp.length(vec_3)
    m_2 = m[gid]
    if m_2 == 0:
        g = -g
    elif m_2 == 1:
        g = g + w * x
    g = -g
    outputs[gid] = g + u_2 + part
    result[gid] = i0 + m_2


@wp.kernel
def random_kernel_9(
    t: wp.array3d[float],
    d: wp.array3d[float],
    n: wp.array3d[wp.vec3],
    in_x: wp.array3d[float],
    h: wp.array2d[float],
    w: wp.array[float],
    outputs: wp.array3d[float],
):
    x, y, z = wp.tid()
    v = t[x, y, z]
    vec = n[x, y, z]
    a = d[x, y, z]
    value_2 = wp.clamp(a, 0.487, 1.43)
    if x % 3 == 0 and vec[0] < in_x[x, y, z]:
        value_2 = value_2 * 0.3
    value_2 = -value_2
    v = v - 0.38
    term = h[y, z]
    if term < 0.26:
        v = v + wp.where(value_2 > -0.93, w[z], term)
    elif term < 0.48:
        v = v * 0.3
    elif term < 0.72:
        t_3 = w[x]
        v = wp.cos(t_3) - t[x, y, x]
    else:
        v = v * vec[1]
    outputs[x, y, z] = v


@wp.kernel
def random_kernel_10(
    num: int,
    i0: wp.array1d(dtype=int),
    count_2: wp.array1d(dtype=int),
    term: wp.array1d(dtype=float),
    nums: wp.array1d(dtype=int),
    out: wp.array1d(dtype=int),
):
    gid = wp.tid()
    m = i0[gid]
    n_2 = count_2[gid]
    v_3 = term[gid]
    count_3 = num | n_2
    if v_3 < 1.6:
        count_3 = count_3 + 4
    elif v_3 < 2.9:
        count_3 = count_3 + 1
    elif v_3 < 4.0:
        count_3 = count_3 + 2
    else:
        count_3 = wp.step(n_2)
    count_4 = nums[gid] >> 3
    out[gid] = count_3 + count_4 + m
