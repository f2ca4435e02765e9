"""Tokens: bags, beams, attention in one pass, routing."""


@scene("ml", "control_flow", "reduction", segment,
       says="looks up the vectors of the tokens of each bag in a table and {mean=1:averages them}{mean=0:sums them}{pool=1:keeps the largest value of each component}",
       title="embedding_bag|pool_embeddings|lookup_bags|bag_of_tokens", algorithm="embedding bag", rare=True, lossy=True)
def embedding_bag(start: offsets(token), ids: index(item, over=token), table: each(embedding_value, item, feature), pad: maybe(setting(index_value, 0, 5), 0.4), w: maybe(each(weight, token, range=(0.1, 1.0)), 0.4), y: out(embedding_value, segment, feature), used: maybe(out(count_value), 0.4), freq: maybe(add(count_value, item), 0.3)):
    names(n="n|seen|kept|num_used", row_id="row_id|word|entry|vocab_id", total="total|norm|mass|w_sum", wt="wt|scale_t|tok_w|coef", pad="pad|padding_idx|pad_token|null_id", freq="freq|usage|hit_counts|token_freq", used="used|bag_sizes|num_kept|lengths_out")
    s = wp.tid()
    n = int(0)
    total = float(0.0)
    for c in range(count(feature)):
        match choose("pool"):
            case 3:
                y[s, c] = 0.0
            case 1:
                y[s, c] = -1.0e6
    for t in range(start[s], start[s + 1]):
        row_id = ids[t]
        if present(pad):
            note("padding tokens do not count")
            fact("padding tokens are left out")
            if row_id == pad:
                continue
        n += 1
        if present(freq):
            wp.atomic_add(freq, row_id, 1)
        if present(w):
            wt = w[t]
            total += wt
        else:
            total += 1.0
        for c in range(count(feature)):
            match choose("pool"):
                case 3:
                    if present(w):
                        y[s, c] = y[s, c] + wt * table[row_id, c]
                    else:
                        y[s, c] = y[s, c] + table[row_id, c]
                case 1:
                    if present(w):
                        y[s, c] = wp.max(y[s, c], wt * table[row_id, c])
                    else:
                        y[s, c] = wp.max(y[s, c], table[row_id, c])
    match choose("pool"):
        case 3:
            pass
        case 1:
            if n == 0:
                note("an empty bag gives zeros")
                for c in range(count(feature)):
                    y[s, c] = 0.0
    match choose("pool"):
        case 3:
            if maybe(0.6, "mean"):
                if total > 0.0:
                    for c in range(count(feature)):
                        y[s, c] = y[s, c] / total
        case 1:
            pass
    if present(used):
        used[s] = n


@scene("ml", "control_flow", "reduction", path,
       says="extends each beam of a decoder by its best tokens, with a penalty for tokens it has used and for short hypotheses",
       title="beam_step|extend_beams|score_hypotheses|decode_step", algorithm="beam expansion with length normalisation")
def beam_step(total: each(token_logprob, range=(-20.0, -1.0)), length: each(count_value, range=(1, 12)), logp: each(token_logprob, path, column), used: maybe(each(flag, path, column), 0.6), done: maybe(each(flag), 0.5), alpha: setting(ratio, 0.4, 1.0), penalty: maybe(setting(positive_value, 1.1, 1.6), 1.0), best_out: out(score), token_out: out(index_value), second_out: maybe(out(score), 0.5), gap: maybe(out(positive_value), 0.3)):
    names(norm="norm|len_pen|divisor|lp_norm", cand="cand|s|hyp|joint", best="best|top1|first|hi", second="second|top2|runner|next_hi", at="at|tok|arg|choice", v="v|lp|step_lp|logit_v", used="used|in_context|seen_tokens|history_mask", done="done|finished|ended|has_eos", penalty="penalty|repeat_penalty|rep_cost|reuse")
    names(alpha="alpha|length_alpha|length_penalty|norm_alpha")
    b = wp.tid()
    note("length normalisation as in translation systems|((5 + length) / 6) to the power alpha")
    if present(done):
        if done[b] == 1:
            note("finished beams keep their score")
            best_out[b] = total[b] / wp.pow((5.0 + float(length[b])) / 6.0, alpha)
            token_out[b] = -1
            if present(second_out):
                second_out[b] = 0.0
            if present(gap):
                gap[b] = 0.0
            return
    norm = wp.pow((6.0 + float(length[b])) / 6.0, alpha)
    best = float(-1.0e9)
    second = float(-1.0e9)
    at = int(-1)
    for v in range(count(column)):
        cand = logp[b, v]
        if present(used) and present(penalty):
            note("tokens that were used cost more")
            fact("log probabilities of tokens already used are multiplied by a penalty")
            if used[b, v] == 1:
                cand = cand * penalty
        cand = (total[b] + cand) / norm
        if cand > best:
            second = best
            best = cand
            at = v
        else:
            second = wp.max(second, cand)
    best_out[b] = best
    token_out[b] = at
    if present(second_out):
        second_out[b] = second
    if present(gap):
        gap[b] = best - second


@scene("ml", "nested_loop", "vector", (token, head),
       says="computes attention of each token and head over a window of earlier tokens in one pass, rescaling as larger scores appear",
       title="flash_attention_row|streaming_attention|online_softmax_attention|windowed_attention", algorithm="attention with online softmax",
       lossy=True)
def streaming_attention(q: each(query_vector), k: each(key_vector), v: each(value_vector), window: maybe(setting(steps_value, 3, 10), 0.6), slope: maybe(setting(ratio, 0.05, 0.5), 0.4), cap: maybe(setting(score, 1.0, 3.0), 0.3), y: out(value_vector), lse: maybe(out(score), 0.4)):
    names(query="query|qi|q_row|q_t", first="first|begin|j0|start_j", m="m|run_max|peak|row_max", z="z|denom|run_sum|norm_z", acc="acc|out_acc|mix|o", s="s|score_ij|logit|dot_qk", p="p|w|weight_j|prob", corr="corr|rescale|alpha|shrink", j="j|src|key_pos|u", window="window|span|local_window|lookback", slope="slope|alibi_slope|distance_bias|recency", cap="cap|softcap|logit_cap|score_cap")
    t, h = wp.tid()
    m = float(-1.0e9)
    z = float(0.0)
    acc = wp.vec4()
    query = q[t, h]
    first = int(0)
    if present(window):
        note("not further back than the window|start of the window")
        fact("tokens beyond a window are not seen")
        first = wp.max(t - window + 1, 0)
    for j in range(first, t + 1):
        s = wp.dot(query, k[j, h]) * constant("INV_SQRT_DIM|QK_SCALE|SCALE", 0.5)
        if present(cap):
            s = cap * wp.tanh(s / cap)
        if present(slope):
            note("linear bias by distance")
            fact("scores fall linearly with the distance")
            s = s - slope * float(t - j)
        if s > m:
            corr = wp.exp(m - s)
            acc = acc * corr
            z = z * corr
            m = s
        p = wp.exp(s - m)
        z += p
        acc += v[j, h] * p
    y[t, h] = acc / z
    if present(lse):
        lse[t, h] = m + wp.log(z)


@scene("ml", "atomic", "control_flow", token,
       says="routes each token to its two best experts, as long as they have room, and gives the weights of their outputs",
       title="route_tokens|top2_gating|moe_router|dispatch_experts", algorithm="top-2 gating of a mixture of experts", rare=True)
def route_tokens(x: each(logit, token, 8), room: setting(capacity_value, 4, 16), load: add(count_value, 8), expert: out(index_value, token, 2), gate: out(gate_probability, token, 2), overflow: maybe(add(count_value, 1), 0.5), importance: maybe(add(probability, 8), 0.4), padded: maybe(each(flag), 0.3)):
    names(first="first|e1|best_e|expert_a", second="second|e2|next_e|expert_b", top="top|max_a|hi|l1_top", z="z|denom|norm_z|total", p2="p2|w_second|odds_b|g_second", slot="slot|place|rank_e|queue_pos", load="load|expert_load|fill_counts|assigned", room="room|expert_capacity|max_load|slots", overflow="overflow|dropped|num_dropped|spilled")
    t = wp.tid()
    for k in range(2):
        expert[t, k] = -1
        gate[t, k] = 0.0
    if present(padded):
        if padded[t] == 1:
            return
    first = int(0)
    for e in range(1, 8):
        if x[t, e] > x[t, first]:
            first = e
    second = wp.where(first == 0, 1, 0)
    for e in range(8):
        if e != first and x[t, e] > x[t, second]:
            second = e
    top = x[t, first]
    if present(importance):
        z = float(0.0)
        for e in range(8):
            z += wp.exp(x[t, e] - top)
        for e in range(8):
            wp.atomic_add(importance, e, wp.exp(x[t, e] - top) / z)
    note("softmax over the two that were chosen|the others do not count")
    p2 = wp.exp(x[t, second] - top)
    note("a place in the queue of the expert|reserve a slot")
    slot = wp.atomic_add(load, first, 1)
    gate[t, 0] = 1.0 / (1.0 + p2)
    if slot < room:
        expert[t, 0] = first
    elif present(overflow):
        wp.atomic_add(overflow, 0, 1)
    slot = wp.atomic_add(load, second, 1)
    gate[t, 1] = p2 / (1.0 + p2)
    if slot < room:
        expert[t, 1] = second
    elif present(overflow):
        wp.atomic_add(overflow, 0, 1)
