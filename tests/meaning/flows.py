"""Sources of inputs and treated results, as a plan says them: `mass = table(mass, mass.class)`."""

import re

import numpy as np

TOKEN = re.compile(r"[A-Za-z_][\w.]*|[(),]")


class Treated(Exception):
    """A reference asks for what came out of a result that the kernel treats further."""


def like(value, other):
    """One number for each element, beside vectors."""
    value, other = np.asarray(value, float), np.asarray(other, float)
    return value.reshape(value.shape + (1,) * (other.ndim - value.ndim)) if 0 < value.ndim < other.ndim else value


def table(values, *indices):
    return np.asarray(values)[tuple(np.asarray(i).astype(int) for i in indices)]


def blend(first, second, share):
    return first + (second - first) * like(share, first)


def choose(where, first, second):
    where = like(where, first if np.ndim(first) >= np.ndim(second) else second)
    return np.where(where != 0, first, second)


def smooth(side, wraps):
    def averaged(values):
        index = np.arange(len(values))
        shift = {"next": (1,), "last": (-1,), "both": (-1, 1)}[side]
        at = [(index + k) % len(values) if wraps else np.clip(index + k, 0, len(values) - 1) for k in shift]
        return 0.5 * values + 0.5 / len(at) * sum(values[i] for i in at)

    return averaged


def size(values, is_vector):
    return np.linalg.norm(values, axis=-1) if is_vector else np.abs(values)


def limit(values, most):
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.where(length > like(most, values), values * (like(most, values) / np.where(length == 0, 1, length)), values)


FORMS = {
    "table": table,
    "slot": lambda values, slot: np.asarray(values)[int(slot)],
    "setting": lambda value: value,
    "blend": blend,
    "mean": lambda a, b: 0.5 * (a + b),
    "least": np.minimum,
    "largest": np.maximum,
    "clamp": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "fallback": lambda x, valid, default: choose(valid, x, default),
    "scale": lambda factor, x: like(factor, x) * x,
    "decay": lambda x, rate, age: x * like(np.exp(-rate * age), x),
    "window_mean": lambda x: x.mean(axis=0),
    "window_max": lambda x: x.max(axis=0),
    "window_min": lambda x: x.min(axis=0),
    "limit": limit,
    "plus": lambda a, b: a + b,
    "held": lambda old, new, mask: choose(mask, old, new),
    "free": lambda old, new, mask: choose(mask, new, old),
    "change": lambda new, old: new - old,
    **{
        f"smooth_{side}_{end}": smooth(side, end == "wrap")
        for side in ("next", "last", "both")
        for end in ("wrap", "clamp")
    },
}
# Further outputs, whose form depends on the result's being a vector.
MORE = {
    "error": lambda x, target, v: size(x - target, v),
    "squared_error": lambda x, target, v: size(x - target, v) ** 2,
    "over": lambda x, most, v: (size(x, v) if v else x) > most,
    "count_over": lambda x, most, v: np.sum((size(x, v) if v else x) > most),
    "sum": lambda x, v: x.sum(axis=tuple(range(x.ndim - v))),
    "sum_by": None,  # left open: which region has how many is the launch's business
}


def parse(text):
    """Nested lists: [form, operand, ...], and the names of roles."""
    tokens = TOKEN.findall(text)

    def read(at):
        name, at = tokens[at], at + 1
        if at == len(tokens) or tokens[at] != "(":
            return name, at
        parts = [name]
        while tokens[at] != ")":
            part, at = read(at + 1)
            parts.append(part)
        return parts, at + 1

    return read(0)[0]


def is_flow(entry):
    """Is this row of `derived` a flow, not a law?"""
    found = re.match(r"\S+ = (\w+)\(", entry)
    return bool(found) and (found[1] in FORMS or found[1] in MORE)


def evaluate(tree, role):
    """`role` gives the numbers of a role."""
    if isinstance(tree, str):
        return role(tree)
    return FORMS[tree[0]](*[evaluate(part, role) for part in tree[1:]])
