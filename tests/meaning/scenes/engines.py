"""Small machines, from their descriptions."""

import binascii
import struct

import numpy as np
from textbook import reference


@reference
def stack_machine(s):
    y, deep, faults = [], [], 0
    for x in s.x:
        stack, most = [], 0
        for op, imm, slot in zip(s.prog, s.imm, s.slots if s.has("slots") else np.zeros(12, int)):
            if op == 0:
                stack.append(imm)
            elif op == 1:
                stack.append(x[slot])
            elif len(stack) < (1 if op == 6 else 2):
                faults += 1
                continue
            elif op == 6:
                stack.append(-stack.pop())
            else:
                b, a = stack.pop(), stack.pop()
                stack.append([a + b, a - b, a * b, 1.0 if abs(b) < 0.01 else a / b][op - 2])
            most = max(most, len(stack))
        y.append(np.clip(stack[-1], -1e4, 1e4) if stack else x[0])
        deep.append(most)
    return {"y": y, "depth_out": deep, "faults": [faults]}


@reference
def dfa_match(s):
    best, where, number = [], [], []
    for text in s.text:
        matches, at = [], 0
        while at < 20:
            state, length = 0, 0
            for n, c in enumerate(text[at:], 1):
                state = s.table[state, c]
                if s.has("trap") and state == s.trap:
                    break
                length = n if s.accept[state] > 0 else length
            matches += [(length, at)] if length else []
            at += max(length, 1)
        top = max(matches, key=lambda m: m[0], default=(0, -1))
        best.append(top[0])
        where.append(top[1])
        number.append(len(matches))
    return {"best": best, "where_out": where, "n_out": number}


@reference
def lz_unpack(s):
    out, n, copies, bad = np.zeros((len(s.code), 40)), [], [], 0
    for r, row in enumerate(s.code.tolist()):
        text, made = [], 0
        for c in row:
            if c < 128:
                text.append(c)
            elif c % 16 + 1 > min(len(text), 40):
                bad += 1
            else:
                made += 1
                for _ in range(c // 16 % 8 + 2):
                    text.append(text[-(c % 16 + 1)])
            text = text[:40]
        out[r, :len(text)] = text
        n.append(len(text))
        copies.append(made)
    return {"out_v": out, "n_out": n, "copies": copies, "bad": [bad]}


def murmur3(data, seed):
    def rotate(x, n):
        return (x << n | x >> 32 - n) & 0xFFFFFFFF

    h = seed
    for (k,) in struct.iter_unpack("<I", data):
        h ^= rotate(k * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF
        h = (rotate(h, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ h >> shift) * factor & 0xFFFFFFFF
    return h


@reference
def hash_rows(s):
    rows = [struct.pack("<6I", *map(int, w)) for w in s.w]
    h = np.array([murmur3(d, int(s.seed)) if s.choice("kind") == 0 else binascii.crc32(d) for d in rows])
    return {"h_out": h, "bucket": h % 16, "load": np.bincount(h % 16, minlength=16)}


@reference
def sha_rounds(s):
    mask = 0xFFFFFFFF

    def turn(x, *by):
        return [(x >> n | x << 32 - n) & mask for n in by]

    digests = []
    for m in s.m:
        w = [int(x) for x in m]
        for t in range(16, 64):
            a, b = turn(w[t - 15], 7, 18), turn(w[t - 2], 17, 19)
            w.append((w[t - 16] + (a[0] ^ a[1] ^ w[t - 15] >> 3) + w[t - 7] + (b[0] ^ b[1] ^ w[t - 2] >> 10)) & mask)
        v = [int(x) for x in s.iv]
        for t in range(64):
            a, b, c, d, e, f, g, h = v
            x, y = turn(e, 6, 11, 25), turn(a, 2, 13, 22)
            first = h + (x[0] ^ x[1] ^ x[2]) + (e & f | ~e & mask & g) + int(s.kt[t]) + w[t]
            second = (y[0] ^ y[1] ^ y[2]) + (a & b | a & c | b & c)
            v = [(first + second) & mask, a, b, c, (d + first) & mask, e, f, g]
        digests.append([(int(p) + q) & mask for p, q in zip(s.iv, v)])
    return {"d": digests, "lead": [32 - int(d[0]).bit_length() for d in digests]}


@reference
def foc_step(s):
    ic = -s.ia - s.ib
    z = 2 / 3 * (s.ia + s.ib * np.exp(2j * np.pi / 3) + ic * np.exp(-2j * np.pi / 3))  # the space vector of the currents
    i = z * np.exp(-1j * s.th)
    err = 1j * s.iq_ref - i
    u = s.kp * err + s.sum_d + 1j * s.sum_q
    u = u + (1j * s.omega * s.flux if s.has("omega") and s.has("flux") else 0.0)
    most = s.bus / np.sqrt(3)
    over = abs(u) > most
    total = s.sum_d + 1j * s.sum_q + np.where(over, 0, s.ki * err * s.dt)
    u = np.where(over, u / abs(u) * most, u) * np.exp(1j * s.th)
    v = np.stack([(u * np.exp(-2j * np.pi * k / 3)).real for k in range(3)], 1)
    if s.choice("pwm") == 0:
        v = v - (v.max(1) + v.min(1))[:, None] / 2
    duty = v / s.bus + 0.5
    return {"duty": duty if s.choice("pwm") == 0 else np.clip(duty, 0, 1), "sum_d": total.real, "sum_q": total.imag, "iq_out": i.imag, "clipped": [over.sum()]}


@reference
def counter_queue(s):
    mean, worst, gone, busy = [], [], [], []
    for gaps, jobs in zip(s.gap, s.job):
        free = [0.0, 0.0, s.break_at if s.has("break_at") else 0.0]
        waits, work, lost = [], 0.0, 0
        for now, job in zip(np.cumsum(gaps), jobs):
            first = free.index(min(free))
            wait = max(free[first] - now, 0.0)
            if s.has("patience") and wait > s.patience:
                lost += 1
                continue
            free[first] = now + wait + job
            waits.append(wait)
            work += job
        mean.append(np.mean(waits) if waits else 0.0)
        worst.append(max(waits, default=0.0))
        gone.append(lost)
        busy.append(work / (3 * max(*free, 0.1)))
    return {"mean_wait": mean, "worst": worst, "left_n": gone, "busy": busy}


@reference
def drive_train(s):
    n = len(s.v)
    v, gear, fuel, rpm_out, locks = s.v.copy(), s.gear.copy(), np.zeros(n), np.zeros(n), 0
    for i in range(n):
        def revs(g):
            return float(np.clip(s.v[i] / 0.31 * s.ratio_t[g - 1] * 3.6 * 9.5493, 800, 7000))

        g = int(s.gear[i])
        g = g + 1 if revs(g) > 5200 and g < 5 else g - 1 if revs(g) < 1500 and g > 1 else g
        rpm = revs(g)
        knots = np.linspace(800, 7000, 8)
        torque = np.interp(rpm, knots, s.curve) * s.thr[i]
        if s.thr[i] < 0.05:
            torque = -0.1 * s.curve[min(int((rpm - 800) / 6200 * 7), 6)]
        grip = (0.5 if s.has("wet") and s.wet[i] == 1 else 0.9) * 9.81 * s.mass
        stop = s.brake[i] * 12000
        if stop > 0.9 * grip:
            stop, locks = 0.9 * grip, locks + 1
        push = min(torque * s.ratio_t[g - 1] * 3.6 * 0.9 / 0.31, grip)
        a = (push - stop - 0.396 * s.v[i] ** 2) / s.mass - 0.012 * 9.81 - (9.81 * np.sin(s.slope[i]) if s.has("slope") else 0.0)
        v[i], gear[i], rpm_out[i] = max(s.v[i] + a * s.dt, 0), g, rpm
        fuel[i] = max(torque, 0) * rpm * 0.10472 * s.dt * 9e-8
    return {"v": v, "gear": gear, "fuel": fuel, "rpm_out": rpm_out, "locks": [locks]}
