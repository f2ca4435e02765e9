#!/usr/bin/env python3
"""Builds and runs standalone programs, on a machine that has a compiler and Python 3 but neither weft nor Warp.

    tools/run_programs.py DIR… [--with g++ | nvcc | both] [--jobs N] [--seconds N] [--arch sm_90] [--log FILE]

DIR holds the programs of `weft standalone -o DIR`, or is a .tar.gz of such a folder. Each program is built, with g++ (threads run one
after the other) or with nvcc (on this machine's GPU), and run. It passes if it prints PASS and exits with 0; a warning of the compiler
counts as "does not build". Prints how many passed, and the names of all others with the first line of what went wrong; the exit
code is 0 only if all passed. With --log, results are appended to a file as they come, and a second call goes on behind them.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

BUILD_SECONDS, RUN_SECONDS = 180, 60


def build_words(compiler, source, binary, arch):
    if compiler == "nvcc":
        return ["nvcc", "-std=c++17", "-O2", f"-arch={arch}", "-fmad=false", "-Xcompiler", "-Wall", source, "-o", binary]
    return [compiler, "-std=c++17", "-O1", "-Wall", "-ffp-contract=off", "-x", "c++", source, "-o", binary, "-lm"]


def first_line(text):
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
    marked = [line for line in lines if "error" in line or "warning" in line or "off by" in line or "FAIL" in line]
    return (marked or lines or [""])[0].strip()[:200]


def try_program(source, compiler, arch):
    """"PASS", "FAIL" or "does not build", and the first line of what was wrong."""
    with tempfile.TemporaryDirectory(prefix="weft-program-") as scratch:
        binary = f"{scratch}/program"
        try:
            built = subprocess.run(
                build_words(compiler, source.name, binary, arch), cwd=source.parent, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BUILD_SECONDS,
            )  # fmt: skip
            if built.returncode or b"warning" in built.stdout:
                return "does not build", first_line(built.stdout)
            ran = subprocess.run([binary], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired as expired:
            return ("FAIL", "ran too long") if expired.cmd[0] == binary else ("does not build", "compiled too long")
        if ran.returncode == 0 and b"PASS" in ran.stdout:
            return "PASS", ""
        return "FAIL", f"exit code {ran.returncode}: {first_line(ran.stdout)}"


def programs_of(place, scratch):
    """[(name, source)]: the programs of a folder or of an archive, which is unpacked."""
    folder = pathlib.Path(place)
    if folder.is_file():
        unpacked = pathlib.Path(scratch) / folder.name.split(".")[0]
        with tarfile.open(folder) as archive:
            archive.extractall(unpacked)
        folder = unpacked
    sources = sorted(folder.rglob("*.cu"))
    if not sources:
        sys.exit(f"run_programs: no programs in {place}")
    return [(f"{pathlib.Path(place).name}/{source.stem}", source) for source in sources]


def read_log(path):
    known = {}
    for line in path.read_text().splitlines() if path and path.exists() else ():
        try:
            compiler, name, outcome, why = json.loads(line)
        except ValueError:  # cut off when the run was killed
            continue
        known[compiler, name] = outcome, why
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="DIR")
    parser.add_argument("--with", dest="compilers", choices=("g++", "nvcc", "both"), default="g++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no program after so long")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    compilers = ["g++", "nvcc"] if options.compilers == "both" else [options.compilers]
    begin, known = time.monotonic(), read_log(options.log)

    def judge(task):
        compiler, name, source = task
        if time.monotonic() - begin > options.seconds:
            return None
        result = known.get((compiler, name)) or try_program(source, compiler, options.arch)
        if options.log and (compiler, name) not in known:
            with options.log.open("a") as log:
                log.write(json.dumps([compiler, name, *result]) + "\n")
        return result

    with tempfile.TemporaryDirectory(prefix="weft-programs-") as scratch:
        programs = [pair for place in options.folders for pair in programs_of(place, scratch)]
        tasks = [(compiler, name, source) for compiler in compilers for name, source in programs]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(judge, tasks))
    for (compiler, name, _), result in zip(tasks, results):
        if result and result[0] != "PASS":
            print(f"{compiler} {name}: {result[0]}: {result[1]}")
    for compiler in compilers:
        found = [result and result[0] for (used, _, _), result in zip(tasks, results) if used == compiler]
        counts = {outcome: found.count(outcome) for outcome in ("PASS", "FAIL", "does not build", None)}
        print(f"{compiler}: {len(found)} programs: {counts['PASS']} PASS, {counts['FAIL']} FAIL, {counts['does not build']} do not build, {counts[None]} not tried")
    return 0 if all(result and result[0] == "PASS" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
