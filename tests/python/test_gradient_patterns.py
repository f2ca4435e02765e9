#!/usr/bin/env python3
"""Wrong gradients, confirmed by Warp itself on the CPU: the smallest examples that `weft check` prints for wrong.py and found.py
of tests/gradients. Warp's own backward pass must give the wrong number, and differences of its forward pass the true one."""

import importlib.util
import json
import os
import re
import subprocess
import sys

from test_synth_warp import argument
from warp_env import ROOT, WEFT, reexec_with_warp, start_warp, wanted_version

STEP = 1e-5
LEAST = 24  # wrong gradients


def entry(name):
    """out[0, 1][2]: the array, and the index of the number in it."""
    array, rest = name.split("[", 1)
    return array, tuple(int(number) for number in re.findall(r"\d+", rest))


def launch(wp, np, kernel, dim, inputs, **keywords):
    values = {arg.label: argument(wp, np, arg.type, inputs[arg.label]) for arg in kernel.adj.args}
    wp.launch(kernel, dim=dim, inputs=list(values.values()), device="cpu", **keywords)
    return values


def moved(np, inputs, array, index, step):
    changed = np.array(inputs[array], dtype=np.float64)
    changed[index] += step
    return inputs | {array: changed.tolist()}


def confirm(wp, np, kernel, example):
    """What does not hold; None: all of it does."""
    dim = [int(n) for n in re.search(r"--dim ([\d,]+)", example["flags"])[1].split(",")]
    (output, to), (source, at) = entry(example["output"]), entry(example["input"])
    up, down = (launch(wp, np, kernel, dim, moved(np, example["inputs"], source, at, step))[output].numpy()[to] for step in (STEP, -STEP))
    slope = (up - down) / (2 * STEP)
    if abs(slope - example["true"]) > 1e-4 * max(1.0, abs(slope)):  # a steep one is curved, too
        return f"the true slope is {slope}, not {example['true']}"
    if example["warp"] is None:  # reads outside of its arrays, or a division by zero: not to be run, or not a number
        return None
    tape = wp.Tape()
    with tape:
        values = launch(wp, np, kernel, dim, example["inputs"])
    seed = np.zeros_like(values[output].numpy())
    seed[to] = 1.0
    values[output].grad = wp.array(seed, dtype=values[output].dtype, device="cpu")
    tape.backward()
    got = values[source].grad.numpy()[at]
    if abs(got - example["warp"]) > 1e-6 * max(1.0, abs(got)):
        return f"Warp's gradient is {got}, not {example['warp']}"
    return None


def main():
    if not reexec_with_warp():
        print("skipped: Warp is not installed")
        return 77
    wp, np = start_warp()
    confirmed, undefined, wrong = 0, 0, []
    verdicts = json.loads((ROOT / "tests/gradients/verdicts.json").read_text())
    for name in ("wrong", "found"):
        path = ROOT / f"tests/gradients/{name}.py"
        spec = importlib.util.spec_from_file_location(f"gradients_{name}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        done = subprocess.run([WEFT, "check", path, "--warp", wanted_version(), "--json"], capture_output=True, text=True)
        for result in map(json.loads, done.stdout.splitlines()):
            if verdicts[path.name][result["kernel"]][wanted_version()] == "right":  # in this version
                continue
            if result["gradient"] != "mismatch" or "example" not in result:
                wrong.append(f"{result['kernel']}: gradient {result['gradient']}, no example")
                continue
            problem = confirm(wp, np, getattr(module, result["kernel"]), result["example"])
            if problem:
                wrong.append(f"{result['kernel']}: {problem} ({result['example']})")
            else:
                confirmed += 1
                undefined += result["example"]["warp"] is None
    for line in wrong:
        print(line)
    print(f"{confirmed} of {confirmed + len(wrong)} wrong gradients are as wrong in Warp itself ({undefined} of them not defined)")
    return 1 if wrong or confirmed < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
