"""Blocks of threads that work on tiles of vectors: sums, products, maps, windows, counts."""


@scene("tile", chunk,
       says="adds up {kind=1:the squares of }{kind=2:the absolute values of }{w:weighted }values, a tile for each block of threads",
       title="tiled_sum|sum_by_tiles|block_sum|accumulate_tiles", ragged=True)
def tiled_sum(TILE: tile(16, 32, 64, 128), x: each(value, chunk * TILE), w: maybe(each(weight, chunk * TILE), 0.35), scale: maybe(setting(value, 0.2, 2.0), 0.35), total: add(value, 1), partial: out(value, chunk), spread: maybe(out(value, chunk), 0.25)):
    names(TILE="TILE|TILE_SIZE|BLOCK|N", t="t|part|piece|vals", u="u|weights_t|coeff|wt", s="s|acc|part_sum|subtotal")
    names(total="total|grand_total|result", partial="partial|block_sums|partial_sums", spread="spread|block_squares|square_sums", scale="scale|factor|gain")
    i = wp.tid()
    note("the part of this block|each block reads its own tile")
    t = wp.tile_load(x, shape=TILE, offset=i * TILE)
    match choose("kind"):
        case 4:
            pass
        case 2:
            t = t * t
        case 2:
            t = wp.tile_map(wp.abs, t)
    if present(w):
        u = wp.tile_load(w, shape=TILE, offset=i * TILE)
        t = either(t * u, wp.tile_map(wp.mul, t, u), u * t)
    if present(scale):
        t = either(t * scale, scale * t)
    s = wp.tile_sum(t)
    match choose():
        case 3:
            note("one number for each block")
            wp.tile_store(partial, s, offset=i)
        case 3:
            note("all blocks add to one number")
            wp.tile_atomic_add(total, s)
        case 2:
            wp.tile_store(partial, s, offset=i)
            wp.tile_atomic_add(total, s)
    if present(spread):
        wp.tile_store(spread, either(wp.tile_dot(t, t), wp.tile_sum(t * t)), offset=i)


@scene("tile", chunk,
       says="computes the dot product of two vectors by tiles{norms: and the squares of both lengths}",
       title="tiled_dot|dot_by_tiles|block_dot|inner_product_tiles", algorithm="dot product", ragged=True)
def tiled_dot(TILE: tile(16, 32, 64, 96), a: each(value, chunk * TILE), b: each(value, chunk * TILE), dot: add(value, 1), norms: maybe(add(value, 2), 0.4), parts: maybe(out(value, chunk), 0.3)):
    names(TILE="TILE|TILE_SIZE|BLOCK|WIDTH", ta="ta|left|a_tile|x", tb="tb|right|b_tile|y", s="s|acc|partial|prod")
    names(dot="dot|result|inner", norms="norms|squares|lengths_sq", parts="parts|block_dots|partials")
    i = wp.tid()
    ta = wp.tile_load(a, shape=TILE, offset=i * TILE)
    tb = wp.tile_load(b, shape=TILE, offset=i * TILE)
    match choose():
        case 3:
            s = wp.tile_dot(ta, tb)
        case 2:
            note("products first, then their sum")
            s = wp.tile_sum(ta * tb)
        case 1:
            s = wp.tile_sum(wp.tile_map(wp.mul, ta, tb))
    wp.tile_atomic_add(dot, s)
    if present(norms):
        note("both squared lengths, too")
        wp.tile_atomic_add(norms, either(wp.tile_dot(ta, ta), wp.tile_sum(ta * ta)), offset=0)
        wp.tile_atomic_add(norms, either(wp.tile_dot(tb, tb), wp.tile_sum(tb * tb)), offset=1)
    if present(parts):
        wp.tile_store(parts, s, offset=i)


@scene("tile", chunk,
       says="{form=0:adds a multiple of one vector to another}{form=1:blends two vectors with two factors}{form=2:subtracts a multiple of one vector from another} in tiles{change:, and sums up the squared change}",
       title="tiled_axpy{form=1:|blend_tiles}|update_by_tiles|axpy_blocks", ragged=True)
def tiled_axpy(TILE: tile(16, 32, 64, 128), x: each(value, chunk * TILE), y: each(value, chunk * TILE), alpha: setting(value, -1.5, 1.5), beta: setting(value, 0.2, 1.5), r: out(value, chunk * TILE), change: maybe(add(value, 1), 0.35)):
    names(TILE="TILE|TILE_SIZE|BLOCK|LEN", tx="tx|x_tile|src|dx", ty="ty|y_tile|dst|acc", tr="tr|updated|res|mixed")
    names(r="r|out|result", change="change|moved_sq|delta_sq", alpha="alpha|a|factor", beta="beta|b|keep")
    i = wp.tid()
    tx = wp.tile_load(x, shape=TILE, offset=i * TILE)
    ty = wp.tile_load(y, shape=TILE, offset=i * TILE)
    match choose("form"):
        case 3:
            match choose():
                case 2:
                    tr = ty + tx * alpha
                case 2:
                    tr = ty * 1.0
                    wp.tile_axpy(alpha, tx, tr)
                case 1:
                    tr = alpha * tx + ty
        case 2:
            tr = either(tx * alpha + ty * beta, beta * ty + alpha * tx)
        case 2:
            tr = ty - tx * alpha
    wp.tile_store(r, tr, offset=i * TILE)
    if present(change):
        note("how far it went")
        tr = tr - ty
        wp.tile_atomic_add(change, either(wp.tile_dot(tr, tr), wp.tile_sum(tr * tr)))


@scene("tile", chunk,
       says="applies {f=0:the SiLU}{f=1:the GELU in its tanh form}{f=2:the softplus}{f=3:the mish}{f=4:the softsign}{f=5:the rectifier}{f=6:a hard sigmoid} to a vector of preactivations in tiles{b: after a bias was added}",
       title="activate_tiles|tiled_activation|map_activation|activation_forward")
def activate_tiles(TILE: tile(16, 32, 64, 128), z: each(preactivation, chunk * TILE), b: maybe(each(shift_beta, chunk * TILE), 0.4), gain: maybe(setting(value, 0.3, 1.6), 0.3), y: out(activation, chunk * TILE), mass_: maybe(add(value, 1), 0.25)):
    names(TILE="TILE|TILE_SIZE|BLOCK|CHUNK", t="t|pre|h|z_tile", u="u|act|a|y_tile", mass_="mean_act|activation_sum|total", gain="gain|scale|slope", b="b|bias|biases")
    i = wp.tid()
    t = wp.tile_load(z, shape=TILE, offset=i * TILE)
    if present(b):
        t = t + wp.tile_load(b, shape=TILE, offset=i * TILE)
    if present(gain):
        t = t * gain
    match choose("f"):
        case 2:
            u = wp.tile_map(silu, t)
        case 2:
            u = wp.tile_map(gelu_tanh, t)
        case 2:
            u = wp.tile_map(softplus, t)
        case 1:
            u = wp.tile_map(mish, t)
        case 2:
            u = wp.tile_map(softsign, t)
        case 2:
            u = wp.tile_map(relu, t)
        case 1:
            u = wp.tile_map(hard_sigmoid, t)
    wp.tile_store(y, u, offset=i * TILE)
    if present(mass_):
        wp.tile_atomic_add(mass_, wp.tile_sum(u))


@scene("tile", chunk,
       says="sums up {f=0:half the squared errors}{f=1:the absolute errors}{f=2:the logarithms of the hyperbolic cosine of the errors}{f=3:the cross-entropies} of predictions{w:, weighted}, a tile for each block of threads",
       title="tiled_loss|loss_by_tiles|accumulate_loss|block_loss")
def tiled_loss(TILE: tile(16, 32, 64), y: each(prediction, chunk * TILE), target_: each(target, chunk * TILE), p: each(probability, chunk * TILE), label_: each(ratio, chunk * TILE), w: maybe(each(weight, chunk * TILE), 0.35), inv_n: maybe(setting(value, 0.01, 0.2), 0.4), loss_: add(loss, 1), terms: maybe(out(loss, chunk * TILE), 0.3), worst: maybe(out(loss, chunk), 0.2)):
    names(TILE="TILE|TILE_SIZE|BLOCK|BATCH", ty="ty|pred|guess|yhat", tt="tt|truth|goal|ref", e="e|err|term|cost", loss_="loss|total_loss|objective", target_="target|truths|labels_y", terms="terms|losses|per_item", inv_n="inv_n|weight_each|norm", worst="worst|block_max|largest", label_="label|soft_labels|labels")
    i = wp.tid()
    match choose("f"):
        case 3:
            ty = wp.tile_load(y, shape=TILE, offset=i * TILE)
            tt = wp.tile_load(target_, shape=TILE, offset=i * TILE)
            e = wp.tile_map(half_squared_error, ty, tt)
        case 2:
            ty = wp.tile_load(y, shape=TILE, offset=i * TILE)
            tt = wp.tile_load(target_, shape=TILE, offset=i * TILE)
            e = wp.tile_map(absolute_error, ty, tt)
        case 2:
            ty = wp.tile_load(y, shape=TILE, offset=i * TILE)
            tt = wp.tile_load(target_, shape=TILE, offset=i * TILE)
            e = wp.tile_map(log_cosh_loss, ty, tt)
        case 2:
            ty = wp.tile_load(p, shape=TILE, offset=i * TILE)
            tt = wp.tile_load(label_, shape=TILE, offset=i * TILE)
            ty = wp.tile_map(wp.max, ty, 0.02)
            e = wp.tile_map(binary_cross_entropy, ty, tt)
    if present(w):
        e = e * wp.tile_load(w, shape=TILE, offset=i * TILE)
    if present(terms):
        wp.tile_store(terms, e, offset=i * TILE)
    if present(inv_n):
        e = e * inv_n
    wp.tile_atomic_add(loss_, wp.tile_sum(e))
    if present(worst):
        wp.tile_store(worst, wp.tile_max(e), offset=i)


@scene("tile", chunk,
       says="takes a step of {how=0:gradient descent}{how=1:gradient descent with momentum}{how=2:AdaGrad} for a vector of parameters, tile by tile",
       title="tiled_optimizer_step|update_parameters|optimizer_tiles|descend_tiles", ragged=True)
def tiled_descent(TILE: tile(16, 32, 64, 128), w: each(parameter, chunk * TILE), g: each(gradient, chunk * TILE), v: each(momentum_buffer, chunk * TILE), acc: each(gradient_square_sum, chunk * TILE), lr: setting(learning_rate), beta: setting(momentum_factor), decay_: maybe(setting(value, 0.001, 0.05), 0.3), w_new: out(parameter, chunk * TILE), v_new: out(momentum_buffer, chunk * TILE), step_sq: maybe(add(value, 1), 0.25)):
    names(TILE="TILE|TILE_SIZE|BLOCK|PARAMS_PER_BLOCK", tw="tw|weights_t|theta|p_tile", tg="tg|grads_t|slope|g_tile", tv="tv|vel|moment|buf", tn="tn|stepped|next_w|moved")
    names(w_new="w_new|w_next|params_out", v_new="v_new|v_next|buffer_out", step_sq="step_sq|moved_sq|update_norm_sq", decay_="decay|weight_decay|shrink", acc="acc|square_sum|history")
    i = wp.tid()
    tw = wp.tile_load(w, shape=TILE, offset=i * TILE)
    tg = wp.tile_load(g, shape=TILE, offset=i * TILE)
    if present(decay_):
        note("decay pulls the parameters to zero")
        tg = tg + tw * decay_
    match choose("how"):
        case 3:
            tn = tw - tg * lr
        case 3:
            tv = wp.tile_load(v, shape=TILE, offset=i * TILE)
            tv = either(tv * beta + tg, beta * tv + tg)
            wp.tile_store(v_new, tv, offset=i * TILE)
            tn = tw - tv * lr
        case 2:
            tv = wp.tile_load(acc, shape=TILE, offset=i * TILE) + tg * tg
            wp.tile_store(v_new, tv, offset=i * TILE)
            tn = tw - wp.tile_map(adagrad_direction, tg, tv) * lr
    wp.tile_store(w_new, tn, offset=i * TILE)
    if present(step_sq):
        tn = tn - tw
        wp.tile_atomic_add(step_sq, wp.tile_dot(tn, tn))


@scene("tile", chunk,
       says="writes {way=0:inclusive}{way=1:exclusive} running sums within tiles{ends:, and the sum of each tile}",
       title="tile_prefix_sums|scan_tiles|block_scan|running_sums", algorithm="prefix sum", ragged=True)
def tile_scan(TILE: tile(16, 32, 64), x: each(value, chunk * TILE), kx: each(count_value, chunk * TILE), acc: out(value, chunk * TILE), kacc: out(count_value, chunk * TILE), ends: maybe(out(value, chunk), 0.4), peak: maybe(out(value, chunk * TILE), 0.25)):
    names(TILE="TILE|TILE_SIZE|BLOCK|SPAN", t="t|vals|items|chunk_t", s="s|sums|prefix|scanned", acc="acc|prefix_out|cumulative", kacc="kacc|starts|positions_out", ends="ends|block_totals|tile_sums", peak="peak|running_max|high_water", kx="kx|lengths|sizes_in")
    i = wp.tid()
    if maybe(0.6, "whole"):
        t = wp.tile_load(x, shape=TILE, offset=i * TILE)
        match choose("way"):
            case 2:
                s = wp.tile_scan_inclusive(t)
            case 2:
                note("each element gets what comes before it")
                s = wp.tile_scan_exclusive(t)
        wp.tile_store(acc, s, offset=i * TILE)
        if present(ends):
            wp.tile_store(ends, wp.tile_sum(t), offset=i)
        if present(peak):
            wp.tile_store(peak, wp.tile_scan_max_inclusive(t), offset=i * TILE)
    else:
        t = wp.tile_load(kx, shape=TILE, offset=i * TILE)
        match choose("way"):
            case 2:
                s = wp.tile_scan_inclusive(t)
            case 2:
                s = wp.tile_scan_exclusive(t)
        wp.tile_store(kacc, s, offset=i * TILE)


@scene("tile", (chunk, lane),
       says="counts values by bins{w:, each with its weight}: every block of threads counts into a tile of its own and adds it to the result",
       title="tile_histogram|histogram_blocks|bin_values|count_in_tiles", algorithm="histogram", rare=True)
def tile_histogram(BINS: tile(8, 16, 32), x: each(ratio, chunk, lane), w: maybe(each(weight, chunk, lane), 0.4), mask: maybe(each(flag, chunk, lane), 0.4), counts: add(value, BINS), per_block: maybe(out(value, chunk, BINS), 0.35)):
    names(BINS="BINS|NUM_BINS|N_BINS|BUCKETS", bins="bins|local|hist|tally", v="v|val|sample|xi", k="k|bin|slot|bucket", one="one|amount|inc|weight_i", ok="ok|valid|use|counts_it")
    names(counts="counts|histogram|totals", per_block="per_block|block_counts|partial_hist", mask="mask|active|valid_in", w="w|weights|mass_in")
    i, lane = wp.tid()
    note("a histogram for the block|counts of this block")
    bins = wp.tile_zeros(shape=BINS, dtype=float, storage="shared")
    v = x[i, lane]
    k = wp.min(int(v * float(BINS)), BINS - 1)
    if present(w):
        one = w[i, lane]
    else:
        one = float(1.0)
    if present(mask):
        fact("values that the mask leaves out are not counted")
        ok = mask[i, lane] == 1
        wp.tile_scatter_add(bins, k, one, ok)
    else:
        wp.tile_scatter_add(bins, k, one, True)
    wp.tile_atomic_add(counts, bins)
    if present(per_block):
        wp.tile_store(per_block, wp.tile_reshape(bins, shape=(1, BINS)), offset=(i, 0))


@scene("tile", chunk,
       says="smooths a signal with {taps=0:three}{taps=1:five} taps, each block loading its tile with the halo around it{rough:, and sums up the squares of what was taken away}",
       title="smooth_with_halo|tiled_smoothing|halo_filter|filter_tiles", algorithm="weighted moving average")
def halo_smooth(TILE: tile(16, 32, 64), x: each(signal, chunk * TILE + 4), side: setting(value, 0.1, 0.3), far: setting(value, 0.02, 0.1), y: out(signal, chunk * TILE), rough: maybe(add(value, 1), 0.3)):
    names(TILE="TILE|TILE_SIZE|BLOCK|INNER", t="t|padded|window|with_halo", mid="mid|center|here|c0", left="left|before|lo|m1", right="right|after|hi|p1", acc="acc|smooth|res|avg")
    names(y="y|smoothed|filtered", rough="rough|removed|detail_energy", side="side|w1|near_weight", far="far|w2|far_weight")
    i = wp.tid()
    note("two more on either side|the tile and two neighbours on each side")
    t = wp.tile_load(x, shape=wp.static(TILE + 4), offset=i * TILE)
    mid = wp.tile_view(t, offset=(2,), shape=(TILE,))
    left = wp.tile_view(t, offset=(1,), shape=(TILE,))
    right = wp.tile_view(t, offset=(3,), shape=(TILE,))
    match choose("taps"):
        case 3:
            acc = mid * (1.0 - 2.0 * side) + (left + right) * side
        case 2:
            acc = mid * (1.0 - 2.0 * side - 2.0 * far)
            acc += (left + right) * side
            acc += (wp.tile_view(t, offset=(0,), shape=(TILE,)) + wp.tile_view(t, offset=(4,), shape=(TILE,))) * far
    wp.tile_store(y, acc, offset=i * TILE)
    if present(rough):
        acc = acc - mid
        wp.tile_atomic_add(rough, wp.tile_dot(acc, acc))


@scene("tile", chunk,
       says="advances {what=0:heat along a rod by an explicit step}{what=1:a string by one step of the wave equation}{what=2:a quantity that a steady wind carries, by an upwind step}, in tiles with a halo",
       title="{what=0:heat_step_tiles|tiled_diffusion}{what=1:wave_step_tiles|tiled_wave}{what=2:advect_tiles|upwind_tiles}")
def halo_step(TILE: tile(16, 32, 64), u: each(field_value, chunk * TILE + 2), u_old: each(field_value, chunk * TILE), c: setting(value, 0.05, 0.45), source: maybe(each(field_value, chunk * TILE), 0.35), damp: maybe(setting(value, 0.01, 0.2), 0.3), u_new: out(field_value, chunk * TILE)):
    names(TILE="TILE|TILE_SIZE|BLOCK|CELLS", t="t|u_halo|cells|span", mid="mid|here|center|uc", left="left|west|lo|ul", right="right|east|hi|ur", lap="lap|curve|bend|second", v="v|next_u|new_t|res")
    names(c="c|r|courant", u_new="u_new|u_next|out", source="source|heating|forcing", damp="damp|loss_rate|drag")
    i = wp.tid()
    t = wp.tile_load(u, shape=wp.static(TILE + 2), offset=i * TILE)
    mid = wp.tile_view(t, offset=(1,), shape=(TILE,))
    left = wp.tile_view(t, offset=(0,), shape=(TILE,))
    match choose("what"):
        case 3:
            right = wp.tile_view(t, offset=(2,), shape=(TILE,))
            lap = left - mid * 2.0 + right
            v = mid + lap * c
        case 2:
            right = wp.tile_view(t, offset=(2,), shape=(TILE,))
            lap = left + right - mid * 2.0
            v = mid * 2.0 - wp.tile_load(u_old, shape=TILE, offset=i * TILE) + lap * c
        case 2:
            note("the wind blows to the right")
            v = mid - (mid - left) * c
    if present(damp):
        v = v - mid * damp
    if present(source):
        v = v + wp.tile_load(source, shape=TILE, offset=i * TILE) * c
    wp.tile_store(u_new, v, offset=i * TILE)


@scene("tile", chunk,
       says="evaluates a polynomial of degree {deg=0:two}{deg=1:three}{deg=2:four} for every value of a tile by Horner's rule",
       title="horner_tiles|polynomial_tiles|evaluate_polynomial|tiled_polynomial", algorithm="Horner's rule", ragged=True)
def horner_tiles(TILE: tile(16, 32, 64), x: each(value, chunk * TILE, range=(-1.2, 1.2)), coeffs: each(value, 5), y: out(value, chunk * TILE), slope: maybe(out(value, chunk * TILE), 0.3)):
    names(TILE="TILE|TILE_SIZE|BLOCK|POINTS", t="t|xs|arg|z", p="p|acc|poly|val", ones="ones|unit|one|const_t", coeffs="coeffs|c|poly_coeffs", slope="slope|linear_part|first_order")
    i = wp.tid()
    t = wp.tile_load(x, shape=TILE, offset=i * TILE)
    ones = wp.tile_ones(shape=TILE, dtype=float)
    match choose("deg"):
        case 2:
            p = t * coeffs[2] + ones * coeffs[1]
        case 2:
            p = t * coeffs[3] + ones * coeffs[2]
            p = p * t + ones * coeffs[1]
        case 2:
            p = t * coeffs[4] + ones * coeffs[3]
            p = p * t + ones * coeffs[2]
            p = p * t + ones * coeffs[1]
    p = p * t + ones * coeffs[0]
    wp.tile_store(y, p, offset=i * TILE)
    if present(slope):
        fact("the linear part is stored beside it")
        wp.tile_store(slope, t * coeffs[1] + ones * coeffs[0], offset=i * TILE)


@scene("tile", chunk,
       says="finds the {which=0:largest}{which=1:smallest} value of each tile and where it is{swing:, and how far the values spread}",
       title="tile_extremes|find_extremes|{which=0:tile_argmax|block_maximum}{which=1:tile_argmin|block_minimum}", lossy=True)
def tile_extremes(TILE: tile(8, 16, 32, 64), x: each(score, chunk * TILE), bias: maybe(each(score, chunk * TILE), 0.4), best: out(score, chunk), place: out(count_value, chunk), swing: maybe(out(score, chunk), 0.4)):
    names(TILE="TILE|TILE_SIZE|BLOCK|GROUP", t="t|vals|scores_t|cand", top="top|hi|largest|mx", low="low|lo|smallest|mn")
    names(best="best|extreme|found", place="place|where|index_out", swing="swing|spread|extent", bias="bias|prior|offset_in")
    i = wp.tid()
    t = wp.tile_load(x, shape=TILE, offset=i * TILE)
    if present(bias):
        t = t + wp.tile_load(bias, shape=TILE, offset=i * TILE)
    match choose("which"):
        case 1:
            wp.tile_store(best, wp.tile_max(t), offset=i)
            wp.tile_store(place, wp.tile_argmax(t), offset=i)
        case 1:
            wp.tile_store(best, wp.tile_min(t), offset=i)
            wp.tile_store(place, wp.tile_argmin(t), offset=i)
    if present(swing):
        top = either(wp.tile_max(t), wp.tile_reduce(wp.max, t))
        low = either(wp.tile_min(t), wp.tile_reduce(wp.min, t))
        wp.tile_store(swing, top - low, offset=i)


@scene("tile", chunk,
       says="adds up the mass and the mass-weighted positions of particles by tiles{momentum_: and their momentum}",
       title="tiled_center_of_mass|mass_moments|sum_masses|block_moments", ragged=True)
def mass_moments(TILE: tile(16, 32, 64), x: each(position, chunk * TILE), m: each(mass, chunk * TILE), v: maybe(each(velocity, chunk * TILE), 0.6), mass_sum: add(mass, 1), moment: add(position, 1), momentum_: maybe(add(momentum, 1), 0.6)):
    names(TILE="TILE|TILE_SIZE|BLOCK|PARTICLES_PER_BLOCK", tm="tm|masses_t|m_tile|weights_t", tx="tx|pos_t|points_t|x_tile", tv="tv|vel_t|speeds_t|v_tile")
    names(mass_sum="mass_sum|total_mass|m_total", moment="moment|weighted_sum|mass_times_pos", momentum_="momentum|total_momentum|p_total")
    i = wp.tid()
    tm = wp.tile_load(m, shape=TILE, offset=i * TILE)
    tx = wp.tile_load(x, shape=TILE, offset=i * TILE)
    wp.tile_atomic_add(mass_sum, wp.tile_sum(tm))
    wp.tile_atomic_add(moment, wp.tile_sum(either(tx * tm, tm * tx)))
    if present(momentum_):
        if present(v):
            tv = wp.tile_load(v, shape=TILE, offset=i * TILE)
            wp.tile_atomic_add(momentum_, wp.tile_sum(tv * tm))


@scene("tile", segment,
       says="{mean=1:averages}{mean=0:adds up} the values of segments of equal length, several segments to a block",
       title="segment_{mean=0:sums}{mean=1:means}|{mean=0:sum_segments}{mean=1:average_segments}|reduce_segments|segmented_reduce")
def segment_sums(PER: tile(2, 4, 8), LENGTH: tile(8, 16, 32), x: each(value, segment * PER, LENGTH), w: maybe(each(weight, segment * PER, LENGTH), 0.4), sums: out(value, segment * PER), tops: maybe(out(value, segment * PER), 0.3)):
    names(PER="PER_BLOCK|SEGS|SEGMENTS|GROUPS", LENGTH="LENGTH|SEG_LEN|WIDTH|ITEMS", t="t|vals|seg_t|rows", s="s|acc|sums_t|per_seg")
    names(sums="sums|results|segment_out", tops="tops|maxima|peaks")
    g = wp.tid()
    t = wp.tile_load(x, shape=(PER, LENGTH), offset=(g * PER, 0))
    if present(w):
        t = t * wp.tile_load(w, shape=(PER, LENGTH), offset=(g * PER, 0))
    s = either(wp.tile_sum(t, axis=1), wp.tile_reduce(wp.add, t, axis=1))
    if maybe(0.4, "mean"):
        s = s / float(LENGTH)
    wp.tile_store(sums, s, offset=g * PER)
    if present(tops):
        wp.tile_store(tops, wp.tile_reduce(wp.max, t, axis=1), offset=g * PER)


@scene("tile", chunk,
       says="sorts the keys of each tile and moves their numbers along",
       title="sort_tiles|tile_sort_keys|block_sort|order_tiles", lossy=True)
def sort_tiles(TILE: tile(8, 16, 32), keys: each(score, chunk * TILE), ids: each(count_value, chunk * TILE), offset_: maybe(setting(value, 0.1, 1.0), 0.3), sorted_keys: out(score, chunk * TILE), order: out(count_value, chunk * TILE), low: maybe(out(score, chunk), 0.4)):
    names(TILE="TILE|TILE_SIZE|BLOCK|RUN", k="k|key_t|kt|ranked", v="v|ids_t|vt|payload", sorted_keys="sorted_keys|keys_out|ranked_out", order="order|ids_out|values_out", low="low|first_keys|smallest_out", offset_="scale|key_scale|unit_key")
    i = wp.tid()
    k = wp.tile_load(keys, shape=TILE, offset=i * TILE, storage="shared")
    v = wp.tile_load(ids, shape=TILE, offset=i * TILE, storage="shared")
    if present(offset_):
        k = k * offset_
    wp.tile_sort(k, v)
    wp.tile_store(sorted_keys, k, offset=i * TILE)
    wp.tile_store(order, v, offset=i * TILE)
    if present(low):
        wp.tile_store(low, either(wp.tile_view(k, offset=(0,), shape=(1,)), wp.tile_min(k)), offset=i)


@scene("tile", chunk,
       says="turns {f=0:sound levels in decibels into gains}{f=1:linear light into its coded form}{f=2:coded values into linear light}{f=3:optical depths into transmittance}{f=4:z-scores into the share below them} in tiles{mean_out:, and adds them up}",
       title="convert_tiles|tiled_conversion|map_tiles|transform_values")
def convert_tiles(TILE: tile(16, 32, 64, 128), level: each(level_db, chunk * TILE), v: each(ratio, chunk * TILE), tau: each(optical_depth, chunk * TILE), z: each(zscore, chunk * TILE), factor: maybe(setting(value, 0.5, 0.95), 0.3), y: out(value, chunk * TILE), mean_out: maybe(add(value, 1), 0.3), top: maybe(out(value, chunk), 0.2)):
    names(TILE="TILE|TILE_SIZE|BLOCK|STRIP", t="t|src|tile_in|raw", r="r|res|tile_out|mapped", y="y|converted|out", mean_out="sum_out|total|mass_out", top="top|peaks|block_max", factor="factor|fade|share")
    i = wp.tid()
    match choose("f"):
        case 2:
            t = wp.tile_load(level, shape=TILE, offset=i * TILE)
            r = wp.tile_map(decibels_to_gain, t)
        case 2:
            t = wp.tile_load(v, shape=TILE, offset=i * TILE)
            r = wp.tile_map(encode_srgb, t)
        case 2:
            t = wp.tile_load(v, shape=TILE, offset=i * TILE)
            r = wp.tile_map(decode_srgb, t)
        case 2:
            t = wp.tile_load(tau, shape=TILE, offset=i * TILE)
            r = wp.tile_map(transmittance_of_depth, t)
        case 2:
            t = wp.tile_load(z, shape=TILE, offset=i * TILE)
            r = wp.tile_map(normal_share_below, t)
    if present(factor):
        r = r * factor
    wp.tile_store(y, r, offset=i * TILE)
    if present(mean_out):
        wp.tile_atomic_add(mean_out, wp.tile_sum(r))
    if present(top):
        wp.tile_store(top, wp.tile_max(r), offset=i)


@scene("tile", chunk,
       says="gathers values by index into tiles, {what=0:scales them}{what=1:weights them}{what=2:squares them} and {to=0:writes them out}{to=1:adds them up}",
       title="gather_tiles|indexed_load|collect_by_index|gather_values")
def gather_tiles(TILE: tile(16, 32, 64), table: each(value, item), pick: index(item, over=chunk * TILE), w: each(weight, chunk * TILE), scale: setting(value, 0.3, 2.0), y: out(value, chunk * TILE), sums: out(value, chunk)):
    names(TILE="TILE|TILE_SIZE|BLOCK|PICKS", idx="idx|ids|where|slots", t="t|vals|got|picked", table="table|data|lookup", pick="pick|indices|order", sums="sums|block_sums|totals_out", y="y|gathered|out")
    i = wp.tid()
    idx = wp.tile_load(pick, shape=TILE, offset=i * TILE, storage="shared")
    t = wp.tile_load_indexed(table, indices=idx, shape=(TILE,), axis=0)
    match choose("what"):
        case 2:
            t = t * scale
        case 2:
            t = t * wp.tile_load(w, shape=TILE, offset=i * TILE)
        case 1:
            t = t * t
    match choose("to"):
        case 1:
            wp.tile_store(y, t, offset=i * TILE)
        case 1:
            wp.tile_store(sums, wp.tile_sum(t), offset=i)


@scene("tile", chunk,
       says="adds tiles of {what=0:values}{what=1:weighted values} to the entries of a table that their indices name",
       title="scatter_tiles|scatter_add_tiles|add_by_index|deposit_tiles")
def scatter_tiles(TILE: tile(16, 32, 64), x: each(value, chunk * TILE), w: each(weight, chunk * TILE), place: index(bin, over=chunk * TILE), scale: maybe(setting(value, 0.3, 2.0), 0.4), table: add(value, bin), hits: maybe(add(value, bin), 0.4)):
    names(TILE="TILE|TILE_SIZE|BLOCK|ITEMS", idx="idx|ids|slots|target_t", t="t|vals|amount|src", table="table|sums|accum", place="place|slot_of|targets", hits="hits|hit_count|visits", one="one|unit|ones|each_one")
    i = wp.tid()
    idx = wp.tile_load(place, shape=TILE, offset=i * TILE, storage="shared")
    t = wp.tile_load(x, shape=TILE, offset=i * TILE)
    match choose("what"):
        case 1:
            pass
        case 1:
            t = t * wp.tile_load(w, shape=TILE, offset=i * TILE)
    if present(scale):
        t = t * scale
    wp.tile_atomic_add_indexed(table, indices=idx, t=t, axis=0)
    if present(hits):
        note("how many came to each")
        one = wp.tile_ones(shape=TILE, dtype=float)
        wp.tile_atomic_add_indexed(hits, indices=idx, t=one, axis=0)
