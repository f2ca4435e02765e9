#!/usr/bin/env python3
"""The AST evaluator's derivatives are the true ones: all kernels of tests/gradients, against measured differences.
And it survives any kernel: those of the golden set, on inputs that fit or do not."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
TOLERANCE = 1e-6


def main():
    folder = ROOT / "tests" / "gradients"
    expected = json.loads((folder / "expected.json").read_text())
    seen, failures = set(), 0
    for name in ("wrong.py", "right.py"):
        command = [BUILD / "ast_run", folder / name, folder / "expected.json"]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            result = json.loads(line)
            kernel = result["kernel"]
            seen.add(kernel)
            if result["finding"]:
                print(f"{kernel}: {result['finding']} at line {result['line']}: {result['message']}")
                failures += 1
                continue
            true = expected[kernel]["true_dot"]
            error = abs(result["true_dot"] - true) / max(abs(true), 1e-12)
            if error > TOLERANCE:
                print(f"{kernel}: {result['true_dot']:.9g}, expected {true:.9g} (off by {error:.2g})")
                failures += 1
    for kernel in sorted(set(expected) - seen):
        print(f"{kernel}: was not run")
        failures += 1
    print(f"{len(seen)} kernels, {failures} failures")
    runs = 0
    for path in sorted((ROOT / "tests" / "golden").glob("*.py")):
        run = subprocess.run([BUILD / "ast_run", path, "--smoke"], capture_output=True, text=True)
        runs += len(run.stdout.splitlines())
        if run.returncode:
            print(f"{path.stem}: ast_run --smoke failed ({run.returncode}): {run.stderr[-1000:]}")
            failures += 1
    print(f"{runs} runs of golden kernels")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
