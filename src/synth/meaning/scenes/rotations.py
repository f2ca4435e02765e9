"""Rotations, rigid transforms, spatial vectors: bodies, joints, cameras."""


@scene("quaternion", "physics", body,
       says="integrates the orientation of each rigid body by its angular velocity and keeps the quaternion normalised",
       title="integrate_orientations|update_body_rotation|advance_rotation", algorithm="quaternion integration")
def integrate_rotation(q: inout(rotation), w: each(angular_velocity), dt: setting(time_step), awake: maybe(each(flag)),
                       drag: maybe(setting(damping, 0.05, 0.9)), w_out: maybe(out(angular_velocity), 0.4)):
    names(r="r|rot|q0|orientation", omega="omega|wi|ang|spin", dq="dq|spin_q|half_step|rate_q")
    i = wp.tid()
    if present(awake):
        note("sleeping bodies keep their orientation|skip sleeping bodies")
        if awake[i] == 0:
            return
    r = wp.normalize(q[i])
    omega = w[i]
    if present(drag):
        note("angular damping")
        omega = omega * (1.0 - drag * dt)
    match choose("method"):
        case 3:
            note("q' = q + dt / 2 * w * q")
            dq = wp.quat(omega[0], omega[1], omega[2], 0.0) * r
            r = wp.normalize(r + dq * (0.5 * dt))
        case 2:
            note("exact rotation about the axis over one step")
            angle = wp.length(omega) * dt
            if angle > constant("MIN_ANGLE|ANGLE_EPS", 1.0e-6):
                dq = wp.quat_from_axis_angle(wp.normalize(omega), angle)
                r = wp.normalize(dq * r)
    q[i] = r
    if present(w_out):
        w_out[i] = omega


@scene("quaternion", "vector", "geometry", vertex,
       says="moves points{normals: and normals} from the local frame of their body to world space",
       title="transform_points|local_to_world|body_to_world_points", algorithm="rigid transform of points", rare=True)
def points_to_world(p: each(local_position), owner: index(body), pos: each(position, body), rot: each(rotation, body),
                    scale: maybe(each(positive_value, body, range=(0.5, 2.0))), normals: maybe(each(normal), 0.4),
                    x: out(position), n: maybe(out(direction), 0.9)):
    names(b="b|body|bid|parent", q="q|rb|body_q|orientation", local="local|p_local|pl|pt")
    i = wp.tid()
    b = owner[i]
    q = wp.normalize(rot[b])
    local = p[i]
    if present(scale):
        local = local * scale[b]
    x[i] = pos[b] + wp.quat_rotate(q, local)
    if present(normals) and present(n):
        n[i] = wp.quat_rotate(q, wp.normalize(normals[i]))


@scene("quaternion", "control_flow", "function", joint,
       says="computes the torque of a spring and a damper that drive each joint towards its target orientation",
       title="joint_drive_torques|pose_tracking|orientation_spring|apply_joint_drives", algorithm="orientation spring")
def orientation_spring(q: each(rotation), goal: each(rotation), w: each(angular_velocity), ke: setting(stiffness, 5.0, 60.0), kd: setting(damping),
                       limit: maybe(setting(positive_value, 1.0, 4.0), 0.5), tau: out(torque), err: maybe(out(angle), 0.4)):
    names(limit="max_torque|torque_limit|tau_max|limit", diff="diff|dq|q_err|delta", axis="axis|dir|n|rot_axis", theta="theta|angle|phi|swing", t="t|tau_i|drive|moment")
    i = wp.tid()
    note("rotation that is left to do|relative rotation from the current to the target frame")
    diff = wp.normalize(goal[i]) * wp.quat_inverse(wp.normalize(q[i]))
    note("take the shorter way round|shortest arc")
    if diff[3] < 0.0:
        diff = -diff
    theta = 2.0 * wp.acos(wp.clamp(diff[3], -1.0, 1.0))
    axis = wp.vec3(diff[0], diff[1], diff[2])
    t = -kd * w[i]
    if wp.length(axis) > constant("AXIS_EPS|EPSILON|TINY", 1.0e-6):
        t += ke * theta * wp.normalize(axis)
    if present(limit):
        note("saturate the actuator|motor limit")
        if wp.length(t) > limit:
            t = wp.normalize(t) * limit
    tau[i] = t
    if present(err):
        err[i] = theta


@scene("quaternion", "math", "scalar_param", sample,
       says="interpolates the orientation of each sample between two key frames",
       title="interpolate_keyframes|blend_rotations|sample_rotation_track", algorithm="keyframe interpolation")
def keyframes(a: each(rotation), b: each(rotation), t: each(ratio), pa: maybe(each(position), 0.5), pb: maybe(each(position), 1.0),
              q: out(rotation), p: maybe(out(position), 1.0)):
    names(qa="qa|q0|start_q|from_q", qb="qb|q1|end_q|to_q", s="s|u|alpha|blend", d="d|cosine|dot_ab|overlap")
    i = wp.tid()
    qa = wp.normalize(a[i])
    qb = wp.normalize(b[i])
    s = t[i]
    match choose("ease"):
        case 2:
            note("ease in and out")
            s = s * s * (3.0 - 2.0 * s)
        case 3:
            s = wp.clamp(s, 0.0, 1.0)
    note("q and -q are the same rotation: take the nearer one|flip to the same hemisphere")
    d = wp.dot(qa, qb)
    if d < 0.0:
        qb = -qb
    match choose("blend"):
        case 3:
            q[i] = wp.quat_slerp(qa, qb, s)
        case 2:
            note("normalised linear interpolation")
            q[i] = wp.normalize(qa * (1.0 - s) + qb * s)
    if present(pa) and present(pb) and present(p):
        p[i] = wp.lerp(pa[i], pb[i], s)


@scene("quaternion", "struct", "combined", body,
       says="computes the velocity of a contact point on each body and its part along the contact normal",
       title="contact_velocities|point_velocity|relative_contact_speed", algorithm="velocity of a point on a rigid body")
def contact_velocity(x: each(pose), tw: each(twist), arm: each(local_position), n: each(normal), vn: out(speed), vt: maybe(out(velocity), 0.6)):
    names(pose_i="pose_i|tf|xform|body_tf", r="r|lever|offset|com_to_point", v="v|vp|point_vel|vel", s="s|normal_speed|approach|vdotn")
    i = wp.tid()
    pose_i = x[i]
    r = wp.quat_rotate(wp.normalize(wp.transform_get_rotation(pose_i)), arm[i])
    note("v + w x r|velocity of the point: linear part plus the spin about the centre of mass")
    v = wp.spatial_top(tw[i]) + wp.cross(wp.spatial_bottom(tw[i]), r)
    s = wp.dot(v, wp.normalize(n[i]))
    if maybe(0.4, "approach"):
        note("only approaching contacts count|separating contacts are ignored")
        if s > 0.0:
            vn[i] = 0.0
            if present(vt):
                vt[i] = wp.vec3(0.0, 0.0, 0.0)
            return
    vn[i] = s
    if present(vt):
        vt[i] = v - wp.normalize(n[i]) * s


@scene("quaternion", "matrix", body,
       says="rotates the principal moments of inertia of each body to world axes and solves for its angular acceleration",
       title="angular_acceleration|solve_euler_equations|body_angular_acc", algorithm="Euler's rotation equations", rare=True)
def euler_equations(q: each(rotation), diag: each(principal_inertia), w: each(angular_velocity), tau: each(torque), alpha: out(angular_acceleration),
                    rate: maybe(out(power), 0.4)):
    names(rot_i="rot_i|qi|r", inertia="inertia|iw|i_world", omega="omega|wi|ang_vel_i", m="m|basis|rm")
    i = wp.tid()
    rot_i = wp.normalize(q[i])
    omega = w[i]
    match choose():
        case 2:
            note("to body axes, where the inertia is diagonal")
            wb = wp.quat_rotate_inv(rot_i, omega)
            tb = wp.quat_rotate_inv(rot_i, tau[i])
            lb = wp.cw_mul(diag[i], wb)
            ab = wp.cw_div(tb - wp.cross(wb, lb), diag[i])
            alpha[i] = wp.quat_rotate(rot_i, ab)
        case 2:
            m = wp.quat_to_matrix(rot_i)
            inertia = m * wp.diag(diag[i]) * wp.transpose(m)
            note("gyroscopic term|torque-free precession")
            alpha[i] = wp.inverse(inertia) * (tau[i] - wp.cross(omega, inertia * omega))
    if present(rate):
        rate[i] = wp.dot(tau[i], omega)


@scene("quaternion", "function", joint,
       says="computes the world transform of each joint's child link from its parent, its anchor and its angle",
       title="forward_kinematics|update_link_poses|compute_child_transforms", algorithm="forward kinematics of a revolute joint")
def child_transform(parent: each(pose, body), anchor: each(pose), owner: index(body), axis: each(direction), angle: each(joint_angle),
                    lo: maybe(setting(lower_limit), 0.4), hi: maybe(setting(upper_limit), 1.0), child: out(pose)):
    names(tp="tp|x_parent|parent_tf|wpj", ta="ta|x_anchor|anchor_tf|joint_tf", a="a|theta|joint_q|phi", q="q|hinge|joint_rot|rot")
    i = wp.tid()
    a = angle[i]
    if present(lo) and present(hi):
        note("respect the joint limits|clamp to the limits")
        a = wp.clamp(a, lo, hi)
    tp = parent[owner[i]]
    tp = wp.transform(wp.transform_get_translation(tp), wp.normalize(wp.transform_get_rotation(tp)))
    ta = anchor[i]
    ta = wp.transform(wp.transform_get_translation(ta), wp.normalize(wp.transform_get_rotation(ta)))
    q = wp.quat_from_axis_angle(wp.normalize(axis[i]), a)
    child[i] = wp.transform_multiply(wp.transform_multiply(tp, ta), wp.transform(wp.vec3(0.0, 0.0, 0.0), q))


@scene("quaternion", "multi_conditional", "geometry", body,
       says="turns each agent's orientation towards a target direction, by at most a given angle per step",
       title="face_target|rotate_towards|steer_heading|look_at_step", algorithm="limited rotation towards a direction")
def turn_towards(q: inout(rotation), pos: each(position), goal: setting(position), rate: setting(angular_speed, 0.5, 3.0), dt: setting(time_step, 0.02, 0.1),
                 aligned: maybe(out(flag), 0.5)):
    names(forward="forward|fwd|ahead|nose", want="want|to_goal|desired|dir", axis="axis|turn_axis|pivot|hinge", angle="angle|off|theta|deviation")
    i = wp.tid()
    want = goal - pos[i]
    note("already there|at the goal there is nothing to face")
    if wp.length(want) < number(0.05, 0.2, "there"):
        if present(aligned):
            aligned[i] = 1
        return
    want = wp.normalize(want)
    forward = wp.quat_rotate(wp.normalize(q[i]), wp.vec3(0.0, 0.0, 1.0))
    angle = wp.acos(wp.clamp(wp.dot(forward, want), -1.0, 1.0))
    axis = wp.cross(forward, want)
    if wp.length(axis) > constant("PARALLEL_EPS|EPS", 1.0e-5):
        q[i] = wp.normalize(wp.quat_from_axis_angle(wp.normalize(axis), wp.min(angle, rate * dt)) * wp.normalize(q[i]))
    if present(aligned):
        if angle <= rate * dt:
            aligned[i] = 1
        else:
            aligned[i] = 0
