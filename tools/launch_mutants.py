#!/usr/bin/env python3
"""Do the stored launches of records catch wrong kernels? Kernels are changed in one place, and run on the launches of their record.

    launch_mutants.py [--count N] [--mutants M] [--seed S] [--set FOLDER] [-v]

Of a new data set (or that of --set), N kernels get up to M changes each (see kernel_mutants.py; also a comparison that includes its bound, and a
statement that is dropped). Those count that a launch of the described size, with random inputs from the described ranges, tells
apart: an output differs by more than a thousandth of its largest number. A change is caught where, on a stored launch, an
output differs by more than its tolerance, or an array changes that is no output of the launch. Changes that make a kernel read or divide where it must not are left out. Printed: the share that is
caught, the records that accept a wrong kernel, and the declared outputs that no stored launch changes. Exit code 1: fewer than 98 %
are caught, 3 % of the records or more accept a wrong kernel, or there is such an output."""

import argparse
import ast
import collections
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/meaning")]

import kernel_mutants
from warp_env import reexec_with_warp

BOUNDS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
FULL_DRAWS = 2  # launches of the described size


def places(tree):
    """What kernel_mutants changes, and more."""
    nodes = list(ast.walk(tree))
    allowed = {id(n) for f in tree.body if isinstance(f, ast.FunctionDef) for s in f.body for n in ast.walk(s)}
    found = kernel_mutants.bodies_only(tree)
    for at, node in enumerate(nodes):
        if id(node) in allowed and isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in BOUNDS:
            found.append(("bound", at))
        elif id(node) in allowed and isinstance(node, ast.AugAssign):
            found.append(("statement", at))
    return found


def changed(tree, kind, at):
    if kind not in ("bound", "statement"):
        return kernel_mutants.changed(tree, kind, at)
    tree = copy.deepcopy(tree)
    node = list(ast.walk(tree))[at]
    if kind == "bound":
        node.ops = [BOUNDS[type(node.ops[0])]()]
    else:  # x += 0
        node.op, node.value = ast.Add(), ast.BinOp(node.value, ast.Sub(), copy.deepcopy(node.value))
    return tree


class Rename(ast.NodeTransformer):
    def __init__(self, names, suffix):
        self.names, self.suffix = names, suffix

    def visit_Name(self, node):
        node.id += self.suffix if node.id in self.names else ""
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.name += self.suffix
        return node

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        node.name += self.suffix
        return node


def variant(tree, number):
    """The module with names of its own, so that many stand in one file."""
    names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return ast.unparse(ast.fix_missing_locations(Rename(names, f"__{number}").visit(copy.deepcopy(tree))))


def run(stage, record, path, count, dim, args, folder):
    """[outputs by name, or None where something is wrong] of all variants on one launch."""
    launches = pathlib.Path(folder) / "launch.json"
    launches.write_text(json.dumps({f"{record['kernel_name']}__{i}": {"input": {"dim": dim, "block_dim": record.get("block_dim") or 0, "args": args}} for i in range(count)}))
    results = [None] * count
    try:
        done = subprocess.run([stage.BUILD / "ast_run", path, launches, "--rounded", "--no-races"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return results
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        name = answer.get("kernel", "")
        if "__" in name and "outputs" in answer and not answer.get("finding"):
            results[int(name.rsplit("__", 1)[1])] = answer["outputs"]
    return results


def differs(expected, found, tolerance):
    """tolerance: of each output, and what has none must not change; None: a thousandth of the largest number."""
    for name, numbers in expected.items():
        most = 1e-3 * max((abs(n) for n in numbers if n == n), default=0) if tolerance is None else tolerance.get(name, 0)
        if any(not abs(a - b) <= most for a, b in zip(numbers, found[name]) if a == a or b == b):
            return True
    return False


def stored_launches(record, records):
    for launch in record["launches"]:
        io = records.io_of(launch)
        tolerance = collections.defaultdict(float)
        for row in launch["outputs"]:
            name = row["name"] if row["field"] is None else row["field"].split(".")[-1]
            for key in {row["name"], name}:
                tolerance[key] = max(tolerance[key], row["tolerance"] or 0)
        yield io, dict(tolerance)


def judge(stage, records, record, rng, options, folder):
    """([(kind, is it caught, what)], is the kernel itself accepted)"""
    import numpy as np
    tree = ast.parse(record["python_source"])
    candidates = places(tree)
    chosen = rng.sample(candidates, min(3 * options.mutants, len(candidates)))
    mutants = [changed(tree, kind, at) for kind, at in chosen]
    path = pathlib.Path(folder) / "kernel.py"
    path.write_text("import warp as wp\n\n\n" + "\n\n".join(variant(t, i) for i, t in enumerate([tree, *mutants])))
    told, wrong, count = set(), set(), len(mutants) + 1
    for _ in range(FULL_DRAWS):
        sample = stage.Sample(record, np.random.default_rng(rng.getrandbits(32)))
        own, *others = run(stage, record, path, count, sample.launch["dim"], sample.given(), folder)
        if own is None:
            return [], True
        told |= {i for i, found in enumerate(others) if found is not None and differs(own, found, None)}
        wrong |= {i for i, found in enumerate(others) if found is None}
    judged = sorted(told - wrong)[: options.mutants]
    caught, accepted = set(), True
    for io, tolerance in stored_launches(record, records):
        own, *others = run(stage, record, path, count, io["dim"], stage_args(stage, record, io["inputs"]), folder)
        if own is None:
            return [], False
        caught |= {i for i in judged if others[i] is None or differs(own, others[i], tolerance)}
    return [(chosen[i][0], i in caught, described(record, tree, mutants[i], chosen[i][1])) for i in judged], accepted


def described(record, tree, mutant, at):
    """What was changed, and the line that it is in."""
    node, other = list(ast.walk(tree))[at], list(ast.walk(mutant))[at]
    line = record["python_source"].splitlines()[node.lineno - 1].strip()
    return f"{ast.unparse(node).splitlines()[0]}  ->  {ast.unparse(other).splitlines()[0]}  in line {node.lineno}: {line}"


def stage_args(stage, record, inputs):
    """As ast_run reads them: an array of structs is a list."""
    import numpy as np
    about = stage.records.launch_of(record)["args"]
    args = {}
    for name, value in inputs.items():
        if isinstance(value, dict) and "shape" in about[name]:
            first = next(iter(value.values()))
            shape = np.shape(first)[: len(about[name]["shape"])]
            args[name] = stage.plain({f: np.array(v) for f, v in value.items()}, {"shape": shape})
        else:
            args[name] = value
    return args


def unchanged_outputs(record):
    """Declared outputs that no stored launch changes."""
    declared = {(row["name"], row["field"]) for row in record["arguments"] if row["role"] in ("output", "sum", "inout") and row["shape"] is not None}
    changed_rows = {(row["name"], row["field"]) for launch in record["launches"] for row in launch["outputs"]}
    names = {name for name, _ in changed_rows}
    return [name for name, field in declared if (name, field) not in changed_rows and not (field is None and name in names)]


def main():
    reexec_with_warp()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--mutants", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", type=pathlib.Path)
    parser.add_argument("-v", action="store_true", help="show each change that is not caught")
    options = parser.parse_args()
    import stage
    from stage import records
    rng, kinds, accepting, silent, judged_records = random.Random(options.seed), collections.defaultdict(lambda: [0, 0]), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        source = options.set
        if not source:
            source = pathlib.Path(folder) / "set"
            command = [stage.WEFT, "produce", "-n", str(options.count), "-s", str(options.seed), "-o", str(source), "--no-compress", "--full", "--no-readable"]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        lines = [line for path in sorted(source.glob("*.jsonl")) for line in path.read_text().splitlines()][: options.count]
        for record in map(json.loads, lines):
            results, accepted = judge(stage, records, record, rng, options, folder)
            judged_records += bool(results)
            missed = [(kind, what) for kind, is_caught, what in results if not is_caught]
            accepting += bool(missed)
            silent += len(unchanged_outputs(record))
            for kind, is_caught, _ in results:
                kinds[kind][0] += is_caught
                kinds[kind][1] += 1
            if not accepted:
                print(f"{record['id']}: the kernel does not run on its stored launches", flush=True)
            for kind, what in missed if options.v else []:
                print(f"{record['id']} {record['plan']['scenes'][0]} {record['kernel_name']}: {kind}: {what}", flush=True)
    caught, total = sum(good for good, _ in kinds.values()), sum(count for _, count in kinds.values())
    for kind, (good, count) in sorted(kinds.items()):
        print(f"{kind}: {good} of {count} caught")
    print(f"{caught} of {total} wrong kernels are caught ({100 * caught / max(1, total):.1f} %)")
    print(f"{accepting} of {judged_records} records accept a wrong kernel ({100 * accepting / max(1, judged_records):.1f} %)")
    print(f"{silent} declared outputs never change")
    return 0 if caught >= 0.98 * total and accepting < 0.03 * judged_records and not silent else 1


if __name__ == "__main__":
    sys.exit(main())
