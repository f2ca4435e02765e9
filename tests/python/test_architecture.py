#!/usr/bin/env python3
"""docs/explanation/architecture.md names files and functions: they exist, and what it says about its example kernel is what comes out."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PAGE = (ROOT / "docs/explanation/architecture.md").read_text()
MOST_STEPS = 15


def section(title):
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def defines(path, function):
    """Does the file define the function: its name at the end of a declaration, and then a body?"""
    text = (ROOT / path).read_text()
    return re.search(rf"^[\w][\w \*]*\b{function}\([^;{{}}]*\)\n\{{", text, re.M) is not None


def test_steps():
    walk = section("One kernel, from `main` to the text")
    steps = re.findall(r"^\| (\d+) \| `([^`]+)` \| `(\w+)` \| (.*) \|$", walk, re.M)
    assert 10 <= len(steps) <= MOST_STEPS and [int(step[0]) for step in steps] == list(range(1, len(steps) + 1)), steps
    for _, path, function, _ in steps:
        assert defines(path, function), f"{path} does not define {function}()"
    return walk, steps


def test_example(walk, steps):
    """Generated lines and names in the last column come out for the kernel of the page."""
    kernel = "\n".join(line[4:] for line in walk.splitlines() if line.startswith("    "))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scale.py")
        path.write_text(f"import warp as wp\n\n\n{kernel}\n")
        text = subprocess.run([WEFT, "extract", path], check=True, capture_output=True, text=True).stdout
        tree = subprocess.run([WEFT, "extract", path, "--dump", "ir"], check=True, capture_output=True, text=True).stdout
    quoted = " ".join(step[3] for step in steps)
    for name in re.findall(r"`(scale_\w+|var_[^`]*;)`", quoted):
        assert name in text, name
    for builtin in ("array_store", "address", "load", "mul"):
        assert f"`{builtin}`" in quoted and f"{builtin}(" in tree, builtin


def test_paths():
    """Whatever looks like a file of the project is one."""
    for path in re.findall(r"`((?:src|cli|tests|docs|include|tools)/[\w./-]+)`", PAGE):
        exercise = section("Three exercises")
        assert (ROOT / path).exists() or f"`{path}`" in exercise, path


def main():
    walk, steps = test_steps()
    test_example(walk, steps)
    test_paths()
    print(f"{len(steps)} steps, every function where the page says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
