#!/usr/bin/env python3
"""The kernels of tests/evaluators, which the two evaluators once disagreed on: they agree, and with Warp itself on the CPU.

`weft check --json --with-io` runs both evaluators (forward: "pass" means that they agree) and writes inputs, outputs and
gradients of a launch down; Warp then runs the same launch, forward and backward. Several draws of the inputs each. A number
that rounding decides (test_synth_warp.py says how that is found out) may differ.

    test_evaluators_warp.py [FILE.py...] [--seeds N] [-v]
"""

import argparse
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from test_synth_warp import ROUNDINGS, run_record
from test_tree_eval_warp import without
from warp_env import ROOT, WEFT, reexec_with_warp, start_warp, wanted_version

LEAST = 20  # kernels


def flags_of(path):
    """A line `# check: --range=-1,1` says how the kernels of a file are launched."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("# check:")]
    return lines[0].removeprefix("# check:").split() if lines else []


def check(path, seed):
    run = [WEFT, "check", path, "--warp", wanted_version(), "--json", "--with-io", "--no-example", "-s", str(seed), *flags_of(path)]
    done = subprocess.run(run, capture_output=True, text=True)
    assert not done.stderr, f"{path.name}: {done.stderr}"
    return [json.loads(line) for line in done.stdout.splitlines()]


def number(version):
    return [int(part) for part in version.split(".")]


def of_version(path, folder):
    """A copy without the kernels that say `# since 1.18`, of a later version."""
    text, copy = path.read_text(), pathlib.Path(folder) / path.name
    later = {name for since, name in re.findall(r"^# since ([\d.]+)\n@wp\.kernel\ndef (\w+)", text, re.M) if number(since) > number(wanted_version())}
    copy.write_text(without(text, later))
    return copy


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if not reexec_with_warp():
        print("skipped: Warp is not installed")
        return 77
    wp, np = start_warp()
    with tempfile.TemporaryDirectory() as folder:
        return compare(wp, np, options, folder)


def compare(wp, np, options, folder):
    wrong, kernels, runs = [], set(), 0
    for path in options.files or sorted((ROOT / "tests" / "evaluators").glob("*.py")):
        if path.name == "meeting_threads.py":
            continue  # the order of threads decides what its kernels give
        if "# not compared\n" in path.read_text():
            continue
        path = of_version(path, folder)
        module = load(path)
        for seed in range(1, options.seeds + 1):
            for result in check(path, seed):
                name = f"{path.name}, {result['kernel']}, seed {seed}"
                kernels.add((path.name, result["kernel"]))
                if result["forward"] != "pass":
                    wrong.append(f"{name}: {result['forward']}")
                    continue
                runs += 1
                outputs, gradients, moved = run_record(wp, np, getattr(module, result["kernel"]), result)
                if options.v:
                    print(f"{name}: outputs differ by {outputs:.3g} roundings, gradients by {gradients}; moved: {moved}")
                if not outputs <= ROUNDINGS or not (gradients or 0) <= ROUNDINGS:
                    wrong.append(f"{name}: outputs differ from Warp's by {outputs:.3g} roundings, gradients by {gradients}")
    print("\n".join(wrong))
    print(f"{len(kernels)} kernels, {runs} launches that agree with Warp, {len(wrong)} findings")
    return 1 if wrong or (len(kernels) < LEAST and not options.files) else 0


if __name__ == "__main__":
    sys.exit(main())
