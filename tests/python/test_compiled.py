#!/usr/bin/env python3
"""The compiled proof: what is stored compiles, runs and agrees with the evaluators; what is broken is found.

`weft gpu --cpu` runs the C++ of a data set through the same packing and comparison as a GPU would. C++ that is not what the
kernel means (another operation, a lost adjoint, another index) must be caught by running it; weft itself refuses to run what
was changed, so `run_records` does.
Needs a C++ compiler and Warp's headers (skipped without); CUDA is compiled where NVRTC is installed.
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
COUNT = int(os.environ.get("WEFT_COMPILED", "8"))

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


def run_records(path, keep, *how):
    tool = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build")) / "run_records"
    result = subprocess.run([tool, path, keep, *how], capture_output=True, text=True, cwd=ROOT)
    expect(result.returncode == 0, "run_records", result)
    return {kernel["id"]: kernel for kernel in map(json.loads, result.stdout.splitlines())}


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
            matches = list(re.finditer(pattern, record[field] or ""))
            if matches:
                at = matches[-1]
                record[field] = record[field][: at.start()] + at.expand(replacement) + record[field][at.end() :]
                done[record["id"]] = what
                break
    return done


def test_mutants(work, pristine, *how):
    folder = work / ("mutants" + "".join(how))
    keep = work / ("kept" + "".join(how))
    shutil.copytree(pristine, folder)
    mutants = rewrite(folder, mutate)
    refused = weft("gpu", folder, "--cpu", "--no-cache", "--keep", keep)
    expect(refused.returncode == 1 and "it was changed" in refused.stderr, "changed C++ is run", refused)
    kernels = run_records(shard_of(folder), keep, *how)
    caught = [name for name in mutants if not kernels[name]["agrees"]]
    for name in sorted(set(mutants) - set(caught)):
        print(f"not caught: {name}: {mutants[name]}")
    print(f"{len(caught)} of {len(mutants)} changed kernels are caught by running them", *how)
    expect(len(caught) >= 0.75 * len(mutants), "too few changed kernels are caught")
    kept = {path.name for path in keep.iterdir()}
    expect(kept == set(caught), f"evidence is kept of {sorted(kept)}, not of {sorted(caught)}")
    for name in ("source.py", "kernel.cpp", "inputs.json", "result.json", "expected.json", "message.txt"):
        expect((keep / caught[0] / name).stat().st_size > 2, f"{name} is missing")
    json.loads((keep / caught[0] / "result.json").read_text())


def test_culprit(work, pristine):
    folder = work / "broken"
    shutil.copytree(pristine, folder)

    def break_one(records):
        del records[4:]
        records[3]["cpp_forward"] = records[3]["cpp_forward"].replace("wp::", "wp::no_such_", 1)
        return records[3]["id"]

    broken = rewrite(folder, break_one)
    kernels = run_records(shard_of(folder), work / "kept2")
    wrong = [name for name, kernel in kernels.items() if not kernel["agrees"]]
    expect(wrong == [broken], f"{wrong} are wrong, not just {broken}")
    expect("error:" in kernels[broken]["message"], f"the compiler's words are not shown: {kernels[broken]}")


LIKE_GPU = """
import warp as wp


@wp.kernel
def hand_out(x: wp.array(dtype=float), counter: wp.array(dtype=int), tickets: wp.array(dtype=int),
             owners: wp.array(dtype=int), total: wp.array(dtype=float)):
    i = wp.tid()
    tickets[i] = wp.atomic_add(counter, 0, 1)
    wp.atomic_exch(owners, i % 4, i)
    wp.atomic_add(total, 0, x[i])


@wp.kernel
def cancel(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    j = wp.min(i, 1000000)
    out[i] = x[i] * y[i] - x[j] * y[j]


@wp.kernel
def plain(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.sin(x[i]) + 1.0
"""


def test_like_gpu(work):
    """The last thread first and fused operations: what hangs on either is told apart from what is wrong."""
    path = work / "like_gpu.py"
    path.write_text(LIKE_GPU)
    result = weft("gpu", path, "--cpu", "--like-gpu", "--json", "--cache", work / "cache", "--keep", work / "kept3")
    expect(result.returncode == 0, "what hangs on the order or on fused operations fails", result)
    kernels = {kernel["kernel"].rsplit("_", 1)[0]: kernel for kernel in json.loads(result.stdout)["kernels"]}
    expect(kernels["hand_out"]["order_dependent_cells"] > 0, "the order of threads is not seen", result)
    expect(kernels["cancel"]["order_dependent_cells"] == 0, "an order is seen that does not matter", result)
    expect(kernels["plain"]["order_dependent_cells"] == 0, "an order is seen that does not matter", result)
    fused = [name for name in kernels if kernels[name]["agrees_only_without_fma"]]
    expect(fused == ["cancel"], f"{fused} agree only without fused operations", result)
    expect("expected 0 within" in kernels["cancel"]["message"], "how it differs is not said", result)
    expect(not (work / "kept3").exists(), "evidence is kept of what agrees")
    table = weft("gpu", path, "--cpu", "--like-gpu", "--cache", work / "cache", "--keep", work / "kept3")
    expect("1 kernels agree only without fused multiply-add: 1 like_gpu\n" in table.stdout, "the count", table)
    expect(" values depend on the order of threads and were not compared\n" in table.stdout, "the count", table)
    usage = weft("gpu", path, "--like-gpu")
    expect(usage.returncode == 2 and "--like-gpu needs --cpu" in usage.stderr, "--like-gpu without --cpu", usage)


ENDLESS = """import warp as wp


@wp.kernel
def endless(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for a in range(4000):
        for b in range(4000):
            for c in range(4000):
                s = s + x[i]
    out[i] = s
"""


def test_not_comparable(work):
    """What the evaluators cannot run says nothing about the machine: it is counted, with the reason, and is no failure."""
    path = work / "endless.py"
    path.write_text(ENDLESS)
    alone = weft("gpu", path, "--cpu", "--cache", work / "cache", "--keep", work / "kept4")
    expect(alone.returncode == 1 and "FAIL: nothing could be compared\n" in alone.stdout, "nothing was compared", alone)
    path.write_text(ENDLESS + LIKE_GPU[LIKE_GPU.rindex("\n\n\n@wp.kernel") :])
    both = weft("gpu", path, "--cpu", "--cache", work / "cache", "--keep", work / "kept4")
    expect(both.returncode == 0 and "PASS: the 1 that could be compared agree with the CPU's evaluators; 1 could not\n"
           in both.stdout, "what is not comparable fails", both)
    expect("  1 not comparable: too-many-steps: " in both.stdout, "the reason is not counted", both)
    expect("endless_" in both.stderr and "not comparable: too-many-steps" in both.stderr, "the kernel is not named", both)
    rows = json.loads(weft("gpu", path, "--cpu", "--cache", work / "cache", "--json", "--keep", work / "kept4").stdout)["kernels"]
    expect([(row["agrees"], row["compared"]) for row in rows] == [(False, False), (True, True)], f"the JSON: {rows}")


def has_fused_operations():
    cpu = pathlib.Path("/proc/cpuinfo")
    return platform.machine() == "aarch64" or (cpu.exists() and " fma " in cpu.read_text())


def main():
    headers = weft("gpu", "--cpu", "--generate", "1", "--no-cache")
    if "headers are not found" in headers.stderr or "no C++ compiler" in headers.stderr:
        print("skipped:", headers.stderr.strip())
        return 77
    nowhere = weft("gpu", "--cpu", "--generate", "1", "--warp-include", "/nonexistent")
    expect(nowhere.returncode == 1 and "/nonexistent has no builtin.h" in nowhere.stderr, "wrong headers", nowhere)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        made = weft("produce", "-n", COUNT, "-o", work / "set", "-d", "cpu", "-s", 17, "--no-compress", "--full")
        expect(made.returncode == 0, "nothing can be produced", made)
        result = weft("validate", "-i", work / "set", "--compile", "--report", work / "report.jsonl")
        expect(result.returncode == 0, "a good data set does not pass", result)
        expect(f"C++: {COUNT} of {COUNT} compile" in result.stdout and "CUDA: the data set has none" in result.stdout,
               "the report", result)
        readable = re.search(r"readable CUDA: (\d+) of (\d+) compile as C\+\+; run on their launches: (\d+) agree forward, (\d+) of (\d+)",
                             result.stdout)
        expect(readable, "the report of the readable CUDA", result)
        compiled, texts, forward, backward, with_backward = map(int, readable.groups())
        expect(COUNT - 1 <= texts == compiled == forward and 0 < with_backward == backward, "the readable CUDA", result)
        rows = [json.loads(line) for line in (work / "report.jsonl").read_text().splitlines()]
        expect(len(rows) == COUNT and all(row["forward_agrees"] and not row["failure"] for row in rows), "the JSON report")
        test_not_comparable(work)
        test_mutants(work, work / "set")
        if has_fused_operations():
            test_like_gpu(work)
            test_mutants(work, work / "set", "--like-gpu")
        test_culprit(work, work / "set")
        both = weft("produce", "-n", 2, "-o", work / "cuda", "-d", "cuda", "-s", 18)
        expect(both.returncode == 0, "nothing can be produced", both)
        absent = weft("validate", "-i", work / "cuda", "--compile", "--cuda", "/nonexistent")
        expect(absent.returncode == 1 and "NVRTC (libnvrtc.so) is not found in /nonexistent" in absent.stderr,
               "a missing NVRTC is passed over", absent)
        cuda = weft("validate", "-i", work / "cuda", "--compile")
        if "NVRTC (libnvrtc.so) is not found" in cuda.stderr:
            print("skipped: there is no NVRTC here: all but the compilation of CUDA was right")
            return 77
        expect(cuda.returncode == 0 and "CUDA: 2 of 2 compile" in cuda.stdout, "CUDA", cuda)
        expect("C++: the data set has none, nothing was run" in cuda.stdout, "what is not run", cuda)
        expect("PTX of 2 forward kernels" in cuda.stdout, "PTX statistics", cuda)
    return 0


if __name__ == "__main__":
    sys.exit(main())
