#!/usr/bin/env python3
"""What `weft synth` promises: the same kernel for the same (seed, index), hardly two alike, all accepted, by Warp too.

    tests/python/test_synth.py [--warp N]     N kernels go through Warp itself (default 100; exit 77 where Warp is missing), and
                                              the kernels of tests/drawn
"""

import ast
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import warp_package  # noqa: E402
from warp_oracle import strip_comments  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
COUNT = 2000
DRAWN = 210  # kernels of tests/drawn
IMPORT = "import warp as wp\n\n\n"


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], check=True, capture_output=True).stdout


def synth(*arguments):
    return [json.loads(line) for line in weft("synth", "--json", *arguments).splitlines()]


def test_same_seed_same_bytes():
    whole = weft("synth", "-n", 300, "-s", 7, "--json").splitlines()
    assert whole == weft("synth", "-n", 300, "-s", 7, "--json").splitlines()
    assert whole[100:150] == weft("synth", "-n", 50, "-s", 7, "--start", 100, "--json").splitlines()
    assert whole[:50] != weft("synth", "-n", 50, "-s", 8, "--json").splitlines()


def test_records():
    names = [line.split()[0].decode() for line in weft("synth", "--list").splitlines()]
    for record in synth("-n", 200, "-s", 3):
        assert record["category"] in names
        assert f"def {record['kernel_name']}(" in record["python_source"]
        assert record["description"].endswith(".") and record["description"][0].isupper()
        named = [row["name"] for row in record["arguments"] if row["field"] is None]
        kernel = [n for n in ast.parse(record["python_source"]).body if isinstance(n, ast.FunctionDef)][-1]
        assert named == [arg.arg for arg in kernel.args.args], record["kernel_name"]
        assert all(size > 0 for size in record["launch_dim"]) and len(record["launch_dim"]) <= 4
    for name in names:
        assert {r["category"] for r in synth("-n", 3, "-c", name)} == {name}


def test_hardly_two_alike():
    sources = [record["python_source"] for record in synth("-n", COUNT, "-s", 1)]
    assert len(set(sources)) == COUNT
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps({"python_source": source}) + "\n" for source in sources)
        file.flush()
        report = subprocess.run([sys.executable, ROOT / "tools" / "measure.py", file.name], check=True, capture_output=True)
    figures = json.loads(report.stdout)
    assert figures["unique_renamed"] >= 0.99, figures["unique_renamed"]
    assert figures["unique_masked"] >= 0.97, figures["unique_masked"]
    assert figures["edge_divergence"] <= 0.045, figures["edge_divergence"]
    assert figures["builtin_divergence"] <= 0.20, figures["builtin_divergence"]


def test_flags_can_change():
    """What a choice of a scene leaves out takes the conditions along that ask for it: no flag that is set once is compared with a number."""
    seen = 0
    for record in synth("-n", 60, "-s", 4, "--scene", "guard_states"):
        tree = ast.parse(record["python_source"])
        sets = collections.Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        flags = {
            node.targets[0].id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and re.fullmatch(r"(?:wp\.)?int\w*\(\d\)", ast.unparse(node.value))
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id in flags:
                assert sets[node.left.id] > 1, record["python_source"]
                seen += 1
    assert seen > 60, seen


def test_weft_accepts_all():
    for seed in (1, 2):
        run = subprocess.run([WEFT, "bench", "synth", "-n", str(COUNT), "-s", str(seed)], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr[-3000:]


def warp_rows(folder, python):
    paths = sorted(str(path) for path in pathlib.Path(folder).glob("*.py"))
    run = subprocess.run([python, ROOT / "tools" / "warp_oracle.py", *paths], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def same_counters(text):
    """Functions are called name_N, counted for each name in a process: here N counts from 0 in every kernel."""
    seen = {}
    return re.sub(r"\b([a-z_]\w*?)_(\d+)(?=\()", lambda m: f"{m[1]}_#{seen.setdefault(m[0], len(seen))}", text)


def compare_with_warp(folder, count, python):
    """The kernels of the files in a folder: as many as that, and all texts are the same."""
    wrong = collections.Counter()
    rows = warp_rows(folder, python)
    assert len(rows) == count, len(rows)
    for row in rows:
        if "error" in row:
            wrong["refused by Warp"] += 1
            print(row["file"], row["error"])
            continue
        run = subprocess.run([WEFT, "extract", row["file"], "-k", row["kernel"], "-d", "both", "--json"], capture_output=True, text=True)
        ours = json.loads(run.stdout)
        for device, prefix in (("cuda", "cuda"), ("cpu", "cpp")):
            parts = (ours.get(f"{prefix}_{part}") or "" for part in ("prelude", "forward", "backward"))
            if same_counters(strip_comments("".join(parts))) != same_counters(row[device]) or ours["full_name"] != row["name"]:
                wrong[f"other {device} text"] += 1
                print(f"{row['file']}: {row['kernel']}")
    assert not wrong, dict(wrong)
    print(f"{count} kernels: identical to Warp's")


def compare_invented(count, python):
    chosen = random.Random(5).sample(range(20_000), count)
    with tempfile.TemporaryDirectory() as folder:
        for index in chosen:
            record = synth("-n", 1, "-s", 1, "--start", index)[0]
            pathlib.Path(folder, f"sample_{index:05d}.py").write_text(IMPORT + record["python_source"])
        compare_with_warp(folder, count, python)


def main():
    count = int(sys.argv[sys.argv.index("--warp") + 1]) if "--warp" in sys.argv else 100
    for test in (test_same_seed_same_bytes, test_records, test_hardly_two_alike, test_flags_can_change, test_weft_accepts_all):
        test()
        print(f"{test.__name__}: ok")
    warp = warp_package.find_warp()
    if not warp:
        print(f"skipped: Warp {warp_package.VERSION} is not installed, so nothing was compared with Warp")
        return 77
    compare_invented(count, warp[0])
    compare_with_warp(ROOT / "tests/drawn", DRAWN, warp[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
