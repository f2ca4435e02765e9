#!/usr/bin/env python3
"""Runs a program under weft.watch() and prints the table.

    watch_example.py PROGRAM.py [ARGUMENT...]     with an interpreter that has Warp; $WEFT_PACKAGE: the package, by default build/python

Exits with 1 if a gradient or an output is wrong, with the program's own code if that ends it.
"""

import os
import pathlib
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python")))

import warp as wp  # noqa: E402

import weft  # noqa: E402


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    sys.argv = sys.argv[1:]
    sys.path[0] = str(pathlib.Path(sys.argv[0]).parent)
    sys.path.insert(1, os.environ.get("WEFT_PACKAGE", str(ROOT / "build" / "python")))
    wp.config.log_level = wp.LOG_ERROR
    with weft.watch() as report:
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            if end.code:
                print(f"the program ended with {end.code}", file=sys.stderr)
    print(report)
    return 1 if report.mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
