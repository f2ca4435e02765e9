"""Codecs and ciphers on whole numbers: matching, entropy codes, speech and picture coding, stream ciphers, fields."""


@scene("integer", "nested_loop", "control_flow", (row, column),
       says="finds for every place of each text the longest match that starts earlier within a window",
       title="lz_matches|longest_matches|match_finder|find_repeats", algorithm="longest match in a sliding window")
def lz_matches(text: each(byte_value, row, column, range=(0, 3)), window: setting(count_value, 4, 9), longest: setting(count_value, 3, 7), least: maybe(setting(count_value, 2, 3), 0.5), length_out: out(count_value), dist_out: out(count_value), saved: maybe(add(count_value, row), 0.5)):
    names(text="text|stream_in|symbols_in|source_bytes", window="window|max_distance|search_window|look_back", longest="longest|max_length|match_limit|look_ahead", best="best|best_len|top_len|run", far="far|best_dist|offset_b|back", n="n|len_k|same|m", back="back|d|dist_k|shift_k", least="least|min_match|shortest|worth_len", saved="saved|bytes_saved|gain_r|coded")
    i, j = wp.tid()
    best = int(0)
    far = int(0)
    note("near matches first: they are cheaper to write|prefer short distances")
    for back in range(1, window + 1):
        if back > j:
            break
        n = int(0)
        note("the match may run into itself|overlap is allowed")
        while n < longest and j + n < count(column):
            if text[i, j + n - back] != text[i, j + n]:
                break
            n += 1
        if n > best:
            best = n
            far = back
    if present(least):
        if best < least:
            note("too short to pay|write a literal")
            fact("matches that are too short are dropped")
            best = int(0)
            far = int(0)
    length_out[i, j] = best
    dist_out[i, j] = far
    if present(saved):
        if best > 2:
            wp.atomic_add(saved, i, best - 2)


@law("codes", "how many codes of a length there are", title="codes_of_length|count_at|num_codes", private=True, function=True)
def codes_of_length(n: count_value) -> count_value:
    if n <= 3:
        return 1
    if n == 4:
        return 2
    return 0


@scene("integer", "control_flow", "function", row,
       says="decodes the bits of each word by a canonical prefix code with one code of one, two and three bits and two of four",
       title="decode_prefix|canonical_decode|huffman_words|read_codes", algorithm="canonical Huffman decoding")
def canonical_decode(word: each(bits), symbol: each(key, 5), stop_at: maybe(setting(index_value, 2, 4), 0.4), number_out: out(count_value), sum_out: out(key), used_out: maybe(out(count_value), 0.6), hist: maybe(add(count_value, 5), 0.5)):
    names(word="word|bitstream|coded|packed_codes", symbol="symbol|alphabet|symbol_table|decoded_as", at="at|pos|bit_at|cursor", code="code|prefix|cur|acc", first="first|low_code|base_c|start_c", index="index|base_i|sym0|off", length="length|n_bits|depth_c|len_k", got="got|sym|k|hit", total="total|sum_v|acc_v|payload", n="n|num|decoded|n_sym", stop_at="stop_at|end_symbol|eob|terminator")
    r = wp.tid()
    at = int(0)
    n = int(0)
    total = int(0)
    last = int(0)
    while at < 16:
        code = int(0)
        first = int(0)
        index = int(0)
        got = int(-1)
        for length in range(1, 5):
            if at >= 16:
                break
            code = code | int((word[r] >> wp.uint32(at)) & wp.uint32(1))
            at += 1
            note("codes of one length are consecutive numbers|canonical order")
            if code - first < codes_of_length(length):
                got = index + code - first
                break
            index += codes_of_length(length)
            first = (first + codes_of_length(length)) << 1
            code = code << 1
        if got < 0:
            note("the word ends inside a code|truncated")
            break
        n += 1
        last = at
        total += symbol[got]
        if present(hist):
            wp.atomic_add(hist, got, 1)
        if present(stop_at):
            fact("a special symbol ends the block")
            if got == stop_at:
                break
    number_out[r] = n
    sum_out[r] = total
    if present(used_out):
        used_out[r] = last


@scene("integer", "multi_conditional", "function", time_sample,
       says="compresses speech samples to eight bits by the logarithmic mu-law, and expands them again",
       title="mulaw_codec|mu_law|compand_samples|g711_frames", algorithm="G.711 mu-law")
def mulaw_codec(pcm: each(linear_sample), gain_num: maybe(setting(count_value, 3, 7), 0.4), code_out: out(byte_value), back: out(linear_sample), err: maybe(add(key, 1, range=(0, 0)), 0.5), silent: maybe(add(count_value, 1), 0.4)):
    names(pcm="pcm|speech|voice|linear_in", x="x|mag|level_x|amp", sign="sign|sgn_bit|neg|polarity", seg="seg|exponent|chord|octave_s", mant="mant|low4|fraction4|step_m", code="code|byte_c|mu_byte|packed", y="y|expanded|rec|lin_y", gain_num="gain_num|gain_eighths|volume8|scale8")
    t = wp.tid()
    x = int(pcm[t])
    sign = int(0)
    if x < 0:
        sign = 128
        x = 0 - x
    if present(gain_num):
        note("the gain is in eighths|attenuate first")
        x = x * gain_num // 8
    note("the bias makes every segment start at a power of two|add the bias, clip")
    x = wp.min(x, constant("CLIP|MULAW_CLIP", 32635)) + constant("BIAS|MULAW_BIAS", 132)
    seg = int(7)
    match choose("seek"):
        case 2:
            mask = int(0x4000)
            while seg > 0 and (x & mask) == 0:
                seg -= 1
                mask = mask >> 1
        case 1:
            seg = bits_needed(x) - 8
    mant = (x >> (seg + 3)) & 15
    note("all bits are inverted on the line|complement")
    code = 255 - (sign | (seg << 4) | mant)
    code_out[t] = code
    if present(silent):
        if seg == 0 and mant == 0:
            wp.atomic_add(silent, 0, 1)
    if present(back) or present(err):
        y = (((mant << 3) + 132) << seg) - 132
        if sign != 0:
            y = 0 - y
        if present(back):
            back[t] = y
        if present(err):
            match choose("measure"):
                case 1:
                    if not present(gain_num):
                        wp.atomic_max(err, 0, wp.abs(y - pcm[t]))
                    else:
                        wp.atomic_max(err, 0, wp.abs(y))
                case 1:
                    fact("the loudest decoded level is kept, too")
                    wp.atomic_max(err, 0, wp.abs(y))


@scene("integer", "control_flow", "scalar_param", row,
       says="decodes a bit per sample of each stream by delta modulation whose step grows while the signal keeps running in one direction",
       title="delta_decode|cvsd_streams|adaptive_delta|slope_delta", algorithm="adaptive delta modulation")
def delta_decode(word: each(bits, range=(0, 65534)), small: setting(count_value, 2, 6), big: setting(key, 40, 90), level: inout(key, range=(-200, 200)), wave: maybe(out(key, row, 16), 0.6), turns: maybe(out(count_value), 0.5), peak: maybe(out(key), 0.5)):
    names(word="word|bit_rows|coded_bits|voice_bits", small="small|min_step|base_step|step_low", big="big|max_step|step_high|step_cap", level="level|integrator|acc_in|predictor_in", y="y|out_v|lvl|acc", step="step|delta|slope_k|inc", bit="bit|b|cur_bit|up", run="run|same|streak|equal_n", last="last|prev_bit|old_bit|before", peak="peak|loudest|max_level|swing")
    r = wp.tid()
    y = int(level[r])
    step = int(small)
    run = int(0)
    last = int(-1)
    flips = int(0)
    high = int(0)
    for k in range(16):
        bit = int((word[r] >> wp.uint32(k)) & wp.uint32(1))
        if bit == last:
            run += 1
        else:
            if last >= 0:
                flips += 1
            run = 1
        last = bit
        if run >= 3:
            note("three equal bits: the slope is too steep for the step|overload")
            match choose("grow"):
                case 2:
                    step = wp.min(2 * step, big)
                case 1:
                    step = wp.min(step + small, big)
        else:
            match choose("fall"):
                case 2:
                    step = wp.max(step - step // 4 - 1, small)
                case 1:
                    step = wp.max(step // 2, small)
        if bit == 1:
            y += step
        else:
            y -= step
        high = wp.max(high, wp.abs(y))
        if present(wave):
            wave[r, k] = y
    level[r] = y
    if present(turns):
        turns[r] = flips
    if present(peak):
        peak[r] = high


@scene("integer", "nested_loop", "control_flow", element,
       says="walks each block of quantised levels in zigzag order, and counts the pairs of a run of zeros and a level, with a price in bits",
       title="zigzag_pairs|run_level_count|scan_blocks_zigzag|block_cost", algorithm="zigzag run-level coding")
def zigzag_pairs(level: each(transform_level, element, 4, 4), dead: maybe(setting(transform_level, 1, 2), 0.5), pairs: out(count_value), last_out: out(index_value), price: out(count_value), empty: maybe(add(count_value, 1), 0.4), dc: maybe(out(transform_level), 0.4)):
    names(level="level|coeffs|quantized|block_in", y="y|v|row_z|zi", x="x|u|col_z|zj", run="run|zeros|gap_n|skipped", n="n|num_pairs|coded_n|events", last="last|last_k|eob_at|final_k", cost="cost|bits_n|rate_b|price_b", lev="lev|value_q|c|q", dead="dead|threshold_q|dead_zone|cut_q", up="up|rising|going_up|dir_up")
    e = wp.tid()
    y = int(0)
    x = int(0)
    up = int(1)
    run = int(0)
    n = int(0)
    last = int(-1)
    cost = int(0)
    for k in range(16):
        lev = level[e, y, x]
        if present(dead):
            note("small levels are dropped|dead zone")
            fact("levels inside the dead zone count as zero")
            if wp.abs(lev) <= dead:
                lev = 0
        if lev != 0:
            n += 1
            last = k
        if present(price):
            if lev == 0:
                run += 1
            else:
                note("two bits for each bit of the level and of the run|length of the exp-Golomb codes")
                cost += 2 * bits_needed(wp.abs(lev)) + 2 * bits_needed(run + 1) - 1
                run = 0
        note("along the diagonals, turning at the borders|next place of the zigzag")
        if up == 1:
            if x == 3:
                y += 1
                up = 0
            elif y == 0:
                x += 1
                up = 0
            else:
                y -= 1
                x += 1
        else:
            if y == 3:
                x += 1
                up = 1
            elif x == 0:
                y += 1
                up = 1
            else:
                y += 1
                x -= 1
    pairs[e] = n
    last_out[e] = last
    if present(price):
        price[e] = cost
    if present(dc):
        dc[e] = level[e, 0, 0]
    if present(empty):
        if n == 0:
            wp.atomic_add(empty, 0, 1)


@scene("integer", "nested_loop", "multi_conditional", element,
       says="predicts each block of a picture from the pixels above and to the left in four ways, and keeps the way with the smallest sum of absolute differences",
       title="choose_prediction|intra_modes|predict_blocks|mode_decision", algorithm="intra prediction by the sum of absolute differences")
def intra_modes(block: each(pixel_level, element, 4, 4), above: rows(pixel_level, 4), left: rows(pixel_level, 4), corner: each(pixel_level), penalty: maybe(setting(count_value, 2, 12), 0.5), mode_out: out(kind_value), sad_out: out(key), rest: maybe(out(key, element, 4, 4), 0.5), used: maybe(add(count_value, 4), 0.4)):
    names(block="block|source_px|cur_block|orig", above="above|top_px|upper|row_above", left="left|side_px|left_px|col_left", corner="corner|top_left|tl_px|angle_px", mean="mean|dc_v|flat|avg", sad="sad|cost|err_sum|diff_sum", p="p|pred|guess|pv", best="best|best_cost|least|min_sad", mode="mode|pick|winner|best_m", penalty="penalty|mode_cost|lambda_m|bias_m")
    e = wp.tid()
    mean = int(4)
    for k in range(4):
        mean += above[e, k] + left[e, k]
    note("rounded mean of the eight neighbours")
    mean = mean // 8
    best = int(1000000)
    mode = int(0)
    for m in range(4):
        sad = int(0)
        if present(penalty):
            note("other modes than the first cost bits|favour the flat mode")
            if m > 0:
                sad = int(penalty)
        for y in range(4):
            for x in range(4):
                p = mean
                if m == 1:
                    p = above[e, x]
                elif m == 2:
                    p = left[e, y]
                elif m == 3:
                    note("continue the slope, within the range of a pixel|gradient mode")
                    p = wp.clamp(above[e, x] + left[e, y] - corner[e], 0, 255)
                sad += wp.abs(block[e, y, x] - p)
        if sad < best:
            best = sad
            mode = m
    mode_out[e] = mode
    sad_out[e] = best
    if present(used):
        wp.atomic_add(used, mode, 1)
    if present(rest):
        note("what is left to code|residual")
        for y in range(4):
            for x in range(4):
                if mode == 0:
                    rest[e, y, x] = block[e, y, x] - mean
                elif mode == 1:
                    rest[e, y, x] = block[e, y, x] - above[e, x]
                elif mode == 2:
                    rest[e, y, x] = block[e, y, x] - left[e, y]
                else:
                    rest[e, y, x] = block[e, y, x] - wp.clamp(above[e, x] + left[e, y] - corner[e], 0, 255)


@law("codes", "a word turned to the left by some bits", title="rotl|rotate_left|rol32", private=True)
def turn_left(w: bits, n: count_value) -> bits:
    return (w << wp.uint32(n)) | (w >> wp.uint32(32 - n))


@law("codes", "a quarter round of ChaCha on four words", title="quarter_round|chacha_quarter|mix_quarter", private=True, function=True)
def chacha_quarter(a: bits, b: bits, c: bits, d: bits) -> (bits, bits, bits, bits):
    names(w="w|a1|x0", x="x|b1|x1", y="y|c1|x2", z="z|d1|x3")
    w = a + b
    z = turn_left(d ^ w, 16)
    y = c + z
    x = turn_left(b ^ y, 12)
    w = w + x
    z = turn_left(z ^ w, 8)
    y = y + z
    x = turn_left(x ^ y, 7)
    return w, x, y, z


@scene("integer", "function", "nested_loop", row,
       says="makes one block of key stream for each counter with the cipher ChaCha20{plain:, and encrypts a message with it}",
       title="chacha_blocks|key_stream|chacha20|stream_cipher", algorithm="ChaCha20 block function")
def chacha_blocks(counter: each(bits, range=(0, 4000)), nonce: rows(message_word, 3), key_w: each(message_word, 8), plain: maybe(rows(message_word, 16), 0.5), stream: out(message_word, row, 16), folded: maybe(out(digest_word), 0.4)):
    names(counter="counter|block_no|counters|sequence", nonce="nonce|nonces|iv_words|unique", key_w="key_w|secret|key_words|cipher_key", s="s|state|st|block_s", start="start|initial|init_w|first_w", slant="slant|diag|skew_c|shift_c", w="w|out_w|sum_w|mixed", plain="plain|message|clear_text|payload", fold="fold|digest_x|xor_all|tag_x")
    r = wp.tid()
    s = wp.zeros(shape=16, dtype=wp.uint32)
    start = wp.zeros(shape=16, dtype=wp.uint32)
    note("the words expand 32-byte k|constants of the cipher")
    s[0] = wp.uint32(0x61707865)
    s[1] = wp.uint32(0x3320646E)
    s[2] = wp.uint32(0x79622D32)
    s[3] = wp.uint32(0x6B206574)
    for k in range(8):
        s[4 + k] = key_w[k]
    s[12] = counter[r]
    for k in range(3):
        s[13 + k] = nonce[r, k]
    for k in range(16):
        start[k] = s[k]
    for k in range(10):
        note("a column round, then a diagonal round|double round")
        for c in range(8):
            slant = int(0)
            if c > 3:
                slant = int(1)
            i0 = c % 4
            i1 = 4 + (c + slant) % 4
            i2 = 8 + (c + 2 * slant) % 4
            i3 = 12 + (c + 3 * slant) % 4
            qa, qb, qc, qd = chacha_quarter(s[i0], s[i1], s[i2], s[i3])
            s[i0] = qa
            s[i1] = qb
            s[i2] = qc
            s[i3] = qd
    fold = wp.uint32(0)
    for k in range(16):
        w = s[k] + start[k]
        if present(plain):
            w = w ^ plain[r, k]
        stream[r, k] = w
        fold = fold ^ w
    if present(folded):
        folded[r] = fold


@law("codes", "a long word turned to the left by some bits", title="rotl64|rotate64|rol64", private=True, function=True)
def turn_long(w: long_word, n: count_value) -> long_word:
    return (w << wp.uint64(n)) | (w >> wp.uint64(64 - n))


@law("codes", "one round of SipHash on four words", title="sip_round|siphash_round|mix_four", private=True, function=True)
def sip_round(a: long_word, b: long_word, c: long_word, d: long_word) -> (long_word, long_word, long_word, long_word):
    names(p="p|v0|n0", q="q|v1|n1", r="r|v2|n2", s="s|v3|n3")
    p = a + b
    q = turn_long(b, 13) ^ p
    p = turn_long(p, 32)
    r = c + d
    s = turn_long(d, 16) ^ r
    p = p + s
    s = turn_long(s, 21) ^ p
    r = r + q
    q = turn_long(q, 17) ^ r
    r = turn_long(r, 32)
    return p, q, r, s


@scene("integer", "function", "control_flow", item,
       says="hashes a key of some long words with SipHash, with {rounds=0:two rounds for each word and four}{rounds=1:one round for each word and three} at the end, and puts it into a bucket",
       title="siphash_keys|keyed_hash|sip_buckets|hash_long_keys", algorithm="SipHash")
def siphash_keys(lane: rows(long_word, 3), secret: each(long_word, 2), used: maybe(each(count_value, range=(1, 3)), 0.5), bucket: out(index_value), load: maybe(add(count_value, 16), 0.6), tag: maybe(out(count_value), 0.5)):
    names(lane="lane|key_lanes|long_keys|words64", secret="secret|sip_key|hash_key|k_pair", v0="v0|a|s0|h0", v1="v1|b|s1|h1", v2="v2|c|s2|h2", v3="v3|d|s3|h3", n="n|len_w|words_n|lanes_n", m="m|mw|block_m|x", used="used|num_lanes|key_len|filled", h="h|digest64|hash64|res", load="load|bucket_load|chain_len|occupied")
    i = wp.tid()
    v0 = secret[0] ^ wp.uint64(0x736F6D6570736575)
    v1 = secret[1] ^ wp.uint64(0x646F72616E646F6D)
    v2 = secret[0] ^ wp.uint64(0x6C7967656E657261)
    v3 = secret[1] ^ wp.uint64(0x7465646279746573)
    if present(used):
        n = used[i]
    else:
        n = 3
    for k in range(n + 1):
        note("the last word holds the length in bytes|length block")
        if k < n:
            m = lane[i, k]
        else:
            m = wp.uint64(8 * n) << wp.uint64(56)
        v3 = v3 ^ m
        match choose("rounds"):
            case 2:
                v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
                v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
            case 1:
                v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
        v0 = v0 ^ m
    v2 = v2 ^ wp.uint64(255)
    match choose("rounds"):
        case 2:
            for k in range(4):
                v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
        case 1:
            for k in range(3):
                v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    h = v0 ^ v1 ^ v2 ^ v3
    bucket[i] = int(h & wp.uint64(15))
    if present(load):
        wp.atomic_add(load, int(h & wp.uint64(15)), 1)
    if present(tag):
        note("other bits of the hash, to compare quickly|fingerprint")
        tag[i] = int((h >> wp.uint64(57)) & wp.uint64(127))


@law("codes", "the product of two symbols in the field of 256 elements", title="gf_mul|galois_multiply|gf256_product", private=True, function=True)
def gf_product(a: field_symbol, b: field_symbol) -> field_symbol:
    names(x="x|p|u", y="y|q|v", acc="acc|prod|r")
    x = int(a)
    y = int(b)
    acc = int(0)
    while y > 0:
        if (y & 1) == 1:
            acc = acc ^ x
        x = x << 1
        if x > 255:
            x = x ^ 0x11D
        y = y >> 1
    return acc


@scene("integer", "function", "nested_loop", row,
       says="evaluates each received block as a polynomial over the field of 256 elements at four powers of two, to find out whether symbols are wrong",
       title="reed_solomon_syndromes|rs_syndromes|check_blocks_gf|block_syndromes", algorithm="Reed-Solomon syndromes")
def rs_syndromes(block: each(field_symbol, row, column), used: maybe(each(count_value, range=(2, 10)), 0.4), syndrome: out(field_symbol, row, 4), place: maybe(out(index_value), 0.6), clean: maybe(add(count_value, 1), 0.4)):
    names(block="block|codewords|received|frames_in", point="point|alpha|root_a|x", acc="acc|horner|poly|sum_g", n="n|len_b|stop|symbols_n", syndrome="syndrome|syndromes|checks_out|synd", used="used|block_len|shortened|valid_n", wrong="wrong|dirty|any_bad|nonzero_s", ratio="ratio|locator|quot|x1")
    r = wp.tid()
    if present(used):
        n = wp.min(used[r], count(column))
    else:
        n = count(column)
    wrong = int(0)
    point = int(1)
    for k in range(4):
        acc = int(0)
        note("Horner's rule, the first symbol is the highest power|polynomial value")
        for m in range(n):
            acc = gf_product(acc, point) ^ block[r, m]
        syndrome[r, k] = acc
        wrong = wrong | acc
        point = gf_product(point, 2)
    if present(clean):
        if wrong == 0:
            wp.atomic_add(clean, 0, 1)
    if present(place):
        note("one wrong symbol: the ratio of two syndromes is the power of its place|locate a single error")
        fact("a single wrong symbol is located")
        place[r] = -1
        ratio = int(1)
        for m in range(n):
            if wrong != 0 and syndrome[r, 1] == gf_product(syndrome[r, 0], ratio) and syndrome[r, 2] == gf_product(syndrome[r, 1], ratio) and syndrome[r, 0] != 0:
                place[r] = n - 1 - m
            ratio = gf_product(ratio, 2)


@law("codes", "a power modulo a prime", title="power_mod|modular_power|mod_exp", private=True, function=True)
def power_modulo(a: key, e: key, p: key) -> key:
    names(base="base|b|x", left="left|n|ex", acc="acc|res|y")
    base = a % p
    left = int(e)
    acc = int(1)
    while left > 0:
        if left % 2 == 1:
            acc = acc * base % p
        base = base * base % p
        left = left // 2
    return acc


@scene("integer", "function", "nested_loop", item,
       says="recovers a secret number from three shares, by interpolating their polynomial at zero modulo a prime",
       title="recover_secrets|shamir_recover|join_shares|secret_from_shares", algorithm="Shamir's secret sharing")
def recover_secrets(share: rows(key, 3), at: rows(key, 3, range=(1, 40)), want: maybe(each(key), 0.4), secret_out: out(key), bad: maybe(add(count_value, 1), 0.5), match_n: maybe(add(count_value, 1), 1.0)):
    names(share="share|shares|parts_y|pieces", at="at|holders|parts_x|share_ids", prime="prime|modulus|field_p|p", num="num|top|upper|n_prod", den="den|bottom|lower|d_prod", total="total|acc|secret_v|s", same="same|twice|clash|repeated", want="want|expected|stored_v|known_secret")
    i = wp.tid()
    prime = constant("PRIME|FIELD_PRIME|MODULUS", 1009)
    same = at[i, 0] == at[i, 1] or at[i, 1] == at[i, 2] or at[i, 0] == at[i, 2]
    if same:
        note("two shares of the same holder say nothing new|not enough shares")
        fact("shares with a repeated place give minus one")
        secret_out[i] = -1
        if present(bad):
            wp.atomic_add(bad, 0, 1)
        return
    total = int(0)
    for a in range(3):
        num = int(1)
        den = int(1)
        for b in range(3):
            if a != b:
                num = num * at[i, b] % prime
                note("kept positive before the remainder|the modulus is added first")
                den = den * (prime + at[i, b] - at[i, a]) % prime
        note("by Fermat, the inverse is the power to the prime less two|divide")
        total = (total + share[i, a] * num % prime * power_modulo(den, prime - 2, prime)) % prime
    secret_out[i] = total
    if present(want) and present(match_n):
        if want[i] % prime == total:
            wp.atomic_add(match_n, 0, 1)
