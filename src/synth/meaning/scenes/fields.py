"""Fields on grids: transport, sweeps, multigrid, lattices, fronts, patterns, images."""


@scene("stencil", "function", "combined", cell,
       says="advects a tracer along a periodic line with fifth-order weighted reconstruction of the face values, upwind of the speed",
       title="weno_advection|advect_weno5|weno_step|transport_line", algorithm="WENO5 upwind advection", topic="")
def weno_advect(q: each(scalar_density), speed: setting(face_speed, 0.3, 1.0), dx: setting(cell_size), cfl: setting(cfl_number), back: maybe(setting(flag, fixed=True), 0.4), decay: maybe(setting(ratio, 0.01, 0.1), 0.3), qn: out(scalar_density), flux_out: maybe(out(value), 0.4)):
    names(n="n|cells|length_n|last_n", m3="m3|i_3|w3|lll", m2="m2|i_2|w2|ll", m1="m1|i_1|w1|l", p1="p1|i1|e1|r", p2="p2|i2|e2|rr", p3="p3|i3|e3|rrr", left="left|flux_w|f_left|fm", right="right|flux_e|f_right|fp", dt="dt|tau|step_t|h_t", back="back|reversed|leftward|negative_flow", flux_out="flux_out|face_flux|fluxes|flux_e_out")
    i = wp.tid()
    n = count(cell)
    note("periodic neighbours|wrap around")
    m3 = (i + n - 3) % n
    m2 = (i + n - 2) % n
    m1 = (i + n - 1) % n
    p1 = (i + 1) % n
    p2 = (i + 2) % n
    p3 = (i + 3) % n
    dt = cfl * dx / speed
    if present(back):
        if back == 1:
            note("the wind blows to the left|mirror the stencil")
            left = -speed * weno5_face(q[p2], q[p1], q[i], q[m1], q[m2])
            right = -speed * weno5_face(q[p3], q[p2], q[p1], q[i], q[m1])
        else:
            left = speed * weno5_face(q[m3], q[m2], q[m1], q[i], q[p1])
            right = speed * weno5_face(q[m2], q[m1], q[i], q[p1], q[p2])
    else:
        left = speed * weno5_face(q[m3], q[m2], q[m1], q[i], q[p1])
        right = speed * weno5_face(q[m2], q[m1], q[i], q[p1], q[p2])
    if present(decay):
        qn[i] = (q[i] - dt / dx * (right - left)) * (1.0 - decay)
    else:
        qn[i] = q[i] - dt / dx * (right - left)
    if present(flux_out):
        flux_out[i] = right


@scene("stencil", "control_flow", "arithmetic", cell,
       says="corrects a fine grid by the bilinear interpolation of a coarse one with half as many cells in each direction",
       title="prolong_correction|interpolate_coarse|prolongate|coarse_to_fine", algorithm="bilinear prolongation of a multigrid cycle", topic="")
def prolong(coarse: each(coarse_value, 24, 24), fine: each(fine_value), solid: maybe(each(flag), 0.4), damp: maybe(setting(relaxation, 0.6, 1.0), 0.4), res: out(fine_value), touched: maybe(add(count_value, 1), 0.3)):
    names(ci="ci|i_c|parent_i|a", cj="cj|j_c|parent_j|b", ni="ni|i_n|other_i|a2", nj="nj|j_n|other_j|b2", corr="corr|add_v|lift|delta", solid="solid|blocked|walls|obstacle", damp="damp|relax_p|weight_c|scale_corr")
    i, j = wp.tid()
    if present(solid):
        if solid[i, j] == 1:
            note("no correction inside of obstacles")
            fact("cells of obstacles stay as they are")
            res[i, j] = fine[i, j]
            return
    ci = i // 2
    cj = j // 2
    match choose("order"):
        case 3:
            note("the second nearest coarse cell on either axis|nine, three, three, one sixteenths")
            if i % 2 == 0:
                ni = wp.max(ci - 1, 0)
            else:
                ni = wp.min(ci + 1, 23)
            if j % 2 == 0:
                nj = wp.max(cj - 1, 0)
            else:
                nj = wp.min(cj + 1, 23)
            corr = (9.0 * coarse[ci, cj] + 3.0 * coarse[ni, cj] + 3.0 * coarse[ci, nj] + coarse[ni, nj]) / 16.0
        case 1:
            fact("every fine cell takes the value of its parent")
            corr = coarse[ci, cj] * 1.0
    if present(damp):
        corr = corr * damp
    if present(touched):
        if wp.abs(corr) > number(0.1, 0.4, "cut"):
            wp.atomic_add(touched, 0, 1)
    res[i, j] = fine[i, j] + corr


@scene("stencil", "atomic", "control_flow", cell,
       says="computes the residual of Poisson's equation on a grid and adds its average to the coarse grid",
       title="restrict_residual|poisson_defect|residual_to_coarse|defect_restriction", algorithm="Poisson residual with restriction by averaging", topic="")
def restrict_residual(u: each(fine_value), f: each(fine_value), dx: setting(cell_size), kap: maybe(each(conductivity, range=(0.5, 2.0)), 0.4), coarse: add(coarse_value, 24, 24), r_out: maybe(out(fine_value), 0.5), norm_sq: maybe(add(positive_value, 1), 0.5), pinned: maybe(each(flag), 0.3)):
    names(c="c|mid|uc|center", lap="lap|div_grad|balance|laplace", r="r|defect|rest|res_ij", pinned="pinned|fixed_cells|dirichlet|boundary_mask", norm_sq="norm_sq|l2_acc|err_sq|residual_total")
    i, j = wp.tid()
    if present(pinned):
        if pinned[i, j] == 1:
            return
    c = u[i, j]
    lap = float(0.0)
    match choose("edge"):
        case 1:
            note("mirrored at the border: no flux leaves|insulated edges")
            fact("nothing flows across the border")
            for s in range(2):
                ni = wp.clamp(i + 2 * s - 1, 0, count(cell, 0) - 1)
                nj = wp.clamp(j + 2 * s - 1, 0, count(cell, 1) - 1)
                if present(kap):
                    lap += 0.5 * (kap[ni, j] + kap[i, j]) * (u[ni, j] - c)
                    lap += 0.5 * (kap[i, nj] + kap[i, j]) * (u[i, nj] - c)
                else:
                    lap += u[ni, j] + u[i, nj] - 2.0 * c
        case 1:
            note("zero beyond the border|homogeneous Dirichlet")
            fact("the solution is zero beyond the border")
            for s in range(2):
                ni = i + 2 * s - 1
                nj = j + 2 * s - 1
                if ni >= 0 and ni < count(cell, 0):
                    lap += u[ni, j]
                if nj >= 0 and nj < count(cell, 1):
                    lap += u[i, nj]
                lap -= 2.0 * c
    r = f[i, j] + lap / (dx * dx)
    wp.atomic_add(coarse, i // 2, j // 2, 0.25 * r)
    if present(r_out):
        r_out[i, j] = r
    if present(norm_sq):
        wp.atomic_add(norm_sq, 0, r * r)


@scene("stencil", "function", "nested_loop", cell,
       says="streams the populations of a nine-velocity lattice by pulling them from the neighbours, with walls that throw them back, and computes the density",
       title="lbm_stream|pull_populations|lattice_streaming|stream_and_bounce", algorithm="lattice Boltzmann streaming with bounce-back")
def lbm_stream(f: each(distribution, cell, cell, 9), wall: each(flag), f_new: out(distribution, cell, cell, 9), rho_out: out(density), mom_out: maybe(out(flow_vector), 0.7), push: maybe(setting(value, 0.001, 0.05), 0.3)):
    names(ex="ex|cx|di|step_x", ey="ey|cy|dj|step_y", si="si|from_i|up_i|src_i", sj="sj|from_j|up_j|src_j", v="v|fk|pop|incoming", rho="rho|mass_n|total|density_n", mx="mx|jx|px|mom_x", my="my|jy|py|mom_y", wall="wall|solid|obstacle|is_wall", push="push|body_force|drive|pressure_drop", mom_out="mom_out|momentum|mom|node_momentum")
    i, j = wp.tid()
    rho = float(0.0)
    mx = float(0.0)
    my = float(0.0)
    if wall[i, j] == 1:
        note("nothing flows inside of walls")
        for k in range(9):
            f_new[i, j, k] = 0.0
        rho_out[i, j] = 0.0
        if present(mom_out):
            mom_out[i, j] = wp.vec2(0.0, 0.0)
        return
    for k in range(9):
        ex, ey = lattice_offset(k)
        match choose("edge"):
            case 2:
                si = (i - ex + count(cell, 0)) % count(cell, 0)
                sj = (j - ey + count(cell, 1)) % count(cell, 1)
                if wall[si, sj] == 1:
                    note("half-way bounce-back|reflected at the wall")
                    v = f[i, j, opposite_link(k)]
                else:
                    v = f[si, sj, k]
            case 1:
                note("the border of the domain is a wall, too")
                fact("the border reflects like a wall")
                si = i - ex
                sj = j - ey
                v = f[i, j, opposite_link(k)]
                if si >= 0 and sj >= 0 and si < count(cell, 0) and sj < count(cell, 1):
                    if wall[si, sj] == 0:
                        v = f[si, sj, k]
        f_new[i, j, k] = v
        rho += v
        mx += v * float(ex)
        my += v * float(ey)
    rho_out[i, j] = rho
    if present(mom_out):
        if present(push):
            mx = mx + push
        mom_out[i, j] = wp.vec2(mx, my)


@scene("stencil", "physics", "multi_conditional", cell,
       says="subtracts the pressure gradient from the velocities on the faces of a staggered grid, with walls that let nothing through",
       title="project_velocity|mac_project|subtract_pressure|apply_pressure_gradient", algorithm="pressure projection on a staggered grid", topic="")
def mac_project(u: inout(face_speed), v: inout(face_speed_v), p: each(field_value), solid: each(flag), dt: setting(time_step, 0.01, 0.05), rho: setting(density), dx: setting(cell_size), fastest: maybe(inout(positive_value, 1, range=(0.0, 0.1)), 0.4)):
    names(scale="scale|coef|k_p|dt_rho", here="here|own_solid|blocked|in_wall", left="left|wall_left|west_solid|solid_l", below="below|wall_below|south_solid|solid_b", nu="nu|new_u|u_corr|un", nv="nv|new_v|v_corr|vn", fastest="fastest|max_speed|cfl_speed|peak_speed", p="p|pressure|press|p_cell", solid="solid|is_solid|blocked_cells|cell_solid")
    i, j = wp.tid()
    scale = dt / (rho * dx)
    here = solid[i, j]
    note("the face to the left belongs to this cell|left face")
    left = int(1)
    if i > 0:
        left = solid[i - 1, j]
    if here == 1 or left == 1:
        nu = float(0.0)
    else:
        nu = u[i, j] - scale * (p[i, j] - p[i - 1, j])
    below = int(1)
    if j > 0:
        below = solid[i, j - 1]
    if here == 1 or below == 1:
        nv = float(0.0)
    else:
        nv = v[i, j] - scale * (p[i, j] - p[i, j - 1])
    u[i, j] = nu
    v[i, j] = nv
    if present(fastest):
        wp.atomic_max(fastest, 0, wp.max(wp.abs(nu), wp.abs(nv)))


@scene("stencil", "function", "control_flow", cell,
       says="updates the arrival times of a front from the smallest neighbours along each axis and never makes them later",
       title="eikonal_sweep|fast_sweeping|front_arrival|relax_travel_times", algorithm="Godunov update of the eikonal equation")
def eikonal_sweep(t: each(arrival_time), s: each(slowness), dx: setting(cell_size), source: maybe(each(flag), 0.5), block: maybe(each(flag), 0.4), t_new: out(arrival_time), moved: maybe(add(count_value, 1), 0.4), change: maybe(add(positive_value, 1), 0.3)):
    names(a="a|tx|min_x|ta", b="b|ty|min_y|tb", best="best|cand|trial|t_up", old="old|now|t_here|before", source="source|seeds_in|is_source|ignition", block="block|barrier|obstacle|closed", moved="moved|updated|num_changed|active_cells", change="change|drop_total|delta_sum|progress")
    i, j = wp.tid()
    if present(source):
        if source[i, j] == 1:
            note("the front starts here")
            t_new[i, j] = 0.0
            return
    old = t[i, j]
    if present(block):
        if block[i, j] == 1:
            note("the front never gets here")
            t_new[i, j] = old
            return
    match choose("edge"):
        case 2:
            a = wp.min(t[wp.max(i - 1, 0), j], t[wp.min(i + 1, count(cell, 0) - 1), j])
            b = wp.min(t[i, wp.max(j - 1, 0)], t[i, wp.min(j + 1, count(cell, 1) - 1)])
        case 1:
            a = float(1.0e6)
            b = float(1.0e6)
            if i > 0:
                a = wp.min(a, t[i - 1, j])
            if i < count(cell, 0) - 1:
                a = wp.min(a, t[i + 1, j])
            if j > 0:
                b = wp.min(b, t[i, j - 1])
            if j < count(cell, 1) - 1:
                b = wp.min(b, t[i, j + 1])
    best = eikonal_solve(a, b, s[i, j] * dx)
    t_new[i, j] = wp.min(old, best)
    if present(moved):
        if best < old:
            wp.atomic_add(moved, 0, 1)
    if present(change):
        wp.atomic_add(change, 0, wp.max(old - best, 0.0))


@scene("stencil", "math", "control_flow", cell,
       says="moves a level set one step towards a signed distance, with differences taken from the side the front comes from",
       title="reinitialize|redistance|signed_distance_step|restore_distance", algorithm="reinitialisation of a level set")
def reinitialize(phi: each(signed_distance), phi0: each(signed_distance), dx: setting(cell_size), cfl: setting(cfl_number), band: maybe(setting(distance, 0.8, 1.8), 0.4), phi_new: out(signed_distance), err: maybe(add(error_value, 1), 0.4), cells_in: maybe(add(count_value, 1), 0.3)):
    names(s="s|sgn|smooth_sign|sign0", a="a|dxm|left_d|back_x", b="b|dxp|right_d|fwd_x", c="c|dym|down_d|back_y", d="d|dyp|up_d|fwd_y", gx="gx|sq_x|max_x|part_x", gy="gy|sq_y|max_y|part_y", g="g|grad|slope|norm_g", band="band|narrow|tube|reach", cells_in="cells_in|active|in_band|num_band")
    i, j = wp.tid()
    if present(band):
        if wp.abs(phi0[i, j]) > band:
            note("far from the front")
            fact("cells far from the front stay as they are")
            phi_new[i, j] = phi[i, j]
            return
    if present(cells_in):
        wp.atomic_add(cells_in, 0, 1)
    s = phi0[i, j] / wp.sqrt(phi0[i, j] * phi0[i, j] + dx * dx)
    a = (phi[i, j] - phi[wp.max(i - 1, 0), j]) / dx
    b = (phi[wp.min(i + 1, count(cell, 0) - 1), j] - phi[i, j]) / dx
    c = (phi[i, j] - phi[i, wp.max(j - 1, 0)]) / dx
    d = (phi[i, wp.min(j + 1, count(cell, 1) - 1)] - phi[i, j]) / dx
    note("information comes from the front|upwind")
    if s > 0.0:
        gx = wp.max(wp.max(a, 0.0) * wp.max(a, 0.0), wp.min(b, 0.0) * wp.min(b, 0.0))
        gy = wp.max(wp.max(c, 0.0) * wp.max(c, 0.0), wp.min(d, 0.0) * wp.min(d, 0.0))
    else:
        gx = wp.max(wp.min(a, 0.0) * wp.min(a, 0.0), wp.max(b, 0.0) * wp.max(b, 0.0))
        gy = wp.max(wp.min(c, 0.0) * wp.min(c, 0.0), wp.max(d, 0.0) * wp.max(d, 0.0))
    g = wp.sqrt(gx + gy)
    phi_new[i, j] = phi[i, j] - cfl * dx * s * (g - 1.0)
    if present(err):
        wp.atomic_add(err, 0, wp.abs(g - 1.0))


@law("fields", "the slope of the double well of a mixture, the cube minus the value", title="double_well_slope|bulk_potential|dfdc", private=True, function=True)
def double_well_slope(c: order_parameter) -> order_parameter:
    return c * c * c - c


@scene("stencil", "nested_loop", "arithmetic", cell,
       says="takes one step of the separation of a mixture on a periodic grid: the Laplacian of the chemical potential, with its part of fourth order as a stencil of thirteen points",
       title="cahn_hilliard_step|cahn_hilliard|phase_separation_step", algorithm="explicit Cahn-Hilliard step")
def cahn_hilliard(c: each(order_parameter), mobility: setting(mobility), kappa: setting(interface_width), h: setting(cell_size, 0.8, 1.2), dt: setting(time_step, 0.001, 0.01), c_new: out(order_parameter), mu_out: maybe(out(potential_value), 0.5), decay: maybe(setting(ratio, 0.01, 0.1), 0.3)):
    names(c="c|phase", c_new="c_new|phase_new", mobility="mobility|mob", kappa="kappa|grad_coeff", h="h|dx", mu_out="mu_out|potential", decay="decay_rate|exchange_rate", ip="ip|i_next", im="im|i_prev", jp="jp|j_next", jm="jm|j_prev", ipp="ipp|i_next2", imm="imm|i_prev2", jpp="jpp|j_next2", jmm="jmm|j_prev2", cc="cc|c0", near="near|sum_near", diag="diag|sum_diag", far="far|sum_far", lap_f="lap_f|lap_bulk", bilap="bilap|biharmonic", h2="h2|dx2", rate="rate|dc_dt")
    i, j = wp.tid()
    ip = (i + 1) % count(cell, 0)
    im = (i + count(cell, 0) - 1) % count(cell, 0)
    jp = (j + 1) % count(cell, 1)
    jm = (j + count(cell, 1) - 1) % count(cell, 1)
    ipp = (i + 2) % count(cell, 0)
    imm = (i + count(cell, 0) - 2) % count(cell, 0)
    jpp = (j + 2) % count(cell, 1)
    jmm = (j + count(cell, 1) - 2) % count(cell, 1)
    cc = c[i, j]
    h2 = h * h
    note("bulk part: five points|Laplacian of the slope of the double well")
    lap_f = (double_well_slope(c[ip, j]) + double_well_slope(c[im, j]) + double_well_slope(c[i, jp]) + double_well_slope(c[i, jm]) - 4.0 * double_well_slope(cc)) / h2
    note("gradient part: thirteen points|biharmonic stencil")
    near = c[ip, j] + c[im, j] + c[i, jp] + c[i, jm]
    diag = c[ip, jp] + c[ip, jm] + c[im, jp] + c[im, jm]
    far = c[ipp, j] + c[imm, j] + c[i, jpp] + c[i, jmm]
    bilap = (20.0 * cc - 8.0 * near + 2.0 * diag + far) / (h2 * h2)
    rate = mobility * (lap_f - kappa * bilap)
    if present(decay):
        note("a slow exchange with the surroundings")
        rate -= decay * cc
    c_new[i, j] = cc + dt * rate
    if present(mu_out):
        note("chemical potential of the cell")
        mu_out[i, j] = double_well_slope(cc) - kappa * (near - 4.0 * cc) / h2


@scene("stencil", "vector", "function", cell,
       says="advances gas in a tube by one step of the finite-volume method with the flux of two waves at every face",
       title="euler_hll|gas_tube_step|hll_update|shock_tube", algorithm="HLL flux for the Euler equations", topic="")
def euler_hll(u: each(conserved_state), dx: setting(cell_size, 0.4, 1.0), dt: setting(time_step, 0.005, 0.03), closed: maybe(setting(flag, fixed=True), 0.5), u_new: out(conserved_state), p_out: maybe(out(pressure), 0.5)):
    names(a="a|ul|left_u|state_l", b="b|ur|right_u|state_r", va="va|vl|speed_l|u_left", ca="ca|cl|sound_l|a_left", vb="vb|vr|speed_r|u_right", cb="cb|cr|sound_r|a_right", sl="sl|slow_w|wave_l|s_minus", sr="sr|fast_w|wave_r|s_plus", f="f|flux|face_flux|fhll", net="net|balance|diff_f|rhs_u", closed="closed|reflecting|walls|solid_ends", g="g|gamma|adiabatic|ratio_g")
    names(u="u|state_in|cons_vars|q_in", u_new="u_new|state_out|cons_next|q_out")
    i = wp.tid()
    g = constant("GAMMA|HEAT_RATIO|ADIABATIC_INDEX", 1.4)
    net = wp.vec3()
    note("left face, then right face")
    for side in range(2):
        a = u[wp.max(i + side - 1, 0)]
        b = u[wp.min(i + side, count(cell) - 1)]
        if present(closed):
            if closed == 1:
                note("a mirrored state stands behind the wall|reflecting ends")
                if i + side == 0:
                    a = wp.vec3(b[0], -b[1], b[2])
                elif i + side == count(cell):
                    b = wp.vec3(a[0], -a[1], a[2])
        va, ca = gas_speeds(a, g)
        vb, cb = gas_speeds(b, g)
        sl = wp.min(va - ca, vb - cb)
        sr = wp.max(va + ca, vb + cb)
        if sl >= 0.0:
            f = gas_flux(a, g)
        elif sr <= 0.0:
            f = gas_flux(b, g)
        else:
            f = (gas_flux(a, g) * sr - gas_flux(b, g) * sl + (b - a) * (sl * sr)) / (sr - sl)
        if side == 0:
            net = net + f
        else:
            net = net - f
    note("what flows in minus what flows out|conservative update")
    u_new[i] = u[i] + net * (dt / dx)
    if present(p_out):
        p_out[i] = (g - 1.0) * (u[i][2] - 0.5 * u[i][1] * u[i][1] / u[i][0])


@scene("stencil", "physics", "control_flow", cell,
       says="lets water run from each cell of a terrain into lower neighbours through four pipes, never more than the cell holds",
       title="pipe_outflow|virtual_pipes|runoff_flux|update_outflow", algorithm="virtual pipe model of shallow water", topic="")
def pipe_outflow(zb: each(terrain_height), d: each(ponded_depth), fl: each(pipe_flux), dt: setting(time_step, 0.01, 0.05), area: setting(area, 0.2, 1.0), dx: setting(cell_size), damp: maybe(setting(ratio, 0.9, 0.999), 0.4), rain: maybe(setting(ponded_depth, 0.001, 0.05), 0.4), fl_new: out(pipe_flux), lost: maybe(add(volume, 1), 0.3)):
    names(level="level|surface|h0|head", f="f|out_f|flux|pipes_i", k="k|side|n_k|s", ni="ni|row_n|ai|qi", nj="nj|col_n|aj|qj", fall="fall|drop|dh|head_diff", total="total|out_sum|leaving|sum_f", depth="depth|stored|w_i|have", scale="scale|limit|shrink|k_lim", damp="damp|friction_f|keep|viscous", lost="lost|edge_loss|spilled|outflow_total", fl="fl|pipes|flux_in|outflow_prev", fl_new="fl_new|pipes_next|flux_out|outflow_next")
    i, j = wp.tid()
    depth = d[i, j]
    if present(rain):
        depth = depth + rain
    level = zb[i, j] + depth
    f = wp.vec4()
    total = float(0.0)
    for k in range(4):
        ni = i
        nj = j
        if k == 0:
            ni = i - 1
        elif k == 1:
            ni = i + 1
        elif k == 2:
            nj = j - 1
        else:
            nj = j + 1
        if ni < 0 or nj < 0 or ni >= count(cell, 0) or nj >= count(cell, 1):
            match choose("edge"):
                case 1:
                    note("nothing leaves the map")
                    continue
                case 1:
                    note("water falls off the edge of the map")
                    fact("water may leave the map")
                    fall = depth
        else:
            fall = level - zb[ni, nj] - d[ni, nj]
        if present(damp):
            f[k] = wp.max(damp * fl[i, j][k] + dt * area * constant("GRAVITY|G", 9.81) * fall / dx, 0.0)
        else:
            f[k] = wp.max(fl[i, j][k] + dt * area * constant("GRAVITY|G", 9.81) * fall / dx, 0.0)
        total += f[k]
    note("not more than there is|limit by the stored volume")
    scale = float(1.0)
    if total * dt > depth * dx * dx:
        scale = depth * dx * dx / (total * dt)
    fl_new[i, j] = f * scale
    if present(lost):
        if i == 0 or j == 0:
            wp.atomic_add(lost, 0, total * scale * dt)


@scene("stencil", "integer", "control_flow", cell,
       says="topples the cells of a sandpile that hold too many grains and takes in what their neighbours shed",
       title="topple_sandpile|sandpile_step|avalanche_step|shed_grains", algorithm="Abelian sandpile")
def sandpile(g: each(grain_count), drop_i: maybe(setting(index_value, 0, 9), 0.4), drop_j: maybe(setting(index_value, 0, 9), 1.0), sink: maybe(each(flag), 0.3), g_new: out(grain_count), topples: maybe(add(count_value, 1), 0.6), edge_loss: maybe(add(count_value, 1), 0.4)):
    names(n="n|grains|have|h", given="given|shed|out_n|lost_n", got="got|received|in_n|gain_n", limit="limit|critical|z_c|capacity", sink="sink|drain|hole|absorbing", edge_loss="edge_loss|fell_off|escaped|off_edge")
    i, j = wp.tid()
    limit = constant("CRITICAL|TOPPLE_AT|MAX_GRAINS", 4)
    if present(sink):
        if sink[i, j] == 1:
            note("a sink swallows everything")
            g_new[i, j] = 0
            return
    n = g[i, j]
    match choose("rule"):
        case 2:
            given = 4 * (n // limit)
        case 1:
            fact("a cell topples once per step")
            given = int(0)
            if n >= limit:
                given = limit
    got = int(0)
    match choose("rule"):
        case 2:
            if i > 0:
                got += g[i - 1, j] // limit
            if i < count(cell, 0) - 1:
                got += g[i + 1, j] // limit
            if j > 0:
                got += g[i, j - 1] // limit
            if j < count(cell, 1) - 1:
                got += g[i, j + 1] // limit
        case 1:
            for k in range(2):
                if i + 2 * k - 1 >= 0 and i + 2 * k - 1 < count(cell, 0):
                    if g[wp.clamp(i + 2 * k - 1, 0, count(cell, 0) - 1), j] >= limit:
                        got += 1
                if j + 2 * k - 1 >= 0 and j + 2 * k - 1 < count(cell, 1):
                    if g[i, wp.clamp(j + 2 * k - 1, 0, count(cell, 1) - 1)] >= limit:
                        got += 1
    n = n - given + got
    if present(drop_i) and present(drop_j):
        note("one new grain")
        if i == drop_i and j == drop_j:
            n = n + 1
    g_new[i, j] = n
    if present(topples):
        if given > 0:
            wp.atomic_add(topples, 0, 1)
    if present(edge_loss):
        if given > 0:
            if i == 0 or i == count(cell, 0) - 1:
                wp.atomic_add(edge_loss, 0, given // 4)
            if j == 0 or j == count(cell, 1) - 1:
                wp.atomic_add(edge_loss, 0, given // 4)
