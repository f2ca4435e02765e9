#!/usr/bin/env python3
"""Kernels that nobody makes at module level: `--call` makes them, `--types` says the types of generic ones. The texts are those that Warp
writes when the call is made after the import."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests/python"))

import tally  # noqa: E402
from tally import check  # noqa: E402
from test_facts import records  # noqa: E402
from test_produce import weft  # noqa: E402
from test_projects import text_of  # noqa: E402

PYTHON = ROOT / ".venv/bin/python"

SOURCE = """\
from typing import Any

import warp as wp


def make(n, dtype=wp.float64):
    @wp.func
    def scaled(x: dtype):
        return x * dtype(n)

    @wp.kernel
    def k(a: wp.array(dtype=dtype)):
        i = wp.tid()
        for _ in range(n):
            a[i] = scaled(a[i])

    return k


def both(n):
    return {"one": make(n), "two": make(n + 1, wp.float32)}


def nothing(n):
    return None


def lost(n):
    while n:
        n = unknown(n)
    return make(n)


@wp.kernel
def fill(a: wp.array(dtype=Any), b: Any):
    a[wp.tid()] = b
"""

CALLS = ("make(2, wp.float32)", "both(3)", "make(5)")
TYPES = ("fill: wp.array(dtype=float), float", "fill: wp.array(dtype=wp.vec3), wp.vec3")

ORACLE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import warp as wp, warp_oracle
import made
made_by_call = made.make(2, wp.float32), *made.both(3).values(), made.make(5)
overloads = wp.overload(made.fill, [wp.array(dtype=float), float]), wp.overload(made.fill, [wp.array(dtype=wp.vec3), wp.vec3])
for kernel in (*made_by_call, *overloads):
    print(json.dumps(warp_oracle.texts_and_name(kernel)))
"""


def options(name, values):
    return [part for value in values for part in (name, value)]


def same_as_warp(folder):
    done = weft("extract", folder / "made.py", "-d", "both", "--json", *options("--call", CALLS), *options("--types", TYPES))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    made = {row["full_name"]: row for row in rows if "error" not in row}
    check("six kernels, nothing refused", len(made) == 6 and len(rows) == 6, done.stderr)
    if not PYTHON.exists():
        print("skipped: Warp is not installed in .venv")
        return
    done = subprocess.run([PYTHON, "-c", ORACLE, ROOT / "tools"], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(folder)})
    check("Warp makes them", done.returncode == 0, done.stderr)
    expected = {row["name"]: row for row in map(json.loads, filter(lambda line: line.startswith("{"), done.stdout.splitlines()))}
    check("the same kernels", set(expected) == set(made), (set(expected), set(made)))
    for name in set(expected) & set(made):
        same = text_of(made[name], "cuda") == expected[name]["cuda"] and text_of(made[name], "cpp") == expected[name]["cpu"]
        check(f"{name} has Warp's text", same)


def refusals(folder):
    """Calls that make no kernel, and files in which they are not made."""
    rows = {
        "make(": "was never closed",
        "make()": "is not followed",
        "nothing(1)": "makes no kernel",
        "lost(2)": "cannot be followed to its end",
        "mak(2)": "does not define 'mak'",
    }
    for call, message in rows.items():
        done = weft("extract", folder / "made.py", "--call", call)
        check(f"--call {call}", done.returncode == 1 and "--call:1:1: error: " in done.stderr and message in done.stderr, done.stderr)
    done = weft("extract", folder / "made.py", "--types", "fill: float")
    check("--types of too few", done.returncode == 1 and "--call:1:1: error: " in done.stderr, done.stderr)
    done = weft("extract", folder / "made.py", "--types", "fill: wp.array2d(dtype=float), float")
    check("--types that Warp does not take", done.returncode == 1 and "--call:1:1: error: the type given" in done.stderr, done.stderr)
    done = weft("extract", folder / "made.py", "--types", "fill")
    check("--types without any", done.returncode == 1, done.stderr)
    (folder / "other.py").write_text("import warp as wp\n")
    made, refused = records(folder, "--call", "make(2)")
    check("a folder: only files that define the function", set(made) == {"make__locals__k"} and set(refused) == {"fill"}, (made.keys(), refused))


def elsewhere(folder):
    """Other commands take the options, too."""
    done = weft("check", folder / "made.py", "--call", "make(2)", "--json")
    check("weft check", "make__locals__k" in done.stdout, done.stdout + done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "made.py").write_text(SOURCE)
        same_as_warp(folder)
        refusals(folder)
        elsewhere(folder)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
