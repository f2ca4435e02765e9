#!/usr/bin/env python3
"""What `weft check` says of the kernels of tests/gradients, for every version of Warp, is what is stored and was confirmed with
each version's own tape; and docs/explanation/gradients.md is made from it."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.exit(subprocess.run([sys.executable, ROOT / "tools" / "gradient_versions.py"]).returncode)
