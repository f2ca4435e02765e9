#!/usr/bin/env python3
"""weft harvest: each record is an excerpt that needs no other file and compiles to the text of the kernel where it stands; weft merge
joins harvested sets with invented ones."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from test_produce import BUILD, ROOT, check, contents, records_of, weft
import test_produce

GOLDEN = ROOT / "tests/projects/golden"
FAST = ("--no-readable", "--launches", 0)


def texts(record, device="cuda"):
    return [record.get(f"{device}_{part}") or "" for part in ("helpers" if "mangled_name" in record else "prelude", "forward", "backward")]


def extracted(*paths, cwd=None):
    done = subprocess.run([test_produce.WEFT, "extract", *paths, "--json"], capture_output=True, text=True, cwd=cwd)
    return [record for record in map(json.loads, done.stdout.splitlines()) if "error" not in record]


def check_golden(work):
    """The golden project: every excerpt by itself, as a user would compile it, has name and text of the original."""
    done = weft("harvest", GOLDEN, "-o", work / "golden", "-j", 1, "--gradients", "marked", *FAST)
    check(done.returncode == 0 and "21 files, 39 kernels: 34 with an excerpt, 25 records, 9 not kept" in done.stderr, f"harvest: {done.returncode} {done.stderr}")
    check("2 no excerpt: '…' has two meanings" in done.stderr, "what cannot be written is not told")
    originals = {record["full_name"]: record for record in extracted(GOLDEN)}
    records = records_of(work / "golden")
    for record in records:
        path = work / "alone.py"
        path.write_text(record["python_source"])
        alone = extracted(path)
        check([a["full_name"] for a in alone] == [record["mangled_name"]], f"{record['kernel_name']}: the excerpt has other kernels: {alone}")
        check(texts(alone[0]) == texts(originals[record["mangled_name"]]), f"{record['kernel_name']}: the excerpt has another text")
        check(texts(record) == texts(alone[0]), f"{record['kernel_name']}: the record has another text")
        lines = (GOLDEN / record["file"]).read_text().splitlines()
        check(lines[record["line"] - 1].strip().startswith("@"), f"{record['file']}:{record['line']} is not where it begins")
    check("import" not in "".join(r["python_source"] for r in records).replace("import warp as wp\n", "").replace("import enum", "").replace("import typing", ""), "an excerpt imports")
    check({r["project"] for r in records} == {"golden"}, "the project has another name")
    done = weft("validate", work / "golden")
    check(done.returncode == 0 and "25 records, all compiled again, 25 verdicts checked again: 0 wrong, 0 problems" in done.stdout, done.stdout + done.stderr)


KERNELS = '''# {header}
import warp as wp
from .shared import limit, STEP

{kernels}
'''
KERNEL = '''
@wp.kernel
def step_{n}(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    """Moves by a step, {n} times.

    Not part of the description."""
    i = wp.tid()
    y[i] = limit(x[i] * STEP + {n}.0){more}
'''


def make_project(work, count=40):
    package = work / "project/src/moves"
    package.mkdir(parents=True)
    (work / "project/pyproject.toml").write_text('[project]\nname = "moves"\nversion = "1.2"\nlicense = "BSD-3-Clause"\n')
    (package / "__init__.py").write_text("")
    (package / "shared.py").write_text("import warp as wp\n\nSTEP = 0.5\nUNUSED = 7\n\n\n@wp.func\ndef unused(x: float):\n    return x\n\n\n@wp.func\ndef limit(x: float):\n    return wp.min(x, 3.0)\n")
    many = "".join(KERNEL.format(n=n, more=" + x[i]" * (n % 7) + " * y[i]" * (n // 7)) for n in range(count))
    (package / "many.py").write_text(KERNELS.format(header="no licence here", kernels=many))
    # An index that no launch makes valid, and a header of its own.
    outside = "@wp.kernel(grid_stride=False)\ndef outside(x: wp.array(dtype=float)):\n    x[100000000] = limit(1.0) + STEP\n"
    (package / "own.py").write_text(KERNELS.format(header="SPDX-License-Identifier: MIT", kernels=outside))
    git = work / "project/.git"
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs/heads/main").write_text("0123456789abcdef0123456789abcdef01234567\n")
    return work / "project"


def check_origin(work, project):
    done = weft("harvest", project, "-o", work / "set", "-j", 2, "--splits", "8,1,1")
    check(done.returncode == 0, done.stderr)
    check("40 BSD-3-Clause" in done.stderr and "1 MIT" in done.stderr, f"other licences: {done.stderr}")
    records = {r["kernel_name"]: r for r in records_of(work / "set")}
    first = records["step_0"]
    check((first["project"], first["file"], first["revision"], first["license"]) == ("moves", "src/moves/many.py", "0123456789abcdef0123456789abcdef01234567", "BSD-3-Clause"), f"another origin: {first}")
    check(first["description"] == "Moves by a step, 0 times.", first["description"])
    check("UNUSED" not in first["python_source"] and "unused" not in first["python_source"] and "STEP = 0.5" in first["python_source"], first["python_source"])
    check(first["not_run"] is None and first["forward_verdict"] == "pass" and len(first["launches"]) >= 3, "a kernel that can be run was not")
    last = records["outside"]
    check((last["license"], last["not_run"], last["forward_verdict"], last["launches"]) == ("MIT", "out-of-bounds", "unchecked", None), f"it was not kept as compiled only: {last}")
    check(all(row["low"] is None for row in last["arguments"]), "ranges are promised that are not known to be valid")
    done = weft("validate", work / "set")
    check(done.returncode == 0 and ": 0 wrong, 0 problems" in done.stdout, done.stdout + done.stderr)
    check("`license`" in (work / "set/LICENSE").read_text() and "license: other" in (work / "set/README.md").read_text(), "the set claims one licence")
    invented = work / "invented"
    check(weft("produce", "-n", 2, "-o", invented).returncode == 0, "produce")
    columns, others = set(first), set(records_of(invented)[0])
    check(columns - others == {"project", "file", "line", "revision", "not_run"}, f"records have columns that invented ones lack: {columns - others}")
    check(others - columns == {"difficulty", "algorithm"}, f"records lack columns of invented ones: {others - columns}")


def rewritten(manifest, before, after):
    """A manifest that somebody changed, and who knows how it is sealed."""
    text = manifest.read_text().replace(before, after)
    body = text[: text.rindex('"sha256": ')]
    manifest.write_text(body + f'"sha256": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n')


def check_merged(work, project):
    """Invented and harvested records in one folder: each once, as it was but for its row, and checked as what it is."""
    splits = ("--splits", "8,1,1", *FAST)
    sets = {"made": ("produce", "-n", 30, "-s", 3), "more": ("produce", "-n", 40, "-s", 3, "--format", "parquet"), "real": ("harvest", project)}
    for name, call in sets.items():
        check(weft(*call, "-o", work / name, *splits).returncode == 0, f"{call}")
    done = weft("merge", work / "made", work / "real", work / "more", "-o", work / "both")
    check(done.returncode == 0, done.stderr)
    manifest = json.loads((work / "both/manifest.json").read_text())
    first, real, more = manifest["sources"]
    between = manifest["counters"]["rejected"].get("between-splits", 0)
    check((first["given"], first["rows"], more["given"]) == (30, 30, 40) and real["options"]["source"] == "harvested", f"other sources: {manifest['sources']}")
    check(first["manifest"] == hashlib.sha256((work / "made/manifest.json").read_bytes()).hexdigest(), "another hash of the first manifest")
    check(manifest["counters"]["rejected"]["duplicate"] == 30 and 30 + real["given"] + 10 - between == manifest["rows"], f"duplicates: {manifest['counters']}")
    records = records_of(work / "both")
    check(len({r["id"] for r in records}) == len(records) == manifest["rows"], "an id appears twice")
    given = {r["id"]: r for name in ("made", "real") for r in records_of(work / name)}
    check(all(dict.fromkeys(r) | given[r["id"]] | {"row": r["row"], "split": r["split"]} == r for r in records if r["id"] in given), "a record was changed")
    for split in ("train", "validation", "test"):
        ids = [{json.loads(line)["id"] for path in (work / name).glob(f"{split}-*") for line in subprocess.run(["zstd", "-dcq", path], capture_output=True, text=True).stdout.splitlines()}
               for name in ("made", "both")]
        check(ids[0] <= ids[1], f"{split}: a record of the first set is in another split")
    done = weft("validate", work / "both")
    check(done.returncode == 0 and ": 0 wrong, 0 problems" in done.stdout, done.stdout + done.stderr)
    check(weft("stats", work / "both").stdout.startswith(f"{manifest['rows']} pairs"), "stats")
    check("`license`" in (work / "both/LICENSE").read_text() and "joined from several data sets" in (work / "both/README.md").read_text(), "the card says something else")
    code = f"import weft\nrecords = list(weft.load({str(work / 'both')!r}))\nprint(len(records), sum(r['project'] == 'moves' for r in records))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(BUILD / "python")})
    check(loaded.stdout.split() == [str(manifest["rows"]), str(real["rows"])], f"weft.load: {loaded.stdout} {loaded.stderr}")
    shutil.copytree(work / "both", work / "forged")
    rewritten(work / "forged/manifest.json", first["manifest"], "0" * 64)
    done = weft("validate", work / "forged")
    check(done.returncode == 1 and "'origin' is wrong or missing" in done.stderr, f"another hash of a source is accepted: {done.stderr}")
    # The first harvested record is given out as an invented one.
    rewritten(work / "both/manifest.json", f'"given": 30, "rows": 30, ', '"given": 31, "rows": 31, ')
    rewritten(work / "both/manifest.json", f'"given": {real["given"]}, "rows": {real["rows"]}, ', f'"given": {real["given"] - 1}, "rows": {real["rows"] - 1}, ')
    done = weft("validate", work / "both")
    check(done.returncode == 1 and "row 30: it has a 'project', but was not harvested" in done.stdout + done.stderr, f"a harvested record passes as invented: {done.stdout + done.stderr}")
    check(weft("produce", "-n", 3, "-o", work / "other", *FAST).returncode == 0, "produce")
    for call, words in [(("made", "other"), "different --splits: give the merge --splits"), (("made", "set", "--splits", "1,0,0"), "different --no-readable"),
                        (("made", "made"), "are the same set"), (("made", "nowhere"), "cannot open")]:
        done = weft("merge", *(work / name if name.isalpha() else name for name in call), "-o", work / "refused")
        check(done.returncode == 1 and words in done.stderr and not (work / "refused").exists(), f"merge {call}: {done.returncode} {done.stderr}")
    done = weft("merge", work / "made", work / "other", "-o", work / "shares", "--splits", "1,0,0")
    check(done.returncode == 0 and weft("validate", work / "shares").returncode == 0, f"other shares: {done.stderr}")
    check(weft("merge", work / "shares", work / "real", "-o", work / "refused").stderr.endswith("was joined from other sets: give those instead\n"), "a merged set is joined again")


def check_interrupted(work, project):
    """Interrupted after the first batch and continued, with any number of threads: the same bytes."""
    whole, part = work / "whole", work / "part"
    check(weft("harvest", project, "-o", whole, "-j", 2, *FAST).returncode == 0, "harvest")
    command = [str(word) for word in (test_produce.WEFT, "harvest", project, "-o", part, "-j", 1, "--json-progress", *FAST)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = running.stderr.readline()
    running.send_signal(signal.SIGINT)
    running.stderr.read()
    check(line.startswith("{") and running.wait() in (130, 0), f"{running.returncode} after {line}")
    done = weft("harvest", project, "-o", part, "-j", 2, "--resume", *FAST)
    check(done.returncode == 0 and contents(part) == contents(whole), f"a continued set has other bytes: {done.stderr}")
    with open(project / "src/moves/shared.py", "a") as file:
        file.write("STEP = 0.25\n")
    check(weft("harvest", project, "-o", part, "--resume", *FAST).returncode == 1, "it went on with other sources")


def check_mistakes(work, project):
    for call, words in [((project,), "-o DIR is needed"), (("-o", work / "x"), "no file or folder"), ((project, "-o", work / "x", "--splits", "1"), "--splits takes"),
                        ((project, "-o", work / "x", "--no-verify", "--launches", 3), "cannot be combined")]:
        done = weft("harvest", *call)
        check(done.returncode == 2 and words in done.stderr, f"{call}: {done.returncode} {done.stderr}")
    empty = work / "empty.py"
    empty.write_text("x = 1\n")
    done = weft("harvest", empty, "-o", work / "x")
    check(done.returncode == 1 and "there is no kernel" in done.stderr and not (work / "x").exists(), done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        check_golden(work)
        project = make_project(work)
        check_origin(work, project)
        check_merged(work, project)
        check_interrupted(work, project)
        check_mistakes(work, project)
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
