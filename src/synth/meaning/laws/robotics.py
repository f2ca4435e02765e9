"""Joints, wheels, controllers and sensors."""


@law("robotics", "the command of a PID controller")
def pid_command(error: control_error, integral: error_integral, rate: error_rate, kp: proportional_gain, ki: integral_gain, kd: derivative_gain) -> control_command:
    return kp * error + ki * integral + kd * rate


@law("robotics", "the error of a controlled value")
def control_error_of(goal: setpoint, now: process_value) -> control_error:
    return goal - now


@law("robotics", "the error summed over time, held within limits")
def anti_windup_integral(sum: error_integral, error: control_error, dt: time_step, limit: integral_limit) -> error_integral:
    return wp.clamp(sum + error * dt, -limit, limit)


@law("robotics", "how fast the error changes")
def error_rate_of(error: control_error, last: control_error, dt: time_step) -> error_rate:
    return (error - last) / dt


@law("robotics", "a command held within what the drive can do")
def saturate_command(u: control_command, limit: command_limit) -> control_command:
    return wp.clamp(u, -limit, limit)


@law("robotics", "the torque of a joint that is pulled to its target and damped")
def joint_drive_torque(goal: joint_angle, q: joint_angle, qd: joint_speed, ke: joint_stiffness, kd: joint_damping) -> joint_torque:
    return ke * (goal - q) - kd * qd


@law("robotics", "the torque that pushes a joint back inside its limits")
def joint_limit_torque(q: joint_angle, low: lower_limit, high: upper_limit, ke: joint_stiffness) -> joint_torque:
    if q < low:
        return ke * (low - q)
    if q > high:
        return ke * (high - q)
    return 0.0


@law("robotics", "the angle of a joint after a step")
def advance_joint(q: joint_angle, qd: joint_speed, dt: time_step) -> joint_angle:
    return q + qd * dt


@law("robotics", "the speed of a joint after a step")
def advance_joint_speed(qd: joint_speed, tau: joint_torque, inertia: moment_of_inertia, dt: time_step) -> joint_speed:
    return qd + tau / inertia * dt


@law("robotics", "where the hand of a planar arm with two links is")
def two_link_position(qa: joint_angle, qb: elbow_angle, la: link_length, lb: link_length) -> point2:
    both = qa + qb
    return wp.vec2(la * wp.cos(qa) + lb * wp.cos(both), la * wp.sin(qa) + lb * wp.sin(both))


@law("robotics", "the elbow angle with which a planar arm reaches a point, stretched or folded where it cannot")
def elbow_for_reach(p: point2, la: link_length, lb: link_length) -> elbow_angle:
    c = (wp.dot(p, p) - la * la - lb * lb) / (2.0 * la * lb)
    return wp.acos(wp.clamp(c, -1.0, 1.0))


@law("robotics", "how well a planar arm can move, the determinant of its Jacobian")
def arm_manipulability(qb: elbow_angle, la: link_length, lb: link_length) -> manipulability:
    return wp.abs(la * lb * wp.sin(qb))


@law("robotics", "the forward speed of a two-wheeled robot")
def differential_speed(left: wheel_speed, right: wheel_speed, r: wheel_radius) -> axial_velocity:
    return 0.5 * r * (left + right)


@law("robotics", "the turning rate of a two-wheeled robot")
def differential_turn_rate(left: wheel_speed, right: wheel_speed, r: wheel_radius, track: track_width) -> turn_rate:
    return r * (right - left) / track


@law("robotics", "the turning rate of a car by the bicycle model")
def bicycle_turn_rate(v: axial_velocity, steer: steering_angle, wheelbase: wheelbase) -> turn_rate:
    return v * wp.tan(steer) / wheelbase


@law("robotics", "the heading after a step")
def advance_heading(theta: heading, rate: turn_rate, dt: time_step) -> heading:
    return theta + rate * dt


@law("robotics", "the place of a vehicle after a step along its heading")
def advance_vehicle(p: point2, theta: heading, v: axial_velocity, dt: time_step) -> point2:
    return p + wp.vec2(wp.cos(theta), wp.sin(theta)) * (v * dt)


@law("robotics", "the steering that follows a path point ahead, by pure pursuit")
def pure_pursuit_steering(bearing: bearing, reach: lookahead, wheelbase: wheelbase) -> steering_angle:
    return wp.atan(2.0 * wheelbase * wp.sin(bearing) / reach)


@law("robotics", "the steering of Stanley's controller", needs=(v > 0.05,))
def stanley_steering(heading_error: heading, offset: cross_track_error, v: speed, k: proportional_gain, limit: steering_limit) -> steering_angle:
    raw = heading_error + wp.atan(k * offset / v)
    return wp.clamp(raw, -limit, limit)


@law("robotics", "the tilt from a gyroscope and an accelerometer by a complementary filter")
def complementary_tilt(tilt: tilt_angle, gyro: turn_rate, accel: tilt_angle, dt: time_step, blend: smoothing_alpha) -> tilt_angle:
    return blend * (tilt + gyro * dt) + (1.0 - blend) * accel


@law("robotics", "the log odds that a cell is occupied, after a reading")
def occupancy_update(odds: log_odds, reading: log_odds_increment, limit: log_odds_limit) -> log_odds:
    return wp.clamp(odds + reading, -limit, limit)


@law("robotics", "the probability of log odds")
def occupancy_probability(odds: log_odds) -> probability:
    return 1.0 - 1.0 / (1.0 + wp.exp(odds))


@law("robotics", "the thrust of a propeller")
def propeller_thrust(ct: thrust_coefficient, rpm: rotor_speed) -> lift:
    return ct * rpm * rpm


@law("robotics", "the torque of a motor at a speed")
def motor_torque(stall: stall_torque, w: angular_speed, free: no_load_speed) -> joint_torque:
    return stall * (1.0 - w / free)


@law("robotics", "the position on a smooth path between two angles, without jerk at the ends")
def minimum_jerk(start: joint_angle, goal: joint_angle, u: ratio) -> joint_angle:
    s = u * u * u * (10.0 - u * (15.0 - 6.0 * u))
    return start + (goal - start) * s


@law("robotics", "the speed of a trapezoid profile at a time")
def trapezoid_speed(top: top_speed, rise: rise_fraction, u: ratio) -> speed:
    if u < rise:
        return top * u / rise
    if u > 1.0 - rise:
        return top * (1.0 - u) / rise
    return top


@law("robotics", "the attraction of a goal, conic far away and parabolic near")
def goal_potential(d: distance, near: distance, k: stiffness) -> potential_value:
    if d <= near:
        return 0.5 * k * d * d
    return k * near * (d - 0.5 * near)


@law("robotics", "the repulsion of an obstacle within its reach", needs=(d > 0.05, reach > 0.05))
def obstacle_potential(d: distance, reach: distance, k: stiffness) -> potential_value:
    if d >= reach:
        return 0.0
    x = 1.0 / d - 1.0 / reach
    return 0.5 * k * x * x


@law("robotics", "the wrench of a force at a lever arm, torque below the force")
def wrench_of_force(f: force, r: lever_arm) -> wrench:
    return wp.spatial_vector(f, wp.cross(r, f))


@law("robotics", "the power of a wrench on a moving body")
def wrench_power(w: wrench, twist: twist) -> power:
    return wp.dot(w, twist)
