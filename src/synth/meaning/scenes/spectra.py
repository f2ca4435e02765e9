"""Signals: tones, adaptive filters, prediction, pitch, codes, transforms, resampling, dynamics."""


@scene("math", "nested_loop", "control_flow", (row, bin),
       says="measures the power of single tones in each row by a second-order recursion",
       title="goertzel|tone_power|detect_tones|single_bin_dft", algorithm="Goertzel algorithm")
def goertzel(x: each(signal, row, 16), k: each(tone_bin, bin), cut: maybe(setting(positive_value, 4.0, 16.0), 0.5), p: out(power_density), hit: maybe(out(flag), 1.0), phase_out: maybe(out(phase), 0.4)):
    names(w="w|omega|ang|step_a", c="c|coeff|two_cos|rec_c", s1="s1|z1|prev1|q1", s2="s2|z2|prev2|q2", s0="s0|z0|cur|q0", re="re|real_p|in_phase|cr", im="im|imag_p|quad|ci", hit="hit|detected|tone_on|present_out", cut="cut|min_power|detect_at|power_floor")
    r, b = wp.tid()
    w = 2.0 * wp.pi * k[b] / 16.0
    c = 2.0 * wp.cos(w)
    s1 = float(0.0)
    s2 = float(0.0)
    for n in range(16):
        s0 = x[r, n] + c * s1 - s2
        s2 = s1
        s1 = s0
    match choose("out"):
        case 2:
            p[r, b] = s1 * s1 + s2 * s2 - c * s1 * s2
        case 1:
            re = s1 - s2 * wp.cos(w)
            im = s2 * wp.sin(w)
            p[r, b] = re * re + im * im
    if present(phase_out):
        re = s1 - s2 * wp.cos(w)
        im = s2 * wp.sin(w)
        phase_out[r, b] = wp.atan2(im, re)
    if present(cut) and present(hit):
        if p[r, b] > cut:
            hit[r, b] = 1
        else:
            hit[r, b] = 0


@scene("nested_loop", "control_flow", "scalar_param", row,
       says="adapts a short filter sample by sample so that its output follows a wanted signal{norm:, with steps normalised by the power in the filter}",
       title="lms_filter|adapt_filter|echo_canceller{norm:|nlms_filter|nlms_rows}", algorithm="LMS or normalised LMS adaptive filter",
       lossy=True)
def lms_filter(x: each(signal, row, time_sample), d: each(signal, row, time_sample), mu: setting(adapt_rate), leak: maybe(setting(ratio, 0.001, 0.02), 0.3), w: inout(filter_weight, row, filter_tap), e_out: out(error_value, row, time_sample), power_out: maybe(out(positive_value, row), 0.4), hold: maybe(each(flag, row, time_sample), 0.3)):
    names(y="y|pred|est|filt", e="e|err|innov|resid", energy="energy|norm_x|tap_power|pow_x", acc="acc|err_pow|sse|total_e", g="g|gain|scaled|step_g", hold="hold|double_talk|freeze|no_adapt", d="d|desired|target_sig|reference_in", w="w|taps|weights_f|coeffs")
    names(leak="leak|leakage|forget_rate|tap_decay", mu="mu|step_mu|adapt_rate|mu_step")
    r = wp.tid()
    if present(power_out):
        acc = float(0.0)
    for n in range(count(time_sample)):
        y = float(0.0)
        if maybe(0.5, "norm"):
            energy = float(0.0)
        for k in range(count(filter_tap)):
            if n - k >= 0:
                y += w[r, k] * x[r, n - k]
                if maybe(1.0, "norm"):
                    energy += x[r, n - k] * x[r, n - k]
        e = d[r, n] - y
        e_out[r, n] = e
        if present(power_out):
            acc += e * e
        if present(hold):
            note("no adaptation while both speak")
            if hold[r, n] == 1:
                continue
        if maybe(1.0, "norm"):
            g = mu * e / (energy + number(0.01, 0.1, "reg"))
        else:
            g = mu * e
        for k in range(count(filter_tap)):
            if n - k >= 0:
                if present(leak):
                    w[r, k] = (1.0 - leak) * w[r, k] + g * x[r, n - k]
                else:
                    w[r, k] = w[r, k] + g * x[r, n - k]
    if present(power_out):
        power_out[r] = acc / float(count(time_sample))


@scene("nested_loop", "reduction", "math", row,
       says="computes the linear predictor of order four of each row from its autocorrelation by recursion over the order",
       title="levinson_durbin|lpc_rows|linear_prediction|fit_predictor", algorithm="Levinson-Durbin recursion", lossy=True)
def levinson(x: each(signal, row, 32), a_out: out(predictor, row, 4), k_out: maybe(out(reflection_coefficient, row, 4), 0.6), err_out: maybe(out(positive_value, row), 0.6), window: maybe(setting(flag, fixed=True), 0.3)):
    names(rr="rr|acf|corr|autoc", a="a|pred|lpc_v|coef", b="b|old_a|prev_a|keep", e="e|err|resid_p|energy", k="k|refl|parcor_m|km", m="m|order|stage|p", u="u|win|taper|fade")
    r = wp.tid()
    rr = wp.zeros(shape=5, dtype=float)
    a = wp.zeros(shape=4, dtype=float)
    b = wp.zeros(shape=4, dtype=float)
    for lag in range(5):
        for n in range(32 - lag):
            if present(window):
                u = float(1.0)
                if window == 1:
                    note("both samples are windowed")
                    u = wp.sin(wp.pi * (float(n) + 0.5) / 32.0) * wp.sin(wp.pi * (float(n + lag) + 0.5) / 32.0)
                rr[lag] = rr[lag] + u * x[r, n] * x[r, n + lag]
            else:
                rr[lag] = rr[lag] + x[r, n] * x[r, n + lag]
    note("a little noise keeps the recursion stable|white noise correction")
    e = rr[0] * 1.0001 + 1.0e-6
    for m in range(4):
        k = rr[m + 1]
        for j in range(m):
            k -= a[j] * rr[m - j]
        k = k / e
        for j in range(4):
            b[j] = a[j]
        a[m] = k
        for j in range(m):
            a[j] = b[j] - k * b[m - 1 - j]
        e = e * (1.0 - k * k)
        if present(k_out):
            k_out[r, m] = k
    for j in range(4):
        a_out[r, j] = a[j]
    if present(err_out):
        err_out[r] = e


@scene("nested_loop", "control_flow", "reduction", row,
       says="estimates the period of each row from the first deep valley of its normalised difference function",
       title="yin_pitch|estimate_period|pitch_track|find_pitch_lag", algorithm="YIN pitch estimation", lossy=True)
def yin_pitch(x: each(signal, row, 32), cut: setting(ratio, 0.3, 0.8), lag_out: out(lag_value, row), conf: maybe(out(ratio, row), 0.6), voiced: maybe(add(count_value, 1), 0.4)):
    names(d="d|diff_fn|cmnd|dn", run="run|cum|total_d|sum_d", s="s|acc|sq|part", best="best|tau|at|period", e="e|delta|gap_x|dx", a="a|left_v|ym|before", b="b|mid_v|y0|here", c="c|right_v|yp|after", off="off|frac_l|peak_off|shift", cut="cut|yin_threshold|valley_at|dip_max")
    r = wp.tid()
    d = wp.zeros(shape=16, dtype=float)
    run = float(0.0)
    d[0] = 1.0
    for lag in range(1, 16):
        s = float(0.0)
        for n in range(16):
            e = x[r, n] - x[r, n + lag]
            s += e * e
        run += s
        note("divided by the mean of all shorter lags|cumulative mean normalisation")
        d[lag] = s * float(lag) / (run + 1.0e-9)
    best = int(-1)
    for lag in range(2, 15):
        if d[lag] < cut and d[lag] <= d[lag + 1]:
            best = lag
            break
    if best < 0:
        note("no valley is deep enough: take the deepest|unvoiced")
        best = 2
        for lag in range(3, 15):
            if d[lag] < d[best]:
                best = lag
    else:
        if present(voiced):
            wp.atomic_add(voiced, 0, 1)
    a = d[best - 1]
    b = d[best]
    c = d[best + 1]
    match choose("refine"):
        case 2:
            note("a parabola through three points")
            off = float(0.0)
            if wp.abs(a - 2.0 * b + c) > 1.0e-6:
                off = wp.clamp(0.5 * (a - c) / (a - 2.0 * b + c), -0.5, 0.5)
            lag_out[r] = float(best) + off
        case 1:
            fact("the period is a whole number of samples")
            lag_out[r] = float(best)
    if present(conf):
        conf[r] = 1.0 - wp.min(b, 1.0)


@scene("integer", "nested_loop", "control_flow", row,
       says="decodes each row of symbols of a convolutional code by the path through its four states with the fewest wrong bits",
       title="viterbi_decode|decode_rows|trellis_search|survivor_paths", algorithm="Viterbi decoder for the (7, 5) code")
def viterbi_decode(y: each(code_symbol, row, 12), bits_out: out(flag, row, 12), metric_out: maybe(out(count_value, row), 0.7), ended: maybe(setting(flag, fixed=True), 0.4)):
    names(cost="cost|metric|dist_s|pm", nxt="nxt|new_cost|pm_next|upd", hist="hist|paths|survivor|trace", nh="nh|new_hist|paths_next|copy_h", s="s|prev_s|state_from|q", to="to|next_s|state_to|ns", c="c|cand|trial|sum_m", best="best|win|final_s|end_s", ended="ended|terminated|zero_tail|flushed")
    r = wp.tid()
    cost = wp.zeros(shape=4, dtype=int)
    nxt = wp.zeros(shape=4, dtype=int)
    hist = wp.zeros(shape=4, dtype=int)
    nh = wp.zeros(shape=4, dtype=int)
    note("the encoder starts in state zero")
    for s in range(1, 4):
        cost[s] = 1000
    for t in range(12):
        for s in range(4):
            nxt[s] = 100000
        for s in range(4):
            for bit in range(2):
                note("the newest bit moves in from the left")
                to = (bit << 1) | (s >> 1)
                c = cost[s] + branch_metric(s, bit, y[r, t])
                if c < nxt[to]:
                    nxt[to] = c
                    nh[to] = (hist[s] << 1) | bit
        for s in range(4):
            cost[s] = nxt[s]
            hist[s] = nh[s]
    best = int(0)
    if present(ended):
        if ended == 0:
            for s in range(1, 4):
                if cost[s] < cost[best]:
                    best = s
    else:
        for s in range(1, 4):
            if cost[s] < cost[best]:
                best = s
    for t in range(12):
        bits_out[r, t] = (hist[best] >> (11 - t)) & 1
    if present(metric_out):
        metric_out[r] = cost[best]


@scene("nested_loop", "math", "integer", row,
       says="transforms eight complex samples of each row in place by butterflies after sorting them in bit-reversed order",
       title="fft8_rows|radix2_fft|butterfly_transform|small_fft", algorithm="radix-2 FFT of eight points", rare=True)
def fft8(re: inout(signal, row, 8), im: inout(signal, row, 8), inverse: maybe(setting(flag, fixed=True), 0.5), power: maybe(out(power_density, row, 8), 0.5), peak: maybe(out(index_value, row), 0.4)):
    names(j="j|rev|mirror|swap_i", half="half|span|wing|m2", w="w|ang|phase_w|theta", cr="cr|wr|tw_re|co", ci="ci|wi|tw_im|si", tr="tr|odd_re|u_re|xr", ti="ti|odd_im|u_im|xi", top="top|hi|upper_i|a_i", low="low|lo|lower_i|b_i", sgn="sgn|dir_w|sense|way", hold="hold|tmp|keep|sw", inverse="inverse|backward|is_inverse|synthesis")
    r = wp.tid()
    note("bit-reversed order: swap one and four, three and six")
    for k in range(8):
        j = ((k & 1) << 2) | (k & 2) | ((k & 4) >> 2)
        if j > k:
            hold = re[r, k]
            re[r, k] = re[r, j]
            re[r, j] = hold
            hold = im[r, k]
            im[r, k] = im[r, j]
            im[r, j] = hold
    sgn = float(-1.0)
    if present(inverse):
        if inverse == 1:
            sgn = 1.0
    for stage in range(3):
        half = 1 << stage
        for k in range(4):
            note("which butterfly of which group")
            top = (k // half) * 2 * half + k % half
            low = top + half
            w = sgn * wp.pi * float(k % half) / float(half)
            cr = wp.cos(w)
            ci = wp.sin(w)
            tr = cr * re[r, low] - ci * im[r, low]
            ti = cr * im[r, low] + ci * re[r, low]
            re[r, low] = re[r, top] - tr
            im[r, low] = im[r, top] - ti
            re[r, top] = re[r, top] + tr
            im[r, top] = im[r, top] + ti
    if present(inverse):
        if inverse == 1:
            for k in range(8):
                re[r, k] = re[r, k] / 8.0
                im[r, k] = im[r, k] / 8.0
    if present(power):
        for k in range(8):
            power[r, k] = re[r, k] * re[r, k] + im[r, k] * im[r, k]
    if present(peak):
        j = int(0)
        for k in range(1, 8):
            if re[r, k] * re[r, k] + im[r, k] * im[r, k] > re[r, j] * re[r, j] + im[r, j] * im[r, j]:
                j = k
        peak[r] = j


@scene("nested_loop", "function", "math", query,
       says="reads a signal between its samples with the windowed sinc of Lanczos",
       title="resample_lanczos|sinc_resample|read_between|fractional_delay", algorithm="Lanczos resampling")
def lanczos_read(pos: each(resample_position), x: each(signal, 32), y: out(signal), gain: maybe(each(gain), 0.3), keep_sum: maybe(setting(flag, fixed=True), 0.3)):
    names(base="base|k0|first|left_k", t="t|frac_p|u|rest", acc="acc|s|total|mix", norm="norm|w_sum|weight_total|denom", w="w|wk|tap_w|lobe", at="at|src|idx|k_in", keep_sum="keep_sum|normalize_taps|unit_gain|dc_exact")
    i = wp.tid()
    if pos[i] < 0.0 or pos[i] > 31.0:
        y[i] = 0.0
        return
    base = int(wp.floor(pos[i]))
    t = pos[i] - float(base)
    acc = float(0.0)
    norm = float(0.0)
    for k in range(-2, 4):
        w = lanczos3_tap(t - float(k))
        match choose("edge"):
            case 1:
                at = wp.clamp(base + k, 0, 31)
            case 1:
                note("mirrored at the ends")
                fact("the signal is mirrored at its ends")
                at = base + k
                if at < 0:
                    at = -at
                if at > 31:
                    at = 62 - at
        acc += w * x[at]
        norm += w
    if present(keep_sum):
        if keep_sum == 1:
            note("the weights sum to one")
            acc = acc / norm
    if present(gain):
        acc = acc * gain[i]
    y[i] = acc


@scene("control_flow", "math", "scalar_param", row,
       says="compresses the dynamics of each row: an envelope with attack and release, then a gain that falls above a threshold",
       title="compress_rows|dynamics_processor|apply_compressor|level_rider", algorithm="feed-forward dynamic range compressor",
       lossy=True)
def compress_rows(x: each(signal, row, 20), thr: setting(threshold_db), ratio: setting(compression), up: setting(attack_alpha), down: setting(release_alpha), makeup: maybe(setting(gain_db, 1.0, 9.0), 0.5), knee: maybe(setting(knee_width), 0.4), y: out(signal, row, 20), worst: maybe(out(gain_db, row), 0.6), limit: maybe(setting(ratio, 0.6, 0.95), 0.3)):
    names(env="env|level|follower|detector", v="v|mag|rect|abs_x", db="db|level_db|env_db|loud", over="over|excess|above|hot", cut="cut|reduction|gr|gain_red", deep="deep|max_red|most|gr_max", g="g|lin|gain_lin|factor", o="o|out_v|yn|res", knee="knee|soft_knee|knee_db|bend", worst="worst|max_reduction|gr_peak|deepest", limit="limit|ceiling|clip_level|brickwall")
    r = wp.tid()
    env = float(0.0)
    deep = float(0.0)
    for n in range(20):
        v = wp.abs(x[r, n])
        if v > env:
            env = env + up * (v - env)
        else:
            env = env + down * (v - env)
        db = 20.0 * wp.log10(wp.max(env, 1.0e-5))
        over = db - thr
        cut = float(0.0)
        if present(knee):
            if 2.0 * wp.abs(over) <= knee:
                note("within the knee the ratio grows gradually")
                cut = (1.0 - 1.0 / ratio) * (over + 0.5 * knee) * (over + 0.5 * knee) / (2.0 * knee)
            elif over > 0.0:
                cut = (1.0 - 1.0 / ratio) * over
        else:
            if over > 0.0:
                cut = (1.0 - 1.0 / ratio) * over
        if present(worst):
            deep = wp.max(deep, cut)
        if present(makeup):
            g = wp.pow(10.0, (makeup - cut) / 20.0)
        else:
            g = wp.pow(10.0, -cut / 20.0)
        o = g * x[r, n]
        if present(limit):
            o = wp.clamp(o, -limit, limit)
        y[r, n] = o
    if present(worst):
        worst[r] = deep


@scene("nested_loop", "math", "reduction", row,
       says="denoises each row by the Haar wavelet transform, shrinking small details, and transforms it back",
       title="haar_denoise|wavelet_shrink|soft_threshold_rows|denoise_wavelet", algorithm="Haar wavelet shrinkage", rare=True,
       lossy=True)
def haar_denoise(x: each(signal, row, 16), cut: setting(ratio, 0.1, 0.6), y: out(signal, row, 16), zeroed: maybe(out(count_value, row), 0.5), energy: maybe(out(positive_value, row), 0.3)):
    names(w="w|coef|bands|buf", tmp="tmp|scratch|stage_v|half_v", n="n|len_n|width_n|size_l", a="a|even|left_v|lo_v", b="b|odd|right_v|hi_v", k="k|idx_h|pos|cell_k", small="small|killed|dropped|zeros_n", cut="cut|shrink_by|lambda_w|noise_level", rt="rt|root_half|inv_sqrt2|norm_h")
    r = wp.tid()
    rt = constant("INV_SQRT2|ROOT_HALF", 0.70710678)
    w = wp.zeros(shape=16, dtype=float)
    tmp = wp.zeros(shape=16, dtype=float)
    for k in range(16):
        w[k] = x[r, k]
    n = int(16)
    while n > 1:
        n = n // 2
        for k in range(n):
            a = w[2 * k]
            b = w[2 * k + 1]
            tmp[k] = (a + b) * rt
            tmp[n + k] = (a - b) * rt
        for k in range(2 * n):
            w[k] = tmp[k]
    if present(zeroed):
        small = int(0)
    for k in range(1, 16):
        match choose("rule"):
            case 2:
                note("soft threshold")
                fact("details are shrunk towards zero")
                if present(zeroed):
                    if wp.abs(w[k]) <= cut:
                        small += 1
                w[k] = wp.sign(w[k]) * wp.max(wp.abs(w[k]) - cut, 0.0)
            case 1:
                note("hard threshold")
                fact("small details are set to zero")
                if wp.abs(w[k]) <= cut:
                    w[k] = 0.0
                    if present(zeroed):
                        small += 1
    if present(energy):
        a = float(0.0)
        for k in range(16):
            a += w[k] * w[k]
        energy[r] = a
    note("and back")
    while n < 16:
        for k in range(n):
            tmp[2 * k] = (w[k] + w[n + k]) * rt
            tmp[2 * k + 1] = (w[k] - w[n + k]) * rt
        n = 2 * n
        for k in range(n):
            w[k] = tmp[k]
    for k in range(16):
        y[r, k] = w[k]
    if present(zeroed):
        zeroed[r] = small
