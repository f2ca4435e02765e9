"""Games and robots: a short chain of formulas for each agent, joint or vehicle."""


@scene("arithmetic", agent,
       says="applies hits to agents: armor takes a part of the damage, health does not fall below zero",
       title="apply_damage|damage_after_armor|hit_points_after_hit", topic="")
def armored_damage_to_health_after_hit(hit_damage: each(damage), armor: each(armor), health: each(health), health_left: out(health), damage_dealt: maybe(out(damage), 0.5)):
    names(r0="damage|dealt", r1="hp|left", hit_damage="hit_damage|hit_damage", armor="armor|armor", health="health|health", health_left="health_left|health_left_out", damage_dealt="damage_dealt|damage_dealt_out")
    i = wp.tid()
    r0 = armored_damage(hit_damage[i], armor[i])
    r1 = health_after_hit(health[i], r0)
    health_left[i] = r1
    if present(damage_dealt):
        damage_dealt[i] = r0


@scene("function", "vector", agent,
       says="steers agents towards their goal at top speed, from a velocity that is limited first",
       title="seek_steering|steer_to_goal|seek_goal", topic="")
def limit_speed_to_seek_steering(velocity: each(velocity), top_speed: setting(top_speed), position_of: each(position), goal: each(position), steering: out(acceleration), limited_velocity: maybe(out(velocity), 0.5)):
    names(r0="v|vel", r1="steer|acc", velocity="velocity|velocity", top_speed="top_speed|top_speed", position_of="position|position_i", goal="goal|goal", steering="steering|steering_out", limited_velocity="limited_velocity|limited_velocity_out")
    i = wp.tid()
    r0 = limit_speed(velocity[i], top_speed)
    r1 = seek_steering(position_of[i], goal[i], r0, top_speed)
    steering[i] = r1
    if present(limited_velocity):
        limited_velocity[i] = r0


@scene("math", "vector", agent,
       says="steers agents towards their goal and slows them down near it",
       title="arrive_steering|steer_to_goal|arrive_at_goal", topic="")
def limit_speed_to_arrive_steering(velocity: each(velocity), position: each(position), goal: each(position), slow_radius: each(distance, range=(0.2, 5.0)), max_speed: setting(top_speed), steering: out(acceleration), limited_velocity: maybe(out(velocity), 0.5)):
    names(v="v|vel", to_goal="to_goal|offset", d="dist|d", speed="speed|desired_speed", velocity="velocity|vel_in", position="position|pos", goal="goal|goals", slow_radius="slow_radius|slowing_radius", max_speed="max_speed|top_speed", steering="steering|acc_out", limited_velocity="limited_velocity|velocity_out")
    i = wp.tid()
    v = limit_speed(velocity[i], max_speed)
    if present(limited_velocity):
        limited_velocity[i] = v
    to_goal = goal[i] - position[i]
    d = wp.length(to_goal)
    note("at the goal: only brake|arrived")
    if d < constant("EPS|ARRIVED_EPS", 1.0e-6):
        steering[i] = -v
        return
    speed = max_speed * wp.min(d / slow_radius[i], 1.0)
    steering[i] = to_goal * (speed / d) - v


@scene("arithmetic", "vector", agent,
       says="computes where to aim so that a shot meets a moving target, whose speed is limited",
       title="aim_ahead|lead_target|intercept_point", topic="")
def limit_speed_to_lead_position(target_velocity: each(velocity), top_speed: setting(top_speed), target_position: each(position), target_distance: each(distance), shot_speed: setting(shot_speed), aim_point: out(position), limited_velocity: maybe(out(velocity), 0.5)):
    names(r0="v|target_vel", r1="aim|lead", target_velocity="target_velocity|target_velocity", top_speed="top_speed|top_speed", target_position="target_position|target_position", target_distance="target_distance|target_distance", shot_speed="shot_speed|shot_speed", aim_point="aim_point|aim_point_out", limited_velocity="limited_velocity|limited_velocity_out")
    i = wp.tid()
    r0 = limit_speed(target_velocity[i], top_speed)
    r1 = lead_position(target_position[i], r0, target_distance[i], shot_speed)
    aim_point[i] = r1
    if present(limited_velocity):
        limited_velocity[i] = r0


@scene("arithmetic", "function", "scalar_param", joint,
       says="drives joints along a path without jerk at its ends and advances their speed",
       title="track_minimum_jerk|follow_minimum_jerk|drive_to_profile", topic="")
def minimum_jerk_to_advance_joint_speed(start_angle: each(joint_angle), goal_angle: each(joint_angle), phase: each(ratio), joint_q: each(joint_angle), joint_qd: each(joint_speed), stiffness: setting(joint_stiffness), damping: setting(joint_damping), joint_inertia: each(moment_of_inertia), dt: setting(time_step), joint_qd_out: out(joint_speed), desired_angle: maybe(out(joint_angle), 0.5), drive_torque: maybe(out(joint_torque), 0.5)):
    names(r0="target_q|q_des", r1="torque|drive", r2="qd_new|speed_next", start_angle="start_angle|start_angle", goal_angle="goal_angle|goal_angle", phase="phase|phase", joint_q="joint_q|joint_q", joint_qd="joint_qd|joint_qd", stiffness="stiffness|stiffness", damping="damping|damping", joint_inertia="joint_inertia|joint_inertia", joint_qd_out="joint_qd_out|new_joint_qd", desired_angle="desired_angle|desired_angle_out", drive_torque="drive_torque|drive_torque_out")
    i = wp.tid()
    r0 = minimum_jerk(start_angle[i], goal_angle[i], phase[i])
    r1 = joint_drive_torque(r0, joint_q[i], joint_qd[i], stiffness, damping)
    r2 = advance_joint_speed(joint_qd[i], r1, joint_inertia[i], dt)
    joint_qd_out[i] = r2
    if present(desired_angle):
        desired_angle[i] = r0
    if present(drive_torque):
        drive_torque[i] = r1


@scene("arithmetic", "math", "scalar_param", joint,
       says="computes the command of a PID controller from setpoint, measured value, last error and integral",
       title="pid_command|pid_output|controller_output", topic="")
def control_error_of_to_pid_command(setpoints: each(setpoint), measured: each(process_value), last_error: each(control_error), dt: setting(time_step), error_integral: each(error_integral), kp: setting(proportional_gain), ki: setting(integral_gain), kd: setting(derivative_gain), command: out(control_command), error_out: maybe(out(control_error), 0.5), error_rate: maybe(out(error_rate), 0.5)):
    names(r0="err|e", r1="rate|de", r2="cmd|u", setpoints="setpoints|setpoints", measured="measured|measured", last_error="last_error|last_error", error_integral="error_integral|error_integral", kp="kp|kp", ki="ki|ki", kd="kd|kd", command="command|command_out", error_out="error_out|new_error", error_rate="error_rate|error_rate_out")
    i = wp.tid()
    r0 = control_error_of(setpoints[i], measured[i])
    r1 = error_rate_of(r0, last_error[i], dt)
    r2 = pid_command(r0, error_integral[i], r1, kp, ki, kd)
    command[i] = r2
    if present(error_out):
        error_out[i] = r0
    if present(error_rate):
        error_rate[i] = r1


@scene("math", "scalar_param", joint,
       says="computes the command of a PID controller whose integral and output are both limited",
       title="pid_anti_windup|saturated_pid|limited_pid_command", topic="")
def anti_windup_integral_to_saturate_command(error_integral: each(error_integral), control_error_in: each(control_error), dt: setting(time_step), integral_limit: setting(integral_limit), error_rate: each(error_rate), kp: setting(proportional_gain), ki: setting(integral_gain), kd: setting(derivative_gain), command_limit: setting(command_limit), command: out(control_command), integral_out: maybe(out(error_integral), 0.5)):
    names(r0="integral|acc", r1="raw|unlimited", r2="cmd|u", error_integral="error_integral|error_integral", control_error_in="control_error_in|control_error_in", integral_limit="integral_limit|integral_limit", error_rate="error_rate|error_rate", kp="kp|kp", ki="ki|ki", kd="kd|kd", command_limit="command_limit|command_limit", command="command|command_out", integral_out="integral_out|new_integral")
    i = wp.tid()
    r0 = anti_windup_integral(error_integral[i], control_error_in[i], dt, integral_limit)
    r1 = pid_command(control_error_in[i], r0, error_rate[i], kp, ki, kd)
    r2 = saturate_command(r1, command_limit)
    command[i] = r2
    if present(integral_out):
        integral_out[i] = r0


@scene("arithmetic", "math", "scalar_param", joint,
       says="advances joints driven by motors whose torque falls with their speed",
       title="motor_joint_step|drive_joint|spin_up_joint", topic="")
def motor_torque_to_advance_joint(stall_torque: setting(stall_torque), no_load_speed: setting(no_load_speed), joint_qd: each(joint_speed), joint_inertia: each(moment_of_inertia), dt: setting(time_step), joint_q: each(joint_angle), joint_q_out: out(joint_angle), motor_torque_of: maybe(out(joint_torque), 0.5), joint_qd_out: maybe(out(joint_speed), 0.5)):
    names(r0="torque|tau_m", r1="qd_new|speed", r2="q_new|angle_i", stall_torque="stall_torque|stall_torque", no_load_speed="no_load_speed|no_load_speed", joint_qd="joint_qd|joint_qd", joint_inertia="joint_inertia|joint_inertia", joint_q="joint_q|joint_q", joint_q_out="joint_q_out|new_joint_q", motor_torque_of="motor_torque|motor_torque_out", joint_qd_out="joint_qd_out|new_joint_qd")
    i = wp.tid()
    r0 = motor_torque(stall_torque, joint_qd[i], no_load_speed)
    r1 = advance_joint_speed(joint_qd[i], r0, joint_inertia[i], dt)
    r2 = advance_joint(joint_q[i], r1, dt)
    joint_q_out[i] = r2
    if present(motor_torque_of):
        motor_torque_of[i] = r0
    if present(joint_qd_out):
        joint_qd_out[i] = r1


@scene("arithmetic", "vector", vehicle,
       says="moves cars by one step of the kinematic bicycle model",
       title="drive_step|advance_cars|steer_and_move", topic="")
def bicycle_turn_rate_to_advance_vehicle(forward_speed: each(axial_velocity), steering: each(steering_angle), wheelbase: setting(wheelbase), heading: each(heading), dt: setting(time_step), place_in: each(point2), place_next: out(point2), yaw_rate_out: maybe(out(turn_rate), 0.5), heading_next: maybe(out(heading), 0.5)):
    names(r0="yaw_rate|w", r1="yaw|psi", r2="place|pos", forward_speed="forward_speed|forward_speed", steering="steering|steering", wheelbase="wheelbase|wheelbase", heading="heading|heading", place_in="place_in|place_in", place_next="place_next|place_next_out", yaw_rate_out="yaw_rate_out|new_yaw_rate", heading_next="heading_next|heading_next_out")
    i = wp.tid()
    r0 = bicycle_turn_rate(forward_speed[i], steering[i], wheelbase)
    r1 = advance_heading(heading[i], r0, dt)
    r2 = advance_vehicle(place_in[i], r1, forward_speed[i], dt)
    place_next[i] = r2
    if present(yaw_rate_out):
        yaw_rate_out[i] = r0
    if present(heading_next):
        heading_next[i] = r1


@scene("math", "arithmetic", "scalar_param", vehicle,
       says="steers cars towards a path point ahead by pure pursuit and turns them by one step",
       title="pursue_path|pure_pursuit|follow_path", topic="")
def pure_pursuit_steering_to_advance_heading(bearing: each(bearing), lookahead: setting(lookahead), wheelbase: setting(wheelbase), forward_speed: each(axial_velocity), heading: each(heading), dt: setting(time_step), heading_next: out(heading), steering: maybe(out(steering_angle), 0.5), yaw_rate_out: maybe(out(turn_rate), 0.5)):
    names(r0="steer|delta", r1="yaw_rate|w", r2="yaw|psi", bearing="bearing|bearing", lookahead="lookahead|lookahead", wheelbase="wheelbase|wheelbase", forward_speed="forward_speed|forward_speed", heading="heading|heading", heading_next="heading_next|heading_next_out", steering="steering|steering_out", yaw_rate_out="yaw_rate_out|new_yaw_rate")
    i = wp.tid()
    r0 = pure_pursuit_steering(bearing[i], lookahead, wheelbase)
    r1 = bicycle_turn_rate(forward_speed[i], r0, wheelbase)
    r2 = advance_heading(heading[i], r1, dt)
    heading_next[i] = r2
    if present(steering):
        steering[i] = r0
    if present(yaw_rate_out):
        yaw_rate_out[i] = r1


@scene("function", "arithmetic", "scalar_param", joint,
       says="advances joints by a step and computes the torque that pushes them back inside their limits",
       title="joint_limit_torques|limit_torque_after_step|predict_limit_torque", topic="")
def advance_joint_speed_to_joint_limit_torque(joint_qd: each(joint_speed), joint_torque_in: each(joint_torque), joint_inertia: each(moment_of_inertia), dt: setting(time_step), joint_q: each(joint_angle), lower_limit_of: each(lower_limit), upper_limit_of: each(upper_limit), limit_stiffness: setting(joint_stiffness), limit_torque: out(joint_torque), joint_qd_out: maybe(out(joint_speed), 0.5), joint_q_out: maybe(out(joint_angle), 0.5)):
    names(r0="qd_new|speed", r1="q_new|angle_i", r2="torque|push", joint_qd="joint_qd|joint_qd", joint_torque_in="joint_torque_in|joint_torque_in", joint_inertia="joint_inertia|joint_inertia", joint_q="joint_q|joint_q", lower_limit_of="lower_limit|lower_limit_i", upper_limit_of="upper_limit|upper_limit_i", limit_stiffness="limit_stiffness|limit_stiffness", limit_torque="limit_torque|limit_torque_out", joint_qd_out="joint_qd_out|new_joint_qd", joint_q_out="joint_q_out|new_joint_q")
    i = wp.tid()
    r0 = advance_joint_speed(joint_qd[i], joint_torque_in[i], joint_inertia[i], dt)
    r1 = advance_joint(joint_q[i], r0, dt)
    r2 = joint_limit_torque(r1, lower_limit_of[i], upper_limit_of[i], limit_stiffness)
    limit_torque[i] = r2
    if present(joint_qd_out):
        joint_qd_out[i] = r0
    if present(joint_q_out):
        joint_q_out[i] = r1


@scene("arithmetic", "math", "struct", robot,
       says="computes the elbow angle with which a planar arm of two links reaches a point, and its manipulability there",
       title="arm_manipulability|planar_arm_reach|reach_quality", topic="")
def elbow_for_reach_to_arm_manipulability(hand_target: each(point2), upper_length: each(link_length), lower_length: each(link_length), manipulability_of: out(manipulability), elbow_angle: out(elbow_angle)):
    names(r0="elbow|q2", r1="quality|w", hand_target="hand_target|hand_target", upper_length="upper_length|upper_length", lower_length="lower_length|lower_length", manipulability_of="manipulability|manipulability_out", elbow_angle="elbow_angle|elbow_angle_out")
    i = wp.tid()
    r0 = elbow_for_reach(hand_target[i], upper_length[i], lower_length[i])
    r1 = arm_manipulability(r0, upper_length[i], lower_length[i])
    manipulability_of[i] = r1
    if present(elbow_angle):
        elbow_angle[i] = r0


@scene("math", "function", "scalar_param", robot,
       says="advances the heading of two-wheeled robots from the speeds of their wheels",
       title="differential_drive_heading|wheel_odometry_heading|turn_by_wheels", topic="")
def differential_turn_rate_to_advance_heading(left_wheel: each(wheel_speed), right_wheel: each(wheel_speed), wheel_radius: setting(wheel_radius), track_width: setting(track_width), heading: each(heading), dt: setting(time_step), heading_next: out(heading), yaw_rate_out: maybe(out(turn_rate), 0.5)):
    names(r0="yaw_rate|w", r1="yaw|psi", left_wheel="left_wheel|left_wheel", right_wheel="right_wheel|right_wheel", wheel_radius="wheel_radius|wheel_radius", track_width="track_width|track_width", heading="heading|heading", heading_next="heading_next|heading_next_out", yaw_rate_out="yaw_rate_out|new_yaw_rate")
    i = wp.tid()
    r0 = differential_turn_rate(left_wheel[i], right_wheel[i], wheel_radius, track_width)
    r1 = advance_heading(heading[i], r0, dt)
    heading_next[i] = r1
    if present(yaw_rate_out):
        yaw_rate_out[i] = r0


@scene("math", "struct", body,
       says="computes the wrench of a force at a lever arm and its power on a moving body",
       title="wrench_power|force_power_on_body|power_of_wrench", topic="")
def wrench_of_force_to_wrench_power(force_in: each(force), lever_arm_of: each(lever_arm), body_twist: each(twist), power_of_force: out(power), body_wrench: out(wrench), total_power: maybe(add(power, 1), 0.3)):
    names(r0="wrench|w_ext", r1="power|p", force_in="force_in|force_in", lever_arm_of="lever_arm|lever_arm_i", body_twist="body_twist|body_twist", power_of_force="power_of_force|power_of_force_out", body_wrench="body_wrench|body_wrench_out", total_power="total_power|total_power")
    i = wp.tid()
    r0 = wrench_of_force(force_in[i], lever_arm_of[i])
    r1 = wrench_power(r0, body_twist[i])
    power_of_force[i] = r1
    if present(body_wrench):
        body_wrench[i] = r0
    if present(total_power):
        wp.atomic_add(total_power, 0, r1)


@scene("math", "arithmetic", "struct", cell,
       says="updates the log odds of occupancy cells by a reading, within limits, and their probability",
       title="occupancy_update|update_occupancy|fuse_scan", topic="")
def occupancy_update_to_occupancy_probability(log_odds_of: each(log_odds), reading: each(log_odds_increment), log_odds_limit: setting(log_odds_limit), occupancy: out(probability), log_odds_next: out(log_odds)):
    names(r0="odds|log_odds_new", r1="p|prob", log_odds_of="log_odds|log_odds_i", reading="reading|reading", log_odds_limit="log_odds_limit|log_odds_limit", occupancy="occupancy|occupancy_out", log_odds_next="log_odds_next|log_odds_next_out")
    i = wp.tid()
    r0 = occupancy_update(log_odds_of[i], reading[i], log_odds_limit)
    r1 = occupancy_probability(r0)
    occupancy[i] = r1
    if present(log_odds_next):
        log_odds_next[i] = r0
