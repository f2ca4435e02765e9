#!/usr/bin/env python3
"""Which gradients are wrong in which version of Warp: what `weft check` says of the kernels of tests/gradients for each
version, confirmed with that version's own tape, as tests/gradients/verdicts.json and docs/explanation/gradients.md.

    tools/gradient_versions.py              weft's verdicts are those that are stored, and the page is made from them; needs no Warp
    tools/gradient_versions.py --confirm    and each version's own Warp, where it is installed, gives the same (a minute per version)
    tools/gradient_versions.py --update     writes both files; needs all versions (tools/venv.sh VERSION)

Warp's gradient, times a random direction, is compared with differences of its forward pass, in double precision, on
launches that weft chose: a kernel is wrong if it is on one of them.
"""

import argparse
import ast
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/python")]
import warp_package  # noqa: E402
from records import io_of  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))
FOLDER = ROOT / "tests/gradients"
STORED, PAGE = FOLDER / "verdicts.json", ROOT / "docs/explanation/gradients.md"
FILES = ("right.py", "wrong.py", "found.py", "versions.py")
VERDICTS = {"pass": "right", "mismatch": "wrong"}
# The same kernel as its wrong twin: only these ranges, none of which is empty, make it right.
FLAGS = {"stepped_range": ["--range", "first=0,2", "--range", "last=3,7"]}
SEEDS = (1, 2, 3)  # of the launches that are confirmed
STEP, TOLERANCE = 1e-6, 1e-5


def check(path, version, *flags):
    """{kernel: what weft says of it}"""
    run = [WEFT, "check", path, "--json", "--no-example", "--warp", version, *flags]
    lines = subprocess.run(run, capture_output=True, text=True).stdout.splitlines()
    return {result.get("kernel", result.get("kernel_key")): result for result in map(json.loads, lines)}


def checked(path, version, *flags):
    results = check(path, version, *flags)
    for name in FLAGS.keys() & results.keys():
        results |= check(path, version, *flags, "-k", name, *FLAGS[name])
    return results


def verdict_of(result):
    if "error" in result:
        return "refused"
    return VERDICTS.get(result["gradient"], result["gradient"]) if result["forward"] == "pass" else result["forward"]


def verdicts_of_weft():
    """{file: {kernel: {version: verdict}}}"""
    found = {}
    for file in FILES:
        rows = found[file] = {name: {} for name in kernels_of(file)}
        for version in warp_package.VERSIONS:
            for name, result in checked(FOLDER / file, version).items():
                rows[name][version] = verdict_of(result)
    return found


def kernels_of(file):
    """{kernel: the first sentence of its docstring}, in order."""
    functions = [node for node in ast.parse((FOLDER / file).read_text()).body if isinstance(node, ast.FunctionDef)]
    return {function.name: ast.get_docstring(function).replace("\n", " ") for function in functions}


# ---- Warp itself ----


def launches():
    """{file: {kernel: [launch]}}: inputs and what the outputs are weighted with, from a version that runs it backward."""
    found = {}
    for file in FILES:
        rows = found[file] = {name: [] for name in kernels_of(file)}
        for seed in SEEDS:
            given = {}
            for version in warp_package.VERSIONS:
                for name, result in checked(FOLDER / file, version, "--with-io", "-s", str(seed)).items():
                    io = io_of(result["launches"][0]) if result.get("launches") else {}
                    if len(io) > len(given.get(name, ())):
                        given[name] = io
            for name, io in given.items():
                rows[name].append(io)
    return found


def is_real(wp, type):
    return wp._src.types.is_array(type) and wp._src.types.type_scalar_type(type.dtype) is wp.float64


def is_right(wp, np, kernel, io):
    from test_synth_warp import argument

    types = {arg.label: arg.type for arg in kernel.adj.args}
    real = [name for name, type in types.items() if is_real(wp, type)]
    outputs = [name for name in real if name in io["outputs"]]
    weights = {name: io.get("output_gradients", {}).get(name) or np.ones_like(np.array(io["outputs"][name])) for name in outputs}
    moved = [name for name in real if name in io.get("gradients", set(real) - set(outputs))]
    random = np.random.default_rng(1)
    ways = {name: random.uniform(-1.0, 1.0, np.shape(io["inputs"][name])) for name in moved}

    def launch(step):
        inputs = io["inputs"] | {name: (np.array(io["inputs"][name]) + step * ways[name]).tolist() for name in moved}
        values = {name: argument(wp, np, type, inputs[name]) for name, type in types.items()}
        tape = wp.Tape()
        with tape:
            wp.launch(kernel, dim=io["dim"], inputs=list(values.values()), device="cpu")
        return values, tape

    def weighted(values):
        return sum(float(np.sum(np.array(weights[name]) * values[name].numpy())) for name in outputs)

    slope = (weighted(launch(STEP)[0]) - weighted(launch(-STEP)[0])) / (2 * STEP)
    values, tape = launch(0.0)
    for name in outputs:
        values[name].grad.assign(np.array(weights[name], dtype=np.float64))
    tape.backward()
    got = sum(float(np.sum(ways[name] * values[name].grad.numpy())) for name in moved)
    return math.isfinite(got) and abs(got - slope) <= TOLERANCE * max(1.0, abs(slope))


def compiles(kernel):
    try:
        return kernel.module.load("cpu") is not None
    except Exception:  # whatever it raises: it refuses the kernel
        return False


def measure(chosen):
    """Prints {file: {kernel: verdict}} of the Warp that runs this; kernels that weft refuses stand in modules of their own."""
    import importlib.util

    from test_tree_eval_warp import refused_by_weft, without
    from warp_env import start_warp

    wp, np = start_warp()
    found = {}
    for file, rows in chosen.items():
        text, refused = (FOLDER / file).read_text(), refused_by_weft(FOLDER / file)
        modules = [[name for name in rows if name not in refused], *([name] for name in sorted(refused))]
        for at, names in enumerate(modules):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / f"{file.removesuffix('.py')}_{at}.py"
                path.write_text(without(text, set(rows) - set(names)))
                spec = importlib.util.spec_from_file_location(path.stem, path)
                module = importlib.util.module_from_spec(spec)
                sys.modules[spec.name] = module
                spec.loader.exec_module(module)
                for name in names:
                    kernel = getattr(module, name)
                    verdict = "refused"
                    if compiles(kernel):
                        verdict = "right" if all(is_right(wp, np, kernel, io) for io in rows[name]) else "wrong"
                    found.setdefault(file, {})[name] = verdict
    json.dump(found, sys.stdout)


def verdicts_of_warp(version, chosen):
    """{file: {kernel: verdict}}; None: this version is not installed."""
    warp = warp_package.find_warp(version)
    if not warp:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(chosen, file)
        file.flush()
        run = [warp[0], __file__, "--measure", file.name]
        done = subprocess.run(run, env=os.environ | {"WEFT_WARP": version, "WEFT": WEFT}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"Warp {version}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def disagreements(verdicts):
    """(what Warp says otherwise, versions that are not installed)"""
    chosen, wrong, missing = launches(), [], []
    for version in warp_package.VERSIONS:
        measured = verdicts_of_warp(version, chosen)
        if measured is None:
            missing.append(version)
            continue
        for file, rows in verdicts.items():
            wrong += [f"{name} of {file}: weft says {row[version]} for Warp {version}, which is {measured[file][name]}"
                      for name, row in rows.items() if row[version] != measured[file][name]]
    return wrong, missing


# ---- the page ----


def table(rows):
    versions = warp_package.VERSIONS
    lines = [f"| kernel | what | {' | '.join(v.removesuffix('.0') for v in versions)} |", f"| --- | --- | {' | '.join('---' for _ in versions)} |"]
    for file, name, row in rows:
        cells, before = [], None
        for version in versions:
            changed = before not in (None, row[version])
            cells.append(f"**{row[version]}**" if changed else row[version])
            before = row[version]
        lines.append(f"| `{name}` ({file}) | {kernels_of(file)[name]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page(verdicts):
    rows = [(file, name, row) for file, kernels in verdicts.items() for name, row in kernels.items()]
    changed = [row for row in rows if len(set(row[2].values())) > 1]
    wrong = [row for row in rows if set(row[2].values()) == {"wrong"}]
    right = [row for row in rows if set(row[2].values()) == {"right"}]
    counts = ", ".join(f"{v.removesuffix('.0')}: {sum(row[2][v] == 'wrong' for row in rows)}" for v in warp_package.VERSIONS)
    return f"""# Gradients that Warp gets wrong, by version

Written by `tools/gradient_versions.py --update`: what `weft check --warp VERSION` says of the {len(rows)} kernels of
[tests/gradients](../../tests/gradients), each confirmed with that version's own tape on its CPU back end, against differences of its
forward pass in double precision. Wrong ones: {counts}. A verdict that differs from the version before is set in bold.

## What changed

{table(changed)}

## Wrong in every version

{table(wrong)}

## Right in every version

{", ".join(f"`{name}`" for _, name, _ in right)}: the twins of wrong ones.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--confirm", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--measure", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return measure(json.loads(pathlib.Path(options.measure).read_text()))
    verdicts = verdicts_of_weft()
    problems, missing = disagreements(verdicts) if options.confirm or options.update else ([], [])
    if options.update and not problems and not missing:
        STORED.write_text(json.dumps(verdicts, indent=1) + "\n")
        PAGE.write_text(page(verdicts))
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    for file, rows in verdicts.items():
        for name, row in rows.items():
            if stored.get(file, {}).get(name) != row:
                problems.append(f"{name} of {file}: weft says {row}, stored is {stored.get(file, {}).get(name)}")
    if not PAGE.exists() or PAGE.read_text() != page(verdicts):
        problems.append(f"{PAGE.relative_to(ROOT)} is not what tools/gradient_versions.py --update writes")
    for line in problems:
        print(line)
    for version in missing:
        print(f"Warp {version} is not installed: not confirmed (tools/venv.sh {version})")
    print(f"{sum(len(rows) for rows in verdicts.values())} kernels, {len(warp_package.VERSIONS)} versions, {len(problems)} problems")
    return 1 if problems or (options.update and missing) else 0


if __name__ == "__main__":
    sys.exit(main())
