"""Numbering and assembly: cells of grids, triplets, quadrature points, products of sparse matrices, hash tables."""


@law("assembly", "the place of a cell along x and y of a grid whose cells are counted along z first", title="cell_coords_xy|unravel_xy|split_cell", private=True, function=True)
def cell_row_column(c: cell_number, ny: count_value, nz: count_value) -> (index_value, index_value):
    names(plane="plane|slab|per_x")
    plane = ny * nz
    return c // plane, (c // nz) % ny


@law("assembly", "the number of a node of a grid that has one node more than cells along each axis", title="node_index|ravel_node|grid_node", private=True, function=True)
def grid_node_number(i: index_value, j: index_value, k: index_value, ny: count_value, nz: count_value) -> node_number:
    return (i * (ny + 1) + j) * (nz + 1) + k


@law("assembly", "where a key would like to be in a table of a power of two of slots", title="hash_slot|home_slot|bucket_id", private=True, function=True)
def home_slot(key: slot_key, mask: index_value) -> index_value:
    names(h="h|mixed|k")
    h = key * 7 + (key >> 3)
    return h & mask


@law("assembly", "the quadratic shape function of one of three nodes on an edge, at a place from minus one to one", title="edge_shape|quadratic_shape|lagrange2", private=True, function=True)
def quadratic_edge_shape(node: index_value, s: natural_x) -> shape_value:
    if node == 0:
        return 0.5 * s * (s - 1.0)
    if node == 1:
        return 1.0 - s * s
    return 0.5 * s * (s + 1.0)


@scene("integer", "fem", "function", "nested_loop", element,
       says="lists the eight corner nodes of each active cell of a box grid",
       title="grid_connectivity|hex_cell_nodes|number_grid_cells|build_hex_nodes", algorithm="node numbering of a box grid", rare=True)
def grid_connectivity(cells: each(cell_number, range=(0, 251)), nx: setting(count_value, 7, 9), ny: setting(count_value, 6, 8), nz: setting(count_value, 6, 8), h: setting(cell_size), origin: maybe(setting(position, -1.0, 1.0), 0.6), nodes: out(node_number, element, 8), mid: maybe(out(position), 0.7), border: maybe(out(flag), 0.5)):
    names(c="c|cell_id|cid|lin", i="i|ix|cx|gi", j="j|iy|cy|gj", k="k|iz|cz|gk", a="a|corner|loc|n", edge_="on_edge|on_rim|outer|on_border")
    e = wp.tid()
    c = cells[e]
    i, j = cell_row_column(c, ny, nz)
    k = c % nz
    for a in range(8):
        note("corner bits: x first, then y, then z|offsets of the corner")
        nodes[e, a] = grid_node_number(i + (a & 1), j + ((a >> 1) & 1), k + (a >> 2), ny, nz)
    if present(mid):
        if present(origin):
            mid[e] = origin + wp.vec3(float(i) + 0.5, float(j) + 0.5, float(k) + 0.5) * h
        else:
            mid[e] = wp.vec3(float(i) + 0.5, float(j) + 0.5, float(k) + 0.5) * h
    if present(border):
        edge_ = int(0)
        if i == 0 or j == 0 or k == 0 or i == nx - 1 or j == ny - 1 or k == nz - 1:
            edge_ = int(1)
        border[e] = edge_


@scene("fem", "nested_loop", "matrix", "integer", element,
       says="computes the three by three stiffness of each linear triangle for a conductivity that differs along the two axes and writes its entries as triplets",
       title="stiffness_triplets|triangle_stiffness_triplets|assemble_stiffness_triplets", algorithm="linear triangle stiffness as triplets", rare=True)
def stiffness_triplets(x: each(point2, node), tri: index(node, 3), kx: each(conductivity), ky: each(conductivity), react: maybe(setting(reaction_rate, 0.1, 1.0), 0.5), held: maybe(each(flag, node), 0.4), rows_out: out(triplet_row, element, 9), cols_out: out(triplet_row, element, 9), vals_out: out(triplet_value, element, 9)):
    names(b="b|bx", c="c|cx", area2="area2|det", p="a|p", q="b_loc|q", v="v|k_ab", i0="i0|n0", i1="i1|n1", i2="i2|n2", na="node_a|row", nb="node_b|col", slot="slot|entry", kx="kx|cond_x", ky="ky|cond_y", react="reaction|reaction_rate", held="fixed|is_fixed", rows_out="rows|coo_rows", cols_out="cols|coo_cols", vals_out="values|coo_vals", kxe="kx_e|k_x", kye="ky_e|k_y", tri="tris|elements", x="nodes|node_pos")
    e = wp.tid()
    i0 = tri[e, 0]
    i1 = tri[e, 1]
    i2 = tri[e, 2]
    b = wp.vec3(x[i1][1] - x[i2][1], x[i2][1] - x[i0][1], x[i0][1] - x[i1][1])
    c = wp.vec3(x[i2][0] - x[i1][0], x[i0][0] - x[i2][0], x[i1][0] - x[i0][0])
    area2 = wp.abs(b[0] * c[1] - b[1] * c[0])
    kxe = kx[e]
    kye = ky[e]
    for p in range(3):
        for q in range(3):
            slot = 3 * p + q
            na = tri[e, p]
            nb = tri[e, q]
            rows_out[e, slot] = na
            cols_out[e, slot] = nb
            v = float(0.0)
            if area2 > constant("AREA_EPS|FLAT", 1.0e-3):
                v = (kxe * b[p] * b[q] + kye * c[p] * c[q]) / (2.0 * area2)
                if present(react):
                    note("consistent mass: twice as much on the diagonal|reaction term")
                    if p == q:
                        v += react * area2 / 12.0
                    else:
                        v += react * area2 / 24.0
            if present(held):
                note("held nodes keep only a one on the diagonal|Dirichlet rows and columns")
                if held[na] == 1 or held[nb] == 1:
                    if p == q:
                        v = 1.0
                    else:
                        v = 0.0
            vals_out[e, slot] = v


@scene("fem", "nested_loop", "function", "geometry", (element, sample),
       says="places the quadrature points of each hexahedral cell and gives their weights",
       title="quadrature_points|map_gauss_points|cell_quadrature|evaluate_qp_geometry", algorithm="trilinear map of Gauss points", rare=True)
def cell_quadrature(mid: each(position, element), half: each(half_extents, element), skew_: maybe(each(displacement, element, range=(-0.1, 0.1)), 0.6), at: each(natural_coordinates, sample, range=(-0.9, 0.9)), w: each(weight, sample), x_out: out(quadrature_position), w_out: out(quadrature_weight), total: maybe(add(volume, element), 0.6)):
    names(s="s|xi|nat|ref_x", h="h|ext|size_e|hs", p="p|pos|place|phys", jac="jac|J|dx_ds|map_j", det="det|det_j|vol_s|scale_v", d="d|shear_e|twist_e|warp_v", wq="wq|jxw|meas|dv")
    e, q = wp.tid()
    s = at[q]
    h = half[e]
    p = mid[e] + wp.cw_mul(h, s)
    jac = wp.diag(h)
    if present(skew_):
        note("the top leans over, more the higher|trilinear distortion")
        d = skew_[e]
        p = p + d * (s[0] * s[1] * s[2])
        jac = jac + wp.outer(d, wp.vec3(s[1] * s[2], s[0] * s[2], s[0] * s[1]))
    x_out[e, q] = p
    det = wp.determinant(jac)
    note("cells turned inside out have no volume|negative Jacobian")
    if det < 0.0:
        det = 0.0
    wq = det * w[q]
    w_out[e, q] = wq
    if present(total):
        wp.atomic_add(total, e, wq)


@scene("integer", "nested_loop", "reduction", "control_flow", row,
       says="bounds how many entries each row of the product of two sparse matrices can have",
       title="spgemm_count|count_product_entries|symbolic_product|row_work", algorithm="symbolic sparse product")
def product_entries(start: offsets(item), cols: index(column, over=item), len_b: each(count_value, column, range=(0, 9)), width: setting(capacity_value, 10, 16), most: out(count_value), dense: maybe(out(flag), 0.5), work: maybe(add(count_value, 1), 0.6), uniq: maybe(out(count_value), 0.5)):
    names(n="n|acc|upper|flops", c="c|col|k_col|mid_c", seen="seen|fresh|new_c|first_time", d="d|distinct|n_cols|different", j="j|back|prev_e|e2", cap="cap|bound|clipped|entries_n")
    r = wp.tid()
    n = int(0)
    d = int(0)
    for k in range(start[r], start[r + 1]):
        c = cols[k]
        n += len_b[c]
        if present(uniq):
            note("a column may be stored twice|look back for the same column")
            seen = int(1)
            for j in range(start[r], k):
                if cols[j] == c:
                    seen = int(0)
            d += seen
    note("no more entries than there are columns|cap")
    cap = wp.min(n, width)
    most[r] = cap
    if present(dense):
        if n >= width:
            dense[r] = 1
        else:
            dense[r] = 0
    if present(work):
        wp.atomic_add(work, 0, n)
    if present(uniq):
        uniq[r] = d


@scene("integer", "control_flow", "function", "nested_loop", query,
       says="looks up keys in a hash table with linear probing, up to an empty slot",
       title="hash_lookup|probe_table|find_keys|lookup_slots", algorithm="linear probing lookup")
def hash_lookup(want: each(slot_key, range=(0, 14)), keys: each(slot_key, 64, range=(0, 14)), full: each(count_value, 64, range=(0, 7)), val: each(value, 64), place: out(index_value), val_out: maybe(out(value), 0.7), probes: maybe(out(count_value), 0.6), misses: maybe(add(count_value, 1), 0.4)):
    names(s="s|slot|at|pos", found="found|hit|where_s|answer", n="n|tries|steps|probed", key="key|k|needle|wanted_k", keys="keys|table_keys|slot_key|stored", full="full|slot_uses|ref_counts|holders")
    q = wp.tid()
    key = want[q]
    s = home_slot(key, 63)
    found = int(-1)
    n = int(0)
    while n < constant("MAX_PROBES|PROBE_LIMIT|LONGEST_RUN", 16):
        n += 1
        note("a slot that nobody uses ends the run: the key is not there|end of the cluster")
        if full[s] == 0:
            break
        if keys[s] == key:
            found = s
            break
        s = (s + 1) & 63
    place[q] = found
    if present(val_out):
        if found >= 0:
            val_out[q] = val[found]
        else:
            val_out[q] = 0.0
    if present(probes):
        probes[q] = n
    if present(misses):
        if found < 0:
            wp.atomic_add(misses, 0, 1)


@scene("fem", "nested_loop", "function", "atomic", edge,
       says="integrates a traction over quadratic edges and shares it among their three nodes",
       title="edge_traction_load|quadratic_edge_load|neumann_edges|boundary_traction", algorithm="consistent load of a quadratic edge", rare=True)
def quadratic_edge_load(x: each(point2, node), ids: index(node, 3), t0: each(force2), t1: maybe(each(force2), 0.6), follow: maybe(setting(pressure, 0.5, 4.0), 0.4), load: add(force2, node), len_out: maybe(out(length), 0.5)):
    names(s="s|xi|gauss_s|at_s", w="w|wg|gauss_w|weight_g", dx="dx|tang|deriv|rate_x", ds="ds|jac|speed_e|arc_j", tq="tq|trac|pull_q|force_q", n="n|nd|gid|node_a", total="total|arc|len_e|measure_e", a="a|loc|k|local", g="g|q|qp|pt", f="f|shape_v|phi|na", blend="blend|tt|mix_s|along")
    e = wp.tid()
    total = float(0.0)
    for g in range(3):
        s = float(0.0)
        w = 8.0 / 9.0
        if g == 0:
            s = -0.7745966692414834
            w = 5.0 / 9.0
        elif g == 2:
            s = 0.7745966692414834
            w = 5.0 / 9.0
        note("tangent of the curved edge|derivatives of the three shapes")
        dx = wp.vec2()
        for a in range(3):
            n = ids[e, a]
            if a == 0:
                dx += x[n] * (s - 0.5)
            elif a == 1:
                dx += x[n] * (-2.0 * s)
            else:
                dx += x[n] * (s + 0.5)
        ds = wp.length(dx)
        tq = t0[e] * ds
        if present(t1):
            blend = 0.5 * (s + 1.0)
            tq = (t0[e] * (1.0 - blend) + t1[e] * blend) * ds
        if present(follow):
            note("pressure pushes across the edge wherever it turns|follower load")
            tq = tq + wp.vec2(dx[1], -dx[0]) * follow
        for a in range(3):
            n = ids[e, a]
            f = quadratic_edge_shape(a, s)
            wp.atomic_add(load, n, tq * (f * w))
        total += ds * w
    if present(len_out):
        len_out[e] = total
