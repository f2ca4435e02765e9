#!/usr/bin/env python3
"""Frozen benchmarks: the set that a row names gives 600 tasks with the hash of the row, another set gives none.

    tests/python/test_benchmark.py [--update]      --update: writes the hash of a row that was not published yet"""

import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
TABLE = ROOT / "src/judge/benchmarks.def"
ROW = re.compile(r'BENCHMARK\("([^"]+)", (\d+), "([0-9a-f]{64})",\s+"weft ([^"]+)"\)')
GRADIENT = {"python-to-gradient", "forward-to-backward", "cuda-to-backward", "repair"}
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


def weft(*args, code=0):
    done = subprocess.run([WEFT, *map(str, args)], capture_output=True, text=True)
    check(done.returncode == code, f"weft {' '.join(map(str, args))}: {done.returncode}: {done.stderr}")
    return done


def update(found, digits):
    TABLE.write_text(TABLE.read_text().replace(found, digits))
    print(f"{TABLE.relative_to(ROOT)}: {digits}")


def check_row(folder, name, per_kind, digits, command):
    made, tasks = folder / name, folder / f"{name}.jsonl"
    weft(*[made if word == "SET" else word for word in command.split()], "-q", "-j", 2)
    done = subprocess.run([WEFT, "tasks", made, "--benchmark", name, "-o", tasks, "-q"], capture_output=True, text=True)
    if "--update" in sys.argv and done.returncode:
        return update(digits, re.search(r"\(SHA-256 ([0-9a-f]{64})", done.stderr).group(1))
    check(done.returncode == 0, done.stderr)
    if done.returncode:
        return None
    rows = [json.loads(line) for line in tasks.read_text().splitlines()]
    counts = collections.Counter(row["kind"] for row in rows)
    check(set(counts.values()) == {int(per_kind)} and len(counts) == 8, f"kinds: {dict(counts)}")
    check(sum(counts[kind] for kind in GRADIENT) == len(rows) // 2 == 300, "half of 600 tasks are about gradients")
    check(len({row["record"] for row in rows}) == len(rows), "one task per record")
    check(hashlib.sha256(tasks.read_bytes()).hexdigest() == digits, "the hash of the file")
    plain = weft("tasks", made, "--per-kind", per_kind, *[word for kind in sorted(counts) for word in ("--kind", kind)], "-q").stdout
    check(plain == tasks.read_text(), "the same tasks as by name of their kinds")
    return None


def main():
    rows = ROW.findall(TABLE.read_text())
    check(rows and len(rows) == TABLE.read_text().count("\nBENCHMARK("), "rows of the table")
    with tempfile.TemporaryDirectory(prefix="weft-benchmark-") as name:
        folder = pathlib.Path(name)
        weft("produce", "-n", 30, "-s", 4, "-o", folder / "other", "-q")
        done = weft("tasks", folder / "other", "--benchmark", rows[0][0], "-o", folder / "none.jsonl", code=1)
        check("gives other tasks than the benchmark" in done.stderr and rows[0][3] in done.stderr, done.stderr)
        check(not (folder / "none.jsonl").exists(), "nothing is written of another set")
        check("there is no benchmark" in weft("tasks", folder / "other", "--benchmark", "1999.1", code=2).stderr, "an unknown name")
        for option in (["--kind", "repair"], ["--per-kind", 3], ["-s", 5], ["--all-kinds"]):
            weft("tasks", folder / "other", "--benchmark", rows[0][0], *option, code=2)
        for row in rows:
            check_row(folder, *row)
    print(f"{len(rows)} benchmarks, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
