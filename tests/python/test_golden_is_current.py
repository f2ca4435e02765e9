#!/usr/bin/env python3
"""The golden set says what the installed Warp writes today: every row of expected.jsonl.zst is made again and compared."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import conformance  # noqa: E402
import warp_package  # noqa: E402

# Their names hold what was built before them: Warp itself gives another one each time.
UNSTABLE = {("errors.py", "component_of_constant_vector")}


def main():
    warp = warp_package.find_warp()
    if not warp:
        print(f"skipped: Warp {warp_package.VERSION} is not installed (tools/venv.sh)")
        return 77
    expected = conformance.golden_rows(conformance.golden_path(warp_package.VERSION))
    made = subprocess.run(
        [warp[0], ROOT / "tools" / "warp_oracle.py", *sorted(expected)],
        cwd=conformance.GOLDEN,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    rows, changed = [json.loads(line) for line in made.stdout.splitlines()], 0
    for file, want in sorted(expected.items()):
        got = [row for row in rows if row["file"] == file]
        if [row["kernel"] for row in got] != [row["kernel"] for row in want]:
            changed += 1
            print(f"{file}: other kernels than expected")
            continue
        for a, b in zip(want, got, strict=True):
            fields = [f for f in sorted(a.keys() | b.keys()) if a.get(f) != b.get(f) and f != "error"]
            if (file, a["kernel"]) in UNSTABLE:
                continue
            if fields or ("error" in a) != ("error" in b):
                changed += 1
                print(f"{file} {a['kernel']}: {', '.join(fields) or 'refused or not'} changed")
    print(f"{len(rows)} rows made by Warp {warp_package.VERSION}, {changed} changes")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
