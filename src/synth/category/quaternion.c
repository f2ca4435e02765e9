/* Rotations and rigid transforms. */
#include "synth/make.h"

static Expr unit_quat(Synth *s, const char *names)
{
    return let_always(s, "q|rot|r", Q(s, "wp.normalize(_0)", per_thread(s, names, "quat", -1, 1)));
}

static void rotate_points(Synth *s)
{
    Expr q;
    const char *what;
    switch (below(s, 5)) {
    case 0:
        q = unit_quat(s, "orientations|rotations|quats");
        what = "a normalised quaternion";
        break;
    case 1: {
        Expr axis = let_always(s, "axis|n_hat|spin_axis",
                               Q(s, "wp.normalize(_0)", per_thread(s, "axes|spin_axes", "vec3", 0.1, 1)));
        Expr angle = chance(s, 0.5) ? per_thread(s, "angles|turns", "float", -3, 3) : setting(s, "angle|theta", -3, 3);
        q = let_always(s, "q|rot", Q(s, "wp.quat_from_axis_angle(_0, _1)", axis, angle));
        what = "an axis and an angle";
        break;
    }
    case 2: {
        Expr rpy = let(s, "rpy|euler|att", per_thread(s, "euler|rpy_angles|attitudes", "vec3", -3, 3));
        q = let_always(s, "q|rot", Q(s, "wp.quat_rpy(_0[0], _0[1], _0[2])", rpy));
        what = "roll, pitch and yaw";
        break;
    }
    case 3: {
        if (s->style.real->kind != TYPE_FLOAT32)
            give_up(s, "only of single precision");
        Node *identity = node_call(s, node_wp(s, "quat_identity"), NULL, 0);
        q = let_always(s, "q|rot|turn_q",
                       (Expr){.node = identity, .type = type_of(s, "quat"), .range = {0, 1}, .flags = EXPR_UNIT});
        Expr angle = let(s, "angle|theta", per_thread(s, "angles|turns", "float", -3, 3));
        if_begin(s, Q(s, "wp.abs(_0) > _1", angle, setting(s, "dead_zone|min_angle", 0.05, 0.5)));
        Expr up = chance(s, 0.5) ? Q(s, "wp.vec3(0.0, 1.0, 0.0)") : Q(s, "wp.vec3(0.0, 0.0, 1.0)");
        up.flags |= EXPR_UNIT;
        assign(s, q, Q(s, "wp.quat_from_axis_angle(_0, _1)", up, angle));
        block_end(s);
        q = again(s, q);
        q.flags |= EXPR_UNIT;
        what = "an angle outside a dead zone";
        break;
    }
    default: {
        Expr a = unit_quat(s, "keys_a|from_rot|q_start"), b = unit_quat(s, "keys_b|to_rot|q_end");
        q = let_always(s, "qt|blend_q|q_mid",
                       Q(s, "wp.quat_slerp(_0, _1, _2)", a, b,
                         chance(s, 0.5) ? setting(s, "t|fraction|alpha", 0.05, 0.95)
                                        : per_thread(s, "times|phases", "float", 0.05, 0.95)));
        what = "an interpolated rotation";
    }
    }
    Expr p = let(s, "p|v|point", per_thread(s, "points|vectors|offsets", "vec3", -2, 2)), r;
    switch (below(s, 4)) {
    case 0: r = Q(s, "wp.quat_rotate(_0, _1)", q, p); break;
    case 1: r = Q(s, "wp.quat_rotate_inv(_0, _1)", q, p); break;
    case 2: r = Q(s, "wp.quat_to_matrix(_0) * _1", q, p); break;
    default: r = Q(s, "wp.quat_rotate(wp.quat_inverse(_0), _1)", q, p); break;
    }
    comment(s, "rotate the point");
    r = let_always(s, "rotated|turned|v_rot", r);
    if (chance(s, 0.4))
        r = let_always(s, "placed|world_p|moved",
                       Q(s, "_0 + _1", r,
                         chance(s, 0.5) ? scalar_param(s, "origin|pivot|base_pos", type_of(s, "vec3"), -1, 1)
                                        : per_thread(s, "origins|pivots", "vec3", -1, 1)));
    output(s, "rotated_out|out|points_out", embellish(s, r));
    say(s, "rotates a point by %s", what);
}

static void chain_frames(Synth *s)
{
    uint32_t n = (uint32_t)between(s, 8, 32);
    Expr parent = index_of(s, "parents|joint_parent|parent_ids", "parent|p_id|base", n);
    Expr body_q = input(s, "body_q|poses|frames", "transform", n, -1, 1),
         local = let(s, "X_pj|local|joint_x", per_thread(s, "joint_X_p|local_frames|offsets", "transform", -1, 1));
    Expr world = let_always(s, "X_wp|parent_pose|base_x", at(s, body_q, parent));
    if (chance(s, 0.3)) { /* the root has no parent */
        Expr root = Q(s, "_0 == 0", parent);
        Node *identity = node_call(s, node_wp(s, "transform_identity"), NULL, 0);
        if (s->style.real->kind == TYPE_FLOAT32) {
            if_begin(s, root);
            assign(s, world,
                   (Expr){.node = identity, .type = type_of(s, "transform"), .range = {0, 1}, .flags = EXPR_UNIT});
            block_end(s);
            world = again(s, world);
        }
    }
    comment(s, "chain of frames");
    Expr joint = let_always(s, "X_wj|world_x|joint_pose",
                            chance(s, 0.5) ? Q(s, "_0 * _1", world, local)
                                           : Q(s, "wp.transform_multiply(_0, _1)", world, local));
    if (chance(s, 0.5)) {
        Expr axis =
            let_always(s, "axis|joint_ax", Q(s, "wp.normalize(_0)", per_thread(s, "joint_axis|axes", "vec3", 0.1, 1)));
        Expr turn = let_always(s, "X_j|turn|joint_rot",
                               Q(s, "wp.transform(_0, wp.quat_from_axis_angle(_1, _2))", zero(s, type_of(s, "vec3")),
                                 axis, per_thread(s, "joint_q|angles", "float", -2, 2)));
        joint = let_always(s, "X_wc|child_x|child_pose", Q(s, "_0 * _1", joint, turn));
    }
    Expr p = let(s, "com|tip|r_local", per_thread(s, "body_com|tips|local_points", "vec3", -1, 1));
    comment(s, "into world space");
    Expr world_p = let_always(s, "world_p|tip_w|com_w", Q(s, "wp.transform_point(_0, _1)", joint, p));
    if (chance(s, 0.5))
        output(s, "poses_out|frames_out|child_q", joint);
    if (chance(s, 0.4))
        output(s, "axes_out|forward|normals_out",
               Q(s, "wp.transform_vector(_0, _1)", joint, Q(s, "wp.vec3(0.0, 0.0, 1.0)")));
    output(s, "tips_out|com_out|points_out", embellish(s, world_p));
    say(s, "carries a local frame and a point of it into the world through its parent");
}

static void compare_frames(Synth *s)
{
    Expr a = let(s, "X_a|pose_a|xa", per_thread(s, "poses_a|frames_a|body_q", "transform", -1, 1)),
         b = let(s, "X_b|pose_b|xb", per_thread(s, "poses_b|target_q|goal_frames", "transform", -1, 1));
    Expr pa = let_always(s, "pa|x_a|pos_a", Q(s, "wp.transform_get_translation(_0)", a)),
         pb = let_always(s, "pb|x_b|pos_b", Q(s, "wp.transform_get_translation(_0)", b));
    Expr qa = let_always(s, "qa|rot_a|r_a", Q(s, "wp.normalize(wp.transform_get_rotation(_0))", a)),
         qb = let_always(s, "qb|rot_b|r_b", Q(s, "wp.normalize(wp.transform_get_rotation(_0))", b));
    comment(s, "difference of the two poses");
    Expr err = let_always(s, "dp|pos_err|offset", Q(s, "_0 - _1", pb, pa)),
         rel = let_always(s, "dq|q_err|rel", Q(s, "_0 * wp.quat_inverse(_1)", qb, qa));
    const char *what;
    if (chance(s, 0.5)) {
        Expr w =
            let_always(s, "ang_err|rot_vec|w_err", Q(s, "wp.vec3(_0[0], _0[1], _0[2]) * (2.0 * wp.sign(_0[3]))", rel));
        Expr kp = setting(s, "kp|gain_p|stiffness", 1, 20), kr = setting(s, "kr|gain_r|ang_stiffness", 1, 20);
        if (s->style.real->kind == TYPE_FLOAT32)
            output(s, "wrench_out|body_f|commands", Q(s, "wp.spatial_vector(_0 * _1, _2 * _3)", w, kr, err, kp));
        else
            output(s, "torques|ang_out", Q(s, "_0 * _1 + _2 * _3", w, kr, err, kp));
        what = "a restoring wrench between two poses";
    } else {
        Expr cosine = let_always(s, "c|cos_half|align", Q(s, "wp.abs(wp.dot(_0, _1))", qa, qb));
        Expr angle =
            chance(s, 0.5) ? Q(s, "2.0 * wp.acos(wp.clamp(_0, 0.0, 0.999))", cosine) : Q(s, "1.0 - _0 * _0", cosine);
        angle = let_always(s, "angle|rot_cost|ang", angle);
        output(s, "pose_cost|errors|mismatch",
               embellish(s, Q(s, "wp.length_sq(_0) + _1 * _2", err, setting(s, "rot_weight|lambda_r", 0.1, 2), angle)));
        what = "a pose error of position and angle";
    }
    say(s, "computes %s", what);
}

static void angular_step(Synth *s)
{
    Expr q = unit_quat(s, "orientations|rotations|attitudes"),
         w = let(s, "w|omega|rate", per_thread(s, "angular_velocities|omegas|gyro", "vec3", -2, 2)),
         dt = setting(s, "dt|time_step|h", 0.005, 0.05), next;
    if (chance(s, 0.5))
        w = let_always(s, "w_body|w_world|rate_b",
                       chance(s, 0.5) ? Q(s, "wp.quat_rotate(_0, _1)", q, w)
                                      : Q(s, "wp.quat_rotate_inv(_0, _1)", q, w));
    if (chance(s, 0.5)) {
        Expr spin = let_always(s, "spin|dq|w_quat", Q(s, "wp.quat(_0[0], _0[1], _0[2], 0.0)", w));
        next = Q(s, "wp.normalize(_0 + _1 * _0 * (0.5 * _2))", q, spin, dt);
    } else {
        Expr axis = let_always(s, "axis|spin_axis", Q(s, "wp.normalize(_0)", w));
        next = Q(s, "wp.quat_from_axis_angle(_0, wp.length(_1) * _2) * _3", axis, w, dt, q);
    }
    comment(s, "integrate the rotation");
    next = let_always(s, "q_next|q1|advanced", next);
    if (chance(s, 0.5)) {
        Expr m = let(s, "basis|frame_m|R", Q(s, "wp.quat_to_matrix(_0)", next));
        output(s, "up_dirs|frames_out|heading_out",
               chance(s, 0.5) ? Q(s, "wp.vec3(_0[0, 1], _0[1, 1], _0[2, 1])", let(s, "rm|rot_m", m))
                              : Q(s, "wp.transpose(_0) * _1", m, w));
    }
    output(s, "orientations_out|q_out|attitude_out", next);
    say(s, "advances an orientation by its angular velocity");
}

static void axis_angle(Synth *s)
{
    if (s->style.real->kind != TYPE_FLOAT32)
        give_up(s, "only of single precision");
    Expr q = unit_quat(s, "orientations|rotations"), parts[2];
    Node *arg = q.node, *value = node_call(s, node_wp(s, "quat_to_axis_angle"), &arg, 1);
    const Type *types[2] = {type_of(s, "vec3"), s->style.real};
    const Range ranges[2] = {{-1, 1}, {-6.3, 6.3}};
    let_many(s, (const char *const[]){"axis|n_hat", "angle|theta"}, parts, 2, value, types, ranges);
    Expr half = let_always(s, "scaled_angle|part|half_turn",
                           Q(s, "_0 * _1", parts[1], setting(s, "fraction|ease|portion", 0.1, 0.9)));
    output(s, "rot_vectors|turn_out|log_map", Q(s, "_0 * _1", parts[0], half));
    if (chance(s, 0.5))
        output(s, "tilt|heights_out", Q(s, "wp.degrees(_0)", half));
    say(s, "scales a rotation in its axis-angle form");
}

void make_quaternion(Synth *s)
{
    uint32_t choice = below(s, 100);
    if (choice < 20) {
        make_generic(s);
        return;
    }
    launch_1d(s, "tid|i|body");
    static void (*const makers[])(Synth *) = {rotate_points, chain_frames, compare_frames, angular_step, axis_angle};
    static const unsigned weights[] = {22, 26, 22, 12, 5};
    makers[rng_weighted(&s->rng, weights, 5)](s);
    extra_statements(s, 7);
    s->kernel_stem = PICK(s, "rotate_frames", "update_orientation", "pose_pass", "transform_points", "align_frames",
                          "attitude_step");
    s->entity = "body";
}
