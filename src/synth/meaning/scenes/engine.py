"""Scenes of several forms: particles, grids, meshes, rows, sums."""


@scene("physics", "nested_loop", particle, says="estimates the density of each particle by summing the masses of its neighbours with a smoothing kernel",
       title="sph_density|compute_density|estimate_particle_density", algorithm="SPH density")
def sph_density(x: each(position), m: each(mass), h: setting(smoothing_length), active: maybe(each(flag)), rho: out(density)):
    names(xi="xi|pos_i|p", total="total|acc|density_i", r="r|dist|rij")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    xi = x[i]
    total = float(0.0)
    note("sum over all particles within the support|loop over neighbors")
    for j in range(count(particle)):
        r = wp.length(xi - x[j])
        if r < h:
            total += m[j] * poly6_weight(r, h)
    rho[i] = total


@scene("physics", "vector", "combined", particle, says="advances particles by one step of semi-implicit Euler and keeps them above the ground",
       title="integrate_particles|step_particles|advance_positions", algorithm="semi-implicit Euler", lossy=True)
def integrate(x: inout(position), v: inout(velocity), f: each(force, fixed=True), w: each(inverse_mass), pinned: maybe(each(flag), 0.4), dt: setting(time_step), e: setting(restitution)):
    names(p="p|x0|pos", u="u|v0|vel_i", fi="fi|force_i", wi="wi|inv_m")
    i = wp.tid()
    p = x[i]
    u = v[i]
    fi = f[i]
    wi = w[i]
    if present(pinned):
        note("pinned particles do not move|fixed particle")
        if pinned[i] == 1:
            return
    note("semi-implicit Euler|update velocity first")
    u = u + (fi * wi + wp.vec3(0.0, constant("GRAVITY|G", -9.81), 0.0)) * dt
    p = p + u * dt
    note("bounce off the ground")
    if p[1] < 0.0:
        p[1] = 0.0
        if u[1] < 0.0:
            u[1] = -e * u[1]
    x[i] = p
    v[i] = u


@scene("physics", "atomic", "function", spring, says="computes the force of each damped spring and adds it to both of its ends",
       title="eval_springs|spring_forces|accumulate_spring_forces", algorithm="mass-spring forces")
def springs(x: each(position, particle), v: each(velocity, particle), ends: index(particle, 2), l0: each(rest_length), k: setting(stiffness), kd: setting(damping), f: add(force, particle)):
    names(a="a|i|p0", b="b|j|p1", fs="fs|f_spring|force_ij")
    s = wp.tid()
    a = ends[s, 0]
    b = ends[s, 1]
    if maybe(0.3):
        if a == b:
            return
    fs = spring_force(x[a], x[b], v[a], v[b], k, kd, l0[s])
    wp.atomic_add(f, a, fs)
    wp.atomic_sub(f, b, fs)


@scene("stencil", "nested_loop", cell, says="takes one explicit step of the heat equation on a grid{edge=0:, with insulated borders}{edge=1:, with borders that keep their temperature}",
       title="heat_step|diffuse|explicit_diffusion", algorithm="explicit heat equation")
def heat_step(u: each(temperature), alpha: setting(diffusivity), dt: setting(time_step), dx: setting(cell_size), out_u: out(temperature)):
    names(c="c|center|uc", lap="lap|laplacian", left="left|west", right="right|east", up="up|north", down="down|south")
    i, j = wp.tid()
    if maybe(0.4, "edge"):
        note("the border keeps its value|boundary cells are copied")
        if i == 0 or j == 0 or i == count(cell, 0) - 1 or j == count(cell, 1) - 1:
            out_u[i, j] = u[i, j]
            return
    c = u[i, j]
    if maybe(1.0, "edge"):
        left = u[i - 1, j]
        right = u[i + 1, j]
        down = u[i, j - 1]
        up = u[i, j + 1]
    else:
        left = u[wp.max(i - 1, 0), j]
        right = u[wp.min(i + 1, count(cell, 0) - 1), j]
        down = u[i, wp.max(j - 1, 0)]
        up = u[i, wp.min(j + 1, count(cell, 1) - 1)]
    lap = (left + right + up + down - 4.0 * c) / (dx * dx)
    out_u[i, j] = c + alpha * dt * lap


@scene("geometry", "vector", face, says="computes the unit normal{a: and the area} of each triangle of a mesh, skipping degenerate ones",
       title="face_normals|compute_face_normals|triangle_geometry", algorithm="triangle normals")
def face_normals(x: each(position, vertex), tri: index(vertex, 3), n: out(normal), a: maybe(out(area), 0.6)):
    names(i0="i0|i|v0", i1="i1|j|v1", i2="i2|k|v2", twice="twice|len_c|mag", c="c|cross|nrm")
    f = wp.tid()
    i0 = tri[f, 0]
    i1 = tri[f, 1]
    i2 = tri[f, 2]
    c = area_vector(x[i0], x[i1], x[i2])
    twice = wp.length(c)
    if maybe(0.5):
        note("degenerate triangle")
        if twice < constant("MIN_AREA|DEGENERATE_EPS", 1.0e-8):
            n[f] = wp.vec3(0.0, 1.0, 0.0)
            if present(a):
                a[f] = 0.0
            return
    n[f] = either(c / wp.max(twice, 1.0e-12), wp.normalize(c))
    if present(a):
        a[f] = 0.5 * twice


@scene("ml", "reduction", "math", row, says="computes the softmax of each row of a matrix of scores, shifted by the row's maximum",
       title="softmax_rows|row_softmax|softmax", algorithm="softmax")
def softmax(x: each(logit, row, column), tau: maybe(setting(temperature_scale), 0.4), p: out(probability, row, column)):
    names(m="m|row_max|largest", total="total|denom|z", e="e|ex|w")
    r = wp.tid()
    note("largest score of the row, for stability|find row max")
    m = x[r, 0]
    for c in range(1, count(column)):
        m = wp.max(m, x[r, c])
    total = float(0.0)
    for c in range(count(column)):
        if present(tau):
            e = wp.exp((x[r, c] - m) / tau)
        else:
            e = wp.exp(x[r, c] - m)
        total += e
    for c in range(count(column)):
        if present(tau):
            p[r, c] = wp.exp((x[r, c] - m) / tau) / total
        else:
            p[r, c] = wp.exp(x[r, c] - m) / total


@scene("atomic", "reduction", "integer", item, says="counts how many values fall into each bin of a histogram with equal bins",
       title="histogram|count_bins|build_histogram", algorithm="histogram")
def histogram(x: each(value), lo: setting(value, -2.0, -1.5), hi: setting(value, 1.5, 2.0), mask: maybe(each(flag)), hist: add(count_value, bin)):
    names(t="t|u|scaled", b="b|bin|slot")
    i = wp.tid()
    if present(mask):
        if mask[i] == 0:
            return
    t = (x[i] - lo) / (hi - lo)
    if maybe(0.5, "drop"):
        note("values outside of the range are not counted|out of range")
        if t < 0.0 or t >= 1.0:
            return
    b = wp.clamp(int(t * float(count(bin))), 0, count(bin) - 1)
    wp.atomic_add(hist, b, 1)


@scene("geometry", "control_flow", "multi_conditional", query, says="finds the sphere that is nearest to each query point, or -1 where none is within reach",
       title="nearest_sphere|closest_sphere|find_nearest", algorithm="brute-force nearest neighbour")
def nearest(q: each(position), c: each(position, sphere), r: each(radius, sphere), reach: setting(distance, 0.5, 2.0), best_id: out(index_value), best_d: maybe(out(signed_distance), 0.6)):
    names(best="best|min_dist|closest", winner="winner|best_index|hit", d="d|dist|gap", p="p|query_point|pt")
    i = wp.tid()
    p = q[i]
    best = reach
    winner = int(-1)
    for k in range(count(sphere)):
        d = wp.length(p - c[k]) - r[k]
        if d < best:
            best = d
            winner = k
            if maybe(0.3, "first"):
                note("inside of this sphere: that is near enough|already inside")
                if d < 0.0:
                    break
    best_id[i] = winner
    if present(best_d):
        best_d[i] = best


@scene("struct", "control_flow", "multi_conditional", cell, says="updates the temperature of cells by the rule of their material",
       title="update_materials|step_cells|apply_material_rules", algorithm="cases by material")
def material_step(t: inout(temperature), kind_id: kind(FLUID, SOLID, HEATER), ambient: setting(temperature), k: setting(conductivity, 0.05, 0.4), dt: setting(time_step)):
    names(ti="ti|temp|t_old", q="q|flux|rate", kind_id="material|kind|cell_type")
    i = wp.tid()
    ti = t[i]
    if kind_id[i] == FLUID:
        q = convective_flux(ti, ambient, k)
        ti += q * dt
    elif kind_id[i] == HEATER:
        note("heaters warm up at a constant rate")
        ti += number(0.5, 3.0) * dt
    else:
        ti += 0.5 * k * (ambient - ti) * dt
    t[i] = ti


@scene("reduction", "atomic", "nested_loop", segment, says="averages the values of each segment of a ragged array{w:, each with its weight}",
       title="segment_sum|ragged_mean|reduce_segments", algorithm="segmented reduction")
def segment_mean(start: offsets(item), x: each(value, item), w: maybe(each(weight, item, range=(0.1, 1.0))), mean_out: out(mean)):
    names(total="total|acc|s", norm="norm|weight_sum|denom", first="first|begin|lo", last="last|end|hi")
    s = wp.tid()
    first = start[s]
    last = start[s + 1]
    note("empty segments have no mean")
    if first == last:
        mean_out[s] = 0.0
        return
    total = float(0.0)
    if present(w):
        norm = float(0.0)
        for k in range(first, last):
            total += w[k] * x[k]
            norm += w[k]
        mean_out[s] = total / norm
    else:
        for k in range(first, last):
            total += x[k]
        mean_out[s] = total / float(last - first)
