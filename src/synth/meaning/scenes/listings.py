"""Lists, texts, sketches and calendars on whole numbers."""


@law("codes", "how many ways there are to choose some of a number of things", title="binomial|choose_count|n_choose_k", private=True, function=True)
def binomial_number(n: count_value, k: count_value) -> key:
    names(ways="ways|acc|c", m="m|i|step")
    if k > n:
        return 0
    ways = int(1)
    for m in range(k):
        note("always a whole number: the product of consecutive numbers|divide as early as possible")
        ways = ways * (n - m) // (m + 1)
    return ways


@scene("integer", "function", "control_flow", sample,
       says="turns each number into the set of four things of twelve that stands at its place in the list of all such sets",
       title="unrank_subsets|nth_combination|combination_masks|decode_combinations", algorithm="combinatorial number system")
def unrank_subsets(rank: each(key, range=(0, 494)), base: maybe(setting(key, 5, 300), 0.4), mask_out: out(bits), low_out: maybe(out(index_value), 0.5), spread: maybe(out(count_value), 0.5), uses: maybe(add(count_value, 12), 0.5)):
    names(rank="rank|numbers_in|codes_in|place_no", left="left|rest|n_left|r", k="k|need|size_k|to_pick", c="c|top|thing|item_c", mask="mask|chosen|subset|picked", base="base|first_rank|offset_r|start_rank", uses="uses|popularity|picks_n|item_use", lowest="lowest|least|bottom|min_item", highest="highest|largest|upper|max_item")
    i = wp.tid()
    left = int(rank[i])
    if present(base):
        note("start elsewhere in the list, around its end|cyclic offset")
        left = (left + base) % constant("NUM_SETS|TOTAL_SETS", 495)
    mask = wp.uint32(0)
    lowest = int(12)
    highest = int(-1)
    c = int(11)
    k = int(4)
    while k > 0:
        note("the largest thing whose sets below it are not more than the rest|greedy digit")
        while binomial_number(c, k) > left:
            c -= 1
        left = left - binomial_number(c, k)
        mask = mask | (wp.uint32(1) << wp.uint32(c))
        lowest = wp.min(lowest, c)
        highest = wp.max(highest, c)
        if present(uses):
            wp.atomic_add(uses, c, 1)
        k -= 1
    mask_out[i] = mask
    if present(low_out):
        low_out[i] = lowest
    if present(spread):
        spread[i] = highest - lowest


@scene("integer", "nested_loop", "reduction", row,
       says="computes a signature of the smallest hashes of each set of tokens{alike:, and counts how many agree with those of another set}",
       title="minhash_rows|set_signatures|minhash_sketch|shingle_signatures", algorithm="MinHash")
def minhash_rows(token: each(key, row, column), reference: maybe(each(hash_value, 4, range=(0, 2000000000)), 0.6), size: maybe(each(count_value, range=(1, 9)), 0.4), sign: out(hash_value, row, 4), alike: maybe(out(count_value), 1.0), smallest: maybe(out(key), 0.4)):
    names(token="token|shingles|set_items|features_in", size="size|set_size|num_tokens|filled", n="n|stop|len_s|upto", low="low|least|min_hash|best", h="h|mixed|hv|code_h", salt="salt|seed_h|round_key|which_h", same="same|agree|equal_n|hits", reference="reference|query_sign|target_sign|probe_sign", first="first|least_id|min_token|lowest_id")
    r = wp.tid()
    if present(size):
        n = wp.min(size[r], count(column))
    else:
        n = count(column)
    same = int(0)
    for k in range(4):
        note("another hash function for each entry|salted hashes")
        salt = wp.uint32(k + 1) * wp.uint32(0x9E3779B9)
        low = wp.uint32(0xFFFFFFFF)
        for m in range(n):
            h = mix_word(wp.uint32(token[r, m]) ^ salt)
            match choose("least"):
                case 2:
                    low = wp.min(low, h)
                case 1:
                    if h < low:
                        low = h
        sign[r, k] = low
        if present(reference) and present(alike):
            match choose("bits"):
                case 1:
                    if low == reference[k]:
                        same += 1
                case 2:
                    note("compare only some bits of each hash|b-bit minwise hashing")
                    fact("two bits of each hash are compared")
                    if (low & wp.uint32(3)) == (reference[k] & wp.uint32(3)):
                        same += 1
    if present(reference) and present(alike):
        alike[r] = same
    if present(smallest):
        first = int(token[r, 0])
        for m in range(1, n):
            first = wp.min(first, token[r, m])
        smallest[r] = first


@scene("integer", "atomic", "control_flow", item,
       says="updates the registers of a counter of distinct keys: the bucket by some bits of the hash, the largest number of leading zeros of the others",
       title="hyperloglog_update|distinct_registers|cardinality_sketch|count_distinct", algorithm="HyperLogLog registers", rare=True)
def distinct_registers(k: each(key), skip: maybe(each(flag), 0.4), register: add(count_value, 16), rank_out: maybe(out(count_value), 0.5), long_runs: maybe(add(count_value, 1), 0.5), least: setting(count_value, 3, 6)):
    names(k="k|keys_in|user_ids|visitors", register="register|registers|buckets_m|sketch", h="h|hashed|mixed_k|hv", slot="slot|bucket_i|which_r|reg_i", left="left|tail|w|rest_h", rank="rank|zeros_n|run_len|rho", skip="skip|ignored|bots|excluded", least="least|rare_from|min_run|watch_rank", long_runs="long_runs|rare_keys|rare_n|deep_n")
    i = wp.tid()
    if present(skip):
        if skip[i] == 1:
            return
    h = mix_word(wp.uint32(k[i]) + wp.uint32(0x85EBCA6B))
    slot = int(h >> wp.uint32(28))
    left = h << wp.uint32(4)
    rank = int(1)
    note("zeros in front of the first one, and one|position of the leading one")
    match choose("scan"):
        case 2:
            while rank <= 28 and (left & wp.uint32(0x80000000)) == wp.uint32(0):
                left = left << wp.uint32(1)
                rank += 1
        case 1:
            for b in range(28):
                if (left >> wp.uint32(31 - b)) != wp.uint32(0):
                    break
                rank += 1
    wp.atomic_max(register, slot, rank)
    if present(rank_out):
        rank_out[i] = rank
    if present(long_runs):
        if rank >= least:
            wp.atomic_add(long_runs, 0, 1)


@scene("integer", "control_flow", "nested_loop", row,
       says="counts how often a pattern occurs in each text by a rolling hash, comparing letters only where the hashes agree",
       title="rabin_karp|rolling_search|count_pattern|pattern_hits", algorithm="Rabin-Karp search")
def rolling_search(text: each(byte_value, row, column, range=(0, 2)), pattern: each(byte_value, 3, range=(0, 2)), hits: out(count_value), first: maybe(out(index_value), 0.6), apart: maybe(out(count_value), 0.5), near: maybe(out(count_value), 0.4)):
    names(text="text|letters|stream_in|haystack", pattern="pattern|needle|motif|word_p", goal="goal|want|hash_p|target_h", roll="roll|window_h|cur_h|h", n="n|found|num_hits|total", where="where|first_at|start_at|lead", last="last|end_prev|free_from|next_ok", same="same|equal_n|agree|ok_n", split="split|disjoint|no_overlap|n_apart", clash="clash|false_n|spurious|collide")
    r = wp.tid()
    goal = (pattern[0] * 49 + pattern[1] * 7 + pattern[2]) % constant("SMALL_PRIME|HASH_MOD", 13)
    roll = (text[r, 0] * 7 + text[r, 1]) % 13
    n = int(0)
    where = int(-1)
    last = int(0)
    split = int(0)
    clash = int(0)
    for k in range(2, count(column)):
        roll = (roll * 7 + text[r, k]) % 13
        if roll == goal:
            note("equal hashes may be a coincidence: look at the letters|verify")
            same = int(0)
            for m in range(3):
                if text[r, k - 2 + m] == pattern[m]:
                    same += 1
            if same == 3:
                n += 1
                if where < 0:
                    where = k - 2
                if k - 2 >= last:
                    split += 1
                    last = k + 1
            else:
                clash += 1
        note("take the oldest letter out of the window|7 * 7 mod 13 is 10")
        roll = (roll + 13 * 49 - text[r, k - 2] * 49) % 13
    hits[r] = n
    if present(first):
        first[r] = where
    if present(apart):
        fact("matches that do not overlap are counted apart")
        apart[r] = split
    if present(near):
        fact("agreeing hashes of other words are counted")
        near[r] = clash


@scene("integer", "control_flow", "nested_loop", (row, column),
       says="finds the rank of every rotation of each text among all its rotations, and writes the letter before it to that place",
       title="rotation_ranks|burrows_wheeler|bwt_rows|sort_rotations", algorithm="Burrows-Wheeler transform")
def rotation_ranks(text: each(byte_value, row, column, range=(0, 4)), shifted: out(byte_value, row, column), rank_out: maybe(out(index_value), 0.6), home: maybe(out(index_value, row), 0.6)):
    names(text="text|letters|block_in|line_in", rank="rank|place|smaller|pos", less="less|before|cmp|order_c", a="a|mine|ca|left_c", b="b|other_c|cb|right_c", m="m|step|k|depth", j="j|rot|start_j|shift_j", shifted="shifted|bwt_out|last_column|transformed", home="home|primary|origin_row|start_row")
    r, c = wp.tid()
    rank = int(0)
    for j in range(count(column)):
        less = int(0)
        for m in range(count(column)):
            a = text[r, (c + m) % count(column)]
            b = text[r, (j + m) % count(column)]
            if a != b:
                if b < a:
                    less = int(1)
                else:
                    less = int(-1)
                break
        note("equal rotations stay in their order|ties by place")
        if less == 1 or (less == 0 and j < c):
            rank += 1
    match choose("wrap"):
        case 1:
            shifted[r, rank] = text[r, (c + count(column) - 1) % count(column)]
        case 1:
            if c == 0:
                shifted[r, rank] = text[r, count(column) - 1]
            else:
                shifted[r, rank] = text[r, c - 1]
    if present(rank_out):
        rank_out[r, c] = rank
    if present(home):
        if c == 0:
            home[r] = rank


@scene("integer", "control_flow", "reduction", row,
       says="finds the length of the longest {strict=0:strictly }increasing subsequence of each row by keeping the smallest end for every length",
       title="longest_increasing|increasing_runs|patience_piles|lis_lengths", algorithm="longest increasing subsequence")
def longest_increasing(v: each(key, row, column, range=(0, 60)), used: maybe(each(count_value, range=(2, 9)), 0.4), length_out: out(count_value), end_out: maybe(out(key), 0.6), probes: maybe(out(count_value), 0.4), down: maybe(out(count_value), 0.4)):
    names(v="v|series_in|values_in|heights_in", tails="tails|piles|ends|tops", n="n|num_piles|len_best|size_t", low="low|lo|a|left", high="high|hi|b|right", mid="mid|m|half|probe", x="x|val|cur|h", stop="stop|upto|len_r|last_k", looks="looks|compares|steps_n|searches", drops="drops|falls|n_down|descents")
    r = wp.tid()
    tails = wp.zeros(shape=48, dtype=int)
    if present(used):
        stop = wp.min(used[r], count(column))
    else:
        stop = count(column)
    n = int(0)
    looks = int(0)
    drops = int(0)
    for k in range(stop):
        x = v[r, k]
        if present(down):
            if k > 0:
                if x < v[r, k - 1]:
                    drops += 1
        low = int(0)
        high = int(n)
        note("the first pile that the value fits on|binary search")
        while low < high:
            mid = (low + high) // 2
            looks += 1
            match choose("strict"):
                case 2:
                    if tails[mid] < x:
                        low = mid + 1
                    else:
                        high = mid
                case 1:
                    if tails[mid] <= x:
                        low = mid + 1
                    else:
                        high = mid
        tails[low] = x
        if low == n:
            n += 1
    length_out[r] = n
    if present(end_out):
        end_out[r] = tails[n - 1]
    if present(probes):
        probes[r] = looks
    if present(down):
        down[r] = drops


@scene("integer", "control_flow", "multi_conditional", row,
       says="checks whether the brackets of each line are closed in the right order, with the deepest nesting and the place of the first mistake",
       title="bracket_depth|check_brackets|nesting_check|balance_lines", algorithm="matching of brackets by a stack")
def bracket_lines(sign: each(symbol_class, row, column, range=(0, 5)), mistake: out(index_value), deep_out: maybe(out(count_value), 0.7), pairs: maybe(out(count_value), 0.6), good: maybe(add(count_value, 1), 0.5)):
    names(sign="sign|tokens_in|line_tokens|brackets", stack="stack|opened|pending|levels", top="top|depth|n_open|level", worst="worst|deepest|max_depth|peak", wrong="wrong|bad_at|error_at|where_bad", t="t|tok|cur|c", closed="closed|matched|num_pairs|done_n", good="good|balanced|num_good|valid_lines")
    r = wp.tid()
    stack = wp.zeros(shape=48, dtype=int)
    top = int(0)
    worst = int(0)
    wrong = int(-1)
    closed = int(0)
    for k in range(count(column)):
        t = sign[r, k]
        note("0 and 1 open round and square ones, 2 and 3 close them, others do not matter|classes of signs")
        if t > 3:
            continue
        if t < 2:
            stack[top] = t
            top += 1
            worst = wp.max(worst, top)
        elif top == 0:
            note("nothing is open|closed too often")
            wrong = k
            break
        else:
            top -= 1
            if stack[top] != t - 2:
                note("another kind is open|crossed brackets")
                wrong = k
                break
            closed += 1
    if wrong < 0 and top > 0:
        note("some are still open at the end|never closed")
        fact("a line that ends inside brackets has its mistake at the end")
        wrong = count(column)
    mistake[r] = wrong
    if present(deep_out):
        deep_out[r] = worst
    if present(pairs):
        pairs[r] = closed
    if present(good):
        if wrong < 0:
            wp.atomic_add(good, 0, 1)


@scene("integer", "control_flow", "scalar_param", item,
       says="finds in each word of a bitmap the lowest run of enough free blocks{claimed:, and claims it}",
       title="find_free_runs|bitmap_alloc|claim_blocks|first_fit", algorithm="first fit in a bitmap")
def free_runs(used: each(bits), want: maybe(each(count_value, range=(1, 5)), 0.5), size: setting(count_value, 2, 5), start_out: out(index_value), claimed: maybe(out(bits), 0.6), free_out: maybe(out(count_value), 0.5), failed: maybe(add(count_value, 1), 0.5)):
    names(used="used|bitmap|taken_map|block_map", want="want|requests|num_blocks|need_n", size="size|run_length|min_run|blocks_each", n="n|need|length_n|len_k", runs="runs|avail|ok_bits|cand", k="k|step|grow|i_k", at="at|pos|first_bit|low_b", failed="failed|no_room|misses|rejected", mask="mask|claim|run_mask|block_m")
    i = wp.tid()
    n = int(size)
    if present(want):
        note("a request of its own, never less than the smallest|at least the minimum")
        n = wp.max(want[i], n)
    match choose("way"):
        case 2:
            note("a bit stays where the next ones are free, too|and with shifted copies")
            runs = (~used[i]) & wp.uint32(0xFFFF)
            k = int(1)
            while k < n:
                runs = runs & (runs >> wp.uint32(1))
                k += 1
            at = int(-1)
            for b in range(16):
                if ((runs >> wp.uint32(b)) & wp.uint32(1)) == wp.uint32(1):
                    at = b
                    break
        case 1:
            at = int(-1)
            k = int(0)
            for b in range(16):
                if ((used[i] >> wp.uint32(b)) & wp.uint32(1)) == wp.uint32(0):
                    k += 1
                else:
                    k = 0
                if k == n:
                    at = b + 1 - n
                    break
    start_out[i] = at
    if present(free_out):
        free_out[i] = 16 - ones_in_word(used[i])
    if at < 0:
        if present(failed):
            wp.atomic_add(failed, 0, 1)
        if present(claimed):
            claimed[i] = used[i]
        return
    if present(claimed):
        mask = ((wp.uint32(1) << wp.uint32(n)) - wp.uint32(1)) << wp.uint32(at)
        claimed[i] = used[i] | mask


@scene("integer", "arithmetic", "scalar_param", item,
       says="computes the date of Easter in each year, as month and day{days_after:, and the date of a feast that moves with it}, by the anonymous Gregorian algorithm",
       title="easter_dates|compute_easter|gregorian_easter", algorithm="anonymous Gregorian algorithm of Easter")
def easter_dates(year: each(year_number), days_after: maybe(setting(key, 39, 60), 0.6), month_out: out(label), day_out: out(count_value), feast_day: maybe(out(serial_day), 1.0)):
    names(year="year|years", y="y|yr", a="a|golden", b="b|century", c="c|year_of_century", d="d|century_leaps", e="e|century_rest", f="f|f", g="g|moon_correction", h="h|epact", i4="i4|leap_years", k="k|leap_rest", l="l|days_to_sunday", m="m|correction", n="n|day_of_spring", month="month|mon", day="day|day_of_month", days_after="days_after|feast_offset", month_out="months|month_out", day_out="days|day_out", feast_day="feast_days|feast_day")
    i = wp.tid()
    y = year[i]
    a = y % 19
    b = y // 100
    c = y % 100
    d = b // 4
    e = b % 4
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    note("days from the equinox to the full moon of the church|paschal full moon")
    h = (19 * a + b - d - g + 15) % 30
    i4 = c // 4
    k = c % 4
    note("then on to the next Sunday")
    l = (32 + 2 * e + 2 * i4 - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    n = h + l - 7 * m + 114
    month = n // 31
    day = n % 31 + 1
    month_out[i] = month
    day_out[i] = day
    if present(days_after) and present(feast_day):
        note("days since the first of March|count from the first of March")
        feast_day[i] = (month - 3) * 31 + day - 1 + days_after


@scene("integer", "control_flow", "multi_conditional", item,
       says="computes the weekday, the number of the week and the year that this week belongs to, from a count of days since 1970",
       title="iso_weeks|week_numbers|calendar_weeks|week_of_day", algorithm="ISO 8601 week date", rare=True)
def iso_weeks(day: each(serial_day, range=(0, 50000)), shift: maybe(setting(key, 1, 300), 0.3), week_out: out(count_value), year_out: out(year_number), weekday_out: out(label), weekend: maybe(add(count_value, 1), 0.5), by_week: maybe(add(count_value, 54), 0.4)):
    names(day="day|days_in|epoch_day|day_serial", n="n|days_n|serial|d0", wd="wd|weekday|dow|day_of_week", thu="thu|thursday|anchor|mid_week", y="y|year_k|yr|in_year", begin="begin|jan1|year_start|first_day_y", leap="leap|is_leap|long_year|has_29", week="week|wk|week_no|iso_w", shift="shift|epoch_shift|offset_d|delay_d")
    i = wp.tid()
    n = int(day[i])
    if present(shift):
        n = n + shift
    note("1970 began on a Thursday, Monday is zero|weekday")
    wd = (n + 3) % 7
    note("a week belongs to the year of its Thursday|the Thursday of this week")
    thu = n - wd + 3
    y = int(1970)
    begin = int(0)
    while True:
        leap = int(0)
        if (y % 4 == 0 and y % 100 != 0) or y % 400 == 0:
            leap = int(1)
        if begin + 365 + leap > thu:
            break
        begin += 365 + leap
        y += 1
    week = (thu - begin) // 7 + 1
    week_out[i] = week
    year_out[i] = y
    if present(weekday_out):
        weekday_out[i] = wd + 1
    if present(weekend):
        if wd >= 5:
            wp.atomic_add(weekend, 0, 1)
    if present(by_week):
        wp.atomic_add(by_week, week, 1)


@scene("integer", "atomic", "control_flow", segment,
       says="draws each segment into a grid of counters with whole numbers only, one cell for each step along its longer axis",
       title="draw_segments|raster_lines|mark_lines|line_cells", algorithm="Bresenham's line")
def draw_segments(head: each(coordinate, range=(0, 11)), tail: each(coordinate, range=(0, 11)), wall: maybe(each(flag, 12, 12), 0.4), hits: add(count_value, 12, 12), cells_out: maybe(out(count_value), 0.6), stopped: maybe(out(flag), 1.0), dash: maybe(setting(count_value, 2, 4), 0.4)):
    names(head="head|starts_xy|from_cells|p0", tail="tail|ends_xy|to_cells|p1", x="x|cx|px|u", y="y|cy|py|v", dx="dx|run|wx|len_x", dy="dy|rise|wy|len_y", sx="sx|step_x|dir_x|ix", sy="sy|step_y|dir_y|iy", longer="longer|n_steps|steps_n|major", err="err|acc|balance|d_acc", drawn="drawn|marked|num_cells|n_set", dash="dash|dash_len|gap_every|pattern_n", wall="wall|blocked|solid_c|barrier", cut="cut|hit_wall|ended|blocked_f")
    i = wp.tid()
    x = int(head[i][0])
    y = int(head[i][1])
    dx = wp.abs(tail[i][0] - head[i][0])
    dy = wp.abs(tail[i][1] - head[i][1])
    sx = int(1)
    if tail[i][0] < head[i][0]:
        sx = int(-1)
    sy = int(1)
    if tail[i][1] < head[i][1]:
        sy = int(-1)
    longer = wp.max(dx, dy)
    note("start half a cell up, so that the line is rounded|error term")
    err = int(longer)
    drawn = int(0)
    cut = int(0)
    for k in range(longer + 1):
        if present(wall):
            if wall[x, y] == 1:
                note("what is behind stays hidden|stop at the wall")
                cut = 1
                break
        if present(dash):
            if k // dash % 2 == 0:
                fact("the lines are dashed")
                wp.atomic_add(hits, x, y, 1)
                drawn += 1
        else:
            wp.atomic_add(hits, x, y, 1)
            drawn += 1
        if dx >= dy:
            x += sx
            err += 2 * dy
            if err >= 2 * longer and longer > 0:
                y += sy
                err -= 2 * longer
        else:
            y += sy
            err += 2 * dx
            if err >= 2 * longer:
                x += sx
                err -= 2 * longer
        if x < 0 or y < 0 or x > 11 or y > 11:
            break
    if present(cells_out):
        cells_out[i] = drawn
    if present(wall) and present(stopped):
        stopped[i] = cut


@scene("integer", "control_flow", "reduction", item,
       says="finds for each entry of a sparse matrix its place in the transposed matrix, by counting the entries that come before it in order of columns",
       title="transpose_slots|csr_transpose|entry_places|column_order", algorithm="transposition of a sparse matrix")
def transpose_slots(col: each(key, range=(0, 9)), row_of: each(key, range=(0, 30)), v: each(value), place: out(index_value), row_new: out(key, item), v_new: maybe(out(value, item), 0.6), starts: maybe(add(count_value, 11), 0.5)):
    names(col="col|cols|col_ids|j_idx", row_of="row_id|rows_in|row_ids|i_idx", v="v|values_in|entries|a_vals", at="at|slot|dest|pos", k="k|other|e2|m", place="place|perm|new_slot|dest_out", row_new="row_new|rows_t|row_out|t_index", starts="starts|col_ptr|offsets_t|col_start")
    e = wp.tid()
    at = int(0)
    for k in range(count(item)):
        if col[k] < col[e]:
            at += 1
        elif col[k] == col[e]:
            match choose("order"):
                case 2:
                    note("entries of one column keep their order|stable")
                    if k < e:
                        at += 1
                case 1:
                    note("within a column by row, then by place|rows ascending")
                    fact("entries of one column are sorted by row")
                    if row_of[k] < row_of[e] or (row_of[k] == row_of[e] and k < e):
                        at += 1
    place[e] = at
    row_new[at] = row_of[e]
    if present(v_new):
        v_new[at] = v[e]
    if present(starts):
        note("one more for every later column: starts of the new rows|running offsets")
        for c in range(constant("NUM_COLUMNS|COLUMNS|N_COLS", 10) + 1):
            if c > col[e]:
                wp.atomic_add(starts, c, 1)


@scene("integer", "control_flow", "scalar_param", node,
       says="{!hops:does one round of list ranking: each node adds the rank of its successor and then points to the successor of that}{hops:ranks lists by several links at once: each node follows its list, adds the ranks on the way and points to where it came}{total:, and counts the nodes that have reached the end}",
       title="rank_lists|pointer_jumping|list_ranking|jump_pointers", algorithm="list ranking by pointer jumping")
def rank_lists(next_node: index(node), rank: each(count_value), hops: maybe(setting(steps_value, 2, 3), 0.4), jump_out: out(index_value), rank_out: out(count_value), total: maybe(add(count_value, 1), 0.5)):
    names(next_node="next_node|successor|links|pointers", rank="rank|dist|ranks_in|rank_in", to="to|nxt|s|target_n", sum_r="sum_r|acc|r_new|d_new", at="at|cur|here|node_at", hops="hops|max_hops|num_links|links_ahead", total="total|finished|num_done|at_end")
    i = wp.tid()
    to = next_node[i]
    sum_r = int(rank[i])
    if present(hops):
        at = int(i)
        for k in range(hops):
            note("the end of a list points to itself|arrived at the end")
            if to == at:
                break
            sum_r += rank[to]
            at = to
            to = next_node[to]
    else:
        if to != i:
            note("the end of a list points to itself|not the end")
            sum_r += rank[to]
            to = next_node[to]
    jump_out[i] = to
    rank_out[i] = sum_r
    if present(total):
        if next_node[to] == to:
            wp.atomic_add(total, 0, 1)


@scene("integer", "control_flow", "function", query,
       says="looks up each key in its two possible buckets of four slots",
       title="cuckoo_lookup|two_choice_lookup|find_in_buckets|bucket_probe", algorithm="cuckoo hash lookup")
def cuckoo_lookup(wanted: each(key, range=(1, 30)), slot: each(key, bin, 4, range=(0, 30)), payload: each(value, bin, 4), absent: setting(value, -2.0, -1.0), found: out(value), where_out: maybe(out(kind_value), 0.6), misses: maybe(add(count_value, 1), 0.5), free_out: maybe(out(count_value), 0.4)):
    names(wanted="wanted|lookup_keys|needles|probe_keys", slot="slot|bucket_keys|table_keys|stored", payload="payload|bucket_values|table_values|data_v", h1="h1|first_b|home_b|b1", h2="h2|second_b|alt_b|b2", got="got|hit|res|value_f", which="which|in_bucket|side|bucket_no", b="b|at_b|cur_b|bk", empties="empties|free_n|room|n_empty")
    q = wp.tid()
    h1 = int(mix_word(wp.uint32(wanted[q])) % wp.uint32(count(bin)))
    note("another hash of the same key|second choice")
    h2 = int(mix_word(wp.uint32(wanted[q]) ^ wp.uint32(0x5BD1E995)) % wp.uint32(count(bin)))
    got = float(absent)
    which = int(0)
    empties = int(0)
    for side in range(2):
        b = h1
        if side == 1:
            b = h2
        for k in range(4):
            if slot[b, k] == 0:
                empties += 1
            if slot[b, k] == wanted[q] and which == 0:
                got = payload[b, k]
                which = side + 1
    found[q] = got
    if present(where_out):
        where_out[q] = which
    if present(free_out):
        free_out[q] = empties
    if present(misses):
        if which == 0:
            wp.atomic_add(misses, 0, 1)


@scene("integer", "control_flow", "reduction", row,
       says="intersects two sorted lists of documents that are stored as gaps, walking along both at once",
       title="intersect_lists|merge_postings|common_documents|and_query", algorithm="intersection of sorted lists")
def intersect_lists(a: each(list_gap, row, column), b: each(list_gap, row, column, range=(1, 6)), common: out(count_value), last_out: maybe(out(key), 0.6), union_out: maybe(out(count_value), 0.5), stop_after: maybe(setting(count_value, 2, 5), 0.4)):
    names(a="a|gaps_a|list_a|term_one", b="b|gaps_b|list_b|term_two", da="da|doc_a|cur_a|id_a", db="db|doc_b|cur_b|id_b", ia="ia|at_a|pa|i", ib="ib|at_b|pb|j", n="n|both|matches|found", last="last|latest|final_doc|last_hit", either_n="either_n|any_n|union_n|distinct", stop_after="stop_after|top_n|limit_n|enough")
    r = wp.tid()
    ia = int(0)
    ib = int(0)
    da = int(a[r, 0])
    db = int(b[r, 0])
    n = int(0)
    last = int(-1)
    either_n = int(0)
    while ia < count(column) and ib < count(column):
        either_n += 1
        if da == db:
            n += 1
            last = da
            if present(stop_after):
                fact("the search ends when there are enough")
                if n == stop_after:
                    break
            note("both go on|advance both lists")
            ia += 1
            ib += 1
            if ia < count(column) and ib < count(column):
                da += a[r, ia]
                db += b[r, ib]
        elif da < db:
            ia += 1
            if ia < count(column):
                da += a[r, ia]
        else:
            ib += 1
            if ib < count(column):
                db += b[r, ib]
    common[r] = n
    if present(last_out):
        last_out[r] = last
    if present(union_out):
        fact("documents of either list up to there are counted")
        union_out[r] = either_n
