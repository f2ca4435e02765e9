#!/usr/bin/env python3
"""Are the gradient verdicts of a data set right? Warp's own tape, in double precision, against differences of Warp's own forward pass.

    verdicts.py SET [--mismatches N] [--passes N] [--seed S] [-j JOBS] [-v]      SET: weft produce … --gradients marked --no-compress --full

Of the records marked `mismatch` and `pass`, N each are drawn. Their kernels are rewritten with every float a double, and compiled by Warp for the CPU, some
dozens as one module. On the stored launches, along random directions of the inputs (arrays whose content before the launch the record draws
from a range), the gradient that wp.Tape gives is compared with central differences of two widths; where these do not agree (at a kink), the
direction says nothing. A gradient that is not a number where the differences agree is a wrong one. A kernel that is refused in double
precision, or computes something else there, or of which nothing can be said, is replaced by another one and counted. Exit code 1: fewer than 99 % of the mismatches differ, or a pass does, or there are not as many as asked for."""

import argparse
import ast
import concurrent.futures
import importlib.util
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))

import test_synth_warp
from records import io_of
from warp_env import WEFT, reexec_with_warp, start_warp

DOUBLES = re.compile(r"(vec[234]|mat[234]{2}|quat|transform|spatial_vector|spatial_matrix)[fh]?")
DIRECTIONS, AGREE = 2, 1e-4
FAR, SURE = 1e-5, 10  # a gradient is wrong that is further off than FAR, and than SURE times what the two differences are apart


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


def in_double(record):
    return ast.unparse(ast.fix_missing_locations(Double().visit(ast.parse(record["python_source"]))))


def is_accepted(record, folder):
    """Whether weft compiles the kernel in double precision: what it refuses Warp refuses, too, and would spoil a whole module."""
    path = pathlib.Path(folder) / f"alone_{record['row']}.py"
    path.write_text("import warp as wp\n\n\n" + in_double(record))
    return subprocess.run([WEFT, "extract", path, "-d", "cpu"], capture_output=True).returncode == 0


def load(wp, records, folder, name):
    """[kernel in double precision], of one module; the compiler need not optimize what runs a few times."""
    path = pathlib.Path(folder) / f"{name}.py"
    path.write_text("import warp as wp\n\nwp.set_module_options({'optimization_level': 0, 'cpu_compiler_flags': ''})\n\n\n"
                    + "\n\n\n".join(map(in_double, records)))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    wp.load_module(module=name, device="cpu")
    return [getattr(module, record["kernel_name"]) for record in records]


def numbers_of(values, path):
    """{path: numbers}, of an array of structs those of each field that are floats. They are where Warp has them: what is written there is read by a launch."""
    if values.dtype.names:
        return {k: v for name in values.dtype.names for k, v in numbers_of(values[name], f"{path}.{name}").items()}
    return {path: values} if values.dtype.kind == "f" else {}


def float_arrays(wp, types, values, gradients=False):
    """{path: numbers} of everything that has a gradient, or the gradients; arrays in structs by argument.field."""
    found = {}
    for name, type in types.items():
        if wp._src.types.is_array(type):
            found |= numbers_of((values[name].grad if gradients else values[name]).numpy(), name)
        elif isinstance(type, wp._src.codegen.Struct):
            found |= float_arrays(wp, {f"{name}.{field}": var.type for field, var in type.vars.items()},
                                  {f"{name}.{field}": getattr(values[name], field) for field in type.vars}, gradients)
    return found


def is_moved(row):
    return row["value"] is None and row["low"] is not None and (row["low"] < row["high"] or row["role"] == "input")


def check_outputs(np, recorded, found):
    """Does the kernel in double precision still compute what the record says? Some conversions mean something else there."""
    for row in recorded:
        path = row["name"] if row["field"] is None else f"{row['name']}.{row['field']}"
        numbers = np.array(row["floats"] or [0.0])
        if path in found and row["floats"] and not abs(numbers - found[path].reshape(-1)).max() <= 1e-2 * abs(numbers).max() + row["tolerance"]:
            raise ValueError(f"in double precision, {path} is another one")


def errors(wp, np, kernel, record, recorded, rng):
    """How far the tape is off, relative to the size of the derivative, for each direction that says something; 0: no further than can be told."""
    types, io = {arg.label: arg.type for arg in kernel.adj.args}, io_of(recorded)
    moved = {row["name"] if row["field"] is None else f"{row['name']}.{row['field']}" for row in record["arguments"] if is_moved(row)}

    def launch(step=0.0, direction=None, tape=None):
        values = {name: test_synth_warp.argument(wp, np, type, io["inputs"][name]) for name, type in types.items()}
        found = float_arrays(wp, types, values)
        for path, move in (direction or {}).items():
            found[path][...] += step * move
        before = {path: numbers.copy() for path, numbers in found.items()}
        if tape:
            with tape:
                wp.launch(kernel, dim=io["dim"], inputs=list(values.values()), device="cpu")
        else:
            wp.launch(kernel, dim=io["dim"], inputs=list(values.values()), device="cpu")
        return before, found, values

    tape = wp.Tape()
    before, after, values = launch(tape=tape)
    check_outputs(np, recorded["outputs"], after)
    gradients = float_arrays(wp, types, values, True)
    outputs = [path for path in after if not np.array_equal(before[path], after[path])]
    inputs = [path for path in after if path in moved]
    weights = {path: rng.integers(1, 9, before[path].shape) / 8.0 * rng.choice([-1.0, 1.0], before[path].shape) for path in outputs}
    for path in outputs:
        gradients[path][...] = weights[path]
    tape.backward()
    for _ in range(DIRECTIONS if inputs and outputs else 0):
        # Large inputs are moved further: a small step would be lost in their last digits.
        direction = {path: rng.uniform(-1, 1, before[path].shape) * max(1.0, abs(before[path]).max(initial=0.0)) for path in inputs}
        wide, narrow = (difference(launch(h, direction)[1], launch(-h, direction)[1], weights) / (2 * h) for h in (1e-5, 2.5e-6))
        by_tape = sum(float((gradients[path] * direction[path]).sum()) for path in inputs)
        terms = sum(float(abs(gradients[path] * direction[path]).sum()) for path in inputs)
        is_number = by_tape - by_tape == 0
        # The last digits of the outputs make differences that mean nothing.
        noise = 1e-10 * sum(float(abs(weights[path] * after[path]).sum()) for path in outputs)
        size = max(abs(wide), noise, 1e-9, *([abs(by_tape), 1e-3 * terms] if is_number else []))
        if abs(wide - narrow) <= AGREE * size:
            error = abs(wide - by_tape) / size if is_number else float("inf")
            yield error if error > max(FAR, SURE * abs(wide - narrow) / size) else 0.0


def difference(high, low, weights):
    return sum(float((weight * (high[path] - low[path])).sum()) for path, weight in weights.items())


def judge(wp, np, kernel, record, seed):
    """Does the gradient differ from the true one, and how far? None: it cannot be told."""
    try:
        found = [e for launch in record["launches"] for e in errors(wp, np, kernel, record, launch, np.random.default_rng(seed))]
    except Exception as error:  # something that this tool cannot hand to Warp
        return None, str(error).splitlines()[0][:100]
    return (max(found) > 0, f"{max(found):.2g}") if found else (None, "no launch says anything")


def work_on(path):
    """What a process of its own does: the records of a file are compiled as one module; prints a JSON line with what judge() says of each."""
    task = json.loads(pathlib.Path(path).read_text())
    wp, np = start_warp()
    wp.config.kernel_cache_dir = str(pathlib.Path(path).parent / "cache")
    kernels = load(wp, task["records"], pathlib.Path(path).parent, pathlib.Path(path).stem)
    print(json.dumps([judge(wp, np, kernel, record, task["seed"]) for kernel, record in zip(kernels, task["records"])]))


def judge_batch(records, folder, name, seed):
    """[what judge() says of each]; a kernel that Warp does not compile, or that ends the process, is found by halving."""
    path = pathlib.Path(folder) / f"{name}.json"
    path.write_text(json.dumps({"records": records, "seed": seed}))
    done = subprocess.run([sys.executable, __file__, "--work-on", path], capture_output=True, text=True)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    if len(records) == 1:
        return [(None, f"exit code {done.returncode}: {(done.stderr.splitlines() or [''])[-1][:100]}")]
    half = len(records) // 2
    return judge_batch(records[:half], folder, name + "a", seed) + judge_batch(records[half:], folder, name + "b", seed)


def batches(records, size, folder):
    """Records that weft accepts in double precision; in one batch, no two define the same name."""
    accepted = (record for record in records if is_accepted(record, folder))
    while chosen := list(itertools.islice(accepted, size)):
        yield from test_synth_warp.batches(chosen)


def judge_verdict(pool, drawn, verdict, wanted, folder, options):
    """Prints what came of it; were they as they should be?"""
    matching = (r for r in drawn if r["gradient_verdict"] == verdict and r["launches"])
    differing = judged = untold = 0
    work, running = enumerate(batches(matching, min(options.batch, wanted), folder)), {}
    while judged < wanted:
        for number, batch in itertools.islice(work, options.jobs - len(running)):
            running[pool.submit(judge_batch, batch, folder, f"double_{verdict}_{number}", options.seed)] = batch
        if not running:
            break
        done, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            for record, (differs, why) in zip(running.pop(future), future.result()):
                if judged == wanted:
                    break
                judged += differs is not None
                untold += differs is None
                differing += bool(differs)
                if options.v or (differs is not None and differs != (verdict == "mismatch")):
                    print(f"{record['id']} {record['plan']['scenes'][0]}: {verdict}: {differs} ({why})", flush=True)
    for future in running:
        future.cancel()
    print(f"{verdict}: {differing} of {judged} differ from the true gradient; {untold} could not be told", flush=True)
    return judged == wanted and (differing >= 0.99 * judged if verdict == "mismatch" else not differing)


def main():
    if sys.argv[1:2] == ["--work-on"]:
        return work_on(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="SET")
    parser.add_argument("--mismatches", type=int, default=200)
    parser.add_argument("--passes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=40, help="kernels that are compiled as one module, at most")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="show each record")
    options = parser.parse_args()
    if not reexec_with_warp():
        sys.exit("verdicts.py: there is no Warp here")
    drawn = [json.loads(line) for path in sorted(options.folder.glob("*.jsonl")) for line in path.open()]
    if not drawn or "launches" not in drawn[0]:
        sys.exit(f"verdicts.py: {options.folder} has no whole records: produce it with --full and --no-compress")
    random.Random(options.seed).shuffle(drawn)
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            good = [judge_verdict(pool, drawn, verdict, wanted, folder, options)
                    for verdict, wanted in (("mismatch", options.mismatches), ("pass", options.passes))]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
