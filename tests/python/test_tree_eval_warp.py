#!/usr/bin/env python3
"""The tree evaluator against Warp itself, on the CPU: values and gradients of the golden kernels.

Every kernel whose arguments are numbers, vectors, arrays and structs of such is launched with small arrays of
reproducible random numbers. The tree evaluator runs first: it is strict about bounds, so a launch that it refuses is
not given to Warp at all (another size of arrays is tried). Then both run forward and backward, the backward pass with
random gradients in all float arrays, and everything that arrays hold must agree within a few roundings.

    test_tree_eval_warp.py [-v] [--all] [FILE.py …]    only these golden files; -v says what was left out and why

WEFT_WARP names the version of Warp (warp_env.py).
"""

import ast
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

from warp_env import BUILD, ROOT, WEFT, reexec_with_warp, start_warp, wanted_version

TOOL = BUILD / "tree_run"
SKIPPED_FILES = {"errors.py", "tiles.py", "volumes.py", "geometry_queries.py"}
# Compiling takes almost all of the time: without --all only these.
FILES = ["arrays.py", "atomics.py", "compound_arrays.py", "functions.py", "loops.py", "matrices.py", "quaternions.py",
         "random_noise.py", "scalar_types.py", "structs.py", "transforms.py", "vector_components.py"]
BROKEN = {"joint_space_matrices"}  # its C++ does not compile, nor does that of any kernel next to it
LEAST_COMPARED = 150
TOLERANCE = {"float16": 2e-2, "float32": 3e-5, "float64": 1e-11}
SIZES = (8, 16, 40)


class Unsupported(Exception):
    pass


class Inputs:
    """Arguments of one launch, for Warp and as JSON."""

    def __init__(self, wp, np, seed, size):
        self.wp, self.np, self.size = wp, np, size
        self.random = np.random.default_rng(seed)

    def numbers(self, kind, shape):
        np = self.np
        if kind == np.bool_:
            return self.random.integers(0, 2, shape).astype(bool)
        if np.issubdtype(kind, np.integer):
            return self.random.integers(0, 4, shape).astype(kind)
        return self.random.uniform(0.3, 1.4, shape).astype(kind)

    def unit(self, values):
        return values / self.np.linalg.norm(values.astype("float64"), axis=-1, keepdims=True).astype(values.dtype)

    def elements(self, dtype, shape):
        """A NumPy array of elements of a Warp type."""
        wp, np = self.wp, self.np
        types = wp._src.types
        if isinstance(dtype, wp._src.codegen.Struct):
            out = np.zeros(shape, dtype=dtype.numpy_dtype())
            for name, var in dtype.vars.items():
                if types.is_array(var.type):
                    raise Unsupported("an array of structs that hold arrays")
                out[name] = self.elements(var.type, shape)
            return out
        if hasattr(dtype, "_wp_scalar_type_"):
            scalar = self.scalar_kind(dtype._wp_scalar_type_)
            values = self.numbers(scalar, (*shape, *dtype._shape_))
            if dtype._wp_generic_type_hint_ is types.Quaternion:
                values = self.unit(values)
            elif dtype._wp_generic_type_hint_ is types.Transformation:
                values[..., 3:] = self.unit(values[..., 3:])
            return values
        return self.numbers(self.scalar_kind(dtype), shape)

    def scalar_kind(self, dtype):
        dtype = {int: self.wp.int32, float: self.wp.float32, bool: self.wp.bool}.get(dtype, dtype)
        name = dtype.__name__
        if name == "bfloat16" or not hasattr(self.np, name):
            raise Unsupported(f"arguments of type {name}")
        return self.np.dtype(name).type

    def value(self, type):
        """The argument for Warp."""
        wp, types = self.wp, self.wp._src.types
        if types.is_array(type):
            if type.__class__.__name__ not in ("array", "_ArrayAnnotation"):
                raise Unsupported(f"a {type.__class__.__name__} argument")
            side = {1: self.size, 2: max(6, self.size // 4), 3: 5, 4: 4}[type.ndim]
            values = self.elements(type.dtype, (side,) * type.ndim)
            struct = isinstance(type.dtype, wp._src.codegen.Struct)
            return wp.array(values, dtype=type.dtype, device="cpu", requires_grad=struct or self.has_floats(type.dtype))
        if isinstance(type, wp._src.codegen.Struct):
            instance = type()
            for name, var in type.vars.items():
                setattr(instance, name, self.value(var.type))
            return instance
        if isinstance(type, wp._src.types.FunctionType if hasattr(wp._src.types, "FunctionType") else ()):
            raise Unsupported("a function argument")
        values = self.elements(type, (1,))[0]
        if hasattr(type, "_wp_scalar_type_"):
            return type(*values.flatten().tolist())
        return values.item()

    def has_floats(self, dtype):
        scalar = getattr(dtype, "_wp_scalar_type_", dtype)
        return scalar in (float, self.wp.float16, self.wp.float32, self.wp.float64)

    def give_gradients(self, value):
        """Random gradients in all arrays of an argument; what they are as JSON."""
        wp, np = self.wp, self.np
        if isinstance(value, wp.array):
            if value.grad is None:
                return None
            grad = value.grad.numpy()
            if grad.dtype.names:
                fill_floats(np, grad, self.random)
            else:
                grad[...] = self.random.uniform(-1.0, 1.0, grad.shape).astype(grad.dtype)
            value.grad.assign(wp.array(grad, dtype=value.dtype, device="cpu"))
            return plain(grad)
        if isinstance(value, wp._src.codegen.StructInstance):
            return {name: self.give_gradients(getattr(value, name)) for name in value._cls.vars}
        return None


def fill_floats(np, values, random):
    for name in values.dtype.names:
        part = values[name]
        if part.dtype.names:
            fill_floats(np, part, random)
        elif np.issubdtype(part.dtype, np.floating):
            values[name] = random.uniform(-1.0, 1.0, part.shape).astype(part.dtype)


def plain(values):
    """NumPy to what JSON can hold: long integers and non-finite numbers as strings."""
    def fix(item):
        if hasattr(item, "tolist"):  # a part of a structured array
            item = item.tolist()
        if isinstance(item, (list, tuple)):
            return [fix(part) for part in item]
        if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
            return str(item)
        if isinstance(item, int) and not isinstance(item, bool) and abs(item) > 1 << 52:
            return str(item)
        return item
    return fix(values.tolist())


def as_json(wp, np, value):
    if isinstance(value, wp.array):
        return plain(value.numpy())
    if isinstance(value, wp._src.codegen.StructInstance):
        return {name: as_json(wp, np, getattr(value, name)) for name in value._cls.vars}
    if hasattr(value, "_wp_scalar_type_"):
        return plain(np.array(value))
    return plain(np.array(value))


def flat(np, values):
    """All numbers of an array, in order, with the type each has."""
    if values.dtype.names:
        parts = []
        for element in values.reshape(-1):
            for name in values.dtype.names:
                parts.extend(flat(np, np.asarray(element[name])))
        return parts
    return [(number, values.dtype.name) for number in values.reshape(-1)]


def differences(np, what, got, values):
    """What differs between the flat list of the evaluator and an array of Warp; None: nothing."""
    want = flat(np, values)
    if len(got) != len(want):
        return f"{what}: {len(got)} numbers, Warp has {len(want)}"
    scale = max([1.0] + [abs(float(n)) for n, kind in want if kind.startswith("float") and np.isfinite(n)])
    for i, (a, (b, kind)) in enumerate(zip(got, want)):
        a, b = float(a), float(b)
        if a == b or (a != a and b != b):
            continue
        if kind not in TOLERANCE or not abs(a - b) <= TOLERANCE[kind] * scale:
            return f"{what}[{i}]: {a!r}, Warp has {b!r}"
    return None


def compare(wp, np, name, value, result, gradients):
    """All arrays of an argument against the result for it."""
    if isinstance(value, wp.array):
        array = value.grad if gradients else value
        if array is None:
            return None
        return differences(np, f"{'gradient of ' if gradients else ''}{name}", result, array.numpy())
    if isinstance(value, wp._src.codegen.StructInstance):
        for field in value._cls.vars:
            found = compare(wp, np, f"{name}.{field}", getattr(value, field), result[field], gradients)
            if found:
                return found
    return None


def thread_dims(kernel):
    found = re.search(r"^\s*([\w\s,]+?)\s*=\s*(?:wp|warp)\.tid\(\)", kernel.adj.source, re.M)
    return found.group(1).count(",") + 1 if found else 1


def tree_run(path, requests):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(requests, file)
        file.flush()
        done = subprocess.run([TOOL, path, file.name, "--warp", wanted_version()], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"tree_run failed ({done.returncode}): {done.stderr.strip()[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def kernels_of(wp, module):
    seen = set()
    for value in vars(module).values():
        if isinstance(value, wp.Kernel):
            for kernel in value.overloads.values() if value.is_generic else [value]:
                if id(kernel) not in seen:
                    seen.add(id(kernel))
                    yield kernel


def make_launch(wp, np, kernel, size, round):
    """Arguments for Warp, their gradients, and the request for the evaluator."""
    inputs = Inputs(wp, np, zlib.crc32(kernel.key.encode()) + round, size)
    args = [inputs.value(arg.type) for arg in kernel.adj.args]
    names = [arg.label for arg in kernel.adj.args]
    gradients = [inputs.give_gradients(value) for value in args]
    dim = {1: 4, 2: [3, 2], 3: [2, 3, 2], 4: [2, 2, 2, 2]}[thread_dims(kernel)]
    backward = kernel.options.get("enable_backward", kernel.module.options["enable_backward"])
    request = {"kernel": kernel.get_mangled_name(), "dim": dim, "backward": bool(backward),
               "args": {name: as_json(wp, np, value) for name, value in zip(names, args)},
               "out_grad": {name: grad for name, grad in zip(names, gradients) if grad is not None}}
    return args, names, request


def check_kernel(wp, np, kernel, launch, result):
    args, names, request = launch
    dim = request["dim"]
    if request["backward"]:
        tape = wp.Tape()
        with tape:
            wp.launch(kernel, dim=dim, inputs=args, device="cpu")
    else:
        wp.launch(kernel, dim=dim, inputs=args, device="cpu")
    for name, value in zip(names, args):
        found = compare(wp, np, name, value, result["outputs"][name], False)
        if found:
            return found
    if request["backward"]:
        tape.backward()
        for name, value in zip(names, args):
            found = compare(wp, np, name, value, result["gradients"][name], True)
            if found:
                return found
    return None


def check_file(path):
    """(number compared, {reason: [kernels]}, [mismatches]) of one golden file."""
    os.environ["PYTHONPATH"] = ""
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # kernels that print
    try:
        return check_file_with(*start_warp(), path)
    finally:
        os.dup2(saved, 1)


def refused_by_weft(path):
    """Kernels that do not compile in this version: Warp compiles a file only as a whole."""
    run = [WEFT, "extract", path, "--json", "--warp", wanted_version()]
    records = map(json.loads, subprocess.run(run, capture_output=True, text=True).stdout.splitlines())
    return {record["kernel_key"] for record in records if "error" in record}


def without(text, names):
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            lines[first - 1 : node.end_lineno] = []
    return "".join(lines)


def check_file_with(wp, np, original):
    text = without(original.read_text(), BROKEN | refused_by_weft(original))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / original.name
        path.write_text(text)
        return check_kernels(wp, np, path)


def check_kernels(wp, np, path):
    spec = importlib.util.spec_from_file_location(f"golden_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    left_out, wrong, compared = collections.defaultdict(list), [], 0
    waiting = {}
    kernels = list(kernels_of(wp, module))
    for owner in {kernel.module for kernel in kernels}:
        owner.get_module_hash()  # the kernels' names need it
    for kernel in kernels:
        try:
            waiting[kernel] = make_launch(wp, np, kernel, SIZES[0], 0)
        except Unsupported as reason:
            left_out[str(reason)].append(kernel.key)
        except Exception as error:  # an argument that this script cannot make
            left_out[f"arguments: {type(error).__name__}: {str(error)[:80]}"].append(kernel.key)
    ready = []
    for round, size in enumerate(SIZES):
        if round:
            waiting = {kernel: make_launch(wp, np, kernel, size, round) for kernel in waiting}
        if not waiting:
            break
        results = tree_run(path, [request for _, _, request in waiting.values()])
        again = {}
        for (kernel, launch), result in zip(waiting.items(), results, strict=True):
            if "outputs" in result:
                ready.append((kernel, launch, result))
            elif result["finding"] == "out-of-bounds" and size != SIZES[-1]:
                again[kernel] = launch
            else:
                left_out[f"{result['finding']} ({result.get('pass', '')}): {result['message']}"].append(kernel.key)
        waiting = again
    for kernel, launch, result in ready:
        try:
            found = check_kernel(wp, np, kernel, launch, result)
        except Exception as error:
            left_out[f"Warp itself: {type(error).__name__}: {str(error)[:100]}"].append(kernel.key)
            continue
        compared += 1
        if found:
            wrong.append(f"{path.name}: {kernel.key}: {found}")
    return compared, dict(left_out), wrong


def main():
    if not reexec_with_warp():
        print("skipped: Warp is not installed")
        return 77
    if not TOOL.exists():
        print("skipped: tree_run was not built")
        return 77
    verbose = "-v" in sys.argv
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    golden = ROOT / "tests/golden"
    if "--all" in sys.argv:
        paths = [path for path in sorted(golden.glob("*.py")) if path.name not in SKIPPED_FILES]
    else:
        folders = [golden, ROOT / "tests/tree", ROOT / "tests/versions"]
        paths = [folder / name for name in names or FILES for folder in folders if (folder / name).exists()]
    paths += [] if names else [ROOT / "tests/tree/quirks.py"]
    compared, left_out, wrong = 0, collections.Counter(), []
    with concurrent.futures.ProcessPoolExecutor(max_workers=min(4, os.cpu_count() or 1), max_tasks_per_child=1) as pool:
        for path, (count, reasons, found) in zip(paths, pool.map(check_file, paths)):
            compared += count
            wrong += found
            for reason, kernels in reasons.items():
                left_out[reason] += len(kernels)
                if verbose:
                    print(f"{path.name}: left out: {reason}: {', '.join(kernels)}")
    for line in wrong:
        print(line)
    for reason, count in left_out.most_common():
        print(f"{count:4} left out: {reason}")
    print(f"{compared - len(wrong)} of {compared} kernels agree with Warp, {sum(left_out.values())} left out")
    return 1 if wrong or (not names and compared < LEAST_COMPARED) else 0


if __name__ == "__main__":
    sys.exit(main())
