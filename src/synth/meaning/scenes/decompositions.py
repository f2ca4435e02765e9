"""Small matrices at work: factorisations, frames of point clouds, filters, projections, quadrics."""


@law("decompositions", "three numbers in rising order", title="sort_three|ordered_triple|ascending", private=True, function=True)
def sort_three(v: vector3) -> vector3:
    names(lo="lo|a|small|s0", mid="mid|b|middle|s1", hi="hi|c|large|s2")
    lo = wp.min(v[0], wp.min(v[1], v[2]))
    hi = wp.max(v[0], wp.max(v[1], v[2]))
    mid = v[0] + v[1] + v[2] - lo - hi
    return wp.vec3(lo, mid, hi)


@law("decompositions", "the matrix that turns a vector about an axis by its length", title="rodrigues|axis_angle_matrix|exp_so3", private=True, function=True)
def rodrigues_matrix(w: rotation_vector) -> matrix3:
    names(theta="theta|ang|phi|angle", k="k|cross_m|hat_w|skew_w")
    theta = wp.length(w)
    if theta < 1.0e-6:
        return wp.identity(n=3, dtype=float) + wp.skew(w)
    k = wp.skew(w / theta)
    return wp.identity(n=3, dtype=float) + k * wp.sin(theta) + k * k * (1.0 - wp.cos(theta))


@law("decompositions", "the inertia of a box, a ball or a rod about its own centre, by kind", title="primitive_inertia|shape_inertia|local_inertia", private=True, function=True)
def primitive_inertia(shape: kind_value, m: mass, half: half_extents) -> matrix3:
    names(xx="xx|ix|a|jx", yy="yy|iy|b|jy", zz="zz|iz|c|jz", r2="r2|rr|rad2|sq")
    if shape == 0:
        xx = m / 3.0 * (half[1] * half[1] + half[2] * half[2])
        yy = m / 3.0 * (half[0] * half[0] + half[2] * half[2])
        zz = m / 3.0 * (half[0] * half[0] + half[1] * half[1])
        return wp.diag(wp.vec3(xx, yy, zz))
    r2 = half[0] * half[0]
    if shape == 1:
        return wp.diag(wp.vec3(0.4 * m * r2, 0.4 * m * r2, 0.4 * m * r2))
    xx = m * (3.0 * r2 + 4.0 * half[1] * half[1]) / 12.0
    return wp.diag(wp.vec3(xx, 0.5 * m * r2, xx))


@scene("matrix", "nested_loop", "ml", row,
       says="fits a cubic polynomial to the samples of each row by least squares: normal equations with a ridge, factored by Cholesky's method",
       title="fit_cubic|polynomial_fit|least_squares_cubic|polyfit_rows", algorithm="least squares by Cholesky factorisation", rare=True,
       lossy=True)
def polyfit_cholesky(x: each(unit_coordinate, row, column), y: each(value, row, column), w: maybe(each(weight, row, column, range=(0.1, 1.0)), 0.4), ridge: setting(positive_value, 0.1, 0.5), coef: out(cubic_coefficients), sse: maybe(out(squared_error), 0.5)):
    names(a="a|ata|normal_m|gram", b="b|aty|rhs|moment", p="p|basis|phi|powers", l="l|chol|factor|lower", s="s|acc|dot_s|partial", z="z|fwd|u|tmp_v", c="c|sol|theta|beta", e="e|miss|err_k|resid", total="total|sq|rss|misfit", wk="wk|omega_k|weight_k|wt", ridge="ridge|lam|regularization|damping_l")
    r = wp.tid()
    a = wp.diag(wp.vec4(ridge, ridge, ridge, ridge))
    b = wp.vec4(0.0, 0.0, 0.0, 0.0)
    for k in range(count(column)):
        p = wp.vec4(1.0, x[r, k], x[r, k] * x[r, k], x[r, k] * x[r, k] * x[r, k])
        if present(w):
            wk = w[r, k]
            a = a + wp.outer(p, p) * wk
            b = b + p * (wk * y[r, k])
        else:
            a = a + wp.outer(p, p)
            b = b + p * y[r, k]
    note("lower triangle, row by row|A = L L^T")
    l = wp.mat44(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(4):
        for j in range(i + 1):
            s = float(a[i, j])
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, i] = wp.sqrt(wp.max(s, constant("PIVOT_MIN|MIN_PIVOT|TINY", 1.0e-8)))
            else:
                l[i, j] = s / l[j, j]
    note("forward, then backward substitution")
    z = wp.vec4(0.0, 0.0, 0.0, 0.0)
    for i in range(4):
        s = float(b[i])
        for k in range(i):
            s -= l[i, k] * z[k]
        z[i] = s / l[i, i]
    c = wp.vec4(0.0, 0.0, 0.0, 0.0)
    for m in range(4):
        i = 3 - m
        s = float(z[i])
        for k in range(i + 1, 4):
            s -= l[k, i] * c[k]
        c[i] = s / l[i, i]
    coef[r] = c
    if present(sse):
        total = float(0.0)
        for k in range(count(column)):
            e = y[r, k] - (c[0] + x[r, k] * (c[1] + x[r, k] * (c[2] + x[r, k] * c[3])))
            total += e * e
        sse[r] = total


@scene("matrix", "math", "control_flow", item,
       says="solves a 3 by 3 system for each item by QR factorisation and back substitution, and estimates how well it is posed",
       title="solve_qr|qr_solve_blocks|back_substitute|solve_three", algorithm="solution of a linear system by QR factorisation")
def qr_solve(a: each(matrix3), b: each(vector3), shift: setting(positive_value, 2.5, 4.0), x_out: out(vector3), cond: maybe(out(positive_value), 0.6), refine: maybe(setting(flag, 1, 1), 0.3)):
    names(m="m|lhs|A_i|system", q="q|ortho|Q_i|basis", r="r|tri|R_i|upper", y="y|qtb|proj|rotated", x="x|sol|u|unknown", d="d|resid|defect|rest", top="top|largest|dmax|p_hi", low="low|smallest|dmin|p_lo", x_out="x_out|solutions|unknowns|sol_out")
    i = wp.tid()
    note("dominant diagonal, as after scaling|shifted to be regular")
    m = a[i] + wp.diag(wp.vec3(shift, shift, shift))
    q, r = wp.qr3(m)
    top = wp.max(wp.abs(r[0, 0]), wp.max(wp.abs(r[1, 1]), wp.abs(r[2, 2])))
    low = wp.min(wp.abs(r[0, 0]), wp.min(wp.abs(r[1, 1]), wp.abs(r[2, 2])))
    note("a vanishing pivot: no unique solution|rank deficient")
    if low < number(0.2, 0.6, "rank") * top:
        x_out[i] = wp.vec3(0.0, 0.0, 0.0)
        if present(cond):
            cond[i] = -1.0
        return
    y = wp.transpose(q) * b[i]
    x = wp.vec3(0.0, 0.0, 0.0)
    x[2] = y[2] / r[2, 2]
    x[1] = (y[1] - r[1, 2] * x[2]) / r[1, 1]
    x[0] = (y[0] - r[0, 1] * x[1] - r[0, 2] * x[2]) / r[0, 0]
    if present(refine):
        note("one step of iterative refinement|solve again for the residual")
        if refine == 1:
            d = wp.transpose(q) * (b[i] - m * x)
            x = x + wp.inverse(r) * d
    x_out[i] = x
    if present(cond):
        cond[i] = top / low


@scene("matrix", "geometry", "nested_loop", particle,
       says="estimates the surface normal of each point of a cloud from the covariance of its neighbours and turns it towards the sensor",
       title="estimate_normals|pca_normals|point_cloud_normals|local_planes", algorithm="normal estimation by principal component analysis", rare=True)
def cloud_normals(x: each(position), reach: setting(radius, 1.8, 2.4), eye: setting(position, 2.5, 4.0), n_out: out(normal), curv: maybe(out(ratio), 0.6), linear: maybe(out(ratio), 0.6), num: maybe(out(count_value), 0.4)):
    names(mean="mean|centroid|mu|center_i", cov="cov|scatter|c_m|spread_m", k="k|found|inliers|nn", d="d|off|rel|delta", q="q|vecs|evec|basis", lam="lam|vals|eval_v|spectrum", s="s|ordered|sorted_l|ranked", which="which|thin|min_axis|col_i", n="n|nrm|dir_n|candidate", x="x|cloud|lidar_points|scan", reach="reach|search_radius|neighborhood|support", eye="eye|sensor_pos|viewpoint|scanner")
    i = wp.tid()
    mean = wp.vec3(0.0, 0.0, 0.0)
    k = int(0)
    for j in range(count(particle)):
        if wp.length(x[j] - x[i]) < reach:
            mean += x[j]
            k += 1
    if present(num):
        num[i] = k
    note("a plane needs three points, a stable one more|too few neighbours")
    if k < integer(3, 4, "few"):
        n_out[i] = wp.vec3(0.0, 0.0, 0.0)
        if present(curv):
            curv[i] = 0.0
            if present(linear):
                linear[i] = 0.0
        return
    mean = mean / float(k)
    cov = wp.mat33(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for j in range(count(particle)):
        if wp.length(x[j] - x[i]) < reach:
            d = x[j] - mean
            cov = cov + wp.outer(d, d)
    cov = cov / float(k)
    q, lam = wp.eig3(cov)
    note("the normal is the direction of least spread|smallest eigenvalue")
    which = int(wp.argmin(lam))
    n = wp.vec3(q[0, which], q[1, which], q[2, which])
    if wp.dot(n, eye - x[i]) < 0.0:
        n = -n
    n_out[i] = wp.normalize(n)
    if present(curv):
        note("surface variation: zero on a plane, a third in a ball")
        s = sort_three(lam)
        curv[i] = s[0] / (s[0] + s[1] + s[2])
        if present(linear):
            linear[i] = (s[2] - s[1]) / s[2]


@scene("matrix", "quaternion", "nested_loop", cluster,
       says="finds the rotation and the shift that bring the points of each group onto their partners with the least squared error",
       title="align_groups|kabsch_alignment|rigid_registration|fit_rigid_transform", algorithm="Kabsch's algorithm", rare=True)
def kabsch(start: offsets(item), p: each(position, item), target: each(position, item), w: maybe(each(weight, item, range=(0.1, 1.0)), 0.4), rot_out: out(matrix3), shift_out: out(displacement), rms: maybe(out(distance), 0.5)):
    names(pc="pc|src_mean|c0|centroid_p", qc="qc|dst_mean|c1|centroid_q", h="h|cross_cov|H|corr", u="u|left_v|U|su", v="v|right_v|V|sv", sig="sig|singular|sv_vals|strength", r="r|rot|R|turn", total="total|sum_w|mass_w|norm_w", wk="wk|weight_k|omega|wt", first="first|begin|k0|lo", last="last|stop|k1|hi", err="err|sq|rss|misfit")
    g = wp.tid()
    first = start[g]
    last = start[g + 1]
    note("a rotation needs at least three pairs|under-determined")
    if last - first < 4:
        rot_out[g] = wp.identity(n=3, dtype=float)
        shift_out[g] = wp.vec3(0.0, 0.0, 0.0)
        if present(rms):
            rms[g] = 0.0
        return
    pc = wp.vec3(0.0, 0.0, 0.0)
    qc = wp.vec3(0.0, 0.0, 0.0)
    total = float(0.0)
    for k in range(first, last):
        if present(w):
            wk = w[k]
        else:
            wk = 1.0
        pc += p[k] * wk
        qc += target[k] * wk
        total += wk
    pc = pc / total
    qc = qc / total
    h = wp.mat33(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(first, last):
        if present(w):
            h += wp.outer(p[k] - pc, target[k] - qc) * w[k]
        else:
            h += wp.outer(p[k] - pc, target[k] - qc)
    u, sig, v = wp.svd3(h)
    r = v * wp.transpose(u)
    note("a mirror image is not a rotation: flip the weakest axis|enforce a proper rotation")
    if wp.determinant(r) < 0.0:
        r = v * wp.diag(wp.vec3(1.0, 1.0, -1.0)) * wp.transpose(u)
    rot_out[g] = r
    shift_out[g] = qc - r * pc
    if present(rms):
        err = float(0.0)
        for k in range(first, last):
            err += wp.length_sq(r * (p[k] - pc) + qc - target[k])
        rms[g] = wp.sqrt(err / float(last - first))


@scene("matrix", "physics", "nested_loop", "quaternion", body,
       says="adds up mass, centre and inertia of bodies made of boxes, balls and rods by the parallel axis theorem",
       title="compound_inertia|assemble_inertia|body_mass_properties|shape_mass_properties", algorithm="parallel axis theorem", rare=True)
def compound_inertia(start: offsets(item), shape: kind(BOX, BALL, ROD, over=item), m: each(mass, item), half: each(half_extents, item), at: each(position, item, range=(-1.0, 1.0)), q: maybe(each(rotation, item), 0.4), mass_out: out(mass), com_out: out(center_of_mass), inertia_out: out(inertia_tensor), inverse_out: maybe(out(matrix3), 0.6)):
    names(total="total|m_sum|body_m|mt", com="com|center|c|cm", j="j|inertia_w|I|J_sum", local="local|I_k|own|prim", d="d|off|arm|rel", r="r|rot_k|basis|orient", first="first|begin|k0|lo", last="last|stop|k1|hi", at="at|shape_pos|offsets_l|part_pos")
    b = wp.tid()
    first = start[b]
    last = start[b + 1]
    total = float(0.0)
    com = wp.vec3(0.0, 0.0, 0.0)
    for k in range(first, last):
        total += m[k]
        com += at[k] * m[k]
    mass_out[b] = total
    note("a body without shapes has no inertia|massless")
    if total <= 0.0:
        com_out[b] = wp.vec3(0.0, 0.0, 0.0)
        inertia_out[b] = wp.mat33(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    com = com / total
    com_out[b] = com
    j = wp.mat33(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(first, last):
        local = primitive_inertia(shape[k], m[k], half[k])
        if present(q):
            r = wp.quat_to_matrix(wp.normalize(q[k]))
            local = r * local * wp.transpose(r)
        d = at[k] - com
        note("shift from the shape's own centre to that of the body|Steiner's theorem")
        match choose("steiner"):
            case 1:
                j = j + local + (wp.identity(n=3, dtype=float) * wp.dot(d, d) - wp.outer(d, d)) * m[k]
            case 1:
                j = j + local - wp.skew(d) * wp.skew(d) * m[k]
    inertia_out[b] = j
    if present(inverse_out):
        inverse_out[b] = wp.inverse(j)


@scene("matrix", "fem", "control_flow", "math", tet,
       says="splits each deformation, given by the gradient of its displacement, into a stretch{rot_out: and a rotation} by Newton's iteration of the polar decomposition, up to a tolerance",
       title="polar_rotation|polar_decompose|extract_rotation|newton_polar", algorithm="polar decomposition by Newton's iteration", rare=True,
       lossy=True)
def polar_newton(f: each(matrix3, range=(-0.35, 0.35)), tol: setting(tolerance, 0.00001, 0.00002), stretch_out: out(matrix3), rot_out: maybe(out(matrix3), 0.7), iters: maybe(out(count_value), 0.3), vol: maybe(out(ratio), 0.4)):
    names(a="a|grad|F_i|def_m", r="r|rot|R_i|ortho", old="old|prev|r_last|before", n="n|it|rounds|sweeps", change="change|moved|gap|diff", f="grad_u|disp_grad|du_dx|H", stretch_out="stretch_out|stretches|S_out|right_stretch")
    t = wp.tid()
    a = wp.identity(n=3, dtype=float) + f[t]
    note("an inverted element has no rotation close by|leave inverted elements alone")
    if wp.determinant(a) < number(0.05, 0.2, "inverted"):
        stretch_out[t] = wp.identity(n=3, dtype=float)
        if present(rot_out):
            rot_out[t] = wp.identity(n=3, dtype=float)
        if present(iters):
            iters[t] = 0
        if present(vol):
            vol[t] = wp.determinant(a)
        return
    r = wp.mat33(a)
    n = int(0)
    change = float(1.0)
    while change > tol and n < constant("MAX_ITERS|POLAR_LIMIT", 20):
        old = wp.mat33(r)
        note("average with the inverse transpose: singular values go to one")
        r = (old + wp.transpose(wp.inverse(old))) * 0.5
        change = wp.sqrt(wp.ddot(r - old, r - old))
        n += 1
    stretch_out[t] = wp.transpose(r) * a
    if present(rot_out):
        rot_out[t] = r
    if present(iters):
        iters[t] = n
    if present(vol):
        vol[t] = wp.determinant(a)


@scene("matrix", "control_flow", "function", robot,
       says="corrects the pose of each robot in the plane and its covariance with the range and the bearing of a known landmark by an extended Kalman filter",
       title="ekf_landmark_update|ekf_range_bearing_update|ekf_correct", algorithm="extended Kalman filter with range and bearing",
       lossy=True)
def ekf_landmark(pose: inout(planar_pose), cov: inout(matrix3, range=(0.005, 0.02)), z_range: each(distance, range=(1.0, 4.0)), z_bearing: each(bearing), landmark: setting(point2), range_var: setting(variance, 0.3, 0.6), bearing_var: setting(variance, 0.3, 0.6), gate: maybe(setting(positive_value, 3.0, 9.0), 0.4), used: maybe(out(count_value), 0.5)):
    names(s="s|state", p="p|P", dx="dx|dx", dy="dy|dy", r="r|dist", h="h|jac", k="k|gain", inn="innov|nu", var="s_k|innov_var", n="n|num_used", landmark="landmark|landmark_xy", cov="cov|covariance", pose="pose|poses", z_range="z_range|ranges", z_bearing="z_bearing|bearings", range_var="range_var|var_range", bearing_var="bearing_var|var_bearing", gate="gate|gate_threshold", used="used|num_fused")
    i = wp.tid()
    s = pose[i]
    p = cov[i]
    n = int(0)
    for c in range(2):
        dx = landmark[0] - s[0]
        dy = landmark[1] - s[1]
        r = wp.sqrt(dx * dx + dy * dy)
        note("on top of the landmark its direction is unknown")
        if r < constant("MIN_RANGE|MIN_DIST", 0.5):
            continue
        if c == 0:
            note("range")
            h = wp.vec3(-dx / r, -dy / r, 0.0)
            inn = z_range[i] - r
            var = wp.dot(h, p * h) + range_var
        else:
            note("bearing")
            h = wp.vec3(dy / (r * r), -dx / (r * r), -1.0)
            inn = wrap_angle_to_pi(z_bearing[i] - wp.atan2(dy, dx) + s[2])
            var = wp.dot(h, p * h) + bearing_var
        if present(gate):
            note("too unlikely to be this landmark|validation gate")
            if inn * inn > gate * var:
                continue
        k = (p * h) / var
        s = s + k * inn
        p = p - wp.outer(k, h) * p
        n += 1
    s[2] = wrap_angle_to_pi(s[2])
    pose[i] = s
    cov[i] = p
    if present(used):
        note("how many of the two measurements were used|accepted measurements")
        used[i] = n


@scene("matrix", "geometry", "control_flow", vertex,
       says="carries vertices through model, view and projection to window coordinates and marks on which sides of the view volume they lie",
       title="vertex_pipeline|transform_vertices|clip_and_project|project_vertices", algorithm="perspective projection with clip codes", rare=True)
def vertex_pipeline(x: each(position), model: setting(pose), near: setting(near_plane), far: setting(far_plane), focal: setting(positive_value, 1.0, 2.0), aspect: maybe(setting(positive_value, 1.0, 1.8), 0.5), window: setting(principal_point), screen: out(pixel_coordinate), depth_out: maybe(out(depth_value), 0.6), code_out: maybe(out(bits), 0.6), seen: maybe(add(count_value, 1), 0.4)):
    names(p="p|eye_p|view_p|cam_p", proj="proj|P|persp|proj_m", c="c|clip|clip_p|hom", code="code|outcode|planes|clip_bits", ndc="ndc|unit_p|device|norm_p", model="model|model_view|world_to_eye|mv", window="window|viewport|resolution|win_size", screen="screen|window_xy|raster_xy|pixels_out", focal="focal|cot_half_fov|zoom|focal_scale")
    v = wp.tid()
    p = wp.transform_point(model, x[v]) - wp.vec3(0.0, 0.0, number(2.0, 3.0, "back"))
    if present(aspect):
        proj = wp.mat44(focal / aspect, 0.0, 0.0, 0.0, 0.0, focal, 0.0, 0.0, 0.0, 0.0, (far + near) / (near - far), 2.0 * far * near / (near - far), 0.0, 0.0, -1.0, 0.0)
    else:
        proj = wp.mat44(focal, 0.0, 0.0, 0.0, 0.0, focal, 0.0, 0.0, 0.0, 0.0, (far + near) / (near - far), 2.0 * far * near / (near - far), 0.0, 0.0, -1.0, 0.0)
    c = proj * wp.vec4(p[0], p[1], p[2], 1.0)
    code = wp.uint32(0)
    if c[0] < -c[3]:
        code = code | wp.uint32(1)
    if c[0] > c[3]:
        code = code | wp.uint32(2)
    if c[1] < -c[3]:
        code = code | wp.uint32(4)
    if c[1] > c[3]:
        code = code | wp.uint32(8)
    if c[2] < -c[3]:
        note("in front of the near plane")
        code = code | wp.uint32(16)
    if present(code_out):
        code_out[v] = code
    note("the divide makes no sense behind the eye|rejected by the near plane")
    if (code & wp.uint32(16)) != wp.uint32(0):
        screen[v] = wp.vec2(-1.0, -1.0)
        if present(depth_out):
            depth_out[v] = 0.0
        return
    ndc = wp.vec3(c[0] / c[3], c[1] / c[3], c[2] / c[3])
    screen[v] = wp.vec2((ndc[0] * 0.5 + 0.5) * window[0], (0.5 - ndc[1] * 0.5) * window[1])
    if present(depth_out):
        depth_out[v] = ndc[2] * 0.5 + 0.5
    if present(seen):
        if code == wp.uint32(0):
            wp.atomic_add(seen, 0, 1)


@scene("matrix", "geometry", "nested_loop", edge,
       says="measures what the collapse of each edge of a mesh costs by the quadrics of the planes around both ends, and where the new vertex should lie",
       title="quadric_costs|edge_collapse_cost|qem_edges|simplify_costs", algorithm="quadric error metric", lossy=True)
def quadric_costs(x: each(position, vertex), ends: index(vertex, 2), start: offsets(face, over=vertex), fan: index(face, over=face), normal_of: each(normal, face), point_of: index(vertex, over=face), cost: out(positive_value), place: maybe(out(position), 0.7), stuck: maybe(out(flag), 0.4)):
    names(ends="ends|edge_ends|edge_vertices|collapse_pair", fan="fan|face_fan|incident_faces|vertex_faces", a="a|quad_m|A_q|hess", b="b|quad_v|b_q|lin", c="c|quad_c|c_q|rest", n="n|plane_n|unit_n|fn", d="d|plane_d|offset_p|off", v="v|target_p|opt|new_p", vert="vert|end_v|who|vtx", f="f|tri|fid|around", det="det|det_a|vol|pivot", mid="mid|half_way|middle|center_e")
    e = wp.tid()
    a = wp.diag(wp.vec3(0.02, 0.02, 0.02))
    mid = (x[ends[e, 0]] + x[ends[e, 1]]) * 0.5
    note("a weak pull to the middle keeps flat regions solvable|regularisation")
    b = mid * -0.02
    c = 0.02 * wp.dot(mid, mid)
    for s in range(2):
        vert = ends[e, s]
        for k in range(start[vert], start[vert + 1]):
            f = fan[k]
            n = wp.normalize(normal_of[f])
            d = -wp.dot(n, x[point_of[f]])
            a += wp.outer(n, n)
            b += n * d
            c += d * d
    det = wp.determinant(a)
    v = mid
    if present(stuck):
        stuck[e] = 0
    if wp.abs(det) > number(0.001, 0.01, "flat"):
        v = -(wp.inverse(a) * b)
    else:
        note("no best point: stay in the middle|nearly flat neighbourhood")
        if present(stuck):
            stuck[e] = 1
    note("v A v + 2 b v + c")
    cost[e] = wp.dot(v, a * v) + 2.0 * wp.dot(b, v) + c
    if present(place):
        place[e] = v


@scene("matrix", "atomic", "function", contact,
       says="computes the reprojection error of each observed point and adds its share of the normal equations for the position of its camera",
       title="bundle_residuals|reprojection_errors|accumulate_normal_equations|pose_normal_equations", algorithm="Gauss-Newton normal equations of the reprojection error")
def bundle_residuals(x: each(position, particle, range=(-0.8, 0.8)), rvec: each(rotation_vector, camera, range=(-0.4, 0.4)), tvec: each(displacement, camera), cam_id: index(camera), point_id: index(particle), seen: each(vector2, range=(-0.6, 0.6)), huber: maybe(setting(huber_delta), 0.5), res: out(vector2), jtj: add(matrix3, camera), jtr: add(vector3, camera), loss_out: maybe(add(loss, 1), 0.4)):
    names(r="r|rot|R_c|cam_rot", p="p|pc|cam_point|xc", inv_z="inv_z|iz|zi|w", u="u|proj|pix|uv", e="err|diff_uv|residual|miss", gu="gu|ju|grad_u|row_u", gv="gv|jv|grad_v|row_v", weight_k="weight_k|w|rho_w|robust_w", size="size|norm_e|len_e|mag", cam_id="cam_id|view_id|camera_index|frame_id", point_id="point_id|track_id|landmark_id|point_index", seen="seen|observed|keypoints|measured_uv", jtj="jtj|hessian|H_cc|normal_m", jtr="jtr|gradient_c|g_c|rhs")
    k = wp.tid()
    r = rodrigues_matrix(rvec[cam_id[k]])
    p = r * x[point_id[k]] + tvec[cam_id[k]] + wp.vec3(0.0, 0.0, number(3.0, 4.0, "away"))
    note("behind the camera: no projection|cheirality")
    if p[2] < 0.5:
        return
    inv_z = 1.0 / p[2]
    u = wp.vec2(p[0] * inv_z, p[1] * inv_z)
    e = u - seen[k]
    res[k] = e
    size = wp.length(e)
    weight_k = float(1.0)
    if present(huber):
        note("large errors count linearly|Huber weight")
        if size > huber:
            weight_k = huber / size
    gu = wp.vec3(inv_z, 0.0, -u[0] * inv_z)
    gv = wp.vec3(0.0, inv_z, -u[1] * inv_z)
    wp.atomic_add(jtj, cam_id[k], (wp.outer(gu, gu) + wp.outer(gv, gv)) * weight_k)
    wp.atomic_add(jtr, cam_id[k], (gu * e[0] + gv * e[1]) * weight_k)
    if present(loss_out):
        wp.atomic_add(loss_out, 0, 0.5 * weight_k * size * size)


@scene("matrix", "nested_loop", "scalar_param", row,
       says="solves a block tridiagonal system of 2 by 2 blocks for each row by forward elimination and back substitution",
       title="block_thomas|solve_tridiagonal_blocks|block_sweep|line_solver", algorithm="block Thomas algorithm", lossy=True)
def block_thomas(low: each(matrix2, row, column, range=(-0.5, 0.5)), up: each(matrix2, row, column, range=(-0.5, 0.5)), diag_b: each(matrix2, row, column, range=(-0.5, 0.5)), rhs: each(vector2, row, column), shift: setting(positive_value, 2.5, 4.0), sol: out(vector2, row, column), work: out(matrix2, row, column), norm_out: maybe(out(positive_value), 0.4)):
    names(low="low|sub_diag|lower_b|A_sub", up="up|super_diag|upper_b|A_sup", diag_b="diag_b|main_diag|D_in|A_mid", m="m|pivot|denom|schur", inv="inv|m_inv|pivot_inv|schur_inv", d="d|rest|d_hat|reduced", x="x|unk|val_c|found", last="last|end_c|n_last|tail", big="big|peak|sup|largest", work="work|scratch|c_prime|gamma_w", sol="sol|x_out|unknowns|solution")
    r = wp.tid()
    m = diag_b[r, 0] + wp.mat22(shift, 0.0, 0.0, shift)
    inv = wp.inverse(m)
    work[r, 0] = inv * up[r, 0]
    sol[r, 0] = inv * rhs[r, 0]
    note("eliminate the lower blocks, left to right|forward sweep")
    for c in range(1, count(column)):
        m = diag_b[r, c] + wp.mat22(shift, 0.0, 0.0, shift) - low[r, c] * work[r, c - 1]
        inv = wp.inverse(m)
        work[r, c] = inv * up[r, c]
        d = rhs[r, c] - low[r, c] * sol[r, c - 1]
        sol[r, c] = inv * d
    note("right to left|back substitution")
    last = count(column) - 1
    big = wp.length(sol[r, last])
    for k in range(last):
        x = sol[r, last - 1 - k] - work[r, last - 1 - k] * sol[r, last - k]
        sol[r, last - 1 - k] = x
        big = wp.max(big, wp.length(x))
    if present(norm_out):
        norm_out[r] = big
