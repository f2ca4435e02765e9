"""Fits and walks: small nets, regressions, modes, layouts, trees, regions."""


@scene("ml", "nested_loop", "math", row,
       says="trains a net of its own for each row: a forward pass, the error, its gradient through both layers, and one step downhill",
       title="train_tiny_nets|mlp_step|per_row_network|backprop_rows", algorithm="gradient step of a two-layer perceptron", rare=True,
       lossy=True)
def train_tiny(x: each(feature, row, 3), target: each(target, row), w1: inout(net_weight, row, 4, 3), b1: inout(net_weight, row, 4), w2: inout(net_weight, row, 4), b2: inout(net_weight, row), lr: setting(learning_rate, 0.01, 0.1), decay: maybe(setting(ratio, 0.001, 0.02), 0.4), clip: maybe(setting(gradient, 0.3, 1.0), 0.4), loss_out: maybe(out(loss, row), 0.6), y_out: maybe(out(prediction, row), 0.5)):
    names(hid="hid|h|act|layer1", z="z|pre|s_h|net_in", y="y|pred|out_v|yhat", e="e|err|delta_o|miss", g="g|delta_h|grad_h|back_h", step="step|upd|move_w|dw", u="u|unit|n_h|k_h", c="c|inp|feat_c|dim_c", w1="w1|w_in|layer_one|w_hidden", w2="w2|w_out|layer_two|w_head", b1="b1|bias_h|b_hidden|bias_one", b2="b2|bias_o|b_head|bias_two", clip="clip|max_err|clip_err|err_cap")
    names(x="x|inputs|feats_in|samples_x")
    r = wp.tid()
    hid = wp.zeros(shape=4, dtype=float)
    y = b2[r]
    for u in range(4):
        z = b1[r, u]
        for c in range(3):
            z += w1[r, u, c] * x[r, c]
        match choose("act"):
            case 2:
                hid[u] = wp.tanh(z)
            case 1:
                fact("the hidden units are rectifiers")
                hid[u] = wp.max(z, 0.0)
        y += w2[r, u] * hid[u]
    e = y - target[r]
    if present(loss_out):
        loss_out[r] = 0.5 * e * e
    if present(y_out):
        y_out[r] = y
    if present(clip):
        note("one wild target must not destroy the net|robust error")
        e = wp.clamp(e, -clip, clip)
    note("from the output back to the hidden layer|backward pass")
    for u in range(4):
        match choose("act"):
            case 2:
                g = e * w2[r, u] * (1.0 - hid[u] * hid[u])
            case 1:
                g = float(0.0)
                if hid[u] > 0.0:
                    g = e * w2[r, u]
        step = lr * e * hid[u]
        if present(decay):
            step = step + decay * w2[r, u]
        w2[r, u] = w2[r, u] - step
        for c in range(3):
            step = lr * g * x[r, c]
            if present(decay):
                step = step + decay * w1[r, u, c]
            w1[r, u, c] = w1[r, u, c] - step
        b1[r, u] = b1[r, u] - lr * g
    b2[r] = b2[r] - lr * e


@scene("nested_loop", "control_flow", "physics", particle,
       says="adds up the pull of distant groups of stars as if each were one, walking a tree of fours from the root with a stack",
       title="tree_gravity|barnes_hut_force|walk_quadtree|group_attraction", algorithm="Barnes-Hut tree walk", lossy=True)
def tree_gravity(x: each(point2), com: each(tree_center, 21), m: each(tree_mass, 21), size: each(tree_size, 21), open_at: setting(ratio, 0.4, 0.9), soft: setting(softening), g: setting(gravitational_constant), acc_out: out(vector2), seen: maybe(out(count_value), 0.5), pot: maybe(out(potential_value), 0.4)):
    names(stack="stack|todo|pending|st", top="top|sp|depth|n_st", k="k|node_k|cur|at", d="d|to_c|sep|off", r2="r2|dist_sq|rsq|d2", acc="acc|pull|force_a|a_sum", n="n|visited|steps_n|count_k", inv="inv|inv_r|rinv|w_r", u="u|phi|pot_acc|well", open_at="open_at|theta|opening|accept_ratio", com="com|centers|node_com|mass_center", size="size|widths|cell_size_n|extent_n")
    names(acc_out="acc_out|accelerations|field_out|grav_acc", g="g|grav_const|big_g|newton_g", pot="pot|potentials|well_depth_out|phi_out")
    i = wp.tid()
    stack = wp.zeros(shape=16, dtype=int)
    top = int(1)
    acc = wp.vec2()
    n = int(0)
    u = float(0.0)
    while top > 0:
        top -= 1
        k = stack[top]
        n += 1
        d = com[k] - x[i]
        r2 = wp.dot(d, d) + soft * soft
        note("far enough to be seen as one, or a leaf|acceptance criterion")
        if size[k] * size[k] < open_at * open_at * r2 or 4 * k + 4 > 20:
            inv = 1.0 / wp.sqrt(r2)
            acc += d * (g * m[k] * inv * inv * inv)
            u -= g * m[k] * inv
        else:
            for c in range(1, 5):
                stack[top] = 4 * k + c
                top += 1
    acc_out[i] = acc
    if present(seen):
        seen[i] = n
    if present(pot):
        pot[i] = u


@scene("nested_loop", "control_flow", "ml", path,
       says="fits a sparse linear model to each data set by passes over its coefficients, each time shrinking one towards zero",
       title="lasso_fit|coordinate_descent|sparse_regression|elastic_fit", algorithm="coordinate descent for the lasso", rare=True,
       lossy=True)
def lasso_fit(x: each(design_value, path, 8, 3), y: each(target, path, 8), lam: setting(regularizer, 0.2, 1.5), ridge: maybe(setting(regularizer, 0.1, 0.8), 0.4), b: out(coefficient, path, 3), used: maybe(out(count_value, path), 0.6), rss: maybe(out(loss, path), 0.5)):
    names(res="res|resid|left_r|rem", rho="rho|corr|inner|xr", sq="sq|norm_j|col_sq|xx", new="new|beta_new|shrunk|bj", old="old|beta_old|before|prev_b", big="big|max_change|largest|moved", it="it|round_i|sweep|pass_n", lam="lam|l1_weight|penalty_1|sparsity", ridge="ridge|l2_weight|penalty_2|ridge_w", n="n|nonzero|active_n|kept_n", s="s|sse|total_r|sum_r")
    p = wp.tid()
    res = wp.zeros(shape=8, dtype=float)
    for k in range(8):
        res[k] = y[p, k]
    for c in range(3):
        b[p, c] = 0.0
    it = int(0)
    while it < 12:
        big = float(0.0)
        for j in range(3):
            old = b[p, j]
            rho = float(0.0)
            sq = float(0.0)
            for i in range(8):
                note("correlation with what the others leave over")
                rho += x[p, i, j] * (res[i] + x[p, i, j] * old)
                sq += x[p, i, j] * x[p, i, j]
            if present(ridge):
                fact("a ridge penalty is added")
                sq = sq + ridge
            note("soft threshold")
            new = float(0.0)
            if rho > lam:
                new = (rho - lam) / sq
            elif rho < -lam:
                new = (rho + lam) / sq
            for i in range(8):
                res[i] = res[i] - x[p, i, j] * (new - old)
            b[p, j] = new
            big = wp.max(big, wp.abs(new - old))
        it += 1
        if big < constant("FIT_TOL|TOL", 1.0e-4):
            break
    if present(used):
        n = int(0)
        for c in range(3):
            if b[p, c] != 0.0:
                n += 1
        used[p] = n
    if present(rss):
        s = float(0.0)
        for k in range(8):
            s += res[k] * res[k]
        rss[p] = s


@scene("matrix", "nested_loop", "ml", row,
       says="fits a logistic regression with two features to each data set by Newton's method on the penalised likelihood",
       title="logistic_newton|irls_fit|fit_logit|logistic_fit", algorithm="penalised logistic regression by Newton's method",
       lossy=True)
def irls_fit(x: each(vector2, row, column), label: each(flag, row, column), lam: setting(regularizer, 0.3, 1.5), w: maybe(each(weight, row, column, range=(0.2, 1.0)), 0.3), b: out(logit_coefficients, row), nll: maybe(out(loss, row), 0.6), rounds: maybe(out(count_value, row), 0.3)):
    names(term="term|loss_i|nll_i|l_i", beta="beta|theta|par|coef", g="g|grad_b|score_v|slope_v", hm="hm|hess|info|curv_m", f="f|row_f|feat|xi", eta="eta|lin|logit_i|u_i", pr="pr|prob|mu_i|sig", s="s|step_b|delta_b|move", t="t|nll_acc|cost|sum_l", n="n|it|newton_n|k_it", v="v|var_i|w_i|pq", lam="lam|ridge|prior_w|l2_w")
    names(label="label|outcome|y_bin|responses", x="x|regressors|covariates|feature_xy", w="w|case_weights|obs_weight|importance")
    p = wp.tid()
    beta = wp.vec3(0.0, 0.0, 0.0)
    n = int(0)
    while n < 25:
        g = beta * lam
        hm = wp.identity(n=3, dtype=float) * lam
        for i in range(count(column)):
            f = wp.vec3(1.0, x[p, i][0], x[p, i][1])
            pr = sigmoid(wp.dot(beta, f))
            v = pr * (1.0 - pr)
            if present(w):
                note("observations count by their weights")
                g += f * (w[p, i] * (pr - float(label[p, i])))
                hm += wp.outer(f, f) * (w[p, i] * v)
            else:
                g += f * (pr - float(label[p, i]))
                hm += wp.outer(f, f) * v
        s = wp.inverse(hm) * g
        beta = beta - s
        n += 1
        if wp.length(s) < constant("NEWTON_TOL|FIT_TOL", 1.0e-5):
            break
    b[p] = beta
    if present(nll):
        t = 0.5 * lam * wp.length_sq(beta)
        for i in range(count(column)):
            eta = wp.dot(beta, wp.vec3(1.0, x[p, i][0], x[p, i][1]))
            note("stable for large values of either sign|log of one plus the exponential")
            term = wp.max(eta, 0.0) + wp.log(1.0 + wp.exp(-wp.abs(eta))) - eta * float(label[p, i])
            if present(w):
                term = term * w[p, i]
            t += term
        nll[p] = t
    if present(rounds):
        rounds[p] = n


@scene("nested_loop", "ml", "control_flow", sample,
       says="moves each point uphill to the mode of the density of all points, by steps to the weighted mean of its surroundings",
       title="mean_shift|seek_modes|shift_to_mode|density_climb", algorithm="mean shift", lossy=True)
def mean_shift(x: each(point2), h: setting(standard_deviation, 0.4, 1.0), most: setting(steps_value, 4, 10), mode: out(point2), dens: maybe(out(probability_density), 0.5), moved: maybe(out(distance), 0.5), edge: maybe(setting(distance, 1.5, 3.0), 0.4)):
    names(p="p|cur|pos_m|seeker", acc="acc|weighted|sum_p|w_sum", total="total|mass_w|norm_w|den", w="w|k_w|infl|kernel_v", d="d|off|sep|rel", q="q|target_m|next_p|mean_p", it="it|step_k|iter_n|n_iter", most="max_steps|most|max_iters|num_iters", edge="edge|cutoff_r|window_r|truncate", h="h|bandwidth|scale_h|sigma_k", dens="dens|density_out|kde_out|mode_density", s="s|step_l|hop|shift_l")
    i = wp.tid()
    p = x[i]
    if present(dens):
        total = float(0.0)
    it = int(0)
    while it < most:
        acc = wp.vec2()
        total = float(0.0)
        for j in range(count(sample)):
            d = x[j] - p
            if present(edge):
                if wp.length(d) > edge:
                    note("too far to matter")
                    continue
            match choose("kernel"):
                case 2:
                    w = wp.exp(-0.5 * wp.dot(d, d) / (h * h))
                case 1:
                    fact("the weights fall off like a Cauchy density")
                    w = 1.0 / (1.0 + wp.dot(d, d) / (h * h))
            acc += x[j] * w
            total += w
        q = acc / wp.max(total, 1.0e-6)
        s = wp.length(q - p)
        p = q
        it += 1
        if s < constant("SHIFT_TOL|STOP_TOL", 1.0e-3):
            note("arrived")
            break
    mode[i] = p
    if present(dens):
        dens[i] = total / float(count(sample))
    if present(moved):
        moved[i] = wp.length(p - x[i])


@scene("nested_loop", "ml", "vector", node,
       says="computes the force on each point of a layout that pulls similar points together and pushes all others apart",
       title="tsne_forces|layout_gradient|embedding_forces|attract_repel", algorithm="gradient of t-SNE")
def tsne_forces(y: each(low_point), pij: each(joint_probability, node, 40), exag: maybe(setting(positive_value, 2.0, 4.0), 0.4), z_sum: each(positive_value, 1, range=(20.0, 200.0)), f: out(vector2), kl: maybe(add(divergence, 1), 0.4)):
    names(z_sum="z_sum|norm_q|total_q|partition", z="z|zq|z_total|norm_z", q="q|near_w|student|kern", d="d|diff|sep|dy", g="g|grad_i|force_i|acc_g", p="p|aff|p_here|sim_p", coef="coef|pull_push|mult|strength", exag="exag|exaggeration|early_boost|stretch_p", pij="pij|affinity|p_joint|joint_p")
    names(f="f|layout_force|descent|attr_rep")
    i = wp.tid()
    note("the sum over all pairs is the same for every point|normaliser of the similarities")
    z = z_sum[0]
    g = wp.vec2()
    for j in range(count(node)):
        if j == i:
            continue
        d = y[i] - y[j]
        q = 1.0 / (1.0 + wp.dot(d, d))
        p = 0.5 * (pij[i, j] + pij[j, i])
        if present(exag):
            note("early exaggeration")
            p = p * exag
        coef = 4.0 * (p - q / z) * q
        g += d * coef
        if present(kl):
            if pij[i, j] > 1.0e-6:
                wp.atomic_add(kl, 0, pij[i, j] * wp.log(pij[i, j] * z / q))
    f[i] = -g


@scene("reduction", "atomic", "ml", node,
       says="sums the similarities of all pairs of points of a layout, as the normaliser of t-SNE needs it",
       title="tsne_partition|sum_similarities|student_t_normaliser|layout_partition", algorithm="partition sum of t-SNE", rare=True)
def tsne_partition(y: each(low_point), row_out: maybe(out(positive_value), 0.4), near: maybe(setting(distance, 1.0, 3.0), 0.4), z_sum: add(positive_value, 1)):
    names(y="y|layout|embedding_2d|low_dim", z_sum="z_sum|partition|norm_q|total_q", row_out="row_sums|row_out|similarity_sum|z_rows", near="near|cutoff|max_dist|reach", total="total|row_sum|acc|z_i", d="d|diff|sep|dy", yi="yi|here|own|p")
    i = wp.tid()
    yi = y[i]
    total = float(0.0)
    for j in range(count(node)):
        if j == i:
            continue
        d = yi - y[j]
        if present(near):
            note("far pairs hardly count|truncated kernel")
            fact("pairs beyond a distance are left out")
            if wp.length(d) > near:
                continue
        total += 1.0 / (1.0 + wp.dot(d, d))
    if present(row_out):
        row_out[i] = total
    wp.atomic_add(z_sum, 0, total)


@scene("control_flow", "integer", "nested_loop", row,
       says="fills the region around the start of each small map from cell to cell with a stack and measures its size",
       title="flood_regions|fill_from_seed|region_size|connected_area", algorithm="flood fill")
def flood_regions(wall: each(flag, row, 8, 8), seed_i: each(index_value, row, range=(0, 7)), seed_j: each(index_value, row, range=(0, 7)), mark: inout(flag, row, 8, 8, range=(0, 0)), area_out: out(count_value, row), rim: maybe(out(count_value, row), 0.6), touches: maybe(out(flag, row), 0.4)):
    names(stack="stack|todo|open_c|pending", top="top|sp|n_open|fill_n", c="c|cell_c|cur|packed", i="i|ci|row_c|py", j="j|cj|col_c|px", ni="ni|ti|row_n|qy", nj="nj|tj|col_n|qx", n="n|size_n|filled|area_n", edge="edge|border_n|rim_n|sides", out_e="out_e|at_edge|open_side|leaks", mark="mark|filled_map|visited_map|region_mask")
    r = wp.tid()
    stack = wp.zeros(shape=64, dtype=int)
    top = int(0)
    n = int(0)
    edge = int(0)
    out_e = int(0)
    if wall[r, seed_i[r], seed_j[r]] == 0:
        mark[r, seed_i[r], seed_j[r]] = 1
        stack[0] = 8 * seed_i[r] + seed_j[r]
        top = 1
    while top > 0:
        top -= 1
        c = stack[top]
        i = c // 8
        j = c % 8
        n += 1
        for k in range(4):
            ni = i
            nj = j
            if k == 0:
                ni = i + 1
            elif k == 1:
                ni = i - 1
            elif k == 2:
                nj = j + 1
            else:
                nj = j - 1
            if ni < 0 or nj < 0 or ni > 7 or nj > 7:
                note("the edge of the map")
                edge += 1
                out_e = 1
                continue
            if wall[r, ni, nj] == 1:
                edge += 1
                continue
            if mark[r, ni, nj] == 0:
                note("mark before it is put on the stack, so that it is there once")
                mark[r, ni, nj] = 1
                stack[top] = 8 * ni + nj
                top += 1
    area_out[r] = n
    if present(rim):
        rim[r] = edge
    if present(touches):
        touches[r] = out_e
