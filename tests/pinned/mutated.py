#!/usr/bin/env python3
"""Writes tests/pinned/mutated_sources.jsonl.zst: kernels of other tests with one word changed in each, to another variable, number,
operator, builtin or argument. Half of them are wrong in one place, in ways that nobody would write down: what is said of them, and
what the others compute, is pinned by `run.py mutated`.

    tests/pinned/mutated.py [SEED]"""

import ast
import pathlib
import random
import re
import sys

import edges
import kernels
import run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SEED = 12
ROUNDS = 2  # changed kernels made of each

WORD = re.compile(r"\"[^\"\n]*\"|#[^\n]*|(?P<call>\bwp\.\w+(?=\())|(?P<name>(?<![\w.])[A-Za-z_]\w*(?![\w(]))|(?P<number>(?<![\w.])\d+\.?\d*)|(?P<op>\*\*=?|//=?|<<=?|>>=?|[-+*/%&|^]=?|[<>!=]=|[<>](?!>)|(?<= )(?:and|or)(?= ))|(?P<comma>,)")
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "and", "or")
UPDATES = ("+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "=")
NUMBERS = ("0", "1", "-1", "2", "3", "7", "64", "100", "0.0", "1.0", "-0.5", "2.5", "1.0e10", "n", "True")
KEPT = {"if", "else", "elif", "for", "in", "while", "return", "and", "or", "not", "wp", "pass", "break", "continue", "def", "range", "True", "False", "i", "dtype", "shape"}
SAMPLE = ["x", "d", "u", "n", "c", "v", "m", "q", "t", "w", "s", "vi", "vd", "big", "hf", "a", "ai", "av", "am", "grid", "nest", "wide", "hold"]


def changed(text, rng, names, calls):
    """The text of a body with one word changed, so that it is still Python; the same text where that was not found."""
    for _ in range(20):
        new = change_word(text, rng, names, calls)
        try:
            ast.parse("def f():\n for _ in g:\n" + "".join(f"  {line}\n" for line in new.split("\n")))
            if new != text:
                return new
        except SyntaxError:
            pass
    return text


def change_word(text, rng, names, calls):
    found = [match for match in WORD.finditer(text) if match.lastgroup and match[0] not in KEPT]
    if not found:
        return text
    word = rng.choice(found)
    kind, new = word.lastgroup, word[0]
    if kind == "name":
        new = rng.choice(names)
    elif kind == "number":
        new = rng.choice(NUMBERS)
    elif kind == "call":
        new = rng.choice(calls)
    elif kind == "op":
        is_update = word[0].endswith("=") and word[0] not in ("<=", ">=", "==", "!=")
        new = rng.choice(UPDATES if is_update else OPERATORS)
    elif kind == "comma":
        new = rng.choice((f", {rng.choice(names)},", " +", " *", ", *", ": "))
    return text[: word.start()] + new + text[word.end() :]


def calls_of(texts):
    return sorted({name for text in texts for name in re.findall(r"\bwp\.\w+(?=\()", text)})


def of_bodies(rng):
    """Bodies of bodies.txt and rare.txt."""
    bodies = [body for name in ("bodies.txt", "rare.txt") for body in (HERE / name).read_text().strip("\n").split("\n\n")]
    calls = calls_of(bodies)
    found = []
    for body in bodies:
        own = [name for name in re.findall(r"(?<![\w.])[a-z]\w*(?!\w*\()", body) if name not in KEPT] or SAMPLE
        for _ in range(ROUNDS):
            found.append(changed(body, rng, own if rng.random() < 0.5 else SAMPLE, calls))
    return found


def of_file(text, rng, calls):
    """A file with one word changed in each of its kernels."""
    parts = re.split(r"(?m)^(?=@wp\.kernel)", text)
    out = [parts[0]]
    for part in parts[1:]:
        head, body = part.split(":\n", 1) if ":\n" in part else (part, "")
        end = re.search(r"(?m)^\S", body)  # what follows the kernel stays as it is
        body, rest = (body[: end.start()], body[end.start() :]) if end else (body, "")
        names = re.findall(r"\b\w+(?=: )", head) or ["i"]
        out.append(f"{head}:\n{changed(body, rng, names, calls)}{rest}" if body else part)
    return "".join(out)


def modules(seed):
    """(name, source) of each file."""
    rng = random.Random(seed)
    bodies = list(dict.fromkeys(of_bodies(rng)))
    for start in range(0, len(bodies), kernels.PER_FILE):
        yield f"bodies_{start // kernels.PER_FILE + 1}.py", kernels.module(bodies[start : start + kernels.PER_FILE], start, edges.HEAD)
    paths = [path for path in sorted((ROOT / "tests/golden").glob("*.py")) if path.name not in ("errors.py", "tiles.py")]
    calls = calls_of(path.read_text() for path in paths)
    for path in paths:
        for number in range(ROUNDS):
            yield f"{path.stem}_{number + 1}.py", of_file(path.read_text(), rng, calls)


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else SEED
    run.write_lines(run.MUTATED, [{"kind": "mutated", "name": name, "source": source} for name, source in modules(seed)])


if __name__ == "__main__":
    main()
