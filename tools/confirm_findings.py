#!/usr/bin/env python3
"""Findings of `weft check` in an installed package, run with Warp itself on the CPU: what is Warp's own gradient, and which value is true?

    weft check newton --json > findings.jsonl          (in the folder that the package is in)
    PYTHONPATH=. confirm_findings.py newton findings.jsonl
    PYTHONPATH=. confirm_findings.py newton findings.jsonl --sample 50 --seed 1
    PYTHONPATH=. confirm_findings.py newton findings.jsonl --passes 30 --mismatches 30

Each kernel is launched alone on the inputs of its smallest example. A finding is confirmed by two tests: wp.Tape gives the value that
weft says Warp has, and differences of Warp's forward pass are nearer to the one that weft says is true. A pass is confirmed if wp.Tape's
gradient along a random direction is the difference of Warp's forward pass along it, on the inputs of `weft check --with-io`.

With --sample, so many verdicts are taken at random, passes among them; --passes and --mismatches say how many of each. Needs Warp, and what the package imports; it is imported, so run
it only on what you trust. Exit code 1: one that could be run is not confirmed."""

import argparse
import functools
import importlib
import itertools
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
import warp_oracle

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
        self.kernel = find_kernel(row, [])
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


SCALARS = {name: getattr(wp, name) for name in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()}


def types_of(scalar, cell):
    """The types that an element may have whose numbers have the shape `cell`, likely ones first."""
    if not cell:
        return [scalar]
    if len(cell) == 2:
        return [wp.types.matrix(shape=cell, dtype=scalar)]
    named = {4: [wp.types.quaternion(dtype=scalar)], 7: [wp.types.transformation(dtype=scalar)]}
    return [wp.types.vector(length=cell[0], dtype=scalar), *named.get(cell[0], [])]


def instances(kernel, items):
    """The kernels that a generic one may stand for here: its overloads, then those for what the launch has."""
    yield from list(kernel.overloads.values())
    wholes = {item["name"]: item for item in items if not item["field"]}
    choices = []
    for arg in kernel.adj.args:
        item = wholes.get(arg.label)
        if item is None:
            return
        ndim = arg.type.ndim if is_array(arg.type) else 0
        found = types_of(SCALARS[item["type"]], tuple(item["shape"][ndim:]))
        choices.append([wp.array(dtype=kind, ndim=ndim) for kind in found] if is_array(arg.type) else found)
    for types in itertools.product(*choices):
        try:
            yield kernel.add_overload(list(types))
        except Exception:
            continue


def find_kernel(row, items):
    """The kernel of a row: of a generic one the instance whose text has the name that weft gives it."""
    module = importlib.import_module(row["file"].removesuffix(".py").replace("/", "."))
    kernel = getattr(module, row["kernel_name"])
    if not kernel.is_generic:
        return wp.Kernel(func=kernel.func, key=kernel.key, module=wp.get_module("alone_" + kernel.key))
    for instance in instances(kernel, items):
        warp_oracle.hash_kernel(instance, "cpu")
        if instance.get_mangled_name() == row["full_name"]:
            return instance
    raise LookupError("no instance has this name")


def make_argument(kind, parts):
    """Built from numbers, each by its path: () of an array or a scalar, the names of fields of a struct."""
    if () in parts:
        return (make_array if is_array(kind) else make_scalar)(kind, parts[()])
    if is_array(kind):
        cells = np.zeros(next(iter(parts.values())).shape[: kind.ndim], dtype=kind.dtype.numpy_dtype())
        for path, values in parts.items():
            functools.reduce(lambda part, step: part[step], path, cells)[...] = values
        return wp.array(cells, dtype=kind.dtype, device="cpu", requires_grad=True)
    made = kind()
    for field in dict.fromkeys(path[0] for path in parts):
        below = {path[1:]: values for path, values in parts.items() if path[0] == field}
        setattr(made, field, make_argument(kind.vars[field].type, below))
    return made


class Passed:
    """A kernel whose gradient is said to be right, on a launch that weft has written down. Its numbers are found by name and field."""

    def __init__(self, row, launch, generator):
        self.kernel = find_kernel(row, launch["inputs"])
        self.dim, self.kinds = launch["dim"], {arg.label: arg.type for arg in self.kernel.adj.args}
        self.inputs, self.cotangents = self.read(launch["inputs"]), self.read(launch["output_gradients"])
        self.moved = {}
        made = self.launch(0)[0]
        for key in ((item["name"], item["field"]) for item in launch["gradients"]):
            if self.array_at(made, key) is not None:
                size = np.abs(self.inputs[key]).max()  # a step must be small beside what is there
                self.moved[key] = generator.standard_normal(self.inputs[key].shape) * min(1, size or 1)

    def read(self, items):
        return {(item["name"], item["field"]): np.array(item["floats"] if item["ints"] is None else item["ints"]).reshape(item["shape"]) for item in items}

    def array_at(self, made, key):
        """(the array that holds the numbers of a name and field, the members of its elements that lead to them); None: no array does."""
        name, field = key
        steps, value = field.split(".") if field else [], made[name]
        while steps and not isinstance(value, wp.array):
            value = getattr(value, steps.pop(0))
        return (value, steps) if isinstance(value, wp.array) else None

    def values(self, made, key):
        array, steps = self.array_at(made, key)
        return functools.reduce(lambda values, step: values[step], steps, array.numpy())

    def gradients(self, made, key):
        array, steps = self.array_at(made, key)
        return functools.reduce(lambda values, step: values[step], steps, array.grad.numpy())

    def launch(self, step):
        values = {key: value + step * self.moved[key] if key in self.moved else value for key, value in self.inputs.items()}
        made = {}
        for name, kind in self.kinds.items():
            parts = {tuple(field.split(".")) if field else (): value for (of, field), value in values.items() if of == name}
            made[name] = make_argument(kind, parts)
        with wp.Tape() as tape:
            wp.launch(self.kernel, dim=self.dim, inputs=list(made.values()), device="cpu")
        return made, tape

    def along_tape(self):
        made, tape = self.launch(0)
        for key, value in self.cotangents.items():
            array, steps = self.array_at(made, key)
            seed = array.grad.numpy()
            part = functools.reduce(lambda values, step: values[step], steps, seed)
            part[...] = value.reshape(part.shape)
            array.grad.assign(seed)
        tape.backward()
        return [float(np.sum(self.gradients(made, key).reshape(move.shape).astype(float) * move)) for key, move in self.moved.items()]

    def weighed(self, step):
        """The outputs, each times its cotangent."""
        made = self.launch(step)[0]
        parts = [self.values(made, key).astype(float).reshape(value.shape) * value for key, value in self.cotangents.items()]
        return np.concatenate([np.ravel(part) for part in parts])

    def along_difference(self, step):
        """(the slope, how wrong it may be since outputs are rounded)"""
        after, before = self.weighed(step), self.weighed(-step)
        return float(np.sum(after - before)) / (2 * step), 2.0**-22 * float(np.sum(np.abs(after))) / step


def confirm_pass(row, weft, seed):
    done = subprocess.run([weft, "check", row["file"], "-k", row["kernel_name"], "--json", "--with-io"], capture_output=True, text=True)
    launches = next(found["launches"] for found in map(json.loads, done.stdout.splitlines()) if found["full_name"] == row["full_name"])
    if not launches:
        raise LookupError("weft writes down no launch")
    kernel = Passed(row, launches[0], np.random.default_rng(seed))
    terms = kernel.along_tape()
    slopes = [kernel.along_difference(step) for step in (1e-1, 1e-2, 3e-3, 1e-3, 1e-4)]
    if not any(terms) and not any(slope for slope, _ in slopes):
        raise LookupError("no output depends on what an array holds")
    size = sum(map(abs, terms)) + 1e-3
    agrees = any(abs(sum(terms) - slope) <= 0.02 * size + min(noise, 0.02 * size) for slope, noise in slopes)
    return {"confirmed": agrees, "tape": sum(terms), "differences": [slope for slope, _ in slopes]}


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
