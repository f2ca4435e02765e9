#!/usr/bin/env python3
"""Wrong gradients of kernels with tiles: the pattern that is named for each, and that the twins are right (tests/tiles/gradients.py)."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "weft"
KERNELS = ROOT / "tests" / "tiles" / "gradients.py"
WRONG = {
    "largest_of_tile": "tile-reduction", "product_of_tile": "tile-reduction", "running_sums": "tile-scan", "shifted_diagonal": "tile-solve",
    "backward_substitution": "tile-solve", "squared_then_transposed": "tile-transposed", "squared_tile_in_place": "element-rewritten",
}  # fmt: skip
BEFORE_1_19 = {**WRONG, "sums_of_rows": "tile-sum-axis"}


def verdicts(version):
    done = subprocess.run([WEFT, "check", KERNELS, "--json", "--no-example", "-q", "--warp", version], capture_output=True, text=True)
    return {record["kernel"]: record for record in map(json.loads, done.stdout.splitlines())}


def main():
    problems = []
    for version, wrong in (("1.19", WRONG), ("1.18", BEFORE_1_19)):
        found = verdicts(version)
        for name, record in found.items():
            pattern = (record.get("why") or {}).get("pattern")
            if record["gradient"] != ("mismatch" if name in wrong else "pass") or pattern != wrong.get(name):
                problems.append(f"{version}, {name}: {record['forward']}, gradient {record['gradient']}, {pattern}; {wrong.get(name)} is expected")
        if len(found) != 13:
            problems.append(f"{version}: {len(found)} kernels")
    print("\n".join(problems) or "every pattern is named, every twin is right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
