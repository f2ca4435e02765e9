"""Many threads, one place: scattering to grids and tables, hooks, frontiers, locks."""


@scene("atomic", "physics", "nested_loop", particle,
       says="carries mass and momentum of each particle to the nine grid nodes around it with quadratic spline weights",
       title="particle_to_grid|p2g_transfer|apic_scatter|spread_momentum", algorithm="APIC particle-to-grid transfer")
def p2g_apic(x: each(point2, range=(1.1, 5.9)), v: each(vector2), m: each(mass), c: maybe(each(affine_velocity), 0.6), grid_m: add(mass, 8, 8), grid_mv: add(grid_momentum, 8, 8), f: maybe(each(vector2), 0.3), dt: maybe(setting(time_step, 0.01, 0.05), 1.0), dead: maybe(each(flag), 0.3)):
    names(bi="bi|base_i|i0|cell_i", bj="bj|base_j|j0|cell_j", w="w|weight|wij|share", d="d|to_node|dpos|delta", vel="vel|node_v|carried|v_i", p="p|pos_p|xp|pt", dead="dead|removed|inactive|skip_flag", grid_m="grid_m|node_mass|gm|mass_grid", grid_mv="grid_mv|node_momentum|gmv|momentum_grid")
    i = wp.tid()
    if present(dead):
        if dead[i] == 1:
            return
    p = x[i]
    bi = int(wp.floor(p[0] - 0.5))
    bj = int(wp.floor(p[1] - 0.5))
    for a in range(3):
        for b in range(3):
            note("from the particle to the node, in cells|offset of the node")
            d = wp.vec2(float(bi + a), float(bj + b)) - p
            w = spline2_weight(d[0]) * spline2_weight(d[1])
            vel = v[i]
            if present(f) and present(dt):
                vel = vel + f[i] * (dt / m[i])
            if present(c):
                note("affine part|local velocity gradient")
                fact("each particle carries an affine velocity field")
                vel = vel + c[i] * d
            wp.atomic_add(grid_m, bi + a, bj + b, w * m[i])
            wp.atomic_add(grid_mv, bi + a, bj + b, vel * (w * m[i]))


@scene("atomic", "control_flow", "geometry", face,
       says="draws triangles into a depth buffer: every pixel of a triangle's box whose centre lies inside keeps the smallest depth",
       title="rasterize_triangles|draw_depth|depth_pass|fill_zbuffer", algorithm="rasterisation by edge functions with a depth test")
def rasterize(p: each(pixel_xy, vertex), z: each(depth, vertex), tri: index(vertex, 3), zbuf: inout(depth_code, 12, 12), drawn: maybe(add(count_value, 1), 0.5), near: maybe(setting(depth, 0.3, 1.0), 0.3), both: maybe(setting(flag, fixed=True), 0.3)):
    names(a="a|p0|va|corner_a", b="b|p1|vb|corner_b", c="c|p2|vc|corner_c", area="area|full|det2|twice", wa="wa|e0|bary_a|alpha", wb="wb|e1|bary_b|beta", wc="wc|e2|bary_c|gamma", q="q|center|pix|sample_p", zz="zz|depth_q|z_here|z_pix", lo_i="lo_i|y_min|row0|i_first", hi_i="hi_i|y_max|row1|i_last", lo_j="lo_j|x_min|col0|j_first", hi_j="hi_j|x_max|col1|j_last")
    names(ia="ia|i0|v0|first_v", ib="ib|i1|v1|second_v", ic="ic|i2|v2|third_v", both="both|two_sided|no_cull|double_sided", zbuf="zbuf|depth_buffer|zbuffer|depth_codes", drawn="drawn|fragments|pixels_hit|covered")
    t = wp.tid()
    ia = tri[t, 0]
    ib = tri[t, 1]
    ic = tri[t, 2]
    a = p[ia]
    b = p[ib]
    c = p[ic]
    area = edge_function(a, b, c)
    if present(both):
        if both == 0 and area < 0.0:
            note("turned away|back face")
            return
        if wp.abs(area) < 1.0e-4:
            return
    else:
        note("back faces and slivers are not drawn")
        if area < 1.0e-4:
            return
    lo_j = wp.max(int(wp.floor(wp.min(a[0], wp.min(b[0], c[0])))), 0)
    hi_j = wp.min(int(wp.ceil(wp.max(a[0], wp.max(b[0], c[0])))), 12)
    lo_i = wp.max(int(wp.floor(wp.min(a[1], wp.min(b[1], c[1])))), 0)
    hi_i = wp.min(int(wp.ceil(wp.max(a[1], wp.max(b[1], c[1])))), 12)
    for i in range(lo_i, hi_i):
        for j in range(lo_j, hi_j):
            q = wp.vec2(float(j) + 0.5, float(i) + 0.5)
            wa = edge_function(b, c, q) / area
            wb = edge_function(c, a, q) / area
            wc = 1.0 - wa - wb
            if wa < 0.0 or wb < 0.0 or wc < 0.0:
                continue
            zz = wa * z[ia] + wb * z[ib] + wc * z[ic]
            if present(near):
                if zz < near:
                    continue
            note("integers have an atomic minimum everywhere|fixed-point depth")
            wp.atomic_min(zbuf, i, j, int(zz * constant("DEPTH_SCALE|Z_SCALE", 10000.0)))
            if present(drawn):
                wp.atomic_add(drawn, 0, 1)


@scene("atomic", "integer", "control_flow", item,
       says="inserts keys into a hash table with open addressing by compare-and-swap and counts how many different ones there are",
       title="hash_insert|insert_keys|build_hash_table|unique_keys", algorithm="open addressing with compare-and-swap", rare=True)
def hash_insert(k: each(hash_key), keep: maybe(each(flag), 0.3), table: inout(hash_key, 64, range=(-1, -1)), distinct: add(count_value, 1), freq: maybe(add(count_value, 41), 0.4), longest: maybe(inout(count_value, 1, range=(0, 0)), 0.3)):
    names(slot="slot|h|pos|probe_at", prev="prev|was|found|old_key", key="key|item_key|mine|wanted", tries="tries|probe|step_n|attempt", table="table|slots|table_keys|hash_table", distinct="distinct|num_unique|unique_count|inserted", keep="keep|selected|use_item|valid_in", longest="longest|max_probes|worst_probe|longest_chain")
    i = wp.tid()
    if present(keep):
        if keep[i] == 0:
            return
    key = k[i]
    slot = hash_slot(key)
    for tries in range(64):
        prev = wp.atomic_cas(table, slot, -1, key)
        if prev == -1:
            note("the slot was free: a new key|claimed an empty slot")
            wp.atomic_add(distinct, 0, 1)
            if present(longest):
                wp.atomic_max(longest, 0, tries + 1)
            break
        if prev == key:
            note("somebody was here before with the same key")
            break
        note("linear probing|try the next slot")
        slot = (slot + 1) % 64
    if present(freq):
        wp.atomic_add(freq, key, 1)


@scene("atomic", "control_flow", "integer", edge,
       says="hooks the larger of two component labels to the smaller one along each edge of a graph",
       title="hook_components|min_label_edges|label_propagation|connect_labels", algorithm="min-label hooking of connected components")
def hook_components(ends: index(node, 2), label: each(component_id, node), next_label: inout(component_id, node, range=(30, 30)), w: maybe(each(weight), 0.5), limit: maybe(setting(ratio, 0.2, 0.7), 1.0), changed: maybe(add(count_value, 1), 0.6), cut: maybe(add(count_value, 1), 0.3)):
    names(a="a|u|src|tail_n", b="b|v|dst|head_n", la="la|lab_a|root_a|cu", lb="lb|lab_b|root_b|cv", low="low|lo_lab|smaller|winner", next_label="next_label|new_labels|labels_out|next_comp", limit="limit|min_weight|threshold|bridge_min", cut="cut|weak_edges|dropped|num_cut", changed="changed|hooks|num_hooked|not_converged")
    e = wp.tid()
    if present(w) and present(limit):
        note("weak edges do not connect|thresholded graph")
        fact("edges below a weight do not connect")
        if w[e] < limit:
            if present(cut):
                wp.atomic_add(cut, 0, 1)
            return
    a = ends[e, 0]
    b = ends[e, 1]
    la = label[a]
    lb = label[b]
    low = wp.min(la, lb)
    wp.atomic_min(next_label, a, low)
    wp.atomic_min(next_label, b, low)
    if present(changed):
        if la != lb:
            wp.atomic_add(changed, 0, 1)


@scene("atomic", "nested_loop", "integer", node,
       says="gives each uncoloured node whose priority is the highest among its uncoloured neighbours the lowest colour that no neighbour has",
       title="color_round|jones_plassmann|graph_coloring_step|assign_colors", algorithm="Jones-Plassmann graph colouring")
def color_round(start: offsets(edge), nbr: index(node, over=edge), pr: each(priority), color: each(label, range=(-1, 5)), color_out: out(label), left: maybe(add(count_value, 1), 0.6), used: maybe(inout(label, 1, range=(0, 0)), 0.4)):
    names(taken="taken|forbidden|used_bits|mask_c", j="j|other|nb|v", c="c|pick|free_c|new_color", mine="mine|own_pr|rank_i|weight_i", left="left|uncolored|remaining|num_left", used="used|max_color|num_colors|highest", first="first|is_top|wins|leader")
    i = wp.tid()
    if color[i] >= 0:
        note("has its colour already")
        color_out[i] = color[i]
        return
    mine = pr[i]
    taken = int(0)
    first = int(1)
    for k in range(start[i], start[i + 1]):
        j = nbr[k]
        if j == i:
            continue
        if color[j] >= 0:
            taken = taken | (1 << color[j])
        else:
            note("ties go to the smaller index|break ties by index")
            if pr[j] > mine or (pr[j] == mine and j < i):
                first = 0
                break
    if first == 0:
        color_out[i] = -1
        if present(left):
            wp.atomic_add(left, 0, 1)
        return
    c = int(0)
    while (taken >> c) & 1 == 1:
        c += 1
    color_out[i] = c
    if present(used):
        wp.atomic_max(used, 0, c)


@scene("atomic", "control_flow", "integer", node,
       says="expands the frontier of a breadth-first search: unvisited neighbours are claimed, get the next level and are counted",
       title="bfs_expand|expand_frontier|bfs_level|frontier_step", algorithm="level-synchronous breadth-first search", rare=True)
def bfs_expand(start: offsets(edge), nbr: index(node, over=edge), level: each(hop_count, range=(-1, 1)), now: setting(hop_count, 0, 1, fixed=True), claimed: inout(hop_count, node, range=(-1, -1)), n_next: add(count_value, 1), blocked: maybe(each(flag), 0.3), edges_seen: maybe(add(count_value, 1), 0.4)):
    names(level="level|levels|depth|levels_in", j="j|v|other|child_n", was="was|old|prev_level|before", now="now|depth|cur_level|frontier", claimed="claimed|new_levels|levels_out|visit_level", n_next="n_next|next_size|queue_size|num_new", blocked="blocked|closed|walls_n|forbidden", edges_seen="edges_seen|work|edges_touched|relaxed")
    i = wp.tid()
    if level[i] != now:
        note("not in the frontier")
        return
    if present(blocked):
        if blocked[i] == 1:
            return
    for k in range(start[i], start[i + 1]):
        j = nbr[k]
        if present(edges_seen):
            wp.atomic_add(edges_seen, 0, 1)
        if level[j] >= 0:
            note("was reached before")
            continue
        match choose("claim"):
            case 2:
                note("only one thread wins the node|first come, first served")
                was = wp.atomic_cas(claimed, j, -1, now + 1)
                if was == -1:
                    wp.atomic_add(n_next, 0, 1)
            case 1:
                was = wp.atomic_exch(claimed, j, now + 1)
                if was < 0:
                    wp.atomic_add(n_next, 0, 1)


@scene("atomic", "integer", "reduction", edge,
       says="finds the lightest edge that leaves each component of a graph, packed with its number into one 64-bit key",
       title="lightest_edges|boruvka_min|pack_min_edges|component_minimum", algorithm="minimum outgoing edges of Boruvka's method", rare=True)
def boruvka_min(ends: index(node, 2), w: each(weight), comp: each(component_id, node), best: inout(packed_key, 31), inner: maybe(add(count_value, 1), 0.4), alive: maybe(each(flag), 0.3)):
    names(ca="ca|comp_a|left_c|cu", cb="cb|comp_b|right_c|cv", q="q|coded|wq|fixed_w", key="key|packed|pack|wkey", best="best|min_edge|best_keys|lightest", inner="inner|internal|same_comp|inner_edges", alive="alive|edge_live|in_graph|kept")
    e = wp.tid()
    if present(alive):
        if alive[e] == 0:
            return
    ca = comp[ends[e, 0]]
    cb = comp[ends[e, 1]]
    if ca == cb:
        note("both ends are in the same component already")
        if present(inner):
            wp.atomic_add(inner, 0, 1)
        return
    note("weight in the high digits, number of the edge in the low ones|the smallest key is the lightest edge")
    q = int(w[e] * constant("WEIGHT_SCALE|FIXED_ONE", 100000.0))
    key = wp.int64(q) * wp.int64(4096) + wp.int64(e)
    wp.atomic_min(best, ca, key)
    wp.atomic_min(best, cb, key)


@scene("atomic", "integer", "geometry", particle,
       says="marks the voxels that hold points in a set of bits, one bit per voxel",
       title="mark_voxels|occupancy_bits|voxel_bitset|voxelize_points", algorithm="voxel occupancy bits", topic="", rare=True,
       lossy=True)
def mark_voxels(x: each(position), org: setting(position, -2.1, -2.0), h: setting(cell_size, 0.5, 0.6), occ: inout(word_bits, 16), lo: maybe(inout(bound_low, 1), 0.5), hi: maybe(inout(bound_high, 1), 0.5), fresh: maybe(add(count_value, 1), 0.5), skip: maybe(each(flag), 0.3), parity: maybe(inout(word_bits, 1), 0.3)):
    names(g="g|rel|cellf|q", cx="cx|ix|vi|gx", cy="cy|iy|vj|gy", cz="cz|iz|vk|gz", lin="lin|flat|voxel_id|code", bit="bit|flag_bit|mask_b|one", old="old|before|was|seen_word", occ="occ|bitset|occupancy|voxel_words", fresh="fresh|num_voxels|occupied|new_voxels", parity="parity|checksum|xor_sum|signature", skip="skip|invalid|noise_flag|outlier")
    i = wp.tid()
    if present(skip):
        if skip[i] == 1:
            return
    if present(lo):
        fact("the lower corner of the box around all points is found, too")
        wp.atomic_min(lo, 0, x[i])
    if present(hi):
        wp.atomic_max(hi, 0, x[i])
    g = (x[i] - org) / h
    cx = int(wp.floor(g[0]))
    cy = int(wp.floor(g[1]))
    cz = int(wp.floor(g[2]))
    if cx < 0 or cy < 0 or cz < 0 or cx >= 8 or cy >= 8 or cz >= 8:
        note("outside of the volume")
        return
    lin = (cz * 8 + cy) * 8 + cx
    note("thirty-two voxels to a word")
    bit = wp.uint32(1) << wp.uint32(lin % 32)
    old = wp.atomic_or(occ, lin // 32, bit)
    if present(fresh):
        if (old & bit) == wp.uint32(0):
            wp.atomic_add(fresh, 0, 1)
    if present(parity):
        wp.atomic_xor(parity, 0, wp.uint32(lin))


@scene("atomic", "math", "nested_loop", particle,
       says="splats Gaussian points onto an image: each adds its colour and its weight to the pixels within three deviations",
       title="splat_gaussians|draw_splats|accumulate_splats|gaussian_footprint", algorithm="weighted Gaussian splatting", rare=True)
def splat_points(p: each(pixel_xy), s: each(splat_scale, range=(0.3, 0.9)), col: each(colour), theta: maybe(each(angle), 0.5), op: maybe(each(opacity, range=(0.1, 1.0)), 0.5), img: add(colour, 12, 12), wsum: add(weight, 12, 12), hits: maybe(add(count_value, 1), 0.3)):
    names(reach="reach|radius_px|extent|support", d="d|off|rel|diff", u="u|along|du|q0", v="v|across|dv|q1", e="e|power|mahal|quad", w="w|alpha_p|g|weight_p", c="c|ct|cos_t|cosv", sn="sn|st|sin_t|sinv", i0="i0|row_a|y0|top_i", i1="i1|row_b|y1|bottom_i", j0="j0|col_a|x0|left_j", j1="j1|col_b|x1|right_j", wsum="wsum|weight_img|alpha_sum|norm_img")
    k = wp.tid()
    reach = 3.0 * wp.max(s[k][0], s[k][1])
    i0 = wp.max(int(wp.ceil(p[k][1] - reach - 0.5)), 0)
    i1 = wp.min(int(wp.floor(p[k][1] + reach - 0.5)), 11)
    j0 = wp.max(int(wp.ceil(p[k][0] - reach - 0.5)), 0)
    j1 = wp.min(int(wp.floor(p[k][0] + reach - 0.5)), 11)
    if i0 > i1 or j0 > j1:
        note("off the screen")
        return
    if present(theta):
        c = wp.cos(theta[k])
        sn = wp.sin(theta[k])
    for i in range(i0, i1 + 1):
        for j in range(j0, j1 + 1):
            d = wp.vec2(float(j) + 0.5, float(i) + 0.5) - p[k]
            if present(theta):
                note("in the frame of the splat|rotate into its axes")
                u = (c * d[0] + sn * d[1]) / s[k][0]
                v = (c * d[1] - sn * d[0]) / s[k][1]
            else:
                u = d[0] / s[k][0]
                v = d[1] / s[k][1]
            e = u * u + v * v
            if e > 9.0:
                continue
            w = wp.exp(-0.5 * e)
            if present(op):
                w = w * op[k]
            wp.atomic_add(img, i, j, col[k] * w)
            wp.atomic_add(wsum, i, j, w)
            if present(hits):
                wp.atomic_add(hits, 0, 1)


@scene("atomic", "math", "nested_loop", pixel,
       says="lets every edge pixel vote for the lines through it, one vote for each angle of the accumulator",
       title="hough_lines|vote_lines|line_accumulator|hough_transform", algorithm="Hough transform for lines")
def hough_lines(edge: each(intensity), cut: setting(intensity, 0.6, 0.85), gx: maybe(each(image_slope_x), 0.4), gy: maybe(each(image_slope_y), 1.0), votes: add(count_value, 18, 60), strength: maybe(add(intensity, 18, 60), 0.4)):
    names(th="th|theta|phi|ang", rho="rho|dist_l|offset_l|r_l", b="b|slot|rbin|rho_bin", a="a|k|t_idx|abin", reach="reach|diagonal|rho_max|span", th0="th0|grad_dir|normal_dir|dir_g", dif="dif|turn|gap_a|off_a", votes="votes|accumulator|hough_space|acc_votes", cut="cut|edge_min|threshold|strong_edge")
    i, j = wp.tid()
    if edge[i, j] < cut:
        return
    reach = wp.sqrt(float(count(pixel, 0) * count(pixel, 0) + count(pixel, 1) * count(pixel, 1)))
    if present(gx) and present(gy):
        th0 = wp.atan2(gy[i, j], gx[i, j])
    for a in range(18):
        th = float(a) * wp.pi / 18.0
        if present(gx) and present(gy):
            note("only lines that lie across the gradient|angles near the gradient's")
            fact("only angles near that of the gradient get a vote")
            dif = wp.abs(wp.sin(th - th0))
            if dif > number(0.3, 0.6, "tol"):
                continue
        rho = float(j) * wp.cos(th) + float(i) * wp.sin(th)
        b = wp.clamp(int((rho + reach) / (2.0 * reach) * 60.0), 0, 59)
        wp.atomic_add(votes, a, b, 1)
        if present(strength):
            wp.atomic_add(strength, a, b, edge[i, j])


@scene("atomic", "reduction", "math", "matrix", particle,
       says="adds up the mass and the moments of each group of points",
       title="group_moments|accumulate_inertia|cluster_moments|mass_properties", algorithm="mass and moments of groups")
def group_moments(x: each(position), m: each(mass), group: each(label, range=(-1, 3)), v: maybe(each(velocity), 0.5), mass_sum: add(mass, 4), first: add(position, 4), second: maybe(add(matrix3, 4), 0.6), spin: maybe(add(momentum, 4), 0.5), reach: maybe(inout(distance, 4, range=(0.0, 0.1)), 0.4), lost: maybe(add(count_value, 1), 0.3)):
    names(g="g|grp|owner|cluster_i", p="p|pos_i|xi|pt", w="w|mi|mass_i|wt", mass_sum="mass_sum|group_mass|total_mass|m_sum", first="first|moment1|mx_sum|weighted_pos", second="second|moment2|mxx_sum|inertia_acc", spin="spin|ang_mom|angular_sum|l_sum", reach="reach|group_radius|max_r|extent", lost="lost|ungrouped|noise_points|unassigned")
    i = wp.tid()
    g = group[i]
    if g < 0:
        note("belongs to no group|noise")
        if present(lost):
            wp.atomic_add(lost, 0, 1)
        return
    p = x[i]
    w = m[i]
    wp.atomic_add(mass_sum, g, w)
    wp.atomic_add(first, g, p * w)
    if present(second):
        match choose("form"):
            case 2:
                wp.atomic_add(second, g, wp.outer(p, p) * w)
            case 1:
                note("inertia about the origin")
                fact("the second moments are the inertia about the origin")
                wp.atomic_add(second, g, (wp.identity(n=3, dtype=float) * wp.dot(p, p) - wp.outer(p, p)) * w)
    if present(spin) and present(v):
        wp.atomic_add(spin, g, wp.cross(p, v[i] * w))
    if present(reach):
        wp.atomic_max(reach, g, wp.length(p))
