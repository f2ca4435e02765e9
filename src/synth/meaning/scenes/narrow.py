"""Numbers in narrow types, and a few rigid things."""


@scene("integer", "nested_loop", "control_flow", time_sample,
       says="mixes four tracks of sixteen-bit samples with a volume each and keeps the sum within the range",
       title="mix_tracks|sum_pcm|mixdown|audio_mixer", algorithm="mixing of 16-bit audio with saturation")
def mix_pcm(x: each(pcm_sample, time_sample, 4), vol: each(gain, 4, range=(0.1, 1.2)), mute: maybe(each(flag, 4), 0.5), master: maybe(setting(gain, 0.4, 1.0), 0.5), y: out(pcm_sample), over: maybe(add(count_value, 1), 0.6), peak: maybe(inout(count_value, 1, range=(0, 0)), 0.4)):
    names(acc="acc|bus|mix_v|sum_t", v="v|level|out_v|mixed", k="k|track|ch|lane", q="q|coded|sample_i|quantized", over="over|clipped_n|overs|saturated", vol="vol|faders|gains_k|volumes", mute="mute|muted|solo_off|silenced", peak="peak|max_level|meter|loudest")
    n = wp.tid()
    acc = float(0.0)
    for k in range(4):
        if present(mute):
            if mute[k] == 1:
                continue
        acc += vol[k] * float(x[n, k])
    if present(master):
        acc = acc * master
    match choose("limit"):
        case 2:
            v = wp.clamp(acc, -32768.0, 32767.0)
        case 1:
            note("bends before it breaks|soft saturation")
            fact("loud sums are bent towards the limit")
            v = acc * 1.0
            if wp.abs(acc) > 16384.0:
                v = wp.sign(acc) * (16384.0 + 16383.0 * wp.tanh((wp.abs(acc) - 16384.0) / 16383.0))
    if present(over):
        if wp.abs(acc) > 32767.0:
            wp.atomic_add(over, 0, 1)
    q = int(wp.trunc(v))
    y[n] = wp.int16(q)
    if present(peak):
        wp.atomic_max(peak, 0, wp.abs(q))


@scene("stencil", "vector", "control_flow", pixel,
       says="turns the readings of a depth camera into points in space",
       title="depth_to_points|unproject_depth|point_cloud_normals|camera_points", algorithm="unprojection of a depth image with normals")
def depth_points(raw: each(raw_depth), f: setting(positive_value, 20.0, 60.0), nearest: setting(count_value, 200, 500), p: out(position), n: maybe(out(normal), 0.7), valid: maybe(out(flag), 0.5), holes: maybe(add(count_value, 1), 0.4), jump: maybe(setting(distance, 0.5, 3.0), 0.5)):
    names(z="z|metres|depth_m|range_z", cx="cx|mid_x|pp_x|u0", cy="cy|mid_y|pp_y|v0", right="right|z_r|depth_r|zr", down="down|z_d|depth_d|zd", a="a|here_p|pt|center_p", b="b|right_p|pr|edge_u", c="c|down_p|pd|edge_v", nn="nn|cross_n|facing|nrm_raw", f="f|focal_px|focal_length|fx", nearest="nearest|min_mm|blind_mm|near_mm", jump="jump|max_jump|break_at|depth_gap", raw="raw|depth_mm|sensor_mm|frame16", holes="holes|missing|dropouts|invalid_n")
    i, j = wp.tid()
    if int(raw[i, j]) < nearest:
        note("no reading, or too close to believe")
        p[i, j] = wp.vec3(0.0, 0.0, 0.0)
        if present(valid):
            valid[i, j] = 0
        if present(holes):
            wp.atomic_add(holes, 0, 1)
        if present(n):
            n[i, j] = wp.vec3(0.0, 0.0, 0.0)
        return
    cx = 0.5 * float(count(pixel, 1) - 1)
    cy = 0.5 * float(count(pixel, 0) - 1)
    z = 0.001 * float(raw[i, j])
    a = wp.vec3((float(j) - cx) * z / f, (float(i) - cy) * z / f, z)
    p[i, j] = a
    if present(valid):
        valid[i, j] = 1
    if present(n):
        note("towards the right and the lower neighbour, or none at the border")
        if i == count(pixel, 0) - 1 or j == count(pixel, 1) - 1:
            n[i, j] = wp.vec3(0.0, 0.0, -1.0)
            return
        right = 0.001 * float(raw[i, j + 1])
        down = 0.001 * float(raw[i + 1, j])
        if present(jump):
            note("another object begins here|depth discontinuity")
            fact("where the depth jumps the normal faces the camera")
            if wp.abs(right - z) > jump or wp.abs(down - z) > jump:
                n[i, j] = wp.vec3(0.0, 0.0, -1.0)
                return
        b = wp.vec3((float(j + 1) - cx) * right / f, (float(i) - cy) * right / f, right)
        c = wp.vec3((float(j) - cx) * down / f, (float(i + 1) - cy) * down / f, down)
        nn = wp.cross(c - a, b - a)
        n[i, j] = wp.normalize(nn)


@scene("reduction", "ml", "nested_loop", (row, column),
       says="computes a linear layer with half-precision weights and single-precision sums, followed by {act=0:SiLU}{act=1:a rectifier}{pre_out:, and keeps the value before the activation in half precision}",
       title="linear_f16|fp16_linear|half_precision_linear")
def half_matvec(w: each(half_weight, column, feature), x: each(embedding_value, row, feature), scale: maybe(each(positive_value, column, range=(0.5, 2.0)), 0.5), bias: maybe(each(shift_beta, column), 0.5), y: out(activation), pre_out: maybe(out(half_value), 0.4)):
    names(acc="acc|sum", k="k|k", scale="scale|weight_scale", pre_out="pre_activation|preact", w="weight|w", x="x|inputs", y="y|out", bias="bias|b")
    i, j = wp.tid()
    acc = float(0.0)
    for k in range(count(feature)):
        acc += float(w[j, k]) * x[i, k]
    if present(scale):
        acc = acc * scale[j]
    if present(bias):
        acc = acc + bias[j]
    match choose("act"):
        case 1:
            y[i, j] = silu(acc)
        case 1:
            y[i, j] = wp.max(acc, 0.0)
    if present(pre_out):
        note("for the backward pass|kept in half precision")
        pre_out[i, j] = wp.float16(acc)


@scene("matrix", "fem", "vector", "multi_conditional", element,
       says="splits the deformation of each membrane element into a rotation and a stretch and limits the stretch; what is inside out is reset",
       title="limit_strain|polar_membrane|clamp_stretch|membrane_stretch", algorithm="polar decomposition in the plane with strain limiting", rare=True)
def limit_strain(f: each(plane_deformation), low: setting(ratio, 0.6, 0.9), high: setting(gain, 1.1, 1.5), f_out: out(plane_deformation), turn: maybe(out(angle), 0.6), flipped: maybe(add(count_value, 1), 0.5), energy: maybe(out(energy), 0.5)):
    names(u="u|left_m|u_rot|basis_l", s="s|sigma|stretch_v|sing", v="v|right_m|v_rot|basis_r", a="a|major|s_max|first_s", b="b|minor|s_min|second_s", det="det|area_f|jac|signed_area", low="low|min_stretch|squeeze_min|lower_s", high="high|max_stretch|stretch_max|upper_s", r="r|rot|rotation_m|polar_r", flipped="flipped|inverted|num_inverted|turned_over")
    e = wp.tid()
    det = wp.determinant(f[e])
    if det < 0.02:
        note("turned inside out or collapsed: start again from the rest shape")
        f_out[e] = wp.identity(n=2, dtype=float)
        if present(flipped):
            wp.atomic_add(flipped, 0, 1)
        if present(turn):
            turn[e] = 0.0
        if present(energy):
            energy[e] = 0.0
        return
    u, s, v = wp.svd2(f[e])
    a = wp.clamp(s[0], low, high)
    b = wp.clamp(s[1], low, high)
    f_out[e] = u * wp.diag(wp.vec2(a, b)) * wp.transpose(v)
    if present(turn):
        r = u * wp.transpose(v)
        turn[e] = wp.atan2(r[1, 0], r[0, 0])
    if present(energy):
        energy[e] = (a - 1.0) * (a - 1.0) + (b - 1.0) * (b - 1.0)


@scene("quaternion", "vector", "scalar_param", item,
       says="places cameras on an orbit around a target, each turned by angles, and gives their poses",
       title="orbit_cameras|camera_ring|place_cameras|turntable_poses")
def orbit_cameras(yaw: each(angle), pitch: each(angle, range=(-1.0, 1.0)), roll: maybe(each(angle, range=(-0.3, 0.3)), 0.5), target: setting(position), dist: setting(distance, 2.0, 6.0), x: out(pose), view: maybe(out(direction), 0.7), above: maybe(out(flag), 0.4), floor_h: maybe(setting(wave_height, -1.0, 0.0), 0.5)):
    names(x="poses|camera_poses|cam_poses|views_x", view="view|view_dirs|look_dirs|forward", q="q|rot_c|cam_q|orient", tilt="tilt|roll_i|bank|twist", p="p|eye|cam_pos|origin_c", d="d|look|fwd|axis_v", dist="dist|orbit_radius|boom|range_c", target="target|look_at|pivot|focus", above="above|over_target|is_above|looks_down", floor_h="floor_h|ground_z|floor_level|min_height")
    i = wp.tid()
    if present(roll):
        tilt = roll[i]
        q = wp.quat_rpy(tilt, pitch[i], yaw[i])
    else:
        q = wp.quat_rpy(0.0, pitch[i], yaw[i])
    note("the camera looks along its own x axis at the target")
    d = wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0))
    p = target - d * dist
    if present(floor_h):
        note("not through the floor")
        fact("cameras below the floor are lifted")
        if p[2] < floor_h:
            p[2] = floor_h
    x[i] = wp.transform(p, q)
    if present(view):
        if present(floor_h):
            view[i] = wp.normalize(target - p)
        else:
            view[i] = d
    if present(above):
        above[i] = wp.where(p[2] > target[2], 1, 0)
