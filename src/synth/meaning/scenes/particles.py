"""Particles: smoothed fluids, clouds of bodies, ropes, contacts, flocks."""


@scene("physics", "nested_loop", "function", "vector", particle,
       says="computes the pressure acceleration of each particle of a smoothed fluid from the symmetric pressure term of its neighbours",
       title="sph_pressure_force|pressure_acceleration|apply_pressure|momentum_equation", algorithm="SPH symmetric pressure gradient")
def sph_pressure(x: each(position), rho: each(density), p: each(pressure), m: each(mass), h: setting(smoothing_length, 1.0, 2.0), g: maybe(setting(gravity_vector), 0.4), fixed: maybe(each(flag), 0.3), acc: out(acceleration), hits: maybe(out(count_value), 0.3)):
    names(xi="xi|pos_i|here|p_i", total="total|acc_i|sum_a|force_i", d="d|xij|delta|rel", r="r|dist|rij|separation", term="term|pij|pressure_ij|coef", near="near|found|n_near|contacts")
    i = wp.tid()
    if present(fixed):
        note("boundary particles do not move|frozen")
        fact("fixed particles get no acceleration")
        if fixed[i] == 1:
            acc[i] = wp.vec3(0.0, 0.0, 0.0)
            if present(hits):
                hits[i] = 0
            return
    xi = x[i]
    total = either(wp.vec3(), wp.vec3(0.0, 0.0, 0.0))
    if present(hits):
        near = int(0)
    for j in range(count(particle)):
        note("a particle does not push itself|skip self")
        if j == i:
            continue
        d = xi - x[j]
        r = wp.length(d)
        if r >= h or r < constant("MIN_DIST|TINY|EPS_DIST", 1.0e-5):
            continue
        term = symmetric_pressure_term(p[i], rho[i], p[j], rho[j])
        note("the slope is negative, so positive pressure pushes apart")
        total -= m[j] * term * spiky_slope(r, h) * (d / r)
        if present(hits):
            near += 1
    if present(g):
        acc[i] = total + g
    else:
        acc[i] = total
    if present(hits):
        hits[i] = near


@scene("physics", "nested_loop", "combined", particle,
       says="computes the viscous acceleration of each particle of a smoothed fluid, which draws its velocity to that of its neighbours",
       title="sph_viscosity|viscosity_force|apply_viscosity|viscous_step", algorithm="SPH viscosity")
def sph_viscosity(x: each(position), v: each(velocity), rho: each(density), m: each(mass), h: setting(smoothing_length), mu: setting(viscosity), acc: out(acceleration), v_out: maybe(out(velocity), 0.5)):
    names(total="total|acc_i|visc|a_visc", r="r|dist|rij|gap", j="j|k|nb|other", lap="lap|lap_w|curv|w_lap")
    i = wp.tid()
    total = wp.vec3()
    for j in range(count(particle)):
        if j != i:
            r = wp.length(x[i] - x[j])
            if r < h:
                match choose("lap"):
                    case 2:
                        lap = viscosity_laplacian(r, h)
                        total += mu * m[j] * lap / (rho[i] * rho[j]) * (v[j] - v[i])
                    case 1:
                        total += viscous_acceleration(v[i], v[j], m[j], rho[i], rho[j], mu, viscosity_laplacian(r, h))
    acc[i] = total
    if present(v_out):
        v_out[i] = v[i] + total * number(0.001, 0.02)


@scene("physics", "nested_loop", "reduction", star,
       says="computes the gravitational acceleration of each body from all others with a softened inverse square law",
       title="nbody_acceleration|gravity_forces|compute_gravity|direct_sum", algorithm="direct N-body gravity with Plummer softening")
def nbody_gravity(x: each(position), m: each(mass), eps: setting(softening), big_g: maybe(setting(gravitational_constant), 0.6), acc: out(acceleration), phi: maybe(out(potential_value), 0.4)):
    names(xi="xi|here|pos_i|me", total="total|acc_i|pull|a_sum", d="d|delta|rij|offset", r2="r2|dist_sq|d2|sq", inv="inv|inv_r|rinv|w", pot="pot|potential|u_i|well")
    i = wp.tid()
    xi = x[i]
    total = wp.vec3(0.0, 0.0, 0.0)
    if present(phi):
        pot = float(0.0)
    for j in range(count(star)):
        if maybe(0.4, "skip"):
            if j == i:
                continue
        d = x[j] - xi
        r2 = wp.dot(d, d) + eps * eps
        inv = 1.0 / wp.sqrt(r2)
        match choose("form"):
            case 2:
                total += d * (m[j] * inv * inv * inv)
            case 1:
                total = total + m[j] * inv / r2 * d
        if present(phi):
            if maybe(1.0, "skip"):
                pot -= m[j] * inv
            else:
                note("no potential of a body on itself")
                if j != i:
                    pot -= m[j] * inv
    if present(big_g):
        total = total * big_g
    acc[i] = total
    if present(phi):
        if present(big_g):
            phi[i] = big_g * pot
        else:
            phi[i] = pot


@scene("physics", "vector", "control_flow", particle,
       says="moves particles by one step of the velocity Verlet method in the field of a spring to the origin and keeps them inside a box",
       title="verlet_step|integrate_verlet|advance_trap|step_harmonic", algorithm="velocity Verlet in a harmonic trap")
def verlet_trap(x: inout(position), v: inout(velocity), w: each(inverse_mass), k: setting(stiffness, 5.0, 30.0), dt: setting(time_step), half: maybe(setting(length, 1.0, 1.8), 0.5), pinned: maybe(each(flag), 0.3)):
    names(a0="a0|acc_old|a_before|a_start", a1="a1|acc_new|a_after|a_end", p="p|pos|x_new|xi", u="u|vel|vi|v_half", wi="wi|inv_m|wgt|im", half="half|half_box|wall|bound")
    i = wp.tid()
    if present(pinned):
        note("pinned particles stay where they are")
        if pinned[i] != 0:
            return
    p = x[i]
    u = v[i]
    wi = w[i]
    a0 = p * (-k * wi)
    p = p + u * dt + a0 * (0.5 * dt * dt)
    note("the force at the new place")
    a1 = p * (-k * wi)
    u = u + (a0 + a1) * (0.5 * dt)
    if present(half):
        fact("walls turn the velocity over")
        for axis in range(3):
            if p[axis] > half:
                p[axis] = half
                u[axis] = -wp.abs(u[axis])
            elif p[axis] < -half:
                p[axis] = -half
                u[axis] = wp.abs(u[axis])
    x[i] = p
    v[i] = u


@scene("physics", "atomic", "control_flow", contact,
       says="resolves contacts between pairs of spheres with impulses along the line of centres, for pairs that overlap and approach each other",
       title="resolve_contacts|sphere_impulses|solve_pairs|collide_spheres", algorithm="impulse-based sphere contacts")
def sphere_contacts(x: each(position, body), v: each(velocity, body), w: each(inverse_mass, body), r: each(radius, body), pair: index(body, 2), e: setting(restitution), dv: add(velocity, body), impulses: maybe(out(normal_impulse), 0.5)):
    names(a="a|i|ba|first", b="b|j|bb|second", n="n|normal|axis|dir", gap="gap|overlap|depth|sep", vn="vn|closing|rel_speed|v_rel", jn="jn|impulse|lam|mag")
    c = wp.tid()
    a = pair[c, 0]
    b = pair[c, 1]
    if present(impulses):
        impulses[c] = 0.0
    if a == b:
        return
    n = x[b] - x[a]
    gap = wp.length(n) - r[a] - r[b]
    if maybe(0.7, "slop"):
        if gap > 0.0 or wp.length(n) < 1.0e-6:
            return
    else:
        note("touching within the slop counts, too")
        if gap > constant("SLOP|CONTACT_MARGIN", 0.01) or wp.length(n) < 1.0e-6:
            return
    n = wp.normalize(n)
    vn = wp.dot(v[b] - v[a], n)
    note("separating contacts need no impulse")
    if vn >= 0.0:
        return
    match choose("law"):
        case 1:
            jn = contact_impulse(w[a], w[b], vn, e)
        case 2:
            jn = -(1.0 + e) * vn / (w[a] + w[b])
    wp.atomic_sub(dv, a, n * (jn * w[a]))
    wp.atomic_add(dv, b, n * (jn * w[b]))
    if present(impulses):
        impulses[c] = jn


@scene("physics", "function", "struct", particle,
       says="pushes charged particles through electric and magnetic fields by one step of Boris' method",
       title="boris_push|push_particles|advance_charges|lorentz_step", algorithm="Boris push")
def boris_particles(x: inout(position), v: inout(velocity), q: each(charge), m: each(mass), e: each(electric_field), b: each(magnetic_field), dt: setting(time_step), energy_out: maybe(out(energy), 0.4)):
    names(vi="vi|vel|u|v_old", v_new="v_new|u_new|v_plus|v1", half="half|qm|kick|hqdt")
    i = wp.tid()
    vi = v[i]
    match choose("form"):
        case 1:
            v_new = boris_push(vi, e[i], b[i], q[i], m[i], dt)
        case 1:
            half = 0.5 * q[i] * dt / m[i]
            note("first half of the electric kick")
            v_minus = vi + half * e[i]
            t = half * b[i]
            v_prime = v_minus + wp.cross(v_minus, t)
            s = t * (2.0 / (1.0 + wp.dot(t, t)))
            note("rotation around the magnetic field")
            v_plus = v_minus + wp.cross(v_prime, s)
            v_new = v_plus + half * e[i]
    v[i] = v_new
    x[i] = x[i] + v_new * dt
    if present(energy_out):
        energy_out[i] = kinetic_energy(m[i], v_new)


@scene("physics", "nested_loop", "multi_conditional", "vector", agent,
       says="steers the agents of a flock by separation, alignment and cohesion with the neighbours that they see",
       title="flock_step|boids|steer_agents|update_flock", algorithm="boids")
def flock(x: each(position), v: each(velocity), sight: setting(distance, 1.0, 2.5), close: setting(distance, 0.3, 0.8), dt: setting(time_step), top: setting(top_speed), v_out: out(velocity), crowd: maybe(out(count_value), 0.4)):
    names(apart="apart|push|separation|avoid", together="together|center|mid|flock_center", along="along|avg_vel|heading_sum|align", seen="seen|n|neighbors|mates", d="d|dist|r|range_ij", steer="steer|accel|turn|want", sight="sight|view_radius|perception|see_dist", close="close|min_gap|personal_space|near_dist", top="top|max_speed|speed_limit|v_max")
    i = wp.tid()
    apart = wp.vec3()
    together = wp.vec3()
    along = wp.vec3()
    seen = int(0)
    for j in range(count(agent)):
        if j == i:
            continue
        d = wp.length(x[j] - x[i])
        if d > sight:
            continue
        seen += 1
        together += x[j]
        along += v[j]
        if d < close and d > 1.0e-6:
            match choose("push"):
                case 2:
                    apart += (x[i] - x[j]) / d
                case 1:
                    note("the nearer, the stronger")
                    apart += (x[i] - x[j]) / (d * d)
    if present(crowd):
        crowd[i] = seen
    if seen == 0:
        note("nobody in sight: keep going")
        v_out[i] = v[i]
        return
    together = together / float(seen) - x[i]
    along = along / float(seen) - v[i]
    steer = apart * number(1.0, 3.0) + along * number(0.5, 1.5) + together * number(0.2, 1.0)
    match choose("limit"):
        case 1:
            v_out[i] = limit_speed(v[i] + steer * dt, top)
        case 1:
            steer = v[i] + steer * dt
            if wp.length(steer) > top:
                steer = wp.normalize(steer) * top
            v_out[i] = steer


@scene("physics", "multi_conditional", "struct", particle,
       says="moves particles by their phase: solid ones are held by a spring to their anchor, liquid ones fall and gas rises with drag",
       title="step_by_phase|advance_materials|move_by_phase|integrate_by_phase", algorithm="cases by phase", topic="")
def phase_step(x: each(position), v: each(velocity), anchor: each(position), phase: kind(SOLID, LIQUID, GAS), k: setting(stiffness), c: setting(damping), dt: setting(time_step), v_out: out(velocity), x_out: maybe(out(position), 0.6)):
    names(a="a|acc|accel|rate", vi="vi|vel|u|speed_i", anchor="anchor|rest_pos|home|pin", phase="phase|state|kind_id|material_phase")
    i = wp.tid()
    vi = v[i]
    a = wp.vec3(0.0, -9.81, 0.0)
    if phase[i] == SOLID:
        note("damped spring to the anchor")
        a = (anchor[i] - x[i]) * k - vi * c
    elif phase[i] == GAS:
        note("buoyancy and quadratic drag")
        a = wp.vec3(0.0, number(0.5, 3.0), 0.0) + quadratic_drag(vi, c)
    else:
        if maybe(0.5):
            a = a + viscous_drag(vi, c)
    vi = vi + a * dt
    if maybe(0.4):
        note("terminal speed keeps the step stable")
        vi = limit_speed(vi, number(4.0, 12.0))
    v_out[i] = vi
    if present(x_out):
        x_out[i] = x[i] + vi * dt


@scene("physics", "control_flow", "vector", particle,
       says="lets particles collide with the ground plane, with restitution along its normal and friction across it",
       title="ground_collision|collide_plane|resolve_ground|plane_contacts", algorithm="plane collision with Coulomb-like friction", rare=True)
def ground_collision(x: inout(position), v: inout(velocity), n: setting(normal), r: maybe(each(radius, range=(0.05, 0.3)), 0.5), e: setting(restitution), mu: setting(friction), hit: maybe(out(flag), 0.4)):
    names(up="up|nrm|plane_n|n_hat", depth="depth|gap|dist|height", vn="vn|v_n|speed_in|approach", vt="vt|v_t|slide|tangent", p="p|pos|xi|here", u="u|vel|vi|v0")
    i = wp.tid()
    up = wp.normalize(n)
    p = x[i]
    u = v[i]
    if present(r):
        depth = wp.dot(p, up) - r[i]
    else:
        depth = wp.dot(p, up)
    if present(hit):
        hit[i] = 0
    if depth >= 0.0:
        return
    note("back to the surface|project out")
    p = p - up * depth
    vn = wp.dot(u, up)
    if vn < 0.0:
        vt = u - up * vn
        match choose("law"):
            case 2:
                note("the loss along the plane is limited by the normal speed")
                slip = wp.length(vt)
                if slip > 1.0e-6:
                    vt = vt * wp.max(1.0 - mu * (1.0 + e) * wp.abs(vn) / slip, 0.0)
            case 1:
                vt = vt * (1.0 - mu)
        u = vt - up * (e * vn)
    x[i] = p
    v[i] = u
    if present(hit):
        hit[i] = 1


@scene("physics", "nested_loop", "atomic", particle,
       says="sums the Lennard-Jones forces on each atom within a cutoff, with nearest images in a periodic box",
       title="lennard_jones|pair_forces|lj_kernel|compute_forces", algorithm="Lennard-Jones forces with minimum image")
def lennard_jones(x: each(position), box: setting(length, 4.2, 5.0), cut: setting(distance, 1.4, 2.0), sigma: setting(atom_diameter), eps: setting(well_depth), f: out(force), u: maybe(out(pair_energy), 0.5)):
    names(d="d|dx|rij|delta", r2="r2|dist2|rsq|d2", s6="s6|sr6|inv6|x6", total="total|fi|force_sum|acc", pot="pot|ui|e_sum|energy_i", scale="scale|ff|f_over_r|coef", box="box|box_size|cell_len|period", cut="cut|r_cut|cutoff|r_max")
    i = wp.tid()
    total = wp.vec3()
    if present(u):
        pot = float(0.0)
    for j in range(count(particle)):
        if j == i:
            continue
        d = x[i] - x[j]
        note("nearest image")
        match choose("image"):
            case 1:
                for axis in range(3):
                    d[axis] = d[axis] - box * wp.rint(d[axis] / box)
            case 1:
                d = wp.vec3(d[0] - box * wp.rint(d[0] / box), d[1] - box * wp.rint(d[1] / box), d[2] - box * wp.rint(d[2] / box))
        r2 = wp.dot(d, d)
        if r2 > cut * cut:
            continue
        note("keep overlapping atoms finite")
        r2 = wp.max(r2, 0.49 * sigma * sigma)
        s6 = sigma * sigma / r2
        s6 = s6 * s6 * s6
        scale = 24.0 * eps * s6 * (2.0 * s6 - 1.0) / r2
        total += d * scale
        if present(u):
            note("half of the pair's energy belongs to each atom")
            pot += 2.0 * eps * s6 * (s6 - 1.0)
    f[i] = total
    if present(u):
        u[i] = pot


@scene("physics", "vector", "scalar_param", particle,
       says="lets the wind drag particles along{lift:, lifts them by buoyancy} and advances them by one step",
       title="drift_particles|advect_smoke|apply_wind|blow_particles", algorithm="drag towards a wind field")
def drift(x: inout(position), v: inout(velocity), m: each(mass), wind: setting(velocity), c: setting(damping), lift: maybe(setting(positive_value, 0.2, 2.0), 0.6), dt: setting(time_step), age: maybe(inout(waiting_time), 0.4)):
    names(rel="rel|slip|dv|v_rel", f="f|force|push|drag_f", u="u|vel|v_new|vi", wind="wind|wind_vel|air_velocity|breeze", lift="lift|buoyancy|rise|upward", age="age|lifetimes|ttl|time_left")
    i = wp.tid()
    if present(age):
        note("old particles are at rest|expired")
        fact("particles whose time is over are left alone")
        if age[i] <= number(0.2, 0.8):
            return
        age[i] = age[i] - dt
    rel = wind - v[i]
    match choose("drag"):
        case 2:
            f = c * rel
        case 1:
            f = c * wp.length(rel) * rel
    if present(lift):
        note("lighter than air|buoyancy")
        f = f + wp.vec3(0.0, lift, 0.0)
    u = v[i] + f / m[i] * dt
    x[i] = x[i] + u * dt
    v[i] = u


@scene("physics", "control_flow", "combined", particle,
       says="projects the ends of a distance constraint back to its rest length, weighted by their inverse masses, and relaxes the correction",
       title="solve_stretch|project_distances|pbd_distance|constraint_step", algorithm="position-based distance constraints")
def pbd_stretch(x: each(position), other: index(particle), w: each(inverse_mass), rest: each(rest_length), relax: setting(ratio, 0.3, 1.0), x_out: out(position)):
    names(j="j|nb|partner|k", d="d|delta|diff|dx", gap="gap|len|dist|length_now", c="c|constraint|err|violation", share="share|wsum|ratio_i|weight_sum", other="other|partner_id|linked|neighbor", relax="relax|omega|relaxation|compliance_scale")
    i = wp.tid()
    j = other[i]
    d = x[i] - x[j]
    gap = wp.length(d)
    x_out[i] = x[i]
    if i == j or gap < constant("EPS|MIN_LENGTH", 1.0e-6):
        return
    c = gap - rest[i]
    if maybe(0.3, "rope"):
        note("a rope does not push")
        fact("slack ropes are left alone")
        if c <= 0.0:
            return
    share = w[i] / (w[i] + w[j])
    match choose("form"):
        case 2:
            x_out[i] = x[i] - d * (relax * share * c / gap)
        case 1:
            x_out[i] = x[i] + distance_constraint_correction(x[i], x[j], w[i], w[j], rest[i]) * relax


@scene("physics", "reduction", "atomic", particle,
       says="adds up kinetic energy and momentum of all particles",
       title="measure_energy|total_momentum|diagnostics|sum_invariants", algorithm="sums of conserved quantities")
def invariants(m: each(mass), v: each(velocity), active: maybe(each(flag), 0.5), e: add(energy, 1), p: add(momentum, 1), n: maybe(add(count_value, 1), 0.3)):
    names(vi="vi|vel|u|speed", mi="mi|mass_i|mm|own_mass")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    vi = v[i]
    mi = m[i]
    wp.atomic_add(e, 0, either(kinetic_energy(mi, vi), 0.5 * mi * wp.dot(vi, vi)))
    if present(p):
        wp.atomic_add(p, 0, mi * vi)
    if present(n):
        wp.atomic_add(n, 0, 1)
