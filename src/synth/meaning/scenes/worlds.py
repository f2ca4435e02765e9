"""Many copies of one robot at once: every array begins with the number of the world, then come joints, bodies, contacts or rows."""


@scene("physics", "struct", "control_flow", (world, joint),
       says="drives the joints of all worlds to their targets by springs and dampers{limit:, within the torque that each motor has}",
       title="joint_pd_control|apply_actuators|actuator_torques|drive_joints", algorithm="joint-space PD control")
def world_joint_drive(q: each(joint_angle), qd: each(joint_speed), target: each(joint_angle), kp: each(joint_stiffness, joint), kd: each(joint_damping, joint), limit: maybe(each(joint_torque, joint, range=(4.0, 20.0)), 0.6), bias: maybe(each(joint_torque), 0.5), off: maybe(each(flag, world), 0.4), tau: out(joint_torque), clipped: maybe(add(count_value, world), 0.4)):
    names(q="q|joint_q|dof_pos|qpos", qd="qd|joint_qd|dof_vel|qvel", target="target|q_target|desired_q|ctrl", kp="kp|joint_kp|gain_p|stiffness_j", kd="kd|joint_kd|gain_d|damping_j", limit="limit|max_torque|effort_limit|tau_max", bias="bias|gravity_comp|bias_torque|feedforward", off="off|disabled|powered_off|asleep", tau="tau|joint_f|torques|actuator_force", clipped="clipped|num_clipped|saturated|at_limit", t="t|torque|u|force_j", err="err|q_err|delta_q|miss")
    w, j = wp.tid()
    if present(off):
        note("robots that are switched off hang freely|no power in this world")
        if off[w] == 1:
            tau[w, j] = 0.0
            return
    err = target[w, j] - q[w, j]
    t = kp[j] * err - kd[j] * qd[w, j]
    if present(bias):
        note("what gravity and motion ask for anyway|feed forward")
        t += bias[w, j]
    if present(limit):
        if present(clipped):
            if wp.abs(t) > limit[j]:
                wp.atomic_add(clipped, w, 1)
        t = wp.clamp(t, -limit[j], limit[j])
    tau[w, j] = t


@scene("physics", "multi_conditional", "scalar_param", (world, joint),
       says="advances the joints of all worlds by a semi-implicit step with damping taken implicitly{low:, and stops them at their limits}",
       title="integrate_joints|semi_implicit_step|advance_dofs|euler_joints", algorithm="semi-implicit Euler with implicit damping")
def world_integrate(q: inout(joint_angle), qd: inout(joint_speed), tau: each(joint_torque, range=(-6.0, 6.0)), inertia: each(moment_of_inertia, joint), damp: each(joint_damping, joint), low: maybe(each(lower_limit, joint), 0.6), high: maybe(each(upper_limit, joint), 1.0), top: maybe(setting(joint_speed, 1.0, 3.0), 0.4), dt: setting(time_step), hits: maybe(add(count_value, world), 0.4)):
    names(q="q|joint_q|dof_pos|qpos", qd="qd|joint_qd|dof_vel|qvel", tau="tau|joint_f|torques|applied_torque", inertia="inertia|armature|dof_inertia|joint_inertia", damp="damp|joint_damping_of|dof_damping|viscous", low="low|limit_lower|q_min|lower", high="high|limit_upper|q_max|upper", top="top|max_speed|qd_max|speed_limit", hits="hits|limit_hits|num_hits|stopped", v="v|speed|qd_new|rate", x="x|angle|q_new|pos")
    w, j = wp.tid()
    note("damping acts on the new speed|implicit in the velocity")
    v = (inertia[j] * qd[w, j] + dt * tau[w, j]) / (inertia[j] + dt * damp[j])
    if present(top):
        v = wp.clamp(v, -top, top)
    x = q[w, j] + dt * v
    if present(low) and present(high):
        if x < low[j]:
            note("at the stop: no further, no faster|lower stop")
            x = low[j]
            v = wp.max(v, 0.0)
            if present(hits):
                wp.atomic_add(hits, w, 1)
        elif x > high[j]:
            x = high[j]
            v = wp.min(v, 0.0)
            if present(hits):
                wp.atomic_add(hits, w, 1)
    q[w, j] = x
    qd[w, j] = v


@scene("matrix", "nested_loop", "physics", world,
       says="multiplies the mass matrix of every world with its vector of accelerations{bias:, and adds the bias forces}",
       title="mass_matrix_product|mul_m|inertia_times_acc|inverse_dynamics_product", algorithm="dense mass matrix product", rare=True)
def world_mass_product(m: each(inertia_entry, world, 6, 6), qdd: rows(joint_acceleration, 6), bias: maybe(rows(joint_torque, 6), 0.5), dofs: each(count_value, range=(2, 6)), tau: out(joint_torque, world, 6), work: maybe(out(energy), 0.4)):
    names(m="m|mass_matrix|inertia_mat|inertia_m", qdd="qdd|qacc|joint_acc|acc_in", bias="bias|bias_torque|coriolis|bias_force", dofs="dofs|num_dofs|nv|dof_counts", tau="tau|inverse_torque|joint_f|result_f", work="work|half_quad|acc_energy|quad_form", total="total|acc|s|row_sum", n="n|nv_w|last_dof|stop", e="e|quad|half_sum|wsum")
    w = wp.tid()
    note("smaller robots fill only a part of the matrix|padded worlds")
    n = dofs[w]
    e = float(0.0)
    for i in range(n):
        total = float(0.0)
        for k in range(n):
            total += m[w, i, k] * qdd[w, k]
        if present(work):
            e += 0.5 * qdd[w, i] * total
        if present(bias):
            total += bias[w, i]
        tau[w, i] = total
    if present(work):
        work[w] = e


@scene("matrix", "nested_loop", "control_flow", world,
       says="solves a triangular system for every world by {way=0:forward}{way=1:backward} substitution in place",
       title="triangular_solve|solve_factor|substitute_worlds|factor_solve", algorithm="triangular solve", rare=True, lossy=True)
def world_triangular(low: each(factor_entry, world, 6, 6), diag: rows(factor_diagonal, 6), x: inout(right_hand_side, world, 6), skip: maybe(each(flag, world), 0.4), norm: maybe(out(positive_value), 0.4)):
    names(low="low|L|factor|chol", diag="diag|D|pivots|diagonal", x="x|b|rhs|solution", skip="skip|converged|done|inactive", norm="norm|sol_norm|x_sq|size_sq", s="s|acc|sum_i|rest", i="i|r|row_i|eq", k="k|c|col_k|j", sq="sq|norm_sq|acc_sq|total_sq", n="n|size_n|nv|dim")
    w = wp.tid()
    if present(skip):
        if skip[w] == 1:
            if present(norm):
                norm[w] = 0.0
            return
    n = constant("NUM_DOFS|SYSTEM_SIZE|NV", 6)
    sq = float(0.0)
    for r in range(n):
        match choose("way"):
            case 2:
                i = r
                s = x[w, i]
                for k in range(i):
                    s -= low[w, i, k] * x[w, k]
            case 1:
                note("from the last row up, with the transpose|backward substitution")
                i = n - 1 - r
                s = x[w, i]
                for k in range(i + 1, n):
                    s -= low[w, k, i] * x[w, k]
        s = s / diag[w, i]
        x[w, i] = s
        if present(norm):
            sq += s * s
    if present(norm):
        norm[w] = sq


@scene("physics", "nested_loop", "atomic", (world, contact),
       says="spreads the forces of the active contacts of every world to its joints through the rows of the contact Jacobian",
       title="contact_forces_to_joints|jacobian_transpose_forces|apply_contact_rows|contact_torques", algorithm="Jacobian transpose times force")
def world_contact_rows(jac: each(jacobian_entry, world, contact, joint), f: each(normal_load, world, contact), active: each(count_value, world, range=(2, 6)), mu: maybe(each(friction, world), 0.4), joint_f: add(joint_torque, world, joint), used: maybe(add(count_value, world), 0.4), strongest: maybe(add(normal_load, world, range=(0.0, 0.0)), 0.4)):
    names(jac="jac|J|row_jac|contact_jac", f="f|contact_force|contact_f|lambda_n", active="active|num_contacts|ncon|num_rows", mu="mu|friction_of|cone_mu|world_mu", joint_f="joint_f|torque_sum|constraint_torque|gen_force", used="used|num_used|pushing|touching", strongest="strongest|peak_force|max_force|largest_f", fc="fc|force_c|lam|push")
    w, c = wp.tid()
    note("each world has contacts of its own number|rows beyond the count are padding")
    if c >= active[w]:
        return
    fc = f[w, c]
    if present(mu):
        note("the share that friction cannot hold is lost|reduced by friction")
        fc = fc * (1.0 - 0.5 * mu[w])
    for j in range(count(joint)):
        wp.atomic_add(joint_f, w, j, jac[w, c, j] * fc)
    if present(used):
        wp.atomic_add(used, w, 1)
    if present(strongest):
        wp.atomic_max(strongest, w, fc)


@scene("reduction", "physics", "atomic", (world, body),
       says="sums up the mass and the centre of mass of the tree below the root of each body, in every world",
       title="subtree_com|tree_center_of_mass|accumulate_com|world_com", algorithm="weighted sum of body positions")
def world_subtree(x: each(position), mass: each(mass, body), root: index(body, over=body), v: maybe(each(velocity), 0.5), weighted: add(momentum, world, body), total: add(mass, world, body), drift: maybe(add(momentum, world), 1.0)):
    names(x="x|link_com|body_pos|body_com", mass="mass|body_mass|m_body|masses", root="root|body_root|tree_root|root_id", v="v|body_vel|com_vel|lin_vel", weighted="weighted|com_sum|mx_sum|weighted_pos", total="total|mass_sum|subtree_mass|tree_mass", drift="drift|lin_momentum|momentum_w|p_total", r="r|top|root_b|tree", m="m|mb|m_i|weight_b")
    w, b = wp.tid()
    r = root[b]
    m = mass[b]
    wp.atomic_add(weighted, w, r, x[w, b] * m)
    wp.atomic_add(total, w, r, m)
    if present(v) and present(drift):
        wp.atomic_add(drift, w, v[w, b] * m)


@scene("quaternion", "physics", "struct", (world, body),
       says="moves the rigid bodies of all worlds by one step: velocities by forces and torques, then places and orientations",
       title="integrate_bodies|step_bodies|advance_rigid_bodies|body_euler", algorithm="semi-implicit Euler for rigid bodies")
def world_bodies(x: inout(position), q: inout(rotation), v: inout(velocity), omega: inout(angular_velocity), f: each(force), tau: each(torque), m: each(mass, body), inertia: each(principal_inertia, body), g: setting(gravity_vector), damp: maybe(setting(ratio, 0.01, 0.1), 0.5), fixed_: maybe(each(flag, body), 0.4), dt: setting(time_step)):
    names(x="x|body_pos|pos|xpos", q="q|body_rot|quat|xquat", v="v|lin_vel|body_vel|vel", omega="omega|ang_vel|body_omega|spin", f="f|body_f|forces|ext_force", tau="tau|body_t|torques|ext_torque", m="m|body_mass|mass|masses", inertia="inertia|body_inertia|inertia_diag|principal", damp="damp|damping|drag|air_drag", fixed_="fixed|is_static|anchored|immovable", rot="rot|qn|att|r_wb", vel="vel|v_new|lin|u", w="w_body|wb|omega_b|local_w", alpha="alpha|ang_acc|wdot|acc_w", dq="dq|spin_q|q_rate|qdot")
    world_, b = wp.tid()
    if present(fixed_):
        note("bodies of the scenery do not move|static bodies")
        if fixed_[b] == 1:
            return
    vel = v[world_, b] + (g + f[world_, b] / m[b]) * dt
    rot = wp.normalize(q[world_, b])
    note("Euler's equations in the frame of the body|gyroscopic torque")
    w = wp.quat_rotate_inv(rot, omega[world_, b])
    alpha = wp.cw_div(wp.quat_rotate_inv(rot, tau[world_, b]) - wp.cross(w, wp.cw_mul(inertia[b], w)), inertia[b])
    w = wp.quat_rotate(rot, w + alpha * dt)
    if present(damp):
        vel = vel * (1.0 - damp * dt)
        w = w * (1.0 - damp * dt)
    dq = wp.quat(w[0], w[1], w[2], 0.0) * rot
    x[world_, b] = x[world_, b] + vel * dt
    q[world_, b] = wp.normalize(rot + dq * (0.5 * dt))
    v[world_, b] = vel
    omega[world_, b] = w


@scene("reduction", "scalar_param", "control_flow", world,
       says="decides for every world whether its solver has converged, by the gradient and the gain of the last step, and counts the worlds that go on",
       title="check_convergence|solver_done|update_done|stop_worlds", algorithm="stopping test of a batched solver")
def world_converged(grad: each(gradient, world, joint), cost: each(objective, world, range=(0.5, 4.0)), last: each(objective, world, range=(0.5, 4.0)), tol: setting(tolerance, 0.02, 0.2), scale: setting(positive_value, 0.05, 0.3), rounds: inout(count_value, range=(0, 6)), most: setting(steps_value, 4, 8), done: out(flag), left: maybe(add(count_value, 1), 0.6), norm_out: maybe(out(positive_value), 0.5)):
    names(grad="grad|gradient_w|residual|g_w", cost="cost|objective_now|cost_now|energy_new", last="last|cost_prev|prev_cost|energy_old", tol="tol|tolerance_s|eps_stop|threshold", scale="scale|cost_scale|mean_inertia|unit_cost", rounds="rounds|niter|iterations|num_iter", most="most|max_iter|iteration_limit|limit_n", done="done|finished|converged|stopped", left="left|num_active|worlds_left|running", norm_out="norm_out|grad_norm|g_norm|norms", sq="sq|sum_sq|g2|norm_sq", gain="gain|improvement|decrease|drop", n="n|it|k_round|count_it", ok="ok|stop|is_done|end")
    w = wp.tid()
    sq = float(0.0)
    for j in range(count(joint)):
        sq += grad[w, j] * grad[w, j]
    gain = last[w] - cost[w]
    n = rounds[w] + 1
    rounds[w] = n
    ok = int(0)
    if scale * wp.sqrt(sq) < tol:
        note("flat enough|small gradient")
        ok = int(1)
    elif scale * gain < tol and n > 1:
        note("nothing more to gain|small improvement")
        ok = int(1)
    elif n >= most:
        ok = int(1)
    done[w] = ok
    if present(left):
        if ok == 0:
            wp.atomic_add(left, 0, 1)
    if present(norm_out):
        norm_out[w] = wp.sqrt(sq)


@scene("function", "math", "scalar_param", (world, joint),
       says="combines the four slopes of a Runge-Kutta step of the joints of all worlds in double precision",
       title="runge_kutta_combine|rk4_update|combine_slopes|rk4_joints", algorithm="classical Runge-Kutta combination")
def world_runge_kutta(y: each(wide_state), k1: each(wide_slope), k2: each(wide_slope), k3: each(wide_slope), k4: each(wide_slope), dt: setting(wide_step, 0.01, 0.1), y_out: out(wide_state), err: maybe(out(wide_slope), 0.5), turn: maybe(setting(wide_state, 2.0, 3.0), 0.4)):
    names(y="y|state|y0|state_in", k1="k1|slope1|f1|rate1", k2="k2|slope2|f2|rate2", k3="k3|slope3|f3|rate3", k4="k4|slope4|f4|rate4", y_out="y_out|state_out|y1|next_state", err="err|defect|spread_k|slope_gap", turn="turn|wrap_at|max_angle|half_turn", s="s|mean_slope|slope|rate", new="new|val|y_new|x")
    w, j = wp.tid()
    s = (k1[w, j] + wp.float64(2.0) * k2[w, j] + wp.float64(2.0) * k3[w, j] + k4[w, j]) / wp.float64(6.0)
    new = y[w, j] + dt * s
    if present(turn):
        note("angles stay within half a turn|wrap")
        if new > turn:
            new = new - wp.float64(2.0) * turn
        elif new < -turn:
            new = new + wp.float64(2.0) * turn
    y_out[w, j] = new
    if present(err):
        err[w, j] = wp.abs(k2[w, j] - k3[w, j])


@law("worlds", "the sum of two numbers and what rounding took from it", title="two_sum|exact_sum|add_with_error", private=True, function=True)
def two_sum(a: wide_state, b: wide_state) -> (wide_state, wide_state):
    names(s="s|total|x", t="t|back|bb")
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@scene("reduction", "function", "math", (world, time_sample),
       says="sums the samples of a signal around each time in every world in double precision, with a compensation for rounding",
       title="compensated_sums|window_sums|exact_window_mean|kahan_windows", algorithm="compensated summation")
def world_window_sum(x: each(wide_state), half: setting(steps_value, 2, 5), mean_out: maybe(setting(flag, 0, 1), 0.5), total_out: out(wide_state), lost: maybe(out(wide_state), 0.5)):
    names(x="x|signal64|samples64|trace", half="half|half_width|radius_n|reach", mean_out="mean_out|as_mean|normalise|use_mean", total_out="total_out|sums|window_sum|smooth64", lost="lost|rounding|residue|carry_out", s="s|total|acc|run", c="c|comp|carry|err", e="e|low|tail|step_err", first="first|t0|begin|lo", last="last|t1|stop|hi")
    w, t = wp.tid()
    first = wp.max(t - half, 0)
    last = wp.min(t + half + 1, count(time_sample))
    s = wp.float64(0.0)
    c = wp.float64(0.0)
    for k in range(first, last):
        s, e = two_sum(s, x[w, k])
        c = c + e
    if present(mean_out):
        if mean_out == 1:
            note("the mean of what the window holds|shorter windows at the ends")
            s = s / wp.float64(last - first)
            c = c / wp.float64(last - first)
    total_out[w, t] = s + c
    if present(lost):
        lost[w, t] = c


@scene("struct", "control_flow", "integer", (world, contact),
       says="packs the numbers of the contacts of every world that are close enough to the front of its list, in any order, up to the room there is",
       title="compact_contacts|pack_contacts|collect_contacts|filter_world_contacts", algorithm="compaction by atomic counters")
def world_compact(dist: each(penetration, world, contact), pair: index(body, 2, over=contact), margin: setting(distance, 0.05, 0.2), room: setting(capacity_value, 4, 8), still: maybe(each(flag, body), 0.4), number: add(count_value, world), from_out: out(index_value, world, contact), overflow: maybe(add(count_value, 1), 0.5)):
    names(dist="dist|contact_gap|contact_dist|separation", pair="pair|body_pair|geom_pair|contact_bodies", margin="margin|contact_margin|include_margin|reach", room="room|max_contacts|contact_room|capacity", still="still|is_static|static_body|fixed_body", number="number|ncon|num_contacts|contact_count", from_out="from_out|packed_id|source_ids|contact_id", overflow="overflow|dropped|num_dropped|lost", slot="slot|at|id_c|place", d="d|gap|dist_c|sep")
    w, c = wp.tid()
    d = dist[w, c]
    if d > margin:
        return
    if present(still):
        note("two bodies of the scenery never collide|both static")
        if still[pair[c, 0]] == 1 and still[pair[c, 1]] == 1:
            return
    slot = wp.atomic_add(number, w, 1)
    if slot >= room:
        note("no room left in this world|overflow")
        if present(overflow):
            wp.atomic_add(overflow, 0, 1)
        return
    from_out[w, slot] = c


@scene("stencil", "nested_loop", "ml", (world, cell, cell),
       says="takes one explicit step of heat conduction on the grid of every world, for two materials per cell{hold:, with held cells}",
       title="batched_diffusion|diffuse_worlds|heat_step_batch|grid_step_batch", algorithm="explicit diffusion of a batch of grids")
def world_diffusion(u: each(tensor_value, world, cell, cell, 2), alpha: each(diffusivity, 2, range=(0.02, 0.1)), hold: maybe(each(flag, world, cell, cell), 0.4), gain: maybe(each(ratio, world), 0.4), u_out: out(tensor_value, world, cell, cell, 2), worst: maybe(add(tensor_value, world, range=(0.0, 0.0)), 0.4)):
    names(u="u|field|state4|batch_u", alpha="alpha|diffusion|rates_c|kappa_c", hold="hold|held|masked|dirichlet", gain="gain|world_gain|speed_w|rate_w", u_out="u_out|field_out|next4|batch_out", worst="worst|max_change|largest|peak", up="up|i_up|north|ip", down="down|i_dn|south|im", left="left|j_dn|west|jm", right="right|j_up|east|jp", lap="lap|curv|second|diff_sum", d="d|change|du|inc")
    w, i, j = wp.tid()
    up = wp.min(i + 1, count(cell, 0) - 1)
    down = wp.max(i - 1, 0)
    right = wp.min(j + 1, count(cell, 1) - 1)
    left = wp.max(j - 1, 0)
    for c in range(2):
        lap = u[w, up, j, c] + u[w, down, j, c] + u[w, i, right, c] + u[w, i, left, c] - 4.0 * u[w, i, j, c]
        d = alpha[c] * lap
        if present(gain):
            d = d * gain[w]
        if present(hold):
            if hold[w, i, j] == 1:
                note("held cells keep their value|boundary condition")
                d = 0.0
        u_out[w, i, j, c] = u[w, i, j, c] + d
        if present(worst):
            wp.atomic_max(worst, w, wp.abs(d))
