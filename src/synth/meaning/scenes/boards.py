"""Boards of games and automata: bitboards, grids of kinds, small searches."""


@law("codes", "whether four bits in a row are set along one direction of a board with a spare row", title="has_four|four_along|line_of_four", private=True, function=True)
def four_along(b: bitboard, step: bitboard) -> truth:
    names(pair="pair|two|m")
    pair = b & (b >> step)
    return (pair & (pair >> (step + step))) != wp.uint64(0)


@law("codes", "how many bits of a long word are set", title="popcount64|count_squares|board_count", private=True, function=True, builtin="bit_count")
def squares_set(b: bitboard) -> count_value:
    names(left="left|rest|w", n="n|total|ones")
    left = wp.uint64(b)
    n = int(0)
    note("each step clears the lowest bit|Kernighan's loop")
    while left != wp.uint64(0):
        left = left & (left - wp.uint64(1))
        n += 1
    return n


@scene("integer", "multi_conditional", "function", row,
       says="finds out for each game of four in a row who has won, from the bits of the two players, and which columns can still be played",
       title="four_in_a_row|connect_four_status|score_boards|judge_games", algorithm="four in a row on bitboards")
def four_in_a_row(first: each(bitboard), second: each(bitboard), weight: maybe(setting(count_value, 2, 9), 0.5), status: out(kind_value), open_out: maybe(out(count_value), 0.6), wins: maybe(add(count_value, 3), 0.5), eval_out: maybe(out(key), 1.0)):
    names(first="first|red|player_a|white", second="second|yellow|player_b|black", a="a|mine|bits_a|own", b="b|theirs|bits_b|other", who="who|winner|result_w|victor", all_set="all_set|taken|occupied|both", free="free|playable|open_cols|moves_left", mid="mid|centre|middle|center_col")
    i = wp.tid()
    a = first[i]
    note("a square cannot belong to both|the second player has the rest")
    b = second[i] & ~a
    who = int(0)
    if four_along(a, wp.uint64(1)) or four_along(a, wp.uint64(7)) or four_along(a, wp.uint64(6)) or four_along(a, wp.uint64(8)):
        who = 1
    elif four_along(b, wp.uint64(1)) or four_along(b, wp.uint64(7)) or four_along(b, wp.uint64(6)) or four_along(b, wp.uint64(8)):
        who = 2
    status[i] = who
    if present(wins):
        wp.atomic_add(wins, who, 1)
    all_set = a | b
    if present(open_out):
        free = int(0)
        for c in range(7):
            note("the top square of the column is empty|column not full")
            if ((all_set >> wp.uint64(7 * c + 5)) & wp.uint64(1)) == wp.uint64(0):
                free += 1
        open_out[i] = free
    if present(weight) and present(eval_out):
        note("stones in the third column count more|prefer the middle")
        mid = wp.uint64(63) << wp.uint64(14)
        eval_out[i] = squares_set(a) - squares_set(b) + weight * (squares_set(a & mid) - squares_set(b & mid))


@scene("integer", "nested_loop", "reduction", row,
       says="collects for each number puzzle the digits that are taken in its rows, columns and boxes, counts conflicts and the cells with a single candidate left",
       title="sudoku_masks|puzzle_candidates|check_sudoku|naked_singles", algorithm="Sudoku candidates by bit masks", rare=True)
def sudoku_masks(puzzle: each(key, row, 9, 9, range=(0, 9)), hard: maybe(setting(count_value, 3, 6), 0.4), singles: out(count_value), clash: out(count_value), cells_left: maybe(out(count_value), 0.5), many: maybe(out(count_value), 1.0)):
    names(puzzle="puzzle|givens|boards_in|grids", in_row="in_row|row_mask|rows_used|r_bits", in_col="in_col|col_mask|cols_used|c_bits", in_box="in_box|box_mask|boxes_used|b_bits", bit="bit|digit_bit|flag_d|m", free="free|cand|left_mask|options", box="box|block|q|sq", hard="hard|wide|min_choices|open_from")
    r = wp.tid()
    in_row = wp.zeros(shape=9, dtype=int)
    in_col = wp.zeros(shape=9, dtype=int)
    in_box = wp.zeros(shape=9, dtype=int)
    bad = int(0)
    for y in range(9):
        for x in range(9):
            if puzzle[r, y, x] == 0:
                continue
            bit = 1 << puzzle[r, y, x]
            box = y // 3 * 3 + x // 3
            if ((in_row[y] | in_col[x] | in_box[box]) & bit) != 0:
                note("the digit was there before|a repeated digit")
                bad += 1
            in_row[y] = in_row[y] | bit
            in_col[x] = in_col[x] | bit
            in_box[box] = in_box[box] | bit
    alone = int(0)
    empty = int(0)
    wide = int(0)
    for y in range(9):
        for x in range(9):
            if puzzle[r, y, x] != 0:
                continue
            empty += 1
            note("bits 1 to 9 stand for the digits|digits that nobody has")
            free = ~(in_row[y] | in_col[x] | in_box[y // 3 * 3 + x // 3]) & 0x3FE
            match choose("single"):
                case 2:
                    note("a power of two has one bit|exactly one candidate")
                    if free != 0 and (free & (free - 1)) == 0:
                        alone += 1
                case 1:
                    if ones_in_word(wp.uint32(free)) == 1:
                        alone += 1
            if present(hard) and present(many):
                if ones_in_word(wp.uint32(free)) >= hard:
                    wide += 1
    singles[r] = alone
    if present(clash):
        clash[r] = bad
    if present(cells_left):
        cells_left[r] = empty
    if present(hard) and present(many):
        many[r] = wide


@scene("integer", "control_flow", "nested_loop", row,
       says="counts by backtracking the ways to place five queens on each board so that none attacks another and none stands on a blocked square",
       title="count_queens|queens_backtrack|place_queens|queen_solutions", algorithm="n queens by bit masks", rare=True)
def count_queens(blocked: each(bits, row, 5, range=(0, 31)), thin: maybe(each(bits, range=(0, 31)), 0.5), ways: out(count_value), first_out: maybe(out(index_value), 0.5), tried: maybe(out(count_value), 0.5), none_n: maybe(add(count_value, 1), 0.4)):
    names(blocked="blocked|holes|forbidden|closed", avail="avail|open_sq|choices|todo", cols="cols|col_used|files|down", left="left|diag_l|ld|minus", right="right|diag_r|rd|plus", depth="depth|level|rank_d|y", bit="bit|pick|queen|q", total="total|found|solutions|n_ways", nodes="nodes|steps|visited|placed", thin="thin|unblock|opened|pardon")
    r = wp.tid()
    avail = wp.zeros(shape=6, dtype=int)
    cols = wp.zeros(shape=6, dtype=int)
    left = wp.zeros(shape=6, dtype=int)
    right = wp.zeros(shape=6, dtype=int)
    depth = int(0)
    total = int(0)
    nodes = int(0)
    opening = int(-1)
    if present(thin):
        note("some squares are freed|a pardon for blocked squares")
        avail[0] = 31 & ~int(blocked[r, 0] & ~thin[r])
    else:
        avail[0] = 31 & ~int(blocked[r, 0])
    while depth >= 0:
        if avail[depth] == 0:
            note("nothing left here: go back|backtrack")
            depth -= 1
            continue
        note("the lowest free square|take one bit")
        bit = avail[depth] & (0 - avail[depth])
        avail[depth] = avail[depth] & (avail[depth] - 1)
        nodes += 1
        if depth == 4:
            total += 1
            if opening < 0:
                opening = nodes
            continue
        cols[depth + 1] = cols[depth] | bit
        left[depth + 1] = (left[depth] | bit) << 1
        right[depth + 1] = (right[depth] | bit) >> 1
        depth += 1
        if present(thin):
            avail[depth] = 31 & ~(cols[depth] | left[depth] | right[depth] | int(blocked[r, depth] & ~thin[r]))
        else:
            avail[depth] = 31 & ~(cols[depth] | left[depth] | right[depth] | int(blocked[r, depth]))
    ways[r] = total
    if present(tried):
        tried[r] = nodes
    if present(first_out):
        fact("it also says how many queens were set before the first solution was complete")
        first_out[r] = opening
    if present(none_n):
        if total == 0:
            wp.atomic_add(none_n, 0, 1)


@scene("integer", "stencil", "multi_conditional", cell,
       says="advances a wire automaton by one step: a head becomes a tail, a tail a wire, and a wire a head where one or two neighbours are heads",
       title="wireworld_step|advance_wires|electron_step|wire_automaton", algorithm="Wireworld")
def wireworld_step(now: kind(EMPTY, HEAD, TAIL, WIRE), cut: maybe(each(flag), 0.3), then: out(kind_value), fired: maybe(add(count_value, 1), 0.5), heads_out: maybe(out(count_value), 0.4)):
    names(now="now|cells_in|wires|old_state", then="then|cells_out|next_state|new_state", heads="heads|n_heads|excited|near_heads", cut="cut|broken|damaged|severed", fired="fired|num_fired|activity|pulses", y="y|yy|ni|row_n", x="x|xx|nj|col_n")
    i, j = wp.tid()
    heads = int(0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            match choose("edge"):
                case 2:
                    y = i + di
                    x = j + dj
                    if y < 0 or x < 0 or y >= count(cell, 0) or x >= count(cell, 1):
                        continue
                    if now[y, x] == HEAD:
                        heads += 1
                case 1:
                    note("the board wraps around|torus")
                    y = (i + di + count(cell, 0)) % count(cell, 0)
                    x = (j + dj + count(cell, 1)) % count(cell, 1)
                    if now[y, x] == HEAD:
                        heads += 1
    if present(heads_out):
        heads_out[i, j] = heads
    if present(cut):
        if cut[i, j] == 1:
            fact("damaged cells do not conduct")
            then[i, j] = EMPTY
            return
    if now[i, j] == HEAD:
        then[i, j] = TAIL
    elif now[i, j] == TAIL:
        then[i, j] = WIRE
    elif now[i, j] == WIRE and (heads == 1 or heads == 2):
        then[i, j] = HEAD
        if present(fired):
            wp.atomic_add(fired, 0, 1)
    else:
        then[i, j] = now[i, j]


@law("codes", "four directions of a gas cell after a collision: two that meet head-on leave at right angles", title="collide_cell|hpp_collision|scatter_pairs", private=True, function=True)
def hpp_collide(w: bits) -> bits:
    if w == wp.uint32(5):
        return wp.uint32(10)
    if w == wp.uint32(10):
        return wp.uint32(5)
    return w


@scene("integer", "stencil", "function", cell,
       says="moves a lattice gas by one step: particles that meet head-on turn by a right angle, then all go on to the next cell",
       title="lattice_gas_step|hpp_step|gas_automaton|stream_gas", algorithm="HPP lattice gas")
def lattice_gas(gas: each(bits, range=(0, 15)), wall: maybe(each(flag), 0.4), moved: out(bits), mass_out: maybe(out(count_value), 0.5), flow_out: maybe(out(count_value), 0.4), total: maybe(add(count_value, 1), 0.4)):
    names(gas="gas|occupancy|particles_in|lattice", wall="wall|solid|obstacle|blocked", got="got|arrived|incoming|gathered", up="up|north|i_prev|above", down="down|south|i_next|below", west="west|left_n|j_prev|lhs", east="east|right_n|j_next|rhs", total="total|mass_total|num_particles|sum_mass")
    i, j = wp.tid()
    up = (i + count(cell, 0) - 1) % count(cell, 0)
    down = (i + 1) % count(cell, 0)
    west = (j + count(cell, 1) - 1) % count(cell, 1)
    east = (j + 1) % count(cell, 1)
    note("bit 0 goes up, 1 right, 2 down, 3 left: each comes from the cell opposite|gather from four sides")
    got = hpp_collide(gas[down, j]) & wp.uint32(1)
    got = got | (hpp_collide(gas[i, west]) & wp.uint32(2))
    got = got | (hpp_collide(gas[up, j]) & wp.uint32(4))
    got = got | (hpp_collide(gas[i, east]) & wp.uint32(8))
    if present(wall):
        if wall[i, j] == 1:
            note("back where it came from|reverse every direction")
            fact("walls throw particles back")
            got = ((got << wp.uint32(2)) | (got >> wp.uint32(2))) & wp.uint32(15)
    moved[i, j] = got
    if present(mass_out):
        mass_out[i, j] = ones_in_word(got)
    if present(flow_out):
        note("to the right minus to the left|net flow along the row")
        flow_out[i, j] = int((got >> wp.uint32(1)) & wp.uint32(1)) - int((got >> wp.uint32(3)) & wp.uint32(1))
    if present(total):
        wp.atomic_add(total, 0, ones_in_word(got))


@scene("integer", "function", "scalar_param", row,
       says="computes the squares that the {piece=0:knights}{piece=1:kings} of each bitboard attack, and those of the enemy among them",
       title="leaper_attacks|attack_masks|knight_attacks|attacked_squares", algorithm="leaper attacks on bitboards")
def leaper_attacks(pieces: each(bitboard, range=(0, 1900000000)), enemy: maybe(each(bitboard, range=(0, 1900000000)), 0.7), attacks: out(bitboard), hits: maybe(out(count_value), 1.0), reach_out: maybe(out(count_value), 0.5), pinned: maybe(each(bitboard), 0.3)):
    names(pieces="pieces|knights|leapers|own_men", enemy="enemy|their_men|opponent|targets", one_l="one_l|west1|l1|left_one", one_r="one_r|east1|r1|right_one", two_l="two_l|west2|l2|left_two", two_r="two_r|east2|r2|right_two", got="got|mask|seen|reach", p="p|men|from_sq|src", row_m="row_m|band|line|own_row", pinned="pinned|stuck|immobile|tied")
    i = wp.tid()
    p = wp.uint64(pieces[i])
    if present(pinned):
        note("pinned men cannot move|tied men attack nothing here")
        p = p & ~pinned[i]
    note("masks keep men from wrapping round the edge|drop the files that would wrap")
    one_l = (p >> wp.uint64(1)) & wp.uint64(0x7F7F7F7F7F7F7F7F)
    one_r = (p << wp.uint64(1)) & wp.uint64(0xFEFEFEFEFEFEFEFE)
    match choose("piece"):
        case 2:
            two_l = (p >> wp.uint64(2)) & wp.uint64(0x3F3F3F3F3F3F3F3F)
            two_r = (p << wp.uint64(2)) & wp.uint64(0xFCFCFCFCFCFCFCFC)
            got = ((one_l | one_r) << wp.uint64(16)) | ((one_l | one_r) >> wp.uint64(16))
            got = got | ((two_l | two_r) << wp.uint64(8)) | ((two_l | two_r) >> wp.uint64(8))
        case 1:
            row_m = p | one_l | one_r
            got = one_l | one_r | (row_m << wp.uint64(8)) | (row_m >> wp.uint64(8))
    attacks[i] = got
    if present(reach_out):
        reach_out[i] = squares_set(got & ~p)
    if present(enemy) and present(hits):
        hits[i] = squares_set(got & enemy[i])


@scene("integer", "control_flow", "nested_loop", row,
       says="slides the tiles of each row to the left, merges equal neighbours once, and adds up the points",
       title="slide_rows|merge_tiles|push_left|move_tiles", algorithm="sliding and merging of tiles")
def slide_tiles(tile: inout(key, row, 6, range=(0, 3)), points: out(key), moved: maybe(out(flag), 0.6), gaps: maybe(out(count_value), 0.5), best: maybe(add(key, 1, range=(0, 0)), 0.4)):
    names(tile="tile|tiles|line_in|exponents", at="at|dst|write_k|fill", can="can|open_m|may_merge|fresh", score="score|gain|pts|earned", v="v|t|cur|tile_v", changed="changed|any_move|shifted|did", best="best|top_tile|max_tile|highest")
    r = wp.tid()
    at = int(0)
    can = int(0)
    score = int(0)
    changed = int(0)
    for k in range(6):
        v = tile[r, k]
        if v == 0:
            continue
        note("a tile that was merged is not merged again|one merge per tile")
        if can == 1 and tile[r, at - 1] == v:
            tile[r, at - 1] = v + 1
            match choose("points"):
                case 2:
                    score += 1 << (v + 1)
                case 1:
                    fact("a merge gives as many points as the new tile has steps")
                    score += v + 1
            can = 0
            changed = 1
            if present(best):
                wp.atomic_max(best, 0, v + 1)
        else:
            if at != k:
                changed = 1
            tile[r, at] = v
            at += 1
            can = 1
    points[r] = score
    if present(moved):
        moved[r] = changed
    if present(gaps):
        gaps[r] = 6 - at
    while at < 6:
        tile[r, at] = 0
        at += 1


@scene("integer", "stencil", "control_flow", cell,
       says="tells the player of a mine field what each cell shows, and whether enough neighbours are marked to open the rest",
       title="mine_field|mine_hints|count_mines|reveal_cells", algorithm="neighbour counts of a mine field")
def mine_field(mine: each(mine_flag), mark: maybe(each(flag), 0.6), shown: out(key), chord: maybe(out(flag), 1.0), wrong: maybe(add(count_value, 1), 0.5), zeros_n: maybe(add(count_value, 1), 0.4)):
    names(mine="mine|mines|bombs|has_mine", mark="mark|flags_set|marked|player_flags", near="near|around|hint_n|n_mines", flagged="flagged|n_marks|marked_near|set_n", shown="shown|hints|face_up|display", chord="chord|can_open|satisfied|autoplay", wrong="wrong|bad_marks|false_flags|mistakes")
    i, j = wp.tid()
    near = int(0)
    flagged = int(0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if i + di < 0 or j + dj < 0 or i + di >= count(cell, 0) or j + dj >= count(cell, 1):
                continue
            if di == 0 and dj == 0:
                continue
            near += mine[i + di, j + dj]
            if present(mark) and present(chord):
                flagged += mark[i + di, j + dj]
    if mine[i, j] == 1:
        note("minus one is a mine")
        shown[i, j] = -1
    else:
        shown[i, j] = near
        if present(zeros_n):
            if near == 0:
                wp.atomic_add(zeros_n, 0, 1)
    if present(mark) and present(chord):
        if mine[i, j] == 0 and near > 0 and flagged == near:
            chord[i, j] = 1
        else:
            chord[i, j] = 0
    if present(mark) and present(wrong):
        if mark[i, j] == 1 and mine[i, j] == 0:
            wp.atomic_add(wrong, 0, 1)


@scene("integer", "control_flow", "struct", agent,
       says="lets an ant walk over its own board of eight by eight cells: it turns right on white cells, left on black ones, flips the cell and steps on",
       title="langton_ants|walk_ants|ant_steps|turning_ants", algorithm="Langton's ant")
def langton_ants(board: inout(bitboard), place: inout(index_value, range=(0, 63)), heading: inout(index_value, range=(0, 3)), steps: setting(steps_value, 3, 12), black_out: maybe(out(count_value), 0.5), flips: maybe(add(count_value, 64), 0.4)):
    names(board="board|worlds|cells64|bit_world", place="place|ant_at|positions_sq|squares", heading="heading|facing|dirs|looking", w="w|bits_w|world|b", at="at|sq|here|cell_n", d="d|dir_k|face|h", x="x|col|px|file", y="y|line|py|rank_y", bit="bit|mask|here_bit|m")
    i = wp.tid()
    w = wp.uint64(board[i])
    at = int(place[i])
    d = int(heading[i])
    for k in range(steps):
        bit = wp.uint64(1) << wp.uint64(at)
        if (w & bit) == wp.uint64(0):
            note("white: to the right")
            d = (d + 1) % 4
        else:
            note("black: to the left")
            d = (d + 3) % 4
        w = w ^ bit
        if present(flips):
            wp.atomic_add(flips, at, 1)
        x = at % 8
        y = at // 8
        note("the board wraps around|torus")
        if d == 0:
            y = (y + 7) % 8
        elif d == 1:
            x = (x + 1) % 8
        elif d == 2:
            y = (y + 1) % 8
        else:
            x = (x + 7) % 8
        at = y * 8 + x
    board[i] = w
    place[i] = at
    heading[i] = d
    if present(black_out):
        black_out[i] = squares_set(w)


@scene("integer", "stencil", "scalar_param", cell,
       says="advances a cyclic automaton: a cell takes the next colour when enough neighbours have it already",
       title="cyclic_cells|cyclic_automaton|colour_chase|advance_cycle", algorithm="cyclic cellular automaton")
def cyclic_cells(now: each(label), colours: setting(label, 3, 5), need: setting(count_value, 1, 2), frozen: maybe(each(flag), 0.3), then: out(label), changed: maybe(add(count_value, 1), 0.5), support: maybe(out(count_value), 0.4)):
    names(now="now|phase_in|colours_in|old_cells", then="then|phase_out|colours_out|new_cells", colours="colours|num_states|n_colors|cycle_len", need="need|threshold_n|min_near|quorum", mine="mine|own|here|c0", goal="goal|successor|next_c|want", n="n|eaters|votes_n|near_n", changed="changed|num_changed|updates_n|moves")
    i, j = wp.tid()
    mine = now[i, j] % colours
    goal = (mine + 1) % colours
    n = int(0)
    match choose("around"):
        case 2:
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if now[(i + di + count(cell, 0)) % count(cell, 0), (j + dj + count(cell, 1)) % count(cell, 1)] % colours == goal:
                        n += 1
        case 1:
            note("four neighbours|von Neumann neighbourhood")
            if now[(i + 1) % count(cell, 0), j] % colours == goal:
                n += 1
            if now[(i + count(cell, 0) - 1) % count(cell, 0), j] % colours == goal:
                n += 1
            if now[i, (j + 1) % count(cell, 1)] % colours == goal:
                n += 1
            if now[i, (j + count(cell, 1) - 1) % count(cell, 1)] % colours == goal:
                n += 1
    if present(support):
        support[i, j] = n
    if present(frozen):
        if frozen[i, j] == 1:
            fact("frozen cells keep their colour")
            then[i, j] = mine
            return
    if n >= need:
        then[i, j] = goal
        if present(changed):
            wp.atomic_add(changed, 0, 1)
    else:
        then[i, j] = mine


@scene("integer", "multi_conditional", "nested_loop", row,
       says="judges each board of three by three squares: who has a line, and where the first player should go next, to win, to block, or else to the centre or the first free square",
       title="noughts_crosses|three_in_a_row|advise_moves|judge_small_boards", algorithm="rules of noughts and crosses", rare=True)
def noughts_crosses(square: each(key, row, 9, range=(0, 2)), winner: out(kind_value), move: maybe(out(index_value), 0.8), threats: maybe(out(count_value), 0.5), full: maybe(add(count_value, 1), 0.4)):
    names(square="square|squares|marks|board_cells", a="a|q0|first_sq|s0", x="x|crosses|n_x|mine_n", o="o|noughts|n_o|their_n", won="won|victor|who|owner", best="best|go_to|advice|choice_sq", rank="rank|prio|urgency|grade", hole="hole|gap|open_sq|free_at")
    r = wp.tid()
    won = int(0)
    best = int(-1)
    rank = int(0)
    danger = int(0)
    for k in range(8):
        x = int(0)
        o = int(0)
        hole = int(-1)
        for m in range(3):
            note("three rows, three columns, two diagonals|the eight lines")
            if k < 3:
                a = 3 * k + m
            elif k < 6:
                a = 3 * m + k - 3
            elif k == 6:
                a = 4 * m
            else:
                a = 2 * m + 2
            if square[r, a] == 1:
                x += 1
            elif square[r, a] == 2:
                o += 1
            else:
                hole = a
        if x == 3 and won == 0:
            won = 1
        elif o == 3 and won == 0:
            won = 2
        if hole < 0:
            continue
        if x == 2 and o == 0 and rank < 3:
            note("complete the line|win")
            best = hole
            rank = 3
        elif o == 2 and x == 0:
            danger += 1
            if rank < 2:
                note("stop the other|block")
                best = hole
                rank = 2
    winner[r] = won
    if present(threats):
        threats[r] = danger
    free = int(0)
    for k in range(9):
        if square[r, k] == 0:
            free += 1
            if rank < 1:
                note("the first free square will do")
                best = k
                rank = 1
    if present(move):
        if won != 0:
            fact("no move is given in a game that is over")
            move[r] = -1
        elif rank == 1 and square[r, 4] == 0:
            note("otherwise the centre")
            move[r] = 4
        else:
            move[r] = best
    if present(full):
        if free == 0:
            wp.atomic_add(full, 0, 1)


@scene("integer", "control_flow", "reduction", row,
       says="sows the seeds of one pit of each board around it, and takes the opposite seeds when the last one falls into an empty pit of one's own",
       title="sow_seeds|kalah_moves|mancala_step|play_pits", algorithm="a move of Kalah")
def sow_seeds(pit: inout(count_value, row, 14, range=(0, 6)), choice: each(index_value, range=(0, 5)), again: maybe(out(flag), 0.7), taken: maybe(out(count_value), 0.6), illegal: maybe(add(count_value, 1), 0.5), lead: maybe(out(count_value), 0.4)):
    names(pit="pit|seeds_in|board_pits|stones", choice="choice|moves_in|picked|start_pit", hand="hand|left|n_seeds|carry", at="at|pos|where_k|k", caught="caught|captured|won_n|haul", again="again|extra_turn|free_move|repeats", across="across|opp|mirror|facing_pit", illegal="illegal|bad_moves|empty_picks|refused")
    r = wp.tid()
    at = int(choice[r])
    hand = int(pit[r, at])
    if hand == 0:
        note("an empty pit cannot be played|no seeds to sow")
        if present(illegal):
            wp.atomic_add(illegal, 0, 1)
        return
    pit[r, at] = 0
    while hand > 0:
        at = (at + 1) % 14
        note("the store of the other player is left out|skip their store")
        if at == 13:
            continue
        pit[r, at] = pit[r, at] + 1
        hand -= 1
    caught = int(0)
    if at < 6:
        across = 12 - at
        if pit[r, at] == 1 and pit[r, across] > 0:
            note("the last seed and those opposite go to the store|capture")
            caught = pit[r, across] + 1
            pit[r, 6] = pit[r, 6] + caught
            pit[r, at] = 0
            pit[r, across] = 0
    if present(taken):
        taken[r] = caught
    if present(again):
        if at == 6:
            fact("a last seed in the store gives another turn")
            again[r] = 1
        else:
            again[r] = 0
    if present(lead):
        lead[r] = pit[r, 6] - pit[r, 13]


@scene("integer", "nested_loop", "stencil", cell,
       says="counts for each free square how many stones of the other colour a stone there would turn, looking in all eight directions",
       title="reversi_flips|othello_moves|flip_counts|turned_stones", algorithm="moves of Reversi")
def reversi_flips(board: kind(FREE, OWN, OTHER), closed: maybe(each(flag), 0.3), flips_out: out(count_value), legal: maybe(add(count_value, 1), 0.5), best: maybe(add(count_value, 1, range=(0, 0)), 0.5), lines_out: maybe(out(count_value), 0.4)):
    names(board="board|stones|discs|squares", total="total|turned|gain_n|flipped", run="run|length_r|chain_n|n_other", y="y|ny|row_k|yy", x="x|nx|col_k|xx", closed="closed|off_board|blocked|hole", lines="lines|good_dirs|n_lines|dirs_n", best="best|most_flips|greedy|max_flips")
    i, j = wp.tid()
    total = int(0)
    lines = int(0)
    if board[i, j] != FREE:
        flips_out[i, j] = 0
        if present(lines_out):
            lines_out[i, j] = 0
        return
    if present(closed):
        if closed[i, j] == 1:
            flips_out[i, j] = 0
            if present(lines_out):
                lines_out[i, j] = 0
            return
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di == 0 and dj == 0:
                continue
            y = i + di
            x = j + dj
            run = int(0)
            note("over stones of the other colour|walk on")
            while y >= 0 and x >= 0 and y < count(cell, 0) and x < count(cell, 1):
                if board[y, x] != OTHER:
                    break
                run += 1
                y += di
                x += dj
            note("they are turned only if one's own stone closes the line|bracketed by an own stone")
            if y >= 0 and x >= 0 and y < count(cell, 0) and x < count(cell, 1) and run > 0:
                if board[y, x] == OWN:
                    total += run
                    lines += 1
    flips_out[i, j] = total
    if present(lines_out):
        lines_out[i, j] = lines
    if total > 0:
        if present(legal):
            wp.atomic_add(legal, 0, 1)
        if present(best):
            wp.atomic_max(best, 0, total)
