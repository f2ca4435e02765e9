#!/usr/bin/env python3
"""The exercises of docs/explanation/architecture.md: their patches apply, touch the files that the page names, and work. So does the scene of
the tutorial first-contribution.md.

All are applied to one copy of the sources, which is built once, without optimisation.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/explanation/architecture.md").read_text()
TUTORIAL = (ROOT / "docs/tutorial/first-contribution.md").read_text()
SOURCES = ["CMakeLists.txt", "README.md", "cli", "cmake", "include", "share", "src", "web"]
KERNEL = """import warp as wp


@wp.kernel
def pulse(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    if x[i] < 0.0:
        return
    y[i] = wp.sech(x[i])
"""


def run(*words, cwd=None):
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def named_files():
    """What the page says that each exercise touches."""
    exercises = PAGE.split("## Three exercises\n")[1].split("\n## ")[0]
    for part in re.split(r"\n(?=\*\*)", exercises)[1:]:
        patch = re.search(r"\(\.\./(exercises/\w+\.patch)\)", part)[1]
        rows = re.findall(r"^\| (`[^|]*`) \|", part, re.M)
        yield ROOT / "docs" / patch, sorted(path for row in rows for path in re.findall(r"`([^`]+)`", row))


def apply(tree):
    names = []
    for patch, files in named_files():
        touched = re.findall(r"^diff --git a/(\S+)", patch.read_text(), re.M)
        assert sorted(touched) == files, f"{patch.name} touches {touched}, the page says {files}"
        run("patch", "-p1", "--no-backup-if-mismatch", "-i", patch, cwd=tree)
        names.append(patch.stem)
    assert sorted(names) == ["builtin", "category", "target"], names


def follow_tutorial(tree):
    """Writes the files of the tutorial."""
    file, scene = re.search(r"```python\n# file: (\S+)\n(.*?)```", TUTORIAL, re.S).groups()
    (tree / file).write_text(scene)
    table = tree / "src/synth/meaning/quantities.def"
    row = re.search(r"^QUANTITY\(.*\n", TUTORIAL, re.M)[0]
    text = table.read_text()
    before = re.search(r"^QUANTITY\(reaction_rate,.*\n", text, re.M).end()
    table.write_text(text[:before] + row + text[before:])


def build(tree):
    run("cmake", "-G", "Ninja", "-S", tree, "-B", tree / "build", "-DWEFT_TESTS=OFF", "-DWEFT_PYTHON=OFF", "-DWEFT_LTO=OFF",
        "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O0")  # fmt: skip
    run("cmake", "--build", tree / "build", "--target", "weft", "-j", "2")
    return tree / "build/weft"


def try_builtin(weft, file):
    text = run(weft, "extract", file)
    assert "wp::sech(var_" in text and "wp::adj_sech(var_" in text, text
    assert "Warp's gradient is right" in (checked := run(weft, "check", file, "--range", "0.2,2")), checked
    run(weft, "standalone", file, "-o", file.parent / "programs")
    assert "coshf(x[i])" in (file.parent / "programs/pulse/pulse.cu").read_text()


def try_category(weft):
    records = [json.loads(line) for line in run(weft, "synth", "-c", "finance", "-n", "5", "--json").splitlines()]
    assert {record["category"] for record in records} == {"finance"} and "wp.pow(" in records[0]["python_source"]
    assert "30 of 30 samples hold" in run(weft, "synth", "--scene", "annuity", "-n", "30", "--check")


def try_target(weft, file):
    text = run(weft, "extract", file, "-d", "omp")
    assert "_omp_forward(" in text and "#pragma omp parallel for" in text and "continue;" in text, text
    assert "__global__" not in text and "_omp_backward(" in text
    record = json.loads(run(weft, "extract", file, "-d", "all", "--json"))
    assert {"cuda_forward", "cpp_forward", "omp_forward", "omp_backward"} <= set(record), list(record)


def try_tutorial(weft):
    assert "100 of 100 samples hold" in run(weft, "synth", "--scene", "newton_cooling", "-n", "100", "--check")


def main():
    if not all(map(shutil.which, ("patch", "cmake", "ninja"))):
        print("skipped: patch, cmake or ninja is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-exercises-") as folder:
        tree = pathlib.Path(folder, "tree")
        tree.mkdir()
        for name in SOURCES:
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tree / name)
        apply(tree)
        follow_tutorial(tree)
        weft = build(tree)
        file = pathlib.Path(folder, "pulse.py")
        file.write_text(KERNEL)
        try_builtin(weft, file)
        try_category(weft)
        try_target(weft, file)
        try_tutorial(weft)
    print("3 exercises and the tutorial work")
    return 0


if __name__ == "__main__":
    sys.exit(main())
