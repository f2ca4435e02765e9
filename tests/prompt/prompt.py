"""What the tests of the command line share: running weft, the tables of its options, and counting what fails."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
SAXPY = str(ROOT / "examples/saxpy.py")
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")
        if "WEFT_MUTANT" in os.environ:  # tools/mutants.py: one failure says it all
            sys.exit(1)
    return condition


def finish(missing=()):
    """`missing`: tools without which a part of the test was left out."""
    if missing and not failures:
        print(f"skipped: not installed: {', '.join(missing)}; all else passed")
        sys.exit(77)
    print(f"{len(failures)} failed" if failures else "all passed")
    sys.exit(1 if failures else 0)


def run(*args, **options):
    options = {"capture_output": True, "stdin": subprocess.DEVNULL, "timeout": 120} | options
    env = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "dumb"} | options.pop("env", {})
    done = subprocess.run([WEFT, *map(str, args)], env=env, **options)
    done.out = done.stdout.decode("utf-8", "replace") if done.stdout is not None else ""
    done.err = done.stderr.decode("utf-8", "replace") if done.stderr is not None else ""
    return done


def command_names():
    """As `weft help` lists them."""
    listed = run("help").out.split("usage:")[1].split("`weft help")[0]
    return re.findall(r"^  (\w+)", listed, re.M)


def options_of(command):
    """[(letter or None, name, value or None)], as `weft help COMMAND` shows them."""
    text = run("help", command).out
    return re.findall(r"^  (?:(-\w), |    )--([\w-]+)(?: (\S+))?", text, re.M)
