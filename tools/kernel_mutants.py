#!/usr/bin/env python3
"""Does everything in an invented kernel matter? Small changes of kernels, one at a time, on the launch of their record.

    kernel_mutants.py [--count N] [--seed S] [--mutants M] [--scene NAME] [-v]

Each kernel is drawn by `weft synth`, run on random inputs by weft's evaluator of the syntax tree, changed in one place (an operator, a
number, a branch that is dropped, two arguments that are swapped) and run again on the same inputs. A change that no output shows points
at statements or inputs that do nothing. Printed: the share of changes that are seen, by kind, and the scenes with the most that are not;
-v shows each of them. Exit code 1: fewer than --bar of them are seen."""

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

from warp_env import reexec_with_warp

OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.Gt,
             ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
             ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.Mod: ast.FloorDiv, ast.FloorDiv: ast.Mod}
# Swapping their first two arguments changes nothing (clamp(x, low, high) is min(max(x, low), high)), or components that may be alike.
COMMUTATIVE = {"min", "max", "clamp", "dot", "ddot", "cw_mul", "add", "mul", "vec2", "vec3", "vec4", "quat"}
INFINITE = 1e5  # a number as large as this stands for no number at all


def places(tree):
    """(kind, path) of each place that can be changed; a path is the number of a node in the order of ast.walk."""
    for at, node in enumerate(ast.walk(tree)):
        if isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in OPERATORS:
            yield "operator", at
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            yield "operator", at
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and abs(node.value) < INFINITE:
            yield "number", at
        elif isinstance(node, ast.If):
            yield "branch", at
        elif isinstance(node, ast.Call) and len(node.args) > 1 and ast.dump(node.args[0]) != ast.dump(node.args[1]):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in COMMUTATIVE and not name.startswith("atomic") and name != "range":
                yield "swap", at


def changed(tree, kind, at):
    tree = copy.deepcopy(tree)
    node = list(ast.walk(tree))[at]
    if kind == "operator" and isinstance(node, ast.Compare):
        node.ops = [OPERATORS[type(node.ops[0])]()]
    elif kind == "operator":
        node.op = OPERATORS[type(node.op)]()
    elif kind == "number":
        node.value = node.value + 1 if isinstance(node.value, int) else node.value * 1.5 + 0.25
    elif kind == "branch":
        node.test = ast.copy_location(ast.Constant(False), node.test)
    else:
        node.args[0], node.args[1] = node.args[1], node.args[0]
    return tree


def bodies_only(tree):
    """Places in signatures and decorators are left alone."""
    allowed = set()
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                    allowed.update(id(n) for n in ast.walk(statement))
    nodes = list(ast.walk(tree))
    return [(kind, at) for kind, at in places(tree) if id(nodes[at]) in allowed]


def run(stage, source, inputs, folder):
    """The outputs as text; anything that is wrong is an answer, too."""
    path = pathlib.Path(folder) / "kernel.py"
    path.write_text("import warp as wp\n\n\n" + source)
    try:
        done = subprocess.run([stage.BUILD / "ast_run", path, inputs], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        return "it takes too long"
    return done.stdout or "refused"


def mutate_kernel(stage, record, rng, options, folder):
    """[(kind, is it seen, what was changed)]"""
    import numpy as np
    sample = stage.Sample(record, np.random.default_rng(rng.getrandbits(32)))
    inputs = pathlib.Path(folder) / "launch.json"
    entry = {"input": {"dim": sample.launch["dim"], "block_dim": sample.launch["block_dim"], "args": sample.given()}}
    inputs.write_text(json.dumps({record["kernel_name"]: entry}))
    tree = ast.parse(record["python_source"])
    before = run(stage, ast.unparse(tree), inputs, folder)
    if '"outputs"' not in before or '"finding": "' in before:
        return []
    candidates = bodies_only(tree)
    results = []
    for kind, at in rng.sample(candidates, min(options.mutants, len(candidates))):
        other = changed(tree, kind, at)
        after = run(stage, ast.unparse(other), inputs, folder)
        shown = ast.unparse(list(ast.walk(tree))[at]).splitlines()[0]
        results.append((kind, after != before, f"{shown}  ->  {ast.unparse(list(ast.walk(other))[at]).splitlines()[0]}"))
    return results


def main():
    reexec_with_warp()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=5)
    parser.add_argument("--scene")
    parser.add_argument("--bar", type=float, default=0.95)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    import stage
    command = [stage.WEFT, "synth", "-n", str(options.count), "-s", str(options.seed), "--json"]
    done = subprocess.run(command + (["--scene", options.scene] if options.scene else []), capture_output=True, text=True, check=True)
    rng = random.Random(options.seed)
    seen, missed, kinds = 0, collections.Counter(), collections.defaultdict(lambda: [0, 0])
    with tempfile.TemporaryDirectory() as folder:
        for record in map(json.loads, done.stdout.splitlines()):
            scene = record["plan"]["scenes"][0]
            for kind, is_seen, what in mutate_kernel(stage, record, rng, options, folder):
                kinds[kind][0] += is_seen
                kinds[kind][1] += 1
                seen += is_seen
                missed[scene] += not is_seen
                if options.v and not is_seen:
                    print(f"{scene} {record['kernel_name']}: {kind}: {what}", flush=True)
    total = sum(count for _, count in kinds.values())
    for kind, (good, count) in sorted(kinds.items()):
        print(f"{kind}: {good} of {count} seen")
    print(f"{seen} of {total} changes are seen ({100 * seen / max(1, total):.1f} %)")
    print("most of the others:", ", ".join(f"{scene} {count}" for scene, count in missed.most_common(12) if count))
    return 0 if seen >= options.bar * total else 1


if __name__ == "__main__":
    sys.exit(main())
