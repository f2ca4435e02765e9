"""Seeing and mapping: splats, depth fusion, stereo, corners, volumes, encodings, far fields, collisions in time."""


@law("sights", "the places of a circle of sixteen pixels around a pixel", title="circle_offset|ring_pixel|bresenham_circle", private=True, function=True)
def circle_offset(k: index_value) -> coordinate:
    names(q="q|quarter|side|turn", r="r|within|step_k|slot", a="a|fwd|along_o|major", b="b|across_o|minor|lat")
    q = k // 4
    r = k % 4
    a = int(3)
    b = int(r)
    if r == 2:
        a = int(2)
    elif r == 3:
        a = int(1)
        b = int(3)
    if q == 0:
        return wp.vec2i(b, a)
    if q == 1:
        return wp.vec2i(a, -b)
    if q == 2:
        return wp.vec2i(-b, -a)
    return wp.vec2i(-a, b)


@law("sights", "the slot of a grid corner in a table, by hashing", title="corner_slot|hash_corner|grid_hash", private=True, function=True)
def corner_slot(x: index_value, y: index_value, size: index_value) -> index_value:
    return int((wp.uint32(x) ^ (wp.uint32(y) * wp.uint32(2654435761))) % wp.uint32(size))


@law("sights", "value of a cubic polynomial", title="eval_cubic|cubic_value|poly3", private=True)
def cubic_at(a: value, b: value, c: value, d: value, t: ratio) -> value:
    return ((a * t + b) * t + c) * t + d


@scene("geometry", "nested_loop", "matrix", pixel,
       says="blends flat Gaussian splats over each pixel from front to back until hardly any light passes",
       title="splat_gaussians|rasterize_splats|gaussian_compositing|render_gaussians", algorithm="alpha compositing of Gaussian splats",
       lossy=True)
def gaussian_splats(center: each(point2, item), spread: each(matrix2, item, range=(-0.6, 0.6)), opac: each(opacity, item, range=(0.1, 0.95)), tint: each(colour, item), extent: setting(half_extent, 1.5, 2.5), back: maybe(setting(colour, 0.0, 0.3), 0.5), color_out: out(colour), alpha_out: maybe(out(opacity), 0.6), used: maybe(out(count_value), 0.5)):
    names(p="p|pix|at|uv_p", cov="cov|sigma_k|cov2d|ellipse", inv="inv|conic|prec|icov", d="d|off|delta_p|rel", power="power|expo|mahal|quad", a="a|alpha_k|cover|opaque", t="t|trans|through|light_left", acc="acc|rgb|blend|sum_c", n="n|hit_n|blended|layers", center="center|means2d|splat_xy|gauss_center", spread="spread|splat_basis|scale_rot|cov_root", opac="opac|opacities|splat_alpha|density_k", tint="tint|splat_rgb|features|gauss_color")
    i, j = wp.tid()
    p = wp.vec2((float(i) + 0.5) / float(count(pixel, 0)) - 0.5, (float(j) + 0.5) / float(count(pixel, 1)) - 0.5) * (2.0 * extent)
    t = float(1.0)
    acc = wp.vec3(0.0, 0.0, 0.0)
    n = int(0)
    for k in range(count(item)):
        note("covariance from its square root, a little wider so that it never vanishes|low-pass")
        cov = spread[k] * wp.transpose(spread[k]) + wp.mat22(0.05, 0.0, 0.0, 0.05)
        inv = wp.inverse(cov)
        d = p - center[k]
        power = -0.5 * wp.dot(d, inv * d)
        a = wp.min(opac[k] * wp.exp(power), 0.99)
        note("too faint to matter|below one part in 255")
        if a < constant("MIN_ALPHA|ALPHA_CUT", 0.003921569):
            continue
        acc += tint[k] * (a * t)
        t = t * (1.0 - a)
        n += 1
        note("the rest is hidden|early stop")
        if t < number(0.001, 0.01, "stop"):
            break
    if present(back):
        acc += back * t
    color_out[i, j] = acc
    if present(alpha_out):
        alpha_out[i, j] = 1.0 - t
    if present(used):
        used[i, j] = n


@scene("geometry", "control_flow", "matrix", cell,
       says="fuses a depth image into a grid of truncated signed distances: each voxel looks up its pixel and averages what it sees",
       title="tsdf_integrate|fuse_depth|integrate_depth_image|update_tsdf", algorithm="truncated signed distance fusion")
def tsdf_fusion(tsdf: inout(signed_distance, range=(-1.0, 1.0)), weight_v: inout(weight), image: each(depth, 12, 12, range=(0.5, 2.5)), eye: setting(position, -0.3, 0.3), turn: setting(rotation_vector, -0.2, 0.2), voxel: setting(cell_size, 0.1, 0.3), trunc: setting(distance, 0.2, 0.6), w_max: maybe(setting(positive_value, 1.2, 1.9), 0.5), skipped: maybe(add(count_value, 1), 0.4)):
    names(x="x|center_v|world_p|vox_p", p="p|cam_p|view_p|pc", u="u|px|col_f|ui", v="v|py|row_f|vi", a="a|iu|pix_c|cu", b="b|iv|pix_r|cv", gap="gap|sdf|diff_z|dist_s", d="d|clipped|tsd|scaled", old="old|w_old|w_prev|had", total="total|w_new|w_sum|weight_n", eye="eye|camera_pos|sensor_pos|viewpoint", turn="turn|camera_rvec|rvec|sensor_turn", tsdf="tsdf|distance_grid|tsdf_grid|field_d", weight_v="weight_v|voxel_weight|tsdf_weight|confidence_v", image="image|depth_map|depth_image|range_image", trunc="trunc|truncation|band|trunc_margin", w_max="w_max|max_weight|weight_cap|w_limit")
    i, j, k = wp.tid()
    x = wp.vec3(float(i) + 0.5, float(j) + 0.5, float(k) + 0.5) * voxel - wp.vec3(1.0, 1.0, -0.5)
    p = rodrigues_matrix(turn) * (x - eye)
    note("behind the camera, or too close|not visible")
    if p[2] < 0.1:
        return
    u = 6.0 + 8.0 * p[0] / p[2]
    v = 6.0 + 8.0 * p[1] / p[2]
    if u < 0.0 or v < 0.0 or u >= 12.0 or v >= 12.0:
        if present(skipped):
            wp.atomic_add(skipped, 0, 1)
        return
    a = int(u)
    b = int(v)
    gap = image[a, b] - p[2]
    note("far behind the surface nothing is known|occluded")
    if gap < -trunc:
        return
    d = wp.min(gap / trunc, 1.0)
    old = weight_v[i, j, k]
    total = old + 1.0
    tsdf[i, j, k] = (tsdf[i, j, k] * old + d) / total
    if present(w_max):
        note("old scans fade|capped weight")
        total = wp.min(total, w_max)
    weight_v[i, j, k] = total


@scene("nested_loop", "integer", "control_flow", row,
       says="aggregates matching costs along each scan line so that disparities change smoothly, and picks the best one for each pixel",
       title="sgm_scanlines|aggregate_costs|semi_global_row|scanline_disparity", algorithm="semi-global matching along one direction")
def sgm_rows(cost: each(positive_value, row, column, 8), p1: setting(positive_value, 0.1, 0.5), p2: setting(positive_value, 1.0, 2.0), total: out(positive_value, row, column, 8), disp: out(index_value, row, column), jumps: maybe(out(count_value), 0.5)):
    names(low="low|best_prev|min_prev|floor_c", best="best|cheapest|min_here|lowest", arg="arg|best_d|winner|chosen", same="same|stay|keep_d|flat_c", v="v|path_c|aggr|sum_c", n="n|breaks|leaps|edges_n", last="last|prev_d|before_d|old_d", cost="cost|match_cost|cost_volume|census_cost", total="total|aggregated|path_cost|smoothed_cost", p1="p1|small_penalty|penalty_one|slope_cost", p2="p2|large_penalty|penalty_two|jump_cost")
    r = wp.tid()
    low = float(0.0)
    n = int(0)
    last = int(-1)
    for c in range(count(column)):
        best = float(1.0e6)
        arg = int(0)
        for d in range(8):
            v = cost[r, c, d]
            if c > 0:
                note("stay, change by one for a small price, or jump for a large one")
                same = total[r, c - 1, d]
                if d > 0:
                    same = wp.min(same, total[r, c - 1, d - 1] + p1)
                if d < 7:
                    same = wp.min(same, total[r, c - 1, d + 1] + p1)
                note("minus the lowest so far, or the sums would grow along the path")
                v = v + wp.min(same, low + p2) - low
            total[r, c, d] = v
            if v < best:
                best = v
                arg = d
        disp[r, c] = arg
        if last >= 0 and wp.abs(arg - last) > 1:
            n += 1
        last = arg
        low = best
    if present(jumps):
        jumps[r] = n


@scene("integer", "stencil", "control_flow", pixel,
       says="marks corners: pixels with nine neighbours in a row on a circle around them that are all brighter or all darker",
       title="fast_corners|detect_fast|segment_test|corner_flags", algorithm="FAST segment test")
def fast_corners(image: each(intensity), t: setting(gray_threshold, 0.02, 0.1), corner: out(flag), strength: maybe(out(intensity), 0.6), total: maybe(add(count_value, 1), 0.5)):
    names(c="c|mid_v|center_p|here_v", o="o|off|ring_o|step_o", v="v|ring_v|around_v|sample_v", run="run|streak|arc|in_row", kind_r="kind_r|last_side|run_side|tone", longest="longest|best_run|max_arc|widest", side="side|tone_k|sign_k|cmp_k", sum_d="sum_d|score_s|contrast|sad", m="m|idx_r|wrapped|ring_k", image="image|gray_image|luma_in|frame", t="t|fast_threshold|tolerance_t|contrast_min")
    i, j = wp.tid()
    corner[i, j] = 0
    note("the circle must lie inside the image|rim")
    if i < 3 or j < 3 or i >= count(pixel, 0) - 3 or j >= count(pixel, 1) - 3:
        if present(strength):
            strength[i, j] = 0.0
        return
    c = image[i, j]
    longest = int(0)
    run = int(0)
    kind_r = int(0)
    sum_d = float(0.0)
    note("go round one and a half times so that runs over the start are seen|25 steps cover every arc")
    for k in range(int(25)):
        m = k % 16
        o = circle_offset(m)
        v = image[i + o[0], j + o[1]]
        side = int(0)
        if v > c + t:
            side = int(1)
        elif v < c - t:
            side = int(-1)
        if side != 0 and side == kind_r:
            run += 1
        elif side != 0:
            run = 1
        else:
            run = 0
        kind_r = side
        longest = wp.max(longest, run)
        if k < 16:
            sum_d += wp.max(wp.abs(v - c) - t, 0.0)
    if longest >= 9:
        corner[i, j] = 1
        if present(strength):
            strength[i, j] = sum_d
        if present(total):
            wp.atomic_add(total, 0, 1)


@scene("ml", "integer", "nested_loop", query,
       says="encodes points by several grids of features that share hashed tables, interpolating between the corners of their cells",
       title="hash_encoding|multires_encode|grid_features|hashgrid_forward", algorithm="multiresolution hash encoding", rare=True)
def hash_encoding(p: each(uv_coordinate), table: each(embedding_value, 4, 32), grow: setting(positive_value, 1.4, 1.9), base: setting(capacity_value, 4, 6), feat: out(embedding_value, query, 4), norm_out: maybe(out(positive_value), 0.4)):
    names(res="res|level_res|cells_l|grid_n", x="x|sx|gx|scaled_x", y="y|sy|gy|scaled_y", i="ix|cell_x|x0|lo_x", j="iy|cell_y|y0|lo_y", fx="fx|wx|frac_x|tx", fy="fy|wy|frac_y|ty", a="a|f00|corner_a|v00", b="b|f10|corner_b|v10", c="c|f01|corner_c|v01", d="d|f11|corner_d|v11", s="s|mixed|value_l|blend_l", total="total|sq|energy_f|norm_sq", table="table|hash_table|level_tables|embeddings", grow="grow|per_level_scale|growth|level_factor", base="base|base_resolution|coarsest|n_min")
    q = wp.tid()
    res = float(base)
    total = float(0.0)
    for l in range(4):
        note("each level is finer by the same factor|resolution of this level")
        x = p[q][0] * wp.floor(res)
        y = p[q][1] * wp.floor(res)
        i = int(wp.floor(x))
        j = int(wp.floor(y))
        fx = x - float(i)
        fy = y - float(j)
        a = table[l, corner_slot(i, j, 32)]
        b = table[l, corner_slot(i + 1, j, 32)]
        c = table[l, corner_slot(i, j + 1, 32)]
        d = table[l, corner_slot(i + 1, j + 1, 32)]
        match choose("blend"):
            case 2:
                s = (a * (1.0 - fx) + b * fx) * (1.0 - fy) + (c * (1.0 - fx) + d * fx) * fy
            case 1:
                s = wp.lerp(wp.lerp(a, b, fx), wp.lerp(c, d, fx), fy)
        feat[q, l] = s
        total += s * s
        res = res * grow
    if present(norm_out):
        norm_out[q] = wp.sqrt(total)


@scene("physics", "control_flow", "nested_loop", "vector", star,
       says="sums the pull of many bodies with a tree: far cells count as one mass, near ones are opened",
       title="barnes_hut|tree_gravity|far_field_forces|quadtree_forces", algorithm="Barnes-Hut tree walk", lossy=True)
def barnes_hut(x: each(point2), cell_m: each(mass, 21), cell_c: each(point2, 21), size: each(length, 21, range=(0.3, 1.5)), theta: setting(ratio, 0.4, 0.9), soft: setting(softening), acc: out(vector2), opened: maybe(out(count_value), 0.5), phi: maybe(out(potential_value), 0.4)):
    names(stack="stack|todo|pending|open_n", top="top|sp|depth_s|left_n", n="n|cur_n|at|node_k", d="d|off|to_cell|arm", r2="r2|dist2|rr|sep2", r="r|dist|sep|reach_r", a="a|pull|acc_i|grav", work="work|visits|inter_n|used_n", pot="pot|well|phi_i|energy_p", cell_m="cell_m|node_mass|tree_mass|cell_mass", cell_c="cell_c|node_com|tree_com|cell_center", size="size|node_size|cell_width|tree_width", theta="theta|opening_angle|accept|mac")
    i = wp.tid()
    stack = wp.zeros(shape=32, dtype=int)
    top = int(1)
    a = wp.vec2(0.0, 0.0)
    work = int(0)
    pot = float(0.0)
    while top > 0:
        top -= 1
        n = stack[top]
        d = cell_c[n] - x[i]
        r2 = wp.dot(d, d) + soft * soft
        r = wp.sqrt(r2)
        note("three levels, four children in a row; the cells of the last level have none|leaf or far enough")
        if n >= constant("FIRST_LEAF|LEAF_START", 5) or size[n] < theta * r:
            a += d * (cell_m[n] / (r2 * r))
            pot -= cell_m[n] / r
            work += 1
        else:
            for k in range(4):
                stack[top] = 4 * n + 1 + k
                top += 1
    acc[i] = a
    if present(opened):
        opened[i] = work
    if present(phi):
        phi[i] = pot


@scene("geometry", "control_flow", "physics", "vector", contact,
       says="finds when a moving point first comes into the plane of a moving triangle during a step, and whether it hits the triangle",
       title="vertex_face_ccd|continuous_collision|time_of_impact|point_triangle_toi", algorithm="continuous collision of a point and a triangle")
def vertex_face_ccd(p: each(position), a: each(position), b: each(position), c: each(position), vp: each(velocity), va: each(velocity), vb: each(velocity), vc: each(velocity), steps: setting(steps_value, 8, 12), rounds: setting(steps_value, 8, 12), toi: out(ratio), hit: maybe(out(flag), 0.7), where: maybe(out(barycentric), 0.4)):
    names(e1="e1|ab|edge_b|u0", e2="e2|ac|edge_c|v0", d="d|ap|rel_p|w0", f1="f1|dab|rate_b|u1", f2="f2|dac|rate_c|v1", g="g|dap|rate_p|w1", k0="k0|c_0|con|off0", k1="k1|c_1|lin|off1", k2="k2|c_2|quad|off2", k3="k3|c_3|cub|off3", lo="lo|t_lo|left_t|t_a", hi="hi|t_hi|right_t|t_b", mid="mid|t_mid|half_t|t_m", y0="y0|val_lo|g_lo|s_lo", y1="y1|val_hi|g_hi|s_hi", ym="ym|val_mid|g_mid|s_mid", found="found|bracketed|crossed|seen_c", n="n|face_n|normal_t|cross_n", u="u|bary_b|beta|wu", v="v|bary_c|gamma_b|wv", nn="nn|n_sq|area_sq|n2")
    i = wp.tid()
    e1 = b[i] - a[i]
    e2 = c[i] - a[i]
    d = p[i] - a[i]
    f1 = vb[i] - va[i]
    f2 = vc[i] - va[i]
    g = vp[i] - va[i]
    note("the volume of the four points is a cubic in time; it vanishes when they lie in a plane")
    k0 = wp.dot(d, wp.cross(e1, e2))
    k1 = wp.dot(g, wp.cross(e1, e2)) + wp.dot(d, wp.cross(f1, e2)) + wp.dot(d, wp.cross(e1, f2))
    k2 = wp.dot(g, wp.cross(f1, e2)) + wp.dot(g, wp.cross(e1, f2)) + wp.dot(d, wp.cross(f1, f2))
    k3 = wp.dot(g, wp.cross(f1, f2))
    toi[i] = -1.0
    if present(hit):
        hit[i] = 0
    lo = float(0.0)
    hi = float(0.0)
    y0 = k0
    found = int(0)
    for s in range(steps):
        hi = float(s + 1) / float(steps)
        y1 = cubic_at(k3, k2, k1, k0, hi)
        if y0 * y1 <= 0.0:
            found = int(1)
            break
        lo = hi
        y0 = y1
    if found == 0:
        note("never in one plane during this step")
        if present(where):
            where[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    for s in range(rounds):
        mid = 0.5 * (lo + hi)
        ym = cubic_at(k3, k2, k1, k0, mid)
        if y0 * ym <= 0.0:
            hi = mid
        else:
            lo = mid
            y0 = ym
    toi[i] = hi
    note("inside the triangle at that time?|barycentric test")
    e1 = e1 + f1 * hi
    e2 = e2 + f2 * hi
    d = d + g * hi
    n = wp.cross(e1, e2)
    nn = wp.dot(n, n)
    if nn < constant("FLAT_EPS|MIN_AREA", 1.0e-4):
        if present(where):
            where[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    u = wp.dot(wp.cross(d, e2), n) / nn
    v = wp.dot(wp.cross(e1, d), n) / nn
    if present(where):
        where[i] = wp.vec3(1.0 - u - v, u, v)
    if present(hit):
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
            hit[i] = 1


@scene("nested_loop", "geometry", "math", ray,
       says="renders a volume along each ray: samples a grid, turns values into light and opacity, and composites from front to back",
       title="render_volume|march_density|volume_raycast|composite_rays", algorithm="emission and absorption along a ray",
       lossy=True)
def volume_render(o: each(position, range=(0.5, 6.5)), d: each(direction), grid_v: each(intensity, 8, 8, 8), step: setting(step_length, 0.2, 0.5), steps: setting(steps_value, 8, 12), sigma: setting(absorption, 0.5, 2.0), low: setting(ratio, 0.1, 0.4), hot: setting(colour, 0.5, 1.0), cold: maybe(setting(colour, 0.0, 0.4), 0.5), color_out: out(colour), trans_out: maybe(out(ratio), 0.6), depth_out: maybe(out(ray_distance), 0.4)):
    names(u="u|dir_u|ray_u|unit_d", p="p|pos_s|sample_p|at", i="ix|cx|vox_x|x0", j="jy|cy|vox_y|y0", k="kz|cz|vox_z|z0", fx="fx|wx|frac_x|tx", fy="fy|wy|frac_y|ty", fz="fz|wz|frac_z|tz", v="v|value_s|dens|field_v", c0="c0|front_v|lo_z|face0", c1="c1|back_v|hi_z|face1", a="a|alpha_s|cover|opaque", t="t|trans|left_l|through", acc="acc|light|rgb|glow", first="first|hit_t|depth_d|seen_t", tint="tint|shade_c|emit_c|hue_c", low="low|threshold_v|iso_low|cut", grid_v="grid_v|volume_in|density_grid|voxels_v")
    r = wp.tid()
    u = wp.normalize(d[r])
    t = float(1.0)
    acc = wp.vec3(0.0, 0.0, 0.0)
    first = float(-1.0)
    for s in range(steps):
        p = o[r] + u * (step * (float(s) + 0.5))
        note("outside the grid there is nothing|leave the volume")
        if wp.min(p[0], wp.min(p[1], p[2])) < 0.0 or wp.max(p[0], wp.max(p[1], p[2])) >= 7.0:
            break
        i = int(wp.floor(p[0]))
        j = int(wp.floor(p[1]))
        k = int(wp.floor(p[2]))
        fx = p[0] - float(i)
        fy = p[1] - float(j)
        fz = p[2] - float(k)
        note("trilinear: four edges, two faces, one value")
        c0 = wp.lerp(wp.lerp(grid_v[i, j, k], grid_v[i + 1, j, k], fx), wp.lerp(grid_v[i, j + 1, k], grid_v[i + 1, j + 1, k], fx), fy)
        c1 = wp.lerp(wp.lerp(grid_v[i, j, k + 1], grid_v[i + 1, j, k + 1], fx), wp.lerp(grid_v[i, j + 1, k + 1], grid_v[i + 1, j + 1, k + 1], fx), fy)
        v = wp.lerp(c0, c1, fz)
        if v < low:
            continue
        if first < 0.0:
            first = step * (float(s) + 0.5)
        a = 1.0 - wp.exp(-sigma * (v - low) * step)
        if present(cold):
            tint = wp.lerp(cold, hot, v)
        else:
            tint = hot * v
        acc += tint * (a * t)
        t = t * (1.0 - a)
        note("the rest is in the dark|early ray termination")
        if t < number(0.01, 0.05, "dark"):
            break
    color_out[r] = acc
    if present(trans_out):
        trans_out[r] = t
    if present(depth_out):
        depth_out[r] = first
