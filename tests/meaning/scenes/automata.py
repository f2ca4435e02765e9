"""Scenes of sorting networks, automata, labels and grids, from the textbook."""

import itertools

import numpy as np
from textbook import reference


def word_bits(w):
    return np.array([int(w) >> b & 1 for b in range(32)])


def as_word(cells):
    return sum(int(c) << b for b, c in enumerate(cells))


@reference
def bitonic_rows(s):
    return {"keys": np.sort(s.keys, axis=1), "low": s.keys.min(1)}


@reference
def radix_block(s):
    digit = s.keys // 2 ** int(s.shift) % 4
    if s.has("descending") and s.descending == 1:
        digit = 3 - digit
    order = np.argsort(digit, axis=1, kind="stable")
    return {"sorted_out": np.take_along_axis(s.keys, order, 1), "rank_out": np.argsort(order, axis=1)}


@reference
def find_roots(s):
    def climb(i):
        return (i, 0) if s.up[i] >= i else (climb(s.up[i])[0], climb(s.up[i])[1] + 1)
    roots = np.array([climb(i)[0] for i in range(len(s.up))])
    mass = np.bincount(roots, s.weight_in, len(roots)) if s.has("weight_in") else None
    return {"root_out": roots, "depth_out": [climb(i)[1] for i in range(len(roots))], "size": np.bincount(roots, minlength=len(roots)), "mass": mass}


@reference
def elementary_ring(s):
    table = np.array([int(s.rule) >> k & 1 for k in range(8)])
    history = np.zeros((len(s.cells), 8))
    for r, w in enumerate(s.cells):
        cells = word_bits(w)
        for g in range(int(s.steps)):
            # bit b + 1 is on the left of bit b when a number is written down
            cells = table[4 * np.roll(cells, -1) + 2 * cells + np.roll(cells, 1)]
            history[r, g] = as_word(cells)
    last = history[:, int(s.steps) - 1]
    return {"history": history, "after": last, "alive": [bin(int(w)).count("1") for w in last]}


@reference
def sliced_life(s):
    grid = np.array([word_bits(w) for w in s.board])
    around = sum(np.roll(grid, (a, b), (0, 1)) for a in (-1, 0, 1) for b in (-1, 0, 1)) - grid
    alive = (around == 3) | ((around == 2) & (grid == 1))
    return {"next_out": [as_word(r) for r in alive], "born": [as_word(r) for r in alive & (grid == 0)], "died": [as_word(r) for r in ~alive & (grid == 1)]}


@reference
def octree_descent(s):
    leaf, depth, center = [], [], []
    for p in s.p:
        n, d = 0, 0
        while d < s.levels:
            cell = np.floor(p * 2 ** (d + 1)).astype(int) % 2
            octant = int(cell @ [1, 2, 4])
            mask = int(s.child_mask[n])
            if not mask >> octant & 1:
                break
            n = (int(s.first_child[n]) + bin(mask & (2**octant - 1)).count("1")) % len(s.child_mask)
            d += 1
        # the last octant looked at: one level below the node, or the node itself at the last level
        side = 2.0 ** -min(d + 1, int(s.levels))
        low = np.floor(p * 2**d) / 2**d
        leaf.append(n), depth.append(d), center.append(low + side / 2)
    return {"leaf_out": leaf, "depth_out": depth, "center": center}


@reference
def line_of_sight(s):
    seen, steps = [], []
    for (x0, y0), (x1, y1) in zip(s.eye, s.goal):
        n = max(abs(x1 - x0), abs(y1 - y0))
        # nearest cells to the ideal line; a tie is broken as the error term of the walk does it
        cells, err = [], abs(x1 - x0) - abs(y1 - y0)
        x, y, dx, dy = x0, y0, abs(x1 - x0), abs(y1 - y0)
        for _ in range(n):
            go_x, go_y = 2 * err > -dy, 2 * err < dx
            err += dx * go_y - dy * go_x
            x, y = x + go_x * np.sign(x1 - x0), y + go_y * np.sign(y1 - y0)
            cells.append((x, y))
            ideal = np.array([x0 + (x1 - x0) * len(cells) / n, y0 + (y1 - y0) * len(cells) / n])
            assert np.max(np.abs(ideal - (x, y))) <= 0.5
        reach = int(s.reach) if s.has("reach") else n
        ends = [k + 1 for k, c in enumerate(cells[:-1]) if s.wall[c] == 1] + [n]
        stop = min(min(ends), reach + 1)
        seen.append(stop == n and n <= reach and min(ends) == n)
        steps.append(stop)
    return {"seen": seen, "steps_out": steps}


@reference
def label_step(s):
    n, m = s.labels.shape
    out = s.labels.copy()
    diagonal = s.has("around") and s.around == 1
    for i, j in itertools.product(range(n), range(m)):
        for a, b in itertools.product(range(i - 1, i + 2), range(j - 1, j + 2)):
            near = diagonal or abs(a - i) + abs(b - j) < 2
            if 0 <= a < n and 0 <= b < m and near and s.mask[a, b] == s.mask[i, j]:
                out[i, j] = min(out[i, j], s.labels[a, b])
    return {"next_label": out, "changed": [(out != s.labels).sum()]}


@reference
def shuffle_decks(s):
    decks = []
    for seed in s.seeds:
        w = int(seed)
        if s.has("salt"):
            w = (w ^ int(s.salt)) | 1
        deck = list(range(8))
        for k in range(7, 0, -1):
            w ^= w << 13 & 0xFFFFFFFF
            w ^= w >> 17
            w ^= w << 5 & 0xFFFFFFFF
            j = w % (k + 1)
            deck[k], deck[j] = deck[j], deck[k]
        decks.append(deck)
    inversions = [sum(a > b for a, b in itertools.combinations(d, 2)) for d in decks]
    return {"deck_out": decks, "fixed_points": [sum(c == k for k, c in enumerate(d)) for d in decks], "inversions": inversions}


@reference
def unrank_permutation(s):
    every = list(itertools.permutations(range(6)))
    perms = [every[int(r)] for r in s.rank]
    return {"perm_out": perms, "odd": [sum(a > b for a, b in itertools.combinations(p, 2)) % 2 for p in perms],
            "moved": [sum(c != k for k, c in enumerate(p)) for p in perms]}
