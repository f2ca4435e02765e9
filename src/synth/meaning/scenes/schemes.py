"""Finite differences on periodic grids: flows by their vorticity, waves, fronts, excitable tissue, fields of vectors."""


@scene("physics", "stencil", "function", cell,
       says="advances the vorticity of a flow in the plane by one step: carried by the velocity of the stream function, and diffused",
       title="vorticity_step|advance_vorticity|vortex_flow|flow_2d_step", algorithm="vorticity and stream function, explicit Euler", topic="")
def vorticity_step(om: each(plane_vorticity), psi: each(stream_value), h: setting(cell_size, 0.5, 1.0), nu: setting(diffusivity, 0.01, 0.1), dt: setting(time_step, 0.005, 0.03), force: maybe(each(field_value, range=(-0.5, 0.5)), 0.4), drag: maybe(setting(reaction_rate, 0.05, 0.3), 0.4), om_out: out(plane_vorticity), uv_out: maybe(out(flow_component), 0.5), energy_sum: maybe(add(energy, 1), 0.5)):
    names(om="om|vort|omega|w_in", psi="psi|stream|sf|psi_in", ip="ip|east|e|i_next", im="im|west|w|i_prev", jp="jp|north|n|j_next", jm="jm|south|s|j_prev", inv="inv|inv_h|inv_dx|rh", u="u|vel_x|uu|speed_u", v="v|vel_y|vv|speed_v", adv="adv|carry|transport|convec", diff="diff|lap|visc|spread", rate="rate|domega|rhs|w_dot", nu="nu|viscosity_k|nu_k|kin_visc", drag="drag|friction_r|bottom_drag|ekman")
    i, j = wp.tid()
    ip = ring_next(i, count(cell, 0))
    im = ring_prev(i, count(cell, 0))
    jp = ring_next(j, count(cell, 1))
    jm = ring_prev(j, count(cell, 1))
    inv = 1.0 / h
    note("the velocity is the turned gradient of the stream function|u = dpsi/dy, v = -dpsi/dx")
    u = (psi[i, jp] - psi[i, jm]) * (0.5 * inv)
    v = -(psi[ip, j] - psi[im, j]) * (0.5 * inv)
    match choose("form"):
        case 2:
            adv = u * (om[ip, j] - om[im, j]) * (0.5 * inv) + v * (om[i, jp] - om[i, jm]) * (0.5 * inv)
        case 1:
            note("against the flow|upwind differences")
            fact("the transport is upwind")
            adv = wp.max(u, 0.0) * (om[i, j] - om[im, j]) * inv + wp.min(u, 0.0) * (om[ip, j] - om[i, j]) * inv
            adv = adv + wp.max(v, 0.0) * (om[i, j] - om[i, jm]) * inv + wp.min(v, 0.0) * (om[i, jp] - om[i, j]) * inv
    diff = (om[ip, j] + om[im, j] + om[i, jp] + om[i, jm] - 4.0 * om[i, j]) * (inv * inv)
    rate = nu * diff - adv
    if present(force):
        rate = rate + force[i, j]
    if present(drag):
        rate = rate - drag * om[i, j]
    om_out[i, j] = om[i, j] + dt * rate
    if present(uv_out):
        uv_out[i, j] = wp.vec2(u, v)
    if present(energy_sum):
        wp.atomic_add(energy_sum, 0, 0.5 * (u * u + v * v) * h * h)


@scene("physics", "stencil", "arithmetic", cell,
       says="computes how fast a tracer changes that is carried by a flow, with central differences of fourth order",
       title="tracer_rate|fourth_order_transport|advect_fourth_order|tracer_tendency", algorithm="central differences of fourth order", topic="")
def tracer_rate(c: each(tracer_amount), uv: each(flow_component), h: setting(cell_size, 0.4, 1.0), kappa: maybe(setting(diffusivity, 0.02, 0.2), 0.6), decay: maybe(setting(reaction_rate, 0.05, 0.5), 0.4), mask: maybe(each(flag), 0.3), rate_out: out(field_value), slope_out: maybe(out(plane_gradient), 0.5)):
    names(c="c|tracer|dye|phi", uv="uv|flow|wind|vel", i1="i1|e1|ip|right", i2="i2|e2|ipp|right2", i3="i3|w1|im|left", i4="i4|w2|imm|left2", j1="j1|n1|jp|up", j2="j2|n2|jpp|up2", j3="j3|s1|jm|down", j4="j4|s2|jmm|down2", cx="cx|dcdx|grad_x|gx", cy="cy|dcdy|grad_y|gy", total="total|tend|rate|dcdt", kappa="kappa|mixing|diff_k|eddy_k", inv="inv|inv_h|rdx|inv_dx", lap="lap|curv|second|bend")
    i, j = wp.tid()
    if present(mask):
        if mask[i, j] == 0:
            return
    i1 = (i + 1) % count(cell, 0)
    i2 = (i + 2) % count(cell, 0)
    i3 = (i + count(cell, 0) - 1) % count(cell, 0)
    i4 = (i + count(cell, 0) - 2) % count(cell, 0)
    j1 = (j + 1) % count(cell, 1)
    j2 = (j + 2) % count(cell, 1)
    j3 = (j + count(cell, 1) - 1) % count(cell, 1)
    j4 = (j + count(cell, 1) - 2) % count(cell, 1)
    inv = 1.0 / h
    cx = (-c[i2, j] + 8.0 * c[i1, j] - 8.0 * c[i3, j] + c[i4, j]) * (inv / 12.0)
    cy = (-c[i, j2] + 8.0 * c[i, j1] - 8.0 * c[i, j3] + c[i, j4]) * (inv / 12.0)
    total = -(uv[i, j][0] * cx + uv[i, j][1] * cy)
    if present(kappa):
        match choose("mix"):
            case 1:
                lap = (-c[i2, j] + 16.0 * c[i1, j] - 30.0 * c[i, j] + 16.0 * c[i3, j] - c[i4, j]) * (inv * inv / 12.0)
                lap = lap + (-c[i, j2] + 16.0 * c[i, j1] - 30.0 * c[i, j] + 16.0 * c[i, j3] - c[i, j4]) * (inv * inv / 12.0)
                total = total + kappa * lap
            case 1:
                note("nine points, so that no direction is favoured|isotropic Laplacian")
                lap = (4.0 * (c[i1, j] + c[i3, j] + c[i, j1] + c[i, j3]) + c[i1, j1] + c[i1, j3] + c[i3, j1] + c[i3, j3] - 20.0 * c[i, j]) * (inv * inv / 6.0)
                total = total + kappa * lap
    if present(decay):
        total = total - decay * c[i, j]
    rate_out[i, j] = total
    if present(slope_out):
        slope_out[i, j] = wp.vec2(cx, cy)


@scene("physics", "stencil", "math", cell,
       says="advances a wave function on a grid by half a step of the leapfrog scheme: the {part=0:real part by the energy operator of the imaginary one}{part=1:imaginary part by the energy operator of the real one}",
       title="wave_function_step|schroedinger_leapfrog|quantum_step|psi_step", algorithm="leapfrog of Schroedinger's equation", topic="")
def wave_function_step(re: each(real_amplitude), im: each(imaginary_amplitude), well: maybe(each(trap_potential), 0.6), h: setting(cell_size, 0.5, 1.0), dt: setting(time_step, 0.01, 0.05), g: maybe(setting(gain, 0.2, 1.0), 0.4), re_out: out(real_amplitude), density_out: maybe(out(probability_density), 0.6), norm: maybe(add(probability, 1), 0.5), sponge: maybe(setting(ratio, 0.9, 0.99), 0.3)):
    names(re="re|psi_re|real_in|a_re", im="im|psi_im|imag_in|a_im", well="well|v_ext|trap|pot", e="e|ip|right|east", w="w|im1|left|west", n="n|jp|up|north", s="s|jm|down|south", lap="lap|curv|second|del2", h_psi="h_psi|energy_op|h_part|op", dens="dens|rho|prob|amp2", g="g|interaction|nonlinear|g_int", sponge="sponge|absorb|edge_damp|border_loss", val="val|new_v|next_v|upd")
    i, j = wp.tid()
    e = ring_next(i, count(cell, 0))
    w = ring_prev(i, count(cell, 0))
    n = ring_next(j, count(cell, 1))
    s = ring_prev(j, count(cell, 1))
    dens = re[i, j] * re[i, j] + im[i, j] * im[i, j]
    match choose("part"):
        case 1:
            lap = (im[e, j] + im[w, j] + im[i, n] + im[i, s] - 4.0 * im[i, j]) / (h * h)
            h_psi = -0.5 * lap
            if present(well):
                h_psi += well[i, j] * im[i, j]
            if present(g):
                note("particles that repel each other|mean field")
                h_psi += g * dens * im[i, j]
            val = re[i, j] + dt * h_psi
        case 1:
            lap = (re[e, j] + re[w, j] + re[i, n] + re[i, s] - 4.0 * re[i, j]) / (h * h)
            h_psi = -0.5 * lap
            if present(well):
                h_psi += well[i, j] * re[i, j]
            if present(g):
                h_psi += g * dens * re[i, j]
            val = im[i, j] - dt * h_psi
    if present(sponge):
        if i == 0 or j == 0 or i == count(cell, 0) - 1 or j == count(cell, 1) - 1:
            note("absorbed at the border|nothing comes back")
            fact("the border absorbs")
            val *= sponge
    re_out[i, j] = val
    if present(density_out):
        density_out[i, j] = dens
    if present(norm):
        wp.atomic_add(norm, 0, dens * h * h)


@law("waves", "the product of a complex number and one plus a multiple of the imaginary unit", title="multiply_1_plus_i|mul_one_plus_ib", private=True, function=True)
def times_one_plus(z: spectrum_value, b: coefficient) -> spectrum_value:
    return wp.vec2(z[0] - b * z[1], z[1] + b * z[0])


@scene("physics", "stencil", "vector", cell,
       says="advances the amplitude of an oscillating medium by the complex Ginzburg-Landau equation on a periodic grid{phase_out:, and gives its phase}",
       title="ginzburg_landau_step|complex_ginzburg_landau|cgle_step", algorithm="complex Ginzburg-Landau equation, explicit Euler", topic="")
def ginzburg_landau(a: each(spectrum_value, range=(-0.8, 0.8)), h: setting(cell_size, 0.7, 1.2, fixed=True), b: setting(coefficient, -1.5, 1.5, fixed=True), c: setting(coefficient, -1.5, 1.5, fixed=True), dt: setting(time_step, 0.01, 0.05), pinned: maybe(each(flag), 0.3), a_out: out(spectrum_value), phase_out: maybe(out(angle), 0.6)):
    names(a="a|amplitude", lap="lap|laplacian", z="z|z", m2="mod2|abs2", rate="dz_dt|rate", b="b|linear_dispersion", c="c|nonlinear_dispersion", nxt="z_new|z_next", pinned="pinned|fixed_mask", h="h|dx", ip="ip|i_next", im="im|i_prev", jp="jp|j_next", jm="jm|j_prev", a_out="a_out|amplitude_out", phase_out="phase|phase_out")
    i, j = wp.tid()
    z = a[i, j]
    if present(pinned):
        if pinned[i, j] == 1:
            note("pinned cells do not oscillate|pinned")
            fact("pinned cells stay as they are")
            a_out[i, j] = z
            if present(phase_out):
                phase_out[i, j] = wp.atan2(z[1], z[0])
            return
    ip = ring_next(i, count(cell, 0))
    im = ring_prev(i, count(cell, 0))
    jp = ring_next(j, count(cell, 1))
    jm = ring_prev(j, count(cell, 1))
    lap = (a[ip, j] + a[im, j] + a[i, jp] + a[i, jm] - 4.0 * z) / (h * h)
    m2 = wp.dot(z, z)
    note("complex numbers as pairs|growth, coupling and saturation")
    rate = z + times_one_plus(lap, b) - times_one_plus(z, c) * m2
    nxt = z + rate * dt
    a_out[i, j] = nxt
    if present(phase_out):
        phase_out[i, j] = wp.atan2(nxt[1], nxt[0])


@scene("physics", "stencil", "function", cell,
       says="advances a flame front by the equation of Kuramoto and Sivashinsky: it sharpens on long scales, is smoothed on short ones, and moves by its slope",
       title="flame_front_step|kuramoto_sivashinsky|front_step|wrinkled_front", algorithm="Kuramoto-Sivashinsky equation, explicit Euler", topic="")
def flame_front_step(u: each(flame_front), h: setting(cell_size, 0.9, 1.4), dt: setting(time_step, 0.005, 0.02), speed: maybe(setting(gain, 0.5, 1.5), 0.4), damp: maybe(setting(ratio, 0.05, 0.3), 0.4), u_out: out(flame_front), slope_out: maybe(out(field_value), 0.5), high: maybe(add(flame_front, 1, range=(0.0, 0.0)), 0.4)):
    names(u="u|front|height_f|flame", ip="ip|e|i_up|ia", im="im|w|i_dn|ib", jp="jp|n|j_up|ja", jm="jm|s|j_dn|jb", ipp="ipp|ee|i_up2|iaa", imm="imm|ww|i_dn2|ibb", jpp="jpp|nn|j_up2|jaa", jmm="jmm|ss|j_dn2|jbb", lap="lap|del2|curv|second", bih="bih|del4|fourth|stiff", gx="gx|slope_x|ux|dudx", gy="gy|slope_y|uy|dudy", steep="steep|grad2|slope2|g2", rate="rate|rhs|u_dot|dudt", damp="damp|linear_damp|restoring|alpha_d", inv="inv|inv_h|rh|inv_dx")
    i, j = wp.tid()
    ip = ring_next(i, count(cell, 0))
    im = ring_prev(i, count(cell, 0))
    jp = ring_next(j, count(cell, 1))
    jm = ring_prev(j, count(cell, 1))
    ipp = ring_next(ip, count(cell, 0))
    imm = ring_prev(im, count(cell, 0))
    jpp = ring_next(jp, count(cell, 1))
    jmm = ring_prev(jm, count(cell, 1))
    inv = 1.0 / h
    gx = (u[ip, j] - u[im, j]) * (0.5 * inv)
    gy = (u[i, jp] - u[i, jm]) * (0.5 * inv)
    lap = (u[ip, j] + u[im, j] + u[i, jp] + u[i, jm] - 4.0 * u[i, j]) * (inv * inv)
    note("the Laplacian of the Laplacian, on thirteen points|biharmonic stencil")
    bih = 20.0 * u[i, j] - 8.0 * (u[ip, j] + u[im, j] + u[i, jp] + u[i, jm])
    bih = bih + 2.0 * (u[ip, jp] + u[ip, jm] + u[im, jp] + u[im, jm]) + u[ipp, j] + u[imm, j] + u[i, jpp] + u[i, jmm]
    bih = bih * (inv * inv * inv * inv)
    steep = gx * gx + gy * gy
    if present(speed):
        rate = -lap - bih - 0.5 * speed * steep
    else:
        rate = -lap - bih - 0.5 * steep
    if present(damp):
        note("keeps the front near its mean|linear damping")
        rate = rate - damp * u[i, j]
    u_out[i, j] = u[i, j] + dt * rate
    if present(slope_out):
        slope_out[i, j] = wp.sqrt(steep)
    if present(high):
        wp.atomic_max(high, 0, u[i, j] + dt * rate)


@scene("physics", "stencil", "scalar_param", cell,
       says="advances excitable tissue by one step of the equations of FitzHugh and Nagumo: fast excitation that spreads, slow recovery",
       title="tissue_step|excitable_tissue|fitzhugh_nagumo_2d|heart_tissue", algorithm="FitzHugh-Nagumo tissue, explicit Euler", topic="")
def tissue_step(v: each(tissue_voltage), w: each(tissue_recovery), a: setting(recovery_offset, 0.05, 0.2), eps: setting(ratio, 0.01, 0.08), diff: setting(diffusivity, 0.05, 0.2), h: setting(cell_size, 0.5, 1.0), dt: setting(time_step, 0.01, 0.05), stim: maybe(each(flag), 0.4), scar: maybe(each(flag), 0.3), v_out: out(tissue_voltage), w_out: out(tissue_recovery), fired: maybe(add(count_value, 1), 0.5)):
    names(v="v|volt|excite|u_in", w="w|recover|gate|w_in", a="a|threshold_a|exc_thr|a_par", eps="eps|slowness_e|time_ratio|rate_w", diff="diff|spread|conduct|d_coef", lap="lap|flow_in|gain_l|sum_n", f="f|cubic|reaction|kinetics", v1="v1|v_new|next_v|vn", w1="w1|w_new|next_w|wn", stim="stim|paced|electrode|pulse_on", scar="scar|dead_cells|fibrosis|blocked", i0="i0|up|im|rows_a", i1="i1|dn|ip|rows_b", j0="j0|lf|jm|cols_a", j1="j1|rt|jp|cols_b", c="c|vc|center_v|here")
    i, j = wp.tid()
    c = v[i, j]
    if present(scar):
        if scar[i, j] == 1:
            note("scars do not conduct|dead tissue")
            v_out[i, j] = 0.0
            w_out[i, j] = w[i, j]
            return
    note("no flow through the border: the neighbour there is the cell itself|reflecting border")
    i0 = wp.max(i - 1, 0)
    i1 = wp.min(i + 1, count(cell, 0) - 1)
    j0 = wp.max(j - 1, 0)
    j1 = wp.min(j + 1, count(cell, 1) - 1)
    lap = v[i0, j] + v[i1, j] + v[i, j0] + v[i, j1] - 4.0 * c
    f = c * (1.0 - c) * (c - a) - w[i, j]
    v1 = c + dt * (f + diff * lap / (h * h))
    if present(stim):
        if stim[i, j] == 1:
            v1 = wp.max(v1, 1.0)
    w1 = w[i, j] + dt * eps * (c - number(0.4, 0.9, "gamma") * w[i, j])
    v_out[i, j] = v1
    w_out[i, j] = w1
    if present(fired):
        if c < 0.5 and v1 >= 0.5:
            wp.atomic_add(fired, 0, 1)


@scene("physics", "stencil", "vector", (cell, cell, cell),
       says="computes the curl and the divergence of a field of vectors on a periodic grid with central differences",
       title="curl_and_divergence|field_derivatives|curl_grid|rotation_of_field", algorithm="central differences of a vector field", topic="")
def curl_and_divergence(b: each(grid_vector), h: setting(cell_size, 0.4, 1.0), curl_out: out(vorticity_vector), div_out: out(field_value), helix: maybe(add(score, 1), 0.5), worst: maybe(add(error_value, 1, range=(0.0, 0.0)), 0.4)):
    names(b="b|field|vec_in|bv", half="half|s|inv2h|scale_h", ip="ip|i1|xp|e", im="im|i0|xm|w", jp="jp|j1|yp|n", jm="jm|j0|ym|s0", kp="kp|k1|zp|t", km="km|k0|zm|d", dx="dx|along_x|ddx|diff_x", dy="dy|along_y|ddy|diff_y", dz="dz|along_z|ddz|diff_z", rot="rot|curl_v|c|w3", div="div|spread|source_d|d0")
    i, j, k = wp.tid()
    ip = (i + 1) % count(cell, 0)
    im = (i + count(cell, 0) - 1) % count(cell, 0)
    jp = (j + 1) % count(cell, 1)
    jm = (j + count(cell, 1) - 1) % count(cell, 1)
    kp = (k + 1) % count(cell, 2)
    km = (k + count(cell, 2) - 1) % count(cell, 2)
    half = 0.5 / h
    dx = (b[ip, j, k] - b[im, j, k]) * half
    dy = (b[i, jp, k] - b[i, jm, k]) * half
    dz = (b[i, j, kp] - b[i, j, km]) * half
    rot = wp.vec3(dy[2] - dz[1], dz[0] - dx[2], dx[1] - dy[0])
    curl_out[i, j, k] = rot
    if present(div_out) or present(worst):
        div = dx[0] + dy[1] + dz[2]
        if present(div_out):
            div_out[i, j, k] = div
        if present(worst):
            wp.atomic_max(worst, 0, wp.abs(div))
    if present(helix):
        note("how much the field winds about itself|helicity")
        wp.atomic_add(helix, 0, wp.dot(b[i, j, k], rot) * h * h * h)


@scene("physics", "stencil", "control_flow", cell,
       says="advances {stage=0:the velocities of an elastic wave by its stresses}{stage=1:the stresses of an elastic wave by its velocities} on a staggered grid",
       title="elastic_wave_step|seismic_step|staggered_wave|wave_velocity_stress", algorithm="velocity-stress scheme of elastic waves", topic="")
def elastic_wave_step(vel: each(flow_component, range=(-0.8, 0.8)), tau: each(stress_trio), rho: maybe(each(density), 0.4), lam: setting(lame_lambda, 0.5, 2.0), mu: setting(lame_mu, 0.5, 2.0), h: setting(cell_size, 0.5, 1.0), dt: setting(time_step, 0.01, 0.05), sponge: maybe(setting(ratio, 0.9, 0.99), 0.4), vel_out: out(flow_component), tau_out: out(stress_trio), peak: maybe(add(speed, 1, range=(0.0, 0.0)), 0.4)):
    names(vel="vel|uv|v_in|ground_v", tau="tau|sig|stress_in|t3", lam="lam|lame1|lambda_e|modulus_l", mu="mu|shear_g|lame2|modulus_g", i1="i1|ip|down|ia", i0="i0|im|up|ib", j1="j1|jp|right|ja", j0="j0|jm|left|jb", s="s|k_t|dt_h|ratio_t", ax="ax|acc_x|dvx|fx", ay="ay|acc_y|dvy|fy", exx="exx|strain_x|gxx|d_x", eyy="eyy|strain_y|gyy|d_y", exy="exy|shear_e|gxy|d_xy", damp="damp|loss_b|fade|taper_b", b="b|inv_rho|lightness|buoy")
    i, j = wp.tid()
    i1 = ring_next(i, count(cell, 0))
    i0 = ring_prev(i, count(cell, 0))
    j1 = ring_next(j, count(cell, 1))
    j0 = ring_prev(j, count(cell, 1))
    s = dt / h
    damp = float(1.0)
    if present(sponge):
        if i < 2 or i > count(cell, 0) - 3:
            note("waves fade out towards two of the borders|sponge layer")
            damp = float(sponge)
    match choose("stage"):
        case 1:
            if present(rho):
                b = 1.0 / rho[i, j]
            else:
                b = 1.0
            ax = (tau[i1, j][0] - tau[i, j][0]) + (tau[i, j][2] - tau[i, j0][2])
            ay = (tau[i, j][2] - tau[i0, j][2]) + (tau[i, j1][1] - tau[i, j][1])
            vel_out[i, j] = (vel[i, j] + wp.vec2(ax, ay) * (s * b)) * damp
            tau_out[i, j] = tau[i, j]
            if present(peak):
                wp.atomic_max(peak, 0, wp.length((vel[i, j] + wp.vec2(ax, ay) * (s * b)) * damp))
        case 1:
            exx = vel[i, j][0] - vel[i0, j][0]
            eyy = vel[i, j][1] - vel[i, j0][1]
            exy = (vel[i, j1][0] - vel[i, j][0]) + (vel[i1, j][1] - vel[i, j][1])
            tau_out[i, j] = (tau[i, j] + wp.vec3((lam + 2.0 * mu) * exx + lam * eyy, lam * exx + (lam + 2.0 * mu) * eyy, mu * exy) * s) * damp
            vel_out[i, j] = vel[i, j]
            if present(peak):
                wp.atomic_max(peak, 0, wp.length(vel[i, j]))
