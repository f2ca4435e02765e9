#!/usr/bin/env python3
"""Gradient verdicts against Warp's own tape: a small run of tools/verdicts.py, whose figures are for a large one.

Where the verdicts of the records are exchanged, the tool says so."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))

from warp_env import WEFT, installed_here, reexec_with_warp

COUNT = 120  # some of them have a wrong gradient in Warp


def verdicts(folder):
    done = subprocess.run([sys.executable, ROOT / "tools/verdicts.py", folder, "--mismatches", "2", "--passes", "2", "-v"],
                          capture_output=True, text=True)
    print(done.stdout, done.stderr)
    return done


def produce(folder, *options):
    subprocess.run([WEFT, "produce", "-n", str(COUNT), "-s", "8", "-o", folder, "--gradients", "marked", "--no-compress", "--no-readable", *options],
                   check=True, stderr=subprocess.DEVNULL)


def exchanged(folder, path):
    """The records with the other verdict each."""
    other = {"pass": "mismatch", "mismatch": "pass"}
    path.mkdir()
    for part in folder.glob("*.jsonl"):
        rows = [json.loads(line) for line in part.open()]
        lines = [json.dumps(row | {"gradient_verdict": other.get(row["gradient_verdict"], row["gradient_verdict"])}) for row in rows]
        (path / part.name).write_text("".join(line + "\n" for line in lines))
    return path


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        produce(folder / "set", "--full")
        done = verdicts(folder / "set")
        assert done.returncode == 0 and "mismatch: 2 of 2 differ" in done.stdout and "pass: 0 of 2 differ" in done.stdout
        done = verdicts(exchanged(folder / "set", folder / "exchanged"))
        assert done.returncode == 1 and "mismatch: 0 of 2 differ" in done.stdout and "pass: 2 of 2 differ" in done.stdout
        produce(folder / "slim")
        done = verdicts(folder / "slim")
        assert done.returncode == 1 and "produce it with --full" in done.stderr


if __name__ == "__main__":
    if not reexec_with_warp() or not installed_here():
        print("skipped: Warp is not installed")
        sys.exit(77)
    main()
