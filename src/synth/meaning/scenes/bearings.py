"""Points, rays and planes: pairs of views, rays that nearly meet, mirrors, tetrahedra, tracks, wires, planets, frames along curves."""


@law("geometry", "a point of an image plane as a direction of three components", title="homogeneous|lift_point|to_homogeneous", private=True)
def lifted_point(p: normalized_point) -> vector3:
    return wp.vec3(p[0], p[1], 1.0)


@scene("matrix", "geometry", "vector", "quaternion", sample,
       says="measures how well pairs of image points agree with a plane seen by two cameras, by their distances in both images{tau:, and counts those that fit}",
       title="homography_transfer|plane_transfer_error|symmetric_transfer|check_plane_matches", algorithm="symmetric transfer error of a homography")
def plane_transfer(p: each(normalized_point), s: each(normalized_point), plane: index(face), n_in: each(normal, face), d: each(depth, face, range=(2.0, 5.0)), turn: setting(rotation_vector, -0.3, 0.3), t: setting(displacement, -0.4, 0.4), w: maybe(each(weight), 0.4), tau: maybe(setting(positive_value, 0.5, 2.0), 0.5), err: out(loss), mapped: maybe(out(normalized_point), 0.5), fit: maybe(add(count_value, face), 0.9)):
    names(p="p|pts_a|left_pts|first_xy", s="s|pts_b|right_pts|second_xy", plane="plane|plane_id|label|facet", n_in="n_in|plane_normals|normals|wall_normals", d="d|plane_dist|dists|offsets", turn="turn|rotvec|rot_ab|rel_rot", t="t|baseline|t_ab|rel_trans", tau="tau|inlier_tol|max_err|gate", err="err|transfer_err|errors|residuals", mapped="mapped|warped|predicted|moved", fit="fit|inliers|support|votes")
    names(k="k|f|j|pid", n="n|nk|normal_k|dir", h="h|hm|homog|warp", a="a|fwd|to_b|hp", b="b|back|to_a|hs", e="e|e2|gap|total_e", ua="ua|xa|proj_b|qa", ub="ub|xb|proj_a|qb")
    i = wp.tid()
    k = plane[i]
    n = wp.normalize(n_in[k])
    note("points of the plane n . x = d move by R + t n^T / d|homography of the plane")
    h = wp.quat_to_matrix(wp.quat_from_axis_angle(wp.normalize(turn), wp.length(turn))) + wp.outer(t, n) / d[k]
    a = h * lifted_point(p[i])
    b = wp.inverse(h) * lifted_point(s[i])
    note("behind one of the cameras|not in front")
    if a[2] < constant("MIN_DEPTH|NEAR|Z_MIN", 0.2) or b[2] < constant("MIN_DEPTH|NEAR|Z_MIN", 0.2):
        return
    ua = wp.vec2(a[0] / a[2], a[1] / a[2])
    ub = wp.vec2(b[0] / b[2], b[1] / b[2])
    e = wp.length_sq(ua - s[i]) + wp.length_sq(ub - p[i])
    if present(w):
        e = e * w[i]
    err[i] = e
    if present(mapped):
        mapped[i] = ua
    if present(tau) and present(fit):
        if e < tau:
            wp.atomic_add(fit, k, 1)


@scene("matrix", "geometry", "quaternion", "atomic", sample,
       says="measures how far pairs of image points are from the epipolar lines of each other{kind=0:, by Sampson's approximation}{kind=1:, by the mean of both distances}",
       title="epipolar_errors|sampson_distance|check_matches|epipolar_residuals", algorithm="Sampson or symmetric epipolar distance")
def epipolar_errors(p: each(normalized_point), s: each(normalized_point), view_a: index(camera), view_b: index(camera), pose_c: each(pose, camera), tau: maybe(setting(positive_value, 0.05, 0.4), 0.6), huber: maybe(setting(positive_value, 0.1, 0.5), 0.3), err: out(loss), line: maybe(out(vector3), 0.4), good: maybe(out(flag), 0.9), total: maybe(add(loss, 1), 0.4)):
    names(p="p|pts_a|left_xy|x1", s="s|pts_b|right_xy|x2", view_a="view_a|cam_a|first_view|from_cam", view_b="view_b|cam_b|second_view|to_cam", pose_c="pose_c|cam_poses|X_wc|camera_tf", tau="tau|inlier_tol|max_err|threshold", huber="huber|huber_k|delta|robust", err="err|errors|epi_err|distances", line="line|lines|epi_line|epilines", good="good|inlier|is_good|accepted", total="total|cost|sum_err|objective")
    names(rel="rel|X_ba|move|a_to_b", e="e|ess|essential|emat", x="x|xa|ha|pa", y="y|xb|hb|pb", la="la|line_a|l1|back_line", lb="lb|line_b|l2|fwd_line", c="c|alg|yex|product", da="da|n1|grad_a|sq_a", db="db|n2|grad_b|sq_b", v="v|dist_v|value_e|d_i")
    i = wp.tid()
    note("the same view twice has no baseline|no baseline")
    if view_a[i] == view_b[i]:
        return
    rel = wp.transform_multiply(wp.transform_inverse(pose_c[view_b[i]]), pose_c[view_a[i]])
    note("essential matrix, [t]x R|E = [t]x R")
    e = wp.skew(wp.transform_get_translation(rel)) * wp.quat_to_matrix(wp.transform_get_rotation(rel))
    x = lifted_point(p[i])
    y = lifted_point(s[i])
    lb = e * x
    la = wp.transpose(e) * y
    c = wp.dot(y, lb)
    da = la[0] * la[0] + la[1] * la[1]
    db = lb[0] * lb[0] + lb[1] * lb[1]
    match choose("kind"):
        case 2:
            v = wp.abs(c) / wp.sqrt(da + db + constant("TINY|EPS", 1.0e-9))
        case 1:
            v = 0.5 * wp.abs(c) * (1.0 / wp.sqrt(da + constant("TINY|EPS", 1.0e-9)) + 1.0 / wp.sqrt(db + constant("TINY|EPS", 1.0e-9)))
    err[i] = v
    if present(line):
        line[i] = lb
    if present(tau) and present(good):
        if v < tau:
            good[i] = 1
    if present(total):
        if present(huber):
            note("linear for large errors|Huber")
            if v > huber:
                wp.atomic_add(total, 0, huber * (2.0 * v - huber))
            else:
                wp.atomic_add(total, 0, v * v)
        else:
            wp.atomic_add(total, 0, v * v)


@scene("matrix", "geometry", "nested_loop", vertex,
       says="finds the point that is nearest to all rays of its track in the sense of least squares{rms:, and how far the rays miss it}",
       title="triangulate_rays|intersect_rays|nearest_to_rays|ray_triangulation", algorithm="least-squares intersection of rays")
def meet_rays(start: offsets(item), view: index(camera, over=item), ray_dir: each(direction, item), eye: each(position, camera), w: maybe(each(weight, item, range=(0.2, 1.0)), 0.4), prior: maybe(each(position), 0.4), lam: maybe(setting(positive_value, 0.1, 0.6), 0.9), x: out(position), rms: maybe(out(distance), 0.5), used: maybe(out(count_value), 0.4)):
    names(start="start|track_start|offsets_t|first_ray", view="view|cam_id|camera_ids|view_ids", ray_dir="ray_dir|bearings|dirs|rays", eye="eye|cam_pos|centers|origins", prior="prior|guess|x_prior|initial", lam="lam|prior_weight|ridge|damping", x="x|points|landmarks|triangulated", rms="rms|spread|miss|ray_error", used="used|num_rays_out|views_used|track_len")
    names(a="a|normal_m|A|lhs", b="b|right|rhs_v|bv", n="n|num|m|len_t", u="u|d|dir|ray_d", o="o|c|origin|cam_c", m="m|proj|across|p_k", p="p|best|meet|sol", acc="acc|sum2|err2|total", gap="gap|off|res|r_v", first="first|lo|k0|beg", last="last|hi|k1|stop")
    i = wp.tid()
    first = start[i]
    last = start[i + 1]
    n = last - first
    if present(used):
        used[i] = n
    note("one ray does not make a point|too few rays")
    if n < 2:
        return
    a = wp.mat33()
    b = wp.vec3()
    for k in range(first, last):
        u = wp.normalize(ray_dir[k])
        o = eye[view[k]]
        note("what is across the ray counts|projection across the ray")
        m = wp.identity(n=3, dtype=float) - wp.outer(u, u)
        if present(w):
            m = m * w[k]
        a += m
        b += m * o
    if present(prior) and present(lam):
        note("pulled towards what is expected|prior")
        a += wp.diag(wp.vec3(lam, lam, lam))
        b += prior[i] * lam
    if wp.determinant(a) < constant("MIN_DET|DET_EPS|PARALLEL", 1.0e-3):
        note("all rays point the same way|nearly parallel")
        return
    p = wp.inverse(a) * b
    x[i] = p
    if present(rms):
        acc = float(0.0)
        for k in range(first, last):
            gap = wp.cross(p - eye[view[k]], wp.normalize(ray_dir[k]))
            acc += wp.dot(gap, gap)
        rms[i] = wp.sqrt(acc / float(n))


@scene("geometry", "vector", "control_flow", particle,
       says="folds points into the region in front of all mirrors by reflecting them again and again{flips:, and counts the reflections}",
       title="fold_points|mirror_fold|kaleidoscope|reflect_into_domain", algorithm="folding by reflections", lossy=True)
def mirror_fold(x: each(position), normal_in: each(normal, face), at: maybe(each(position, face, range=(-0.3, 0.3)), 0.5), scale: maybe(setting(positive_value, 1.2, 2.0), 0.3), x_out: out(position), flips: maybe(out(count_value), 0.6), hand: maybe(out(handedness), 0.4)):
    names(x="x|pos|points|pts", normal_in="normal_in|mirrors|mirror_n|planes", at="at|mirror_pos|plane_pts|anchors", x_out="x_out|folded|pos_out|points_out", flips="flips|num_flips|reflections|bounces", hand="hand|parity|orientation_sign|handed", scale="scale|zoom|blow_up|factor")
    names(p="p|pt|xi|y", n="n|nk|mn|dir", d="d|side|height|dist_m", done="done|moved|any_flip|changed", total="total|cnt|flip_n|hits", turn="turn|step|sweep|pass_k")
    i = wp.tid()
    p = x[i]
    if present(scale):
        p = p * scale
    total = int(0)
    for turn in range(integer(3, 6, "turns")):
        done = int(1)
        for k in range(count(face)):
            n = wp.normalize(normal_in[k])
            if present(at):
                d = wp.dot(p - at[k], n)
            else:
                d = wp.dot(p, n)
            note("behind the mirror: to the other side|reflect")
            if d < 0.0:
                p = p - n * (2.0 * d)
                total += 1
                done = 0
        note("in front of all of them|nothing changed")
        if done == 1:
            break
    x_out[i] = p
    if present(flips):
        flips[i] = total
    if present(hand):
        if total % 2 == 0:
            hand[i] = 1
        else:
            hand[i] = -1


@scene("geometry", "matrix", "nested_loop", query,
       says="looks up the tetrahedron that holds each point and interpolates the velocity of its corners there{far:; points outside get the velocity of the nearest corner}",
       title="locate_in_tets|interpolate_in_tets|sample_tet_mesh|tet_lookup", algorithm="barycentric interpolation in tetrahedra",
       lossy=True)
def locate_in_tets(p: each(position, range=(-0.7, 0.7)), x: each(position, vertex), corners: index(vertex, 4, over=tet), v: each(velocity, vertex), far: maybe(setting(distance, 0.6, 1.2), 0.4), v_out: out(velocity), cell_out: out(index_value), tol: setting(tolerance), tested: maybe(out(count_value), 0.4)):
    names(p="p|probes|query_pos|seeds", x="x|verts|nodes|points", corners="corners|tets|tet_ids|elements", v="v|node_vel|vertex_vel|vels", far="far|max_gap|reach|snap_dist", v_out="v_out|probe_vel|sampled|vel_out", cell_out="cell_out|tet_out|found|host", tol="tol|slack|eps|edge_tol", tested="tested|num_tested|tries|visited")
    names(q="q|pt|pos_i|probe", m="m|edges|jac|basis", c="c|bary|lam|coef", o="o|x0|base|origin", w="w|w0|rest|lam0", hit="hit|found_t|host_t|which", det="det|vol6|d6|measure", work="work|tries|cnt|tests", best="best|near_d|closest|d_min", d="d|gap|dist|r")
    i = wp.tid()
    q = p[i]
    hit = int(-1)
    work = int(0)
    for t in range(count(tet)):
        o = x[corners[t, 0]]
        m = wp.matrix_from_cols(x[corners[t, 1]] - o, x[corners[t, 2]] - o, x[corners[t, 3]] - o)
        det = wp.determinant(m)
        note("flat elements hold nothing|degenerate element")
        if wp.abs(det) < constant("FLAT|MIN_VOL|DET_EPS", 0.05):
            continue
        work += 1
        c = wp.inverse(m) * (q - o)
        w = 1.0 - c[0] - c[1] - c[2]
        if wp.min(wp.min(c[0], c[1]), wp.min(c[2], w)) >= -tol:
            v_out[i] = v[corners[t, 0]] * w + v[corners[t, 1]] * c[0] + v[corners[t, 2]] * c[1] + v[corners[t, 3]] * c[2]
            hit = t
            break
    cell_out[i] = hit
    if present(tested):
        tested[i] = work
    if present(far):
        if hit >= 0:
            return
        note("the nearest corner, unless it is too far|fall back to the nearest node")
        best = far
        for k in range(count(vertex)):
            d = wp.length(x[k] - q)
            if d < best:
                best = d
                v_out[i] = v[k]


@scene("matrix", "nested_loop", "vector", sample,
       says="assigns each detection to the track whose prediction it fits best, by {ml=0:the Mahalanobis distance}{ml=1:the Gaussian likelihood}, within a gate",
       title="associate_detections|gate_tracks|data_association|nearest_track", algorithm="nearest-neighbour association with a Mahalanobis gate")
def associate_tracks(z: each(position), x: each(position, body), root: each(matrix3, body, range=(-0.8, 0.8)), v: maybe(each(velocity, body, range=(-1.0, 1.0)), 0.5), dt: maybe(setting(time_step, 0.1, 0.4), 0.9), r: setting(variance, 0.1, 0.5), gate: setting(positive_value, 2.0, 8.0), live: maybe(each(flag, body), 0.4), track: out(index_value), score: maybe(out(loss), 0.6), hits: maybe(add(count_value, body), 0.5)):
    names(z="z|detections|meas|plots", x="x|track_pos|predicted|targets", root="root|cov_root|chol|sqrt_cov", v="v|track_vel|target_vel|vel", r="r|meas_var|noise_var|sensor_var", gate="gate|gate_sq|max_d2|chi2_gate", live="live|confirmed|alive|track_active", track="track|assigned|track_id|match_id", score="score|best_score|costs|fit_cost", hits="hits|num_hits|matches|updates")
    names(s="s|innov_cov|S|cov", e="e|innov|nu|diff", d2="d2|maha|m2|dist2", best="best|best_c|lowest|least", who="who|best_k|winner|which", c="c|cost_k|metric|value_k", p="p|pred|xp|here")
    i = wp.tid()
    best = float(100.0)
    who = int(-1)
    for k in range(count(body)):
        if present(live):
            if live[k] == 0:
                continue
        p = x[k]
        if present(v) and present(dt):
            p = p + v[k] * dt
        e = z[i] - p
        note("covariance of the prediction and of the sensor|innovation covariance")
        s = root[k] * wp.transpose(root[k]) + wp.diag(wp.vec3(r, r, r))
        d2 = wp.dot(e, wp.inverse(s) * e)
        note("too unlikely|outside the gate")
        if d2 > gate:
            continue
        match choose("ml"):
            case 2:
                c = d2
            case 1:
                c = d2 + wp.log(wp.determinant(s))
        if c < best:
            best = c
            who = k
    track[i] = who
    if who >= 0:
        if present(score):
            score[i] = best
        if present(hits):
            wp.atomic_add(hits, who, 1)


@scene("vector", "physics", "math", satellite,
       says="moves satellites by one step of the leapfrog method around a planet with a flattened mass{drag:, through thin air that slows them}",
       title="oblate_orbit_step|j2_leapfrog|propagate_orbits_j2|orbit_step", algorithm="leapfrog with the J2 term of gravity")
def oblate_orbits(x: inout(position, range=(-2.5, 2.5)), v: inout(velocity, range=(-0.8, 0.8)), mu: setting(positive_value, 0.8, 1.5), re: setting(length, 0.6, 1.0), j2: setting(ratio, 0.01, 0.1), drag: maybe(setting(ratio, 0.02, 0.2), 0.4), dt: setting(time_step, 0.01, 0.05), state: maybe(out(flag), 0.4), h_out: maybe(out(distance), 0.4), e_out: maybe(out(specific_energy), 0.4)):
    names(x="x|pos|sat_pos|r_eci", v="v|vel|sat_vel|v_eci", mu="mu|gm|grav_param|mu_planet", re="re|planet_radius|r_eq|body_radius", j2="j2|J2|oblateness|zonal2", drag="drag|drag_rate|air_drag|k_drag", state="state|crashed|down|decayed", h_out="h_out|altitudes|height|heights", e_out="e_out|orbit_energy|specific_energy|energies")
    names(p="p|r|ri|pos_i", u="u|vi|vel_i|w", d="d|dist|r_len|radius_i")
    i = wp.tid()
    p = x[i]
    u = v[i]
    d = wp.length(p)
    note("on the ground already|below the surface")
    if d < re:
        if present(state):
            state[i] = 1
        return
    note("half a kick, a drift, half a kick|kick, drift, kick")
    u = u + oblate_pull(p, mu, re, j2) * (0.5 * dt)
    p = p + u * dt
    u = u + oblate_pull(p, mu, re, j2) * (0.5 * dt)
    if present(drag):
        note("thinner the higher it flies|exponential air")
        u = u * (1.0 - drag * dt * wp.exp(-(wp.length(p) - re) / constant("SCALE_HEIGHT|H_SCALE|AIR_SCALE", 0.5)))
    x[i] = p
    v[i] = u
    if present(h_out):
        h_out[i] = wp.length(p) - re
    if present(e_out):
        e_out[i] = 0.5 * wp.dot(u, u) - mu / wp.length(p)


@law("orbits", "the pull of a planet that is flattened at its poles", title="oblate_gravity|j2_acceleration|gravity_j2", private=True, function=True)
def oblate_pull(p: position, mu: positive_value, re: length, j2: ratio) -> acceleration:
    names(r2="r2|rr|d2", r="r|d|dist", z2="z2|s2|sin2", k="k|c|f", g="g|gm3|base")
    r2 = wp.dot(p, p)
    r = wp.sqrt(r2)
    z2 = p[2] * p[2] / r2
    g = mu / (r2 * r)
    k = 1.5 * j2 * re * re / r2
    return wp.vec3(-g * p[0] * (1.0 + k * (1.0 - 5.0 * z2)), -g * p[1] * (1.0 + k * (1.0 - 5.0 * z2)), -g * p[2] * (1.0 + k * (3.0 - 5.0 * z2)))


@scene("vector", "nested_loop", "geometry", query,
       says="sums the magnetic field of straight wires that carry a current at each point{core:; inside a wire it grows with the distance from the axis}",
       title="wire_field|biot_savart_wires|field_of_segments|magnetic_field_of_coil", algorithm="field of straight segments by Biot and Savart")
def wire_field(p: each(position), start: each(position, segment), end: each(position, segment), amps: each(current, segment), core: maybe(setting(radius, 0.2, 0.5), 0.5), ext: maybe(setting(magnetic_field, -0.2, 0.2), 0.3), reach: maybe(setting(distance, 2.0, 3.5), 0.3), b_out: out(magnetic_field), mag: maybe(out(field_strength), 0.4), near: maybe(out(distance), 0.4)):
    names(p="p|probes|points|field_pts", start="start|wire_start|seg_a|p0", end="end|wire_end|seg_b|p1", amps="amps|currents|wire_current|i_seg", core="core|wire_radius|core_radius|r_wire", ext="ext|background|b_ext|uniform_b", b_out="b_out|b_field|field|B_out", mag="mag|b_mag|strength|field_mag", near="near|wire_dist|min_dist|clearance", reach="reach|cutoff|max_dist|far")
    names(q="q|x|pt|at", a="a|ra|u|from_a", b="b|rb|w|from_b", la="la|len_a|ua|na", lb="lb|len_b|ub|nb", c="c|axb|cr|side", f="f|scale_k|k|gain", acc="acc|sum_b|field_i|total", d="d|off|r_ax|dist_w", best="best|closest|d_min|nearest")
    i = wp.tid()
    q = p[i]
    acc = wp.vec3()
    if present(ext):
        acc = acc + ext
    best = float(100.0)
    for s in range(count(segment)):
        a = q - start[s]
        b = q - end[s]
        la = wp.length(a)
        lb = wp.length(b)
        if present(reach):
            if wp.min(la, lb) > reach:
                continue
        c = wp.cross(a, b)
        d = wp.length(c) / wp.max(wp.length(end[s] - start[s]), 1.0e-6)
        if present(near):
            best = wp.min(best, d)
        note("on the line of the wire|no field along the wire itself")
        if d < constant("ON_AXIS|AXIS_EPS|MIN_DIST", 1.0e-3):
            continue
        f = constant("MU_OVER_4PI|FIELD_CONSTANT", 0.1) * amps[s] * (la + lb) / (la * lb * (la * lb + wp.dot(a, b)))
        if present(core):
            if d < core:
                f = f * (d * d / (core * core))
        acc += c * f
    b_out[i] = acc
    if present(mag):
        mag[i] = wp.length(acc)
    if present(near):
        near[i] = best


@scene("vector", "geometry", "control_flow", path,
       says="carries a frame along each curve with as little turning as possible by two reflections a step{roll:, and turns it by a roll angle at each point}",
       title="rotation_minimizing_frames|parallel_frames|double_reflection|frames_along_curve", algorithm="double reflection method")
def minimal_frames(x: each(position, path, sample), ref: each(direction), roll: maybe(each(angle, path, sample), 0.4), n_out: out(direction, path, sample), b_out: maybe(out(direction, path, sample), 0.5), length_out: maybe(out(length), 0.5)):
    names(x="x|curve|points|control_pts", ref="ref|start_normal|up|n_start", roll="roll|twist|bank|roll_angle", n_out="n_out|normals|frame_n|normal_out", b_out="b_out|binormals|frame_b|side_out", length_out="length_out|arc|curve_length|lengths")
    names(t="t|tan|tk|tangent_k", n="n|nk|frame|normal_k", d="d|step|v1|chord", nl="nl|n_ref|rl|n_mid", tl="tl|t_ref|tm|t_mid", t2="t2|tnext|tan2|t_new", e="e|v2|second|kink", g="g|flat|start_n|raw", u="u|nr|rolled|turned", total="total|arc_len|run|sum_l")
    c = wp.tid()
    t = wp.normalize(x[c, 1] - x[c, 0])
    g = wp.normalize(ref[c])
    note("across the first tangent|make it orthogonal")
    n = g - t * wp.dot(g, t)
    if wp.length(n) < constant("PARALLEL|MIN_SIDE|SIDE_EPS", 0.1):
        note("the reference points along the curve|any other direction")
        n = wp.cross(t, wp.vec3(-t[1], t[2], t[0]))
    n = wp.normalize(n)
    total = float(0.0)
    for k in range(count(sample)):
        if present(roll):
            u = n * wp.cos(roll[c, k]) + wp.cross(t, n) * wp.sin(roll[c, k])
        else:
            u = n
        n_out[c, k] = u
        if present(b_out):
            b_out[c, k] = wp.cross(t, u)
        if k + 1 < count(sample):
            d = x[c, k + 1] - x[c, k]
            total += wp.length(d)
            note("tangent at the next point: that of the chord behind it, if there is one|next tangent")
            t2 = wp.normalize(d)
            if k + 2 < count(sample):
                t2 = wp.normalize(x[c, k + 2] - x[c, k + 1])
            note("reflect at the middle plane of the chord|first reflection")
            nl = n - d * (2.0 * wp.dot(d, n) / wp.dot(d, d))
            tl = t - d * (2.0 * wp.dot(d, t) / wp.dot(d, d))
            note("then so that the tangents agree|second reflection")
            e = t2 - tl
            n = nl - e * (2.0 * wp.dot(e, nl) / wp.max(wp.dot(e, e), 1.0e-12))
            t = t2
    if present(length_out):
        length_out[c] = total
