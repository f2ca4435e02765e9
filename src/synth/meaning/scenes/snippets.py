"""Kernels of two to five statements, as they stand between those that compute something."""


@scene("glue", some(particle, body, vertex, joint, agent, contact, robot, shape, spring),
       says="sets the # of each @ to one value",
       title="fill_#|set_#|init_#|fill_@_#", topic="")
def fill_values(v: setting(value, fixed=True), dst: out(some(value, temperature, mass, radius, density, energy, weight, stiffness))):
    names(v="value|v|fill|val")
    i = wp.tid()
    dst[i] = v


@scene("glue", some(particle, body, vertex, joint, agent, shape, spring, sample),
       says="takes a step of gradient descent on the # of each @{mask:, where it may change}",
       title="gradient_step|apply_gradient|sgd_step|descend_#", topic="")
def gradient_steps(x: inout(some(rest_length, stiffness, mass, position, velocity, force, value, temperature)), grad: each(some(rest_length, stiffness, mass, position, velocity, force, value, temperature)), rate: setting(learning_rate), mask: maybe(each(flag), 0.25)):
    names(grad="grad|gradient|grads|dx", rate="lr|train_rate|alpha|step_size", mask="trainable|mask|free")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            return
    x[i] -= grad[i] * rate


@scene("glue", "atomic", some(particle, body, vertex, joint, agent, sample),
       says="adds the squared error of the # of each @ to a loss{w:, with weights}",
       title="loss_kernel|compute_loss|#_loss|mse_loss", topic="")
def squared_loss(x: each(some(position, velocity, displacement, force, acceleration)), goal: each(some(position, velocity, displacement, force, acceleration)), w: maybe(setting(weight, 0.2, 2.0), 0.4), scale: setting(count_value, 16, 128), loss_out: add(loss, 1)):
    names(goal="target|targets|reference|goal", w="weight|w|loss_weight", loss_out="loss|cost|total_loss", d="diff|delta|d|err", scale="n|batch|num_points")
    i = wp.tid()
    d = x[i] - goal[i]
    match choose("norm"):
        case 2:
            if present(w):
                wp.atomic_add(loss_out, 0, wp.dot(d, d) * w)
            else:
                wp.atomic_add(loss_out, 0, wp.dot(d, d))
        case 1:
            wp.atomic_add(loss_out, 0, wp.dot(d, d) / float(scale))


@scene("glue", some(particle, body, vertex, joint, agent, sensor),
       says="computes the rate of change of the # of each @ from two states",
       title="finite_difference|compute_#_rate|estimate_#_rate|rate_of_#", topic="")
def difference_rates(now: each(some(position, angle, temperature, value, velocity, momentum)), last: each(some(position, angle, temperature, value, velocity, momentum)), dt: setting(time_step), inv_dt: setting(frequency, 30.0, 240.0), rate: out(some(velocity, joint_speed, value, value, acceleration, force))):
    names(now="target|curr|state_1|now", last="current|prev|state_0|last", rate="rate|out_rate|rates|deriv", inv_dt="inv_dt|fps|inv_frame_dt")
    i = wp.tid()
    if maybe(0.5):
        rate[i] = (now[i] - last[i]) / dt
    else:
        rate[i] = (now[i] - last[i]) * inv_dt


@scene("glue", "vector", some(particle, vertex, contact, ray, shape, sensor),
       says="splits the # of each @ into its components",
       title="split_#|unpack_#|extract_xyz|split_xyz", topic="")
def split_components(v: each(some(position, velocity, force, normal, acceleration)), a: out(value), b: out(value), c: maybe(out(value), 0.7)):
    names(a="x_out|vx|out_x", b="y_out|vy|out_y", c="z_out|vz|out_z")
    i = wp.tid()
    a[i] = v[i][0]
    b[i] = v[i][1]
    if present(c):
        c[i] = v[i][2]


@scene("glue", "vector", some(particle, vertex, contact, agent, shape),
       says="joins three numbers of each @ to its #",
       title="pack_#|make_#|join_xyz|assemble_#", topic="")
def join_components(a: each(value), b: each(value), c: maybe(each(value), 0.7), v: out(some(position, velocity, force, acceleration))):
    names(a="xs|x_in|vx", b="ys|y_in|vy", c="zs|z_in|vz")
    i = wp.tid()
    if present(c):
        v[i] = wp.vec3(a[i], b[i], c[i])
    else:
        v[i] = wp.vec3(a[i], b[i], 0.0)


@scene("glue", "quaternion", some(body, robot, shape, camera, bone),
       says="makes the transform of each @ from its position{r: and rotation}",
       title="make_transforms|compose_#|com_transforms|set_@_frames", topic="")
def make_transforms(p: each(some(position, displacement)), r: maybe(each(rotation), 0.5), q_out: out(pose)):
    names(p="pos|body_com|offsets", r="rot|quats|orientations", q_out="xforms|X_out|body_X")
    i = wp.tid()
    if present(r):
        q_out[i] = wp.transform(p[i], wp.normalize(r[i]))
    else:
        q_out[i] = wp.transform(p[i], wp.quat_identity())


@scene("glue", "atomic", some(shape, contact, particle, joint),
       says="grows the bounding radius of the body of each @ so that it covers the @",
       title="body_radius|accumulate_radius|grow_bounds|bounding_radius", topic="")
def grow_radii(on: index(body), X: each(pose), radius_in: each(radius), radius_out: add(radius, body)):
    names(on="@_body|body_ids|@_parent", X="@_transform|local_tf|@_X", radius_in="@_radius|radii|bound_radius", radius_out="body_radius|bounds|radius_out", b="b|body|body_id", d="offset|d|reach")
    i = wp.tid()
    b = on[i]
    d = wp.length(wp.transform_get_translation(X[i]))
    wp.atomic_max(radius_out, b, d + radius_in[i])


@scene("glue", "integer", some(shape, particle, contact, joint, body),
       says="marks each @ whose kind is one of those that are supported",
       title="mark_supported|filter_kinds|select_types|is_supported", topic="")
def mark_supported(kind_of: each(label), wanted: each(label, 3), out_: out(flag)):
    names(kind_of="@_type|types|@_kind", wanted="supported_types|allowed|kinds", out_="supported|mask_out|accepted", hit="flag|found|ok", k="k|j|t")
    i = wp.tid()
    hit = int(0)
    for k in range(3):
        if kind_of[i] == wanted[k]:
            hit = 1
    out_[i] = hit


@scene("glue", "integer", environment,
       says="limits the counter of each @ to the room that there is{over:, and marks the ones that had more}",
       title="clamp_counts|limit_counts|snapshot_counts|finalize_counts", topic="")
def clamp_counts(n: each(count_value), most: setting(count_value, 5, 15), n_out: out(count_value), over: maybe(out(flag), 0.4)):
    names(n="world_count|counts|slot_counter", most="max_count|capacity|max_constraints", n_out="row_count|clamped|counts_out", over="overflow|too_many|truncated")
    i = wp.tid()
    n_out[i] = wp.min(n[i], most)
    if present(over):
        if n[i] > most:
            over[i] = 1


@scene("glue", body,
       says="writes one value into one element of an array by a single thread",
       title="write_one|set_element|set_value|write_element", topic="")
def write_one(k: each(index_value, 1, range=(0, 7)), v: each(some(position, force, velocity, rotation, value, wrench), 1), x: out(some(position, force, velocity, rotation, value, wrench), 8)):
    names(k="index|idx|slot", v="value|new_value|v")
    x[k[0]] = v[0]


@scene("glue", "quaternion", body,
       says="measures by a single thread how far a body is from its target{turn:, and how far it is turned away}",
       title="body_loss|pose_loss|distance_to_target|tracking_loss", topic="")
def body_loss(q: each(pose, body), goal: setting(position), loss_out: out(loss, 1), turn: maybe(out(angle, 1), 0.3)):
    names(q="body_q|poses|state_q", goal="target|goal|target_pos", loss_out="loss|cost|error", turn="turn_out|angle_out|tilt", d="delta|d|diff", p="pos|p|x")
    p = wp.transform_get_translation(q[0])
    d = p - goal
    loss_out[0] = wp.dot(d, d)
    if present(turn):
        turn[0] = 2.0 * wp.acos(wp.min(wp.abs(wp.transform_get_rotation(q[0])[3]), 0.999))


@scene("glue", item,
       says="advances a counter by a single thread{wrap:, which starts again at the end}{total:, and notes the time}",
       title="advance_step|next_tick|increment_step|tick", topic="")
def advance_tick(tick: inout(count_value, 1), wrap: maybe(setting(count_value, 8, 30, fixed=True), 0.4), total: maybe(inout(time_value, 1), 0.5), dt: setting(time_step)):
    names(tick="step|tick|frame|iteration", wrap="num_steps|period|max_steps", total="time|sim_time|t")
    if present(wrap):
        tick[0] = (tick[0] + 1) % wrap
    else:
        tick[0] = tick[0] + 1
    if present(total):
        total[0] = total[0] + dt


@scene("glue", "stencil", (environment, joint),
       says="copies the # of each joint in each environment{mask: that is reset}",
       title="copy_#_per_world|restore_#|reset_@_#|set_#_kernel", topic="")
def copy_per_world(src: each(some(joint_angle, joint_speed, joint_torque, value, position)), mask: maybe(each(flag, environment), 0.5), gain: maybe(setting(weight, 0.2, 1.5), 0.2), dst: out(some(joint_angle, joint_speed, joint_torque, value, position))):
    names(mask="world_mask|env_mask|reset_mask|mask", gain="scale|gain|factor")
    w, i = wp.tid()
    if present(mask):
        if mask[w] == 0:
            return
    if present(gain):
        dst[w, i] = src[w, i] * gain
    else:
        dst[w, i] = src[w, i]


@scene("glue", "atomic", (environment, joint),
       says="adds up the # of all joints of each environment{sq:, with weights}",
       title="sum_#|reduce_#|total_#|accumulate_#", topic="")
def sum_per_world(x: each(some(joint_torque, energy, power, value, error_value)), sq: maybe(each(weight), 0.3), total: add(some(joint_torque, energy, power, value, error_value), environment)):
    names(sq="weights|w|gains", total="total|sums|reward")
    w, i = wp.tid()
    if present(sq):
        wp.atomic_add(total, w, x[w, i] * sq[w, i])
    else:
        wp.atomic_add(total, w, x[w, i])


@scene("glue", environment,
       says="raises a flag for each @ of which one of two counters is above zero",
       title="record_overflow|check_failures|raise_flags|any_failed", topic="")
def raise_flags(a: each(count_value, range=(0, 2)), b: maybe(each(count_value, range=(0, 1)), 0.7), out_: out(flag)):
    names(a="failures|insert_failures|lost", b="overflows|buffer_overflows|dropped", out_="overflow|failed|error_flag")
    i = wp.tid()
    if present(b):
        if a[i] > 0 or b[i] > 0:
            out_[i] = 1
    else:
        if a[i] > 0:
            out_[i] = 1
