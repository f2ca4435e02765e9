"""Images: filters, edges, corners, colours, matching, compositing."""


@scene("stencil", "math", "nested_loop", pixel,
       says="computes the strength and direction of edges in an image with the Sobel operator",
       title="sobel|edge_filter|image_gradient|detect_edges", algorithm="Sobel operator")
def sobel_edges(image: each(intensity), edge: out(edge_strength), angle_out: maybe(out(heading), 0.5), cut: maybe(setting(edge_threshold), 0.4)):
    names(gx="gx|dx|grad_x|sx", gy="gy|dy|grad_y|sy", a="a|p00|nw|tl", b="b|p01|north|tc", c="c|p02|ne|tr", d="d|p10|west|ml", f="f|p12|east|mr", g="g|p20|sw|bl", h="h|p21|south|bc", k="k|p22|se|br", mag="mag|strength|norm|g_len", image="image|gray|pixels|frame", cut="cut|threshold|min_edge|noise_level")
    i, j = wp.tid()
    if i == 0 or j == 0 or i == count(pixel, 0) - 1 or j == count(pixel, 1) - 1:
        note("no full neighbourhood at the border")
        edge[i, j] = 0.0
        if present(angle_out):
            angle_out[i, j] = 0.0
        return
    a = image[i - 1, j - 1]
    b = image[i - 1, j]
    c = image[i - 1, j + 1]
    d = image[i, j - 1]
    f = image[i, j + 1]
    g = image[i + 1, j - 1]
    h = image[i + 1, j]
    k = image[i + 1, j + 1]
    gx = c + 2.0 * f + k - a - 2.0 * d - g
    gy = g + 2.0 * h + k - a - 2.0 * b - c
    mag = either(wp.sqrt(gx * gx + gy * gy), gradient_magnitude(gx, gy))
    if present(cut):
        if mag < cut:
            note("weak edges are noise")
            fact("edges below a threshold are dropped")
            mag = 0.0
    edge[i, j] = mag
    if present(angle_out):
        angle_out[i, j] = wp.atan2(gy, gx)


@scene("stencil", "nested_loop", "function", pixel,
       says="smooths an image but keeps its edges, with weights by distance and by likeness of the values",
       title="bilateral_filter|edge_preserving_blur|denoise|bilateral", algorithm="bilateral filter")
def bilateral(image: each(intensity), reach: setting(steps_value, 1, 2), sigma: setting(blur_sigma), tau: setting(range_sigma), image_out: out(intensity)):
    names(total="total|acc|sum_v|blended", norm="norm|weights|sum_w|denom", w="w|weight|k|wij", x="x|ni|row|yy", y="y|nj|col|xx", diff="diff|dv|delta|gap", d2="d2|dist2|r2|off2", here="here|center|v0|me", reach="reach|radius|half|window")
    i, j = wp.tid()
    here = image[i, j]
    total = float(0.0)
    norm = float(0.0)
    for di in range(-reach, reach + 1):
        for dj in range(-reach, reach + 1):
            match choose("border"):
                case 2:
                    x = wp.clamp(i + di, 0, count(pixel, 0) - 1)
                    y = wp.clamp(j + dj, 0, count(pixel, 1) - 1)
                case 1:
                    x = i + di
                    y = j + dj
                    if x < 0 or y < 0 or x >= count(pixel, 0) or y >= count(pixel, 1):
                        continue
            match choose("weight"):
                case 1:
                    w = bilateral_weight(wp.sqrt(float(di * di + dj * dj)), here, image[x, y], sigma, tau)
                case 2:
                    diff = image[x, y] - here
                    d2 = float(di * di + dj * dj)
                    w = wp.exp(-d2 / (2.0 * sigma * sigma) - diff * diff / (2.0 * tau * tau))
            total += w * image[x, y]
            norm += w
    image_out[i, j] = total / norm


@scene("stencil", "control_flow", "nested_loop", pixel,
       says="erodes or dilates an image with a square window: each pixel becomes the smallest or largest value around it",
       title="morphology|erode_dilate|min_max_filter|structuring_element", algorithm="grey-scale erosion and dilation",
       lossy=True)
def morphology(image: each(intensity), reach: setting(steps_value, 1, 2), grow: setting(flag), image_out: out(intensity), edge: maybe(out(intensity), 0.4)):
    names(low="low|smallest|lo|min_v", high="high|largest|hi|max_v", x="x|row|ni|a", y="y|col|nj|b", reach="reach|radius|half|size_k", grow="grow|dilate|expand|mode_max")
    i, j = wp.tid()
    low = image[i, j]
    high = image[i, j]
    for di in range(-reach, reach + 1):
        for dj in range(-reach, reach + 1):
            x = wp.clamp(i + di, 0, count(pixel, 0) - 1)
            y = wp.clamp(j + dj, 0, count(pixel, 1) - 1)
            low = wp.min(low, image[x, y])
            high = wp.max(high, image[x, y])
    if grow == 1:
        image_out[i, j] = high
    else:
        image_out[i, j] = low
    if present(edge):
        note("morphological gradient")
        edge[i, j] = high - low


@scene("stencil", "control_flow", "multi_conditional", pixel,
       says="replaces each pixel by the median of itself and its neighbours in a row, where it is an outlier",
       title="median_denoise|despeckle|remove_spikes|median_filter", algorithm="median of three or five")
def despeckle(image: each(intensity), spread: setting(ratio, 0.05, 0.3), image_out: out(intensity), fixed: maybe(out(flag), 0.5)):
    names(a="a|l|before|p0", b="b|c|center|p1", c="c|r|after|p2", med="med|median|mid|m", low="low|lo|mn|least", high="high|hi|mx|most", spread="spread|tolerance_v|outlier|spike", fixed="fixed|repaired|changed|was_spike")
    i, j = wp.tid()
    a = image[i, wp.max(j - 1, 0)]
    b = image[i, j]
    c = image[i, wp.min(j + 1, count(pixel, 1) - 1)]
    match choose("how"):
        case 1:
            med = median_of_three(a, b, c)
        case 2:
            note("a sorting network of three")
            low = wp.min(a, b)
            high = wp.max(a, b)
            med = wp.max(low, wp.min(high, c))
        case 1:
            med = a + b + c - wp.min(a, wp.min(b, c)) - wp.max(a, wp.max(b, c))
    if present(fixed):
        fixed[i, j] = 0
    if wp.abs(b - med) > spread:
        image_out[i, j] = med
        if present(fixed):
            fixed[i, j] = 1
    else:
        image_out[i, j] = b


@scene("stencil", "nested_loop", "math", pixel,
       says="scores corners in an image by the structure tensor of its gradients in a window",
       title="corner_scores|harris_corners|structure_tensor|corner_response", algorithm="Harris or Shi-Tomasi corner response")
def corners(gx: each(gradient_x), gy: each(gradient_y), k: setting(harris_factor), score_out: out(corner_score), strong: maybe(add(count_value, 1), 0.4)):
    names(a="a|ixx|sxx|m00", b="b|ixy|sxy|m01", c="c|iyy|syy|m11", x="x|row|ni|u", y="y|col|nj|v", r="r|response|cornerness|s")
    i, j = wp.tid()
    a = float(0.0)
    b = float(0.0)
    c = float(0.0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            x = wp.clamp(i + di, 0, count(pixel, 0) - 1)
            y = wp.clamp(j + dj, 0, count(pixel, 1) - 1)
            a += gx[x, y] * gx[x, y]
            b += gx[x, y] * gy[x, y]
            c += gy[x, y] * gy[x, y]
    match choose("score"):
        case 1:
            r = harris_response(a, c, b, k)
        case 1:
            r = a * c - b * b - k * (a + c) * (a + c)
        case 1:
            note("the smaller eigenvalue")
            r = 0.5 * (a + c) - wp.sqrt(0.25 * (a - c) * (a - c) + b * b)
    score_out[i, j] = r
    if present(strong):
        if r > number(0.5, 1.5):
            wp.atomic_add(strong, 0, 1)


@scene("control_flow", "stencil", "multi_conditional", pixel,
       says="keeps only the local maxima of a score map above a threshold",
       title="non_max_suppression|local_maxima|suppress|keep_peaks", algorithm="non-maximum suppression")
def local_maxima(s: each(score), low: setting(score, -1.0, 1.5), peaks: out(score), n: maybe(add(count_value, 1), 0.5)):
    names(v="v|here|value|center", best="best|is_peak|wins|top", x="x|row|ni|a", y="y|col|nj|b", low="low|threshold|min_score|floor_s")
    i, j = wp.tid()
    v = s[i, j]
    peaks[i, j] = 0.0
    if v < low:
        return
    best = int(1)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            x = i + di
            y = j + dj
            if x < 0 or y < 0 or x >= count(pixel, 0) or y >= count(pixel, 1):
                continue
            if s[x, y] > v:
                best = 0
    if maybe(0.4):
        if best == 0:
            return
        peaks[i, j] = v
    else:
        if best == 1:
            peaks[i, j] = v
    if present(n):
        wp.atomic_add(n, 0, best)


@law("graphics", "a colour channel compressed by Reinhard's curve", title="reinhard|tonemap_channel|compress", private=True, function=True)
def reinhard_channel(x: linear_value) -> linear_value:
    return x / (1.0 + x)


@law("graphics", "a colour channel compressed by Reinhard's curve with a white point", title="reinhard_extended|tonemap_channel|compress_to_white", private=True, function=True)
def reinhard_white_channel(x: linear_value, white: white_point) -> linear_value:
    return x * (1.0 + x / (white * white)) / (1.0 + x)


@law("graphics", "a colour channel compressed by an exponential curve", title="exposure_curve|film_response|tonemap_channel", private=True, function=True)
def exposure_channel(x: linear_value) -> linear_value:
    return 1.0 - wp.exp(-x)


@scene("vector", "math", "function", pixel,
       says="maps a bright image to the screen: exposure, a tone curve on each channel, and encoding",
       title="tonemap|tone_mapping|display_transform|develop_image")
def tonemap(hdr: each(colour, range=(0.0, 4.0)), stops: setting(exposure_stops), white: setting(white_point), gamma: setting(gamma_exponent), ldr: out(colour), clipped: maybe(add(count_value, 1), 0.3)):
    names(c="c|rgb|pixel_c|col", r="r|red|cr|c0", g="g|green|cg|c1", b="b|blue|cb|c2", top="top|brightest|peak|max_c", hdr="hdr|linear_image|scene_light|radiance_map", ldr="ldr|display|screen|encoded_image")
    i = wp.tid()
    c = hdr[i] * wp.pow(2.0, stops)
    if present(clipped):
        top = wp.max(c[0], wp.max(c[1], c[2]))
        if top > white:
            wp.atomic_add(clipped, 0, 1)
    match choose("curve"):
        case 2:
            r = reinhard_channel(c[0])
            g = reinhard_channel(c[1])
            b = reinhard_channel(c[2])
        case 2:
            r = reinhard_white_channel(c[0], white)
            g = reinhard_white_channel(c[1], white)
            b = reinhard_white_channel(c[2], white)
        case 1:
            r = exposure_channel(c[0])
            g = exposure_channel(c[1])
            b = exposure_channel(c[2])
    match choose("encode"):
        case 2:
            ldr[i] = wp.vec3(srgb_encode(wp.clamp(r, 0.0, 1.0)), srgb_encode(wp.clamp(g, 0.0, 1.0)), srgb_encode(wp.clamp(b, 0.0, 1.0)))
        case 1:
            ldr[i] = wp.vec3(wp.pow(wp.max(r, 0.0), 1.0 / gamma), wp.pow(wp.max(g, 0.0), 1.0 / gamma), wp.pow(wp.max(b, 0.0), 1.0 / gamma))


@scene("vector", "control_flow", "nested_loop", pixel,
       says="composites the layers of each pixel from front to back and stops when nothing more can be seen",
       title="composite_layers|front_to_back|blend_samples|volume_composite", algorithm="front-to-back alpha compositing", rare=True,
       lossy=True)
def composite(colors: each(colour, pixel, 6), alphas: each(opacity, pixel, 6), back: setting(colour), picture: out(colour), left: maybe(out(transmittance), 0.5)):
    names(seen="seen|acc|rgb|sum_c", through="through|trans|t|visible", a="a|alpha|alpha_k|opac", back="back|background|sky|clear_color")
    i = wp.tid()
    seen = wp.vec3()
    through = float(1.0)
    for k in range(6):
        a = alphas[i, k]
        if maybe(0.4):
            note("empty layers")
            if a < constant("MIN_ALPHA|ALPHA_EPS", 0.01):
                continue
        seen += colors[i, k] * (a * through)
        through = through * (1.0 - a)
        note("nothing behind can be seen any more|early termination")
        if through < constant("OPAQUE_LIMIT|MIN_TRANSMITTANCE|CUTOFF", 0.01):
            break
    picture[i] = seen + back * through
    if present(left):
        left[i] = through


@scene("nested_loop", "reduction", "control_flow", pixel,
       says="finds for each pixel the shift along its row at which the other image matches best, by the sum of absolute differences",
       title="block_matching|stereo_match|disparity_search|match_rows", algorithm="block matching by SAD")
def block_matching(left: each(intensity), right: each(intensity), reach: setting(steps_value, 3, 6), disp: out(count_value), cost: maybe(out(positive_value), 0.6)):
    names(best="best|lowest|min_cost|best_sad", shift="shift|best_d|winner|d_best", sad="sad|c|err|total", a="a|ca|x0|jl", b="b|cb|x1|jr", reach="reach|max_disp|search|range_d")
    i, j = wp.tid()
    best = float(1.0e6)
    shift = int(0)
    for d in range(reach):
        sad = float(0.0)
        for w in range(-1, 2):
            a = wp.clamp(j + w, 0, count(pixel, 1) - 1)
            b = wp.clamp(j + w - d, 0, count(pixel, 1) - 1)
            sad += wp.abs(left[i, a] - right[i, b])
        if sad < best:
            best = sad
            shift = d
    disp[i, j] = shift
    if present(cost):
        cost[i, j] = best


@scene("math", "nested_loop", "stencil", pixel,
       says="estimates the motion of each pixel from gradients in a window by solving two equations",
       title="lucas_kanade|optical_flow|window_flow|estimate_motion", algorithm="Lucas-Kanade optical flow")
def lucas_kanade(gx: each(gradient_x), gy: each(gradient_y), gt: each(temporal_gradient), flow: out(vector2), good: maybe(out(flag), 0.5)):
    names(a="a|sxx|m00|xx", b="b|sxy|m01|xy", c="c|syy|m11|yy", p="p|sxt|bx|xt", q="q|syt|by|yt", det="det|d|determinant|disc", x="x|row|u|ni", y="y|col|v|nj", gt="gt|it|temporal|frame_diff", good="good|reliable|valid|trusted")
    i, j = wp.tid()
    a = float(0.0)
    b = float(0.0)
    c = float(0.0)
    p = float(0.0)
    q = float(0.0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            x = wp.clamp(i + di, 0, count(pixel, 0) - 1)
            y = wp.clamp(j + dj, 0, count(pixel, 1) - 1)
            a += gx[x, y] * gx[x, y]
            b += gx[x, y] * gy[x, y]
            c += gy[x, y] * gy[x, y]
            p += gx[x, y] * gt[x, y]
            q += gy[x, y] * gt[x, y]
    det = a * c - b * b
    if present(good):
        good[i, j] = 1
    if det < number(0.2, 1.5):
        note("the aperture problem: too little structure")
        fact("pixels without enough structure get no motion")
        flow[i, j] = wp.vec2(0.0, 0.0)
        if present(good):
            good[i, j] = 0
        return
    flow[i, j] = wp.vec2((b * q - c * p) / det, (b * p - a * q) / det)


@scene("atomic", "integer", "control_flow", pixel,
       says="counts the grey values of an image in a histogram{mask:, only inside a region}{floor_v:, only above a floor}",
       title="gray_histogram|count_levels|histogram_roi|level_counts", algorithm="histogram")
def gray_histogram(image: each(intensity), mask: maybe(each(flag), 0.5), floor_v: maybe(setting(intensity, 0.02, 0.3), 0.5), hist: add(count_value, bin), total: maybe(add(count_value, 1), 0.4)):
    names(b="b|slot|bin_id|level", v="v|value|gray|lum", floor_v="floor_v|dark|min_level|black", mask="mask|roi|inside|region")
    i, j = wp.tid()
    if present(mask):
        if mask[i, j] == 0:
            return
    v = image[i, j]
    if present(floor_v):
        if v < floor_v:
            return
    match choose("bin"):
        case 1:
            b = wp.min(int(v * float(count(bin))), count(bin) - 1)
        case 1:
            b = wp.clamp(int(wp.floor(v * float(count(bin)))), 0, count(bin) - 1)
    wp.atomic_add(hist, b, 1)
    if present(total):
        wp.atomic_add(total, 0, 1)


@scene("vector", "scalar_param", "multi_conditional", pixel,
       says="adjusts saturation and contrast of a picture and darkens its corners",
       title="grade_image|color_grade|adjust_colors|photo_filter")
def color_grade(picture: each(colour), sat: setting(saturation), contrast: setting(contrast), dark: maybe(setting(vignette_strength), 0.5), graded: out(colour), tint: maybe(setting(colour, 0.7, 1.2), 0.4)):
    names(c="c|rgb|col|px", grey="grey|luma|gray|y", u="u|dx|cx|rel_x", v="v|dy|cy|rel_y", fade="fade|vig|shade|corner", dark="dark|vignette|falloff_v|edge_dark")
    i, j = wp.tid()
    c = picture[i, j]
    grey = rec709_luminance(c)
    c = wp.vec3(grey, grey, grey) + (c - wp.vec3(grey, grey, grey)) * sat
    if present(tint):
        c = wp.cw_mul(c, tint)
    c = (c - wp.vec3(0.5, 0.5, 0.5)) * contrast + wp.vec3(0.5, 0.5, 0.5)
    if present(dark):
        u = 2.0 * float(i) / float(count(pixel, 0)) - 1.0
        v = 2.0 * float(j) / float(count(pixel, 1)) - 1.0
        fade = 1.0 / (1.0 + dark * (u * u + v * v))
        c = c * fade
    match choose("clip"):
        case 1:
            graded[i, j] = wp.vec3(wp.clamp(c[0], 0.0, 1.0), wp.clamp(c[1], 0.0, 1.0), wp.clamp(c[2], 0.0, 1.0))
        case 1:
            graded[i, j] = wp.min(wp.max(c, wp.vec3(0.0, 0.0, 0.0)), wp.vec3(1.0, 1.0, 1.0))


@scene("integer", "arithmetic", "stencil", pixel,
       says="turns a grey image into black and white with an ordered dither pattern of four by four",
       title="ordered_dither|bayer_dither|halftone|dither", algorithm="ordered dithering")
def ordered_dither(image: each(intensity), pattern: each(index_value, 4, 4, range=(0, 15)), levels: setting(steps_value, 2, 5), image_out: out(intensity), error: maybe(out(error_value), 0.4)):
    names(t="t|threshold|cut|thresh", v="v|gray|value|lum", q="q|quant|stepped|level", pattern="pattern|bayer|matrix4|mask4", levels="levels|n_levels|shades|steps_q")
    i, j = wp.tid()
    t = (float(pattern[i % 4, j % 4]) + 0.5) / 16.0
    v = image[i, j] * float(levels - 1)
    q = wp.floor(v)
    if v - q > t:
        q += 1.0
    image_out[i, j] = q / float(levels - 1)
    if present(error):
        error[i, j] = image[i, j] - q / float(levels - 1)


@scene("nested_loop", "math", "stencil", pixel,
       says="resizes an image with a separable filter of four taps in each direction",
       title="resize_bicubic|resample|upscale|bicubic_sample", algorithm="bicubic resampling (Keys)")
def bicubic(source: each(intensity, 12, 12), zoom: setting(ratio, 0.3, 0.8), target: out(intensity)):
    names(x="x|sx|src_x|u", y="y|sy|src_y|v", i0="i0|ix|base_i|cx", j0="j0|iy|base_j|cy", total="total|acc|value|blended", norm="norm|sum_w|wsum|weight_total", w="w|weight|tap|wk", zoom="zoom|scale|ratio_s|step_src", source="source|small|src_image|texture", target="target|resized|dst_image|large")
    i, j = wp.tid()
    x = wp.min((float(i) + 0.5) * zoom - 0.5, 11.0)
    y = wp.min((float(j) + 0.5) * zoom - 0.5, 11.0)
    i0 = int(wp.floor(x))
    j0 = int(wp.floor(y))
    total = float(0.0)
    norm = float(0.0)
    for di in range(-1, 3):
        for dj in range(-1, 3):
            w = keys_weight(x - float(i0 + di)) * keys_weight(y - float(j0 + dj))
            total += w * source[wp.clamp(i0 + di, 0, 11), wp.clamp(j0 + dj, 0, 11)]
            norm += w
    target[i, j] = either(total / norm, wp.clamp(total / norm, 0.0, 1.0))
