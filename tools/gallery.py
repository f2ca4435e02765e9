#!/usr/bin/env python3
"""Kernels as they come, drawn by a seed and not picked: writes docs/explanation/gallery.md.

    tools/gallery.py [--count 60] [--seed 2027] [--out docs/explanation/gallery.md]"""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=60)
    options.add_argument("--seed", type=int, default=2027)
    options.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/explanation/gallery.md")
    options.add_argument("--weft", type=pathlib.Path, default=ROOT / "build" / "weft")
    given = options.parse_args()
    call = [given.weft, "synth", "-n", str(given.count), "-s", str(given.seed), "--json"]
    records = [json.loads(line) for line in subprocess.run(call, check=True, capture_output=True, text=True).stdout.splitlines()]
    parts = [
        "# Gallery",
        f"{given.count} invented kernels as they came, none picked: the first of seed {given.seed}, written by `tools/gallery.py`. "
        "Each is drawn from a scene ([synthesis.md](synthesis.md)); the text above it is the first paragraph of the description in its record.",
    ]
    for number, record in enumerate(records):
        scene = record["plan"]["scenes"][0]
        parts.append(f"## {number}. `{record['kernel_name']}` ({record['category']}; scene `{scene}`)")
        parts.append(record["description"].split("\n\n")[0])
        parts.append("```python\n" + record["python_source"].rstrip("\n") + "\n```")
    given.out.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
