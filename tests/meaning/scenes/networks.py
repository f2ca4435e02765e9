"""Scenes of learning, from the papers."""

import math

import numpy as np
from textbook import reference


@reference
def layer_norm(s):
    y = (s.x - s.x.mean(1, keepdims=True)) / np.sqrt(s.x.var(1, keepdims=True) + 1e-5)
    y = y * (s.gamma if s.has("gamma") else 1) + (s.beta if s.has("beta") else 0)
    return {"y": y, "inv_out": 1 / np.sqrt(s.x.var(1) + 1e-5)}


@reference
def rms_norm(s):
    h = s.x + (s.residual if s.has("residual") else 0)
    return {"y": h / np.sqrt(np.mean(h**2, 1, keepdims=True) + 1e-6) * (s.gamma if s.has("gamma") else 1)}


@reference
def adam(s):
    g = np.clip(s.g, -s.limit, s.limit) if s.has("limit") else s.g
    m, v = s.beta1 * s.m + (1 - s.beta1) * g, s.beta2 * s.v + (1 - s.beta2) * g**2
    m_hat, v_hat = m / (1 - s.beta1**s.step), v / (1 - s.beta2**s.step)
    w = s.w - s.lr * m_hat / (np.sqrt(v_hat) + 1e-8)
    if s.has("decay"):
        w = w - s.lr * s.decay * s.w
    return {"w": w, "m": m, "v": v}


@reference
def sgd_momentum(s):
    g = s.g + (s.decay * s.w if s.has("decay") else 0)
    v = s.beta * s.v + g
    step = g + s.beta * v if s.has("nesterov") and s.nesterov == 1 else v
    w = s.w - s.lr * step
    if s.has("frozen"):
        w, v = np.where(s.frozen == 1, s.w, w), np.where(s.frozen == 1, s.v, v)
    return {"w": w, "v": v}


@reference
def attention(s):
    n, d = s.q.shape
    scores = s.q @ s.k.T / math.sqrt(d)
    scores[np.triu_indices(n, 1)] = -np.inf
    if s.has("mask"):
        hidden = np.broadcast_to(s.mask == 1, (n, n)) & ~np.eye(n, dtype=bool)
        scores = np.where(hidden, -np.inf, scores)
    top = scores.max(1, keepdims=True)
    weights = np.exp(scores - top)
    norm = weights.sum(1, keepdims=True)
    assert np.allclose((weights / norm).sum(1), 1)
    return {"y": weights / norm @ s.v, "lse": (top + np.log(norm))[:, 0]}


@reference
def cross_entropy(s):
    rows = np.arange(len(s.x))
    p = np.exp(s.x - np.logaddexp.reduce(s.x, 1)[:, None])
    loss, grad = -np.log(p[rows, s.label]), p.copy()
    grad[rows, s.label] -= 1
    hits = np.argmax(s.x, 1) == s.label
    if s.has("ignore"):
        skip = s.label == s.ignore
        loss, hits = np.where(skip, 0, loss), hits & ~skip
        grad = np.where(skip[:, None], 0, grad)
    return {"loss_out": loss, "grad": grad, "hits": [hits.sum()]}


@reference
def cluster_assign(s):
    d2 = np.sum((s.x[:, None] - s.centers[None]) ** 2, -1)
    k = np.argmin(d2, 1)
    sums, counts = np.zeros_like(s.centers), np.zeros(len(s.centers))
    np.add.at(sums, k, s.x)
    np.add.at(counts, k, 1)
    return {"label_out": k, "sums": sums, "counts": counts, "inertia": [d2.min(1).sum()]}


@reference
def decision_tree(s):
    def descend(node, x):
        if node >= 15:
            return node - 15
        return descend(2 * node + (1 if x[s.split[node]] < s.cut[node] else 2), x)
    leaf = np.array([descend(0, x) for x in s.x])
    return {"y": s.leaf[leaf], "leaf_id": leaf, "visits": np.bincount(leaf, minlength=16)}


@reference
def gae(s):
    live = 1.0 - s.done if s.has("done") else np.ones_like(s.r)
    delta = s.r + s.gamma * live * s.v[:, 1:] - s.v[:, :-1]
    adv = np.zeros_like(delta)
    for t in range(10):  # the sum of discounted errors until the episode ends
        weight = np.ones(len(delta))
        for k in range(t, 10):
            adv[:, t] += weight * delta[:, k]
            weight = weight * s.gamma * s.lam * live[:, k]
    return {"adv": adv, "ret": adv + s.v[:, :-1]}


@reference
def ppo(s):
    ratio = np.exp(s.logp - s.old)
    bound = np.where(s.adv >= 0, np.minimum(ratio, 1 + s.eps), np.maximum(ratio, 1 - s.eps))
    return {"obj": bound * s.adv, "clipped": [np.sum(np.abs(ratio - 1) > s.eps)], "kl": [np.sum(ratio - 1 - np.log(ratio))]}


@reference
def rotary_tokens(s):
    t, h = np.indices(s.x.shape[:2])
    theta = (t + (s.offset if s.has("offset") else 0)) * 10000.0 ** (-h / s.x.shape[1])
    z = (s.x[..., 0] + 1j * s.x[..., 1]) * np.exp(1j * theta)
    return {"y": np.stack([z.real, z.imag], -1)}


@reference
def gru(s):
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))
    z, r = sigmoid(s.xz + s.hz), sigmoid(s.xr + s.hr)
    n = np.tanh(s.xn + r * s.hn)
    return {"h_out": (1 - z) * n + z * s.h, "gate_out": z}


@reference
def conv_pool(s):
    b = s.b if s.has("b") else np.zeros(len(s.w))
    conv = np.array([[np.convolve(x, w[::-1], "valid") + c for w, c in zip(s.w, b)] for x in s.x])
    return {"y": np.maximum(conv, 0).reshape(len(s.x), len(s.w), 5, 2).max(-1)}


@reference
def dense_layer(s):
    z = s.x @ s.w.T + (s.b if s.has("b") else 0)
    erf = np.vectorize(math.erf)
    known = {"relu": np.maximum(z, 0), "gelu": z * (1 + erf(z / math.sqrt(2))) / 2, "silu": z / (1 + np.exp(-z)),
             "elu": np.where(z > 0, z, np.expm1(z)), "softplus": np.logaddexp(0, z), "mish": z * np.tanh(np.logaddexp(0, z)),
             "hard_sigmoid": np.clip(z / 6 + 0.5, 0, 1)}
    if "leaky_relu" in s.plan["laws"]:
        return {"pre": z}
    named = [known[l] for l in s.plan["laws"] if l in known]
    return {"y": named[0] if named else np.tanh(z), "pre": z}
