"""Finite elements of solids, frames and flows: voxels, plates, tetrahedra, sand, fluxes across faces, estimates of the error."""


@law("continua", "the signs of one corner of a cubic cell along the three axes", title="corner_signs|hex_signs|local_corner", private=True, function=True)
def hex_corner_signs(corner: index_value) -> shape_gradient:
    return wp.vec3(2.0 * float(corner & 1) - 1.0, 2.0 * float((corner >> 1) & 1) - 1.0, 2.0 * float((corner >> 2) & 1) - 1.0)


@law("continua", "the derivatives of the bilinear shape function of a corner in the reference square", title="quad_gradient|natural_derivatives|bilinear_gradient", private=True, function=True)
def quad_corner_gradient(corner: index_value, xi: natural_x, eta: natural_y) -> natural_gradient:
    names(sx="sx|a|sign_x", sy="sy|b|sign_y", corner="corner|node_a|c")
    sx = float(-1.0)
    sy = float(-1.0)
    if corner == 1 or corner == 2:
        sx = 1.0
    if corner >= 2:
        sy = 1.0
    return wp.vec2(0.25 * sx * (1.0 + sy * eta), 0.25 * sy * (1.0 + sx * xi))


@law("continua", "one column of a matrix", title="column|matrix_column|get_column", private=True, function=True)
def matrix_column(m: matrix3, j: index_value) -> position:
    return wp.vec3(m[0, j], m[1, j], m[2, j])


@law("continua", "the cofactor matrix, the derivative of the determinant", title="cofactor|cofactor_matrix|det_gradient", private=True, function=True)
def cofactor_matrix(m: matrix3) -> matrix3:
    names(a="a|c0|f0", b="b|c1|f1", c="c|c2|f2")
    a = wp.vec3(m[0, 0], m[1, 0], m[2, 0])
    b = wp.vec3(m[0, 1], m[1, 1], m[2, 1])
    c = wp.vec3(m[0, 2], m[1, 2], m[2, 2])
    return wp.matrix_from_cols(wp.cross(b, c), wp.cross(c, a), wp.cross(a, b))


@law("continua", "an angle brought into the range from minus pi to pi", title="wrap_angle|wrap_to_pi|normalize_angle", private=True, function=True)
def wrapped_turn(a: angle) -> angle:
    return wp.atan2(wp.sin(a), wp.cos(a))


@law("continua", "the flux of mass, momentum and energy of a gas across a face, with the speed of sound", title="euler_flux|physical_flux|gas_flux", private=True, function=True)
def face_gas_flux(rho: density, v: velocity2, p: pressure, n: plane_direction, gamma: adiabatic_index) -> (gas_rates, speed):
    names(vn="vn|un|normal_vel", e="e|total_e|rho_e")
    vn = wp.dot(v, n)
    e = p / (gamma - 1.0) + 0.5 * rho * wp.dot(v, v)
    return wp.vec4(rho * vn, rho * v[0] * vn + p * n[0], rho * v[1] * vn + p * n[1], (e + p) * vn), wp.sqrt(gamma * p / rho)


@law("continua", "the conserved variables of a gas: mass, momentum, energy", title="to_conserved|conserved_vars|pack_state", private=True, function=True)
def gas_state(rho: density, v: velocity2, p: pressure, gamma: adiabatic_index) -> gas_rates:
    return wp.vec4(rho, rho * v[0], rho * v[1], p / (gamma - 1.0) + 0.5 * rho * wp.dot(v, v))


@law("continua", "the gradient of a linear function on a triangle in space", title="triangle_gradient|p1_gradient|surface_gradient", private=True, function=True)
def linear_gradient(a: position, b: position, c: position, ua: field_value, ub: field_value, uc: field_value) -> shape_gradient:
    names(n="n|nrm|big_n", sq="sq|n2|area_sq")
    n = wp.cross(b - a, c - a)
    sq = wp.max(wp.dot(n, n), constant("AREA_EPS|DEGENERATE|TINY_AREA", 1.0e-6))
    return wp.cross(n, (c - b) * ua + (a - c) * ub + (b - a) * uc) / sq


@scene("fem", "nested_loop", "atomic", "matrix", cell,
       says="applies the stiffness of a grid of elastic voxels to the displacements of its nodes, cell by cell with one integration point and a stiffness against hourglass modes",
       title="voxel_stiffness_product|apply_voxel_elasticity|matrix_free_elasticity|simp_stiffness_apply", algorithm="matrix-free one-point hexahedral elasticity with hourglass control")
def voxel_elasticity(u: each(displacement), rho: each(ratio), young: setting(youngs_modulus), nu: setting(poisson_ratio), h: setting(cell_size), kappa: setting(ratio, 0.02, 0.2), f: add(force), energy_out: maybe(out(energy), 0.6)):
    names(mu="mu|shear|g_mod|lame2", lam="lam|lame|lame1|bulk_l", w="w|dv|cell_vol|jxw", grad="grad|grad_u|du|disp_grad", eps="eps|strain_q|e_sym|small_strain", sig="sig|stress_q|sigma|cauchy", c="c|a|corner|loc", scale="scale|simp|stiff|penalized", rho="rho|design|fill|volume_fraction", u="u|disp|nodal_u|displacements", s="s|sg|sign_c|signs", hx="hx|mode_yz|q0|hg_x", hy="hy|mode_zx|q1|hg_y", hz="hz|mode_xy|q2|hg_z", hw="hw|mode_xyz|q3|hg_w", k_hg="k_hg|hourglass|c_hg|anti_hg", ui="ui|u_c|corner_u|disp_c", fi="fi|f_c|nodal_f|react", kappa="kappa|hourglass_coeff|hg_ratio|stabilization")
    i, j, k = wp.tid()
    note("cells lie between nodes: the last layer of nodes opens no cell|one cell fewer than nodes along each axis")
    if i + 1 >= count(cell) or j + 1 >= count(cell, 1) or k + 1 >= count(cell, 2):
        return
    if rho[i, j, k] < number(0.2, 0.4, "void"):
        note("void cells carry nothing|empty voxel")
        return
    match choose("law"):
        case 2:
            fact("the stiffness of a cell grows with a power of its fill")
            scale = wp.pow(rho[i, j, k], number(2.0, 3.0, "penalty"))
        case 1:
            scale = rho[i, j, k] / (1.0 + number(2.0, 5.0, "ramp") * (1.0 - rho[i, j, k]))
    mu = scale * young / (2.0 * (1.0 + nu))
    lam = scale * young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    w = h * h * h
    grad = wp.mat33()
    hx = wp.vec3()
    hy = wp.vec3()
    hz = wp.vec3()
    hw = wp.vec3()
    for c in range(8):
        s = hex_corner_signs(c)
        ui = u[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)]
        grad += wp.outer(ui, s) * (0.25 / h)
        note("patterns that the mean strain does not see|four hourglass modes")
        hx += ui * (s[1] * s[2])
        hy += ui * (s[2] * s[0])
        hz += ui * (s[0] * s[1])
        hw += ui * (s[0] * s[1] * s[2])
    eps = 0.5 * (grad + wp.transpose(grad))
    sig = 2.0 * mu * eps + lam * wp.trace(eps) * wp.identity(n=3, dtype=float)
    k_hg = 0.125 * kappa * mu * h
    note("scatter to the eight corners|divergence of the stress, weakly")
    for c in range(8):
        s = hex_corner_signs(c)
        fi = sig * s * (0.25 * w / h) + (hx * (s[1] * s[2]) + hy * (s[2] * s[0]) + hz * (s[0] * s[1]) + hw * (s[0] * s[1] * s[2])) * k_hg
        wp.atomic_add(f, i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1), fi)
    if present(energy_out):
        energy_out[i, j, k] = 0.5 * w * wp.ddot(sig, eps) + 0.5 * k_hg * (wp.dot(hx, hx) + wp.dot(hy, hy) + wp.dot(hz, hz) + wp.dot(hw, hw))


@scene("fem", "nested_loop", "control_flow", "matrix", element,
       says="computes the internal forces of four-node plane elements from the displacements of their corners, with two by two Gauss points",
       title="quad_internal_forces|membrane_forces|plane_element_residual|assemble_quad4", algorithm="isoparametric four-node plane element")
def quad_membrane(x: each(point2, node), u: each(displacement2, node), corners: index(node, 4), young: setting(youngs_modulus), nu: setting(poisson_ratio), t: setting(thickness), f: add(force2, node), energy_out: maybe(out(energy), 0.5), bad: maybe(out(count_value), 0.6)):
    names(jac="jac|J|dxdxi|map_m", det="det|det_j|jac_det|area_scale", inv="inv|inv_j|dxidx|inv_map", grad="grad|grad_u|du|h_mat", d="d|dn|dn_nat|nat", xi="xi|r|s_x|gx", eta="eta|s|s_y|gy", c11="c11|d11|q11|e11", c12="c12|d12|q12|e12", c33="c33|d33|q33|shear_mod", sig="sig|stress_m|sigma|s_mat", lost="lost|flipped|bad_qp|n_bad", work="work|psi|e_int|strain_e", n="n|node_a|gid|nd", gp="gp|at_gauss|r3|gauss_x")
    e = wp.tid()
    match choose("plane"):
        case 2:
            fact("the sheet is in plane stress")
            note("plane stress|thin sheet, free to contract")
            c11 = young / (1.0 - nu * nu)
            c12 = nu * c11
        case 1:
            fact("the body is in plane strain")
            note("plane strain|long body, held along its axis")
            c11 = young * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))
            c12 = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    c33 = young / (2.0 * (1.0 + nu))
    gp = constant("GAUSS_POINT|INV_SQRT3|GP", 0.5773502691896258)
    lost = int(0)
    work = float(0.0)
    for g in range(4):
        xi = (2.0 * float(g & 1) - 1.0) * gp
        eta = (2.0 * float(g >> 1) - 1.0) * gp
        jac = wp.mat22()
        for a in range(4):
            n = corners[e, a]
            jac += wp.outer(quad_corner_gradient(a, xi, eta), x[n])
        det = wp.determinant(jac)
        note("folded or flat there: this point does not count|negative Jacobian")
        if det < number(0.02, 0.06, "flat"):
            lost += 1
            continue
        inv = wp.inverse(jac)
        grad = wp.mat22()
        for a in range(4):
            n = corners[e, a]
            grad += wp.outer(u[n], inv * quad_corner_gradient(a, xi, eta))
        sig = wp.mat22(c11 * grad[0, 0] + c12 * grad[1, 1], c33 * (grad[0, 1] + grad[1, 0]), c33 * (grad[0, 1] + grad[1, 0]), c12 * grad[0, 0] + c11 * grad[1, 1])
        if present(energy_out):
            work += 0.5 * t * det * wp.ddot(sig, grad)
        for a in range(4):
            d = inv * quad_corner_gradient(a, xi, eta)
            wp.atomic_add(f, corners[e, a], sig * d * (t * det))
    if present(energy_out):
        energy_out[e] = work
    if present(bad):
        bad[e] = lost


@scene("fem", "matrix", "atomic", "combined", tet,
       says="computes the elastic forces of tetrahedra under large deformation and adds them to their corners",
       title="tet_elastic_forces|eval_tetrahedra|solid_internal_forces|hyperelastic_forces", algorithm="hyperelastic linear tetrahedra", rare=True)
def hyperelastic_tets(x: each(position, vertex), tet_ids: index(vertex, 4), inv_rest: each(matrix3, range=(-1.0, 1.0)), vol: each(volume), mu: setting(lame_mu), lam: setting(lame_lambda), f: add(force, vertex), energy_total: maybe(add(energy, 1), 0.5), inverted: maybe(out(flag), 0.4)):
    names(i0="i0|a|v0|n0", i1="i1|b|v1|n1", i2="i2|c|v2|n2", i3="i3|d|v3|n3", ds="ds|edge_m|shape_now|d_s", fm="fm|F|def_grad|deform", jac="jac|J|vol_ratio|det_f", p="p|P|pk1|piola", hm="hm|H|force_m|corner_f", rest="rest|dm_inv|b_mat|ref_inv", psi="psi|e_dens|stored|w_e", green="green|E|green_e|strain_g", rot="rot|R|polar_r|rigid", ic="ic|i_c|frob_sq|norm_f", f1="f1|g1|pull1|h1", f2="f2|g2|pull2|h2", f3="f3|g3|pull3|h3", inv_rest="inv_rest|rest_inverse|tet_poses|dm_inverse")
    t = wp.tid()
    i0 = tet_ids[t, 0]
    i1 = tet_ids[t, 1]
    i2 = tet_ids[t, 2]
    i3 = tet_ids[t, 3]
    ds = wp.matrix_from_cols(x[i1] - x[i0], x[i2] - x[i0], x[i3] - x[i0])
    rest = inv_rest[t]
    fm = ds * rest
    jac = wp.determinant(fm)
    match choose("model"):
        case 2:
            fact("the material is that of St. Venant and Kirchhoff")
            green = 0.5 * (wp.transpose(fm) * fm - wp.identity(n=3, dtype=float))
            p = fm * (2.0 * mu * green + lam * wp.trace(green) * wp.identity(n=3, dtype=float))
            psi = mu * wp.ddot(green, green) + 0.5 * lam * wp.trace(green) * wp.trace(green)
        case 2:
            fact("the material is a neo-Hookean one that stays defined for inverted elements")
            note("stable at inversion: the barrier at J = 0 is gone|neo-Hookean without the logarithm")
            ic = wp.ddot(fm, fm)
            p = mu * (1.0 - 1.0 / (ic + 1.0)) * fm + lam * (jac - 1.0 - 0.75 * mu / lam) * cofactor_matrix(fm)
            psi = 0.5 * mu * (ic - 3.0) + 0.5 * lam * (jac - 1.0 - 0.75 * mu / lam) * (jac - 1.0 - 0.75 * mu / lam) - 0.5 * mu * wp.log(ic + 1.0)
        case 2:
            fact("the strain is measured against the nearest rotation")
            if jac < number(0.01, 0.03, "crushed"):
                note("crushed or inverted: no rotation to speak of|leave inverted elements to the untangling")
                if present(inverted):
                    inverted[t] = 1
                return
            note("rotation part of the deformation|polar decomposition by the SVD")
            uu, sv, vv = wp.svd3(fm)
            rot = uu * wp.transpose(vv)
            p = 2.0 * mu * (fm - rot) + lam * (jac - 1.0) * cofactor_matrix(fm)
            psi = mu * wp.ddot(fm - rot, fm - rot) + 0.5 * lam * (jac - 1.0) * (jac - 1.0)
    note("forces on three corners are columns; the fourth balances them|H = -V P B^T")
    hm = p * wp.transpose(rest) * (-vol[t])
    f1 = matrix_column(hm, 0)
    f2 = matrix_column(hm, 1)
    f3 = matrix_column(hm, 2)
    wp.atomic_add(f, i1, f1)
    wp.atomic_add(f, i2, f2)
    wp.atomic_add(f, i3, f3)
    wp.atomic_sub(f, i0, f1 + f2 + f3)
    if present(energy_total):
        wp.atomic_add(energy_total, 0, psi * vol[t])
    if present(inverted):
        if jac < -constant("FLIP_TOLERANCE|DET_EPS|INVERSION_EPS", 1.0e-4):
            inverted[t] = 1
        else:
            inverted[t] = 0


@scene("fem", "physics", "matrix", "multi_conditional", particle,
       says="projects the elastic strain of each grain of sand back onto the Drucker-Prager cone: free on expansion, sliding beyond friction, elastic within",
       title="sand_return_mapping|project_sand|drucker_prager_projection|granular_plasticity", algorithm="Drucker-Prager return mapping in logarithmic strain", rare=True)
def sand_plasticity(grad_u: each(matrix3, range=(-0.25, 0.25)), grad_v: maybe(each(matrix3, range=(-1.0, 1.0)), 0.5), dt: maybe(setting(time_step), 1.0), mu: setting(lame_mu), lam: setting(lame_lambda), phi: setting(friction_angle), f_out: out(deformation_gradient), vol_gain: maybe(out(ratio), 0.5), state_out: maybe(out(label), 0.6)):
    names(trial="trial|fe_tr|F_trial|f_pred", s="s|sigma|stretch|sv", e="e|hencky|log_strain|eps_log", tr="tr|vol_e|trace_e|volumetric", dev="dev|e_dev|shear_e|eps_dev", norm="norm|dev_len|shear_norm|mag_dev", gamma="gamma|excess|d_gamma|slip", alpha="alpha|cone|slope|fric_coef", uu="uu|U|left|rot_u", vv="vv|V|right|rot_v", h="h|projected|e_new|e_back", grad_u="grad_u|disp_grads|elastic_grad|grad_disp", grad_v="grad_v|vel_grads|velocity_gradients|grid_l", sin_phi="sin_phi|sp|sine|s_fric")
    p = wp.tid()
    trial = wp.identity(n=3, dtype=float) + grad_u[p]
    if present(grad_v) and present(dt):
        note("carry the strain along with the flow|update by the velocity gradient")
        trial = (wp.identity(n=3, dtype=float) + dt * grad_v[p]) * trial
    uu, s, vv = wp.svd3(trial)
    e = wp.vec3(wp.log(wp.max(wp.abs(s[0]), 1.0e-4)), wp.log(wp.max(wp.abs(s[1]), 1.0e-4)), wp.log(wp.max(wp.abs(s[2]), 1.0e-4)))
    tr = e[0] + e[1] + e[2]
    note("sand resists no expansion: all strain is lost|cohesionless, so tension frees the grain")
    if tr >= 0.0:
        f_out[p] = uu * wp.transpose(vv)
        if present(vol_gain):
            vol_gain[p] = tr
        if present(state_out):
            state_out[p] = 2
        return
    sin_phi = wp.sin(phi)
    alpha = wp.sqrt(2.0 / 3.0) * 2.0 * sin_phi / (3.0 - sin_phi)
    dev = e - wp.vec3(tr, tr, tr) / 3.0
    norm = wp.length(dev)
    gamma = norm + (3.0 * lam + 2.0 * mu) / (2.0 * mu) * tr * alpha
    if present(vol_gain):
        vol_gain[p] = 0.0
    if gamma <= 0.0:
        f_out[p] = trial
        if present(state_out):
            state_out[p] = 0
        return
    note("slide back along the shear until the cone is reached|return to the yield surface")
    h = e - dev * (gamma / norm)
    f_out[p] = uu * wp.diag(wp.vec3(wp.exp(h[0]), wp.exp(h[1]), wp.exp(h[2]))) * wp.transpose(vv)
    if present(state_out):
        state_out[p] = 1


@scene("fem", "function", "atomic", "geometry", element,
       says="computes the forces and moments that a plane frame element under large rotation puts on its two nodes",
       title="frame_element_forces|corotational_beam|beam_residual|eval_beam_forces", algorithm="corotational Euler-Bernoulli beam in the plane", rare=True)
def corotational_beam(x: each(point2, node), rest_x: each(point2, node), rot: each(nodal_rotation, node), ends: index(node, 2), young: setting(youngs_modulus), area_: each(area), inertia: each(second_moment_of_area), hinged: maybe(each(flag), 0.4), f: add(force2, node), m: add(nodal_moment, node), axial_out: maybe(out(tension), 0.5)):
    names(a="a|n0|first|left", b="b|n1|second|right", d0="d0|rest_d|chord0|r0", d="d|chord|span|cur", l0="l0|rest_len|len0|lref", l="l|len_now|cur_len|length_e", turn="turn|rigid_rot|alpha|chord_rot", ta="ta|local_a|theta1|bend_a", tb="tb|local_b|theta2|bend_b", ma="ma|moment_a|m1|end_a", mb="mb|moment_b|m2|end_b", normal_f="normal_f|axial|nf|n_bar", shear="shear|q|transverse|vq", e1="e1|axis_e|tangent_e|cx", e2="e2|perp|normal_e|cy", k="k|ei_l|flex|stiff_b")
    e = wp.tid()
    a = ends[e, 0]
    b = ends[e, 1]
    if a == b:
        return
    d0 = rest_x[b] - rest_x[a]
    d = x[b] - x[a]
    l0 = wp.length(d0)
    l = wp.length(d)
    note("a collapsed element has no axis|zero length")
    if l0 < constant("MIN_LENGTH|LEN_EPS", 1.0e-3) or l < constant("MIN_LENGTH|LEN_EPS", 1.0e-3):
        return
    note("how far the chord has turned as a rigid body|rotation of the element frame")
    turn = wp.atan2(d[1], d[0]) - wp.atan2(d0[1], d0[0])
    ta = wrapped_turn(rot[a] - turn)
    tb = wrapped_turn(rot[b] - turn)
    k = young * inertia[e] / l0
    if present(hinged):
        fact("hinged elements carry no moment at their first node")
        if hinged[e] == 1:
            ma = float(0.0)
            mb = 3.0 * k * tb
        else:
            ma = k * (4.0 * ta + 2.0 * tb)
            mb = k * (2.0 * ta + 4.0 * tb)
    else:
        ma = k * (4.0 * ta + 2.0 * tb)
        mb = k * (2.0 * ta + 4.0 * tb)
    normal_f = young * area_[e] * (l - l0) / l0
    if maybe(0.3, "cable"):
        note("a cable goes slack|no push")
        fact("elements cannot push")
        normal_f = wp.max(normal_f, 0.0)
    shear = (ma + mb) / l
    e1 = d / l
    e2 = wp.vec2(-e1[1], e1[0])
    wp.atomic_add(f, a, e1 * normal_f - e2 * shear)
    wp.atomic_add(f, b, e2 * shear - e1 * normal_f)
    wp.atomic_sub(m, a, ma)
    wp.atomic_sub(m, b, mb)
    if present(axial_out):
        axial_out[e] = normal_f


@scene("fem", "function", "multi_conditional", "atomic", edge,
       says="computes the flux of a compressible gas across each face between two cells and adds it to both with opposite signs; walls reflect",
       title="euler_face_fluxes|riemann_fluxes|finite_volume_fluxes|dg_face_terms", algorithm="approximate Riemann flux of the Euler equations", rare=True)
def gas_faces(cells: index(cell, 2), rho: each(density, cell), v: each(velocity2, cell), p: each(pressure, cell), n: each(plane_direction), len_: each(length), bc: kind(INTERIOR, WALL, OUTFLOW), gamma: setting(adiabatic_index), res: add(gas_rates, cell), wave_out: maybe(out(speed), 0.5)):
    names(l="l|left|own|cell_l", r="r|right|nb|cell_r", nn="nn|nrm|unit_n|face_n", vl="vl|u_l|vel_l|v_left", vr="vr|u_r|vel_r|v_right", ul="ul|vn_l|un_left|speed_l", ur="ur|vn_r|un_right|speed_r", fl="fl|flux_l|f_left|phys_l", fr="fr|flux_r|f_right|phys_r", cl="cl|sound_l|a_l|c_left", cr="cr|sound_r|a_r|c_right", sl="sl|wave_l|s_min|left_wave", sr="sr|wave_r|s_max|right_wave", flux="flux|fx|num_flux|f_face", rr="rr|rho_r|dens_r|out_rho", pr="pr|p_r|pres_r|out_p", dw="dw|jump|diff_w|delta_state")
    e = wp.tid()
    note("a face of no direction counts for nothing|degenerate normal")
    if wp.length(n[e]) < 1.0e-3:
        return
    nn = wp.normalize(n[e])
    l = cells[e, 0]
    r = cells[e, 1]
    vl = v[l]
    vr = v[r]
    rr = rho[r]
    pr = p[r]
    if bc[e] == WALL:
        note("mirror the velocity at the wall|ghost state of a slip wall")
        vr = vl - nn * (2.0 * wp.dot(vl, nn))
        rr = rho[l]
        pr = p[l]
    elif bc[e] == OUTFLOW:
        vr = vl
        rr = rho[l]
        pr = p[l]
    fl, cl = face_gas_flux(rho[l], vl, p[l], nn, gamma)
    fr, cr = face_gas_flux(rr, vr, pr, nn, gamma)
    dw = gas_state(rr, vr, pr, gamma) - gas_state(rho[l], vl, p[l], gamma)
    ul = wp.dot(vl, nn)
    ur = wp.dot(vr, nn)
    match choose("solver"):
        case 2:
            fact("the flux is that of Harten, Lax and van Leer")
            sl = wp.min(ul - cl, ur - cr)
            sr = wp.max(ul + cl, ur + cr)
            if sl >= 0.0:
                flux = fl
            elif sr <= 0.0:
                flux = fr
            else:
                note("between the fastest waves: one mean state|star region")
                flux = (fl * sr - fr * sl + dw * (sl * sr)) / (sr - sl)
        case 2:
            fact("the flux is that of Rusanov")
            sr = wp.max(wp.abs(ul) + cl, wp.abs(ur) + cr)
            flux = 0.5 * (fl + fr) - 0.5 * sr * dw
    wp.atomic_sub(res, l, flux * len_[e])
    if bc[e] == INTERIOR:
        wp.atomic_add(res, r, flux * len_[e])
    if present(wave_out):
        note("for the time step|fastest wave")
        wave_out[e] = wp.max(wp.abs(ul) + cl, wp.abs(ur) + cr)


@scene("fem", "geometry", "atomic", "function", edge,
       says="estimates the error of a linear finite element solution by the jump of its gradient across each edge",
       title="gradient_jump_indicator|kelly_estimator|edge_jumps|mark_elements", algorithm="gradient jump error estimator")
def gradient_jumps(x: each(position, vertex), tri: index(vertex, 3, over=face), u: each(field_value, vertex), sides: index(face, 2), ends: index(vertex, 2), kappa: maybe(each(conductivity, face), 0.5), eta: add(estimator_value, face), jump_out: maybe(out(estimator_value), 0.5)):
    names(a="a|f0|left|t0", b="b|f1|right|t1", ga="ga|grad_l|g0|slope_a", gb="gb|grad_r|g1|slope_b", along="along|edge_v|tang|te", h="h|len_e|edge_len|size_e", jump="jump|gap|dgrad|leap", part="part|term|eta_e|contrib", across="across|co_normal|nu|cn", i="i|n0|p|ia", j="j|n1|q|ib", k="k|n2|r|ic", v0="v0|start|tail|e0", v1="v1|stop|head_v|e1")
    e = wp.tid()
    a = sides[e, 0]
    b = sides[e, 1]
    note("the same triangle on both sides: a border edge|boundary edges have no jump")
    if a == b:
        return
    v0 = ends[e, 0]
    v1 = ends[e, 1]
    along = x[v1] - x[v0]
    h = wp.length(along)
    if h < constant("EDGE_EPS|MIN_EDGE", 1.0e-4):
        return
    i = tri[a, 0]
    j = tri[a, 1]
    k = tri[a, 2]
    ga = linear_gradient(x[i], x[j], x[k], u[i], u[j], u[k])
    i = tri[b, 0]
    j = tri[b, 1]
    k = tri[b, 2]
    gb = linear_gradient(x[i], x[j], x[k], u[i], u[j], u[k])
    if present(kappa):
        note("flux, not gradient: the conductivity differs|jump of the flux")
        ga = ga * kappa[a]
        gb = gb * kappa[b]
    match choose("measure"):
        case 2:
            fact("only the part across the edge counts")
            along = along / h
            across = (ga - gb) - along * wp.dot(ga - gb, along)
            jump = wp.length(across)
        case 1:
            jump = wp.length(ga - gb)
    part = h * h * jump * jump / 24.0
    wp.atomic_add(eta, a, 0.5 * part)
    wp.atomic_add(eta, b, 0.5 * part)
    if present(jump_out):
        jump_out[e] = jump


@scene("fem", "geometry", "multi_conditional", tet,
       says="rates the shape of each tetrahedron, one for a regular and zero for a flat or inverted one",
       title="tet_quality|rate_tetrahedra|mesh_quality_check|element_shape_quality", algorithm="quality of a tetrahedron", rare=True)
def tet_quality(x: each(position, vertex), tet_ids: index(vertex, 4), q: out(quality_value), class_out: maybe(out(label), 0.6), worst: maybe(inout(quality_value, 1, range=(1.0, 1.0)), 0.4), bad: maybe(add(count_value, 1), 0.4)):
    names(a="a|p0|va|c0", b="b|p1|vb|c1", c="c|p2|vc|c2", d="d|p3|vd|c3", vol="vol|volume_t|tet_vol|signed_v", sq="sq|sum_sq|edge_sq|l2", area_="area_|surf|face_sum|total_a", rin="rin|inradius|r_in|small_r", rout="rout|circumradius|r_out|big_r", val="val|score|eta_t|rating", pa="pa|opp_a|prod_a|la", pb="pb|opp_b|prod_b|lb", pc="pc|opp_c|prod_c|lc", heron="heron|s8|under_root|prod")
    t = wp.tid()
    a = x[tet_ids[t, 0]]
    b = x[tet_ids[t, 1]]
    c = x[tet_ids[t, 2]]
    d = x[tet_ids[t, 3]]
    vol = wp.dot(b - a, wp.cross(c - a, d - a)) / 6.0
    val = float(0.0)
    note("flat or inverted ones stay at zero|only where it has a volume")
    if vol > number(0.001, 0.01, "flat"):
        match choose("measure"):
            case 2:
                fact("the measure is the volume over the mean square edge")
                sq = wp.length_sq(b - a) + wp.length_sq(c - a) + wp.length_sq(d - a) + wp.length_sq(c - b) + wp.length_sq(d - b) + wp.length_sq(d - c)
                note("mean ratio|cubed root of the squared volume over the edges")
                val = 12.0 * wp.pow(3.0 * vol, 2.0 / 3.0) / sq
            case 2:
                fact("the measure is three times the radius inside over the radius outside")
                area_ = 0.5 * (wp.length(wp.cross(b - a, c - a)) + wp.length(wp.cross(b - a, d - a)) + wp.length(wp.cross(c - a, d - a)) + wp.length(wp.cross(c - b, d - b)))
                rin = 3.0 * vol / area_
                note("products of opposite edges give the outer sphere|Crelle's formula")
                pa = wp.length(b - a) * wp.length(d - c)
                pb = wp.length(c - a) * wp.length(d - b)
                pc = wp.length(d - a) * wp.length(c - b)
                heron = (pa + pb + pc) * (pb + pc - pa) * (pa + pc - pb) * (pa + pb - pc)
                rout = wp.sqrt(wp.max(heron, 0.0)) / (24.0 * vol)
                val = 3.0 * rin / rout
            case 1:
                fact("the measure compares the volume with the cube of the root mean square edge")
                sq = (wp.length_sq(b - a) + wp.length_sq(c - a) + wp.length_sq(d - a) + wp.length_sq(c - b) + wp.length_sq(d - b) + wp.length_sq(d - c)) / 6.0
                val = 6.0 * wp.sqrt(2.0) * vol / (sq * wp.sqrt(sq))
    q[t] = val
    if present(class_out):
        if val == 0.0:
            class_out[t] = 0
        elif val < number(0.2, 0.35, "poor"):
            class_out[t] = 1
        elif val < number(0.4, 0.6, "fair"):
            class_out[t] = 2
        else:
            class_out[t] = 3
    if present(worst):
        wp.atomic_min(worst, 0, val)
    if present(bad):
        if val == 0.0:
            wp.atomic_add(bad, 0, 1)


@scene("fem", "atomic", "nested_loop", face,
       says="integrates the heat that a surface exchanges with the air over each triangle with three quadrature points and adds it to the corners",
       title="convective_boundary|robin_boundary_load|film_heat_exchange|surface_heat_load", algorithm="boundary integral of convection with quadrature", rare=True)
def convective_boundary(x: each(position, vertex), tri: index(vertex, 3), temp: each(temperature, vertex), film: setting(film_coefficient), ambient: setting(ambient_temperature), emis: maybe(setting(emissivity), 0.4), insulated: maybe(each(flag), 0.4), load: add(nodal_load, vertex), gained: maybe(out(heat_rate), 0.5)):
    names(ax="ax|p0|xa|c0", area_="area_|surf|a_t|tri_area", tq="tq|t_q|surf_temp|t_point", flux="flux|q|heat_q|exchange", w="w|wq|share|third", n0="n0|sa|phi0|na", n1="n1|sb|phi1|nb", n2="n2|sc|phi2|nc", total="total|sum_q|heat_face|gain_f", q="q|qp|pt|g", i="i|ia|node0|v0", j="j|ib|node1|v1", k="k|ic|node2|v2")
    f = wp.tid()
    if present(insulated):
        if insulated[f] == 1:
            if present(gained):
                gained[f] = 0.0
            return
    i = tri[f, 0]
    j = tri[f, 1]
    k = tri[f, 2]
    ax = x[i]
    area_ = 0.5 * wp.length(wp.cross(x[j] - ax, x[k] - ax))
    total = float(0.0)
    for q in range(3):
        match choose("points"):
            case 2:
                note("midpoints of the edges: exact for quadratics|edge midpoint rule")
                n0 = 0.5
                n1 = 0.5
                n2 = 0.5
                if q == 0:
                    n0 = 0.0
                elif q == 1:
                    n1 = 0.0
                else:
                    n2 = 0.0
            case 1:
                note("inner points: exact for quadratics")
                n0 = 1.0 / 6.0
                n1 = 1.0 / 6.0
                n2 = 1.0 / 6.0
                if q == 0:
                    n0 = 2.0 / 3.0
                elif q == 1:
                    n1 = 2.0 / 3.0
                else:
                    n2 = 2.0 / 3.0
        tq = n0 * temp[i] + n1 * temp[j] + n2 * temp[k]
        flux = film * (ambient - tq)
        if present(emis):
            note("and radiation to the surroundings|grey body")
            flux += emis * 5.670374e-8 * (wp.pow(ambient, 4.0) - wp.pow(tq, 4.0))
        w = flux * area_ / 3.0
        wp.atomic_add(load, i, n0 * w)
        wp.atomic_add(load, j, n1 * w)
        wp.atomic_add(load, k, n2 * w)
        total += w
    if present(gained):
        gained[f] = total


@scene("fem", "matrix", "reduction", node,
       says="recovers a smooth stress at each node by fitting a plane through the stresses of the elements around it",
       title="recover_nodal_stress|patch_recovery|smooth_stress_field|zz_recovery", algorithm="superconvergent patch recovery", rare=True)
def patch_recovery(start: offsets(item), ring: index(element, over=item), x: each(point2, node), mid: each(point2, element), sig: each(stress_component, element), w: each(area, element), sig_out: out(stress_component), fallback: maybe(out(flag), 0.5)):
    names(m="m|normal_m|ata|gram", b="b|rhs_v|atb|moment_v", d="d|off|rel|dx", row="row|basis|phi|mono", n="n|patch_size|valence|num_el", mean_s="mean_s|avg|plain|simple", wt="wt|we|weight_e|patch_w", total="total|sum_w|mass_w|norm_w", det="det|det_m|disc|pivot", coef="coef|fit|plane_c|poly", e="e|el|elem|cell_k")
    i = wp.tid()
    n = start[i + 1] - start[i]
    m = wp.mat33()
    b = wp.vec3()
    mean_s = float(0.0)
    total = float(0.0)
    for k in range(start[i], start[i + 1]):
        e = ring[k]
        d = mid[e] - x[i]
        row = wp.vec3(1.0, d[0], d[1])
        wt = w[e]
        m += wp.outer(row, row) * wt
        b += row * (wt * sig[e])
        mean_s += wt * sig[e]
        total += wt
    if n == 0:
        sig_out[i] = 0.0
        if present(fallback):
            fallback[i] = 1
        return
    det = wp.determinant(m)
    note("too few elements, or all in a line: the mean will do|rank deficient patch")
    if n < 3 or det < number(0.001, 0.01, "rank") * m[0, 0] * m[1, 1] * m[2, 2]:
        sig_out[i] = mean_s / total
        if present(fallback):
            fallback[i] = 1
        return
    coef = wp.inverse(m) * b
    note("the plane at the node itself|constant term")
    sig_out[i] = coef[0]
    if present(fallback):
        fallback[i] = 0
