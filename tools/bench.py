#!/usr/bin/env python3
"""Times Warp and weft on the same kernels, in one run, on one core each.

    tools/bench.py [FILE.py ...] [--repeat N] [--callgrind] [--json-out FILE]     default: the golden set

Per kernel, both devices, forward and backward. Warp: hashing, building and writing the module, with the file already
imported and parsed. weft: everything from the source text on (`weft bench extract`). The best of N runs counts for
both. Also bytes of output per second, beside what memcpy moves; with --callgrind, instructions instead of time.
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
import time

import warp_package

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_PROMISED = {"tiles.py", "geometry_queries.py", "volumes.py", "errors.py"}


# ---- the Warp side: run with Warp's interpreter ------------------------------------------------------------------


def time_kernel(kernel, repeat):
    """The best time in ns for both devices, and the bytes written."""
    import warp_oracle

    if kernel.module.has_unresolved_static_expressions:
        warp_oracle.build(kernel, "cuda")
    best = None
    for _ in range(repeat):
        start = time.perf_counter_ns()
        texts = [warp_oracle.build(kernel, device).codegen(device) for device in ("cuda", "cpu")]
        elapsed = time.perf_counter_ns() - start
        best = elapsed if best is None else min(best, elapsed)
    return {
        "kernel": kernel.key,
        "name": kernel.get_mangled_name(),
        "ns": best,
        "bytes": sum(len(t.encode()) for t in texts),
    }


def warp_side(paths, repeat):
    import warp as wp
    import warp_oracle

    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    for path in paths:
        for kernel in list(warp_oracle.kernels_of(path)):
            try:
                print(json.dumps({"file": path} | time_kernel(kernel, repeat)), flush=True)
            except Exception as error:
                print(f"bench: Warp refuses {path} {kernel.key}: {str(error)[:80]}", file=sys.stderr)


# ---- running both --------------------------------------------------------------------------------------------------


def one_core():
    """A command prefix that keeps a process on one core."""
    if shutil.which("taskset") and hasattr(os, "sched_getaffinity"):
        return ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    return []


def json_lines(command):
    process = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    sys.stderr.writelines(line for line in process.stderr.splitlines(True) if "CUDA driver" not in line)
    if process.returncode not in (0, 1):  # 1: some kernels were refused
        sys.exit(f"bench: {' '.join(str(c) for c in command[:6])} … exited with {process.returncode}")
    return [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, round(share * (len(values) - 1)))]


def spread(label, values, form):
    cells = (statistics.median(values), percentile(values, 0.1), percentile(values, 0.9))
    return f"{label:<28}" + "".join(f"{form.format(v):>12}" for v in cells)


def compare(weft, python, paths, repeat):
    """[(Warp's row, weft's row)] of the kernels that both compile."""
    core = one_core()
    ours = {}
    for path in paths:
        for row in json_lines([*core, weft, "bench", "extract", path, "--repeat", repeat * 10, "--json"]):
            if "error" not in row:
                ours[str(path), row["full_name"]] = row
    theirs = json_lines([*core, python, __file__, "--warp-side", "--repeat", repeat, *paths])
    return [(row, ours[row["file"], row["name"]]) for row in theirs if (row["file"], row["name"]) in ours], len(theirs)


def print_times(pairs, asked, memcpy, repeat, python):
    version = subprocess.run([python, "--version"], capture_output=True, text=True).stdout.strip()
    ratio = [w["ns"] / o["ns"] for w, o in pairs]
    warp_ns, weft_ns = (sum(p[i]["ns"] for p in pairs) for i in (0, 1))
    output = sum(o["bytes"] for _, o in pairs)
    print(
        f"{len(pairs)} of {asked} kernels, both devices, forward and backward; best of {repeat} (weft: {repeat * 10}), one core each"
    )
    print(f"Warp {warp_package.VERSION} under {version}, {cpu_name()}\n")
    print(f"{'':<28}{'median':>12}{'10th pct':>12}{'90th pct':>12}")
    print(spread("Warp, ms per kernel", [w["ns"] / 1e6 for w, _ in pairs], "{:.2f}"))
    print(spread("weft, us per kernel", [o["ns"] / 1e3 for _, o in pairs], "{:.1f}"))
    print(spread("times faster", ratio, "{:.0f}"))
    print(f"\nall kernels: {warp_ns / weft_ns:.0f} times faster ({warp_ns / 1e9:.2f} s and {weft_ns / 1e6:.1f} ms)")
    print(
        f"weft's output: {output / weft_ns * 1e3:.0f} MB/s; memcpy on this core: {memcpy / 1e6:.0f} MB/s ({memcpy * weft_ns / output / 1e9:.0f} times as much)"
    )


def cpu_name():
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.machine()


def print_instructions(weft, paths):
    """Instructions do not depend on what else the machine does."""
    if not shutil.which("valgrind"):
        sys.exit("bench: --callgrind needs valgrind")
    process = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", weft, "extract", *paths, "--json"],
        capture_output=True,
        text=True,
    )
    collected = re.search(r"Collected : (\d+)", process.stderr)
    if not collected:
        sys.exit(f"bench: valgrind said: {process.stderr[-400:]}")
    instructions = int(collected[1])
    kernels = [line for line in process.stdout.splitlines() if '"full_name"' in line]
    size = sum(len(line) for line in kernels)
    print(
        f"{instructions:,} instructions for {len(kernels)} kernels of {len(paths)} files, start-up and JSON included: "
        f"{instructions // max(1, len(kernels)):,} per kernel, {instructions / max(1, size):.1f} per byte written"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE.py")
    parser.add_argument(
        "--repeat", type=int, default=3, help="runs of Warp per kernel; weft runs ten times as often (default 3)"
    )
    parser.add_argument("--callgrind", action="store_true", help="count weft's instructions instead")
    parser.add_argument("--json-out", metavar="FILE", help="both rows of every kernel")
    parser.add_argument("--weft", default=os.environ.get("WEFT", ROOT / "build" / "weft"))
    parser.add_argument("--warp-side", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    paths = options.files or [
        str(p) for p in sorted((ROOT / "tests" / "golden").glob("*.py")) if p.name not in NOT_PROMISED
    ]
    if options.warp_side:
        return warp_side(paths, options.repeat)
    if options.callgrind:
        return print_instructions(options.weft, paths)

    warp = warp_package.find_warp()
    if not warp:
        sys.exit("bench: Warp is not installed; run tools/venv.sh")
    pairs, asked = compare(options.weft, warp[0], paths, options.repeat)
    if not pairs:
        sys.exit("bench: no kernel was compiled by both")
    memcpy = json_lines([*one_core(), options.weft, "bench", "memcpy", "--json"])[0]["bytes_per_second"]
    print_times(pairs, asked, memcpy, options.repeat, warp[0])
    if options.json_out:
        with open(options.json_out, "w") as out:
            out.writelines(json.dumps({"warp": w, "weft": o}) + "\n" for w, o in pairs)


if __name__ == "__main__":
    main()
