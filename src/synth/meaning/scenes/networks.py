"""Learning: layers, losses, optimisers, attention, clusters, bandits, trees."""


@scene("ml", "reduction", "nested_loop", row,
       says="normalises each row to mean zero and variance one, then scales and shifts it",
       title="layer_norm|normalize_rows|layernorm_forward|row_norm", algorithm="layer normalisation")
def layer_norm(x: each(feature, row, column), gamma: maybe(each(scale_weight, column), 0.7, "affine"), beta: maybe(each(shift_weight, column), 0.7, "affine"), y: out(feature, row, column), inv_out: maybe(out(positive_value), 0.3)):
    names(mu="mu|mean|avg|m", var="var|variance|v|spread", inv="inv|rstd|scale|inv_std", d="d|diff|xc|centered", n="n|dim|width|cols_f")
    r = wp.tid()
    n = float(count(column))
    mu = float(0.0)
    for c in range(count(column)):
        mu += x[r, c]
    mu = mu / n
    var = float(0.0)
    for c in range(count(column)):
        d = x[r, c] - mu
        var += d * d
    var = var / n
    inv = 1.0 / wp.sqrt(var + constant("EPS|LN_EPS|EPSILON", 1.0e-5))
    if present(inv_out):
        inv_out[r] = inv
    for c in range(count(column)):
        d = (x[r, c] - mu) * inv
        if present(gamma):
            d = d * gamma[c]
        if present(beta):
            d = d + beta[c]
        y[r, c] = d


@scene("ml", "reduction", "math", row,
       says="divides each row by its root mean square and scales it",
       title="rms_norm|rmsnorm|root_mean_square_norm|scale_rows", algorithm="RMS normalisation")
def rms_norm(x: each(feature, row, column), gamma: maybe(each(scale_weight, column), 0.6), residual: maybe(each(feature, row, column), 0.3), y: out(feature, row, column)):
    names(sq="sq|total|acc|sum_sq", inv="inv|scale|r|inv_rms", h="h|v|val|hidden", residual="residual|skip|shortcut|res_in")
    r = wp.tid()
    sq = float(0.0)
    for c in range(count(column)):
        h = x[r, c]
        if present(residual):
            h = h + residual[r, c]
        sq += h * h
    inv = 1.0 / wp.sqrt(sq / float(count(column)) + constant("EPS|RMS_EPS", 1.0e-6))
    for c in range(count(column)):
        h = x[r, c]
        if present(residual):
            h = h + residual[r, c]
        if present(gamma):
            y[r, c] = h * inv * gamma[c]
        else:
            y[r, c] = h * inv


@scene("ml", "nested_loop", "function", (row, neuron),
       says="computes one dense layer of a network, with bias and activation",
       title="dense_layer|linear_forward|fully_connected|mlp_layer", algorithm="dense layer")
def dense_layer(x: each(feature, row, column), w: each(parameter, neuron, column), b: maybe(each(parameter, neuron), 0.7), y: out(activation), pre: maybe(out(preactivation), 0.4)):
    names(z="z|acc|total|s", k="k|c|j_in|feat")
    r, n = wp.tid()
    z = float(0.0)
    for k in range(count(column)):
        z += w[n, k] * x[r, k]
    if present(b):
        z = z + b[n]
    if present(pre):
        pre[r, n] = z
    match choose("act"):
        case 3:
            y[r, n] = relu(z)
        case 2:
            y[r, n] = gelu(z)
        case 2:
            y[r, n] = silu(z)
        case 1:
            y[r, n] = leaky_relu(z, number(0.01, 0.2))
        case 1:
            y[r, n] = elu(z, 1.0)
        case 1:
            y[r, n] = softplus(z)
        case 1:
            y[r, n] = mish(z)
        case 1:
            y[r, n] = wp.tanh(z)
        case 1:
            y[r, n] = hard_sigmoid(z)


@scene("ml", "math", "scalar_param", weight_index,
       says="takes one step of Adam, with both moments corrected for their start at zero",
       title="adam_step|adam_update|optimizer_step|apply_adam", algorithm="Adam")
def adam(w: inout(parameter), g: each(gradient), m: inout(moment_value), v: inout(second_moment), lr: setting(learning_rate), beta1: setting(adam_beta1), beta2: setting(adam_beta2), step: setting(steps_value), decay: maybe(setting(weight_decay), 0.4), limit: maybe(setting(gradient_limit), 0.3)):
    names(gi="gi|grad_i|dw|grad_w", mi="mi|m_new|first|m1", vi="vi|v_new|second|v1", mh="mh|m_hat|mc|m_unbiased", vh="vh|v_hat|vc|v_unbiased", t="t|step_f|n_step|k")
    i = wp.tid()
    gi = g[i]
    if present(limit):
        note("clip the gradient")
        fact("gradients are clipped first")
        gi = wp.clamp(gi, -limit, limit)
    match choose("moments"):
        case 2:
            mi = beta1 * m[i] + (1.0 - beta1) * gi
            vi = beta2 * v[i] + (1.0 - beta2) * gi * gi
        case 1:
            mi = adam_first_moment(m[i], gi, beta1)
            vi = adam_second_moment(v[i], gi, beta2)
    m[i] = mi
    v[i] = vi
    t = float(step)
    mh = mi / (1.0 - wp.pow(beta1, t))
    vh = vi / (1.0 - wp.pow(beta2, t))
    if present(decay):
        note("decoupled weight decay, as in AdamW")
        w[i] = w[i] - lr * (mh / (wp.sqrt(vh) + 1.0e-8) + decay * w[i])
    else:
        w[i] = w[i] - lr * mh / (wp.sqrt(vh) + 1.0e-8)


@scene("ml", "arithmetic", "scalar_param", weight_index,
       says="takes one step of gradient descent with momentum",
       title="sgd_momentum|momentum_step|sgd_update|heavy_ball", algorithm="SGD with momentum")
def sgd_momentum(w: inout(parameter), g: each(gradient), v: inout(momentum_buffer), lr: setting(learning_rate), beta: setting(momentum_factor), decay: maybe(setting(weight_decay), 0.4), nesterov: maybe(setting(flag), 0.3), frozen: maybe(each(flag), 0.3)):
    names(d="d|grad_i|direction|gd", vel="vel|v_new|buf|momentum_i", frozen="frozen|locked|no_grad|fixed_mask", nesterov="nesterov|use_nesterov|lookahead|ahead")
    i = wp.tid()
    if present(frozen):
        note("frozen parameters stay")
        if frozen[i] == 1:
            return
    d = g[i]
    if present(decay):
        d = d + decay * w[i]
    vel = either(beta * v[i] + d, momentum_velocity(v[i], d, beta))
    v[i] = vel
    if present(nesterov):
        if nesterov == 1:
            note("look ahead along the velocity")
            d = d + beta * vel
        else:
            d = vel
        w[i] = w[i] - lr * d
    else:
        w[i] = w[i] - lr * vel


@scene("ml", "nested_loop", "reduction", token,
       says="computes causal attention for each token: weights by the scaled products of query and keys that sum to one, then the mean of the values",
       title="causal_attention|self_attention|attend|attention_forward", algorithm="causal scaled dot-product attention",
       lossy=True)
def attention(q: each(embedding_value, token, 4), k: each(embedding_value, token, 4), v: each(embedding_value, token, 4), mask: maybe(each(flag), 0.3), y: out(embedding_value, token, 4), lse: maybe(out(score), 0.4)):
    names(top="top|m|row_max|largest", total="total|denom|norm|z", s="s|score|dot|logit", w="w|p|weight|e", scale="scale|inv_sqrt|temp|factor", mask="mask|padding|is_pad|dropped", lse="lse|log_sum|logsumexp|normalizer")
    t = wp.tid()
    scale = constant("SCALE|INV_SQRT_D", 0.5)
    note("largest score first, for stability")
    top = float(-1.0e9)
    for j in range(count(token)):
        note("no token sees later ones|causal mask")
        if j > t:
            break
        if present(mask):
            if mask[j] == 1 and j != t:
                continue
        s = float(0.0)
        for c in range(4):
            s += q[t, c] * k[j, c]
        top = wp.max(top, s * scale)
    total = float(0.0)
    for c in range(4):
        y[t, c] = 0.0
    for j in range(count(token)):
        if j > t:
            break
        if present(mask):
            note("padding is not attended to")
            if mask[j] == 1 and j != t:
                continue
        s = float(0.0)
        for c in range(4):
            s += q[t, c] * k[j, c]
        w = wp.exp(s * scale - top)
        total += w
        for c in range(4):
            y[t, c] = y[t, c] + w * v[j, c]
    for c in range(4):
        y[t, c] = y[t, c] / total
    if present(lse):
        lse[t] = top + wp.log(total)


@scene("ml", "reduction", "control_flow", row,
       says="computes the cross-entropy of each row of scores and its label{grad:, and the gradient with respect to the scores}",
       title="cross_entropy|softmax_loss|nll_rows|classification_loss", algorithm="softmax cross-entropy")
def cross_entropy(x: each(logit, row, category), label: each(label, range=(0, 3)), ignore: maybe(setting(label, 0, 3), 0.3), loss_out: out(loss), grad: maybe(out(gradient, row, category), 0.6), hits: maybe(add(count_value, 1), 0.4)):
    names(top="top|m|biggest|max_logit", total="total|z|sum_e|denom", y="y|t|cls|truth", p="p|prob|soft|q_c", best="best|argmax|guess|pred", smooth="smooth|log_z|lse|norm_log", ignore="ignore|skip_label|pad_class|ignore_index")
    r = wp.tid()
    y = label[r]
    if present(ignore):
        note("unlabelled rows")
        fact("rows with the label to ignore have no loss")
        if y == ignore:
            loss_out[r] = 0.0
            if present(grad):
                for c in range(count(category)):
                    grad[r, c] = 0.0
            return
    top = x[r, 0]
    best = int(0)
    for c in range(1, count(category)):
        if x[r, c] > top:
            top = x[r, c]
            best = c
    total = float(0.0)
    for c in range(count(category)):
        total += wp.exp(x[r, c] - top)
    smooth = top + wp.log(total)
    loss_out[r] = smooth - x[r, y]
    if present(grad):
        for c in range(count(category)):
            p = wp.exp(x[r, c] - smooth)
            if c == y:
                p = p - 1.0
            grad[r, c] = p
    if present(hits):
        if best == y:
            wp.atomic_add(hits, 0, 1)


@scene("ml", "nested_loop", "control_flow", sample,
       says="assigns each point to the nearest centre{sums: and adds it to the sums from which the centres are renewed}",
       title="kmeans_assign|assign_clusters|nearest_centroid|cluster_step", algorithm="k-means assignment")
def cluster_assign(x: each(position), centers: each(position, cluster), label_out: out(label), sums: maybe(add(position, cluster), 0.7, "sums"), counts: maybe(add(count_value, cluster), 0.7, "sums"), inertia: maybe(add(squared_distance, 1), 0.4)):
    names(best="best|min_d|closest|best_sq", k="k|winner|nearest|which", d="d|d2|dist_sq|sq", diff="diff|delta|v|off", centers="centers|centroids|means|codebook")
    i = wp.tid()
    best = float(1.0e9)
    k = int(0)
    for c in range(count(cluster)):
        diff = x[i] - centers[c]
        d = wp.dot(diff, diff)
        if d < best:
            best = d
            k = c
    label_out[i] = k
    if present(sums):
        wp.atomic_add(sums, k, x[i])
    if present(counts):
        wp.atomic_add(counts, k, 1)
    if present(inertia):
        wp.atomic_add(inertia, 0, best)


@scene("ml", "math", "function", item,
       says="computes {kind=0:the Huber loss}{kind=1:the log-cosh loss}{kind=2:the absolute error}{kind=3:half the squared error}{kind=4:the quantile loss} between predictions and targets{total: and its mean}",
       title="regression_loss|prediction_loss{kind=0:|robust_loss|huber_losses}{kind=1:|robust_loss|log_cosh_losses}{kind=2:|absolute_errors}{kind=3:|squared_errors}{kind=4:|pinball_losses|quantile_losses}")
def regression_loss(y: each(prediction), t: each(target), w: maybe(each(weight), 0.4), delta: setting(huber_delta), per_item: out(loss), total: maybe(add(loss, 1), 0.6), mask: maybe(each(flag), 0.3)):
    names(l="l|item_loss|cost|err_i", mask="mask|valid|observed|use")
    i = wp.tid()
    if present(mask):
        note("missing targets")
        if mask[i] == 0:
            per_item[i] = 0.0
            return
    match choose("kind"):
        case 2:
            l = huber_loss(y[i], t[i], delta)
        case 1:
            l = log_cosh_loss(y[i], t[i])
        case 1:
            l = absolute_error(y[i], t[i])
        case 1:
            l = half_squared_error(y[i], t[i])
        case 1:
            l = quantile_loss(y[i], t[i], number(0.1, 0.9))
    if present(w):
        l = l * w[i]
    per_item[i] = l
    if present(total):
        wp.atomic_add(total, 0, l / float(count(item)))


@scene("ml", "control_flow", "nested_loop", sample,
       says="walks each sample down a decision tree to its leaf",
       title="tree_predict|decision_tree|traverse_tree|evaluate_tree", algorithm="decision tree traversal")
def decision_tree(x: each(feature, sample, 4), split: each(label, 15, range=(0, 3)), cut: each(feature, 15, range=(-1.0, 1.0)), leaf: each(value, 16), y: out(prediction), leaf_id: maybe(out(index_value), 0.5), visits: maybe(add(count_value, 16), 0.4)):
    names(node="node|n|at|cursor", f="f|feat|dim_k|axis", child="child|next_node|kid|below", split="split|split_feature|node_dim|feature_id", cut="cut|threshold|split_value|cuts", leaf="leaf|leaf_values|outputs|responses")
    i = wp.tid()
    node = int(0)
    match choose("form"):
        case 2:
            note("four levels: children of n are 2n + 1 and 2n + 2")
            for level in range(constant("TREE_DEPTH|NUM_LEVELS|MAX_DEPTH", 4)):
                f = split[node]
                if x[i, f] < cut[node]:
                    node = 2 * node + 1
                else:
                    node = 2 * node + 2
        case 1:
            while node < constant("NUM_SPLITS|INNER_NODES|FIRST_LEAF", 15):
                f = split[node]
                child = 2 * node + 1
                if x[i, f] >= cut[node]:
                    child = child + 1
                node = child
    y[i] = leaf[node - constant("NUM_SPLITS|INNER_NODES|FIRST_LEAF", 15)]
    if present(leaf_id):
        leaf_id[i] = node - constant("NUM_SPLITS|INNER_NODES|FIRST_LEAF", 15)
    if present(visits):
        wp.atomic_add(visits, node - constant("NUM_SPLITS|INNER_NODES|FIRST_LEAF", 15), 1)


@scene("ml", "nested_loop", "scalar_param", path,
       says="computes generalised advantages of each episode backwards in time",
       title="gae|advantage_estimation|compute_advantages|discounted_advantages", algorithm="generalised advantage estimation")
def gae(r: each(reward, path, 10), v: each(state_value, path, 11), done: maybe(each(flag, path, 10), 0.6), gamma: setting(discount), lam: setting(ratio, 0.8, 0.98), adv: out(advantage, path, 10), ret: maybe(out(reward, path, 10), 0.5)):
    names(last="last|running|acc|gae_next", delta="delta|td|err|td_error", t="t|step|back|k_t", live="live|mask|not_done|cont", lam="lam|gae_lambda|trace|smooth_l", done="done|terminal|ended|is_last")
    e = wp.tid()
    last = float(0.0)
    for back in range(10):
        t = 9 - back
        live = float(1.0)
        if present(done):
            note("no value beyond the end of an episode")
            if done[e, t] == 1:
                live = 0.0
        delta = r[e, t] + gamma * live * v[e, t + 1] - v[e, t]
        last = delta + gamma * lam * live * last
        adv[e, t] = last
        if present(ret):
            ret[e, t] = last + v[e, t]


@scene("ml", "multi_conditional", "math", sample,
       says="computes the clipped policy objective of each step and how often the clip was active",
       title="ppo_loss|policy_objective|clipped_surrogate|policy_loss", algorithm="PPO clipped objective")
def ppo(logp: each(log_likelihood, range=(-3.0, -0.1)), old: each(log_likelihood, range=(-3.0, -0.1)), adv: each(advantage), eps: setting(clip_range), obj: out(objective), clipped: add(count_value, 1), kl: maybe(add(divergence, 1), 0.4)):
    names(ratio="ratio|r|importance|prob_ratio", a="a|adv_i|gain|advantage_i", limited="limited|clip_r|bounded|r_clip", logp="logp|new_logp|log_prob|logits_new", old="old|old_logp|logp_old|behavior")
    i = wp.tid()
    ratio = wp.exp(logp[i] - old[i])
    a = adv[i]
    match choose("form"):
        case 1:
            obj[i] = clipped_objective(ratio, a, eps)
        case 1:
            limited = wp.clamp(ratio, 1.0 - eps, 1.0 + eps)
            obj[i] = wp.min(ratio * a, limited * a)
    if present(clipped):
        if wp.abs(ratio - 1.0) > eps:
            wp.atomic_add(clipped, 0, 1)
    if present(kl):
        wp.atomic_add(kl, 0, ratio - 1.0 - wp.log(ratio))


@scene("ml", "vector", "math", (token, head),
       says="turns the pairs of each query by angles that grow with the position of its token",
       title="apply_rope|rotary_embedding|rotate_queries|position_rotate", algorithm="rotary position embedding")
def rotary_tokens(x: each(feature_pair), offset: maybe(setting(index_value), 0.4), y: out(feature_pair)):
    names(theta="theta|angle|phi|rot", c="c|cos_t|ct|cosv", s="s|sin_t|st|sinv", pos="pos|place|position_f|n", freq="freq|inv_freq|omega|rate")
    t, h = wp.tid()
    pos = float(t)
    if present(offset):
        note("tokens before are in the cache")
        pos = float(t + offset)
    freq = wp.pow(constant("ROPE_BASE|THETA_BASE|BASE", 10000.0), -float(h) / float(count(head)))
    theta = pos * freq
    match choose("form"):
        case 1:
            y[t, h] = rotary_pair(x[t, h], theta)
        case 1:
            c = wp.cos(theta)
            s = wp.sin(theta)
            y[t, h] = wp.vec2(x[t, h][0] * c - x[t, h][1] * s, x[t, h][0] * s + x[t, h][1] * c)


@scene("ml", "nested_loop", "reduction", (row, filter_tap),
       says="convolves each row with a set of filters, rectifies and takes the maximum over pairs",
       title="conv_pool|conv1d_relu_pool|filter_bank|conv_block", algorithm="1-D convolution with max pooling")
def conv_pool(x: each(signal, row, 12), w: each(parameter, filter_tap, 3), b: maybe(each(parameter, filter_tap), 0.6), y: out(activation, row, filter_tap, 5)):
    names(best="best|pooled|top|peak", acc="acc|s|z|conv", p="p|cell_p|slot|window")
    r, f = wp.tid()
    for p in range(5):
        best = float(0.0)
        for half in range(2):
            acc = float(0.0)
            if present(b):
                acc = b[f] * 1.0
            for k in range(3):
                acc += w[f, k] * x[r, 2 * p + half + k]
            note("the rectifier is the start value of the maximum")
            best = wp.max(best, acc)
        y[r, f, p] = best


@scene("ml", "function", "combined", (row, neuron),
       says="advances the hidden state of gated recurrent units by one step from precomputed gate inputs",
       title="gru_cell|gru_step|recurrent_step|gated_update", algorithm="GRU cell")
def gru(h: each(bounded_activation), xz: each(preactivation), xr: each(preactivation), xn: each(preactivation), hz: each(preactivation), hr: each(preactivation), hn: each(preactivation), h_out: out(bounded_activation), gate_out: maybe(out(probability), 0.4)):
    names(h="h|h_prev|hidden|state_in", h_out="h_out|h_new|new_hidden|state_out", gate_out="gate_out|update_gate|z_out|gates", xz="xz|x_update|in_z|gate_x_z", xr="xr|x_reset|in_r|gate_x_r", xn="xn|x_new|in_n|gate_x_n", hz="hz|h_update|rec_z|gate_h_z", hr="hr|h_reset|rec_r|gate_h_r", hn="hn|h_cand|rec_n|gate_h_n", z="z|update|keep|gate_z", r="r|reset|forget|gate_r", n="n|candidate|fresh|proposal")
    b, u = wp.tid()
    z = sigmoid(xz[b, u] + hz[b, u])
    r = sigmoid(xr[b, u] + hr[b, u])
    n = wp.tanh(xn[b, u] + r * hn[b, u])
    h_out[b, u] = either((1.0 - z) * n + z * h[b, u], n + z * (h[b, u] - n))
    if present(gate_out):
        gate_out[b, u] = z
