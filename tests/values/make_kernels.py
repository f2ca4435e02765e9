#!/usr/bin/env python3
"""For each row of the builtin table, kernels that call it on several types; record.py runs them.

    tests/values/make_kernels.py FOLDER        writes builtins_*.py there; uses build/builtins_json and build/weft

What a row returns is asked of weft; rows whose arguments are not numbers, vectors, matrices, quaternions or transforms are
left out, as are calls that weft refuses.
"""

import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
sys.path.insert(0, str(ROOT / "tools"))
import warp_package  # noqa: E402

WARP = "1.16.0"  # what is recorded
PER_FILE = 60
LEFT_OUT_GROUPS = {"Volumes", "Textures"}
# Results that are no numbers, or that depend on the machine; print; what only works on a GPU.
LEFT_OUT = {"rand_init", "printf", "print", "breakpoint", "hash_grid_point_id"}
FLOATS = {"float32": "f", "float64": "d", "float16": "h"}
NUMBERS = {"float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"}
# How the free parts of a row are chosen: its scalar, the length of its vectors, the shape of its matrices.
CHOICES = [("float32", 3, (3, 3)), ("float64", 2, (2, 3)), ("float16", 4, (2, 2)), ("int32", 3, (2, 2)), ("uint8", 2, (2, 2))]
SCALAR_CHOICES = [("int64", 2, (2, 2)), ("uint32", 3, (3, 3)), ("int16", 2, (2, 2)), ("float64", 4, (4, 4)), ("float32", 2, (2, 2))]


def type_text(pattern, choice):
    """The type of an argument as Python text; None: not a type for these kernels."""
    scalar, length, (rows, cols) = choice
    pattern = re.sub(r"\b(Scalar|Float|Int)\b", scalar, pattern)
    found = re.fullmatch(r"vec\((\*|\d+),(\w+)\)", pattern)
    if found:
        return f"wp.types.vector({length if found[1] == '*' else found[1]}, wp.{found[2]})" if found[2] in NUMBERS else None
    found = re.fullmatch(r"mat\((\*|\d+),(\*|\d+),(\w+)\)", pattern)
    if found:
        shape = f"({rows if found[1] == '*' else found[1]}, {cols if found[2] == '*' else found[2]})"
        return f"wp.types.matrix({shape}, wp.{found[3]})" if found[3] in NUMBERS else None
    found = re.fullmatch(r"(quat|transform)\((\w+)\)", pattern)
    if found:
        return f"wp.{found[1]}{FLOATS[found[2]]}" if found[2] in FLOATS else None
    return f"wp.{pattern}" if pattern in NUMBERS else None


def annotation(dumped):
    """What the dump calls a type, as Python text."""
    found = re.fullmatch(r"vec(\d+)(\w+)", dumped)
    short = {"f": "float32", "d": "float64", "h": "float16", "b": "int8", "ub": "uint8", "s": "int16", "us": "uint16",
             "i": "int32", "ui": "uint32", "l": "int64", "ul": "uint64"}  # fmt: skip
    if found and found[2] in short:
        return f"wp.types.vector({found[1]}, wp.{short[found[2]]})"
    found = re.fullmatch(r"mat(\d)(\d)(\w+)", dumped)
    if found and found[3] in short:
        return f"wp.types.matrix(({found[1]}, {found[2]}), wp.{short[found[3]]})"
    found = re.fullmatch(r"(vec|mat)_t\(([\d, ]+), (\w+)\)|spatial_(vector|matrix)([fdh])", dumped)
    if found and found[4]:
        scalar = short[found[5]]
        return f"wp.types.vector(6, wp.{scalar})" if found[4] == "vector" else f"wp.types.matrix((6, 6), wp.{scalar})"
    if re.fullmatch(r"(quat|transform)[fdh]", dumped) or dumped in NUMBERS:
        return f"wp.{dumped}"
    return None


def accepted(kernels):
    """{name: region tree as text} of those that weft takes."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write("import warp as wp\n\n" + "\n".join(kernels.values()))
        file.flush()
        done = subprocess.run([BUILD / "weft", "extract", file.name, "--warp", WARP, "--dump", "ir"], capture_output=True, text=True)
    found = re.split(r"^kernel (\w+)", done.stdout, flags=re.M)
    return dict(zip(found[1::2], found[2::2]))


def kernel(name, params, call, outputs):
    arguments = [f"{label}: wp.array(dtype={kind})" for label, kind in params]
    arguments += [f"out{k}: wp.array(dtype={kind})" for k, kind in enumerate(outputs)]
    lines = ["@wp.kernel", f"def {name}({', '.join(arguments)}):", "    i = wp.tid()"]
    targets = ", ".join(f"r{k}" for k in range(max(1, len(outputs))))
    lines.append(f"    {targets} = {call}")
    lines += [f"    out{k}[i] = r{k}" for k in range(len(outputs))]
    return "\n".join(lines) + "\n\n"


def calls():
    """(name, parameters, call) for each row and choice of types."""
    rows = [json.loads(line) for line in subprocess.run([BUILD / "builtins_json", WARP], capture_output=True, text=True).stdout.splitlines()]
    numbers, seen = itertools.count(), set()
    for row in rows:
        if row["group"] in LEFT_OUT_GROUPS or row["name"] in LEFT_OUT or not row["params"]:
            continue
        free = any(re.search(r"\b(Scalar|Float|Int)\b", p[1]) for p in row["params"])
        simple = all(p[1] in ("Scalar", "Float", "Int") for p in row["params"])
        star = any("*" in p[1] for p in row["params"])
        choices = CHOICES[:1] if not (free or star) else CHOICES + (SCALAR_CHOICES if simple or star else [])
        for choice in choices:
            is_float = choice[0].startswith("float")
            if any(re.search(r"\bFloat\b", p[1]) for p in row["params"]) and not is_float:
                continue
            if any(re.search(r"\bInt\b", p[1]) for p in row["params"]) and is_float:
                continue
            kinds = [type_text(p[1], choice) for p in row["params"]]
            if None in kinds or (row["name"], *kinds) in seen:
                continue
            seen.add((row["name"], *kinds))
            params = [(f"a{k}", kind) for k, kind in enumerate(kinds)]
            yield f"{row['name']}_{next(numbers)}", params, f"wp.{row['name']}({', '.join(f'a{k}[i]' for k in range(len(kinds)))})"


def compiling(names, good):
    """Those whose C++ compiles: Warp builds all of a file at once, and some of what it accepts does not fit its headers."""
    include = warp_package.find_warp(WARP)[1] / "native"
    kept = list(names)
    while kept:
        with tempfile.TemporaryDirectory() as folder:
            source, cpp = pathlib.Path(folder) / "k.py", pathlib.Path(folder) / "k.cpp"
            source.write_text("import warp as wp\n\n" + "\n".join(good[n] for n in kept))
            subprocess.run([BUILD / "weft", "extract", source, "--warp", WARP, "-d", "cpu", "--preamble", "-o", cpp], capture_output=True)
            command = ["g++", "-std=c++17", "-w", "-fsyntax-only", "-fmax-errors=0", f"-I{include}", str(cpp)]
            done = subprocess.run(command, capture_output=True, text=True)
            lines = cpp.read_text().split("\n")
        bad = set()
        for number in re.findall(r"k\.cpp:(\d+):", done.stderr):
            before = "\n".join(lines[: int(number)])
            found = re.findall(r"void (\w+)_[0-9a-f]{8}_cpu_kernel_", before)
            bad.update(found[-1:])
        if done.returncode == 0:
            break
        if not bad:
            raise SystemExit(done.stderr[-2000:])
        kept = [n for n in kept if n not in bad]
    return kept


def main(folder):
    made = {name: (params, call) for name, params, call in calls()}
    trees = accepted({name: kernel(name, params, call, []) for name, (params, call) in made.items()})
    good = {}
    for name, tree in trees.items():
        params, call = made[name]
        types = dict(re.findall(r"^    (%\d+): (.+)$", tree, re.M))
        last = re.findall(rf"^    ((?:%\d+(?:, )?)+) = (?!load|address|tid|copy|tuple)\w+\(", tree, re.M)
        outputs = [annotation(types[v]) for v in last[-1].split(", ")] if last else []
        if outputs and None not in outputs:
            good[name] = kernel(name, params, call, outputs)
    names = sorted(accepted(good))
    names = [n for k in range(0, len(names), PER_FILE) for n in compiling(names[k : k + PER_FILE], good)]
    for k in range(0, len(names), PER_FILE):
        text = '"""Made by make_kernels.py: builtins on several types."""\n\nimport warp as wp\n\n\n'
        (folder / f"builtins_{k // PER_FILE + 1}.py").write_text(text + "\n".join(good[n] for n in names[k : k + PER_FILE]))
    print(f"{len(names)} kernels of {len(made)} calls; {len(trees)} were taken by weft")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
