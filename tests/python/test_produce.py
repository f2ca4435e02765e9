#!/usr/bin/env python3
"""Data sets: the same bytes for any threads, interruption and division; what the options promise; and no write error loses
anything."""

import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import parts
from whole_records import whole_records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
WEFT = os.environ.get("WEFT", str(ROOT / "build" / "weft"))
SMALL = ["-n", "300", "--no-verify", "--splits", "80,10,10", "--shard-rows", "70", "--checkpoint", "20", "-s", "5"]
RNG = random.Random(20)
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}")
        if parts.FIRST:
            sys.exit(1)


def weft(*args, **keywords):
    return subprocess.run([WEFT, *map(str, args)], capture_output=True, text=True, **keywords)


def produce(folder, *args, **keywords):
    return weft("produce", "-o", folder, *args, **keywords)


def contents(folder):
    """Everything but the clock."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "run.json"}


def records_of(folder):
    """The records of a set of lines, in order."""
    return sorted(whole_records(folder), key=lambda record: record["row"])


def same(a, b, what):
    one, two = contents(a), contents(b)
    differ = sorted(k for k in one.keys() | two.keys() if one.get(k) != two.get(k))
    check(not differ, f"{what}: {differ} differ")


# ---- the same bytes ----


def test_jobs(work, reference):
    for jobs in (1, 4):
        done = produce(work / f"j{jobs}", *SMALL, "-j", jobs)
        check(done.returncode == 0 and not done.stdout and re.match(r"weft produce: \d+ pairs in .*\n(  .*\n){3}$", done.stderr), f"-j {jobs}: {done.stderr}")
        same(work / f"j{jobs}", reference, f"-j {jobs}")


def test_kills(work, reference):
    """At any moment; test_faults.py kills at every call instead."""
    kills, rounds = 0, 0
    while kills < 8:
        folder, rounds, most = work / f"kill{rounds}", rounds + 1, kills + 4
        while True:
            process = subprocess.Popen([WEFT, "produce", "-o", str(folder), *SMALL, "--resume"], stderr=subprocess.PIPE)
            try:
                process.wait(timeout=RNG.uniform(0.02, 0.7) if kills < most else None)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                continue
            error = process.stderr.read().decode()
            check(process.returncode == 0, f"resume: {error}")
            break
        same(folder, reference, f"after {kills} kills")
        if failures:
            return
    print(f"{kills} kills in {rounds} runs")


def wait_for(condition, process, what):
    """Until it holds. False: the process ended before."""
    deadline = time.time() + 60
    while not condition():
        if process.poll() is not None:
            return False
        check(time.time() < deadline, f"{what}: nothing happens")
        if failures:
            return False
        time.sleep(0.001)
    return True


def rows_of(folder):
    return json.loads((folder / "manifest.json").read_text())["rows"]


# Far more than a test has time for, and checkpoints that never come: what is saved is saved by the signal.
ENDLESS = ["-n", "1000000", "--splits", "80,10,10", "--shard-rows", "150", "--checkpoint", "900000", "-s", "5", "--no-verify"]


def interrupt(folder, args, number, rows=0):
    """Ends a run with a signal as soon as it says that it has more than so many rows; returns how long it took to end."""
    process = subprocess.Popen([WEFT, "produce", "-o", str(folder), *args, "--json-progress"], stderr=subprocess.PIPE, text=True)
    line = ""
    for line in process.stderr:
        if not line.startswith("{") or json.loads(line)["made"] > rows:
            break
    started = time.time()
    process.send_signal(number)
    error = line + process.communicate()[1]
    took = time.time() - started
    check(process.returncode == 128 + number, f"{number.name}: exit code {process.returncode}, {error}")
    lines = error.split("\n")
    check("interrupted, saving" in error and "--resume continues" in lines[-2], f"{number.name}: {error}")
    return took


def test_interrupt(work, reference):
    """Ctrl-C is noticed at once, far from any checkpoint; everything that was made is there; the bytes are the same."""
    for options in ([], ["--no-compress"]):
        folder, rows = work / f"interrupt{len(options)}", 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
            args = [*ENDLESS, *options, *(["--resume"] if folder.exists() else [])]
            took = interrupt(folder, args, number, rows + 200)
            check(took < 3, f"{number.name}: it took {took:.1f} s")
            check(rows_of(folder) > rows, f"{number.name}: nothing was saved ({rows_of(folder)} after {rows})")
            rows = rows_of(folder)
        # A run that goes on alike, but for a shorter way to go.
        count = rows + 100
        plain = work / f"plain{len(options)}"
        same_args = [*ENDLESS, *options, "-n", str(count)]
        done = produce(plain, *same_args)
        check(done.returncode == 0, done.stderr)
        relabel(folder, count)
        done = produce(folder, *same_args, "--resume")
        check(done.returncode == 0, f"resumed after {rows} rows: {done.stderr}")
        same(folder, plain, f"after three signals {options}")
    folder = work / "interrupt-piece"
    interrupt(folder, ["-n", "100000", "--no-verify", "--shard", "1/2", "--checkpoint", "90000"], signal.SIGTERM)
    check(rows_of(folder) > 0, "a piece: nothing was saved")


def test_nothing_yet(work):
    """A run that was ended before its first record is a set of none; a piece wants its share of the records."""
    folder = work / "none"
    with_limit(folder, 5_000)
    done = weft("stats", folder)
    check(done.returncode == 1 and "continue it with weft produce --resume" in done.stderr and done.stdout.startswith("0 pairs (not finished), 0.0 MB in 0 files") and "unique: 0.0000 % by structure, 0.0000 % with numbers masked" in done.stdout, f"stats of no records: {done.stdout} {done.stderr}")
    done = produce(work / "third", *SMALL, "-n", 10, "--shard", "2/3", "--json-progress")
    check(json.loads(done.stderr.splitlines()[-1])["wanted"] == 4, f"a third of 10: {done.stderr}")


def relabel(folder, count):
    """Makes the manifest ask for another count, with the seal that belongs to it."""
    text = (folder / "manifest.json").read_text().replace('"count": 1000000', f'"count": {count}')
    (folder / "manifest.json").write_text(sealed(text))


def sealed(text):
    body = text[: text.index('"sha256": ')]
    return body + '"sha256": "' + hashlib.sha256(body.encode()).hexdigest() + '"\n}\n'


def test_second_signal(work):
    """The second one leaves at once, and the set is still one that can be continued."""
    folder = work / "twice"
    args = [*ENDLESS, "-j", "1"]
    process = subprocess.Popen([WEFT, "produce", "-o", str(folder), *args], stderr=subprocess.PIPE, text=True)
    wait_for((folder / "manifest.json").exists, process, "two signals")
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)  # both are pending when it goes on
    process.send_signal(signal.SIGCONT)
    process.communicate()
    check(process.returncode in (-signal.SIGINT, -signal.SIGTERM, 128 + signal.SIGINT, 128 + signal.SIGTERM), f"two signals: {process.returncode}")
    took = interrupt(folder, [*args, "--resume"], signal.SIGINT)
    check(took < 3, f"after two signals: {took:.1f} s")


def test_pieces(work, reference):
    pieces = [work / f"piece{i}" for i in range(1, 5)]
    for i, piece in enumerate(pieces, 1):
        done = produce(piece, *SMALL, "--shard", f"{i}/4", "-j", 2)
        check(done.returncode == 0, done.stderr)
    RNG.shuffle(pieces)
    done = weft("merge", *pieces, "-o", work / "merged")
    check(done.returncode == 0, done.stderr)
    same(work / "merged", reference, "4 pieces merged")
    done = weft("merge", *pieces[:3], "-o", work / "merged3")
    check(done.returncode == 1 and "of 4 pieces" in done.stderr, f"a missing piece: {done.stderr}")
    done = weft("validate", pieces[0])
    check(done.returncode == 1 and "is a piece" in done.stderr, f"validate of a piece: {done.stderr}")


def test_merge_interrupt(work):
    pieces = [work / f"half{i}" for i in (1, 2)]
    for i, piece in enumerate(pieces, 1):
        done = produce(piece, "-n", 2000, "--no-verify", "--shard", f"{i}/2")
        check(done.returncode == 0, done.stderr)
    for number in (signal.SIGTERM, signal.SIGINT):
        folder = work / f"merge-{number.name}"
        process = subprocess.Popen([WEFT, "merge", *map(str, pieces), "-o", str(folder)], stderr=subprocess.PIPE, text=True)
        while not (folder / "manifest.json").exists() and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(number)
        error = process.communicate()[1]
        check(process.returncode == 128 + number and "the same command with --resume continues" in error, f"{number.name}: {process.returncode} {error}")


def test_looking_interrupt(work):
    """Commands that only look end at once, too, and say so."""
    folder = work / "looked at"
    check(produce(folder, "-n", 1500, "--no-verify").returncode == 0, "produce")
    for call in (["validate", folder, "-j", "1"], ["gpu", "--cpu", folder, "--no-cache", "--keep", work / "kept"]):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = subprocess.Popen([WEFT, *map(str, call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
            time.sleep(0.3)
            started = time.time()
            process.send_signal(number)
            error = process.communicate()[1]
            check(process.returncode == 128 + number, f"{call[0]}: {number.name}: exit code {process.returncode} {error}")
            check(f"weft {call[0]}: interrupted" in error and time.time() - started < 3, f"{call[0]}: {number.name}: {time.time() - started:.1f} s, {error}")


def test_options(work):
    """What the options promise about the records."""
    common = ["-n", 60, "-s", 3, "--no-compress"]
    check(produce(work / "weighted", *common, "-n", 120, "--no-verify", "-c", "vector=3,math=1").returncode == 0, "weights")
    categories = [r["category"] for r in records_of(work / "weighted")]
    vectors = categories.count("vector")
    check(vectors + categories.count("math") == 120 and 70 <= vectors <= 110, f"weights: {vectors} of 120 are vectors")
    kept = {}
    for rule in ("proven", "marked", "skip"):
        check(produce(work / rule, *common, "--gradients", rule).returncode == 0, rule)
        kept[rule] = {r["index"]: (r["gradient_verdict"], r["has_backward"], r["cuda_backward"] is not None,
                                     re.search(r"enable_backward\W+False", r["python_source"]) is not None)
                      for r in records_of(work / rule)}
    for record in records_of(work / "proven"):
        check(bool(record["readable_backward"]) == ("adj_" in (record["cuda_readable"] or "")), f"{record['id']}: readable_backward")
    reasons = {r["readable_reason"] for r in records_of(work / "proven")}
    check("nothing is differentiable" in reasons, f"no kernel has a forward kernel alone: {reasons}")
    wrong = [row for row in kept["proven"].values() if row[0] == "mismatch"]
    check(wrong and set(wrong) == {("mismatch", False, False, False)}, f"proven: {wrong}")
    both = kept["marked"].keys() & kept["proven"].keys()  # with its gradients, a record may be too long for one of them
    check(len(both) >= 55, f"marked: only {len(both)} kernels of proven")
    check(all(kept["marked"][i][0] == kept["proven"][i][0] for i in both), "marked: other verdicts than proven")
    check(all(row[1] and row[2] or row[3] for row in kept["marked"].values()), "marked: a backward text is missing")
    check(not any(row[1] or row[2] for row in kept["marked"].values() if row[3]), "marked: a backward text that nobody wants")
    check(not any(row[0] == "mismatch" for row in kept["skip"].values()), "skip: a wrong gradient is there")
    rejected = json.loads((work / "skip" / "stats.json").read_text())["rejected"]
    check(rejected.get("gradient-mismatch", 0) >= len(wrong), f"skip: {rejected}")
    done = produce(work / "progress", *common, "--no-verify", "--json-progress", "--timing")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    check(lines and {"made", "wanted", "rejected", "pairs_per_second", "seconds_left"} <= lines[-1].keys(), f"progress: {done.stderr}")
    check(all(r["generation_time_ms"] > 0 for r in records_of(work / "progress")), "timing")


def test_layouts(work):
    for name, args in {
        "json": ["--format", "json"],
        "plain": ["--no-compress", "-d", "both"],
        "timing": ["--timing", "-d", "cpu"],
        "masked": ["--dedup", "masked", "--no-backward"],
        "weights": ["-c", "vector=3,math=1"],
        "verified": ["--gradients", "marked"],
        "hidden": ["--hidden-key", parts.key_file(work / "77.key", 77), "--launches", "1"],
    }.items():
        verify = [] if name in ("verified", "hidden") else ["--no-verify"]
        done = produce(work / name, "-n", 30, "--checkpoint", 7, *args, *verify)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        seed = ["--hidden-key", work / "77.key"] if name == "hidden" else []
        done = weft("validate", "-i", work / name, *seed)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        check(weft("stats", work / name).returncode == 0, f"stats of {name}")
        stats = json.loads(weft("stats", work / name, "--json").stdout)
        check(stats["total_pairs"] == 30, f"stats of {name}")
    check((work / "json" / "cuda_synth_0029.json").exists(), "cuda_synth_0029.json")


def test_stats(work):
    """Every figure of weft stats, counted again from the records."""
    folder = work / "counted"
    check(produce(folder, "-n", 150, "-s", 4, "--no-compress", "--no-verify").returncode == 0, "stats: produce")
    records, stats = records_of(folder), json.loads(weft("stats", folder, "--json").stdout)
    lines = {"source_lines": [r["python_source"].count("\n") for r in records],
             "forward_lines": [r["forward_lines"] for r in records],
             "backward_lines": [r["backward_lines"] for r in records if r["has_backward"]]}
    for name, values in lines.items():
        values.sort()
        for percent in (5, 25, 50, 75, 95, 100):  # the smallest that so many are not above
            expected = values[max(0, -(-len(values) * percent // 100) - 1)]
            check(stats[name][f"p{percent}"] == expected, f"stats: {name} p{percent} is {stats[name]}, not {expected}")
    check(stats["avg_forward_lines"] == round(sum(lines["forward_lines"]) / 150, 3), "stats: avg_forward_lines")
    called = {}
    for record in records:
        for name in set(re.findall(r"wp\.(\w+)\(", record["python_source"])):
            called[name] = called.get(name, 0) + 1
    check(stats["builtins"] == called, f"stats: builtins {set(stats['builtins'].items()) ^ set(called.items())}")
    categories = [r["category"] for r in records]
    check(stats["by_category"] == {c: categories.count(c) for c in set(categories)}, "stats: by_category")
    check(not {"generation_time_seconds", "pairs_per_second"} & stats.keys(), "stats: a clock")
    check(json.loads((folder / "run.json").read_text()).keys() == {"generation_time_seconds", "pairs_per_second"}, "run.json")
    license = (folder / "LICENSE").read_text()
    check(license.startswith(f"SPDX-License-Identifier: {records[0]['license']}\n"), f"LICENSE: {license[:60]}")


# ---- inputs, outputs and gradients ----


def float32_numbers(launch, part):
    for row in launch[part] or ():
        if row["type"] == "float32":
            yield from row["floats"]


def shortest(number):
    """With as few digits as float32 needs."""
    def rounded(value):
        return struct.unpack("f", struct.pack("f", value))[0]

    return next(float(f"{number:.{digits}g}") for digits in range(1, 18) if rounded(float(f"{number:.{digits}g}")) == rounded(number))


def check_launch(record, launch):
    """What holds for the rows of a launch; returns how many numbers were looked at."""
    compared, name = 0, record["id"]
    parameters = list(dict.fromkeys(row["name"] for row in record["arguments"]))
    check(list(dict.fromkeys(row["name"] for row in launch["inputs"])) == parameters, f"{name}: the inputs are not all arguments")
    for part in ("inputs", "outputs", "output_gradients", "gradients"):
        for row in launch[part] or ():
            numbers = row["ints"] if row["floats"] is None else row["floats"]
            check(len(numbers) == math.prod(row["shape"]), f"{name}: {row['name']} has {len(numbers)} numbers in {row['shape']}")
            check((row["floats"] is None) != (row["ints"] is None), f"{name}: {row['name']} has both kinds of numbers, or none")
            is_result = part in ("outputs", "gradients") and row["floats"] is not None
            check((row["tolerance"] is not None) == is_result, f"{name}: the tolerance of {row['name']} in {part}")
        for number in float32_numbers(launch, part):
            check(number == shortest(number), f"{name}: {number} has more digits than a float32 needs ({shortest(number)})")
            compared += 1
    check(all(number * 8 == round(number * 8) for number in float32_numbers(launch, "output_gradients")), "cotangents are eighths")
    return compared


def changes(launch):
    """The arrays that a launch changes, with their fields."""
    before = {(row["name"], row["field"]): row["floats"] or row["ints"] for row in launch["inputs"]}
    return {(row["name"], row["field"]) for row in launch["outputs"] if before[row["name"], row["field"]] != (row["floats"] or row["ints"])}


def test_launches(work):
    args = ["-n", 60, "--checkpoint", 9, "--no-compress", "-s", 3]
    for jobs in (1, 3):
        done = produce(work / f"io{jobs}", *args, "-j", jobs)
        check(done.returncode == 0, f"launches: {done.stderr}")
    same(work / "io1", work / "io3", "-j 1 and -j 3")
    done = produce(work / "io1", *args, "--launches", 2, "--resume")
    check(done.returncode == 1 and "a different launches (3, now 2)" in done.stderr, f"resume with other launches: {done.stderr}")
    records, compared = records_of(work / "io1"), 0
    for record in records:
        name, launches = record["id"], record["launches"]
        check(len(launches) >= 3, f"{name}: {len(launches)} launches")
        check(len({json.dumps(launch["inputs"]) for launch in launches}) == len(launches), f"{name}: two launches are the same")
        written = {(row["name"], row["field"]) for row in record["arguments"] if row["role"] not in ("input", "size")}
        changed = set().union(*map(changes, launches))
        structs = {row["name"] for row in record["arguments"] if row["field"]}
        check({key for key in written if key[1] or key[0] not in structs} <= changed, f"{name}: {written - changed} never change")
        given = [launch["gradients"] is not None for launch in launches]
        check(record["has_backward"] or not any(given), f"{name}: gradients without backward text")
        check(all(given) or not record["has_backward"] or record["gradient_verdict"] == "no_gradient", f"{name}: backward text without gradients")
        inputs = {(row["name"], row["field"]) for row in record["arguments"] if row["role"] == "input"}
        if record["gradient_verdict"] == "pass":
            slopes = [row for launch in launches for row in launch["gradients"] if (row["name"], row["field"]) in inputs]
            check(not slopes or any(any(row["floats"]) for row in slopes), f"{name}: the gradient passes, but all that are recorded are zero")
        compared += sum(check_launch(record, launch) for launch in launches)
    check(compared > 9000, f"only {compared} numbers")


def test_hidden_key(work):
    """The same kernels with other launches, which only whoever has the key can make again."""
    args = ["-n", 10, "--no-compress", "-s", 3]
    for name, more in (("open", []), ("secret", ["--hidden-key", work / "secret.key"]), ("another", ["--hidden-key", work / "another.key"])):
        check(produce(work / name, *args, *more).returncode == 0, name)
    one, two, three = (records_of(work / name) for name in ("open", "secret", "another"))
    for a, b, c in zip(one, two, three):
        check(a["python_source"] == b["python_source"] == c["python_source"], "a hidden key changes the kernels")
        check(len({json.dumps(r["launches"]) for r in (a, b, c)}) == 3, "a hidden key does not change the launches")
        check(len({r["id"] for r in (a, b, c)}) == 3, "other launches under the same id")
    keys = [dict(line.split() for line in (work / f"{name}.key").read_text().splitlines()[1:]) for name in ("secret", "another")]
    manifest = (work / "secret" / "manifest.json").read_text()
    check(keys[0] != keys[1] and all(len(key["key"]) == 32 for key in keys), f"keys that are drawn: {keys}")
    check(keys[0]["key"] not in manifest and (work / "secret.key").stat().st_mode & 0o77 == 0, "the key is written down, or others can read it")
    salted = hashlib.sha256(b"weft hidden key\0" + bytes.fromhex(keys[0]["salt"] + keys[0]["key"])).hexdigest()[:32]
    check(json.loads(manifest)["options"]["hidden"] == f"{keys[0]['salt']}-{salted}", f"the commitment: {manifest[:600]}")
    done = produce(work / "secret", *args, "--resume", "--hidden-key", work / "secret" / "in.key")
    check(done.returncode == 1 and "does not belong" in done.stderr, f"a key in the set: {done.stderr}")
    (work / "bad.key").write_text("12345")
    done = produce(work / "bad", *args, "--hidden-key", work / "bad.key")
    check(done.returncode == 1 and "not a hidden key" in done.stderr, f"a file that is no key: {done.stderr}")
    for seed, code, expected in (([], 1, "give it with --hidden-key"), (["--hidden-key", work / "another.key"], 1, "another hidden key"),
                                 (["--hidden-key", work / "secret.key"], 0, "")):
        done = weft("validate", work / "secret", *seed)
        check(done.returncode == code and expected in done.stderr, f"validate {seed}: {done.stderr}")
    done = produce(work / "secret", *args, "--resume")
    check(done.returncode == 1 and "a different hidden key" in done.stderr, f"resume without the hidden key: {done.stderr}")


def test_hidden_pieces(work):
    """What the pieces lack is made with their hidden key, or not at all."""
    def make(name, seed, count, *args):
        done = produce(work / name, "-n", count, "-s", seed, "-c", "arithmetic", "--launches", 1, "--hidden-key", parts.key_file(work / "77.key", 77), *args)
        check(done.returncode == 0, f"{name}: {done.stderr}")
        return json.loads((work / name / "manifest.json").read_text())

    # The first piece has its half after one block of candidates; the second one's first block has less: the third is missing.
    for seed in range(1, 30):
        first, second = (make(f"block{seed}-{i}", seed, 2, "--shard", f"{i}/2")["kept"] for i in (1, 2))
        if first > second:
            break
    check(first > second, "no seed whose pieces lack a candidate")
    pieces = [work / "hidden1", work / "hidden2"]
    rows = [make(piece.name, seed, 2 * first, "--shard", f"{i}/2")["rows"] for i, piece in enumerate(pieces, 1)]
    made = make("hidden-whole", seed, 2 * first)
    check(rows[0] == 128 and made["next_index"] > 256, f"the pieces lack nothing: {rows}, {made['next_index']}")
    folder = work / "hidden-merged"
    for option, expected in (([], "give it with --hidden-key"), (["--hidden-key", parts.key_file(work / "78.key", 78)], "another hidden key")):
        done = weft("merge", *pieces, "-o", folder, *option)
        check(done.returncode == 1 and expected in done.stderr and not folder.exists(), f"merge {option}: {done.stderr}")
    done = weft("merge", *pieces, "-o", folder, "--hidden-key", work / "77.key")
    check(done.returncode == 0, done.stderr)
    same(folder, work / "hidden-whole", "pieces with a hidden key")


def test_earlier_formats(work):
    """Sets of formats 1 and 2 are refused, with advice."""
    folder = work / "old"
    check(produce(folder, "-n", 3, "--no-verify").returncode == 0, "produce")
    manifest = (folder / "manifest.json").read_text()
    for number, name in ((1, "weft-corpus-2"), (2, "weft-records-2")):
        check('"weft-records-3"' in manifest, "another format")
        (folder / "manifest.json").write_text(sealed(manifest.replace('"weft-records-3"', f'"{name}"')))
        for call in (["validate", folder], ["stats", folder], ["gpu", "--cpu", folder], ["produce", "-n", 3, "--no-verify", "-o", folder, "--resume"]):
            done = weft(*call)
            said = done.returncode == 1 and f"format {number}" in done.stderr and "make it again" in done.stderr
            check(said, f"{call[0]} of format {number}: {done.stderr}")


# ---- what must be refused ----


def test_refusals(work, reference):
    def refused(what, expected, folder, *args):
        before = contents(folder)
        done = produce(folder, *args)
        check(done.returncode == 1 and expected in done.stderr, f"{what}: {done.returncode} {done.stderr}")
        check(contents(folder) == before, f"{what}: something was overwritten")

    def half(name):
        """A run that was ended half-way."""
        folder = work / name
        with_limit(folder, 250_000)
        check("complete\": false" in (folder / "manifest.json").read_text(), "the run was not ended half-way")
        return folder

    refused("a folder in use", "already holds a data set", reference, *SMALL)
    refused("another seed", "a different seed", reference, *SMALL, "-s", "6", "--resume")
    refused("another count", "a different count", reference, *SMALL, "-n", "301", "--resume")
    refused("another device", "a different device", reference, *SMALL, "-d", "cpu", "--resume")
    other = work / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("precious")
    refused("a stranger's folder", "not empty", other, *SMALL)
    refused("a stranger's folder, resumed", "not a weft data set", other, *SMALL, "--resume")
    folder = half("foreign")
    (folder / "notes.txt").write_text("mine")
    refused("a foreign file", "notes.txt is not a file of this data set", folder, *SMALL, "--resume")
    folder = half("missing")
    next(iter(sorted(folder.glob("train-*")))).unlink()
    refused("a missing shard", "is missing", folder, *SMALL, "--resume")
    folder = half("edited")
    shard = sorted(folder.glob("train-*"))[0]
    data = bytearray(shard.read_bytes())
    data[len(data) // 4] ^= 1
    shard.write_bytes(data)
    refused("an edited shard", "train-", folder, *SMALL, "--resume")
    folder = half("truncated")
    shard = sorted(folder.glob("train-*"))[0]
    shard.write_bytes(shard.read_bytes()[:1000])
    refused("a truncated shard", "was changed", folder, *SMALL, "--resume")
    folder = half("damaged")
    (folder / "manifest.json").write_text("{")
    refused("a damaged manifest", "is damaged", folder, *SMALL, "--resume")
    for args in (["-n", "0"], ["-n", "5", "--shard", "5/4"], ["-n", "5", "--splits", "1,2"], ["-n", "5", "-d", "tpu"], ["-n", "5", "-c", "x"]):
        done = produce(work / "never", *args)
        check(done.returncode == 2 and not (work / "never").exists(), f"{args}: {done.stderr}")


# ---- errors of writing ----


def with_limit(folder, size):
    """No file may grow beyond `size` bytes: writing fails as on a full disk."""
    return produce(folder, *SMALL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


def test_many_shards(work):
    """A finished set is looked through once, not once for each shard: 3,000 shards took two seconds that way."""
    with tempfile.TemporaryDirectory(prefix="weft-shards-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as name:
        args = ["-n", "3000", "--shard-rows", "1", "--no-verify", "--no-backward", "--no-compress", "-d", "cpu", "-s", "3"]
        done = produce(pathlib.Path(name) / "set", *args)
        check(done.returncode == 0, done.stderr)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = produce(pathlib.Path(name) / "set", *args, "--resume")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        check(done.returncode == 0 and "complete already" in done.stderr, done.stderr)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        check(seconds < 1.2, f"--resume of 3,000 shards takes {seconds:.1f} s")


def test_write_errors(work, reference):
    for size in (0, 700, 5_000, 50_000, 120_000):
        folder = work / f"limit{size}"
        done = with_limit(folder, size)
        check(done.returncode == 1 and "cannot write" in done.stderr, f"limit {size}: {done.returncode} {done.stderr}")
        done = produce(folder, *SMALL, "--resume")
        check(done.returncode == 0, f"resume after limit {size}: {done.stderr}")
        same(folder, reference, f"after a write error at {size}")


def main():
    comparing = [test_jobs, test_kills, test_interrupt, test_pieces, test_refusals, test_write_errors]
    tests = parts.chosen(*comparing, test_second_signal, test_nothing_yet, test_merge_interrupt, test_looking_interrupt, test_options, test_stats,
                         test_layouts, test_launches, test_hidden_key, test_hidden_pieces, test_earlier_formats, test_many_shards)
    if not pathlib.Path(WEFT).exists():
        print(f"skipped: {WEFT} is not built")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-produce-") as name:
        work = pathlib.Path(name)
        reference = work / "reference"
        if any(test in comparing for test in tests):
            done = produce(reference, *SMALL)
            check(done.returncode == 0, done.stderr)
            done = weft("validate", reference)
            check(done.returncode == 0, f"validate: {done.stderr}")
        for test in tests:
            started = time.time()
            test(*((work, reference) if test in comparing else (work,)))
            print(f"{test.__name__}: {time.time() - started:.1f} s")
    print("failed" if failures else "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
