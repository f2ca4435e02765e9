#!/usr/bin/env python3
"""How the instructions that weft takes grow with the size of a source: the exponent for each shape of `weft bench scaling`.

    tools/scaling.py [--parts N] [--shape NAME] [--weft FILE] [-- COMMAND...]     default: extract, 10,000 parts

Each shape is written with N/4 and with N parts, both are run under callgrind, and e is such that instructions = c · parts^e. Unlike
times, instructions do not depend on what else the machine does. COMMAND is what weft does with the file: `extract`, `check --no-example`.
Exit code 1: an exponent is above 1.15."""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 1.15


def sources(weft, parts):
    """{name of a shape: its source}"""
    done = subprocess.run([weft, "bench", "scaling", "--show", "-n", str(parts)], capture_output=True, check=True, text=True)
    return {line["shape"]: line["source"] for line in map(json.loads, done.stdout.splitlines())}


def instructions(weft, command, source, folder):
    path = pathlib.Path(folder) / "shape.py"
    path.write_text(source)
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*valgrind, weft, command[0], path, *command[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)|refs:\s+([\d,]+)", done.stderr)
    if not found:
        sys.exit(f"scaling: valgrind says: {done.stderr[-500:]}")
    return int((found[1] or found[2]).replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=10000, metavar="N", help="of the larger source")
    parser.add_argument("--shape", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--weft", default=str(ROOT / "build/weft"), metavar="FILE")
    parser.add_argument("command", nargs="*", default=["extract"])
    options = parser.parse_args()
    small, large = (sources(options.weft, parts) for parts in (options.parts // 4, options.parts))
    over = 0
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shape or large:
            counts = [instructions(options.weft, options.command, of[shape], folder) for of in (small, large)]
            exponent = math.log(counts[1] / counts[0]) / math.log(4)
            over += exponent > MOST
            print(f"{shape:24} {exponent:6.2f} {counts[1]:16,} instructions", flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
