"""Short steps on frames: shapes on bodies or on none, bounds, points seen from a body, blends; and on numbers of other widths."""


@scene("glue", "quaternion", "geometry", some(shape, sensor, joint, camera),
       says="places each @ in the world: by the pose of its body, or as it is where it has none{p:, with a point of it}",
       title="@_world_transforms|update_@_transforms|place_@s|world_frames", topic="")
def place_shapes(body_q: each(pose, body), on: index(body, range=(-1, 0)), local: each(pose), q_out: out(pose), p: maybe(each(position), 0.4), p_out: out(position), axis: maybe(each(normal), 0.3), axis_out: out(normal)):
    names(body_q="body_q|body_poses|state_q", on="@_body|body_ids|@_parent", local="@_transform|local_q|@_X_bs", q_out="world_q|X_out|@_X_ws", p="points|@_point|local_pos", p_out="points_out|world_pos|p_world", axis="axes|normals|local_axis", axis_out="axes_out|normals_out|world_axis", b="b|body|body_id", X="X_wb|X|body_tf", Y="X_ws|Y|tf")
    i = wp.tid()
    b = on[i]
    X = wp.transform_identity()
    note("-1 is the world itself|static ones have no body|no body: fixed to the world")
    fact("an index of -1 means that there is no body")
    if b >= 0:
        X = body_q[b]
    Y = wp.transform_multiply(X, local[i])
    q_out[i] = Y
    if present(p):
        p_out[i] = wp.transform_point(Y, p[i])
    if present(axis):
        axis_out[i] = wp.transform_vector(Y, axis[i])


@scene("glue", "quaternion", "geometry", some(contact, sensor, ray, particle, vertex),
       says="brings a point of each @ from the world into the frame of its body{n:, with a direction}",
       title="to_local_points|world_to_body|localize_points|points_to_body", topic="")
def localize_points(body_q: each(pose, body), on: index(body), p: each(position), n: maybe(each(normal), 0.5), p_out: out(position), n_out: out(normal), depth_out: maybe(out(distance), 0.3)):
    names(body_q="body_q|body_poses|state_q", on="@_body|body_ids|body_index", p="points|world_points|@_point", n="normals|directions|@_normal", p_out="local_points|points_out|@_point_local", n_out="local_normals|normals_out|dirs_out", depth_out="dist_out|range_out|gap", b="b|body|body_id", X="X_bw|X_inv|inv_tf", q="q|p_local|x_b")
    i = wp.tid()
    b = on[i]
    X = wp.transform_inverse(body_q[b])
    q = wp.transform_point(X, p[i])
    p_out[i] = q
    if present(n):
        n_out[i] = wp.transform_vector(X, n[i])
    if present(depth_out):
        depth_out[i] = wp.length(q)


@scene("glue", "quaternion", "geometry", some(shape, box, body),
       says="computes the axis-aligned bounds of each @ from its pose and its half extents{margin:, with a margin}",
       title="compute_@_aabbs|update_bounds|@_bounds|compute_aabbs", topic="")
def box_bounds(X: each(pose), h: each(half_extents), margin: maybe(setting(distance, 0.01, 0.1), 0.4), low_out: out(bound_low), high_out: out(bound_high)):
    names(X="@_X_ws|poses|world_q", h="@_size|half_size|half_extents", margin="margin|gap|expand", low_out="aabb_lower|lower|lower_out", high_out="aabb_upper|upper|upper_out", c="c|center|pos", R="R|rot|m", e="e|extent|ext")
    i = wp.tid()
    c = wp.transform_get_translation(X[i])
    R = wp.quat_to_matrix(wp.transform_get_rotation(X[i]))
    if maybe(0.5):
        e = wp.vec3(wp.abs(R[0, 0]) * h[i][0] + wp.abs(R[0, 1]) * h[i][1] + wp.abs(R[0, 2]) * h[i][2], wp.abs(R[1, 0]) * h[i][0] + wp.abs(R[1, 1]) * h[i][1] + wp.abs(R[1, 2]) * h[i][2], wp.abs(R[2, 0]) * h[i][0] + wp.abs(R[2, 1]) * h[i][1] + wp.abs(R[2, 2]) * h[i][2])
    else:
        note("a sphere around it holds in all rotations|bounding sphere")
        e = wp.vec3(wp.length(h[i]), wp.length(h[i]), wp.length(h[i]))
    if present(margin):
        e = e + wp.vec3(margin, margin, margin)
    low_out[i] = c - e
    high_out[i] = c + e


@scene("glue", "quaternion", some(body, bone, camera, joint, robot),
       says="blends two poses of each @: positions along a line, rotations along the shortest arc",
       title="interpolate_poses|blend_transforms|lerp_@_poses|interpolate_transforms", topic="")
def blend_poses(a: each(pose), b: each(pose), t: setting(weight, 0.1, 0.9), q_out: out(pose), mask: maybe(each(flag), 0.3)):
    names(a="q_prev|poses_a|state_0", b="q_next|poses_b|state_1", t="alpha|t|ratio", q_out="q_out|blended|q_new", mask="mask|active|enabled", p="p|pos|x", r="r|rot|q")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            q_out[i] = a[i]
            return
    p = wp.lerp(wp.transform_get_translation(a[i]), wp.transform_get_translation(b[i]), t)
    r = wp.quat_slerp(wp.transform_get_rotation(a[i]), wp.transform_get_rotation(b[i]), t)
    q_out[i] = wp.transform(p, r)


@scene("glue", "atomic", some(particle, body, vertex, joint, agent),
       says="finds the largest # of the @s of each world{mask:, of those that are active}",
       title="max_#|max_#_per_world|reduce_max_#|world_max", topic="")
def world_max(x: each(some(speed, energy, temperature, pressure, distance, error_value)), on: index(environment), mask: maybe(each(flag), 0.4), top: add(some(speed, energy, temperature, pressure, distance, error_value), environment)):
    names(on="@_world|world_ids|env_ids", mask="active|mask|enabled", top="max_out|world_max|peak", w="w|world|env")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            return
    w = on[i]
    wp.atomic_max(top, w, x[i])


@scene("glue", "stencil", (row, column),
       says="converts a picture of numbers between 0 and 1 to bytes{flip:, upside down if that is asked for}",
       title="to_bytes|float_to_uint8|quantize_image|pack_image", topic="")
def image_bytes(x: each(intensity, row, column, range=(-0.2, 1.3)), gain: maybe(setting(exposure, 0.5, 2.0), 0.4), flip: maybe(setting(truth), 0.4), y: out(byte_level, row, column)):
    names(x="image|src|pixels", gain="exposure|gain|scale", flip="flip|flip_y|upside_down", y="bytes_out|image_out|dst", v="v|val|c", r="r|row_out|yi")
    i, j = wp.tid()
    v = x[i, j]
    if present(gain):
        v = v * gain
    r = i
    if present(flip):
        if flip:
            r = count(row) - 1 - i
    y[r, j] = wp.uint8(wp.clamp(v, 0.0, 1.0) * 255.0)


@scene("glue", "integer", some(contact, spring, edge, particle),
       says="packs two indices of each @ into one key of 64 bits{ordered:, the smaller one first}",
       title="make_keys|pack_pairs|pair_keys|build_sort_keys", topic="")
def pair_keys(a_in: index(body), b_in: index(body), key_out: out(packed_key)):
    names(a_in="body_a|@_body0|first_ids", b_in="body_b|@_body1|second_ids", key_out="keys|sort_keys|key_out", a="a|ia|lo", b="b|ib|hi")
    i = wp.tid()
    a = a_in[i]
    b = b_in[i]
    if maybe(0.5, "ordered"):
        a = wp.min(a_in[i], b_in[i])
        b = wp.max(a_in[i], b_in[i])
    key_out[i] = (wp.int64(a) << wp.int64(32)) | wp.int64(b)


@scene("glue", "stencil", (batch_entry, row, column, feature),
       says="scales a tensor of four axes by a factor for each channel{bias: and adds an offset}",
       title="scale_channels|apply_affine|normalize_channels|channel_affine", topic="")
def channel_affine(x: each(tensor_value, batch_entry, row, column, feature), g: each(weight, feature), bias: maybe(each(value, feature), 0.5), y: out(tensor_value, batch_entry, row, column, feature)):
    names(g="gamma|scale|gain", bias="beta|bias|shift", x="x|input|src", y="y|output|dst")
    b, i, j, k = wp.tid()
    if present(bias):
        y[b, i, j, k] = x[b, i, j, k] * g[k] + bias[k]
    else:
        y[b, i, j, k] = x[b, i, j, k] * g[k]


@scene("glue", "arithmetic", some(particle, body, sample, node, joint),
       says="computes the # of each @ in double precision and adds up the squares",
       title="to_double|widen_#|double_#|accumulate_double", topic="")
def widen_values(x: each(some(value, energy, temperature, mass, density)), y: out(wide_state), total: maybe(add(wide_state, 1), 0.6)):
    names(y="wide_out|y_double|values64", total="total64|sum_sq|norm_sq", v="v|xd|w")
    i = wp.tid()
    v = wp.float64(x[i])
    y[i] = v
    if present(total):
        wp.atomic_add(total, 0, v * v)
