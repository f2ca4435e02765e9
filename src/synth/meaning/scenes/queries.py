"""Queries of space: overlaps, surfaces of level sets, curvature, hulls, registration."""


@law("queries", "the point of an edge where a field that is linear along it is zero", title="edge_crossing|interpolate_edge|zero_on_edge", private=True, function=True)
def edge_zero(a: position, b: position, fa: signed_distance, fb: signed_distance) -> position:
    return a + (b - a) * (fa / (fa - fb))


@law("queries", "the offset of one corner of a cell, by the bits of its number", title="corner_offset|corner_id|cube_corner", private=True, function=True)
def cube_corner(c: index_value) -> position:
    return wp.vec3(float(c & 1), float((c >> 1) & 1), float((c >> 2) & 1))


@scene("geometry", "nested_loop", "control_flow", "matrix", contact,
       says="tells for each pair of a box and a triangle whether they overlap, by looking for an axis that separates them among the thirteen possible ones",
       title="triangle_box_overlap|voxelize_test|conservative_voxelization|tri_box_sat", algorithm="separating axis test of a triangle and a box")
def triangle_box(center: each(position, box), half: setting(half_extents, 0.3, 0.9), which_box: index(box), which_tri: index(face), tri: index(vertex, 3, over=face), x: each(position, vertex), overlap_out: out(flag), axis_out: maybe(out(index_value), 0.6)):
    names(a="a|p0|va|r0", b="b|p1|vb|r1", c="c|p2|vc|r2", ax="ax|axis_v|dir_s|sep", lo="lo|smallest|p_min|low_p", hi="hi|largest|p_max|high_p", rad="rad|reach|r_box|extent_p", apart="apart|separated|split_by|gap_axis", e="e|edge_v|side|tri_e", m="m|mid|box_c|cen", f="f|tri_id|t|fid", unit="unit|cardinal|base_v|e_k")
    k = wp.tid()
    bx = which_box[k]
    f = which_tri[k]
    i0 = tri[f, 0]
    i1 = tri[f, 1]
    i2 = tri[f, 2]
    m = center[bx]
    a = x[i0] - m
    b = x[i1] - m
    c = x[i2] - m
    apart = int(-1)
    note("nine cross products of edges and axes, three axes, one normal|thirteen candidates")
    for s in range(13):
        ax = wp.cross(b - a, c - a)
        if s < 12:
            unit = wp.vec3(0.0, 0.0, 0.0)
            unit[s % 3] = 1.0
            if s < 9:
                e = b - a
                if s >= 6:
                    e = a - c
                elif s >= 3:
                    e = c - b
                ax = wp.cross(e, unit)
            else:
                ax = unit
        lo = wp.min(wp.dot(a, ax), wp.min(wp.dot(b, ax), wp.dot(c, ax)))
        hi = wp.max(wp.dot(a, ax), wp.max(wp.dot(b, ax), wp.dot(c, ax)))
        rad = half[0] * wp.abs(ax[0]) + half[1] * wp.abs(ax[1]) + half[2] * wp.abs(ax[2])
        if lo > rad or hi < -rad:
            apart = s
            break
    if apart < 0:
        overlap_out[k] = 1
    else:
        overlap_out[k] = 0
    if present(axis_out):
        axis_out[k] = apart


@scene("geometry", "nested_loop", "function", "multi_conditional", cell,
       says="measures the surface where a field on a grid changes its sign by cutting each cell into six tetrahedra",
       title="marching_tetrahedra|surface_area_cells|tetrahedral_isosurface|measure_isosurface", algorithm="marching tetrahedra", rare=True,
       lossy=True)
def marching_tetrahedra(phi: each(signed_distance), level: maybe(setting(signed_distance, -0.5, 0.5), 0.4), h: setting(cell_size), area_out: out(area), count_out: maybe(out(count_value), 0.6), total: maybe(add(area, 1), 0.4)):
    names(order="order|ids|sorted_c|corner_ids", vals="vals|f|field_c|d_c", n_in="n_in|inside_n|below|neg", first="first|front|head|ahead", last="last|rear|tail|behind", p="p|q0|cut_a|w0", q="q|q1|cut_b|w1", r="r|q2|cut_c|w2", u="u|q3|cut_d|w3", acc="acc|area_c|sum_a|measure", tris="tris|n_tri|facets|made", ca="ca|x0|at0|o0", cb="cb|x1|at1|o1", cc="cc|x2|at2|o2", cd="cd|x3|at3|o3", v="v|corner|c|id_v", one="one|step_a|m1|bit_a", two="two|step_b|m2|bit_b")
    i, j, k = wp.tid()
    if i + 1 >= count(cell) or j + 1 >= count(cell, 1) or k + 1 >= count(cell, 2):
        return
    order = wp.zeros(shape=4, dtype=int)
    vals = wp.zeros(shape=8, dtype=float)
    for c in range(8):
        vals[c] = phi[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)]
        if present(level):
            vals[c] = vals[c] - level
    acc = float(0.0)
    tris = int(0)
    for t in range(6):
        note("six tetrahedra share the diagonal: go along one axis, then another, then the third|Kuhn subdivision")
        one = int(1) << (t // 2)
        two = int(7) ^ (int(1) << ((t // 2 + 1 + t % 2) % 3))
        first = int(0)
        last = int(3)
        for c in range(4):
            v = int(0)
            if c == 1:
                v = one
            elif c == 2:
                v = two
            elif c == 3:
                v = 7
            note("inside corners to the front, outside ones to the back|partition")
            if vals[v] < 0.0:
                order[first] = v
                first += 1
            else:
                order[last] = v
                last -= 1
        n_in = first
        if n_in == 0 or n_in == 4:
            continue
        ca = cube_corner(order[0])
        cb = cube_corner(order[1])
        cc = cube_corner(order[2])
        cd = cube_corner(order[3])
        if n_in == 2:
            note("two and two: a quad, flat because the field is linear|quad from its diagonals")
            p = edge_zero(ca, cc, vals[order[0]], vals[order[2]])
            q = edge_zero(ca, cd, vals[order[0]], vals[order[3]])
            r = edge_zero(cb, cd, vals[order[1]], vals[order[3]])
            u = edge_zero(cb, cc, vals[order[1]], vals[order[2]])
            acc += 0.5 * wp.length(wp.cross(r - p, u - q))
            tris += 2
        else:
            if n_in == 1:
                p = edge_zero(ca, cb, vals[order[0]], vals[order[1]])
                q = edge_zero(ca, cc, vals[order[0]], vals[order[2]])
                r = edge_zero(ca, cd, vals[order[0]], vals[order[3]])
            else:
                p = edge_zero(cd, ca, vals[order[3]], vals[order[0]])
                q = edge_zero(cd, cb, vals[order[3]], vals[order[1]])
                r = edge_zero(cd, cc, vals[order[3]], vals[order[2]])
            acc += 0.5 * wp.length(wp.cross(q - p, r - p))
            tris += 1
    area_out[i, j, k] = acc * h * h
    if present(count_out):
        count_out[i, j, k] = tris
    if present(total):
        wp.atomic_add(total, 0, acc * h * h)


@scene("geometry", "reduction", "nested_loop", "math", vertex,
       says="estimates the Gaussian and the mean curvature at each vertex from the ring of triangles around it",
       title="vertex_curvature|discrete_curvature|angle_deficit|mesh_curvatures", algorithm="angle deficit and cotangent curvature")
def ring_curvature(x: each(position, vertex), start: offsets(item), ring: index(vertex, over=item), open_: maybe(each(flag), 0.4), k_out: out(gauss_curvature), h_out: out(mean_curvature), area_out: maybe(out(area), 0.4)):
    names(c="c|center|xi|apex", a="a|pa|spoke_a|to_j", b="b|pb|spoke_b|to_k", first="first|beg|lo|r0", n="n|valence|len_r|spokes", angles="angles|theta|angle_sum|turned", areas="areas|third_a|a_mix|cell_a", lap="lap|normal_h|curv_v|lb", two_a="two_a|dbl|cross_len|par", ja="ja|j|nb_a|cur_v", jb="jb|k|nb_b|next_v", cot_a="cot_a|ca|cot_j|wa", cot_b="cot_b|cb|cot_k|wb", full="full|whole|flat_angle|round")
    v = wp.tid()
    c = x[v]
    first = start[v]
    n = start[v + 1] - first
    note("fewer than three neighbours enclose nothing|no ring")
    if n < 3:
        k_out[v] = 0.0
        h_out[v] = 0.0
        if present(area_out):
            area_out[v] = 0.0
        return
    angles = float(0.0)
    areas = float(0.0)
    lap = wp.vec3()
    for s in range(n):
        ja = ring[first + s]
        jb = ring[first + (s + 1) % n]
        a = x[ja] - c
        b = x[jb] - c
        two_a = wp.length(wp.cross(a, b))
        if two_a < constant("SLIVER|AREA_EPS", 1.0e-4):
            note("slivers have no usable angles|skip slivers")
            continue
        angles += wp.atan2(two_a, wp.dot(a, b))
        areas += two_a / 6.0
        cot_a = wp.dot(-a, b - a) / two_a
        cot_b = wp.dot(-b, a - b) / two_a
        lap += a * (0.5 * cot_b) + b * (0.5 * cot_a)
    areas = wp.max(areas, constant("MIN_RING_AREA|RING_EPS", 1.0e-3))
    full = 2.0 * wp.pi
    if present(open_):
        note("on the border a straight line is half a turn|boundary vertex")
        if open_[v] == 1:
            full = wp.pi
    k_out[v] = (full - angles) / areas
    h_out[v] = 0.5 * wp.length(lap) / areas
    if present(area_out):
        area_out[v] = areas


@scene("geometry", "matrix", "reduction", "nested_loop", cell,
       says="places the vertex of each surface cell where the planes through its surface points agree best, pulled towards their mean where they leave it open",
       title="dual_contour_vertices|qef_minimize|place_dual_vertices|solve_qef", algorithm="regularized quadratic error function of dual contouring", rare=True)
def dual_vertices(start: offsets(item), p: each(surface_sample, item), n: each(normal, item), pull: setting(ratio, 0.02, 0.2), half: maybe(setting(cell_size, 0.1, 0.4), 0.6), v_out: out(position), sharp: maybe(out(label), 0.6), err_out: maybe(out(error_value), 0.4)):
    names(m="m|ata|gram|normal_m", b="b|atb|rhs_v|pull_v", mean_p="mean_p|mass_point|center_p|avg_p", num="num|cnt|n_samples|how_many", nn="nn|unit_n|plane_n|nk", r="r|off|plane_d|gap_k", y="y|sol|move|shift", det="det|spread|det_m|disc", minors="minors|second|inv2|pair_sum", e="e|err|resid|misfit", first="first|lo|beg|k0", last="last|hi|end|k1", pull="pull|lambda_reg|ridge|stay")
    c = wp.tid()
    first = start[c]
    last = start[c + 1]
    num = last - first
    if num == 0:
        v_out[c] = wp.vec3(0.0, 0.0, 0.0)
        if present(sharp):
            sharp[c] = 0
        if present(err_out):
            err_out[c] = 0.0
        return
    mean_p = wp.vec3()
    for k in range(first, last):
        mean_p += p[k]
    mean_p = mean_p / float(num)
    m = wp.mat33()
    b = wp.vec3()
    for k in range(first, last):
        nn = n[k] / wp.max(wp.length(n[k]), 0.01)
        r = wp.dot(nn, p[k] - mean_p)
        m += wp.outer(nn, nn)
        b += nn * r
    if present(sharp):
        note("three planes make a corner, two a crease, one a flat spot|feature by invariants")
        det = wp.determinant(m)
        minors = 0.5 * (wp.trace(m) * wp.trace(m) - wp.ddot(m, m))
        if det > number(0.02, 0.1, "corner") * float(num * num * num):
            sharp[c] = 3
        elif minors > number(0.05, 0.15, "crease") * float(num * num):
            sharp[c] = 2
        else:
            sharp[c] = 1
    note("stay near the mean in directions that no plane fixes|Tikhonov term")
    y = wp.inverse(m + pull * wp.identity(n=3, dtype=float)) * b
    if present(half):
        note("stay within the cell|clamp to the cell")
        y = wp.vec3(wp.clamp(y[0], -half, half), wp.clamp(y[1], -half, half), wp.clamp(y[2], -half, half))
    v_out[c] = mean_p + y
    if present(err_out):
        e = float(0.0)
        for k in range(first, last):
            nn = n[k] / wp.max(wp.length(n[k]), 0.01)
            r = wp.dot(nn, mean_p + y - p[k])
            e += r * r
        err_out[c] = wp.sqrt(e / float(num) + 1.0e-6)


@scene("geometry", "reduction", "control_flow", segment,
       says="encloses each group of points in a ball that starts from two distant points and grows over the rest",
       title="bounding_balls|enclosing_spheres|group_spheres|fit_bounding_sphere", algorithm="bounding ball of Ritter", rare=True,
       lossy=True)
def bounding_balls(start: offsets(item), p: each(position, item), c_out: out(position), r_out: out(radius), grown: maybe(out(count_value), 0.4)):
    names(c="c|mid|center|ball_c", r="r|rad|reach|ball_r", far="far|ext|farthest|tip", other="other|opposite|far2|across", d="d|dist|gap|off", best="best|dmax|most|longest", first="first|start_k|beg|k0", last="last|upto|end|k1", lo="lo|left_p|bottom|min_p", hi="hi|right_p|peak|max_p", n="n|changes|growths|updates")
    g = wp.tid()
    first = start[g]
    last = start[g + 1]
    if first == last:
        c_out[g] = wp.vec3(0.0, 0.0, 0.0)
        r_out[g] = 0.0
        if present(grown):
            grown[g] = 0
        return
    n = int(0)
    match choose("method"):
        case 2:
            fact("the first two are found by looking twice for the farthest point")
            far = p[first]
            best = float(0.0)
            for k in range(first, last):
                d = wp.length(p[k] - p[first])
                if d > best:
                    best = d
                    far = p[k]
            other = far
            best = float(0.0)
            note("the farthest from the farthest|a second sweep")
            for k in range(first, last):
                d = wp.length(p[k] - far)
                if d > best:
                    best = d
                    other = p[k]
        case 2:
            fact("the first two are the extremes along the axis on which the points spread most")
            far = p[first]
            other = p[first]
            best = float(-1.0)
            for axis in range(3):
                lo = p[first]
                hi = p[first]
                for k in range(first, last):
                    if p[k][axis] < lo[axis]:
                        lo = p[k]
                    if p[k][axis] > hi[axis]:
                        hi = p[k]
                if wp.length(hi - lo) > best:
                    best = wp.length(hi - lo)
                    far = lo
                    other = hi
    c = 0.5 * (far + other)
    r = 0.5 * wp.length(other - far)
    for k in range(first, last):
        d = wp.length(p[k] - c)
        note("a hair beyond the ball does not count|slack against rounding")
        if d > r * constant("SLACK|GROW_TOL|BALL_TOL", 1.001) + 0.0001:
            note("grow just enough and lean towards it|expand")
            r = 0.5 * (r + d)
            c = p[k] + (c - p[k]) * (r / d)
            n += 1
    c_out[g] = c
    r_out[g] = r
    if present(grown):
        grown[g] = n


@scene("geometry", "matrix", "atomic", "nested_loop", particle,
       says="matches each point to the nearest point of a model and adds its distance to the plane there to the normal equations of a rigid motion",
       title="icp_normal_equations|point_to_plane_step|accumulate_icp|scan_matching", algorithm="point-to-plane ICP normal equations", rare=True)
def icp_equations(p: each(position), model: each(position, vertex), n: each(normal, vertex), limit: setting(distance, 0.6, 1.5), w: each(weight, range=(0.1, 1.0)), huber: maybe(setting(huber_delta, 0.1, 0.4), 0.4), ata: add(normal_equation, 6, 6), atb: add(normal_equation, 6), used: maybe(add(count_value, 1), 0.5), match_out: maybe(out(index_value), 0.4)):
    names(q="q|at|src|pt", best="best|d_min|nearest_d|closest", who="who|idx_m|target_i|partner", d="d|dist|gap|sep", nn="nn|plane_n|unit_n|m_n", e="e|res|plane_d|resid", row="row|jac|j_row|screw_n", wt="wt|trust|weight_i|gain_i", r="r|a|row_i|i6", c="c|b|col_i|j6")
    i = wp.tid()
    q = p[i]
    best = float(1.0e6)
    who = int(-1)
    for k in range(count(vertex)):
        d = wp.length(model[k] - q)
        if d < best:
            best = d
            who = k
    if present(match_out):
        match_out[i] = who
    note("too far for a pair|reject outliers")
    if best > limit:
        return
    nn = wp.normalize(n[who])
    e = wp.dot(nn, model[who] - q)
    wt = w[i]
    if present(huber):
        note("large residuals count only linearly|robust weight")
        if wp.abs(e) > huber:
            wt = wt * huber / wp.abs(e)
    row = wp.spatial_vector(wp.cross(q, nn), nn)
    for r in range(6):
        for c in range(6):
            wp.atomic_add(ata, r, c, wt * row[r] * row[c])
        wp.atomic_add(atb, r, wt * row[r] * e)
    if present(used):
        wp.atomic_add(used, 0, 1)
