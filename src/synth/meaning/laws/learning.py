"""Activations, losses and steps of optimisers."""


@law("learning", "the rectified linear unit")
def relu(x: preactivation) -> activation:
    return wp.max(x, 0.0)


@law("learning", "the leaky rectified linear unit")
def leaky_relu(x: preactivation, slope: leak_slope) -> activation:
    if x < 0.0:
        return slope * x
    return x


@law("learning", "the exponential linear unit")
def elu(x: preactivation, alpha: elu_alpha) -> activation:
    if x >= 0.0:
        return x
    return alpha * (wp.exp(x) - 1.0)


@law("learning", "the SiLU or swish, the input times its sigmoid")
def silu(x: preactivation) -> activation:
    return x / (1.0 + wp.exp(-x))


@law("learning", "the Gaussian error linear unit")
def gelu(x: preactivation) -> activation:
    return 0.5 * x * (1.0 + wp.erf(x / wp.sqrt(2.0)))


@law("learning", "the Gaussian error linear unit by its tanh approximation")
def gelu_tanh(x: preactivation) -> activation:
    inner = 0.7978846 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1.0 + wp.tanh(inner))


@law("learning", "the softplus, a smooth rectifier, linear for large inputs")
def softplus(x: preactivation) -> activation:
    if x > 20.0:
        return x
    return wp.log(1.0 + wp.exp(x))


@law("learning", "the mish activation")
def mish(x: preactivation) -> activation:
    return x * wp.tanh(wp.log(1.0 + wp.exp(x)))


@law("learning", "the hard sigmoid, a straight line cut at zero and one")
def hard_sigmoid(x: preactivation) -> activation:
    return wp.clamp(x / 6.0 + 0.5, 0.0, 1.0)


@law("learning", "the softsign")
def softsign(x: preactivation) -> activation:
    return x / (1.0 + wp.abs(x))


@law("learning", "the slope of the sigmoid at a probability")
def sigmoid_slope(p: probability) -> local_slope:
    return p * (1.0 - p)


@law("learning", "the slope of tanh from its value")
def tanh_slope(y: bounded_activation) -> local_slope:
    return 1.0 - y * y


@law("learning", "half the squared error")
def half_squared_error(y: prediction, target: target) -> loss:
    d = y - target
    return 0.5 * d * d


@law("learning", "the absolute error")
def absolute_error(y: prediction, target: target) -> loss:
    return wp.abs(y - target)


@law("learning", "the Huber loss")
def huber_loss(y: prediction, target: target, delta: huber_delta) -> loss:
    a = wp.abs(y - target)
    if a <= delta:
        return 0.5 * a * a
    return delta * (a - 0.5 * delta)


@law("learning", "the logarithm of the hyperbolic cosine of the error")
def log_cosh_loss(y: prediction, target: target) -> loss:
    d = y - target
    return wp.log(wp.cosh(d))


@law("learning", "the pinball loss of a quantile")
def quantile_loss(y: prediction, target: target, q: ratio) -> loss:
    d = target - y
    if d >= 0.0:
        return q * d
    return (q - 1.0) * d


@law("learning", "the cross-entropy of a predicted probability and a label between zero and one")
def binary_cross_entropy(p: probability, label: ratio) -> loss:
    return -(label * wp.log(p) + (1.0 - label) * wp.log(1.0 - p))


@law("learning", "the cross-entropy of a logit and a label, in its stable form")
def cross_entropy_with_logit(x: logit, label: ratio) -> loss:
    return wp.max(x, 0.0) - x * label + wp.log(1.0 + wp.exp(-wp.abs(x)))


@law("learning", "the focal loss of the true class")
def focal_loss(p: probability, gamma: focusing) -> loss:
    return -wp.pow(1.0 - p, gamma) * wp.log(p)


@law("learning", "the hinge loss of a label of minus or plus one")
def hinge_loss(score: margin_score, sign: class_sign) -> loss:
    return wp.max(1.0 - sign * score, 0.0)


@law("learning", "the triplet loss of two distances")
def triplet_loss(near: sample_distance, far: sample_distance, margin: triplet_margin) -> loss:
    return wp.max(near - far + margin, 0.0)


@law("learning", "the divergence of two probabilities of one outcome")
def kl_term(p: probability, q: probability) -> divergence:
    return p * wp.log(p / q)


@law("learning", "the entropy term of a probability, zero for impossible outcomes")
def entropy_term(p: probability) -> entropy_value:
    if p <= 0.0:
        return 0.0
    return -p * wp.log(p)


@law("learning", "the divergence of a normal distribution from the standard one, for one latent")
def gaussian_kl(mu: latent_mean, log_var: latent_log_variance) -> divergence:
    return 0.5 * (wp.exp(log_var) + mu * mu - 1.0 - log_var)


@law("learning", "a latent drawn by the reparametrisation trick")
def reparameterize(mu: latent_mean, log_var: latent_log_variance, noise: gaussian_noise) -> latent:
    return mu + wp.exp(0.5 * log_var) * noise


@law("learning", "a parameter after a step of gradient descent")
def gradient_step(w: parameter, g: gradient, lr: learning_rate) -> parameter:
    return w - lr * g


@law("learning", "a parameter after a step with decoupled weight decay")
def decayed_step(w: parameter, g: gradient, lr: learning_rate, decay: weight_decay) -> parameter:
    return w - lr * (g + decay * w)


@law("learning", "the velocity of gradient descent with momentum")
def momentum_velocity(v: momentum_buffer, g: gradient, beta: momentum_factor) -> momentum_buffer:
    return beta * v + g


@law("learning", "the first moment of Adam")
def adam_first_moment(m: moment_value, g: gradient, beta1: adam_beta1) -> moment_value:
    return beta1 * m + (1.0 - beta1) * g


@law("learning", "the second moment of Adam")
def adam_second_moment(v: second_moment, g: gradient, beta2: adam_beta2) -> second_moment:
    return beta2 * v + (1.0 - beta2) * g * g


@law("learning", "a first moment with Adam's correction for its start at zero")
def adam_corrected_first(m: moment_value, beta1: adam_beta1, step: steps_value) -> corrected_moment:
    return m / (1.0 - wp.pow(beta1, float(step)))


@law("learning", "a parameter after a step of Adam, both moments corrected for their start at zero")
def adam_step(w: parameter, m: moment_value, v: second_moment, lr: learning_rate, beta1: adam_beta1, beta2: adam_beta2, step: steps_value) -> parameter:
    t = float(step)
    m_hat = m / (1.0 - wp.pow(beta1, t))
    v_hat = v / (1.0 - wp.pow(beta2, t))
    return w - lr * m_hat / (wp.sqrt(v_hat) + 0.00000001)


@law("learning", "a parameter after a step of AdaGrad")
def adagrad_step(w: parameter, g: gradient, s: gradient_square_sum, lr: learning_rate) -> parameter:
    return w - lr * g / (wp.sqrt(s) + 0.00000001)


@law("learning", "the direction of a step of AdaGrad")
def adagrad_direction(g: gradient, s: gradient_square_sum) -> gradient:
    return g / (wp.sqrt(s) + 0.00000001)


@law("learning", "the mean square of RMSProp")
def rmsprop_mean(s: gradient_square_mean, g: gradient, rho: decay) -> gradient_square_mean:
    return rho * s + (1.0 - rho) * g * g


@law("learning", "a gradient cut to a largest size")
def clip_gradient(g: gradient, limit: gradient_limit) -> gradient:
    return wp.clamp(g, -limit, limit)


@law("learning", "the learning rate of a cosine schedule")
def cosine_schedule(base: learning_rate, step: steps_value, total: total_steps) -> learning_rate:
    progress = wp.min(float(step) / float(total), 1.0)
    return 0.5 * base * (1.0 + wp.cos(wp.pi * progress))


@law("learning", "the learning rate with a linear warm-up")
def warmup_schedule(base: learning_rate, step: steps_value, warmup: warmup_steps) -> learning_rate:
    return base * wp.min(float(step) / float(warmup), 1.0)


@law("learning", "a value normalised by mean and variance, scaled and shifted")
def normalize_feature(x: feature, mu: feature_mean, var: feature_variance, gamma: scale_weight, beta: shift_weight) -> feature:
    return gamma * (x - mu) / wp.sqrt(var + 0.00001) + beta


@law("learning", "the weight of a pair by a Gaussian of the distance of their features")
def rbf_kernel(d2: squared_distance, bandwidth: bandwidth) -> kernel_value:
    return wp.exp(-d2 / (2.0 * bandwidth * bandwidth))


@law("learning", "the likeness of two features by the angle between them", needs=(wp.abs(dot_ab) <= na * nb,))
def cosine_similarity(dot_ab: dot_product, na: feature_norm, nb: feature_norm) -> similarity:
    return dot_ab / (na * nb)


@law("learning", "the score of a query and a key, scaled by the width")
def scaled_score(dot_ab: dot_product, width: head_width) -> attention_score:
    return dot_ab / wp.sqrt(float(width))


@law("learning", "the advantage of a step: reward and the discounted next value over the value")
def temporal_difference(r: reward, v: state_value, v_next: next_value, gamma: discount) -> advantage:
    return r + gamma * v_next - v


@law("learning", "a Q-value after a step of learning")
def q_update(q: action_value, r: reward, best: next_value, gamma: discount, alpha: learning_rate) -> action_value:
    return q + alpha * (r + gamma * best - q)


@law("learning", "the clipped objective of a policy step")
def clipped_objective(ratio: policy_ratio, adv: advantage, eps: clip_range) -> objective:
    limited = wp.clamp(ratio, 1.0 - eps, 1.0 + eps)
    return wp.min(ratio * adv, limited * adv)


@law("learning", "the bonus of a rarely tried arm by upper confidence")
def confidence_bonus(mean: reward_mean, tries: sample_count, total: total_steps, c: exploration) -> arm_score:
    return mean + c * wp.sqrt(wp.log(float(total)) / float(tries))


@law("learning", "a coordinate of a rotary embedding pair turned by its angle")
def rotary_pair(x: feature_pair, theta: angle) -> feature_pair:
    c = wp.cos(theta)
    s = wp.sin(theta)
    return wp.vec2(x[0] * c - x[1] * s, x[0] * s + x[1] * c)


@law("learning", "the overlap of two intervals over their union")
def interval_iou(a0: interval_start, a1: interval_end, b0: interval_start, b1: interval_end) -> overlap:
    inter = wp.max(wp.min(a1, b1) - wp.max(a0, b0), 0.0)
    return inter / (a1 - a0 + b1 - b0 - inter)
