"""Poses and their derivatives: aiming, mounts, twists and wrenches, orders of Euler angles, placed instances, frames in double precision."""


@scene("quaternion", "geometry", "control_flow", robot,
       says="turns each turret from where it looks towards its target by the shortest way, no faster than its drive allows",
       title="aim_turrets|track_targets|turn_to_target|slew_turrets", algorithm="rate-limited shortest turn")
def aim_turrets(base: each(position), target: each(position, range=(3.0, 6.0)), lead: maybe(each(velocity), 0.4), aim: inout(rotation), rate: setting(angular_speed, 0.5, 2.5), dt: setting(time_step, 0.05, 0.3), off_out: maybe(out(angle), 0.6), locked: maybe(add(count_value, 1), 0.5), lock_at: setting(angle, 0.1, 0.4)):
    names(base="base|mount_pos|turret_pos|gun_pos", aim="aim|turret_q|heading_q|look_q", target="target|targets|aim_points|tracked", d="d|to_target|los|sight", q="q|q0|att|rot", ahead="ahead|fwd|muzzle|boresight", turn="turn|dq|step_q|slew", axis="axis|about|hinge_v|n_axis", ang="ang|off|theta|err", most="most|limit|max_turn|cap", lead="lead|target_vel|motion|v_target", lock_at="lock_at|lock_angle|fire_cone|tolerance_a")
    i = wp.tid()
    q = wp.normalize(aim[i])
    d = target[i] - base[i]
    if present(lead):
        note("where it will be when the step is over|aim ahead")
        d = d + lead[i] * dt
    ahead = wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0))
    turn = wp.quat_between_vectors(ahead, d)
    axis, ang = wp.quat_to_axis_angle(turn)
    most = rate * dt
    if ang > most:
        note("the drive is not fast enough for the whole way|limited slew")
        turn = wp.quat_from_axis_angle(axis, most)
    aim[i] = wp.normalize(turn * q)
    if present(off_out):
        off_out[i] = wp.max(ang - most, 0.0)
    if present(locked):
        if ang - most < lock_at:
            wp.atomic_add(locked, 0, 1)


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
       says="expresses the motion of each body in the frame of a sensor that is mounted on it{watch:, and computes how a watched point seems to move}",
       title="sensor_motion|mounted_twists|twist_at_sensor|imu_motion", algorithm="change of frame of a twist")
def sensor_motion(body: each(sensor_twist), mount: each(mount_pose), watch: maybe(setting(position, -1.0, 1.0), 0.5), twist_out: out(twist), speed_out: maybe(out(speed), 0.6), watched: maybe(out(velocity), 1.0), lin: maybe(out(velocity), 0.5)):
    names(body="body|body_qd|twists_in|base_motion", mount="mount|mounts|x_sensor|extrinsic", x="x|xm|pose_m|m_pose", tw="tw|local|in_sensor|t_s", at="at|arm|lever_s|p_s", watch="watch|look_at_p|feature|beacon", v="v|v_s|point_v|vel_at")
    i = wp.tid()
    x = wp.transform(wp.transform_get_translation(mount[i]), wp.normalize(wp.transform_get_rotation(mount[i])))
    note("from the body to the sensor|inverse of the mounting")
    tw = wp.transform_twist(wp.transform_inverse(x), body[i])
    twist_out[i] = tw
    at = wp.transform_get_translation(x)
    v = wp.velocity_at_point(body[i], at)
    if present(lin):
        lin[i] = v
    if present(speed_out):
        match choose("norm"):
            case 2:
                speed_out[i] = wp.length(v)
            case 1:
                note("the same in both frames|length does not depend on the frame")
                speed_out[i] = wp.length(wp.spatial_bottom(tw))
    if present(watch) and present(watched):
        note("a fixed point of the world seems to move the other way|apparent motion")
        watched[i] = -wp.velocity_at_point(tw, watch)


@scene("quaternion", "physics", "reduction", sensor,
       says="moves the readings of force sensors to the frame of the base, takes off the weight of the tool, and adds them up",
       title="base_wrenches|sum_wrenches|ft_to_base|wrench_balance", algorithm="change of frame of a wrench")
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
       says="converts the angles of each bone from the order x, y, z to {order=0:z, y, x}{order=1:roll, pitch and yaw}, through a rotation{parent: that is relative to a parent}",
       title="reorder_eulers|convert_angles|euler_orders|retarget_angles", algorithm="orders of Euler angles")
def reorder_eulers(e: each(euler_angles), parent: maybe(setting(euler_angles, -0.6, 0.6), 0.5), limit: maybe(setting(angle, 0.6, 1.2), 0.4), angles: out(euler_angles), q_out: maybe(out(rotation), 0.5), near_lock: maybe(add(count_value, 1), 0.5)):
    names(e="e|channels|bvh_angles|xyz_angles", q="q|rot|bone_q|joint_q", parent="parent|root_angles|base_euler|parent_euler", a="a|out_a|new_angles|res", limit="limit|max_bend|bend_limit|clamp_at", angles="angles|zyx_angles|new_euler|converted")
    b = wp.tid()
    q = wp.quat_from_euler(e[b], 0, 1, 2)
    if present(parent):
        q = wp.quat_from_euler(parent, 0, 1, 2) * q
    match choose("order"):
        case 1:
            a = wp.quat_to_euler(q, 2, 1, 0)
        case 1:
            a = wp.quat_to_rpy(q)
    if present(near_lock):
        note("close to a right angle the two outer axes fall together|gimbal lock")
        if wp.abs(a[1]) > number(0.9, 1.3):
            wp.atomic_add(near_lock, 0, 1)
    if present(limit):
        fact("the middle angle is limited")
        a = wp.vec3(a[0], wp.clamp(a[1], -limit, limit), a[2])
    angles[b] = a
    if present(q_out):
        q_out[b] = q


@scene("matrix", "quaternion", "geometry", item,
       says="places instances with their own position, rotation and scale in a moved world, and takes the result apart again",
       title="place_instances|instance_matrices|compose_instances|world_matrices", algorithm="composition and decomposition of affine matrices")
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
       title="camera_poses|views_to_poses|import_cameras|poses_of_views", algorithm="inversion of rigid view matrices")
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
       says="moves the twist of each body to another frame by the adjoint matrix of the frame{ft:, and computes the power of a wrench there}",
       title="adjoint_twists|spatial_transport|adjoint_maps|frame_change", algorithm="adjoint of a rigid motion")
def adjoint_twists(tw: each(sensor_twist), x: each(mount_pose), ft: maybe(each(sensor_wrench), 0.5), moved: out(twist), power_out: maybe(out(power), 1.0), speed_out: maybe(out(speed), 0.4)):
    names(tw="tw|qd|body_tw|twists_in", x="x|frames|poses_in|x_ab", r="r|rot|r_ab|turn_m", s="s|off|p_ab|shift", adj="adj|ad_x|adjoint|map6", out_tw="out_tw|tw_a|in_frame|result_tw", ft="ft|loads|wrenches_in|forces6")
    b = wp.tid()
    r = wp.quat_to_matrix(wp.normalize(wp.transform_get_rotation(x[b])))
    s = wp.transform_get_translation(x[b])
    note("rotation on the diagonal, cross product with the offset below|block matrix")
    adj = wp.spatial_adjoint(r, wp.skew(s) * r)
    out_tw = adj * tw[b]
    moved[b] = out_tw
    if present(ft) and present(power_out):
        match choose("power"):
            case 1:
                power_out[b] = wp.spatial_dot(ft[b], out_tw)
            case 1:
                note("angular with torque, linear with force|two products")
                power_out[b] = wp.dot(wp.spatial_top(ft[b]), wp.spatial_top(out_tw)) + wp.dot(wp.spatial_bottom(ft[b]), wp.spatial_bottom(out_tw))
    if present(speed_out):
        speed_out[b] = wp.length(wp.spatial_bottom(out_tw))


@scene("geometry", "math", "vector", satellite,
       says="finds the direction from a ground station to each receiver in double precision: east, north and up, with elevation and azimuth",
       title="look_angles|local_frame|enu_offsets|station_view", algorithm="east-north-up frame")
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
       says="computes the place of each satellite on its circular orbit in double precision, turning the plane by node, inclination and argument{low:, counts the low orbits}{north:, marks the satellites north of the equator}",
       title="orbit_places|propagate_circular|satellite_states|orbit_points", algorithm="rotation of the orbital plane")
def orbit_places(plane: each(orbit_elements), a: each(orbit_size), t: maybe(setting(time_value, 100.0, 5000.0), 0.6), pos: out(orbit_place), speed_out: maybe(out(orbital_speed), 0.5), low: maybe(add(count_value, 1), 0.5), north: maybe(out(flag), 0.4)):
    names(low="low|num_low|low_orbits|count_low", north="north|is_north|above_equator|northern", plane="plane|angles3|elements|node_inc_arg", a="a|radius_km|sma|axis_km", u="u|arg|anomaly|phase", n="n|rate|mean_motion|omega_o", qn="qn|node_q|q1|turn_node", qi="qi|incl_q|q2|turn_incl", r="r|rot|plane_m|m33", in_plane="in_plane|flat|perifocal|p_flat", x="x|p|eci|xyz", pos="pos|positions_km|eci_out|states_xyz")
    i = wp.tid()
    u = plane[i][2]
    n = wp.sqrt(wp.float64(398600.4418) / (a[i] * a[i] * a[i]))
    if present(t):
        note("it goes round evenly|mean motion")
        u = u + n * wp.float64(t)
    in_plane = wp.vec3d(a[i] * wp.cos(u), a[i] * wp.sin(u), wp.float64(0.0))
    match choose("turn"):
        case 1:
            qn = wp.quat_from_axis_angle(wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0)), plane[i][0])
            qi = wp.quat_from_axis_angle(wp.vec3d(wp.float64(1.0), wp.float64(0.0), wp.float64(0.0)), plane[i][1])
            x = wp.quat_rotate(qn, wp.quat_rotate(qi, in_plane))
        case 1:
            r = wp.mat33d(wp.cos(plane[i][0]), -wp.sin(plane[i][0]) * wp.cos(plane[i][1]), wp.sin(plane[i][0]) * wp.sin(plane[i][1]), wp.sin(plane[i][0]), wp.cos(plane[i][0]) * wp.cos(plane[i][1]), -wp.cos(plane[i][0]) * wp.sin(plane[i][1]), wp.float64(0.0), wp.sin(plane[i][1]), wp.cos(plane[i][1]))
            x = r * in_plane
    pos[i] = x
    if present(speed_out):
        speed_out[i] = float(n * a[i])
    if present(low):
        if a[i] < wp.float64(constant("LOW_ORBIT_KM|LOW_LIMIT", 8000.0)):
            wp.atomic_add(low, 0, 1)
    if present(north):
        note("above the plane of the equator|northern half")
        north[i] = int(x[2] > wp.float64(0.0))
