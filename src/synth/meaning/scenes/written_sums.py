"""Long works written out entry by entry: gases in space, four stages of a rule, inverses of matrices."""


@scene("stencil", "physics", "combined", cell,
       says="streams and collides a lattice gas with fifteen velocities in space, written out direction by direction, with bounce-back at obstacles{force:, driven by a force}{buoy:, lifted by heat}{collision=1:, opposite directions with two relaxation times}",
       title="d3q15_cell|lattice_gas_3d|lbm_space_cell", topic="")
def written_lattice_space(f_in: each(lattice_population, cell, cell, cell, 15, range=(0.03, 0.1)), solid: each(flag), omega: setting(relaxation, 0.8, 1.6), force: maybe(setting(small_angle, 0.001, 0.005), 0.5), buoy: maybe(each(ratio), 0.35), f_new: out(lattice_population, cell, cell, cell, 15), rho_out: maybe(out(lattice_density), 0.5), u_out: maybe(out(velocity), 0.5), energy_out: maybe(out(energy), 0.3)):
    names(ip="ip|xp|i_next", im="im|xm|i_prev", jp="jp|yp|j_next", jm="jm|ym|j_prev", kp="kp|zp|k_next", km="km|zm|k_prev", ux="ux|vx|vel_x", uy="uy|vy|vel_y", uz="uz|vz|vel_z", u2="u2|usq|uu", rho="rho|dens|mass_c", cu="cu|proj|c_dot_u")
    names(f_in="f_in|f", omega="omega|relax", force="force_x|drive", buoy="heat|warmth", f_new="f_new|f_out", rho_out="rho_out|density_out", u_out="u_out|velocity_out")
    i, j, k = wp.tid()
    if solid[i, j, k] == 1:
        return
    match choose("edges"):
        case 2:
            ip = (i + 1) % count(cell, 0)
            im = (i + count(cell, 0) - 1) % count(cell, 0)
            jp = (j + 1) % count(cell, 1)
            jm = (j + count(cell, 1) - 1) % count(cell, 1)
            kp = (k + 1) % count(cell, 2)
            km = (k + count(cell, 2) - 1) % count(cell, 2)
        case 1:
            ip = wp.min(i + 1, count(cell, 0) - 1)
            im = wp.max(i - 1, 0)
            jp = wp.min(j + 1, count(cell, 1) - 1)
            jm = wp.max(j - 1, 0)
            kp = wp.min(k + 1, count(cell, 2) - 1)
            km = wp.max(k - 1, 0)
    note("pull from the neighbours|streaming")
    f0 = f_in[i, j, k, 0]
    f1 = f_in[im, j, k, 1]
    f2 = f_in[ip, j, k, 2]
    f3 = f_in[i, jm, k, 3]
    f4 = f_in[i, jp, k, 4]
    f5 = f_in[i, j, km, 5]
    f6 = f_in[i, j, kp, 6]
    f7 = f_in[im, jm, km, 7]
    f8 = f_in[im, jm, kp, 8]
    f9 = f_in[im, jp, km, 9]
    f10 = f_in[im, jp, kp, 10]
    f11 = f_in[ip, jm, km, 11]
    f12 = f_in[ip, jm, kp, 12]
    f13 = f_in[ip, jp, km, 13]
    f14 = f_in[ip, jp, kp, 14]
    note("back from the walls|bounce-back")
    if solid[im, j, k] == 1:
        f1 = f_in[i, j, k, 2]
    if solid[ip, j, k] == 1:
        f2 = f_in[i, j, k, 1]
    if solid[i, jm, k] == 1:
        f3 = f_in[i, j, k, 4]
    if solid[i, jp, k] == 1:
        f4 = f_in[i, j, k, 3]
    if solid[i, j, km] == 1:
        f5 = f_in[i, j, k, 6]
    if solid[i, j, kp] == 1:
        f6 = f_in[i, j, k, 5]
    if solid[im, jm, km] == 1:
        f7 = f_in[i, j, k, 14]
    if solid[im, jm, kp] == 1:
        f8 = f_in[i, j, k, 13]
    if solid[im, jp, km] == 1:
        f9 = f_in[i, j, k, 12]
    if solid[im, jp, kp] == 1:
        f10 = f_in[i, j, k, 11]
    if solid[ip, jm, km] == 1:
        f11 = f_in[i, j, k, 10]
    if solid[ip, jm, kp] == 1:
        f12 = f_in[i, j, k, 9]
    if solid[ip, jp, km] == 1:
        f13 = f_in[i, j, k, 8]
    if solid[ip, jp, kp] == 1:
        f14 = f_in[i, j, k, 7]
    rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14
    ux = (f1 - f2 + f7 + f8 + f9 + f10 - f11 - f12 - f13 - f14) / rho
    uy = (f3 - f4 + f7 + f8 - f9 - f10 + f11 + f12 - f13 - f14) / rho
    uz = (f5 - f6 + f7 - f8 + f9 - f10 + f11 - f12 + f13 - f14) / rho
    if present(force):
        ux += 0.5 * force / rho
    if present(buoy):
        note("warm gas rises|buoyancy")
        uz += constant("BUOYANCY|LIFT|BETA_G", 0.01) * buoy[i, j, k]
    u2 = 1.5 * (ux * ux + uy * uy + uz * uz)
    e0 = 2.0 / 9.0 * rho * (1.0 - u2)
    e1 = rho / 9.0 * (1.0 + 3.0 * ux + 4.5 * ux * ux - u2)
    e2 = rho / 9.0 * (1.0 - 3.0 * ux + 4.5 * ux * ux - u2)
    e3 = rho / 9.0 * (1.0 + 3.0 * uy + 4.5 * uy * uy - u2)
    e4 = rho / 9.0 * (1.0 - 3.0 * uy + 4.5 * uy * uy - u2)
    e5 = rho / 9.0 * (1.0 + 3.0 * uz + 4.5 * uz * uz - u2)
    e6 = rho / 9.0 * (1.0 - 3.0 * uz + 4.5 * uz * uz - u2)
    cu = ux + uy + uz
    e7 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = ux + uy - uz
    e8 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = ux - uy + uz
    e9 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = ux - uy - uz
    e10 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = -ux + uy + uz
    e11 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = -ux + uy - uz
    e12 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = -ux - uy + uz
    e13 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    cu = -ux - uy - uz
    e14 = rho / 72.0 * (1.0 + 3.0 * cu + 4.5 * cu * cu - u2)
    match choose("collision"):
        case 3:
            f0 += omega * (e0 - f0)
            f1 += omega * (e1 - f1)
            f2 += omega * (e2 - f2)
            f3 += omega * (e3 - f3)
            f4 += omega * (e4 - f4)
            f5 += omega * (e5 - f5)
            f6 += omega * (e6 - f6)
            f7 += omega * (e7 - f7)
            f8 += omega * (e8 - f8)
            f9 += omega * (e9 - f9)
            f10 += omega * (e10 - f10)
            f11 += omega * (e11 - f11)
            f12 += omega * (e12 - f12)
            f13 += omega * (e13 - f13)
            f14 += omega * (e14 - f14)
        case 1:
            om_minus = 1.0 / (0.5 + 0.25 / (1.0 / omega - 0.5))
            f0 += omega * (e0 - f0)
            even1 = 0.5 * omega * (e1 + e2 - f1 - f2)
            odd1 = 0.5 * om_minus * (e1 - e2 - f1 + f2)
            f1 += even1 + odd1
            f2 += even1 - odd1
            even3 = 0.5 * omega * (e3 + e4 - f3 - f4)
            odd3 = 0.5 * om_minus * (e3 - e4 - f3 + f4)
            f3 += even3 + odd3
            f4 += even3 - odd3
            even5 = 0.5 * omega * (e5 + e6 - f5 - f6)
            odd5 = 0.5 * om_minus * (e5 - e6 - f5 + f6)
            f5 += even5 + odd5
            f6 += even5 - odd5
            even7 = 0.5 * omega * (e7 + e14 - f7 - f14)
            odd7 = 0.5 * om_minus * (e7 - e14 - f7 + f14)
            f7 += even7 + odd7
            f14 += even7 - odd7
            even8 = 0.5 * omega * (e8 + e13 - f8 - f13)
            odd8 = 0.5 * om_minus * (e8 - e13 - f8 + f13)
            f8 += even8 + odd8
            f13 += even8 - odd8
            even9 = 0.5 * omega * (e9 + e12 - f9 - f12)
            odd9 = 0.5 * om_minus * (e9 - e12 - f9 + f12)
            f9 += even9 + odd9
            f12 += even9 - odd9
            even10 = 0.5 * omega * (e10 + e11 - f10 - f11)
            odd10 = 0.5 * om_minus * (e10 - e11 - f10 + f11)
            f10 += even10 + odd10
            f11 += even10 - odd10
    if present(force):
        f1 += force / 3.0
        f2 -= force / 3.0
    f_new[i, j, k, 0] = f0
    f_new[i, j, k, 1] = f1
    f_new[i, j, k, 2] = f2
    f_new[i, j, k, 3] = f3
    f_new[i, j, k, 4] = f4
    f_new[i, j, k, 5] = f5
    f_new[i, j, k, 6] = f6
    f_new[i, j, k, 7] = f7
    f_new[i, j, k, 8] = f8
    f_new[i, j, k, 9] = f9
    f_new[i, j, k, 10] = f10
    f_new[i, j, k, 11] = f11
    f_new[i, j, k, 12] = f12
    f_new[i, j, k, 13] = f13
    f_new[i, j, k, 14] = f14
    if present(rho_out):
        rho_out[i, j, k] = rho
    if present(u_out):
        u_out[i, j, k] = wp.vec3(ux, uy, uz)
    if present(energy_out):
        energy_out[i, j, k] = 0.5 * rho * (ux * ux + uy * uy + uz * uz)


@scene("math", "arithmetic", "combined", "scalar_param", "physics", particle,
       says="integrates {model=0:a light body about two heavy ones in the frame that turns with them}{model=1:double pendulums}{model=2:stars in the potential of a galaxy's centre} by {rule=0:the classical Runge-Kutta rule}{rule=1:the three-eighths rule}, all four stages written out{energy_out:, and notes the energy in the end}{near_out:, and finds the smallest distance from the origin}",
       title="integrate_written_out|rk4_steps|four_stage_steps", topic="")
def written_stages(x0: inout(orbit_coordinate, range=(0.2, 1.2)), y0: inout(orbit_coordinate, range=(0.2, 1.2)), vx0: inout(orbit_coordinate, range=(-0.5, 0.5)), vy0: inout(orbit_coordinate, range=(-0.5, 0.5)), frozen: maybe(each(flag), 0.3), ratio_: setting(ratio, 0.05, 0.3), drag: maybe(setting(ratio, 0.01, 0.1), 0.4), steps: setting(steps_value, 2, 6), dt: setting(time_step, 0.005, 0.02), energy_out: maybe(out(signed_energy), 0.5), near_out: maybe(out(distance), 0.5), path_out: maybe(out(distance), 0.4)):
    names(x="x|px|q1", y="y|py|q2", vx="vx|ux|p1", vy="vy|uy|p2", xs="xs|x_s|s1", ys="ys|y_s|s2", vxs="vxs|vx_s|s3", vys="vys|vy_s|s4", d1="d1|r_one|dist_a", d2="d2|r_two|dist_b", c12="c12|cos_d|cd", s12="s12|sin_d|sd", energy="energy|e_tot|h", near="near|closest|r_min", way="way|path_len|travel", x_old="x_old|x_prev|last_x", y_old="y_old|y_prev|last_y")
    names(ratio_="mass_ratio|mu", drag="drag|friction", energy_out="energy_out|energies", near_out="near_out|closest_out", path_out="path_out|travelled", frozen="frozen|inactive")
    i = wp.tid()
    if present(frozen):
        if frozen[i] == 1:
            return
    x = x0[i]
    y = y0[i]
    vx = vx0[i]
    vy = vy0[i]
    near = float(1.0e6)
    way = float(0.0)
    for step in range(steps):
        x_old = x
        y_old = y
        kx1 = vx
        ky1 = vy
        match choose("model"):
            case 1:
                d1 = wp.sqrt((x + ratio_) * (x + ratio_) + y * y + 1.0e-4)
                d2 = wp.sqrt((x - 1.0 + ratio_) * (x - 1.0 + ratio_) + y * y + 1.0e-4)
                ku1 = x + 2.0 * vy - (1.0 - ratio_) * (x + ratio_) / (d1 * d1 * d1) - ratio_ * (x - 1.0 + ratio_) / (d2 * d2 * d2)
                kv1 = y - 2.0 * vx - (1.0 - ratio_) * y / (d1 * d1 * d1) - ratio_ * y / (d2 * d2 * d2)
            case 1:
                c12 = wp.cos(x - y)
                s12 = wp.sin(x - y)
                ku1 = (ratio_ * wp.sin(y) * c12 - ratio_ * s12 * (vx * vx * c12 + vy * vy) - (1.0 + ratio_) * wp.sin(x)) / (1.0 + ratio_ * s12 * s12)
                kv1 = ((1.0 + ratio_) * (vx * vx * s12 - wp.sin(y) + wp.sin(x) * c12) + ratio_ * vy * vy * s12 * c12) / (1.0 + ratio_ * s12 * s12)
            case 1:
                ku1 = -x - 2.0 * x * y
                kv1 = -y - x * x + y * y
        if present(drag):
            ku1 = ku1 - drag * vx
            kv1 = kv1 - drag * vy
        note("second stage")
        match choose("rule"):
            case 3:
                xs = x + 0.5 * dt * kx1
                ys = y + 0.5 * dt * ky1
                vxs = vx + 0.5 * dt * ku1
                vys = vy + 0.5 * dt * kv1
            case 1:
                xs = x + dt / 3.0 * kx1
                ys = y + dt / 3.0 * ky1
                vxs = vx + dt / 3.0 * ku1
                vys = vy + dt / 3.0 * kv1
        kx2 = vxs
        ky2 = vys
        match choose("model"):
            case 1:
                d1 = wp.sqrt((xs + ratio_) * (xs + ratio_) + ys * ys + 1.0e-4)
                d2 = wp.sqrt((xs - 1.0 + ratio_) * (xs - 1.0 + ratio_) + ys * ys + 1.0e-4)
                ku2 = xs + 2.0 * vys - (1.0 - ratio_) * (xs + ratio_) / (d1 * d1 * d1) - ratio_ * (xs - 1.0 + ratio_) / (d2 * d2 * d2)
                kv2 = ys - 2.0 * vxs - (1.0 - ratio_) * ys / (d1 * d1 * d1) - ratio_ * ys / (d2 * d2 * d2)
            case 1:
                c12 = wp.cos(xs - ys)
                s12 = wp.sin(xs - ys)
                ku2 = (ratio_ * wp.sin(ys) * c12 - ratio_ * s12 * (vxs * vxs * c12 + vys * vys) - (1.0 + ratio_) * wp.sin(xs)) / (1.0 + ratio_ * s12 * s12)
                kv2 = ((1.0 + ratio_) * (vxs * vxs * s12 - wp.sin(ys) + wp.sin(xs) * c12) + ratio_ * vys * vys * s12 * c12) / (1.0 + ratio_ * s12 * s12)
            case 1:
                ku2 = -xs - 2.0 * xs * ys
                kv2 = -ys - xs * xs + ys * ys
        if present(drag):
            ku2 = ku2 - drag * vxs
            kv2 = kv2 - drag * vys
        note("third stage")
        match choose("rule"):
            case 3:
                xs = x + 0.5 * dt * kx2
                ys = y + 0.5 * dt * ky2
                vxs = vx + 0.5 * dt * ku2
                vys = vy + 0.5 * dt * kv2
            case 1:
                xs = x + dt * (kx2 - kx1 / 3.0)
                ys = y + dt * (ky2 - ky1 / 3.0)
                vxs = vx + dt * (ku2 - ku1 / 3.0)
                vys = vy + dt * (kv2 - kv1 / 3.0)
        kx3 = vxs
        ky3 = vys
        match choose("model"):
            case 1:
                d1 = wp.sqrt((xs + ratio_) * (xs + ratio_) + ys * ys + 1.0e-4)
                d2 = wp.sqrt((xs - 1.0 + ratio_) * (xs - 1.0 + ratio_) + ys * ys + 1.0e-4)
                ku3 = xs + 2.0 * vys - (1.0 - ratio_) * (xs + ratio_) / (d1 * d1 * d1) - ratio_ * (xs - 1.0 + ratio_) / (d2 * d2 * d2)
                kv3 = ys - 2.0 * vxs - (1.0 - ratio_) * ys / (d1 * d1 * d1) - ratio_ * ys / (d2 * d2 * d2)
            case 1:
                c12 = wp.cos(xs - ys)
                s12 = wp.sin(xs - ys)
                ku3 = (ratio_ * wp.sin(ys) * c12 - ratio_ * s12 * (vxs * vxs * c12 + vys * vys) - (1.0 + ratio_) * wp.sin(xs)) / (1.0 + ratio_ * s12 * s12)
                kv3 = ((1.0 + ratio_) * (vxs * vxs * s12 - wp.sin(ys) + wp.sin(xs) * c12) + ratio_ * vys * vys * s12 * c12) / (1.0 + ratio_ * s12 * s12)
            case 1:
                ku3 = -xs - 2.0 * xs * ys
                kv3 = -ys - xs * xs + ys * ys
        if present(drag):
            ku3 = ku3 - drag * vxs
            kv3 = kv3 - drag * vys
        note("fourth stage")
        match choose("rule"):
            case 3:
                xs = x + dt * kx3
                ys = y + dt * ky3
                vxs = vx + dt * ku3
                vys = vy + dt * kv3
            case 1:
                xs = x + dt * (kx1 - kx2 + kx3)
                ys = y + dt * (ky1 - ky2 + ky3)
                vxs = vx + dt * (ku1 - ku2 + ku3)
                vys = vy + dt * (kv1 - kv2 + kv3)
        kx4 = vxs
        ky4 = vys
        match choose("model"):
            case 1:
                d1 = wp.sqrt((xs + ratio_) * (xs + ratio_) + ys * ys + 1.0e-4)
                d2 = wp.sqrt((xs - 1.0 + ratio_) * (xs - 1.0 + ratio_) + ys * ys + 1.0e-4)
                ku4 = xs + 2.0 * vys - (1.0 - ratio_) * (xs + ratio_) / (d1 * d1 * d1) - ratio_ * (xs - 1.0 + ratio_) / (d2 * d2 * d2)
                kv4 = ys - 2.0 * vxs - (1.0 - ratio_) * ys / (d1 * d1 * d1) - ratio_ * ys / (d2 * d2 * d2)
            case 1:
                c12 = wp.cos(xs - ys)
                s12 = wp.sin(xs - ys)
                ku4 = (ratio_ * wp.sin(ys) * c12 - ratio_ * s12 * (vxs * vxs * c12 + vys * vys) - (1.0 + ratio_) * wp.sin(xs)) / (1.0 + ratio_ * s12 * s12)
                kv4 = ((1.0 + ratio_) * (vxs * vxs * s12 - wp.sin(ys) + wp.sin(xs) * c12) + ratio_ * vys * vys * s12 * c12) / (1.0 + ratio_ * s12 * s12)
            case 1:
                ku4 = -xs - 2.0 * xs * ys
                kv4 = -ys - xs * xs + ys * ys
        if present(drag):
            ku4 = ku4 - drag * vxs
            kv4 = kv4 - drag * vys
        match choose("rule"):
            case 3:
                x += dt / 6.0 * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4)
                y += dt / 6.0 * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4)
                vx += dt / 6.0 * (ku1 + 2.0 * ku2 + 2.0 * ku3 + ku4)
                vy += dt / 6.0 * (kv1 + 2.0 * kv2 + 2.0 * kv3 + kv4)
            case 1:
                x += dt / 8.0 * (kx1 + 3.0 * kx2 + 3.0 * kx3 + kx4)
                y += dt / 8.0 * (ky1 + 3.0 * ky2 + 3.0 * ky3 + ky4)
                vx += dt / 8.0 * (ku1 + 3.0 * ku2 + 3.0 * ku3 + ku4)
                vy += dt / 8.0 * (kv1 + 3.0 * kv2 + 3.0 * kv3 + kv4)
        near = wp.min(near, wp.sqrt(x * x + y * y))
        way += wp.sqrt((x - x_old) * (x - x_old) + (y - y_old) * (y - y_old))
    x0[i] = x
    y0[i] = y
    vx0[i] = vx
    vy0[i] = vy
    if present(energy_out):
        match choose("model"):
            case 1:
                d1 = wp.sqrt((x + ratio_) * (x + ratio_) + y * y + 1.0e-4)
                d2 = wp.sqrt((x - 1.0 + ratio_) * (x - 1.0 + ratio_) + y * y + 1.0e-4)
                energy = 0.5 * (vx * vx + vy * vy - x * x - y * y) - (1.0 - ratio_) / d1 - ratio_ / d2
            case 1:
                energy = (1.0 + ratio_) * 0.5 * vx * vx + ratio_ * (0.5 * vy * vy + vx * vy * wp.cos(x - y)) - (1.0 + ratio_) * wp.cos(x) - ratio_ * wp.cos(y)
            case 1:
                energy = 0.5 * (vx * vx + vy * vy + x * x + y * y) + x * x * y - y * y * y / 3.0
        energy_out[i] = energy
    if present(near_out):
        near_out[i] = near
    if present(path_out):
        path_out[i] = way


@scene("matrix", "combined", "vector", camera,
       says="inverts the view matrices of cameras entry by entry by the minors of their halves, {planes:takes the six planes of their view, }{corner:finds a corner of what they see, }and tells {test=0:whether a point is in view}{test=1:how far a point is outside}",
       title="camera_inverses|invert_view_matrices|view_setup", topic="", rare=True)
def written_inverse(m: each(view_matrix4), point: each(position), inv_out: out(view_matrix4), planes: maybe(out(view_plane, camera, 6), 0.6), corner: maybe(out(position), 0.5), det_out: maybe(out(value), 0.4), inside: out(value), bad: maybe(add(count_value, 1), 0.4)):
    names(det="det|det_m|d", inv_det="inv_det|rdet|inv_d", clip="clip|clip_pos|pc", far="far|far_corner|h_pos", worst="worst|outside|margin", len_="len_|norm|plane_len")
    names(m="matrices|view_proj", point="points|queries", inv_out="inv_out|inverse_out", planes="planes|frustum", corner="corner|far_corner_out", det_out="det_out|determinants", inside="inside|in_view", bad="bad|num_singular")
    c = wp.tid()
    a00 = m[c][0, 0]
    a01 = m[c][0, 1]
    a02 = m[c][0, 2]
    a03 = m[c][0, 3]
    a10 = m[c][1, 0]
    a11 = m[c][1, 1]
    a12 = m[c][1, 2]
    a13 = m[c][1, 3]
    a20 = m[c][2, 0]
    a21 = m[c][2, 1]
    a22 = m[c][2, 2]
    a23 = m[c][2, 3]
    a30 = m[c][3, 0]
    a31 = m[c][3, 1]
    a32 = m[c][3, 2]
    a33 = m[c][3, 3]
    note("minors of the upper and the lower half|two by two minors")
    s0 = a00 * a11 - a10 * a01
    s1 = a00 * a12 - a10 * a02
    s2 = a00 * a13 - a10 * a03
    s3 = a01 * a12 - a11 * a02
    s4 = a01 * a13 - a11 * a03
    s5 = a02 * a13 - a12 * a03
    t0 = a20 * a31 - a30 * a21
    t1 = a20 * a32 - a30 * a22
    t2 = a20 * a33 - a30 * a23
    t3 = a21 * a32 - a31 * a22
    t4 = a21 * a33 - a31 * a23
    t5 = a22 * a33 - a32 * a23
    det = s0 * t5 - s1 * t4 + s2 * t3 + s3 * t2 - s4 * t1 + s5 * t0
    if wp.abs(det) < constant("DET_MIN|SINGULAR|MIN_DET", 0.01):
        if present(bad):
            wp.atomic_add(bad, 0, 1)
        inside[c] = -1.0
        return
    inv_det = 1.0 / det
    b00 = (a11 * t5 - a12 * t4 + a13 * t3) * inv_det
    b01 = (-a01 * t5 + a02 * t4 - a03 * t3) * inv_det
    b02 = (a31 * s5 - a32 * s4 + a33 * s3) * inv_det
    b03 = (-a21 * s5 + a22 * s4 - a23 * s3) * inv_det
    b10 = (-a10 * t5 + a12 * t2 - a13 * t1) * inv_det
    b11 = (a00 * t5 - a02 * t2 + a03 * t1) * inv_det
    b12 = (-a30 * s5 + a32 * s2 - a33 * s1) * inv_det
    b13 = (a20 * s5 - a22 * s2 + a23 * s1) * inv_det
    b20 = (a10 * t4 - a11 * t2 + a13 * t0) * inv_det
    b21 = (-a00 * t4 + a01 * t2 - a03 * t0) * inv_det
    b22 = (a30 * s4 - a31 * s2 + a33 * s0) * inv_det
    b23 = (-a20 * s4 + a21 * s2 - a23 * s0) * inv_det
    b30 = (-a10 * t3 + a11 * t1 - a12 * t0) * inv_det
    b31 = (a00 * t3 - a01 * t1 + a02 * t0) * inv_det
    b32 = (-a30 * s3 + a31 * s1 - a32 * s0) * inv_det
    b33 = (a20 * s3 - a21 * s1 + a22 * s0) * inv_det
    inv_out[c] = wp.mat44(b00, b01, b02, b03, b10, b11, b12, b13, b20, b21, b22, b23, b30, b31, b32, b33)
    if present(planes):
        note("rows of the matrix, added and subtracted|left, right, bottom, top, near, far")
        len_ = wp.sqrt((a30 + a00) * (a30 + a00) + (a31 + a01) * (a31 + a01) + (a32 + a02) * (a32 + a02) + 1.0e-6)
        planes[c, 0] = wp.vec4(a30 + a00, a31 + a01, a32 + a02, a33 + a03) / len_
        len_ = wp.sqrt((a30 - a00) * (a30 - a00) + (a31 - a01) * (a31 - a01) + (a32 - a02) * (a32 - a02) + 1.0e-6)
        planes[c, 1] = wp.vec4(a30 - a00, a31 - a01, a32 - a02, a33 - a03) / len_
        len_ = wp.sqrt((a30 + a10) * (a30 + a10) + (a31 + a11) * (a31 + a11) + (a32 + a12) * (a32 + a12) + 1.0e-6)
        planes[c, 2] = wp.vec4(a30 + a10, a31 + a11, a32 + a12, a33 + a13) / len_
        len_ = wp.sqrt((a30 - a10) * (a30 - a10) + (a31 - a11) * (a31 - a11) + (a32 - a12) * (a32 - a12) + 1.0e-6)
        planes[c, 3] = wp.vec4(a30 - a10, a31 - a11, a32 - a12, a33 - a13) / len_
        len_ = wp.sqrt((a30 + a20) * (a30 + a20) + (a31 + a21) * (a31 + a21) + (a32 + a22) * (a32 + a22) + 1.0e-6)
        planes[c, 4] = wp.vec4(a30 + a20, a31 + a21, a32 + a22, a33 + a23) / len_
        len_ = wp.sqrt((a30 - a20) * (a30 - a20) + (a31 - a21) * (a31 - a21) + (a32 - a22) * (a32 - a22) + 1.0e-6)
        planes[c, 5] = wp.vec4(a30 - a20, a31 - a21, a32 - a22, a33 - a23) / len_
    if present(corner):
        far = wp.vec4(b00 + b01 + b02 + b03, b10 + b11 + b12 + b13, b20 + b21 + b22 + b23, b30 + b31 + b32 + b33)
        match choose("divide"):
            case 1:
                corner[c] = wp.vec3(far[0], far[1], far[2]) / (wp.abs(far[3]) + constant("W_EPS|MIN_W|W_FLOOR", 0.1))
            case 1:
                if wp.abs(far[3]) > constant("W_EPS|MIN_W|W_FLOOR", 0.1):
                    corner[c] = wp.vec3(far[0] / far[3], far[1] / far[3], far[2] / far[3])
                else:
                    corner[c] = wp.vec3(far[0], far[1], far[2])
    clip = wp.vec4(a00 * point[c][0] + a01 * point[c][1] + a02 * point[c][2] + a03, a10 * point[c][0] + a11 * point[c][1] + a12 * point[c][2] + a13, a20 * point[c][0] + a21 * point[c][1] + a22 * point[c][2] + a23, a30 * point[c][0] + a31 * point[c][1] + a32 * point[c][2] + a33)
    match choose("test"):
        case 1:
            if wp.abs(clip[0]) <= clip[3] and wp.abs(clip[1]) <= clip[3] and wp.abs(clip[2]) <= clip[3]:
                inside[c] = 1.0
            else:
                inside[c] = 0.0
        case 1:
            worst = wp.abs(clip[0]) - clip[3]
            worst = wp.max(worst, wp.abs(clip[1]) - clip[3])
            worst = wp.max(worst, wp.abs(clip[2]) - clip[3])
            inside[c] = wp.max(worst, 0.0)
    if present(det_out):
        det_out[c] = det
