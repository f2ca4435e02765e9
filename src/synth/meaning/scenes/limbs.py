"""Chains, clips and poses: reaching with limbs, blending of movements, cameras found from points."""


@scene("quaternion", "geometry", "combined", "nested_loop", robot,
       says="bends chains of joints until their ends reach the targets, {method=0:turning one joint after the other from the end}{method=1:turning all joints a little along the pull of the target}{method=2:by pulling the joints into line, forth and back}{limit:, no joint by more than a limit}",
       title="reach_targets|solve_chains|chain_ik", topic="", lossy=True)
def reaching_chains(joint: inout(position, robot, 6, range=(-1.0, 1.0)), target: each(position, robot), bone_len: each(link_length, robot, 6, range=(0.2, 0.5)), limit: maybe(setting(angle, 0.1, 0.4), 0.5), pole: maybe(each(position, robot), 0.35), rounds: setting(steps_value, 2, 6), tol: setting(tolerance, 0.001, 0.01), gap_out: out(distance, robot), done_out: maybe(out(flag, robot), 0.5), rounds_out: maybe(out(count_value, robot), 0.4), reach_out: maybe(out(ratio, robot), 0.4)):
    names(tip="tip|end_pos|effector", goal="goal|t_pos|aim", gap="gap|miss|dist_left", a="a|to_tip|arm", b="b|to_goal|want", axis="axis|turn_axis|rot_axis", angle="angle|turn|theta", q="q|dq|turn_q", k="k|j|at_joint", root="root|base|anchor", pull="pull|torque_j|push", done="done|reached|close_enough", it="it|rounds_done|iters", total="total|arm_length|span", side="side|to_pole|bend_dir", pivot="pivot|origin_j|center_j")
    names(joint="joints|joint_pos", target="targets|goals", bone_len="bone_len|bone_lengths", limit="max_turn|angle_limit", pole="poles|pole_pos", rounds="rounds|max_iters", gap_out="gap_out|error_out", done_out="done_out|reached_out", rounds_out="rounds_out|iterations", reach_out="reach_out|stretch_out")
    r = wp.tid()
    goal = target[r]
    root = joint[r, 0]
    total = float(0.0)
    for s in range(constant("LAST|LAST_JOINT|TIP", 5)):
        total += bone_len[r, s]
    if maybe(0.5):
        note("out of reach: aim at the farthest point in that direction|bring the target within reach")
        if wp.length(goal - root) > total:
            goal = root + wp.normalize(goal - root) * total
    gap = wp.length(joint[r, constant("LAST|LAST_JOINT|TIP", 5)] - goal)
    it = int(0)
    while it < rounds and gap > tol:
        match choose("method"):
            case 2:
                k = int(constant("LAST|LAST_JOINT|TIP", 5)) - 1
                while k >= 0:
                    pivot = joint[r, k]
                    a = wp.normalize(joint[r, constant("LAST|LAST_JOINT|TIP", 5)] - pivot)
                    b = wp.normalize(goal - pivot)
                    axis = wp.cross(a, b)
                    angle = wp.atan2(wp.length(axis), wp.dot(a, b))
                    if present(limit):
                        angle = wp.min(angle, limit)
                    if wp.length(axis) > constant("AXIS_EPS|MIN_AXIS|EPS", 1.0e-4):
                        note("everything beyond the joint turns with it|turn the rest of the chain")
                        q = wp.quat_from_axis_angle(wp.normalize(axis), angle)
                        m = int(k) + 1
                        while m <= constant("LAST|LAST_JOINT|TIP", 5):
                            joint[r, m] = pivot + wp.quat_rotate(q, joint[r, m] - pivot)
                            m += 1
                    k -= 1
            case 2:
                k = int(0)
                while k < constant("LAST|LAST_JOINT|TIP", 5):
                    pivot = joint[r, k]
                    tip = joint[r, constant("LAST|LAST_JOINT|TIP", 5)]
                    note("the torque of a spring from the end to the target|transpose of the Jacobian")
                    pull = wp.cross(tip - pivot, goal - tip)
                    angle = constant("GAIN|STEP_GAIN|ALPHA", 0.5) * wp.length(pull)
                    if present(limit):
                        angle = wp.min(angle, limit)
                    if wp.length(pull) > constant("AXIS_EPS|MIN_AXIS|EPS", 1.0e-4):
                        q = wp.quat_from_axis_angle(wp.normalize(pull), angle)
                        m = int(k) + 1
                        while m <= constant("LAST|LAST_JOINT|TIP", 5):
                            joint[r, m] = pivot + wp.quat_rotate(q, joint[r, m] - pivot)
                            m += 1
                    k += 1
            case 2:
                note("from the end: put it on the target and let the others follow|backward reach")
                joint[r, constant("LAST|LAST_JOINT|TIP", 5)] = goal
                k = int(constant("LAST|LAST_JOINT|TIP", 5)) - 1
                while k >= 0:
                    a = joint[r, k] - joint[r, k + 1]
                    joint[r, k] = joint[r, k + 1] + wp.normalize(a) * bone_len[r, k]
                    k -= 1
                note("and from the root again|forward reach")
                joint[r, 0] = root
                k = int(0)
                while k < constant("LAST|LAST_JOINT|TIP", 5):
                    b = joint[r, k + 1] - joint[r, k]
                    joint[r, k + 1] = joint[r, k] + wp.normalize(b) * bone_len[r, k]
                    k += 1
        gap = wp.length(joint[r, constant("LAST|LAST_JOINT|TIP", 5)] - goal)
        it += 1
    if present(pole):
        note("the middle joints bend towards the pole|knees and elbows have a side")
        axis = wp.normalize(joint[r, constant("LAST|LAST_JOINT|TIP", 5)] - root)
        side = pole[r] - root
        side = side - axis * wp.dot(side, axis)
        a = joint[r, 2] - root
        a = a - axis * wp.dot(a, axis)
        if wp.length(side) > 0.01 and wp.length(a) > 0.01:
            angle = wp.atan2(wp.dot(wp.cross(a, side), axis), wp.dot(a, side))
            q = wp.quat_from_axis_angle(axis, angle)
            for m in range(1, constant("LAST|LAST_JOINT|TIP", 5)):
                joint[r, m] = root + wp.quat_rotate(q, joint[r, m] - root)
    gap_out[r] = gap
    if present(done_out):
        done = int(0)
        if gap <= 10.0 * tol:
            done = 1
        done_out[r] = done
    if present(rounds_out):
        rounds_out[r] = it
    if present(reach_out):
        reach_out[r] = wp.length(joint[r, constant("LAST|LAST_JOINT|TIP", 5)] - root) / total


@law("graphics", "the rotation between two, along the shorter arc, by normalised mixing", title="nlerp|mix_rotations|blend_rotations", private=True, function=True)
def mixed_rotation(a: keyframe_rotation, b: keyframe_rotation, t: ratio) -> keyframe_rotation:
    if wp.dot(a, b) < 0.0:
        return wp.normalize(a * (1.0 - t) - b * t)
    return wp.normalize(a * (1.0 - t) + b * t)


@scene("quaternion", "struct", "combined", "multi_conditional", bone,
       says="poses the bones of a figure: it samples a clip at a time{second:, fades a second one in}{layer:, adds a layer on top}{aim:, turns some bones towards a target} and writes {result=0:rotation and place}{result=1:the pose as one transform}",
       title="pose_bones|sample_animation|blend_clips", topic="")
def blended_poses(key_rot: each(keyframe_rotation, bone, 8), key_pos: each(displacement, bone, 8), second: maybe(each(keyframe_rotation, bone), 0.5), mask: maybe(each(ratio, bone), 0.5), layer: maybe(each(rotation_vector, bone, range=(-0.3, 0.3)), 0.4), aim: maybe(each(flag, bone), 0.4), target: setting(direction), lag: each(segment_time, bone, range=(0.0, 0.8)), clock: setting(time_value, 1.0, 6.0), rate: setting(frequency, 1.0, 4.0), fade: setting(ratio, 0.2, 0.8), loop_mode: kind(LOOP, CLAMP, PING_PONG), rot_out: out(keyframe_rotation, bone), pos_out: out(displacement, bone), pose_out: out(bone_pose, bone), change: maybe(out(angle, bone), 0.4)):
    names(t="t|phase|frame_pos", k="k|frame|key_a", k2="k2|next_frame|key_b", u="u|blend|frac_t", q="q|rot|bone_q", p="p|offset_k|bone_p", qa="qa|rot_a|q_from", qb="qb|rot_b|q_to", w="w|weight|mix", extra="extra|add_q|layer_q", angle="angle|turn|swing", axis="axis|swing_axis|n_axis", fwd="fwd|look_dir|front", cycle="cycle|laps|turns", theta="theta|half|arc", before="before|q_rest|start_q")
    names(lag="lag|delays", key_rot="key_rot|clip_rot", key_pos="key_pos|clip_pos", second="other_rot|pose_b", mask="mask|bone_weight", layer="layer|additive", aim="aim|aims", target="target_dir|look_at", clock="clock|time", rate="rate|fps", fade="fade|blend_weight", rot_out="rot_out|out_rot", pos_out="pos_out|out_pos", pose_out="pose_out|local_pose", change="change|turned")
    b = wp.tid()
    note("bones farther out lag behind|follow-through")
    t = (clock - lag[b]) * rate
    if loop_mode[b] == LOOP:
        t = t - float(constant("NUM_KEYS|KEYS|FRAMES", 8)) * wp.floor(t / float(constant("NUM_KEYS|KEYS|FRAMES", 8)))
    elif loop_mode[b] == CLAMP:
        t = wp.min(t, float(constant("NUM_KEYS|KEYS|FRAMES", 8)) - 1.001)
    else:
        note("forth and back|ping-pong")
        cycle = wp.floor(t / float(constant("NUM_KEYS|KEYS|FRAMES", 8) - 1))
        t = t - float(constant("NUM_KEYS|KEYS|FRAMES", 8) - 1) * cycle
        if int(cycle) % 2 == 1:
            t = float(constant("NUM_KEYS|KEYS|FRAMES", 8) - 1) - t
    k = wp.clamp(int(t), 0, 7)
    k2 = (k + 1) % constant("NUM_KEYS|KEYS|FRAMES", 8)
    u = t - float(k)
    if maybe(0.4):
        note("ease in and out of every key|smooth steps")
        u = u * u * (3.0 - 2.0 * u)
    qa = wp.normalize(key_rot[b, k])
    qb = wp.normalize(key_rot[b, k2])
    match choose("mix"):
        case 2:
            q = wp.quat_slerp(qa, qb, u)
        case 2:
            q = mixed_rotation(qa, qb, u)
        case 1:
            note("along the arc between them, by hand")
            theta = wp.acos(wp.clamp(wp.dot(qa, qb), -1.0, 1.0))
            if theta < constant("SMALL_ARC|ARC_EPS|MIN_ARC", 0.01):
                q = wp.normalize(qa * (1.0 - u) + qb * u)
            else:
                q = qa * (wp.sin((1.0 - u) * theta) / wp.sin(theta)) + qb * (wp.sin(u * theta) / wp.sin(theta))
    match choose("place"):
        case 2:
            p = key_pos[b, k] * (1.0 - u) + key_pos[b, k2] * u
        case 1:
            p = wp.lerp(key_pos[b, k], key_pos[b, k2], u)
    before = q
    if present(second):
        w = fade
        if present(mask):
            note("each bone as far as its mask allows")
            w = fade * mask[b]
        match choose("fade"):
            case 1:
                q = wp.quat_slerp(q, wp.normalize(second[b]), w)
            case 1:
                q = mixed_rotation(q, wp.normalize(second[b]), w)
    if present(layer):
        angle = wp.length(layer[b])
        if angle > constant("MIN_TURN|TURN_EPS|ANGLE_EPS", 1.0e-4):
            match choose("side"):
                case 1:
                    extra = wp.quat_from_axis_angle(layer[b] / angle, angle)
                    q = q * extra
                case 1:
                    note("in the space of the parent")
                    extra = wp.quat_from_axis_angle(layer[b] / angle, fade * angle)
                    q = extra * q
    if present(aim):
        if aim[b] == 1:
            fwd = wp.quat_rotate(q, wp.vec3(0.0, 0.0, 1.0))
            axis = wp.cross(fwd, wp.normalize(target))
            angle = wp.atan2(wp.length(axis), wp.dot(fwd, wp.normalize(target)))
            match choose("neck"):
                case 1:
                    note("necks do not turn right round|limited")
                    angle = wp.min(angle, constant("MAX_AIM|AIM_LIMIT|MAX_SWING", 1.0))
                case 1:
                    angle = constant("AIM_SHARE|AIM_WEIGHT|AIM_GAIN", 0.7) * angle
            if wp.length(axis) > 1.0e-4:
                q = wp.quat_from_axis_angle(wp.normalize(axis), angle) * q
    match choose("result"):
        case 1:
            rot_out[b] = q
            pos_out[b] = p
        case 1:
            pose_out[b] = wp.transform(p, q)
    if present(change) and (present(second) or present(layer) or present(aim)):
        extra = q * wp.quat_inverse(before)
        change[b] = 2.0 * wp.atan2(wp.length(wp.vec3(extra[0], extra[1], extra[2])), wp.abs(extra[3]))


@scene("matrix", "quaternion", "combined", "nested_loop", camera,
       says="refines the poses of cameras by one step of {step=0:Gauss-Newton}{step=1:Levenberg's method} on the points that they see{robust:, outliers counting less}{prior:, drawn to where they were thought to be}",
       title="refine_cameras|pose_step|camera_gauss_newton", topic="", lossy=True)
def camera_refine(rot: inout(rotation), trans: inout(displacement, camera, range=(-0.2, 0.2)), point: each(position, feature, range=(-1.0, 1.0)), seen: each(normalized_point, camera, feature), visible: maybe(each(flag, camera, feature), 0.4), robust: setting(robust_scale, 0.05, 0.2), prior: maybe(each(displacement, camera, range=(-0.2, 0.2)), 0.4), damp: setting(damping_term, 0.01, 0.1), shift: setting(distance, 4.0, 6.0), cost_out: out(estimator_value, camera), used_out: maybe(out(count_value, camera), 0.4), step_out: maybe(out(distance, camera), 0.4)):
    names(q="q|r|rot_i", t="t|tr|trans_i", pc="pc|cam_p|p_cam", rp="rp|turned|rx", z="z|depth|inv_den", e="e|resid|err", w="w|weight|irls", ju="ju|row_u|grad_u", jv="jv|row_v|grad_v", a_rr="a_rr|h_rr|H_rot", a_rt="a_rt|h_rt|H_mix", a_tt="a_tt|h_tt|H_trans", g_r="g_r|b_rot|rhs_r", g_t="g_t|b_trans|rhs_t", ru="ru|turn_u|jr_u", rv="rv|turn_v|jr_v", cost="cost|chi2|total", n_used="n_used|used|num_used", schur="schur|reduced|S", d_t="d_t|dt|delta_t", d_r="d_r|dr|delta_r", inv_rr="inv_rr|rr_inv|hrr_inv")
    names(trans="trans|translation", point="points|landmarks_x", seen="seen|observed", visible="visible|in_view", robust="robust_scale|robust_delta", prior="prior|prior_t", damp="damping|lm_lambda", shift="standoff|depth_offset", cost_out="cost_out|chi2_out", used_out="used_out|num_inliers", step_out="step_out|step_length")
    c = wp.tid()
    q = wp.normalize(rot[c])
    t = trans[c] + wp.vec3(0.0, 0.0, shift)
    a_rr = wp.identity(n=3, dtype=float) * damp
    a_tt = wp.identity(n=3, dtype=float) * damp
    a_rt = wp.mat33()
    g_r = wp.vec3(0.0, 0.0, 0.0)
    g_t = wp.vec3(0.0, 0.0, 0.0)
    cost = float(0.0)
    n_used = int(0)
    for k in range(count(feature)):
        if present(visible):
            if visible[c, k] == 0:
                continue
        rp = wp.quat_rotate(q, point[k])
        pc = rp + t
        if pc[2] < constant("NEAR|MIN_DEPTH|Z_NEAR", 0.5):
            note("behind the camera")
            continue
        z = 1.0 / pc[2]
        e = wp.vec2(pc[0] * z, pc[1] * z) - seen[c, k]
        w = float(1.0)
        if present(robust):
            match choose("loss"):
                case 1:
                    if wp.length(e) > robust:
                        w = robust / wp.length(e)
                case 1:
                    w = 1.0 / (1.0 + wp.dot(e, e) / (robust * robust))
                case 1:
                    if wp.length(e) > 3.0 * robust:
                        continue
        note("how the image moves with the point|derivative of the projection")
        ju = wp.vec3(z, 0.0, -pc[0] * z * z)
        jv = wp.vec3(0.0, z, -pc[1] * z * z)
        ru = wp.cross(rp, ju)
        rv = wp.cross(rp, jv)
        a_rr += (wp.outer(ru, ru) + wp.outer(rv, rv)) * w
        a_tt += (wp.outer(ju, ju) + wp.outer(jv, jv)) * w
        a_rt += (wp.outer(ru, ju) + wp.outer(rv, jv)) * w
        g_r += (ru * e[0] + rv * e[1]) * w
        g_t += (ju * e[0] + jv * e[1]) * w
        cost += w * wp.dot(e, e)
        n_used += 1
    if present(prior):
        a_tt = a_tt + wp.identity(n=3, dtype=float) * constant("PRIOR_WEIGHT|W_PRIOR|PRIOR", 0.5)
        g_t = g_t + (trans[c] - prior[c]) * constant("PRIOR_WEIGHT|W_PRIOR|PRIOR", 0.5)
    match choose("step"):
        case 1:
            fact("the damping is the same for all unknowns")
        case 1:
            note("scale the damping with the diagonal|Levenberg's damping by the trace")
            a_rr = a_rr + wp.identity(n=3, dtype=float) * (damp * wp.trace(a_rr) / 3.0)
            a_tt = a_tt + wp.identity(n=3, dtype=float) * (damp * wp.trace(a_tt) / 3.0)
    match choose("eliminate"):
        case 2:
            note("eliminate the rotation, solve for the shift|Schur complement")
            inv_rr = wp.inverse(a_rr)
            schur = a_tt - wp.transpose(a_rt) * inv_rr * a_rt
            d_t = wp.inverse(schur) * (wp.transpose(a_rt) * (inv_rr * g_r) - g_t)
            d_r = -(inv_rr * (g_r + a_rt * d_t))
        case 1:
            note("one after the other: the blocks that couple them are left out|block Jacobi")
            d_r = -(wp.inverse(a_rr) * g_r)
            d_t = -(wp.inverse(a_tt) * g_t)
    if maybe(0.5):
        note("no step larger than the trust region|cut long steps")
        if wp.length(d_t) > constant("MAX_STEP|TRUST|STEP_CAP", 0.5):
            d_t = wp.normalize(d_t) * constant("MAX_STEP|TRUST|STEP_CAP", 0.5)
    match choose("retract"):
        case 1:
            rot[c] = wp.normalize(q + wp.quat(d_r[0], d_r[1], d_r[2], 0.0) * q * 0.5)
        case 1:
            if wp.length(d_r) > 1.0e-6:
                rot[c] = wp.normalize(wp.quat_from_axis_angle(wp.normalize(d_r), wp.length(d_r)) * q)
            else:
                rot[c] = q
    trans[c] = trans[c] + d_t
    cost_out[c] = cost
    if present(used_out):
        used_out[c] = n_used
    if present(step_out):
        step_out[c] = wp.length(d_t) + wp.length(d_r)
