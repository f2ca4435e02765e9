#!/usr/bin/env python3
"""Compares the CPU time that Warp and weft take for the same kernels.

    tools/bench.py [FILE.py ...] [--rounds N] [--no-callgrind] [--json-out FILE]
                                        default: the golden set, and the examples and modules of Warp's own package

Per kernel, both devices, forward and backward. Warp: hashing, building and writing the module, with the file already
imported and parsed. weft: everything from the source text on (`weft bench extract`). Both do all kernels in turn, Warp
and weft by turns, N rounds each, on one core; the median of its N CPU times counts for each kernel. "Real" are the kernels of
Warp's examples and modules. Instructions are counted by callgrind: two rounds less one round, per byte of output. It has no
instructions for SHA-256, so that those of the version without them are told apart.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import warp_package

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_PROMISED = {"tiles.py", "geometry_queries.py", "volumes.py", "errors.py"}
REAL_FOLDERS = ("examples", "_src")


# ---- the Warp side: run with Warp's interpreter ------------------------------------------------------------------


def texts_of(kernel):
    import warp_oracle

    return [warp_oracle.build(kernel, device).codegen(device) for device in ("cuda", "cpu")]


def kernels_of(paths):
    """[(path, kernel)] of those that Warp builds."""
    import warp_oracle

    found = []
    for path in paths:
        try:
            kernels = list(warp_oracle.kernels_of(path))
        except BaseException as error:  # a file that needs other packages, or that ends the program
            print(f"bench: Warp cannot import {path}: {str(error)[:80]}", file=sys.stderr)
            continue
        for kernel in kernels:
            try:
                texts_of(kernel)  # wp.static() of a loop variable is known only after a first build
                found.append((path, kernel))
            except Exception as error:
                print(f"bench: Warp refuses {path} {kernel.key}: {str(error)[:80]}", file=sys.stderr)
    return found


def warp_side(paths):
    """A line of standard input is a round: every kernel once, one JSON line with all CPU times in ns."""
    import warp as wp

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the files print
    sys.argv = sys.argv[:1]
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    kernels = kernels_of(paths)
    print(json.dumps([(path, kernel.get_mangled_name()) for path, kernel in kernels]), file=answers, flush=True)
    for _ in sys.stdin:
        times = []
        for _, kernel in kernels:
            start = time.process_time_ns()
            texts_of(kernel)
            times.append(time.process_time_ns() - start)
        print(json.dumps(times), file=answers, flush=True)


# ---- running both --------------------------------------------------------------------------------------------------


def one_core():
    """A command prefix that keeps a process on one core."""
    if shutil.which("taskset") and hasattr(os, "sched_getaffinity"):
        return ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    return []


def json_lines(command):
    process = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if process.returncode not in (0, 1):  # 1: some kernels were refused
        sys.exit(f"bench: {' '.join(str(c) for c in command[:6])} … exited with {process.returncode}: {process.stderr[-400:]}")
    return [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]


def weft_round(weft, paths):
    rows = json_lines([*one_core(), weft, "bench", "extract", *paths, "--repeat", 1, "--json"])
    return {(row["file"], row["full_name"]): row for row in rows if "error" not in row}


class Warp:
    def __init__(self, python, paths):
        command = [*one_core(), python, __file__, "--warp-side", *paths]
        self.process = subprocess.Popen(
            command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.kernels = [tuple(k) for k in json.loads(self.process.stdout.readline() or "[]")]

    def round(self):
        self.process.stdin.write("round\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(weft, python, paths, rounds):
    """One row per kernel that both compile, and how many Warp compiles."""
    warp = Warp(python, paths)
    theirs, ours = [], []
    for _ in range(rounds):
        ours.append(weft_round(weft, paths))
        theirs.append(warp.round())
    warp.close()
    rows = []
    for index, kernel in enumerate(warp.kernels):
        if kernel in ours[0] and ours[0][kernel]["bytes"]:
            rows.append(
                {
                    "file": kernel[0],
                    "name": kernel[1],
                    "warp_ns": statistics.median(times[index] for times in theirs),
                    "weft_ns": statistics.median(times[kernel]["ns"] for times in ours),
                    "bytes": ours[0][kernel]["bytes"],
                }
            )
    return rows, len(warp.kernels)


# ---- what is printed -----------------------------------------------------------------------------------------------


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, round(share * (len(values) - 1)))]


def spread(label, values, form):
    cells = (statistics.median(values), percentile(values, 0.1), percentile(values, 0.9))
    return f"{label:<28}" + "".join(f"{form.format(v):>12}" for v in cells)


def print_set(title, rows, memcpy):
    warp_ns, weft_ns, output = (sum(row[f] for row in rows) for f in ("warp_ns", "weft_ns", "bytes"))
    print(f"{title + f', {len(rows)} kernels':<28}{'median':>12}{'10th pct':>12}{'90th pct':>12}")
    print(spread("Warp, ms per kernel", [row["warp_ns"] / 1e6 for row in rows], "{:.2f}"))
    print(spread("weft, us per kernel", [row["weft_ns"] / 1e3 for row in rows], "{:.1f}"))
    print(spread("times faster", [row["warp_ns"] / row["weft_ns"] for row in rows], "{:.0f}"))
    print(f"in total {warp_ns / weft_ns:.0f} times faster ({warp_ns / 1e9:.2f} s and {weft_ns / 1e6:.1f} ms)")
    print(f"weft's output: {output / weft_ns * 1e3:.0f} MB/s; memcpy on this core: {memcpy / 1e6:.0f} MB/s\n")


def cpu_name():
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.machine()


def sha256_share(profile):
    """Instructions of SHA-256 without its own instructions, as the processor that callgrind simulates does it."""
    listed = subprocess.run(["callgrind_annotate", "--auto=no", "--threshold=100", profile], capture_output=True, text=True).stdout
    return sum(int(n.replace(",", "")) for n in re.findall(r"^ *([\d,]+) .*:compress_(?:plainly|with_vectors)\b", listed, re.M))


def instructions(weft, paths, rounds):
    """Instructions, those of SHA-256, bytes and kernels of so many rounds. They do not depend on what else the machine does."""
    with tempfile.NamedTemporaryFile() as profile:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile.name}", weft, "bench", "extract", *paths]
        process = subprocess.run(
            [str(c) for c in [*command, "--repeat", rounds, "--json"]], capture_output=True, text=True
        )
        collected = re.search(r"Collected : (\d+)", process.stderr)
        if not collected:
            sys.exit(f"bench: valgrind said: {process.stderr[-400:]}")
        sha256 = sha256_share(profile.name)
    rows = [json.loads(line) for line in process.stdout.splitlines()]
    return int(collected[1]), sha256, sum(row.get("bytes", 0) for row in rows), sum("error" not in row for row in rows)


def print_instructions(title, weft, paths):
    once, sha256_once, size, kernels = instructions(weft, paths, 1)
    twice, sha256_twice, _, _ = instructions(weft, paths, 2)
    count, sha256 = twice - once, sha256_twice - sha256_once
    print(
        f"{title}: {count / size:.2f} instructions per byte of output, {count // kernels:,} per kernel ({kernels} kernels); "
        f"{sha256 / size:.2f} of them are SHA-256 without the processor's own instructions"
    )


def bench(options, sets, warp):
    python = subprocess.run([warp[0], "--version"], capture_output=True, text=True).stdout.strip()
    memcpy = json_lines([*one_core(), options.weft, "bench", "memcpy", "--json"])[0]["bytes_per_second"]
    rows, asked = compare(options.weft, warp[0], [p for paths in sets.values() for p in paths], options.rounds)
    if not rows:
        sys.exit("bench: no kernel was compiled by both")
    print(f"{len(rows)} of {asked} kernels, both devices, forward and backward; median CPU time of {options.rounds} rounds of each")
    print(f"Warp {warp_package.VERSION} under {python}, {cpu_name()}\n")
    for title, paths in sets.items():
        print_set(title, [row for row in rows if row["file"] in paths], memcpy)
    if options.json_out:
        with open(options.json_out, "w") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows)


def real_files(package):
    return [str(p) for p in warp_package.files(package) if p.relative_to(package).parts[0] in REAL_FOLDERS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE.py")
    parser.add_argument("--rounds", type=int, default=5, help="how often each compiles all kernels (default 5)")
    parser.add_argument("--no-callgrind", action="store_true", help="do not count instructions")
    parser.add_argument("--only-callgrind", action="store_true", help="do not compare with Warp")
    parser.add_argument("--json-out", metavar="FILE", help="both times of every kernel")
    parser.add_argument("--weft", default=os.environ.get("WEFT", ROOT / "build" / "weft"))
    parser.add_argument("--warp-side", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.warp_side:
        return warp_side(options.files)
    warp = warp_package.find_warp()
    if not warp:
        sys.exit("bench: Warp is not installed; run tools/venv.sh")
    sets = {"given": options.files}
    if not options.files:
        golden = [str(p) for p in sorted((ROOT / "tests" / "golden").glob("*.py")) if p.name not in NOT_PROMISED]
        sets = {"golden": golden, "real": real_files(warp[1])}
    if not options.only_callgrind:
        bench(options, sets, warp)
    if options.no_callgrind or not shutil.which("valgrind"):
        return print("instructions: not counted")
    for title, paths in sets.items():
        print_instructions(title, options.weft, paths)


if __name__ == "__main__":
    main()
