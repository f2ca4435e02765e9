#!/usr/bin/env python3
"""The GitHub action and the pre-commit hook: action.yml passes each input to tools/action.sh, which installs a package and checks.

The package is a small one whose command `weft` is the one that was built: building the wheel takes minutes (tools/check_wheel.py)."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/python"))

import tally  # noqa: E402
from tally import check  # noqa: E402
from test_produce import WEFT, weft  # noqa: E402

KERNELS = """\
import warp as wp


@wp.kernel
def carried(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    s = x[i]
    for k in range(n):
        s = s * s
    y[i] = s
"""

PIP = """\
#!/bin/bash
echo "$@" > "$RUNNER_TEMP/installed"
ln -s "$WEFT_BUILT" "$(dirname "$0")/weft"
"""


def inputs_of_action():
    """The environment of the step, by input."""
    text = (ROOT / "action.yml").read_text()
    declared = re.findall(r"^  (\w+):$", text.split("runs:")[0], re.M)
    passed = dict(re.findall(r"(WEFT_\w+): \$\{\{ inputs\.(\w+) \}\}", text))
    check("every input is passed", sorted(passed.values()) == sorted(declared) and len(declared) == 5, (declared, passed))
    used = set(re.findall(r"WEFT_\w+", (ROOT / "tools/action.sh").read_text()))
    check("every input is used", used == set(passed), (used, passed))
    check("the step is the script", "$GITHUB_ACTION_PATH/tools/action.sh" in text)


def run_action(folder, **inputs):
    """The step, with a Python whose virtual environment has the package at once."""
    temp, commands = folder / "temp", folder / "commands"
    for made in (temp, commands):
        made.mkdir(exist_ok=True)
    python = commands / "python3"
    python.write_text('#!/bin/bash\nmkdir -p "$3/bin"\ncp "$PIP_FILE" "$3/bin/pip"\nrm -f "$3/bin/weft"\n')
    (folder / "pip").write_text(PIP)
    for file in (python, folder / "pip"):
        file.chmod(0o755)
    env = os.environ | {"PATH": f"{commands}:{os.environ['PATH']}", "RUNNER_TEMP": str(temp), "GITHUB_ACTION_PATH": str(ROOT)}
    env |= {"PIP_FILE": str(folder / "pip"), "WEFT_BUILT": str(pathlib.Path(WEFT).resolve())} | inputs
    done = subprocess.run([ROOT / "tools/action.sh"], cwd=folder / "project", env=env, capture_output=True, text=True)
    installed = (temp / "installed").read_text().split()
    return done, installed[-1]


def action(folder):
    project = folder / "project"
    project.mkdir()
    (project / "kernels.py").write_text(KERNELS)
    (project / "with space").mkdir()
    done, installed = run_action(folder, WEFT_PATHS="kernels.py")
    check("a wrong gradient fails the job", done.returncode == 1 and "kernels.py:9:9: error" in done.stderr + done.stdout, done.stdout + done.stderr)
    check("this revision is installed", installed == str(ROOT), installed)
    sarif = json.loads((project / "weft.sarif").read_text())
    check("the findings", [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["loop-carried"], sarif)
    facts = project / "facts.json"
    facts.write_text('{"facts": 1, "modules": {}}')
    inputs = {"WEFT_PATHS": ". kernels.py", "WEFT_BASELINE": "known.txt", "WEFT_SARIF": "out.sarif", "WEFT_PACKAGE": "https://host/weft.whl", "WEFT_FACTS": "facts.json"}
    done, installed = run_action(folder, **inputs)
    check("a new baseline passes", done.returncode == 0 and (project / "known.txt").exists() and (project / "out.sarif").exists(), done.stderr)
    check("a wheel is installed", installed == "https://host/weft.whl", installed)
    facts.write_text("{}")
    done, _ = run_action(folder, **inputs)
    check("facts that are none", done.returncode == 1 and "no file of facts" in done.stderr, done.stderr)


def hook(folder):
    """The command of .pre-commit-hooks.yaml, as pre-commit calls it."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entry = re.search(r"entry: weft (.*)", text)[1].split()
    args = json.loads(re.search(r"args: (.*)", text)[1])
    other = folder / "other"
    other.mkdir()
    (other / "kernels.py").write_text(KERNELS)
    check("the first run writes the baseline", weft(*entry, *args, cwd=other).returncode == 0 and (other / ".weft-baseline").exists())
    (other / "more.py").write_text(KERNELS.replace("carried", "another"))
    done = weft(*entry, *args, cwd=other)
    check("a new finding stops the commit", done.returncode == 1 and "more.py:9:9" in done.stdout + done.stderr, done.stdout + done.stderr)


def main():
    inputs_of_action()
    with tempfile.TemporaryDirectory() as folder:
        action(pathlib.Path(folder))
        hook(pathlib.Path(folder))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
