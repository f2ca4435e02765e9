"""Measurements of shapes: cells of isosurfaces, histograms of slopes."""


@scene("integer", "geometry", "nested_loop", cell,
       says="classifies the cells of a scalar grid by which corners lie below a level, and counts the edges that the surface crosses with their mean crossing point",
       title="classify_cells|cube_cases|isosurface_cases|active_cells", algorithm="marching cubes case numbers")
def cube_cases(phi: each(field_value), level: setting(field_value, -0.3, 0.3), case_out: out(kind_value), crossings: out(count_value), center: maybe(out(position), 0.6), active: maybe(add(count_value, 1), 0.5)):
    names(code="code|cube_index|case_id|mask_c", n="n|cut_edges|num_cross|edges_hit", total="total|sum_p|acc_p|point_sum", a="a|va|low_v|val_a", b="b|vb|high_v|val_b", ci="ci|dx_c|ox|corner_i", cj="cj|dy_c|oy|corner_j", ck="ck|dz_c|oz|corner_k", p="p|start_p|edge_p|base_p", phi="phi|sdf_grid|scalar_field|samples_v", level="level|iso|iso_value|threshold_v", case_out="case_out|cell_case|cube_code|case_ids")
    i, j, k = wp.tid()
    case_out[i, j, k] = 0
    crossings[i, j, k] = 0
    note("the last layer has no cell of its own|border")
    if i >= count(cell, 0) - 1 or j >= count(cell, 1) - 1 or k >= count(cell, 2) - 1:
        return
    code = int(0)
    for c in range(8):
        if phi[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)] < level:
            code = code | (1 << c)
    case_out[i, j, k] = code
    note("all inside or all outside: no surface here")
    if code == 0 or code == 255:
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
       title="hog_cells|gradient_histograms|orientation_bins|hog_descriptor", algorithm="histogram of oriented gradients")
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
