#!/usr/bin/env python3
"""Writes docs/gallery.md: one kernel of each category but the last, chosen by index alone.

    tools/gallery.py [--weft build/weft] [--seed 1] [--start 0] > docs/gallery.md
"""

import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", default=str(ROOT / "build" / "weft"))
    parser.add_argument("--seed", default="1")
    parser.add_argument("--start", default="0")
    args = parser.parse_args()
    listed = subprocess.run([args.weft, "synth", "--list"], check=True, capture_output=True, text=True).stdout
    categories = [line.split()[0] for line in listed.splitlines() if line.split()[0] != "combined"][:20]
    print("# Gallery\n")
    print("Twenty kernels, one of each of twenty categories, as they came: nothing was picked or edited. Written by\n")
    print(f"    python3 tools/gallery.py --seed {args.seed} --start {args.start} > docs/gallery.md\n")
    print("which asks for one sample of each, the index one higher from category to category:")
    print(f"`weft synth -n 1 -c CATEGORY -s {args.seed} --start INDEX`.")
    for index, category in enumerate(categories, int(args.start)):
        command = [args.weft, "synth", "-n", "1", "-c", category, "-s", args.seed, "--start", str(index), "--json"]
        record = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        dims = " x ".join(map(str, record["metadata"]["launch"]["dim"]))
        print(f"\n## {category}\n\n{record['metadata']['description']} Launched over {dims} threads.\n")
        print(f"```python\n{record['python_source'].rstrip()}\n```")


if __name__ == "__main__":
    main()
