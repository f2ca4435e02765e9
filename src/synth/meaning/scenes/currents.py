"""Currents on grids and work on meshes: swirls, sharp advection, surface tension, melting, ice, groundwater; rings, creases, normals, subdivision."""


@law("currents", "the temperature above the melting point of matter that holds an amount of heat, and how much of it is molten", title="compute_temperature|invert_enthalpy|phase_state", private=True, function=True)
def state_of_enthalpy(h: enthalpy_value, cs: heat_capacity, cl: heat_capacity, latent: latent_heat) -> (relative_temperature, ratio):
    if h < 0.0:
        return h / cs, 0.0
    if h < latent:
        return 0.0, h / latent
    return (h - latent) / cl, 1.0


@law("currents", "the conductance between two cells, by the harmonic mean", title="harmonic_mean|face_conductance|interface_k", private=True, function=True)
def harmonic_pair(a: conductivity, b: conductivity) -> conductivity:
    return 2.0 * a * b / (a + b)


@law("currents", "a vector made one long, or zero where it is too short", title="safe_normalize|unit_or_zero|normalize_or_zero", private=True, function=True)
def unit_or_zero(v: vector2) -> vector2:
    names(l="l|len_v|mag")
    l = wp.length(v)
    if l < 1.0e-3:
        return wp.vec2(0.0, 0.0)
    return v / l


@law("currents", "the tangent of half the angle between two directions from a point", title="half_tangent|tan_half_angle|half_angle", private=True, function=True)
def half_tangent(a: vector2, b: vector2) -> ratio:
    names(la="la|ra|na", lb="lb|rb|nb", d="d|dt_|inner", c="c|cr|outer")
    la = wp.length(a)
    lb = wp.length(b)
    d = wp.dot(a, b)
    c = a[0] * b[1] - a[1] * b[0]
    return c / wp.max(la * lb + d, 1.0e-6)


@scene("stencil", "physics", "vector", "control_flow", cell,
       says="drives the swirls that a coarse grid has lost back into a flow",
       title="confine_vorticity|swirl_force|smoke_forces|vorticity_confinement", algorithm="vorticity confinement")
def confine_vorticity(v: inout(velocity), w: each(vorticity_vector), smoke: maybe(each(smoke_density), 0.6), temp: maybe(each(temperature, range=(280.0, 360.0)), 0.6), t_air: maybe(setting(ambient_temperature), 1.0), solid: maybe(each(flag), 0.4), eps: setting(gain, 0.1, 0.6), h: setting(cell_size), lift: maybe(setting(gain, 0.05, 0.3), 1.0), weight_: maybe(setting(gain, 0.1, 0.5), 1.0), dt: setting(time_step)):
    names(eps="eps|confinement|strength|swirl_gain", w="w|vorticity|omega|curl_v", temp="temp|temperature|air_temp|heat_t", weight_="smoke_weight|weight_smoke|sink_rate|smoke_drag", lift="lift|buoyancy|buoyancy_gain|rise_rate", smoke="smoke|smoke_density|soot|haze", il="il|xm|i_lo|west", ih="ih|xp|i_hi|east", jl="jl|ym|j_lo|south", jh="jh|yp|j_hi|north", kl="kl|zm|k_lo|below", kh="kh|zp|k_hi|above", g="g|eta|grad_w|slope", n="n|loc|unit_g|toward", f="f|force_i|acc|push", m="m|len_g|mag|steep")
    i, j, k = wp.tid()
    if present(solid):
        note("no flow inside walls|solid cell")
        if solid[i, j, k] == 1:
            v[i, j, k] = wp.vec3(0.0, 0.0, 0.0)
            return
    note("at the border the cell itself stands for its neighbour|clamped stencil")
    il = wp.max(i - 1, 0)
    ih = wp.min(i + 1, count(cell) - 1)
    jl = wp.max(j - 1, 0)
    jh = wp.min(j + 1, count(cell, 1) - 1)
    kl = wp.max(k - 1, 0)
    kh = wp.min(k + 1, count(cell, 2) - 1)
    g = wp.vec3(wp.length(w[ih, j, k]) - wp.length(w[il, j, k]), wp.length(w[i, jh, k]) - wp.length(w[i, jl, k]), wp.length(w[i, j, kh]) - wp.length(w[i, j, kl])) * (0.5 / h)
    f = wp.vec3()
    m = wp.length(g)
    note("towards the centre of the swirl, then around it|no swirl, no push")
    if m > constant("SWIRL_EPS|GRAD_EPS", 1.0e-4):
        n = g / m
        f = wp.cross(n, w[i, j, k]) * (eps * h)
    if present(temp) and present(t_air) and present(lift):
        note("warm air rises|buoyancy")
        f = f + wp.vec3(0.0, lift * (temp[i, j, k] - t_air), 0.0)
    if present(smoke) and present(weight_):
        f = f - wp.vec3(0.0, weight_ * smoke[i, j, k], 0.0)
    v[i, j, k] = v[i, j, k] + f * dt


@scene("stencil", "control_flow", "math", cell,
       says="sharpens an advected field by half the error that going forth and back has made, within what was around the departure point",
       title="maccormack_correct|error_compensated_advection|sharpen_advection|limit_correction", algorithm="MacCormack correction with a limiter")
def sharpened_advection(old: each(field_value), ahead: each(field_value), again: each(field_value), v: each(velocity2), dt: setting(time_step, 0.02, 0.3), h: setting(cell_size, 0.3, 1.0), strength: maybe(setting(ratio, 0.5, 1.0), 0.4), out_f: out(field_value), limited: maybe(add(count_value, 1), 0.5)):
    names(x="x|back_i|from_x|xi", y="y|back_j|from_y|yj", i0="i0|ia|r0|lo_i", j0="j0|ja|c0|lo_j", lo="lo|low|f_min|least", hi="hi|high|f_max|most", c="c|cor|fixed|sharp", raw="raw|wanted|unlimited|free_c", old="old|field_n|phi|before", ahead="ahead|phi_hat|predicted|forward", again="again|phi_back|returned|backward", k="k|amount|half|share")
    i, j = wp.tid()
    note("where the fluid came from|trace back")
    x = wp.clamp(float(i) - v[i, j][0] * dt / h, 0.0, float(count(cell)) - 1.001)
    y = wp.clamp(float(j) - v[i, j][1] * dt / h, 0.0, float(count(cell, 1)) - 1.001)
    i0 = int(wp.floor(x))
    j0 = int(wp.floor(y))
    lo = wp.min(wp.min(old[i0, j0], old[i0 + 1, j0]), wp.min(old[i0, j0 + 1], old[i0 + 1, j0 + 1]))
    hi = wp.max(wp.max(old[i0, j0], old[i0 + 1, j0]), wp.max(old[i0, j0 + 1], old[i0 + 1, j0 + 1]))
    if present(strength):
        k = 0.5 * strength
    else:
        k = float(0.5)
    raw = ahead[i, j] + k * (old[i, j] - again[i, j])
    match choose("limiter"):
        case 2:
            fact("corrections are clamped")
            c = wp.clamp(raw, lo, hi)
        case 1:
            fact("where the correction leaves the range the plain result stays")
            c = raw
            if raw < lo or raw > hi:
                c = ahead[i, j]
    out_f[i, j] = c
    if present(limited):
        if raw < lo or raw > hi:
            wp.atomic_add(limited, 0, 1)


@scene("stencil", "function", "vector", "physics", cell,
       says="computes the force of surface tension from the share of liquid in each cell: curvature from how the normal turns, times the gradient",
       title="surface_tension_force|csf_force|capillary_force|interface_tension", algorithm="continuum surface force")
def capillary_force(c: each(phase_indicator), sigma: setting(surface_tension), h: setting(cell_size), f: out(force2), kappa_out: maybe(out(curvature), 0.6), band: maybe(out(flag), 0.4)):
    names(g="g|grad_c|slope|dc", ge="ge|n_e|right_n|east_n", gw="gw|n_w|left_n|west_n", gn="gn|n_n|up_n|north_n", gs="gs|n_s|down_n|south_n", kappa="kappa|curv|k_c|bend", half="half|inv2h|s2|scale_d")
    i, j = wp.tid()
    note("two cells from the border there is not enough around|skip the rim")
    if i < 2 or j < 2 or i >= count(cell) - 2 or j >= count(cell, 1) - 2:
        f[i, j] = wp.vec2(0.0, 0.0)
        if present(kappa_out):
            kappa_out[i, j] = 0.0
        if present(band):
            band[i, j] = 0
        return
    half = 0.5 / h
    g = wp.vec2(c[i + 1, j] - c[i - 1, j], c[i, j + 1] - c[i, j - 1]) * half
    if wp.length(g) < number(0.05, 0.2, "flat"):
        note("inside one fluid: no surface|pure cell")
        f[i, j] = wp.vec2(0.0, 0.0)
        if present(kappa_out):
            kappa_out[i, j] = 0.0
        if present(band):
            band[i, j] = 0
        return
    note("normals of the four neighbours|where the surface looks beside")
    ge = unit_or_zero(wp.vec2(c[i + 2, j] - c[i, j], c[i + 1, j + 1] - c[i + 1, j - 1]) * half)
    gw = unit_or_zero(wp.vec2(c[i, j] - c[i - 2, j], c[i - 1, j + 1] - c[i - 1, j - 1]) * half)
    gn = unit_or_zero(wp.vec2(c[i + 1, j + 1] - c[i - 1, j + 1], c[i, j + 2] - c[i, j]) * half)
    gs = unit_or_zero(wp.vec2(c[i + 1, j - 1] - c[i - 1, j - 1], c[i, j] - c[i, j - 2]) * half)
    kappa = -((ge[0] - gw[0]) + (gn[1] - gs[1])) * half
    note("no sharper than the grid can show|limit the curvature")
    kappa = wp.clamp(kappa, -1.0 / h, 1.0 / h)
    f[i, j] = g * (sigma * kappa)
    if present(kappa_out):
        kappa_out[i, j] = kappa
    if present(band):
        band[i, j] = 1


@scene("stencil", "function", "multi_conditional", "nested_loop", cell,
       says="conducts heat between the cells of a melting body in terms of enthalpy, so that melting takes its latent heat",
       title="melt_step|enthalpy_conduction|phase_change_step|solidification_step", algorithm="enthalpy method for melting")
def melt_step(ent: each(enthalpy_value), cs: setting(heat_capacity, 1.0, 3.0), cl: setting(heat_capacity, 1.0, 3.0), latent: setting(latent_heat, 40.0, 120.0), ks: setting(conductivity, 0.5, 2.0), kl: setting(conductivity, 0.2, 1.0), dt: setting(time_step), h: setting(cell_size), bath: maybe(setting(relative_temperature, 10.0, 60.0), 0.5), ent_out: out(enthalpy_value), molten_out: maybe(out(ratio), 0.6), t_out: maybe(out(relative_temperature), 0.4)):
    names(t0="t0|temp_c|own_t|here_t", l0="l0|melt_c|own_l|here_l", t1="t1|temp_n|nb_t|there_t", l1="l1|melt_n|nb_l|there_l", k0="k0|cond_c|own_k|here_k", k1="k1|cond_n|nb_k|there_k", flow="flow|flux|heat_in|q_sum", a="a|ii|ni|nb_i", b="b|jj|nj|nb_j", new="new|h_new|ent_n|content")
    i, j = wp.tid()
    t0, l0 = state_of_enthalpy(ent[i, j], cs, cl, latent)
    k0 = wp.lerp(ks, kl, l0)
    flow = float(0.0)
    for side in range(4):
        a = i
        b = j
        if side == 0:
            a = i - 1
        elif side == 1:
            a = i + 1
        elif side == 2:
            b = j - 1
        else:
            b = j + 1
        if a < 0 or b < 0 or a >= count(cell) or b >= count(cell, 1):
            if present(bath):
                note("the rim touches a bath|fixed temperature outside")
                flow += k0 * (bath - t0) / h
            else:
                note("the rim is insulated|no flux")
                continue
        else:
            t1, l1 = state_of_enthalpy(ent[a, b], cs, cl, latent)
            k1 = wp.lerp(ks, kl, l1)
            flow += harmonic_pair(k0, k1) * (t1 - t0) / h
    new = ent[i, j] + flow * dt / h
    ent_out[i, j] = new
    if present(molten_out) or present(t_out):
        t1, l1 = state_of_enthalpy(new, cs, cl, latent)
        if present(molten_out):
            molten_out[i, j] = l1
        if present(t_out):
            t_out[i, j] = t1


@scene("stencil", "math", "nested_loop", "physics", cell,
       says="lets a sheet of ice flow down its own surface slope, faster where it is thick, and grow or melt",
       title="ice_flow_step|shallow_ice|glacier_step|flow_ice_sheet", algorithm="shallow ice approximation")
def shallow_ice(thk: each(ice_thickness), bed: each(bed_elevation), balance: maybe(each(mass_balance), 0.6), gamma: setting(gain, 0.001, 0.02), h: setting(cell_size, 0.5, 1.0), dt: setting(time_step), thk_out: out(ice_thickness), speed_out: maybe(out(speed), 0.4), bare: maybe(out(flag), 0.4)):
    names(net="net|div_q|gain_i|inflow", a="a|ni|nb_i|ii", b="b|nj|nb_j|jj", mean_h="mean_h|h_face|avg_h|thick_f", slope="slope|ds|grad_f|drop", diff="diff|d_face|mobility|d_eff", new="new|h_new|thk_n|next_h", top="top|fastest|peak_v|v_face", s0="s0|surf_c|own_s|here_s", s1="s1|surf_n|nb_s|there_s")
    i, j = wp.tid()
    s0 = bed[i, j] + thk[i, j]
    net = float(0.0)
    top = float(0.0)
    for side in range(4):
        a = i
        b = j
        if side == 0:
            a = wp.max(i - 1, 0)
        elif side == 1:
            a = wp.min(i + 1, count(cell) - 1)
        elif side == 2:
            b = wp.max(j - 1, 0)
        else:
            b = wp.min(j + 1, count(cell, 1) - 1)
        s1 = bed[a, b] + thk[a, b]
        mean_h = 0.5 * (thk[i, j] + thk[a, b])
        slope = (s1 - s0) / h
        note("thickness to the fifth power, slope squared: Glen's law|nonlinear diffusivity")
        diff = gamma * mean_h * mean_h * mean_h * mean_h * mean_h * slope * slope
        note("bare rock gives no ice, however high it stands|no outflow from empty cells")
        if slope > 0.0 and thk[a, b] <= 0.0:
            diff = 0.0
        elif slope < 0.0 and thk[i, j] <= 0.0:
            diff = 0.0
        net += diff * slope / h
        if present(speed_out):
            top = wp.max(top, diff * wp.abs(slope) / wp.max(mean_h, 0.01))
    new = thk[i, j] + net * dt
    if present(balance):
        new += balance[i, j] * dt
    thk_out[i, j] = wp.max(new, 0.0)
    if present(speed_out):
        speed_out[i, j] = top
    if present(bare):
        if new <= number(0.01, 0.2, "bare"):
            bare[i, j] = 1
        else:
            bare[i, j] = 0


@scene("stencil", "multi_conditional", "function", "nested_loop", cell,
       says="moves the water table of an aquifer by one step: flow between cells by Darcy's law, wells that pump, rivers at a fixed level, rock without water",
       title="groundwater_step|aquifer_step|water_table_update|unconfined_flow", algorithm="explicit unconfined groundwater flow")
def aquifer_step(head_: each(hydraulic_head), k: each(hydraulic_conductivity), use: kind(AQUIFER, RIVER, WELL, ROCK), stage: setting(hydraulic_head, 4.0, 8.0), rain: maybe(setting(mass_balance, 0.01, 0.1), 0.5), pump: setting(pump_rate, 0.05, 0.4), sy: setting(porosity, 0.2, 0.4), h: setting(cell_size, 0.8, 1.0), dt: setting(time_step, 0.001, 0.01), head_out: out(hydraulic_head), dry: maybe(out(flag), 0.4)):
    names(net="net|q_sum|inflow|balance_q", a="a|ni|nb_i|ii", b="b|nj|nb_j|jj", own="own|h0|wet|depth_c", other="other|h1|nb_h|there_h", kf="kf|k_face|cond_f|k_mid", thick="thick|sat|wet_f|b_face", new="new|h_new|table|next_h")
    i, j = wp.tid()
    own = head_[i, j]
    if use[i, j] == ROCK:
        note("nothing flows in rock|inactive cell")
        head_out[i, j] = own
        if present(dry):
            dry[i, j] = 1
        return
    if use[i, j] == RIVER:
        head_out[i, j] = stage
        if present(dry):
            dry[i, j] = 0
        return
    net = float(0.0)
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if wp.abs(di) + wp.abs(dj) != 1:
                continue
            a = i + di
            b = j + dj
            if a < 0 or b < 0 or a >= count(cell) or b >= count(cell, 1):
                continue
            if use[a, b] == ROCK:
                continue
            other = head_[a, b]
            if use[a, b] == RIVER:
                other = stage
            kf = harmonic_pair(k[i, j], k[a, b])
            note("only the wet part of the face conducts|saturated thickness")
            thick = 0.5 * (own + other)
            net += kf * thick * (other - own) / (h * h)
    if present(rain):
        net += rain
    if use[i, j] == WELL:
        note("a well takes water only while there is some|pumping")
        if own > number(2.5, 4.0, "intake"):
            net -= pump / (h * h)
    new = wp.max(own + net * dt / sy, 0.0)
    head_out[i, j] = new
    if present(dry):
        if new < number(2.5, 4.0, "shallow"):
            dry[i, j] = 1
        else:
            dry[i, j] = 0


@scene("control_flow", "geometry", "nested_loop", "integer", vertex,
       says="walks around each vertex from half-edge to half-edge until it comes back or meets a border and averages the neighbours",
       title="walk_one_ring|halfedge_ring|circulate_vertex|ring_average", algorithm="half-edge circulation", lossy=True)
def ring_walk(x: each(position, vertex), out_edge: index(edge), twin: index(edge, over=edge), nxt: index(edge, over=edge), to: index(vertex, over=edge), mean_out: out(position), valence: maybe(out(count_value), 0.7), border: maybe(out(flag), 0.6), lap: maybe(out(displacement), 0.4)):
    names(h="h|cur|he|edge_h", first="first|begin|h0|start_h", acc="acc|sum_p|total_p|ring_sum", n="n|deg|steps|ring_n", open_="open_|at_border|is_open|ended", w="w|head_v|tip|nb", other="other|opp|pair_h|mate", twin="twin|opposite|he_twin|pair_id", nxt="nxt|he_next|next_id|succ", to="to|he_vertex|head_id|tip", out_edge="out_edge|vertex_he|some_edge|leaving")
    v = wp.tid()
    first = out_edge[v]
    h = first
    acc = wp.vec3()
    n = int(0)
    open_ = int(0)
    note("broken tables must not hang the walk|bounded number of steps")
    while n < constant("MAX_VALENCE|MAX_RING|RING_LIMIT", 12):
        w = to[h]
        acc += x[w]
        n += 1
        other = twin[h]
        note("an edge that is its own twin lies on the border|boundary half-edge")
        if other == h:
            open_ = int(1)
            break
        h = nxt[other]
        if h == first:
            break
    mean_out[v] = acc / float(n)
    if present(valence):
        valence[v] = n
    if present(border):
        border[v] = open_
    if present(lap):
        lap[v] = acc / float(n) - x[v]


@scene("geometry", "multi_conditional", "atomic", "function", edge,
       says="sorts the edges of a mesh into flat ones, convex and concave creases and degenerate ones by the fold between their two faces",
       title="classify_edges|find_creases|feature_edges|sharp_edges", algorithm="crease detection by dihedral angle")
def classify_edges(x: each(position, vertex), ids: index(vertex, 4), limit: setting(angle, 0.3, 1.0), class_out: out(label), fold_out: maybe(out(angle), 0.5), degree_: maybe(add(count_value, vertex), 0.6), sharp: maybe(add(count_value, 1), 0.4)):
    names(a="a|i0|va|tail", b="b|i1|vb|head", c="c|i2|vc|left_v", d="d|i3|vd|right_v", n1="n1|na|left_n|fn0", n2="n2|nb|right_n|fn1", e="e|along|axis_e|edge_d", fold="fold|bend|phi|turn", kind_="kind_|cls|tag|kind_e")
    k = wp.tid()
    a = ids[k, 0]
    b = ids[k, 1]
    c = ids[k, 2]
    d = ids[k, 3]
    n1 = wp.cross(x[b] - x[a], x[c] - x[a])
    n2 = wp.cross(x[d] - x[a], x[b] - x[a])
    e = x[b] - x[a]
    note("a face without area has no side|degenerate")
    if c == d or wp.length(n1) < number(0.01, 0.05, "thin") or wp.length(n2) < number(0.01, 0.05, "thin"):
        class_out[k] = 3
        if present(fold_out):
            fold_out[k] = 0.0
        return
    n1 = wp.normalize(n1)
    n2 = wp.normalize(n2)
    fold = wp.atan2(wp.dot(wp.cross(n1, n2), wp.normalize(e)), wp.dot(n1, n2))
    if present(fold_out):
        fold_out[k] = fold
    kind_ = int(0)
    if wp.abs(fold) > limit:
        note("the sign tells ridge from valley|convex or concave")
        if fold > 0.0:
            kind_ = int(1)
        else:
            kind_ = int(2)
        if present(degree_):
            wp.atomic_add(degree_, a, 1)
            wp.atomic_add(degree_, b, 1)
        if present(sharp):
            wp.atomic_add(sharp, 0, 1)
    class_out[k] = kind_


@scene("geometry", "reduction", "nested_loop", "math", "vector", face,
       says="smooths the normals of a mesh over neighbouring faces, less across creases and over distance",
       title="bilateral_normals|filter_face_normals|denoise_normals|smooth_normal_field", algorithm="bilateral filter of face normals", rare=True)
def bilateral_normals(start: offsets(item), ring: index(face, over=item), n: each(normal), c: each(position), a: maybe(each(area), 0.6), ss: setting(standard_deviation, 0.5, 2.0), sr: setting(range_sigma, 0.3, 1.0), n_out: out(filtered_normal), change: maybe(out(angle), 0.5)):
    names(ni="ni|own_n|n_here|mid_n", nj="nj|nb_n|n_there|ring_n", acc="acc|sum_n|blend_n|total_n", w="w|wt|share|weight_f", d="d|gap|dist_c|off_c", e="e|turn|dn|diff_n", j="j|nb|other|f_j", l="l|len_n|mag|acc_len")
    i = wp.tid()
    ni = n[i] / wp.max(wp.length(n[i]), 0.01)
    if present(a):
        acc = ni * a[i]
    else:
        acc = ni
    for k in range(start[i], start[i + 1]):
        j = ring[k]
        if j == i:
            continue
        nj = n[j] / wp.max(wp.length(n[j]), 0.01)
        d = wp.length(c[j] - c[i])
        e = wp.length(nj - ni)
        w = wp.exp(-0.5 * d * d / (ss * ss)) * wp.exp(-0.5 * e * e / (sr * sr))
        if present(a):
            note("large faces speak louder|area weight")
            w = w * a[j]
        acc += nj * w
    l = wp.length(acc)
    note("opposite neighbours have cancelled out|keep the old normal")
    if l < constant("NORMAL_EPS|MIN_LENGTH", 1.0e-3):
        n_out[i] = ni
        if present(change):
            change[i] = 0.0
        return
    n_out[i] = acc / l
    if present(change):
        change[i] = wp.atan2(wp.length(wp.cross(ni, acc)), wp.dot(ni, acc))


@scene("geometry", "reduction", "control_flow", "math", vertex,
       says="moves the old vertices of a triangle mesh for one step of subdivision, by their ring{border:, or along the border by two neighbours}{crease:; corners stay}",
       title="loop_subdivision|subdivide_vertices|loop_even_vertices|smooth_even_points", algorithm="Loop subdivision of old vertices")
def loop_vertices(x: each(position, vertex), start: offsets(item), ring: index(vertex, over=item), border: maybe(each(flag), 0.6), crease: maybe(each(flag), 0.4), x_out: out(position), shift: maybe(out(distance), 0.5)):
    names(n="n|val|valence_v|deg", first="first|lo|beg|r0", acc="acc|sum_p|ring_sum|around", beta="beta|wb|ring_w|share", c="c|cosine|cv|centre_c", p="p|here|own|old_p", q="q|new_p|moved|next_p", a="a|nb_a|ra|left_r", b="b|nb_b|rb|right_r")
    v = wp.tid()
    p = x[v]
    first = start[v]
    n = start[v + 1] - first
    note("nothing around to follow|isolated vertex")
    if n < 2:
        x_out[v] = p
        if present(shift):
            shift[v] = 0.0
        return
    if present(crease):
        note("corners stay|pinned by a crease")
        if crease[v] == 1:
            x_out[v] = p
            if present(shift):
                shift[v] = 0.0
            return
    q = p
    if present(border):
        if border[v] == 1:
            note("the border is a curve of its own: first and last of the ring|boundary rule")
            a = ring[first]
            b = ring[first + n - 1]
            q = p * 0.75 + (x[a] + x[b]) * 0.125
            x_out[v] = q
            if present(shift):
                shift[v] = wp.length(q - p)
            return
    acc = wp.vec3()
    for k in range(n):
        a = ring[first + k]
        acc += x[a]
    match choose("weights"):
        case 2:
            fact("the weights are Loop's")
            c = 0.375 + 0.25 * wp.cos(2.0 * wp.pi / float(n))
            beta = (0.625 - c * c) / float(n)
        case 1:
            fact("the weights are Warren's")
            beta = 3.0 / (8.0 * float(n))
            if n == 3:
                beta = 0.1875
    q = p * (1.0 - float(n) * beta) + acc * beta
    x_out[v] = q
    if present(shift):
        shift[v] = wp.length(q - p)


@scene("geometry", "matrix", "math", "function", face,
       says="measures how much a flat parametrization stretches each triangle",
       title="uv_distortion|parametrization_stretch|texture_stretch|chart_quality", algorithm="singular values of a triangle parametrization")
def uv_stretch(x: each(position, vertex), uv: each(uv_coordinate, vertex), tri: index(vertex, 3), stretch_out: out(stretch_value), angle_out: maybe(out(stretch_value), 0.6), flipped: maybe(out(flag), 0.5), total: maybe(add(stretch_value, 1), 0.4)):
    names(a="a|i0|va|n0", b="b|i1|vb|n1", c="c|i2|vc|n2", e1="e1|du1|uv_ab|p1", e2="e2|du2|uv_ac|p2", det="det|area2|uv_det|signed2", ps="ps|xu|tan_u|d_du", pt="pt|xv|tan_v|d_dv", ea="ea|ss|first_e|g11", eb="eb|st|mixed|g12", ec="ec|tt|third_e|g22", mid="mid|half_tr|mean_e|avg_e", disc="disc|root|spread_e|gap_e", big="big|s_max|gamma_hi|largest", small="small|s_min|gamma_lo|least", val="val|meas|score_f|metric")
    f = wp.tid()
    a = tri[f, 0]
    b = tri[f, 1]
    c = tri[f, 2]
    e1 = uv[b] - uv[a]
    e2 = uv[c] - uv[a]
    det = e1[0] * e2[1] - e1[1] * e2[0]
    if present(flipped):
        if det < -0.0001:
            flipped[f] = 1
        else:
            flipped[f] = 0
    note("folded to a line in the chart: no derivative|degenerate in the plane")
    if wp.abs(det) < number(0.01, 0.05, "line"):
        stretch_out[f] = 0.0
        if present(angle_out):
            angle_out[f] = 0.0
        return
    note("derivatives of the surface along u and v|tangents")
    ps = ((x[b] - x[a]) * e2[1] - (x[c] - x[a]) * e1[1]) / det
    pt = ((x[c] - x[a]) * e1[0] - (x[b] - x[a]) * e2[0]) / det
    ea = wp.dot(ps, ps)
    eb = wp.dot(ps, pt)
    ec = wp.dot(pt, pt)
    mid = 0.5 * (ea + ec)
    disc = wp.sqrt(wp.max(mid * mid - (ea * ec - eb * eb), 0.0) + 1.0e-8)
    big = wp.sqrt(mid + disc)
    small = wp.sqrt(wp.max(mid - disc, 0.0) + 1.0e-6)
    match choose("measure"):
        case 2:
            fact("the measure is the root mean square of both stretches")
            val = wp.sqrt(mid)
        case 1:
            fact("the measure is the larger of both stretches")
            val = big
    stretch_out[f] = val
    if present(angle_out):
        note("one for maps that keep angles|conformal distortion")
        angle_out[f] = wp.min(big / small, number(10.0, 50.0, "cap"))
    if present(total):
        wp.atomic_add(total, 0, val * wp.abs(det))


@scene("geometry", "nested_loop", "function", "reduction", query,
       says="interpolates values of the corners of a polygon at each point with mean value coordinates",
       title="mean_value_coordinates|polygon_interpolation|mvc_interpolate|cage_weights", algorithm="mean value coordinates")
def mean_value(p: each(point2, range=(-0.6, 0.6)), r: each(radius, vertex, range=(0.9, 1.6)), val: each(field_value, vertex), val_out: out(field_value), sum_out: maybe(out(positive_value), 0.5), near: maybe(out(flag), 0.3)):
    names(acc="acc|num|weighted|val_sum", total="total|den|w_sum|mass_w", cur="cur|pi|here_v|spoke", prev="prev|pm|before_v|last_s", nxt="nxt|pn|after_v|next_s", w="w|wk|weight_v|mvc_w", d="d|dist_k|len_s|rad_k", k="k|v|corner|vi", n="n|sides|m|corners_n", best="best|closest|d_min|nearest_d", step="step|turn|dphi|sector")
    q = wp.tid()
    acc = float(0.0)
    total = float(0.0)
    best = float(10.0)
    note("corners stand around the origin at equal angles|star-shaped cage")
    step = 2.0 * wp.pi / float(count(vertex))
    for k in range(count(vertex)):
        cur = wp.vec2(r[k] * wp.cos(float(k) * step), r[k] * wp.sin(float(k) * step)) - p[q]
        n = (k + count(vertex) - 1) % count(vertex)
        prev = wp.vec2(r[n] * wp.cos(float(n) * step), r[n] * wp.sin(float(n) * step)) - p[q]
        n = (k + 1) % count(vertex)
        nxt = wp.vec2(r[n] * wp.cos(float(n) * step), r[n] * wp.sin(float(n) * step)) - p[q]
        d = wp.length(cur)
        best = wp.min(best, d)
        w = (half_tangent(prev, cur) + half_tangent(cur, nxt)) / wp.max(d, 1.0e-3)
        acc += w * val[k]
        total += w
    val_out[q] = acc / total
    if present(sum_out):
        sum_out[q] = total
    if present(near):
        if best < number(0.3, 0.8, "close"):
            near[q] = 1
        else:
            near[q] = 0
