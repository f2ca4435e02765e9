#!/usr/bin/env python3
"""weft score --gpu: the way to the card and back.

Against a driver whose card does nothing (tests/gpu/fake_driver.c), which needs NVRTC and bubblewrap, but no GPU: right answers compile, run, and do not
pass; a card that is lost, or never ends, is the fault of that answer alone; nothing of the host is to be had. With a real GPU, and with --real, the
set's own texts pass there, wrong variants do not, and both judges say the same.

    tests/python/test_judge_gpu.py [--real [--count N] [--seed S]]

Exit code 77 where something that it needs is not there."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from test_judge import ROOT, WEFT, check, failures, key_file, lines_of, right_answer, write_lines

KINDS = ("python-to-readable", "python-to-gradient", "repair")


def weft(*args, env=None):
    return subprocess.run([WEFT, *map(str, args)], capture_output=True, text=True, env={**os.environ, **(env or {})})


def score(folder, answers, *args, env=None, name="results.jsonl"):
    write_lines(folder / "answers.jsonl", answers)
    (folder / name).unlink(missing_ok=True)
    done = weft("score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / name, "--hidden-key", key_file(folder / "fixed.key", 31),
                "-q", *args, env=env)
    for missing in ("NVRTC (libnvrtc.so) is not found", "bubblewrap", "no GPU"):
        if done.returncode == 1 and missing in done.stderr:
            print("skipped:", done.stderr.strip())
            sys.exit(77)
    check(done.returncode == 0, f"weft score ends with {done.returncode}: {done.stderr}")
    return lines_of(folder / name)


def make_set(folder, count, seed):
    weft("produce", "-n", count, "-s", seed, "-o", folder / "set", "--no-compress", "--full", "-q")
    weft("tasks", folder / "set", "--all-kinds", "-o", folder / "tasks.jsonl", "-q")
    records = {record["id"]: record for path in (folder / "set").glob("*.jsonl") for record in lines_of(path)}
    return lines_of(folder / "tasks.jsonl"), records


def check_idle_card(folder):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        print("skipped: no C compiler")
        sys.exit(77)
    library = folder / "driver" / "libcuda.so.1"
    library.parent.mkdir()
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, ROOT / "tests/gpu/fake_driver.c"], check=True)
    env = {"LD_LIBRARY_PATH": f"{library.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    tasks, records = make_set(folder, 3, 505)
    task = next(task for task in tasks if task["kind"] == "python-to-readable")
    right = records[task["record"]]["cuda_readable"]
    name = task["kernel_name"]
    secret = folder / "secret.h"
    secret.write_text("this is not for answers\n")
    texts = {
        "right": right,
        "loses the card": right + '\nextern "C" __global__ void fault(int *a) { *a = 1; }\n',
        "right behind it": right,
        "never ends": right + '\nextern "C" __global__ void endless(int *a) { *a = 1; }\n',
        "right behind that": right,
        "other parameters": right.replace(f"{name}(", f"{name}(int more, ", 1),
        "no such kernel": right.replace(name, "other"),
        "a file of the host": f'#include "{secret}"\n' + right,
        "many variables": "__device__ int kept[1000];\n" + right.replace("{\n    int", "{\n    kept[threadIdx.x] = 1;\n    int", 1),
        "nothing": "",
    }
    began = time.monotonic()
    lines = score(folder, [{"id": task["id"], "answer": text} for text in texts.values()], "--gpu", "-j", 1, "--run-time", 1, env=env)
    reasons = {what: line["reason"] or "" for what, line in zip(texts, lines)}
    check(all(line["score"] == 0 for line in lines), f"a card that does nothing passes nothing: {lines}")
    for what in ("right", "right behind it", "right behind that", "many variables"):
        check(reasons[what] == "its results are wrong", f"{what}: {reasons[what]}")
    check("failed on the card: the launch: an illegal memory access" in reasons["loses the card"], reasons["loses the card"])
    check(reasons["never ends"] == "it took longer than it may", reasons["never ends"])
    check("parameters" in reasons["other parameters"], reasons["other parameters"])
    for what in ("no such kernel", "a file of the host", "nothing"):
        check(reasons[what].startswith("it does not compile"), f"{what}: {reasons[what]}")
    for what in ("no such kernel", "nothing"):
        check(reasons[what] == f"it does not compile: there is no kernel '{name}' in it", f"{what}: {reasons[what]}")
    check("not for answers" not in (folder / "results.jsonl").read_text(), "nothing of the host's files is told")
    check(time.monotonic() - began < 60, "it ends in time")
    check_processes(folder, task, right, env)
    none = weft("score", folder / "tasks.jsonl", folder / "answers.jsonl", "--data", folder / "set", "-o", folder / "none.jsonl", "--gpu",
                env={"PATH": "/nowhere", **env})
    check(none.returncode == 1 and "never run without it" in none.stderr, f"without bubblewrap nothing is run: {none.stderr}")
    print("a card that does nothing: " + "; ".join(f"{what}: {reason}" for what, reason in reasons.items()))


def check_processes(folder, task, right, env):
    """Constants, which Warp's headers have many of, do not cost a process; variables do."""
    for what, starts in (("__constant__", 1), ("__device__", 2)):
        text = f"{what} int kept[1000] = {{1}};\n" + right.replace("{\n    int", "{\n    if (kept[threadIdx.x] > 2) return;\n    int", 1)
        lines = score(folder, [{"id": task["id"], "answer": text}] * 2, "--gpu", "--no-timing", "-j", 1, "--trace", folder / "trace.jsonl", env=env)
        check([line["reason"] for line in lines] == ["its results are wrong"] * 2, f"{what}: {lines}")
        steps = [step["step"] for step in lines_of(folder / "trace.jsonl")]
        check(steps.count("start runner") == starts and steps.count("run") == 2, f"{what}: steps are {steps}")
    lines = score(folder, [{"id": task["id"], "answer": right}] * 6, "--gpu", "-j", 3, "--runners", 2, "--trace", folder / "trace.jsonl", env=env)
    numbers = {step["number"] for step in lines_of(folder / "trace.jsonl") if step["step"] == "run"}
    check(len(lines) == 6 and numbers <= {0, 1}, f"no more processes with the card than were asked for: {numbers}")


def check_real_card(folder, count, seed):
    """The set's own texts, and wrong variants of them, on the GPU and on the CPU."""
    tasks, records = make_set(folder, count, seed)
    answers = [{"id": task["id"], "answer": right_answer(task, records[task["record"]])} for task in tasks if task["kind"] in KINDS]
    began = time.monotonic()
    lines = score(folder, answers, "--gpu", name="gpu.jsonl")
    rate = len(lines) / (time.monotonic() - began)
    wrong = [line for line in lines if line["score"] != 1]
    check(not wrong, f"{len(wrong)} of {len(lines)} references do not pass on the GPU: {wrong[:3]}")
    print(f"{len(lines)} references on the GPU, {len(wrong)} do not pass, {rate:.1f} per second")
    mutants = [json.loads(line) for line in weft("mutate", folder / "set", "-q").stdout.splitlines()]
    both = answers + [{"id": m["id"], "answer": m["answer"]} for m in mutants if m["form"] != "python"]
    gpu = score(folder, both, "--gpu", name="gpu.jsonl")
    cpu = score(folder, both, name="cpu.jsonl")
    passing = [line for line in gpu[len(answers):] if line["score"] != 0]
    check(not passing, f"wrong variants that pass on the GPU: {passing[:3]}")
    differing = [pair for pair in zip(gpu, cpu) if pair[0]["score"] != pair[1]["score"]]
    check(200 * len(differing) <= len(both), f"{len(differing)} of {len(both)} scores differ between GPU and CPU: {differing[:3]}")
    print(f"{len(both) - len(answers)} wrong variants, {len(passing)} pass; {len(differing)} of {len(both)} scores differ between GPU and CPU")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--real", action="store_true", help="on a real GPU")
    parser.add_argument("--count", type=int, default=30, help="records")
    parser.add_argument("--seed", type=int, default=505)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weft-judge-gpu-") as name:
        if args.real:
            check_real_card(pathlib.Path(name), args.count, args.seed)
        else:
            check_idle_card(pathlib.Path(name))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
