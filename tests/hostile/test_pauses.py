#!/usr/bin/env python3
"""Runs that are interrupted between two checkpoints keep what they made; what is synced before what; one writer per folder; and some
faults of each kind, where test_faults.py tries every call."""

import collections
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

import test_faults as faults
from sets import WEFT, check, contents, copy, edit_manifest, finish, need_weft, parts

RUN = ["-n", "21", "--no-verify", "--shard-rows", "8", "--checkpoint", "16", "-s", "5", "-j", "1"]
LAYOUTS = {  # and the writes at which a run is interrupted
    "compressed": (["--splits", "60,20,20"], (1, 2, 4)),
    "plain": (["--splits", "70,15,15", "--no-compress"], (3,)),
    "piece": (["--shard", "2/3"], (1,)),
    "files": (["--format", "json"], (2,)),
}


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def pause(folder, args, nth, *more):
    done = faults.run(folder, *args, *more, call="write", nth=nth, how="interrupt")
    check(done.returncode in (0, 130), f"write {nth} of {args[-1]}: ends with {done.returncode}: {done.stderr}")
    return done


def refused(folder, args, expected, what):
    before = contents(folder)
    done = faults.run(folder, *args, "--resume")
    check(done.returncode == 1 and expected in done.stderr, f"{what}: {done.returncode} {done.stderr}")
    check(contents(folder) == before, f"{what}: something was overwritten")


def try_pauses(work, layout):
    extra, places = LAYOUTS[layout]
    args = [*RUN, *extra]
    reference, folder = work / f"{layout} at once", work / f"{layout} paused"
    check(faults.run(reference, *args).returncode == 0, f"{layout}: a run")
    expected, pending = contents(reference), 0
    for nth in places:
        shutil.rmtree(folder, ignore_errors=True)
        if pause(folder, args, nth).returncode == 0:  # everything was made when the signal came
            check(contents(folder) == expected, f"{layout}: exit code 0 after write {nth}, but the set is another one")
            continue
        manifest = json.loads((folder / "manifest.json").read_text())
        check(manifest["complete"] is False and manifest["rows"] < 21, f"{layout}: {manifest['rows']} rows after write {nth}")
        kept = manifest.get("pending") or {"rows": 0}
        lines = [line for p in folder.glob("pending-*.jsonl") for line in p.read_bytes().splitlines()]
        check(len(lines) == kept["rows"], f"{layout}: {len(lines)} pending lines, the manifest says {kept}")
        pending += kept["rows"]
        if kept["rows"] and nth == 4:
            try_damaged(work, args, folder, manifest)
        if layout != "piece":
            done = subprocess.run([WEFT, "validate", folder, "-j", "1"], capture_output=True, text=True)
            check("not finished" in done.stdout + done.stderr or done.returncode == 0, f"{layout}: {done.stdout}{done.stderr}")
        if nth == 2:  # and once more
            pause(folder, args, nth, "--resume")
        faults.must_resume(folder, args, expected, f"{layout}, paused at write {nth}")
        check(names(folder) == names(reference), f"{layout}: {names(folder)}")
    return pending


def try_damaged(work, args, folder, manifest):
    """What was kept between two checkpoints and changed since is not continued."""
    broken = work / "broken"
    name = f"pending-{manifest['rows']}.jsonl"
    text = (folder / name).read_bytes()
    for what, change in (("changed", text.replace(b'"', b"'", 1)), ("cut", text[:-5]), ("longer", text + b"{}\n"), ("empty", b"")):
        copy(folder, broken)
        (broken / name).write_bytes(change)
        refused(broken, args, f"{name} does not match the manifest: it was changed", f"{name} {what}")
    copy(folder, broken)
    (broken / name).unlink()
    refused(broken, args, "cannot ", f"{name} removed")
    copy(folder, broken)
    (broken / "pending-999.jsonl").write_text("x")
    done = faults.run(broken, *args, "--resume")
    check(done.returncode == 0 and not list(broken.glob("pending-*")), f"an old pending file: {done.returncode} {done.stderr} {names(broken)}")


def test_leftovers(work):
    """Files that a run may leave behind are removed or written again; others are not ours."""
    args = [*RUN, "--no-compress"]
    check(faults.run(work / "at once", *args).returncode == 0, "a run")
    pause(work / "half", args, 2)
    for name in ("manifest.json.tmp", "stats.json.tmp", "README.md.tmp", "run.json"):
        copy(work / "half", work / "left")
        (work / "left" / name).write_text("x")
        faults.must_resume(work / "left", args, contents(work / "at once"), name)
        check(names(work / "left") == names(work / "at once"), f"{name}: {names(work / 'left')}")
    for name in ("manifest.json.old", "README.md.tmp2", "train-x.jsonl", "pending-1.jsonl.old", "train-00900.jsonl"):
        copy(work / "half", work / "left")
        (work / "left" / name).write_text("x")
        refused(work / "left", args, name, name)


def test_reading(work):
    """A file that cannot be read is named."""
    check(faults.run(work / "set", *RUN, "--no-compress").returncode == 0, "a run")
    environment = os.environ | {"LD_PRELOAD": str(faults.LIBRARY), "FAIL_CALL": "read", "FAIL_HOW": "EIO"}
    found = set()
    for nth in range(1, 31):
        done = subprocess.run([WEFT, "validate", "set", "-j", "1", "--sample", "2"], capture_output=True, text=True, cwd=work,
                              env=environment | {"FAIL_NTH": str(nth)})
        said = done.stdout + done.stderr
        if done.returncode == 0:
            continue  # of the loader, or behind the end of a file
        named = re.search(r"cannot read (set/\S+): Input/output error", said)
        if check(done.returncode == 1 and named, f"read {nth}: {done.returncode} {said}"):
            found.add(named[1])
    check({"set/manifest.json", "set/stats.json"} <= found and any("train-" in name for name in found), f"named were {found}")


def test_pauses(work):
    pending = {layout: try_pauses(work, layout) for layout in LAYOUTS}
    check(all(pending[layout] for layout in ("compressed", "piece")), f"nothing was pending: {pending}")


def test_some_faults(work):
    """The middle one of the calls fails."""
    args = faults.args_of("zst")
    check(faults.run(work / "reference", *args).returncode == 0, "a run")
    reference, log = contents(work / "reference"), work / "calls.log"
    faults.run(work / "counted", *args, log=log)
    calls = [{"create": "open", "syncfs": "fsync"}.get(name, name) for name, _ in faults.calls_of(log)]
    for call, ways in faults.FAULTS.items():
        for how in ways if call == "write" else ways[:1]:
            faults.try_fault(work / "faulty", args, reference, call, (calls.count(call) + 1) // 2, how)
    faults.run(work / "half", *args, call="write", nth=7, how="kill")
    for call, how in (("open", "EMFILE"), ("write", "EIO"), ("rename", "EIO"), ("ftruncate", "EIO")):
        unnoticed = faults.try_fault(work / "faulty", args, reference, call, 1 if call == "ftruncate" else 2, how, work / "half")
        check(not unnoticed, f"{call} {how} while resuming: nothing is said")


# ---- what must be on the disk before what ----


def is_shard(name):
    return name.removeprefix("details-").startswith(("train-", "validation-", "test-"))


def test_order(work):
    """A manifest tells of nothing that is not on the disk; and there is one per checkpoint, not more."""
    folder, log = work / "deep" / "order", work / "order.log"
    done = faults.run(folder, *faults.args_of("zst"), log=log)
    check(done.returncode == 0, done.stderr)
    calls = faults.calls_of(log)
    unsynced, manifests = set(), 0
    for at, (call, name) in enumerate(calls):
        if call == "write":
            unsynced.add(name)
        elif call == "fsync":
            unsynced.discard(name)
        elif call == "rename" and is_shard(name):
            check(not {n for n in unsynced if is_shard(n)}, f"{name} gets its name before it is synced")
        elif call == "rename":
            check(name + ".tmp" not in unsynced, f"{name} is renamed before it is synced")
            check(calls[at + 1] == ("fsync", "order"), f"the folder is not synced after {name}: {calls[at + 1]}")
        if call == "rename" and name == "manifest.json":
            manifests += 1
            check(not {n for n in unsynced if is_shard(n)}, f"the manifest tells of what is not synced: {unsynced}")
    synced = collections.Counter(name for call, name in calls if call == "fsync")
    check(synced["deep"] == 1 and synced[work.name] == 1, f"the folders above are not synced: {synced}")
    # At the start, after 3 of 5 records, at the end, and when all have their last names.
    check(manifests == 4, f"{manifests} manifests were written, not 4")


# ---- one writer per folder ----

ENDLESS = ["-n", "1000000", "--no-verify", "-j", "1"]


def start(folder, *args, **environment):
    process = subprocess.Popen([WEFT, "produce", "-o", str(folder), *ENDLESS, *args], stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"LD_PRELOAD": str(faults.LIBRARY)} | environment)
    deadline = time.time() + 60
    while not (folder / "manifest.json").exists() and process.poll() is None and time.time() < deadline:
        time.sleep(0.002)
    return process


def test_two_writers(work):
    for name, how in (("flock", {}), ("lock file", {"FAIL_CALL": "flock", "FAIL_NTH": "all", "FAIL_HOW": "ENOLCK"})):
        folder = work / f"two writers, {name}"
        first = start(folder, **how)
        second = subprocess.run([WEFT, "produce", "-o", str(folder), *ENDLESS, "--resume"], capture_output=True, text=True, timeout=60,
                                env=os.environ | {"LD_PRELOAD": str(faults.LIBRARY)} | how)
        check(second.returncode == 1 and "another run is writing" in second.stderr, f"{name}: a second writer: {second.returncode} {second.stderr}")
        first.send_signal(signal.SIGINT)
        first.communicate()
        check(first.returncode == 130, f"{name}: {first.returncode}")
        check(not (folder / ".weft-lock").exists(), f"{name}: the lock file is left behind")
        third = start(folder, "--resume", **how)
        time.sleep(0.3)
        check(third.poll() is None, f"{name}: the folder stays locked")
        third.kill()
        third.communicate()
    # A killed run leaves its lock file, and the user is told about it.
    done = subprocess.run([WEFT, "produce", "-o", str(folder), *ENDLESS, "--resume"], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"LD_PRELOAD": str(faults.LIBRARY)} | how)
    check(done.returncode == 1 and f"remove {folder}/.weft-lock" in done.stderr, f"a left lock file: {done.returncode} {done.stderr}")


def test_other_builds(work):
    """What another generator has begun is not continued."""
    for field, expected in (("generator", "another build of weft"), ("weft_version", "was begun by weft")):
        folder = work / f"other {field}"
        faults.run(folder, *faults.args_of("zst"), call="write", nth=7, how="kill")
        manifest = json.loads((folder / "manifest.json").read_text())
        other = "0123456789abcdef" if field == "generator" else "9.9.9"
        edit_manifest(folder, lambda text: text.replace(f'"{field}": "{manifest[field]}"', f'"{field}": "{other}"'))
        before = contents(folder)
        done = faults.run(folder, *faults.args_of("zst"), "--resume")
        check(done.returncode == 1 and expected in done.stderr, f"another {field}: {done.returncode} {done.stderr}")
        check(contents(folder) == before, f"another {field}: something was overwritten")


def main():
    tests = parts.chosen(test_pauses, test_leftovers, test_reading, test_some_faults, test_order, test_two_writers, test_other_builds)
    need_weft()
    reason = faults.why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-pauses-") as name:
        for test in tests:
            work = pathlib.Path(name) / test.__name__
            work.mkdir()
            started = time.time()
            test(work)
            print(f"{test.__name__}: {time.time() - started:.1f} s", flush=True)
    return finish("pauses")


if __name__ == "__main__":
    sys.exit(main())
