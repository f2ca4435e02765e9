#!/usr/bin/env python3
"""The C++ that standalone programs are made of: helper.cuh and host.cu are C++ as they are, what is kept from kernel to kernel
fits the next one, no program has a function that it does not call, and atomics that CUDA does not have are refused."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import standalone_batch

ROOM = standalone_batch.ROOT / "src" / "standalone"

# A function of library.py with several results, for one scalar, for the other, and for both; and arrays whose names would be alike.
WIDTHS = """import warp as wp


@wp.kernel
def single(q: wp.array(dtype=wp.quatf), y: wp.array(dtype=wp.vec3f)):
    i = wp.tid()
    axis, angle = wp.quat_to_axis_angle(q[i])
    y[i] = axis * angle


@wp.kernel
def wide(q: wp.array(dtype=wp.quatd), y: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    axis, angle = wp.quat_to_axis_angle(q[i])
    y[i] = axis * angle


@wp.kernel
def both(p: wp.array(dtype=wp.quatf), q: wp.array(dtype=wp.quatd), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    axis, angle = wp.quat_to_axis_angle(p[i])
    wide_axis, wide_angle = wp.quat_to_axis_angle(q[i])
    y[i] = wp.float64(axis[0] * angle) + wide_axis[0] * wide_angle


@wp.struct
class State:
    points: wp.array(dtype=float)


@wp.struct
class States:
    state: State
    state_points: wp.array(dtype=float)


@wp.kernel
def alike(state: State, state_points: wp.array(dtype=float), both: States, both_state_points: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = state.points[i] + 2.0 * state_points[i] + 3.0 * both.state.points[i] + 4.0 * both.state_points[i] + 5.0 * both_state_points[i]
"""

# Results of which nothing can be compared, as they depend on the order of threads; some; all.
ORDERS = """import warp as wp


@wp.kernel
def nothing_compared(slots: wp.array(dtype=int), old: wp.array(dtype=int)):
    i = wp.tid()
    old[i] = wp.atomic_exch(slots, 0, i)


@wp.kernel
def one_compared(x: wp.array(dtype=float), slots: wp.array(dtype=int), old: wp.array(dtype=int), y: wp.array(dtype=float)):
    i = wp.tid()
    old[i] = wp.atomic_exch(slots, 0, i)
    y[i] = 2.0 * x[i]


@wp.kernel
def all_compared(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]
"""

# atomicAdd() of a half exists for CUDA's own type alone, and only on some cards.
HALVES = """import warp as wp


@wp.kernel
def half_{name}(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.float16)):
    i = wp.tid()
    wp.atomic_{name}(y, 0, x[i])
"""

FUNCTION = re.compile(r"^(?:template <[^>]*> )?(?:static |__\w+__ )*[\w<>:*& ]*?(\w+)\([^;]*?\)\n\{\n(.*?)^\}", re.M | re.S)


def uncalled(text):
    """Functions of a program that neither main() nor a kernel calls, directly or by way of others."""
    bodies = {}
    for found in FUNCTION.finditer(text):
        bodies[found[1]] = bodies.get(found[1], "") + found[2]
    waiting, called = ["main", *re.findall(r"__global__ void (\w+)", text)], set()
    while waiting:
        name = waiting.pop()
        if name in bodies and name not in called:
            called.add(name)
            waiting += re.findall(r"\w+", bodies[name])
    return sorted(set(bodies) - called)


def check_calls(folder):
    (folder / "orders.py").write_text(ORDERS)
    standalone_batch.weft(folder / "orders.py", "-o", folder / "orders")
    sources = sorted((folder / "orders").glob("*/*.cu"))
    comparing = [path.stem for path in sources if "static bool accept(" in path.read_text()]
    wrong = [f"{path.stem} does not call {', '.join(uncalled(path.read_text()))}" for path in sources if uncalled(path.read_text())]
    if comparing != ["all_compared", "one_compared"]:
        wrong.append(f"results are compared by {comparing}")
    print("".join(f"{line}\n" for line in wrong), end="")
    return len(wrong)


def check_halves(folder):
    failed = 0
    for name in ("add", "sub"):
        (folder / "half.py").write_text(HALVES.format(name=name))
        done = standalone_batch.weft(folder / "half.py", "-o", folder / f"half_{name}", check=False)
        if done.returncode != 1 or f"atomic_{name}() of this type is not translated" not in done.stderr:
            failed += 1
            print(f"atomic_{name}() of float16: exit code {done.returncode}\n{done.stderr[:600]}")
    return failed


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    failed = 0
    for name in ("helper.cuh", "host.cu"):
        built = subprocess.run(
            ["g++", "-std=c++17", "-fsyntax-only", "-I", standalone_batch.SHIM.parent, "-x", "c++", ROOM / name],
            capture_output=True, text=True,
        )
        if built.returncode:
            failed += 1
            print(f"{name} is not C++:\n{built.stderr[:3000]}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "widths.py").write_text(WIDTHS)
        standalone_batch.weft(folder / "widths.py", "-o", folder / "programs")
        made = standalone_batch.folders_of(folder / "programs")
        failed += len(made) != 4
        source = next((folder / "programs").glob("*/alike.cu")).read_text()
        failed += not all(re.search(rf"\b{name}\b", source) for name in ("state_points_2", "both_state_points_2", "both_state_points_3"))
        failed += standalone_batch.report(standalone_batch.run_programs(made, folder))
        failed += check_calls(folder) + check_halves(folder)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
