"""Things that deform: hinges of cloth, volumes, strain limits, fluids of particles, material points, grains, rods, clusters, bonds."""


@law("deformables", "weights of the three nearest grid nodes along an axis, by quadratic splines", title="quadratic_weights|bspline_weights|spline_weights", private=True, function=True)
def quadratic_weights(f: node_offset) -> barycentric:
    return wp.vec3(0.5 * (1.5 - f) * (1.5 - f), 0.75 - (f - 1.0) * (f - 1.0), 0.5 * (f - 0.5) * (f - 0.5))


@law("deformables", "the smoothing kernel of degree six for densities", title="poly6|w_poly6|density_kernel", private=True, function=True)
def poly6_kernel(r: distance, h: smoothing_length) -> smoothing_weight:
    names(d="d|inside|q")
    if r >= h:
        return 0.0
    d = h * h - r * r
    return 315.0 / (64.0 * wp.pi * wp.pow(h, 9.0)) * d * d * d


@law("deformables", "the gradient of the spiky kernel, which pushes near neighbours apart", title="spiky_gradient|grad_spiky|pressure_gradient_kernel", private=True, function=True)
def spiky_gradient(d: separation, h: smoothing_length) -> shape_gradient:
    names(r="r|dist|len_d")
    r = wp.length(d)
    if r >= h or r < 1.0e-5:
        return wp.vec3(0.0, 0.0, 0.0)
    return d * (-45.0 / (wp.pi * wp.pow(h, 6.0)) * (h - r) * (h - r) / r)


@law("deformables", "the angle by which two triangles are folded along their common edge, signed", title="dihedral_angle|fold_angle|hinge_angle", private=True, function=True)
def fold_angle(n1: normal, n2: normal, e: direction) -> angle:
    return wp.atan2(wp.dot(wp.cross(n1, n2), e), wp.dot(n1, n2))


@scene("fem", "physics", "geometry", "atomic", "combined", hinge,
       says="bends the two triangles at each inner edge of a cloth back {rest:to their rest angle}{!rest:to flat} and adds the forces to four vertices",
       title="hinge_bending_forces|cloth_bending|dihedral_springs|bend_cloth", algorithm="dihedral angle bending forces", rare=True)
def hinge_bending(x: each(position, vertex), v: maybe(each(velocity, vertex), 0.4), ids: index(vertex, 4), rest: maybe(each(rest_dihedral), 0.6), k: setting(bending_stiffness), kd: maybe(setting(damping), 1.0), f: add(force, vertex), fold_out: maybe(out(angle), 0.5)):
    names(a="a|e0|i0|va", b="b|e1|i1|vb", c="c|o0|i2|wing_l", d="d|o1|i3|wing_r", n1="n1|na|left_n|nl", n2="n2|nb|right_n|nr", e="e|edge_v|axis_e|spine", len_e="len_e|le|edge_len|span", s1="s1|sq1|area1|n1_sq", s2="s2|sq2|area2|n2_sq", g1="g1|gl|u1|dir_l", g2="g2|gr|u2|dir_r", theta="theta|fold|phi|ang", push="push|moment|m_h|torque_h", ga="ga|grad_a|wa|da", gb="gb|grad_b|wb|db", rate="rate|fold_v|theta_dot|unfold")
    h = wp.tid()
    a = ids[h, 0]
    b = ids[h, 1]
    c = ids[h, 2]
    d = ids[h, 3]
    e = x[b] - x[a]
    len_e = wp.length(e)
    n1 = wp.cross(x[a] - x[c], x[b] - x[c])
    n2 = wp.cross(x[b] - x[d], x[a] - x[d])
    s1 = wp.length_sq(n1)
    s2 = wp.length_sq(n2)
    note("no edge or a collapsed wing: no angle|degenerate hinge")
    if c == d or len_e < number(0.01, 0.05, "short") or s1 < number(0.001, 0.01, "thin") or s2 < number(0.001, 0.01, "thin"):
        if present(fold_out):
            fold_out[h] = 0.0
        return
    theta = fold_angle(n1 / wp.sqrt(s1), n2 / wp.sqrt(s2), e / len_e)
    if present(fold_out):
        fold_out[h] = theta
    if present(rest):
        theta = theta - rest[h]
    note("gradients of the angle|how the angle follows the four points")
    g1 = n1 * (len_e / s1)
    g2 = n2 * (len_e / s2)
    ga = n1 * (wp.dot(x[b] - x[c], e) / (len_e * s1)) + n2 * (wp.dot(x[b] - x[d], e) / (len_e * s2))
    gb = n1 * (wp.dot(x[c] - x[a], e) / (len_e * s1)) + n2 * (wp.dot(x[d] - x[a], e) / (len_e * s2))
    push = -k * theta
    if present(v) and present(kd):
        note("damp the folding only|no drag on rigid motion")
        rate = wp.dot(ga, v[a]) + wp.dot(gb, v[b]) - wp.dot(g1, v[c]) - wp.dot(g2, v[d])
        push -= kd * rate
    wp.atomic_add(f, a, ga * push)
    wp.atomic_add(f, b, gb * push)
    wp.atomic_sub(f, c, g1 * push)
    wp.atomic_sub(f, d, g2 * push)


@scene("physics", "fem", "atomic", "geometry", tet,
       says="keeps the volume of each tetrahedron by moving its corners along the gradients of the volume, softened by a compliance",
       title="solve_tet_volumes|xpbd_volume|volume_constraints|preserve_volume", algorithm="XPBD volume constraint")
def volume_constraints(x: each(position, vertex), w: each(inverse_mass, vertex), ids: index(vertex, 4), v0: each(rest_volume), alpha: setting(compliance, 0.000001, 0.0001), dt: setting(time_step, 0.005, 0.05), inflation: maybe(setting(ratio, 0.8, 1.3), 0.4), relax: maybe(setting(relaxation, 0.3, 1.0), 0.4), dx: add(position_change, vertex), c_out: maybe(out(constraint_value), 0.5), flipped: maybe(add(count_value, 1), 0.4)):
    names(a="a|i0|va|n0", b="b|i1|vb|n1", c="c|i2|vc|n2", d="d|i3|vd|n3", gb="gb|g1|grad_b|db", gc="gc|g2|grad_c|dc", gd="gd|g3|grad_d|dd", ga="ga|g0|grad_a|da", con="con|cval|excess|viol", den="den|w_sum|denom|resist", lam="lam|dl|step_l|s", vol="vol|now|v_cur|volume_t", v0="rest_volume|v0|vol0|rest_vol", alpha="compliance|alpha|softness|inv_stiffness", inflation="inflation|volume_scale|inflate|target_scale", c_out="violation|c_out|constraint|volume_error", dx="dx|delta|corrections|dpos")
    t = wp.tid()
    a = ids[t, 0]
    b = ids[t, 1]
    c = ids[t, 2]
    d = ids[t, 3]
    gb = wp.cross(x[c] - x[a], x[d] - x[a]) / 6.0
    gc = wp.cross(x[d] - x[a], x[b] - x[a]) / 6.0
    gd = wp.cross(x[b] - x[a], x[c] - x[a]) / 6.0
    ga = -(gb + gc + gd)
    vol = wp.dot(gd, x[d] - x[a])
    con = vol - v0[t]
    if present(inflation):
        note("pumped up or let out|scaled target volume")
        con = vol - inflation * v0[t]
    if present(c_out):
        c_out[t] = con
    if present(flipped):
        if vol < -constant("FLIP_EPS|INVERTED_BELOW", 1.0e-3):
            wp.atomic_add(flipped, 0, 1)
    den = w[a] * wp.dot(ga, ga) + w[b] * wp.dot(gb, gb) + w[c] * wp.dot(gc, gc) + w[d] * wp.dot(gd, gd)
    note("flat to a point: there is no way to gain volume|vanishing gradients")
    if den < constant("GRAD_EPS|MIN_GRADIENT", 1.0e-5):
        return
    lam = -con / (den + alpha / (dt * dt))
    if present(relax):
        lam = lam * relax
    wp.atomic_add(dx, a, ga * (lam * w[a]))
    wp.atomic_add(dx, b, gb * (lam * w[b]))
    wp.atomic_add(dx, c, gc * (lam * w[c]))
    wp.atomic_add(dx, d, gd * (lam * w[d]))


@scene("fem", "physics", "matrix", "atomic", "multi_conditional", face,
       says="limits how far each triangle of a cloth is stretched or squeezed along its principal directions and gives the moves of its corners",
       title="limit_cloth_strain|strain_limiting|clamp_stretch|triangle_strain_limit", algorithm="strain limiting by singular values", rare=True)
def strain_limit(x: each(position, vertex), tri: index(vertex, 3), ea: each(material_edge), eb: each(material_edge), low: setting(ratio, 0.8, 0.95), high: setting(expansion_factor, 1.02, 1.2), dx: add(position_change, vertex), over: maybe(out(flag), 0.6), worst: maybe(out(ratio), 0.4)):
    names(a="a|i0|va|n0", b="b|i1|vb|n1", c="c|i2|vc|n2", p="p|u3|edge_ab|e1", q="q|v3|edge_ac|e2", ux="ux|tx|axis_u|frame_x", uy="uy|ty|axis_v|frame_y", ds="ds|now_m|cur_m|d_s", dm="dm|rest_m|ref_m|d_m", fm="fm|F|grad2|def2", uu="uu|U|rot_u|left", s="s|sv|sigma|stretches", vv="vv|V|rot_v|right", s0="s0|c0|lim0|cl_a", s1="s1|c1|lim1|cl_b", goal="goal|new_m|fixed|target_m", pa="pa|new_p|ga|to_b", qa="qa|new_q|gb|to_c", mid="mid|center_s|shift|pull", area2="area2|rest_det|det_m|dmat")
    f = wp.tid()
    a = tri[f, 0]
    b = tri[f, 1]
    c = tri[f, 2]
    p = x[b] - x[a]
    q = x[c] - x[a]
    dm = wp.matrix_from_cols(ea[f], eb[f])
    area2 = wp.determinant(dm)
    note("a pattern without area, or a triangle folded to a line|degenerate")
    if wp.abs(area2) < number(0.02, 0.1, "flat") or wp.length(wp.cross(p, q)) < number(0.01, 0.05, "line"):
        if present(over):
            over[f] = 0
        if present(worst):
            worst[f] = 0.0
        return
    note("two axes in the plane of the triangle|flatten into its own plane")
    ux = wp.normalize(p)
    uy = wp.normalize(q - ux * wp.dot(q, ux))
    ds = wp.matrix_from_cols(wp.vec2(wp.length(p), 0.0), wp.vec2(wp.dot(q, ux), wp.dot(q, uy)))
    fm = ds * wp.inverse(dm)
    uu, s, vv = wp.svd2(fm)
    s0 = wp.sign(s[0]) * wp.clamp(wp.abs(s[0]), low, high)
    s1 = wp.sign(s[1]) * wp.clamp(wp.abs(s[1]), low, high)
    if present(over):
        if wp.abs(s0 - s[0]) + wp.abs(s1 - s[1]) > 1.0e-4:
            over[f] = 1
        else:
            over[f] = 0
    if present(worst):
        worst[f] = wp.max(wp.abs(s[0]), wp.abs(s[1]))
    goal = uu * wp.diag(wp.vec2(s0, s1)) * wp.transpose(vv) * dm
    pa = ux * goal[0, 0] + uy * goal[1, 0]
    qa = ux * goal[0, 1] + uy * goal[1, 1]
    note("the centroid stays where it is|no drift")
    mid = ((pa - p) + (qa - q)) / 3.0
    wp.atomic_sub(dx, a, mid)
    wp.atomic_add(dx, b, pa - p - mid)
    wp.atomic_add(dx, c, qa - q - mid)


@scene("physics", "reduction", "function", "nested_loop", particle,
       says="computes for each particle of a fluid the multiplier that would bring its density back to the rest density",
       title="pbf_lambdas|density_constraint|incompressibility_lambda|solve_density", algorithm="density constraint of position based fluids")
def pbf_lambda(start: offsets(item), nbr: index(particle, over=item), x: each(position), m: setting(mass, 0.8, 1.2), h: setting(smoothing_length, 1.4, 1.8), rho0: setting(rest_density, 0.35, 0.7), eps: setting(small_number, 0.001, 0.05), lam: out(density_multiplier), rho_out: maybe(out(density), 0.6), surface: maybe(out(flag), 0.4)):
    names(xi="xi|at|pos_i|here", rho="rho|dens|rho_i|density_sum", gi="gi|grad_i|own_g|g_self", sq="sq|sum_sq|g_norm|denom", g="g|gj|grad_j|g_k", j="j|other|nb|neighbor", c="c|con|compress|excess", d="d|rel|diff|xij")
    i = wp.tid()
    xi = x[i]
    note("the particle itself counts, too|own weight")
    rho = m * poly6_kernel(0.0, h)
    gi = wp.vec3()
    sq = float(0.0)
    for k in range(start[i], start[i + 1]):
        j = nbr[k]
        if j == i:
            continue
        d = xi - x[j]
        rho += m * poly6_kernel(wp.length(d), h)
        g = spiky_gradient(d, h) * (m / rho0)
        gi += g
        sq += wp.dot(g, g)
    c = rho / rho0 - 1.0
    if present(rho_out):
        rho_out[i] = rho
    if present(surface):
        if rho < number(0.6, 0.95, "thin") * rho0:
            surface[i] = 1
        else:
            surface[i] = 0
    if maybe(0.5, "one_sided"):
        note("fluids do not pull: only compression counts|no negative pressure")
        fact("expanded particles get a multiplier of zero")
        if c <= 0.0:
            lam[i] = 0.0
            return
    lam[i] = -c / (sq + wp.dot(gi, gi) + eps)


@scene("physics", "nested_loop", "function", "control_flow", particle,
       says="moves the particles of a fluid along the gradients of their density constraints, with a small repulsion against clumping, and keeps them inside a box",
       title="pbf_corrections|apply_density_shift|fluid_position_update|move_fluid", algorithm="position correction of position based fluids",
       lossy=True)
def pbf_shift(start: offsets(item), nbr: index(particle, over=item), x: each(position), lam: each(density_multiplier), m: setting(mass, 0.8, 1.2), h: setting(smoothing_length, 1.4, 1.8), rho0: setting(rest_density, 0.35, 0.7), clump: maybe(setting(small_number, 0.0001, 0.01), 0.5), lower: setting(box_lower), upper: setting(box_upper), x_new: out(position), moved: maybe(out(distance), 0.5)):
    names(xi="xi|at|pos_i|here", acc="acc|dp|shift_i|delta", j="j|other|nb|neighbor", d="d|rel|diff|xij", corr="corr|s_corr|repulse|anti", q="q|ratio_w|rel_w|wq", out_p="out_p|placed|new_p|target_p")
    i = wp.tid()
    xi = x[i]
    acc = wp.vec3()
    for k in range(start[i], start[i + 1]):
        j = nbr[k]
        if j == i:
            continue
        d = xi - x[j]
        corr = float(0.0)
        if present(clump):
            note("artificial pressure against clumps|surface tension comes with it")
            q = poly6_kernel(wp.length(d), h) / poly6_kernel(number(0.1, 0.3, "reach") * h, h)
            corr = -clump * q * q * q * q
        acc += spiky_gradient(d, h) * ((lam[i] + lam[j] + corr) * m / rho0)
    out_p = xi + acc
    note("walls|stay inside")
    for axis in range(3):
        if out_p[axis] < lower[axis]:
            out_p[axis] = lower[axis]
        elif out_p[axis] > upper[axis]:
            out_p[axis] = upper[axis]
    x_new[i] = out_p
    if present(moved):
        moved[i] = wp.length(out_p - xi)


@scene("physics", "atomic", "nested_loop", "matrix", particle,
       says="spreads mass and momentum of material points to the nearest grid nodes, with their affine velocity",
       title="particles_to_grid|mpm_scatter|p2g_transfer|apic_p2g", algorithm="particle to grid transfer of the affine material point method", rare=True)
def mpm_scatter(x: each(position, range=(0.6, 2.0)), v: each(velocity), c: each(affine_matrix), m: each(mass), vol: maybe(each(volume), 0.6), sig: maybe(each(stress), 1.0), dt: maybe(setting(time_step), 1.0), h: setting(cell_size, 0.2, 0.25), grid_m: add(grid_mass, row, column, layer), grid_mv: add(node_momentum, row, column, layer)):
    names(g="g|gp|rel|grid_x", bx="bx|ib|base_x|i0", by="by|jb|base_y|j0", bz="bz|kb|base_z|k0", wx="wx|ax|spline_x|nx_w", wy="wy|ay|spline_y|ny_w", wz="wz|az|spline_z|nz_w", aff="aff|q_mat|carry|local_m", w="w|wt|weight_n|share", d="d|off|dpos|to_node", mi="mi|mass_p|mp|pm", mom="mom|mv|push|p_node")
    p = wp.tid()
    g = x[p] / h
    note("the lowest of three nodes along each axis|base node")
    bx = int(wp.floor(g[0] - 0.5))
    by = int(wp.floor(g[1] - 0.5))
    bz = int(wp.floor(g[2] - 0.5))
    wx = quadratic_weights(g[0] - float(bx))
    wy = quadratic_weights(g[1] - float(by))
    wz = quadratic_weights(g[2] - float(bz))
    mi = m[p]
    aff = c[p] * mi
    if present(vol) and present(sig) and present(dt):
        note("stress times volume, as an impulse on the nodes|internal forces through the weights")
        aff = aff - sig[p] * (4.0 * dt * vol[p] / (h * h))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                w = wx[i] * wy[j] * wz[k]
                d = (wp.vec3(float(bx + i), float(by + j), float(bz + k)) - g) * h
                mom = (v[p] * mi + aff * d) * w
                wp.atomic_add(grid_m, bx + i, by + j, bz + k, w * mi)
                wp.atomic_add(grid_mv, bx + i, by + j, bz + k, mom)


@scene("physics", "nested_loop", "matrix", "stencil", particle,
       says="gathers velocity and its gradient for material points from the grid and moves them",
       title="grid_to_particles|mpm_gather|g2p_transfer|apic_g2p", algorithm="grid to particle transfer of the affine material point method")
def mpm_gather(x: inout(position, range=(0.6, 2.0)), v: inout(velocity), f: maybe(inout(deformation_gradient), 0.5), grid_v: each(grid_velocity, row, column, layer), c: out(affine_matrix), h: setting(cell_size, 0.2, 0.25), dt: setting(time_step, 0.001, 0.01), flip: maybe(setting(ratio, 0.9, 0.99), 0.4), old_v: maybe(each(grid_velocity, row, column, layer), 1.0), top: maybe(setting(speed, 1.0, 3.0), 0.3)):
    names(g="g|gp|rel|grid_x", bx="bx|ib|base_x|i0", by="by|jb|base_y|j0", bz="bz|kb|base_z|k0", wx="wx|ax|spline_x|nx_w", wy="wy|ay|spline_y|ny_w", wz="wz|az|spline_z|nz_w", new_v="new_v|pic|v_acc|gathered", change="change|dv|flip_dv|gain_v", aff="aff|grad_v|b_mat|c_new", w="w|wt|weight_n|share", d="d|off|dpos|to_node", gv="gv|node_v|vi|at_node", spd="spd|s_v|mag_v|v_len", shift="shift|moved_v|carry|adv")
    p = wp.tid()
    g = x[p] / h
    bx = int(wp.floor(g[0] - 0.5))
    by = int(wp.floor(g[1] - 0.5))
    bz = int(wp.floor(g[2] - 0.5))
    wx = quadratic_weights(g[0] - float(bx))
    wy = quadratic_weights(g[1] - float(by))
    wz = quadratic_weights(g[2] - float(bz))
    new_v = wp.vec3()
    change = wp.vec3()
    aff = wp.mat33()
    for i in range(3):
        for j in range(3):
            for k in range(3):
                w = wx[i] * wy[j] * wz[k]
                gv = grid_v[bx + i, by + j, bz + k]
                d = (wp.vec3(float(bx + i), float(by + j), float(bz + k)) - g) * h
                new_v += gv * w
                aff += wp.outer(gv, d) * (4.0 * w / (h * h))
                if present(flip) and present(old_v):
                    change += (gv - old_v[bx + i, by + j, bz + k]) * w
    if present(top) or (present(flip) and present(old_v)):
        shift = new_v
    if present(flip) and present(old_v):
        note("mostly the change of the grid, a little of its value|blend against noise")
        new_v = (v[p] + change) * flip + new_v * (1.0 - flip)
    if present(top):
        spd = wp.length(new_v)
        if spd > top:
            new_v = new_v * (top / spd)
    c[p] = aff
    v[p] = new_v
    if present(top) or (present(flip) and present(old_v)):
        x[p] = x[p] + shift * dt
    else:
        x[p] = x[p] + new_v * dt
    if present(f):
        f[p] = (wp.identity(n=3, dtype=float) + aff * dt) * f[p]


@scene("physics", "atomic", "multi_conditional", "math", contact,
       says="computes the contact forces of two grains with a nonlinear normal spring, damping and a tangential spring that remembers its stretch and slides at the friction limit",
       title="hertz_contacts|grain_contacts|dem_forces|hertz_mindlin", algorithm="Hertz-Mindlin contact with sliding")
def hertz_grains(pair: index(particle, 2), x: each(position, particle, range=(-1.0, 1.0)), v: each(velocity, particle), spin: maybe(each(angular_velocity, particle), 0.5), r: each(radius, particle, range=(0.3, 0.9)), m: each(mass, particle), e: setting(youngs_modulus, 20.0, 100.0), g: setting(lame_mu, 5.0, 30.0), beta: setting(damping_ratio, 0.1, 0.6), mu: setting(friction), dt: setting(time_step, 0.001, 0.01), hist: inout(shear_history), f: add(force, particle), tau: maybe(add(torque, particle), 1.0), slid: maybe(out(flag), 0.5)):
    names(a="a|i|pa|first", b="b|j|pb|second", d="d|sep|branch|rab", dist="dist|len_d|gap|center_d", pen="pen|delta|overlap|depth", n="n|nrm|axis_n|dir_n", rr="rr|r_eff|reff|curv_r", mm="mm|m_eff|meff|red_m", kn="kn|k_n|hertz_k|stiff_n", kt="kt|k_t|mindlin_k|stiff_t", vr="vr|rel|v_ab|slip_v", vn="vn|v_n|closing|normal_v", vt="vt|v_t|shear_v|tang_v", fn="fn|f_n|push|normal_f", xi="xi|stretch|shear|spring_t", ft="ft|f_t|shear_f|drag_t", cap="cap|limit|mu_fn|coulomb", flag_s="flag_s|slipping|is_slip|sliding", lev="lev|arm_a|ra|la", g="g|shear_g|g_mod|shear_star")
    c = wp.tid()
    a = pair[c, 0]
    b = pair[c, 1]
    if a == b:
        return
    d = x[b] - x[a]
    dist = wp.length(d)
    pen = r[a] + r[b] - dist
    flag_s = int(0)
    note("apart: the memory of the contact is lost|contact opens")
    if pen <= 0.0 or dist < 1.0e-4:
        hist[c] = wp.vec3(0.0, 0.0, 0.0)
        if present(slid):
            slid[c] = 0
        return
    n = d / dist
    rr = r[a] * r[b] / (r[a] + r[b])
    mm = m[a] * m[b] / (m[a] + m[b])
    vr = v[b] - v[a]
    if present(spin):
        vr = vr - wp.cross(spin[a] * (r[a] - 0.5 * pen) + spin[b] * (r[b] - 0.5 * pen), n)
    vn = wp.dot(vr, n)
    vt = vr - n * vn
    note("stiffness grows with the contact patch|Hertz")
    kn = 2.0 * e * wp.sqrt(rr * pen)
    kt = 8.0 * g * wp.sqrt(rr * pen)
    fn = wp.max(2.0 / 3.0 * kn * pen - 2.0 * wp.sqrt(5.0 / 6.0) * beta * wp.sqrt(kn * mm) * vn, 0.0)
    note("turn the old stretch into the present plane, then add this step|tangential history")
    xi = hist[c] - n * wp.dot(hist[c], n) + vt * dt
    ft = xi * (-kt) - vt * (2.0 * wp.sqrt(5.0 / 6.0) * beta * wp.sqrt(kt * mm))
    cap = mu * fn
    if wp.length(ft) > cap:
        note("slides: the spring keeps only what friction can hold|Coulomb limit")
        ft = ft * (cap / wp.length(ft))
        xi = ft * (-1.0 / kt)
        flag_s = int(1)
    hist[c] = xi
    wp.atomic_sub(f, a, n * fn + ft)
    wp.atomic_add(f, b, n * fn + ft)
    if present(spin) and present(tau):
        lev = wp.cross(n, ft)
        wp.atomic_sub(tau, a, lev * (r[a] - 0.5 * pen))
        wp.atomic_sub(tau, b, lev * (r[b] - 0.5 * pen))
    if present(slid):
        slid[c] = flag_s


@scene("fem", "physics", "quaternion", "atomic", "function", edge,
       says="keeps the edges of a rod at their length and along the third axis of their frames, by moving both ends and turning the frame",
       title="rod_stretch_shear|cosserat_stretch|rod_edges|solve_rod_stretch", algorithm="stretch and shear constraint of a Cosserat rod", rare=True)
def rod_stretch(x: each(position, node), w: each(inverse_mass, node), ids: index(node, 2), q: each(rod_rotation), l: each(rest_length), wq: setting(inverse_mass, 0.5, 2.0), k: maybe(setting(relaxation, 0.3, 1.0), 0.5), clamped: maybe(each(flag, node), 0.4), dx: add(position_change, node), dq: out(rod_correction), err: maybe(out(error_value), 0.5)):
    names(a="a|n0|i0|head_n", b="b|n1|i1|tail_n", wa="wa|w0|inv_a|m0", wb="wb|w1|inv_b|m1", d3="d3|axis|dir_f|director", gamma="gamma|strain_v|miss|shear_v", den="den|denom|resist|w_sum", bar="bar|q_e3|conj_q|twisted", qn="qn|frame|qe|rot_e", rest="rest|len0|l_e|le")
    e = wp.tid()
    a = ids[e, 0]
    b = ids[e, 1]
    qn = wp.normalize(q[e])
    rest = l[e]
    wa = w[a]
    wb = w[b]
    if present(clamped):
        if clamped[a] == 1:
            wa = 0.0
        if clamped[b] == 1:
            wb = 0.0
    note("third axis of the frame|the director along the rod")
    d3 = wp.quat_rotate(qn, wp.vec3(0.0, 0.0, 1.0))
    gamma = (x[b] - x[a]) / rest - d3
    if present(err):
        err[e] = wp.length(gamma)
    den = (wa + wb) / rest + 4.0 * wq * rest
    gamma = gamma / den
    if present(k):
        gamma = gamma * k
    wp.atomic_add(dx, a, gamma * wa)
    wp.atomic_sub(dx, b, gamma * wb)
    note("the frame times the conjugate of its third unit|derivative of the director")
    bar = wp.quat(-qn[1], qn[0], -qn[3], qn[2])
    dq[e] = wp.quat(gamma[0], gamma[1], gamma[2], 0.0) * bar * (2.0 * wq * rest)


@scene("physics", "matrix", "reduction", "nested_loop", "quaternion", cluster,
       says="pulls the points of each cluster towards the rest shape that was turned and moved to fit them best",
       title="shape_matching|match_shapes|meshless_deformation|goal_positions", algorithm="shape matching with the best rotation", rare=True,
       lossy=True)
def shape_matching(start: offsets(item), x: inout(position, item), rest: each(local_position, item), m: maybe(each(mass, item), 0.5), stiff: setting(ratio, 0.2, 0.9), beta: maybe(setting(ratio, 0.1, 0.5), 0.3), rot_out: maybe(out(rotation), 0.4), spread: maybe(out(distance), 0.4)):
    names(c="c|cm|now_c|center_x", c0="c0|cm0|rest_c|center_r", total="total|mass_c|sum_m|weight_c", a="a|apq|cov|corr_m", b="b|aqq|rest_cov|sym_m", rot="rot|R|best_r|turn_m", mi="mi|mk|share|wk", first="first|lo|beg|k0", last="last|hi|end|k1", goal="goal|target|g|wanted", lin="lin|T|blend_m|flex", uu="uu|U|left_u|rot_u", s="s|sv|sig|stretch", vv="vv|V|right_v|rot_v", off="off|sq|dist_sum|disp")
    g = wp.tid()
    first = start[g]
    last = start[g + 1]
    note("two points know no rotation|too small to match")
    if last - first < 4:
        return
    c = wp.vec3()
    c0 = wp.vec3()
    total = float(0.0)
    for k in range(first, last):
        if present(m):
            mi = m[k]
        else:
            mi = float(1.0)
        c += x[k] * mi
        c0 += rest[k] * mi
        total += mi
    c = c / total
    c0 = c0 / total
    a = wp.mat33()
    b = wp.mat33()
    for k in range(first, last):
        if present(m):
            mi = m[k]
        else:
            mi = float(1.0)
        a += wp.outer(x[k] - c, rest[k] - c0) * mi
        if present(beta):
            b += wp.outer(rest[k] - c0, rest[k] - c0) * mi
    note("the rotation in it|nearest rotation by the SVD")
    if wp.determinant(a) < number(0.05, 0.2, "flat"):
        return
    uu, s, vv = wp.svd3(a)
    rot = uu * wp.transpose(vv)
    lin = rot
    if present(beta):
        if wp.determinant(b) > number(0.05, 0.2, "rest_flat"):
            note("let the goal shear a little|blend with the best linear map")
            lin = rot * (1.0 - beta) + a * wp.inverse(b) * beta
    off = float(0.0)
    for k in range(first, last):
        goal = lin * (rest[k] - c0) + c
        off += wp.length(goal - x[k])
        x[k] = x[k] + (goal - x[k]) * stiff
    if present(rot_out):
        rot_out[g] = wp.quat_from_matrix(rot)
    if present(spread):
        spread[g] = off / float(last - first)


@scene("fem", "physics", "reduction", "control_flow", "nested_loop", particle,
       says="sums the forces of the bonds of each particle within its horizon and breaks those that are stretched too far",
       title="peridynamic_forces|bond_forces|fracture_bonds|peridynamics_step", algorithm="bond-based peridynamics", lossy=True)
def peridynamic_bonds(start: offsets(item), nbr: index(particle, over=item), rest: each(position), u: each(displacement), ok: inout(bond_flag, item), vol: each(volume), c: setting(micro_modulus), crit: setting(critical_stretch), horizon: setting(smoothing_length, 1.5, 2.5), f: out(force), damage_out: maybe(out(damage_variable), 0.7), energy_out: maybe(out(energy), 0.4)):
    names(xi="xi|bond|ref_d|xi_v", eta="eta|rel_u|du|disp_d", l0="l0|rest_l|len_r|xi_len", l1="l1|cur_l|len_c|now_len", s="s|stretch|elong|strain_b", acc="acc|f_acc|pull|force_i", j="j|other|nb|partner", whole="whole|bonds_n|family|total_b", broken="broken|lost|cut_n|failed", w="w|taper|influence|wf", psi="psi|stored|e_b|work_b")
    i = wp.tid()
    acc = wp.vec3()
    whole = int(0)
    broken = int(0)
    psi = float(0.0)
    for k in range(start[i], start[i + 1]):
        j = nbr[k]
        if j == i:
            continue
        xi = rest[j] - rest[i]
        l0 = wp.length(xi)
        if l0 > horizon or l0 < constant("MIN_BOND|BOND_EPS", 1.0e-3):
            continue
        whole += 1
        if ok[k] == 0:
            broken += 1
            continue
        eta = u[j] - u[i]
        l1 = wp.length(xi + eta)
        s = (l1 - l0) / l0
        if s > crit:
            note("overstretched bonds never heal|fracture")
            ok[k] = 0
            broken += 1
            continue
        w = float(1.0)
        if maybe(0.4, "conical"):
            note("near bonds count more|conical influence")
            w = 1.0 - l0 / horizon
        acc += (xi + eta) * (c * s * w * vol[j] / wp.max(l1, 1.0e-4))
        if present(energy_out):
            psi += 0.25 * c * s * s * l0 * w * vol[j]
    f[i] = acc * vol[i]
    if present(damage_out):
        if whole > 0:
            damage_out[i] = float(broken) / float(whole)
        else:
            damage_out[i] = 0.0
    if present(energy_out):
        energy_out[i] = psi * vol[i]
