#!/usr/bin/env python3
"""A transcript of weft's main commands as a person sees them, for docs/reference/terminal.md.

    tools/terminal.py            runs them in a pseudo-terminal and writes docs/reference/terminal.md
    tools/terminal.py --check    runs them again and compares, but for invented kernels, times and rates
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/prompt"))
from terminal import run_in_terminal  # noqa: E402

PAGE = ROOT / "docs/reference/terminal.md"
COLUMNS = 90
# (columns, command, what it shows), run in a folder with kernels.py in it. Of the OTHERS' text only the exit code is compared: invented
# kernels change with the synthesiser, and tests/errors has the compiler's messages.
OTHERS = ("weft synth", "weft produce", "weft validate", "weft stats", "weft extract typing_error.py")
STEPS = [
    (COLUMNS, "weft synth -n 1 -s 7 -c physics", "An invented kernel, as Python text."),
    (COLUMNS, "weft extract kernels.py -k neighbour --no-backward", "What Warp generates for a kernel."),
    (COLUMNS, "weft extract typing_error.py", "A kernel that is refused, and why."),
    (COLUMNS, "weft check kernels.py", "Is Warp's gradient right? Where the usual launch is not valid, another one is tried."),
    (COLUMNS, "weft check kernels.py -k neighbour --dim 8", "A launch that is asked for is the one that is judged; the hint says which flags would make it valid."),
    (COLUMNS, "weft standalone kernels.py -k neighbour -o programs", "A program of its own, in readable CUDA."),
    (COLUMNS, "weft produce -n 500 -s 1 -o set -j 1", "A data set. While it is made, a bar says how far it is."),
    (COLUMNS, "weft validate set -j 1", "Every record again."),
    (COLUMNS, "weft stats set", "What is in it."),
    (COLUMNS, "weft vaildate set", "A slip of the finger."),
    (40, "weft produce -n 500 -s 2 -o narrow -j 1", "The same in a narrow terminal of 40 columns."),
    (40, "weft check kernels.py -k neighbour --dim 8", "Messages are broken at spaces; only lines of source may be wider."),
]
KERNELS = """import warp as wp


@wp.kernel
def scale(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i]


@wp.kernel
def neighbour(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i + 1] - x[i]


@wp.kernel
def square_in_place(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * x[i]
"""
REFUSED = """import warp as wp


@wp.kernel
def scale(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    x[i] = x[i] * n
"""
BAR = re.compile(r"\[=*>?-*\] +\d+%")


def shown(screen):
    """What remains on the screen, and one state of the bar that was there on the way."""
    bars = [line for line in screen.painted() if BAR.search(line)]
    middle = [bars[len(bars) // 2]] if bars else []
    return middle + [line.rstrip() for line in screen.lines()]


def make_page(weft):
    parts = ["# In the terminal", "",
             "What weft's main commands look like, run one after the other in a terminal of 90 columns. `tools/terminal.py` made this page;",
             "`tests/prompt/test_transcript.py` runs the commands again and compares. A line with a bar is one of many: it is drawn ten times",
             "a second, and gone at the end.", "", "`kernels.py` holds three kernels:", "", "```python", KERNELS.strip(), "```", ""]
    with tempfile.TemporaryDirectory(prefix="weft-terminal-") as name:
        work = pathlib.Path(name)
        (work / "kernels.py").write_text(KERNELS)
        (work / "typing_error.py").write_text(REFUSED)
        (work / "bin").mkdir()
        os.symlink(weft, work / "bin/weft")
        for columns, command, words in STEPS:
            env = {"PATH": f"{work / 'bin'}:{os.environ['PATH']}"}
            screen = run_in_terminal(command.split(), columns, env=env, cwd=work, program=str(work / "bin/weft"))
            code = f"\n(exit code {screen.code})" if screen.code else ""
            parts += [words, "", "```console", f"$ {command}", *shown(screen), "```" + code, ""]
        for folder in ("programs", "set", "narrow"):
            shutil.rmtree(work / folder, ignore_errors=True)
    return "\n".join(parts)


def blocks(page):
    """{command: (output, what follows)}, without what differs from run to run: bars, times, rates."""
    found = {}
    for command, output, after in re.findall(r"^```console\n\$ (.*)\n((?:.*\n)*?)```\n(.*)$", page, re.M):
        lines = [re.sub(r"\b[\d.,]+ s\b", "N s", line) for line in output.splitlines() if not BAR.search(line)]
        found[command] = (["..."] if command.startswith(OTHERS) else lines, after)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--weft", default=os.environ.get("WEFT", str(ROOT / "build/weft")))
    options = parser.parse_args()
    page = make_page(pathlib.Path(options.weft).resolve())
    if not options.check:
        PAGE.write_text(page)
        print(f"{PAGE.relative_to(ROOT)}: {len(STEPS)} commands")
        return 0
    before, now = blocks(PAGE.read_text()), blocks(page)
    wrong = [command for command in before.keys() | now.keys() if before.get(command) != now.get(command)]
    for command in wrong:
        old, new = ([*text, after] for text, after in (before.get(command, ([], "")), now.get(command, ([], ""))))
        print(f"$ {command}", *difflib.unified_diff(old, new, "docs/reference/terminal.md", "now", lineterm=""), sep="\n")
    print(f"{len(wrong)} of {len(now)} commands print something else: run tools/terminal.py" if wrong else "docs/reference/terminal.md is current")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
