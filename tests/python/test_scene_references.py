#!/usr/bin/env python3
"""Scenes that name an algorithm, against that algorithm written from the textbook (tests/meaning/scenes).

Samples of each scene are drawn with all their choices, run by weft on random inputs in double precision, and every output that
its plan names is compared with what the reference computes from the roles of the inputs.

    test_scene_references.py [SCENE...] [--count N] [-j N] [-v]       100 for the whole proof; a new scene needs it once
"""

import argparse
import concurrent.futures
import functools
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/meaning")]

from warp_env import reexec_with_warp

TOLERANCE = 1e-5
# A sample of these takes half a second and more, of most others a hundredth: one of them is drawn where no count is given.
SLOW = {"battery_pack", "block_thomas", "chain_kinematics", "cube_cases", "entry_flight", "flood_regions",
        "frame_pack", "gmm_e_step", "hill_muscle", "inverse_dynamics", "marching_tetrahedra", "mpm_gather",
        "mpm_scatter", "path_gradient", "riccati_sweep", "sdf_image", "undistort", "winding_numbers"}  # fmt: skip


@functools.cache
def references():
    found = {}
    for path in sorted((ROOT / "tests/meaning/scenes").glob("*.py")):
        spec = importlib.util.spec_from_file_location("scenes_" + path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.update({n: f for n, f in vars(module).items() if getattr(f, "is_reference", False)})
    return found


def compare(np, sample, expected):
    """What is wrong with a sample; None: nothing. An expected None is an output that the reference leaves open."""
    for role, truth in expected.items():
        if truth is None or not sample.has(role):
            continue
        got, truth = np.asarray(sample.stored(role, sample.after), float), np.asarray(truth, float)
        if got.shape != truth.shape:
            return f"{role} has the shape {got.shape}, the reference {truth.shape}"
        scale = max(float(np.max(np.abs(truth), initial=0.0)), 1e-3)
        off = np.abs(got - truth)
        if not np.all(off <= TOLERANCE * scale):
            at = np.unravel_index(np.nanargmax(np.where(np.isfinite(off), off, np.inf)), off.shape) if off.size else ()
            return f"{role}{list(map(int, at))} is {got[at]:.9g}, the reference says {truth[at]:.9g}"
    return None


def check_scene(name, options):
    """How many samples agree, and the first deviation. Runs in a worker process, which loads what it needs itself."""
    import numpy as np

    import stage

    np.seterr(all="ignore")
    with tempfile.TemporaryDirectory() as folder:
        try:
            return compare_samples(np, stage, name, references()[name], options, folder)
        except subprocess.CalledProcessError as error:
            return 0, f"{name}: {error.stderr.strip() or error}"


def compare_samples(np, stage, name, reference, options, folder):
    rng = np.random.default_rng(hash_of(name))
    compared, problem = 0, None
    count = options.count or (1 if name in SLOW else 3)
    for sample in stage.draw_samples(name, options.seed, rng):
        if compared == count or problem:
            break
        wrong = stage.run(sample, folder)
        if wrong is None:
            try:
                wrong = next(filter(None, (compare(np, view, view.treated(reference(view))) for view in sample.views())), None)
            except stage.flows.Treated:
                continue
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
        if wrong:
            problem = problem or f"{name}: {wrong}\n{sample.record['python_source']}\nplan: {sample.plan}"
        else:
            compared += 1
    return compared, problem


def hash_of(name):
    return sum(ord(c) * (i + 1) for i, c in enumerate(name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scenes", nargs="*")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if not reexec_with_warp():
        print("skipped: numpy, which comes with Warp, is not installed")
        return 77
    table = references()
    names, failed, total = options.scenes or sorted(table), 0, 0
    unknown = [name for name in names if name not in table]
    if unknown:
        print(f"no reference of this name: {', '.join(unknown)}")
        return 2
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for name, (compared, problem) in zip(names, pool.map(check_scene, names, [options] * len(names))):
            total += compared
            if problem:
                failed += 1
                print(problem if options.verbose else problem.splitlines()[0], flush=True)
            if not compared and not problem:
                failed += 1
                print(f"{name}: no sample could be compared", flush=True)
    print(f"{len(names)} scenes, {total} samples agree with their references, {failed} scenes with a deviation")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
