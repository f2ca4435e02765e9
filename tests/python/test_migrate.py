#!/usr/bin/env python3
"""Data sets of record format 1 become such of the present format, and what cannot is refused, record by record."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import test_produce
from test_produce import ROOT, check, contents, weft

BUILD = pathlib.Path(os.environ.get("WEFT_BUILD", ROOT / "build"))
OLD, CHANGED = ROOT / "tests/migrate/set", ROOT / "tests/migrate/changed"


def old_records(folder):
    lines = []
    for path in sorted(folder.glob("*.jsonl*")):
        lines += subprocess.run(["zstd", "-dcq", path] if path.suffix == ".zst" else ["cat", path], capture_output=True, text=True).stdout.splitlines()
    return sorted((json.loads(line) for line in lines if "python_source" in line), key=lambda record: record["id"])


def new_records(folder):
    lines = []
    for path in sorted(folder.glob("*.jsonl*")):
        lines += subprocess.run(["zstd", "-dcq", path] if path.suffix == ".zst" else ["cat", path], capture_output=True, text=True).stdout.splitlines()
    return sorted(map(json.loads, lines), key=lambda record: record["row"])


def described_arguments(args, name=None, path=()):
    """What format 1 says of each parameter and of the fields of its structs, in order: ((name, field), said)."""
    for key, said in args.items():
        own = (*path, key) if name else ()
        yield (name or key, ".".join(own) or None), said
        yield from described_arguments(said.get("fields", {}), name or key, own)


def check_whole(work):
    done = weft("migrate", OLD, "-o", work / "new", "-j", 1, "-v")
    check(done.returncode == 0 and "refused" not in done.stderr and f"8 pairs in {work / 'new'}, 0 candidates" in done.stderr, f"migrate: {done.returncode} {done.stderr}")
    done = weft("validate", work / "new")
    check(done.returncode == 0 and "8 records, all compiled again, 8 verdicts checked again: 0 wrong, 0 problems" in done.stdout, done.stdout + done.stderr)
    before, after = old_records(OLD), new_records(work / "new")
    check(len(before) == 8 and [r["python_source"] for r in before] == [r["python_source"] for r in after], "other sources, or another order")
    for old, new in zip(before, after):
        check(new["format_version"] == 2 and new["license"] == "Apache-2.0" and new["line_map"] and len(new["launches"]) >= 3 and new["cuda_preamble"],
              f"{old['id']}: something was not derived")
        for column in ("cuda_forward", "cpp_forward", "cuda_backward"):
            check(column not in old or new[column] is not None, f"{old['id']}: {column} is lost")
        rows = {(row["name"], row["field"]): row for row in new["arguments"]}
        check([name for name, field in rows if field is None] == old["metadata"]["arg_names"], f"{old['id']}: other arguments")
        check(new["launch_dim"] == old["metadata"]["launch"]["dim"], f"{old['id']}: another launch")
        described = dict(described_arguments(old["metadata"]["launch"]["args"]))
        check(list(rows) == list(described), f"{old['id']}: {list(rows)} were {list(described)}")
        for (name, field), said in described.items():
            row = rows[name, field]
            check(field or row["type"] == old["metadata"]["arg_types"][name], f"{old['id']}: the type of {name}")
            check(row["shape"] == said.get("shape") and [row["low"], row["high"]] == said.get("range", [None, None]) and
                  row["value"] == said.get("value") and row["sorted"] == said.get("sorted", False) and row["quantity"] is None and
                  (row["role"] != "input") == said.get("output", False), f"{old['id']}: {name}: {row} was {said}")
    manifest = json.loads((work / "new/manifest.json").read_text())
    check(manifest["options"]["source"] == "stored" and manifest["complete"] and manifest["rows"] == 8, "the manifest does not say that sources are stored")
    done = weft("stats", work / "new")
    check(done.returncode == 0 and done.stdout.startswith("8 pairs"), done.stdout + done.stderr)
    done = weft("export", work / "new", "--to", "trl", "-o", work / "trl")
    check(done.returncode == 0 and list((work / "trl").rglob("*.jsonl")), done.stderr)
    done = weft("gpu", work / "new", "--cpu")
    check(done.returncode == 1 and "were not invented by weft" in done.stderr, f"sources of others are compiled: {done.stderr}")
    weft("migrate", OLD, "-o", work / "threads", "-j", 3)
    check(contents(work / "new") == contents(work / "threads"), "-j 3 writes other bytes")


def check_interrupted(work):
    folder = work / "interrupted"
    run = subprocess.Popen([test_produce.WEFT, "migrate", OLD, "-o", folder, "-j", "1", "-q"], stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not (folder / "manifest.json").exists():
        time.sleep(0.001)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate()
    if run.returncode != 0:
        check("--resume continues" in said, said)
        done = weft("migrate", OLD, "-o", folder)
        check(done.returncode == 1 and "already holds a data set" in done.stderr, done.stderr)
    done = weft("migrate", OLD, "-o", folder, "--resume")
    check(done.returncode == 0 and contents(folder) == contents(work / "new"), f"continued, other bytes: {done.stderr}")
    done = weft("migrate", CHANGED, "-o", folder, "--resume")
    check(done.returncode == 1 and "was begun with a different" in done.stderr, f"two sets are mixed: {done.stderr}")


def check_faults(work):
    """Threads that cannot be started: a message, or fewer of them and the same bytes."""
    for number in ("1", "2", "all"):
        folder = work / f"threads-{number}"
        system = {"LD_PRELOAD": str(BUILD / "fail_nth.so"), "FAIL_CALL": "pthread_create", "FAIL_NTH": number, "FAIL_HOW": "EAGAIN"}
        done = subprocess.run([test_produce.WEFT, "migrate", OLD, "-o", folder, "-j", "3"], capture_output=True, text=True, env={**os.environ, **system})
        if done.returncode == 0:
            check(contents(folder) == contents(work / "new"), f"without thread {number}, other bytes")
        else:
            check(done.returncode == 1 and "cannot start a thread" in done.stderr, f"without thread {number}: {done.returncode} {done.stderr}")
            done = weft("migrate", OLD, "-o", folder, "--resume")
            check(done.returncode == 0 and contents(folder) == contents(work / "new"), f"without thread {number}, then continued: {done.stderr}")


def check_refused(work):
    done = weft("migrate", CHANGED, "-o", work / "part")
    said = [line.split(": ", 2)[2] for line in done.stderr.splitlines() if ": record " in line]
    check(done.returncode == 1 and said == ["record 1: text-differs", "record 2: not-a-record"] and "2 records were refused" in done.stderr, done.stderr)
    manifest = json.loads((work / "part/manifest.json").read_text())
    check(manifest["rows"] == 2 and manifest["counters"]["rejected"] == {"text-differs": 1, "not-a-record": 1}, str(manifest["counters"]))
    check([r["index"] for r in new_records(work / "part")] == [0, 3], "other records are kept")
    done = weft("validate", work / "part")
    check(done.returncode == 0, done.stdout + done.stderr)

    # A launch that is out of bounds: the reason is that of the candidate, not that its text differs.
    shutil.copytree(CHANGED, work / "bounds")
    shard = next((work / "bounds").glob("train*"))
    edit(shard, '"shape": [300]', '"shape": [3]')
    seal(work / "bounds", shard)
    done = weft("migrate", work / "bounds", "-o", work / "bounds-new", "-v")
    said = [line.split(": ", 2)[2] for line in done.stderr.splitlines() if ": record " in line]
    check(done.returncode == 1 and said == ["record 0: out-of-bounds", "record 1: text-differs", "record 2: not-a-record"], f"{said}: {done.stderr}")
    check(f"1 pairs in {work / 'bounds-new'}, 3 candidates rejected" in done.stderr, done.stderr)

    for name, change, words in (("shard", lambda f: flip(next(f.glob("train*"))), "it was changed"),
                                ("seal", lambda f: edit(f / "manifest.json", '"rows": 4', '"rows": 3'), "changed after weft wrote it"),
                                ("none", lambda f: (f / "manifest.json").unlink(), "manifest.json")):
        shutil.copytree(CHANGED, work / name)
        change(work / name)
        done = weft("migrate", work / name, "-o", work / f"{name}-new")
        check(done.returncode == 1 and words in done.stderr, f"{name}: {done.stderr}")
        manifest = work / f"{name}-new/manifest.json"
        check(not manifest.exists() or not json.loads(manifest.read_text())["complete"], f"{name}: the set looks finished")
    done = weft("migrate", work / "part", "-o", work / "again")
    check(done.returncode == 1 and "format 2 already" in done.stderr, done.stderr)
    done = weft("validate", CHANGED)
    check(done.returncode == 1 and "weft migrate" in done.stderr, done.stderr)
    check(weft("migrate", OLD).returncode == 2 and weft("migrate", OLD, OLD, "-o", work / "x").returncode == 2, "wrong calls")


def check_many(work):
    """More records than are taken at a time: each keeps its number, with any threads."""
    shutil.copytree(CHANGED, work / "many")
    shard = next((work / "many").glob("train*"))
    lines = shard.read_text().splitlines(True)
    shard.write_text("".join([*lines[:3], *lines[2:3] * 37, lines[3], lines[0]]))
    edit(work / "many/manifest.json", '"count": 4', '"count": 42')
    text = (work / "many/manifest.json").read_text()
    (work / "many/manifest.json").write_text(text.replace('"rows": 4', '"rows": 42').replace('"next_index": 4', '"next_index": 42'))
    seal(work / "many", shard)
    for jobs in (1, 3):
        done = weft("migrate", work / "many", "-o", work / f"many-{jobs}", "-j", jobs, "-v")
        said = [line.split(": ", 2)[2] for line in done.stderr.splitlines() if ": record " in line]
        wanted = ["record 1: text-differs", *(f"record {i}: not-a-record" for i in range(2, 40)), "record 41: duplicate"]
        check(done.returncode == 1 and said == wanted, f"-j {jobs}: {said}: {done.stderr[-300:]}")
        check([r["index"] for r in new_records(work / f"many-{jobs}")] == [0, 40], f"-j {jobs}: other records are kept")
        manifest = json.loads((work / f"many-{jobs}/manifest.json").read_text())
        check(manifest["counters"]["rejected"] == {"text-differs": 1, "not-a-record": 38, "duplicate": 1}, str(manifest["counters"]["rejected"]))


def with_manifest(work, name, *changes):
    """The set with a manifest that was changed, and sealed again."""
    shutil.copytree(CHANGED, work / name)
    for old, new in changes:
        check(old in (work / name / "manifest.json").read_text(), f"{old} is not in the manifest")
        edit(work / name / "manifest.json", old, new)
    seal(work / name, next((work / name).glob("train*")))
    return work / name


def check_options(work):
    """What the old set was made with, the new one says, too."""
    changes = {"seed": (31, 77), "device": ("cuda", "both"), "backward": (True, False), "verify": (True, False), "gradients": ("proven", "marked"),
               "dedup": ("structure", "masked"), "splits": ([1, 0, 0], [50, 20, 30]), "shard_rows": (10000, 2), "checkpoint_rows": (2000, 3),
               "categories": ({"arithmetic": 1, "scalar_param": 1}, {"vector": 3, "fem": 1})}
    words = [(f'"{name}": {json.dumps(old)}', f'"{name}": {json.dumps(new)}') for name, (old, new) in changes.items()]
    folder = with_manifest(work, "options", ('"seed": 31,\n', '"seed": 77,\n'), *words)
    done = weft("migrate", folder, "-o", work / "options-new")
    options = json.loads((work / "options-new/manifest.json").read_text())["options"]
    for name, (_, new) in changes.items():
        check(options[name] == new, f"{name} is {options[name]}, not {new}")
    check(options["count"] == 4 and options["launches"] == 0 and options["source"] == "stored" and not options["compress"], str(options))
    origin = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    check(options["origin"] == origin[:16], "another origin")
    for name, change, words in (
        ("unfinished", ('"complete": true', '"complete": false'), "is not finished: only finished data sets are rewritten"),
        ("piece", ('"options": {', '"options": {"piece": [1, 2], '), "is a piece: join the pieces with the weft that made them first"),
        ("other Warp", ('"warp_version": "1.19.0"', '"warp_version": "0.3.0"'), "is for Warp 0.3.0, which this weft does not write"),
        ("no rows", ('"rows": 4,\n', '"rows": 0,\n'), "is damaged: rows, options or shards are wrong"),
        ("no shard rows", ('"shard_rows": 10000', '"shard_rows": 0'), "is damaged: rows, options or shards are wrong"),
        ("no checkpoint", ('"checkpoint_rows": 2000', '"checkpoint_rows": 0'), "is damaged: rows, options or shards are wrong"),
        ("a folder above", ('"file": "train', '"file": "../train'), "is damaged: rows, options or shards are wrong"),
        ("a long name", ('"file": "train', f'"file": "{"x" * 60}train'), "is damaged: rows, options or shards are wrong"),
        ("more rows", ('"rows": 4, "bytes"', '"rows": 5, "bytes"'), "is not as its manifest says: it was changed"),
        ("another format", ('"format": "weft-corpus-2"', '"format": "weft-corpse-2"'), "is not that of a weft data set"),
    ):
        done = weft("migrate", with_manifest(work, name, change), "-o", work / f"{name}-new")
        check(done.returncode == 1 and words in done.stderr, f"{name}: {done.returncode} {done.stderr}")


def check_single_files(work):
    """A set of one file per record."""
    lines = next(CHANGED.glob("train*")).read_text().splitlines(True)
    shutil.copytree(CHANGED, work / "files")
    shard = next((work / "files").glob("train*"))
    for number, line in enumerate(lines):
        (work / f"files/cuda_synth_{number:04}.json").write_text(line)
    for old, new in (('"format": "jsonl"', '"format": "json"'), ('"file": "train-00000-of-00001.jsonl"', '"file": "cuda_synth_*.json"')):
        edit(work / "files/manifest.json", old, new)
    seal(work / "files", shard)
    shard.unlink()
    done = weft("migrate", work / "files", "-o", work / "files-new")
    check(done.returncode == 1 and "2 records were refused" in done.stderr, f"single files: {done.stderr}")
    check(len(list((work / "files-new").glob("cuda_synth_*.json"))) == 2, "single files do not become single files")


def seal(folder, shard):
    """Makes the manifest fit a shard that was changed."""
    text = (folder / "manifest.json").read_text()
    found = subprocess.run([BUILD / "xxh3", shard], capture_output=True, text=True, check=True).stdout.split()[0]
    text = re.sub(r'"bytes": \d+, "xxh3_128": "\w+"', f'"bytes": {shard.stat().st_size}, "xxh3_128": "{found}"', text)
    head = text[: text.index('"sha256"')]
    (folder / "manifest.json").write_text(f'{head}"sha256": "{hashlib.sha256(head.encode()).hexdigest()}"\n}}\n')


def flip(path):
    data = bytearray(path.read_bytes())
    data[data.index(b"metadata") + 40] ^= 1
    path.write_bytes(data)


def edit(path, old, new):
    path.write_text(path.read_text().replace(old, new, 1))


def main():
    with tempfile.TemporaryDirectory(prefix="weft-migrate-") as name:
        check_whole(pathlib.Path(name))
        check_interrupted(pathlib.Path(name))
        check_faults(pathlib.Path(name))
        check_refused(pathlib.Path(name))
        check_many(pathlib.Path(name))
        check_options(pathlib.Path(name))
        check_single_files(pathlib.Path(name))
    return 1 if test_produce.failures else 0


if __name__ == "__main__":
    sys.exit(main())
