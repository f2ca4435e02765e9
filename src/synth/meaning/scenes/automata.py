"""Whole numbers that act: networks that sort, automata, labels, trees of cells, walks through grids."""


@law("automata", "the next word of a xorshift generator", title="xorshift|next_word|xorshift32", private=True, function=True)
def xorshift_word(w: bits) -> bits:
    names(x="x|s|z|v")
    x = w ^ (w << wp.uint32(13))
    x = x ^ (x >> wp.uint32(17))
    return x ^ (x << wp.uint32(5))


@law("automata", "the sum and the carry of three bits, for all bits of three words at once", title="full_adder|add_three|carry_save", private=True, function=True)
def full_adder(a: bits, b: bits, c: bits) -> (bits, bits):
    names(half="half|axb|x|partial")
    half = a ^ b
    return half ^ c, (a & b) | (half & c)


@law("automata", "a word with its bits turned round by one place to the left and to the right", title="rotate_pair|rotl_rotr|neighbor_words", private=True, function=True)
def rotate_both(w: bits) -> (bits, bits):
    return (w << wp.uint32(1)) | (w >> wp.uint32(31)), (w >> wp.uint32(1)) | (w << wp.uint32(31))


@scene("integer", "nested_loop", "control_flow", row,
       says="sorts the eight keys of each row with a bitonic network",
       title="bitonic_sort_rows|sort_eight|bitonic_network|sort_row_keys", algorithm="bitonic sort of eight keys")
def bitonic_rows(keys: inout(key, row, 8), load: maybe(inout(index_value, row, 8), 0.5), swaps: maybe(out(count_value), 0.5), low: maybe(out(key), 0.4)):
    names(k="k|block|run_len|width", j="j|stride|gap|dist", other="other|partner|mate|peer", up="up|ascending|forward|rising", a="a|left_key|x|first", b="b|right_key|y|second", n="n|exchanges|num_swaps|moved", load="load|payload|values|carried", keys="keys|row_keys|unsorted|items_in")
    r = wp.tid()
    n = int(0)
    k = int(2)
    while k <= 8:
        j = k // 2
        while j > 0:
            for i in range(8):
                other = i ^ j
                note("each pair once|the lower index does the exchange")
                if other > i:
                    note("blocks rise and fall in turn|direction of this block")
                    up = (i & k) == 0
                    a = keys[r, i]
                    b = keys[r, other]
                    if (up and a > b) or (not up and a < b):
                        keys[r, i] = b
                        keys[r, other] = a
                        n += 1
                        if present(load):
                            c = load[r, i]
                            load[r, i] = load[r, other]
                            load[r, other] = c
            j = j // 2
        k = k * 2
    if present(swaps):
        swaps[r] = n
    if present(low):
        low[r] = keys[r, 0]


@law("automata", "two bits of a key, the digit of one pass of a radix sort", title="radix_digit|extract_digit", private=True, function=True)
def radix_digit(k: key, shift: index_value) -> index_value:
    names(k="key|k", shift="shift|bit_shift")
    return (k >> shift) & 3


@scene("integer", "nested_loop", "reduction", row,
       says="sorts the keys of each block by one digit of two bits, as one pass of a radix sort does{rank_out:, and notes where each key went}",
       title="radix_sort_pass|block_radix_pass|radix_pass", algorithm="stable counting sort by a digit")
def radix_block(keys: each(key, row, column), shift: setting(index_value, 0, 6), descending: maybe(setting(flag, fixed=True), 0.3), sorted_out: out(key, row, column), rank_out: maybe(out(index_value, row, column), 0.5)):
    names(start="offsets|bucket_start", d="digit|d", at="dst|pos", total="total|prefix", m="n|bucket_count", keys="keys|block_keys", shift="shift|bit_shift", descending="descending|reverse", sorted_out="sorted_keys|keys_out", rank_out="ranks|positions_out", c="c|i", b="b|bucket")
    r = wp.tid()
    start = wp.zeros(shape=4, dtype=int)
    note("histogram of the digits|count every digit")
    for c in range(count(column)):
        d = radix_digit(keys[r, c], shift)
        if present(descending):
            if descending == 1:
                d = 3 - d
        start[d] = start[d] + 1
    note("exclusive prefix sum: where each digit begins|turn counts into offsets")
    total = int(0)
    for b in range(4):
        m = start[b]
        start[b] = total
        total += m
    note("equal digits keep their order|stable scatter")
    for c in range(count(column)):
        d = radix_digit(keys[r, c], shift)
        if present(descending):
            if descending == 1:
                d = 3 - d
        at = start[d]
        start[d] = at + 1
        sorted_out[r, at] = keys[r, c]
        if present(rank_out):
            rank_out[r, c] = at


@scene("integer", "control_flow", "atomic", node,
       says="finds the root of each node by following links to smaller labels{size: and counts the nodes of every root}",
       title="find_roots|component_roots|compress_paths|union_find_roots", algorithm="union-find, find by path walking", rare=True)
def find_roots(up: index(node), weight_in: maybe(each(weight), 0.4), root_out: out(index_value), size: maybe(add(count_value, node), 0.6), depth_out: maybe(out(count_value), 0.5), mass: maybe(add(weight, node), 1.0)):
    names(up="up|parent|links|representative", r="r|root|cur|top", hops="hops|steps|height|path_len", size="size|members|component_size|set_size", mass="mass|component_weight|set_weight|total_w", root_out="root_out|labels_out|component|leader")
    i = wp.tid()
    r = int(i)
    hops = int(0)
    note("a root points to itself or upwards|stop where the label no longer falls")
    while up[r] < r:
        r = up[r]
        hops += 1
    root_out[i] = r
    if present(depth_out):
        depth_out[i] = hops
    if present(size):
        wp.atomic_add(size, r, 1)
    if present(weight_in) and present(mass):
        wp.atomic_add(mass, r, weight_in[i])


@scene("integer", "control_flow", "function", row,
       says="runs an elementary cellular automaton on a ring of 32 cells, held in the bits of a word",
       title="elementary_automaton|wolfram_rule|evolve_ring|rule_step", algorithm="elementary cellular automaton")
def elementary_ring(cells: each(bits), rule: setting(key, 20, 250), steps: setting(steps_value, 2, 8), history: maybe(out(bits, row, 8), 0.4), after: out(bits), alive: maybe(out(count_value), 0.5)):
    names(cells="cells|ring|tape|world_bits", w="w|gen|state_w|cur", nxt="nxt|new_w|next_gen|built", left="left|lw|west|l_bits", right="right|rw|east|r_bits", rule="rule|rule_number|wolfram_code|rule_table", n="n|population|ones|live", steps="steps|generations|num_steps|epochs")
    r = wp.tid()
    w = cells[r]
    for g in range(steps):
        left, right = rotate_both(w)
        nxt = wp.uint32(0)
        match choose("method"):
            case 2:
                note("look up each neighbourhood in the bits of the rule|three cells make a number from 0 to 7")
                for b in range(32):
                    pattern = ((right >> wp.uint32(b)) & wp.uint32(1)) * wp.uint32(4) + ((w >> wp.uint32(b)) & wp.uint32(1)) * wp.uint32(2) + ((left >> wp.uint32(b)) & wp.uint32(1))
                    nxt = nxt | (((wp.uint32(rule) >> pattern) & wp.uint32(1)) << wp.uint32(b))
            case 2:
                note("all cells at once: one term for each set bit of the rule|bit-parallel rule")
                for p in range(8):
                    if ((rule >> p) & 1) == 1:
                        hit = ~wp.uint32(0)
                        if (p & 4) != 0:
                            hit = hit & right
                        else:
                            hit = hit & ~right
                        if (p & 2) != 0:
                            hit = hit & w
                        else:
                            hit = hit & ~w
                        if (p & 1) != 0:
                            hit = hit & left
                        else:
                            hit = hit & ~left
                        nxt = nxt | hit
        w = nxt
        if present(history):
            history[r, g] = w
    after[r] = w
    if present(alive):
        n = int(0)
        while w != wp.uint32(0):
            w = w & (w - wp.uint32(1))
            n += 1
        alive[r] = n


@scene("integer", "stencil", "function", row,
       says="advances Conway's Game of Life for rows of 32 cells at once, counting neighbours with adders on the bits of words",
       title="bitsliced_life|life_rows|parallel_life|life_words", algorithm="bit-sliced Game of Life on a torus")
def sliced_life(board: each(bits), next_out: out(bits), born: maybe(out(bits), 0.4), died: maybe(out(bits), 0.4)):
    names(board="board|rows_in|life_rows|words_in", above="above|upper|north|prev_row", below="below|lower|south|next_row", here="here|row_w|mid|own", s1="s1|ones_a|low_a|u0", c1="c1|twos_a|high_a|u1", s2="s2|ones_b|low_b|d0", c2="c2|twos_b|high_b|d1", s3="s3|ones_c|low_c|t0", c3="c3|twos_c|high_c|t1", s4="s4|ones_n|low_n|k0", twos="twos|bit_one|pairs|k1", fours="fours|bit_two|quads|k2", alive="alive|result|new_row|lives")
    r = wp.tid()
    here = board[r]
    above = board[(r + count(row) - 1) % count(row)]
    below = board[(r + 1) % count(row)]
    ul, ur = rotate_both(above)
    ll, lr = rotate_both(below)
    hl, hr = rotate_both(here)
    note("three neighbours above, three below, two beside|sum eight words of one bit each")
    s1, c1 = full_adder(above, ul, ur)
    s2, c2 = full_adder(below, ll, lr)
    s3 = hl ^ hr
    c3 = hl & hr
    s4, c4 = full_adder(s1, s2, s3)
    t1, t2 = full_adder(c1, c2, c3)
    twos = t1 ^ c4
    fours = t2 ^ (t1 & c4)
    note("two or three neighbours: the twos bit is set, and no fours; eight wraps to zero|born with three, kept with two")
    alive = twos & ~fours & (s4 | here)
    next_out[r] = alive
    if present(born):
        born[r] = alive & ~here
    if present(died):
        died[r] = here & ~alive


@scene("integer", "geometry", "control_flow", query,
       says="descends a sparse octree to the cell of each query point, where a mask says which children exist",
       title="octree_lookup|descend_octree|find_octree_leaf|svo_query", algorithm="sparse octree descent with child masks")
def octree_descent(p: each(position, range=(0.01, 0.99)), child_mask: each(bits, node, range=(0, 255)), first_child: index(node, over=node), levels: setting(steps_value, 2, 5), leaf_out: out(index_value), depth_out: maybe(out(count_value), 0.6), center: maybe(out(position), 0.5)):
    names(leaf_out="leaf_out|leaf_index|node_out|found_node", p="p|points_in|probe|coords", child_mask="child_mask|valid_mask|masks|node_mask", first_child="first_child|child_ptr|child_base|children_at", n="n|at|cur_node|here", low="low|corner|cell_min|origin_c", side="side|cell_size_n|width|extent", oct="oct|octant|child_bit|which", mask="mask|m|exists|children", before="before|rank|skipped|earlier", d="d|lev|depth|tier", levels="levels|max_depth|tree_depth|max_levels")
    i = wp.tid()
    n = int(0)
    d = int(0)
    side = float(1.0)
    low = wp.vec3(0.0, 0.0, 0.0)
    while d < levels:
        side = 0.5 * side
        note("one bit for each axis|which of the eight children holds the point")
        oct = int(0)
        if p[i][0] >= low[0] + side:
            oct += 1
        if p[i][1] >= low[1] + side:
            oct += 2
        if p[i][2] >= low[2] + side:
            oct += 4
        mask = child_mask[n]
        if ((mask >> wp.uint32(oct)) & wp.uint32(1)) == wp.uint32(0):
            note("no such child: the node is as fine as it gets here|empty space")
            break
        note("children are stored without gaps: skip those before this one|rank of the child in the mask")
        before = int(0)
        for b in range(oct):
            before += int((mask >> wp.uint32(b)) & wp.uint32(1))
        n = (first_child[n] + before) % count(node)
        low = low + wp.vec3(float(oct & 1), float((oct >> 1) & 1), float((oct >> 2) & 1)) * side
        d += 1
    leaf_out[i] = n
    if present(depth_out):
        depth_out[i] = d
    if present(center):
        note("centre of the last octant that was looked at")
        center[i] = low + wp.vec3(side, side, side) * 0.5


@scene("integer", "control_flow", "geometry", query,
       says="walks along a grid line from a viewer to a target and stops at the first wall",
       title="line_of_sight|grid_visibility|trace_grid_line|bresenham_visibility", algorithm="Bresenham's line")
def line_of_sight(eye: each(coordinate), goal: each(coordinate), wall: each(flag, 8, 8), reach: maybe(setting(count_value, 4, 7), 0.4), seen: out(flag), steps_out: maybe(out(count_value), 0.6), stop: maybe(out(coordinate), 0.4)):
    names(eye="eye|viewer|from_cell|observer", goal="goal|target_cell|to_cell|sighted", wall="wall|blocked|occupancy|obstacles", x="x|cx|col|px", y="y|cy|row_at|py", dx="dx|run|across|span_x", dy="dy|rise|down|span_y", sx="sx|step_x|dir_x|inc_x", sy="sy|step_y|dir_y|inc_y", err="err|balance|decision|e", twice="twice|e2|double_err|err2", n="n|walked|moves|hops", clear="clear|visible|ok|in_sight")
    i = wp.tid()
    x = int(eye[i][0])
    y = int(eye[i][1])
    dx = wp.abs(goal[i][0] - x)
    dy = wp.abs(goal[i][1] - y)
    sx = int(1)
    sy = int(1)
    if goal[i][0] < x:
        sx = int(-1)
    if goal[i][1] < y:
        sy = int(-1)
    err = dx - dy
    clear = int(1)
    n = int(0)
    while x != goal[i][0] or y != goal[i][1]:
        twice = 2 * err
        if twice > -dy:
            err -= dy
            x += sx
        if twice < dx:
            err += dx
            y += sy
        n += 1
        if present(reach):
            note("out of sight range|too far to see")
            if n > reach:
                clear = int(0)
                break
        note("walls block the view, but the target itself may be one|stop at the first wall")
        if wall[x, y] == 1 and (x != goal[i][0] or y != goal[i][1]):
            clear = int(0)
            break
    seen[i] = clear
    if present(steps_out):
        steps_out[i] = n
    if present(stop):
        stop[i] = wp.vec2i(x, y)


@scene("integer", "stencil", "control_flow", pixel,
       says="spreads the smallest label among connected pixels of the same class by one step",
       title="propagate_labels|label_components|component_step|min_label_step", algorithm="connected components by label propagation")
def label_step(labels: each(key), mask: each(state), around: maybe(setting(flag, 0, 1), 0.4), next_label: out(key), changed: maybe(add(count_value, 1), 0.6)):
    names(labels="labels|region_id|component_ids|seeds_in", mask="mask|foreground|binary_image|class_map", best="best|lowest|new_label|root_l", di="di|oy|dr|v_off", dj="dj|ox|dc|h_off", a="a|ni|row_n|yy", b="b|nj|col_n|xx", mine="mine|own|here|cur_class", around="around|eight_connected|use_diagonals|diagonal", next_label="next_label|labels_out|relabeled|new_ids")
    i, j = wp.tid()
    mine = mask[i, j]
    best = labels[i, j]
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            if present(around):
                note("diagonal pixels only where asked for|four or eight neighbours")
                if around == 0 and di != 0 and dj != 0:
                    continue
            else:
                if di * dj != 0:
                    continue
            a = i + di
            b = j + dj
            if a < 0 or b < 0 or a >= count(pixel, 0) or b >= count(pixel, 1):
                continue
            if mask[a, b] == mine:
                best = wp.min(best, labels[a, b])
    next_label[i, j] = best
    if present(changed):
        if best != labels[i, j]:
            wp.atomic_add(changed, 0, 1)


@scene("integer", "control_flow", "function", item,
       says="shuffles a deck of eight cards for each item by the method of Fisher and Yates, driven by a xorshift generator",
       title="shuffle_decks|fisher_yates|permute_cards|random_permutations", algorithm="Fisher-Yates shuffle")
def shuffle_decks(seeds: each(bits, range=(1, 65535)), salt: maybe(setting(bits, 1, 60000), 0.4), deck_out: out(index_value, item, 8), fixed_points: maybe(out(count_value), 0.5), inversions: maybe(out(count_value), 0.5)):
    names(seeds="seeds|stream_seed|rng_words|keys_in", s="s|state|rng|gen", deck="deck|perm|cards|order", k="k|last|remaining|hi", j="j|pick|draw|swap_with", t="t|held|card|tmp", same="same|stay|in_place|fixed_n", inv="inv|crossings|out_of_order|n_inv", deck_out="deck_out|permutations|shuffled|orders")
    i = wp.tid()
    s = seeds[i]
    if present(salt):
        s = (s ^ salt) | wp.uint32(1)
    deck = wp.zeros(shape=8, dtype=int)
    for c in range(8):
        deck[c] = c
    for c in range(7):
        note("choose among the cards that are left|from the back")
        k = 7 - c
        s = xorshift_word(s)
        j = int(s % wp.uint32(k + 1))
        t = deck[k]
        deck[k] = deck[j]
        deck[j] = t
    same = int(0)
    for c in range(8):
        deck_out[i, c] = deck[c]
        if deck[c] == c:
            same += 1
    if present(fixed_points):
        fixed_points[i] = same
    if present(inversions):
        note("pairs in the wrong order: its parity is that of the permutation|count inversions")
        inv = int(0)
        for a in range(7):
            for b in range(a + 1, 8):
                if deck[a] > deck[b]:
                    inv += 1
        inversions[i] = inv


@scene("integer", "control_flow", "nested_loop", item,
       says="writes out the permutation with a given number in lexicographic order",
       title="unrank_permutation|nth_permutation|factoradic_decode|permutation_of_rank", algorithm="unranking of permutations by the factorial number system")
def unrank_permutation(rank: each(key, range=(0, 719)), perm_out: out(index_value, item, 6), odd: maybe(out(flag), 0.6), moved: maybe(out(count_value), 0.4)):
    names(rank="rank|ordinals|lex_rank|indices_in", used="used|taken|chosen|busy", rest="rest|left_over|code|rem", f="f|fact|block|weight_f", d="d|digit|skip|lehmer", sign="sign|parity|swaps|odd_sum", c="c|cand|value_c|item_c", perm_out="perm_out|permutations|arrangements|orders_out")
    i = wp.tid()
    used = wp.zeros(shape=6, dtype=int)
    rest = int(rank[i])
    f = int(120)
    sign = int(0)
    displaced = int(0)
    for k in range(6):
        d = rest // f
        rest = rest % f
        sign += d
        note("take the d-th number that is still free|skip the used ones")
        c = int(0)
        while used[c] == 1 or d > 0:
            if used[c] == 0:
                d -= 1
            c += 1
        used[c] = 1
        perm_out[i, k] = c
        if c != k:
            displaced += 1
        if k < 5:
            f = f // (5 - k)
    if present(odd):
        note("the digits add up to the number of inversions|parity of the permutation")
        odd[i] = sign % 2
    if present(moved):
        moved[i] = displaced
