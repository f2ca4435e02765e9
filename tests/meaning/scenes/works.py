"""Works of many stages, from the rules, the specifications and the published matrices."""

import numpy as np
from textbook import reference


@reference
def chess_eval(s):
    worth = {1: 100, 2: 320, 3: 330, 4: 500, 5: 900, 6: 0}
    total, material, structure = [], [], []
    for i, b in enumerate(s.board.astype(int)):
        men = [(y, x, abs(b[y, x]), int(np.sign(b[y, x]))) for y in range(8) for x in range(8) if b[y, x]]
        mat = sum(worth[k] * c for _, _, k, c in men)
        files = {c: [sum(x == f and k == 1 and d == c for _, x, k, d in men) for f in range(8)] for c in (1, -1)}
        pawns = 0
        for c, n in files.items():
            pawns -= c * s.doubled_penalty * sum(max(v - 1, 0) for v in n)
            pawns -= c * s.isolated_penalty * sum(n[f] > 0 and not any(n[g] for g in (f - 1, f + 1) if 0 <= g < 8) for f in range(8))
        place = 0
        for y, x, k, c in men:
            if k == 2:
                place += c * 10 * (min(y, x, 7 - y, 7 - x) - 1)
            elif k == 4:
                if files[c][x] == 0:
                    place += c * s.open_file_bonus * (2 if files[-c][x] == 0 else 1)
                for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    n = 1
                    while 0 <= y + n * dy < 8 and 0 <= x + n * dx < 8 and b[y + n * dy, x + n * dx] == 0:
                        n += 1
                    place += c * 2 * (n - 1)
            elif k == 6 and 0 <= y + c < 8:
                place += c * 9 * sum(b[y + c, f] == c for f in (x - 1, x, x + 1) if 0 <= f < 8)
        place += 30 * sum(c for c in (1, -1) if sum(k == 3 and d == c for _, _, k, d in men) >= 2)
        move = (s.tempo if s.black_moves[i] == 0 else -s.tempo) if s.has("black_moves") else 0
        total.append(mat + pawns + place + move)
        material.append(mat)
        structure.append(pawns)
    return {"score_out": total, "material_out": material, "pawns_out": structure}


@reference
def register_machine(s):
    regs, steps, memory, halted, taken = [], [], [], [], np.zeros(16)
    plain = {1: lambda a, b, n: a + b, 2: lambda a, b, n: a - b, 3: lambda a, b, n: a * b, 4: lambda a, b, n: a & b, 5: lambda a, b, n: a | b,
             6: lambda a, b, n: a ^ b, 7: lambda a, b, n: n - 8, 8: lambda a, b, n: a + n - 8, 9: lambda a, b, n: b}
    for code, start in zip(s.code.astype(int).tolist(), s.start.astype(int).tolist()):
        r, m, pc, n, stop = list(start), [0] * 16, 0, 0, False
        while n < s.limit and not stop:
            op, d, q, imm = code[pc] >> 8 & 15, code[pc] >> 6 & 3, code[pc] >> 4 & 3, code[pc] & 15
            a, b, value, nxt = r[d], r[q], r[d], (pc + 1) % 16
            taken[op] += 1
            n += 1
            if op in plain:
                value = plain[op](a, b, imm)
            elif op == 0:
                stop = imm == 0
            elif op == 10:
                value = m[(b + imm) % 16]
            elif op == 11:
                m[(b + imm) % 16] = a
            elif op == 14 or op == 12 and a == 0 or op == 13 and a < b:
                nxt = imm
            elif op == 15:
                value, m[imm] = m[imm], a
            r[d] = (value + 2**15) % 2**16 - 2**15
            pc = pc if stop else nxt
        regs.append(r)
        steps.append(n)
        memory.append(m)
        halted.append(stop)
    return {"reg_out": regs, "steps_out": steps, "memory_out": memory, "halted": halted, "taken": taken}


@reference
def code_blocks(s):
    forward = np.array([[1, 1, 1, 1], [2, 1, -1, -2], [1, -1, -1, 1], [1, -2, 2, -1]])
    factors = [(13107, 8066, 5243), (11916, 7490, 4660), (10082, 6554, 4194), (9362, 5825, 3647), (8192, 5243, 3355), (7282, 4559, 2893)]
    scales = [(10, 13, 16), (11, 14, 18), (13, 16, 20), (14, 18, 23), (16, 20, 25), (18, 23, 29)]
    period, phase = divmod(int(s.qp), 6)
    place = np.add.outer([0, 1, 0, 1], [0, 1, 0, 1])
    mf, vf = np.array(factors[phase])[place], np.array(scales[phase])[place]

    def back(v):
        e0, e1, e2, e3 = v[0] + v[2], v[0] - v[2], v[1] // 2 - v[3], v[1] + v[3] // 2
        return np.array([e0 + e3, e1 + e2, e1 - e2, e0 - e3])
    rec, sse, levels, dc = [], [], [], []
    for x, g in zip(s.px.astype(int), s.guess.astype(int)):
        w = forward @ (x - g) @ forward.T
        lev = np.sign(w) * ((np.abs(w) * mf + 2 ** (15 + period) // (int(s.deadzone) if s.has("deadzone") else 3)) >> (15 + period))
        r = lev * vf * 2**period
        r = back(back(r.T).T)
        out = np.clip(g + (r + 32 >> 6), 0, 255)
        rec.append(out)
        sse.append(np.sum((out - x) ** 2))
        levels.append(np.count_nonzero(lev))
        dc.append(w[0, 0])
    return {"rec": rec, "sse": sse, "levels": levels, "dc_out": dc, "skipped": [levels.count(0)]}


@reference
def film_pipeline(s):
    to_xyz = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
    from_xyz = np.array([[3.2404542, -1.5371385, -0.4985314], [-0.9692660, 1.8760108, 0.0415560], [0.0556434, -0.2040259, 1.0572252]])
    cones = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    back = np.array([[0.9869929, -0.1470543, 0.1599627], [0.4323053, 0.5183603, 0.0492912], [-0.0085287, 0.0400428, 0.9684867]])
    t = s.kelvin
    if t < 4000:
        x = np.polyval([-0.2661239e9, -0.2343589e6, 0.8776956e3, 0.179910], 1 / t)
        y = np.polyval([-0.9549476, -1.37418593, 2.09137015, -0.16748867], x)
    else:
        x = np.polyval([-3.0258469e9, 2.1070379e6, 0.2226347e3, 0.240390], 1 / t)
        y = np.polyval([3.0817580, -5.87338670, 3.75112997, -0.37001483], x)
    white = cones @ [x / y, 1, (1 - x - y) / y]
    c = s.raw
    if s.has("black"):
        c = np.maximum(c - s.black, 0) / (1 - s.black)
    c = c @ (from_xyz @ back @ np.diag([0.9414, 1.0404, 1.0895] / white) @ cones @ to_xyz).T
    h, w = c.shape[:2]
    k = 2**s.exposure
    if s.has("vign"):
        py, px = np.meshgrid((2 * np.arange(h) + 1) / h - 1, (2 * np.arange(w) + 1) / w - 1, indexing="ij")
        k = (k * (1 + s.vign * (px**2 + py**2)))[..., None]
    c = np.maximum(c * k, 0)
    lum = c @ to_xyz[1]
    if s.has("sat"):
        c = np.maximum(lum[..., None] + (c - lum[..., None]) * s.sat, 0)
    c = c / (1 + c) if s.choice("curve") else np.clip(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0, 1)
    c = np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)
    return {"img": c, "luma": lum, "hist": np.bincount(np.clip(lum * 4, 0, 15).astype(int).ravel(), minlength=16)}
