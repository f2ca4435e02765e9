#!/usr/bin/env python3
"""Why gradients of invented kernels are wrong: every marked kernel is made smaller until only its cause is left, and counted
by what that is.

    tools/gradient_patterns.py [-n 20000] [-s 1] [--limit K] [--jobs J] [--examples] [--json-out FILE]

`weft bench verify --show` says which kernels are marked. A kernel that is right once its atomic minima and maxima are left
out is one of those; any other goes through tools/reduce_kernel.py, and what is left is classified by its syntax tree. What fits
no pattern is counted as `other` and printed: then this file needs another one."""

import argparse
import ast
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

from records import launch_of
from reduce_kernel import check_many, is_wrong, reduce_kernel

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PATTERNS = {
    "atomic extremum": "atomic_min or atomic_max: the value that is replaced keeps its gradient",
    "fraction": "wp.frac has an empty adjoint",
    "branch after a loop": "what a loop computed decides a branch, a condition or an index after it",
    "value carried in a loop": "a loop changes a value by more than a sum, and its adjoint needs each of the values",
    "last value of a loop": "a variable is set anew in each iteration and read after the loop",
    "result of a loop": "the sum of a loop is a factor or an argument after it, where the loop is not replayed",
    "element rewritten": "an array element is read and then overwritten",
    "ternary of elements": "a bare array element is the value of a conditional expression",
    "other": "none of these",
}


# ---- telling patterns apart ----


def calls(tree, *names):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names]


def names_read(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def assignments(loop):
    """(name, does its value need the name itself, is that more than a sum) of each assignment in a loop."""
    for node in ast.walk(loop):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, True, not isinstance(node.op, (ast.Add, ast.Sub)) or node.target.id in names_read(node.value)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            plain_sum = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)) and (
                isinstance(value.left, ast.Name) and value.left.id == name and name not in names_read(value.right))
            yield name, name in names_read(value), name in names_read(value) and not plain_sum


def deciders(tree):
    """Expressions that decide where to go or what to read."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield node.test
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("where", "argmin", "argmax"):
            yield node.args[0]
        elif isinstance(node, ast.Call) and (isinstance(node.func, ast.Name) and node.func.id == "int" or
                                             isinstance(node.func, ast.Attribute) and node.func.attr.startswith(("int", "uint"))):
            yield node


def loop_pattern(function, loop):
    after = ast.Module([node for node in function.body if node.lineno > loop.end_lineno], [])
    counter = {loop.target.id} if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) else set()
    assigned = list(assignments(loop))
    reached = {name for name, _, _ in assigned} - counter
    for node in after.body:  # what is computed from the loop's results
        if isinstance(node, ast.Assign) and names_read(node.value) & reached:
            reached |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    if any(names_read(test) & reached for test in deciders(after)):
        return "branch after a loop"
    if any(more for name, _, more in assigned if name in reached):
        return "value carried in a loop"
    read_after = names_read(after) & {name for name, _, _ in assigned}
    if any(not itself for name, itself, _ in assigned if name in read_after):
        return "last value of a loop"
    inner = {name for node in ast.walk(loop) if node is not loop and isinstance(node, (ast.For, ast.While)) for name, _, _ in assignments(node)}
    return "result of a loop" if read_after or inner else None


def reads_and_writes_element(function):
    written = {ast.unparse(node.targets[0].value) for node in ast.walk(function)
               if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)}
    return any(isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and ast.unparse(node.value) in written
               for node in ast.walk(function))


def pattern_of(source):
    module = ast.parse(source)
    if calls(module, "atomic_min", "atomic_max"):
        return "atomic extremum"
    if calls(module, "frac"):
        return "fraction"
    for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        for loop in (node for node in ast.walk(function) if isinstance(node, (ast.For, ast.While))):
            found = loop_pattern(function, loop)
            if found:
                return found
    for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
        if any(isinstance(node, ast.IfExp) and isinstance(node.body, ast.Subscript) for node in ast.walk(function)):
            return "ternary of elements"
        if reads_and_writes_element(function):
            return "element rewritten"
    return "other"


# ---- the marked kernels ----


def without_extrema(source):
    """The kernel without its atomic minima and maxima; None: it has none, or nothing else."""
    module = ast.parse(source)
    changed = False
    for node in ast.walk(module):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                kept = [s for s in block if not (isinstance(s, ast.Expr) and calls(s, "atomic_min", "atomic_max"))]
                changed |= len(kept) < len(block)
                block[:] = kept or [ast.Pass()]
    return ast.unparse(module) if changed else None


def explain(record):
    """(index, category, pattern, smallest source found)"""
    source, launch, index = record["python_source"], launch_of(record), record["index"]
    rest = without_extrema(source)
    if rest:
        plain, without = check_many(WEFT, [source, rest], launch, index)
        if is_wrong(plain) and not is_wrong(without):
            return index, record["category"], "atomic extremum", source
        source = rest if is_wrong(without) else source
    found = reduce_kernel(WEFT, source, launch, index)
    return index, record["category"], pattern_of(found[0] if found else source), found[0] if found else source


def marked_kernels(count, seed):
    done = subprocess.run([WEFT, "bench", "verify", "-n", str(count), "-s", str(seed), "--show"], capture_output=True, text=True, check=True)
    marked = {int(m[1]) for m in re.finditer(r"^(\d+) .*gradient mismatch", done.stderr, re.M)}
    made = subprocess.Popen([WEFT, "synth", "-n", str(count), "-s", str(seed), "--json"], stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for at, line in enumerate(made.stdout) if at in marked]
    made.wait()
    return re.search(r"gradients: .*", done.stdout)[0], records


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--count", type=int, default=20000)
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, help="look only at the first so many marked kernels")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--examples", action="store_true", help="print the smallest kernel of each pattern")
    parser.add_argument("--json-out", type=argparse.FileType("w"), help="one line per kernel: index, category, pattern, source")
    options = parser.parse_args()
    figures, records = marked_kernels(options.count, options.seed)
    print(f"{options.count} kernels, seed {options.seed}: {figures}")
    counts, smallest, categories = collections.Counter(), {}, collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for index, category, pattern, source in pool.map(explain, records[: options.limit]):
            counts[pattern] += 1
            categories[pattern][category] += 1
            if pattern == "other" or pattern not in smallest or len(source) < len(smallest[pattern]):
                smallest[pattern] = source
            if options.json_out:
                print(json.dumps({"index": index, "category": category, "pattern": pattern, "source": source}), file=options.json_out, flush=True)
    for pattern, count in counts.most_common():
        most = ", ".join(f"{name} {number}" for name, number in categories[pattern].most_common(4))
        print(f"| {pattern} | {count} | {PATTERNS[pattern]} | {most} |")
        if options.examples or pattern == "other":
            print(smallest[pattern])
    print(f"{sum(counts.values())} of {len(records)} marked kernels")
    return 1 if counts["other"] else 0


if __name__ == "__main__":
    sys.exit(main())
