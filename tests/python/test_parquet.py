#!/usr/bin/env python3
"""`weft produce --format parquet`: the same bytes for any threads, interruption and division, and every change is noticed.

What is in the files is compared with the lines of JSON by test_loaders.py; here, `weft validate` makes every record again."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

import parts
import test_produce
from test_produce import BUILD, ENDLESS, ROOT, SMALL, check, contents, interrupt, produce, relabel, rows_of, same, test_jobs, test_kills, test_pieces, weft

PARQUET = ["--format", "parquet"]


def test_interrupt(work):
    """Ctrl-C between two row groups: everything that was made is there, and the bytes are the same."""
    folder, args = work / "interrupt", [*ENDLESS, *PARQUET]
    for number in (signal.SIGINT, signal.SIGTERM):
        rows = rows_of(folder) if folder.exists() else 0
        interrupt(folder, [*args, *(["--resume"] if rows else [])], number, rows + 200)
        check(rows_of(folder) > rows, f"{number.name}: nothing was saved")
    count = rows_of(folder) + 100
    relabel(folder, count)
    for name, more in (("plain", []), ("interrupt", ["--resume"])):
        done = produce(work / name, *args, "-n", count, *more)
        check(done.returncode == 0, f"{name}: {done.stderr}")
    same(folder, work / "plain", "after two signals")


def test_layouts(work):
    for name, args in {"every": ["-d", "both", "--gradients", "marked"], "few": ["--no-verify", "--no-backward"], "timing": ["--timing", "-d", "cpu"]}.items():
        done = produce(work / name, "-n", 30, "--checkpoint", 7, *PARQUET, *args)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        done = weft("validate", work / name)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        done = weft("stats", work / name)
        check(done.returncode == 0 and done.stdout.startswith("30 pairs, "), f"stats of {name}: {done.stderr}")
        check(sorted(p.name for p in (work / name).iterdir() if p.suffix == ".parquet") == ["details-train-00000-of-00001.parquet", "train-00000-of-00001.parquet"], f"{name}: its files")
    done = produce(work / "plain", "-n", 3, *PARQUET, "--no-compress")
    check(done.returncode == 2 and "cannot be combined with --no-compress" in done.stderr, f"--no-compress: {done.stderr}")


def test_damage(work, reference):
    """Whatever is done to a file, validate and stats end with 1 and a message, not with a signal."""
    rng = random.Random(5)
    for round in range(60):
        folder = work / "damaged"
        shutil.copytree(reference, folder)
        path = rng.choice(sorted(folder.glob("*.parquet")))
        data = bytearray(path.read_bytes())
        kind = round % 4
        if kind == 0:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[rng.randrange(len(data)):]
        elif kind == 2:
            at = rng.randrange(len(data))
            data[at:at + rng.randrange(1, 9)] = rng.randbytes(rng.randrange(9))
        else:  # the last pages and the footer
            data[len(data) - rng.randrange(1, 4000)] = rng.randrange(256)
        changed = bytes(data) != path.read_bytes()
        path.write_bytes(data)
        done = weft("validate", folder, "--sample", 0)
        check(done.returncode == (1 if changed else 0), f"damage {round} of {path.name}: exit code {done.returncode} {done.stderr[-300:]}")
        done = weft("stats", folder)
        check(done.returncode in (0, 1), f"damage {round} of {path.name}: stats ends with {done.returncode}")
        shutil.rmtree(folder)


EARLIER = ROOT / "tests/earlier/set"
LOAD = "import json, sys, weft\nprint(json.dumps(list(weft.load(sys.argv[1]))))"


def load(folder):
    return subprocess.run([sys.executable, "-c", LOAD, folder], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(BUILD / "python")})


def test_earlier(work):
    """A set of a weft whose records had other columns is refused, whoever reads it, with the two formats."""
    calls = [weft(*call) for call in (("stats", EARLIER), ("validate", EARLIER), ("export", EARLIER, "--format", "parquet", "-o", work / "exported"))]
    for done in (load(EARLIER), *calls):
        said = "is a data set of format 2, and this weft reads format 3: make it again with the options in its manifest.json"
        check(done.returncode == 1 and said in done.stderr + done.stdout, f"an earlier format: {done.stderr}")


def main():
    tests = parts.chosen(test_jobs, test_kills, test_pieces, test_damage, test_interrupt, test_layouts, test_earlier)
    with tempfile.TemporaryDirectory(prefix="weft-parquet-") as folder:
        work = pathlib.Path(folder)
        reference = work / "reference"
        SMALL.extend(PARQUET)
        done = produce(reference, *SMALL)
        check(done.returncode == 0, done.stderr)
        check(weft("validate", reference).returncode == 0, "validate")
        check(len(contents(reference)) == 17, f"files: {sorted(contents(reference))}")
        for test in tests:
            test(*((work,) if test in (test_interrupt, test_layouts, test_earlier) else (work, reference)))
    print("FAILED" if test_produce.failures else "ok")
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
