"""Sparse matrices and ragged rows, by dense ones."""

import numpy as np
from textbook import reference


def dense_rows(s, height, width):
    """The matrix of CSR rows; entries of the same place add up."""
    full = np.zeros((height, width))
    for r in range(height):
        for k in range(s.start[r], s.start[r + 1]):
            full[r, s.cols[k]] += s.vals[k]
    return full


@reference
def ell_spmv(s):
    n = len(s.used)
    full = np.zeros((n, len(s.x)))
    for r in range(n):
        for k in range(s.used[r]):
            full[r, s.cols[r, k]] += s.vals[r, k]
    y = full @ s.x
    if s.has("diag") and s.has("own"):
        y += s.diag * s.own
    y *= s.alpha if s.has("alpha") else 1.0
    if s.has("beta") and s.has("y_old"):
        y += s.beta * s.y_old
    return {"y": y, "fill": [s.used.sum()]}


@reference
def coo_spmv(s):
    n = len(s.x)
    full = np.zeros((n, n))
    mags = np.zeros((n, n))
    for e, v in enumerate(s.vals):
        if (s.has("live") and s.live[e] == 0) or (s.has("drop") and abs(v) < s.drop):
            continue
        for m, value in ((full, v), (mags, abs(v))):
            m[s.rows_of[e], s.cols_of[e]] += value
            if s.choice("storage") == 1 and s.rows_of[e] != s.cols_of[e]:
                m[s.cols_of[e], s.rows_of[e]] += value
    if s.choice("storage") == 2:
        full, mags = full.T, mags.T
    return {"y": full @ s.x, "absum": mags.sum(1)}


@reference
def bsr_spmv(s):
    n = len(s.x)
    big = np.zeros((3 * n, 3 * n))
    for r in range(n):
        for k in range(s.start[r], s.start[r + 1]):
            block = s.blocks[k].T if s.choice("product") else s.blocks[k]
            c = s.cols[k]
            big[3 * r:3 * r + 3, 3 * c:3 * c + 3] += block
    x = s.x.copy()
    fixed = s.pinned == 1 if s.has("pinned") else np.zeros(n, bool)
    x[fixed] = 0
    y = (big @ x.ravel()).reshape(n, 3) * (s.scale if s.has("scale") else 1.0)
    if s.has("b"):
        y = s.b - y
    return {"norm_sq": [np.sum(y[~fixed] ** 2)], "y": np.where(fixed[:, None], s.x, y)}


@reference
def relax_rows(s):
    n = len(s.x)
    full = dense_rows(s, n, n)
    np.fill_diagonal(full, 0.0)
    r = s.b - full @ s.x - s.diag * s.x
    mags = np.array([sum(abs(s.vals[k]) for k in range(s.start[i], s.start[i + 1]) if s.cols[k] != i) for i in range(n)])
    step = r / (s.diag + mags) if s.choice("l1") else s.omega * r / s.diag
    held = s.held == 1 if s.has("held") else np.zeros(n, bool)
    step = np.where(held, 0, step)
    worst = [max(s.worst[0], np.abs(step).max())] if s.has("worst") else None
    return {"x_new": np.where(held, s.b, s.x + step), "change": [np.abs(step).sum()], "worst": worst}


@reference
def gershgorin(s):
    n = len(s.diag)
    center, rad = s.diag.copy(), np.zeros(n)
    for r in range(n):
        for k in range(s.start[r], s.start[r + 1]):
            if s.cols[k] == r:
                center[r] += s.vals[k]
            else:
                rad[r] += abs(s.vals[k])
    share = float(s.plan["choices"].get("share", 0))
    kind = np.where(abs(center) > rad, 2, np.where(abs(center) > share * rad, 1, 0))
    return {"radius_out": rad, "low": [min(s.low[0], (center - rad).min())], "high": [max(s.high[0], (center + rad).max())],
            "kind_out": kind, "weak": [np.sum(abs(center) <= rad)]}


@reference
def thomas(s):
    x, det = np.zeros_like(s.b), np.zeros(len(s.b))
    for r in range(len(s.b)):
        if s.has("skip") and s.skip[r] == 1:
            continue
        a = np.diag(s.diag[r]) + np.diag(s.upper[r, :-1], 1) + np.diag(s.lower[r, 1:], -1)
        x[r] = np.linalg.solve(a, s.b[r])
        det[r] = np.linalg.slogdet(a)[1]
    return {"x": x, "det": det, "peak": np.abs(x).max(1)}


@reference
def edge_softmax(s):
    n = len(s.start) - 1
    z = np.where(s.score < 0, s.slope * s.score, s.score) if s.has("slope") else s.score
    att, mixed, entropy = np.zeros_like(s.score), np.zeros((n, 4)), np.zeros(n)
    for i in range(n):
        k = np.arange(s.start[i], s.start[i + 1])
        w = np.exp(z[k]) * (s.dropped[k] == 0 if s.has("dropped") else 1)
        if w.sum() == 0:
            continue
        p = w / w.sum()
        att[k] = p
        entropy[i] = -np.sum(p[p > 0] * np.log(p[p > 0]))
        if s.has("mixed"):
            mixed[i] = p @ s.feat[s.source[k]]
    return {"att": att, "mixed": mixed, "entropy": entropy}


@reference
def online_lse(s):
    x = s.x / (s.tau if s.has("tau") else 1.0)
    ok = s.valid == 1 if s.has("valid") else np.ones_like(x, bool)
    some = ok.any(1)
    x = np.where(ok, x, -np.inf)
    lse = np.where(some, np.log(np.sum(np.exp(x), 1)), -100.0)
    p = np.where(ok, np.exp(x - lse[:, None]), 0.0)
    return {"lse": lse, "where_max": np.where(some, np.argmax(x, 1), -1), "expect": np.where(some, np.sum(np.where(ok, p * x, 0), 1), 0),
            "total": [lse[some].sum()]}


@reference
def scan_blocks(s):
    y, last, longest = np.zeros_like(s.x), [], []
    for b, row in enumerate(s.x):
        segment, tail, best = 0, 0, 0
        for k, v in enumerate(row):
            new = s.has("head") and s.head[b, k] == 1
            segment = k if new else segment
            whole = int(row[segment:k + 1].sum())
            y[b, k] = whole - v if s.choice("kind") else whole
            tail = 0 if v == 0 else (0 if new else tail) + 1
            best = max(best, tail)
        last.append(whole)
        longest.append(best)
    heads = s.head.any(1) if s.has("head") else None
    return {"y": y, "block_sum": last, "heads_seen": heads, "longest": longest}


@reference
def robust_rows(s):
    med = np.median(s.x, 1)
    mad = np.median(np.abs(s.x - med[:, None]), 1)
    z = 0.6745 * (s.x - med[:, None]) / (mad[:, None] + 1e-6)
    return {"med_out": med, "mad_out": 1.4826 * mad, "trim_out": np.sort(s.x, 1)[:, 2:9].mean(1), "score_out": z}


@reference
def heap_top_k(s):
    x = np.where(s.banned == 1, -1e6, s.x) if s.has("banned") else s.x
    ids = np.argsort(-x, 1, kind="stable")[:, :4]
    top = np.take_along_axis(x, ids, 1)
    passed = [sum(1 for c, v in enumerate(row) if v > -1e6 and sum(u >= v for u in row[:c] if u > -1e6) < 4) for row in x]
    return {"top": top, "where_out": np.where(top > -1e6, ids, -1), "passed": passed}


@reference
def row_of_entry(s):
    e = np.arange(len(s.vals))
    row = np.searchsorted(s.start, e, side="right") - 1
    row = np.where(e >= s.start[-1], -1, row)
    y = np.zeros(len(s.x))
    local = np.zeros(len(e))
    for k in e:
        r = row[k]
        if r >= 0:
            local[k] = k - s.start[r]
            y[r] += s.vals[k] * s.x[s.cols[k]]
    return {"row_out": row, "y": y, "local": local}
