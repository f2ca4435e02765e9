#!/usr/bin/env python3
"""docs/reference/messages.md shows what weft says today, for at least 40 mistakes, each refused with a place and judged."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    check = subprocess.run([sys.executable, ROOT / "tools" / "messages.py", "--check"], capture_output=True, text=True)
    print(check.stdout + check.stderr, end="")
    text = (ROOT / "docs/reference/messages.md").read_text()
    said = re.findall(r"^weft:\n\n```text\n(.*?)\n```", text, re.M | re.S)
    judged = len(re.findall(r"^\*Judgement:\* .{20,}", text, re.M))
    placed = sum(bool(re.match(r"\w+\.py:\d+:\d+: error: ", message)) for message in said)
    print(f"{len(said)} messages of weft, {placed} with a place, {judged} judged")
    sys.exit(0 if check.returncode == 0 and placed == judged == len(said) >= 40 else 1)


if __name__ == "__main__":
    main()
