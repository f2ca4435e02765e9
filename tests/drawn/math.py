import warp as wp


TAP_COUNT = wp.constant(5)


@wp.kernel
def random_kernel(
    size: wp.int32,
    z: wp.array[wp.float32],
    d: wp.array[wp.float32],
    output: wp.array[wp.float32],
):
    pid = wp.tid()
    amount_3 = z[pid]
    z_2 = wp.min(amount_3, 0.25)
    result = wp.float32(0.0)
    for m in range(TAP_COUNT):
        result = result + d[size - 1 - m] * wp.float32(m + 1)
    output[pid] = z_2 + result


@wp.kernel
def random_kernel_2(
    s_data: wp.array2d(dtype=wp.float32),
    neighbor: wp.array(dtype=wp.int32),
    y: wp.array2d(dtype=wp.float32),
    vecs: wp.array(dtype=wp.vec4f),
    n: wp.array2d(dtype=wp.vec2f),
    u: wp.array3d(dtype=wp.float32),
    q_2: wp.vec4f,
    outputs: wp.array2d(dtype=wp.vec2f),
    output: wp.array2d(dtype=wp.float32),
):
    ix, iy = wp.tid()
    z = s_data[ix, iy]
    nbr = neighbor[ix]
    vec_2 = vecs[nbr]
    z_2 = wp.dot(wp.sub(q_2, vec_2), wp.normalize(vec_2)) * 0.26
    b = z_2 - z
    s = wp.vec2f(0.0)
    for tap in range(3):
        g = y[ix, iy]
        n_2 = n[iy, tap] * wp.sin(g)
        if u[ix, nbr, tap] < -0.6:
            s += n_2
    outputs[ix, iy] = s
    output[ix, iy] = b


@wp.kernel
def random_kernel_3(
    y: wp.array(dtype=float),
    s: wp.array(dtype=float),
    n: wp.array(dtype=wp.vec3),
    neighbor: wp.array(dtype=int),
    in_p: wp.array(dtype=wp.vec3),
    output: wp.array(dtype=float),
):
    i = wp.tid()
    x = y[i]
    v = wp.tanh(x) + s[i]
    c = x * v
    v = -v
    owner_idx = neighbor[i]
    r = wp.dot(n[i], in_p[owner_idx]) + -v
    z = wp.tan(wp.clamp(r, -1.2, 1.2))
    output[i] = c + z


@wp.kernel
def random_kernel_4(
    order: wp.array[int],
    r: wp.array[float],
    amount: wp.array2d[float],
    vec: wp.array2d[wp.vec2],
    output: wp.array2d[wp.vec2],
    out: wp.array2d[float],
):
    ix, iy = wp.tid()
    owner_idx = order[iy]
    g = wp.tanh(r[owner_idx] * r[owner_idx])
    h = r[owner_idx]
    b = wp.atan(h)
    u = wp.lerp(-amount[iy, owner_idx], wp.radians(h), g)
    v = vec[ix, iy]
    output[ix, iy] = v
    out[ix, iy] = u + b


@wp.kernel
def random_kernel_5(
    d: wp.array(dtype=float),
    value: wp.array(dtype=float),
    vec_field: wp.array(dtype=wp.vec3),
    t_data: wp.array(dtype=float),
    term: wp.array2d(dtype=float),
    in_p: wp.array(dtype=wp.vec4),
    amounts: wp.array2d(dtype=float),
    rot: wp.array(dtype=wp.quat),
    in_m: wp.array(dtype=wp.mat33),
    n: int,
    width: int,
    y_2: float,
    vec: wp.vec4,
    output: wp.array(dtype=float),
):
    t = wp.tid()
    if t >= n:
        return
    y = d[t]
    c = wp.exp(wp.clamp(y, -4.0, 4.0))
    if y * c > c:
        c = c - 0.62
    b = wp.sqrt(wp.abs(value[t]) + 0.1)
    x = value[t] * 2.9
    p = vec_field[t]
    z = wp.dot(p, p)
    total = float(0.0)
    for n_idx in range(width):
        if term[t, n_idx] > 0.3:
            total = total + t_data[n_idx] * (z * y_2)
    c = c - 0.96
    v_2 = in_p[t]
    k = wp.dot(v_2, vec)
    if wp.atan2(y, x) < 0.62:
        total = total + wp.floor(amounts[t, 2])
    else:
        total = total + p.x
    a = wp.dot(wp.quat_inverse(rot[t]), wp.quat_from_matrix(in_m[t]))
    d_2 = wp.sqrt(wp.max(a, 0.07))
    z_2 = (b - c) * wp.length(p)
    output[t] = k + z_2 + d_2 - total


@wp.kernel
def random_kernel_6(
    in_p: wp.array[wp.vec3],
    term: wp.array[float],
    c: wp.array[float],
    vecs: wp.array2d[wp.vec3],
    u: wp.array[float],
    k_max: int,
    length: int,
    t: float,
    value: float,
    energy_total: wp.array[float],
):
    i = wp.tid()
    acc = wp.vec3()
    for n_idx in range(k_max):
        acc = acc + in_p[(n_idx + 2) % k_max] * term[wp.min(i + 1, length - 1)]
    a = wp.cos(c[length - 1 - i])
    v = wp.sin(t)
    amount = a * wp.cos(v) + c[i] * c[i] * 0.2
    x = amount * 4.0
    acc_2 = wp.vec3(0.0, 0.0, 0.0)
    for lane in range(3):
        acc_2 = acc_2 + vecs[i, lane] * (term[i] * value)
    v = wp.erfc(wp.clamp(wp.lerp(x, amount, 0.72), -3.0, 3.0))
    y = wp.length(acc_2)
    h = acc[1] - v + y + u[i]
    wp.atomic_add(energy_total, 0, h)


@wp.kernel
def random_kernel_7(
    rot: wp.array(dtype=wp.quat, ndim=3),
    v: wp.array(dtype=wp.vec3, ndim=3),
    p: wp.array(dtype=wp.vec3, ndim=3),
    s_field: wp.array(dtype=float, ndim=3),
    cluster_ids: wp.array(dtype=int),
    part: wp.array(dtype=float),
    vecs_2: wp.array(dtype=wp.vec3),
    u: float,
    results: wp.array(dtype=float, ndim=3),
):
    row, col, layer = wp.tid()
    vec = v[row, col, layer]
    d = p[row, col, layer]
    x = wp.dot(wp.quat_rotate(rot[row, col, layer], vec), vec + d)
    slot = cluster_ids[row]
    c = wp.abs(-u)
    w = part[slot]
    h = wp.tanh(c) * w
    a = h - w
    term = wp.length(vecs_2[slot])
    amount = wp.max(vec)
    if s_field[row, col, layer] < 0.98 and row != 2:
        x = -x
    results[row, col, layer] = term + amount + a - x


@wp.kernel
def random_kernel_8(
    w: wp.array(dtype=float),
    h: wp.array(dtype=float),
    links: wp.array(dtype=int),
    n: wp.array(dtype=wp.vec3),
    y: wp.array(dtype=wp.vec3),
):
    tid = wp.tid()
    s = w[tid] * 0.3
    d = s * w[tid]
    owner_idx = links[tid]
    v = n[owner_idx]
    p = v * d / (1.0 + wp.abs(h[tid]))
    y[tid] = v + p


@wp.kernel
def random_kernel_9(
    q_2: wp.quat,
    r_2: float,
    value: float,
    x: wp.array2d(dtype=float),
    neighbor_ids: wp.array(dtype=int),
    rot: wp.array(dtype=wp.quat),
    w: wp.array2d(dtype=float),
    s_field: wp.array3d(dtype=float),
    outputs: wp.array2d(dtype=float),
):
    row, col = wp.tid()
    nbr = neighbor_ids[row]
    q = rot[nbr]
    t = -wp.dot(q_2, q)
    s = wp.pow(1.0 + wp.abs(t + r_2), 2.4)
    running = float(0.0)
    for tap in range(2):
        v_2 = w[row, tap] - x[row, col]
        running += v_2
    acc = float(0.0)
    for j in range(6):
        acc += s_field[col, nbr, j] * wp.max(value, s)
    amount = wp.sign(running * acc)
    outputs[row, col] = amount


AMOUNT = wp.constant(0.34)


@wp.kernel
def random_kernel_10(
    size: int,
    num_items: int,
    t: float,
    s: wp.array(dtype=float),
    y: wp.array(dtype=float),
    d: wp.array(dtype=float),
    ds: wp.array(dtype=float),
    v: wp.array(dtype=float),
    out: wp.array(dtype=float),
):
    i = wp.tid()
    term = s[i]
    z = wp.smoothstep(0.0, 1.8, term)
    if term >= 0.48 or not wp.isnan(term):
        z = z - 0.6
    else:
        z = z + y[(i + size - 1) % size]
    w = wp.max(d[i], ds[i])
    if z > 0.77:
        w = w - 0.7
    acc = float(0.0)
    for j in range(5):
        acc += v[(j + num_items - 1) % num_items]
    x = wp.min(wp.div(AMOUNT, 1.0 + wp.abs(t)), 0.21)
    u = acc * x
    out[i] = w + u
