"""Works of chance: light paths, particle filters, option books, crowds, colonies."""


@law("graphics", "a direction about a normal, more often near it, by the cosine", title="cosine_direction|sample_cosine|cosine_hemisphere", private=True, function=True)
def cosine_direction(n: normal, u: uniform_draw, v: uniform_draw) -> direction:
    names(r="r|rad", phi="phi|azimuth", a="a|helper", t="t|tangent", b="b|bitangent")
    r = wp.sqrt(u)
    phi = 2.0 * wp.pi * v
    a = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(n[0]) > 0.9:
        a = wp.vec3(0.0, 1.0, 0.0)
    t = wp.normalize(wp.cross(a, n))
    b = wp.cross(n, t)
    return wp.normalize(t * (r * wp.cos(phi)) + b * (r * wp.sin(phi)) + n * wp.sqrt(wp.max(1.0 - u, 0.0)))


@law("geometry", "where a ray enters a sphere, or a negative number", title="hit_sphere|intersect_sphere|ray_sphere_hit", private=True, function=True)
def path_sphere_hit(o: position, d: direction, c: position, r: radius) -> signed_distance:
    names(oc="oc|to_o", b="b|half_b", disc="disc|h")
    oc = o - c
    b = wp.dot(oc, d)
    disc = b * b - wp.dot(oc, oc) + r * r
    if disc < 0.0:
        return -1.0
    return -b - wp.sqrt(disc)


@scene("random", "combined", "geometry", "control_flow", "vector", (row, column),
       says="traces light paths through spheres over {floor=0:a plain floor}{floor=1:a checkered floor}: {lens:through a lens, }diffuse and mirror bounces{light:, a small light}, and {sky=0:an even}{sky=1:a graded} sky",
       title="path_trace|render_paths|trace_pixels", topic="", lossy=True)
def light_paths(center: each(position, sphere, range=(-1.5, 1.5)), r: each(radius, sphere, range=(0.2, 0.7)), albedo: each(surface_reflectance, sphere), mirror: each(ratio, sphere), eye: setting(position, 2.0, 3.0), lens: maybe(setting(radius, 0.01, 0.05), 0.4), light: maybe(setting(position, 1.0, 2.0), 0.5), seed: setting(seed), samples: setting(steps_value, 2, 4), color: out(radiance), depth_out: maybe(out(depth), 0.4), bounces_out: maybe(out(count_value), 0.3)):
    names(rng="rng|state|rnd", o="o|origin|ro", d="d|dirn|rd", through="through|throughput|beta", sum_="sum_|total|acc", t_near="t_near|t_min|t_hit", who="who|hit_id|nearest", t="t|t_k|dist_k", p="p|hit_pos|x_hit", n="n|normal_h|nh", base="base|rho|tint", sky="sky|ambient|background", to_light="to_light|l_vec|shadow_dir", blocked="blocked|occluded|in_shadow", px="px|ndc_x|u_img", py="py|ndc_y|v_img", keep="keep|survive|q_live", first="first|z_first|primary", n_bounce="n_bounce|depth|hops", cosine="cosine|cos_l|n_dot_l", focus="focus|aim|focal_point", ahead="ahead|forward|view_dir", right="right|side|cam_x", above="above|up|cam_y", mirrored="mirrored|reflected|mirror_dir")
    names(center="centers|sphere_pos", r="radii|sphere_r", albedo="albedo|colors", mirror="mirror|shininess", lens="lens_radius|aperture", light="light_pos|lamp", samples="samples|spp", color="color|image", depth_out="depth_out|first_hit", bounces_out="bounces_out|num_bounces")
    y, x = wp.tid()
    rng = wp.rand_init(seed, y * count(column) + x)
    note("the camera looks at the origin|camera axes")
    ahead = wp.normalize(-eye)
    right = wp.normalize(wp.cross(ahead, wp.vec3(0.0, 1.0, 0.0)))
    above = wp.cross(right, ahead)
    sum_ = wp.vec3(0.0, 0.0, 0.0)
    first = float(0.0)
    n_bounce = int(0)
    for s in range(samples):
        px = (float(x) + wp.randf(rng)) / float(count(column)) - 0.5
        py = 0.5 - (float(y) + wp.randf(rng)) / float(count(row))
        o = eye
        d = wp.normalize(ahead + right * px + above * py)
        if present(lens):
            note("through a point of the lens, to the same point in focus|thin lens")
            focus = o + d * constant("FOCUS_DISTANCE|FOCAL_DIST|FOCUS", 4.0)
            o = o + right * (lens * (2.0 * wp.randf(rng) - 1.0)) + above * (lens * (2.0 * wp.randf(rng) - 1.0))
            d = wp.normalize(focus - o)
        through = wp.vec3(1.0, 1.0, 1.0)
        bounce = int(0)
        while bounce < constant("MAX_BOUNCES|MAX_DEPTH|PATH_LENGTH", 4):
            t_near = float(1.0e6)
            who = int(-1)
            for k in range(count(sphere)):
                t = path_sphere_hit(o, d, center[k], r[k])
                if t > constant("T_MIN|RAY_EPS|SELF_EPS", 0.001) and t < t_near:
                    t_near = t
                    who = k
            if d[1] < 0.0:
                t = (constant("FLOOR_Y|GROUND_Y|FLOOR_HEIGHT", -1.0) - o[1]) / d[1]
                if t > constant("T_MIN|RAY_EPS|SELF_EPS", 0.001) and t < t_near:
                    t_near = t
                    who = -2
            if who == -1:
                match choose("sky"):
                    case 1:
                        sky = wp.vec3(0.7, 0.8, 1.0)
                    case 2:
                        note("blue above, white at the horizon")
                        sky = wp.lerp(wp.vec3(1.0, 1.0, 1.0), wp.vec3(0.4, 0.6, 1.0), 0.5 * (d[1] + 1.0))
                sum_ += wp.cw_mul(through, sky)
                break
            p = o + d * t_near
            if s == 0 and bounce == 0:
                first = t_near
            if who >= 0:
                n = wp.normalize(p - center[who])
                base = albedo[who]
            else:
                n = wp.vec3(0.0, 1.0, 0.0)
                match choose("floor"):
                    case 1:
                        base = wp.vec3(0.5, 0.5, 0.5)
                    case 1:
                        base = wp.vec3(0.8, 0.8, 0.8)
                        if (int(wp.floor(p[0])) + int(wp.floor(p[2]))) % 2 == 0:
                            base = wp.vec3(0.2, 0.2, 0.2)
            if present(light):
                to_light = light - p
                cosine = wp.dot(n, wp.normalize(to_light))
                if cosine > 0.0:
                    note("a ray to the lamp|direct light")
                    blocked = int(0)
                    for k in range(count(sphere)):
                        t = path_sphere_hit(p, wp.normalize(to_light), center[k], r[k])
                        if t > constant("T_MIN|RAY_EPS|SELF_EPS", 0.001) and t < wp.length(to_light):
                            blocked = 1
                    if blocked == 0:
                        sum_ += wp.cw_mul(wp.cw_mul(through, base), wp.vec3(1.0, 1.0, 1.0) * (cosine / (0.5 + wp.dot(to_light, to_light))))
            o = p + n * constant("T_MIN|RAY_EPS|SELF_EPS", 0.001)
            through = wp.cw_mul(through, base)
            match choose("bounce"):
                case 2:
                    if who >= 0 and wp.randf(rng) < mirror[wp.max(who, 0)]:
                        d = d - n * (2.0 * wp.dot(d, n))
                    else:
                        d = cosine_direction(n, wp.randf(rng), wp.randf(rng))
                case 1:
                    mirrored = d - n * (2.0 * wp.dot(d, n))
                    d = cosine_direction(n, wp.randf(rng), wp.randf(rng))
                    if who >= 0:
                        note("glossy: between the mirror direction and any")
                        d = wp.normalize(d + mirrored * mirror[who])
            if maybe(0.5):
                note("weak paths end early, strong ones stand for them|Russian roulette")
                keep = wp.max(through[0], wp.max(through[1], through[2]))
                if bounce > 1:
                    if wp.randf(rng) > keep:
                        break
                    through = through / keep
            bounce += 1
            n_bounce += 1
    match choose("tone"):
        case 2:
            color[y, x] = sum_ / float(samples)
        case 1:
            sum_ = sum_ / float(samples)
            color[y, x] = wp.vec3(sum_[0] / (1.0 + sum_[0]), sum_[1] / (1.0 + sum_[1]), sum_[2] / (1.0 + sum_[2]))
        case 1:
            sum_ = sum_ / float(samples)
            color[y, x] = wp.vec3(wp.sqrt(wp.clamp(sum_[0], 0.0, 1.0)), wp.sqrt(wp.clamp(sum_[1], 0.0, 1.0)), wp.sqrt(wp.clamp(sum_[2], 0.0, 1.0)))
    if present(depth_out):
        depth_out[y, x] = first
    if present(bounces_out):
        bounces_out[y, x] = n_bounce


@scene("random", "combined", "math", "control_flow", path,
       says="prices a book of options by simulation: {model=0:lognormal prices}{model=1:prices with jumps}{model=2:prices with wandering volatility}, {payoff=0:a call on the last price}{payoff=1:a call on the mean}{payoff=2:a put that ends at a barrier}{payoff=3:a call on the highest price}{antithetic:, each path with its mirror image}",
       title="simulate_options|monte_carlo_prices|price_paths", topic="")
def option_paths(spot: each(price, path, range=(80.0, 120.0)), strike: each(strike, path, range=(80.0, 120.0)), vol: setting(volatility), rate: setting(interest_rate), term: setting(maturity, 0.5, 2.0), steps: setting(steps_value, 12, 24), barrier: setting(price, 60.0, 75.0), seed: setting(seed), antithetic: maybe(each(flag), 0.4), price_out: out(option_price, path), delta_out: maybe(out(probability, path), 0.5), high_out: maybe(out(price, path), 0.4), mean_sum: maybe(add(option_price, 1), 0.4)):
    names(mean2="mean2|avg_anti|mean_anti", top2="top2|high_anti|max_anti", alive2="alive2|live_anti|anti_alive", rng="rng|state|gen", s="s|price|s_t", s2="s2|mirror|s_anti", z="z|eps|shock", dt="dt|h|year_step", v="v|var|variance_t", mean="mean|avg|path_mean", top="top|highest|s_max", alive="alive|live|not_knocked", pay="pay|payoff|value", pay2="pay2|payoff_anti|mirror_pay", jump="jump|gap|crash", disc="disc|df|discount", w="w|dw|z_vol", inside="inside|itm|in_money")
    names(spot="spot|s0", strike="strike|k", vol="vol|sigma", rate="rate|r", term="term|years", steps="steps|num_steps", barrier="barrier|knock_out", antithetic="antithetic|mirrored", price_out="price_out|values", delta_out="delta_out|delta", high_out="high_out|path_high", mean_sum="mean_sum|total_value")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    dt = term / float(steps)
    s = spot[i]
    s2 = spot[i]
    v = vol * vol
    mean = float(0.0)
    top = spot[i]
    alive = int(1)
    mean2 = float(0.0)
    top2 = spot[i]
    alive2 = int(1)
    for k in range(steps):
        z = wp.randn(rng)
        match choose("model"):
            case 2:
                s = s * wp.exp((rate - 0.5 * v) * dt + wp.sqrt(v * dt) * z)
                if present(antithetic):
                    s2 = s2 * wp.exp((rate - 0.5 * v) * dt - wp.sqrt(v * dt) * z)
            case 1:
                note("now and then the price jumps down|Merton's jumps")
                jump = float(0.0)
                if wp.randf(rng) < constant("JUMP_RATE|JUMPS_PER_YEAR|INTENSITY", 0.6) * dt:
                    jump = constant("JUMP_MEAN|MEAN_JUMP|JUMP_SIZE", -0.1) + 0.08 * wp.randn(rng)
                s = s * wp.exp((rate - 0.5 * v) * dt + wp.sqrt(v * dt) * z + jump)
                if present(antithetic):
                    s2 = s2 * wp.exp((rate - 0.5 * v) * dt - wp.sqrt(v * dt) * z + jump)
            case 2:
                note("the variance reverts to its mean and is cut at zero|full truncation")
                w = constant("CORRELATION|RHO|CORR", -0.6) * z + 0.8 * wp.randn(rng)
                s = s * wp.exp((rate - 0.5 * v) * dt + wp.sqrt(v * dt) * z)
                if present(antithetic):
                    s2 = s2 * wp.exp((rate - 0.5 * v) * dt - wp.sqrt(v * dt) * z)
                v = wp.max(v + constant("REVERSION|KAPPA|MEAN_REVERSION", 2.0) * (vol * vol - v) * dt + constant("VOL_OF_VOL|XI|VOLVOL", 0.3) * wp.sqrt(v * dt) * w, 1.0e-4)
        mean += s
        top = wp.max(top, s)
        match choose("payoff"):
            case 2:
                fact("what the option pays is discounted to today")
            case 2:
                fact("the mean is taken over the steps")
                if present(antithetic):
                    mean2 += s2
            case 1:
                if present(antithetic):
                    if s < barrier:
                        alive = 0
                    if s2 < barrier:
                        alive2 = 0
                else:
                    if s < barrier:
                        alive = 0
                        break
            case 1:
                fact("the highest price of the path counts")
                if present(antithetic):
                    top2 = wp.max(top2, s2)
    disc = wp.exp(-rate * term)
    match choose("payoff"):
        case 2:
            pay = disc * wp.max(s - strike[i], 0.0)
        case 2:
            pay = disc * wp.max(mean / float(steps) - strike[i], 0.0)
        case 1:
            pay = float(0.0)
            if alive == 1:
                pay = disc * wp.max(strike[i] - s, 0.0)
        case 1:
            pay = disc * wp.max(top - strike[i], 0.0)
    if present(antithetic):
        if antithetic[i] == 1:
            note("the mean of the path and its mirror image varies less|antithetic pair")
            match choose("payoff"):
                case 2:
                    pay2 = disc * wp.max(s2 - strike[i], 0.0)
                case 2:
                    pay2 = disc * wp.max(mean2 / float(steps) - strike[i], 0.0)
                case 1:
                    pay2 = float(0.0)
                    if alive2 == 1:
                        pay2 = disc * wp.max(strike[i] - s2, 0.0)
                case 1:
                    pay2 = disc * wp.max(top2 - strike[i], 0.0)
            pay = 0.5 * (pay + pay2)
    price_out[i] = pay
    if present(delta_out):
        match choose("delta"):
            case 1:
                inside = float(0.0)
                if pay > 0.0:
                    inside = disc * s / spot[i]
                delta_out[i] = inside
            case 1:
                delta_out[i] = wp.where(pay > 0.0, disc, 0.0) * s / spot[i]
    if present(high_out):
        high_out[i] = top
    if present(mean_sum):
        wp.atomic_add(mean_sum, 0, pay / float(count(path)))


@scene("random", "combined", "multi_conditional", agent,
       says="moves ants of a colony by one step: they look for food, {smell=0:follow the stronger of three smells}{smell=1:choose by chance among three smells}, carry it home{vigor:, grow tired} and lay a trail",
       title="ant_step|move_ants|colony_step", topic="")
def ant_colony(pos: inout(point2), heading: inout(angle), laden: inout(flag), food_map: each(ratio, cell, cell), trail: each(ratio, cell, cell), laid: add(ratio, cell, cell), home: setting(point2, -0.5, 0.5), speed: setting(speed, 0.5, 1.5), sense: setting(distance, 0.2, 0.5), spread: setting(angle, 0.3, 0.8), wobble: setting(ratio, 0.1, 0.4), vigor: maybe(inout(ratio), 0.4), seed: setting(seed), dt: setting(time_step, 0.05, 0.2), found: maybe(add(count_value, 1), 0.5), delivered: maybe(add(count_value, 1), 0.5)):
    names(rng="rng|state|rnd", x="x|at|here", a="a|yaw|dirn", side="side|look|probe_angle", at="at|probe|ahead", smell="smell|scent|odor", best="best|strongest|peak", turn="turn|steer|d_yaw", ci="ci|row|gy", cj="cj|col|gx", left_w="left_w|w_left|scent_l", mid_w="mid_w|w_mid|scent_m", right_w="right_w|w_right|scent_r", pick="pick|draw|lot", to_home="to_home|homeward|home_dir", carries="carries|has_food|full", pace="pace|v_now|spd")
    names(heading="heading|yaw_in", laden="laden|carrying", food_map="food|food_map", trail="trail|pheromone", laid="laid|deposit", home="home|nest", sense="sense|sensor_reach", spread="spread|sensor_angle", wobble="wobble|wander", vigor="vigor|stamina", found="found|num_found", delivered="delivered|num_delivered")
    i = wp.tid()
    rng = wp.rand_init(seed, i)
    x = pos[i]
    a = heading[i]
    carries = laden[i]
    turn = float(0.0)
    if carries == 1:
        note("homewards, more or less|laden ants know the way")
        to_home = home - x
        match choose("homing"):
            case 1:
                turn = wp.atan2(to_home[1], to_home[0]) - a
                turn = wp.atan2(wp.sin(turn), wp.cos(turn))
                a += 0.5 * turn
            case 1:
                if wp.cos(a) * to_home[1] - wp.sin(a) * to_home[0] > 0.0:
                    a += spread
                else:
                    a -= spread
    else:
        match choose("smell"):
            case 1:
                best = float(-1.0)
                for k in range(3):
                    side = a + spread * float(k - 1)
                    at = x + wp.vec2(wp.cos(side), wp.sin(side)) * sense
                    ci = wp.clamp(int((at[1] + 2.0) * 0.25 * float(count(cell, 0))), 0, count(cell, 0) - 1)
                    cj = wp.clamp(int((at[0] + 2.0) * 0.25 * float(count(cell, 1))), 0, count(cell, 1) - 1)
                    smell = trail[ci, cj] + 2.0 * food_map[ci, cj]
                    if smell > best:
                        best = smell
                        turn = spread * float(k - 1)
                a += turn
            case 1:
                left_w = float(0.0)
                mid_w = float(0.0)
                right_w = float(0.0)
                for k in range(3):
                    side = a + spread * float(k - 1)
                    at = x + wp.vec2(wp.cos(side), wp.sin(side)) * sense
                    ci = wp.clamp(int((at[1] + 2.0) * 0.25 * float(count(cell, 0))), 0, count(cell, 0) - 1)
                    cj = wp.clamp(int((at[0] + 2.0) * 0.25 * float(count(cell, 1))), 0, count(cell, 1) - 1)
                    smell = constant("BASE_SMELL|MIN_SCENT|FLOOR", 0.05) + trail[ci, cj]
                    if k == 0:
                        right_w = smell
                    elif k == 1:
                        mid_w = smell
                    else:
                        left_w = smell
                pick = wp.randf(rng) * (left_w + mid_w + right_w)
                if pick < left_w:
                    a += spread
                elif pick > left_w + mid_w:
                    a -= spread
    a += wobble * (2.0 * wp.randf(rng) - 1.0)
    pace = float(speed)
    if present(vigor):
        pace = speed * (0.4 + 0.6 * vigor[i])
        match choose("tire"):
            case 1:
                vigor[i] = wp.max(vigor[i] - 0.1 * dt, 0.0)
            case 1:
                vigor[i] = vigor[i] * wp.exp(-0.2 * dt)
    x = x + wp.vec2(wp.cos(a), wp.sin(a)) * (pace * dt)
    match choose("border"):
        case 1:
            note("turn back at the border|reflect")
            if wp.abs(x[0]) > 2.0 or wp.abs(x[1]) > 2.0:
                a += wp.pi
                x = wp.vec2(wp.clamp(x[0], -2.0, 2.0), wp.clamp(x[1], -2.0, 2.0))
        case 1:
            note("the world is a torus")
            x = wp.vec2(x[0] - 4.0 * wp.floor((x[0] + 2.0) * 0.25), x[1] - 4.0 * wp.floor((x[1] + 2.0) * 0.25))
    ci = wp.clamp(int((x[1] + 2.0) * 0.25 * float(count(cell, 0))), 0, count(cell, 0) - 1)
    cj = wp.clamp(int((x[0] + 2.0) * 0.25 * float(count(cell, 1))), 0, count(cell, 1) - 1)
    if carries == 1:
        wp.atomic_add(laid, ci, cj, constant("TRAIL_STRENGTH|PHEROMONE_DROP|DEPOSIT", 0.5) * dt)
        if wp.length(home - x) < constant("NEST_RADIUS|HOME_RADIUS|NEST_SIZE", 0.5):
            carries = 0
            a += wp.pi
            if present(delivered):
                wp.atomic_add(delivered, 0, 1)
    else:
        if food_map[ci, cj] > constant("FOOD_LEVEL|ENOUGH_FOOD|FOOD_MIN", 0.7):
            carries = 1
            a += wp.pi
            if present(found):
                wp.atomic_add(found, 0, 1)
    pos[i] = x
    heading[i] = wp.atan2(wp.sin(a), wp.cos(a))
    laden[i] = carries
