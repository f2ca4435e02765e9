#!/usr/bin/env python3
"""Sources of inputs and treated results (src/synth/meaning/flow.h): every form occurs, its kernels compute what the plan says, and
errands of glue stand behind each other. Duplicates are counted as `weft range` counts them."""

import ast
import collections
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / part) for part in ("tests/python", "tests/meaning", "tools")]
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))

from warp_env import reexec_with_warp


def synth(*arguments):
    done = subprocess.run([WEFT, "synth", "--json", *map(str, arguments)], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_form_occurs():
    import flows

    seen = collections.Counter()
    for record in synth("-n", 4000, "-s", 6):
        roles = {row["role"] for row in record["plan"]["roles"]}
        for entry in filter(flows.is_flow, record["plan"]["derived"]):
            role, text = entry.split(" = ", 1)
            seen.update(set(re.findall(r"(\w+)\(", text)))
            for name in (role, *re.findall(r"(?<![\w.])[a-z_]\w*(?:\.\w+)*(?![\w.]*\()", text)):  # all that it is about is in the kernel
                assert name in roles or name + "_new" in roles, (name, entry, sorted(roles))
    missing = (set(flows.FORMS) | set(flows.MORE)) - set(seen)
    assert not missing, missing
    assert sum(seen.values()) > 4000, seen


def test_forms_compute_what_the_plan_says():
    """Copies, averages and a law: whatever is put before and behind them, the outputs are what flows.py says."""
    import numpy as np
    import stage
    import test_scene_references as references

    compared, seen = 0, collections.Counter()
    for name in ("copy_values", "scale_values", "gather_values", "lumped_mass", "blend_values"):
        with tempfile.TemporaryDirectory() as folder:
            for sample in itertools.islice(stage.draw_samples(name, 31, np.random.default_rng(5)), 24):
                assert stage.run(sample, folder) is None, sample.record["python_source"]
                try:
                    for view in sample.views():
                        wrong = references.compare(np, view, view.treated(references.references()[name](view)))
                        assert not wrong, (name, wrong, sample.plan["derived"], sample.record["python_source"])
                except stage.flows.Treated:
                    continue
                compared += 1
                seen.update(form for text in sample.flows.values() for form in set(re.findall(r"(\w+)\(", text)))
    assert compared >= 80 and len(seen) >= 15, (compared, seen)


def test_a_generic_kernel_may_leave_out():
    """A wp.overload() that follows the kernel does not hide that some threads store nothing."""
    import stage

    generic = {"kernel_name": "k", "python_source": "def k(a):\n    if a[0] == 0:\n        return\n    a[1] = 1\n\n\nwp.overload(k, [int])\n"}
    sample = object.__new__(stage.Sample)
    for source, leaves in ((generic["python_source"], True), ("def k(a):\n    a[1] = 1\n\n\nwp.overload(k, [int])\n", False)):
        sample.record = generic | {"python_source": source}
        assert sample.may_leave_out() == leaves, source


def test_a_deviation_is_found():
    """The comparison is not empty: each form has numbers of its own."""
    import flows
    import numpy as np

    numbers = {"x": np.array([1.0, 2.0, 4.0]), "x.next": np.array([3.0, 3.0, 3.0]), "x.share": 0.25, "x.from": np.array([2, 0, 0])}
    get = numbers.__getitem__
    assert np.allclose(flows.evaluate(flows.parse("blend(x, x.next, x.share)"), get), [1.5, 2.25, 3.75])
    assert np.allclose(flows.evaluate(flows.parse("mean(table(x, x.from), x.next)"), get), [3.5, 2.0, 2.0])
    assert np.allclose(flows.evaluate(flows.parse("smooth_both_wrap(x)"), get), [2.0, 2.25, 2.75])
    assert np.allclose(flows.evaluate(flows.parse("smooth_next_clamp(x)"), get), [1.5, 3.0, 4.0])
    assert np.allclose(flows.limit(np.array([[3.0, 4.0], [0.3, 0.4]]), 1.0), [[0.6, 0.8], [0.3, 0.4]])
    assert flows.is_flow("x = blend(x, y, z)") and not flows.is_flow("mass = mass_from_density")


def test_errands_of_glue():
    """Several of them in a kernel, and none behind one that some threads leave."""
    several = 0
    for record in synth("-c", "glue", "-n", 300, "-s", 8):
        scenes = record["plan"]["scenes"]
        assert len(set(scenes)) == len(scenes) <= 4
        several += len(scenes) > 1
        if len(scenes) > 1:
            assert record["description"].count("by a single thread") <= 1, record["description"]
    assert 50 <= several <= 140, several  # half of them stay short


def test_names_are_whole():
    """A name that follows another one's, #_next, is filled in wherever it stands: also as a field of a struct."""
    import stage

    for record in synth("-n", 1500, "-s", 12):
        assert stage.kernel_of(record).body  # '#' would begin a comment


def test_duplicates_are_counted():
    done = subprocess.run([WEFT, "synth", "-c", "integer,glue", "-n", "4000", "-s", "3", "--duplicates", "-q"], check=True, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    counts = {name: list(map(int, numbers)) for name, *numbers in rows[1:]}
    total = counts.pop("all")
    assert rows[0][0] == "scene" and total[0] == 4000
    assert [sum(column) for column in zip(*counts.values())] == total
    assert all(half <= whole < drawn for drawn, half, whole in counts.values())
    with tempfile.TemporaryDirectory() as folder:
        keys = pathlib.Path(folder) / "keys"
        subprocess.run([WEFT, "range", "keys", "-c", "integer,glue", "--candidates", "0:4000", "-s", "3", "-o", keys], check=True)
        found = subprocess.run([WEFT, "range", "duplicates", keys, "-o", keys.with_suffix(".bits")], check=True, capture_output=True, text=True)
    assert int(re.search(r"(\d+) candidates are duplicates", found.stderr)[1]) == total[2], (found.stderr, total)


def test_extrapolation():
    import duplicates

    assert duplicates.grown(25, 100, 1000, 1000) == 100  # measured
    assert duplicates.grown(25, 100, 1000, 10000) == 10000  # as the square, and never more than all
    assert abs(duplicates.grown(50, 100, 1000, 4000) - 400) < 1e-9  # in proportion
    assert duplicates.grown(0, 0, 1000, 10**9) == 0
    with tempfile.TemporaryDirectory() as folder:
        counts = pathlib.Path(folder) / "counts.txt"
        counts.write_text(subprocess.run([WEFT, "synth", "-n", "2000", "--duplicates", "-q"], check=True, capture_output=True, text=True).stdout)
        done = subprocess.run([sys.executable, ROOT / "tools/duplicates.py", counts, "--at", "1e5", "--top", "2", "--scenes", "3", "--most", "200"],
                              check=True, capture_output=True, text=True, env={**os.environ, "WEFT": WEFT})  # fmt: skip
    assert re.match(r"1e\+05 candidates: \d+\.\d\d % duplicates, standard error \d+\.\d\d\n  most in \w+", done.stdout), done.stdout


def main():
    if not reexec_with_warp():
        print("skipped: numpy, which comes with Warp, is not installed")
        return 77
    for name, test in list(globals().items()):
        if name.startswith("test_") and callable(test):
            test()
            print(f"{name}: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
