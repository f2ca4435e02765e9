"""Arrays of four axes: batches of images, heads of attention, lattices with directions, grids with channels."""


@scene("ml", "stencil", "integer", (row, pixel, pixel),
       says="turns batches of colour bytes into numbers with mean zero and spread one for each channel, and puts the channels first{mirror:, mirroring some of the images}",
       title="normalize_images|images_to_tensor|image_batch_to_nchw", algorithm="channel-wise normalisation of images", rare=True)
def normalize_images(img: each(batch_byte, row, pixel, pixel, 3), mirror: maybe(each(flag, row), 0.5), mean: each(mean, 3, range=(0.3, 0.6)), std: each(standard_deviation, 3, range=(0.15, 0.4)), tensor: out(tensor_value, row, 3, pixel, pixel)):
    names(img="images|img", mirror="flip|hflip", mean="mean|channel_mean", std="std|channel_std", tensor="tensor|out", x="src_x|x_in", v="v|value")
    names(n="n|batch", i="y|row", j="x|col")
    n, i, j = wp.tid()
    if present(mirror):
        x = int(j)
        if mirror[n] == 1:
            note("read the row from its other end|flip left and right")
            x = count(pixel, 1) - 1 - j
        for c in range(3):
            v = float(img[n, i, x, c]) / 255.0
            tensor[n, c, i, j] = (v - mean[c]) / std[c]
    else:
        for c in range(3):
            v = float(img[n, i, j, c]) / 255.0
            tensor[n, c, i, j] = (v - mean[c]) / std[c]


@scene("integer", "stencil", "control_flow", (row, pixel, pixel),
       says="draws a coloured rectangle of each detection into its image of bytes, blending with what is below",
       title="draw_boxes|overlay_boxes|paint_detections|annotate_frames", algorithm="alpha blending of rectangles")
def draw_boxes(img: inout(batch_byte, row, pixel, pixel, 3), corner: each(coordinate, row), size: each(key, row, range=(3, 12)), tint: each(byte_value, row, 3), alpha: setting(opacity, 0.2, 0.9), edge_only: maybe(setting(count_value, 1, 2), 0.6), changed: maybe(add(count_value, row), 0.5)):
    names(img="img|frames|canvas|images", corner="corner|box_xy|top_left|anchors_xy", size="size|box_size|side|extent", tint="tint|box_color|colours|paint", alpha="alpha|opacity|mix|cover", y0="y0|top|row0|box_y", x0="x0|left|col0|box_x", s="s|side_n|len_b|width_b", inside="inside|in_box|within|hit", rim="rim|near_edge|on_border|frame_hit", edge_only="edge_only|border|outline|line_width", old="old|below|base_v|under")
    n, i, j = wp.tid()
    y0 = corner[n][0]
    x0 = corner[n][1]
    s = size[n]
    inside = i >= y0 and i < y0 + s and j >= x0 and j < x0 + s
    if not inside:
        return
    if present(edge_only):
        rim = i < y0 + edge_only or i >= y0 + s - edge_only or j < x0 + edge_only or j >= x0 + s - edge_only
        if not rim:
            note("only the frame is drawn|leave the inside alone")
            fact("only the outline is drawn")
            return
    for c in range(3):
        old = float(img[n, i, j, c])
        img[n, i, j, c] = wp.uint8(int(old * (1.0 - alpha) + float(tint[n, c]) * alpha + 0.5))
    if present(changed):
        wp.atomic_add(changed, n, 1)


@scene("ml", "nested_loop", "stencil", (row, pixel, pixel),
       says="convolves each channel of a batch with its own three by three filter, with padding of zeros{act=1:, and keeps the positive part}{act=2: and a smooth gate}",
       title="depthwise_conv|conv_per_channel|channel_filters|depthwise_3x3", algorithm="depthwise convolution")
def depthwise_conv(x: each(tensor_value, row, pixel, pixel, 4), w: each(net_weight, 3, 3, 4), b: maybe(each(parameter, 4), 0.6), skip: maybe(setting(gain, 0.2, 1.0), 0.4), y: out(channel_value, row, pixel, pixel, 4), live: maybe(add(count_value, 4), 0.4)):
    names(x="x|inputs|acts_in|feature_in", w="w|filters|dw_kernel|taps3", b="b|bias|offsets_c|bias_c", y="y|outputs|acts_out|feature_out", acc="acc|total|z|conv_v", yy="yy|row_k|py|src_y", xx="xx|col_k|px|src_x", skip="skip|residual|shortcut|skip_scale", live="live|active_n|alive|num_on")
    n, i, j = wp.tid()
    for c in range(4):
        if present(b):
            acc = float(b[c])
        else:
            acc = float(0.0)
        for di in range(3):
            for dj in range(3):
                yy = i + di - 1
                xx = j + dj - 1
                if yy >= 0 and xx >= 0 and yy < count(pixel, 0) and xx < count(pixel, 1):
                    acc += x[n, yy, xx, c] * w[di, dj, c]
        match choose("act"):
            case 2:
                if present(skip):
                    acc += skip * x[n, i, j, c]
            case 2:
                acc = wp.max(acc, 0.0)
                if present(skip):
                    acc += skip * x[n, i, j, c]
            case 1:
                note("x times its sigmoid|swish")
                acc = acc / (1.0 + wp.exp(-acc))
                if present(skip):
                    acc += skip * x[n, i, j, c]
        y[n, i, j, c] = acc
        if present(live):
            if acc > 0.0:
                wp.atomic_add(live, c, 1)


@scene("ml", "nested_loop", "reduction", (row, head, token),
       says="lets each token of a sequence attend to {causal=0:all tokens}{causal=1:itself and those before it} in every head",
       title="multi_head_attention|attention_forward|scaled_dot_product_attention", algorithm="multi-head scaled dot-product attention", rare=True,
       lossy=True)
def attention_heads(q: each(head_query, row, head, token, 4), k: each(head_key, row, head, token, 4), v: each(head_value, row, head, token, 4), slope: maybe(each(gain, head), 0.4), pad: maybe(each(flag, row, token), 0.4), y: out(hidden_value, row, head, token, 4), top: maybe(out(probability, row, head, token), 0.4)):
    names(q="q|query", k="k|key", v="v|value", s="s|score", high="max_score|m", total="total|denom", e="e|weight", acc="acc|out_vec", slope="slopes|alibi_slopes", pad="is_pad|padding_mask", last="last|end", old="scale|correction", qv="qt|q_vec", kv="kj|k_vec", vv="vj|v_vec", y="out|y", top="max_weight|top_weight", c="c|d")
    b, h, t = wp.tid()
    match choose("causal"):
        case 1:
            last = count(token)
        case 1:
            last = t + 1
    high = float(-1.0e9)
    total = float(0.0)
    acc = wp.vec4()
    qv = wp.vec4()
    for c in range(4):
        qv[c] = q[b, h, t, c]
    for j in range(last):
        if present(pad):
            note("padding is not looked at, except by itself|skip padding")
            if pad[b, j] == 1 and j != t:
                continue
        kv = wp.vec4()
        vv = wp.vec4()
        for c in range(4):
            kv[c] = k[b, h, j, c]
            vv[c] = v[b, h, j, c]
        note("by the root of the head's width|scaled dot product")
        s = 0.5 * wp.dot(qv, kv)
        if present(slope):
            note("far tokens count less, in every head by another slope|linear bias")
            s -= slope[h] * float(wp.abs(t - j))
        note("rescale what was summed so far when a larger score comes|running softmax")
        if s > high:
            old = wp.exp(high - s)
            total *= old
            acc *= old
            high = s
        e = wp.exp(s - high)
        total += e
        acc += vv * e
    for c in range(4):
        y[b, h, t, c] = acc[c] / total
    if present(top):
        top[b, h, t] = 1.0 / total


@law("fluids", "the index after this one on a ring", title="next_index", private=True, function=True)
def ring_next(i: index_value, n: count_value) -> index_value:
    names(i="i|i", n="n|size")
    return (i + 1) % n


@law("fluids", "the index before this one on a ring", title="prev_index", private=True, function=True)
def ring_prev(i: index_value, n: count_value) -> index_value:
    names(i="i|i", n="n|size")
    return (i + n - 1) % n


@scene("physics", "stencil", "function", (cell, cell, cell),
       says="moves a dissolved substance by one step of a lattice Boltzmann method with seven directions: relaxation towards the local value, then streaming",
       title="lattice_transport|d3q7_step|scalar_lattice|diffuse_lattice", algorithm="D3Q7 lattice Boltzmann for a scalar")
def lattice_transport(f: each(lattice_value, cell, cell, cell, 7), omega: setting(relaxation, 0.6, 1.6), drift: maybe(setting(velocity, -0.1, 0.1), 0.5), solid: maybe(each(flag, cell, cell, cell), 0.4), g: out(lattice_value, cell, cell, cell, 7), c_out: maybe(out(concentration, cell, cell, cell), 0.6)):
    names(f="f|pop_in|f_old|dist_in", g="g|pop_out|f_new|dist_out", c="c|conc|rho_c|amount", omega="omega|relax|inv_tau|collision_rate", feq="feq|eq|balance|f_eq", w="w|wq|weight_q|t_q", along="along|cu|e_dot_u|flow_q", xi="xi|ni|src_i|tx", yj="yj|nj|src_j|ty", zk="zk|nk|src_k|tz", drift="drift|wind_v|advect|carrier", solid="solid|wall_cells|obstacle|blocked", back="back|opp|mirror_q|reverse")
    i, j, k = wp.tid()
    if present(solid):
        if solid[i, j, k] == 1:
            note("there is nothing inside a wall|walls hold no substance")
            return
    c = float(0.0)
    for q in range(constant("NUM_DIRS|NUM_DIRECTIONS", 7)):
        c += f[i, j, k, q]
    if present(c_out):
        c_out[i, j, k] = c
    for q in range(constant("NUM_DIRS|NUM_DIRECTIONS", 7)):
        note("a quarter rests, the others share the rest|weights of the lattice")
        w = float(0.125)
        if q == 0:
            w = float(0.25)
        if present(drift):
            note("directions 1 and 2 are along x, 3 and 4 along y, 5 and 6 along z")
            along = float(0.0)
            if q > 0:
                along = drift[(q - 1) // 2]
                if q % 2 == 0:
                    along = -along
            feq = w * c * (1.0 + 4.0 * along)
        else:
            feq = w * c
        xi = int(i)
        yj = int(j)
        zk = int(k)
        if q == 1:
            xi = ring_next(i, count(cell, 0))
        elif q == 2:
            xi = ring_prev(i, count(cell, 0))
        elif q == 3:
            yj = ring_next(j, count(cell, 1))
        elif q == 4:
            yj = ring_prev(j, count(cell, 1))
        elif q == 5:
            zk = ring_next(k, count(cell, 2))
        elif q == 6:
            zk = ring_prev(k, count(cell, 2))
        if present(solid):
            back = int(q)
            if q % 2 == 1:
                back = q + 1
            elif q > 0:
                back = q - 1
            if solid[xi, yj, zk] == 1:
                note("nothing enters a wall: the population comes back|bounce back")
                fact("walls throw the substance back")
                g[i, j, k, back] = f[i, j, k, q] + omega * (feq - f[i, j, k, q])
            else:
                g[xi, yj, zk, q] = f[i, j, k, q] + omega * (feq - f[i, j, k, q])
        else:
            g[xi, yj, zk, q] = f[i, j, k, q] + omega * (feq - f[i, j, k, q])


@scene("atomic", "geometry", "nested_loop", (row, sample),
       says="spreads the points of each cloud of a batch over the eight nearest nodes of its own grid",
       title="voxelize_batch|splat_clouds|scatter_trilinear|points_to_grids", algorithm="trilinear scattering")
def voxelize_batch(p: each(unit_point), m: maybe(each(mass), 0.6), valid: maybe(each(flag), 0.4), grid4: add(voxel_mass, row, 8, 8, 8), hits: maybe(add(count_value, row), 0.5)):
    names(p="p|points01|cloud|pts", m="m|point_mass|weights_p|amount", grid4="grid4|voxels|mass_grid|batched", s="s|pos_g|g|scaled", i0="i0|bx|x0|cell_x", j0="j0|by|y0|cell_y", k0="k0|bz|z0|cell_z", fx="fx|tx|wx|rx", fy="fy|ty|wy|ry", fz="fz|tz|wz|rz", w="w|share|wt|part", valid="valid|is_real|used|alive", hits="hits|num_points|counts_b|points_in")
    b, i = wp.tid()
    if present(valid):
        if valid[b, i] == 0:
            return
    s = p[b, i] * 7.0
    i0 = int(wp.floor(s[0]))
    j0 = int(wp.floor(s[1]))
    k0 = int(wp.floor(s[2]))
    fx = s[0] - float(i0)
    fy = s[1] - float(j0)
    fz = s[2] - float(k0)
    for a in range(2):
        for c in range(2):
            for d in range(2):
                match choose("weight"):
                    case 1:
                        w = (1.0 - wp.abs(float(a) - fx)) * (1.0 - wp.abs(float(c) - fy)) * (1.0 - wp.abs(float(d) - fz))
                    case 1:
                        w = wp.lerp(1.0 - fx, fx, float(a)) * wp.lerp(1.0 - fy, fy, float(c)) * wp.lerp(1.0 - fz, fz, float(d))
                if present(m):
                    wp.atomic_add(grid4, b, i0 + a, j0 + c, k0 + d, w * m[b, i])
                else:
                    wp.atomic_add(grid4, b, i0 + a, j0 + c, k0 + d, w)
    if present(hits):
        wp.atomic_add(hits, b, 1)


@scene("ml", "function", "nested_loop", sample,
       says="reads the features of a grid with four channels at points of the unit cube, {read=0:blending the eight nodes around them}{read=1:from the nearest node}, and decodes them with one small layer",
       title="grid_features|sample_feature_grid|latent_lookup|feature_volume", algorithm="interpolation of a feature grid")
def grid_features(p: each(unit_point), lat: each(codebook_value, 6, 6, 6, 4), w: each(net_weight, 4), b: maybe(setting(parameter), 0.5), feat: maybe(out(key_vector), 0.6), y: out(hidden_value)):
    names(p="p|queries_p|coords01|pts", lat="lat|volume4|feature_grid|codes", w="w|decoder|out_weights|w_dec", s="s|pos_g|xyz|g", i0="i0|ix|cell_i|bx", j0="j0|iy|cell_j|by", k0="k0|iz|cell_k|bz", f="f|blend|feat_v|acc", wt="wt|weight_c|share|w8", z="z|pre|dense_v|act_in", b="b|bias|offset_b|b_dec")
    i = wp.tid()
    s = p[i] * 5.0
    f = wp.vec4()
    match choose("read"):
        case 2:
            i0 = wp.min(int(s[0]), 4)
            j0 = wp.min(int(s[1]), 4)
            k0 = wp.min(int(s[2]), 4)
            for a in range(2):
                for c in range(2):
                    for d in range(2):
                        wt = (1.0 - wp.abs(s[0] - float(i0 + a))) * (1.0 - wp.abs(s[1] - float(j0 + c))) * (1.0 - wp.abs(s[2] - float(k0 + d)))
                        f += wp.vec4(lat[i0 + a, j0 + c, k0 + d, 0], lat[i0 + a, j0 + c, k0 + d, 1], lat[i0 + a, j0 + c, k0 + d, 2], lat[i0 + a, j0 + c, k0 + d, 3]) * wt
        case 1:
            i0 = int(s[0] + 0.5)
            j0 = int(s[1] + 0.5)
            k0 = int(s[2] + 0.5)
            for c in range(4):
                f[c] = lat[i0, j0, k0, c]
    if present(feat):
        feat[i] = f
    z = wp.dot(f, wp.vec4(w[0], w[1], w[2], w[3]))
    if present(b):
        z = z + b
    match choose("out"):
        case 1:
            y[i] = wp.tanh(z)
        case 1:
            y[i] = 1.0 / (1.0 + wp.exp(-z))
        case 1:
            y[i] = wp.max(z, 0.1 * z)


@scene("random", "control_flow", "reduction", row,
       says="draws labels for each row from its own weights by inverting their cumulative sum{tally:, and counts them}",
       title="draw_labels|sample_classes|categorical_draws|sample_weights", algorithm="sampling by the inverse distribution function")
def draw_labels(w: each(class_weight, row, 6), seed: setting(seed), draws: setting(steps_value, 2, 5), sharp: maybe(setting(positive_value, 0.5, 2.5), 0.5), first: out(label), tally: maybe(add(count_value, 6), 0.6), repeats: maybe(out(count_value), 0.5)):
    names(w="w|class_w|weights_in|class_weights", cdf="cdf|cumul|cumulative|cdf_w", total="total|mass_w|norm|acc", state="state|rng|gen|st", pick="pick|label_k|drawn|cls", draws="draws|num_draws|n_draws|num_samples", sharp="sharp|power_p|inv_temp|sharpness_p", same="same|again|n_same|equal_n", lead="lead|first_pick|first_label|label0")
    r = wp.tid()
    cdf = wp.zeros(shape=6, dtype=float)
    total = float(0.0)
    for k in range(6):
        if present(sharp):
            note("a power larger than one favours large weights|tempered weights")
            total += wp.pow(w[r, k], sharp)
        else:
            total += w[r, k]
        cdf[k] = total
    for k in range(6):
        cdf[k] = cdf[k] / total
    state = wp.rand_init(seed, r)
    lead = wp.sample_cdf(state, cdf)
    first[r] = lead
    if present(tally):
        wp.atomic_add(tally, lead, 1)
    same = int(0)
    for k in range(1, draws):
        pick = wp.sample_cdf(state, cdf)
        if pick == lead:
            same += 1
        if present(tally):
            wp.atomic_add(tally, pick, 1)
    if present(repeats):
        repeats[r] = same


@scene("random", "math", "vector", sample,
       says="draws points from a mixture: first a component by its weight, then a point around its centre",
       title="mixture_points|sample_mixture|draw_blobs|gaussian_mixture_draws", algorithm="ancestral sampling of a mixture", rare=True,
       lossy=True)
def mixture_points(mu: each(component_mean, 5), share: each(class_weight, 5), spread: setting(standard_deviation, 0.1, 0.5), seed: setting(seed), xy: out(point2), which: maybe(out(label), 0.6), used: maybe(add(count_value, 5), 0.5), gap: maybe(out(squared_distance), 0.4)):
    names(mu="mu|centers_k|means_k|modes", share="share|weights_k|priors|mix_w", cdf="cdf|cumul|steps_k|running", acc="acc|sum_w|total|mass", g="g|rng|state|gen", k0="k0|comp|cls|pick", spread="spread|sigma|blob_size|noise", off="off|shift|jit|delta", xy="xy|draws_xy|points_out|samples_xy")
    i = wp.tid()
    cdf = wp.zeros(shape=5, dtype=float)
    acc = float(0.0)
    for k in range(5):
        acc += share[k]
        cdf[k] = acc
    for k in range(5):
        cdf[k] = cdf[k] / acc
    g = wp.rand_init(seed, i)
    k0 = wp.sample_cdf(g, cdf)
    match choose("shape"):
        case 2:
            off = wp.vec2(wp.randn(g), wp.randn(g)) * spread
        case 1:
            fact("the points of a component fill a square")
            off = (wp.vec2(wp.randf(g), wp.randf(g)) - wp.vec2(0.5, 0.5)) * (2.0 * spread)
    xy[i] = mu[k0] + off
    if present(which):
        which[i] = k0
    if present(used):
        wp.atomic_add(used, k0, 1)
    if present(gap):
        gap[i] = wp.length_sq(off)


@scene("integer", "ml", "nested_loop", (row, column),
       says="multiplies inputs and weights of eight bits with sums of thirty-two bits, and scales the result back to eight bits",
       title="int8_layer|quantized_dense|int8_matmul|quantized_linear", algorithm="quantised matrix product")
def int8_layer(x: each(small_input, row, item), w: each(small_weight, item, column), zero: maybe(setting(key, -8, 8), 0.5), shift: setting(count_value, 7, 10), bias: maybe(each(key, column, range=(-500, 500)), 0.6), y: out(small_input, row, column), clipped: maybe(add(count_value, row), 0.5)):
    names(x="x|acts|inputs_q|xq", w="w|weights_q|kernel_q|wq", acc="acc|sum32|total|dot32", zero="zero|zero_point|offset_q|zp", shift="shift|right_shift|scale_shift|frac_bits", bias="bias|bias_q|bias32|offsets32", y="y|outputs_q|yq|out_q", v="v|scaled|q_out|rescaled", clipped="clipped|saturated|num_clip|overflowed")
    i, j = wp.tid()
    if present(bias):
        acc = int(bias[j])
    else:
        acc = int(0)
    for k in range(count(item)):
        if present(zero):
            acc += (int(x[i, k]) - zero) * int(w[k, j])
        else:
            acc += int(x[i, k]) * int(w[k, j])
    note("round half up while shifting|rounding shift")
    v = (acc + (1 << (shift - 1))) >> shift
    match choose("range"):
        case 2:
            if v > 127 or v < -127:
                if present(clipped):
                    wp.atomic_add(clipped, i, 1)
            v = wp.clamp(v, -127, 127)
        case 1:
            fact("negative results become zero")
            if v > 127:
                if present(clipped):
                    wp.atomic_add(clipped, i, 1)
            v = wp.clamp(v, 0, 127)
    y[i, j] = wp.int8(v)


@scene("integer", "stencil", "control_flow", pixel,
       says="corrects the raw counts of a sensor: dark level off, dead pixels from their neighbours, saturation kept",
       title="correct_counts|dark_subtract|fix_raw_frame|sensor_correction", algorithm="dark correction and dead pixels")
def correct_counts(raw: each(count16), dark: setting(count16, 40, 300), dead: maybe(each(flag), 0.6), full: setting(count16, 3000, 3800), gain_num: maybe(each(key, range=(200, 320)), 0.5), clean: out(count16), lost: maybe(add(count_value, 1), 0.5), bright: maybe(add(count_value, 1), 0.5)):
    names(raw="raw|frame_in|counts|adc", dark="dark|black|pedestal|offset_c", dead="dead|bad_px|defects|hot_map", full="full|saturation|full_well|white", gain_num="gain_num|flat_field|gain256|flat256", v="v|val|level|c0", total="total|sum_n|acc|around", n="n|good_n|num_ok|used", clean="clean|frame_out|corrected|fixed")
    i, j = wp.tid()
    v = int(raw[i, j])
    if present(dead):
        if dead[i, j] == 1:
            total = int(0)
            n = int(0)
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if i + di < 0 or j + dj < 0 or i + di >= count(pixel, 0) or j + dj >= count(pixel, 1):
                        continue
                    if dead[i + di, j + dj] == 1:
                        continue
                    total += int(raw[i + di, j + dj])
                    n += 1
            if n == 0:
                note("no good pixel near|cannot be repaired")
                clean[i, j] = wp.uint16(0)
                if present(lost):
                    wp.atomic_add(lost, 0, 1)
                return
            v = total // n
    if v >= int(full):
        note("the true level is unknown: keep it at the top|saturated")
        clean[i, j] = wp.uint16(4095)
        if present(bright):
            wp.atomic_add(bright, 0, 1)
        return
    v = wp.max(v - int(dark), 0)
    if present(gain_num):
        note("the gain is in 256ths|flat field")
        v = wp.min(v * gain_num[i, j] // 256, 4095)
    clean[i, j] = wp.uint16(v)


@scene("control_flow", "function", "multi_conditional", ray,
       says="repairs a scan of distances: beams without an echo become the largest distance, failed ones the mean of their good neighbours",
       title="repair_scan|clean_laser_scan|fill_invalid_ranges", algorithm="treatment of missing and invalid ranges")
def repair_scan(raw: each(raw_echo), status: kind(VALID, NO_ECHO, FAILED), max_range: setting(range_reading, 20.0, 30.0), fallback: setting(range_reading, 0.5, 2.0), jump: maybe(setting(range_reading, 3.0, 8.0), 0.4), clean: out(range_reading), failed_count: maybe(add(count_value, 1), 0.4), edge_out: maybe(out(flag), 1.0)):
    names(raw="raw_mm|echo_mm", status="status|beam_status", max_range="max_range|range_limit", fallback="fallback|default_range", prev="prev|left", next="next|right", total="total|sum", n="n|num_valid", clean="ranges|ranges_out", jump="edge_jump|min_jump", r="r|dist", failed_count="failed_count|num_failed", edge_out="is_edge|edges")
    i = wp.tid()
    prev = wp.max(i - 1, 0)
    next = wp.min(i + 1, count(ray) - 1)
    r = constant("MM_TO_M|METERS_PER_MM", 0.001) * float(raw[i])
    if present(jump) and present(edge_out):
        note("a step between two good beams is an edge|depth edge")
        if status[i] == VALID and status[next] == VALID and wp.abs(constant("MM_TO_M|METERS_PER_MM", 0.001) * float(raw[next]) - r) > jump:
            edge_out[i] = 1
        else:
            edge_out[i] = 0
    if status[i] == VALID:
        clean[i] = wp.min(r, max_range)
    elif status[i] == NO_ECHO:
        note("open space: nothing came back|free up to the limit")
        clean[i] = max_range
    else:
        total = float(0.0)
        n = int(0)
        if status[prev] == VALID:
            total += constant("MM_TO_M|METERS_PER_MM", 0.001) * float(raw[prev])
            n += 1
        if status[next] == VALID:
            total += constant("MM_TO_M|METERS_PER_MM", 0.001) * float(raw[next])
            n += 1
        if n > 0:
            clean[i] = wp.min(total / float(n), max_range)
        else:
            note("no neighbour can help|nothing to go by")
            clean[i] = fallback
        if present(failed_count):
            wp.atomic_add(failed_count, 0, 1)


@scene("fem", "geometry", "control_flow", tet,
       says="reads the four corners of each tetrahedron, computes its volume and turns those that are inside out{nodal:, and spreads their mass to the corners}",
       title="orient_tets|tet_volumes|fix_orientation|check_tets", algorithm="orientation of tetrahedra", rare=True)
def orient_tets(x: each(position, vertex), corners: index(vertex, 4), tiny: setting(volume, 0.02, 0.1), rho: maybe(setting(density), 0.5), vol_out: out(volume), fixed_out: maybe(out(index_value, tet, 4), 0.7), nodal: maybe(add(mass, vertex), 0.5), flipped: maybe(add(count_value, 1), 0.5), flat_n: maybe(add(count_value, 1), 0.4)):
    names(x="x|verts|nodes_x|points", corners="corners|tets|tet_indices|elements", c="c|ids|quad|v4", a="a|e1|u|d1", b="b|e2|v|d2", d="d|e3|w|d3", vol="vol|signed_vol|volume_t|measure", tiny="tiny|min_volume|eps_v|sliver", keep="keep|tmp|swap|hold", flipped="flipped|num_flipped|inverted|turned")
    t = wp.tid()
    c = wp.vec4i(corners[t, 0], corners[t, 1], corners[t, 2], corners[t, 3])
    a = x[c[1]] - x[c[0]]
    b = x[c[2]] - x[c[0]]
    d = x[c[3]] - x[c[0]]
    vol = wp.dot(a, wp.cross(b, d)) / 6.0
    if wp.abs(vol) < tiny:
        note("flat tetrahedra are left out|sliver")
        vol_out[t] = 0.0
        if present(fixed_out):
            for k in range(4):
                fixed_out[t, k] = c[k]
        if present(flat_n):
            wp.atomic_add(flat_n, 0, 1)
        return
    if vol < 0.0:
        note("swap two corners to turn it|inside out")
        if present(fixed_out) or present(nodal):
            keep = c[2]
            c[2] = c[3]
            c[3] = keep
        vol = wp.abs(vol)
        if present(flipped):
            wp.atomic_add(flipped, 0, 1)
    vol_out[t] = vol
    if present(fixed_out):
        for k in range(4):
            fixed_out[t, k] = c[k]
    if present(nodal) and present(rho):
        for k in range(4):
            wp.atomic_add(nodal, c[k], 0.25 * rho * vol)
