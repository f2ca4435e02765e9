"""Tokens, from their papers."""

import numpy as np
from textbook import reference


def logsumexp(z, axis=-1):
    return np.log(np.sum(np.exp(z), axis))


@reference
def embedding_bag(s):
    n = len(s.start) - 1
    y, used, freq = np.zeros((n, s.table.shape[1])), np.zeros(n), np.zeros(len(s.table))
    for b in range(n):
        k = np.arange(s.start[b], s.start[b + 1])
        k = k[s.ids[k] != s.pad] if s.has("pad") else k
        used[b] = len(k)
        np.add.at(freq, s.ids[k], 1)
        if not len(k):
            continue
        w = s.w[k] if s.has("w") else np.ones(len(k))
        vectors = w[:, None] * s.table[s.ids[k]]
        y[b] = vectors.max(0) if s.choice("pool") else vectors.sum(0) / (w.sum() if s.choice("mean") else 1.0)
    return {"y": y, "used": used, "freq": freq}


@reference
def beam_step(s):
    logp = s.logp.copy()
    if s.has("used") and s.has("penalty"):
        logp = np.where(s.used == 1, logp * s.penalty, logp)
    joint = (s.total[:, None] + logp) / ((6 + s.length[:, None]) / 6) ** s.alpha
    order = np.sort(joint, 1)
    best, token, second = order[:, -1], joint.argmax(1), order[:, -2]
    gap = best - second
    if s.has("done"):
        ended = s.done == 1
        best = np.where(ended, s.total / ((5 + s.length) / 6) ** s.alpha, best)
        token, second, gap = np.where(ended, -1, token), np.where(ended, 0, second), np.where(ended, 0, gap)
    return {"best_out": best, "token_out": token, "second_out": second, "gap": gap}


@reference
def streaming_attention(s):
    length, heads = s.q.shape[:2]
    y, lse = np.zeros_like(s.q), np.zeros((length, heads))
    for t in range(length):
        first = max(0, t - s.window + 1) if s.has("window") else 0
        for h in range(heads):
            z = s.k[first:t + 1, h] @ s.q[t, h] / 2
            z = s.cap * np.tanh(z / s.cap) if s.has("cap") else z
            z = z - s.slope * (t - np.arange(first, t + 1)) if s.has("slope") else z
            lse[t, h] = logsumexp(z)
            y[t, h] = np.exp(z - lse[t, h]) @ s.v[first:t + 1, h]
    return {"y": y, "lse": lse}


@reference
def route_tokens(s):
    n = len(s.x)
    p = np.exp(s.x) / np.exp(s.x).sum(1, keepdims=True)
    expert, gate, load, lost, importance = -np.ones((n, 2)), np.zeros((n, 2)), np.zeros(8), 0, np.zeros(8)
    for t in range(n):
        if s.has("padded") and s.padded[t] == 1:
            continue
        importance += p[t]
        chosen = np.argsort(-p[t], kind="stable")[:2]
        for k, e in enumerate(chosen):
            gate[t, k] = p[t, e] / p[t, chosen].sum()
            if load[e] < s.room:
                expert[t, k] = e
            else:
                lost += 1
            load[e] += 1
    return {"expert": expert, "gate": gate, "load": load, "overflow": [lost], "importance": importance}
