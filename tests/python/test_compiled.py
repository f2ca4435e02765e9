#!/usr/bin/env python3
"""The compiled proof: what is stored compiles, runs and agrees with the evaluators; what is broken is found.

`weft gpu --cpu` runs the C++ of a data set through the same packing and comparison as a GPU would. A data set whose C++
was changed behind weft's back (another operation, a lost adjoint, another index) must be caught by running it.
Needs a C++ compiler and Warp's headers (skipped without); CUDA is compiled where NVRTC is installed.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
COUNT = int(os.environ.get("WEFT_COMPILED", "12"))

MUTATIONS = [
    ("another value", "cpp_forward", r"(wp::array_store\(.*, )(var_\w+)\);", r"\1wp::add(\2, \2));"),
    ("a lost adjoint", "cpp_backward", r"    wp::adj_array_store\([^;]*;\n", ""),
    ("another value", "cpp_forward", r"(wp::atomic_add\(.*, )(var_\w+)\);", r"\1wp::add(\2, \2));"),
    ("a lost adjoint", "cpp_backward", r"    wp::adj_atomic_add\([^;]*;\n", ""),
    ("another operation", "cpp_forward", r"wp::mul\(", "wp::add("),
]


def weft(*args, env=None):
    return subprocess.run([WEFT, *map(str, args)], capture_output=True, text=True, cwd=ROOT, env=env)


def expect(condition, what, result=None):
    if not condition:
        print("FAILED:", what)
        if result is not None:
            print(result.returncode, result.stdout[-3000:], result.stderr[-3000:])
        sys.exit(1)


def shard_of(folder):
    return next(folder.glob("train-*.jsonl"))


def rewrite(folder, change):
    shard = shard_of(folder)
    records = [json.loads(line) for line in shard.read_text().splitlines()]
    changed = change(records)
    shard.write_text("".join(json.dumps(record) + "\n" for record in records))
    return changed


def mutate(records):
    """One change a record, in the last place where it fits: close to what is stored."""
    done = {}
    for number, record in enumerate(records):
        for step in range(len(MUTATIONS)):
            what, field, pattern, replacement = MUTATIONS[(number + step) % len(MUTATIONS)]
            matches = list(re.finditer(pattern, record.get(field, "")))
            if matches:
                at = matches[-1]
                record[field] = record[field][: at.start()] + at.expand(replacement) + record[field][at.end() :]
                done[record["id"]] = what
                break
    return done


def test_mutants(work, pristine):
    folder = work / "mutants"
    shutil.copytree(pristine, folder)
    mutants = rewrite(folder, mutate)
    result = weft("gpu", folder, "--cpu", "--json", "--no-cache", "--keep", work / "kept", "--messages", 0)
    expect(result.returncode == 1, "changed C++ passes", result)
    kernels = {kernel["id"]: kernel for kernel in json.loads(result.stdout)["kernels"]}
    caught = [name for name in mutants if not kernels[name]["agrees"]]
    for name in sorted(set(mutants) - set(caught)):
        print(f"not caught: {name}: {mutants[name]}")
    print(f"{len(caught)} of {len(mutants)} changed kernels are caught by running them")
    expect(len(caught) >= 0.75 * len(mutants), "too few changed kernels are caught")
    kept = {path.name for path in (work / "kept").iterdir()}
    expect(kept == set(caught), f"evidence is kept of {sorted(kept)}, not of {sorted(caught)}")
    for name in ("source.py", "kernel.cpp", "inputs.json", "result.json", "expected.json", "message.txt"):
        expect((work / "kept" / caught[0] / name).stat().st_size > 2, f"{name} is missing")
    json.loads((work / "kept" / caught[0] / "result.json").read_text())


def test_culprit(work, pristine):
    folder = work / "broken"
    shutil.copytree(pristine, folder)

    def break_one(records):
        records[3]["cpp_forward"] = records[3]["cpp_forward"].replace("wp::", "wp::no_such_", 1)
        return records[3]["id"]

    broken = rewrite(folder, break_one)
    result = weft("gpu", folder, "--cpu", "--json", "--no-cache", "--keep", work / "kept2")
    report = json.loads(result.stdout)
    wrong = [kernel["id"] for kernel in report["kernels"] if not kernel["agrees"]]
    expect(result.returncode == 1 and wrong == [broken], f"{wrong} are wrong, not just {broken}", result)
    expect(f"{broken} (" in result.stderr and "error:" in result.stderr, "the compiler's words are not shown", result)


def main():
    headers = weft("gpu", "--cpu", "--generate", "1", "--no-cache")
    if "headers are not found" in headers.stderr or "no C++ compiler" in headers.stderr:
        print("skipped:", headers.stderr.strip())
        return 77
    nowhere = weft("gpu", "--cpu", "--generate", "1", "--warp-include", "/nonexistent")
    expect(nowhere.returncode == 1 and "/nonexistent has no builtin.h" in nowhere.stderr, "wrong headers", nowhere)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        made = weft("produce", "-n", COUNT, "-o", work / "set", "-d", "cpu", "-s", 17, "--no-compress")
        expect(made.returncode == 0, "nothing can be produced", made)
        result = weft("validate", "-i", work / "set", "--compile", "--report", work / "report.jsonl")
        expect(result.returncode == 0, "a good data set does not pass", result)
        expect(f"C++: {COUNT} of {COUNT} compile" in result.stdout and "CUDA: the data set has none" in result.stdout,
               "the report", result)
        rows = [json.loads(line) for line in (work / "report.jsonl").read_text().splitlines()]
        expect(len(rows) == COUNT and all(row["forward_agrees"] and not row["failure"] for row in rows), "the JSON report")
        test_mutants(work, work / "set")
        test_culprit(work, work / "set")
        both = weft("produce", "-n", 2, "-o", work / "cuda", "-d", "cuda", "-s", 18)
        expect(both.returncode == 0, "nothing can be produced", both)
        absent = weft("validate", "-i", work / "cuda", "--compile", "--cuda", "/nonexistent")
        expect(absent.returncode == 1 and "NVRTC (libnvrtc.so) is not found in /nonexistent" in absent.stderr,
               "a missing NVRTC is passed over", absent)
        cuda = weft("validate", "-i", work / "cuda", "--compile")
        if "NVRTC (libnvrtc.so) is not found" in cuda.stderr:
            print("CUDA was not compiled: there is no NVRTC here")
        else:
            expect(cuda.returncode == 0 and "CUDA: 2 of 2 compile" in cuda.stdout, "CUDA", cuda)
            expect("C++: the data set has none, nothing was run" in cuda.stdout, "what is not run", cuda)
            expect("PTX of 2 forward kernels" in cuda.stdout, "PTX statistics", cuda)
    return 0


if __name__ == "__main__":
    sys.exit(main())
