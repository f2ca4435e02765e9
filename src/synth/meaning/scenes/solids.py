"""Solids in elements: strains, stresses, energies, beams, heat in meshes."""


@scene("fem", "matrix", "struct", element,
       says="computes the small strain of each element from the gradient of its displacement and the stress by Hooke's law",
       title="linear_elasticity|hooke_stress|element_stress", algorithm="isotropic linear elasticity", rare=True)
def linear_elastic(grad_u: each(matrix3, range=(-0.2, 0.2)), mu: setting(lame_mu), lam: setting(lame_lambda), t: maybe(each(temperature_difference), 0.3), alpha: maybe(setting(expansion_coefficient, 0.0001, 0.0005), 1.0), sig: out(stress), w: maybe(out(energy), 0.5), vm: maybe(out(equivalent_stress), 0.5)):
    names(grad_u="grad_u|disp_grad|du_dx", eps="eps|strain_e|e", s="s|sigma|cauchy", tr="tr|vol_strain|trace_e")
    e = wp.tid()
    note("symmetric part of the displacement gradient")
    eps = 0.5 * (grad_u[e] + wp.transpose(grad_u[e]))
    if present(t) and present(alpha):
        note("thermal strain does not stress the material|subtract the free expansion")
        eps = eps - wp.identity(n=3, dtype=float) * (alpha * t[e])
    tr = wp.trace(eps)
    s = 2.0 * mu * eps + wp.identity(n=3, dtype=float) * (lam * tr)
    sig[e] = s
    if present(w):
        w[e] = 0.5 * wp.ddot(s, eps)
    if present(vm):
        note("von Mises stress from the deviator")
        dev = s - wp.identity(n=3, dtype=float) * (wp.trace(s) / 3.0)
        vm[e] = wp.sqrt(1.5 * wp.ddot(dev, dev))


@scene("fem", "control_flow", "scalar_param", element,
       says="returns the trial stress of each element to the yield surface by isotropic hardening in one dimension",
       title="return_mapping|plastic_update|update_plasticity", algorithm="return mapping with isotropic hardening", rare=True)
def return_mapping(eps: each(axial_strain), eps_p: inout(axial_strain), alpha: inout(plastic_strain), young: setting(youngs_modulus, 30.0, 50.0), sy: setting(yield_stress, 1.0, 3.0), h: setting(hardening_modulus), sig: out(axial_stress), yielding: maybe(out(flag), 0.5)):
    names(trial="trial|s_tr|sigma_tr|elastic", f="f|phi|over|excess", dg="dg|dgamma|slip|plastic_step", sgn="sgn|way|dir_s|side")
    e = wp.tid()
    note("elastic predictor|trial state")
    trial = young * (eps[e] - eps_p[e])
    f = wp.abs(trial) - (sy + h * alpha[e])
    if f <= 0.0:
        sig[e] = trial
        if present(yielding):
            yielding[e] = 0
        return
    note("plastic corrector|return to the yield surface")
    dg = f / (young + h)
    sgn = wp.sign(trial)
    sig[e] = trial - young * dg * sgn
    eps_p[e] = eps_p[e] + dg * sgn
    alpha[e] = alpha[e] + dg
    if present(yielding):
        yielding[e] = 1


@scene("fem", "geometry", "vector", face,
       says="computes the gradient of a nodal field on each triangle of a flat mesh",
       title="triangle_gradients|field_gradient|element_gradients", algorithm="gradient of a linear triangle", rare=True)
def triangle_gradient(x: each(point2, node), tri: index(node, 3), u: each(field_value, node), grad: out(vector2), flux: maybe(out(vector2), 0.4), k: maybe(setting(conductivity), 1.0), twice_area: maybe(out(signed_area), 0.4)):
    names(a="a|i|n0|p0", b="b|j|n1|p1", c="c|k_id|n2|p2", e1="e1|ab|d1|s1", e2="e2|ac|d2|s2", det="det|jac|area2|den", du1="du1|u_ab|f1|g1", du2="du2|u_ac|f2|g2")
    t = wp.tid()
    a = tri[t, 0]
    b = tri[t, 1]
    c = tri[t, 2]
    e1 = x[b] - x[a]
    e2 = x[c] - x[a]
    det = e1[0] * e2[1] - e1[1] * e2[0]
    note("a sliver has no gradient worth the name|degenerate element")
    if wp.abs(det) < number(0.05, 0.2, "sliver"):
        grad[t] = wp.vec2(0.0, 0.0)
        if present(flux) and present(k):
            flux[t] = wp.vec2(0.0, 0.0)
        if present(twice_area):
            twice_area[t] = det
        return
    du1 = u[b] - u[a]
    du2 = u[c] - u[a]
    grad[t] = wp.vec2((du1 * e2[1] - du2 * e1[1]) / det, (du2 * e1[0] - du1 * e2[0]) / det)
    if present(flux) and present(k):
        note("flux runs downhill|Fourier's law")
        flux[t] = wp.vec2(-k * (du1 * e2[1] - du2 * e1[1]) / det, -k * (du2 * e1[0] - du1 * e2[0]) / det)
    if present(twice_area):
        twice_area[t] = det


@scene("fem", "nested_loop", "arithmetic", element,
       says="evaluates the bilinear shape functions of a quadrilateral at its four Gauss points and sums a nodal load",
       title="quad_shape_functions|integrate_quad|quad_load", algorithm="two by two Gauss quadrature of a quadrilateral")
def quad_load(q: rows(field_value, 4), half_w: each(length), half_h: each(length), load: out(field_value)):
    names(acc="acc|total|s|sum_g", xi="xi|r|g|gx", eta="eta|s_|h|gy", n0="n0|a|w0|sa", n1="n1|b|w1|sb", n2="n2|c|w2|sc", n3="n3|d|w3|sd")
    e = wp.tid()
    acc = float(0.0)
    for a in range(2):
        for b in range(2):
            xi = (2.0 * float(a) - 1.0) * constant("GAUSS_POINT|INV_SQRT_3", 0.57735027)
            eta = (2.0 * float(b) - 1.0) * constant("GAUSS_POINT|INV_SQRT_3", 0.57735027)
            n0 = 0.25 * (1.0 - xi) * (1.0 - eta)
            n1 = 0.25 * (1.0 + xi) * (1.0 - eta)
            n2 = 0.25 * (1.0 + xi) * (1.0 + eta)
            n3 = 0.25 * (1.0 - xi) * (1.0 + eta)
            acc += n0 * q[e, 0] + n1 * q[e, 1] + n2 * q[e, 2] + n3 * q[e, 3]
    note("Jacobian of a rectangle|half widths map the reference square")
    load[e] = acc * half_w[e] * half_h[e]


@scene("fem", "atomic", "function", edge,
       says="adds the heat that flows through each edge of a mesh to its two end nodes",
       title="edge_heat_flow|assemble_conduction|conduct_edges", algorithm="heat conduction on a graph", rare=True)
def edge_conduction(ends: index(node, 2), t: each(temperature, node), k: each(conductivity), a: each(area), l: each(length), q: add(heat_rate, node), melt: maybe(setting(temperature, 300.0, 350.0), 0.3), flow: maybe(out(heat_rate), 0.5)):
    names(i="i|n0|src|u", j="j|n1|dst|v", g="g|cond|coef|ka_l", h="h|rate|phi|flow_ij")
    e = wp.tid()
    i = ends[e, 0]
    j = ends[e, 1]
    if i == j:
        return
    g = k[e] * a[e] / l[e]
    if present(melt):
        note("molten material conducts less|phase change")
        if t[i] > melt and t[j] > melt:
            g = g * number(0.3, 0.7, "molten")
    h = g * (t[j] - t[i])
    wp.atomic_add(q, i, h)
    wp.atomic_sub(q, j, h)
    if present(flow):
        flow[e] = h


@scene("fem", "matrix", "quaternion", tet,
       says="splits the deformation of each tetrahedron into rotation and stretch and computes the corotated elastic stress",
       title="corotated_stress|polar_stress|corotational_forces", algorithm="corotated linear elasticity", rare=True)
def corotated(f: each(matrix3, range=(-0.3, 0.3)), mu: setting(lame_mu), lam: setting(lame_lambda), p: out(stress), energy_out: maybe(out(energy), 0.5)):
    names(fi="fi|F|def_grad", r="r|rot_m|R", s="s|stretch|S", tr="tr|vol|tr_s")
    t = wp.tid()
    fi = wp.identity(n=3, dtype=float) + f[t]
    note("polar decomposition through singular values|F = R S")
    u, sig, v = wp.svd3(fi)
    r = u * wp.transpose(v)
    s = wp.transpose(r) * fi
    tr = wp.trace(s) - 3.0
    p[t] = 2.0 * mu * (fi - r) + r * (lam * tr)
    if present(energy_out):
        energy_out[t] = mu * wp.ddot(fi - r, fi - r) + 0.5 * lam * tr * tr
