#!/usr/bin/env python3
"""Kernels with tiles as standalone programs: blocks of 32 threads that wait for each other, on the CPU one thread after the other, in
several orders. Programs must pass forward and backward; without one of the waits, some must not; what is not translated is refused
with its place and a reason."""

import pathlib
import shutil
import sys
import tempfile

import standalone_batch

# "-DNAME=" defines it as programs do.
FLAGS = ["-DWEFT_BLOCKS="]
ORDERS = [{}, {"WEFT_THREAD_ORDER": "3"}, {"WEFT_THREAD_ORDER": "8"}]
NO_BACKWARD = {"histogram", "positions"}

SOURCE = '''import warp as wp

N = wp.constant(16)
M = wp.constant(6)


@wp.func
def gelu(x: float):
    return 0.5 * x * (1.0 + wp.tanh(0.8 * x))


@wp.kernel
def softmax(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    """Rows that add up to one."""
    i = wp.tid()
    row = wp.tile_load(a, shape=(1, N), offset=(i, 0))
    peak = wp.tile_max(row)
    weights = wp.tile_map(wp.exp, row - wp.tile_broadcast(wp.tile_reshape(peak, shape=(1, 1)), shape=(1, N)))
    total = wp.tile_sum(weights)
    wp.tile_store(out, weights / total[0], offset=(i, 0))


@wp.kernel
def layer_norm(a: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    row = wp.tile_squeeze(wp.tile_load(a, shape=(1, N), offset=(i, 0)))
    mean = wp.tile_sum(row)[0] / float(N)
    centred = row - wp.tile_full(shape=N, value=mean, dtype=float)
    spread = wp.tile_sum(centred * centred)[0] / float(N)
    wp.tile_store(out, wp.tile_reshape(centred * (1.0 / wp.sqrt(spread + 0.01)), shape=(1, N)), offset=(i, 0))


@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    acc = wp.tile_zeros(shape=(M, M), dtype=float)
    for k in range(3):
        x = wp.tile_load(a, shape=(M, M), offset=(i * M, k * M))
        y = wp.tile_load(b, shape=(M, M), offset=(k * M, j * M))
        wp.tile_matmul(x, y, acc)
    wp.tile_store(c, wp.tile_map(gelu, acc), offset=(i * M, j * M))


@wp.kernel
def gram(a: wp.array2d(dtype=wp.float64), out: wp.array2d(dtype=wp.float64)):
    x = wp.tile_load(a, shape=(M, N))
    wp.tile_store(out, wp.tile_matmul(x, wp.tile_transpose(x)))


@wp.kernel
def stencil(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(a, shape=wp.static(N + 2), offset=i * N)
    wp.tile_store(out, 0.25 * t[:-2] + 0.5 * t[1:-1] + 0.25 * t[2:], offset=i * N)


@wp.kernel
def centred(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile(a[i] * a[i])
    mean = wp.tile_sum(t)[0] / float(wp.block_dim())
    out[i] = wp.untile(t) - mean


@wp.kernel
def overwritten(a: wp.array(dtype=float), k: float, out: wp.array(dtype=float)):
    t = wp.tile_load(a, shape=N)
    t = t * t
    t[2] = k * t[3]
    t[5] += 0.5
    t *= 2.0
    best = wp.tile_min(t)
    out[0] = best[0] * t[1]


@wp.kernel
def joined(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    e = wp.tile_load(a, shape=N, offset=i * N) * wp.tile_load(b, shape=N, offset=i * N)
    e = e * e
    wp.tile_store(out, wp.tile_map(wp.sin, e), offset=i * N)


@wp.kernel
def histogram(a: wp.array(dtype=float), out: wp.array(dtype=int)):
    i, lane = wp.tid()
    bins = wp.tile_zeros(shape=8, dtype=int, storage="shared")
    which = int(a[lane] * 8.0)
    wp.tile_scatter_add(bins, which, 1, which >= 0 and which < 8)
    wp.tile_atomic_add(out, bins)


@wp.kernel
def positions(a: wp.array(dtype=float), out: wp.array(dtype=int)):
    t = wp.tile_load(a, shape=N)
    wp.tile_store(out, wp.tile_argmax(t))
    wp.tile_store(out, wp.tile_argmin(t * -1.0), offset=1)
'''

REFUSED = '''import warp as wp


@wp.kernel
def spectrum(a: wp.array2d(dtype=wp.vec2), out: wp.array2d(dtype=wp.vec2)):
    t = wp.tile_load(a, shape=(2, 64))
    wp.tile_fft(t)
    wp.tile_store(out, t)
'''


def check_programs(folder):
    source, output = folder / "tiles.py", folder / "programs"
    source.write_text(SOURCE)
    done = standalone_batch.weft(source, "-o", output, check=False)
    made = standalone_batch.folders_of(output)
    failed = standalone_batch.report(standalone_batch.run_programs(made, folder, FLAGS, ORDERS))
    if done.returncode or len(made) != SOURCE.count("@wp.kernel"):
        print(f"{len(made)} programs: {done.stderr}")
        failed += 1
    for program in made:
        if standalone_batch.has_backward(program) == (program.name in NO_BACKWARD):
            print(f"{program.name}: {(program / 'metadata.json').read_text()}")
            failed += 1
    return failed, made


def check_waits(folder, made):
    """Programs whose threads do not wait where a tile was filled fail in some order."""
    for program in made:
        path = next(program.glob("*.cu"))
        text = path.read_text()
        path.write_text(text.replace("    __syncthreads();\n", ""))
    results = standalone_batch.run_programs(made, folder, FLAGS, ORDERS[1:])
    caught = sum("PASS" not in text for _, text in results.values())
    if caught < 6:
        print(f"without waiting, only {caught} of {len(made)} programs fail")
    return caught < 6


def check_refusal(folder):
    source = folder / "refused.py"
    source.write_text(REFUSED)
    done = standalone_batch.weft(source, "-o", folder / "refused", check=False)
    wanted = "refused.py:7: spectrum: refused: wp.tile_fft() is not translated"
    if wanted not in done.stderr or done.returncode != 1:
        print(f"expected '{wanted}', got exit status {done.returncode}: {done.stderr}")
        return 1
    return 0


def main():
    if not shutil.which("g++"):
        print("skipped: there is no g++")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        failed, made = check_programs(folder)
        failed += check_waits(folder, made) + check_refusal(folder)
    print(f"{len(made)} programs in {len(ORDERS)} orders, {failed} failed")
    return failed != 0


sys.exit(main())
