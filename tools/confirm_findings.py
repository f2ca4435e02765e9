#!/usr/bin/env python3
"""Findings of `weft check` in an installed package, run with Warp itself on the CPU: what is Warp's own gradient, and which value is true?

    weft check newton --json > findings.jsonl          (in the folder that the package is in)
    PYTHONPATH=. confirm_findings.py newton findings.jsonl
    PYTHONPATH=. confirm_findings.py newton findings.jsonl --sample 50 --seed 1
    PYTHONPATH=. confirm_findings.py newton findings.jsonl --passes 30 --mismatches 30

Each kernel is launched alone on the inputs of its smallest example. A finding is confirmed if wp.Tape gives the value that weft says Warp has, and
differences of Warp's forward pass are nearer to the one that weft says is true. With --sample, so many verdicts are taken at random, passes
among them; --passes and --mismatches say how many of each. Of passes, wp.Tape's gradient along a random direction must be the difference of Warp's forward pass along it, on the inputs
of `weft check --with-io`. Needs Warp, and what the package imports; it is imported, so run
it only on what you trust. Exit code 1: one that could be run is not confirmed."""

import argparse
import importlib
import json
import math
import os
import random
import re
import subprocess
import sys

import numpy as np
import warp as wp

import stand_in

STEP = 1e-2


def is_array(kind):
    return hasattr(kind, "ndim") and hasattr(kind, "dtype") and not isinstance(kind, type)


def members(value):
    """The members of a struct as numpy takes them."""
    return tuple(members(part) for part in value.values()) if isinstance(value, dict) else value


def make_array(kind, values):
    if hasattr(kind.dtype, "numpy_dtype"):
        return wp.array(np.array([members(value) for value in values], dtype=kind.dtype.numpy_dtype()), dtype=kind.dtype, device="cpu", requires_grad=True)
    values = np.array(values)
    if hasattr(kind.dtype, "_shape_"):
        values = values.reshape(values.shape[: kind.ndim] + tuple(kind.dtype._shape_))
    return wp.array(values, dtype=kind.dtype, device="cpu", requires_grad=True)


def make_scalar(kind, value):
    return kind(*np.array(value).ravel().tolist()) if hasattr(kind, "_shape_") else kind(value)


def place_of(text):
    """("x", indices) of x[1, 2][0]: of the element, then of the component."""
    name, rest = re.match(r"([\w.]+)(.*)", text).groups()
    return name, tuple(map(int, re.findall(r"\d+", rest)))


def cell(values, array, at):
    """A view of one number of what array.numpy() gave; members of structs are four bytes each."""
    flat = (values.view(np.float32) if values.dtype.names else values).reshape(array.shape + (-1,))
    return flat[at[: array.ndim]], at[array.ndim] if len(at) > array.ndim else 0


class Launch:
    def __init__(self, row):
        module = importlib.import_module(row["file"].removesuffix(".py").replace("/", "."))
        kernel = getattr(module, row["kernel_name"])
        self.kernel = wp.Kernel(func=kernel.func, key=kernel.key, module=wp.get_module("alone_" + kernel.key))
        self.inputs = row["example"]["inputs"]
        dim = re.search(r"--dim ([\d,]+)", row["example"]["flags"])
        self.dim = [int(size) for size in dim[1].split(",")] if dim else 8
        (self.output, self.output_at), (self.input, self.input_at) = place_of(row["example"]["output"]), place_of(row["example"]["input"])

    def arguments(self):
        kinds = {arg.label: arg.type for arg in self.kernel.adj.args}
        return {name: (make_array if is_array(kind) else make_scalar)(kind, self.inputs[name]) for name, kind in kinds.items()}

    def gradient(self):
        made = self.arguments()
        with wp.Tape() as tape:
            wp.launch(self.kernel, dim=self.dim, inputs=list(made.values()), device="cpu")
        seed = np.zeros_like(made[self.output].numpy())
        row, at = cell(seed, made[self.output], self.output_at)
        row[at] = 1
        made[self.output].grad.assign(seed)
        tape.backward()
        row, at = cell(made[self.input].grad.numpy(), made[self.input], self.input_at)
        return float(row[at])

    def moved(self, step):
        made = self.arguments()
        values = made[self.input].numpy().copy()
        row, at = cell(values, made[self.input], self.input_at)
        row[at] += step
        made[self.input].assign(values)
        wp.launch(self.kernel, dim=self.dim, inputs=list(made.values()), device="cpu")
        row, at = cell(made[self.output].numpy(), made[self.output], self.output_at)
        return float(row[at])

    def difference(self):
        return (self.moved(STEP) - self.moved(-STEP)) / (2 * STEP)


def confirm(row):
    launch, said = Launch(row), row["example"]
    tape, slope = launch.gradient(), launch.difference()
    if said["warp"] is None:  # not a number, and the true one is
        agrees = not math.isfinite(tape) and abs(slope - said["true"]) <= 0.02 * (1 + abs(said["true"]))
        return {"confirmed": agrees, "tape": str(tape), "difference": slope, "warp": None, "true": said["true"]}
    agrees = abs(tape - said["warp"]) <= 1e-3 * (1 + abs(said["warp"])) and abs(slope - said["true"]) < abs(slope - said["warp"])
    return {"confirmed": agrees, "tape": tape, "difference": slope, "warp": said["warp"], "true": said["true"]}


class Passed:
    """A kernel whose gradient is said to be right, on the first launch that weft has written down."""

    def __init__(self, row, launch, generator):
        module = importlib.import_module(row["file"].removesuffix(".py").replace("/", "."))
        kernel = getattr(module, row["kernel_name"])
        self.kernel = wp.Kernel(func=kernel.func, key=kernel.key, module=wp.get_module("alone_" + kernel.key))
        self.dim, self.kinds = launch["dim"], {arg.label: arg.type for arg in self.kernel.adj.args}
        self.inputs, self.cotangents = self.read(launch["inputs"]), self.read(launch["cotangents"])
        floats = {item["name"] for item in launch["inputs"] if item["floats"]}
        self.moved = {name: generator.standard_normal(self.inputs[name].shape) for name in floats - set(self.cotangents) if is_array(self.kinds[name])}

    def read(self, items):
        if any(item["field"] for item in items):
            raise NotImplementedError("a struct")
        return {item["name"]: np.array(item["floats"] if item["ints"] is None else item["ints"]).reshape(item["shape"]) for item in items}

    def launch(self, step):
        values = {name: value + step * self.moved[name] if name in self.moved else value for name, value in self.inputs.items()}
        made = {name: (make_array if is_array(kind) else make_scalar)(kind, values[name]) for name, kind in self.kinds.items()}
        with wp.Tape() as tape:
            wp.launch(self.kernel, dim=self.dim, inputs=list(made.values()), device="cpu")
        return made, tape

    def along_tape(self):
        made, tape = self.launch(0)
        for name, value in self.cotangents.items():
            made[name].grad.assign(value.reshape(made[name].numpy().shape))
        tape.backward()
        return [float(np.sum(made[name].grad.numpy().reshape(move.shape) * move)) for name, move in self.moved.items()]

    def along_difference(self, step):
        ends = [{name: made.numpy().astype(float) for name, made in self.launch(at)[0].items() if name in self.cotangents} for at in (step, -step)]
        return sum(float(np.sum((ends[0][name] - ends[1][name]).reshape(value.shape) * value)) for name, value in self.cotangents.items()) / (2 * step)


def confirm_pass(row, weft, seed):
    done = subprocess.run([weft, "check", row["file"], "-k", row["kernel_name"], "--json", "--with-io"], capture_output=True, text=True)
    launch = json.loads(done.stdout.splitlines()[0])["launches"][0]
    kernel = Passed(row, launch, np.random.default_rng(seed))
    terms = kernel.along_tape()
    slopes = [kernel.along_difference(step) for step in (1e-2, 3e-3, 1e-3, 1e-4)]
    size = sum(map(abs, terms)) + 1e-3
    return {"confirmed": any(abs(sum(terms) - slope) <= 0.02 * size for slope in slopes), "tape": sum(terms), "differences": slopes}


def chosen(rows, options):
    """Findings with an example; of a sample, any verdicts about gradients, in random order."""
    if not options.sample and not options.passes and not options.mismatches:
        return [row for row in rows if row.get("example") and row["example"]["warp"] is not None]
    rows = [row for row in rows if row.get("gradient") == "pass" or (row.get("gradient") == "mismatch" and row.get("example"))]
    random.Random(options.seed).shuffle(rows)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("findings")
    parser.add_argument("--sample", type=int, help="so many verdicts that can be run, at random")
    parser.add_argument("--passes", type=int, default=0, help="so many gradients that are said to be right")
    parser.add_argument("--mismatches", type=int, default=0, help="so many that are said to be wrong")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weft", default="weft")
    options = parser.parse_args()
    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    stand_in.stand_in_for_missing(options.package, stand_in.install())
    importlib.import_module(options.package)
    rows = chosen([json.loads(line) for line in open(options.findings)], options)
    counts = {"confirmed": 0, "not confirmed": 0, "not run": 0}
    left = {"pass": options.passes, "mismatch": options.mismatches}
    for row in rows:
        if sum((options.passes, options.mismatches)) and not left[row["gradient"]]:
            continue
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                found = confirm_pass(row, options.weft, options.seed) if row["gradient"] == "pass" else confirm(row)
            except Exception as error:
                found = {"not_run": f"{type(error).__name__}: {error}"[:100]}
            print(json.dumps({"file": row["file"], "kernel": row["kernel_name"], "gradient": row["gradient"], **found}), flush=True)
            os._exit(2 if "not_run" in found else 0 if found["confirmed"] else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        counts[{0: "confirmed", 2: "not run"}.get(code, "not confirmed")] += 1
        left[row["gradient"]] -= code != 2
        if options.sample and counts["confirmed"] + counts["not confirmed"] == options.sample:
            break
    print(f"{counts['confirmed']} confirmed, {counts['not confirmed']} not confirmed, {counts['not run']} could not be run")
    return 1 if counts["not confirmed"] else 0


if __name__ == "__main__":
    sys.exit(main())
