"""Models of plants and craft, from their equations."""

import numpy as np
from rotations import signed_like
from textbook import cross, hat, norm, reference, rotation_matrix


@reference
def catchment_days(s):
    def frac(name):
        return getattr(s, name) if s.has(name) else 0.0
    out = {k: [] for k in ("soil", "total_out", "peak_out", "peak_day", "snow_out", "series")}
    for c in range(len(s.soil)):
        ice = water = 0.0
        soil, upper, lower, flows = min(s.soil[c], s.field_cap), 5.0, 10.0, []
        for p, t in zip(s.rain[c], s.temp[c]):
            over = t + frac("warm") - s.threshold
            change = min(s.melt * over, ice) if over >= 0 else -min(-0.05 * s.melt * over, water)
            ice, water = ice - change + (p if over < 0 else 0), water + change + (p if over >= 0 else 0)
            excess = max(water - 0.1 * ice, 0)
            water -= excess
            recharge = excess * (soil / s.field_cap) ** s.beta
            spill = max(soil + excess - recharge - s.field_cap, 0)
            soil += excess - recharge - spill
            soil -= min(max(0.3 * (t + frac("warm")), 0) * min(soil / (0.7 * s.field_cap), 1), soil)
            upper += recharge + spill
            seep = min(s.seep, upper)
            upper, lower = upper - seep, lower + seep
            fast = frac("fast_rate") * max(upper - 15, 0)
            upper -= fast
            flows.append(fast + s.drain * upper + s.base_rate * lower)
            upper, lower = upper * (1 - s.drain), lower * (1 - s.base_rate)
        q = np.convolve(flows, [0.25, 0.5, 0.25])[:12]
        for k, v in zip(out, (soil, q.sum(), max(q.max(), 0), int(np.argmax(q)), ice + water, q)):
            out[k].append(v)
    return {**out, "floods": [int(np.sum(np.array(out["series"]) > 3))]}


@reference
def aircraft_step(s):
    out, turns, alphas, loads = {"pos": [], "u": [], "v": [], "w": [], "rates": []}, [], [], []
    rho = 1.225
    for i in range(len(s.pos)):
        r, w, v = rotation_matrix(hat(s.q[i])), s.rates[i], np.array([s.u[i], s.v[i], s.w[i]])
        air = v - (r.T @ np.asarray(s.wind) if s.has("wind") else 0)
        speed = norm(air)
        a, b = np.arctan2(air[2], air[0]), np.arcsin(np.clip(air[1] / speed, -1, 1))
        ail, ele, rud, thr = s.controls[i]
        attached = abs(a) < 0.26
        lift = 0.3 + 4.8 * a if attached else np.sin(2 * a)
        drag = 0.03 + (0.06 * lift**2 if attached else 2 * np.sin(a) ** 2)
        p, q, y = w * np.array([s.span, s.chord, s.span]) / (2 * speed)
        ram = rho / 2 * speed**2 * s.wing_area
        wind_axes = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
        force = ram * wind_axes @ [-drag, 0, -lift] + [0, ram * (-0.6 * b + 0.15 * rud), 0]
        force[0] += s.thrust_max * max(0.5 + 0.5 * thr, 0) * max(1 - speed / 40, 0)
        moment = ram * np.array([s.span * (-0.08 * b - 0.45 * p + 0.1 * y + 0.15 * ail), s.chord * (0.02 - 0.9 * a - 11 * q - 0.6 * ele),
                                 s.span * (0.1 * b - 0.03 * p - 0.12 * y - 0.08 * rud)])
        tensor = np.diag(s.inertia)
        w_new = w + s.dt * np.linalg.solve(tensor, moment - cross(w, tensor @ w))
        v_new = v + s.dt * (force / s.mass + r.T @ [0, 0, 9.81] - cross(w, v))
        place = s.pos[i] + s.dt * r @ v_new
        if s.has("ground") and place[2] > -s.ground:
            place[2] = -s.ground
        angle = 2 * np.arctan(norm(w_new) * s.dt / 2)
        k = hat(w_new)
        skew = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
        turns.append(r @ (np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew))
        for key, value in zip(out, (place, *v_new, w_new)):
            out[key].append(value)
        alphas.append(a)
        loads.append(-force[2] / (s.mass * 9.81))
    return {**out, "q": signed_like(s, "q", turns), "alpha_out": alphas, "load_factor": loads}


@reference
def battery_pack(s):
    keep = np.exp(-s.dt / s.tau)
    socs, sag, works, cuts = [], [], [], []
    for z, amps in zip(s.soc, s.load):
        z, slow, work, low, cut = z.copy(), np.zeros(4), 0.0, np.inf, 0
        for i in amps:
            if z.min() < s.soc_min and i > 0 or z.max() > s.soc_max and i < 0:
                i, cut = 0, cut + 1
            own = i + np.where(z - z.min() > 0.05, s.bleed if s.has("bleed") else 0, 0)
            slow = slow * keep + s.r1 * own * (1 - keep)
            v = np.polyval([0.7, -0.4, 0.9, 3.0], z) - 0.08 * np.exp(-20 * z) - s.r0 * own - slow
            low, work = min(low, v.min()), work + v.sum() * i * s.dt
            z = np.clip(z - own * s.dt / 3600 / s.capacity, 0, 1)
        for table, value in zip((socs, sag, works, cuts), (z, low, work, cut)):
            table.append(value)
    return {"soc_out": socs, "volt_min": sag, "energy_out": works, "cut_steps": cuts}


@reference
def decoder_layer(s):
    def normed(v):
        return v / np.sqrt(np.mean(v**2, -1, keepdims=True) + 1e-5) * s.gain
    t = np.arange(s.x.shape[1])
    speed = s.pos_scale if s.has("pos_scale") else 1.0
    turn = np.exp(1j * speed * t[:, None] / 10.0 ** np.arange(2))

    def rotary(v):
        z = (v[..., 0::2] + 1j * v[..., 1::2]) * turn
        return np.stack([z.real, z.imag], -1).reshape(v.shape)
    h = normed(s.x)
    q, k, v = rotary(h @ s.wq.T), rotary(h @ s.wk.T), h @ s.wv.T
    score = np.where(t[:, None] >= t, np.einsum("nid,njd->nij", q, k) / 2, -np.inf)
    weight = np.exp(score - score.max(-1, keepdims=True))
    weight /= weight.sum(-1, keepdims=True)
    r = s.x + weight @ v @ s.wo.T
    h = normed(r)
    gate = h @ s.gate_w.T
    gate = np.maximum(gate, 0) if s.choice("gate") else gate / (1 + np.exp(-gate))
    return {"y": r + gate * (h @ s.up_w.T), "focus": weight.max(-1), "norm_out": np.linalg.norm(r, axis=-1)}


@reference
def attitude_control_step(s):
    def product(a, b):
        return np.append(a[3] * b[:3] + b[3] * a[:3] + cross(a[:3], b[:3]), a[3] * b[3] - a[:3] @ b[:3])
    out, turned, err, dip, full = {"w": [], "hw": []}, [], [], [], 0
    limit = np.abs(s.wheel_max)
    for i in range(len(s.r)):
        q, goal, w, h = hat(s.q[i]), hat(s.goal[i]), s.w[i], s.hw[i]
        m = rotation_matrix(q)
        d = max(norm(s.r[i]), 0.6)
        up = s.r[i] / d
        field = m.T @ ((3 * up * up[2] - [0, 0, 1]) / d**3)
        nadir = m.T @ up
        torque = 0.003 / d**3 * cross(nadir, s.inertia * nadir) + (np.asarray(s.drag_t) if s.has("drag_t") else 0)
        e = product(np.append(-goal[:3], goal[3]), q)
        e = -e if e[3] < 0 else e
        err.append(2 * np.arctan2(norm(e[:3]), e[3]))
        fast = s.has("tumble") and norm(w) > s.tumble
        cmd = -(0 if fast else s.kp) * e[:3] - s.kd * w
        cmd = cmd / max(1, np.max(np.abs(cmd) / limit)) if s.choice("limit") else np.clip(cmd, -limit, limit)
        full += norm(h) > 0.6
        coil = np.clip(cross(h, field) * s.unload / max(field @ field, 1e-4), -0.2, 0.2)
        dip.append(coil)
        torque = torque + 0.01 * cross(coil, field) + cmd
        w_new = w + s.dt * (torque - cross(w, s.inertia * w + h)) / s.inertia
        out["w"].append(w_new)
        out["hw"].append(h - cmd * s.dt)
        turned.append(rotation_matrix(hat(q + product(q, np.append(w_new, 0)) * s.dt / 2)))
    return {**out, "q": signed_like(s, "q", turned), "err_out": err, "dipole_out": dip, "full": [full]}


@reference
def solar_plant(s):
    power, cells, sun = [], [], []
    none = [0] * len(s.day)
    for n, hour, c, warm, wind in zip(s.day, s.hour, s.cloud, s.air_temp if s.has("air_temp") else none, s.wind if s.has("wind") else none):
        phi, dec, w = s.latitude, np.deg2rad(23.45 * np.sin(np.deg2rad(360 / 365 * (284 + n)))), np.deg2rad(15 * (hour - 12))
        # The sun as a vector: south, west, up.
        ray = np.array([np.sin(phi) * np.cos(dec) * np.cos(w) - np.cos(phi) * np.sin(dec), np.cos(dec) * np.sin(w),
                        np.sin(phi) * np.sin(dec) + np.cos(phi) * np.cos(dec) * np.cos(w)])
        if ray[2] < 0.05:
            power.append(0), cells.append(warm), sun.append(0)
            continue
        ghi = 1098 * ray[2] * np.exp(-0.057 / ray[2]) * (1 - 0.75 * c**3.4)
        kt = min(ghi / (1361 * (1 + 0.033 * np.cos(2 * np.pi * n / 365)) * ray[2]), 1)
        kd = 1 - 0.09 * kt if kt <= 0.22 else np.polyval([12.336, -16.638, 4.388, -0.1604, 0.9511], kt) if kt <= 0.8 else 0.165
        diffuse = kd * ghi
        cosine = ray @ [np.sin(s.tilt), 0, np.cos(s.tilt)]
        plane = (ghi - diffuse) / ray[2] * max(cosine, 0) + diffuse * (1 + np.cos(s.tilt)) / 2 + s.albedo * ghi * (1 - np.cos(s.tilt)) / 2
        cell = warm + plane / (25 + 6.84 * wind)
        dc = s.rated * plane / 1000 * (1 - s.temp_coeff * (cell - 25))
        part = max(dc / s.rated, 0.02)
        power.append(np.clip(dc * 0.96 / 0.9637 * (-0.0162 * part - 0.0059 / part + 0.9858), 0, s.rated))
        cells.append(cell), sun.append(np.arcsin(ray[2]))
    return {"power_out": power, "cell_out": cells, "elevation_out": sun}
