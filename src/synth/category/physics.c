/* Springs, particles, contacts, smoothed particles, rigid bodies: each put together from interchangeable parts. */
#include "synth/make.h"

/* ---- springs ---- */

static void spring_forces(Synth *s)
{
    static const char *const ends[] = {"i|a|p0|first", "j|b|p1|second"};
    Expr v[2];
    launch_1d(s, "tid|s|e_id|spring");
    uint32_t bodies = (uint32_t)between(s, 16, 64);
    element_indices(s, "edges|spring_indices|links|spring_ids", ends, 2, bodies, v);
    Expr x = input(s, "positions|x|particle_q|pos", "vec3", bodies, -3, 3);
    Expr rest = per_thread(s, "rest_lengths|rest|spring_rest", "float", 0.2, 1.5);
    Expr xi = let(s, "xi|pa|x_a", at(s, x, v[0])), xj = let(s, "xj|pb|x_b", at(s, x, v[1]));
    comment(s, "vector between the two ends");
    Expr d = let_always(s, "d|delta|offset|xij|dx", Q(s, "_0 - _1", xi, xj));
    Expr length = let_always(s, "l|dist|length_now|len_d", Q(s, "wp.length(_0)", d));
    Expr dir = let_always(s, "dir|unit_d|n|axis_d", safe_direction(s, d, length));
    Expr ke = chance(s, 0.5) ? setting(s, "ke|stiffness|spring_k", 5, 50)
                             : let(s, "ke|k_s", per_thread(s, "spring_stiffness|ks|stiffness", "float", 5, 50));
    Expr stretch;
    switch (below(s, 3)) {
    case 0: stretch = Q(s, "_0 - _1", length, rest); break;
    case 1: stretch = Q(s, "(_0 - _1) / _1", length, rest); break;
    default: stretch = Q(s, "wp.max(_0 - _1, 0.0)", length, rest); break;
    }
    stretch = let(s, "c|stretch|extension|strain_s", stretch);
    Expr magnitude = Q(s, "_0 * _1", ke, stretch);
    const char *kind = "elastic";
    if (chance(s, 0.65)) {
        Expr vel = input(s, "velocities|v|particle_qd|vel", "vec3", bodies, -2, 2);
        Expr kd = setting(s, "kd|damping|spring_damping", 0.05, 1);
        Expr rate = let(s, "dcdt|closing|rel_speed", Q(s, "wp.dot(_0, _1[_2] - _1[_3])", dir, vel, v[0], v[1]));
        magnitude = Q(s, "_0 + _1 * _2", magnitude, kd, rate);
        kind = "damped elastic";
    }
    if (chance(s, 0.2))
        magnitude = Q(s, "wp.clamp(_0, -_1, _1)", magnitude, setting(s, "max_force|force_limit", 5, 20));
    comment(s, "pull along the spring");
    Expr fs = let_always(s, "fs|f|force|spring_force", Q(s, "_0 * _1", dir, magnitude));
    Expr forces =
        array_param(s, ROLE_ATOMIC, "forces|f_out|particle_f|force_out", type_of(s, "vec3"), 1, &bodies, 0, 0);
    atomic(s, "atomic_sub", forces, &v[0], 1, fs);
    atomic(s, "atomic_add", forces, &v[1], 1, fs);
    if (chance(s, 0.25))
        output(s, "spring_energy|energy", Q(s, "0.5 * _0 * _1 * _1", ke, stretch));
    s->kernel_stem = PICK(s, "spring_forces", "eval_springs", "edge_forces", "cloth_stretch");
    s->entity = "spring";
    say(s, "applies equal and opposite %s forces to the two ends", kind);
}

/* ---- time steps ---- */

static Expr gravity(Synth *s)
{
    switch (below(s, 3)) {
    case 0: return scalar_param(s, "gravity|g", type_of(s, "vec3"), -9.8, 0);
    case 1: return Q(s, "wp.vec3(0.0, -9.8, 0.0)");
    default: return Q(s, "wp.vec3(0.0, 0.0, _0)", setting(s, "gravity_z|g_acc", -9.8, -1));
    }
}

static void bounce_on_floor(Synth *s, Expr *x, Expr *v)
{
    uint32_t up = chance(s, 0.6) ? 1 : 2;
    Expr height = setting(s, "floor_height|ground|ground_level", -0.5, 0.5);
    comment(s, "bounce off the ground");
    if_begin(s, compare(s, OP_LT, component(s, *x, up), height));
    Expr restitution = setting(s, "restitution|bounce|elasticity", 0.1, 0.9);
    Expr parts[3], speeds[3];
    for (uint32_t i = 0; i < 3; i++) {
        parts[i] = i == up ? height : component(s, *x, i);
        Expr speed = component(s, *v, i);
        speeds[i] = i == up ? Q(s, "-_0 * _1", restitution, speed) : chance(s, 0.5) ? speed : Q(s, "0.9 * _0", speed);
    }
    assign(s, *x, construct(s, x->type, parts, 3));
    assign(s, *v, construct(s, v->type, speeds, 3));
    block_end(s);
    *x = again(s, *x);
    *v = again(s, *v);
}

static void integrate_particles(Synth *s)
{
    launch_1d(s, "tid|i|p");
    Expr x0 = let(s, "x0|pos|p_old", per_thread(s, "positions|x|particle_q", "vec3", -4, 4));
    Expr v0 = let(s, "v0|vel|v_old", per_thread(s, "velocities|v|particle_qd", "vec3", -3, 3));
    Expr f0 = let(s, "f0|force|f", per_thread(s, "forces|f|particle_f", "vec3", -5, 5));
    Expr w = let(s, "w|inv_m|inv_mass_i", per_thread(s, "inv_masses|inv_mass|particle_inv_mass", "float", 0.1, 4));
    Expr dt = setting(s, "dt|time_step|h", 0.005, 0.05), g = gravity(s);
    Expr a = let(s, "a|acc|accel", Q(s, "_0 * _1 + _2", f0, w, g));
    comment(s, "velocity after the step");
    Expr v1 = let_always(s, "v1|v_new|next_v", Q(s, "_0 + _1 * _2", v0, a, dt));
    const char *extra = "";
    switch (below(s, 4)) {
    case 0:
        v1 = let_always(s, "v_damped|v2|slowed",
                        Q(s, "_0 * (1.0 - _1 * _2)", v1, setting(s, "drag|damping|air_drag", 0.1, 2), dt));
        extra = " with linear drag";
        break;
    case 1: {
        Expr limit = setting(s, "max_speed|v_max|speed_limit", 2, 8),
             speed = let_always(s, "speed|v_len", Q(s, "wp.length(_0)", v1));
        if_begin(s, compare(s, OP_GT, speed, limit));
        assign(s, v1, Q(s, "_0 * (_1 / wp.max(_2, 0.5))", v1, limit, speed));
        block_end(s);
        v1 = again(s, v1);
        extra = " with a speed limit";
        break;
    }
    case 2:
        v1 = let_always(s, "v_drag|v2", Q(s, "_0 / (1.0 + _1 * _2)", v1, setting(s, "drag|damping", 0.1, 2), dt));
        extra = " with implicit drag";
        break;
    default: break;
    }
    comment(s, "position after the step");
    Expr x1 = let_always(s, "x1|x_new|next_x",
                         chance(s, 0.75) ? Q(s, "_0 + _1 * _2", x0, v1, dt)
                                         : Q(s, "_0 + (_1 + _2) * (0.5 * _3)", x0, v0, v1, dt));
    if (chance(s, 0.5))
        bounce_on_floor(s, &x1, &v1);
    output(s, "positions_out|x_out|new_positions|x_next", x1);
    output(s, "velocities_out|v_out|new_velocities|v_next", v1);
    s->kernel_stem =
        PICK(s, "integrate_particles", "advance_particles", "step_particles", "euler_step", "move_particles");
    s->entity = "particle";
    say(s, "advances position and velocity by one time step%s", extra);
}

/* ---- contacts ---- */

static void contact_forces(Synth *s)
{
    launch_1d(s, "tid|i|c");
    Expr x = let(s, "x|xi|pos", per_thread(s, "positions|particle_q|points", "vec3", -2, 2));
    Expr v = let(s, "v|vi|vel", per_thread(s, "velocities|particle_qd", "vec3", -2, 2));
    Expr radius = chance(s, 0.5) ? setting(s, "radius|particle_radius", 0.05, 0.3)
                                 : let(s, "r|radius_i", per_thread(s, "radii|particle_radius", "float", 0.05, 0.3));
    Expr n, gap;
    const char *shape;
    switch (below(s, 3)) {
    case 0: {
        Expr plane_n = scalar_param(s, "plane_normal|ground_normal|contact_normal", type_of(s, "vec3"), 0.1, 1);
        n = let_always(s, "n|normal|nrm", Q(s, "wp.normalize(_0)", plane_n));
        gap =
            Q(s, "wp.dot(_0, _1) - _2 - _3", x, n, setting(s, "plane_offset|plane_d|ground_offset", -0.5, 0.5), radius);
        shape = "a plane";
        break;
    }
    case 1: {
        Expr centre = scalar_param(s, "sphere_center|center|obstacle", type_of(s, "vec3"), -1, 1);
        Expr d = let_always(s, "d|offset|to_center", Q(s, "_0 - _1", x, centre));
        Expr l = let_always(s, "dist|l|d_len", Q(s, "wp.length(_0)", d));
        n = let_always(s, "n|normal|nrm", safe_direction(s, d, l));
        gap = Q(s, "_0 - _1 - _2", l, setting(s, "sphere_radius|obstacle_radius", 0.5, 1), radius);
        shape = "a sphere";
        break;
    }
    default:
        n = let_always(s, "n|up|normal", Q(s, "wp.vec3(0.0, 1.0, 0.0)"));
        gap = Q(s, "_0[1] - _1", x, radius);
        shape = "the ground";
        break;
    }
    comment(s, "signed distance to the surface");
    Expr c = let_always(s, "c|gap|penetration|depth_c", gap);
    Expr f = let_always(s, "f|contact_force|force_c", zero(s, type_of(s, "vec3")));
    s->vars[f.var - 1].mutable = true;
    if_begin(s, compare(s, OP_LT, c, real(s, 0)));
    refine(s, c, -1e3, 0);
    c = again(s, c);
    Expr vn = let_always(s, "vn|normal_speed|v_normal", Q(s, "wp.dot(_0, _1)", n, v));
    Expr ke = setting(s, "ke|contact_ke|stiffness", 10, 100), kd = setting(s, "kd|contact_kd|contact_damping", 0.1, 2);
    Expr fn =
        let_always(s, "fn|normal_force|f_n",
                   chance(s, 0.5) ? Q(s, "_0 * _1", c, ke) : Q(s, "_0 * _1 + wp.min(_2, 0.0) * _3", c, ke, vn, kd));
    const char *extra = "";
    if (chance(s, 0.7)) {
        Expr vt = let_always(s, "vt|tangent_v|slip", Q(s, "_0 - _1 * _2", v, n, vn));
        Expr slip = let_always(s, "vs|slip_speed|vt_len", Q(s, "wp.length(_0)", vt));
        Expr mu = setting(s, "mu|friction|contact_mu", 0.1, 1), kf = setting(s, "kf|friction_k|contact_kf", 0.5, 5);
        Expr ft = let_always(s, "ft|friction_force|f_t",
                             chance(s, 0.5) ? Q(s, "wp.min(_0 * _1, _2 * wp.abs(_3))", slip, kf, mu, fn)
                                            : Q(s, "_0 * _1 / (1.0 + _0)", slip, kf));
        Expr along = safe_direction(s, vt, slip);
        assign(s, f, Q(s, "-(_0 * _1) - _2 * _3", n, fn, along, ft));
        extra = " and friction";
    } else {
        assign(s, f, Q(s, "-(_0 * _1)", n, fn));
    }
    block_end(s);
    f = again(s, f);
    if (chance(s, 0.6))
        output(s, "contact_f|forces_out|f_out", f);
    else {
        uint32_t bodies = (uint32_t)between(s, 8, 32);
        Expr b = index_of(s, "contact_body|body_ids|owner", "b|body|owner_id", bodies);
        Expr forces =
            array_param(s, ROLE_ATOMIC, "body_forces|force_accum|forces", type_of(s, "vec3"), 1, &bodies, 0, 0);
        atomic(s, "atomic_add", forces, &b, 1, f);
    }
    s->kernel_stem = PICK(s, "contact_forces", "eval_contacts", "penalty_contact", "ground_contact");
    s->entity = "particle";
    say(s, "computes the penalty contact force%s against %s", extra, shape);
}

/* ---- smoothed particles ---- */

/* A smoothing kernel as a function of distance and support radius. */
static Helper *smoothing_kernel(Synth *s, const char **which)
{
    Expr p[2], result;
    const Type *real_type = s->style.real;
    const Type *types[2] = {real_type, real_type};
    const Range ranges[2] = {{0, 20}, {0.5, 3}};
    uint32_t kind = below(s, 5);
    static const char *const names[] = {"poly6|w_poly6|smoothing_kernel", "spiky|w_spiky|kernel_spiky",
                                        "cubic_spline|spline_kernel|w_cubic", "gaussian_kernel|w_gauss|gauss_weight",
                                        "wendland|w_wendland|kernel_c2"};
    static const char *const spoken[] = {"poly6", "spiky", "cubic spline", "Gaussian", "Wendland"};
    *which = spoken[kind];
    Helper *helper =
        function_begin(s, names[kind], 2, (const char *const[]){"r|dist|d", "h|radius|support"}, types, ranges, p);
    if (kind == 0) {
        Expr q = let(s, "t|diff|u", Q(s, "wp.max(_1 * _1 - _0 * _0, 0.0)", p[0], p[1]));
        result = Q(s, "_0 * _0 * _0", q);
    } else if (kind == 1) {
        if_begin(s, compare(s, OP_GT_E, p[0], p[1]));
        Expr none = real(s, 0);
        function_return(s, helper, &none, 1);
        block_end(s);
        Expr q = let_always(s, "q|t|ratio", Q(s, "1.0 - _0 / _1", p[0], p[1]));
        result = Q(s, "_0 * _0 * _0", q);
    } else if (kind == 2) {
        Expr q = let_always(s, "q|ratio|qr", Q(s, "_0 / _1", p[0], p[1]));
        if_begin(s, Q(s, "_0 < 0.5", q));
        Expr inner = Q(s, "1.0 - 6.0 * _0 * _0 * (1.0 - _0)", q);
        function_return(s, helper, &inner, 1);
        block_end(s);
        Expr t = let_always(s, "t|outer_part", Q(s, "wp.max(1.0 - _0, 0.0)", q));
        result = Q(s, "2.0 * _0 * _0 * _0", t);
    } else if (kind == 3) {
        Expr q = let(s, "q|x|ratio", Q(s, "_0 / _1", p[0], p[1]));
        result = Q(s, "wp.exp(-wp.min(_0 * _0, 16.0))", q);
    } else {
        Expr q = let_always(s, "q|ratio", Q(s, "_0 / _1", p[0], p[1]));
        Expr t = let_always(s, "t|u", Q(s, "wp.max(1.0 - 0.5 * _0, 0.0)", q));
        result = Q(s, "_0 * _0 * _0 * _0 * (2.0 * _1 + 1.0)", t, q);
    }
    function_return(s, helper, &result, 1);
    function_end(s, helper);
    return helper;
}

static void sph_sum(Synth *s)
{
    const char *which;
    Helper *w = smoothing_kernel(s, &which);
    launch_1d(s, "i|tid|p");
    uint32_t n = s->shape[0];
    Expr x = input(s, "positions|x|particle_q|points", "vec3", n, -3, 3), i = s->tid[0];
    Expr xi = let_always(s, "xi|pos_i|p_i", at(s, x, i));
    Expr h = scalar_param(s, "h|support|smoothing_length", s->style.real, 0.5, 3);
    uint32_t what = below(s, 3);
    bool pressure = what == 1, velocity = what == 2;
    Expr mass = chance(s, 0.5) ? input(s, "masses|mass|m", "float", n, 0.1, 2) : (Expr){0};
    Expr rho = pressure || velocity ? input(s, "densities|rho|density", "float", n, 0.5, 3) : (Expr){0};
    Expr field = pressure   ? input(s, "pressures|pressure|p_field", "float", n, 0.1, 4)
                 : velocity ? input(s, "velocities|v|vel", "vec3", n, -2, 2)
                            : (Expr){0};
    const Type *type = what ? type_of(s, "vec3") : s->style.real;
    Expr total = let_mutable(s, what ? "f|acc|force" : "rho_i|density_i|total", zero(s, type));
    Expr j = for_begin(s, "j|k|other", (Expr){0}, size_param(s, "n|num_particles|count", n), 1);
    if (chance(s, 0.4) || pressure) {
        if_begin(s, compare(s, OP_EQ, i, j));
        jump(s, NODE_CONTINUE);
        block_end(s);
    }
    comment(s, "offset to the neighbour");
    Expr d = let_always(s, "d|rij|xij|offset", Q(s, "_0 - _1[_2]", xi, x, j));
    Expr r = let_always(s, "r|dist|rlen", Q(s, "wp.length(_0)", d));
    if (chance(s, 0.35)) {
        if_begin(s, compare(s, OP_LT, r, h));
    } else {
        if_begin(s, Q(s, "_0 < 2.0 * _1", r, h));
    }
    Expr weight = let(s, "w|weight|wij", call_helper(s, w, (Expr[]){r, h}));
    if (mass.type)
        weight = Q(s, "_0[_1] * _2", mass, j, weight);
    OpKind towards = chance(s, 0.5) ? OP_SUB : OP_ADD;
    if (pressure)
        accumulate(
            s, total, towards,
            Q(s, "_0 * ((_1[_2] + _1[_3]) * _4 / (2.0 * _5[_3]))", safe_direction(s, d, r), field, i, j, weight, rho));
    else if (velocity)
        accumulate(s, total, OP_ADD, Q(s, "(_0[_1] - _0[_2]) * (_3 / _4[_1])", field, j, i, weight, rho));
    else
        accumulate(s, total, OP_ADD, weight);
    block_end(s);
    block_end(s);
    total = again(s, total);
    Expr result = what == 2 ? Q(s, "_0 * _1", total, real(s, nice_number(s, 0.01, 0.5))) : total;
    output(s, what ? "forces_out|accel|f_out" : "densities_out|rho_out|density_out", result);
    s->kernel_stem = pressure   ? PICK(s, "sph_pressure_force", "pressure_forces")
                     : velocity ? PICK(s, "sph_viscosity", "viscous_forces", "xsph_smoothing")
                                : PICK(s, "sph_density", "density_sum", "estimate_density");
    s->entity = "particle";
    say(s, "sums the %s of all neighbours weighted by a %s kernel",
        pressure   ? "pressure force"
        : velocity ? "viscous force"
                   : "density contribution",
        which);
}

/* ---- many bodies ---- */

static void n_body(Synth *s)
{
    launch_1d(s, "i|tid|body");
    uint32_t n = s->shape[0];
    Expr x = input(s, "positions|x|pos", "vec3", n, -4, 4), m = input(s, "masses|mass|charge", "float", n, 0.1, 3),
         i = s->tid[0];
    Expr xi = let_always(s, "xi|p|pos_i", at(s, x, i));
    Expr a = let_mutable(s, "a|acc|field|accel", zero(s, type_of(s, "vec3")));
    Expr soft = setting(s, "softening|eps|soft_sq", 0.01, 0.2);
    Expr j = for_begin(s, "j|k|other", (Expr){0}, size_param(s, "n|num_bodies|count", n), 1);
    bool skip = chance(s, 0.5);
    if (skip && chance(s, 0.5)) {
        if_begin(s, compare(s, OP_EQ, i, j));
        jump(s, NODE_CONTINUE);
        block_end(s);
        skip = false;
    } else if (skip) {
        if_begin(s, compare(s, OP_NOT_EQ, i, j));
    }
    comment(s, "softened inverse-square law");
    Expr d = let_always(s, "d|r|rij|offset", Q(s, "_0[_1] - _2", x, j, xi));
    Expr r2 =
        let_always(s, "r2|dist_sq|d2",
                   chance(s, 0.5) ? Q(s, "wp.dot(_0, _0) + _1", d, soft) : Q(s, "wp.length_sq(_0) + _1", d, soft));
    Expr term;
    switch (below(s, 3)) {
    case 0: term = Q(s, "_0 * (_1[_2] / (_3 * wp.sqrt(_3)))", d, m, j, r2); break;
    case 1: {
        Expr inv = let_always(s, "inv_r|inv_dist", Q(s, "1.0 / wp.sqrt(_0)", r2));
        term = Q(s, "_0 * (_1[_2] * _3 * _3 * _3)", d, m, j, inv);
        break;
    }
    default: term = Q(s, "_0 * (_1[_2] / _3)", d, m, j, r2); break;
    }
    accumulate(s, a, OP_ADD, chance(s, 0.5) ? term : let_always(s, "pull|contribution|fij", term));
    if (skip)
        block_end(s);
    block_end(s);
    Expr g = setting(s, "grav|G_const|strength", 0.1, 1);
    Expr result = g.flags & EXPR_CONSTANT ? Q(s, "_0 * _1", again(s, a), g) : again(s, a);
    output(s, "accelerations|acc_out|field_out", result);
    s->kernel_stem = PICK(s, "n_body", "gravity_field", "attract_bodies", "pairwise_gravity");
    s->entity = "body";
    say(s, "sums the softened inverse-square attraction of all bodies");
}

/* ---- rigid bodies ---- */

static void rigid_step(Synth *s)
{
    launch_1d(s, "tid|b|body");
    Expr q = let(s, "q|pose|xform", per_thread(s, "body_q|poses|transforms", "transform", -1, 1));
    Expr qd = let(s, "qd|twist|vel", per_thread(s, "body_qd|twists|body_vel", "twist", -2, 2));
    Expr f = let(s, "f|wrench|load_b", per_thread(s, "body_f|wrenches|body_forces", "twist", -3, 3));
    comment(s, "position and orientation of the body");
    Expr p = let_always(s, "p|x0|pos", Q(s, "wp.transform_get_translation(_0)", q));
    Expr r = let_always(s, "r|r0|rot", Q(s, "wp.normalize(wp.transform_get_rotation(_0))", q));
    Expr w0 = let_always(s, "w0|omega|w", Q(s, "wp.spatial_top(_0)", qd)),
         v0 = let_always(s, "v0|v|lin", Q(s, "wp.spatial_bottom(_0)", qd));
    Expr t0 = let(s, "t0|torque", Q(s, "wp.spatial_top(_0)", f)),
         f0 = let(s, "f0|force", Q(s, "wp.spatial_bottom(_0)", f));
    Expr im = let(s, "inv_m|w_mass", per_thread(s, "inv_mass|body_inv_mass", "float", 0.1, 2)),
         dt = setting(s, "dt|time_step", 0.005, 0.05);
    comment(s, "linear part");
    Expr v1 = let_always(s, "v1|v_new", Q(s, "_0 + (_1 * _2 + _3) * _4", v0, f0, im, gravity(s), dt));
    Expr x1 = let_always(s, "x1|p_new", Q(s, "_0 + _1 * _2", p, v1, dt));
    Expr wb = let(s, "wb|w_local|omega_body", Q(s, "wp.quat_rotate_inv(_0, _1)", r, w0));
    Expr tb = let(s, "tb|t_local", Q(s, "wp.quat_rotate_inv(_0, _1)", r, t0));
    Expr w1b;
    if (chance(s, 0.5)) {
        Expr inertia = per_thread(s, "inertia|body_inertia", "mat33", -0.5, 1),
             inv_inertia = per_thread(s, "inv_inertia|body_inv_inertia", "mat33", -1, 1);
        Expr gyro = chance(s, 0.7) ? Q(s, "_0 - wp.cross(_1, _2 * _1)", tb, wb, let(s, "I|inertia_b", inertia)) : tb;
        w1b = Q(s, "_0 + _1 * (_2) * _3", wb, inv_inertia, let(s, "tau|net_torque", gyro), dt);
    } else {
        Expr diagonal = per_thread(s, "inv_inertia_diag|inv_inertia", "vec3", 0.1, 2);
        w1b = Q(s, "_0 + wp.cw_mul(_1, _2) * _3", wb, diagonal, tb, dt);
    }
    comment(s, "angular part, back in world space");
    Expr w1 = let_always(s, "w1|w_new", Q(s, "wp.quat_rotate(_0, _1)", r, w1b));
    Expr r1;
    if (chance(s, 0.5)) {
        r1 = Q(s, "wp.normalize(_0 + wp.quat(_1 * (0.5 * _2), 0.0) * _0)", r, w1, dt);
    } else {
        Expr speed = let_always(s, "angle|turn|spin", Q(s, "wp.length(_0) * _1", w1, dt));
        Expr axis = Q(s, "wp.normalize(_0)", w1);
        r1 = Q(s, "wp.quat_from_axis_angle(_0, _1) * _2", axis, with_range(speed, 0, 100), r);
    }
    r1 = let_always(s, "r1|r_new|rot_new", r1);
    if (chance(s, 0.4))
        w1 = let_always(s, "w_damped|w2",
                        Q(s, "_0 * (1.0 - _1 * _2)", w1, setting(s, "angular_damping|spin_drag", 0.05, 1), dt));
    output(s, "body_q_new|body_q_out|poses_out", Q(s, "wp.transform(_0, _1)", x1, r1));
    output(s, "body_qd_new|body_qd_out|twists_out", Q(s, "wp.spatial_vector(_0, _1)", w1, v1));
    s->kernel_stem = PICK(s, "integrate_bodies", "rigid_body_step", "advance_bodies");
    s->entity = "rigid body";
    say(s, "integrates the pose and twist from the applied wrench over one time step");
}

static void apply_wrench(Synth *s)
{
    launch_1d(s, "tid|c|joint");
    uint32_t bodies = (uint32_t)between(s, 8, 32);
    Expr b = index_of(s, "joint_child|contact_body|body_index", "b|child|body", bodies);
    Expr body_q = input(s, "body_q|poses", "transform", bodies, -1, 1),
         body_qd = input(s, "body_qd|twists", "twist", bodies, -2, 2);
    Expr local = let(s, "local|r_local|anchor", per_thread(s, "anchors|contact_point|attach_point", "vec3", -1, 1));
    Expr pose = let_always(s, "X_wb|pose|body_pose", at(s, body_q, b)),
         qd = let(s, "qd|twist|body_vel", at(s, body_qd, b));
    comment(s, "attachment point in world space");
    Expr point = let_always(s, "world_p|x_c|bx", Q(s, "wp.transform_point(_0, _1)", pose, local));
    Expr com = input(s, "body_com|com", "vec3", bodies, -0.5, 0.5);
    Expr arm = let_always(s, "r|arm|lever", Q(s, "_0 - wp.transform_point(_1, _2)", point, pose, at(s, com, b)));
    Expr w = let(s, "w|omega|ang", Q(s, "wp.spatial_top(_0)", qd)),
         v = let(s, "v|lin|vel", Q(s, "wp.spatial_bottom(_0)", qd));
    Expr vp = let_always(s, "v_p|dpdt|point_v",
                         chance(s, 0.8) ? Q(s, "_0 + wp.cross(_1, _2)", v, w, arm)
                                        : Q(s, "wp.velocity_at_point(_0, _1)", qd, arm));
    Expr target = per_thread(s, "targets|goal_points|anchor_world", "vec3", -2, 2);
    comment(s, "spring towards the target");
    Expr err = let_always(s, "err|x_err|gap", Q(s, "_0 - _1", target, point));
    Expr ke = setting(s, "ke|joint_ke|stiffness", 5, 50), kd = setting(s, "kd|joint_kd|damping", 0.1, 2);
    Expr f = let_always(s, "f|force|f_total", Q(s, "_0 * _1 - _2 * _3", err, ke, vp, kd));
    if (chance(s, 0.4)) {
        Expr twist_rest =
            let_always(s, "axis_w|axis_world",
                       Q(s, "wp.transform_vector(_0, _1)", pose, per_thread(s, "joint_axis|axes", "vec3", -1, 1)));
        Expr drive = let(s, "tau_drive|motor", per_thread(s, "joint_target|motor_torque", "float", -2, 2));
        f = let_always(s, "f_driven|f2", Q(s, "_0 + _1 * _2", f, twist_rest, drive));
    }
    Expr forces = array_param(s, ROLE_ATOMIC, "body_f|body_wrench|wrench_out", type_of(s, "twist"), 1, &bodies, 0, 0);
    Expr wrench = Q(s, "wp.spatial_vector(wp.cross(_0, _1), _1)", arm, f);
    atomic(s, chance(s, 0.7) ? "atomic_add" : "atomic_sub", forces, &b, 1, wrench);
    s->kernel_stem = PICK(s, "apply_joint_forces", "body_wrenches", "eval_attachments", "point_forces");
    s->entity = "attachment";
    say(s, "accumulates a spring-damper wrench at a point of a rigid body");
}

static void pair_impulse(Synth *s)
{
    static const char *const ends[] = {"i|a|first", "j|b|second"};
    Expr v[2];
    launch_1d(s, "tid|pair|c");
    uint32_t n = (uint32_t)between(s, 16, 48);
    element_indices(s, "pairs|contact_pairs|pair_ids", ends, 2, n, v);
    Expr x = input(s, "positions|x", "vec3", n, -2, 2), vel = input(s, "velocities|v", "vec3", n, -2, 2),
         w = input(s, "inv_masses|inv_mass", "float", n, 0.1, 2);
    Expr radius = input(s, "radii|radius", "float", n, 0.2, 1);
    comment(s, "overlap of the two spheres");
    Expr d = let_always(s, "d|offset|delta", Q(s, "_0[_1] - _0[_2]", x, v[1], v[0]));
    Expr l = let_always(s, "dist|l", Q(s, "wp.length(_0)", d));
    Expr depth = let_always(s, "depth|overlap|pen", Q(s, "_0[_1] + _0[_2] - _3", radius, v[0], v[1], l));
    if (chance(s, 0.5)) {
        if_begin(s, chance(s, 0.5) ? Q(s, "_0 <= 0.0", depth) : Q(s, "_0 == _1 or _2 <= 0.0", v[0], v[1], depth));
        return_early(s);
        block_end(s);
    }
    Expr n_dir = let_always(s, "n|normal|dir", safe_direction(s, d, l));
    Expr rel = let_always(s, "vrel|closing|rel_v", Q(s, "wp.dot(_0[_1] - _0[_2], _3)", vel, v[1], v[0], n_dir));
    Expr e = setting(s, "restitution|bounce", 0.1, 0.9);
    Expr wsum = let(s, "w_sum|inv_total", Q(s, "_0[_1] + _0[_2]", w, v[0], v[1]));
    comment(s, "impulse along the normal");
    Expr jn = let_always(s, "jn|impulse|j_mag", Q(s, "-(1.0 + _0) * wp.min(_1, 0.0) / _2", e, rel, wsum));
    if (chance(s, 0.4))
        jn = let_always(s, "j_total|impulse_b",
                        Q(s, "_0 + _1 * wp.max(_2, 0.0)", jn, setting(s, "bias|baumgarte", 0.05, 0.5), depth));
    Expr out = array_param(s, ROLE_ATOMIC, "delta_v|impulses|velocity_deltas", type_of(s, "vec3"), 1, &n, 0, 0);
    atomic(s, "atomic_sub", out, &v[0], 1, Q(s, "_0 * (_1 * _2[_3])", n_dir, jn, w, v[0]));
    atomic(s, "atomic_add", out, &v[1], 1, Q(s, "_0 * (_1 * _2[_3])", n_dir, jn, w, v[1]));
    s->kernel_stem = PICK(s, "resolve_contacts", "pair_impulses", "sphere_collisions");
    s->entity = "pair of spheres";
    say(s, "applies a restitution impulse along the contact normal");
}

static void constraint_projection(Synth *s)
{
    static const char *const ends[] = {"i|a", "j|b"};
    Expr v[2];
    launch_1d(s, "tid|c");
    uint32_t n = (uint32_t)between(s, 16, 48);
    element_indices(s, "constraints|edges|bonds", ends, 2, n, v);
    Expr x = input(s, "positions|x|predicted", "vec3", n, -2, 2),
         w = input(s, "inv_masses|inv_mass|w", "float", n, 0.1, 2);
    Expr rest = per_thread(s, "rest_lengths|rest", "float", 0.2, 1.5);
    comment(s, "constraint gradient");
    Expr d = let_always(s, "d|grad|delta", Q(s, "_0[_1] - _0[_2]", x, v[0], v[1])),
         l = let_always(s, "l|dist", Q(s, "wp.length(_0)", d));
    Expr n_dir = let_always(s, "n|dir", safe_direction(s, d, l)), c = let(s, "c|violation", Q(s, "_0 - _1", l, rest));
    Expr wi = let(s, "wi|w_a", at(s, w, v[0])), wj = let(s, "wj|w_b", at(s, w, v[1]));
    Expr alpha = setting(s, "compliance|alpha|softness", 0.001, 0.1);
    Expr dt = setting(s, "dt|time_step", 0.01, 0.1);
    Expr lambda = let_always(s, "dlambda|s_factor|lam",
                             chance(s, 0.6) ? Q(s, "-_0 / (_1 + _2 + _3 / (_4 * _4))", c, wi, wj, alpha, dt)
                                            : Q(s, "-_0 / (_1 + _2)", c, wi, wj));
    Expr out = array_param(s, ROLE_ATOMIC, "corrections|deltas|dx", type_of(s, "vec3"), 1, &n, 0, 0);
    atomic(s, "atomic_add", out, &v[0], 1, Q(s, "_0 * (_1 * _2)", n_dir, wi, lambda));
    atomic(s, "atomic_sub", out, &v[1], 1, Q(s, "_0 * (_1 * _2)", n_dir, wj, lambda));
    if (chance(s, 0.3))
        output(s, "lambdas|multipliers", lambda);
    s->kernel_stem = PICK(s, "project_distance", "solve_constraints", "xpbd_stretch", "pbd_edges");
    s->entity = "constraint";
    say(s, "projects a distance constraint and scatters the position corrections");
}

static void particle_energy(Synth *s)
{
    launch_1d(s, "tid|i");
    Expr m = let(s, "m|mass_i", per_thread(s, "masses|mass", "float", 0.1, 3)),
         v = let(s, "v|vel", per_thread(s, "velocities|v", "vec3", -2, 2));
    Expr x = let(s, "x|pos", per_thread(s, "positions|x", "vec3", -2, 2));
    comment(s, "kinetic and potential part");
    Expr kinetic = let_always(s, "kinetic|ke|e_k",
                              chance(s, 0.5) ? Q(s, "0.5 * _0 * wp.dot(_1, _1)", m, v)
                                             : Q(s, "0.5 * _0 * wp.length_sq(_1)", m, v));
    Expr potential = let_always(s, "potential|pe|e_p",
                                chance(s, 0.5) ? Q(s, "_0 * _1 * _2[1]", m, setting(s, "g|gravity", 1, 9.8), x)
                                               : Q(s, "0.5 * _0 * wp.dot(_1, _1)", setting(s, "k|trap_k", 1, 9), x));
    Expr total = let(s, "total_e|e_total", Q(s, "_0 + _1", kinetic, potential));
    if (chance(s, 0.5))
        output(s, "momentum|p_out", Q(s, "_0 * _1", v, m));
    if (chance(s, 0.5))
        output(s, "angular_momentum|l_out", Q(s, "wp.cross(_0, _1 * _2)", x, v, m));
    extra_statements(s, 3);
    output_sum(s, "energy_total|total_energy|energy", embellish(s, total));
    s->kernel_stem = PICK(s, "particle_energy", "energy_audit", "measure_energy");
    s->entity = "particle";
    say(s, "adds up kinetic and potential energy");
}

void make_physics(Synth *s)
{
    static void (*const makers[])(Synth *) = {
        spring_forces, integrate_particles, contact_forces,        sph_sum,        n_body, rigid_step,
        apply_wrench,  pair_impulse,        constraint_projection, particle_energy};
    static const unsigned weights[] = {12, 12, 12, 12, 8, 12, 18, 10, 8, 8};
    makers[rng_weighted(&s->rng, weights, 10)](s);
    extra_statements(s, 4);
}
