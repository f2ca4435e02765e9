#!/usr/bin/env python3
"""Mutation: one small change at a time in the sources, and do the tests notice?

    tools/mutants.py [--seed N] [--count N] [--room src/check …] [--dir DIR]      draw, build, run, report
    tools/mutants.py --prepare DIR …                                              draw and build only; then DIR/run.py
    tools/mutants.py --pack DIR …                                                 the same for another machine: DIR/run.sh there
    tools/mutants.py --list                                                       how many places there are

The sample is drawn by seed, uniformly over the places of the rooms; the same seed on the same sources is the same sample.
All its mutants are compiled into one build and switched on by a variable, so a mutant costs no build (tools/mutation).
Not changed: what cannot be noticed (operators.py says which), `#define`s, case labels, initialisers of static data, tables in .def files, headers, texts and characters.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/mutation"))

import prepare  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--room", action="append", help="a folder or file under src (default: all that are gated)")
    parser.add_argument("--dir", default=str(ROOT / "build/mutants"))
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--prepare", metavar="DIR", help="draw and build there, run nothing")
    parser.add_argument("--pack", metavar="DIR", help="draw, build, and write what another machine needs to run them there")
    parser.add_argument("--renew", default="", metavar="CASES", help="pinned cases to write anew from the sources as they are, separated by commas")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--at-least", type=float, default=0, help="exit with 1 if less than this percentage is killed")
    parser.add_argument("--slowest", type=float, default=90, help="leave out tests that take more seconds without a mutant")
    options = parser.parse_args()
    rooms = options.room or prepare.ROOMS
    if options.list:
        for room in rooms:
            places, skipped = prepare.find_places([room])
            print(f"{room:24} {len(places):6} places {sum(len(p.changes) for p in places):6} changes {skipped:4} not understood")
        return 0
    folder = options.prepare or options.dir
    prepare.prepare(folder, options.seed, options.count, rooms, options.jobs, [case for case in options.renew.split(",") if case])
    if options.pack:
        size = prepare.pack(folder, options.pack)
        print(f"mutants: {size / 2**20:.0f} MiB; there: {options.pack}/run.sh [JOBS] [SECONDS]")
        return 0
    if options.prepare:
        print(f"mutants: ready; {folder}/run.py --jobs N")
        return 0
    words = [sys.executable, f"{folder}/run.py", "--jobs", str(options.jobs), "--at-least", str(options.at_least), "--slowest", str(options.slowest)]
    try:
        return subprocess.run(words).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
