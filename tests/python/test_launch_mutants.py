#!/usr/bin/env python3
"""The stored launches of records catch wrong kernels: a small run of tools/launch_mutants.py, whose figures are for a large one."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))

from warp_env import installed_here, reexec_with_warp

if __name__ == "__main__":
    if not reexec_with_warp() or not installed_here():  # for NumPy
        print("skipped: Warp is not installed")
        sys.exit(77)
    done = subprocess.run([sys.executable, ROOT / "tools/launch_mutants.py", "--count", "12", "--seed", "777", "-v"], capture_output=True, text=True)
    print(done.stdout, done.stderr)
    found = re.search(r"(\d+) of (\d+) wrong kernels are caught", done.stdout)  # of so few kernels, one may be missed
    good = found and int(found[1]) >= 0.93 * int(found[2]) > 40 and "\n0 declared outputs never change" in done.stdout
    sys.exit(0 if good else 1)
