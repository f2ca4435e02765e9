#!/usr/bin/env python3
"""Command-line tests as pairs of files.

    tests/cli/run.py FOLDER [NAME ...] [--update]

NAME.cmd holds shell lines, run in its folder with the built weft first in PATH; NAME.out, NAME.err and NAME.rc are what
it must print and its exit code (a missing file: nothing, nothing, 0).
NAME.py without a NAME.cmd is a file that weft must refuse: `weft extract NAME.py` must print NAME.err and exit with 1;
its stdout counts only where there is a NAME.out.
--update writes what came out as what is expected: read the change before you keep it.
"""

import argparse
import difflib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 240


def run(case, weft):
    command = case.with_suffix(".cmd")
    shell = command.read_text() if command.exists() else f"weft extract {case.name}"
    env = os.environ | {"PATH": f"{weft.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    try:
        done = subprocess.run(
            ["sh", "-c", shell],
            cwd=case.parent,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"out": "", "err": f"no end after {SECONDS} s\n", "rc": "timeout\n"}
    return {
        "out": done.stdout.decode("utf-8", "replace"),
        "err": done.stderr.decode("utf-8", "replace"),
        "rc": f"{done.returncode}\n",
    }


def default(case, part):
    return {"out": "", "err": "", "rc": "0\n" if case.suffix == ".cmd" else "1\n"}[part]


def expected(case, part):
    file = case.with_suffix("." + part)
    return file.read_text() if file.exists() else default(case, part)


def counts(case, part):
    return case.suffix == ".cmd" or part != "out" or case.with_suffix(".out").exists()


def check(case, got):
    """What differs, as text; empty if nothing does."""
    shown = []
    for part in ("rc", "out", "err"):
        want = expected(case, part)
        if counts(case, part) and got[part] != want:
            shown += difflib.unified_diff(
                want.splitlines(),
                got[part].splitlines(),
                f"{case.stem}.{part}, expected",
                f"{case.stem}.{part}, printed",
                lineterm="",
            )
            if want.splitlines() == got[part].splitlines():
                shown.append(f"{case.stem}.{part}: only the line end at the end of the text differs")
    return "\n".join(shown)


def update(case, got):
    for part in ("rc", "out", "err"):
        file = case.with_suffix("." + part)
        if counts(case, part) and got[part] != default(case, part):
            file.write_text(got[part])
        elif file.exists() and counts(case, part):
            file.unlink()


def cases_of(folder, names):
    commands = sorted(folder.glob("*.cmd"))
    sources = sorted(
        p for p in folder.glob("*.py") if p.with_suffix(".cmd") not in commands and p != pathlib.Path(__file__)
    )
    return [case for case in commands + sources if not names or case.stem in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--weft", type=pathlib.Path, default=os.environ.get("WEFT", ROOT / "build" / "weft"))
    options = parser.parse_args()
    weft = pathlib.Path(options.weft).resolve()
    if not weft.exists() or weft.name != "weft":
        sys.exit(f"{weft} is no built weft; run `make build` first")

    cases, failed = cases_of(options.folder.resolve(), options.names), 0
    for case in cases:
        got = run(case, weft)
        difference = check(case, got)
        if difference and options.update:
            update(case, got)
            print(f"updated: {case.stem}")
        elif difference:
            failed += 1
            print(f"FAILED: {case.stem}\n{difference}\n")
    print(f"{len(cases)} cases, {failed} failed")
    if not cases:
        print(f"skipped: there are no cases in {options.folder}")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
