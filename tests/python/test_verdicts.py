#!/usr/bin/env python3
"""Gradient verdicts against Warp's own tape: a small run of tools/verdicts.py, whose figures are for a large one."""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))

from warp_env import WEFT, installed_here, reexec_with_warp

if __name__ == "__main__":
    if not reexec_with_warp() or not installed_here():
        print("skipped: Warp is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([WEFT, "produce", "-n", "16", "-s", "8", "-o", folder + "/set", "--gradients", "marked", "--no-compress", "--full", "--no-readable"],
                       check=True, stderr=subprocess.DEVNULL)
        done = subprocess.run([sys.executable, ROOT / "tools/verdicts.py", folder + "/set", "--mismatches", "2", "--passes", "2", "-v"],
                              capture_output=True, text=True)
    print(done.stdout, done.stderr)
    told = "mismatch: 2 of 2 differ" in done.stdout and "pass: 0 of 2 differ" in done.stdout
    sys.exit(0 if done.returncode == 0 and told else 1)
