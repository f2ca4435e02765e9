"""Sound, money, rotations, learning, signals and statistics: a short chain of formulas for each element."""


@scene("math", time_sample,
       says="computes the place of notes of the tempered scale on the Bark scale",
       title="note_to_bark|bark_of_notes|critical_band", topic="")
def note_frequency_to_hertz_to_bark(midi_note: each(midi_note), bark_scale: out(bark_value), frequency_hz: maybe(out(pitch_frequency), 0.5)):
    names(r0="freq|hz", r1="bark|z", midi_note="midi_note|midi_note", bark_scale="bark_scale|bark_scale_out", frequency_hz="frequency_hz|frequency_hz_out")
    i = wp.tid()
    r0 = note_frequency(midi_note[i])
    r1 = hertz_to_bark(r0)
    bark_scale[i] = r1
    if present(frequency_hz):
        frequency_hz[i] = r0


@scene("arithmetic", "multi_conditional", time_sample,
       says="computes the gain of a compressor with a soft knee for each input level in decibels",
       title="compressor_gain|soft_knee_gain|gain_computer", topic="")
def soft_knee_level_to_decibels_to_gain(level_db: each(level_db), threshold_db: setting(threshold_db), ratio: setting(compression), knee_width: setting(knee_width), gains: out(gain), compressed_level: maybe(out(level_db), 0.5)):
    names(r0="target|level_out", r1="gain|g", level_db="level_db|level_db", threshold_db="threshold_db|threshold_db", ratio="ratio|ratio", knee_width="knee_width|knee_width", gains="gains|gains_out", compressed_level="compressed_level|compressed_level_out")
    i = wp.tid()
    r0 = soft_knee_level(level_db[i], threshold_db, ratio, knee_width)
    r1 = decibels_to_gain(r0 - level_db[i])
    gains[i] = r1
    if present(compressed_level):
        compressed_level[i] = r0


@scene("function", "arithmetic", "struct", item,
       says="computes the reverberation time of rooms by Sabine, and the factor per sample that decays by sixty decibels in it",
       title="reverb_decay|room_decay_factor|feedback_gain", topic="")
def sabine_reverberation_to_decay_per_sample(room_volume: each(room_volume), absorption_area: each(absorption_area), sample_rate: setting(sample_rate), decay_factor: out(gain), rt60_of: out(reverb_time)):
    names(r0="rt60|reverb", r1="decay|factor_s", room_volume="room_volume|room_volume", absorption_area="absorption_area|absorption_area", sample_rate="sample_rate|sample_rate", decay_factor="decay_factor|decay_factor_out", rt60_of="rt60|rt60_out")
    i = wp.tid()
    r0 = sabine_reverberation(room_volume[i], absorption_area[i])
    r1 = decay_per_sample(r0, sample_rate)
    decay_factor[i] = r1
    if present(rt60_of):
        rt60_of[i] = r0


@scene("arithmetic", time_sample,
       says="computes by how many cents each pitch is off its note on the tempered scale",
       title="detune_in_cents|tuning_error|cents_from_note", topic="")
def note_frequency_to_pitch_cents(midi_note: each(midi_note), measured_hz: each(pitch_frequency), cents: out(cents), note_frequency_of: maybe(out(pitch_frequency), 0.5)):
    names(r0="ideal|note_hz", r1="off|cents_i", midi_note="midi_note|midi_note", measured_hz="measured_hz|measured_hz", cents="cents|cents_out", note_frequency_of="note_frequency|note_frequency_out")
    i = wp.tid()
    r0 = note_frequency(midi_note[i])
    r1 = pitch_cents(r0, measured_hz[i])
    cents[i] = r1
    if present(note_frequency_of):
        note_frequency_of[i] = r0


@scene("function", "math", time_sample,
       says="computes the A-weighting of the notes of the tempered scale, as a factor before normalisation",
       title="a_weight_notes|a_weighting|loudness_weight", topic="")
def note_frequency_to_a_weighting_factor(midi_note: each(midi_note), a_weight: out(gain), frequency_hz: maybe(out(pitch_frequency), 0.5)):
    names(r0="freq|hz", r1="weight|a_w", midi_note="midi_note|midi_note", a_weight="a_weight|a_weight_out", frequency_hz="frequency_hz|frequency_hz_out")
    i = wp.tid()
    r0 = note_frequency(midi_note[i])
    r1 = a_weighting_factor(r0)
    a_weight[i] = r1
    if present(frequency_hz):
        frequency_hz[i] = r0


@scene("arithmetic", "struct", asset,
       says="computes the volatility and the Sharpe ratio of portfolios of two correlated assets",
       title="pair_sharpe_ratio|two_asset_sharpe|portfolio_sharpe", topic="")
def pair_volatility_to_sharpe_ratio(weight_a: each(ratio), volatility_a: each(volatility), volatility_b: each(volatility), correlation: each(correlation), expected_return: each(asset_return), risk_free_rate: setting(interest_rate), sharpe_ratio_of: out(risk_ratio), portfolio_volatility: out(volatility)):
    names(r0="vol|sigma_p", r1="sharpe|ratio_i", weight_a="weight_a|weight_a", volatility_a="volatility_a|volatility_a", volatility_b="volatility_b|volatility_b", correlation="correlation|correlation", expected_return="expected_return|expected_return", risk_free_rate="risk_free_rate|risk_free_rate", sharpe_ratio_of="sharpe_ratio|sharpe_ratio_out", portfolio_volatility="portfolio_volatility|portfolio_volatility_out")
    i = wp.tid()
    r0 = pair_volatility(weight_a[i], volatility_a[i], volatility_b[i], correlation[i])
    r1 = sharpe_ratio(expected_return[i], risk_free_rate, r0)
    sharpe_ratio_of[i] = r1
    if present(portfolio_volatility):
        portfolio_volatility[i] = r0


@scene("function", "math", "scalar_param", asset,
       says="updates the variance of daily returns by GARCH from the last logarithmic return",
       title="garch_update|garch_variance|update_volatility", algorithm="GARCH(1,1)", topic="")
def log_return_to_garch_variance(price: each(price), previous_price: each(price), variance: each(variance), omega: setting(base_variance), alpha: setting(shock_weight), beta: setting(persistence), next_variance: out(variance), log_returns: maybe(out(asset_return), 0.5)):
    names(r0="ret|log_ret", r1="var_next|sigma2", price="price|price", previous_price="previous_price|previous_price", variance="variance|variance", omega="omega|omega", alpha="alpha|alpha", beta="beta|beta", next_variance="next_variance|next_variance_out", log_returns="log_returns|log_returns_out")
    i = wp.tid()
    r0 = log_return(price[i], previous_price[i])
    r1 = garch_variance(variance[i], r0, omega, alpha, beta)
    next_variance[i] = r1
    if present(log_returns):
        log_returns[i] = r0


@scene("arithmetic", "math", "scalar_param", asset,
       says="computes the expected return of assets by the capital asset pricing model and their Sharpe ratio",
       title="capm_sharpe|expected_sharpe|reward_for_risk", topic="")
def capital_asset_return_to_sharpe_ratio(risk_free_rate: setting(interest_rate), beta: each(market_beta), market_return: setting(market_return), volatility: each(volatility), sharpe: out(risk_ratio), expected_return: out(asset_return)):
    names(r0="expected|ret", r1="sharpe|ratio_i", risk_free_rate="risk_free_rate|risk_free_rate", beta="beta|beta", market_return="market_return|market_return", volatility="volatility|volatility", sharpe="sharpe|sharpe_out", expected_return="expected_return|expected_return_out")
    i = wp.tid()
    r0 = capital_asset_return(risk_free_rate, beta[i], market_return)
    r1 = sharpe_ratio(r0, risk_free_rate, volatility[i])
    sharpe[i] = r1
    if present(expected_return):
        expected_return[i] = r0


@scene("arithmetic", "vector", "quaternion", keyframe,
       says="blends two orientations on the short arc and computes the heading of the result as a direction in the plane",
       title="blended_heading|heading_between_keyframes|slerp_heading", topic="")
def slerp_orientation_to_direction_at_angle(q_start: each(rotation), q_end: each(rotation), blend_factor: each(ratio), heading_direction: out(plane_direction), blended: maybe(out(rotation), 0.5), yaw_angle: maybe(out(heading), 0.5)):
    names(r0="q|blend", r1="yaw|psi", r2="dir2|forward", q_start="q_start|q_start", q_end="q_end|q_end", blend_factor="blend_factor|blend_factor", heading_direction="heading_direction|heading_direction_out", blended="blended|blended_out", yaw_angle="yaw_angle|yaw_angle_out")
    i = wp.tid()
    r0 = slerp_orientation(q_start[i], q_end[i], blend_factor[i])
    r1 = yaw_of(r0)
    r2 = direction_at_angle(r1)
    heading_direction[i] = r2
    if present(blended):
        blended[i] = r0
    if present(yaw_angle):
        yaw_angle[i] = r1


@scene("arithmetic", "function", "quaternion", body,
       says="turns each body by its angular velocity and keeps only the turn about the vertical axis",
       title="upright_orientation|yaw_only_orientation|keep_upright", topic="")
def advance_orientation_to_orientation_from_heading(rotation: each(rotation), omega: each(angular_velocity), dt: setting(time_step), upright_rotation: out(rotation), yaw_angle: maybe(out(heading), 0.5)):
    names(r0="q_next|turned", r1="yaw|psi", r2="upright|q_yaw", rotation="rotation|rotation", omega="omega|omega", upright_rotation="upright_rotation|upright_rotation_out", yaw_angle="yaw_angle|yaw_angle_out")
    i = wp.tid()
    r0 = advance_orientation(rotation[i], omega[i], dt)
    r1 = yaw_of(r0)
    r2 = orientation_from_heading(r1)
    upright_rotation[i] = r2
    if present(yaw_angle):
        yaw_angle[i] = r1


@scene("function", "vector", face,
       says="computes a unit tangent for each triangle, at right angles to its normal",
       title="face_tangents|tangent_of_faces|triangle_frames", topic="")
def triangle_normal_to_any_tangent(corner_a: each(position), corner_b: each(position), corner_c: each(position), tangents: out(tangent), normals: maybe(out(normal), 0.5)):
    names(r0="n|normal_f", r1="tangent|t", corner_a="corner_a|corner_a", corner_b="corner_b|corner_b", corner_c="corner_c|corner_c", tangents="tangents|tangents_out", normals="normals|normals_out")
    i = wp.tid()
    r0 = triangle_normal(corner_a[i], corner_b[i], corner_c[i])
    r1 = any_tangent(r0)
    tangents[i] = r1
    if present(normals):
        normals[i] = r0


@scene("function", "math", "vector", face,
       says="computes the cosine between the normal of each triangle and the direction to the light, zero for those that face away",
       title="face_lighting|lambert_cosine|cosine_to_light", topic="")
def triangle_normal_to_clamped_cosine(corner_a: each(position), corner_b: each(position), corner_c: each(position), to_light: each(direction), cos_light: out(cosine), normals: maybe(out(normal), 0.5)):
    names(r0="n|normal_f", r1="cos_i|n_dot_l", corner_a="corner_a|corner_a", corner_b="corner_b|corner_b", corner_c="corner_c|corner_c", to_light="to_light|to_light", cos_light="cos_light|cos_light_out", normals="normals|normals_out")
    i = wp.tid()
    r0 = triangle_normal(corner_a[i], corner_b[i], corner_c[i])
    r1 = clamped_cosine(to_light[i], r0)
    cos_light[i] = r1
    if present(normals):
        normals[i] = r0


@scene("function", "vector", face,
       says="computes the part of a velocity that lies in the plane of each triangle",
       title="slide_on_faces|tangential_velocity|project_on_faces", topic="")
def triangle_normal_to_tangential_part(corner_a: each(position), corner_b: each(position), corner_c: each(position), velocity: each(velocity), tangential_velocity: out(velocity), normals: maybe(out(normal), 0.5)):
    names(r0="n|normal_f", r1="slide|v_tan", corner_a="corner_a|corner_a", corner_b="corner_b|corner_b", corner_c="corner_c|corner_c", velocity="velocity|velocity", tangential_velocity="tangential_velocity|tangential_velocity_out", normals="normals|normals_out")
    i = wp.tid()
    r0 = triangle_normal(corner_a[i], corner_b[i], corner_c[i])
    r1 = tangential_part(velocity[i], r0)
    tangential_velocity[i] = r1
    if present(normals):
        normals[i] = r0


@scene("arithmetic", "function", "vector", query,
       says="turns local points about the vertical axis by a heading that is first brought into one turn around zero",
       title="turn_by_heading|rotate_by_heading|place_by_heading", topic="")
def wrap_angle_to_pi_to_rotate_point(heading: each(heading), local_point: each(local_position), turned_point: out(position), wrapped_heading: maybe(out(heading), 0.5), orientation: maybe(out(rotation), 0.5)):
    names(r0="yaw|psi", r1="q|rot", r2="turned|world", heading="heading|heading", local_point="local_point|local_point", turned_point="turned_point|turned_point_out", wrapped_heading="wrapped_heading|wrapped_heading_out", orientation="orientation|orientation_out")
    i = wp.tid()
    r0 = wrap_angle_to_pi(heading[i])
    r1 = orientation_from_heading(r0)
    r2 = rotate_point(r1, local_point[i])
    turned_point[i] = r2
    if present(wrapped_heading):
        wrapped_heading[i] = r0
    if present(orientation):
        orientation[i] = r1


@scene("math", "arithmetic", "scalar_param", weight_index,
       says="clips the gradient and updates Adam's first moment, with the correction for its start at zero",
       title="adam_first_moment|corrected_first_moment|update_first_moment", topic="")
def clip_gradient_to_adam_corrected_first(grad: each(gradient), clip_limit: setting(gradient_limit), moment: each(moment_value), beta1: setting(adam_beta1), step_number: setting(steps_value), m_corrected: out(corrected_moment), clipped_grad: maybe(out(gradient), 0.5), moment_out: out(moment_value)):
    names(r0="g|clipped", r1="m_new|moment", r2="m_hat|corrected", grad="grad|grad", clip_limit="clip_limit|clip_limit", moment="moment|moment", beta1="beta1|beta1", step_number="step_number|step_number", m_corrected="m_corrected|m_corrected_out", clipped_grad="clipped_grad|clipped_grad_out", moment_out="moment_out|new_moment")
    i = wp.tid()
    r0 = clip_gradient(grad[i], clip_limit)
    r1 = adam_first_moment(moment[i], r0, beta1)
    r2 = adam_corrected_first(r1, beta1, step_number)
    m_corrected[i] = r2
    if present(clipped_grad):
        clipped_grad[i] = r0
    if present(moment_out):
        moment_out[i] = r1


@scene("function", "math", "scalar_param", weight_index,
       says="takes a step of gradient descent with a learning rate that warms up linearly",
       title="sgd_warmup|warmup_step|descent_with_warmup", topic="")
def warmup_schedule_to_gradient_step(base_lr: setting(learning_rate), step_number: setting(steps_value), warmup_steps: setting(warmup_steps), weights: each(parameter), grad: each(gradient), weights_out: out(parameter)):
    names(r0="lr|rate", r1="w_new|updated", base_lr="base_lr|base_lr", step_number="step_number|step_number", warmup_steps="warmup_steps|warmup_steps", weights="weights|weights", grad="grad|grad", weights_out="weights_out|new_weights")
    i = wp.tid()
    r0 = warmup_schedule(base_lr, step_number, warmup_steps)
    r1 = gradient_step(weights[i], grad[i], r0)
    weights_out[i] = r1


@scene("math", "arithmetic", "scalar_param", weight_index,
       says="takes a step of gradient descent with the gradient cut to a largest size",
       title="clipped_sgd|sgd_with_clipping|clipped_descent", topic="")
def clip_gradient_to_gradient_step(grad: each(gradient), clip_limit: setting(gradient_limit), weights: each(parameter), learning_rate: setting(learning_rate), weights_out: out(parameter), clipped_grad: maybe(out(gradient), 0.5)):
    names(r0="g|clipped", r1="w_new|updated", grad="grad|grad", clip_limit="clip_limit|clip_limit", weights="weights|weights", learning_rate="learning_rate|learning_rate", weights_out="weights_out|new_weights", clipped_grad="clipped_grad|clipped_grad_out")
    i = wp.tid()
    r0 = clip_gradient(grad[i], clip_limit)
    r1 = gradient_step(weights[i], r0, learning_rate)
    weights_out[i] = r1
    if present(clipped_grad):
        clipped_grad[i] = r0


@scene("math", "function", "scalar_param", weight_index,
       says="updates the velocity of gradient descent with momentum from a clipped gradient",
       title="clipped_momentum|momentum_update|heavy_ball_velocity", topic="")
def clip_gradient_to_momentum_velocity(grad: each(gradient), clip_limit: setting(gradient_limit), velocity_buffer: each(momentum_buffer), momentum: setting(momentum_factor), velocity_out: out(momentum_buffer), clipped_grad: maybe(out(gradient), 0.5)):
    names(r0="g|clipped", r1="v_new|vel", grad="grad|grad", clip_limit="clip_limit|clip_limit", velocity_buffer="velocity_buffer|velocity_buffer", momentum="momentum|momentum", velocity_out="velocity_out|new_velocity", clipped_grad="clipped_grad|clipped_grad_out")
    i = wp.tid()
    r0 = clip_gradient(grad[i], clip_limit)
    r1 = momentum_velocity(velocity_buffer[i], r0, momentum)
    velocity_out[i] = r1
    if present(clipped_grad):
        clipped_grad[i] = r0


@scene("arithmetic", "scalar_param", sample,
       says="updates action values by Q-learning with a learning rate that falls along a cosine",
       title="q_learning_update|q_update|update_action_values", algorithm="Q-learning", topic="")
def cosine_schedule_to_q_update(base_lr: setting(learning_rate), step_number: setting(steps_value), total_steps: setting(total_steps), q_values: each(action_value), reward: each(reward), best_next: each(next_value), discount: setting(discount), q_out: out(action_value)):
    names(r0="lr|rate", r1="q_new|updated", base_lr="base_lr|base_lr", step_number="step_number|step_number", total_steps="total_steps|total_steps", q_values="q_values|q_values", reward="reward|reward", best_next="best_next|best_next", discount="discount|discount", q_out="q_out|new_q")
    i = wp.tid()
    r0 = cosine_schedule(base_lr, step_number, total_steps)
    r1 = q_update(q_values[i], reward[i], best_next[i], discount, r0)
    q_out[i] = r1


@scene("math", "function", "scalar_param", sample,
       says="computes the clipped objective of a policy step, with the advantage as a temporal difference",
       title="ppo_objective|clipped_objective|surrogate_objective", topic="")
def temporal_difference_to_clipped_objective(reward: each(reward), state_value_of: each(state_value), next_state_value: each(next_value), discount: setting(discount), policy_ratio: each(policy_ratio), clip_range: setting(clip_range), objectives: out(objective), advantages: maybe(out(advantage), 0.5)):
    names(r0="adv|advantage_i", r1="objective|surrogate", reward="reward|reward", state_value_of="state_value|state_value_i", next_state_value="next_state_value|next_state_value", discount="discount|discount", policy_ratio="policy_ratio|policy_ratio", clip_range="clip_range|clip_range", objectives="objectives|objectives_out", advantages="advantages|advantages_out")
    i = wp.tid()
    r0 = temporal_difference(reward[i], state_value_of[i], next_state_value[i], discount)
    r1 = clipped_objective(policy_ratio[i], r0, clip_range)
    objectives[i] = r1
    if present(advantages):
        advantages[i] = r0


@scene("function", "arithmetic", "scalar_param", weight_index,
       says="takes a step of gradient descent with a learning rate that falls along a cosine",
       title="sgd_cosine|cosine_annealed_step|descent_with_cosine_schedule", topic="")
def cosine_schedule_to_gradient_step(base_lr: setting(learning_rate), step_number: setting(steps_value), total_steps: setting(total_steps), weights: each(parameter), grad: each(gradient), weights_out: out(parameter)):
    names(r0="lr|rate", r1="w_new|updated", base_lr="base_lr|base_lr", step_number="step_number|step_number", total_steps="total_steps|total_steps", weights="weights|weights", grad="grad|grad", weights_out="weights_out|new_weights")
    i = wp.tid()
    r0 = cosine_schedule(base_lr, step_number, total_steps)
    r1 = gradient_step(weights[i], grad[i], r0)
    weights_out[i] = r1


@scene("arithmetic", "function", "vector", time_sample,
       says="applies a frequency response to a spectrum and computes the level of the result in decibels",
       title="filtered_level_db|response_level|apply_frequency_response", topic="")
def complex_product_to_decibel_level(spectrum: each(spectrum_value), response: each(spectrum_value), reference_power: setting(reference_power), levels_db: out(decibel_ratio), filtered_spectrum: maybe(out(spectrum_value), 0.5), power_spectrum: maybe(out(power_density), 0.5)):
    names(r0="filtered|product", r1="power|p", r2="level|db", spectrum="spectrum|spectrum", response="response|response", reference_power="reference_power|reference_power", levels_db="levels_db|levels_db_out", filtered_spectrum="filtered_spectrum|filtered_spectrum_out", power_spectrum="power_spectrum|power_spectrum_out")
    i = wp.tid()
    r0 = complex_product(spectrum[i], response[i])
    r1 = spectral_power(r0)
    r2 = decibel_level(r1, reference_power)
    levels_db[i] = r2
    if present(filtered_spectrum):
        filtered_spectrum[i] = r0
    if present(power_spectrum):
        power_spectrum[i] = r1


@scene("math", "arithmetic", "scalar_param", time_sample,
       says="smooths signals by one step of a first-order low-pass, given by its cut-off frequency",
       title="low_pass|rc_filter_step|smooth_signal", topic="")
def low_pass_alpha_to_low_pass_step(cutoff_hz: setting(cutoff_frequency), dt: setting(time_step), signal_in: each(signal), last_output: each(filter_state), filtered: out(filtered_value)):
    names(r0="alpha|coeff", r1="y_new|filtered_i", cutoff_hz="cutoff_hz|cutoff_hz", signal_in="signal_in|signal_in", last_output="last_output|last_output", filtered="filtered|filtered_out")
    i = wp.tid()
    r0 = low_pass_alpha(cutoff_hz, dt)
    r1 = low_pass_step(signal_in[i], last_output[i], r0)
    filtered[i] = r1


@scene("math", "struct", sample,
       says="computes Student's t of two groups with the variance of both taken together",
       title="pooled_t_statistic|two_sample_t|student_t_test", algorithm="two-sample t statistic", topic="")
def pooled_variance_to_standard_score(variance_a: each(variance), variance_b: each(variance), count_a: each(sample_count), count_b: each(sample_count), mean_a: each(mean), mean_b: each(mean), t_statistic: out(zscore), pooled_variance_of: maybe(out(variance), 0.5), standard_error_of: maybe(out(standard_deviation), 0.5)):
    names(r0="pooled|s2", se="se|std_err", r1="t_stat|t", variance_a="variance_a|variance_a", variance_b="variance_b|variance_b", count_a="count_a|count_a", count_b="count_b|count_b", mean_a="mean_a|mean_a", mean_b="mean_b|mean_b", t_statistic="t_statistic|t_statistic_out", pooled_variance_of="pooled_variance|pooled_variance_out", standard_error_of="standard_error|standard_error_out")
    i = wp.tid()
    r0 = pooled_variance(variance_a[i], variance_b[i], count_a[i], count_b[i])
    se = wp.sqrt(r0 * (1.0 / float(count_a[i]) + 1.0 / float(count_b[i])))
    r1 = (mean_a[i] - mean_b[i]) / se
    t_statistic[i] = r1
    if present(pooled_variance_of):
        pooled_variance_of[i] = r0
    if present(standard_error_of):
        standard_error_of[i] = se


@scene("arithmetic", "function", "scalar_param", sample,
       says="fuses two estimates by their variances and computes Tukey's weight of a further reading",
       title="robust_fusion_weight|tukey_fusion_weight|gate_reading", topic="")
def fuse_estimates_to_tukey_weight(estimate: each(state_estimate), estimate_variance: each(state_variance), reading_a: each(measurement), reading_variance: setting(measurement_variance), reading_b: each(measurement), tukey_scale: setting(robust_scale), tukey_weights: out(robust_weight), fused_estimate: maybe(out(state_estimate), 0.5), residual: maybe(out(error_value), 0.5)):
    names(r0="fused|x_hat", r1="resid|err", r2="weight|w", estimate="estimate|estimate", estimate_variance="estimate_variance|estimate_variance", reading_a="reading_a|reading_a", reading_variance="reading_variance|reading_variance", reading_b="reading_b|reading_b", tukey_scale="tukey_scale|tukey_scale", tukey_weights="tukey_weights|tukey_weights_out", fused_estimate="fused_estimate|fused_estimate_out", residual="residual|residual_out")
    i = wp.tid()
    r0 = fuse_estimates(estimate[i], estimate_variance[i], reading_a[i], reading_variance)
    r1 = residual_of(reading_b[i], r0)
    r2 = tukey_weight(r1, tukey_scale)
    tukey_weights[i] = r2
    if present(fused_estimate):
        fused_estimate[i] = r0
    if present(residual):
        residual[i] = r1


@scene("function", "arithmetic", "scalar_param", sample,
       says="fuses two estimates by their variances and computes Cauchy's weight of a further reading",
       title="cauchy_fusion_weight|reading_weight|robust_reading_weight", topic="")
def fuse_estimates_to_cauchy_weight(estimate: each(state_estimate), estimate_variance: each(state_variance), reading_a: each(measurement), reading_variance: setting(measurement_variance), reading_b: each(measurement), cauchy_scale: setting(robust_scale), cauchy_weights: out(robust_weight), fused_estimate: maybe(out(state_estimate), 0.5), residual: maybe(out(error_value), 0.5)):
    names(r0="fused|x_hat", r1="resid|err", r2="weight|w", estimate="estimate|estimate", estimate_variance="estimate_variance|estimate_variance", reading_a="reading_a|reading_a", reading_variance="reading_variance|reading_variance", reading_b="reading_b|reading_b", cauchy_scale="cauchy_scale|cauchy_scale", cauchy_weights="cauchy_weights|cauchy_weights_out", fused_estimate="fused_estimate|fused_estimate_out", residual="residual|residual_out")
    i = wp.tid()
    r0 = fuse_estimates(estimate[i], estimate_variance[i], reading_a[i], reading_variance)
    r1 = residual_of(reading_b[i], r0)
    r2 = cauchy_weight(r1, cauchy_scale)
    cauchy_weights[i] = r2
    if present(fused_estimate):
        fused_estimate[i] = r0
    if present(residual):
        residual[i] = r1


@scene("function", "scalar_param", sample,
       says="updates scalar estimates and their variances after a measurement, by Kalman",
       title="kalman_update|scalar_kalman|measurement_update", algorithm="scalar Kalman filter", topic="")
def kalman_variance_to_kalman_estimate(variance: each(state_variance), measurement_variance: setting(measurement_variance), estimate: each(state_estimate), measured: each(measurement), estimate_out: out(state_estimate), variance_out: out(state_variance)):
    names(r0="p_new|var_post", r1="x_new|estimate_i", variance="variance|variance", measurement_variance="measurement_variance|measurement_variance", estimate="estimate|estimate", measured="measured|measured", estimate_out="estimate_out|new_estimate", variance_out="variance_out|new_variance")
    i = wp.tid()
    r0 = kalman_variance(variance[i], measurement_variance)
    r1 = kalman_estimate(estimate[i], variance[i], measured[i], measurement_variance)
    estimate_out[i] = r1
    if present(variance_out):
        variance_out[i] = r0


@scene("math", "function", "struct", sample,
       says="computes the share of the normal distribution below the score of a sample mean, from its standard error",
       title="z_test|one_sided_p_value|share_below_mean", topic="")
def standard_error_to_normal_share_below(standard_deviation: each(standard_deviation), sample_size: each(sample_count), sample_mean: each(value), expected_mean: each(mean), p_value: out(probability), standard_error_of: maybe(out(standard_deviation), 0.5), z_score: maybe(out(zscore), 0.5)):
    names(r0="std_err|se", r1="z|score_z", r2="p|share", standard_deviation="standard_deviation|standard_deviation", sample_size="sample_size|sample_size", sample_mean="sample_mean|sample_mean", expected_mean="expected_mean|expected_mean", p_value="p_value|p_value_out", standard_error_of="standard_error|standard_error_out", z_score="z_score|z_score_out")
    i = wp.tid()
    r0 = standard_error(standard_deviation[i], sample_size[i])
    r1 = standard_score(sample_mean[i], expected_mean[i], r0)
    r2 = normal_share_below(r1)
    p_value[i] = r2
    if present(standard_error_of):
        standard_error_of[i] = r0
    if present(z_score):
        z_score[i] = r1
