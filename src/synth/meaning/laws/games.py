"""Moving characters, combat, camera and progression."""


@law("games", "the steering that brings an agent towards a goal at full speed")
def seek_steering(x: position, goal: position, v: velocity, top: top_speed) -> acceleration:
    desired = wp.normalize(goal - x) * top
    return desired - v


@law("games", "the steering that slows an agent down near its goal")
def arrive_steering(x: position, goal: position, v: velocity, top: top_speed, slow: distance) -> acceleration:
    to_goal = goal - x
    d = wp.length(to_goal)
    s = top * wp.min(d / slow, 1.0)
    return to_goal * (s / d) - v


@law("games", "the push that keeps two agents apart, stronger the nearer they are")
def separation_push(x: position, other: position, reach: distance) -> acceleration:
    away = x - other
    d = wp.length(away)
    if d >= reach:
        return wp.vec3(0.0, 0.0, 0.0)
    return away / (d * d)


@law("games", "a velocity held below a top speed")
def limit_speed(v: velocity, top: top_speed) -> velocity:
    s = wp.length(v)
    if s > top:
        return v * (top / s)
    return v


@law("games", "a value that follows another smoothly, whatever the frame rate")
def smooth_follow(x: process_value, goal: setpoint, rate: follow_rate, dt: time_step) -> process_value:
    return goal + (x - goal) * wp.exp(-rate * dt)


@law("games", "a value moved towards another by at most a step")
def move_towards(x: process_value, goal: setpoint, step: largest_step) -> process_value:
    d = goal - x
    if wp.abs(d) <= step:
        return goal
    return x + wp.sign(d) * step


@law("games", "the damage that armour lets through")
def armored_damage(hit: damage, armor: armor) -> damage:
    return hit * 100.0 / (100.0 + armor)


@law("games", "the damage that falls off between two ranges", needs=(far > near,))
def damage_at_range(hit: damage, d: distance, near: distance, far: distance, least: ratio) -> damage:
    t = wp.clamp((d - near) / (far - near), 0.0, 1.0)
    return hit * (1.0 + (least - 1.0) * t)


@law("games", "health after a hit, not below zero")
def health_after_hit(health: health, hit: damage) -> health:
    return wp.max(health - hit, 0.0)


@law("games", "the chance of a win by Elo's rating")
def elo_expectation(own: rating, other: rating) -> probability:
    return 1.0 / (1.0 + wp.pow(10.0, (other - own) / 400.0))


@law("games", "a rating after a game")
def elo_update(own: rating, expected: probability, result: game_result, k: rating_factor) -> rating:
    return own + k * (result - expected)


@law("games", "the experience needed for a level")
def level_experience(level: level_number, base: base_experience, growth: level_growth) -> experience:
    return base * wp.pow(float(level), growth)


@law("games", "a motion that starts slowly, quadratic")
def ease_in(t: ratio) -> eased_fraction:
    return t * t


@law("games", "a motion that ends slowly, quadratic")
def ease_out(t: ratio) -> eased_fraction:
    return t * (2.0 - t)


@law("games", "a motion that starts and ends slowly, cubic")
def ease_in_out(t: ratio) -> eased_fraction:
    if t < 0.5:
        return 4.0 * t * t * t
    s = 2.0 - 2.0 * t
    return 1.0 - 0.5 * s * s * s


@law("games", "a motion that bounces at its end")
def ease_out_bounce(t: ratio) -> eased_fraction:
    n = 7.5625
    if t < 4.0 / 11.0:
        return n * t * t
    if t < 8.0 / 11.0:
        s = t - 6.0 / 11.0
        return n * s * s + 0.75
    if t < 10.0 / 11.0:
        s = t - 9.0 / 11.0
        return n * s * s + 0.9375
    s = t - 10.5 / 11.0
    return n * s * s + 0.984375


@law("games", "a motion that overshoots and comes back")
def ease_out_back(t: ratio) -> eased_fraction:
    s = t - 1.0
    return 1.0 + 2.70158 * s * s * s + 1.70158 * s * s


@law("games", "a value between two others by an eased fraction")
def eased_value(a: process_value, b: setpoint, t: eased_fraction) -> process_value:
    return a + (b - a) * t


@law("games", "how far something is from left to right of the view")
def view_fraction(x: axis_value, half_width: half_extent) -> ratio:
    return wp.clamp(0.5 + 0.5 * x / half_width, 0.0, 1.0)


@law("games", "the noise that an agent hears", needs=(d > 0.1,))
def heard_loudness(level: loudness, d: distance, wall: occlusion) -> loudness:
    return level * (1.0 - wall) / (d * d)


@law("games", "whether a point is in the view cone: its cosine less that of half the opening")
def view_cone_margin(x: position, facing: direction, other: position, half: cone_angle) -> view_margin:
    to_other = wp.normalize(other - x)
    return wp.dot(facing, to_other) - wp.cos(half)


@law("games", "the lead with which a shot meets a moving target, first order")
def lead_position(target: position, v: velocity, d: distance, shot: shot_speed) -> position:
    return target + v * (d / shot)


@law("games", "stamina after a step, spent when running and won back when not")
def stamina_after(stamina: stamina, effort: ratio, drain: drain_rate, rest: recovery_speed, dt: time_step) -> stamina:
    change = rest * (1.0 - effort) - drain * effort
    return wp.clamp(stamina + change * dt, 0.0, 1.0)
