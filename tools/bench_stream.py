#!/usr/bin/env python3
"""How fast records come through Python, against the command that writes the same ones: CPU time of one thread, in the same run.

    bench_stream.py [-n 500] [-s 3]      with an interpreter that has pyarrow (tools/loaders.sh makes one)
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, os.environ.get("WEFT_PACKAGE", str(ROOT / "build/python")))

import pyarrow  # noqa: E402

import weft  # noqa: E402
from weft.__main__ import find_command  # noqa: E402


def seconds(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("-s", "--seed", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        call = [find_command(), "produce", "-q", "-j", "1", "-n", str(args.n), "-s", str(args.seed), "-o", os.path.join(folder, "set")]
        subprocess.run(call, check=True)
    command = seconds(resource.RUSAGE_CHILDREN)
    before = seconds(resource.RUSAGE_SELF)
    rows = pyarrow.table(weft.produce(args.n, args.seed, jobs=1)).num_rows
    arrow = seconds(resource.RUSAGE_SELF) - before
    before = seconds(resource.RUSAGE_SELF)
    rows += sum(1 for _ in weft.produce(args.n, args.seed, jobs=1))
    dicts = seconds(resource.RUSAGE_SELF) - before
    assert rows == 2 * args.n
    print(f"{args.n} records: {args.n / command:.0f} per second of CPU time by the command, {args.n / arrow:.0f} through Arrow, {args.n / dicts:.0f} as dicts")
    print(f"through Arrow {100 * command / arrow:.0f} % of the command's rate, as dicts {100 * command / dicts:.0f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
