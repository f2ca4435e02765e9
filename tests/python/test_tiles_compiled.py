#!/usr/bin/env python3
"""Warp's text of kernels with tiles, compiled and run: `weft gpu --cpu` takes the way to a GPU, with blocks of one thread. And the
shared memory that weft counts for a block is what Warp counts. Both need Warp; the first a C++ compiler, too."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
GOLDEN = ROOT / "tests" / "tiles" / "tiles_golden.py"
# Warp counts the tiles of a function as they are when it is called.
COUNTED_EARLIER = {"function_two_results", "function_returns_tile"}

SOURCE = '''import warp as wp

N = wp.constant(16)


@wp.kernel
def normalized(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    row = wp.tile_load(a, shape=(1, N), offset=(i, 0))
    total = wp.tile_sum(row * row)
    wp.tile_store(out, row / wp.sqrt(total[0]), offset=(i, 0))


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    x = wp.tile_load(a, shape=(4, N))
    y = wp.tile_load(b, shape=(N, 4))
    wp.tile_store(c, wp.tile_matmul(x, y))
'''

LARGE = '''import warp as wp


@wp.kernel
def large(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    t = wp.tile_load(a, shape=(128, 256), storage="shared")
    wp.tile_store(out, t)
'''

COUNT = '''import json, sys
sys.path.insert(0, "tools")
import warp as wp
import warp_oracle
wp.config.quiet = True
counts = {}
for kernel in warp_oracle.kernels_of(sys.argv[1]):
    warp_oracle.build(kernel, "cuda").codegen("cuda")
    counts[kernel.key] = [kernel.adj.get_total_required_shared(), kernel.adj.get_total_required_shared_backward()]
print(json.dumps(counts))
'''


def check_run(folder):
    source = folder / "tiles.py"
    source.write_text(SOURCE)
    done = subprocess.run([WEFT, "gpu", "--cpu", source, "--no-cache", "--keep", folder / "kept"], capture_output=True, text=True, cwd=ROOT)
    if done.returncode or "PASS: all agree" not in done.stdout or " 2/2 " not in done.stdout:
        print(done.stdout, done.stderr)
        return 1
    return 0


def check_large(folder):
    source = folder / "large.py"
    source.write_text(LARGE)
    done = subprocess.run([WEFT, "check", source], capture_output=True, text=True, cwd=ROOT)
    wanted = "the tiles of a block take 262144 bytes of shared memory with their gradients; an H200 has 232448"
    if wanted not in done.stdout + done.stderr:
        print(f"expected '{wanted}':", done.stdout, done.stderr)
        return 1
    return 0


def check_shared():
    python = ROOT / ".venv" / "bin" / "python"
    told = subprocess.run([python, "-c", COUNT, GOLDEN], capture_output=True, text=True, cwd=ROOT)
    wanted = json.loads(told.stdout.splitlines()[-1])
    done = subprocess.run([WEFT, "extract", GOLDEN, "-d", "cuda", "--json"], capture_output=True, text=True, check=True)
    failed = compared = 0
    for record in map(json.loads, done.stdout.splitlines()):
        key, counted = record["kernel_key"], record["metadata"]["shared_bytes"]
        compared += 1
        if key in COUNTED_EARLIER:
            failed += counted[0] < wanted[key][0] or counted[1] != wanted[key][1]
        elif counted != wanted[key]:
            print(f"{key}: {counted}, Warp has {wanted[key]}")
            failed += 1
    return failed + (compared < 150)


def main():
    if not shutil.which("g++") or not (ROOT / ".venv" / "bin" / "python").exists():
        print("skipped: there is no g++ or no Warp")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        failed = check_run(pathlib.Path(folder)) + check_large(pathlib.Path(folder)) + check_shared()
    print(f"{failed} failed")
    return failed != 0


sys.exit(main())
