#!/usr/bin/env python3
"""A system that fails: whichever call of a small run fails, ends short or is the last one before a power cut, the run says so,
and the same command with --resume gives the bytes of a run that nothing happened to. What is quick is in test_pauses.py.

`fail_nth.so` (tests/tools/fail_nth.c) is loaded into weft and makes the n-th call fail. Every call of a run fails in one of the ways that
calls of its kind can fail, in turn, and every third call of a run with single files, and of one that goes on. With WEFT_ALL=1 all of them
fail in each of the ways, and every allocation, which takes several times as long."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from sets import BUILD, WEFT, check, contents, copy, failures, finish, need_weft, parts

LIBRARY = BUILD / "fail_nth.so"
RUN = ["-n", "5", "--no-verify", "--splits", "60,20,20", "--shard-rows", "2", "--checkpoint", "3", "-s", "5", "-j", "1"]
LAYOUTS = {"zst": [], "json": ["--format", "json"]}


def run_weft(words, call="", nth=0, how="EIO", log=None):
    environment = os.environ | {"LD_PRELOAD": str(LIBRARY), "FAIL_CALL": call, "FAIL_NTH": str(nth), "FAIL_HOW": how}
    if log:
        environment["FAIL_LOG"] = str(log)
    return subprocess.run([WEFT, *map(str, words)], capture_output=True, text=True, env=environment, timeout=120)


def run(folder, *args, **fault):
    return run_weft(["produce", "-o", folder, *args], **fault)


def run_on(folder, command, **fault):
    return run_weft([command[0], folder, *command[1:]], **fault)


def args_of(layout):
    args = [*RUN, *LAYOUTS[layout]]
    if layout == "json":
        del args[args.index("--splits") : args.index("--splits") + 2]
    return args


def calls_of(log):
    return [tuple(line.split(" ")[:2]) for line in log.read_text().splitlines()]


def must_resume(folder, args, reference, what):
    done = run(folder, *args, "--resume")
    if check(done.returncode == 0, f"{what}: --resume ends with {done.returncode}: {done.stderr}"):
        got = contents(folder)
        differ = sorted(k for k in got.keys() | reference.keys() if got.get(k) != reference.get(k))
        check(not differ, f"{what}: {differ} differ after --resume")


def try_fault(folder, args, reference, call, nth, how, prepared=None):
    """One fault; True: the run got to the end, so there is no n-th call any more."""
    what = f"{call} {nth} {how}{' while resuming' if prepared else ''} {args[-1]}"
    if prepared:
        copy(prepared, folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    done = run(folder, *args, *(["--resume"] if prepared else []), call=call, nth=nth, how=how)
    if how == "kill" and done.returncode != 0:
        check(done.returncode == -signal.SIGKILL, f"{what}: ends with {done.returncode}")
    else:
        check(done.returncode in (0, 1), f"{what}: ends with {done.returncode}: {done.stderr}")
    if done.returncode == 0:
        check(contents(folder) == reference, f"{what}: exit code 0, but the set is another one")
        return not done.stderr
    if how != "kill":
        check(done.stderr.startswith("weft"), f"{what}: no message: {done.stderr}")
    must_resume(folder, args, reference, what)
    return False


def count_calls(work, args, call, prepared=None):
    """How often a run that nothing happens to calls it: found by letting the n-th fail that is never reached."""
    folder, log = work / "count", work / "count.log"
    log.unlink(missing_ok=True)
    if prepared:
        copy(prepared, folder)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    run(folder, *args, *(["--resume"] if prepared else []), log=log)
    names = {"open": ("open", "create"), "fsync": ("fsync", "syncfs")}.get(call, (call,))
    return sum(name in names for name, _ in calls_of(log))


FAULTS = {
    "open": ["EMFILE", "kill"], "write": ["EIO", "kill", "ENOSPC", "short", "EINTR"], "fsync": ["EIO", "kill"], "rename": ["EIO", "kill"],
    "mkdir": ["EACCES"], "unlink": ["EIO"], "ftruncate": ["EIO"], "flock": ["EIO"],
}  # fmt: skip
ALL = os.environ.get("WEFT_ALL") == "1"


def reference_of(work, layout):
    """What a run gives that nothing happens to."""
    folder = work / f"reference-{layout}"
    if not folder.exists():
        done = run(folder, *args_of(layout))
        check(done.returncode == 0, done.stderr)
    return contents(folder)


def test_every_call(work, layout, prepared=None, every=1):
    args = args_of(layout)
    folder = work / "faulty"
    reference = reference_of(work, layout)
    tried = 0
    for call, ways in FAULTS.items():
        count = count_calls(work, args, call, prepared)
        for turn, nth in enumerate(range(1, count + 1, 1 if ALL else every)):
            for how in ways if ALL else [ways[turn % len(ways)]]:
                try_fault(folder, args, reference, call, nth, how, prepared)
                tried += 1
                if len(failures) > 10:
                    return tried
    return tried


def test_compressed(work):
    return test_every_call(work, "zst")


def test_single_files(work):
    return test_every_call(work, "json", every=3)


def test_resuming(work):
    """A run that goes on is no safer from faults than the first one."""
    args = args_of("zst")
    folder = work / "half"
    run(folder, *args, call="write", nth=7, how="kill")
    check("\"complete\": false" in (folder / "manifest.json").read_text(), "the run was not ended half-way")
    return test_every_call(work, "zst", folder, every=3)


def test_allocations(work):
    args = [*(a for a in RUN if a != "--no-verify"), "-n", "5"]
    reference_folder = work / "reference-malloc"
    run(reference_folder, *args)
    reference = contents(reference_folder)
    log = work / "allocations.log"
    log.unlink(missing_ok=True)
    run(work / "count", *args, call="malloc", nth=10**9, log=log)
    count = int(log.read_text().split()[-1])
    check(count > 200, f"only {count} allocations")
    later = range(10, count + 1, 1 if ALL else max(1, count // 60))  # those of the start each, later some of each kind
    for nth in [*range(1, 10), *later]:
        if len(failures) <= 10:
            try_fault(work / "faulty", args, reference, "malloc", nth, "ENOMEM")
    return 9 + len(later)


def test_threads(work):
    args = [*RUN[:-1], "3"]
    reference = reference_of(work, "zst")
    for nth in (1, 2, 3):
        try_fault(work / "faulty", args, reference, "pthread_create", nth, "EAGAIN")
    shutil.rmtree(work / "faulty")
    done = run(work / "faulty", *args, call="pthread_create", nth="all")
    check(done.returncode == 1 and "cannot start a thread" in done.stderr, f"no threads: {done.returncode} {done.stderr}")


def test_reading(work):
    """What cannot be read was not found to be all right: validate and stats say so, whichever call fails."""
    tried = 0
    for layout in LAYOUTS:
        folder = work / f"reading-{layout}"
        run(folder, *args_of(layout), "-n", "3")
        for command in (["validate", "-j", "1"], ["stats"]):
            for call, ways in (("read", ["EIO", "EINTR"]), ("open", ["EIO"]), ("readdir", ["EIO"])):
                log = work / "reading.log"
                log.unlink(missing_ok=True)
                done = run_on(folder, command, log=log)
                check(done.returncode == 0, f"{command[0]} {layout}: {done.stderr}")
                count = sum(name == call for name, _ in calls_of(log))
                check(count or (command[0], call) == ("stats", "readdir"), f"{command[0]} {layout}: no {call} at all")
                for nth in range(1, count + 1):
                    for how in ways if ALL or nth % 4 == 1 else ways[:1]:
                        done = run_on(folder, command, call=call, nth=nth, how=how)
                        expected = 0 if how == "EINTR" else 1
                        what = f"{command[0]} {layout}: {call} {nth} {how}"
                        check(done.returncode == expected, f"{what}: ends with {done.returncode}: {done.stderr}")
                        check(not expected or "cannot" in done.stderr, f"{what}: no message: {done.stderr}")
                        tried += 1
    return tried


def why_not():
    """None, or why the library cannot be used here."""
    if not LIBRARY.exists():
        return f"{LIBRARY} is not built"
    probe = subprocess.run([WEFT, "--version"], capture_output=True, text=True, env=os.environ | {"LD_PRELOAD": str(LIBRARY)})
    if probe.returncode:  # sanitizers insist on being the first library
        return f"the library cannot be loaded into this build: {probe.stderr.strip()[:200]}"
    return None


def main():
    tests = parts.chosen(test_compressed, test_single_files, test_reading, test_resuming, test_allocations, test_threads)
    need_weft()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 77
    with tempfile.TemporaryDirectory(prefix="weft-faults-") as name:
        work = pathlib.Path(name)
        for test in tests:
            started = time.time()
            tried = test(work)
            print(f"{test.__name__}: {f'{tried} faults, ' if tried else ''}{time.time() - started:.1f} s", flush=True)
    return finish("faults")


if __name__ == "__main__":
    sys.exit(main())
