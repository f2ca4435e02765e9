"""Tables filled step by step, pairs of everything, small dense blocks."""


@scene("nested_loop", "control_flow", "integer", node,
       says="shortens the paths between all pairs of nodes through one node in between",
       title="floyd_warshall|relax_through|shortest_pairs|all_pairs_step", algorithm="step of Floyd and Warshall")
def floyd_step(d: each(path_weight), via: setting(index_value, 0, 9, fixed=True), d_out: out(path_weight), hop: maybe(inout(index_value), 0.6), gone: maybe(each(flag), 0.3), better: maybe(add(count_value, 1), 0.5)):
    names(old="old|direct|dij|now", trial="trial|detour|through|cand", via="via|pivot_k|mid_k|k", hop="hop|next_hop|pred|route", gone="gone|blocked_edge|cut_edge|closed", better="better|improved|num_relaxed|updates")
    i, j = wp.tid()
    old = d[i, j]
    if i == j:
        d_out[i, j] = 0.0
        return
    if via >= count(node, 0) or via >= count(node, 1):
        d_out[i, j] = old
        return
    if present(gone):
        if gone[i, via] == 1 or gone[via, j] == 1:
            note("one of the two legs is closed")
            d_out[i, j] = old
            return
    trial = d[i, via] + d[via, j]
    if trial < old:
        d_out[i, j] = trial
        if present(hop):
            hop[i, j] = via
        if present(better):
            wp.atomic_add(better, 0, 1)
    else:
        d_out[i, j] = old


@scene("nested_loop", "integer", "control_flow", row,
       says="packs the most valuable selection of items into a bag of limited capacity",
       title="knapsack_rows|pack_items|best_selection|fill_bag", algorithm="0/1 knapsack by dynamic programming", lossy=True)
def knapsack(wt: each(item_weight, row, 6), worth: each(item_worth, row, 6), cap: setting(capacity_value, 6, 16), best: out(item_worth, row), chosen: maybe(out(bits, row), 0.7), left: maybe(out(count_value, row), 0.4)):
    names(tab="tab|dp|value_at|best_for", keep="keep|taken|choice_m|picks", c="c|room|load|limit_c", v="v|with_it|take_v|cand", cap="cap|capacity|bag_size|budget_w")
    r = wp.tid()
    tab = wp.zeros(shape=17, dtype=float)
    keep = wp.zeros(shape=17, dtype=int)
    for item_i in range(6):
        note("from the largest room down, so that nothing is packed twice")
        for step in range(17):
            c = 16 - step
            if c > cap:
                continue
            if wt[r, item_i] <= c:
                v = tab[c - wt[r, item_i]] + worth[r, item_i]
                if v > tab[c]:
                    tab[c] = v
                    keep[c] = keep[c - wt[r, item_i]] | (1 << item_i)
    best[r] = tab[cap]
    if present(chosen):
        chosen[r] = wp.uint32(keep[cap])
    if present(left):
        c = cap
        for item_i in range(6):
            if (keep[cap] >> item_i) & 1 == 1:
                c -= wt[r, item_i]
        left[r] = c


@scene("nested_loop", "control_flow", "integer", row,
       says="finds the best local alignment of two sequences of letters, with a cost for every gap",
       title="smith_waterman|local_alignment|align_reads|best_local_match", algorithm="Smith-Waterman alignment")
def smith_waterman(a: each(base_letter, row, 10), b: each(base_letter, row, 10), gap: setting(align_score, 0.5, 1.5), miss: setting(align_score, 0.3, 1.2), score_out: out(align_score, row), end_out: maybe(out(index_value, row), 0.5), long_out: maybe(out(count_value, row), 0.3)):
    names(line="line|h_row|prev_h|scores_r", diag="diag|nw|corner|h_diag", up="up|above|north|h_up", h="h|cell_s|best_c|here", top="top|best|hi|peak_s", at="at|end_b|where_b|col_best", miss="miss|mismatch|sub_cost|penalty_s", gap="gap|gap_cost|indel|penalty_g", same="same|matches|equal_n|hits_n")
    r = wp.tid()
    line = wp.zeros(shape=11, dtype=float)
    top = float(0.0)
    at = int(-1)
    if present(long_out):
        same = int(0)
    for i in range(10):
        diag = float(0.0)
        for j in range(1, 11):
            up = line[j]
            if a[r, i] == b[r, j - 1]:
                h = diag + constant("MATCH|REWARD", 2.0)
                if present(long_out):
                    same += 1
            else:
                h = diag - miss
            note("a gap in either sequence, or start anew")
            h = wp.max(h, wp.max(up, line[j - 1]) - gap)
            h = wp.max(h, 0.0)
            diag = up
            line[j] = h
            if h > top:
                top = h
                at = j - 1
    score_out[r] = top
    if present(end_out):
        end_out[r] = at
    if present(long_out):
        long_out[r] = same


@scene("nested_loop", "math", "reduction", item,
       says="transforms blocks of eight by eight samples by the cosine transform and quantises the coefficients",
       title="dct_blocks|jpeg_forward|transform_blocks|block_dct8", algorithm="8x8 DCT with quantisation")
def dct_blocks(x: each(block_sample, item, 8, 8), step: each(quant_step8, 8, 8), q: out(codeword, item, 8, 8), nonzero_out: maybe(out(count_value, item), 0.7), dc: maybe(out(block_sample, item), 0.4)):
    names(rows8="rows8|half_t|temp8|pass1", s="s|acc|sum_c|coef", ku="ku|norm_u|cu|scale_u", kv="kv|norm_v|cv|scale_v", level="level|coded|qv|index_q", kept="kept|nz|alive_c|active_c", dc="dc|mean_out|dc_term|block_mean", step="step|qtable|luma_table|steps8")
    b = wp.tid()
    rows8 = wp.zeros(shape=64, dtype=float)
    note("along the rows first|separable")
    for i in range(8):
        for v in range(8):
            s = float(0.0)
            for j in range(8):
                s += x[b, i, j] * wp.cos((2.0 * float(j) + 1.0) * float(v) * wp.pi / 16.0)
            kv = wp.where(v == 0, 0.35355339, 0.5)
            rows8[8 * i + v] = s * kv
    kept = int(0)
    for u in range(8):
        ku = wp.where(u == 0, 0.35355339, 0.5)
        for v in range(8):
            s = float(0.0)
            for i in range(8):
                s += rows8[8 * i + v] * wp.cos((2.0 * float(i) + 1.0) * float(u) * wp.pi / 16.0)
            s = s * ku
            if present(dc):
                if u == 0 and v == 0:
                    dc[b] = s / 8.0
            match choose("round"):
                case 2:
                    level = int(wp.rint(s / step[u, v]))
                case 1:
                    note("towards zero: a dead zone")
                    fact("quotients are cut towards zero")
                    level = int(wp.trunc(s / step[u, v]))
            q[b, u, v] = level
            if level != 0:
                kept += 1
    if present(nonzero_out):
        nonzero_out[b] = kept


@scene("nested_loop", "vector", "function", query,
       says="evaluates a surface of cubic B-splines from the sixteen control points around each parameter pair",
       title="bspline_surface|eval_patch|surface_points|tensor_spline", algorithm="bicubic B-spline surface")
def bspline_surface(uv: each(uv_coordinate), net: each(control_net, 7, 7), p: out(position), n: maybe(out(normal), 0.7), stretch: maybe(out(area), 0.4)):
    names(su="su|u_cell|fu|gu", sv="sv|v_cell|fv|gv", iu="iu|cu|i0|span_u", iv="iv|cv|j0|span_v", bu="bu|wu|basis_u|nu_b", du="du|dwu|slope_u|nu_d", bv="bv|wv|basis_v|nv_b", dv="dv|dwv|slope_v|nv_d", pt="pt|pos_s|acc_p|sum_p", tu="tu|tan_u|deriv_u|pu", tv="tv|tan_v|deriv_v|pv", c="c|ctrl|q_ij|knot_p", nn="nn|cross_uv|facing|up")
    i = wp.tid()
    note("four spans in each direction|seven control points give four spans")
    su = wp.clamp(uv[i][0], 0.0, 0.9999) * 4.0
    sv = wp.clamp(uv[i][1], 0.0, 0.9999) * 4.0
    iu = int(wp.floor(su))
    iv = int(wp.floor(sv))
    bu, du = bspline_basis(su - float(iu))
    bv, dv = bspline_basis(sv - float(iv))
    pt = wp.vec3()
    tu = wp.vec3()
    tv = wp.vec3()
    for a in range(4):
        for b in range(4):
            c = net[iu + a, iv + b]
            pt += c * (bu[a] * bv[b])
            if present(n) or present(stretch):
                tu += c * (du[a] * bv[b])
                tv += c * (bu[a] * dv[b])
    p[i] = pt
    if present(n) or present(stretch):
        nn = wp.cross(tu, tv)
        if present(stretch):
            stretch[i] = wp.length(nn)
        if present(n):
            n[i] = wp.normalize(nn)


@scene("nested_loop", "control_flow", "ml", cell,
       says="takes one sweep of value iteration in a grid world where moves sometimes slip to the side",
       title="value_iteration|bellman_sweep|grid_world_values|plan_step", algorithm="value iteration", rare=True)
def value_iteration(v: each(state_worth), reward: each(reward), wall: each(flag), discount: setting(discount), slip: setting(ratio, 0.05, 0.3), goal: maybe(each(flag), 0.5), v_new: out(state_worth), act: maybe(out(label), 0.7), change: maybe(inout(error_value, 1, range=(0.0, 0.1)), 0.4)):
    names(best="best|top_q|max_q|value_b", pick="pick|greedy|arg_a|best_a", q="q|expect|q_sa|ret", di="di|dy|step_r|mi", dj="dj|dx|step_c|mj", ni="ni|row_n|ti|ri", nj="nj|col_n|tj|rj", p="p|prob|chance|pm", turn="turn|side|dev_k|drift_k", dir_k="dir_k|heading|a_eff|move_k", act="act|policy|actions|best_move", goal="goal|terminal|absorbing|exits", slip="slip|slip_prob|noise_p|fail_p")
    names(discount="discount|gamma_d|discount_f|patience")
    i, j = wp.tid()
    if wall[i, j] == 1:
        note("nobody stands inside of a wall")
        v_new[i, j] = 0.0
        if present(act):
            act[i, j] = 0
        return
    if present(goal):
        if goal[i, j] == 1:
            note("the game ends here")
            v_new[i, j] = reward[i, j]
            if present(act):
                act[i, j] = 0
            return
    best = float(-1.0e6)
    pick = int(0)
    for a in range(4):
        q = float(0.0)
        for turn in range(-1, 2):
            note("straight on, or a quarter turn to either side")
            dir_k = (a + turn + 4) % 4
            di = int(0)
            dj = int(0)
            if dir_k == 0:
                dj = 1
            elif dir_k == 1:
                di = 1
            elif dir_k == 2:
                dj = -1
            else:
                di = -1
            ni = wp.clamp(i + di, 0, count(cell, 0) - 1)
            nj = wp.clamp(j + dj, 0, count(cell, 1) - 1)
            if wall[ni, nj] == 1:
                note("bumps into the wall and stays")
                ni = i
                nj = j
            p = slip * 0.5
            if turn == 0:
                p = 1.0 - slip
            q += p * v[ni, nj]
        if q > best:
            best = q
            pick = a
    v_new[i, j] = reward[i, j] + discount * best
    if present(act):
        act[i, j] = pick
    if present(change):
        wp.atomic_max(change, 0, wp.abs(reward[i, j] + discount * best - v[i, j]))


@scene("nested_loop", "function", "ml", item,
       says="decides for each detected box whether a better box of the same class covers it too much",
       title="suppress_boxes|nms_flags|keep_detections|filter_overlaps", algorithm="pairwise non-maximum suppression")
def nms_flags(box: each(box_corners), score: each(score), cls: each(label, range=(0, 2)), cut: setting(ratio, 0.2, 0.6), low: maybe(setting(score, -2.0, -0.5), 0.5), keep: out(flag), worst: maybe(out(ratio), 0.5), kept: maybe(add(count_value, 1), 0.5)):
    names(me="me|mine|box_i|own", other="other|rival|box_j|their", o="o|overlap|iou_ij|cover", most="most|max_iou|highest_o|covered", alive="alive|ok|stays|survives", cut="cut|iou_threshold|max_overlap|nms_cut", low="low|min_score|score_floor|conf_min", cls="cls|category|class_ids|kinds_b")
    i = wp.tid()
    if present(low):
        if score[i] < low:
            note("too unlikely to matter")
            keep[i] = 0
            if present(worst):
                worst[i] = 0.0
            return
    note("corners in any order|sort the corners")
    me = wp.vec4(wp.min(box[i][0], box[i][2]), wp.min(box[i][1], box[i][3]), wp.max(box[i][0], box[i][2]), wp.max(box[i][1], box[i][3]))
    alive = int(1)
    most = float(0.0)
    for j in range(count(item)):
        if j == i or cls[j] != cls[i]:
            continue
        note("ties go to the first one")
        if score[j] < score[i] or (score[j] == score[i] and j > i):
            continue
        other = wp.vec4(wp.min(box[j][0], box[j][2]), wp.min(box[j][1], box[j][3]), wp.max(box[j][0], box[j][2]), wp.max(box[j][1], box[j][3]))
        o = box_iou(me, other)
        most = wp.max(most, o)
        if o > cut:
            alive = 0
    keep[i] = alive
    if present(worst):
        worst[i] = most
    if present(kept):
        wp.atomic_add(kept, 0, alive)


@scene("nested_loop", "atomic", "reduction", particle,
       says="counts the pairs of particles in shells of distance in a periodic box, each pair once",
       title="pair_histogram|rdf_histogram|radial_pair_counts", algorithm="pair distances in shells with the nearest image")
def pair_shells(x: each(position), box: setting(length, 3.0, 4.0), r_max: setting(distance, 1.2, 1.5), species: maybe(each(label, range=(0, 1)), 0.4), hist: add(count_value, bin)):
    names(d="d|rij", r="r|dist", b="b|shell", a="a|axis", species="type_ids|particle_type", box="box_size|box_length", r_max="r_max|cutoff", hist="hist|pair_hist")
    i = wp.tid()
    note("each pair once")
    for j in range(i + 1, count(particle)):
        if present(species):
            if species[i] == species[j]:
                fact("only pairs of different kinds are counted")
                continue
        d = x[j] - x[i]
        match choose("image"):
            case 2:
                for a in range(3):
                    note("nearest image|minimum image convention")
                    d[a] = d[a] - box * wp.rint(d[a] / box)
            case 1:
                for a in range(3):
                    if d[a] > 0.5 * box:
                        d[a] = d[a] - box
                    elif d[a] < -0.5 * box:
                        d[a] = d[a] + box
        r = wp.length(d)
        if r < r_max:
            b = wp.min(int(r / r_max * float(count(bin))), count(bin) - 1)
            wp.atomic_add(hist, b, 1)


@scene("nested_loop", "reduction", "control_flow", row,
       says="finds the shift at which two signals agree best, by the normalised correlation at every shift",
       title="best_shift|align_signals|lag_search|correlate_rows", algorithm="normalised cross-correlation")
def best_shift(a: each(signal, row, 20), b: each(signal, row, 20), lag_out: out(index_value, row), peak: out(correlation, row), second: maybe(out(correlation, row), 0.3), flat: maybe(add(count_value, 1), 0.3)):
    names(top="top|best_c|hi|r_max", at="at|arg_lag|best_l|tau", nab="nab|cross|prod|sxy", na="na|pow_a|sxx|energy_a", nb="nb|pow_b|syy|energy_b", c="c|corr|rho|r_l", k="k|partner|src|m_idx", other="other|next_c|runner_up|c2", lag="lag|shift|tau_l|offset_l")
    r = wp.tid()
    top = float(-2.0)
    other = float(-2.0)
    at = int(0)
    for lag in range(-6, 7):
        nab = float(0.0)
        na = float(0.0)
        nb = float(0.0)
        for n in range(20):
            k = n + lag
            if k < 0 or k >= 20:
                continue
            nab += a[r, n] * b[r, k]
            na += a[r, n] * a[r, n]
            nb += b[r, k] * b[r, k]
        c = nab / (wp.sqrt(na * nb) + 1.0e-6)
        if c > top:
            other = top
            top = c
            at = lag
        elif c > other:
            other = c
    lag_out[r] = at
    peak[r] = top
    if present(second):
        second[r] = other
    if present(flat):
        if top - other < 0.05:
            note("two shifts are about as good")
            wp.atomic_add(flat, 0, 1)


@scene("nested_loop", "combined", "scalar_param", (row, column),
       says="multiplies two matrices, one of them maybe transposed, adds a bias and applies an activation",
       title="matmul_bias|gemm_epilogue|fused_linear|dense_product", algorithm="matrix product with epilogue")
def gemm_epilogue(a: each(value, row, 8), bt: each(value, column, 8), bias: maybe(each(value, column, range=(-0.5, 0.5)), 0.6), alpha: maybe(setting(value, 0.3, 1.5), 0.4), c_in: maybe(each(value), 0.4), beta: maybe(setting(value, 0.2, 1.0), 1.0), y: out(value), clip: maybe(setting(positive_value, 1.5, 4.0), 0.3), dead: maybe(add(count_value, row), 0.3)):
    names(acc="acc|s|dot_v|total", bt="bt|b_rows|weight_t|w_rows", c_in="c_in|c_old|addend|previous", clip="clip|act_max|ceil_v|cap", dead="dead|zero_outputs|negative_n|inactive", k="k|inner|kk|l")
    i, j = wp.tid()
    acc = float(0.0)
    match choose("loop"):
        case 2:
            for k in range(8):
                acc += a[i, k] * bt[j, k]
        case 1:
            note("two terms at a time|unrolled by two")
            for k in range(4):
                acc += a[i, 2 * k] * bt[j, 2 * k] + a[i, 2 * k + 1] * bt[j, 2 * k + 1]
    if present(alpha):
        acc = acc * alpha
    if present(bias):
        acc = acc + bias[j]
    if present(c_in) and present(beta):
        acc = acc + beta * c_in[i, j]
    match choose("act"):
        case 2:
            if present(dead):
                if acc <= 0.0:
                    wp.atomic_add(dead, i, 1)
            acc = wp.max(acc, 0.0)
            fact("negative results become zero")
        case 1:
            acc = acc * hard_sigmoid(acc)
            fact("the result is gated by its hard sigmoid")
        case 1:
            pass
    if present(clip):
        acc = wp.min(acc, clip)
    y[i, j] = acc
