"""Poses and their derivatives: aiming, mounts, twists and wrenches, orders of Euler angles, placed instances, frames in double precision."""


@scene("quaternion", "geometry", "control_flow", turret,
       says="turns each turret from where it looks towards its target by the shortest way, no faster than its drive allows",
       title="aim_turrets|track_targets|slew_turrets", algorithm="rate-limited shortest turn")
def aim_turrets(base: each(position), target: each(position, range=(3.0, 6.0)), target_vel: maybe(each(velocity), 0.4), aim: inout(rotation), rate: setting(angular_speed, 0.5, 2.5), dt: setting(time_step, 0.05, 0.3), error_out: maybe(out(angle), 0.6)):
    names(base="base|turret_pos", aim="aim|turret_q", target="target|target_pos", d="d|to_target", q="q|q0", ahead="ahead|boresight", turn="turn|dq", axis="axis|axis", ang="ang|angle", most="max_turn|max_angle", target_vel="target_vel|target_velocity", rate="max_rate|slew_rate", error_out="error|aim_error")
    i = wp.tid()
    q = wp.normalize(aim[i])
    d = target[i] - base[i]
    if present(target_vel):
        note("where it will be when the step is over|aim ahead")
        d = d + target_vel[i] * dt
    ahead = wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0))
    turn = wp.quat_between_vectors(ahead, d)
    axis, ang = wp.quat_to_axis_angle(turn)
    most = rate * dt
    if ang > most:
        note("the drive is not fast enough for the whole way|limited slew")
        turn = wp.quat_from_axis_angle(axis, most)
    aim[i] = wp.normalize(turn * q)
    if present(error_out):
        note("what is left to turn|remaining error")
        error_out[i] = wp.max(ang - most, 0.0)


@scene("vector", "geometry", "multi_conditional", sample,
       says="adds up the cost of the distances between points and their partners by {loss=0:the sum of absolute components}{loss=1:their length}{loss=2:Huber's function}{loss=3:a smooth form of Huber's function}",
       title="residual_costs|registration_cost|robust_distances|match_costs", algorithm="robust norms of residuals")
def residual_costs(p: each(position), t: each(position, range=(-2.2, 2.2)), w: maybe(each(weight), 0.5), delta: setting(robust_scale, 0.4, 1.5), cut: maybe(setting(distance, 2.5, 4.0), 0.4), cost: add(loss, 1), each_out: maybe(out(loss), 0.6), pull: maybe(out(displacement), 0.6)):
    names(p="p|moving|cloud_a|measured", t="t|fixed_pts|cloud_b|model_pts", r="r|res|diff|gap_v", c="c|loss_i|term|rho_i", w="w|weights|confidence|w_pts", delta="delta|huber_delta|scale_d|knee", cut="cut|reject|gate|max_gap", pull="pull|directions|steps_v|gradient_v")
    i = wp.tid()
    r = p[i] - t[i]
    if present(cut):
        note("too far apart to belong together|outlier")
        if wp.norm_l2(r) > cut:
            return
    match choose("loss"):
        case 1:
            c = wp.norm_l1(r)
        case 1:
            c = wp.norm_l2(r)
        case 2:
            c = wp.norm_huber(r, delta)
        case 2:
            c = wp.norm_pseudo_huber(r, delta) - delta
    if present(w):
        c = c * w[i]
    wp.atomic_add(cost, 0, c)
    if present(each_out):
        each_out[i] = c
    if present(pull):
        note("bounded by one, and smooth at zero|soft direction")
        pull[i] = -wp.smooth_normalize(r, delta)


@scene("quaternion", "physics", "struct", sensor,
       says="expresses the motion of each body in the frame of a sensor that is mounted on it{point:, and computes the velocity with which a fixed point moves in that frame}",
       title="sensor_twists|twist_at_sensor|body_to_sensor_twists", algorithm="change of frame of a twist")
def sensor_motion(body_twist: each(sensor_twist), mount: each(mount_pose), point: maybe(setting(position, -1.0, 1.0), 0.5), sensor_twist: out(twist), point_velocity: maybe(out(velocity), 1.0)):
    names(body_twist="body_twist|body_twists|body_qd", mount="mount|mounts|extrinsics", x="x_bs|x|mount_pose", tw="tw|twist_s|local_twist", sensor_twist="sensor_twist|sensor_twists|sensor_qd", point="landmark|point_s|feature_pos", point_velocity="point_velocity|point_vel|feature_velocity", p="p|offset|arm", r="r|rot|r_bs", w="w|omega|ang", v="v|vel|lin")
    i = wp.tid()
    note("the pose of the sensor in the frame of the body|mounting pose")
    x = wp.transform(wp.transform_get_translation(mount[i]), wp.normalize(wp.transform_get_rotation(mount[i])))
    match choose("how"):
        case 2:
            note("from the body to the sensor|inverse of the mounting")
            tw = wp.transform_twist(wp.transform_inverse(x), body_twist[i])
        case 1:
            r = wp.transform_get_rotation(x)
            p = wp.transform_get_translation(x)
            w = wp.spatial_top(body_twist[i])
            note("velocity of the body at the sensor")
            v = wp.spatial_bottom(body_twist[i]) + wp.cross(w, p)
            tw = wp.spatial_vector(wp.quat_rotate_inv(r, w), wp.quat_rotate_inv(r, v))
    sensor_twist[i] = tw
    if present(point) and present(point_velocity):
        note("given in the frame of the sensor; what is fixed in the world moves the other way|apparent motion")
        point_velocity[i] = -wp.velocity_at_point(tw, point)


@scene("quaternion", "physics", "reduction", sensor,
       says="moves the readings of force sensors to the frame of the base, takes off the weight of the tool, and adds them up",
       title="base_wrenches|sum_wrenches|ft_to_base|wrench_balance", algorithm="change of frame of a wrench", rare=True)
def base_wrenches(ft: each(sensor_wrench), mount: each(mount_pose, range=(-0.9, 0.9)), tool: maybe(setting(mass, 0.2, 2.0), 0.6), tool_at: setting(position, -0.2, 0.2), body: maybe(each(sensor_twist), 0.4), total: add(wrench, 1), wrench_out: maybe(out(wrench), 0.6), power_out: maybe(out(power), 1.0), touch: maybe(out(flag), 0.4)):
    names(ft="ft|readings|load_cell|raw_ft", mount="mount|sensor_pose|x_mount|cell_pose", x="x|xm|pose_m|frame", raw="raw|w|reading|ft_i", g="g|weight_s|tool_g|gravity_s", tool="tool|tool_mass|payload|gripper_mass", tool_at="tool_at|tool_com|com_s|lever", b="b|at_base|w_base|moved", total="total|net_wrench|sum_w|resultant", body="body|twists|base_qd|motion")
    i = wp.tid()
    x = wp.transform(wp.transform_get_translation(mount[i]), wp.normalize(wp.transform_get_rotation(mount[i])))
    raw = ft[i]
    if present(tool):
        note("gravity as the sensor sees it|weight in the frame of the sensor")
        g = wp.quat_rotate_inv(wp.transform_get_rotation(x), wp.vec3(0.0, 0.0, -9.81 * tool))
        raw = raw - wp.spatial_vector(wp.cross(tool_at, g), g)
    b = wp.transform_wrench(x, raw)
    wp.atomic_add(total, 0, b)
    if present(wrench_out):
        wrench_out[i] = b
    if present(body) and present(power_out):
        power_out[i] = wp.spatial_dot(b, body[i])
    if present(touch):
        match choose("feel"):
            case 1:
                if wp.length(wp.spatial_bottom(raw)) > number(2.0, 6.0, "touch"):
                    touch[i] = 1
                else:
                    touch[i] = 0
            case 1:
                if wp.norm_l1(wp.spatial_bottom(raw)) > number(3.0, 8.0, "touch_sum"):
                    touch[i] = 1
                else:
                    touch[i] = 0


@scene("quaternion", "control_flow", "math", joint,
       says="follows how far each knob has been turned about its axis since the last frame, and how much it was tilted instead",
       title="knob_turns|twist_tracking|dial_angles|track_dials", algorithm="twist about an axis")
def knob_turns(before: each(rotation), now: each(keyframe_rotation), axis: each(direction), turned: inout(angle), wobble: maybe(out(angle), 0.6), click: maybe(setting(angle, 0.2, 0.6), 0.5), clicks: maybe(out(count_value), 1.0), loose: maybe(add(count_value, 1), 0.4)):
    names(total="total|angle_sum|dial_now|turn_sum", loose="loose|num_loose|wobbly|count_loose", clicks="clicks|notches|detents_passed|num_clicks", before="before|last_q|prev_rot|old_q", now="now|cur_q|rot_now|new_q", axis="axis|axes|knob_axis|spindle", turned="turned|dial|total_turn|knob_angle", rel="rel|dq|change|delta_q", n="n|spin|unit_a|a_n", tw="tw|step|about|d_ang", rest="rest|swing|tilt_q|off_axis", click="click|detent|notch|step_angle", tip="tip|tilt|lean|sway")
    j = wp.tid()
    rel = wp.quat_inverse(wp.normalize(before[j])) * wp.normalize(now[j])
    note("the short way round|same rotation, other sign")
    rel = rel * wp.sign(rel[3])
    n = wp.normalize(axis[j])
    tw = wp.quat_twist_angle_signed(n, rel)
    total = turned[j] + tw
    turned[j] = total
    rest = rel * wp.quat_inverse(wp.quat_twist(n, rel))
    tip = 2.0 * wp.acos(wp.clamp(wp.abs(rest[3]), 0.0, 1.0))
    if present(wobble):
        wobble[j] = tip
    if present(click) and present(clicks):
        note("whole notches only|detents passed")
        match choose("count"):
            case 2:
                clicks[j] = int(wp.floor(wp.abs(total) / click))
            case 1:
                fact("notches of this frame alone are counted")
                clicks[j] = int(wp.quat_twist_angle(n, rel) / click)
    if present(loose):
        if tip > constant("WOBBLE_LIMIT|MAX_TILT|LOOSE_ANGLE", 0.3):
            wp.atomic_add(loose, 0, 1)


@scene("quaternion", "math", "function", bone,
       says="converts the Euler angles of each bone from the order x, y, z to {order=0:the order z, y, x}{order=1:roll, pitch and yaw}, through a rotation{parent: that is relative to its parent}",
       title="convert_euler_angles|change_euler_order|reorder_eulers", algorithm="orders of Euler angles")
def reorder_eulers(euler: each(euler_angles), parent: maybe(each(euler_angles, range=(-0.6, 0.6)), 0.5), limit: maybe(setting(angle, 0.6, 1.2), 0.4), angles: out(euler_angles), q_out: maybe(out(rotation), 0.5)):
    names(euler="euler_xyz|xyz_angles", q="q|rot", parent="parent_euler|parent_angles", a="a|angles_i", limit="max_pitch|pitch_limit", angles="angles_out|new_angles", q_out="rotations|quats_out")
    b = wp.tid()
    q = wp.quat_from_euler(euler[b], 0, 1, 2)
    if present(parent):
        q = wp.quat_from_euler(parent[b], 0, 1, 2) * q
    match choose("order"):
        case 1:
            a = wp.quat_to_euler(q, 2, 1, 0)
        case 1:
            a = wp.quat_to_rpy(q)
    if present(limit):
        fact("the middle angle is limited")
        a = wp.vec3(a[0], wp.clamp(a[1], -limit, limit), a[2])
    angles[b] = a
    if present(q_out):
        q_out[b] = q


@scene("matrix", "quaternion", "geometry", item,
       says="places instances with their own position, rotation and scale in a moved world, and takes the result apart again",
       title="place_instances|pose_instances|compose_instances|instance_transforms", algorithm="composition and decomposition of affine matrices", rare=True)
def place_instances(p: each(position), r: each(keyframe_rotation), sc: each(instance_scale), world: setting(mount_pose), same: maybe(each(flag), 0.3), m_out: maybe(out(matrix4), 0.5), p_out: out(position), s_out: out(instance_scale), r_out: out(rotation), mirror_n: maybe(out(volume), 0.5)):
    names(p="p|origins|inst_pos|locations", r="r|inst_rot|orientations|quats", sc="sc|inst_scale|scales|sizes3", world="world|scene_pose|root_x|world_x", local="local|m_local|inst_m|trs", m="m|world_m|full|mw", pw="pw|pos_w|where|origin_w", qw="qw|rot_w|turn|q_w", sw="sw|scale_w|size_w|stretch", same="same|fixed_size|unscaled|rigid", w="w|x_world|xw|root")
    i = wp.tid()
    w = wp.transform(wp.transform_get_translation(world), wp.normalize(wp.transform_get_rotation(world)))
    if present(same):
        if same[i] == 1:
            note("rigid instances: no scale|only moved and turned")
            fact("rigid instances keep their size")
            local = wp.transform_to_matrix(wp.transform(p[i], wp.normalize(r[i])))
        else:
            local = wp.transform_compose(p[i], wp.normalize(r[i]), sc[i])
    else:
        local = wp.transform_compose(p[i], wp.normalize(r[i]), sc[i])
    m = wp.transform_to_matrix(w) * local
    pw, qw, sw = wp.transform_decompose(m)
    p_out[i] = pw
    if present(m_out):
        m_out[i] = m
    if present(s_out):
        s_out[i] = sw
    if present(r_out):
        r_out[i] = qw
    if present(mirror_n):
        note("the box of size one becomes this large|volume of an instance")
        mirror_n[i] = wp.abs(wp.determinant(m))


@scene("quaternion", "matrix", "control_flow", camera,
       says="turns view matrices of cameras into poses{ground:, lifts those that are under the ground}{look:, and finds where each camera looks}",
       title="camera_poses|views_to_poses|import_cameras|poses_of_views", algorithm="inversion of rigid view matrices", rare=True,
       lossy=True)
def camera_poses(eye: each(position), turn: each(keyframe_rotation), ground: maybe(setting(length, 0.2, 1.0), 0.5), pose_out: out(pose), look: maybe(out(direction), 0.6), ray_at: maybe(setting(depth, 1.0, 4.0), 0.5), focus: maybe(out(position), 1.0), lifted: maybe(add(count_value, 1), 0.4)):
    names(eye="eye|eyes|cam_pos|centers_c", turn="turn|cam_rot|view_q|orient", view="view|v_mat|extr|view_m", x="x|pose_c|cam_x|c2w", c="c|center|origin_c|at", ground="ground|min_height|floor_h|ground_y", look="look|forward_out|view_dir|gaze", f="f|fwd|optical|z_axis", ray_at="ray_at|focus_depth|target_d|reach")
    i = wp.tid()
    note("a view matrix takes the world to the camera|world to camera")
    view = wp.transform_to_matrix(wp.transform_inverse(wp.transform(eye[i], wp.normalize(turn[i]))))
    x = wp.transform_from_matrix(wp.inverse(view))
    c = wp.transform_get_translation(x)
    if present(ground):
        if c[1] < ground:
            fact("cameras under the ground are lifted to it")
            wp.transform_set_translation(x, wp.vec3(c[0], ground, c[2]))
            if present(lifted):
                wp.atomic_add(lifted, 0, 1)
    match choose("unit"):
        case 1:
            wp.transform_set_rotation(x, wp.normalize(wp.transform_get_rotation(x)))
        case 1:
            note("rounding errors leave the rotation not quite unit|normalise")
            x = wp.transform(wp.transform_get_translation(x), wp.normalize(wp.transform_get_rotation(x)))
    f = wp.transform_vector(x, wp.vec3(0.0, 0.0, -1.0))
    if present(look):
        look[i] = f
    if present(ray_at) and present(focus):
        focus[i] = wp.transform_get_translation(x) + f * ray_at
    pose_out[i] = x


@scene("matrix", "physics", "quaternion", body,
       says="expresses the twist of each body, given in the frame of the body, in the frame of its base by the adjoint of the pose",
       title="adjoint_twists|transform_twists|twists_to_base", algorithm="adjoint of a rigid motion")
def adjoint_twists(twist: each(sensor_twist), pose: each(mount_pose), weight: maybe(each(weight), 0.3), base_twist: out(twist)):
    names(twist="body_twist|twists|body_qd", pose="pose|body_pose|x_base_body", r="r|rot|r_ab", p="p|offset|p_ab", adj="adj|adjoint|ad_x", tw="tw|twist_b|out_twist", base_twist="base_twist|twists_out|base_qd", w="w|omega|ang", v="v|vel|lin", weight="confidence|twist_weight|weights")
    b = wp.tid()
    p = wp.transform_get_translation(pose[b])
    match choose("how"):
        case 2:
            r = wp.quat_to_matrix(wp.normalize(wp.transform_get_rotation(pose[b])))
            note("rotation on the diagonal, cross product with the offset below|block matrix")
            adj = wp.spatial_adjoint(r, wp.skew(p) * r)
            tw = adj * twist[b]
        case 1:
            r = wp.quat_to_matrix(wp.normalize(wp.transform_get_rotation(pose[b])))
            w = r * wp.spatial_top(twist[b])
            note("the offset adds its cross product|velocity at the origin of the base")
            v = r * wp.spatial_bottom(twist[b]) + wp.cross(p, w)
            tw = wp.spatial_vector(w, v)
        case 1:
            tw = wp.transform_twist(wp.transform(p, wp.normalize(wp.transform_get_rotation(pose[b]))), twist[b])
    if present(weight):
        fact("each twist is scaled by a weight")
        tw = tw * weight[b]
    base_twist[b] = tw


@scene("geometry", "math", "vector", satellite,
       says="finds the direction from a ground station to each receiver in double precision: east, north and up, with elevation and azimuth{mask:, and counts those above the mask angle}",
       title="look_angles|local_frame|enu_offsets|station_view", algorithm="east-north-up frame", topic="")
def look_angles(xe: each(wide_position), station: setting(wide_position), lat: setting(wide_angle, 0.2, 1.1), lon: setting(wide_angle, -1.0, 1.0), mask: maybe(setting(wide_angle, -0.4, 0.4), 0.5), enu_out: out(wide_offset), elev_out: out(wide_angle), azim_out: out(wide_angle), seen: maybe(add(count_value, 1), 1.0)):
    names(xe="xe|receivers|targets_xyz|ecef", station="station|site_xyz|antenna|base_xyz", lat="lat|site_lat|phi|latitude64", lon="lon|site_lon|lam|longitude64", d="d|los|delta_e|span", e="e|east|d_east|comp_e", n="n|north|d_north|comp_n", u="u|up|d_up|comp_u", el="el|elev|alt_a|height_a", flat="flat|ground_d|horizontal|plan", mask="mask|mask_angle|min_elev|horizon", seen="seen|visible_n|above|num_seen")
    i = wp.tid()
    d = xe[i] - station
    e = -wp.sin(lon) * d[0] + wp.cos(lon) * d[1]
    n = -wp.sin(lat) * wp.cos(lon) * d[0] - wp.sin(lat) * wp.sin(lon) * d[1] + wp.cos(lat) * d[2]
    match choose("up"):
        case 2:
            u = wp.cos(lat) * wp.cos(lon) * d[0] + wp.cos(lat) * wp.sin(lon) * d[1] + wp.sin(lat) * d[2]
        case 1:
            note("the zenith of the station|up is a unit vector")
            u = wp.dot(wp.vec3d(wp.cos(lat) * wp.cos(lon), wp.cos(lat) * wp.sin(lon), wp.sin(lat)), d)
    enu_out[i] = wp.vec3d(e, n, u)
    flat = wp.sqrt(e * e + n * n)
    el = wp.atan2(u, flat)
    if present(elev_out):
        elev_out[i] = el
    if present(azim_out):
        note("clockwise from north")
        azim_out[i] = wp.atan2(e, n)
    if present(mask) and present(seen):
        if el > mask:
            wp.atomic_add(seen, 0, 1)


@scene("math", "matrix", "quaternion", satellite,
       says="computes the position of each satellite on its circular orbit in double precision from the angles of the orbital plane{t: at a given time}{velocity:, and its velocity}",
       title="circular_orbit_positions|propagate_circular_orbits|circular_orbits", algorithm="rotation of the orbital plane")
def orbit_places(raan: each(orbit_angle), inclination: each(orbit_angle), argument: each(orbit_angle), radius: each(orbit_size), t: maybe(setting(wide_time), 0.7), position: out(orbit_place), velocity: maybe(out(orbit_rate), 0.5)):
    names(raan="raan|node", inclination="inclination|incl", argument="arg_latitude|argument", radius="orbit_radius|radius", u="u|u", n="n|mean_motion", qn="q_node|q_raan", qi="q_incl|q_inc", p="p|in_plane", v="v|v_plane", cu="cos_u|cu", su="sin_u|su", cn="cos_node|c_raan", sn="sin_node|s_raan", ci="cos_incl|c_inc", si="sin_incl|s_inc", position="positions|eci_pos", velocity="velocities|eci_vel", rot="rot|to_eci", a="a|r")
    i = wp.tid()
    a = radius[i]
    n = wp.sqrt(wp.float64(constant("MU_EARTH|GM_EARTH", 398600.4418)) / (a * a * a))
    u = argument[i]
    if present(t):
        note("it goes round evenly|mean motion")
        u = u + n * t
    cu = wp.cos(u)
    su = wp.sin(u)
    p = wp.vec3d(a * cu, a * su, wp.float64(0.0))
    match choose("turn"):
        case 1:
            qn = wp.quat_from_axis_angle(wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0)), raan[i])
            qi = wp.quat_from_axis_angle(wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0)), inclination[i])
            position[i] = wp.quat_rotate(qn * qi, p)
            if present(velocity):
                note("at right angles to the radius|direction of flight")
                v = wp.vec3d(-n * a * su, n * a * cu, wp.float64(0.0))
                velocity[i] = wp.quat_rotate(qn * qi, v)
        case 1:
            cn = wp.cos(raan[i])
            sn = wp.sin(raan[i])
            ci = wp.cos(inclination[i])
            si = wp.sin(inclination[i])
            rot = wp.mat33d(cn, -sn * ci, sn * si, sn, cn * ci, -cn * si, wp.float64(0.0), si, ci)
            position[i] = rot * p
            if present(velocity):
                v = wp.vec3d(-n * a * su, n * a * cu, wp.float64(0.0))
                velocity[i] = rot * v
