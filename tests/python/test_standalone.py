#!/usr/bin/env python3
"""Standalone programs, built with the CPU shim and run: they must print PASS; and FAIL once something in them is wrong."""

import json
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


# Kernels that have once been translated wrongly, or would be by a shortcut.
ODD_KERNELS = """import warp as wp


@wp.func
def count(counts: wp.array(dtype=float), i: int):
    wp.atomic_add(counts, i, 1.0)
    return counts[i]


@wp.kernel
def unused_result(counts: wp.array(dtype=float)):
    i = wp.tid()
    unused = count(counts, i)


@wp.kernel
def unknown_stride(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = x[i]
    for k in range(0, 10, n):
        s = s * 0.5 + x[i]
    y[i] = s


@wp.kernel
def no_arrays():
    i = wp.tid()


@wp.struct
class Bodies:
    mass: wp.array(dtype=float)
    speed: wp.array(dtype=float)


@wp.func
def motion(bodies: Bodies, i: int):
    momentum = bodies.mass[i] * bodies.speed[i]
    return momentum, 0.5 * momentum * bodies.speed[i]


@wp.func
def momentum_twice(bodies: Bodies, i: int):
    momentum, energy = motion(bodies, i)
    return momentum * 2.0


@wp.kernel
def struct_in_function(bodies: Bodies, out: wp.array(dtype=float)):
    # The arrays of a struct that goes to a function get their gradient, also where the function gives several results.
    i = wp.tid()
    momentum, energy = motion(bodies, i)
    out[i] = momentum * energy + momentum_twice(bodies, i)
"""


# What speaks, and comments that would swallow the next line in C++.
MESSAGES = r"""import warp as wp


@wp.kernel
def speak(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), n: wp.int64, shift: wp.vec2, y: wp.array(dtype=float)):
    '''What stands here ends in a backslash \\
    '''
    i = wp.tid()
    # C:\temp\
    s = x[i] * 2.0  # and here ??/
    # what follows must be run \
    s = s + 1.0 + shift[0]
    if i == 1:
        print('100% "sure"')
        wp.printf("thread %d of %lld\n", i, n)
        print(v[i] * 0.0)
        print(s > 100.0)
        assert s < 0.0
        wp.expect_eq(i, 2)
        wp.expect_near(s, s)
    y[i] = s * s
"""


def check_messages(folder):
    """A kernel that speaks says the same in its program; a file may be called like one of weft's own."""
    source = folder / "library.py"
    source.write_text(MESSAGES)
    weft(str(source), "-o", folder / "spoken")
    printed, code = build_and_run(folder / "spoken" / "speak")
    wanted = ['100% "sure"', "thread 1 of ", "0 0 0", "False", "line 18: assert s < 0.0 does not hold",
              "line 19: wp.expect_eq() does not hold", "PASS (forward and backward"]
    missing = [text for text in wanted if text not in printed]
    if code or missing or "expect_near" in printed:
        print(f"a kernel that speaks: exit code {code}, {missing} are not in {printed}")
        return 1
    about = json.loads((folder / "spoken" / "speak" / "metadata.json").read_text())["launch"]["args"]
    if not isinstance(about["n"]["value"], int) or len(about["shift"]["value"]) != 2 or "shape" not in about["x"]:
        print(f"metadata.json: {about}")
        return 1
    return 0


def many_variables(count):
    """More of them than a machine word has bits."""
    lines = ["", "", "@wp.kernel", "def many_variables(x: wp.array(dtype=float), y: wp.array(dtype=float)):",
             "    i = wp.tid()", "    v0 = x[i]"]
    lines += [f"    v{k} = wp.sin(v{k - 1}) * {0.5 + k / 100:.2f} + x[i]" for k in range(1, count)]
    lines += ["    unused = v3 * 2.0", "    for k in range(4):", "        v5 = v5 * v7 + 0.1", "        if v5 > v9:",
              "            v11 = v5 * 0.5", "    y[i] = v5 + v11 + " + " + ".join(f"v{k}" for k in range(0, count, 7))]
    return "\n".join(lines) + "\n"


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
    """No header but CUDA's, C's and the two that stand in the folder; names stay names."""
    text = (folder / "pull" / "pull.cu").read_text()
    included = set(re.findall(r"#include [<\"]([^>\"]+)", text))
    allowed = {"cuda_runtime.h", "weft_math.cuh", "weft_cpu_shim.h", "cmath", "cstdint", "cstdio", "cstdlib", "cstring", "type_traits"}
    missing = [name for name in ("ball", "force", "velocity", "spring", "stretch") if not re.search(rf"\b{name}\b", text)]
    if included - allowed or missing:
        print(f"headers {sorted(included - allowed)}, names that are gone {missing}")
        return 1
    return 0


def check_odd_kernels(folder):
    source = folder / "odd.py"
    source.write_text(ODD_KERNELS + many_variables(90))
    output = folder / "made" / "on" / "the way"
    weft(str(source), "-o", output)
    failed = 0
    for sample in sorted(p for p in output.iterdir() if p.is_dir()):
        printed, code = build_and_run(sample)
        if code or "PASS" not in printed:
            failed += 1
            print(f"{sample.name}: {printed}")
    texts = {name: (output / name / f"{name}.cu").read_text() for name in ("unused_result", "no_arrays", "many_variables", "struct_in_function")}
    wanted = {"unused_result": "    count(counts, i);", "many_variables": "many_variables_backward(", "struct_in_function": "struct_in_function_backward("}
    for name, text in wanted.items():
        if text not in texts[name]:
            failed += 1
            print(f"{name}: '{text.strip()}' is not in its text")
    unused = [name for name in ("accept(", "unit(") if name in texts["no_arrays"]]
    if unused or "unused = v3" in texts["many_variables"]:
        failed += 1
        print(f"what nobody uses is still there: {unused}")
    return failed


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        failed = check_samples(pathlib.Path(first)) + check_mistakes(pathlib.Path(second))
        failed += check_readable(pathlib.Path(second))
    with tempfile.TemporaryDirectory() as third:
        failed += check_odd_kernels(pathlib.Path(third)) + check_messages(pathlib.Path(third))
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
