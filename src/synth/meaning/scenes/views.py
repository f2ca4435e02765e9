"""Views: marching rays, lenses, volumes, splats, filters over frames, textures with levels, shadow maps."""


@law("views", "a minimum with a rounded corner", title="smooth_min|soft_min|blend_min", private=True, function=True)
def rounded_min(a: signed_distance, b: signed_distance, k: blend_radius) -> signed_distance:
    names(h="h|t|mixing")
    h = wp.clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0)
    return wp.lerp(b, a, h) - k * h * (1.0 - h)


@law("views", "the distance to a ball that melts into a box over a ground", title="map_scene|scene_sdf|world_distance", private=True, function=True)
def melted_scene(p: position, ball: position, r: radius, k: blend_radius) -> signed_distance:
    names(q="q|ext|beyond", box_d="box_d|d_box|cube", ball_d="ball_d|d_ball|orb")
    q = wp.vec3(wp.abs(p[0] + 0.4) - 0.45, wp.abs(p[1] + 0.3) - 0.4, wp.abs(p[2]) - 0.45)
    box_d = wp.length(wp.vec3(wp.max(q[0], 0.0), wp.max(q[1], 0.0), wp.max(q[2], 0.0))) + wp.min(wp.max(q[0], wp.max(q[1], q[2])), 0.0)
    ball_d = wp.length(p - ball) - r
    return wp.min(rounded_min(ball_d, box_d, k), p[1] + 0.8)


@law("views", "where a lens with radial and tangential distortion puts a normalized point", title="distort|brown_conrady|apply_distortion", private=True, function=True)
def brown_distortion(x: normalized_point, k1: lens_coefficient, k2: lens_coefficient, p1: tangential_coefficient, p2: tangential_coefficient) -> normalized_point:
    names(r2="r2|rr|sq", radial="radial|cd|scale_r")
    r2 = wp.dot(x, x)
    radial = 1.0 + r2 * (k1 + k2 * r2)
    return x * radial + wp.vec2(2.0 * p1 * x[0] * x[1] + p2 * (r2 + 2.0 * x[0] * x[0]), p1 * (r2 + 2.0 * x[1] * x[1]) + 2.0 * p2 * x[0] * x[1])


@law("views", "luma and two differences of a colour", title="rgb_to_ycocg|to_ycocg|opponent_color", private=True, function=True)
def opponent_colour(c: colour) -> lab_color:
    return wp.vec3(0.25 * c[0] + 0.5 * c[1] + 0.25 * c[2], 0.5 * c[0] - 0.5 * c[2], -0.25 * c[0] + 0.5 * c[1] - 0.25 * c[2])


@law("views", "a colour from its luma and two differences", title="ycocg_to_rgb|from_ycocg|restore_color", private=True, function=True)
def colour_of_opponents(c: lab_color) -> colour:
    return wp.vec3(c[0] + c[1] - c[2], c[0] + c[2], c[0] - c[1] - c[2])


@scene("geometry", "control_flow", "function", "combined", "vector", pixel,
       says="renders a ball that melts into a box by marching rays through their distance field, with a soft shadow and occlusion by what is near",
       title="render_distance_field|march_scene|sdf_renderer|sphere_trace_image", algorithm="sphere tracing with soft shadows and ambient occlusion",
       lossy=True)
def sdf_image(ball: setting(position, -0.4, 0.6), r: setting(radius, 0.3, 0.7), k: setting(blend_radius, 0.1, 0.5), sun: setting(direction), focal: setting(focal_length, 0.8, 1.5), zoom: each(ratio, range=(0.9, 1.1)), fog: maybe(setting(fog_density), 0.4), img: out(intensity), depth_out: maybe(out(depth), 0.6)):
    names(u="u|sx|px_u|ndc_x", v="v|sy|px_v|ndc_y", o="o|eye|origin_r|cam", d="d|rd|ray_dir|view_d", t="t|travelled|dist_t|ray_t", hit="hit|found|done|struck", p="p|pos|at|surf", n="n|nrm|normal_p|grad_n", l="l|to_sun|light_d|sun_d", lit="lit|diffuse|shade|cos_l", shadow="shadow|penumbra|res|visible", occ="occ|ao|closed|dark", s="s|st|walk|shadow_t", h="h|gap|dist_s|clear", e="e|eps|delta_n|fd", value_="value_|out_c|tone|lum", zoom="zoom|lens_zoom|pixel_scale|breathing")
    i, j = wp.tid()
    u = (float(i) + 0.5) / float(count(pixel)) - 0.5
    v = (float(j) + 0.5) / float(count(pixel, 1)) - 0.5
    o = wp.vec3(0.0, 0.2, 3.0)
    d = wp.normalize(wp.vec3(u * zoom[i, j], v * zoom[i, j], -focal))
    t = float(0.0)
    hit = int(0)
    for it in range(constant("MARCH_STEPS|MAX_STEPS|NUM_STEPS", 24)):
        h = melted_scene(o + d * t, ball, r, k)
        note("near enough|on the surface")
        if h < number(0.005, 0.02, "near"):
            hit = int(1)
            break
        t += h
        if t > number(6.0, 9.0, "far"):
            break
    if hit == 0:
        note("sky|nothing there")
        img[i, j] = number(0.6, 0.8, "sky") + 0.2 * d[1]
        if present(depth_out):
            depth_out[i, j] = 0.0
        return
    p = o + d * t
    e = constant("NORMAL_STEP|GRAD_EPS", 0.01)
    n = wp.normalize(wp.vec3(melted_scene(p + wp.vec3(e, 0.0, 0.0), ball, r, k) - melted_scene(p - wp.vec3(e, 0.0, 0.0), ball, r, k), melted_scene(p + wp.vec3(0.0, e, 0.0), ball, r, k) - melted_scene(p - wp.vec3(0.0, e, 0.0), ball, r, k), melted_scene(p + wp.vec3(0.0, 0.0, e), ball, r, k) - melted_scene(p - wp.vec3(0.0, 0.0, e), ball, r, k)))
    l = wp.normalize(sun + wp.vec3(0.0, 1.5, 0.0))
    lit = wp.max(wp.dot(n, l), 0.0)
    shadow = float(1.0)
    s = float(0.05)
    note("the narrowest gap on the way to the sun, as an angle|penumbra")
    for it in range(8):
        h = melted_scene(p + l * s, ball, r, k)
        shadow = wp.min(shadow, number(4.0, 12.0, "sharp") * wp.max(h, 0.0) / s)
        s += wp.clamp(h, 0.05, 0.4)
    occ = float(0.0)
    for it in range(3):
        h = 0.1 * float(it + 1)
        occ += wp.max(h - melted_scene(p + n * h, ball, r, k), 0.0)
    value_ = (0.2 + 0.8 * lit * shadow) * wp.clamp(1.0 - number(0.8, 1.5, "dark") * occ, 0.0, 1.0)
    if present(fog):
        note("fade into the sky with the distance|fog")
        value_ = wp.lerp(number(0.6, 0.8, "sky"), value_, wp.exp(-fog * t))
    img[i, j] = value_
    if present(depth_out):
        depth_out[i, j] = t


@scene("geometry", "function", "matrix", "control_flow", sample,
       says="removes the distortion of a lens from image points by iteration and gives their normalized coordinates",
       title="undistort_points|remove_lens_distortion|invert_distortion|rectify_keypoints", algorithm="inverse of the Brown-Conrady distortion")
def undistort(px: each(pixel_coordinate, range=(80.0, 560.0)), f: setting(focal_pixels, 350.0, 600.0), c: setting(principal_point, 280.0, 360.0), k1: setting(lens_coefficient), k2: setting(lens_coefficient, -0.02, 0.02), p1: setting(tangential_coefficient), p2: setting(tangential_coefficient), x_out: out(normalized_point), res_out: maybe(out(error_value), 0.5), bearing_out: maybe(out(direction), 0.5)):
    names(y="y|target|seen|xd", x="x|guess|xu|cur", e="e|miss|resid|gap", r2="r2|rr|sq|rad2", a="a|j00|dxx|jxx", b="b|j01|dxy|jxy", d="d|j11|dyy|jyy", radial="radial|scale_r|gain|cdist", slope="slope|dr|der|growth", jac="jac|J|dm|lin")
    i = wp.tid()
    y = (px[i] - c) / f
    x = y
    match choose("method"):
        case 2:
            fact("Newton's method is used")
            for it in range(constant("NEWTON_STEPS|ITERATIONS|MAX_ITERS", 6)):
                e = brown_distortion(x, k1, k2, p1, p2) - y
                r2 = wp.dot(x, x)
                radial = 1.0 + r2 * (k1 + k2 * r2)
                slope = 2.0 * (k1 + 2.0 * k2 * r2)
                note("derivatives of the distorted point|Jacobian")
                a = radial + slope * x[0] * x[0] + 2.0 * p1 * x[1] + 6.0 * p2 * x[0]
                b = slope * x[0] * x[1] + 2.0 * p1 * x[0] + 2.0 * p2 * x[1]
                d = radial + slope * x[1] * x[1] + 6.0 * p1 * x[1] + 2.0 * p2 * x[0]
                jac = wp.mat22(a, b, b, d)
                x = x - wp.inverse(jac) * e
        case 2:
            fact("the point is divided by the distortion of the last guess, several times")
            for it in range(constant("FIXED_POINT_STEPS|ITERATIONS|MAX_ITERS", 10)):
                r2 = wp.dot(x, x)
                radial = 1.0 + r2 * (k1 + k2 * r2)
                e = brown_distortion(x, k1, k2, p1, p2) - x * radial
                x = (y - e) / radial
    x_out[i] = x
    if present(res_out):
        note("back through the lens: what is left|reprojection check")
        res_out[i] = wp.length(brown_distortion(x, k1, k2, p1, p2) - y) * f
    if present(bearing_out):
        bearing_out[i] = wp.normalize(wp.vec3(x[0], x[1], 1.0))


@scene("nested_loop", "control_flow", "combined", "stencil", ray,
       says="integrates the light along each ray through a smoky volume, front to back{stop:, until hardly any light passes}",
       title="render_volume|march_volume|composite_rays|integrate_smoke", algorithm="front-to-back emission-absorption rendering",
       lossy=True)
def volume_rays(o: each(position, range=(1.0, 7.0)), d: each(direction), sigma: each(extinction_value, row, column, layer), glow: setting(emission, 0.5, 2.0), dt: setting(step_length, 0.2, 0.5), stop: maybe(setting(transmittance, 0.02, 0.1), 0.7), light_out: out(luminance), pass_out: maybe(out(transmittance), 0.6), depth_out: maybe(out(depth), 0.5)):
    names(dir_="dir_|dn|unit_d|rd", p="p|at|pos|sample_p", i="i|ix|cx|gi", j="j|iy|cy|gj", k="k|iz|cz|gk", fx="fx|wx|tx|ax", fy="fy|wy|ty|ay", fz="fz|wz|tz|az", c0="c0|lo_z|near_s|s0", c1="c1|hi_z|far_s|s1", s="s|sig|dens|ext_s", a="a|alpha|op|opac", tr="tr|trans|through|beta", light="light|acc|rad_l|gathered", mean_t="mean_t|z_acc|depth_w|range_w", t="t|dist|ray_t|travel")
    r = wp.tid()
    if wp.length(d[r]) < 0.01:
        light_out[r] = 0.0
        if present(pass_out):
            pass_out[r] = 0.0
        if present(depth_out):
            depth_out[r] = 0.0
        return
    dir_ = wp.normalize(d[r])
    tr = float(1.0)
    light = float(0.0)
    mean_t = float(0.0)
    t = 0.5 * dt
    for step in range(constant("VOLUME_STEPS|MAX_SAMPLES|RAY_SAMPLES", 20)):
        p = o[r] + dir_ * t
        if p[0] < 0.0 or p[1] < 0.0 or p[2] < 0.0 or p[0] >= float(count(row)) - 1.0 or p[1] >= float(count(column)) - 1.0 or p[2] >= float(count(layer)) - 1.0:
            note("out of the volume|left the grid")
            break
        i = int(wp.floor(p[0]))
        j = int(wp.floor(p[1]))
        k = int(wp.floor(p[2]))
        fx = p[0] - float(i)
        fy = p[1] - float(j)
        fz = p[2] - float(k)
        note("between eight voxels|trilinear")
        c0 = wp.lerp(wp.lerp(sigma[i, j, k], sigma[i + 1, j, k], fx), wp.lerp(sigma[i, j + 1, k], sigma[i + 1, j + 1, k], fx), fy)
        c1 = wp.lerp(wp.lerp(sigma[i, j, k + 1], sigma[i + 1, j, k + 1], fx), wp.lerp(sigma[i, j + 1, k + 1], sigma[i + 1, j + 1, k + 1], fx), fy)
        s = wp.lerp(c0, c1, fz)
        a = 1.0 - wp.exp(-s * dt)
        light += tr * a * glow
        mean_t += tr * a * t
        tr = tr * (1.0 - a)
        if present(stop):
            note("what lies behind is hidden|early termination")
            if tr < stop:
                break
        t += dt
    light_out[r] = light
    if present(pass_out):
        pass_out[r] = tr
    if present(depth_out):
        if tr < 0.99:
            depth_out[r] = mean_t / (1.0 - tr)
        else:
            depth_out[r] = 0.0


@scene("matrix", "quaternion", "control_flow", "function", splat,
       says="projects each Gaussian blob to the screen: its centre, the inverse of its covariance there and a radius that holds three standard deviations",
       title="project_gaussians|preprocess_splats|splat_footprints|ewa_project", algorithm="projection of three-dimensional Gaussians to the screen")
def project_splats(x: each(position), q: each(rotation), s: each(blob_scale), cam_q: setting(rotation), cam_x: setting(position, -0.5, 0.5), f: setting(focal_pixels, 200.0, 500.0), near: setting(near_plane, 0.3, 1.0), uv: out(screen_point), conic: out(conic_value), rad: out(pixel_radius), depth_out: maybe(out(depth), 0.6), seen: maybe(add(count_value, 1), 0.4)):
    names(w="w|view_r|rot_c|cam_m", c="c|p_cam|view_p|t_c", m="m|rs|axes_m|shape_m", cov="cov|sigma3|cov3|world_cov", j="j|jac|proj_j|affine_j", tt="tt|jw|lin|t_mat", c2="c2|cov2|screen_cov|cov2d", a="a|cxx|s_xx|c00", b="b|cxy|s_xy|c01", d="d|cyy|s_yy|c11", q="rot|rotations|quats|splat_rot", s="scale|scales|splat_scale|sizes", rad="radius|radii|pixel_radius|extent", uv="uv|screen_xy|centers|mean2d", det="det|det2|det_cov|area_d", mid="mid|half_tr|mean_v|avg", lam="lam|l_max|big_eig|widest", z="z|dist_z|view_z|dz")
    g = wp.tid()
    w = wp.transpose(wp.quat_to_matrix(wp.normalize(cam_q)))
    c = w * (x[g] - cam_x)
    z = c[2]
    if present(depth_out):
        depth_out[g] = z
    note("behind the camera or too near|near plane")
    if z < near:
        uv[g] = wp.vec2(0.0, 0.0)
        conic[g] = wp.vec3(0.0, 0.0, 0.0)
        rad[g] = 0
        return
    note("covariance from rotation and scale|R S S R^T")
    m = wp.quat_to_matrix(q[g]) * wp.diag(s[g])
    cov = m * wp.transpose(m)
    note("linearize the perspective at the centre|Jacobian of the projection")
    j = wp.mat33(f / z, 0.0, -f * c[0] / (z * z), 0.0, f / z, -f * c[1] / (z * z), 0.0, 0.0, 0.0)
    tt = j * w
    c2 = tt * cov * wp.transpose(tt)
    note("at least a pixel wide|low-pass")
    a = c2[0, 0] + number(0.2, 0.4, "blur")
    b = c2[0, 1]
    d = c2[1, 1] + number(0.2, 0.4, "blur")
    det = a * d - b * b
    conic[g] = wp.vec3(d / det, -b / det, a / det)
    mid = 0.5 * (a + d)
    lam = mid + wp.sqrt(wp.max(mid * mid - det, 0.1))
    rad[g] = int(wp.ceil(3.0 * wp.sqrt(lam)))
    uv[g] = wp.vec2(f * c[0] / z, f * c[1] / z)
    if present(seen):
        wp.atomic_add(seen, 0, 1)


@scene("stencil", "nested_loop", "function", "control_flow", pixel,
       says="smooths a noisy image over neighbours at a distance, less where colour, normal or depth differ",
       title="atrous_denoise|wavelet_filter|edge_stopping_filter|denoise_pass", algorithm="edge-avoiding a-trous wavelet pass")
def atrous_pass(c: each(colour), n: maybe(each(normal), 0.6), z: maybe(each(depth), 0.6), stride: setting(steps_value, 1, 4), sc: setting(range_sigma, 0.2, 0.8), sz: maybe(setting(standard_deviation, 0.3, 2.0), 1.0), out_c: out(colour), weight_out: maybe(out(positive_value), 0.4)):
    names(acc="acc|sum_c|filtered|total_c", total="total|sum_w|norm_w|wsum", cp="cp|mid_c|here|center_c", cq="cq|tap_c|there|other_c", w="w|wt|tap_w|edge_w", a="a|ii|qi|tap_i", b="b|jj|qj|tap_j", k="k|h_w|base_w|kernel_w", d="d|diff|dc|col_d", np_="np_|n_here|n0|mid_n", nq="nq|n_there|n1|tap_n")
    i, j = wp.tid()
    cp = c[i, j]
    acc = wp.vec3()
    total = float(0.0)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            a = wp.clamp(i + dy * stride, 0, count(pixel) - 1)
            b = wp.clamp(j + dx * stride, 0, count(pixel, 1) - 1)
            note("a small bell: a half in the middle, a quarter beside|spline weights")
            k = (0.5 - 0.25 * wp.abs(float(dy))) * (0.5 - 0.25 * wp.abs(float(dx)))
            cq = c[a, b]
            d = cp - cq
            w = k * wp.exp(-wp.dot(d, d) / (sc * sc))
            if present(n):
                np_ = n[i, j] / wp.max(wp.length(n[i, j]), 0.01)
                nq = n[a, b] / wp.max(wp.length(n[a, b]), 0.01)
                w = w * wp.pow(wp.max(wp.dot(np_, nq), 0.001), number(4.0, 32.0, "power"))
            if present(z) and present(sz):
                w = w * wp.exp(-wp.abs(z[i, j] - z[a, b]) / (sz * float(stride)))
            acc += cq * w
            total += w
    out_c[i, j] = acc / wp.max(total, constant("WEIGHT_EPS|MIN_WEIGHT", 1.0e-6))
    if present(weight_out):
        weight_out[i, j] = total


@scene("stencil", "nested_loop", "multi_conditional", "function", pixel,
       says="blends each frame with the previous one where the motion came from, with the old colour held within what the neighbours show now",
       title="temporal_resolve|taa_resolve|temporal_antialiasing|accumulate_frames", algorithm="temporal anti-aliasing with neighbourhood clamping")
def temporal_resolve(cur: each(colour), prev: each(colour), mv: each(pixel_offset), alpha: setting(ratio, 0.05, 0.3), valid: maybe(each(flag), 0.4), out_c: out(colour), age: maybe(inout(count_value), 0.5)):
    names(fx="fx|src_x|back_x|hx", fy="fy|src_y|back_y|hy", i0="i0|ib|row_b|ri", j0="j0|jb|col_b|cj", tx="tx|wx|frac_i|ax", ty="ty|wy|frac_j|ay", old="old|hist|before|past", lo="lo|c_min|floor_c|low_c", hi="hi|c_max|ceil_c|high_c", q="q|nb|tap|around", blend="blend|w_new|share|mix_w", now="now|here|center|fresh", i1="i1|ic|row_c|rj", j1="j1|jc|col_c|ck")
    i, j = wp.tid()
    now = cur[i, j]
    fx = float(i) - mv[i, j][0]
    fy = float(j) - mv[i, j][1]
    note("came from beyond the screen: nothing to blend with|disoccluded at the border")
    if fx < 0.0 or fy < 0.0 or fx > float(count(pixel) - 1) or fy > float(count(pixel, 1) - 1):
        out_c[i, j] = now
        if present(age):
            age[i, j] = 0
        return
    if present(valid):
        if valid[i, j] == 0:
            out_c[i, j] = now
            if present(age):
                age[i, j] = 0
            return
    i0 = int(wp.floor(fx))
    j0 = int(wp.floor(fy))
    i1 = wp.min(i0 + 1, count(pixel) - 1)
    j1 = wp.min(j0 + 1, count(pixel, 1) - 1)
    tx = fx - float(i0)
    ty = fy - float(j0)
    old = (prev[i0, j0] * (1.0 - tx) + prev[i1, j0] * tx) * (1.0 - ty) + (prev[i0, j1] * (1.0 - tx) + prev[i1, j1] * tx) * ty
    lo = opponent_colour(now)
    hi = opponent_colour(now)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            q = opponent_colour(cur[wp.clamp(i + dy, 0, count(pixel) - 1), wp.clamp(j + dx, 0, count(pixel, 1) - 1)])
            lo = wp.min(lo, q)
            hi = wp.max(hi, q)
    note("ghosts are colours that nothing around has now|clamp the history")
    q = opponent_colour(old)
    old = colour_of_opponents(wp.vec3(wp.clamp(q[0], lo[0], hi[0]), wp.clamp(q[1], lo[1], hi[1]), wp.clamp(q[2], lo[2], hi[2])))
    blend = alpha
    if present(age):
        note("young pixels take more of the new frame|running mean at first")
        blend = wp.max(alpha, 1.0 / float(age[i, j] + 1))
        age[i, j] = age[i, j] + 1
    out_c[i, j] = now * blend + old * (1.0 - blend)


@scene("nested_loop", "integer", "function", "math", query,
       says="reads a texture with several levels between pixels and between levels, repeated beyond its edges",
       title="sample_mipmap|trilinear_texture|texture_lookup|filter_texture", algorithm="trilinear mipmap lookup")
def mipmap_lookup(uv: each(uv_coordinate, range=(-1.0, 2.0)), lod: each(mip_level), tex: each(intensity, 4, 16, 16), tint: maybe(setting(gain, 0.5, 1.5), 0.4), val: out(intensity), coarse: maybe(out(flag), 0.3)):
    names(l0="l0|level|mip|base_l", tl="tl|blend_l|lf|level_t", acc="acc|sum_l|mixed|texel_v", size="size|width_l|side|dim_l", px="px|sx|gx|tx_u", py="py|sy|gy|tx_v", i0="i0|ia|x0|col_a", j0="j0|ja|y0|row_a", i1="i1|ib|x1|col_b", j1="j1|jb|y1|row_b", fx="fx|wx|ux|ax", fy="fy|wy|uy|ay", v="v|bil|smp|here", w="w|share|lw|level_w", m="m|k|lv|lev")
    q = wp.tid()
    l0 = int(wp.floor(lod[q]))
    tl = lod[q] - float(l0)
    acc = float(0.0)
    for m in range(2):
        note("each level has half the texels of the one before|size of this level")
        size = 16 >> (l0 + m)
        w = 1.0 - tl
        if m == 1:
            w = tl
        px = (uv[q][0] - wp.floor(uv[q][0])) * float(size) - 0.5
        py = (uv[q][1] - wp.floor(uv[q][1])) * float(size) - 0.5
        i0 = int(wp.floor(px))
        j0 = int(wp.floor(py))
        fx = px - float(i0)
        fy = py - float(j0)
        note("repeat: beyond one edge lies the other|wrap around")
        i1 = (i0 + 1) % size
        j1 = (j0 + 1) % size
        i0 = (i0 + size) % size
        j0 = (j0 + size) % size
        v = wp.lerp(wp.lerp(tex[l0 + m, i0, j0], tex[l0 + m, i1, j0], fx), wp.lerp(tex[l0 + m, i0, j1], tex[l0 + m, i1, j1], fx), fy)
        acc += v * w
    if present(tint):
        acc = acc * tint
    val[q] = acc
    if present(coarse):
        if l0 >= 2:
            coarse[q] = 1
        else:
            coarse[q] = 0


@scene("nested_loop", "multi_conditional", "quaternion", "geometry", sample,
       says="tells how much of a light reaches each surface point by comparing its depth with several entries of a shadow map",
       title="shadow_map_filter|pcf_shadows|percentage_closer|soft_shadow_lookup", algorithm="percentage-closer filtering")
def shadow_lookup(x: each(position), n: each(normal), light_q: setting(rotation), away: setting(distance, 1.5, 3.0), map_: each(occluder_distance, row, column), span: setting(length, 3.0, 5.0), bias: setting(small_number, 0.005, 0.05), vis: out(visibility_value), edge: maybe(out(flag), 0.5)):
    names(p="p|ls|light_p|in_light", nl="nl|n_light|facing_n|nd", cosn="cosn|facing|ndl|toward", gx="gx|mx|map_x|u", gy="gy|my|map_y|w", i0="i0|ic|row_m|ci", j0="j0|jc|col_m|cj", lit="lit|open_n|clear|passed", slack="slack|eps_z|offset_z|tol_z", a="a|ii|tap_i|ri", b="b|jj|tap_j|rj", depth_p="depth_p|z|dist_l|own_z")
    i = wp.tid()
    note("into the frame of the light, which looks along its z axis|light space")
    p = wp.quat_rotate_inv(light_q, x[i]) + wp.vec3(0.0, 0.0, away)
    nl = wp.quat_rotate_inv(light_q, n[i] / wp.max(wp.length(n[i]), 0.01))
    cosn = -nl[2]
    note("turned away from the light: dark without looking|back side")
    if cosn <= 0.0:
        vis[i] = 0.0
        if present(edge):
            edge[i] = 0
        return
    gx = (p[0] / span + 0.5) * float(count(row))
    gy = (p[1] / span + 0.5) * float(count(column))
    if gx < 0.0 or gy < 0.0 or gx >= float(count(row)) or gy >= float(count(column)):
        note("outside the map everything is lit|beyond the map")
        vis[i] = 1.0
        if present(edge):
            edge[i] = 0
        return
    i0 = int(wp.floor(gx))
    j0 = int(wp.floor(gy))
    slack = bias * (2.0 - cosn)
    depth_p = p[2]
    lit = float(0.0)
    for da in range(-1, 2):
        for db in range(-1, 2):
            a = wp.clamp(i0 + da, 0, count(row) - 1)
            b = wp.clamp(j0 + db, 0, count(column) - 1)
            if depth_p - slack <= map_[a, b]:
                lit += 1.0
    vis[i] = lit / 9.0
    if present(edge):
        note("neither all nor none|penumbra")
        if lit > 0.0 and lit < 9.0:
            edge[i] = 1
        else:
            edge[i] = 0
