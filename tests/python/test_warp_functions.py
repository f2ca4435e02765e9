#!/usr/bin/env python3
"""The table of tools/warp_functions.py, on three small made-up versions; and one module of the Warp that is installed."""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import warp_functions  # noqa: E402
import warp_package  # noqa: E402

SOLVER = {"warp._src.rows": {"find": 2}}
GRID = {"warp._src.grid": {"find": 1, "wrap": 1}, "warp._src.grid.cells": {"wrap": 1}}
OLD = {"warp.rows": {"defines": SOLVER}, "warp.view": {"defines": {}}}
NEW = OLD | {"warp.grid": {"defines": SOLVER | GRID}, "warp._src.grid": {"defines": GRID}}

ROWS = """\
LOADS(1_17, NEWEST, "warp._src.grid", "warp._src.grid")
LOADS(1_17, NEWEST, "warp.grid", "warp._src.grid")
LOADS(1_17, NEWEST, "warp.grid", "warp._src.rows")
LOADS(1_16, NEWEST, "warp.rows", "warp._src.rows")
LOADS(1_16, 1_17, "warp.view", "")
DEFINES(1_17, NEWEST, "warp._src.grid", "find", 1)
DEFINES(1_17, NEWEST, "warp._src.grid", "wrap", 2)
DEFINES(1_16, NEWEST, "warp._src.rows", "find", 2)
"""

OF_INSTALLED = """
import json, sys
sys.path.insert(0, sys.argv[1])
import warp_functions
import warp._src.context as context
made = warp_functions.watch_names(context)
print(json.dumps(warp_functions.tell_import("warp.sparse", made, set(sys.modules))["defines"]))
"""


class Tables(unittest.TestCase):
    def test_rows(self):
        newest = {name: found for name, found in NEW.items() if name != "warp.view"}
        text = warp_functions.table({"1.16.0": OLD, "1.17.0": NEW, "1.18.0": newest})
        self.assertEqual("".join(line + "\n" for line in text.splitlines() if line.startswith(("LOADS", "DEFINES"))), ROWS)

    def test_installed(self):
        found = warp_package.find_warp()
        if not found:
            self.skipTest("Warp is not installed")
        done = subprocess.run([found[0], "-c", OF_INSTALLED, ROOT / "tools"], capture_output=True, text=True, check=True)
        counts = json.loads(done.stdout.splitlines()[-1])["warp._src.sparse"]
        rows = warp_functions.TABLE.read_text().splitlines()
        for name, count in counts.items():
            self.assertIn(f'DEFINES(1_16, NEWEST, "warp._src.sparse", "{name}", {count})', rows)
        self.assertIn("bsr_row_index", counts)


if __name__ == "__main__":
    unittest.main()
