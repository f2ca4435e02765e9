"""Scenes of codecs and ciphers, from their specifications, on Python's unbounded integers."""

import numpy as np
from textbook import reference

WORD, LONG = 2**32 - 1, 2**64 - 1


@reference
def lz_matches(s):
    h, w = s.text.shape
    length, dist, saved = np.zeros((h, w), int), np.zeros((h, w), int), np.zeros(h, int)
    for y, x in np.ndindex(h, w):
        row = [int(c) for c in s.text[y]]
        found = []
        for d in range(1, min(int(s.window), x) + 1):
            run = [row[k] == row[k - d] for k in range(x, min(w, x + int(s.longest)))]
            found.append((run.index(False) if False in run else len(run), -d))
        best, d = max(found, default=(0, 0))
        if best == 0 or s.has("least") and best < s.least:
            best, d = 0, 0
        length[y, x], dist[y, x] = best, -d
        saved[y] += max(best - 2, 0)
    return {"length_out": length, "dist_out": dist, "saved": saved}


@reference
def canonical_decode(s):
    codes = {"0": 0, "10": 1, "110": 2, "1110": 3, "1111": 4}
    number, total, used, hist = [], [], [], np.zeros(5)
    for w in s.word:
        stream, got, at, last = "".join(str(int(w) >> b & 1) for b in range(16)), [], 0, 0
        while at < 16:
            end = next((e for e in range(at + 1, min(at + 5, 17)) if stream[at:e] in codes), None)
            if end is None:
                break
            got.append(codes[stream[at:end]])
            at = last = end
            if s.has("stop_at") and got[-1] == s.stop_at:
                break
        number.append(len(got))
        total.append(sum(s.symbol[k] for k in got))
        used.append(last)
        hist += np.bincount(np.array(got, int), minlength=5)
    return {"number_out": number, "sum_out": total, "used_out": used, "hist": hist}


@reference
def mulaw_codec(s):
    code, back, quiet = [], [], 0
    for x in s.pcm:
        x = int(x)
        mag = min(abs(x) * int(s.gain_num) // 8 if s.has("gain_num") else abs(x), 32635)
        segment = next(k for k in range(8) if mag + 132 < 2 ** (k + 8))
        step = (mag + 132 - 2 ** (segment + 7)) // 2 ** (segment + 3)
        code.append(255 - (128 * (x < 0) + 16 * segment + step))
        y = (2 * step + 33) * 2 ** (segment + 2) - 132
        back.append(-y if x < 0 else y)
        quiet += segment == 0 and step == 0
    off = [abs(b - int(x)) for b, x in zip(back, s.pcm)]
    loud = s.choice("measure") or s.has("gain_num")
    return {"code_out": code, "back": back, "err": [max(map(abs, back)) if loud else max(off)], "silent": [quiet]}


@reference
def delta_decode(s):
    level, waves, turns, peak = [], [], [], []
    small, big = int(s.small), int(s.big)
    for w, y in zip(s.word, s.level):
        bits = [int(w) >> k & 1 for k in range(16)]
        y, step, wave = int(y), small, []
        for k, b in enumerate(bits):
            if k >= 2 and bits[k - 2] == bits[k - 1] == b:
                step = min(step + small if s.choice("grow") else 2 * step, big)
            else:
                step = max(step // 2 if s.choice("fall") else step - step // 4 - 1, small)
            y += step if b else -step
            wave.append(y)
        level.append(y)
        waves.append(wave)
        turns.append(sum(a != b for a, b in zip(bits, bits[1:])))
        peak.append(max(map(abs, wave)))
    return {"level": level, "wave": waves, "turns": turns, "peak": peak}


@reference
def zigzag_pairs(s):
    order = sorted(((y, x) for y in range(4) for x in range(4)), key=lambda p: (sum(p), p[0] if sum(p) % 2 else p[1]))
    pairs, last, price = [], [], []
    for block in s.level.astype(int):
        line = [block[p] if not s.has("dead") or abs(block[p]) > s.dead else 0 for p in order]
        at = [k for k, v in enumerate(line) if v]
        runs = [b - a - 1 for a, b in zip([-1] + at, at)]
        pairs.append(len(at))
        last.append(at[-1] if at else -1)
        price.append(sum(2 * int(abs(line[k])).bit_length() + 2 * (r + 1).bit_length() - 1 for k, r in zip(at, runs)))
    return {"pairs": pairs, "last_out": last, "price": price, "empty": [pairs.count(0)], "dc": s.level[:, 0, 0]}


@reference
def intra_modes(s):
    mode, sad, rest = [], [], []
    for e in range(len(s.block)):
        top, side, corner = s.above[e].astype(int), s.left[e].astype(int), int(s.corner[e])
        guess = [np.full((4, 4), (top.sum() + side.sum() + 4) // 8), np.tile(top, (4, 1)), np.tile(side[:, None], (1, 4)),
                 np.clip(top[None, :] + side[:, None] - corner, 0, 255)]
        cost = [np.abs(s.block[e] - g).sum() + (s.penalty if k and s.has("penalty") else 0) for k, g in enumerate(guess)]
        mode.append(int(np.argmin(cost)))
        sad.append(min(cost))
        rest.append(s.block[e] - guess[mode[-1]])
    return {"mode_out": mode, "sad_out": sad, "rest": rest, "used": np.bincount(mode, minlength=4)}


def rotl(v, n, width=32):
    return (v << n | v >> (width - n)) & (2**width - 1)


@reference
def chacha_blocks(s):
    def quarter(x, a, b, c, d):
        for n1, n2 in ((16, 12), (8, 7)):
            x[a] = (x[a] + x[b]) & WORD
            x[d] = rotl(x[d] ^ x[a], n1)
            x[c] = (x[c] + x[d]) & WORD
            x[b] = rotl(x[b] ^ x[c], n2)
    blocks = []
    for r in range(len(s.counter)):
        start = [int.from_bytes(b"expand 32-byte k"[4 * k:4 * k + 4], "little") for k in range(4)]
        start += [int(k) for k in s.key_w] + [int(s.counter[r])] + [int(n) for n in s.nonce[r]]
        x = list(start)
        for _ in range(10):
            for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
                quarter(x, a, b, c, d)
        out = [(a + b) & WORD for a, b in zip(x, start)]
        blocks.append([w ^ int(s.plain[r, k]) for k, w in enumerate(out)] if s.has("plain") else out)
    return {"stream": blocks, "folded": [int(np.bitwise_xor.reduce(np.array(b, np.uint64))) for b in blocks]}


@reference
def siphash_keys(s):
    each, end = ((1, 3) if s.choice("rounds") else (2, 4))
    bucket, tag = [], []
    for i, lanes in enumerate(s.lane):
        n = int(s.used[i]) if s.has("used") else 3
        k0, k1 = (int(k) for k in s.secret)
        v = [k ^ int.from_bytes(c, "big") for k, c in zip((k0, k1, k0, k1), (b"somepseu", b"dorandom", b"lygenera", b"tedbytes"))]

        def rounds(count):
            for _ in range(count):
                for a, b, c, d, r1, r2 in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
                    v[a] = v[a] + v[b] & LONG
                    v[c] = v[c] + v[d] & LONG
                    v[b] = rotl(v[b], r1, 64) ^ v[a]
                    v[d] = rotl(v[d], r2, 64) ^ v[c]
                    v[a] = rotl(v[a], 32, 64)
        for m in [int(w) for w in lanes[:n]] + [8 * n << 56]:
            v[3] ^= m
            rounds(each)
            v[0] ^= m
        v[2] ^= 255
        rounds(end)
        h = v[0] ^ v[1] ^ v[2] ^ v[3]
        bucket.append(h % 16)
        tag.append(h >> 57)
    return {"bucket": bucket, "tag": tag, "load": np.bincount(bucket, minlength=16)}


def field_tables():
    power = [1]
    while len(power) < 255:
        x = power[-1] * 2
        power.append(x ^ 0x11D if x > 255 else x)
    return power, {v: k for k, v in enumerate(power)}


@reference
def rs_syndromes(s):
    power, log = field_tables()
    out, place, clean = [], [], 0
    for r, row in enumerate(s.block.astype(int)):
        n = min(int(s.used[r]), len(row)) if s.has("used") else len(row)
        syn = []
        for k in range(4):
            total = 0
            for m, c in enumerate(row[:n]):
                if c:
                    total ^= power[(log[c] + k * (n - 1 - m)) % 255]
            syn.append(total)
        found = -1
        if syn[0] and syn[1] and syn[2] and (log[syn[1]] - log[syn[0]]) % 255 == (log[syn[2]] - log[syn[1]]) % 255:
            power_of = (log[syn[1]] - log[syn[0]]) % 255
            found = n - 1 - power_of if power_of < n else -1
        out.append(syn)
        place.append(found)
        clean += not any(syn)
    return {"syndrome": out, "place": place, "clean": [clean]}


@reference
def recover_secrets(s):
    p = 1009
    secret = []
    for y, x in zip(s.share.astype(int), s.at.astype(int)):
        if len(set(x)) < 3:
            secret.append(-1)
            continue
        total = 0
        for a in range(3):
            others = [int(x[b]) for b in range(3) if b != a]
            den = (others[0] - int(x[a])) * (others[1] - int(x[a]))
            total += int(y[a]) * others[0] * others[1] * pow(den, -1, p)
        secret.append(total % p)
    right = [sum(v >= 0 and int(w) % p == v for v, w in zip(secret, s.want))] if s.has("want") else None
    return {"secret_out": secret, "bad": [secret.count(-1)], "match_n": right}
