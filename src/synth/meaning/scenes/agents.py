"""Crowds, vehicles, games, controllers: things with a state that decide."""


@scene("physics", "nested_loop", "combined", "vector", agent,
       says="steers each boid by separation, alignment and cohesion with its neighbours and limits its speed",
       title="flock_step|update_boids|boid_steering", algorithm="boids")
def boids(x: each(position), v: each(velocity), reach: setting(distance, 1.0, 2.5), near: setting(distance, 0.4, 0.9), ws: setting(weight, 0.5, 1.0), wa: setting(weight, 0.1, 0.5), wc: setting(weight, 0.1, 0.5), vmax: setting(speed, 1.0, 4.0), dt: setting(time_step),
          v_out: out(velocity), x_out: maybe(out(position), 0.7), crowd: maybe(out(count_value), 0.3)):
    names(pi="pi|p|own|xi", vi="vi|u|own_v|cur_v", away="away|sep|push|avoid", heading_="heading_|avg_v|ali|v_sum", centre="centre|mid|coh|x_sum", n="n|neighbors|close|count_n", d="d|off|diff|rel", dist="dist|r|l|gap")
    i = wp.tid()
    pi = x[i]
    vi = v[i]
    away = wp.vec3()
    heading_ = wp.vec3()
    centre = wp.vec3()
    n = int(0)
    for j in range(count(agent)):
        if i == j:
            continue
        d = x[j] - pi
        dist = wp.length(d)
        if dist < reach:
            heading_ += v[j]
            centre += x[j]
            n += 1
            if dist < near and dist > 0.0:
                note("keep clear of the ones that are too close")
                away -= d / dist
    if n > 0:
        vi += ws * away + wa * (heading_ / float(n) - vi) + wc * (centre / float(n) - pi)
    note("limit the speed|no boid is faster than the limit")
    if wp.length(vi) > vmax:
        vi = wp.normalize(vi) * vmax
    v_out[i] = vi
    if present(x_out):
        x_out[i] = pi + vi * dt
    if present(crowd):
        crowd[i] = n


@scene("control_flow", "scalar_param", "function", joint,
       says="computes the command of a PID controller with a clamped integral for each joint",
       title="pid_control|pid_step|servo_commands", algorithm="PID controller with anti-windup")
def pid(goal: each(setpoint), now: each(process_value), total: inout(error_integral), last: inout(control_error), kp: setting(proportional_gain), ki: setting(integral_gain), kd: setting(derivative_gain), dt: setting(time_step, 0.01, 0.1), limit: setting(command_limit), imax: maybe(setting(integral_limit), 0.7),
        dead: maybe(setting(positive_value, 0.05, 0.2), 0.3), u: out(control_command)):
    names(e="e|err|error_i|miss", integral="integral|acc|i_term|sum_e", slope="slope|de|d_term|rate", cmd="cmd|out_u|raw|drive")
    i = wp.tid()
    e = goal[i] - now[i]
    if present(dead):
        note("dead band: small errors are left alone|ignore noise")
        if wp.abs(e) < dead:
            e = 0.0
    integral = total[i] + e * dt
    if present(imax):
        note("anti-windup|keep the integral bounded")
        integral = wp.clamp(integral, -imax, imax)
    slope = (e - last[i]) / dt
    cmd = kp * e + ki * integral + kd * slope
    u[i] = wp.clamp(cmd, -limit, limit)
    total[i] = integral
    last[i] = e


@scene("multi_conditional", "control_flow", "integer", agent,
       says="advances the state machine of each agent: it wanders, chases what comes near, and flees when it is weak",
       title="update_behaviour|agent_state_machine|npc_brain", algorithm="finite state machine")
def behaviour(mode: kind(IDLE, WANDER, CHASE, FLEE), gap: each(distance), hp: each(health), see: setting(distance, 2.0, 4.0), reach: maybe(setting(distance, 0.3, 1.0), 0.5), weak: setting(health, 20.0, 40.0), next_mode: out(kind_value), timer: maybe(inout(count_value), 0.5)):
    names(m="m|s|cur|state_i", d="d|dist|range_i|gap_i", nxt="nxt|new_mode|to|state_next")
    i = wp.tid()
    m = mode[i]
    d = gap[i]
    nxt = m
    if m == IDLE:
        if d < see:
            nxt = CHASE
        elif present(timer) and timer[i] <= 0:
            nxt = WANDER
    elif m == WANDER:
        if d < see and hp[i] > weak:
            nxt = CHASE
        elif d < see:
            nxt = FLEE
    elif m == CHASE:
        note("a weak agent gives up the chase|retreat when hurt")
        if hp[i] <= weak:
            nxt = FLEE
        elif d > 1.5 * see:
            nxt = WANDER
        elif present(reach) and d < reach:
            nxt = IDLE
    else:
        if d > 2.0 * see or hp[i] > 2.0 * weak:
            nxt = IDLE
    next_mode[i] = nxt
    if present(timer):
        note("restart the clock when the mode changes|time in the present mode")
        if nxt != m:
            timer[i] = constant("PATIENCE|WAIT_STEPS|COOLDOWN", 20)
        else:
            timer[i] = wp.max(timer[i] - 1, 0)


@scene("physics", "scalar_param", "arithmetic", vehicle,
       says="computes the acceleration of each car behind its leader by the intelligent driver model",
       title="car_following|idm_acceleration|traffic_step", algorithm="intelligent driver model")
def idm(v: each(speed, range=(1.0, 9.0)), gap: each(distance, range=(1.5, 20.0)), lead: each(speed, range=(1.0, 9.0)), v0: setting(speed, 8.0, 10.0), headway: setting(positive_value, 0.8, 1.8), amax: setting(positive_value, 0.8, 2.0), brake: setting(positive_value, 1.0, 3.0), s0: setting(distance, 1.0, 2.0), acc: out(axial_acceleration), dt: maybe(setting(time_step, 0.05, 0.05), 0.5), v_next: maybe(out(speed), 1.0)):
    names(vi="vi|u|own|speed_i", dv="dv|closing|approach|rel", want="want|s_star|desired_gap|safe", free="free|road|ratio_v|f", a="a|acc_i|accel|push")
    i = wp.tid()
    vi = v[i]
    dv = vi - lead[i]
    note("gap that the driver wants: standstill distance, headway, braking|desired gap")
    want = s0 + wp.max(vi * headway + vi * dv / (2.0 * wp.sqrt(amax * brake)), 0.0)
    free = vi / v0
    a = amax * (1.0 - free * free * free * free - (want / gap[i]) * (want / gap[i]))
    acc[i] = a
    if present(dt) and present(v_next):
        note("cars do not drive backwards")
        v_next[i] = wp.max(vi + a * dt, 0.0)


@scene("arithmetic", "scalar_param", "multi_conditional", user,
       says="updates the rating of two players after a game by the Elo formula",
       title="elo_update|update_ratings|rate_match", algorithm="Elo rating")
def elo(first: each(rating), second: each(rating), result: kind(LOSS, DRAW, WIN), k: setting(rating_factor), home: maybe(setting(rating_factor, 30.0, 40.0), 0.4), new_first: out(rating), new_second: out(rating)):
    names(ra="ra|own|a|r_first", rb="rb|other|b|r_second", expected="expected|e|chance|p_win", s="s|points|outcome|score_i", delta="delta|change|gain_i|step")
    i = wp.tid()
    ra = first[i]
    rb = second[i]
    if present(home):
        note("advantage of the home side")
        ra += home
    expected = 1.0 / (1.0 + wp.pow(10.0, (rb - ra) / 400.0))
    if result[i] == WIN:
        s = 1.0
    elif result[i] == DRAW:
        s = 0.5
    else:
        s = 0.0
    delta = k * (s - expected)
    new_first[i] = first[i] + delta
    if present(new_second):
        new_second[i] = rb - delta


@scene("math", "scalar_param", "vector", vehicle,
       says="advances a car by the kinematic bicycle model",
       title="bicycle_model|drive_step|integrate_vehicle", algorithm="kinematic bicycle model")
def bicycle(x: inout(point2), yaw: inout(heading), v: inout(speed), steer: each(steering_angle), acc: each(axial_acceleration, range=(-3.0, 3.0)), base: setting(wheelbase, 1.0, 3.0), dt: setting(time_step), vmax: maybe(setting(top_speed), 0.5), yaw_rate: maybe(out(turn_rate), 0.4)):
    names(psi="psi|theta|yaw_i|phi", u="u|vi|speed_i|s", w="w|rate|omega|turn")
    i = wp.tid()
    psi = yaw[i]
    u = v[i]
    w = u * wp.tan(steer[i]) / base
    x[i] = x[i] + wp.vec2(wp.cos(psi), wp.sin(psi)) * (u * dt)
    psi = psi + w * dt
    note("wrap the heading to one turn|keep the angle in range")
    if psi > wp.pi:
        psi = psi - 2.0 * wp.pi
    elif psi < -wp.pi:
        psi = psi + 2.0 * wp.pi
    yaw[i] = psi
    u = wp.max(u + acc[i] * dt, 0.0)
    if present(vmax):
        u = wp.min(u, vmax)
    v[i] = u
    if present(yaw_rate):
        yaw_rate[i] = w
