"""Fields on grids: diffusion, waves, flows, reactions, automata."""


@scene("stencil", "physics", "control_flow", cell,
       says="takes one explicit step of diffusion with a source on a grid",
       title="diffuse_step|diffusion_kernel|spread_field|heat_with_source", algorithm="explicit diffusion, five-point Laplacian")
def diffusion_source(u: each(concentration), source: maybe(each(net_rate, range=(-1.0, 1.0)), 0.5), wall: maybe(each(flag), 0.3), d: setting(diffusivity), dt: setting(time_step, 0.01, 0.2), dx: setting(cell_size, 0.5, 1.0), u_out: out(concentration)):
    names(c="c|center|here|mid", lap="lap|laplacian|curv|spread", w="w|west|left|xm", e="e|east|right|xp", s="s|south|down|ym", n="n|north|up|yp", im="im|i0|il|row_below", ip="ip|i1|ir|row_above", jm="jm|j0|jl|col_left", jp="jp|j1|jr|col_right", wall="wall|obstacle|blocked|solid", source="source|src|production|inflow")
    i, j = wp.tid()
    if present(wall):
        note("nothing moves inside walls")
        fact("wall cells keep no concentration")
        if wall[i, j] == 1:
            u_out[i, j] = 0.0
            return
    match choose("border"):
        case 2:
            note("clamped neighbours: no flux through the border")
            fact("nothing flows through the border")
            im = wp.max(i - 1, 0)
            ip = wp.min(i + 1, count(cell, 0) - 1)
            jm = wp.max(j - 1, 0)
            jp = wp.min(j + 1, count(cell, 1) - 1)
        case 2:
            note("periodic grid")
            fact("the grid is periodic")
            im = (i + count(cell, 0) - 1) % count(cell, 0)
            ip = (i + 1) % count(cell, 0)
            jm = (j + count(cell, 1) - 1) % count(cell, 1)
            jp = (j + 1) % count(cell, 1)
    c = u[i, j]
    w = u[im, j]
    e = u[ip, j]
    s = u[i, jm]
    n = u[i, jp]
    lap = (w + e + s + n - 4.0 * c) / (dx * dx)
    if present(source):
        u_out[i, j] = c + dt * (d * lap + source[i, j])
    else:
        u_out[i, j] = c + dt * d * lap


@scene("stencil", "physics", "scalar_param", cell,
       says="advances the wave equation on a grid by one leapfrog step, with fixed edges",
       title="wave_step|propagate_waves|leapfrog_wave|membrane_step", algorithm="leapfrog for the wave equation")
def wave_step(u: each(wave_height), u_prev: each(wave_height), c: setting(wave_speed), dt: setting(time_step), dx: setting(cell_size), damp: maybe(setting(ratio, 0.01, 0.2), 0.4), speed_map: maybe(each(wave_speed), 0.3), u_next: out(wave_height), energy: maybe(out(energy_density), 0.3)):
    names(lap="lap|laplacian|bend|curv", k="k|courant2|r2|factor", here="here|uc|now|h0", vel="vel|rate|du_dt|speed_u", damp="damp|loss|absorption|friction_k", speed_map="speed_map|velocity_model|c_map|medium")
    i, j = wp.tid()
    if i == 0 or j == 0 or i == count(cell, 0) - 1 or j == count(cell, 1) - 1:
        note("fixed edge")
        u_next[i, j] = 0.0
        if present(energy):
            energy[i, j] = 0.0
        return
    here = u[i, j]
    lap = u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * here
    if present(speed_map):
        k = speed_map[i, j] * dt / dx
    else:
        k = c * dt / dx
    vel = here - u_prev[i, j]
    if present(damp):
        vel = vel * (1.0 - damp)
    u_next[i, j] = here + vel + k * k * lap
    if present(energy):
        energy[i, j] = 0.5 * vel * vel / (dt * dt)


@scene("stencil", "combined", "math", cell,
       says="advances the two substances of a Gray-Scott reaction by one step on a periodic grid",
       title="gray_scott|reaction_diffusion|morphogen_step|pattern_step", algorithm="Gray-Scott reaction-diffusion")
def gray_scott(u: each(substrate_level), v: each(activator_level), du: setting(ratio, 0.1, 0.2), dv: setting(ratio, 0.04, 0.1), feed: setting(feed_rate), kill: setting(kill_rate), dt: setting(ratio, 0.5, 1.0), u_out: out(substrate_level), v_out: out(activator_level)):
    names(lap_u="lap_u|diff_u|spread_u|lu", lap_v="lap_v|diff_v|spread_v|lv", uvv="uvv|react|reaction|consumed", im="im|i0|il|up_i", ip="ip|i1|ir|down_i", jm="jm|j0|jl|left_j", jp="jp|j1|jr|right_j", du="du|d_u|diffusion_u|rate_u", dv="dv|d_v|diffusion_v|rate_v")
    i, j = wp.tid()
    im = (i + count(cell, 0) - 1) % count(cell, 0)
    ip = (i + 1) % count(cell, 0)
    jm = (j + count(cell, 1) - 1) % count(cell, 1)
    jp = (j + 1) % count(cell, 1)
    match choose("lap"):
        case 2:
            lap_u = u[im, j] + u[ip, j] + u[i, jm] + u[i, jp] - 4.0 * u[i, j]
            lap_v = v[im, j] + v[ip, j] + v[i, jm] + v[i, jp] - 4.0 * v[i, j]
        case 1:
            note("nine-point Laplacian")
            lap_u = 0.2 * (u[im, j] + u[ip, j] + u[i, jm] + u[i, jp]) + 0.05 * (u[im, jm] + u[ip, jm] + u[im, jp] + u[ip, jp]) - u[i, j]
            lap_v = 0.2 * (v[im, j] + v[ip, j] + v[i, jm] + v[i, jp]) + 0.05 * (v[im, jm] + v[ip, jm] + v[im, jp] + v[ip, jp]) - v[i, j]
    match choose("react"):
        case 2:
            uvv = u[i, j] * v[i, j] * v[i, j]
            u_out[i, j] = u[i, j] + dt * (du * lap_u - uvv + feed * (1.0 - u[i, j]))
            v_out[i, j] = v[i, j] + dt * (dv * lap_v + uvv - (feed + kill) * v[i, j])
        case 1:
            u_out[i, j] = u[i, j] + dt * (du * lap_u + gray_scott_substrate(u[i, j], v[i, j], feed))
            v_out[i, j] = v[i, j] + dt * (dv * lap_v + gray_scott_activator(u[i, j], v[i, j], feed, kill))


@scene("stencil", "function", "multi_conditional", cell,
       says="transports a quantity along a line of cells by a limited second-order upwind scheme",
       title="advect_line|muscl_step|limited_advection|transport_step", algorithm="MUSCL advection with a slope limiter")
def muscl_advection(q: each(field_value), u: setting(face_velocity, 0.3, 1.5), dt: setting(time_step, 0.01, 0.05), dx: setting(cell_size, 0.3, 1.0), q_out: out(field_value), flux_out: maybe(out(advective_flux), 0.4)):
    names(n="n|size|last|cells", sl="sl|slope_up|s0|slope_l", sr="sr|slope_here|s1|slope_r", f_in="f_in|flux_left|fl|inflow", f_out="f_out|flux_right|fr|outflow", nu="nu|cfl|courant|c")
    i = wp.tid()
    n = count(cell)
    if i < 2 or i >= n - 1:
        note("too near the ends for the stencil")
        q_out[i] = q[i]
        if present(flux_out):
            flux_out[i] = 0.0
        return
    match choose("limiter"):
        case 2:
            sl = minmod_slope(q[i - 1] - q[i - 2], q[i] - q[i - 1])
            sr = minmod_slope(q[i] - q[i - 1], q[i + 1] - q[i])
        case 1:
            sl = van_leer_slope(q[i - 1] - q[i - 2], q[i] - q[i - 1])
            sr = van_leer_slope(q[i] - q[i - 1], q[i + 1] - q[i])
        case 1:
            sl = monotonized_central_slope(q[i - 1] - q[i - 2], q[i] - q[i - 1])
            sr = monotonized_central_slope(q[i] - q[i - 1], q[i + 1] - q[i])
    nu = u * dt / dx
    f_in = u * (q[i - 1] + 0.5 * (1.0 - nu) * sl)
    f_out = u * (q[i] + 0.5 * (1.0 - nu) * sr)
    q_out[i] = q[i] - dt / dx * (f_out - f_in)
    if present(flux_out):
        flux_out[i] = f_out


@scene("stencil", "vector", "nested_loop", cell,
       says="traces each cell of a grid back along the velocity and takes the value found there by bilinear interpolation",
       title="advect|semi_lagrangian|backtrace|advect_field", algorithm="semi-Lagrangian advection")
def semi_lagrangian(q: each(field_value), vel: each(vector2), dt: setting(time_step, 0.1, 0.6), keep: maybe(setting(ratio, 0.9, 0.99), 0.4), q_out: out(field_value)):
    names(x="x|px|src_x|back_x", y="y|py|src_y|back_y", i0="i0|ix|cell_x|lo_i", j0="j0|iy|cell_y|lo_j", fx="fx|tx|wx|frac_x", fy="fy|ty|wy|frac_y", v="v|u|wind|flow", value="value|mixed|sample|found")
    i, j = wp.tid()
    v = vel[i, j]
    note("where did this come from?|trace back")
    x = wp.clamp(float(i) - v[0] * dt, 0.0, float(count(cell, 0) - 1))
    y = wp.clamp(float(j) - v[1] * dt, 0.0, float(count(cell, 1) - 1))
    i0 = wp.min(int(wp.floor(x)), count(cell, 0) - 2)
    j0 = wp.min(int(wp.floor(y)), count(cell, 1) - 2)
    fx = x - float(i0)
    fy = y - float(j0)
    match choose("form"):
        case 1:
            value = bilinear_blend(q[i0, j0], q[i0 + 1, j0], q[i0, j0 + 1], q[i0 + 1, j0 + 1], fx, fy)
        case 1:
            value = wp.lerp(wp.lerp(q[i0, j0], q[i0 + 1, j0], fx), wp.lerp(q[i0, j0 + 1], q[i0 + 1, j0 + 1], fx), fy)
    if present(keep):
        note("slow fading")
        value = value * keep
    q_out[i, j] = value


@scene("stencil", "control_flow", "physics", cell,
       says="makes one Jacobi iteration of the pressure equation from the divergence of a flow",
       title="jacobi_pressure|pressure_iteration|poisson_step|relax_pressure", algorithm="Jacobi iteration for Poisson's equation")
def jacobi_pressure(p: each(pressure), div: each(field_value), dx: setting(cell_size), solid: maybe(each(flag), 0.5), omega: maybe(setting(ratio, 0.5, 0.95), 0.4), p_out: out(pressure), change: maybe(add(error_value, 1), 0.3)):
    names(left="left|pl|west|p_w", right="right|pr|east|p_e", low="low|pb|south|p_s", high="high|pt|north|p_n", fresh="fresh|p_new|relaxed|next_p", solid="solid|obstacle|boundary|blocked", omega="omega|relaxation|damping_w|mix")
    i, j = wp.tid()
    if present(solid):
        if solid[i, j] != 0:
            p_out[i, j] = 0.0
            return
    left = p[wp.max(i - 1, 0), j]
    right = p[wp.min(i + 1, count(cell, 0) - 1), j]
    low = p[i, wp.max(j - 1, 0)]
    high = p[i, wp.min(j + 1, count(cell, 1) - 1)]
    if present(solid):
        if maybe(0.5):
            note("a wall has the pressure of the fluid before it")
            if solid[wp.max(i - 1, 0), j] == 1:
                left = p[i, j]
            if solid[wp.min(i + 1, count(cell, 0) - 1), j] == 1:
                right = p[i, j]
    fresh = 0.25 * (left + right + low + high - dx * dx * div[i, j])
    if present(omega):
        fresh = wp.lerp(p[i, j], fresh, omega)
    p_out[i, j] = fresh
    if present(change):
        wp.atomic_add(change, 0, wp.abs(fresh - p[i, j]))


@scene("stencil", "vector", "physics", cell,
       says="computes divergence and vorticity of a flow on a grid by central differences",
       title="flow_derivatives|divergence_curl|vorticity|measure_flow", algorithm="central differences for divergence and curl")
def flow_derivatives(vel: each(vector2), dx: setting(cell_size), div: out(field_value), curl: maybe(out(field_value), 0.7), strain_out: maybe(out(positive_value), 0.4)):
    names(l="l|west|vl|left", r="r|east|vr|right", b="b|south|vb|below", t="t|north|vt|above", scale="scale|inv|half_inv|k", dudx="dudx|ux|du_dx|gxx", dvdy="dvdy|vy|dv_dy|gyy", dudy="dudy|uy|du_dy|gxy", dvdx="dvdx|vx|dv_dx|gyx")
    i, j = wp.tid()
    l = vel[wp.max(i - 1, 0), j]
    r = vel[wp.min(i + 1, count(cell, 0) - 1), j]
    b = vel[i, wp.max(j - 1, 0)]
    t = vel[i, wp.min(j + 1, count(cell, 1) - 1)]
    scale = 0.5 / dx
    match choose("form"):
        case 1:
            div[i, j] = scale * (r[0] - l[0] + t[1] - b[1])
            if present(curl):
                curl[i, j] = scale * (r[1] - l[1] - t[0] + b[0])
            if present(strain_out):
                strain_out[i, j] = scale * wp.sqrt((r[0] - l[0]) * (r[0] - l[0]) + (t[1] - b[1]) * (t[1] - b[1]))
        case 1:
            dudx = (r[0] - l[0]) * scale
            dvdy = (t[1] - b[1]) * scale
            div[i, j] = dudx + dvdy
            if present(curl):
                dvdx = (r[1] - l[1]) * scale
                dudy = (t[0] - b[0]) * scale
                curl[i, j] = dvdx - dudy
            if present(strain_out):
                strain_out[i, j] = wp.sqrt(dudx * dudx + dvdy * dvdy)


@scene("stencil", "multi_conditional", "random", cell,
       says="advances a forest fire on a grid: burning trees burn down, fire jumps to neighbours, new trees grow",
       title="forest_fire|fire_step|wildfire|burn", algorithm="forest-fire cellular automaton")
def forest_fire(cover: kind(EMPTY, TREE, BURNING), grow: setting(probability, 0.02, 0.2), strike: setting(probability, 0.005, 0.05), seed: setting(seed), next_cover: out(kind_value), burnt: maybe(add(count_value, 1), 0.5)):
    names(state="state|rng|rand|gen", hot="hot|fires|burning_near|lit", c="c|here|cover_now|what", cover="cover|land|vegetation|cells", grow="grow|p_grow|regrowth|sprout", strike="strike|p_lightning|ignition|spark")
    i, j = wp.tid()
    state = wp.rand_init(seed, i * count(cell, 1) + j)
    c = cover[i, j]
    if c == BURNING:
        note("burnt down")
        next_cover[i, j] = EMPTY
        if present(burnt):
            wp.atomic_add(burnt, 0, 1)
        return
    if c == EMPTY:
        next_cover[i, j] = EMPTY
        if wp.randf(state) < grow:
            next_cover[i, j] = TREE
        return
    hot = int(0)
    if i > 0:
        if cover[i - 1, j] == BURNING:
            hot += 1
    if i < count(cell, 0) - 1:
        if cover[i + 1, j] == BURNING:
            hot += 1
    if j > 0:
        if cover[i, j - 1] == BURNING:
            hot += 1
    if j < count(cell, 1) - 1:
        if cover[i, j + 1] == BURNING:
            hot += 1
    if hot > 0 or wp.randf(state) < strike:
        next_cover[i, j] = BURNING
    else:
        next_cover[i, j] = TREE


@scene("stencil", "physics", "struct", cell,
       says="advances shallow water in a channel by one Lax-Friedrichs step with reflecting ends",
       title="shallow_water|swe_step|flood_step|channel_wave", algorithm="Lax-Friedrichs for the shallow water equations")
def shallow_water(h: each(water_depth, range=(0.5, 3.0)), hu: each(volume_flow, range=(-1.0, 1.0)), g: setting(gravity), dt: setting(time_step, 0.001, 0.01), dx: setting(cell_size), h_out: out(water_depth), hu_out: out(volume_flow), top_speed: maybe(out(speed), 0.4)):
    names(l="l|il|west|left", r="r|ir|east|right", hl="hl|h_left|depth_l|h0", hr="hr|h_right|depth_r|h1", ql="ql|q_left|mom_l|q0", qr="qr|q_right|mom_r|q1", fl="fl|f_left|flux_l|f0", fr="fr|f_right|flux_r|f1", k="k|lam|half_cfl|ratio")
    i = wp.tid()
    l = wp.max(i - 1, 0)
    r = wp.min(i + 1, count(cell) - 1)
    hl = h[l]
    hr = h[r]
    ql = hu[l]
    qr = hu[r]
    note("the flow turns back at closed ends")
    if i == 0:
        ql = -hu[0]
    if i == count(cell) - 1:
        qr = -hu[i]
    k = dt / (2.0 * dx)
    fl = ql * ql / hl + 0.5 * g * hl * hl
    fr = qr * qr / hr + 0.5 * g * hr * hr
    h_out[i] = 0.5 * (hl + hr) - k * (qr - ql)
    hu_out[i] = 0.5 * (ql + qr) - k * (fr - fl)
    if present(top_speed):
        top_speed[i] = wp.abs(hu[i] / h[i]) + shallow_wave_speed(g, h[i])


@scene("stencil", "physics", "vector", cell,
       says="updates the magnetic field of a two-dimensional electromagnetic wave from the curl of the electric field",
       title="update_h|fdtd_magnetic|yee_h_step|advance_magnetic", algorithm="Yee scheme, magnetic half step")
def fdtd_h(ez: each(field_value), hx: inout(field_value), hy: inout(field_value), dt: setting(time_step), dx: setting(cell_size), mu: maybe(setting(magnetic_permeability), 0.6), sigma: maybe(each(ratio, range=(0.0, 0.5)), 0.4)):
    names(k="k|coef|factor|s", loss="loss|damp|keep|pml", sigma="sigma|absorber|sponge|pml_profile", here="e_here|e0|e_own|ez_ij", ez="ez|e_z|electric|e_field", hx="hx|h_x|bx|mag_x", hy="hy|h_y|by|mag_y")
    i, j = wp.tid()
    if present(mu):
        k = dt / (mu * dx)
    else:
        k = dt / dx
    here = ez[i, j]
    if present(sigma):
        note("absorbing layer")
        loss = 1.0 - sigma[i, j]
    if j < count(cell, 1) - 1:
        if present(sigma):
            hx[i, j] = loss * (hx[i, j] - k * (ez[i, j + 1] - here))
        else:
            hx[i, j] = hx[i, j] - k * (ez[i, j + 1] - here)
    if i < count(cell, 0) - 1:
        if present(sigma):
            hy[i, j] = loss * (hy[i, j] + k * (ez[i + 1, j] - here))
        else:
            hy[i, j] = hy[i, j] + k * (ez[i + 1, j] - here)


@scene("stencil", "nested_loop", "physics", cell,
       says="relaxes the nine populations of a lattice Boltzmann cell towards their equilibrium",
       title="lbm_collide|bgk_collide|lattice_collision|relax_populations", algorithm="BGK collision", lossy=True)
def lbm_collide(f: inout(lattice_population, cell, 9), cx: each(axis_value, 9, range=(-1.0, 1.0)), cy: each(axis_value, 9, range=(-1.0, 1.0)), w: each(lattice_weight, 9), tau: setting(relaxation_time), rho_out: maybe(out(lattice_density), 0.6), force: maybe(setting(axis_value, -0.01, 0.01), 0.3)):
    names(rho="rho|density|mass|m0", ux="ux|vel_x|u|jx", uy="uy|vel_y|v|jy", cu="cu|proj|edotu|c_dot_u", feq="feq|equilibrium|f_eq|target", uu="uu|usq|speed2|u_sq", cx="cx|ex|dir_x|cxs", cy="cy|ey|dir_y|cys", w="w|weights|wq|t_q")
    i = wp.tid()
    rho = float(0.0)
    ux = float(0.0)
    uy = float(0.0)
    note("moments|density and momentum")
    for q in range(9):
        rho += f[i, q]
        ux += f[i, q] * cx[q]
        uy += f[i, q] * cy[q]
    ux = ux / rho
    uy = uy / rho
    if present(force):
        ux += force
    uu = ux * ux + uy * uy
    for q in range(9):
        cu = cx[q] * ux + cy[q] * uy
        feq = w[q] * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu)
        f[i, q] = either(f[i, q] - (f[i, q] - feq) / tau, bgk_collision(f[i, q], feq, tau))
    if present(rho_out):
        rho_out[i] = rho


@scene("stencil", "control_flow", "nested_loop", cell,
       says="sweeps the cells of one colour of a checkerboard with successive over-relaxation",
       title="red_black_sor|sor_sweep|gauss_seidel_color|relax_color", algorithm="red-black SOR")
def red_black_sor(u: inout(field_value), b: each(field_value), omega: setting(positive_value, 1.1, 1.8), dx: setting(cell_size), color: setting(flag), fixed: maybe(each(flag), 0.4), res: maybe(out(error_value), 0.5)):
    names(r="r|defect|resid|err", sum4="sum4|around|nb_sum|star", color="color|parity|red|phase_c", omega="omega|relax|w|over", fixed="fixed|dirichlet|pinned|known")
    i, j = wp.tid()
    if i == 0 or j == 0 or i == count(cell, 0) - 1 or j == count(cell, 1) - 1:
        return
    if (i + j) % 2 != color:
        note("the other colour's turn")
        return
    if present(fixed):
        if fixed[i, j] == 1:
            return
    sum4 = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
    r = 0.25 * (sum4 - dx * dx * b[i, j]) - u[i, j]
    u[i, j] = u[i, j] + omega * r
    if present(res):
        res[i, j] = r


@scene("stencil", "nested_loop", "reduction", cell,
       says="smooths a volume with a weighted average over the neighbours of each voxel",
       title="smooth_volume|filter_voxels|blur_volume|average_neighbors", algorithm="weighted 27-point smoothing")
def smooth_volume(v: each(intensity), radius_w: setting(ratio, 0.2, 0.9), mask: maybe(each(flag), 0.3), v_out: out(intensity), rough: maybe(out(variance), 0.4)):
    names(total="total|acc|sum_w|weighted", norm="norm|weights|denom|mass_w", w="w|weight|k|coeff", x="x|a|ii|p", y="y|b|jj|q", z="z|c|kk|r", sq="sq|sum_sq|acc2|second", radius_w="falloff|decay|neighbor_weight|weight_ratio", mask="mask|inside|valid|region")
    i, j, k = wp.tid()
    if present(mask):
        if mask[i, j, k] == 0:
            v_out[i, j, k] = v[i, j, k]
            if present(rough):
                rough[i, j, k] = 0.0
            return
    total = float(0.0)
    norm = float(0.0)
    if present(rough):
        sq = float(0.0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            for dk in range(-1, 2):
                x = i + di
                y = j + dj
                z = k + dk
                if x < 0 or y < 0 or z < 0 or x >= count(cell, 0) or y >= count(cell, 1) or z >= count(cell, 2):
                    continue
                w = wp.pow(radius_w, float(wp.abs(di) + wp.abs(dj) + wp.abs(dk)))
                total += w * v[x, y, z]
                norm += w
                if present(rough):
                    sq += w * v[x, y, z] * v[x, y, z]
    v_out[i, j, k] = total / norm
    if present(rough):
        rough[i, j, k] = wp.max(sq / norm - (total / norm) * (total / norm), 0.0)


@scene("stencil", "geometry", "vector", cell,
       says="moves a level set along its normal by one upwind step of Godunov's scheme",
       title="level_set_step|evolve_front|advance_interface|propagate_front", algorithm="Godunov upwind for level sets")
def level_set(phi: each(signed_distance), speed: each(axis_value, range=(-1.0, 1.0)), dt: setting(time_step), dx: setting(cell_size), phi_out: out(signed_distance), band: maybe(setting(distance, 0.5, 1.5), 0.4)):
    names(dxm="dxm|back_x|dm_x|ax", dxp="dxp|fwd_x|dp_x|bx", dym="dym|back_y|dm_y|ay", dyp="dyp|fwd_y|dp_y|by", c="c|here|phi_c|d0", g2="g2|grad_sq|sum_sq|norm2", f="f|vel|rate|front_speed", band="band|narrow_band|width|reach")
    i, j = wp.tid()
    c = phi[i, j]
    if present(band):
        note("only the narrow band moves")
        if wp.abs(c) > band:
            phi_out[i, j] = c
            return
    dxm = (c - phi[wp.max(i - 1, 0), j]) / dx
    dxp = (phi[wp.min(i + 1, count(cell, 0) - 1), j] - c) / dx
    dym = (c - phi[i, wp.max(j - 1, 0)]) / dx
    dyp = (phi[i, wp.min(j + 1, count(cell, 1) - 1)] - c) / dx
    f = speed[i, j]
    g2 = float(0.0)
    if f > 0.0:
        g2 = wp.max(dxm, 0.0) * wp.max(dxm, 0.0) + wp.min(dxp, 0.0) * wp.min(dxp, 0.0)
        g2 += wp.max(dym, 0.0) * wp.max(dym, 0.0) + wp.min(dyp, 0.0) * wp.min(dyp, 0.0)
    else:
        note("the front comes from the other side")
        g2 = wp.min(dxm, 0.0) * wp.min(dxm, 0.0) + wp.max(dxp, 0.0) * wp.max(dxp, 0.0)
        g2 += wp.min(dym, 0.0) * wp.min(dym, 0.0) + wp.max(dyp, 0.0) * wp.max(dyp, 0.0)
    phi_out[i, j] = c - dt * f * wp.sqrt(g2)
