"""Codes of whole numbers: checksums, hashes, curves that fill space, packed words, descriptors."""


@law("codes", "how many bits of a word are set", title="popcount|count_ones|bit_count", private=True, function=True, builtin="bit_count")
def ones_in_word(w: bits) -> count_value:
    names(v="v|x|b|word")
    v = w - ((w >> wp.uint32(1)) & wp.uint32(0x55555555))
    v = (v & wp.uint32(0x33333333)) + ((v >> wp.uint32(2)) & wp.uint32(0x33333333))
    v = (v + (v >> wp.uint32(4))) & wp.uint32(0x0F0F0F0F)
    return int((v * wp.uint32(0x01010101)) >> wp.uint32(24))


@law("codes", "a word whose bits are mixed so that each depends on all others", title="mix_bits|finalize_hash|avalanche", private=True, function=True)
def mix_word(w: bits) -> bits:
    names(h="h|x|k|z")
    h = w ^ (w >> wp.uint32(16))
    h = h * wp.uint32(0x045D9F3B)
    h = h ^ (h >> wp.uint32(16))
    h = h * wp.uint32(0x045D9F3B)
    return h ^ (h >> wp.uint32(16))


@law("codes", "every second bit of a word, pushed together", title="compact_bits|gather_even_bits|unpart_by_one", private=True, function=True)
def squeeze_bits(w: bits) -> bits:
    names(v="v|x|b|acc")
    v = w & wp.uint32(0x55555555)
    v = (v | (v >> wp.uint32(1))) & wp.uint32(0x33333333)
    v = (v | (v >> wp.uint32(2))) & wp.uint32(0x0F0F0F0F)
    v = (v | (v >> wp.uint32(4))) & wp.uint32(0x00FF00FF)
    v = (v | (v >> wp.uint32(8))) & wp.uint32(0x0000FFFF)
    return v


@law("codes", "the factor that turns a number into one modulo another, by the extended algorithm of Euclid", title="extended_euclid|euclid_factor|bezout_factor", private=True)
def euclid_factor(a: key, m: key) -> key:
    names(r0="r0|old_r|rem_a", r1="r1|r|rem_b", s0="s0|old_s|coef_a", s1="s1|s|coef_b", q="q|quot|times", keep="keep|tmp|swap")
    r0 = int(a)
    r1 = int(m)
    s0 = int(1)
    s1 = int(0)
    while r1 != 0:
        q = r0 // r1
        keep = r0 - q * r1
        r0 = r1
        r1 = keep
        keep = s0 - q * s1
        s0 = s1
        s1 = keep
    return s0


@scene("integer", "nested_loop", "control_flow", row,
       says="computes the 32-bit cyclic redundancy check of the bytes of each message",
       title="crc32_messages|message_checksums|compute_crc32|checksum_packets", algorithm="CRC-32 of bytes")
def crc32_rows(data: each(byte_value, row, column), used: maybe(each(count_value, range=(1, 6)), 0.4), want: maybe(each(checksum), 0.4), crc_out: out(checksum), bad: maybe(add(count_value, 1), 1.0)):
    names(data="data|payload|octets|buffer", crc="crc|remainder|reg|checksum_reg", last="last|n_bytes|msg_len|valid", k="k|pos|at|byte_idx", want="want|expected_crc|trailer|received_crc", used="used|lengths|payload_len|msg_lengths", bad="bad|corrupted|num_errors|mismatches", crc_out="crc_out|checksums|digests|crcs")
    r = wp.tid()
    crc = ~wp.uint32(0)
    if present(used):
        note("the rest of the row is padding|only the first bytes belong to the message")
        last = wp.min(used[r], count(column))
    else:
        last = count(column)
    for k in range(last):
        crc = crc ^ wp.uint32(data[r, k])
        for b in range(8):
            note("reflected polynomial of Ethernet and zip|one bit at a time, lowest first")
            match choose("step"):
                case 2:
                    if (crc & wp.uint32(1)) != wp.uint32(0):
                        crc = (crc >> wp.uint32(1)) ^ wp.uint32(constant("POLYNOMIAL|CRC_POLY|REFLECTED_POLY", 0xEDB88320))
                    else:
                        crc = crc >> wp.uint32(1)
                case 1:
                    note("the mask is all ones where the lowest bit is set|no branch: minus one is all ones")
                    crc = (crc >> wp.uint32(1)) ^ (wp.uint32(constant("POLYNOMIAL|CRC_POLY|REFLECTED_POLY", 0xEDB88320)) & (wp.uint32(0) - (crc & wp.uint32(1))))
    crc = ~crc
    crc_out[r] = crc
    if present(want) and present(bad):
        if want[r] != crc:
            wp.atomic_add(bad, 0, 1)


@scene("integer", "atomic", "nested_loop", row,
       says="hashes the bytes of each key with FNV-1a and counts the keys of each bucket",
       title="fnv_buckets|hash_strings|bucket_keys|fnv1a_hash", algorithm="FNV-1a hash")
def fnv_rows(data: each(byte_value, row, column), salt: maybe(setting(bits, 1, 60000), 0.4), end: maybe(setting(byte_value, 5, 60), 0.4), load: add(count_value, bin), digest: out(hash_value), bucket_out: maybe(out(index_value), 0.5)):
    names(data="data|text|chars|key_bytes", h="h|hash_acc|state|fnv", ch="ch|byte|c|octet", slot="slot|bucket|home|cell_b", load="load|bucket_load|occupancy|histogram", end="end|terminator|sentinel|stop_byte")
    r = wp.tid()
    h = wp.uint32(constant("FNV_OFFSET|OFFSET_BASIS|FNV_BASIS", 0x811C9DC5))
    if present(salt):
        h = h ^ salt
    for k in range(count(column)):
        ch = data[r, k]
        if present(end):
            note("the key ends here|terminated early")
            fact("a byte below the terminator ends a key")
            if ch < end:
                break
        note("xor first, then multiply|FNV-1a order")
        h = (h ^ wp.uint32(ch)) * wp.uint32(constant("FNV_PRIME|PRIME_32", 0x01000193))
    digest[r] = h
    match choose("fold"):
        case 2:
            slot = int(h % wp.uint32(count(bin)))
        case 1:
            note("fold the high half into the low one|xor-folding")
            slot = int(((h >> wp.uint32(16)) ^ (h & wp.uint32(0xFFFF))) % wp.uint32(count(bin)))
    wp.atomic_add(load, slot, 1)
    if present(bucket_out):
        bucket_out[r] = slot


@scene("integer", "control_flow", query,
       says="looks up each key in a hash table with open addressing by linear probing",
       title="probe_table|hash_lookup|find_keys|open_addressing_find", algorithm="linear probing", lossy=True)
def probe_table(wanted: each(key, range=(1, 12)), slot_key: each(key, bin, range=(0, 12)), payload: each(value, bin), tries: setting(steps_value, 3, 6), found: out(value), probes: maybe(out(count_value), 0.5), missing: maybe(add(count_value, 1), 0.5)):
    names(slot_key="slot_key|table_keys|keys_in|stored_keys", wanted="wanted|query_keys|needles|lookups", payload="payload|table_values|stored|slot_values", at="at|slot|pos|cursor", steps="steps|probe|tried|dist", hit="hit|match_slot|where_found|result_slot", tries="tries|max_probes|probe_limit|max_tries", probes="probes|probe_length|chain_len|displacement")
    i = wp.tid()
    at = int(mix_word(wp.uint32(wanted[i])) % wp.uint32(count(bin)))
    hit = int(-1)
    steps = int(0)
    while steps < tries:
        if slot_key[at] == wanted[i]:
            hit = at
            break
        note("an empty slot ends the chain: the key is not there|zero marks an empty slot")
        if slot_key[at] == 0:
            break
        steps += 1
        match choose("walk"):
            case 3:
                at = (at + 1) % count(bin)
            case 1:
                at += 1
                if at == count(bin):
                    at = 0
    if present(probes):
        probes[i] = steps
    if hit < 0:
        fact("keys that are not in the table get minus one")
        found[i] = -1.0
        if present(missing):
            wp.atomic_add(missing, 0, 1)
        return
    found[i] = payload[hit]


@scene("integer", "geometry", "function", cell,
       says="decodes the Morton code of each quadtree cell into its column and row and finds the code of the neighbour to the right",
       title="decode_morton|quadtree_cells|morton_neighbors|unpack_zorder", algorithm="decoding of two-dimensional Morton codes")
def morton_decode(code: each(bits), width: setting(bits, 100, 255), col_out: out(index_value), row_out: out(index_value), east: maybe(out(bits), 0.6), level: maybe(out(count_value), 0.5)):
    names(code="code|morton|z_codes|zorder", x="x|gx|col_bits|ix", y="y|gy|row_bits|iy", right="right|next_x|stepped|nx", depth="depth|lev|digits|tier", rest="rest|c|left_over|shifted", width="last_column|max_column|last_x|x_max")
    i = wp.tid()
    x = squeeze_bits(code[i])
    y = squeeze_bits(code[i] >> wp.uint32(1))
    col_out[i] = int(x)
    row_out[i] = int(y)
    if present(east):
        note("add one to the x bits only: fill the y bits with ones so that the carry runs through|dilated addition")
        right = ((code[i] | wp.uint32(0xAAAAAAAA)) + wp.uint32(1)) & wp.uint32(0x55555555)
        east[i] = right | (code[i] & wp.uint32(0xAAAAAAAA))
        if x >= width:
            note("no neighbour beyond the border|stay at the edge of the grid")
            fact("cells at the right border are their own neighbour")
            east[i] = code[i]
    if present(level):
        note("two bits for each level of the tree|the coarsest level that contains the cell")
        rest = code[i]
        depth = int(0)
        while rest != wp.uint32(0):
            rest = rest >> wp.uint32(2)
            depth += 1
        level[i] = depth


@scene("integer", "geometry", "control_flow", cell,
       says="computes the position of each grid cell along a Hilbert curve",
       title="hilbert_index|hilbert_order|curve_keys|xy_to_hilbert", algorithm="Hilbert curve index")
def hilbert_order(at: each(coordinate, range=(0, 15)), shift: maybe(setting(index_value, 1, 3), 0.4), d_out: out(key), turns: maybe(out(count_value), 0.4)):
    names(at="at|cell_xy|grid_coord|cells_in", x="x|cx|px|u", y="y|cy|py|v", s="s|side|half|quad", rx="rx|right_half|qx|hi_x", ry="ry|top_half|qy|hi_y", d="d|dist|curve_pos|arc", t="t|tmp|hold|swap", flips="flips|n_rot|swaps|rotated", d_out="d_out|curve_index|hilbert_keys|order_out")
    i = wp.tid()
    x = int(at[i][0])
    y = int(at[i][1])
    if present(shift):
        note("the curve may start elsewhere: cells wrap around|periodic shift")
        x = (x + shift) % 16
        y = (y + shift) % 16
    d = int(0)
    flips = int(0)
    s = int(8)
    while s > 0:
        rx = int(0)
        ry = int(0)
        if (x & s) > 0:
            rx = int(1)
        if (y & s) > 0:
            ry = int(1)
        d += s * s * ((3 * rx) ^ ry)
        note("turn the quadrant so that the curve inside it starts at the right corner|rotate and flip the quadrant")
        if ry == 0:
            if rx == 1:
                x = 15 - x
                y = 15 - y
            t = x
            x = y
            y = t
            flips += 1
        match choose("halve"):
            case 1:
                s = s // 2
            case 1:
                s = s >> 1
    d_out[i] = d
    if present(turns):
        turns[i] = flips


@scene("integer", "math", "control_flow", sample,
       says="turns the readings of rotary encoders from Gray code to plain numbers and follows their steps with wrap-around",
       title="decode_gray|encoder_counts|read_encoders|gray_to_binary", algorithm="Gray code decoding")
def gray_encoder(gray: each(bits, range=(0, 255)), last: each(bits, range=(0, 255)), turns: inout(count_value, range=(0, 5)), tick: maybe(setting(small_angle, 0.02, 0.03), 0.5), position_out: out(count_value), angle_out: maybe(out(angle), 1.0), even: maybe(out(flag), 0.4)):
    names(gray="gray|raw_code|encoder_gray|disc_code", last="last|prev_count|previous_code|old_count", b="b|binary|plain|decoded", mask="mask|sh|m|run", step="step|delta|diff|moved", turns="turns|revolutions|wraps|full_turns", tick="tick|radians_per_count|resolution|count_angle", even="even|parity|even_parity|parity_bit")
    i = wp.tid()
    match choose("decode"):
        case 2:
            note("each bit is the exclusive or of all higher bits of the code|prefix xor")
            b = gray[i]
            mask = gray[i] >> wp.uint32(1)
            while mask != wp.uint32(0):
                b = b ^ mask
                mask = mask >> wp.uint32(1)
        case 1:
            note("prefix xor in three doubling steps|logarithmic prefix xor")
            b = gray[i] ^ (gray[i] >> wp.uint32(4))
            b = b ^ (b >> wp.uint32(2))
            b = b ^ (b >> wp.uint32(1))
    step = int(b) - int(last[i])
    note("a jump of more than half a turn is a wrap|the short way round")
    if step > 128:
        turns[i] = turns[i] - 1
    elif step < -128:
        turns[i] = turns[i] + 1
    position_out[i] = int(b)
    if present(angle_out):
        if present(tick):
            angle_out[i] = float(int(b)) * tick
        else:
            angle_out[i] = float(int(b)) * (2.0 * wp.pi / 256.0)
    if present(even):
        if ones_in_word(gray[i]) % 2 == 0:
            even[i] = 1
        else:
            even[i] = 0


@scene("integer", "nested_loop", "function", query,
       says="matches binary feature descriptors by Hamming distance and keeps a match only when it is clearly better than the second best",
       title="match_descriptors|hamming_matching|match_features|binary_matcher", algorithm="Hamming matching with a ratio test")
def match_descriptors(desc: rows(bits, 3), train: each(bits, item, 3), limit: maybe(setting(count_value, 14, 22), 0.5), percent: setting(count_value, 86, 98), match_out: out(index_value), dist_out: maybe(out(count_value), 0.6)):
    names(desc="desc|query_desc|orb_words|left_features", train="train|train_desc|map_features|right_features", best="best|d1|nearest_d|lowest", second="second|d2|runner_up|next_best", d="d|hamming|dist|bits_off", which="which|match_k|best_k|partner", limit="limit|max_distance|hamming_limit|gate", percent="percent|ratio_percent|lowe_percent|uniqueness")
    i = wp.tid()
    best = int(97)
    second = int(97)
    which = int(-1)
    for k in range(count(item)):
        d = int(0)
        for w in range(3):
            d += ones_in_word(desc[i, w] ^ train[k, w])
        if d < best:
            second = best
            best = d
            which = k
        elif d < second:
            second = d
    if present(dist_out):
        dist_out[i] = best
    if present(limit):
        note("too far to be the same feature|reject weak matches")
        if best > limit:
            match_out[i] = -1
            return
    note("the best must stand out, in percent of the second best|ambiguous matches are dropped")
    if 100 * best >= percent * second:
        match_out[i] = -1
        return
    match_out[i] = which


@scene("integer", "control_flow", "nested_loop", query,
       says="tests in a Bloom filter whether each key may be in a set",
       title="bloom_query|maybe_contains|bloom_test|query_bloom_filter", algorithm="Bloom filter with double hashing")
def bloom_query(wanted: each(key), filter_words: each(bits, bin), hashes: setting(steps_value, 2, 3), contains: out(flag), total: maybe(add(count_value, 1), 0.5), tested: maybe(out(count_value), 0.4)):
    names(filter_words="filter_words|bitset|bloom|filter_bits", wanted="wanted|candidates|keys_to_test|probe_keys", h1="h1|base_hash|first_hash|ha", h2="h2|stride_hash|second_hash|hb", bit="bit|pos|bit_index|slot", word="word|w|block|cell_w", yes="yes|present_all|maybe_in|all_set", hashes="hashes|num_hashes|k_hashes|n_probes", looked="looked|checked|num_tests|reads")
    i = wp.tid()
    h1 = mix_word(wp.uint32(wanted[i]))
    note("an odd stride visits every place|second hash, made odd")
    h2 = mix_word(h1 ^ wp.uint32(constant("STRIDE_SEED|SECOND_SEED", 0x5BD1E995))) | wp.uint32(1)
    yes = int(1)
    looked = int(0)
    for k in range(hashes):
        bit = (h1 + wp.uint32(k) * h2) % wp.uint32(16 * count(bin))
        word = filter_words[int(bit / wp.uint32(16))]
        looked += 1
        note("one clear bit is proof of absence|no false negatives")
        if ((word >> (bit % wp.uint32(16))) & wp.uint32(1)) == wp.uint32(0):
            yes = int(0)
            break
    contains[i] = yes
    if present(tested):
        tested[i] = looked
    if present(total):
        if yes == 1:
            wp.atomic_add(total, 0, 1)


@scene("integer", "control_flow", "struct", item,
       says="packs a direction and a flag for each item into one word: ten bits for each component and two for the flag",
       title="pack_normals|encode_directions|quantize_normals|pack_10_10_10_2", algorithm="packing of normals into 10-10-10-2 bits")
def pack_normal(n: each(normal), tag: maybe(each(label, range=(0, 3)), 0.6), word_out: out(bits), back: maybe(out(normal), 0.6), worst: maybe(add(error_value, 1), 0.4)):
    names(u="u|nn|unit_n|dir_i", qx="qx|ix|xb|code_x", qy="qy|iy|yb|code_y", qz="qz|iz|zb|code_z", word="word|packed|bits_i|enc", r="r|restored|decoded|dec", word_out="word_out|packed_out|encoded_normals|normal_bits", tag="tag|handedness|flag_bits|two_bits", back="back|decoded_out|restored_out|round_trip")
    i = wp.tid()
    u = wp.normalize(n[i])
    note("from [-1, 1] to [0, 1023], rounded|unsigned ten-bit fields")
    qx = wp.uint32(wp.clamp(wp.floor((u[0] * 0.5 + 0.5) * 1023.0 + 0.5), 0.0, 1023.0))
    qy = wp.uint32(wp.clamp(wp.floor((u[1] * 0.5 + 0.5) * 1023.0 + 0.5), 0.0, 1023.0))
    qz = wp.uint32(wp.clamp(wp.floor((u[2] * 0.5 + 0.5) * 1023.0 + 0.5), 0.0, 1023.0))
    word = qx | (qy << wp.uint32(10)) | (qz << wp.uint32(20))
    if present(tag):
        word = word | (wp.uint32(tag[i]) << wp.uint32(30))
    word_out[i] = word
    if present(back):
        r = wp.vec3(float(word & wp.uint32(1023)), float((word >> wp.uint32(10)) & wp.uint32(1023)), float((word >> wp.uint32(20)) & wp.uint32(1023)))
        r = r * (2.0 / 1023.0) - wp.vec3(1.0, 1.0, 1.0)
        back[i] = wp.normalize(r)
        if present(worst):
            note("largest loss of a component|quantisation error")
            wp.atomic_max(worst, 0, wp.max(wp.max(wp.abs(r[0] - u[0]), wp.abs(r[1] - u[1])), wp.abs(r[2] - u[2])))


@scene("integer", "control_flow", "nested_loop", row,
       says="decodes variable-length numbers from the bytes of each row, seven bits in a byte, and sums them after undoing the zigzag code",
       title="decode_varints|leb128_decode|read_packed_numbers|varint_sum", algorithm="LEB128 with zigzag coding")
def varint_rows(data: each(byte_value, row, column), sum_out: out(count_value), numbers: maybe(out(count_value), 0.7), broken: maybe(out(flag), 0.5)):
    names(data="data|stream|encoded|wire_bytes", acc="acc|raw|partial|num", shift="shift|place|offset_bits|sh", total="total|running|decoded_sum|s", b="b|byte|octet|cur", n="n|values_read|num_decoded|emitted", v="v|signed_value|plain|decoded", broken="broken|truncated|incomplete|malformed")
    r = wp.tid()
    acc = int(0)
    shift = int(0)
    total = int(0)
    n = int(0)
    for k in range(count(column)):
        b = data[r, k]
        if shift < 21:
            acc = acc | ((b & 127) << shift)
        note("the highest bit says that more bytes follow|continuation bit")
        if b >= 128:
            shift += 7
            continue
        note("zigzag: even numbers are positive, odd ones negative|0, -1, 1, -2, 2, ...")
        match choose("zigzag"):
            case 1:
                v = (acc >> 1) ^ -(acc & 1)
            case 1:
                v = acc // 2
                if acc % 2 == 1:
                    v = -v - 1
        total += v
        n += 1
        acc = 0
        shift = 0
    sum_out[r] = total
    if present(numbers):
        numbers[r] = n
    if present(broken):
        note("the row ended in the middle of a number")
        if shift > 0:
            broken[r] = 1
        else:
            broken[r] = 0


@scene("integer", "control_flow", "function", item,
       says="finds the inverse of each number modulo a prime by Euclid's algorithm{rest:, and checks it by multiplication}{power_out:, with the square of the inverse}",
       title="modular_inverse|invert_modulo|mod_inverses|field_inverse", algorithm="modular inverse by the extended Euclidean algorithm")
def modular_inverse(a: each(key, range=(1, 96)), prime: setting(key, 97, 97), offset: maybe(setting(key, 1, 90), 0.4), inv_out: out(key), power_out: maybe(out(key), 0.5), rest: maybe(out(key), 0.4)):
    names(prime="prime|modulus|p_mod|field_size", a="a|elements|residues|operands", s="s|coef|bezout|inv", x="x|elem|residue|val", p="p|prod|fermat|acc", b="b|base|square|pw", e="e|expo|bits_left|n_exp", inv_out="inv_out|inverses|reciprocals|inverse_mod")
    i = wp.tid()
    x = int(a[i])
    if present(offset):
        x = (x + offset) % prime
        note("zero has no inverse|not invertible")
        if x == 0:
            inv_out[i] = 0
            if present(power_out):
                power_out[i] = 0
            if present(rest):
                rest[i] = 0
            return
    s = euclid_factor(x, prime)
    note("into the range of the residues|the factor may be negative")
    if s < 0:
        s += prime
    inv_out[i] = s
    if present(rest):
        note("one, if it is right|must be one")
        rest[i] = (x * s) % prime
    if present(power_out):
        note("the square of the inverse, by repeated squaring of x to the power p - 3|Fermat's little theorem")
        p = int(1)
        b = int(x)
        e = int(prime - 3)
        while e > 0:
            if e % 2 == 1:
                p = (p * b) % prime
            b = (b * b) % prime
            e = e // 2
        power_out[i] = p
