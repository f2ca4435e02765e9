"""Data in structs: inventories, sensors, bodies, packets, orders, lights."""


@scene("struct", "multi_conditional", "arithmetic", item,
       says="values each position of a portfolio by its kind: cash, shares, or options at their intrinsic value",
       title="value_positions|mark_to_market|position_values", algorithm="marking to market")
def portfolio(what: kind(CASH, SHARES, CALL, PUT), units: each(quantity_held), spot: each(price), k: each(strike), rate: maybe(setting(ratio, 0.001, 0.01), 0.5), total: maybe(add(cash, 1), 0.5), worth: out(cash)):
    names(v="v|val|amount|worth_i", n="n|qty|size|held", p="p|px|last|quote")
    i = wp.tid()
    n = units[i]
    p = spot[i]
    v = float(0.0)
    if what[i] == CASH:
        v = n
    elif what[i] == SHARES:
        v = n * p
    elif what[i] == CALL:
        v = n * wp.max(p - k[i], 0.0)
    else:
        v = n * wp.max(k[i] - p, 0.0)
    if present(rate):
        note("fees are taken off the value|exit costs")
        if what[i] != CASH:
            v = v * (1.0 - rate)
    worth[i] = v
    if present(total):
        wp.atomic_add(total, 0, v)


@scene("struct", "control_flow", "math", sample,
       says="fuses the readings of a gyroscope and an accelerometer by a complementary filter",
       title="fuse_imu|complementary_filter|estimate_tilt", algorithm="complementary filter")
def imu(tilt: inout(tilt_angle), gyro: each(angular_speed), acc: each(vector2, range=(0.2, 1.5)), alpha: setting(smoothing_alpha, 0.8, 0.98), dt: setting(time_step), bias: maybe(setting(small_angle), 0.5), trusted: maybe(out(flag), 0.4)):
    names(rate="rate|w|omega|gyro_i", by_acc="by_acc|tilt_acc|measured|acc_angle", norm="norm|g|mag|acc_len", est="est|angle_i|fused|theta")
    i = wp.tid()
    rate = gyro[i]
    if present(bias):
        rate = rate - bias
    est = tilt[i] + rate * dt
    norm = wp.length(acc[i])
    note("the accelerometer shows gravity only when nothing else pulls|reject shocks")
    if norm > number(0.5, 0.8) and norm < number(1.3, 1.8):
        by_acc = wp.atan2(acc[i][0], acc[i][1])
        est = alpha * est + (1.0 - alpha) * by_acc
        if present(trusted):
            trusted[i] = 1
    else:
        if present(trusted):
            trusted[i] = 0
    tilt[i] = est


@scene("struct", "nested_loop", "vector", vertex,
       says="shades each vertex by a list of point lights with a diffuse and a specular part",
       title="shade_vertices|phong_lighting|light_vertices", algorithm="Blinn-Phong shading")
def shade(x: each(position), n: each(normal), base: each(albedo), lx: each(position, light, range=(2.5, 4.0)), lc: each(colour, light), eye: setting(position, 3.0, 5.0), shine: setting(shininess), ka: maybe(setting(ratio, 0.02, 0.2), 0.6), c: out(radiance)):
    names(nn="nn|nrm|ni|up", acc="acc|col|sum_c|lit", view="view|v|to_eye|dir_v", l="l|dir_l|to_light|wi", d="d|diff|lambert|ndotl", h="h|half_v|mid|hv", s="s|spec|hl|gloss", dist="dist|r|dl|len_l")
    i = wp.tid()
    nn = wp.normalize(n[i])
    view = wp.normalize(eye - x[i])
    acc = wp.vec3()
    if present(ka):
        note("ambient light")
        acc = base[i] * ka
    for k in range(count(light)):
        l = lx[k] - x[i]
        dist = wp.length(l)
        l = l / dist
        d = wp.dot(nn, l)
        note("lights behind the surface do nothing|back side")
        if d <= 0.0:
            continue
        h = wp.normalize(l + view)
        s = wp.pow(wp.max(wp.dot(nn, h), 0.0), shine)
        acc += (wp.cw_mul(base[i], lc[k]) * d + lc[k] * s) / (dist * dist)
    c[i] = acc


@scene("struct", "atomic", "physics", particle,
       says="drops each particle's mass{gp: and momentum} onto the nearest node of a grid",
       title="particles_to_grid|deposit_mass|scatter_momentum", algorithm="nearest grid point deposition")
def deposit(x: each(point2, range=(0.0, 3.9)), v: each(vector2), m: each(mass), dx: setting(cell_size, 0.5, 1.0), dead: maybe(each(flag), 0.3), gm: add(mass, row, column), gp: maybe(add(vector2, row, column), 0.6)):
    names(gm="grid_mass|node_mass|gm|mass_grid", gp="grid_momentum|node_momentum|gp|momentum_grid", dead="dead|inactive|removed|skip", ix="ix|gx|i0|cx", iy="iy|gy|j0|cy", mi="mi|w|m_p|pm")
    i = wp.tid()
    if present(dead):
        if dead[i] == 1:
            return
    ix = wp.clamp(int(wp.floor(x[i][0] / dx + 0.5)), 0, count(row) - 1)
    iy = wp.clamp(int(wp.floor(x[i][1] / dx + 0.5)), 0, count(column) - 1)
    mi = m[i]
    wp.atomic_add(gm, ix, iy, mi)
    if present(gp):
        wp.atomic_add(gp, ix, iy, v[i] * mi)


@scene("struct", "scalar_param", "control_flow", cell,
       says="updates the water of each soil cell: rain comes in, plants drink, what is too much runs off",
       title="soil_bucket|water_balance|update_soil_moisture", algorithm="bucket model of soil water")
def bucket(store: inout(soil_storage), rain: each(rainfall, range=(0.0, 30.0)), demand: each(evaporation_rate, range=(0.5, 10.0)), cap: setting(bucket_capacity, 60.0, 80.0), wilt: setting(soil_moisture, 8.0, 15.0), slow: maybe(setting(ratio, 0.01, 0.1), 0.5), out_run: out(runoff), stress_out: maybe(out(ratio), 0.5)):
    names(s="s|water|level|w_i", et="et|taken|drink|uptake", over="over|excess|spill|surplus")
    i = wp.tid()
    s = store[i] + rain[i]
    note("plants cannot drink below the wilting point|limited by what is there")
    et = wp.min(demand[i], wp.max(s - wilt, 0.0))
    s = s - et
    over = wp.max(s - cap, 0.0)
    s = s - over
    if present(slow):
        note("slow drainage|base flow")
        over = over + slow * s
        s = s * (1.0 - slow)
    store[i] = s
    out_run[i] = over
    if present(stress_out):
        stress_out[i] = 1.0 - et / demand[i]


@scene("struct", "integer", "control_flow", item,
       says="decodes packed colours: alpha, red, green and blue from the bytes of a word, and premultiplies them",
       title="unpack_colors|decode_rgba|load_pixels", algorithm="unpacking of 8-bit channels")
def unpack(word: each(bits, range=(0, 2000000000)), gamma: maybe(setting(gamma_value), 0.4), fallback: maybe(setting(colour), 0.3), rgb: out(colour), a: maybe(out(opacity), 0.6)):
    names(w="w|packed|bits_i|v", r="r|red|cr|c0", g="g|green|cg|c1", b="b|blue|cb|c2", al="al|alpha_i|ca|c3")
    i = wp.tid()
    w = word[i]
    al = float((w >> wp.uint32(24)) & wp.uint32(255)) / 255.0
    r = float((w >> wp.uint32(16)) & wp.uint32(255)) / 255.0
    g = float((w >> wp.uint32(8)) & wp.uint32(255)) / 255.0
    b = float(w & wp.uint32(255)) / 255.0
    if present(fallback):
        note("fully transparent texels show the fallback colour|nothing to see")
        if al < number(0.02, 0.1):
            rgb[i] = fallback
            if present(a):
                a[i] = 0.0
            return
    if present(gamma):
        note("to linear light")
        r = wp.pow(r, gamma)
        g = wp.pow(g, gamma)
        b = wp.pow(b, gamma)
    rgb[i] = wp.vec3(r * al, g * al, b * al)
    if present(a):
        a[i] = al


@scene("combined", "struct", "nested_loop", "vector", ray,
       says="marches each ray through a field of spheres by signed distances until it hits, escapes, or gives up",
       title="sphere_tracing|raymarch|march_rays", algorithm="sphere tracing", lossy=True)
def sphere_trace(o: each(position, range=(-3.0, -2.0)), d: each(direction, range=(0.3, 1.0)), c: each(position, sphere, range=(-1.0, 1.0)), r: each(radius, sphere, range=(0.3, 0.8)), far: setting(ray_distance, 5.0, 8.0), soft: maybe(setting(blend_radius), 0.3), t_out: out(ray_distance), hit_out: maybe(out(flag), 0.7), steps_out: maybe(out(count_value), 0.4)):
    names(t="t|s|travelled|along", p="p|pos_t|x|at", dir="dir|rd|v|unit_d", best="best|dmin|near_d|sd", k="k|q|m|sph", hit="hit|found|inside|touch")
    i = wp.tid()
    dir = wp.normalize(d[i])
    t = float(0.0)
    hit = int(0)
    steps = int(0)
    while steps < constant("MAX_STEPS|MARCH_LIMIT", 48):
        p = o[i] + dir * t
        best = wp.length(p - c[0]) - r[0]
        for k in range(1, count(sphere)):
            if present(soft):
                note("smooth union of the spheres")
                best = smooth_union_distance(best, wp.length(p - c[k]) - r[k], soft)
            else:
                best = wp.min(best, wp.length(p - c[k]) - r[k])
        if best < constant("HIT_EPS|SURFACE_EPS", 0.001):
            hit = 1
            break
        t += best
        if t > far:
            break
        steps += 1
    t_out[i] = wp.min(t, far)
    if present(hit_out):
        hit_out[i] = hit
    if present(steps_out):
        steps_out[i] = steps


@scene("combined", "atomic", "function", particle,
       says="counts the particles in the cells of a uniform grid, keeps the highest speed in each cell{cell_index:, and notes the cell of each particle}",
       title="bin_particles|count_particles_in_cells|particle_grid", algorithm="binning into a uniform grid")
def bin_cells(x: each(position), v: each(velocity), origin: setting(position, -2.0, -1.8), cell_size: setting(cell_size, 0.4, 1.0), cell_count: add(count_value, cell, cell, cell), max_speed: add(speed, cell, cell, cell), cell_index: maybe(out(index_value), 0.5)):
    names(q="q|local", ix="ix|cx", iy="iy|cy", iz="iz|cz", origin="origin|grid_origin", cell_size="cell_size|cell_width", cell_count="cell_count|counts", max_speed="max_speed|cell_max_speed", cell_index="cell_index|cell_ids")
    i = wp.tid()
    q = (x[i] - origin) / cell_size
    ix = int(wp.floor(q[0]))
    iy = int(wp.floor(q[1]))
    iz = int(wp.floor(q[2]))
    note("outside of the grid|particles that left the domain")
    if ix < 0 or iy < 0 or iz < 0 or ix >= count(cell, 0) or iy >= count(cell, 1) or iz >= count(cell, 2):
        if present(cell_index):
            cell_index[i] = -1
        return
    wp.atomic_add(cell_count, ix, iy, iz, 1)
    wp.atomic_max(max_speed, ix, iy, iz, wp.length(v[i]))
    if present(cell_index):
        cell_index[i] = (ix * count(cell, 1) + iy) * count(cell, 2) + iz
