"""Where the Python package and the command of the build are; exits with 77 where the package was not built."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
PACKAGE = BUILD / "python"
COMMAND = os.environ.get("WEFT", str(BUILD / "weft"))

if not (PACKAGE / "weft" / "_native.abi3.so").exists():
    print("skipped: the Python package was not built")
    sys.exit(77)
sys.path.insert(0, str(PACKAGE))
