"""Work on machine words: generators, packing, checks and number theory on whole numbers."""


@law("codes", "one step of a xorshift generator", title="xorshift|next_word|step_generator", private=True)
def xorshift_step(w: bits) -> bits:
    names(x="x|s|word")
    x = w ^ (w << wp.uint32(13))
    x = x ^ (x >> wp.uint32(17))
    x = x ^ (x << wp.uint32(5))
    return x


@law("codes", "how many bits a number needs", title="bit_length|bits_needed|bit_width", private=True, function=True)
def bits_needed(n: key) -> count_value:
    names(left="left|rest|v", width="width|digits|nbits")
    left = int(n)
    width = int(0)
    while left > 0:
        left = left >> 1
        width += 1
    return width


@law("codes", "whether a number has no divisor but one and itself", title="is_prime|has_no_divisor|prime_test", private=True, function=True)
def is_prime_number(n: key) -> truth:
    names(d="d|div|trial")
    if n < 2:
        return False
    if n % 2 == 0:
        return n == 2
    d = int(3)
    while d * d <= n:
        if n % d == 0:
            return False
        d += 2
    return True


@scene("integer", "random", "control_flow", sample,
       says="advances the xorshift generator of each stream by some steps, and maps its last word to the unit interval{ones_out:, counting the bits that were set on the way}",
       title="xorshift_streams|advance_generators|step_streams|draw_words", algorithm="xorshift generator")
def xorshift_streams(state: inout(bits, range=(1, 60000)), salt: maybe(each(bits), 0.4), rounds: setting(steps_value, 3, 9), skip: maybe(setting(steps_value, 2, 4), 0.4), ones_out: maybe(out(count_value), 0.6), worst: maybe(add(count_value, 1, range=(0, 0)), 0.4), u_out: out(ratio)):
    names(state="state|rng_state|streams|gen", salt="salt|stream_key|nonce|perturb", x="x|word|s|r", ones="ones|set_bits|weight|bits_on", rounds="rounds|num_draws|steps|draws", skip="skip|burn_in|warmup|discard", worst="worst|max_ones|heaviest|peak_bits", one="one|h|this_word|w_bits")
    i = wp.tid()
    x = state[i]
    if present(salt):
        x = x ^ (salt[i] << wp.uint32(16))
        if x == wp.uint32(0):
            note("the state zero never leaves itself|zero is a fixed point")
            x = wp.uint32(constant("FALLBACK|NONZERO_STATE", 0x9E3779B9))
    if present(skip):
        note("let similar seeds drift apart|warm up")
        fact("the first words are discarded")
        for k in range(skip):
            x = xorshift_step(x)
    ones = int(0)
    for k in range(rounds):
        x = xorshift_step(x)
        if present(ones_out) or present(worst):
            one = ones_in_word(x)
            ones += one
            if present(worst):
                wp.atomic_max(worst, 0, one)
    state[i] = x
    if present(ones_out):
        ones_out[i] = ones
    match choose("unit"):
        case 2:
            note("the upper 24 bits fit a float|drop the low bits")
            u_out[i] = float(x >> wp.uint32(8)) / 16777216.0
        case 1:
            u_out[i] = float(x >> wp.uint32(9)) * (1.0 / 8388608.0)


@scene("integer", "reduction", "control_flow", row,
       says="packs the numbers of each row into words: the smallest is taken off, and every rest gets as many bits as the largest needs",
       title="frame_pack|pack_rows|bit_pack_blocks|pack_deltas", algorithm="frame-of-reference packing")
def frame_pack(v: each(key, row, 8), spread: maybe(setting(key, 300, 900), 0.4), base_out: out(key), width_out: out(count_value), words: out(bits, row, 3), raw: maybe(add(count_value, 1), 0.4), saved: maybe(out(count_value), 0.4)):
    names(v="v|columns_in|block|values_in", low="low|base|smallest|ref", high="high|largest|top|peak", width="width|nbits|bits_each|w", acc="acc|word|pending|buf", filled="filled|used|pos|n_in", at="at|slot|word_k|out_k", d="d|rest|delta|offs", spread="spread|outlier_span|max_span|raw_above", raw="raw|outliers|wide_rows|num_raw")
    r = wp.tid()
    low = int(v[r, 0])
    high = int(v[r, 0])
    for k in range(1, 8):
        low = wp.min(low, v[r, k])
        high = wp.max(high, v[r, k])
    width = bits_needed(high - low)
    base_out[r] = low
    width_out[r] = width
    if present(spread) and present(raw):
        note("outliers make the packing pointless|hardly worth packing")
        if high - low > spread:
            wp.atomic_add(raw, 0, 1)
    acc = wp.uint32(0)
    filled = int(0)
    at = int(0)
    for k in range(8):
        d = wp.uint32(v[r, k] - low)
        acc = acc | (d << wp.uint32(filled))
        filled += width
        if filled >= 32:
            note("the word is full: what did not fit starts the next one|carry the high bits over")
            words[r, at] = acc
            at += 1
            filled -= 32
            acc = wp.uint32(0)
            if filled > 0:
                acc = d >> wp.uint32(width - filled)
    while at < 3:
        words[r, at] = acc
        acc = wp.uint32(0)
        at += 1
    if present(saved):
        saved[r] = 8 * 32 - 8 * width - 32


@scene("integer", "random", "nested_loop", sample,
       says="jumps each linear congruential generator ahead by many steps at once, by squaring the step",
       title="lcg_jump|skip_ahead|jump_generators|leapfrog_states", algorithm="jump-ahead of a linear congruential generator")
def lcg_jump(state: inout(bits), ahead: maybe(each(key, range=(0, 900)), 0.6), stride: setting(key, 20, 900), faces: maybe(setting(label, 4, 7), 0.5), die: maybe(out(label), 1.0), tally: maybe(add(count_value, 16), 0.4)):
    names(state="state|lcg_state|seeds_in|generators", ahead="ahead|skips|jumps|hops", left="left|n|todo|remaining", a="a|mul_k|factor|mult", c="c|add_k|incr|shift_k", at="at|total_a|mul_all|am", ct="ct|total_c|add_all|cm", x="x|s|word|lcg", faces="faces|sides|num_faces|outcomes", die="die|rolls|faces_up|throws")
    i = wp.tid()
    left = int(stride)
    if present(ahead):
        left = left + ahead[i]
    match choose("generator"):
        case 1:
            a = wp.uint32(constant("MULTIPLIER|LCG_A", 1664525))
            c = wp.uint32(constant("INCREMENT|LCG_C", 1013904223))
        case 1:
            a = wp.uint32(22695477)
            c = wp.uint32(1)
    at = wp.uint32(1)
    ct = wp.uint32(0)
    note("the step applied to itself is a step of twice the length|compose by squaring")
    while left > 0:
        if (left & 1) == 1:
            at = at * a
            ct = ct * a + c
        c = (a + wp.uint32(1)) * c
        a = a * a
        match choose("half"):
            case 1:
                left = left // 2
            case 1:
                left = left >> 1
    x = at * state[i] + ct
    state[i] = x
    if present(faces) and present(die):
        note("the high bits are the good ones|low bits have short periods")
        die[i] = int((x >> wp.uint32(16)) % wp.uint32(faces))
    if present(tally):
        wp.atomic_add(tally, int(x >> wp.uint32(28)), 1)


@scene("integer", "control_flow", "nested_loop", segment,
       says="sieves the odd numbers of one stretch of 64 for each thread, keeps the primes as bits and counts them",
       title="sieve_segments|prime_sieve|strike_multiples|segmented_sieve", algorithm="segmented sieve of Eratosthenes")
def sieve_segments(block: each(key, range=(0, 90)), start: maybe(setting(key, 2, 40), 0.4), mask_out: out(bits), count_out: out(count_value), twins: maybe(out(count_value), 0.6), total: maybe(add(count_value, 1), 0.6)):
    names(block="block|block_ids|chunk_no|stretches", first="first|low|begin|base_n", word="word|composite|struck|marks", d="d|step|trial|divisor", m="m|multiple|hit|at", good="good|primes|kept|unstruck", start="start|first_block|skip_blocks|offset_blocks", twins="twins|twin_pairs|gaps_two|pairs", total="total|prime_total|num_primes|primes_found")
    i = wp.tid()
    if present(start):
        first = (block[i] + start) * 64
    else:
        first = block[i] * 64
    word = wp.uint32(0)
    d = int(3)
    while d * d < first + 64:
        note("smaller multiples have a smaller factor|start at the square")
        m = wp.max(d * d, (first + d - 1) // d * d)
        if m % 2 == 0:
            m += d
        while m < first + 64:
            word = word | (wp.uint32(1) << wp.uint32((m - first) // 2))
            m += 2 * d
        d += 2
    if first == 0:
        note("one is not a prime")
        word = word | wp.uint32(1)
    good = ~word
    mask_out[i] = good
    count_out[i] = ones_in_word(good)
    if present(twins):
        note("neighbouring bits are two apart")
        twins[i] = ones_in_word(good & (good >> wp.uint32(1)))
    if present(total):
        wp.atomic_add(total, 0, ones_in_word(good))


@scene("integer", "control_flow", "scalar_param", sample,
       says="follows the Collatz sequence of each start until it reaches one, with the number of steps{peak_out: and the highest value on the way}",
       title="collatz_steps|hailstone_lengths|collatz_lengths|stopping_times", algorithm="Collatz sequence")
def collatz_steps(start: each(key, range=(1, 1000)), most: setting(key, 60, 150), length_out: out(count_value), peak_out: maybe(out(key), 0.7), odd_out: maybe(out(count_value), 0.4), stuck: maybe(add(count_value, 1), 0.5), below: maybe(out(count_value), 0.4)):
    names(start="start|seeds_in|starts|first_values", n="n|value_n|hail|x", steps="steps|length_n|taken|hops", peak="peak|highest|top|max_n", odds="odds|triples|up_steps|n_odd", most="most|max_steps|step_limit|cap", stuck="stuck|unfinished|over_limit|timeouts", first_below="first_below|drop_at|glide|descent")
    i = wp.tid()
    n = int(start[i])
    steps = int(0)
    peak = int(start[i])
    odds = int(0)
    first_below = int(-1)
    while n != 1 and steps < most:
        if n % 2 == 0:
            n = n // 2
            steps += 1
        else:
            odds += 1
            match choose("odd"):
                case 2:
                    n = 3 * n + 1
                    steps += 1
                case 1:
                    note("three n plus one is even: halve it at once|shortcut map")
                    fact("an odd step is taken together with the halving after it")
                    n = (3 * n + 1) // 2
                    steps += 1
        peak = wp.max(peak, n)
        if present(below):
            if n < start[i] and first_below < 0:
                first_below = steps
    length_out[i] = steps
    if present(peak_out):
        peak_out[i] = peak
    if present(odd_out):
        odd_out[i] = odds
    if present(below):
        fact("it also says when the sequence first falls below its start")
        below[i] = first_below
    if present(stuck):
        if n != 1:
            wp.atomic_add(stuck, 0, 1)


@scene("integer", "control_flow", "reduction", row,
       says="verifies the check digit of each number{scheme=0: by Luhn's formula}{scheme=1: of a bar code, with weights one and three}",
       title="check_digits|verify_numbers|validate_codes|digit_checks", algorithm="check digits")
def check_digits(digit: each(key, row, 12, range=(0, 9)), check: each(key, range=(0, 9)), valid: out(flag), want_out: maybe(out(key), 0.5), bad: maybe(add(count_value, 1), 0.5), issuer: maybe(add(count_value, 10), 0.4)):
    names(digit="digit|digits|number_digits|code_digits", check="check|check_digits|last_digit|given_check", total="total|acc|sum_d|weighted", d="d|v|dig|x", want="want|expected|computed|need", bad="bad|rejects|wrong_checks|invalid", issuer="issuer|by_prefix|leading_digit|prefix_count")
    r = wp.tid()
    total = int(0)
    for k in range(12):
        d = digit[r, k]
        match choose("scheme"):
            case 1:
                note("every second digit from the right is doubled|Luhn")
                if k % 2 == 1:
                    d = 2 * d
                    if d > 9:
                        note("the sum of the two digits|nine less is the digit sum")
                        d = d - 9
                total += d
            case 1:
                note("odd places weigh three|EAN-13")
                if k % 2 == 1:
                    total += 3 * d
                else:
                    total += d
    want = (10 - total % 10) % 10
    if present(want_out):
        want_out[r] = want
    if want == check[r]:
        valid[r] = 1
        if present(issuer):
            wp.atomic_add(issuer, digit[r, 0], 1)
    else:
        valid[r] = 0
        if present(bad):
            wp.atomic_add(bad, 0, 1)


@law("codes", "the character of six bits in the alphabet of Base64", title="base64_char|encode_sextet|sextet_char", private=True, function=True)
def base64_letter(v: key) -> key:
    if v < 26:
        return v + 65
    if v < 52:
        return v + 71
    if v < 62:
        return v - 4
    if v == 62:
        return 43
    return 47


@scene("integer", "function", "multi_conditional", item,
       says="encodes three bytes of each group as four characters of Base64{size:, with padding where a group is short}",
       title="base64_encode_groups|base64_encode|encode_base64", algorithm="Base64")
def base64_groups(data: rows(byte_value, 3), size: maybe(each(count_value, range=(1, 3)), 0.6), text: out(byte_value, item, 4)):
    names(data="data|input_bytes", word="word|bits", size="num_bytes|group_size", text="chars|encoded", n="n|valid", v="v|sextet")
    i = wp.tid()
    if present(size):
        n = size[i]
    match choose("join"):
        case 2:
            word = int(0)
            for k in range(3):
                word = word << 8
                if present(size):
                    if k < n:
                        word = word | data[i, k]
                else:
                    word = word | data[i, k]
        case 1:
            if present(size):
                word = data[i, 0] << 16
                if n > 1:
                    word = word | (data[i, 1] << 8)
                if n > 2:
                    word = word | data[i, 2]
            else:
                word = (data[i, 0] << 16) | (data[i, 1] << 8) | data[i, 2]
    for k in range(4):
        if present(size):
            if k > n:
                note("an equals sign stands for a missing byte|padding")
                text[i, k] = constant("PAD_CHAR|EQUALS_SIGN", 61)
            else:
                v = (word >> (18 - 6 * k)) & 63
                text[i, k] = base64_letter(v)
        else:
            v = (word >> (18 - 6 * k)) & 63
            text[i, k] = base64_letter(v)


@scene("integer", "control_flow", "arithmetic", item,
       says="turns each binary number into packed decimal digits, by {way=0:shifting and adding three}{way=1:division}",
       title="to_bcd|binary_to_bcd|double_dabble|decimal_digits", algorithm="binary to packed decimal")
def binary_to_bcd(n: each(bits, range=(0, 50000)), dark: maybe(each(flag), 0.3), bcd: out(bits), digits_out: maybe(out(count_value), 0.6), sum_out: maybe(out(count_value), 0.5), low_nibble: maybe(add(count_value, 10), 0.4)):
    names(n="n|binary|readings|counts_in", acc="acc|bcd_acc|scratch|dec", rest="rest|left|src|bin_left", d="d|nibble|dig|quad", places="places|length_d|num_d|used", total="total|digit_sum|cross_sum|acc_d", dark="dark|blanked|display_off|muted")
    i = wp.tid()
    if present(dark):
        if dark[i] == 1:
            note("all ones blank the display|blank")
            bcd[i] = wp.uint32(0xFFFFF)
            if present(digits_out):
                digits_out[i] = 0
            if present(sum_out):
                sum_out[i] = 0
            return
    acc = wp.uint32(0)
    match choose("way"):
        case 2:
            for b in range(16):
                note("a digit of five or more would overflow when doubled|adjust every digit")
                for k in range(5):
                    d = (acc >> wp.uint32(4 * k)) & wp.uint32(15)
                    if d > wp.uint32(4):
                        acc = acc + (wp.uint32(3) << wp.uint32(4 * k))
                acc = (acc << wp.uint32(1)) | ((n[i] >> wp.uint32(15 - b)) & wp.uint32(1))
        case 1:
            rest = n[i]
            for k in range(5):
                acc = acc | ((rest % wp.uint32(10)) << wp.uint32(4 * k))
                rest = rest / wp.uint32(10)
    bcd[i] = acc
    places = int(0)
    total = int(0)
    if present(digits_out) or present(sum_out):
        for k in range(5):
            d = (acc >> wp.uint32(4 * k)) & wp.uint32(15)
            total += int(d)
            if d != wp.uint32(0):
                places = k + 1
    if present(digits_out):
        digits_out[i] = wp.max(places, 1)
    if present(sum_out):
        sum_out[i] = total
    if present(low_nibble):
        wp.atomic_add(low_nibble, int(acc & wp.uint32(15)), 1)


@scene("integer", "control_flow", "multi_conditional", item,
       says="decodes words of an extended Hamming code: corrects a single wrong bit, reports two, and pulls out the data",
       title="hamming_decode|correct_words|secded_decode|repair_memory", algorithm="extended Hamming code (16, 11)", rare=True)
def hamming_decode(word: each(bits), flips: maybe(each(bits, range=(0, 15)), 0.4), data_out: out(bits), state_out: maybe(out(kind_value), 0.7), fixed_n: maybe(add(count_value, 1), 0.6), lost: maybe(add(count_value, 1), 0.6), where_out: maybe(out(index_value), 0.4)):
    names(word="word|codewords|memory|stored", w="w|code|cw|received", syn="syn|syndrome|pos_xor|locator", odd="odd|parity|overall|par", data="data|payload|info|message_w", at="at|next_bit|n_out|dst", b="b|pos|p|bit_k", state="state|status|verdict|outcome", flips="flips|upset_at|noise_bit|struck_bit")
    i = wp.tid()
    w = word[i]
    if present(flips):
        note("a particle hit flips one bit|injected fault")
        w = w ^ (wp.uint32(1) << flips[i])
    syn = int(0)
    odd = int(0)
    for b in range(16):
        if ((w >> wp.uint32(b)) & wp.uint32(1)) == wp.uint32(1):
            note("the exclusive or of the places of all ones is the place of the wrong bit|syndrome")
            syn = syn ^ b
            odd = odd ^ 1
    state = int(0)
    if odd == 1:
        note("an odd number of wrong bits: one|single error")
        w = w ^ (wp.uint32(1) << wp.uint32(syn))
        state = 1
        if present(fixed_n):
            wp.atomic_add(fixed_n, 0, 1)
    elif syn != 0:
        note("even, yet inconsistent: two wrong bits|double error")
        fact("words with two wrong bits are only reported")
        state = 2
        if present(lost):
            wp.atomic_add(lost, 0, 1)
    data = wp.uint32(0)
    at = int(0)
    for b in range(3, 16):
        note("powers of two are check bits|skip the check bits")
        if (b & (b - 1)) != 0:
            data = data | (((w >> wp.uint32(b)) & wp.uint32(1)) << wp.uint32(at))
            at += 1
    data_out[i] = data
    if present(state_out):
        state_out[i] = state
    if present(where_out):
        where_out[i] = syn


@scene("integer", "nested_loop", "control_flow", row,
       says="whitens the bytes of each packet with a shift register of nine bits",
       title="whiten_packets|scramble_rows|pn9_whitening|descramble_frames", algorithm="PN9 whitening")
def whiten_rows(data: inout(byte_value, row, column), begin: maybe(each(bits, range=(1, 511)), 0.4), used: maybe(each(count_value, range=(1, 9)), 0.5), ones: maybe(out(count_value), 0.5), last: maybe(out(bits), 0.5)):
    names(data="data|frame|packet|payload", reg="reg|lfsr|shift_reg|s", fb="fb|feedback|tap_bit|new_bit", begin="begin|seeds_in|whitener_init|start_state", used="used|packet_len|valid|num_bytes", n="n|stop|length_n|upto", ones="ones|bit_weight|set_bits|dc_weight", total="total|acc|weight|n_ones", v="v|mixed|byte_w|white")
    r = wp.tid()
    if present(begin):
        reg = begin[r]
    else:
        reg = wp.uint32(constant("PN9_INIT|ALL_ONES", 0x1FF))
    if present(used):
        n = wp.min(used[r], count(column))
    else:
        n = count(column)
    total = int(0)
    for k in range(n):
        v = data[r, k] ^ int(reg & wp.uint32(0xFF))
        data[r, k] = v
        if present(ones):
            total += ones_in_word(wp.uint32(v))
        for b in range(8):
            note("taps at bits 0 and 5|x^9 + x^5 + 1")
            fb = (reg ^ (reg >> wp.uint32(5))) & wp.uint32(1)
            reg = (reg >> wp.uint32(1)) | (fb << wp.uint32(8))
    if present(ones):
        ones[r] = total
    if present(last):
        last[r] = reg


@scene("integer", "reduction", "scalar_param", row,
       says="computes the {kind=0:Adler-32}{kind=1:Fletcher-16} checksum of the bytes of each block{want:, and counts the blocks that were damaged}",
       title="running_checksums|block_checksums|position_checksum|verify_blocks", algorithm="Adler and Fletcher checksums")
def running_checksums(data: each(byte_value, row, column), want: maybe(each(checksum), 0.5), used: maybe(each(count_value, range=(2, 10)), 0.4), sum_out: out(checksum), damaged: maybe(add(count_value, 1), 1.0), order: maybe(out(key), 0.3)):
    names(data="data|block_bytes|chunk|octets", a="a|s1|low_sum|plain_sum", b="b|s2|high_sum|weighted_sum", n="n|stop|len_r|upto", want="want|stored_sums|trailer|expected", used="used|block_len|fill|valid", damaged="damaged|bad_blocks|mismatches|corrupt", sum_out="sum_out|checksums|sums_out|digests")
    r = wp.tid()
    if present(used):
        n = wp.min(used[r], count(column))
    else:
        n = count(column)
    match choose("kind"):
        case 1:
            a = int(1)
            b = int(0)
            for k in range(n):
                a = (a + data[r, k]) % constant("MOD_ADLER|LARGEST_PRIME", 65521)
                b = (b + a) % constant("MOD_ADLER|LARGEST_PRIME", 65521)
            sum_out[r] = (wp.uint32(b) << wp.uint32(16)) | wp.uint32(a)
        case 1:
            a = int(0)
            b = int(0)
            for k in range(n):
                a = (a + data[r, k]) % 255
                b = (b + a) % 255
            sum_out[r] = (wp.uint32(b) << wp.uint32(8)) | wp.uint32(a)
    if present(order):
        note("the second sum alone depends on the order|position-sensitive part")
        order[r] = b
    if present(want) and present(damaged):
        match choose("kind"):
            case 1:
                if want[r] != ((wp.uint32(b) << wp.uint32(16)) | wp.uint32(a)):
                    wp.atomic_add(damaged, 0, 1)
            case 1:
                if want[r] != ((wp.uint32(b) << wp.uint32(8)) | wp.uint32(a)):
                    wp.atomic_add(damaged, 0, 1)


@scene("integer", "control_flow", "arithmetic", sample,
       says="computes the integer square root of each sum of two squares bit by bit, with the rest",
       title="integer_roots|isqrt_bits|hypot_int|whole_roots", algorithm="integer square root, digit by digit")
def integer_roots(x: each(key), y: maybe(each(key), 0.6), root_out: out(key), rest_out: out(key), squares: maybe(add(count_value, 1), 0.5)):
    names(x="x|dx_in|legs_a|run_x", y="y|dy_in|legs_b|rise_y", n="n|square|total|radicand", root="root|res|r|q", bit="bit|place|power4|one", rest="rest|left|rem|over", squares="squares|perfect|exact_roots|triples")
    i = wp.tid()
    n = x[i] * x[i]
    if present(y):
        n = n + y[i] * y[i]
    else:
        n = n + 2 * x[i]
    rest = int(n)
    root = int(0)
    note("the largest power of four that the sum can hold|start at the top")
    bit = int(1 << 20)
    while bit > 0:
        if rest >= root + bit:
            rest = rest - (root + bit)
            root = (root >> 1) + bit
        else:
            root = root >> 1
        bit = bit >> 2
    if present(rest_out):
        rest_out[i] = rest
    if present(squares):
        if rest == 0:
            wp.atomic_add(squares, 0, 1)
    match choose("round"):
        case 2:
            root_out[i] = root
        case 1:
            note("more than half-way to the next square|round to nearest")
            fact("roots are rounded to the nearest number")
            if rest > root:
                root_out[i] = root + 1
            else:
                root_out[i] = root
