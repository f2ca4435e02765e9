#!/usr/bin/env python3
"""Code that the usual launch does not run: `weft check` finds launches that run it, and names the branches that none takes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
FILE = ROOT / "tests/gradients/branches.py"
HEAD = FILE.read_text().split("@wp.struct")[0]
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")


def weft(*words):
    return subprocess.run([WEFT, "check", *map(str, words)], capture_output=True, text=True)


def rows_of(*words):
    done = weft(*words, "--json")
    return done, {row["kernel"]: row for row in map(json.loads, done.stdout.splitlines())}


def check_body(folder, parameters, body, *flags):
    path = pathlib.Path(folder, "k.py")
    path.write_text(f"{HEAD}@wp.kernel\ndef k({parameters}, out: wp.array(dtype=float)):\n    i = wp.tid()\n{body}")
    done, rows = rows_of(path, "--no-example", *flags)
    return done, rows["k"], path


def test_file():
    done, rows = rows_of(FILE)
    expect(done.returncode == 1, f"exit code {done.returncode}")
    for name, row in rows.items():
        if name.startswith("wrong_"):
            expect(row["gradient"] == "mismatch" and row["launched_with"], f"{name}: {row}")
            again, judged = rows_of(FILE, "-k", name, *row["launched_with"].split())
            expect(again.returncode == 1 and judged[name]["gradient"] == "mismatch", f"{name}: {row['launched_with']} does not show it")
        else:
            expect(row["forward"] == "pass" and row["gradient"] == "pass", f"{name}: {row}")
    expect(rows["right_everywhere"]["never_taken"] == [], rows["right_everywhere"])
    expect(rows["right_everywhere"]["launch_count"] > 1, rows["right_everywhere"])


def test_flags_once():
    """The usual launch is not valid, and the valid one takes no branch: the launch that does has each flag once."""
    root = "    y = wp.sqrt(a[i] - 0.95)\n    if a[i] > 40.0:\n        out[i] = triple(a[i]) + y\n    else:\n        out[i] = y\n"
    with tempfile.TemporaryDirectory() as folder:
        done, row, path = check_body(folder, "a: wp.array(dtype=float)", root)
        flags = row["launched_with"]
        expect(row["gradient"] == "mismatch" and flags.count("--range a=") == 1, f"{row}")
        expect(done.returncode == 1, done.stdout)
        expect(rows_of(path, *flags.split())[1]["k"]["gradient"] == "mismatch", f"{flags} does not show it")
        text = weft(path, "--no-example").stdout
        expect(text.count("launched with") == 1 and f"launched with {flags}, which" in text, text)


def test_wide_numbers():
    """Constants of 64 bits decide, too, and the flags have all of their digits."""
    for kind, number, flags in (("int64", "123456789012", "--set n=123456789012"), ("uint64", "12", "--set n=12"), ("int64", "-77", "--set n=-77"), ("float64", "1234.5", None)):
        with tempfile.TemporaryDirectory() as folder:
            body = f"    if n == wp.{kind}({number}):\n        out[i] = triple(a[i])\n    else:\n        out[i] = a[i]\n"
            if not flags:
                body = body.replace("==", ">")
            done, row, path = check_body(folder, f"a: wp.array(dtype=float), n: wp.{kind}", body)
            expect(row["gradient"] == "mismatch" and flags in (None, row["launched_with"]), f"{kind}({number}): {row}")
            again = rows_of(path, *row.get("launched_with", "").split())[1]["k"]
            expect(again["gradient"] == "mismatch", f"{kind}({number}): not shown by {row.get('launched_with')}")


def test_never_taken():
    lines = FILE.read_text().splitlines()
    nan, loop = (next(n for n, line in enumerate(lines, 1) if text in line) for text in ("wp.isnan(a[i])", "range(i, i)"))
    done, rows = rows_of(FILE, "-k", "partly_checked")
    ways = [(way["line"], way["way"], pathlib.Path(way["file"]).name) for way in rows["partly_checked"]["never_taken"]]
    expect(ways == [(nan, "true", "branches.py"), (loop, "body", "branches.py")], ways)
    expect(done.returncode == 0, "a branch that was never taken is no finding")
    expect(weft(FILE, "-k", "partly_checked", "--require-coverage").returncode == 1, "--require-coverage")
    expect(weft(FILE, "-k", "right_everywhere", "--require-coverage").returncode == 0, "--require-coverage where all of it ran")
    text = weft(FILE, "-k", "partly_checked").stdout
    expect(f"the condition at line {nan} was never true" in text and f"the loop at line {loop} never ran" in text, text)
    expect("right on 1 launch " in text, text)
    with tempfile.TemporaryDirectory() as folder:
        sarif = pathlib.Path(folder, "out.sarif")
        done = weft(FILE, "--no-example", "-v", "--sarif", sarif)
        expect("2 in order (1 with branches that were never taken)" in " ".join(done.stderr.split()), done.stderr)
        run = json.loads(sarif.read_text())["runs"][0]
        notes = [result for result in run["results"] if result["ruleId"] == "branch-never-taken"]
        expect([note["level"] for note in notes] == ["note", "note"], notes)
        expect([note["locations"][0]["physicalLocation"]["region"]["startLine"] for note in notes] == [nan, loop], notes)
        for result in run["results"]:
            expect(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"], result)


def test_flags():
    """What is asked for is judged as it is, and what it does not run is named."""
    done, rows = rows_of(FILE, "-k", "wrong_above_ten", "--set", "n=4")
    row = rows["wrong_above_ten"]
    expect(done.returncode == 0 and row["gradient"] == "pass" and [way["way"] for way in row["never_taken"]] == ["true"], row)


def test_expressions():
    """Several choices in a statement count one by one; a constant decides when the kernel is compiled; ties are no finding."""
    array = "a: wp.array(dtype=float)"
    with tempfile.TemporaryDirectory() as folder:
        for parameters, body, gradient, never in (
            (array, "    out[i] = wp.where(a[i] > 0.5, a[i], 2.0 * a[i]) + wp.where(a[i] > 300.0, triple(a[i]), 0.0)\n", "mismatch", 0),
            (array, "    out[i] = a[i] if wp.isnan(a[i]) else 2.0 * a[i]\n", "pass", 1),
            (array, "    if wp.static(3 > 4):\n        out[i] = triple(a[i])\n    out[i] = a[i]\n", "pass", 0),
            (array, "    if a[i] == 0.0:\n        out[i] = 2.0 * a[i]\n    else:\n        out[i] = a[i]\n", "pass", 0),
            (array, "    if a[i] == 0.25:\n        out[i] = wp.max(a[i], a[0])\n    else:\n        out[i] = a[i]\n", "pass", None),
            (f"{array}, b: wp.array(dtype=wp.int32)", "    if b[i] == 90:\n        out[i] = triple(a[i])\n    else:\n        out[i] = a[i]\n", "mismatch", 0),
            (f"{array}, b: wp.array(dtype=bool)", "    out[i] = wp.where(b[i], a[i], triple(a[i]))\n", "mismatch", 0),
            (array, "    if out.shape[0] > 40:\n        out[i] = triple(a[i])\n    else:\n        out[i] = a[i]\n", "mismatch", 0),
            (f"{array}, n: int", "    k = int(0)\n    j = int(0)\n    while j < n:\n        j += 1\n        k += 2\n    out[i] = a[i]\n    if k > 30:\n        out[i] = triple(a[i])\n", "mismatch", 0),
            (array, "    k = int(0)\n    t = float(0.0)\n    while t < 5.0:\n        t += 0.5\n        k += 1\n    out[i] = a[i] + t\n    if k > 12:\n        out[i] = triple(a[i])\n", "pass", None),
            (array, "    k = int(0)\n    t = float(0.0)\n    while t < 5.0:\n        t += 0.5 + a[i] * a[i]\n        k += 1\n    out[i] = a[i]\n    if k > 12:\n        out[i] = triple(a[i])\n", "pass", 1),
            (f"{array}, mode: int", "    out[i] = doubled(a[i], mode - 7)\n", "mismatch", 0),
            (f"{array}, n: int", "    if i >= n:\n        return\n    out[i] = a[i]\n", "pass", 0),
        ):
            _, row, _ = check_body(folder, parameters, body)
            expect(row["gradient"] == gradient and (never is None or len(row["never_taken"]) == never), f"{body}: {row}")


def main():
    test_file()
    test_flags_once()
    test_wide_numbers()
    test_never_taken()
    test_flags()
    test_expressions()
    print("failed" if failures else "ok")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
