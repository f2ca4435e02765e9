#!/usr/bin/env python3
"""Findings of `weft check` in an installed package, run with Warp itself on the CPU: what is Warp's own gradient, and which value is true?

    weft check newton --json > findings.jsonl          (in the folder that the package is in)
    PYTHONPATH=. confirm_findings.py newton findings.jsonl

Each kernel is launched alone on the inputs of its smallest example. A finding is confirmed if wp.Tape gives the value that weft says Warp has, and
differences of Warp's forward pass are nearer to the one that weft says is true. Needs Warp, and what the package imports; it is imported, so run
it only on what you trust. Exit code 1: one that could be run is not confirmed."""

import importlib
import json
import os
import re
import sys

import numpy as np
import warp as wp

STEP = 1e-2


def is_array(kind):
    return hasattr(kind, "ndim") and hasattr(kind, "dtype") and not isinstance(kind, type)


def make_array(kind, values):
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
    """A view of one number of what array.numpy() gave."""
    flat = values.reshape(array.shape + (-1,))
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
    agrees = abs(tape - said["warp"]) <= 1e-3 * (1 + abs(said["warp"])) and abs(slope - said["true"]) < abs(slope - said["warp"])
    return {"confirmed": agrees, "tape": tape, "difference": slope, "warp": said["warp"], "true": said["true"]}


def main():
    wp.config.log_level = wp.LOG_ERROR
    wp.init()
    importlib.import_module(sys.argv[1])
    rows = [json.loads(line) for line in open(sys.argv[2])]
    rows = [row for row in rows if row.get("example") and row["example"]["warp"] is not None]
    wrong = 0
    for row in rows:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                found = confirm(row)
            except Exception as error:
                found = {"not_run": f"{type(error).__name__}: {error}"[:100]}
            print(json.dumps({"file": row["file"], "kernel": row["kernel_name"], **found}), flush=True)
            os._exit(0 if found.get("confirmed", True) else 1)
        wrong += os.waitpid(child, 0)[1] != 0
    print(f"{len(rows)} findings with an example, {wrong} not confirmed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
