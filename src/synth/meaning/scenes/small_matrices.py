"""Small matrices that mean something: covariances, frames, filters, transforms."""


@scene("matrix", "reduction", "atomic", particle,
       says="adds the outer product of each point's offset from the centre to a covariance matrix",
       title="accumulate_covariance|scatter_covariance|point_covariance", algorithm="covariance of a point cloud", rare=True)
def covariance(x: each(position), centre: setting(position, -0.2, 0.2), w: maybe(each(weight, range=(0.1, 1.0)), 0.5), active: maybe(each(flag), 0.3), cov: add(matrix3, 1), total: maybe(add(weight, 1), 0.6)):
    names(d="d|offset|rel|centered", wi="wi|weight_i|omega", dd="dd|c_i|term")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    d = x[i] - centre
    dd = wp.outer(d, d)
    if present(w):
        wi = w[i]
        dd = dd * wi
        if present(total):
            wp.atomic_add(total, 0, wi)
    else:
        if present(total):
            wp.atomic_add(total, 0, 1.0)
    wp.atomic_add(cov, 0, dd)


@scene("matrix", "math", "control_flow", body,
       says="solves a damped 3 by 3 system for the step of each unknown, and skips systems that are close to singular",
       title="solve_local_systems|newton_steps|solve_blocks", algorithm="damped Newton step")
def solve_blocks(h: each(matrix3), g: each(force), lam: setting(positive_value, 4.5, 7.0), bound: maybe(setting(length, 0.3, 1.0), 0.5), step: out(displacement), ok: maybe(out(flag), 0.5)):
    names(a="a|hess|lhs|m", det="det|d|det_a|pivot", s="s|delta|dx|sol")
    i = wp.tid()
    note("symmetric part plus damping|Levenberg damping")
    a = 0.5 * (h[i] + wp.transpose(h[i])) + wp.diag(wp.vec3(lam, lam, lam))
    det = wp.determinant(a)
    if wp.abs(det) < constant("SINGULAR|DET_EPS|MIN_DET", 1.0e-6):
        if present(ok):
            ok[i] = 0
        step[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    s = -(wp.inverse(a) * g[i])
    if present(bound):
        note("trust region|limit the step")
        if wp.length(s) > bound:
            s = s * (bound / wp.length(s))
    step[i] = s
    if present(ok):
        ok[i] = 1


@scene("matrix", "quaternion", "vector", query,
       says="builds an orthonormal frame from two directions by the method of Gram and Schmidt",
       title="gram_schmidt|orthonormal_frames|build_frames", algorithm="Gram-Schmidt orthonormalisation", rare=True)
def frames(a: each(direction), b: each(direction), r: out(matrix3), q: maybe(out(rotation), 0.4)):
    names(u="u|e0|xa|t", v="v|e1|ya|b_", w="w|e2|za|n", m="m|basis|frame|rot_m")
    i = wp.tid()
    u = wp.normalize(a[i])
    note("remove the part along the first axis")
    v = b[i] - u * wp.dot(u, b[i])
    note("parallel directions give no frame|fall back to another axis")
    if wp.length(v) < constant("PARALLEL|EPS", 1.0e-4):
        v = wp.cross(u, wp.vec3(1.0, 0.0, 0.0))
    v = wp.normalize(v)
    w = wp.cross(u, v)
    if allows(slots_by_reference) and maybe(0.4) and not present(q):
        note("the axes are the rows|one axis per row")
        r[i][0] = u
        r[i][1] = v
        r[i][2] = w
    else:
        m = wp.matrix_from_cols(u, v, w)
        r[i] = m
        if present(q):
            q[i] = wp.quat_from_matrix(m)


@scene("matrix", "scalar_param", "ml", time_sample,
       says="predicts and corrects a state of position and speed with one measurement by a Kalman filter",
       title="kalman_update|filter_tracks|kalman_step", algorithm="Kalman filter for constant velocity")
def kalman(x: inout(vector2), p: inout(matrix2, range=(0.2, 1.0)), z: each(measurement), dt: setting(time_step, 0.05, 0.2), q: setting(positive_value, 0.01, 0.2), r: setting(measurement_variance),
           valid: maybe(each(flag), 0.4), innov: maybe(out(error_value), 0.4)):
    names(f="f|trans|F|phi", xp="xp|pred|x_pred|prior", pp="pp|cov|p_pred|P", s="s|innov_var|S|var_z", y="y|resid|nu|innovation", gain="gain|k|K|kg")
    i = wp.tid()
    f = wp.mat22(1.0, dt, 0.0, 1.0)
    note("predict")
    xp = f * x[i]
    pp = f * p[i] * wp.transpose(f) + wp.mat22(dt * dt * dt / 3.0, 0.5 * dt * dt, 0.5 * dt * dt, dt) * q
    if present(valid):
        note("no measurement: the prediction stands|missed detection")
        if valid[i] == 0:
            x[i] = xp
            p[i] = pp
            if present(innov):
                innov[i] = 0.0
            return
    note("correct with the measured position|update")
    y = z[i] - xp[0]
    s = pp[0, 0] + r
    gain = wp.vec2(pp[0, 0] / s, pp[1, 0] / s)
    x[i] = xp + gain * y
    p[i] = pp - wp.outer(gain, wp.vec2(pp[0, 0], pp[0, 1]))
    if present(innov):
        innov[i] = y


@scene("matrix", "nested_loop", "ml", (row, column),
       says="multiplies two matrices and adds a bias, one entry of the product per thread",
       title="linear_layer|matmul_bias|dense_forward", algorithm="dense layer")
def dense(x: each(feature, row, item), w: each(parameter, item, column), b: maybe(each(parameter, column), 0.7), y: out(preactivation, row, column)):
    names(acc="acc|s|total|dot_ij", k="k|m|d|l")
    i, j = wp.tid()
    acc = float(0.0)
    for k in range(count(item)):
        acc += x[i, k] * w[k, j]
    if present(b):
        acc += b[j]
    match choose("activation"):
        case 3:
            y[i, j] = acc
        case 2:
            note("rectified linear unit|ReLU")
            y[i, j] = wp.max(acc, 0.0)
        case 1:
            y[i, j] = wp.tanh(acc)
        case 1:
            y[i, j] = acc / (1.0 + wp.exp(-acc))


@scene("matrix", "struct", "geometry", pixel,
       says="projects points in world space to the pixels of a pinhole camera and marks those that are not visible",
       title="project_points|world_to_pixel|camera_projection", algorithm="pinhole projection", rare=True)
def project(x: each(position), cam: setting(rotation), eye: setting(position, -0.5, 0.5), focal: setting(focal_pixels), centre: setting(principal_point), near: setting(near_plane),
            uv: out(pixel_coordinate), z: maybe(out(depth), 0.6), vis: maybe(out(flag), 0.6)):
    names(pc="pc|cam|view|p_cam", d="d|depth_i|zc|w")
    i = wp.tid()
    pc = wp.quat_rotate_inv(wp.normalize(cam), x[i] - eye)
    note("the camera looks along its negative z axis")
    d = -pc[2]
    note("behind the near plane|not in front of the camera")
    if d <= near:
        if present(vis):
            vis[i] = 0
        uv[i] = wp.vec2(0.0, 0.0)
        if present(z):
            z[i] = 0.0
        return
    uv[i] = wp.vec2(focal * pc[0] / d + centre[0], focal * pc[1] / d + centre[1])
    if present(z):
        z[i] = d
    if present(vis):
        vis[i] = 1
