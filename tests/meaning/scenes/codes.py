"""Scenes of codes, from the textbook and, for checksums, from Python's own library."""

import zlib

import numpy as np
from textbook import hat, reference

WORD = 0xFFFFFFFF


def mixed(w):
    for _ in range(2):
        w = ((w ^ (w >> 16)) * 0x045D9F3B) & WORD
    return w ^ (w >> 16)


@reference
def crc32_rows(s):
    n = s.used if s.has("used") else [s.data.shape[1]] * len(s.data)
    crc = [zlib.crc32(bytes(int(b) for b in row[:min(int(k), len(row))])) for row, k in zip(s.data, n)]
    return {"crc_out": crc, "bad": [sum(c != int(w) for c, w in zip(crc, s.want))] if s.has("want") else None}


@reference
def fnv_rows(s):
    digest = []
    for row in s.data:
        h = 2166136261 ^ (int(s.salt) if s.has("salt") else 0)
        for b in row:
            if s.has("end") and b < s.end:
                break
            h = (h ^ int(b)) * 16777619 % 2**32
        digest.append(h)
    m = s.count("bin")
    slots = [(h // 65536 ^ h % 65536) % m if s.choice("fold") else h % m for h in digest]
    return {"digest": digest, "load": np.bincount(slots, minlength=m), "bucket_out": slots}


@reference
def probe_table(s):
    m = len(s.slot_key)
    found, probes = [], []
    for key in s.wanted:
        home = mixed(int(key)) % m
        chain = [(home + k) % m for k in range(int(s.tries))]
        cut = next((k for k, at in enumerate(chain) if s.slot_key[at] in (key, 0)), None)
        hit = cut is not None and s.slot_key[chain[cut]] == key
        found.append(s.payload[chain[cut]] if hit else -1.0)
        probes.append(len(chain) if cut is None else cut)
    return {"found": found, "probes": probes, "missing": [sum(f == -1.0 for f in found)]}


@reference
def morton_decode(s):
    def digits(code, first):
        return sum((int(code) >> (2 * b + first) & 1) << b for b in range(16))

    def interleave(x, y):
        return sum((x >> b & 1) << 2 * b | (y >> b & 1) << (2 * b + 1) for b in range(16))
    x, y = [digits(c, 0) for c in s.code], [digits(c, 1) for c in s.code]
    east = [c if a >= s.width else interleave(a + 1, b) for c, a, b in zip(s.code, x, y)] if s.has("width") else None
    return {"col_out": x, "row_out": y, "east": east, "level": [(int(c).bit_length() + 1) // 2 for c in s.code]}


@reference
def hilbert_order(s):
    def place(x, y, n):
        """The curve of order n as four turned copies of the one of order n - 1."""
        if n == 0:
            return 0, 0
        half = 2 ** (n - 1)
        area = half * half
        if x < half and y < half:
            quadrant, inner = 0, (y, x)
        elif x < half:
            quadrant, inner = 1, (x, y - half)
        elif y >= half:
            quadrant, inner = 2, (x - half, y - half)
        else:
            quadrant, inner = 3, (half - 1 - y, 2 * half - 1 - x)
        d, turns = place(*inner, n - 1)
        return quadrant * area + d, turns + (quadrant in (0, 3))
    shift = int(s.shift) if s.has("shift") else 0
    both = [place((int(x) + shift) % 16, (int(y) + shift) % 16, 4) for x, y in s.at]
    return {"d_out": [d for d, _ in both], "turns": [t for _, t in both]}


@reference
def gray_encoder(s):
    codes = {b ^ (b >> 1): b for b in range(256)}
    b = np.array([codes[int(g)] for g in s.gray])
    step = b - s.last.astype(int)
    tick = s.tick if s.has("tick") else 2 * np.pi / 256
    return {"position_out": b, "turns": s.turns + (step < -128) - (step > 128), "angle_out": b * tick,
            "even": [bin(int(g)).count("1") % 2 == 0 for g in s.gray]}


@reference
def match_descriptors(s):
    match, dist = [], []
    for row in s.desc:
        d = [sum(bin(int(a) ^ int(b)).count("1") for a, b in zip(row, other)) for other in s.train]
        order = np.argsort(d, kind="stable")
        best, second = d[order[0]], d[order[1]] if len(d) > 1 else 97
        far = s.has("limit") and best > s.limit
        match.append(-1 if far or 100 * best >= s.percent * second else order[0])
        dist.append(best)
    return {"match_out": match, "dist_out": dist}


@reference
def bloom_query(s):
    bitmap = [int(w) >> b & 1 for w in s.filter_words for b in range(16)]
    yes, tested = [], []
    for key in s.wanted:
        h1 = mixed(int(key))
        h2 = mixed(h1 ^ 0x5BD1E995) | 1
        seen = [bitmap[(h1 + k * h2) % 2**32 % len(bitmap)] for k in range(int(s.hashes))]
        yes.append(all(seen))
        tested.append(seen.index(0) + 1 if 0 in seen else len(seen))
    return {"contains": yes, "total": [sum(yes)], "tested": tested}


@reference
def pack_normal(s):
    u = np.array([hat(n) for n in s.n])
    q = np.floor((u + 1) / 2 * 1023 + 0.5).astype(np.int64)
    tag = s.tag.astype(np.int64) if s.has("tag") else np.zeros(len(u), np.int64)
    r = q * 2 / 1023 - 1
    return {"word_out": q @ [1, 2**10, 2**20] + tag * 2**30, "back": [hat(v) for v in r], "worst": [np.abs(r - u).max()]}


@reference
def varint_rows(s):
    total, n, cut = [], [], []
    for row in s.data:
        groups, open_group = [], []
        for b in row:
            open_group.append(int(b) % 128)
            if b < 128:
                groups.append(open_group)
                open_group = []
        raw = [sum(v << 7 * k for k, v in enumerate(g[:3])) for g in groups]
        total.append(sum(v // 2 if v % 2 == 0 else -(v + 1) // 2 for v in raw))
        n.append(len(raw))
        cut.append(bool(open_group))
    return {"sum_out": total, "numbers": n, "broken": cut}


@reference
def modular_inverse(s):
    p = int(s.prime)
    x = [(int(a) + (int(s.offset) if s.has("offset") else 0)) % p for a in s.a]
    inverse = [pow(v, -1, p) if v else 0 for v in x]
    return {"inv_out": inverse, "power_out": [v * v % p for v in inverse], "rest": [int(v != 0) and v * w % p for v, w in zip(x, inverse)]}
