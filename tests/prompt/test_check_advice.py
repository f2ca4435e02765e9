#!/usr/bin/env python3
"""`weft check` says what to do about a launch that is not valid, and what it says works: the same call with the flags that it
advises has no finding. Flags for arguments that no kernel has, or that do not fit them, are errors."""

import json
import resource
import shlex

from prompt import ROOT, expect, finish, run

FINDINGS = ROOT / "tests/prompt/kernels/findings.py"
SAXPY = ROOT / "examples/saxpy.py"
ADVICE = {"neighbour": "--shape x=9", "blur": "--shape image=24,24", "gather": "--range idx=0,0", "root": "--range x=1,2", "divide": None, "race": "--dim 1",
          "stat": "--range p.m=2,3", "long": None, "both": "--shape x=32 --set n=0", "flat": "--dim 1,1"}


def check(*args):
    done = run("check", *args, "--json")
    return done, {row["kernel_name"]: row for row in map(json.loads, done.out.splitlines()) if "error" not in row}


def advice_of(row):
    return [(finding["pass"], finding.get("valid_with")) for finding in row["findings"]]


def test_advice_works():
    done, rows = check(FINDINGS)
    expect(done.returncode == 1 and rows.keys() == ADVICE.keys(), f"findings.py: {done.returncode}, {list(rows)}")
    for name, flags in ADVICE.items():
        expect(advice_of(rows[name]) == [("forward", flags)], f"{name}: {advice_of(rows[name])}, not {flags}")
        if flags:
            again, valid = check(FINDINGS, "-k", name, *shlex.split(flags))
            expect(valid[name]["forward"] == "pass" and not valid[name]["findings"], f"{name} {flags}: {valid[name]}")


def test_advice_works_for_any_kernel():
    """Of the golden set: every piece of advice is true, and hardly a finding is left without one."""
    done, rows = check(ROOT / "tests/golden")
    advised = unadvised = 0
    for name, row in rows.items():
        for finding in row["findings"]:
            if finding["pass"] != "forward" or finding["kind"] == "unsupported":
                continue
            flags = finding.get("valid_with")
            unadvised += flags is None
            if not flags:
                continue
            advised += 1
            _, again = check(row["file"], "-k", row["full_name"], *shlex.split(flags))
            left = [finding for finding in again[name]["findings"] if finding["pass"] == "forward"]
            expect(again[name]["forward"] == "pass" and not left, f"{name} {flags}: {again[name]}")
    print(f"golden set: {advised} findings with advice, {unadvised} without")
    expect(advised >= 25 and unadvised <= 4, f"golden set: {advised} findings with advice, {unadvised} without")


def test_another_launch():
    """Where nothing is said about the launch, one that is valid is judged instead; a launch that is asked for is judged as it is."""
    done, rows = check(FINDINGS)
    for name, flags in ADVICE.items():
        expect(rows[name].get("launched_with") == flags, f"{name}: {rows[name]}")
        expect((rows[name]["forward"] == "pass") == bool(flags), f"{name}: {rows[name]}")
    text = run("check", FINDINGS, "-k", "neighbour")
    words = "    launched with --shape x=9; with the usual arguments, an index is out of bounds: index 8 of 8 elements (line 15)\n"
    expect(text.returncode == 0 and words in text.out, f"neighbour: {text.out}")
    asked, rows = check(FINDINGS, "-k", "neighbour", "--dim", "8")
    expect(asked.returncode == 1 and rows["neighbour"]["forward"] == "finding" and "launched_with" not in rows["neighbour"], f"{rows}")
    wrong = ROOT / "tests/prompt/kernels/wrong_beside.py"
    done, rows = check(wrong)
    row = rows["wrong_beside"]
    expect(row["gradient"] == "mismatch" and row["launched_with"] and row["example"]["flags"].startswith(row["launched_with"] + " "), f"{row}")
    again, rows = check(wrong, *shlex.split(row["example"]["flags"]))
    expect(rows["wrong_beside"]["gradient"] == "mismatch", f"the example's flags: {rows}")


def test_words():
    text = run("check", FINDINGS, "--range", "0.25,0.95").out
    for words in ("neighbour: not checked: this launch is not valid\n", "error: an index is out of bounds: index 8 of 8 elements (forward pass, thread 7)\n",
                  "hint: with --shape x=9 the launch is valid\n", "error: division by zero (forward pass, thread 0)\n", "(forward pass, thread 6,0)"):
        expect(words in text, f"not said: {words!r}")
    expect(": finding" not in text, "the word 'finding' alone says nothing to a stranger")


def test_names():
    """(flags, message): exit code 1, and what is wrong is said."""
    for flags, message in (
        (["--shape", "q=3"], "--shape q: no kernel that was checked has an argument 'q'"),
        (["--range", "xs=0,1"], "--range xs: no kernel that was checked has an argument 'xs'"),
        (["--set", "b=1"], "--set b: no kernel that was checked has an argument 'b'"),
        (["--shape", "a=3"], "saxpy: --shape a: 'a' is not an array"),
        (["--shape", "x=3,4"], "saxpy: --shape x: 'x' has 1 dimension, not 2"),
    ):
        done = run("check", SAXPY, "-k", "saxpy", *flags)
        expect(done.returncode == 1 and message in done.err, f"{flags}: {done.returncode}: {done.err}")
    for flags in (["--shape", "9"], ["--shape", "x=9", "--range", "x=0,1", "--set", "a=2"]):
        done = run("check", SAXPY, "-k", "saxpy", *flags)
        expect(done.returncode == 0 and not done.err, f"{flags}: {done.returncode}: {done.err}")
    for flags, message in (
        (["--set", "p.n=1.5"], "'p.n' is an integer"),
        (["--range", "p=1,2"], "'p' is not made of numbers; name one of its fields"),
    ):
        done = run("check", FINDINGS, "-k", "stat", *flags)
        expect(done.returncode == 1 and message in done.err, f"{flags}: {done.returncode}: {done.err}")
    done = run("check", FINDINGS, "-k", "blur", "--shape", "imgae=9,9")
    expect(done.returncode == 1 and "argument 'imgae' (did you mean 'image'?)" in done.err, f"imgae: {done.err}")
    # one kernel of the file has it: enough
    done = run("check", FINDINGS, "--shape", "image=24,24")
    expect("argument 'image'" not in done.err, f"--shape image: {done.err}")


def test_launches_without_end():
    """Many launches are tried for an advice or a smallest example: those that do not end must not take seconds each."""
    used = lambda: resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    for name, words in (("endless.py", "out of bounds"), ("endless_example.py", "smallest example found (--dim 1 --shape 6 --seed 3)")):
        before = used()
        done = run("check", ROOT / "tests/prompt/kernels" / name)
        expect(done.returncode == 1 and words in done.err + done.out, f"{name}: {done.returncode}: {done.err}")
        expect(used() - before < 3, f"{name}: {used() - before:.1f} s")


if __name__ == "__main__":
    test_launches_without_end()
    test_advice_works()
    test_advice_works_for_any_kernel()
    test_another_launch()
    test_words()
    test_names()
    finish()
