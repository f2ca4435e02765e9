"""Matrices in tiles: products, transposes, stencils, distances, systems, attention."""


@scene("tile", (tile_row, tile_col),
       says="multiplies two matrices tile by tile{bias:, adds a row of biases}{act=1: and applies the rectifier}{act=2: and applies the SiLU}",
       title="tiled_matmul|gemm_tiles|matmul_kernel|tile_gemm{bias:|linear_layer_tiles}", algorithm="matrix product")
def tiled_matmul(TM: tile(4, 8, 16), TN: tile(4, 8, 16), TK: tile(4, 8, 16), a: each(matrix_entry, tile_row * TM, tile_step * TK), b: each(matrix_entry, tile_step * TK, tile_col * TN), bias: maybe(each(shift_beta, tile_col * TN), 0.35), alpha: maybe(setting(value, 0.3, 1.5), 0.3), c: out(value, tile_row * TM, tile_col * TN)):
    names(TM="TM|TILE_M|BM|M_TILE", TN="TN|TILE_N|BN|N_TILE", TK="TK|TILE_K|BK|K_TILE", acc="acc|total|c_tile|out_t", ta="ta|a_tile|left|lhs", tb="tb|b_tile|right|rhs", k="k|kk|step|s")
    names(c="c|out|result", bias="bias|bias_row|offsets_n", alpha="alpha|scale|gain", bt="bt|bias_t|row_bias")
    i, j = wp.tid()
    acc = wp.tile_zeros(shape=(TM, TN), dtype=float)
    note("along the inner dimension|over the tiles of the inner dimension")
    for k in range(count(tile_step)):
        ta = wp.tile_load(a, shape=(TM, TK), offset=(i * TM, k * TK))
        tb = wp.tile_load(b, shape=(TK, TN), offset=(k * TK, j * TN))
        match choose():
            case 3:
                wp.tile_matmul(ta, tb, acc)
            case 2:
                acc += wp.tile_matmul(ta, tb)
    if present(alpha):
        acc = acc * alpha
    if present(bias):
        bt = wp.tile_load(bias, shape=TN, offset=j * TN)
        acc = acc + wp.tile_broadcast(bt, shape=(TM, TN))
    match choose("act"):
        case 4:
            pass
        case 1:
            acc = wp.tile_map(relu, acc)
        case 1:
            acc = wp.tile_map(silu, acc)
    wp.tile_store(c, acc, offset=(i * TM, j * TN))


@scene("tile", (tile_row, tile_col),
       says="multiplies a matrix with the transpose of another, tile by tile{scale:, and scales the product}",
       title="matmul_transposed|tiled_matmul_nt|gemm_nt_tiles|product_with_transpose", algorithm="matrix product with a transpose")
def matmul_nt(TM: tile(4, 8, 16), TN: tile(4, 8, 16), TK: tile(4, 8), x: each(feature, tile_row * TM, tile_step * TK), w: each(gate_weight, tile_col * TN, tile_step * TK), scale: maybe(setting(value, 0.2, 1.5), 0.4), old: maybe(each(value, tile_row * TM, tile_col * TN), 0.3), y: out(value, tile_row * TM, tile_col * TN), row_sum: maybe(add(value, tile_row * TM), 0.25)):
    names(TM="TM|ROWS|BM|TILE_M", TN="TN|COLS|BN|TILE_N", TK="TK|INNER|BK|TILE_K", acc="acc|total|y_tile|prod", tx="tx|x_tile|rows_t|lhs", tw="tw|w_tile|weights_t|rhs", y="y|out|result", old="old|c_in|start_values", row_sum="row_sum|row_totals|sums_out", scale="scale|alpha|factor")
    i, j = wp.tid()
    if present(old):
        note("it goes on from what is there")
        acc = wp.tile_load(old, shape=(TM, TN), offset=(i * TM, j * TN))
    else:
        acc = wp.tile_zeros(shape=(TM, TN), dtype=float)
    for k in range(count(tile_step)):
        tx = wp.tile_load(x, shape=(TM, TK), offset=(i * TM, k * TK))
        tw = wp.tile_load(w, shape=(TN, TK), offset=(j * TN, k * TK))
        wp.tile_matmul(tx, wp.tile_transpose(tw), acc)
    if present(scale):
        wp.tile_store(y, either(acc * scale, scale * acc), offset=(i * TM, j * TN))
    else:
        wp.tile_store(y, acc, offset=(i * TM, j * TN))
    if present(row_sum):
        wp.tile_atomic_add(row_sum, wp.tile_sum(acc, axis=1), offset=i * TM)


@scene("tile", batch,
       says="multiplies a batch of small matrices{s: and scales the products}{trace_:, and sums up the entries of each}",
       title="batched_matmul|batch_gemm|small_matmuls|multiply_batch", algorithm="batched matrix product")
def batched_matmul(M: tile(4, 8), N: tile(4, 8), K: tile(4, 8), a: each(matrix_entry, batch, M, K), b: each(matrix_entry, batch, K, N), s: maybe(each(value, batch), 0.35), c: out(value, batch, M, N), trace_: maybe(out(value, batch), 0.3)):
    names(M="M|ROWS|DIM_M|P", N="N|COLS|DIM_N|Q", K="K|INNER|DIM_K|R", ta="ta|left|a_t|lhs", tb="tb|right|b_t|rhs", tc="tc|prod|c_t|res", c="c|out|products", s="s|scales|factors", trace_="entry_sums|sums_out|totals")
    i = wp.tid()
    ta = either(wp.tile_load(a[i], shape=(M, K)), wp.tile_squeeze(wp.tile_load(a, shape=(1, M, K), offset=(i, 0, 0)), axis=(0,)))
    tb = either(wp.tile_load(b[i], shape=(K, N)), wp.tile_reshape(wp.tile_load(b, shape=(1, K, N), offset=(i, 0, 0)), shape=(K, N)))
    tc = wp.tile_matmul(ta, tb)
    if present(s):
        tc = tc * s[i]
    wp.tile_store(c[i], tc)
    if present(trace_):
        wp.tile_store(trace_, wp.tile_sum(tc), offset=i)


@scene("tile", batch,
       says="multiplies a matrix with a vector for each problem of a batch{rhs:, and takes the right-hand side off}",
       title="batched_matvec|batch_gemv|matvec_tiles|{rhs:residual_tiles|}apply_operators", algorithm="batched matrix-vector product")
def batched_matvec(M: tile(4, 8, 16), N: tile(4, 8, 16), a: each(matrix_entry, batch, M, N), x: each(unknown_value, batch, N), rhs: maybe(each(right_hand_side, batch, M), 0.4), y: out(value, batch, M), norm_out: maybe(out(value, batch), 0.35)):
    names(M="M|ROWS|OUT_DIM|EQS", N="N|COLS|IN_DIM|VARS", ta="ta|mat|a_t|op", tx="tx|vec|x_t|col", ty="ty|prod|y_t|res", y="y|out|ax", norm_out="norm_out|norms|residual_sq")
    i = wp.tid()
    ta = wp.tile_load(a[i], shape=(M, N))
    tx = wp.tile_load(x[i], shape=N)
    match choose():
        case 2:
            note("a column of one")
            ty = wp.tile_reshape(wp.tile_matmul(ta, wp.tile_reshape(tx, shape=(N, 1))), shape=(M,))
        case 2:
            ty = wp.tile_sum(ta * wp.tile_broadcast(tx, shape=(M, N)), axis=1)
    if present(rhs):
        ty = ty - wp.tile_load(rhs[i], shape=M)
    wp.tile_store(y[i], ty)
    if present(norm_out):
        wp.tile_store(norm_out, either(wp.tile_dot(ty, ty), wp.tile_sum(ty * ty)), offset=i)


@scene("tile", (tile_row, tile_col),
       says="transposes a matrix tile by tile{s: and scales it}{add_=1:, and adds another matrix}",
       title="transpose_tiles|tiled_transpose|matrix_transpose|flip_tiles", algorithm="matrix transpose")
def transpose_tiles(TM: tile(4, 8, 16), TN: tile(4, 8, 16), a: each(value, tile_row * TM, tile_col * TN), other: each(value, tile_col * TN, tile_row * TM), s: maybe(setting(value, 0.2, 2.0), 0.35), t_out: out(value, tile_col * TN, tile_row * TM)):
    names(TM="TM|TILE_M|ROWS|BH", TN="TN|TILE_N|COLS|BW", t="t|src|block_t|a_tile", u="u|flipped|dst|res", t_out="t_out|out|transposed", other="other|b|added", s="s|scale|factor")
    i, j = wp.tid()
    t = wp.tile_load(a, shape=(TM, TN), offset=(i * TM, j * TN))
    if present(s):
        t = t * s
    if maybe(0.35, "add_"):
        u = wp.tile_transpose(t) + wp.tile_load(other, shape=(TN, TM), offset=(j * TN, i * TM))
        wp.tile_store(t_out, u, offset=(j * TN, i * TM))
    else:
        wp.tile_store(t_out, wp.tile_transpose(t), offset=(j * TN, i * TM))


@scene("tile", (tile_row, tile_col),
       says="{kind=0:smooths an image with the five-point average}{kind=1:computes the Laplacian of a field}{kind=2:makes a Jacobi step for a Poisson equation} in tiles with a halo of one cell",
       title="{kind=0:blur_tiles|five_point_blur}{kind=1:laplacian_tiles|tiled_laplacian}{kind=2:jacobi_tiles|poisson_step}")
def halo_stencil(TM: tile(4, 8, 16), TN: tile(4, 8, 16), u: each(field_value, tile_row * TM + 2, tile_col * TN + 2), f: each(field_value, tile_row * TM, tile_col * TN), h2: setting(value, 0.1, 1.0), r: out(field_value, tile_row * TM, tile_col * TN), energy_: maybe(add(value, 1), 0.3)):
    names(TM="TM|TILE_H|BH|ROWS", TN="TN|TILE_W|BW|COLS", t="t|padded|with_halo|block_t", mid="mid|center|here|c", ring="ring|around|neighbours|cross_sum", v="v|res|new_t|val", r="r|out|result", energy_="energy|sum_sq|power_out", h2="h2|spacing_sq|dx2")
    i, j = wp.tid()
    note("one cell more on every side|the tile and one cell around it")
    t = wp.tile_load(u, shape=(wp.static(TM + 2), wp.static(TN + 2)), offset=(i * TM, j * TN), storage="shared")
    ring = wp.tile_view(t, offset=(0, 1), shape=(TM, TN)) + wp.tile_view(t, offset=(2, 1), shape=(TM, TN))
    match choose():
        case 2:
            ring += wp.tile_view(t, offset=(1, 0), shape=(TM, TN))
            ring += wp.tile_view(t, offset=(1, 2), shape=(TM, TN))
        case 2:
            ring = ring + wp.tile_view(t, offset=(1, 0), shape=(TM, TN)) + wp.tile_view(t, offset=(1, 2), shape=(TM, TN))
    match choose("kind"):
        case 2:
            mid = wp.tile_view(t, offset=(1, 1), shape=(TM, TN))
            v = (ring + mid) * 0.2
        case 2:
            mid = wp.tile_view(t, offset=(1, 1), shape=(TM, TN))
            v = either((ring - mid * 4.0) / h2, (ring - 4.0 * mid) / h2)
        case 2:
            v = (ring - wp.tile_load(f, shape=(TM, TN), offset=(i * TM, j * TN)) * h2) * 0.25
    wp.tile_store(r, v, offset=(i * TM, j * TN))
    if present(energy_):
        wp.tile_atomic_add(energy_, either(wp.tile_dot(v, v), wp.tile_sum(v * v)))


@scene("tile", (tile_row, tile_col),
       says="computes the squared distances between all pairs of two sets of points, tile by tile{sigma_: and turns them into Gaussian weights}",
       title="pairwise_distances|distance_tiles|{sigma_:rbf_tiles|kernel_matrix_tiles|}all_pairs_tiles", algorithm="pairwise distances",
       lossy=True)
def pairwise_tiles(TM: tile(4, 8, 16), TN: tile(4, 8, 16), DIM: tile(4, 8), x: each(feature, tile_row * TM, DIM), y: each(feature, tile_col * TN, DIM), sigma_: maybe(setting(value, 0.02, 0.3), 0.4), d2: out(value, tile_row * TM, tile_col * TN), mean_sim: maybe(add(value, tile_row * TM), 0.3)):
    names(TM="TM|ROWS|BM|QUERIES", TN="TN|COLS|BN|KEYS", DIM="DIM|FEATURES|D|WIDTH", tx="tx|x_t|queries_t|left", ty="ty|y_t|points_t|right", xx="xx|x_sq|len_x|nx", yy="yy|y_sq|len_y|ny", g="g|cross|gram|dots", d="d|dist_t|res|sq", d2="d2|distances|out", sigma_="gamma|inv_width|bandwidth", mean_sim="row_sums|degree|weight_sums")
    i, j = wp.tid()
    tx = wp.tile_load(x, shape=(TM, DIM), offset=(i * TM, 0))
    ty = wp.tile_load(y, shape=(TN, DIM), offset=(j * TN, 0))
    note("the squared lengths, and twice the products|by the squares of both and their products")
    xx = wp.tile_sum(tx * tx, axis=1)
    yy = wp.tile_sum(ty * ty, axis=1)
    g = wp.tile_matmul(tx, wp.tile_transpose(ty))
    d = wp.tile_broadcast(wp.tile_reshape(xx, shape=(TM, 1)), shape=(TM, TN)) + wp.tile_broadcast(yy, shape=(TM, TN)) - g * 2.0
    if present(sigma_):
        d = wp.tile_map(wp.exp, d * (0.0 - sigma_))
    wp.tile_store(d2, d, offset=(i * TM, j * TN))
    if present(mean_sim):
        wp.tile_atomic_add(mean_sim, wp.tile_sum(d, axis=1), offset=i * TM)


@scene("tile", chunk,
       says="adds up the {centre:centred }products of all pairs of features over tiles of samples: the matrix that a covariance is made of",
       title="scatter_matrix|gram_tiles|covariance_sums|feature_products", algorithm="Gram matrix")
def gram_tiles(TS: tile(4, 8, 16), DIM: tile(4, 8), x: each(feature, chunk * TS, DIM), centre: maybe(each(feature, DIM), 0.5), w: maybe(each(weight, chunk * TS), 0.35), inv_n: maybe(setting(value, 0.02, 0.2), 0.4), gram: add(value, DIM, DIM), sums: maybe(add(value, DIM), 0.4)):
    names(TS="TS|SAMPLES|BATCH|ROWS", DIM="DIM|FEATURES|D|WIDTH", t="t|block_t|xs|rows_t", u="u|weighted|wx|left", g="g|prod|outer|gram_t", gram="gram|products|second_moments", sums="sums|first_moments|column_sums", centre="centre|mean_in|mu", inv_n="inv_n|norm|per_sample")
    i = wp.tid()
    t = wp.tile_load(x, shape=(TS, DIM), offset=(i * TS, 0))
    if present(centre):
        t = t - wp.tile_broadcast(wp.tile_load(centre, shape=DIM), shape=(TS, DIM))
    if present(w):
        u = t * wp.tile_broadcast(wp.tile_reshape(wp.tile_load(w, shape=TS, offset=i * TS), shape=(TS, 1)), shape=(TS, DIM))
        g = wp.tile_matmul(wp.tile_transpose(u), t)
    else:
        g = wp.tile_matmul(wp.tile_transpose(t), t)
    if present(inv_n):
        g = g * inv_n
    wp.tile_atomic_add(gram, g)
    if present(sums):
        if present(w):
            wp.tile_atomic_add(sums, wp.tile_sum(u, axis=0))
        else:
            wp.tile_atomic_add(sums, wp.tile_sum(t, axis=0))


@scene("tile", (tile_row, tile_col),
       says="fills a matrix with the {op=0:products}{op=1:sums}{op=2:differences} of all pairs of two vectors, tile by tile",
       title="{op=0:outer_product_tiles|tiled_outer}{op=1:outer_sum_tiles}{op=2:outer_difference_tiles}|all_pairs_matrix")
def outer_tiles(TM: tile(4, 8, 16), TN: tile(4, 8, 16), x: each(value, tile_row * TM), y: each(value, tile_col * TN), c: maybe(each(value, tile_row * TM, tile_col * TN), 0.4), alpha: maybe(setting(value, 0.2, 1.5), 0.35), m: out(value, tile_row * TM, tile_col * TN)):
    names(TM="TM|TILE_M|BM|ROWS", TN="TN|TILE_N|BN|COLS", tx="tx|u|x_t|left", ty="ty|v|y_t|right", p="p|prod|block_t|res", m="m|out|matrix_out", c="c|start_m|base_m", alpha="alpha|scale|factor")
    i, j = wp.tid()
    tx = wp.tile_load(x, shape=TM, offset=i * TM)
    ty = wp.tile_load(y, shape=TN, offset=j * TN)
    match choose("op"):
        case 3:
            match choose():
                case 1:
                    p = wp.tile_matmul(wp.tile_reshape(tx, shape=(TM, 1)), wp.tile_reshape(ty, shape=(1, TN)))
                case 1:
                    p = wp.tile_broadcast(wp.tile_reshape(tx, shape=(TM, 1)), shape=(TM, TN)) * wp.tile_broadcast(ty, shape=(TM, TN))
        case 1:
            p = wp.tile_broadcast(wp.tile_reshape(tx, shape=(TM, 1)), shape=(TM, TN)) + wp.tile_broadcast(ty, shape=(TM, TN))
        case 1:
            p = wp.tile_broadcast(wp.tile_reshape(tx, shape=(TM, 1)), shape=(TM, TN)) - wp.tile_broadcast(ty, shape=(TM, TN))
    if present(alpha):
        p = p * alpha
    if present(c):
        p = p + wp.tile_load(c, shape=(TM, TN), offset=(i * TM, j * TN))
    wp.tile_store(m, p, offset=(i * TM, j * TN))


@scene("tile", (tile_row, tile_col),
       says="{op=0:adds}{op=1:blends}{op=2:multiplies element by element} two matrices in tiles{rows_out:, and adds up the rows of the result}{cols_out:, and the columns}",
       title="matrix_combine|combine_tiles|elementwise_tiles|tiled_combine")
def combine_tiles(TM: tile(4, 8, 16), TN: tile(4, 8, 16), a: each(value, tile_row * TM, tile_col * TN), b: each(value, tile_row * TM, tile_col * TN), share: setting(ratio, 0.1, 0.9), r: out(value, tile_row * TM, tile_col * TN), rows_out: maybe(add(value, tile_row * TM), 0.4), cols_out: maybe(add(value, tile_col * TN), 0.3), peak: maybe(out(value, tile_row, tile_col), 0.25)):
    names(TM="TM|TILE_M|BM|ROWS", TN="TN|TILE_N|BN|COLS", ta="ta|left|p|a_t", tb="tb|right|q|b_t", tr="tr|res|mixed|c_t", r="r|out|result", rows_out="rows_out|row_sums|by_row", cols_out="cols_out|col_sums|by_col", peak="peak|tile_max|maxima", share="share|alpha|blend")
    i, j = wp.tid()
    ta = wp.tile_load(a, shape=(TM, TN), offset=(i * TM, j * TN))
    tb = wp.tile_load(b, shape=(TM, TN), offset=(i * TM, j * TN))
    match choose("op"):
        case 2:
            tr = either(ta + tb, wp.tile_map(wp.add, ta, tb))
        case 2:
            tr = either(ta * (1.0 - share) + tb * share, ta + (tb - ta) * share)
        case 2:
            tr = either(ta * tb, wp.tile_map(wp.mul, ta, tb))
    wp.tile_store(r, tr, offset=(i * TM, j * TN))
    if present(rows_out):
        wp.tile_atomic_add(rows_out, wp.tile_sum(tr, axis=1), offset=i * TM)
    if present(cols_out):
        wp.tile_atomic_add(cols_out, wp.tile_sum(tr, axis=0), offset=j * TN)
    if present(peak):
        wp.tile_store(peak, wp.tile_reshape(wp.tile_max(tr), shape=(1, 1)), offset=(i, j))


@scene("tile", head,
       says="computes attention for one tile of queries per head: products with the keys, softmax over them, the weighted sum of the values",
       title="tiled_attention|attention_heads|attend_tiles|attention_block", algorithm="scaled dot-product attention")
def tiled_attention(NQ: tile(4, 8), NK: tile(4, 8, 16), D: tile(4, 8), q: each(embedding_value, head, NQ, D), k: each(embedding_value, head, NK, D), v: each(embedding_value, head, NK, D), bias: maybe(each(edge_logit, NQ, NK), 0.35), scale: setting(value, 0.2, 0.6), y: out(embedding_value, head, NQ, D), weights_: maybe(out(probability, head, NQ, NK), 0.3)):
    names(NQ="NQ|QUERIES|BLOCK_Q|Q_LEN", NK="NK|KEYS|BLOCK_K|K_LEN", D="D|HEAD_DIM|DIM|WIDTH", tq="tq|q_t|query_t|qs", tk="tk|k_t|key_t|ks", tv="tv|v_t|value_t|vs", s="s|att|scores_t|logits_t", p="p|probs_t|expd|ex", z="z|denom|norm|row_sum", o="o|ctx|mixed|out_t")
    names(y="y|out|context", weights_="weights|att_out|probs_out", bias="bias|pos_bias|score_bias", scale="scale|inv_sqrt_d|sharpness")
    h = wp.tid()
    tq = wp.tile_load(q[h], shape=(NQ, D))
    tk = wp.tile_load(k[h], shape=(NK, D))
    tv = wp.tile_load(v[h], shape=(NK, D))
    s = wp.tile_matmul(tq, wp.tile_transpose(tk)) * scale
    if present(bias):
        s = s + wp.tile_load(bias, shape=(NQ, NK))
    note("softmax over the keys")
    p = wp.tile_map(wp.exp, s)
    z = wp.tile_sum(p, axis=1)
    p = p / wp.tile_broadcast(wp.tile_reshape(z, shape=(NQ, 1)), shape=(NQ, NK))
    if present(weights_):
        wp.tile_store(weights_[h], p)
    o = wp.tile_matmul(p, tv)
    wp.tile_store(y[h], o)


@scene("tile", batch,
       says="solves a ridge regression for each problem of a batch by a Cholesky factor of the normal equations",
       title="ridge_batch|solve_normal_equations|batched_ridge|ridge_tiles", algorithm="ridge regression", lossy=True)
def ridge_batch(ROWS: tile(4, 8), N: tile(2, 4), a: each(matrix_entry, batch, ROWS, N), y: each(right_hand_side, batch, ROWS), lam: setting(value, 0.5, 2.0), prior: maybe(each(unknown_value, N), 0.35), x: out(unknown_value, batch, N), fit: maybe(out(value, batch, ROWS), 0.3)):
    names(ROWS="ROWS|SAMPLES|M|EQS", N="N|VARS|FEATURES|COLS", ta="ta|design|a_t|mat", ty="ty|rhs_t|obs|b_t", g="g|normal|ata|gram", r="r|aty|rhs_n|right", l="l|chol|factor|low", s="s|sol|x_t|coef", lam="lam|ridge|damping", x="x|coeffs|solution", fit="fit|predicted|model_out", prior="prior|x_start|x_mean", dg="dg|shift_t|diag_t|ridge_t")
    i = wp.tid()
    ta = wp.tile_load(a[i], shape=(ROWS, N))
    ty = wp.tile_load(y[i], shape=ROWS)
    g = wp.tile_matmul(wp.tile_transpose(ta), ta)
    dg = wp.tile_full(shape=N, value=lam, dtype=float)
    g = wp.tile_diag_add(g, dg)
    r = wp.tile_reshape(wp.tile_matmul(wp.tile_transpose(ta), wp.tile_reshape(ty, shape=(ROWS, 1))), shape=(N,))
    if present(prior):
        fact("the solution is drawn to a prior instead of zero")
        r = r + wp.tile_load(prior, shape=N) * lam
    l = wp.tile_cholesky(g)
    match choose():
        case 2:
            s = wp.tile_cholesky_solve(l, r)
        case 2:
            note("forward, then backward substitution")
            s = wp.tile_upper_solve(wp.tile_transpose(l), wp.tile_lower_solve(l, r))
    wp.tile_store(x[i], s)
    if present(fit):
        wp.tile_store(fit[i], wp.tile_sum(ta * wp.tile_broadcast(s, shape=(ROWS, N)), axis=1))


@scene("tile", batch,
       says="factors the positive definite matrix of each problem by Cholesky{z: and solves a system with the factors}{logdet:, and gives the logarithm of the determinant}",
       title="batched_cholesky|factor_batch|cholesky_tiles|decompose_batch", algorithm="Cholesky factorisation", lossy=True)
def cholesky_batch(N: tile(2, 4, 8), a: each(matrix_entry, batch, N, N), shift: setting(value, 0.5, 2.0), y: maybe(each(right_hand_side, batch, N), 0.5), l_out: out(value, batch, N, N), z: maybe(out(value, batch, N), 0.5), logdet: maybe(out(value, batch), 0.3)):
    names(N="N|DIM|SIZE|ORDER", t="t|mat|root|a_t", g="g|spd|sym|cov_t", l="l|chol|factor|low", w="w|sol|solved|z_t", dg="dg|shift_t|diag_t|jitter_t", shift="shift|jitter|ridge", l_out="l_out|factors|chol_out", z="z|solution|solved_out", logdet="logdet|log_dets|ld_out", total="total|acc|ld|logs")
    i = wp.tid()
    t = wp.tile_load(a[i], shape=(N, N))
    note("a matrix times its transpose, shifted: positive definite")
    g = wp.tile_matmul(t, wp.tile_transpose(t))
    dg = wp.tile_full(shape=N, value=shift, dtype=float)
    g = wp.tile_diag_add(g, dg)
    l = wp.tile_cholesky(g)
    wp.tile_store(l_out[i], l)
    if present(y):
        if present(z):
            w = wp.tile_cholesky_solve(l, wp.tile_load(y[i], shape=N))
            wp.tile_store(z[i], w)
    if present(logdet):
        total = float(0.0)
        for k in range(N):
            total += 2.0 * wp.log(l[k, k])
        logdet[i] = total


@scene("tile", batch,
       says="solves a triangular system for each problem of a batch by {side=0:forward}{side=1:backward} substitution{chk:, and gives the squared length of the solution}",
       title="triangular_batch|substitution_tiles|{side=0:forward_substitution}{side=1:back_substitution}|solve_triangular_batch", algorithm="triangular solve",
       lossy=True)
def triangular_batch(N: tile(2, 4, 8), a: each(matrix_entry, batch, N, N), d: each(diagonal_entry, batch, N), b: each(right_hand_side, batch, N), x: out(unknown_value, batch, N), chk: maybe(out(value, batch), 0.3)):
    names(N="N|DIM|SIZE|ORDER", t="t|tri|mat|fac", r="r|rhs_t|right|b_t", s="s|sol|x_t|res", x="x|solution|out", chk="chk|norms|length_sq", d="d|diag|pivots")
    i = wp.tid()
    note("the diagonal is made strong|a strong diagonal")
    t = wp.tile_diag_add(wp.tile_load(a[i], shape=(N, N)), wp.tile_load(d[i], shape=N))
    r = wp.tile_load(b[i], shape=N)
    match choose("side"):
        case 2:
            s = wp.tile_lower_solve(t, r)
        case 2:
            s = wp.tile_upper_solve(t, r)
    wp.tile_store(x[i], s)
    if present(chk):
        wp.tile_store(chk, wp.tile_dot(s, s), offset=i)


@scene("tile", chunk,
       says="passes tiles of samples through a layer of {act=0:SiLU}{act=1:softplus}{act=2:rectified} units{second:, and through a second, linear one}",
       title="dense_layer_tiles|{second:mlp_tiles|two_layer_tiles|}forward_layer|dense_forward", algorithm="dense layer")
def dense_tiles(BATCH: tile(4, 8), IN: tile(4, 8), HID: tile(4, 8, 16), x: each(feature, chunk * BATCH, IN), w1: each(gate_weight, IN, HID), b1: each(shift_beta, HID), second: maybe(each(gate_weight, HID, IN), 0.5), h_out: out(value, chunk * BATCH, HID), y: out(value, chunk * BATCH, IN)):
    names(BATCH="BATCH|ROWS|SAMPLES|TB", IN="IN|IN_DIM|FEATURES|DIM", HID="HID|HIDDEN|UNITS|OUT_DIM", tx="tx|x_t|inp|rows_t", tw="tw|w_t|weights_t|mat", z="z|pre|h_t|lin", h="h|act_t|hid_t|fired", o="o|res|out_t|lin2", second="w2|weights_out|second_w", h_out="h_out|hidden_out|activations", y="y|out|outputs")
    i = wp.tid()
    tx = wp.tile_load(x, shape=(BATCH, IN), offset=(i * BATCH, 0))
    tw = wp.tile_load(w1, shape=(IN, HID))
    z = wp.tile_matmul(tx, tw) + wp.tile_broadcast(wp.tile_load(b1, shape=HID), shape=(BATCH, HID))
    match choose("act"):
        case 2:
            h = wp.tile_map(silu, z)
        case 2:
            h = wp.tile_map(softplus, z)
        case 2:
            h = wp.tile_map(relu, z)
    if present(second):
        o = wp.tile_matmul(h, wp.tile_load(second, shape=(HID, IN)))
        if maybe(0.4):
            fact("the input is added to the output")
            o = o + tx
        wp.tile_store(y, o, offset=(i * BATCH, 0))
    else:
        wp.tile_store(h_out, h, offset=(i * BATCH, 0))


@scene("tile", chunk,
       says="computes the {kind=0:mean}{kind=1:sum}{kind=2:sum of squares} of every column over tiles of rows",
       title="column_{kind=0:means}{kind=1:sums}{kind=2:squares}|reduce_columns|columns_by_tiles|tiled_column_reduce", ragged=True)
def column_reduce(TS: tile(4, 8, 16), DIM: tile(4, 8, 16), x: each(feature, chunk * TS, DIM), w: maybe(each(weight, DIM), 0.35), inv_n: setting(value, 0.01, 0.1), sums: add(value, DIM), block_rows: maybe(out(value, chunk, DIM), 0.3)):
    names(TS="TS|ROWS|SAMPLES|STRIP", DIM="DIM|COLS|FEATURES|D", t="t|block_t|rows_t|xs", s="s|acc|col_t|summed", sums="sums|columns_out|totals", block_rows="block_rows|per_block|partials", inv_n="inv_n|inv_rows|norm")
    i = wp.tid()
    t = wp.tile_load(x, shape=(TS, DIM), offset=(i * TS, 0))
    match choose("kind"):
        case 2:
            s = wp.tile_sum(t, axis=0) * inv_n
        case 2:
            s = either(wp.tile_sum(t, axis=0), wp.tile_reduce(wp.add, t, axis=0))
        case 2:
            s = wp.tile_sum(t * t, axis=0)
    if present(w):
        fact("the results are weighted by column")
        s = s * wp.tile_load(w, shape=DIM)
    wp.tile_atomic_add(sums, s)
    if present(block_rows):
        wp.tile_store(block_rows[i], s)
