#!/usr/bin/env python3
"""No record of a split looks like one of another, and that is so for any threads, interruption and division."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import test_produce
from test_produce import ROOT, check, contents, weft

# One category: many kernels that look alike. Splits of the same size: without a rule, two that do are rarely in the same one.
NEAR = ["-n", "700", "-s", "11", "-c", "glue", "--no-verify", "--no-backward", "--splits", "50,25,25", "--shard-rows", "100", "--checkpoint", "150"]


def find_leaks(folder):
    """None where this machine lacks what the tool needs."""
    done = subprocess.run([sys.executable, ROOT / "tools/leakage.py", folder], capture_output=True, text=True)
    return None if "numpy is needed" in done.stderr else done.returncode, done.stdout + done.stderr


def check_sizes(folder, counters):
    """What the card says about splits and tokens, counted once more."""
    card, sizes = (folder / "README.md").read_text(), {}
    for split, rows in counters["by_split"].items():
        lines = [line for path in folder.glob(f"{split}-*") for line in
                 subprocess.run(["zstd", "-dcq", path], capture_output=True, text=True).stdout.splitlines()]
        check(len(lines) == rows and f"- name: {split}\n    num_bytes: {sum(len(line.encode()) for line in lines)}\n    num_examples: {rows}\n" in card,
              f"{split}: the card has another size")
        for record in map(json.loads, lines):
            for column in counters["texts"]:
                size = sizes.setdefault(column, {"bytes": 0, "tokens": 0})
                size["bytes"] += len((record.get(column) or "").encode())
                size["tokens"] += len(re.findall(r"\w+|[^\w\s]", record.get(column) or ""))
    check(sizes == counters["texts"], f"{sizes}, the manifest has {counters['texts']}")
    check(f"| `python_source` | {sizes['python_source']['bytes']} | {sizes['python_source']['tokens']} |" in card, "the card has other tokens")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-splits-") as name:
        work = pathlib.Path(name)
        done = weft("produce", "-o", work / "one", *NEAR, "-j", 1)
        check(done.returncode == 0, done.stderr)
        counters = json.loads((work / "one/manifest.json").read_text())["counters"]
        check(counters["rejected"].get("between-splits", 0) > 4, f"too few of them are alike: {counters['rejected']}")
        check(min(counters["by_split"].values()) > 100, f"a split is nearly empty: {counters['by_split']}")
        check_sizes(work / "one", counters)
        code, said = find_leaks(work / "one")
        check(code in (0, None), f"records of two splits are alike: {said}")

        done = weft("produce", "-o", work / "many", *NEAR, "-j", 3)
        check(contents(work / "one") == contents(work / "many"), f"-j 3 writes other bytes: {done.stderr}")

        for i in (1, 2, 3):
            weft("produce", "-o", work / f"piece{i}", *NEAR, "--shard", f"{i}/3")
        done = weft("merge", *(work / f"piece{i}" for i in (1, 2, 3)), "-o", work / "merged")
        check(contents(work / "one") == contents(work / "merged"), f"pieces give other bytes: {done.stderr}")

        done = weft("validate", work / "one")
        check(done.returncode == 0 and ": 0 wrong, 0 problems" in done.stdout, done.stdout + done.stderr)

        # The measure itself sees what is there to see.
        weft("produce", "-o", work / "all", *NEAR[:6], "--no-verify", "--no-backward", "--no-compress")
        lines = (work / "all/train-00000-of-00001.jsonl").read_text().splitlines(True)
        (work / "leaky").mkdir()
        for split, part in (("train", lines[::2]), ("test", lines[1::2])):
            (work / f"leaky/{split}-00000-of-00001.jsonl").write_text("".join(part))
        code, said = find_leaks(work / "leaky")
        check(code in (1, None), f"alternating records have no neighbours: {said}")
    if code is None and not test_produce.failures:
        print(f"skipped: all but what tools/leakage.py finds was right, and {said.strip()}")
        return 77
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
