"""Pictures from rays and maps, fractals, boards, cables, draws at random."""


@scene("math", "control_flow", "nested_loop", pixel,
       says="iterates a quadratic map for each point of the plane until it escapes and shades it by how long that takes",
       title="fractal_image|escape_time|julia_pixels|render_set", algorithm="escape-time fractal with smooth shading")
def fractal_image(size: setting(length, 1.5, 3.0), cx: setting(value, -0.8, 0.3, fixed=True), cy: setting(value, -0.3, 0.6), limit: setting(steps_value, 8, 12), img: out(fractal_shade), inside: maybe(add(count_value, 1), 0.5), angle_out: maybe(out(angle), 0.4), spin: maybe(setting(angle, 0.1, 1.0), 0.3)):
    names(u="u|px_x|re0|a0", v="v|px_y|im0|b0", zx="zx|re|x|za", zy="zy|im|y|zb", t="t|new_re|tmp|nx", kx="kx|c_re|add_x|ka", ky="ky|c_im|add_y|kb", n="n|steps_n|it|count_z", m="m|mag_sq|r_sq|norm_z", s="s|smooth|level_s|shade_i", limit="limit|max_iter|depth_n|bailout_n", inside="inside|in_set|never_out|trapped", size="size|window|half_width|extent")
    names(spin="spin|tilt|rotate_by|roll_angle", cx="cx|const_re|center_re|c_real", cy="cy|const_im|center_im|c_imag")
    i, j = wp.tid()
    u = size * (2.0 * (float(j) + 0.5) / float(count(pixel, 1)) - 1.0)
    v = size * (2.0 * (float(i) + 0.5) / float(count(pixel, 0)) - 1.0)
    if present(spin):
        t = wp.cos(spin) * u - wp.sin(spin) * v
        v = wp.sin(spin) * u + wp.cos(spin) * v
        u = t
    match choose("map"):
        case 2:
            note("the point is the start, the constant is the same for all|Julia set")
            fact("the constant is the same for all points")
            zx = u * 1.0
            zy = v * 1.0
            kx = cx
            ky = cy
        case 2:
            note("all start near zero, the point is the constant|Mandelbrot set")
            fact("the point itself is the constant of the map")
            zx = float(0.0)
            zy = float(0.0)
            kx = u + cx
            ky = v + cy
    n = int(0)
    m = zx * zx + zy * zy
    while n < limit and m < 16.0:
        t = zx * zx - zy * zy + kx
        if maybe(0.3, "ship"):
            fact("products are taken of magnitudes")
            zy = 2.0 * wp.abs(zx * zy) + ky
        else:
            zy = 2.0 * zx * zy + ky
        zx = t
        m = zx * zx + zy * zy
        n += 1
    if present(angle_out):
        angle_out[i, j] = wp.atan2(zy, zx)
    if m < 16.0:
        img[i, j] = 0.0
        if present(inside):
            wp.atomic_add(inside, 0, 1)
        return
    s = float(n) + 1.0 - wp.log2(0.5 * wp.log2(m))
    img[i, j] = wp.clamp(s / float(limit), 0.0, 1.0)


@scene("stencil", "control_flow", "combined", pixel,
       says="tests each point of an image against a shadow map and softens the edge by averaging the tests around it",
       title="shadow_pcf|filtered_shadows|shadow_factor|soft_shadow_lookup", algorithm="percentage-closer filtering")
def shadow_pcf(x: each(position, range=(-1.0, 1.0)), n: maybe(each(normal), 0.5), light: setting(light_matrix), sun: maybe(setting(direction), 1.0), zmap: each(shadow_depth, 16, 16), bias: setting(tolerance, 0.002, 0.01), lit: out(ratio), outside: maybe(add(count_value, 1), 0.3)):
    names(p="p|clip|h_pos|proj", w="w|persp|wdiv|hw", u="u|tex_u|su|map_u", v="v|tex_v|sv|map_v", z="z|depth_l|z_light|recv", iu="iu|col|tx|cell_u", iv="iv|row_t|ty|cell_v", acc="acc|sum_lit|hits|visible", tol="tol|offset_z|slack|bias_i", slope="slope|facing|ndl|cos_l", zmap="zmap|shadow_map|light_depths|occluders", sun="sun|light_dir|to_sun|sun_dir", q="q|ws|pt|world_p")
    i, j = wp.tid()
    q = x[i, j]
    p = light * wp.vec4(q[0], q[1], q[2], 1.0)
    note("keep the divisor away from zero")
    w = 2.0 + p[3]
    u = 0.5 + 0.5 * p[0] / w
    v = 0.5 + 0.5 * p[1] / w
    z = 0.5 + 0.5 * p[2] / w
    if u < 0.0 or v < 0.0 or u >= 1.0 or v >= 1.0:
        note("beyond the map everything is lit")
        lit[i, j] = 1.0
        if present(outside):
            wp.atomic_add(outside, 0, 1)
        return
    tol = bias
    if present(n) and present(sun):
        note("slanted surfaces need more slack|slope-scaled bias")
        slope = wp.max(wp.dot(wp.normalize(n[i, j]), wp.normalize(sun)), 0.1)
        tol = bias / slope
    iu = int(u * 16.0)
    iv = int(v * 16.0)
    acc = float(0.0)
    for a in range(-1, 2):
        for b in range(-1, 2):
            if z - tol <= zmap[wp.clamp(iv + a, 0, 15), wp.clamp(iu + b, 0, 15)]:
                match choose("kernel"):
                    case 2:
                        acc += 1.0
                    case 1:
                        note("the middle counts most|tent weights")
                        acc += float((2 - wp.abs(a)) * (2 - wp.abs(b)))
    match choose("kernel"):
        case 2:
            lit[i, j] = acc / 9.0
        case 1:
            fact("tests near the middle count more")
            lit[i, j] = acc / 16.0


@scene("stencil", "nested_loop", "math", pixel,
       says="darkens the pixels of a depth image that lie in creases, by how many taps around them are nearer to the eye",
       title="screen_occlusion|ssao_pass|crease_shading|depth_occlusion", algorithm="screen-space ambient occlusion from depth")
def screen_occlusion(z: each(depth), tap: each(tap_offset, 8), reach: setting(distance, 0.5, 2.0), strength: setting(ratio, 0.5, 1.0), ao: out(ratio), sky: maybe(setting(depth, 8.0, 9.5), 0.4), dark: maybe(add(count_value, 1), 0.3)):
    names(zc="zc|own_z|center_z|here", acc="acc|occluded|hidden|sum_o", k="k|tap_k|t|s", ni="ni|row_s|ti|qi", nj="nj|col_s|tj|qj", d="d|gap|closer|dz", fall="fall|range_w|fade|near_w", n="n|used|taps_n|valid_n", tap="tap|kernel|pattern|tap_offsets", reach="reach|radius_z|max_gap|falloff_d", sky="sky|far_plane|background_z|max_z")
    names(strength="strength|intensity_ao|darkness|ao_power")
    i, j = wp.tid()
    zc = z[i, j]
    if present(sky):
        if zc > sky:
            note("nothing hides the sky")
            ao[i, j] = 1.0
            return
    acc = float(0.0)
    n = float(0.0)
    for k in range(8):
        note("the pattern shrinks with distance")
        ni = i + int(wp.rint(2.0 * tap[k][0] / zc))
        nj = j + int(wp.rint(2.0 * tap[k][1] / zc))
        if ni < 0 or nj < 0 or ni >= count(pixel, 0) or nj >= count(pixel, 1):
            continue
        n += 1.0
        d = zc - z[ni, nj]
        if d > 0.02:
            match choose("fade"):
                case 1:
                    fall = wp.smoothstep(0.0, 1.0, reach / d)
                case 1:
                    fall = 1.0 / (1.0 + (d / reach) * (d / reach))
            acc += fall
    if n > 0.0:
        acc = acc / n
    ao[i, j] = 1.0 - strength * acc
    if present(dark):
        if acc > 0.5:
            wp.atomic_add(dark, 0, 1)


@scene("vector", "math", "function", vertex,
       says="computes the light that arrives at each vertex from all sides, from nine coefficients of the surroundings",
       title="sh_irradiance|ambient_from_harmonics|diffuse_probe|light_by_harmonics", algorithm="irradiance from second-order spherical harmonics")
def sh_irradiance(n: each(normal), coef: each(harmonic_coefficient, 9), kd: maybe(each(surface_reflectance), 0.5), open_: maybe(each(ratio), 0.4), e: out(radiance), dark: maybe(add(count_value, 1), 0.3)):
    names(d="d|nn|dir_n|up", x="x|dx|nx_c|ax", y="y|dy|ny_c|ay", z="z|dz|nz_c|az", acc="acc|sum_e|light_e|irr", coef="coef|env_coeffs|probe|sh9", open_="open_|visibility|sky_open|access")
    i = wp.tid()
    d = wp.normalize(n[i])
    x = d[0]
    y = d[1]
    z = d[2]
    note("convolved with the cosine: pi, two thirds of pi, a quarter of pi")
    acc = coef[0] * (3.141593 * 0.282095)
    acc += (coef[1] * y + coef[2] * z + coef[3] * x) * (2.094395 * 0.488603)
    acc += (coef[4] * (x * y) + coef[5] * (y * z) + coef[7] * (x * z)) * (0.785398 * 1.092548)
    acc += coef[6] * (0.785398 * 0.315392 * (3.0 * z * z - 1.0)) + coef[8] * (0.785398 * 0.546274 * (x * x - y * y))
    note("negative lobes are cut off")
    acc = either(wp.max(acc, wp.vec3(0.0, 0.0, 0.0)), wp.vec3(wp.max(acc[0], 0.0), wp.max(acc[1], 0.0), wp.max(acc[2], 0.0)))
    if present(open_):
        acc = acc * open_[i]
    if present(dark):
        if wp.max(acc) < 0.2:
            wp.atomic_add(dark, 0, 1)
    if present(kd):
        e[i] = wp.cw_mul(acc, kd[i]) / wp.pi
    else:
        e[i] = acc


@scene("nested_loop", "combined", "control_flow", "vector", ray,
       says="marches rays through a block of smoke, adding what glows and dimming what lies behind, until almost nothing comes through",
       title="march_volume|render_smoke|integrate_medium|volume_rays", algorithm="emission and absorption along rays", lossy=True)
def march_volume(o: each(position, range=(0.5, 6.5)), d: each(direction), grid: each(voxel_density, 8, 8, 8), sigma: setting(voxel_density, 0.3, 1.5), h: setting(cell_size, 0.25, 0.5), glow: setting(colour, 0.3, 1.0), tint: maybe(setting(colour, 0.2, 0.9), 0.4), c: out(radiance), through: maybe(out(ratio), 0.7), steps_out: maybe(out(count_value), 0.3)):
    names(t="t|trans|remaining|left_t", p="p|pos_s|pt|sample_p", dir="dir|rd|unit_d|way", acc="acc|col|light_acc|sum_c", rho="rho|dens|medium_d|vox", ix="ix|cx|gx|i0", iy="iy|cy|gy|j0", iz="iz|cz|gz|k0", f="f|frac_p|w3|rest", a="a|alpha|opac|dim", n="n|steps_n|taken|count_s", lo="lo|front|face_lo|r0", hi="hi|behind|face_hi|r1", sigma="sigma|extinction|absorb|sigma_t", glow="glow|emission|glow_color|fire")
    r = wp.tid()
    dir = wp.normalize(d[r])
    acc = wp.vec3()
    t = float(1.0)
    n = int(0)
    for s in range(24):
        p = o[r] + dir * (h * (float(s) + 0.5))
        if p[0] < 0.0 or p[1] < 0.0 or p[2] < 0.0 or p[0] >= 7.0 or p[1] >= 7.0 or p[2] >= 7.0:
            note("left the block")
            break
        ix = int(p[0])
        iy = int(p[1])
        iz = int(p[2])
        match choose("filter"):
            case 1:
                fact("densities are those of the voxels themselves")
                rho = grid[ix, iy, iz]
            case 2:
                note("trilinear: first along x, then y, then z")
                f = wp.vec3(p[0] - float(ix), p[1] - float(iy), p[2] - float(iz))
                lo = wp.lerp(wp.lerp(grid[ix, iy, iz], grid[ix + 1, iy, iz], f[0]), wp.lerp(grid[ix, iy + 1, iz], grid[ix + 1, iy + 1, iz], f[0]), f[1])
                hi = wp.lerp(wp.lerp(grid[ix, iy, iz + 1], grid[ix + 1, iy, iz + 1], f[0]), wp.lerp(grid[ix, iy + 1, iz + 1], grid[ix + 1, iy + 1, iz + 1], f[0]), f[1])
                rho = wp.lerp(lo, hi, f[2])
        n += 1
        a = 1.0 - wp.exp(-sigma * rho * h)
        if present(tint):
            note("denser smoke takes the other colour")
            acc += wp.lerp(glow, tint, rho) * (t * a)
        else:
            acc += glow * (t * a)
        t = t * (1.0 - a)
        if t < constant("MIN_TRANSMITTANCE|OPAQUE", 0.02):
            note("nothing behind this can be seen")
            break
    c[r] = acc
    if present(through):
        through[r] = t
    if present(steps_out):
        steps_out[r] = n


@scene("random", "vector", "scalar_param", "quaternion", pixel,
       says="shoots a ray through each pixel from a random point of a lens, so that only one distance is sharp",
       title="lens_rays|camera_rays_dof|thin_lens_camera|generate_lens_rays")
def lens_rays(frame: setting(pose), focal: setting(distance, 2.0, 5.0), aperture: setting(radius, 0.02, 0.3), fov: setting(angle, 0.5, 1.2), seed: setting(seed), o: out(position), d: out(direction), jitter: maybe(setting(flag, fixed=True), 0.5)):
    names(rng="rng|state|rs|gen", u="u|sx|ndc_x|px", v="v|sy|ndc_y|py", half="half|scale_f|tan_h|img_h", q="q|focus_p|target_p|aim", lens="lens|on_lens|disk_p|ap", w="w|offset_p|lens_pos|eye_l", jitter="jitter|antialias|subpixel|wiggle", aperture="aperture|lens_radius|blur_size|iris", focal="focal|focus_dist|sharp_at|focal_dist")
    names(fov="fov|field_of_view|view_angle|vfov", frame="frame|camera|cam_pose|camera_xform")
    i, j = wp.tid()
    rng = wp.rand_init(seed, i * count(pixel, 1) + j)
    half = wp.tan(0.5 * fov)
    u = (2.0 * (float(j) + 0.5) / float(count(pixel, 1)) - 1.0) * half
    v = (1.0 - 2.0 * (float(i) + 0.5) / float(count(pixel, 0))) * half
    if present(jitter):
        if jitter == 1:
            note("a random place within the pixel")
            u = u + half * (wp.randf(rng) - 0.5) * 2.0 / float(count(pixel, 1))
            v = v + half * (wp.randf(rng) - 0.5) * 2.0 / float(count(pixel, 0))
    note("where the ray through the middle of the lens meets the sharp plane")
    q = wp.vec3(u, v, -1.0) * focal
    match choose("lens"):
        case 2:
            lens = wp.sample_unit_disk(rng) * aperture
        case 1:
            note("only the rim of the lens")
            fact("the points lie on the rim of the lens")
            lens = wp.sample_unit_ring(rng) * aperture
        case 1:
            fact("the lens is a square")
            lens = wp.sample_unit_square(rng) * (2.0 * aperture)
    w = wp.vec3(lens[0], lens[1], 0.0)
    o[i, j] = wp.transform_point(frame, w)
    d[i, j] = wp.normalize(wp.transform_vector(frame, q - w))


@scene("random", "vector", "control_flow", particle,
       says="carries sparks through a swirling wind without sources, lets them rise, and starts them anew at the emitter when they have burnt out",
       title="update_embers|embers_step|advect_embers", rare=True)
def embers(x: inout(position), life: inout(time_value, range=(0.0, 2.0)), dt: setting(time_step, 0.01, 0.05), frequency: setting(positive_value, 0.5, 2.0), strength: setting(speed, 0.2, 1.0), wind: setting(velocity, -0.5, 0.5), seed: setting(seed), field_seed: setting(seed), emitter: setting(position, -0.5, 0.5), emitter_radius: setting(radius, 0.1, 0.5), rise: setting(speed, 0.2, 1.0), max_life: setting(time_value, 1.5, 3.0), heat: maybe(out(ratio), 0.5)):
    names(state="state|rng", p="p|pos_i", swirl="swirl|curl", left="left|remaining", frequency="frequency|noise_scale", strength="swirl_strength|turbulence", heat="heat|glow", rise="rise|buoyancy", wind="wind|mean_wind", emitter="emitter|emitter_pos", emitter_radius="emitter_radius|spawn_radius", max_life="max_life|lifetime", life="life|time_left", vel="vel|v", seed="seed|spawn_seed", field_seed="field_seed|noise_seed")
    i = wp.tid()
    state = wp.rand_init(seed, i)
    left = life[i] - dt
    if left <= 0.0:
        note("a new spark at the emitter|respawn")
        match choose("spawn"):
            case 1:
                x[i] = emitter + wp.sample_unit_sphere(state) * emitter_radius
            case 1:
                x[i] = emitter + wp.sample_unit_hemisphere(state) * emitter_radius
            case 1:
                x[i] = emitter + wp.sample_unit_cube(state) * emitter_radius
        life[i] = max_life * (0.5 + 0.5 * wp.randf(state))
        if present(heat):
            heat[i] = 1.0
        return
    p = x[i]
    note("the curl of a potential has no divergence|the same field for all sparks")
    swirl = wp.curlnoise(wp.rand_init(field_seed), p * frequency)
    vel = wind + swirl * strength + wp.vec3(0.0, rise, 0.0)
    x[i] = p + vel * dt
    life[i] = left
    if present(heat):
        heat[i] = wp.clamp(left / max_life, 0.0, 1.0)


@scene("random", "reduction", "nested_loop", row,
       says="estimates how uncertain the mean of each row is, by means of random draws from the row with replacement",
       title="bootstrap_means|resample_rows|bootstrap_interval|mean_uncertainty", rare=True)
def bootstrap_spread(x: each(value, row, 16), seed: setting(seed), rounds: setting(steps_value, 6, 12), err: out(standard_deviation), low: maybe(out(value), 0.5), high: maybe(out(value), 0.5), shift: maybe(setting(value, 0.1, 0.5), 0.3)):
    names(rng="rng|gen|state|rs", m="m|mean_b|draw_mean|avg", s="s|acc|sum_m|total_m", s2="s2|acc_sq|sum_sq|total_sq", k="k|pick|draw_i|idx_r", lo="lo|least|min_m|bottom", hi="hi|most|max_m|top", n="n|rounds_f|reps|nb")
    r = wp.tid()
    rng = wp.rand_init(seed, r)
    s = float(0.0)
    s2 = float(0.0)
    lo = float(1.0e6)
    hi = float(-1.0e6)
    for b in range(rounds):
        m = float(0.0)
        for c in range(16):
            k = wp.randi(rng, 0, 16)
            m += x[r, k]
        m = m / 16.0
        if present(shift):
            note("smoothed: a little noise on each mean")
            m = m + shift * wp.randf(rng, -0.1, 0.1)
        s += m
        s2 += m * m
        if present(low):
            lo = wp.min(lo, m)
        if present(high):
            hi = wp.max(hi, m)
    n = float(rounds)
    err[r] = wp.sqrt(wp.max(s2 / n - s * s / (n * n), 0.0))
    if present(low):
        low[r] = lo
    if present(high):
        high[r] = hi


@scene("integer", "atomic", "control_flow", (box, segment),
       says="clears the bit of a view in the mask of each box that lies behind one of the view's planes",
       title="cull_boxes|clear_hidden_views|visibility_masks|frustum_bits", algorithm="culling of boxes by planes with a mask of views")
def cull_boxes(mid: each(position, box), half: each(half_extents, box), plane: each(view_plane, segment), view_of: each(label, segment, range=(0, 7)), mask: inout(cull_mask, box), culled: maybe(add(count_value, 8), 0.5), slack: maybe(setting(tolerance, 0.01, 0.1), 0.4)):
    names(n="n|pn|plane_n|nrm", d="d|side|signed_d|gap", r="r|reach|proj_r|support", bit="bit|view_bit|flag_b|one", old="old|before|was|prev_w", mid="mid|centers|box_mid|box_center", mask="mask|visible|vis_mask|view_mask", slack="slack|margin|guard_band|tolerance_d", culled="culled|hidden_per_view|num_culled|rejected", v="v|view_k|cam_id|which")
    b, s = wp.tid()
    n = wp.vec3(plane[s][0], plane[s][1], plane[s][2])
    note("how far the box reaches towards the plane|projected half size")
    r = either(wp.dot(wp.abs(n), half[b]), wp.abs(n[0]) * half[b][0] + wp.abs(n[1]) * half[b][1] + wp.abs(n[2]) * half[b][2])
    d = wp.dot(n, mid[b]) + plane[s][3]
    if present(slack):
        d = d + slack
    if d + r >= 0.0:
        note("at least a corner is in front")
        return
    v = view_of[s]
    bit = wp.uint32(1) << wp.uint32(v)
    old = wp.atomic_and(mask, b, ~bit)
    if present(culled):
        note("count a box once for each view")
        if (old & bit) != wp.uint32(0):
            wp.atomic_add(culled, v, 1)


@scene("matrix", "reduction", "vector", segment,
       says="fits the rest shape of each cluster of points to where they are and gives the rotation and the centre{goal:, and where each point should go}",
       title="match_shapes_2d|shape_matching_2d|fit_rotations", algorithm="shape matching by polar decomposition in the plane", rare=True)
def match_shapes(start: offsets(particle), rest: each(rest_offset, particle), x: each(point2, particle), m: maybe(each(mass, particle), 0.5), angle: out(angle), center: out(point2), goal: maybe(out(point2, particle), 0.6), blend: maybe(setting(ratio, 0.1, 0.9), 0.4)):
    names(first="start|begin", last="end|stop", c="c|center", th="theta|angle", r0="rest_c|rest_center", total="total_mass|mass_sum", a="a|apq", rot="rot|r", wt="m|w", g="g|goal", start="offsets|cluster_start", rest="rest|rest_pos", x="x|pos", m="mass|masses", angle="angles|rotations", center="centers|centroids", goal="goals|goal_pos", blend="stiffness|blend")
    s = wp.tid()
    first = start[s]
    last = start[s + 1]
    if last == first:
        note("an empty cluster")
        angle[s] = 0.0
        center[s] = wp.vec2(0.0, 0.0)
        return
    c = wp.vec2()
    r0 = wp.vec2()
    if present(m):
        total = float(0.0)
    for k in range(first, last):
        if present(m):
            wt = m[k]
            c += x[k] * wt
            r0 += rest[k] * wt
            total += wt
        else:
            c += x[k]
            r0 += rest[k]
    if present(m):
        c = c / total
        r0 = r0 / total
    else:
        c = c / float(last - first)
        r0 = r0 / float(last - first)
    center[s] = c
    if last - first < 2:
        note("one point has no direction")
        angle[s] = 0.0
        if present(goal):
            for k in range(first, last):
                goal[k] = x[k]
        return
    a = wp.mat22(0.0, 0.0, 0.0, 0.0)
    for k in range(first, last):
        if present(m):
            a += wp.outer(x[k] - c, rest[k] - r0) * m[k]
        else:
            a += wp.outer(x[k] - c, rest[k] - r0)
    note("the angle of the nearest rotation in closed form")
    th = wp.atan2(a[1, 0] - a[0, 1], wp.trace(a))
    angle[s] = th
    if present(goal):
        match choose("polar"):
            case 1:
                rot = wp.mat22(wp.cos(th), -wp.sin(th), wp.sin(th), wp.cos(th))
            case 1:
                rot = wp.matrix_from_rows(wp.vec2(wp.cos(th), -wp.sin(th)), wp.vec2(wp.sin(th), wp.cos(th)))
        for k in range(first, last):
            g = c + rot * (rest[k] - r0)
            if present(blend):
                g = wp.lerp(x[k], g, blend)
            goal[k] = g


@scene("integer", "nested_loop", "control_flow", item,
       says="finds the squares that a rook attacks on each board of sixty-four bits, up to the first piece in each direction",
       title="rook_attacks|sliding_moves|attack_boards|line_attacks", algorithm="sliding attacks on a bitboard")
def rook_attacks(occ: each(bitboard), square: each(index_value, range=(0, 63)), own: maybe(each(bitboard), 0.5), att: out(bitboard), moves: maybe(out(count_value), 0.7), diagonal: maybe(each(flag), 0.4)):
    names(r="r|rank_s|row_s|ry", f="f|file_s|col_s|fx", dr="dr|step_r|up_r|dy", df="df|step_f|side_f|dx", b="b|bit_s|sq_bit|target_b", hit="hit|attacked|acc_b|reach_b", rr="rr|cur_r|at_r|row_k", ff="ff|cur_f|at_f|col_k", n="n|mobility|popcount|free_n", occ="occ|pieces|occupied|blockers", own="own|friends|own_pieces|mine", diagonal="diagonal|is_bishop|slant|as_bishop")
    i = wp.tid()
    r = square[i] // 8
    f = square[i] % 8
    hit = wp.uint64(0)
    n = int(0)
    for k in range(4):
        dr = int(0)
        df = int(0)
        if k == 0:
            dr = 1
        elif k == 1:
            dr = -1
        elif k == 2:
            df = 1
        else:
            df = -1
        if present(diagonal):
            if diagonal[i] == 1:
                note("a bishop goes along the diagonals")
                fact("some of the pieces move along diagonals instead")
                if k == 0:
                    df = 1
                elif k == 1:
                    df = -1
                elif k == 2:
                    dr = -1
                else:
                    dr = 1
        rr = r + dr
        ff = f + df
        while rr >= 0 and rr < 8 and ff >= 0 and ff < 8:
            b = wp.uint64(1) << wp.uint64(8 * rr + ff)
            if present(own):
                if (own[i] & b) != wp.uint64(0):
                    note("no capture of friends")
                    break
            hit = hit | b
            n += 1
            if (occ[i] & b) != wp.uint64(0):
                note("the first piece can be taken, what is behind it cannot")
                break
            rr += dr
            ff += df
    att[i] = hit
    if present(moves):
        moves[i] = n


@scene("math", "control_flow", "scalar_param", edge,
       says="finds the shape of a hanging cable from its span and its sag",
       title="catenary_cables|cable_tension|hang_cables|solve_catenary", algorithm="catenary by Newton's method", topic="",
       lossy=True)
def catenary(span: each(span_width), sag: each(sag_depth), w: setting(line_weight), ice: maybe(each(line_weight, range=(0.0, 8.0)), 0.4), a_out: out(length), len_out: maybe(out(length), 0.6), pull: maybe(out(pair_force), 0.6), over: maybe(add(count_value, 1), 0.4), limit: maybe(setting(pair_force, 800.0, 4000.0), 1.0)):
    names(half="half|half_l|hw|l2", a="a|par|shape_a|cat_a", u="u|arg|ratio_l|xa", g="g|miss|err_a|fn", dg="dg|slope|deriv|dfn", n="n|it|tries|k_it", load="load|w_tot|unit_w|line_w", t="t|tension|top_pull|force_t", ice="ice|ice_weight|sleeve|frost_load", over="over|too_tight|overloaded|alarms")
    e = wp.tid()
    half = 0.5 * span[e]
    note("a parabola is a good start")
    a = half * half / (2.0 * sag[e])
    n = int(0)
    while n < 20:
        u = half / a
        g = a * (wp.cosh(u) - 1.0) - sag[e]
        dg = wp.cosh(u) - 1.0 - u * wp.sinh(u)
        n += 1
        if wp.abs(g) < 1.0e-5 * sag[e]:
            break
        a = a - g / dg
    a_out[e] = a
    if present(len_out):
        len_out[e] = 2.0 * a * wp.sinh(half / a)
    load = w * 1.0
    if present(ice):
        load = load + ice[e]
    t = load * (a + sag[e])
    if present(pull):
        pull[e] = t
    if present(over) and present(limit):
        if t > limit:
            wp.atomic_add(over, 0, 1)


@scene("physics", "geometry", "atomic", contact,
       says="finds where two capsules come closest and pushes them apart where they overlap",
       title="capsule_contacts|push_capsules|limb_collisions|resolve_capsules", algorithm="contact of capsules by the closest points of their axes", topic="")
def capsule_push(pair: index(body, 2), a: each(capsule_end, body), b: each(capsule_other_end, body), r: each(radius, body, range=(0.1, 0.6)), k: setting(stiffness), f: add(force, body), depth_out: maybe(out(penetration), 0.6), where_out: maybe(out(position), 0.5), soft: maybe(setting(distance, 0.05, 0.3), 0.4)):
    names(i="i|ia|first_b|one", j="j|ib|second_b|two", st="st|params_st|near_st|uv_c", p="p|on_i|pa|near_a", q="q|on_j|pb|near_b", d="d|sep|diff|apart", l="l|dist|gap_l|len_d", pen="pen|overlap|depth_c|inter", n="n|dir_n|push_dir|nrm", mag="mag|push|force_n|fn", soft="soft|margin|shell|skin")
    c = wp.tid()
    i = pair[c, 0]
    j = pair[c, 1]
    if i == j:
        return
    note("parameters of the closest points on both axes|segment to segment")
    st = wp.closest_point_edge_edge(a[i], b[i], a[j], b[j], constant("EDGE_EPS|SEGMENT_EPS", 1.0e-6))
    p = wp.lerp(a[i], b[i], st[0])
    q = wp.lerp(a[j], b[j], st[1])
    d = q - p
    l = wp.length(d)
    pen = r[i] + r[j] - l
    if present(depth_out):
        depth_out[c] = pen
    if pen <= 0.0:
        if present(where_out):
            where_out[c] = wp.vec3(0.0, 0.0, 0.0)
        return
    n = d / wp.max(l, 1.0e-6)
    mag = k * pen
    if present(soft):
        note("gentle at first|quadratic within the skin")
        if pen < soft:
            mag = 0.5 * k * pen * pen / soft
        else:
            mag = k * (pen - 0.5 * soft)
    wp.atomic_sub(f, i, n * mag)
    wp.atomic_add(f, j, n * mag)
    if present(where_out):
        where_out[c] = p + n * (r[i] - 0.5 * pen)
