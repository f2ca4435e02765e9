#!/usr/bin/env python3
"""CPU time of `weft extract` on a small file, from start to end, beside a program that does nothing.

    tools/bench_start.py [FILE.py] [--runs N]       default: examples/saxpy.py, 500 runs of each

Both run by turns. Per run, user and system time as the kernel counts them: the mean, the median and the least.
"""

import argparse
import os
import pathlib
import shutil
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent


def milliseconds(command, output):
    process = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)])
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"bench_start: {' '.join(command)} failed")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", metavar="FILE.py", default=str(ROOT / "examples" / "saxpy.py"))
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--weft", default=os.environ.get("WEFT", str(ROOT / "build" / "weft")))
    options = parser.parse_args()
    commands = {"weft extract": [options.weft, "extract", options.file], "nothing": [shutil.which("true")]}
    times = {name: [] for name in commands}
    with open(os.devnull, "w") as nowhere:
        for _ in range(options.runs):
            for name, command in commands.items():
                times[name].append(milliseconds(command, nowhere.fileno()))
    print(f"{'ms of CPU time':<16}{'mean':>8}{'median':>8}{'least':>8}")
    for name, values in times.items():
        print(f"{name:<16}{statistics.mean(values):>8.2f}{statistics.median(values):>8.2f}{min(values):>8.2f}")


if __name__ == "__main__":
    main()
