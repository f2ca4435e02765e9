#!/usr/bin/env python3
"""Standalone programs, built with the CPU shim and run: they must print PASS; and FAIL once something in them is wrong."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = pathlib.Path(os.environ.get("WEFT", ROOT / "build" / "weft"))
SAMPLES = 10

# What a mistake in a program looks like: (kernel, right text, wrong text).
MISTAKES = [
    ("smooth", "value = value + rate *", "value = value - rate *"),  # forward and backward
    ("smooth", "adj_around += g3;", ""),  # a way for the gradient that is forgotten
    ("pull", "adj_spring(", "(void)sizeof(adj_spring), (void)("),  # a gradient that is left out
    ("damped_wave", "g1 * sinf(x[i])", "g1 * cosf(x[i])"),  # a wrong derivative
]


def weft(*arguments):
    subprocess.run([WEFT, "standalone", *arguments], check=True, capture_output=True, timeout=300)


def build_and_run(folder, source=None):
    """What the program prints, with its exit code; `source` replaces the text of the .cu file."""
    program = next(folder.glob("*.cu"))
    if source is not None:
        program.write_text(source)
    built = subprocess.run(
        ["g++", "-std=c++17", "-O0", "-Wall", "-ffp-contract=off", "-x", "c++", program.name, "-o", "program", "-lm"],
        cwd=folder, capture_output=True, text=True, timeout=300,
    )
    if built.returncode or built.stderr:
        return f"does not build without warnings:\n{built.stderr}", -1
    ran = subprocess.run(["./program"], cwd=folder, capture_output=True, text=True, timeout=60)
    return ran.stdout + ran.stderr, ran.returncode


def check_samples(folder):
    weft("-n", str(SAMPLES), "-s", "4", "-o", folder)
    failed = 0
    for sample in sorted(p for p in folder.iterdir() if p.is_dir()):
        output, code = build_and_run(sample)
        if code or "PASS" not in output:
            failed += 1
            print(f"{sample.name}: {output}")
    return failed


def check_mistakes(folder):
    weft(str(ROOT / "examples" / "standalone.py"), "-o", folder)
    failed = 0
    for kernel, right, wrong in MISTAKES:
        path = folder / kernel / f"{kernel}.cu"
        text = path.read_text()
        if right not in text:
            failed += 1
            print(f"{kernel}: '{right}' is not in its text any more: name another mistake")
            continue
        head, tail = text.rsplit(right, 1) if "spring" in right else text.split(right, 1)
        output, code = build_and_run(folder / kernel, head + wrong + tail)
        path.write_text(text)
        if code == 0 or "PASS" in output:
            failed += 1
            print(f"{kernel} with a mistake ({right} -> {wrong}) still passes: {output}")
    return failed


def check_readable(folder):
    """No header but CUDA's and C's; names stay names."""
    text = (folder / "pull" / "pull.cu").read_text()
    included = set(re.findall(r"#include [<\"]([^>\"]+)", text))
    allowed = {"cuda_runtime.h", "weft_cpu_shim.h", "cmath", "cstdint", "cstdio", "cstdlib", "cstring", "type_traits"}
    missing = [name for name in ("ball", "force", "velocity", "spring", "stretch") if not re.search(rf"\b{name}\b", text)]
    if included - allowed or missing:
        print(f"headers {sorted(included - allowed)}, names that are gone {missing}")
        return 1
    return 0


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        failed = check_samples(pathlib.Path(first)) + check_mistakes(pathlib.Path(second))
        failed += check_readable(pathlib.Path(second))
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
