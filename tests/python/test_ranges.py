#!/usr/bin/env python3
"""A range of candidates gives the same files on one machine as in tasks, whatever ends a task; duplicates are found before."""

import json
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time

from test_produce import ROOT, WEFT, check, contents, weft

SMALL = ["-s", "5", "--shard-rows", "40", "--checkpoint", "16"]
MANY = ["-s", "5", "-c", "glue", "--dedup", "masked"]
UNCHECKED = ["--no-verify", "--no-readable", "--no-backward"]


def must(*args):
    done = weft(*args)
    check(done.returncode == 0, f"{args[0]}: {done.stderr}")
    return done


def refused(expected, *args, code=1):
    done = weft(*args)
    check(done.returncode == code and expected in done.stderr, f"{args}: '{expected}' expected, but {done.returncode}, {done.stderr}")


def test_same(work):
    """Threads, tasks in any order, and a set that was ended and continued, in both formats."""
    must("range", "keys", "--candidates", "40:100", "-s", 5, "-o", work / "keys-b")
    must("range", "keys", "--candidates", "0:40", "-s", 5, "-o", work / "keys-a", "-j", 2)
    must("range", "duplicates", work / "keys-b", work / "keys-a", "-o", work / "losers")
    for form in ("jsonl", "parquet"):
        options = [*SMALL, "--format", form, *([] if form == "jsonl" else UNCHECKED)]
        must("produce", "--candidates", "0:100", *options, "-j", 3, "-o", work / f"one-{form}")
        tasks = [work / f"{form}-{first}" for first in (80, 0, 40)]
        for task in tasks:
            first = int(task.name.split("-")[1])
            must("produce", "--candidates", f"{first}:{min(first + 40, 100)}", "--duplicates", work / "losers", *options, "-j", 1, "-o", task)
        must("range", "join", *tasks, "-o", work / f"joined-{form}")
        check(contents(work / f"one-{form}") == contents(work / f"joined-{form}"), f"{form}: tasks give other files")
    must("validate", "-i", work / "one-parquet")
    rows = [json.loads(line)["row"] for path in sorted((work / "one-jsonl").glob("train-*"))
            for line in subprocess.run(["zstd", "-dcq", path], capture_output=True, text=True).stdout.splitlines()]
    check(rows == sorted(set(rows)) and rows[-1] < 100 and len(list((work / "one-jsonl").glob("train-*"))) == 3, "a row is the index of its candidate")
    refused("is a task of a larger range", "validate", "-i", work / "jsonl-0")
    refused("ends before candidate 40", "range", "join", work / "jsonl-0", work / "jsonl-80", "-o", work / "gap")
    refused("is not empty", "range", "join", work / "jsonl-0", "-o", work / "one-jsonl")


def test_ended(work):
    """A task that is killed goes on with --resume, and one that is done stays as it is."""
    options = ["--candidates", "0:900", "-s", "6", "--shard-rows", "300", "--checkpoint", "50", *UNCHECKED]
    must("produce", *options, "-o", work / "whole", "-j", 1)
    for number, kind in enumerate((signal.SIGKILL, signal.SIGINT)):
        folder = work / f"ended-{number}"
        process = subprocess.Popen([WEFT, "produce", *options, "-o", str(folder), "-j", "1"], stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(folder.glob("train-*"))) < 2:
            time.sleep(0.01)
        process.send_signal(kind)
        process.wait()
        must("produce", *options, "-o", folder, "-j", 2, "--resume")
        check(contents(folder) == contents(work / "whole"), f"after {kind.name} it has other files")
    check("complete already" in must("produce", *options, "-o", folder, "--resume").stderr, "it is done")


def test_duplicates(work):
    """The first candidate of a structure is kept, in whatever task."""
    must("range", "keys", "--candidates", "0:9000", *MANY, "-o", work / "many")
    said = must("range", "duplicates", work / "many", "-o", work / "lost").stderr
    keys, bits = (work / "many").read_bytes()[32:], (work / "lost").read_bytes()[32:]
    keys, seen, lost = struct.unpack(f"<{len(keys) // 8}Q", keys), set(), []
    for index, key in enumerate(keys):
        lost += [index] if key in seen else []
        seen.add(key)
    check(len(lost) > 2 and f"{len(lost)} candidates" in said, f"{len(lost)} are duplicates: {said}")
    check(lost == [i for i in range(9000) if bits[i // 8] >> i % 8 & 1], "other losers")
    first = lost[0] // 10 * 10
    must("produce", "--candidates", f"{first}:{first + 10}", "--duplicates", work / "lost", *MANY, *UNCHECKED, "--shard-rows", 10, "--no-compress", "-o", work / "task")
    manifest = json.loads((work / "task/manifest.json").read_text())
    rows = [json.loads(line)["row"] for line in (work / "task/train-00000-of-00001.jsonl").read_text().splitlines()]
    inside = sum(first <= index < first + 10 for index in lost)
    check(manifest["counters"]["rejected"]["duplicate"] == inside and lost[0] not in rows and len(rows) == 10 - inside, "a duplicate is kept")
    refused("of another seed", "produce", "--candidates", "0:10", "--duplicates", work / "lost", "-s", 6, "-o", work / "other")
    refused("is of candidates 0:9000 alone", "produce", "--candidates", "9000:10000", "--duplicates", work / "lost", *MANY, "--shard-rows", 1000, "-o", work / "beyond")
    (work / "cut").write_bytes((work / "many").read_bytes()[:-8])
    refused("is not as long as it says", "range", "duplicates", work / "cut", "-o", work / "no")
    refused("is not a file of weft range keys", "range", "duplicates", work / "lost", "-o", work / "no")


def test_calls(work):
    for args, expected in ((["--candidates", "5:5"], "two numbers"), (["--candidates", "0:9", "-n", "3"], "-n cannot"), (["--range", "5:9"], "multiple of"),
                           (["--candidates", "0:9", "--splits", "1,1,1"], "--splits"), (["-n", "9", "--duplicates", "x"], "needs --candidates")):
        refused(expected, "produce", *args, "-o", work / "never", code=2)


def test_slurm(work):
    """The scripts with the variables of an array job; a task is killed and repeated."""
    scripts = ROOT / "examples/slurm"
    settings = dict(os.environ, WEFT=str(WEFT), WORK=str(work / "slurm"), CANDIDATES="90", KEYS="50", ROWS="40", SEED="5", EXAMPLES=str(scripts),
                    OPTIONS="--checkpoint 16 --no-verify")

    def run(script, number):
        return subprocess.run([scripts / script], env=dict(settings, SLURM_ARRAY_TASK_ID=str(number)), capture_output=True, text=True)

    for number in (1, 0):
        check(run("keys.sh", number).returncode == 0, "keys.sh")
    must("range", "duplicates", *sorted((work / "slurm").glob("keys-*")), "-o", work / "slurm/duplicates")
    process = subprocess.Popen([scripts / "produce.sh"], env=dict(settings, SLURM_ARRAY_TASK_ID="1"), start_new_session=True, stderr=subprocess.DEVNULL)
    while process.poll() is None and not (work / "slurm/range-000001/manifest.json").exists():
        time.sleep(0.01)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for number in (2, 1, 0):
        done = run("produce.sh", number)
        check(done.returncode == 0, f"produce.sh {number}: {done.stderr}")
    must("range", "join", *sorted((work / "slurm").glob("range-*")), "-o", work / "slurm/set")
    must("produce", "--candidates", "0:90", "-s", 5, "--shard-rows", 40, "--checkpoint", 16, "--no-verify", "-o", work / "at-once")
    check(contents(work / "slurm/set") == contents(work / "at-once"), "the tasks give other files")


def main():
    with tempfile.TemporaryDirectory(prefix="weft-ranges-") as name:
        for test in (test_same, test_ended, test_duplicates, test_calls, test_slurm):
            (pathlib.Path(name) / test.__name__).mkdir()
            test(pathlib.Path(name) / test.__name__)
    print("ranges: the same files from threads and from tasks, duplicates found before, tasks ended and repeated")


if __name__ == "__main__":
    main()
