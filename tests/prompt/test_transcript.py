#!/usr/bin/env python3
"""The commands of docs/reference/terminal.md still print what stands there."""

import subprocess
import sys

from prompt import ROOT

sys.exit(subprocess.run([sys.executable, ROOT / "tools/terminal.py", "--check"]).returncode)
