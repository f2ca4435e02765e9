#!/usr/bin/env python3
"""Gradients that are not finite where all values are: `weft check` calls them so, with the place, and Warp computes them so on the CPU.
Defined twins, true domain errors and derivatives that are infinite are no such findings."""

import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from test_synth_warp import argument
from warp_env import ROOT, WEFT, reexec_with_warp, start_warp, wanted_version

FILE = ROOT / "tests/gradients/undefined.py"
LINES = {"root_of_side": "wp.sqrt(a[i] - 0.6), 0.0)", "power_of_side": "wp.pow", "quotient_of_side": "a[i] / rest,",
         "root_compared": "root = wp.sqrt", "own_distance": "wp.sqrt(wp.dot", "root_of_first_thread": "float(i) * a[i]"}  # fmt: skip
HEAD = "import warp as wp\n\n\n@wp.kernel\ndef k(a: wp.array(dtype=float), out: wp.array(dtype=float)):\n    i = wp.tid()\n"
OTHERS = """@wp.struct
class Pair:
    a: wp.array(dtype=float)
    out: wp.array(dtype=float)
    flag: bool


@wp.func
def put(out: wp.array(dtype=float), i: int, value: float):
    out[i] = value


"""
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")


def check(path, *flags):
    done = subprocess.run([WEFT, "check", path, "--warp", wanted_version(), "--json", *flags], capture_output=True, text=True)
    return done.returncode, {row["kernel"]: row for row in map(json.loads, done.stdout.splitlines())}


def is_undefined(row):
    return any(finding["kind"] == "gradient-undefined" and finding["pass"] == "backward" for finding in row["findings"])


def test_verdicts():
    code, rows = check(FILE)
    lines = FILE.read_text().splitlines()
    expect(code == 1, f"exit code {code}")
    for name, row in rows.items():
        expect(row["forward"] == "pass" and "launched_with" not in row, f"{name}: not judged on the usual launch: {row}")
        if name.endswith("_defined"):
            expect(row["gradient"] == "pass" and not row["findings"], f"{name}: {row}")
            continue
        expect(row["gradient"] == "mismatch" and is_undefined(row), f"{name}: {row}")
        expect(row["why"]["pattern"] == "gradient-undefined" and "if statement" in row["why"]["rewrite"], f"{name}: {row['why']}")
        for line in (row["why"]["line"], row["findings"][0]["line"]):
            expect(LINES[name] in lines[line - 1], f"{name}: line {line}: {lines[line - 1]}")
        expect(math.isfinite(row["true_dot"]) and row["warp_dot"] is None, f"{name}: {row}")
    expect(sum(map(is_undefined, rows.values())) == len(LINES), f"{rows.keys()}")
    _, rows = check(FILE, "-k", "root_of_side", "--set", "a=0.25")
    expect(is_undefined(rows["root_of_side"]), f"inputs that are set: {rows}")


def test_texts():
    with tempfile.TemporaryDirectory() as folder:
        sarif = pathlib.Path(folder, "out.sarif")
        done = subprocess.run([WEFT, "check", FILE, "-k", "root_of_side", "--sarif", sarif], capture_output=True, text=True)
        expect(done.returncode == 1 and "UNDEFINED" in done.stdout and "square root of -" in done.stdout, done.stdout)
        result = json.loads(sarif.read_text())["runs"][0]["results"][0]
        line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        expect(result["ruleId"] == "gradient-undefined" and LINES["root_of_side"] in FILE.read_text().splitlines()[line - 1], result)


def kernel_of(parameters, body):
    return HEAD.replace("a: wp.array(dtype=float), out: wp.array(dtype=float)", parameters) + body


def test_zero_over_zero():
    """Outputs that keep the value which they had, zero, and flags and counts that drop what the usual launch computes."""
    usual, root = "a: wp.array(dtype=float), out: wp.array(dtype=float)", "wp.sqrt(a[i] - 0.6)"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "k.py")
        for parameters, body in (
            (usual + ", n: int", f"    out[i] = wp.where(n > 100, {root}, 0.0)\n"),
            (usual + ", n: int", f"    wp.atomic_add(out, 0, wp.where(n > 100, {root}, 0.0))\n"),
            (usual + ", n: int", f"    put(out, i, wp.where(n > 100, {root}, 0.0))\n"),
            (usual + ", n: int, sum: wp.array(dtype=float)", f"    sum[i] = a[i] * 2.0\n    out[i] = wp.where(n > 100, {root}, 0.0)\n"),
            (usual + ", n: int", f"    out[i] = wp.where(n < 100, {root}, a[i])\n"),
            (usual + ", flag: bool", f"    out[i] = wp.where(flag, {root}, 0.0)\n"),
            ("p: Pair", f"    p.out[i] = wp.where(p.flag, {root.replace('a[', 'p.a[')}, 0.0)\n"),
            (usual + ", flag: bool", f"    if flag:\n        out[i] = a[i] * a[i]\n    else:\n        out[i] = wp.where(a[i] > 0.6, {root}, 0.0)\n"),
        ):
            path.write_text(kernel_of(parameters, body).replace("@wp.kernel", OTHERS + "@wp.kernel"))
            code, rows = check(path)
            row = rows["k"]
            expect(code == 1 and is_undefined(row) and ("example" in row or "p: Pair" in parameters), f"{body}: {row}")
            expect("valid_with" not in row["findings"][0], f"{body}: the launch is valid: {row['findings']}")
            again = check(path, *row.get("launched_with", "").split())
            expect(again[0] == 1 and is_undefined(again[1]["k"]), f"{body}: not shown by {row.get('launched_with')}")
        for parameters, body in (
            (usual + ", n: int", "    out[i] = wp.where(n > 100, a[i], 0.0)\n"),
            (usual + ", flag: bool", f"    if flag:\n        out[i] = {root}\n"),
            (usual + ", n: int", f"    if n < 100:\n        out[i] = {root}\n"),
        ):
            path.write_text(kernel_of(parameters, body))
            code, rows = check(path)
            expect(code == 0 and rows["k"]["gradient"] == "pass", f"{body}: {rows['k']}")


def test_no_false_alarm():
    """An output that is not a number, or a derivative that does not exist, is a matter of the inputs."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "k.py")
        for body, flags in (
            ("    out[i] = wp.sqrt(a[i] - 0.6)\n", ()),
            ("    out[i] = wp.where(a[i] > 0.6, 0.0, wp.sqrt(a[i] - 0.6))\n", ()),
            ("    out[i] = 1.0 / wp.floor(a[i])\n", ()),
            ("    out[i] = wp.sqrt(a[i])\n", ("--range", "a=0,0")),
            ("    out[i] = wp.sqrt(a[i])\n", ("--set", "a=0")),
            ("    out[i] = wp.sqrt(a[i]) + 1.0\n", ("--set", "a=0")),
        ):
            path.write_text(HEAD + body)
            _, rows = check(path, *flags)
            expect(not is_undefined(rows["k"]) and rows["k"]["gradient"] != "mismatch", f"{body} {flags}: {rows['k']}")


def confirm(wp, np, kernel, example):
    """Warp's values are finite on the smallest example, its gradient is not."""
    dim = [int(n) for n in re.search(r"--dim ([\d,]+)", example["flags"])[1].split(",")]
    values = {arg.label: argument(wp, np, arg.type, example["inputs"][arg.label]) for arg in kernel.adj.args}
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=dim, inputs=list(values.values()), device="cpu")
    out = values["out"]
    expect(np.isfinite(out.numpy()).all(), f"{kernel.key}: {out.numpy()}")
    out.grad = wp.array(np.ones_like(out.numpy()), dtype=out.dtype, device="cpu")
    tape.backward()
    source = next(name for name in values if name != "out")
    expect(not np.isfinite(values[source].grad.numpy()).all(), f"{kernel.key}: Warp's gradient is finite: {values[source].grad.numpy()}")


def test_warp():
    wp, np = start_warp()
    spec = importlib.util.spec_from_file_location("gradients_undefined", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    _, rows = check(FILE)
    for name in LINES:
        confirm(wp, np, getattr(module, name), rows[name]["example"])


def main():
    has_warp = reexec_with_warp()
    test_verdicts()
    test_texts()
    test_zero_over_zero()
    test_no_false_alarm()
    if has_warp:
        test_warp()
    elif "WEFT_REEXEC" not in os.environ:
        print("Warp is not installed: not confirmed by it")
    print("failed" if failures else "ok")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
