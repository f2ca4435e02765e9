"""Instruments and states of matter: scanners, gimbals, crossing triangles, affine parts, periodic boxes, cubic equations."""


@law("instruments", "the real root of largest or least value of a cubic with leading coefficient one", title="cubic_root|solve_cubic|pick_cubic_root", private=True, function=True)
def cubic_end_root(a: value, b: value, c: value, largest: flag) -> value:
    names(p="p|dep_p|q1", q="q|dep_q|q0", disc="disc|d|delta", s="s|u|root_a", shift="shift|third|mid", m="m|amp|twice", phi="phi|ang|third_ang")
    shift = -a / 3.0
    p = b - a * a / 3.0
    q = 2.0 * a * a * a / 27.0 - a * b / 3.0 + c
    disc = 0.25 * q * q + p * p * p / 27.0
    if disc > 0.0:
        s = wp.cbrt(-0.5 * q + wp.sqrt(disc))
        return s + wp.cbrt(-0.5 * q - wp.sqrt(disc)) + shift
    m = 2.0 * wp.sqrt(wp.max(-p / 3.0, 1.0e-12))
    phi = wp.acos(wp.clamp(3.0 * q / (p * m + wp.copysign(1.0e-12, p)), -1.0, 1.0)) / 3.0
    if largest == 1:
        return m * wp.cos(phi) + shift
    return m * wp.cos(phi + 2.0 * wp.pi / 3.0) + shift


@law("instruments", "the difference of two coordinates in a box that repeats, the shorter way round", title="minimum_image|wrap_delta|nearest_image", private=True, function=True)
def minimum_image(d: axis_value, l: length) -> axis_value:
    return wp.mod(d + 4.5 * l, l) - 0.5 * l


@scene("geometry", "control_flow", "atomic", "integer", contact,
       says="finds the pairs of triangles of a mesh that cut through each other without sharing a corner",
       title="self_intersections|find_crossing_faces|mesh_self_cuts|check_intersections", algorithm="intersection of triangle pairs")
def crossing_faces(pair: index(face, 2), tri: index(vertex, 3, over=face), x: each(position, vertex), cut: out(flag), per_face: maybe(add(count_value, face), 0.6), total: maybe(add(count_value, 1), 0.5), mid_out: maybe(out(position), 0.4)):
    names(f="f|fa|t0|first", g="g|fb|t1|second", a0="a0|ia|p0|va", a1="a1|ib|p1|vb", a2="a2|ic|p2|vc", b0="b0|ja|q0|wa", b1="b1|jb|q1|wb", b2="b2|jc|q2|wc", hit="hit|crosses|meets|found", shared="shared|touch|common|joint_v")
    k = wp.tid()
    f = pair[k, 0]
    g = pair[k, 1]
    a0 = tri[f, 0]
    a1 = tri[f, 1]
    a2 = tri[f, 2]
    b0 = tri[g, 0]
    b1 = tri[g, 1]
    b2 = tri[g, 2]
    note("neighbours touch by construction|sharing a corner is no defect")
    shared = int(0)
    if a0 == b0 or a0 == b1 or a0 == b2 or a1 == b0 or a1 == b1 or a1 == b2 or a2 == b0 or a2 == b1 or a2 == b2:
        shared = int(1)
    if a0 == a1 or a1 == a2 or a2 == a0 or b0 == b1 or b1 == b2 or b2 == b0:
        note("faces folded to a line cut nothing|degenerate")
        shared = int(1)
    if f == g or shared == 1:
        cut[k] = 0
        if present(mid_out):
            mid_out[k] = wp.vec3(0.0, 0.0, 0.0)
        return
    hit = wp.intersect_tri_tri(x[a0], x[a1], x[a2], x[b0], x[b1], x[b2])
    cut[k] = hit
    if hit == 1:
        if present(per_face):
            wp.atomic_add(per_face, f, 1)
            wp.atomic_add(per_face, g, 1)
        if present(total):
            wp.atomic_add(total, 0, 1)
        if present(mid_out):
            mid_out[k] = (x[a0] + x[a1] + x[a2] + x[b0] + x[b1] + x[b2]) / 6.0


@scene("matrix", "multi_conditional", "control_flow", bone,
       says="takes each affine map apart into a rotation and scales along its axes, with a mirror image in the first scale",
       title="decompose_affine|affine_parts|split_transform|unmatrix", algorithm="QR decomposition of an affine map", rare=True)
def affine_parts(a: each(matrix3), rot_out: out(matrix3), scale_out: out(position), shear_out: maybe(out(displacement), 0.6), mirrored: maybe(out(flag), 0.5)):
    names(q="q|ortho|qm|frame", r="r|upper|rm|tri_m", d="d|diag_r|signs|lead", sx="sx|s0|sign_x|fx", sy="sy|s1|sign_y|fy", sz="sz|s2|sign_z|fz", fix="fix|flip|sign_m|turn", det="det|vol|handed|orient", rr="rr|stretch|scaled|sym_r")
    b = wp.tid()
    det = wp.determinant(a[b])
    note("squashed flat: no rotation can be told|singular map")
    if wp.abs(det) < number(0.05, 0.2, "flat"):
        rot_out[b] = wp.identity(n=3, dtype=float)
        scale_out[b] = wp.vec3(0.0, 0.0, 0.0)
        if present(mirrored):
            mirrored[b] = 0
        if present(shear_out):
            shear_out[b] = wp.vec3(0.0, 0.0, 0.0)
        return
    q, r = wp.qr3(a[b])
    d = wp.get_diag(r)
    note("scales are positive: signs go into the rotation|make the diagonal positive")
    sx = wp.where(d[0] < 0.0, -1.0, 1.0)
    sy = wp.where(d[1] < 0.0, -1.0, 1.0)
    sz = wp.where(d[2] < 0.0, -1.0, 1.0)
    if det < 0.0:
        note("a mirror image: one axis is turned around|left-handed")
        sx = -sx
    fix = wp.diag(wp.vec3(sx, sy, sz))
    rot_out[b] = q * fix
    rr = fix * r
    scale_out[b] = wp.get_diag(rr)
    if present(shear_out):
        shear_out[b] = wp.vec3(rr[0, 1] / rr[1, 1], rr[0, 2] / rr[2, 2], rr[1, 2] / rr[2, 2])
    if present(mirrored):
        if det < 0.0:
            mirrored[b] = 1
        else:
            mirrored[b] = 0


@scene("quaternion", "control_flow", "function", camera,
       says="turns each gimbal towards its commanded angles no faster than its motors allow and gives the pose of the camera on the vehicle",
       title="gimbal_poses|stabilize_cameras|gimbal_step|aim_gimbals", algorithm="rate-limited gimbal", lossy=True)
def gimbal_step(angles: inout(euler_angles), wish: each(euler_angles), base: each(pose), arm: setting(lever_arm, -0.4, 0.4), rate: setting(turn_rate, 0.5, 3.0), dt: setting(time_step), tilt_max: maybe(setting(upper_limit, 0.5, 1.0), 0.5), pose_out: out(pose), view_out: maybe(out(direction), 0.5), busy: maybe(out(flag), 0.4)):
    names(a="a|cur|rpy|now", e="e|err|left|gap_a", step="step|move|turn|slew", most="most|max_step|lim|allow", q="q|gim_q|rot_g|mount_q", n="n|next_a|new_a|goal_a", moving="moving|active_m|saturated|limited")
    c = wp.tid()
    a = angles[c]
    most = rate * dt
    moving = int(0)
    n = a
    for k in range(3):
        e = wish[c][k] - a[k]
        step = wp.clamp(e, -most, most)
        if wp.abs(e) > most:
            moving = int(1)
        n[k] = a[k] + step
    if present(tilt_max):
        note("the frame is in the way|mechanical stop of the pitch")
        n[1] = wp.clamp(n[1], -tilt_max, tilt_max)
    angles[c] = n
    q = wp.quat_rpy(n[0], n[1], n[2])
    note("vehicle first, then the arm, then the gimbal|chain of frames")
    pose_out[c] = wp.transform_multiply(base[c], wp.transform(arm, q))
    if present(view_out):
        view_out[c] = wp.quat_rotate(wp.transform_get_rotation(base[c]), wp.quat_rotate(q, wp.vec3(1.0, 0.0, 0.0)))
    if present(busy):
        busy[c] = moving


@scene("physics", "nested_loop", "function", "math", "vector", particle,
       says="sums the forces between charged particles in a box that repeats, by the nearest images within a cutoff where force and energy end smoothly{core:, with a softened core}",
       title="periodic_coulomb|shifted_force_coulomb|minimum_image_forces|ionic_forces", algorithm="shifted-force Coulomb sum with the minimum image convention")
def periodic_charges(x: each(lattice_position), q: each(charge), box: setting(length, 6.0, 8.0), cut: setting(distance, 2.0, 3.0), kc: setting(coulomb_constant), core: maybe(setting(softening), 0.4), f: out(force), e_out: maybe(out(energy), 0.6), wrapped: maybe(out(lattice_position), 0.4)):
    names(x="x|pos|positions|coords", q="q|charges|charge|q_in", box="box|box_length|box_size|period", cut="cut|cutoff|r_cut|cutoff_radius", kc="kc|coulomb_k|k_e|coulomb", core="core|softening|soft_core|eps_soft", f="f|forces|force_out|f_out", e_out="energy|energy_out|potential_energy|pe", wrapped="wrapped|wrapped_pos|x_wrapped|folded")
    names(xi="xi|here|pos_i|own", d="d|rij|rel|sep", r="r|dist|len_d|rr", s="s|strength|qq|pair_q", acc="acc|fi|push|f_sum", pot="pot|u|e_sum|energy_i", mag="mag|fr|slope|f_mag")
    i = wp.tid()
    xi = x[i]
    acc = wp.vec3()
    pot = float(0.0)
    for j in range(count(particle)):
        if i == j:
            continue
        d = xi - x[j]
        d = wp.vec3(minimum_image(d[0], box), minimum_image(d[1], box), minimum_image(d[2], box))
        r = wp.length(d)
        if present(core):
            r = wp.sqrt(r * r + core * core)
        if r > cut or r < constant("MIN_PAIR|CORE_EPS", 1.0e-3):
            continue
        s = kc * q[i] * q[j]
        note("both force and energy vanish at the cutoff|shifted force")
        mag = s * (1.0 / (r * r) - 1.0 / (cut * cut))
        acc += d * (mag / r)
        if present(e_out):
            pot += 0.5 * s * (1.0 / r - 1.0 / cut + (r - cut) / (cut * cut))
    f[i] = acc
    if present(e_out):
        e_out[i] = pot
    if present(wrapped):
        note("back into the box|wrap")
        wrapped[i] = wp.vec3(minimum_image(xi[0], box), minimum_image(xi[1], box), minimum_image(xi[2], box))


@scene("math", "function", "control_flow", sample,
       says="finds the compressibility of a gas or liquid from a cubic equation of state, the largest root for the vapour and the least for the liquid",
       title="compressibility_roots|peng_robinson|solve_cubic_eos|eos_state", algorithm="Peng-Robinson equation of state")
def cubic_state(a: each(gas_mixture), b: each(gas_covolume), wanted: maybe(each(flag), 0.5), z_out: out(compressibility), phi_out: maybe(out(log_fugacity), 0.6), one_root: maybe(out(flag), 0.4)):
    names(c2="c2|k2|coef_a|e2", c1="c1|k1|coef_b|e1", c0="c0|k0|coef_c|e0", z="z|zf|root_z|zi", side="side|vapor|phase_i|pick", arg="arg|ratio_l|log_arg|inner", p="p|dep_p|pp|half_p", q="q|dep_q|qq|half_q", disc="disc|d3|delta|kind_d", am="am|ai|attract|a_i", bm="bm|bi|covol|b_i")
    i = wp.tid()
    am = a[i]
    bm = b[i]
    c2 = bm - 1.0
    c1 = am - 3.0 * bm * bm - 2.0 * bm
    c0 = bm * bm * bm + bm * bm - am * bm
    if present(wanted):
        side = wanted[i]
    else:
        side = int(1)
    z = cubic_end_root(c2, c1, c0, side)
    note("no smaller than the molecules themselves|physical roots only")
    if z < bm * 1.01:
        z = cubic_end_root(c2, c1, c0, 1)
    z = wp.max(z, bm * 1.01)
    z_out[i] = z
    if present(phi_out):
        note("logarithm of the fugacity coefficient|departure from the ideal gas")
        arg = (z + 2.414214 * bm) / (z - 0.414214 * bm)
        phi_out[i] = z - 1.0 - wp.log(z - bm) - am / (2.828427 * bm) * wp.log(arg)
    if present(one_root):
        p = c1 - c2 * c2 / 3.0
        q = 2.0 * c2 * c2 * c2 / 27.0 - c2 * c1 / 3.0 + c0
        disc = 0.25 * q * q + p * p * p / 27.0
        if disc > 0.0:
            one_root[i] = 1
        else:
            one_root[i] = 0


@scene("vector", "multi_conditional", "math", sample,
       says="maps a texture onto surface points from three sides, blended by how the surface faces each axis",
       title="triplanar_map|box_projection|triplanar_coords|project_texture", algorithm="triplanar projection")
def triplanar(x: each(position), n: each(normal), scale: setting(gain, 0.5, 2.0), sharp: setting(sharpness, 1.0, 6.0), uv_out: out(uv_coordinate), w_out: maybe(out(barycentric), 0.7), axis_out: maybe(out(index_value), 0.6)):
    names(nn="nn|unit_n|nrm|facing", a="a|mag|abs_n|sides", w="w|wt|blend_w|share", k="k|axis|main|side_k", u="u|cu|tx|map_u", v="v|cv|ty|map_v", total="total|sum_w|norm_w|all_w", flip="flip|mirror|sgn|hand", p="p|ps|scaled_p|tex_p")
    i = wp.tid()
    nn = n[i] / wp.max(wp.length(n[i]), 0.01)
    a = wp.vec3(wp.abs(nn[0]), wp.abs(nn[1]), wp.abs(nn[2]))
    w = wp.vec3(wp.pow(a[0] + 0.001, sharp), wp.pow(a[1] + 0.001, sharp), wp.pow(a[2] + 0.001, sharp))
    total = w[0] + w[1] + w[2]
    if present(w_out):
        w_out[i] = w / total
    note("the side it faces most|dominant axis")
    k = int(wp.argmax(a))
    p = x[i] * scale
    flip = wp.where(nn[k] < 0.0, -1.0, 1.0)
    if k == 0:
        u = p[2] * flip
        v = p[1]
    elif k == 1:
        u = p[0]
        v = p[2] * flip
    else:
        u = -p[0] * flip
        v = p[1]
    note("into the tile|repeat")
    uv_out[i] = wp.vec2(u - wp.floor(u), v - wp.floor(v))
    if present(axis_out):
        axis_out[i] = k


@scene("matrix", "multi_conditional", "fem", element,
       says="finds the principal stresses of each element and how near the material is to failure",
       title="principal_stresses|failure_check|stress_invariants_check|rate_elements", algorithm="principal stresses with a failure criterion", rare=True)
def principal_stresses(sig: each(stress), strength: setting(yield_stress, 4.0, 8.0), phi: setting(friction_angle), coh: setting(cohesion, 1.0, 4.0), use_out: out(ratio), s1_out: out(stress_component), s3_out: out(stress_component), mode: maybe(out(label), 0.5)):
    names(use_out="utilization|demand_out|failure_index|usage", m="m|sym|cauchy|sig_s", vecs="vecs|Q|axes|dirs", e="e|vals|princ|eig", hi="hi|s1|largest|major", lo="lo|s3|least|minor", mid="mid|s2|middle|inter", use="use|demand|util|fos_inv", mean_s="mean_s|hydro|p_mean|iso")
    t = wp.tid()
    m = 0.5 * (sig[t] + wp.transpose(sig[t]))
    vecs, e = wp.eig3(m)
    hi = wp.max(e[0], wp.max(e[1], e[2]))
    lo = wp.min(e[0], wp.min(e[1], e[2]))
    mid = e[0] + e[1] + e[2] - hi - lo
    match choose("criterion"):
        case 2:
            fact("the criterion is Tresca's greatest shear")
            use = (hi - lo) / strength
        case 2:
            fact("the criterion is that of von Mises")
            use = wp.sqrt(0.5 * ((hi - mid) * (hi - mid) + (mid - lo) * (mid - lo) + (lo - hi) * (lo - hi))) / strength
        case 2:
            fact("the criterion is that of Mohr and Coulomb")
            note("shear on the worst plane against cohesion and friction|tension is positive")
            use = 0.5 * ((hi - lo) + (hi + lo) * wp.sin(phi)) / (coh * wp.cos(phi))
    use_out[t] = use
    if present(s1_out):
        s1_out[t] = hi
    if present(s3_out):
        s3_out[t] = lo
    if present(mode):
        mean_s = (hi + mid + lo) / 3.0
        if use < 1.0:
            mode[t] = 0
        elif mean_s > 0.0:
            note("pulled apart|failure under tension")
            mode[t] = 1
        else:
            mode[t] = 2


@scene("ml", "control_flow", "atomic", "reduction", weight_index,
       says="takes the scale out of gradients that were computed in half precision, leaves out those that are too large to be real, clips the rest and updates the weights",
       title="unscale_and_step|loss_scaling_step|safe_sgd_step|apply_scaled_grads", algorithm="loss scaling with overflow check")
def unscale_step(g: each(unscaled_gradient), w: inout(parameter), buf: maybe(inout(momentum_buffer), 0.5), beta: maybe(setting(momentum_factor), 1.0), scale: setting(gain, 16.0, 64.0), lr: setting(learning_rate), limit: setting(gradient_limit, 0.5, 1.5), ceiling: setting(unscaled_gradient, 70.0, 95.0), decay_: maybe(setting(weight_decay), 0.4), bad: maybe(add(count_value, 1), 0.6), norm_sq: maybe(add(square_sum, 1), 0.5)):
    names(raw="raw|gs|scaled|half_g", x="x|gi|grad_i|true_g", v="v|mom|vel|avg_g", step="step|delta|upd|move")
    i = wp.tid()
    raw = g[i]
    note("what does not fit into half precision is not a gradient|overflow")
    if not wp.isfinite(raw) or wp.abs(raw) > ceiling:
        if present(bad):
            wp.atomic_add(bad, 0, 1)
        return
    x = raw / scale
    if present(norm_sq):
        wp.atomic_add(norm_sq, 0, x * x)
    x = wp.clamp(x, -limit, limit)
    if present(decay_):
        x += decay_ * w[i]
    if present(buf) and present(beta):
        v = beta * buf[i] + x
        buf[i] = v
        step = v
    else:
        step = x
    w[i] = w[i] - lr * step


@scene("geometry", "math", "control_flow", "atomic", sample,
       says="turns the readings of a spinning laser scanner into points and leaves out readings that are too near, too far or on the ground",
       title="lidar_points|scan_to_points|convert_returns|lidar_sectors", algorithm="polar scan to points")
def lidar_points(az: each(scan_angle), el: each(beam_elevation), rng: each(range_reading), offset: setting(scan_angle, 0.0, 30.0), near: setting(range_reading, 0.5, 1.5), far: setting(range_reading, 20.0, 28.0), height_: setting(height, 1.0, 2.0), p_out: out(position), sector: maybe(out(index_value), 0.6), hist: maybe(add(count_value, 12), 1.0), valid: maybe(out(flag), 0.6)):
    names(a="a|heading_d|turned|deg", b="b|rad_a|theta|phi_a", e="e|rad_e|tilt|elev", r="r|dist|echo_r|meas", flat="flat|ground_r|hor|level_r", z="z|up|hgt|alt", k="k|bin|sec|wedge", ok="ok|good|keep|usable")
    i = wp.tid()
    r = rng[i]
    a = wp.mod(az[i] + offset, 360.0)
    b = wp.radians(a)
    e = wp.radians(el[i])
    flat = r * wp.cos(e)
    z = height_ + r * wp.sin(e)
    ok = int(1)
    note("the car itself and the noise far out|range gate")
    if r < near or r > far:
        ok = int(0)
    if z < number(0.1, 0.3, "ground"):
        note("hits on the road|ground return")
        ok = int(0)
    k = int(wp.trunc(a / 30.0))
    if present(sector):
        sector[i] = k
    if present(valid):
        valid[i] = ok
    if ok == 0:
        p_out[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    p_out[i] = wp.vec3(flat * wp.cos(b), flat * wp.sin(b), z)
    if present(hist):
        wp.atomic_add(hist, k, 1)
