"""What stands between the kernels that compute something: copies, resets, gathers, conversions, counters."""


@scene("glue", some(particle, body, vertex, joint, agent, contact, robot, ray, shape),
       says="copies the # of each @{mask: where it is selected}",
       title="copy_#|copy_@_#|store_#|save_@_#", topic="")
def copy_values(src: each(some(position, velocity, force, rotation, pose, twist, wrench, matrix3, value, temperature, label)), dst: out(some(position, velocity, force, rotation, pose, twist, wrench, matrix3, value, temperature, label)), mask: maybe(each(flag), 0.4)):
    names(mask="mask|active|selected|dirty")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            return
    dst[i] = src[i]


@scene("glue", some(particle, body, vertex, joint, agent, contact, robot, environment),
       says="resets the # of each @ whose mask is set{start: to its initial value}",
       title="reset_#|clear_#|reset_@_#|init_#", topic="")
def reset_values(start: maybe(each(some(position, velocity, force, rotation, pose, twist, wrench, matrix3, value, temperature, label)), 0.4), x: inout(some(position, velocity, force, rotation, pose, twist, wrench, matrix3, value, temperature, label)), mask: each(flag), steps: maybe(inout(count_value), 0.3)):
    names(mask="reset_mask|mask|done|needs_reset", start="initial|default|rest|init_values", steps="episode_length|step_count|age|counter")
    i = wp.tid()
    if mask[i] == 0:
        return
    if present(start):
        x[i] = start[i]
    else:
        x[i] = zero(x)
    if present(steps):
        steps[i] = 0


@scene("glue", some(particle, body, contact, ray, agent, vertex, shape),
       says="gathers the # of each @ by its index{off:, and gives zero where its flag is zero}",
       title="gather_#|gather_@_#|fetch_#|pick_#", topic="")
def gather_values(src: each(some(position, velocity, force, rotation, pose, twist, wrench, matrix3, value, temperature, label), node), source: index(node), off: maybe(each(flag), 0.3), dst: out(some(position, velocity, force, rotation, pose, twist, wrench, matrix3, value, temperature, label))):
    names(source="indices|index|ids|source_ids", j="j|idx|src_i|k", off="valid|mask|enabled|active")
    i = wp.tid()
    if present(off):
        if off[i] == 0:
            dst[i] = zero(dst)
            return
    if maybe(0.5):
        j = source[i]
        dst[i] = src[j]
    else:
        dst[i] = src[source[i]]


@scene("glue", some(particle, body, contact, joint, vertex, spring),
       says="adds the # of each @ to the node that it belongs to{count: and counts how many there were}",
       title="scatter_#|scatter_add_#|accumulate_#|sum_#_by_node", topic="")
def scatter_values(src: each(some(position, velocity, force, acceleration, momentum, torque, twist, wrench, mass, volume, energy)), target: index(node), dst: add(some(position, velocity, force, acceleration, momentum, torque, twist, wrench, mass, volume, energy), node), count: maybe(add(count_value, node), 0.35), mask: maybe(each(flag), 0.4)):
    names(target="node_ids|owner|target|indices", count="counts|num_hits|hits|degree", j="j|node|idx|owner_i", mask="active|mask|valid|enabled")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            return
    j = target[i]
    wp.atomic_add(dst, j, src[i])
    if present(count):
        wp.atomic_add(count, j, 1)


@scene("glue", some(particle, body, vertex, joint, pixel, agent, robot, sample),
       says="scales the # of each @{gain: by its own factor}{!gain: by a factor}",
       title="scale_#|multiply_#|damp_#|scale_@_#", topic="")
def scale_values(src: each(some(velocity, force, acceleration, momentum, torque, twist, wrench, matrix3, value, energy, temperature)), gain: maybe(each(weight), 0.35), factor: setting(weight, 0.1, 0.9), dst: out(some(velocity, force, acceleration, momentum, torque, twist, wrench, matrix3, value, energy, temperature))):
    names(factor="scale|factor|alpha|gain", gain="weights|gains|scales|factors")
    i = wp.tid()
    if present(gain):
        dst[i] = src[i] * gain[i]
    else:
        dst[i] = src[i] * factor


@scene("glue", some(particle, body, vertex, agent, robot, joint),
       says="moves the # of each @ towards a second one by a share{mask: where the mask is set}",
       title="blend_#|lerp_#|mix_#|interpolate_#", topic="")
def blend_values(a: each(some(position, velocity, force, acceleration, twist, wrench, matrix3, value, temperature)), b: each(some(position, velocity, force, acceleration, twist, wrench, matrix3, value, temperature)), t: setting(weight, 0.1, 0.9), mask: maybe(each(flag), 0.3), dst: out(some(position, velocity, force, acceleration, twist, wrench, matrix3, value, temperature))):
    names(a="src|prev|state_0|old_values", b="target|curr|state_1|new_values", t="alpha|t|weight|blend", mask="mask|active|selected|enabled")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            dst[i] = a[i]
            return
    if maybe(0.5):
        dst[i] = a[i] * (1.0 - t) + b[i] * t
    else:
        dst[i] = a[i] + (b[i] - a[i]) * t


@scene("glue", some(particle, body, vertex, joint, agent, sample),
       says="adds the rate times the time step to the # of each @{fixed_: that is not fixed}",
       title="integrate_#|advance_#|step_#|update_#", topic="")
def step_values(x: each(some(position, velocity, temperature, concentration, value, momentum, twist)), rate: each(some(velocity, acceleration, value, value, value, force, twist)), dt: setting(time_step), fixed_: maybe(each(flag), 0.4), dst: out(some(position, velocity, temperature, concentration, value, momentum, twist))):
    names(rate="rate|rates|dxdt|derivative", fixed_="is_fixed|kinematic|pinned|frozen")
    i = wp.tid()
    if present(fixed_):
        if fixed_[i] == 1:
            dst[i] = x[i]
            return
    dst[i] = x[i] + rate[i] * dt


@scene("glue", some(body, joint, robot, bone, sensor, camera),
       says="brings a point of each @ into the world{dir:, and a direction with it}",
       title="transform_points|local_to_world|world_points|points_to_world", topic="")
def world_points(q: each(pose), p: each(position), dir: maybe(each(normal), 0.4), p_out: out(position), dir_out: out(normal)):
    names(q="body_q|poses|xforms|transforms", p="local_points|offsets|points|local_pos", p_out="world_points|points_out|pos_out|world_pos", dir="axes|normals|local_dirs|directions", dir_out="world_axes|normals_out|world_dirs|dirs_out", X="X|xform|tf|pose")
    i = wp.tid()
    X = q[i]
    p_out[i] = wp.transform_point(X, p[i])
    if present(dir):
        dir_out[i] = wp.transform_vector(X, dir[i])


@scene("glue", some(shape, joint, contact, sensor, camera, sphere, box),
       says="places each @ in the world by the pose of the body that it is fixed to{inv:, or seen from it}",
       title="compose_transforms|update_@_transforms|attach_@s|world_@_poses", topic="")
def attach_frames(body_q: each(pose, body), parent: index(body), local: each(pose), X_out: out(pose), p_out: maybe(out(position), 0.3), r_out: maybe(out(rotation), 0.3)):
    names(body_q="body_q|body_poses|body_xforms", parent="parents|body_ids|body_index", local="local_q|offsets_tf|local_poses", X="X_wb|body_tf|parent_tf", Y="X_ws|tf|world_tf", X_out="world_q|poses_out|xforms_out", p_out="pos_out|positions_out|origins", r_out="rot_out|quats_out|orientations_out", b="b|body|parent_id")
    i = wp.tid()
    b = parent[i]
    X = body_q[b]
    if maybe(0.3, "inv"):
        Y = wp.transform_multiply(wp.transform_inverse(X), local[i])
    else:
        Y = wp.transform_multiply(X, local[i])
    X_out[i] = Y
    if present(p_out):
        p_out[i] = wp.transform_get_translation(Y)
    if present(r_out):
        r_out[i] = wp.transform_get_rotation(Y)


@scene("glue", some(body, robot, bone, satellite),
       says="splits the pose of each @ into position and rotation{qd:, and its spatial velocity into both parts}",
       title="split_poses|unpack_state|extract_@_state|unpack_@_poses", topic="")
def split_poses(q: each(pose), qd: maybe(each(twist), 0.6), p_out: out(position), r_out: out(rotation), v_out: maybe(out(velocity), 0.8), w_out: maybe(out(angular_velocity), 0.8)):
    names(q="body_q|poses|state_q|xforms", qd="body_qd|twists|state_qd|spatial_vels", p_out="pos_out|positions|root_pos", r_out="rot_out|rotations|root_rot", v_out="lin_vel|vel_out|root_lin_vel", w_out="ang_vel|omega_out|root_ang_vel", X="X|tf|q_i", V="V|qd_i|spatial_v")
    i = wp.tid()
    X = q[i]
    p_out[i] = wp.transform_get_translation(X)
    r_out[i] = wp.transform_get_rotation(X)
    if present(qd):
        V = qd[i]
        if present(v_out):
            v_out[i] = wp.spatial_top(V)
        if present(w_out):
            w_out[i] = wp.spatial_bottom(V)


@scene("glue", some(body, robot, joint, satellite),
       says="adds a force at a point of each @ to its wrench, with the torque about the centre of mass",
       title="apply_forces|add_body_forces|accumulate_wrenches|apply_@_forces", topic="")
def add_wrenches(f: each(force), p: each(position), q: each(pose), com: maybe(each(displacement), 0.5), mask: maybe(each(flag), 0.4), F_out: out(wrench), P_out: maybe(out(power), 0.4), qd: each(twist)):
    names(f="forces|ext_force|f_ext", p="points|app_points|contact_pos", q="body_q|poses|state_q", com="body_com|com|centers", mask="active|mask|enabled", F_out="body_f|wrenches|f_total", r="r|arm|lever", c="c|center|com_w", F="F|wrench|w_i", P_out="power_out|powers|work_rate", qd="body_qd|twists|state_qd")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            F_out[i] = wp.spatial_vector()
            return
    c = wp.transform_get_translation(q[i])
    if present(com):
        c = wp.transform_point(q[i], com[i])
    r = p[i] - c
    F = wp.spatial_vector(f[i], wp.cross(r, f[i]))
    F_out[i] = F
    if present(P_out):
        P_out[i] = wp.spatial_dot(F, qd[i])


@scene("glue", some(body, robot, contact, joint, sensor),
       says="computes the velocity of a point of each @ from its spatial velocity{local: in the frame of the body}",
       title="point_velocities|velocity_of_points|contact_velocities|@_point_velocity", topic="")
def point_velocities(q: each(pose), qd: each(twist), p: each(position), v_out: out(velocity), n: maybe(each(normal), 0.4), s_out: out(speed)):
    names(q="body_q|poses|state_q", qd="body_qd|twists|state_qd", p="points|world_points|contact_points", v_out="point_vel|vel_out|velocities_out", r="r|arm|offset", v="v|vel|v_p", V="V|twist|qd_i", n="normals|axes|directions", s_out="normal_speed|rel_speed|vn_out")
    i = wp.tid()
    V = qd[i]
    r = p[i] - wp.transform_get_translation(q[i])
    v = wp.spatial_top(V) + wp.cross(wp.spatial_bottom(V), r)
    if maybe(0.3, "local"):
        v = wp.quat_rotate_inv(wp.transform_get_rotation(q[i]), v)
    v_out[i] = v
    if present(n):
        s_out[i] = wp.dot(v, n[i])


@scene("glue", some(body, robot, bone, agent, camera),
       says="computes the pose of each @ relative to another one",
       title="relative_transforms|relative_poses|pose_errors|@_relative_pose", topic="")
def relative_poses(a: each(pose), b: each(pose), X_out: out(pose), d_out: maybe(out(distance), 0.5), t_out: maybe(out(angle), 0.4)):
    names(a="body_q|poses_a|current", b="target_q|poses_b|goals", X_out="rel_q|relative|error_q", d_out="pos_err|dist_out|gaps", t_out="rot_err|angles_out|turns", X="X_ab|rel|delta")
    i = wp.tid()
    X = wp.transform_inverse(a[i]) * b[i]
    X_out[i] = X
    if present(d_out):
        d_out[i] = wp.length(wp.transform_get_translation(X))
    if present(t_out):
        t_out[i] = 2.0 * wp.acos(wp.min(wp.abs(wp.transform_get_rotation(X)[3]), 0.999))


@scene("glue", "atomic", some(particle, contact, ray, agent, body, joint),
       says="counts the @s{bits: that have a bit of their flags set}{!bits: that are active}{lost: and marks the others}",
       title="count_active|count_@s|count_flagged|num_active_@s", topic="", rare=True)
def count_flagged(flags: each(count_value, range=(0, 15)), total: add(count_value, 1), lost: maybe(out(flag), 0.3), world: maybe(index(environment), 0.3), per: add(count_value, environment)):
    names(flags="flags|@_flags|state_flags|status", total="count|num_active|counter|total", lost="mask_out|removed|culled|inactive", world="@_world|world_ids|env_ids|@_env", per="world_count|count_per_world|env_counts|num_per_env")
    i = wp.tid()
    if maybe(0.7, "bits"):
        if (flags[i] & constant("FLAG_ACTIVE|ACTIVE|ENABLED|VISIBLE|FLAG_VISIBLE|COLLIDE", 2)) == 0:
            if present(lost):
                lost[i] = 1
            return
    else:
        if flags[i] == 0:
            if present(lost):
                lost[i] = 1
            return
    wp.atomic_add(total, 0, 1)
    if present(world):
        wp.atomic_add(per, world[i], 1)


@scene("glue", "integer", some(particle, body, contact, joint, agent, vertex),
       says="sets or clears a bit in the flags of each @ by whether its # is above a limit",
       title="update_flags|mark_@s|set_flags|flag_@s", topic="")
def mark_flags(x: each(some(speed, temperature, pressure, energy, distance, mass, density)), limit: each(some(speed, temperature, pressure, energy, distance, mass, density)), flags: each(count_value, range=(0, 15)), flags_out: out(count_value)):
    names(x="values|measured|current", limit="limits|thresholds|max_values", flags="flags|@_flags|status", flags_out="flags_out|new_flags|status_out", f="f|flag|bits")
    i = wp.tid()
    f = flags[i]
    if x[i] > limit[i]:
        f = f | constant("OVER_LIMIT|ALARM|HOT|EXCEEDED|FLAG_OVER|MARKED", 4)
    else:
        f = f & ~constant("OVER_LIMIT|ALARM|HOT|EXCEEDED|FLAG_OVER|MARKED", 4)
    flags_out[i] = f


@scene("glue", "stencil", cell,
       says="copies a block of four axes{mask: where its mask is set}",
       title="copy_4d|copy_block|copy_tensor|assign_4d", topic="", rare=True)
def copy_four_axes(src: each(some(value, temperature, weight, concentration, label)), mask: maybe(each(flag), 0.3), dst: out(some(value, temperature, weight, concentration, label))):
    names(mask="mask|valid|active|select")
    i, j, k, l = wp.tid()
    if present(mask):
        if mask[i, j, k, l] == 0:
            return
    dst[i, j, k, l] = src[i, j, k, l]


@scene("glue", "stencil", (batch_entry, row, column),
       says="writes a # for each row and column of each batch entry{bias:, with an offset per column}",
       title="fill_batch|copy_batch|batch_#|assign_batch", topic="")
def batch_grid(src: each(some(value, score, weight, concentration, position, velocity), batch_entry, row, column), bias: maybe(each(some(value, score, weight, concentration, position, velocity), column), 0.5), mask: maybe(each(flag, batch_entry), 0.3), dst: out(some(value, score, weight, concentration, position, velocity), batch_entry, row, column)):
    names(bias="bias|offset|shift|column_bias", mask="batch_mask|valid|active|mask")
    b, i, j = wp.tid()
    if present(mask):
        if mask[b] == 0:
            return
    if present(bias):
        dst[b, i, j] = src[b, i, j] + bias[j]
    else:
        dst[b, i, j] = src[b, i, j]
