"""Pixels and their neighbours: edges, seeds, denoising, sensors."""


@scene("stencil", "multi_conditional", "control_flow", pixel,
       says="thins the gradient of an image to its ridges, looking along the direction of the gradient, and sorts what is left into strong and weak edges",
       title="canny_thin|nonmax_suppress|edge_classes|suppress_ridges", algorithm="non-maximum suppression of the Canny edge detector")
def canny_thin(gx: each(image_slope_x), gy: each(image_slope_y), low: setting(intensity, 0.15, 0.4), high: setting(intensity, 0.6, 0.9), kind_out: out(label), thin: maybe(out(intensity), 0.6), strong: maybe(add(count_value, 1), 0.3)):
    names(a="a|dx_g|g_x|hx", b="b|dy_g|g_y|hy", m="m|mag|here|strength", ahead="ahead|m1|front|next_m", behind="behind|m2|rear|prev_m", di="di|oy|step_i|dr", dj="dj|ox|step_j|dc", low="low|t_low|weak_at|lower_threshold", high="high|t_high|strong_at|upper_threshold")
    i, j = wp.tid()
    kind_out[i, j] = 0
    if i == 0 or j == 0 or i == count(pixel, 0) - 1 or j == count(pixel, 1) - 1:
        note("no neighbours to compare with")
        if present(thin):
            thin[i, j] = 0.0
        return
    a = gx[i, j]
    b = gy[i, j]
    m = wp.sqrt(a * a + b * b)
    if m < low:
        if present(thin):
            thin[i, j] = 0.0
        return
    note("the gradient points along one of four lines|quantise the direction")
    di = int(0)
    dj = int(1)
    if wp.abs(b) > 2.4142 * wp.abs(a):
        di = 1
        dj = 0
    elif wp.abs(b) > 0.4142 * wp.abs(a):
        di = 1
        if a * b < 0.0:
            dj = -1
    ahead = wp.sqrt(gx[i + di, j + dj] * gx[i + di, j + dj] + gy[i + di, j + dj] * gy[i + di, j + dj])
    behind = wp.sqrt(gx[i - di, j - dj] * gx[i - di, j - dj] + gy[i - di, j - dj] * gy[i - di, j - dj])
    if m < ahead or m <= behind:
        note("not the highest along the line")
        if present(thin):
            thin[i, j] = 0.0
        return
    if present(thin):
        thin[i, j] = m
    if m >= high:
        kind_out[i, j] = 2
        if present(strong):
            wp.atomic_add(strong, 0, 1)
    else:
        kind_out[i, j] = 1


@scene("stencil", "nested_loop", "integer", pixel,
       says="takes one round of jump flooding: each pixel asks neighbours at a distance for their nearest seed and keeps the nearest of all",
       title="jump_flood|flood_round|voronoi_step|nearest_seed_pass", algorithm="jump flooding")
def jump_flood(seed: each(seed_cell), known: each(flag), reach: setting(steps_value, 1, 8), seed_out: out(seed_cell), d_out: maybe(out(distance), 0.6), known_out: maybe(out(flag), 0.6)):
    names(best="best|dmin|near_sq|best_sq", bi="bi|best_i|seed_i|wi", bj="bj|best_j|seed_j|wj", ni="ni|qi|row_n|ty", nj="nj|qj|col_n|tx", d="d|d2|sq|gap_sq", cand="cand|other|theirs|s_n", reach="reach|jump|stride|hop", known="known|has_seed|filled|is_valid")
    i, j = wp.tid()
    best = float(1.0e9)
    bi = int(-1)
    bj = int(-1)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            ni = i + di * reach
            nj = j + dj * reach
            if ni < 0 or nj < 0 or ni >= count(pixel, 0) or nj >= count(pixel, 1):
                continue
            if known[ni, nj] == 0:
                note("that one does not know a seed yet")
                continue
            cand = seed[ni, nj]
            match choose("metric"):
                case 3:
                    d = float((cand[0] - i) * (cand[0] - i) + (cand[1] - j) * (cand[1] - j))
                case 1:
                    fact("distances are counted along the axes")
                    d = float(wp.abs(cand[0] - i) + wp.abs(cand[1] - j))
            if d < best:
                best = d
                bi = cand[0]
                bj = cand[1]
    seed_out[i, j] = wp.vec2i(bi, bj)
    if present(known_out):
        known_out[i, j] = wp.where(bi >= 0, 1, 0)
    if present(d_out):
        if bi < 0:
            d_out[i, j] = -1.0
        else:
            match choose("metric"):
                case 3:
                    d_out[i, j] = wp.sqrt(best)
                case 1:
                    d_out[i, j] = best


@scene("stencil", "vector", "math", pixel,
       says="takes one step of the dual method for total variation denoising and rebuilds the smoothed image",
       title="tv_dual_step|chambolle_step|tv_denoise|dual_projection", algorithm="Chambolle's dual projection")
def tv_dual(img: each(intensity), p: each(dual_vector), lam: setting(positive_value, 0.2, 1.0), tau: setting(ratio, 0.1, 0.24), p_new: out(dual_vector), u_out: maybe(out(intensity), 0.6)):
    names(dc="dc|div_c|here|d0", de="de|div_e|east|d_right", ds="ds|div_s|south|d_down", gx="gx|g_i|slope_i|diff_i", gy="gy|g_j|slope_j|diff_j", norm="norm|mag|length_g|rho", last_i="last_i|bottom|i_end|ni", last_j="last_j|right_end|j_end|nj", lam="lam|tv_weight|strength|smooth_w", tau="tau|dual_step|step_p|rate_p")
    i, j = wp.tid()
    last_i = count(pixel, 0) - 1
    last_j = count(pixel, 1) - 1
    note("divergence at the pixel and at its two forward neighbours|backward differences, zero outside")
    dc = p[i, j][0] + p[i, j][1]
    if i > 0:
        dc -= p[i - 1, j][0]
    if j > 0:
        dc -= p[i, j - 1][1]
    gx = float(0.0)
    gy = float(0.0)
    if i < last_i:
        ds = p[i + 1, j][0] - p[i, j][0] + p[i + 1, j][1]
        if j > 0:
            ds -= p[i + 1, j - 1][1]
        gx = (ds - img[i + 1, j] / lam) - (dc - img[i, j] / lam)
    if j < last_j:
        de = p[i, j + 1][1] - p[i, j][1] + p[i, j + 1][0]
        if i > 0:
            de -= p[i - 1, j + 1][0]
        gy = (de - img[i, j + 1] / lam) - (dc - img[i, j] / lam)
    norm = wp.sqrt(gx * gx + gy * gy)
    p_new[i, j] = (p[i, j] + wp.vec2(gx, gy) * tau) / (1.0 + tau * norm)
    if present(u_out):
        u_out[i, j] = img[i, j] - lam * dc


@scene("stencil", "multi_conditional", "nested_loop", pixel,
       says="rebuilds the colours of a sensor with a Bayer pattern by averaging the neighbours that have the missing colours",
       title="demosaic|debayer|bayer_to_rgb|interpolate_mosaic", algorithm="bilinear demosaicing", rare=True)
def demosaic(raw: each(bayer_value), black: maybe(setting(bayer_value, 0.01, 0.1), 0.5), gain_r: maybe(setting(gain, 1.2, 2.0), 0.4), gain_b: maybe(setting(gain, 1.2, 2.0), 1.0), rgb: out(colour), clipped: maybe(add(count_value, 1), 0.3)):
    names(cross="cross|plus_avg|side_avg|adjacent", diag="diag|x_avg|corner_avg|corners", horiz="horiz|row_avg|lr_avg|side_h", vert="vert|col_avg|ud_avg|side_v", c="c|own|center|here", r="r|red|cr|r_out", g="g|green|cg|g_out", b="b|blue|cb|b_out", up="up|im|row_up|i0", down="down|ip|row_dn|i1", left="left|jm|col_l|j0", right="right|jp|col_r|j1")
    i, j = wp.tid()
    note("mirror at the border, so that the colours of the pattern stay in place|reflect by one")
    up = wp.where(i == 0, 1, i - 1)
    left = wp.where(j == 0, 1, j - 1)
    down = wp.where(i == count(pixel, 0) - 1, count(pixel, 0) - 2, i + 1)
    right = wp.where(j == count(pixel, 1) - 1, count(pixel, 1) - 2, j + 1)
    c = raw[i, j]
    horiz = 0.5 * (raw[i, left] + raw[i, right])
    vert = 0.5 * (raw[up, j] + raw[down, j])
    cross = 0.5 * (horiz + vert)
    diag = 0.25 * (raw[up, left] + raw[up, right] + raw[down, left] + raw[down, right])
    if i % 2 == 0:
        if j % 2 == 0:
            note("a red site")
            r = c
            g = cross
            b = diag
        else:
            note("green between reds")
            r = horiz
            g = c
            b = vert
    else:
        if j % 2 == 0:
            note("green between blues")
            r = vert
            g = c
            b = horiz
        else:
            r = diag
            g = cross
            b = c
    if present(black):
        r = wp.max(r - black, 0.0) / (1.0 - black)
        g = wp.max(g - black, 0.0) / (1.0 - black)
        b = wp.max(b - black, 0.0) / (1.0 - black)
    if present(gain_r) and present(gain_b):
        note("white balance")
        fact("red and blue are scaled for the white balance")
        r = r * gain_r
        b = b * gain_b
        if present(clipped):
            if r > 1.0 or b > 1.0:
                wp.atomic_add(clipped, 0, 1)
    rgb[i, j] = either(wp.vec3(wp.min(r, 1.0), wp.min(g, 1.0), wp.min(b, 1.0)), wp.min(wp.vec3(r, g, b), wp.vec3(1.0, 1.0, 1.0)))
