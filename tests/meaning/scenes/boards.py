"""Scenes of games and automata, by their rules on plain lists and sets."""

import itertools

import numpy as np
from textbook import reference


def bits_of(word, n=64):
    return [b for b in range(n) if int(word) >> b & 1]


@reference
def four_in_a_row(s):

    def wins(board, step):
        return any(all(b + k * step in board for k in range(4)) for b in board)
    status, free, value = [], [], []
    for f, g in zip(s.first, s.second):
        a = set(bits_of(f))
        b = set(bits_of(g)) - a
        status.append(next((k + 1 for k, p in enumerate((a, b)) if any(wins(p, d) for d in (1, 7, 6, 8))), 0))
        free.append(sum(7 * c + 5 not in a | b for c in range(7)))
        mid = set(range(14, 20))
        value.append(len(a) - len(b) + int(s.weight) * (len(a & mid) - len(b & mid)) if s.has("weight") else 0)
    return {"status": status, "open_out": free, "wins": np.bincount(status, minlength=3), "eval_out": value if s.has("weight") else None}


@reference
def sudoku_masks(s):
    singles, clash, left, many = [], [], [], []
    for p in s.puzzle.astype(int):
        bad, seen = 0, set()
        for y, x in itertools.product(range(9), repeat=2):
            d = p[y, x]
            if d:
                houses = {("r", y, d), ("c", x, d), ("b", y // 3, x // 3, d)}
                bad += bool(houses & seen)
                seen |= houses
        free = [len({d for d in range(1, 10) if not {("r", y, d), ("c", x, d), ("b", y // 3, x // 3, d)} & seen})
                for y, x in itertools.product(range(9), repeat=2) if p[y, x] == 0]
        singles.append(free.count(1))
        clash.append(bad)
        left.append(len(free))
        many.append(sum(n >= s.hard for n in free) if s.has("hard") else 0)
    return {"singles": singles, "clash": clash, "cells_left": left, "many": many if s.has("hard") else None}


@reference
def count_queens(s):
    ways, tried, first = [], [], []
    for i, rows in enumerate(s.blocked.astype(int)):
        thin = int(s.thin[i]) if s.has("thin") else 0
        n = [0, 0, -1]

        def place(y, queens):
            for x in range(5):
                if rows[y] & ~thin & 1 << x or any(x == c or abs(x - c) == y - k for k, c in enumerate(queens)):
                    continue
                n[1] += 1
                if y == 4:
                    n[0] += 1
                    n[2] = n[1] if n[2] < 0 else n[2]
                else:
                    place(y + 1, queens + [x])
        place(0, [])
        ways.append(n[0])
        tried.append(n[1])
        first.append(n[2])
    return {"ways": ways, "tried": tried, "first_out": first, "none_n": [ways.count(0)]}


def neighbours(grid, wrap):
    """The eight neighbours of every cell, as eight grids; beyond the edge: -9."""
    if wrap:
        return [np.roll(grid, (-a, -b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    wide = np.pad(grid, 1, constant_values=-9)
    h, w = grid.shape
    return [wide[1 + a:1 + a + h, 1 + b:1 + b + w] for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]


@reference
def wireworld_step(s):
    heads = sum(n == 1 for n in neighbours(s.now, s.choice("edge")))
    cut = s.cut == 1 if s.has("cut") else np.zeros(s.now.shape, bool)
    fire = (s.now == 3) & (heads > 0) & (heads < 3) & ~cut
    then = np.select([cut, s.now == 1, s.now == 2, fire], [0, 2, 3, 1], s.now)
    return {"then": then, "fired": [fire.sum()], "heads_out": heads}


@reference
def lattice_gas(s):
    h, w = s.gas.shape
    out = np.zeros((h, w), int)
    ways = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}
    for y, x in np.ndindex(h, w):
        here = set(bits_of(s.gas[y, x], 4))
        here = {1, 3} if here == {0, 2} else {0, 2} if here == {1, 3} else here
        for b in here:
            ty, tx = (y + ways[b][0]) % h, (x + ways[b][1]) % w
            back = s.has("wall") and s.wall[ty, tx] == 1
            out[ty, tx] += 1 << ((b + 2) % 4 if back else b)
    mass = np.vectorize(lambda v: bin(v).count("1"))(out)
    return {"moved": out, "mass_out": mass, "flow_out": (out >> 1 & 1) - (out >> 3 & 1), "total": [mass.sum()]}


@reference
def leaper_attacks(s):
    jumps = [(a, b) for a in range(-2, 3) for b in range(-2, 3) if (max(abs(a), abs(b)) == 1 if s.choice("piece") else a * a + b * b == 5)]
    got, reach, hits = [], [], []
    for i, p in enumerate(s.pieces):
        men = set(bits_of(p)) - set(bits_of(s.pinned[i]) if s.has("pinned") else [])
        seen = {8 * (m // 8 + a) + m % 8 + b for m in men for a, b in jumps if 0 <= m // 8 + a < 8 and 0 <= m % 8 + b < 8}
        got.append(sum(1 << q for q in seen))
        reach.append(len(seen - men))
        hits.append(len(seen & set(bits_of(s.enemy[i]))) if s.has("enemy") else 0)
    return {"attacks": got, "reach_out": reach, "hits": hits if s.has("enemy") else None}


@reference
def slide_tiles(s):
    out, points, moved, gaps, top = [], [], [], [], 0
    for row in s.tile.astype(int):
        line, score, left = [], 0, [int(v) for v in row if v]
        while left:
            v = left.pop(0)
            if left and left[0] == v:
                left.pop(0)
                v += 1
                score += v if s.choice("points") else 2**v
                top = max(top, v)
            line.append(v)
        gaps.append(6 - len(line))
        line += [0] * (6 - len(line))
        moved.append(line != list(row))
        out.append(line)
        points.append(score)
    return {"tile": out, "points": points, "moved": moved, "gaps": gaps, "best": [top]}


@reference
def mine_field(s):
    near = sum(n == 1 for n in neighbours(s.mine, False))
    marks = sum(n == 1 for n in neighbours(s.mark, False)) if s.has("mark") else None
    free = s.mine == 0
    return {"shown": np.where(free, near, -1), "zeros_n": [np.sum(free & (near == 0))],
            "chord": free & (near > 0) & (marks == near) if s.has("mark") else None,
            "wrong": [np.sum((s.mark == 1) & free)] if s.has("mark") else None}


@reference
def langton_ants(s):
    boards, at, face, black, flips = [], [], [], [], np.zeros(64)
    for b, p, h in zip(s.board, s.place, s.heading):
        cells, y, x, h = set(bits_of(b)), int(p) // 8, int(p) % 8, int(h)
        for _ in range(int(s.steps)):
            h = (h + (-1 if 8 * y + x in cells else 1)) % 4
            cells ^= {8 * y + x}
            flips[8 * y + x] += 1
            dy, dx = [(-1, 0), (0, 1), (1, 0), (0, -1)][h]
            y, x = (y + dy) % 8, (x + dx) % 8
        boards.append(sum(1 << c for c in cells))
        at.append(8 * y + x)
        face.append(h)
        black.append(len(cells))
    return {"board": boards, "place": at, "heading": face, "black_out": black, "flips": flips}


@reference
def cyclic_cells(s):
    n = int(s.colours)
    c = s.now % n
    goal = (c + 1) % n
    around = [np.roll(c, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1) if not s.choice("around") or abs(a) + abs(b) == 1]
    votes = sum(a == goal for a in around)
    still = s.frozen == 1 if s.has("frozen") else np.zeros(c.shape, bool)
    go = (votes >= s.need) & ~still
    return {"then": np.where(go, goal, c), "changed": [go.sum()], "support": votes}


@reference
def noughts_crosses(s):
    lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
    winner, move, danger, full = [], [], [], 0
    for row in s.square.astype(int):
        marks = [[row[q] for q in line] for line in lines]
        won = next((m[0] for m in marks if m[0] and m == [m[0]] * 3), 0)

        def holes(who):
            return [[q for q in line if row[q] == 0][-1] for line, m in zip(lines, marks) if sorted(m) == [0, who, who]]
        free = [q for q in range(9) if row[q] == 0]
        wins, blocks = holes(1), holes(2)
        advice = (wins or blocks or ([4] if 4 in free else free) or [-1])[0]
        winner.append(won)
        move.append(-1 if won else advice)
        danger.append(len(blocks))
        full += not free
    return {"winner": winner, "move": move, "threats": danger, "full": [full]}


@reference
def sow_seeds(s):
    out, again, taken, bad, lead = s.pit.astype(int).copy(), [], [], 0, []
    first = {r: s.role(r, s.args) for r in ("again", "taken", "lead") if s.has(r)}
    for i, row in enumerate(out):
        start = int(s.role("choice", s.args)[i])
        hand, row[start] = row[start], 0
        if hand == 0:
            bad += 1
            again.append(first.get("again", [0] * len(out))[i])
            taken.append(first.get("taken", [0] * len(out))[i])
            lead.append(first.get("lead", [0] * len(out))[i])
            continue
        order = [p for p in list(range(start + 1, 14)) + list(range(start + 1)) if p != 13]
        for k in range(hand):
            last = order[k % 13]
            row[last] += 1
        caught = 0
        if last < 6 and row[last] == 1 and row[12 - last] > 0:
            caught = row[12 - last] + 1
            row[6] += caught
            row[last] = row[12 - last] = 0
        again.append(last == 6)
        taken.append(caught)
        lead.append(row[6] - row[13])
    return {"pit": out, "again": again, "taken": taken, "illegal": [bad], "lead": lead}


@reference
def reversi_flips(s):
    h, w = s.board.shape
    flips, dirs = np.zeros((h, w), int), np.zeros((h, w), int)
    for y, x in np.ndindex(h, w):
        if s.board[y, x] or s.has("closed") and s.closed[y, x] == 1:
            continue
        for a, b in itertools.product((-1, 0, 1), repeat=2):
            if not (a or b):
                continue
            ray = [int(s.board[y + k * a, x + k * b]) for k in range(1, max(h, w)) if 0 <= y + k * a < h and 0 <= x + k * b < w]
            n = next((k for k, v in enumerate(ray) if v != 2), None)
            if n and ray[n] == 1:
                flips[y, x] += n
                dirs[y, x] += 1
    return {"flips_out": flips, "lines_out": dirs, "legal": [np.sum(flips > 0)], "best": [flips.max()]}
