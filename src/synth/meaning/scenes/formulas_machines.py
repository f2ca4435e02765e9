"""Machines and characters: one law after another, from what is measured to what is wanted."""


@scene("arithmetic", "combined", "multi_conditional", user,
       says="computes a motion that starts and ends slowly, cubic, then a value between two others by an eased fraction, and from it a value that follows another smoothly, whatever the frame rate",
       title="compute_process|process_from_eased_fraction|smooth_follow_kernel|evaluate_process|process_step", topic="games")
def ease_in_out_to_smooth_follow(t: each(ratio), a: each(process_value), b: each(setpoint), goal: each(setpoint), rate: setting(follow_rate), dt: setting(time_step), process_out2: out(process_value), eased_fraction_out: maybe(out(eased_fraction), 0.5)):
    names(r0="eased_fraction|ease_in_out|fraction", r1="process|eased_value|process_here", r2="smooth_follow|smooth_follow_i|new_process")
    i = wp.tid()
    r0 = ease_in_out(t[i])
    r1 = eased_value(a[i], b[i], r0)
    r2 = smooth_follow(r1, goal[i], rate, dt)
    process_out2[i] = r2
    if present(eased_fraction_out):
        eased_fraction_out[i] = r0


@scene("combined", "arithmetic", agent,
       says="computes the damage that armour lets through, and from it health after a hit, not below zero",
       title="compute_health|health_from_damage|health_after_hit_kernel|evaluate_health|health_step", topic="games")
def armored_damage_to_health_after_hit(hit: each(damage), armor: each(armor), health: each(health), health_out: out(health), damage_out: maybe(out(damage), 0.5)):
    names(r0="damage|armored_damage|damage_k", r1="health_after_hit|health_est|health_i")
    i = wp.tid()
    r0 = armored_damage(hit[i], armor[i])
    r1 = health_after_hit(health[i], r0)
    health_out[i] = r1
    if present(damage_out):
        damage_out[i] = r0


@scene("combined", "function", "vector", user,
       says="computes a velocity held below a top speed, and from it the steering that brings an agent towards a goal at full speed",
       title="compute_acceleration|acceleration_from_velocity|seek_steering_kernel|evaluate_acceleration|acceleration_step", topic="games")
def limit_speed_to_seek_steering(v: each(velocity), top: setting(top_speed), x: each(position), goal: each(position), active: maybe(each(flag), 0.4), acceleration_out: out(acceleration), velocity_out: maybe(out(velocity), 0.5)):
    names(r0="velocity|velocity_i|velocity_i_i", r1="acceleration|seek_steering|acceleration_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = limit_speed(v[i], top)
    r1 = seek_steering(x[i], goal[i], r0, top)
    acceleration_out[i] = r1
    if present(velocity_out):
        velocity_out[i] = r0


@scene("math", "combined", "vector", agent,
       says="computes a velocity held below a top speed, and from it the steering that slows an agent down near its goal",
       title="compute_acceleration|acceleration_from_velocity|arrive_steering_kernel|evaluate_acceleration|acceleration_step", topic="games")
def limit_speed_to_arrive_steering(v: each(velocity), top: setting(top_speed), x: each(position), goal: each(position), slow: each(distance), acceleration_out: out(acceleration), velocity_out: maybe(out(velocity), 0.5)):
    names(r0="velocity|velocity_here|velocity_i", r1="acceleration|arrive_steering|acceleration_k")
    i = wp.tid()
    r0 = limit_speed(v[i], top)
    r1 = arrive_steering(x[i], goal[i], r0, top, slow[i])
    acceleration_out[i] = r1
    if present(velocity_out):
        velocity_out[i] = r0


@scene("combined", "arithmetic", "vector", user,
       says="computes a velocity held below a top speed, and from it the lead with which a shot meets a moving target, first order",
       title="compute_position|position_from_velocity|lead_position_kernel|evaluate_position|position_step", topic="games")
def limit_speed_to_lead_position(v: each(velocity), top: setting(top_speed), target: each(position), d: each(distance), shot: setting(shot_speed), active: maybe(each(flag), 0.4), position_out: out(position), velocity_out: maybe(out(velocity), 0.5)):
    names(r0="velocity|velocity_now|velocity_i", r1="position|lead_position|position_k", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = limit_speed(v[i], top)
    r1 = lead_position(target[i], r0, d[i], shot)
    position_out[i] = r1
    if present(velocity_out):
        velocity_out[i] = r0


@scene("function", "combined", "struct", user,
       says="computes a rating after a game, and from it the chance of a win by Elo's rating",
       title="compute_probability|probability_from_rating|elo_expectation_kernel|evaluate_probability|probability_step", topic="games")
def elo_update_to_elo_expectation(own: each(rating), expected: each(probability), result: each(game_result), k: setting(rating_factor), other: each(rating), probability_out: out(probability), rating_out: maybe(out(rating), 0.5)):
    names(r0="rating|elo_update|rating_here", r1="probability|elo_expectation|probability_i")
    i = wp.tid()
    r0 = elo_update(own[i], expected[i], result[i], k)
    r1 = elo_expectation(r0, other[i])
    probability_out[i] = r1
    if present(rating_out):
        rating_out[i] = r0


@scene("arithmetic", "function", "scalar_param", joint,
       says="computes the position on a smooth path between two angles, without jerk at the ends, then the torque of a joint that is pulled to its target and damped, and from it the speed of a joint after a step",
       title="compute_joint_speed|joint_speed_from_joint_angle|advance_joint_speed_kernel|evaluate_joint_speed|joint_speed_step", topic="robotics")
def minimum_jerk_to_advance_joint_speed(start: each(joint_angle), goal: each(joint_angle), u: each(ratio), q: each(joint_angle), qd: each(joint_speed), ke: setting(joint_stiffness), kd: setting(joint_damping), inertia: each(moment_of_inertia), dt: setting(time_step), joint_speed_out: out(joint_speed), joint_angle_out: maybe(out(joint_angle), 0.5), joint_torque_out: maybe(out(joint_torque), 0.5)):
    names(r0="joint_angle|minimum_jerk|angle", r1="joint_torque|joint_drive_torque|torque", r2="joint_speed|joint_speed_here|speed")
    i = wp.tid()
    r0 = minimum_jerk(start[i], goal[i], u[i])
    r1 = joint_drive_torque(r0, q[i], qd[i], ke, kd)
    r2 = advance_joint_speed(qd[i], r1, inertia[i], dt)
    joint_speed_out[i] = r2
    if present(joint_angle_out):
        joint_angle_out[i] = r0
    if present(joint_torque_out):
        joint_torque_out[i] = r1


@scene("arithmetic", "math", "scalar_param", joint,
       says="computes the error of a controlled value, then how fast the error changes, and from it the command of a PID controller",
       title="compute_control_command|control_command_from_control_error|pid_command_kernel|evaluate_control_command|control_command_step", topic="robotics")
def control_error_of_to_pid_command(goal: each(setpoint), now: each(process_value), last: each(control_error), dt: setting(time_step), integral: each(error_integral), kp: setting(proportional_gain), ki: setting(integral_gain), kd: setting(derivative_gain), active: maybe(each(flag), 0.4), control_command_out: out(control_command), control_error_out: maybe(out(control_error), 0.5), error_rate_out: maybe(out(error_rate), 0.5)):
    names(r0="control_error|control_error_k|error", r1="error_rate|error_rate_k|rate", r2="control_command|pid_command|command", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = control_error_of(goal[i], now[i])
    r1 = error_rate_of(r0, last[i], dt)
    r2 = pid_command(r0, integral[i], r1, kp, ki, kd)
    control_command_out[i] = r2
    if present(control_error_out):
        control_error_out[i] = r0
    if present(error_rate_out):
        error_rate_out[i] = r1


@scene("combined", "math", "scalar_param", vehicle,
       says="computes the error summed over time, held within limits, then the command of a PID controller, and from it a command held within what the drive can do",
       title="compute_control_command|control_command_from_error_integral|saturate_command_kernel|evaluate_control_command|control_command_step", topic="robotics")
def anti_windup_integral_to_saturate_command(sum: each(error_integral), error: each(control_error), dt: setting(time_step), limit: setting(integral_limit), rate: each(error_rate), kp: setting(proportional_gain), ki: setting(integral_gain), kd: setting(derivative_gain), limit_3: setting(command_limit), control_command_out2: out(control_command), error_integral_out: maybe(out(error_integral), 0.5)):
    names(r0="error_integral|anti_windup_integral|integral", r1="control_command|pid_command|command", r2="saturate_command|control_command_k|saturate_command_i")
    i = wp.tid()
    r0 = anti_windup_integral(sum[i], error[i], dt, limit)
    r1 = pid_command(error[i], r0, rate[i], kp, ki, kd)
    r2 = saturate_command(r1, limit_3)
    control_command_out2[i] = r2
    if present(error_integral_out):
        error_integral_out[i] = r0


@scene("arithmetic", "math", "scalar_param", joint,
       says="computes the torque of a motor at a speed, then the speed of a joint after a step, and from it the angle of a joint after a step",
       title="compute_joint_angle|joint_angle_from_joint_torque|advance_joint_kernel|evaluate_joint_angle|joint_angle_step", topic="robotics")
def motor_torque_to_advance_joint(stall: setting(stall_torque), w: each(angular_speed), free: setting(no_load_speed), qd: each(joint_speed), inertia: each(moment_of_inertia), dt: setting(time_step), q: each(joint_angle), joint_angle_out: out(joint_angle), joint_torque_out: maybe(out(joint_torque), 0.5), joint_speed_out: maybe(out(joint_speed), 0.5)):
    names(r0="joint_torque|motor_torque|torque", r1="joint_speed|joint_speed_est|speed", r2="joint_angle|joint_angle_here|angle")
    i = wp.tid()
    r0 = motor_torque(stall, w[i], free)
    r1 = advance_joint_speed(qd[i], r0, inertia[i], dt)
    r2 = advance_joint(q[i], r1, dt)
    joint_angle_out[i] = r2
    if present(joint_torque_out):
        joint_torque_out[i] = r0
    if present(joint_speed_out):
        joint_speed_out[i] = r1


@scene("combined", "arithmetic", "vector", vehicle,
       says="computes the turning rate of a car by the bicycle model, then the heading after a step, and from it the place of a vehicle after a step along its heading",
       title="compute_place|place_from_turn_rate|advance_vehicle_kernel|evaluate_place|place_step", topic="robotics")
def bicycle_turn_rate_to_advance_vehicle(v: each(axial_velocity), steer: each(steering_angle), wheelbase: setting(wheelbase), theta: each(heading), dt: setting(time_step), p: each(point2), active: maybe(each(flag), 0.4), place_out: out(point2), turn_rate_out: maybe(out(turn_rate), 0.5), heading_out: maybe(out(heading), 0.5)):
    names(r0="turn_rate|bicycle_turn_rate|rate", r1="heading|heading_i|heading_est", r2="place|place_k|place_here", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = bicycle_turn_rate(v[i], steer[i], wheelbase)
    r1 = advance_heading(theta[i], r0, dt)
    r2 = advance_vehicle(p[i], r1, v[i], dt)
    place_out[i] = r2
    if present(turn_rate_out):
        turn_rate_out[i] = r0
    if present(heading_out):
        heading_out[i] = r1


@scene("math", "arithmetic", "scalar_param", vehicle,
       says="computes the steering that follows a path point ahead, by pure pursuit, then the turning rate of a car by the bicycle model, and from it the heading after a step",
       title="compute_heading|heading_from_steering_angle|advance_heading_kernel|evaluate_heading|heading_step", topic="robotics")
def pure_pursuit_steering_to_advance_heading(bearing: each(bearing), reach: setting(lookahead), wheelbase: setting(wheelbase), v: each(axial_velocity), theta: each(heading), dt: setting(time_step), active: maybe(each(flag), 0.4), heading_out: out(heading), steering_angle_out: maybe(out(steering_angle), 0.5), turn_rate_out: maybe(out(turn_rate), 0.5)):
    names(r0="steering_angle|steering_angle_i|angle", r1="turn_rate|bicycle_turn_rate|rate", r2="heading|heading_now|heading_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = pure_pursuit_steering(bearing[i], reach, wheelbase)
    r1 = bicycle_turn_rate(v[i], r0, wheelbase)
    r2 = advance_heading(theta[i], r1, dt)
    heading_out[i] = r2
    if present(steering_angle_out):
        steering_angle_out[i] = r0
    if present(turn_rate_out):
        turn_rate_out[i] = r1


@scene("function", "arithmetic", "scalar_param", joint,
       says="computes the speed of a joint after a step, then the angle of a joint after a step, and from it the torque that pushes a joint back inside its limits",
       title="compute_joint_torque|joint_torque_from_joint_speed|joint_limit_torque_kernel|evaluate_joint_torque|joint_torque_step", topic="robotics")
def advance_joint_speed_to_joint_limit_torque(qd: each(joint_speed), tau: each(joint_torque), inertia: each(moment_of_inertia), dt: setting(time_step), q: each(joint_angle), low: each(lower_limit), high: each(upper_limit), ke: setting(joint_stiffness), active: maybe(each(flag), 0.4), joint_torque_out: out(joint_torque), joint_speed_out: maybe(out(joint_speed), 0.5), joint_angle_out: maybe(out(joint_angle), 0.5)):
    names(r0="joint_speed|joint_speed_now|speed", r1="joint_angle|joint_angle_i|angle", r2="joint_torque|joint_limit_torque|torque", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = advance_joint_speed(qd[i], tau[i], inertia[i], dt)
    r1 = advance_joint(q[i], r0, dt)
    r2 = joint_limit_torque(r1, low[i], high[i], ke)
    joint_torque_out[i] = r2
    if present(joint_speed_out):
        joint_speed_out[i] = r0
    if present(joint_angle_out):
        joint_angle_out[i] = r1


@scene("arithmetic", "math", "struct", vehicle,
       says="computes the elbow angle with which a planar arm reaches a point, stretched or folded where it cannot, and from it how well a planar arm can move, the determinant of its Jacobian",
       title="compute_manipulability|manipulability_from_elbow_angle|arm_manipulability_kernel|evaluate_manipulability|manipulability_step", topic="robotics")
def elbow_for_reach_to_arm_manipulability(p: each(point2), la: each(link_length), lb: each(link_length), active: maybe(each(flag), 0.4), manipulability_out: out(manipulability), elbow_angle_out: maybe(out(elbow_angle), 0.5)):
    names(r0="elbow_angle|elbow_for_reach|angle", r1="manipulability|arm_manipulability|manipulability_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = elbow_for_reach(p[i], la[i], lb[i])
    r1 = arm_manipulability(r0, la[i], lb[i])
    manipulability_out[i] = r1
    if present(elbow_angle_out):
        elbow_angle_out[i] = r0


@scene("math", "function", "scalar_param", vehicle,
       says="computes the turning rate of a two-wheeled robot, and from it the heading after a step",
       title="compute_heading|heading_from_turn_rate|advance_heading_kernel|evaluate_heading|heading_step", topic="robotics")
def differential_turn_rate_to_advance_heading(left: each(wheel_speed), right: each(wheel_speed), r: setting(wheel_radius), track: setting(track_width), theta: each(heading), dt: setting(time_step), heading_out: out(heading), turn_rate_out: maybe(out(turn_rate), 0.5)):
    names(r0="turn_rate|turn_rate_i|rate", r1="heading|heading_est|heading_i")
    i = wp.tid()
    r0 = differential_turn_rate(left[i], right[i], r, track)
    r1 = advance_heading(theta[i], r0, dt)
    heading_out[i] = r1
    if present(turn_rate_out):
        turn_rate_out[i] = r0


@scene("math", "combined", "struct", vehicle,
       says="computes the wrench of a force at a lever arm, torque below the force, and from it the power of a wrench on a moving body",
       title="compute_power|power_from_wrench|wrench_power_kernel|evaluate_power|power_step", topic="robotics")
def wrench_of_force_to_wrench_power(f: each(force), r: each(lever_arm), twist: each(twist), active: maybe(each(flag), 0.4), power_out: out(power), wrench_out: maybe(out(wrench), 0.5), total: maybe(add(power, 1), 0.3)):
    names(r0="wrench|wrench_of_force|wrench_now", r1="power|wrench_power|power_now", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = wrench_of_force(f[i], r[i])
    r1 = wrench_power(r0, twist[i])
    power_out[i] = r1
    if present(wrench_out):
        wrench_out[i] = r0
    if present(total):
        wp.atomic_add(total, 0, r1)


@scene("math", "arithmetic", "struct", joint,
       says="computes the log odds that a cell is occupied, after a reading, and from it the probability of log odds",
       title="compute_probability|probability_from_log_odds|occupancy_probability_kernel|evaluate_probability|probability_step", topic="robotics")
def occupancy_update_to_occupancy_probability(odds: each(log_odds), reading: each(log_odds_increment), limit: setting(log_odds_limit), active: maybe(each(flag), 0.4), probability_out: out(probability), log_odds_out: maybe(out(log_odds), 0.5)):
    names(r0="log_odds|occupancy_update|log_odds_i", r1="probability|probability_i|probability_est", active="active|enabled|mask")
    i = wp.tid()
    if present(active):
        if active[i] == 0:
            return
    r0 = occupancy_update(odds[i], reading[i], limit)
    r1 = occupancy_probability(r0)
    probability_out[i] = r1
    if present(log_odds_out):
        log_odds_out[i] = r0
