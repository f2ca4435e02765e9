#!/usr/bin/env python3
"""Calls every builtin, constructor and library function with every odd kind of argument, at every place.

    test_odd_arguments.py [--all] [--seed N] [--warp COUNT]

Starting from a call that fits a row of the builtin table, one argument at a time becomes a function, a builtin, a
type, a module, a string, a tuple, …; one is left out, one is added, one is named. None of these calls may crash weft,
make it hang, or end without either text or a message with a place. `--all` makes every such call, not a sample
of them. Some of the calls that weft accepts (`--warp COUNT` of them) are built by the installed Warp, too: it must
accept them, with the same text.
"""

import argparse
import ast
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
WEFT = os.environ.get("WEFT", str(BUILD / "weft"))
SAMPLE = 12000  # calls of a run without --all
PER_FILE = 400  # kernels
SECONDS = 120  # for one file; also under a sanitizer

HEADER = '''
import enum
import math
from typing import Any
import warp as wp

NOTHING = None
UNKNOWN = open("file")
NUMBERS = [1, 2, 3]
TABLE = {"a": 1}
LARGE = 2 ** 70
UP = wp.constant(wp.vec3(0.0, 1.0, 0.0))


class Side(enum.IntEnum):
    LEFT = 1


@wp.struct
class Pair:
    left: float
    right: wp.vec3


@wp.func
def half(x: float):
    return 0.5 * x


@wp.func
def both(x: float):
    return x, x


@wp.func
def quiet(x: float):
    y = x


@wp.func
def generic(x: Any):
    return x


@wp.func
def apply(f: wp.Function, x: float):
    return f(x)


def plain(x):
    return x


@wp.kernel
def other():
    pass
'''

SIGNATURE = (
    "a: wp.array(dtype=float), ai: wp.array(dtype=int), av: wp.array2d(dtype=wp.vec3), ax: wp.indexedarray(dtype=float), "
    "n: int, x: float, d: wp.float64, h: wp.uint64, u: wp.uint32, c: bool, v: wp.vec3, v2: wp.vec2, vi: wp.vec3i, "
    "m: wp.mat33, m22: wp.mat22, m44: wp.mat44, q: wp.quat, t: wp.transform, w: wp.spatial_vector, s: Pair"
)

# What fits a parameter of the table's type; the longest match decides.
FITTING = {
    "Int": "n",
    "Any": "x",
    "Scalar": "x",
    "Float": "x",
    "int32": "n",
    "int": "n",
    "float32": "x",
    "float": "x",
    "float64": "d",
    "uint64": "h",
    "uint32": "u",
    "bool": "c",
    "vec(2": "v2",
    "vec(6": "w",
    "vec(": "v",
    "vec(*,Int": "vi",
    "mat(": "m",
    "mat(2": "m22",
    "mat(4": "m44",
    "quat(": "q",
    "transform(": "t",
    "array(": "a",
    "array(int32": "ai",
    "indexedarray(": "ax",
    "fixedarray(": "wp.zeros(shape=3, dtype=float)",
    "type(": "float",
    "tuple(int": "(2, 2)",
    "tuple": "(n, x)",
    "range_t": "range(n)",
    "shape_t": "a.shape",
    "str": '"text"',
    "HashGridQuery": "wp.hash_grid_query(h, v, x)",
    "MeshQueryAABB": "wp.mesh_query_aabb(h, v, v)",
    "BvhQuery": "wp.bvh_query_aabb(h, v, v)",
}

ODD = [
    "half", "both(x)", "quiet(x)", "generic", "plain", "other", "wp.sin", "wp.vec3", "float", "wp.array", "Pair", "Side",
    "Side.LEFT", "wp", "math", '"text"', "(1, 2)", "(n, half)", "()", "[1, 2]", "{}", "a[0:2]", "v[0:2]", "m[0]", "a[n]", "s",
    "s.right", "a", "av", "a.shape", "a.shape[0]", "None", "NOTHING", "UNKNOWN", "NUMBERS", "TABLE", "LARGE", "UP", "missing",
    "wp.missing", "wp.tile_zeros", "lambda y: y", 'f"{x}"', "b'x'", "...", "1j", "*v", "*half", "*a[0:2]", "**TABLE", "x", "n", "d",
    "h", "c", "v", "v2", "vi", "m", "m44", "q", "t", "w", "1", "-1", "1.5", "True", "2 ** 3", "1 << 3", "n if c else n", "x < 1.0",
    "c and c", "not c", "range(3)", "wp.tid()", "type(x)", "type(v).dtype", "wp.static(3)", "wp.static(half)", "wp.grad(half)",
    "wp.adjoint[x]", "wp.address_of(x)", "wp.pi", "math.pi", "wp.zeros(shape=2, dtype=float)", "apply", "nope=1", "dtype=half",
    "dtype=float", "length=2", "shape=(2, 2)", "i=half", "a=half", "x := x", "(y for y in a)", "99999999999999999999", "1e400",
]  # fmt: skip

# Callees that are in no row of the table.
OTHERS = {
    "half": ["x"], "both": ["x"], "quiet": ["x"], "generic": ["x"], "apply": ["half", "x"], "plain": ["x"], "Pair": ["x", "v"],
    "wp.vec2": ["x", "x"], "wp.vec3": ["x", "x", "x"], "wp.vec3i": ["n", "n", "n"], "wp.vec4d": ["d"] * 4, "wp.mat22": ["x"] * 4,
    "wp.mat33": ["x"] * 9, "wp.quat": ["x"] * 4, "wp.transform": ["v", "q"], "wp.spatial_vector": ["v", "v"],
    "wp.spatial_matrix": ["x"], "wp.types.vector(3, float)": ["x"], "wp.float64": ["x"], "float": ["x"], "int": ["x"], "bool": ["x"],
    "wp.int8": ["n"], "type(v)": ["x"], "type(x)": ["n"], "wp.grad(half)": ["x"], "wp.grad(wp.sin)": ["x"], "wp.static": ["3"],
    "wp.address_of": ["x"], "wp.grad": ["half"], "wp.array": ["n"], "len": ["v"], "min": ["x", "x"], "range": ["n"], "print": ["x"],
    "type": ["x"], "abs": ["x"], "str": ["x"], "wp.adjoint": ["x"], "wp.kernel": ["half"], "wp.func": ["half"], "wp.launch": ["other"],
    "wp.constant": ["1"], "wp.norm_l1": ["v"], "wp.norm_huber": ["v", "x"], "wp.smooth_normalize": ["v", "x"],
    "wp.quat_twist": ["v", "q"], "wp.transform_decompose": ["m44"], "math.sin": ["x"], "Side": ["n"], "other": ["x"], "x": ["x"],
    "v": ["n"], "half(x)": ["x"], "wp": ["x"], "None": ["x"], '"text"': ["x"], "(1, 2)": ["n"], "UNKNOWN": ["x"], "missing": ["x"],
}  # fmt: skip

# Each was once accepted, though Warp refuses it, or crashed weft.
REFUSED = [
    "wp.vec3(half)", "wp.mat22(wp.sin, x, x, x)", "wp.tuple(half, x)", "wp.copy(half)", "wp.load(half)", "wp.store(half, x)",
    "wp.vector(half, length=2)", "wp.matrix_from_cols(v, half)", "wp.extract(t, half)", "wp.assign_inplace(q, n, half)",
    "wp.quat(x, x, x, x, 1.5)", "wp.spatial_vector(v, v, dtype=float)", "wp.quaternion(dtype=float)", "wp.transformation(dtype=Pair)",
    "wp.volume_sample_grad(h, v, n, x, float)", "wp.volume_sample_grad_index(h, v, n, a, x, m)", "wp.volume_store(h, n, n, n, t)",
    "wp.tuple(x, av)", "wp.tuple(x, (1, 2))", "wp.tuple(())", "wp.assign_copy(v, (), x)", "wp.static(expr=3)", "wp.static(not c)",
    "wp.assign_copy(s.right, n, x)", "generic(Side.LEFT)", "generic((1, 2))", "wp.transform_set_translation_copy(t, v)",
]  # fmt: skip


def fitting(kind):
    keys = [key for key in FITTING if kind.startswith(key)]
    return FITTING[max(keys, key=len)] if keys else "h"


def base_calls():
    """(callee, the arguments of a call that fits, their names) for each row of the table and each of OTHERS."""
    table = subprocess.run([BUILD / "builtins_json"], capture_output=True, text=True, check=True).stdout
    seen = set()
    for row in map(json.loads, table.splitlines()):
        args, names = [], []
        for name, kind, _default in row["params"]:
            repeat = 2 if name.startswith("*") else 1
            args += [fitting(kind)] * repeat
            names += [None if repeat == 2 else name] * repeat
        call = (f"wp.{row['name']}", tuple(args))
        if row["name"].isidentifier() and call not in seen:
            seen.add(call)
            yield call[0], args, names
    for callee, args in OTHERS.items():
        yield callee, list(args), [None] * len(args)


def odd_calls():
    for callee, args, names in base_calls():
        yield f"{callee}({', '.join(args)})"
        for count in range(len(args)):
            yield f"{callee}({', '.join(args[:count])})"
        for odd in ODD:
            for i in range(min(len(args), 6)):
                keyword = bool(re.match(r"\w+=", odd)) or odd.startswith("**")
                rest = args[:i] + args[i + 1 :] + [odd] if keyword else args[:i] + [odd] + args[i + 1 :]
                yield f"{callee}({', '.join(rest)})"
                if names[i] and not keyword and not odd.startswith("*"):
                    named = [f"{name}={odd}" if k == i else f"{name}={arg}" for k, (name, arg) in enumerate(zip(names, args))]
                    yield f"{callee}({', '.join(named)})" if None not in names else f"{callee}({names[i]}={odd})"
            yield f"{callee}({', '.join([*args, odd])})"
        for odd in ODD:
            if not re.match(r"\w+=", odd) and not odd.startswith("*"):
                yield f"{callee}({', '.join([odd] * max(1, len(args)))})"


def module(calls):
    kernels = (
        f"@wp.kernel\ndef k{i}({SIGNATURE}):\n    {call if i % 7 == 0 else 'r = ' + call}\n" for i, call in enumerate(calls)
    )
    return HEADER + "\n\n" + "\n\n".join(kernels)


def extract(folder, calls, name="odd.py"):
    path = folder / name
    path.write_text(module(calls))
    return subprocess.run(
        [WEFT, "extract", path, "-d", "both", "--json"], capture_output=True, text=True, errors="replace", timeout=SECONDS
    )


def complaint(folder, calls):
    """(why the run is wrong, the accepted calls)."""
    try:
        process = extract(folder, calls)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} s", []
    if process.returncode not in (0, 1):
        return f"exit code {process.returncode}: {process.stderr[-600:]}", []
    answers, accepted = set(), []
    for line in process.stdout.splitlines():
        record = json.loads(line)
        key = record.get("kernel_key")
        answers.add(key)
        if "error" not in record and key != "other":
            accepted.append(calls[int(key[1:])])
        elif "error" in record and ("(null)" in record["error"]["message"] or not record["error"]["message"]):
            return f"an empty message: {record['error']}", []
        elif "error" in record and "weft made a mistake" in record["error"]["message"]:
            return record["error"]["message"], []
    silent = [call for i, call in enumerate(calls) if f"k{i}" not in answers]
    if silent:
        return f"no answer for {silent[0]}", []
    return "", accepted


def smallest(folder, calls, why):
    """One call that shows what is wrong with all of them."""
    while len(calls) > 1:
        half = len(calls) // 2
        for part in (calls[:half], calls[half:]):
            if complaint(folder, part)[0]:
                calls = part
                break
        else:
            return calls, why
    return calls, complaint(folder, calls)[0]


def is_parsable(call):
    try:
        ast.parse(call, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def compare_with_warp(folder, accepted, count, seed):
    """Calls that weft accepts, built by Warp: the number of those that differ."""
    sys.path.insert(0, str(ROOT / "tools"))
    import conformance  # noqa: PLC0415
    import warp_package  # noqa: PLC0415

    found = warp_package.find_warp()
    if found is None:
        print("not compared: Warp is not installed; run tools/venv.sh")
        return 0
    calls = random.Random(seed).sample(accepted, min(count, len(accepted)))
    header = HEADER.replace('UNKNOWN = open("file")\n', "").replace("LARGE = 2 ** 70\n", "")
    calls = [call for call in calls if "UNKNOWN" not in call and "LARGE" not in call]
    different = 0
    for start in range(0, len(calls), 200):
        part = calls[start : start + 200]
        path = folder / f"accepted_{start}.py"
        path.write_text(module(part).replace(HEADER, header))
        oracle = subprocess.run(
            [found[0], ROOT / "tools/warp_oracle.py", path], capture_output=True, text=True, errors="replace"
        )
        rows = [json.loads(line) for line in oracle.stdout.splitlines() if line.startswith("{")]
        records, why = conformance.weft_records(WEFT, path, warp_package.VERSION)
        if not rows or "kernel" not in rows[0]:
            print(f"Warp says nothing about {path}: {oracle.stderr[-300:]}{rows}")
            return 1
        for result in conformance.compare_file("odd", ["odd"] * len(rows), rows, records, why):
            if result.result == "different":
                different += 1
                call = part[int(result.kernel[1:])] if result.kernel != "other" else result.kernel
                print(f"DIFFERENT {call}: {result.reason} {result.warp_error.splitlines()[-1:]}")
    print(f"{len(calls)} accepted calls compared with Warp, {different} different")
    return different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warp", type=int, default=150, help="accepted calls to compare with Warp, where it is installed")
    options = parser.parse_args()
    calls = [call for call in dict.fromkeys(odd_calls())]
    total = len(calls)
    if not options.all:
        calls = random.Random(options.seed).sample(calls, min(SAMPLE, total))
    calls = [call for call in calls if is_parsable(call)]
    failures, accepted = 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        why, wrong = complaint(folder, REFUSED)
        if why or wrong:
            failures += 1
            print(f"FAILED {why} {wrong} must be refused")
        for start in range(0, len(calls), PER_FILE):
            part = calls[start : start + PER_FILE]
            why, good = complaint(folder, part)
            accepted += good
            if why:
                wrong, why = smallest(folder, part, why)
                print(f"FAILED {wrong[0]}: {why}")
                failures += 1
                if failures == 20:
                    break
        print(f"{len(calls)} of {total} calls, {len(accepted)} accepted, {failures} files with a failure")
        if options.warp and not failures:
            failures += compare_with_warp(folder, accepted, options.warp, options.seed)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
