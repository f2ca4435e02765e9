#!/usr/bin/env python3
"""weft check on kernels with tiles: launches are found for nearly all of them, and what is said about a launch counts."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "weft"
KERNELS = ROOT / "tests" / "tiles" / "tiles_golden.py"

# Launched otherwise than usual, with what.
OTHERWISE = {
    "cholesky": "--definite a",
    "cholesky_upper": "--definite a",
    "cholesky_in_place": "--definite a",
    "cholesky_in_place_upper": "--definite a",
    "element_scatter_two": "--dim 1,4 --block-dim 4",  # a tile of four columns, scattered into by eight lanes
    "lean_launch": "--dim 2,4 --block-dim 4",  # other lanes return before a tile operation
}
# No verdict, and why.
UNSUPPORTED = {"query_boxes", "query_ray", "query_mesh", "query_old_names", "function_native", "structs_with_structs", "function_custom_gradient"}
BROKEN = {"broken_map_overloads"}  # Warp's own C++ does not compile: two overloads are mixed


def check(*flags):
    done = subprocess.run([WEFT, "check", KERNELS, "--json", "--no-example", "-q", *flags], capture_output=True, text=True)
    return {record["kernel"]: record for record in map(json.loads, done.stdout.splitlines())}, done


def main():
    wrong = []
    records, _ = check()
    without = {name: record for name, record in records.items() if record["forward"] != "pass"}
    for name, record in without.items():
        if name not in UNSUPPORTED | BROKEN:
            wrong.append(f"{name}: {record['forward']} {record['findings']}")
        if record["gradient"] == "mismatch":
            wrong.append(f"{name}: a gradient is called wrong that was not computed")
    for name, flags in OTHERWISE.items():
        if [finding.get("valid_with") for finding in records[name]["findings"]] != [flags]:
            wrong.append(f"{name} is launched with {records[name]['findings']}, not {flags}")
    print(f"{len(records) - len(without)} of {len(records)} kernels have a verdict")
    if len(records) - len(without) < 142:
        wrong.append("too few verdicts")

    (record,) = check("-k", "softmax", "--with-io")[0].values()
    launch = record["launches"][0]
    shapes = {row["name"]: row["shape"] for row in launch["inputs"]}
    if launch["dim"] != [2, 8] or shapes != {"a": [2, 16], "out": [2, 16]}:
        wrong.append(f"softmax is launched with {launch['dim']} on {shapes}")
    (record,) = check("-k", "softmax", "--dim", "3,4", "--block-dim", "4", "--shape", "a=3,16", "--shape", "out=3,16", "--with-io")[0].values()
    if record["launches"][0]["dim"] != [3, 4]:
        wrong.append(f"--dim 3,4 gives {record['launches'][0]['dim']}")
    (record,) = check("-k", "softmax", "--dim", "3", "--block-dim", "4")[0].values()
    if [finding["kind"] for finding in record["findings"]] != ["not-uniform"]:
        wrong.append(f"3 threads in blocks of 4: {record['findings']}")
    (record,) = check("-k", "thread_values", "--block-dim", "16")[0].values()
    if record["forward"] != "pass":
        wrong.append(f"thread_values in blocks of 16: {record['findings']}")
    if check("--block-dim", "2000")[1].returncode != 2:
        wrong.append("--block-dim 2000 is accepted")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
