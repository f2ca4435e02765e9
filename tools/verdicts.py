#!/usr/bin/env python3
"""Are the gradient verdicts of a data set right? Warp's own tape, in double precision, against differences of Warp's own forward pass.

    verdicts.py SET [--mismatches N] [--passes N] [--seed S] [-v]      SET: weft produce … --gradients marked --no-compress

Of the records marked `mismatch` and `pass`, N each are drawn. Their kernels are rewritten with every float a double, and compiled by Warp for the CPU. On
the stored launches, along random directions of the arrays that the kernel only reads, the gradient that wp.Tape gives is compared
with central differences of two widths; where these do not agree (at a kink), the launch says nothing. A kernel that Warp does not compile in
double precision, or that has no launch which says anything, is replaced by another one and counted. Exit code 1: fewer than 99 % of the
mismatches differ, or a pass does."""

import argparse
import ast
import importlib.util
import json
import pathlib
import random
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

import test_synth_warp
from records import io_of
from warp_env import reexec_with_warp, start_warp

DOUBLES = re.compile(r"(vec[234]|mat[234]{2}|quat|transform|spatial_vector|spatial_matrix)[fh]?")
DIRECTIONS, FAR, AGREE = 2, 1e-3, 1e-4


class Double(ast.NodeTransformer):
    """Every float a double: types, literals, conversions, and what makes a float32 of nothing."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "wp":
            if node.attr in ("float32", "float16"):
                node.attr = "float64"
            elif DOUBLES.fullmatch(node.attr):
                node.attr = DOUBLES.fullmatch(node.attr)[1] + "d"
            elif node.attr in ("pi", "tau", "e"):
                return double_of(node)
        return node

    def visit_Name(self, node):
        return ast.parse("wp.float64", mode="eval").body if node.id == "float" else node

    def visit_Constant(self, node):
        return double_of(node) if isinstance(node.value, float) else node

    def visit_Call(self, node):
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if name in ("quat_identity", "transform_identity"):
            node.keywords.append(ast.keyword("dtype", ast.parse("wp.float64", mode="eval").body))
        elif name in ("randf", "randn", "noise", "pnoise"):
            return double_of(node)
        return node


def double_of(node):
    call = ast.parse("wp.float64(0)", mode="eval").body
    call.args = [node]
    return call


def load(record, folder):
    """The kernel in double precision."""
    tree = ast.fix_missing_locations(Double().visit(ast.parse(record["python_source"])))
    path = pathlib.Path(folder) / f"double_{record['row']}.py"
    path.write_text("import warp as wp\n\n\n" + ast.unparse(tree))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, record["kernel_name"])


def float_arrays(wp, types, values):
    """{path: array} of everything that has a gradient, arrays in structs by argument.field."""
    found = {}
    for name, type in types.items():
        if wp._src.types.is_array(type):
            found[name] = values[name]
        elif isinstance(type, wp._src.codegen.Struct):
            found |= {f"{name}.{field}": getattr(values[name], field) for field, var in type.vars.items() if wp._src.types.is_array(var.type)}
    return {path: array for path, array in found.items() if not isinstance(array.dtype, wp._src.codegen.Struct) and array.numpy().dtype.kind == "f"}


def errors(wp, np, kernel, record, io, rng):
    """The relative distance of tape and differences for each direction that says something."""
    types = {arg.label: arg.type for arg in kernel.adj.args}
    read_only = {row["name"] if row["field"] is None else f"{row['name']}.{row['field']}" for row in record["arguments"] if row["role"] == "input"}

    def launch(step=0.0, direction=None, tape=None):
        values = {name: test_synth_warp.argument(wp, np, type, io["inputs"][name]) for name, type in types.items()}
        found = float_arrays(wp, types, values)
        for path, move in (direction or {}).items():
            found[path].assign(found[path].numpy() + step * move)
        before = {path: array.numpy().copy() for path, array in found.items()}
        if tape:
            with tape:
                wp.launch(kernel, dim=io["dim"], inputs=list(values.values()), device="cpu")
        else:
            wp.launch(kernel, dim=io["dim"], inputs=list(values.values()), device="cpu")
        return before, found

    tape = wp.Tape()
    before, found = launch(tape=tape)
    outputs = [path for path, array in found.items() if not np.array_equal(before[path], array.numpy())]
    inputs = [path for path in found if path in read_only and path not in outputs]
    weights = {path: rng.integers(1, 9, before[path].shape) / 8.0 * rng.choice([-1.0, 1.0], before[path].shape) for path in outputs}
    for path in outputs:
        found[path].grad.assign(weights[path])
    tape.backward()
    slopes = {path: found[path].grad.numpy().copy() for path in inputs}
    for _ in range(DIRECTIONS if inputs and outputs else 0):
        direction = {path: rng.uniform(-1, 1, before[path].shape) for path in inputs}
        wide, narrow = ((difference(np, launch(h, direction)[1], launch(-h, direction)[1], weights)) / (2 * h) for h in (1e-5, 2.5e-6))
        by_tape = sum(float((slopes[path] * direction[path]).sum()) for path in inputs)
        if by_tape != by_tape or abs(by_tape) == float("inf"):  # the true one is a number
            if abs(wide - narrow) <= AGREE * max(abs(wide), 1e-9):
                yield float("inf")
            continue
        size = max(abs(wide), abs(by_tape), 1e-3 * sum(float(abs(slopes[path] * direction[path]).sum()) for path in inputs), 1e-9)
        if abs(wide - narrow) <= AGREE * size:
            yield abs(wide - by_tape) / size


def difference(np, high, low, weights):
    return sum(float((weight * (high[path].numpy() - low[path].numpy())).sum()) for path, weight in weights.items())


def judge(wp, np, record, folder, seed):
    """Does the gradient differ from the true one? None: it cannot be told."""
    try:
        kernel = load(record, folder)
        found = [e for launch in record["launches"] for e in errors(wp, np, kernel, record, io_of(launch), np.random.default_rng(seed))]
    except Exception as error:  # Warp refuses the kernel in double precision
        return None, str(error).splitlines()[0][:100]
    return (max(found) > FAR, f"{max(found):.2g}") if found else (None, "no launch says anything")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="SET")
    parser.add_argument("--mismatches", type=int, default=200)
    parser.add_argument("--passes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true", help="show each record")
    options = parser.parse_args()
    if not reexec_with_warp():
        sys.exit("verdicts.py: there is no Warp here")
    wp, np = start_warp()
    drawn = [json.loads(line) for path in sorted(options.folder.glob("*.jsonl")) for line in path.open()]
    random.Random(options.seed).shuffle(drawn)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for verdict, wanted in (("mismatch", options.mismatches), ("pass", options.passes)):
            differing = judged = untold = 0
            for record in (r for r in drawn if r["gradient_verdict"] == verdict and r["launches"]):
                if judged == wanted:
                    break
                differs, why = judge(wp, np, record, folder, options.seed)
                judged += differs is not None
                untold += differs is None
                differing += bool(differs)
                if options.v or (differs is not None and differs != (verdict == "mismatch")):
                    print(f"{record['id']} {record['plan']['scenes'][0]}: {verdict}: {differs} ({why})", flush=True)
            print(f"{verdict}: {differing} of {judged} differ from the true gradient; {untold} could not be told", flush=True)
            good &= differing >= 0.99 * judged if verdict == "mismatch" else not differing
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
