"""Shapes, signals, samples and prices: one law after another, from what is measured to what is wanted."""


@scene("combined", "math", time_sample,
       says="computes the frequency of a note on the tempered scale, with 69 at 440 hertz, and from it a frequency on the Bark scale by Traunmueller",
       title="compute_bark|bark_from_pitch_frequency|hertz_to_bark_kernel|evaluate_bark|bark_step", topic="audio")
def note_frequency_to_hertz_to_bark(note: each(midi_note), bark_out: out(bark_value), pitch_frequency_out: maybe(out(pitch_frequency), 0.5)):
    names(r0="pitch_frequency|note_frequency|frequency", r1="bark|hertz_to_bark|bark_now")
    i = wp.tid()
    r0 = note_frequency(note[i])
    r1 = hertz_to_bark(r0)
    bark_out[i] = r1
    if present(pitch_frequency_out):
        pitch_frequency_out[i] = r0


@scene("arithmetic", "math", time_sample,
       says="computes the A-weighting of a frequency, as a factor before normalisation, then the level of a gain in decibels, and from it the sum of two sound levels of independent sources",
       title="compute_level_db|level_db_from_gain|add_sound_levels_kernel|evaluate_level_db|level_db_step", topic="audio")
def a_weighting_factor_to_add_sound_levels(f: each(pitch_frequency), b: each(level_db), active: maybe(each(flag), 0.4), level_db_out2: out(level_db), gain_out: maybe(out(gain), 0.5)):
    names(r0="gain|a_weighting_factor|gain_k", r1="level_db|gain_to_decibels|level_db_now", r2="add_sound_levels|level_db_i|level_db_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = a_weighting_factor(f[i])
    r1 = gain_to_decibels(r0)
    r2 = add_sound_levels(r1, b[i])
    level_db_out2[i] = r2
    if present(gain_out):
        gain_out[i] = r0


@scene("arithmetic", "combined", "multi_conditional", time_sample,
       says="computes the level of a compressor with a soft knee, and from it the factor of a level in decibels",
       title="compute_gain|gain_from_level_db|decibels_to_gain_kernel|evaluate_gain|gain_step", topic="audio")
def soft_knee_level_to_decibels_to_gain(level: each(level_db), threshold: setting(threshold_db), ratio: setting(compression), knee: setting(knee_width), gain_out: out(gain), level_db_out: maybe(out(level_db), 0.5)):
    names(r0="level_db|soft_knee_level|level_db_here", r1="gain|decibels_to_gain|gain_here")
    i = wp.tid()
    r0 = soft_knee_level(level[i], threshold, ratio, knee)
    r1 = decibels_to_gain(r0)
    gain_out[i] = r1
    if present(level_db_out):
        level_db_out[i] = r0


@scene("function", "arithmetic", "struct", time_sample,
       says="computes the reverberation of a room by Sabine, and from it the factor per sample of an exponential decay by sixty decibels",
       title="compute_gain|gain_from_reverb_time|decay_per_sample_kernel|evaluate_gain|gain_step", topic="audio")
def sabine_reverberation_to_decay_per_sample(vol: each(room_volume), area: each(absorption_area), rate: setting(sample_rate), active: maybe(each(flag), 0.4), gain_out: out(gain), reverb_time_out: maybe(out(reverb_time), 0.5)):
    names(r0="reverb_time|sabine_reverberation|time", r1="gain|decay_per_sample|gain_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = sabine_reverberation(vol[i], area[i])
    r1 = decay_per_sample(r0, rate)
    gain_out[i] = r1
    if present(reverb_time_out):
        reverb_time_out[i] = r0


@scene("arithmetic", "combined", time_sample,
       says="computes the frequency of a note on the tempered scale, with 69 at 440 hertz, and from it the distance of two pitches in cents",
       title="compute_cents|cents_from_pitch_frequency|pitch_cents_kernel|evaluate_cents|cents_step", topic="audio")
def note_frequency_to_pitch_cents(note: each(midi_note), b: each(pitch_frequency), cents_out: out(cents), pitch_frequency_out: maybe(out(pitch_frequency), 0.5)):
    names(r0="pitch_frequency|note_frequency|frequency", r1="cents|pitch_cents|cents_est")
    i = wp.tid()
    r0 = note_frequency(note[i])
    r1 = pitch_cents(r0, b[i])
    cents_out[i] = r1
    if present(pitch_frequency_out):
        pitch_frequency_out[i] = r0


@scene("function", "math", time_sample,
       says="computes the frequency of a note on the tempered scale, with 69 at 440 hertz, and from it the A-weighting of a frequency, as a factor before normalisation",
       title="compute_gain|gain_from_pitch_frequency|a_weighting_factor_kernel|evaluate_gain|gain_step", topic="audio")
def note_frequency_to_a_weighting_factor(note: each(midi_note), active: maybe(each(flag), 0.4), gain_out: out(gain), pitch_frequency_out: maybe(out(pitch_frequency), 0.5)):
    names(r0="pitch_frequency|note_frequency|frequency", r1="gain|a_weighting_factor|gain_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = note_frequency(note[i])
    r1 = a_weighting_factor(r0)
    gain_out[i] = r1
    if present(pitch_frequency_out):
        pitch_frequency_out[i] = r0


@scene("math", "combined", "scalar_param", asset,
       says="computes the risk of two assets together, then a price path's next step under geometric Brownian motion, and from it how far a price is below its peak",
       title="compute_drawdown|drawdown_from_volatility|drawdown|evaluate_drawdown|drawdown_step", topic="finance")
def pair_volatility_to_drawdown_of(w: each(ratio), va: each(volatility), vb: each(volatility), rho: each(correlation), s: each(price), drift: setting(interest_rate), dt: setting(time_step), noise: each(gaussian_noise), peak: each(price), drawdown_out: out(drawdown), volatility_out: maybe(out(volatility), 0.5), price_out: maybe(out(price), 0.5)):
    names(r0="volatility|pair_volatility|volatility_here", r1="price|brownian_price|price_here", r2="drawdown|drawdown_i|drawdown_here")
    i = wp.tid()
    r0 = pair_volatility(w[i], va[i], vb[i], rho[i])
    r1 = brownian_price(s[i], drift, r0, dt, noise[i])
    r2 = drawdown_of(r1, peak[i])
    drawdown_out[i] = r2
    if present(volatility_out):
        volatility_out[i] = r0
    if present(price_out):
        price_out[i] = r1


@scene("arithmetic", "function", "scalar_param", asset,
       says="computes a rate's next step that returns to its mean, by Vasicek, then the first argument of Black and Scholes, and from it how a call's price moves with the asset, its delta",
       title="compute_hedge_ratio|hedge_ratio_from_interest_rate|call_delta_kernel|evaluate_hedge_ratio|hedge_ratio_step", topic="finance")
def vasicek_step_to_call_delta(r: setting(interest_rate), speed: setting(reversion_speed), level: setting(interest_rate), vol: setting(rate_volatility), dt: setting(time_step), noise: each(gaussian_noise), s: each(price), k: each(strike), vol_2: each(volatility), years: each(maturity), active: maybe(each(flag), 0.4), hedge_ratio_out: out(hedge_ratio), interest_rate_out: maybe(out(interest_rate), 0.5), moneyness_out: maybe(out(moneyness), 0.5)):
    names(r0="interest_rate|vasicek_step|rate", r1="moneyness|black_scholes_d1|moneyness_est", r2="hedge_ratio|call_delta|ratio", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = vasicek_step(r, speed, level, vol, dt, noise[i])
    r1 = black_scholes_d1(s[i], k[i], r0, vol_2[i], years[i])
    r2 = call_delta(r1)
    hedge_ratio_out[i] = r2
    if present(interest_rate_out):
        interest_rate_out[i] = r0
    if present(moneyness_out):
        moneyness_out[i] = r1


@scene("arithmetic", "function", "scalar_param", option,
       says="computes the forward price of an asset that pays a yield, then the logarithmic return of two prices, and from it the reward of an asset for its risk, by Sharpe",
       title="compute_risk_ratio|risk_ratio_from_price|sharpe_ratio_kernel|evaluate_risk_ratio|risk_ratio_step", topic="finance")
def forward_price_to_sharpe_ratio(spot: each(price), rate: setting(interest_rate), payout: each(dividend_yield), years: each(maturity), last: each(price), free: setting(interest_rate), vol: each(volatility), risk_ratio_out: out(risk_ratio), price_out: maybe(out(price), 0.5), asset_return_out: maybe(out(asset_return), 0.5)):
    names(r0="price|forward_price|price_i", r1="asset_return|log_return|asset_return_est", r2="risk_ratio|sharpe_ratio|ratio")
    i = wp.tid()
    r0 = forward_price(spot[i], rate, payout[i], years[i])
    r1 = log_return(r0, last[i])
    r2 = sharpe_ratio(r1, free, vol[i])
    risk_ratio_out[i] = r2
    if present(price_out):
        price_out[i] = r0
    if present(asset_return_out):
        asset_return_out[i] = r1


@scene("combined", "arithmetic", "struct", option,
       says="computes the risk of two assets together, and from it the reward of an asset for its risk, by Sharpe",
       title="compute_risk_ratio|risk_ratio_from_volatility|sharpe_ratio_kernel|evaluate_risk_ratio|risk_ratio_step", topic="finance")
def pair_volatility_to_sharpe_ratio(w: each(ratio), va: each(volatility), vb: each(volatility), rho: each(correlation), gain: each(asset_return), free: setting(interest_rate), risk_ratio_out: out(risk_ratio), volatility_out: maybe(out(volatility), 0.5)):
    names(r0="volatility|pair_volatility|volatility_now", r1="risk_ratio|sharpe_ratio|ratio")
    i = wp.tid()
    r0 = pair_volatility(w[i], va[i], vb[i], rho[i])
    r1 = sharpe_ratio(gain[i], free, r0)
    risk_ratio_out[i] = r1
    if present(volatility_out):
        volatility_out[i] = r0


@scene("function", "math", "scalar_param", asset,
       says="computes the logarithmic return of two prices, and from it the variance of returns after a day, by GARCH",
       title="compute_variance|variance_from_asset_return|garch_variance_kernel|evaluate_variance|variance_step", topic="finance")
def log_return_to_garch_variance(now: each(price), last: each(price), v: each(variance), omega: setting(base_variance), alpha: setting(shock_weight), beta: setting(persistence), active: maybe(each(flag), 0.4), variance_out: out(variance), asset_return_out: maybe(out(asset_return), 0.5)):
    names(r0="asset_return|log_return|asset_return_est", r1="variance|garch_variance|variance_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = log_return(now[i], last[i])
    r1 = garch_variance(v[i], r0, omega, alpha, beta)
    variance_out[i] = r1
    if present(asset_return_out):
        asset_return_out[i] = r0


@scene("arithmetic", "math", "scalar_param", asset,
       says="computes the expected return of an asset by its market exposure, and from it the reward of an asset for its risk, by Sharpe",
       title="compute_risk_ratio|risk_ratio_from_asset_return|sharpe_ratio_kernel|evaluate_risk_ratio|risk_ratio_step", topic="finance")
def capital_asset_return_to_sharpe_ratio(free: setting(interest_rate), beta: each(market_beta), market: setting(market_return), vol: each(volatility), active: maybe(each(flag), 0.4), risk_ratio_out: out(risk_ratio), asset_return_out: maybe(out(asset_return), 0.5)):
    names(r0="asset_return|capital_asset_return|asset_return_est", r1="risk_ratio|sharpe_ratio|ratio", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = capital_asset_return(free, beta[i], market)
    r1 = sharpe_ratio(r0, free, vol[i])
    risk_ratio_out[i] = r1
    if present(asset_return_out):
        asset_return_out[i] = r0


@scene("math", "arithmetic", "struct", asset,
       says="computes the risk of two assets together, then the first argument of Black and Scholes, and from it how a price moves with volatility, its vega",
       title="compute_sensitivity|sensitivity_from_volatility|option_vega_kernel|evaluate_sensitivity|sensitivity_step", topic="finance")
def pair_volatility_to_option_vega(w: each(ratio), va: each(volatility), vb: each(volatility), rho: each(correlation), s: each(price), k: each(strike), rate: setting(interest_rate), years: each(maturity), active: maybe(each(flag), 0.4), sensitivity_out: out(sensitivity), volatility_out: maybe(out(volatility), 0.5), moneyness_out: maybe(out(moneyness), 0.5)):
    names(r0="volatility|pair_volatility|volatility_here", r1="moneyness|black_scholes_d1|moneyness_now", r2="sensitivity|option_vega|sensitivity_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = pair_volatility(w[i], va[i], vb[i], rho[i])
    r1 = black_scholes_d1(s[i], k[i], rate, r0, years[i])
    r2 = option_vega(s[i], r1, years[i])
    sensitivity_out[i] = r2
    if present(volatility_out):
        volatility_out[i] = r0
    if present(moneyness_out):
        moneyness_out[i] = r1


@scene("arithmetic", "combined", "vector", query,
       says="computes the orientation between two others on the great arc, the short way, then the heading about the vertical axis of an orientation, and from it the unit vector at an angle",
       title="compute_plane_direction|plane_direction_from_orientation|direction_at_angle_kernel|evaluate_plane_direction|plane_direction_step", topic="geometry")
def slerp_orientation_to_direction_at_angle(qa: each(rotation), qb: each(rotation), t: each(ratio), active: maybe(each(flag), 0.4), plane_direction_out: out(plane_direction), orientation_out: maybe(out(rotation), 0.5), heading_out: maybe(out(heading), 0.5)):
    names(r0="orientation|slerp_orientation|orientation_i", r1="heading|heading_k|heading_now", r2="plane_direction|direction_at_angle|direction", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = slerp_orientation(qa[i], qb[i], t[i])
    r1 = yaw_of(r0)
    r2 = direction_at_angle(r1)
    plane_direction_out[i] = r2
    if present(orientation_out):
        orientation_out[i] = r0
    if present(heading_out):
        heading_out[i] = r1


@scene("combined", "arithmetic", "scalar_param", query,
       says="computes the signed distance of a point from a torus around the vertical axis, then the distance field of two shapes blended by a quadratic smooth minimum, and from it the distance field of one shape cut out of another",
       title="compute_signed_distance|update_signed_distance|carve_distance_kernel|evaluate_signed_distance|signed_distance_step", topic="geometry")
def torus_distance_to_carve_distance(x: each(position), major: setting(major_radius), minor: setting(minor_radius), db: each(signed_distance), k: setting(blend_radius), signed_distance_out22: out(signed_distance)):
    names(r0="signed_distance|torus_distance|distance", r1="signed_distance_i|signed_distance_now|signed_distance_i_i", r2="carve_distance|carve_distance_i|new_signed_distance")
    i = wp.tid()
    r0 = torus_distance(x[i], major, minor)
    r1 = smooth_union_distance(r0, db[i], k)
    r2 = carve_distance(r1, db[i])
    signed_distance_out22[i] = r2


@scene("math", "combined", vertex,
       says="computes the signed distance of a point from a box around the origin, then the distance field of two shapes joined, and from it the distance field of one shape cut out of another",
       title="compute_signed_distance|update_signed_distance|carve_distance_kernel|evaluate_signed_distance|signed_distance_step", topic="geometry")
def box_distance_to_carve_distance(x: each(position), half: each(half_extents), db: each(signed_distance), signed_distance_out22: out(signed_distance)):
    names(r0="signed_distance|box_distance|distance", r1="union_distance|signed_distance_here|union_distance_i", r2="carve_distance|signed_distance_now|carve_distance_i")
    i = wp.tid()
    r0 = box_distance(x[i], half[i])
    r1 = union_distance(r0, db[i])
    r2 = carve_distance(r1, db[i])
    signed_distance_out22[i] = r2


@scene("combined", "function", "struct", vertex,
       says="computes the signed distance of a point from a cylinder around the vertical axis, then the distance field of two shapes blended by a quadratic smooth minimum, and from it the distance field of one shape cut out of another",
       title="compute_signed_distance|update_signed_distance|carve_distance_kernel|evaluate_signed_distance|signed_distance_step", topic="geometry")
def cylinder_distance_to_carve_distance(x: each(position), r: each(radius), half: each(half_height), db: each(signed_distance), k: setting(blend_radius), active: maybe(each(flag), 0.4), signed_distance_out22: out(signed_distance)):
    names(r0="signed_distance|cylinder_distance|distance", r1="signed_distance_now|signed_distance_now_i|new_signed_distance", r2="carve_distance|carve_distance_i|signed_distance_3", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = cylinder_distance(x[i], r[i], half[i])
    r1 = smooth_union_distance(r0, db[i], k)
    r2 = carve_distance(r1, db[i])
    signed_distance_out22[i] = r2


@scene("arithmetic", "function", query,
       says="computes the orientation after a small step of spinning, then the heading about the vertical axis of an orientation, and from it an orientation about the vertical axis",
       title="compute_orientation|update_orientation|orientation_from_heading_kernel|evaluate_orientation|orientation_step", topic="geometry")
def advance_orientation_to_orientation_from_heading(q: each(rotation), w: each(angular_velocity), dt: setting(time_step), rotation_out2: out(rotation), heading_out: maybe(out(heading), 0.5)):
    names(r0="orientation|orientation_here|orientation_i", r1="heading|heading_i|heading_k", r2="orientation_now|orientation_now_i|new_orientation")
    i = wp.tid()
    r0 = advance_orientation(q[i], w[i], dt)
    r1 = yaw_of(r0)
    r2 = orientation_from_heading(r1)
    rotation_out2[i] = r2
    if present(heading_out):
        heading_out[i] = r1


@scene("function", "combined", "vector", query,
       says="computes the normal of a triangle, and from it a direction at right angles to a normal",
       title="compute_tangent|tangent_from_normal|any_tangent_kernel|evaluate_tangent|tangent_step", topic="geometry")
def triangle_normal_to_any_tangent(a: each(position), b: each(position), c: each(position), active: maybe(each(flag), 0.4), tangent_out: out(tangent), normal_out: maybe(out(normal), 0.5)):
    names(r0="normal|triangle_normal|normal_k", r1="tangent|tangent_k|tangent_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = triangle_normal(a[i], b[i], c[i])
    r1 = any_tangent(r0)
    tangent_out[i] = r1
    if present(normal_out):
        normal_out[i] = r0


@scene("function", "math", "vector", query,
       says="computes the normal of a triangle, and from it the cosine of the angle between two directions, not below zero",
       title="compute_cosine|cosine_from_normal|clamped_cosine_kernel|evaluate_cosine|cosine_step", topic="geometry")
def triangle_normal_to_clamped_cosine(a: each(position), b: each(position), c: each(position), a_2: each(direction), active: maybe(each(flag), 0.4), cosine_out: out(cosine), normal_out: maybe(out(normal), 0.5)):
    names(r0="normal|triangle_normal|normal_k", r1="cosine|clamped_cosine|cosine_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = triangle_normal(a[i], b[i], c[i])
    r1 = clamped_cosine(a_2[i], r0)
    cosine_out[i] = r1
    if present(normal_out):
        normal_out[i] = r0


@scene("combined", "function", "struct", query,
       says="computes the radius of a sphere of a volume, and from it where a ray first hits a sphere, or minus one",
       title="compute_hit_distance|hit_distance_from_radius|ray_sphere_hit_kernel|evaluate_hit_distance|hit_distance_step", topic="geometry")
def radius_from_volume_to_ray_sphere_hit(vol: each(volume), o: each(position), d: each(direction), center: each(position), hit_distance_out: out(hit_distance), radius_out: maybe(out(radius), 0.5)):
    names(r0="radius|radius_from_volume|radius_k", r1="hit_distance|ray_sphere_hit|distance")
    i = wp.tid()
    r0 = radius_from_volume(vol[i])
    r1 = ray_sphere_hit(o[i], d[i], center[i], r0)
    hit_distance_out[i] = r1
    if present(radius_out):
        radius_out[i] = r0


@scene("function", "combined", "vector", vertex,
       says="computes the normal of a triangle, and from it the part of a vector that lies in a surface",
       title="compute_velocity|velocity_from_normal|tangential_part_kernel|evaluate_velocity|velocity_step", topic="geometry")
def triangle_normal_to_tangential_part(a: each(position), b: each(position), c: each(position), v: each(velocity), active: maybe(each(flag), 0.4), velocity_out: out(velocity), normal_out: maybe(out(normal), 0.5)):
    names(r0="normal|triangle_normal|normal_now", r1="velocity|velocity_i|velocity_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = triangle_normal(a[i], b[i], c[i])
    r1 = tangential_part(v[i], r0)
    velocity_out[i] = r1
    if present(normal_out):
        normal_out[i] = r0


@scene("function", "combined", "vector", vertex,
       says="computes the normal of a triangle, then the signed distance of a point from a plane, and from it the distance field of two shapes joined",
       title="compute_signed_distance|signed_distance_from_normal|union_distance_kernel|evaluate_signed_distance|signed_distance_step", topic="geometry")
def triangle_normal_to_union_distance(a: each(position), b: each(position), c: each(position), x: each(position), offset: each(plane_offset), db: each(signed_distance), active: maybe(each(flag), 0.4), signed_distance_out2: out(signed_distance), normal_out: maybe(out(normal), 0.5)):
    names(r0="normal|triangle_normal|normal_est", r1="signed_distance|plane_distance|distance", r2="union_distance|signed_distance_now|union_distance_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = triangle_normal(a[i], b[i], c[i])
    r1 = plane_distance(x[i], r0, offset[i])
    r2 = union_distance(r1, db[i])
    signed_distance_out2[i] = r2
    if present(normal_out):
        normal_out[i] = r0


@scene("arithmetic", "function", "vector", query,
       says="computes an angle brought into one turn around zero, then an orientation about the vertical axis, and from it a point turned by a rotation about the origin",
       title="compute_position|position_from_heading|rotate_point_kernel|evaluate_position|position_step", topic="geometry")
def wrap_angle_to_pi_to_rotate_point(theta: each(heading), x: each(local_position), position_out: out(position), heading_out: maybe(out(heading), 0.5), orientation_out: maybe(out(rotation), 0.5)):
    names(r0="heading|heading_now|heading_est", r1="orientation|orientation_now|orientation_here", r2="position|position_i|position_here")
    i = wp.tid()
    r0 = wrap_angle_to_pi(theta[i])
    r1 = orientation_from_heading(r0)
    r2 = rotate_point(r1, x[i])
    position_out[i] = r2
    if present(heading_out):
        heading_out[i] = r0
    if present(orientation_out):
        orientation_out[i] = r1


@scene("math", "arithmetic", "struct", query,
       says="computes the radius of a sphere of a volume, and from it the signed distance of a point from a capsule",
       title="compute_signed_distance|signed_distance_from_radius|capsule_distance_kernel|evaluate_signed_distance|signed_distance_step", topic="geometry")
def radius_from_volume_to_capsule_distance(vol: each(volume), x: each(position), a: each(position), b: each(position), signed_distance_out: out(signed_distance), radius_out: maybe(out(radius), 0.5)):
    names(r0="radius|radius_from_volume|radius_k", r1="signed_distance|capsule_distance|distance")
    i = wp.tid()
    r0 = radius_from_volume(vol[i])
    r1 = capsule_distance(x[i], a[i], b[i], r0)
    signed_distance_out[i] = r1
    if present(radius_out):
        radius_out[i] = r0


@scene("function", "combined", "vector", vertex,
       says="computes the orientation between two others on the great arc, the short way, then a point of the world in a body's frame, and from it a point moved by a pose",
       title="compute_position|position_from_orientation|apply_pose_kernel|evaluate_position|position_step", topic="geometry")
def slerp_orientation_to_apply_pose(qa: each(rotation), qb: each(rotation), t: each(ratio), x: each(position), origin: each(position), pose: each(pose), active: maybe(each(flag), 0.4), position_out: out(position), orientation_out: maybe(out(rotation), 0.5), local_position_out: maybe(out(local_position), 0.5)):
    names(r0="orientation|slerp_orientation|orientation_k", r1="local_position|local_position_i|position", r2="position_here|position_i|position_here_i", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = slerp_orientation(qa[i], qb[i], t[i])
    r1 = world_to_body(x[i], r0, origin[i])
    r2 = apply_pose(pose[i], r1)
    position_out[i] = r2
    if present(orientation_out):
        orientation_out[i] = r0
    if present(local_position_out):
        local_position_out[i] = r1


@scene("function", "combined", "vector", query,
       says="computes a point of the plane turned by an angle, and from it the signed area of a triangle in the plane, positive when it turns left",
       title="compute_signed_area|signed_area_from_place|signed_area|evaluate_signed_area|signed_area_step", topic="geometry")
def rotate_in_plane_to_signed_area_of(p: each(point2), theta: each(angle), b: each(point2), c: each(point2), signed_area_out: out(signed_area), place_out: maybe(out(point2), 0.5)):
    names(r0="place|place_est|place_i", r1="signed_area|signed_area_now|area")
    i = wp.tid()
    r0 = rotate_in_plane(p[i], theta[i])
    r1 = signed_area_of(r0, b[i], c[i])
    signed_area_out[i] = r1
    if present(place_out):
        place_out[i] = r0


@scene("math", "combined", "scalar_param", node,
       says="computes the share of its rank that a page sends along each link, nothing from a page without links, and from it the rank a page gets from the sum its neighbours send",
       title="compute_rank_score|rank_score_from_rank_sum|page_rank_kernel|evaluate_rank_score|rank_score_step", topic="graphs")
def rank_share_to_page_rank(rank: each(rank_score), links: each(out_degree), damp: setting(rank_damping), n: setting(node_count), rank_score_out: out(rank_score), rank_sum_out: maybe(out(rank_sum), 0.5)):
    names(r0="rank_sum|rank_share|sum", r1="rank_score|page_rank|score")
    i = wp.tid()
    r0 = rank_share(rank[i], links[i])
    r1 = page_rank(r0, damp, n)
    rank_score_out[i] = r1
    if present(rank_sum_out):
        rank_sum_out[i] = r0


@scene("combined", "math", "struct", edge,
       says="computes the weight of an edge in a normalised adjacency, then the distance by an edge, when it is shorter, and from it the total cost of a search node",
       title="compute_path_cost|path_cost_from_edge_weight|search_priority_kernel|evaluate_path_cost|path_cost_step", topic="graphs")
def symmetric_edge_weight_to_search_priority(da: each(degree), db: each(degree), best: each(path_cost), via: each(path_cost), h: each(path_cost), weight: setting(heuristic_weight), path_cost_out2: out(path_cost), edge_weight_out: maybe(out(edge_weight), 0.5)):
    names(r0="edge_weight|edge_weight_k|edge_weight_here", r1="path_cost|relax_edge|cost", r2="search_priority|path_cost_i|search_priority_i")
    i = wp.tid()
    r0 = symmetric_edge_weight(da[i], db[i])
    r1 = relax_edge(best[i], via[i], r0)
    r2 = search_priority(r1, h[i], weight)
    path_cost_out2[i] = r2
    if present(edge_weight_out):
        edge_weight_out[i] = r0


@scene("math", "combined", "struct", node,
       says="computes the weight of an edge in a normalised adjacency, and from it the gain in modularity of putting a pair into one community",
       title="compute_modularity|modularity_from_edge_weight|modularity_gain_kernel|evaluate_modularity|modularity_step", topic="graphs")
def symmetric_edge_weight_to_modularity_gain(da: each(degree), db: each(degree), ka: each(node_strength), kb: each(node_strength), total: setting(total_weight), active: maybe(each(flag), 0.4), modularity_out: out(modularity), edge_weight_out: maybe(out(edge_weight), 0.5)):
    names(r0="edge_weight|edge_weight_i|weight", r1="modularity|modularity_gain|modularity_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = symmetric_edge_weight(da[i], db[i])
    r1 = modularity_gain(r0, ka[i], kb[i], total)
    modularity_out[i] = r1
    if present(edge_weight_out):
        edge_weight_out[i] = r0


@scene("math", "arithmetic", "scalar_param", sample,
       says="computes a gradient cut to a largest size, then the first moment of Adam, and from it a first moment with Adam's correction for its start at zero",
       title="compute_corrected_moment|corrected_moment_from_gradient|adam_corrected_first_kernel|evaluate_corrected_moment|corrected_moment_step", topic="learning")
def clip_gradient_to_adam_corrected_first(g: each(gradient), limit: setting(gradient_limit), m: each(moment_value), beta1: setting(adam_beta1), step: each(steps_value), corrected_moment_out: out(corrected_moment), gradient_out: maybe(out(gradient), 0.5), first_moment_out: maybe(out(moment_value), 0.5)):
    names(r0="gradient|gradient_now|gradient_here", r1="first_moment|adam_first_moment|moment", r2="corrected_moment|adam_corrected_first|corrected_moment_now")
    i = wp.tid()
    r0 = clip_gradient(g[i], limit)
    r1 = adam_first_moment(m[i], r0, beta1)
    r2 = adam_corrected_first(r1, beta1, step[i])
    corrected_moment_out[i] = r2
    if present(gradient_out):
        gradient_out[i] = r0
    if present(first_moment_out):
        first_moment_out[i] = r1


@scene("function", "math", "scalar_param", neuron,
       says="computes the learning rate with a linear warm-up, and from it a parameter after a step of gradient descent",
       title="compute_parameter|parameter_from_learning_rate|gradient_step_kernel|evaluate_parameter|parameter_step", topic="learning")
def warmup_schedule_to_gradient_step(base: setting(learning_rate), step: each(steps_value), warmup: setting(warmup_steps), w: each(parameter), g: each(gradient), active: maybe(each(flag), 0.4), parameter_out: out(parameter), learning_rate_out: maybe(out(learning_rate), 0.5)):
    names(r0="learning_rate|warmup_schedule|rate", r1="parameter|gradient_step|parameter_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = warmup_schedule(base, step[i], warmup)
    r1 = gradient_step(w[i], g[i], r0)
    parameter_out[i] = r1
    if present(learning_rate_out):
        learning_rate_out[i] = r0


@scene("math", "arithmetic", "scalar_param", neuron,
       says="computes a gradient cut to a largest size, and from it a parameter after a step of gradient descent",
       title="compute_parameter|parameter_from_gradient|gradient_step_kernel|evaluate_parameter|parameter_step", topic="learning")
def clip_gradient_to_gradient_step(g: each(gradient), limit: setting(gradient_limit), w: each(parameter), lr: setting(learning_rate), active: maybe(each(flag), 0.4), parameter_out: out(parameter), gradient_out: maybe(out(gradient), 0.5)):
    names(r0="gradient|gradient_i|gradient_k", r1="parameter|gradient_step|parameter_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = clip_gradient(g[i], limit)
    r1 = gradient_step(w[i], r0, lr)
    parameter_out[i] = r1
    if present(gradient_out):
        gradient_out[i] = r0


@scene("math", "function", "scalar_param", neuron,
       says="computes a gradient cut to a largest size, and from it the velocity of gradient descent with momentum",
       title="compute_momentum_buffer|momentum_buffer_from_gradient|momentum_velocity_kernel|evaluate_momentum_buffer|momentum_buffer_step", topic="learning")
def clip_gradient_to_momentum_velocity(g: each(gradient), limit: setting(gradient_limit), v: each(momentum_buffer), beta: setting(momentum_factor), active: maybe(each(flag), 0.4), momentum_buffer_out: out(momentum_buffer), gradient_out: maybe(out(gradient), 0.5)):
    names(r0="gradient|gradient_k|gradient_here", r1="momentum_buffer|momentum_velocity|buffer", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = clip_gradient(g[i], limit)
    r1 = momentum_velocity(v[i], r0, beta)
    momentum_buffer_out[i] = r1
    if present(gradient_out):
        gradient_out[i] = r0


@scene("arithmetic", "combined", "scalar_param", neuron,
       says="computes the learning rate of a cosine schedule, and from it a Q-value after a step of learning",
       title="compute_action|action_from_learning_rate|q_update_kernel|evaluate_action|action_step", topic="learning")
def cosine_schedule_to_q_update(base: setting(learning_rate), step: each(steps_value), total: setting(total_steps), q: each(action_value), r: each(reward), best: each(next_value), gamma: setting(discount), action_out: out(action_value), learning_rate_out: maybe(out(learning_rate), 0.5)):
    names(r0="learning_rate|cosine_schedule|rate", r1="action|q_update|action_est")
    i = wp.tid()
    r0 = cosine_schedule(base, step[i], total)
    r1 = q_update(q[i], r[i], best[i], gamma, r0)
    action_out[i] = r1
    if present(learning_rate_out):
        learning_rate_out[i] = r0


@scene("math", "function", "scalar_param", neuron,
       says="computes the advantage of a step: reward and the discounted next value over the value, and from it the clipped objective of a policy step",
       title="compute_objective|objective_from_advantage|clipped_objective_kernel|evaluate_objective|objective_step", topic="learning")
def temporal_difference_to_clipped_objective(r: each(reward), v: each(state_value), v_next: each(next_value), gamma: setting(discount), ratio: each(policy_ratio), eps: setting(clip_range), objective_out: out(objective), advantage_out: maybe(out(advantage), 0.5)):
    names(r0="advantage|temporal_difference|advantage_i", r1="objective|objective_k|objective_i")
    i = wp.tid()
    r0 = temporal_difference(r[i], v[i], v_next[i], gamma)
    r1 = clipped_objective(ratio[i], r0, eps)
    objective_out[i] = r1
    if present(advantage_out):
        advantage_out[i] = r0


@scene("function", "arithmetic", "scalar_param", neuron,
       says="computes the learning rate of a cosine schedule, and from it a parameter after a step of gradient descent",
       title="compute_parameter|parameter_from_learning_rate|gradient_step_kernel|evaluate_parameter|parameter_step", topic="learning")
def cosine_schedule_to_gradient_step(base: setting(learning_rate), step: each(steps_value), total: setting(total_steps), w: each(parameter), g: each(gradient), parameter_out: out(parameter), learning_rate_out: maybe(out(learning_rate), 0.5)):
    names(r0="learning_rate|cosine_schedule|rate", r1="parameter|gradient_step|parameter_now")
    i = wp.tid()
    r0 = cosine_schedule(base, step[i], total)
    r1 = gradient_step(w[i], g[i], r0)
    parameter_out[i] = r1
    if present(learning_rate_out):
        learning_rate_out[i] = r0


@scene("arithmetic", "function", "vector", time_sample,
       says="computes the product of two complex values, then the power of a complex spectrum value, and from it the power of noise in a band, in decibels over a level",
       title="compute_decibel_ratio|decibel_ratio_from_spectrum|decibel_level_kernel|evaluate_decibel_ratio|decibel_ratio_step", topic="signal")
def complex_product_to_decibel_level(a: each(spectrum_value), b: each(spectrum_value), ref: setting(reference_power), active: maybe(each(flag), 0.4), decibel_ratio_out: out(decibel_ratio), spectrum_out: maybe(out(spectrum_value), 0.5), power_density_out: maybe(out(power_density), 0.5)):
    names(r0="spectrum|complex_product|spectrum_k", r1="power_density|spectral_power|density", r2="decibel_ratio|decibel_level|ratio", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = complex_product(a[i], b[i])
    r1 = spectral_power(r0)
    r2 = decibel_level(r1, ref)
    decibel_ratio_out[i] = r2
    if present(spectrum_out):
        spectrum_out[i] = r0
    if present(power_density_out):
        power_density_out[i] = r1


@scene("math", "function", time_sample,
       says="computes a point of the Hann window, and from it a sample weighted by a window",
       title="compute_sample|sample_from_window_weight|windowed_sample_kernel|evaluate_sample|sample_step", topic="signal")
def hann_window_to_windowed_sample(u: each(ratio), x: each(signal), signal_out: out(signal), window_weight_out: maybe(out(window_weight), 0.5)):
    names(r0="window_weight|hann_window|weight", r1="sample|windowed_sample|sample_now")
    i = wp.tid()
    r0 = hann_window(u[i])
    r1 = windowed_sample(x[i], r0)
    signal_out[i] = r1
    if present(window_weight_out):
        window_weight_out[i] = r0


@scene("math", "function", time_sample,
       says="computes a point of the Hamming window, and from it a sample weighted by a window",
       title="compute_sample|sample_from_window_weight|windowed_sample_kernel|evaluate_sample|sample_step", topic="signal")
def hamming_window_to_windowed_sample(u: each(ratio), x: each(signal), active: maybe(each(flag), 0.4), signal_out: out(signal), window_weight_out: maybe(out(window_weight), 0.5)):
    names(r0="window_weight|hamming_window|weight", r1="sample|windowed_sample|sample_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = hamming_window(u[i])
    r1 = windowed_sample(x[i], r0)
    signal_out[i] = r1
    if present(window_weight_out):
        window_weight_out[i] = r0


@scene("math", "combined", time_sample,
       says="computes a point of the Blackman window, and from it a sample weighted by a window",
       title="compute_sample|sample_from_window_weight|windowed_sample_kernel|evaluate_sample|sample_step", topic="signal")
def blackman_window_to_windowed_sample(u: each(ratio), x: each(signal), signal_out: out(signal), window_weight_out: maybe(out(window_weight), 0.5)):
    names(r0="window_weight|blackman_window|weight", r1="sample|windowed_sample|sample_now")
    i = wp.tid()
    r0 = blackman_window(u[i])
    r1 = windowed_sample(x[i], r0)
    signal_out[i] = r1
    if present(window_weight_out):
        window_weight_out[i] = r0


@scene("combined", "arithmetic", time_sample,
       says="computes a point of the Welch window, and from it a sample weighted by a window",
       title="compute_sample|sample_from_window_weight|windowed_sample_kernel|evaluate_sample|sample_step", topic="signal")
def welch_window_to_windowed_sample(u: each(ratio), x: each(signal), active: maybe(each(flag), 0.4), signal_out: out(signal), window_weight_out: maybe(out(window_weight), 0.5)):
    names(r0="window_weight|welch_window|weight", r1="sample|windowed_sample|sample_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = welch_window(u[i])
    r1 = windowed_sample(x[i], r0)
    signal_out[i] = r1
    if present(window_weight_out):
        window_weight_out[i] = r0


@scene("math", "arithmetic", "scalar_param", time_sample,
       says="computes the smoothing of a first-order low-pass from its cut-off, and from it a first-order low-pass step",
       title="compute_filtered|filtered_from_smoothing_alpha|low_pass_step_kernel|evaluate_filtered|filtered_step", topic="signal")
def low_pass_alpha_to_low_pass_step(cutoff: setting(cutoff_frequency), dt: setting(time_step), x: each(signal), y: each(filter_state), filtered_out: out(filtered_value), smoothing_alpha_out: maybe(out(smoothing_alpha), 0.5)):
    names(r0="smoothing_alpha|low_pass_alpha|alpha", r1="filtered|low_pass_step|filtered_k")
    i = wp.tid()
    r0 = low_pass_alpha(cutoff, dt)
    r1 = low_pass_step(x[i], y[i], r0)
    filtered_out[i] = r1
    if present(smoothing_alpha_out):
        smoothing_alpha_out[i] = r0


@scene("arithmetic", "math", "vector", time_sample,
       says="computes the product of two complex values, then the phase of a complex spectrum value, and from it a value of a sine wave",
       title="compute_sample|sample_from_spectrum|sine_wave_kernel|evaluate_sample|sample_step", topic="signal")
def complex_product_to_sine_wave(a: each(spectrum_value), b: each(spectrum_value), a_3: each(amplitude), f: each(frequency), t: each(time_value), active: maybe(each(flag), 0.4), signal_out: out(signal), spectrum_out: maybe(out(spectrum_value), 0.5), phase_out: maybe(out(phase), 0.5)):
    names(r0="spectrum|complex_product|spectrum_est", r1="phase|spectral_phase|phase_i", r2="sample|sine_wave|sample_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = complex_product(a[i], b[i])
    r1 = spectral_phase(r0)
    r2 = sine_wave(a_3[i], f[i], t[i], r1)
    signal_out[i] = r2
    if present(spectrum_out):
        spectrum_out[i] = r0
    if present(phase_out):
        phase_out[i] = r1


@scene("combined", "math", "struct", sample,
       says="computes the variance of two groups taken together, then the standard deviation of a variance, and from it a value as a number of standard deviations from the mean",
       title="compute_zscore|zscore_from_variance|standard_score_kernel|evaluate_zscore|zscore_step", topic="statistics")
def pooled_variance_to_standard_score(va: each(variance), vb: each(variance), na: each(sample_count), nb: each(sample_count), x: each(value), mu: each(mean), zscore_out: out(zscore), variance_out: maybe(out(variance), 0.5), standard_deviation_out: maybe(out(standard_deviation), 0.5)):
    names(r0="variance|pooled_variance|variance_i", r1="standard_deviation|standard_deviation_k|deviation", r2="zscore|standard_score|zscore_i")
    i = wp.tid()
    r0 = pooled_variance(va[i], vb[i], na[i], nb[i])
    r1 = deviation_of(r0)
    r2 = standard_score(x[i], mu[i], r1)
    zscore_out[i] = r2
    if present(variance_out):
        variance_out[i] = r0
    if present(standard_deviation_out):
        standard_deviation_out[i] = r1


@scene("arithmetic", "function", "scalar_param", sample,
       says="computes the mean of two estimates weighted by their certainty, then the difference of an observation and a model, and from it a robust weight by Tukey",
       title="compute_robust_weight|robust_weight_from_state_estimate|tukey_weight_kernel|evaluate_robust_weight|robust_weight_step", topic="statistics")
def fuse_estimates_to_tukey_weight(a: each(state_estimate), va: each(state_variance), b: each(measurement), vb: setting(measurement_variance), z: each(measurement), c: setting(robust_scale), active: maybe(each(flag), 0.4), robust_weight_out: out(robust_weight), state_estimate_out: maybe(out(state_estimate), 0.5), error_out: maybe(out(error_value), 0.5)):
    names(r0="state_estimate|state_estimate_k|estimate", r1="residual|residual_k|residual_i", r2="robust_weight|tukey_weight|weight", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = fuse_estimates(a[i], va[i], b[i], vb)
    r1 = residual_of(z[i], r0)
    r2 = tukey_weight(r1, c)
    robust_weight_out[i] = r2
    if present(state_estimate_out):
        state_estimate_out[i] = r0
    if present(error_out):
        error_out[i] = r1


@scene("function", "arithmetic", "scalar_param", row,
       says="computes the mean of two estimates weighted by their certainty, then the difference of an observation and a model, and from it a robust weight by Cauchy",
       title="compute_robust_weight|robust_weight_from_state_estimate|cauchy_weight_kernel|evaluate_robust_weight|robust_weight_step", topic="statistics")
def fuse_estimates_to_cauchy_weight(a: each(state_estimate), va: each(state_variance), b: each(measurement), vb: setting(measurement_variance), z: each(measurement), c: setting(robust_scale), robust_weight_out: out(robust_weight), state_estimate_out: maybe(out(state_estimate), 0.5), error_out: maybe(out(error_value), 0.5)):
    names(r0="state_estimate|state_estimate_k|estimate", r1="residual|residual_i|residual_est", r2="robust_weight|cauchy_weight|weight")
    i = wp.tid()
    r0 = fuse_estimates(a[i], va[i], b[i], vb)
    r1 = residual_of(z[i], r0)
    r2 = cauchy_weight(r1, c)
    robust_weight_out[i] = r2
    if present(state_estimate_out):
        state_estimate_out[i] = r0
    if present(error_out):
        error_out[i] = r1


@scene("function", "combined", "scalar_param", sample,
       says="computes the variance of an estimate after a measurement, by Kalman, and from it the estimate of a value after a measurement, by Kalman",
       title="compute_state_estimate|state_estimate_from_state_variance|kalman_estimate_kernel|evaluate_state_estimate|state_estimate_step", topic="statistics")
def kalman_variance_to_kalman_estimate(p: each(state_variance), r: setting(measurement_variance), x: each(state_estimate), z: each(measurement), active: maybe(each(flag), 0.4), state_estimate_out: out(state_estimate), state_variance_out: maybe(out(state_variance), 0.5)):
    names(r0="state_variance|kalman_variance|variance", r1="state_estimate|kalman_estimate|estimate", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = kalman_variance(p[i], r)
    r1 = kalman_estimate(x[i], r0, z[i], r)
    state_estimate_out[i] = r1
    if present(state_variance_out):
        state_variance_out[i] = r0


@scene("math", "function", "struct", row,
       says="computes the standard error of a mean, then a value as a number of standard deviations from the mean, and from it the share of the normal distribution below a score",
       title="compute_probability|probability_from_standard_deviation|normal_share_below_kernel|evaluate_probability|probability_step", topic="statistics")
def standard_error_to_normal_share_below(sigma: each(standard_deviation), n: each(sample_count), x: each(value), mu: each(mean), probability_out: out(probability), standard_deviation_out: maybe(out(standard_deviation), 0.5), zscore_out: maybe(out(zscore), 0.5)):
    names(r0="standard_deviation|standard_error|deviation", r1="zscore|standard_score|zscore_i", r2="probability|normal_share_below|probability_k")
    i = wp.tid()
    r0 = standard_error(sigma[i], n[i])
    r1 = standard_score(x[i], mu[i], r0)
    r2 = normal_share_below(r1)
    probability_out[i] = r2
    if present(standard_deviation_out):
        standard_deviation_out[i] = r0
    if present(zscore_out):
        zscore_out[i] = r1
