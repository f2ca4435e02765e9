#!/usr/bin/env python3
"""The time to compile, to check and to write standalone programs grows as the source does, and one file may have many kernels.

`weft bench scaling` at a size at which a shape that is quadratic shows an exponent of nearly 2; the bound here leaves room for a
busy machine (docs/explanation/testing.md has the figures).
"""

import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PARTS, MOST = 4000, 1.5
MANY_KERNELS = 20000
MANY_CONSTANTS, BYTES_EACH = 300000, 340
HEAD = "import warp as wp\n\n\n"
KERNEL = "@wp.kernel\ndef k(a: wp.array(dtype=float), x: float, n: int):\n    i = wp.tid()\n    y = a[i]\n"
QUICK = 0.4  # seconds of processor time that need no look at how they grow


def lines(text, count):
    return "".join(text.replace("#", str(i)) for i in range(count))


# What `check` and `standalone` do with many parts of one kernel: shape, parts, source of so many parts
LONG_KERNELS = [
    ("check", "parameters", 12000, lambda n: f"{HEAD}@wp.kernel\ndef k({lines('p#: float, ', n)}a: wp.array(dtype=float)):\n    a[wp.tid()] = p0 * p{n - 1}\n"),
    ("check", "arrays", 4000, lambda n: f"{HEAD}@wp.kernel\ndef k({lines('p#: wp.array(dtype=float), ', n)}x: float):\n    i = wp.tid()\n" + lines("    p#[i] = p#[i] * x\n", n)),
    ("check", "loops", 4000, lambda n: HEAD + KERNEL + lines("    for j# in range(n):\n        y = y * 0.5 + x\n", n) + "    a[i] = y\n"),
    ("check", "locals", 8000, lambda n: HEAD + KERNEL + lines("    v# = x * #.0\n", n) + f"    a[i] = y + v{n - 1}\n"),
    ("check", "branches", 4000, lambda n: HEAD + KERNEL + lines("    if y > #.0:\n        y = y * 0.5\n    else:\n        y = y + x\n", n) + "    a[i] = y\n"),
    ("standalone", "arrays", 12000, lambda n: f"{HEAD}@wp.kernel\ndef k({lines('p#: wp.array(dtype=float), ', n)}a: wp.array(dtype=float)):\n    i = wp.tid()\n    y = float(0.0)\n" + lines("    y = y + p#[i] * 2.0\n", n) + "    a[i] = y\n"),
    ("standalone", "fields", 6000, lambda n: f"{HEAD}@wp.struct\nclass S:\n{lines('    f#: float' + chr(10), n)}\n\n@wp.kernel\ndef k(s: S, a: wp.array(dtype=float)):\n    i = wp.tid()\n    y = float(0.0)\n" + lines("    y = y + s.f# * 2.0\n", n) + "    a[i] = y\n"),
    ("standalone", "locals", 8000, lambda n: HEAD + KERNEL + lines("    v# = a[i] * #.0\n    y = y + v# * v#\n", n) + "    a[i] = y\n"),
    ("standalone", "unused locals", 8000, lambda n: HEAD + KERNEL + lines("    v# = x * #.0\n", n) + f"    a[i] = y + v{n - 1}\n"),
    ("standalone", "branches", 4000, lambda n: HEAD + KERNEL + lines("    if y > #.0:\n        v# = y * 0.5\n        y = v# * v#\n", n) + "    a[i] = y\n"),
    ("standalone", "functions", 4000, lambda n: HEAD + lines("@wp.func\ndef f#(x: float):\n    return x * #.0\n\n\n", n) + KERNEL + lines("    y = y + f#(x)\n", n) + "    a[i] = y\n"),
    ("standalone", "structs", 4000, lambda n: HEAD + lines("@wp.struct\nclass S#:\n    v: float\n\n\n", n) + KERNEL + lines("    s# = S#()\n    s#.v = x\n    y = y + s#.v\n", n) + "    a[i] = y\n"),
    ("standalone", "statements", 8000, lambda n: HEAD + KERNEL + lines("    y = y * 0.5 + x\n", n) + "    a[i] = y\n"),
]


def shapes():
    run = subprocess.run([WEFT, "bench", "scaling", "-n", str(PARTS), "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def problems_of(row):
    if row["exponent"] > MOST:
        yield f"exponent {row['exponent']:.2f}"
    many = row["shape"] in ("kernels", "inner kernels")
    expected = (0, PARTS) if row["shape"] == "errors" else (PARTS if many else 1, 0)
    if (row["kernels"], row["refused"]) != expected:
        yield f"{row['kernels']} kernels, {row['refused']} refused"


def test_shapes():
    problems = {row["shape"]: list(problems_of(row)) for row in shapes()}
    again = {row["shape"]: list(problems_of(row)) for row in shapes()} if any(problems.values()) else problems
    return [f"{shape}: {', '.join(again[shape])}" for shape in problems if problems[shape] and again[shape]]


def test_many_kernels():
    source = "import warp as wp\n" + "".join(
        f"@wp.kernel\ndef k{i}(x: wp.array(dtype=float), a: float):\n    x[wp.tid()] = a * {i}.0\n" for i in range(MANY_KERNELS)
    )
    run = subprocess.run([WEFT, "extract", "-"], input=source, capture_output=True, text=True)
    made = run.stdout.count("extern \"C\" __global__ void k") // 2
    if run.returncode or run.stderr or made != MANY_KERNELS:
        return [f"a file of {MANY_KERNELS} kernels: {made} were compiled; {run.stderr[:400]}"]
    return []


def test_many_constants():
    """What a constant of the module takes while its file is compiled. The processes before this one must be smaller."""
    source = "import warp as wp\n" + lines("C# = #\n", MANY_CONSTANTS) + HEAD + KERNEL + "    a[i] = y * float(C7)\n"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "constants.py"
        path.write_text(source)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = subprocess.run([WEFT, "extract", path], capture_output=True, text=True)
    bytes_each = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / MANY_CONSTANTS
    if done.returncode or done.stderr:
        return [f"a file of {MANY_CONSTANTS} constants: {done.stderr[:400]}"]
    if before * 1024 < BYTES_EACH * MANY_CONSTANTS < bytes_each * MANY_CONSTANTS:
        return [f"a file of {MANY_CONSTANTS} constants: {bytes_each:.0f} bytes for each"]
    return []


def seconds(command, source, folder):
    """Of processor time; the least of two runs."""
    path, least = pathlib.Path(folder) / "long.py", math.inf
    path.write_text(source)
    for run in range(2):
        output = ["-o", pathlib.Path(folder) / f"programs{len(source)}-{run}"] if command == "standalone" else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([WEFT, command, path, *output], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):  # 1: something was found, in time
            return f"exit code {done.returncode}: {done.stderr[:300]}"
        least = min(least, after.ru_utime - before.ru_utime)
        if least < QUICK:
            break
    return least


BRANCHES, BRANCH_BYTES = 4000, 80000


def test_memory_of_branches():
    """The memory for each of many branches does not grow with the locals that stand before it."""
    source = HEAD + KERNEL + lines("    v# = a[i] * #.0\n    if v# > 3.0:\n        y = y + v#\n", BRANCHES) + "    a[i] = y\n"
    with tempfile.TemporaryDirectory() as folder:
        path, used = pathlib.Path(folder) / "branches.py", pathlib.Path(folder) / "used"
        path.write_text(source)
        # In a process of its own, as the largest child counts.
        code = "import resource, subprocess, sys; subprocess.run(sys.argv[2:], stdout=-3, stderr=-3); open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))"
        subprocess.run([sys.executable, "-c", code, used, WEFT, "check", "--no-example", path], check=True)
        each = int(used.read_text()) * 1024 / BRANCHES
    return [f"check of {BRANCHES} branches and locals: {each:.0f} bytes for each"] if each > BRANCH_BYTES else []


def test_long_kernels():
    problems = []
    for command, shape, parts, source in LONG_KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            large = seconds(command, source(parts), folder)
            if isinstance(large, float) and large < QUICK:
                continue
            small = seconds(command, source(parts // 4), folder)
        if isinstance(large, str) or isinstance(small, str):
            problems.append(f"{command}, {shape}: {large} {small}")
        elif math.log(large / small) / math.log(4) > MOST:
            problems.append(f"{command}, {shape}: {small:.2f} s for {parts // 4}, {large:.2f} s for {parts}")
    return problems


def main():
    problems = test_many_constants() + test_shapes() + test_many_kernels() + test_memory_of_branches() + test_long_kernels()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
