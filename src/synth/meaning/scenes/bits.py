"""Whole numbers: codes, hashes, masks, indices, searches in sorted lists."""


@scene("integer", "geometry", particle,
       says="computes the Morton code of each point from its position in a bounding box",
       title="morton_codes|compute_morton|z_order_keys", algorithm="30-bit Morton code")
def morton_codes(x: each(position), lower: setting(position, -2.5, -2.1), extent: setting(length, 4.4, 5.0),
                 code: out(bits), order: maybe(out(index_value), 0.4)):
    names(u="u|rel|unit|scaled", xi="xi|gx|cx|ix", yi="yi|gy|cy|iy", zi="zi|gz|cz|iz")
    i = wp.tid()
    note("map the box to the unit cube|normalise to [0, 1)")
    u = (x[i] - lower) / extent
    xi = wp.uint32(wp.clamp(u[0] * 1024.0, 0.0, 1023.0))
    yi = wp.uint32(wp.clamp(u[1] * 1024.0, 0.0, 1023.0))
    zi = wp.uint32(wp.clamp(u[2] * 1024.0, 0.0, 1023.0))
    note("interleave the bits: x in the highest place|three bits a level")
    code[i] = (spread_bits(xi) << wp.uint32(2)) | (spread_bits(yi) << wp.uint32(1)) | spread_bits(zi)
    if present(order):
        note("indices to be sorted along with the codes")
        order[i] = i


@scene("integer", "atomic", particle,
       says="hashes the grid cell of each particle into a table of fixed size and counts the particles of each slot",
       title="hash_cells|cell_keys|spatial_hash", algorithm="spatial hash by large primes")
def spatial_hash(cell_of: each(coordinate), seed: maybe(setting(bits, 1, 60000), 0.4), slots: add(count_value, bin), key_out: maybe(out(index_value), 0.7)):
    names(h="h|hash_value|mixed|bucket", px="px|hx|a|kx", py="py|hy|b|ky", slot="slot|at|key_i|place")
    i = wp.tid()
    px = wp.uint32(cell_of[i][0]) * wp.uint32(constant("PRIME_X|P1|HASH_PRIME_X", 73856093))
    py = wp.uint32(cell_of[i][1]) * wp.uint32(constant("PRIME_Y|P2|HASH_PRIME_Y", 19349663))
    h = px ^ py
    if present(seed):
        h = h ^ seed
    slot = int(h % wp.uint32(count(bin)))
    wp.atomic_add(slots, slot, 1)
    if present(key_out):
        key_out[i] = slot


@scene("integer", "control_flow", query,
       says="finds by binary search where each query belongs in a sorted list of keys",
       title="lower_bound|search_sorted|binary_search_keys", algorithm="binary search, lower bound")
def lower_bound(start: offsets(item), wanted: each(count_value, range=(0, 40)), place: out(index_value), found: maybe(out(flag), 0.6)):
    names(lo="lo|left|first|low", hi="hi|right|last|high", mid="mid|middle|m|half", target="target|needle|key|wanted_key")
    i = wp.tid()
    target = wanted[i]
    lo = int(0)
    hi = int(count(query))
    note("invariant: everything before lo is smaller, everything from hi on is not|classic half-open interval")
    while lo < hi:
        mid = (lo + hi) // 2
        if start[mid] < target:
            lo = mid + 1
        else:
            hi = mid
    place[i] = lo
    if present(found):
        if start[lo] == target:
            found[i] = 1
        else:
            found[i] = 0


@scene("integer", "reduction", "nested_loop", row,
       says="counts the set bits of the words of each row",
       title="row_popcount|count_set_bits|bitmap_cardinality", algorithm="population count")
def row_popcount(words: each(bits, row, column), mask: maybe(setting(bits, 255, 65535), 0.4), total_out: out(count_value), first: maybe(out(index_value), 0.4)):
    names(total="total|n|ones|bits_set", w="w|word|v|cur", seen="seen|first_word|lead|top")
    r = wp.tid()
    total = int(0)
    if present(first):
        seen = int(-1)
    for c in range(count(column)):
        w = words[r, c]
        if present(mask):
            w = w & mask
        if present(first):
            if w != wp.uint32(0) and seen < 0:
                seen = c
        if allows(wp.bit_count) and maybe(0.6):
            total += wp.bit_count(w)
        else:
            match choose():
                case 2:
                    note("clear the lowest set bit until none is left|Kernighan's loop")
                    while w != wp.uint32(0):
                        w = w & (w - wp.uint32(1))
                        total += 1
                case 2:
                    for b in range(16):
                        total += int((w >> wp.uint32(b)) & wp.uint32(1))
    total_out[r] = total
    if present(first):
        first[r] = seen


@scene("integer", "control_flow", item,
       says="splits the flat index of each item into row and column{layer_out: and layer} of a padded grid and marks what is not padding",
       title="unravel_index|split_index|flat_to_grid", algorithm="unravelling a flat index")
def unravel(flat: each(key, range=(0, 90)), cols: setting(capacity_value, 5, 8), rows_n: setting(capacity_value, 4, 6), pad: setting(steps_value, 1, 1), cell_out: out(coordinate),
            layer_out: maybe(out(index_value), 0.6), inside: out(flag)):
    names(c="c|col|x|cx", r="r|row|y|cy", layer="layer|z|slab|plane", rest="rest|q|tail|remaining")
    i = wp.tid()
    c = flat[i] % cols
    rest = flat[i] // cols
    r = rest % rows_n
    layer = rest // rows_n
    cell_out[i] = wp.vec2i(c, r)
    if present(layer_out):
        layer_out[i] = layer
    note("a rim of ghost cells on every side|halo cells are not owned")
    if c < pad or c >= cols - pad or r < pad or r >= rows_n - pad:
        inside[i] = 0
    else:
        inside[i] = 1


@scene("integer", "atomic", "control_flow", item,
       says="compacts the values that pass a test into the front of a list, in any order, by an atomic counter",
       title="compact_active|stream_compaction|collect_survivors", algorithm="stream compaction", lossy=True)
def compact(x: each(value), limit: setting(value, -0.5, 0.8), alive: maybe(each(flag), 0.4), counter: add(count_value, 1), kept: out(value)):
    names(slot="slot|at|where|dst", v="v|xi|cur|val")
    i = wp.tid()
    if present(alive):
        if alive[i] == 0:
            return
    v = x[i]
    if v <= limit:
        return
    note("reserve a place|the counter hands out places")
    slot = wp.atomic_add(counter, 0, 1)
    kept[slot] = v


@scene("integer", "stencil", cell,
       says="advances a cellular automaton by one generation of Conway's rules on a torus",
       title="life_step|game_of_life|automaton_step", algorithm="Conway's Game of Life")
def life(alive: each(state), born: maybe(add(count_value, 1), 0.4), after: out(state)):
    names(n="n|live|neighbors|alive_around", di="di|dy|oi|r", dj="dj|dx|oj|s", now="now|was|cur|self_state")
    i, j = wp.tid()
    n = int(0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di != 0 or dj != 0:
                note("wrap around at the borders|torus: neighbours across the edge count")
                n += alive[(i + di + count(cell, 0)) % count(cell, 0), (j + dj + count(cell, 1)) % count(cell, 1)]
    now = alive[i, j]
    match choose():
        case 2:
            if now == 1 and (n == 2 or n == 3):
                after[i, j] = 1
            elif now == 0 and n == 3:
                after[i, j] = 1
                if present(born):
                    wp.atomic_add(born, 0, 1)
            else:
                after[i, j] = 0
        case 2:
            note("three makes life, two keeps it|born with three, survives with two")
            if n == 3:
                after[i, j] = 1
                if present(born):
                    if now == 0:
                        wp.atomic_add(born, 0, 1)
            elif n == 2:
                after[i, j] = now
            else:
                after[i, j] = 0


@scene("integer", "matrix", "nested_loop", row,
       says="multiplies a sparse matrix in compressed row form by a vector",
       title="csr_matvec|spmv|sparse_matvec", algorithm="sparse matrix-vector product", rare=True)
def spmv(start: offsets(item), col: index(column, over=item), val: each(value, item), x: each(value, column), scale: maybe(setting(value, 0.5, 1.5), 0.4),
         offset: maybe(each(value), 0.4), y: out(value)):
    names(acc="acc|s|dot_row|total", k="k|jj|e|nz", lo="lo|row_begin|first|k0", hi="hi|row_end|last|k1")
    r = wp.tid()
    acc = float(0.0)
    lo = start[r]
    hi = start[r + 1]
    for k in range(lo, hi):
        acc += val[k] * x[col[k]]
    if present(scale):
        acc = acc * scale
    if present(offset):
        y[r] = offset[r] - acc
    else:
        y[r] = acc
