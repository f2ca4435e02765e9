"""Learning machines: recurrent cells, normalisation, trees, mixtures, routing, decoding."""


@scene("ml", "nested_loop", "function", (row, neuron),
       says="advances an LSTM layer by one step: three gates and a candidate from the input and the last hidden state, then the new cell and hidden state",
       title="lstm_step|lstm_cell_forward|recurrent_forward|advance_lstm", algorithm="LSTM cell")
def lstm_step(x: each(embedding_value, row, 4), h: each(hidden_value, row, 6), c: each(cell_memory), wi: each(gate_weight, neuron, 10), wf: each(gate_weight, neuron, 10), wg: each(gate_weight, neuron, 10), wo: each(gate_weight, neuron, 10), b: maybe(each(shift_beta, neuron, 4), 0.6), peep: maybe(each(gate_weight, neuron), 0.3), clip: maybe(setting(value, 0.8, 1.4), 0.3), alive: maybe(each(flag, row), 0.3), c_out: out(cell_memory), h_out: out(hidden_value), f_out: maybe(out(probability), 0.3)):
    names(zi="zi|in_gate|pre_i|acc_i", zf="zf|forget_gate|pre_f|acc_f", zg="zg|candidate|pre_g|acc_g", zo="zo|out_gate|pre_o|acc_o", v="v|inp|feed|act_k", cell="cell|c_new|memory_new|carry", i_g="i_g|gate_in|input_gate|open_i", f_g="f_g|gate_forget|forget|keep_f")
    names(alive="alive|seq_mask|not_padded|step_valid", peep="peep|peephole|w_peep|cell_tap", clip="clip|cell_clip|c_max|state_limit", f_out="f_out|forget_trace|forget_log|gate_dump")
    r, n = wp.tid()
    if present(alive):
        note("finished sequences keep their cell")
        fact("rows whose sequence has ended keep their cell, and show its tanh")
        if alive[r] == 0:
            c_out[r, n] = c[r, n]
            h_out[r, n] = wp.tanh(c[r, n])
            if present(f_out):
                f_out[r, n] = 0.0
            return
    if present(b):
        zi = b[n, 0] * 1.0
        zf = b[n, 1] * 1.0
        zg = b[n, 2] * 1.0
        zo = b[n, 3] * 1.0
    else:
        zi = float(0.0)
        zf = float(0.0)
        zg = float(0.0)
        zo = float(0.0)
    note("input part|contributions of the input")
    for k in range(4):
        v = x[r, k]
        zi += wi[n, k] * v
        zf += wf[n, k] * v
        zg += wg[n, k] * v
        zo += wo[n, k] * v
    note("recurrent part|contributions of the last hidden state")
    for k in range(6):
        v = h[r, k]
        zi += wi[n, 4 + k] * v
        zf += wf[n, 4 + k] * v
        zg += wg[n, 4 + k] * v
        zo += wo[n, 4 + k] * v
    if present(peep):
        note("the gates may look at the cell")
        fact("input and forget gate see the old cell state")
        zi += peep[n] * c[r, n]
        zf += peep[n] * c[r, n]
    i_g = sigmoid(zi)
    f_g = sigmoid(zf)
    cell = f_g * c[r, n] + i_g * wp.tanh(zg)
    if present(clip):
        cell = wp.clamp(cell, -clip, clip)
    c_out[r, n] = cell
    h_out[r, n] = sigmoid(zo) * wp.tanh(cell)
    if present(f_out):
        f_out[r, n] = f_g


@scene("ml", "reduction", "control_flow", column,
       says="normalises each feature over the batch, rescales it, and keeps running estimates of mean and variance",
       title="batch_norm_train|batchnorm_forward|normalize_features|bn_columns", algorithm="batch normalisation")
def batch_norm(x: each(value, row, column), gamma: each(scale_gamma), beta: maybe(each(shift_beta), 0.7), run_mean: inout(running_mean), run_var: inout(running_variance), rate: setting(ratio, 0.05, 0.3), eps: setting(small_number, 0.00001, 0.001), frozen: maybe(setting(flag, fixed=True), 0.4), y: out(value, row, column), saved: maybe(out(positive_value), 0.4)):
    names(mu="mu|batch_mean|m|avg", var="var|batch_var|second|spread", d="d|dev|centered|diff", inv="inv|rstd|inv_std|scale_n", n="n|batch|m_rows|rows_f", frozen="frozen|eval_mode|use_running|inference", saved="saved|save_invstd|rstd_out|inv_out", rate="rate|momentum|bn_momentum|avg_rate")
    c = wp.tid()
    n = float(count(row))
    mu = float(0.0)
    var = float(0.0)
    for r in range(count(row)):
        mu += x[r, c]
    mu = mu / n
    match choose("pass"):
        case 2:
            for r in range(count(row)):
                d = x[r, c] - mu
                var += d * d
            var = var / n
        case 1:
            note("mean of squares less square of the mean")
            for r in range(count(row)):
                var += x[r, c] * x[r, c]
            var = wp.max(var / n - mu * mu, 0.0)
    if present(frozen):
        if frozen == 1:
            note("inference: the running estimates count|evaluation mode")
            mu = run_mean[c]
            var = run_var[c]
        else:
            run_mean[c] = (1.0 - rate) * run_mean[c] + rate * mu
            run_var[c] = (1.0 - rate) * run_var[c] + rate * var * n / wp.max(n - 1.0, 1.0)
    else:
        note("the running variance is the unbiased one")
        run_mean[c] = wp.lerp(run_mean[c], mu, rate)
        run_var[c] = wp.lerp(run_var[c], var * n / wp.max(n - 1.0, 1.0), rate)
    inv = 1.0 / wp.sqrt(var + eps)
    for r in range(count(row)):
        d = (x[r, c] - mu) * inv * gamma[c]
        if present(beta):
            d = d + beta[c]
        y[r, c] = d
    if present(saved):
        saved[c] = inv


@scene("ml", "nested_loop", "stencil", (head, row, column),
       says="convolves an image of three channels with a bank of three-by-three filters, with zeros beyond the border",
       title="conv2d_forward|conv_nchw|filter_planes|conv3x3", algorithm="2-D convolution of a layer")
def conv2d_layer(x: each(channel_value, 3, row, column), w: each(parameter, head, 3, 9), b: maybe(each(shift_beta, head), 0.6), dilate: maybe(setting(steps_value, 1, 2), 0.4), y: out(activation), dead: maybe(add(count_value, head), 0.3)):
    names(o="o|f|oc|out_ch", i="i|y0|row|oy", j="j|x0|col|ox", b="bias|biases|b|bias_c", acc="acc|s|z|pre", yy="yy|src_y|row_in|iy", xx="xx|src_x|col_in|ix", ky="ky|a|dy|u", kx="kx|b2|dx|v", ch="ch|c_in|plane|ci", dilate="dilate|dilation|rate_d|spread", dead="dead|zero_units|silent|inactive_units")
    o, i, j = wp.tid()
    if present(b):
        acc = b[o] * 1.0
    else:
        acc = float(0.0)
    for ch in range(3):
        for ky in range(3):
            if present(dilate):
                yy = i + (ky - 1) * dilate
            else:
                yy = i + ky - 1
            note("zero padding|outside of the image")
            if yy < 0 or yy >= count(row):
                continue
            for kx in range(3):
                if present(dilate):
                    xx = j + (kx - 1) * dilate
                else:
                    xx = j + kx - 1
                if xx >= 0 and xx < count(column):
                    acc += w[o, ch, 3 * ky + kx] * x[ch, yy, xx]
    match choose("act"):
        case 2:
            fact("the result is rectified")
            if present(dead):
                if acc <= 0.0:
                    wp.atomic_add(dead, o, 1)
            y[o, i, j] = wp.max(acc, 0.0)
        case 1:
            fact("the result goes through a smooth gate, x times its sigmoid")
            if present(dead):
                if acc < -3.0:
                    wp.atomic_add(dead, o, 1)
            y[o, i, j] = silu(acc)
        case 1:
            y[o, i, j] = acc


@scene("ml", "math", "nested_loop", sample,
       says="classifies each sample by a Gaussian naive Bayes model",
       title="naive_bayes|gaussian_nb_predict|bayes_classify|nb_posterior", algorithm="Gaussian naive Bayes")
def naive_bayes(x: each(feature, sample, 5), mu: each(mean, 4, 5), var: each(variance, 4, 5, range=(0.3, 2.0)), prior: each(log_prior, 4), seen: maybe(each(flag, sample, 5), 0.3), label_out: out(label), p_out: maybe(out(probability), 0.7), margin_out: maybe(out(score), 0.4), unsure: maybe(add(count_value, 1), 0.3)):
    names(best="best|top_lp|max_log|winner_lp", second="second|next_lp|runner|other_lp", who="who|arg|chosen|cls", lp="lp|log_post|joint|ll", z="z|norm_z|evidence|total_p", d="d|diff|dev|resid", joint="joint|scores_k|logs|per_class", seen="seen|observed|not_missing|has_value", unsure="unsure|rejected|ambiguous|low_conf")
    i = wp.tid()
    joint = wp.vec4()
    best = float(-1.0e9)
    second = float(-1.0e9)
    who = int(0)
    for k in range(4):
        lp = prior[k]
        for f in range(5):
            if present(seen):
                note("features that are missing are marginalised away|skip missing features")
                if seen[i, f] == 0:
                    continue
            d = x[i, f] - mu[k, f]
            lp = lp - 0.5 * (wp.log(2.0 * wp.pi * var[k, f]) + d * d / var[k, f])
        joint[k] = lp
        if lp > best:
            second = best
            best = lp
            who = k
        elif lp > second:
            second = lp
    label_out[i] = who
    if present(p_out) or present(unsure):
        z = float(0.0)
        for k in range(4):
            z += wp.exp(joint[k] - best)
        if present(p_out):
            p_out[i] = 1.0 / z
        if present(unsure):
            if 1.0 / z < number(0.5, 0.8, "cut"):
                wp.atomic_add(unsure, 0, 1)
    if present(margin_out):
        margin_out[i] = best - second


@scene("ml", "atomic", "nested_loop", sample,
       says="computes how much each component of a Gaussian mixture is responsible for each point",
       title="gmm_e_step|mixture_responsibilities|expectation_step|soft_assign", algorithm="expectation step of a Gaussian mixture",
       lossy=True)
def gmm_e_step(x: each(point2), mu: each(point2, cluster), var: each(variance, cluster, range=(0.3, 1.5)), log_w: each(log_prior, cluster), resp: out(probability, sample, cluster), ll: maybe(add(log_likelihood, 1), 0.6), mass_k: maybe(add(weight, cluster), 0.6), sum_k: maybe(add(point2, cluster), 0.5), hard: maybe(out(label, sample), 0.4)):
    names(top="top|peak|max_l|largest", z="z|total|norm_c|denom", d="d|diff|off|rel", l="l|log_p|ljoint|logit_k", p="p|r_k|gamma_k|share", who="who|assign|argbest|which", mass_k="mass_k|n_k|eff_counts|soft_counts", sum_k="sum_k|weighted_sum|moment1|s_k", hard="hard|assignment|labels_out|map_label", resp="resp|responsibilities|posterior|gamma")
    i = wp.tid()
    top = float(-1.0e9)
    who = int(0)
    for k in range(count(cluster)):
        d = x[i] - mu[k]
        note("two dimensions, the same variance in both")
        l = log_w[k] - wp.log(2.0 * wp.pi * var[k]) - 0.5 * either(wp.dot(d, d), wp.length_sq(d)) / var[k]
        resp[i, k] = l
        if l > top:
            top = l
            who = k
    z = float(0.0)
    for k in range(count(cluster)):
        p = wp.exp(resp[i, k] - top)
        resp[i, k] = p
        z += p
    for k in range(count(cluster)):
        p = resp[i, k] / z
        resp[i, k] = p
        if present(mass_k):
            wp.atomic_add(mass_k, k, p)
        if present(sum_k):
            wp.atomic_add(sum_k, k, x[i] * p)
    if present(ll):
        wp.atomic_add(ll, 0, top + wp.log(z))
    if present(hard):
        hard[i] = who


@scene("ml", "control_flow", "reduction", column,
       says="scans the gradient histogram of each feature for the split of a boosted tree with the highest gain",
       title="best_splits|find_split|scan_histograms|boosting_split", algorithm="histogram split search of gradient boosting", topic="")
def boosting_split(g: each(gradient_sum, column, 16), h: each(hessian_sum, column, 16), lam: setting(regularizer), gamma: maybe(setting(split_gain, 0.01, 0.3), 0.5), least: maybe(setting(hessian_sum, 0.3, 2.0), 0.6), off: maybe(each(flag), 0.3), bin_out: out(index_value), gain_out: out(split_gain), left_out: maybe(out(value), 0.4), right_out: maybe(out(value), 0.4), missing_g: maybe(each(gradient_sum), 0.4), missing_h: maybe(each(hessian_sum), 1.0), side: maybe(out(flag), 0.4)):
    names(gt="gt|g_total|sum_g|node_g", ht="ht|h_total|sum_h|node_h", gl="gl|g_left|left_g|acc_g", hl="hl|h_left|left_h|acc_h", base="base|parent_score|root_gain|before", gain="gain|score|improve|delta", best="best|top_gain|best_so_far|max_gain", at="at|cut_bin|best_bin|pos")
    names(least="least|min_child|min_hessian|child_floor", off="off|unused|excluded|masked_features", side="side|default_left|missing_left|goes_left", missing_g="missing_g|nan_grad|absent_g|g_missing", missing_h="missing_h|nan_hess|absent_h|h_missing")
    f = wp.tid()
    if present(off):
        if off[f] == 1:
            note("feature is not sampled for this tree")
            bin_out[f] = -1
            gain_out[f] = 0.0
            if present(left_out):
                left_out[f] = 0.0
            if present(right_out):
                right_out[f] = 0.0
            return
    gt = float(0.0)
    ht = float(0.0)
    for b in range(16):
        gt += g[f, b]
        ht += h[f, b]
    if present(missing_g) and present(missing_h):
        gt += missing_g[f]
        ht += missing_h[f]
    base = leaf_objective(gt, ht, lam)
    best = float(0.0)
    at = int(-1)
    gl = float(0.0)
    hl = float(0.0)
    if present(missing_g) and present(side):
        side[f] = 0
    if present(left_out):
        left_out[f] = 0.0
    if present(right_out):
        right_out[f] = 0.0
    for b in range(15):
        gl += g[f, b]
        hl += h[f, b]
        if present(least):
            note("children must carry enough weight")
            if hl < least or ht - hl < least:
                continue
        gain = 0.5 * (leaf_objective(gl, hl, lam) + leaf_objective(gt - gl, ht - hl, lam) - base)
        if present(gamma):
            gain = gain - gamma
        if gain > best:
            best = gain
            at = b
            if present(left_out):
                left_out[f] = leaf_weight(gl, hl, lam)
            if present(right_out):
                right_out[f] = leaf_weight(gt - gl, ht - hl, lam)
            if present(missing_g) and present(side):
                side[f] = 0
        if present(missing_g) and present(missing_h) and present(side):
            note("the same split with missing values on the left")
            gain = 0.5 * (leaf_objective(gl + missing_g[f], hl + missing_h[f], lam) + leaf_objective(gt - gl - missing_g[f], ht - hl - missing_h[f], lam) - base)
            if present(gamma):
                gain = gain - gamma
            if gain > best:
                best = gain
                at = b
                side[f] = 1
                if present(left_out):
                    left_out[f] = leaf_weight(gl + missing_g[f], hl + missing_h[f], lam)
                if present(right_out):
                    right_out[f] = leaf_weight(gt - gl - missing_g[f], ht - hl - missing_h[f], lam)
    bin_out[f] = at
    gain_out[f] = best


@scene("ml", "nested_loop", "control_flow", query,
       says="classifies each query by a vote among its three nearest samples",
       title="knn_classify|nearest_votes|knn_predict|vote_neighbors", algorithm="k-nearest-neighbours vote", rare=True)
def knn_vote(q: each(position), x: each(position, sample), label: each(label, sample, range=(0, 3)), reach: maybe(setting(distance, 1.5, 3.0), 0.3), y: out(label), conf: maybe(out(probability), 0.6), nearest_out: maybe(out(index_value, query, 3), 0.4)):
    names(dist="dist|near_d|best_d|sq", ids="ids|near_id|best_id|who", votes="votes|tally|ballot|class_w", d="d|d2|gap_sq|r2", slot="slot|pos|rank_p|near_k", w="w|vote_w|influence|share", best="best|winner|choice|top_c", total="total|mass|vote_sum|all_w")
    i = wp.tid()
    dist = wp.vec3(1.0e9, 1.0e9, 1.0e9)
    ids = wp.vec3i(-1, -1, -1)
    for s in range(count(sample)):
        d = wp.length_sq(q[i] - x[s])
        if present(reach):
            if d > reach * reach:
                continue
        note("keep the three smallest in order|insertion into the short list")
        if d < dist[0]:
            dist = wp.vec3(d, dist[0], dist[1])
            ids = wp.vec3i(s, ids[0], ids[1])
        elif d < dist[1]:
            dist = wp.vec3(dist[0], d, dist[1])
            ids = wp.vec3i(ids[0], s, ids[1])
        elif d < dist[2]:
            dist[2] = d
            ids[2] = s
    votes = wp.vec4()
    total = float(0.0)
    for slot in range(3):
        if ids[slot] < 0:
            break
        match choose("vote"):
            case 1:
                votes[label[ids[slot]]] += 1.0
                total += 1.0
            case 1:
                fact("nearer samples have more weight")
                w = 1.0 / (wp.sqrt(dist[slot]) + constant("VOTE_EPS|EPS", 1.0e-3))
                votes[label[ids[slot]]] += w
                total += w
    if present(nearest_out):
        for slot in range(3):
            nearest_out[i, slot] = ids[slot]
    if total == 0.0:
        note("nobody near")
        y[i] = -1
        if present(conf):
            conf[i] = 0.0
        return
    best = int(wp.argmax(votes))
    y[i] = best
    if present(conf):
        conf[i] = votes[best] / total


@scene("ml", "integer", "control_flow", row,
       says="quantises each row of weights to signed eight-bit codes with a scale of its own and measures the error",
       title="quantize_rows|int8_quantize|per_row_quant|encode_weights", algorithm="per-row linear quantisation")
def quantize_rows(w: each(parameter, row, column), q: out(codeword, row, column), scale_out: out(positive_value, row), zero_out: maybe(out(codeword, row), 0.4), err_out: out(loss, row), clipped: maybe(add(count_value, 1), 0.3), limit: maybe(setting(parameter, 0.8, 1.4), 0.4)):
    names(lo="lo|w_min|smallest|floor_w", hi="hi|w_max|biggest|ceil_w", step="step|scale|delta|lsb", zp="zp|zero|offset_q|shift_q", scale_out="scale_out|scales|row_scales|steps_out", v="v|wv|val|coef", code="code|qv|level|bucket", err="err|mse|sq_err|distort", limit="limit|clip_at|range_cap|calib_max")
    r = wp.tid()
    lo = float(1.0e9)
    hi = float(-1.0e9)
    for c in range(count(column)):
        v = w[r, c]
        if present(limit):
            v = wp.clamp(v, -limit, limit)
        lo = wp.min(lo, v)
        hi = wp.max(hi, v)
    match choose("kind"):
        case 2:
            note("symmetric around zero|absmax")
            fact("the codes are symmetric around zero")
            step = wp.max(wp.max(wp.abs(lo), wp.abs(hi)), 1.0e-8) / 127.0
        case 1:
            note("the range of the row fills all codes|affine")
            fact("the codes cover the range from the smallest to the largest weight")
            step = wp.max(hi - lo, 1.0e-8) / 255.0
            zp = wp.rint(-128.0 - lo / step)
            if present(zero_out):
                zero_out[r] = int(zp)
    scale_out[r] = step
    err = float(0.0)
    for c in range(count(column)):
        match choose("kind"):
            case 2:
                code = either(wp.rint(w[r, c] / step), wp.round(w[r, c] / step))
            case 1:
                code = wp.rint(w[r, c] / step) + zp
        if present(clipped):
            if code < -128.0 or code > 127.0:
                wp.atomic_add(clipped, 0, 1)
        code = wp.clamp(code, -128.0, 127.0)
        q[r, c] = int(code)
        match choose("kind"):
            case 2:
                v = code * step
            case 1:
                v = (code - zp) * step
        err += (v - w[r, c]) * (v - w[r, c])
    err_out[r] = err / float(count(column))


@scene("ml", "math", "scalar_param", weight_index,
       says="takes one step of an adaptive gradient method that divides by the root of accumulated squares",
       title="adaptive_step|adaptive_update|scaled_gradient_step|per_weight_step", algorithm="RMSprop, Adagrad or Adadelta")
def adaptive_step(w: inout(parameter), g: each(gradient), acc: inout(second_moment), dx: maybe(inout(second_moment), 1.0), lr: setting(learning_rate), rho: setting(decay, 0.8, 0.99), eps: setting(small_number, 0.00001, 0.001), decay: maybe(setting(weight_decay), 0.3), frozen: maybe(each(flag), 0.3), skipped: maybe(add(count_value, 1), 0.3), size_out: maybe(out(positive_value), 0.3)):
    names(d="d|grad_i|gd|direction", a="a|avg_sq|cache|hist", step="step|delta|move|update_w", acc="acc|sum_sq|square_avg|grad_cache", dx="dx|delta_avg|acc_delta|update_sq", frozen="frozen|is_fixed|locked|no_update", skipped="skipped|bad_grads|num_skipped|nonfinite", size_out="size_out|step_norms|update_mag|moved_by")
    i = wp.tid()
    if present(frozen):
        if frozen[i] == 1:
            return
    d = g[i]
    if present(skipped):
        note("gradients that exploded are not used")
        if wp.isnan(d) or wp.abs(d) > number(0.85, 0.98, "cut"):
            wp.atomic_add(skipped, 0, 1)
            return
    if present(decay):
        d = d + decay * w[i]
    match choose("rule"):
        case 2:
            fact("RMSprop: the squares are averaged")
            a = rho * acc[i] + (1.0 - rho) * d * d
            step = lr * d / (wp.sqrt(a) + eps)
        case 2:
            fact("Adagrad: the squares are added up")
            a = acc[i] + d * d
            step = lr * d / (wp.sqrt(a) + eps)
        case 1:
            fact("Adadelta: the step is as large as earlier steps were")
            a = rho * acc[i] + (1.0 - rho) * d * d
            step = d * wp.sqrt(dx[i] + eps) / wp.sqrt(a + eps)
            dx[i] = rho * dx[i] + (1.0 - rho) * step * step
    acc[i] = a
    w[i] = w[i] - step
    if present(size_out):
        size_out[i] = wp.abs(step)
