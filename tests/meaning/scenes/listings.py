"""Scenes of lists, texts, sketches and calendars, by their definitions and with Python's own library."""

import bisect
import datetime
import itertools

import numpy as np
from textbook import reference

WORD = 0xFFFFFFFF


def mixed(w):
    for _ in range(2):
        w = ((w ^ (w >> 16)) * 0x045D9F3B) & WORD
    return w ^ (w >> 16)


@reference
def unrank_subsets(s):
    sets = sorted(itertools.combinations(range(12), 4), key=lambda c: sum(1 << x for x in c))
    got = [sets[(int(r) + (int(s.base) if s.has("base") else 0)) % 495] for r in s.rank]
    return {"mask_out": [sum(1 << x for x in c) for c in got], "low_out": [c[0] for c in got], "spread": [c[-1] - c[0] for c in got],
            "uses": np.bincount([x for c in got for x in c], minlength=12)}


@reference
def minhash_rows(s):
    sign, alike, least = [], [], []
    for r, row in enumerate(s.token.astype(int)):
        n = min(int(s.size[r]), len(row)) if s.has("size") else len(row)
        line = [min(mixed(int(t) ^ ((k + 1) * 0x9E3779B9 & WORD)) for t in row[:n]) for k in range(4)]
        sign.append(line)
        least.append(min(row[:n]))
        if s.has("reference"):
            same = (lambda a, b: a % 4 == b % 4) if s.choice("bits") else (lambda a, b: a == b)
            alike.append(sum(same(a, int(b)) for a, b in zip(line, s.reference)))
    return {"sign": sign, "alike": alike or None, "smallest": least}


@reference
def distinct_registers(s):
    register, rank, many = np.zeros(16), np.zeros(len(s.k)), 0
    for i, k in enumerate(s.k):
        if s.has("skip") and s.skip[i] == 1:
            continue
        h = format(mixed((int(k) + 0x85EBCA6B) & WORD), "032b")
        rank[i] = (h[4:] + "1").index("1") + 1
        register[int(h[:4], 2)] = max(register[int(h[:4], 2)], rank[i])
        many += rank[i] >= s.least if s.has("least") else 0
    return {"register": register, "rank_out": rank, "long_runs": [many]}


@reference
def rolling_search(s):
    p = [int(c) for c in s.pattern]

    def code(w):
        return (49 * w[0] + 7 * w[1] + w[2]) % 13
    hits, first, apart, near = [], [], [], []
    for row in s.text.astype(int).tolist():
        windows = [row[k:k + 3] for k in range(len(row) - 2)]
        at = [k for k, w in enumerate(windows) if w == p]
        free, n = 0, 0
        for k in at:
            if k >= free:
                n, free = n + 1, k + 3
        hits.append(len(at))
        first.append(at[0] if at else -1)
        apart.append(n)
        near.append(sum(code(w) == code(p) and w != p for w in windows))
    return {"hits": hits, "first": first, "apart": apart, "near": near}


@reference
def rotation_ranks(s):
    out, rank, home = [], [], []
    for row in s.text.astype(int).tolist():
        order = sorted(range(len(row)), key=lambda k: (row[k:] + row[:k], k))
        out.append([row[k - 1] for k in order])
        rank.append(np.argsort(order))
        home.append(order.index(0))
    return {"shifted": out, "rank_out": rank, "home": home}


@reference
def longest_increasing(s):
    length, end, probes, down = [], [], [], []
    for r, row in enumerate(s.v.astype(int).tolist()):
        row = row[:min(int(s.used[r]), len(row))] if s.has("used") else row
        best = []
        for k, x in enumerate(row):
            best.append(1 + max((best[j] for j in range(k) if (row[j] <= x if s.choice("strict") else row[j] < x)), default=0))
        n = max(best)
        length.append(n)
        end.append(min(x for x, b in zip(row, best) if b == n))
        tails, looks = [], 0
        for x in row:
            at = (bisect.bisect_right if s.choice("strict") else bisect.bisect_left)(tails, x)
            low, high = 0, len(tails)
            while low < high:
                looks += 1
                low, high = ((low + high) // 2 + 1, high) if (low + high) // 2 < at else (low, (low + high) // 2)
            tails[at:at + 1] = [x]
        probes.append(looks)
        down.append(sum(b < a for a, b in zip(row, row[1:])))
    return {"length_out": length, "end_out": end, "probes": probes, "down": down}


@reference
def bracket_lines(s):
    mistake, deep, pairs = [], [], []
    for row in s.sign.astype(int).tolist():
        open_ones, worst, n, wrong = [], 0, 0, -1
        for k, t in enumerate(row):
            if t in (0, 1):
                open_ones.append(t)
                worst = max(worst, len(open_ones))
            elif t in (2, 3):
                if not open_ones or open_ones.pop() != t - 2:
                    wrong = k
                    break
                n += 1
        mistake.append(len(row) if wrong < 0 and open_ones else wrong)
        deep.append(worst)
        pairs.append(n)
    return {"mistake": mistake, "deep_out": deep, "pairs": pairs, "good": [mistake.count(-1)]}


@reference
def free_runs(s):
    start, claimed, free = [], [], []
    for i, u in enumerate(s.used):
        n = max(int(s.want[i]), int(s.size)) if s.has("want") else int(s.size)
        taken = [int(u) >> b & 1 for b in range(16)]
        at = next((b for b in range(17 - n) if not any(taken[b:b + n])), -1)
        start.append(at)
        claimed.append(int(u) + (((1 << n) - 1) << at if at >= 0 else 0))
        free.append(taken.count(0))
    return {"start_out": start, "claimed": claimed, "free_out": free, "failed": [start.count(-1)]}


def easter(year):
    """By the rules of the church: the first Sunday after the full moon of the tables on or after the 21st of March."""
    golden, century = year % 19 + 1, year // 100
    epact = (14 + 11 * (golden - 1) - (3 * (century + 1) // 4) + (5 + 8 * (century + 1)) // 25) % 30
    if epact == 0 or epact == 1 and golden > 11:
        epact += 1
    moon = datetime.date(year, 4, 19) - datetime.timedelta(epact)
    return moon + datetime.timedelta(7 - (moon.weekday() + 1) % 7)


@reference
def easter_dates(s):
    dates = [easter(int(y)) for y in s.year]
    feast = [(d - datetime.date(d.year, 3, 1)).days + int(s.days_after) for d in dates] if s.has("days_after") else None
    return {"month_out": [d.month for d in dates], "day_out": [d.day for d in dates], "feast_day": feast}


@reference
def iso_weeks(s):
    first = datetime.date(1970, 1, 1)
    dates = [first + datetime.timedelta(int(d) + (int(s.shift) if s.has("shift") else 0)) for d in s.day]
    parts = [d.isocalendar() for d in dates]
    return {"week_out": [p[1] for p in parts], "year_out": [p[0] for p in parts], "weekday_out": [p[2] for p in parts],
            "weekend": [sum(p[2] > 5 for p in parts)], "by_week": np.bincount([p[1] for p in parts], minlength=54)}


@reference
def draw_segments(s):
    hits, cells, cut = np.zeros((12, 12)), [], []
    for a, b in zip(s.head.astype(int), s.tail.astype(int)):
        n = int(max(abs(b - a)))
        line = [a + np.sign(b - a) * ((2 * k * abs(b - a) + n) // (2 * n)) for k in range(n + 1)] if n else [a]
        drawn, blocked = 0, 0
        for k, (x, y) in enumerate(line):
            if s.has("wall") and s.wall[x, y] == 1:
                blocked = 1
                break
            if not s.has("dash") or k // int(s.dash) % 2 == 0:
                hits[x, y] += 1
                drawn += 1
        cells.append(drawn)
        cut.append(blocked)
    return {"hits": hits, "cells_out": cells, "stopped": cut if s.has("wall") else None}


@reference
def transpose_slots(s):
    order = np.lexsort((s.row_of, s.col)) if s.choice("order") else np.argsort(s.col, kind="stable")
    place = np.argsort(order, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(s.col.astype(int), minlength=10))])
    return {"place": place, "row_new": s.row_of[order], "v_new": s.v[order] if s.has("v") else None, "starts": starts}


@reference
def rank_lists(s):
    jump, total = [], []
    for i in range(len(s.next_node)):
        here, at, r = i, int(s.next_node[i]), s.rank[i]
        for _ in range(int(s.hops) if s.has("hops") else 1):
            if at == here:
                break
            r += s.rank[at]
            here, at = at, int(s.next_node[at])
        jump.append(at)
        total.append(r)
    return {"jump_out": jump, "rank_out": total, "total": [sum(s.next_node[j] == j for j in jump)]}


@reference
def cuckoo_lookup(s):
    m = s.count("bin")
    found, where, free = [], [], []
    for key in s.wanted:
        homes = [mixed(int(key)) % m, mixed(int(key) ^ 0x5BD1E995) % m]
        hit = [(b, k, side + 1) for side, b in enumerate(homes) for k in range(4) if s.slot[b, k] == key]
        found.append(s.payload[hit[0][0], hit[0][1]] if hit else s.absent)
        where.append(hit[0][2] if hit else 0)
        free.append(sum(np.sum(s.slot[b] == 0) for b in homes))
    return {"found": found, "where_out": where, "free_out": free, "misses": [where.count(0)]}


@reference
def intersect_lists(s):
    common, last, union = [], [], []
    for ga, gb in zip(s.a, s.b):
        a, b = np.cumsum(ga), np.cumsum(gb)
        both = sorted(set(a) & set(b))
        end = min(a[-1], b[-1])
        if s.has("stop_after") and len(both) >= s.stop_after:
            both = both[:int(s.stop_after)]
            end = both[-1]
        common.append(len(both))
        last.append(both[-1] if both else -1)
        union.append(len({x for x in (*a, *b) if x <= end}))
    return {"common": common, "last_out": last, "union_out": union}
