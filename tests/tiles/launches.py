"""Launches of tile kernels: dimensions and arguments from a kernel's text and parameters, as lists of numbers.

The same launch goes to Warp and, as JSON, to the evaluators. Numbers are chosen so that results are well conditioned: matrices
that are factored are positive definite, indices are inside."""

import re

SHAPES = {1: (96,), 2: (24, 24), 3: (4, 4, 8), 4: (2, 3, 3, 4)}
WIDE = {"fourier": {2: (2, 256)}, "fourier_filter": {3: (2, 3, 512)}, "closure_wide": {1: (128,)}, "least_squares": {3: (2, 8, 4)}}
INTEGERS = {"n": 2, "k": 1, "i": 1, "j": 2, "start": 48, "steps": 1, "rounds": 2, "seed": 42, "m": 13, "mask": 13}
SOLVED = ("cholesky", "triangular", "add_to_diagonal", "least_squares")


def dimensions(name, source, block):
    """Blocks, and the lanes of each as the last dimension; threads in a row where every thread has a number of its own."""
    found = re.search(r"^ *([\w, ]+?) = wp\.tid\(\)", source, re.M)
    names = found.group(1).split(", ") if found else []
    if len(names) == 1 and re.search(r"wp\.(tile|untile)\(", source):
        return [2 * block]
    if names and names[-1] in ("lane",) or name in ("element_scatter", "make_from_thread"):
        names = names[:-1]
    blocks = [2, 1, 1][: len(names)] or [1]
    if name == "load_more_dimensions":
        blocks = [1, 1, 1]
    return blocks + [block]


def integers(count, name, rng):
    if name == "where":
        return list(range(count))
    if name in ("start", "order", "bins"):
        return [(3 * i + 1) % 7 for i in range(count)]
    return [rng.randrange(0, 12) for _ in range(count)]


def number(rng):
    """Short in decimal, and every float type has it."""
    return rng.randrange(32, 97) / 64


def floats(kernel, shape, width, rng):
    count = width
    for length in shape:
        count *= length
    values = [number(rng) for _ in range(count)]
    if kernel == "sort_pairs":  # equal keys may come in any order
        values = [(37 * i % 96 + 32) / 64 for i in range(count)]
    if kernel.startswith(SOLVED) and len(shape) == 2 and width == 1:
        for i in range(shape[0]):
            for j in range(shape[1]):
                values[i * shape[1] + j] = 4.0 + 0.1 * i if i == j else 0.25 + 0.03125 * ((i * j) % 5)
    return values


def nested(values, shape):
    if len(shape) <= 1:
        return values
    step = len(values) // shape[0]
    return [nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def shape_of(kernel, ndim):
    return WIDE.get(kernel, {}).get(ndim, SHAPES[ndim])
