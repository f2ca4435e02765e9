#!/usr/bin/env python3
"""The same mistake has the same exit code in every command: 2 where the command line alone shows that the call is wrong, 1 where
the work found something wrong, a file that cannot be read or written included. An exit code other than 0 comes with a message,
and 0 means that everything was written."""

import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from prompt import ROOT, SAXPY, command_names, expect, finish, options_of, run

TMP = pathlib.Path(tempfile.mkdtemp(prefix="weft-exit-"))
WRONG_NUMBERS = ["", "x", "1x", " 1", "1 ", "+1", "0x10", "1.5", "1e3", "-1", "99999999999999999999", "-99999999999999999999"]
# A call of each command that would be right: mistakes are made in it.
RIGHT = {
    "extract": [SAXPY],
    "check": [SAXPY],
    "synth": [],
    "standalone": [SAXPY, "-o", TMP / "programs"],
    "produce": ["-n", "2", "-o", TMP / "set"],
    "merge": [TMP / "a", TMP / "b", "-o", TMP / "merged"],
    "export": [TMP / "a", "--format", "hf", "-o", TMP / "exported"],
    "tasks": [TMP / "a", "-o", TMP / "tasks.jsonl"],
    "score": [TMP / "tasks.jsonl", TMP / "answers.jsonl", "--data", TMP / "a", "-o", TMP / "results.jsonl"],
    "mutate": [TMP / "a", "-o", TMP / "wrong.jsonl"],
    "validate": [TMP / "none"],
    "stats": [TMP / "none"],
    "report": [TMP / "none", "-o", TMP / "report.html"],
    "serve": [TMP / "none"],
    "gpu": ["--generate", "1"],
    "bench": ["memcpy"],
}


def wrong_calls():
    """(what is wrong, the call): the exit code must be 2."""
    for command in command_names():
        right = RIGHT.get(command, [])
        yield "an unknown option", [command, *right, "--frobnicate"]
        yield "an unknown letter", [command, *right, "-Z"]
        for letter, name, value in options_of(command):
            if not value:
                yield "a value for a flag", [command, *right, f"--{name}=1"]
                continue
            yield "no value", [command, *right, f"--{name}"]
            yield "an option for a value", [command, *right, f"--{name}", "--quiet"]
            if letter:
                yield "no value", [command, *right, letter]
            numbers = WRONG_NUMBERS
            if name == "sample":  # a real number
                numbers = [n for n in numbers if n not in ("1.5", "1e3", "+1", " 1")] + ["nan", "inf", "101"]
            if value in ("N", "SEED", "JOBS", "I", "P"):
                for number in numbers:
                    yield "a wrong number", [command, *right, f"--{name}={number}"]
            if name == "categories":
                for categories in ("poetry", "vector,", "vector=x", "vector=-1", "vector=0", ""):
                    yield "a wrong category", [command, *right, f"--{name}={categories}"]
            if name in ("device", "format", "gradients", "dedup", "dump"):
                yield "a wrong choice", [command, *right, f"--{name}=poetry"]
            if name in ("count", "generate"):
                yield "nothing to do", [command, *right, f"--{name}=0"]
    for command in ("extract", "check", "standalone", "produce", "merge", "export", "tasks", "score", "mutate", "validate", "stats", "report", "serve", "gpu", "bench"):
        yield "nothing to work on", [command]
    yield "nothing to work on", ["bench", "extract"]
    for command in ("synth", "produce", "version"):
        yield "an operand too many", [command, *RIGHT.get(command, []), "operand"]
    for command in ("validate", "stats", "serve", "help"):
        yield "an operand too many", [command, "one", "two"]
    for flag in ("--dim=", "--dim=0", "--dim=1000000000", "--dim=1.5", "--dim=8,", "--dim=1,1,1,1,1", "--shape=x=0", "--shape=x", "--shape==3",
                 "--shape=", "--range=1", "--range=2,1", "--range=x=1,2,3", "--range=x=a,b", "--set=n", "--set=n=", "--set=n=1x", "--set==1",
                 "--set=n=nan", "--range=nan,1", "--range=0x1,2", "--range= 1,2"):
        yield "a wrong launch flag", ["check", SAXPY, flag]
    yield "an unknown command", ["frobnicate"]
    yield "an unknown command", ["help", "frobnicate"]
    yield "no command", []


def test_wrong_calls():
    count = 0
    for what, call in wrong_calls():
        done = run(*call)
        count += 1
        shown = " ".join(map(str, call))
        expect(done.returncode == 2, f"{what}: weft {shown}: exit code {done.returncode}: {done.err}")
        expect(done.err.startswith("weft") and not done.out, f"{what}: weft {shown}: {done.err or 'no message'}")
    print(f"{count} wrong calls")
    expect(count > 250, f"only {count} wrong calls: the help texts were not read")
    expect(not list(TMP.iterdir()), f"a wrong call wrote {list(TMP.iterdir())}")


def test_work_found_something():
    """Mistakes that only the files show: exit code 1 and a message, in every command that takes files."""
    out = TMP / "found"
    takes_files = {
        "extract": ["extract"],
        "check": ["check"],
        "standalone": ["standalone", "-o", out],
        "gpu": ["gpu", "--cpu"],
        "bench": ["bench", "extract"],
    }
    (TMP / "empty").mkdir()
    (TMP / "none.py").write_text("")
    (TMP / "refused.py").write_text("import warp as wp\n\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    x[0] = y\n")
    files = [TMP / "missing.py", TMP / "empty", TMP / "none.py", TMP / "refused.py", "/dev/null"]
    for name, call in takes_files.items():
        for file in files:
            done = run(*call, file)
            expect(done.returncode == 1 and done.err, f"{name} {file}: exit code {done.returncode}: {done.err}")
            expect("Traceback" not in done.err, f"{name} {file}: {done.err}")
    for command in ("extract", "check", "standalone"):
        done = run(*takes_files[command], SAXPY, "-k", "nope")
        expect(done.returncode == 1 and "there is no kernel 'nope'" in done.err, f"{command} -k nope: {done.returncode}: {done.err}")
    for command in ("validate", "stats", "gpu"):
        for folder in (TMP / "empty", TMP / "missing"):
            done = run(command, folder)
            expect(done.returncode == 1 and done.err, f"{command} {folder}: {done.returncode}: {done.err}")
    done = run("merge", TMP / "empty", "-o", TMP / "merged")
    expect(done.returncode == 1 and done.err, f"merge: {done.returncode}: {done.err}")
    for call in (["extract", SAXPY], ["synth"], ["produce", "-n", "2"], ["standalone", SAXPY]):
        done = run(*call, "-o", TMP / "none.py" / "x")
        expect(done.returncode == 1 and "none.py" in done.err, f"{call[0]} -o: {done.returncode}: {done.err}")


def printing_calls():
    data = TMP / "data"
    expect(run("produce", "-n", "3", "-o", data, "-j", "1").returncode == 0, "produce -n 3")
    yield from ([c, "--help"] for c in command_names())
    yield from (["help"], ["version"], ["--version"], ["--help"], ["help", "check"])
    yield from (["extract", SAXPY], ["extract", SAXPY, "--json"], ["check", SAXPY], ["check", SAXPY, "--json"], ["synth", "-n", "3"], ["synth", "--list"])
    yield from (["stats", data], ["stats", data, "--json"], ["validate", data, "-j", "1"], ["bench", "synth", "-n", "2"], ["bench", "verify", "-n", "2"])
    yield from (["bench", "standalone", "-n", "2"], ["bench", "memcpy"], ["bench", "extract", SAXPY, "--repeat", "1", "--json"])


def test_nothing_is_lost():
    """A full disk or a closed descriptor behind standard output is an error of every command that prints."""
    for call in printing_calls():
        shown = " ".join(map(str, call))
        with open("/dev/full", "w") as full:
            done = run(*call, stdout=full, stderr=subprocess.PIPE, capture_output=False)
        expect(done.returncode == 1, f"weft {shown} > /dev/full: exit code {done.returncode}")
        expect("cannot write to standard output: No space left" in done.err, f"weft {shown} > /dev/full: {done.err}")
        closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", run.__globals__["WEFT"], *map(str, call)], stderr=subprocess.PIPE)
        expect(closed.returncode == 1 and b"cannot write" in closed.stderr, f"weft {shown} >&-: {closed.returncode}: {closed.stderr}")


def test_memory_pressure():
    """Whatever the limit: all is printed and the exit code is 0, or there is a message and it is 1."""
    data = TMP / "data"
    calls = [["check", SAXPY], ["extract", SAXPY], ["extract", SAXPY, "--json"], ["synth", "-n", "5"], ["stats", data], ["validate", data, "-j", "1"],
             ["bench", "synth", "-n", "2", "--json"], ["bench", "standalone", "-n", "2"], ["standalone", SAXPY, "-o", TMP / "memory"]]
    for call in calls:
        shown, seen = " ".join(map(str, call)), set()
        whole = run(*call)
        for kib in [*range(10 << 10, 20 << 10, 256), *range(20 << 10, 128 << 10, 8 << 10)]:  # below, the kernel has no room for the program
            shutil.rmtree(TMP / "memory", ignore_errors=True)
            done = run(*call, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (kib << 10, kib << 10)))
            if done.returncode == 127:  # the loader had no room for the program
                continue
            seen.add(done.returncode)
            expect(done.returncode in (0, 1), f"weft {shown} in {kib} KiB: exit code {done.returncode}")
            if done.returncode:
                expect(done.err, f"weft {shown} in {kib} KiB: exit code 1 without a message")
            else:
                expect(done.out == whole.out or call[0] == "bench", f"weft {shown} in {kib} KiB: exit code 0, but less was printed")
        expect(seen == {0, 1}, f"weft {shown}: the limits gave only {seen}")


def main():
    try:
        test_wrong_calls()
        test_work_found_something()
        test_nothing_is_lost()
        if "asan" not in run.__globals__["WEFT"] and "tsan" not in run.__globals__["WEFT"]:  # which need terabytes of address space
            test_memory_pressure()
    finally:
        shutil.rmtree(TMP)
    finish()


if __name__ == "__main__":
    sys.exit(main())
