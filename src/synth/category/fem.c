/* Finite elements: shape functions, quadrature, element matrices, energies. */
#include "synth/make.h"

/* ---- triangles and tetrahedra ---- */

static void triangle_corners(Synth *s, Expr *p, Expr *ids, uint32_t n)
{
    static const char *const corners[] = {"i|i0|n0", "j|i1|n1", "k|i2|n2"};
    element_indices(s, "triangles|elements|tri_indices|conn", corners, 3, n, ids);
    Expr x = input(s, "nodes|rest_positions|coords|x", "vec2", n, -2, 2);
    for (int i = 0; i < 3; i++)
        p[i] = let(s, i == 0 ? "a|x0|p0" : i == 1 ? "b|x1|p1" : "c|x2|p2", at(s, x, ids[i]));
}

/* Twice the signed area, kept away from zero, and the gradients of the three hat functions. */
static Expr hat_gradients(Synth *s, const Expr *p, Expr *g)
{
    Expr det =
        let_always(s, "det|area2|jac",
                   Q(s, "(_1[0] - _0[0]) * (_2[1] - _0[1]) - (_2[0] - _0[0]) * (_1[1] - _0[1])", p[0], p[1], p[2]));
    Expr safe = let_always(s, "det_abs|area_2|vol2", Q(s, "wp.max(wp.abs(_0), 0.05)", det));
    static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
    for (int i = 0; i < 3; i++)
        g[i] = let_always(s,
                          i == 0   ? "g0|grad0|dn0"
                          : i == 1 ? "g1|grad1|dn1"
                                   : "g2|grad2|dn2",
                          Q(s, "wp.vec2(_0[1] - _1[1], _1[0] - _0[0]) / _2", p[next[i]], p[last[i]], safe));
    return safe;
}

static void element_matrix(Synth *s)
{
    Expr p[3], ids[3], g[3];
    launch_1d(s, "tid|elem|t");
    uint32_t n = (uint32_t)between(s, 16, 48);
    triangle_corners(s, p, ids, n);
    Expr area2 = hat_gradients(s, p, g);
    Expr area = let(s, "area|weight", Q(s, "0.5 * _0", area2));
    Expr k = chance(s, 0.5) ? setting(s, "kappa|conductivity|diffusivity", 0.1, 3)
                            : let(s, "k_e|kappa_e", per_thread(s, "conductivity|coeffs|material_k", "float", 0.1, 3));
    const char *what = "stiffness";
    uint32_t choice = below(s, 3);
    if (choice == 0) { /* the matrix itself */
        Expr rows = chance(s, 0.5)
                        ? Q(s,
                            "wp.mat33(wp.dot(_0, _0), wp.dot(_0, _1), wp.dot(_0, _2), wp.dot(_1, _0), wp.dot(_1, _1), "
                            "wp.dot(_1, _2), wp.dot(_2, _0), wp.dot(_2, _1), wp.dot(_2, _2))",
                            g[0], g[1], g[2])
                        : Q(s,
                            "wp.outer(wp.vec3(_0[0], _1[0], _2[0]), wp.vec3(_0[0], _1[0], _2[0])) + "
                            "wp.outer(wp.vec3(_0[1], _1[1], _2[1]), wp.vec3(_0[1], _1[1], _2[1]))",
                            g[0], g[1], g[2]);
        Expr matrix = let_always(s, "ke|k_local|stiff", Q(s, "_0 * (_1 * _2)", rows, k, area));
        output(s, "element_matrices|k_out|stiffness_out", matrix);
    } else if (choice == 1) { /* applied to a vector, scattered */
        Expr u = input(s, "u|solution|temperature", "float", n, -2, 2);
        Expr grad =
            let_always(s, "grad_u|flux_dir|du",
                       Q(s, "_0 * _3[_4] + _1 * _3[_5] + _2 * _3[_6]", g[0], g[1], g[2], u, ids[0], ids[1], ids[2]));
        Expr flux = let(s, "flux|q", Q(s, "_0 * (_1 * _2)", grad, k, area));
        Expr out = array_param(s, ROLE_ATOMIC, "residual|rhs|f_out", s->style.real, 1, &n, 0, 0);
        for (int i = 0; i < 3; i++)
            atomic(s, "atomic_add", out, &ids[i], 1, Q(s, "wp.dot(_0, _1)", flux, g[i]));
        what = "stiffness applied to a nodal field";
    } else { /* a load */
        Expr source = let(s, "f_e|load_e", per_thread(s, "source|loads|body_load", "float", -2, 2));
        Expr share = let_always(s, "share|nodal|lumped", Q(s, "_0 * _1 / 3.0", source, area));
        Expr out = array_param(s, ROLE_ATOMIC, "rhs|load_vector|b_out", s->style.real, 1, &n, 0, 0);
        for (int i = 0; i < 3; i++)
            atomic(s, "atomic_add", out, &ids[i], 1, share);
        if (chance(s, 0.6))
            output(s, "grad_norms|gradient_size",
                   Q(s, "wp.length(_0) + wp.length(_1) + wp.length(_2)", g[0], g[1], g[2]));
        what = "load";
    }
    s->kernel_stem = PICK(s, "assemble_triangles", "element_stiffness", "p1_assembly", "local_matrix");
    s->entity = "triangle element";
    say(s, "computes the %s of a linear triangle", what);
}

static void deformation_energy(Synth *s)
{
    launch_1d(s, "tid|elem|t");
    Expr F;
    bool flat = chance(s, 0.35);
    const char *matrix = flat ? "mat22" : "mat33";
    if (chance(s, 0.5) && !flat) {
        static const char *const corners[] = {"i|i0", "j|i1", "k|i2", "l|i3"};
        Expr ids[4], q[4];
        uint32_t n = (uint32_t)between(s, 16, 48);
        element_indices(s, "tets|tet_indices|elements", corners, 4, n, ids);
        Expr x = input(s, "positions|x|particle_q", "vec3", n, -1, 1);
        for (int i = 0; i < 4; i++)
            q[i] = let(s, i == 0 ? "x0|a" : i == 1 ? "x1|b" : i == 2 ? "x2|c" : "x3|d", at(s, x, ids[i]));
        Expr e[3];
        for (int i = 0; i < 3; i++)
            e[i] = let_always(s, i == 0 ? "x10|e1" : i == 1 ? "x20|e2" : "x30|e3", Q(s, "_0 - _1", q[i + 1], q[0]));
        Expr Ds =
            let_always(s, "Ds|edges_now",
                       chance(s, 0.6) ? Q(s, "wp.matrix_from_cols(_0, _1, _2)", e[0], e[1], e[2])
                                      : Q(s, "wp.mat33(_0[0], _1[0], _2[0], _0[1], _1[1], _2[1], _0[2], _1[2], _2[2])",
                                          e[0], e[1], e[2]));
        Expr Dm = let(s, "Dm|rest_inv", per_thread(s, "rest_inverse|tet_poses|dm_inv", "mat33", -1, 1));
        F = let_always(s, "F|def_grad", Q(s, "_0 * _1", Ds, Dm));
    } else {
        F = let_always(s, "F|def_grad|Fe", per_thread(s, "deformation|def_gradients|F_in", matrix, -1, 1));
    }
    Expr mu = setting(s, "mu|shear_modulus", 0.5, 5), lam = setting(s, "lam|la|bulk", 0.5, 5),
         dims = real(s, flat ? 2 : 3);
    comment(s, "volume change");
    Expr J = let_always(s, "J|det_f|vol_ratio", Q(s, "wp.determinant(_0)", F));
    Expr energy;
    const char *model;
    switch (below(s, 4)) {
    case 0: {
        Expr i1 =
            let(s, "I1|ic", chance(s, 0.5) ? Q(s, "wp.trace(wp.transpose(_0) * _0)", F) : Q(s, "wp.ddot(_0, _0)", F));
        Expr logj = let_always(s, "log_j|lj", Q(s, "wp.log(wp.max(_0, 0.05))", J));
        energy = Q(s, "0.5 * _0 * (_1 - _2) - _0 * _3 + 0.5 * _4 * _3 * _3", mu, i1, dims, logj, lam);
        model = "neo-Hookean";
        break;
    }
    case 1: {
        Expr identity = call_identity(s, flat ? 2 : 3);
        Expr E = let_always(s, "E|strain|green", Q(s, "(wp.transpose(_0) * _0 - _1) * 0.5", F, identity));
        Expr tr = let(s, "tr|tr_e", Q(s, "wp.trace(_0)", E));
        energy = Q(s, "_0 * wp.ddot(_1, _1) + 0.5 * _2 * _3 * _3", mu, E, lam, tr);
        model = "St. Venant-Kirchhoff";
        break;
    }
    case 2: {
        Expr E = let_always(s, "eps|small_strain",
                            Q(s, "(_0 + wp.transpose(_0)) * 0.5 - _1", F, call_identity(s, flat ? 2 : 3)));
        Expr tr = let(s, "tr|div_u", Q(s, "wp.trace(_0)", E));
        energy = Q(s, "_0 * wp.ddot(_1, _1) + 0.5 * _2 * _3 * _3", mu, E, lam, tr);
        model = "linear elastic";
        if (chance(s, 0.5))
            output(s, "stress|stress_out",
                   Q(s, "_0 * (2.0 * _1) + _2 * (_3 * _4)", E, mu, call_identity(s, flat ? 2 : 3), lam, tr));
        break;
    }
    default:
        energy = Q(s, "_0 * (wp.ddot(_1, _1) - _2) + _3 * (_4 - 1.0) * (_4 - 1.0)", mu, F, dims, lam, J);
        model = "quadratic volume-preserving";
    }
    comment(s, "energy density");
    energy = let_always(s, "psi|energy_density|w_e", energy);
    Expr vol = let(s, "vol|rest_vol", per_thread(s, "volumes|rest_volume", "float", 0.1, 2));
    Expr total = Q(s, "_0 * _1", energy, vol);
    if (chance(s, 0.5))
        output_sum(s, "total_energy|elastic_energy", total);
    else
        output(s, "energies|energy_out", embellish(s, total));
    s->kernel_stem = PICK(s, "elastic_energy", "element_energy", "hyperelastic", "strain_energy");
    s->entity = "element";
    say(s, "evaluates the %s strain energy", model);
}

/* ---- shape functions and quadrature ---- */

static Helper *shape_function(Synth *s, const char **what)
{
    const Type *r = s->style.real, *types[2] = {r, type_scalar(TYPE_INT32)};
    const Range ranges[2] = {{-1, 1}, {0, 2}};
    Expr p[2], result;
    static const char *const names[] = {"shape|basis|lagrange", "hat|shape_1d|basis_fn"};
    Helper *helper = function_begin(s, names[below(s, 2)], 2, (const char *const[]){"xi|t|r_coord", "node|a|local_id"},
                                    types, ranges, p);
    bool quadratic = chance(s, 0.5);
    *what = quadratic ? "quadratic" : "linear";
    if_begin(s, Q(s, "_0 == 0", p[1]));
    Expr first = quadratic ? Q(s, "0.5 * _0 * (_0 - 1.0)", p[0]) : Q(s, "0.5 * (1.0 - _0)", p[0]);
    function_return(s, helper, &first, 1);
    block_end(s);
    if (quadratic) {
        if_begin(s, Q(s, "_0 == 1", p[1]));
        Expr middle = Q(s, "1.0 - _0 * _0", p[0]);
        function_return(s, helper, &middle, 1);
        block_end(s);
        result = Q(s, "0.5 * _0 * (_0 + 1.0)", p[0]);
    } else {
        result = Q(s, "0.5 * (1.0 + _0)", p[0]);
    }
    function_return(s, helper, &result, 1);
    function_end(s, helper);
    return helper;
}

static void quadrature(Synth *s)
{
    const char *what;
    Helper *shape = shape_function(s, &what);
    uint32_t nodes = what[0] == 'q' ? 3 : 2, points = (uint32_t)between(s, 2, 5);
    launch_1d(s, "tid|elem|e_id");
    uint32_t both_axes[2] = {s->shape[0], nodes};
    Expr u = array_in(s, "nodal_values|u|coeffs|dofs", s->style.real, 2, both_axes, -2, 2),
         h = let(s, "h|size_e", per_thread(s, "lengths|elem_size", "float", 0.1, 2));
    Expr xq = input(s, "quad_points|gauss_x|xi_q", "float", points, -1, 1),
         wq = input(s, "quad_weights|gauss_w|w_q", "float", points, 0.1, 1);
    Expr total = let_mutable(s, "total|integral|acc", zero(s, s->style.real));
    comment(s, "loop over quadrature points");
    Expr q = for_count(s, "q|g|qp", points);
    Expr xi = let(s, "xi|x_q", at(s, xq, q));
    Expr value = let_mutable(s, "value|u_q|interp", zero(s, s->style.real));
    comment(s, "shape functions at this point");
    Expr a = for_count(s, "a|node|n_id", nodes);
    Expr index[2] = {s->tid[0], a};
    accumulate(s, value, OP_ADD, Q(s, "_0 * _1", call_helper(s, shape, (Expr[]){xi, a}), subscript(s, u, index, 2)));
    block_end(s);
    value = again(s, value);
    Expr f = chance(s, 0.4)   ? square_of(s, value)
             : chance(s, 0.5) ? value
                              : Q(s, "wp.exp(-_0 * _0)", with_range(value, -4, 4));
    accumulate(s, total, OP_ADD, Q(s, "_0 * _1 * (0.5 * _2)", at(s, wq, q), f, h));
    block_end(s);
    if (chance(s, 0.5))
        output(s, "integrals|element_integrals", embellish(s, again(s, total)));
    else
        output_sum(s, "integral|norm_sq|total_out", again(s, total));
    s->kernel_stem = PICK(s, "integrate_elements", "gauss_quadrature", "element_integrals");
    s->entity = "line element";
    say(s, "integrates a function of a %s interpolation with %u quadrature points", what, points);
}

static void interpolate(Synth *s)
{
    launch_1d(s, "tid|i|q");
    uint32_t n = (uint32_t)between(s, 16, 48);
    bool vector = chance(s, 0.5);
    const char *type = vector ? "vec3" : "float";
    Expr xi = let(s, "xi|r|u_c", per_thread(s, "xi_in|local_u|params_u", "float", -1, 1)),
         eta = let(s, "eta|t|v_c", per_thread(s, "eta_in|local_v|params_v", "float", -1, 1));
    static const char *const corners[] = {"n0|a", "n1|b", "n2|c", "n3|d"};
    Expr ids[4], w[4];
    element_indices(s, "quads|elements|cells_conn", corners, 4, n, ids);
    Expr field = input(s, "field|nodal|values_in", type, n, -2, 2);
    comment(s, "bilinear shape functions");
    w[0] = let_always(s, "w0|n_0", Q(s, "0.25 * (1.0 - _0) * (1.0 - _1)", xi, eta));
    w[1] = let_always(s, "w1|n_1", Q(s, "0.25 * (1.0 + _0) * (1.0 - _1)", xi, eta));
    w[2] = let_always(s, "w2|n_2", Q(s, "0.25 * (1.0 + _0) * (1.0 + _1)", xi, eta));
    w[3] = let_always(s, "w3|n_3", Q(s, "0.25 * (1.0 - _0) * (1.0 + _1)", xi, eta));
    Expr sum = {0};
    for (int i = 0; i < 4; i++) {
        Expr term =
            chance(s, 0.5) ? Q(s, "_0[_1] * _2", field, ids[i], w[i]) : Q(s, "_2 * _0[_1]", field, ids[i], w[i]);
        sum = sum.type ? Q(s, "_0 + _1", sum, term) : term;
    }
    Expr value = let_always(s, "value|interp|u_h", sum);
    if (chance(s, 0.5)) {
        Expr d = let_always(s, "du_dxi|slope",
                            Q(s, "(_1[_2] - _1[_3]) * (0.25 * (1.0 - _0)) + (_1[_4] - _1[_5]) * (0.25 * (1.0 + _0))",
                              eta, field, ids[1], ids[0], ids[2], ids[3]));
        output(s, "slopes|gradients_out", d);
    }
    output(s, "values_out|interp_out|result", embellish(s, value));
    s->kernel_stem = PICK(s, "interpolate_quad", "bilinear_field", "eval_field");
    s->entity = "quadrature point";
    say(s, "interpolates a nodal field with bilinear shape functions");
}

static void beam(Synth *s)
{
    launch_1d(s, "tid|elem|m_id");
    static const char *const ends[] = {"i|a", "j|b"};
    Expr ids[2];
    uint32_t n = (uint32_t)between(s, 16, 48);
    element_indices(s, "bars|members|truss_conn", ends, 2, n, ids);
    Expr x = input(s, "nodes|joints|coords", "vec3", n, -2, 2),
         u = input(s, "displacements|u|disp", "vec3", n, -0.2, 0.2);
    comment(s, "axis of the bar");
    Expr d = let_always(s, "d|axis_v|span", Q(s, "_0[_1] - _0[_2]", x, ids[1], ids[0])),
         l = let_always(s, "l|len0|length_e", Q(s, "wp.max(wp.length(_0), 0.05)", d));
    Expr dir = let_always(s, "dir|t_hat|cosines", Q(s, "_0 / _1", d, l));
    comment(s, "elongation along the axis");
    Expr ext = let_always(s, "ext|elongation|delta_l", Q(s, "wp.dot(_0[_1] - _0[_2], _3)", u, ids[1], ids[0], dir));
    Expr ea = Q(s, "_0 * _1", per_thread(s, "youngs|modulus", "float", 1, 10),
                per_thread(s, "areas|sections", "float", 0.1, 1));
    comment(s, "axial force");
    Expr force = let_always(s, "axial|force_n|tension", Q(s, "_0 * _1 / _2", ea, ext, l));
    if (chance(s, 0.4)) {
        Expr limit = setting(s, "yield_force|limit", 0.5, 5);
        force = let_always(s, "capped|axial_c", Q(s, "wp.clamp(_0, -_1, _1)", force, limit));
    }
    Expr out = array_param(s, ROLE_ATOMIC, "internal|nodal_forces|residual", type_of(s, "vec3"), 1, &n, 0, 0);
    Expr f = let(s, "f|pull|f_vec", Q(s, "_0 * _1", dir, force));
    atomic(s, "atomic_add", out, &ids[0], 1, f);
    atomic(s, "atomic_sub", out, &ids[1], 1, f);
    if (chance(s, 0.5))
        output(s, "stresses|axial_out", force);
    s->kernel_stem = PICK(s, "truss_forces", "bar_elements", "axial_forces");
    s->entity = "bar";
    say(s, "computes the axial force and adds it to the end nodes");
}

void make_fem(Synth *s)
{
    static void (*const makers[])(Synth *) = {element_matrix, deformation_energy, quadrature, interpolate, beam};
    static const unsigned weights[] = {24, 26, 16, 18, 12};
    makers[rng_weighted(&s->rng, weights, 5)](s);
    extra_statements(s, 4);
}
