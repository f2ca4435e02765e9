#!/usr/bin/env python3
"""Links, pipes, devices and files without end in a project: only regular files of the project are read, each once; the rest is passed
over with a message. What a user names may be a pipe."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile

from prompt import WEFT, expect, finish, run

MEMORY = 1 << 30
KERNEL = "import warp as wp\n{imports}\n\n@wp.kernel\ndef {name}(x: wp.array(dtype=float)):\n    x[wp.tid()] = {value}\n"


def kernel(name, value="1.0", imports=""):
    return KERNEL.format(name=name, value=value, imports=imports)


def weft(*args, **options):
    """With little memory and time: what has no end is not read to it."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        return run(*args, timeout=20, preexec_fn=limit, **options)
    except subprocess.TimeoutExpired:
        expect(False, f"{args[:2]} does not end")
        return run("--version")


def make(work):
    """(the folder, what is said about each entry that is passed over)"""
    project, other = work / "project", work / "other"
    (project / "inner").mkdir(parents=True)
    (other / "package").mkdir(parents=True)
    (project / "own.py").write_text(kernel("own"))
    (project / ".kept").write_text(kernel("kept"))
    (project / "inner" / "deep.py").write_text(kernel("deep"))
    (other / "stranger.py").write_text(kernel("stranger"))
    (other / "package" / "__init__.py").write_text(kernel("packed"))
    for name, target in {"zero.py": "/dev/zero", "stranger.py": other / "stranger.py", "again.py": "own.py", "first.py": ".kept",
                         "second.py": ".kept", "gone.py": "nothing", "to_pipe.py": "pipe.py", "package": other / "package",
                         "loop": ".", "circle.py": "circle.py", "notes.txt": "/dev/zero"}.items():
        os.symlink(target, project / name)
    os.mkfifo(project / "pipe.py")
    return project, {"zero.py": "a link to a device", "stranger.py": "a link that leads out", "gone.py": "a link to nothing",
                     "to_pipe.py": "a link to a pipe", "pipe.py": "a pipe", "package": "a link that leads out", "circle.py": "a link to nothing"}


def check_folder(work):
    """Every command that takes a folder reads the same files."""
    project, passed_over = make(work)
    commands = [["extract", "--json"], ["extract", "--json", "-j", "3"], ["check", "--json"], ["bench", "extract", "--repeat", "1", "--json"],
                ["standalone", "-o", work / "programs"], ["harvest", "-o", work / "set"]]
    for command in commands:
        done = weft(*command, project)
        expect(done.returncode == 0, f"{command}: exit code {done.returncode}: {done.err}")
        said = {line.split(" is passed over: it is ")[0].rsplit("/", 1)[-1]: line for line in done.err.splitlines() if "passed over" in line}
        expect(said.keys() == passed_over.keys(), f"{command}: {sorted(said)}")
        for name, why in passed_over.items():
            expect(why in said.get(name, ""), f"{command}: {name}: {said.get(name)}")
        if "--json" in command:
            names = [json.loads(line)["kernel_name"] for line in done.out.splitlines()]
            expect(sorted(names) == ["deep", "kept", "own"], f"{command}: {names}")
    expect({p.name for p in (work / "programs").iterdir() if p.is_dir()} == {"deep", "kept", "own"}, "standalone: other programs")
    expect("3 files, 3 kernels" in done.err, f"harvest: {done.err}")


def check_whole_project(work):
    """Of a folder in a project: a link may lead to another folder of it."""
    root = work / "whole"
    (root / "src").mkdir(parents=True)
    (root / "lib").mkdir()
    (root / "lib" / "shared.py").write_text(kernel("shared"))
    os.symlink("../lib/shared.py", root / "src" / "shared.py")
    done = weft("extract", "--json", root / "src")
    expect(done.returncode == 1 and "leads out of the project" in done.err, f"without a mark: {done.returncode} {done.err}")
    (root / "pyproject.toml").write_text("")
    done = weft("extract", "--json", root / "src")
    expect(done.returncode == 0 and json.loads(done.out)["kernel_name"] == "shared", f"in a project: {done.returncode} {done.err}")


def check_imports(work):
    """What is imported follows the same rules, and the reason is told."""
    folder = work / "imports"
    (folder / "kept").mkdir(parents=True)
    (work / "elsewhere").mkdir()
    (work / "elsewhere" / "values.py").write_text("A = 3.0\n")
    (folder / "kept" / "values.txt").write_text("A = 2.0\n")
    os.symlink("kept/values.txt", folder / "inside.py")
    os.symlink(work / "elsewhere" / "values.py", folder / "outside.py")
    os.symlink(work / "elsewhere", folder / "outer")
    os.symlink("/dev/zero", folder / "zero.py")
    os.mkfifo(folder / "pipe.py")
    with open(folder / "huge.py", "w") as file:
        file.truncate((64 << 20) + 1)
    for module in ("inside", "outside", "outer.values", "zero", "pipe", "huge"):
        path = folder / "main.txt"
        path.write_text(kernel("k", "A", f"from {module} import A\n"))
        done = weft("extract", path)
        reads = done.returncode == 0
        expect(reads == (module == "inside"), f"import of {module}: {done.returncode} {done.err}")
        expect(reads or f"module '{module}' is not read: " in done.err, f"import of {module}: {done.err}")
    path.write_text(kernel("k", "A", "from outside import A\n"))
    done = weft("extract", path, "-I", work / "elsewhere")
    expect(done.returncode == 0, f"-I: {done.err}")


def check_named(work):
    """What is named may be a pipe, and has a bound."""
    text = kernel("piped").encode()
    for path in ("-", "/dev/stdin"):
        done = weft("extract", path, stdin=None, input=text)
        expect(done.returncode == 0 and "piped_" in done.out, f"{path}: {done.err}")
    shell = subprocess.run(["bash", "-c", f'"$0" extract <(printf "%s" "$1")', WEFT, text], capture_output=True, timeout=20)
    expect(shell.returncode == 0 and b"piped_" in shell.stdout, f"<(…): {shell.stderr}")
    link = work / "named.py"
    os.symlink(work / "project" / "own.py", link)
    expect(weft("extract", link).returncode == 0, "a link that is named")
    huge = work / "huge.py"
    with open(huge, "w") as file:
        file.truncate((64 << 20) + 1)
    for path in ("/dev/zero", huge):
        for command in ("extract", "check"):
            done = weft(command, path)
            expect(done.returncode == 1 and "larger than 64 MiB" in done.err, f"{command} {path}: {done.returncode} {done.err}")
    with open("/dev/zero", "rb") as zero:
        done = weft("extract", "-", stdin=zero)
        expect(done.returncode == 1 and "larger than 64 MiB" in done.err, f"zeros: {done.err}")


def check_beside(work):
    """Files that speak of sources: a baseline, .gitignore."""
    folder = work / "beside"
    folder.mkdir()
    (folder / "own.py").write_text(kernel("own"))
    os.symlink("/dev/zero", folder / ".gitignore")
    expect(weft("extract", folder).returncode == 0, ".gitignore without end")
    os.mkfifo(folder / "baseline")
    for baseline in (folder / "baseline", "/dev/zero", folder):
        done = weft("check", folder, "--baseline", baseline)
        expect(done.returncode == 1 and "cannot read the baseline" in done.err, f"{baseline}: {done.returncode} {done.err}")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-links-") as name:
        work = pathlib.Path(name).resolve()
        for test in (check_folder, check_whole_project, check_imports, check_named, check_beside):
            test(work)
    finish()


if __name__ == "__main__":
    main()
