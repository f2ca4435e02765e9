"""Neighbours on grids, as solvers and pictures use them: sound, light, heat, terrain, patterns."""


@law("geometry", "the index of the neighbour before and of the one behind it, held inside a range", title="neighbors_clamped|clamp_pair|side_indices", private=True, function=True)
def clamped_pair(i: index_value, n: index_value) -> (index_value, index_value):
    names(i="i|idx", n="n|size")
    return wp.max(i - 1, 0), wp.min(i + 1, n - 1)


@law("geometry", "the index of the neighbour before and of the one behind it on a ring", title="neighbors_periodic|wrap_pair|ring_indices", private=True, function=True)
def wrapped_pair(i: index_value, n: index_value) -> (index_value, index_value):
    names(i="i|idx", n="n|size")
    return (i + n - 1) % n, (i + 1) % n


@scene("stencil", "physics", "control_flow", cell,
       says="advances the sound pressure in a room by one leapfrog step of the wave equation{wall=0:, with hard walls}{wall=1:, with walls that repeat}{sponge:, damped in a layer near the walls}{source:, driven by sources}{flow_out:, and takes the pressure gradient}",
       title="acoustic_step|room_acoustics|wave3d_step|sound_step", algorithm="leapfrog for the acoustic wave equation", topic="")
def acoustic_step(p: each(field_value), p_old: each(field_value), solid: maybe(each(flag), 0.5), source: maybe(each(field_value), 0.4), sponge: maybe(setting(ratio, 0.05, 0.3), 0.5), c: setting(wave_speed, 0.5, 1.5), dt: setting(time_step, 0.01, 0.05), dx: setting(cell_size, 0.4, 1.0), p_new: out(field_value), flow_out: maybe(out(vector3), 0.5), loud: maybe(add(count_value, 1), 0.3)):
    names(im="im|left", ip="ip|right", jm="jm|down", jp="jp|up", km="km|back", kp="kp|front", lap="lap|laplacian", c2="c2|courant_sq", inv_dx2="inv_dx2|idx2", gx="gx|dp_dx", gy="gy|dp_dy", gz="gz|dp_dz", nxt="nxt|p_next", layer="layer|depth", nx="nx", ny="ny", nz="nz", d2x="d2x|pxx", d2y="d2y|pyy", d2z="d2z|pzz")
    names(p="p|pressure", p_old="p_old|p_prev", solid="solid|wall_mask", source="source|sources", sponge="sponge|absorption", p_new="p_new|pressure_out", flow_out="grad_out|gradient_out", loud="loud|num_loud")
    i, j, k = wp.tid()
    if present(solid):
        if solid[i, j, k] == 1:
            p_new[i, j, k] = 0.0
            if present(flow_out):
                flow_out[i, j, k] = wp.vec3(0.0, 0.0, 0.0)
            return
    nx = count(cell, 0)
    ny = count(cell, 1)
    nz = count(cell, 2)
    match choose("wall"):
        case 2:
            im, ip = clamped_pair(i, nx)
            jm, jp = clamped_pair(j, ny)
            km, kp = clamped_pair(k, nz)
        case 1:
            im, ip = wrapped_pair(i, nx)
            jm, jp = wrapped_pair(j, ny)
            km, kp = wrapped_pair(k, nz)
    match choose("form"):
        case 2:
            inv_dx2 = 1.0 / (dx * dx)
            d2x = (p[im, j, k] - 2.0 * p[i, j, k] + p[ip, j, k]) * inv_dx2
            d2y = (p[i, jm, k] - 2.0 * p[i, j, k] + p[i, jp, k]) * inv_dx2
            d2z = (p[i, j, km] - 2.0 * p[i, j, k] + p[i, j, kp]) * inv_dx2
            lap = d2x + d2y + d2z
            nxt = 2.0 * p[i, j, k] - p_old[i, j, k] + c * c * dt * dt * lap
        case 2:
            c2 = (c * dt / dx) * (c * dt / dx)
            lap = p[im, j, k] + p[ip, j, k] + p[i, jm, k] + p[i, jp, k] + p[i, j, km] + p[i, j, kp] - 6.0 * p[i, j, k]
            nxt = 2.0 * p[i, j, k] - p_old[i, j, k] + c2 * lap
    if present(source):
        nxt += dt * dt * source[i, j, k]
    if present(sponge):
        note("cells near a wall lose a share of their pressure|absorbing layer")
        layer = wp.min(wp.min(wp.min(i, nx - 1 - i), wp.min(j, ny - 1 - j)), wp.min(k, nz - 1 - k))
        if layer < constant("SPONGE_WIDTH|LAYER_CELLS", 2):
            match choose("fade"):
                case 1:
                    nxt = nxt * (1.0 - sponge)
                case 1:
                    nxt = nxt * (1.0 - sponge * float(constant("SPONGE_WIDTH|LAYER_CELLS", 2) - layer) / float(constant("SPONGE_WIDTH|LAYER_CELLS", 2)))
    p_new[i, j, k] = nxt
    if present(flow_out):
        match choose("slope"):
            case 1:
                gx = p[ip, j, k] - p[im, j, k]
                gy = p[i, jp, k] - p[i, jm, k]
                gz = p[i, j, kp] - p[i, j, km]
                flow_out[i, j, k] = wp.vec3(gx, gy, gz) / (2.0 * dx)
            case 1:
                gx = (p[ip, j, k] - p[im, j, k]) * (0.5 / dx)
                gy = (p[i, jp, k] - p[i, jm, k]) * (0.5 / dx)
                gz = (p[i, j, kp] - p[i, j, km]) * (0.5 / dx)
                flow_out[i, j, k] = wp.vec3(gx, gy, gz)
    if present(loud):
        if wp.abs(nxt) > 1.0:
            wp.atomic_add(loud, 0, 1)


@scene("stencil", "physics", "struct", "matrix", cell,
       says="advances the electric field on a Yee grid by one step, from the curl of the magnetic field{sigma:, with conducting cells}{current_in:, driven by a current}; at the faces where a neighbour is missing the field is left alone",
       title="yee_electric_step|update_electric|fdtd_e_step|maxwell_e_update", algorithm="Yee's scheme, electric update", topic="", rare=True)
def yee_electric(e: inout(grid_vector), h: each(grid_vector), eps: each(positive_value, range=(1.0, 3.0)), sigma: maybe(each(positive_value, range=(0.0, 0.8)), 0.5), current_in: maybe(each(grid_vector), 0.3), dt: setting(time_step, 0.02, 0.05), dx: setting(cell_size, 0.4, 1.0), energy_sum: maybe(add(energy, 1), 0.4), mag_out: maybe(out(positive_value), 0.4)):
    names(cx="cx|curl_x", cy="cy|curl_y", cz="cz|curl_z", rot="rot|curl_h", ca="ca|keep", cb="cb|gain_e", er="er|permittivity", old="old|e_old", new="new|e_new")
    names(e="e|electric", h="h|magnetic", eps="eps|eps_r", sigma="sigma|conductivity", current_in="current_in|j_src", energy_sum="energy_sum|total_energy", mag_out="mag_out|magnitude")
    i, j, k = wp.tid()
    if i == 0 or j == 0 or k == 0:
        if present(mag_out):
            mag_out[i, j, k] = wp.length(e[i, j, k])
        return
    match choose("curl"):
        case 2:
            cx = (h[i, j, k][2] - h[i, j - 1, k][2]) - (h[i, j, k][1] - h[i, j, k - 1][1])
            cy = (h[i, j, k][0] - h[i, j, k - 1][0]) - (h[i, j, k][2] - h[i - 1, j, k][2])
            cz = (h[i, j, k][1] - h[i - 1, j, k][1]) - (h[i, j, k][0] - h[i, j - 1, k][0])
            rot = wp.vec3(cx, cy, cz) / dx
        case 1:
            note("differences backwards along the three axes")
            cx = h[i, j, k] - h[i - 1, j, k]
            cy = h[i, j, k] - h[i, j - 1, k]
            cz = h[i, j, k] - h[i, j, k - 1]
            rot = wp.vec3(cy[2] - cz[1], cz[0] - cx[2], cx[1] - cy[0]) / dx
    er = eps[i, j, k]
    old = e[i, j, k]
    if present(sigma):
        note("conductors eat the field|semi-implicit loss")
        ca = 0.5 * sigma[i, j, k] * dt / er
        cb = dt / er / (1.0 + ca)
        new = old * ((1.0 - ca) / (1.0 + ca)) + rot * cb
        if present(current_in):
            new -= current_in[i, j, k] * cb
    else:
        cb = dt / er
        new = old + rot * cb
        if present(current_in):
            new -= current_in[i, j, k] * cb
    e[i, j, k] = new
    if present(energy_sum):
        wp.atomic_add(energy_sum, 0, 0.5 * er * wp.dot(new, new) * dx * dx * dx)
    if present(mag_out):
        mag_out[i, j, k] = wp.length(new)


@scene("stencil", "physics", "multi_conditional", "control_flow", cell,
       says="conducts heat in a block of mixed materials by one explicit step, with the harmonic mean of the conductivities at each face; the faces of the block are {edge=0:insulated}{edge=1:held at a temperature}{edge=2:cooled by the air}{heater:, some cells are heated}",
       title="conduct_block|heat3d_step|mixed_conduction|heat_block_step", algorithm="explicit heat conduction with harmonic face conductivities", topic="")
def conduct_block(t: each(temperature), kappa: each(conductivity), cap: each(heat_capacity), heater: maybe(each(power, range=(0.0, 5.0)), 0.5), ambient: setting(temperature, 280.0, 300.0), film: setting(film_coefficient, 0.5, 4.0), dt: setting(time_step, 0.005, 0.02), dx: setting(cell_size, 0.5, 1.0), t_new: out(temperature), flux_out: maybe(out(heat_flux), 0.4), hot: maybe(add(count_value, 1), 0.3)):
    names(total="total|heat_in", kf="kf|k_face", a="a|ni", b="b|nj", c="c|nk", here="here|t_here", rise="rise|dt_cell")
    names(t="t|temperature", kappa="kappa|k_cell", cap="cap|heat_cap", heater="heater|heat_source", ambient="ambient|t_air", film="film|h_film", t_new="t_new|temperature_out", flux_out="flux_out|net_flux", hot="hot|num_hot")
    i, j, k = wp.tid()
    here = t[i, j, k]
    total = float(0.0)
    for face in range(6):
        note("step to the neighbour behind this face|two faces along each axis")
        a = i
        b = j
        c = k
        if face == 0:
            a = i - 1
        elif face == 1:
            a = i + 1
        elif face == 2:
            b = j - 1
        elif face == 3:
            b = j + 1
        elif face == 4:
            c = k - 1
        else:
            c = k + 1
        if a < 0 or b < 0 or c < 0 or a >= count(cell, 0) or b >= count(cell, 1) or c >= count(cell, 2):
            match choose("edge"):
                case 1:
                    note("insulated: nothing passes")
                    continue
                case 1:
                    note("half a cell to the face that is held")
                    total += 2.0 * kappa[i, j, k] * (ambient - here) / dx
                    continue
                case 1:
                    total += film * (ambient - here)
                    continue
        match choose("mean"):
            case 2:
                kf = 2.0 * kappa[i, j, k] * kappa[a, b, c] / (kappa[i, j, k] + kappa[a, b, c])
            case 1:
                kf = 1.0 / (0.5 / kappa[i, j, k] + 0.5 / kappa[a, b, c])
        total += kf * (t[a, b, c] - here) / dx
    rise = total * dt / (cap[i, j, k] * dx)
    if present(heater):
        rise += heater[i, j, k] * dt / cap[i, j, k]
    t_new[i, j, k] = here + rise
    if present(flux_out):
        flux_out[i, j, k] = total
    if present(hot):
        if here + rise > constant("HOT|T_LIMIT", 360.0):
            wp.atomic_add(hot, 0, 1)


@scene("stencil", "math", "geometry", "function", cell,
       says="derives the slope{aspect_out: and the aspect} of a terrain by {kernel=0:Horn's}{kernel=1:Zevenbergen and Thorne's} method{shade_out:, and shades it by a light}{curve_out:, with its curvature}; the border is {border=0:left out}{border=1:taken from the nearest cells}",
       title="terrain_slope|terrain_derivatives{aspect_out:|slope_aspect}{shade_out:|hillshade}", algorithm="terrain derivatives by finite differences", topic="")
def terrain_slope(z: each(terrain_height), dx: setting(cell_size, 0.5, 1.0), scale: maybe(setting(positive_value, 0.5, 2.0), 0.4), sun_height: setting(angle, 0.4, 1.2), sun_azimuth: setting(angle, 0.0, 3.0), slope_out: out(angle), aspect_out: maybe(out(angle), 0.7), shade_out: maybe(out(intensity), 0.6), curve_out: maybe(out(curvature), 0.4), steep: maybe(add(count_value, 1), 0.3)):
    names(n="n|i_up", s="s|i_down", w="w|j_left", e="e|j_right", west="z_w|west", east="z_e|east", north="z_n|north", south="z_s|south", nw="z_nw|nw", ne="z_ne|ne", sw="z_sw|sw", se="z_se|se", zx="zx|dz_dx", zy="zy|dz_dy", slope="slope|slope_angle", aspect="aspect|downhill", shade="shade|hillshade")
    names(z="z|dem", scale="scale|z_factor", sun_height="sun_height|altitude", sun_azimuth="sun_azimuth|azimuth", slope_out="slope_out|slopes", aspect_out="aspect_out|aspects", shade_out="shade_out|hillshade_out", curve_out="curve_out|curvatures", steep="steep|num_steep")
    i, j = wp.tid()
    match choose("border"):
        case 1:
            if i == 0 or j == 0 or i == count(cell, 0) - 1 or j == count(cell, 1) - 1:
                slope_out[i, j] = 0.0
                if present(aspect_out):
                    aspect_out[i, j] = -1.0
                if present(shade_out):
                    shade_out[i, j] = 0.0
                if present(curve_out):
                    curve_out[i, j] = 0.0
                return
            n = i - 1
            s = i + 1
            w = j - 1
            e = j + 1
        case 1:
            n = wp.max(i - 1, 0)
            s = wp.min(i + 1, count(cell, 0) - 1)
            w = wp.max(j - 1, 0)
            e = wp.min(j + 1, count(cell, 1) - 1)
    west = z[i, w]
    east = z[i, e]
    north = z[n, j]
    south = z[s, j]
    match choose("kernel"):
        case 2:
            note("weights 1, 2, 1 across the direction of the slope")
            nw = z[n, w]
            ne = z[n, e]
            sw = z[s, w]
            se = z[s, e]
            zx = (ne + 2.0 * east + se - nw - 2.0 * west - sw) / (8.0 * dx)
            zy = (nw + 2.0 * north + ne - sw - 2.0 * south - se) / (8.0 * dx)
        case 1:
            zx = (east - west) / (2.0 * dx)
            zy = (north - south) / (2.0 * dx)
    if present(scale):
        zx = zx * scale
        zy = zy * scale
    slope = wp.atan(wp.sqrt(zx * zx + zy * zy))
    slope_out[i, j] = slope
    if present(aspect_out):
        note("the direction downhill, clockwise from north; flat cells have none")
        if zx * zx + zy * zy < 1.0e-8:
            aspect_out[i, j] = -1.0
        else:
            aspect = wp.atan2(-zx, -zy)
            if aspect < 0.0:
                aspect += 2.0 * wp.pi
            aspect_out[i, j] = aspect
    if present(shade_out):
        match choose("light"):
            case 1:
                shade = wp.cos(slope) * wp.sin(sun_height)
                shade -= wp.cos(slope) * wp.cos(sun_height) * (zx * wp.sin(sun_azimuth) + zy * wp.cos(sun_azimuth))
                shade_out[i, j] = wp.max(shade, 0.0)
            case 1:
                shade = wp.sin(sun_height) - wp.cos(sun_height) * (zx * wp.sin(sun_azimuth) + zy * wp.cos(sun_azimuth))
                shade_out[i, j] = wp.max(0.0, shade / wp.sqrt(1.0 + zx * zx + zy * zy))
    if present(curve_out):
        curve_out[i, j] = (east + west + north + south - 4.0 * z[i, j]) / (dx * dx)
    if present(steep):
        if slope > constant("STEEP|MAX_SLOPE", 0.8):
            wp.atomic_add(steep, 0, 1)


@scene("stencil", "control_flow", "multi_conditional", "integer", cell,
       says="finds for each cell of a terrain the neighbour to which water runs, by the steepest descent among eight{rain:, passes its rain on}{pits:, and counts the pits}",
       title="flow_directions|d8_flow|drain_terrain|steepest_descent_cells", algorithm="D8 flow directions", topic="")
def drain_terrain(z: each(terrain_height), valid: maybe(each(flag), 0.4), rain: maybe(each(positive_value), 0.5), dx: setting(cell_size, 0.5, 1.0), code_out: out(key), drop_out: maybe(out(positive_value), 0.5), inflow: maybe(add(positive_value, cell, cell), 1.0), pits: maybe(add(count_value, 1), 0.5)):
    names(best="best|steepest", code="code|d8", a="a|ni", b="b|nj", drop="drop|gradient", bi="bi|to_i", bj="bj|to_j", dist="dist|spacing")
    names(z="z|elevation", valid="valid|has_data", rain="rain|runoff_in", code_out="code_out|flow_dir", drop_out="drop_out|slope_out", inflow="inflow|received", pits="pits|num_pits")
    i, j = wp.tid()
    if present(valid):
        if valid[i, j] == 0:
            code_out[i, j] = -1
            if present(drop_out):
                drop_out[i, j] = 0.0
            return
    best = float(0.0)
    code = int(0)
    bi = int(i)
    bj = int(j)
    for d in range(8):
        note("east first, then clockwise; the codes are powers of two")
        a = int(i)
        b = int(j)
        if d == 0 or d == 1 or d == 7:
            b = j + 1
        elif d == 3 or d == 4 or d == 5:
            b = j - 1
        if d == 1 or d == 2 or d == 3:
            a = i + 1
        elif d == 5 or d == 6 or d == 7:
            a = i - 1
        if a < 0 or b < 0 or a >= count(cell, 0) or b >= count(cell, 1):
            continue
        if present(valid):
            if valid[a, b] == 0:
                continue
        dist = dx
        if d % 2 == 1:
            dist = dx * constant("SQRT2|DIAGONAL", 1.41421356)
        drop = (z[i, j] - z[a, b]) / dist
        if drop > best:
            best = drop
            code = 1 << d
            bi = a
            bj = b
    code_out[i, j] = code
    if present(drop_out):
        drop_out[i, j] = best
    if present(rain) and present(inflow):
        wp.atomic_add(inflow, bi, bj, rain[i, j])
    if present(pits):
        if code == 0:
            wp.atomic_add(pits, 0, 1)


@scene("stencil", "integer", "control_flow", "nested_loop", pixel,
       says="describes the neighbourhood of each pixel by a census word, one bit for each neighbour that is darker{match_out:, and finds the shift along the row whose word in the other picture agrees best}",
       title="census_transform|census_match|census_words|stereo_census", algorithm="census transform", topic="")
def census_words(img: each(intensity), other: maybe(each(intensity), 0.6), margin: maybe(setting(ratio, 0.02, 0.1), 0.4), reach: setting(steps_value, 2, 5), word_out: out(bits), match_out: maybe(out(index_value), 1.0), cost_out: maybe(out(count_value), 0.5)):
    names(w="w|word", w2="w2|other_word", bit="bit|place", a="a|ni", b="b|nj", best="best|best_cost", at="at|best_shift", cost="cost|hamming", c="c|col", limit="limit|center")
    names(img="img|left", other="other|right", margin="margin|dead_zone", reach="reach|max_shift", word_out="word_out|census_out", match_out="match_out|disparity", cost_out="cost_out|match_cost")
    i, j = wp.tid()
    if present(margin):
        limit = img[i, j] - margin
    else:
        limit = img[i, j]
    w = wp.uint32(0)
    bit = int(0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            a = wp.clamp(i + di, 0, count(pixel, 0) - 1)
            b = wp.clamp(j + dj, 0, count(pixel, 1) - 1)
            if img[a, b] < limit:
                w = w | (wp.uint32(1) << wp.uint32(bit))
            bit += 1
    word_out[i, j] = w
    if present(other) and present(match_out):
        best = int(99)
        at = int(0)
        for s in range(reach):
            c = j - s
            if c < 0:
                break
            if present(margin):
                limit = other[i, c] - margin
            else:
                limit = other[i, c]
            w2 = wp.uint32(0)
            bit = int(0)
            for k in range(9):
                if k == 4:
                    continue
                a = wp.clamp(i + k // 3 - 1, 0, count(pixel, 0) - 1)
                b = wp.clamp(c + k % 3 - 1, 0, count(pixel, 1) - 1)
                if other[a, b] < limit:
                    w2 = w2 | (wp.uint32(1) << wp.uint32(bit))
                bit += 1
            cost = ones_in_word(w ^ w2)
            if cost < best:
                best = cost
                at = s
        match_out[i, j] = at
        if present(cost_out):
            cost_out[i, j] = best


@scene("stencil", "nested_loop", "control_flow", "ml", pixel,
       says="removes noise from a picture by non-local means: each pixel becomes an average of those around whose neighbourhoods look alike{keep:, except where it is masked}",
       title="nonlocal_means|nlm_denoise|denoise_patches|patch_average", algorithm="non-local means", topic="", lossy=True)
def nonlocal_means(img: each(intensity), keep: maybe(each(flag), 0.3), h: setting(ratio, 0.1, 0.4), reach: setting(steps_value, 2, 3), noise: maybe(setting(ratio, 0.02, 0.1), 0.4), img_out: out(intensity), weight_out: maybe(out(positive_value), 0.4)):
    names(total="total|acc", norm="norm|weight_sum", d2="d2|patch_dist", diff="diff|delta", w="w|weight", a="a|qi", b="b|qj", pa="pa|ya", pb="pb|xa", qa="qa|yb", qb="qb|xb", most="most|w_max")
    names(img="img|noisy", keep="keep|protected", h="h|filter_strength", reach="reach|search_radius", noise="noise|sigma", img_out="img_out|denoised", weight_out="weight_out|weights_out")
    i, j = wp.tid()
    if present(keep):
        if keep[i, j] == 1:
            img_out[i, j] = img[i, j]
            if present(weight_out):
                weight_out[i, j] = 0.0
            return
    total = float(0.0)
    norm = float(0.0)
    most = float(0.0)
    for a in range(wp.max(i - reach, 0), wp.min(i + reach + 1, count(pixel, 0))):
        for b in range(wp.max(j - reach, 0), wp.min(j + reach + 1, count(pixel, 1))):
            if a == i and b == j:
                continue
            note("compare the three by three pixels around both|distance of patches")
            d2 = float(0.0)
            for u in range(-1, 2):
                for v in range(-1, 2):
                    pa = wp.clamp(i + u, 0, count(pixel, 0) - 1)
                    pb = wp.clamp(j + v, 0, count(pixel, 1) - 1)
                    qa = wp.clamp(a + u, 0, count(pixel, 0) - 1)
                    qb = wp.clamp(b + v, 0, count(pixel, 1) - 1)
                    diff = img[pa, pb] - img[qa, qb]
                    d2 += diff * diff
            if present(noise):
                d2 = wp.max(d2 / 9.0 - 2.0 * noise * noise, 0.0)
            else:
                d2 = d2 / 9.0
            w = wp.exp(-d2 / (h * h))
            most = wp.max(most, w)
            total += w * img[a, b]
            norm += w
    note("the pixel itself counts as much as the best of the others")
    total += most * img[i, j]
    norm += most
    img_out[i, j] = total / norm
    if present(weight_out):
        weight_out[i, j] = norm


@scene("stencil", "control_flow", "integer", cell,
       says="lets sand fall in blocks of two by two cells whose grid shifts from step to step: grains fall, and slide down beside others; walls stay{chance:, not always}",
       title="falling_sand|sand_blocks|margolus_sand|drop_grains", algorithm="falling sand in Margolus blocks", topic="")
def falling_sand(grid: each(kind_value, range=(0, 1)), wall: each(flag), chance: maybe(setting(probability, 0.5, 0.9), 0.4), phase_: setting(flag), seed: setting(seed), grid_out: out(kind_value), moved: maybe(add(count_value, 1), 0.5)):
    names(y="y|row0", x="x|col0", tl="tl|a", tr="tr|b", bl="bl|c", br="br|d", h="h|rows", w="w|cols", sl="sl|open_left", sr="sr|open_right", rng="rng|state", own="own|mine")
    names(grid="grid|cells", wall="wall|solid", chance="chance|p_slide", phase_="phase|offset", grid_out="grid_out|cells_out", moved="moved|num_moved")
    i, j = wp.tid()
    h = count(cell, 0)
    w = count(cell, 1)
    y = i - (i + phase_) % 2
    x = j - (j + phase_) % 2
    if y < 0 or x < 0 or y + 1 >= h or x + 1 >= w:
        note("half a block at the border|incomplete block")
        grid_out[i, j] = grid[i, j]
        return
    tl = grid[y, x]
    tr = grid[y, x + 1]
    bl = grid[y + 1, x]
    br = grid[y + 1, x + 1]
    sl = int(1)
    sr = int(1)
    note("nothing moves into a wall, nor out of it")
    if wall[y, x] == 1 or wall[y + 1, x] == 1:
        sl = 0
    if wall[y, x + 1] == 1 or wall[y + 1, x + 1] == 1:
        sr = 0
    if tl == 1 and bl == 0 and sl == 1:
        tl = 0
        bl = 1
    if tr == 1 and br == 0 and sr == 1:
        tr = 0
        br = 1
    if sl == 1 and sr == 1:
        if present(chance):
            note("the four threads of a block draw the same number")
            rng = wp.rand_init(seed, y * w + x)
            if wp.randf(rng) < chance:
                if tl == 1 and br == 0:
                    tl = 0
                    br = 1
                elif tr == 1 and bl == 0:
                    tr = 0
                    bl = 1
        else:
            if tl == 1 and br == 0:
                tl = 0
                br = 1
            elif tr == 1 and bl == 0:
                tr = 0
                bl = 1
    own = tl
    if i == y and j == x + 1:
        own = tr
    elif i == y + 1 and j == x:
        own = bl
    elif i == y + 1 and j == x + 1:
        own = br
    grid_out[i, j] = own
    if present(moved):
        if own == 1 and grid[i, j] == 0:
            wp.atomic_add(moved, 0, 1)
