#!/usr/bin/env python3
"""Every command in a terminal of 40 and of 200 columns: no line is wider than the terminal, but for lines of source and code; long
commands show how far they are and end with a summary; colours are shown only where they are wanted."""

import pathlib
import re
import tempfile

from prompt import ROOT, WEFT, command_names, expect, finish, run
from terminal import run_in_terminal

SAXPY = "examples/saxpy.py"
FINDINGS = "tests/prompt/kernels/findings.py"
BAR = re.compile(r"\[=*>?-*\] +\d+%")


def is_source(line, sources):
    """A quoted line of a file, or the caret below it."""
    return line.startswith("    ") and (line.strip(" ^~") == "" or line.strip() in sources)


def check_widths(call, screen, columns, sources=frozenset()):
    shown = " ".join(map(str, call))
    for line in screen.painted():
        limit = columns - 1 if BAR.search(line) else columns
        if len(line) > limit and not is_source(line, sources):
            # what cannot be broken: one word, such as a path or a name
            if len(line.strip().split(" ")) > 1:
                return expect(False, f"weft {shown}, {columns} columns: {len(line)} wide: {line!r}")
    return True


def terminal(call, columns, **options):
    return run_in_terminal([WEFT, *call], columns, cwd=ROOT, **options)


def wrong_calls():
    return [["frobnicate"], ["extract"], ["extract", "--frob"], ["produce", "-n", "many"], ["synth", "-c", "vectr"], ["gpu"], ["validate", "tests"], ["stats", "/nonexistent"],
            ["check", SAXPY, "--dim", "1000000000"], ["check", SAXPY, "--shape", "q=3"], ["extract", SAXPY, "-k", "nope"], ["bench", "poetry"], []]


def test_help(columns):
    for call in [["help"], ["version"], *(["help", name] for name in command_names()), ["synth", "--list"], *wrong_calls()]:
        screen = terminal(call, columns)
        expect(screen.text.strip(), f"weft {call}: nothing is shown")
        check_widths(call, screen, columns)
    screen = terminal(["help", "produce"], columns)
    widest = max(map(len, screen.painted()))
    expect(widest > 30, f"help is {widest} wide in {columns} columns")
    expect(columns < 100 or widest <= 100, f"help is {widest} wide: too wide to read")


def test_reports(columns, work):
    sources = {line.strip() for file in (FINDINGS, "tests/gradients/wrong.py", "tests/golden/errors.py") for line in (ROOT / file).read_text().splitlines()}
    calls = [["check", FINDINGS], ["check", "tests/gradients/wrong.py"], ["check", FINDINGS, SAXPY], ["stats", work / "set"], ["bench", "extract", SAXPY], ["bench", "memcpy"]]
    for call in calls:
        screen = terminal(call, columns)
        expect(screen.lines(), f"weft {call}: nothing is shown")
        check_widths(call, screen, columns, sources)
    call = ["extract", "tests/golden/errors.py"]  # its stdout is code, which is as wide as it is
    check_widths(call, terminal(call, columns, stdout=False), columns, sources)
    expect("error:" in terminal(call, columns, stdout=False).text, "extract: no errors")


def test_progress(columns, work):
    """(call, is there a bar?, a part of the last lines)"""
    piece = work / f"piece-{columns}"
    calls = [
        (["produce", "-n", "200", "-o", work / f"set-{columns}", "-j", "1"], True, "weft produce: 200 pairs in"),
        (["produce", "-n", "60", "-o", piece / "1", "--shard", "1/2", "-j", "1"], True, "pairs in"),
        (["produce", "-n", "60", "-o", piece / "2", "--shard", "2/2", "-j", "1"], True, "pairs in"),
        (["merge", piece / "1", piece / "2", "-o", piece / "all"], True, "weft merge: 60 pairs in"),
        (["validate", work / "set", "-j", "1"], True, "0 wrong"),
        (["standalone", "-n", "5", "-o", work / f"programs-{columns}"], True, "5 programs"),
        (["bench", "synth", "-n", "300"], True, "300 kernels"),
        (["bench", "verify", "-n", "60"], True, "gradients marked"),
        (["bench", "standalone", "-n", "40"], True, "40 kernels"),
        (["standalone", "--verify", work / "programs"], True, "1 program"),
        (["extract", "examples", "-o", work / "code.cu"], True, "kernels of"),
        (["synth", "-n", "300", "-o", work / "kernels.py"], True, ""),
        (["check", "examples", "-k", "saxpy"], False, "saxpy: forward agrees"),
    ]
    for call, bar, words in calls:
        screen = terminal(call, columns)
        shown = " ".join(map(str, call))
        check_widths(call, screen, columns)
        expect(screen.code == 0, f"weft {shown}: exit code {screen.code}: {screen.lines()}")
        expect(bar == any(BAR.search(line) for line in screen.painted()), f"weft {shown}, {columns} columns: bar: {screen.painted()[:3]}")
        expect(not any(BAR.search(line) for line in screen.lines()), f"weft {shown}: the bar stays: {screen.lines()}")
        expect(words in re.sub(r"\s+", " ", " ".join(screen.lines())), f"weft {shown}: no summary: {screen.lines()}")
        if call[0] == "bench":
            quiet = terminal([*call, "-q"], columns, stdout=False)
            expect(not quiet.text, f"weft {shown} -q: {quiet.text[:200]!r}")


def test_gpu(columns):
    """Without Warp's headers there is a message instead."""
    call = ["gpu", "--cpu", "--generate", "4", "--no-cache", "--keep", "/nonexistent/never", "-j", "1"]
    screen = terminal(call, columns)
    check_widths(call, screen, columns)
    expect(screen.lines(), "gpu: nothing is shown")


def test_colours():
    for call in (["help", "check"], ["check", SAXPY], ["check", FINDINGS], ["extract", "tests/golden/errors.py"]):
        for env, wanted in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
            screen = terminal(call, 80, env=env)
            expect(screen.has_colours() == wanted, f"weft {' '.join(call)} with {env}: colours: {not wanted}")
        expect(b"\x1b" not in run(*call, cwd=ROOT).stdout + run(*call, cwd=ROOT).stderr, f"weft {' '.join(call)}: colours in a file")
    screen = terminal(["bench", "synth", "-n", "300"], 80, env={"TERM": "dumb"})
    expect("\x1b" not in screen.text and "%" not in screen.text, f"a bar on a dumb terminal: {screen.text[:200]!r}")


def test_without_terminal(work):
    """Where stderr is a file, a run ends with its result; -v: lines while it runs; -q: silence."""
    for flags, running, result in (([], False, True), (["-v"], True, True), (["-q", "-v"], False, False)):
        done = run("produce", "-n", "2500", "-o", work / f"lines{len(flags)}{running}", "-j", "1", "--no-verify", *flags)
        lines = done.err.splitlines()
        expect(done.returncode == 0 and "\r" not in done.err, f"produce {flags}: {done.err}")
        expect(any("2500 pairs in" in line for line in lines) == result, f"produce {flags}: {lines}")
        if not running:
            expect(len(lines) == 4 * result, f"produce {flags}: {lines}")
    done = run("bench", "verify", "-n", "2500", "-v")  # takes a second or two
    expect(re.search(r"^weft bench: \d+ of 2500 kernels, [\d.]+/s, \d+:\d\d left$", done.err, re.M), f"bench -v: {done.err}")


def main():
    with tempfile.TemporaryDirectory(prefix="w") as name:
        work = pathlib.Path(name)
        expect(run("produce", "-n", "60", "-o", work / "set", "-j", "1").returncode == 0, "produce")
        expect(run("standalone", ROOT / SAXPY, "-o", work / "programs").returncode == 0, "standalone")
        for columns in (40, 200):
            test_help(columns)
            test_reports(columns, work)
            test_progress(columns, work)
            test_gpu(columns)
        test_colours()
        test_without_terminal(work)
    finish()


if __name__ == "__main__":
    main()
