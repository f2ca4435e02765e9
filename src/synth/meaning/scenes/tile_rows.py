"""A row, or a few of them, for each block: normalisations, likenesses, poolings, attention."""


@scene("tile", row,
       says="turns each row of scores into probabilities by the softmax{temp:, sharpened by a temperature}{lse:, and keeps the logarithm of the sum of exponentials}",
       title="row_softmax|softmax_rows|tiled_softmax|softmax_forward", algorithm="softmax")
def row_softmax(COLS: tile(8, 16, 32, 64), x: each(logit, row, COLS), temp: maybe(setting(temperature_scale), 0.35), mask: maybe(each(logit, row, COLS), 0.25), y: out(probability, row, COLS), lse: maybe(out(value, row), 0.35)):
    names(COLS="COLS|N|ROW_LEN|WIDTH|CLASSES", r="r|row_t|vals|z", e="e|expd|numer|ex", s="s|denom|total|z_sum", top="top|peak|row_max|m", y="y|probs|out", lse="lse|log_norm|log_sum", temp="temp|tau|temperature", mask="mask|bias_in|added")
    i = wp.tid()
    r = either(wp.tile_load(x[i], shape=COLS), wp.tile_squeeze(wp.tile_load(x, shape=(1, COLS), offset=(i, 0))))
    if present(mask):
        r = r + wp.tile_load(mask[i], shape=COLS)
    if present(temp):
        r = r / temp
    if maybe(0.5, "stable"):
        note("the largest score is taken off, so that nothing overflows")
        top = wp.tile_max(r)
        r = r - wp.tile_broadcast(top, shape=(COLS,))
    e = wp.tile_map(wp.exp, r)
    s = wp.tile_sum(e)
    match choose():
        case 2:
            e = e / s[0]
        case 1:
            e = e * (1.0 / s[0])
        case 1:
            e = e / wp.tile_broadcast(s, shape=(COLS,))
    match choose():
        case 2:
            wp.tile_store(y[i], e)
        case 1:
            wp.tile_store(y, wp.tile_reshape(e, shape=(1, COLS)), offset=(i, 0))
    if present(lse):
        s = wp.tile_map(wp.log, s)
        if maybe(0.5, "stable"):
            s = s + top
        wp.tile_store(lse, s, offset=i)


@scene("tile", row,
       says="normalises each row to zero mean and unit variance{gamma:, then scales it}{beta: and shifts it}",
       title="layer_norm_rows|tiled_layer_norm|layer_norm_forward|normalize_rows", algorithm="layer normalisation")
def tile_layer_norm(COLS: tile(8, 16, 32, 64), x: each(feature, row, COLS), gamma: maybe(each(scale_gamma, COLS), 0.6), beta: maybe(each(shift_beta, COLS), 0.6), y: out(feature, row, COLS), mu_out: maybe(out(value, row), 0.25), inv_out: maybe(out(value, row), 0.25)):
    names(COLS="COLS|HIDDEN|FEATURES|N", r="r|row_t|xs|h", mean="mean|mu|avg|m", c="c|centered|dev|xc", var="var|variance|sq|v", inv="inv|rstd|inv_std|scale_r")
    names(y="y|normed|out", mu_out="mu_out|means|row_mean", inv_out="inv_out|rstds|row_rstd")
    i = wp.tid()
    r = either(wp.tile_load(x[i], shape=COLS), wp.tile_squeeze(wp.tile_load(x, shape=(1, COLS), offset=(i, 0))))
    mean = wp.tile_sum(r) / float(COLS)
    c = r - wp.tile_broadcast(mean, shape=(COLS,))
    var = either(wp.tile_sum(c * c), wp.tile_dot(c, c)) / float(COLS)
    inv = 1.0 / wp.sqrt(var[0] + constant("EPS|EPSILON|NORM_EPS", 1.0e-5))
    c = c * inv
    if present(gamma):
        c = c * wp.tile_load(gamma, shape=COLS)
    if present(beta):
        c = c + wp.tile_load(beta, shape=COLS)
    wp.tile_store(y[i], c)
    if present(mu_out):
        wp.tile_store(mu_out, mean, offset=i)
    if present(inv_out):
        inv_out[i] = inv


@scene("tile", row,
       says="divides each row by its root mean square{gamma: and scales it by learnt factors}",
       title="rms_norm_rows|tiled_rms_norm|rms_norm_forward|rms_normalize", algorithm="RMS normalisation")
def tile_rms_norm(COLS: tile(8, 16, 32, 64), x: each(feature, row, COLS), gamma: maybe(each(scale_gamma, COLS), 0.6), residual: maybe(each(feature, row, COLS), 0.35), y: out(feature, row, COLS), rms_out: maybe(out(value, row), 0.3), sum_out: maybe(out(feature, row, COLS), 0.3)):
    names(COLS="COLS|HIDDEN|DIM|N", r="r|row_t|h|xs", ms="ms|mean_sq|power|sq", inv="inv|rstd|factor|norm", y="y|normed|out", rms_out="rms_out|rms|row_rms", sum_out="sum_out|skip_out|stream")
    i = wp.tid()
    r = wp.tile_load(x[i], shape=COLS)
    if present(residual):
        note("the skip connection comes first")
        r = r + wp.tile_load(residual[i], shape=COLS)
        if present(sum_out):
            wp.tile_store(sum_out[i], r)
    match choose():
        case 2:
            ms = wp.tile_sum(r * r)
        case 2:
            ms = wp.tile_dot(r, r)
    inv = 1.0 / wp.sqrt(ms[0] / float(COLS) + constant("EPS|EPSILON|RMS_EPS", 1.0e-5))
    if present(gamma):
        wp.tile_store(y[i], either(r * inv * wp.tile_load(gamma, shape=COLS), wp.tile_load(gamma, shape=COLS) * r * inv))
    else:
        wp.tile_store(y[i], r * inv)
    if present(rms_out):
        rms_out[i] = 1.0 / inv


@scene("tile", row,
       says="{kind=0:scales each row to the range from zero to one}{kind=1:divides each row by its largest size}{kind=2:divides each row by its sum}",
       title="rescale_rows|normalize_by_row|row_scaling|tiled_rescale")
def rescale_rows(COLS: tile(8, 16, 32), x: each(positive_value, row, COLS), offset_: maybe(each(positive_value, COLS), 0.35), y: out(value, row, COLS), span: maybe(out(value, row), 0.3)):
    names(COLS="COLS|N|ROW_LEN|WIDTH", r="r|row_t|vals|src", hi="hi|top|largest|mx", lo="lo|bottom|smallest|mn", d="d|width_r|norm|denom", y="y|scaled|out", span="span|scale_out|norms_out", offset_="offset|base_row|added")
    i = wp.tid()
    r = wp.tile_load(x[i], shape=COLS)
    if present(offset_):
        r = r + wp.tile_load(offset_, shape=COLS)
    match choose("kind"):
        case 2:
            hi = wp.tile_max(r)
            lo = wp.tile_min(r)
            d = hi[0] - lo[0] + 1.0e-4
            wp.tile_store(y[i], (r - wp.tile_broadcast(lo, shape=(COLS,))) / d)
        case 2:
            hi = wp.tile_max(wp.tile_map(wp.abs, r))
            d = hi[0]
            wp.tile_store(y[i], r / d)
        case 2:
            hi = wp.tile_sum(r)
            d = hi[0]
            wp.tile_store(y[i], either(r / d, r * (1.0 / d)))
    if present(span):
        span[i] = d


@scene("tile", row,
       says="computes the cosine of the angle between corresponding rows{dist:, and their distance}",
       title="cosine_rows|row_cosine|cosine_similarity_tiles|compare_rows", algorithm="cosine similarity")
def cosine_rows(COLS: tile(8, 16, 32, 64), a: each(embedding_value, row, COLS), b: each(embedding_value, row, COLS), like: out(value, row), dist: maybe(out(value, row), 0.4), centre: maybe(each(embedding_value, COLS), 0.3)):
    names(COLS="COLS|DIM|EMBED|N", ta="ta|left|u|query_t", tb="tb|right|v|key_t", ab="ab|dot|num|prod", aa="aa|na|len_a|sq_a", bb="bb|nb|len_b|sq_b", d="d|diff|gap|delta", like="like|cosine|similarity", dist="dist|distance|gap_out", centre="centre|mean_vec|origin")
    i = wp.tid()
    ta = wp.tile_load(a[i], shape=COLS)
    tb = wp.tile_load(b[i], shape=COLS)
    if present(centre):
        fact("both are taken relative to a centre")
        ta = ta - wp.tile_load(centre, shape=COLS)
        tb = tb - wp.tile_load(centre, shape=COLS)
    ab = either(wp.tile_dot(ta, tb), wp.tile_sum(ta * tb))
    aa = either(wp.tile_dot(ta, ta), wp.tile_sum(ta * ta))
    bb = either(wp.tile_dot(tb, tb), wp.tile_sum(tb * tb))
    match choose():
        case 2:
            like[i] = ab[0] / wp.sqrt(aa[0] * bb[0] + 1.0e-6)
        case 2:
            wp.tile_store(like, ab / wp.sqrt(aa[0] * bb[0] + 1.0e-6), offset=i)
    if present(dist):
        d = ta - tb
        ab = wp.tile_dot(d, d)
        dist[i] = wp.sqrt(ab[0] + 1.0e-6)


@scene("tile", row,
       says="computes the cross-entropy of each row of logits with a row of target probabilities{grad_:, and its gradient}",
       title="row_cross_entropy|cross_entropy_rows|tiled_cross_entropy|softmax_loss_rows", algorithm="softmax cross-entropy")
def row_cross_entropy(COLS: tile(8, 16, 32), z: each(logit, row, COLS), p: each(probability, row, COLS), smooth: maybe(setting(value, 0.02, 0.2), 0.35), loss_: out(loss, row), grad_: maybe(out(gradient, row, COLS), 0.45), total: maybe(add(loss, 1), 0.35)):
    names(COLS="COLS|CLASSES|N|VOCAB", tz="tz|row_t|logits_t|h", tp="tp|want|target_t|goal", e="e|expd|numer|ex", s="s|denom|z_sum|norm", l="l|cost|ce|row_loss", loss_="loss|losses|row_losses", grad_="grad|dlogits|grad_out", total="total|loss_sum|objective", smooth="smooth|smoothing|label_eps")
    i = wp.tid()
    tz = wp.tile_load(z[i], shape=COLS)
    tp = wp.tile_load(p[i], shape=COLS)
    if present(smooth):
        note("smoothed targets")
        fact("the targets are smoothed")
        tp = tp * (1.0 - smooth) + wp.tile_full(shape=COLS, value=smooth / float(COLS), dtype=float)
    e = wp.tile_map(wp.exp, tz)
    s = wp.tile_sum(e)
    l = wp.tile_sum(tp) * wp.log(s[0]) - wp.tile_dot(tp, tz)
    wp.tile_store(loss_, l, offset=i)
    if present(total):
        wp.tile_atomic_add(total, l)
    if present(grad_):
        if maybe(0.7):
            tz = wp.tile_sum(tp)
            wp.tile_store(grad_[i], e * (tz[0] / s[0]) - tp)
        else:
            note("for targets that add up to one")
            fact("the gradient is that for targets that add up to one")
            wp.tile_store(grad_[i], e / s[0] - tp)


@scene("tile", row,
       says="pools the rows of an embedding table that the items of each bag name{w:, weighted}: {kind=0:their sum}{kind=1:their mean}",
       title="embedding_bag|pool_embeddings|bag_{kind=0:sums}{kind=1:means}|lookup_and_pool", algorithm="embedding bag")
def tile_embedding_bag(BAG: tile(4, 8, 16), DIM: tile(8, 16, 32), table: each(embedding_value, item, DIM), bag: index(item, over=row * BAG), w: maybe(each(weight, row * BAG), 0.4), pooled: out(embedding_value, row, DIM)):
    names(BAG="BAG|BAG_SIZE|PER_BAG|PICKS", DIM="DIM|EMBED_DIM|WIDTH|CHANNELS", idx="idx|ids|picks|slots", t="t|rows|vecs|found", s="s|acc|pool|summed", pooled="pooled|out|bag_out", bag="bag|bag_items|token_ids")
    i = wp.tid()
    idx = wp.tile_load(bag, shape=BAG, offset=i * BAG, storage="shared")
    t = wp.tile_load_indexed(table, indices=idx, shape=(BAG, DIM), axis=0)
    if present(w):
        t = t * wp.tile_broadcast(wp.tile_reshape(wp.tile_load(w, shape=BAG, offset=i * BAG), shape=(BAG, 1)), shape=(BAG, DIM))
    s = either(wp.tile_sum(t, axis=0), wp.tile_reduce(wp.add, t, axis=0))
    match choose("kind"):
        case 1:
            pass
        case 1:
            s = s / float(BAG)
    wp.tile_store(pooled[i], s)


@scene("tile", row,
       says="compares each row with a row of reference values{w:, weighted by column}: {m=0:the sum of absolute differences}{m=1:the largest difference}{m=2:the squared distance}",
       title="row_distance|distance_to_reference|rows_against_reference|score_rows")
def row_distance(COLS: tile(8, 16, 32, 64), x: each(feature, row, COLS), ref: each(feature, COLS), w: maybe(each(weight, COLS), 0.4), d_out: out(value, row), near: maybe(add(count_value, 1), 0.35), cutoff: setting(value, 1.0, 8.0)):
    names(COLS="COLS|DIM|FEATURES|N", d="d|diff|delta|off", s="s|acc|dist_r|res", d_out="d_out|distances|scores_out", near="near|close_count|inliers", ref="ref|prototype|template", cutoff="cutoff|limit|threshold")
    i = wp.tid()
    d = wp.tile_load(x[i], shape=COLS) - wp.tile_load(ref, shape=COLS)
    if present(w):
        d = d * wp.tile_load(w, shape=COLS)
    match choose("m"):
        case 2:
            s = wp.tile_sum(wp.tile_map(wp.abs, d))
        case 2:
            s = wp.tile_max(wp.tile_map(wp.abs, d))
        case 2:
            s = either(wp.tile_dot(d, d), wp.tile_sum(d * d))
    wp.tile_store(d_out, s, offset=i)
    if present(near):
        fact("rows below the cutoff are counted")
        one = wp.tile_full(shape=1, value=wp.where(s[0] < cutoff, 1, 0), dtype=int)
        wp.tile_atomic_add(near, one)


@scene("tile", row,
       says="finds the class with the largest {b:shifted }score in each row{margin: and how far it is ahead of the mean}",
       title="predict_classes|row_argmax|classify_rows|best_class", algorithm="argmax", lossy=True)
def tile_row_argmax(CLASSES: tile(4, 8, 16, 32), scores: each(score, row, CLASSES), b: maybe(each(score, CLASSES), 0.4), best: out(label, row), top: maybe(out(score, row), 0.5), margin: maybe(out(score, row), 0.4)):
    names(CLASSES="CLASSES|NUM_CLASSES|N|LABELS", t="t|row_t|vals|votes", hi="hi|peak|top_t|largest", best="best|predicted|choice", top="top|confidence|best_score", margin="margin|lead|gap", b="b|prior|class_bias")
    i = wp.tid()
    t = wp.tile_load(scores[i], shape=CLASSES)
    if present(b):
        t = t + wp.tile_load(b, shape=CLASSES)
    wp.tile_store(best, wp.tile_argmax(t), offset=i)
    if present(top):
        wp.tile_store(top, wp.tile_max(t), offset=i)
    if present(margin):
        hi = either(wp.tile_max(t), wp.tile_reduce(wp.max, t))
        wp.tile_store(margin, hi - wp.tile_sum(t) / float(CLASSES), offset=i)


@scene("tile", row,
       says="weights each row by {win=0:a Hann}{win=1:a Hamming}{win=2:a Welch} window{to=1: and adds up the energy of what is left}",
       title="window_rows|apply_window|tiled_windowing|taper_frames")
def window_rows(COLS: tile(8, 16, 32, 64), x: each(signal, row, COLS), remove_mean: maybe(setting(value, 0.5, 1.0), 0.3), y: out(signal, row, COLS), power_: out(value, row)):
    names(COLS="COLS|FRAME|WINDOW|N", t="t|frame_t|vals|sig", u="u|pos_t|phase_t|grid_t", k="k|win_t|taper|weights_t", y="y|framed|out", power_="energy|frame_energy|power_out", remove_mean="mean_share|dc_factor|dc_taken", m="m|mean_t|dc|avg")
    i = wp.tid()
    t = wp.tile_load(x[i], shape=COLS)
    if present(remove_mean):
        fact("a share of the mean is taken off first")
        m = wp.tile_sum(t) * (remove_mean / float(COLS))
        t = t - wp.tile_broadcast(m, shape=(COLS,))
    u = wp.tile_arange(COLS, dtype=float) / float(COLS)
    match choose("win"):
        case 2:
            k = wp.tile_map(hann_window, u)
        case 2:
            k = wp.tile_map(hamming_window, u)
        case 2:
            k = wp.tile_map(welch_window, u)
    t = either(t * k, k * t)
    match choose("to"):
        case 2:
            wp.tile_store(y[i], t)
        case 1:
            wp.tile_store(y[i], t)
            wp.tile_store(power_, wp.tile_dot(t, t), offset=i)
