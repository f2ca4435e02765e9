#!/usr/bin/env python3
"""Typical mistakes with the messages of weft and of Warp side by side: writes docs/reference/messages.md.

    tools/messages.py            asks weft and the installed Warp, writes tests/messages/warp.json and the page
    tools/messages.py --check    only compares the page with what weft says now (no Warp needed)

The mistakes are tests/messages/*.py, one each; tests/messages/cases.txt has their titles, and for each a judgement, made
by reading both messages. weft is build/weft, or $WEFT.
"""

import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys

import warp_package

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "messages"
RECORDED = CASES / "warp.json"
PAGE = ROOT / "docs/reference/messages.md"
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
LONGEST = 12  # lines of a message that are shown

HEAD = """# Messages

{count} mistakes that people make, with what weft and Warp {version} say about them. Made by `tools/messages.py` from the
sources in `tests/messages`; `tests/python/test_messages.py` checks that weft's messages here are what it says now.
The judgements were made by reading both messages.

"""


def cases():
    for line in (CASES / "cases.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield [part.strip() for part in line.split("|", 2)]


def weft_says(name):
    process = subprocess.run(
        [WEFT, "extract", f"{name}.py", "-o", os.devnull], cwd=CASES, capture_output=True, text=True
    )
    if process.returncode not in (0, 1):
        sys.exit(f"weft ended with {process.returncode} on {name}.py")
    return process.stderr.rstrip() or "(nothing: it is accepted)"


def warp_says(python, name):
    """The errors of the file's kernels, or of the file itself."""
    process = subprocess.run(
        [python, ROOT / "tools" / "warp_oracle.py", f"{name}.py"], cwd=CASES, capture_output=True, text=True
    )
    rows = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    errors = [row["error"] for row in rows if "error" in row]
    if not errors:
        return "(nothing: it generates C++)" if rows else "(nothing: no kernel is compiled)"
    text = "\n".join(errors).replace(str(pathlib.Path(python).parent.parent), ".venv")
    return text.replace("\\n", "\n").rstrip()


def shown(text):
    lines = text.splitlines()
    if len(lines) > LONGEST:
        lines = lines[: LONGEST - 1] + [f"… and {len(lines) - LONGEST + 1} more lines"]
    return "```text\n" + "\n".join(lines) + "\n```\n"


def page(recorded):
    rows = list(cases())
    text = [HEAD.format(count=len(rows), version=warp_package.VERSION)]
    for number, (name, title, judgement) in enumerate(rows, 1):
        text.append(f"## {number}. {title}\n\n")
        text.append(f"```python\n{(CASES / f'{name}.py').read_text().strip()}\n```\n\n")
        text.append(f"weft:\n\n{shown(weft_says(name))}\nWarp:\n\n{shown(recorded[name])}\n")
        text.append(f"*Judgement:* {judgement}.\n\n")
    return "".join(text).rstrip() + "\n"


def check():
    now = page(json.loads(RECORDED.read_text()))
    written = PAGE.read_text()
    if now == written:
        print(f"{len(list(cases()))} messages, all current")
        return 0
    diff = difflib.unified_diff(written.splitlines(), now.splitlines(), "docs/reference/messages.md", "what weft says now", "", "", 2, "")
    print("\n".join(list(diff)[:60]))
    print("docs/reference/messages.md is not current: run tools/messages.py, and read what changed")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare the page with what weft says now")
    options = parser.parse_args()
    sources = {path.stem for path in CASES.glob("*.py")}
    listed = [name for name, _, _ in cases()]
    if sources != set(listed) or len(listed) != len(sources):
        sys.exit(f"tests/messages/cases.txt and the sources differ: {sorted(sources ^ set(listed))}")
    if options.check:
        sys.exit(check())
    found = warp_package.find_warp()
    if found is None:
        sys.exit("Warp is not installed: run tools/venv.sh")
    recorded = {name: warp_says(found[0], name) for name in listed}
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page(recorded))
    print(f"{len(listed)} mistakes in docs/reference/messages.md")


if __name__ == "__main__":
    main()
