#!/usr/bin/env python3
"""The tutorials: their commands run in order, and print what the pages show.

In docs/tutorial/*.md, a block `sh` is run. A block `python` that begins with `# file: NAME` is written. A block `text` is the output of
the command before it; an ellipsis in it stands for anything. Blocks `console` are shown only."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from prompt import ROOT, WEFT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def matches(wanted, printed):
    pattern = ".*?".join(map(re.escape, wanted.strip().split("…")))
    return re.search(pattern, printed, re.S) is not None


def follow(page, folder):
    """The faults of one page; the number of commands that ran."""
    faults, printed, ran = [], "", 0
    path = f"{pathlib.Path(WEFT).resolve().parent}:{os.environ['PATH']}"
    for kind, text in BLOCK.findall(page.read_text()):
        file = re.match(r"# file: (\S+)\n", text)
        if kind == "python" and file and "/" not in file[1]:
            (folder / file[1]).write_text(text[file.end():])
        elif kind == "sh":
            done = subprocess.run(["bash", "-c", "set -o pipefail\n" + text], cwd=folder, env={**os.environ, "PATH": path, "COLUMNS": "80"},
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            printed = done.stdout + done.stderr
            ran += 1
            may_find = "weft check" in text
            if done.returncode not in ((0, 1) if may_find else (0, 141)):  # 141: head has read enough
                faults.append(f"{text}exit code {done.returncode}\n{printed[-1500:]}")
        elif kind == "text" and ran and not matches(text, printed):
            faults.append(f"the page shows\n{text}and this was printed\n{printed[-3000:]}")
    return faults, ran


def main():
    failed = ran = 0
    for page in sorted((ROOT / "docs/tutorial").glob("*.md")):
        with tempfile.TemporaryDirectory(prefix="weft-tutorial-") as folder:
            faults, commands = follow(page, pathlib.Path(folder))
        for fault in faults:
            print(f"FAILED: {page.name}: {fault}")
        failed += len(faults)
        ran += commands
    print(f"{ran} commands of the tutorials, {failed} faults")
    return 1 if failed or ran < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
