#!/usr/bin/env python3
"""tools/teach/benchmark.py on a project made here: what it takes from a wheel, what counts, near copies, tasks; tools/teach/traits.py on known kernels."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/teach"), str(ROOT / "tests/python")]
from warp_env import reexec_with_warp  # noqa: E402

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


KERNEL = '''
@wp.kernel
def _relax_{name}(x: wp.array(dtype=float), target: wp.array(dtype=float), rate: float, y: wp.array(dtype=float)):
    i = wp.tid()
    gap = target[i] - x[i]
    if gap > {limit}:
        gap = {limit}
    y[i] = x[i] + rate * gap * (1.0 + x[i] * x[i]) {more}
'''
OTHER = '''
@wp.kernel
def _last_of_{name}(counts: wp.array(dtype=int), offsets: wp.array(dtype=int), total: wp.array(dtype=int)):
    total[0] = counts[0] + offsets[1]
'''

MAXIMA = '''
@wp.kernel
def _last_of_b(values: wp.array2d(dtype=float), best: wp.array(dtype=float)):
    row, column = wp.tid()
    if column + 1 < values.shape[1]:
        wp.atomic_max(best, row, wp.abs(values[row, column] - values[row, column + 1]))
'''


def make_wheel(folder, name, text, licence="License-Expression: MIT"):
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "")
        wheel.writestr(f"{name}/steps.py", "import warp as wp\n" + text)
        wheel.writestr(f"{name}/data.bin", "not text")
        wheel.writestr("../outside.py", "lies outside")
        wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{licence}\n\nVersion: of the description")


def check_benchmark(work):
    import benchmark
    import files

    packages = work / "out/packages"
    packages.mkdir(parents=True)
    make_wheel(packages, "moves", KERNEL.format(name="a", limit="2.0", more="") + OTHER.format(name="a"))
    renamed = KERNEL.format(name="b", limit="3.0", more="- x[i]").replace("gap", "distance").replace("rate", "speed")
    make_wheel(packages, "rests", renamed + MAXIMA)
    make_wheel(packages, "closed", OTHER.format(name="c").replace("+", "- 5 * counts[1] -"), "License-Expression: GPL-3.0-only")
    projects = [{"name": "moves", "split": "development", "paths": ["moves"]}, {"name": "rests", "split": "held-out", "paths": ["rests"]},
                {"name": "closed", "split": "held-out", "paths": ["closed"]}]
    sets = benchmark.harvest(projects, work / "out")
    check(len(sets) == 3, f"{len(sets)} sets of three projects")
    check(not list(work.rglob("outside.py")) and not list((work / "out/source").rglob("data.bin")), "more than texts of a wheel is written, or outside of its folder")
    benchmark.run(benchmark.WEFT, "merge", *sets, "-o", work / "out/set", "-q")
    records = list(files.records(work / "out/set"))
    check({(r["project"], r["revision"], r["license"]) for r in records} == {("moves", "1.0", "MIT"), ("rests", "1.0", "MIT"), ("closed", "1.0", "GPL-3.0-only")},
          f"provenance: {[(r['project'], r['revision'], r['license']) for r in records]}")
    split_of = {p["name"]: p["split"] for p in projects}
    by_name = {r["kernel_name"]: r["id"] for r in records}
    chosen, left_out = benchmark.choose(records, split_of, ["def f(): pass"])
    check(chosen == {by_name["_relax_a"]: "development", by_name["_last_of_a"]: "development", by_name["_last_of_b"]: "held-out"}, f"chosen: {chosen}")
    check(left_out["held-out, near copy of a development kernel"] == 1 and left_out["licence"] == 1, f"left out: {left_out}")
    chosen, left_out = benchmark.choose(records, split_of, [KERNEL.format(name="z", limit="9.0", more="").replace("target", "goal")])
    check(left_out["near copy of an invented kernel"] == 2, f"near copies of invented kernels: {left_out}")
    counts = benchmark.make_tasks(work / "out", chosen)
    tasks = files.lines_of(work / "out/tasks/held-out/python-to-readable.jsonl")
    check(counts["held-out"]["python-to-readable"] == 1 and [t["record"] for t in tasks] == [by_name["_last_of_b"]], f"tasks: {counts}")


def check_traits(work):
    import traits

    side = traits.Side()
    side.add({"python_source": KERNEL.format(name="a", limit="2.0", more="")})
    side.add({"python_source": OTHER.format(name="a"), "cuda_readable": "__device__ inline float3 operator*(float s, float3 a)\n{\n}\n"})
    expected = {"kernel: begins with _": 2, "no wp.tid()": 1, "1 to 5 statements": 2, "wp.tid(): 1 indices": 1, "array of float": 1, "array of int": 1,
                "operator float * float3": 1, "if without else": 1, "statements: up to 2": 1, "statements: up to 5": 1, "argument of type float": 1}
    check({t: side.traits[t] for t in expected} == expected, f"traits: {[(t, side.traits[t], n) for t, n in expected.items() if side.traits[t] != n]}")
    check(side.share("operator float * float3", side.traits) == 1 and side.share("no wp.tid()", side.traits) == 0.5, "shares")
    for name, sources in (("real", [OTHER.format(name="a")]), ("invented", [KERNEL.format(name="a", limit="2.0", more="")])):
        (work / f"{name}.jsonl").write_text("".join(json.dumps({"python_source": s, "project": "p", "launches": [1]}) + "\n" for s in sources))
    done = subprocess.run([sys.executable, ROOT / "tools/teach/traits.py", work / "real.jsonl", work / "invented.jsonl", "--runs"], capture_output=True, text=True)
    check(re.search(r"1 +100\.0 % +0 +0\.0 % +\+100\.0 +no wp\.tid\(\)", done.stdout), f"table: {done.stdout}{done.stderr}")


def check_pins():
    """Each project is pinned with its hash; those that must stay unseen are not among them."""
    pinned = {m[1] for m in re.finditer(r"^([\w-]+)==\S+ --hash=sha256:[0-9a-f]{64}$", (ROOT / "tools/teach/benchmark.txt").read_text(), re.M)}
    named = {p["name"] for p in json.loads((ROOT / "tools/teach/projects.json").read_text())}
    check(pinned == named, f"pins and projects differ: {pinned ^ named}")
    check(not any(re.search("isaaclab|physicsnemo|nvalchemi|curobo|kaolin", name) for name in named), "a project that must stay unseen is read")


def main():
    if not reexec_with_warp():
        print("skipped: no numpy, which comes with Warp (tools/venv.sh)")
        sys.exit(77)
    check_pins()
    for test in (check_benchmark, check_traits):
        with tempfile.TemporaryDirectory() as work:
            test(pathlib.Path(work))
    if failures:
        sys.exit(1)
    print("real benchmark: ok")


if __name__ == "__main__":
    main()
