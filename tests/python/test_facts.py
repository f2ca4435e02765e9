#!/usr/bin/env python3
"""Constants and enums of packages that weft does not read: `weft facts` lists them, --facts uses them, and mujoco's are known.

A package is made here; Warp imports it, and weft knows it by its facts alone. The texts must be the same."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests/python"))

import package_facts  # noqa: E402
import tally  # noqa: E402
from tally import check  # noqa: E402
from test_produce import weft  # noqa: E402
from test_projects import text_of  # noqa: E402

PYTHON = ROOT / ".venv/bin/python"

# An enum of pybind11 is no integer of Python, but becomes one.
PACKAGE = """\
import enum

__version__ = "2.5.0"
SIZE = 7
STEP = 0.25
EXACT = True
NAME = "engine"
HUGE = 1 << 80
_HIDDEN = 3


class Joint(enum.IntEnum):
    FREE = 3
    HINGE = 5


class Word(enum.Enum):
    A = "a"


class Geom:
    def __init__(self, name, value):
        self.name, self.value = name, value

    def __int__(self):
        return self.value

    __index__ = __int__


Geom.__members__ = {"BOX": Geom("BOX", 6), "PLANE": Geom("PLANE", 0)}
Geom.BOX, Geom.PLANE = Geom.__members__.values()


def decorator(f):
    return f
"""

KERNELS = """\
from enum import IntEnum

import engine
import engine.inner
import warp as wp
from engine import STEP, Joint


class Shape(IntEnum):
    BOX = engine.Geom.BOX
    PLANE = engine.Geom.PLANE


SIZE = engine.SIZE
BOX = int(engine.Geom.BOX)
TWICE = 2 * engine.inner.DEPTH + engine.Geom.BOX.value


@engine.decorator
def helper(x):
    return x


@wp.func
def f(x: float):
    return x * STEP


@wp.kernel
def k(a: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    a[i] = f(a[i]) + float(SIZE)
    n[i] = Shape.BOX + Joint.HINGE + TWICE + BOX
    if wp.static(engine.EXACT):
        n[i] += 1
"""

REFUSED = """\
import engine
import warp as wp

MISSING = engine.MISSING


@wp.kernel
def k(n: wp.array(dtype=int)):
    n[wp.tid()] = MISSING


@wp.kernel
def member(n: wp.array(dtype=int)):
    n[wp.tid()] = engine.Geom.BOX
"""

ORACLE = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
import warp as wp, warp_oracle
module = importlib.import_module("kernels")
print(json.dumps(warp_oracle.texts_and_name(module.k)))
"""

MUJOCO = """\
from enum import IntEnum

import mujoco
import warp as wp

SMALL = mujoco.mjMINVAL


class Geom(IntEnum):
    BOX = mujoco.mjtGeom.mjGEOM_BOX


class Bit(IntEnum):
    GRAVITY = mujoco.mjtDisableBit.mjDSBL_GRAVITY
    CONTACT = mujoco.mjtDisableBit.mjDSBL_CONTACT


@wp.kernel
def known(a: wp.array(dtype=float), n: wp.array(dtype=int)):
    i = wp.tid()
    a[i] = SMALL
    n[i] = Geom.BOX + Bit.CONTACT


@wp.kernel
def changed(n: wp.array(dtype=int)):
    n[wp.tid()] = Bit.GRAVITY
"""


def records(*args):
    done = weft("extract", *args, "-d", "both", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["kernel_key"]: row for row in rows if "error" not in row}, {row["kernel_name"]: row["error"]["message"] for row in rows if "error" in row}


def write(folder):
    for name, text in {"site/engine/__init__.py": PACKAGE, "site/engine/inner.py": "DEPTH = 4\n", "kernels.py": KERNELS, "refused.py": REFUSED, "mujoco_kernels.py": MUJOCO}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "site/engine/__init__.py").write_text(PACKAGE + "\nfrom engine import inner\n")


def ask(folder):
    """`weft facts` of the package."""
    env = os.environ | {"PYTHONPATH": str(folder / "site")}
    done = weft("facts", "engine", "-o", folder / "facts.json", "--python", sys.executable, env=env)
    check("weft facts", done.returncode == 0 and not done.stdout, done.stderr)
    facts = json.loads((folder / "facts.json").read_text())
    check("the version", facts["version"] == "2.5.0", facts)
    check(
        "the constants",
        facts["modules"]["engine"]["constants"] == {"SIZE": 7, "STEP": 0.25, "EXACT": True, "NAME": "engine"},
        facts,
    )
    check("the enums", facts["modules"]["engine"]["enums"] == {"Geom": {"is_int": False, "members": {"BOX": 6, "PLANE": 0}}, "Joint": {"is_int": True, "members": {"FREE": 3, "HINGE": 5}}}, facts)
    check("a module inside", facts["modules"]["engine.inner"]["constants"] == {"DEPTH": 4}, facts)


def use(folder):
    made, refused = records(folder / "kernels.py", "--facts", folder / "facts.json")
    check("the kernel is written", set(made) == {"k"}, refused)
    without, reasons = records(folder / "kernels.py")
    check("without facts it is refused", not without and set(reasons) == {"k"}, (without, reasons))
    if PYTHON.exists():
        env = os.environ | {"PYTHONPATH": f"{folder}:{folder / 'site'}"}
        done = subprocess.run([PYTHON, "-c", ORACLE, ROOT / "tools"], capture_output=True, text=True, env=env)
        check("Warp compiles it", done.returncode == 0, done.stderr)
        warp = json.loads(done.stdout.splitlines()[-1])
        if "k" not in made:
            return
        check("Warp's name", warp["name"] == made["k"]["full_name"], (warp["name"], made["k"]["full_name"]))
        for device, text in (("cuda", warp["cuda"]), ("cpp", warp["cpu"])):
            check(f"Warp's text ({device})", text_of(made["k"], device) == text)
    else:
        print("skipped: Warp is not installed in .venv")
    made, refused = records(folder / "refused.py", "--facts", folder / "facts.json")
    check("a name without a fact", "no facts about 'MISSING'" in refused.get("k", ""), refused)
    check("a member that is no integer", "member" in refused and not made, refused)


def wrong_files(folder):
    for name, text in {"not.json": "{", "other.json": '{"facts": 2}', "member.json": '{"facts": 1, "modules": {"m": {"constants": {}, "enums": {"E": {"members": {"A": 0.5}}}}}}'}.items():
        (folder / name).write_text(text)
        for command in ("extract", "check", "standalone", "harvest"):
            out = ["-o", folder / f"out-{command}"] if command in ("standalone", "harvest") else []
            done = weft(command, folder / "kernels.py", *out, "--facts", folder / name)
            check(f"{command}: {name} is no file of facts", done.returncode == 1 and "is no file of facts" in done.stderr and "memory" not in done.stderr, done.stderr)
    done = weft("facts", "no_such_package_here", "--python", sys.executable)
    check("a package that is not there", done.returncode == 1 and "ModuleNotFoundError" in done.stderr and not done.stdout, done.stderr)
    done = weft("facts", "math", "--python", folder / "no-python")
    check("a Python that is not there", done.returncode == 1 and "cannot import 'math'" in done.stderr, done.stderr)
    check("no package", weft("facts").returncode == 2)


def known_package(folder):
    """mujoco's constants are known without a file, as far as its versions agree."""
    made, refused = records(folder / "mujoco_kernels.py")
    check("constants of all versions", set(made) == {"known"} and "1e-15" in made["known"]["cuda_forward"], refused)
    check("one that changed", "not the same in all versions" in refused.get("changed", ""), refused)
    facts = {"facts": 1, "modules": {"mujoco": {"constants": {"mjMINVAL": 0.5}, "enums": {"mjtDisableBit": {"is_int": False, "members": {"mjDSBL_GRAVITY": 64}}}}}}
    (folder / "own.json").write_text(json.dumps(facts))
    made, refused = records(folder / "mujoco_kernels.py", "--facts", folder / "own.json")
    check("facts of a file replace the table", set(made) == {"changed"} and "64" in made["changed"]["cuda_forward"], refused)


def table():
    """The table is made of files of facts."""

    def of(version, constants, members):
        return {"package": "p", "version": version, "modules": {"p": {"constants": constants, "enums": {"E": {"is_int": False, "members": members}}}}}

    text = package_facts.table([of("10.0.0", {"A": 1, "B": 0.5, "NEW": 9}, {"X": 0, "Y": 2}), of("9.0.0", {"A": 1, "B": 0.25, "S": "text"}, {"X": 0, "Y": 1})])
    rows = [line for line in text.splitlines() if line.startswith("FACT_")]
    expected = [
        'FACT_NUMBER("p", "A", 1)',
        'FACT_CHANGED("p", "", "B", "9.0.0, 10.0.0")',
        'FACT_NUMBER("p", "NEW", 9)',
        'FACT_MEMBER("p", "E", "X", 0)',
        'FACT_CHANGED("p", "E", "Y", "9.0.0, 10.0.0")',
    ]
    check("the rows of a table", rows == expected, rows)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write(folder)
        ask(folder)
        use(folder)
        wrong_files(folder)
        known_package(folder)
    table()
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
