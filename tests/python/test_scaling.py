#!/usr/bin/env python3
"""The time to compile grows as the source does, and one file may have many kernels.

`weft bench scaling` at a size at which a shape that is quadratic shows an exponent of nearly 2; the bound here leaves room for a
busy machine (docs/testing.md has the figures).
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PARTS, MOST = 4000, 1.5
MANY_KERNELS = 20000


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


def main():
    problems = test_shapes() + test_many_kernels()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
