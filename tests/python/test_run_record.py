#!/usr/bin/env python3
"""docs/run_record.py compiles and runs a record of every category from its columns alone; and no column contradicts another about the
size of a block. Needs a C++ compiler and Warp's headers; with NVRTC, CUDA is compiled, too."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
PYTHON = ROOT / ".venv" / "bin" / "python"
CATEGORIES = [line.split()[0] for line in subprocess.run([WEFT, "synth", "--list"], capture_output=True, text=True).stdout.splitlines()]
WARP_TEXTS = r"""
import json, sys, warp as wp
from warp._src.context import ModuleBuilder
import importlib.util
spec = importlib.util.spec_from_file_location("record", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
kernel = getattr(module, sys.argv[2])
own = kernel.module
texts = {}
for device, block in (("cuda", int(sys.argv[3])), ("cpu", 1)):
    own.get_module_hash(block)
    options = own.resolve_options(wp.config, block_dim=block)
    texts[device] = ModuleBuilder(own, options | {"output_arch": None, "block_dim": block}, hasher=own.hashers[block]).codegen(device)
json.dump(texts, open(sys.argv[4], "w"))
"""


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def weft(*args):
    return subprocess.run([WEFT, *map(str, args)], capture_output=True, text=True, timeout=300)


def produce(folder, *args):
    done = weft("produce", "-q", "--no-compress", "--full", "-d", "both", "-o", folder, *args)
    check(done.returncode == 0, f"produce: {done.stderr}")
    return [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]


def one_of_each(work):
    """A record of every category, the first with a backward text; of tiles two."""
    chosen = {}
    for line in produce(work / "all", "-n", 160, "-s", 31):
        record = json.loads(line)
        if record["category"] not in chosen or (record["has_backward"] and not json.loads(chosen[record["category"]])["has_backward"]):
            chosen[record["category"]] = line
    check(sorted(chosen) == sorted(CATEGORIES), f"categories: {sorted(set(CATEGORIES) - set(chosen))} are missing")
    return list(chosen.values()) + produce(work / "tiles", "-n", 2, "-s", 8, "-c", "tile")


def run_script(path, headers, *flags):
    return subprocess.run([PYTHON, ROOT / "docs/run_record.py", path, headers, *flags], capture_output=True, text=True, timeout=600)


def test_every_category(work, headers):
    lines = one_of_each(work)
    path = work / "records.jsonl"
    path.write_text("\n".join(lines) + "\n")
    shutil.copy(work / "all" / "weft_math.cuh", work)
    done = run_script(path, headers)
    check(done.returncode == 0 and f"{len(lines)} records compiled" in done.stdout and done.stdout.endswith(" 0 wrong\n"), done.stdout + done.stderr)
    nvrtc = os.environ.get("WEFT_NVRTC", "/usr/local/cuda/lib64/libnvrtc.so")
    if pathlib.Path(nvrtc).exists():
        done = run_script(path, headers, "--compile-cuda", "--nvrtc", nvrtc)
        check(done.returncode == 0 and f"{len(lines)} records compiled" in done.stdout, done.stdout + done.stderr)
    return [json.loads(line) for line in lines]


def test_notices(work, headers, records):
    """A wrong value, a wrong gradient and a text that does not compile are found."""
    record = next(r for r in records if r["launches"][0]["gradients"] and r["launches"][0]["outputs"][0]["floats"])
    for member, what in (("outputs", "is off by"), ("gradients", "gradient of")):
        changed = json.loads(json.dumps(record))
        changed["launches"] = changed["launches"][:1]
        row = changed["launches"][0][member][0]
        row["floats"][0] += 1 + 100 * row["tolerance"]
        (work / "changed.jsonl").write_text(json.dumps(changed) + "\n")
        done = run_script(work / "changed.jsonl", headers)
        check(done.returncode == 1 and what in done.stdout, f"{member}: {done.stdout}{done.stderr}")
    (work / "changed.jsonl").write_text(json.dumps(record | {"cpp_forward": record["cpp_forward"] + "}"}) + "\n")
    done = run_script(work / "changed.jsonl", headers)
    check(done.returncode == 1 and "does not compile" in done.stdout, done.stdout + done.stderr)


def test_blocks(records):
    for record in records:
        wanted = {"cuda": record["block_dim"] or 256, "cpp": 1}
        for language, block in wanted.items():
            first = record[f"{language}_includes"].splitlines()[0]
            check(first == f"#define WP_TILE_BLOCK_DIM {block}", f"{record['id']}: {language}_includes says {first}, block_dim {record['block_dim']}")


def test_like_warp(work, records):
    """Warp's text for the same block has the same first macro and the same kernels."""
    record = next(r for r in records if r["block_dim"] and r["block_dim"] != 256)
    (work / "record.py").write_text(record["python_source"])
    (work / "texts.py").write_text(WARP_TEXTS)
    done = subprocess.run([PYTHON, work / "texts.py", work / "record.py", record["kernel_name"], str(record["block_dim"]), work / "texts.json"],
                          capture_output=True, text=True, env=os.environ | {"WARP_CACHE_PATH": str(work / "cache")})
    check(done.returncode == 0, done.stderr)
    texts = json.loads((work / "texts.json").read_text())
    for device, language in (("cuda", "cuda"), ("cpu", "cpp")):
        define = record[f"{language}_includes"].splitlines()[0]
        check(define in texts[device].splitlines(), f"Warp's {device} text does not say {define}")
        body = [line.strip() for line in texts[device].splitlines() if not line.strip().startswith("//") and line.strip()]
        for part in ("forward", "backward"):
            for line in (record[f"{language}_{part}"] or "").splitlines():
                check(not line.strip() or line.strip().startswith("//") or line.strip() in body, f"Warp's {device} text has no line {line!r}")


def test_contradiction(work):
    """weft validate names a record whose preamble is for another block than its launch."""
    folder = work / "contradiction"
    lines = produce(folder, "-n", 12, "-s", 9, "-c", "tile")
    path, block = next(folder.glob("*.jsonl")), 128  # three digits, too: the file keeps its size
    changed = [line.replace(f"WP_TILE_BLOCK_DIM {block}\\n", "WP_TILE_BLOCK_DIM 256\\n", 1) for line in lines]
    check(changed != lines, f"no record with blocks of {block} threads")
    path.write_text("\n".join(changed) + "\n")
    done = weft("validate", folder)
    said = f"cuda_includes: it is for blocks of 256 threads, but 'block_dim' asks for {block}"
    check(done.returncode == 1 and said in done.stdout + done.stderr, done.stdout + done.stderr)


def test_questions(work):
    """Questions about tiles name the record's block."""
    folder = work / "questions"
    records = {record["id"]: record for record in map(json.loads, produce(folder, "-n", 4, "-s", 12, "-c", "tile"))}
    done = weft("export", folder, "--format", "alpaca", "--kind", "python-to-cuda", "-o", work / "export", "-q")
    check(done.returncode == 0, done.stderr)
    rows = [json.loads(line) for path in (work / "export").glob("**/*.jsonl") for line in path.read_text().splitlines()]
    check(len(rows) == 4, f"{len(rows)} exercises")
    for row in rows:
        check(f"Its blocks have {records[row['id']]['block_dim']} threads" in row["instruction"], row["instruction"])
    tasks = [json.loads(line) for line in weft("tasks", folder, "--kind", "python-to-cuda", "-q").stdout.splitlines()]
    check(tasks, "no task about tiles")
    for task in tasks:
        check(f"Its blocks have {records[task['record']]['block_dim']} threads" in task["prompt"], task["prompt"])


def main():
    headers = next(iter((ROOT / ".venv").glob("lib/python*/site-packages/warp/native")), None)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        test_contradiction(work)
        test_questions(work)
        test_blocks([json.loads(line) for line in produce(work / "some", "-n", 20, "-s", 3, "-c", "tile,vector")])
        if not headers or not shutil.which("g++"):
            print("skipped: no C++ compiler, or no headers of Warp")
            sys.exit(77)
        records = test_every_category(work, headers)
        test_notices(work, headers, records)
        test_like_warp(work, records)
    print("a record of every category runs from its columns")


if __name__ == "__main__":
    main()
