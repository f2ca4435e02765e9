#!/usr/bin/env python3
"""The evaluators on kernels with tiles, against what Warp 1.19 computed on the CPU with blocks of 1 and 8 lanes; without Warp.

    test_tiles_run.py [-v] [KERNEL]

tests/tiles/warp_values.py made tests/tiles/expected-1.19.0.json.gz. Derivatives of the evaluator of the syntax tree are compared with
differences of its own values.
"""

import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
KERNELS = ROOT / "tests" / "tiles" / "tiles_golden.py"
EXPECTED = ROOT / "tests" / "tiles" / "expected-1.19.0.json.gz"
LEAST = 120  # kernels that agree at both block sizes
TOLERANCE = {"matmul_half": 2e-3}

# Where the result hangs on the order in which lanes run, which neither Warp nor a GPU promises.
UNORDERED = {
    "element_update": "lanes read an element that others are writing: t[2] *= x",
    "element_two_dimensions_update": "two tiles are stored to one place, without a barrier between",
    "function_returns_tile": "a tile and an element are stored to one place",
    "matmul_scaled": "the result of a product is one of its factors",
    "thread_stack": "lanes push in any order",
    "thread_stack_loop": "lanes push and pop in any order",
}
# Inputs lie on the edge of a step, or the smallest element is there twice.
STEPS = {"map_without_adjoint", "function_two_results"}
# Gradients of Warp that hang on the order in which lanes run.
UNORDERED_GRADIENTS = {
    "load_shape_in_variables": "two tiles are stored to one place",
    "flow_return": "one lane adds to the gradient of a tile, and others read it without a barrier between",
}
# Findings that are right.
FINDINGS = {("lean_launch", "8"): "not-uniform"}


def run_tool(launches, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(launches, file)
        file.flush()
        done = subprocess.run([BUILD / "ast_run", KERNELS, file.name, "--no-races", *flags], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {result["kernel"]: result for result in map(json.loads, done.stdout.splitlines())}


def flat(values):
    if isinstance(values, (list, dict)):
        parts = values.values() if isinstance(values, dict) else values
        return [number for part in parts for number in flat(part)]
    return [values]


def arrays(args):
    """Every array argument, those in structs included."""
    for name, value in args.items():
        if isinstance(value, dict):
            yield from arrays(value)
        elif isinstance(value, list):
            yield name, flat(value)


def with_changes(start, changes):
    values = list(start)
    for place, value in zip(*changes):
        values[place] = value
    return values


def differs(kernel, result, entry, block):
    before = dict(arrays(entry["args"]))
    for name, changes in entry["blocks"][block]["outputs"].items():
        want, got = with_changes(before[name], changes), result["outputs"].get(name)
        if got is None:
            return f"{name} is not among the outputs"
        if len(want) != len(got):
            return f"{name} has {len(got)} numbers, Warp's {len(want)}"
        scale = max([1.0, *(abs(x) for x in want if isinstance(x, float) and x == x)])
        for i, (a, b) in enumerate(zip(got, want)):
            exact = not isinstance(b, float)
            if a != b and (exact or not abs(a - b) <= TOLERANCE.get(kernel, 1e-5) * scale):
                return f"{name}[{i}] is {a}, Warp has {b}"
    return None


# ---- the tree evaluator


def nested_weights(entry):
    """Of arrays in structs: an object, as for the arguments."""
    weights = {}
    for name, value in entry["args"].items():
        if isinstance(value, dict):
            weights[name] = {part: entry["out_grad"][part] for part in value if part in entry["out_grad"]}
        elif name in entry["out_grad"]:
            weights[name] = entry["out_grad"][name]
    return weights


def flat_arrays(results):
    return {key: {**result, **{part: dict(arrays(result[part])) for part in ("outputs", "gradients") if part in result}} for key, result in results.items()}


def run_tree(expected, block):
    keys = [key for key in expected if "#" not in key]
    requests = []
    for key in keys:
        entry = expected[key]
        requests.append({"kernel": key, **launch_of(entry, block), "out_grad": nested_weights(entry), "backward": bool(entry["out_grad"])})
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(requests, file)
        file.flush()
        done = subprocess.run([BUILD / "tree_run", KERNELS, file.name, "--warp", "1.19.0"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return flat_arrays(dict(zip(keys, map(json.loads, done.stdout.splitlines()))))


def gradients_differ(kernel, result, entry, block):
    for name, changes in entry["blocks"][block]["gradients"].items():
        if name not in entry["args"]:
            continue  # in a struct: Warp passes the gradient that it had when the struct was made
        want, got = with_changes(entry["out_grad"][name], changes), result["gradients"].get(name)
        scale = max([1.0, *(abs(x) for x in want)])
        for i, (a, b) in enumerate(zip(got or [], want)):
            if not abs(float(a) - b) <= 1e-4 * scale:
                return f"the gradient of {name}[{i}] is {a}, Warp has {b}"
        if got is None:
            return f"{name} has no gradient"
    return None


def compare_tree(expected, block):
    """Kernels whose values agree, those whose gradients do, and what is wrong."""
    values, gradients, wrong = set(), set(), {}
    other = run_tool({key: {"input": launch_of(entry, block)} for key, entry in expected.items()}, "--rounded")
    for key, result in run_tree(expected, block).items():
        entry, unordered = expected[key], block != "1" and key in UNORDERED
        finding = FINDINGS.get((key, block))
        if result.get("finding") in ("unsupported", "refused"):
            continue
        if result.get("finding") != finding:
            wrong[key] = f"tree: {result.get('finding')}: {result.get('message')}"
            continue
        if finding:
            values.add(key)
            continue
        want = {**entry, "blocks": {block: {"outputs": {name: [range(len(v)), v] for name, v in other[key]["outputs"].items()}}}} if unordered else entry
        why = differs(key, result, want, block)
        if why:
            wrong[key] = f"tree: {why}"
            continue
        values.add(key)
        why = None if unordered or (block != "1" and key in UNORDERED_GRADIENTS) else gradients_differ(key, result, entry, block)
        if why:
            wrong[key] = f"tree: {why}"
        elif entry["out_grad"]:
            gradients.add(key)
    return values, gradients, wrong


def launch_of(entry, block):
    return {"dim": entry["blocks"][block]["dim"], "block_dim": int(block), "args": entry["args"]}


def compare_values(expected, block, verbose):
    wrong = {}
    results = run_tool({key: {"input": launch_of(entry, block)} for key, entry in expected.items()}, "--rounded")
    for key, entry in expected.items():
        result = results.get(key, {"finding": "nothing", "message": "no result"})
        finding = FINDINGS.get((key, block))
        if result["finding"] != finding:
            wrong[key] = f"{result['finding']}: {result.get('message')}"
        elif not finding and not (block != "1" and key in UNORDERED):
            why = differs(key, result, entry, block)
            if why:
                wrong[key] = why
    if verbose:
        for key, why in wrong.items():
            print(f"{key}, blocks of {block}: {why}")
    return wrong


# ---- derivatives


def moved(value, direction, step):
    if isinstance(value, list):
        return [moved(a, b, step) for a, b in zip(value, direction)]
    return value + step * direction if isinstance(value, float) else value


def direction_of(value, rng):
    if isinstance(value, list):
        return [direction_of(part, rng) for part in value]
    return rng.randrange(-8, 9) / 8 if isinstance(value, float) else 0


def weighted(result, out_grad):
    return sum(a * b for name, weights in out_grad.items() for a, b in zip(result["outputs"][name], weights))


def compare_derivatives(expected, block, skipped):
    """Along one direction for all inputs: the tangents of the outputs, and the difference of two runs."""
    step, launches = 1e-5, {"at": {}, "up": {}, "down": {}}
    for key, entry in expected.items():
        args = {name: value for name, value in entry["args"].items() if not isinstance(value, dict)}
        if key in skipped or key in STEPS or not entry["out_grad"] or len(args) != len(entry["args"]):
            continue
        rng = random.Random(key)
        wrt = {name: direction_of(value, rng) for name, value in args.items()}
        base = launch_of(entry, block)
        launches["at"][key] = {"input": {**base, "wrt": wrt, "out_grad": entry["out_grad"]}}
        for which, size in (("up", step), ("down", -step)):
            there = {name: moved(value, wrt[name], size) for name, value in args.items()}
            launches[which][key] = {"input": {**base, "args": there}}
    results = {which: run_tool(requests) for which, requests in launches.items()}
    wrong, right = {}, 0
    for key, result in results["at"].items():
        up, down = results["up"][key], results["down"][key]
        if result["finding"] or up["finding"] or down["finding"]:
            continue
        out_grad = expected[key]["out_grad"]
        slope = (weighted(up, out_grad) - weighted(down, out_grad)) / (2 * step)
        right += 1
        if abs(slope - result["true_dot"]) > 1e-4 * max(1.0, abs(slope)):
            wrong[key] = f"derivative {result['true_dot']}, difference {slope}"
    return right, wrong


def main():
    verbose, names = "-v" in sys.argv, [arg for arg in sys.argv[1:] if arg != "-v"]
    expected = json.loads(gzip.decompress(EXPECTED.read_bytes()))
    if names:
        expected = {key: entry for key, entry in expected.items() if key in names}
    wrong = {block: compare_values(expected, block, verbose) for block in ("1", "8")}
    failed = set(wrong["1"]) | set(wrong["8"])
    differ = {key for block in wrong.values() for key, why in block.items() if not why.startswith("unsupported: ")}
    agree = len(expected) - len(failed)
    print(f"{agree} of {len(expected)} kernels agree with Warp 1.19 in blocks of 1 and 8 lanes ({len(UNORDERED)} of them compared in blocks of 1 only)")
    for block in ("1", "8"):
        right, off = compare_derivatives(expected, block, failed)
        print(f"derivatives of {right} kernels in blocks of {block}: {len(off)} are not those of differences")
        for key, why in off.items():
            print(f"  {key}: {why}")
        differ |= set(off)
    least = len(expected)
    for block in ("1", "8"):
        values, gradients, off = compare_tree(expected, block)
        print(f"tree evaluator in blocks of {block}: values of {len(values)} kernels agree with Warp 1.19, gradients of {len(gradients)} with its tape")
        wrong[block] = {**off, **wrong[block]}
        differ |= set(off)
        least = min(least, len(values), agree)
    for key in sorted(differ):
        print(f"  {key}: {wrong['1'].get(key) or wrong['8'].get(key)}")
    return 1 if differ or (least < LEAST and not names) else 0


if __name__ == "__main__":
    sys.exit(main())
