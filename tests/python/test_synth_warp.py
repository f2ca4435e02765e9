#!/usr/bin/env python3
"""Invented kernels on Warp itself (CPU), forward and backward, against what the region-tree evaluator wrote down.

`weft produce` records inputs, outputs and gradients of small launches; here Warp compiles python_source, runs
it on the recorded inputs, goes back through wp.Tape with the recorded cotangents, and every number must be the recorded
one, but for roundings. Gradients that are wrong (`mismatch`) are among them: Warp must be wrong in the same way.

Where terms cancel, a number may be all rounding: a derivative that is zero, say. So a kernel that differs by more is run again
on Warp, several times, on inputs moved by one unit in their last place; a number that this alone moves as far, is as good.

    test_synth_warp.py [--count N] [--seed S] [--categories C] [-v]     500 for the whole proof; -v lists the largest differences
"""

import argparse
import ast
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from test_tree_eval_warp import flat
from warp_env import WEFT, reexec_with_warp, start_warp, wanted_version  # also the path of tools

from records import io_of

BATCH = 40  # kernels that Warp compiles as one module
# Units in the last place of the largest number of the array: what reordered and fused roundings may add up to.
ROUNDINGS = 100
# Runs on inputs that are moved a little, and how much further than these moved it a number may be off.
NUDGED_RUNS, NUDGE_FACTOR = 8, 4
EPSILON = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}


def produce(folder, count, seed, categories):
    chosen = ["-c", categories] if categories else []
    subprocess.run([WEFT, "produce", *chosen, "-n", str(count), "-s", str(seed), "-o", folder, "-d", "cpu", "--warp", wanted_version(), "--gradients", "marked",
                    "--no-compress", "--full", "-j", "2"], check=True)
    return [json.loads(line) for path in sorted(pathlib.Path(folder).glob("*.jsonl")) for line in path.open()]


def batches(records):
    """Lists of records no two of which define the same name."""
    open_batches = []
    for record in records:
        names = {target for node in ast.parse(record["python_source"]).body for target in defined_names(node)}
        for batch, used in open_batches:
            if len(batch) < BATCH and not used & names:
                batch.append(record)
                used |= names
                break
        else:
            open_batches.append(([record], set(names)))
    return [batch for batch, _ in open_batches]


def defined_names(node):
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.name] if hasattr(node, "name") else []


# ---- arguments ----


def fill(np, values, item):
    """Numbers into a plain NumPy array, or those of each field into a structured one."""
    if values.dtype.names:
        for name in values.dtype.names:
            if name in item or has_kind(values.dtype[name].base, "f"):  # cotangents have no integers
                fill(np, values[name], item[name])
    else:
        values[...] = np.asarray(item, dtype=values.dtype)


def shape_of(item, ndim):
    """Of an array; one of structs is an object with an array for each field."""
    if isinstance(item, dict):
        return shape_of(next(iter(item.values())), ndim)
    return [len(item), *shape_of(item[0], ndim - 1)] if ndim else []


def nudged(np, values, rng):
    """Every float one unit in its last place up or down."""
    if values.dtype.names:
        for name in values.dtype.names:
            values[name] = nudged(np, values[name], rng)
    elif values.dtype.kind == "f":
        toward = np.where(rng.random(values.shape) < 0.5, -np.inf, np.inf).astype(values.dtype)
        return np.where(values == 0, values, np.nextafter(values, toward))
    return values


def array_of(wp, np, type, item, rng=None):
    shape = shape_of(item, type.ndim)
    if isinstance(type.dtype, wp._src.codegen.Struct):
        values = np.zeros(shape, dtype=type.dtype.numpy_dtype())
        fill(np, values, item)
    else:
        values = np.array(item, dtype=wp._src.types.warp_type_to_np_dtype[wp._src.types.type_scalar_type(type.dtype)])
    if rng:
        values = nudged(np, values, rng)
    return wp.array(values, dtype=type.dtype, device="cpu", requires_grad=True)


def argument(wp, np, type, item, rng=None):
    if wp._src.types.is_array(type):
        return array_of(wp, np, type, item, rng)
    if isinstance(type, wp._src.codegen.Struct):
        instance = type()
        for name, var in type.vars.items():
            setattr(instance, name, argument(wp, np, var.type, item[name], rng))
        return instance
    if hasattr(type, "_wp_scalar_type_"):
        return type(*np.array(item).reshape(-1).tolist())
    return item


def arrays(wp, type, value, item):
    """(name, array, recorded) of each array of an argument that is recorded."""
    if item is None:
        return
    if wp._src.types.is_array(type):
        yield "", value, item
    elif isinstance(type, wp._src.codegen.Struct):
        for name, var in type.vars.items():
            for inner, array, recorded in arrays(wp, var.type, getattr(value, name), item.get(name)):
                yield f".{name}{inner}", array, recorded


# ---- comparing ----


def numbers(item):
    if isinstance(item, list):
        for part in item:
            yield from numbers(part)
    else:
        yield item


def pairs(np, recorded, values):
    """(recorded, Warp's, type) of each number, field by field."""
    if isinstance(recorded, dict):
        for name, column in recorded.items():
            yield from pairs(np, column, values[name])
    else:
        for number, (value, kind) in zip(numbers(recorded), flat(np, values), strict=True):
            yield number, value, kind


def check_fields(recorded, dtype, kinds):
    """All fields of these kinds are recorded: outputs have every field, gradients those with floats."""
    if isinstance(recorded, dict):
        missing = [name for name in dtype.names if name not in recorded and has_kind(dtype[name].base, kinds)]
        assert not missing, f"{missing} are not recorded"
        for name, column in recorded.items():
            check_fields(column, dtype[name], kinds)


def has_kind(dtype, kinds):
    return any(has_kind(dtype[name].base, kinds) for name in dtype.names) if dtype.names else dtype.kind in kinds


def difference(np, recorded, values, moved=()):
    """The largest difference, in units of the last place of the largest number; infinite where an integer differs.

    moved: the same array after runs on moved inputs; what is off by no more than these moved it does not count.
    """
    found = list(pairs(np, recorded, values))
    others = [[value for _, value, _ in pairs(np, recorded, other)] for other in moved]
    scale = max([1e-30] + [abs(float(a)) for a, _, kind in found if kind in EPSILON])
    worst = 0.0
    for at, (a, b, kind) in enumerate(found):
        if a == b.item():
            continue
        if kind not in EPSILON or b != b:
            return float("inf")
        rounded = float(np.dtype(kind).type(a))
        if abs(rounded - float(b)) <= NUDGE_FACTOR * max([0.0] + [abs(float(other[at]) - float(b)) for other in others]):
            continue
        worst = max(worst, abs(rounded - float(b)) / (EPSILON[kind] * scale))
    return worst


def launch_of(wp, io):
    """Blocks of several lanes on the CPU are new in 1.19; before, they have one."""
    if io["block_dim"] is None:
        return {"dim": io["dim"]}
    if not hasattr(wp.config, "enable_cpu_blocks"):
        return {"dim": [*io["dim"][:-1], 1], "block_dim": 1}
    wp.config.enable_cpu_blocks = True
    return {"dim": io["dim"], "block_dim": io["block_dim"]}


def run_kernel(wp, np, kernel, io, rng=None):
    """What was recorded and what Warp has, of each array: {"outputs": [(recorded, values)], "gradients": […]}."""
    types = {arg.label: arg.type for arg in kernel.adj.args}
    values = {name: argument(wp, np, type, io["inputs"][name], rng) for name, type in types.items()}
    parts = {"outputs": [], "gradients": []}

    def collect(part, numbers_of):
        for name, type in types.items():
            for _, array, recorded in arrays(wp, type, values[name], io[part].get(name)):
                found = numbers_of(array).numpy().copy()
                check_fields(recorded, found.dtype, "fiub" if part == "outputs" else "f")
                parts[part].append((recorded, found))

    tape = wp.Tape()
    with tape:
        wp.launch(kernel, inputs=list(values.values()), device="cpu", **launch_of(wp, io))
    collect("outputs", lambda array: array)
    if "gradients" in io:
        for name, type in types.items():
            for _, array, recorded in arrays(wp, type, values[name], io["output_gradients"].get(name)):
                array.grad.assign(array_of(wp, np, array, recorded))  # in place: a struct keeps the address
        tape.backward()
        collect("gradients", lambda array: array.grad)
    return parts


def largest(np, parts, part, runs=()):
    return max([0.0] + [difference(np, recorded, values, [run[part][at][1] for run in runs])
                        for at, (recorded, values) in enumerate(parts[part])])


def run_record(wp, np, kernel, record):
    """The largest difference of the outputs and of the gradients (None: none are recorded); whether it took moved inputs."""
    found = [run_launch(wp, np, kernel, {**io_of(launch), "block_dim": record.get("block_dim")}) for launch in record["launches"]]
    gradients = [gradient for _, gradient, _ in found if gradient is not None]
    return max(outputs for outputs, _, _ in found), max(gradients, default=None), any(moved for _, _, moved in found)


def run_launch(wp, np, kernel, io):
    parts, runs = run_kernel(wp, np, kernel, io), []
    if max(largest(np, parts, "outputs"), largest(np, parts, "gradients")) > ROUNDINGS:
        rng = np.random.default_rng(1)
        runs = [run_kernel(wp, np, kernel, io, rng) for _ in range(NUDGED_RUNS)]
    gradients = largest(np, parts, "gradients", runs) if "gradients" in io else None
    return largest(np, parts, "outputs", runs), gradients, bool(runs)


def load(path, records):
    """A module of their kernels. Types that a kernel leaves open are those of its overload."""
    path.write_text("import warp as wp\n\n\n" + "\n\n".join(record["python_source"] for record in records))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    kernels = {record["id"]: getattr(module, record["kernel_name"]) for record in records}
    return {id: next(iter(k.overloads.values())) if k.is_generic else k for id, k in kernels.items()}


def run_batch(number, records):
    """[(id, verdict, difference of the outputs, of the gradients, whether inputs were moved, what Warp said)]"""
    wp, np = start_warp()
    with tempfile.TemporaryDirectory() as folder:
        sets = [r for r in records if "set_module_options" in r["python_source"]]  # options are the whole module's
        kernels = load(pathlib.Path(folder) / f"synth_options_{number}.py", sets)
        kernels |= load(pathlib.Path(folder) / f"synth_batch_{number}.py", [r for r in records if r not in sets])
        found = []
        for record in records:
            verdict = record["gradient_verdict"]
            try:
                result = (*run_record(wp, np, kernels[record["id"]], record), "")
            except Exception as error:  # a kernel that Warp does not compile or run is a difference, too
                result = (float("inf"), None, False, f"{type(error).__name__}: {str(error)[:200]}")
            found.append((record["id"], verdict, *result))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--categories", help="as -c of weft produce")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if not reexec_with_warp():
        print("skipped: Warp is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-synth-warp-") as folder:
        records = produce(folder, options.count, options.seed, options.categories)
    results = []
    with concurrent.futures.ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1), max_tasks_per_child=1) as pool:
        work = batches(records)
        for found in pool.map(run_batch, range(len(work)), work):
            results += found
    wrong = [r for r in results if not r[2] <= ROUNDINGS or (r[3] is not None and not r[3] <= ROUNDINGS)]
    for name, verdict, outputs, gradients, _, said in wrong:
        print(f"{name} (gradient {verdict}): outputs differ by {outputs:.3g} roundings, gradients by {gradients}: {said}")
    backward = [r for r in results if r[3] is not None]
    if options.v:
        for name, verdict, outputs, gradients, _, _ in sorted(results, key=lambda r: -max(r[2], r[3] or 0))[:20]:
            print(f"{name} {verdict}: {outputs:.1f} roundings forward, {gradients} backward")
    verdicts = collections.Counter(r[1] for r in backward)
    print(f"{len(results) - len(wrong)} of {len(results)} kernels agree with Warp forward, and of these "
          f"{len(backward)} backward ({verdicts['pass']} right gradients, {verdicts['mismatch']} wrong ones)")
    print(f"the same bits: forward {sum(r[2] == 0 for r in results)}, backward {sum(r[3] == 0 for r in backward)}; largest "
          f"difference in roundings of the largest number: forward {max(r[2] for r in results):.1f}, backward "
          f"{max([0.0] + [r[3] for r in backward]):.1f}")
    print(f"compared with runs on moved inputs: {sum(r[4] for r in results)}")
    return 1 if wrong or len(results) != options.count else 0


if __name__ == "__main__":
    sys.exit(main())
