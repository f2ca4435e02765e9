"""Activations, losses and steps of optimisers, from the papers."""

import math

import numpy as np

EPS = 1e-8


def relu(x):
    return (x + abs(x)) / 2


def leaky_relu(x, slope):
    return max(x, 0) + slope * min(x, 0)


def elu(x, alpha):
    return x if x >= 0 else alpha * math.expm1(x)


def logistic(x):
    return (1 + math.tanh(x / 2)) / 2


def silu(x):
    return x * logistic(x)


def gelu(x):
    return x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x):
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


gelu_tanh.tolerance = 1e-6


def softplus(x):
    return np.logaddexp(0, x)


def mish(x):
    return x * math.tanh(np.logaddexp(0, x))


def hard_sigmoid(x):
    return min(max((x + 3) / 6, 0), 1)


def softsign(x):
    return x / (abs(x) + 1)


def sigmoid_slope(p):
    return p - p**2


def tanh_slope(y):
    return (1 - y) * (1 + y)


def half_squared_error(y, target):
    return (target - y) ** 2 / 2


def absolute_error(y, target):
    return max(y - target, target - y)


def huber_loss(y, target, delta):
    # the integral of the clipped error
    a = abs(y - target)
    inner = min(a, delta)
    return inner**2 / 2 + delta * (a - inner)


def log_cosh_loss(y, target):
    d = abs(y - target)
    return d + math.log1p(math.exp(-2 * d)) - math.log(2)


def quantile_loss(y, target, q):
    return max(q * (target - y), (q - 1) * (target - y))


def binary_cross_entropy(p, label):
    return -label * math.log(p) - (1 - label) * math.log1p(-p)


def cross_entropy_with_logit(x, label):
    return binary_cross_entropy(logistic(x), label)


def focal_loss(p, gamma):
    return (1 - p) ** gamma * math.log(1 / p)


def hinge_loss(score, sign):
    return max(0, 1 - score * sign)


def triplet_loss(near, far, margin):
    return max(0, margin - (far - near))


def kl_term(p, q):
    return p * (math.log(p) - math.log(q))


def entropy_term(p):
    return p * math.log(1 / p) if p > 0 else 0.0


def gaussian_kl(mu, log_var):
    sigma = math.exp(log_var) ** 0.5
    return -math.log(sigma) + (sigma**2 + mu**2) / 2 - 0.5


def reparameterize(mu, log_var, noise):
    return mu + math.sqrt(math.exp(log_var)) * noise


def gradient_step(w, g, lr):
    return w + -lr * g


def decayed_step(w, g, lr, decay):
    return (1 - lr * decay) * w - lr * g


def momentum_velocity(v, g, beta):
    return g + v * beta


def adam_first_moment(m, g, beta1):
    return g + beta1 * (m - g)


def adam_second_moment(v, g, beta2):
    return g**2 + beta2 * (v - g**2)


def adam_corrected_first(m, beta1, step):
    return m / -np.expm1(step * np.log(beta1))


def adam_step(w, m, v, lr, beta1, beta2, step):
    # Algorithm 1 of Kingma and Ba
    m_hat = m / (1 - beta1**step)
    v_hat = v / (1 - beta2**step)
    return w - lr * m_hat / (v_hat**0.5 + EPS)


def adagrad_step(w, g, s, lr):
    return w - lr / (s**0.5 + EPS) * g


def adagrad_direction(g, s):
    return g * (s**0.5 + EPS) ** -1.0


def rmsprop_mean(s, g, rho):
    return g**2 + rho * (s - g**2)


def clip_gradient(g, limit):
    return float(np.clip(g, -limit, limit))


def cosine_schedule(base, step, total):
    return base * math.cos(math.pi / 2 * min(step, total) / total) ** 2


def warmup_schedule(base, step, warmup):
    return base * min(step, warmup) / warmup


def normalize_feature(x, mu, var, gamma, beta):
    return (x - mu) * (var + 1e-5) ** -0.5 * gamma + beta


def rbf_kernel(d2, bandwidth):
    return math.exp(-0.5 * d2 / bandwidth**2)


def cosine_similarity(dot_ab, na, nb):
    return dot_ab / na / nb


def scaled_score(dot_ab, width):
    return dot_ab * width**-0.5


def temporal_difference(r, v, v_next, gamma):
    return (r + gamma * v_next) - v


def q_update(q, r, best, gamma, alpha):
    return (1 - alpha) * q + alpha * (r + gamma * best)


def clipped_objective(ratio, adv, eps):
    # Schulman et al., equation 7, by the sign of the advantage
    bound = min(ratio, 1 + eps) if adv >= 0 else max(ratio, 1 - eps)
    return bound * adv


def confidence_bonus(mean, tries, total, c):
    return mean + c * (math.log(total) / tries) ** 0.5


def rotary_pair(x, theta):
    z = complex(*x) * np.exp(1j * theta)
    return np.array([z.real, z.imag])


def interval_iou(a0, a1, b0, b1):
    if a1 <= b0 or b1 <= a0:
        return 0.0
    inner = sorted([a0, a1, b0, b1])
    union = inner[3] - inner[0]
    return (inner[2] - inner[1]) / union
