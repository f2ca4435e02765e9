"""Rows, signals and lists: scans, sorts, filters, statistics, matching."""


@scene("reduction", "nested_loop", "control_flow", row,
       says="finds the largest value of each row, where it is, and how far the second largest is behind",
       title="row_argmax|top_two|best_of_row|find_peak", algorithm="maximum and runner-up")
def row_argmax(x: each(score, row, column), valid: maybe(each(flag, row, column), 0.3), where_out: out(index_value), top: maybe(out(score), 0.6), lead: maybe(out(positive_value), 0.5)):
    names(best="best|hi|top1|largest", second="second|next_best|top2|runner_up", at="at|arg|best_c|place", v="v|val|s|cur", valid="valid|allowed|mask|legal", lead="lead|margin|gap_out|confidence")
    r = wp.tid()
    best = float(-1.0e9)
    second = float(-1.0e9)
    at = int(-1)
    for c in range(count(column)):
        if present(valid):
            if valid[r, c] == 0:
                continue
        v = x[r, c]
        if v > best:
            second = best
            best = v
            at = c
        elif v > second:
            second = v
    where_out[r] = at
    if present(top):
        top[r] = wp.max(best, -100.0)
    if present(lead):
        note("rows with a single candidate have no runner-up")
        if second > -1.0e8:
            lead[r] = best - second
        else:
            lead[r] = 0.0


@scene("reduction", "nested_loop", "arithmetic", row,
       says="computes mean and variance of each row in one pass by Welford's method",
       title="row_moments|welford|online_variance|streaming_stats", algorithm="Welford's algorithm")
def welford(x: each(value, row, column), mu_out: out(mean), var_out: out(variance), skew: maybe(out(value), 0.4), skip: maybe(setting(value, 1.0, 1.8), 0.3)):
    names(mu="mu|mean|m|avg", m2="m2|sq|ssd|acc2", d="d|delta|diff|dx", n="n|seen|k|count_n", v="v|val|xi|item_v", skip="skip|outlier|limit|clip_at")
    r = wp.tid()
    mu = float(0.0)
    m2 = float(0.0)
    n = float(0.0)
    for c in range(count(column)):
        v = x[r, c]
        if present(skip):
            note("outliers do not count")
            fact("values beyond a limit are left out")
            if wp.abs(v) > skip:
                continue
        n += 1.0
        d = v - mu
        mu += d / n
        m2 += d * (v - mu)
    mu_out[r] = mu
    match choose("bias"):
        case 2:
            var_out[r] = m2 / wp.max(n, 1.0)
        case 1:
            note("unbiased")
            fact("the variance is the unbiased estimate")
            var_out[r] = m2 / wp.max(n - 1.0, 1.0)
    if present(skew):
        d = float(0.0)
        for c in range(count(column)):
            if present(skip):
                if wp.abs(x[r, c]) > skip:
                    continue
            d += (x[r, c] - mu) * (x[r, c] - mu) * (x[r, c] - mu)
        skew[r] = d / wp.max(n, 1.0)


@scene("reduction", "nested_loop", "integer", row,
       says="computes the running sum of each row and, on request, leaves out the own element",
       title="prefix_sum|cumulative_sum|scan_rows|running_total", algorithm="inclusive or exclusive scan")
def prefix_sum(x: each(count_value, row, column), y: out(count_value, row, column), total_out: maybe(out(count_value), 0.5), reset: maybe(each(flag, row, column), 0.3)):
    names(total="total|acc|run|s", v="v|xi|item_n|add_n", reset="reset|segment_start|heads|restart")
    r = wp.tid()
    total = int(0)
    for c in range(count(column)):
        if present(reset):
            note("a new segment starts here")
            fact("the sum starts anew at every segment head")
            if reset[r, c] == 1:
                total = 0
        v = x[r, c]
        match choose("kind"):
            case 1:
                fact("each sum includes the element itself")
                total += v
                y[r, c] = total
            case 1:
                fact("each sum leaves out the element itself")
                y[r, c] = total
                total += v
    if present(total_out):
        total_out[r] = total


@scene("nested_loop", "control_flow", "integer", row,
       says="sorts each row in ascending order by insertion, in place, and counts the moves",
       title="sort_rows|insertion_sort|order_rows|rank_values", algorithm="insertion sort", lossy=True)
def sort_rows_inplace(x: inout(value, row, column), perm: maybe(out(index_value, row, column), 0.4), moves: out(count_value)):
    names(v="v|key|item_v|cur", j="j|k|pos|hole", n="n|shifts|swaps|moved")
    r = wp.tid()
    n = int(0)
    if present(perm):
        perm[r, 0] = 0
    for c in range(1, count(column)):
        v = x[r, c]
        j = int(c)
        while j > 0 and x[r, wp.max(j - 1, 0)] > v:
            x[r, j] = x[r, j - 1]
            if present(perm):
                perm[r, j] = perm[r, j - 1]
            j -= 1
            n += 1
        x[r, j] = v
        if present(perm):
            perm[r, j] = c
    if present(moves):
        moves[r] = n


@scene("control_flow", "integer", "nested_loop", row,
       says="sorts four values of each row with a network of compare-and-swap steps",
       title="sort_network|sort4|bitonic4|compare_swap", algorithm="sorting network for four values", rare=True)
def sort_four(x: each(value, row, 4), y: out(value, row, 4), median_out: maybe(out(value), 0.5), spread: maybe(out(positive_value), 0.5)):
    names(a="a|v0|x0|s0", b="b|v1|x1|s1", c="c|v2|x2|s2", d="d|v3|x3|s3", t="t|tmp|swap|hold", spread="spread|range_out|extent|width")
    r = wp.tid()
    a = x[r, 0]
    b = x[r, 1]
    c = x[r, 2]
    d = x[r, 3]
    match choose("form"):
        case 1:
            if a > b:
                t = a
                a = b
                b = t
            if c > d:
                t = c
                c = d
                d = t
            if a > c:
                t = a
                a = c
                c = t
            if b > d:
                t = b
                b = d
                d = t
            if b > c:
                t = b
                b = c
                c = t
        case 1:
            note("first the pairs, then the halves, then the middle")
            t = wp.min(a, b)
            b = wp.max(a, b)
            a = t
            t = wp.min(c, d)
            d = wp.max(c, d)
            c = t
            t = wp.min(a, c)
            c = wp.max(a, c)
            a = t
            t = wp.min(b, d)
            d = wp.max(b, d)
            b = t
            t = wp.min(b, c)
            c = wp.max(b, c)
            b = t
    y[r, 0] = a
    y[r, 1] = b
    y[r, 2] = c
    y[r, 3] = d
    if present(median_out):
        median_out[r] = 0.5 * (b + c)
    if present(spread):
        spread[r] = d - a


@scene("nested_loop", "stencil", "reduction", time_sample,
       says="filters a signal with a window of weights and keeps what lies beyond its ends at the end values",
       title="fir_filter|convolve_signal|smooth_signal|moving_window", algorithm="FIR filter")
def fir_filter(x: each(signal), h: each(filter_weight, filter_tap), y: out(filtered_value), rest: maybe(out(signal), 0.4), gain: maybe(setting(gain), 0.3)):
    names(acc="acc|total|s|conv", k="k|tap|m|lag", at="at|idx|src|pos", h="h|taps|coeffs|kernel", rest="rest|residual_out|detail|high_pass")
    n = wp.tid()
    acc = float(0.0)
    for k in range(count(filter_tap)):
        match choose("edge"):
            case 1:
                at = wp.clamp(n - k, 0, count(time_sample) - 1)
                acc += h[k] * x[at]
            case 1:
                note("nothing before the beginning")
                at = n - k
                if at >= 0:
                    acc += h[k] * x[at]
    if present(gain):
        acc = acc * gain
    y[n] = acc
    if present(rest):
        rest[n] = x[n] - acc


@scene("nested_loop", "math", "reduction", bin,
       says="computes the discrete Fourier transform of a windowed signal, one frequency per thread",
       title="dft|fourier_bins|spectrum_bins|transform_signal", algorithm="direct discrete Fourier transform")
def windowed_dft(x: each(signal, time_sample), z: out(spectrum_value), p: maybe(out(power_density), 0.6)):
    names(re="re|real|cr|acc_re", im="im|imag|ci|acc_im", phi="phi|angle|w|theta", v="v|s|sample|xn", u="u|pos|frac|t01")
    k = wp.tid()
    re = float(0.0)
    im = float(0.0)
    for n in range(count(time_sample)):
        v = x[n]
        if maybe(0.5, "window"):
            u = float(n) / float(count(time_sample))
            match choose("taper"):
                case 2:
                    v = v * hann_window(u)
                case 1:
                    v = v * hamming_window(u)
                case 1:
                    v = v * blackman_window(u)
        phi = -2.0 * wp.pi * float(k) * float(n) / float(count(time_sample))
        re += v * wp.cos(phi)
        im += v * wp.sin(phi)
    z[k] = wp.vec2(re, im)
    if present(p):
        p[k] = re * re + im * im


@scene("nested_loop", "control_flow", "math", row,
       says="runs a second-order recursive filter along each row",
       title="biquad_rows|iir_filter|recursive_filter|biquad", algorithm="biquad, direct form II transposed")
def biquad(x: each(signal, row, 16), b: setting(feedforward), a: setting(feedback, -0.5, 0.5), y: out(filtered_value, row, 16), peak: maybe(out(amplitude), 0.5), gate: maybe(setting(ratio, 0.02, 0.2), 0.3)):
    names(s1="s1|z1|d1|state1", s2="s2|z2|d2|state2", v="v|in_v|xn|sample", o="o|out_v|yn|res", top="top|largest|mx|loudest", gate="gate|noise_gate|floor_g|silence")
    r = wp.tid()
    s1 = float(0.0)
    s2 = float(0.0)
    top = float(0.0)
    for n in range(16):
        v = x[r, n]
        if present(gate):
            if wp.abs(v) < gate:
                note("noise gate")
                v = 0.0
        o = b[0] * v + s1
        s1 = b[1] * v - a[0] * o + s2
        s2 = b[2] * v - a[1] * o
        y[r, n] = o
        top = wp.max(top, wp.abs(o))
    if present(peak):
        peak[r] = top


@scene("nested_loop", "control_flow", "reduction", row,
       says="computes how far two sequences are apart by dynamic time warping",
       title="dtw_distance|time_warp|align_sequences|warp_cost", algorithm="dynamic time warping")
def dtw(a: each(signal, row, 8), b: each(signal, row, 8), work: inout(path_cost, row, 8), cost: out(path_cost)):
    names(diag="diag|prev|corner|d0", d="d|gap|c|local", best="best|low|m|least", old="old|keep|saved|tmp", work="work|line|row_cost|dp")
    r = wp.tid()
    for j in range(8):
        d = wp.abs(a[r, 0] - b[r, j])
        if j == 0:
            work[r, j] = d
        else:
            work[r, j] = work[r, j - 1] + d
    for i in range(1, 8):
        diag = work[r, 0]
        work[r, 0] = diag + wp.abs(a[r, i] - b[r, 0])
        for j in range(1, 8):
            d = wp.abs(a[r, i] - b[r, j])
            old = work[r, j]
            best = wp.min(diag, wp.min(old, work[r, j - 1]))
            work[r, j] = d + best
            diag = old
    cost[r] = work[r, 7]


@scene("nested_loop", "integer", "control_flow", row,
       says="computes the edit distance of two short strings of symbols",
       title="edit_distance|levenshtein|string_distance|count_edits", algorithm="Levenshtein distance")
def edit_distance(a: each(label, row, 6, range=(0, 2)), b: each(label, row, 6, range=(0, 2)), work: inout(count_value, row, 7), dist: out(count_value), same: maybe(out(flag), 0.4)):
    names(diag="diag|corner|prev|nw", old="old|above|saved|up_v", cost="cost|sub|mismatch|change", best="best|d|least|m", work="work|dp|line|row_d", same="same|equal|identical|match")
    r = wp.tid()
    for j in range(7):
        work[r, j] = j
    for i in range(6):
        diag = work[r, 0]
        work[r, 0] = i + 1
        for j in range(6):
            cost = int(1)
            if a[r, i] == b[r, j]:
                cost = 0
            old = work[r, j + 1]
            best = diag + cost
            note("insertion or deletion")
            best = wp.min(best, wp.min(old + 1, work[r, j] + 1))
            work[r, j + 1] = best
            diag = old
    dist[r] = work[r, 6]
    if present(same):
        if work[r, 6] == 0:
            same[r] = 1
        else:
            same[r] = 0


@scene("control_flow", "nested_loop", "multi_conditional", row,
       says="finds the peaks of each row that rise above their surroundings and a threshold, at some distance from each other",
       title="find_peaks|peak_detect|count_peaks|detect_spikes", algorithm="peak detection")
def find_peaks(x: each(signal, row, column), low: setting(ratio, 0.05, 0.5), gap: setting(steps_value, 2, 4), n_out: out(count_value), first: maybe(out(index_value), 0.5), tallest: maybe(out(signal), 0.5)):
    names(n="n|found|peaks|total", last="last|prev_peak|recent|at_last", v="v|mid|here|val", top="top|best|highest|mx", lead="lead|start_at|first_at|k0", low="low|height|threshold|min_height", gap="gap|distance_min|spacing|refractory")
    r = wp.tid()
    n = int(0)
    last = int(-10)
    lead = int(-1)
    top = float(-1.0)
    for k in range(1, count(column) - 1):
        v = x[r, k]
        if v < low:
            continue
        if v <= x[r, k - 1] or v <= x[r, k + 1]:
            continue
        if k - last < gap:
            note("too close to the last peak")
            continue
        n += 1
        last = k
        if lead < 0:
            lead = k
        top = wp.max(top, v)
    n_out[r] = n
    if present(first):
        first[r] = lead
    if present(tallest):
        tallest[r] = top


@scene("reduction", "arithmetic", "nested_loop", row,
       says="adds up each row with compensated summation, so that small values are not lost",
       title="kahan_rows|compensated_sum|accurate_sum|precise_totals", algorithm="Kahan or Neumaier summation")
def kahan(x: each(value, row, column), w: maybe(each(weight, row, column), 0.4), total_out: out(value)):
    names(s="s|total|acc|run", c="c|comp|carry|low_part", y="y|v|term|item_v", t="t|next_s|new_s|trial")
    r = wp.tid()
    s = float(0.0)
    c = float(0.0)
    for k in range(count(column)):
        y = x[r, k]
        if present(w):
            y = y * w[r, k]
        match choose("kind"):
            case 1:
                y = y - c
                t = s + y
                c = (t - s) - y
                s = t
            case 1:
                t = s + y
                note("the larger one keeps its digits")
                if wp.abs(s) >= wp.abs(y):
                    c += (s - t) + y
                else:
                    c += (y - t) + s
                s = t
    match choose("kind"):
        case 1:
            total_out[r] = s
        case 1:
            total_out[r] = s + c


@scene("reduction", "math", "nested_loop", (row, column),
       says="computes the correlation of every series of one set with every series of another{cov_out:, and their covariance}",
       title="correlation_matrix|pearson_correlation|cross_correlation_matrix", algorithm="Pearson correlation")
def correlations(x: each(value, row, time_sample), y: each(value, column, time_sample), r_out: out(correlation), cov_out: maybe(out(value), 0.4)):
    names(mx="mean_x|mx", my="mean_y|my", sxy="sxy|cov", sxx="sxx|var_x", syy="syy|var_y", dx="dx|x_dev", dy="dy|y_dev", r_out="corr|correlation", cov_out="cov_out|covariance", n="n|length")
    i, j = wp.tid()
    n = float(count(time_sample))
    match choose("pass"):
        case 2:
            mx = float(0.0)
            my = float(0.0)
            for t in range(count(time_sample)):
                mx += x[i, t]
                my += y[j, t]
            mx = mx / n
            my = my / n
            sxy = float(0.0)
            sxx = float(0.0)
            syy = float(0.0)
            for t in range(count(time_sample)):
                dx = x[i, t] - mx
                dy = y[j, t] - my
                sxy += dx * dy
                sxx += dx * dx
                syy += dy * dy
        case 1:
            note("one pass: the means move with every value|Welford's update")
            mx = float(0.0)
            my = float(0.0)
            sxy = float(0.0)
            sxx = float(0.0)
            syy = float(0.0)
            for t in range(count(time_sample)):
                dx = x[i, t] - mx
                dy = y[j, t] - my
                mx += dx / float(t + 1)
                my += dy / float(t + 1)
                sxy += dx * (y[j, t] - my)
                sxx += dx * (x[i, t] - mx)
                syy += dy * (y[j, t] - my)
    r_out[i, j] = sxy / wp.sqrt(sxx * syy + constant("EPS|EPSILON", 1.0e-12))
    if present(cov_out):
        cov_out[i, j] = sxy / n


@scene("control_flow", "multi_conditional", "integer", row,
       says="reads each row of symbols with a small state machine and counts words, numbers and errors",
       title="scan_tokens|tokenize_rows|lexer|classify_symbols", algorithm="finite-state tokeniser")
def tokenizer(sym: each(label, row, 16, range=(0, 3)), words: out(count_value), numbers: out(count_value), bad: out(count_value)):
    names(state="state|mode|s|phase", c="c|ch|cur|code", w="w|n_words|word_count|idents", d="d|n_numbers|digit_runs|nums", e="e|errors|n_bad|faults", sym="sym|symbols|chars|text")
    r = wp.tid()
    note("0: between, 1: in a word, 2: in a number")
    state = int(0)
    w = int(0)
    d = int(0)
    e = int(0)
    for k in range(16):
        c = sym[r, k]
        if c == 0:
            note("a blank ends everything")
            state = 0
        elif c == 1:
            if state == 0:
                w += 1
                state = 1
            elif state == 2:
                note("a letter inside a number")
                e += 1
                state = 1
        elif c == 2:
            if state == 0:
                d += 1
                state = 2
        else:
            if state == 2:
                state = 0
            else:
                e += 1
    words[r] = w
    if present(numbers):
        numbers[r] = d
    if present(bad):
        bad[r] = e


@scene("integer", "reduction", "nested_loop", row,
       says="counts the runs of equal symbols in each row and finds the longest{longest_value:, with its symbol}",
       title="run_statistics|count_runs|longest_runs", algorithm="runs of equal symbols")
def run_lengths(x: each(label, row, column, range=(0, 2)), runs: out(count_value), longest: out(count_value), longest_value: maybe(out(label), 0.5)):
    names(n="n|num_runs", run="run|length", best="best|max_run", v="v|symbol", value="best_value|best_symbol", x="symbols|data", runs="run_counts|runs", longest="longest|longest_run", longest_value="longest_value|longest_symbol")
    r = wp.tid()
    n = int(1)
    run = int(1)
    best = int(1)
    value = x[r, 0]
    for k in range(1, count(column)):
        v = x[r, k]
        if v == x[r, k - 1]:
            run += 1
        else:
            n += 1
            run = 1
        if run > best:
            best = run
            value = v
    runs[r] = n
    longest[r] = best
    if present(longest_value):
        longest_value[r] = value
