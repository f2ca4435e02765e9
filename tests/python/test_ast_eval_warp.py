#!/usr/bin/env python3
"""Kernels of the golden set run by Warp on the CPU and by the AST evaluator: the same inputs, the same outputs.

Arguments are filled with reproducible random numbers. What the evaluator reports as a finding on these inputs (out of
bounds, a race, …) is not launched with Warp; what it does not support is listed by reason. `--verbose` lists all."""

import ast
import collections
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from warp_env import BUILD, ROOT, reexec_with_warp, start_warp, wanted_version

GOLDEN = ROOT / "tests" / "golden"
SKIPPED = {"errors", "geometry_queries", "tiles", "volumes", "kernel_options"}  # nothing to run, or no numbers
BROKEN = {"joint_space_matrices"}  # Warp writes calls that do not fit its own headers
KINKS = set()  # not differentiable at the inputs drawn
LEAST = 300  # kernels that must have been compared
DIMS = {1: [6], 2: [5, 4], 3: [3, 4, 2], 4: [2, 3, 2, 2]}
ULPS = 64
LOOSE = {"factor_qr_and_eigen": 5000}  # eigenvectors that are not converged: single precision decides


if not reexec_with_warp():
    print(f"skipped: Warp {wanted_version()} is not installed (tools/venv.sh)")
    sys.exit(77)
wp, np = start_warp()
wp.config.enable_backward = False


class CannotMake(Exception):
    pass


def scalar(dtype, rng):
    if dtype in (bool, wp.bool):
        return rng.random() < 0.5
    if dtype in (int,) or (hasattr(dtype, "__name__") and "int" in dtype.__name__):
        return rng.randrange(0, 4)
    if dtype is wp.bfloat16:
        raise CannotMake("bfloat16")
    kind = {wp.float16: np.float16, wp.float64: np.float64}.get(dtype, np.float32)
    return float(kind(rng.uniform(0.2, 1.2)))


def value(dtype, rng):
    """A nested list of numbers, a number, or a dict for a struct."""
    if isinstance(dtype, wp._src.codegen.Struct):
        return {name: argument(var.type, rng, False) for name, var in dtype.vars.items()}
    shape = getattr(dtype, "_shape_", ())
    if not shape:
        if dtype not in wp._src.types.scalar_types + (bool, int, float, wp.bool):
            raise CannotMake(str(dtype))
        return scalar(dtype, rng)
    element = dtype._wp_scalar_type_
    if len(shape) == 2:
        return [[scalar(element, rng) for _ in range(shape[1])] for _ in range(shape[0])]
    return [scalar(element, rng) for _ in range(shape[0])]


def argument(annotation, rng, top=True):
    if not isinstance(annotation, wp.array):
        return value(annotation, rng)
    if type(annotation) is not wp.array or (not top and isinstance(annotation.dtype, wp._src.codegen.Struct)):
        raise CannotMake("an array of another kind")

    def fill(shape):
        if not shape:
            return value(annotation.dtype, rng)
        return [fill(shape[1:]) for _ in range(shape[0])]

    return fill({1: [24], 2: [6, 7], 3: [4, 5, 4], 4: [3, 4, 3, 3]}[annotation.ndim])


def to_warp(annotation, data):
    if isinstance(annotation, wp.array):
        if isinstance(annotation.dtype, wp._src.codegen.Struct):
            shape, items = [], data
            while isinstance(data, list):
                shape.append(len(data))
                items = items if len(shape) == 1 else [item for part in items for item in part]
                data = data[0]
            instances = [to_warp(annotation.dtype, item) for item in items]
            return wp.array(instances, dtype=annotation.dtype, device="cpu").reshape(tuple(shape))
        dtype = {int: wp.int32, float: wp.float32, bool: wp.bool}.get(annotation.dtype, annotation.dtype)
        base = getattr(dtype, "_wp_scalar_type_", dtype)
        numbers = np.array(data, dtype=wp._src.types.warp_type_to_np_dtype[base])
        return wp.array(numbers, dtype=dtype, ndim=annotation.ndim, device="cpu")
    if isinstance(annotation, wp._src.codegen.Struct):
        instance = annotation()
        for name, var in annotation.vars.items():
            setattr(instance, name, to_warp(var.type, data[name]))
        return instance
    if hasattr(annotation, "_shape_"):
        return annotation(*np.array(data).flatten().tolist())
    if annotation in (bool, int, float):
        return annotation(data)
    return annotation(data)


def flat(array):
    """All numbers of an array read back, in order of memory; a struct's fields one after the other."""
    if array.dtype.names:
        parts = [flat(array[name]) for name in array.dtype.names]
        count = array.size
        return [number for i in range(count) for part in parts
                for number in part[i * (len(part) // count):(i + 1) * (len(part) // count)]]
    return array.flatten().tolist()


def outputs_of(annotation, given, name):
    if isinstance(annotation, wp.array):
        yield name, given
    elif isinstance(annotation, wp._src.codegen.Struct):
        for field, var in annotation.vars.items():
            yield from outputs_of(var.type, getattr(given, field), field)


def scalar_name(dtype):
    base = getattr(dtype, "_wp_scalar_type_", dtype)
    return {float: "float32", int: "int32", bool: "bool"}.get(base, getattr(base, "__name__", "struct"))


def difference(want, got, dtype):
    """The largest difference in units of what rounding can do, and where it is."""
    if len(want) != len(got):
        return float("inf"), 0
    epsilon = {"float16": 2**-10, "float64": 2**-52}.get(dtype, 2**-23)
    finite = [abs(x) for x in want if isinstance(x, float) and np.isfinite(x)]
    scale = max(finite, default=1.0)
    worst, where = 0.0, 0
    for i, (a, b) in enumerate(zip(want, got)):
        if a == b or (a != a and b != b):
            continue
        if not isinstance(a, float):
            return float("inf"), i
        error = abs(a - b) / (epsilon * max(abs(a), scale * 0.05, 1e-30))
        if not error <= worst:
            worst, where = error, i
    return worst, where


def load(path, folder):
    """Imports a file without the kernels whose C++ does not compile: Warp builds all of a file at once."""
    lines = path.read_text().splitlines(keepends=True)
    for node in ast.parse("".join(lines)).body:
        if isinstance(node, ast.FunctionDef) and node.name in BROKEN:
            for i in range(node.decorator_list[0].lineno - 1, node.end_lineno):
                lines[i] = "\n"
    copy = pathlib.Path(folder) / path.name
    copy.write_text("".join(lines))
    spec = importlib.util.spec_from_file_location("golden_" + path.stem, copy)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def launches(path, folder, reasons):
    """Kernels of a file with arguments: {key: (kernel, entry)}."""
    found = {}
    for name, kernel in vars(load(path, folder)).items():
        if not isinstance(kernel, wp.Kernel) or kernel.is_generic or kernel.key != name:
            continue
        rng = random.Random(kernel.key)
        counts = [len(m.split(",")) for m in re.findall(r"^\s*([\w, ]+?)\s*=\s*wp\.tid\(\)", kernel.adj.source, re.M)]
        try:
            args = {arg.label: argument(arg.type, rng) for arg in kernel.adj.args}
        except CannotMake as error:
            reasons[f"argument of type {error}"].append(kernel.key)
            continue
        found[name] = (kernel, {"input": {"dim": DIMS[max(counts, default=1)], "args": args}})
    return found


def is_real(annotation):
    dtype = annotation.dtype if isinstance(annotation, wp.array) else annotation
    base = getattr(dtype, "_wp_scalar_type_", dtype)
    return base in (float, wp.float16, wp.float32, wp.float64)


def spread(data, rng):
    return [spread(item, rng) for item in data] if isinstance(data, list) else round(rng.uniform(-1, 1), 3)


def moved(data, direction, by):
    if isinstance(data, list):
        return [moved(a, b, by) for a, b in zip(data, direction)]
    return data + by * direction


def numbers(data):
    return [x for item in data for x in numbers(item)] if isinstance(data, list) else [data]


def run_ast(path, entries, *options):
    """Results by kernel; None: the program failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(entries, file)
        file.flush()
        run = subprocess.run([BUILD / "ast_run", path, file.name, "--warp", wanted_version(), *options], capture_output=True, text=True)
    if run.returncode:
        print(f"{path.stem}: ast_run failed ({run.returncode}): {run.stderr[-500:]}")
        return None
    return {result["kernel"]: result for result in map(json.loads, run.stdout.splitlines())}


def check_derivatives(path, kernels):
    """Tangents against central differences of the evaluator's own values: kernels checked, failures."""
    step, entries = 1e-6, ({}, {}, {})
    for name, (kernel, entry) in kernels.items():
        rng, given = random.Random(name), entry["input"]
        real = {arg.label for arg in kernel.adj.args if is_real(arg.type)}
        arrays = {arg.label for arg in kernel.adj.args if isinstance(arg.type, wp.array)} & real
        wrt = {label: spread(given["args"][label], rng) for label in sorted(real)}
        weights = {label: spread(given["args"][label], rng) for label in sorted(arrays)}
        for target, by in zip(entries, (0.0, step, -step)):
            args = {k: moved(v, wrt[k], by) if k in real else v for k, v in given["args"].items()}
            target[name] = {"input": {"dim": given["dim"], "args": args, "wrt": wrt, "out_grad": weights}}
    results = [run_ast(path, part) for part in entries]
    if None in results:
        return 0, 1
    checked = failures = 0
    for name in kernels:
        found = [part.get(name) for part in results]
        if any(not part or part["finding"] for part in found):
            continue
        weights = entries[0][name]["input"]["out_grad"]
        total = [sum(w * x for label in weights for w, x in zip(numbers(weights[label]), part["outputs"][label])
                     if np.isfinite(x)) for part in found]
        measured, size = (total[1] - total[2]) / (2 * step), max(abs(total[0]), 1.0)
        checked += 1
        error = abs(measured - found[0]["true_dot"]) / max(abs(measured), size)
        if not error < 1e-6 and name not in KINKS:
            failures += 1
            print(f"{path.stem}.{name}: derivative {found[0]['true_dot']:.9g}, differences say {measured:.9g}")
    return checked, failures


def main():
    with tempfile.TemporaryDirectory() as folder:
        return compare(folder)


def compare(folder):
    verbose = "--verbose" in sys.argv
    only = [a for a in sys.argv[1:] if not a.startswith("-")]
    reasons, findings = collections.defaultdict(list), collections.defaultdict(list)
    compared, derivatives, failures = 0, 0, 0
    for path in sorted(GOLDEN.glob("*.py")):
        if path.stem in SKIPPED or (only and path.stem not in only):
            continue
        kernels = launches(path, folder, reasons)
        checked, wrong = check_derivatives(path, kernels)
        derivatives += checked
        failures += wrong
        results = run_ast(path, {name: entry for name, (_, entry) in kernels.items()}, "--rounded")
        if results is None:
            failures += 1
            continue
        for result in results.values():
            kernel, entry = kernels[result["kernel"]]
            label = f"{path.stem}.{kernel.key}"
            if result["finding"]:
                (reasons if result["finding"] == "unsupported" else findings)[
                    f"{result['finding']}: {result['message']}"].append(f"{label}:{result.get('line')}")
                continue
            data = entry["input"]["args"]
            args = {arg.label: to_warp(arg.type, data[arg.label]) for arg in kernel.adj.args}
            try:
                wp.launch(kernel, dim=tuple(entry["input"]["dim"]), inputs=list(args.values()), device="cpu")
                wp.synchronize()
            except Exception as error:
                reasons[f"Warp: {str(error).splitlines()[0][:80]}"].append(label)
                continue
            compared += 1
            for arg in kernel.adj.args:
                for name, array in outputs_of(arg.type, args[arg.label], arg.label):
                    want, got = flat(array.numpy()), result["outputs"][name]
                    got = [bool(x) for x in got] if want and isinstance(want[0], bool) else got
                    error, where = difference(want, got, scalar_name(array.dtype))
                    if error > LOOSE.get(kernel.key, ULPS):
                        failures += 1
                        print(f"{label}: {name}[{where}] is {got[where]}, Warp has {want[where]} ({error:.3g} ulps)")
    for title, table in (("not supported", reasons), ("findings on these inputs", findings)):
        print(f"{title}: {sum(map(len, table.values()))}")
        for reason, names in sorted(table.items(), key=lambda row: -len(row[1])):
            print(f"  {len(names):3} {reason}: {', '.join(names if verbose else names[:3])}")
    print(f"{compared} kernels compared with Warp, {derivatives} derivatives with differences, {failures} failures")
    if not only and compared < LEAST:
        print(f"fewer than {LEAST} kernels were compared")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
