"""Elements whose matrices and forces are integrated point by point."""


@law("materials", "the Piola stress of a rubber-like solid", title="piola_stress|first_piola|neo_hookean_stress", private=True, function=True)
def brick_piola(f: deformation_gradient, mu: lame_mu, lam: lame_lambda) -> stress:
    names(j="j|det_f", inv_t="inv_t|f_inv_t")
    j = wp.max(wp.determinant(f), 0.1)
    inv_t = wp.transpose(wp.inverse(f))
    return (f - inv_t) * mu + inv_t * (lam * wp.log(j))


@scene("fem", "nested_loop", "combined", "matrix", element,
       says="integrates the forces of eight-node bricks {rule=0:at two points per direction}{rule=1:at the centre, with a force against hourglass modes} for {material=0:a rubber-like solid}{material=1:a corotated solid}{material=2:a linear elastic solid} and scatters them to the nodes",
       title="brick_forces|hex_forces|integrate_hexes", topic="")
def brick_forces(rest: each(position, node, range=(-1.5, 1.5)), u: each(displacement, node, range=(-0.05, 0.05)), conn: index(node, 8), mu: setting(lame_mu, 2.0, 8.0), lam: setting(lame_lambda, 2.0, 8.0), density_scale: each(ratio, element, range=(0.2, 1.0)), active: maybe(each(flag), 0.3), hourglass: setting(stiffness, 0.1, 0.5), f_int: add(force, node), energy_out: maybe(out(energy, element), 0.5), worst: maybe(out(ratio, element), 0.4)):
    names(point="point|qp|k", q="q|g|gp", xi="xi|r|a1", eta="eta|s|a2", zeta="zeta|t|a3", sx="sx|sr|s1", sy="sy|ss|s2", sz="sz|st|s3", dn="dn|d_nat|g_ref", jac="jac|J|jac_ref", inv="inv|jinv|inv_j", det="det|det_j|vol_fac", grad="grad|g|dndx", fmat="F|def_grad|f_mat", stress="P|stress|piola", force="force|f_a|f_node", nid="nid|n|na", psi="psi|w_elastic|dens", eps="eps|strain|e_mat", e_sum="e_sum|energy|w_total", rot="R|rot|r_mat", tr="tr|trace|e_tr", low="low|min_det|j_min", center="center|mean_u|u_mid", drift="drift|hg|mode", part="part|w_scale|scale")
    names(conn="conn|hexes", density_scale="density_scale|design", f_int="f_int|internal_forces", worst="worst|min_jacobian", hourglass="hourglass|k_hourglass", u="u|disp", rest="rest|nodes_x")
    e = wp.tid()
    if present(active):
        if active[e] == 0:
            return
    if present(density_scale):
        note("soft where there is little material, by the cube|power-law interpolation")
        part = constant("SOFT|E_MIN", 0.001) + density_scale[e] * density_scale[e] * density_scale[e]
    e_sum = float(0.0)
    low = float(1.0e6)
    match choose("rule"):
        case 3:
            point = int(0)
            while point < constant("NUM_POINTS|QUAD_POINTS", 8):
                q = int(point)
                point += 1
                xi = float(2 * (q % 2) - 1) * constant("GAUSS|GP", 0.57735)
                eta = float(2 * ((q // 2) % 2) - 1) * constant("GAUSS|GP", 0.57735)
                zeta = float(2 * (q // 4) - 1) * constant("GAUSS|GP", 0.57735)
                jac = wp.mat33()
                fmat = wp.mat33()
                note("corners are counted x first, then y, then z|trilinear shape functions")
                for a in range(constant("NODES_PER_HEX|CORNERS", 8)):
                    sx = float(2 * (a % 2) - 1)
                    sy = float(2 * ((a // 2) % 2) - 1)
                    sz = float(2 * (a // 4) - 1)
                    dn = wp.vec3(sx * (1.0 + sy * eta) * (1.0 + sz * zeta), sy * (1.0 + sx * xi) * (1.0 + sz * zeta), sz * (1.0 + sx * xi) * (1.0 + sy * eta)) * 0.125
                    jac += wp.outer(rest[conn[e, a]], dn)
                    fmat += wp.outer(u[conn[e, a]], dn)
                det = wp.determinant(jac)
                low = wp.min(low, det)
                if wp.abs(det) < constant("DET_MIN|MIN_DET", 1.0e-3):
                    note("flattened here: this point carries nothing|degenerate")
                    continue
                inv = wp.inverse(jac)
                fmat = wp.identity(n=3, dtype=float) + fmat * inv
                match choose("material"):
                    case 2:
                        stress = brick_piola(fmat, mu, lam)
                        psi = 0.5 * mu * (wp.ddot(fmat, fmat) - 3.0)
                    case 1:
                        rot = fmat * (1.5 - wp.ddot(fmat, fmat) / 6.0)
                        stress = (fmat - rot) * (2.0 * mu)
                        psi = mu * wp.ddot(fmat - rot, fmat - rot)
                    case 2:
                        eps = (fmat + wp.transpose(fmat)) * 0.5 - wp.identity(n=3, dtype=float)
                        tr = wp.trace(eps)
                        stress = eps * (2.0 * mu) + wp.identity(n=3, dtype=float) * (lam * tr)
                        psi = mu * wp.ddot(eps, eps) + 0.5 * lam * tr * tr
                stress = stress * (part * wp.abs(det))
                e_sum += psi * part * wp.abs(det)
                for a in range(constant("NODES_PER_HEX|CORNERS", 8)):
                    sx = float(2 * (a % 2) - 1)
                    sy = float(2 * ((a // 2) % 2) - 1)
                    sz = float(2 * (a // 4) - 1)
                    dn = wp.vec3(sx * (1.0 + sy * eta) * (1.0 + sz * zeta), sy * (1.0 + sx * xi) * (1.0 + sz * zeta), sz * (1.0 + sx * xi) * (1.0 + sy * eta)) * 0.125
                    grad = wp.transpose(inv) * dn
                    wp.atomic_sub(f_int, conn[e, a], stress * grad)
        case 2:
            jac = wp.mat33()
            fmat = wp.mat33()
            center = wp.vec3(0.0, 0.0, 0.0)
            for a in range(constant("NODES_PER_HEX|CORNERS", 8)):
                dn = wp.vec3(float(2 * (a % 2) - 1), float(2 * ((a // 2) % 2) - 1), float(2 * (a // 4) - 1)) * 0.125
                nid = conn[e, a]
                jac += wp.outer(rest[nid], dn)
                fmat += wp.outer(u[nid], dn)
                center += u[nid] * 0.125
            det = wp.determinant(jac)
            low = det
            if wp.abs(det) > constant("DET_MIN|MIN_DET", 1.0e-3):
                inv = wp.inverse(jac)
                fmat = wp.identity(n=3, dtype=float) + fmat * inv
                match choose("material"):
                    case 2:
                        stress = brick_piola(fmat, mu, lam)
                        psi = 0.5 * mu * (wp.ddot(fmat, fmat) - 3.0)
                    case 1:
                        rot = fmat * (1.5 - wp.ddot(fmat, fmat) / 6.0)
                        stress = (fmat - rot) * (2.0 * mu)
                        psi = mu * wp.ddot(fmat - rot, fmat - rot)
                    case 2:
                        eps = (fmat + wp.transpose(fmat)) * 0.5 - wp.identity(n=3, dtype=float)
                        tr = wp.trace(eps)
                        stress = eps * (2.0 * mu) + wp.identity(n=3, dtype=float) * (lam * tr)
                        psi = mu * wp.ddot(eps, eps) + 0.5 * lam * tr * tr
                stress = stress * (part * 8.0 * wp.abs(det))
                e_sum = psi * part * 8.0 * wp.abs(det)
                for a in range(constant("NODES_PER_HEX|CORNERS", 8)):
                    nid = conn[e, a]
                    dn = wp.vec3(float(2 * (a % 2) - 1), float(2 * ((a // 2) % 2) - 1), float(2 * (a // 4) - 1)) * 0.125
                    force = stress * (wp.transpose(inv) * dn)
                    note("what the centre does not see|against hourglass modes")
                    drift = u[nid] - center - (fmat - wp.identity(n=3, dtype=float)) * (jac * dn * 8.0)
                    force = force + drift * (hourglass * part)
                    wp.atomic_sub(f_int, nid, force)
    if present(energy_out):
        energy_out[e] = e_sum
    if present(worst):
        worst[e] = low


@scene("fem", "matrix", "nested_loop", "combined", element,
       says="assembles the stiffness of four-node plane elements at two points per direction, in plane {state=0:stress}{state=1:strain} and {result=0:multiplies it with the displacements}{result=1:sums its diagonal}",
       title="quad_stiffness|plane_elements|q4_elements", topic="")
def plane_quads(xy: each(point2, node), uv: each(plane_displacement, node), quad: index(node, 4), young: setting(youngs_modulus, 2.0, 20.0), poisson: setting(poisson_ratio, 0.1, 0.4), thick: setting(length, 0.05, 0.2), young_e: maybe(each(ratio, element, range=(0.3, 1.0)), 0.4), alpha_t: maybe(setting(small_strain, 0.001, 0.01), 0.35), warm: each(relative_temperature, element, range=(-20.0, 20.0)), load: add(plane_load, node), diag_out: add(stiffness_diagonal, node), stress_out: maybe(out(stress_trio, element), 0.5)):
    names(point="point|qp|q", xi="xi|r|s1", eta="eta|s|s2", w="w|wq|weight", j00="j00|dxdr|jac00", j01="j01|dydr|jac01", j10="j10|dxds|jac10", j11="j11|dyds|jac11", det="det|det_j|jac", bx="bx|gx|dndx", by="by|gy|dndy", dr="dr|d_xi|nr", ds="ds|d_eta|ns", c="c|fac|e_fac", d11="d11|c11|e11", d12="d12|c12|e12", d33="d33|c33|g12", ex="ex|eps_x|exx", ey="ey|eps_y|eyy", gxy="gxy|eps_xy|gam", sxx="sxx|sig_x|s_x", syy="syy|sig_y|s_y", sxy="sxy|sig_xy|t_xy", em="em|modulus|e_mod")
    names(quad="quad|quads", young="young|e_modulus", poisson="nu|poisson", thick="thickness|depth", young_e="young_e|e_scale", alpha_t="alpha|expansion", warm="warming|delta_t", load="load|f_node", diag_out="diag_out|k_diag", stress_out="stress_out|mean_stress", xy="xy|nodes", uv="uv|u")
    e = wp.tid()
    em = young
    if present(young_e):
        em = young * young_e[e]
    match choose("state"):
        case 2:
            c = em / (1.0 - poisson * poisson)
            d11 = c
            d12 = c * poisson
        case 1:
            c = em / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
            d11 = c * (1.0 - poisson)
            d12 = c * poisson
    d33 = 0.5 * em / (1.0 + poisson)
    bx = wp.vec4(0.0, 0.0, 0.0, 0.0)
    by = wp.vec4(0.0, 0.0, 0.0, 0.0)
    sxx = float(0.0)
    syy = float(0.0)
    sxy = float(0.0)
    match choose("result"):
        case 1:
            fact("the product of stiffness and displacement is added to the loads of the nodes")
        case 1:
            fact("only the diagonal is summed, as a preconditioner wants it")
    for point in range(constant("NUM_POINTS|QUAD_POINTS", 4)):
        xi = float(2 * (point % 2) - 1) * constant("GAUSS|GP", 0.57735)
        eta = float(2 * (point // 2) - 1) * constant("GAUSS|GP", 0.57735)
        j00 = float(0.0)
        j01 = float(0.0)
        j10 = float(0.0)
        j11 = float(0.0)
        dr = wp.vec4(eta - 1.0, 1.0 - eta, 1.0 + eta, -1.0 - eta) * 0.25
        ds = wp.vec4(xi - 1.0, -1.0 - xi, 1.0 + xi, 1.0 - xi) * 0.25
        for a in range(4):
            j00 += dr[a] * xy[quad[e, a]][0]
            j01 += dr[a] * xy[quad[e, a]][1]
            j10 += ds[a] * xy[quad[e, a]][0]
            j11 += ds[a] * xy[quad[e, a]][1]
        det = j00 * j11 - j01 * j10
        if wp.abs(det) < constant("DET_MIN|AREA_EPS", 1.0e-3):
            continue
        bx = (dr * j11 - ds * j01) / det
        by = (ds * j00 - dr * j10) / det
        w = thick * wp.abs(det)
        ex = float(0.0)
        ey = float(0.0)
        gxy = float(0.0)
        for a in range(4):
            ex += bx[a] * uv[quad[e, a]][0]
            ey += by[a] * uv[quad[e, a]][1]
            gxy += by[a] * uv[quad[e, a]][0] + bx[a] * uv[quad[e, a]][1]
        if present(alpha_t):
            note("the strain of warming bears no stress|thermal strain")
            ex = ex - alpha_t * warm[e]
            ey = ey - alpha_t * warm[e]
        if present(stress_out):
            sxx += (d11 * ex + d12 * ey) * 0.25
            syy += (d12 * ex + d11 * ey) * 0.25
            sxy += d33 * gxy * 0.25
        match choose("result"):
            case 1:
                for a in range(4):
                    wp.atomic_add(load, quad[e, a], wp.vec2(bx[a] * (d11 * ex + d12 * ey) + by[a] * d33 * gxy, by[a] * (d12 * ex + d11 * ey) + bx[a] * d33 * gxy) * w)
            case 1:
                for a in range(4):
                    wp.atomic_add(diag_out, quad[e, a], wp.vec2(d11 * bx[a] * bx[a] + d33 * by[a] * by[a], d11 * by[a] * by[a] + d33 * bx[a] * bx[a]) * w)
    if present(stress_out):
        stress_out[e] = wp.vec3(sxx, syy, sxy)
