#!/usr/bin/env python3
"""A few files of Warp's own package: whatever weft compiles of them is what Warp writes. (`make conformance` does all.)

    test_warp_sample.py [VERSION]        of Warp, by default the one that most tests use
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = [
    "examples/core/example_sph.py",
    "examples/core/example_wave.py",
    "tests/test_func.py",
    "tests/test_struct.py",
    "tests/test_ctypes.py",
    "tests/test_generics.py",
    "tests/geometry/test_hash_grid.py",
    "_src/sparse.py",
]

command = [sys.executable, ROOT / "tools" / "conformance.py", "--warp-only"]
command += ["--warp", sys.argv[1]] if len(sys.argv) > 1 else []
sys.exit(subprocess.run(command + [f"--file={'warp/' + f}" for f in FILES]).returncode)
