"""Reading, clipping, selecting, scoring: by other means than the kernels, mostly by those of Python."""

import colorsys
import re

import numpy as np
from textbook import norm, reference


@reference
def clip_segments(s):
    a, b, seen, lengths, cut = s.a.copy(), s.b.copy(), [], [], 0
    for i in range(len(a)):
        if s.has("skip") and s.skip[i] == 1:
            seen.append(0), lengths.append(0)
            continue
        p, d, low, high = s.a[i], s.b[i] - s.a[i], 0.0, 1.0
        for axis in range(2):  # the interval of the segment's parameter inside each slab
            ts = sorted(((-s.half - p[axis]) / d[axis], (s.half - p[axis]) / d[axis]))
            low, high = max(low, ts[0]), min(high, ts[1])
        inside = low <= high
        seen.append(inside), lengths.append(norm(d) * (high - low) if inside else 0)
        if inside:
            a[i], b[i], cut = p + low * d, p + high * d, cut + (low > 0 or high < 1)
    return {"a": a, "b": b, "visible": seen, "length_out": lengths, "cut": [cut]}


@reference
def parse_decimals(s):
    skips = "," if s.choice("other") else ""
    with_exponent = s.choice("exponent") == 1
    values, bad = [], []
    # blanks first; 42 is a blank, 43 and 45 signs, 44 a comma, 46 the point, 47 a slash, 58 the letter or the end
    whole = re.compile(r"^ *(?:[+-](?P<s1>[\d%s]*)|(?P<s2>\d[\d%s]*)|)(?P<frac>\.\d*)?(?P<rest>.*)$" % (skips, skips))
    for row in s.text.astype(int):
        line = "".join({42: " ", 58: "e" if with_exponent else ";"}.get(c, chr(c)) for c in row)
        match = whole.match(line)
        sign = -1.0 if line.lstrip(" ").startswith("-") else 1.0
        digits = ((match["s1"] or match["s2"] or "").replace(",", "")) + (match["frac"] or "").replace(".", "")
        rest, exponent = match["rest"], 0
        ok = len(digits) > 0
        if ok and with_exponent and rest.startswith("e"):
            tail = re.match(r"e(\d*)(.*)$", rest)
            exponent, rest = int(tail[1] or 0), tail[2]
        ends = rest == "" or rest.startswith(" ") or (not with_exponent and rest.startswith(";"))
        ok = ok and ends
        number = float((match["s1"] or match["s2"] or "").replace(",", "") or 0) + float("0" + (match["frac"] or "") if match["frac"] not in (None, ".") else 0)
        values.append(sign * number * 10.0 ** min(exponent, 6) if ok else 0.0), bad.append(not ok)
    return {"value_out": values, "bad": bad, "failures": [sum(bad)]}


@reference
def score_dice(s):
    scores, sums, most, perfect = [], [], [], 0
    for dice, box in zip(s.dice.astype(int), s.box_):
        faces, n = np.unique(dice, return_counts=True)
        text = "".join("x" if f in faces else " " for f in range(1, 7))
        alike, total = max(n), sum(dice)
        pts = (np.sum(dice == 1), 6 * np.sum(dice == 6), 2 * max([f for f, k in zip(faces, n) if k >= 2], default=0),
               total if alike >= 3 else 0, 25 if sorted(n) == [2, 3] else 0, 30 if "xxxx" in text else 0,
               40 if "xxxxx" in text else 0, 50 if alike == 5 else 0, total)[int(box)]
        scores.append(pts + (s.bonus if s.has("bonus") and alike >= 4 else 0)), sums.append(total), most.append(alike)
        perfect += "xxxxx" in text
    return {"score_out": scores, "sum_out": sums, "most_out": most, "perfect": [perfect]}


@reference
def adjust_hsv(s):
    out, hues, gray = [], [], 0
    for i, rgb in enumerate(s.rgb):
        if s.has("mask") and s.mask[i] == 0:
            out.append(rgb), hues.append(0)
            continue
        h, sat, val = colorsys.rgb_to_hsv(*rgb)
        h, gray = (h + s.shift) % 1, gray + (sat < 0.3)
        sat = min(sat * s.sat_gain, 1) if s.has("sat_gain") else sat
        val = min(val * s.val_gain, 1) if s.has("val_gain") else val
        out.append(colorsys.hsv_to_rgb(h, sat, val)), hues.append(h)
    return {"rgb_out": out, "hue_out": hues, "gray": [gray]}


@reference
def cycle_lengths(s):
    lengths, tails, least, on = [], [], [], []
    for i in range(len(s.link)):
        path, at = [], i
        while at not in path:
            path.append(at)
            at = int(s.link[at])
        tail = path.index(at)
        barred = s.has("barred") and s.barred[i] == 1
        lengths.append(0 if barred else len(path) - tail), tails.append(0 if barred else tail)
        least.append(0 if barred else min(path[tail:])), on.append(not barred and tail == 0)
    return {"length_out": lengths, "tail_out": tails, "least_out": least, "on_cycle": on, "longest": [max(lengths)]}


@reference
def feels_like(s):
    feels, levels, dew = [], [], []
    for t, share, wind in zip(s.air, s.humid, s.wind if s.has("wind") else np.zeros(len(s.air))):
        f, rh, v, felt, level = 9 * t / 5 + 32, 100 * share, 3.6 * wind, t, 0
        simple = (f + 61 + 1.2 * (f - 68) + 0.094 * rh) / 2
        if (simple + f) / 2 >= 80:
            c = [[-42.379, 10.14333127, -0.05481717], [2.04901523, -0.22475541, 0.00085282], [-0.00683783, 0.00122874, -0.00000199]]
            hi = sum(c[a][b] * f**a * rh**b for a in range(3) for b in range(3))
            if rh < 13 and 80 <= f <= 112:
                hi -= (13 - rh) / 4 * np.sqrt((17 - abs(f - 95)) / 17)
            elif rh > 85 and 80 <= f <= 87:
                hi += (rh - 85) / 10 * (87 - f) / 5
            felt, level = 5 * (hi - 32) / 9, 1 + (hi >= 90) + (hi >= 103) + (hi >= 125)
        elif s.choice("chill") and t <= 10 and v > 4.8:
            felt = 13.12 + 0.6215 * t + (0.3965 * t - 11.37) * v**0.16
            level = 6 if felt < -20 else 5 if felt < -10 else 0
        g = np.log(share) + 17.62 * t / (243.12 + t)
        feels.append(felt), levels.append(level), dew.append(243.12 * g / (17.62 - g))
    return {"feels": feels, "level_out": levels, "humid_out": dew, "warned": [sum(n >= 3 for n in levels)]}
