"""Finite elements and meshes: shape functions, quadrature, element matrices, assembly."""


@scene("fem", "matrix", tet,
       says="computes the deformation gradient of each tetrahedron from its rest and its current shape",
       title="deformation_gradients|compute_tet_F|tet_deformation", algorithm="deformation gradient of a linear tetrahedron", rare=True)
def tet_deformation(x: each(position, vertex), tet_ids: index(vertex, 4), inv_rest: each(matrix3), f: out(deformation_gradient), j: maybe(out(ratio), 0.6),
                    rest_volume: maybe(each(volume), 0.4), vol: maybe(out(volume), 0.9)):
    names(i0="i0|a|v0|n0", i1="i1|b|v1|n1", i2="i2|c|v2|n2", i3="i3|d|v3|n3", x0="x0|p0|origin|base", ds="ds|shape|edges|d_s", fi="fi|grad|F|def_grad")
    t = wp.tid()
    i0 = tet_ids[t, 0]
    i1 = tet_ids[t, 1]
    i2 = tet_ids[t, 2]
    i3 = tet_ids[t, 3]
    x0 = x[i0]
    note("edge vectors from the first corner, as columns|current shape matrix")
    ds = wp.matrix_from_cols(x[i1] - x0, x[i2] - x0, x[i3] - x0)
    fi = ds * inv_rest[t]
    f[t] = fi
    if present(j):
        j[t] = wp.determinant(fi)
    if present(rest_volume) and present(vol):
        vol[t] = wp.abs(wp.determinant(fi)) * rest_volume[t]


@scene("fem", "matrix", "math", element,
       says="evaluates the first Piola-Kirchhoff stress of a neo-Hookean solid at each quadrature point",
       title="neo_hookean_stress|pk1_stress|evaluate_stress", algorithm="compressible neo-Hookean stress", rare=True)
def neo_hookean(grad_u: each(matrix3, range=(-0.45, 0.45)), young: setting(youngs_modulus), nu: setting(poisson_ratio), p: out(piola_stress), psi: maybe(out(energy), 0.6)):
    names(grad_u="grad_u|displacement_grads|du", fi="fi|F|def_grad", mu="mu|shear|g_mod", lam="lam|lame|bulk_part", jac="jac|J|det_f", finv_t="finv_t|f_it|inv_t")
    e = wp.tid()
    mu = young / (2.0 * (1.0 + nu))
    lam = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu))
    note("deformation gradient from the gradient of the displacement|F = I + grad u")
    fi = wp.identity(n=3, dtype=float) + grad_u[e]
    jac = wp.determinant(fi)
    note("inverted elements carry no stress|skip inverted elements")
    if jac < number(0.02, 0.06, "inverted"):
        p[e] = wp.mat33(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if present(psi):
            psi[e] = 0.0
        return
    finv_t = wp.transpose(wp.inverse(fi))
    p[e] = mu * (fi - finv_t) + (lam * wp.log(jac)) * finv_t
    if present(psi):
        psi[e] = 0.5 * mu * (wp.ddot(fi, fi) - 3.0) - mu * wp.log(jac) + 0.5 * lam * wp.log(jac) * wp.log(jac)


@scene("fem", "nested_loop", "matrix", element,
       says="assembles the stiffness of a bar element into its two nodes and applies it to the nodal displacements",
       title="bar_forces|assemble_truss|truss_residual", algorithm="internal forces of a truss", rare=True)
def truss(x: each(position, node), u: each(displacement, node), ends: index(node, 2), a: each(area), young: setting(youngs_modulus), l0: maybe(each(rest_length), 0.5),
          r: add(force, node), strain_out: maybe(out(axial_strain), 0.6)):
    names(l0="rest_length|l0|bar_length|length0", a="area|section|cross_section|bar_area", u="u|disp|displacement|nodal_u", r="r|residual|nodal_force|f_int", ends="ends|bar_nodes|connectivity|elements", pull="pull|bar_force|tension|f_bar", i="i|n0|a_id|first", j="j|n1|b_id|second", d="d|axis|span|chord", len0="len0|l|rest|length0", eps="eps|strain_e|stretch|elong")
    e = wp.tid()
    i = ends[e, 0]
    j = ends[e, 1]
    note("a bar of no length has no direction|degenerate bar")
    if i == j:
        return
    d = x[j] - x[i]
    if present(l0):
        len0 = l0[e]
    else:
        len0 = wp.length(d)
    d = wp.normalize(d)
    eps = wp.dot(u[j] - u[i], d) / len0
    if maybe(0.3, "cable"):
        note("cables do not push|slack cables carry nothing")
        fact("bars that are pressed carry nothing, like slack cables")
        eps = wp.max(eps, 0.0)
    if present(strain_out):
        strain_out[e] = eps
    pull = d * (young * a[e] * eps)
    wp.atomic_add(r, i, pull)
    wp.atomic_sub(r, j, pull)


@scene("fem", "geometry", "function", query,
       says="interpolates a field at points of triangles by their barycentric coordinates",
       title="interpolate_field|evaluate_at_points|sample_on_mesh", algorithm="linear interpolation on a triangle")
def interpolate_linear(tri_ids: index(vertex, 3, over=face), where_: index(face), bary: each(uv_coordinate), field: each(field_value, vertex), val: out(field_value)):
    names(f="f|face_id|cell|elem", a="a|w0|s|l0", b="b|w1|t|l1", c="c|w2|r|l2")
    q = wp.tid()
    f = where_[q]
    a = bary[q][0]
    b = bary[q][1]
    note("points beyond the diagonal are mirrored into the triangle|fold back to the reference triangle")
    if a + b > 1.0:
        a = 1.0 - a
        b = 1.0 - b
    c = 1.0 - a - b
    val[q] = c * field[tri_ids[f, 0]] + a * field[tri_ids[f, 1]] + b * field[tri_ids[f, 2]]


@scene("fem", "nested_loop", "reduction", element,
       says="integrates a sine wave over each interval by Gauss-Legendre quadrature with {points=0:two}{points=1:three} points",
       title="gauss_quadrature|integrate_intervals|element_integrals", algorithm="Gauss-Legendre quadrature")
def gauss(left: each(interval_start), right: each(interval_end), k: setting(frequency, 0.5, 2.0), weight_fn: maybe(each(positive_value), 0.4), total_out: out(value), mean_out: maybe(out(mean), 0.5)):
    names(left="left|x0|x_left|lower", right="right|x1|x_right|upper", mid="mid|center|xm|c", half="half|h|jac|radius", acc="acc|s|sum_q|integral", g="g|xi|offset|node_x")
    e = wp.tid()
    mid = 0.5 * (left[e] + right[e])
    half = 0.5 * (right[e] - left[e])
    match choose("points"):
        case 2:
            note("two points, exact for cubics")
            g = half * constant("GAUSS_2|INV_SQRT3", 0.5773502691896257)
            acc = wp.sin(k * (mid - g)) + wp.sin(k * (mid + g))
        case 2:
            note("three points, exact to degree five")
            g = half * constant("GAUSS_3|SQRT_3_5", 0.7745966692414834)
            acc = (5.0 * wp.sin(k * (mid - g)) + 8.0 * wp.sin(k * mid) + 5.0 * wp.sin(k * (mid + g))) / 9.0
    if present(weight_fn):
        acc = acc * weight_fn[e]
    total_out[e] = acc * half
    if present(mean_out):
        mean_out[e] = 0.5 * acc


@scene("fem", "atomic", "geometry", face,
       says="distributes the area of each triangle to its three corners, the lumped mass of a surface",
       title="lumped_mass|vertex_areas|scatter_face_area", algorithm="lumped mass of a triangle mesh", rare=True)
def lumped_mass(x: each(position, vertex), tri_ids: index(vertex, 3), rho: maybe(setting(density), 0.5), m: add(mass, vertex), count_out: maybe(add(count_value, vertex), 0.4)):
    names(a="a|i|v0|p", b="b|j|v1|q", c="c|k|v2|r", share="share|third|part|m_i")
    f = wp.tid()
    a = tri_ids[f, 0]
    b = tri_ids[f, 1]
    c = tri_ids[f, 2]
    share = wp.length(wp.cross(x[b] - x[a], x[c] - x[a])) / 6.0
    if present(rho):
        share = share * rho
    wp.atomic_add(m, a, share)
    wp.atomic_add(m, b, share)
    wp.atomic_add(m, c, share)
    if present(count_out):
        for k in range(3):
            wp.atomic_add(count_out, tri_ids[f, k], 1)


@scene("fem", "stencil", "control_flow", node,
       says="takes one Jacobi step for the Poisson equation on a grid with fixed values on the border",
       title="jacobi_poisson|poisson_step|relax_potential", algorithm="Jacobi iteration for Poisson's equation", rare=True)
def jacobi(phi: each(potential), rho: each(charge), h: setting(cell_size), omega: maybe(setting(ratio, 0.6, 0.9), 0.5), fixed_: maybe(each(flag), 0.4), phi_out: out(potential), res: maybe(out(potential), 0.4)):
    names(east="east|right|xp|phi_e", west="west|left|xm|phi_w", north="north|up|yp|phi_n", south="south|down|ym|phi_s", new="new|relaxed|update|next_phi")
    i, j = wp.tid()
    if i == 0 or j == 0 or i == count(node, 0) - 1 or j == count(node, 1) - 1:
        note("Dirichlet border: the value is given|boundary values are fixed")
        phi_out[i, j] = phi[i, j]
        if present(res):
            res[i, j] = 0.0
        return
    if present(fixed_):
        note("electrodes keep their potential|constrained nodes")
        if fixed_[i, j] == 1:
            phi_out[i, j] = phi[i, j]
            if present(res):
                res[i, j] = 0.0
            return
    east = phi[i + 1, j]
    west = phi[i - 1, j]
    north = phi[i, j + 1]
    south = phi[i, j - 1]
    new = 0.25 * (east + west + north + south + h * h * rho[i, j])
    if present(res):
        res[i, j] = new - phi[i, j]
    if present(omega):
        note("damped step")
        new = phi[i, j] + omega * (new - phi[i, j])
    phi_out[i, j] = new
