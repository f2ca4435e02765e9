#!/usr/bin/env python3
"""Commands killed while they write: what they leave is whole or plainly unfinished, readers say so, and the advice they give works."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from sets import ROOT, WEFT, check, contents, finish, need_weft, parts, produce, weft

KILLS = 3
MANY = ["--no-verify", "--no-readable", "--splits", "80,10,10", "--checkpoint", "50", "--shard-rows", "90"]


def files(path):
    """Every file below a folder but for the clock; of a file, its bytes."""
    if path.is_file():
        return path.read_bytes()
    return {str(p.relative_to(path)): p.read_bytes() for p in sorted(path.rglob("*")) if p.is_file() and p.name not in ("run.json", "UNFINISHED.tmp")}


def clear(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def time_of(call):
    began = time.monotonic()
    done = weft(*call)
    check(done.returncode == 0, f"{call}: {done.stderr}")
    return time.monotonic() - began


def end(call, seconds, number):
    """Runs it, and sends the signal after so long. Did that end it?"""
    process = subprocess.Popen([WEFT, *map(str, call)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    process.error = process.communicate()[1]
    return process


def kills(call, out, look, again=()):
    """Kills it KILLS times, at other moments, and lets `look` see what is there each time. Then the same command with `again` ends it."""
    reference = out.with_name("reference" + out.suffix)
    seconds = time_of([*call, "-o", reference])
    wanted, ended = files(reference), 0
    for i in range(KILLS):
        clear(out)
        process = end([*call, "-o", out], seconds * (i + 0.5) / KILLS, signal.SIGKILL)
        ended += process.returncode == -signal.SIGKILL
        if process.returncode:
            look(out, wanted, process)
        if out.exists() and files(out) == wanted:
            continue  # it was all there
        begun = (out / "manifest.json").exists() if out.is_dir() else False
        done = weft(*call, "-o", out, *(again if begun else ()))
        check(done.returncode == 0 and files(out) == wanted, f"{call[0]}: not the same after a kill: {done.stderr}")
    check(ended or seconds < 0.1, f"{call[0]}: {seconds:.2f} s, and never killed")
    clear(out)
    clear(reference)


def refused(folder, words):
    """Every reader says that it is not finished, or that nothing is there yet."""
    out = folder.with_name("refused")
    for call in (["stats", folder], ["validate", folder], ["export", folder, "--format", "hf", "-o", out], ["tasks", folder], ["mutate", folder],
                 ["report", folder, "-o", out], ["gpu", "--cpu", folder], ["merge", folder, folder.with_name("other"), "-o", out]):
        done = weft(*call)
        said = done.stdout + done.stderr
        check(done.returncode == 1 and any(word in said for word in words), f"{call[0]} of {folder.name}: {done.returncode} {said[-400:]}")
        clear(out)


def test_merge(work):
    """Of pieces, and of sets."""
    for sources, helps in ((("piece1", "piece2"), "produce"), (("set", "other"), "merge")):
        call, out = ["merge", *(work / name for name in sources)], work / "merged"

        def look(folder, wanted, process):
            if (folder / "manifest.json").exists():
                refused(folder, [f"is not finished: continue it with weft {helps} --resume", "the data set is not finished"])
                done = weft(*call, "-o", folder)
                check(done.returncode == 1 and "continue it with --resume" in done.stderr, f"merge over what is there: {done.stderr}")

        kills(call, out, look, ["--resume"])
        seconds = time_of([*call, "-o", work / "whole"])
        process = end([*call, "-o", out], seconds / 2, signal.SIGINT)
        check(process.returncode in (0, 130), f"merge, Ctrl-C: {process.returncode}")
        check(process.returncode == 0 or "the same command with --resume continues" in process.error, f"merge: {process.error}")
        done = weft(*call, "-o", out, "--resume")
        check(done.returncode == 0 and contents(out) == contents(work / "whole"), f"merge, Ctrl-C: {done.stderr}")
        clear(out)
        clear(work / "whole")


def test_advice(work):
    """A merge of pieces that was killed can be continued as the run that it stands for, as its readers say."""
    call, out = ["merge", work / "piece1", work / "piece2"], work / "merged"
    seconds = time_of([*call, "-o", work / "whole"])
    end([*call, "-o", out], seconds / 2, signal.SIGKILL)
    done = produce(out, "-n", 240, *MANY, "--resume")
    check(done.returncode == 0 and contents(out) == contents(work / "whole"), f"produce --resume of a merge: {done.stderr}")
    clear(out)


def test_export(work):
    for form in ("hf", "trl"):
        def look(folder, wanted, process):
            for name, data in files(folder).items() if folder.exists() else ():
                whole = name.endswith((".part", ".tmp")) or name in ("UNFINISHED", ".weft-lock") or wanted.get(name) == data
                check(whole, f"export --to {form}: {name} is not whole")
            if folder.exists() and any(folder.iterdir()) and files(folder) != wanted:
                check("weft export" in (folder / "UNFINISHED").read_text(), "export: nothing says that it is not finished")

        kills(["export", work / "set", "--format", form], work / "exported", look)
    folder = work / "exported"
    folder.mkdir()
    (folder / "UNFINISHED").write_text("weft export\n")
    (folder / "mine.txt").write_text("mine")
    done = weft("export", work / "set", "--format", "hf", "-o", folder)
    check(done.returncode == 1 and (folder / "mine.txt").exists(), f"a file of somebody else: {done.stderr}")
    clear(folder)
    seconds = time_of(["export", work / "set", "--format", "hf", "-o", folder])
    clear(folder)
    process = end(["export", work / "set", "--format", "hf", "-o", folder], seconds / 2, signal.SIGINT)
    check(process.returncode in (0, 130) and (process.returncode == 0 or "the same command" in process.error), f"export: {process.error}")


def test_index(work):
    def look(folder, wanted, process):
        found = files(folder) if folder.exists() else wanted
        if "manifest.json" not in found and found:
            refused(folder, ["is not finished: its file UNFINISHED names the command", "is not a data set either"])
        check(all(wanted.get(name) == data for name, data in found.items() if "-of-" in name), "index: a shard that is not whole")

    kills(["range", "join", work / "range1", work / "range2"], work / "indexed", look)
    # Killed at its last steps, which a clock hardly meets: links without their names, no manifest.
    folder = work / "indexed"
    folder.mkdir()
    (folder / "UNFINISHED").write_text("weft range join has not ended here. Run the same command again.\n")
    for prefix, end in (("", "jsonl"), ("details-", "ndjson")):
        os.link(next((work / "range1").glob(f"{prefix}train-*")), folder / f"{prefix}train-00000.{end}.zst.part")
    refused(folder, ["is not finished: its file UNFINISHED names the command", "is not a data set either"])
    done = weft("range", "join", work / "range1", work / "range2", "-o", folder)
    check(done.returncode == 0 and weft("validate", folder, "--sample", 0).returncode == 0 and not (folder / "UNFINISHED").exists(), f"index again: {done.stderr}")
    clear(folder)


def test_files(work):
    """With -o FILE the name stands for a whole file, or for none."""
    def look(path, wanted, process):
        check(not path.exists() or path.read_bytes() == wanted, f"{path.name} is not whole")

    kernels = work / "many.py"
    kernels.write_text(weft("synth", "-n", 40, "-s", 5).stdout)
    for call in (["tasks", work / "checked"], ["mutate", work / "checked"], ["report", work / "set"], ["synth", "-n", 200], ["extract", kernels, "-j", 1],
                 ["range", "keys", "--candidates", "0:400", "-j", 1], ["range", "duplicates", work / "keys"]):
        kills(call, work / "file", look)
        for left in work.glob(".file.*"):
            left.unlink()


def prepare(work):
    for i in (1, 2):
        check(produce(work / f"piece{i}", "-n", 240, *MANY, "--shard", f"{i}/2").returncode == 0, "a piece")
    check(produce(work / "set", "-n", 160, "-s", 3, *MANY).returncode == 0, "a set")
    check(produce(work / "other", "-n", 60, "-s", 4, *MANY).returncode == 0, "another set")
    check(produce(work / "checked", "-n", 40, "-s", 4, "--launches", 1).returncode == 0, "a set with launches")
    check(weft("range", "keys", "--candidates", "0:400", "-o", work / "keys").returncode == 0 and weft("range", "duplicates", work / "keys", "-o", work / "losers").returncode == 0, "losers")
    for i, part in ((1, "0:200"), (2, "200:400")):
        done = produce(work / f"range{i}", "--candidates", part, "--duplicates", work / "losers", "--shard-rows", 20, "--no-verify")
        check(done.returncode == 0, f"a range: {done.stderr}")


def main():
    tests = parts.chosen(test_merge, test_advice, test_export, test_index, test_files)
    need_weft()
    with tempfile.TemporaryDirectory(prefix="weft-unfinished-") as name:
        work = pathlib.Path(name)
        prepare(work)
        for test in tests:
            test(work)
    return finish("unfinished")


if __name__ == "__main__":
    sys.exit(main())
