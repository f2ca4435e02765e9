#!/usr/bin/env python3
"""weft score and hostile answers: none does harm, none passes, and a right answer beside each passes.

`weft judge --self-test` has the attacks and looks at the host; what only a second process sees is looked at here. Without arguments about half
of the attacks are tried; --all: all of them; --gpu: those for a GPU, on one. Exit code 77 where there is no sandbox to be had, or no GPU."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from sets import WEFT, check, failures, weft


def records(folder):
    for path in sorted(folder.glob("train-*.jsonl")):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def score(folder, answers, **keywords):
    (folder / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers))
    result = folder / "results.jsonl"
    result.unlink(missing_ok=True)
    done = weft("score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", result, "-j", 2, timeout=600, **keywords)
    lines = [json.loads(line) for line in result.read_text().splitlines()] if result.exists() else []
    return done, lines


def self_test(folder, *options):
    """All attacks are held back, and the host is as it was."""
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "SECRET": "not for answers"}
    opened = os.open(folder / "inherited", os.O_RDWR | os.O_CREAT)
    inherited = os.dup2(opened, 77)  # a number that the judge does not use itself
    done = weft("judge", "--self-test", "--json", "-j", 2, *options, timeout=600, env=environment, pass_fds=[inherited])
    if done.returncode and any(missing in done.stderr for missing in ("bubblewrap", "no GPU", "NVRTC")):
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    check(done.returncode == 0, f"weft judge --self-test ends with {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout or "{\"rows\": []}")
    for row in result["rows"]:
        check(row["holds"], f"{row['name']}: {row['words']}")
        print(f"{row['name']}: {row['words']}")
    names = {row["name"] for row in result["rows"]}
    check(len(names) == len(result["rows"]) == result["of"] == result["held"], f"{len(names)} attacks and observations, as counted")
    check(len(names) >= (36 if "--quick" not in options and "--gpu" not in options else 22), f"only {len(names)} attacks and observations")
    check("not for answers" not in done.stdout, "nothing of the host's environment is told")
    check((folder / "inherited").read_bytes() == b"", "what weft has open by inheritance is not open to answers")
    os.close(inherited)
    os.close(opened)
    check(not any(temporary.iterdir()), "nothing is left in the temporary folder")
    check(not [name for name in ("link", "f0", "answer.so") if pathlib.Path("/tmp", name).exists()], "no file appears outside")


def tells_what_fails(folder):
    """A judge without its compiler does not hold: right answers do not pass, and the self-test says so."""
    fake = folder / "c++"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    done = weft("judge", "--self-test", "--quick", env={**os.environ, "CXX": str(fake)})
    check(done.returncode == 1 and "compiler" in done.stderr, f"with a compiler that fails: {done.returncode} {done.stderr}")


def make_tasks(folder):
    weft("produce", "-n", 5, "-s", 77, "-o", folder / "set", "--no-compress", "--full", "-c", "arithmetic", "-q")
    weft("tasks", folder / "set", "--kind", "python-to-readable", "-o", folder / "tasks.jsonl", "-q")
    return [{"id": record["id"] + "/python-to-readable", "answer": record["cuda_readable"]} for record in records(folder / "set") if record["cuda_readable"]]


def control_groups():
    """Where control groups with a limit on memory can be made; None: nowhere."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        number, names, own = line.split(":", 2)
        root = "/sys/fs/cgroup/memory" if names == "memory" else "/sys/fs/cgroup" if number == "0" else None
        base = pathlib.Path(root + own) if root else None
        probe = base / "weft-test" if base and os.access(base, os.W_OK) else None
        try:
            if probe:
                probe.mkdir()
                usable = any((probe / name).exists() for name in ("memory.max", "memory.limit_in_bytes"))
                probe.rmdir()
                if usable:
                    return base
        except OSError:
            pass
    return None


def memory_is_caged(folder, answers):
    """Where the system has control groups, all processes of a sandbox together have no more memory than theirs."""
    base = control_groups()
    if not base:
        print("no control groups here: memory is limited process by process")
        return
    take = "b = bytearray(%d << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\nprint('done')"
    for megabytes, fits in ((16, True), (400, False)):
        process = subprocess.run([WEFT, "inside-cage", str(base), str(128 << 20), sys.executable, "-c", take % megabytes], capture_output=True, text=True)
        check(("done" in process.stdout) == fits, f"{megabytes} MB in a group of 128 MB: {process}")
    for left in base.glob("weft-*"):
        left.rmdir()
    (folder / "answers.jsonl").write_text("".join(json.dumps(a) + "\n" for a in answers))
    with subprocess.Popen([WEFT, "score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "caged.jsonl", "-q"],
                          stdout=subprocess.DEVNULL) as process:
        seen = set()
        while process.poll() is None:
            seen |= {path.name for path in base.glob("weft-*")}
    check(seen, "weft score puts answers into groups")
    check(not list(base.glob("weft-*")), "no group is left")


def refuses_without_sandbox(folder, answers):
    """A bwrap that fails, and none at all: nothing is run."""
    fake = folder / "bin"
    fake.mkdir()
    for tool in ("g++", "gcc", "as", "ld"):
        if shutil.which(tool):
            (fake / tool).symlink_to(shutil.which(tool))
    environment = {**os.environ, "PATH": str(fake)}
    done, lines = score(folder, answers[:1], env=environment)
    check(done.returncode == 1 and "bubblewrap (bwrap) is not installed" in done.stderr and not lines, f"without bwrap: {done.stderr}")
    (fake / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no namespaces here' >&2\nexit 1\n")
    (fake / "bwrap").chmod(0o755)
    environment["PATH"] += ":/usr/bin:/bin"
    done, lines = score(folder, answers[:1], env=environment)
    check(done.returncode == 1 and "never run without one" in done.stderr and not lines, f"with a bwrap that fails: {done.stderr}")


def main():
    options = ["--gpu"] if "--gpu" in sys.argv else [] if "--all" in sys.argv else ["--quick"]
    with tempfile.TemporaryDirectory(prefix="weft-judge-test-", dir="/tmp") as name:
        folder = pathlib.Path(name)
        self_test(folder, *options)
        answers = make_tasks(folder)
        refuses_without_sandbox(folder, answers)
        if "--gpu" not in options:
            tells_what_fails(folder)
            memory_is_caged(folder, answers)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
