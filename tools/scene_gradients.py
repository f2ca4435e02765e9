#!/usr/bin/env python3
"""Which invented kernels have a gradient that Warp computes rightly, by category and by scene.

    weft produce -n 3000 -s 1 --launches 0 --gradients marked --no-compress --no-readable -o set
    tools/scene_gradients.py set/*.jsonl [--scenes] [--marks]

Shares are of all kernels, and of those with a floating output. `--scenes` lists scenes by how many of their kernels are wrong.
`--marks` compares the scenes with their `lossy=True`: which have it and are mostly right, which lack it and are mostly wrong; the
exit code is 1 if there are any. A scene is judged by at least 8 kernels that it is alone in."""

import argparse
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = ROOT / "src/synth/meaning/scenes"
LEAST, MOSTLY = 8, 0.7
VERDICTS = ("pass", "mismatch", "none")


def read_records(paths):
    for path in paths:
        with open(path) as lines:
            for line in lines:
                record = json.loads(line)
                yield record["category"], record["plan"]["scenes"], record["gradient_verdict"], has_floating_output(record), record["has_backward"]


def has_floating_output(record):
    written = [a["type"] for a in record["arguments"] if a["role"] in ("output", "inout", "sum")]
    return any(re.search(r"float|vec\d+[fdh]|mat\d+[fdh]|quat|transform|spatial|dtype=vec\d\b|length=", t) for t in written)


def marked_scenes():
    """The scenes with lossy=True."""
    marked = set()
    for path in SCENES.glob("*.py"):
        for head, name in re.findall(r"^(@scene\(.*?)\ndef (\w+)\(", path.read_text(), re.M | re.S):
            if "lossy=True" in head:
                marked.add(name)
    return marked


def shares(counts):
    total = sum(counts.values()) or 1
    return "  ".join(f"{verdict} {100 * counts[verdict] / total:5.1f}" for verdict in VERDICTS)


def print_shares(records):
    everything, floating = collections.Counter(), collections.Counter()
    categories, proven = collections.defaultdict(collections.Counter), 0
    for category, _, verdict, floats, backward in records:
        proven += backward and verdict != "mismatch"
        everything[verdict] += 1
        floating[verdict] += floats
        categories[category][verdict] += 1
    total = sum(everything.values())
    print(f"{'all':20}{total:7}  {shares(everything)}")
    print(f"{'floating outputs':20}{sum(floating.values()):7}  {shares(floating)}")
    print(f"backward text without a wrong gradient: {100 * proven / total:.1f} %")
    for category, counts in sorted(categories.items(), key=lambda row: -row[1]["mismatch"] / sum(row[1].values())):
        print(f"{category:20}{sum(counts.values()):7}  {shares(counts)}")


def by_scene(records):
    scenes = collections.defaultdict(collections.Counter)
    for _, names, verdict, _, _ in records:
        if len(names) == 1:
            scenes[names[0]][verdict] += 1
    return scenes


def wrong_marks(scenes, marked):
    """(lacks the mark, has it and should not): scenes that enough kernels tell about."""
    known = {name: counts["mismatch"] / sum(counts.values()) for name, counts in scenes.items() if sum(counts.values()) >= LEAST}
    lacking = sorted(name for name, share in known.items() if share >= MOSTLY and name not in marked)
    needless = sorted(name for name, share in known.items() if share < 1 - MOSTLY and name in marked)
    return lacking, needless


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="+", type=pathlib.Path)
    parser.add_argument("--scenes", action="store_true")
    parser.add_argument("--marks", action="store_true")
    options = parser.parse_args()
    records = list(read_records(options.records))
    print_shares(records)
    scenes = by_scene(records)
    print(f"{len(scenes)} scenes alone in a kernel")
    if options.scenes:
        for name, counts in sorted(scenes.items(), key=lambda row: (-row[1]["mismatch"], row[0])):
            print(f"{name:32}{sum(counts.values()):5}  {shares(counts)}")
    if not options.marks:
        return 0
    lacking, needless = wrong_marks(scenes, marked_scenes())
    print("lack lossy=True:", *lacking)
    print("need no lossy=True:", *needless)
    return 1 if lacking or needless else 0


if __name__ == "__main__":
    sys.exit(main())
