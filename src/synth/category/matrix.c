/* Small matrices: products, inverses, decompositions. */
#include "synth/make.h"

static const char *matrix_name(uint32_t n)
{
    return n == 2 ? "mat22" : n == 3 ? "mat33" : "mat44";
}

/* A matrix that can be inverted: its diagonal outweighs the rest of its rows. */
static Expr dominant(Synth *s, uint32_t n, const char *names, double *bound)
{
    Expr raw = per_thread(s, names, matrix_name(n), -1, 1);
    double shift = n + (double)between(s, 1, 3);
    *bound = 1.0 / (shift - n + 0.5);
    Expr shifted = Q(s, "_0 + _1 * _2", raw, call_identity(s, n), real(s, shift));
    return let_always(s, "A|regular|m_reg|system", shifted);
}

static void solve(Synth *s)
{
    uint32_t n = chance(s, 0.5) ? 3 : chance(s, 0.6) ? 2 : 4;
    double bound;
    Expr a = dominant(s, n, "matrices|systems|blocks", &bound);
    Expr b = let(s, "b|rhs|load_v",
                 per_thread(s, "rhs|loads|targets",
                            n == 3   ? "vec3"
                            : n == 2 ? "vec2"
                                     : "vec4",
                            -2, 2));
    Expr inverse = let_always(s, "A_inv|inv|m_inv", with_range(Q(s, "wp.inverse(_0)", a), -bound * 2, bound * 2));
    if (inverse.var)
        s->vars[inverse.var - 1].range = (Range){-bound * 2, bound * 2};
    Expr x =
        let_always(s, "x|solution|u", s->style.at_products ? Q(s, "_0 @ _1", inverse, b) : Q(s, "_0 * _1", inverse, b));
    if (chance(s, 0.5)) {
        Expr residual = let_always(s, "r|residual|res", Q(s, "_0 * _1 - _2", a, x, b));
        x = let_always(s, "refined|x2|corrected", Q(s, "_0 - _1 * _2", x, inverse, residual));
    }
    if (chance(s, 0.5))
        output(s, "energies|quad_form|work", Q(s, "wp.dot(_0, _1)", x, b));
    if (chance(s, 0.3))
        output(s, "dets|log_scale|volumes", Q(s, "wp.determinant(_0)", a));
    output(s, "solutions|x_out|result", embellish(s, x));
    say(s, "solves a %ux%u linear system through its inverse", n, n);
}

static void decompose(Synth *s)
{
    Expr m = let_always(s, "A|F|M", per_thread(s, "matrices|deformation|tensors", "mat33", -1, 1)), parts[3];
    const Type *m33 = type_of(s, "mat33"), *v3 = type_of(s, "vec3");
    const Range unit = {-1.01, 1.01}, size = {-3.1, 3.1}, positive = {0, 3.1};
    uint32_t kind = below(s, 4);
    const char *what;
    if (kind == 0 || kind == 1) {
        Node *node = m.node, *value = node_call(s, node_wp(s, "svd3"), &node, 1);
        const Type *types[3] = {m33, v3, m33};
        const Range ranges[3] = {unit, positive, unit};
        let_many(s, (const char *const[]){"U|left_v", "sigma|stretch|sing", "V|right_v"}, parts, 3, value, types,
                 ranges);
        Expr r = let_always(s, "R|rot|polar", Q(s, "_0 * wp.transpose(_1)", parts[0], parts[2]));
        if (kind == 0) {
            output(s, "rotations|polar_out|frames_out", r);
            what = "the rotation of a polar decomposition";
        } else {
            Expr limited =
                let_always(s, "clamped_s|limited|soft",
                           Q(s, "wp.min(_0, wp.vec3(_1, _1, _1))", parts[1], setting(s, "max_stretch|limit", 0.5, 2)));
            output(s, "matrices_out|limited_out",
                   Q(s, "_0 * wp.diag(_1) * wp.transpose(_2)", parts[0], limited, parts[2]));
            what = "a matrix with limited singular values";
        }
        if (chance(s, 0.5))
            output(s, "energies|strain_out", Q(s, "wp.dot(_0, _0) - 3.0", parts[1]));
    } else if (kind == 2) {
        Expr sym = let_always(s, "S|sym|cov", Q(s, "(_0 + wp.transpose(_0)) * 0.5", m));
        Node *node = sym.node, *value = node_call(s, node_wp(s, "eig3"), &node, 1);
        const Type *types[2] = {m33, v3};
        const Range ranges[2] = {unit, size};
        let_many(s, (const char *const[]){"Q_mat|axes|modes", "d|lam|evals"}, parts, 2, value, types, ranges);
        output(s, "eigenvalues|principal|spectra", parts[1]);
        output(s, "leading|main_axis|first_mode",
               Q(s, "wp.vec3(_0[0, 0], _0[1, 0], _0[2, 0]) * _1[0]", parts[0], parts[1]));
        what = "principal values of the symmetric part";
    } else {
        Node *node = m.node, *value = node_call(s, node_wp(s, "qr3"), &node, 1);
        const Type *types[2] = {m33, m33};
        const Range ranges[2] = {unit, size};
        let_many(s, (const char *const[]){"Q_mat|ortho", "R_mat|upper"}, parts, 2, value, types, ranges);
        output(s, "diagonals|scales_out", Q(s, "wp.get_diag(_0)", parts[1]));
        output(s, "frames_out|basis_out", Q(s, "wp.transpose(_0)", parts[0]));
        what = "an orthonormal frame and its scales";
    }
    say(s, "extracts %s", what);
}

static void plane_stretch(Synth *s)
{
    Expr m = let_always(s, "F|A|M2", per_thread(s, "gradients|tensors_2d|matrices", "mat22", -1, 1)), parts[3];
    Node *node = m.node, *value = node_call(s, node_wp(s, "svd2"), &node, 1);
    const Type *m22 = type_of(s, "mat22"), *types[3] = {m22, type_of(s, "vec2"), m22};
    const Range ranges[3] = {{-1.01, 1.01}, {0, 2.1}, {-1.01, 1.01}};
    let_many(s, (const char *const[]){"U|left_v", "sig|stretches", "V|right_v"}, parts, 3, value, types, ranges);
    Expr area = let_always(s, "area_ratio|det_s", Q(s, "_0[0] * _0[1]", parts[1]));
    output(s, "rotations|frames_out", Q(s, "_0 * wp.transpose(_1)", parts[0], parts[2]));
    output(s, "areas|ratios",
           embellish(s, Q(s, "_0 + _1 * wp.length_sq(_2)", area, setting(s, "weight|reg", 0.05, 0.5), parts[1])));
    say(s, "splits a planar deformation into rotation and stretch");
}

void make_matrix(Synth *s)
{
    uint32_t choice = below(s, 100);
    if (choice < 62) {
        make_generic(s);
        return;
    }
    launch_1d(s, "tid|i|elem");
    if (choice < 80)
        solve(s);
    else if (choice < 94)
        decompose(s);
    else
        plane_stretch(s);
    extra_statements(s, 8);
    s->kernel_stem = PICK(s, "matrix_pass", "solve_blocks", "decompose", "tensor_update", "linear_map", "block_solve");
    s->entity = "block";
}
