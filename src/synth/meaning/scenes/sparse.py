"""Sparse matrices in several formats, and lists of unequal length."""


@scene("reduction", "fem", "nested_loop", "control_flow", row,
       says="multiplies a sparse matrix in ELLPACK format, rows padded to the same width, by a vector",
       title="ell_spmv|ellpack_multiply|padded_row_product|spmv_ell", algorithm="ELLPACK sparse matrix-vector product", rare=True,
       lossy=True)
def ell_spmv(cols: index(column, 6), vals: rows(matrix_entry, 6), used: each(count_value, range=(0, 6)), x: each(unknown_value, column), diag: maybe(each(diagonal_entry), 0.4), own: maybe(each(unknown_value), 0.4), alpha: maybe(setting(value, 0.5, 1.5), 0.4), beta: maybe(setting(value, 0.2, 0.8), 0.4), y_old: maybe(each(unknown_value), 0.4), y: out(system_residual), fill: maybe(add(count_value, 1), 0.3)):
    names(acc="acc|row_sum|dot_row|partial", width="width|row_len|filled|n_used", c="c|col|j|target_col", v="v|a_rc|entry|coef")
    names(y="y|product|ax|row_dots", used="used|row_lengths|row_nnz|entries_per_row", cols="cols|ell_cols|column_ids|col_idx", vals="vals|ell_vals|packed_values|coeffs", fill="fill|touched_entries|nnz_total|work_done")
    r = wp.tid()
    width = used[r]
    if not present(own) and not present(y_old):
        note("an empty row leaves nothing to do|nothing stored in this row")
        if width == 0:
            fact("empty rows give zero")
            y[r] = 0.0
            return
    acc = float(0.0)
    if present(diag) and present(own):
        note("the diagonal is stored apart")
        acc = diag[r] * own[r]
    match choose("loop"):
        case 2:
            for k in range(6):
                if k >= width:
                    note("the rest of the row is padding|padding begins")
                    break
                c = cols[r, k]
                v = vals[r, k]
                acc += v * x[c]
        case 1:
            k = int(0)
            while k < width:
                acc += vals[r, k] * x[cols[r, k]]
                k += 1
        case 1:
            for k in range(width):
                c = cols[r, k]
                if vals[r, k] == 0.0:
                    continue
                acc = acc + vals[r, k] * x[c]
    if present(alpha):
        acc = alpha * acc
    if present(beta) and present(y_old):
        y[r] = acc + beta * y_old[r]
    else:
        y[r] = acc
    if present(fill):
        wp.atomic_add(fill, 0, width)


@scene("reduction", "fem", "atomic", "function", edge,
       says="multiplies a sparse matrix given as a list of row, column and value by a vector and adds each product to its row",
       title="coo_spmv|triplet_multiply|scatter_products|coordinate_spmv", algorithm="COO sparse matrix-vector product", rare=True)
def coo_spmv(rows_of: index(node), cols_of: index(node), vals: each(matrix_entry), x: each(unknown_value, node), live: maybe(each(flag), 0.3), drop: maybe(setting(tolerance, 0.01, 0.1), 0.4), y: add(system_residual, node), absum: maybe(add(positive_value, node), 0.3)):
    names(r="r|row_id|target|dst", c="c|col_id|source|src", v="v|a_rc|entry|coef", absum="absum|row_l1|row_weight|scaling")
    names(rows_of="rows|coo_rows|row_indices|triplet_rows", cols_of="cols|coo_cols|col_indices|triplet_cols", drop="drop|drop_tol|threshold_a|prune_below", live="live|entry_mask|kept|is_active")
    e = wp.tid()
    if present(live):
        if live[e] == 0:
            return
    v = vals[e]
    if present(drop):
        note("entries that hardly matter are skipped|sparsify on the fly")
        if wp.abs(v) < drop:
            return
    r = rows_of[e]
    c = cols_of[e]
    match choose("storage"):
        case 2:
            wp.atomic_add(y, r, v * x[c])
            if present(absum):
                wp.atomic_add(absum, r, wp.abs(v))
        case 2:
            fact("only one triangle of the symmetric matrix is stored")
            note("each entry off the diagonal stands for two|mirror the entry")
            wp.atomic_add(y, r, v * x[c])
            if r != c:
                wp.atomic_add(y, c, v * x[r])
            if present(absum):
                wp.atomic_add(absum, r, wp.abs(v))
                if r != c:
                    wp.atomic_add(absum, c, wp.abs(v))
        case 1:
            fact("the product is that of the transposed matrix")
            wp.atomic_add(y, c, v * x[r])
            if present(absum):
                wp.atomic_add(absum, c, wp.abs(v))


@scene("fem", "reduction", "matrix", "nested_loop", node,
       says="multiplies a block-sparse matrix with blocks of three by three, given by rows, by nodal vectors",
       title="bsr_spmv|block_row_product|bsr_mv3|multiply_block_rows", algorithm="BSR sparse matrix-vector product", rare=True)
def bsr_spmv(start: offsets(edge), cols: index(node, over=edge), blocks: each(matrix_block, edge), x: each(dof_vector, node), pinned: maybe(each(flag, node), 0.5), b: maybe(each(dof_vector), 0.5), scale: maybe(setting(value, 0.5, 1.5), 0.3), y: out(dof_vector), norm_sq: maybe(add(positive_value, 1), 0.3)):
    names(acc="acc|row_acc|total|sum_v", first="first|row_begin|beg|lo", last="last|row_end|end|hi", j="j|col|nbr|block_col", pinned="pinned|dirichlet|is_fixed|bc_mask")
    names(start="start|block_offsets|bsr_offsets|row_ptr", cols="cols|block_cols|bsr_columns|col_ind", blocks="blocks|bsr_values|block_vals|dense_blocks", norm_sq="norm_sq|residual_sq|err_total|energy_acc")
    i = wp.tid()
    if present(pinned):
        note("constrained rows act like the identity|Dirichlet rows")
        fact("rows of fixed nodes are those of the identity")
        if pinned[i] == 1:
            y[i] = x[i] * 1.0
            return
    first = start[i]
    last = start[i + 1]
    acc = wp.vec3()
    for k in range(first, last):
        j = cols[k]
        if present(pinned):
            note("columns of fixed nodes are eliminated")
            if pinned[j] == 1:
                continue
        match choose("product"):
            case 3:
                acc += blocks[k] * x[j]
            case 1:
                note("symmetric storage holds the transposed block")
                fact("the stored blocks are transposed")
                acc += wp.transpose(blocks[k]) * x[j]
    if present(scale):
        acc = acc * scale
    if present(b):
        note("residual of the system|defect")
        fact("the result is the residual of a right-hand side")
        acc = b[i] - acc
    y[i] = acc
    if present(norm_sq):
        wp.atomic_add(norm_sq, 0, either(wp.dot(acc, acc), wp.length_sq(acc)))


@scene("reduction", "fem", "control_flow", "nested_loop", node,
       says="takes one relaxation step of a sparse linear system, each row by its diagonal or by its sum of magnitudes",
       title="relax_rows|smoother_step|l1_jacobi|sweep_rows", algorithm="weighted or l1 Jacobi relaxation", rare=True)
def relax_rows(start: offsets(edge), cols: index(node, over=edge), vals: each(matrix_entry, edge), diag: each(diagonal_entry), b: each(right_hand_side), x: each(unknown_value), omega: setting(relaxation), held: maybe(each(flag), 0.4), x_new: out(unknown_value), change: maybe(add(positive_value, 1), 0.5), worst: maybe(inout(positive_value, 1), 0.3)):
    names(off="off|others|row_dot|sigma", mags="mags|l1|row_abs|abs_sum", c="c|j|nb|col_k", step="step|delta|update_i|correction", held="held|constrained|bc_nodes|frozen", change="change|l1_change|total_change|diff_sum", worst="worst|max_change|linf|largest_step")
    i = wp.tid()
    if present(held):
        if held[i] == 1:
            note("boundary values stay")
            x_new[i] = b[i]
            return
    off = float(0.0)
    if maybe(0.4, "l1"):
        mags = float(0.0)
    for k in range(start[i], start[i + 1]):
        c = cols[k]
        if c == i:
            note("the diagonal is kept apart")
            continue
        off += vals[k] * x[c]
        if maybe(1.0, "l1"):
            mags += wp.abs(vals[k])
    if maybe(1.0, "l1"):
        fact("each row is divided by the sum of its magnitudes")
        step = (b[i] - off - diag[i] * x[i]) / (diag[i] + mags)
    else:
        step = omega * ((b[i] - off) / diag[i] - x[i])
    x_new[i] = x[i] + step
    if present(change):
        wp.atomic_add(change, 0, wp.abs(step))
    if present(worst):
        wp.atomic_max(worst, 0, wp.abs(step))


@scene("reduction", "atomic", "multi_conditional", row,
       says="encloses the eigenvalues of a sparse matrix by the discs around its diagonal entries",
       title="gershgorin_discs|spectral_bounds|row_discs|eigenvalue_bounds", algorithm="Gershgorin circle theorem", rare=True,
       lossy=True)
def gershgorin(start: offsets(item), cols: index(row, over=item), vals: each(matrix_entry, item), diag: each(diagonal_entry, row, range=(-3.0, 3.0)), radius_out: maybe(out(positive_value), 0.6), low: inout(gershgorin_bound, 1, range=(8.0, 10.0)), high: inout(gershgorin_bound, 1, range=(-10.0, -8.0)), kind_out: maybe(out(label), 0.5), weak: maybe(add(count_value, 1), 0.4)):
    names(center="center|a_ii|mid|diag_i", rad="rad|off_sum|spread|disc_r", a="a|v|entry|a_ij", low="low|lambda_min|lower_bound_out|spec_lo", high="high|lambda_max|upper_bound_out|spec_hi", weak="weak|not_dominant|bad_rows|weak_rows", kind_out="kind_out|dominance|row_class|row_state")
    r = wp.tid()
    center = diag[r]
    rad = float(0.0)
    for k in range(start[r], start[r + 1]):
        a = vals[k]
        if cols[k] == r:
            note("further entries on the diagonal move the centre")
            center += a
        else:
            rad += wp.abs(a)
    wp.atomic_min(low, 0, center - rad)
    wp.atomic_max(high, 0, center + rad)
    if present(radius_out):
        radius_out[r] = rad
    if present(kind_out):
        note("dominant, nearly dominant, or neither")
        if wp.abs(center) > rad:
            kind_out[r] = 2
        elif wp.abs(center) > number(0.3, 0.7, "share") * rad:
            kind_out[r] = 1
        else:
            kind_out[r] = 0
    if present(weak):
        if wp.abs(center) <= rad:
            wp.atomic_add(weak, 0, 1)


@scene("nested_loop", "control_flow", "scalar_param", row,
       says="solves a tridiagonal system along each line by forward elimination and back substitution",
       title="thomas_solve|tridiagonal_lines|solve_lines|tdma_rows", algorithm="Thomas algorithm", rare=True, lossy=True)
def thomas(lower: each(matrix_entry, row, 12), diag: each(diagonal_entry, row, 12, range=(3.0, 6.0)), upper: each(matrix_entry, row, 12), b: each(right_hand_side, row, 12), cp: inout(value, row, 12), x: out(unknown_value, row, 12), skip: maybe(each(flag, row), 0.3), det: maybe(out(value, row), 0.3), peak: maybe(out(positive_value, row), 0.4)):
    names(den="den|pivot|m|beta", prev="prev|x_next|later|last_x", back="back|k|rev|n_back", i="i|s|n|cell_i", cp="cp|c_prime|scratch|upper_mod", lower="lower|sub|dl|a_diag", upper="upper|sup|du|c_diag", peak="peak|max_abs|largest|amp_max", det="det|log_det|pivot_log|logdet_out", skip="skip|inactive|solved|done_rows")
    r = wp.tid()
    if present(skip):
        if skip[r] == 1:
            return
    note("forward elimination|forward sweep")
    den = diag[r, 0]
    cp[r, 0] = upper[r, 0] / den
    x[r, 0] = b[r, 0] / den
    if present(det):
        det[r] = wp.log(den)
    for i in range(1, 12):
        den = diag[r, i] - lower[r, i] * cp[r, i - 1]
        if present(det):
            det[r] = det[r] + wp.log(den)
        cp[r, i] = upper[r, i] / den
        x[r, i] = (b[r, i] - lower[r, i] * x[r, i - 1]) / den
    note("back substitution")
    match choose("back"):
        case 1:
            for back in range(11):
                i = 10 - back
                x[r, i] = x[r, i] - cp[r, i] * x[r, i + 1]
        case 1:
            i = int(10)
            while i >= 0:
                x[r, i] = x[r, i] - cp[r, i] * x[r, i + 1]
                i -= 1
    if present(peak):
        prev = float(0.0)
        for i in range(12):
            prev = wp.max(prev, wp.abs(x[r, i]))
        peak[r] = prev


@scene("reduction", "ml", "nested_loop", node,
       says="normalises the scores of the edges that arrive at each node to weights that sum to one",
       title="graph_attention|edge_softmax|gat_aggregate|attend_neighbors", algorithm="softmax over the edges of a node", rare=True,
       lossy=True)
def edge_softmax(start: offsets(edge), source: index(node, over=edge), score: each(edge_logit, edge), feat: each(message_value, node, 4), slope: maybe(setting(leak_slope), 0.5), att: out(probability, edge), mixed: maybe(out(message_value, node, 4), 0.7), entropy: maybe(out(value, node), 0.4), dropped: maybe(each(flag, edge), 0.3)):
    names(first="first|beg|row_begin|lo", last="last|fin|row_end|hi", top="top|peak|max_s|largest", total="total|denom|norm_z|partition", s="s|e|raw|logit", w="w|a|prob|alpha_e", h="h|ent|acc_h|spread", dropped="dropped|masked_edges|edge_drop|cut")
    i = wp.tid()
    first = start[i]
    last = start[i + 1]
    if present(mixed):
        for c in range(4):
            mixed[i, c] = 0.0
    if first == last:
        note("isolated node|no neighbours")
        if present(entropy):
            entropy[i] = 0.0
        return
    top = float(-1.0e9)
    for e in range(first, last):
        s = score[e]
        if present(slope):
            s = leaky_relu(s, slope)
        top = wp.max(top, s)
    total = float(0.0)
    for e in range(first, last):
        s = score[e]
        if present(slope):
            fact("scores go through a leaky rectifier first")
            s = leaky_relu(s, slope)
        w = wp.exp(s - top)
        if present(dropped):
            note("dropped edges carry no weight")
            if dropped[e] == 1:
                w = 0.0
        att[e] = w
        total += w
    if present(dropped):
        if total == 0.0:
            if present(entropy):
                entropy[i] = 0.0
            return
    if present(entropy):
        h = float(0.0)
    for e in range(first, last):
        w = att[e] / total
        att[e] = w
        if present(mixed):
            for c in range(4):
                mixed[i, c] = mixed[i, c] + w * feat[source[e], c]
        if present(entropy):
            if w > 0.0:
                h -= w * wp.log(w)
    if present(entropy):
        entropy[i] = h


@scene("reduction", "control_flow", "math", row,
       says="computes the logarithm of the sum of exponentials of each row in one pass, rescaling whenever a larger term appears",
       title="online_logsumexp|streaming_lse|row_logsumexp|log_partition", algorithm="online log-sum-exp")
def online_lse(x: each(logit, row, column), valid: maybe(each(flag, row, column), 0.3), tau: maybe(setting(temperature_scale), 0.3), lse: out(logit), where_max: maybe(out(index_value), 0.5), expect: maybe(out(logit), 0.5), total: maybe(add(logit, 1), 0.3)):
    names(m="m|run_max|peak|top", d="d|run_sum|denom|z", v="v|s|cur|term", ev="ev|weighted|mean_acc|weighted_sum", at="at|arg|best_c|winner", grow="grow|rescale|shrink|carry", expect="expect|soft_mean|expected|avg_logit")
    r = wp.tid()
    m = float(-1.0e30)
    d = float(0.0)
    at = int(-1)
    if present(expect):
        ev = float(0.0)
    for c in range(count(column)):
        if present(valid):
            if valid[r, c] == 0:
                continue
        v = x[r, c]
        if present(tau):
            v = v / tau
        if v > m:
            note("a larger term: scale down what was summed|new maximum")
            grow = wp.exp(m - v)
            d = d * grow + 1.0
            if present(expect):
                ev = ev * grow + v
            m = v
            at = c
        else:
            grow = wp.exp(v - m)
            d += grow
            if present(expect):
                ev += v * grow
    if at < 0:
        note("nothing valid in the row")
        lse[r] = -100.0
        if present(where_max):
            where_max[r] = -1
        if present(expect):
            expect[r] = 0.0
        return
    lse[r] = m + wp.log(d)
    if present(where_max):
        where_max[r] = at
    if present(expect):
        expect[r] = ev / d
    if present(total):
        wp.atomic_add(total, 0, m + wp.log(d))


@scene("reduction", "integer", "control_flow", segment,
       says="scans one block of a long array in a thread of its own and leaves the block's total for the second pass",
       title="scan_blocks|block_prefix|chunk_scan|blockwise_cumsum", algorithm="block-wise prefix sum")
def scan_blocks(x: each(count_value, segment, 16), head: maybe(each(flag, segment, 16), 0.4), y: out(count_value, segment, 16), block_sum: out(count_value, segment), heads_seen: maybe(out(flag, segment), 0.5), longest: maybe(out(count_value, segment), 0.3)):
    names(run="run|carry|acc|total", v="v|item_v|cur|add_n", any_head="any_head|broken|saw_head|has_flag", tail="tail|since_head|open_len|stretch", best="best|max_len|widest|longest_run", heads_seen="heads_seen|block_flag|head_any|is_split")
    b = wp.tid()
    run = int(0)
    if present(head):
        any_head = int(0)
    if present(longest):
        tail = int(0)
        best = int(0)
    for k in range(16):
        v = x[b, k]
        if present(head):
            note("a head starts a new segment|segment boundary")
            fact("sums begin anew at every head")
            if head[b, k] == 1:
                run = 0
                any_head = 1
                if present(longest):
                    tail = 0
        match choose("kind"):
            case 1:
                run += v
                y[b, k] = run
            case 1:
                fact("each sum leaves out its own element")
                y[b, k] = run
                run += v
        if present(longest):
            note("how long a stretch without zeros gets")
            if v == 0:
                tail = 0
            else:
                tail += 1
            best = wp.max(best, tail)
    block_sum[b] = run
    if present(head) and present(heads_seen):
        heads_seen[b] = any_head
    if present(longest):
        longest[b] = best


@scene("reduction", "nested_loop", "math", row,
       says="describes each row by its median{mad_out:, the median absolute deviation}{trim_out:, the mean without the two smallest and the two largest}{score_out:, and the score of each value by the deviation}",
       title="robust_row_statistics|row_medians|robust_statistics", algorithm="median, MAD and trimmed mean", lossy=True)
def robust_rows(x: each(value, row, 11), med_out: out(value, row), mad_out: maybe(out(positive_value, row), 0.6), trim_out: maybe(out(value, row), 0.5), score_out: maybe(out(score, row, 11), 0.4)):
    names(w="buf|vals", hold="key|cur", j="j|pos", med="med|median", spread="mad|mad_i", total="total|trimmed_sum", k="k|i", x="x|values", med_out="medians|median_out", mad_out="mads|mad_out", trim_out="trimmed_means|trim_out", score_out="scores|z_scores", turn="turn|round")
    r = wp.tid()
    w = wp.zeros(shape=11, dtype=float)
    for k in range(constant("WIDTH|ROW_LENGTH", 11)):
        w[k] = x[r, k]
    med = float(0.0)
    if present(mad_out) or present(score_out):
        note("once for the values, once for their distances to the median|sort twice")
        for turn in range(2):
            if turn == 1:
                for k in range(constant("WIDTH|ROW_LENGTH", 11)):
                    w[k] = wp.abs(x[r, k] - med)
            note("insertion sort of a short list")
            for k in range(1, constant("WIDTH|ROW_LENGTH", 11)):
                hold = w[k]
                j = int(k)
                while j > 0:
                    if w[j - 1] <= hold:
                        break
                    w[j] = w[j - 1]
                    j -= 1
                w[j] = hold
            if turn == 0:
                med = w[constant("WIDTH|ROW_LENGTH", 11) // 2]
                if present(trim_out):
                    total = float(0.0)
                    for k in range(2, constant("WIDTH|ROW_LENGTH", 11) - 2):
                        total += w[k]
                    trim_out[r] = total / float(constant("WIDTH|ROW_LENGTH", 11) - 4)
        spread = w[constant("WIDTH|ROW_LENGTH", 11) // 2]
        if present(mad_out):
            mad_out[r] = constant("MAD_TO_SIGMA|NORMAL_CONSISTENCY", 1.4826) * spread
        if present(score_out):
            for k in range(constant("WIDTH|ROW_LENGTH", 11)):
                score_out[r, k] = constant("MODIFIED_Z|MAD_SCORE", 0.6745) * (x[r, k] - med) / (spread + 1.0e-6)
    else:
        note("insertion sort of a short list")
        for k in range(1, constant("WIDTH|ROW_LENGTH", 11)):
            hold = w[k]
            j = int(k)
            while j > 0:
                if w[j - 1] <= hold:
                    break
                w[j] = w[j - 1]
                j -= 1
            w[j] = hold
        med = w[constant("WIDTH|ROW_LENGTH", 11) // 2]
        if present(trim_out):
            total = float(0.0)
            for k in range(2, constant("WIDTH|ROW_LENGTH", 11) - 2):
                total += w[k]
            trim_out[r] = total / float(constant("WIDTH|ROW_LENGTH", 11) - 4)
    med_out[r] = med


@scene("reduction", "nested_loop", "control_flow", row,
       says="keeps the largest values of each row in a heap and returns them in descending order",
       title="heap_top_k|select_largest|best_candidates|row_top_k", algorithm="top-k selection with a binary heap", rare=True,
       lossy=True)
def heap_top_k(x: each(score, row, column), banned: maybe(each(flag, column), 0.3), top: out(score, row, 4), where_out: maybe(out(index_value, row, 4), 0.7), passed: maybe(out(count_value, row), 0.3)):
    names(heap="heap|kept|pool|pq", ids="ids|tags|kept_ids|pq_ids", v="v|cand|s|cur", p="p|at|hole|root", child="child|kid|next_p|smaller", last="last|m|tail_i|end_n", banned="banned|blocked|forbidden|stop_list", swaps="swaps|replaced|accepted|taken")
    r = wp.tid()
    heap = wp.zeros(shape=4, dtype=float)
    ids = wp.zeros(shape=4, dtype=int)
    if present(passed):
        swaps = int(0)
    note("the smallest of those that are kept is at the root|min-heap")
    for k in range(4):
        heap[k] = -1.0e6
        ids[k] = -1
    for c in range(count(column)):
        if present(banned):
            if banned[c] == 1:
                continue
        v = x[r, c]
        if v <= heap[0]:
            continue
        if present(passed):
            swaps += 1
        note("replace the root and let it sink|sift down")
        p = int(0)
        while 2 * p + 1 < 4:
            child = 2 * p + 1
            if child + 1 < 4:
                if heap[child + 1] < heap[child]:
                    child = child + 1
            if heap[child] >= v:
                break
            heap[p] = heap[child]
            ids[p] = ids[child]
            p = child
        heap[p] = v
        ids[p] = c
    note("largest first")
    for a in range(4):
        p = int(a)
        for b in range(a + 1, 4):
            if heap[b] > heap[p]:
                p = b
        v = heap[p]
        heap[p] = heap[a]
        heap[a] = v
        last = ids[p]
        ids[p] = ids[a]
        ids[a] = last
        top[r, a] = v
        if present(where_out):
            where_out[r, a] = last
    if present(passed):
        passed[r] = swaps


@scene("reduction", "integer", "control_flow", edge,
       says="finds the row of each stored entry by a binary search in the row offsets and adds its product to that row",
       title="expand_row_ids|row_of_entry|merge_rows|load_balanced_spmv", algorithm="binary search for the row of an entry")
def row_of_entry(start: offsets(edge, over=node), cols: index(node), vals: each(matrix_entry), x: each(unknown_value, node), row_out: out(index_value), y: add(system_residual, node), local: maybe(out(index_value), 0.4)):
    names(r="r|row_id|owner|seg", lo="lo|left|low_r|from_r", hi="hi|right|high_r|to_r", mid="mid|probe|half|m", local="local|rank_in_row|slot_out|pos_in_row", start="start|row_ptr|row_starts|offsets_in")
    e = wp.tid()
    if e < start[0] or e >= start[count(node)]:
        fact("entries outside of all rows belong to none")
        row_out[e] = -1
        if present(local):
            local[e] = 0
        return
    match choose("search"):
        case 1:
            note("the first row that begins behind the entry, less one|upper bound")
            r = wp.lower_bound(start, e + 1) - 1
        case 1:
            lo = int(0)
            hi = count(node)
            while lo < hi:
                mid = (lo + hi + 1) // 2
                if start[mid] <= e:
                    lo = mid
                else:
                    hi = mid - 1
            r = lo
    row_out[e] = r
    if present(local):
        local[e] = e - start[r]
    wp.atomic_add(y, r, vals[e] * x[cols[e]])
