#!/usr/bin/env python3
"""Projects of several files: every module of tests/projects/golden, imported by Warp in a process of its own, has kernels with the
text that weft writes for its file; what weft refuses, it says why."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests/python"))

import warp_oracle  # noqa: E402
import tally  # noqa: E402
from tally import check  # noqa: E402
from test_produce import weft  # noqa: E402

GOLDEN = ROOT / "tests/projects/golden"
ENVIRONMENTS = (".venv", ".venv-1.16.0")
# File, and where Python finds its module.
FILES = [
    ("src/fluid/__init__.py", "src", "fluid"),
    ("src/fluid/core/constants.py", "src", "fluid.core.constants"),
    ("src/fluid/kernels/__init__.py", "src", "fluid.kernels"),
    ("src/fluid/kernels/advect.py", "src", "fluid.kernels.advect"),
    ("src/fluid/kernels/project.py", "src", "fluid.kernels.project"),
    ("src/fluid/kernels/factory.py", "src", "fluid.kernels.factory"),
    ("src/fluid/kernels/registry.py", "src", "fluid.kernels.registry"),
    ("src/fluid/kernels/dispatch.py", "src", "fluid.kernels.dispatch"),
    ("src/fluid/extra/inner/deep.py", "src", "fluid.extra.inner.deep"),
    ("src/rigid/body.py", "src", "rigid.body"),
    ("src/rigid/contact.py", "src", "rigid.contact"),
    ("src/rigid/derived.py", "src", "rigid.derived"),
    ("tools_ns/plot.py", "tools_ns", "plot"),
    ("tests/test_cells.py", "src:tests", "test_cells"),
]

IMPORT = """
import importlib, json, sys
sys.path[:0] = sys.argv[3].split(":")
sys.path.insert(0, sys.argv[1])
import warp as wp, project_conformance, warp_oracle
wp.config.log_level = wp.LOG_WARNING
wp.init()
module = importlib.import_module(sys.argv[2])
for kernel in project_conformance.kernels_of(module, wp):
    print(json.dumps({"of": kernel.func.__module__, **warp_oracle.texts_and_name(kernel)}))
"""


def warp_kernels(python, folders, module):
    paths = ":".join(str(GOLDEN / folder) for folder in folders.split(":"))
    done = subprocess.run([python, "-c", IMPORT, ROOT / "tools", module, paths], capture_output=True, text=True)
    check(f"Warp imports {module}", done.returncode == 0, done.stderr)
    return {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}


def text_of(record, device):
    parts = (record.get(f"{device}_{part}", "") for part in ("prelude", "forward", "backward"))
    return warp_oracle.drop_preamble(warp_oracle.strip_comments("".join(parts)))


def compare(python, version, path, folders, module):
    done = weft("extract", GOLDEN / path, "--warp", version, "-d", "both", "--json")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    made = {record["full_name"]: record for record in records if "error" not in record}
    expected = warp_kernels(python, folders, module)
    own = {name for name, row in expected.items() if row["of"] == module}
    check(f"{module}: all of its own kernels, and none of others", own <= set(made) <= set(expected), (set(made), own))
    for name in made:
        same = text_of(made[name], "cuda") == expected[name]["cuda"] and text_of(made[name], "cpp") == expected[name]["cpu"]
        check(f"{version} {module}: {name} has Warp's text", same)
    return len(made)


def test_golden():
    """How many kernels were compared."""
    total = 0
    for folder in ENVIRONMENTS:
        python = ROOT / folder / "bin/python"
        if not python.exists():
            print(f"skipped: Warp is not installed in {folder}")
            continue
        version = subprocess.run([python, "-c", "import warp; print(warp.__version__)"], capture_output=True, text=True).stdout.split()[-1]
        for row in FILES:
            total += compare(python, version, *row)
    return total


def test_tool():
    """tools/project_conformance.py finds the same of a whole package."""
    python = ROOT / ".venv/bin/python"
    if not python.exists():
        return
    done = subprocess.run([sys.executable, ROOT / "tools/project_conformance.py", GOLDEN / "src/fluid", "--python", python], capture_output=True, text=True)
    check("a package, as the tool compares it", done.returncode == 0 and "{'identical': 36}" in done.stdout, done.stdout + done.stderr)


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


KERNEL = "import warp as wp\n{}\n\n@wp.kernel\ndef k(x: wp.array(dtype=float)):\n    i = wp.tid()\n    x[i] = {}\n"


def test_refusals(folder):
    """What cannot be followed is refused where a kernel needs it, with the reason."""
    write(
        folder,
        {
            "broken.py": "def f(:\n",
            "half.py": KERNEL.format("import other\nA = other.B", "1.0") + "import half\nC = 1.0\n",
            "other.py": "import half\nB = half.C\n",
            "maybe.py": "try:\n    import nowhere\n    N = 2.0\nexcept ImportError:\n    N = 3.0\n",
            "one.py": KERNEL.format("from broken import f", "f(x[i])"),
            "two.py": KERNEL.format("from half import A", "A"),
            "three.py": KERNEL.format("from maybe import N", "N"),
            "four.py": KERNEL.format("import nowhere.deeper as deeper", "deeper.g(x[i])"),
            "five.py": KERNEL.format("from ... import up", "up(x[i])"),
            "six.py": KERNEL.format("import newton\n@wp.func\ndef twice(a: float):\n    return 2.0 * a\n", "twice(x[i])"),
            "seven.py": KERNEL.format("from maybe import missing", "missing"),
            "nine.py": KERNEL.format("class Base:\n    A = 1.0\n    def __init_subclass__(cls):\n        cls.A = 2.0\nclass C(Base):\n    pass", "C.A"),
            "ten.py": KERNEL.format("class V(wp.vec3):\n    @property\n    def x(self):\n        return 0.0", "V(1.0).x"),
            "eleven.py": KERNEL.format("class M(type):\n    pass\nclass C(metaclass=M):\n    A = 1.0", "C.A"),
            "twelve.py": KERNEL.format("class A:\n    X = 1.0\nclass B:\n    X = 2.0\nclass C(A, B):\n    pass", "C.X"),
            "lost.py": KERNEL.format(
                "import nowhere\ndef make(n):\n    if nowhere.N > n:\n        n = 1\n    @wp.func\n    def f(a: float):\n        return a * float(n)\n    return f\n"
                "def sure(n):\n    @wp.func\n    def f(a: float):\n        return a * float(n)\n    return f\n"
                "g = nowhere.call(sure)\nh = sure(2)",
                "h(x[i])",
            ),
            "method.py": KERNEL.format("D = {}\nclass C:\n    b = 3.0\n    def __init__(self):\n        self.a = 1.0\n        self.twice()\n        D['a'] = self.a + self.b\n    def twice(self):\n        self.a = 2.0\n        self.b = 4.0\nC()\nA = D['a']", "A"),
            "alive.py": KERNEL.format("class C:\n    def __init__(self, a):\n        self.a = a\nC.last = None\nc = C(2.0)\nA = c.a", "A"),
            "held.py": KERNEL.format("import nowhere\nfrom dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    d: dict\nD = {'a': 1.0}\nc = C(D)\nnowhere.change(c)\nA = D['a']", "A"),
            "slots.py": KERNEL.format("from dataclasses import dataclass\n@dataclass(frozen=True, slots=True)\nclass C:\n    a: float = 1.0\nA = C.a", "A"),
            "post.py": KERNEL.format("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    a: float\n    def __post_init__(self):\n        object.__setattr__(self, 'a', 2.0)\nA = C(1.0).a", "A"),
            "class_var.py": KERNEL.format("from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass(frozen=True)\nclass C:\n    n: ClassVar[float] = 1.0\n    a: float = 3.0\nA = C(5.0).a", "A"),
            "open.py": KERNEL.format("from dataclasses import dataclass\n@dataclass\nclass C:\n    a: float\nc = C(5.0)\nA = c.a", "A"),
            "enum_gap.py": KERNEL.format("import nowhere\nfrom enum import IntEnum, auto\nclass E(IntEnum):\n    A = 1\n    B = nowhere.B\n    C = auto()\n", "float(E.A + E.C)"),
            "added.py": KERNEL.format("D = {}\nclass C:\n    def __init__(self):\n        self.a = 1.0\n        self.a += 1.0\n        D['a'] = self.a\nC()\nA = D['a']", "A"),
            "handed.py": KERNEL.format("import nowhere\nD = {}\nclass C:\n    def __init__(self):\n        self.a = 1.0\n        nowhere.change(self)\n        D['a'] = self.a\nC()\nA = D['a']", "A"),
            "field.py": KERNEL.format("class C:\n    def __init__(self):\n        self.a = 1.0\n    def change(self):\n        self.a = 2.0\nc = C()\nc.change()\nA = c.a", "A"),
            "kept.py": KERNEL.format("kept = []\nclass C:\n    def __init__(self):\n        self.a = 1.0\n        kept.append(self)\nC().__init__()\nA = kept[0].a", "A"),
            "order.py": KERNEL.format("A = 0.0\nfor n in {1.0, 2.0}:\n    A = n", "A"),
            "changed.py": KERNEL.format("import nowhere\nD = {'a': 1.0}\nnowhere.fill(D)\nA = D['a']", "A"),
            "object.py": "import warp as wp\ndef f(x: wp.array(dtype=float)):\n    x[0] = 1.0\ndef later():\n    return wp.Kernel(f)\n",
            "magic.py": "import warp as wp\nimport nowhere\n@nowhere.magic\ndef k(x: wp.array(dtype=float)):\n    x[wp.tid()] = 1.0\n",
            "eight.py": KERNEL.format("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from maybe import N", "N"),
        },
    )
    done = weft("extract", "added.py", cwd=folder)
    check("a member that is added to", done.returncode == 0 and "= 2.0;" in done.stdout, done.stdout + done.stderr)
    for name, reason in {
        "one": "broken.py has a syntax error in line 1",
        "two": "half.py does not define 'C' before it is imported in a circle",
        "three": "it depends on whether a module can be imported",
        "four": "module 'nowhere.deeper' is not found among the files of the project",
        "five": "the import leads out of the packages that the file is in",
        "six": "depends on package 'newton', which is not among the files",
        "seven": "weft finds no 'missing' in maybe.py",
        "lost": "others of this name may be made where weft does not follow",
        "method": "objects of class 'C' are not followed",
        "handed": "objects of class 'C' are not followed",
        "field": "a call of a class is not followed",
        "kept": "objects of class 'C' are not followed",
        "alive": "a call of a class is not followed",
        "held": "may be changed",
        "slots": "class 'C' has bases or decorators that are not followed",
        "post": "a call of a class is not followed",
        "class_var": "a call of a class is not followed",
        "open": "a call of a class is not followed",
        "enum_gap": "the value of member 'C' of enum 'E' is not known: it follows one that is not known",
        "order": "it is changed in a loop",
        "changed": "it may be changed by a call",
        "object": "the kernel that wp.Kernel() makes here is made by a function",
        "magic": "the decorator is not known",
        "eight": "'N' is not defined",
        "nine": "class 'C' has bases or decorators that are not followed",
        "ten": "class 'V' adds something to a type of Warp",
        "eleven": "class 'C' has bases or decorators that are not followed",
        "twelve": "class 'C' has bases or decorators that are not followed",
    }.items():
        done = weft("extract", f"{name}.py", cwd=folder)
        check(f"{name}.py is refused", done.returncode == 1 and not done.stdout, done.stdout)
        check(f"{name}.py: the reason", reason in done.stderr, done.stderr)


def test_environment(folder):
    """Environment variables are those that weft is started with, as a program would have them."""
    write(folder, {"env.py": KERNEL.format("import os\nA = 3.5 if os.environ.get('WEFT_TEST_A') == 'yes' else 4.5\nB = os.getenv('WEFT_TEST_B', 'none')", "wp.static(A if B == 'none' else 0.0)")})
    for setting, value in (("", "4.5"), ("yes", "3.5")):
        os.environ["WEFT_TEST_A"] = setting
        done = weft("extract", "env.py", cwd=folder)
        check(f"WEFT_TEST_A={setting}", f"wp::float32 var_1 = {value};" in done.stdout, done.stdout + done.stderr)
    del os.environ["WEFT_TEST_A"]


def test_folders(folder):
    """-I names folders to look in; a chain of imports may be long, but not endless."""
    files = {"lib/far/__init__.py": "", "lib/far/away.py": "NEAR = 4.0\n", "app/main.py": KERNEL.format("from far.away import NEAR", "NEAR")}
    files |= {f"app/c{i}.py": f"from c{i + 1} import V\n" for i in range(400)} | {"app/c400.py": "V = 1.0\n"}
    files |= {"app/deep.py": KERNEL.format("from c0 import V", "V"), "app/near.py": KERNEL.format("from c330 import V", "V")}
    write(folder, files)
    refused, found = weft("extract", "app/main.py", cwd=folder), weft("extract", "app/main.py", "-I", "lib", cwd=folder)
    check("without -I", refused.returncode == 1 and "module 'far.away' is not found" in refused.stderr, refused.stderr)
    check("with -I", found.returncode == 0 and "4.0" in found.stdout, found.stderr)
    deep, near = weft("extract", "app/deep.py", cwd=folder), weft("extract", "app/near.py", cwd=folder)
    check("a long chain is refused", deep.returncode == 1 and "files import each other in a row" in deep.stderr, deep.stderr)
    check("a chain of 70 is followed", near.returncode == 0, near.stderr)


def test_places(folder):
    """A mistake in a function of another file is shown there; a finding in it at the kernel that calls it."""
    wrong = "import warp as wp\n\n\n@wp.func\ndef half(a: float):\n    return a / 2\n"
    reads = "import warp as wp\n\n\n\n\n\n\n@wp.func\ndef read(a: wp.array(dtype=float), i: int):\n    return a[i + 1000]\n"
    write(folder, {"wrong.py": wrong, "reads.py": reads, "a.py": KERNEL.format("from wrong import half", "half(x[i])")})
    write(folder, {"b.py": KERNEL.format("from reads import read", "read(x, i)")})
    done = weft("extract", "a.py", cwd=folder)
    check("the place of the mistake", "wrong.py:6:" in done.stderr and "a / 2" in done.stderr, done.stderr)
    done = weft("check", "b.py", "--dim", "4", cwd=folder)
    check("the place of the finding", "b.py:5:1: " in done.stdout, done.stdout)


def test_a_folder_is_its_files(folder):
    """Whatever is loaded once for a whole folder, each file gets the text that it gets alone."""
    together = weft("extract", GOLDEN, "-d", "both", "--json")
    paths = sorted(GOLDEN.rglob("*.py"))
    alone = [weft("extract", path, "-d", "both", "--json") for path in paths]
    records = [line for done in alone for line in done.stdout.splitlines() if "there is no kernel" not in line]
    check("the folder has the records of its files", sorted(together.stdout.splitlines()) == sorted(records), together.stderr)
    check("there are some", len(records) >= 18, len(records))


def processor_time(*args):
    before = os.times()
    check("extract", weft("extract", *args, "-o", os.devnull).returncode == 0)
    return sum(os.times()[2:4]) - sum(before[2:4])


def test_time_is_linear(folder):
    """A package whose files are all loaded when it is imported costs little more than the files alone: it is loaded once."""
    count = 800
    kernel = KERNEL.format("from .common import scaled", "scaled(x[i])")
    files = {f"{package}/m{i}.py": kernel for package in ("all", "none") for i in range(count)}
    files |= {f"{package}/common.py": "import warp as wp\n@wp.func\ndef scaled(x: float):\n    return 2.0 * x\n" for package in ("all", "none")}
    files |= {"all/__init__.py": "".join(f"from . import m{i}\n" for i in range(count)), "none/__init__.py": ""}
    write(folder, files)
    loaded, alone = processor_time(folder / "all"), processor_time(folder / "none")
    check("time of a package that imports all its files", loaded < 5 * alone + 0.1, f"{loaded:.2f} s against {alone:.2f} s")


def main():
    total = test_golden()
    check("every version has the kernels of the project", total % 39 == 0, total)
    test_tool()
    for test in (test_refusals, test_environment, test_folders, test_places, test_a_folder_is_its_files, test_time_is_linear):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    complete = all((ROOT / folder / "bin/python").exists() for folder in ENVIRONMENTS)
    return 1 if tally.failures else 0 if complete else 77


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
