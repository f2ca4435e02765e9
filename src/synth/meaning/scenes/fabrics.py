"""Cloth, grains and fluids: constraints, membranes, wind, contacts, lattices, swirls."""


@law("fabrics", "the direction of a lattice of nine velocities", title="lattice_dir|d2q9_direction|lattice_vector", private=True, function=True)
def nine_direction(k: index_value) -> coordinate:
    if k == 1:
        return wp.vec2i(1, 0)
    if k == 2:
        return wp.vec2i(0, 1)
    if k == 3:
        return wp.vec2i(-1, 0)
    if k == 4:
        return wp.vec2i(0, -1)
    if k == 5:
        return wp.vec2i(1, 1)
    if k == 6:
        return wp.vec2i(-1, 1)
    if k == 7:
        return wp.vec2i(-1, -1)
    if k == 8:
        return wp.vec2i(1, -1)
    return wp.vec2i(0, 0)


@law("fabrics", "the weight of a direction of a lattice of nine velocities", title="lattice_weight|d2q9_weight|direction_weight", private=True, function=True)
def nine_weight(k: index_value) -> lattice_weight:
    if k == 0:
        return 4.0 / 9.0
    if k < 5:
        return 1.0 / 9.0
    return 1.0 / 36.0


@scene("physics", "atomic", "control_flow", spring,
       says="corrects positions so that springs keep their length, with compliance and a multiplier that is carried through the iterations",
       title="xpbd_springs|solve_distance_constraints|compliant_springs|xpbd_stretch", algorithm="XPBD distance constraint")
def xpbd_springs(ends: index(particle, 2), x: each(position, particle), old: each(previous_position, particle), w: each(inverse_mass, particle), rest: each(rest_length), lam: inout(multiplier_value), alpha: setting(compliance), dt: setting(time_step, 0.005, 0.02), beta: maybe(setting(ratio, 0.05, 0.3), 0.4), tear: maybe(setting(positive_value, 3.0, 3.8), 0.3), dx: add(displacement, particle), gap_out: maybe(out(constraint_value), 0.4)):
    names(i="i|pa|ia|first_p", j="j|pb|ib|second_p", d="d|diff|delta_x|span_v", l="l|len_s|dist|length_s", n="n|dir_s|grad_c|unit_s", c="c|gap|violation|con", at="at|alpha_t|tilde_a|soft", g="g|damp_t|gamma_d|rate_g", vn="vn|rate_c|c_dot|closing", dl="dl|d_lambda|step_l|dlam", wsum="wsum|w_total|inv_sum|denom_w", ends="ends|spring_indices|constraint_pairs|edge_ends", alpha="alpha|compliance_s|softness|inv_stiffness", beta="beta|damping_b|rayleigh_b|loss_b", lam="lam|lambdas|multipliers|lagrange")
    s = wp.tid()
    i = ends[s, 0]
    j = ends[s, 1]
    if i == j:
        return
    d = x[i] - x[j]
    l = wp.length(d)
    if l < constant("LENGTH_EPS|MIN_LENGTH", 1.0e-4):
        return
    if present(tear):
        note("stretched beyond its limit: the spring is gone|tearing")
        if l > tear * rest[s]:
            return
    n = d / l
    c = l - rest[s]
    if present(gap_out):
        gap_out[s] = c
    wsum = w[i] + w[j]
    at = alpha / (dt * dt)
    if present(beta):
        note("damping of the constraint by its rate over the step")
        g = alpha * beta / dt
        vn = wp.dot(n, x[i] - old[i]) - wp.dot(n, x[j] - old[j])
        dl = (-c - at * lam[s] - g * vn) / ((1.0 + g) * wsum + at)
    else:
        dl = (-c - at * lam[s]) / (wsum + at)
    lam[s] = lam[s] + dl
    wp.atomic_add(dx, i, n * (w[i] * dl))
    wp.atomic_sub(dx, j, n * (w[j] * dl))


@scene("fem", "physics", "atomic", "matrix", face,
       says="stretches and shears a cloth made of triangles with a given flat pattern and adds the membrane forces to its vertices",
       title="cloth_membrane|triangle_membrane_forces|stretch_shear_forces|eval_cloth_triangles", algorithm="St. Venant-Kirchhoff membrane")
def cloth_membrane(x: each(position, vertex), uv: each(point2, vertex), tri: index(vertex, 3), mu: setting(lame_mu), lam: setting(lame_lambda), f: add(force, vertex), energy_out: maybe(out(energy), 0.6), area_ratio: maybe(out(ratio), 0.3)):
    names(i="i|va|ia|v0", j="j|vb|ib|v1", k="k|vc|ic|v2", u1="u1|p1|pat_a|duv1", u2="u2|p2|pat_b|duv2", det="det|det_pattern|det_uv|area2", fu="fu|warp_t|F_u|col_u", fv="fv|weft_t|F_v|col_v", e00="e00|guu|stretch_u|euu", e11="e11|gvv|stretch_v|evv", e01="e01|guv|shear_uv|euv", s00="s00|suu|pk_u|sig_u", s11="s11|svv|pk_v|sig_v", s01="s01|suv|pk_uv|sig_uv", pu="pu|piola_u|stress_u|tu", pv="pv|piola_v|stress_v|tv", area_t="area_t|rest_area|A0|w_t", f1="f1|force_b|pull_1|fj", f2="f2|force_c|pull_2|fk", uv="uv|pattern|rest_uv|material_uv")
    t = wp.tid()
    i = tri[t, 0]
    j = tri[t, 1]
    k = tri[t, 2]
    u1 = uv[j] - uv[i]
    u2 = uv[k] - uv[i]
    det = u1[0] * u2[1] - u1[1] * u2[0]
    note("a triangle without area in the pattern cannot be stretched|degenerate pattern")
    if wp.abs(det) < constant("MIN_PATTERN_AREA|FLAT_PATTERN|DET_EPS", 0.5):
        return
    note("how the surface follows the two directions of the pattern|deformation gradient, column by column")
    fu = ((x[j] - x[i]) * u2[1] - (x[k] - x[i]) * u1[1]) / det
    fv = ((x[k] - x[i]) * u1[0] - (x[j] - x[i]) * u2[0]) / det
    e00 = 0.5 * (wp.dot(fu, fu) - 1.0)
    e11 = 0.5 * (wp.dot(fv, fv) - 1.0)
    e01 = 0.5 * wp.dot(fu, fv)
    s00 = 2.0 * mu * e00 + lam * (e00 + e11)
    s11 = 2.0 * mu * e11 + lam * (e00 + e11)
    s01 = 2.0 * mu * e01
    pu = fu * s00 + fv * s01
    pv = fu * s01 + fv * s11
    area_t = 0.5 * wp.abs(det)
    f1 = (pu * u2[1] - pv * u2[0]) * (-area_t / det)
    f2 = (pv * u1[0] - pu * u1[1]) * (-area_t / det)
    wp.atomic_add(f, j, f1)
    wp.atomic_add(f, k, f2)
    wp.atomic_sub(f, i, f1 + f2)
    if present(energy_out):
        energy_out[t] = area_t * (mu * (e00 * e00 + e11 * e11 + 2.0 * e01 * e01) + 0.5 * lam * (e00 + e11) * (e00 + e11))
    if present(area_ratio):
        note("how much its area has grown")
        area_ratio[t] = wp.length(wp.cross(fu, fv))


@scene("physics", "atomic", "geometry", "vector", face,
       says="lets the wind push on a cloth: drag across and lift along each triangle, from its velocity against the air",
       title="cloth_wind|aerodynamic_faces|wind_forces|triangle_aerodynamics", algorithm="lift and drag of triangles", rare=True)
def cloth_wind(x: each(position, vertex), v: each(velocity, vertex), tri: index(vertex, 3), wind: setting(velocity), rho: setting(density), cd: setting(drag_coefficient), cl: maybe(setting(lift_coefficient, 0.1, 1.0), 0.6), gust: maybe(each(ratio, range=(0.5, 1.0)), 0.4), f: add(force, vertex), power_out: maybe(add(power, 1), 0.4)):
    names(i="i|va|ia|v0", j="j|vb|ib|v1", k="k|vc|ic|v2", vm="vm|mean_v|tri_v|v_avg", air="air|rel_v|flow|against", n="n|area_n|surf|an", area_t="area_t|a_tri|surface_a|face_a", u="u|unit_n|nn|dir_n", s="s|speed_r|airspeed|flow_l", c="c|cosine|incidence|facing", total="total|aero|force_t|gust_f", q="q|dyn_p|press|head_p", lift_d="lift_d|lift_dir|up_d|across_d", wind="wind|wind_velocity|air_velocity|breeze", cd="cd|drag_coeff|c_drag|k_drag")
    t = wp.tid()
    i = tri[t, 0]
    j = tri[t, 1]
    k = tri[t, 2]
    n = wp.cross(x[j] - x[i], x[k] - x[i]) * 0.5
    area_t = wp.length(n)
    if area_t < 0.01:
        return
    u = n / area_t
    vm = (v[i] + v[j] + v[k]) / 3.0
    if present(gust):
        air = wind * gust[t] - vm
    else:
        air = wind - vm
    s = wp.length(air)
    note("still air|moving with the wind")
    if s < number(0.05, 0.2, "calm"):
        return
    c = wp.dot(air, u) / s
    note("both sides of a cloth are alike|turn the normal downwind")
    if c < 0.0:
        u = -u
        c = -c
    q = 0.5 * rho * s * s * area_t
    total = air * (cd * q * c / s)
    if present(cl):
        lift_d = wp.cross(wp.cross(air, u), air)
        note("lift stands across the flow, strongest at half incidence")
        if wp.length(lift_d) > 1.0e-4:
            total = total + wp.normalize(lift_d) * (cl * q * c * wp.sqrt(wp.max(1.0 - c * c, 0.0)))
    wp.atomic_add(f, i, total / 3.0)
    wp.atomic_add(f, j, total / 3.0)
    wp.atomic_add(f, k, total / 3.0)
    if present(power_out):
        wp.atomic_add(power_out, 0, wp.dot(total, vm))


@scene("physics", "nested_loop", "control_flow", "vector", particle,
       says="sums contact forces and torques between spinning grains: spring and damper along the normal, friction with a limit across it",
       title="dem_forces|grain_contacts|granular_step|discrete_element_forces", algorithm="linear spring-dashpot discrete elements")
def dem_forces(x: each(position), v: each(velocity), w: each(angular_velocity), r: each(radius, range=(0.3, 0.6)), m: each(mass), kn: setting(stiffness), cn: setting(damping), ct: setting(damping), mu: setting(friction), roll: maybe(setting(ratio, 0.01, 0.1), 0.4), floor_y: maybe(setting(axial_position, -1.8, -1.0), 0.5), f: out(force), tau: out(torque), near: maybe(out(count_value), 0.5)):
    names(d="d|off|rel|gap_v", l="l|dist|sep|span", n="n|dir_n|normal_c|axis_c", lap="lap|overlap|depth_c|delta", va="va|surf_v|rel_v|contact_v", vn="vn|normal_v|v_n|approach", vt="vt|slide_v|v_t|tang_v", fn="fn|press|f_n|normal_f", ft="ft|drag_f|f_t|tang_f", total="total|acc_f|force_i|sum_f", turn="turn|acc_t|torque_i|sum_t", s="s|slip|speed_t|slide", num="num|contacts_i|touching|z", kn="kn|normal_k|contact_k|spring_n", roll="roll|rolling_mu|rolling_friction|roll_coeff", floor_y="floor_y|ground_y|bottom|plane_y")
    i = wp.tid()
    total = wp.vec3(0.0, 0.0, 0.0)
    turn = wp.vec3(0.0, 0.0, 0.0)
    num = int(0)
    for j in range(count(particle)):
        if j == i:
            continue
        d = x[i] - x[j]
        l = wp.length(d)
        lap = r[i] + r[j] - l
        if lap <= 0.0 or l < 1.0e-4:
            continue
        num += 1
        n = d / l
        note("velocity of the surfaces at the contact, with both spins")
        va = v[i] - v[j] - wp.cross(w[i] * r[i] + w[j] * r[j], n)
        vn = wp.dot(va, n)
        vt = va - n * vn
        note("grains do not stick|no tension")
        fn = wp.max(kn * lap - cn * vn, 0.0)
        s = wp.length(vt)
        ft = wp.vec3(0.0, 0.0, 0.0)
        if s > 1.0e-4:
            ft = vt * (-wp.min(ct * s, mu * fn) / s)
        total += n * fn + ft
        turn += wp.cross(n, ft) * (-r[i])
        if present(roll):
            note("rolling resistance against the spin of the contact")
            if wp.length(w[i] - w[j]) > 1.0e-4:
                turn -= wp.normalize(w[i] - w[j]) * (roll * fn * r[i])
    if present(floor_y):
        lap = r[i] - (x[i][1] - floor_y)
        if lap > 0.0:
            num += 1
            fn = wp.max(kn * lap - cn * v[i][1], 0.0)
            total += wp.vec3(0.0, fn, 0.0)
    total += wp.vec3(0.0, -9.81, 0.0) * m[i]
    f[i] = total
    tau[i] = turn
    if present(near):
        near[i] = num


@scene("stencil", "physics", "nested_loop", cell,
       says="streams and collides the populations of a lattice gas with nine velocities, with bounce-back at obstacles and a driving force",
       title="lbm_step|stream_and_collide|lattice_boltzmann_step|d2q9_step", algorithm="lattice Boltzmann D2Q9 with BGK collision")
def lbm_step(f: each(lattice_population, cell, cell, 9), solid: each(flag), tau: setting(relaxation_time), push: maybe(setting(small_angle, 0.0001, 0.005), 0.5), f_out: out(lattice_population, cell, cell, 9), rho_out: maybe(out(lattice_density), 0.5), u_out: maybe(out(lattice_velocity), 0.6)):
    names(rho="rho|dens|mass_c|density_c", ux="ux|vx|vel_x|u_x", uy="uy|vy|vel_y|u_y", c="c|dir_k|e_k|ck", a="a|src_i|from_x|ip", b="b|src_j|from_y|jp", g="g|pulled|incoming|fk", cu="cu|proj|c_dot_u|eu", eq="eq|feq|balance|f_eq", uu="uu|speed2|u_sq|u2", back="back|opposite|rev_k|opp", solid="solid|obstacle|is_wall|blocked", f="f|populations|dist_in|f_in", f_out="f_out|populations_out|dist_out|f_next", push="push|body_force|drive_x|gravity_x")
    i, j = wp.tid()
    if solid[i, j] == 1:
        return
    rho = float(0.0)
    ux = float(0.0)
    uy = float(0.0)
    for k in range(9):
        c = nine_direction(k)
        note("where this population comes from; the domain wraps around|pull scheme")
        a = (i - c[0] + count(cell, 0)) % count(cell, 0)
        b = (j - c[1] + count(cell, 1)) % count(cell, 1)
        g = f[a, b, k]
        if solid[a, b] == 1:
            note("it would come out of a wall: the own one comes back|half-way bounce-back")
            back = k
            if k > 4:
                back = 5 + (k - 3) % 4
            elif k > 0:
                back = 1 + (k + 1) % 4
            g = f[i, j, back]
        f_out[i, j, k] = g
        rho += g
        ux += g * float(c[0])
        uy += g * float(c[1])
    ux = ux / rho
    uy = uy / rho
    if present(push):
        note("momentum of the driving force over a relaxation time|shifted velocity")
        ux = ux + tau * push / rho
    uu = ux * ux + uy * uy
    for k in range(9):
        c = nine_direction(k)
        cu = float(c[0]) * ux + float(c[1]) * uy
        eq = nine_weight(k) * rho * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * uu)
        f_out[i, j, k] = f_out[i, j, k] - (f_out[i, j, k] - eq) / tau
    if present(rho_out):
        rho_out[i, j] = rho
    if present(u_out):
        u_out[i, j] = wp.vec2(ux, uy)


@scene("stencil", "control_flow", "math", cell,
       says="corrects a semi-Lagrangian step by the error of going forth and back, and clamps the result to the values it came from",
       title="maccormack_correct|advection_correction|bfecc_clamp|sharpen_advection", algorithm="MacCormack advection with a limiter")
def maccormack(phi: each(field_value), fwd: each(field_value), bwd: each(field_value), vx: each(face_velocity, range=(-1.5, 1.5)), vy: each(face_velocity, range=(-1.5, 1.5)), dt: setting(time_step, 0.2, 0.8), solid: maybe(each(flag), 0.3), out_phi: out(field_value), clipped: maybe(add(count_value, 1), 0.5)):
    names(x="x|px|back_x|src_x", y="y|py|back_y|src_y", i0="i0|xi|cell_i|ia", j0="j0|yj|cell_j|ja", i1="i1|xn|next_i|ib", j1="j1|yn|next_j|jb", lo="lo|low_v|vmin|floor_v", hi="hi|high_v|vmax|ceil_v", fix="fix|corrected|sharp|phi_c", res="res|limited|clamped|bounded", phi="phi|field_in|quantity|scalar", fwd="fwd|forward_pass|phi_hat|advected", bwd="bwd|backward_pass|phi_back|returned", solid="solid|obstacle|is_wall|blocked")
    i, j = wp.tid()
    if present(solid):
        if solid[i, j] == 1:
            out_phi[i, j] = phi[i, j]
            return
    note("half of the error of the round trip|MacCormack correction")
    fix = fwd[i, j] + 0.5 * (phi[i, j] - bwd[i, j])
    x = wp.clamp(float(i) - dt * vx[i, j], 0.0, float(count(cell, 0) - 1))
    y = wp.clamp(float(j) - dt * vy[i, j], 0.0, float(count(cell, 1) - 1))
    i0 = int(wp.floor(x))
    j0 = int(wp.floor(y))
    i1 = wp.min(i0 + 1, count(cell, 0) - 1)
    j1 = wp.min(j0 + 1, count(cell, 1) - 1)
    note("smallest and largest of the four values it was interpolated from")
    lo = wp.min(wp.min(phi[i0, j0], phi[i1, j0]), wp.min(phi[i0, j1], phi[i1, j1]))
    hi = wp.max(wp.max(phi[i0, j0], phi[i1, j0]), wp.max(phi[i0, j1], phi[i1, j1]))
    match choose("limiter"):
        case 2:
            res = wp.clamp(fix, lo, hi)
        case 1:
            note("fall back to the plain step where it overshoots|revert")
            res = fix
            if fix < lo or fix > hi:
                res = fwd[i, j]
    out_phi[i, j] = res
    if present(clipped):
        if fix < lo or fix > hi:
            wp.atomic_add(clipped, 0, 1)


@scene("stencil", "vector", "control_flow", cell,
       says="adds the swirls that a coarse grid has lost back to a flow: a force along the rim of each vortex",
       title="vorticity_confinement|apply_vorticity_confinement|confine_vorticity", algorithm="vorticity confinement")
def vortex_confinement(vx: each(face_velocity), vy: each(face_velocity), dx: setting(cell_size), eps: setting(gain, 0.1, 1.0), dt: setting(time_step), vx_out: out(face_velocity), vy_out: out(face_velocity), vorticity: maybe(out(scalar_vorticity), 0.5)):
    names(w="w|curl", we="w_xp|curl_xp", ww="w_xm|curl_xm", wn="w_yp|curl_yp", ws="w_ym|curl_ym", gx="eta_x|grad_x", gy="eta_y|grad_y", l="eta_len|grad_len", fx="fx|force_x", fy="fy|force_y", eps="epsilon|confinement", vx="vx|u", vy="vy|v", h="two_dx|h2", vx_out="vx_out|u_out", vy_out="vy_out|v_out", vorticity="vorticity|vorticity_out")
    i, j = wp.tid()
    note("two rows at the border have no full stencil|leave the rim alone")
    vx_out[i, j] = vx[i, j]
    vy_out[i, j] = vy[i, j]
    if i < 2 or j < 2 or i >= count(cell, 0) - 2 or j >= count(cell, 1) - 2:
        if present(vorticity):
            vorticity[i, j] = 0.0
        return
    h = 2.0 * dx
    w = (vy[i + 1, j] - vy[i - 1, j] - vx[i, j + 1] + vx[i, j - 1]) / h
    we = (vy[i + 2, j] - vy[i, j] - vx[i + 1, j + 1] + vx[i + 1, j - 1]) / h
    ww = (vy[i, j] - vy[i - 2, j] - vx[i - 1, j + 1] + vx[i - 1, j - 1]) / h
    wn = (vy[i + 1, j + 1] - vy[i - 1, j + 1] - vx[i, j + 2] + vx[i, j]) / h
    ws = (vy[i + 1, j - 1] - vy[i - 1, j - 1] - vx[i, j] + vx[i, j - 2]) / h
    note("towards the centre of the vortex: where the size of the curl grows")
    gx = (wp.abs(we) - wp.abs(ww)) / h
    gy = (wp.abs(wn) - wp.abs(ws)) / h
    l = wp.sqrt(gx * gx + gy * gy)
    if present(vorticity):
        vorticity[i, j] = w
    if l < constant("FLAT_EPS|MIN_SLOPE", 1.0e-4):
        return
    fx = eps * dx * (gy / l) * w
    fy = -eps * dx * (gx / l) * w
    vx_out[i, j] = vx[i, j] + dt * fx
    vy_out[i, j] = vy[i, j] + dt * fy
