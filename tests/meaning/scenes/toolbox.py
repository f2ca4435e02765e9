"""Scenes of many trades, from the textbook and from Python's own library where it knows the answer."""

import datetime

import numpy as np
from textbook import plane_cross, reference


@reference
def miller_rabin(s):
    n = [int(v) + (int(s.offset) if s.has("offset") else 0) for v in s.n]
    prime = [v % 2 == 1 and all(v % d for d in range(3, int(v**0.5) + 1, 2)) for v in n]
    return {"prime": prime, "total": [sum(prime)]}


@reference
def fixed_point_filter(s):
    y, clipped = np.zeros_like(s.x), []
    for r, row in enumerate(s.x):
        line, out, overs = [0, 0] + [int(v) for v in row], [0, 0], 0
        for k in range(2, len(line)):
            total = int(s.b0) * line[k] + int(s.b1) * line[k - 1] + int(s.b2) * line[k - 2] - int(s.a1) * out[k - 1] - int(s.a2) * out[k - 2]
            value = (total + 2**14) // 2**15
            overs += not -(2**15) <= value < 2**15
            out.append(min(max(value, -(2**15)), 2**15 - 1))
        y[r] = out[2:]
        clipped.append(overs)
    return {"y": y, "peak": np.abs(y).max(1), "clipped": clipped}


@reference
def civil_dates(s):
    shift = 3600 * int(s.offset) if s.has("offset") else 0
    dates = [datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=int(t) + shift) for t in s.seconds]
    leap = [(d.replace(month=3, day=1) - datetime.timedelta(days=1)).day == 29 for d in dates]
    return {"year_out": [d.year for d in dates], "month_out": [d.month for d in dates], "day_out": [d.day for d in dates],
            "weekday": [d.isoweekday() % 7 for d in dates], "leap": leap}


@reference
def utf8_rows(s):
    chars, errors, largest, wide = [], [], [], []
    for row in s.data:
        raw, k, text, bad = bytes(int(b) for b in row), 0, "", 0
        while k < len(raw):
            # the shortest prefix that Python decodes is a character
            for w in (1, 2, 3, 4):
                try:
                    text += raw[k:k + w].decode("utf-8")
                    k += len(text[-1].encode("utf-8"))
                    break
                except UnicodeDecodeError:
                    continue
            else:
                bad += 1
                k += 1
        chars.append(len(text)), errors.append(bad)
        largest.append(max(map(ord, text), default=0)), wide.append(sum(ord(c) > 127 for c in text))
    return {"chars": chars, "errors": errors, "largest": largest, "wide": wide}


@reference
def waveforms(s):
    turn = s.t * s.freq + s.shift
    p = turn % 1
    shapes = [np.sin(2 * np.pi * p), np.where(p <= 0.5, 1.0, -1.0), np.interp(p, [0, 0.5, 1], [1, -1, 1]), 2 * p - 1, (p < s.duty if s.has("duty") else p) * 1.0]
    y = np.choose(s.shape.astype(int), shapes)
    if s.has("gate"):
        y = np.where(s.gate > 0, y, 0.0)
    before = np.maximum(turn - s.freq / s.rate, 0) if s.has("edge") else turn
    return {"y": y * (s.amp if s.has("amp") else 1.0), "edge": np.floor(turn) > np.floor(before)}


@reference
def block_jacobi(s):
    out, total = s.x.copy(), 0.0
    for i in range(len(s.x)):
        if s.has("fixed") and s.fixed[i] == 1:
            continue
        d = s.diag_b[i] + s.shift * np.eye(3)
        entries = range(s.start[i], s.start[i + 1])
        r = s.b[i] - d @ s.x[i] - sum((s.block[k] @ s.x[s.col[k]] for k in entries if s.col[k] != i), np.zeros(3))
        total += r @ r
        regular = abs(np.linalg.det(d)) > s.plan["choices"]["regular"]
        out[i] += s.omega * (np.linalg.solve(d, r) if regular else r / np.diag(d))
    return {"x_out": out, "res_out": [total]}


@reference
def arap_rotations(s):
    rot, energy, angles = [], [], []
    for i in range(len(s.rest)):
        ring = range(s.start[i], s.start[i + 1])
        if len(ring) < 2:
            rot.append(np.eye(2)), energy.append(0.0), angles.append(0.0)
            continue
        w = s.w[ring] if s.has("w") else np.ones(len(ring))
        e, g = s.rest[s.nb[ring]] - s.rest[i], s.now[s.nb[ring]] - s.now[i]
        if abs(np.linalg.det((w[:, None] * g).T @ e)) < s.plan["choices"]["line"]:
            rot.append(np.eye(2)), energy.append(0.0), angles.append(0.0)
            continue
        # in the plane the best turn has a closed form
        angle = np.arctan2(np.sum(w * plane_cross(e, g)), np.sum(w * np.sum(e * g, 1)))
        r = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        rot.append(r), angles.append(angle), energy.append(np.sum((g - e @ r.T) ** 2))
    return {"rot_out": rot, "energy_out": energy, "angle_out": angles}
