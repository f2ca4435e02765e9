#!/usr/bin/env python3
"""Invented kernels on Warp itself (CPU), forward and backward, against what the region-tree evaluator wrote down.

`weft produce --with-io` records inputs, outputs and gradients of a small launch; here Warp compiles python_source, runs
it on the recorded inputs, goes back through wp.Tape with the recorded cotangents, and every number must be the recorded
one, but for roundings. Gradients that are wrong (`mismatch`) are among them: Warp must be wrong in the same way.

    test_synth_warp.py [--count N] [--seed S] [-v]     500 for the whole proof; -v lists the largest differences
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

from test_tree_eval_warp import BUILD, flat, reexec_with_warp

WEFT = os.environ.get("WEFT", str(BUILD / "weft"))
BATCH = 40  # kernels that Warp compiles as one module
# Units in the last place of the largest number of the array: what reordered and fused roundings may add up to.
ROUNDINGS = 100
EPSILON = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}


def produce(folder, count, seed):
    subprocess.run([WEFT, "produce", "-n", str(count), "-s", str(seed), "-o", folder, "-d", "cpu", "--gradients", "marked",
                    "--with-io", "--no-compress", "-j", "2"], check=True)
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
    """A structured or plain NumPy array from lists, with an object for each struct."""
    if values.dtype.names:
        if isinstance(item, dict):
            for name in values.dtype.names:
                values[name] = np.asarray(item[name])
        else:
            for at, part in enumerate(item):
                inner = values[at : at + 1].reshape(values.shape[1:]) if values.ndim > 1 else values[at : at + 1].reshape(())
                fill(np, inner, part)
    else:
        values[...] = np.asarray(item, dtype=values.dtype)


def shape_of(item, ndim):
    return [len(item), *shape_of(item[0], ndim - 1)] if ndim else []


def array_of(wp, np, type, item):
    shape = shape_of(item, type.ndim)
    if isinstance(type.dtype, wp._src.codegen.Struct):
        values = np.zeros(shape, dtype=type.dtype.numpy_dtype())
        fill(np, values, item)
    else:
        values = np.array(item, dtype=wp._src.types.warp_type_to_np_dtype[wp._src.types.type_scalar_type(type.dtype)])
    return wp.array(values, dtype=type.dtype, device="cpu", requires_grad=True)


def argument(wp, np, type, item):
    if wp._src.types.is_array(type):
        return array_of(wp, np, type, item)
    if isinstance(type, wp._src.codegen.Struct):
        instance = type()
        for name, var in type.vars.items():
            setattr(instance, name, argument(wp, np, var.type, item[name]))
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
    if isinstance(item, (list, dict)):
        for part in item.values() if isinstance(item, dict) else item:
            yield from numbers(part)
    else:
        yield item


def difference(np, recorded, values):
    """The largest difference, in units of the last place of the largest number; infinite where an integer differs."""
    want, got = list(numbers(recorded)), flat(np, values)
    if len(want) != len(got):
        return float("inf")
    scale = max([1e-30] + [abs(float(a)) for a, (_, kind) in zip(want, got) if kind in EPSILON])
    worst = 0.0
    for a, (b, kind) in zip(want, got):
        if float(a) == float(b):
            continue
        if kind not in EPSILON or b != b:
            return float("inf")
        rounded = float(np.dtype(kind).type(a))
        worst = max(worst, abs(rounded - float(b)) / (EPSILON[kind] * scale))
    return worst


def run_record(wp, np, kernel, record):
    """The largest difference of the outputs, and of the gradients (None: no gradients are recorded)."""
    io = record["metadata"]["io"]
    types = {arg.label: arg.type for arg in kernel.adj.args}
    values = {name: argument(wp, np, type, io["inputs"][name]) for name, type in types.items()}
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=io["dim"], inputs=list(values.values()), device="cpu")
    parts = {"outputs": [0.0], "gradients": [0.0]}
    for name, type in types.items():
        for _, array, recorded in arrays(wp, type, values[name], io["outputs"].get(name)):
            parts["outputs"].append(difference(np, recorded, array.numpy()))
    if "gradients" not in io:
        return max(parts["outputs"]), None
    for name, type in types.items():
        for _, array, recorded in arrays(wp, type, values[name], io["cotangents"].get(name)):
            array.grad = array_of(wp, np, array, recorded)
    tape.backward()
    for name, type in types.items():
        for _, array, recorded in arrays(wp, type, values[name], io["gradients"].get(name)):
            parts["gradients"].append(difference(np, recorded, array.grad.numpy()))
    return max(parts["outputs"]), max(parts["gradients"])


def run_batch(number, records):
    """[(id, verdict, difference of the outputs, of the gradients, what Warp said)]"""
    import numpy as np
    import warp as wp

    wp.config.log_level = wp.LOG_ERROR
    wp.config.kernel_cache_dir = str(BUILD / "warp-cache")
    wp.init()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"synth_batch_{number}.py"
        path.write_text("import warp as wp\n\n\n" + "\n\n".join(record["python_source"] for record in records))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        found = []
        for record in records:
            verdict = record["metadata"]["verified"]["gradient"]
            try:
                result = (*run_record(wp, np, getattr(module, record["kernel_name"]), record), "")
            except Exception as error:  # a kernel that Warp does not compile or run is a difference, too
                result = (float("inf"), None, f"{type(error).__name__}: {str(error)[:200]}")
            found.append((record["id"], verdict, *result))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if not reexec_with_warp():
        print("skipped: Warp is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-synth-warp-") as folder:
        records = produce(folder, options.count, options.seed)
    results = []
    with concurrent.futures.ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1), max_tasks_per_child=1) as pool:
        work = batches(records)
        for found in pool.map(run_batch, range(len(work)), work):
            results += found
    wrong = [r for r in results if not r[2] <= ROUNDINGS or (r[3] is not None and not r[3] <= ROUNDINGS)]
    for name, verdict, outputs, gradients, said in wrong:
        print(f"{name} (gradient {verdict}): outputs differ by {outputs:.3g} roundings, gradients by {gradients}: {said}")
    backward = [r for r in results if r[3] is not None]
    if options.v:
        for name, verdict, outputs, gradients, _ in sorted(results, key=lambda r: -max(r[2], r[3] or 0))[:20]:
            print(f"{name} {verdict}: {outputs:.1f} roundings forward, {gradients} backward")
    verdicts = collections.Counter(r[1] for r in backward)
    print(f"{len(results) - len(wrong)} of {len(results)} kernels agree with Warp forward, and of these "
          f"{len(backward)} backward ({verdicts['pass']} right gradients, {verdicts['mismatch']} wrong ones)")
    print(f"the same bits: forward {sum(r[2] == 0 for r in results)}, backward {sum(r[3] == 0 for r in backward)}; largest "
          f"difference in roundings of the largest number: forward {max(r[2] for r in results):.1f}, backward "
          f"{max([0.0] + [r[3] for r in backward]):.1f}")
    return 1 if wrong or len(results) != options.count else 0


if __name__ == "__main__":
    sys.exit(main())
