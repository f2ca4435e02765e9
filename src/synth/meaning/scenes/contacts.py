"""Contacts and collisions: spheres, planes, boxes, friction, impulses."""


@scene("physics", "atomic", "control_flow", contact,
       says="resolves the contact of two spheres by a penalty force with damping{mu: and Coulomb friction} and adds it to both",
       title="sphere_contacts|eval_contact_forces|resolve_sphere_pairs", algorithm="penalty contact")
def sphere_pairs(pair: index(body, 2), x: each(position, body), v: each(velocity, body), r: each(radius, body), ke: setting(stiffness), kd: setting(damping), mu: maybe(setting(friction), 0.7),
                 f: add(force, body), depth_out: maybe(out(penetration), 0.4)):
    names(a="a|i|b0|first", b="b|j|b1|second", d="d|diff|delta|sep", dist="dist|l|gap_len|center_dist", n="n|normal_ij|dir|nrm", pen="pen|overlap|c|depth_i", fn="fn|f_n|normal_force|push", vrel="vrel|dv|rel_vel|v_ab")
    c = wp.tid()
    a = pair[c, 0]
    b = pair[c, 1]
    if a == b:
        return
    d = x[b] - x[a]
    dist = wp.length(d)
    pen = r[a] + r[b] - dist
    note("no overlap, no force|separated")
    if pen <= 0.0:
        return
    n = d / wp.max(dist, constant("MIN_DIST|EPS", 1.0e-6))
    vrel = v[b] - v[a]
    fn = ke * pen - kd * wp.dot(vrel, n)
    note("contacts push, they never pull|no adhesion")
    fn = wp.max(fn, 0.0)
    total = n * fn
    if present(mu):
        vt = vrel - n * wp.dot(vrel, n)
        speed_t = wp.length(vt)
        note("friction opposes sliding, at most mu times the normal force|Coulomb cone")
        if speed_t > constant("MIN_SLIP|SLIP_EPS", 1.0e-3):
            total = total - vt * (wp.min(mu * fn, kd * speed_t) / speed_t)
    wp.atomic_sub(f, a, total)
    wp.atomic_add(f, b, total)
    if present(depth_out):
        depth_out[c] = pen


@scene("physics", "control_flow", "vector", particle,
       says="pushes particles out of a plane and {e:lets them bounce}{!e:removes the approaching part of their velocity}{mu:, with friction along it}",
       title="collide_plane|ground_contact|project_out_of_plane", algorithm="collision with a plane")
def plane_contact(x: inout(position), v: inout(velocity), n: setting(normal), c: setting(plane_offset), e: maybe(setting(restitution), 0.6), mu: maybe(setting(friction), 0.6), r: maybe(each(radius, range=(0.02, 0.2)), 0.4),
                  touched: maybe(out(flag), 0.4)):
    names(nn="nn|up|normal_w|dir_n", dist="dist|gap|d|sd", vn="vn|normal_speed|v_dot_n|approach", vt="vt|slide|v_tan|tangential")
    i = wp.tid()
    nn = wp.normalize(n)
    dist = wp.dot(x[i], nn) - c
    if present(r):
        dist = dist - r[i]
    if dist >= 0.0:
        if present(touched):
            touched[i] = 0
        return
    note("move back to the surface|positional correction")
    x[i] = x[i] - nn * dist
    vn = wp.dot(v[i], nn)
    if vn < 0.0:
        vt = v[i] - nn * vn
        if present(mu):
            note("friction takes from the sliding speed|Coulomb friction impulse")
            slip = wp.length(vt)
            if slip > constant("SLIP_EPS|EPS", 1.0e-6):
                vt = vt * wp.max(1.0 - mu * wp.abs(vn) / slip, 0.0)
        if present(e):
            v[i] = vt - nn * (e * vn)
        else:
            v[i] = vt
    if present(touched):
        touched[i] = 1


@scene("geometry", "multi_conditional", "function", query,
       says="computes the signed distance from each point to an axis-aligned box and the face that is nearest",
       title="box_distance|signed_distance_box|query_boxes", algorithm="signed distance of a box")
def box_sdf(p: each(position), centre: maybe(setting(position, -0.3, 0.3), 0.5), half: setting(half_extents), d: out(signed_distance), axis: out(index_value), round_: maybe(setting(radius, 0.02, 0.15), 0.3)):
    names(q="q|rel|local|pt", a="a|ext|qa|excess", outside="outside|out_len|far|len_out", inside="inside|in_max|deep|m")
    i = wp.tid()
    q = p[i]
    if present(centre):
        q = q - centre
    a = wp.vec3(wp.abs(q[0]), wp.abs(q[1]), wp.abs(q[2])) - half
    outside = wp.length(wp.vec3(wp.max(a[0], 0.0), wp.max(a[1], 0.0), wp.max(a[2], 0.0)))
    inside = wp.min(wp.max(a[0], wp.max(a[1], a[2])), 0.0)
    if present(round_):
        note("rounded corners|inflate by the corner radius")
        d[i] = outside + inside - round_
    else:
        d[i] = outside + inside
    if present(axis):
        if a[0] >= a[1] and a[0] >= a[2]:
            axis[i] = 0
        elif a[1] >= a[2]:
            axis[i] = 1
        else:
            axis[i] = 2


@scene("physics", "struct", "combined", contact,
       says="computes the impulse that stops two bodies from approaching at their contact point",
       title="solve_contact|contact_impulses|sequential_impulse", algorithm="normal impulse of a contact")
def contact_impulse(pair: index(body, 2), n: each(normal), v: each(velocity, body), w: each(inverse_mass, body), e: maybe(setting(restitution), 0.6), slop: maybe(setting(tolerance), 0.4), pen: maybe(each(penetration), 0.4), dt: maybe(setting(time_step, 0.01, 0.05), 1.0),
                    jn: inout(normal_impulse), dv: add(velocity, body)):
    names(a="a|ia|body_a", b="b|ib|body_b", nn="nn|dir|nrm", vn="vn|rel|closing", k="k|eff_mass|inv_sum", lam="lam|impulse|dlambda", old="old|previous|acc_old")
    c = wp.tid()
    a = pair[c, 0]
    b = pair[c, 1]
    if a == b:
        return
    nn = wp.normalize(n[c])
    vn = wp.dot(v[b] - v[a], nn)
    k = w[a] + w[b]
    bias = float(0.0)
    if present(e):
        note("bounce only when it is fast enough|resting contacts do not bounce")
        if vn < -constant("BOUNCE_SPEED|REST_SPEED", 0.5):
            bias += e * vn
    if present(pen) and present(slop) and present(dt):
        note("Baumgarte stabilisation of what is left of the overlap|push the bodies apart over a few steps")
        bias -= constant("BAUMGARTE|ERP|STABILISATION", 0.2) * wp.max(pen[c] - slop, 0.0) / dt
    lam = -(vn + bias) / k
    note("the accumulated impulse stays positive|clamp the total, not the increment")
    old = jn[c]
    jn[c] = wp.max(old + lam, 0.0)
    lam = jn[c] - old
    wp.atomic_sub(dv, a, nn * (lam * w[a]))
    wp.atomic_add(dv, b, nn * (lam * w[b]))


@scene("physics", "nested_loop", "atomic", particle,
       says="projects distance constraints of a rope by position-based dynamics, each particle against its neighbours in the chain",
       title="rope_constraints|pbd_rope|solve_chain", algorithm="position-based distance constraints")
def rope(x: each(position), w: each(inverse_mass), rest: setting(rest_length), compliance: maybe(setting(positive_value, 0.1, 1.0), 0.4), dt: maybe(setting(time_step, 0.01, 0.05), 1.0), dx: out(displacement)):
    names(corr="corr|delta|push|shift", k="k|s|side|step", j="j|other|nb|n_id", d="d|diff|edge|seg", l="l|len_d|dist|cur_len", cst="cst|err|stretch|c")
    i = wp.tid()
    corr = wp.vec3()
    for k in range(-1, 2):
        if k == 0:
            continue
        j = i + k
        note("the ends of the rope have one neighbour only|stay inside the chain")
        if j < 0 or j >= count(particle):
            continue
        d = x[j] - x[i]
        l = wp.length(d)
        if l < constant("EPS|MIN_LENGTH", 1.0e-6):
            continue
        cst = l - rest
        if present(compliance) and present(dt):
            note("XPBD: a soft constraint|compliant constraint")
            corr += d * (w[i] * cst / ((w[i] + w[j] + compliance / (dt * dt)) * l))
        else:
            corr += d * (w[i] * cst / ((w[i] + w[j]) * l))
    note("averaged, since both neighbours pull")
    dx[i] = corr * 0.5


@scene("geometry", "control_flow", "math", ray,
       says="intersects rays with a sphere and returns the nearest hit in front of the origin, or -1",
       title="ray_sphere|intersect_spheres|trace_sphere", algorithm="ray-sphere intersection")
def ray_sphere(o: each(position), d: each(direction), c: setting(position, -0.5, 0.5), r: setting(radius, 0.8, 1.2), far: maybe(setting(ray_distance, 4.0, 8.0), 0.4), t: out(hit_distance), n: maybe(out(normal), 0.5)):
    names(dir="dir|rd|dn|unit_d", oc="oc|rel|l|co", b="b|half_b|proj|tb", disc="disc|h|delta|under", hit="hit|t0|near_t|root")
    i = wp.tid()
    dir = wp.normalize(d[i])
    oc = o[i] - c
    b = wp.dot(oc, dir)
    disc = b * b - (wp.dot(oc, oc) - r * r)
    note("the line misses the sphere|no real root")
    if disc < 0.0:
        t[i] = -1.0
        if present(n):
            n[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    hit = -b - wp.sqrt(disc)
    note("origin inside: take the far side|the near hit lies behind")
    if hit < 0.0:
        hit = -b + wp.sqrt(disc)
    if hit < 0.0:
        t[i] = -1.0
        if present(n):
            n[i] = wp.vec3(0.0, 0.0, 0.0)
        return
    if present(far):
        if hit > far:
            t[i] = -1.0
            if present(n):
                n[i] = wp.vec3(0.0, 0.0, 0.0)
            return
    t[i] = hit
    if present(n):
        n[i] = wp.normalize(oc + dir * hit)
