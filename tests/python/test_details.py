#!/usr/bin/env python3
"""Details of records: beside slim records, or in them with --full; the same records, and the same bytes however they were made.

    test_details.py [PART …]"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import parts
import test_produce
from test_produce import BUILD, WEFT, check, contents, produce, records_of, same, weft
from whole_records import files_of, lines_of

SET = ["-n", 90, "-s", 12, "--splits", "60,20,20", "--shard-rows", 25, "--checkpoint", 20, "--launches", 1]
LARGE = {"launches", "arguments", "plan", "line_map"}
LAYOUTS = {"lines": [], "plain": ["--no-compress"], "parquet": ["--format", "parquet"]}
LOAD = "import json, sys, weft\nfor record in weft.load(sys.argv[1], details=sys.argv[2] == 'details'): print(json.dumps(record))"


def load(folder, what="details"):
    done = subprocess.run([sys.executable, "-c", LOAD, folder, what], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def test_same_records(work):
    """Slim records and their details are the whole records of --full; without them, no large column is there."""
    done = produce(work / "full", *SET, "--full")
    check(done.returncode == 0, done.stderr)
    whole = records_of(work / "full")
    check(len(whole) == 90 and set(whole[0]) > LARGE, "a record of --full lacks columns")
    check(not list((work / "full").glob("details-*")), "--full writes details")
    check(records_of(work / "lines") == whole, "records and details are not those of --full")
    for name in LAYOUTS:
        done, records = load(work / name)
        check(done.returncode == 0 and sorted(records, key=lambda r: r["row"]) == whole, f"{name}: weft.load gives other records: {done.stderr}")
        done, slim = load(work / name, "slim")
        columns = list(slim[0])
        check(done.returncode == 0 and not LARGE & set(columns) and columns == list(whole[0])[: len(columns)], f"{name}: slim records have {columns} {done.stderr}")
        check(all({k: full[k] for k in columns} == one for one, full in zip(sorted(slim, key=lambda r: r["row"]), whole)), f"{name}: other slim records")
    for path in files_of(work / "lines"):
        check(all(json.loads(line)["split"] == path.name.split("-")[0] for line in lines_of(path)), f"{path.name}: another split")
    size = {name: sum(p.stat().st_size for p in (work / name).glob("*.jsonl.zst")) for name in ("lines", "full")}
    check(size["lines"] * 2 < size["full"], f"slim records are not small: {size}")


def test_verified(work):
    """`verified` says whether a record may be trusted, whatever its verdicts are called."""
    produce(work / "marked", "-n", 60, "-s", 4, "--gradients", "marked", "--launches", 0)
    produce(work / "unchecked", "-n", 5, "--no-verify")
    records = records_of(work / "marked")
    for r in records:
        wrong = r["has_backward"] and r["gradient_verdict"] == "mismatch"
        check(r["verified"] == (r["forward_verdict"] == "pass" and not wrong), f"{r['id']}: verified is {r['verified']}")
    check({r["verified"] for r in records} == {True, False}, "all records are alike")
    for r in records_of(work / "unchecked"):
        verdicts = (r["verified"], r["forward_verdict"], r["gradient_verdict"], r["output_gradient_verdict"], r["readable_verdict"])
        check(verdicts == (False, "unchecked", "unchecked", "unchecked", "unchecked"), f"not run, but {verdicts}")


def test_columns(work):
    """No column is null in every record of a set, but for rare ones."""
    for name, more in {"cuda": [], "cpu": ["-d", "cpu", "--no-backward"], "bare": ["--no-verify", "--no-readable"]}.items():
        folder = work / f"columns-{name}"
        check(produce(folder, "-n", 60, "-s", 3, *more).returncode == 0, name)
        records = records_of(folder)
        empty = {column for column in records[0] if all(record[column] is None for record in records)}
        check(empty <= {"block_dim", "readable_reason"}, f"{name}: {empty} are always null")
    schema = json.loads(weft("validate", "--schema").stdout)
    check(set(records[0]) < set(schema["properties"]) and not LARGE & set(schema["required"]) and "id" in schema["required"], "another schema")


def test_jobs_and_ends(work):
    """Any number of threads, and ends in between, give the same bytes, details included."""
    for name, layout in LAYOUTS.items():
        folder = work / f"ended-{name}"
        for number in (signal.SIGINT, signal.SIGKILL):
            process = subprocess.Popen([WEFT, "produce", "-o", str(folder), *map(str, [*SET, *layout]), "-j", "1", "--json-progress",
                                        *(["--resume"] if folder.exists() else [])], stderr=subprocess.PIPE, text=True)
            for line in process.stderr:
                if line.startswith("{") and json.loads(line)["made"] >= (30 if number == signal.SIGINT else 55):
                    break
            process.send_signal(number)
            process.stderr.read()
            process.wait()
        done = produce(folder, *SET, *layout, "-j", 3, "--resume")
        check(done.returncode == 0, f"{name}: {done.stderr}")
        same(folder, work / name, f"{name}, ended twice")


def test_renamed(work):
    """A run that ended between two renames goes on: a file of details has the other name, or both have it."""
    folder = work / "renamed"
    shutil.copytree(work / "lines", folder)
    manifest = folder / "manifest.json"
    finished = manifest.read_bytes()
    done = produce(folder, *SET, "--resume")
    check(done.returncode == 0 and "complete already" in done.stderr, done.stderr)
    details = sorted(folder.glob("details-train-*"))[0]
    details.rename(folder / re.sub(r"-of-\d+", "", details.name))
    done = produce(folder, *SET, "--resume")
    check(done.returncode == 1 and f"{details.name} is missing" in done.stderr, f"details of another name: {done.stderr}")
    check(manifest.read_bytes() == finished, "the manifest was changed")


def test_missing(work):
    """Without the details, slim records can be read, and all other commands name the file that is missing."""
    folder = work / "slim"
    shutil.copytree(work / "lines", folder)
    for path in folder.glob("details-*"):
        path.unlink()
    done, records = load(folder, "slim")
    check(done.returncode == 0 and len(records) == 90, f"slim records are not read: {done.stderr}")
    done = weft("export", folder, "--format", "parquet", "-o", work / "exported-slim")
    check(done.returncode == 0, f"export: {done.stderr}")
    words = re.compile(r"details-\w+-0000\d-of-0000\d\.ndjson\.zst is missing")
    calls = {"tasks": [folder], "validate": ["-i", folder], "stats": [folder], "mutate": [folder], "merge": [folder, work / "full", "-o", work / "merged-slim"],
             "export": [folder, "--format", "trl", "-o", work / "no-trl"], "gpu": ["--cpu", folder], "report": [folder, "-o", work / "page.html"]}
    for command, args in calls.items():
        done = weft(command, *args)
        check(done.returncode == 1 and words.search(done.stderr + done.stdout), f"{command}: {done.returncode} {done.stderr[-400:]}")
    done = produce(folder, *SET, "--resume")
    check(done.returncode == 1 and words.search(done.stderr), f"--resume: {done.stderr}")
    done, _ = load(folder)
    check(done.returncode == 1 and "FileNotFoundError" not in done.stderr and words.search(done.stderr), f"weft.load: {done.stderr[-300:]}")


def test_damaged(work):
    """Details of other records, or fewer of them, are found out."""
    for name, change in {
        "swapped": lambda lines: [lines[1], lines[0], *lines[2:]],
        "fewer": lambda lines: lines[:-1],
        "more": lambda lines: [*lines, lines[-1]],
        "other": lambda lines: [lines[0].replace('"launch_dim": [', '"launch_dim": [1', 1), *lines[1:]],
        "cut": lambda lines: [lines[0][: len(lines[0]) // 2], *lines[1:]],
    }.items():
        folder = work / f"damaged-{name}"
        shutil.copytree(work / "plain", folder)
        path = sorted(folder.glob("details-train-*"))[0]
        path.write_text("".join(line + "\n" for line in change(path.read_text().splitlines())))
        for command in ("validate", "stats", "tasks"):
            done = weft(command, folder)
            check(done.returncode == 1, f"{name}: {command} ends with {done.returncode} {done.stderr}")


def test_estimate(work):
    """A large run says beforehand what it will take; it does."""
    args = ["-n", 10000, "-s", 5, "-c", "arithmetic", "--no-verify", "--no-readable", "--no-backward"]
    done = produce(work / "large", *args)
    said = re.match(r"weft produce: this will take about (\d+) MB for records and (\d+) MB of details, and (\d+) seconds\n", done.stderr)
    check(done.returncode == 0 and said, f"no estimate: {done.stderr}")
    for number, prefix in enumerate(("", "details-"), 1):
        size = sum(p.stat().st_size for p in (work / "large").glob(f"{prefix}train-*")) / 1e6
        check(said and size / 1.5 < int(said[number]) < size * 1.5, f"{size} MB of {prefix}train-*, and it said {said and said[number]}")
    for more in (["--resume"], ["-q", "--resume"]):
        check("will take" not in produce(work / "large", *args, *more).stderr, f"{more}: an estimate")
    check("will take" not in produce(work / "small", "-n", 5, "--no-verify").stderr, "a small run has an estimate")


def test_other_forms(work):
    """Merged sets, exports and one file per record have what they should."""
    done = weft("merge", work / "parquet", work / "full", "-o", work / "merged")
    check(done.returncode == 0 and contents(work / "merged").keys() == contents(work / "parquet").keys(), f"merge: {done.stderr}")
    check(weft("validate", work / "merged").returncode == 0, "a merged set is not valid")
    done = produce(work / "files", "-n", 3, "--format", "json", "--no-verify")
    check(done.returncode == 0 and "plan" in json.loads((work / "files/cuda_synth_0000.json").read_text()), f"one file per record: {done.stderr}")
    for name, more in (("exported", []), ("exported-full", ["--full"])):
        check(weft("export", work / "lines", "--format", "hf", "-o", work / name, *more).returncode == 0, name)
    sizes = [sum(p.stat().st_size for p in (work / name / "data").glob("*.parquet")) for name in ("exported", "exported-full")]
    check(sizes[0] * 2 < sizes[1], f"an export without --full has details: {sizes}")
    card = (work / "lines/README.md").read_text()
    check('path: "details-train-*.ndjson.zst"' in card and "config_name: details" in card, "the card does not name the details")


def main():
    tests = parts.chosen(test_same_records, test_verified, test_columns, test_jobs_and_ends, test_renamed, test_missing, test_damaged, test_estimate, test_other_forms)
    with tempfile.TemporaryDirectory(prefix="weft-details-") as folder:
        work = pathlib.Path(folder)
        for name, layout in LAYOUTS.items():
            done = produce(work / name, *SET, *layout)
            check(done.returncode == 0, f"{name}: {done.stderr}")
        if test_same_records not in tests:
            produce(work / "full", *SET, "--full")
        for test in tests:
            test(work)
    print("FAILED" if test_produce.failures else "ok")
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
