"""Finite elements at length: forces of solids, element matrices by quadrature, loads, plasticity, fracture, estimators."""


@law("elements", "the bilinear shape function of a corner of the square from -1 to 1", title="bilinear_shape|quad_shape|shape_q4", private=True)
def quad_corner_shape(xi: natural_x, eta: natural_y, corner: corner_signs) -> shape_value:
    return 0.25 * (1.0 + xi * corner[0]) * (1.0 + eta * corner[1])


@law("elements", "the slopes of the bilinear shape function of a corner, in natural coordinates", title="bilinear_slopes|quad_shape_gradient|dshape_q4", private=True)
def quad_corner_slopes(xi: natural_x, eta: natural_y, corner: corner_signs) -> vector2:
    return wp.vec2(0.25 * corner[0] * (1.0 + eta * corner[1]), 0.25 * corner[1] * (1.0 + xi * corner[0]))


@law("elements", "the signs of a corner of the square, counted against the clock", title="corner_signs|quad_corner|corner_id", private=True, function=True)
def corner_of(k: index_value) -> corner_signs:
    if k == 0:
        return wp.vec2(-1.0, -1.0)
    if k == 1:
        return wp.vec2(1.0, -1.0)
    if k == 2:
        return wp.vec2(1.0, 1.0)
    return wp.vec2(-1.0, 1.0)


@law("elements", "the quadratic shape function of a corner or of the middle of an edge of a triangle", title="quadratic_shape|p2_shape|shape_t6", private=True, function=True)
def quadratic_shape(k: index_value, la: ratio, lb: ratio, lc: ratio) -> shape_value:
    if k == 0:
        return la * (2.0 * la - 1.0)
    if k == 1:
        return lb * (2.0 * lb - 1.0)
    if k == 2:
        return lc * (2.0 * lc - 1.0)
    if k == 3:
        return 4.0 * la * lb
    if k == 4:
        return 4.0 * lb * lc
    return 4.0 * lc * la


@law("elements", "the part of a number above zero and the part below", title="macaulay|split_sign|positive_negative", private=True)
def macaulay(x: value) -> (value, value):
    return wp.max(x, 0.0), wp.min(x, 0.0)


@scene("fem", "atomic", "matrix", tet,
       says="computes the elastic forces of tetrahedra from the displacement of their nodes and adds them to the nodes",
       title="tet_elastic_forces|eval_tet_forces|tet_internal_forces", algorithm="forces of linear tetrahedra", rare=True)
def tet_forces(x0: each(position, node), u: each(displacement, node, range=(-0.12, 0.12)), tet: index(node, 4), mu: setting(lame_mu), lam: setting(lame_lambda), active: maybe(each(flag), 0.3), f: add(force, node), energy_out: maybe(out(energy), 0.6)):
    names(i="i|n0", j="j|n1", k="k|n2", l="l|n3", dm="Dm|rest_edges", ds="Ds|edges", inv="inv_Dm|Dm_inv", g="F|def_grad", vol="vol|rest_volume", p="P|stress", h="H|forces_m", e="strain|eps", x0="rest_pos|x0", tet="tet_indices|tets", det="det|det_Dm", ex="longest|edge_max", u="displacement|u", f="forces|f", energy_out="energy|energies", fj="f1|force_1", fk="f2|force_2", fl="f3|force_3", jac="J|det_F", fit="F_inv_T|inv_transpose")
    t = wp.tid()
    if present(active):
        if active[t] == 0:
            return
    i = tet[t, 0]
    j = tet[t, 1]
    k = tet[t, 2]
    l = tet[t, 3]
    dm = wp.matrix_from_cols(x0[j] - x0[i], x0[k] - x0[i], x0[l] - x0[i])
    det = wp.abs(wp.determinant(dm))
    ex = wp.max(wp.length(x0[j] - x0[i]), wp.max(wp.length(x0[k] - x0[i]), wp.length(x0[l] - x0[i])))
    note("flat by the measure of its edges|degenerate rest shape")
    if det <= constant("SLIVER_RATIO|FLAT_RATIO", 1.0e-2) * ex * ex * ex:
        if present(energy_out):
            energy_out[t] = 0.0
        return
    inv = wp.inverse(dm)
    vol = det / 6.0
    ds = dm + wp.matrix_from_cols(u[j] - u[i], u[k] - u[i], u[l] - u[i])
    g = ds * inv
    match choose("model"):
        case 2:
            note("St. Venant-Kirchhoff: Green strain, linear law|StVK")
            e = (wp.transpose(g) * g - wp.identity(n=3, dtype=float)) * 0.5
            p = g * (e * (2.0 * mu) + wp.identity(n=3, dtype=float) * (lam * wp.trace(e)))
            if present(energy_out):
                energy_out[t] = vol * (mu * wp.ddot(e, e) + 0.5 * lam * wp.trace(e) * wp.trace(e))
        case 2:
            note("compressible Neo-Hookean, with the logarithm of the volume change")
            jac = wp.determinant(g)
            if jac < 0.02:
                note("no logarithm of an inverted element|flattened or inverted")
                fact("flattened and inverted elements carry no force")
                if present(energy_out):
                    energy_out[t] = 0.0
                return
            fit = wp.transpose(wp.inverse(g))
            p = (g - fit) * mu + fit * (lam * wp.log(jac))
            if present(energy_out):
                energy_out[t] = vol * (0.5 * mu * (wp.ddot(g, g) - 3.0) - mu * wp.log(jac) + 0.5 * lam * wp.log(jac) * wp.log(jac))
        case 1:
            note("small strain: the symmetric part of the displacement gradient|linear elasticity")
            e = (g + wp.transpose(g)) * 0.5 - wp.identity(n=3, dtype=float)
            p = e * (2.0 * mu) + wp.identity(n=3, dtype=float) * (lam * wp.trace(e))
            if present(energy_out):
                energy_out[t] = vol * (mu * wp.ddot(e, e) + 0.5 * lam * wp.trace(e) * wp.trace(e))
    note("columns are the forces on the last three nodes; the first one takes the opposite of their sum")
    h = p * wp.transpose(inv) * (-vol)
    fj = wp.vec3(h[0, 0], h[1, 0], h[2, 0])
    fk = wp.vec3(h[0, 1], h[1, 1], h[2, 1])
    fl = wp.vec3(h[0, 2], h[1, 2], h[2, 2])
    wp.atomic_add(f, i, -(fj + fk + fl))
    wp.atomic_add(f, j, fj)
    wp.atomic_add(f, k, fk)
    wp.atomic_add(f, l, fl)


@scene("fem", "atomic", "vector", face,
       says="computes strain and stress of each triangle in the plane from the displacement of its corners and adds its nodal forces",
       title="plane_triangle_forces|cst_forces|membrane_forces|assemble_cst", algorithm="constant strain triangle")
def cst_forces(x: each(point2, node), u: each(plane_displacement, node), tri: index(node, 3), young: setting(youngs_modulus), nu: setting(poisson_ratio, 0.1, 0.4), thick: maybe(setting(thickness), 0.5), heat: maybe(each(small_strain), 0.3), f: add(plane_load, node), sig_out: out(plane_stress_vector), vm: maybe(out(equivalent_stress), 0.4)):
    names(a="a|n0|ia|p0", b="b|n1|ib|p1", c="c|n2|ic|p2", twice="twice|area2|det|jac2", ba="ba|bx0|g0x|beta_a", bb="bb|bx1|g1x|beta_b", bc="bc|bx2|g2x|beta_c", ga="ga|cy0|g0y|gamma_a", gb="gb|cy1|g1y|gamma_b", gc="gc|cy2|g2y|gamma_c", ex="ex|exx|eps_x|strain_x", ey="ey|eyy|eps_y|strain_y", gxy="gxy|shear|gamma_xy|eps_xy", sx="sx|sxx|sig_x|stress_x", sy="sy|syy|sig_y|stress_y", txy="txy|sxy|tau_xy|stress_xy", w="w|weight_e|vol|area_t", thick="thick|thickness|plate_t|depth_t")
    t = wp.tid()
    a = tri[t, 0]
    b = tri[t, 1]
    c = tri[t, 2]
    twice = (x[b][0] - x[a][0]) * (x[c][1] - x[a][1]) - (x[c][0] - x[a][0]) * (x[b][1] - x[a][1])
    if wp.abs(twice) < number(0.3, 0.8, "sliver"):
        return
    note("slopes of the three shape functions")
    ba = (x[b][1] - x[c][1]) / twice
    bb = (x[c][1] - x[a][1]) / twice
    bc = (x[a][1] - x[b][1]) / twice
    ga = (x[c][0] - x[b][0]) / twice
    gb = (x[a][0] - x[c][0]) / twice
    gc = (x[b][0] - x[a][0]) / twice
    ex = ba * u[a][0] + bb * u[b][0] + bc * u[c][0]
    ey = ga * u[a][1] + gb * u[b][1] + gc * u[c][1]
    gxy = ga * u[a][0] + gb * u[b][0] + gc * u[c][0] + ba * u[a][1] + bb * u[b][1] + bc * u[c][1]
    if present(heat):
        note("free expansion causes no stress|initial strain")
        ex = ex - heat[t]
        ey = ey - heat[t]
    match choose("state"):
        case 2:
            note("plane stress|free to thin out")
            d = young / (1.0 - nu * nu)
            sx = d * (ex + nu * ey)
            sy = d * (ey + nu * ex)
        case 1:
            note("plane strain|held in the third direction")
            d = young / ((1.0 + nu) * (1.0 - 2.0 * nu))
            sx = d * ((1.0 - nu) * ex + nu * ey)
            sy = d * ((1.0 - nu) * ey + nu * ex)
    txy = young / (2.0 * (1.0 + nu)) * gxy
    w = 0.5 * wp.abs(twice)
    if present(thick):
        w = w * thick
    wp.atomic_sub(f, a, wp.vec2(ba * sx + ga * txy, ga * sy + ba * txy) * w)
    wp.atomic_sub(f, b, wp.vec2(bb * sx + gb * txy, gb * sy + bb * txy) * w)
    wp.atomic_sub(f, c, wp.vec2(bc * sx + gc * txy, gc * sy + bc * txy) * w)
    if present(sig_out):
        sig_out[t] = wp.vec3(sx, sy, txy)
    if present(vm):
        vm[t] = wp.sqrt(wp.max(sx * sx - sx * sy + sy * sy + 3.0 * txy * txy, 0.0))


@scene("fem", "nested_loop", "geometry", element,
       says="integrates the volume of distorted hexahedra with two Gauss points in each direction{least:, gives their smallest scaled Jacobian}{center:, finds their centroid}{poor:, and counts those that are badly distorted}",
       title="hex_volumes|hexahedron_quality|integrate_hexes|check_hex_jacobians", algorithm="Gauss quadrature of trilinear hexahedra", rare=True)
def hex_quality(off: each(displacement, element, 8, range=(-0.2, 0.2)), edge_len: setting(length, 1.0, 2.0), vol_out: out(volume), least: maybe(out(ratio), 0.6), center: maybe(out(position), 0.4), poor: maybe(add(count_value, 1), 0.4)):
    names(a="a|gauss_point|inv_sqrt3|gp_coord", jac="jac|J|map_m|jacobian", det="det|dj|det_j|dv", vol="vol|total|acc_v|v_sum", low="low|worst|min_det|smallest", p="p|corner|xp|node_p", s="s|signs|sgn|corner_s", xi="xi|gx|r|ra", eta="eta|gy|q|rb", zeta="zeta|gz|z|rc", grad="grad|dn|slope_n|dshape", g="g|gp|point_g|quad", mid="mid|first_moment|bary|centroid", here="here|xg|gauss_pos|at_g", shape="shape|ni|n_k|weight_n", off="off|node_offsets|distortion|corner_moves", edge_len="edge_len|cell_width|spacing_h|side_length")
    e = wp.tid()
    vol = float(0.0)
    low = float(1.0e6)
    mid = wp.vec3(0.0, 0.0, 0.0)
    a = 1.0 / wp.sqrt(3.0)
    for g in range(8):
        note("bits of the number give the signs of the point|two points along each axis")
        xi = (2.0 * float(g & 1) - 1.0) * a
        eta = (2.0 * float((g >> 1) & 1) - 1.0) * a
        zeta = (2.0 * float((g >> 2) & 1) - 1.0) * a
        jac = wp.mat33(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        here = wp.vec3(0.0, 0.0, 0.0)
        for k in range(8):
            s = wp.vec3(2.0 * float(k & 1) - 1.0, 2.0 * float((k >> 1) & 1) - 1.0, 2.0 * float((k >> 2) & 1) - 1.0)
            p = s * (0.5 * edge_len) + off[e, k]
            grad = wp.vec3(s[0] * (1.0 + eta * s[1]) * (1.0 + zeta * s[2]), s[1] * (1.0 + xi * s[0]) * (1.0 + zeta * s[2]), s[2] * (1.0 + xi * s[0]) * (1.0 + eta * s[1])) * 0.125
            jac = jac + wp.outer(p, grad)
            if present(center):
                shape = 0.125 * (1.0 + xi * s[0]) * (1.0 + eta * s[1]) * (1.0 + zeta * s[2])
                here += p * shape
        det = wp.determinant(jac)
        vol += det
        low = wp.min(low, det)
        mid += here * det
    vol_out[e] = vol
    if present(least):
        note("relative to the undistorted cell: one is perfect, below zero is tangled|scaled Jacobian")
        least[e] = low * 8.0 / (edge_len * edge_len * edge_len)
    if present(center):
        center[e] = mid / vol
    if present(poor):
        note("far from a brick|too distorted to be trusted")
        if low * 8.0 < number(0.3, 0.6, "bad") * edge_len * edge_len * edge_len:
            wp.atomic_add(poor, 0, 1)


@scene("fem", "nested_loop", "function", "matrix", element,
       says="builds the conduction matrix of each quadrilateral by two by two Gauss quadrature of the bilinear shape functions",
       title="quad_conduction_matrix|quad_stiffness|element_laplacian|build_element_matrices", algorithm="element matrix of an isoparametric quadrilateral", rare=True)
def quad_matrix(off: each(plane_displacement, element, 4, range=(-0.25, 0.25)), k: each(conductivity), react: maybe(setting(rate_constant), 0.4), ke: out(element_entry, element, 4, 4), area_out: maybe(out(area), 0.4)):
    names(jac="jac|J|map_m|jacobian", inv="inv|j_inv|inv_map|Ji", det="det|dj|det_j|weight_g", ga="ga|dna|grad_a|slope_a", gb="gb|dnb|grad_b|slope_b", p="p|corner|xp|node_p", s="s|signs|cs|corner_s", xi="xi|gx|r|nat_x", eta="eta|gy|q|nat_y", total="total|area_acc|sum_w|covered", off="off|corner_offsets|distortion|node_moves", ke="ke|elem_mat|local_matrix|stiff_e", react="react|reaction|absorption_c|mass_coef")
    e = wp.tid()
    total = float(0.0)
    for g in range(4):
        xi = corner_of(g)[0] * constant("GAUSS_POINT|INV_SQRT_3|G2", 0.57735027, "gauss")
        eta = corner_of(g)[1] * constant("GAUSS_POINT|INV_SQRT_3|G2", 0.57735027, "gauss")
        jac = wp.mat22(0.0, 0.0, 0.0, 0.0)
        for a in range(4):
            s = corner_of(a)
            p = s + off[e, a]
            jac += wp.outer(quad_corner_slopes(xi, eta, s), p)
        det = wp.determinant(jac)
        note("a folded element cannot be integrated|negative Jacobian")
        if det < 0.05:
            continue
        inv = wp.inverse(jac)
        total += det
        for a in range(4):
            ga = inv * quad_corner_slopes(xi, eta, corner_of(a))
            for b in range(4):
                gb = inv * quad_corner_slopes(xi, eta, corner_of(b))
                ke[e, a, b] += k[e] * wp.dot(ga, gb) * det
                if present(react):
                    ke[e, a, b] += react * quad_corner_shape(xi, eta, corner_of(a)) * quad_corner_shape(xi, eta, corner_of(b)) * det
    if present(area_out):
        area_out[e] = total


@scene("fem", "atomic", "arithmetic", element,
       says="computes the end forces of plane frame members from the displacements and rotations of their nodes and adds them to the nodes",
       title="frame_member_forces|beam_end_forces|assemble_frame|frame_internal_forces", algorithm="Euler-Bernoulli frame element")
def frame_forces(x: each(point2, node), u: each(frame_displacement, node), ends: index(node, 2), ea: setting(positive_value, 1.0, 4.0), ei: setting(positive_value, 0.2, 1.0), load: maybe(each(line_load), 0.4), f: add(frame_load, node), moment_out: maybe(out(bending_moment), 0.6), axial_out: maybe(out(axial_force), 0.5)):
    names(ends="ends|member_nodes|beam_ends|frame_ends", i="i|n0|a_id|start_n", j="j|n1|b_id|end_n", d="d|line|span_v|dx", l="l|len|span|length_e", c="c|cos_t|cx|nx", s="s|sin_t|cy|ny", ua="ua|ax_i|u1|along_i", va="va|tr_i|v1|across_i", ub="ub|ax_j|u2|along_j", vb="vb|tr_j|v2|across_j", ta="ta|rot_i|th1|theta_i", tb="tb|rot_j|th2|theta_j", n="n|axial|normal_f|N", q="q|shear|V|trans_f", ma="ma|m1|mom_i|M_i", mb="mb|m2|mom_j|M_j", fixed="fixed|wl|equiv|fef", ea="ea|axial_rigidity|EA|stretch_k", ei="ei|flexural_rigidity|EI|bend_k")
    e = wp.tid()
    i = ends[e, 0]
    j = ends[e, 1]
    d = x[j] - x[i]
    l = wp.length(d)
    if l < 0.3:
        return
    c = d[0] / l
    s = d[1] / l
    note("displacements along and across the member|to the local axes")
    ua = c * u[i][0] + s * u[i][1]
    va = c * u[i][1] - s * u[i][0]
    ub = c * u[j][0] + s * u[j][1]
    vb = c * u[j][1] - s * u[j][0]
    ta = u[i][2]
    tb = u[j][2]
    n = ea / l * (ub - ua)
    q = 12.0 * ei / (l * l * l) * (va - vb) + 6.0 * ei / (l * l) * (ta + tb)
    ma = 6.0 * ei / (l * l) * (va - vb) + ei / l * (4.0 * ta + 2.0 * tb)
    mb = 6.0 * ei / (l * l) * (va - vb) + ei / l * (2.0 * ta + 4.0 * tb)
    if present(moment_out):
        moment_out[e] = wp.max(wp.abs(ma), wp.abs(mb))
    if present(axial_out):
        axial_out[e] = n
    note("what the member pulls on its nodes, back in global axes")
    wp.atomic_add(f, i, wp.vec3(c * n + s * q, s * n - c * q, -ma))
    wp.atomic_add(f, j, wp.vec3(-c * n - s * q, -s * n + c * q, -mb))
    if present(load):
        note("a uniform load across the member, as fixed-end forces")
        fixed = 0.5 * load[e] * l
        wp.atomic_add(f, i, wp.vec3(-s * fixed, c * fixed, load[e] * l * l / 12.0))
        wp.atomic_add(f, j, wp.vec3(-s * fixed, c * fixed, -load[e] * l * l / 12.0))


@scene("fem", "stencil", "control_flow", element,
       says="advances linear advection by one step of a discontinuous Galerkin method with mean and slope in each element of a ring",
       title="dg_advection_step|dg_step|galerkin_advect|upwind_dg", algorithm="discontinuous Galerkin advection with linear elements")
def dg_advection(u: each(vector2), speed_c: setting(axial_velocity, -1.5, 1.5), dx: setting(cell_size, 0.5, 1.0), dt: setting(time_step), limited: maybe(setting(flag, 0, 1), 0.5), u_out: out(vector2), flux_out: maybe(out(advective_flux), 0.4)):
    names(left="left|um|west|prev_e", right="right|up_|east|next_e", here="here|uc|own|cur_e", fl="fl|f_left|flux_l|in_f", fr="fr|f_right|flux_r|out_f", mean="mean|a0|avg|u0", slope="slope|a1|tilt|u1", back="back|dm|diff_l|jump_l", ahead="ahead|dp|diff_r|jump_r", u="u|modes|dg_coeffs|modal_u", u_out="u_out|modes_out|new_coeffs|modal_out", speed_c="speed_c|advection_speed|c_adv|wind")
    e = wp.tid()
    here = u[e]
    left = u[(e + count(element) - 1) % count(element)]
    right = u[(e + 1) % count(element)]
    match choose("flux"):
        case 2:
            note("traces on both sides of the faces; the upwind one counts|upwind flux")
            if speed_c > 0.0:
                fl = speed_c * (left[0] + left[1])
                fr = speed_c * (here[0] + here[1])
            else:
                fl = speed_c * (here[0] - here[1])
                fr = speed_c * (right[0] - right[1])
        case 1:
            note("central part and a jump weighted by the wave speed|local Lax-Friedrichs form")
            fl = 0.5 * speed_c * (left[0] + left[1] + here[0] - here[1]) - 0.5 * wp.abs(speed_c) * (here[0] - here[1] - left[0] - left[1])
            fr = 0.5 * speed_c * (here[0] + here[1] + right[0] - right[1]) - 0.5 * wp.abs(speed_c) * (right[0] - right[1] - here[0] - here[1])
    mean = here[0] - dt / dx * (fr - fl)
    slope = here[1] + 3.0 * dt / dx * (2.0 * speed_c * here[0] - fr - fl)
    if present(limited):
        if limited == 1:
            note("the slope may not overshoot the neighbours' means|minmod limiter")
            back = here[0] - left[0]
            ahead = right[0] - here[0]
            if slope * back <= 0.0 or slope * ahead <= 0.0:
                slope = float(0.0)
            else:
                slope = wp.sign(slope) * wp.min(wp.abs(slope), wp.min(wp.abs(back), wp.abs(ahead)))
    u_out[e] = wp.vec2(mean, slope)
    if present(flux_out):
        flux_out[e] = fr


@scene("fem", "atomic", "control_flow", edge,
       says="adds the jump of the flux across each inner edge of a mesh to the error indicators of its two elements",
       title="jump_indicators|kelly_estimator|edge_jump_errors|error_indicators", algorithm="Kelly error estimator", rare=True)
def kelly_jumps(x: each(point2, node), ends: index(node, 2), sides: index(face, 2), grad: each(vector2, face), k: each(conductivity, face), outer: maybe(each(flag), 0.4), eta: add(positive_value, face), worst: maybe(add(positive_value, 1), 0.4), jump_out: maybe(out(value), 0.5)):
    names(a="a|n0|p0|tail", b="b|n1|p1|head", d="d|line|tangent_e|ab", h="h|len_e|size|edge_h", n="n|normal_e|across|nu", l="l|f0|left_f|minus", r="r|f1|right_f|plus", jump="jump|gap|flux_jump|mismatch", part="part|term|share|contrib", sides="sides|edge_faces|adjacent|elem_pair", eta="eta|indicators|eta_sq|element_error", outer="outer|is_boundary|on_border|rim")
    e = wp.tid()
    l = sides[e, 0]
    r = sides[e, 1]
    note("border edges have one side only|no jump at the boundary")
    if l == r:
        return
    if present(outer):
        if outer[e] == 1:
            return
    a = x[ends[e, 0]]
    b = x[ends[e, 1]]
    d = b - a
    h = wp.length(d)
    if h < 0.05:
        return
    n = wp.vec2(d[1] / h, -d[0] / h)
    jump = k[l] * wp.dot(grad[l], n) - k[r] * wp.dot(grad[r], n)
    if present(jump_out):
        jump_out[e] = jump
    note("h / 24 times the integral of the squared jump along the edge")
    part = h / 24.0 * jump * jump * h
    wp.atomic_add(eta, l, part)
    wp.atomic_add(eta, r, part)
    if present(worst):
        wp.atomic_max(worst, 0, part)


@scene("fem", "atomic", "nested_loop", tet,
       says="multiplies the mass matrix of a tetrahedral mesh with a nodal velocity, element by element",
       title="apply_mass_matrix|mass_times_velocity|consistent_mass|mass_matvec", algorithm="mass matrix of linear tetrahedra")
def tet_mass(x: each(position, node), tet: index(node, 4), v: each(velocity, node), rho: each(density), y: add(momentum, node), diag_out: maybe(add(mass, node), 0.4)):
    names(i="i|n0|ia|va", j="j|n1|ib|vb", k="k|n2|ic|vc", l="l|n3|id_|vd", vol="vol|volume_t|V|det6", m="m|elem_mass|mt|tet_m", total="total|sum_v|v_all|acc", n="n|row_n|target|node_id", w="w|coef|share|twentieth", tet="tet|tet_indices|elements|cells", y="y|mv|momentum_out|product")
    t = wp.tid()
    i = tet[t, 0]
    j = tet[t, 1]
    k = tet[t, 2]
    l = tet[t, 3]
    vol = wp.abs(wp.dot(x[j] - x[i], wp.cross(x[k] - x[i], x[l] - x[i]))) / 6.0
    m = rho[t] * vol
    match choose("mass"):
        case 2:
            note("m / 20 off the diagonal, m / 10 on it|consistent mass")
            total = v[i] + v[j] + v[k] + v[l]
            w = m / 20.0
            wp.atomic_add(y, i, (total + v[i]) * w)
            wp.atomic_add(y, j, (total + v[j]) * w)
            wp.atomic_add(y, k, (total + v[k]) * w)
            wp.atomic_add(y, l, (total + v[l]) * w)
        case 1:
            note("a quarter of the mass at each node|row-sum lumping")
            for c in range(4):
                n = tet[t, c]
                wp.atomic_add(y, n, v[n] * (0.25 * m))
    if present(diag_out):
        for c in range(4):
            wp.atomic_add(diag_out, tet[t, c], 0.25 * m)


@scene("fem", "atomic", "geometry", face,
       says="turns the pressure on boundary triangles into forces at their corners and adds up the moment about a point",
       title="pressure_loads|surface_traction|boundary_loads|follower_pressure", algorithm="consistent pressure load on triangles", rare=True)
def pressure_loads(x: each(position, node), u: maybe(each(displacement, node), 0.4), tri: index(node, 3), p: each(pressure, node), wet: maybe(each(flag), 0.4), f: add(force, node), about: setting(position, -0.5, 0.5), moment: add(torque, 1), area_sum: maybe(add(area, 1), 0.3)):
    names(i="i|a_id|n0|v0", j="j|b_id|n1|v1", k="k|c_id|n2|v2", a="a|xa|pa_|corner_a", b="b|xb|pb_|corner_b", c="c|xc|pc_|corner_c", n="n|area_n|an|surface_v", fa="fa|load_a|share_a|t0", fb="fb|load_b|share_b|t1", fc="fc|load_c|share_c|t2", p="p|fluid_pressure|nodal_p|pressures", wet="wet|submerged|exposed|loaded", about="about|pivot|moment_center|hinge")
    t = wp.tid()
    if present(wet):
        note("only the wetted surface is loaded|dry faces carry nothing")
        if wet[t] == 0:
            return
    i = tri[t, 0]
    j = tri[t, 1]
    k = tri[t, 2]
    a = x[i]
    b = x[j]
    c = x[k]
    if present(u):
        note("the load follows the deformed surface|follower load")
        a = a + u[i]
        b = b + u[j]
        c = c + u[k]
    note("outward normal times area")
    n = wp.cross(b - a, c - a) * 0.5
    match choose("weights"):
        case 2:
            note("linear pressure over the face: twice the own corner, once the others, over twelve")
            fa = n * (-(2.0 * p[i] + p[j] + p[k]) / 12.0)
            fb = n * (-(p[i] + 2.0 * p[j] + p[k]) / 12.0)
            fc = n * (-(p[i] + p[j] + 2.0 * p[k]) / 12.0)
        case 1:
            note("mean pressure, a third to each corner")
            fa = n * (-(p[i] + p[j] + p[k]) / 9.0)
            fb = fa
            fc = fa
    wp.atomic_add(f, i, fa)
    wp.atomic_add(f, j, fb)
    wp.atomic_add(f, k, fc)
    if present(moment):
        wp.atomic_add(moment, 0, wp.cross(a - about, fa) + wp.cross(b - about, fb) + wp.cross(c - about, fc))
    if present(area_sum):
        wp.atomic_add(area_sum, 0, wp.length(n))


@scene("fem", "nested_loop", "atomic", face,
       says="integrates a source over quadratic triangles with three inner points and adds the load to their six nodes",
       title="quadratic_load|p2_load_vector|six_node_triangle_load|assemble_p2_source", algorithm="load vector of quadratic triangles", rare=True)
def p2_load(x: each(point2, node), tri: index(node, 6), src: rows(field_value, 6), scale: maybe(each(positive_value), 0.4), rhs: add(field_value, node), total: maybe(out(field_value), 0.5)):
    names(ia="ia|n0|v0|node_a", ib="ib|n1|v1|node_b", ic="ic|n2|v2|node_c", area2="area2|det|jac2|twice", l0="l0|la|bary_a|s0", l1="l1|lb|bary_b|s1", l2="l2|lc|bary_c|s2", s="s|source_g|value_g|f_g", w="w|wg|quad_w|weight_g", g="g|gp|quad_pt|point_g", tri="tri|p2_nodes|six_nodes|elements", rhs="rhs|load|b_vec|load_vector", acc="acc|sum_e|integral|elem_sum")
    t = wp.tid()
    ia = tri[t, 0]
    ib = tri[t, 1]
    ic = tri[t, 2]
    area2 = wp.abs((x[ib][0] - x[ia][0]) * (x[ic][1] - x[ia][1]) - (x[ic][0] - x[ia][0]) * (x[ib][1] - x[ia][1]))
    w = area2 / 6.0
    if present(scale):
        w = w * scale[t]
    acc = float(0.0)
    for g in range(3):
        note("barycentric coordinates of the point: two thirds at one corner")
        l0 = float(1.0 / 6.0)
        l1 = float(1.0 / 6.0)
        l2 = float(1.0 / 6.0)
        if g == 0:
            l0 = 2.0 / 3.0
        elif g == 1:
            l1 = 2.0 / 3.0
        else:
            l2 = 2.0 / 3.0
        s = float(0.0)
        for k in range(6):
            s += quadratic_shape(k, l0, l1, l2) * src[t, k]
        for k in range(6):
            wp.atomic_add(rhs, tri[t, k], w * s * quadratic_shape(k, l0, l1, l2))
        acc += w * s
    if present(total):
        total[t] = acc


@scene("fem", "control_flow", "scalar_param", contact,
       says="updates the damage of cohesive interfaces that open and slide, with a linear loss of strength, and computes their tractions",
       title="cohesive_traction|update_interfaces|cohesive_zone|delamination_step", algorithm="cohesive zone with linear softening", rare=True)
def cohesive_zone(open_n: each(opening), slide: each(opening), worst: inout(opening, range=(0.0, 0.4)), k0: setting(stiffness, 10.0, 40.0), d0: setting(opening, 0.1, 0.2), df: setting(opening, 0.5, 0.9), mix: maybe(setting(ratio, 0.4, 0.9), 0.4), tn: out(cohesive_traction), ts: out(cohesive_traction), dmg_out: maybe(out(damage_variable), 0.6), broken: maybe(add(count_value, 1), 0.4)):
    names(open_n="open_n|normal_opening|opening_n|gap_n", slide="slide|sliding|shear_opening|slip", tn="tn|normal_traction|traction_n|t_normal", ts="ts|shear_traction|traction_s|t_shear", dmg_out="damage|damage_out|degradation|damage_now", broken="broken|num_broken|failed|newly_broken", before="before|worst_before|old_kappa|previous")
    names(dn="dn|normal_gap|mode_one|w_n", eff="eff|delta|sep|effective", far="far|kappa|history|peak", dmg="dmg|d|damage_i|softening", keep="keep|intact|remaining|rest", worst="worst|kappa_max|opening_history|delta_max", k0="k0|penalty_k|interface_stiffness|k_init", d0="d0|onset|delta_0|damage_onset_gap", df="df|failure_gap|delta_f|final_gap", mix="mix|mode_mix|shear_weight|beta_mix")
    c = wp.tid()
    note("closing does no damage|only opening counts")
    dn = wp.max(open_n[c], 0.0)
    if present(mix):
        eff = wp.sqrt(dn * dn + mix * mix * slide[c] * slide[c])
    else:
        eff = wp.sqrt(dn * dn + slide[c] * slide[c])
    note("the largest separation so far decides|damage never heals")
    before = worst[c]
    far = wp.max(before, eff)
    worst[c] = far
    if far <= d0:
        dmg = float(0.0)
    elif far >= df:
        dmg = float(1.0)
        if present(broken):
            note("count it only when it breaks|broken in this step")
            if before < df:
                wp.atomic_add(broken, 0, 1)
    else:
        dmg = df * (far - d0) / (far * (df - d0))
    keep = (1.0 - dmg) * k0
    if open_n[c] < 0.0:
        note("contact: the faces press on each other with full stiffness|no interpenetration")
        tn[c] = k0 * open_n[c]
    else:
        tn[c] = keep * open_n[c]
    if present(mix):
        note("shear counts with the square of its weight|consistent with the effective opening")
        ts[c] = mix * mix * keep * slide[c]
    else:
        ts[c] = keep * slide[c]
    if present(dmg_out):
        dmg_out[c] = dmg


@scene("fem", "matrix", "control_flow", element,
       says="updates stress and plastic strain of each material point by a radial return to the yield surface of von Mises with linear hardening",
       title="radial_return|j2_plasticity|plastic_corrector|von_mises_return", algorithm="radial return mapping", rare=True)
def radial_return(deps: each(strain, range=(-0.1, 0.1)), sig: inout(stress, range=(-2.0, 2.0)), alpha: inout(plastic_strain), mu: setting(lame_mu, 5.0, 20.0), bulk: setting(positive_value, 2.0, 4.0), yield0: setting(yield_stress, 2.0, 4.0), hard: setting(hardening_modulus), flow: maybe(out(strain), 0.4), yielded: maybe(out(flag), 0.5), work: maybe(out(energy), 0.4)):
    names(de="de|d_eps|inc|strain_inc", s="s|dev|s_tr|trial_dev", old="old|sig_n|prev_s|start", press="press|mean_s|p_tr|hydro", norm="norm|s_norm|mag|size", over="over|f_tr|phi|excess", dg="dg|dgamma|multiplier|slip", n="n|flow_dir|unit_s|nn", radius_y="radius_y|limit|k_r|yield_r", deps="deps|strain_increment|d_strain|delta_eps", sig="sig|cauchy|stress_state|sigma_pt")
    e = wp.tid()
    note("symmetric parts: rounding may have spoilt them|symmetrise")
    de = (deps[e] + wp.transpose(deps[e])) * 0.5
    old = (sig[e] + wp.transpose(sig[e])) * 0.5
    press = wp.trace(old) / 3.0 + bulk * wp.trace(de)
    note("elastic predictor of the deviator")
    s = old - wp.identity(n=3, dtype=float) * (wp.trace(old) / 3.0) + (de - wp.identity(n=3, dtype=float) * (wp.trace(de) / 3.0)) * (2.0 * mu)
    norm = wp.sqrt(wp.ddot(s, s))
    radius_y = constant("SQRT_TWO_THIRDS|ROOT_2_3", 0.81649658, "root") * (yield0 + hard * alpha[e])
    over = norm - radius_y
    if over <= 0.0:
        sig[e] = s + wp.identity(n=3, dtype=float) * press
        if present(yielded):
            yielded[e] = 0
        if present(work):
            work[e] = 0.0
        return
    note("the consistency condition in closed form|plastic multiplier")
    dg = over / (2.0 * mu + 2.0 / 3.0 * hard)
    n = s / norm
    s = s - n * (2.0 * mu * dg)
    sig[e] = s + wp.identity(n=3, dtype=float) * press
    alpha[e] = alpha[e] + constant("SQRT_TWO_THIRDS|ROOT_2_3", 0.81649658, "root") * dg
    if present(flow):
        flow[e] = n * dg
    if present(yielded):
        yielded[e] = 1
    if present(work):
        note("dissipated in this step|plastic work")
        work[e] = wp.ddot(s, n) * dg


@scene("fem", "nested_loop", "math", element,
       says="advances the stress of a viscoelastic material by one step: each Maxwell branch relaxes and takes its share of the new strain",
       title="prony_update|viscoelastic_step|relax_branches|maxwell_branches", algorithm="generalised Maxwell model with a Prony series", rare=True,
       lossy=True)
def prony_series(eps: each(axial_strain), last: each(axial_strain), branch: inout(axial_stress, element, 3, range=(-2.0, 2.0)), modulus: each(positive_value, 3), tau: each(relaxation_period, 3), e_inf: setting(youngs_modulus, 1.0, 5.0), dt: setting(time_step, 0.02, 0.2), shift: maybe(each(shift_factor), 0.4), sig: out(axial_stress), loss_out: maybe(out(energy), 0.4)):
    names(de="de|d_eps|rate_e|inc", total="total|stress_sum|acc|s", z="z|ratio_t|x|reduced", keep="keep|decay|fade|exp_z", gain_b="gain_b|mean_fade|h_fac|feed", q="q|h_b|branch_s|overstress", lost="lost|dissip|heat_b|power", branch="branch|overstress_b|internal_s|history", modulus="modulus|branch_moduli|prony_e|g_i", tau="tau|relax_times|prony_tau|t_i", shift="shift|a_t|time_shift|wlf_factor")
    e = wp.tid()
    de = eps[e] - last[e]
    total = e_inf * eps[e]
    lost = float(0.0)
    for b in range(3):
        z = dt / tau[b]
        if present(shift):
            note("warm material relaxes faster|time-temperature shift")
            z = z / shift[e]
        keep = wp.exp(-z)
        note("exact for a strain that grows linearly over the step")
        gain_b = (1.0 - keep) / z
        q = keep * branch[e, b] + modulus[b] * gain_b * de
        branch[e, b] = q
        total += q
        lost += q * q / (modulus[b] * tau[b])
    sig[e] = total
    if present(loss_out):
        loss_out[e] = lost


@scene("fem", "matrix", "function", element,
       says="splits the elastic energy of a cracking solid into tension and compression, keeps the largest tension so far, and degrades the stress",
       title="phase_field_history|fracture_energy_split|crack_driving_force|degrade_stress", algorithm="spectral split of the elastic energy", rare=True)
def phase_field_split(grad_u: each(matrix3, range=(-0.2, 0.2)), d: each(damage_variable), history: inout(energy_density, range=(0.0, 0.3)), mu: setting(lame_mu), lam: setting(lame_lambda), rest: maybe(setting(small_number, 0.0001, 0.001), 0.5), sig_out: out(stress), tension: maybe(out(energy_density), 0.5)):
    names(eps="eps|strain_e|sym_u|small_e", q="q|dirs|vecs|frame", lam_e="lam_e|principal|vals|stretch_e", tr="tr|vol_e|trace_e|dilat", psi="psi|w_plus|tensile|driving", pos="pos|e_plus|opened|ten_e", neg="neg|e_minus|closed|com_e", g="g|degrade|soft|keep", s="s|sig_p|principal_s|s_eig", trp="trp|tr_pos|vol_plus|open_tr", trn="trn|tr_neg|vol_minus|shut_tr", d="d|phase|crack_field|damage_in", history="history|h_max|crack_history|max_psi")
    e = wp.tid()
    eps = (grad_u[e] + wp.transpose(grad_u[e])) * 0.5
    q, lam_e = wp.eig3(eps)
    tr = wp.trace(eps)
    trp, trn = macaulay(tr)
    psi = 0.5 * lam * trp * trp
    g = (1.0 - d[e]) * (1.0 - d[e])
    if present(rest):
        note("a little stiffness stays for the solver|residual stiffness")
        g = g + rest
    s = wp.vec3(0.0, 0.0, 0.0)
    for a in range(3):
        pos, neg = macaulay(lam_e[a])
        psi += mu * pos * pos
        note("only the opening part loses its strength|closed cracks still press")
        s[a] = g * (lam * trp + 2.0 * mu * pos) + lam * trn + 2.0 * mu * neg
    sig_out[e] = q * wp.diag(s) * wp.transpose(q)
    note("cracks do not heal: the largest value drives the phase field|irreversibility")
    history[e] = wp.max(history[e], psi)
    if present(tension):
        tension[e] = psi
