"""Stages of time integrators, directions taken one by one, and buffers of learning environments."""


@scene("arithmetic", "stencil", "scalar_param", cell,
       says="computes a stage of a Runge-Kutta method that keeps the total variation from growing: a mixture of the old state, the last stage and its rate",
       title="runge_kutta_stage|ssp_stage|combine_stages|stage_update", algorithm="strong-stability-preserving Runge-Kutta, third order", topic="")
def ssp_stage(u0: each(stage_value), u1: each(stage_value, range=(-1.4, 1.4)), rhs: each(stage_rate), dt: setting(time_step, 0.01, 0.05), wall: maybe(each(flag), 0.4), fill: setting(stage_value, -0.5, 0.5), u_out: out(stage_value), norm: maybe(add(error_value, 1), 0.5), top: maybe(add(stage_value, 1, range=(0.0, 0.0)), 0.4)):
    names(u0="u0|u_old|start_u|base_u", u1="u1|u_stage|last_u|prev_u", rhs="rhs|rate_u|du|l_u", c="c|mix|coef|w", new="new|val|u_new|nxt", wall="wall|fixed_c|boundary|masked", fill="fill|wall_value|u_wall|bc_value", top="top|peak_u|max_u|highest")
    i, j = wp.tid()
    if present(wall):
        if wall[i, j] == 1:
            u_out[i, j] = fill
            return
    match choose("stage"):
        case 1:
            fact("this is the second stage")
            c = wp.vec3(0.75, 0.25, 0.25 * dt)
        case 1:
            fact("this is the last stage")
            c = wp.vec3(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0 * dt)
    u_out[i, j] = c[0] * u0[i, j] + c[1] * u1[i, j] + c[2] * rhs[i, j]
    if present(norm):
        new = c[0] * u0[i, j] + c[1] * u1[i, j] + c[2] * rhs[i, j]
        wp.atomic_add(norm, 0, (new - u0[i, j]) * (new - u0[i, j]))
    if present(top):
        wp.atomic_max(top, 0, c[0] * u0[i, j] + c[1] * u1[i, j] + c[2] * rhs[i, j])


@scene("arithmetic", "control_flow", "scalar_param", node,
       says="advances each node by the method of Adams and Bashforth with as many earlier rates as there are",
       title="adams_bashforth|multistep_update|ab3_nodes|advance_nodes", algorithm="Adams-Bashforth, up to third order", topic="")
def adams_bashforth(u: inout(stage_value), f0: each(stage_rate), f1: each(older_rate), f2: each(oldest_rate), known: setting(count_value, 1, 3), dt: setting(time_step, 0.01, 0.05), held: maybe(each(flag), 0.4), change: maybe(out(error_value), 0.6), err_out: maybe(out(error_value), 0.5)):
    names(u="u|state_u|x_n|values_n", f0="f0|rate_now|rhs0|d0", f1="f1|rate_prev|rhs1|d1", f2="f2|rate_prev2|rhs2|d2", known="known|num_rates|history_n|order_k", c="c|coef|ab_w|weights_ab", held="held|pinned|dirichlet|fixed_n", step="step|du|inc|delta_u", low="low|ab2|lower_step|second")
    i = wp.tid()
    if present(held):
        if held[i] == 1:
            return
    c = wp.vec3(1.0, 0.0, 0.0)
    if known == 2:
        c = wp.vec3(1.5, -0.5, 0.0)
    elif known >= 3:
        c = wp.vec3(23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0)
    step = c[0] * f0[i] + c[1] * f1[i] + c[2] * f2[i]
    u[i] = u[i] + dt * step
    if present(change):
        change[i] = dt * step
    if present(err_out):
        note("against the method of second order|error estimate")
        low = 1.5 * f0[i] - 0.5 * f1[i]
        err_out[i] = dt * wp.abs(step - low)


@scene("physics", "stencil", "vector", (cell, cell, cell),
       says="diffuses a substance in a block of layered material, faster along some axes than along others{flux:, and gives the flux through the upper faces}",
       title="anisotropic_diffusion|diffuse_anisotropic|anisotropic_diffusion_step", algorithm="explicit anisotropic diffusion", topic="")
def diffuse_axes(c: each(concentration), diffusivity: setting(instance_scale, 0.02, 0.12), spacing: setting(instance_scale, 0.5, 1.0), dt: setting(time_step, 0.05, 0.3), decay: maybe(setting(reaction_rate, 0.05, 0.5), 0.4), source: maybe(each(flag), 0.3), source_rate: setting(concentration, 0.2, 1.0), c_out: out(concentration), flux: maybe(out(displacement), 0.5)):
    names(c="c|conc", diffusivity="diffusivity|diff", spacing="spacing|dx", ip="ip|i_next", im="im|i_prev", jp="jp|j_next", jm="jm|j_prev", kp="kp|k_next", km="km|k_prev", lx="lap_x|d2x", ly="lap_y|d2y", lz="lap_z|d2z", rate="rate|dc_dt", decay="decay_rate|decay", source="is_source|source_mask", source_rate="source_rate|injection_rate", cc="cc|c0", c_xp="c_xp|c_east", c_xm="c_xm|c_west", c_yp="c_yp|c_north", c_ym="c_ym|c_south", c_zp="c_zp|c_top", c_zm="c_zm|c_bottom", flux="flux|face_flux", c_out="c_out|conc_out")
    i, j, k = wp.tid()
    note("no flux through the border: the neighbour is the cell itself|clamped neighbours")
    ip = wp.min(i + 1, count(cell, 0) - 1)
    im = wp.max(i - 1, 0)
    jp = wp.min(j + 1, count(cell, 1) - 1)
    jm = wp.max(j - 1, 0)
    kp = wp.min(k + 1, count(cell, 2) - 1)
    km = wp.max(k - 1, 0)
    cc = c[i, j, k]
    c_xp = c[ip, j, k]
    c_xm = c[im, j, k]
    c_yp = c[i, jp, k]
    c_ym = c[i, jm, k]
    c_zp = c[i, j, kp]
    c_zm = c[i, j, km]
    lx = (c_xp - 2.0 * cc + c_xm) / (spacing[0] * spacing[0])
    ly = (c_yp - 2.0 * cc + c_ym) / (spacing[1] * spacing[1])
    lz = (c_zp - 2.0 * cc + c_zm) / (spacing[2] * spacing[2])
    rate = diffusivity[0] * lx + diffusivity[1] * ly + diffusivity[2] * lz
    if present(decay):
        rate -= decay * cc
    if present(source):
        if source[i, j, k] == 1:
            note("fed from outside|source cells")
            rate += source_rate
    c_out[i, j, k] = wp.max(cc + dt * rate, 0.0)
    if present(flux):
        note("from high to low|flux through the upper faces")
        flux[i, j, k] = wp.vec3(diffusivity[0] * (cc - c_xp) / spacing[0], diffusivity[1] * (cc - c_yp) / spacing[1], diffusivity[2] * (cc - c_zp) / spacing[2])


@scene("atomic", "geometry", "control_flow", particle,
       says="puts points into the bins of a box, {round=0:by the cell they are in}{round=1:by the nearest node}, and counts those outside",
       title="bin_points|box_bins|count_in_bins|spatial_histogram", algorithm="binning of points in a box", rare=True)
def bin_points_box(p: each(position), lower: setting(position, -1.6, -1.0), size: setting(instance_scale, 0.3, 0.5), m: maybe(each(mass), 0.5), bins: add(count_value, 8, 8, 8), mass_bins: maybe(add(voxel_mass, 8, 8, 8), 1.0), where_out: maybe(out(index_value), 0.6), outside: add(count_value, 1)):
    names(p="p|pts|cloud|positions_p", lower="lower|box_min|origin_b|corner_b", size="size|bin_size|cell_xyz|voxel_h", a="a|bx|ix|ci", b="b|by|iy|cj", c="c|bz|iz|ck", inside="inside|in_box|valid_b|ok_bin", outside="outside|missed|num_out|strays")
    i = wp.tid()
    match choose("round"):
        case 2:
            a = int(wp.floor((p[i][0] - lower[0]) / size[0]))
            b = int(wp.floor((p[i][1] - lower[1]) / size[1]))
            c = int(wp.floor((p[i][2] - lower[2]) / size[2]))
        case 1:
            a = int(wp.floor((p[i][0] - lower[0]) / size[0] + 0.5))
            b = int(wp.floor((p[i][1] - lower[1]) / size[1] + 0.5))
            c = int(wp.floor((p[i][2] - lower[2]) / size[2] + 0.5))
    inside = 0 <= a and a < 8 and 0 <= b and b < 8 and 0 <= c and c < 8
    if not inside:
        if present(where_out):
            where_out[i] = -1
        if present(outside):
            wp.atomic_add(outside, 0, 1)
        return
    wp.atomic_add(bins, a, b, c, 1)
    if present(m) and present(mass_bins):
        wp.atomic_add(mass_bins, a, b, c, m[i])
    if present(where_out):
        where_out[i] = (a * 8 + b) * 8 + c


@scene("quaternion", "ml", "struct", robot,
       says="fills the observation of each robot for its policy: gravity and velocities in its own frame, the way to the goal, and joint positions{scale: that are scaled}",
       title="fill_observations|compute_observations|robot_obs|observe_robots", algorithm="observations in the frame of the base")
def fill_observations(q: each(rotation), v: each(velocity), w: each(angular_velocity), pos: each(position), goal: each(position, range=(-3.0, 3.0)), joint: rows(joint_angle, 6), rest: each(joint_angle, 6, range=(-0.5, 0.5)), scale: maybe(setting(gain, 0.2, 1.0), 0.6), clip: maybe(setting(positive_value, 1.0, 3.0), 0.5), obs: out(observation_value, robot, 18), near: maybe(add(count_value, 1), 0.4)):
    names(q="q|base_q|root_rot|quats_b", v="v|base_v|root_vel|lin_v", w="w|base_w|root_ang|ang_v", pos="pos|root_pos|base_pos|places", goal="goal|targets_g|goal_pos|commands", joint="joint|joint_q|dofs|angles_j", rest="rest|default_q|nominal|home_q", turn="turn|qn|rot|att", g="g|up_b|grav_b|tilt", vb="vb|lin_b|v_local|body_v", wb="wb|ang_b|w_local|body_w", to="to|rel|way|gap_b", at="at|col|base|slot", d="d|dq|off_j|dev", clip="clip|obs_clip|bound_o|limit_o", scale="scale|dof_scale|joint_scale|gain_q")
    r = wp.tid()
    turn = wp.normalize(q[r])
    g = wp.quat_rotate_inv(turn, wp.vec3(0.0, 0.0, -1.0))
    vb = wp.quat_rotate_inv(turn, v[r])
    wb = wp.quat_rotate_inv(turn, w[r])
    to = wp.quat_rotate_inv(turn, goal[r] - pos[r])
    obs[r, 0] = g[0]
    obs[r, 1] = g[1]
    obs[r, 2] = g[2]
    at = int(3)
    obs[r, at] = vb[0]
    obs[r, at + 1] = vb[1]
    obs[r, at + 2] = vb[2]
    at = at + 3
    obs[r, at] = wb[0]
    obs[r, at + 1] = wb[1]
    obs[r, at + 2] = wb[2]
    at = at + 3
    obs[r, at] = to[0]
    obs[r, at + 1] = to[1]
    obs[r, at + 2] = to[2]
    at = at + 3
    for j in range(6):
        d = joint[r, j] - rest[j]
        if present(scale):
            d = d * scale
        obs[r, at + j] = d
    if present(clip):
        note("no entry may be extreme|clip")
        for k in range(18):
            obs[r, k] = wp.clamp(obs[r, k], -clip, clip)
    if present(near):
        if wp.length(to) < 1.0:
            wp.atomic_add(near, 0, 1)


@scene("control_flow", "multi_conditional", "ml", robot,
       says="decides whether the episode of each robot ends, because it fell, left the field or ran out of time, and gives its reward",
       title="episode_ends|check_termination|reset_flags|compute_done", algorithm="termination and reward of episodes", rare=True)
def episode_ends(pos: each(position), q: each(rotation), v: each(velocity), steps: inout(count_value), most: setting(count_value, 8, 18), low: setting(length, -1.5, -0.5), field: setting(length, 1.2, 1.9), tilt_cos: setting(unit_coordinate, -0.5, 0.3), want_v: setting(velocity, -1.0, 1.0), reward: out(episode_reward), done: out(flag), reason: maybe(out(kind_value), 0.6), falls: maybe(add(count_value, 1), 0.5), resets: maybe(add(count_value, 1), 0.4)):
    names(pos="pos|root_pos|base_pos|bodies_p", q="q|root_q|base_q|rot_b", v="v|root_v|base_v|vel_b", steps="steps|ep_len|ticks|progress", most="most|max_len|horizon_n|ep_limit", up="up|up_axis|z_body|upright", fallen="fallen|tipped|is_down|crashed", lost="lost|left_field|off_field|strayed", late="late|timeout|time_up|expired", score="score|rew|r_sum|gain_r", miss="miss|vel_err|off_v|err_v", why="why|cause|code_e|end_code", n="n|count_s|tick|age")
    r = wp.tid()
    fallen = bool(False)
    lost = bool(False)
    late = bool(False)
    up = wp.quat_rotate(wp.normalize(q[r]), wp.vec3(0.0, 0.0, 1.0))
    if up[2] < tilt_cos:
        fallen = True
    if pos[r][2] < low:
        note("too low to stand|on the ground")
        fallen = True
    if wp.abs(pos[r][0]) > field or wp.abs(pos[r][1]) > field:
        lost = True
    n = steps[r] + 1
    if n >= most:
        late = True
    miss = wp.length(v[r] - want_v)
    match choose("shape"):
        case 2:
            score = wp.exp(-miss * miss)
        case 1:
            score = 1.0 / (1.0 + miss)
    if fallen:
        score -= 2.0
        if present(falls):
            wp.atomic_add(falls, 0, 1)
    elif not lost:
        note("a little for every step on its feet|alive")
        score += 0.1
    reward[r] = score
    why = int(0)
    if fallen:
        why = 1
    elif lost:
        why = 2
    elif late:
        why = 3
    if fallen or lost or late:
        done[r] = 1
        n = 0
        if present(resets):
            wp.atomic_add(resets, 0, 1)
    else:
        done[r] = 0
    steps[r] = n
    if present(reason):
        reason[r] = why
