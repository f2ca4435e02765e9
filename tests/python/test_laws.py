#!/usr/bin/env python3
"""Every law of src/synth/meaning (but private ones, which are parts of a scene and tested with it), against an independent reference from the textbook (tests/meaning/reference).

Each law is run on 100 random inputs in the ranges of its quantities (and where its `needs` hold): by a plain Python reading of
its text in double precision, which must agree with the reference to many digits, and by Warp on the CPU, which must agree to the
precision of its floats. Then the test tests itself: single constants and operators of the laws are changed in memory, and at
least 95 % of these wrong laws must be noticed.

    test_laws.py [NAME...] [--no-warp] [-v]      -v lists the ranges of results and the mutants that were not noticed
"""

import argparse
import ast
import copy
import importlib.util
import math
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/meaning")]

from warp_env import reexec_with_warp

INPUTS = 100
EXACT, SINGLE = 1e-9, 2e-3
NOTICED = 0.95


def references():
    found = {}
    for path in sorted((ROOT / "tests/meaning/reference").glob("*.py")):
        spec = importlib.util.spec_from_file_location("reference_" + path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.update({n: f for n, f in vars(module).items() if callable(f) and not n.startswith("_")})
    return found


def inputs_of(law, quantities, rng):
    """INPUTS lists of arguments for which the law is defined."""
    condition = law.condition() if law.needs else None
    inputs = []
    for _ in range(200 * INPUTS):
        values = [quantities[q].draw(rng) for _, q in law.parameters]
        if condition is None or condition(*values):
            inputs.append(values)
        if len(inputs) == INPUTS:
            return inputs
    raise SystemExit(f"{law.name}: its conditions hold for {len(inputs)} of {200 * INPUTS} random inputs")


def differs(np, got, expected, tolerance, floor=0.0):
    """By more than the tolerance of the larger of the numbers; a NaN differs from everything."""
    got, expected = np.atleast_1d(np.asarray(got, float)), np.atleast_1d(np.asarray(expected, float))
    if got.shape != expected.shape:
        got, expected = got.ravel(), expected.ravel()
    scale = max(float(np.max(np.abs(expected))), floor)
    with np.errstate(all="ignore"):
        return got.shape != expected.shape or not bool(np.all(np.abs(got - expected) <= tolerance * scale + 1e-300))


def as_parts(law, value):
    return list(value) if len(law.results) > 1 else [value]


def check_values(np, law, function, reference, inputs):
    tolerance = getattr(reference, "tolerance", EXACT)
    for values in inputs:
        got, expected = as_parts(law, function(*values)), as_parts(law, reference(*values))
        for part, truth in zip(got, expected):
            if differs(np, part, truth, tolerance, 1e-3 * tolerance_scale(np, values)):
                return f"{law.name}{tuple(values)} is {part}; the reference says {truth}"
    return None


def tolerance_scale(np, values):
    return max([1e-6] + [min(float(np.max(np.abs(v))), 1.0) for v in values])


# ---- mutants ----


def mutants(law):
    """(what was changed, body) for each constant and operator of a law."""
    def is_number(n):
        return isinstance(n, ast.Constant) and isinstance(n.value, (int, float)) and not isinstance(n.value, bool)

    swaps = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
    nodes = [n for s in law.node.body for n in ast.walk(s)]
    for place, node in enumerate(nodes):
        if not is_number(node) and not (isinstance(node, ast.BinOp) and type(node.op) in swaps):
            continue
        body = copy.deepcopy(law.node.body)
        other = [n for s in body for n in ast.walk(s)][place]
        if is_number(node):
            other.value = node.value + 1 if isinstance(node.value, int) else node.value * 1.25 + 0.01
            yield f"{node.value} becomes {other.value}", body
        else:
            other.op = swaps[type(node.op)]()
            yield f"{ast.unparse(node)} becomes {ast.unparse(other)}", body


def notices(np, law, book, body, reference, inputs):
    try:
        return check_values(np, law, law.function(book, body), reference, inputs) is not None
    except (ArithmeticError, ValueError, IndexError, TypeError):
        return True


def check_mutants(np, laws, book, table, inputs, verbose):
    made = noticed = 0
    blind = []
    for law in laws:
        first = 0
        for what, body in mutants(law):
            if first == 6:
                break
            first += 1
            made += 1
            if notices(np, law, book, body, table[law.name], inputs[law.name]):
                noticed += 1
            else:
                blind.append(f"{law.name}: {what}")
    if verbose:
        print("\n".join("not noticed: " + b for b in blind))
    print(f"{noticed} of {made} wrong laws were noticed ({100 * noticed / max(made, 1):.1f} %)")
    return noticed >= NOTICED * made


# ---- Warp ----


def run_in_warp(np, lawbook, laws, quantities, inputs):
    """The results of all laws, computed by Warp on the CPU in single precision."""
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "laws_in_warp.py"
        path.write_text(lawbook.warp_source(laws, quantities))
        wp.config.kernel_cache_dir = folder
        wp.init()
        spec = importlib.util.spec_from_file_location("laws_in_warp", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["laws_in_warp"] = module
        spec.loader.exec_module(module)
        wp.set_module_options({"enable_backward": False}, module)
        for law in laws:
            arrays = [wp.array(np.array([v[i] for v in inputs[law.name]]), dtype=warp_dtype(wp, quantities[q]), device="cpu")
                      for i, (_, q) in enumerate(law.parameters)]
            outputs = [wp.zeros(INPUTS, dtype=warp_dtype(wp, quantities[q]), device="cpu") for q in law.results]
            wp.launch(getattr(module, "run_" + law.name), INPUTS, inputs=arrays + outputs, device="cpu")
            results[law.name] = [o.numpy() for o in outputs]
    return results


def warp_dtype(wp, quantity):
    return {"float": wp.float32, "int": wp.int32}.get(quantity.type) or getattr(wp, quantity.type)


def check_warp(np, laws, table, inputs, results):
    """Single precision differs where terms cancel or a comparison is close: nine of ten inputs must agree, and their median well."""
    bad = []
    for law in laws:
        off, worst = 0, None
        tolerance = max(SINGLE, getattr(table[law.name], "tolerance", 0.0))
        for i, values in enumerate(inputs[law.name]):
            expected = as_parts(law, table[law.name](*values))
            got = [part[i] for part in results[law.name]]
            if any(differs(np, g, e, tolerance, 1e-2 * tolerance_scale(np, values)) for g, e in zip(got, expected)):
                off, worst = off + 1, f"{law.name}{tuple(values)}: Warp says {got}, the reference {expected}"
        if off > INPUTS // 20:
            bad.append(f"{off} of {INPUTS} differ: {worst}")
    return bad


# ---- all ----


def describe_ranges(np, law, book, quantities, inputs):
    for q, values in zip(law.results, zip(*[as_parts(law, book[law.name](*v)) for v in inputs])):
        flat = np.concatenate([np.ravel(v) for v in values])
        low, high = np.percentile(flat, [5, 95])
        quantity = quantities[q]
        far = high > 3 * max(abs(quantity.high), abs(quantity.low)) or low < -3 * max(abs(quantity.high), abs(quantity.low))
        if far:
            print(f"range: {law.name} gives {q} {low:.3g} to {high:.3g}, which is said to be {quantity.low} to {quantity.high}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--no-warp", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if not reexec_with_warp():
        print("skipped: Warp (and numpy, which comes with it) is not installed")
        return 77
    import numpy as np

    import lawbook

    quantities, everything, table = lawbook.read_quantities(), lawbook.read_laws(), references()
    laws = [l for l in everything if (not options.names and not l.private) or l.name in options.names]
    problems = [f"{l.name}: no reference in tests/meaning/reference" for l in laws if l.name not in table]
    names = [l.name for l in everything]
    problems += [f"{n}: defined twice" for n in sorted(set(names)) if names.count(n) > 1]
    for law in laws:
        problems += [f"{law.name}: there is no quantity '{q}'" for _, q in law.parameters if q not in quantities]
        problems += [f"{law.name}: there is no quantity '{q}'" for q in law.results if q not in quantities]
    if problems:
        print("\n".join(problems))
        return 1
    book = lawbook.callables(everything)
    rng = np.random.default_rng(14)
    inputs = {l.name: inputs_of(l, quantities, rng) for l in laws}
    for law in laws:
        try:
            problem = check_values(np, law, book[law.name], table[law.name], inputs[law.name])
        except Exception as error:
            problem = f"{law.name}: {type(error).__name__}: {error}"
        if problem:
            problems.append(problem)
    if options.verbose:
        for law in laws:
            describe_ranges(np, law, book, quantities, inputs[law.name])
    print("\n".join(problems) + ("\n" if problems else "") + f"{len(laws) - len(problems)} of {len(laws)} laws agree with their references")
    good = not problems and check_mutants(np, laws, book, table, inputs, options.verbose)
    if not options.no_warp and not problems:
        bad = check_warp(np, laws, table, inputs, run_in_warp(np, lawbook, laws, quantities, inputs))
        print("\n".join(bad) + ("\n" if bad else "") + f"{len(laws) - len(bad)} of {len(laws)} laws agree when Warp runs them")
        good = good and not bad
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
