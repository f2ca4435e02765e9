#!/usr/bin/env python3
"""The C++ that standalone programs are made of: helper.cuh and host.cu are C++ as they are, and what is kept from kernel to kernel
fits the next one."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import standalone_batch

ROOM = standalone_batch.ROOT / "src" / "standalone"

# A function of library.py with several results, for one scalar, for the other, and for both.
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
"""


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
        failed += len(made) != 3
        failed += standalone_batch.report(standalone_batch.run_programs(made, folder))
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
