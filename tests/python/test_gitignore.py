#!/usr/bin/env python3
"""What .gitignore files leave out is passed over in folders, as git itself does; what is named is read."""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import tally
from tally import check
from test_produce import weft

KERNEL = "import warp as wp\n\n\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n"
NAMES = ["a", "b", "ab", "abc", "build", "x-1"]

def write(path, text=KERNEL):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def read_files(*operands, cwd):
    done = weft("extract", *operands, "--json", cwd=cwd)
    return {record["file"] for record in map(json.loads, done.stdout.splitlines()) if "error" not in record}, done


def files_of_git(folder):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "."], cwd=folder, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if line.endswith(".py")}


def random_pattern(rng):
    def part():
        return rng.choice(
            [rng.choice(NAMES), rng.choice(NAMES) + "*", "*" + rng.choice(NAMES), "?" * rng.randint(1, 3), "[ab]*", "[!a]*", "a*c", "*", "\\a*", "*.py"]
            + [rng.choice(NAMES) + ".py"] * 3
        )

    pattern = "/".join(rng.choice([part(), part(), "**"]) for _ in range(rng.choice([1, 1, 2, 3])))
    return rng.choice(["", "", "", "!"]) + rng.choice(["", "", "/"]) + pattern + rng.choice(["", "", "/", "  "])


def test_as_git(folder):
    """Random rules in many folders, at two depths."""
    rng = random.Random(20)
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    for number in range(120):
        top = folder / f"t{number}"
        for _ in range(12):
            depth = rng.randint(1, 3)
            write(top.joinpath(*(rng.choice(NAMES) for _ in range(depth)), rng.choice(NAMES) + ".py"))
        places = [top, rng.choice([path for path in top.iterdir() if path.is_dir()])]
        for place in places[: rng.randint(1, 2)]:
            (place / ".gitignore").write_text("# rules\n\n" + "".join(random_pattern(rng) + "\n" for _ in range(rng.randint(1, 4))))
    (folder / ".gitignore").write_text("t7/\n/t8/**\n!t8/ab\nt9/*\n")
    expected = files_of_git(folder)
    found, _ = read_files(".", cwd=folder)
    found = {path.removeprefix("./") for path in found}
    wrong = sorted(found ^ expected)[:5]
    rules = "".join(f"{path}:\n{path.read_text()}" for name in wrong for path in (folder / name.split("/")[0]).rglob(".gitignore"))
    check("the files are those that git names", found == expected, f"{wrong}\n{rules}")
    everything = sum(1 for _ in folder.rglob("*.py"))
    check("the rules leave out some, not all", everything / 5 < len(found) < everything * 4 / 5, f"{len(found)} of {everything}")
    inner, _ = read_files(".", cwd=folder / "t8")
    check("rules of the folders above hold", inner == {f"./{path}" for path in files_of_git(folder / "t8")}, inner)


def test_named(folder):
    """What a user names is read; a folder in which nothing is left says so; outside of a repository, folders above have no say."""
    write(folder / "out/a.py")
    write(folder / "project/gen/b.py")
    (folder / ".gitignore").write_text("*.py\n")
    (folder / "project/.gitignore").write_text("gen\n*.py\n")
    found, done = read_files("project", cwd=folder)
    check("nothing is left", not found and done.returncode == 1 and "that .gitignore does not leave out" in done.stderr, done.stderr)
    found, done = read_files("project/gen/b.py", cwd=folder)
    check("a named file is read", found == {"project/gen/b.py"}, done.stderr)
    found, done = read_files("project/gen", cwd=folder)
    check("no repository: only the folder's own rules", found == {"project/gen/b.py"}, done.stderr)
    found, done = read_files("out", cwd=folder)
    check("no repository, no rules", found == {"out/a.py"}, done.stderr)
    (folder / ".git").mkdir()
    found, done = read_files("out", cwd=folder)
    check("in a repository, the rules of its folder hold", not found, done.stderr)


def test_hostile(folder):
    """Rules that would take others forever, and things that are no files."""
    write(folder / ("a" * 200 + ".py"))
    (folder / ".gitignore").write_text("*a" * 3000 + "b\n" + "**/" * 3000 + "b\n[a\n[\n\\\n!\n/\n" + "\xff\n")
    found, done = read_files(".", cwd=folder)
    check("long patterns end", len(found) == 1, done.stderr)
    (folder / ".gitignore").unlink()
    subprocess.run(["mkfifo", folder / ".gitignore"], check=True)
    found, done = read_files(".", cwd=folder)
    check("a pipe has no rules", len(found) == 1, done.stderr)


def main():
    tests = [test_named, test_hostile] + ([test_as_git] if shutil.which("git") else [])
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
