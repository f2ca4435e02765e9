/* Distance functions, rays, triangles, boxes. */
#include "synth/make.h"

/* ---- distance functions, as helpers ---- */

static Helper *distance_function(Synth *s, const char **what)
{
    const Type *v3 = type_of(s, "vec3"), *types[3] = {v3, s->style.real, v3};
    const Range ranges[3] = {{-20, 20}, {0.2, 2}, {0.2, 2}};
    Expr p[3], result;
    Helper *helper;
    switch (below(s, 6)) {
    case 0:
        helper = function_begin(s, "sd_sphere|sphere_distance|sphere_sdf", 2,
                                (const char *const[]){"p|point", "radius|r"}, types, ranges, p);
        result = Q(s, "wp.length(_0) - _1", p[0], p[1]);
        *what = "a sphere";
        break;
    case 1: {
        const Type *box[2] = {v3, v3};
        const Range box_ranges[2] = {{-20, 20}, {0.2, 2}};
        helper = function_begin(s, "sd_box|box_distance|box_sdf", 2,
                                (const char *const[]){"p|point", "half_size|extents|b"}, box, box_ranges, p);
        Expr q = let_always(s, "q|d|excess", Q(s, "wp.abs(_0) - _1", p[0], p[1]));
        Expr outside = let(s, "outside|out_d", Q(s, "wp.length(wp.max(_0, wp.vec3(0.0, 0.0, 0.0)))", q));
        result = chance(s, 0.5) ? Q(s, "_0 + wp.min(wp.max(_1), 0.0)", outside, q)
                                : Q(s, "_0 + wp.min(wp.max(_1[0], wp.max(_1[1], _1[2])), 0.0)", outside, q);
        *what = "a box";
        break;
    }
    case 2:
        helper = function_begin(s, "sd_capsule|capsule_distance|pill_sdf", 2,
                                (const char *const[]){"p|point", "radius|r"}, types, ranges, p);
        {
            Expr t = let(s, "t|h|along",
                         Q(s, "wp.clamp(_0[1], _1, _2)", p[0], real(s, -nice_number(s, 0.3, 1)),
                           real(s, nice_number(s, 0.3, 1))));
            result = Q(s, "wp.length(_0 - wp.vec3(0.0, _1, 0.0)) - _2", p[0], t, p[1]);
        }
        *what = "a capsule";
        break;
    case 3:
        helper = function_begin(s, "sd_torus|torus_distance|ring_sdf", 2,
                                (const char *const[]){"p|point", "radius|major"}, types, ranges, p);
        {
            Expr q = let_always(s, "q|ring", Q(s, "wp.vec2(wp.length(wp.vec2(_0[0], _0[2])) - _1, _0[1])", p[0], p[1]));
            result = Q(s, "wp.length(_0) - _1", q, real(s, nice_number(s, 0.05, 0.3)));
        }
        *what = "a torus";
        break;
    case 4:
        helper = function_begin(s, "sd_cylinder|cylinder_distance|tube_sdf", 2,
                                (const char *const[]){"p|point", "radius|r"}, types, ranges, p);
        {
            Expr radial = let_always(s, "radial|dr", Q(s, "wp.length(wp.vec2(_0[0], _0[2])) - _1", p[0], p[1]));
            Expr axial = let_always(s, "axial|dy", Q(s, "wp.abs(_0[1]) - _1", p[0], real(s, nice_number(s, 0.3, 1))));
            result = chance(s, 0.5)
                         ? Q(s, "wp.max(_0, _1)", radial, axial)
                         : Q(s, "wp.min(wp.max(_0, _1), 0.0) + wp.length(wp.max(wp.vec2(_0, _1), wp.vec2(0.0, 0.0)))",
                             radial, axial);
        }
        *what = "a cylinder";
        break;
    default:
        helper = function_begin(s, "sd_plane|plane_distance|slab_sdf", 2, (const char *const[]){"p|point", "offset|d"},
                                types, ranges, p);
        result = Q(s, "_0[1] + _1 * 0.5 - 0.2 * wp.sin(_0[0])", p[0], p[1]);
        *what = "a wavy ground";
        break;
    }
    function_return(s, helper, &result, 1);
    function_end(s, helper);
    return helper;
}

static Expr call_distance(Synth *s, Helper *helper, Expr p)
{
    Expr size;
    if (helper->params[1] == helper->params[0])
        size = chance(s, 0.5)
                   ? scalar_param(s, "half_size|extents|box_size", type_of(s, "vec3"), 0.3, 1.5)
                   : Q(s, "wp.vec3(_0, _1, _0)", real(s, nice_number(s, 0.3, 1)), real(s, nice_number(s, 0.3, 1)));
    else
        size = setting(s, "radius|size|shape_radius", 0.3, 1.5);
    return call_helper(s, helper, (Expr[]){p, size});
}

static void distance_field(Synth *s)
{
    const char *first, *second = NULL;
    Helper *a = distance_function(s, &first), *b = chance(s, 0.55) ? distance_function(s, &second) : NULL;
    if (chance(s, 0.6))
        launch_1d(s, "tid|i|q_id");
    else
        launch_grid(s, 2, "i");
    Expr p = let_always(s, "p|point|q", per_thread(s, "points|queries|samples", "vec3", -2, 2));
    if (chance(s, 0.3))
        p = let_always(s, "local|p_local",
                       Q(s, "wp.transform_point(wp.transform_inverse(_0), _1)",
                         scalar_param(s, "shape_pose|xform|shape_frame", type_of(s, "transform"), -1, 1), p));
    else if (chance(s, 0.4))
        p = let_always(s, "rel|local",
                       Q(s, "_0 - _1", p, scalar_param(s, "center|origin|shape_pos", type_of(s, "vec3"), -1, 1)));
    Expr d = let_always(s, "d|dist|sdf", call_distance(s, a, p));
    const char *how = "";
    if (b) {
        Expr shift =
            construct(s, type_of(s, "vec3"),
                      (Expr[]){real(s, nice_number(s, -0.8, 0.8)), real(s, 0), real(s, nice_number(s, 0.1, 0.8))}, 3);
        Expr e = let_always(s, "e_dist|other|d2", call_distance(s, b, Q(s, "_0 - _1", p, shift)));
        switch (below(s, 4)) {
        case 0:
            d = Q(s, "wp.min(_0, _1)", d, e);
            how = "the union of ";
            break;
        case 1:
            d = Q(s, "wp.max(_0, -_1)", d, e);
            how = "the difference of ";
            break;
        case 2:
            d = Q(s, "wp.max(_0, _1)", d, e);
            how = "the intersection of ";
            break;
        default: {
            Expr k = setting(s, "blend|k|smooth_k", 0.1, 0.5);
            Expr h = let_always(s, "h|mix_h", Q(s, "wp.clamp(0.5 + 0.5 * (_0 - _1) / _2, 0.0, 1.0)", e, d, k));
            d = Q(s, "wp.lerp(_0, _1, _2) - _3 * _2 * (1.0 - _2)", e, d, h, k);
            how = "the smooth union of ";
        }
        }
        d = let_always(s, "d_all|scene_d|combined", d);
    }
    if (chance(s, 0.3))
        output(s, "inside|occupancy|mask", where(s, Q(s, "_0 < 0.0", d), integer(s, 1), integer(s, 0)));
    if (chance(s, 0.35))
        d = let_always(s, "shell_d|banded", Q(s, "wp.abs(_0) - _1", d, setting(s, "thickness|shell|band", 0.02, 0.2)));
    extra_statements(s, 2);
    output(s, "distances|sdf_out|dist_out", embellish(s, d));
    s->kernel_stem = PICK(s, "scene_distance", "eval_sdf", "signed_distance", "shape_field");
    s->entity = "query point";
    say(s, "evaluates the signed distance to %s%s%s%s", how, first, second ? " and " : "", second ? second : "");
}

/* ---- rays ---- */

static void ray_setup(Synth *s, Expr *o, Expr *d)
{
    *o = let(s, "o|ro|start", per_thread(s, "origins|ray_origins|starts", "vec3", -3, 3));
    Expr raw = per_thread(s, "directions|ray_dirs|dirs", "vec3", 0.1, 1);
    *d = let_always(s, "d|rd|dir", Q(s, "wp.normalize(_0)", raw));
}

static void ray_sphere(Synth *s)
{
    Expr o, d;
    launch_1d(s, "tid|ray|i");
    ray_setup(s, &o, &d);
    Expr c = chance(s, 0.5) ? scalar_param(s, "center|sphere_center", type_of(s, "vec3"), -1, 1)
                            : per_thread(s, "centers|sphere_centers", "vec3", -1, 1);
    Expr r = setting(s, "radius|sphere_radius", 0.5, 2);
    comment(s, "solve |o + t d - c| = r for t");
    Expr oc = let_always(s, "oc|to_origin|m", Q(s, "_0 - _1", o, c));
    Expr b = let_always(s, "b|half_b|proj", Q(s, "wp.dot(_0, _1)", oc, d));
    Expr cc = let_always(s, "c_term|c2|c_coef", Q(s, "wp.dot(_0, _0) - _1 * _1", oc, r));
    Expr disc = let_always(s, "disc|discriminant|h", Q(s, "_0 * _0 - _1", b, cc));
    Expr t = let_carried(s, "t|t_hit|hit_t", literal(s, s->style.real, -1), -1e5, 1e5);
    if_begin(s, Q(s, "_0 > 0.0", disc));
    refine(s, disc, 1e-6, 1e9);
    Expr root = let_always(s, "root|sq|s_root", Q(s, "wp.sqrt(_0)", again(s, disc)));
    Expr near = Q(s, "-_0 - _1", b, root);
    if (chance(s, 0.5)) {
        assign(s, t, near);
    } else {
        Expr t0 = let_always(s, "t0|t_near", near), t1 = let_always(s, "t1|t_far", Q(s, "-_0 + _1", b, root));
        assign(s, t, where(s, Q(s, "_0 > 0.0", t0), t0, t1));
    }
    block_end(s);
    t = again(s, t);
    if (chance(s, 0.5)) {
        Expr hit = let_always(s, "hit|p_hit|surface", Q(s, "_0 + _1 * _2", o, d, t));
        output(s, "normals|hit_normals", Q(s, "(_0 - _1) / _2", hit, c, r));
    }
    output(s, "hit_t|distances|t_out", chance(s, 0.7) ? t : Q(s, "wp.max(_0, 0.0)", t));
    s->kernel_stem = PICK(s, "ray_sphere", "intersect_sphere", "cast_rays");
    s->entity = "ray";
    say(s, "finds where the ray meets a sphere, or reports a miss as a negative distance");
}

static void ray_triangle(Synth *s)
{
    static const char *const corners[] = {"i|a_id|i0", "j|b_id|i1", "k|c_id|i2"};
    Expr o, d, v[3], p[3];
    launch_1d(s, "tid|ray|t_id");
    ray_setup(s, &o, &d);
    uint32_t n = (uint32_t)between(s, 12, 48);
    element_indices(s, "triangles|tri_indices|faces", corners, 3, n, v);
    Expr x = input(s, "points|vertices|x", "vec3", n, -2, 2);
    for (int i = 0; i < 3; i++)
        p[i] = let(s, i == 0 ? "a|v0|p0" : i == 1 ? "b|v1|p1" : "c|v2|p2", at(s, x, v[i]));
    comment(s, "edges that share the first corner");
    Expr e1 = let_always(s, "e1|edge1|ab", Q(s, "_0 - _1", p[1], p[0])),
         e2 = let_always(s, "e2|edge2|ac", Q(s, "_0 - _1", p[2], p[0]));
    Expr h = let_always(s, "h|pvec|n1", Q(s, "wp.cross(_0, _1)", d, e2)),
         det = let_always(s, "det|a_det", Q(s, "wp.dot(_0, _1)", e1, h));
    Expr result = let_carried(s, "t|t_hit|hit", literal(s, s->style.real, -1), -1e9, 1e9);
    if_begin(s, Q(s, "wp.abs(_0) > 1.0e-3", det));
    Expr inv = let_always(s, "inv_det|f", with_range(Q(s, "wp.sign(_0) / wp.max(wp.abs(_0), 1.0e-3)", det), -1e3, 1e3));
    Expr sv = let_always(s, "s|tvec|to_o", Q(s, "_0 - _1", o, p[0]));
    comment(s, "barycentric coordinates");
    Expr u = let_always(s, "u|bary_u", Q(s, "_0 * wp.dot(_1, _2)", inv, sv, h));
    Expr q = let_always(s, "q|qvec", Q(s, "wp.cross(_0, _1)", sv, e1));
    Expr w = let_always(s, "v|bary_v", Q(s, "_0 * wp.dot(_1, _2)", inv, d, q));
    if_begin(s, Q(s, "_0 >= 0.0 and _1 >= 0.0 and _0 + _1 <= 1.0", u, w));
    assign(s, result, Q(s, "_0 * wp.dot(_1, _2)", inv, e2, q));
    block_end(s);
    block_end(s);
    output(s, "hit_t|t_out|distances", again(s, result));
    extra_statements(s, 3);
    s->kernel_stem = PICK(s, "ray_triangle", "moller_trumbore", "intersect_triangles");
    s->entity = "ray and triangle";
    say(s, "intersects a ray with a triangle by the Moller-Trumbore test");
}

static void ray_box(Synth *s)
{
    Expr o, d;
    launch_1d(s, "tid|ray|i");
    ray_setup(s, &o, &d);
    Expr low = per_thread(s, "lower|box_min|aabb_lo", "vec3", -2, -0.5),
         high = per_thread(s, "upper|box_max|aabb_hi", "vec3", 0.5, 2);
    Expr near = {0}, far = {0};
    if (chance(s, 0.5)) {
        Expr inv = let_always(s, "inv_d|rcp",
                              Q(s, "wp.vec3(1.0 / (_0[0] + 1.5), 1.0 / (_0[1] + 1.5), 1.0 / (_0[2] + 1.5))", d));
        Expr a = let_always(s, "t1|ta", Q(s, "wp.cw_mul(_0 - _1, _2)", low, o, inv)),
             b = let_always(s, "t2|tb", Q(s, "wp.cw_mul(_0 - _1, _2)", high, o, inv));
        near = let_always(s, "t_near|tmin", Q(s, "wp.max(wp.min(_0, _1))", a, b));
        far = let_always(s, "t_far|tmax", Q(s, "wp.min(wp.max(_0, _1))", a, b));
    } else {
        for (uint32_t axis = 0; axis < 3; axis++) {
            Expr inv = let_always(s, "inv|rcp", Q(s, "1.0 / (wp.abs(_0) + 0.01)", component(s, d, axis)));
            Expr a =
                let_always(s, "t_lo|ta", Q(s, "(_0 - _1) * _2", component(s, low, axis), component(s, o, axis), inv));
            Expr b =
                let_always(s, "t_hi|tb", Q(s, "(_0 - _1) * _2", component(s, high, axis), component(s, o, axis), inv));
            Expr lo = Q(s, "wp.min(_0, _1)", a, b), hi = Q(s, "wp.max(_0, _1)", a, b);
            near = axis ? let_always(s, "near_t|tn", Q(s, "wp.max(_0, _1)", near, lo)) : let_always(s, "near_t|tn", lo);
            far = axis ? let_always(s, "far_t|tf", Q(s, "wp.min(_0, _1)", far, hi)) : let_always(s, "far_t|tf", hi);
        }
    }
    Expr miss = real(s, -1);
    Expr hit = chance(s, 0.5) ? Q(s, "_0 <= _1", near, far) : Q(s, "_0 >= wp.max(_1, 0.0)", far, near);
    output(s, "hit_t|entry|t_out", where(s, hit, near, miss));
    if (chance(s, 0.4))
        output(s, "exit_t|t_exit", Q(s, "_0 - _1", far, near));
    extra_statements(s, 3);
    s->kernel_stem = PICK(s, "ray_box", "slab_test", "intersect_aabb");
    s->entity = "ray";
    say(s, "runs a slab test of the scaled ray against an axis-aligned box");
}

/* ---- triangles ---- */

static void triangle_measures(Synth *s)
{
    static const char *const corners[] = {"i|a_id|i0", "j|b_id|i1", "k|c_id|i2"};
    Expr v[3], p[3];
    launch_1d(s, "tid|t|face");
    uint32_t n = (uint32_t)between(s, 16, 64);
    element_indices(s, "triangles|tri_indices|faces|indices", corners, 3, n, v);
    Expr x = input(s, "points|vertices|positions", "vec3", n, -2, 2);
    for (int i = 0; i < 3; i++)
        p[i] = let(s, i == 0 ? "a|v0|p0|p" : i == 1 ? "b|v1|p1|q" : "c|v2|p2|r", at(s, x, v[i]));
    Expr e1 = let_always(s, "e1|ab|u", Q(s, "_0 - _1", p[1], p[0])),
         e2 = let_always(s, "e2|ac|w", Q(s, "_0 - _1", p[2], p[0]));
    Expr normal = let_always(s, "n|normal|nrm|area_n", Q(s, "wp.cross(_0, _1)", e1, e2));
    Expr area = let_always(s, "area|tri_area", Q(s, "0.5 * wp.length(_0)", normal));
    const char *what = "its area";
    switch (below(s, 4)) {
    case 0: {
        Expr out =
            array_param(s, ROLE_ATOMIC, "vertex_normals|normals_out|accum_normals", type_of(s, "vec3"), 1, &n, 0, 0);
        Expr share = chance(s, 0.5) ? normal : let_always(s, "weighted|share", Q(s, "_0 * _1", normal, area));
        for (int i = 0; i < 3; i++)
            atomic(s, "atomic_add", out, &v[i], 1, share);
        what = "area-weighted normals for its corners";
        break;
    }
    case 1:
        output(s, "centroids|centers", Q(s, "(_0 + _1 + _2) / 3.0", p[0], p[1], p[2]));
        what = "its area and centroid";
        break;
    case 2: {
        Expr e3 = let_always(s, "e3|bc", Q(s, "_0 - _1", p[2], p[1]));
        Expr per = let_always(s, "perimeter|peri", Q(s, "wp.length(_0) + wp.length(_1) + wp.length(_2)", e1, e2, e3));
        output(s, "quality|shape_ratio", Q(s, "_0 / (_1 * _1 + 1.0e-3)", area, per));
        what = "its area and a shape quality";
        break;
    }
    default: {
        Expr q = let(s, "point|query", per_thread(s, "queries|sample_points", "vec3", -2, 2));
        Expr ap = let_always(s, "ap|rel", Q(s, "_0 - _1", q, p[0]));
        Expr d00 = let(s, "d00|aa", Q(s, "wp.dot(_0, _0)", e1)),
             d01 = let(s, "d01|ab_dot", Q(s, "wp.dot(_0, _1)", e1, e2)),
             d11 = let(s, "d11|bb", Q(s, "wp.dot(_0, _0)", e2));
        Expr d20 = let(s, "d20|pa", Q(s, "wp.dot(_0, _1)", ap, e1)),
             d21 = let(s, "d21|pb", Q(s, "wp.dot(_0, _1)", ap, e2));
        Expr den =
            let_always(s, "denom|det", with_range(Q(s, "wp.max(_0 * _1 - _2 * _2, 1.0e-3)", d00, d11, d01), 1e-3, 1e9));
        Expr bv = let_always(s, "bary_v|v", Q(s, "(_0 * _1 - _2 * _3) / _4", d11, d20, d01, d21, den)),
             bw = let_always(s, "bary_w|w", Q(s, "(_0 * _1 - _2 * _3) / _4", d00, d21, d01, d20, den));
        output(s, "bary|barycentric|weights_out", Q(s, "wp.vec3(1.0 - _0 - _1, _0, _1)", bv, bw));
        what = "its area and the barycentric coordinates of a query point";
    }
    }
    if (chance(s, 0.5))
        output(s, "areas|area_out", embellish(s, area));
    else
        output_sum(s, "total_area|surface_area", area);
    s->kernel_stem = PICK(s, "triangle_areas", "face_normals", "surface_measures", "mesh_faces");
    s->entity = "triangle";
    say(s, "computes %s", what);
}

/* ---- points, segments, boxes ---- */

static void closest_on_segment(Synth *s)
{
    launch_1d(s, "tid|i|seg");
    Expr a = let(s, "a|p0|start", per_thread(s, "starts|seg_a|heads", "vec3", -2, 2)),
         b = let(s, "b|p1|end_p", per_thread(s, "ends|seg_b|tails", "vec3", -2, 2));
    Expr p = let(s, "p|query|q",
                 chance(s, 0.5) ? per_thread(s, "points|queries", "vec3", -2, 2)
                                : scalar_param(s, "point|probe", type_of(s, "vec3"), -2, 2));
    comment(s, "project onto the segment");
    Expr ab = let_always(s, "ab|seg|d", Q(s, "_0 - _1", b, a)), ap = let(s, "ap|rel", Q(s, "_0 - _1", p, a));
    Expr t = let_always(s, "t|param|h", Q(s, "wp.dot(_0, _1) / (wp.dot(_1, _1) + 1.0e-3)", ap, ab));
    t = let_always(s, "t_c|t_clamped|tc", Q(s, "wp.clamp(_0, 0.0, 1.0)", t));
    Expr c = let_always(s, "closest|foot|c",
                        chance(s, 0.5) ? Q(s, "_0 + _1 * _2", a, ab, t) : Q(s, "wp.lerp(_0, _1, _2)", a, b, t));
    comment(s, "distance to the closest point");
    Expr dist = let_always(s, "dist|gap|d_min", Q(s, "wp.length(_0 - _1)", p, c));
    if (chance(s, 0.5))
        output(s, "closest_out|feet|closest_points", c);
    if (chance(s, 0.4)) {
        Expr r = setting(s, "radius|capsule_radius", 0.05, 0.5);
        dist = let_always(s, "surface_d|pen", Q(s, "_0 - _1", dist, r));
    }
    extra_statements(s, 3);
    output(s, "distances|dist_out", embellish(s, dist));
    s->kernel_stem = PICK(s, "closest_on_segment", "point_segment", "segment_distance");
    s->entity = "segment";
    say(s, "finds the closest point of a segment and the distance to it");
}

static void box_bounds(Synth *s)
{
    launch_1d(s, "tid|i|b");
    Expr p = let(s, "p|center|x", per_thread(s, "points|centers|positions", "vec3", -3, 3));
    Expr r =
        let(s, "r|margin|radius_i",
            chance(s, 0.5) ? per_thread(s, "radii|radius", "float", 0.1, 1) : setting(s, "margin|padding", 0.05, 0.5));
    Expr pad = let(s, "pad|extent|half_size", Q(s, "wp.vec3(_0, _0, _0)", r));
    comment(s, "box around the primitive");
    Expr low = let_always(s, "lo|lower|box_lo", Q(s, "_0 - _1", p, pad)),
         high = let_always(s, "hi|upper|box_hi", Q(s, "_0 + _1", p, pad));
    if (chance(s, 0.5)) {
        Expr v = let(s, "v|vel", per_thread(s, "velocities|v", "vec3", -2, 2)),
             dt = setting(s, "dt|horizon", 0.05, 0.5);
        Expr move = let_always(s, "move|sweep|step_v", Q(s, "_0 * _1", v, dt));
        low = let_always(s, "swept_lo|lo2", Q(s, "wp.min(_0, _0 + _1)", low, move));
        high = let_always(s, "swept_hi|hi2", Q(s, "wp.max(_0, _0 + _1)", high, move));
    }
    const char *what = "the padded bounding box";
    switch (below(s, 3)) {
    case 0:
        output(s, "lowers|box_lower", low);
        output(s, "uppers|box_upper", high);
        break;
    case 1: {
        Expr olow = per_thread(s, "other_lower|region_lo", "vec3", -2, 0),
             ohigh = per_thread(s, "other_upper|region_hi", "vec3", 0.5, 3);
        Expr shared =
            let_always(s, "shared|overlap_size",
                       Q(s, "wp.max(wp.min(_0, _1) - wp.max(_2, _3), wp.vec3(0.0, 0.0, 0.0))", high, ohigh, low, olow));
        output(s, "overlap_volume|shared_volume", Q(s, "_0[0] * _0[1] * _0[2]", shared));
        what = "the volume that a padded box shares with another";
        break;
    }
    default: {
        Expr size = let_always(s, "size|diag|span", Q(s, "_0 - _1", high, low));
        output(s, "surface|box_area", Q(s, "2.0 * (_0[0] * _0[1] + _0[1] * _0[2] + _0[2] * _0[0])", size));
        output(s, "mid|box_center", Q(s, "(_0 + _1) * 0.5", low, high));
        what = "surface area and centre of the padded box";
    }
    }
    extra_statements(s, 4);
    s->kernel_stem = PICK(s, "compute_bounds", "sweep_boxes", "box_overlap");
    s->entity = "object";
    say(s, "computes %s", what);
}

static void sphere_trace(Synth *s)
{
    const char *what;
    Helper *scene = distance_function(s, &what);
    launch_grid(s, chance(s, 0.5) ? 1 : 2, "i");
    Expr d =
        let_always(s, "rd|dir|ray_dir", Q(s, "wp.normalize(_0)", per_thread(s, "directions|ray_dirs", "vec3", 0.1, 1)));
    Expr o = scalar_param(s, "origin|eye|camera_pos", type_of(s, "vec3"), -2, 2);
    uint32_t steps = (uint32_t)between(s, 4, 14);
    Expr t = let_carried(s, "t|travel|depth_t", zero(s, s->style.real), -5, 9);
    comment(s, "march along the ray");
    Expr k = for_count(s, "k|march|iter", steps);
    (void)k;
    Expr p = let_always(s, "p|pos|sample_p", Q(s, "_0 + _1 * _2", o, d, again(s, t)));
    Expr dist = let_always(s, "dist|h|sd", call_distance(s, scene, p));
    assign(s, t, Q(s, "wp.clamp(_0 + _1, 0.0, 8.0)", again(s, t), dist));
    block_end(s);
    output(s, "depths|depth_out|travel_out", again(s, t));
    if (chance(s, 0.5))
        output(s, "hits|hit_mask", where(s, Q(s, "_0 < 7.9", again(s, t)), real(s, 1), real(s, 0)));
    extra_statements(s, 3);
    s->kernel_stem = PICK(s, "sphere_trace", "march_rays", "trace_depth");
    s->entity = "ray";
    say(s, "marches a ray %u steps towards %s", steps, what);
}

static void edge_pairs(Synth *s)
{
    launch_1d(s, "tid|pair|i");
    if (s->style.real->kind != TYPE_FLOAT32)
        give_up(s, "only of single precision");
    Expr p[6];
    for (int i = 0; i < 4; i++)
        p[i] = let(s,
                   i == 0   ? "p1|a"
                   : i == 1 ? "q1|b"
                   : i == 2 ? "p2|c"
                            : "q2|d",
                   per_thread(s,
                              i == 0   ? "edge_a0|starts_a"
                              : i == 1 ? "edge_a1|ends_a"
                              : i == 2 ? "edge_b0|starts_b"
                                       : "edge_b1|ends_b",
                              "vec3", -2, 2));
    if (chance(s, 0.3)) {
        for (int i = 4; i < 6; i++)
            p[i] = let(s, i == 4 ? "r1|e0" : "r2|f0",
                       per_thread(s, i == 4 ? "apex_a|third_a" : "apex_b|third_b", "vec3", -2, 2));
        output(s, "overlaps|hit_flags",
               Q(s, "wp.intersect_tri_tri(_0, _1, _2, _3, _4, _5)", p[0], p[1], p[4], p[2], p[3], p[5]));
        say(s, "tests two triangles for intersection");
    } else {
        Expr st =
            let_always(s, "st|params|closest",
                       Q(s, "wp.closest_point_edge_edge(_0, _1, _2, _3, _4)", p[0], p[1], p[2], p[3], real(s, 1e-5)));
        Expr ps = let_always(s, "c1|on_a", Q(s, "wp.lerp(_0, _1, wp.clamp(_2[0], 0.0, 1.0))", p[0], p[1], st)),
             pt = let_always(s, "c2|on_b", Q(s, "wp.lerp(_0, _1, wp.clamp(_2[1], 0.0, 1.0))", p[2], p[3], st));
        Expr gap = let_always(s, "gap|dist", Q(s, "wp.length(_0 - _1)", ps, pt));
        if (chance(s, 0.5))
            output(s, "midpoints|contacts", Q(s, "(_0 + _1) * 0.5", ps, pt));
        output(s, "gaps|distances", embellish(s, gap));
        say(s, "finds the closest points of two edges and the gap between them");
    }
    extra_statements(s, 4);
    s->kernel_stem = PICK(s, "edge_edge", "edge_pairs", "closest_edges");
    s->entity = "pair";
}

void make_geometry(Synth *s)
{
    static void (*const makers[])(Synth *) = {distance_field, ray_sphere,        ray_triangle,
                                              ray_box,        triangle_measures, closest_on_segment,
                                              box_bounds,     sphere_trace,      edge_pairs};
    static const unsigned weights[] = {16, 10, 8, 8, 16, 12, 10, 8, 6};
    makers[rng_weighted(&s->rng, weights, 9)](s);
    extra_statements(s, 4);
}
