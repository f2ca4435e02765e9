"""Measurements of shapes: cells of isosurfaces, histograms of slopes, hulls, heights of the ground."""


@scene("integer", "geometry", "nested_loop", cell,
       says="classifies the cells of a scalar grid by which corners lie below a level, and counts the edges that the surface crosses with their mean crossing point",
       title="classify_cells|cube_cases|isosurface_cases|active_cells", algorithm="marching cubes case numbers", rare=True)
def cube_cases(phi: each(field_value), level: setting(field_value, -0.3, 0.3), case_out: out(kind_value), crossings: out(count_value), center: maybe(out(position), 0.6), active: maybe(add(count_value, 1), 0.5)):
    names(code="code|cube_index|case_id|mask_c", n="n|cut_edges|num_cross|edges_hit", total="total|sum_p|acc_p|point_sum", a="a|va|low_v|val_a", b="b|vb|high_v|val_b", ci="ci|dx_c|ox|corner_i", cj="cj|dy_c|oy|corner_j", ck="ck|dz_c|oz|corner_k", p="p|start_p|edge_p|base_p", phi="phi|sdf_grid|scalar_field|samples_v", level="level|iso|iso_value|threshold_v", case_out="case_out|cell_case|cube_code|case_ids")
    i, j, k = wp.tid()
    case_out[i, j, k] = 0
    crossings[i, j, k] = 0
    note("the last layer has no cell of its own|border")
    if i >= count(cell, 0) - 1 or j >= count(cell, 1) - 1 or k >= count(cell, 2) - 1:
        if present(center):
            center[i, j, k] = wp.vec3(0.0, 0.0, 0.0)
        return
    code = int(0)
    for c in range(8):
        if phi[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)] < level:
            code = code | (1 << c)
    case_out[i, j, k] = code
    note("all inside or all outside: no surface here")
    if code == 0 or code == 255:
        if present(center):
            center[i, j, k] = wp.vec3(0.0, 0.0, 0.0)
        return
    n = int(0)
    total = wp.vec3(0.0, 0.0, 0.0)
    for c in range(8):
        ci = c & 1
        cj = (c >> 1) & 1
        ck = (c >> 2) & 1
        a = phi[i + ci, j + cj, k + ck]
        p = wp.vec3(float(i + ci), float(j + cj), float(k + ck))
        note("the edges that leave this corner upwards along x, y and z|each edge once")
        if ci == 0:
            b = phi[i + 1, j + cj, k + ck]
            if (a < level) != (b < level):
                total += p + wp.vec3((level - a) / (b - a), 0.0, 0.0)
                n += 1
        if cj == 0:
            b = phi[i + ci, j + 1, k + ck]
            if (a < level) != (b < level):
                total += p + wp.vec3(0.0, (level - a) / (b - a), 0.0)
                n += 1
        if ck == 0:
            b = phi[i + ci, j + cj, k + 1]
            if (a < level) != (b < level):
                total += p + wp.vec3(0.0, 0.0, (level - a) / (b - a))
                n += 1
    crossings[i, j, k] = n
    if present(center):
        center[i, j, k] = total / float(n)
    if present(active):
        wp.atomic_add(active, 0, 1)


@scene("nested_loop", "math", "stencil", (row, column),
       says="builds a histogram of gradient directions for each cell of an image, with votes shared between neighbouring directions",
       title="hog_cells|gradient_histograms|orientation_bins|hog_descriptor", algorithm="histogram of oriented gradients",
       lossy=True)
def hog_cells(image: each(intensity, 20, 20), gain_v: maybe(setting(gain, 0.5, 2.0), 0.4), floor_e: setting(small_number, 0.01, 0.05), hist: out(weight, row, column, 9), energy_out: maybe(out(energy), 0.5)):
    names(y="y|py|row_p|iy", x="x|px|col_p|ix", gx="gx|dx_i|slope_x|ex", gy="gy|dy_i|slope_y|ey", mag="mag|grad_l|strength_p|vote", ang="ang|phase_g|theta_g|dir_a", pos="pos|bin_f|slot_f|place_b", lo="lo|bin_a|left_b|b0", hi="hi|bin_b|right_b|b1", f="f|share_f|frac_b|mix_b", total="total|sum_sq|norm_sq|power_h", image="image|gray_image|luma_in|frame", hist="hist|cell_hist|hog_out|bins_out", floor_e="floor_e|eps_n|norm_floor|min_energy")
    r, c = wp.tid()
    for a in range(4):
        for b in range(4):
            note("cells wrap round a small image; the rim repeats itself|pixel of this cell")
            y = (4 * r + a) % 20
            x = (4 * c + b) % 20
            gx = image[y, wp.min(x + 1, 19)] - image[y, wp.max(x - 1, 0)]
            gy = image[wp.min(y + 1, 19), x] - image[wp.max(y - 1, 0), x]
            mag = wp.sqrt(gx * gx + gy * gy)
            note("directions without sign: half a turn|unsigned orientation")
            ang = wp.atan2(gy, gx)
            if ang < 0.0:
                ang = ang + wp.pi
            pos = ang / wp.pi * 9.0 - 0.5
            lo = int(wp.floor(pos))
            f = pos - float(lo)
            hi = (lo + 1) % 9
            note("the first bin is the neighbour of the last|circular bins")
            lo = (lo + 9) % 9
            hist[r, c, lo] = hist[r, c, lo] + mag * (1.0 - f)
            hist[r, c, hi] = hist[r, c, hi] + mag * f
    total = float(0.0)
    for k in range(9):
        total += hist[r, c, k] * hist[r, c, k]
    if present(energy_out):
        energy_out[r, c] = total
    for k in range(9):
        if present(gain_v):
            hist[r, c, k] = wp.min(gain_v * hist[r, c, k] / wp.sqrt(total + floor_e), 1.0)
        else:
            hist[r, c, k] = hist[r, c, k] / wp.sqrt(total + floor_e)


@scene("geometry", "nested_loop", "reduction", row,
       says="wraps the convex hull round the points of each row and measures its area and its perimeter",
       title="convex_hulls|gift_wrapping|hull_measures|jarvis_march", algorithm="gift wrapping", lossy=True)
def gift_wrap(p: each(point2, row, 12), area_out: out(area), corners: maybe(out(count_value), 0.7), rim: out(perimeter), wide: maybe(out(length), 0.3)):
    names(first="first|start|leftmost|anchor", cur="cur|at|here|tip", nxt="nxt|cand|best_n|next_v", turn="turn|cross_z|side_c|bend", d1="d1|to_next|arm_a|best_d", d2="d2|to_try|arm_b|try_d", s="s|twice|cross_sum|shoelace", n="n|on_hull|num_c|verts", edge_l="edge_l|total_l|perim|around", span="span|widest|diam|reach", go="go|open|running|more")
    r = wp.tid()
    note("the leftmost point is on the hull for sure")
    first = int(0)
    for k in range(12):
        if p[r, k][0] < p[r, first][0]:
            first = k
    cur = int(first)
    s = float(0.0)
    edge_l = float(0.0)
    span = float(0.0)
    n = int(0)
    go = int(1)
    while go == 1 and n < 12:
        nxt = (cur + 1) % 12
        for k in range(12):
            d1 = p[r, nxt] - p[r, cur]
            d2 = p[r, k] - p[r, cur]
            note("take the point with all others on its left|most clockwise")
            turn = d1[0] * d2[1] - d1[1] * d2[0]
            if turn < 0.0:
                nxt = k
        s += p[r, cur][0] * p[r, nxt][1] - p[r, nxt][0] * p[r, cur][1]
        edge_l += wp.length(p[r, nxt] - p[r, cur])
        span = wp.max(span, wp.length(p[r, nxt] - p[r, first]))
        n += 1
        cur = nxt
        if cur == first:
            go = 0
    area_out[r] = 0.5 * wp.abs(s)
    if present(corners):
        corners[r] = n
    if present(rim):
        rim[r] = edge_l
    if present(wide):
        wide[r] = span


@law("surveys", "the height inside of a grid square from those of its four corners", title="bilinear_height|patch_height|interpolate_height", private=True, function=True)
def patch_height(h00: surface_height, h10: surface_height, h01: surface_height, h11: surface_height, fx: ratio, fz: ratio) -> surface_height:
    return wp.lerp(wp.lerp(h00, h10, fx), wp.lerp(h01, h11, fx), fz)


@scene("geometry", "control_flow", "stencil", ray,
       says="marches each ray over a height field and sharpens the first crossing by halving",
       title="terrain_ray_cast|heightfield_rays|march_heightfield|scan_terrain", algorithm="ray marching of a height field with bisection",
       lossy=True)
def terrain_ray(o: each(position, range=(1.0, 6.0)), d: each(direction), height_of: each(surface_height, row, column), step: setting(step_length, 0.1, 0.3), limit: setting(steps_value, 8, 12), t_out: out(hit_distance), p_out: maybe(out(position), 0.6), clearance: maybe(out(height), 0.4)):
    names(clearance="clearance|min_clearance|least_height|ground_gap", t_out="t_out|hit_t|ray_length|hit_distance", p_out="p_out|hit_point|ground_hit|hit_pos", u="u|dir_u|ray_u|unit_d", p="p|at|probe|ray_p", t="t|along|travel|cur_t", i="ix|cell_x|gx|col_i", j="jz|cell_z|gz|row_j", fx="fx|frac_x|wx|lx", fz="fz|frac_z|wz|lz", h="h|ground|surf_h|terrain_y", above="above|clear|over|gap_h", lo="lo|t_lo|low_t|out_t", hi="hi|t_hi|high_t|in_t", mid="mid|t_mid|half_t|try_t", low_gap="low_gap|least|closest_h|min_clear", height_of="height|heightmap|elevation_grid|dem")
    r = wp.tid()
    u = wp.normalize(d[r])
    t = float(0.0)
    lo = float(0.0)
    hi = float(-1.0)
    low_gap = float(100.0)
    for k in range(limit):
        p = o[r] + u * t
        i = wp.clamp(int(wp.floor(p[0])), 0, count(row) - 2)
        j = wp.clamp(int(wp.floor(p[2])), 0, count(column) - 2)
        fx = wp.clamp(p[0] - float(i), 0.0, 1.0)
        fz = wp.clamp(p[2] - float(j), 0.0, 1.0)
        h = patch_height(height_of[i, j], height_of[i + 1, j], height_of[i, j + 1], height_of[i + 1, j + 1], fx, fz)
        above = p[1] - h
        low_gap = wp.min(low_gap, above)
        if above < 0.0:
            hi = t
            break
        lo = t
        note("stride by the clearance, but not less than a step|longer strides high above")
        t += wp.max(step, above * number(0.2, 0.5, "stride"))
    if present(clearance):
        clearance[r] = low_gap
    if hi < 0.0:
        note("no ground within reach")
        t_out[r] = -1.0
        if present(p_out):
            p_out[r] = wp.vec3(0.0, 0.0, 0.0)
        return
    for m in range(integer(6, 10, "halvings")):
        mid = 0.5 * (lo + hi)
        p = o[r] + u * mid
        i = wp.clamp(int(wp.floor(p[0])), 0, count(row) - 2)
        j = wp.clamp(int(wp.floor(p[2])), 0, count(column) - 2)
        fx = wp.clamp(p[0] - float(i), 0.0, 1.0)
        fz = wp.clamp(p[2] - float(j), 0.0, 1.0)
        h = patch_height(height_of[i, j], height_of[i + 1, j], height_of[i, j + 1], height_of[i + 1, j + 1], fx, fz)
        if p[1] < h:
            hi = mid
        else:
            lo = mid
    t_out[r] = hi
    if present(p_out):
        p_out[r] = o[r] + u * hi
