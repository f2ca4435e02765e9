"""Estimators with small matrices: filters of vehicles, attitudes and beliefs."""


@law("robotics", "an angle brought back to between minus pi and pi", title="wrap_pi|wrap_to_pi|normalize_angle", private=True, function=True)
def wrapped_difference(a: bearing) -> bearing:
    return wp.atan2(wp.sin(a), wp.cos(a))


@scene("matrix", "combined", "control_flow", vehicle,
       says="tracks vehicles by one step of prediction and correction: position, heading and speed from {sight=0:ranges and bearings to beacons}{sight=1:satellite fixes}{sight=2:ranges to beacons}, with a gate against outliers{nis:, and the distance of the innovation}",
       title="track_vehicles|ekf_step|filter_vehicles", topic="", lossy=True)
def vehicle_filter(state: inout(car_state), cov: inout(car_covariance), yaw_rate: each(turn_rate, range=(-1.0, 1.0)), accel: maybe(each(axial_acceleration, vehicle, range=(-1.0, 1.0)), 0.5), seen: maybe(each(flag), 0.4), beacon: each(point2), fix: each(fix_reading), dt: setting(time_step, 0.05, 0.2), noise: setting(measurement_variance, 0.05, 0.3), drift: setting(state_variance, 0.01, 0.1), gate: setting(positive_value, 3.0, 9.0), nis: maybe(out(estimator_value), 0.5), rejected: maybe(add(count_value, 1), 0.4)):
    names(x="x|s|est", p="P|cov_i|p_mat", f="F|jac_f|phi_mat", q="Q|q_noise|process", h="H|jac_h|h_mat", s="S|inn_cov|s_mat", k="K|gain|kalman", r="r|innovation|resid", d="d|rel|to_beacon", dist="dist|rng|reach", c="c|cos_h|ch", sn="s|sin_h|sh", m2="m2|d2|gate_dist", v_new="v_new|speed|v_next", ikh="ikh|joseph|i_minus", det="det|s_det|det_s")
    names(state="state|states", cov="cov|covariances", yaw_rate="yaw_rate|gyro_z", accel="accel|acc_x", beacon="beacons|landmark_pos", fix="fix|readings", noise="meas_var|r_var", drift="drift|q_var", gate="gate|chi2_gate", rejected="rejected|num_rejected")
    i = wp.tid()
    x = state[i]
    p = cov[i]
    note("x, y, heading, speed|state: x, y, heading, speed")
    c = wp.cos(x[2])
    sn = wp.sin(x[2])
    v_new = x[3]
    if present(accel):
        v_new = x[3] + accel[i] * dt
    f = wp.identity(n=4, dtype=float)
    f[0, 2] = -x[3] * sn * dt
    f[0, 3] = c * dt
    f[1, 2] = x[3] * c * dt
    f[1, 3] = sn * dt
    x = wp.vec4(x[0] + x[3] * c * dt, x[1] + x[3] * sn * dt, wrapped_difference(x[2] + yaw_rate[i] * dt), v_new)
    match choose("process"):
        case 1:
            q = wp.identity(n=4, dtype=float) * (drift * dt)
        case 1:
            note("heading and speed wander, position follows from them")
            q = wp.diag(wp.vec4(0.0, 0.0, drift * dt, 4.0 * drift * dt))
        case 1:
            note("unknown acceleration over the step, along the heading")
            q = wp.outer(wp.vec4(0.5 * dt * c, 0.5 * dt * sn, 0.0, 1.0), wp.vec4(0.5 * dt * c, 0.5 * dt * sn, 0.0, 1.0)) * (drift * dt * dt)
            q[2, 2] = drift * dt
    p = f * p * wp.transpose(f) + q
    if present(seen):
        if seen[i] == 0:
            note("nothing was measured: the prediction stands|no measurement")
            fact("without a measurement the prediction stands")
            state[i] = x
            cov[i] = p
            if present(nis):
                nis[i] = 0.0
            return
    match choose("sight"):
        case 2:
            d = beacon[i] - wp.vec2(x[0], x[1])
            dist = wp.max(wp.length(d), constant("MIN_RANGE|RANGE_FLOOR", 0.1))
            r = wp.vec2(wp.length(fix[i]) - dist, wrapped_difference(wp.atan2(fix[i][1], fix[i][0]) - wp.atan2(d[1], d[0]) + x[2]))
            h = wp.matrix(-d[0] / dist, -d[1] / dist, 0.0, 0.0, d[1] / (dist * dist), -d[0] / (dist * dist), -1.0, 0.0, shape=(2, 4), dtype=float)
        case 2:
            r = fix[i] - wp.vec2(x[0], x[1])
            h = wp.matrix(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, shape=(2, 4), dtype=float)
        case 1:
            note("two ranges: to the beacon, and to the one at the origin")
            d = beacon[i] - wp.vec2(x[0], x[1])
            dist = wp.max(wp.length(d), constant("MIN_RANGE|RANGE_FLOOR", 0.1))
            m2 = wp.max(wp.length(wp.vec2(x[0], x[1])), constant("MIN_RANGE|RANGE_FLOOR", 0.1))
            r = wp.vec2(wp.abs(fix[i][0]) - dist, wp.abs(fix[i][1]) - m2)
            h = wp.matrix(-d[0] / dist, -d[1] / dist, 0.0, 0.0, x[0] / m2, x[1] / m2, 0.0, 0.0, shape=(2, 4), dtype=float)
    s = h * p * wp.transpose(h) + wp.identity(n=2, dtype=float) * noise
    match choose("inverse"):
        case 1:
            k = p * wp.transpose(h) * wp.inverse(s)
            m2 = wp.dot(r, wp.inverse(s) * r)
        case 1:
            note("the inverse of a 2 by 2 matrix by hand")
            det = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
            m2 = (s[1, 1] * r[0] * r[0] - (s[0, 1] + s[1, 0]) * r[0] * r[1] + s[0, 0] * r[1] * r[1]) / det
            k = p * wp.transpose(h) * (wp.matrix(s[1, 1], -s[0, 1], -s[1, 0], s[0, 0], shape=(2, 2), dtype=float) * (1.0 / det))
    if m2 < gate:
        x = x + k * r
        x[2] = wrapped_difference(x[2])
        match choose("update"):
            case 1:
                p = (wp.identity(n=4, dtype=float) - k * h) * p
            case 1:
                note("Joseph's form stays symmetric and positive")
                ikh = wp.identity(n=4, dtype=float) - k * h
                p = ikh * p * wp.transpose(ikh) + k * wp.transpose(k) * noise
            case 1:
                p = p - k * s * wp.transpose(k)
                p = (p + wp.transpose(p)) * 0.5
    else:
        note("too far off to be true|outlier")
        if present(rejected):
            wp.atomic_add(rejected, 0, 1)
        if maybe(0.5):
            note("trust the prediction less from now on")
            p = p * constant("INFLATE|COV_INFLATION", 1.2)
    state[i] = x
    cov[i] = p
    if present(nis):
        nis[i] = m2


@scene("quaternion", "matrix", "combined", sensor,
       says="estimates attitude and gyro bias by one step of a multiplicative filter: the gyro predicts, {ref=0:gravity}{ref=1:the magnetic field}{ref=2:gravity and the magnetic field} corrects",
       title="attitude_filter|mekf_step|estimate_attitude", topic="", rare=True)
def attitude_filter(q: inout(rotation), bias: inout(gyro_reading, range=(-0.1, 0.1)), cov: inout(attitude_covariance), gyro: each(gyro_reading), accel: each(accel_reading), mag: each(magnetic_field), still: maybe(each(flag), 0.4), north: setting(angle, -0.5, 0.5), noise: setting(measurement_variance, 0.05, 0.5), walk: setting(state_variance, 0.001, 0.02), bias_gain: setting(adapt_rate, 0.01, 0.1), dt: setting(time_step, 0.005, 0.02), tilt_out: maybe(out(angle), 0.5), innovation: maybe(out(estimator_value), 0.4)):
    names(rot="rot|qi|att", w="w|omega|rate", p="P|cov_i|p_mat", skew="skew|cross_w|w_hat", f="F|phi|trans", pred="pred|expected|v_pred", meas="meas|observed|v_meas", h="H|h_mat|sens", s="S|s_mat|inn_cov", k="K|gain|k_mat", r="r|resid|inn", dth="dth|d_theta|corr", g_len="g_len|acc_norm|a_mag", field="field|b_ref|mag_ref", up="up|z_body|vertical", weight="weight|r_scale|trust")
    names(bias="bias|gyro_bias", mag="mag|compass", still="still|stationary", north="declination|north", noise="meas_noise|r_meas", walk="walk|gyro_noise", tilt_out="tilt_out|tilt", innovation="innovation|residual_norm")
    i = wp.tid()
    rot = wp.normalize(q[i])
    w = gyro[i] - bias[i]
    p = cov[i]
    note("turn by the rate, without its bias|predict")
    match choose("propagate"):
        case 1:
            rot = wp.normalize(rot + rot * wp.quat(w[0], w[1], w[2], 0.0) * (0.5 * dt))
        case 1:
            if wp.length(w) * dt > constant("SMALL_ANGLE|MIN_ANGLE", 1.0e-5):
                rot = rot * wp.quat_from_axis_angle(wp.normalize(w), wp.length(w) * dt)
    match choose("transition"):
        case 1:
            f = wp.identity(n=3, dtype=float) - wp.skew(w) * dt
            p = f * p * wp.transpose(f) + wp.identity(n=3, dtype=float) * (walk * dt)
        case 1:
            skew = wp.skew(w) * dt
            p = p - skew * p + p * skew + wp.identity(n=3, dtype=float) * (walk * dt)
    r = wp.vec3(0.0, 0.0, 0.0)
    match choose("ref"):
        case 2:
            g_len = wp.length(accel[i])
            pred = wp.quat_rotate_inv(rot, wp.vec3(0.0, 0.0, 1.0))
            weight = noise
            if maybe(0.6):
                note("what pushes the sensor is no gravity: trust it less|acceleration disturbs the vertical")
                weight = noise * (1.0 + wp.abs(g_len - constant("GRAVITY|G", 9.81)))
            if g_len > constant("MIN_ACCEL|FREE_FALL", 2.0):
                meas = accel[i] / g_len
                h = wp.skew(pred)
                s = h * p * wp.transpose(h) + wp.identity(n=3, dtype=float) * weight
                k = p * wp.transpose(h) * wp.inverse(s)
                r = meas - pred
                dth = k * r
                p = (wp.identity(n=3, dtype=float) - k * h) * p
                rot = wp.normalize(rot + rot * wp.quat(dth[0], dth[1], dth[2], 0.0) * 0.5)
                bias[i] = bias[i] - dth * bias_gain
        case 1:
            field = wp.vec3(wp.cos(north), wp.sin(north), 0.0)
            pred = wp.quat_rotate_inv(rot, field)
            meas = wp.normalize(mag[i])
            h = wp.skew(pred)
            s = h * p * wp.transpose(h) + wp.identity(n=3, dtype=float) * noise
            k = p * wp.transpose(h) * wp.inverse(s)
            r = meas - pred
            dth = k * r
            p = (wp.identity(n=3, dtype=float) - k * h) * p
            rot = wp.normalize(rot + rot * wp.quat(dth[0], dth[1], dth[2], 0.0) * 0.5)
            bias[i] = bias[i] - dth * bias_gain
        case 2:
            for which in range(2):
                note("first the vertical, then north|one reference after the other")
                if which == 0:
                    pred = wp.quat_rotate_inv(rot, wp.vec3(0.0, 0.0, 1.0))
                    meas = wp.normalize(accel[i])
                else:
                    pred = wp.quat_rotate_inv(rot, wp.vec3(wp.cos(north), wp.sin(north), 0.0))
                    meas = wp.normalize(mag[i])
                h = wp.skew(pred)
                s = h * p * wp.transpose(h) + wp.identity(n=3, dtype=float) * noise
                k = p * wp.transpose(h) * wp.inverse(s)
                r = meas - pred
                dth = k * r
                p = (wp.identity(n=3, dtype=float) - k * h) * p
                rot = wp.normalize(rot + rot * wp.quat(dth[0], dth[1], dth[2], 0.0) * 0.5)
                bias[i] = bias[i] - dth * bias_gain
    if present(still):
        if still[i] == 1:
            note("at rest the gyro shows its bias and nothing else|zero-rate update")
            fact("while a sensor rests, its rate is taken for the bias")
            bias[i] = bias[i] + (gyro[i] - bias[i]) * bias_gain
    q[i] = rot
    match choose("symmetric"):
        case 1:
            cov[i] = p
        case 1:
            cov[i] = (p + wp.transpose(p)) * 0.5
    if present(tilt_out):
        up = wp.quat_rotate(rot, wp.vec3(0.0, 0.0, 1.0))
        tilt_out[i] = wp.acos(wp.clamp(up[2], -1.0, 1.0))
    if present(innovation):
        innovation[i] = wp.length(r)
