"""Scenes of machine words, from the textbook, with Python's unbounded integers and its own library."""

import base64
import math
import zlib

import numpy as np
from textbook import reference

WORD = 2**32


def ones(w):
    return bin(int(w) % WORD).count("1")


def xorshifted(x):
    x = (x ^ x << 13) % WORD
    x ^= x >> 17
    return (x ^ x << 5) % WORD


@reference
def xorshift_streams(s):
    states, counts, peak, unit = [], [], 0, []
    for i, x in enumerate(s.state):
        x = int(x)
        if s.has("salt"):
            x = (x ^ int(s.salt[i]) << 16) % WORD or 0x9E3779B9
        for _ in range(int(s.skip) if s.has("skip") else 0):
            x = xorshifted(x)
        on = []
        for _ in range(int(s.rounds)):
            x = xorshifted(x)
            on.append(ones(x))
        states.append(x)
        counts.append(sum(on))
        peak = max(peak, *on)
        unit.append((x >> 9) / 2**23 if s.choice("unit") else (x >> 8) / 2**24)
    return {"state": states, "ones_out": counts, "worst": [peak], "u_out": unit}


@reference
def frame_pack(s):
    v = s.v.astype(int)
    low, span = v.min(1), v.max(1) - v.min(1)
    width = [int(d).bit_length() for d in span]
    words = []
    for row, base, w in zip(v, low, width):
        stream = sum(int(x - base) << w * k for k, x in enumerate(row))
        words.append([stream >> 32 * k & 0xFFFFFFFF for k in range(3)])
    raw = [int(np.sum(span > s.spread))] if s.has("spread") else None
    return {"base_out": low, "width_out": width, "words": words, "raw": raw, "saved": [256 - 32 - 8 * w for w in width]}


@reference
def lcg_jump(s):
    a, c = [(1664525, 1013904223), (22695477, 1)][s.choice("generator")]
    end = []
    for i, x in enumerate(s.state):
        x = int(x)
        for _ in range(int(s.stride) + (int(s.ahead[i]) if s.has("ahead") else 0)):
            x = (a * x + c) % WORD
        end.append(x)
    faces = [(x >> 16) % int(s.faces) for x in end] if s.has("faces") else None
    return {"state": end, "die": faces, "tally": np.bincount([x >> 28 for x in end], minlength=16)}


@reference
def sieve_segments(s):
    first = (s.block.astype(int) + (int(s.start) if s.has("start") else 0)) * 64
    top = int(first.max()) + 64
    prime = np.ones(top + 1, bool)
    prime[:2] = False
    for d in range(2, math.isqrt(top) + 1):
        prime[d * d::d] = False
    flags = [[bool(prime[n + 2 * b + 1]) for b in range(32)] for n in first]
    counts = [sum(f) for f in flags]
    return {"mask_out": [sum(p << b for b, p in enumerate(f)) for f in flags], "count_out": counts, "total": [sum(counts)],
            "twins": [sum(p and q for p, q in zip(f, f[1:])) for f in flags]}


@reference
def collatz_steps(s):
    rows = []
    for n in map(int, s.start):
        path = [n]
        while path[-1] != 1 and len(path) <= s.most:
            x = path[-1]
            path.append(x // 2 if x % 2 == 0 else (3 * x + 1) // 2 if s.choice("odd") else 3 * x + 1)
        drop = next((k for k, x in enumerate(path) if x < n), -1)
        rows.append((len(path) - 1, max(path), sum(x % 2 for x in path[:-1]), drop, path[-1] != 1))
    cols = list(zip(*rows))
    return {"length_out": cols[0], "peak_out": cols[1], "odd_out": cols[2], "below": cols[3], "stuck": [sum(cols[4])]}


@reference
def check_digits(s):
    def luhn(row):
        return sum(sum(divmod(2 * d, 10)) if k % 2 else d for k, d in enumerate(row))

    def bar_code(row):
        return sum(row[0::2]) + 3 * sum(row[1::2])
    total = [(bar_code if s.choice("scheme") else luhn)([int(d) for d in row]) for row in s.digit]
    want = [-t % 10 for t in total]
    valid = [w == c for w, c in zip(want, s.check)]
    first = [int(row[0]) for row, ok in zip(s.digit, valid) if ok]
    return {"valid": valid, "want_out": want, "bad": [valid.count(False)], "issuer": np.bincount(np.array(first, int), minlength=10)}


@reference
def base64_groups(s):
    n = s.size if s.has("size") else [3] * len(s.data)
    return {"text": [list(base64.b64encode(bytes(int(b) for b in row[:int(k)]))) for row, k in zip(s.data, n)]}


@reference
def binary_to_bcd(s):
    n = [int(v) for v in s.n]
    off = s.dark == 1 if s.has("dark") else np.zeros(len(n), bool)
    bcd = [0xFFFFF if o else int(str(v), 16) for v, o in zip(n, off)]
    digits = [None if o else len(str(v)) for v, o in zip(n, off)]
    total = [None if o else sum(map(int, str(v))) for v, o in zip(n, off)]

    def kept(role, values):
        return np.where(off, s.role(role, s.args), np.array([v or 0 for v in values])) if s.has(role) else None
    return {"bcd": bcd, "digits_out": kept("digits_out", digits), "sum_out": kept("sum_out", total),
            "low_nibble": np.bincount([v % 10 for v, o in zip(n, off) if not o], minlength=10)}


@reference
def hamming_decode(s):
    checks = [[p for p in range(1, 16) if p & c] for c in (1, 2, 4, 8)]
    data, state, where = [], [], []
    for i, w in enumerate(s.word):
        bit = [int(w) >> b & 1 for b in range(16)]
        if s.has("flips"):
            bit[int(s.flips[i])] ^= 1
        place = sum((sum(bit[p] for p in group) % 2) << k for k, group in enumerate(checks))
        odd = sum(bit) % 2
        if odd:
            bit[place] ^= 1
        data.append(sum(b << k for k, b in enumerate(bit[p] for p in (3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15))))
        state.append(1 if odd else 2 if place else 0)
        where.append(place)
    return {"data_out": data, "state_out": state, "where_out": where, "fixed_n": [state.count(1)], "lost": [state.count(2)]}


@reference
def whiten_rows(s):
    out, end = s.data.astype(int).copy(), []
    total = []
    for r in range(len(out)):
        seq = [int(s.begin[r]) >> b & 1 for b in range(9)] if s.has("begin") else [1] * 9
        n = min(int(s.used[r]), out.shape[1]) if s.has("used") else out.shape[1]
        while len(seq) < 8 * n + 9:
            seq.append(seq[-9] ^ seq[-4])
        for k in range(n):
            out[r, k] ^= sum(b << j for j, b in enumerate(seq[8 * k:8 * k + 8]))
        total.append(sum(ones(v) for v in out[r, :n]))
        end.append(sum(b << j for j, b in enumerate(seq[8 * n:8 * n + 9])))
    return {"data": out, "ones": total, "last": end}


@reference
def running_checksums(s):
    n = s.used if s.has("used") else [s.data.shape[1]] * len(s.data)
    blocks = [[int(b) for b in row[:int(k)]] for row, k in zip(s.data, n)]

    def fletcher(block):
        a = sum(block) % 255
        b = sum(v * (len(block) - k) for k, v in enumerate(block)) % 255
        return b << 8 | a
    total = [fletcher(b) if s.choice("kind") else zlib.adler32(bytes(b)) for b in blocks]
    bad = [sum(t != int(w) for t, w in zip(total, s.want))] if s.has("want") else None
    return {"sum_out": total, "damaged": bad, "order": [t >> (8 if s.choice("kind") else 16) for t in total]}


@reference
def integer_roots(s):
    n = [int(x) ** 2 + (int(s.y[i]) ** 2 if s.has("y") else 2 * int(x)) for i, x in enumerate(s.x)]
    root = [math.isqrt(v) for v in n]
    rest = [v - r * r for v, r in zip(n, root)]
    nearest = [round(math.sqrt(v)) for v in n]
    return {"root_out": nearest if s.choice("round") else root, "rest_out": rest, "squares": [rest.count(0)]}
