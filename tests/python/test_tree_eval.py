#!/usr/bin/env python3
"""The tree evaluator gives the gradients that Warp gives, right or wrong: the 40 kernels of tests/gradients.

expected.json was measured with Warp's own C++; here the region tree runs instead, and the dot product of the inputs'
gradients with the recorded direction must come out. Every kernel of the two files is float64, so only the digits that
were written down limit the comparison.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "tree_run"
WARP = "1.16.0"  # what was measured
TOLERANCE = 2e-8  # nine digits were recorded


def run(path, requests):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(requests, file)
        file.flush()
        done = subprocess.run([TOOL, path, file.name, "--warp", WARP], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tree_run failed ({done.returncode}): {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    if not TOOL.exists():
        print("skipped: tree_run was not built")
        return 77
    expected = json.loads((ROOT / "tests/gradients/expected.json").read_text())
    wrong, checked = [], 0
    for name in ("wrong", "right"):
        kernels = [key for key, entry in expected.items() if entry["verdict"] == name]
        for in_double in (False, True):
            requests = [dict(expected[key]["input"], kernel=key, in_double=in_double) for key in kernels]
            for key, result in zip(kernels, run(ROOT / f"tests/gradients/{name}.py", requests), strict=True):
                checked += 1
                want = expected[key]["warp_grad_dot"]
                got = result.get("warp_grad_dot")
                if got is None:
                    # The reverse pass of a while loop may read past an end; what Warp found there is not in the file.
                    wrong.append(f"{key}: {result['finding']} in the {result.get('pass')} pass: {result['message']}")
                elif abs(got - want) > TOLERANCE * max(1.0, abs(want)):
                    wrong.append(f"{key}{' in double' if in_double else ''}: {got!r}, Warp has {want!r}")
    for line in wrong:
        print(line)
    print(f"{checked - len(wrong)} of {checked} gradients are Warp's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
