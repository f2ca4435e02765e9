#!/usr/bin/env python3
"""Writes tests/pinned/sources.jsonl.zst: kernels that call every builtin on several types (tests/values/make_kernels.py), and
a sample of calls with odd arguments (tests/python/test_odd_arguments.py). Needs a built weft and .venv."""

import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/values"), str(HERE)]

import make_kernels  # noqa: E402
import run  # noqa: E402
import test_odd_arguments as odd  # noqa: E402

ODD_CALLS = 4000
SEED = 20

if __name__ == "__main__":
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else folder)
        if made == pathlib.Path(folder):
            make_kernels.main(made)
        for path in sorted(made.glob("builtins_*.py")):
            lines.append({"kind": "builtins", "name": path.name, "source": path.read_text()})
    calls = [call for call in dict.fromkeys(odd.odd_calls()) if odd.is_parsable(call)]
    calls = odd.REFUSED + random.Random(SEED).sample(calls, ODD_CALLS)
    for start in range(0, len(calls), odd.PER_FILE):
        name = f"odd_{start // odd.PER_FILE + 1:02}.py"
        lines.append({"kind": "odd", "name": name, "source": odd.module(calls[start : start + odd.PER_FILE])})
    run.write_lines(run.SOURCES, lines)
    print(f"{len(lines)} files, {run.SOURCES.stat().st_size} bytes")
