#!/usr/bin/env python3
"""Writes tests/values/expected-VERSION.jsonl.zst: what Warp itself computes, on the CPU, for many small launches.

    tests/values/record.py VERSION [--golden] [--only TEXT]        needs this Warp and a built weft; takes minutes

Kernels: those of tests/golden and tests/tree, and for each builtin some on several types (make_kernels.py), unless --golden is given. Each is
launched with several draws of inputs, forward and backward with random gradients in all float arrays. A launch is written
down if the tree evaluator, which is strict about bounds, runs it and agrees with Warp; what differs is printed.
tests/python/test_values.py runs both evaluators on the same launches, without Warp.
"""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))
sys.path.insert(0, str(HERE))

import make_kernels  # noqa: E402
import test_tree_eval_warp as warp_test  # noqa: E402
import test_values  # noqa: E402

# Of floats and of integers; the last draws have special numbers among them.
DRAWS = [((0.3, 1.4), (0, 4)), ((-1.6, 1.6), (1, 4)), ((-4.0, 4.0), (-6, 9))]
SPECIAL = [0.0, 1.0, -1.0, 0.5, -0.5, 2.0]
ELEMENTS = 8


class Inputs(warp_test.Inputs):
    """Numbers with few digits, so that what is written down is short."""

    def __init__(self, wp, np, seed, size, draw):
        super().__init__(wp, np, seed, size)
        self.draw = draw

    def numbers(self, kind, shape):
        np, (low, high), (least, most) = self.np, *DRAWS[self.draw]
        if kind == np.bool_:
            return self.random.integers(0, 2, shape).astype(bool)
        if np.issubdtype(kind, np.integer):
            least = max(least, 0) if np.issubdtype(kind, np.unsignedinteger) else least
            return self.random.integers(least, most, shape).astype(kind)
        values = np.round(self.random.uniform(low, high, shape) * 64) / 64
        if self.draw == 2 and len(shape) == 1:
            special = self.random.integers(0, 2, shape) == 0
            values = np.where(special, self.random.choice(SPECIAL, shape), values)
        return values.astype(kind)



def arrays(wp, np, value, gradients):
    """The flat numbers of all arrays of an argument, as tree_run prints them."""
    if isinstance(value, wp.array):
        array = value.grad if gradients else value
        return None if array is None else [plain(number, kind) for number, kind in warp_test.flat(np, array.numpy())]
    if isinstance(value, wp._src.codegen.StructInstance):
        return {name: arrays(wp, np, getattr(value, name), gradients) for name in value._cls.vars}
    return None


def plain(number, kind):
    if "float" not in kind:
        return str(number) if abs(int(number)) > 1 << 52 else int(number)
    number = float(number)
    if number != number or number in (float("inf"), float("-inf")):
        return str(number)
    return number if kind == "float64" else float(f"{number:.7g}")


def make_launch(wp, np, kernel, size, draw):
    inputs = Inputs(wp, np, zlib.crc32(kernel.key.encode()) + draw, size, draw)
    args = [inputs.value(arg.type) for arg in kernel.adj.args]
    names = [arg.label for arg in kernel.adj.args]
    gradients = [give_gradients(wp, np, inputs, value) for value in args]
    dims = warp_test.thread_dims(kernel)
    dim = {1: min(size, ELEMENTS), 2: [3, 2], 3: [2, 3, 2], 4: [2, 2, 2, 2]}[dims]
    backward = kernel.options.get("enable_backward", kernel.module.options["enable_backward"])
    return args, names, {
        "kernel": kernel.get_mangled_name(), "dim": dim, "backward": bool(backward),
        "args": {n: warp_test.as_json(wp, np, v) for n, v in zip(names, args)},
        "out_grad": {n: g for n, g in zip(names, gradients) if g is not None},
    }  # fmt: skip


def give_gradients(wp, np, inputs, value):
    """As the other test's, but in eighths."""
    if isinstance(value, wp.array):
        if value.grad is None:
            return None
        grad = value.grad.numpy()
        fill(np, grad, inputs.random)
        value.grad.assign(wp.array(grad, dtype=value.dtype, device="cpu"))
        return warp_test.plain(grad)
    if isinstance(value, wp._src.codegen.StructInstance):
        return {name: give_gradients(wp, np, inputs, getattr(value, name)) for name in value._cls.vars}
    return None


def fill(np, values, rng):
    if values.dtype.names:
        for name in values.dtype.names:
            fill(np, values[name], rng)
    elif np.issubdtype(values.dtype, np.floating):
        values[...] = np.round(rng.uniform(-1, 1, values.shape) * 8) / 8


def record_kernel(wp, np, kernel, launch):
    args, names, request = launch
    if request["backward"]:
        tape = wp.Tape()
        with tape:
            wp.launch(kernel, dim=request["dim"], inputs=args, device="cpu")
    else:
        wp.launch(kernel, dim=request["dim"], inputs=args, device="cpu")
    expected = {"outputs": {n: arrays(wp, np, v, False) for n, v in zip(names, args)}, "gradients": {}}
    if request["backward"]:
        tape.backward()
        expected["gradients"] = {n: arrays(wp, np, v, True) for n, v in zip(names, args)}
    for part in expected.values():
        for name in [n for n, v in part.items() if v is None]:
            del part[name]
    return expected


def record_file(path):
    """(records, messages) of one file."""
    os.environ["PYTHONPATH"] = ""
    sys.stdout.flush()
    saved = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # kernels that print
    try:
        import numpy as np
        import warp as wp

        wp.config.log_level = wp.LOG_ERROR
        wp.config.kernel_cache_dir = str(warp_test.BUILD / "values-warp-cache")
        wp.init()
        return record_with(wp, np, path)
    finally:
        os.dup2(saved, 1)


def refused(path):
    """Kernels that this version refuses: Warp builds a file as one module, and would refuse all of it."""
    done = subprocess.run([make_kernels.BUILD / "weft", "extract", path, "--json", "--warp", warp_test.wanted_version()], capture_output=True, text=True)
    return [record["kernel_name"] for record in map(json.loads, done.stdout.splitlines()) if "error" in record]


def record_with(wp, np, original):
    text = original.read_text()
    for name in [*warp_test.BROKEN, *refused(original)]:
        text = re.sub(rf"@wp\.kernel\ndef {name}\(.*?(?=\n\n\n|\Z)", "", text, flags=re.S)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / original.name
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(f"values_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return record_kernels(wp, np, path, module)


def record_kernels(wp, np, path, module):
    kernels = list(warp_test.kernels_of(wp, module))
    for owner in {kernel.module for kernel in kernels}:
        owner.get_module_hash()
    records, messages = [], []
    waiting = []
    for kernel in kernels:
        for draw in range(len(DRAWS)):
            try:
                waiting.append((kernel, draw, make_launch(wp, np, kernel, warp_test.SIZES[0], draw)))
            except Exception as error:
                messages.append(f"{path.name}: {kernel.key}: no arguments: {type(error).__name__}: {str(error)[:80]}")
                break
    for round, size in enumerate(warp_test.SIZES):
        if round:
            waiting = [(k, d, make_launch(wp, np, k, size, d)) for k, d, _ in waiting if d == 0]
        results = warp_test.tree_run(path, [launch[2] for _, _, launch in waiting])
        again = []
        for (kernel, draw, launch), result in zip(waiting, results, strict=True):
            if "outputs" not in result:
                if result["finding"] == "out-of-bounds":
                    again.append((kernel, draw, launch))
                continue
            try:
                expected = record_kernel(wp, np, kernel, launch)
            except Exception as error:
                messages.append(f"{path.name}: {kernel.key}: Warp: {type(error).__name__}: {str(error)[:100]}")
                continue
            record = {"file": path.name, "key": kernel.key, "request": launch[2], "expected": expected}
            wrong = test_values.differences(result, expected, kinds_of(wp, kernel))
            if wrong:
                messages.append(f"{path.name}: {kernel.key}: draw {draw}: {wrong}")
            else:
                record["kinds"] = kinds_of(wp, kernel)
                records.append(record)
        waiting = again
        if not waiting:
            break
    mark_double(path, records)
    mark_ast(path, records)
    return records, messages


def mark_double(path, records):
    """"rounds": the result depends on the types being narrow."""
    results = warp_test.tree_run(path, [dict(r["request"], in_double=True) for r in records])
    for record, result in zip(records, results, strict=True):
        if test_values.differences(result, record["expected"], "float32"):
            record["rounds"] = True


def mark_ast(path, records):
    """"ast": the other evaluator agrees, too. "wrt" and "dot": a direction, and the derivative of the weighted outputs
    along it, where it fits the gradients of Warp."""
    names = {}
    for record in records:
        names.setdefault(record["key"], set()).add(record["request"]["kernel"])
    single = [r for r in records if len(names[r["key"]]) == 1]  # ast_run goes by the name alone
    for part in test_values.ast_requests(single):
        rng = random.Random(len(part))
        requests = {k: {"input": {n: r["request"][n] for n in ("dim", "args")}} for k, r in part.items()}
        for result in test_values.run(warp_test.wanted_version(), "ast_run", path, requests, "--no-races", "--rounded"):
            record = part[result["kernel"]]
            if not test_values.ast_difference(record, result, True):
                record["ast"] = True
        for key, record in part.items():
            record["wrt"] = {
                n: spread(v, rng) for n, v in record["request"]["out_grad"].items() if not isinstance(v, dict)
            }
            requests[key]["input"] |= {"wrt": record["wrt"], "out_grad": record["request"]["out_grad"]}
        for result in test_values.run(warp_test.wanted_version(), "ast_run", path, requests, "--no-races"):
            record = part[result["kernel"]]
            if record.get("ast") and test_values.ast_difference(record, result, False):
                del record["ast"]
            warp = sum(g * u for n, w in record["wrt"].items() for g, u in zip(record["expected"]["gradients"].get(n, []), test_values.flat(w)) if not isinstance(g, str))
            dot = result.get("true_dot")
            fits = dot is not None and record["request"]["backward"] and abs(dot - warp) <= 2e-3 * max(0.1, abs(dot))
            if fits and record.get("ast"):
                record["dot"] = dot
            else:
                del record["wrt"]


def spread(data, rng):
    return [spread(item, rng) for item in data] if isinstance(data, list) else rng.randrange(-8, 9) / 8


def kinds_of(wp, kernel):
    """The widest unit in the last place that a value of the kernel may have."""
    text = kernel.adj.source + " ".join(str(arg.type) for arg in kernel.adj.args)
    if re.search(r"float16|half|vec\dh|mat\d\dh|quath|transformh|bfloat", text):
        return "float16"
    return "float64" if "float64" in text and not re.search(r"float32|float\(|: float", text) else "float32"


def main():
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    version = sys.argv[1]
    if not warp_test.reexec_with_warp(version):
        sys.exit(f"record.py: Warp {version} is not installed")
    folder = warp_test.BUILD / "values-kernels"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.py"):
        old.unlink()
    if "--golden" not in sys.argv:
        make_kernels.main(folder)
    paths = [p for p in sorted((ROOT / "tests/golden").glob("*.py")) if p.name not in warp_test.SKIPPED_FILES]
    paths += [ROOT / "tests/tree/quirks.py", *sorted(folder.glob("*.py"))]
    paths = [p for p in paths if only in p.name]
    records, sources = [], {}
    with concurrent.futures.ProcessPoolExecutor(max_workers=2, max_tasks_per_child=1) as pool:
        for path, (found, messages) in zip(paths, pool.map(record_file, paths)):
            print(f"{path.name}: {len(found)} launches", *messages, sep="\n    ", flush=True)
            records += found
            if path.parent == folder:
                sources[path.name] = path.read_text()
    lines = [{"file": name, "source": text} for name, text in sources.items()] + records
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    target = test_values.expected_path(version) if not only else warp_test.BUILD / "values.jsonl.zst"
    subprocess.run(["zstd", "-q", "-19", "-f", "-o", str(target)], input=text.encode(), check=True)
    print(f"{len(records)} launches of {len({(r['file'], r['request']['kernel']) for r in records})} kernels, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
