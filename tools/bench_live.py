#!/usr/bin/env python3
"""Times weft.extract_ir and Warp's own build and code generation on the same live kernels, in one process.

    bench_live.py [FILE.py ...]     by default, files of the installed Warp's examples, _src and tests, drawn by a fixed seed
        --files N      how many of them (default 60)
        --rounds N     how often each kernel is compiled by each (default 7)
        --module N     kernels of the module that is written as a whole, with weft.install() and without (default 200)
        --at-least R   exit with 1 if the median kernel is not R times as fast

Run it with an interpreter that has Warp. Each kernel is compiled for CUDA, with the reverse pass, from the kernel object to the text, its hash
included, in three ways: CALLS times in a loop of its own, by weft and by Warp by turns; once in each round over all kernels, whose memory is then cold; and the
same without what weft keeps of a kernel, which is the description of what its names mean, held against the program at each call. The CPU time of the
thread counts, and the fastest round of each kernel; garbage is collected between the loops. Only kernels that both compile are counted.
"""

import argparse
import gc
import importlib
import importlib.util
import inspect
import os
import pathlib
import random
import statistics
import sys
import time

import warp_oracle
import warp_package

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLS = 5  # of a kernel in a loop


def import_kernels(paths, package):
    """Every kernel object that importing these files makes, overloads in the place of generic ones."""
    from warp._src import context

    made, original = [], context.Kernel.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        made.append(self)

    context.Kernel.__init__ = init
    for path in paths:
        try:
            importlib.import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
        except Exception:  # a file that needs a package or a GPU
            pass
    context.Kernel.__init__ = original
    return [k for kernel in made for k in (list(kernel.overloads.values()) if kernel.is_generic else [kernel])]


def both_compile(kernel):
    import weft

    try:
        weft.extract_ir(kernel)
        return bool(warp_oracle.warp_text(kernel, "cuda"))
    except Exception:
        return False


def seconds(call):
    start = time.thread_time_ns()
    call()
    return 1e-9 * (time.thread_time_ns() - start)


def loop(kernels, call, best, calls=1):
    for i, kernel in enumerate(kernels):
        best[i] = min(best[i], seconds(lambda: [call(kernel) for _ in range(calls)]) / calls)
    gc.collect()


def time_kernels(kernels, rounds):
    """[(weft in a loop, weft in the round, weft without a description, Warp in a loop, Warp in the round)], the fastest round of each kernel."""
    import weft

    def describe_anew(kernel):
        vars(kernel).pop("_weft_description", None)
        weft.extract_ir(kernel)

    def by_warp(kernel):
        warp_oracle.build(kernel, "cuda").codegen("cuda")

    times = [[float("inf")] * len(kernels) for _ in range(5)]
    for _ in range(rounds):
        loop(kernels, describe_anew, times[2])
        loop(kernels, weft.extract_ir, times[0], CALLS)
        loop(kernels, weft.extract_ir, times[1])
        loop(kernels, by_warp, times[3], CALLS)
        loop(kernels, by_warp, times[4])
    return times


def compare(mine, theirs):
    """(what to say of the median kernel, how many times as fast)"""
    ratios = sorted(b / a for a, b in zip(mine, theirs))
    ratio, n = statistics.median(ratios), len(ratios)
    return (f"Warp {1e6 * statistics.median(theirs):.0f} µs, weft.extract_ir {1e6 * statistics.median(mine):.1f} µs, {ratio:.0f} times as fast "
            f"(10th percentile {ratios[n // 10]:.0f}, 90th {ratios[n * 9 // 10]:.0f})"), ratio


SOURCE = """
@wp.kernel
def step_{n}(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3), mass: wp.array(dtype=float), dt: float):
    i = wp.tid()
    if mass[i] > 0.0:
        a = f[i] / mass[i] + wp.vec3(0.0, -9.8, 0.0)
        new = limited(v[i] + a * dt, {n}.0)
        for k in range(3):
            if x[i][k] < 0.0:
                new[k] = wp.abs(new[k]) * 0.5
        v[i] = new
        x[i] = x[i] + new * dt
"""
SHARED = """import warp as wp

@wp.func
def limited(v: wp.vec3, most: float):
    speed = wp.length(v)
    if speed > most:
        return v * (most / speed)
    return v
"""


def make_module(count, folder):
    """A module of so many kernels, none of which has been built."""
    path = pathlib.Path(folder, "bench_live_module.py")
    path.write_text(SHARED + "".join(SOURCE.format(n=n) for n in range(1, count + 1)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.step_1.module


def module_text(module, target):
    """What Warp does between a launch and its compiler; the builder is the one that is installed."""
    from warp._src import context
    import warp as wp

    options = module.resolve_options(wp.config, 256) | {"output_arch": None}
    hasher = context.ModuleHasher(module._get_live_kernels(), options)
    return context.ModuleBuilder(module, options, hasher, **target).codegen("cuda")


def time_module(count, rounds, folder):
    """(weft, Warp)"""
    from warp._src import context

    import weft

    target = {"target": "cuda"} if "target" in inspect.signature(context.ModuleBuilder.__init__).parameters else {}
    module, mine, theirs = make_module(count, folder), [], []
    module_text(module, target)
    for _ in range(rounds):
        counts = weft.install()
        mine.append(seconds(lambda: module_text(module, target)))
        weft.uninstall()
        if counts.by_weft != count:
            raise SystemExit(f"bench_live: {counts}: {dict(counts.reasons)}")
        theirs.append(seconds(lambda: module_text(module, target)))
        gc.collect()
    return min(mine), min(theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--module", type=int, default=200)
    parser.add_argument("--at-least", type=float, default=0.0)
    args = parser.parse_args()
    sys.path.insert(0, os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python")))
    import tempfile

    import warp as wp

    import weft  # noqa: F401

    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    package = pathlib.Path(wp.__file__).resolve().parent
    paths = [p.resolve() for p in args.paths] or random.Random(1).sample(warp_package.files(package), args.files)
    kernels = [k for k in import_kernels(paths, package) if both_compile(k)]
    gc.collect()
    gc.disable()
    looped, turn, first, warp_looped, warp_turn = time_kernels(kernels, args.rounds)
    said, ratio = compare(looped, warp_looped)
    print(f"Warp {wp.__version__}, {len(kernels)} kernels of {len(paths)} files, CPU time of the median kernel, from the object to its text, in a loop: {said}")
    print(f"all kernels by turns: {compare(turn, warp_turn)[0]}")
    print(f"the first call: {compare(first, warp_turn)[0]}")
    if args.module:
        with tempfile.TemporaryDirectory() as folder:
            mine, theirs = time_module(args.module, min(args.rounds, 3), folder)
        print(f"a module of {args.module} kernels, hashes included: {1e3 * mine:.0f} ms to its text with weft.install(), {1e3 * theirs:.0f} ms without "
              f"({theirs / mine:.1f} times as fast)")
    return 1 if ratio < args.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
